// Formats as a table: how each is brought to the device, its program's text, its launch.
#include "base/memory.h"
#include "codegen/sparse_internal.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

// ---- vendor ------------------------------------------------------------------------------------

// Slices as cuSPARSE takes them: offsets of 32 bits.
static sedge_status narrow_offsets(sedge_sparse_store *store)
{
    const int64_t count = store->parts + 1;
    sedge_status status;
    int64_t *wide = NULL;
    int32_t *narrow = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&wide, count, sizeof *wide));
    SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, count, sizeof *narrow));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(store->offsets, 0, wide, 8 * count, NULL));
    for (int64_t s = 0; s < count; s++) narrow[s] = (int32_t)wide[s];
    sedge_buffer_free(store->offsets);
    store->offsets = NULL;
    SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->offsets, store->device, narrow, 4 * count));
done:
    sedge_release(narrow);
    sedge_release(wide);
    return status;
}

static sedge_status build_vendor(sedge_sparse_store *store, sedge_context *context,
                                 const sedge_sparse_matrix *matrix)
{
    const int height = store->layout.height;

    if (height == 0) {
        SEDGE_TRY(sedge_sparse_build_rows(store, matrix));
    } else {
        store->layout.kind = SEDGE_SPARSE_SELL;
        const sedge_status status = sedge_sparse_build_sell(store, context, matrix);
        store->layout.kind = SEDGE_SPARSE_CUSPARSE;
        SEDGE_TRY(status);
        if (store->stored > INT32_MAX) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "cuSPARSE's slices hold at most 2^31 - 1 values, "
                                               "padding included");
        }
        SEDGE_TRY(narrow_offsets(store));
    }
    const sedge_cusparse_arrays arrays = {.rows = matrix->rows,
                                          .columns = matrix->csr.columns,
                                          .entries = matrix->entries,
                                          .stored = store->stored,
                                          .height = height,
                                          .offsets = sedge_buffer_address(store->offsets),
                                          .indices = sedge_buffer_address(store->columns),
                                          .values = sedge_buffer_address(store->values),
                                          .fp64 = store->value_bytes == 8};
    return sedge_cusparse_matrix_create(&store->vendor, store->cusparse, &arrays);
}

// ---- building ----------------------------------------------------------------------------------

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    switch (store->layout.kind) {
    case SEDGE_SPARSE_CSR:
    case SEDGE_SPARSE_ADAPTIVE:
    case SEDGE_SPARSE_MERGE:
        return sedge_sparse_build_rows(store, matrix);
    case SEDGE_SPARSE_SELL:
    case SEDGE_SPARSE_ELL:
    case SEDGE_SPARSE_HYBRID:
        return sedge_sparse_build_sell(store, context, matrix);
    case SEDGE_SPARSE_BLOCK:
        return sedge_sparse_build_block(store, matrix);
    case SEDGE_SPARSE_PACKET:
        return sedge_sparse_build_packet(store, matrix);
    case SEDGE_SPARSE_CUSPARSE:
        return build_vendor(store, context, matrix);
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no sparse format %d", (int)store->layout.kind);
}

sedge_status sedge_sparse_store_create(sedge_sparse_store **out, sedge_context *context,
                                       const sedge_sparse_matrix *matrix,
                                       const sedge_sparse_layout *layout, sedge_cusparse *cusparse)
{
    sedge_status status;
    sedge_sparse_store *store = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&store, 1, sizeof *store));
    store->layout = *layout;
    store->device = sedge_context_device(context);
    store->cusparse = cusparse;
    store->real_bytes = matrix->real_bytes;
    store->value_bytes = matrix->value_bytes;
    store->rows = matrix->rows;
    store->all_rows = matrix->csr.rows;
    store->visits_all = matrix->listed == NULL;
    store->shift = matrix->shift;
    store->wide = matrix->entries + matrix->shift > INT32_MAX;
    SEDGE_TRY_GOTO(status, build(store, context, matrix));
    if (matrix->listed != NULL && store->listed == NULL) {
        SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->listed, store->device, matrix->listed,
                                                   4 * matrix->rows));
    }
    store->bytes += (double)(matrix->csr.columns + store->rows) * store->real_bytes;
    if (store->listed != NULL) store->bytes += 4.0 * (double)store->rows;
    *out = store;
    store = NULL;
done:
    sedge_sparse_store_free(store);
    return status;
}

void sedge_sparse_store_free(sedge_sparse_store *store)
{
    if (store == NULL) return;
    sedge_cusparse_matrix_free(store->vendor);
    sedge_sparse_store_free(store->rest);
    sedge_buffer_free(store->offsets);
    sedge_buffer_free(store->columns);
    sedge_buffer_free(store->values);
    sedge_buffer_free(store->places);
    sedge_buffer_free(store->listed);
    sedge_buffer_free(store->work);
    sedge_buffer_free(store->pieces);
    sedge_buffer_free(store->runs);
    sedge_release(store);
}

int64_t sedge_sparse_store_bytes(const sedge_sparse_store *store)
{
    const sedge_buffer *const all[] = {store->offsets, store->columns, store->values, store->places,
                                       store->listed,  store->work,    store->pieces, store->runs};
    int64_t bytes = store->rest != NULL ? sedge_sparse_store_bytes(store->rest) : 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != NULL) bytes += sedge_buffer_bytes(all[i]);
    return bytes;
}

// ---- text --------------------------------------------------------------------------------------

static const char *const kernel_files[SEDGE_SPARSE_KINDS] = {
    [SEDGE_SPARSE_CSR] = "codegen/kernels/sparse_csr.h",
    [SEDGE_SPARSE_ADAPTIVE] = "codegen/kernels/sparse_adaptive.h",
    [SEDGE_SPARSE_MERGE] = "codegen/kernels/sparse_merge.h",
    [SEDGE_SPARSE_SELL] = "codegen/kernels/sparse_sell.h",
    [SEDGE_SPARSE_ELL] = "codegen/kernels/sparse_sell.h",
    [SEDGE_SPARSE_HYBRID] = "codegen/kernels/sparse_sell.h",
    [SEDGE_SPARSE_BLOCK] = "codegen/kernels/sparse_block.h",
    [SEDGE_SPARSE_PACKET] = "codegen/kernels/sparse_packet.h",
    [SEDGE_SPARSE_CUSPARSE] = "codegen/kernels/sparse_vector.h",
};

enum { VECTOR_THREADS = 256, FIX_THREADS = 128 };

static sedge_status write_common(sedge_text *out, const sedge_sparse_store *store, int threads,
                                 int streamed, bool dot)
{
    return sedge_text_add(
        out,
        "typedef %s sparse_real;\ntypedef %s sparse_value;\n"
        "typedef %s sparse_offset;\n#define SPARSE_THREADS  %d\n"
        "#define SPARSE_DOT      %d\n#define SPARSE_LISTED   %d\n"
        "#define SPARSE_STREAMED %d\n",
        store->real_bytes == 8 ? "double" : "float", store->value_bytes == 8 ? "double" : "float",
        store->wide ? "sedge_int64" : "int", threads, dot, store->listed != NULL, streamed);
}

sedge_status sedge_sparse_constants_write(sedge_text *out, const sedge_sparse_store *store,
                                          const sedge_sparse_kernel *kernel, bool dot)
{
    const sedge_sparse_layout *const layout = &store->layout;

    SEDGE_TRY(write_common(out, store, kernel->threads, kernel->streamed, dot));
    switch (layout->kind) {
    case SEDGE_SPARSE_CSR:
        return sedge_text_add(out, "#define SPARSE_LANES    %d\n", kernel->lanes);
    case SEDGE_SPARSE_ADAPTIVE:
        return sedge_text_add(out, "#define SPARSE_CAPACITY %d\n", layout->capacity);
    case SEDGE_SPARSE_MERGE:
        return sedge_text_add(out, "#define SPARSE_PER      %d\n",
                              layout->capacity / kernel->threads);
    case SEDGE_SPARSE_SELL:
    case SEDGE_SPARSE_ELL:
    case SEDGE_SPARSE_HYBRID:
        return sedge_text_add(out,
                              "#define SPARSE_HEIGHT   %d\n#define SPARSE_WIDTH    %d\n"
                              "#define SPARSE_PACKED   %d\n#define SPARSE_MODES    %d\n"
                              "#define SPARSE_UNROLL   %d\n",
                              layout->height, layout->width, layout->packed, store->modes,
                              kernel->unroll);
    case SEDGE_SPARSE_BLOCK:
        return sedge_text_add(out, "#define SPARSE_BLOCK    %d\n#define SPARSE_GROUP    %d\n",
                              layout->capacity, layout->height);
    case SEDGE_SPARSE_PACKET:
        return sedge_text_add(out, "#define SPARSE_TILE     %d\n#define SPARSE_UNROLL   %d\n",
                              layout->capacity, kernel->unroll);
    case SEDGE_SPARSE_CUSPARSE:
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return SEDGE_OK;
}

int sedge_sparse_sources(sedge_source sources[2], const sedge_sparse_store *store)
{
    sources[0] = (sedge_source){"codegen/kernels/sparse_common.h", NULL};
    sources[1] = (sedge_source){kernel_files[store->layout.kind], NULL};
    return 2;
}

// Of SEDGE_SHARED on opencl: the kernel's arrays and the dot product's.
int sedge_sparse_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const int dots = 8 * kernel->threads + 64;

    switch (store->layout.kind) {
    case SEDGE_SPARSE_ADAPTIVE:
        return dots + (store->layout.capacity + kernel->threads) * store->real_bytes;
    case SEDGE_SPARSE_MERGE:
        return dots + (store->layout.capacity + kernel->threads) * (store->real_bytes + 4);
    case SEDGE_SPARSE_PACKET:
        return dots + store->layout.capacity * store->real_bytes;
    case SEDGE_SPARSE_CSR:
    case SEDGE_SPARSE_SELL:
    case SEDGE_SPARSE_ELL:
    case SEDGE_SPARSE_HYBRID:
    case SEDGE_SPARSE_BLOCK:
    case SEDGE_SPARSE_CUSPARSE:
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return dots + kernel->threads * store->real_bytes;
}

static void name_program(char name[64], const sedge_sparse_store *store)
{
    (void)snprintf(name, 64, "sparse %s fp%d", store->layout.name, 8 * store->real_bytes);
    for (char *at = name; *at != '\0'; at++)
        if (*at == ' ' || *at == '/') *at = '-';
}

sedge_status sedge_sparse_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_sparse_store *store,
                                        const sedge_sparse_kernel *kernel, bool dot)
{
    sedge_status status;
    sedge_text *constants = NULL;
    sedge_source sources[2];
    char name[64];

    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, sedge_sparse_constants_write(constants, store, kernel, dot));
    name_program(name, store);
    const sedge_program_options options = {.name = name,
                                           .constants = sedge_text_get(constants),
                                           .sources = sources,
                                           .count = sedge_sparse_sources(sources, store),
                                           .shared_bytes =
                                               (sedge_sparse_shared(store, kernel) + 15) / 16 * 16};
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &options));
done:
    sedge_text_free(constants);
    return status;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status get_program(const sedge_program **out, sedge_context *context, const char *name,
                                const sedge_text *constants, const char *file, int shared)
{
    const sedge_source sources[2] = {{"codegen/kernels/sparse_common.h", NULL}, {file, NULL}};
    const sedge_program_options options = {.name = name,
                                           .constants = sedge_text_get(constants),
                                           .sources = sources,
                                           .count = 2,
                                           .shared_bytes = (shared + 15) / 16 * 16};

    return sedge_context_program(context, out, &options);
}

static sedge_status get_main(const sedge_kernel **out, sedge_context *context,
                             const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                             bool dot)
{
    sedge_status status;
    sedge_text *constants = NULL;
    const sedge_program *program;
    char name[64];

    name_program(name, store);
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, sedge_sparse_constants_write(constants, store, kernel, dot));
    SEDGE_TRY_GOTO(status,
                   get_program(&program, context, name, constants, kernel_files[store->layout.kind],
                               sedge_sparse_shared(store, kernel)));
    SEDGE_TRY_GOTO(status, sedge_program_get(out, program, "sedge_sparse"));
done:
    sedge_text_free(constants);
    return status;
}

static sedge_status get_fix(const sedge_kernel **out, sedge_context *context,
                            const sedge_sparse_store *store, bool dot)
{
    sedge_status status;
    sedge_text *constants = NULL;
    const sedge_program *program;

    *out = NULL;
    if (store->few + store->many == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, write_common(constants, store, FIX_THREADS, 0, dot));
    SEDGE_TRY_GOTO(status, sedge_text_add(constants, "#define SPARSE_ADDS     %d\n",
                                          store->layout.kind == SEDGE_SPARSE_MERGE));
    SEDGE_TRY_GOTO(status, get_program(&program, context, "sparse-fix", constants,
                                       "codegen/kernels/sparse_fix.h", 0));
    SEDGE_TRY_GOTO(status, sedge_program_get(out, program, "sedge_sparse_fix"));
done:
    sedge_text_free(constants);
    return status;
}

static sedge_status get_vector(sedge_sparse_programs *out, sedge_context *context,
                               const sedge_sparse_store *store)
{
    sedge_status status;
    sedge_text *constants = NULL;
    const sedge_program *program;

    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, write_common(constants, store, VECTOR_THREADS, 0, true));
    SEDGE_TRY_GOTO(status, get_program(&program, context, "sparse-vector", constants,
                                       "codegen/kernels/sparse_vector.h", 0));
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->scale, program, "sedge_sparse_scale"));
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->combine, program, "sedge_sparse_combine"));
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->sums, program, "sedge_sparse_sums"));
done:
    sedge_text_free(constants);
    return status;
}

sedge_status sedge_sparse_programs_get(sedge_sparse_programs *out, sedge_context *context,
                                       const sedge_sparse_store *store,
                                       const sedge_sparse_kernel *kernel, bool dot,
                                       const sedge_kernel *main)
{
    *out = (sedge_sparse_programs){.main = main};
    if (main == NULL && store->layout.kind != SEDGE_SPARSE_CUSPARSE)
        SEDGE_TRY(get_main(&out->main, context, store, kernel, dot));
    SEDGE_TRY(get_fix(&out->fix, context, store, dot));
    if (store->rest != NULL) {
        SEDGE_TRY(get_main(&out->rest, context, store->rest, &store->rest_kernel, dot));
        SEDGE_TRY(get_fix(&out->rest_fix, context, store->rest, dot));
    }
    if (!dot && store->visits_all) return SEDGE_OK;
    return get_vector(out, context, store);
}
