// What can be watched from outside: the trace, line information, kept sources.
#define _DEFAULT_SOURCE // setenv, dup
#include "own.h"

#include "base/file.h"
#include "base/memory.h"

#include <unistd.h>

static const char text[] = "#define TWICE_LIST(X) X(SEDGE_GLOBAL float *, x)\n"
                           "SEDGE_KERNEL(twice, 64, TWICE_LIST)\n"
                           "{\n"
                           "    SEDGE_OUTER (b) {\n"
                           "        SEDGE_ITEMS_1D (i, 64, 64) x[b * 64 + i] *= 2.0f;\n"
                           "    }\n"
                           "}\n";

// Everything that a device does, once.
static void do_all(own_world *world, const char *device, const char *folder)
{
    const sedge_source source = {"examples/twice.c", text};
    const sedge_program_options options = {
        .name = "examples/twice", .constants = "", .sources = &source, .count = 1};
    float values[128] = {1.0f};
    sedge_program *program = NULL;
    sedge_stream *stream = NULL;
    const sedge_kernel *kernel = NULL;

    CHECK_OK(sedge_device_create(&world->device, device, 0, 1));
    CHECK_OK(sedge_cache_create(&world->cache, folder));
    CHECK_OK(sedge_program_create(&program, world->comm, world->device, world->cache, &options));
    CHECK_OK(sedge_stream_create(&stream, world->device, false));
    sedge_buffer *const buffer = own_buffer(world, values, sizeof values);
    CHECK_OK(sedge_program_get(&kernel, program, "twice"));
    CHECK_OK(SEDGE_LAUNCH(kernel, stream, 2, sedge_buffer_argument(buffer)));
    CHECK_OK(sedge_stream_wait(stream));
    CHECK_OK(sedge_buffer_download(buffer, 0, values, sizeof values, NULL));
    CHECK(values[0] == 2.0f);
    sedge_buffer_free(buffer);
    sedge_stream_free(stream);
    sedge_program_free(program);
    sedge_cache_free(world->cache);
    sedge_device_free(world->device);
    world->cache = NULL;
    world->device = NULL;
}

// What do_all prints to stderr; to be released.
static char *listen(own_world *world, const char *device)
{
    char path[4096]; // of this process: the test of another device may run beside it
    char folder[4096];
    char *printed = NULL;
    size_t length;

    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/trace-%d.txt", (int)getpid());
    (void)snprintf(folder, sizeof folder, SEDGE_TEST_DIR "/trace-cache-%s", device);

    (void)fflush(stderr);
    const int before = dup(STDERR_FILENO);
    FILE *const file = fopen(path, "w");
    CHECK(file != NULL && before >= 0);
    if (file == NULL || before < 0) return NULL;
    CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
    do_all(world, device, folder);
    (void)fflush(stderr);
    CHECK(dup2(before, STDERR_FILENO) >= 0);
    (void)close(before);
    (void)fclose(file);
    CHECK_OK(sedge_file_read(&printed, &length, path, SEDGE_ERR_USAGE));
    CHECK(remove(path) == 0);
    return printed;
}

// A line "sedge trace: CALL(DETAILS) 12.3 us" whose start is `wanted`.
static bool has_line(const char *printed, const char *wanted)
{
    for (const char *at = strstr(printed, wanted); at != NULL; at = strstr(at + 1, wanted)) {
        const char *const end = strchr(at, '\n');
        if (end == NULL || end - at < 8 || memcmp(end - 3, " us", 3) != 0) continue;
        const char *time = end - 3;
        while (time > at && time[-1] != ' ') time--;
        if (strtod(time, NULL) >= 0.0 && time[-2] == ')') return true;
    }
    return false;
}

static void test_trace(own_world *world, const char *device)
{
    static const char *const host[] = {"(examples/twice, status 0)", "sedge trace: twice(2 blocks)",
                                       "sedge trace: SEDGE_ORDER(random:11)"};
    static const char *const cuda[] = {"nvrtcCompileProgram(examples/twice, sm_",
                                       "cuModuleLoadData(",
                                       "cuModuleGetFunction('twice')",
                                       "cuModuleGetGlobal('sedge_signature_twice')",
                                       "cuMemAlloc(512 bytes at 0x",
                                       "cuMemcpyHtoDAsync_v2(0x",
                                       "('twice', 2 blocks of 64 threads, ", // Ex or not
                                       "cuStreamSynchronize(",
                                       "cuMemcpyDtoHAsync_v2(",
                                       "cuMemFree_v2(0x",
                                       "cuModuleUnload("};
    static const char *const opencl[] = {"clBuildProgram(examples/twice)",
                                         "clCreateProgramWithBinary(",
                                         "clCreateKernel('twice')",
                                         "clCreateBuffer(512 bytes)",
                                         "clEnqueueWriteBuffer(512 bytes)",
                                         "clEnqueueNDRangeKernel('twice', 2 blocks of 64 threads, ",
                                         "clFinish(",
                                         "clEnqueueReadBuffer(512 bytes)",
                                         "clReleaseMemObject(",
                                         "clReleaseProgram("};
    const bool is_cuda = strcmp(device, "cuda") == 0;
    const bool is_opencl = strcmp(device, "opencl") == 0;
    const char *const *const lines = is_cuda ? cuda : is_opencl ? opencl : host;
    const size_t count = is_cuda     ? sizeof cuda / sizeof cuda[0]
                         : is_opencl ? sizeof opencl / sizeof opencl[0]
                                     : sizeof host / sizeof host[0];

    CHECK(setenv("SEDGE_ORDER", "random:11", 1) == 0);
    CHECK(setenv("SEDGE_TRACE", "1", 1) == 0);
    CHECK(setenv("SEDGE_DEBUG", "1", 1) == 0); // compiled each time
    char *const printed = listen(world, device);
    CHECK(unsetenv("SEDGE_TRACE") == 0);
    CHECK(unsetenv("SEDGE_DEBUG") == 0);
    CHECK(unsetenv("SEDGE_ORDER") == 0);
    if (printed == NULL) return;
    for (size_t i = 0; i < count; i++) {
        const char *const wanted = lines[i];
        if (!has_line(printed, wanted)) (void)fprintf(stderr, "no line with %s\n", wanted);
        CHECK(has_line(printed, wanted));
    }
    sedge_release(printed);
}

static void test_silence(own_world *world)
{
    char *const printed = listen(world, "host");

    CHECK(printed != NULL && printed[0] == '\0');
    sedge_release(printed);
}

// Whether the bytes hold `word`.
static bool holds(const void *bytes, size_t length, const char *word)
{
    const size_t size = strlen(word);

    for (size_t i = 0; i + size <= length; i++)
        if (memcmp((const char *)bytes + i, word, size) == 0) return true;
    return false;
}

// With SEDGE_DEBUG the binary tells lines of the user's file, without it it does not.
static void test_lines(const char *kind)
{
    const sedge_source source = {"examples/twice.c", text};
    const sedge_program_options options = {
        .name = "examples/twice", .constants = "", .sources = &source, .count = 1};

    for (int debug = 0; debug < 2; debug++) {
        sedge_device *device = NULL;
        sedge_text *whole = NULL;
        void *binary = NULL;
        size_t length = 0;

        CHECK(setenv("SEDGE_DEBUG", debug ? "1" : "0", 1) == 0);
        CHECK_OK(sedge_device_create(&device, kind, 0, 1));
        CHECK_OK(sedge_text_create(&whole));
        if (device == NULL || whole == NULL) return;
        CHECK_OK(sedge_program_write(whole, sedge_device_get_info(device)->kind, &options));
        CHECK_OK(sedge_device_compile(device, sedge_text_get(whole), NULL, NULL, &binary, &length,
                                      NULL));
        // NVIDIA's OpenCL takes -g, and yet writes no lines.
        const bool is_deaf = sedge_device_get_info(device)->kind == SEDGE_DEVICE_OPENCL &&
                             strstr(sedge_device_get_info(device)->compiler, "NVIDIA") != NULL;
        CHECK(holds(binary, length, ".debug_line") == (debug == 1 && !is_deaf));
        CHECK(!debug || is_deaf || holds(binary, length, "twice.c"));
        sedge_release(binary);
        sedge_text_free(whole);
        sedge_device_free(device);
    }
    CHECK(unsetenv("SEDGE_DEBUG") == 0);
}

// Kept under a name that a person chose: in the folder of SEDGE_KEEP; with SEDGE_DEBUG alone here.
static void test_kept(own_world *world, const char *device)
{
    static const char folder[] = SEDGE_TEST_DIR "/visible-kept";
    const char *const ending = strcmp(device, "cuda") == 0     ? "cu"
                               : strcmp(device, "opencl") == 0 ? "cl"
                                                               : "c";
    char path[512];
    char *kept = NULL;
    size_t length;

    for (int here = 0; here < 2; here++) {
        (void)snprintf(path, sizeof path, "%s/examples_twice.%s", here ? "sedge-kept" : folder,
                       ending);
        (void)unlink(path);
        CHECK(setenv("SEDGE_DEBUG", "1", 1) == 0);
        if (!here) CHECK(setenv("SEDGE_KEEP", folder, 1) == 0);
        do_all(world, device, NULL);
        CHECK(unsetenv("SEDGE_DEBUG") == 0);
        CHECK(unsetenv("SEDGE_KEEP") == 0);
        CHECK_OK(sedge_file_read(&kept, &length, path, SEDGE_ERR_USAGE));
        CHECK(kept != NULL && strncmp(kept, "// Program 'examples/twice' for ", 32) == 0);
        CHECK(kept != NULL && strstr(kept, "#line 1 \"examples/twice.c\"\n") != NULL);
        CHECK(kept != NULL && strstr(kept, text) != NULL);
        sedge_release(kept);
    }
}

int main(void)
{
    const char *const wish = getenv("SEDGE_TEST_DEVICE");
    const char *const device = wish != NULL ? wish : "host";
    own_world world = {.comm = NULL};

    CHECK(chdir(SEDGE_TEST_DIR) == 0);
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&world.comm, NULL));
    if (world.comm == NULL) return 1;
    test_trace(&world, device); // first: cuda's driver is asked once a process whether to trace
    test_silence(&world);
    test_lines(device);
    test_kept(&world, device);
    sedge_comm_free(world.comm);
    sedge_device_stop_helper();
    return CHECK_END();
}
