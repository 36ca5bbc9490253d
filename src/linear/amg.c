#include "linear/amg.h"

#include "base/file.h"
#include "base/memory.h"
#include "linear/chebyshev.h"
#include "par/watch.h"
#include "petsc/petsc_library.h"

#include <math.h>
#include <stdio.h>

#define PETSC(call, what) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

struct sedge_amg {
    const sedge_petsc *petsc; // entered until the end
    const sedge_comm *comm;
    int64_t rows;
    Mat mat;
    PC pc;
    Vec r, z; // without memory of their own
    sedge_amg_counts counts;
};

// ---- looking before ----------------------------------------------------------------------------

// PETSc's GAMG does not check that a matrix is positive definite. If a diagonal entry is 0, its
// search for aggregates never ends or leaves its arrays. If an eigenvalue is negative, its
// estimates use uninitialised numbers.

// scale [rows]: multiplied into rows and columns it makes the diagonal 1.
static sedge_status find_scale(double *scale, const sedge_matrix *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        double diagonal = 0.0;
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1]; k++)
            if (matrix->columns[k] == matrix->first + i) diagonal = matrix->values[k];
        if (!(diagonal > 0.0)) {
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                              "the diagonal entry of row %lld is %g: AMG needs positive ones",
                              (long long)sedge_matrix_original(matrix, i) + 1, diagonal);
        }
        scale[i] = 1.0 / sqrt(diagonal);
    }
    return SEDGE_OK;
}

// y = scale A scale x. Collective.
static sedge_status multiply(sedge_amg *amg, const double *scale, const double *x, double *scaled,
                             double *y)
{
    const char *const what = "AMG cannot take the matrix";
    sedge_status status = SEDGE_OK;

    for (int64_t i = 0; i < amg->rows; i++) scaled[i] = scale[i] * x[i];
    PETSC(amg->petsc->VecPlaceArray(amg->r, scaled), what);
    PETSC(amg->petsc->VecPlaceArray(amg->z, y), what);
    PETSC(amg->petsc->MatMult(amg->mat, amg->r, amg->z), what);
    PETSC(amg->petsc->VecResetArray(amg->z), what);
    PETSC(amg->petsc->VecResetArray(amg->r), what);
    for (int64_t i = 0; i < amg->rows; i++) y[i] *= scale[i];
done:
    return status;
}

// Over all ranks.
static double scalar_product(const sedge_amg *amg, const double *x, const double *y)
{
    double sum = 0.0;

    for (int64_t i = 0; i < amg->rows; i++) sum += x[i] * y[i];
    sedge_comm_sum(amg->comm, &sum, 1);
    return sum;
}

// Look for a direction p with p.Ap < 0 by conjugate gradients (Lanczos) from a random vector, on
// the matrix with its diagonal scaled to 1. Work needs [4][rows]. Collective.
static sedge_status look_for_negative(sedge_amg *amg, const double *scale, double *work)
{
    enum { STEPS = 40 };           // more than a small matrix has rows, less than a solve takes
    const double negative = 1e-10; // of p.p: those who assembled the matrix have rounded
    double *const r = work;
    double *const p = r + amg->rows;
    double *const q = p + amg->rows;
    double *const scaled = q + amg->rows;
    double rr = scalar_product(amg, r, r);
    const double least = 1e-24 * rr;

    for (int64_t i = 0; i < amg->rows; i++) p[i] = r[i];
    for (int step = 0; step < STEPS && rr > least; step++) {
        SEDGE_TRY(multiply(amg, scale, p, scaled, q));
        const double pq = scalar_product(amg, p, q);
        const double bound = negative * scalar_product(amg, p, p);
        if (!(pq >= -bound && pq <= 1.7e308)) {
            return SEDGE_FAIL(
                SEDGE_ERR_COMPUTE,
                "the matrix is not positive definite: p.Ap is %g p.Dp for a direction "
                "p, D the diagonal (step %d of Lanczos' iteration); AMG and conjugate "
                "gradients need a positive definite one",
                pq * negative / bound, step + 1);
        }
        if (pq <= bound) return SEDGE_OK; // semi-definite, as far as can be seen
        const double alpha = rr / pq;
        for (int64_t i = 0; i < amg->rows; i++) r[i] -= alpha * q[i];
        const double next = scalar_product(amg, r, r);
        for (int64_t i = 0; i < amg->rows; i++) p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    return SEDGE_OK;
}

// `scale` of find_scale. Collective.
static sedge_status check_definite(sedge_amg *amg, const sedge_matrix *matrix, const double *scale)
{
    sedge_status status;
    double *work = NULL;

    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(amg->comm, sedge_allocate(&work, 4 * amg->rows, sizeof *work)));
    for (int64_t i = 0; i < amg->rows; i++)
        work[i] = sedge_krylov_random(sedge_matrix_original(matrix, i));
    SEDGE_TRY_GOTO(status, look_for_negative(amg, scale, work));
done:
    sedge_release(work);
    return status;
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status make_matrix(sedge_amg *amg, MPI_Comm world, const sedge_matrix *matrix)
{
    const char *const what = "AMG cannot take the matrix";
    const int64_t count = matrix->offsets[matrix->rows];
    sedge_status status = SEDGE_OK;
    PetscInt *offsets = NULL;
    PetscInt *columns = NULL;

    status = count < PETSC_MAX_INT && matrix->size < PETSC_MAX_INT
                 ? SEDGE_OK
                 : SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%lld entries a rank are too many for PETSc's AMG: use more ranks",
                              (long long)count);
    if (status == SEDGE_OK) status = sedge_allocate(&offsets, matrix->rows + 1, sizeof *offsets);
    if (status == SEDGE_OK) status = sedge_allocate(&columns, count, sizeof *columns);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(amg->comm, status));
    for (int64_t i = 0; i <= matrix->rows; i++) offsets[i] = (PetscInt)matrix->offsets[i];
    for (int64_t k = 0; k < count; k++) columns[k] = (PetscInt)matrix->columns[k];
    PETSC(amg->petsc->MatCreateMPIAIJWithArrays(
              world, (PetscInt)matrix->rows, (PetscInt)matrix->rows, (PetscInt)matrix->size,
              (PetscInt)matrix->size, offsets, columns, matrix->values, &amg->mat),
          what);
    PETSC(amg->petsc->MatSetOption(amg->mat, MAT_SPD, PETSC_TRUE), what);
    PETSC(amg->petsc->VecCreateMPIWithArray(world, 1, (PetscInt)amg->rows, PETSC_DECIDE, NULL,
                                            &amg->r),
          what);
    PETSC(amg->petsc->VecCreateMPIWithArray(world, 1, (PetscInt)amg->rows, PETSC_DECIDE, NULL,
                                            &amg->z),
          what);
done:
    sedge_release(offsets);
    sedge_release(columns);
    return status;
}

// PETSc's usual product of three matrices adds what other ranks send in the order in which it
// arrives: on three ranks and more its last digits differ from run to run. This one does not. With
// an indefinite matrix PETSc's estimates go on with what was never set, and may not end, unless
// failures are errors; to make all iterations that they are given is none.
static sedge_status set_options(const sedge_petsc *petsc, PC pc)
{
    const char *const what = "AMG cannot be set up";
    sedge_status status = SEDGE_OK;

    PETSC(petsc->PetscOptionsSetValue(NULL, "-matptap_via", "allatonce"), what);
    PETSC(petsc->PetscOptionsSetValue(NULL, "-pc_gamg_esteig_ksp_convergence_test", "skip"), what);
    PETSC(petsc->PCSetErrorIfFailure(pc, PETSC_TRUE), what);
done:
    return status;
}

static sedge_status make_levels(sedge_amg *amg, MPI_Comm world)
{
    const char *const what = "AMG cannot be set up (is the matrix positive definite?)";
    sedge_status status = SEDGE_OK;
    PetscReal complexity = 0.0;
    PetscReal operator_complexity = 0.0;
    PetscInt levels = 0;

    PETSC(amg->petsc->PCCreate(world, &amg->pc), what);
    SEDGE_TRY_GOTO(status, set_options(amg->petsc, amg->pc));
    PETSC(amg->petsc->PCSetType(amg->pc, PCGAMG), what);
    PETSC(amg->petsc->PCSetOperators(amg->pc, amg->mat, amg->mat), what);
    PETSC(amg->petsc->PCSetUp(amg->pc), what);
    PETSC(amg->petsc->PCMGGetLevels(amg->pc, &levels), what);
    PETSC(amg->petsc->PCMGGetGridComplexity(amg->pc, &complexity, &operator_complexity), what);
    amg->counts.levels = (int)levels;
    amg->counts.complexity = (double)operator_complexity;
done:
    return status == SEDGE_ERR_DATA ? SEDGE_ERR_COMPUTE : status;
}

// If one rank fails inside PETSc, the others wait there for ever. Therefore the time has a limit,
// far above what a set-up takes (5 us per entry). The root returns only when all ranks are through.
// Collective.
static sedge_status make_levels_in_time(sedge_amg *amg, MPI_Comm world, int64_t entries)
{
    char message[256];
    sedge_watch limit = {.failure = SEDGE_ERR_COMPUTE, .message = message};
    sedge_watch_thread *thread = NULL;
    sedge_status status = SEDGE_OK;

    sedge_comm_max_int(amg->comm, &entries, 1);
    const int64_t seconds = 120 + entries / 5000;
    limit.milliseconds = 1000 * seconds;
    (void)snprintf(message, sizeof message,
                   "AMG's set-up by PETSc did not end within %lld s: is the matrix positive "
                   "definite? Another preconditioner says more",
                   (long long)seconds);
    if (sedge_comm_is_root(amg->comm)) status = sedge_watch_start(&thread, &limit);
    SEDGE_TRY(sedge_comm_agree(amg->comm, status));
    status = sedge_comm_agree(amg->comm, make_levels(amg, world));
    sedge_watch_end(thread);
    return status;
}

sedge_status sedge_amg_create(sedge_amg **out, const sedge_comm *comm, const sedge_matrix *matrix)
{
    const double began = sedge_clock();
    MPI_Comm world = PETSC_COMM_SELF;
    sedge_status status;
    sedge_amg *amg = NULL;
    double *scale = NULL;

    *out = NULL;
    if (comm != NULL) sedge_comm_native(comm, &world);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&amg, 1, sizeof *amg)));
    amg->comm = comm;
    amg->rows = matrix->rows;
    SEDGE_TRY_GOTO(status, sedge_petsc_enter(&amg->petsc, comm));
    status = sedge_allocate(&scale, matrix->rows, sizeof *scale);
    if (status == SEDGE_OK) status = find_scale(scale, matrix);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_matrix(amg, world, matrix)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, check_definite(amg, matrix, scale)));
    SEDGE_TRY_GOTO(status, make_levels_in_time(amg, world, matrix->offsets[matrix->rows]));
    amg->counts.setup_seconds = sedge_clock() - began;
    *out = amg;
    amg = NULL;
done:
    sedge_release(scale);
    sedge_amg_free(amg);
    return status;
}

void sedge_amg_free(sedge_amg *amg)
{
    if (amg == NULL) return;
    if (amg->petsc != NULL) {
        (void)amg->petsc->VecDestroy(&amg->r);
        (void)amg->petsc->VecDestroy(&amg->z);
        (void)amg->petsc->PCDestroy(&amg->pc);
        (void)amg->petsc->MatDestroy(&amg->mat);
        sedge_petsc_leave();
    }
    sedge_release(amg);
}

sedge_status sedge_amg_apply(sedge_amg *amg, const double *r, double *z)
{
    const char *const what = "AMG fails";
    const double began = sedge_clock();
    sedge_status status = SEDGE_OK;

    PETSC(amg->petsc->VecPlaceArray(amg->r, r), what);
    PETSC(amg->petsc->VecPlaceArray(amg->z, z), what);
    PETSC(amg->petsc->PCApply(amg->pc, amg->r, amg->z), what);
    PETSC(amg->petsc->VecResetArray(amg->z), what);
    PETSC(amg->petsc->VecResetArray(amg->r), what);
    amg->counts.calls++;
    amg->counts.seconds += sedge_clock() - began;
done:
    if (status == SEDGE_ERR_DATA) status = SEDGE_ERR_COMPUTE;
    // This rank may be the only one that fails; the others would wait inside PETSc.
    if (status != SEDGE_OK && amg->comm != NULL) sedge_comm_end_alone(amg->comm, status);
    return status;
}

sedge_amg_counts sedge_amg_get_counts(const sedge_amg *amg)
{
    return amg->counts;
}

// ---- on the device -----------------------------------------------------------------------------

struct sedge_amg_device {
    sedge_amg *amg;
    sedge_device *on;
    int real_bytes;
    int64_t rows;
    void *pinned;  // [rows] of the device's numbers
    double *r, *z; // [rows]
};

sedge_status sedge_amg_device_create(sedge_amg_device **out, sedge_amg *amg, sedge_context *context,
                                     int real_bytes, int64_t rows)
{
    sedge_status status;
    sedge_amg_device *device = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&device, 1, sizeof *device));
    device->amg = amg;
    device->on = sedge_context_device(context);
    device->real_bytes = real_bytes;
    device->rows = rows;
    SEDGE_TRY_GOTO(status, sedge_pinned_allocate(&device->pinned, device->on, rows * real_bytes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&device->r, rows, sizeof *device->r));
    SEDGE_TRY_GOTO(status, sedge_allocate(&device->z, rows, sizeof *device->z));
    *out = device;
    device = NULL;
done:
    sedge_amg_device_free(device);
    return status;
}

void sedge_amg_device_free(sedge_amg_device *device)
{
    if (device == NULL) return;
    sedge_pinned_release(device->on, device->pinned);
    sedge_release(device->r);
    sedge_release(device->z);
    sedge_release(device);
}

static sedge_status apply(void *context, sedge_stream *stream, const sedge_buffer *r,
                          sedge_buffer *z)
{
    sedge_amg_device *const device = context;
    const int64_t bytes = device->rows * device->real_bytes;
    float *const narrow = device->pinned;
    double *const wide = device->pinned;

    SEDGE_TRY(sedge_buffer_download(r, 0, device->pinned, bytes, stream));
    SEDGE_TRY(sedge_stream_wait(stream));
    for (int64_t i = 0; i < device->rows; i++)
        device->r[i] = device->real_bytes == 8 ? wide[i] : (double)narrow[i];
    SEDGE_TRY(sedge_amg_apply(device->amg, device->r, device->z));
    for (int64_t i = 0; i < device->rows; i++) {
        if (device->real_bytes == 8) {
            wide[i] = device->z[i];
        } else {
            narrow[i] = (float)device->z[i];
        }
    }
    return sedge_buffer_upload(z, 0, device->pinned, bytes, stream);
}

sedge_krylov_preconditioner sedge_amg_device_preconditioner(sedge_amg_device *device)
{
    return (sedge_krylov_preconditioner){.context = device, .apply = apply, .waits = true};
}
