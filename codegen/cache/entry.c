#include "cache/entry.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum {
    MAGIC_BYTES = 8,
    NUMBERS = 2 + SEDGE_ENTRY_FIELDS, // schema, lengths, payload length
    OPENING_BYTES = MAGIC_BYTES + 8 * NUMBERS
};

static const char magic[MAGIC_BYTES + 1] = "sedgebin";

static void put_number(unsigned char *at, uint64_t value)
{
    for (int k = 0; k < 8; k++) at[k] = (unsigned char)(value >> (8 * k));
}

static uint64_t get_number(const unsigned char *at)
{
    uint64_t value = 0;

    for (int k = 0; k < 8; k++) value |= (uint64_t)at[k] << (8 * k);
    return value;
}

sedge_status sedge_entry_encode(sedge_entry *entry, void **out, size_t *length)
{
    unsigned char *bytes = NULL;
    size_t header = OPENING_BYTES;

    *out = NULL;
    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        entry->lengths[i] = strlen(entry->fields[i]);
        header += entry->lengths[i];
    }
    const size_t whole = header + 2 * (size_t)SEDGE_HASH_BYTES + entry->payload_length;
    SEDGE_TRY(sedge_allocate(&bytes, (int64_t)whole, 1));
    unsigned char *at = bytes;
    memcpy(at, magic, MAGIC_BYTES);
    put_number(at + MAGIC_BYTES, entry->schema);
    at += MAGIC_BYTES + 8;
    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++, at += 8) put_number(at, entry->lengths[i]);
    put_number(at, entry->payload_length);
    at += 8;
    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        memcpy(at, entry->fields[i], entry->lengths[i]);
        at += entry->lengths[i];
    }
    const sedge_hash payload = sedge_hash_bytes(entry->payload, entry->payload_length);
    memcpy(at, payload.bytes, SEDGE_HASH_BYTES);
    at += SEDGE_HASH_BYTES;
    const sedge_hash opening = sedge_hash_bytes(bytes, header + SEDGE_HASH_BYTES);
    memcpy(at, opening.bytes, SEDGE_HASH_BYTES);
    at += SEDGE_HASH_BYTES;
    memcpy(at, entry->payload, entry->payload_length);
    *out = bytes;
    *length = whole;
    return SEDGE_OK;
}

bool sedge_entry_decode(sedge_entry *entry, const void *bytes, size_t length)
{
    const unsigned char *const all = bytes;
    size_t left = length;
    size_t header = OPENING_BYTES;

    if (length < OPENING_BYTES + 2 * SEDGE_HASH_BYTES || memcmp(all, magic, MAGIC_BYTES) != 0)
        return false;
    entry->schema = get_number(all + MAGIC_BYTES);
    if (entry->schema != SEDGE_CACHE_SCHEMA) return false;
    left -= OPENING_BYTES + 2 * (size_t)SEDGE_HASH_BYTES;
    // Lengths are believed only as far as there are bytes.
    for (int i = 0; i <= SEDGE_ENTRY_FIELDS; i++) {
        const uint64_t part = get_number(all + MAGIC_BYTES + 8 + 8 * (size_t)i);
        if (part > left) return false;
        left -= (size_t)part;
        if (i == SEDGE_ENTRY_FIELDS) {
            entry->payload_length = (size_t)part;
            continue;
        }
        entry->fields[i] = (const char *)all + header;
        entry->lengths[i] = (size_t)part;
        header += (size_t)part;
    }
    if (left != 0) return false;
    const unsigned char *const hashes = all + header;
    entry->payload = hashes + 2 * (size_t)SEDGE_HASH_BYTES;
    const sedge_hash opening = sedge_hash_bytes(all, header + SEDGE_HASH_BYTES);
    if (memcmp(hashes + SEDGE_HASH_BYTES, opening.bytes, SEDGE_HASH_BYTES) != 0) return false;
    const sedge_hash payload = sedge_hash_bytes(entry->payload, entry->payload_length);
    return memcmp(hashes, payload.bytes, SEDGE_HASH_BYTES) == 0;
}
