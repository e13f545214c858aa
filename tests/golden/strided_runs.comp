// t7 = c * d
// out0 = where(f, a + b, t7)
// out1 = e
// out2 = t7
//
// x0    a     int16    strided
// x1    b     int16    strided
// x2    c     int16    strided
// x3    d     int16    strided
// x4    e     float64  strided
// x5    f     bool     vector
// x8    out0  int16    linear
// x4    out1  float64  strided
// x7    out2  int16    strided
//
// key golden strided_runs

#version 460
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 1;  // axes in use, at least one; axis 0 is the innermost
const uint E = 8;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_2;
    uint start_3;
    uint start_4;
    uint start_5;
    uint start_out_0;
    uint start_out_1;
    uint start_out_2;
    uvec4 axis[32];
    uvec4 stride_0[32];
    uvec4 stride_1[32];
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uint a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) restrict readonly buffer Operand_c { uint c_data[]; };
layout(std430, binding = 4) restrict readonly buffer Operand_d { uint d_data[]; };
layout(std430, binding = 5) restrict readonly buffer Operand_e { uvec2 e_data[]; };
layout(std430, binding = 6) restrict readonly buffer Operand_f { uvec2 f_data[]; };
layout(std430, binding = 7) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };
layout(std430, binding = 8) restrict writeonly buffer Output_1 { uvec2 out1_data[]; };
layout(std430, binding = 9) restrict buffer Output_2 { uint out2_data[]; };

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

    uint rest = first;
    uvec4 offset_0 = uvec4(0);
    uvec4 offset_1 = uvec4(0);
    [[unroll]] for (uint k = 0; k < RANK - 1; ++k) {
        uint quotient = vk_quotient(rest, axis[k]);
        uint coordinate = rest - quotient * axis[k].x;
        offset_0 += coordinate * stride_0[k];
        offset_1 += coordinate * stride_1[k];
        rest = quotient;
    }
    offset_0 += rest * stride_0[RANK - 1];
    offset_1 += rest * stride_1[RANK - 1];

    uint at_5 = (start_5 + offset_1.y) / E;
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec2 f_words = f_data[at_5];
    uvec4 out0_words = uvec4(0);
    [[unroll]] for (uint e = 0; e < E; ++e) {
        uint a_at = start_0 + offset_0.x + e * stride_0[0].x;
        int x0 = bitfieldExtract(int(a_data[a_at / 2]), int(16 * (a_at % 2)), 16);
        uint b_at = start_1 + offset_0.y + e * stride_0[0].y;
        int x1 = bitfieldExtract(int(b_data[b_at / 2]), int(16 * (b_at % 2)), 16);
        uint c_at = start_2 + offset_0.z + e * stride_0[0].z;
        int x2 = bitfieldExtract(int(c_data[c_at / 2]), int(16 * (c_at % 2)), 16);
        uint d_at = start_3 + offset_0.w + e * stride_0[0].w;
        int x3 = bitfieldExtract(int(d_data[d_at / 2]), int(16 * (d_at % 2)), 16);
        double x4 = packDouble2x32(e_data[start_4 + offset_1.x + e * stride_1[0].x]);
        bool x5 = bitfieldExtract(f_words[e / 4], int(8 * (e % 4)), 8) != 0;
        int x6 = bitfieldExtract(x0 + x1, 0, 16);
        int x7 = bitfieldExtract(x2 * x3, 0, 16);
        int x8 = bitfieldExtract(x5 ? x6 : x7, 0, 16);
        out0_words[e / 2] |= (uint(x8) & 0xffffu) << 16 * (e % 2);
        out1_data[start_out_1 + offset_1.z + e * stride_1[0].z] = unpackDouble2x32(x4);
        uint out2_at = start_out_2 + offset_1.w + e * stride_1[0].w;
        atomicAnd(out2_data[out2_at / 2], ~(0xffffu << 16 * (out2_at % 2)));
        atomicOr(out2_data[out2_at / 2], (uint(x7) & 0xffffu) << 16 * (out2_at % 2));
    }
    out0_data[at_out_0] = out0_words;
}
