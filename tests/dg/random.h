// Random numbers of the tests: the same on every machine.
#pragma once

#include <stdint.h>

// Uniform in (-1, 1); advances `seed` (splitmix64).
static double random_value(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 4503599627370496.0 - 1.0;
}
