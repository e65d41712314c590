/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

void weir_random_seed(struct weir_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t weir_random_next(struct weir_random *random)
{
    uint64_t *s = random->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

int64_t weir_random_between(struct weir_random *random, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    if (span == 0)
        return (int64_t)weir_random_next(random);
    uint64_t x = weir_random_next(random);
    while (x > UINT64_MAX - span && x >= UINT64_MAX - UINT64_MAX % span) /* nearly never: the first is a division less */
        x = weir_random_next(random);
    return (int64_t)((uint64_t)low + x % span);
}
