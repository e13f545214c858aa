// out = x + transposed y, both SIDE x SIDE. The runner defines:
//   KIND    0: a thread makes 4 outputs from 4 narrow loads; 1: a thread makes a block of 4 x 4 in registers;
//           2: a workgroup makes a tile of TILE x TILE through shared memory, one element a load;
//           3: the same with wide loads and stores
//   OFFSET  elements that both inputs start past an aligned place: 0 or 1
//   SHIFT   with OFFSET: 1 makes a vector from two wide loads, 0 from four narrow ones
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SIDE = 1;
layout(push_constant) uniform Numbers { uint count; };

#if OFFSET == 0 || SHIFT == 1
layout(std430, binding = 0) restrict readonly buffer Input_0 { vec4 in_0[]; };
layout(std430, binding = 1) restrict readonly buffer Input_1 { vec4 in_1[]; };
#if OFFSET == 0
#define WIDE(s, i) s[i]
#else
#define WIDE(s, i) vec4(s[i].yzw, s[(i) + 1].x)
#endif
#define ONE(s, i) s[((i) + OFFSET) / 4][((i) + OFFSET) % 4]
#else
layout(std430, binding = 0) restrict readonly buffer Input_0 { float in_0[]; };
layout(std430, binding = 1) restrict readonly buffer Input_1 { float in_1[]; };
#define WIDE(s, i) vec4(s[4 * (i) + 1], s[4 * (i) + 2], s[4 * (i) + 3], s[4 * (i) + 4])
#define ONE(s, i) s[(i) + OFFSET]
#endif

#if KIND == 2
layout(std430, binding = 2) restrict writeonly buffer Output_0 { float out_0[]; };
#else
layout(std430, binding = 2) restrict writeonly buffer Output_0 { vec4 out_0[]; };
#endif

#if KIND >= 2
shared float tile[TILE * (TILE + 1)];
#endif

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint thread = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
#if KIND == 0
    if (thread >= count) return;
    uint row = thread / (SIDE / 4), column = thread % (SIDE / 4) * 4;
    vec4 turned = vec4(ONE(in_1, column * SIDE + row), ONE(in_1, (column + 1) * SIDE + row),
                       ONE(in_1, (column + 2) * SIDE + row), ONE(in_1, (column + 3) * SIDE + row));
    out_0[thread] = WIDE(in_0, thread) + turned;
#elif KIND == 1
    if (thread >= count / 4) return;
    uint row = thread / (SIDE / 4), column = thread % (SIDE / 4);
    vec4 a = WIDE(in_1, (4 * column + 0) * (SIDE / 4) + row), b = WIDE(in_1, (4 * column + 1) * (SIDE / 4) + row);
    vec4 c = WIDE(in_1, (4 * column + 2) * (SIDE / 4) + row), d = WIDE(in_1, (4 * column + 3) * (SIDE / 4) + row);
    uint first = 4 * row * (SIDE / 4) + column;
    out_0[first] = WIDE(in_0, first) + vec4(a.x, b.x, c.x, d.x);
    first += SIDE / 4;
    out_0[first] = WIDE(in_0, first) + vec4(a.y, b.y, c.y, d.y);
    first += SIDE / 4;
    out_0[first] = WIDE(in_0, first) + vec4(a.z, b.z, c.z, d.z);
    first += SIDE / 4;
    out_0[first] = WIDE(in_0, first) + vec4(a.w, b.w, c.w, d.w);
#else
    uint row = group / (SIDE / TILE) * TILE, column = group % (SIDE / TILE) * TILE;
#if KIND == 2
    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE; n += gl_WorkGroupSize.x)
        tile[n % TILE * (TILE + 1) + n / TILE] = ONE(in_1, (column + n / TILE) * SIDE + row + n % TILE);
    barrier();
    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE; n += gl_WorkGroupSize.x) {
        uint at = (row + n / TILE) * SIDE + column + n % TILE;
        out_0[at] = ONE(in_0, at) + tile[n / TILE * (TILE + 1) + n % TILE];
    }
#else
    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE / 4; n += gl_WorkGroupSize.x) {
        uint line = n / (TILE / 4), place = n % (TILE / 4) * 4;
        vec4 v = WIDE(in_1, ((column + line) * SIDE + row + place) / 4);
        [[unroll]] for (uint k = 0; k < 4; ++k) tile[(place + k) * (TILE + 1) + line] = v[k];
    }
    barrier();
    for (uint n = gl_LocalInvocationID.x; n < TILE * TILE / 4; n += gl_WorkGroupSize.x) {
        uint line = n / (TILE / 4), place = n % (TILE / 4) * 4;
        uint at = line * (TILE + 1) + place;
        vec4 turned = vec4(tile[at], tile[at + 1], tile[at + 2], tile[at + 3]);
        uint index = ((row + line) * SIDE + column + place) / 4;
        out_0[index] = WIDE(in_0, index) + turned;
    }
#endif
#endif
}
