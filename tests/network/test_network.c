// S-parameters: other references against closed forms, what a matrix says of its structure.
#include "check.h"
#include "network/network.h"

#include <stdint.h>

#define J    ((double complex)_Complex_I)
#define MOST 5
#define TINY 1e-14 // rounding, of a handful of operations on numbers near 1

// An even number in (-1, 1), the same in each run.
static double draw(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

// A piece of an ideal line with impedance `z` and length `angle` between the resistances r[0] and
// r[1], from its chain matrix.
static void find_line(double complex s[4], double z, double angle, const double r[2])
{
    const double a = cos(angle);
    const double complex b = J * z * sin(angle), c = J * sin(angle) / z;
    const double complex sum = a * r[1] + b + c * r[0] * r[1] + a * r[0];

    s[0] = (a * r[1] + b - c * r[0] * r[1] - a * r[0]) / sum;
    s[1] = s[2] = 2.0 * sqrt(r[0] * r[1]) / sum;
    s[3] = (a * r[0] + b - c * r[0] * r[1] - a * r[1]) / sum;
}

// The line's own references make it a delay. With others it is what its chain matrix says, and back
// it is the same; so between any two pairs.
static void test_line(void)
{
    static const double pairs[][2] = {{70.0, 70.0}, {50.0, 50.0}, {50.0, 75.0}, {1e-3, 1e4}};

    for (int k = 0; k < 16; k++) {
        const double *const before = pairs[k / 4];
        const double *const after = pairs[k % 4];
        // The extreme pair reflects all but 1e-6 of a wave, so six digits are lost on the way back.
        const double bound = k / 4 == 3 || k % 4 == 3 ? 1e-9 : 10 * TINY;
        double complex s[4], wanted[4];

        find_line(s, 70.0, 0.3 + k, before);
        find_line(wanted, 70.0, 0.3 + k, after);
        if (k == 0) CHECK_BOUND(cabs(s[2] - cexp(-0.3 * J)), TINY);
        CHECK_OK(sedge_network_renormalise(s, 2, before, after));
        for (int i = 0; i < 4; i++) CHECK_BOUND(cabs(s[i] - wanted[i]), bound);
    }
}

// A load of one port: (Z - r) / (Z + r).
static void test_load(void)
{
    const double before = 50.0, after = 120.0;
    const double complex z[] = {0.0, 50.0, 120.0, 30.0 - 80.0 * J, 1e9};

    for (int k = 0; k < 5; k++) {
        double complex s = (z[k] - before) / (z[k] + before);

        CHECK_OK(sedge_network_renormalise(&s, 1, &before, &after));
        CHECK_BOUND(cabs(s - (z[k] - after) / (z[k] + after)), TINY);
    }
}

// Any matrix, there and back; one port keeps its own impedance, another one its resistance.
static void test_back(void)
{
    const double before[MOST] = {50.0, 0.0, 75.0, 300.0, 2.0};
    const double after[MOST] = {75.0, 0.0, 75.0, 50.0, 120.0};
    double complex s[MOST * MOST], first[MOST * MOST];

    for (int turn = 0; turn < 20; turn++) {
        double change = 0.0;

        for (int k = 0; k < MOST * MOST; k++) first[k] = s[k] = draw() + draw() * J;
        CHECK_OK(sedge_network_renormalise(s, MOST, before, after));
        for (int k = 0; k < MOST * MOST; k++) change = fmax(change, cabs(s[k] - first[k]));
        CHECK(change > 0.1);
        CHECK_OK(sedge_network_renormalise(s, MOST, after, before));
        for (int k = 0; k < MOST * MOST; k++) CHECK_BOUND(cabs(s[k] - first[k]), 1e-11);
        CHECK_OK(sedge_network_renormalise(s, MOST, before, before));
        for (int k = 0; k < MOST * MOST; k++) CHECK_BOUND(cabs(s[k] - first[k]), 1e-11);
    }
}

// Whether a matrix is valid, reciprocal and without loss.
static void test_judged(void)
{
    const sedge_network_port port[2] = {{"in", 50.0}, {"out", 50.0}};
    const double frequency[3] = {1.0, 2.0, 3.0};
    double complex s[12];
    const sedge_network network = {true, 2, 3, port, frequency, s};
    const double references[] = {50.0, 50.0, 50.0, 100.0};

    find_line(s, 75.0, 0.7, references);
    for (int k = 0; k < 4; k++) s[4 + k] = 0.5 * s[k];
    s[5] += 0.25 * J;
    for (int k = 0; k < 4; k++) s[8 + k] = s[k];
    s[8] = (double)NAN;
    CHECK(sedge_network_is_valid(&network, 0) && sedge_network_is_valid(&network, 1));
    CHECK(!sedge_network_is_valid(&network, 2));
    CHECK_BOUND(sedge_network_asymmetry(&network, 0), 0.0);
    CHECK_BOUND(fabs(sedge_network_asymmetry(&network, 1) - 0.25), TINY);
    CHECK(isnan(sedge_network_asymmetry(&network, 2)));
    for (int j = 0; j < 2; j++) CHECK_BOUND(fabs(sedge_network_power(&network, 0, j) - 1.0), TINY);
    CHECK_BOUND(fabs(sedge_network_power(&network, 1, 0) - 0.25), TINY);
    CHECK(fabs(sedge_network_power(&network, 1, 1) - 0.25) > 0.05); // its column has the change
    CHECK(isnan(sedge_network_power(&network, 2, 0)));
    CHECK_BOUND(fabs(sedge_network_power(&network, 2, 1) - 1.0), TINY);
    // Without loss, and reciprocal, with whatever references.
    CHECK_OK(sedge_network_renormalise(s, 2, references, references + 2));
    CHECK_BOUND(sedge_network_asymmetry(&network, 0), TINY);
    for (int j = 0; j < 2; j++) CHECK_BOUND(fabs(sedge_network_power(&network, 0, j) - 1.0), TINY);
}

// Waves that leave and enter in as many runs as there are ports give the matrix.
static void test_divide(void)
{
    double complex s[MOST * MOST], a[MOST * MOST], b[MOST * MOST];

    for (int k = 0; k < MOST * MOST; k++) {
        s[k] = draw() + draw() * J;
        a[k] = (k % (MOST + 1) == 0 ? 1.0 : 0.0) + 0.1 * (draw() + draw() * J);
    }
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < MOST; j++) {
            b[i * MOST + j] = 0.0;
            for (int k = 0; k < MOST; k++) b[i * MOST + j] += s[i * MOST + k] * a[k * MOST + j];
        }
    }
    sedge_network_divide(b, a, MOST);
    for (int k = 0; k < MOST * MOST; k++) CHECK_BOUND(cabs(b[k] - s[k]), 10.0 * TINY);
}

// A wave source that has no impedance becomes no number.
static void test_impossible(void)
{
    const double before = 50.0, after = 150.0;
    double complex s = 2.0; // P = 1/2

    CHECK_OK(sedge_network_renormalise(&s, 1, &before, &after));
    CHECK(!isfinite(creal(s)) || !isfinite(cimag(s)));
}

int main(void)
{
    test_line();
    test_load();
    test_back();
    test_divide();
    test_judged();
    test_impossible();
    return CHECK_END();
}
