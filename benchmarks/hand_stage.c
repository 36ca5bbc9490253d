// The stage by hand. Compiled with HAND_ORDER and HAND_BITS given, and with the options that sedge
// gives the compiler of its generated kernels.
#include "xsmm.h"

#include <string.h>

#define JOIN2(a, b, c) hand_stage_##b##_##c
#define JOIN(a, b, c)  JOIN2(a, b, c)

#if HAND_BITS == 64
typedef double real;
#define NAME JOIN(hand_stage, HAND_ORDER, 8)
#else
typedef float real;
#define NAME JOIN(hand_stage, HAND_ORDER, 4)
#endif

enum {
    NODES = (HAND_ORDER + 1) * (HAND_ORDER + 2) * (HAND_ORDER + 3) / 6,
    FACE_NODES = (HAND_ORDER + 1) * (HAND_ORDER + 2) / 2,
    POINTS = 4 * FACE_NODES,
    LANES = HAND_BYTES / (int)sizeof(real),
    TILE = NODES % 7 == 0 ? 7 : 5 // divides the nodes of these orders
};

typedef real lanes __attribute__((vector_size(HAND_BYTES)));

// The operators' rows as the loops read them.
typedef struct tables {
    const real *dr, *ds, *dt; // [m][n]
    const real *lift;         // [k][n]
} tables;

// rhs [6][NODES] = (curl H, -curl E) of one block. A tile of nodes and one field at a time: the
// three reference derivatives of a tile stay in registers.
static void add_curl(lanes rhs[6][NODES], const lanes u[6][NODES], const lanes g[3][3],
                     const tables *t)
{
    // d u_f / d x_d enters the rhs of field target[f][d] with this sign.
    static const int target[6][3] = {{-1, 5, 4}, {5, -1, 3}, {4, 3, -1},
                                     {-1, 2, 1}, {2, -1, 0}, {1, 0, -1}};
    static const int sign[6][3] = {{0, 1, -1}, {-1, 0, 1}, {1, -1, 0},
                                   {0, -1, 1}, {1, 0, -1}, {-1, 1, 0}};

    for (int f = 0; f < 6; f++) {
        for (int first = 0; first < NODES; first += TILE) {
            lanes r[TILE], s[TILE], q[TILE];
#pragma GCC unroll 8
            for (int i = 0; i < TILE; i++) r[i] = s[i] = q[i] = (lanes){0};
            for (int m = 0; m < NODES; m++) {
                const lanes v = u[f][m];
                const real *const a = &t->dr[m * NODES + first];
                const real *const b = &t->ds[m * NODES + first];
                const real *const c = &t->dt[m * NODES + first];
#pragma GCC unroll 8
                for (int i = 0; i < TILE; i++) {
                    r[i] += a[i] * v;
                    s[i] += b[i] * v;
                    q[i] += c[i] * v;
                }
            }
            for (int d = 0; d < 3; d++) {
                if (target[f][d] < 0) continue;
                const real factor = (real)sign[f][d];
                lanes *const out = rhs[target[f][d]] + first;
#pragma GCC unroll 8
                for (int i = 0; i < TILE; i++)
                    out[i] += factor * (g[0][d] * r[i] + g[1][d] * s[i] + g[2][d] * q[i]);
            }
        }
    }
}

// The neighbours' values at one face point of the block's elements.
static void gather(lanes v[6], const hand_mesh *hand, int64_t block, int face, int point)
{
    const real *const all = hand->u;
    const int32_t *const neighbour = hand->neighbour + (block * 4 + face) * LANES;
    const int16_t *const code = hand->code + (block * 4 + face) * LANES;

    for (int l = 0; l < LANES; l++) {
        const int64_t e = neighbour[l];
        const int node = code[l] >= 0 ? hand->other[code[l] * FACE_NODES + point]
                                      : hand->own[face * FACE_NODES + point];
        const real mirror = code[l] >= 0 ? (real)1 : (real)-1;
        const real *const from = &all[(e / LANES * 6 * NODES + node) * LANES + e % LANES];
        const int64_t stride = (int64_t)NODES * LANES;
        for (int f = 0; f < 3; f++) v[f][l] = mirror * from[f * stride];
        for (int f = 3; f < 6; f++) v[f][l] = from[f * stride];
    }
}

// scale times n.(F* - F) at each face point, [6][POINTS]; it is subtracted, lifted. Upwind in
// vacuum, with [q] = own - other: E: (n x [H] + [E] - n (n.[E])) / 2,  H: (-n x [E] + [H] - n
// (n.[H])) / 2.
static void find_fluxes(lanes flux[6][POINTS], const lanes u[6][NODES], const hand_mesh *hand,
                        int64_t block)
{
    const lanes(*const geometry)[4] = (const lanes(*)[4])hand->normal + block * 4;

    for (int face = 0; face < 4; face++) {
        const lanes n0 = geometry[face][0], n1 = geometry[face][1], n2 = geometry[face][2];
        const lanes half = (real)0.5 * geometry[face][3];

        for (int i = 0; i < FACE_NODES; i++) {
            const int k = face * FACE_NODES + i;
            lanes v[6], j[6];

            gather(v, hand, block, face, i);
            for (int f = 0; f < 6; f++) j[f] = u[f][hand->own[k]] - v[f];
            const lanes en = n0 * j[0] + n1 * j[1] + n2 * j[2];
            const lanes hn = n0 * j[3] + n1 * j[4] + n2 * j[5];
            flux[0][k] = half * (n1 * j[5] - n2 * j[4] + j[0] - n0 * en);
            flux[1][k] = half * (n2 * j[3] - n0 * j[5] + j[1] - n1 * en);
            flux[2][k] = half * (n0 * j[4] - n1 * j[3] + j[2] - n2 * en);
            flux[3][k] = half * (n2 * j[1] - n1 * j[2] + j[3] - n0 * hn);
            flux[4][k] = half * (n0 * j[2] - n2 * j[0] + j[4] - n1 * hn);
            flux[5][k] = half * (n1 * j[0] - n0 * j[1] + j[5] - n2 * hn);
        }
    }
}

static void subtract_lift(lanes rhs[6][NODES], lanes flux[6][POINTS], const tables *t)
{
    for (int f = 0; f < 6; f += 2) {
        for (int first = 0; first < NODES; first += TILE) {
            lanes x[TILE], y[TILE];
#pragma GCC unroll 8
            for (int i = 0; i < TILE; i++) x[i] = y[i] = (lanes){0};
            for (int k = 0; k < POINTS; k++) {
                const lanes p = flux[f][k], q = flux[f + 1][k];
                const real *const a = &t->lift[k * NODES + first];
#pragma GCC unroll 8
                for (int i = 0; i < TILE; i++) {
                    x[i] += a[i] * p;
                    y[i] += a[i] * q;
                }
            }
#pragma GCC unroll 8
            for (int i = 0; i < TILE; i++) {
                rhs[f][first + i] -= x[i];
                rhs[f + 1][first + i] -= y[i];
            }
        }
    }
}

bool NAME(const xsmm_plan *plan, hand_mesh *hand, double a, double b, double dt, int threads);

bool NAME(const xsmm_plan *plan, hand_mesh *hand, double a, double b, double dt, int threads)
{
    const tables t = {hand->derivative[0], hand->derivative[1], hand->derivative[2], hand->lift};
    const real ra = (real)a, rb = (real)b, step = (real)dt;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t block = 0; block < hand->blocks; block++) {
        const lanes(*const u)[NODES] = (const lanes(*)[NODES])hand->u + block * 6;
        lanes *const next = (lanes *)hand->next + block * 6 * NODES;
        lanes *const residual = (lanes *)hand->residual + block * 6 * NODES;
        lanes rhs[6][NODES];
        lanes flux[6][POINTS];

        memset(rhs, 0, sizeof rhs);
        add_curl(rhs, u, (const lanes(*)[3])hand->metric + block * 3, &t);
        find_fluxes(flux, u, hand, block);
        subtract_lift(rhs, flux, &t);
        for (int f = 0; f < 6; f++) {
            for (int n = 0; n < NODES; n++) {
                const int i = f * NODES + n;
                const lanes change = ra * residual[i] + step * rhs[f][n];
                residual[i] = change;
                next[i] = u[f][n] + rb * change;
            }
        }
    }
    void *const swap = hand->u;
    hand->u = hand->next;
    hand->next = swap;
    (void)plan;
    return true;
}
