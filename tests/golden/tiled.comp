// out0 = a + b
// out1 = c
//
// x0    a     float32  vector
// x1    b     float32  tiled
// x2    c     uint8    tiled
// x3    out0  float32  vector
// x2    out1  uint8    vector
//
// key golden tiled

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 1;  // axes in use, at least one; axis 0 is the innermost
layout(constant_id = 2) const uint TILE = 32;  // edge of a tile, along axis 0 and along axis 1
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_2;
    uint start_out_0;
    uint start_out_1;
    uvec4 axis[8];
    uvec4 stride_0[8];
    uvec4 stride_1[8];
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) restrict readonly buffer Operand_c { uint c_data[]; };
layout(std430, binding = 4) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };
layout(std430, binding = 5) restrict writeonly buffer Output_1 { uint out1_data[]; };

// Columns of a tile are a word longer than it: neighbours along both axes lie in different banks.
shared uint b_tile[TILE * (TILE + 1)];
shared uint c_tile[TILE * (TILE + 1)];

// number / axis.x for a number below 2^31; axis holds extent, multiplier and shift.
uint vk_quotient(uint number, uvec4 axis) {
    uint high;
    uint low;
    umulExtended(number << 1, axis.y, high, low);
    return high >> axis.z;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= count) return;
    uint columns = (axis[0].x + TILE - 1) / TILE;
    uint rows = (axis[1].x + TILE - 1) / TILE;
    uvec2 corner = uvec2(group % columns, group / columns % rows) * TILE;

    uint rest = group / (columns * rows);
    uvec4 base_0 = uvec4(0);
    uvec4 base_1 = uvec4(0);
    [[unroll]] for (uint k = 2; k < RANK - 1; ++k) {
        uint quotient = vk_quotient(rest, axis[k]);
        uint coordinate = rest - quotient * axis[k].x;
        base_0 += coordinate * stride_0[k];
        base_1 += coordinate * stride_1[k];
        rest = quotient;
    }
    base_0 += rest * stride_0[RANK - 1];
    base_1 += rest * stride_1[RANK - 1];

    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE; n += gl_WorkGroupSize.x) {
        uvec2 inside = uvec2(n / TILE, n % TILE);
        uvec2 at = corner + inside;
        if (at.x >= axis[0].x || at.y >= axis[1].x) continue;
        uint slot = inside.x * (TILE + 1) + inside.y;
        uvec4 offset_0 = base_0 + at.x * stride_0[0] + at.y * stride_0[1];
        uvec4 offset_1 = base_1 + at.x * stride_1[0] + at.y * stride_1[1];
        b_tile[slot] = b_data[start_1 + offset_0.y];
        uint c_at = start_2 + offset_0.z;
        c_tile[slot] = bitfieldExtract(c_data[c_at / 4], int(8 * (c_at % 4)), 8);
    }
    barrier();

    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE / E; n += gl_WorkGroupSize.x) {
        uvec2 inside = uvec2(n % (TILE / E) * E, n / (TILE / E));
        uvec2 at = corner + inside;
        if (at.x >= axis[0].x || at.y >= axis[1].x) continue;
        uint slot = inside.x * (TILE + 1) + inside.y;
        uvec4 offset_0 = base_0 + at.x * stride_0[0] + at.y * stride_0[1];
        uvec4 offset_1 = base_1 + at.x * stride_1[0] + at.y * stride_1[1];

        uvec4 a_words = a_data[(start_0 + offset_0.x) / E];
        uvec4 out0_words;
        uint out1_words = uint(0);
        [[unroll]] for (uint e = 0; e < E; ++e) {
            float x0 = uintBitsToFloat(a_words[e]);
            float x1 = uintBitsToFloat(b_tile[slot + e * (TILE + 1)]);
            uint x2 = bitfieldExtract(c_tile[slot + e * (TILE + 1)], 0, 8);
            precise float x3 = x0 + x1;
            out0_words[e] = floatBitsToUint(x3);
            out1_words |= x2 << 8 * (e % 4);
        }
        out0_data[(start_out_0 + offset_0.w) / E] = out0_words;
        out1_data[(start_out_1 + offset_1.x) / E] = out1_words;
    }
}
