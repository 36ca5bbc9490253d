// The operator with coefficients of the Bernstein-Bezier basis for its state: it gives what the slow
// reference gives, at its boundaries, sources, probes and energies, too, and what it refuses it says.
//
// Bound. As match.h, relative to the largest coefficient: nodal values are means of coefficients.
// What is set is converted in fp64; a value comes back off by some units of fp64 times the norm of
// T^-1 (tests/dg/test_bernstein.c), of which 0.002 to 0.2 are measured.
#include "match.h"

#include "base/memory.h"
#include "dg/random.h"

static const sedge_operator_options by_variant = {.variant = "bernstein"};

static const double conductor[3] = {2.25, 1.5, 0.7};
static const double resin[3] = {1.3, 4.0, 0.0};

static double bound(const sedge_bernstein *basis, sedge_precision precision)
{
    return MATCH_UNITS + basis->norm * kit_rounding(SEDGE_FP64) / kit_rounding(precision);
}

// Fields of random coefficients, the same for an element on whatever rank.
static void make_fields(kit *k, const sedge_bernstein *basis)
{
    const int64_t size = (int64_t)k->base.problem.equation->fields * basis->nodes;
    double *const c = k->base.rhs;

    for (int32_t e = 0; e < k->base.mesh->elements; e++) {
        uint64_t seed = (uint64_t)k->base.mesh->global_ids[e];
        for (int64_t i = 0; i < size; i++) c[e * size + i] = random_value(&seed);
    }
    sedge_bernstein_convert(basis, SEDGE_NODAL, k->base.u, c,
                            k->base.values / basis->nodes);
}

// The largest coefficient of the fields in base.exact, of all ranks, over the largest nodal value.
static double find_largest(kit *k, const sedge_bernstein *basis)
{
    double largest[2] = {0.0};

    sedge_bernstein_convert(basis, SEDGE_BERNSTEIN, k->base.rhs, k->base.exact,
                            k->base.values / basis->nodes);
    for (int64_t i = 0; i < k->base.values; i++) {
        largest[0] = fmax(largest[0], fabs(k->base.rhs[i]));
        largest[1] = fmax(largest[1], fabs(k->base.exact[i]));
    }
    sedge_comm_max(k->world->comm, largest, 2);
    return largest[0] / largest[1];
}

static void match(const kit_world *world, const kit_options *options, double t, int steps)
{
    sedge_bernstein *basis = NULL;
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(sedge_bernstein_create(&basis, k.base.element));
    if (check_failures > 0) return;
    make_fields(&k, basis);
    const double dt = kit_time_step(&k, 0.5);
    for (int64_t i = 0; i < k.base.values; i++) k.base.exact[i] = k.base.u[i];
    for (int i = 0; i < steps; i++)
        CHECK_OK(sedge_reference_step(k.base.reference, k.base.exact, t + i * dt, dt));
    const double ratio = find_largest(&k, basis);
    for (int p = 0; p < 2; p++) {
        CHECK_OK(kit_load(&k, match_precisions[p], &by_variant));
        CHECK(k.op != NULL && sedge_operator_basis(k.op) == SEDGE_BERNSTEIN);
        CHECK_OK(kit_advance(&k, k.base.u, t, dt, steps));
        const double units =
            kit_difference(&k, k.result, k.base.exact) / kit_rounding(match_precisions[p]) / ratio;
        printf("order %d p %d units %.3g bound %.3g ratio %g\n", options->order, p, units, bound(basis, match_precisions[p]), ratio);
        CHECK_BOUND(units, bound(basis, match_precisions[p]));
    }
    sedge_bernstein_free(basis);
    kit_clear(&k);
}

// All kinds of walls, two media of which one conducts, a dipole.
static void test_walls(const kit_world *world, int order)
{
    static const kit_wall all_kinds[] = {
        {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
        {"ymax", "impedance", 0.6}, {"zmin", "impedance", 3.0}, {"zmax", "pec", 0.0},
        {NULL, NULL, 0.0},
    };
    static const double dipole[12] = {
        0.31, 0.64, 0.57, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    const double upwind = match_upwind(order);
    kit_options options = kit_defaults(order, 2);

    options.cells[order % 3] = 3;
    options.distort = 0.08;
    options.split_axis = (order + 1) % 3;
    options.materials[0] = conductor;
    options.materials[1] = resin;
    options.flux_keys = &upwind;
    options.walls = all_kinds;
    options.dipole = dipole;
    match(world, &options, 0.2, 3);
}

// An incident wave on a conductor; boundary functions see places, times and the wave.
static void test_incident(const kit_world *world, int order)
{
    static const kit_wall obstacle[] = {
        {"xmin", "pec", 0.0}, {"zmax", "impedance", 0.7}, {NULL, NULL, 0.0}};
    static const double pulse[15] = {1.0, 2.0, -0.5, 2.0,  -1.0,
                                     0.0, 0.2, 0.1,  -0.3, SEDGE_SIGNAL_RICKER,
                                     1.5, 0.9, 0.0,  0.4,  0.0};
    const double upwind = 0.5;
    kit_options options = kit_defaults(order, 2);

    options.file = "cube.msh";
    options.flux_keys = &upwind;
    options.walls = obstacle;
    options.wall = "absorbing";
    options.incident = pulse;
    match(world, &options, 0.35, 3);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= 10; order++) test_walls(&world, order);
    test_incident(&world, 2);
    kit_close(&world);
    return CHECK_END();
}
