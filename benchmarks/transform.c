// sedge-bench-transform [DEVICE [CELLS]]: running Fourier transforms of recorded fields, beside the
// floor of their bytes and operations and beside a plain loop over the same samples on a core of
// the host. Default: auto, 40 on a GPU and 10 elsewhere; the unit box of CELLS^3 cubes, order 3.
//
// A batch is as the monitors' (monitor/point_recorder.h). Bytes are those of the recorded samples,
// read once, and of the sums, read and written once; operations two a multiply-add. Times are the
// least of five; those of the record are of fields at points from the state.
#include "problem.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/device.h"
#include "evolve/probes.h"
#include "evolve/transform.h"
#include "monitor/point_recorder.h"
#include "par/comm.h"
#include "tune/ceiling.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 3, FIELDS = 6, ROUNDS = 5 };

typedef struct bench {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    sedge_mesh *mesh;
    sedge_element *element;
    sedge_problem problem;
    sedge_evolution *evolution;
    sedge_ceilings ceilings;
    double *u;
} bench;

// What is measured: all nodes of some elements, or as many points of elements at the surface.
typedef struct bench_case {
    const char *name;
    int32_t elements;
    int frequencies;
} bench_case;

typedef struct bench_row {
    int points, batch;
    double record, transform, plain; // seconds of a batch
} bench_row;

static sedge_status make_probes(sedge_probes **out, const bench *b, int32_t elements, int *batch)
{
    const int nodes = b->element->nodes;
    const int count = (int)elements * nodes;
    int32_t *element = NULL;
    int32_t *row = NULL;
    double *weights = NULL;
    sedge_status status;

    *batch = sedge_point_recorder_fit(count, FIELDS);
    SEDGE_TRY_GOTO(status, sedge_allocate(&element, count, sizeof *element));
    SEDGE_TRY_GOTO(status, sedge_allocate(&row, count, sizeof *row));
    SEDGE_TRY_GOTO(status, sedge_allocate(&weights, (int64_t)nodes * nodes, sizeof *weights));
    for (int n = 0; n < nodes; n++) weights[n * nodes + n] = 1.0;
    for (int i = 0; i < count; i++) {
        element[i] = (int32_t)((int64_t)(i / nodes) * b->mesh->elements / elements);
        row[i] = i % nodes;
    }
    const sedge_probe_points points = {count, element, row, nodes, weights};
    status = sedge_probes_create(out, b->evolution, &points, *batch);
done:
    sedge_release(element);
    sedge_release(row);
    sedge_release(weights);
    return status;
}

// The sums of all values, one sample after the other.
static void add_plainly(double *sums, const double *phases, const double *values, int64_t count,
                        int numbers, int samples)
{
    for (int64_t v = 0; v < count; v++) {
        double *const sum = sums + v * numbers;
        for (int s = 0; s < samples; s++) {
            const double x = values[s * count + v];
            for (int k = 0; k < numbers; k++) sum[k] += phases[s * numbers + k] * x;
        }
    }
}

static sedge_status time_batches(bench_row *row, const bench *b, sedge_probes *probes,
                                 sedge_transform *transform, const double *phases)
{
    row->record = row->transform = DBL_MAX;
    for (int round = -1; round < ROUNDS; round++) { // the first is not counted
        sedge_probes_forget(probes);
        SEDGE_TRY(sedge_evolution_wait(b->evolution));
        const double start = sedge_clock();
        for (int s = 0; s < row->batch; s++) SEDGE_TRY(sedge_probes_record(probes));
        SEDGE_TRY(sedge_evolution_wait(b->evolution));
        const double recorded = sedge_clock();
        SEDGE_TRY(sedge_transform_add(transform, phases));
        SEDGE_TRY(sedge_evolution_wait(b->evolution));
        if (round < 0) continue;
        row->record = fmin(row->record, recorded - start);
        row->transform = fmin(row->transform, sedge_clock() - recorded);
    }
    return SEDGE_OK;
}

// Time the plain loop, and compare what it adds with what the device has added.
static sedge_status compare(bench_row *row, const bench_case *c, sedge_probes *probes,
                            sedge_transform *transform, const double *phases)
{
    const int64_t count = (int64_t)row->points * FIELDS;
    const int numbers = 2 * c->frequencies;
    double *values = NULL;
    double *sums = NULL;
    double *expected = NULL;
    double worst = 0.0;
    double size = DBL_MIN;
    int samples;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&values, count * row->batch, sizeof *values));
    SEDGE_TRY_GOTO(status, sedge_allocate(&sums, count * numbers, sizeof *sums));
    SEDGE_TRY_GOTO(status, sedge_allocate(&expected, count * numbers, sizeof *expected));
    SEDGE_TRY_GOTO(status, sedge_probes_fetch(probes, values, &samples));
    const double start = sedge_clock();
    add_plainly(expected, phases, values, count, numbers, samples);
    row->plain = sedge_clock() - start;
    SEDGE_TRY_GOTO(status, sedge_transform_get(transform, sums));
    for (int64_t i = 0; i < count * numbers; i++) {
        worst = fmax(worst, fabs(sums[i] - (ROUNDS + 1) * expected[i]));
        size = fmax(size, fabs(expected[i]));
    }
    if (!(worst <= 1e-12 * size * row->batch))
        status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "%s: off by %.3g of %.3g", c->name, worst, size);
done:
    sedge_release(values);
    sedge_release(sums);
    sedge_release(expected);
    return status;
}

static void print_row(const bench *b, const bench_case *c, const bench_row *row)
{
    const double values = (double)row->points * FIELDS;
    const double products = values * row->batch * 2.0 * c->frequencies;
    const double bytes = values * 8.0 * (row->batch + 4.0 * c->frequencies);
    const double floor = sedge_ceilings_floor(&b->ceilings, bytes, 2.0 * products);

    printf("| %s | %d | %d | %d | %.3f | %.3f | %.3f | %.2f | %.1f |\n", c->name, row->points,
           c->frequencies, row->batch, 1e6 * row->record / row->batch,
           1e6 * row->transform / row->batch, 0.5e-9 * products / row->transform,
           floor / row->transform, row->plain / row->transform);
}

static sedge_status measure(const bench *b, const bench_case *c)
{
    static const int component[FIELDS] = {0, 1, 2, 3, 4, 5};
    bench_row row = {.points = (int)c->elements * b->element->nodes};
    sedge_probes *probes = NULL;
    sedge_transform *transform = NULL;
    double *phases = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_probes(&probes, b, c->elements, &row.batch));
    const sedge_transform_part part = {0, row.points, FIELDS, component, 2 * c->frequencies};
    SEDGE_TRY_GOTO(status, sedge_transform_create(&transform, probes, &part));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&phases, 2LL * c->frequencies * row.batch, sizeof *phases));
    for (int64_t i = 0; i < (int64_t)c->frequencies * row.batch; i++) {
        phases[2 * i] = cos(0.37 * (double)i);
        phases[2 * i + 1] = -sin(0.37 * (double)i);
    }
    SEDGE_TRY_GOTO(status, time_batches(&row, b, probes, transform, phases));
    SEDGE_TRY_GOTO(status, compare(&row, c, probes, transform, phases));
    print_row(b, c, &row);
done:
    sedge_release(phases);
    sedge_transform_free(transform);
    sedge_probes_free(probes);
    return status;
}

static sedge_status run(bench *b, const char *device, int cells)
{
    const sedge_operator_options options = {.tune = SEDGE_TUNE_OFF};

    SEDGE_TRY(sedge_device_create(&b->device, device, 0, 1));
    SEDGE_TRY(sedge_cache_create(&b->cache, NULL));
    if (cells == 0) cells = sedge_device_get_traits(b->device)->gpu_rules ? 40 : 10;
    SEDGE_TRY(bench_mesh_create(&b->mesh, b->comm, NULL, cells, SEDGE_NUMBERING_CLUSTERS, false));
    SEDGE_TRY(sedge_element_create(&b->element, ORDER));
    SEDGE_TRY(bench_problem_init(&b->problem, b->mesh, ORDER, SEDGE_FP32));
    SEDGE_TRY(sedge_evolution_create(&b->evolution, b->comm, b->device, b->cache, b->element,
                                     b->mesh, &b->problem, &options));
    SEDGE_TRY(bench_state_create(&b->u, b->mesh, b->element));
    SEDGE_TRY(sedge_evolution_set(b->evolution, b->u));
    SEDGE_TRY(sedge_ceilings_get(&b->ceilings, b->comm, b->device, b->cache, 8, false));
    printf("%s, %d tets, order %d, fp32; copy %.1f GB/s, %.1f Gflop/s in fp64\n\n",
           sedge_device_get_info(b->device)->name, b->mesh->elements, ORDER,
           1e-9 * b->ceilings.copy, 1e-9 * b->ceilings.flops);
    printf("| what | points | frequencies | batch | record, us a sample | transform, us a sample | "
           "G complex multiply-adds/s | of floor | x plain loop |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    const int32_t some = b->mesh->elements < 500 ? b->mesh->elements : b->mesh->elements / 20;
    const bench_case cases[] = {
        {"some elements", some, 1},
        {"some elements", some, 50},
        {"all elements", b->mesh->elements, 1},
        {"all elements", b->mesh->elements, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) SEDGE_TRY(measure(b, &cases[i]));
    return SEDGE_OK;
}

int main(int argc, char **argv)
{
    static bench b;
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks

    if (status == SEDGE_OK) status = sedge_comm_create(&b.comm, NULL);
    if (status == SEDGE_OK) {
        status =
            run(&b, argc > 1 ? argv[1] : "auto", argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
    }
    (void)fflush(stdout);
    if (status != SEDGE_OK)
        (void)fprintf(stderr, "sedge-bench-transform: %s\n", sedge_error_message());
    sedge_release(b.u);
    sedge_evolution_free(b.evolution);
    sedge_problem_clear(&b.problem);
    sedge_element_free(b.element);
    sedge_mesh_free(b.mesh);
    sedge_cache_free(b.cache);
    sedge_device_free(b.device);
    sedge_device_stop_helper();
    sedge_comm_free(b.comm);
    return sedge_status_exit_code(status);
}
