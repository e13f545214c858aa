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

// Square root correctly rounded, subnormals and specials included, on any device, by products and sums alone: the
// root of quick_root, then what it leaves of x without rounding (its square from halves of 12 bits), times half the
// reciprocal root. The first constants are chosen so that the last sum rounds right for every significand: a sweep of
// two binades proves it, for a factor of 4 changes no rounding. Below 2^-80 the radicand is lifted by 2^96.
// -0.0 stays, other negative values give nan. Same function as sqrt.glsl.
float vk_sqrt(float x) {
    uint bits = floatBitsToUint(x);
    float radicand = x;
    uint back = 0x3f800000u;
    if (bits - 0x17800000u >= 0x68000000u) {
        if ((bits & 0x7fffffffu) == 0u || bits >= 0x7f800000u) {
            uint special = (bits & 0x7fffffffu) == 0u || bits == 0x7f800000u ? bits : 0x7fc00000u;
            return uintBitsToFloat(special);
        }
        precise float subnormal = float(bits) * uintBitsToFloat(0x25000000u);
        precise float lifted = x * uintBitsToFloat(0x6f800000u);
        radicand = bits < 0x800000u ? subnormal : lifted;
        back = 0x27800000u;
    }
    float guess = uintBitsToFloat(0x5f0b5aa4u - (floatBitsToUint(radicand) >> 1));
    precise float inverse = guess * (1.890625 - radicand * guess * guess);
    precise float half_inverse = inverse * 0.5;
    precise float root = radicand * inverse;
    precise float miss = 0.5 - root * half_inverse;
    root = root + root * miss;
    half_inverse = half_inverse + half_inverse * miss;
    root = root + (radicand - root * root) * half_inverse;
    float high = uintBitsToFloat(floatBitsToUint(root) & 0xfffff000u);
    precise float low = root - high;
    precise float rest = ((radicand - high * high) - (high + high) * low) - low * low;
    precise float result = (root + rest * half_inverse) * uintBitsToFloat(back);
    return result;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = start_0 + thread;
    uint at_out_0 = start_out_0 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 out0_words;
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        precise float x1 = vk_sqrt(x0);
        out0_words[e] = floatBitsToUint(x1);
    }
    out0_data[at_out_0] = out0_words;
}
