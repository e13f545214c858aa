// t2 = a + b
// out0 = t2
// out1 = t2 * t2
// out2 = -t2
//
// x0    a     float32  linear
// x1    b     float32  linear
// x2    out0  float32  linear
// x3    out1  float32  linear
// x4    out2  float32  linear
//
// key golden several_outputs

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
    uint start_out_1;
    uint start_out_2;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec4 b_data[]; };
layout(std430, binding = 3) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };
layout(std430, binding = 4) restrict writeonly buffer Output_1 { uvec4 out1_data[]; };
layout(std430, binding = 5) restrict writeonly buffer Output_2 { uvec4 out2_data[]; };

// Negation: the sign bit flipped, so that nan, zeros and subnormals keep every other bit.
float vk_neg(float x) {
    return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = start_0 + thread;
    uint at_1 = start_1 + thread;
    uint at_out_0 = start_out_0 + thread;
    uint at_out_1 = start_out_1 + thread;
    uint at_out_2 = start_out_2 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 b_words = b_data[at_1];
    uvec4 out0_words;
    uvec4 out1_words;
    uvec4 out2_words;
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        float x1 = uintBitsToFloat(b_words[e]);
        precise float x2 = x0 + x1;
        precise float x3 = x2 * x2;
        precise float x4 = vk_neg(x2);
        out0_words[e] = floatBitsToUint(x2);
        out1_words[e] = floatBitsToUint(x3);
        out2_words[e] = floatBitsToUint(x4);
    }
    out0_data[at_out_0] = out0_words;
    out1_data[at_out_1] = out1_words;
    out2_data[at_out_2] = out2_words;
}
