// The parts of sedge_output, one file each: fields, energy, probes, slices. Only output*.c include
// this.
//
// Every part is made by all ranks, borrows the context, and is given what its file holds in code
// units. Functions are collective unless they say otherwise, and agree on their status.
#pragma once

#include "deck/deck.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "io/h5.h"
#include "mesh/mesh.h"
#include "monitor/output.h"
#include "par/comm.h"

#include <stdint.h>

#define SEDGE_OUTPUT_PATH 4096

typedef struct sedge_output_context {
    const sedge_comm *comm;
    const sedge_deck *deck;
    const sedge_mesh *mesh;
    const sedge_element *element;
    const sedge_problem *problem;
    const sedge_output_position *from; // where the series go on; NULL: new ones
    char folder[SEDGE_OUTPUT_PATH - 256];
} sedge_output_context;

// ---- the folder (output_folder.c) --------------------------------------------------------------

// Make the folder, remove what an earlier run left there, write deck.yaml.
SEDGE_MUST_USE
sedge_status sedge_output_prepare_folder(const sedge_output_context *context);

// ---- what all files say (output_folder.c); not collective --------------------------------------

// The path of `name` in the output folder.
void sedge_output_path(char path[SEDGE_OUTPUT_PATH], const sedge_output_context *context,
                       const char *name);

// Root attributes: title, deck, equation, order, units, version and what the file holds.
SEDGE_MUST_USE
sedge_status sedge_output_describe(sedge_h5 *file, const sedge_output_context *context,
                                   const char *content);

// The deck's unit as a text: `si`, or "1" where it is normalised.
const char *sedge_output_unit(const sedge_output_context *context, const char *si);

// Deck's value = code value * factor, of a group's fields.
double sedge_output_group_factor(const sedge_output_context *context,
                                 const sedge_output_group *group);

// Write the attributes of a dataset of one group: units, and the names of its components.
SEDGE_MUST_USE
sedge_status sedge_output_describe_group(sedge_h5 *file, const sedge_output_context *context,
                                         const char *path, const sedge_output_group *group);

// A name that can stand for an HDF5 group and is not among the `before` names that came first;
// `name_at` gives the i-th name. `what` is "probe" or "slice".
SEDGE_MUST_USE
sedge_status sedge_output_check_name(const sedge_output_context *context, const char *what,
                                     int line, const char *name, int before,
                                     const char *(*name_at)(const sedge_deck *deck, int i));

// Is the file of this name to be removed? `what` is the caller's.
typedef bool sedge_output_judge(const char *name, const void *what);

// Root: remove the files in the output folder that `is_old` names.
SEDGE_MUST_USE
sedge_status sedge_output_remove(const sedge_output_context *context, sedge_output_judge *is_old,
                                 const void *what);

// ---- going on (output_continue.c); of the root -------------------------------------------------

// Makes what is in a file of series: datasets without samples, attributes.
typedef sedge_status sedge_series_maker(const void *what, sedge_h5 *file);

// Root: make the file of series `name` by `maker`, which writes `bytes` bytes; where the run goes
// on, with the first `rows` samples of the old one.
SEDGE_MUST_USE
sedge_status sedge_output_make_series(const sedge_output_context *context, const char *name,
                                      int64_t bytes, int64_t rows, sedge_series_maker *maker,
                                      const void *what);

// Root: read the times of the first `count` field files into `times`, from fields.hdf.series. If
// that is missing or damaged they are read from the field files, with a warning.
SEDGE_MUST_USE
sedge_status sedge_output_read_times(const sedge_output_context *context, int64_t count,
                                     double *times);

// Root: remove the field files from number `count` on.
SEDGE_MUST_USE
sedge_status sedge_output_remove_fields(const sedge_output_context *context, int64_t count);

// ---- VTK's nodes (output_lattice.c); not collective --------------------------------------------

// The equispaced lattice of an element's order in VTK's numbering of Lagrange tetrahedra.
typedef struct sedge_lattice {
    int order;
    int nodes;
    int padded;      // nodes, rounded up to a multiple of 8
    int (*place)[3]; // [nodes] i, j, k: v0 + (i (v1 - v0) + j (v2 - v0) + k (v3 - v0)) / order
    double *weights; // [element node][padded]: of the element's node in the lattice node's value
} sedge_lattice;

SEDGE_MUST_USE
sedge_status sedge_lattice_create(sedge_lattice **out, const sedge_element *element);
void sedge_lattice_free(sedge_lattice *lattice);

// values[m * stride] = scale * (value at lattice node m) of the nodal values u [nodes].
void sedge_lattice_apply(const sedge_lattice *lattice, const double *u, double scale, float *values,
                         int stride);

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
