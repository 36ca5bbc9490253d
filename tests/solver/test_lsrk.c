// The table of the Runge-Kutta method fulfils the eight conditions of order four, its times are its
// row sums, and its stability polynomial reaches as far as is documented.
#include "check.h"
#include "time/lsrk.h"

#include <complex.h>

enum { STAGES = 5 };

// The tableau of Butcher behind the low-storage form.
typedef struct tableau {
    double A[STAGES][STAGES];
    double b[STAGES];
} tableau;

static tableau expand(const sedge_lsrk *method)
{
    double residual[STAGES] = {0.0}; // as a sum of the stages' right-hand sides
    double u[STAGES] = {0.0};
    tableau t;

    memset(&t, 0, sizeof t);
    for (int s = 0; s < STAGES; s++) {
        memcpy(t.A[s], u, sizeof u);
        for (int i = 0; i < STAGES; i++) residual[i] *= method->a[s];
        residual[s] += 1.0;
        for (int i = 0; i < STAGES; i++) u[i] += method->b[s] * residual[i];
    }
    memcpy(t.b, u, sizeof u);
    return t;
}

static void apply(double *out, const tableau *t, const double *v)
{
    for (int i = 0; i < STAGES; i++) {
        out[i] = 0.0;
        for (int j = 0; j < STAGES; j++) out[i] += t->A[i][j] * v[j];
    }
}

// sum b_i x_i y_i
static double sum(const tableau *t, const double *x, const double *y)
{
    double total = 0.0;

    for (int i = 0; i < STAGES; i++) total += t->b[i] * x[i] * y[i];
    return total;
}

// The coefficients are quotients of whole numbers with 13 digits: good to about 1e-13.
static void test_order_four(void)
{
    const double one[STAGES] = {1.0, 1.0, 1.0, 1.0, 1.0};
    const double *const c = sedge_lsrk45.c;
    const tableau t = expand(&sedge_lsrk45);
    double row[STAGES], cc[STAGES], Ac[STAGES], Acc[STAGES], AAc[STAGES];

    CHECK(sedge_lsrk45.stages == STAGES && sedge_lsrk45.order == 4);
    CHECK(sedge_lsrk45.a[0] == 0.0); // the operator does not read the residual before stage 0
    apply(row, &t, one);
    for (int i = 0; i < STAGES; i++) {
        CHECK_BOUND(fabs(row[i] - c[i]), 1e-12);
        cc[i] = c[i] * c[i];
    }
    apply(Ac, &t, c);
    apply(Acc, &t, cc);
    apply(AAc, &t, Ac);
    CHECK_BOUND(fabs(sum(&t, one, one) - 1.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, c) - 1.0 / 2.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, c, c) - 1.0 / 3.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, Ac) - 1.0 / 6.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, cc, c) - 1.0 / 4.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, c, Ac) - 1.0 / 8.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, Acc) - 1.0 / 12.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, AAc) - 1.0 / 24.0), 1e-12);
}

// |R(z)| of y' = z y, z = real + i imaginary, one step of length 1.
static double amplify(double real, double imaginary)
{
    const double complex z = real + imaginary * (double complex)I;
    double complex residual = 0.0, y = 1.0;

    for (int s = 0; s < STAGES; s++) {
        residual = sedge_lsrk45.a[s] * residual + z * y;
        y += sedge_lsrk45.b[s] * residual;
    }
    return cabs(y);
}

// Waves up to w dt = 3.34, decay up to 4.65: the limits that problem.c builds on.
static void test_stability(void)
{
    for (int i = 1; i <= 100; i++) {
        CHECK_BOUND(amplify(0.0, 0.0334 * i), 1.0);
        CHECK_BOUND(amplify(-0.0465 * i, 0.0), 1.0);
    }
    CHECK_BOUND(1.0, amplify(0.0, 3.36));
    CHECK_BOUND(1.0, amplify(-4.67, 0.0));
}

int main(void)
{
    test_order_four();
    test_stability();
    return CHECK_END();
}
