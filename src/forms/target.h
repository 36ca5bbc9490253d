// For what kernels are made: a device (which need not be here), a problem and its element.
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

// Do blocks run as loops over the vector registers of the host? In random order they run as on a
// GPU.
bool operator_is_host_form(const sedge_device_info *info);

// The least multiple of `multiple` that is not below `value`.
int operator_round_up(int value, int multiple);
