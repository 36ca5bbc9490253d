// The points of a spectrum of the deck, in rows (monitor/spectrum.h): single points, pixels of a
// plane, sides of a surface's faces, or elements with their nodes.
#pragma once

#include "monitor/face_points.h"
#include "monitor/plane.h"

typedef struct sedge_spectrum_rows {
    int64_t count; // of this rank
    int row_points;
    int64_t *ids;            // [count]
    int64_t limit;           // ids are below it
    int32_t *elements;       // [count][row_points]; of volume groups [count], and no weights
    double *weights;         // [count][row_points][nodes]
    int32_t *row_of;         // of volume groups: [elements of this rank] the row of each, or -1
    sedge_plane plane;       // of a plane, without its points
    sedge_face_points faces; // of a surface, without elements, weights and ids
} sedge_spectrum_rows;

// Find the points. SEDGE_ERR_USAGE: a surface's normals have no direction. Clear it in any case.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_rows_create(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                                        const sedge_output_context *context);
void sedge_spectrum_rows_clear(const sedge_spectrum_rows *rows);

// A number for the points that the deck asks for: other points have another one.
uint64_t sedge_spectrum_rows_hash(const sedge_deck_spectrum *deck);
