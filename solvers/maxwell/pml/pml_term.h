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
// In a layer along rays, as around a sphere, x is stretched to x + sigma / (alpha + p) D with the
// displacement D = (r - R) e
// of SEDGE_LAYER_FRAME (mesh/mesh.h), which is 0 on the triangles where the layer begins. With the
// gradient J of the stretched place Lambda = det J J^-1 J^-T is
//   Lambda = 1 + sigma / (alpha + p) A - sigma / (alpha + sigma + p) |v|^2 e e^T,
//   A = (1 - e v^T) (1 - v e^T).
// e and v are the last components of the memory. For v = e this is a side with the normal e.
//
// Where nothing else acts at the node, alpha = 0 needs less memory: a factor s is a rate sigma and
// no memory, s^2 needs one word. Only the factor 1/s needs alpha > 0, for with alpha = 0 a charge
// that rests in the layer would make the field along n grow with time without end. With alpha
// there alone a wave of angular frequency omega that meets a side at the angle t is reflected by
// alpha / (4 omega) tan^2 t, so alpha must be small. Not so in a layer along rays: with alpha = 0
// its matrix A, which differs from node to node, would be a rate of decay by itself, and fields at
// rest grew at rates up to sigma / 25 in layers as thick as the radius, from order 3 on.
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

// out = A field, and e.field.
SEDGE_FUNCTION sedge_value pml_radial_part(const sedge_value *e, const sedge_value *v,
                                           const sedge_value *field, sedge_value *out)
{
    const sedge_value along = e[0] * field[0] + e[1] * field[1] + e[2] * field[2];
    sedge_value rest = SEDGE_SPLAT(SEDGE_R(0.0));

    for (int d = 0; d < 3; d++) {
        out[d] = field[d] - v[d] * along;
        rest = rest + v[d] * out[d];
    }
    for (int d = 0; d < 3; d++) out[d] = out[d] - e[d] * rest;
    return along;
}

// Psi = psi + e chi of each field:
// psi' = -alpha psi + sigma A F,  chi' = -(alpha + sigma) chi - sigma |v|^2 e.F.
SEDGE_FUNCTION void pml_radial_local(const sedge_value *u, const sedge_value *w,
                                     const sedge_value *m, const sedge_value *p, const double *c,
                                     double t, sedge_value *du, sedge_value *dw)
{
    const sedge_value *e = w + 8;
    const sedge_value *v = w + 11;
    const sedge_value square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];

    for (int i = 0, f = 0; i < 8; i += 4, f += 3) { // w[i..i+2] is psi, w[i+3] chi
        sedge_value part[3];
        const sedge_value along = pml_radial_part(e, v, u + f, part);
        dw[i + 3] = -(p[0] + p[1]) * w[i + 3] - p[0] * square * along;
        for (int d = 0; d < 3; d++) {
            dw[i + d] = p[0] * part[d] - p[1] * w[i + d];
            du[f + d] = -dw[i + d] - e[d] * dw[i + 3];
        }
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

SEDGE_FUNCTION void pml_radial_drive(const sedge_value *w, const sedge_value *p, sedge_value *u)
{
    for (int d = 0; d < 3; d++) {
        u[d] = u[d] + w[d] + w[8 + d] * w[3];
        u[3 + d] = u[3 + d] + w[4 + d] + w[8 + d] * w[7];
    }
    (void)p;
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
        const sedge_value part = p[0] * along - dw[i];
        for (int d = 0; d < 3; d++) du[f + d] = p[2 + d] * part - p[0] * u[f + d];
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
