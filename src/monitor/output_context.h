// What all files in a run's output folder need to know of the run. Whoever fills it in keeps it,
// and what it points to, as long as the run writes.
#pragma once

#include "deck/deck.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_OUTPUT_PATH 4096

typedef struct sedge_output_context {
    const sedge_comm *comm;
    const sedge_deck *deck; // the folder is deck->output
    const sedge_mesh *mesh;
    const sedge_element *element;
    const sedge_problem *problem;
    int threads;                 // of this process, that may work at once; 0 is 1
    struct sedge_writer *writer; // io/writer.h, for all files that threads write, in the order in
                                 // which they are added; there between create and free of monitors
    double dt;                   // of a step, code units; 0 without time
    int64_t steps;               // of the whole run, those before a restart included; at least 1
    int64_t first_step;          // after which this run begins: 0, or a checkpoint's
    double first_time;           // of the end of that step, code units
    bool continues; // the folder's files go on, which tell of the time until first_step; else
                    // new ones begin there
    bool checks;    // monitors are made for their errors alone: without files, and sums
} sedge_output_context;
