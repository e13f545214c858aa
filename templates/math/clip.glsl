// x, at least `low`, then at most `high` (which wins where low > high); nan if any of the three is nan.
// max ulp: 0.
// requires: maximum minimum
// cost: 24
float vk_clip(float x, float low, float high) {
    return vk_minimum(vk_maximum(x, low), high);
}
