// What tests of the cache share: an entry of a few bytes.
#pragma once

#include "base/memory.h"
#include "cache/entry.h"
#include "cache/store.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static inline sedge_hash cache_text(const char *text)
{
    return sedge_hash_bytes(text, strlen(text));
}

static inline sedge_cache_key cache_key(void)
{
    return (sedge_cache_key){.schema = SEDGE_CACHE_SCHEMA,
                             .kind = "host",
                             .arch = "native: some chip",
                             .compiler = "cc 1.0",
                             .options = "-O3",
                             .text = cache_text("int x;\n")};
}

static inline void cache_path(char path[512], const char *folder, const sedge_cache_key *key)
{
    const sedge_hash hash = sedge_cache_key_hash(key);
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&hash, text);
    (void)snprintf(path, 512, "%s/%s.sedge", folder, text);
}

// Is there an entry with exactly these bytes? Anything else found is a failure.
static inline bool cache_finds_in(sedge_cache *cache, sedge_cache_place place,
                                  const sedge_cache_key *key, const char *wanted)
{
    void *bytes = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_cache_find(cache, place, key, &bytes, &length, log));
    const bool found = bytes != NULL;
    if (found) {
        CHECK(length == strlen(wanted) && memcmp(bytes, wanted, length) == 0);
        CHECK(strcmp(sedge_text_get(log), "the log: 12 registers\n") == 0);
    } else {
        CHECK(length == 0 && sedge_text_length(log) == 0);
    }
    sedge_release(bytes);
    sedge_text_free(log);
    return found;
}

static inline bool cache_finds(sedge_cache *cache, const sedge_cache_key *key, const char *wanted)
{
    return cache_finds_in(cache, SEDGE_CACHE_OWN, key, wanted);
}

static inline void cache_store(sedge_cache *cache, const sedge_cache_key *key, const char *bytes)
{
    sedge_cache_store(cache, key, "demo", bytes, strlen(bytes), "the log: 12 registers\n");
}

static inline void cache_overwrite(const char *path, long offset, const char *bytes, size_t length)
{
    FILE *const file = fopen(path, "r+b");

    CHECK(file != NULL);
    if (file == NULL) return;
    CHECK(fseek(file, offset, offset < 0 ? SEEK_END : SEEK_SET) == 0);
    CHECK(fwrite(bytes, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}
