// Media in which a static magnetic field turns charges or spins around itself: waves of the two
// circular polarisations along it have different indices. `x` stands for the vector product.
// Frequencies p are in cycles per time.
#pragma once

#define GYROTROPIC_TURN SEDGE_R(6.283185307179586) // 2 pi

// out = a x b
SEDGE_FUNCTION void gyrotropic_cross(const sedge_value *a, const sedge_value *b, sedge_value *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Charges that are free to move, p = omega_p, gamma, omega_c (a vector):
// dE/dt = ... - (1/epsilon) w,   dw/dt = omega_p^2 E - gamma w + omega_c x w
SEDGE_FUNCTION void magnetised_plasma_local(const sedge_value *u, const sedge_value *w,
                                            const sedge_value *m, const sedge_value *p,
                                            const double *c, double t, sedge_value *du,
                                            sedge_value *dw)
{
    const sedge_value plasma = GYROTROPIC_TURN * p[0];
    sedge_value turned[3];

    gyrotropic_cross(p + 2, w, turned);
    for (int i = 0; i < 3; i++) {
        dw[i] = plasma * plasma * u[i] + GYROTROPIC_TURN * (turned[i] - p[1] * w[i]);
        du[i] = -m[MAXWELL_INVERSE_EPSILON] * w[i];
        du[3 + i] = SEDGE_SPLAT(SEDGE_R(0.0));
    }
    (void)c;
    (void)t;
}

// Spins of a saturated ferrite, p = omega_m, alpha, omega_0 (a vector along the static field, with
// the unit vector b). The magnetisation w beside the static one follows Landau's, Lifshitz's and
// Gilbert's equation to first order,
//   dw/dt = b x (omega_0 w - omega_m H + alpha dw/dt),
// which is (1 + alpha^2) dw/dt = b x q - alpha q_across, q = omega_0 w - omega_m H;
// dH/dt = ... - (1/mu) dw/dt.
SEDGE_FUNCTION void ferrite_local(const sedge_value *u, const sedge_value *w, const sedge_value *m,
                                  const sedge_value *p, const double *c, double t, sedge_value *du,
                                  sedge_value *dw)
{
    const sedge_value precession = sedge_sqrt(p[2] * p[2] + p[3] * p[3] + p[4] * p[4]);
    const sedge_value inverse = sedge_inverse(precession);
    const sedge_value scale = GYROTROPIC_TURN * sedge_inverse(SEDGE_R(1.0) + p[1] * p[1]);
    const sedge_value b[3] = {inverse * p[2], inverse * p[3], inverse * p[4]};
    sedge_value q[3], turned[3], back[3];

    for (int i = 0; i < 3; i++) q[i] = precession * w[i] - p[0] * u[3 + i];
    gyrotropic_cross(b, q, turned);
    gyrotropic_cross(b, turned, back); // -q across b
    for (int i = 0; i < 3; i++) {
        dw[i] = scale * (turned[i] + p[1] * back[i]);
        du[i] = SEDGE_SPLAT(SEDGE_R(0.0));
        du[3 + i] = -m[MAXWELL_INVERSE_MU] * dw[i];
    }
    (void)c;
    (void)t;
}
