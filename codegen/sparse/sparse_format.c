// Formats as a table: how each is brought to the device, its program's text, its launch.
#include "base/memory.h"
#include "sparse/sparse_internal.h"

#include <stdio.h>

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
    case SEDGE_SPARSE_HUB:
        return sedge_sparse_build_hub(store, matrix);
    case SEDGE_SPARSE_CUSPARSE:
        return build_vendor(store, context, matrix);
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no sparse format %d", (int)store->layout.kind);
}

// The same of the reordered matrix, and x gathered in its order before each product.
static sedge_status create_reordered(sedge_sparse_store **out, sedge_context *context,
                                     const sedge_sparse_matrix *matrix,
                                     const sedge_sparse_layout *layout, sedge_cusparse *cusparse)
{
    sedge_device *const device = sedge_context_device(context);
    const int64_t columns = matrix->csr.columns, real = matrix->real_bytes;
    const int32_t *rows = matrix->listed;
    sedge_sparse_layout plain = *layout;
    sedge_sparse_reordered re;
    sedge_sparse_store *store = NULL;
    sedge_status status;

    plain.order = SEDGE_SPARSE_AS_THEY_COME;
    SEDGE_TRY_GOTO(status, sedge_sparse_reorder(&re, matrix, layout->order));
    SEDGE_TRY_GOTO(status,
                   sedge_sparse_store_create(&store, context, &re.matrix, &plain, cusparse));
    store->layout.order = layout->order;
    store->all_rows = matrix->csr.rows;
    store->visits_all = matrix->listed == NULL;
    store->columns_count = columns;
    if (re.rows != NULL) rows = re.rows;
    if (rows != NULL) {
        SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->listed, device, rows, 4 * matrix->rows));
        store->bytes += 4.0 * (double)matrix->rows;
    }
    SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->gather, device, re.gather, 4 * columns));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&store->gathered, device, real * columns));
    store->bytes += (double)columns * (4.0 + 2.0 * (double)real);
    *out = store;
    store = NULL;
done:
    sedge_sparse_store_free(store);
    sedge_sparse_reordered_clear(&re);
    return status;
}

sedge_status sedge_sparse_store_create(sedge_sparse_store **out, sedge_context *context,
                                       const sedge_sparse_matrix *matrix,
                                       const sedge_sparse_layout *layout, sedge_cusparse *cusparse)
{
    sedge_status status;
    sedge_sparse_store *store = NULL;

    *out = NULL;
    if (layout->order != SEDGE_SPARSE_AS_THEY_COME)
        return create_reordered(out, context, matrix, layout, cusparse);
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
    sedge_buffer_free(store->gather);
    sedge_buffer_free(store->gathered);
    sedge_release(store);
}

int64_t sedge_sparse_store_bytes(const sedge_sparse_store *store)
{
    const sedge_buffer *const all[] = {store->offsets, store->columns, store->values, store->places,
                                       store->listed,  store->work,    store->pieces, store->runs,
                                       store->gather,  store->gathered};
    int64_t bytes = store->rest != NULL ? sedge_sparse_store_bytes(store->rest) : 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != NULL) bytes += sedge_buffer_bytes(all[i]);
    return bytes;
}

// ---- text --------------------------------------------------------------------------------------

static const char *const kernel_files[SEDGE_SPARSE_KINDS] = {
    [SEDGE_SPARSE_CSR] = "codegen/kernels/sparse/sparse_csr.h",
    [SEDGE_SPARSE_ADAPTIVE] = "codegen/kernels/sparse/sparse_adaptive.h",
    [SEDGE_SPARSE_MERGE] = "codegen/kernels/sparse/sparse_merge.h",
    [SEDGE_SPARSE_SELL] = "codegen/kernels/sparse/sparse_sell.h",
    [SEDGE_SPARSE_ELL] = "codegen/kernels/sparse/sparse_sell.h",
    [SEDGE_SPARSE_HYBRID] = "codegen/kernels/sparse/sparse_sell.h",
    [SEDGE_SPARSE_BLOCK] = "codegen/kernels/sparse/sparse_block.h",
    [SEDGE_SPARSE_PACKET] = "codegen/kernels/sparse/sparse_packet.h",
    [SEDGE_SPARSE_HUB] = "codegen/kernels/sparse/sparse_hub.h",
    [SEDGE_SPARSE_CUSPARSE] = "codegen/kernels/sparse/sparse_vector.h",
};

enum { VECTOR_THREADS = 256, FIX_THREADS = 128 };

// All programs get their sources here, and so does the hash of them. `kind` of the main part only.
enum { SOURCES = 2 };

static void list_sources(sedge_source sources[SOURCES], sedge_sparse_part part,
                         sedge_sparse_kind kind)
{
    static const char *const part_files[] = {
        [SEDGE_SPARSE_FIX] = "codegen/kernels/sparse/sparse_fix.h",
        [SEDGE_SPARSE_VECTOR] = "codegen/kernels/sparse/sparse_vector.h",
    };

    sources[0] = (sedge_source){"codegen/kernels/sparse/sparse_common.h", NULL};
    sources[1].name = part == SEDGE_SPARSE_MAIN ? kernel_files[kind] : part_files[part];
    sources[1].text = NULL;
}

static sedge_status write_sources(sedge_text *out, sedge_device_kind device, sedge_sparse_part part,
                                  sedge_sparse_kind kind)
{
    sedge_source sources[SOURCES];
    const sedge_program_options options = {
        .name = "sparse", .constants = "", .sources = sources, .count = SOURCES};

    list_sources(sources, part, kind);
    return sedge_program_write(out, device, &options);
}

sedge_status sedge_sparse_source_hash(char hash[SEDGE_HASH_TEXT], sedge_device_kind device)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    for (sedge_sparse_kind kind = 0; kind < SEDGE_SPARSE_KINDS; kind++)
        SEDGE_TRY_GOTO(status, write_sources(text, device, SEDGE_SPARSE_MAIN, kind));
    SEDGE_TRY_GOTO(status, write_sources(text, device, SEDGE_SPARSE_FIX, SEDGE_SPARSE_KINDS));
    SEDGE_TRY_GOTO(status, write_sources(text, device, SEDGE_SPARSE_VECTOR, SEDGE_SPARSE_KINDS));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&all, hash);
done:
    sedge_text_free(text);
    return status;
}

static sedge_status write_common(sedge_text *out, const sedge_sparse_store *store, int threads,
                                 int streamed)
{
    return sedge_text_add(
        out,
        "typedef %s sparse_real;\ntypedef %s sparse_value;\n"
        "typedef %s sparse_offset;\n#define SPARSE_THREADS  %d\n"
        "#define SPARSE_LISTED   %d\n#define SPARSE_STREAMED %d\n",
        store->real_bytes == 8 ? "double" : "float", store->value_bytes == 8 ? "double" : "float",
        store->wide ? "sedge_int64" : "int", threads, store->listed != NULL, streamed);
}

static sedge_status write_main(sedge_text *out, const sedge_sparse_store *store,
                               const sedge_sparse_kernel *kernel)
{
    const sedge_sparse_layout *const layout = &store->layout;

    SEDGE_TRY(write_common(out, store, kernel->threads, kernel->streamed));
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
    case SEDGE_SPARSE_HUB:
        return sedge_text_add(out, "#define SPARSE_HOT      %d\n#define SPARSE_UNROLL   %d\n",
                              layout->capacity, kernel->unroll);
    case SEDGE_SPARSE_CUSPARSE:
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return SEDGE_OK;
}

// Bytes of SEDGE_SHARED on opencl: the kernel's arrays and the dot product's.
static int count_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
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
    case SEDGE_SPARSE_HUB: // its x is of a size that the launch gives
    case SEDGE_SPARSE_CUSPARSE:
    case SEDGE_SPARSE_KINDS:
        break;
    }
    return dots + kernel->threads * store->real_bytes;
}

// ---- programs ----------------------------------------------------------------------------------

// What a program is made of.
typedef struct program_parts {
    sedge_text *constants; // owned
    char name[64];
    sedge_source sources[SOURCES];
    sedge_program_options options;
} program_parts;

static sedge_status describe(program_parts *p, const sedge_sparse_store *store,
                             const sedge_sparse_kernel *kernel, sedge_sparse_part part)
{
    int shared = 0;

    list_sources(p->sources, part, store->layout.kind);
    switch (part) {
    case SEDGE_SPARSE_MAIN:
        SEDGE_TRY(write_main(p->constants, store, kernel));
        shared = (count_shared(store, kernel) + 15) / 16 * 16;
        (void)snprintf(p->name, sizeof p->name, "sparse %s fp%d", store->layout.name,
                       8 * store->real_bytes);
        break;
    case SEDGE_SPARSE_FIX:
        SEDGE_TRY(write_common(p->constants, store, FIX_THREADS, 0));
        SEDGE_TRY(sedge_text_add(p->constants, "#define SPARSE_ADDS     %d\n",
                                 store->layout.kind == SEDGE_SPARSE_MERGE));
        (void)snprintf(p->name, sizeof p->name, "sparse fix fp%d", 8 * store->real_bytes);
        break;
    case SEDGE_SPARSE_VECTOR:
        SEDGE_TRY(write_common(p->constants, store, VECTOR_THREADS, 0));
        (void)snprintf(p->name, sizeof p->name, "sparse vector fp%d", 8 * store->real_bytes);
        break;
    }
    for (char *at = p->name; *at != '\0'; at++)
        if (*at == ' ') *at = '-';
    p->options = (sedge_program_options){.name = p->name,
                                         .constants = sedge_text_get(p->constants),
                                         .sources = p->sources,
                                         .count = SOURCES,
                                         .shared_bytes = shared};
    return SEDGE_OK;
}

sedge_status sedge_sparse_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_sparse_store *store,
                                        const sedge_sparse_kernel *kernel, sedge_sparse_part part)
{
    program_parts p = {.constants = NULL};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&p.constants));
    SEDGE_TRY_GOTO(status, describe(&p, store, kernel, part));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &p.options));
done:
    sedge_text_free(p.constants);
    return status;
}

// The context's program of this part.
static sedge_status get_program(const sedge_program **out, sedge_context *context,
                                const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                                sedge_sparse_part part)
{
    program_parts p = {.constants = NULL};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&p.constants));
    SEDGE_TRY_GOTO(status, describe(&p, store, kernel, part));
    SEDGE_TRY_GOTO(status, sedge_context_program(context, out, &p.options));
done:
    sedge_text_free(p.constants);
    return status;
}

static sedge_status get_fix(const sedge_kernel **out, sedge_context *context,
                            const sedge_sparse_store *store)
{
    const sedge_program *program = NULL;

    *out = NULL;
    if (store->few + store->many == 0) return SEDGE_OK;
    SEDGE_TRY(get_program(&program, context, store, NULL, SEDGE_SPARSE_FIX));
    return sedge_program_get(out, program, "sedge_sparse_fix");
}

static sedge_status get_main(const sedge_kernel **out, sedge_context *context,
                             const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const sedge_program *program;

    SEDGE_TRY(get_program(&program, context, store, kernel, SEDGE_SPARSE_MAIN));
    return sedge_program_get(out, program, "sedge_sparse");
}

sedge_status sedge_sparse_programs_get(sedge_sparse_programs *out, sedge_context *context,
                                       const sedge_sparse_store *store,
                                       const sedge_sparse_kernel *kernel, const sedge_kernel *main)
{
    const sedge_program *program;

    *out = (sedge_sparse_programs){.main = main};
    if (main == NULL && store->layout.kind != SEDGE_SPARSE_CUSPARSE)
        SEDGE_TRY(get_main(&out->main, context, store, kernel));
    if (store->layout.kind == SEDGE_SPARSE_HUB)
        SEDGE_TRY(sedge_kernel_set_scratch(out->main, sedge_sparse_hub_scratch(store)));
    SEDGE_TRY(get_fix(&out->fix, context, store));
    if (store->rest != NULL) {
        SEDGE_TRY(get_main(&out->rest, context, store->rest, &store->rest_kernel));
        SEDGE_TRY(get_fix(&out->rest_fix, context, store->rest));
    }
    SEDGE_TRY(get_program(&program, context, store, NULL, SEDGE_SPARSE_VECTOR));
    SEDGE_TRY(sedge_program_get(&out->scale, program, "sedge_sparse_scale"));
    SEDGE_TRY(sedge_program_get(&out->gather, program, "sedge_sparse_gather"));
    SEDGE_TRY(sedge_program_get(&out->combine, program, "sedge_sparse_combine"));
    return sedge_program_get(&out->sums, program, "sedge_sparse_sums");
}
