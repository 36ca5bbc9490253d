// Algebraic multigrid as a preconditioner: PETSc's GAMG, on the host, on vectors that are copied
// from the device and back; its .c is one of the two files that use PETSc's solvers. It is meant
// for coarse problems and for matrices on which no other preconditioner works, because each call
// costs two copies between host and device and a V-cycle on the host.
#pragma once

#include "linear/krylov.h"
#include "linear/matrix.h"

typedef struct sedge_amg sedge_amg;

// Collective over `comm` (NULL: this process alone). The matrix is copied. It must be symmetric,
// which is not checked here, and positive definite. SEDGE_ERR_USAGE: more entries than PETSc can
// count. SEDGE_ERR_COMPUTE with the reason: a diagonal entry is not positive, 40 steps of the
// Lanczos iteration find a negative eigenvalue, or PETSc fails. If the set-up does not end within
// 120 s plus 0.2 ms per entry of the largest rank, the process ends with the exit code of
// SEDGE_ERR_COMPUTE. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_amg_create(sedge_amg **out, const sedge_comm *comm, const sedge_matrix *matrix);
void sedge_amg_free(sedge_amg *amg);

// One V-cycle, z = M r; host vectors of the matrix's rows here. Collective. On many ranks a failure
// ends all of them (sedge_comm_end_alone).
SEDGE_MUST_USE
sedge_status sedge_amg_apply(sedge_amg *amg, const double *r, double *z);

typedef struct sedge_amg_counts {
    int levels;
    double complexity; // entries of all levels divided by those of the finest
    int64_t calls;
    double setup_seconds, seconds; // of sedge_amg_create, of all calls
} sedge_amg_counts;

sedge_amg_counts sedge_amg_get_counts(const sedge_amg *amg);

// The AMG as a preconditioner of sedge_krylov_create, for vectors of `rows` numbers of `real_bytes`
// bytes on the context's device. Free it before the AMG and after the solver.
typedef struct sedge_amg_device sedge_amg_device;

SEDGE_MUST_USE
sedge_status sedge_amg_device_create(sedge_amg_device **out, sedge_amg *amg, sedge_context *context,
                                     int real_bytes, int64_t rows);
void sedge_amg_device_free(sedge_amg_device *device);
sedge_krylov_preconditioner sedge_amg_device_preconditioner(sedge_amg_device *device);
