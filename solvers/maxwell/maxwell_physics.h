// Maxwell's equations: eps E_t = curl H - sigma E, mu H_t = -curl E.
//
// Fields u: Ex Ey Ez Hx Hy Hz, scaled so that c0 = 1: H is the magnetic field times eta0, lengths
// and times have the same unit, eps and mu are relative. In u_t + div F(u) = S(u):
//   n.F(u) = (-(1/eps) n x H, (1/mu) n x E),  S(u) = (-(sigma/eps) E, 0).
//
// With an incident wave the fields are the scattered ones; conductors and walls are driven by the
// incident field at their place, absorbing surfaces are not.
#pragma once

// What m holds.
enum {
    MAXWELL_INVERSE_EPSILON,
    MAXWELL_INVERSE_MU,
    MAXWELL_Z,     // wave impedance sqrt(mu/eps)
    MAXWELL_Y,     // 1 / Z
    MAXWELL_DECAY, // sigma / eps
    MAXWELL_MATERIAL_VALUES
};

// What c holds: alpha of the flux, and the incident plane wave. What follows the kind of its signal
// is not in the source of kernels where boundary functions add the wave themselves
// (`incident_constants` of the equation's table).
enum {
    MAXWELL_UPWIND,
    MAXWELL_INCIDENT,                                         // 1 with an incident wave, else 0
    MAXWELL_SIGNAL,                                           // its kind, then its numbers
    MAXWELL_DIRECTION = MAXWELL_SIGNAL + SEDGE_SIGNAL_VALUES, // unit vector
    MAXWELL_POLARISATION = MAXWELL_DIRECTION + 3,             // of E
    MAXWELL_ORIGIN = MAXWELL_POLARISATION + 3,                // where the phase is t
    MAXWELL_CONSTANTS = MAXWELL_ORIGIN + 3
};

SEDGE_FUNCTION void maxwell_flux(const sedge_value *u, const sedge_value *m, const double *c,
                                 sedge_value *fx, sedge_value *fy, sedge_value *fz)
{
    const sedge_value zero = SEDGE_SPLAT(-0.0); // x + -0 is x: no addition is compiled
    const sedge_value a = m[MAXWELL_INVERSE_EPSILON];
    const sedge_value b = m[MAXWELL_INVERSE_MU];

    fx[0] = zero;
    fx[1] = a * u[5];
    fx[2] = -a * u[4];
    fx[3] = zero;
    fx[4] = -b * u[2];
    fx[5] = b * u[1];

    fy[0] = -a * u[5];
    fy[1] = zero;
    fy[2] = a * u[3];
    fy[3] = b * u[2];
    fy[4] = zero;
    fy[5] = -b * u[0];

    fz[0] = a * u[4];
    fz[1] = -a * u[3];
    fz[2] = zero;
    fz[3] = -b * u[1];
    fz[4] = b * u[0];
    fz[5] = zero;
    (void)c;
}

// div F = (-(1/eps) curl H, (1/mu) curl E).
SEDGE_FUNCTION void maxwell_from_curls(const sedge_value *curl, const sedge_value *m,
                                       const double *c, sedge_value *divergence)
{
    for (int d = 0; d < 3; d++) {
        divergence[d] = -m[MAXWELL_INVERSE_EPSILON] * curl[3 + d];
        divergence[3 + d] = m[MAXWELL_INVERSE_MU] * curl[d];
    }
    (void)c;
}

// The Riemann state between two media, blended by alpha between central (0) and upwind (1). With
// [q] = u - v and the neighbour's Z+ and Y+:
//   H* - H = -(Z+ [H] - alpha n x [E]) / (Z+ + Z-),  E* - E = -(Y+ [E] + alpha n x [H]) / (Y+ + Y-)
// and -n x (n x q) is the tangential part of q.
SEDGE_FUNCTION void maxwell_surface(const sedge_value *u, const sedge_value *v,
                                    const sedge_value *mu, const sedge_value *mv,
                                    const sedge_value *n, const double *c, sedge_value *jump)
{
    const sedge_real alpha = (sedge_real)c[MAXWELL_UPWIND];
    const sedge_value e0 = u[0] - v[0];
    const sedge_value e1 = u[1] - v[1];
    const sedge_value e2 = u[2] - v[2];
    const sedge_value h0 = u[3] - v[3];
    const sedge_value h1 = u[4] - v[4];
    const sedge_value h2 = u[5] - v[5];
    const sedge_value en = alpha * (n[0] * e0 + n[1] * e1 + n[2] * e2);
    const sedge_value hn = alpha * (n[0] * h0 + n[1] * h1 + n[2] * h2);
    const sedge_value z = mv[MAXWELL_Z];
    const sedge_value y = mv[MAXWELL_Y];
    const sedge_value a = mu[MAXWELL_INVERSE_EPSILON] / (mu[MAXWELL_Z] + z);
    const sedge_value b = mu[MAXWELL_INVERSE_MU] / (mu[MAXWELL_Y] + y);

    jump[0] = a * (z * (n[1] * h2 - n[2] * h1) + alpha * e0 - n[0] * en);
    jump[1] = a * (z * (n[2] * h0 - n[0] * h2) + alpha * e1 - n[1] * en);
    jump[2] = a * (z * (n[0] * h1 - n[1] * h0) + alpha * e2 - n[2] * en);
    jump[3] = b * (alpha * h0 - n[0] * hn - y * (n[1] * e2 - n[2] * e1));
    jump[4] = b * (alpha * h1 - n[1] * hn - y * (n[2] * e0 - n[0] * e2));
    jump[5] = b * (alpha * h2 - n[2] * hn - y * (n[0] * e1 - n[1] * e0));
}

SEDGE_FUNCTION void maxwell_source(const sedge_value *u, const sedge_value *m, const double *c,
                                   sedge_value *s)
{
    s[0] = s[0] - m[MAXWELL_DECAY] * u[0];
    s[1] = s[1] - m[MAXWELL_DECAY] * u[1];
    s[2] = s[2] - m[MAXWELL_DECAY] * u[2];
    (void)c;
}

// w = u + the incident wave at x and t: E = p s(t - k.(x - x0) / speed), H = Y k x E. The phase is
// in fp64; the speed comes from m, exact in vacuum and to the precision of the run elsewhere.
SEDGE_FUNCTION void maxwell_total(const sedge_real *u, const sedge_real *m, const double *x,
                                  double t, const double *c, sedge_real *w)
{
    const double *const k = c + MAXWELL_DIRECTION;
    const double *const p = c + MAXWELL_POLARISATION;
    const double *const x0 = c + MAXWELL_ORIGIN;

    for (int i = 0; i < 6; i++) w[i] = u[i];
    if (c[MAXWELL_INCIDENT] > 0.5) {
        const double y = (double)m[MAXWELL_Y];
        const double speed = (double)m[MAXWELL_INVERSE_EPSILON] * y;
        const double path = k[0] * (x[0] - x0[0]) + k[1] * (x[1] - x0[1]) + k[2] * (x[2] - x0[2]);
        const double e = sedge_signal(c + MAXWELL_SIGNAL, t - path / speed);

        for (int i = 0; i < 3; i++) w[i] += (sedge_real)(e * p[i]);
        w[3] += (sedge_real)(e * y * (k[1] * p[2] - k[2] * p[1]));
        w[4] += (sedge_real)(e * y * (k[2] * p[0] - k[0] * p[2]));
        w[5] += (sedge_real)(e * y * (k[0] * p[1] - k[1] * p[0]));
    }
}

// Perfect electric conductor: the total E is mirrored, [E] = 2 (E + E_inc), [H] = 0.
SEDGE_FUNCTION void maxwell_pec(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                const double *x, double t, const double *p, const double *c,
                                sedge_real *v)
{
    sedge_real w[6];

    maxwell_total(u, m, x, t, c, w);
    for (int i = 0; i < 3; i++) v[i] = u[i] - SEDGE_R(2.0) * w[i];
    for (int i = 3; i < 6; i++) v[i] = u[i];
    (void)n;
    (void)p;
}

// Perfect magnetic conductor, a plane of symmetry: the total H is mirrored.
SEDGE_FUNCTION void maxwell_pmc(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                const double *x, double t, const double *p, const double *c,
                                sedge_real *v)
{
    sedge_real w[6];

    maxwell_total(u, m, x, t, c, w);
    for (int i = 0; i < 3; i++) v[i] = u[i];
    for (int i = 3; i < 6; i++) v[i] = u[i] - SEDGE_R(2.0) * w[i];
    (void)n;
    (void)p;
}

// The trace behind a wall E_t = zs H x n, from own trace u and the field w that the wall sees. The
// wave that leaves, e + Z g with e = E_t and g = H x n, fixes the state at the wall:
//   e* = zs (e + Z g) / (zs + Z),  g* = e* / zs,  so  e - e* = Z (e - zs g) / (zs + Z) = -Z (g -
//   g*).
// With equal impedances on both sides maxwell_surface halves a jump and adds the other one: jumps
// 2/(1 + alpha) times (e - e*, g - g*) give exactly this state, whatever alpha.
SEDGE_FUNCTION void maxwell_wall(const sedge_real *u, const sedge_real *w, const sedge_real *m,
                                 const sedge_real *n, double zs, const double *c, sedge_real *v)
{
    const sedge_real wn = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
    const double z = (double)m[MAXWELL_Z];
    const double twice = 2.0 / (1.0 + c[MAXWELL_UPWIND]);
    // Z / (zs + Z) and Z zs / (zs + Z), in fp64: neither is large, whatever zs.
    const sedge_real of_e = (sedge_real)(twice * z / (zs + z));
    const sedge_real of_g = (sedge_real)(twice * z * (zs / (zs + z)));
    const sedge_real y = m[MAXWELL_Y];
    const sedge_real d0 = of_e * (w[0] - n[0] * wn) - of_g * (w[4] * n[2] - w[5] * n[1]);
    const sedge_real d1 = of_e * (w[1] - n[1] * wn) - of_g * (w[5] * n[0] - w[3] * n[2]);
    const sedge_real d2 = of_e * (w[2] - n[2] * wn) - of_g * (w[3] * n[1] - w[4] * n[0]);

    v[0] = u[0] - d0;
    v[1] = u[1] - d1;
    v[2] = u[2] - d2;
    v[3] = u[3] + y * (n[1] * d2 - n[2] * d1);
    v[4] = u[4] + y * (n[2] * d0 - n[0] * d2);
    v[5] = u[5] + y * (n[0] * d1 - n[1] * d0);
}

// First-order absorbing surface (Silver-Mueller): a wall with the medium's own impedance. What
// leaves at an angle a from the normal comes back with (1 - cos a) / (1 + cos a).
SEDGE_FUNCTION void maxwell_absorbing(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                      const double *x, double t, const double *p, const double *c,
                                      sedge_real *v)
{
    maxwell_wall(u, u, m, n, (double)m[MAXWELL_Z], c, v);
    (void)x;
    (void)t;
    (void)p;
}

// A surface with the real impedance p[0]: 0 is a conductor.
SEDGE_FUNCTION void maxwell_impedance(const sedge_real *u, const sedge_real *m, const sedge_real *n,
                                      const double *x, double t, const double *p, const double *c,
                                      sedge_real *v)
{
    sedge_real w[6];

    maxwell_total(u, m, x, t, c, w);
    maxwell_wall(u, w, m, n, p[0], c, v);
}
