// The size of a thread block of the kernels for curved elements: how many SIMD batches it works on,
// with how many threads and how much shared memory.
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "dg/element.h"

#include <stdint.h>

typedef struct sedge_curved_block {
    int batches;   // SIMD batches
    int threads;   // a multiple of 32, at least one for each node
    int64_t bytes; // shared memory
} sedge_curved_block;

// The rule, for `batch_bytes` of shared memory a SIMD batch: on a GPU as many as give the block
// about 128 nodes and at most 48 KiB; otherwise one. SEDGE_ERR_DEVICE where not even one fits.
SEDGE_MUST_USE
sedge_status sedge_curved_block_choose(sedge_curved_block *out, const sedge_device_info *info,
                                       const sedge_element *element, int64_t batch_bytes);
