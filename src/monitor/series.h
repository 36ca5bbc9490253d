// Files of series, whose datasets grow by a row with every sample: energy.h5, probes.h5, slices.h5.
// The root makes them, new or with the samples that a run goes on from. Such a file is open only
// while something is appended: it can be read while the run goes on.
#pragma once

#include "io/h5.h"
#include "monitor/output_context.h"

struct json_t;

// Makes what is in a file of series: datasets without samples, attributes.
typedef sedge_status sedge_series_maker(const void *what, sedge_h5 *file);

// Root: make the file of series `name` by `maker`, which writes `bytes` bytes; where the run goes
// on, with the first `rows` samples of the old one. It is made beside the old one and takes its
// name when it is whole: a run that ends meanwhile loses nothing. Series of the old file that have
// no place in the new one stay behind in NAME.before-STEP. SEDGE_ERR_DATA: the old one is missing,
// damaged or shorter.
SEDGE_MUST_USE
sedge_status sedge_series_make(const sedge_output_context *context, const char *name, int64_t bytes,
                               int64_t rows, sedge_series_maker *maker, const void *what);

// How many samples a monitor of this name had, as sedge_series_save told its memory; 0 where
// `memory` is NULL.
SEDGE_MUST_USE
sedge_status sedge_series_load(int64_t *samples, const struct json_t *memory, const char *name);
SEDGE_MUST_USE
sedge_status sedge_series_save(int64_t samples, struct json_t *memory, const char *name);
