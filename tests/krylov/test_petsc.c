#define _GNU_SOURCE // memfd_create
// Beside PETSc's conjugate gradients on the same ranks: the same matrix, cut in the same way, the
// same tolerance, norm and preconditioner take the same iterations, within two: none, Jacobi,
// block-Jacobi with the same blocks, Chebyshev with the same interval and degree, AMG. And files:
// numbers are the nearest to those written.
#include "check.h"
#include "krylov_case.h"
#include "linear/amg.h"
#include "linear/chebyshev.h"
#include "linear/matrix_device.h"

#include "base/memory.h"

#include <petscksp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

enum { NONE, JACOBI, BLOCKS, CHEBYSHEV, AMG, KINDS, BLOCK_ROWS = 5 };

// This rank's vectors of rows [matrix->rows].
typedef struct system_parts {
    double right[SIZE], solution[SIZE];
} system_parts;

static void petsc(PetscErrorCode code)
{
    CHECK(code == 0);
    if (code != 0) exit(1);
}

// PETSc's counterpart, made of the same blocks, interval and degree as ours.
static void set_preconditioner(KSP ksp, Mat mat, int64_t rows, int kind, const double interval[2])
{
    static const PCType types[KINDS] = {PCNONE, PCJACOBI, PCVPBJACOBI, PCKSP, PCGAMG};
    PetscInt sizes[SIZE];
    PetscInt blocks = 0;
    KSP inner;
    PC pc;

    petsc(KSPGetPC(ksp, &pc));
    petsc(PCSetType(pc, types[kind]));
    if (kind == BLOCKS) { // from each rank's first row on, the last one with what is left
        for (int64_t first = 0; first < rows; first += BLOCK_ROWS)
            sizes[blocks++] = (PetscInt)(rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS);
        petsc(MatSetVariableBlockSizes(mat, blocks, sizes));
    }
    if (kind != CHEBYSHEV) return;
    petsc(PCKSPGetKSP(pc, &inner));
    petsc(KSPSetType(inner, KSPCHEBYSHEV));
    petsc(KSPChebyshevSetEigenvalues(inner, interval[1], interval[0]));
    petsc(KSPSetNormType(inner, KSP_NORM_NONE));
    petsc(KSPSetConvergenceTest(inner, KSPConvergedSkip, NULL, NULL));
    petsc(KSPSetTolerances(inner, 0.0, 0.0, PETSC_DEFAULT, sedge_chebyshev_defaults().degree));
    petsc(KSPGetPC(inner, &pc));
    petsc(PCSetType(pc, PCJACOBI));
}

// PETSc's iterations, of the same rows on the same ranks.
static int64_t solve_by_petsc(const sedge_matrix *matrix, const double *right, int kind,
                              const double interval[2])
{
    const PetscInt rows = (PetscInt)matrix->rows;
    const int64_t count = matrix->offsets[rows];
    MPI_Comm world;
    PetscInt offsets[SIZE + 1];
    PetscInt *columns = NULL;
    PetscInt iterations = 0;
    Mat mat;
    Vec b, x;
    KSP ksp;
    KSPConvergedReason reason;

    sedge_comm_native(session.comm, &world);
    CHECK_OK(sedge_allocate(&columns, count, sizeof *columns));
    for (int i = 0; i <= rows; i++) offsets[i] = (PetscInt)matrix->offsets[i];
    for (int64_t k = 0; k < count; k++) columns[k] = (PetscInt)matrix->columns[k];
    petsc(MatCreateMPIAIJWithArrays(world, rows, rows, SIZE, SIZE, offsets, columns, matrix->values,
                                    &mat));
    petsc(MatSetOption(mat, MAT_SPD, PETSC_TRUE));
    petsc(VecCreateMPIWithArray(world, 1, rows, SIZE, right, &b));
    petsc(VecDuplicate(b, &x));
    petsc(KSPCreate(world, &ksp));
    petsc(KSPSetType(ksp, KSPCG));
    petsc(KSPSetOperators(ksp, mat, mat));
    set_preconditioner(ksp, mat, rows, kind, interval);
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

// Ours, from parts->right to parts->solution; Chebyshev's interval is told.
static sedge_krylov_result solve_by_sedge(const sedge_matrix *matrix, system_parts *parts, int kind,
                                          double interval[2])
{
    const sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_preconditioner with = {0};
    sedge_krylov_result result = {0};
    sedge_matrix_device *product = NULL;
    sedge_jacobi *jacobi = NULL;
    sedge_amg *amg = NULL;
    sedge_amg_device *amg_device = NULL;
    sedge_chebyshev *chebyshev = NULL;
    sedge_krylov *krylov = NULL;
    sedge_buffer *b = NULL;
    sedge_buffer *x = NULL;
    const int64_t bytes = matrix->rows * 8;

    CHECK_OK(sedge_matrix_device_create(&product, session.context, session.comm, matrix, 8,
                                        SEDGE_TUNE_OFF));
    const sedge_krylov_operator op = sedge_matrix_device_operator(product);
    if (kind == JACOBI || kind == BLOCKS || kind == CHEBYSHEV) {
        CHECK_OK(sedge_jacobi_create(&jacobi, session.context, session.comm, matrix, 8,
                                     kind == BLOCKS ? BLOCK_ROWS : 1));
        with = sedge_jacobi_preconditioner(jacobi);
    }
    if (kind == CHEBYSHEV) {
        const sedge_chebyshev_options how = sedge_chebyshev_defaults();
        const sedge_krylov_preconditioner inner = with;
        CHECK_OK(sedge_chebyshev_create(&chebyshev, session.context, session.comm, 8, matrix->rows,
                                        &op, &inner, &how));
        sedge_chebyshev_interval(chebyshev, &interval[0], &interval[1]);
        with = sedge_chebyshev_preconditioner(chebyshev);
    }
    if (kind == AMG) {
        CHECK_OK(sedge_amg_create(&amg, session.comm, matrix));
        CHECK_OK(sedge_amg_device_create(&amg_device, amg, session.context, 8, matrix->rows));
        with = sedge_amg_device_preconditioner(amg_device);
    }
    CHECK_OK(sedge_krylov_create(&krylov, session.context, session.comm, 8, matrix->rows, &op,
                                 &with, &options));
    CHECK_OK(sedge_buffer_create(&b, session.device, bytes));
    CHECK_OK(sedge_buffer_create(&x, session.device, bytes));
    if (krylov == NULL || x == NULL) exit(1);
    CHECK_OK(sedge_buffer_upload(b, 0, parts->right, bytes, NULL));
    CHECK_OK(sedge_krylov_solve(&result, krylov, b, x));
    CHECK_OK(sedge_buffer_download(x, 0, parts->solution, bytes, NULL));
    CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
    if (kind == AMG) CHECK(sedge_amg_get_counts(amg).levels >= 2);
    sedge_krylov_free(krylov);
    sedge_chebyshev_free(chebyshev);
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
    enum { MORE_MOST = 2 }; // iterations: sums are rounded in another order
    system_parts parts;
    double interval[2] = {0.0, 0.0};
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
    CHECK_OK(sedge_matrix_scatter(matrix, session.comm, right, parts.right));
    const sedge_krylov_result result = solve_by_sedge(matrix, &parts, kind, interval);
    const int64_t theirs = solve_by_petsc(matrix, parts.right, kind, interval);
    CHECK_OK(sedge_matrix_gather(matrix, session.comm, parts.solution, got));
    if (!sedge_comm_is_root(session.comm)) return;
    if (llabs(result.iterations - theirs) > MORE_MOST) {
        (void)fprintf(stderr, "  kind %d: %lld iterations, PETSc %lld\n", kind,
                      (long long)result.iterations, (long long)theirs);
    }
    CHECK(llabs(result.iterations - theirs) <= MORE_MOST);
    for (int i = 0; i < SIZE; i++) error = fmax(error, fabs(got[i] - wanted[i]));
    CHECK_BOUND(error, 1e-4); // the condition, about 1e4, times the tolerance
}

// The same answer to the bit, however the ranks' messages follow each other while AMG is made.
static void test_amg_repeats(const sedge_matrix *matrix)
{
    enum { TIMES = 20 };
    double r[SIZE], first[SIZE], z[SIZE];
    int64_t differing = 0;

    for (int64_t i = 0; i < matrix->rows; i++)
        r[i] = sin(1.0 + 0.7 * (double)i + sedge_comm_rank(session.comm));
    for (int time = 0; time < TIMES; time++) {
        sedge_amg *amg = NULL;
        CHECK_OK(sedge_amg_create(&amg, session.comm, matrix));
        if (amg == NULL) return;
        CHECK_OK(sedge_amg_apply(amg, r, time == 0 ? first : z));
        sedge_amg_free(amg);
        if (time > 0) differing += memcmp(first, z, (size_t)matrix->rows * sizeof *z) != 0;
    }
    sedge_comm_max_int(session.comm, &differing, 1);
    CHECK(differing == 0);
}

// PETSc runs on the ranks of the communicator that AMG gets, not on all, and only as long as it is
// needed; where the program uses it, it stays as it is.
static void test_amg_starts_petsc(void)
{
    const sedge_comm *const comm = session.comm;
    MPI_Comm pair;
    sedge_comm *some = NULL;
    sedge_matrix *const whole = make_whole();
    sedge_matrix *matrix = NULL;
    sedge_amg *amg = NULL;
    PetscBool is_started = PETSC_TRUE;
    int alike = MPI_UNEQUAL;

    // Of four ranks two and two, at different times.
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, sedge_comm_rank(comm) / 2, 0, &pair) == MPI_SUCCESS);
    CHECK_OK(sedge_comm_create(&some, &pair));
    if (sedge_comm_rank(comm) / 2 == 1) sedge_comm_barrier(comm);
    CHECK_OK(sedge_matrix_spread(&matrix, some, sedge_comm_is_root(some) ? whole : NULL));
    CHECK(PetscInitialized(&is_started) == 0 && !is_started);
    CHECK_OK(sedge_amg_create(&amg, some, matrix));
    CHECK(PetscInitialized(&is_started) == 0 && is_started);
    CHECK(MPI_Comm_compare(PETSC_COMM_WORLD, pair, &alike) == MPI_SUCCESS);
    CHECK(alike == MPI_CONGRUENT);
    sedge_amg_free(amg);
    CHECK(PetscInitialized(&is_started) == 0 && !is_started);
    if (sedge_comm_rank(comm) / 2 == 0) sedge_comm_barrier(comm);
    sedge_matrix_free(matrix);
    sedge_matrix_free(whole);
    sedge_comm_free(some);
    CHECK(MPI_Comm_free(&pair) == MPI_SUCCESS);

    CHECK(PetscInitializeNoArguments() == 0);
}

// A file of `text` read, as rows, columns from 1 and values.
static void check_file(const char *text, int count, const double (*entries)[3])
{
    const int file = memfd_create("matrix", 0);
    char path[64];
    sedge_matrix *matrix = NULL;
    int found = 0;

    CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK_OK(sedge_matrix_read(&matrix, path));
    (void)close(file);
    if (matrix == NULL) return;
    CHECK(matrix->offsets[matrix->rows] == count);
    for (int64_t i = 0; i < matrix->rows; i++) {
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1] && found < count; k++) {
            const double *const entry = entries[found++];
            CHECK((double)(i + 1) == entry[0] && (double)(matrix->columns[k] + 1) == entry[1]);
            CHECK(memcmp(&matrix->values[k], &entry[2], sizeof(double)) == 0);
        }
    }
    CHECK(found == count);
    sedge_matrix_free(matrix);
}

// Twins are added up in the file's order, a triangle becomes whole, numbers are rounded once:
// halves between two doubles, the smallest of them, digits beyond all others.
static void test_files(void)
{
    const double general[][3] = {{1, 1, (0.1 + 0.2) + 0.3},
                                 {1, 3, 0x1p-1074},
                                 {2, 2, 0x1p53},
                                 {3, 1, 0x1.0000000000001p0},
                                 {3, 3, -0.0}};
    const double symmetric[][3] = {{1, 1, 4}, {1, 2, 3}, {2, 1, 3}, {2, 2, 5}};
    const double skew[][3] = {{1, 2, -7}, {2, 1, 7}, {2, 2, 1}};
    const double pattern[][3] = {{1, 1, 1}, {1, 2, 1}, {2, 1, 1}};

    check_file("%%MatrixMarket matrix coordinate real general\n% one\n3 3 7\n3 3 -0\n1 1 0.1\n"
               "3 1 1.00000000000000011102230246251565404236316680908203126\n1 1 0.2\n\n"
               "2 2 9007199254740993\n1 1 0.3\n1 3 2.4703282292062328e-324\n",
               5, general);
    check_file("%%MatrixMarket matrix coordinate integer symmetric\n2 2 4\n"
               "2 2 5\n2 1 1\n1 1 4\n1 2 +2\n",
               4, symmetric);
    check_file("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 2 1\n2 1 7\n", 3,
               skew);
    check_file("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n", 3, pattern);
}

int main(void)
{
    sedge_matrix *matrix = NULL;
    int alike = MPI_UNEQUAL;

    krylov_case_start(&session);
    test_amg_starts_petsc();
    sedge_matrix *const whole = make_whole();
    CHECK_OK(sedge_matrix_spread(&matrix, session.comm,
                                 sedge_comm_is_root(session.comm) ? whole : NULL));
    if (matrix == NULL) return 1;
    for (int kind = NONE; kind < KINDS; kind++) test_kind(whole, matrix, kind);
    test_amg_repeats(matrix);
    test_files();
    sedge_matrix_free(matrix);
    sedge_matrix_free(whole);
    CHECK(MPI_Comm_compare(PETSC_COMM_WORLD, MPI_COMM_WORLD, &alike) == MPI_SUCCESS);
    CHECK(alike == MPI_IDENT && PetscFinalize() == 0);
    krylov_case_end(&session);
    return CHECK_END();
}
