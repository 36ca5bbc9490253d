// A kind of monitor: something that a run records, such as the energy, fields at points, or whole
// fields. Its file is NAME_monitor.c (src/kinds/README.md); runs, decks and checkpoints know it by
// its row in the table below alone.
//
// All functions are collective and agree on their status, but `requested`, `due`, `points`, `owns`
// and `free`, which give the same answer on all ranks (`points`: those of this rank), and `save`,
// whose failure may be of one rank alone.
#pragma once

#include "base/error.h"
#include "dg/equation.h"

#include <stdbool.h>
#include <stdint.h>

struct sedge_output_context; // monitor/output_context.h: deck, mesh, element, problem, the folder
struct sedge_sample;         // monitor/sample.h: the state at the end of a step
struct sedge_deck;           // deck/deck.h
struct json_t;

// A point at which a monitor needs the fields.
typedef struct sedge_monitor_point {
    int32_t element;       // of this rank
    const double *weights; // [nodes], of the nodal values of `element`
} sedge_monitor_point;

typedef struct sedge_monitor_kind {
    const char *name;
    const char *text; // what it records, for input/README.md

    // Which decks have the monitor. NULL: those with a section monitors.NAME, whose keys are
    // `parameters`. Else the deck's schema has its keys, there are no parameters, and this tells.
    bool (*requested)(const struct sedge_deck *deck);
    const sedge_parameter *parameters;
    int parameter_count;

    // Keeps `context`; `parameters` are the numbers of the deck's section, in the table's order.
    // `memory` is what `save` told when the checkpoint was written that the run goes on from, and
    // NULL in a new run, in another folder, or where no run had such a monitor. Files are cut to
    // the samples of that moment (monitor/series.h). NULL in `*out` on failure.
    sedge_status (*create)(void **out, const struct sedge_output_context *context,
                           const double *parameters, const struct json_t *memory);
    // Is there something to record at the end of `step`?
    bool (*due)(const void *monitor, int64_t step);
    // Record what `sample` gives of the state. NULL: `points` are all that the monitor needs.
    sedge_status (*sample)(void *monitor, struct sedge_sample *sample);
    // Optional: record the state in which a run has failed, due or not, unless `sample` has done so
    // in the same step. It may be not-a-number.
    sedge_status (*last)(void *monitor, struct sedge_sample *sample);
    // All monitors are flushed after a sample of this one: their files tell of the same time.
    bool flushes_all;

    // Optional: this rank's points, `*count` of them, the same in the whole run; borrowed from the
    // monitor. Then `receive` gets the fields there, of every step that is due: no step waits for
    // them, they come in batches, at the latest before `flush`. values [samples][points][fields],
    // code units; `samples` and times [samples] are the same on all ranks.
    const sedge_monitor_point *(*points)(const void *monitor, int *count);
    sedge_status (*receive)(void *monitor, int samples, const double *times, const double *values);

    // Optional: write what is kept in memory to the monitor's files.
    sedge_status (*flush)(void *monitor);
    // Add to the object `memory` what `create` needs to go on: the lengths of files and all that
    // later samples depend on. It becomes a part of each checkpoint's header.
    sedge_status (*save)(const void *monitor, struct json_t *memory);
    void (*free)(void *monitor);

    // Is a file of this name in an output folder one of the monitor's? NULL: those of NAME.h5,
    // which each checkpoint brings to the disk before it is written. Files of other names must be
    // on the disk when `sample`, `receive` or `flush` has written them (sedge_file_write,
    // sedge_file_publish), or a checkpoint might know of samples that a machine's stop has lost.
    bool (*owns)(const char *name);
} sedge_monitor_kind;

// All kinds that the program has; ends with NULL. Made by sedge_kinds (solvers/CMakeLists.txt).
extern const sedge_monitor_kind *const sedge_monitor_kinds[];

// Is a kind's table whole? SEDGE_ERR_USAGE names an entry that is missing.
SEDGE_MUST_USE
sedge_status sedge_monitor_kind_check(const sedge_monitor_kind *kind);
