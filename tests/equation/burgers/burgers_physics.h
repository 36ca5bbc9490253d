// Burgers' equation along a direction d: u_t + d.grad(u^2 / 2) = 0. Nonlinear, one field.
#pragma once

// The constants c: three components of d, then a bound on |u|.
SEDGE_FUNCTION void burgers_flux(const sedge_value *u, const sedge_value *m, const double *c,
                                 sedge_value *fx, sedge_value *fy, sedge_value *fz)
{
    const sedge_value half = SEDGE_R(0.5) * u[0] * u[0];

    fx[0] = (sedge_real)c[0] * half;
    fy[0] = (sedge_real)c[1] * half;
    fz[0] = (sedge_real)c[2] * half;
    (void)m;
}

// Local Lax-Friedrichs: n.F* = n.(F(u) + F(v))/2 + b (u - v)/2 with b >= |n.d u|.
SEDGE_FUNCTION void burgers_surface(const sedge_value *u, const sedge_value *v,
                                    const sedge_value *mu, const sedge_value *mv,
                                    const sedge_value *n, const double *c, sedge_value *jump)
{
    const sedge_value dn =
        (sedge_real)c[0] * n[0] + (sedge_real)c[1] * n[1] + (sedge_real)c[2] * n[2];
    const sedge_value bound = (sedge_real)c[3] * sedge_abs(dn);

    jump[0] =
        SEDGE_R(0.25) * dn * (v[0] * v[0] - u[0] * u[0]) + SEDGE_R(0.5) * bound * (u[0] - v[0]);
    (void)mu, (void)mv;
}

// A given value behind the face.
SEDGE_FUNCTION void burgers_fixed(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                  const double *x, double t, const double *p, const double *c,
                                  sedge_real *v)
{
    v[0] = (sedge_real)p[0];
    (void)u, (void)m, (void)n, (void)x, (void)t, (void)c;
}
