// out0 = i0 * s0 + i2
// out1 = i1 + i3
//
// x0    s0    uint32   scalar
// x1    i0    uint32   element number
// x2    i1    uint64   element number
// x3    i2    uint32   element number
// x4    i3    uint64   element number
// x6    out0  uint32   linear
// x7    out1  uint64   linear
//
// key golden element_numbers

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 1;  // axes in use, at least one; axis 0 is the innermost
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_1;
    uint start_2;
    uint start_2_high;
    uint start_3;
    uint start_4;
    uint start_4_high;
    uint start_out_0;
    uint start_out_1;
    uint scalar_0;
    uvec4 axis[8];
    uvec4 stride_0[8];
};
layout(std430, binding = 1) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };
layout(std430, binding = 2) restrict writeonly buffer Output_1 { uvec4 out1_data[]; };

// Puts the words of a 64-bit element at the first or the second place of a vector.
void vk_set_pair(inout uvec4 words, uint element, uvec2 pair) {
    words = element == 0 ? uvec4(pair, words.zw) : uvec4(words.xy, pair);
}

// number / axis.x for a number below 2^31; axis holds extent, multiplier and shift.
uint vk_quotient(uint number, uvec4 axis) {
    uint high;
    uint low;
    umulExtended(number << 1, axis.y, high, low);
    return high >> axis.z;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint x0 = scalar_0;
    uint at_out_0 = start_out_0 + thread;
    uint at_out_1 = (start_out_1 + thread) * 2;
    if (first >= count) return;

    uvec4 out0_words;
    uvec4 out1_words[2];
    [[unroll]] for (uint e = 0; e < E; ++e) {
        uint rest = min(first + e, count - 1);
        uvec4 offset_0 = uvec4(0);
        [[unroll]] for (uint k = 0; k < RANK - 1; ++k) {
            uint quotient = vk_quotient(rest, axis[k]);
            uint coordinate = rest - quotient * axis[k].x;
            offset_0 += coordinate * stride_0[k];
            rest = quotient;
        }
        offset_0 += rest * stride_0[RANK - 1];
        uint x1 = start_1 + first + e;
        uint64_t x2 = packUint2x32(uvec2(start_2, start_2_high)) + first + e;
        uint x3 = start_3 + offset_0.x;
        uint64_t x4 = packUint2x32(uvec2(start_4, start_4_high)) + uint64_t(int64_t(int(offset_0.y)));
        uint x5 = x1 * x0;
        uint x6 = x5 + x3;
        uint64_t x7 = x2 + x4;
        out0_words[e] = x6;
        vk_set_pair(out1_words[e / 2], e % 2, unpackUint2x32(x7));
    }
    out0_data[at_out_0] = out0_words;
    [[unroll]] for (uint v = 0; v < 2; ++v) out1_data[at_out_1 + v] = out1_words[v];
}
