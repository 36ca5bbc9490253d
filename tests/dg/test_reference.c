// The slow reference: properties that hold to rounding, whatever the number of ranks.
#include "base/memory.h"

#include "case.h"
#include "check.h"
#include "dg/point.h"

#include <mpi.h>

static const sedge_comm *world;

static double largest(const sedge_comm *comm, const double *a, int64_t count)
{
    double found = 0.0;

    for (int64_t i = 0; i < count; i++) found = fmax(found, isnan(a[i]) ? HUGE_VAL : fabs(a[i]));
    sedge_comm_max(comm, &found, 1);
    return found;
}

static void get_place(const dg_case *c, int32_t e, int i, double x[3])
{
    sedge_geometry_map(c->mesh->corners[e], c->element->r[i], c->element->s[i], c->element->t[i],
                       x);
}

// ---- polynomials -------------------------------------------------------------------------------

// A field of degree N is differentiated exactly, inside and through outflow: u = (x + 2y - z)^N.
static void test_advection_of_polynomials(int order)
{
    const double keys[4] = {0.3, -0.7, 1.1, 0.6};
    dg_case_options options = dg_case_defaults(sedge_equation_find("advection"), order, 2);
    dg_case c;
    double worst = 0.0;

    options.distort = 0.1;
    options.flux_keys = keys;
    options.wall = "outflow";
    CHECK_OK(dg_case_create(&c, world, &options));
    const int n = c.element->nodes;
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        for (int i = 0; i < n; i++) {
            double x[3];
            get_place(&c, e, i, x);
            c.u[(int64_t)e * n + i] = pow(x[0] + 2.0 * x[1] - x[2], order);
        }
    }
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        for (int i = 0; i < n; i++) {
            double x[3];
            get_place(&c, e, i, x);
            const double slope = order * pow(x[0] + 2.0 * x[1] - x[2], order - 1);
            const double exact = -(keys[0] + 2.0 * keys[1] - keys[2]) * slope;
            worst = fmax(worst, fabs(c.rhs[(int64_t)e * n + i] - exact));
        }
    }
    // Rounding of D u: |D| about 4 N^2 / (element size), |u| up to 3^N.
    CHECK_BOUND(worst, 1e-13 * order * order * pow(3.0, order));
    dg_case_clear(&c);
}

// E_i and H_i of degree N: away from walls the reference gives the exact curls.
static void test_curl_of_polynomials(int order)
{
    const double deck[3] = {2.0, 0.5, 0.0};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), order, 3);
    dg_case c;
    double worst = 0.0;
    int32_t inner = 0;

    options.distort = 0.05;
    options.materials[0] = deck;
    options.wall = "pec";
    CHECK_OK(dg_case_create(&c, world, &options));
    const int n = c.element->nodes;
    // Component i of E is (a_i . x)^N, of H -2 (a_i . x)^N.
    static const double a[3][3] = {{0.3, 1.0, -0.5}, {0.8, -0.2, 0.6}, {-0.4, 0.7, 0.9}};
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        for (int i = 0; i < n; i++) {
            double x[3];
            get_place(&c, e, i, x);
            for (int k = 0; k < 3; k++) {
                const double value = pow(a[k][0] * x[0] + a[k][1] * x[1] + a[k][2] * x[2], order);
                c.u[((int64_t)e * 6 + k) * n + i] = value;
                c.u[((int64_t)e * 6 + 3 + k) * n + i] = -2.0 * value;
            }
        }
    }
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        bool at_wall = false;
        for (int f = 0; f < 4; f++)
            at_wall = at_wall || c.mesh->faces[e][f].neighbour < -c.mesh->halo_faces;
        if (at_wall) continue;
        inner++;
        for (int i = 0; i < n; i++) {
            double x[3], slope[3];
            get_place(&c, e, i, x);
            for (int k = 0; k < 3; k++)
                slope[k] = order * pow(a[k][0] * x[0] + a[k][1] * x[1] + a[k][2] * x[2], order - 1);
            for (int k = 0; k < 3; k++) {
                const int j = (k + 1) % 3, l = (k + 2) % 3;
                const double curl = a[l][j] * slope[l] - a[j][l] * slope[j];
                const double *rhs = c.rhs + (int64_t)e * 6 * n + i;
                worst = fmax(worst, fabs(rhs[k * n] - -2.0 * curl / deck[0]));
                worst = fmax(worst, fabs(rhs[(3 + k) * n] - -curl / deck[1]));
            }
        }
    }
    int64_t total = inner;
    sedge_comm_sum_int(world, &total, 1);
    CHECK(total > 20);
    CHECK_BOUND(worst, 2e-13 * order * order * pow(2.0, order));
    dg_case_clear(&c);
}

// A constant state stays: no metric error, and each face's jump is zero from both sides.
static void test_free_stream(void)
{
    const double keys[4] = {0.3, -0.7, 1.1, 1.0};
    const double value = 3.5;
    dg_case_options options = dg_case_defaults(sedge_equation_find("advection"), 3, 3);
    dg_case c;

    options.distort = 0.1;
    options.flux_keys = keys;
    options.wall = "inflow";
    options.wall_parameters = &value;
    CHECK_OK(dg_case_create(&c, world, &options));
    for (int64_t i = 0; i < c.values; i++) c.u[i] = value;
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    CHECK_BOUND(largest(world, c.rhs, c.values), 1e-11); // |D| about 200, times 3.5 x rounding
    dg_case_clear(&c);

    options = dg_case_defaults(sedge_equation_find("maxwell"), 4, 2);
    options.periodic = true;
    options.distort = 0.1;
    CHECK_OK(dg_case_create(&c, world, &options));
    const int n = c.element->nodes;
    for (int64_t i = 0; i < c.values; i++) c.u[i] = 1.0 + (double)(i / n % 6);
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    CHECK_BOUND(largest(world, c.rhs, c.values), 1e-11);
    dg_case_clear(&c);
}

// The same on a box with layers, whose elements do not shorten the stable step.
static void test_layers(void)
{
    static const char *const walls[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    const double keys[4] = {0.3, -0.7, 1.1, 1.0};
    const double value = 3.5;
    dg_case_options options = dg_case_defaults(sedge_equation_find("advection"), 3, 2);
    double step[2];

    options.flux_keys = keys;
    options.wall = "inflow";
    options.wall_parameters = &value;
    for (int layers = 0; layers < 2; layers++) {
        dg_case c;
        int32_t slowest;
        options.extrude =
            (sedge_mesh_extrusion){.surfaces = 6 * layers, .surface = walls, .layers = layers};
        CHECK_OK(dg_case_create(&c, world, &options));
        CHECK((c.mesh->groups.volumes == 8) == (layers > 0));
        for (int64_t i = 0; i < c.values; i++) c.u[i] = value;
        CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
        CHECK_BOUND(largest(world, c.rhs, c.values), 1e-11); // as above
        step[layers] = sedge_problem_time_step(&c.problem, c.mesh, 0.9, 1, &slowest);
        sedge_comm_min(world, &step[layers], 1);
        dg_case_clear(&c);
    }
    CHECK(step[1] > 0.999 * step[0]);
}

// ---- algebra -----------------------------------------------------------------------------------

static const double glass[3] = {2.25, 1.5, 0.0};
static const double resin[3] = {1.3, 4.0, 0.0};

static dg_case_options two_media(const char *boundary, double alpha, double *keys)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 3, 2);

    keys[0] = alpha;
    options.distort = 0.1;
    options.split_axis = 1;
    options.materials[0] = glass;
    options.materials[1] = resin;
    options.flux_keys = keys;
    options.wall = boundary;
    options.periodic = boundary == NULL;
    return options;
}

// dW/dt / sum of the magnitudes W and dt^-1 have, of random data.
static double find_energy_rate(const dg_case_options *options)
{
    dg_case c;

    CHECK_OK(dg_case_create(&c, world, options));
    dg_case_random(&c, c.u);
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    const double scale = sqrt(dg_case_product(&c, c.u, c.u) * dg_case_product(&c, c.rhs, c.rhs));
    const double rate = dg_case_product(&c, c.u, c.rhs) / scale;
    dg_case_clear(&c);
    return rate;
}

// Central flux: the energy of any data stays, between media, at conductors and magnetic walls,
// through periodic and partition faces. Upwind: it falls.
static void test_energy(void)
{
    static const char *const lossless[] = {"pec", "pmc", NULL};
    double keys[1];

    for (int i = 0; i < 3; i++) {
        dg_case_options options = two_media(lossless[i], 0.0, keys);
        CHECK_BOUND(fabs(find_energy_rate(&options)), 1e-13);
        options = two_media(lossless[i], 1.0, keys);
        CHECK_BOUND(find_energy_rate(&options), -1e-3);
        options = two_media(lossless[i], 0.3, keys);
        CHECK_BOUND(find_energy_rate(&options), -1e-4);
    }
}

static void test_absorbers_dissipate(void)
{
    const double impedances[3] = {0.0, 0.4, 30.0};
    double keys[1];

    for (int a = 0; a <= 2; a++) {
        dg_case_options options = two_media("absorbing", 0.5 * a, keys);
        CHECK_BOUND(find_energy_rate(&options), -1e-3);
        for (int i = 0; i < 3; i++) {
            options = two_media("impedance", 0.5 * a, keys);
            options.wall_parameters = &impedances[i];
            CHECK_BOUND(find_energy_rate(&options), -1e-5);
        }
    }
}

static void test_linear(void)
{
    double keys[1];
    const dg_case_options options = two_media("impedance", 0.7, keys);
    const double impedance = 0.6;
    dg_case_options with = options;
    dg_case c;
    double *v = NULL, *rhs_v = NULL;

    with.wall_parameters = &impedance;
    CHECK_OK(dg_case_create(&c, world, &with));
    CHECK_OK(sedge_allocate(&v, c.values, sizeof *v));
    CHECK_OK(sedge_allocate(&rhs_v, c.values, sizeof *rhs_v));
    dg_case_random(&c, c.u);
    for (int64_t i = 0; i < c.values; i++) v[i] = sin((double)i);
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    CHECK_OK(sedge_reference_rhs(c.reference, v, 0.0, rhs_v));
    for (int64_t i = 0; i < c.values; i++) {
        c.exact[i] = 2.0 * c.rhs[i] - 3.0 * rhs_v[i];
        c.u[i] = 2.0 * c.u[i] - 3.0 * v[i];
    }
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    CHECK_BOUND(dg_case_norm(&c, c.rhs, c.exact) / dg_case_norm(&c, c.rhs, NULL), 1e-14);
    sedge_release(v);
    sedge_release(rhs_v);
    dg_case_clear(&c);
}

// E -> H, H -> -E, eps <-> mu, conductor <-> magnetic wall turns the equations into themselves.
static void test_duality(void)
{
    static const double dual_glass[3] = {1.5, 2.25, 0.0};
    static const double dual_resin[3] = {4.0, 1.3, 0.0};
    double keys[1];
    const dg_case_options options = two_media("pec", 0.8, keys);
    double *rhs = NULL;
    dg_case c;

    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK_OK(sedge_allocate(&rhs, c.values, sizeof *rhs));
    dg_case_random(&c, c.exact);
    CHECK_OK(sedge_reference_rhs(c.reference, c.exact, 0.0, rhs));

    // The reference reads the problem at each call: make it the dual one.
    for (int s = 0; s < c.problem.surfaces; s++)
        c.problem.boundaries[s].kind = dg_find_boundary(options.equation, "pmc");
    for (int v = 0; v < c.problem.volumes; v++) {
        options.equation->derive(strcmp(c.mesh->groups.volume_names[v], "above") == 0 ? dual_resin
                                                                                      : dual_glass,
                                 c.problem.materials[v]);
    }
    const int n = c.element->nodes;
    for (int64_t i = 0; i < c.values; i++) // H' = E, E' = -H
        c.u[i] = i / n % 6 >= 3 ? c.exact[i - 3 * n] : -c.exact[i + 3 * n];
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    for (int64_t i = 0; i < c.values; i++)
        c.exact[i] = i / n % 6 >= 3 ? rhs[i - 3 * n] : -rhs[i + 3 * n];
    CHECK_BOUND(dg_case_norm(&c, c.rhs, c.exact) / dg_case_norm(&c, c.rhs, NULL), 1e-14);
    sedge_release(rhs);
    dg_case_clear(&c);
}

// ---- which material lies behind a face ---------------------------------------------------------

static void no_flux(const double *u, const double *m, const double *c, double *fx, double *fy,
                    double *fz)
{
    fx[0] = fy[0] = fz[0] = 0.0;
    (void)u, (void)m, (void)c;
}

static void material_jump(const double *u, const double *v, const double *mu, const double *mv,
                          const double *n, const double *c, double *jump)
{
    jump[0] = mu[0] * (mv[0] - mu[0]);
    (void)u, (void)v, (void)n, (void)c;
}

static void copy_material(const double *deck, double *m)
{
    m[0] = deck[0];
}

static void no_constants(const double *keys, const double *incident, double *c)
{
    (void)keys, (void)incident, (void)c;
}

static void unit_energy(const double *m, double *weights)
{
    weights[0] = 1.0;
    (void)m;
}

// Materials 1 and 2 meet in a square of area 1: the integral of rhs is -(1 (2 - 1) + 2 (1 - 2)).
static void test_neighbour_material(void)
{
    static const double one = 1.0, two = 2.0;
    static const sedge_parameter material = {.name = "a", .fallback = {1.0}, .text = "a"};
    static const sedge_equation probe = {.name = "probe",
                                         .fields = 1,
                                         .materials = &material,
                                         .material_count = 1,
                                         .material_values = 1,
                                         .derive = copy_material,
                                         .constants = no_constants,
                                         .flux = no_flux,
                                         .surface = material_jump,
                                         .energy = unit_energy};

    for (int axis = 0; axis < 3; axis++) {
        dg_case_options options = dg_case_defaults(&probe, 1, 4);
        dg_case c;
        options.cells[axis] = 2; // so that partition faces lie in the interface, too
        options.split_axis = axis;
        options.materials[0] = &one;
        options.materials[1] = &two;
        options.periodic = true;
        CHECK_OK(dg_case_create(&c, world, &options));
        CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
        for (int64_t i = 0; i < c.values; i++) c.u[i] = 1.0;
        // Periodic: the materials meet in the middle and at the ends.
        CHECK_BOUND(fabs(dg_case_product(&c, c.u, c.rhs) - 2.0), 1e-12);
        dg_case_clear(&c);
    }
}

// ---- point sources, energy, steps --------------------------------------------------------------

// A dipole's right-hand side, integrated against a polynomial of degree N, is its value at the
// dipole: also where elements and ranks share its ball, walls cut it, and another medium is near,
// in which it does nothing. 1e-12: rounding, some times more where walls cut.
static void test_point_source(const double *position)
{
    const double p[12] = {position[0], position[1], position[2], SEDGE_SIGNAL_GAUSSIAN,
                          2.0,         0.0,         0.5,         0.3,
                          0.0,         0.0,         3.0,         -4.0};
    const double deck[3] = {2.0, 1.0, 0.0};
    const double other[3] = {5.0, 1.0, 0.0};
    const double t = 0.45;
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 2, 2);
    dg_case c;
    double integral[6] = {0.0};

    options.wall = "pec";
    options.split_axis = 2;
    options.materials[0] = deck;
    options.materials[1] = other;
    options.dipole = p;
    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, t, c.rhs));
    const int n = c.element->nodes;
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, c.mesh->corners[e]);
        for (int k = 0; k < 6; k++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    double x[3];
                    get_place(&c, e, j, x);
                    integral[k] += geometry.jacobian * c.rhs[((int64_t)e * 6 + k) * n + i] *
                                   c.element->mass[i * n + j] *
                                   (x[0] * x[1] + 2.0 * x[2] * x[2] - 0.5);
                }
            }
        }
    }
    sedge_comm_sum(world, integral, 6);
    const double polynomial = position[0] * position[1] + 2.0 * position[2] * position[2] - 0.5;
    const double signal = 2.0 * exp(-(t - 0.3) * (t - 0.3) / 0.25);
    CHECK_BOUND(fabs(integral[0]), 1e-12);
    CHECK_BOUND(fabs(integral[1] + 0.6 * signal * polynomial / deck[0]), 1e-12);
    CHECK_BOUND(fabs(integral[2] - 0.8 * signal * polynomial / deck[0]), 1e-12);
    for (int k = 3; k < 6; k++) CHECK_BOUND(fabs(integral[k]), 1e-12);
    dg_case_clear(&c);
}

static int reductions; // calls of MPI_Allreduce in this process

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

// Sources are located in one pass: in as many messages as one takes, whatever their number; each
// acts as it does alone, to the bit.
static void test_points_at_once(void)
{
    enum { POINTS = 9, OUTSIDE = 6 };
    const double p[12] = {0.31, 0.64, 0.57, SEDGE_SIGNAL_GAUSSIAN, 2.0, 0.0, 0.5, 0.3, 0, 0, 0, 1};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 1, 3);
    sedge_point_source *sources = NULL;
    sedge_points points;
    sedge_reference *reference = NULL;
    int calls[2];
    dg_case c;

    options.wall = "pec";
    options.dipole = p;
    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK_OK(sedge_allocate(&sources, POINTS, sizeof *sources));
    for (int i = 0; i < POINTS; i++) {
        sources[i] = c.problem.point_sources[0];
        for (int d = 0; d < 3; d++) sources[i].position[d] = 0.09 * (i + 1 - (d == 2));
        sources[i].position[i % 3] = i == OUTSIDE ? -0.5 : 1.0 / 3.0;
    }
    sedge_release(c.problem.point_sources);
    c.problem.point_sources = sources;
    for (int i = 0; i < 2; i++) {
        c.problem.point_source_count = i == 0 ? 1 : OUTSIDE;
        reductions = 0;
        CHECK_OK(sedge_reference_create(&reference, world, c.element, c.mesh, &c.problem));
        calls[i] = reductions;
        sedge_reference_free(reference);
    }
    CHECK(calls[0] > 0 && calls[0] == calls[1]);
    c.problem.point_source_count = POINTS;
    CHECK_FAILS(sedge_reference_create(&reference, world, c.element, c.mesh, &c.problem),
                SEDGE_ERR_USAGE, "dipole source at (-0.5, 0.63, 0.54) lies outside the mesh");
    c.problem.point_source_count = OUTSIDE;
    CHECK_OK(sedge_points_create(&points, world, c.element, c.mesh, &c.problem));
    c.problem.point_source_count = 1;
    for (int i = 0, k = 0; i < OUTSIDE; i++) {
        sedge_points alone;
        c.problem.point_sources = sources + i;
        CHECK_OK(sedge_points_create(&alone, world, c.element, c.mesh, &c.problem));
        CHECK(points.radius[i] == alone.radius[0] && points.weight[i] == alone.weight[0]);
        for (int n = 0; n < alone.count && k < points.count; n++, k++) {
            const int64_t bytes = c.element->nodes * (int64_t)sizeof(double);
            CHECK(points.share[k].source == i);
            CHECK(points.share[k].element == alone.share[n].element);
            CHECK(memcmp(points.modes + (int64_t)k * c.element->nodes,
                         alone.modes + (int64_t)n * c.element->nodes, (size_t)bytes) == 0);
        }
        sedge_points_clear(&alone);
        CHECK(i < OUTSIDE - 1 || k == points.count);
    }
    c.problem.point_sources = sources;
    sedge_points_clear(&points);
    dg_case_clear(&c);
}

static void test_refuses_point_outside(void)
{
    const double p[12] = {0.5, 0.5, 1.25, SEDGE_SIGNAL_GAUSSIAN, 1.0, 0.0, 0.5, 0.3, 0, 0, 0, 1.0};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 1, 2);
    dg_case c;

    options.wall = "pec";
    options.dipole = p;
    CHECK_FAILS(dg_case_create(&c, world, &options), SEDGE_ERR_USAGE,
                "dipole source at (0.5, 0.5, 1.25) lies outside the mesh");
}

static void test_refuses_missing_condition(void)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 1, 2);
    dg_case c;

    CHECK_FAILS(dg_case_create(&c, world, &options), SEDGE_ERR_USAGE, "has faces but no condition");
}

// Energy of a constant state: 1/2 (eps E^2 + mu H^2) times the volume of each half.
static void test_energy_of_constant(void)
{
    double keys[1];
    dg_case_options options = two_media("pec", 1.0, keys);
    dg_case c;
    double total = 0.0;

    options.distort = 0.0;
    CHECK_OK(dg_case_create(&c, world, &options));
    for (int64_t i = 0; i < c.values; i++) c.u[i] = i / c.element->nodes % 6 < 3 ? 2.0 : 0.5;
    sedge_reference_energy(c.reference, c.u, c.rhs);
    for (int32_t e = 0; e < c.mesh->elements; e++) total += c.rhs[e];
    sedge_comm_sum(world, &total, 1);
    const double exact = 0.5 * 0.5 * 3.0 * (4.0 * (2.25 + 1.3) + 0.25 * (1.5 + 4.0));
    CHECK_BOUND(fabs(total / exact - 1.0), 1e-13);
    dg_case_clear(&c);
}

// A step is order four in time: halving it divides the difference to a fine solution by 16.
static void test_step_order(void)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 2, 2);
    dg_case c;
    double *fine = NULL;
    double difference[2];

    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK_OK(sedge_allocate(&fine, c.values, sizeof *fine));
    dg_case_start(&c, 0.0);
    CHECK_OK(dg_case_run(&c, 0.5, 0.1));
    for (int64_t i = 0; i < c.values; i++) fine[i] = c.u[i];
    for (int i = 0; i < 2; i++) {
        dg_case_start(&c, 0.0);
        CHECK_OK(dg_case_run(&c, 0.5, i == 0 ? 0.8 : 0.4));
        difference[i] = dg_case_norm(&c, c.u, fine);
    }
    CHECK_BOUND(12.0, difference[0] / difference[1]);
    CHECK_BOUND(difference[0] / difference[1], 24.0);
    sedge_release(fine);
    dg_case_clear(&c);
}

int main(void)
{
    static const double inside[3] = {0.31, 0.64, 0.23};
    static const double below[3] = {0.31, 0.64, 0.49}; // the other medium
    static const double edge[3] = {0.5, 0.5, 0.25};
    static const double wall[3] = {0.5, 0.4, 0.0};
    static const double corner[3] = {0.001, 0.999, 0.002};
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    for (int order = 1; order <= 5; order++) {
        test_advection_of_polynomials(order);
        test_curl_of_polynomials(order);
    }
    test_free_stream();
    test_layers();
    test_energy();
    test_absorbers_dissipate();
    test_linear();
    test_duality();
    test_neighbour_material();
    test_point_source(inside);
    test_point_source(below);
    test_point_source(edge);
    test_point_source(wall);
    test_point_source(corner);
    test_points_at_once();
    test_refuses_point_outside();
    test_refuses_missing_condition();
    test_energy_of_constant();
    test_step_order();
    sedge_comm_free(comm);
    return CHECK_END();
}
