// A perfectly matched layer with one sigma and one alpha in all of it, by the fewest states. In a
// layer across the directions d, with s = 1 + sigma / (alpha + p) for those and 1 for the others,
// Maxwell's equations have Lambda_i F_i in place of F_i, F = E and H, p = d/dt,
//   Lambda_i = s_j s_l / s_i, (i, j, l) cyclic.
// The memory Psi = (Lambda - 1) F obeys equations of its own, and dF/dt = ... - dPsi/dt. Whatever
// else acts at the node is driven by Lambda F = F + Psi. One sigma for the whole box cancels
// factors:
//   side, normal n: s across n, 1/s along it;  edge along l: s^2 along l, 1 across it;  corner: s.
// p[0] is sigma, p[1] alpha, p[2..4] the vector n or l.
//
// Where nothing else acts at the node, alpha = 0 needs less memory: a factor s is a rate sigma and
// no memory, s^2 needs one word. Only the factor 1/s needs alpha > 0, for with alpha = 0 a charge
// that rests in the layer would make the field along n grow with time without end. With alpha
// there alone a wave of angular frequency omega that meets a side at the angle t is reflected by
// alpha / (4 omega) tan^2 t, so alpha must be small.
#pragma once

SEDGE_FUNCTION void pml_side_local(const sedge_value *u, const sedge_value *w, const sedge_value *m,
                                   const sedge_value *p, const double *c, double t, sedge_value *du,
                                   sedge_value *dw)
{
    for (int f = 0; f < 6; f += 3) { // Psi' = -alpha Psi + sigma (F - n n.(2 F + Psi))
        const sedge_value across = p[2] * (SEDGE_R(2.0) * u[f] + w[f]) +
                                   p[3] * (SEDGE_R(2.0) * u[f + 1] + w[f + 1]) +
                                   p[4] * (SEDGE_R(2.0) * u[f + 2] + w[f + 2]);
        for (int d = 0; d < 3; d++) {
            dw[f + d] = p[0] * (u[f + d] - p[2 + d] * across) - p[1] * w[f + d];
            du[f + d] = -dw[f + d];
        }
    }
    (void)m;
    (void)c;
    (void)t;
}

// Psi = l (psi_1 + psi_2) with psi_1' = -alpha psi_1 + sigma l.F and psi_2' = -alpha psi_2 +
// sigma (l.F + psi_1).
SEDGE_FUNCTION void pml_edge_local(const sedge_value *u, const sedge_value *w, const sedge_value *m,
                                   const sedge_value *p, const double *c, double t, sedge_value *du,
                                   sedge_value *dw)
{
    for (int i = 0, f = 0; i < 4; i += 2, f += 3) { // w[i], w[i + 1] of the field u[f..f+2]
        const sedge_value along = p[2] * u[f] + p[3] * u[f + 1] + p[4] * u[f + 2];
        dw[i] = p[0] * along - p[1] * w[i];
        dw[i + 1] = p[0] * (along + w[i]) - p[1] * w[i + 1];
        for (int d = 0; d < 3; d++) du[f + d] = -p[2 + d] * (dw[i] + dw[i + 1]);
    }
    (void)m;
    (void)c;
    (void)t;
}

SEDGE_FUNCTION void pml_corner_local(const sedge_value *u, const sedge_value *w,
                                     const sedge_value *m, const sedge_value *p, const double *c,
                                     double t, sedge_value *du, sedge_value *dw)
{
    for (int i = 0; i < 6; i++) {
        dw[i] = p[0] * u[i] - p[1] * w[i];
        du[i] = -dw[i];
    }
    (void)m;
    (void)c;
    (void)t;
}

// u + Psi, of a side and of a corner.
SEDGE_FUNCTION void pml_drive(const sedge_value *w, const sedge_value *p, sedge_value *u)
{
    for (int i = 0; i < 6; i++) u[i] = u[i] + w[i];
    (void)p;
}

SEDGE_FUNCTION void pml_edge_drive(const sedge_value *w, const sedge_value *p, sedge_value *u)
{
    for (int d = 0; d < 3; d++) {
        u[d] = u[d] + p[2 + d] * (w[0] + w[1]);
        u[3 + d] = u[3 + d] + p[2 + d] * (w[2] + w[3]);
    }
}

// ---- lossless media: alpha = 0 but for the factor 1/s -------------------------------------------

// Psi' = -(alpha + sigma) Psi - sigma n.F along n.
SEDGE_FUNCTION void pml_lossless_side_local(const sedge_value *u, const sedge_value *w,
                                            const sedge_value *m, const sedge_value *p,
                                            const double *c, double t, sedge_value *du,
                                            sedge_value *dw)
{
    for (int i = 0, f = 0; i < 2; i++, f += 3) { // w[i] of the field u[f..f+2]
        const sedge_value along = p[2] * u[f] + p[3] * u[f + 1] + p[4] * u[f + 2];
        dw[i] = -(p[0] + p[1]) * w[i] - p[0] * along;
        for (int d = 0; d < 3; d++)
            du[f + d] = -p[0] * (u[f + d] - p[2 + d] * along) - p[2 + d] * dw[i];
    }
    (void)m;
    (void)c;
    (void)t;
}

// psi' = sigma l.F, and dF/dt = ... - l sigma (2 l.F + psi).
SEDGE_FUNCTION void pml_lossless_edge_local(const sedge_value *u, const sedge_value *w,
                                            const sedge_value *m, const sedge_value *p,
                                            const double *c, double t, sedge_value *du,
                                            sedge_value *dw)
{
    for (int i = 0, f = 0; i < 2; i++, f += 3) {
        const sedge_value along = p[2] * u[f] + p[3] * u[f + 1] + p[4] * u[f + 2];
        dw[i] = p[0] * along;
        for (int d = 0; d < 3; d++) du[f + d] = -p[2 + d] * p[0] * (SEDGE_R(2.0) * along + w[i]);
    }
    (void)m;
    (void)c;
    (void)t;
}

SEDGE_FUNCTION void pml_lossless_corner_local(const sedge_value *u, const sedge_value *w,
                                              const sedge_value *m, const sedge_value *p,
                                              const double *c, double t, sedge_value *du,
                                              sedge_value *dw)
{
    for (int i = 0; i < 6; i++) du[i] = -p[0] * u[i];
    (void)w;
    (void)dw;
    (void)m;
    (void)c;
    (void)t;
}
