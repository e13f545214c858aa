// out0 = a * b + s0
//
// x0    a     float64  linear
// x1    b     float64  constant
// x2    s0    float64  scalar
// x4    out0  float64  linear
//
// key golden double

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 64);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 64);

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_out_0;
    uint scalar_2;
    uint scalar_2_high;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec2 b_data[]; };
layout(std430, binding = 3) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// The words of the first or the second 64-bit element of a vector.
uvec2 vk_pair(uvec4 words, uint element) {
    return element == 0 ? words.xy : words.zw;
}

// Puts the words of a 64-bit element at the first or the second place of a vector.
void vk_set_pair(inout uvec4 words, uint element, uvec2 pair) {
    words = element == 0 ? uvec4(pair, words.zw) : uvec4(words.xy, pair);
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = (start_0 + thread) * 2;
    double x2 = packDouble2x32(uvec2(scalar_2, scalar_2_high));
    uint at_out_0 = (start_out_0 + thread) * 2;
    if (first >= count) return;

    uvec4 a_words[2];
    [[unroll]] for (uint v = 0; v < 2; ++v) a_words[v] = a_data[at_0 + v];
    double x1 = packDouble2x32(b_data[start_1]);
    uvec4 out0_words[2];
    [[unroll]] for (uint e = 0; e < E; ++e) {
        double x0 = packDouble2x32(vk_pair(a_words[e / 2], e % 2));
        precise double x3 = x0 * x1;
        precise double x4 = x3 + x2;
        vk_set_pair(out0_words[e / 2], e % 2, unpackDouble2x32(x4));
    }
    [[unroll]] for (uint v = 0; v < 2; ++v) out0_data[at_out_0 + v] = out0_words[v];
}
