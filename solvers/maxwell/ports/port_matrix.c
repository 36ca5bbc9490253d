#include "port_matrix.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define SWEEPS 30

sedge_status port_matrix_create(port_matrix *out, int64_t rows, const int64_t *first)
{
    int64_t count = 0;

    *out = (port_matrix){.rows = rows};
    SEDGE_TRY(sedge_allocate(&out->first, rows, sizeof *out->first));
    SEDGE_TRY(sedge_allocate(&out->offset, rows, sizeof *out->offset));
    for (int64_t i = 0; i < rows; i++) {
        out->first[i] = first[i];
        out->offset[i] = count - first[i];
        count += i + 1 - first[i];
    }
    return sedge_allocate(&out->value, count, sizeof *out->value);
}

void port_matrix_clear(const port_matrix *matrix)
{
    sedge_release(matrix->first);
    sedge_release(matrix->offset);
    sedge_release(matrix->value);
}

double *port_matrix_at(const port_matrix *matrix, int64_t row, int64_t column)
{
    return matrix->value + matrix->offset[row] + column;
}

// Four sums, which a processor adds side by side.
static double multiply(const double *a, const double *b, int64_t count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < count; i++) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

sedge_status port_matrix_factor(const port_matrix *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        double *const row = matrix->value + matrix->offset[i];

        for (int64_t j = matrix->first[i]; j <= i; j++) {
            const double *const other = matrix->value + matrix->offset[j];
            const int64_t from =
                matrix->first[i] > matrix->first[j] ? matrix->first[i] : matrix->first[j];
            const double left = row[j] - multiply(row + from, other + from, j - from);

            if (j < i) {
                row[j] = left / other[j];
                continue;
            }
            if (!(left > 0.0))
                return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the matrix is not positive definite");
            row[i] = sqrt(left);
        }
    }
    return SEDGE_OK;
}

void port_matrix_solve(const port_matrix *matrix, double *x)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        const double *const row = matrix->value + matrix->offset[i];
        const int64_t first = matrix->first[i];

        x[i] = (x[i] - multiply(row + first, x + first, i - first)) / row[i];
    }
    for (int64_t i = matrix->rows - 1; i >= 0; i--) {
        const double *const row = matrix->value + matrix->offset[i];

        x[i] /= row[i];
        for (int64_t j = matrix->first[i]; j < i; j++) x[j] -= row[j] * x[i];
    }
}

// ---- eigenvalues of small matrices -------------------------------------------------------------

// One rotation, after which a[p][q] is 0.
static void rotate(int n, double *a, double *v, int p, int q)
{
    const double apq = a[p * n + q];
    const double ratio = 0.5 * (a[q * n + q] - a[p * n + p]) / apq;
    const double t = copysign(1.0, ratio) / (fabs(ratio) + sqrt(1.0 + ratio * ratio));
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;

    for (int k = 0; k < n; k++) {
        const double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        const double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    for (int k = 0; k < n; k++) {
        const double kp = v[k * n + p], kq = v[k * n + q];
        v[k * n + p] = c * kp - s * kq;
        v[k * n + q] = s * kp + c * kq;
    }
}

// Put the eigenvalues in order, with their vectors.
static void sort(int n, double *w, double *v)
{
    for (int i = 0; i < n; i++) {
        int most = i;

        for (int k = i + 1; k < n; k++)
            if (w[k] > w[most]) most = k;
        const double value = w[i];
        w[i] = w[most];
        w[most] = value;
        for (int k = 0; k < n; k++) {
            const double entry = v[k * n + i];
            v[k * n + i] = v[k * n + most];
            v[k * n + most] = entry;
        }
    }
}

void port_matrix_eigen(int n, double *a, double *w, double *v)
{
    for (int i = 0; i < n * n; i++) v[i] = i / n == i % n ? 1.0 : 0.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool done = true;

        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                const double scale = sqrt(fabs(a[p * n + p] * a[q * n + q]));
                if (fabs(a[p * n + q]) <= 1e-18 * scale) continue;
                done = false;
                rotate(n, a, v, p, q);
            }
        }
        if (done) break;
    }
    for (int i = 0; i < n; i++) w[i] = a[i * n + i];
    sort(n, w, v);
}
