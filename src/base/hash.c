#include "hash.h"

#include "sha256.h"

#include <stdio.h>
#include <string.h>

// ---- SHA-256 -----------------------------------------------------------------------------------

enum { BLOCK = SEDGE_SHA256_BLOCK, LENGTH_BYTES = 8 };

typedef struct hash_stream {
    sedge_sha256_take *take;
    uint32_t state[8];
    uint64_t length;      // bytes so far
    uint8_t begun[BLOCK]; // the last length % BLOCK of them
} hash_stream;

// FIPS 180-4, 5.3.3.
static hash_stream begin(void)
{
    return (hash_stream){.take = sedge_sha256_fastest(),
                         .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static void add(hash_stream *stream, const void *bytes, size_t length)
{
    const size_t begun = (size_t)(stream->length % BLOCK);
    const uint8_t *at = bytes;

    if (length == 0) return;
    stream->length += length;
    if (begun > 0) {
        const size_t part = length < BLOCK - begun ? length : BLOCK - begun;
        memcpy(stream->begun + begun, at, part);
        if (begun + part < BLOCK) return;
        stream->take(stream->state, stream->begun, 1);
        at += part;
        length -= part;
    }
    stream->take(stream->state, at, length / BLOCK);
    if (length % BLOCK > 0) memcpy(stream->begun, at + length / BLOCK * BLOCK, length % BLOCK);
}

// FIPS 180-4, 5.1.1: a bit, zeros up to the end of a block, there the number of bits.
static sedge_hash end(hash_stream *stream)
{
    static const uint8_t padding[BLOCK] = {0x80};
    const uint64_t bits = 8 * stream->length;
    const size_t begun = (size_t)(stream->length % BLOCK);
    const size_t whole = begun < BLOCK - LENGTH_BYTES ? BLOCK : 2 * BLOCK;
    uint8_t length[LENGTH_BYTES];
    sedge_hash hash;

    for (int i = 0; i < LENGTH_BYTES; i++)
        length[i] = (uint8_t)(bits >> (8 * (LENGTH_BYTES - 1 - i)));
    add(stream, padding, whole - LENGTH_BYTES - begun);
    add(stream, length, sizeof length);
    for (int i = 0; i < SEDGE_HASH_BYTES; i++)
        hash.bytes[i] = (uint8_t)(stream->state[i / 4] >> (24 - 8 * (i % 4)));
    return hash;
}

sedge_hash sedge_hash_fields(const void *const *fields, const size_t *lengths, int count)
{
    hash_stream stream = begin();

    for (int i = 0; i < count; i++) {
        uint8_t prefix[8];
        for (int k = 0; k < 8; k++) prefix[k] = (uint8_t)((uint64_t)lengths[i] >> (8 * k));
        add(&stream, prefix, sizeof prefix);
        add(&stream, fields[i], lengths[i]);
    }
    return end(&stream);
}

sedge_hash sedge_hash_bytes(const void *bytes, size_t length)
{
    hash_stream stream = begin();

    add(&stream, bytes, length);
    return end(&stream);
}

// ---- checksum ----------------------------------------------------------------------------------

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
