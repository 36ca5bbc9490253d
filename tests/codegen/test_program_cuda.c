// A program on a GPU: compiled, run, found again in the cache. Fails where there is no GPU.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "check.h"
#include "program/program.h"

#include <stdlib.h>

static const char kernels[] = SEDGE_TEST_DIR "/kernels-cuda";
static const char folder[] = SEDGE_TEST_DIR "/programs-cuda";

static void build(const sedge_comm *comm, sedge_device *device, bool expect_hit)
{
    const sedge_source source = {
        "fill.h", "KERNEL fill(long long blocks, int *values)\n"
                  "{\n"
                  "    if (blockIdx.x < blocks && threadIdx.x == 0) values[blockIdx.x] = VALUE;\n"
                  "}\n"};
    const sedge_program_options options = {
        .name = "fill", .constants = "#define VALUE 42\n", .sources = &source, .count = 1};
    sedge_cache *cache = NULL;
    sedge_program *program = NULL;
    sedge_buffer *buffer = NULL;
    const sedge_kernel *kernel = NULL;
    int values[3] = {0};
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, folder));
    if (!expect_hit) CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK_OK(sedge_program_create(&program, comm, device, cache, &options));
    if (program == NULL) return;
    CHECK(strstr(sedge_program_log(program), "registers") != NULL);
    CHECK_OK(sedge_buffer_create(&buffer, device, sizeof values));
    CHECK_OK(sedge_program_get(&kernel, program, "fill"));
    const uint64_t address = sedge_buffer_address(buffer);
    void *const arguments[] = {(void *)(uintptr_t)&address};
    CHECK_OK(sedge_kernel_launch(kernel, NULL, 2, 32, arguments, 1));
    CHECK_OK(sedge_buffer_download(buffer, 0, values, sizeof values, NULL));
    CHECK(values[0] == 42 && values[1] == 42 && values[2] == 0);
    const sedge_cache_counts counts = sedge_cache_get_counts(cache);
    CHECK(counts.hits == (expect_hit ? 1 : 0) && counts.misses == (expect_hit ? 0 : 1));
    sedge_buffer_free(buffer);
    sedge_program_free(program);
    sedge_cache_free(cache);
}

int main(void)
{
    static const char prelude[] = "#define KERNEL extern \"C\" __global__ void\n";
    sedge_comm *comm = NULL;
    sedge_device *device = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    CHECK(setenv("SEDGE_KERNELS", kernels, 1) == 0);
    CHECK_OK(sedge_folder_make(kernels));
    CHECK_OK(
        sedge_file_write(SEDGE_TEST_DIR "/kernels-cuda/prelude_cuda.h", prelude, strlen(prelude)));
    CHECK_OK(sedge_device_create(&device, "cuda", 0, 1));
    if (device != NULL) {
        build(comm, device, false);
        build(comm, device, true);
    }
    sedge_device_free(device);
    sedge_comm_free(comm);
    return CHECK_END();
}
