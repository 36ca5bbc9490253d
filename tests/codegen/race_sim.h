// A machine for the tuner that exists only by its clock: searches of the real tuner, thousands a
// second, with the times of a GPU and what disturbs them. Programs that use it are linked so that
// the calls of the tuner to clock, device, compiler and wisdom come here (CMakeLists.txt).
//
// Model, by what was seen on an H200 machine with 16 cores (benchmarks/README.md):
//
//   sample     a candidate's time x (1 + what is constant in a search, 0.3 %, and an exponential
//              part, 0.8 %); of 100 calls 3 take 10 to 50 % longer; in one search of twenty the
//              same befalls all calls of 20 ms; an idle GPU is 10 % slower, and gains within 30 ms
//   compiler   25 ms a call and each program's own time, within 20 % of it, one call of twenty
//              twice as long; up to eight threads, each of which slows the others by 20 %
//   the rest   2 ms to keep and load a program, 0.5 ms to find it, 0.2 ms for its source
#pragma once

#include "tune/tune.h"

#include <stdbool.h>
#include <stdint.h>

enum { RACE_SIM_CANDIDATES = 64 };

typedef struct race_sim_kernel {
    const char *name;
    int count;
    double compile;            // seconds of a program, beside the call's
    double check, first_check; // of one candidate
    double first_call;         // beside its work, of each candidate in a search
    double prepare;            // before the first of a layout
    int layouts;               // 0: one
    double budget;             // seconds; 0: 0.3
    double bursts;             // in so many searches; 0: 0.05
    double busy;               // of all calls, takes 2 to 3.5 times as long: others are at work
    char names[RACE_SIM_CANDIDATES][32];
    double seconds[RACE_SIM_CANDIDATES]; // of a call
    bool cached[RACE_SIM_CANDIDATES];
    bool wrong[RACE_SIM_CANDIDATES]; // what it gives
    int longer[RACE_SIM_CANDIDATES]; // its text than the others', so many times, and so is the
                                     // compiler's time for it; 0: it is not
    sedge_tune_candidate candidates[RACE_SIM_CANDIDATES];
} race_sim_kernel;

// One more candidate, whose parameters are the numbers in its name; all of a kernel are added
// before it is tuned.
void race_sim_add(race_sim_kernel *kernel, const char *name, double microseconds, double prior);

// A machine that has just started, by the number `seed`: nothing is known of earlier searches.
void race_sim_start(uint64_t seed);

// Tune by measuring, as often as this is called; programs stay in the cache (`cached`).
SEDGE_MUST_USE
sedge_status race_sim_tune(sedge_tune_result **out, race_sim_kernel *kernel);

// What the tuner tells of its last search.
SEDGE_MUST_USE
sedge_status race_sim_print(race_sim_kernel *kernel, const sedge_tune_result *result);

// What lets go of all that is known.
void race_sim_end(void);
