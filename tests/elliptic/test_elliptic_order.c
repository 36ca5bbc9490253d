// The L2 error falls with order N + 0.8 at least, on boxes with known solutions, of straight and of
// curved elements; on any number of ranks the same.
//
// Without arguments orders 1 to 3, quickly; with "all" orders 1 to 6. One rank writes its errors,
// the other numbers of ranks compare theirs.
#include "kit.h"

#include "base/memory.h"
#include "elliptic/solve.h"
#include "solver/curved_maps.h"

#include "check.h"

static elliptic_world world;

static double find_error(const elliptic_options *options)
{
    sedge_elliptic_solve_options requested = sedge_elliptic_solve_defaults(options->precision);
    sedge_elliptic_result result;
    elliptic_case c;
    double *u = NULL;
    double *exact = NULL;

    requested.tolerance = 1e-11; // far below the errors of these meshes
    CHECK_OK(elliptic_case_create(&c, &world, options));
    CHECK_OK(sedge_allocate(&u, c.values, sizeof *u));
    CHECK_OK(sedge_allocate(&exact, c.values, sizeof *exact));
    CHECK_OK(sedge_elliptic_solve(u, &result, world.comm, world.context, c.element, c.mesh,
                                  &c.problem, &requested));
    CHECK(result.krylov.reason == SEDGE_KRYLOV_CONVERGED);
    elliptic_known(&c, exact);
    const double error = elliptic_norm(&c, u, exact) / elliptic_norm(&c, exact, NULL);
    sedge_release(u);
    sedge_release(exact);
    elliptic_case_clear(&c);
    return error;
}

// Errors on boxes of two numbers of cubes an axis; their slope.
static void check_order(elliptic_options *options, const int cells[2], double errors[2])
{
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < 3; d++) options->cells[d] = cells[k];
        errors[k] = find_error(options);
    }
    const double slope = log(errors[0] / errors[1]) / log((double)cells[1] / cells[0]);
    if (sedge_comm_is_root(world.comm)) {
        printf("%-6s order %d, %2d and %2d cells%s: errors %.3e, %.3e, slope %.2f\n",
               options->known, options->order, cells[0], cells[1],
               options->map != NULL ? ", curved" : "", errors[0], errors[1], slope);
    }
    CHECK(slope >= options->order + 0.8);
}

// The errors of one rank, or a comparison with them: rounding in sums, and where the solve stops.
static void compare_ranks(const double *errors, int count, const char *name)
{
    char path[512];
    double before[64] = {0.0};

    if (!sedge_comm_is_root(world.comm)) return;
    (void)snprintf(path, sizeof path, "%s/%s.errors", SEDGE_TEST_DIR, name);
    FILE *const file = fopen(path, sedge_comm_size(world.comm) == 1 ? "wb" : "rb");
    CHECK(file != NULL);
    if (file == NULL) return;
    if (sedge_comm_size(world.comm) == 1) {
        CHECK(fwrite(errors, sizeof *errors, (size_t)count, file) == (size_t)count);
    } else {
        CHECK(fread(before, sizeof *before, (size_t)count, file) == (size_t)count);
        for (int i = 0; i < count; i++)
            CHECK_BOUND(fabs(errors[i] - before[i]), 1e-6 * before[i] + 1e-11);
    }
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv)
{
    // Where the slope has settled; with layers an even number of cells, so that k jumps at faces.
    static const int cells[7][2] = {{0, 0}, {6, 12}, {4, 8}, {3, 6}, {2, 4}, {2, 4}, {2, 4}};
    static const int even[7][2] = {{0, 0}, {6, 12}, {4, 8}, {4, 8}, {4, 6}, {4, 6}, {2, 4}};
    static const int bent[7][2] = {{0, 0}, {6, 12}, {4, 8}, {3, 6}, {2, 4}, {2, 4}, {2, 4}};
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    double errors[64];
    int count = 0;

    CHECK_OK(elliptic_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int order = all ? 1 : 2; order <= (all ? 6 : 3); order++) {
        elliptic_options options = elliptic_defaults(order);

        options.known = "wave";
        options.known_parameters[0] = 1.0;
        options.known_parameters[1] = 2.0;
        options.known_parameters[2] = 1.5;
        for (int i = 0; i < 6; i++) options.sides[i] = i % 3 == 1 ? "known-flux" : "known";
        check_order(&options, cells[order], errors + count);
        count += 2;
        if (all || order == 2) {
            options.map = curved_bulge;
            check_order(&options, bent[order], errors + count);
            count += 2;
            options.map = NULL;
            options.known = "layers"; // k jumps by 100 at z = 1/2
            options.known_parameters[0] = 1.0;
            options.known_parameters[1] = 0.5;
            options.epsilon = 100.0;
            check_order(&options, even[order], errors + count);
            count += 2;
        }
    }
    compare_ranks(errors, count, all ? "all" : "quick");
    elliptic_close(&world);
    return CHECK_END();
}
