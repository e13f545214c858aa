// out0 = a * s0 - (b + s1).astype(int64)
//
// x0    a     int64    linear
// x1    b     int8     linear
// x2    s0    int64    scalar
// x3    s1    int8     scalar
// x7    out0  int64    linear
//
// key golden int64

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_out_0;
    uint scalar_2;
    uint scalar_2_high;
    uint scalar_3;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// The words of the first or the second 64-bit element of a vector.
uvec2 vk_pair(uvec4 words, uint element) {
    return element == 0 ? words.xy : words.zw;
}

// int32 to int64, sign extended: the words put together, since llvmpipe (Mesa 22.3) takes the
// absolute value of a converted one for the value itself.
int64_t vk_int_to_long(int x) {
    return int64_t(packUint2x32(uvec2(uint(x), uint(x >> 31))));
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
    uint at_1 = start_1 + thread;
    int64_t x2 = int64_t(packUint2x32(uvec2(scalar_2, scalar_2_high)));
    int x3 = int(scalar_3);
    uint at_out_0 = (start_out_0 + thread) * 2;
    if (first >= count) return;

    uvec4 a_words[2];
    [[unroll]] for (uint v = 0; v < 2; ++v) a_words[v] = a_data[at_0 + v];
    uint b_words = b_data[at_1];
    uvec4 out0_words[2];
    [[unroll]] for (uint e = 0; e < E; ++e) {
        int64_t x0 = int64_t(packUint2x32(vk_pair(a_words[e / 2], e % 2)));
        int x1 = bitfieldExtract(int(b_words), int(8 * (e % 4)), 8);
        int64_t x4 = x0 * x2;
        int x5 = bitfieldExtract(x1 + x3, 0, 8);
        int64_t x6 = vk_int_to_long(x5);
        int64_t x7 = x4 - x6;
        vk_set_pair(out0_words[e / 2], e % 2, unpackUint2x32(uint64_t(x7)));
    }
    [[unroll]] for (uint v = 0; v < 2; ++v) out0_data[at_out_0 + v] = out0_words[v];
}
