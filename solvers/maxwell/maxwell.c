// The table of Maxwell's equations: keys, units, boundaries, sources.
#include "maxwell.h"

#include <complex.h>
#include <math.h>

SEDGE_EQUATION_HEADER(maxwell);

#define SPEED_OF_LIGHT  299792458.0      // m/s
#define VACUUM_EPSILON  8.8541878128e-12 // eps0, F/m
#define COUNT_OF(table) ((int)(sizeof(table) / sizeof *(table)))

// Code units: c0 = 1 with the metre as the unit of length and of time (c0 t), H times eta0. Then
// eps E_t = curl H - eta0 (sigma E + J).
static const double si[SEDGE_DIMENSIONS] = {
    [SEDGE_DIMENSIONLESS] = 1.0,
    [SEDGE_LENGTH] = 1.0,
    [SEDGE_TIME] = SPEED_OF_LIGHT,
    [SEDGE_FREQUENCY] = 1.0 / SPEED_OF_LIGHT,
    [SEDGE_VELOCITY] = 1.0 / SPEED_OF_LIGHT,
    [SEDGE_CONDUCTIVITY] = VACUUM_OHMS,
    [SEDGE_RESISTANCE] = 1.0 / VACUUM_OHMS,
    [SEDGE_INDUCTANCE] = SPEED_OF_LIGHT / VACUUM_OHMS,
    [SEDGE_CAPACITANCE] = SPEED_OF_LIGHT * VACUUM_OHMS,
    [SEDGE_FIELD] = 1.0,
    [SEDGE_CURRENT_MOMENT] = VACUUM_OHMS,
    [SEDGE_VOLTAGE] = 1.0,
};

static const char *const field_names[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};

static const sedge_output_group groups[] = {
    {.name = "E", .first = 0, .count = 3, .unit_si = "V/m", .si = 1.0},
    {.name = "H", .first = 3, .count = 3, .unit_si = "A/m", .si = 1.0 / VACUUM_OHMS},
};

// ---- materials ---------------------------------------------------------------------------------

static const sedge_parameter materials[] = {
    {.name = "epsilon",
     .fallback = {1.0},
     .positive = true,
     .tensor = true,
     .text = "relative permittivity"},
    {.name = "mu",
     .fallback = {1.0},
     .positive = true,
     .tensor = true,
     .text = "relative permeability"},
    {.name = "conductivity",
     .dimension = SEDGE_CONDUCTIVITY,
     .tensor = true,
     .text = "electric conductivity; below 0: a medium with gain, in which fields grow"},
};

static void derive(const double *deck, double *m)
{
    const double epsilon = deck[0];
    const double mu = deck[1];
    const double conductivity = deck[2];

    m[MAXWELL_INVERSE_EPSILON] = 1.0 / epsilon;
    m[MAXWELL_INVERSE_MU] = 1.0 / mu;
    m[MAXWELL_Z] = sqrt(mu / epsilon);
    m[MAXWELL_Y] = sqrt(epsilon / mu);
    m[MAXWELL_DECAY] = conductivity / epsilon;
}

static bool has_source(const double *m)
{
    return m[MAXWELL_DECAY] < 0.0 || m[MAXWELL_DECAY] > 0.0;
}

static double get_speed(const double *m, const double *c)
{
    (void)c;
    return sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
}

static double get_decay(const double *m)
{
    return m[MAXWELL_DECAY];
}

static void slow(double *m, int first, double factor)
{
    if (first == 0) {
        m[MAXWELL_INVERSE_EPSILON] *= factor;
        m[MAXWELL_DECAY] *= factor;
    } else {
        m[MAXWELL_INVERSE_MU] *= factor;
    }
}

// The root of a relative permittivity or permeability that belongs to a wave exp(i omega t) which
// falls where it goes: the imaginary part of neither is above 0 without gain.
static double complex find_root(double complex value)
{
    const bool real = fabs(cimag(value)) <= 1e-14 * cabs(value);

    if (real && creal(value) < 0.0) return -sqrt(-creal(value)) * (double complex)I;
    return csqrt(value);
}

// Each factor has its own root, so that n is below 0 where both are negative.
static double complex get_index(const double *m, const double complex *slowing)
{
    for (int i = 0; i < 6; i++) {
        if (cabs(slowing[i] - slowing[i < 3 ? 0 : 3]) > 1e-9 * cabs(slowing[i]))
            return (double complex)NAN;
    }
    return find_root(slowing[0] / m[MAXWELL_INVERSE_EPSILON]) *
           find_root(slowing[3] / m[MAXWELL_INVERSE_MU]);
}

// The inverse of part [3][3] of a matrix [6][6] that begins at row and column `first`.
static void invert_part(const double complex *slowing, int first, double complex inverse[3][3])
{
    double complex a[3][3];

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = slowing[6 * (first + i) + first + j];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { // cofactors, with indices that go around
            const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][j] = a[r][c] * a[s][d] - a[r][d] * a[s][c];
        }
    }
    const double complex determinant =
        a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i][j] /= determinant;
}

// n of the wave whose 1 / n^2 is `value`, eigenvalue number `which` of a. Of the two roots that
// with which energy goes along the axis, as for get_index; of a field that carries none, that with
// which it falls. The wave has H ~ n mu^-1 (d x E), so that its energy flow is the real part of n q
// with q = E^* T E, E^* the conjugate and T = -[d] mu^-1 [d].
static double complex find_index(double complex value, double complex a[2][2],
                                 const double complex turned[2][2], int which)
{
    const double complex n = csqrt(1.0 / value);
    const double complex fields[3][2] = {{a[0][1], value - a[0][0]},
                                         {value - a[1][1], a[1][0]},
                                         {which == 0, which == 1}}; // of equal eigenvalues
    const double sizes[2] = {cabs(fields[0][0]) + cabs(fields[0][1]),
                             cabs(fields[1][0]) + cabs(fields[1][1])};
    const bool equal = fmax(sizes[0], sizes[1]) <= 1e-7 * cabs(value);
    const double complex *const E = fields[equal ? 2 : sizes[0] < sizes[1]];
    double complex q = 0.0;

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) q += conj(E[i]) * turned[i][j] * E[j];
    const bool flows = fabs(creal(n * q)) > 1e-7 * cabs(n * q);
    return (flows ? creal(n * q) < 0.0 : cimag(n) > 0.0) ? -n : n;
}

// A wave along axis d has n^2 d x (mu^-1 (d x E)) = -epsilon E: 1 / n^2 are the two eigenvalues of
// A = -epsilon^-1 [d] mu^-1 [d] across d; the third one is 0. With a, b behind d in turn,
// [d] x = -x_b a + x_a b.
static void get_indices(const double *m, const double complex *slowing, int axis,
                        double complex indices[2])
{
    const int t[2] = {(axis + 1) % 3, (axis + 2) % 3};
    double complex electric[3][3], u[3][3], a[2][2];

    invert_part(slowing, 0, electric);
    invert_part(slowing, 3, u);
    // -[d] mu^-1 [d] in the plane across d
    const double complex turned[2][2] = {{u[t[1]][t[1]], -u[t[1]][t[0]]},
                                         {-u[t[0]][t[1]], u[t[0]][t[0]]}};
    const double factor = m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            a[i][j] = factor *
                      (electric[t[i]][t[0]] * turned[0][j] + electric[t[i]][t[1]] * turned[1][j]);
        }
    }
    const double complex mean = 0.5 * (a[0][0] + a[1][1]);
    const double complex half =
        csqrt(0.25 * (a[0][0] - a[1][1]) * (a[0][0] - a[1][1]) + a[0][1] * a[1][0]);
    for (int i = 0; i < 2; i++) {
        const double complex n = find_index(i == 0 ? mean - half : mean + half, a, turned, i);
        // Of equal eigenvalues `half` is the root of a rounding.
        indices[i] = fabs(cimag(n)) <= 1e-7 * cabs(n) ? creal(n) : n;
    }
    if (cabs(indices[0]) < cabs(indices[1])) {
        const double complex larger = indices[1];
        indices[1] = indices[0];
        indices[0] = larger;
    }
}

// 1/2 (eps E^2 + mu H^2)
static void get_energy(const double *m, double *weights)
{
    for (int i = 0; i < 3; i++) {
        weights[i] = 1.0 / m[MAXWELL_INVERSE_EPSILON];
        weights[3 + i] = 1.0 / m[MAXWELL_INVERSE_MU];
    }
}

// ---- flux, boundaries, sources -----------------------------------------------------------------

static const sedge_parameter flux_keys[] = {
    {.name = "upwind",
     .fallback = {1.0},
     .minimum = 0.0,
     .maximum = 1.0,
     .text = "alpha: 1 upwind, 0 central (no dissipation)"},
};

static void set_constants(const double *keys, const double *incident, double *c)
{
    for (int i = 0; i < MAXWELL_CONSTANTS; i++) c[i] = 0.0;
    c[MAXWELL_UPWIND] = keys[0];
    if (incident == NULL) return;

    const double *k = incident + WAVE_DIRECTION;
    const double length = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    c[MAXWELL_INCIDENT] = 1.0;
    for (int i = 0; i < 3; i++) {
        c[MAXWELL_DIRECTION + i] = length > 0.0 ? k[i] / length : 0.0;
        c[MAXWELL_POLARISATION + i] = incident[WAVE_POLARISATION + i];
        c[MAXWELL_ORIGIN + i] = incident[WAVE_ORIGIN + i];
    }
    for (int i = 0; i < SEDGE_SIGNAL_VALUES; i++) c[MAXWELL_SIGNAL + i] = incident[WAVE_SIGNAL + i];
}

static const sedge_parameter impedance_parameters[] = {
    {.name = "impedance",
     .required = true,
     .minimum = 0.0,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_RESISTANCE,
     .text = "surface impedance: tangential E = impedance times H x n"},
};

void maxwell_leaving_wave(double wave[3], const double *m, const double *n, const double *u)
{
    const double along = n[0] * u[0] + n[1] * u[1] + n[2] * u[2];

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        wave[i] = u[i] - n[i] * along + m[MAXWELL_Z] * (u[3 + j] * n[k] - u[3 + k] * n[j]);
    }
}

// The traces e and g (maxwell/sheets/sheet_face.h) do not give the power: the error of e is larger
// than the e of a good conductor. But e + Z g does not change at the wall, where e = impedance g.
double maxwell_wall_loss(const double *m, const double *n, const double *re, const double *im,
                         double resistance, double reactance)
{
    const double z = m[MAXWELL_Z];
    double square = 0.0;

    for (int part = 0; part < 2; part++) {
        double wave[3];

        maxwell_leaving_wave(wave, m, n, part == 0 ? re : im);
        for (int i = 0; i < 3; i++) square += wave[i] * wave[i];
    }
    return 0.5 * resistance * square /
           ((z + resistance) * (z + resistance) + reactance * reactance);
}

static double impedance_loss(const double *m, const double *n, const double *re, const double *im,
                             const double *p, double omega)
{
    (void)omega;
    return maxwell_wall_loss(m, n, re, im, p[0], 0.0);
}

static const sedge_boundary_kind boundaries[] = {
    {.name = "pec",
     .function = "maxwell_pec",
     .apply = maxwell_pec,
     .text = "perfect electric conductor; a scatterer when there is a plane-wave source",
     .mirror = SEDGE_MIRROR_ELECTRIC,
     .linear = true,
     .whole_vectors = true},
    {.name = "pmc",
     .function = "maxwell_pmc",
     .apply = maxwell_pmc,
     .text = "perfect magnetic conductor, a plane of symmetry",
     .mirror = SEDGE_MIRROR_MAGNETIC,
     .linear = true,
     .whole_vectors = true},
    {.name = "absorbing",
     .function = "maxwell_absorbing",
     .apply = maxwell_absorbing,
     .text = "first-order absorbing surface (Silver-Mueller)",
     .absorbs = true,
     .linear = true},
    {.name = "impedance",
     .function = "maxwell_impedance",
     .apply = maxwell_impedance,
     .loss = impedance_loss,
     .parameters = impedance_parameters,
     .parameter_count = COUNT_OF(impedance_parameters),
     .text = "wall with a real surface impedance; a scatterer when there is a plane-wave source",
     .linear = true},
};

static const sedge_source_kind sources[] = {
    {.name = "plane-wave",
     .type = SEDGE_SOURCE_INCIDENT,
     .parameters = maxwell_wave_parameters,
     .parameter_count = MAXWELL_WAVE_PARAMETERS,
     .text =
         "an incident plane wave; the fields are then the scattered ones, inside surfaces of type "
         "total-field the total ones",
     .wave = sedge_heading},
};

// ---- the equation ------------------------------------------------------------------------------

const sedge_equation sedge_equation_maxwell = {
    .name = "maxwell",
    .text = "Maxwell's equations in linear, possibly anisotropic, conducting and dispersive media",
    .header = "maxwell_physics.h",
    .header_text = sedge_text_maxwell_physics_h,
    .fields = 6,
    .field_names = field_names,
    .linear = true,
    .curls = true,
    .tangential = true,
    .poynting = true,
    .groups = groups,
    .group_count = COUNT_OF(groups),
    .materials = materials,
    .material_count = COUNT_OF(materials),
    .material_values = MAXWELL_MATERIAL_VALUES,
    .derive = derive,
    .library = maxwell_library,
    .shorthands = maxwell_shorthands,
    .flux_keys = flux_keys,
    .flux_key_count = COUNT_OF(flux_keys),
    .constant_count = MAXWELL_CONSTANTS,
    .incident_constants = MAXWELL_CONSTANTS - (MAXWELL_SIGNAL + 1),
    .constants = set_constants,
    .flux = maxwell_flux,
    .surface = maxwell_surface,
    .source = maxwell_source,
    .has_source = has_source,
    .node_flops = 66.0, // as the peers count (benchmarks/README.md, "Stage")
    .face_flops = 61.0,
    .speed = get_speed,
    .decay = get_decay,
    .energy = get_energy,
    .slow = slow,
    .index = get_index,
    .indices = get_indices,
    .boundaries = boundaries,
    .boundary_count = COUNT_OF(boundaries),
    .initials = maxwell_initials,
    .initial_count = MAXWELL_INITIALS,
    .sources = sources,
    .source_count = COUNT_OF(sources),
    .contradiction = maxwell_contradiction,
    .quiet = maxwell_quiet,
    .si = si,
    .energy_si = VACUUM_EPSILON,
};
