// Poles of the permittivity and of the permeability. A pole's polarisation P follows the field F, E
// or H, and acts back on it: dF/dt = ... - (1/epsilon) dP/dt, for H with mu in place of epsilon.
// `inverse` is 1/epsilon or 1/mu. Frequencies p are in cycles per time.
#pragma once

#define DISPERSION_TURN SEDGE_R(6.283185307179586) // 2 pi

// P = w:  dP/dt = (strength F - P) / tau
SEDGE_FUNCTION void dispersion_debye(const sedge_value *field, const sedge_value *w,
                                     sedge_value inverse, const sedge_value *p, sedge_value *change,
                                     sedge_value *dw)
{
    const sedge_value rate = sedge_inverse(p[1]); // once, not for each i

    for (int i = 0; i < 3; i++) {
        dw[i] = rate * (p[0] * field[i] - w[i]);
        change[i] = -inverse * dw[i];
    }
}

// dP/dt = w:  dw/dt = omega_p^2 F - gamma w
SEDGE_FUNCTION void dispersion_drude(const sedge_value *field, const sedge_value *w,
                                     sedge_value inverse, const sedge_value *p, sedge_value *change,
                                     sedge_value *dw)
{
    const sedge_value plasma = DISPERSION_TURN * p[0];
    const sedge_value damping = DISPERSION_TURN * p[1];

    for (int i = 0; i < 3; i++) {
        dw[i] = plasma * plasma * field[i] - damping * w[i];
        change[i] = -inverse * w[i];
    }
}

// P = w[0..2], dP/dt = w[3..5]:  d2P/dt2 = omega_0^2 (strength F - P) - gamma dP/dt
SEDGE_FUNCTION void dispersion_lorentz(const sedge_value *field, const sedge_value *w,
                                       sedge_value inverse, const sedge_value *p,
                                       sedge_value *change, sedge_value *dw)
{
    const sedge_value resonance = DISPERSION_TURN * p[1];
    const sedge_value damping = DISPERSION_TURN * p[2];

    for (int i = 0; i < 3; i++) {
        dw[i] = w[3 + i];
        dw[3 + i] = resonance * resonance * (p[0] * field[i] - w[i]) - damping * w[3 + i];
        change[i] = -inverse * w[3 + i];
    }
}

// The term `name`_local of E, and magnetic_`name`_local of H.
#define DISPERSION_TERM(name)                                                                     \
    SEDGE_FUNCTION void name##_local(const sedge_value *u, const sedge_value *w,                  \
                                     const sedge_value *m, const sedge_value *p, const double *c, \
                                     double t, sedge_value *du, sedge_value *dw)                  \
    {                                                                                             \
        dispersion_##name(u, w, m[MAXWELL_INVERSE_EPSILON], p, du, dw);                           \
        for (int i = 0; i < 3; i++) du[3 + i] = SEDGE_SPLAT(SEDGE_R(0.0));                        \
        (void)c;                                                                                  \
        (void)t;                                                                                  \
    }                                                                                             \
    SEDGE_FUNCTION void magnetic_##name##_local(                                                  \
        const sedge_value *u, const sedge_value *w, const sedge_value *m, const sedge_value *p,   \
        const double *c, double t, sedge_value *du, sedge_value *dw)                              \
    {                                                                                             \
        dispersion_##name(u + 3, w, m[MAXWELL_INVERSE_MU], p, du + 3, dw);                        \
        for (int i = 0; i < 3; i++) du[i] = SEDGE_SPLAT(SEDGE_R(0.0));                            \
        (void)c;                                                                                  \
        (void)t;                                                                                  \
    }

DISPERSION_TERM(debye)
DISPERSION_TERM(drude)
DISPERSION_TERM(lorentz)
