// The programs of a store: their sources, and their kernels compiled by the context.
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "program/launch.h"
#include "sparse/sparse_store.h"

enum { SEDGE_SPARSE_VECTOR_THREADS = 256, SEDGE_SPARSE_FIX_THREADS = 128 };

// The programs of a store: its own kernel, the one that adds up pieces, vector work.
typedef enum sedge_sparse_part {
    SEDGE_SPARSE_MAIN,
    SEDGE_SPARSE_FIX,
    SEDGE_SPARSE_VECTOR
} sedge_sparse_part;

// Write the whole source for a device of that kind, which need not be present. Only
// SEDGE_SPARSE_MAIN uses `kernel`. For cusparse the main program is that of vector work.
SEDGE_MUST_USE
sedge_status sedge_sparse_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_sparse_store *store,
                                        const sedge_sparse_kernel *kernel, sedge_sparse_part part);

// The hash of all sources from which programs of any store are made, including the preludes.
SEDGE_MUST_USE
sedge_status sedge_sparse_source_hash(char hash[SEDGE_HASH_TEXT], sedge_device_kind device);

// The kernels of one store. With cusparse there is no `main`.
typedef struct sedge_sparse_programs {
    const sedge_kernel *main;
    const sedge_kernel *fix;                             // NULL: not needed
    const sedge_kernel *rest, *rest_fix;                 // hybrid
    const sedge_kernel *scale, *gather, *combine, *sums; // vector work
} sedge_sparse_programs;

// Get the kernels of one store. The tuner passes its own `main`; with NULL the main kernel is made,
// too.
SEDGE_MUST_USE
sedge_status sedge_sparse_programs_get(sedge_sparse_programs *out, sedge_context *context,
                                       const sedge_sparse_store *store,
                                       const sedge_sparse_kernel *kernel, const sedge_kernel *main);
