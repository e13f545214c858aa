// t4 = (a < b) & c
// out0 = t4
// out1 = ~t4
//
// x0    a     float32  linear
// x1    b     float32  linear
// x2    c     bool     linear
// x4    out0  bool     linear
// x5    out1  bool     linear
//
// key golden bool

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
    uint start_1;
    uint start_2;
    uint start_out_0;
    uint start_out_1;
};
layout(std430, binding = 1) restrict readonly buffer Operand_a { uvec4 a_data[]; };
layout(std430, binding = 2) restrict readonly buffer Operand_b { uvec4 b_data[]; };
layout(std430, binding = 3) restrict readonly buffer Operand_c { uint c_data[]; };
layout(std430, binding = 4) restrict writeonly buffer Output_0 { uint out0_data[]; };
layout(std430, binding = 5) restrict writeonly buffer Output_1 { uint out1_data[]; };

// Whether x is nan, on the bit pattern: drivers fold isnan() and x != x away.
bool vk_isnan(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

// A signed integer that orders as the float does: both zeros give 0, subnormals their own places.
// A nan lies outside the infinities, on the side of its sign; callers test for it.
int vk_order(float x) {
    int bits = floatBitsToInt(x);
    int magnitude = bits & 0x7fffffff;
    return bits < 0 ? -magnitude : magnitude;
}

// x < y, false with a nan, -0.0 equal to 0.0; exact where a driver flushes subnormals in comparisons.
bool vk_less(float x, float y) {
    bool ordered = !(vk_isnan(x) || vk_isnan(y));
    return ordered && vk_order(x) < vk_order(y);
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint first = thread * E;
    uint at_0 = start_0 + thread;
    uint at_1 = start_1 + thread;
    uint at_2 = start_2 + thread;
    uint at_out_0 = start_out_0 + thread;
    uint at_out_1 = start_out_1 + thread;
    if (first >= count) return;

    uvec4 a_words = a_data[at_0];
    uvec4 b_words = b_data[at_1];
    uint c_words = c_data[at_2];
    uint out0_words = uint(0);
    uint out1_words = uint(0);
    [[unroll]] for (uint e = 0; e < E; ++e) {
        float x0 = uintBitsToFloat(a_words[e]);
        float x1 = uintBitsToFloat(b_words[e]);
        bool x2 = bitfieldExtract(c_words, int(8 * (e % 4)), 8) != 0;
        bool x3 = vk_less(x0, x1);
        bool x4 = x3 && x2;
        bool x5 = !x4;
        out0_words |= uint(x4) << 8 * (e % 4);
        out1_words |= uint(x5) << 8 * (e % 4);
    }
    out0_data[at_out_0] = out0_words;
    out1_data[at_out_1] = out1_words;
}
