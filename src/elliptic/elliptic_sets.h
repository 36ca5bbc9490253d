// Sets of numbers that grow together: a forest in which `parent` of a set's root is itself.
#pragma once

#include <stdint.h>

// The root of i's set, where `parent` of a root is itself; shortens the way there.
static inline int32_t elliptic_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}
