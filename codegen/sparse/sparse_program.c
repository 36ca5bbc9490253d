// Programs of sparse products: their sources, from the table of formats.
#include "sparse/sparse_program.h"

#include "sparse/sparse_format.h"

#include <stdio.h>

enum { VECTOR_THREADS = SEDGE_SPARSE_VECTOR_THREADS, FIX_THREADS = SEDGE_SPARSE_FIX_THREADS };

// All programs get their sources here, and so does the hash of them. `format` for the main
// part only.
enum { SOURCES = 2 };

static void list_sources(sedge_source sources[SOURCES], sedge_sparse_part part,
                         const sedge_sparse_format *format)
{
    static const char *const part_files[] = {
        [SEDGE_SPARSE_FIX] = "codegen/kernels/sparse/sparse_fix.h",
        [SEDGE_SPARSE_VECTOR] = "codegen/kernels/sparse/sparse_vector.h",
    };

    sources[0] = (sedge_source){"codegen/kernels/sparse/sparse_common.h", NULL};
    sources[1].name = part == SEDGE_SPARSE_MAIN ? format->source : part_files[part];
    sources[1].text = NULL;
}

static sedge_status write_sources(sedge_text *out, sedge_device_kind device, sedge_sparse_part part,
                                  const sedge_sparse_format *format)
{
    sedge_source sources[SOURCES];
    const sedge_program_options options = {
        .name = "sparse", .constants = "", .sources = sources, .count = SOURCES};

    list_sources(sources, part, format);
    return sedge_program_write(out, device, &options);
}

sedge_status sedge_sparse_source_hash(char hash[SEDGE_HASH_TEXT], sedge_device_kind device)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    for (int f = 0; sedge_sparse_formats[f] != NULL; f++) {
        SEDGE_TRY_GOTO(status,
                       write_sources(text, device, SEDGE_SPARSE_MAIN, sedge_sparse_formats[f]));
    }
    SEDGE_TRY_GOTO(status, write_sources(text, device, SEDGE_SPARSE_FIX, NULL));
    SEDGE_TRY_GOTO(status, write_sources(text, device, SEDGE_SPARSE_VECTOR, NULL));
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
    const sedge_sparse_format *const format = store->layout.format;

    SEDGE_TRY(write_common(out, store, kernel->threads, kernel->streamed));
    return format->constants != NULL ? format->constants(out, store, kernel) : SEDGE_OK;
}

// Bytes of SEDGE_SHARED on opencl: the kernel's arrays and the dot product's.
static int count_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const sedge_sparse_format *const format = store->layout.format;
    const int dots = 8 * kernel->threads + 64;

    return dots + (format->shared_bytes != NULL ? format->shared_bytes(store, kernel)
                                                : kernel->threads * store->real_bytes);
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

    list_sources(p->sources, part, store->layout.format);
    switch (part) {
    case SEDGE_SPARSE_MAIN:
        SEDGE_TRY(write_main(p->constants, store, kernel));
        shared = (count_shared(store, kernel) + 15) / 16 * 16;
        (void)snprintf(p->name, sizeof p->name, "sparse %s fp%d", store->layout.name,
                       8 * store->real_bytes);
        break;
    case SEDGE_SPARSE_FIX:
        SEDGE_TRY(write_common(p->constants, store, FIX_THREADS, 0));
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
    const sedge_sparse_format *const format = store->layout.format;
    const sedge_program *program;

    *out = (sedge_sparse_programs){.main = main};
    if (main == NULL && format->multiply == NULL)
        SEDGE_TRY(get_main(&out->main, context, store, kernel));
    if (format->scratch_bytes != NULL)
        SEDGE_TRY(sedge_kernel_set_scratch(out->main, format->scratch_bytes(store)));
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
