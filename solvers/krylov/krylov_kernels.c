// The program of the vector kernels, and how they are cut into blocks.
#include "krylov/krylov_internal.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Blocks of kernels that leave a part each: at most SEDGE_KRYLOV_SUMS, on the host a few a core.
enum { THREADS = 256, HOST_BLOCKS = 128, CLUSTER = 8, CLUSTER_SINCE = 90, SOURCES = 4 };

static sedge_status write_constants(sedge_text *out, sedge_device_kind device, bool gpu,
                                    int real_bytes, krylov_kind kind, int *tile)
{
    const int pack = gpu ? 16 / real_bytes : 1;
    const int unroll = gpu ? 2 : 1;
    const int keep_threads = device == SEDGE_DEVICE_CUDA ? 1024 : THREADS;

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
    const bool is_cuda = info->kind == SEDGE_DEVICE_CUDA && strncmp(info->arch, "sm_", 3) == 0;

    return is_cuda && strtol(info->arch + 3, NULL, 10) >= CLUSTER_SINCE ? CLUSTER : 1;
}

static sedge_status find_kernels(krylov_kernels *kernels, int with)
{
    const struct {
        const char *name;
        const sedge_kernel **kernel;
        int wanted; // by one of these; 0: always
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
        if (list[i].wanted == 0 || (list[i].wanted & with) != 0)
            SEDGE_TRY(sedge_program_get(list[i].kernel, kernels->program, list[i].name));
    }
    return SEDGE_OK;
}

static int list_sources(sedge_source sources[SOURCES], int with)
{
    static const struct {
        int with;
        const char *name;
    } files[] = {{0, "codegen/kernels/krylov.h"},
                 {KRYLOV_WITH_SINGLE, "codegen/kernels/krylov_single.h"},
                 {KRYLOV_WITH_KEEP, "codegen/kernels/krylov_keep.h"},
                 {KRYLOV_WITH_CHEBYSHEV, "codegen/kernels/krylov_chebyshev.h"}};
    int count = 0;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].with == 0 || (files[i].with & with) != 0)
            sources[count++] = (sedge_source){files[i].name, NULL};
    }
    return count;
}

sedge_status sedge_krylov_kernels_write(sedge_text *out, sedge_device_kind device, int real_bytes,
                                        krylov_kind kind, int with)
{
    sedge_source sources[SOURCES];
    sedge_program_options options = {.name = "krylov", .sources = sources};
    sedge_status status;
    sedge_text *constants = NULL;
    int tile;

    options.count = list_sources(sources, with);
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, write_constants(constants, device, device != SEDGE_DEVICE_HOST,
                                           real_bytes, kind, &tile));
    options.constants = sedge_text_get(constants);
    status = sedge_program_write(out, device, &options);
done:
    sedge_text_free(constants);
    return status;
}

sedge_status sedge_krylov_kernels_create(krylov_kernels *out, sedge_context *context,
                                         const sedge_comm *comm, int real_bytes, int64_t rows,
                                         krylov_kind kind, int with)
{
    sedge_device *const device = sedge_context_device(context);
    const sedge_device_info *const info = sedge_device_get_info(device);
    const bool gpu = info->kind != SEDGE_DEVICE_HOST || info->random_order;
    sedge_source sources[SOURCES];
    sedge_program_options options = {.name = real_bytes == 8 ? "krylov-fp64" : "krylov-fp32",
                                     .sources = sources,
                                     // the sums of a block, or the arrays of krylov_keep
                                     .shared_bytes = 3 * THREADS * 8 + 256};
    sedge_status status;
    sedge_text *constants = NULL;
    int tile = 0;

    memset(out, 0, sizeof *out);
    options.count = list_sources(sources, with);
    status = sedge_text_create(&constants);
    if (status == SEDGE_OK)
        status = write_constants(constants, info->kind, gpu, real_bytes, kind, &tile);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    options.constants = sedge_text_get(constants);
    SEDGE_TRY_GOTO(status, sedge_program_create(&out->program, comm, device,
                                                sedge_context_cache(context), &options));
    cut(out, rows, tile, gpu ? SEDGE_KRYLOV_SUMS : HOST_BLOCKS);
    SEDGE_TRY_GOTO(status, find_kernels(out, with));
done:
    sedge_text_free(constants);
    if (status != SEDGE_OK) sedge_krylov_kernels_free(out);
    return status;
}

void sedge_krylov_kernels_free(krylov_kernels *kernels)
{
    sedge_program_free(kernels->program);
    memset(kernels, 0, sizeof *kernels);
}
