// What all files of a run's output folder need: the problem, and the folder.
#pragma once

#include "deck/deck.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

#define SEDGE_OUTPUT_PATH 4096

// How far the output has come: samples in energy.h5, probes.h5 and slices.h5, files in
// fields.hdf.series, at the end of `step`.
typedef struct sedge_output_position {
    int64_t energies, probes, slices, fields;
    int64_t step;
    struct json_t *monitors; // what those of further kinds remember: {NAME: {...}}; NULL: nothing
} sedge_output_position;

typedef struct sedge_output_context {
    const sedge_comm *comm;
    const sedge_deck *deck;
    const sedge_mesh *mesh;
    const sedge_element *element;
    const sedge_problem *problem;
    const sedge_output_position *from; // where the series go on; NULL: new ones
    char folder[SEDGE_OUTPUT_PATH - 256];
} sedge_output_context;
