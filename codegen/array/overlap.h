// Whether arrays share memory.
#pragma once

#include "array/array.h"

// Whether writing `to` may spoil what is still to be read from `from`, which has or is broadcast to
// its shape: some element of both lies in the same memory, and they are not the same element by
// element. Where it is not known it is taken to be so.
bool sedge_array_may_spoil(const sedge_array *to, const sedge_array *from);

// Whether two elements of the array are in one place, as in a broadcast view.
bool sedge_array_repeats(const sedge_array *array);
