// Inside the scans.
#pragma once

#include "codegen/array_internal.h"
#include "codegen/formula.h"

// What a GPU wants in the chained form. The rule stands in scan.c; other numbers are for measuring.
// Nothing is tuned at run time: results would then depend on what was measured.
typedef struct sedge_scan_tuning {
    int threads;  // of a block: a multiple of 32
    int bytes;    // that a thread holds in registers, and
    int staged;   // 16 bytes each, in the block's memory, where elements fit: a multiple of 3 or 4
    int resident; // threads that fit into a multiprocessor
} sedge_scan_tuning;

// What the kernels' text depends on; the recipe's key, with the formula.
typedef struct sedge_scan_shape {
    int exclusive, segmented, start; // the type of `starts`, or -1
    int element;                     // type
    int chained, threads;
    int pack, packs, staged, resident, commutes; // chained
    int items, tiles;                            // else
    int64_t tile;                                // elements a block
    int64_t scratch; // bytes of a block's memory whose size the launch decides
} sedge_scan_shape;

// Lay out the scan on a device of that kind, whose blocks may have `scratch` bytes of memory.
// `aligned`: packs of 16 bytes may be loaded. `tuning` NULL: the rule's.
void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned, int64_t scratch,
                           const sedge_scan_tuning *tuning);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_scan_program_write(sedge_text *out, sedge_device_kind kind,
                                      const sedge_scan_shape *shape, const sedge_formula *formula);

// As sedge_array_scan, with other numbers than the rule's (NULL: the rule's).
SEDGE_MUST_USE
sedge_status sedge_array_scan_as(sedge_array **out, const sedge_array *array,
                                 sedge_scan_operation operation, bool exclusive,
                                 const sedge_array *starts, const sedge_scan_tuning *tuning);
