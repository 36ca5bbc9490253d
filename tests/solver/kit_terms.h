// Terms for tests (kit.h), in the words of dg/physics.h: all that a term may be made of, so that a
// wrong index, sign or factor shows. With parameters 0 they act, too: it shows where they act in a
// group that does not have them.
#pragma once

// Four components of memory, which know each other, the fields, the material and the constants.
SEDGE_FUNCTION void kit_relaxation_local(const sedge_value *u, const sedge_value *w,
                                         const sedge_value *m, const sedge_value *p,
                                         const double *c, double t, sedge_value *du,
                                         sedge_value *dw)
{
    const sedge_value rate = p[0] + SEDGE_R(0.3);
    const sedge_value factor = p[1] + SEDGE_R(0.4);

    for (int k = 0; k < 4; k++) dw[k] = rate * (m[0] * u[k + 1] - w[k]) + p[1] * w[(k + 1) % 4];
    for (int f = 0; f < 6; f++)
        du[f] = factor * (SEDGE_R(0.2) * (sedge_real)(f + 1) * w[f % 4] - (sedge_real)c[0] * u[f]);
    (void)t;
}

// Not linear, with the time, without memory.
SEDGE_FUNCTION void kit_saturation_local(const sedge_value *u, const sedge_value *w,
                                         const sedge_value *m, const sedge_value *p,
                                         const double *c, double t, sedge_value *du,
                                         sedge_value *dw)
{
    const sedge_value drive = p[1] + SEDGE_R(0.5);

    for (int f = 0; f < 6; f++)
        du[f] = drive * (sedge_real)cos(5.0 * t + f) - p[0] * m[1] * u[f] * u[f] * u[f];
    (void)c;
    (void)w;
    (void)dw;
}
