// Beside PETSc's conjugate gradients in the same process: the same matrix, tolerance, norm and
// preconditioner take the same iterations, within two, in every precision-independent way: none,
// Jacobi, block-Jacobi with the same blocks, AMG. Also what one, two and four ranks have in common.
#include "check.h"
#include "krylov_case.h"
#include "matrix/amg.h"
#include "matrix/matrix_device.h"

#include "base/memory.h"

#include <petscksp.h>

#include <math.h>
#include <stdlib.h>

enum { SIDE = 10, SIZE = SIDE * SIDE * SIDE };

static krylov_session session;

// -div(c grad u) with c from 1 to 100 and a zeroth-order term, 7 points; values are symmetric.
static double between(int64_t a, int64_t b)
{
    const double phase = sin(0.7 * (double)(a + b)) * cos(0.3 * (double)(a + b));

    return pow(10.0, 1.0 + phase);
}

static sedge_matrix *make_whole(void)
{
    const int64_t steps[6] = {-SIDE * SIDE, -SIDE, -1, 1, SIDE, SIDE * SIDE};
    sedge_matrix *whole = NULL;
    int64_t at = 0;

    CHECK_OK(sedge_matrix_create(&whole, SIZE, 0, SIZE, 7LL * SIZE));
    if (whole == NULL) exit(1);
    for (int64_t row = 0; row < SIZE; row++) {
        const int64_t i = row % SIDE, j = row / SIDE % SIDE, k = row / (SIDE * SIDE);
        const bool there[6] = {k > 0, j > 0, i > 0, i + 1 < SIDE, j + 1 < SIDE, k + 1 < SIDE};
        double diagonal = 0.01;
        for (int n = 0; n < 6; n++) diagonal += between(row, row + steps[n]);
        for (int n = 0; n < 7; n++) { // in the order of columns
            const int side = n < 3 ? n : n - 1;
            if (n != 3 && !there[side]) continue;
            whole->columns[at] = n == 3 ? row : row + steps[side];
            whole->values[at++] = n == 3 ? diagonal : -between(row, row + steps[side]);
        }
        whole->offsets[row + 1] = at;
    }
    return whole;
}

enum { NONE, JACOBI, BLOCKS, AMG, KINDS, BLOCK_ROWS = 5 };

static void petsc(PetscErrorCode code)
{
    CHECK(code == 0);
    if (code != 0) exit(1);
}

// PETSc's iterations on this rank alone, for the whole matrix.
static int64_t solve_by_petsc(const sedge_matrix *whole, const double *right, int kind)
{
    static const PCType types[KINDS] = {PCNONE, PCJACOBI, PCPBJACOBI, PCGAMG};
    PetscInt offsets[SIZE + 1];
    PetscInt *columns = NULL;
    PetscInt iterations = 0;
    Mat mat;
    Vec b, x;
    KSP ksp;
    PC pc;
    KSPConvergedReason reason;

    CHECK_OK(sedge_allocate(&columns, whole->offsets[SIZE], sizeof *columns));
    for (int i = 0; i <= SIZE; i++) offsets[i] = (PetscInt)whole->offsets[i];
    for (int64_t k = 0; k < whole->offsets[SIZE]; k++) columns[k] = (PetscInt)whole->columns[k];
    petsc(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, SIZE, SIZE, offsets, columns, whole->values,
                                    &mat));
    if (kind == BLOCKS) petsc(MatSetBlockSize(mat, BLOCK_ROWS));
    petsc(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, SIZE, right, &b));
    petsc(VecDuplicate(b, &x));
    petsc(KSPCreate(PETSC_COMM_SELF, &ksp));
    petsc(KSPSetType(ksp, KSPCG));
    petsc(KSPSetOperators(ksp, mat, mat));
    petsc(KSPGetPC(ksp, &pc));
    petsc(PCSetType(pc, types[kind]));
    petsc(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    petsc(KSPSetTolerances(ksp, 1e-8, 0.0, 1e10, 5000));
    petsc(KSPSolve(ksp, b, x));
    petsc(KSPGetConvergedReason(ksp, &reason));
    petsc(KSPGetIterationNumber(ksp, &iterations));
    CHECK(reason > 0);
    petsc(KSPDestroy(&ksp));
    petsc(VecDestroy(&x));
    petsc(VecDestroy(&b));
    petsc(MatDestroy(&mat));
    sedge_release(columns);
    return iterations;
}

// Ours, on all ranks; the solution in the order of the whole matrix, on the root.
static sedge_krylov_result solve_by_sedge(const sedge_matrix *matrix, const double *right, int kind,
                                          double *solution)
{
    const sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_preconditioner with = {0};
    sedge_krylov_result result = {0};
    sedge_matrix_device *product = NULL;
    sedge_jacobi *jacobi = NULL;
    sedge_amg *amg = NULL;
    sedge_amg_device *amg_device = NULL;
    sedge_krylov *krylov = NULL;
    sedge_buffer *b = NULL;
    sedge_buffer *x = NULL;
    double part[SIZE];
    const int64_t bytes = matrix->rows * 8;

    CHECK_OK(sedge_matrix_device_create(&product, session.context, session.comm, matrix, 8,
                                        SEDGE_TUNE_OFF));
    if (kind == JACOBI || kind == BLOCKS) {
        CHECK_OK(sedge_jacobi_create(&jacobi, session.context, session.comm, matrix, 8,
                                     kind == BLOCKS ? BLOCK_ROWS : 1));
        with = sedge_jacobi_preconditioner(jacobi);
    }
    if (kind == AMG) {
        CHECK_OK(sedge_amg_create(&amg, session.comm, matrix));
        CHECK_OK(sedge_amg_device_create(&amg_device, amg, session.context, 8, matrix->rows));
        with = sedge_amg_device_preconditioner(amg_device);
    }
    const sedge_krylov_operator op = sedge_matrix_device_operator(product);
    CHECK_OK(sedge_krylov_create(&krylov, session.context, session.comm, 8, matrix->rows, &op,
                                 &with, &options));
    CHECK_OK(sedge_buffer_create(&b, session.device, bytes));
    CHECK_OK(sedge_buffer_create(&x, session.device, bytes));
    if (krylov == NULL || x == NULL) exit(1);
    CHECK_OK(sedge_matrix_scatter(matrix, session.comm, right, part));
    CHECK_OK(sedge_buffer_upload(b, 0, part, bytes, NULL));
    CHECK_OK(sedge_krylov_solve(&result, krylov, b, x));
    CHECK_OK(sedge_buffer_download(x, 0, part, bytes, NULL));
    CHECK_OK(sedge_matrix_gather(matrix, session.comm, part, solution));
    CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
    if (kind == AMG) CHECK(sedge_amg_get_counts(amg).levels >= 2);
    sedge_krylov_free(krylov);
    sedge_amg_device_free(amg_device);
    sedge_amg_free(amg);
    sedge_jacobi_free(jacobi);
    sedge_matrix_device_free(product);
    sedge_buffer_free(b);
    sedge_buffer_free(x);
    return result;
}

static void test_kind(const sedge_matrix *whole, const sedge_matrix *matrix, int kind)
{
    const bool root = sedge_comm_is_root(session.comm);
    const bool alone = sedge_comm_size(session.comm) == 1;
    double right[SIZE];
    double wanted[SIZE];
    double got[SIZE];
    double error = 0.0;

    for (int64_t i = 0; i < SIZE; i++) wanted[i] = cos(1.0 + 0.9 * (double)i);
    for (int64_t i = 0; i < SIZE; i++) {
        right[i] = 0.0;
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++)
            right[i] += whole->values[k] * wanted[whole->columns[k]];
    }
    const sedge_krylov_result result = solve_by_sedge(matrix, right, kind, got);
    if (!root) return;
    const int64_t theirs = solve_by_petsc(whole, right, kind);
    // Blocks and aggregates are others where rows are in another order.
    const int64_t allowed = alone || kind < BLOCKS ? 2 : theirs / 5 + 2;
    if (llabs(result.iterations - theirs) > allowed) {
        (void)fprintf(stderr, "  kind %d: %lld iterations, PETSc %lld\n", kind,
                      (long long)result.iterations, (long long)theirs);
    }
    CHECK(llabs(result.iterations - theirs) <= allowed);
    for (int i = 0; i < SIZE; i++) error = fmax(error, fabs(got[i] - wanted[i]));
    CHECK_BOUND(error, 1e-4); // the condition, about 1e4, times the tolerance
}

int main(int argc, char **argv)
{
    sedge_matrix *matrix = NULL;

    krylov_case_start(&session, &argc, &argv);
    CHECK_OK(sedge_matrix_start());
    sedge_matrix *const whole = make_whole();
    CHECK_OK(sedge_matrix_spread(&matrix, session.comm,
                                 sedge_comm_is_root(session.comm) ? whole : NULL));
    if (matrix == NULL) return 1;
    for (int kind = NONE; kind < KINDS; kind++) test_kind(whole, matrix, kind);
    sedge_matrix_free(matrix);
    sedge_matrix_free(whole);
    krylov_case_end(&session);
    return CHECK_END();
}
