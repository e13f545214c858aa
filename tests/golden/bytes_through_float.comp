// out0 = (a.astype(float32) * s0).astype(uint8) + b
//
// x0    a     uint8    linear
// x1    b     uint8    linear
// x2    s0    float32  scalar
// x6    out0  uint8    linear
//
// key golden bytes_through_float

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
const uint E = 16;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_1;
    uint start_out_0;
    uint scalar_2;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec4 b_data[]; };
layout(std430, binding = 3) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// The bits themselves, by a zero that no compiler knows: every dispatch is one group deep. Of a value
// that it does know to be 0.0, llvmpipe makes 0 * inf = 0, 0 / 0 = 0 and 0 + -0 = -0.
uint vk_opaque(uint bits) {
    return bits | gl_WorkGroupID.z;
}

// uint32 to float32, nearest even: two halves that convert exactly, joined by one addition that rounds.
float vk_uint_to_float(uint x) {
    uint unknown = vk_opaque(x);
    precise float high = float(unknown >> 16) * 65536.0;
    precise float result = high + float(unknown & 0xffffu);
    return result;
}

// float32 to uint32, cut towards zero by shifting the significand; negative values and nan give 0, beyond the
// range 2^32 - 1.
uint vk_float_to_uint(float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u) - 150;
    uint significand = (bits & 0x7fffffu) | 0x800000u;
    uint left = significand << uint(clamp(exponent, 0, 8));
    uint right = significand >> uint(clamp(-exponent, 0, 31));
    uint whole = exponent < 0 ? right : left;
    whole = bits >= 0x4f800000u ? 0xffffffffu : whole;
    return bits > 0x7f800000u ? 0u : whole;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = start_0 + thread;
    uint at_1 = start_1 + thread;
    float x2 = uintBitsToFloat(scalar_2);
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 b_words = b_data[at_1];
    uvec4 out0_words = uvec4(0);
    [[unroll]] for (uint e = 0; e < E; ++e) {
        uint x0 = bitfieldExtract(a_words[e / 4], int(8 * (e % 4)), 8);
        uint x1 = bitfieldExtract(b_words[e / 4], int(8 * (e % 4)), 8);
        precise float x3 = vk_uint_to_float(x0);
        precise float x4 = x3 * x2;
        uint x5 = bitfieldExtract(min(vk_float_to_uint(x4), 255u), 0, 8);
        uint x6 = bitfieldExtract(x5 + x1, 0, 8);
        out0_words[e / 4] |= x6 << 8 * (e % 4);
    }
    out0_data[at_out_0] = out0_words;
}
