#include "array/cached_kernel.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct sedge_kernel_entry {
    uint64_t hash;
    int bytes;
    unsigned char *key; // owned
    sedge_cached_kernel kernel;
} sedge_kernel_entry;

// Mixes eight bytes at a time: the table lies on the path of every call.
static uint64_t hash_key(const void *key, int bytes)
{
    const unsigned char *at = key;
    uint64_t hash = 0x9e3779b97f4a7c15u ^ (uint64_t)bytes;

    while (bytes > 0) {
        uint64_t word = 0;
        const int length = bytes < 8 ? bytes : 8;
        memcpy(&word, at, (size_t)length);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
        at += length;
        bytes -= length;
    }
    return hash;
}

// The place of the key, or the free one where it belongs. There is one: the table is never full.
static int64_t find_place(const sedge_kernel_table *table, uint64_t hash, const void *key,
                          int bytes)
{
    const int64_t mask = table->capacity - 1;
    int64_t place = (int64_t)(hash & (uint64_t)mask);

    for (;; place = (place + 1) & mask) {
        const sedge_kernel_entry *const entry = table->places[place];
        if (entry == NULL) return place;
        if (entry->hash == hash && entry->bytes == bytes &&
            memcmp(entry->key, key, (size_t)bytes) == 0)
            return place;
    }
}

const sedge_cached_kernel *sedge_cached_kernel_find(const sedge_kernel_table *table,
                                                    const void *key, int bytes)
{
    if (table->capacity == 0) return NULL;
    const int64_t place = find_place(table, hash_key(key, bytes), key, bytes);
    return table->places[place] != NULL ? &table->places[place]->kernel : NULL;
}

static sedge_status grow(sedge_kernel_table *table)
{
    sedge_kernel_table grown = {.capacity = table->capacity > 0 ? 2 * table->capacity : 64,
                                .count = table->count};

    SEDGE_TRY(sedge_allocate(&grown.places, grown.capacity, sizeof(sedge_kernel_entry *)));
    for (int64_t p = 0; p < table->capacity; p++) {
        sedge_kernel_entry *const entry = table->places[p];
        if (entry == NULL) continue;
        grown.places[find_place(&grown, entry->hash, entry->key, entry->bytes)] = entry;
    }
    sedge_release(table->places);
    *table = grown;
    return SEDGE_OK;
}

sedge_status sedge_cached_kernel_keep(const sedge_cached_kernel **out, sedge_kernel_table *table,
                                      const void *key, int bytes, const sedge_cached_kernel *kernel)
{
    sedge_status status;
    sedge_kernel_entry *entry = NULL;

    *out = NULL;
    if (2 * (table->count + 1) > table->capacity) SEDGE_TRY(grow(table));
    const uint64_t hash = hash_key(key, bytes);
    const int64_t place = find_place(table, hash, key, bytes);
    if (table->places[place] != NULL) {
        table->places[place]->kernel = *kernel;
        *out = &table->places[place]->kernel;
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_allocate(&entry, 1, sizeof *entry));
    SEDGE_TRY_GOTO(status, sedge_allocate(&entry->key, bytes, 1));
    memcpy(entry->key, key, (size_t)bytes);
    entry->hash = hash;
    entry->bytes = bytes;
    entry->kernel = *kernel;
    table->places[place] = entry;
    table->count++;
    *out = &entry->kernel;
    entry = NULL;
done:
    sedge_release(entry);
    return status;
}

void sedge_kernel_table_free(sedge_kernel_table *table)
{
    for (int64_t p = 0; p < table->capacity; p++) {
        if (table->places[p] == NULL) continue;
        sedge_release(table->places[p]->key);
        sedge_release(table->places[p]);
    }
    sedge_release(table->places);
    *table = (sedge_kernel_table){.capacity = 0};
}

void sedge_cached_kernel_title(char title[SEDGE_KERNEL_TITLE], const char *what, const void *key,
                               int bytes)
{
    const unsigned char *const at = key;
    uint64_t hash = 0xcbf29ce484222325u; // Fowler, Noll and Vo

    for (int i = 0; i < bytes; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    (void)snprintf(title, SEDGE_KERNEL_TITLE, "%s-%016llx", what, (unsigned long long)hash);
}
