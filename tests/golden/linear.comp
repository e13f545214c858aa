// out0 = sqrt(a * a + b * b) / s0
//
// x0    a     float32  linear
// x1    b     float32  linear
// x2    s0    float32  scalar
// x7    out0  float32  linear
//
// key golden linear

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_out_0;
    uint scalar_2;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec4 b_data[]; };
layout(std430, binding = 3) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// Square root by the device's own, for devices where a probe found it correctly rounded, subnormals kept.
float vk_sqrt(float x) {
    precise float root = sqrt(x);
    return root;
}

// x / y by the device's own division, for devices where a probe found it correctly rounded, subnormals kept.
float vk_divide(float x, float y) {
    precise float quotient = x / y;
    return quotient;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = start_0 + thread;
    uint at_1 = start_1 + thread;
    float x2 = uintBitsToFloat(scalar_2);
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 b_words = b_data[at_1];
    uvec4 out0_words;
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        float x1 = uintBitsToFloat(b_words[e]);
        precise float x3 = x0 * x0;
        precise float x4 = x1 * x1;
        precise float x5 = x3 + x4;
        precise float x6 = vk_sqrt(x5);
        precise float x7 = vk_divide(x6, x2);
        out0_words[e] = floatBitsToUint(x7);
    }
    out0_data[at_out_0] = out0_words;
}
