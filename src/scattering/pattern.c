#include "pattern.h"

#include <math.h>

#define PI 3.14159265358979323846
#define J  ((double complex)_Complex_I)

static double square(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

void sedge_pattern_rcs(const double complex far[2], double incident, double rcs[2])
{
    for (int c = 0; c < 2; c++) rcs[c] = 4.0 * PI * square(far[c]) / incident;
}

double sedge_pattern_decibel(double value)
{
    return 10.0 * log10(value);
}

double sedge_pattern_intensity(const double complex far[2], double impedance)
{
    return (square(far[0]) + square(far[1])) / (2.0 * impedance);
}

double sedge_pattern_gain(const double complex far[2], double impedance, double power)
{
    const double gain = 4.0 * PI * sedge_pattern_intensity(far, impedance) / power;

    return isnan(gain) ? (double)NAN : gain; // 0 / 0 has a sign, which is printed
}

void sedge_pattern_circular(const double complex far[2], double complex circular[2])
{
    circular[0] = sqrt(0.5) * (far[0] + J * far[1]);
    circular[1] = sqrt(0.5) * (far[0] - J * far[1]);
}

double sedge_pattern_axial_ratio(const double complex far[2])
{
    double complex circular[2];

    sedge_pattern_circular(far, circular);
    const double right = cabs(circular[0]);
    const double left = cabs(circular[1]);
    return right + left > 0.0 ? (right + left) / fabs(right - left) : (double)NAN;
}
