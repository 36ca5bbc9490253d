// SHA-256 over length-prefixed fields, so that ("ab","c") and ("a","bc") differ, and a quick
// checksum. Nothing here fails.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SEDGE_HASH_BYTES 32
#define SEDGE_HASH_TEXT  65

typedef struct sedge_hash {
    uint8_t bytes[SEDGE_HASH_BYTES];
} sedge_hash;

// The hash of `count` fields; field i has `lengths[i]` bytes at `fields[i]`.
sedge_hash sedge_hash_fields(const void *const *fields, const size_t *lengths, int count);

// The plain SHA-256 of `length` bytes (no length prefix), as `sha256sum` prints it.
sedge_hash sedge_hash_bytes(const void *bytes, size_t length);

// A 64-bit checksum, about as fast as reading the bytes. It continues from `seed`, so that several
// arrays can be summed one after the other. Any change within one 8-byte word changes the checksum.
// It does not protect against deliberate changes.
uint64_t sedge_hash_quick(uint64_t seed, const void *bytes, size_t length);

// Lower-case hexadecimal, NUL-terminated.
void sedge_hash_print(const sedge_hash *hash, char text[SEDGE_HASH_TEXT]);
