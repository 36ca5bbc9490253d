// Copies of the fields for field files: fp32 at VTK's nodes of the elements that are in the file,
// group after group, each [parts][elements][nodes][components] in the deck's units, with the
// imaginary part of fields behind the real one. The solver makes them
// while it goes on, where it can (sample.h); else they are made here from the sample's fields.
#pragma once

#include "monitor/sample.h"
#include "monitor/vtk_file.h"

typedef struct sedge_field_copy sedge_field_copy;

// For `rooms` copies. Keeps `vtk` and the sample's source. Collective.
SEDGE_MUST_USE
sedge_status sedge_field_copy_create(sedge_field_copy **out, const sedge_vtk *vtk,
                                     const sedge_sample *sample, int rooms);
void sedge_field_copy_free(sedge_field_copy *copy);

// Copy the sample's state into a room, which nobody reads any more. Collective.
SEDGE_MUST_USE
sedge_status sedge_field_copy_take(sedge_field_copy *copy, sedge_sample *sample, int room);

// Wait until the room has the values. Any thread may call it.
SEDGE_MUST_USE
sedge_status sedge_field_copy_wait(const sedge_field_copy *copy, int room);

// The values of a part of an output group, by its number in the equation, and their number.
// Borrowed.
const float *sedge_field_copy_values(const sedge_field_copy *copy, int room, int group, int part,
                                     int64_t *count);
