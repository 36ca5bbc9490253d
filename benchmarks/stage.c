// sedge-bench: one Runge-Kutta stage of Maxwell's equations, order by order, against the peers' and
// against what the device does at most. See README.md.
#include "beside.h"
#include "options.h"
#include "problem.h"
#include "record.h"
#include "setup.h"

#include "base/file.h"
#include "base/memory.h"
#include "time/integrator.h"
#include "tune/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bench {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    bench_options options;
    bench_record *record; // the root prints and writes
    bool is_gpu;
    bool measured[2]; // by precision: the ceilings, sums over ranks
    sedge_ceilings ceilings[2];
    // kept from case to case
    sedge_mesh *mesh;
    int cells; // of the mesh; 0: a file
    sedge_element *element;
    double *u;            // the initial state
    sedge_status skipped; // the first failure of a case that was left out
} bench;

// ---- what cases share --------------------------------------------------------------------------

static sedge_status prepare_order(bench *b, int index)
{
    const int cells =
        b->options.mesh != NULL ? 0 : bench_options_cells(&b->options, index, b->is_gpu);

    if (b->mesh == NULL || b->cells != cells) {
        sedge_mesh_free(b->mesh);
        b->mesh = NULL;
        SEDGE_TRY(bench_mesh_create(&b->mesh, b->comm, b->options.mesh, cells, b->options.numbering,
                                    b->options.boundary_last));
        b->cells = cells;
    }
    sedge_element_free(b->element);
    sedge_release(b->u);
    b->u = NULL;
    sedge_status status = sedge_element_create(&b->element, b->options.orders[index]);
    if (status == SEDGE_OK) status = bench_state_create(&b->u, b->mesh, b->element);
    return sedge_comm_agree(b->comm, status);
}

static sedge_status measure_ceilings(bench *b, sedge_precision precision)
{
    sedge_ceilings *const ceilings = &b->ceilings[precision];
    sedge_status status = SEDGE_OK;

    if (b->measured[precision]) return SEDGE_OK;
    SEDGE_TRY(sedge_ceilings_measure(ceilings, b->comm, b->device, b->cache,
                                     sedge_real_bytes(precision)));
    double sums[2] = {ceilings->copy, ceilings->flops};
    sedge_comm_sum(b->comm, sums, 2);
    *ceilings = (sedge_ceilings){.copy = sums[0], .flops = sums[1]};
    b->measured[precision] = true;
    if (sedge_comm_is_root(b->comm))
        status = bench_record_add_ceilings(b->record, precision, ceilings);
    return sedge_comm_agree(b->comm, status);
}

// ---- one case ----------------------------------------------------------------------------------

// A failure of one rank alone, where the others go on into an exchange: end the job.
static void end_alone(bench *b, sedge_status status)
{
    if (status == SEDGE_OK) return;
    (void)fprintf(stderr, "sedge-bench: rank %d: %s\n", sedge_comm_rank(b->comm),
                  sedge_error_message());
    sedge_comm_abort(b->comm, sedge_status_exit_code(status));
}

// Seconds of `steps` time steps, of the slowest rank.
static double time_steps(bench *b, sedge_evolution *evolution, int steps, double dt)
{
    sedge_comm_barrier(b->comm);
    const double start = sedge_clock();
    for (int i = 0; i < steps; i++) end_alone(b, sedge_evolution_step(evolution, dt * i, dt));
    end_alone(b, sedge_evolution_wait(evolution));
    double seconds = sedge_clock() - start;
    sedge_comm_max(b->comm, &seconds, 1);
    return seconds;
}

static int choose_steps(const bench *b)
{
    if (b->options.steps > 0) return b->options.steps;
    if (b->options.quick) return 2;
    return b->is_gpu ? 20 : 4;
}

// Run the operator from the initial state; fill the times of `c`.
static sedge_status time_case(bench *b, bench_case *c, sedge_evolution *evolution, double dt)
{
    const double stages = (double)b->options.integrator->stages * c->steps;
    double seconds[BENCH_MAX_REPEATS];
    double before;
    double after;

    // As coefficients, too, it is a smooth state: nothing needs to be converted.
    SEDGE_TRY(sedge_comm_agree(
        b->comm, sedge_evolution_set_block(evolution, 0, sedge_evolution_basis(evolution), b->u)));
    SEDGE_TRY(bench_energy(&before, b->comm, evolution, b->mesh));
    (void)time_steps(b, evolution, b->is_gpu ? c->steps : 1, dt); // warm-up
    for (int i = 0; i < c->repeats; i++)
        seconds[i] = time_steps(b, evolution, c->steps, dt) / stages;
    SEDGE_TRY(bench_energy(&after, b->comm, evolution, b->mesh));
    c->median = bench_median(seconds, c->repeats);
    c->least = seconds[0];
    c->energy_change = (after - before) / before;
    // Upwind fluxes only dissipate; what is left is rounding, some units in each step's sums.
    const double allowed = c->precision == SEDGE_FP64 ? 1e-10 : 1e-4;
    if (!(c->energy_change <= allowed)) {
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "order %d: the energy went from %g to %g", c->order,
                          before, after);
    }
    return SEDGE_OK;
}

// How the case's work and traces are spread over the ranks. Collective.
static void describe_exchange(bench_case *c, const bench *b, const sedge_operator_cost *cost)
{
    const double timed = cost->exchanges_timed > 0 ? (double)cost->exchanges_timed : 1.0;
    const double stages = (double)b->options.integrator->stages;
    double sums[3] = {cost->exchange_seconds, cost->exposed_seconds,
                      cost->exchange_bytes_per_step / stages};
    double most[4] = {b->mesh->elements, 0.0, cost->exchange_seconds / timed,
                      cost->exposed_seconds / timed};

    for (int r = 0; r < b->mesh->range_count; r++)
        if (b->mesh->ranges[r].halo) most[1] += b->mesh->ranges[r].count;
    sedge_comm_sum(b->comm, sums, 3);
    sedge_comm_max(b->comm, most, 4);
    c->hidden = sums[0] > 0.0 ? 1.0 - sums[1] / sums[0] : 0.0;
    c->exchange = (bench_exchange){.most_elements = (int64_t)most[0],
                                   .most_halo = (int64_t)most[1],
                                   .bytes = (int64_t)sums[2],
                                   .seconds = most[2],
                                   .exposed = most[3]};
}

// The kernels of a step that predicts, each by itself, from this rank's sampled launches.
static void describe_prediction(bench_case *c, const sedge_operator_cost *cost)
{
    double stage = 0.0;

    for (int k = 0; k < SEDGE_OPERATOR_KERNELS; k++) {
        if (cost->kernel[k].launches == 0) continue;
        const double seconds = cost->kernel[k].seconds / (double)cost->kernel[k].launches;
        if (strncmp(cost->kernel[k].name, "sedge_predict", 13) == 0) c->predict = seconds;
        if (strncmp(cost->kernel[k].name, "sedge_stage", 11) == 0) stage = seconds;
    }
    if (c->predict > 0.0) c->correct = stage;
}

static sedge_status run_case(bench *b, int order, sedge_precision precision)
{
    const bool root = sedge_comm_is_root(b->comm);
    sedge_status status;
    sedge_problem problem = {0};
    sedge_evolution *evolution = NULL;
    bench_case c = {.order = order, .precision = precision, .repeats = b->options.repeats};

    SEDGE_TRY(measure_ceilings(b, precision));
    c.steps = choose_steps(b);
    c.elements = b->mesh->global_elements;
    SEDGE_TRY_GOTO(
        status, sedge_comm_agree(b->comm, bench_problem_init(&problem, b->mesh, order, precision)));
    problem.integrator = b->options.integrator;
    if (b->options.term != NULL)
        SEDGE_TRY_GOTO(status, bench_problem_add_term(&problem, b->options.term));
    status = sedge_evolution_create(&evolution, b->comm, b->device, b->cache, b->element, b->mesh,
                                    &problem, &b->options.kernels);
    if (status != SEDGE_OK) { // the same on all ranks: go on with the next case
        if (root) {
            (void)fprintf(stderr, "sedge-bench: order %d %s left out: %s\n", order,
                          precision == SEDGE_FP64 ? "fp64" : "fp32", sedge_error_message());
        }
        if (b->skipped == SEDGE_OK) b->skipped = status;
        status = SEDGE_OK;
        goto done;
    }
    if (root && b->options.kernels.tune != SEDGE_TUNE_OFF)
        status = sedge_operator_print_tuning(sedge_evolution_operator(evolution), stdout);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(b->comm, status));
    SEDGE_TRY_GOTO(status,
                   time_case(b, &c, evolution, bench_time_step(b->comm, &problem, b->mesh)));
    sedge_operator_cost cost;
    sedge_operator_get_cost(sedge_evolution_operator(evolution), &cost);
    (void)snprintf(c.variant, sizeof c.variant, "%s", cost.variant);
    describe_exchange(&c, b, &cost);
    c.transport = sedge_operator_transport(sedge_evolution_operator(evolution));
    sedge_operator_get_tuning(sedge_evolution_operator(evolution), &c.tuning);
    describe_prediction(&c, &cost);
    bench_count_work(&c, problem.integrator->predictor);
    c.floor = sedge_ceilings_floor(&b->ceilings[precision], c.bytes, c.flops);
    if (root) status = bench_record_add(b->record, &c, b->is_gpu);
    status = sedge_comm_agree(b->comm, status);
done:
    sedge_evolution_free(evolution);
    sedge_problem_clear(&problem);
    return status;
}

// ---- all of them -------------------------------------------------------------------------------

static sedge_status open_bench(bench *b)
{
    sedge_status status =
        sedge_device_create(&b->device, b->options.device, sedge_comm_node_rank(b->comm),
                            sedge_comm_node_size(b->comm));

    if (status == SEDGE_OK) status = sedge_device_make_current(b->device);
    if (status == SEDGE_OK) status = sedge_cache_create(&b->cache, NULL);
    if (status == SEDGE_OK) status = bench_record_create(&b->record);
    SEDGE_TRY(sedge_comm_agree(b->comm, status));
    const sedge_device_info *const info = sedge_device_get_info(b->device);
    b->is_gpu = !sedge_traits_of(info->kind)->in_call;
    if (sedge_comm_is_root(b->comm)) {
        printf("%s: %s (%s), %d rank%s", info->kind_name, info->name, info->arch,
               sedge_comm_size(b->comm), sedge_comm_size(b->comm) == 1 ? "" : "s");
        if (!b->is_gpu) printf(", %d threads each", info->multiprocessors);
        printf("\n");
    }
    return SEDGE_OK;
}

static sedge_status run_bench(bench *b)
{
    const bench_options *const options = &b->options;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(open_bench(b));
    if (options->beside_opencl || options->beside_stage != NULL)
        return bench_beside(b->comm, b->device, b->cache, options);
    if (options->setup) return bench_setup(b->comm, b->device, b->cache, options);
    for (int i = 0; i < options->order_count; i++) {
        SEDGE_TRY(prepare_order(b, i));
        for (int p = 0; p < options->precision_count; p++)
            SEDGE_TRY(run_case(b, options->orders[i], options->precisions[p]));
    }
    if (options->output != NULL && sedge_comm_is_root(b->comm)) {
        status = bench_record_write(b->record, options->output, sedge_device_get_info(b->device),
                                    sedge_comm_size(b->comm), options->mesh);
    }
    SEDGE_TRY(sedge_comm_agree(b->comm, status));
    if (b->skipped != SEDGE_OK) return SEDGE_FAIL(b->skipped, "some cases were left out");
    return SEDGE_OK;
}

static void close_bench(bench *b)
{
    sedge_release(b->u);
    sedge_element_free(b->element);
    sedge_mesh_free(b->mesh);
    bench_record_free(b->record);
    sedge_cache_free(b->cache);
    sedge_device_free(b->device);
}

int main(int argc, char **argv)
{
    static bench b;
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks

    if (status == SEDGE_OK) status = sedge_comm_create(&b.comm, NULL);
    if (status != SEDGE_OK) {
        (void)fprintf(stderr, "sedge-bench: %s\n", sedge_error_message());
        return sedge_status_exit_code(status);
    }
    status = bench_options_parse(&b.options, argc, argv);
    if (status == SEDGE_OK && b.options.help) {
        if (sedge_comm_is_root(b.comm)) bench_options_print_help();
    } else if (status == SEDGE_OK) {
        status = run_bench(&b);
    }
    if (status != SEDGE_OK && sedge_comm_is_root(b.comm)) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "sedge-bench: %s\n", sedge_error_message());
    }
    close_bench(&b);
    sedge_device_stop_helper();
    sedge_comm_free(b.comm);
    return sedge_status_exit_code(status);
}
