// `sedge solve`: a sparse linear system from files, by conjugate gradients.
#pragma once

#include "base/error.h"
#include "linear/amg.h"
#include "linear/krylov.h"
#include "linear/matrix_device.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// The options as texts of the command line; NULL: not given.
typedef struct sedge_solve_options {
    const char *matrix, *right;
    const char *tolerance, *absolute, *iterations;
    const char *preconditioner, *block, *form, *precision;
    const char *device, *tune;
    const char *output, *report; // files
    bool quiet, terminal;
} sedge_solve_options;

// Read, spread, solve, write. Collective. SEDGE_ERR_DATA: a file cannot be used, or the matrix is
// not symmetric. SEDGE_ERR_COMPUTE with the reason: the solve did not converge; output and report
// are written then, too. A rank that fails alone inside the solve ends the job.
SEDGE_MUST_USE
sedge_status sedge_solve(sedge_comm *comm, const sedge_solve_options *options);

// ---- shared by solve*.c ------------------------------------------------------------------------

typedef enum sedge_solve_kind {
    SEDGE_SOLVE_NONE,
    SEDGE_SOLVE_JACOBI,
    SEDGE_SOLVE_BLOCK_JACOBI,
    SEDGE_SOLVE_CHEBYSHEV,
    SEDGE_SOLVE_AMG
} sedge_solve_kind;

// What was solved, how, and the result.
typedef struct sedge_solve_record {
    const sedge_solve_options *options;
    const char *precision, *preconditioner;
    int ranks, block, threads;
    double tolerance;
    int64_t rows, entries;
    double interval[2]; // of Chebyshev; 0, 0: none
    const char *device_kind, *device_name;
    sedge_krylov_result result;
    sedge_matrix_device_info matrix; // of the root
    sedge_amg_counts amg;
    double read_seconds, setup_seconds, output_seconds;
    int64_t cache_hits, cache_misses;
    int64_t memory_host_peak, memory_device_peak;
    const char *outcome; // "done" or the message
    int exit_code;
} sedge_solve_record;

// Root only.
SEDGE_MUST_USE
sedge_status sedge_solve_report(const sedge_solve_record *record, const char *path);
// x [rows], in the order of the matrix's file. Root only.
SEDGE_MUST_USE
sedge_status sedge_solve_write(const sedge_solve_record *record, const double *x, const char *path);
