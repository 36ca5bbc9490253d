// The V-cycle is symmetric and positive definite; conjugate gradients with it take few iterations,
// as many on a finer mesh.
#include "kit.h"

#include "base/memory.h"
#include "elliptic/solve.h"
#include "solver/curved_maps.h"

#include "check.h"
#include "sampled.h"

#include <string.h>

static elliptic_world world;

static sedge_status apply(sedge_multigrid *mg, sedge_elliptic *op, const double *r, double *z)
{
    sedge_status status;
    sedge_buffer *in = NULL;
    sedge_buffer *out = NULL;

    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&in, op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&out, op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_upload(op, in, r));
    SEDGE_TRY_GOTO(status, sedge_multigrid_apply(mg, sedge_context_stream(world.context), in, out));
    SEDGE_TRY_GOTO(status, sedge_elliptic_download(op, out, z));
done:
    sedge_buffer_free(in);
    sedge_buffer_free(out);
    return status;
}

static void test_symmetric(int order, void (*map)(const double x[3], double moved[3]))
{
    elliptic_options options = elliptic_defaults(order);
    const sedge_elliptic_options config = {.item_nodes = 0};
    const sedge_multigrid_options cycle = sedge_multigrid_defaults();
    elliptic_case c;
    sedge_elliptic *op = NULL;
    sedge_multigrid *mg = NULL;
    double *v[4] = {NULL, NULL, NULL, NULL};

    options.epsilon = 10.0;
    options.map = map;
    options.sides[0] = "neumann";
    options.sides[3] = "robin";
    options.side_values[0] = 2.0;
    CHECK_OK(elliptic_case_create(&c, &world, &options));
    for (int i = 0; i < 4; i++) CHECK_OK(sedge_allocate(&v[i], c.values, sizeof(double)));
    elliptic_random(&c, 1, v[0]);
    elliptic_random(&c, 2, v[1]);
    CHECK_OK(sedge_elliptic_create(&op, world.comm, world.context, c.element, c.mesh, &c.problem,
                                   &config));
    CHECK_OK(
        sedge_multigrid_create(&mg, world.comm, world.context, c.mesh, &c.problem, op, &cycle));
    if (mg == NULL) goto done;
    CHECK_OK(apply(mg, op, v[0], v[2]));
    CHECK_OK(apply(mg, op, v[1], v[3]));
    const double energy = elliptic_dot(&c, v[0], v[2]);
    CHECK(energy > 0.0);
    // Sums of 1e3 products each way, and the inverted blocks' rounding.
    CHECK_BOUND(fabs(elliptic_dot(&c, v[1], v[2]) - elliptic_dot(&c, v[0], v[3])), 1e-11 * energy);
    const sedge_multigrid_info info = sedge_multigrid_get_info(mg);
    CHECK(info.levels == order);
    // Of curved elements the blocks are means.
    for (int k = 0; k < info.levels; k++)
        CHECK(info.largest[k] > 1.5 && info.largest[k] < (map != NULL ? 4.0 : 2.6));
    CHECK(info.vertices == 27);
done:
    sedge_multigrid_free(mg);
    sedge_elliptic_free(op);
    for (int i = 0; i < 4; i++) sedge_release(v[i]);
    elliptic_case_clear(&c);
}

// Iterations to 1e-8 from a random guess of A x = 0: all frequencies are in the error.
static int64_t count_iterations(const elliptic_options *options)
{
    elliptic_case c;
    sedge_elliptic_result result = {.unknowns = 0};
    const sedge_elliptic_solve_options requested =
        sedge_elliptic_solve_defaults(options->precision);
    double *u = NULL;

    CHECK_OK(elliptic_case_create(&c, &world, options));
    CHECK_OK(sedge_allocate(&u, c.values, sizeof *u));
    CHECK_OK(sedge_elliptic_solve(u, &result, world.comm, world.context, c.element, c.mesh,
                                  &c.problem, &requested));
    CHECK(result.krylov.reason == SEDGE_KRYLOV_CONVERGED);
    if (sedge_comm_is_root(world.comm)) {
        printf("order %d, %d cells%s: %lld iterations\n", options->order, options->cells[0],
               options->map != NULL ? ", curved" : "", (long long)result.krylov.iterations);
    }
    sedge_release(u);
    elliptic_case_clear(&c);
    return result.krylov.iterations;
}

static void test_iterations(int order, int coarse, void (*map)(const double x[3], double moved[3]))
{
    elliptic_options options = elliptic_defaults(order);
    int64_t count[2];

    options.map = map;
    options.known = "wave";
    options.known_parameters[0] = 1.0;
    options.known_parameters[1] = 2.0;
    options.known_parameters[2] = 1.5;
    for (int i = 0; i < 6; i++) options.sides[i] = "known";
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < 3; d++) options.cells[d] = coarse << k;
        count[k] = count_iterations(&options);
        CHECK(count[k] <= 25);
    }
    CHECK(count[1] - count[0] <= 2 && count[0] - count[1] <= 2);
}

int main(int argc, char **argv)
{
    CHECK_OK(elliptic_open(&world));
    if (world.comm != NULL) {
        const bool is_small = argc > 1 && strcmp(argv[1], "small") == 0; // for sanitizers
        test_symmetric(is_small ? 2 : 1, NULL);
        test_symmetric(2, curved_bulge);
        if (is_small) {
            elliptic_close(&world);
            return CHECK_END();
        }
        if (!test_is_sampled() && !test_is_small()) test_symmetric(3, NULL);
        test_iterations(test_is_small() ? 1 : 2, 4, NULL);
        if (!test_is_sampled() && !test_is_small()) {
            test_iterations(1, 4, NULL);
            test_iterations(2, 4, curved_bulge);
            test_iterations(4, 2, NULL);
        }
        elliptic_close(&world);
    }
    return CHECK_END();
}
