// sedge-bench-poisson: the elliptic operator's throughput by order and precision, and whole solves.
//
//   sedge-bench-poisson [DEVICE [UNKNOWNS [ORDERS [solve]]]]
//   sedge-bench-poisson DEVICE UNKNOWNS ORDERS fp64|fp32|matrix CONFIGS [PART PARTS]
//
// DEVICE auto, UNKNOWNS 10e6 (the least number of a mesh), ORDERS 12345678; with "solve" each order
// is solved in fp64, too, on a mesh with a tenth of the unknowns. Boxes as those that
// libParanumal's figures were taken on: cubes of six tetrahedra. One table row an order and
// precision: GDOF/s, the fraction of the floor (compulsory bytes at the copy rate measured in the
// same run), libParanumal's interior penalty operator on an H200 in fp64 beside it (research of
// 2026-11-21). The second form times CONFIGS kernel configurations, or every PARTS-th of them.
#include "array/context.h"
#include "base/memory.h"
#include "elliptic/solve.h"
#include "poisson_configs.h"
#include "program/launch.h"
#include "tune/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double peer[9] = {0.0, 3.90, 5.64, 5.29, 3.59, 3.49, 2.46, 1.91, 1.35};

typedef struct bench {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    sedge_context *context;
    sedge_ceilings ceilings[2]; // fp32, fp64
} bench;

typedef struct bench_case {
    sedge_element *element;
    sedge_mesh *mesh;
    sedge_problem problem;
} bench_case;

static void clear_case(bench_case *c)
{
    sedge_problem_clear(&c->problem);
    sedge_mesh_free(c->mesh);
    sedge_element_free(c->element);
}

// A unit box with at least `unknowns` unknowns, u given on all sides.
static sedge_status make_case(bench_case *c, const bench *b, int order, sedge_precision precision,
                              double unknowns)
{
    const sedge_equation *const equation = sedge_equation_find("poisson");
    const double penalty = 1.0;
    const double deck[2] = {1.0, 1.0};
    sedge_mesh_options box = sedge_mesh_defaults();

    memset(c, 0, sizeof *c);
    SEDGE_TRY(sedge_element_create(&c->element, order));
    const int cells = (int)ceil(cbrt(unknowns / (6.0 * c->element->nodes)));
    for (int d = 0; d < 3; d++) box.box_cells[d] = cells;
    SEDGE_TRY(sedge_mesh_create(&c->mesh, b->comm, &box));
    SEDGE_TRY(sedge_problem_init(&c->problem, equation, c->mesh->groups.volumes,
                                 c->mesh->groups.surfaces, 0));
    c->problem.order = order;
    c->problem.precision = precision;
    equation->constants(&penalty, NULL, c->problem.constants);
    equation->derive(deck, c->problem.materials[0]);
    for (int s = 0; s < c->problem.surfaces; s++)
        c->problem.boundaries[s].kind = &equation->boundaries[0];
    return SEDGE_OK;
}

// ---- the operator ------------------------------------------------------------------------------

static sedge_status time_operator(const bench *b, int order, sedge_precision precision,
                                  double unknowns)
{
    const sedge_elliptic_options options = {.item_nodes = 0};
    sedge_elliptic_cost cost;
    bench_apply job = {.op = NULL};
    bench_case c;
    sedge_status status;
    double seconds = 0.0;

    SEDGE_TRY_GOTO(status, make_case(&c, b, order, precision, unknowns));
    SEDGE_TRY_GOTO(status, sedge_elliptic_create(&job.op, b->comm, b->context, c.element, c.mesh,
                                                 &c.problem, &options));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&job.x, job.op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&job.y, job.op));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, b->device, 5, bench_run_apply, &job));
    sedge_elliptic_get_cost(job.op, &cost);
    const double dofs = (double)c.mesh->elements * c.element->nodes;
    const bool fp64 = precision == SEDGE_FP64;
    const double floor_part =
        sedge_ceilings_fraction(&b->ceilings[fp64], cost.bytes, cost.flops, seconds);
    printf("%d  %s %9d %10.0f %9.1f us %8.2f %6.1f %% ", order, fp64 ? "fp64" : "fp32",
           c.mesh->elements, dofs, 1e6 * seconds, 1e-9 * dofs / seconds, 100.0 * floor_part);
    if (fp64) {
        printf("%6.2f %6.2fx", peer[order], 1e-9 * dofs / seconds / peer[order]);
    } else {
        printf("%6s %7s", "-", "-");
    }
    printf("  %sn%d,%d e%d b%d t%d r%d, %lld KiB\n", cost.matrix ? "m " : "", cost.item_nodes,
           cost.weak_nodes, cost.item_elements, cost.block_elements, cost.threads, cost.resident,
           (long long)cost.shared_bytes / 1024);
    (void)fflush(stdout);
done:
    sedge_buffer_free(job.x);
    sedge_buffer_free(job.y);
    sedge_elliptic_free(job.op);
    clear_case(&c);
    return status;
}

// ---- solves ------------------------------------------------------------------------------------

static sedge_status time_solve(const bench *b, int order, double unknowns)
{
    const sedge_elliptic_solve_options options = sedge_elliptic_solve_defaults(SEDGE_FP64);
    sedge_elliptic_result result;
    bench_case c;
    sedge_status status;
    double *u = NULL;

    SEDGE_TRY_GOTO(status, make_case(&c, b, order, SEDGE_FP64, unknowns));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&u, (int64_t)c.mesh->elements * c.element->nodes, sizeof *u));
    SEDGE_TRY_GOTO(status, sedge_elliptic_solve(u, &result, b->comm, b->context, c.element, c.mesh,
                                                &c.problem, &options));
    printf("%d  fp64 %9d %10lld   %3lld iterations (%s), %.3f s, of it AMG %.3f s; set-up %.2f s, "
           "multigrid %.2f s; blocks %.2f GB\n",
           order, c.mesh->elements, (long long)result.unknowns, (long long)result.krylov.iterations,
           sedge_krylov_reason_name(result.krylov.reason), result.solve_seconds,
           result.multigrid.amg_seconds, result.setup_seconds, result.multigrid.setup_seconds,
           1e-9 * result.multigrid.block_bytes);
    (void)fflush(stdout);
done:
    sedge_release(u);
    clear_case(&c);
    return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static sedge_status open_bench(bench *b, const char *device)
{
    SEDGE_TRY(sedge_device_start_helper());
    SEDGE_TRY(sedge_comm_create(&b->comm, NULL));
    SEDGE_TRY(sedge_device_create(&b->device, device, 0, 1));
    SEDGE_TRY(sedge_device_make_current(b->device));
    SEDGE_TRY(sedge_cache_create(&b->cache, NULL));
    SEDGE_TRY(sedge_context_create(&b->context, b->device, b->cache));
    for (int k = 0; k < 2; k++)
        sedge_ceilings_try(&b->ceilings[k], b->comm, b->device, b->cache, k == 1 ? 8 : 4, true);
    return SEDGE_OK;
}

static sedge_status run_bench(const bench *b, double unknowns, const char *orders, bool solves)
{
    printf("poisson on %s: %s\n", sedge_device_get_info(b->device)->kind_name,
           sedge_device_get_info(b->device)->name);
    printf("N  type      tets   unknowns      apply    GDOF/s   floor  libP  faster  config\n");
    for (const char *at = orders; *at != '\0'; at++) {
        SEDGE_TRY(time_operator(b, *at - '0', SEDGE_FP64, unknowns));
        SEDGE_TRY(time_operator(b, *at - '0', SEDGE_FP32, unknowns));
    }
    for (const char *at = orders; solves && *at != '\0'; at++)
        SEDGE_TRY(time_solve(b, *at - '0', 0.1 * unknowns));
    return SEDGE_OK;
}

static sedge_status run_cuts(const bench *b, double unknowns, char **words, int count)
{
    for (const char *at = words[0]; *at != '\0'; at++) {
        bench_case c;
        sedge_status status = make_case(
            &c, b, *at - '0', strcmp(words[1], "fp32") == 0 ? SEDGE_FP32 : SEDGE_FP64, unknowns);
        if (status == SEDGE_OK) {
            const bench_configs configs = {.comm = b->comm,
                                           .device = b->device,
                                           .context = b->context,
                                           .element = c.element,
                                           .mesh = c.mesh,
                                           .problem = &c.problem,
                                           .matrix = strcmp(words[1], "matrix") == 0,
                                           .configs = (int)strtol(words[2], NULL, 10),
                                           .part = count > 4 ? (int)strtol(words[3], NULL, 10) : 0,
                                           .parts =
                                               count > 4 ? (int)strtol(words[4], NULL, 10) : 1};
            status = bench_time_configs(&configs);
        }
        clear_case(&c);
        SEDGE_TRY(status);
    }
    return SEDGE_OK;
}

int main(int argc, char **argv)
{
    bench b = {.comm = NULL};
    sedge_status status = open_bench(&b, argc > 1 ? argv[1] : "auto");
    const double unknowns = argc > 2 ? strtod(argv[2], NULL) : 10e6;
    const char *const orders = argc > 3 ? argv[3] : "12345678";
    const bool solves = argc > 4 && strcmp(argv[4], "solve") == 0;

    if (status == SEDGE_OK && (!(unknowns >= 1.0) || orders[strspn(orders, "12345678")] != '\0')) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "usage: sedge-bench-poisson [DEVICE [UNKNOWNS [ORDERS [solve]]]]");
    }
    if (status == SEDGE_OK) {
        status = argc > 5 ? run_cuts(&b, unknowns, argv + 3, argc - 3)
                          : run_bench(&b, unknowns, orders, solves);
    }
    if (status != SEDGE_OK)
        (void)fprintf(stderr, "sedge-bench-poisson: %s\n", sedge_error_message());
    sedge_context_free(b.context);
    sedge_cache_free(b.cache);
    sedge_device_free(b.device);
    sedge_comm_free(b.comm);
    return sedge_status_exit_code(status);
}
