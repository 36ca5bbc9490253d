#include "device/device.h"

#include <stdlib.h>
#include <string.h>

const sedge_traits *sedge_traits_of(sedge_device_kind kind)
{
    static const sedge_traits rows[] = {
        [SEDGE_DEVICE_HOST] = {.in_call = true},
        [SEDGE_DEVICE_CUDA] = {.gpu_rules = true,
                               .blocks_meet = true,
                               .mpi_memory = true,
                               .vendor_libraries = true,
                               .joint_compile = true},
        [SEDGE_DEVICE_OPENCL] = {.fixed_scratch = true},
    };

    return &rows[kind];
}

// "sm_90" is 90; 0 of any other architecture.
static int chip(const sedge_device_info *info)
{
    if (info->kind != SEDGE_DEVICE_CUDA || info->arch == NULL) return 0;
    return strncmp(info->arch, "sm_", 3) == 0 ? (int)strtol(info->arch + 3, NULL, 10) : 0;
}

bool sedge_device_has_matrix_units(const sedge_device_info *info)
{
    return chip(info) >= 80;
}

bool sedge_device_has_clusters(const sedge_device_info *info)
{
    return chip(info) >= 90;
}
