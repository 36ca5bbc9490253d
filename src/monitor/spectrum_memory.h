// What checkpoints tell of running Fourier transforms, beside the arrays of their sums: how the
// fields are sampled, and of each transform what it is of and the sums of the incident signal.
#pragma once

#include "monitor/spectrum.h"

struct json_t;

// Add to a monitor's `memory` how the fields are sampled.
SEDGE_MUST_USE
sedge_status sedge_sampling_save(const sedge_sampling *sampling,
                                 const sedge_output_context *context, struct json_t *memory);

// Compare it where sums go on. SEDGE_ERR_USAGE: this run samples otherwise.
SEDGE_MUST_USE
sedge_status sedge_sampling_compare(const sedge_sampling *sampling,
                                    const sedge_output_context *context,
                                    const struct json_t *memory);

// Add to `memory` the transform `name`. `place` stands for the points: sums for other points have
// another one.
SEDGE_MUST_USE
sedge_status sedge_spectrum_save(const sedge_spectrum *spectrum, struct json_t *memory,
                                 const char *name, uint64_t place);

// Go on with the transform `name` of `memory`: sets `restored`, `begin` and the sums of the signal.
// If there is none, the sums begin now. SEDGE_ERR_USAGE: the sums there are of something else;
// `line` is that of the deck.
SEDGE_MUST_USE
sedge_status sedge_spectrum_load(sedge_spectrum *spectrum, const sedge_output_context *context,
                                 const struct json_t *memory, const char *name, int line,
                                 uint64_t place);
