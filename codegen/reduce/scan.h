// The program of a scan: how elements are divided among blocks, and the source. All numbers come
// from the rule in scan.c. None is tuned at run time, because the rule was fastest wherever it was
// compared (benchmarks/MEASUREMENTS.md).
#pragma once

#include "reduce/formula.h"

// What the kernels' source depends on; the cached kernel's key, with the formula.
typedef struct sedge_scan_shape {
    int exclusive, segmented, start; // the type of `starts`, or -1
    int element;                     // type
    int chained, threads;
    int pack, packs, staged, resident, commutes; // chained
    int items, tiles, chains;                    // else
    int64_t tile;                                // elements a block
    int64_t scratch; // bytes of a block's memory whose size the launch decides
} sedge_scan_shape;

// Lay out the scan on a device of that kind, whose blocks may have `scratch` bytes of memory.
// `aligned`: packs of 16 bytes may be loaded.
void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned, int64_t scratch);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_scan_program_write(sedge_text *out, sedge_device_kind kind,
                                      const sedge_scan_shape *shape, const sedge_formula *formula);
