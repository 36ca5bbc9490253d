// Anisotropic media, in which epsilon, mu or the conductivity is a symmetric tensor. Fluxes, poles
// and what else drives E see a medium whose epsilon is the least principal value e of the tensor;
// dE/dt is then multiplied by e epsilon^-1, and likewise H with mu. p is a matrix: xx, yy, zz, yz,
// zx, xy.
#pragma once

// out = p v
SEDGE_FUNCTION void anisotropic_apply(const sedge_value *p, const sedge_value *v, sedge_value *out)
{
    out[0] = p[0] * v[0] + p[5] * v[1] + p[4] * v[2];
    out[1] = p[5] * v[0] + p[1] * v[1] + p[3] * v[2];
    out[2] = p[4] * v[0] + p[3] * v[1] + p[2] * v[2];
}

SEDGE_FUNCTION void anisotropic_epsilon_multiply(const sedge_value *p, sedge_value *du)
{
    sedge_value out[3];

    anisotropic_apply(p, du, out);
    for (int i = 0; i < 3; i++) du[i] = out[i];
}

SEDGE_FUNCTION void anisotropic_mu_multiply(const sedge_value *p, sedge_value *du)
{
    anisotropic_epsilon_multiply(p, du + 3);
}

// dE/dt = ... - (1/epsilon) sigma E
SEDGE_FUNCTION void anisotropic_conductivity_local(const sedge_value *u, const sedge_value *w,
                                                   const sedge_value *m, const sedge_value *p,
                                                   const double *c, double t, sedge_value *du,
                                                   sedge_value *dw)
{
    anisotropic_apply(p, u, du);
    for (int i = 0; i < 3; i++) {
        du[i] = -m[MAXWELL_INVERSE_EPSILON] * du[i];
        du[3 + i] = SEDGE_SPLAT(SEDGE_R(0.0));
    }
    (void)w;
    (void)c;
    (void)t;
    (void)dw;
}
