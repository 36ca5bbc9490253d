// Whether arrays share memory.
#pragma once

#include "array/array.h"

// Whether writing the elements of `to` one after the other may overwrite elements of `from` that
// have not been read yet: true if they share memory and element i of one is not element i of the
// other. `from` has the shape of `to` or is broadcast to it. True also where the answer is not
// known.
bool sedge_array_may_spoil(const sedge_array *to, const sedge_array *from);

// Whether two elements of the array are at the same address, as in a broadcast view.
bool sedge_array_repeats(const sedge_array *array);
