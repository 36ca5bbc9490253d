// The cuda device on a GPU. Fails where there is none: leave it out by its label, gpu.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "check.h"
#include "device/device.h"
#include "every_device.h"

#include <stdlib.h>

enum { THREADS = 128 };

static const char source[] =
    "extern \"C\" __global__ void saxpy(long long blocks, double s, const double *x, double *y)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (blockIdx.x < blocks) y[i] += s * x[i];\n"
    "}\n"
    "extern \"C\" __global__ void reverse(long long blocks, float *x)\n"
    "{\n"
    "    __shared__ float tile[128];\n"
    "    float *mine = x + blockIdx.x * 128;\n"
    "    tile[threadIdx.x] = mine[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    mine[threadIdx.x] = tile[127 - threadIdx.x];\n"
    "    (void)blocks;\n"
    "}\n"
    "extern \"C\" __global__ void spin(long long blocks, long long cycles)\n"
    "{\n"
    "    const long long began = clock64();\n"
    "    while (clock64() - began < cycles) {}\n"
    "    (void)blocks;\n"
    "}\n";

static void test_info(const sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);

    CHECK(info->kind == SEDGE_DEVICE_CUDA && strcmp(info->kind_name, "cuda") == 0);
    CHECK(strlen(info->name) > 0 && strncmp(info->arch, "sm_", 3) == 0);
    CHECK(strstr(info->compiler, "NVRTC") != NULL && strstr(info->compiler, "build") != NULL);
    CHECK(info->multiprocessors > 0 && info->memory_bytes > 0 && info->l2_bytes > 0);
    CHECK(info->shared_bytes_block >= 49152 && info->vector_bytes == 0);
    CHECK(info->devices_on_node >= 1 && info->ordinal == 0);
    CHECK(strstr(sedge_device_compile_options(device), info->arch) != NULL);
}

static void test_saxpy(sedge_device *device, sedge_module *module)
{
    enum { BLOCKS = 1000, N = BLOCKS * THREADS, BYTES = N * (int)sizeof(double) };
    const int64_t bytes = BYTES;
    sedge_buffer *x = NULL;
    sedge_buffer *y = NULL;
    sedge_stream *stream = NULL;
    double *host = NULL;
    const sedge_kernel *kernel = NULL;
    int wrong = 0;

    CHECK_OK(sedge_pinned_allocate(&host, device, bytes));
    CHECK(host[N - 1] == 0.0);
    for (int i = 0; i < N; i++) host[i] = i;
    CHECK_OK(sedge_buffer_create(&x, device, bytes));
    CHECK_OK(sedge_buffer_create(&y, device, bytes));
    CHECK_OK(sedge_stream_create(&stream, device, true));
    CHECK_OK(sedge_buffer_upload(x, 0, host, bytes, stream));
    CHECK_OK(sedge_module_get(&kernel, module, "saxpy"));
    const double s = 2.5;
    const uint64_t from = sedge_buffer_address(x);
    const uint64_t to = sedge_buffer_address(y);
    void *const arguments[] = {(void *)(uintptr_t)&s, (void *)(uintptr_t)&from,
                               (void *)(uintptr_t)&to};
    CHECK_OK(sedge_kernel_launch(kernel, stream, BLOCKS - 1, THREADS, arguments, 3));
    CHECK_OK(sedge_kernel_launch(kernel, stream, 0, THREADS, arguments, 3));
    CHECK_FAILS(sedge_kernel_launch(kernel, stream, 1, THREADS, arguments, 2), SEDGE_ERR_INTERNAL,
                "'saxpy' takes 3 arguments and was given 2");
    CHECK_OK(sedge_stream_wait(stream));
    CHECK_OK(sedge_buffer_download(y, 0, host, bytes, stream));
    CHECK_OK(sedge_stream_wait(stream));
    for (int i = 0; i < N; i++) wrong += host[i] != (i < N - THREADS ? 2.5 * i : 0.0);
    CHECK(wrong == 0);
    CHECK_FAILS(sedge_module_get(&kernel, module, "saxpi"), SEDGE_ERR_DEVICE, "no kernel 'saxpi'");
    sedge_pinned_release(device, host);
    sedge_stream_free(stream);
    sedge_buffer_free(x);
    sedge_buffer_free(y);
}

// Everything without a stream is done when the call returns, from ordinary memory too.
static void test_without_stream(sedge_device *device, sedge_module *module)
{
    enum { BLOCKS = 4096, N = BLOCKS * THREADS };
    static float values[N];
    sedge_buffer *x = NULL;
    sedge_buffer *y = NULL;
    const sedge_kernel *kernel = NULL;
    int wrong = 0;

    for (int i = 0; i < N; i++) values[i] = (float)i;
    CHECK_OK(sedge_buffer_create(&x, device, sizeof values));
    CHECK_OK(sedge_buffer_create(&y, device, sizeof values));
    CHECK_OK(sedge_buffer_upload(x, 0, values, sizeof values, NULL));
    CHECK_OK(sedge_buffer_copy(y, x, sizeof values, NULL));
    CHECK_OK(sedge_module_get(&kernel, module, "reverse"));
    const uint64_t address = sedge_buffer_address(y);
    void *const arguments[] = {(void *)(uintptr_t)&address};
    CHECK_OK(sedge_kernel_launch(kernel, NULL, BLOCKS, THREADS, arguments, 1));
    CHECK_OK(sedge_buffer_download(y, 0, values, sizeof values, NULL));
    for (int i = 0; i < N; i++) {
        const int first = i / THREADS * THREADS;
        wrong += values[i] != (float)(first + THREADS - 1 - (i - first));
    }
    CHECK(wrong == 0);
    sedge_buffer_free(x);
    sedge_buffer_free(y);
}

static void test_inspect(sedge_module *module)
{
    const sedge_kernel *kernel = NULL;
    sedge_kernel_info about;

    CHECK_OK(sedge_module_get(&kernel, module, "reverse"));
    CHECK_OK(sedge_kernel_inspect(&about, kernel, THREADS));
    CHECK(about.registers > 0 && about.shared_bytes >= 512 && about.local_bytes == 0);
    CHECK(about.max_threads >= THREADS && about.blocks_per_multiprocessor >= 1);
}

// An event follows the work before it, and another stream can wait for it.
static void test_events(sedge_device *device, sedge_module *module)
{
    sedge_stream *one = NULL;
    sedge_stream *two = NULL;
    sedge_event *events[3] = {NULL};
    const sedge_kernel *kernel = NULL;
    double seconds = 0.0;
    double later = 0.0;
    bool done = true;
    const long long cycles = 100000000; // 50 ms at 2 GHz; no GPU reaches 5
    void *const arguments[] = {(void *)(uintptr_t)&cycles};

    CHECK_OK(sedge_stream_create(&one, device, false));
    CHECK_OK(sedge_stream_create(&two, device, true));
    for (int i = 0; i < 3; i++) CHECK_OK(sedge_event_create(&events[i], device));
    CHECK_FAILS(sedge_event_seconds(&seconds, events[0], events[1]), SEDGE_ERR_DEVICE,
                "cuEventElapsedTime");
    CHECK_OK(sedge_module_get(&kernel, module, "spin"));
    CHECK_OK(sedge_event_record(events[0], one));
    CHECK_OK(sedge_kernel_launch(kernel, one, 1, 1, arguments, 1));
    CHECK_OK(sedge_event_record(events[1], one));
    CHECK_OK(sedge_event_query(events[1], &done));
    CHECK(!done);
    CHECK_OK(sedge_stream_wait_event(two, events[1]));
    CHECK_OK(sedge_event_record(events[2], two));
    CHECK_OK(sedge_event_wait(events[2]));
    CHECK_OK(sedge_event_query(events[1], &done));
    CHECK(done);
    CHECK_OK(sedge_event_seconds(&seconds, events[0], events[1]));
    CHECK_OK(sedge_event_seconds(&later, events[0], events[2]));
    CHECK(seconds > 0.02 && seconds < 5.0 && later >= seconds);
    for (int i = 0; i < 3; i++) sedge_event_free(events[i]);
    sedge_stream_free(one);
    sedge_stream_free(two);
}

// Recorded work runs when the graph is launched, each time, with the addresses of the recording.
static void test_graph(sedge_device *device, sedge_module *module)
{
    enum { N = 2 * THREADS };
    const int64_t bytes = N * (int64_t)sizeof(double);
    static double values[N];
    sedge_buffer *x = NULL;
    sedge_buffer *y = NULL;
    sedge_stream *stream = NULL;
    sedge_graph *graph = NULL;
    const sedge_kernel *kernel = NULL;
    double *back = NULL;
    int wrong = 0;

    for (int i = 0; i < N; i++) values[i] = i;
    CHECK(sedge_device_get_info(device)->graphs);
    CHECK_OK(sedge_pinned_allocate(&back, device, bytes));
    CHECK_OK(sedge_buffer_create(&x, device, bytes));
    CHECK_OK(sedge_buffer_create(&y, device, bytes));
    CHECK_OK(sedge_buffer_upload(x, 0, values, bytes, NULL));
    CHECK_OK(sedge_stream_create(&stream, device, false));
    CHECK_OK(sedge_module_get(&kernel, module, "saxpy"));
    const double s = 2.0;
    const uint64_t from = sedge_buffer_address(x);
    const uint64_t to = sedge_buffer_address(y);
    void *const arguments[] = {(void *)(uintptr_t)&s, (void *)(uintptr_t)&from,
                               (void *)(uintptr_t)&to};
    CHECK_OK(sedge_graph_begin(stream));
    CHECK_OK(sedge_kernel_launch(kernel, stream, 2, THREADS, arguments, 3));
    CHECK_OK(sedge_kernel_launch(kernel, stream, 2, THREADS, arguments, 3));
    CHECK_OK(sedge_buffer_download(y, 0, back, bytes, stream));
    CHECK_OK(sedge_graph_end(&graph, stream));
    CHECK_OK(sedge_stream_wait(stream));
    CHECK(back[N - 1] == 0.0); // nothing has run
    for (int launch = 0; launch < 3 && graph != NULL; launch++)
        CHECK_OK(sedge_graph_launch(graph, stream));
    CHECK_OK(sedge_stream_wait(stream));
    for (int i = 0; i < N; i++) wrong += back[i] != 12.0 * i;
    CHECK(wrong == 0);
    sedge_graph_free(graph);
    sedge_graph_free(NULL);
    sedge_stream_free(stream);
    sedge_buffer_free(x);
    sedge_buffer_free(y);
    sedge_pinned_release(device, back);
}

// Without the chip the same key is made: what was compiled for it elsewhere is found here.
static void test_target_is_the_same(const sedge_device *device)
{
    const sedge_device_info *const here = sedge_device_get_info(device);
    sedge_device *target = NULL;

    CHECK_OK(sedge_device_create_target(&target, "cuda", here->arch));
    if (target == NULL) return;
    const sedge_device_info *const there = sedge_device_get_info(target);
    CHECK(strcmp(here->kind_name, there->kind_name) == 0);
    CHECK(strcmp(here->arch, there->arch) == 0);
    CHECK(strcmp(here->compiler, there->compiler) == 0);
    CHECK(here->shared_bytes_block == there->shared_bytes_block);
    CHECK(strcmp(sedge_device_compile_options(device), sedge_device_compile_options(target)) == 0);
    sedge_device_free(target);
}

int main(void)
{
    sedge_device *device = NULL;
    sedge_module *module = NULL;
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_device_create(&device, "cuda", 0, 1));
    if (device == NULL) return 1;
    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_device_compile(device, source, NULL, NULL, &binary, &length, log));
    CHECK(strstr(sedge_text_get(log), "registers") != NULL);
    CHECK_OK(sedge_module_load(&module, device, binary, length));
    if (module == NULL) return 1;
    test_info(device);
    test_saxpy(device, module);
    test_without_stream(device, module);
    test_inspect(module);
    test_events(device, module);
    test_graph(device, module);
    check_memory(device, (int64_t)1 << 45, "33554432.0 MiB were asked for");
    check_repeat(device);
    test_target_is_the_same(device);
    CHECK_FAILS(sedge_module_load(&module, device, "not a cubin", 12), SEDGE_ERR_DEVICE,
                "cuModuleLoadData");
    sedge_module_free(module);
    sedge_release(binary);
    sedge_text_free(log);
    sedge_device_free(device);
    return CHECK_END();
}
