// Files of series, whose datasets grow by a row with every sample: energy.h5, probes.h5, slices.h5.
// The root makes them, new or with the samples that a run goes on from.
#pragma once

#include "io/h5.h"
#include "monitor/output_context.h"

// Makes what is in a file of series: datasets without samples, attributes.
typedef sedge_status sedge_series_maker(const void *what, sedge_h5 *file);

// Root: make the file of series `name` by `maker`, which writes `bytes` bytes; where the run goes
// on, with the first `rows` samples of the old one.
SEDGE_MUST_USE
sedge_status sedge_series_make(const sedge_output_context *context, const char *name, int64_t bytes,
                               int64_t rows, sedge_series_maker *maker, const void *what);
