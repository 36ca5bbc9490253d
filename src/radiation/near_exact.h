// Fields at single points beside those of the known solution (`exact`): the Mie series near a
// sphere and in it, or plane layers, with the power that they reflect and let through.
#pragma once

#include "base/text.h"
#include "io/h5.h"
#include "monitor/spectrum.h"

#include <jansson.h>

typedef struct sedge_near_exact sedge_near_exact;

// Plan the comparison of a spectrum at points, which is normalised. At points inside a surface
// through which incident fields enter the fields are total ones, elsewhere scattered ones.
// SEDGE_ERR_USAGE: what sedge_exact_check says, or a point lies on such a surface, or this surface
// is not closed. Keeps `context` and `deck`; the caller frees it. Collective.
SEDGE_MUST_USE
sedge_status sedge_near_exact_create(sedge_near_exact **out, const sedge_output_context *context,
                                     const sedge_deck_spectrum *deck);
void sedge_near_exact_free(sedge_near_exact *near); // NULL is fine

// Find the exact fields, and the errors of the sums, which are on the host: row r of this rank is
// point ids[r]. Collective.
SEDGE_MUST_USE
sedge_status sedge_near_exact_find(sedge_near_exact *near, const sedge_spectrum *spectrum,
                                   const int64_t *ids);

// Root: write the exact fields, for a signal of 1 in the deck's unit (sedge_sampling.signal_unit),
// and the errors into the group `folder`/exact.
SEDGE_MUST_USE
sedge_status sedge_near_exact_write(const sedge_near_exact *near, double signal_unit,
                                    sedge_h5 *file, const char *folder);

// Add a table for the user to `text`, and all errors to `json`.
SEDGE_MUST_USE
sedge_status sedge_near_exact_report(const sedge_near_exact *near, sedge_text *text, json_t *json);
