#include "hash.h"

#include <stdio.h>
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

void sedge_hash_print(const sedge_hash *hash, char text[SEDGE_HASH_TEXT])
{
    for (size_t i = 0; i < SEDGE_HASH_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", hash->bytes[i]);
}
