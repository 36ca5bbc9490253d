// Whether arrays share memory.
#include "array/overlap.h"
#include "array/strided.h"

#include <stdlib.h>

// What an array's elements touch, in bytes.
typedef struct reach {
    uint64_t first, end;
} reach;

static reach reach_of(const sedge_array *array)
{
    const int64_t size = sedge_type_bytes(array->type);
    const uint64_t address = sedge_array_address(array);
    int64_t below = 0;
    int64_t above = size;

    for (int d = 0; d < array->dimensions; d++) {
        const int64_t span = (array->shape[d] - 1) * array->stride[d] * size;
        if (span < 0) below += span;
        if (span > 0) above += span;
    }
    return (reach){address + (uint64_t)below, address + (uint64_t)above};
}

// All elements lie at the first one's address plus multiples of it; 0 for one element.
static int64_t common_step(const sedge_array *array, int64_t step)
{
    for (int d = 0; d < array->dimensions; d++) {
        if (array->shape[d] == 1) continue;
        int64_t other = llabs(array->stride[d]) * sedge_type_bytes(array->type);
        while (other != 0) {
            const int64_t rest = step % other;
            step = other;
            other = rest;
        }
    }
    return step;
}

// Interleaved arrays, such as even and odd elements, or real and imaginary parts.
static bool are_interleaved(const sedge_array *a, const sedge_array *b)
{
    const int64_t step = common_step(b, common_step(a, 0));
    if (step == 0) return false;
    const int64_t apart = (int64_t)(sedge_array_address(b) - sedge_array_address(a)) % step;
    const int64_t place = apart < 0 ? apart + step : apart;

    return place >= sedge_type_bytes(a->type) && place + sedge_type_bytes(b->type) <= step;
}

// Element by element the same, where `from` has the shape of `to`.
static bool are_same(const sedge_array *to, const sedge_array *from)
{
    if (sedge_array_address(to) != sedge_array_address(from)) return false;
    if (sedge_type_bytes(to->type) != sedge_type_bytes(from->type)) return false;
    for (int d = 0; d < to->dimensions; d++) {
        const int own = d + from->dimensions - to->dimensions;
        if (to->shape[d] == 1) continue;
        if (own < 0 || from->shape[own] != to->shape[d] || from->stride[own] != to->stride[d])
            return false;
    }
    return true;
}

bool sedge_array_may_spoil(const sedge_array *to, const sedge_array *from)
{
    if (sedge_array_size(to) == 0 || sedge_array_size(from) == 0) return false;
    const reach a = reach_of(to);
    const reach b = reach_of(from);

    if (a.end <= b.first || b.end <= a.first) return false;
    return !are_same(to, from) && !are_interleaved(to, from);
}

bool sedge_array_repeats(const sedge_array *array)
{
    if (sedge_array_size(array) == 0) return false;
    for (int d = 0; d < array->dimensions; d++)
        if (array->shape[d] > 1 && array->stride[d] == 0) return true;
    return false;
}
