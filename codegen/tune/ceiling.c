#include "tune/ceiling.h"

#include "base/memory.h"
#include "tune/group.h"
#include "tune/wisdom.h"

#include <math.h>
#include <stdio.h>

#define COPY_THREADS 256
#define COPY_LEAST   ((int64_t)16 << 20) // bytes of one array, at least
#define COPY_THREAD  ((int64_t)64 << 20) // a thread of the host, at most
#define COPY_GPU     ((int64_t)1 << 30)
#define PATTERN      1024 // bytes at the array's end that are looked at
#define FMA_UNROLL   16
#define FMA_ROUNDS   64         // of the first runs, whose result is looked at
#define FMA_HOST     65536      // the same on the host, however busy it is: 1 to 20 ms
#define FMA_SECONDS  0.003      // of a run that counts
#define WISDOM       "ceilings" // what lines of the file are about
#define RUNS_LEAST   5
#define RUNS_MOST    20
#define RUNS_SECONDS 0.03 // more runs as long as they take no longer together

typedef struct ceiling_run {
    sedge_device *device;
    const sedge_kernel *copy, *fma;
    sedge_buffer *from, *to, *results;
    sedge_stream *stream;
    sedge_event *before, *after;
    int lanes;
    int real_bytes;
    int copy_items; // of a block
    int pack_bytes;
    int fma_items; // of a block
    int fma_chains;
    int64_t fma_blocks;
    int64_t rounds; // FMA_UNROLL multiply-adds of each chain
} ceiling_run;

static void choose_sizes(ceiling_run *run, const sedge_device_info *info, int real_bytes)
{
    run->real_bytes = real_bytes;
    if (sedge_traits_of(info->kind)->in_call) {
        run->lanes = info->vector_bytes / run->real_bytes;
        run->pack_bytes = info->vector_bytes;
        run->copy_items = 65536 / run->pack_bytes;
        run->fma_items = 1;
        run->fma_chains = 12; // two units of latency four at least; fits into 16 registers
        run->fma_blocks = info->multiprocessors;
    } else {
        run->lanes = 1;
        run->pack_bytes = 16;
        run->copy_items = COPY_THREADS;
        run->fma_items = 256;
        run->fma_chains = 8;
        run->fma_blocks = (int64_t)info->multiprocessors * 8;
    }
}

sedge_status sedge_ceilings_text(sedge_text *out, const char **name, const sedge_device_info *info,
                                 int real_bytes)
{
    static const sedge_source sources[] = {{"codegen/kernels/dg/values.h", NULL},
                                           {"codegen/kernels/tune/ceiling.h", NULL}};
    const bool fp64 = real_bytes == 8;
    ceiling_run run = {.device = NULL};
    char constants[512];

    choose_sizes(&run, info, real_bytes);
    *name = fp64 ? "ceiling-fp64" : "ceiling-fp32";
    (void)snprintf(constants, sizeof constants,
                   "#define SEDGE_FP64 %d\n#define SEDGE_LANES %d\n#define SEDGE_PACK %d\n"
                   "#define SEDGE_COPY_THREADS %d\n#define SEDGE_COPY_ITEMS %d\n"
                   "#define SEDGE_FMA_ITEMS %d\n#define SEDGE_FMA_CHAINS %d\n"
                   "#define SEDGE_FMA_UNROLL %d\n",
                   fp64, run.lanes, run.pack_bytes / real_bytes, COPY_THREADS, run.copy_items,
                   run.fma_items, run.fma_chains, FMA_UNROLL);
    const sedge_program_options options = {
        .name = *name, .constants = constants, .sources = sources, .count = 2};
    return sedge_program_write(out, info->kind, &options);
}

static sedge_status make_program(sedge_program **out, const ceiling_run *run,
                                 const sedge_comm *comm, sedge_cache *cache)
{
    const char *name = NULL;
    sedge_status status;
    sedge_text *text = NULL;

    status = sedge_text_create(&text);
    if (status == SEDGE_OK) {
        status =
            sedge_ceilings_text(text, &name, sedge_device_get_info(run->device), run->real_bytes);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    const sedge_program_text whole = {.name = name, .text = sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(out, NULL, comm, run->device, cache, &whole, 1));
done:
    sedge_text_free(text);
    return status;
}

// Two arrays of `bytes` bytes each, or of half as much, and so on.
static sedge_status make_arrays(ceiling_run *run, int64_t bytes)
{
    for (;;) {
        sedge_status status = sedge_buffer_create(&run->from, run->device, bytes);
        if (status == SEDGE_OK) status = sedge_buffer_create(&run->to, run->device, bytes);
        if (status != SEDGE_ERR_MEMORY || bytes / 2 < COPY_LEAST) return status;
        sedge_buffer_free(run->from);
        sedge_buffer_free(run->to);
        run->from = NULL;
        run->to = NULL;
        bytes /= 2;
        sedge_error_clear();
    }
}

// Bytes of one array, where there is room.
static int64_t choose_copy(const sedge_device_info *info, int ranks)
{
    if (sedge_traits_of(info->kind)->gpu_rules) return COPY_GPU;
    // OpenCL may be a processor.
    const int64_t most =
        sedge_traits_of(info->kind)->in_call ? COPY_THREAD * info->multiprocessors : COPY_GPU;
    const int64_t cache = 4 * info->l2_bytes / ranks;
    const int64_t bytes = cache < most ? cache : most;
    return bytes > COPY_LEAST ? bytes : COPY_LEAST;
}

static sedge_status make_local(ceiling_run *run, const sedge_program *program, int ranks)
{
    const int64_t block = (int64_t)run->copy_items * run->pack_bytes;
    const int64_t requested = choose_copy(sedge_device_get_info(run->device), ranks);
    const int64_t bytes = (requested + block - 1) / block * block;

    SEDGE_TRY(sedge_program_get(&run->copy, program, "sedge_copy"));
    SEDGE_TRY(sedge_program_get(&run->fma, program, "sedge_fma"));
    SEDGE_TRY(sedge_stream_create(&run->stream, run->device, false));
    SEDGE_TRY(sedge_event_create(&run->before, run->device));
    SEDGE_TRY(sedge_event_create(&run->after, run->device));
    SEDGE_TRY(make_arrays(run, bytes));
    return sedge_buffer_create(&run->results, run->device,
                               run->fma_blocks * run->fma_items * run->lanes * run->real_bytes);
}

static void free_run(ceiling_run *run)
{
    sedge_buffer_free(run->from);
    sedge_buffer_free(run->to);
    sedge_buffer_free(run->results);
    sedge_event_free(run->before);
    sedge_event_free(run->after);
    sedge_stream_free(run->stream);
}

// Launch one kernel and wait for it.
static sedge_status time_kernel(ceiling_run *run, double *seconds, const sedge_kernel *kernel,
                                int64_t blocks, int threads, void *const *arguments, int count)
{
    SEDGE_TRY(sedge_event_record(run->before, run->stream));
    SEDGE_TRY(sedge_kernel_launch(kernel, run->stream, blocks, threads, arguments, count));
    SEDGE_TRY(sedge_event_record(run->after, run->stream));
    SEDGE_TRY(sedge_stream_wait(run->stream));
    return sedge_event_seconds(seconds, run->before, run->after);
}

typedef sedge_status (*ceiling_step)(ceiling_run *run, double *seconds);

// This rank's seconds in the run that was shortest for the slowest rank; all start together.
// Collective.
static sedge_status find_best(ceiling_run *run, const sedge_comm *comm, ceiling_step step,
                              double *best)
{
    sedge_status status = SEDGE_OK;
    double shortest = HUGE_VAL;
    double used = 0.0;

    for (int i = 0; i < RUNS_MOST && (i < RUNS_LEAST || used < RUNS_SECONDS); i++) {
        double mine = 0.0;
        sedge_comm_barrier(comm);
        if (status == SEDGE_OK) status = step(run, &mine);
        double slowest = mine;
        sedge_comm_max(comm, &slowest, 1);
        used += slowest;
        if (slowest < shortest) {
            shortest = slowest;
            *best = mine;
        }
    }
    return sedge_comm_agree(comm, status);
}

// ---- copy --------------------------------------------------------------------------------------

static sedge_status copy_array(ceiling_run *run, double *seconds, const sedge_buffer *source,
                               const sedge_buffer *target)
{
    uint64_t from = sedge_buffer_address(source);
    uint64_t to = sedge_buffer_address(target);
    void *const arguments[] = {&from, &to};
    const int64_t blocks =
        sedge_buffer_bytes(source) / ((int64_t)run->copy_items * run->pack_bytes);

    return time_kernel(run, seconds, run->copy, blocks, COPY_THREADS, arguments, 2);
}

static sedge_status copy_once(ceiling_run *run, double *seconds)
{
    return copy_array(run, seconds, run->from, run->to);
}

static unsigned char pattern_byte(int i)
{
    return (unsigned char)(i % 251 + 1);
}

// Write both arrays once: before that their pages may be one and the same. A pattern at the end of
// the first.
static sedge_status start_copy(ceiling_run *run)
{
    unsigned char pattern[PATTERN];
    double seconds;

    SEDGE_TRY(copy_array(run, &seconds, run->to, run->from));
    for (int i = 0; i < PATTERN; i++) pattern[i] = pattern_byte(i);
    SEDGE_TRY(sedge_buffer_upload(run->from, sedge_buffer_bytes(run->from) - PATTERN, pattern,
                                  PATTERN, NULL));
    return copy_once(run, &seconds);
}

static sedge_status check_copy(ceiling_run *run)
{
    const int64_t bytes = sedge_buffer_bytes(run->to);
    unsigned char copied[PATTERN];

    SEDGE_TRY(sedge_buffer_download(run->to, bytes - PATTERN, copied, PATTERN, NULL));
    for (int i = 0; i < PATTERN; i++) {
        if (copied[i] == pattern_byte(i)) continue;
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the device's copy of %lld bytes is wrong at byte %lld",
                          (long long)bytes, (long long)(bytes - PATTERN + i));
    }
    return SEDGE_OK;
}

static sedge_status measure_copy(ceiling_run *run, const sedge_comm *comm, double *rate)
{
    double best = HUGE_VAL;

    SEDGE_TRY(sedge_comm_agree(comm, start_copy(run)));
    SEDGE_TRY(find_best(run, comm, copy_once, &best));
    *rate = 2.0 * (double)sedge_buffer_bytes(run->to) / best;
    return sedge_comm_agree(comm, check_copy(run));
}

// ---- multiply-adds -----------------------------------------------------------------------------

// a -> x a + y tends to 3 slowly: after n rounds 3 + (a - 3) x^n. Both numbers are exact in fp32.
static const double fma_x = 1.0 - 1.0 / 1024.0;
static const double fma_y = 3.0 / 1024.0;

static sedge_status fma_once(ceiling_run *run, double *seconds)
{
    uint64_t results = sedge_buffer_address(run->results);
    double x = fma_x;
    double y = fma_y;
    float narrow[2] = {(float)fma_x, (float)fma_y};
    const bool fp64 = run->real_bytes == 8;
    void *const arguments[] = {&results, fp64 ? (void *)&x : &narrow[0],
                               fp64 ? (void *)&y : &narrow[1], &run->rounds};

    return time_kernel(run, seconds, run->fma, run->fma_blocks, run->fma_items, arguments, 4);
}

// Every result against the closed form. Rounding: an error of half a unit in each of the 1024 steps
// of a chain is 6e-5 of its value in fp32.
static sedge_status check_fma(ceiling_run *run)
{
    const int64_t bytes = sedge_buffer_bytes(run->results);
    const int64_t count = bytes / run->real_bytes;
    const double left = pow(fma_x, (double)(run->rounds * FMA_UNROLL));
    sedge_status status;
    void *results = NULL;

    SEDGE_TRY(sedge_allocate(&results, bytes, 1));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(run->results, 0, results, bytes, NULL));
    for (int64_t i = 0; i < count; i++) {
        const double item = (double)(i / run->lanes % run->fma_items);
        const double chains = run->fma_chains;
        const double start = chains * item + 0.5 * chains * (chains - 1.0);
        const double expected = 3.0 * chains + (start - 3.0 * chains) * left;
        const double got =
            run->real_bytes == 8 ? ((double *)results)[i] : (double)((float *)results)[i];
        if (!(fabs(got - expected) <= 1e-3 * expected)) {
            status =
                SEDGE_FAIL(SEDGE_ERR_DEVICE,
                           "multiply-adds on the device gave %.9g instead of %.9g", got, expected);
            break;
        }
    }
done:
    sedge_release(results);
    return status;
}

static sedge_status start_fma(ceiling_run *run, double *seconds)
{
    *seconds = HUGE_VAL;
    run->rounds = FMA_ROUNDS;
    for (int i = 0; i < RUNS_LEAST; i++) {
        double mine;
        SEDGE_TRY(fma_once(run, &mine));
        *seconds = fmin(*seconds, mine);
    }
    return check_fma(run);
}

static sedge_status measure_fma(ceiling_run *run, const sedge_comm *comm, double *rate)
{
    double seconds = 0.0;
    double best = HUGE_VAL;

    SEDGE_TRY(sedge_comm_agree(comm, start_fma(run, &seconds)));
    run->rounds = (int64_t)(FMA_ROUNDS * fmin(fmax(FMA_SECONDS / fmax(seconds, 1e-9), 1.0), 1e4));
    if (sedge_device_get_traits(run->device)->in_call) run->rounds = FMA_HOST;
    SEDGE_TRY(find_best(run, comm, fma_once, &best));
    *rate = 2.0 * (double)run->rounds * FMA_UNROLL * run->fma_chains * run->lanes * run->fma_items *
            (double)run->fma_blocks / best;
    return sedge_comm_agree(comm, check_fma(run));
}

// ---- both --------------------------------------------------------------------------------------

sedge_status sedge_ceilings_measure(sedge_ceilings *out, const sedge_comm *comm,
                                    sedge_device *device, sedge_cache *cache, int real_bytes)
{
    sedge_status status;
    sedge_program *program = NULL;
    ceiling_run run = {.device = device};

    *out = (sedge_ceilings){0.0, 0.0};
    choose_sizes(&run, sedge_device_get_info(device), real_bytes);
    SEDGE_TRY_GOTO(status, make_program(&program, &run, comm, cache));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, make_local(&run, program, sedge_comm_node_size(comm))));
    SEDGE_TRY_GOTO(status, measure_copy(&run, comm, &out->copy));
    SEDGE_TRY_GOTO(status, measure_fma(&run, comm, &out->flops));
done:
    if (status != SEDGE_OK) *out = (sedge_ceilings){0.0, 0.0};
    free_run(&run);
    sedge_program_free(program);
    return status;
}

// ---- wisdom ------------------------------------------------------------------------------------

static sedge_status hash_source(char hash[SEDGE_HASH_TEXT], const sedge_device *device,
                                int real_bytes)
{
    const char *name;
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status,
                   sedge_ceilings_text(text, &name, sedge_device_get_info(device), real_bytes));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&all, hash);
done:
    sedge_text_free(text);
    return status;
}

static sedge_status make_key(json_t **key, sedge_hash *hash, const sedge_comm *comm,
                             const sedge_device *device, int real_bytes)
{
    char source[SEDGE_HASH_TEXT];

    SEDGE_TRY(hash_source(source, device, real_bytes));
    SEDGE_TRY(sedge_wisdom_key(key, WISDOM, device));
    SEDGE_TRY(sedge_wisdom_need(
        json_object_set_new(*key, "source", json_string(source)) == 0 ? *key : NULL));
    SEDGE_TRY(sedge_wisdom_need(
        json_object_set_new(*key, "precision", json_string(real_bytes == 8 ? "fp64" : "fp32")) == 0
            ? *key
            : NULL));
    SEDGE_TRY(sedge_wisdom_need(
        json_object_set_new(*key, "ranks", json_integer(sedge_comm_node_size(comm))) == 0 ? *key
                                                                                          : NULL));
    return sedge_wisdom_hash(hash, *key);
}

// Both 0 where nothing is known.
static sedge_status recall(sedge_ceilings *out, const sedge_cache *cache, const json_t *key)
{
    json_t *lines = NULL;

    SEDGE_TRY(sedge_wisdom_read(&lines, cache, WISDOM));
    const json_t *const line = sedge_wisdom_find(lines, key, 0);
    const double copy = json_number_value(json_object_get(line, "copy"));
    const double flops = json_number_value(json_object_get(line, "flops"));
    if (copy > 0.0 && flops > 0.0) *out = (sedge_ceilings){.copy = copy, .flops = flops};
    json_decref(lines);
    return SEDGE_OK;
}

static sedge_status keep(sedge_cache *cache, json_t *key, const sedge_ceilings *ceilings)
{
    json_t *const line =
        json_pack("{s:O, s:f, s:f}", "key", key, "copy", ceilings->copy, "flops", ceilings->flops);

    SEDGE_TRY(sedge_wisdom_need(line));
    sedge_wisdom_write(cache, WISDOM, line, true);
    json_decref(line);
    return SEDGE_OK;
}

sedge_status sedge_ceilings_get(sedge_ceilings *out, const sedge_comm *comm, sedge_device *device,
                                sedge_cache *cache, int real_bytes, bool forget)
{
    sedge_group group = {.hashes = NULL};
    sedge_hash hash = {{0}};
    json_t *key = NULL;
    sedge_status status;

    *out = (sedge_ceilings){0.0, 0.0};
    status = make_key(&key, &hash, comm, device, real_bytes);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_group_init(&group, comm, &hash, true));
    if (group.is_owner && !forget) status = recall(out, cache, key);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_group_give(&group, out, sizeof *out);
    int64_t missing = forget || !(out->copy > 0.0);
    sedge_comm_max_int(comm, &missing, 1);
    if (missing == 0) goto done;
    SEDGE_TRY_GOTO(status, sedge_ceilings_measure(out, comm, device, cache, real_bytes));
    if (group.is_owner) status = keep(cache, key, out);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_group_free(&group);
    json_decref(key);
    return status;
}

void sedge_ceilings_try(sedge_ceilings *out, const sedge_comm *comm, sedge_device *device,
                        sedge_cache *cache, int real_bytes, bool requested)
{
    int64_t any = requested;

    *out = (sedge_ceilings){0.0, 0.0};
    sedge_comm_max_int(comm, &any, 1);
    if (any && sedge_ceilings_get(out, comm, device, cache, real_bytes, false) != SEDGE_OK) {
        *out = (sedge_ceilings){0.0, 0.0};
        sedge_error_clear();
    }
}

double sedge_ceilings_floor(const sedge_ceilings *ceilings, double bytes, double flops)
{
    if (!(ceilings->copy > 0.0) || !(ceilings->flops > 0.0)) return 0.0;
    return fmax(bytes / ceilings->copy, flops / ceilings->flops);
}

double sedge_ceilings_fraction(const sedge_ceilings *ceilings, double bytes, double flops,
                               double seconds)
{
    const double floor = sedge_ceilings_floor(ceilings, bytes, flops);

    return floor > 0.0 && seconds > 0.0 ? floor / seconds : -1.0;
}
