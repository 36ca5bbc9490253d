// A Debye pole: the polarisation P = w follows the electric field with the relaxation time p[1],
//   dP/dt = (p[0] E - P) / p[1],   dE/dt = ... - (1/epsilon) dP/dt.
#pragma once

SEDGE_FUNCTION void polar_local(const sedge_value *u, const sedge_value *w, const sedge_value *m,
                                const sedge_value *p, const double *c, double t, sedge_value *du,
                                sedge_value *dw)
{
    for (int i = 0; i < 3; i++) {
        dw[i] = (p[0] * u[i] - w[i]) / p[1];
        du[i] = -m[MAXWELL_INVERSE_EPSILON] * dw[i];
        du[3 + i] = SEDGE_SPLAT(SEDGE_R(0.0));
    }
    (void)c;
    (void)t;
}
