#include "port_space.h"

#include "base/memory.h"
#include "port_eigen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define NOTHING   1e-20 // of a vector's square: what is left of one that the others give
#define DEPENDENT 1e-14 // of a vector's square: what another one of the same panel leaves of it

// Numbers of a tile.
enum { TILE = PORT_TILE * PORT_TILE };

// The upper R of R^T R = g, in place, and its inverse, of the columns of a panel; both are 0 for
// columns that are less than `least` [PORT_TILE], or that the others give.
static void factor_products(double *g, double *inverse, const double *least)
{
    memset(inverse, 0, TILE * sizeof *inverse);
    for (int j = 0; j < PORT_TILE; j++) {
        double left = g[j * PORT_TILE + j];

        for (int i = 0; i < j; i++) {
            double sum = g[i * PORT_TILE + j];
            const double pivot = g[i * PORT_TILE + i];
            for (int k = 0; k < i; k++) sum -= g[k * PORT_TILE + i] * g[k * PORT_TILE + j];
            g[i * PORT_TILE + j] = pivot > 0.0 ? sum / pivot : 0.0;
            left -= g[i * PORT_TILE + j] * g[i * PORT_TILE + j];
        }
        const bool kept = left > fmax(least[j], DEPENDENT * g[j * PORT_TILE + j]);
        g[j * PORT_TILE + j] = kept ? sqrt(left) : 0.0;
        for (int k = 0; k < j; k++) g[j * PORT_TILE + k] = 0.0;
        if (!kept) continue;
        inverse[j * PORT_TILE + j] = 1.0 / g[j * PORT_TILE + j];
        for (int i = 0; i < j; i++) {
            double sum = 0.0;
            for (int k = i; k < j; k++) sum -= inverse[i * PORT_TILE + k] * g[k * PORT_TILE + j];
            inverse[i * PORT_TILE + j] = sum / g[j * PORT_TILE + j];
        }
    }
}

// x = x tile, of a panel.
static void turn_panel(double *x, int64_t tiles, const double *tile)
{
    for (int64_t i = 0; i < tiles * PORT_TILE; i++) {
        double row[PORT_TILE] = {0.0};

        for (int k = 0; k < PORT_TILE; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                row[r] += x[i * PORT_TILE + k] * tile[k * PORT_TILE + r];
        }
        memcpy(x + i * PORT_TILE, row, sizeof row);
    }
}

// Make the columns of the panel x, with squares of `squares` [PORT_TILE] before the others were
// taken out of them, orthogonal and of length 1. True: something is left of x.
static bool normalise(port_space *in, double *x, const double *squares)
{
    const int64_t tiles = in->of->factor->tiles;
    double g[TILE], inverse[TILE], least[PORT_TILE];
    bool any = false;

    memset(in->leaves, 0, sizeof in->leaves);
    for (int k = 0; k < PORT_TILE; k++) {
        in->leaves[k * PORT_TILE + k] = 1.0;
        least[k] = NOTHING * squares[k];
    }
    for (int pass = 0; pass < 2; pass++) {
        double product[TILE] = {0.0};

        in->of->multiply(in->of->of, x, in->mass);
        port_panel_multiply(g, tiles, x, in->mass);
        factor_products(g, inverse, least);
        turn_panel(x, tiles, inverse);
        for (int k = 0; k < TILE * PORT_TILE; k++) {
            const int i = k / TILE, j = k / PORT_TILE % PORT_TILE, c = k % PORT_TILE;
            product[i * PORT_TILE + c] += g[i * PORT_TILE + j] * in->leaves[j * PORT_TILE + c];
        }
        memcpy(in->leaves, product, sizeof product);
        for (int k = 0; k < PORT_TILE; k++) least[k] = 0.0;
    }
    for (int k = 0; k < PORT_TILE; k++) any = any || in->leaves[k * PORT_TILE + k] > 0.0;
    in->of->multiply(in->of->of, x, in->mass);
    return any;
}

// Begin with numbers between -1 and 1, always the same ones.
static sedge_status begin(port_space *in)
{
    const port_operator *const of = in->of;
    uint64_t state = 88172645463325252ULL;
    const double none[PORT_TILE] = {0.0};

    SEDGE_TRY(sedge_allocate(&in->panel[0], of->factor->tiles * TILE, sizeof *in->panel[0]));
    for (int64_t i = 0; i < of->rows * PORT_TILE; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        in->panel[0][i] = ldexp((double)(state >> 11), -52) - 1.0;
    }
    (void)normalise(in, in->panel[0], none);
    return SEDGE_OK;
}

sedge_status port_space_extend(port_space *in, bool *ended)
{
    const port_operator *const of = in->of;
    const int64_t tiles = of->factor->tiles;
    const int last = in->panels;
    double *next = NULL, products[TILE], squares[PORT_TILE];

    SEDGE_TRY(sedge_allocate(&in->panel[last + 1], tiles * TILE, sizeof *next));
    next = in->panel[last + 1];
    for (int64_t k = 0; k < tiles * TILE; k++)
        next[k] = of->factor->sign[k / PORT_TILE] * in->mass[k];
    port_matrix_solve(of->factor, next);
    for (int pass = 0; pass < 2; pass++) {
        of->multiply(of->of, next, in->mass);
        if (pass == 0) {
            port_panel_multiply(products, tiles, next, in->mass);
            for (int k = 0; k < PORT_TILE; k++) squares[k] = products[k * PORT_TILE + k];
        }
        for (int i = 0; i <= last; i++) {
            port_panel_multiply(products, tiles, in->panel[i], in->mass);
            port_panel_subtract(next, tiles, in->panel[i], products);
            for (int k = 0; k < TILE; k++) {
                double *const row =
                    in->t + ((int64_t)i * PORT_TILE + k / PORT_TILE) * PORT_SPACE_MOST;
                row[last * PORT_TILE + k % PORT_TILE] += products[k];
            }
        }
    }
    *ended = !normalise(in, next, squares);
    in->panels++;
    for (int k = 0; k < TILE && in->panels < PORT_MOST_PANELS; k++) {
        double *const row =
            in->t + ((int64_t)in->panels * PORT_TILE + k / PORT_TILE) * PORT_SPACE_MOST;
        row[last * PORT_TILE + k % PORT_TILE] = in->leaves[k];
    }
    return SEDGE_OK;
}

// Of a definite A: what is known twice is the mean of both.
static void fill_symmetric(const port_space *in, int n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++) {
            const bool beside = i / PORT_TILE == k / PORT_TILE; // there both halves are known
            const double upper = in->t[k * PORT_SPACE_MOST + i];
            const double entry = beside ? 0.5 * (upper + in->t[i * PORT_SPACE_MOST + k]) : upper;
            in->a[i * n + k] = in->a[k * n + i] = entry;
        }
    }
}

sedge_status port_space_eigen(port_space *in)
{
    const int n = in->panels * PORT_TILE;

    in->known = n;
    if (in->of->definite) {
        fill_symmetric(in, n);
        port_matrix_eigen(n, in->a, in->theta, in->z);
        return SEDGE_OK;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(in->a + i * n, in->t + i * PORT_SPACE_MOST, (size_t)n * sizeof *in->a);
    return port_eigen_find(&in->known, n, in->a, in->theta, in->z);
}

double port_space_residual(const port_space *in, int i)
{
    const int n = in->panels * PORT_TILE;
    const double *const z = in->z + (int64_t)(n - PORT_TILE) * n + i;
    double square = 0.0;

    for (int k = 0; k < PORT_TILE; k++) {
        double sum = 0.0;
        for (int c = 0; c < PORT_TILE; c++)
            sum += in->leaves[k * PORT_TILE + c] * z[(int64_t)c * n];
        square += sum * sum;
    }
    return sqrt(square);
}

sedge_status port_space_create(port_space *out, const port_operator *of)
{
    *out = (port_space){.of = of};
    SEDGE_TRY(sedge_allocate(&out->mass, of->factor->tiles * TILE, sizeof *out->mass));
    SEDGE_TRY(sedge_allocate(&out->t, (int64_t)PORT_SPACE_MOST * PORT_SPACE_MOST, sizeof *out->t));
    SEDGE_TRY(sedge_allocate(&out->a, (int64_t)PORT_SPACE_MOST * PORT_SPACE_MOST, sizeof *out->a));
    SEDGE_TRY(sedge_allocate(&out->z, (int64_t)PORT_SPACE_MOST * PORT_SPACE_MOST, sizeof *out->z));
    SEDGE_TRY(sedge_allocate(&out->theta, PORT_SPACE_MOST, sizeof *out->theta));
    return begin(out);
}

void port_space_clear(const port_space *in)
{
    for (int i = 0; i <= PORT_MOST_PANELS; i++) sedge_release(in->panel[i]);
    sedge_release(in->mass);
    sedge_release(in->t);
    sedge_release(in->a);
    sedge_release(in->z);
    sedge_release(in->theta);
}
