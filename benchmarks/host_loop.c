// sedge-host-loop: the generated kernels of the host against a stage written by hand, in one
// process, by turns, on the same mesh and data with the same number of threads. See README.md.
#include "hand.h"
#include "problem.h"

#include "base/file.h"
#include "base/memory.h"
#include "time/integrator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_STEPS 5
#define REPEATS     9

typedef struct loop_case {
    const sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    int order;
    sedge_precision precision;
    int threads;
    sedge_element *element;
    sedge_mesh *mesh;
    sedge_problem problem;
    sedge_evolution *evolution;
    hand_mesh *hand;
    hand_stage stage;
    double dt;
    double *u, *theirs; // [elements][6][nodes]
} loop_case;

// NULL: this order and precision were not written.
static hand_stage find_stage(int order, int real_bytes)
{
    static const struct {
        int order;
        int real_bytes;
        hand_stage stage;
    } rows[] = {{2, 4, hand_stage_2_4}, {4, 4, hand_stage_4_4}, {6, 4, hand_stage_6_4},
                {2, 8, hand_stage_2_8}, {4, 8, hand_stage_4_8}, {6, 8, hand_stage_6_8}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].order == order && rows[i].real_bytes == real_bytes) return rows[i].stage;
    return NULL;
}

static sedge_status open_case(loop_case *c, int cells)
{
    const sedge_operator_options options = {.variant = NULL};
    const int real_bytes = c->precision == SEDGE_FP64 ? 8 : 4;

    c->stage = find_stage(c->order, real_bytes);
    if (c->stage == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "order %d: the loop is written for 2, 4 and 6",
                          c->order);
    }
    SEDGE_TRY(sedge_element_create(&c->element, c->order));
    SEDGE_TRY(bench_mesh_create(&c->mesh, c->comm, NULL, cells, SEDGE_NUMBERING_CLUSTERS, false));
    SEDGE_TRY(bench_problem_init(&c->problem, c->mesh, c->order, c->precision));
    SEDGE_TRY(sedge_evolution_create(&c->evolution, c->comm, c->device, c->cache, c->element,
                                     c->mesh, &c->problem, &options));
    SEDGE_TRY(hand_mesh_create(&c->hand, c->mesh, c->element, real_bytes, 0));
    SEDGE_TRY(bench_state_create(&c->u, c->mesh, c->element));
    SEDGE_TRY(bench_state_create(&c->theirs, c->mesh, c->element));
    c->dt = bench_time_step(c->comm, &c->problem, c->mesh);
    SEDGE_TRY(sedge_evolution_set(c->evolution, c->u));
    hand_set(c->hand, c->mesh, c->element, c->u);
    return SEDGE_OK;
}

static void close_case(loop_case *c)
{
    sedge_release(c->u);
    sedge_release(c->theirs);
    hand_mesh_free(c->hand);
    sedge_evolution_free(c->evolution);
    sedge_problem_clear(&c->problem);
    sedge_mesh_free(c->mesh);
    sedge_element_free(c->element);
}

static sedge_status step_generated(loop_case *c, int steps)
{
    for (int i = 0; i < steps; i++) SEDGE_TRY(sedge_evolution_step(c->evolution, i * c->dt, c->dt));
    return sedge_evolution_wait(c->evolution);
}

static void step_hand(loop_case *c, int steps)
{
    for (int i = 0; i < steps; i++) {
        for (int s = 0; s < sedge_integrator_lsrk45.stages; s++) {
            c->stage(c->hand, sedge_integrator_lsrk45.a[s], sedge_integrator_lsrk45.b[s], c->dt,
                     c->threads);
        }
    }
}

// Both go on from the same state by some steps: the same answer up to rounding, relative to the
// largest value. Orders of sums differ; some hundred products a value and 25 stages.
static sedge_status compare(loop_case *c, double *difference)
{
    const double allowed = c->precision == SEDGE_FP64 ? 1e-12 : 1e-5;
    const int64_t values = (int64_t)c->mesh->elements * 6 * c->element->nodes;
    double largest = 0.0;
    double worst = 0.0;

    SEDGE_TRY(step_generated(c, CHECK_STEPS));
    step_hand(c, CHECK_STEPS);
    SEDGE_TRY(sedge_evolution_get(c->evolution, c->u));
    hand_get(c->hand, c->mesh, c->element, c->theirs);
    for (int64_t i = 0; i < values; i++) {
        largest = fmax(largest, fabs(c->theirs[i]));
        const double apart = fabs(c->u[i] - c->theirs[i]);
        if (!(apart <= worst)) worst = apart; // a not-a-number stays
    }
    *difference = worst / largest;
    if (*difference <= allowed) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                      "order %d %s: generated kernel and loop differ by %g relative, more than %g",
                      c->order, c->precision == SEDGE_FP64 ? "fp64" : "fp32", *difference, allowed);
}

// Seconds a stage of both, by turns. As many steps a turn as take about a quarter of a second.
static sedge_status race(loop_case *c, double *generated, double *hand)
{
    double ours[REPEATS];
    double theirs[REPEATS];
    double start = sedge_clock();

    SEDGE_TRY(step_generated(c, 1));
    const double one = sedge_clock() - start;
    const int steps = one < 0.125 ? (int)(0.25 / fmax(one, 1e-5)) : 2;
    for (int i = 0; i < REPEATS; i++) {
        start = sedge_clock();
        SEDGE_TRY(step_generated(c, steps));
        ours[i] = (sedge_clock() - start) / steps / sedge_integrator_lsrk45.stages;
        start = sedge_clock();
        step_hand(c, steps);
        theirs[i] = (sedge_clock() - start) / steps / sedge_integrator_lsrk45.stages;
    }
    *generated = bench_median(ours, REPEATS);
    *hand = bench_median(theirs, REPEATS);
    return SEDGE_OK;
}

static sedge_status run_case(loop_case *c, int cells, bool only_check)
{
    sedge_status status;
    double generated;
    double hand;
    double difference;

    SEDGE_TRY_GOTO(status, open_case(c, cells));
    SEDGE_TRY_GOTO(status, compare(c, &difference));
    if (only_check) goto done;
    SEDGE_TRY_GOTO(status, race(c, &generated, &hand));
    const double values = (double)c->mesh->elements * 6 * c->element->nodes;
    printf("%5d %5s %8d %12.1f %12.1f %9.3f %9.3f %8.2f %12.1e\n", c->order,
           c->precision == SEDGE_FP64 ? "fp64" : "fp32", c->mesh->elements, 1e6 * generated,
           1e6 * hand, values / generated / 1e9, values / hand / 1e9, generated / hand, difference);
    (void)fflush(stdout);
done:
    close_case(c);
    return status;
}

static sedge_status run_all(const sedge_comm *comm, int cells, bool only_check)
{
    static const int orders[] = {2, 4, 6};
    static const int sizes[] = {26, 18, 14}; // about 16 million numbers in fp64: out of the caches
    sedge_status status;
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;

    if (sedge_comm_size(comm) > 1)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "sedge-host-loop runs on one rank");
    SEDGE_TRY_GOTO(status, sedge_device_create(&device, "host", 0, 1));
    SEDGE_TRY_GOTO(status, sedge_cache_create(&cache, NULL));
    const sedge_device_info *const info = sedge_device_get_info(device);
    if (!only_check) {
        printf("%s (%s), %d threads, loop compiled by %s\n\n%5s %5s %8s %12s %12s %9s %9s %8s "
               "%12s\n",
               info->name, info->arch, info->multiprocessors, __VERSION__, "order", "real", "tets",
               "us generated", "us by hand", "GDOF/s", "GDOF/s", "ratio", "difference");
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        for (int p = 0; p < 2; p++) {
            loop_case c = {.comm = comm,
                           .device = device,
                           .cache = cache,
                           .order = orders[i],
                           .precision = p == 0 ? SEDGE_FP32 : SEDGE_FP64,
                           .threads = info->multiprocessors};
            SEDGE_TRY_GOTO(status, run_case(&c, cells > 0 ? cells : sizes[i], only_check));
        }
    }
done:
    sedge_cache_free(cache);
    sedge_device_free(device);
    return status;
}

// [--check] [--cells N]
int main(int argc, char **argv)
{
    sedge_comm *comm = NULL;
    bool only_check = false;
    int cells = 0;
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks

    if (status == SEDGE_OK) status = sedge_comm_create(&comm, NULL);
    for (int i = 1; i < argc && status == SEDGE_OK; i++) {
        if (strcmp(argv[i], "--check") == 0) {
            only_check = true;
        } else if (strcmp(argv[i], "--cells") == 0 && i + 1 < argc) {
            cells = (int)strtol(argv[++i], NULL, 10);
        } else {
            status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                                "unknown word '%s'; usage: sedge-host-loop [--check] [--cells N]",
                                argv[i]);
        }
    }
    if (status == SEDGE_OK) status = run_all(comm, cells, only_check);
    if (status != SEDGE_OK) (void)fprintf(stderr, "sedge-host-loop: %s\n", sedge_error_message());
    sedge_device_stop_helper();
    if (comm != NULL) sedge_comm_free(comm);
    return sedge_status_exit_code(status);
}
