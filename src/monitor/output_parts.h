// The parts of sedge_output, one file each: fields, energy, probes, slices. Only output*.c include
// this.
//
// Every part is made by all ranks, borrows the context, and is given what its file holds in code
// units. Functions are collective unless they say otherwise, and agree on their status.
#pragma once

#include "monitor/output.h"
#include "monitor/output_context.h"

// ---- fields (output_fields.c) ------------------------------------------------------------------

typedef struct sedge_fields sedge_fields;

// Write the mesh if the deck asks for snapshots; cut the list where the run goes on.
SEDGE_MUST_USE
sedge_status sedge_fields_create(sedge_fields **out, const sedge_output_context *context);
void sedge_fields_free(sedge_fields *fields);

// Field files so far.
int64_t sedge_fields_count(const sedge_fields *fields);

// Make ready for field files, if that is not done: write mesh.hdf, unless an earlier one fits.
SEDGE_MUST_USE
sedge_status sedge_fields_prepare(sedge_fields *fields);

// Write the next field file and the list of all. To be prepared before.
SEDGE_MUST_USE
sedge_status sedge_fields_write(sedge_fields *fields, double time, int64_t step, const double *u);

// ---- energy (output_series.c) ------------------------------------------------------------------

typedef struct sedge_energy_log sedge_energy_log;

SEDGE_MUST_USE
sedge_status sedge_energy_log_create(sedge_energy_log **out, const sedge_output_context *context);
void sedge_energy_log_free(sedge_energy_log *log);

// Keep one sample; kept samples are written when there are many or some seconds have passed.
SEDGE_MUST_USE
sedge_status sedge_energy_log_add(sedge_energy_log *log, double time, int64_t step, double energy);

// Samples so far, kept ones included.
int64_t sedge_energy_log_count(const sedge_energy_log *log);

// Write what is kept.
SEDGE_MUST_USE
sedge_status sedge_energy_log_flush(sedge_energy_log *log);

// ---- probes (output_series.c) ------------------------------------------------------------------

typedef struct sedge_probe_log sedge_probe_log;

SEDGE_MUST_USE
sedge_status sedge_probe_log_create(sedge_probe_log **out, const sedge_output_context *context);
void sedge_probe_log_free(sedge_probe_log *log);

// This rank's probes, in the deck's order. Not collective.
const sedge_probe *sedge_probe_log_owned(const sedge_probe_log *log, int *count);

// Samples so far.
int64_t sedge_probe_log_count(const sedge_probe_log *log);

SEDGE_MUST_USE
sedge_status sedge_probe_log_append(sedge_probe_log *log, int samples, const double *times,
                                    const double *values);

// ---- slices (output_slices.c) ------------------------------------------------------------------

typedef struct sedge_slice_log sedge_slice_log;

SEDGE_MUST_USE
sedge_status sedge_slice_log_create(sedge_slice_log **out, const sedge_output_context *context);
void sedge_slice_log_free(sedge_slice_log *log);

// Samples so far.
int64_t sedge_slice_log_count(const sedge_slice_log *log);

SEDGE_MUST_USE
sedge_status sedge_slice_log_write(sedge_slice_log *log, double time, int64_t step,
                                   const double *u);
