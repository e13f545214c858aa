// out0 = a * c - s0
// out1 = b
// out2 = i0
//
// x0    a     float32  linear
// x1    b     uint8    linear
// x2    c     float32  constant
// x3    s0    float32  scalar
// x4    i0    uint64   element number
// x6    out0  float32  linear
// x1    out1  uint8    linear
// x4    out2  uint64   linear
//
// key golden segmented

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint rows;
    uint groups_x;
};
layout(std430, binding = 1) readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) readonly buffer Operand_c { uint c_data[]; };
layout(std430, binding = 4) writeonly buffer Output_0 { uvec4 out0_data[]; };
layout(std430, binding = 5) writeonly buffer Output_1 { uint out1_data[]; };
layout(std430, binding = 6) writeonly buffer Output_2 { uvec4 out2_data[]; };
layout(std430, binding = 7) restrict readonly buffer Segments { uint segments[]; };
const uint ROW = 11;  // words of a table row

shared uint member;  // where the row of this workgroup's member starts

// Puts the words of a 64-bit element at the first or the second place of a vector.
void vk_set_pair(inout uvec4 words, uint element, uvec2 pair) {
    words = element == 0 ? uvec4(pair, words.zw) : uvec4(words.xy, pair);
}

void main() {
    uint group = gl_WorkGroupID.y * groups_x + gl_WorkGroupID.x;
    if (gl_LocalInvocationID.x == 0) {
        uint low = 0;
        uint high = rows;
        while (high - low > 1) {
            uint middle = (low + high) / 2;
            if (segments[middle * ROW] <= group) low = middle;
            else high = middle;
        }
        member = low * ROW;
    }
    barrier();
    uint start_0 = segments[member + 1];
    uint start_1 = segments[member + 2];
    uint start_2 = segments[member + 3];
    uint start_out_0 = segments[member + 4];
    uint start_out_1 = segments[member + 5];
    uint start_out_2 = segments[member + 6];
    uint count = segments[member + 7];
    uint start_4 = segments[member + 8];
    uint start_4_high = segments[member + 9];
    uint scalar_3 = segments[member + 10];
    uint thread = (group - segments[member]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    if (first >= count) return;

    uvec4 a_words = a_data[start_0 + thread];
    uint b_words = b_data[start_1 * 4 + thread];
    float x2 = uintBitsToFloat(c_data[start_2 * 4]);
    float x3 = uintBitsToFloat(scalar_3);
    uvec4 out0_words;
    uint out1_words = uint(0);
    uvec4 out2_words[2];
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        uint x1 = bitfieldExtract(b_words, int(8 * (e % 4)), 8);
        uint64_t x4 = packUint2x32(uvec2(start_4, start_4_high)) + first + e;
        precise float x5 = x0 * x2;
        precise float x6 = x5 - x3;
        out0_words[e] = floatBitsToUint(x6);
        out1_words |= x1 << 8 * (e % 4);
        vk_set_pair(out2_words[e / 2], e % 2, unpackUint2x32(x4));
    }
    out0_data[start_out_0 + thread] = out0_words;
    out1_data[start_out_1 * 4 + thread] = out1_words;
    [[unroll]] for (uint v = 0; v < 2; ++v) out2_data[start_out_2 + thread * 2 + v] = out2_words[v];
}
