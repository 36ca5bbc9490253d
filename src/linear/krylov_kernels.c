// The program of the vector kernels, and how they are cut into blocks.
#include "linear/krylov_solver.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks of kernels that leave a part each: at most SEDGE_KRYLOV_SUMS, on the host a few a core.
enum { THREADS = 256, HOST_BLOCKS = 128, CLUSTER = 8, SOURCES = 4 };

static sedge_status write_constants(sedge_text *out, sedge_device_kind device, bool gpu,
                                    int real_bytes, krylov_kind kind, int *tile)
{
    const int pack = gpu ? 16 / real_bytes : 1;
    const int unroll = gpu ? 2 : 1;
    const int keep_threads = sedge_traits_of(device)->gpu_rules ? 1024 : THREADS;

    *tile = THREADS * pack * unroll;
    return sedge_text_add(out,
                          "#define KRYLOV_REAL       %s\n#define KRYLOV_BYTES      %d\n"
                          "#define KRYLOV_THREADS    %d\n#define KRYLOV_PACK       %d\n"
                          "#define KRYLOV_UNROLL     %d\n#define KRYLOV_M_NONE     %d\n"
                          "#define KRYLOV_M_DIAGONAL %d\n#define KRYLOV_M_VECTOR   %d\n"
                          "#define KRYLOV_KEEP_THREADS %d\n#define KRYLOV_CLUSTER    %d\n"
                          "#define KRYLOV_KEEP       %d\n",
                          real_bytes == 8 ? "double" : "float", real_bytes, THREADS, pack, unroll,
                          kind == KRYLOV_NONE, kind == KRYLOV_DIAGONAL, kind == KRYLOV_VECTOR,
                          keep_threads, CLUSTER, KRYLOV_KEEP_BYTES);
}

// Blocks have the same number of tiles, the last one perhaps fewer.
static void cut(krylov_kernels *kernels, int64_t rows, int tile, int most)
{
    const int64_t tiles = (rows + tile - 1) / tile;
    const int64_t each = (tiles + most - 1) / most;

    kernels->rows = rows;
    kernels->chunk = each > 0 ? each * tile : tile;
    kernels->blocks = rows > 0 ? (int)((rows + kernels->chunk - 1) / kernels->chunk) : 1;
}

// As SEDGE_CLUSTER_OF in the kernel: chips that have clusters run so many, others one.
int sedge_krylov_keep_blocks(const sedge_device_info *info)
{
    return sedge_device_has_clusters(info) ? CLUSTER : 1;
}

static sedge_status find_kernels(krylov_kernels *kernels, int with)
{
    const struct {
        const char *name;
        const sedge_kernel **kernel;
        int requested; // by one of these; 0: always
    } list[] = {
        {"krylov_dot", &kernels->dot, 0},
        {"krylov_norm", &kernels->norm, 0},
        {"krylov_residual", &kernels->residual, 0},
        {"krylov_fold", &kernels->fold, 0},
        {"krylov_scale", &kernels->scale, 0},
        {"krylov_update", &kernels->update, 0},
        {"krylov_direct", &kernels->direct, 0},
        {"krylov_single", &kernels->single, KRYLOV_WITH_SINGLE},
        {"krylov_pipelined", &kernels->pipelined, KRYLOV_WITH_SINGLE},
        {"krylov_keep", &kernels->keep, KRYLOV_WITH_KEEP},
        {"krylov_chebyshev", &kernels->chebyshev, KRYLOV_WITH_CHEBYSHEV},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].requested == 0 || (list[i].requested & with) != 0)
            SEDGE_TRY(sedge_program_get(list[i].kernel, kernels->program, list[i].name));
    }
    return SEDGE_OK;
}

static int list_sources(sedge_source sources[SOURCES], int with)
{
    static const struct {
        int with;
        const char *name;
    } files[] = {{0, "codegen/kernels/linear/krylov.h"},
                 {KRYLOV_WITH_SINGLE, "codegen/kernels/linear/krylov_single.h"},
                 {KRYLOV_WITH_KEEP, "codegen/kernels/linear/krylov_keep.h"},
                 {KRYLOV_WITH_CHEBYSHEV, "codegen/kernels/linear/krylov_chebyshev.h"}};
    int count = 0;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].with == 0 || (files[i].with & with) != 0)
            sources[count++] = (sedge_source){files[i].name, NULL};
    }
    return count;
}

// What the program is written from.
typedef struct krylov_program {
    sedge_source sources[SOURCES];
    sedge_text *constants; // owned
    sedge_program_options options;
    int tile; // numbers
} krylov_program;

static sedge_status program_describe(krylov_program *out, sedge_device_kind device, bool gpu,
                                     int real_bytes, krylov_kind kind, int with)
{
    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_text_create(&out->constants));
    SEDGE_TRY(write_constants(out->constants, device, gpu, real_bytes, kind, &out->tile));
    out->options = (sedge_program_options){
        .name = real_bytes == 8 ? "krylov-fp64" : "krylov-fp32",
        .constants = sedge_text_get(out->constants),
        .sources = out->sources,
        .count = list_sources(out->sources, with),
        // Three trees of sums, and the state and the blocks' parts of krylov_keep.
        .shared_bytes = (3 * THREADS + STATE_ENTRIES + 3 * CLUSTER) * (int)sizeof(double),
    };
    return SEDGE_OK;
}

static bool is_gpu(const sedge_device_info *info)
{
    return !sedge_traits_of(info->kind)->in_call || info->random_order;
}

sedge_status sedge_krylov_kernels_write(sedge_text *out, sedge_device_kind device, int real_bytes,
                                        krylov_kind kind, int with)
{
    krylov_program program;
    sedge_status status = program_describe(&program, device, !sedge_traits_of(device)->in_call,
                                           real_bytes, kind, with);

    if (status == SEDGE_OK) status = sedge_program_write(out, device, &program.options);
    sedge_text_free(program.constants);
    return status;
}

sedge_status sedge_krylov_text(sedge_text *out, char name[SEDGE_KRYLOV_NAME],
                               const sedge_device_info *info, int real_bytes, bool preconditioned,
                               bool pipelined)
{
    krylov_program program;
    sedge_status status = program_describe(&program, info->kind, is_gpu(info), real_bytes,
                                           preconditioned ? KRYLOV_VECTOR : KRYLOV_NONE,
                                           pipelined ? KRYLOV_WITH_SINGLE : 0);

    if (status == SEDGE_OK) {
        (void)snprintf(name, SEDGE_KRYLOV_NAME, "%s", program.options.name);
        status = sedge_program_write(out, info->kind, &program.options);
    }
    sedge_text_free(program.constants);
    return status;
}

sedge_status sedge_krylov_kernels_create(krylov_kernels *out, sedge_context *context,
                                         const sedge_comm *comm, int real_bytes, int64_t rows,
                                         krylov_kind kind, int with)
{
    sedge_device *const device = sedge_context_device(context);
    const sedge_device_info *const info = sedge_device_get_info(device);
    krylov_program program;
    sedge_status status;

    memset(out, 0, sizeof *out);
    status = program_describe(&program, info->kind, is_gpu(info), real_bytes, kind, with);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_program_create(&out->program, comm, device,
                                                sedge_context_cache(context), &program.options));
    cut(out, rows, program.tile, is_gpu(info) ? SEDGE_KRYLOV_SUMS : HOST_BLOCKS);
    SEDGE_TRY_GOTO(status, find_kernels(out, with));
done:
    sedge_text_free(program.constants);
    if (status != SEDGE_OK) sedge_krylov_kernels_free(out);
    return status;
}

void sedge_krylov_kernels_free(krylov_kernels *kernels)
{
    sedge_program_free(kernels->program);
    memset(kernels, 0, sizeof *kernels);
}
