// The stage around libxsmm. Compiled with HAND_ORDER and HAND_BITS given, and with the options that
// sedge gives the compiler of its generated kernels.
#include "xsmm.h"

#include <libxsmm.h>

#define JOIN2(a, b, c) xsmm_stage_##b##_##c
#define JOIN(a, b, c)  JOIN2(a, b, c)

#if HAND_BITS == 64
typedef double real;
typedef libxsmm_dmmfunction product;
#define DISPATCH libxsmm_dmmdispatch
#define NAME     JOIN(xsmm_stage, HAND_ORDER, 8)
#else
typedef float real;
typedef libxsmm_smmfunction product;
#define DISPATCH libxsmm_smmdispatch
#define NAME     JOIN(xsmm_stage, HAND_ORDER, 4)
#endif

enum {
    NODES = (HAND_ORDER + 1) * (HAND_ORDER + 2) * (HAND_ORDER + 3) / 6,
    FACE_NODES = (HAND_ORDER + 1) * (HAND_ORDER + 2) / 2,
    POINTS = 4 * FACE_NODES,
    LINE = 64 / (int)sizeof(real),
    TALL = (3 * NODES + LINE - 1) / LINE * LINE, // xsmm_rows
    ROWS = (NODES + LINE - 1) / LINE * LINE,
    WORDS = 6 * NODES // of an element
};

// Products for a whole batch and for what is left in the last one; NULL: it is not needed.
typedef struct products {
    product derive[2]; // slopes = D u
    product lift[2];   // rhs += LIFT flux
} products;

// What a thread needs for a batch.
typedef struct scratch {
    real slopes[XSMM_MOST_BATCH * 6 * TALL]; // [element][field][r, s, t][node]
    real rhs[XSMM_MOST_BATCH * 6 * ROWS];    // [element][field][node]
    real flux[XSMM_MOST_BATCH * 6 * POINTS]; // [element][field][face point]
} scratch;

bool NAME(const xsmm_plan *plan, hand_mesh *hand, double a, double b, double dt, int threads);

static product find_product(int m, int columns, int k, int lda, int ldb, int ldc, bool add)
{
    const real alpha = 1;
    const real beta = add ? 1 : 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;

    return DISPATCH(m, columns, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
}

static bool find_products(products *out, int batch, int rest)
{
    const int elements[2] = {batch, rest > 0 ? rest : batch};

    for (int i = 0; i < 2; i++) {
        out->derive[i] = find_product(3 * NODES, 6 * elements[i], NODES, TALL, NODES, TALL, false);
        out->lift[i] = find_product(NODES, 6 * elements[i], POINTS, ROWS, POINTS, ROWS, true);
        if (out->derive[i] == NULL || out->lift[i] == NULL) return false;
    }
    return true;
}

// The part of field `f`'s derivative along x_d that the metric g[j][d] makes of its slopes.
static inline real along(const real *slopes, const real *g, int64_t f, int d, int n)
{
    const real *const s = slopes + f * TALL + n;

    return g[d] * s[0] + g[3 + d] * s[NODES] + g[6 + d] * s[(int64_t)2 * NODES];
}

// rhs = (curl H, -curl E)
static void find_curl(real *restrict rhs, const real *restrict slopes, const real *restrict g)
{
    for (int n = 0; n < NODES; n++) {
        rhs[0 * ROWS + n] = along(slopes, g, 5, 1, n) - along(slopes, g, 4, 2, n);
        rhs[1 * ROWS + n] = along(slopes, g, 3, 2, n) - along(slopes, g, 5, 0, n);
        rhs[2 * ROWS + n] = along(slopes, g, 4, 0, n) - along(slopes, g, 3, 1, n);
        rhs[3 * ROWS + n] = along(slopes, g, 1, 2, n) - along(slopes, g, 2, 1, n);
        rhs[4 * ROWS + n] = along(slopes, g, 2, 0, n) - along(slopes, g, 0, 2, n);
        rhs[5 * ROWS + n] = along(slopes, g, 0, 1, n) - along(slopes, g, 1, 0, n);
    }
}

// flux = scale n.(F - F*) at each face point, upwind in vacuum (find_fluxes of hand_stage.c).
static void find_fluxes(real *restrict flux, const hand_mesh *hand, int64_t element)
{
    const real *const all = hand->u;
    const real *const own = all + element * WORDS;
    const real *const shape = (const real *)hand->normal + element * 16;

    for (int64_t face = 0; face < 4; face++) {
        const int64_t code = hand->code[element * 4 + face];
        const int16_t *const mine = hand->own + face * FACE_NODES;
        const int16_t *const map = code >= 0 ? hand->other + code * FACE_NODES : mine;
        const real *const other = all + (int64_t)hand->neighbour[element * 4 + face] * WORDS;
        const real mirror = code >= 0 ? (real)1 : (real)-1;
        const real n0 = shape[4 * face], n1 = shape[4 * face + 1], n2 = shape[4 * face + 2];
        const real half = (real)-0.5 * shape[4 * face + 3];
        real *const out = flux + face * FACE_NODES;
        real j[6][FACE_NODES];

        for (int f = 0; f < 6; f++) {
            const real sign = f < 3 ? mirror : (real)1;
            for (int i = 0; i < FACE_NODES; i++)
                j[f][i] = own[f * NODES + mine[i]] - sign * other[f * NODES + map[i]];
        }
        for (int i = 0; i < FACE_NODES; i++) {
            const real en = n0 * j[0][i] + n1 * j[1][i] + n2 * j[2][i];
            const real hn = n0 * j[3][i] + n1 * j[4][i] + n2 * j[5][i];
            out[0 * POINTS + i] = half * (n1 * j[5][i] - n2 * j[4][i] + j[0][i] - n0 * en);
            out[1 * POINTS + i] = half * (n2 * j[3][i] - n0 * j[5][i] + j[1][i] - n1 * en);
            out[2 * POINTS + i] = half * (n0 * j[4][i] - n1 * j[3][i] + j[2][i] - n2 * en);
            out[3 * POINTS + i] = half * (n2 * j[1][i] - n1 * j[2][i] + j[3][i] - n0 * hn);
            out[4 * POINTS + i] = half * (n0 * j[2][i] - n2 * j[0][i] + j[4][i] - n1 * hn);
            out[5 * POINTS + i] = half * (n1 * j[0][i] - n0 * j[1][i] + j[5][i] - n2 * hn);
        }
    }
}

static void update(real *restrict next, real *restrict residual, const real *restrict u,
                   const real *restrict rhs, real a, real b, real dt)
{
    for (int f = 0; f < 6; f++) {
        for (int n = 0; n < NODES; n++) {
            const int i = f * NODES + n;
            const real change = a * residual[i] + dt * rhs[f * ROWS + n];
            residual[i] = change;
            next[i] = u[i] + b * change;
        }
    }
}

bool NAME(const xsmm_plan *plan, hand_mesh *hand, double a, double b, double dt, int threads)
{
    const int64_t elements = hand->blocks;
    const int64_t batches = (elements + plan->batch - 1) / plan->batch;
    const int rest = (int)(elements % plan->batch);
    products made;

    if (!find_products(&made, plan->batch, rest)) return false;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t batch = 0; batch < batches; batch++) {
        const int64_t first = batch * plan->batch;
        const bool whole = first + plan->batch <= elements;
        const int count = whole ? plan->batch : rest;
        const real *const u = (const real *)hand->u + first * WORDS;
        real *const next = (real *)hand->next + first * WORDS;
        real *const residual = (real *)hand->residual + first * WORDS;
        scratch s __attribute__((aligned(64)));

        made.derive[!whole](plan->derivative, u, s.slopes);
        for (int64_t e = 0; e < count; e++) {
            find_curl(s.rhs + e * 6 * ROWS, s.slopes + e * 6 * TALL,
                      (const real *)hand->metric + (first + e) * 9);
            find_fluxes(s.flux + e * 6 * POINTS, hand, first + e);
        }
        made.lift[!whole](plan->lift, s.flux, s.rhs);
        for (int64_t e = 0; e < count; e++) {
            update(next + e * WORDS, residual + e * WORDS, u + e * WORDS, s.rhs + e * 6 * ROWS,
                   (real)a, (real)b, (real)dt);
        }
    }
    void *const swap = hand->u;
    hand->u = hand->next;
    hand->next = swap;
    return true;
}
