// Kernels that a context remembers under a binary key: a hash table that only grows.
#include "array/context_internal.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

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
static int64_t find_place(const sedge_recipes *recipes, uint64_t hash, const void *key, int bytes)
{
    const int64_t mask = recipes->capacity - 1;
    int64_t place = (int64_t)(hash & (uint64_t)mask);

    for (;; place = (place + 1) & mask) {
        const sedge_recipe_entry *const entry = recipes->places[place];
        if (entry == NULL) return place;
        if (entry->hash == hash && entry->bytes == bytes &&
            memcmp(entry->key, key, (size_t)bytes) == 0)
            return place;
    }
}

const sedge_recipe *sedge_recipe_find(const sedge_context *context, const void *key, int bytes)
{
    const sedge_recipes *const recipes = &context->recipes;

    if (recipes->capacity == 0) return NULL;
    const int64_t place = find_place(recipes, hash_key(key, bytes), key, bytes);
    return recipes->places[place] != NULL ? &recipes->places[place]->recipe : NULL;
}

static sedge_status grow(sedge_recipes *recipes)
{
    sedge_recipes grown = {.capacity = recipes->capacity > 0 ? 2 * recipes->capacity : 64,
                           .count = recipes->count};

    SEDGE_TRY(sedge_allocate(&grown.places, grown.capacity, sizeof(sedge_recipe_entry *)));
    for (int64_t p = 0; p < recipes->capacity; p++) {
        sedge_recipe_entry *const entry = recipes->places[p];
        if (entry == NULL) continue;
        grown.places[find_place(&grown, entry->hash, entry->key, entry->bytes)] = entry;
    }
    sedge_release(recipes->places);
    *recipes = grown;
    return SEDGE_OK;
}

sedge_status sedge_recipe_keep(const sedge_recipe **out, sedge_context *context, const void *key,
                               int bytes, const sedge_recipe *recipe)
{
    sedge_recipes *const recipes = &context->recipes;
    sedge_status status;
    sedge_recipe_entry *entry = NULL;

    *out = NULL;
    if (2 * (recipes->count + 1) > recipes->capacity) SEDGE_TRY(grow(recipes));
    const uint64_t hash = hash_key(key, bytes);
    const int64_t place = find_place(recipes, hash, key, bytes);
    if (recipes->places[place] != NULL) {
        recipes->places[place]->recipe = *recipe;
        *out = &recipes->places[place]->recipe;
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_allocate(&entry, 1, sizeof *entry));
    SEDGE_TRY_GOTO(status, sedge_allocate(&entry->key, bytes, 1));
    memcpy(entry->key, key, (size_t)bytes);
    entry->hash = hash;
    entry->bytes = bytes;
    entry->recipe = *recipe;
    recipes->places[place] = entry;
    recipes->count++;
    *out = &entry->recipe;
    entry = NULL;
done:
    sedge_release(entry);
    return status;
}

void sedge_recipes_free(sedge_recipes *recipes)
{
    for (int64_t p = 0; p < recipes->capacity; p++) {
        if (recipes->places[p] == NULL) continue;
        sedge_release(recipes->places[p]->key);
        sedge_release(recipes->places[p]);
    }
    sedge_release(recipes->places);
    *recipes = (sedge_recipes){.capacity = 0};
}

void sedge_recipe_title(char title[SEDGE_RECIPE_TITLE], const char *what, const void *key,
                        int bytes)
{
    const unsigned char *const at = key;
    uint64_t hash = 0xcbf29ce484222325u; // Fowler, Noll and Vo

    for (int i = 0; i < bytes; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    (void)snprintf(title, SEDGE_RECIPE_TITLE, "%s-%016llx", what, (unsigned long long)hash);
}
