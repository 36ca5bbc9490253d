// A kind of monitor: something that a run records, such as the energy, fields at points, or whole
// fields. Its file is NAME_monitor.c (src/kinds/README.md). Runs, decks and checkpoints use it only
// through its sedge_monitor_kind.
//
// All functions are collective and agree on their status, except `requested`, `due`, `points`,
// `owns` and `free`. These are not collective; `requested`, `due` and `owns` give the same answer
// on all ranks. `save` does not agree: it may fail on one rank alone.
#pragma once

#include "base/error.h"
#include "dg/equation.h"

#include <stdbool.h>
#include <stdint.h>

struct sedge_output_context; // monitor/output_context.h: deck, mesh, element, problem, the folder
struct sedge_sample;         // monitor/sample.h: the state at the end of a step
struct sedge_point_recorder; // monitor/point_recorder.h: samples of fields at points, on the device
struct sedge_deck;           // deck/deck.h
struct json_t;
struct sedge_text; // base/text.h

// A point at which a monitor needs the fields.
typedef struct sedge_monitor_point {
    int32_t element;       // of this rank
    const double *weights; // [nodes], of the nodal values of `element`; NULL: the point is a node
    int32_t node;          // this one, where `weights` is NULL
} sedge_monitor_point;

// Sums over the run that are too many for a monitor's `memory`: rows of `width` numbers, each row
// on one rank. A checkpoint has them under the names of monitor and array, with the rows' ids, by
// which the rows find their ranks in a run on other ranks.
typedef struct sedge_monitor_array {
    char name[80];      // unique in its monitor; a group of HDF5
    bool restore;       // this run goes on with sums of before: the checkpoint must have them
    int64_t limit;      // ids are below it
    int64_t count;      // rows of this rank
    const int64_t *ids; // [count], of all ranks' rows different ones
    int64_t width;      // the same on all ranks
    double *values;     // [count][width]
} sedge_monitor_array;

// What a monitor will need, for plans before it is made.
typedef struct sedge_monitor_needs {
    double highest;    // frequency of its transforms, code units; 0: it has none
    double points;     // of this rank, none of which is a node
    double host_bytes; // of this rank, without the samples
} sedge_monitor_needs;

// For `settle`, instead of a step.
#define SEDGE_SETTLE_WRITTEN ((int64_t)-1)
#define SEDGE_SETTLE_ALL     INT64_MAX

typedef struct sedge_monitor_kind {
    const char *name;
    const char *text; // what it records, for input/keys.md

    // What it records is right in a mesh with twins (mesh/mesh.h). A deck that asks for a kind
    // without this and for a wave vector is refused.
    bool twins;

    // Whether a deck requests the monitor. NULL: a deck does so by a section monitors.NAME, whose
    // keys are `parameters`. Not NULL: the monitor's keys are in the deck's schema, and
    // `parameters` is empty.
    bool (*requested)(const struct sedge_deck *deck);
    const sedge_parameter *parameters;
    int parameter_count;

    // Create a monitor. Keeps `context`; `parameters` are the numbers of the deck's section, in the
    // table's order. When a run continues from a checkpoint, `memory` is what `save` stored in it,
    // and files are truncated to the samples of that moment (monitor/series.h). `memory` is NULL in
    // a new run, in another folder, or if the earlier run had no such monitor. `*out` is NULL on
    // failure.
    sedge_status (*create)(void **out, const struct sedge_output_context *context,
                           const double *parameters, const struct json_t *memory);
    // The memory is that of sums over the whole run, and not of files: `create` also gets it when a
    // run continues in another folder.
    bool sums;
    // `create` reads and writes no files in a new run, or none where the context `checks`, and
    // makes no sums there: `sedge check` creates the monitor and frees it, and so refuses what the
    // run would.
    bool checked;
    // Optional, of a kind with `parameters`. Not collective.
    void (*find_needs)(sedge_monitor_needs *out, const struct sedge_output_context *context,
                       const double *parameters);
    // Optional: the monitor's arrays, `*count` of them, the same on all ranks; borrowed from the
    // monitor. After `create` the run fills in those that have `restore`; each checkpoint has all,
    // as they are after `save`.
    const sedge_monitor_array *(*arrays)(const void *monitor, int *count);
    // Is there something to record at the end of `step`?
    bool (*due)(const void *monitor, int64_t step);
    // Record the state, which `sample` gives. NULL: the monitor needs only the fields at `points`,
    // or the `energy`.
    sedge_status (*sample)(void *monitor, struct sedge_sample *sample);
    // Optional: gets the energy of the mesh without layers at the end of each step that is due,
    // code units, when the run knows it: after a later step perhaps, and before `flush`.
    sedge_status (*energy)(void *monitor, int64_t step, double time, double energy);
    // Optional: record the state in which a run has failed, due or not, unless `sample` has done so
    // in the same step. It may be not-a-number.
    sedge_status (*last)(void *monitor, struct sedge_sample *sample);
    // All monitors are flushed after each sample of this one, so that their files describe the same
    // time.
    bool flushes_all;

    // Optional: this rank's points, `*count` of them, the same during the whole run; borrowed from
    // the monitor. The fields at these points are recorded for every step that is due. Steps do not
    // wait for them: they come in batches, at the latest before `flush`. `samples` and times
    // [samples] are the same on all ranks.
    const sedge_monitor_point *(*points)(const void *monitor, int *count);
    // Optional: the most samples of the points that wait for `receive`, for a kind that is flushed
    // so often that more would be memory in vain; 0: by rule (monitor/point_recorder.h).
    int most_waiting;
    // Optional: `receive` gets a batch on the host, steps and times [samples], values
    // [samples][points][fields] in code units.
    sedge_status (*receive)(void *monitor, int samples, const int64_t *steps, const double *times,
                            const double *values);
    // The fields at the points are also recorded in the state in which a run has failed, due or
    // not.
    bool last_points;
    // Optional, both: a batch is transformed where it is, on the device, and does not come to the
    // host for it (monitor/spectrum.h). `connect` tells once, after `create`, which recorder the
    // points have: it outlives the monitor. `transform` comes before `receive`.
    sedge_status (*connect)(void *monitor, struct sedge_point_recorder *recorder);
    sedge_status (*transform)(void *monitor, int samples, const double *times);

    // Optional: complete the files that the context's writer (monitor/output_context.h) writes
    // while the run goes on: those of samples up to `step`, for which it waits, or, with
    // SEDGE_SETTLE_WRITTEN, those that are written already. Comes from time to time, after
    // `finish`, and before a checkpoint gets its name, with the checkpoint's step. After a failure
    // it completes no later file, and fails where files up to `step` are missing.
    sedge_status (*settle)(void *monitor, int64_t step);

    // Optional: for time.stop.spectra. With `measure` a window of `window` steps has ended, and the
    // monitor is flushed: compare its transforms with those of the window before. `*remains`: by
    // how much, at the end of both of the last two windows, what is still to come could change the
    // transforms, relative to them; infinity: not known yet. The same on all ranks.
    sedge_status (*compare)(void *monitor, int64_t window, bool measure, double *remains);

    // Optional: write what is kept in memory to the monitor's files.
    sedge_status (*flush)(void *monitor);
    // Optional: the run has come to its end; write what is known only then. The monitor is flushed.
    // Kinds with `settle` come first.
    sedge_status (*finish)(void *monitor);
    // Optional, after `finish`, on the root alone: add lines for the user to `text`, and numbers to
    // the object `json`, which becomes monitors.NAME of report.json.
    sedge_status (*report)(const void *monitor, struct sedge_text *text, struct json_t *json);
    // Add to the object `memory` what `create` needs to go on: the lengths of files, those that are
    // being written included, and all that later samples depend on. It becomes a part of each
    // checkpoint's header.
    sedge_status (*save)(const void *monitor, struct json_t *memory);
    void (*free)(void *monitor);

    // True if a file of this name in an output folder is the monitor's. NULL: the monitor has only
    // NAME.h5, which is flushed to disk before each checkpoint gets its name. Files of other names
    // must be on the disk when `sample`, `receive`, `flush`, or `settle` with a step returns
    // (sedge_file_write, sedge_file_publish). Otherwise, after a crash of the machine, a checkpoint
    // could refer to samples that are lost.
    bool (*owns)(const char *name);
} sedge_monitor_kind;

// All kinds that the program has; ends with NULL. Made by sedge_kinds (solvers/CMakeLists.txt).
extern const sedge_monitor_kind *const sedge_monitor_kinds[];

// Check that each kind of a table that ends with NULL is complete, and that no two have one name.
// SEDGE_ERR_USAGE names a missing entry, or the name.
SEDGE_MUST_USE
sedge_status sedge_monitor_kinds_check(const sedge_monitor_kind *const table[]);
