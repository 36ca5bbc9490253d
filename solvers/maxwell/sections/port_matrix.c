#include "port_matrix.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SWEEPS 30

// Numbers of a tile.
enum { TILE = PORT_TILE * PORT_TILE };

double port_matrix_entries(int64_t rows, const int64_t *first)
{
    double sum = 0.0;

    for (int64_t i = 0; i < rows; i++) sum += (double)(i + 1 - first[i]);
    return sum;
}

sedge_status port_matrix_create(port_matrix *out, int64_t rows, const int64_t *first)
{
    int64_t count = 0;

    *out = (port_matrix){.tiles = (rows + PORT_TILE - 1) / PORT_TILE};
    SEDGE_TRY(sedge_allocate(&out->first, out->tiles, sizeof *out->first));
    SEDGE_TRY(sedge_allocate(&out->offset, out->tiles, sizeof *out->offset));
    for (int64_t i = 0; i < out->tiles; i++) out->first[i] = i;
    for (int64_t i = 0; i < rows; i++) {
        int64_t *const least = &out->first[i / PORT_TILE];
        if (first[i] / PORT_TILE < *least) *least = first[i] / PORT_TILE;
    }
    for (int64_t i = 0; i < out->tiles; i++) {
        out->offset[i] = count - out->first[i];
        count += i + 1 - out->first[i];
    }
    SEDGE_TRY(sedge_allocate(&out->value, count * TILE, sizeof *out->value));
    SEDGE_TRY(sedge_allocate(&out->sign, out->tiles * PORT_TILE, sizeof *out->sign));
    for (int64_t i = 0; i < out->tiles * PORT_TILE; i++) out->sign[i] = 1.0;
    for (int64_t i = rows; i < out->tiles * PORT_TILE; i++) *port_matrix_at(out, i, i) = 1.0;
    return SEDGE_OK;
}

void port_matrix_clear(const port_matrix *matrix)
{
    sedge_release(matrix->first);
    sedge_release(matrix->offset);
    sedge_release(matrix->value);
    sedge_release(matrix->sign);
}

static double *tile_at(const port_matrix *matrix, int64_t row, int64_t column)
{
    return matrix->value + (matrix->offset[row] + column) * TILE;
}

double *port_matrix_at(const port_matrix *matrix, int64_t row, int64_t column)
{
    return tile_at(matrix, row / PORT_TILE, column / PORT_TILE) + column % PORT_TILE * PORT_TILE +
           row % PORT_TILE;
}

// c[j] += sign * sum over k of a(j, k) b[k], of rows of tiles; a(j, k) is a[j][k], or a[k][j] where
// `turned`.
static inline void multiply(double *restrict c, double sign, const double *restrict a, bool turned,
                            const double *restrict b)
{
    for (int j = 0; j < PORT_TILE; j++) {
        double sum[PORT_TILE] = {0.0};

        for (int k = 0; k < PORT_TILE; k++) {
            const double factor = turned ? a[k * PORT_TILE + j] : a[j * PORT_TILE + k];
            for (int r = 0; r < PORT_TILE; r++) sum[r] += factor * b[k * PORT_TILE + r];
        }
        for (int r = 0; r < PORT_TILE; r++) c[j * PORT_TILE + r] += sign * sum[r];
    }
}

void port_panel_multiply(double *tile, int64_t tiles, const double *x, const double *y)
{
    memset(tile, 0, TILE * sizeof *tile);
    for (int64_t i = 0; i < tiles; i++) multiply(tile, 1.0, x + i * TILE, true, y + i * TILE);
}

void port_panel_subtract(double *y, int64_t tiles, const double *x, const double *tile)
{
    for (int64_t i = 0; i < tiles; i++) multiply(y + i * TILE, -1.0, x + i * TILE, false, tile);
}

// ---- the factor --------------------------------------------------------------------------------

// Tiles are stored by columns: tile[column][row].

// tile = tile (S L^T)^-1
static void divide_tile(double *tile, const double *l, const double *sign)
{
    for (int j = 0; j < PORT_TILE; j++) {
        double *const column = tile + (ptrdiff_t)j * PORT_TILE;

        for (int k = 0; k < j; k++) {
            for (int i = 0; i < PORT_TILE; i++)
                column[i] -= sign[k] * l[k * PORT_TILE + j] * tile[k * PORT_TILE + i];
        }
        for (int i = 0; i < PORT_TILE; i++) column[i] /= sign[j] * l[j * PORT_TILE + j];
    }
}

// tile = L S L^T, of its lower half; L is put there.
static bool factor_tile(double *tile, const double *sign)
{
    for (int j = 0; j < PORT_TILE; j++) {
        double *const column = tile + (ptrdiff_t)j * PORT_TILE;

        for (int k = 0; k < j; k++) {
            for (int i = j; i < PORT_TILE; i++)
                column[i] -= sign[k] * tile[k * PORT_TILE + j] * tile[k * PORT_TILE + i];
        }
        if (!(sign[j] * column[j] > 0.0)) return false;
        const double root = sqrt(sign[j] * column[j]);
        for (int i = j; i < PORT_TILE; i++) column[i] /= sign[j] * root;
    }
    return true;
}

// The columns of a tile times S.
static void sign_tile(double *out, const double *tile, const double *sign)
{
    for (int k = 0; k < TILE; k++) out[k] = sign[k / PORT_TILE] * tile[k];
}

sedge_status port_matrix_factor(const port_matrix *matrix)
{
    for (int64_t i = 0; i < matrix->tiles; i++) {
        for (int64_t j = matrix->first[i]; j <= i; j++) {
            double *const tile = tile_at(matrix, i, j);
            const int64_t from =
                matrix->first[i] > matrix->first[j] ? matrix->first[i] : matrix->first[j];

            for (int64_t k = from; k < j; k++) {
                double signed_tile[TILE];

                sign_tile(signed_tile, tile_at(matrix, j, k), matrix->sign + k * PORT_TILE);
                multiply(tile, -1.0, signed_tile, true, tile_at(matrix, i, k));
            }
            if (j < i) {
                divide_tile(tile, tile_at(matrix, j, j), matrix->sign + j * PORT_TILE);
            } else if (!factor_tile(tile, matrix->sign + j * PORT_TILE)) {
                return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the matrix is not definite");
            }
        }
    }
    return SEDGE_OK;
}

// x = L^-1 x and x = L^-T x, of a tile on the diagonal and eight rows of a panel.
static void solve_tile(double *x, const double *l)
{
    for (int j = 0; j < PORT_TILE; j++) {
        for (int k = 0; k < j; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                x[j * PORT_TILE + r] -= l[k * PORT_TILE + j] * x[k * PORT_TILE + r];
        }
        for (int r = 0; r < PORT_TILE; r++) x[j * PORT_TILE + r] /= l[j * PORT_TILE + j];
    }
}

static void solve_turned_tile(double *x, const double *l)
{
    for (int j = PORT_TILE - 1; j >= 0; j--) {
        for (int k = j + 1; k < PORT_TILE; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                x[j * PORT_TILE + r] -= l[j * PORT_TILE + k] * x[k * PORT_TILE + r];
        }
        for (int r = 0; r < PORT_TILE; r++) x[j * PORT_TILE + r] /= l[j * PORT_TILE + j];
    }
}

void port_matrix_solve(const port_matrix *matrix, double *x)
{
    for (int64_t i = 0; i < matrix->tiles; i++) {
        for (int64_t k = matrix->first[i]; k < i; k++)
            multiply(x + i * TILE, -1.0, tile_at(matrix, i, k), true, x + k * TILE);
        solve_tile(x + i * TILE, tile_at(matrix, i, i));
    }
    for (int64_t k = 0; k < matrix->tiles * TILE; k++) x[k] *= matrix->sign[k / PORT_TILE];
    for (int64_t i = matrix->tiles - 1; i >= 0; i--) {
        solve_turned_tile(x + i * TILE, tile_at(matrix, i, i));
        for (int64_t k = matrix->first[i]; k < i; k++)
            multiply(x + k * TILE, -1.0, tile_at(matrix, i, k), false, x + i * TILE);
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
