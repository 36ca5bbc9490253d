// Long runs and the limit of the time step: at the documented limit (cfl 1) random fields only lose
// energy, and 15 percent above it they blow up on the mesh that the limit comes from; up to
// SEDGE_CFL_STABLE no shape of elements lets them grow, but those that are bent too much.
//
//   test_stability table [FROM [TO [INTEGRATOR [CELLS]]]]
//
// measures the largest stable cfl of every shape, or of those whose names begin with CELLS, orders
// FROM to TO (1 to 10), and prints it as tests/stability.md has it; for an integrator whose limit
// holds with upwind fluxes alone, with those.
#include "kit.h"

#include "check.h"
#include "time/integrator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Steps of random fields; the samples that grew, and the last energy over the first. Stops early
// when it is beyond all doubt.
typedef struct outcome {
    int grew;
    double growth;
} outcome;

static outcome run(const kit_world *world, const kit_options *options, double cfl, int steps,
                   int every)
{
    outcome result = {0, 1.0};
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(kit_load(&k, options->precision, NULL));
    const double dt = kit_time_step(&k, cfl);
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    const double first = kit_energy(&k);
    double last = first;
    for (int i = 1; i <= steps && result.growth < 1e3; i++) {
        CHECK_OK(sedge_evolution_step(k.evolution, (i - 1) * dt, dt));
        if (i % every != 0) continue;
        const double energy = kit_energy(&k);
        result.grew += !(energy <= last * (1.0 + 1e-12)); // central fluxes lose none

        result.growth = energy / first;
        last = energy;
    }
    kit_clear(&k);
    return result;
}

// An unstructured closed cavity.
static void test_long_run(const kit_world *world, int order, sedge_precision precision)
{
    kit_options options = kit_defaults(order, 1);

    options.file = "cube.msh";
    options.wall = "pec";
    options.precision = precision;
    const outcome result = run(world, &options, 1.0, 1000, 10);
    CHECK(result.grew == 0);
    CHECK_BOUND(result.growth, 0.6);
    CHECK_BOUND(0.01, result.growth);
}

// The regular mesh of which the limits were measured, without walls that could take energy.
static void test_limit(const kit_world *world, int order)
{
    kit_options options = kit_defaults(order, 2);

    options.periodic = true;
    const outcome at = run(world, &options, 1.0, 200, 1);
    CHECK(at.grew == 0);
    CHECK_BOUND(at.growth, 0.9);
    const outcome above = run(world, &options, 1.15, 200, 1);
    CHECK_BOUND(1e3, above.growth);
}

// ---- shapes of elements ------------------------------------------------------------------------

// Of two layers in the unit box, whose cells are 2:1.
static void make_cubes(double x[3])
{
    x[2] *= 2.0;
}

static void make_4(double x[3])
{
    x[2] *= 0.5;
}

static void make_10(double x[3])
{
    x[2] *= 0.2;
}

static void make_100(double x[3])
{
    x[2] *= 0.02;
}

static void make_needles(double x[3])
{
    x[2] *= 20.0;
}

static void make_bricks(double x[3])
{
    x[1] *= 0.3;
    x[2] *= 0.2;
}

// The middle one of three layers becomes thin.
static void make_thin_layer(double x[3])
{
    const double z = 3.0 * x[2];

    x[2] = z < 1.5 ? z : z - 0.9;
}

// A sheared cell between conductors: the worst that a search among some hundred shapes has found.
static void make_sheared(double x[3])
{
    const double y[3] = {x[0], x[1], x[2]};

    x[0] = 0.9501 * y[0] + 0.5021 * y[1] - 0.1249 * y[2];
    x[1] = 0.3431 * y[0] + 1.112 * y[1] + 0.347 * y[2];
    x[2] = 0.4548 * y[0] - 0.2026 * y[1] + 0.4491 * y[2];
}

// A plate that is bent, ten times as long as high.
static void bend(const double x[3], double moved[3])
{
    moved[0] = x[0];
    moved[1] = x[1];
    moved[2] = 0.2 * x[2] + 0.15 * x[0] * (1.0 - x[0]);
}

// Two layers whose top is a hill, 0.4 high on a base of 1: in some places of an element J is 1.8
// times as large as in others.
static void swell(const double x[3], double moved[3])
{
    moved[0] = x[0];
    moved[1] = x[1];
    moved[2] = x[2] * (1.0 + 0.8 * x[0] * (1.0 - x[0]) + 0.8 * x[1] * (1.0 - x[1]));
}

typedef struct shape {
    const char *name;
    int layers; // cells along z; one along x and y
    void (*move)(double x[3]);
    void (*bend)(const double x[3], double moved[3]);
} shape;

// Two layers have neighbours as flat as themselves. Along x and y one cell has the limits of two,
// to 0.02, but for periodic cubes, of which test_limit has two.
static const shape shapes[] = {
    {"cubes", 2, make_cubes, NULL},           {"plates 2:1", 2, NULL, NULL},
    {"plates 4:1", 2, make_4, NULL},          {"plates 10:1", 2, make_10, NULL},
    {"plates 100:1", 2, make_100, NULL},      {"needles 10:1:1", 2, make_needles, NULL},
    {"bricks 10:3:1", 2, make_bricks, NULL},  {"thin layer", 3, make_thin_layer, NULL},
    {"sheared cells", 1, make_sheared, NULL}, {"bent plates 10:1", 2, NULL, bend},
    {"swollen cells", 2, NULL, swell},
};
#define SHAPES  ((int)(sizeof shapes / sizeof *shapes))
#define SWOLLEN (SHAPES - 1) // bent more than elements should be

static kit_options shape_options(const shape *s, int order, bool periodic, const double *upwind)
{
    kit_options options = kit_defaults(order, 1);

    options.cells[2] = s->layers;
    options.periodic = periodic;
    options.wall = periodic ? NULL : "pec";
    options.flux_keys = upwind;
    options.move = s->move;
    options.box_map = s->bend;
    return options;
}

// Whether random fields lose energy. A hundredth above the limit the mode that grows does so by a
// tenth a step, from a thousandth of the fields, and has taken over after 100 of 300 steps.
static bool is_stable(const kit_world *world, const kit_options *options, double cfl)
{
    return run(world, options, cfl, 300, 100).grew == 0;
}

// Flat cells of orders 1 to 3 lose energy, and blow up above what the formula allows: it is not
// smaller than it must be. Shapes that are hard for high orders have one cell.
static void test_shapes(const kit_world *world)
{
    static const double upwind = 1.0;
    static const double central = 0.0;

    for (int i = 0; i < SWOLLEN; i++) {
        for (int order = 1; order <= 3; order++) {
            const bool periodic = order != 2 && shapes[i].bend == NULL;
            const kit_options options =
                shape_options(&shapes[i], order, periodic, order < 3 ? &upwind : &central);
            CHECK(is_stable(world, &options, SEDGE_CFL_STABLE));
        }
    }
    for (int i = 0; i < 5; i++) { // cubes and plates
        const kit_options options = shape_options(&shapes[i], 1, true, &upwind);
        CHECK(!is_stable(world, &options, 1.15));
    }
    const kit_options options = shape_options(&shapes[8], 8, false, &upwind);
    CHECK(is_stable(world, &options, SEDGE_CFL_STABLE));
    for (int i = 0; i < SWOLLEN; i++) { // steps that are four times as long, and one by prediction
        kit_options other = shape_options(&shapes[i], 1 + i % 2, false, &upwind);
        other.integrator = sedge_integrator_find("ndblsrk144");
        CHECK(is_stable(world, &other, SEDGE_CFL_STABLE));
        CHECK(!is_stable(world, &other, 2.4));
        other.integrator = sedge_integrator_find("ader");
        CHECK(is_stable(world, &other, SEDGE_CFL_STABLE));
        CHECK(!is_stable(world, &other, 1.6)); // of a thin layer 1.5
    }
    kit_options flat = shape_options(&shapes[3], 3, true, &upwind); // the worst for them
    flat.integrator = sedge_integrator_find("ndblsrk144");
    CHECK(is_stable(world, &flat, SEDGE_CFL_STABLE));
    kit_options sheared = shape_options(&shapes[8], 7, false, &upwind); // the worst for prediction
    sheared.integrator = sedge_integrator_find("ader");
    CHECK(is_stable(world, &sheared, SEDGE_CFL_STABLE));
    CHECK(!is_stable(world, &sheared, 1.0));
}

// The limit is 0.89 at order 5, and 1.08 of ADER at order 4.
static void test_swollen(const kit_world *world)
{
    static const double upwind = 1.0;
    const kit_options options = shape_options(&shapes[SWOLLEN], 5, false, &upwind);
    kit_options ader = shape_options(&shapes[SWOLLEN], 4, false, &upwind);

    CHECK(is_stable(world, &options, SEDGE_CFL_STABLE));
    CHECK(!is_stable(world, &options, 0.95));
    ader.integrator = sedge_integrator_find("ader");
    CHECK(is_stable(world, &ader, SEDGE_CFL_STABLE));
    CHECK(!is_stable(world, &ader, 1.15));
}

// ---- the table ---------------------------------------------------------------------------------

// The largest stable cfl to 0.01, up to 2.5.
static double find_limit(const kit_world *world, const kit_options *options)
{
    int stable = 50;
    int unstable = 250;

    while (unstable - stable > 1) {
        const int middle = (stable + unstable) / 2;
        if (is_stable(world, options, 0.01 * middle)) {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    return 0.01 * stable;
}

// A line each: periodic and between conductors, upwind and central.
static void print_table(const kit_world *world, int from, int to,
                        const sedge_integrator *integrator, const char *cells)
{
    printf("| cells | walls | flux |");
    for (int order = from; order <= to; order++) printf(" %d |", order);
    printf("\n");
    for (int i = 0; i < SHAPES; i++) {
        if (strncmp(shapes[i].name, cells, strlen(cells)) != 0) continue;
        for (int kind = 0; kind < 4; kind++) {
            const bool periodic = kind < 2;
            const double upwind = kind % 2 == 0 ? 1.0 : 0.0;
            if (kind % 2 == 1 && integrator->upwind) continue;
            if (periodic && (shapes[i].bend != NULL || shapes[i].layers == 1)) continue;
            printf("| %s | %s | %s |", shapes[i].name, periodic ? "periodic" : "pec",
                   upwind > 0.0 ? "upwind" : "central");
            for (int order = from; order <= to; order++) {
                kit_options options = shape_options(&shapes[i], order, periodic, &upwind);
                options.integrator = integrator;
                const double limit = find_limit(world, &options);
                CHECK_BOUND(i == SWOLLEN ? 0.75 : SEDGE_CFL_STABLE, limit);
                printf(" %.2f |", limit);
                (void)fflush(stdout);
            }
            printf("\n");
        }
    }
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (argc > 1 && strcmp(argv[1], "table") == 0) {
        const sedge_integrator *const integrator =
            sedge_integrator_find(argc > 4 ? argv[4] : "lsrk45");
        CHECK(integrator != NULL);
        if (integrator != NULL) {
            print_table(&world, argc > 2 ? atoi(argv[2]) : 1, argc > 3 ? atoi(argv[3]) : 10,
                        integrator, argc > 5 ? argv[5] : "");
        }
        kit_close(&world);
        return CHECK_END();
    }
    test_shapes(&world);
    test_swollen(&world);
    for (int order = 1; order <= 10; order++) test_limit(&world, order);
    test_long_run(&world, 1, SEDGE_FP32);
    test_long_run(&world, 3, SEDGE_FP64);
    if (getenv("SEDGE_TEST_ALL") != NULL) {
        test_long_run(&world, 1, SEDGE_FP64);
        test_long_run(&world, 5, SEDGE_FP64);
    }
    kit_close(&world);
    return CHECK_END();
}
