#include "nodes.h"

#include <math.h>

#define ORDER_MAX 10

// Blending parameters that minimise the Lebesgue constant, by order.
static const double optimal_alpha[ORDER_MAX + 1] = {0.0,    0.0,    0.0,    0.0,    0.1002, 1.1332,
                                                    1.5608, 1.3413, 1.2577, 1.1603, 1.10153};

// The Legendre polynomial P_n and its first two derivatives at |x| < 1.
static void legendre(int n, double x, double *p, double *dp, double *ddp)
{
    double previous = 1.0;
    double current = x;

    for (int k = 1; k < n; k++) {
        const double next = ((2.0 * k + 1.0) * x * current - k * previous) / (k + 1.0);
        previous = current;
        current = next;
    }
    *p = current;
    *dp = n * (previous - x * current) / (1.0 - x * x);
    *ddp = (2.0 * x * *dp - n * (n + 1.0) * current) / (1.0 - x * x);
}

// The order+1 Legendre-Gauss-Lobatto points of [-1, 1], ascending, symmetric to the last bit.
static void find_lobatto(int order, double *x)
{
    const double pi = 3.14159265358979323846;

    // Interior points are the zeros of P_N', by Newton from Chebyshev's points.
    x[0] = -1.0;
    x[order] = 1.0;
    for (int i = 1; 2 * i <= order; i++) {
        double z = -cos(pi * i / order);
        if (2 * i == order) z = 0.0;
        for (int iteration = 0; iteration < 100 && 2 * i != order; iteration++) {
            double p, dp, ddp;
            legendre(order, z, &p, &dp, &ddp);
            z -= dp / ddp;
            if (fabs(dp / ddp) < 1e-16) break;
        }
        x[i] = z;
        x[order - i] = 2 * i == order ? 0.0 : -z;
    }
}

// How far the equispaced point x of an edge moves towards the Lobatto points, as a polynomial of
// degree N in x, divided by 1 - x^2: the ends do not move, so the division is exact.
static double edge_warp(int order, const double *lobatto, double x)
{
    double sum = 0.0;

    for (int i = 1; i < order; i++) {
        const double xi = -1.0 + 2.0 * i / order;
        double term = (lobatto[i] - xi) / (1.0 - xi * xi);
        for (int j = 1; j < order; j++) {
            const double xj = -1.0 + 2.0 * j / order;
            if (j != i) term *= (x - xj) / (xi - xj);
        }
        sum += term;
    }
    return sum;
}

// Displacement of barycentric coordinates L[0..2] of a face by the warps of its three edges, each
// blended towards the opposite vertex.
static void face_warp(int order, double alpha, const double *lobatto, const double L[3],
                      double moved[3])
{
    moved[0] = moved[1] = moved[2] = 0.0;
    for (int e = 0; e < 3; e++) {
        const int from = (e + 1) % 3;
        const int to = (e + 2) % 3;
        const double blend = 4.0 * L[from] * L[to] * (1.0 + alpha * alpha * L[e] * L[e]);
        const double half = 0.5 * blend * edge_warp(order, lobatto, L[to] - L[from]);
        moved[to] += half;
        moved[from] -= half;
    }
}

// Displacement of barycentric coordinates L[0..3]: the warps of the four faces, each blended
// towards the opposite vertex. Points of an edge get the edge's warp, from one of its two faces.
static void tet_warp(int order, double alpha, const double *lobatto, const double L[4],
                     double moved[4])
{
    const double tolerance = 1e-10;

    for (int v = 0; v < 4; v++) moved[v] = 0.0;
    for (int f = 0; f < 4; f++) { // the face opposite vertex f
        int corner[3];
        double on_face[3], shift[3];
        double blend = 1.0;
        int zeros = 0;

        for (int v = 0, i = 0; v < 4; v++)
            if (v != f) corner[i++] = v;
        for (int i = 0; i < 3; i++) on_face[i] = L[corner[i]];
        face_warp(order, alpha, lobatto, on_face, shift);
        for (int i = 0; i < 3; i++) {
            if (on_face[i] < tolerance) zeros++;
            blend *= on_face[i] / (on_face[i] + 0.5 * L[f] + 1e-300);
        }
        blend *= 1.0 + alpha * alpha * L[f] * L[f];

        const int on_edge = L[f] < tolerance && zeros > 0;
        if (on_edge)
            for (int v = 0; v < 4; v++) moved[v] = 0.0;
        for (int i = 0; i < 3; i++) moved[corner[i]] += (on_edge ? 1.0 : blend) * shift[i];
        if (on_edge) return;
    }
}

void sedge_nodes_compute(int order, double *r, double *s, double *t)
{
    double lobatto[ORDER_MAX + 1];
    int node = 0;

    find_lobatto(order, lobatto);
    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - j - k; i++) {
                const double n = order;
                const double L[4] = {(order - i - j - k) / n, i / n, j / n, k / n};
                double moved[4];
                tet_warp(order, optimal_alpha[order], lobatto, L, moved);
                // Exactly -1 on the coordinate faces.
                r[node] = i == 0 ? -1.0 : 2.0 * (L[1] + moved[1]) - 1.0;
                s[node] = j == 0 ? -1.0 : 2.0 * (L[2] + moved[2]) - 1.0;
                t[node] = k == 0 ? -1.0 : 2.0 * (L[3] + moved[3]) - 1.0;
                node++;
            }
        }
    }
}
