// The terms of perfectly matched layers (solvers/maxwell/pml/pml_term.h) are the factors Lambda
// that they claim: at a complex frequency p, with the memory eliminated, du/dt = p (1 - Lambda_i)
// u_i, and what drives other terms is Lambda u.
#include "check.h"
#include "dg/term_kind.h"
#include "mesh/mesh.h"

#include <complex.h>

enum { FIELDS = 6, MOST = 8 + SEDGE_LAYER_FRAME }; // MOST: components of memory

extern const sedge_term_kind sedge_term_pml_side, sedge_term_pml_edge, sedge_term_pml_corner,
    sedge_term_pml_lossless_side, sedge_term_pml_lossless_edge, sedge_term_pml_lossless_corner,
    sedge_term_pml_radial;

static const double sigma = 1.7, alpha = 0.4;

// Solve a x = b, n x n; b becomes x. a has no zero pivots: its diagonal is p less a rate.
static void solve(double complex a[MOST][MOST], double complex b[MOST], int n)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            const double complex factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

// The answer du of a term to the field u = 1 in one component, and what drives other terms, where
// the kind has that. `frame`: behind the memory of a layer along rays, else NULL.
static void respond(double complex du[FIELDS], double complex drive[FIELDS],
                    const sedge_term_kind *kind, const double *p, const double *frame,
                    double complex frequency, int component)
{
    const int n = kind->memory - (frame != NULL ? SEDGE_LAYER_FRAME : 0);
    double complex a[MOST][MOST], w[MOST];
    double u[FIELDS] = {0.0}, unit[MOST] = {0.0}, to_u[MOST][FIELDS], out[FIELDS], dw[MOST];

    CHECK(kind->memory <= MOST);
    for (int i = n; i < kind->memory; i++) unit[i] = frame[i - n];
    for (int k = 0; k < n; k++) {
        unit[k] = 1.0;
        kind->local(u, unit, NULL, p, NULL, 0.0, to_u[k], dw);
        unit[k] = 0.0;
        for (int i = 0; i < n; i++) a[i][k] = (i == k ? frequency : 0.0) - dw[i];
    }
    u[component] = 1.0;
    kind->local(u, unit, NULL, p, NULL, 0.0, out, dw);
    for (int i = 0; i < n; i++) w[i] = dw[i];
    solve(a, w, n);
    for (int f = 0; f < FIELDS; f++) {
        du[f] = out[f];
        for (int k = 0; k < n; k++) du[f] += to_u[k][f] * w[k];
        drive[f] = f == component ? 1.0 : 0.0;
    }
    if (kind->drive_local == NULL) return;
    for (int k = 0; k < n; k++) {
        double added[FIELDS] = {0.0};
        unit[k] = 1.0;
        kind->drive_local(unit, p, added);
        unit[k] = 0.0;
        for (int f = 0; f < FIELDS; f++) drive[f] += added[f] * w[k];
    }
}

// A layer across the axes of `across`, bits: Lambda_i = s_j s_l / s_i.
static void check_kind(const sedge_term_kind *kind, int across)
{
    const double complex frequency = 0.3 + 0.9 * (double complex)I;
    const int axes = (across & 1) + (across >> 1 & 1) + (across >> 2);
    double p[5] = {sigma, alpha, 0.0, 0.0, 0.0};

    for (int d = 0; d < 3; d++) // the normal of a side, the direction of an edge
        if (axes < 3) p[2 + d] = (across >> d & 1) == (axes == 1) ? 1.0 : 0.0;
    for (int i = 0; i < FIELDS; i++) {
        double complex lambda = 1.0, du[FIELDS], drive[FIELDS];
        int power = 0;
        for (int d = 0; d < 3; d++)
            if ((across >> d & 1) != 0) power += d == i % 3 ? -1 : 1;
        const bool tail = !kind->lossless || power < 0; // alpha > 0
        const double complex s = 1.0 + sigma / ((tail ? alpha : 0.0) + frequency);
        for (; power > 0; power--) lambda *= s;
        for (; power < 0; power++) lambda /= s;
        respond(du, drive, kind, p, NULL, frequency, i);
        for (int f = 0; f < FIELDS; f++) {
            const double complex expected = f == i ? frequency * (1.0 - lambda) : 0.0;
            CHECK_BOUND(cabs(du[f] - expected), 1e-14); // a dozen operations with numbers near 1
            if (kind->drive_local != NULL)
                CHECK_BOUND(cabs(drive[f] - (f == i ? lambda : 0.0)), 1e-14);
        }
    }
}

// A layer along the ray e, whose place x is stretched to x + c (r - R) e with the gradient v of
// r - R, e.v = 1: Lambda = det J J^-1 J^-T of J = 1 + c e v^T.
static void check_radial(void)
{
    const double complex frequency = 0.3 + 0.9 * (double complex)I;
    const double p[5] = {sigma, alpha};
    const double frame[SEDGE_LAYER_FRAME] = {0.48, -0.6, 0.64, 0.5, -0.4, 0.8125};
    const double *const e = frame;
    const double *const v = frame + 3;
    const double complex c = sigma / (alpha + frequency);
    const double complex determinant = 1.0 + c;
    double complex inverse[3][3]; // of J: 1 - c / (1 + c) e v^T
    const sedge_term_kind *const kind = &sedge_term_pml_radial;

    CHECK_BOUND(fabs(e[0] * v[0] + e[1] * v[1] + e[2] * v[2] - 1.0), 1e-15);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            inverse[i][j] = (i == j ? 1.0 : 0.0) - c / determinant * e[i] * v[j];
    }
    for (int i = 0; i < FIELDS; i++) {
        double complex du[FIELDS], drive[FIELDS];
        respond(du, drive, kind, p, frame, frequency, i);
        for (int f = 0; f < FIELDS; f++) {
            double complex lambda = 0.0;
            for (int k = 0; k < 3 && f / 3 == i / 3; k++)
                lambda += determinant * inverse[f % 3][k] * inverse[i % 3][k];
            const double complex expected = frequency * ((f == i ? 1.0 : 0.0) - lambda);
            CHECK_BOUND(cabs(du[f] - expected), 1e-13); // some dozens with numbers up to 5
            CHECK_BOUND(cabs(drive[f] - lambda), 1e-13);
        }
    }
}

int main(void)
{
    static const sedge_term_kind *const kinds[2][4] = {
        {NULL, &sedge_term_pml_side, &sedge_term_pml_edge, &sedge_term_pml_corner},
        {NULL, &sedge_term_pml_lossless_side, &sedge_term_pml_lossless_edge,
         &sedge_term_pml_lossless_corner}};

    for (int across = 1; across < 8; across++) {
        const int axes = (across & 1) + (across >> 1 & 1) + (across >> 2);
        for (int k = 0; k < 2; k++) check_kind(kinds[k][axes], across);
    }
    check_radial();
    return CHECK_END();
}
