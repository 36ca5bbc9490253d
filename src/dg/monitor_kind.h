// A kind of monitor: something that a run records beside energy, probes, slices and snapshots. Its
// file is NAME_monitor.c (src/kinds/README.md), its section of the deck monitors.NAME, and it
// writes NAME.h5 into the output folder. A deck without that section has no such monitor.
//
// All functions are collective and agree on their status, but `due` and `free`.
#pragma once

#include "base/error.h"
#include "dg/equation.h"

#include <stdbool.h>
#include <stdint.h>

struct sedge_output_context; // monitor/output_context.h: deck, mesh, element, problem, the folder
struct json_t;

typedef struct sedge_monitor_kind {
    const char *name;
    const char *text; // what it records, for input/README.md
    const sedge_parameter *parameters;
    int parameter_count;

    // Keeps `context`; `parameters` are the numbers of the deck's section, in the table's order.
    // `memory` is what `save` told when the checkpoint was written that the run goes on from, and
    // NULL in a new run, in another folder, or where that run had no such monitor. The file is cut
    // to the samples of that moment (sedge_series_make). NULL in `*out` on failure.
    sedge_status (*create)(void **out, const struct sedge_output_context *context,
                           const double *parameters, const struct json_t *memory);
    // Is there something to record at the end of `step`? The same on all ranks.
    bool (*due)(const void *monitor, int64_t step);
    // Record the state: u [elements][fields][nodes], nodal values, mesh order, code units.
    sedge_status (*sample)(void *monitor, double time, int64_t step, const double *u);
    // Write what is kept in memory to NAME.h5; NULL: nothing is kept.
    sedge_status (*flush)(void *monitor);
    // Add to the object `memory` what `create` needs to go on: the length of the file and all that
    // later samples depend on. It becomes a part of each checkpoint's header.
    sedge_status (*save)(const void *monitor, struct json_t *memory);
    void (*free)(void *monitor);
} sedge_monitor_kind;

// All kinds that the program has; ends with NULL. Made by sedge_kinds (solvers/CMakeLists.txt).
extern const sedge_monitor_kind *const sedge_monitor_kinds[];
