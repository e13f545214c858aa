// out0 = exp(a)
//
// x0    a     float32  linear
// x1    out0  float32  linear
//
// key golden loop

#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require

spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

layout(local_size_x_id = 0) in;
const uint E = 4;  // elements a thread

layout(std140, binding = 0) uniform Parameters {
    uint count;
    uint start_0;
    uint start_out_0;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict writeonly buffer Output_0 { uvec4 out0_data[]; };

// exp(x) = (1 + t) * 2^k: returns t in [-0.30, 0.42] and k, for |x| < 2^21; larger ones give nonsense, not faults.
// k = round(x / ln 2) by the 1.5 * 2^23 trick, ln 2 in two pieces (the first exact times k), degree 6.
// Source: Cody-Waite reduction, minimax polynomial (Sollya fpminimax).
float vk_exp_tail(float x, out int k) {
    precise float shifted = x * 1.44269502 + 12582912.0;
    k = floatBitsToInt(shifted) - 0x4b400000;
    precise float whole = shifted - 12582912.0;
    precise float high = x - whole * 0.693359375;
    precise float r = high + whole * 2.12194442e-4;
    precise float p = 1.39353413e-3;
    p = p * r + 8.36327858e-3;
    p = p * r + 4.16664630e-2;
    p = p * r + 0.166665763;
    p = p * r + 0.5;
    precise float square = r * r;
    precise float tail = r + square * p;
    return tail;
}

// m * 2^k, rounded once, for a magnitude of m within [2^-20, 2^20] and any k: two exact powers of two, of which the
// first product is exact. For devices whose float32 multiplication rounds to subnormals and keeps them.
float vk_scale_unit(float m, int k) {
    int bounded = clamp(k, -252, 254);
    int half_k = bounded >> 1;
    precise float part = m * intBitsToFloat((half_k + 127) << 23);
    precise float result = part * intBitsToFloat((bounded - half_k + 127) << 23);
    return result;
}

// e^x: reduced to (1 + t) * 2^k. Beyond 87, where a result may be subnormal or infinite, it is scaled so that it is
// rounded once on every device.
float vk_exp(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int k;
    precise float m = vk_exp_tail(x, k) + 1.0;
    if (magnitude > 0x42ae0000u) {
        uint far = floatBitsToUint(vk_scale_unit(m, k));
        // Beyond 104 the result is infinite, below -104 zero.
        uint limit = bits < 0x80000000u ? 0x7f800000u : 0u;
        far = magnitude > 0x42d00000u ? limit : far;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : far);
    }
    precise float result = m * intBitsToFloat((k + 127) << 23);
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
    [[dont_unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        precise float x1 = vk_exp(x0);
        out0_words[e] = floatBitsToUint(x1);
    }
    out0_data[at_out_0] = out0_words;
}
