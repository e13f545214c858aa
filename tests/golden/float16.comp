// out0 = a * b + s0
//
// x0    a     float16  linear
// x1    b     float16  linear
// x2    s0    float16  scalar
// x4    out0  float16  linear
//
// key golden float16

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
const uint E = 8;  // elements a thread

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

// The float32 value of the float16 in the low 16 bits, subnormals, infinities and nan included.
float vk_half_value(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint magnitude = bits & 0x7fffu;
    uint wide = (magnitude << 13) + 0x38000000u;
    wide = magnitude >= 0x7c00u ? wide + 0x38000000u : wide;
    precise float small = float(magnitude) * 5.96046448e-8;
    return uintBitsToFloat(sign | (magnitude < 0x400u ? floatBitsToUint(small) : wide));
}

// x rounded to the nearest float16 (ties to even), kept as a float32: overflow from 65520 to infinity, float16
// subnormals, a nan keeps what fits of its bits; integers alone, so no conversion mode of a device takes part.
float vk_round_half(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & 0x80000000u;
    uint magnitude = bits & 0x7fffffffu;
    uint normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & 0xffffe000u;
    normal = normal >= 0x47800000u ? 0x7f800000u : normal;
    // Below 2^-14 the grid is 2^-24: 126 - exponent bits of the significand go.
    uint drop = uint(clamp(126 - int(magnitude >> 23), 13, 26));
    uint significand = (magnitude & 0x7fffffu) | 0x800000u;
    uint half_less_one = (1u << (drop - 1u)) - 1u;
    uint count = (significand + half_less_one + ((significand >> drop) & 1u)) >> drop;
    precise float small = float(count) * 5.96046448e-8;
    uint rounded = magnitude < 0x38800000u ? floatBitsToUint(small) : normal;
    uint nan = magnitude & 0xffffe000u;
    nan = nan == 0x7f800000u ? 0x7fc00000u : nan;
    return uintBitsToFloat(sign | (magnitude > 0x7f800000u ? nan : rounded));
}

// The 16 bits of a float32 whose value is a float16's (as round_half leaves it), in the low half of a uint.
uint vk_half_bits(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = (bits >> 16) & 0x8000u;
    uint normal = (magnitude >> 13) - 0x1c000u;
    normal = magnitude >= 0x7f800000u ? 0x7c00u | ((magnitude >> 13) & 0x3ffu) : normal;
    precise float scaled = uintBitsToFloat(magnitude) * 16777216.0;
    uint small = magnitude < 0x38800000u ? uint(scaled) : normal;
    return sign | small;
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
        float x0 = vk_half_value(bitfieldExtract(a_words[e / 2], int(16 * (e % 2)), 16));
        float x1 = vk_half_value(bitfieldExtract(b_words[e / 2], int(16 * (e % 2)), 16));
        precise float x3 = vk_round_half(x0 * x1);
        precise float x4 = vk_round_half(x3 + x2);
        out0_words[e / 2] |= vk_half_bits(x4) << 16 * (e % 2);
    }
    out0_data[at_out_0] = out0_words;
}
