// A session: the objects that `run`, `check` and the other commands on a deck need first: deck,
// mesh, element, problem and time step.
#pragma once

#include "base/error.h"
#include "base/stopwatch.h"
#include "deck/deck.h"
#include "deck/deck_sweep.h"
#include "dg/element.h"
#include "dg/levels.h"
#include "dg/point.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "monitor/output_context.h"
#include "operator/operator.h"
#include "par/comm.h"
#include "session/local_steps_choice.h"
#include "session/places.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_MAX_SETTINGS 64
#define SEDGE_SWEEP_EXTRA  (SEDGE_SWEEP_KEYS + 2) // settings of a run of a sweep beside these

// The command line's common options.
typedef struct sedge_run_options {
    const char *deck;
    const char *text; // the deck's content; NULL: it is read
    size_t text_length;
    const char *settings[SEDGE_MAX_SETTINGS + SEDGE_SWEEP_EXTRA]; // "key.sub=value", in order
    int setting_count;
    const char *restart; // "auto", a checkpoint; NULL: from the beginning
    const char *report;  // NULL: report.json in the output folder
    const char *arch;    // of sedge build: "sm_80,sm_90"; NULL: the device's own
    double start;  // of the process, on sedge_clock; 0: not known, the limit of time counts later
    double begun;  // of this run in a process that makes several; 0: at the process's start
    bool terminal; // standard output is one: progress may be rewritten in place
    bool forget;   // of sedge tune: measure even if there is wisdom
    bool quiet;
    bool verbose;
} sedge_run_options;

typedef struct sedge_session {
    const sedge_comm *comm;           // borrowed
    const sedge_run_options *options; // borrowed
    sedge_deck *deck;
    sedge_mesh *mesh;
    sedge_element *element;
    sedge_problem problem;
    sedge_points points;        // where its point sources act; empty without time
    int cancelled;              // a point source whose image in a wall cancels it; -1: none
    int cancelled_by;           // the wall's surface group
    sedge_places_cut cut;       // a point source whose ball reaches the surface of a far field
    sedge_places_beside beside; // one whose ball reaches a periodic side
    // The step after which all elements have the same time, code units; 0 without time. With levels
    // of local time steps it is that of the highest level.
    double dt;
    double stable_dt;        // the largest one that the deck allows
    double least_step;       // the least stable step of any element
    sedge_local_steps local; // whether local time steps pay, where the deck leaves it open
    sedge_levels levels;     // `levels`, `dt` for stable_dt, `count` and `gain`; `level` is NULL
    int64_t steps;           // of the whole run, those before a restart included
    double origin_time;      // time of step origin_step; both 0 unless a restart changed dt
    int64_t origin_step;
    // The element that limits dt:
    double limit_place[3]; // centroid
    double limit_inradius; // inscribed radius
    double limit_straight; // the same if all its edges were straight
    double limit_height;   // least height
    double limit_decay;    // fraction of its limit that is due to the material's decay, 0 to 1
    int limit_group;       // volume group
    double mesh_seconds;
    sedge_stopwatch *watch; // of the parts of the set-up, borrowed; NULL: none
} sedge_session;

// Find the integrator of the run that this one goes on from. `*out` stays NULL where none is known.
// Collective.
typedef sedge_status sedge_session_before(const sedge_session *session,
                                          const sedge_integrator **out);

// Read the file `path` on the root and send it to all ranks. `*out` gets `*length` bytes and a NUL
// behind them; release with sedge_release. Collective. SEDGE_ERR_USAGE, SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_session_read_text(char **out, size_t *length, const sedge_comm *comm,
                                     const char *path);

// Read the deck, make the mesh, combine them, and find dt. Collective. SEDGE_ERR_USAGE: the deck is
// wrong. SEDGE_ERR_DATA: its mesh is wrong. `writes`: check, before the mesh is made, that the
// output folder and the report can be written and would not overwrite the deck or the mesh. `watch`
// gets the parts' times; NULL: nobody reads them. `before` is asked where the deck leaves the
// integrator open; NULL: nothing went before. Keeps `comm`, `options` and `watch`, which must
// outlive the session. Close it in any case.
SEDGE_MUST_USE
sedge_status sedge_session_open(sedge_session *session, const sedge_comm *comm,
                                const sedge_run_options *options, bool writes,
                                sedge_stopwatch *watch, sedge_session_before *before);
void sedge_session_close(sedge_session *session);

// Continue a run after `step`. In that run the time step `dt` was used from origin_step and
// origin_time on. If the deck gives the same dt, the times of all steps are the same to the last
// bit. Else the remaining time is divided into whole steps of the new dt, starting at `step`.
// SEDGE_ERR_USAGE if the deck's end lies before `step`; `path` is that of the checkpoint. Not
// collective; the same on all ranks.
SEDGE_MUST_USE
sedge_status sedge_session_continue(sedge_session *session, double origin_time, int64_t origin_step,
                                    double dt, int64_t step, const char *path);

// The context for the files in the output folder. `first_step` is the last step of the previous
// run; with `continues` its files are appended to. Borrows from the session.
sedge_output_context sedge_session_output(const sedge_session *session, int64_t first_step,
                                          bool continues);

// Code time at the end of step `step`: origin_time + (step - origin_step) dt.
double sedge_session_time(const sedge_session *session, int64_t step);

// The kernel configuration and the tuning level that the deck requests. If the deck gives no tuning
// level, SEDGE_TUNE does; the default is `fast`. With SEDGE_GRAPHS=0 steps are not recorded as
// graphs. SEDGE_ERR_USAGE for a bad SEDGE_TUNE or SEDGE_GRAPHS. Texts are borrowed from the deck.
// Not collective.
SEDGE_MUST_USE
sedge_status sedge_session_kernels(sedge_operator_options *out, const sedge_session *session);

// Open the device that the deck names, make it current for this thread, and open the cache of its
// programs. Collective. The caller frees both, also on failure.
SEDGE_MUST_USE
sedge_status sedge_session_open_device(sedge_device **device, sedge_cache **cache,
                                       const sedge_session *session);

// Print the device, and any problem of the cache, to stdout. Root prints. Not collective.
void sedge_session_print_device(const sedge_session *session, const sedge_device *device,
                                const sedge_cache *cache);

// Print time step, number of elements and similar facts to stdout. Root prints. Collective.
void sedge_session_print(const sedge_session *session);

// A line for each surface group whose condition holds on both sides inside the mesh, to stdout.
// Root prints. Not collective.
void sedge_session_print_two_sided(const sedge_session *session);
