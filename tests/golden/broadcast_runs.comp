// out0 = (a - b) * c + d
//
// x0    a     float32  linear
// x1    b     float32  vector
// x2    c     float32  splat
// x3    d     float32  constant
// x6    out0  float32  linear
//
// key golden broadcast_runs

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
    uint start_3;
    uint start_out_0;
    uvec4 axis[8];
    uvec4 stride_0[8];
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec4 b_data[]; };
layout(std430, binding = 3) restrict readonly buffer Operand_c { uint c_data[]; };
layout(std430, binding = 4) restrict readonly buffer Operand_d { uint d_data[]; };
layout(std430, binding = 5) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

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
    [[unroll]] for (uint k = 0; k < RANK - 1; ++k) {
        uint quotient = vk_quotient(rest, axis[k]);
        uint coordinate = rest - quotient * axis[k].x;
        offset_0 += coordinate * stride_0[k];
        rest = quotient;
    }
    offset_0 += rest * stride_0[RANK - 1];

    uint at_0 = start_0 + thread;
    uint at_1 = (start_1 + offset_0.x) / E;
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 b_words = b_data[at_1];
    float x2 = uintBitsToFloat(c_data[start_2 + offset_0.y]);
    float x3 = uintBitsToFloat(d_data[start_3]);
    uvec4 out0_words;
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        float x1 = uintBitsToFloat(b_words[e]);
        precise float x4 = x0 - x1;
        precise float x5 = x4 * x2;
        precise float x6 = x5 + x3;
        out0_words[e] = floatBitsToUint(x6);
    }
    out0_data[at_out_0] = out0_words;
}
