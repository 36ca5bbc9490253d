#include "gauss.h"

#include <math.h>

#define PI 3.14159265358979323846

void sedge_gauss_legendre(int count, double *x, double *w)
{
    for (int i = 0; i < count; i++) {
        double at = -cos(PI * (i + 0.75) / (count + 0.5)); // Tricomi's estimate
        double slope = 1.0;
        for (int step = 0; step < 8; step++) { // quadratic convergence: five are enough
            double before = 0.0;
            double value = 1.0;
            for (int n = 1; n <= count; n++) {
                const double next = ((2.0 * n - 1.0) * at * value - (n - 1.0) * before) / n;
                before = value;
                value = next;
            }
            slope = count * (before - at * value) / (1.0 - at * at);
            at -= value / slope;
        }
        x[i] = at;
        w[i] = 2.0 / ((1.0 - at * at) * slope * slope);
    }
}
