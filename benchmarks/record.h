// What sedge-bench found: one line a case on stdout, everything as JSON.
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "dg/problem.h"
#include "operator/operator.h"
#include "tune/ceiling.h"

#include <stdbool.h>
#include <stdint.h>

// How the work is spread over ranks, and an exchange of traces in a stage. On one rank there is
// none.
typedef struct bench_exchange {
    int64_t most_elements;   // of one rank
    int64_t most_halo;       // elements with neighbours on other ranks, of one rank
    int64_t bytes;           // that all ranks send
    double seconds, exposed; // of the slowest rank, on average over the timed exchanges; the latter
                             // is the part for which its interior had no work
} bench_exchange;

// One order in one precision. Sums over ranks, times of the slowest.
typedef struct bench_case {
    int order;
    sedge_precision precision;
    int64_t elements;
    char variant[64];
    sedge_operator_tuning tuning;
    int steps; // a repeat
    int repeats;
    double least;          // seconds a stage, best repeat
    double median;         // seconds a stage, median of the repeats
    double rate;           // unknowns a second and stage, of the median
    double flops;          // nominal, a stage
    double bytes;          // compulsory, a stage
    double floor;          // seconds a stage by the measured ceilings
    double predict;        // seconds of a step's prediction, and
    double correct;        // of its stage kernel, by events in sampled steps; 0: it has none
    double energy_change;  // over the whole benchmark, relative
    const char *transport; // of halos: "none" on one rank
    double hidden;         // part of the exchange's time behind work; of sampled steps on GPUs
    bench_exchange exchange;
} bench_case;

// The nominal work of a stage of Maxwell's equations, as the peers count it: MIDG2's flops; bytes
// of one pass over the state (4 words an unknown), 32 words of geometry and 32 bytes of
// connectivity. With a prediction: 5 words an unknown, and 12 words of geometry more.
void bench_count_work(bench_case *c, bool predicts);

// "fp32", "fp64"
const char *bench_precision_name(sedge_precision precision);

typedef struct bench_record bench_record;

SEDGE_MUST_USE
sedge_status bench_record_create(bench_record **out);
void bench_record_free(bench_record *record);

// Print the line (with the table's head before the first) and keep the case.
SEDGE_MUST_USE
sedge_status bench_record_add(bench_record *record, const bench_case *c, bool is_gpu);

// Print and keep the ceilings of one precision, of all ranks.
SEDGE_MUST_USE
sedge_status bench_record_add_ceilings(bench_record *record, sedge_precision precision,
                                       const sedge_ceilings *ceilings);

// Write what was kept, the device and the date.
SEDGE_MUST_USE
sedge_status bench_record_write(const bench_record *record, const char *path,
                                const sedge_device_info *info, int ranks, const char *mesh);
