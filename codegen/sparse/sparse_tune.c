// The tuner's view of one matrix: layouts are formats, which are built when their turn comes.
#include "sparse/sparse_tune.h"

#include "base/memory.h"
#include "sparse/sparse_format.h"
#include "sparse/sparse_launch.h"
#include "tune/ceiling.h"

#include <math.h>
#include <string.h>

#define READS_FASTER 1.2 // than a copy, at most, bytes a second
#define MODEL_WRONG  0.8 // bytes of blocks, packets and other orders are estimated
#define SERIAL_LEAST \
    4e-8 // seconds of a GPU's item for an entry of a long row: 1.5e-7 and more seen

typedef struct trial {
    sedge_context *context;
    const sedge_sparse_matrix *matrix;
    const sedge_sparse_choices *choices;
    bool dot;
    sedge_cusparse *cusparse;
    sedge_sparse_store *store; // of the layout in use
    int layout;
    sedge_sparse_programs programs[SEDGE_SPARSE_CANDIDATES];
    const sedge_program *program_of[SEDGE_SPARSE_CANDIDATES]; // that they were made with
    sedge_buffer *x, *y, *w, *sums, *parts, *product;
    double *right, *bound; // [rows]: the reference's y, and what its error is measured by
    double right_dot, bound_dot;
    double *host_x, *host_w;
} trial;

// ---- the reference -----------------------------------------------------------------------------

// In [-1, 1), 24 bits: exact as a float. Splitmix64 of the index.
static double some_number(int64_t i)
{
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 40) * 0x1p-23 - 1.0;
}

static sedge_status make_vector(sedge_buffer **out, double *host, const trial *t, int64_t count)
{
    const int size = t->matrix->real_bytes;
    sedge_status status;
    void *values = NULL;

    for (int64_t i = 0; i < count; i++) host[i] = some_number(i);
    SEDGE_TRY_GOTO(status, sedge_allocate(&values, count, (size_t)size));
    for (int64_t i = 0; i < count; i++) sedge_sparse_set(values, i, host[i], size);
    SEDGE_TRY_GOTO(
        status, sedge_sparse_upload(out, sedge_context_device(t->context), values, count * size));
done:
    sedge_release(values);
    return status;
}

static sedge_status make_vectors(trial *t)
{
    const sedge_csr *const csr = &t->matrix->csr;
    sedge_device *const device = sedge_context_device(t->context);

    SEDGE_TRY(sedge_allocate(&t->host_x, csr->columns, sizeof *t->host_x));
    SEDGE_TRY(sedge_allocate(&t->host_w, csr->rows, sizeof *t->host_w));
    SEDGE_TRY(make_vector(&t->x, t->host_x, t, csr->columns));
    SEDGE_TRY(make_vector(&t->w, t->host_w, t, csr->rows));
    SEDGE_TRY(sedge_buffer_create(&t->y, device, csr->rows * t->matrix->real_bytes));
    SEDGE_TRY(sedge_buffer_create(&t->sums, device, (int64_t)SEDGE_SPARSE_SUMS * 8));
    if (t->dot && t->cusparse != NULL)
        SEDGE_TRY(sedge_buffer_create(&t->product, device, csr->rows * t->matrix->real_bytes));
    return SEDGE_OK;
}

static void trial_clear(trial *t)
{
    sedge_sparse_store_free(t->store);
    sedge_buffer_free(t->x);
    sedge_buffer_free(t->y);
    sedge_buffer_free(t->w);
    sedge_buffer_free(t->sums);
    sedge_buffer_free(t->parts);
    sedge_buffer_free(t->product);
    sedge_release(t->right);
    sedge_release(t->bound);
    sedge_release(t->host_x);
    sedge_release(t->host_w);
}

// What values and sums in this precision may be off by, of the sum of the terms' sizes: the bound
// of any order of summation (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
static double unit_errors(const sedge_sparse_matrix *matrix, int64_t terms)
{
    const double unit = matrix->real_bytes == 8 ? 0x1p-53 : 0x1p-24;
    const double stored = matrix->value_bytes == 8 ? 0.0 : 0x1p-24;

    return (double)(terms + 4) * unit + stored;
}

static sedge_status make_reference(trial *t)
{
    const sedge_csr *const csr = &t->matrix->csr;

    SEDGE_TRY(sedge_allocate(&t->right, csr->rows, sizeof *t->right));
    SEDGE_TRY(sedge_allocate(&t->bound, csr->rows, sizeof *t->bound));
    sedge_csr_apply(csr, 1.0, t->host_x, 0.0, t->right, t->bound, t->matrix->threads);
    for (int64_t r = 0; r < csr->rows; r++) {
        t->bound[r] *= unit_errors(t->matrix, csr->offsets[r + 1] - csr->offsets[r]);
        t->right_dot += t->host_w[r] * t->right[r];
        t->bound_dot += fabs(t->host_w[r]) * (t->bound[r] + 0x1p-20 * fabs(t->right[r]));
    }
    return SEDGE_OK;
}

// ---- callbacks ---------------------------------------------------------------------------------

static sedge_status use_layout(void *context, int layout)
{
    trial *const t = context;

    if (t->store != NULL && t->layout == layout) return SEDGE_OK;
    sedge_sparse_store_free(t->store);
    t->store = NULL;
    t->layout = layout;
    memset(t->program_of, 0, sizeof t->program_of);
    const sedge_status status = sedge_sparse_store_create(&t->store, t->context, t->matrix,
                                                          &t->choices->layout[layout], t->cusparse);
    if (status != SEDGE_ERR_MEMORY || layout == 0) return status;
    char message[512]; // want of memory is this layout's failure only
    (void)snprintf(message, sizeof message, "%s", sedge_error_message());
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s", message);
}

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    trial *const t = context;
    const sedge_sparse_kernel *const kernel = &t->choices->kernel[candidate];

    SEDGE_TRY(use_layout(t, kernel->layout));
    return sedge_sparse_program_write(text,
                                      sedge_device_get_info(sedge_context_device(t->context))->kind,
                                      t->store, kernel, SEDGE_SPARSE_MAIN);
}

// What a call needs beside the candidate's program, once.
static sedge_status prepare(trial *t, int candidate, const sedge_program *program)
{
    const sedge_sparse_kernel *const kernel = &t->choices->kernel[candidate];
    const sedge_kernel *main = NULL;
    const int64_t bytes = 8 * sedge_sparse_parts(t->store, kernel);

    if (t->program_of[candidate] == program) return SEDGE_OK;
    if (t->store->layout.format->multiply == NULL)
        SEDGE_TRY(sedge_program_get(&main, program, "sedge_sparse"));
    SEDGE_TRY(
        sedge_sparse_programs_get(&t->programs[candidate], t->context, t->store, kernel, main));
    if (t->dot && (t->parts == NULL || sedge_buffer_bytes(t->parts) < bytes)) {
        sedge_buffer_free(t->parts);
        t->parts = NULL;
        SEDGE_TRY(sedge_buffer_create(&t->parts, sedge_context_device(t->context), bytes));
    }
    t->program_of[candidate] = program;
    return SEDGE_OK;
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    trial *const t = context;

    SEDGE_TRY(prepare(t, candidate, program)); // which may replace the parts
    const sedge_sparse_call call = {.alpha = 1.0,
                                    .beta = 0.0,
                                    .x = t->x,
                                    .y = t->y,
                                    .w = t->w,
                                    .sums = t->dot ? t->sums : NULL,
                                    .parts = t->parts,
                                    .product = t->product};

    return sedge_sparse_run(t->store, &t->choices->kernel[candidate], &t->programs[candidate],
                            stream, &call);
}

static sedge_status check_rows(const trial *t, const void *y, const char *name)
{
    for (int64_t r = 0; r < t->matrix->csr.rows; r++) {
        const double got =
            t->matrix->real_bytes == 8 ? ((const double *)y)[r] : (double)((const float *)y)[r];
        if (fabs(got - t->right[r]) <= t->bound[r]) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "'%s': row %lld is %.9g, and %.9g is right", name,
                          (long long)r, got, t->right[r]);
    }
    return SEDGE_OK;
}

static sedge_status check_dot(const trial *t, const sedge_sparse_kernel *kernel)
{
    double parts[SEDGE_SPARSE_SUMS];
    const int count = sedge_sparse_sums_of(sedge_sparse_parts(t->store, kernel));
    double got = 0.0;

    SEDGE_TRY(sedge_buffer_download(t->sums, 0, parts, 8 * (int64_t)count, NULL));
    for (int p = 0; p < count; p++) got += parts[p];
    if (fabs(got - t->right_dot) <= t->bound_dot) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "'%s': the dot product is %.9g, and %.9g is right",
                      kernel->name, got, t->right_dot);
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    trial *const t = context;
    const sedge_sparse_kernel *const kernel = &t->choices->kernel[candidate];
    const int64_t bytes = t->matrix->csr.rows * t->matrix->real_bytes;
    sedge_status status;
    void *y = NULL;

    if (t->right == NULL) SEDGE_TRY(make_reference(t));
    SEDGE_TRY_GOTO(status, sedge_allocate(&y, bytes, 1));
    memset(y, 0xff, (size_t)bytes); // not-a-number where a row is left out
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(t->y, 0, y, bytes, NULL));
    SEDGE_TRY_GOTO(status, launch(t, candidate, program, NULL));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(t->y, 0, y, bytes, NULL));
    SEDGE_TRY_GOTO(status, check_rows(t, y, kernel->name));
    if (t->dot) SEDGE_TRY_GOTO(status, check_dot(t, kernel));
done:
    sedge_release(y);
    return status;
}

// ---- the task ----------------------------------------------------------------------------------

static int log2_of(int64_t value)
{
    int bucket = 0;

    while (value >> (bucket + 1) != 0) bucket++;
    return bucket;
}

// What the times depend on: size, lengths of the rows, how far columns are, and how few bytes the
// best format would take for an entry, which tells ordered from disordered.
static void describe(char text[128], const sedge_sparse_matrix *matrix,
                     const sedge_sparse_choices *choices, int layouts)
{
    double least = HUGE_VAL;

    for (int l = 0; l < layouts; l++) least = fmin(least, choices->layout[l].bytes);
    (void)snprintf(text, 128, "2^%d rows, %.2g+-%.1g a row, at most 2^%d, band 2^%d, %.2g bytes",
                   log2_of(matrix->rows), (double)matrix->entries / (double)matrix->rows,
                   matrix->deviation, log2_of(matrix->longest), log2_of(matrix->bandwidth),
                   least / (double)matrix->entries);
}

// Seconds that the item with the most entries takes at least, where there is such a one.
static double find_serial(const trial *t, const sedge_device_info *info,
                          const sedge_sparse_kernel *kernel)
{
    const double longest = (double)t->matrix->longest;

    if (sedge_traits_of(info->kind)->in_call) return 1e-9;
    if (!t->choices->layout[kernel->layout].format->bound_by_rows) return 1e-9;
    return 1e-9 + SERIAL_LEAST * longest / (kernel->lanes > 0 ? kernel->lanes : 1);
}

// Seconds that a call takes at least. In the caches' reach there is no such bound.
static double find_bound(const trial *t, const sedge_sparse_kernel *kernel, double copy_rate)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(t->context));
    const sedge_sparse_layout *const layout = &t->choices->layout[kernel->layout];
    const bool is_exact = !layout->format->is_sampled && layout->order == SEDGE_SPARSE_AS_THEY_COME;
    const double serial = find_serial(t, info, kernel);

    if (!(copy_rate > 0.0) || layout->bytes < 4.0 * (double)info->l2_bytes) return serial;
    return fmax(serial,
                layout->bytes / (READS_FASTER * copy_rate) * (is_exact ? 1.0 : MODEL_WRONG));
}

// Searches of large matrices take longer: bringing one into a format does, and most into another
// order.
static double find_budget(sedge_tune_level level, const trial *t)
{
    const double entries = (double)t->matrix->entries;
    bool has_order = false;

    for (int l = 0; l < t->choices->layouts; l++) {
        const sedge_sparse_layout *const layout = &t->choices->layout[l];
        if (layout->reason[0] == '\0' && layout->order != SEDGE_SPARSE_AS_THEY_COME)
            has_order = true;
    }
    return level == SEDGE_TUNE_FAST ? 2.0 + entries / 5e7 + (has_order ? entries / 1e7 : 0.0) : 0.0;
}

static sedge_status run_task(sedge_sparse_choice *choice, trial *t, const sedge_tune_task *task,
                             const sedge_sparse_options *options, sedge_tune_level level,
                             double copy_rate)
{
    const sedge_tune_options tune = {.level = level,
                                     .budget = find_budget(level, t),
                                     .copy_rate = copy_rate,
                                     .forget = options->forget};
    sedge_tune_result *result = NULL;

    SEDGE_TRY(sedge_tune(&result, options->comm, sedge_context_device(t->context),
                         sedge_context_cache(t->context), task, &tune));
    choice->kernel = result->choice;
    choice->source = result->source;
    choice->tune_seconds = result->seconds;
    sedge_status status = SEDGE_OK;
    if (result->records != NULL) {
        choice->seconds = result->records[choice->kernel].seconds;
        status = sedge_allocate(&choice->records, t->choices->kernels, sizeof *choice->records);
        if (status == SEDGE_OK) {
            memcpy(choice->records, result->records, (size_t)task->count * sizeof *choice->records);
        }
    }
    sedge_tune_result_free(result);
    return status;
}

static sedge_status search(sedge_sparse_choice *choice, trial *t,
                           const sedge_sparse_options *options, sedge_tune_level level, int layouts,
                           int kernels, const char *hash)
{
    const sedge_sparse_choices *const choices = t->choices;
    const sedge_sparse_matrix *const matrix = t->matrix;
    sedge_tune_candidate candidates[SEDGE_SPARSE_CANDIDATES];
    const char *names[SEDGE_SPARSE_LAYOUTS];
    sedge_ceilings ceilings;
    char name[128], size[128];

    sedge_ceilings_try(&ceilings, NULL, sedge_context_device(t->context),
                       sedge_context_cache(t->context), matrix->real_bytes,
                       level != SEDGE_TUNE_OFF);
    for (int l = 0; l < layouts; l++) names[l] = choices->layout[l].name;
    for (int k = 0; k < kernels; k++) {
        const sedge_sparse_kernel *const kernel = &choices->kernel[k];
        candidates[k] = (sedge_tune_candidate){
            .name = kernel->name,
            .layout = kernel->layout,
            .threads = kernel->threads,
            .prior = choices->layout[kernel->layout].prior,
            .bound = find_bound(t, kernel, ceilings.copy),
            .number = {kernel->threads, kernel->lanes, kernel->unroll, kernel->streamed}};
    }
    (void)snprintf(name, sizeof name, "sparse-fp%d-of-fp%d%s", 8 * matrix->real_bytes,
                   8 * matrix->value_bytes, t->dot ? "-dot" : "");
    // What a search among some has found is no choice among all.
    if (options->format != NULL || options->kernel != NULL) {
        const size_t length = strlen(name);
        (void)snprintf(name + length, sizeof name - length, " only %.24s %.24s",
                       options->format != NULL ? options->format : "any",
                       options->kernel != NULL ? options->kernel : "any");
    }
    describe(size, matrix, choices, layouts);
    const sedge_tune_task task = {.name = name,
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = layouts,
                                  .layout_names = names,
                                  .operation = "product",
                                  .count = kernels,
                                  .candidates = candidates,
                                  .context = t,
                                  .use_layout = use_layout,
                                  .text = write_text,
                                  .launch = launch,
                                  .verify = verify};
    return run_task(choice, t, &task, options, level, ceilings.copy);
}

// What one rank can fail at alone: the trial, its vectors, the hash of the sources; and the end of
// the context's work, as the tuner has a stream of its own.
static sedge_status prepare_trial(trial **out, const trial *request, sedge_tune_level level,
                                  char hash[SEDGE_HASH_TEXT])
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    **out = *request;
    if (level != SEDGE_TUNE_OFF) SEDGE_TRY(make_vectors(*out));
    SEDGE_TRY(sedge_sparse_source_hash(
        hash, sedge_device_get_info(sedge_context_device(request->context))->kind));
    return sedge_context_wait(request->context);
}

sedge_status sedge_sparse_tune(sedge_sparse_choice *choice, sedge_context *context,
                               const sedge_sparse_matrix *matrix,
                               const sedge_sparse_choices *choices,
                               const sedge_sparse_options *options, sedge_cusparse *cusparse)
{
    const sedge_tune_level level =
        options->has_tune ? options->tune : sedge_context_tuning(context);
    const trial request = {.context = context,
                           .matrix = matrix,
                           .choices = choices,
                           .dot = options->dot,
                           .cusparse = cusparse};
    char hash[SEDGE_HASH_TEXT];
    sedge_status status = SEDGE_OK;
    trial *t = NULL;
    int layouts = 0, kernels = 0;

    *choice = (sedge_sparse_choice){.source = SEDGE_TUNE_BY_RULE};
    while (layouts < choices->layouts && choices->layout[layouts].reason[0] == '\0') layouts++;
    while (kernels < choices->kernels && choices->kernel[kernels].layout < layouts) kernels++;
    // With one candidate, or nothing to multiply, there is no choice; but ranks stay together.
    if (options->comm == NULL && (kernels == 1 || matrix->entries == 0)) return SEDGE_OK;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(options->comm, prepare_trial(&t, &request, level, hash)));
    SEDGE_TRY_GOTO(status, search(choice, t, options, level, layouts, kernels, hash));
    if (t->store != NULL && t->layout == choices->kernel[choice->kernel].layout) {
        choice->store = t->store;
        t->store = NULL;
    }
done:
    if (t != NULL) trial_clear(t);
    sedge_release(t);
    return status;
}
