// Poisson's equation -div(eps grad u) = rho: known solutions u with gradient and Laplacian, which
// tests and decks compare with. eps is constant around x.
//
// There is no flux here: the equation has no time, and src/elliptic discretises it.
#pragma once

#define POISSON_PI SEDGE_R(3.14159265358979323846)

// What a known solution is at a point.
typedef struct poisson_known {
    sedge_real u;
    sedge_real slope[3];
    sedge_real laplacian;
} poisson_known;

// prod_d sin(pi p_d x_d)
SEDGE_FUNCTION void poisson_sine(const double *x, double eps, const double *p, poisson_known *out)
{
    sedge_real s[3];
    sedge_real c[3];
    sedge_real square = SEDGE_R(0.0);

    for (int d = 0; d < 3; d++) {
        const sedge_real k = POISSON_PI * p[d];
        s[d] = sin(k * x[d]);
        c[d] = k * cos(k * x[d]);
        square += k * k;
    }
    out->u = s[0] * s[1] * s[2];
    out->slope[0] = c[0] * s[1] * s[2];
    out->slope[1] = s[0] * c[1] * s[2];
    out->slope[2] = s[0] * s[1] * c[2];
    out->laplacian = -square * out->u;
    (void)eps;
}

// exp(p_0 x) cos(p_1 y) sin(p_2 z + 0.3)
SEDGE_FUNCTION void poisson_wave(const double *x, double eps, const double *p, poisson_known *out)
{
    const sedge_real a = exp(p[0] * x[0]);
    const sedge_real angle = p[2] * x[2] + SEDGE_R(0.3);

    out->u = a * cos(p[1] * x[1]) * sin(angle);
    out->slope[0] = p[0] * out->u;
    out->slope[1] = -p[1] * a * sin(p[1] * x[1]) * sin(angle);
    out->slope[2] = p[2] * a * cos(p[1] * x[1]) * cos(angle);
    out->laplacian = (p[0] * p[0] - p[1] * p[1] - p[2] * p[2]) * out->u;
    (void)eps;
}

// (p_1 . x + 0.5)^p_0: a polynomial of degree p_0
SEDGE_FUNCTION void poisson_power(const double *x, double eps, const double *p, poisson_known *out)
{
    const sedge_real base = p[1] * x[0] + p[2] * x[1] + p[3] * x[2] + SEDGE_R(0.5);
    const sedge_real n = p[0];

    out->u = pow(base, n);
    for (int d = 0; d < 3; d++)
        out->slope[d] = n > 0 ? n * pow(base, n - 1) * p[1 + d] : SEDGE_R(0.0);
    out->laplacian =
        n > 1 ? n * (n - 1) * pow(base, n - 2) * (p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
              : SEDGE_R(0.0);
    (void)eps;
}

// cos(pi x) cos(pi y) sin(pi p_0 (z - p_1)) / eps, where eps may jump at z = p_1
SEDGE_FUNCTION void poisson_layers(const double *x, double eps, const double *p, poisson_known *out)
{
    const sedge_real k = POISSON_PI * p[0];
    const sedge_real cx = cos(POISSON_PI * x[0]);
    const sedge_real cy = cos(POISSON_PI * x[1]);
    const sedge_real sz = sin(k * (x[2] - p[1]));

    out->u = cx * cy * sz / eps;
    out->slope[0] = -POISSON_PI * sin(POISSON_PI * x[0]) * cy * sz / eps;
    out->slope[1] = -POISSON_PI * cx * sin(POISSON_PI * x[1]) * sz / eps;
    out->slope[2] = k * cx * cy * cos(k * (x[2] - p[1])) / eps;
    out->laplacian = -(2 * POISSON_PI * POISSON_PI + k * k) * out->u;
}
