// How the elliptic operator's kernels are configured for a device: sizes of items and blocks, and
// the program's text.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "dg/element.h"
#include "dg/problem.h"

#include <stdbool.h>
#include <stdint.h>

// How the kernels are cut; 0: by rule. `matrix` counts where block_elements is given: fp64 on a
// CUDA GPU from sm_80 on, an item being a warp, with multiples of 8 nodes and 16 elements.
typedef struct sedge_elliptic_options {
    bool matrix;        // on the GPU's matrix units
    int item_nodes;     // nodes a work item differentiates at
    int weak_nodes;     // nodes a work item integrates at
    int item_elements;  // values a work item; 1 on the host
    int block_elements; // values a block, a multiple of item_elements; 1 on the host
    int resident;       // threads that the registers of a multiprocessor are to suffice for
} sedge_elliptic_options;

typedef struct elliptic_cut {
    int real_bytes;
    int lanes;
    bool matrix;               // on matrix units; an item is a warp then
    int tile;                  // nodes an item, where it differentiates
    int tiles;                 // of a value
    int weak_tile, weak_tiles; // where it integrates
    int together;              // values an item
    int block;                 // values a block
    int threads, resident;
    int chunk;                           // values whose geometry lies together, word by word
    int smooth_block;                    // values a block of the level's kernels
    int coarse_nodes;                    // of the order below; 0: there is none
    int64_t flux_scratch, apply_scratch; // bytes

    bool curved;             // the mesh has curved elements: their kernels are needed
    int points, face_points; // quadrature points of a curved element
    int curved_block, curved_threads;
    int curved_chunk;       // number of volume points that are worked on at once
    int curved_words;       // values per element in the block's memory
    int64_t curved_scratch; // bytes
} elliptic_cut;

SEDGE_MUST_USE
sedge_status elliptic_cut_choose(elliptic_cut *cut, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options);

// The program's text and its name.
SEDGE_MUST_USE
sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_cut *cut);

// `count` numbers of a row of an operator's table, filled up to 16 bytes.
int elliptic_width(int real_bytes, int count);

// Append the text of the program that sedge_elliptic_create compiles for such a device. `curved`:
// the mesh has curved elements.
SEDGE_MUST_USE
sedge_status sedge_elliptic_text(sedge_text *out, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options);
