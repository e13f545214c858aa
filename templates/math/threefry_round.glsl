// One round of Threefry: the words are mixed by an addition, a rotation and an exclusive or.
// max ulp: 0.
// cost: 6
void vk_threefry_round(inout uint x, inout uint y, uint rotation) {
    x = x + y;
    y = ((y << rotation) | (y >> (32u - rotation))) ^ x;
}
