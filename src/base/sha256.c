#include "sha256.h"

#include <string.h>
#include <sys/types.h>

#include <sha2.h>

// glibc from 2.34 on tells what the CPU has. To ask the CPU itself takes long in virtual machines,
// whose host answers.
#if defined __x86_64__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
#include <immintrin.h>
#include <sys/platform/x86.h>
#define HAS_INSTRUCTIONS (CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1))
#endif
#endif

void sedge_sha256_plain(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) SHA256Transform(state, blocks + i * SEDGE_SHA256_BLOCK);
}

#ifdef HAS_INSTRUCTIONS

enum { QUARTERS = 4, STEPS = 16 }; // sixteen steps of four rounds, with four words each
#define QUARTER_BYTES ((size_t)16)

// FIPS 180-4, 4.2.2.
static const uint32_t constants[STEPS][4] = {
    {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5},
    {0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5},
    {0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3},
    {0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174},
    {0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc},
    {0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da},
    {0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7},
    {0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967},
    {0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13},
    {0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85},
    {0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3},
    {0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070},
    {0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5},
    {0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3},
    {0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208},
    {0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2},
};

// The instructions do two rounds each. They have the state's words a to h as (a, b, e, f) and
// (c, d, g, h), the first one highest, and compute four words of the message's schedule from the
// sixteen before.
__attribute__((target("sha,sse4.1"))) static void
take_by_instructions(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    uint32_t words[8];

    for (; count > 0; count--, blocks += SEDGE_SHA256_BLOCK) {
        const __m128i abef_before = abef;
        const __m128i cdgh_before = cdgh;
        __m128i message[QUARTERS];
        for (size_t i = 0; i < QUARTERS; i++) {
            memcpy(&message[i], blocks + QUARTER_BYTES * i, QUARTER_BYTES);
            message[i] = _mm_shuffle_epi8(message[i], big_endian);
        }
#pragma GCC unroll 16
        for (int i = 0; i < STEPS; i++) {
            const __m128i oldest = message[i % QUARTERS];
            const __m128i newest = message[(i + 3) % QUARTERS];
            __m128i four, last;
            memcpy(&four, constants[i], sizeof four);
            four = _mm_add_epi32(four, oldest);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, four);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(four, 0x0e));
            last = _mm_sha256msg1_epu32(oldest, message[(i + 1) % QUARTERS]);
            last = _mm_add_epi32(last, _mm_alignr_epi8(newest, message[(i + 2) % QUARTERS], 4));
            message[i % QUARTERS] = _mm_sha256msg2_epu32(last, newest);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    memcpy(words, &abef, sizeof abef);
    memcpy(words + 4, &cdgh, sizeof cdgh);
    const uint32_t after[8] = {words[3], words[2], words[7], words[6],
                               words[1], words[0], words[5], words[4]};
    memcpy(state, after, sizeof after);
}

sedge_sha256_take *sedge_sha256_fastest(void)
{
    return HAS_INSTRUCTIONS ? take_by_instructions : sedge_sha256_plain;
}

#else

sedge_sha256_take *sedge_sha256_fastest(void)
{
    return sedge_sha256_plain;
}

#endif
