// The estimate of a wave's error against what it is, on boxes of Kuhn cells: along their longest
// edges the estimate is right to a factor, along other ones it is no smaller than the error.
#include "session/resolution.h"

#include "check.h"
#include "run/errors.h"
#include "solver/kit.h"

#include <math.h>

// The estimate over the error after half a wavelength or some of them.
static double compare(const kit_world *world, int order, int cells, const double *wave,
                      double wavelengths)
{
    kit_options options = kit_defaults(order, cells);
    const double length = 1.0 / sqrt(wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2]);
    double error = 0.0;

    options.periodic = true;
    options.initial = "periodic-wave";
    options.initial_parameters = wave;
    CHECK_OK(kit_solve(&error, world, &options, NULL, wavelengths * length, order > 6 ? 0.4 : 0.8));
    return sedge_resolution_error(order, sqrt(3.0) / cells, length, wavelengths) / error;
}

static void test_estimate(const kit_world *world)
{
    static const double along_edges[9] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.7, -0.7, 0.0};
    static const double along_x[9] = {1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0};
    static const int cells[] = {0, 8, 6, 4, 3, 3, 2, 2, 2}; // by order
    const int orders = (int)(sizeof cells / sizeof *cells) - 1;

    for (int order = 1; order <= orders; order++) {
        const double soon = compare(world, order, cells[order], along_edges, 0.5);
        CHECK_BOUND(0.5, soon);
        CHECK_BOUND(soon, 2.0);
        CHECK_BOUND(1.0, compare(world, order, cells[order], along_x, 0.5));
    }
    for (int order = 1; order <= 3; order++) { // waves that lose on their way
        const double late = compare(world, order, cells[order], along_edges, 5.0);
        CHECK_BOUND(0.5, late);
        CHECK_BOUND(late, 2.0);
    }
}

// Finer meshes and higher orders have smaller errors; absurd ones are numbers.
static void test_falls(void)
{
    for (int order = 1; order <= 10; order++) {
        const double error = sedge_resolution_error(order, 0.5, 1.0, 10.0);
        CHECK(sedge_resolution_error(order, 0.25, 1.0, 10.0) < error);
        CHECK(sedge_resolution_error(order, 0.5, 1.0, 5.0) < error);
        CHECK(order == 10 || sedge_resolution_error(order + 1, 0.5, 1.0, 10.0) < error);
        CHECK(sedge_resolution_error(order, 1e30, 1e-30, 1e15) > 1.0);
        CHECK(isfinite(sedge_resolution_error(order, 1e30, 0.0, 1e15)));
    }
}

// One node that is no number makes the field's errors no numbers, whatever nodes come behind it.
static void test_not_a_number(const kit_world *world)
{
    kit_options options = kit_defaults(2, 2);
    sedge_session session = {.comm = world->comm};
    sedge_report report = {.fields = 0};
    kit k;

    options.periodic = true;
    CHECK_OK(kit_create(&k, world, &options));
    session.mesh = k.base.mesh;
    session.element = k.base.element;
    session.problem = k.base.problem;
    session.problem.compare = true;
    k.base.u[0] = (double)NAN;
    CHECK_OK(sedge_errors_fill(&report, &session, k.base.u, 0.0));
    CHECK(isnan(report.linf_error[0]) && isnan(report.l2_error[0]));
    CHECK(report.linf_error[1] >= 0.0 && report.l2_error[1] >= 0.0);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_estimate(&world);
    test_falls();
    test_not_a_number(&world);
    kit_close(&world);
    return CHECK_END();
}
