// The power that walls and sheets with losses take at frequencies, from the transforms of the
// fields on them.
#pragma once

#include "monitor/face_points.h"
#include "monitor/spectrum.h"

typedef struct sedge_absorption_surface {
    const char *name;         // borrowed from the deck
    int group;                // number of the surface group
    sedge_face_points faces;  // normals are those of each side's own element
    double *sides;            // [sides] room
    char transform_name[144]; // of its transform: ENTRY/on-NAME
} sedge_absorption_surface;

// The surfaces of an entry, out [deck->surface_count], which is 0 before; all are to be cleared in
// any case. SEDGE_ERR_USAGE: the loss of a surface is not known, or fields are scattered ones.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_surfaces_create(sedge_absorption_surface *out,
                                              const sedge_output_context *context,
                                              const sedge_deck_absorption *deck);
void sedge_absorption_surface_clear(const sedge_absorption_surface *surface);

// Set power [frequencies] from the spectrum of all fields at the faces' points; code units: those
// of the transforms. Failures are those of sedge_absorption_sheet_powers. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_surface_powers(const sedge_absorption_surface *surface,
                                             const sedge_output_context *context,
                                             const sedge_spectrum *spectrum, double *power);
