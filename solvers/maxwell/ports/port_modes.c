#include "port_modes.h"

#include "base/memory.h"
#include "port_matrix.h"

#include <math.h>
#include <string.h>

#define MOST_ENTRIES 1.2e7 // of a matrix: 100 MB, some seconds for the first modes
#define SETTLED      1e-12 // change of eigenvalues in a round
#define ROUNDS       300
#define MORE         8 // vectors beside twice those that are asked for

// Those of the unknowns that are free: `place` [unknowns] is their number, -1 of others.
typedef struct freedom {
    int64_t rows;
    int64_t *place;
} freedom;

static sedge_status find_freedom(freedom *out, const port_section *section, bool fixed)
{
    SEDGE_TRY(sedge_allocate(&out->place, section->unknowns, sizeof *out->place));
    for (int64_t i = 0; i < section->unknowns; i++)
        out->place[i] = fixed && section->wall[i] >= 0 ? -1 : out->rows++;
    return SEDGE_OK;
}

// The first column of each row: the least of those that a face has in common with it.
static void find_first(int64_t *first, const freedom *is, const port_section *section)
{
    for (int64_t i = 0; i < is->rows; i++) first[i] = i;
    for (int64_t f = 0; f < section->field->faces; f++) {
        const int64_t *const of = section->of + f * section->local;
        int64_t least = is->rows;

        for (int k = 0; k < section->local; k++) {
            const int64_t row = is->place[of[k]];
            if (row >= 0 && row < least) least = row;
        }
        for (int k = 0; k < section->local; k++) {
            const int64_t row = is->place[of[k]];
            if (row >= 0 && least < first[row]) first[row] = least;
        }
    }
}

static sedge_status allocate_matrix(port_matrix *out, const freedom *is,
                                    const port_section *section, const char *where)
{
    int64_t *first = NULL;
    double entries = 0.0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&first, is->rows, sizeof *first));
    find_first(first, is, section);
    for (int64_t i = 0; i < is->rows; i++) entries += (double)(i + 1 - first[i]);
    if (entries > MOST_ENTRIES) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, and at order %d its mode would take a "
                            "matrix of %.2g numbers, where %.2g are possible: let the mesh have "
                            "fewer and larger faces there, or a lower order",
                            where, (long long)section->field->faces, section->order - 1, entries,
                            MOST_ENTRIES);
        goto done;
    }
    status = port_matrix_create(out, is->rows, first);
done:
    sedge_release(first);
    return status;
}

// The factor of the integrals of grad f . grad g + shift f g of the free unknowns. To `load`
// [unknowns], unless NULL, add those of grad f . grad g for g = 1 on all walls but the outer one.
static sedge_status make_factor(port_matrix *out, const freedom *is, const port_section *section,
                                double shift, double *load, const char *where)
{
    const int local = section->local;
    double *part = NULL;
    sedge_status status;

    SEDGE_TRY(allocate_matrix(out, is, section, where));
    SEDGE_TRY(sedge_allocate(&part, (int64_t)local * local, sizeof *part));
    for (int64_t f = 0; f < section->field->faces; f++) {
        const int64_t *const of = section->of + f * local;

        port_section_matrix(section, f, shift, part);
        for (int k = 0; k < local * local; k++) {
            const int64_t one = of[k / local], other = of[k % local];
            const int64_t row = is->place[one], column = is->place[other];
            if (column >= 0 && row >= column) *port_matrix_at(out, row, column) += part[k];
            if (load != NULL && section->wall[other] > 0) load[one] += part[k];
        }
    }
    status = port_matrix_factor(out);
    sedge_release(part);
    return status;
}

// Solve for all unknowns: x is the right-hand side; it becomes the solution, 0 where it is fixed.
static void solve(const port_matrix *factor, const freedom *is, int64_t unknowns, double *x,
                  double *work)
{
    for (int64_t i = 0; i < unknowns; i++)
        if (is->place[i] >= 0) work[is->place[i]] = x[i];
    port_matrix_solve(factor, work);
    for (int64_t i = 0; i < unknowns; i++) x[i] = is->place[i] >= 0 ? work[is->place[i]] : 0.0;
}

// ---- subspace iteration ------------------------------------------------------------------------

typedef struct iteration {
    const port_section *section;
    const freedom *is;
    const port_matrix *factor; // A = K + shift M
    int64_t width;             // vectors
    double *x, *y;             // [width][unknowns]
    double *work;              // [unknowns + local]
    double *a, *m, *z, *theta; // [width][width] A, M in the space; [width]
} iteration;

static double multiply(const double *a, const double *b, int64_t count)
{
    double sum = 0.0;

    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// y = A^-1 M x, and what A and M are in the space of y: y.(M x) and y.(M y).
static void project(const iteration *it)
{
    const int64_t n = it->section->unknowns;
    const int64_t width = it->width;

    for (int64_t i = 0; i < width; i++) {
        double *const y = it->y + i * n, *const x = it->x + i * n;

        port_section_mass(it->section, x, y, it->work);
        memcpy(x, y, (size_t)n * sizeof *x);
        solve(it->factor, it->is, n, y, it->work);
    }
    for (int64_t i = 0; i < width * width; i++)
        it->a[i] = multiply(it->y + i / width * n, it->x + i % width * n, n);
    for (int64_t i = 0; i < width; i++) {
        port_section_mass(it->section, it->y + i * n, it->x, it->work);
        for (int64_t k = 0; k < width; k++)
            it->m[i * width + k] = multiply(it->y + k * n, it->x, n);
    }
}

// a = L L^T in place, in its lower half.
static bool factor_small(int64_t n, double *a)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            const double left = a[i * n + j] - multiply(a + i * n, a + j * n, j);
            if (i == j && !(left > 0.0)) return false;
            a[i * n + j] = i == j ? sqrt(left) : left / a[j * n + j];
        }
    }
    return true;
}

// L^-1 applied to the rows of b.
static void divide_rows(int64_t n, const double *l, double *b)
{
    for (int row = 0; row < n; row++) {
        double *const x = b + row * n;
        for (int64_t i = 0; i < n; i++) x[i] = (x[i] - multiply(l + i * n, x, i)) / l[i * n + i];
    }
}

static void transpose(int64_t n, double *a)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) {
            const double entry = a[i * n + k];
            a[i * n + k] = a[k * n + i];
            a[k * n + i] = entry;
        }
    }
}

// M z = theta A z in the space, and x = y z with integrals of squares 1. False: the vectors are not
// independent.
static bool rotate(const iteration *it)
{
    const int64_t n = it->section->unknowns;
    const int64_t width = it->width;

    if (!factor_small(width, it->a)) return false;
    divide_rows(width, it->a, it->m);
    transpose(width, it->m);
    divide_rows(width, it->a, it->m);
    for (int64_t i = 0; i < width; i++) // of rounding
        for (int64_t k = 0; k < i; k++) it->m[k * width + i] = it->m[i * width + k];
    port_matrix_eigen((int)width, it->m, it->theta, it->z);
    for (int64_t c = 0; c < width; c++) { // z = L^-T z
        for (int64_t i = width - 1; i >= 0; i--) {
            double sum = it->z[i * width + c];
            for (int64_t k = i + 1; k < width; k++)
                sum -= it->a[k * width + i] * it->z[k * width + c];
            it->z[i * width + c] = sum / it->a[i * width + i];
        }
    }
    for (int64_t c = 0; c < width; c++) {
        double *const x = it->x + c * n;

        if (!(it->theta[c] > 0.0)) return false;
        memset(x, 0, (size_t)n * sizeof *x);
        for (int64_t i = 0; i < width; i++) {
            const double part = it->z[i * width + c] / sqrt(it->theta[c]);
            for (int64_t k = 0; k < n; k++) x[k] += part * it->y[i * n + k];
        }
    }
    return true;
}

// Numbers between -1 and 1, always the same ones.
static void fill_start(const iteration *it)
{
    uint64_t state = 88172645463325252ULL;

    for (int64_t i = 0; i < it->width * it->section->unknowns; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const bool fixed = it->is->place[i % it->section->unknowns] < 0;
        it->x[i] = fixed ? 0.0 : ldexp((double)(state >> 11), -52) - 1.0;
    }
}

// Values settle twice as fast as vectors, which so get as many rounds again.
static sedge_status iterate(const iteration *it, int count)
{
    double before = HUGE_VAL;
    int rounds = ROUNDS;

    fill_start(it);
    for (int i = 0; i < rounds; i++) {
        double sum = 0.0;

        project(it);
        if (!rotate(it)) break;
        for (int64_t k = 0; k < count; k++) sum += 1.0 / it->theta[k];
        if (fabs(sum - before) <= SETTLED * sum && rounds == ROUNDS) rounds = 2 * i + 2;
        before = sum;
        if (i + 1 == rounds && rounds < ROUNDS) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the modes of the port were not found in %d rounds",
                      ROUNDS);
}

static sedge_status allocate_iteration(iteration *it)
{
    const int64_t n = it->section->unknowns, square = it->width * it->width;

    SEDGE_TRY(sedge_allocate(&it->x, it->width * n, sizeof *it->x));
    SEDGE_TRY(sedge_allocate(&it->y, it->width * n, sizeof *it->y));
    SEDGE_TRY(sedge_allocate(&it->work, n + it->section->local, sizeof *it->work));
    SEDGE_TRY(sedge_allocate(&it->a, square, sizeof *it->a));
    SEDGE_TRY(sedge_allocate(&it->m, square, sizeof *it->m));
    SEDGE_TRY(sedge_allocate(&it->z, square, sizeof *it->z));
    return sedge_allocate(&it->theta, it->width, sizeof *it->theta);
}

static void clear_iteration(const iteration *it)
{
    sedge_release(it->x);
    sedge_release(it->y);
    sedge_release(it->work);
    sedge_release(it->a);
    sedge_release(it->m);
    sedge_release(it->z);
    sedge_release(it->theta);
}

sedge_status port_modes_find(double *values, double *functions, const port_section *section,
                             bool fixed, int count, const char *where)
{
    const int64_t n = section->unknowns;
    const int none = fixed ? 0 : 1; // the constant function
    const double shift = 1.0 / (section->size * section->size);
    iteration it = {.section = section, .width = 2 * (count + none) + MORE};
    port_matrix factor = {0};
    freedom is = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, find_freedom(&is, section, fixed));
    it.is = &is;
    it.factor = &factor;
    if (is.rows < it.width) it.width = is.rows;
    if (it.width < count + none) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, which are too few for so many modes",
                            where, (long long)section->field->faces);
        goto done;
    }
    SEDGE_TRY_GOTO(status, make_factor(&factor, &is, section, shift, NULL, where));
    SEDGE_TRY_GOTO(status, allocate_iteration(&it));
    SEDGE_TRY_GOTO(status, iterate(&it, count + none));
    for (int k = 0; k < count; k++) values[k] = 1.0 / it.theta[k + none] - shift;
    memcpy(functions, it.x + none * n, (size_t)(count * n) * sizeof *functions);
done:
    clear_iteration(&it);
    port_matrix_clear(&factor);
    sedge_release(is.place);
    return status;
}

sedge_status port_modes_potential(double *function, const port_section *section, const char *where)
{
    const int64_t n = section->unknowns;
    port_matrix factor = {0};
    freedom is = {0};
    double *work = NULL;
    sedge_status status;

    memset(function, 0, (size_t)n * sizeof *function);
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, n, sizeof *work));
    SEDGE_TRY_GOTO(status, find_freedom(&is, section, true));
    SEDGE_TRY_GOTO(status, make_factor(&factor, &is, section, 0.0, function, where));
    for (int64_t i = 0; i < n; i++) function[i] = -function[i];
    solve(&factor, &is, n, function, work);
    for (int64_t i = 0; i < n; i++)
        if (section->wall[i] > 0) function[i] = 1.0;
done:
    port_matrix_clear(&factor);
    sedge_release(is.place);
    sedge_release(work);
    return status;
}
