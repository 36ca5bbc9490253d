#include "modes.h"

#include <math.h>

// 1 / integral of (1-x)^alpha (1+x)^beta: (alpha+beta+1)! / (alpha! beta! 2^(alpha+beta+1)).
static double jacobi_weight(int alpha, int beta)
{
    double weight = 0.5 * (alpha + beta + 1);

    for (int m = 1; m <= beta; m++) weight *= 0.5 * (alpha + m) / m;
    return ldexp(weight, -alpha);
}

// Three-term recurrence in its orthonormal form (Hesthaven & Warburton, appendix A):
// x P_k = a_k P_{k-1} + b_k P_k + a_{k+1} P_{k+1}.
double sedge_jacobi(int n, int alpha, int beta, double x)
{
    const double sum = alpha + beta;
    double previous = 0.0;
    double current = sqrt(jacobi_weight(alpha, beta));
    double a = 0.0;

    for (int k = 0; k < n; k++) {
        const double twice = 2.0 * k + sum;
        const double product = (k + 1.0) * (k + 1.0 + sum) * (k + 1.0 + alpha) * (k + 1.0 + beta);
        const double next = 2.0 / (twice + 2.0) * sqrt(product / ((twice + 1.0) * (twice + 3.0)));
        const double b = alpha == beta ? 0.0
                         : k == 0      ? (beta - alpha) / (sum + 2.0)
                                       : (beta - alpha) * sum / (twice * (twice + 2.0));
        const double following = ((x - b) * current - a * previous) / next;
        previous = current;
        current = following;
        a = next;
    }
    return current;
}

static double jacobi_derivative(int n, int alpha, int beta, double x)
{
    if (n == 0) return 0.0;
    return sqrt(n * (n + alpha + beta + 1.0)) * sedge_jacobi(n - 1, alpha + 1, beta + 1, x);
}

// x^n with 0^0 = 1; n >= 0.
static double power(double x, int n)
{
    double result = 1.0;

    for (int i = 0; i < n; i++) result *= x;
    return result;
}

// Collapsed coordinates of (r,s,t). The modes do not depend on a where s + t = 0, nor on b where
// t = 1: any value does, -1 is taken.
static void collapse(double r, double s, double t, double *a, double *b, double *c)
{
    *a = fabs(s + t) > 1e-14 ? 2.0 * (1.0 + r) / (-s - t) - 1.0 : -1.0;
    *b = fabs(1.0 - t) > 1e-14 ? 2.0 * (1.0 + s) / (1.0 - t) - 1.0 : -1.0;
    *c = t;
}

void sedge_modes_tet(int order, double r, double s, double t, double *modes)
{
    double a, b, c;
    int mode = 0;

    collapse(r, s, t, &a, &b, &c);
    for (int i = 0; i <= order; i++) {
        const double fa = sedge_jacobi(i, 0, 0, a);
        for (int j = 0; j <= order - i; j++) {
            const double gb = sedge_jacobi(j, 2 * i + 1, 0, b) * power(1.0 - b, i);
            for (int k = 0; k <= order - i - j; k++) {
                const double hc = sedge_jacobi(k, 2 * (i + j) + 2, 0, c) * power(1.0 - c, i + j);
                modes[mode++] = sqrt(8.0) * fa * gb * hc;
            }
        }
    }
}

// d/dr, d/ds, d/dt of mode (i,j,k). With B = (1-b)/2 and C = (1-c)/2 the mode is
// 2^(2i+j+3/2) f(a) g(b) B^i h(c) C^(i+j), and by the chain rule
//   d/dr = (1 / (B C)) d/da,   d/ds = (1+a)/2 d/dr + (1/C) d/db,
//   d/dt = (1+a)/2 d/dr + (1+b)/2 (1/C) d/db + d/dc:
// every 1/B and 1/C is cancelled against a power before it is formed, where f' or the exponent does
// not vanish.
static void mode_gradient(int i, int j, int k, const double abc[3], double gradient[3])
{
    const double a = abc[0], b = abc[1], c = abc[2];
    const double B = 0.5 * (1.0 - b), C = 0.5 * (1.0 - c);
    const double f = sedge_jacobi(i, 0, 0, a);
    const double g = sedge_jacobi(j, 2 * i + 1, 0, b);
    const double h = sedge_jacobi(k, 2 * (i + j) + 2, 0, c);
    const double df = jacobi_derivative(i, 0, 0, a);
    const double dg = jacobi_derivative(j, 2 * i + 1, 0, b);
    const double dh = jacobi_derivative(k, 2 * (i + j) + 2, 0, c);
    const double scale = pow(2.0, 2 * i + j + 1.5);
    const double C_less =
        i + j > 0 ? power(C, i + j - 1) : 1.0; // with i + j = 0 f' = g' = 0 or 1/C
    const double C_full = power(C, i + j);

    const double dr = i > 0 ? df * g * power(B, i - 1) * h * C_less : 0.0;
    double db = dg * power(B, i); // d/db of g B^i
    if (i > 0) db -= 0.5 * i * g * power(B, i - 1);
    const double db_over_C = i + j > 0 ? f * db * h * C_less : 0.0;
    double dc = dh * C_full; // d/dc of h C^(i+j)
    if (i + j > 0) dc -= 0.5 * (i + j) * h * C_less;
    dc *= f * g * power(B, i);

    gradient[0] = scale * dr;
    gradient[1] = scale * (0.5 * (1.0 + a) * dr + db_over_C);
    gradient[2] = scale * (0.5 * (1.0 + a) * dr + 0.5 * (1.0 + b) * db_over_C + dc);
}

void sedge_modes_tet_gradient(int order, double r, double s, double t, double *dr, double *ds,
                              double *dt)
{
    double abc[3];
    double gradient[3];
    int mode = 0;

    collapse(r, s, t, &abc[0], &abc[1], &abc[2]);
    for (int i = 0; i <= order; i++) {
        for (int j = 0; j <= order - i; j++) {
            for (int k = 0; k <= order - i - j; k++) {
                mode_gradient(i, j, k, abc, gradient);
                dr[mode] = gradient[0];
                ds[mode] = gradient[1];
                dt[mode] = gradient[2];
                mode++;
            }
        }
    }
}

void sedge_modes_triangle(int order, double r, double s, double *modes)
{
    const double a = fabs(1.0 - s) > 1e-14 ? 2.0 * (1.0 + r) / (1.0 - s) - 1.0 : -1.0;
    int mode = 0;

    for (int i = 0; i <= order; i++) {
        const double fa = sedge_jacobi(i, 0, 0, a);
        for (int j = 0; j <= order - i; j++)
            modes[mode++] = sqrt(2.0) * fa * sedge_jacobi(j, 2 * i + 1, 0, s) * power(1.0 - s, i);
    }
}
