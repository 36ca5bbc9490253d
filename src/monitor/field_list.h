// The field files of a run, fields_000000.hdf and so on, and fields.hdf.series, the list of those
// that are complete with their times, which ParaView opens. Functions of the root.
#pragma once

#include "monitor/output_context.h"

// The name of field file `index`.
void sedge_field_list_name(char name[32], int index);

// Write the list of the first `count` field files, with their times; whole or not at all.
SEDGE_MUST_USE
sedge_status sedge_field_list_write(const sedge_output_context *context, int count,
                                    const double *times);

// Remove the list.
void sedge_field_list_remove(const sedge_output_context *context);

// Read the times of the first `count` field files into `times`, from the list. If that is missing
// or damaged they are read from the field files, with a warning.
SEDGE_MUST_USE
sedge_status sedge_field_list_read(const sedge_output_context *context, int64_t count,
                                   double *times);

// Remove the field files from number `count` on.
SEDGE_MUST_USE
sedge_status sedge_field_list_cut(const sedge_output_context *context, int64_t count);
