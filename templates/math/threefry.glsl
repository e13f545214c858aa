// The first word of Threefry-2x32 with 20 rounds: 32 random bits of a key and a counter of two words each.
// Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3; SC 2011.
// max ulp: 0.
// requires: threefry_round
// cost: 139
uint vk_threefry(uint key_0, uint key_1, uint counter_0, uint counter_1) {
    uint key_2 = key_0 ^ key_1 ^ 0x1bd11bdau;
    uint x = counter_0 + key_0;
    uint y = counter_1 + key_1;
    vk_threefry_round(x, y, 13u);
    vk_threefry_round(x, y, 15u);
    vk_threefry_round(x, y, 26u);
    vk_threefry_round(x, y, 6u);
    x += key_1;
    y += key_2 + 1u;
    vk_threefry_round(x, y, 17u);
    vk_threefry_round(x, y, 29u);
    vk_threefry_round(x, y, 16u);
    vk_threefry_round(x, y, 24u);
    x += key_2;
    y += key_0 + 2u;
    vk_threefry_round(x, y, 13u);
    vk_threefry_round(x, y, 15u);
    vk_threefry_round(x, y, 26u);
    vk_threefry_round(x, y, 6u);
    x += key_0;
    y += key_1 + 3u;
    vk_threefry_round(x, y, 17u);
    vk_threefry_round(x, y, 29u);
    vk_threefry_round(x, y, 16u);
    vk_threefry_round(x, y, 24u);
    x += key_1;
    y += key_2 + 4u;
    vk_threefry_round(x, y, 13u);
    vk_threefry_round(x, y, 15u);
    vk_threefry_round(x, y, 26u);
    vk_threefry_round(x, y, 6u);
    x += key_2;
    y += key_0 + 5u;
    return x;
}
