// The host device: compile, load, launch, memory, streams, events, and its refusals.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "device/backend.h"
#include "device/device.h"
#include "every_device.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

static const char saxpy[] =
    "void saxpy(long blocks, void **a)\n"
    "{\n"
    "    const double s = *(const double *)a[0];\n"
    "    const double *x = *(const double **)a[1];\n"
    "    double *y = *(double **)a[2];\n"
    "    for (long b = 0; b < blocks; b++)\n"
    "        for (int i = 0; i < 16; i++) y[16 * b + i] += s * x[16 * b + i];\n"
    "}\n";

// `getpid` is also a name of libc: the module must call its own.
static const char set_threads_source[] =
    "static int n; int getpid(void) { return n; } void sedge_set_threads(int t) { n = t; }\n"
    "void set(long blocks, void **a) { **(int **)a[0] = getpid(); (void)blocks; }\n";

static sedge_status build(sedge_module **module, sedge_device *device, const char *source)
{
    sedge_status status;
    void *binary = NULL;
    size_t length;

    *module = NULL;
    SEDGE_TRY_GOTO(status,
                   sedge_device_compile(device, source, NULL, "test", &binary, &length, NULL));
    SEDGE_TRY_GOTO(status, sedge_module_load(module, device, binary, length));
done:
    sedge_release(binary);
    return status;
}

static void test_info(const sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);

    CHECK(info->kind == SEDGE_DEVICE_HOST && strcmp(info->kind_name, "host") == 0);
    CHECK(strlen(info->name) > 0);
    CHECK(strncmp(info->arch, "native: ", 8) == 0 && strstr(info->arch, "features ") != NULL);
    CHECK(strstr(info->compiler, "version") != NULL && strstr(info->compiler, "libc ") != NULL);
    CHECK(strchr(info->compiler, '/') != NULL); // a wrapper is another compiler
    CHECK(info->vector_bytes == 16 || info->vector_bytes == 32 || info->vector_bytes == 64);
    CHECK(info->multiprocessors == 3); // SEDGE_THREADS, below
    CHECK(info->memory_bytes > 0 && info->devices_on_node == 1 && info->shared_bytes_block == 0);
    CHECK(strstr(sedge_device_compile_options(device), "-O3") != NULL);
    CHECK(strstr(sedge_device_compile_options(device), "-ffast-math") == NULL);
}

static void test_saxpy(sedge_device *device)
{
    enum { BLOCKS = 5, N = 16 * BLOCKS };
    sedge_module *module = NULL;
    sedge_buffer *x = NULL;
    sedge_buffer *y = NULL;
    sedge_stream *stream = NULL;
    const sedge_kernel *kernel = NULL;
    const sedge_kernel *again = NULL;
    sedge_kernel_info about;
    double values[N];
    double result[N];

    for (int i = 0; i < N; i++) values[i] = i;
    CHECK_OK(build(&module, device, saxpy));
    CHECK_OK(sedge_buffer_create(&x, device, sizeof values));
    CHECK_OK(sedge_buffer_create(&y, device, sizeof values));
    CHECK_OK(sedge_stream_create(&stream, device, true));
    CHECK_OK(sedge_buffer_upload(x, 0, values, sizeof values, stream));
    CHECK_OK(sedge_module_get(&kernel, module, "saxpy"));
    CHECK_OK(sedge_module_get(&again, module, "saxpy"));
    CHECK(kernel == again);
    CHECK_OK(sedge_kernel_inspect(&about, kernel, 128));
    CHECK(about.registers == 0 && about.max_threads == INT_MAX);
    const double s = 2.5;
    const uint64_t from = sedge_buffer_address(x);
    const uint64_t to = sedge_buffer_address(y);
    void *const arguments[] = {(void *)(uintptr_t)&s, (void *)(uintptr_t)&from,
                               (void *)(uintptr_t)&to};
    CHECK_OK(sedge_kernel_launch(kernel, stream, BLOCKS - 1, 0, arguments, 3));
    CHECK_OK(sedge_kernel_launch(kernel, stream, 0, 0, arguments, 3));
    CHECK_FAILS(sedge_kernel_launch(kernel, stream, -1, 0, arguments, 3), SEDGE_ERR_INTERNAL,
                "cannot run -1 blocks");
    CHECK_OK(sedge_stream_wait(stream));
    CHECK(!sedge_device_get_info(device)->graphs);
    CHECK_FAILS(sedge_graph_begin(stream), SEDGE_ERR_USAGE, "'host' has no graphs");
    CHECK_OK(sedge_buffer_download(y, 0, result, sizeof result, NULL));
    for (int i = 0; i < N; i++) CHECK(result[i] == (i < 16 * (BLOCKS - 1) ? 2.5 * i : 0.0));
    CHECK_FAILS(sedge_module_get(&kernel, module, "saxpi"), SEDGE_ERR_DEVICE, "no kernel 'saxpi'");
    CHECK(kernel == NULL);
    sedge_stream_free(stream);
    sedge_buffer_free(x);
    sedge_buffer_free(y);
    sedge_module_free(module);
}

// Several modules with the same names live side by side, and one loaded after another was freed is
// not taken for it.
static void test_modules_are_separate(sedge_device *device)
{
    sedge_module *modules[3];
    static const char *const sources[] = {
        "void set(long blocks, void **a) { **(int **)a[0] = 100 + (int)blocks; }\n",
        "void set(long blocks, void **a) { **(int **)a[0] = 200 + (int)blocks; }\n",
        set_threads_source};
    static const int wanted[] = {101, 201, 3};

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            const int which = round == 0 ? i : 2 - i;
            CHECK_OK(build(&modules[which], device, sources[which]));
        }
        for (int i = 0; i < 3; i++) {
            const sedge_kernel *kernel = NULL;
            int value = 0;
            int *pointer = &value;
            void *const arguments[] = {&pointer};
            CHECK_OK(sedge_module_get(&kernel, modules[i], "set"));
            CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, 0, arguments, 1));
            CHECK(value == wanted[i]);
        }
        for (int i = 0; i < 3; i++) sedge_module_free(modules[i]);
    }
}

// A program has as many modules as it likes: none of them keeps a descriptor, and each is itself
// though they were loaded from the same few descriptors.
static void test_many_modules(sedge_device *device)
{
    enum { MODULES = 2000, SOURCES = 3, FILES = 64 };
    static const char *const sources[SOURCES] = {
        "void set(long blocks, void **a) { **(int **)a[0] = 0 * (int)blocks; }\n",
        "void set(long blocks, void **a) { **(int **)a[0] = 1 * (int)blocks; }\n",
        "void set(long blocks, void **a) { **(int **)a[0] = 2 * (int)blocks; }\n"};
    static sedge_module *modules[MODULES];
    void *binary[SOURCES];
    size_t length[SOURCES];
    struct rlimit before;
    int wrong = 0;

    for (int k = 0; k < SOURCES; k++) {
        CHECK_OK(
            sedge_device_compile(device, sources[k], NULL, "many", &binary[k], &length[k], NULL));
    }
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FILES, before.rlim_max}) == 0);
    for (int i = 0; i < MODULES; i++) {
        const int k = i % SOURCES;
        CHECK_OK(sedge_module_load(&modules[i], device, binary[k], length[k]));
        if (modules[i] == NULL) break;
    }
    for (int i = 0; i < MODULES && modules[i] != NULL; i++) {
        const sedge_kernel *kernel = NULL;
        int value = -1;
        int *pointer = &value;
        void *const arguments[] = {&pointer};
        CHECK_OK(sedge_module_get(&kernel, modules[i], "set"));
        CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, 0, arguments, 1));
        wrong += value != i % SOURCES;
    }
    CHECK(wrong == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    for (int i = 0; i < MODULES; i++) sedge_module_free(modules[i]);
    for (int k = 0; k < SOURCES; k++) sedge_release(binary[k]);
}

static void test_warnings(sedge_device *device)
{
    void *binary = NULL;
    size_t length;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_device_compile(device, "#warning heard\nint x;\n", NULL, NULL, &binary, &length,
                                  log));
    CHECK(length > 0 && strstr(sedge_text_get(log), "heard") != NULL);
    sedge_release(binary);
    sedge_text_free(log);
}

// Not-a-number must survive the compiler's options.
static void test_not_a_number(sedge_device *device)
{
    sedge_module *module = NULL;
    const sedge_kernel *kernel = NULL;
    double value = (double)NAN;
    double *pointer = &value;
    int found = 0;
    int *answer = &found;
    void *const arguments[] = {&pointer, &answer};

    CHECK_OK(build(&module, device,
                   "void look(long n, void **a)\n"
                   "{ double x = **(double **)a[0]; **(int **)a[1] = x != x; (void)n; }\n"));
    CHECK_OK(sedge_module_get(&kernel, module, "look"));
    CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, 0, arguments, 2));
    CHECK(found == 1);
    sedge_module_free(module);
}

static void test_events(sedge_device *device)
{
    sedge_stream *stream = NULL;
    sedge_event *first = NULL;
    sedge_event *last = NULL;
    double seconds = 0.0;
    bool done = false;

    CHECK_OK(sedge_stream_create(&stream, device, false));
    CHECK_OK(sedge_event_create(&first, device));
    CHECK_OK(sedge_event_create(&last, device));
    CHECK_FAILS(sedge_event_seconds(&seconds, first, last), SEDGE_ERR_INTERNAL, "never recorded");
    const double began = sedge_clock();
    CHECK_OK(sedge_event_record(first, stream));
    usleep(20000);
    CHECK_OK(sedge_event_record(last, stream));
    CHECK_OK(sedge_stream_wait_event(stream, last));
    CHECK_OK(sedge_event_wait(last));
    CHECK_OK(sedge_event_query(last, &done));
    CHECK(done);
    CHECK_OK(sedge_event_seconds(&seconds, first, last));
    CHECK(seconds >= 0.02); // a monotonic clock cannot show less than was slept
    CHECK_BOUND(seconds, 1.02 * (sedge_clock() - began)); // two clocks
    sedge_event_free(first);
    sedge_event_free(last);
    sedge_stream_free(stream);
}

static void test_kept_source(sedge_device *device)
{
    static const char folder[] = SEDGE_TEST_DIR "/kept";
    static const char path[] = SEDGE_TEST_DIR "/kept/a_b.c";
    void *binary = NULL;
    size_t length;
    char line[64] = "";

    (void)unlink(path);
    CHECK(setenv("SEDGE_KEEP", folder, 1) == 0);
    CHECK_OK(sedge_device_compile(device, "int kept;\n", NULL, "a/b", &binary, &length, NULL));
    CHECK(unsetenv("SEDGE_KEEP") == 0);
    FILE *const file = fopen(path, "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(strcmp(line, "int kept;\n") == 0);
    if (file != NULL) (void)fclose(file);
    sedge_release(binary);
}

// A compiler that adds an option and else is the system's, in a folder of its own, made in 1970.
static void identify(char out[4096], char arch[256], const char *name, const char *option)
{
    sedge_device *device = NULL;
    char path[600];
    char text[600];

    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/%s", name);
    CHECK_OK(sedge_folder_make(path));
    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/%s/cc", name);
    (void)snprintf(text, sizeof text, "#!/bin/sh\nexec cc \"$@\" %s\n", option);
    CHECK_OK(sedge_file_write(path, text, strlen(text)));
    CHECK(chmod(path, 0755) == 0);
    const struct utimbuf early = {(time_t)strlen(name), (time_t)strlen(name)};
    CHECK(utime(path, &early) == 0 && setenv("SEDGE_CC", path, 1) == 0);
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK(unsetenv("SEDGE_CC") == 0);
    (void)snprintf(out, 4096, "%s", sedge_device_get_info(device)->compiler);
    (void)snprintf(arch, 256, "%s", sedge_device_get_info(device)->arch);
    sedge_device_free(device);
}

// Its place and its time are not in the compiler's identity, and so not in a cache's keys; what it
// does is, and for which processor.
static void test_identity(void)
{
    char one[4096];
    char other[4096];
    char arch[256];
    char other_arch[256];

    identify(one, arch, "compiler", "-O1");
    identify(other, other_arch, "another-compiler", "-O1");
    CHECK(strcmp(one, other) == 0 && strstr(one, "version") != NULL);
    CHECK(strcmp(arch, other_arch) == 0);
    identify(other, other_arch, "another-compiler", "-O2");
    CHECK(strcmp(one, other) != 0);
    identify(other, other_arch, "another-compiler", "-mtune=generic");
    CHECK(strcmp(arch, other_arch) != 0);
}

static void test_refusals(void)
{
    sedge_device *device = NULL;

    CHECK_FAILS(sedge_device_create(&device, "gpu", 0, 1), SEDGE_ERR_USAGE,
                "unknown device 'gpu'; allowed are auto, cuda, opencl and host");
    CHECK(setenv("SEDGE_CC", "/nonexistent", 1) == 0);
    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_DEVICE,
                "no C compiler: looked for '/nonexistent'");
    CHECK(strstr(sedge_error_message(), "set SEDGE_CC") != NULL);
    CHECK(setenv("SEDGE_CC", "/bin/false", 1) == 0);
    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_DEVICE,
                "'/bin/false -###' ends with status 1");
    CHECK(unsetenv("SEDGE_CC") == 0);
    CHECK(setenv("SEDGE_THREADS", "two", 1) == 0);
    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_USAGE,
                "SEDGE_THREADS='two' is not a number in 1..4096");
    CHECK(setenv("SEDGE_THREADS", "3", 1) == 0);
    CHECK(device == NULL);
}

// Without SEDGE_THREADS more ranks never get more threads, and never less than one.
static void test_threads_are_shared_out(void)
{
    sedge_device *device = NULL;
    int before = INT_MAX;

    CHECK(unsetenv("SEDGE_THREADS") == 0);
    for (int ranks = 1; ranks <= 64; ranks *= 8) {
        CHECK_OK(sedge_device_create(&device, "host", 0, ranks));
        const int threads = sedge_device_get_info(device)->multiprocessors;
        CHECK(threads >= 1 && threads <= before && (threads == 1 || threads * ranks <= 4096));
        before = threads;
        sedge_device_free(device);
    }
    CHECK(setenv("SEDGE_THREADS", "3", 1) == 0);
}

// Of a compiler's log the message has the first error and what follows, whole lines, as much as
// fits.
static void test_failure_log(void)
{
    static const char line[] = "k.c:7: error: no such thing\n";
    static char log[4096] = "k.c:1: warning: odd\n";
    size_t length = strlen(log);

    CHECK_FAILS(sedge_compile_failure("cc", "k", "killed\n\n"), SEDGE_ERR_DEVICE,
                "cc cannot compile 'k':\nkilled");
    CHECK(strstr(sedge_error_message(), "killed\n") == NULL);
    while (length + strlen(line) < sizeof log) {
        memcpy(log + length, line, sizeof line);
        length += strlen(line);
    }
    CHECK_FAILS(sedge_compile_failure("cc", "k", log), SEDGE_ERR_DEVICE,
                "cc cannot compile 'k':\nk.c:7: error: no such thing\nk.c:7:");
    int lines = 0;
    for (const char *at = sedge_error_message(); (at = strstr(at, "no such thing")) != NULL; at++)
        lines++;
    CHECK(lines == 2400 / (int)strlen(line)); // what fits
    CHECK(sedge_error_message()[strlen(sedge_error_message()) - 1] == 'g');
}

int main(void)
{
    sedge_device *device = NULL;

    test_failure_log();
    CHECK_OK(sedge_device_start_helper());
    test_refusals();
    test_identity();
    test_threads_are_shared_out();
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    if (device == NULL) return 1;
    test_info(device);
    test_saxpy(device);
    test_modules_are_separate(device);
    test_many_modules(device);
    check_messages(device);
    test_warnings(device);
    test_not_a_number(device);
    check_memory(device, (int64_t)1 << 50, "1073741824.0 MiB were asked for");
    check_repeat(device);
    test_events(device);
    test_kept_source(device);
    sedge_device_free(device);
    sedge_device_stop_helper();
    return CHECK_END();
}
