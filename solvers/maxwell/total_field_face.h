// Plane waves that enter the mesh through a closed surface: inside it the fields are the total
// ones, outside the scattered ones.
#pragma once

// What c holds behind the constants of Maxwell's equations: the number of waves, then of each wave
enum {
    TOTAL_FIELD_SLOWNESS = 0, // its direction by its speed
    TOTAL_FIELD_ORIGIN = 3,   // where its phase is t
    TOTAL_FIELD_E = 6,        // fields at signal 1
    TOTAL_FIELD_H = 9,
    TOTAL_FIELD_SIGNAL = 12,
    TOTAL_FIELD_VALUES = TOTAL_FIELD_SIGNAL + SEDGE_SIGNAL_VALUES
};

// The trace that continues the own side's fields behind the surface: with the incident fields for
// the total fields inside, p[0] = 1, and without them for the scattered ones outside, p[0] = -1.
SEDGE_FUNCTION void maxwell_total_field(const sedge_real *u, const sedge_real *w,
                                        const sedge_real *mu, const sedge_real *mw,
                                        const sedge_real *n, const double *x, double t,
                                        const double *p, const double *c, sedge_real *v)
{
    const double *wave = c + MAXWELL_CONSTANTS + 1;
    double incident[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

    for (int k = 0; k < (int)c[MAXWELL_CONSTANTS]; k++, wave += TOTAL_FIELD_VALUES) {
        double delay = 0.0;
        for (int d = 0; d < 3; d++)
            delay += wave[TOTAL_FIELD_SLOWNESS + d] * (x[d] - wave[TOTAL_FIELD_ORIGIN + d]);
        const double e = sedge_signal(wave + TOTAL_FIELD_SIGNAL, t - delay);
        for (int i = 0; i < 6; i++) incident[i] += e * wave[TOTAL_FIELD_E + i];
    }
    for (int i = 0; i < 6; i++) v[i] = w[i] + (sedge_real)(p[0] * incident[i]);
    (void)u, (void)mu, (void)mw, (void)n;
}
