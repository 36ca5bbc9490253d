// Advection: u_t + a.grad u = 0, one field carried by a constant velocity a.
//
// This file is compiled twice: by the host compiler for the slow reference, and as source into the
// kernels that run. So it speaks the few words of dg/physics.h and includes nothing.
#pragma once

// F(u) = a u. The constants c are the three components of a, then alpha (advection.c fills them).
SEDGE_FUNCTION void advection_flux(const sedge_value *u, const sedge_value *m, const double *c,
                                   sedge_value *fx, sedge_value *fy, sedge_value *fz)
{
    fx[0] = (sedge_real)c[0] * u[0];
    fy[0] = (sedge_real)c[1] * u[0];
    fz[0] = (sedge_real)c[2] * u[0];
    (void)m;
}

// The numerical flux n.F* = (n.a) (u + v)/2 + alpha |n.a| (u - v)/2 takes the upwind side for alpha
// = 1. The operator wants n.(F* - F(u)), which is what is left of it.
SEDGE_FUNCTION void advection_surface(const sedge_value *u, const sedge_value *v,
                                      const sedge_value *mu, const sedge_value *mv,
                                      const sedge_value *n, const double *c, sedge_value *jump)
{
    const sedge_value an =
        (sedge_real)c[0] * n[0] + (sedge_real)c[1] * n[1] + (sedge_real)c[2] * n[2];
    const sedge_real alpha = (sedge_real)c[3];

    jump[0] = SEDGE_R(0.5) * (alpha * sedge_abs(an) - an) * (u[0] - v[0]);
    (void)mu, (void)mv;
}

// A boundary function sets v, the value behind the face. Where the flow comes in: p[0].
SEDGE_FUNCTION void advection_inflow(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                     const double *x, double t, const double *p, const double *c,
                                     sedge_real *v)
{
    v[0] = (sedge_real)p[0];
    (void)u, (void)m, (void)n, (void)x, (void)t, (void)c;
}

// Where it leaves: whatever arrives, so that nothing comes back.
SEDGE_FUNCTION void advection_outflow(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                      const double *x, double t, const double *p, const double *c,
                                      sedge_real *v)
{
    v[0] = u[0];
    (void)m, (void)n, (void)x, (void)t, (void)p, (void)c;
}
