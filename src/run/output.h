// Output: the folder that a run leaves behind, in HDF5 that ParaView, Python and h5dump open.
//
//   mesh.hdf, fields_000000.hdf, ..., fields.hdf.series   VTKHDF 1.0, Lagrange tets of the run's
//   order probes.h5, energy.h5, slices.h5                       time series report.json, deck.yaml
//   what was run, and how it went
//
// Files are written by parallel HDF5. Values are converted from code units to the deck's units
// here. A field file is complete or absent (written under a temporary name, flushed, renamed); the
// series file lists only complete ones. Time series grow by chunks and are flushed at each
// snapshot.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "run/deck.h"

#include <stdint.h>

typedef struct sedge_output sedge_output;

// Make the folder (an old run's files that this one would write are replaced), check that it can be
// written, write deck.yaml and, if the deck asks for snapshots, mesh.hdf. Collective. Keeps all
// arguments.
SEDGE_MUST_USE
sedge_status sedge_output_create(sedge_output **out, const sedge_comm *comm, const sedge_deck *deck,
                                 const sedge_mesh *mesh, const sedge_element *element,
                                 const sedge_problem *problem);
void sedge_output_free(sedge_output *output);

const char *sedge_output_folder(const sedge_output *output);

// Write one field file from `u` [elements][fields][nodes], fp64, mesh order, code units; sample all
// slices into slices.h5. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_snapshot(sedge_output *output, double time, int64_t step,
                                   const double *u);

// Append one energy sample. Collective (root writes).
SEDGE_MUST_USE
sedge_status sedge_output_energy(sedge_output *output, double time, int64_t step, double energy);

// Probes: which of the deck's probes this rank owns (each probe is owned by exactly one rank; a
// probe outside the mesh is SEDGE_ERR_USAGE naming deck, line, point). Collective.
typedef struct sedge_probe {
    int index;       // in the deck
    int32_t element; // of this rank
    double *weights; // [nodes], of the nodal values of `element`
} sedge_probe;
SEDGE_MUST_USE
sedge_status sedge_output_probes(const sedge_output *output, const sedge_probe **probes,
                                 int *count);

// Append `samples` probe samples: times[s], values [s][owned probe][fields] of this rank's probes.
// `samples` and `times` are the same on all ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_append_probes(sedge_output *output, int samples, const double *times,
                                        const double *values);

// Flush all series to disk. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_flush(sedge_output *output);
