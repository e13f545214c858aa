// cosh(r) - 1 (returned) and sinh(r) for x = k * ln 2 + r, |r| <= ln(2) / 2: what sinh(x) and cosh(x) are made of,
// for 0 <= x < 2^21.
// Source: Cody-Waite reduction, minimax polynomials (Sollya fpminimax).
// max ulp: 0.7.
// cost: 24
float vk_exp_halves(float x, out float odd, out int k) {
    precise float shifted = x * 1.44269502 + 12582912.0;
    k = floatBitsToInt(shifted) - 0x4b400000;
    precise float whole = shifted - 12582912.0;
    precise float high = x - whole * 0.693359375;
    precise float small = whole * 2.12194442e-4;
    precise float r = high + small;
    precise float low = small - (r - high);
    precise float square = r * r;
    precise float p = square * 1.99583694e-4 + 8.33319221e-3;
    p = p * square + 0.166666672;
    precise float sinh_r = r + (r * square * p + low);
    odd = sinh_r;
    precise float q = square * 1.39361632e-3 + 4.16666452e-2;
    q = q * square + 0.5;
    precise float result = square * q;
    return result;
}
