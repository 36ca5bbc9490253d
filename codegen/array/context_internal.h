// Inside the context: for context.c, pool.c and recipe.c.
#pragma once

#include "array/array_internal.h"
#include "base/hash.h"

// ---- pool --------------------------------------------------------------------------------------

// Size classes: 16 of each power of two, from 2^8 bytes on.
enum { SEDGE_POOL_FIRST = 8, SEDGE_POOL_LAST = 47, SEDGE_POOL_SPLIT = 16 };
enum { SEDGE_POOL_BINS = (SEDGE_POOL_LAST - SEDGE_POOL_FIRST + 1) * SEDGE_POOL_SPLIT };

typedef struct sedge_pool_block {
    sedge_buffer *buffer;
    int bin;
    struct sedge_pool_block *next; // in its bin, while unused
} sedge_pool_block;

typedef struct sedge_pool {
    sedge_pool_block *unused[SEDGE_POOL_BINS];
    sedge_pool_statistics statistics;
} sedge_pool;

// Give all unused blocks back to the driver. The caller has waited for the work on them.
void sedge_pool_release(sedge_pool *pool);

// Wait for the context's work, then do the same: the give_back function of the device's reserve.
void sedge_pool_give_back(void *context);

// ---- recipes -----------------------------------------------------------------------------------

typedef struct sedge_recipe_entry {
    uint64_t hash;
    int bytes;
    unsigned char *key; // owned
    sedge_recipe recipe;
} sedge_recipe_entry;

// Open addressing; at most half of the places are taken.
typedef struct sedge_recipes {
    sedge_recipe_entry **places; // [capacity]
    int64_t capacity;            // a power of two, or 0
    int64_t count;
} sedge_recipes;

void sedge_recipes_free(sedge_recipes *recipes);

// ---- context -----------------------------------------------------------------------------------

typedef struct sedge_known_program {
    sedge_hash hash; // of the options
    sedge_program *program;
    struct sedge_known_program *next;
} sedge_known_program;

struct sedge_context {
    sedge_device *device;
    sedge_cache *cache;
    sedge_device *own_device; // NULL: the caller's
    sedge_cache *own_cache;
    sedge_stream *own_stream;
    sedge_stream *stream; // of all work
    sedge_tune_level level;
    char choice[SEDGE_TUNE_NAME]; // of sedge_context_choice
    sedge_pool pool;
    sedge_reserve reserve; // offers the pool's unused blocks when device memory runs out
    sedge_recipes recipes;
    sedge_known_program *programs;
    sedge_buffer *records; // of sedge_context_records, and
    int epoch;             // the last given out
    sedge_buffer *ended;   // of sedge_context_count
};
