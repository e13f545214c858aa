// out0 = (a + b) * c
//
// x0    a     float32  strided
// x1    b     float32  strided
// x2    c     float32  linear
// x4    out0  float32  linear
//
// key golden strided

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
    uint start_2;
    uint start_out_0;
    uvec4 axis[8];
    uvec4 stride_0[8];
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uint a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uint b_data[]; };
layout(std430, binding = 3) restrict readonly buffer Operand_c { uvec4 c_data[]; };
layout(std430, binding = 4) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

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
    uint at_2 = start_2 + thread;
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec4 c_words = c_data[at_2];
    uvec4 out0_words;
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
        float x1 = uintBitsToFloat(b_data[start_1 + offset_0.y]);
        float x2 = uintBitsToFloat(c_words[e]);
        precise float x3 = x0 + x1;
        precise float x4 = x3 * x2;
        out0_words[e] = floatBitsToUint(x4);
    }
    out0_data[at_out_0] = out0_words;
}
