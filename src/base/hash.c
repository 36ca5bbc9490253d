#include "hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <sha256.h>

sedge_hash sedge_hash_fields(const void *const *fields, const size_t *lengths, int count)
{
    sedge_hash hash;
    SHA2_CTX context;

    SHA256Init(&context);
    for (int i = 0; i < count; i++) {
        uint8_t prefix[8];
        for (int k = 0; k < 8; k++) prefix[k] = (uint8_t)((uint64_t)lengths[i] >> (8 * k));
        SHA256Update(&context, prefix, sizeof prefix);
        SHA256Update(&context, fields[i], lengths[i]);
    }
    SHA256Final(hash.bytes, &context);
    return hash;
}

sedge_hash sedge_hash_bytes(const void *bytes, size_t length)
{
    sedge_hash hash;
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, bytes, length);
    SHA256Final(hash.bytes, &context);
    return hash;
}

// Each word is mixed in by steps that can be undone (exclusive or, multiplication by an odd number,
// shift and exclusive or), so that two words which differ never give the same state.
static uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ (state >> 32);
}

uint64_t sedge_hash_quick(uint64_t seed, const void *bytes, size_t length)
{
    const char *at = bytes;
    uint64_t state = mix(seed, length);
    uint64_t word;

    for (; length >= sizeof word; length -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        state = mix(state, word);
    }
    word = 0;
    if (length > 0) memcpy(&word, at, length);
    return mix(state, word);
}

void sedge_hash_print(const sedge_hash *hash, char text[SEDGE_HASH_TEXT])
{
    for (size_t i = 0; i < SEDGE_HASH_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", hash->bytes[i]);
}
