// The caller's CUDA context is current after each call as before it: with the driver of fake/,
// which refuses work without the device's context, and (label gpu) with the true one. With that of
// fake/ also, which kernels may begin early.
#include "check.h"

#include "base/memory.h"
#include "device/device.h"
#include "device/peer.h"
#include "fake/cuda.h"

#include <dlfcn.h>
#include <string.h>

static struct {
    int (*retain)(void **context, int device);
    int (*get)(void **context);
    int (*set)(void *context);
    int (*create)(void **context, unsigned flags, int device); // NULL: the driver of fake/
    int (*destroy)(void *context);
    fake_launches *counts; // NULL: the true driver
} driver;

static bool find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void *current(void)
{
    void *context = NULL;

    CHECK(driver.get(&context) == 0);
    return context;
}

#define SAME(call)                    \
    do {                              \
        CHECK_OK(call);               \
        CHECK(current() == expected); \
    } while (0)
#define SAME_FREE(call)               \
    do {                              \
        (call);                       \
        CHECK(current() == expected); \
    } while (0)

static void use_order(sedge_device *device, sedge_buffer *buffer, const void *expected)
{
    sedge_stream *stream = NULL;
    sedge_event *first = NULL, *last = NULL;
    sedge_graph *graph = NULL;
    double seconds;
    bool done;

    SAME(sedge_stream_create(&stream, device, true));
    SAME(sedge_event_create(&first, device));
    SAME(sedge_event_create(&last, device));
    SAME(sedge_event_record(first, stream));
    SAME(sedge_buffer_repeat(buffer, 4, stream));
    SAME(sedge_event_record(last, stream));
    SAME(sedge_stream_wait_event(stream, last));
    SAME(sedge_event_wait(last));
    SAME(sedge_event_query(last, &done));
    SAME(sedge_event_seconds(&seconds, first, last));
    SAME(sedge_graph_begin(stream));
    SAME(sedge_buffer_repeat(buffer, 4, stream));
    SAME(sedge_graph_end(&graph, stream));
    SAME(sedge_graph_launch(graph, stream));
    SAME(sedge_stream_wait(stream));
    SAME_FREE(sedge_graph_free(graph));
    SAME_FREE(sedge_event_free(last));
    SAME_FREE(sedge_event_free(first));
    SAME_FREE(sedge_stream_free(stream));
}

static void use_program(sedge_device *device, const void *expected)
{
    // One that does not wait, beside one whose form is the dialect's.
    static const char source[] =
        "extern \"C\" __global__ void idle(long long blocks) {}\n"
        "#if __CUDA_ARCH__ >= 900\n"
        "extern \"C\" __device__ const int sedge_waits = 1;\n"
        "#define WAIT() asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")\n"
        "#else\n"
        "#define WAIT() (void)0\n"
        "#endif\n"
        "extern \"C\" __device__ const struct {\n"
        "    int numbers[2];\n"
        "    char text[1];\n"
        "} sedge_signature_waiting = {{32, 0}, \"\"};\n"
        "extern \"C\" __global__ void waiting(long long blocks) { WAIT(); }\n";
    fake_launches *const counts = driver.counts;
    const sedge_kernel *kernel = NULL;
    sedge_module *module = NULL;
    sedge_kernel_info info;
    void *binary = NULL;
    size_t length;

    SAME(sedge_device_compile(device, source, NULL, NULL, &binary, &length, NULL));
    SAME(sedge_module_load(&module, device, binary, length));
    SAME(sedge_module_get(&kernel, module, "idle"));
    SAME(sedge_kernel_inspect(&info, kernel, 32));
    SAME(sedge_kernel_set_scratch(kernel, 512));
    if (counts != NULL) *counts = (fake_launches){0, 0};
    SAME(sedge_kernel_launch(kernel, NULL, 1, 32, NULL, 0));
    if (counts != NULL) CHECK(counts->all == 1 && counts->early == 0);
    SAME(sedge_module_get(&kernel, module, "waiting"));
    SAME(sedge_kernel_launch(kernel, NULL, 1, 32, NULL, 0));
    if (counts != NULL) { // a true driver opens no memory of its own process
        const char *why = NULL;
        const sedge_peer *const peer = sedge_device_peer(device, &why);
        const sedge_peer_handle handle = {0};
        uint64_t address = 0;
        CHECK(counts->all == 2 && counts->early == 1);
        SAME(peer->open(device, &address, &handle));
        SAME(sedge_kernel_launch(kernel, NULL, 1, 32, NULL, 0));
        CHECK(counts->all == 3 && counts->early == 1); // with peers launches are plain
    }
    SAME_FREE(sedge_module_free(module));
    sedge_release(binary);
}

static void use_peer(sedge_device *device, const void *expected)
{
    const char *why = NULL;
    const sedge_peer *const peer = sedge_device_peer(device, &why);
    sedge_peer_handle handle;
    uint64_t address;

    CHECK(peer != NULL);
    if (peer == NULL) return;
    SAME(peer->allocate(device, &address, 64));
    SAME(peer->share(device, &handle, address));
    const sedge_flag flag = {address, 1, false};
    SAME(peer->flags(device, NULL, &flag, 1));
    SAME_FREE(peer->release(device, address, 64));
}

static void use(const void *expected)
{
    float values[64] = {0.0f};
    sedge_device *device = NULL;
    sedge_buffer *buffer = NULL;
    sedge_buffer *other = NULL;
    void *pinned = NULL;

    SAME(sedge_device_create(&device, "cuda", 0, 1));
    if (device == NULL) return;
    SAME(sedge_buffer_create(&buffer, device, sizeof values));
    SAME(sedge_buffer_create(&other, device, sizeof values));
    SAME(sedge_buffer_upload(buffer, 0, values, sizeof values, NULL));
    SAME(sedge_buffer_copy(other, buffer, sizeof values, NULL));
    SAME(sedge_buffer_download(buffer, 0, values, sizeof values, NULL));
    SAME(sedge_pinned_allocate(&pinned, device, 64));
    SAME_FREE(sedge_pinned_release(device, pinned));
    use_order(device, buffer, expected);
    use_program(device, expected);
    use_peer(device, expected);
    SAME_FREE(sedge_buffer_free(other));
    SAME_FREE(sedge_buffer_free(buffer));
    SAME_FREE(sedge_device_free(device));
}

// A program that leaves the GPU to sedge: from this call on nothing is switched.
static void test_make_current(void *primary)
{
    sedge_device *device = NULL;
    sedge_buffer *buffer = NULL;

    CHECK(driver.set(NULL) == 0);
    CHECK_OK(sedge_device_create(&device, "cuda", 0, 1));
    if (device == NULL) return;
    CHECK(current() == NULL);
    CHECK_OK(sedge_device_make_current(device));
    CHECK(current() == primary);
    CHECK_OK(sedge_buffer_create(&buffer, device, 64));
    CHECK(current() == primary);
    sedge_buffer_free(buffer);
    sedge_device_free(device);
    CHECK(current() == NULL);
}

int main(void)
{
    static int any;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    void *primary = NULL, *own = &any;

    CHECK(library != NULL);
    if (library == NULL) return CHECK_END();
    const bool is_true = find(library, "cuCtxCreate_v2", &driver.create);
    CHECK(find(library, "cuDevicePrimaryCtxRetain", &driver.retain));
    CHECK(find(library, "cuCtxGetCurrent", &driver.get));
    CHECK(find(library, "cuCtxSetCurrent", &driver.set));
    (void)find(library, "fake_counts", &driver.counts);
    CHECK(is_true == (driver.counts == NULL));
    CHECK(sedge_device_count_cuda(NULL) > 0); // starts the driver
    CHECK(driver.retain(&primary, 0) == 0);
    if (is_true) {
        CHECK(find(library, "cuCtxDestroy_v2", &driver.destroy));
        CHECK(driver.create(&own, 0, 0) == 0);
    }
    void *const before[] = {NULL, own, primary};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        CHECK(driver.set(before[i]) == 0);
        use(before[i]);
    }
    test_make_current(primary);
    if (is_true) CHECK(driver.destroy(own) == 0);
    return CHECK_END();
}
