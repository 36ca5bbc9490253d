#include "sheet_loss.h"

static double square(double complex x)
{
    return creal(x) * creal(x) + cimag(x) * cimag(x);
}

// What leaves the element with the fields u, whose outward normal is sign n.
static void find_wave(double complex wave[3], const double *m, const double *n, double sign,
                      const double *u)
{
    const double normal[3] = {sign * n[0], sign * n[1], sign * n[2]};
    double re[3], im[3];

    maxwell_leaving_wave(re, m, normal, u);
    maxwell_leaving_wave(im, m, normal, u + 6);
    for (int i = 0; i < 3; i++) wave[i] = re[i] + im[i] * (double complex)_Complex_I;
}

double maxwell_sheet_loss(const double *mu, const double *mw, const double *n, const double *u,
                          const double *w, double complex admittance)
{
    double complex wave[3], other[3];
    double sum = 0.0;

    find_wave(wave, mu, n, 1.0, u);
    find_wave(other, mw, n, -1.0, w);
    for (int i = 0; i < 3; i++) sum += square(mu[MAXWELL_Y] * wave[i] + mw[MAXWELL_Y] * other[i]);
    return 0.5 * creal(admittance) * sum / square(mu[MAXWELL_Y] + mw[MAXWELL_Y] + admittance);
}

double maxwell_magnetic_sheet_loss(const double *mu, const double *mw, const double *n,
                                   const double *u, const double *w, double resistance)
{
    const double sum = mu[MAXWELL_Z] + mw[MAXWELL_Z] + resistance;
    double complex wave[3], other[3];
    double squares = 0.0;

    find_wave(wave, mu, n, 1.0, u);
    find_wave(other, mw, n, -1.0, w);
    for (int i = 0; i < 3; i++) squares += square(wave[i] - other[i]);
    return 0.5 * resistance * squares / (sum * sum);
}

// As maxwell_film: a g + b g' = even and a_odd g - b_odd g' = odd. The layer takes
// 1/2 Re(e g* + e' g'*), the sum of Re(impedance) |g|^2 over both kinds of fields.
double maxwell_layer_loss(const double *mu, const double *mw, const double *n, const double *u,
                          const double *w, double complex even, double complex odd)
{
    const double complex a = mu[MAXWELL_Z] + even, b = mw[MAXWELL_Z] + even;
    const double complex a_odd = mu[MAXWELL_Z] + odd, b_odd = mw[MAXWELL_Z] + odd;
    double complex wave[3], other[3];
    double sum = 0.0;

    find_wave(wave, mu, n, 1.0, u);
    find_wave(other, mw, n, -1.0, w);
    for (int i = 0; i < 3; i++) {
        const double complex both = wave[i] + other[i];
        const double complex difference = wave[i] - other[i];
        const double complex determinant = a * b_odd + b * a_odd;
        const double complex g = (both * b_odd + difference * b) / determinant;
        const double complex g_other = (both * a_odd - difference * a) / determinant;

        sum += creal(even) * square(0.5 * (g + g_other)) + creal(odd) * square(0.5 * (g - g_other));
    }
    return sum;
}
