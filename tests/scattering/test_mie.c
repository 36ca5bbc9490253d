// The Mie series: published numbers, limits, energy balances, and Maxwell's equations themselves.
#include "check.h"
#include "scattering/mie.h"

#include <complex.h>
#include <stdlib.h>

#define J  ((double complex)_Complex_I)
#define PI 3.14159265358979323846

static const sedge_incident_wave along_z = {.direction = {0.0, 0.0, 1.0},
                                            .polarisation = {1.0, 0.0, 0.0}};
// In no plane of symmetry, elliptic; 2 e1 + (1 - j) e2 with e1, e2 and direction orthonormal.
static const sedge_incident_wave askew = {.direction = {2.0, 1.0, 2.0},
                                          .polarisation = {(-4.0 + 1.0 - 1.0 * J) / 3.0,
                                                           (4.0 + 2.0 - 2.0 * J) / 3.0,
                                                           (2.0 - 2.0 + 2.0 * J) / 3.0},
                                          .origin = {0.3, -0.2, 0.1}};

static sedge_sphere make_sphere(double radius, double complex epsilon)
{
    return (sedge_sphere){.layers = 1,
                          .radius = {radius},
                          .epsilon = {epsilon},
                          .mu = {1.0},
                          .background_epsilon = 1.0,
                          .background_mu = 1.0};
}

static sedge_sphere make_conductor(double radius)
{
    sedge_sphere sphere = make_sphere(radius, 1.0);

    sphere.conducting = true;
    return sphere;
}

static sedge_sphere make_coated(double inner, double complex core, double complex coating)
{
    return (sedge_sphere){.layers = 2,
                          .radius = {inner, 1.0},
                          .epsilon = {core, coating},
                          .mu = {1.0, 1.0},
                          .background_epsilon = 1.0,
                          .background_mu = 1.0};
}

// Efficiencies.
static sedge_mie_sections solve(const sedge_sphere *sphere, double frequency)
{
    const double radius = sphere->radius[sphere->layers - 1];
    sedge_mie_sections q = {0};
    sedge_mie *mie;

    CHECK_OK(sedge_mie_create(&mie, sphere, &along_z, frequency));
    if (mie == NULL) return q;
    q = sedge_mie_find_sections(mie);
    sedge_mie_free(mie);
    const double area = PI * radius * radius;
    q.scattering /= area;
    q.extinction /= area;
    q.absorption /= area;
    q.backscatter /= area;
    return q;
}

static void check_number(double value, double published, double tolerance, const char *what)
{
    if (fabs(value - published) <= tolerance) return;
    check_failures++;
    (void)fprintf(stderr, "%s: %.9g, published %.9g\n", what, value, published);
}

static void test_published(void)
{
    // Bohren & Huffman, appendix A: radius 0.525, wavelength 0.6328, index 1.55.
    const sedge_sphere bhmie = make_sphere(0.525, 1.55 * 1.55);
    const sedge_mie_sections q = solve(&bhmie, 2.0 * PI / 0.6328);
    check_number(q.scattering, 3.10543, 1e-5, "BHMIE scattering");
    check_number(q.extinction, 3.10543, 1e-5, "BHMIE extinction");
    check_number(q.backscatter, 2.92534, 1e-5, "BHMIE backscatter");

    // Wiscombe, NCAR/TN-140 (1979): extinction and scattering, six decimals.
    const struct {
        double x, n, k, extinction, scattering;
    } table[] = {
        {10.0, 0.75, 0.0, 2.232265, 2.232265},   {1000.0, 0.75, 0.0, 1.997908, 1.997908},
        {1.0, 1.33, 1e-5, 0.093952, 0.093923},   {100.0, 1.33, 1e-5, 2.101321, 2.096594},
        {0.055, 1.5, 1.0, 0.101491, 0.000011},   {1.0, 1.5, 1.0, 2.336321, 0.663454},
        {100.0, 1.5, 1.0, 2.097502, 1.283697},   {1.0, 10.0, 10.0, 2.532993, 2.049405},
        {100.0, 10.0, 10.0, 2.071124, 1.836785},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double complex index = table[i].n - table[i].k * J;
        const sedge_sphere sphere = make_sphere(1.0, index * index);
        const sedge_mie_sections s = solve(&sphere, table[i].x);
        check_number(s.extinction, table[i].extinction, 6e-7, "Wiscombe extinction");
        check_number(s.scattering, table[i].scattering, 6e-7, "Wiscombe scattering");
    }

    // Bohren & Huffman, appendix B: a small core in a coating of 6.265, wavelength 3; six digits.
    sedge_sphere bhcoat = make_coated(0.171, cpow(1.59 - 0.66 * J, 2), cpow(1.409 - 0.1747 * J, 2));
    bhcoat.radius[1] = 6.265;
    const sedge_mie_sections coat = solve(&bhcoat, 2.0 * PI / 3.0);
    check_number(coat.scattering, 1.14341, 1e-5, "BHCOAT scattering");
    check_number(coat.extinction, 2.32803, 1e-5, "BHCOAT extinction");
    check_number(coat.backscatter, 0.0285099, 1e-6, "BHCOAT backscatter");

    // Monostatic radar cross-sections over pi a^2, from independent series.
    const double conductor[4][2] = {
        {1.0, 3.637567}, {2.0, 1.008143}, {2.0 * PI, 1.013971}, {10.0, 0.929230}};
    const sedge_sphere metal = make_conductor(1.0);
    for (int i = 0; i < 4; i++) {
        const double backscatter = solve(&metal, conductor[i][0]).backscatter;
        check_number(backscatter, conductor[i][1], 6e-7, "conductor");
    }
    const sedge_sphere light = make_sphere(1.0, 2.25);
    const sedge_sphere dense = make_sphere(1.0, 4.0);
    check_number(solve(&light, 2.0).backscatter, 0.294750, 6e-7, "epsilon 2.25");
    check_number(solve(&dense, 2.0).backscatter, 1.385427, 6e-7, "epsilon 4");
    sedge_sphere coated = make_coated(0.8, 1.0, 2.56);
    coated.conducting = true;
    check_number(solve(&coated, 3.0).backscatter, 0.546542, 6e-7, "coated conductor");
    coated = make_coated(0.6, 4.0, 2.0);
    check_number(solve(&coated, 3.0).backscatter, 0.118419, 6e-7, "coated dielectric");

    // A Drude sphere: plasma frequency 3, collisions 0.2, at 1.4.
    const double w = 1.4;
    const sedge_sphere drude = make_sphere(1.0, 1.0 - 9.0 / (w * w - 0.2 * w * J));
    check_number(solve(&drude, w).extinction, 5.589145, 6e-7, "Drude extinction");
    check_number(solve(&drude, w).scattering, 4.305656, 6e-7, "Drude scattering");
}

// Small spheres: Rayleigh's formulas, relative corrections of order x^2. Large ones: geometric
// optics.
static void test_limits(void)
{
    const double x = 0.01;
    const sedge_sphere light = make_sphere(1.0, 2.25);
    const sedge_sphere lossy = make_sphere(1.0, 3.0 - 2.0 * J);
    const sedge_sphere metal = make_conductor(1.0);
    const double complex contrast = (2.0 - 2.0 * J) / (5.0 - 2.0 * J);
    const double rayleigh = pow(x, 4.0);

    check_number(solve(&light, x).scattering / rayleigh, 8.0 / 3.0 * pow(1.25 / 4.25, 2.0), 3e-5,
                 "Rayleigh scattering");
    check_number(solve(&lossy, x).absorption / x, -4.0 * cimag(contrast), 1e-3,
                 "Rayleigh absorption");
    check_number(solve(&metal, x).scattering / rayleigh, 10.0 / 3.0, 1e-3, "small conductor");
    check_number(solve(&metal, x).backscatter / rayleigh, 9.0, 1e-3, "small conductor");

    // Half of the extinction is diffraction; the edge adds 1.99239 x^(-2/3) for an absorbing sphere
    // (Nussenzveig & Wiscombe, Phys. Rev. Lett. 45 (1980) 1490); next terms are of order 1/x.
    const sedge_sphere black = make_sphere(1.0, (1.33 - 0.2 * J) * (1.33 - 0.2 * J));
    check_number(solve(&black, 1000.0).extinction, 2.0 + 1.99239 / 100.0, 1e-3, "large sphere");
    check_number(solve(&metal, 1000.0).extinction, 2.0, 2e-3, "large conductor");
    check_number(solve(&metal, 1000.0).backscatter, 1.0, 1e-2, "large conductor");
}

// Indices of metals at optical wavelengths and of good conductors, where |index| k a is large,
// against the series in 60 digits (plain Bessel functions, no recurrences).
static void test_metals(void)
{
    const struct {
        double x, n, k, extinction, scattering, backscatter;
    } table[] = {
        {0.001, 1.5, 0, 2.30680523780423e-13, 2.30680523780423e-13, 3.46020622271961e-13},
        {0.01, 0.97, 1.87, 0.0323246427337368, 5.10953076649431e-8, 7.66420154499734e-8},
        {1.0, 0.05, 4.0, 3.92097313288842, 3.87346760001158, 5.7967445691587},
        {3.0, 0.2, 3.4, 3.29150520824891, 3.12361483373059, 0.691864131376541},
        {100.0, 1.5, 1.9, 2.11949963196601, 1.49060130190093, 0.391501057998792},
        {100.0, 0.13, 10.5, 2.10517034652001, 2.09806428811215, 1.02445813820636},
        {5.0, 1000.0, 1000.0, 2.11816603923975, 2.1149121543882, 1.16563244893436},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double complex index = table[i].n - table[i].k * J;
        const sedge_sphere sphere = make_sphere(1.0, index * index);
        const sedge_mie_sections q = solve(&sphere, table[i].x);
        CHECK_BOUND(fabs(q.extinction / table[i].extinction - 1.0), 1e-11);
        CHECK_BOUND(fabs(q.scattering / table[i].scattering - 1.0), 1e-11);
        CHECK_BOUND(fabs(q.backscatter / table[i].backscatter - 1.0), 1e-9);
    }
}

// The far field's forward direction gives the extinction, its integral the scattering.
static void test_optical_theorem(void)
{
    const sedge_sphere sphere = make_coated(0.7, 4.0 - 0.5 * J, 2.0 - 0.1 * J);
    const double k = 2.5;
    const double square = 4.0 + 2.0; // |polarisation|^2
    sedge_mie *mie;

    CHECK_OK(sedge_mie_create(&mie, &sphere, &askew, k));
    if (mie == NULL) return;
    const sedge_mie_sections c = sedge_mie_find_sections(mie);
    const double theta = acos(2.0 / 3.0);
    const double phi = atan2(1.0, 2.0);
    const double unit[2][3] = {{cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)},
                               {-sin(phi), cos(phi), 0.0}};
    const double path = (2.0 * 0.3 - 1.0 * 0.2 + 2.0 * 0.1) / 3.0; // centre before the origin
    double complex far[2];
    double complex forward = 0.0;
    sedge_mie_find_far(mie, theta, phi, far);
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 2; a++)
            forward += far[a] * unit[a][i] * conj(askew.polarisation[i] * cexp(J * k * path));
    }
    CHECK_BOUND(fabs(-4.0 * PI / k * cimag(forward) / square / c.extinction - 1.0), 1e-13);

    sedge_mie_free(mie);

    // Of a wave along z the pattern is cos^2 and sin^2 of phi: four values; Simpson's rule in
    // theta.
    CHECK_OK(sedge_mie_create(&mie, &sphere, &along_z, k));
    if (mie == NULL) return;
    const int steps = 1000;
    double sum = 0.0;
    for (int i = 0; i <= steps; i++) {
        const double t = PI * i / steps;
        const double weight = i == 0 || i == steps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
        for (int l = 0; l < 4; l++) {
            double rcs[2];
            sedge_mie_find_rcs(mie, t, 0.5 * PI * l + 0.1, rcs);
            sum += weight * PI / (3.0 * steps) * 0.125 * sin(t) * (rcs[0] + rcs[1]);
        }
    }
    CHECK_BOUND(fabs(sum / c.scattering - 1.0), 1e-9); // (k a pi / steps)^4
    double back[2];
    sedge_mie_find_rcs(mie, PI, 0.7, back);
    CHECK_BOUND(fabs((back[0] + back[1]) / c.backscatter - 1.0), 1e-13);
    sedge_mie_free(mie);
}

// Lossless spheres absorb nothing, also near sharp resonances; one with epsilon = mu does not
// scatter back (Kerker); exchanging epsilon and mu changes nothing but the polarisation; a medium
// around rescales epsilon and the wavenumber; a coating of the core's material is no coating; a
// conducting core is the limit of a lossy one.
static void test_identities(void)
{
    for (double x = 0.001; x <= 1000.0; x *= 1.37) {
        const sedge_sphere dense = make_sphere(1.0, 9.0);
        sedge_sphere coated = make_coated(0.9, -3.0, 2.0);
        CHECK_BOUND(fabs(solve(&dense, x).absorption), 1e-12 * solve(&dense, x).extinction);
        CHECK_BOUND(fabs(solve(&coated, x).absorption), 1e-12 * solve(&coated, x).extinction);
        coated.conducting = true;
        CHECK_BOUND(fabs(solve(&coated, x).absorption), 1e-12 * solve(&coated, x).extinction);

        sedge_sphere dual = make_sphere(1.0, 3.0 - 0.2 * J);
        dual.mu[0] = 3.0 - 0.2 * J;
        CHECK_BOUND(solve(&dual, x).backscatter, 1e-20 * solve(&dual, x).extinction);

        sedge_sphere magnetic = make_sphere(1.0, 1.5);
        magnetic.mu[0] = 3.0 - 0.2 * J;
        sedge_sphere electric = make_sphere(1.0, 3.0 - 0.2 * J);
        electric.mu[0] = 1.5;
        CHECK_BOUND(fabs(solve(&magnetic, x).absorption / solve(&electric, x).absorption - 1.0),
                    1e-9);

        electric.background_epsilon = 2.0;
        electric.background_mu = 0.5;
        sedge_sphere scaled = make_sphere(1.0, 1.5 - 0.1 * J);
        scaled.mu[0] = 3.0;
        CHECK_BOUND(fabs(solve(&scaled, x).extinction / solve(&electric, x).extinction - 1.0),
                    1e-11);

        const sedge_sphere one = make_sphere(1.0, -10.0 - 3.0 * J);
        const sedge_sphere two = make_coated(0.83, -10.0 - 3.0 * J, -10.0 - 3.0 * J);
        CHECK_BOUND(fabs(solve(&one, x).extinction / solve(&two, x).extinction - 1.0), 1e-11);
        CHECK_BOUND(fabs(solve(&one, x).backscatter / solve(&two, x).backscatter - 1.0), 1e-8);
    }
    // The surface impedance is (1 + j) 0.7e-4: errors are some times that.
    const sedge_sphere metal = make_conductor(1.0);
    const sedge_sphere nearly = make_sphere(1.0, -1e8 * J);
    CHECK_BOUND(fabs(solve(&nearly, 2.0).extinction / solve(&metal, 2.0).extinction - 1.0), 1e-3);
    sedge_sphere coated = make_coated(0.8, -1e8 * J, 2.56);
    const double lossy = solve(&coated, 3.0).backscatter;
    coated.conducting = true;
    CHECK_BOUND(fabs(lossy / solve(&coated, 3.0).backscatter - 1.0), 2e-3);
}

// ---- fields ------------------------------------------------------------------------------------

typedef struct field {
    double complex E[3], H[3];
} field;

static field find_field(const sedge_mie *mie, sedge_mie_part part, const double x[3])
{
    const double place[1][3] = {{x[0], x[1], x[2]}};
    field f = {0};

    CHECK_OK(sedge_mie_find_fields(mie, part, 1, place, &f.E, &f.H));
    return f;
}

static double measure(const double complex v[3])
{
    return sqrt(creal(v[0] * conj(v[0]) + v[1] * conj(v[1]) + v[2] * conj(v[2])));
}

// curl E = -j w mu H and curl H = j w epsilon E by central differences of fourth order.
static void check_maxwell(const sedge_mie *mie, sedge_mie_part part, const double x[3], double w,
                          double complex epsilon, double complex mu)
{
    const double step = 2e-3;
    const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    const double shifts[4] = {-2.0, -1.0, 1.0, 2.0};
    double complex dE[3][3] = {{0}}; // [by][component]
    double complex dH[3][3] = {{0}};
    const field at = find_field(mie, part, x);
    double complex error[2][3];

    for (int i = 0; i < 3; i++) {
        for (int s = 0; s < 4; s++) {
            double moved[3] = {x[0], x[1], x[2]};
            moved[i] += shifts[s] * step;
            const field f = find_field(mie, part, moved);
            for (int c = 0; c < 3; c++) {
                dE[i][c] += weights[s] / step * f.E[c];
                dH[i][c] += weights[s] / step * f.H[c];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3;
        const int b = (i + 2) % 3;
        error[0][i] = dE[a][b] - dE[b][a] + J * w * mu * at.H[i];
        error[1][i] = dH[a][b] - dH[b][a] - J * w * epsilon * at.E[i];
    }
    // (w |index| step)^4 / 30 of the field times w |index|
    CHECK_BOUND(measure(error[0]), 1e-7 * measure(at.E));
    CHECK_BOUND(measure(error[1]), 1e-7 * measure(at.E));
}

static void test_maxwell(void)
{
    const double w = 2.0;
    const double places[3][3] = {{0.2, 0.1, -0.25}, {-0.5, 0.6, 0.35}, {1.1, -0.4, 0.6}};
    const double centre[3] = {0.3, 0.2, -0.1};
    sedge_sphere sphere = make_coated(0.6, 3.0 - 1.0 * J, -2.0 - 0.5 * J);
    sedge_mie *mie;

    sphere.mu[0] = 1.5;
    sphere.mu[1] = 2.0 - 0.3 * J;
    sphere.background_epsilon = 1.2;
    sphere.background_mu = 0.9;
    memcpy(sphere.centre, centre, sizeof centre);
    CHECK_OK(sedge_mie_create(&mie, &sphere, &askew, w));
    if (mie == NULL) return;
    for (int i = 0; i < 3; i++) {
        const double x[3] = {places[i][0] + centre[0], places[i][1] + centre[1],
                             places[i][2] + centre[2]};
        const double complex epsilon = i < 2 ? sphere.epsilon[i] : sphere.background_epsilon;
        const double complex mu = i < 2 ? sphere.mu[i] : sphere.background_mu;
        check_maxwell(mie, SEDGE_MIE_TOTAL, x, w, epsilon, mu);
    }
    check_maxwell(mie, SEDGE_MIE_SCATTERED, (const double[3]){1.2, 1.0, -1.0}, w, 1.2, 0.9);
    check_maxwell(mie, SEDGE_MIE_TOTAL, centre, w, sphere.epsilon[0], sphere.mu[0]);

    // Total minus scattered field is the incident one, inside and outside.
    for (int i = 0; i < 3; i++) {
        const field total = find_field(mie, SEDGE_MIE_TOTAL, places[i]);
        const field scattered = find_field(mie, SEDGE_MIE_SCATTERED, places[i]);
        const double k = w * sqrt(1.2 * 0.9);
        double path = 0.0;
        for (int c = 0; c < 3; c++)
            path += askew.direction[c] / 3.0 * (places[i][c] - askew.origin[c]);
        for (int c = 0; c < 3; c++) {
            const double complex wanted = askew.polarisation[c] * cexp(-J * k * path);
            CHECK_BOUND(cabs(total.E[c] - scattered.E[c] - wanted), 1e-13);
        }
    }
    sedge_mie_free(mie);
}

// Jumps over the spherical surface of `radius` at one direction: tangential E and H, normal
// epsilon E and mu H, relative to the fields.
static void check_surface(const sedge_sphere *sphere, double w, double radius, int inner)
{
    const double n[3] = {0.36, -0.48, -0.8}; // towards the wave
    const double near = 1e-11;               // fields change by that much times w |index|
    field f[2];
    double x[2][3];
    sedge_mie *mie;

    CHECK_OK(sedge_mie_create(&mie, sphere, &askew, w));
    if (mie == NULL) return;
    // What is within 1e-6 of the outer surface counts as outside; a field just inside it comes from
    // an expansion to second order, from points 2e-6, 3e-6 and 4e-6 inside.
    const bool outer = inner == sphere->layers - 1;
    for (int i = 0; i < 3; i++) {
        x[0][i] = radius * (1.0 - near) * n[i];
        x[1][i] = radius * (1.0 + near) * n[i];
    }
    f[1] = find_field(mie, SEDGE_MIE_TOTAL, x[1]);
    f[0] = find_field(mie, SEDGE_MIE_TOTAL, x[0]);
    if (outer) {
        const double weights[3] = {6.0, -8.0, 3.0};
        memset(&f[0], 0, sizeof f[0]);
        for (int s = 0; s < 3; s++) {
            for (int i = 0; i < 3; i++) x[0][i] = radius * (1.0 - (2.0 + s) * 1e-6) * n[i];
            const field g = find_field(mie, SEDGE_MIE_TOTAL, x[0]);
            for (int i = 0; i < 3; i++) {
                f[0].E[i] += weights[s] * g.E[i];
                f[0].H[i] += weights[s] * g.H[i];
            }
        }
    }
    const double complex epsilon[2] = {sphere->epsilon[inner],
                                       outer ? 1.0 : sphere->epsilon[inner + 1]};
    const double complex mu[2] = {sphere->mu[inner], outer ? 1.0 : sphere->mu[inner + 1]};
    double complex jump[2][3];
    double complex normal[2] = {0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3;
        const int b = (i + 2) % 3;
        jump[0][i] = n[a] * (f[1].E[b] - f[0].E[b]) - n[b] * (f[1].E[a] - f[0].E[a]);
        jump[1][i] = n[a] * (f[1].H[b] - f[0].H[b]) - n[b] * (f[1].H[a] - f[0].H[a]);
        normal[0] += n[i] * (epsilon[1] * f[1].E[i] - epsilon[0] * f[0].E[i]);
        normal[1] += n[i] * (mu[1] * f[1].H[i] - mu[0] * f[0].H[i]);
    }
    const double size = measure(f[1].E) + measure(f[1].H);
    const bool conducting = sphere->conducting && inner == 0;
    CHECK_BOUND(measure(jump[0]), 1e-9 * size);
    if (!conducting) CHECK_BOUND(measure(jump[1]), 1e-9 * size);
    if (!conducting) CHECK_BOUND(cabs(normal[0]), 1e-8 * size);
    if (!conducting) CHECK_BOUND(cabs(normal[1]), 1e-8 * size);
    if (conducting) CHECK_BOUND(measure(f[0].E) + measure(f[0].H), 0.0);
    CHECK(size > 0.0);
    sedge_mie_free(mie);
}

static void test_surfaces(void)
{
    sedge_sphere coated = make_coated(0.6, 3.0 - 1.0 * J, 2.0 - 0.5 * J);
    const sedge_sphere metal = make_conductor(1.0);
    const sedge_sphere gold = make_sphere(1.0, -11.7 - 1.2 * J);

    for (double w = 0.1; w < 110.0; w *= 10.0) {
        coated.conducting = false;
        check_surface(&metal, w, 1.0, 0);
        check_surface(&gold, w, 1.0, 0);
        check_surface(&coated, w, 1.0, 1);
        check_surface(&coated, w, 0.6, 0);
        coated.conducting = true;
        check_surface(&coated, w, 1.0, 1);
        check_surface(&coated, w, 0.6, 0);
    }
}

// The scattered field at distance r is the far field to order n^2 / (k r), and falls as exp(-j k
// r).
static void test_far(void)
{
    const sedge_sphere sphere = make_coated(0.7, 4.0 - 0.5 * J, 2.0 - 0.1 * J);
    const double k = 2.5;
    const double r = 1e6;
    const double theta = 2.1;
    const double phi = -0.7;
    const double unit[3][3] = {{sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)},
                               {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)},
                               {-sin(phi), cos(phi), 0.0}};
    sedge_mie *mie;

    CHECK_OK(sedge_mie_create(&mie, &sphere, &askew, k));
    if (mie == NULL) return;
    double complex far[2];
    const double x[3] = {r * unit[0][0], r * unit[0][1], r * unit[0][2]};
    const field f = find_field(mie, SEDGE_MIE_SCATTERED, x);
    sedge_mie_find_far(mie, theta, phi, far);
    for (int a = 0; a < 2; a++) {
        double complex e = 0.0;
        for (int i = 0; i < 3; i++) e += f.E[i] * unit[1 + a][i];
        CHECK_BOUND(cabs(e * r * cexp(J * k * r) - far[a]), 2e-5 * cabs(far[a]));
    }
    sedge_mie_free(mie);
}

static void test_errors(void)
{
    sedge_incident_wave wave = along_z;
    sedge_sphere sphere = make_sphere(1.0, 2.0 + 0.1 * J);
    sedge_mie *mie;

    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "epsilon of the core is 2+0.1j, a medium with gain");
    CHECK(mie == NULL);
    sphere = make_sphere(1.0, 0.0);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "must be finite and not 0");
    sphere = make_coated(1.2, 2.0, 3.0);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "the radius of the coating is 1, must be above 1.2");
    sphere = make_sphere(1.0, NAN);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE, "must be finite");
    sphere = make_sphere(1.0, -1e14 * J);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "of the core is 1e+07, above 100000");
    sphere = make_conductor(1.0);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, -1.0), SEDGE_ERR_USAGE,
                "the frequency is -1, must be positive");
    sphere.background_mu = 0.0;
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "mu around the sphere is 0");
    sphere = make_conductor(1.0);
    sphere.layers = 3;
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "3 layers are outside 1..2");
    sphere.layers = 1;
    wave.polarisation[2] = 1.0;
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "must be perpendicular");
    memset(wave.polarisation, 0, sizeof wave.polarisation);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "polarisation has length 0");
    memset(wave.direction, 0, sizeof wave.direction);
    CHECK_FAILS(sedge_mie_create(&mie, &sphere, &wave, 1.0), SEDGE_ERR_USAGE,
                "direction has length 0");
    CHECK(mie == NULL);
    sedge_mie_free(mie);
}

int main(void)
{
    test_published();
    test_limits();
    test_metals();
    test_optical_theorem();
    test_identities();
    test_maxwell();
    test_surfaces();
    test_far();
    test_errors();
    return CHECK_END();
}
