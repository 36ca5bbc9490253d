// Any bytes as an entry of the cache: as they are, with right checksums, and as the parts of an
// entry that is written and read back.
#include "fuzz.h"

#include "base/hash.h"
#include "base/memory.h"
#include "cache/entry.h"

#include <string.h>

// Where the checksums stand, by entry.h's picture.
enum { NUMBERS_AT = 8, LENGTHS = SEDGE_ENTRY_FIELDS + 1, TEXTS_AT = 8 + 8 + 8 * LENGTHS };

static void read_all(const sedge_entry *entry, const uint8_t *data, size_t size)
{
    unsigned sum = 0;

    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        const uint8_t *const field = (const uint8_t *)entry->fields[i];
        FUZZ_CHECK(field >= data && entry->lengths[i] <= size);
        for (size_t k = 0; k < entry->lengths[i]; k++) sum += field[k];
    }
    const uint8_t *const payload = entry->payload;
    FUZZ_CHECK(payload >= data && entry->payload_length <= size);
    for (size_t k = 0; k < entry->payload_length; k++) sum += payload[k];
    FUZZ_CHECK(sum < UINT32_MAX);
}

// Give `data` the checksums that it should have, as far as its lengths allow.
static void repair(uint8_t *data, size_t size)
{
    size_t header = TEXTS_AT;

    if (size < TEXTS_AT + 2 * SEDGE_HASH_BYTES) return;
    for (int k = 0; k < NUMBERS_AT; k++) data[k] = (uint8_t) "sedgebin"[k];
    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        uint64_t length = 0;
        for (int k = 0; k < 8; k++) length |= (uint64_t)data[NUMBERS_AT + 8 + 8 * i + k] << (8 * k);
        if (length > size) return;
        header += (size_t)length;
    }
    if (header + 2 * SEDGE_HASH_BYTES > size) return;
    uint8_t *const payload = data + header + 2 * SEDGE_HASH_BYTES;
    const sedge_hash of_payload = sedge_hash_bytes(payload, (size_t)(data + size - payload));
    memcpy(data + header, of_payload.bytes, SEDGE_HASH_BYTES);
    const sedge_hash of_opening = sedge_hash_bytes(data, header + SEDGE_HASH_BYTES);
    memcpy(data + header + SEDGE_HASH_BYTES, of_opening.bytes, SEDGE_HASH_BYTES);
}

// Fields are pieces of the input, split at zeros.
static void round_trip(const uint8_t *data, size_t size)
{
    char *const text = fuzz_text(data, size);
    sedge_entry entry = {.schema = SEDGE_CACHE_SCHEMA};
    sedge_entry again;
    void *bytes = NULL;
    size_t length = 0;
    size_t at = 0;

    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        entry.fields[i] = text + (at < size ? at : size);
        at += strlen(entry.fields[i]) + 1;
    }
    entry.payload = text;
    entry.payload_length = size;
    FUZZ_CHECK(sedge_entry_encode(&entry, &bytes, &length) == SEDGE_OK);
    FUZZ_CHECK(sedge_entry_decode(&again, bytes, length));
    for (int i = 0; i < SEDGE_ENTRY_FIELDS; i++) {
        FUZZ_CHECK(again.lengths[i] == strlen(entry.fields[i]));
        FUZZ_CHECK(memcmp(again.fields[i], entry.fields[i], again.lengths[i]) == 0);
    }
    FUZZ_CHECK(again.payload_length == size && memcmp(again.payload, text, size) == 0);
    // One bit less, one byte less: never an entry.
    ((uint8_t *)bytes)[size % length] ^= (uint8_t)(1U << (size % 8));
    FUZZ_CHECK(!sedge_entry_decode(&again, bytes, length));
    ((uint8_t *)bytes)[size % length] ^= (uint8_t)(1U << (size % 8));
    FUZZ_CHECK(!sedge_entry_decode(&again, bytes, length - 1));
    sedge_release(bytes);
    free(text);
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    sedge_entry entry;

    if (sedge_entry_decode(&entry, data, size)) read_all(&entry, data, size);
    uint8_t *const repaired = malloc(size > 0 ? size : 1);
    FUZZ_CHECK(repaired != NULL);
    memcpy(repaired, data, size);
    repair(repaired, size);
    if (sedge_entry_decode(&entry, repaired, size)) read_all(&entry, repaired, size);
    free(repaired);
    round_trip(data, size);
    return 0;
}
