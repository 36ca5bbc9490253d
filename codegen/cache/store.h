// Entries of the cache: the key of a program, and functions that look for an entry and store one.
// Only codegen/program and codegen/tune use them.
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "cache/cache.h"
#include "device/device.h"

#include <stdbool.h>

// Everything that determines a binary. The texts are borrowed.
typedef struct sedge_cache_key {
    uint64_t schema;
    const char *kind;     // "cuda", "opencl", "host"
    const char *arch;     // as in sedge_device_info
    const char *compiler; // as in sedge_device_info
    const char *options;  // of the compiler
    sedge_hash text;      // of the program: its SHA-256, which is asked for several times
} sedge_cache_key;

// The key of `text` on `device`, under this build's schema.
sedge_cache_key sedge_cache_key_make(const sedge_device *device, const char *text);

// The SHA-256 of all fields, of which the last is that of the text: the entry's name.
sedge_hash sedge_cache_key_hash(const sedge_cache_key *key);

// Where entries are looked for, in this order.
typedef enum sedge_cache_place {
    SEDGE_CACHE_SITE, // never changed
    SEDGE_CACHE_OWN,
    SEDGE_CACHE_PLACES
} sedge_cache_place;

// Look in one place for an undamaged entry of exactly this key. If there is one, `*bytes` gets
// `*length` bytes of binary to release with sedge_release, the compiler's log is appended to `log`,
// and the entry's time is renewed. Anything else is a miss: `*bytes` NULL. A damaged entry is
// removed. Fails only when memory runs out.
SEDGE_MUST_USE
sedge_status sedge_cache_find(sedge_cache *cache, sedge_cache_place place,
                              const sedge_cache_key *key, void **bytes, size_t *length,
                              sedge_text *log);

// Store a binary, then remove the least recently used entries until the folder is within its size
// limit. A failure is not returned; sedge_cache_problem reports it.
void sedge_cache_store(sedge_cache *cache, const sedge_cache_key *key, const char *name,
                       const void *bytes, size_t length, const char *log);

// Claim a program before it is compiled, so that one of several processes with this folder compiles
// it and the others wait. False: another process has claimed it. A claim ends with
// sedge_cache_unclaim, or with the process. Where there can be no claims, they are all granted. A
// process that waits for a claim of another one must not have any itself.
bool sedge_cache_claim(const sedge_cache *cache, const sedge_cache_key *key);
void sedge_cache_unclaim(const sedge_cache *cache, const sedge_cache_key *key);

// Remove one entry that turned out to be unusable, for example a binary that does not load.
void sedge_cache_drop(sedge_cache *cache, sedge_cache_place place, const sedge_cache_key *key);

// Make this thread's error message the one that sedge_cache_problem returns, and clear it.
void sedge_cache_note_problem(sedge_cache *cache);

// Add to the counts. `seconds` is the time that compiling all these misses took together.
void sedge_cache_count_hit(sedge_cache *cache);
void sedge_cache_count_misses(sedge_cache *cache, int misses, double seconds);

// The resources of a program's kernels, read from the compiler's log.
sedge_program_resources sedge_cache_resources(const char *log);
