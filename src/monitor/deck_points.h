// The single points of the deck, of probes or of a spectrum, that belong to this rank. Each point
// belongs to one rank: that of the element which contains it.
#pragma once

#include "dg/monitor_kind.h"
#include "monitor/output_context.h"

#include <stdint.h>

typedef struct sedge_deck_points {
    int64_t count;     // of this rank
    int64_t *ids;      // [count], the point's index in the deck, ascending
    int32_t *elements; // [count]
    double *weights;   // [count][nodes], by which nodal values give the value at the point
} sedge_deck_points;

// Find the points that are this rank's of `points` [count]; messages call each of them `what`.
// SEDGE_ERR_INTERNAL: a point lies outside the mesh, which session/places.h refuses. Clear it in
// any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_deck_points_find(sedge_deck_points *out, const sedge_output_context *context,
                                    const sedge_deck_probe *points, int count, const char *what);
void sedge_deck_points_clear(const sedge_deck_points *points);

// The same for the recorder, `*out` [parts][points->count]: where fields have an imaginary part,
// the same points in the twins of the elements follow. Borrows the weights. The caller releases it.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_deck_points_list(sedge_monitor_point **out, const sedge_deck_points *points,
                                    const sedge_output_context *context);
