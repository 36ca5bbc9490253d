// The matrix becomes one of Hessenberg by Householder's reflections, and a triangular one by the QR
// method with complex shifts (e.g. Golub and Van Loan, Matrix Computations, chapter 7). It is no
// routine of LAPACK: port_matrix.h says why.
#include "port_eigen.h"

#include "base/memory.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60   // for one eigenvalue
#define REAL   1e-9 // of the greatest eigenvalue: a smaller imaginary part, or distance of two

typedef double complex number;

// h becomes q^H h q, and z becomes z q, all of them [n][n].
typedef struct schur {
    int n;
    number *h, *z;
} schur;

static number *row_of(const schur *s, int i)
{
    return s->h + (int64_t)i * s->n;
}

static double square_of(number x)
{
    return creal(x) * creal(x) + cimag(x) * cimag(x);
}

// Clear column k below the row k + 1 by a reflection 1 - 2 u u^T of the rows from k + 1.
static void reflect(const schur *s, int k, double *u)
{
    const int n = s->n;
    double square = 0.0, length = 0.0;

    for (int i = k + 1; i < n; i++) {
        u[i] = creal(row_of(s, i)[k]);
        square += u[i] * u[i];
    }
    u[k + 1] += copysign(sqrt(square), u[k + 1]);
    for (int i = k + 1; i < n; i++) length += u[i] * u[i];
    if (!(length > 0.0)) return;
    for (int c = 0; c < n; c++) {
        number sum = 0.0;
        for (int i = k + 1; i < n; i++) sum += u[i] * row_of(s, i)[c];
        for (int i = k + 1; i < n; i++) row_of(s, i)[c] -= 2.0 / length * u[i] * sum;
    }
    for (int r = 0; r < 2 * n; r++) {
        number *const row = (r < n ? s->h : s->z) + (int64_t)(r % n) * n;
        number sum = 0.0;
        for (int i = k + 1; i < n; i++) sum += u[i] * row[i];
        for (int i = k + 1; i < n; i++) row[i] -= 2.0 / length * u[i] * sum;
    }
}

// The eigenvalue of the last two rows and columns up to `last` that is nearer to the last entry.
static number find_shift(const schur *s, int last)
{
    const number a = row_of(s, last - 1)[last - 1], b = row_of(s, last - 1)[last];
    const number c = row_of(s, last)[last - 1], d = row_of(s, last)[last];
    const number half = 0.5 * (a - d), root = csqrt(half * half + b * c);

    return d + half + (square_of(half + root) < square_of(half - root) ? root : -root);
}

// A step of the method on the rows and columns from `first` to `last`.
static void step(const schur *s, int first, int last, number shift, number *turn)
{
    const int n = s->n;

    for (int i = first; i <= last; i++) row_of(s, i)[i] -= shift;
    for (int k = first; k < last; k++) {
        number *const one = row_of(s, k), *const other = row_of(s, k + 1);
        const double length = sqrt(square_of(one[k]) + square_of(other[k]));
        const number c = length > 0.0 ? one[k] / length : 1.0;
        const number d = length > 0.0 ? other[k] / length : 0.0;

        turn[2L * k] = c;
        turn[2L * k + 1] = d;
        for (int i = k; i < n; i++) {
            const number above = one[i];
            one[i] = conj(c) * above + conj(d) * other[i];
            other[i] = c * other[i] - d * above;
        }
    }
    for (int k = first; k < last; k++) {
        const number c = turn[2L * k], d = turn[2L * k + 1];

        for (int r = 0; r < k + 2 + n; r++) {
            number *const row =
                (r < k + 2 ? s->h + (int64_t)r * n : s->z + (int64_t)(r - k - 2) * n) + k;
            const number before = row[0];
            row[0] = c * before + d * row[1];
            row[1] = conj(c) * row[1] - conj(d) * before;
        }
    }
    for (int i = first; i <= last; i++) row_of(s, i)[i] += shift;
}

// Make h triangular.
static sedge_status iterate(const schur *s, number *turn)
{
    int last = s->n - 1, rounds = 0;

    while (last > 0) {
        int first = last;

        while (first > 0) {
            number *const below = &row_of(s, first)[first - 1];
            const double beside =
                cabs(row_of(s, first)[first]) + cabs(row_of(s, first - 1)[first - 1]);
            if (cabs(*below) <= DBL_EPSILON * beside || cabs(*below) < DBL_MIN) {
                *below = 0.0;
                break;
            }
            first--;
        }
        if (first == last) {
            last--;
            rounds = 0;
            continue;
        }
        if (++rounds > ROUNDS)
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the eigenvalues of a matrix were not found");
        const number shift = rounds % 11 == 10
                                 ? row_of(s, last)[last] + cabs(row_of(s, last)[last - 1])
                                 : find_shift(s, last);
        step(s, first, last, shift, turn);
    }
    return SEDGE_OK;
}

// ---- vectors -----------------------------------------------------------------------------------

typedef struct ranked {
    double value;
    int at;
} ranked;

static int compare(const void *a, const void *b)
{
    const ranked *const one = a;
    const ranked *const other = b;

    if (one->value < other->value || one->value > other->value)
        return one->value > other->value ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

// x = z y, where y is the vector of the triangular matrix to its eigenvalue number `at`; y [n].
static void find_vector(number *x, number *y, const schur *s, int at, double scale)
{
    const int n = s->n;
    const number value = row_of(s, at)[at];

    y[at] = 1.0;
    for (int i = at - 1; i >= 0; i--) {
        number sum = 0.0, pivot = row_of(s, i)[i] - value;

        for (int k = i + 1; k <= at; k++) sum += row_of(s, i)[k] * y[k];
        if (cabs(pivot) < DBL_EPSILON * scale) pivot = DBL_EPSILON * scale;
        y[i] = -sum / pivot;
    }
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int k = 0; k <= at; k++) x[i] += s->z[(int64_t)i * n + k] * y[k];
    }
}

// The real or the imaginary part of x, without the vectors in the columns from `from` to `to` of v,
// in column `to`; its length by that of x.
static double put_part(double *v, const number *x, bool real, int n, int from, int to)
{
    double whole = 0.0, left = 0.0;

    for (int i = 0; i < n; i++) {
        v[(int64_t)i * n + to] = real ? creal(x[i]) : cimag(x[i]);
        whole += square_of(x[i]);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int c = from; c < to; c++) {
            double sum = 0.0;
            for (int64_t i = 0; i < n; i++) sum += v[i * n + c] * v[i * n + to];
            for (int64_t i = 0; i < n; i++) v[i * n + to] -= sum * v[i * n + c];
        }
    }
    for (int64_t i = 0; i < n; i++) left += v[i * n + to] * v[i * n + to];
    for (int64_t i = 0; i < n && left > 0.0; i++) v[i * n + to] /= sqrt(left);
    return sqrt(left / whole);
}

// Vectors of the `count` eigenvalues `rows`, all of which are real.
static void find_vectors(double *w, double *v, const schur *s, const ranked *rows, int count,
                         double scale, number *work)
{
    const int n = s->n;
    number *const x = work, *const y = work + n;
    int from = 0; // the first of those that are nearly the same

    for (int k = 0; k < count; k++) {
        w[k] = rows[k].value;
        if (k > 0 && w[k - 1] - w[k] > REAL * scale) from = k;
        find_vector(x, y, s, rows[k].at, scale);
        const double real = put_part(v, x, true, n, from, k);
        if (put_part(v, x, false, n, from, k) < real) (void)put_part(v, x, true, n, from, k);
    }
}

static sedge_status find(int *count, const schur *s, const double *a, double *w, double *v,
                         number *work, ranked *rows)
{
    const int n = s->n;
    double scale = 0.0;

    for (int64_t i = 0; i < (int64_t)n * n; i++) {
        s->h[i] = a[i];
        s->z[i] = i / n == i % n ? 1.0 : 0.0;
    }
    for (int k = 0; k < n - 2; k++) reflect(s, k, w);
    for (int k = 0; k < n - 2; k++)
        for (int i = k + 2; i < n; i++) row_of(s, i)[k] = 0.0;
    SEDGE_TRY(iterate(s, work));
    for (int i = 0; i < n; i++) scale = fmax(scale, cabs(row_of(s, i)[i]));
    for (int i = 0; i < n; i++) {
        const number value = row_of(s, i)[i];
        if (fabs(cimag(value)) <= REAL * scale) rows[(*count)++] = (ranked){creal(value), i};
    }
    qsort(rows, (size_t)*count, sizeof *rows, compare);
    find_vectors(w, v, s, rows, *count, scale, work);
    return SEDGE_OK;
}

sedge_status port_eigen_find(int *count, int n, const double *a, double *w, double *v)
{
    const int64_t square = (int64_t)n * n;
    schur s = {.n = n};
    number *work = NULL;
    ranked *rows = NULL;
    sedge_status status;

    *count = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&s.h, square, sizeof *s.h));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s.z, square, sizeof *s.z));
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, 2LL * n, sizeof *work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, n, sizeof *rows));
    status = find(count, &s, a, w, v, work, rows);
done:
    sedge_release(s.h);
    sedge_release(s.z);
    sedge_release(work);
    sedge_release(rows);
    return status;
}
