// Inside src/base: the compression function of SHA-256, in two implementations.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SEDGE_SHA256_BLOCK 64

// Take `count` blocks of SEDGE_SHA256_BLOCK bytes into the state (FIPS 180-4, 6.2.2).
typedef void sedge_sha256_take(uint32_t state[8], const uint8_t *blocks, size_t count);

// By libmd.
void sedge_sha256_plain(uint32_t state[8], const uint8_t *blocks, size_t count);

// The faster one on this CPU: by its instructions for SHA, if it has them, else sedge_sha256_plain.
sedge_sha256_take *sedge_sha256_fastest(void);
