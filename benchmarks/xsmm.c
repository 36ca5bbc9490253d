#include "xsmm.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LINE 64 // bytes

int xsmm_rows(int count, int real_bytes)
{
    const int numbers = LINE / real_bytes;

    return (count + numbers - 1) / numbers * numbers;
}

static void put(void *array, int real_bytes, int64_t index, double value)
{
    if (real_bytes == 8) {
        ((double *)array)[index] = value;
    } else {
        ((float *)array)[index] = (float)value;
    }
}

// The stages are in libraries of their own; "": this build has none.
#ifndef BENCH_XSMM
#define BENCH_XSMM ""
#endif
#ifndef BENCH_LOOP
#define BENCH_LOOP ""
#endif

static sedge_status find_stage(xsmm_plan *plan, bool loop, int order, int real_bytes)
{
    const char *const path = loop ? BENCH_LOOP : BENCH_XSMM;
    char name[32];

    if (path[0] == '\0') {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--beside: '%s' is not part of this build; install %s and configure "
                          "again, or name opencl alone",
                          loop ? "loop" : "libxsmm",
                          loop ? "a compiler with OpenMP" : "libxsmm-dev");
    }
    plan->library = dlopen(path, RTLD_NOW | RTLD_NODELETE); // OpenMP's threads outlive it
    if (plan->library == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--beside: cannot load the stages: %s", dlerror());
    (void)snprintf(name, sizeof name, "%s_stage_%d_%d", loop ? "hand" : "xsmm", order, real_bytes);
    void *const symbol = dlsym(plan->library, name);
    memcpy(&plan->stage, &symbol, sizeof symbol);
    return SEDGE_OK;
}

sedge_status xsmm_init(xsmm_plan *plan, const char *name, const sedge_element *element,
                       int real_bytes)
{
    const bool loop = strcmp(name, "loop") == 0;
    const int nodes = element->nodes;
    const int points = 4 * element->face_nodes;
    const int64_t tall = xsmm_rows(3 * nodes, real_bytes);
    const int64_t rows = xsmm_rows(nodes, real_bytes);

    memset(plan, 0, sizeof *plan);
    plan->batch = 1;
    SEDGE_TRY(find_stage(plan, loop, element->order, real_bytes));
    if (loop) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&plan->derivative, nodes * tall, (size_t)real_bytes));
    SEDGE_TRY(sedge_allocate(&plan->lift, points * rows, (size_t)real_bytes));
    for (int m = 0; m < nodes; m++) {
        for (int64_t j = 0; j < 3; j++) {
            for (int n = 0; n < nodes; n++) {
                put(plan->derivative, real_bytes, m * tall + j * nodes + n,
                    element->derivative[j][n * nodes + m]);
            }
        }
    }
    for (int k = 0; k < points; k++) {
        for (int n = 0; n < nodes; n++)
            put(plan->lift, real_bytes, k * rows + n, element->lift[n * points + k]);
    }
    return SEDGE_OK;
}

void xsmm_clear(xsmm_plan *plan)
{
    if (plan->library != NULL) (void)dlclose(plan->library);
    sedge_release(plan->derivative);
    sedge_release(plan->lift);
    memset(plan, 0, sizeof *plan);
}
