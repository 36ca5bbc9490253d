// What all files of the output folder say: names, units, the factors from code units to those of
// the deck. Not collective.
#pragma once

#include "io/h5.h"
#include "monitor/output_context.h"

// Root attributes: title, deck, equation, order, units, version and what the file holds.
SEDGE_MUST_USE
sedge_status sedge_output_describe(sedge_h5 *file, const sedge_output_context *context,
                                   const char *content);

// The deck's unit as a text: `si`, or "1" where it is normalised.
const char *sedge_output_unit(const sedge_output_context *context, const char *si);

// How many parts the fields have, 1 or with a wave vector 2, and what the name of a part's dataset
// ends with: "", or "_imag" for the imaginary part.
int sedge_output_parts(const sedge_output_context *context);
const char *sedge_output_part(int part);

// Deck's value = code value * factor, of a group's fields.
double sedge_output_group_factor(const sedge_output_context *context,
                                 const sedge_output_group *group);

// Write the attributes of a dataset of one group: units, and the names of its components.
SEDGE_MUST_USE
sedge_status sedge_output_describe_group(sedge_h5 *file, const sedge_output_context *context,
                                         const char *path, const sedge_output_group *group);
