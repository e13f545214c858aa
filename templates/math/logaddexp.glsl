// log(e^x + e^y) = max + log(1 + e^-|x - y|). Near a result of 0 the two terms cancel: the error is within 2 ulp of
// the larger of the result, the larger operand and log 2 in magnitude (as NumPy's).
// max ulp: 2 of the largest of the three.
// requires: exp log_one_plus order
// cost: 73
float vk_logaddexp(float x, float y) {
    bool less = vk_order(x) < vk_order(y);
    float larger = less ? y : x;
    float smaller = less ? x : y;
    precise float difference = smaller - larger;
    bool same = floatBitsToUint(x) == floatBitsToUint(y);
    float distance = uintBitsToFloat(same ? 0u : floatBitsToUint(difference));
    float rest = vk_log_one_plus(vk_exp(distance));
    precise float sum = larger + rest;
    bool nan = (floatBitsToUint(sum) & 0x7fffffffu) > 0x7f800000u;
    return uintBitsToFloat(nan ? 0x7fc00000u : floatBitsToUint(sum));
}
