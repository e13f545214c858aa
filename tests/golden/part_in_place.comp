// out0 = a * s0
// out1 = b + s1
//
// x0    a     float32  strided
// x1    b     uint8    strided
// x2    s0    float32  scalar
// x3    s1    uint8    scalar
// x4    out0  float32  strided
// x5    out1  uint8    strided
//
// key golden part_in_place

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 1;  // axes in use, at least one; axis 0 is the innermost
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_out_0;
    uint start_out_1;
    uint scalar_2;
    uint scalar_3;
    uvec4 axis[8];
    uvec4 stride_0[8];
};
layout(std430, binding = 1) readonly buffer Operand_a { uint a_data[]; };
layout(std430, binding = 2) readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) writeonly buffer Output_0 { uint out0_data[]; };
layout(std430, binding = 4) buffer Output_1 { uint out1_data[]; };

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
    float x2 = uintBitsToFloat(scalar_2);
    uint x3 = scalar_3;
    if (first >= count) return;

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
        float x0 = uintBitsToFloat(a_data[start_0 + offset_0.x]);
        uint b_at = start_1 + offset_0.y;
        uint x1 = bitfieldExtract(b_data[b_at / 4], int(8 * (b_at % 4)), 8);
        precise float x4 = x0 * x2;
        uint x5 = bitfieldExtract(x1 + x3, 0, 8);
        if (first + e < count) out0_data[start_out_0 + offset_0.z] = floatBitsToUint(x4);
        uint out1_at = start_out_1 + offset_0.w;
        if (first + e < count) {
            atomicAnd(out1_data[out1_at / 4], ~(0xffu << 8 * (out1_at % 4)));
            atomicOr(out1_data[out1_at / 4], x5 << 8 * (out1_at % 4));
        }
    }
}
