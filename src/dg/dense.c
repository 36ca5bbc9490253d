#include "dense.h"

#include "base/memory.h"

#include <math.h>

// Exchange rows i and k of w, [n][columns].
static void swap_rows(long double *w, int columns, int i, int k)
{
    for (int j = 0; j < columns; j++) {
        const long double kept = w[i * columns + j];
        w[i * columns + j] = w[k * columns + j];
        w[k * columns + j] = kept;
    }
}

// Gauss-Jordan on w = [a | 1], [n][2n]: afterwards the right half is a^-1.
static sedge_status eliminate(long double *w, int n)
{
    const int columns = 2 * n;

    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int k = i + 1; k < n; k++)
            if (fabsl(w[k * columns + i]) > fabsl(w[pivot * columns + i])) pivot = k;
        if (!(fabsl(w[pivot * columns + i]) > 0.0L)) {
            return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "column %d of a %d x %d matrix has no pivot", i,
                              n, n);
        }
        if (pivot != i) swap_rows(w, columns, i, pivot);

        const long double scale = 1.0L / w[i * columns + i];
        for (int j = i; j < columns; j++) w[i * columns + j] *= scale;
        for (int k = 0; k < n; k++) {
            const long double factor = w[k * columns + i];
            if (k == i || factor == 0.0L) continue;
            for (int j = i; j < columns; j++) w[k * columns + j] -= factor * w[i * columns + j];
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_dense_invert(double *inverse, const double *a, int n)
{
    sedge_status status;
    long double *w = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&w, 2 * (int64_t)n * n, sizeof *w));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) w[i * 2 * n + j] = (long double)a[i * n + j];
        w[i * 2 * n + n + i] = 1.0L;
    }
    SEDGE_TRY_GOTO(status, eliminate(w, n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) inverse[i * n + j] = (double)w[i * 2 * n + n + j];
done:
    sedge_release(w);
    return status;
}

enum { AT_ONCE = 4 };

// Set AT_ONCE elements of a row of c. An addition to one sum does not wait for those to the others,
// which takes a third of the time. Each sum has its terms in the order of k.
static void multiply_together(double c[AT_ONCE], const double *a, int64_t a_step, const double *b,
                              int64_t b_step, int64_t b_column, int inner)
{
    long double sums[AT_ONCE] = {0.0L};

    for (int k = 0; k < inner; k++) {
        const long double left = (long double)a[k * a_step];
        for (int j = 0; j < AT_ONCE; j++)
            sums[j] += left * (long double)b[k * b_step + j * b_column];
    }
    for (int j = 0; j < AT_ONCE; j++) c[j] = (double)sums[j];
}

static double multiply_one(const double *a, int64_t a_step, const double *b, int64_t b_step,
                           int inner)
{
    long double sum = 0.0L;

    for (int k = 0; k < inner; k++) sum += (long double)a[k * a_step] * (long double)b[k * b_step];
    return (double)sum;
}

void sedge_dense_multiply(double *c, const double *a, bool a_transposed, const double *b,
                          bool b_transposed, int rows, int inner, int columns)
{
    const int64_t a_row = a_transposed ? 1 : inner;
    const int64_t a_step = a_transposed ? rows : 1;
    const int64_t b_column = b_transposed ? inner : 1;
    const int64_t b_step = b_transposed ? 1 : columns;

    for (int i = 0; i < rows; i++) {
        const double *const row = a + i * a_row;
        int j = 0;

        for (; j + AT_ONCE <= columns; j += AT_ONCE, c += AT_ONCE)
            multiply_together(c, row, a_step, b + j * b_column, b_step, b_column, inner);
        for (; j < columns; j++, c++)
            *c = multiply_one(row, a_step, b + j * b_column, b_step, inner);
    }
}

static void sort(double values[3])
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 - i; k++) {
            const double high = fmax(values[k], values[k + 1]);
            values[k] = fmin(values[k], values[k + 1]);
            values[k + 1] = high;
        }
    }
}

#define SWEEPS 20 // of Jacobi's method, which needs about five

// A rotation in the plane of axes p and q that makes a[p][q] zero.
static void rotate(double a[3][3], int p, int q)
{
    if (!(fabs(a[p][q]) > 0.0)) return;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    const double c = 1.0 / hypot(t, 1.0);
    const double s = t * c;

    for (int k = 0; k < 3; k++) {
        const double first = a[k][p];
        a[k][p] = c * first - s * a[k][q];
        a[k][q] = s * first + c * a[k][q];
    }
    for (int k = 0; k < 3; k++) {
        const double first = a[p][k];
        a[p][k] = c * first - s * a[q][k];
        a[q][k] = s * first + c * a[q][k];
    }
    a[p][q] = a[q][p] = 0.0;
}

void sedge_symmetric_values(double values[3], const double t[6])
{
    double a[3][3] = {{t[0], t[5], t[4]}, {t[5], t[1], t[3]}, {t[4], t[3], t[2]}};

    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 3; p++) rotate(a, (p + 1) % 3, (p + 2) % 3);
    for (int i = 0; i < 3; i++) values[i] = a[i][i];
    sort(values);
}
