// A user's own kernel from a string: compiled, looked into, launched with arguments that are
// checked, timed. On every kind of device.
#define _DEFAULT_SOURCE // usleep, setenv
#include "own.h"

#include "base/file.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { N = 1000, THREADS = 128 };

static const char text[] =
    "typedef struct pair { float first, second; } pair;\n"
    "typedef const SEDGE_GLOBAL float *reading;\n"
    "#define AXPY_LIST(X)                         \\\n"
    "    X(float, alpha)                          \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, x) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, y) \\\n"
    "    X(sedge_int64, count)\n"
    "SEDGE_KERNEL(axpy, 128, AXPY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS_1D (i, 128, 128) {\n"
    "            const sedge_int64 at = b * 128 + i;\n"
    "            if (at < count) y[at] += alpha * x[at];\n"
    "        }\n"
    "    }\n"
    "}\n"
    "#define KINDS_LIST(X)                                                                      "
    "\\\n"
    "    X(SEDGE_GLOBAL double *, out) X(int, i) X(sedge_uint64, u) X(double, d) X(char, c)     "
    "\\\n"
    "    X(const float, f) X(pair, p) X(reading, r)\n"
    "SEDGE_KERNEL(kinds, 32, KINDS_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS_1D (k, 1, 32) {\n"
    "            out[0] = i; out[1] = (double)u; out[2] = d; out[3] = c; out[4] = f;\n"
    "            out[5] = p.second; out[6] = r ? r[0] : -1.0; out[7] = (double)(b + k);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "#define NOTHING_LIST(X)\n"
    "SEDGE_KERNEL(nothing, 32, NOTHING_LIST) { SEDGE_OUTER (b) { (void)b; } }\n";

// OpenCL's compiler tells the types, in its own spelling.
static bool is_opencl(const own_world *world)
{
    return sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_OPENCL;
}

static void test_signature(const own_world *world, const sedge_program *program)
{
    static const int sizes[] = {8, 4, 8, 8, 1, 4, 8, 8};
    static const sedge_value_kind kinds[] = {
        SEDGE_KIND_POINTER, SEDGE_KIND_INTEGER,  SEDGE_KIND_INTEGER, SEDGE_KIND_FLOATING,
        SEDGE_KIND_INTEGER, SEDGE_KIND_FLOATING, SEDGE_KIND_OTHER,   SEDGE_KIND_POINTER};
    const sedge_kernel *kernel = NULL;

    CHECK_OK(sedge_program_get(&kernel, program, "kinds"));
    const sedge_signature *const kinds_of = sedge_kernel_signature(kernel);
    CHECK(strcmp(sedge_kernel_name(kernel), "kinds") == 0);
    CHECK(kinds_of->count == 8 && kinds_of->threads == 32);
    for (int i = 0; i < 8 && i < kinds_of->count; i++) {
        CHECK(kinds_of->parameters[i].bytes == sizes[i]);
        CHECK(kinds_of->parameters[i].kind == kinds[i]);
    }
    CHECK(strcmp(kinds_of->parameters[5].type, is_opencl(world) ? "float" : "const float") == 0);
    if (!is_opencl(world)) CHECK(strcmp(kinds_of->parameters[7].type, "reading") == 0);
    CHECK(strcmp(kinds_of->parameters[7].name, "r") == 0);
    CHECK_OK(sedge_program_get(&kernel, program, "nothing"));
    CHECK(sedge_kernel_signature(kernel)->count == 0);
    CHECK_OK(sedge_launch(kernel, NULL, 1, NULL, 0));
}

static void test_values_arrive(const own_world *world, const sedge_program *program)
{
    const double wanted[8] = {-7.0, 18446744073709549568.0, 0.5, 65.0, 2.25, 4.5, 3.0, 0.0};
    const float pair[2] = {1.5f, 4.5f};
    const float three = 3.0f;
    const char letter = 'A';
    const sedge_kernel *kernel = NULL;
    double found[8] = {0.0};
    sedge_buffer *const out = own_buffer(world, found, sizeof found);
    sedge_buffer *const in = own_buffer(world, &three, sizeof three);

    CHECK_OK(sedge_program_get(&kernel, program, "kinds"));
    for (int null = 0; null < 2; null++) {
        CHECK_OK(SEDGE_LAUNCH(kernel, NULL, 1, sedge_buffer_argument(out), sedge_int32_argument(-7),
                              sedge_int64_argument(-2048), sedge_double_argument(0.5),
                              sedge_bytes_argument(&letter, 1), sedge_float_argument(2.25f),
                              sedge_bytes_argument(pair, sizeof pair),
                              sedge_buffer_argument(null ? NULL : in)));
        CHECK_OK(sedge_buffer_download(out, 0, found, sizeof found, NULL));
        for (int i = 0; i < 8; i++) CHECK(found[i] == (i == 6 && null ? -1.0 : wanted[i]));
    }
    sedge_buffer_free(in);
    sedge_buffer_free(out);
}

// Every wrong call names kernel, argument, what it takes and what it was given, and runs nothing.
static void test_refusals(const own_world *world, const sedge_program *program)
{
    const sedge_kernel *kernel = NULL;
    float values[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    sedge_buffer *const x = own_buffer(world, values, sizeof values);
    const sedge_argument px = sedge_buffer_argument(x);
    const sedge_argument one = sedge_float_argument(1.0f);
    const sedge_argument four = sedge_int64_argument(4);

    CHECK_OK(sedge_program_get(&kernel, program, "axpy"));
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px), SEDGE_ERR_USAGE,
                is_opencl(world)
                    ? "kernel 'axpy' takes 4 arguments and was given 3; it takes (float alpha, "
                      "float* x, float* y, sedge_int64 count)"
                    : "kernel 'axpy' takes 4 arguments and was given 3; it takes (float alpha, "
                      "const SEDGE_GLOBAL float *SEDGE_RESTRICT x, SEDGE_GLOBAL float "
                      "*SEDGE_RESTRICT y, sedge_int64 count)");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, sedge_double_argument(1.0), px, px, four),
                SEDGE_ERR_USAGE,
                "kernel 'axpy': argument 1, 'alpha', is 'float' of 4 bytes and was given float64 "
                "of 8 bytes");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, sedge_int32_argument(1), px, px, four),
                SEDGE_ERR_USAGE, "argument 1, 'alpha', is 'float' of 4 bytes and was given int32");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, four, px, four), SEDGE_ERR_USAGE,
                is_opencl(world)
                    ? "argument 2, 'x', is 'float*' of 8 bytes and was given int64"
                    : "argument 2, 'x', is 'const SEDGE_GLOBAL float *SEDGE_RESTRICT' of 8 bytes "
                      "and was given int64");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px, sedge_int32_argument(4)),
                SEDGE_ERR_USAGE,
                "argument 4, 'count', is 'sedge_int64' of 8 bytes and was given "
                "int32 of 4 bytes");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px, px), SEDGE_ERR_USAGE,
                "argument 4, 'count', is 'sedge_int64' of 8 bytes and was given pointer");
    static const char large[200];
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px, sedge_bytes_argument(large, 200)),
                SEDGE_ERR_USAGE, "was given 200 bytes: 1 to 16 are possible");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px, sedge_bytes_argument(values, 0)),
                SEDGE_ERR_USAGE, "was given 0 bytes: 1 to 16 are possible");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, one, px, px, sedge_bytes_argument(values, 12)),
                SEDGE_ERR_USAGE, "was given bytes of 12 bytes");
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, -1, one, px, px, four), SEDGE_ERR_USAGE,
                "kernel 'axpy' was given -1 blocks: 0 or more are possible");
    CHECK_FAILS(sedge_kernel_launch(kernel, NULL, -1, 128, NULL, 4), SEDGE_ERR_INTERNAL,
                "cannot run -1 blocks");
    CHECK_FAILS(sedge_kernel_launch(kernel, NULL, 1, 128, NULL, 2), SEDGE_ERR_INTERNAL,
                "'axpy' takes 4 arguments and was given 2");
    CHECK_OK(sedge_buffer_download(x, 0, values, sizeof values, NULL));
    for (int i = 0; i < 4; i++) CHECK(values[i] == 1.0f + (float)i);
    sedge_buffer_free(x);
}

typedef struct axpy_run {
    const sedge_kernel *kernel;
    sedge_buffer *x, *y;
    int64_t count;
    int calls;
} axpy_run;

static sedge_status run_axpy(void *context, sedge_stream *stream)
{
    axpy_run *const run = context;

    run->calls++;
    return SEDGE_LAUNCH(run->kernel, stream, (run->count + THREADS - 1) / THREADS,
                        sedge_float_argument(1.0f), sedge_buffer_argument(run->x),
                        sedge_buffer_argument(run->y), sedge_int64_argument(run->count));
}

static sedge_status run_nothing(void *context, sedge_stream *stream)
{
    (void)context, (void)stream;
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "not this time");
}

enum { SLEEPS = 6 };

typedef struct sleep_run {
    int calls;
    double began[SLEEPS + 1], ended[SLEEPS + 1]; // by the host's clock
} sleep_run;

// 30 ms, 1, 1, 30, 1, 30, or longer where others have the processor.
static sedge_status sleep_by_turns(void *context, sedge_stream *stream)
{
    sleep_run *const run = context;
    const int call = run->calls < SLEEPS ? run->calls : SLEEPS;

    (void)stream;
    run->began[call] = sedge_clock();
    usleep(call == 1 || call == 2 || call == 4 ? 1000 : 30000);
    run->ended[call] = sedge_clock();
    run->calls++;
    return SEDGE_OK;
}

// One call does not count, one shows how long it takes, then there are four rounds of one call. The
// shortest round is what comes back: not less than the shortest sleep, and not more than what lies
// between the ends of the calls around a round, however busy the machine is. On the host, whose
// events have the time at which they are recorded; a queue may come to an empty one much later.
static void test_time_of_rounds(const own_world *world)
{
    sleep_run run = {.calls = 0};
    double seconds = 0.0;
    double least = HUGE_VAL, most = HUGE_VAL;

    CHECK_OK(sedge_time(&seconds, world->device, 4, sleep_by_turns, &run));
    CHECK(run.calls == SLEEPS);
    run.began[SLEEPS] = sedge_clock();
    for (int call = 2; call < SLEEPS; call++) {
        least = fmin(least, run.ended[call] - run.began[call]);
        most = fmin(most, run.began[call + 1] - run.ended[call - 1]);
    }
    CHECK(seconds >= 0.98 * least && seconds <= 1.02 * most); // two clocks
}

// Each call adds x to y once: the number of calls shows in y.
static void test_time(const own_world *world, const sedge_program *program)
{
    enum { LARGE = 1 << 22 };
    axpy_run run = {.calls = 0};
    double small_seconds = 0.0;
    double large_seconds = 0.0;
    float first[2] = {1.0f, 2.0f};

    CHECK_OK(sedge_program_get(&run.kernel, program, "axpy"));
    CHECK_OK(sedge_buffer_create(&run.x, world->device, LARGE * (int64_t)sizeof(float)));
    CHECK_OK(sedge_buffer_create(&run.y, world->device, LARGE * (int64_t)sizeof(float)));
    CHECK_OK(sedge_buffer_upload(run.x, 0, first, sizeof first, NULL));
    run.count = N;
    CHECK_OK(sedge_time(&small_seconds, world->device, 5, run_axpy, &run));
    CHECK_OK(sedge_buffer_download(run.y, 0, first, sizeof first, NULL));
    CHECK(first[0] == (float)run.calls && first[1] == 2.0f * (float)run.calls);
    CHECK(run.calls > 5); // a call takes less than 200 us
    run.count = LARGE;
    CHECK_OK(sedge_time(&large_seconds, world->device, 3, run_axpy, &run));
    // 48 MiB are moved; nothing moves them faster than 20 TB/s.
    CHECK(small_seconds > 0.0 && large_seconds > 2.5e-6);
    CHECK_FAILS(sedge_time(&small_seconds, world->device, 0, run_axpy, &run), SEDGE_ERR_USAGE,
                "a time of 0 rounds");
    CHECK_FAILS(sedge_time(&small_seconds, world->device, 1, run_nothing, &run), SEDGE_ERR_INTERNAL,
                "not this time");
    sedge_buffer_free(run.x);
    sedge_buffer_free(run.y);
}

// The GPUs whose occupancy is known here.
static bool has_2048_threads(const own_world *world)
{
    const char *const arch = sedge_device_get_info(world->device)->arch;

    return strcmp(arch, "sm_80") == 0 || strcmp(arch, "sm_90") == 0;
}

// What each device knows of a kernel.
static void test_inspect(const own_world *world, const sedge_program *program)
{
    const bool cuda = sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_CUDA;
    sedge_kernel_info about;

    CHECK_OK(sedge_program_inspect(&about, program, "axpy", 0));
    if (cuda) {
        CHECK(about.registers > 0 && about.registers <= 255 && about.max_threads >= 128);
        CHECK(about.blocks_per_multiprocessor >= 1 && about.local_bytes == 0);
        // 2048 threads and 65536 registers a multiprocessor: 16 blocks of 128 with 32 each or less.
        if (has_2048_threads(world) && about.registers <= 32)
            CHECK(about.blocks_per_multiprocessor == 16);
        CHECK(about.spill_store_bytes == 0 && about.spill_load_bytes == 0);
    } else {
        CHECK(about.registers == 0 && about.blocks_per_multiprocessor == 0);
        CHECK(about.spill_store_bytes == -1 && about.spill_load_bytes == -1);
    }
    CHECK_FAILS(sedge_program_inspect(&about, program, "axpi", 0), SEDGE_ERR_DEVICE,
                "no kernel 'axpi'");
}

// 64 numbers of fp64 do not fit into the 64 registers that 1024 threads leave each.
static void test_spills(const own_world *world)
{
    sedge_program *program = NULL;
    sedge_kernel_info about;

    CHECK_OK(own_program(
        &program, world, "heavy.c",
        "#define HEAVY_LIST(X) X(SEDGE_GLOBAL double *SEDGE_RESTRICT, x) X(sedge_int64, n)\n"
        "SEDGE_KERNEL(heavy, 1024, HEAVY_LIST)\n"
        "{\n"
        "    SEDGE_OUTER (b) {\n"
        "        SEDGE_ITEMS (g, 1, i, 1024, 1024) {\n"
        "            double v[64];\n"
        "            SEDGE_EACH (k, 64) v[k] = x[(b * 1024 + i) * 64 + k];\n"
        "            for (sedge_int64 r = 0; r < n; r++)\n"
        "                SEDGE_EACH (k, 64) v[k] = v[k] * v[(k * 7 + 3) % 64] + v[(k * 5 + 1) % "
        "64];\n"
        "            SEDGE_EACH (k, 64) x[(b * 1024 + i) * 64 + k] = v[k];\n"
        "        }\n"
        "    }\n"
        "}\n"));
    CHECK_OK(sedge_program_inspect(&about, program, "heavy", 0));
    CHECK(about.spill_store_bytes > 0 && about.spill_load_bytes > 0);
    CHECK(about.local_bytes >= 64 && about.registers <= 64);
    if (has_2048_threads(world))
        CHECK(about.blocks_per_multiprocessor == (about.registers > 32 ? 1 : 2));
    sedge_program_free(program);
}

// Without SEDGE_KERNEL there is nothing to check against.
static void test_raw_kernel(const own_world *world)
{
    const bool cuda = sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_CUDA;
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;
    sedge_kernel_info about;

    if (is_opencl(world)) {
        CHECK_FAILS(
            own_program(&program, world, "raw.c", "__kernel void raw(__global int *a) {}\n"),
            SEDGE_ERR_DEVICE, "kernel 'raw' has another form than SEDGE_KERNEL gives it");
        return;
    }
    CHECK_OK(own_program(&program, world, "raw.c",
                         cuda ? "extern \"C\" __global__ void raw(long long n, int *a) {}\n"
                              : "void raw(long n, void **a) { (void)n, (void)a; }\n"));
    CHECK_OK(sedge_program_get(&kernel, program, "raw"));
    CHECK(sedge_kernel_signature(kernel)->threads == 0);
    CHECK(sedge_kernel_signature(kernel)->count == (cuda ? 1 : -1));
    CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, sedge_address_argument(0)), SEDGE_ERR_USAGE,
                "kernel 'raw' does not tell its parameters and threads: write it with "
                "SEDGE_KERNEL, or launch it with sedge_kernel_launch");
    CHECK_FAILS(sedge_program_inspect(&about, program, "raw", 0), SEDGE_ERR_USAGE,
                "kernel 'raw' does not tell the threads");
    CHECK_OK(sedge_program_inspect(&about, program, "raw", 64));
    sedge_program_free(program);
}

// The compiler's message names the user's file and line, and says what is wrong there.
static void test_message(const own_world *world)
{
    const bool cuda = sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_CUDA;
    sedge_program *program = NULL;

    CHECK_FAILS(own_program(&program, world, "examples/square.c",
                            "#define SQUARE_LIST(X) X(SEDGE_GLOBAL float *, x)\n"
                            "SEDGE_KERNEL(square, 64, SQUARE_LIST)\n"
                            "{\n"
                            "    SEDGE_OUTER (b) {\n"
                            "        SEDGE_ITEMS_1D (i, 64, 64) x[b * 64 + i] *= y[0];\n"
                            "    }\n"
                            "}\n"),
                SEDGE_ERR_DEVICE, cuda ? "examples/square.c(5): error" : "examples/square.c:5:");
    CHECK(strstr(sedge_error_message(), "y") != NULL);
    CHECK(strstr(sedge_error_message(), "undeclared") != NULL ||
          strstr(sedge_error_message(), "undefined") != NULL);
    CHECK(strstr(sedge_error_message(), "cannot compile 'own'") != NULL);
    CHECK(program == NULL);
}

// ---- threads of the host -----------------------------------------------------------------------

// A function of the OpenMP that kernels have brought along.
static void find_openmp(void *function, const char *name)
{
    void *runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);

    if (runtime == NULL) runtime = dlopen("libomp.so.5", RTLD_LAZY | RTLD_NOLOAD);
    CHECK(runtime != NULL);
    void *const found = runtime != NULL ? dlsym(runtime, name) : NULL;
    CHECK(found != NULL);
    memcpy(function, &found, sizeof found);
}

// The number of threads that ran the kernel "team".
static int count_team(const own_world *world, const sedge_program *program)
{
    enum { BLOCKS = 64 };
    int team[BLOCKS] = {0};
    const sedge_kernel *kernel = NULL;

    CHECK_OK(sedge_program_get(&kernel, program, "team"));
    sedge_buffer *const to = own_buffer(world, team, sizeof team);
    CHECK_OK(SEDGE_LAUNCH(kernel, NULL, BLOCKS, sedge_buffer_argument(to)));
    CHECK_OK(sedge_buffer_download(to, 0, team, sizeof team, NULL));
    sedge_buffer_free(to);
    for (int b = 1; b < BLOCKS; b++) CHECK(team[b] == team[0]);
    return team[0];
}

// Kernels run on their device's threads, whatever was loaded since, and what the calling program
// has set for its own loops is as it was.
static void test_openmp_is_the_callers(void)
{
    static const char team_text[] =
        "int omp_get_num_threads(void);\n"
        "#define TEAM_LIST(X) X(SEDGE_GLOBAL int *, to)\n"
        "SEDGE_KERNEL(team, 1, TEAM_LIST) { SEDGE_OUTER (b) to[b] = omp_get_num_threads(); }\n";
    static const char *const threads[] = {"3", "2"};
    own_world worlds[2];
    sedge_program *programs[2] = {NULL, NULL};
    char before[16] = "";
    void (*set_threads)(int) = NULL;
    int (*get_threads)(void) = NULL;

    if (getenv("SEDGE_THREADS") != NULL)
        (void)snprintf(before, sizeof before, "%s", getenv("SEDGE_THREADS"));
    find_openmp(&set_threads, "omp_set_num_threads");
    find_openmp(&get_threads, "omp_get_max_threads");
    if (set_threads == NULL || get_threads == NULL) return;
    const int usual = get_threads();
    set_threads(5);
    for (int k = 0; k < 2; k++) {
        worlds[k] = (own_world){.comm = NULL};
        CHECK(setenv("SEDGE_THREADS", threads[k], 1) == 0);
        CHECK_OK(sedge_device_create(&worlds[k].device, "host", 0, 1));
        CHECK_OK(sedge_cache_create(&worlds[k].cache, NULL));
        CHECK_OK(own_program(&programs[k], &worlds[k], "team.c", team_text));
    }
    CHECK(count_team(&worlds[0], programs[0]) == 3);
    CHECK(count_team(&worlds[1], programs[1]) == 2);
    CHECK(get_threads() == 5);
    set_threads(usual);
    for (int k = 0; k < 2; k++) {
        sedge_program_free(programs[k]);
        sedge_cache_free(worlds[k].cache);
        sedge_device_free(worlds[k].device);
    }
    CHECK(setenv("SEDGE_THREADS", before, 1) == 0);
}

int main(void)
{
    own_world world;
    sedge_program *program = NULL;

    if (!own_open(&world)) return 1;
    CHECK_OK(own_program(&program, &world, "launch.c", text));
    if (program != NULL) {
        test_signature(&world, program);
        test_values_arrive(&world, program);
        test_refusals(&world, program);
        test_time(&world, program);
        if (sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_HOST)
            test_time_of_rounds(&world);
        test_inspect(&world, program);
    }
    if (sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_CUDA) test_spills(&world);
    if (sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_HOST)
        test_openmp_is_the_callers();
    test_raw_kernel(&world);
    test_message(&world);
    sedge_program_free(program);
    own_close(&world);
    return CHECK_END();
}
