// Periodic sides between whose fields there is a phase: what is behind the surface is the medium on
// the other side, with the trace w, which has the phase already.
#pragma once

// The trace v that gives with the own medium behind the surface what w gives with its own: in
// maxwell_surface w has the jump [q] of q, and v needs 2 Z / (Z + Z') [E] and 2 Z' / (Z + Z') [H],
// whatever alpha.
SEDGE_FUNCTION void maxwell_phase(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
                                  const sedge_real *mw, const sedge_real *n, const double *x,
                                  double t, const double *p, const double *c, sedge_real *v)
{
    const sedge_real scale = SEDGE_R(2.0) / (mu[MAXWELL_Z] + mw[MAXWELL_Z]);

    for (int i = 0; i < 3; i++) {
        v[i] = u[i] - scale * mu[MAXWELL_Z] * (u[i] - w[i]);
        v[3 + i] = u[3 + i] - scale * mw[MAXWELL_Z] * (u[3 + i] - w[3 + i]);
    }
    (void)n, (void)x, (void)t, (void)p, (void)c;
}
