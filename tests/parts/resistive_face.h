// A sheet with the surface resistance p[0], inside the mesh: the tangential electric field is the
// same on both sides, and the surface current is the jump of the tangential magnetic field,
//   n x (H_other - H_own) = E_t / p[0].
#pragma once

// With g = H x n of the own side's normal, what leaves the own side is e + Z g, what leaves the
// other one e - Z' g', where e is the tangential E. Neither changes at the sheet, whose field is
//   e* (1/Z + 1/Z' + 1/R) = (e + Z g) / Z + (e' - Z' g') / Z'.
// The jump to the trace behind is that of maxwell_wall: 2 / (1 + alpha) times the jump to e*.
SEDGE_FUNCTION void resistive_sheet(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                    const sedge_real *mw, const sedge_real *n, const double *x,
                                    double t, const double *p, const double *c, sedge_real *v)
{
    sedge_real own[6];
    sedge_real other[6];
    double e[3], g[3], d[3];

    maxwell_total(u, mu, x, t, c, own);
    maxwell_total(w, mw, x, t, c, other);
    const double y = (double)mu[MAXWELL_Y];
    const double y_other = (double)mw[MAXWELL_Y];
    const double along_own = (double)(n[0] * own[0] + n[1] * own[1] + n[2] * own[2]);
    const double along_other = (double)(n[0] * other[0] + n[1] * other[1] + n[2] * other[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        e[i] = (double)own[i] - (double)n[i] * along_own;
        g[i] = (double)(own[3 + j] * n[k] - own[3 + k] * n[j]);
        const double e_other = (double)other[i] - (double)n[i] * along_other;
        const double g_other = (double)(other[3 + j] * n[k] - other[3 + k] * n[j]);
        const double sheet =
            (y * e[i] + g[i] + y_other * e_other - g_other) / (y + y_other + 1.0 / p[0]);
        d[i] = 2.0 / (1.0 + c[MAXWELL_UPWIND]) * (e[i] - sheet);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        v[i] = u[i] - (sedge_real)d[i];
        v[3 + i] = u[3 + i] + (sedge_real)(y * ((double)n[j] * d[k] - (double)n[k] * d[j]));
    }
}
