// report.json: what a run did, in numbers that scripts read. Written by jansson.
#pragma once

#include "base/error.h"
#include "base/stopwatch.h"
#include "device/device.h"
#include "program/program.h"
#include "session/session.h"

#include <stdint.h>

typedef struct sedge_report_kernel {
    const char *name;
    const char *variant;
    double seconds;           // over the run, of the slowest rank; < 0: not measured
    double seconds_mean;      // over the run, mean of all ranks
    int64_t launches;         // this and the following are the slowest rank's
    double bytes;             // per launch, by the model of compulsory traffic
    double flops;             // per launch, nominal; < 0: the equation does not count them
    double fraction_of_floor; // floor / time; < 0: ceilings not measured
} sedge_report_kernel;

// How an equation without time was solved.
typedef struct sedge_report_solve {
    const char *reason; // NULL: it failed before it came to an end
    const char *preconditioner;
    int64_t iterations, unknowns, vertices;
    int restarts, levels, amg_levels;
    double tolerance, residual; // the true one by the right-hand side; not a number: none
    double imbalance;           // < 0: something fixes the solution
    double setup_seconds, solve_seconds, amg_seconds;
    int surfaces; // 0: there is no solution
    const char (*surface_names)[64];
    const double *surface_flux; // [surfaces] what flows in through each
} sedge_report_solve;

typedef struct sedge_report {
    const char *version, *deck, *title, *equation, *precision, *units;
    int order, ranks;
    const char *device_kind, *device_name;
    int threads;
    const char *restarted_from; // a checkpoint; NULL: from the beginning
    int64_t elements, dofs;
    int64_t steps;             // of the whole run
    int64_t steps_before;      // of them before this part of it
    int checkpoints;           // written by this part
    double checkpoint_seconds; // that threads have spent on writing them
    bool checkpoint_beside;    // while steps went on
    const char *integrator;    // NULL: an equation without time
    int stages;                // 0: an equation without time
    double dt, time;
    sedge_levels levels;   // of local time steps; no levels: an equation without time
    sedge_stopwatch watch; // of this process, stopped
    double total_seconds;  // of this process, by the clock
    double before_seconds; // of the runs that this one continues
    double mesh_seconds, tune_seconds, compile_seconds; // parts of the set-up
    const char *tuned_by; // "request", "rule", "wisdom", "measurement"
    int tuned;            // candidates that were timed, now or before
    double tuning_gain;   // the rule's time over the chosen one's; < 0: not known
    sedge_family_tuning family[SEDGE_FAMILIES]; // of other kernels; `variant` NULL: there is
                                                // nothing to choose
    int kernels;
    sedge_report_kernel kernel[SEDGE_OPERATOR_KERNELS];
    double energy_initial, energy_final, energy_peak; // not a number: there is no solution
    const char *ended_by;  // the deck's key by which the run ended before its end; NULL: none
    double spectra_remain; // by how much spectra could still change; < 0: not measured
    int fields;            // 0: no exact solution
    const char *const *field_names; // [fields]
    double l2_error[SEDGE_MAX_FIELDS], linf_error[SEDGE_MAX_FIELDS];
    double l2_error_relative;                // < 0: none; see errors.h
    int groups;                              // output groups; 0: no exact solution
    const sedge_output_group *group;         // [groups]
    double l2_error_group[SEDGE_MAX_FIELDS]; // [groups] relative error of each
    const char *transport;                   // "none" (one rank), "staged", "direct", "peer"
    double exchange_bytes_per_step;          // of this job, all ranks
    double exchange_hidden; // fraction of exchange time hidden behind work; < 0: none
    int64_t cache_hits, cache_misses;
    int64_t memory_host_peak, memory_device_peak; // the largest over ranks, bytes
    const sedge_report_solve *solve;              // NULL: an equation with time
    struct json_t *monitors;       // {NAME: {...}, ...} of their results; NULL: none. Borrowed
    struct json_t *output_seconds; // {NAME: ...} of each monitor; NULL: none. Borrowed
    const char *lines;             // of the monitors for the user; NULL: none
    const char *outcome;           // "done" or the error's message
    int exit_code;
} sedge_report;

// Fill in what is known before a run begins, except the number of unknowns. Texts are borrowed from
// the session and the info.
void sedge_report_describe(sedge_report *report, const sedge_session *session,
                           const sedge_device_info *info);

// Fill in the costs over all ranks: the sums of programs found in the cache and compiled, and the
// largest values of compile time, host memory and device memory of any rank. `counts` and
// `device_peak` are this rank's. Collective.
void sedge_report_count(sedge_report *report, const sedge_comm *comm, sedge_cache_counts counts,
                        int64_t device_peak);

// Write the report to `path`, whole or not at all. Root only.
SEDGE_MUST_USE
sedge_status sedge_report_write(const sedge_report *report, const char *path);

// Replace the phases' seconds and the total in the report at `path`, which sedge_report_write
// wrote, by those of now. Root only.
SEDGE_MUST_USE
sedge_status sedge_report_renew(const char *path, const sedge_stopwatch *watch,
                                double before_seconds, double total_seconds);
