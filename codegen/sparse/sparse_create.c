// Sparse matrices: create, apply, what was chosen.
#include "sparse/sparse_create.h"

#include "base/memory.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_launch.h"
#include "sparse/sparse_tune.h"

#include <string.h>

#define PRIOR_MOST 1.6 // of the best, for a quick search

struct sedge_sparse {
    sedge_context *context;
    sedge_device *device;
    int64_t rows, columns;
    int real_bytes;
    sedge_sparse_choices *choices; // owned, as all below
    sedge_tune_record *records;    // [choices->kernels]; NULL: none
    sedge_sparse_candidate *table; // [choices->kernels]
    sedge_cusparse *cusparse;      // NULL: none
    sedge_sparse_store *store;
    sedge_sparse_kernel kernel;
    sedge_sparse_programs programs;
    sedge_buffer *parts, *product;
    bool has_dot;
    int sums;
    sedge_sparse_info info;
};

// ---- the options -------------------------------------------------------------------------------

static sedge_status check_options(const sedge_sparse_options *options)
{
    const int real = options->real_bytes, value = options->value_bytes;

    if ((real != 0 && real != 4 && real != 8) || (value != 0 && value != 4 && value != 8)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "sparse matrix: numbers of %d bytes, stored with %d; 4 and 8 are there, "
                          "0 for what is usual",
                          real, value);
    }
    if (real == 4 && value == 8) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "sparse matrix: values of 8 bytes with vectors of 4 "
                                           "bytes would not be used; store them with 4");
    }
    return SEDGE_OK;
}

// Whether a layout's name begins with the format, as a word.
static bool is_format(const sedge_sparse_layout *layout, const char *format)
{
    const size_t length = strlen(format);

    return strncmp(layout->name, format, length) == 0 &&
           (layout->name[length] == '\0' || layout->name[length] == ' ');
}

// Leave what the options ask for; the others get a reason.
static sedge_status filter(sedge_sparse_choices *choices, const sedge_sparse_options *options)
{
    const char *why = NULL;
    bool has_kernel[SEDGE_SPARSE_LAYOUTS] = {false};
    int kernels = 0;

    for (int l = 0; l < choices->layouts; l++) {
        sedge_sparse_layout *const layout = &choices->layout[l];
        if (options->format == NULL || is_format(layout, options->format)) {
            if (layout->reason[0] != '\0') why = layout->reason;
            continue;
        }
        (void)snprintf(layout->reason, sizeof layout->reason, "another format was asked for");
    }
    for (int k = 0; k < choices->kernels; k++) {
        const sedge_sparse_kernel kernel = choices->kernel[k];
        if (options->kernel != NULL && strstr(kernel.name, options->kernel) == NULL) continue;
        has_kernel[kernel.layout] = true;
        choices->kernel[kernels++] = kernel;
    }
    choices->kernels = kernels;
    for (int l = 0; l < choices->layouts; l++) {
        if (has_kernel[l] || choices->layout[l].reason[0] != '\0') continue;
        (void)snprintf(choices->layout[l].reason, sizeof choices->layout[l].reason,
                       "another kernel was asked for");
    }
    sedge_sparse_choices_sort(choices);
    if (choices->kernels > 0 && choices->layout[choices->kernel[0].layout].reason[0] == '\0')
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "sparse matrix: no format '%s' with a kernel '%s' for this matrix and "
                      "device%s%s",
                      options->format != NULL ? options->format : "any",
                      options->kernel != NULL ? options->kernel : "any", why != NULL ? ": " : "",
                      why != NULL ? why : "");
}

// A quick search looks at what the model finds promising, and at the vendor's, which must not be
// lost to.
static void leave_hopeless(sedge_sparse_choices *choices)
{
    const double best = choices->layout[0].prior;

    for (int l = 0; l < choices->layouts; l++) {
        sedge_sparse_layout *const layout = &choices->layout[l];
        if (layout->format->always_tried || layout->reason[0] != '\0' ||
            layout->prior <= PRIOR_MOST * best)
            continue;
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "by the model of bytes %.1fx slower: not tried in a quick search",
                       layout->prior / best);
    }
    sedge_sparse_choices_sort(choices);
}

// ---- create ------------------------------------------------------------------------------------

static sedge_status make_work_space(sedge_sparse *sparse)
{
    const int64_t parts = sparse->rows > 0 && sparse->store->rows > 0
                              ? sedge_sparse_parts(sparse->store, &sparse->kernel)
                              : 0;

    sparse->sums = sedge_sparse_sums_of(parts);
    SEDGE_TRY(sedge_sparse_programs_get(&sparse->programs, sparse->context, sparse->store,
                                        &sparse->kernel, NULL));
    if (!sparse->has_dot) return SEDGE_OK;
    if (parts > SEDGE_SPARSE_SUMS || parts == 0)
        SEDGE_TRY(sedge_buffer_create(&sparse->parts, sparse->device, 8 * parts));
    if (sparse->store->layout.format->multiply != NULL) {
        SEDGE_TRY(sedge_buffer_create(&sparse->product, sparse->device,
                                      sparse->rows * sparse->real_bytes));
    }
    return SEDGE_OK;
}

static sedge_status make_table(sedge_sparse *sparse)
{
    const sedge_sparse_choices *const choices = sparse->choices;

    SEDGE_TRY(sedge_allocate(&sparse->table, choices->kernels, sizeof *sparse->table));
    for (int k = 0; k < choices->kernels; k++) {
        const sedge_sparse_layout *const layout = &choices->layout[choices->kernel[k].layout];
        const sedge_tune_record *const record =
            sparse->records != NULL ? &sparse->records[k] : NULL;
        const char *reason = layout->reason;
        if (reason[0] == '\0') reason = record != NULL ? record->reason : "not measured";
        sparse->table[k] =
            (sedge_sparse_candidate){.format = layout->name,
                                     .kernel = choices->kernel[k].name,
                                     .bytes = layout->bytes,
                                     .seconds = record != NULL ? record->seconds : 0.0,
                                     .reason = reason};
    }
    return SEDGE_OK;
}

static void fill_info(sedge_sparse *sparse, const sedge_sparse_matrix *matrix,
                      const sedge_sparse_choice *choice)
{
    const double vectors = ((double)sparse->rows + (double)sparse->columns) * sparse->real_bytes;
    const double entries = (double)matrix->entries;

    sparse->info = (sedge_sparse_info){
        .rows = sparse->rows,
        .columns = sparse->columns,
        .entries = matrix->entries,
        .format = sparse->store->layout.name,
        .kernel = sparse->kernel.name,
        .source = choice->source,
        .compulsory_bytes =
            entries * (matrix->value_bytes + 4) + 4.0 * ((double)sparse->rows + 1.0) + vectors,
        .stored_bytes = sparse->store->bytes,
        .padding = matrix->entries > 0 ? (double)sparse->store->stored / entries : 1.0,
        .device_bytes = sedge_sparse_store_bytes(sparse->store),
        .seconds = choice->seconds,
        .tune_seconds = choice->tune_seconds,
        .count = sparse->choices->kernels,
        .candidates = sparse->table};
}

// Everything behind the checks of the matrix.
static sedge_status make(sedge_sparse *sparse, const sedge_sparse_matrix *matrix,
                         const sedge_sparse_options *options)
{
    const sedge_device_info *const info = sedge_device_get_info(sparse->device);
    const sedge_tune_level level =
        options->has_tune ? options->tune : sedge_context_tuning(sparse->context);
    sedge_sparse_choice choice = {.kernel = 0};
    sedge_status status = SEDGE_OK;

    // Without the library there is just no such candidate.
    if (sedge_traits_of(info->kind)->vendor_libraries &&
        sedge_cusparse_create(&sparse->cusparse, sparse->device) != SEDGE_OK)
        sedge_error_clear();
    sedge_sparse_choose(sparse->choices, matrix, info, sparse->cusparse != NULL);
    status = filter(sparse->choices, options);
    if (level == SEDGE_TUNE_FAST) leave_hopeless(sparse->choices);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(options->comm, status));
    SEDGE_TRY_GOTO(status, sedge_sparse_tune(&choice, sparse->context, matrix, sparse->choices,
                                             options, sparse->cusparse));
    sparse->records = choice.records;
    sparse->kernel = sparse->choices->kernel[choice.kernel];
    sparse->store = choice.store;
    if (sparse->store == NULL) {
        SEDGE_TRY_GOTO(status,
                       sedge_sparse_store_create(&sparse->store, sparse->context, matrix,
                                                 &sparse->choices->layout[sparse->kernel.layout],
                                                 sparse->cusparse));
    }
    SEDGE_TRY_GOTO(status, make_work_space(sparse));
    SEDGE_TRY_GOTO(status, make_table(sparse));
    fill_info(sparse, matrix, &choice);
done:
    return sedge_comm_agree(options->comm, status);
}

sedge_status sedge_sparse_create_shifted(sedge_sparse **out, sedge_context *context,
                                         const sedge_csr *csr, const sedge_sparse_options *options,
                                         int64_t shift)
{
    static const sedge_sparse_options nothing = {.real_bytes = 0};
    sedge_sparse_matrix matrix = {.rows = 0};
    sedge_sparse *sparse = NULL;
    sedge_status status;

    *out = NULL;
    if (options == NULL) options = &nothing;
    const int real_bytes = options->real_bytes != 0 ? options->real_bytes : 8;
    const int value_bytes = options->value_bytes != 0 ? options->value_bytes : real_bytes;
    status = check_options(options);
    if (status == SEDGE_OK) {
        status = sedge_sparse_matrix_make(
            &matrix, csr, real_bytes, value_bytes,
            sedge_device_get_info(sedge_context_device(context))->processors);
    }
    if (status == SEDGE_OK) status = sedge_allocate(&sparse, 1, sizeof *sparse);
    if (status == SEDGE_OK) status = sedge_allocate(&sparse->choices, 1, sizeof *sparse->choices);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(options->comm, status));
    matrix.shift = shift;
    sparse->context = context;
    sparse->device = sedge_context_device(context);
    sparse->rows = csr->rows;
    sparse->columns = csr->columns;
    sparse->real_bytes = real_bytes;
    sparse->has_dot = options->dot;
    SEDGE_TRY_GOTO(status, make(sparse, &matrix, options));
    *out = sparse;
    sparse = NULL;
done:
    sedge_sparse_matrix_clear(&matrix);
    sedge_sparse_free(sparse);
    return status;
}

sedge_status sedge_sparse_create(sedge_sparse **out, sedge_context *context, const sedge_csr *csr,
                                 const sedge_sparse_options *options)
{
    return sedge_sparse_create_shifted(out, context, csr, options, 0);
}

void sedge_sparse_free(sedge_sparse *sparse)
{
    if (sparse == NULL) return;
    sedge_sparse_store_free(sparse->store);
    sedge_cusparse_free(sparse->cusparse);
    sedge_buffer_free(sparse->parts);
    sedge_buffer_free(sparse->product);
    sedge_release(sparse->table);
    sedge_release(sparse->records);
    sedge_release(sparse->choices);
    sedge_release(sparse);
}

int64_t sedge_sparse_rows(const sedge_sparse *sparse)
{
    return sparse->rows;
}

int64_t sedge_sparse_columns(const sedge_sparse *sparse)
{
    return sparse->columns;
}

int sedge_sparse_sums(const sedge_sparse *sparse)
{
    return sparse->sums;
}

// ---- apply -------------------------------------------------------------------------------------

static sedge_status check_vector(const sedge_sparse *sparse, const sedge_buffer *vector,
                                 const char *name, int64_t count, int size)
{
    if (sedge_buffer_bytes(vector) >= count * size) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "sparse matrix of %lld x %lld: %s has %lld bytes, %lld numbers of %d bytes "
                      "are needed",
                      (long long)sparse->rows, (long long)sparse->columns, name,
                      (long long)sedge_buffer_bytes(vector), (long long)count, size);
}

static sedge_status run(sedge_sparse *sparse, sedge_stream *stream, const sedge_sparse_call *call)
{
    SEDGE_TRY(check_vector(sparse, call->x, "x", sparse->columns, sparse->real_bytes));
    SEDGE_TRY(check_vector(sparse, call->y, "y", sparse->rows, sparse->real_bytes));
    if (call->x == call->y)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "sparse matrix: x and y are one buffer");
    if (stream == NULL) stream = sedge_context_stream(sparse->context);
    return sedge_sparse_run(sparse->store, &sparse->kernel, &sparse->programs, stream, call);
}

sedge_status sedge_sparse_apply(sedge_sparse *sparse, sedge_stream *stream, double alpha,
                                const sedge_buffer *x, double beta, sedge_buffer *y)
{
    const sedge_sparse_call call = {.alpha = alpha, .beta = beta, .x = x, .y = y};

    return run(sparse, stream, &call);
}

sedge_status sedge_sparse_apply_dot(sedge_sparse *sparse, sedge_stream *stream, double alpha,
                                    const sedge_buffer *x, double beta, sedge_buffer *y,
                                    const sedge_buffer *w, sedge_buffer *sums)
{
    const sedge_sparse_call call = {.alpha = alpha,
                                    .beta = beta,
                                    .x = x,
                                    .w = w,
                                    .y = y,
                                    .sums = sums,
                                    .parts = sparse->parts,
                                    .product = sparse->product};

    if (!sparse->has_dot) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "sparse matrix: it was not made for dot products (option `dot`)");
    }
    SEDGE_TRY(check_vector(sparse, w, "w", sparse->rows, sparse->real_bytes));
    SEDGE_TRY(check_vector(sparse, sums, "sums", sparse->sums, 8));
    return run(sparse, stream, &call);
}

// ---- what was chosen ---------------------------------------------------------------------------

const sedge_sparse_info *sedge_sparse_get_info(const sedge_sparse *sparse)
{
    return &sparse->info;
}

sedge_status sedge_sparse_print(FILE *file, const sedge_sparse *sparse)
{
    static const char *const sources[] = {"by rule", "by wisdom", "by measurement"};
    const sedge_sparse_info *const info = &sparse->info;
    int written = fprintf(file,
                          "%lld x %lld, %lld entries: %s, chosen %s in %.2f s; %.4g bytes a call, "
                          "%.4g compulsory, %.2f values stored for each entry\n",
                          (long long)info->rows, (long long)info->columns, (long long)info->entries,
                          info->kernel, sources[info->source], info->tune_seconds,
                          info->stored_bytes, info->compulsory_bytes, info->padding);

    for (int k = 0; written >= 0 && k < info->count; k++) {
        const sedge_sparse_candidate *const c = &info->candidates[k];
        written = fprintf(file, "  %-40s %10.4g bytes %10.1f us  %s\n", c->kernel, c->bytes,
                          c->seconds * 1e6, c->reason);
    }
    if (written >= 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "the table of sparse candidates cannot be written");
}
