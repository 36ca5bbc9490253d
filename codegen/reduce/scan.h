// One call of a scan: its layout, its program, its kernels, its launch, its tuning.
#pragma once

#include "array/array.h"
#include "array/array_tune.h"
#include "program/launch.h"
#include "reduce/formula.h"

// What a device wants: a GPU in the chained form, others in phases. The rule stands in scan.c, and
// which of these numbers are tuned at run time, without a bit of the result depending on it, in
// scan_tune.c.
typedef struct sedge_scan_tuning {
    int threads;  // of a block: a multiple of 32; in phases rows of a tile
    int bytes;    // that a thread holds in registers, and
    int staged;   // 16 bytes each, in the block's memory, where elements fit: a multiple of 3 or 4
    int resident; // threads that fit into a multiprocessor
    int cached;   // 1: loads and stores do not tell caches that they are the only ones
    int items;    // in phases: elements of a row,
    int tiles;    // tiles of a block,
    int chains;   // rows that the host scans at once
} sedge_scan_tuning;

// What the kernels' text depends on; the cached kernel's key, with the formula.
typedef struct sedge_scan_shape {
    int exclusive, segmented, start; // the type of `starts`, or -1
    int element;                     // type
    int chained, threads;
    int pack, packs, staged, resident, commutes, cached; // chained
    int items, tiles, chains;                            // else
    int64_t tile;                                        // elements a block
    int64_t scratch; // bytes of a block's memory whose size the launch decides
} sedge_scan_shape;

// Lay out the scan on a device of that kind, whose blocks may have `scratch` bytes of memory.
// `aligned`: packs of 16 bytes may be loaded. `tuning` NULL: the rule's.
void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned, int64_t scratch,
                           const sedge_scan_tuning *tuning);

// The rule's numbers that gave `shape`.
const sedge_scan_tuning *sedge_scan_rule(sedge_device_kind kind, const sedge_scan_shape *shape);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_scan_program_write(sedge_text *out, sedge_device_kind kind,
                                      const sedge_scan_shape *shape, const sedge_formula *formula);

// As sedge_array_scan, with these numbers (NULL: with those that it takes, the rule's or tuned
// ones).
SEDGE_MUST_USE
sedge_status sedge_array_scan_as(sedge_array **out, const sedge_array *array,
                                 sedge_scan_operation operation, bool exclusive,
                                 const sedge_array *starts, const sedge_scan_tuning *tuning);

// ---- one call (scan.c) -------------------------------------------------------------------------

// Contiguous arrays of one size.
typedef struct sedge_scan_call {
    const sedge_array *array, *starts; // starts NULL: none
    const sedge_formula *formula;
    bool exclusive;
} sedge_scan_call;

// Lay out a call on its context's device. `tuning` NULL: the rule's.
void sedge_scan_call_shape(sedge_scan_shape *out, const sedge_scan_call *call,
                           const sedge_scan_tuning *tuning);

// The kernels of a shape: those of a program, or with NULL those that the context keeps or makes.
SEDGE_MUST_USE
sedge_status sedge_scan_kernels(sedge_cached_kernel *out, const sedge_scan_call *call,
                                const sedge_scan_shape *shape, const sedge_program *program);

// Records of 16 bytes that the chained form needs for `size` elements (sedge_context_flags).
int64_t sedge_scan_records(const sedge_scan_shape *shape, int64_t size);

// Put the kernels into the stream. `to` is the address of the result's first element; memory for
// the sums of tiles is the pool's.
SEDGE_MUST_USE
sedge_status sedge_scan_launch(const sedge_scan_call *call, const sedge_scan_shape *shape,
                               const sedge_cached_kernel *cached, uint64_t to,
                               sedge_stream *stream);

// ---- tuning (scan_tune.c) ----------------------------------------------------------------------

// The tunings to choose from on a device of that kind, whose rule gives `shape`; the first is the
// rule's, and where the formula may fuse products otherwise, the only one.
enum { SEDGE_SCAN_TUNINGS = SEDGE_TRIAL_CANDIDATES };
int sedge_scan_tunings(sedge_scan_tuning tunings[SEDGE_SCAN_TUNINGS], sedge_device_kind kind,
                       const sedge_scan_shape *shape, const sedge_formula *formula);

// A tuning's numbers in words, `size` bytes of `name` at most.
void sedge_scan_tuning_name(char *name, size_t size, const sedge_scan_tuning *tuning);

// Which of `count` tunings, the first of which is the rule's: from wisdom, or measured if the
// context's level allows it and there is memory, else the rule's. `title` is the kernel's in the
// wisdom.
SEDGE_MUST_USE
sedge_status sedge_scan_tune(int *choice, const sedge_scan_call *call,
                             const sedge_scan_tuning *tunings, int count, const char *title);
