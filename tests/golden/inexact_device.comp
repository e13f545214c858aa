// out0 = sqrt(a)
//
// x0    a     float32  linear
// x1    out0  float32  linear
//
// key golden inexact_device

#version 460
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_out_0;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// Splits the magnitude bits of a finite non-zero float32: returns the significand in [2^23, 2^24),
// and the exponent so that the value is significand * 2^(exponent - 150). Subnormals are normalised.
uint vk_significand(uint magnitude, out int exponent) {
    uint fraction = magnitude & 0x7fffffu;
    int biased = int(magnitude >> 23);
    int shift = 23 - findMSB(fraction);
    bool normal = biased != 0;
    exponent = normal ? biased : 1 - shift;
    return normal ? fraction | 0x800000u : fraction << uint(shift);
}

// Square root correctly rounded, subnormals and specials included, on any device: the device's root only
// estimates; a remainder in 32-bit integers corrects it. A result is right while the estimate errs by less than
// 3 ulp. -0.0 stays, other negative values give nan. Same function as sqrt.glsl.
float vk_sqrt(float x) {
    uint bits = floatBitsToUint(x);
    int exponent;
    uint radicand = vk_significand(bits & 0x7fffffffu, exponent);
    // The root of radicand * 2^shift has 25 bits, one more than the result; shift makes the exponent even.
    int shift = 25 + ((exponent - 25) & 1);
    precise float wide = float(radicand) * intBitsToFloat((shift + 127) << 23);
    precise float estimate = sqrt(wide);
    uint root = uint(estimate) - 16u;
    uint remainder = (radicand << uint(shift)) - root * root;
    precise float missing = float(remainder) / float(root + root);
    uint step = uint(missing);
    int rest = int(remainder - step * (root + root + step));
    root += step;
    root = rest < 0 ? root - 1u : root;
    rest = rest < 0 ? rest + int(root + root + 1u) : rest;
    root = rest > int(root + root) ? root + 1u : root;
    // The root of a 24-bit number is never half way between two floats.
    uint result = (uint((exponent - 150 - shift) / 2 + 150) << 23) + ((root + 1u) >> 1);
    result = bits == 0x7f800000u ? bits : result;
    result = bits > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat((bits & 0x7fffffffu) == 0u ? bits : result);
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    if (first >= count) return;

    uvec4 a_words = a_data[start_0 + thread];
    uvec4 out0_words;
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        precise float x1 = vk_sqrt(x0);
        out0_words[e] = floatBitsToUint(x1);
    }
    out0_data[start_out_0 + thread] = out0_words;
}
