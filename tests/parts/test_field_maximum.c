// What the monitor field_maximum_monitor.c wrote: the run that stopped at step 18 and went on, on
// another number of ranks, has the samples of the run in one piece.
#include "check.h"

#include "io/h5.h"

#include <math.h>

#define SAMPLES 8 // steps 0, 4, ..., 28

typedef struct series {
    int64_t step[SAMPLES];
    double value[SAMPLES], largest[SAMPLES], place[SAMPLES][3];
} series;

static void read_series(series *out, const char *folder)
{
    char path[600];
    int64_t shape[2] = {0};
    sedge_h5 *file = NULL;

    (void)snprintf(path, sizeof path, "%s/%s/field_maximum.h5", SEDGE_TEST_DIR, folder);
    CHECK_OK(sedge_h5_open_read(&file, path));
    if (file == NULL) return;
    CHECK_OK(sedge_h5_shape(file, "/step", SEDGE_H5_I64, 1, shape));
    CHECK(shape[0] == SAMPLES);
    CHECK_OK(sedge_h5_read(file, "/step", SEDGE_H5_I64, 0, SAMPLES, out->step));
    CHECK_OK(sedge_h5_read(file, "/value", SEDGE_H5_F64, 0, SAMPLES, out->value));
    CHECK_OK(sedge_h5_read(file, "/largest", SEDGE_H5_F64, 0, SAMPLES, out->largest));
    CHECK_OK(sedge_h5_read(file, "/place", SEDGE_H5_F64, 0, SAMPLES, out->place));
    CHECK_OK(sedge_h5_close(file, SEDGE_OK));
}

// The order of sums differs between partitions: 1e-12 of fields of size 1 is a thousand roundings.
int main(void)
{
    series whole = {.step = {0}};
    series parts = {.step = {0}};

    read_series(&whole, "whole");
    read_series(&parts, "parts");
    for (int s = 0; s < SAMPLES; s++) {
        CHECK(whole.step[s] == 4 * s && parts.step[s] == 4 * s);
        CHECK(whole.value[s] > 0.0 && fabs(parts.value[s] - whole.value[s]) <= 1e-12);
        CHECK(fabs(parts.largest[s] - whole.largest[s]) <= 1e-12);
        for (int d = 0; d < 3; d++) CHECK(parts.place[s][d] == whole.place[s][d]);
    }
    // The mode is at its height at the start: later samples are lower, the largest stays.
    CHECK(whole.value[SAMPLES - 1] < 0.9 * whole.value[0]);
    CHECK(whole.largest[SAMPLES - 1] == whole.value[0]);
    return CHECK_END();
}
