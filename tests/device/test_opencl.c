// The opencl device: memory at any address, streams and events, programs and what they refuse.
#define _GNU_SOURCE // setenv, O_DIRECTORY
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "device/device.h"
#include "device/opencl/opencl_log.h"
#include "every_device.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 64 };

// What codegen/kernels/program/prelude_opencl.h makes, written out: a type behind each argument
// tells size and kind (1 pointer, 2 integer, 3 floating point, 4 other).
#define HEAD(name)                                                         \
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void\n" name \
    "(long blocks, __local int4 *scratch"
#define POINTER(type, name) \
    ", __global " type " *" name ", long " name "_at, __global const char (*" name "_t)[8][1]"
#define VALUE(type, name, bytes, kind) \
    ", " type " " name ", long " name "_at, __global const char (*" name "_t)[" bytes "][" kind "]"
#define AT(type, name) "((__global " type " *)((__global char *)" name " + " name "_at))"

static const char source[] = "typedef struct { float re, im; } pair;\n" HEAD("scale")
    VALUE("double", "s", "8", "3") POINTER("double", "x") POINTER("double", "y") VALUE(
        "int", "flag", "4",
        "2") ")\n"
             "{\n"
             "    const long i = get_global_id(0);\n"
             "    if (get_group_id(0) < blocks)\n"
             "        " AT("double", "y") "[i] += flag * s * " AT(
                 "double",
                 "x") "[i];\n"
                      "}\n" HEAD("reverse") POINTER("float", "x") VALUE(
                          "pair", "z", "8",
                          "4") ")\n"
                               "{\n"
                               "    __local float fixed[64];\n"
                               "    __local float *given = (__local float *)scratch;\n"
                               "    const int t = get_local_id(0);\n"
                               "    __global float *mine = " AT(
                                   "float",
                                   "x") " + get_group_id(0) * 64;\n"
                                        "    fixed[t] = mine[t];\n"
                                        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                        "    given[t] = z.re * fixed[63 - t] + z.im;\n"
                                        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                        "    mine[t] = given[t ^ 1];\n"
                                        "}\n" HEAD("spin") POINTER("float", "x") VALUE(
                                            "long", "rounds",
                                            "8", "2") ")\n"
                                                      "{\n"
                                                      "    volatile __global float *mine = " AT(
                                                          "float",
                                                          "x") " + get_global_id(0);\n"
                                                               "    for (long i = 0; i < rounds; "
                                                               "i++) *mine = 0.5f * *mine + 1.0f;\n"
                                                               "}\n";

static void test_info(const sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);

    CHECK(info->kind == SEDGE_DEVICE_OPENCL && strcmp(info->kind_name, "opencl") == 0);
    CHECK(strlen(info->name) > 0 && strncmp(info->arch, "OpenCL ", 7) == 0);
    CHECK(strstr(info->compiler, "driver ") != NULL && strstr(info->compiler, info->name) != NULL);
    CHECK(info->multiprocessors > 0 && info->memory_bytes > 0 && info->threads_block >= THREADS);
    CHECK(info->shared_bytes_block >= 16384 && info->vector_bytes == 0);
    CHECK(info->devices_on_node >= 1 && info->ordinal == 0);
    CHECK(strstr(sedge_device_compile_options(device), "-cl-kernel-arg-info") != NULL);
}

// What PoCL compiles with is a part of the compiler's name, and so of the cache's keys.
static void test_settings(void)
{
    static const char setting[] = "POCL_WORK_GROUP_METHOD";
    sedge_device *device = NULL;

    for (int given = 0; given < 2; given++) {
        CHECK((given == 1 ? setenv(setting, "loops", 1) : unsetenv(setting)) == 0);
        CHECK_OK(sedge_device_create(&device, "opencl", 0, 1));
        if (device == NULL) return;
        const char *const compiler = sedge_device_get_info(device)->compiler;
        CHECK((strstr(compiler, ", POCL_WORK_GROUP_METHOD=loops") != NULL) == (given == 1));
        sedge_device_free(device);
    }
    CHECK(unsetenv(setting) == 0);
}

static sedge_status run_scale(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                              double s, uint64_t from, uint64_t to)
{
    int flag = 1;
    void *const arguments[] = {&s, &from, &to, &flag};

    return sedge_kernel_launch(kernel, stream, blocks, THREADS, arguments, 4);
}

// Both arrays start anywhere in their buffers, at addresses of no particular alignment; the words
// before and behind stay.
static void test_any_address(sedge_device *device, sedge_module *module)
{
    enum { BLOCKS = 5, N = BLOCKS * THREADS, ROOM = N + 32 };
    const int64_t bytes = ROOM * (int64_t)sizeof(double);
    static const int starts[][2] = {{0, 0}, {1, 0}, {0, 3}, {5, 17}, {31, 1}};
    sedge_buffer *x = NULL;
    sedge_buffer *y = NULL;
    const sedge_kernel *kernel = NULL;
    double host[ROOM];
    double back[ROOM];

    CHECK_OK(sedge_buffer_create(&x, device, bytes));
    CHECK_OK(sedge_buffer_create(&y, device, bytes));
    CHECK(sedge_buffer_address(x) != 0 && sedge_buffer_address(x) != sedge_buffer_address(y));
    CHECK_OK(sedge_module_get(&kernel, module, "scale"));
    for (int i = 0; i < ROOM; i++) host[i] = i;
    CHECK_OK(sedge_buffer_upload(x, 0, host, bytes, NULL));
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
        const int a = starts[k][0];
        const int b = starts[k][1];
        int wrong = 0;
        for (int i = 0; i < ROOM; i++) back[i] = -1.0;
        CHECK_OK(sedge_buffer_upload(y, 0, back, bytes, NULL));
        CHECK_OK(run_scale(kernel, NULL, BLOCKS, 2.5, sedge_buffer_address(x) + 8 * (uint64_t)a,
                           sedge_buffer_address(y) + 8 * (uint64_t)b));
        CHECK_OK(sedge_buffer_download(y, 0, back, bytes, NULL));
        for (int i = 0; i < ROOM; i++) {
            const bool inside = i >= b && i < b + N;
            wrong += back[i] != (inside ? 2.5 * (i - b + a) - 1.0 : -1.0);
        }
        CHECK(wrong == 0);
    }
    sedge_buffer_free(x);
    sedge_buffer_free(y);
}

// A pointer that is 0 is 0 in the kernel, also behind a launch that gave an address inside a
// buffer.
static void test_null_pointer(sedge_device *device)
{
    static const char text[] = HEAD("look") POINTER("float", "x")
        POINTER("float", "y") ")\n"
                              "{\n"
                              "    " AT("float", "y") "[0] = (ulong)x + (ulong)x_at == 0;\n"
                                                      "}\n";
    sedge_module *module = NULL;
    sedge_buffer *buffer = NULL;
    const sedge_kernel *kernel = NULL;
    void *binary = NULL;
    size_t length = 0;

    CHECK_OK(sedge_device_compile(device, text, NULL, NULL, &binary, &length, NULL));
    CHECK_OK(sedge_module_load(&module, device, binary, length));
    CHECK_OK(sedge_module_get(&kernel, module, "look"));
    CHECK_OK(sedge_buffer_create(&buffer, device, 64));
    uint64_t y = sedge_buffer_address(buffer);
    const uint64_t given[] = {0, y + 8, 0};
    for (int i = 0; i < 3; i++) {
        uint64_t x = given[i];
        float is_null = -1.0f;
        void *const arguments[] = {&x, &y};
        CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, THREADS, arguments, 2));
        CHECK_OK(sedge_buffer_download(buffer, 0, &is_null, sizeof is_null, NULL));
        CHECK(is_null == (x == 0 ? 1.0f : 0.0f));
    }
    sedge_buffer_free(buffer);
    sedge_module_free(module);
    sedge_release(binary);
}

static void test_refused_launches(sedge_device *device, sedge_module *module)
{
    sedge_buffer *x = NULL;
    const sedge_kernel *kernel = NULL;
    const sedge_kernel *again = NULL;

    CHECK_OK(sedge_buffer_create(&x, device, 1024));
    const uint64_t at = sedge_buffer_address(x);
    CHECK_OK(sedge_module_get(&kernel, module, "scale"));
    CHECK_OK(sedge_module_get(&again, module, "scale"));
    CHECK(kernel == again);
    CHECK_FAILS(run_scale(kernel, NULL, 1, 1.0, at, at + 1025), SEDGE_ERR_INTERNAL,
                "'scale', argument 3: the address 0x");
    CHECK_FAILS(run_scale(kernel, NULL, 1, 1.0, at - 1, at), SEDGE_ERR_INTERNAL, "argument 2");
    CHECK_FAILS(run_scale(kernel, NULL, 1, 1.0, 8, at), SEDGE_ERR_INTERNAL, "lies in no buffer");
    CHECK_FAILS(run_scale(kernel, NULL, -1, 1.0, at, at), SEDGE_ERR_INTERNAL, "-1 blocks");
    CHECK_OK(run_scale(kernel, NULL, 0, 1.0, at, at));
    double s = 1.0;
    void *const arguments[] = {&s, &s, &s, &s};
    CHECK_FAILS(sedge_kernel_launch(kernel, NULL, 1, THREADS, arguments, 3), SEDGE_ERR_INTERNAL,
                "'scale' takes 4 arguments and was given 3");
    CHECK_FAILS(sedge_kernel_launch(kernel, NULL, 1, 32, arguments, 4), SEDGE_ERR_INTERNAL,
                "cannot run 1 blocks of 32 threads; its blocks have 64");
    CHECK_FAILS(sedge_module_get(&kernel, module, "scales"), SEDGE_ERR_DEVICE,
                "no kernel 'scales'");
    sedge_buffer_free(x);
}

// Fixed block memory, that of a launch, barriers, an argument that is a structure.
static void test_block_memory(sedge_device *device, sedge_module *module)
{
    enum { BLOCKS = 9, N = BLOCKS * THREADS };
    sedge_buffer *x = NULL;
    const sedge_kernel *kernel = NULL;
    sedge_kernel_info about;
    float values[N];
    int wrong = 0;
    float z[2] = {2.0f, 0.5f};

    for (int i = 0; i < N; i++) values[i] = (float)i;
    CHECK_OK(sedge_buffer_create(&x, device, sizeof values));
    CHECK_OK(sedge_buffer_upload(x, 0, values, sizeof values, NULL));
    CHECK_OK(sedge_module_get(&kernel, module, "reverse"));
    CHECK_OK(sedge_kernel_set_scratch(kernel, THREADS * (int64_t)sizeof(float)));
    uint64_t address = sedge_buffer_address(x);
    void *const arguments[] = {&address, z};
    CHECK_OK(sedge_kernel_launch(kernel, NULL, BLOCKS, THREADS, arguments, 2));
    CHECK_OK(sedge_buffer_download(x, 0, values, sizeof values, NULL));
    for (int i = 0; i < N; i++) {
        const int first = i / THREADS * THREADS;
        wrong += values[i] != 2.0f * (float)(first + 63 - ((i - first) ^ 1)) + 0.5f;
    }
    CHECK(wrong == 0);
    CHECK_OK(sedge_kernel_inspect(&about, kernel, THREADS));
    CHECK(about.max_threads >= THREADS && about.registers == 0);
    CHECK(about.shared_bytes >= 2 * THREADS * (int64_t)sizeof(float));
    CHECK_FAILS(sedge_kernel_set_scratch(kernel, (int64_t)1 << 40), SEDGE_ERR_DEVICE,
                "'reverse' wants 1099511627776 bytes of shared memory");
    sedge_buffer_free(x);
}

// A kernel that has nearly all of the block's memory for itself leaves little for scratch.
static void test_little_left(sedge_device *device)
{
    const long long all = sedge_device_get_info(device)->shared_bytes_block + 8192;
    sedge_module *module = NULL;
    const sedge_kernel *kernel = NULL;
    void *binary = NULL;
    size_t length = 0;
    char text[1024];

    (void)snprintf(text, sizeof text,
                   HEAD("wide") POINTER("float", "x") ")\n"
                                                      "{\n"
                                                      "    __local float own[%lld];\n"
                                                      "    own[get_local_id(0)] = *x;\n"
                                                      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                                      "    *x = own[0] + scratch[0].x;\n"
                                                      "}\n",
                   (all - 4096) / 4);
    CHECK_OK(sedge_device_compile(device, text, NULL, NULL, &binary, &length, NULL));
    CHECK_OK(sedge_module_load(&module, device, binary, length));
    CHECK_OK(sedge_module_get(&kernel, module, "wide"));
    CHECK_OK(sedge_kernel_set_scratch(kernel, 1024));
    CHECK_FAILS(sedge_kernel_set_scratch(kernel, 8000), SEDGE_ERR_DEVICE,
                "'wide' wants 8000 bytes of shared memory a block beside");
    sedge_module_free(module);
    sedge_release(binary);
}

// An event follows the work before it, another stream waits for it, times add up.
static void test_events(sedge_device *device, sedge_module *module)
{
    sedge_stream *one = NULL;
    sedge_stream *two = NULL;
    sedge_event *events[3] = {NULL};
    sedge_buffer *x = NULL;
    const sedge_kernel *kernel = NULL;
    double seconds = -1.0;
    double later = -1.0;
    double nothing = -1.0;
    bool done = false;
    long long rounds = 1000000; // of a load and a store each: more than 1 ms
    float first = -1.0f;

    CHECK_OK(sedge_stream_create(&one, device, false));
    CHECK_OK(sedge_stream_create(&two, device, true));
    CHECK_OK(sedge_buffer_create(&x, device, 4 * THREADS));
    for (int i = 0; i < 3; i++) CHECK_OK(sedge_event_create(&events[i], device));
    CHECK_OK(sedge_event_wait(events[0]));
    CHECK_OK(sedge_event_query(events[0], &done));
    CHECK(done); // before its first record
    CHECK_FAILS(sedge_event_seconds(&seconds, events[0], events[1]), SEDGE_ERR_INTERNAL,
                "never recorded");
    CHECK_OK(sedge_module_get(&kernel, module, "spin"));
    uint64_t address = sedge_buffer_address(x);
    void *const arguments[] = {&address, &rounds};
    CHECK_OK(sedge_event_record(events[0], one));
    CHECK_OK(sedge_kernel_launch(kernel, one, 1, THREADS, arguments, 2));
    CHECK_OK(sedge_event_record(events[1], one));
    CHECK_OK(sedge_event_query(events[1], &done));
    CHECK(!done);
    CHECK_OK(sedge_stream_wait_event(two, events[1]));
    CHECK_OK(sedge_buffer_download(x, 0, &first, sizeof first, two));
    CHECK_OK(sedge_event_record(events[2], two));
    CHECK_OK(sedge_event_wait(events[2]));
    CHECK(first == 2.0f); // where the iteration ends
    CHECK_OK(sedge_event_query(events[1], &done));
    CHECK(done);
    CHECK_OK(sedge_event_seconds(&seconds, events[0], events[1]));
    CHECK_OK(sedge_event_seconds(&later, events[0], events[2]));
    CHECK_OK(sedge_event_seconds(&nothing, events[2], events[0]));
    CHECK(seconds > 0.001 && seconds < 60.0 && later >= seconds && nothing == -later);
    for (int i = 0; i < 3; i++) sedge_event_free(events[i]);
    sedge_buffer_free(x);
    sedge_stream_free(one);
    sedge_stream_free(two);
}

static void test_other_heads(sedge_device *device)
{
    void *binary = NULL;
    size_t length = 0;

    CHECK_FAILS(sedge_device_compile(device, "__kernel void k(__global int *x) {}\n", NULL, NULL,
                                     &binary, &length, NULL),
                SEDGE_ERR_DEVICE, "kernel 'k' has another form than SEDGE_KERNEL gives it");
    CHECK_FAILS(sedge_device_compile(device, HEAD("k") ", float x, long at, int type) {}\n", NULL,
                                     NULL, &binary, &length, NULL),
                SEDGE_ERR_DEVICE, "kernel 'k': OpenCL shows the type of parameter 4 as 'int'");
}

// A compiler that passes over #line names lines of the whole code.
static void test_places(void)
{
    static const char whole[] = "int a;\n"
                                "#line 41 \"flux.h\"\n"
                                "int b;\n"
                                "int c;\n"
                                "#line 7\n"
                                "int d;\n"
                                "#line 1 \"user.c\"\n"
                                "int e;";
    static const char log[] = "<kernel>:4:5: error\n  <kernel>:3:1: note, <kernel>:6: too, "
                              "<kernel>:8:2; <kernel>:1:1, <kernel>:9:1, <kernel>:x\n";
    sedge_text *out = NULL;

    CHECK_OK(sedge_text_create(&out));
    CHECK_OK(sedge_opencl_log_place(out, whole, log));
    CHECK(strcmp(sedge_text_get(out),
                 "flux.h:42:5: error\n  flux.h:41:1: note, flux.h:7: too, user.c:1:2; "
                 "<kernel>:1:1, <kernel>:9:1, <kernel>:x\n") == 0);
    sedge_text_free(out);
}

// What is not a whole binary of this device is refused, and never handed to the driver.
static void test_damaged_binary(sedge_device *device, const char *binary, size_t length)
{
    sedge_module *module = NULL;
    char *copy = NULL;

    CHECK_FAILS(sedge_module_load(&module, device, "not a binary", 12), SEDGE_ERR_DEVICE,
                "these 12 bytes are not a program");
    CHECK_FAILS(sedge_module_load(&module, device, binary, 40), SEDGE_ERR_DEVICE, "40 bytes");
    CHECK_OK(sedge_allocate(&copy, (int64_t)length, 1));
    memcpy(copy, binary, length);
    memset(copy + 24, 0x7f, 4); // the length of the first kernel's name
    CHECK_FAILS(sedge_module_load(&module, device, copy, length), SEDGE_ERR_DEVICE,
                "are not a program");
    CHECK(module == NULL);
    sedge_release(copy);
}

static int count_folders(const char *parent)
{
    DIR *const folder = opendir(parent);
    int count = 0;

    if (folder == NULL) return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += strncmp(entry->d_name, "sedge-opencl-", 13) == 0;
    (void)closedir(folder);
    return count;
}

// Without a device that the user allows there is none, and the reason says so.
static void test_none_wanted(void)
{
    const pid_t child = fork();

    if (child == 0) {
        const char *why = NULL;
        sedge_device *device = NULL;
        CHECK(setenv("SEDGE_OPENCL", "no such device", 1) == 0);
        CHECK(sedge_device_count_opencl(&why) == 0);
        CHECK(why != NULL && strstr(why, "SEDGE_OPENCL='no such device'") != NULL);
        CHECK_FAILS(sedge_device_create(&device, "opencl", 0, 1), SEDGE_ERR_DEVICE,
                    "device 'opencl' cannot be used: SEDGE_OPENCL");
        _exit(CHECK_END());
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void test_all(sedge_device *device)
{
    sedge_module *module = NULL;
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_device_compile(device, source, NULL, NULL, &binary, &length, log));
    CHECK_OK(sedge_module_load(&module, device, binary, length));
    if (module != NULL) {
        test_any_address(device, module);
        test_null_pointer(device);
        test_refused_launches(device, module);
        test_block_memory(device, module);
        test_events(device, module);
    }
    if (binary != NULL) test_damaged_binary(device, binary, length);
    sedge_module_free(module);
    sedge_release(binary);
    sedge_text_free(log);
}

static void make_folder(char *path, size_t size, const char *parent, const char *name, mode_t mode)
{
    (void)snprintf(path, size, "%s/sedge-opencl-%s", parent, name);
    CHECK(mkdir(path, 0700) == 0 && chmod(path, mode) == 0);
}

// What a killed process left goes when the next one opens a device; what another process holds, or
// others can enter, stays.
static void test_left_folders(const char *parent)
{
    char left[512], inside[600], used[512], open_to_all[512];
    sedge_device *device = NULL;
    struct stat about;

    make_folder(left, sizeof left, parent, "left", 0700);
    (void)snprintf(inside, sizeof inside, "%s/kernel", left);
    CHECK(mkdir(inside, 0700) == 0);
    make_folder(used, sizeof used, parent, "used", 0700);
    make_folder(open_to_all, sizeof open_to_all, parent, "open", 0755);
    const int lock = open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
    CHECK_OK(sedge_device_create(&device, "opencl", 0, 1));
    CHECK(stat(left, &about) != 0 && stat(used, &about) == 0 && stat(open_to_all, &about) == 0);
    CHECK(count_folders(parent) == 3);
    sedge_device_free(device);
    CHECK(close(lock) == 0 && rmdir(used) == 0 && rmdir(open_to_all) == 0);
}

// A process that is killed together with its helper leaves nothing before it opens a device, and
// the helper alone removes what its parent left.
static void test_killed(const char *parent)
{
    for (int opened = 0; opened < 2; opened++) {
        int ends[2];
        int state;
        char byte;
        CHECK(pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            sedge_device *device = NULL;
            if (setpgid(0, 0) != 0 || sedge_device_start_helper() != SEDGE_OK) _exit(1);
            if (opened == 1 && sedge_device_create(&device, "opencl", 0, 1) != SEDGE_OK) _exit(2);
            (void)!write(ends[1], "x", 1);
            (void)pause();
            _exit(3);
        }
        CHECK(close(ends[1]) == 0 && read(ends[0], &byte, 1) == 1);
        CHECK(count_folders(parent) == opened);
        CHECK(kill(opened == 0 ? -child : child, SIGKILL) == 0);
        CHECK(waitpid(child, &state, 0) == child && WIFSIGNALED(state));
        const double limit = sedge_clock() + 60.0;
        while (count_folders(parent) > 0 && sedge_clock() < limit) (void)usleep(10000);
        CHECK(count_folders(parent) == 0);
        CHECK(close(ends[0]) == 0);
    }
}

// PoCL is not given a bad number, or more than there are processors: it would crash, or wake
// thousands of threads for each kernel. Opening a device says what is wrong.
static void test_threads(void)
{
    static const struct {
        const char *given;
        const char *passed; // NULL: none; "": the number of processors
    } cases[] = {{"-1", NULL},     {"0", NULL}, {"many", NULL},
                 {"100000", NULL}, {"1", "1"},  {"4096", ""}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int state = -1;
        const pid_t child = fork();
        if (child == 0) {
            sedge_device *device = NULL;
            char message[128];
            CHECK(setenv("SEDGE_THREADS", cases[i].given, 1) == 0);
            CHECK(unsetenv("POCL_MAX_PTHREAD_COUNT") == 0);
            sedge_device_prepare_environment();
            CHECK_OK(sedge_device_start_helper());
            const char *const passed = getenv("POCL_MAX_PTHREAD_COUNT");
            CHECK((passed == NULL) == (cases[i].passed == NULL));
            if (passed != NULL && cases[i].passed[0] != '\0')
                CHECK(strcmp(passed, cases[i].passed) == 0);
            if (passed != NULL) CHECK(strtol(passed, NULL, 10) <= sysconf(_SC_NPROCESSORS_ONLN));
            (void)snprintf(message, sizeof message, "SEDGE_THREADS='%s' is not a number in 1..4096",
                           cases[i].given);
            if (passed == NULL) {
                CHECK_FAILS(sedge_device_create(&device, "opencl", 0, 1), SEDGE_ERR_USAGE, message);
            } else {
                CHECK_OK(sedge_device_create(&device, "opencl", 0, 1));
            }
            sedge_device_free(device);
            sedge_device_stop_helper();
            _exit(CHECK_END());
        }
        CHECK(child > 0 && waitpid(child, &state, 0) == child && state == 0);
    }
}

int main(void)
{
    sedge_device *device = NULL;
    char folder[] = SEDGE_TEST_DIR "/opencl-XXXXXX";

    CHECK(mkdtemp(folder) != NULL && setenv("TMPDIR", folder, 1) == 0);
    test_none_wanted(); // before this process has loaded OpenCL
    test_threads();
    test_killed(folder);
    CHECK_OK(sedge_device_start_helper());
    CHECK(count_folders(folder) == 0);
    for (int round = 0; round < 2; round++) { // a device again after the last was closed
        CHECK_OK(sedge_device_create(&device, "opencl", 0, 1));
        if (device == NULL) return 1;
        CHECK(count_folders(folder) == 1);
        if (round == 0) test_info(device);
        check_memory(device, (int64_t)1 << 45, "33554432.0 MiB were asked for");
        check_repeat(device);
        test_all(device);
        if (round == 0) check_messages(device);
        if (round == 0) test_other_heads(device);
        if (round == 0) test_places();
        if (round == 0) test_little_left(device);
        sedge_device_free(device);
    }
    test_settings();
    test_left_folders(folder);
    sedge_device_stop_helper();
    CHECK(count_folders(folder) == 0); // nothing is left behind
    CHECK(rmdir(folder) == 0);
    return CHECK_END();
}
