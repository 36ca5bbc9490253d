// What kernels are generated for: a device, which this machine need not have, a problem, and its
// reference element.
#pragma once

#include "device/device.h"
#include "dg/element.h"
#include "dg/problem.h"

#include <stdbool.h>

typedef struct operator_target {
    const sedge_device_info *info;
    const sedge_problem *problem;
    const sedge_element *element;
} operator_target;

// True if a thread block is a loop over the host's vector registers. False on GPUs, and on the host
// when work items run in random order (SEDGE_ORDER), as they do on a GPU.
bool operator_is_host_form(const sedge_device_info *info);

// Figures of a large GPU (H100, H200). Rules that choose defaults take these instead of the
// device's own: what they choose is part of a program's source, by which the cache finds it, so
// that all GPUs of a kind share programs.
enum {
    OPERATOR_CHIP_MULTIPROCESSORS = 132,
    OPERATOR_CHIP_SHARED = 233472,   // bytes of shared memory of a multiprocessor
    OPERATOR_CHIP_SHARED_MORE = 1024 // that a block takes beside its own
};

// Blocks of `bytes` of shared memory each that a multiprocessor of a large chip has room for; 1 to
// 32.
int operator_chip_blocks(int64_t bytes);

// The least multiple of `multiple` that is not below `value`.
int operator_round_up(int value, int multiple);
