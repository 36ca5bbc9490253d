// Inside the scans.
#pragma once

#include "codegen/array_internal.h"
#include "codegen/formula.h"

// What the kernels' text depends on; the recipe's key, with the formula.
typedef struct sedge_scan_shape {
    int exclusive, segmented, start; // the type of `starts`, or -1
    int element;                     // type
    int chained, threads;
    int pack, packs, resident; // chained
    int items, tiles;          // else
    int64_t tile;              // elements a block
} sedge_scan_shape;

// Lay out the scan on a device of that kind. `aligned`: packs of 16 bytes may be loaded.
void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_scan_program_write(sedge_text *out, sedge_device_kind kind,
                                      const sedge_scan_shape *shape, const sedge_formula *formula);
