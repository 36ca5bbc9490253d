// Whether a test tries a part of its cases only.
//
// PoCL, the OpenCL of CI, takes about half a second to compile a program: one second of a test in
// four would go there. What a case asserts about numbers, shapes and types is the same on the host,
// where all run; OpenCL gets each kind of kernel once. With SEDGE_TEST_ALL all run there, too.
//
// Under sanitizers (SEDGE_TEST_SMALL, CMakeLists.txt) all code runs, but not at every size: what it
// does to memory repeats from order to order, and the numbers are the other build's.
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_is_small(void)
{
    return getenv("SEDGE_TEST_SMALL") != NULL && getenv("SEDGE_TEST_ALL") == NULL;
}

static inline bool test_is_sampled(void)
{
    const char *const device = getenv("SEDGE_TEST_DEVICE");

    return device != NULL && strcmp(device, "opencl") == 0 && getenv("SEDGE_TEST_ALL") == NULL;
}
