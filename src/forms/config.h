// A kernel configuration of the stage: its form and that form's numbers, in one layout.
#pragma once

#include <stdint.h>

#define SEDGE_CONFIG_NAME 64 // bytes that a configuration's name may take

enum { OPERATOR_OWN_NUMBERS = 6 }; // of a form, at most

// Programs and the operators' tables depend on it. What follows from the tunable numbers is filled
// in by operator_config_derive (form.h).
typedef struct operator_config {
    const struct operator_form *form;

    // Tunable numbers.
    int block;       // SIMD batches a block
    int resident;    // threads that a multiprocessor should hold: limits registers
    int item_nodes;  // nodes a work item: a tile
    int lift_nodes;  // nodes a work item in the lift
    int field_block; // fields differentiated together
    int lift_block;  // fields lifted together

    // What follows from them.
    int tiles; // for the nodes of one SIMD batch
    int lift_tiles;
    int threads;           // of a block
    int deriv_width;       // numbers of D_r, D_s, D_t a tile and group, padded for vector loads
    int lift_width;        // the same of the lift
    int64_t scratch_words; // of the block's memory, in reals of all lanes
    int64_t scratch_bytes;

    int own[OPERATOR_OWN_NUMBERS]; // the form's own numbers of both kinds: an enum in its file
} operator_config;
