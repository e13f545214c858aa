// The next float16 from x towards y, both float16 values held as float32: one more or less on the ordered bit
// pattern; nan with a nan, y where both are equal.
// max ulp: 0.
// requires: isnan half_bits half_value
// cost: 61
float vk_nextafter_half(float x, float y) {
    uint x_bits = vk_half_bits(x);
    uint y_bits = vk_half_bits(y);
    int x_magnitude = int(x_bits & 0x7fffu);
    int y_magnitude = int(y_bits & 0x7fffu);
    int from = x_bits >= 0x8000u ? -x_magnitude : x_magnitude;
    int to = y_bits >= 0x8000u ? -y_magnitude : y_magnitude;
    int step = from < to ? 1 : -1;
    int next = from + step;
    uint bits = next < 0 ? uint(-next) | 0x8000u : uint(next);
    bits = next == 0 && step > 0 ? 0x8000u : bits;
    bits = from == to ? y_bits : bits;
    bits = vk_isnan(x) || vk_isnan(y) ? 0x7e00u : bits;
    return vk_half_value(bits);
}
