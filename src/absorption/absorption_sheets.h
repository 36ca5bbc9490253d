// The power that sheets take, whose laws join both of their sides, which may be on two ranks.
#pragma once

#include "monitor/face_points.h"
#include "monitor/spectrum.h"

// Set power [frequencies], the same on all ranks, of the surface group `group` from the spectrum of
// all fields at the points of its sides; code units: those of the transforms. SEDGE_ERR_MEMORY.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_sheet_powers(const sedge_face_points *points, int group,
                                           const sedge_output_context *context,
                                           const sedge_spectrum *spectrum, double *power);
