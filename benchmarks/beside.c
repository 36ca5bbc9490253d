#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "beside.h"

#include "problem.h"
#include "record.h"
#include "xsmm.h"

#include "base/file.h"
#include "base/memory.h"
#include "time/integrator.h"
#include "tune/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CHECK_STEPS 2
#define TURN        0.15 // seconds, of one step at least

enum { HOST, OPENCL, STAGE, SIDES }; // STAGE: that of the options, libxsmm's or by hand

// What a side's turns took, seconds a stage.
typedef struct side_time {
    double wall;      // median
    double spread;    // median absolute deviation from it, relative
    double processor; // of all threads, least
} side_time;

typedef struct beside {
    const sedge_comm *comm;
    const bench_options *options;
    sedge_cache *cache;
    sedge_device *device[2]; // by side; NULL: left out
    bool measured[2];        // by precision
    sedge_ceilings ceilings[2];
    // one case
    bench_case work;
    sedge_element *element;
    sedge_mesh *mesh;
    sedge_problem problem;
    sedge_evolution *evolution[2]; // by side
    hand_mesh *hand;
    xsmm_plan plan;
    double dt;
    double *u;      // the initial state, then the host's fields
    double *theirs; // another side's
    double difference;
    bool has_head;
} beside;

static bool is_loop(const beside *b)
{
    return b->options->beside_stage != NULL && strcmp(b->options->beside_stage, "loop") == 0;
}

static bool has_side(const beside *b, int side)
{
    return side == STAGE ? b->plan.stage != NULL : b->device[side] != NULL;
}

// Seconds that all threads of this process have computed.
static double processor_clock(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sedge_status run_steps(beside *b, int side, int steps)
{
    const int threads = sedge_device_get_info(b->device[HOST])->multiprocessors;

    for (int i = 0; i < steps; i++) {
        if (side != STAGE) {
            SEDGE_TRY(sedge_evolution_step(b->evolution[side], i * b->dt, b->dt));
            continue;
        }
        for (int s = 0; s < sedge_integrator_lsrk45.stages; s++) {
            if (!b->plan.stage(&b->plan, b->hand, sedge_integrator_lsrk45.a[s],
                               sedge_integrator_lsrk45.b[s], b->dt, threads))
                return SEDGE_FAIL(SEDGE_ERR_DEVICE, "libxsmm compiles nothing for this processor");
        }
    }
    return side != STAGE ? sedge_evolution_wait(b->evolution[side]) : SEDGE_OK;
}

// ---- one case ----------------------------------------------------------------------------------

static sedge_status open_case(beside *b, int cells)
{
    const int order = b->work.order;
    const int real_bytes = sedge_real_bytes(b->work.precision);
    const sedge_operator_options rule = {.variant = NULL};

    SEDGE_TRY(sedge_element_create(&b->element, order));
    SEDGE_TRY(bench_mesh_create(&b->mesh, b->comm, b->options->mesh, cells, b->options->numbering,
                                b->options->boundary_last));
    SEDGE_TRY(bench_problem_init(&b->problem, b->mesh, order, b->work.precision));
    SEDGE_TRY(bench_state_create(&b->u, b->mesh, b->element));
    SEDGE_TRY(bench_state_create(&b->theirs, b->mesh, b->element));
    b->work.elements = b->mesh->elements;
    b->dt = bench_time_step(b->comm, &b->problem, b->mesh);
    for (int side = HOST; side <= OPENCL; side++) {
        if (!has_side(b, side)) continue;
        SEDGE_TRY(sedge_evolution_create(&b->evolution[side], b->comm, b->device[side], b->cache,
                                         b->element, b->mesh, &b->problem,
                                         side == HOST ? &b->options->kernels : &rule));
        SEDGE_TRY(sedge_evolution_set(b->evolution[side], b->u));
    }
    if (b->options->beside_stage == NULL) return SEDGE_OK;
    SEDGE_TRY(xsmm_init(&b->plan, b->options->beside_stage, b->element, real_bytes));
    if (b->plan.stage == NULL) return SEDGE_OK; // an order that was not written
    SEDGE_TRY(hand_mesh_create(&b->hand, b->mesh, b->element, real_bytes, is_loop(b) ? 0 : 1));
    hand_set(b->hand, b->mesh, b->element, b->u);
    return SEDGE_OK;
}

static void close_case(beside *b)
{
    for (int side = HOST; side <= OPENCL; side++) {
        sedge_evolution_free(b->evolution[side]);
        b->evolution[side] = NULL;
    }
    hand_mesh_free(b->hand);
    xsmm_clear(&b->plan);
    sedge_release(b->u);
    sedge_release(b->theirs);
    sedge_problem_clear(&b->problem);
    sedge_mesh_free(b->mesh);
    sedge_element_free(b->element);
    b->hand = NULL;
    b->u = b->theirs = NULL;
    b->mesh = NULL;
    b->element = NULL;
}

// All go on from the same state: the same fields up to rounding, relative to the largest value.
// Some hundred products a value and ten stages; coefficients of the Bernstein-Bezier basis are up
// to some hundred times larger than the values they stand for at the highest orders, which the loop
// does not have.
static sedge_status compare(beside *b)
{
    const double most = b->work.precision == SEDGE_FP64 ? 1e-11 : 1e-4;
    const double allowed = is_loop(b) ? 0.1 * most : most;
    const int64_t values = (int64_t)b->mesh->elements * 6 * b->element->nodes;

    SEDGE_TRY(run_steps(b, HOST, CHECK_STEPS));
    SEDGE_TRY(sedge_evolution_get(b->evolution[HOST], b->u));
    b->difference = 0.0;
    for (int side = OPENCL; side < SIDES; side++) {
        double largest = 0.0;
        double worst = 0.0;

        if (!has_side(b, side)) continue;
        SEDGE_TRY(run_steps(b, side, CHECK_STEPS));
        if (side == STAGE) {
            hand_get(b->hand, b->mesh, b->element, b->theirs);
        } else {
            SEDGE_TRY(sedge_evolution_get(b->evolution[side], b->theirs));
        }
        for (int64_t i = 0; i < values; i++) {
            largest = fmax(largest, fabs(b->theirs[i]));
            const double apart = fabs(b->u[i] - b->theirs[i]);
            if (!(apart <= worst)) worst = apart; // a not-a-number stays
        }
        if (!(worst / largest <= allowed)) {
            return SEDGE_FAIL(
                SEDGE_ERR_COMPUTE,
                "order %d %s: the host's fields differ from those of %s by %g relative, more "
                "than %g",
                b->work.order, bench_precision_name(b->work.precision),
                side == STAGE ? b->options->beside_stage : "opencl", worst / largest, allowed);
        }
        b->difference = fmax(b->difference, worst / largest);
    }
    return SEDGE_OK;
}

// The batch of elements with which libxsmm's products are the fastest here, by the processor's
// time.
static sedge_status choose_batch(beside *b)
{
    double best = INFINITY;
    int found = 1;

    for (int i = 0; i < 2; i++) {
        for (int batch = 1; batch <= XSMM_MOST_BATCH; batch *= 2) {
            b->plan.batch = batch;
            const double start = processor_clock();
            SEDGE_TRY(run_steps(b, STAGE, 1));
            const double seconds = processor_clock() - start;
            if (seconds < best) found = batch;
            best = fmin(best, seconds);
        }
    }
    b->plan.batch = found;
    return SEDGE_OK;
}

static side_time summarise(double *wall, const double *processor, int count)
{
    double apart[BENCH_MAX_REPEATS];
    side_time time = {.wall = bench_median(wall, count), .processor = processor[0]};

    for (int i = 0; i < count; i++) {
        apart[i] = fabs(wall[i] - time.wall) / time.wall;
        time.processor = fmin(time.processor, processor[i]);
    }
    time.spread = bench_median(apart, count);
    return time;
}

// All sides by turns, each as many steps a turn as take about as long as a turn should.
static sedge_status race(beside *b, side_time times[SIDES])
{
    const int repeats = b->options->repeats;
    double wall[SIDES][BENCH_MAX_REPEATS] = {{0.0}};
    double processor[SIDES][BENCH_MAX_REPEATS] = {{0.0}};
    int steps[SIDES] = {1, 1, 1};

    for (int side = 0; side < SIDES; side++) {
        if (!has_side(b, side)) continue;
        const double start = sedge_clock();
        SEDGE_TRY(run_steps(b, side, 1));
        const double one = sedge_clock() - start;
        steps[side] = b->options->steps > 0 ? b->options->steps
                      : b->options->quick   ? 1
                      : one < 0.5 * TURN    ? (int)(TURN / fmax(one, 1e-4))
                                            : 1;
    }
    for (int i = 0; i < repeats; i++) {
        for (int side = 0; side < SIDES; side++) {
            if (!has_side(b, side)) continue;
            const double stages = (double)steps[side] * sedge_integrator_lsrk45.stages;
            const double start = sedge_clock();
            const double computed = processor_clock();
            SEDGE_TRY(run_steps(b, side, steps[side]));
            processor[side][i] = (processor_clock() - computed) / stages;
            wall[side][i] = (sedge_clock() - start) / stages;
        }
    }
    for (int side = 0; side < SIDES; side++)
        if (has_side(b, side)) times[side] = summarise(wall[side], processor[side], repeats);
    return SEDGE_OK;
}

// ---- the table ---------------------------------------------------------------------------------

static void print_side(const side_time times[SIDES], int side, bool there)
{
    if (!there) {
        printf(" %11s %5s %6s %6s", "-", "-", "-", "-");
        return;
    }
    printf(" %11.1f %4.1f%% %6.2f %6.2f", 1e6 * times[side].wall, 100.0 * times[side].spread,
           times[side].wall / times[HOST].wall, times[side].processor / times[HOST].processor);
}

static void print_case(beside *b, const side_time times[SIDES])
{
    const sedge_ceilings *const ceilings = &b->ceilings[b->work.precision];
    const double seconds = times[HOST].wall;
    sedge_operator_cost cost;
    char stage[16] = "";

    if (b->options->beside_stage != NULL)
        (void)snprintf(stage, sizeof stage, "us %s", b->options->beside_stage);
    if (!b->has_head) {
        printf("\n%5s %5s %7s  %-26s %10s %6s %11s %8s %7s %7s %11s %5s %6s %6s %11s %5s %6s %6s "
               "%5s %7s\n",
               "order", "real", "tets", "kernels", "us host", "spread", "us processor", "GDOF/s",
               "of FMA", "of copy", "us opencl", "sprd", "ratio", "proc.", stage, "sprd", "ratio",
               "proc.", "batch", "apart");
    }
    b->has_head = true;
    sedge_operator_get_cost(sedge_evolution_operator(b->evolution[HOST]), &cost);
    printf("%5d %5s %7lld  %-26s %10.1f %5.1f%% %12.1f %8.3f %7.3f %7.3f", b->work.order,
           bench_precision_name(b->work.precision), (long long)b->work.elements, cost.variant,
           1e6 * seconds, 100.0 * times[HOST].spread, 1e6 * times[HOST].processor,
           6.0 * b->element->nodes * (double)b->work.elements / seconds / 1e9,
           b->work.flops / seconds / ceilings->flops, b->work.bytes / seconds / ceilings->copy);
    print_side(times, OPENCL, has_side(b, OPENCL));
    print_side(times, STAGE, has_side(b, STAGE));
    printf(" %5d %7.0e\n", b->plan.batch, b->difference);
    (void)fflush(stdout);
}

static sedge_status run_case(beside *b, int order, sedge_precision precision, int cells)
{
    side_time times[SIDES] = {{0.0, 0.0, 0.0}};
    sedge_ceilings *const ceilings = &b->ceilings[precision];
    sedge_status status;

    if (!b->measured[precision]) {
        SEDGE_TRY(sedge_ceilings_get(ceilings, b->comm, b->device[HOST], b->cache,
                                     sedge_real_bytes(precision), !b->options->quick));
        printf("ceilings %s: copy %.1f GB/s (read and written), multiply-adds %.1f GFLOP/s\n",
               bench_precision_name(precision), ceilings->copy / 1e9, ceilings->flops / 1e9);
    }
    b->measured[precision] = true;
    b->work = (bench_case){.order = order, .precision = precision};
    SEDGE_TRY_GOTO(status, open_case(b, cells));
    SEDGE_TRY_GOTO(status, compare(b));
    if (has_side(b, STAGE) && !is_loop(b)) SEDGE_TRY_GOTO(status, choose_batch(b));
    SEDGE_TRY_GOTO(status, race(b, times));
    b->work.median = times[HOST].wall;
    bench_count_work(&b->work, false);
    print_case(b, times);
done:
    close_case(b);
    return status;
}

sedge_status bench_beside(const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                          const bench_options *options)
{
    sedge_status status = SEDGE_OK;
    beside b = {.comm = comm, .options = options, .cache = cache, .device = {device}};

    if (sedge_comm_size(comm) > 1)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--beside: one rank, not %d", sedge_comm_size(comm));
    if (!sedge_device_get_traits(device)->in_call)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--beside is for --device host");
    if (options->beside_opencl) {
        SEDGE_TRY(sedge_device_create(&b.device[OPENCL], "opencl", 0, 1));
        const sedge_device_info *const info = sedge_device_get_info(b.device[OPENCL]);
        printf("%s: %s (%s)\n", info->kind_name, info->name, info->arch);
    }
    for (int i = 0; i < options->order_count; i++) {
        for (int p = 0; p < options->precision_count; p++) {
            SEDGE_TRY_GOTO(status, run_case(&b, options->orders[i], options->precisions[p],
                                            bench_options_cells(options, i, false)));
        }
    }
done:
    sedge_device_free(b.device[OPENCL]);
    return status;
}
