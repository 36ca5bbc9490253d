// NVRTC without a GPU: code for several chips, the log's resources, messages with file and line.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "check.h"
#include "device/cuda/nvrtc.h"
#include "device/device.h"

#include <pthread.h>

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(long long blocks, double s, const double *x, double *y)\n"
    "{\n"
    "    __shared__ double tile[64];\n"
    "    tile[threadIdx.x % 64] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "    __syncthreads();\n"
    "    y[blockIdx.x * blockDim.x + threadIdx.x] += 0x1.8p+0 * s * tile[63 - threadIdx.x % 64];\n"
    "}\n";

static void test_binary(const char *arch)
{
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_nvrtc_compile(saxpy, arch, &binary, &length, log));
    CHECK(length > 64 && binary != NULL && memcmp(binary, "\177ELF", 4) == 0);
    CHECK(strstr(sedge_text_get(log), "registers") != NULL);
    CHECK(strstr(sedge_text_get(log), "512 bytes smem") != NULL);
    CHECK(strstr(sedge_text_get(log), "spill stores") != NULL);
    sedge_release(binary);
    sedge_text_free(log);
}

static void test_messages(void)
{
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_FAILS(sedge_nvrtc_compile("#line 7 \"codegen/kernels/flux.h\"\n__global__ void f()\n"
                                    "{ undeclared_thing = 1; }\n",
                                    "sm_90", &binary, &length, log),
                SEDGE_ERR_DEVICE, "codegen/kernels/flux.h(8): error");
    CHECK(strstr(sedge_error_message(), "undeclared_thing") != NULL);
    CHECK(strstr(sedge_text_get(log), "undeclared_thing") != NULL);
    CHECK_FAILS(sedge_nvrtc_compile(saxpy, "sm_12345", &binary, &length, NULL), SEDGE_ERR_DEVICE,
                "gpu-architecture");
    CHECK_FAILS(sedge_nvrtc_compile(saxpy, "hopper", &binary, &length, NULL), SEDGE_ERR_DEVICE,
                "'hopper' is not of the form sm_90 or compute_90");
    CHECK(binary == NULL && length == 0);
    sedge_text_free(log);
}

static void test_intermediate_form(void)
{
    void *binary = NULL;
    size_t length = 0;

    CHECK_OK(sedge_nvrtc_compile(saxpy, "compute_80", &binary, &length, NULL));
    CHECK(binary != NULL && strstr(binary, ".target sm_80") != NULL);
    CHECK(binary != NULL && ((const char *)binary)[length - 1] == '\0');
    sedge_release(binary);
}

// A chip that is not here: what it is, what it compiles, and what it refuses.
static void test_target(void)
{
    static const struct {
        const char *arch;
        int64_t shared;
    } chips[] = {{"sm_75", 65536}, {"sm_80", 166912}, {"sm_90", 232448}, {"sm_120", 101376}};
    sedge_buffer *buffer = NULL;
    sedge_stream *stream = NULL;
    sedge_event *event = NULL;
    sedge_module *module = NULL;
    void *memory = NULL;

    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        sedge_device *device = NULL;
        void *binary = NULL;
        size_t length = 0;
        CHECK_OK(sedge_device_create_target(&device, "cuda", chips[i].arch));
        if (device == NULL) return;
        const sedge_device_info *const info = sedge_device_get_info(device);
        CHECK(info->kind == SEDGE_DEVICE_CUDA && strcmp(info->kind_name, "cuda") == 0);
        CHECK(strcmp(info->arch, chips[i].arch) == 0);
        CHECK(info->shared_bytes_block == chips[i].shared);
        CHECK(strstr(info->compiler, "NVRTC") != NULL && strstr(info->compiler, "build") != NULL);
        CHECK(strstr(sedge_device_compile_options(device), chips[i].arch) != NULL);
        CHECK_OK(sedge_device_compile(device, saxpy, NULL, NULL, &binary, &length, NULL));
        CHECK(binary != NULL && memcmp(binary, "\177ELF", 4) == 0);
        CHECK_FAILS(sedge_module_load(&module, device, binary, length), SEDGE_ERR_INTERNAL,
                    "compiles only");
        CHECK_FAILS(sedge_buffer_create(&buffer, device, 8), SEDGE_ERR_INTERNAL, "compiles only");
        CHECK_FAILS(sedge_stream_create(&stream, device, false), SEDGE_ERR_INTERNAL, chips[i].arch);
        CHECK_FAILS(sedge_event_create(&event, device), SEDGE_ERR_INTERNAL, "compiles only");
        CHECK_FAILS(sedge_pinned_allocate(&memory, device, 8), SEDGE_ERR_INTERNAL, "only");
        sedge_release(binary);
        sedge_device_free(device);
    }
}

static void test_target_refused(void)
{
    sedge_device *device = NULL;

    CHECK_FAILS(sedge_device_create_target(&device, "cuda", "sm_91"), SEDGE_ERR_USAGE,
                "architecture 'sm_91' is not known; known are sm_75, ");
    CHECK_FAILS(sedge_device_create_target(&device, "cuda", ""), SEDGE_ERR_USAGE, "sm_90");
    CHECK_FAILS(sedge_device_create_target(&device, "host", "sm_90"), SEDGE_ERR_USAGE,
                "for cuda only, not for 'host'");
    CHECK(device == NULL);
}

typedef struct test_thread {
    sedge_device *device;
    sedge_status status;
    char message[512];
    bool is_elf;
} test_thread;

static void *compile_both(void *argument)
{
    test_thread *const mine = argument;
    void *binary = NULL;
    size_t length = 0;

    mine->is_elf =
        sedge_device_compile(mine->device, saxpy, NULL, NULL, &binary, &length, NULL) == SEDGE_OK &&
        memcmp(binary, "\177ELF", 4) == 0;
    sedge_release(binary);
    mine->status =
        sedge_device_compile(mine->device, "wrong", NULL, "mine", &binary, &length, NULL);
    (void)snprintf(mine->message, sizeof mine->message, "%s", sedge_error_message());
    return NULL;
}

// Several threads compile with one device; each has its own message.
static void test_threads(void)
{
    enum { THREADS = 4 };
    sedge_device *device = NULL;
    test_thread own[THREADS];
    pthread_t threads[THREADS];

    CHECK_OK(sedge_device_create_target(&device, "cuda", "sm_80"));
    if (device == NULL) return;
    for (int t = 0; t < THREADS; t++) {
        own[t] = (test_thread){.device = device};
        CHECK(pthread_create(&threads[t], NULL, compile_both, &own[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        CHECK(pthread_join(threads[t], NULL) == 0);
        CHECK(own[t].is_elf && own[t].status == SEDGE_ERR_DEVICE);
        CHECK(strstr(own[t].message, "'mine'") != NULL);
    }
    sedge_device_free(device);
}

int main(void)
{
    test_binary("sm_80");
    test_binary("sm_90");
    test_messages();
    test_intermediate_form();
    test_target();
    test_target_refused();
    test_threads();
    return CHECK_END();
}
