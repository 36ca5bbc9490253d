// Output: the folder that a run leaves behind, in HDF5 that ParaView, Python and h5dump open.
//
// Field files are VTKHDF 1.0, unstructured grids of Lagrange tetrahedra of the run's order, one
// piece a rank: fields_000000.hdf, ... each with links into one mesh.hdf, listed with their times
// in fields.hdf.series, which ParaView opens. Point data: one array a group of the equation's
// fields; cell data: material (volume group), element (number in the mesh file), rank. Time series:
// energy.h5 (/time, /step, /energy), probes.h5 (/time, /probes/NAME/GROUP [samples] or
// [samples][3]), slices.h5 (/time, /step, /slices/NAME/GROUP [snapshots][rows][columns] or
// [...][3], the coordinate arrays beside it, not-a-number outside the mesh).
// And deck.yaml, what was run, and report.json (report.h), how it went.
//
// Values are converted from code units to the deck's units here; attributes tell the units. Field
// files are written by all ranks, the rest by the root. A field file is complete or absent (written
// under a temporary name, flushed, renamed); the list names only complete ones. Time series are
// open only while something is appended, at the latest at each snapshot: they can be read while the
// run goes on. Disk space is reserved before it is written: a full disk is an error with a message.
#pragma once

#include "base/error.h"
#include "monitor/output_context.h"

#include <stdint.h>

typedef struct sedge_output sedge_output;

// Make the folder (an old run's files that this one would write are removed), check that it can be
// written, write deck.yaml and, if the deck asks for snapshots, mesh.hdf; find the elements of
// probes and slices. Collective. Keeps all arguments. SEDGE_ERR_USAGE: a folder that cannot be
// written into, a probe or slice outside the mesh (names deck, line, place), names that HDF5 cannot
// take or that come twice.
SEDGE_MUST_USE
sedge_status sedge_output_create(sedge_output **out, const sedge_comm *comm, const sedge_deck *deck,
                                 const sedge_mesh *mesh, const sedge_element *element,
                                 const sedge_problem *problem);

// The same for a run that goes on: the folder keeps its files, series are cut to `from`, field
// files behind it are removed. Each series is rewritten beside the old one and takes its name when
// it is whole, so that a run which ends meanwhile loses nothing. Series that the deck does not ask
// for any more stay behind in NAME.before-STEP. mesh.hdf stays if the elements lie on the ranks as
// before; else further field files link to mesh-PARTITION.hdf. SEDGE_ERR_DATA: a series is missing,
// damaged or shorter than `from`. A missing or damaged list of field files is no failure: it is
// rebuilt from the field files. Collective. Keeps all arguments but `from`.
SEDGE_MUST_USE
sedge_status sedge_output_continue(sedge_output **out, const sedge_comm *comm,
                                   const sedge_deck *deck, const sedge_mesh *mesh,
                                   const sedge_element *element, const sedge_problem *problem,
                                   const sedge_output_position *from);
void sedge_output_free(sedge_output *output);

const char *sedge_output_folder(const sedge_output *output);

// Write one field file from `u` [elements][fields][nodes], fp64, mesh order, code units (none if
// the deck asks for no snapshots); sample all slices into slices.h5; flush. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_snapshot(sedge_output *output, double time, int64_t step,
                                   const double *u);

// The same for the last state of a run that failed, which need not be finite: with a field file
// even if the deck asks for none. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_last_snapshot(sedge_output *output, double time, int64_t step,
                                        const double *u);

// Append one energy sample; it reaches the disk when there are many, after some seconds, or by a
// flush. Collective (root writes).
SEDGE_MUST_USE
sedge_status sedge_output_energy(sedge_output *output, double time, int64_t step, double energy);

// Probes: those of the deck that this rank owns, `*count` in the deck's order, borrowed from
// `output`. Each probe is owned by exactly one rank, the lowest of those that have its point.
typedef struct sedge_probe {
    int index;       // in the deck
    int32_t element; // of this rank
    double *weights; // [nodes], of the nodal values of `element`
} sedge_probe;
const sedge_probe *sedge_output_probes(const sedge_output *output, int *count);

// Append `samples` probe samples: times[s], values [s][owned probe][fields] of this rank's probes.
// `samples` and `times` are the same on all ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_append_probes(sedge_output *output, int samples, const double *times,
                                        const double *values);

// Is a monitor of a further kind (dg/monitor_kind.h) to record the state at the end of `step`? Not
// collective, but the same on all ranks.
bool sedge_output_due(const sedge_output *output, int64_t step);

// Give those monitors the state `u`, as for a snapshot. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_sample(sedge_output *output, double time, int64_t step, const double *u);

// Flush all series to the file system. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_flush(sedge_output *output);

// Flush all series to the disk itself, and tell how long they are at the end of `step`; the caller
// releases out->monitors by json_decref. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_sync(sedge_output *output, int64_t step, sedge_output_position *out);
