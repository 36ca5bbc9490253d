// Layers in a plane wave: published formulas, and what holds at every plane.
#include "check.h"
#include "scattering/slab.h"

#include <complex.h>

#define J ((double complex)_Complex_I)

static const sedge_incident_wave along_z = {
    .direction = {0.0, 0.0, 2.0}, .polarisation = {0.6, 0.8 * J, 0.0}, .origin = {0.3, -0.2, 0.1}};

// A medium of other epsilon and mu in epsilon 1.5, mu 1.2; with losses; dense.
static sedge_slab make_slab(void)
{
    return (sedge_slab){.axis = 2,
                        .layers = 3,
                        .at = -0.3,
                        .thickness = {0.4, 0.25, 0.7},
                        .epsilon = {2.0 - 0.3 * J, -4.0 - 0.5 * J, 6.0},
                        .mu = {1.0, 1.0, 2.0 - 0.1 * J},
                        .background_epsilon = 1.5,
                        .background_mu = 1.2};
}

// One layer: r (1 - P^2) / (1 - r^2 P^2), (1 - r^2) P / (1 - r^2 P^2), with P once through it.
static void test_one(void)
{
    const sedge_slab slab = {.axis = 2,
                             .layers = 1,
                             .at = 0.5,
                             .thickness = {0.4},
                             .epsilon = {3.0 - 0.7 * J},
                             .mu = {1.0},
                             .background_epsilon = 1.0,
                             .background_mu = 1.0};
    const double frequency = 5.0;
    const double complex index = csqrt(3.0 - 0.7 * J);
    const double complex face = (1.0 - index) / (1.0 + index);
    const double complex once = cexp(-J * index * frequency * 0.4);
    const double complex whole = 1.0 - face * face * once * once;
    sedge_slab_fields fields;

    CHECK_OK(sedge_slab_solve(&fields, &slab, &along_z, frequency));
    CHECK(fabs(fields.reflectance - pow(cabs(face * (1.0 - once * once) / whole), 2.0)) < 1e-14);
    CHECK(fabs(fields.transmittance - pow(cabs((1.0 - face * face) * once / whole), 2.0)) < 1e-14);
}

// The tangential fields are the same on both sides of each plane; far from it the incident field is
// that of the wave's formula; both directions have the same transmittance.
static void test_planes(void)
{
    const sedge_slab slab = make_slab();
    sedge_incident_wave wave = along_z;
    sedge_slab_fields fields;
    double transmittance = 0.0;

    for (int turn = 0; turn < 2; turn++) {
        double at = slab.at;

        wave.direction[2] = turn == 0 ? 1.0 : -1.0;
        CHECK_OK(sedge_slab_solve(&fields, &slab, &wave, 3.1));
        for (int i = 0; i <= slab.layers; i++) {
            double complex E[2][3], H[2][3];

            for (int side = 0; side < 2; side++) {
                const double x[3] = {0.1, 0.2, at + (side == 0 ? -1e-13 : 1e-13)};
                sedge_slab_find_total(&fields, x, E[side], H[side]);
            }
            CHECK(cabs(E[0][0]) > 1e-3);
            for (int c = 0; c < 3; c++) {
                CHECK(cabs(E[0][c] - E[1][c]) < 1e-11);
                CHECK(cabs(H[0][c] - H[1][c]) < 1e-11);
            }
            at += slab.thickness[i % slab.layers];
        }
        CHECK(turn == 0 || fabs(fields.transmittance - transmittance) < 1e-14);
        transmittance = fields.transmittance;
        CHECK(fields.reflectance + transmittance < 0.99);
    }
}

// E and H satisfy Maxwell's equations in each region, from either side: central differences.
static void test_maxwell(double direction)
{
    const sedge_slab slab = make_slab();
    const double frequency = 3.1;
    const double places[] = {-0.9, -0.1, 0.2, 0.7, 1.9};
    sedge_incident_wave wave = along_z;
    sedge_slab_fields fields;

    wave.direction[2] = direction;
    CHECK_OK(sedge_slab_solve(&fields, &slab, &wave, frequency));
    for (int i = 0; i < 5; i++) {
        const bool inside = i >= 1 && i <= 3;
        const double complex epsilon = inside ? slab.epsilon[i - 1] : slab.background_epsilon;
        const double complex mu = inside ? slab.mu[i - 1] : slab.background_mu;
        double complex E[3][3], H[3][3];

        for (int s = 0; s < 3; s++) {
            const double x[3] = {0.0, 0.0, places[i] + (s - 1) * 1e-4};
            sedge_slab_find_total(&fields, x, E[s], H[s]);
        }
        // curl H = j w epsilon E, curl E = -j w mu H
        CHECK(cabs(-(H[2][1] - H[0][1]) / 2e-4 - J * frequency * epsilon * E[1][0]) < 1e-5);
        CHECK(cabs((H[2][0] - H[0][0]) / 2e-4 - J * frequency * epsilon * E[1][1]) < 1e-5);
        CHECK(cabs(-(E[2][1] - E[0][1]) / 2e-4 + J * frequency * mu * H[1][0]) < 1e-5);
    }
}

// Nothing in the way: the wave itself, from its origin on.
static void test_empty(void)
{
    sedge_slab slab = make_slab();
    sedge_slab_fields fields;
    double complex E[2][3], H[2][3];
    const double x[3] = {0.7, 0.1, 0.35};

    for (int i = 0; i < slab.layers; i++) {
        slab.epsilon[i] = slab.background_epsilon;
        slab.mu[i] = slab.background_mu;
    }
    CHECK_OK(sedge_slab_solve(&fields, &slab, &along_z, 2.0));
    sedge_slab_find_total(&fields, x, E[0], H[0]);
    sedge_slab_find_incident(&fields, x, E[1], H[1]);
    const double complex phase = cexp(-J * 2.0 * sqrt(1.5 * 1.2) * (0.35 - 0.1));
    for (int c = 0; c < 3; c++) {
        CHECK(cabs(E[0][c] - phase * along_z.polarisation[c]) < 1e-14);
        CHECK(cabs(E[0][c] - E[1][c]) < 1e-14 && cabs(H[0][c] - H[1][c]) < 1e-14);
    }
    CHECK(cabs(H[0][1] - phase * 0.6 / sqrt(1.2 / 1.5)) < 1e-14);
    CHECK(fields.reflectance < 1e-28);
    CHECK(fabs(fields.transmittance - 1.0) < 1e-14);
    CHECK(sedge_slab_side(&fields, x) == 0);
    CHECK(sedge_slab_side(&fields, (double[]){0.0, 0.0, -0.31}) == -1);
    CHECK(sedge_slab_side(&fields, (double[]){0.0, 0.0, -0.29}) == 0);
    CHECK(sedge_slab_side(&fields, (double[]){0.0, 0.0, 1.06}) == 1);
}

// A layer whose epsilon and mu are the negative of the medium's, with losses or without: it
// reflects nothing, and the phase runs backwards there (Veselago, Sov. Phys. Usp. 10 (1968) 509).
static void test_negative_index(void)
{
    const double frequency = 2.0;
    sedge_slab slab = {.axis = 2,
                       .layers = 1,
                       .thickness = {0.5},
                       .background_epsilon = 1.5,
                       .background_mu = 1.2};
    sedge_slab_fields fields;
    double complex E[2][3], H[3];

    for (int lossy = 0; lossy < 2; lossy++) {
        const double complex factor = -1.0 - 0.3 * J * lossy;
        const double complex index = factor * sqrt(1.5 * 1.2);

        slab.epsilon[0] = 1.5 * factor;
        slab.mu[0] = 1.2 * factor;
        CHECK_OK(sedge_slab_solve(&fields, &slab, &along_z, frequency));
        CHECK_BOUND(fields.reflectance, 1e-28);
        sedge_slab_find_total(&fields, (double[]){0.0, 0.0, 0.1}, E[0], H);
        sedge_slab_find_total(&fields, (double[]){0.0, 0.0, 0.4}, E[1], H);
        CHECK_BOUND(cabs(E[1][0] / E[0][0] - cexp(-J * frequency * index * 0.3)), 1e-14);
    }
}

static void test_errors(void)
{
    sedge_slab slab = make_slab();
    sedge_slab_fields fields;

    slab.axis = 0;
    CHECK_FAILS(sedge_slab_solve(&fields, &slab, &along_z, 1.0), SEDGE_ERR_USAGE,
                "travels along (0, 0, 2) and must meet layers across x at a right angle");
}

int main(void)
{
    test_one();
    test_planes();
    test_maxwell(1.0);
    test_maxwell(-1.0);
    test_empty();
    test_negative_index();
    test_errors();
    return CHECK_END();
}
