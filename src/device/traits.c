#include "device/device.h"

#include <stdlib.h>
#include <string.h>

const sedge_traits *sedge_traits_of(sedge_device_kind kind)
{
    // A launch takes 5 us, a node 36 ps on an H200 and 14 ns on two cores:
    // benchmarks/MEASUREMENTS.md, "Local time steps". An OpenCL device may be a GPU or two cores.
    static const sedge_traits rows[] = {
        [SEDGE_DEVICE_HOST] = {.in_call = true, .launch_nodes = 400.0},
        [SEDGE_DEVICE_CUDA] = {.gpu_rules = true,
                               .blocks_meet = true,
                               .mpi_memory = true,
                               .vendor_libraries = true,
                               .joint_compile = true,
                               .launch_nodes = 140e3},
        [SEDGE_DEVICE_OPENCL] = {.fixed_scratch = true, .launch_nodes = 10e3},
    };

    return &rows[kind];
}

const sedge_traits *sedge_traits_expected(const char *kind_name)
{
    if (strcmp(kind_name, "opencl") == 0) return sedge_traits_of(SEDGE_DEVICE_OPENCL);
    if (strcmp(kind_name, "cuda") == 0) return sedge_traits_of(SEDGE_DEVICE_CUDA);
    if (strcmp(kind_name, "auto") == 0 && sedge_device_count_cuda(NULL) > 0)
        return sedge_traits_of(SEDGE_DEVICE_CUDA);
    return sedge_traits_of(SEDGE_DEVICE_HOST);
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
