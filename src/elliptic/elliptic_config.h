// The kernel configuration of the elliptic operator: how its kernels divide elements and nodes
// among blocks and work items of a device; and the source of the program that follows from it.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "dg/element.h"
#include "dg/problem.h"

#include <stdbool.h>
#include <stdint.h>

// A request; a number that is 0 is chosen by rule. On a host a SIMD batch holds several elements
// and a block works on one batch; on a GPU a batch is one element. `matrix` counts only where
// block_elements is given. Matrix units need fp64, a CUDA GPU from sm_80 on, multiples of 8 nodes
// and 16 elements; a work item is a warp then.
typedef struct sedge_elliptic_options {
    bool matrix;        // on the GPU's matrix units
    int item_nodes;     // nodes at which a work item differentiates
    int weak_nodes;     // nodes at which a work item integrates
    int item_elements;  // elements of a work item; not used on the host
    int block_elements; // elements of a block, a multiple of item_elements; not used on the host
    int resident;       // threads for which a multiprocessor's registers must suffice
} sedge_elliptic_options;

typedef struct elliptic_config {
    int real_bytes;
    int lanes; // elements of a SIMD batch
    bool matrix;
    int tile;                  // nodes of a work item where it differentiates
    int tiles;                 // of a batch
    int weak_tile, weak_tiles; // the same where it integrates
    int item_batches;          // SIMD batches of a work item
    int block_batches;         // SIMD batches of a block
    int threads, resident;
    int chunk;                           // batches whose geometry lies together, word by word
    int smooth_block;                    // batches of a block in the kernels of multigrid
    int coarse_nodes;                    // nodes of the order below; 0: this is order 1
    int64_t flux_scratch, apply_scratch; // bytes of a block's shared memory

    bool curved;             // the mesh has curved elements, so their kernels are compiled, too
    int points, face_points; // quadrature points of a curved element
    int curved_block, curved_threads; // batches and threads of a block
    int curved_chunk;                 // volume points that are worked on at once
    int curved_words;                 // numbers of an element in the block's shared memory
    int64_t curved_scratch;           // bytes of it
} elliptic_config;

// The configuration for a device: what `options` requests, the rest by rule. SEDGE_ERR_USAGE where
// the request contradicts itself, SEDGE_ERR_DEVICE where the device is too small for it.
SEDGE_MUST_USE
sedge_status elliptic_config_choose(elliptic_config *config, const sedge_device_info *info,
                                    const sedge_element *element, sedge_precision precision,
                                    bool curved, const sedge_elliptic_options *options);

// The program's source and its name.
SEDGE_MUST_USE
sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_config *config);

// The length of a row of `count` numbers in a table, filled up to a multiple of 16 bytes.
int elliptic_width(int real_bytes, int count);

// Append the source of the program that sedge_elliptic_create compiles for such a device, and give
// its name. `curved`: the mesh has curved elements.
SEDGE_MUST_USE
sedge_status sedge_elliptic_text(sedge_text *out, char name[64], const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options);
