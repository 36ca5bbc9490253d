// The reference on curved elements: what must hold to rounding, and the order of convergence.
#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"

#include "case.h"
#include "check.h"
#include "sampled.h"

static const sedge_comm *world;

static const double pi = 3.14159265358979323846;

// Periodic: nodes move by up to 0.05, of elements of size 1/3 or so.
static void wave(const double x[3], double moved[3])
{
    moved[0] = x[0] + 0.04 * sin(2.0 * pi * x[1]) * cos(2.0 * pi * x[2]);
    moved[1] = x[1] + 0.03 * sin(2.0 * pi * (x[2] + x[0]));
    moved[2] = x[2] + 0.03 * cos(2.0 * pi * x[0]) * sin(2.0 * pi * x[1]);
}

// Walls stay flat where they are; inside and along them nodes move.
static void bulge(const double x[3], double moved[3])
{
    moved[0] = x[0] + 0.05 * sin(pi * x[0]) * cos(pi * x[1]) * cos(pi * x[2]);
    moved[1] = x[1] + 0.05 * sin(pi * x[1]) * cos(pi * x[2]);
    moved[2] = x[2] - 0.05 * sin(pi * x[2]) * cos(2.0 * pi * x[0]);
}

// Only inside of a ball within the box: curved elements have straight neighbours.
static void lens(const double x[3], double moved[3])
{
    const double y[3] = {x[0] - 0.5, x[1] - 0.5, x[2] - 0.5};
    const double square = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) / 0.16;
    const double part = square < 1.0 ? (1.0 - square) * (1.0 - square) : 0.0;

    moved[0] = x[0] + 0.12 * part * y[1];
    moved[1] = x[1] - 0.12 * part * y[0];
    moved[2] = x[2] + 0.05 * part;
}

static double largest(const double *a, int64_t count)
{
    double found = 0.0;

    for (int64_t i = 0; i < count; i++) found = fmax(found, isnan(a[i]) ? HUGE_VAL : fabs(a[i]));
    sedge_comm_max(world, &found, 1);
    return found;
}

// ---- constants stay ----------------------------------------------------------------------------

static void test_constant(int order, const char *equation)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find(equation), order, 3);
    dg_case c;

    options.periodic = true;
    options.box_map = wave;
    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK(c.mesh->global_curved == c.mesh->global_elements);
    const int n = c.element->nodes;
    const int fields = options.equation->fields;
    for (int64_t i = 0; i < c.values; i++) c.u[i] = 1.0 + 0.5 * (double)(i / n % fields);
    CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
    // Rounding of sums that cancel, times the norm of M^-1; derivatives are about 2 N^2 / 0.15.
    CHECK_BOUND(largest(c.rhs, c.values), 5e-13 * (order + 1) * (order + 1));
    dg_case_clear(&c);
}

// ---- energy ------------------------------------------------------------------------------------

// M^-1 M_W [3 nodes][3 nodes] of an element, W = G^T G / J at the points (dg/cubature.h).
static void find_weights(double *matrix, const dg_case *c, int32_t e)
{
    const sedge_cubature *const cubature = c->cubature;
    const int n = c->element->nodes;
    double shape[SEDGE_CURVE_TERMS][3];

    memset(matrix, 0, (size_t)(9 * n * n) * sizeof *matrix);
    sedge_mesh_expand(c->mesh, e, shape);
    for (int q = 0; q < cubature->volume.points; q++) {
        double dx[3][3], cofactor[3][3];
        sedge_curve_tangents(shape, cubature->volume.place[q], dx);
        const double jacobian = sedge_curve_cofactors(dx, cofactor);
        for (int a = 0; a < 9; a++) {
            const double *const one = dx[a / 3];
            const double *const two = dx[a % 3];
            const double weight = (one[0] * two[0] + one[1] * two[1] + one[2] * two[2]) / jacobian;
            for (int i = 0; i < n; i++) {
                const double left = weight * cubature->project[i * cubature->volume.points + q];
                double *const row = matrix + (a / 3 * n + i) * 3 * n + a % 3 * n;
                for (int k = 0; k < n; k++) row[k] += left * cubature->values[q * n + k];
            }
        }
    }
}

// Covariant components [3][nodes] of a vector field [3][nodes].
static void take_covariant(double *to, const dg_case *c, int32_t e, const double *from)
{
    const int n = c->element->nodes;
    double shape[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(c->mesh, e, shape);
    for (int i = 0; i < n; i++) {
        const double rst[3] = {c->element->r[i], c->element->s[i], c->element->t[i]};
        const double v[3] = {from[i], from[n + i], from[2 * n + i]};
        double dx[3][3];
        sedge_curve_tangents(shape, rst, dx);
        for (int j = 0; j < 3; j++)
            to[j * n + i] = dx[j][0] * v[0] + dx[j][1] * v[1] + dx[j][2] * v[2];
    }
}

// Of the fields u, v of an element: u^T M J v, or e^T M M_W^-1 M f of their covariant components
// where the element is curved, each vector with its weight.
static double find_product(const dg_case *c, int32_t e, const double *u, const double *v)
{
    const int n = c->element->nodes;
    const bool curved = sedge_mesh_curve(c->mesh, e) >= 0;
    double *matrix = NULL, *inverse = NULL, *one = NULL, *two = NULL, *three = NULL;
    double weights[SEDGE_MAX_FIELDS];
    double total = 0.0;
    sedge_geometry geometry;

    c->problem.equation->energy(c->problem.materials[c->mesh->group[e]], weights);
    sedge_geometry_compute(&geometry, c->mesh->corners[e]);
    CHECK_OK(sedge_allocate(&matrix, (int64_t)9 * n * n, sizeof(double)));
    CHECK_OK(sedge_allocate(&inverse, (int64_t)9 * n * n, sizeof(double)));
    CHECK_OK(sedge_allocate(&one, 3L * n, sizeof(double)));
    CHECK_OK(sedge_allocate(&two, 3L * n, sizeof(double)));
    CHECK_OK(sedge_allocate(&three, 3L * n, sizeof(double)));
    if (curved) {
        find_weights(matrix, c, e);
        CHECK_OK(sedge_dense_invert(inverse, matrix, 3 * n));
    }
    for (int f = 0; f < 6; f += 3) {
        memcpy(one, u + (int64_t)f * n, 3UL * (size_t)n * sizeof(double));
        memcpy(three, v + (int64_t)f * n, 3UL * (size_t)n * sizeof(double));
        if (curved) {
            take_covariant(one, c, e, u + (int64_t)f * n);
            take_covariant(two, c, e, v + (int64_t)f * n);
            sedge_dense_multiply(three, inverse, false, two, false, 3 * n, 3 * n, 1);
        }
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int i = 0; i < n * n; i++)
                sum += c->element->mass[i] * one[k * n + i / n] * three[k * n + i % n];
            total += weights[f] * (curved ? 1.0 : geometry.jacobian) * sum;
        }
    }
    sedge_release(matrix);
    sedge_release(inverse);
    sedge_release(one);
    sedge_release(two);
    sedge_release(three);
    return total;
}

// With v = rhs the change of the energy that cannot grow.
static double find_energy_rate(const dg_case *c, const double *u, const double *v)
{
    double total = 0.0;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        const int64_t at = (int64_t)e * 6 * c->element->nodes;
        total += find_product(c, e, u + at, v + at);
    }
    sedge_comm_sum(c->comm, &total, 1);
    return total;
}

typedef struct energy_case {
    void (*map)(const double x[3], double moved[3]);
    const char *boundary; // NULL: periodic
    int split_axis;
} energy_case;

// Central fluxes keep the energy of any fields, to rounding of its terms; upwind ones lose some.
static void test_energy(int order, const energy_case *from)
{
    static const double decks[2][3] = {{1.0, 1.0, 0.0}, {3.0, 2.0, 0.0}};
    static const double keys[2][1] = {{0.0}, {1.0}};

    for (int upwind = 0; upwind < 2; upwind++) {
        dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), order, 3);
        dg_case c;
        options.periodic = from->boundary == NULL;
        options.wall = from->boundary;
        options.box_map = from->map;
        options.split_axis = from->split_axis;
        options.materials[0] = decks[0];
        options.materials[1] = decks[1];
        options.flux_keys = keys[upwind];
        CHECK_OK(dg_case_create(&c, world, &options));
        CHECK(c.mesh->global_curved > 0);
        dg_case_random(&c, c.u);
        CHECK_OK(sedge_reference_rhs(c.reference, c.u, 0.0, c.rhs));
        const double scale =
            sqrt(find_energy_rate(&c, c.u, c.u) * find_energy_rate(&c, c.rhs, c.rhs));
        const double rate = find_energy_rate(&c, c.u, c.rhs) / scale;
        if (upwind) {
            CHECK_BOUND(rate, -0.01);
        } else {
            CHECK_BOUND(fabs(rate), 1e-13); // of terms that are up to the product of the norms
        }
        dg_case_clear(&c);
    }
}

// ---- convergence -------------------------------------------------------------------------------

static double solve(int order, int cells, bool walls)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), order, cells);
    static const double along_x[9] = {1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.5};
    double error;
    dg_case c;

    options.periodic = !walls;
    options.wall = walls ? "pec" : NULL;
    options.box_map = walls ? bulge : wave;
    options.initial = walls ? "cavity-mode" : "periodic-wave";
    options.initial_parameters = walls ? NULL : along_x;
    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_start(&c, 0.0);
    CHECK_OK(dg_case_run(&c, 0.25, 0.8));
    error = dg_case_error(&c, 0.25);
    dg_case_clear(&c);
    return error;
}

// Errors fall like h^(N+1), as on straight elements; on these coarse meshes by at least N + 1/2.
static void test_order_of_convergence(int order, int cells, bool walls)
{
    const double coarse = solve(order, cells, walls);
    const double fine = solve(order, 2 * cells, walls);
    const double rate = log2(coarse / fine);

    if (sedge_comm_is_root(world)) {
        printf("N = %d, %s: %.3g, %.3g: order %.2f\n", order, walls ? "walls" : "periodic", coarse,
               fine, rate);
    }
    CHECK_BOUND(order + 0.5, rate);
}

// ---- time step ---------------------------------------------------------------------------------

// At the stable number random fields do not grow in 60 steps of upwind fluxes: what is unstable
// grows by powers.
static void test_time_step(int order)
{
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), order, 2);
    dg_case c;
    int32_t element;

    options.wall = "pec";
    options.box_map = bulge;
    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_random(&c, c.u);
    const double before = find_energy_rate(&c, c.u, c.u);
    double dt = sedge_problem_time_step(&c.problem, c.mesh, 1.0, 1, &element);
    sedge_comm_min(world, &dt, 1);
    for (int i = 0; i < 60; i++) CHECK_OK(sedge_reference_step(c.reference, c.u, 0.0, dt));
    CHECK_BOUND(find_energy_rate(&c, c.u, c.u), before);
    dg_case_clear(&c);
}

int main(void)
{
    static const energy_case energies[] = {
        {wave, NULL, -1}, {wave, "pec", -1}, {bulge, "pmc", 1}, {lens, NULL, 2}};
    sedge_comm *comm;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    for (int order = 1; order <= 3; order++) {
        test_constant(order, "maxwell");
        test_constant(order, "advection");
    }
    for (int order = 1; order <= 3; order++) {
        for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
            if (order < (test_is_small() ? 2 : 3) || energies[i].map == lens)
                test_energy(order, &energies[i]);
        }
    }
    const bool some = test_is_small() || sedge_comm_size(comm) > 1;
    for (int order = 1; order <= (some ? 1 : 2); order++) {
        test_order_of_convergence(order, 3, false);
        test_order_of_convergence(order, 2, true);
        test_time_step(order);
    }
    sedge_comm_free(comm);
    return CHECK_END();
}
