// The frame of every hand-written map kernel. One file of this folder, put in place of FORMULA below, says what
// is computed; the runner defines how:
//   WIDTH      floats of one load: 4, or 1
//   PER        vectors a thread computes
//   APART      1: the vectors of a thread lie a workgroup apart; 0: they lie side by side
//   OFFSET     elements that every input starts past an aligned place: 0 or 1
//   SHIFT      with OFFSET: 1 makes a vector from two wide loads, 0 from four narrow ones
//   BROADCAST  1: the last input is one row of COLUMNS elements
//   EXACT      1: the functions of vkml's library instead of the driver's own
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COLUMNS = 1;
layout(push_constant) uniform Numbers { uint count; };

#if WIDTH == 4
#define T vec4
#define EACH(f, v) vec4(f((v).x), f((v).y), f((v).z), f((v).w))
#else
#define T float
#define EACH(f, v) f(v)
#endif

#if WIDTH == 4 && (OFFSET == 0 || SHIFT == 1)
#define WORD vec4
#else
#define WORD float
#endif

#if WIDTH == 1
#define LOAD(s, i) s[(i) + OFFSET]
#elif OFFSET == 0
#define LOAD(s, i) s[i]
#elif SHIFT == 1
#define LOAD(s, i) vec4(s[i].yzw, s[(i) + 1].x)
#else
#define LOAD(s, i) vec4(s[4 * (i) + 1], s[4 * (i) + 2], s[4 * (i) + 3], s[4 * (i) + 4])
#endif

#if EXACT
#define EXACTLY precise
#else
#define EXACTLY
#endif

//FORMULA

layout(std430, binding = 0) restrict readonly buffer Input_0 { WORD in_0[]; };
#if INPUTS > 1
layout(std430, binding = 1) restrict readonly buffer Input_1 { WORD in_1[]; };
#endif
#if INPUTS > 2
layout(std430, binding = 2) restrict readonly buffer Input_2 { WORD in_2[]; };
#endif
layout(std430, binding = INPUTS) restrict writeonly buffer Output_0 { T out_0[]; };
#if OUTPUTS > 1
layout(std430, binding = INPUTS + 1) restrict writeonly buffer Output_1 { T out_1[]; };
#endif

#if BROADCAST
#define LAST(i) ((i) % (COLUMNS / WIDTH))
#else
#define LAST(i) (i)
#endif

void element(uint i) {
    if (i >= count) return;
    T r, s;
#if INPUTS == 1
    formula(LOAD(in_0, i), r, s);
#elif INPUTS == 2
    formula(LOAD(in_0, i), LOAD(in_1, LAST(i)), r, s);
#else
    formula(LOAD(in_0, i), LOAD(in_1, i), LOAD(in_2, LAST(i)), r, s);
#endif
    out_0[i] = r;
#if OUTPUTS > 1
    out_1[i] = s;
#endif
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
#if APART
    uint first = group * gl_WorkGroupSize.x * PER + gl_LocalInvocationID.x;
    uint step = gl_WorkGroupSize.x;
#else
    uint first = (group * gl_WorkGroupSize.x + gl_LocalInvocationID.x) * PER;
    uint step = 1;
#endif
#if PER == 1
    element(first);
#else
    [[unroll]] for (uint n = 0; n < PER; ++n) element(first + n * step);
#endif
}
