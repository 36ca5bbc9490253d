// Plane waves that enter the mesh through a closed surface: inside it the fields are the total
// ones, outside the scattered ones.
#pragma once

// What c holds behind the constants of Maxwell's equations: the number of waves, the number of
// media (1, or 2 half-spaces), 1/epsilon and 1/mu of the first and of the second, then of each wave
enum {
    TOTAL_FIELD_WAVES,
    TOTAL_FIELD_MEDIA,
    TOTAL_FIELD_MATERIALS,
    TOTAL_FIELD_HEAD = TOTAL_FIELD_MATERIALS + 4
};
enum {
    TOTAL_FIELD_SLOWNESS = 0, // its direction by its speed
    TOTAL_FIELD_ORIGIN = 3,   // where its phase is t
    TOTAL_FIELD_E = 6,        // fields at signal 1
    TOTAL_FIELD_H = 9,
    TOTAL_FIELD_MEDIUM = 12, // that it is in
    TOTAL_FIELD_SIGNAL = 13,
    TOTAL_FIELD_VALUES = TOTAL_FIELD_SIGNAL + SEDGE_SIGNAL_VALUES
};

// The medium of a side with the material m: of two the nearer one, for m has the run's precision.
SEDGE_FUNCTION int maxwell_total_field_medium(const sedge_real *m, const double *head)
{
    double miss[2] = {0.0, 0.0};

    if (head[TOTAL_FIELD_MEDIA] < 1.5) return 0;
    for (int k = 0; k < 2; k++) {
        const double e = (double)m[MAXWELL_INVERSE_EPSILON] - head[TOTAL_FIELD_MATERIALS + 2 * k];
        const double b = (double)m[MAXWELL_INVERSE_MU] - head[TOTAL_FIELD_MATERIALS + 2 * k + 1];
        miss[k] = e * e + b * b;
    }
    return miss[1] < miss[0];
}

// The trace that continues the own side's fields behind the surface: with the incident fields for
// the total fields inside, p[0] = 1, and without them for the scattered ones outside, p[0] = -1.
SEDGE_FUNCTION void maxwell_total_field(const sedge_real *u, const sedge_real *w,
                                        const sedge_real *mu, const sedge_real *mw,
                                        const sedge_real *n, const double *x, double t,
                                        const double *p, const double *c, sedge_real *v)
{
    const double *const head = c + MAXWELL_CONSTANTS;
    const double *wave = head + TOTAL_FIELD_HEAD;
    const int medium = maxwell_total_field_medium(mu, head);
    double incident[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

    for (int k = 0; k < (int)head[TOTAL_FIELD_WAVES]; k++, wave += TOTAL_FIELD_VALUES) {
        double delay = 0.0;
        if ((int)wave[TOTAL_FIELD_MEDIUM] != medium) continue;
        for (int d = 0; d < 3; d++)
            delay += wave[TOTAL_FIELD_SLOWNESS + d] * (x[d] - wave[TOTAL_FIELD_ORIGIN + d]);
        const double e = sedge_signal(wave + TOTAL_FIELD_SIGNAL, t - delay);
        for (int i = 0; i < 6; i++) incident[i] += e * wave[TOTAL_FIELD_E + i];
    }
    for (int i = 0; i < 6; i++) v[i] = w[i] + (sedge_real)(p[0] * incident[i]);
    (void)u, (void)mw, (void)n;
}
