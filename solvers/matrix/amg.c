#include "matrix/amg.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/petsc.h"

#include <petscksp.h>

#define PETSC(call, what) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

struct sedge_amg {
    const sedge_comm *comm;
    int64_t rows;
    Mat mat;
    PC pc;
    Vec r, z; // without memory of their own
    sedge_amg_counts counts;
};

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
    PETSC(MatCreateMPIAIJWithArrays(world, (PetscInt)matrix->rows, (PetscInt)matrix->rows,
                                    (PetscInt)matrix->size, (PetscInt)matrix->size, offsets,
                                    columns, matrix->values, &amg->mat),
          what);
    PETSC(MatSetOption(amg->mat, MAT_SPD, PETSC_TRUE), what);
done:
    sedge_release(offsets);
    sedge_release(columns);
    return status;
}

// PETSc's usual product of three matrices adds what other ranks send in the order in which it
// arrives: on three ranks and more its last digits differ from run to run. This one does not.
static sedge_status fix_sums(void)
{
    return sedge_petsc_check((int)PetscOptionsSetValue(NULL, "-matptap_via", "allatonce"),
                             "AMG cannot be set up");
}

static sedge_status make_levels(sedge_amg *amg, MPI_Comm world)
{
    const char *const what = "AMG cannot be set up";
    sedge_status status = SEDGE_OK;
    PetscReal complexity = 0.0;
    PetscReal operator_complexity = 0.0;
    PetscInt levels = 0;

    SEDGE_TRY_GOTO(status, fix_sums());
    PETSC(PCCreate(world, &amg->pc), what);
    PETSC(PCSetType(amg->pc, PCGAMG), what);
    PETSC(PCSetOperators(amg->pc, amg->mat, amg->mat), what);
    PETSC(PCSetUp(amg->pc), what);
    PETSC(PCMGGetLevels(amg->pc, &levels), what);
    PETSC(PCMGGetGridComplexity(amg->pc, &complexity, &operator_complexity), what);
    amg->counts.levels = (int)levels;
    amg->counts.complexity = (double)operator_complexity;
    PETSC(VecCreateMPIWithArray(world, 1, (PetscInt)amg->rows, PETSC_DECIDE, NULL, &amg->r), what);
    PETSC(VecCreateMPIWithArray(world, 1, (PetscInt)amg->rows, PETSC_DECIDE, NULL, &amg->z), what);
done:
    return status;
}

sedge_status sedge_amg_create(sedge_amg **out, const sedge_comm *comm, const sedge_matrix *matrix)
{
    const double began = sedge_clock();
    MPI_Comm world = PETSC_COMM_SELF;
    sedge_status status;
    sedge_amg *amg = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_petsc_start());
    world = PETSC_COMM_SELF;
    if (comm != NULL) sedge_comm_native(comm, &world);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&amg, 1, sizeof *amg)));
    amg->comm = comm;
    amg->rows = matrix->rows;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_matrix(amg, world, matrix)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_levels(amg, world)));
    amg->counts.setup_seconds = sedge_clock() - began;
    *out = amg;
    amg = NULL;
done:
    sedge_amg_free(amg);
    return status;
}

void sedge_amg_free(sedge_amg *amg)
{
    if (amg == NULL) return;
    (void)VecDestroy(&amg->r);
    (void)VecDestroy(&amg->z);
    (void)PCDestroy(&amg->pc);
    (void)MatDestroy(&amg->mat);
    sedge_release(amg);
}

sedge_status sedge_amg_apply(sedge_amg *amg, const double *r, double *z)
{
    const char *const what = "AMG fails";
    const double began = sedge_clock();
    sedge_status status = SEDGE_OK;

    PETSC(VecPlaceArray(amg->r, r), what);
    PETSC(VecPlaceArray(amg->z, z), what);
    PETSC(PCApply(amg->pc, amg->r, amg->z), what);
    PETSC(VecResetArray(amg->z), what);
    PETSC(VecResetArray(amg->r), what);
    amg->counts.calls++;
    amg->counts.seconds += sedge_clock() - began;
done:
    return status == SEDGE_ERR_DATA ? SEDGE_ERR_COMPUTE : status;
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
