#include "poisson_configs.h"

#include "base/memory.h"
#include "program/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CUTS_MOST     4096
#define REGISTERS     65536 // of a multiprocessor
#define SHARED_BYTES  (227 * 1024)
#define THREADS_MOST  2048
#define BLOCK_THREADS 512

typedef struct config_case {
    sedge_elliptic_options config;
    double guess; // the less, the sooner it is tried
} config_case;

static int tiles_of(int nodes, int tile)
{
    return (nodes + tile - 1) / tile;
}

static int round_up(int count, int step)
{
    return (count + step - 1) / step * step;
}

// 32-bit registers of an item, about.
static int count_registers(const sedge_elliptic_options *config, int words)
{
    const int n = config->item_nodes;
    const int e = config->item_elements;
    const int w = config->weak_nodes;
    const int slopes = 4 * n * e + 3 * n + e;
    const int weak = w * e + 3 * w + 3 * e;

    return 24 + words * (slopes > weak ? slopes : weak);
}

// How long it may take, in any unit: words that an element's items take from the L1 unit, and
// products, stretched where few warps are there to hide waiting.
static double guess(const sedge_elliptic_options *config, const sedge_element *element, int warps)
{
    const double n = config->item_nodes;
    const double e = config->item_elements;
    const double w = config->weak_nodes;
    const double nodes = element->nodes;
    const double points = 4.0 * element->face_nodes;
    const double tiles = tiles_of(element->nodes, config->item_nodes);
    const double weak = tiles_of(element->nodes, config->weak_nodes);
    const double loads = tiles * (2.0 * nodes * (3.0 * n / e + 1.0) + points * (n / e + 1.0)) +
                         weak * (nodes * (3.0 * w / e + 3.0) + points * (w / e + 1.0));
    const double products = tiles * n * (6.0 * nodes + points) + weak * w * (3.0 * nodes + points);

    return (loads + 0.25 * products) * (1.0 + 8.0 / warps);
}

// The configuration with registers limited for as many blocks as fit, or one more than fit by
// registers.
static void add_case(config_case *list, int *count, const sedge_element *element,
                     sedge_elliptic_options config, int words, int more)
{
    const int points = 4 * element->face_nodes;
    const int nodes = element->nodes;
    const int rest = points > 2 * nodes ? points + nodes : 3 * nodes;
    const int bytes = config.block_elements * ((points + rest) | 1) * words * 4 + 1024;
    const int tiles = tiles_of(nodes, config.item_nodes);
    const int weak = tiles_of(nodes, config.weak_nodes);
    const int threads =
        round_up((tiles > weak ? tiles : weak) * config.block_elements / config.item_elements, 32);
    int blocks = SHARED_BYTES / bytes;

    if (threads > BLOCK_THREADS || threads < 64 || *count == CUTS_MOST) return;
    if (blocks > THREADS_MOST / threads) blocks = THREADS_MOST / threads;
    const int by_registers =
        REGISTERS / (round_up(count_registers(&config, words), 8) * threads) + more;
    if (by_registers < blocks) {
        blocks = by_registers;
    } else if (more > 0) {
        return;
    }
    if (blocks < 1 || blocks * threads < 192) return;
    config.resident = blocks * threads;
    list[*count].config = config;
    list[*count].guess = guess(&config, element, config.resident / 32) * (more > 0 ? 1.1 : 1.0);
    ++*count;
}

static int compare_cases(const void *a, const void *b)
{
    const double x = ((const config_case *)a)->guess;
    const double y = ((const config_case *)b)->guess;

    return x < y ? -1 : x > y;
}

// Do they differ in the size of the block and the limit of registers only?
static bool is_like(const sedge_elliptic_options *a, const sedge_elliptic_options *b)
{
    return a->item_nodes == b->item_nodes && a->weak_nodes == b->weak_nodes &&
           a->item_elements == b->item_elements;
}

static int list_cases(config_case *list, const sedge_element *element, int words)
{
    static const int together[3] = {1, 2, 4};
    int count = 0;

    for (int tile = 2; tile <= 6; tile++) {
        for (int weak = 3; weak <= 7; weak++) {
            for (int e = 0; e < 3; e++) {
                for (int block = 4; block <= 256; block *= 2) {
                    const sedge_elliptic_options config = {.item_nodes = tile,
                                                           .weak_nodes = weak,
                                                           .item_elements = together[e],
                                                           .block_elements = block};
                    if (tile > element->nodes || weak > element->nodes + 1) continue;
                    if (block < 4 * together[e]) continue;
                    add_case(list, &count, element, config, words, 0);
                    add_case(list, &count, element, config, words, 1);
                }
            }
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare_cases);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int like = 0;
        for (int k = 0; k < kept; k++) like += is_like(&list[k].config, &list[i].config);
        if (like < 3) list[kept++] = list[i];
    }
    return kept;
}

// The same for matrix units: loads are of 256 bytes a warp, and a product takes as long as two.
static double guess_matrix(const sedge_elliptic_options *config, const sedge_element *element,
                           int warps)
{
    const double rows = config->item_elements / 16.0;
    const double tiles = config->item_nodes / 8.0;
    const double weak = config->weak_nodes / 8.0;
    const double terms = element->nodes / 4.0;
    const double faces = element->face_nodes;
    const double groups = tiles_of(element->nodes, config->item_nodes);
    const double weak_groups = tiles_of(element->nodes, config->weak_nodes);
    const double loads =
        groups * (2.0 * terms * (3.0 * tiles + 2.0 * rows) + faces * (tiles + 2.0 * rows)) +
        weak_groups * (3.0 * terms + faces) * (weak + 2.0 * rows);
    const double products = groups * tiles * rows * (6.0 * terms + faces) +
                            weak_groups * weak * rows * (3.0 * terms + faces);

    return (loads + products) / rows * (1.0 + 8.0 / warps);
}

static void add_matrix_case(config_case *list, int *count, const sedge_element *element,
                            sedge_elliptic_options config)
{
    const int points = 4 * element->face_nodes;
    const int nodes = element->nodes;
    const int u = round_up(nodes, 4);
    const int slopes = round_up(3 * nodes, 4);
    const int rest = points + u > slopes ? points + u : slopes;
    const int bytes = config.block_elements * ((points + rest + 3) / 8 * 8 + 4) * 8 + 1024;
    const int rows = config.item_elements / 16;
    const int tiles = config.item_nodes / 8;
    const int weak = config.weak_nodes / 8;
    const int groups = tiles_of(nodes, config.item_nodes);
    const int weak_groups = tiles_of(nodes, config.weak_nodes);
    const int threads = 32 * (groups > weak_groups ? groups : weak_groups) * config.block_elements /
                        config.item_elements;
    const int first = 48 + 2 * (16 * rows * tiles + 3 * tiles + 2 * rows);
    const int second = 48 + 2 * (4 * rows * weak + weak + 2 * rows);
    const int registers = first > second ? first : second;
    int blocks = SHARED_BYTES / bytes;

    if (threads > 1024 || threads < 64 || *count == CUTS_MOST) return;
    if (blocks > THREADS_MOST / threads) blocks = THREADS_MOST / threads;
    if (blocks > REGISTERS / (round_up(registers, 8) * threads))
        blocks = REGISTERS / (round_up(registers, 8) * threads);
    if (blocks < 1 || blocks * threads < 192) return;
    config.resident = blocks * threads;
    list[*count].config = config;
    list[*count].guess = guess_matrix(&config, element, config.resident / 32);
    ++*count;
}

static int list_matrix_cases(config_case *list, const sedge_element *element)
{
    int count = 0;

    for (int tiles = 1; tiles <= 4; tiles++) {
        for (int weak = 1; weak <= 6; weak++) {
            for (int rows = 1; rows <= 2; rows++) {
                for (int block = 16 * rows; block <= 128; block *= 2) {
                    const sedge_elliptic_options config = {.matrix = true,
                                                           .item_nodes = 8 * tiles,
                                                           .weak_nodes = 8 * weak,
                                                           .item_elements = 16 * rows,
                                                           .block_elements = block};
                    if (8 * tiles >= element->nodes + 8 || 8 * weak >= element->nodes + 8) continue;
                    add_matrix_case(list, &count, element, config);
                }
            }
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare_cases);
    return count;
}

sedge_status bench_run_apply(void *context, sedge_stream *stream)
{
    const bench_apply *const job = context;

    return sedge_elliptic_apply(job->op, stream, job->x, job->y);
}

// Largest difference by the largest value; what is compared with is set by the first call.
static sedge_status find_difference(double *out, const bench_apply *job, double *first, double *now,
                                    int64_t count, bool fill)
{
    double most = 0.0;
    double largest = 0.0;

    SEDGE_TRY(sedge_elliptic_download(job->op, job->y, fill ? first : now));
    for (int64_t i = 0; i < count && !fill; i++) {
        most = fmax(most, fabs(now[i] - first[i]));
        largest = fmax(largest, fabs(first[i]));
    }
    *out = fill ? 0.0 : most / largest;
    return SEDGE_OK;
}

static sedge_status time_config(const bench_configs *bench, const bench_apply *job,
                                const sedge_elliptic_options *config, double *seconds)
{
    sedge_elliptic_cost cost;
    const sedge_status status = sedge_elliptic_configure(job->op, config);

    if (status == SEDGE_ERR_DEVICE || status == SEDGE_ERR_USAGE) {
        printf("   n%d,%d e%d b%d r%d: %s\n", config->item_nodes, config->weak_nodes,
               config->item_elements, config->block_elements, config->resident,
               sedge_error_message());
        return SEDGE_OK;
    }
    SEDGE_TRY(status);
    SEDGE_TRY(sedge_time(seconds, bench->device, 3, bench_run_apply, (void *)(uintptr_t)job));
    sedge_elliptic_get_cost(job->op, &cost);
    printf("%d  %9.1f us %8.2f GDOF/s  %sn%d,%d e%d b%d t%d r%d, %lld KiB\n", bench->element->order,
           1e6 * *seconds, 1e-9 * bench->mesh->elements * bench->element->nodes / *seconds,
           cost.matrix ? "m " : "", cost.item_nodes, cost.weak_nodes, cost.item_elements,
           cost.block_elements, cost.threads, cost.resident, (long long)cost.shared_bytes / 1024);
    return SEDGE_OK;
}

static sedge_status time_cuts(const bench_configs *bench, const bench_apply *job, double *values,
                              config_case *list)
{
    const int words = bench->problem->precision == SEDGE_FP64 ? 2 : 1;
    const double allowed = words == 2 ? 1e-12 : 1e-4;
    const int64_t count = (int64_t)bench->mesh->elements * bench->element->nodes;
    const int cases = bench->matrix ? list_matrix_cases(list, bench->element)
                                    : list_cases(list, bench->element, words);
    double *const first = values;
    double *const now = values + count;

    for (int64_t i = 0; i < count; i++) values[i] = sin((double)(i % 9973));
    SEDGE_TRY(sedge_elliptic_upload(job->op, job->x, values));
    SEDGE_TRY(bench_run_apply((void *)(uintptr_t)job, NULL));
    double difference = 0.0;
    SEDGE_TRY(find_difference(&difference, job, first, now, count, true));
    for (int i = 0; i < cases && i < bench->configs; i++) {
        double seconds = 0.0;
        if (i % bench->parts != bench->part) continue;
        SEDGE_TRY(time_config(bench, job, &list[i].config, &seconds));
        // The host's turn is slow: every case on small meshes, else those that are looked at.
        if (seconds == 0.0 || count > 1000000) continue;
        SEDGE_TRY(find_difference(&difference, job, first, now, count, false));
        if (!(difference <= allowed)) printf("   WRONG by %.1e of the largest value\n", difference);
    }
    return SEDGE_OK;
}

sedge_status bench_time_configs(const bench_configs *bench)
{
    const sedge_elliptic_options rule = {.item_nodes = 0};
    const int64_t count = (int64_t)bench->mesh->elements * bench->element->nodes;
    bench_apply job = {.op = NULL};
    sedge_status status;
    config_case *list = NULL;
    double *values = NULL;

    SEDGE_TRY_GOTO(status,
                   sedge_elliptic_create(&job.op, bench->comm, bench->context, bench->element,
                                         bench->mesh, bench->problem, &rule));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&job.x, job.op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&job.y, job.op));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, CUTS_MOST, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&values, 2 * count, sizeof *values));
    SEDGE_TRY_GOTO(status, time_cuts(bench, &job, values, list));
done:
    sedge_release(values);
    sedge_release(list);
    sedge_buffer_free(job.x);
    sedge_buffer_free(job.y);
    sedge_elliptic_free(job.op);
    return status;
}
