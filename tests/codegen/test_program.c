// Programs on one and several ranks: compiled once, found again, shared, refused together.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "cache/store.h"
#include "check.h"
#include "program/program.h"

#include <stdlib.h>

static char kernels[512];
static char folder[512];

static const char source_text[] =
    "#pragma once\n"
    "void fill(long blocks, void **a)\n"
    "{\n"
    "    for (long b = 0; b < blocks; b++) (*(int **)a[0])[b] = VALUE + ADDED;\n"
    "}\n";

static void put(const char *name, const char *text)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/%s", kernels, name);
    CHECK_OK(sedge_file_write(path, text, strlen(text)));
}

typedef struct test_run {
    sedge_comm *comm;
    sedge_device *device;
    int rank, size;
} test_run;

// Build with `constants`; on success the kernel must write `wanted`. `*hits`, `*misses`: over all
// ranks.
static sedge_status build(const test_run *run, const char *constants, int wanted, int64_t *hits,
                          int64_t *misses)
{
    const sedge_source source = {"codegen/kernels/fill.h", NULL};
    const sedge_program_options options = {
        .name = "fill", .constants = constants, .sources = &source, .count = 1};
    sedge_cache *cache = NULL;
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;
    int values[3] = {0};
    int *pointer = values;
    void *const arguments[] = {&pointer};

    CHECK_OK(sedge_cache_create(&cache, folder));
    const sedge_status status =
        sedge_program_create(&program, run->comm, run->device, cache, &options);
    if (status == SEDGE_OK) {
        CHECK(strstr(sedge_program_log(program), "heard") != NULL);
        CHECK_OK(sedge_program_get(&kernel, program, "fill"));
        CHECK_OK(sedge_kernel_launch(kernel, NULL, 2, 1, arguments, 1));
        CHECK(values[0] == wanted && values[1] == wanted && values[2] == 0);
    } else {
        CHECK(program == NULL);
    }
    const sedge_cache_counts counts = sedge_cache_get_counts(cache);
    CHECK((counts.misses > 0) == (counts.compile_seconds > 0.0));
    int64_t sums[2] = {counts.hits, counts.misses};
    sedge_comm_sum_int(run->comm, sums, 2);
    *hits = sums[0];
    *misses = sums[1];
    sedge_program_free(program);
    sedge_cache_free(cache);
    return status;
}

static void test_compiled_once(const test_run *run)
{
    int64_t hits, misses;

    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 0 && misses == 1);
    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 1 && misses == 0);
    CHECK_OK(build(run, "#define VALUE 50\n", 52, &hits, &misses));
    CHECK(hits == 0 && misses == 1);
}

// Ranks that want different programs get theirs; each is compiled once.
static void test_different_programs(const test_run *run)
{
    const bool odd = run->rank % 2 == 1;
    const int kinds = run->size > 1 ? 2 : 1;
    int64_t hits, misses;

    for (int round = 0; round < 2; round++) {
        CHECK_OK(build(run, odd ? "#define VALUE 61\n" : "#define VALUE 60\n", odd ? 63 : 62, &hits,
                       &misses));
        CHECK(hits == (round == 1 ? kinds : 0) && misses == (round == 0 ? kinds : 0));
    }
}

// One rank's compile error is everyone's, with the line that a person edits.
static void test_failure_is_shared(const test_run *run)
{
    const bool last = run->rank == run->size - 1;
    int64_t hits, misses;

    CHECK_FAILS(
        build(run, last ? "#define VALUE nonsense\n" : "#define VALUE 70\n", 72, &hits, &misses),
        SEDGE_ERR_DEVICE, "codegen/kernels/fill.h:4");
    CHECK(strstr(sedge_error_message(), "nonsense") != NULL);
    CHECK(strstr(sedge_error_message(), "'fill'") != NULL);
    CHECK_FAILS(build(run, "int a;\n#include <math.h>\n", 0, &hits, &misses), SEDGE_ERR_USAGE,
                "constants of fill:2");
    CHECK(hits == 0 && misses == 0);
}

// An edited source is another program, and the old one is found again when the edit is undone.
static void test_edit_is_noticed(const test_run *run)
{
    char edited[1024];
    int64_t hits, misses;

    (void)snprintf(edited, sizeof edited, "#define ADDED 3\n%s", source_text);
    sedge_comm_barrier(run->comm);
    if (run->rank == 0) put("fill.h", edited);
    sedge_comm_barrier(run->comm);
    CHECK_OK(build(run, "#undef ADDED\n#define VALUE 40\n", 43, &hits, &misses));
    CHECK(hits == 0 && misses == 1);
    sedge_comm_barrier(run->comm);
    if (run->rank == 0) put("fill.h", source_text);
    sedge_comm_barrier(run->comm);
    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 1 && misses == 0);
}

// Whole, of the right key, but no shared object: compiled again, and then right.
static void test_entry_that_does_not_load(const test_run *run)
{
    const sedge_source source = {"codegen/kernels/fill.h", NULL};
    const sedge_program_options options = {
        .name = "fill", .constants = "#define VALUE 40\n", .sources = &source, .count = 1};
    sedge_cache *cache = NULL;
    sedge_text *text = NULL;
    int64_t hits, misses;

    if (run->rank == 0) {
        CHECK_OK(sedge_cache_create(&cache, folder));
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_program_write(text, SEDGE_DEVICE_HOST, &options));
        const sedge_cache_key key = sedge_cache_key_make(run->device, sedge_text_get(text));
        sedge_cache_store(cache, &key, "fill", "no object", 9, "");
        sedge_text_free(text);
        sedge_cache_free(cache);
    }
    sedge_comm_barrier(run->comm);
    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 0 && misses == 1);
    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 1 && misses == 0);
}

static void test_debug_goes_past_the_cache(const test_run *run)
{
    int64_t hits, misses;

    CHECK(setenv("SEDGE_DEBUG", "1", 1) == 0);
    CHECK_OK(build(run, "#define VALUE 40\n", 42, &hits, &misses));
    CHECK(hits == 0 && misses == 1);
    CHECK(unsetenv("SEDGE_DEBUG") == 0);
}

static void prepare(const test_run *run)
{
    sedge_cache *cache = NULL;
    int64_t removed;

    (void)snprintf(kernels, sizeof kernels, "%s/kernels-%d", SEDGE_TEST_DIR, run->size);
    (void)snprintf(folder, sizeof folder, "%s/programs-%d", SEDGE_TEST_DIR, run->size);
    CHECK(setenv("SEDGE_KERNELS", kernels, 1) == 0);
    if (run->rank == 0) {
        CHECK_OK(sedge_folder_make(kernels));
        put("prelude_host.h", "#define ADDED 2\n#warning heard\n");
        put("fill.h", source_text);
        CHECK_OK(sedge_cache_create(&cache, folder));
        CHECK_OK(sedge_cache_clear(cache, &removed));
        sedge_cache_free(cache);
    }
    sedge_comm_barrier(run->comm);
}

int main(void)
{
    test_run run = {NULL, NULL, 0, 1};

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&run.comm, NULL));
    if (run.comm == NULL) return 1;
    run.rank = sedge_comm_rank(run.comm);
    run.size = sedge_comm_size(run.comm);
    CHECK_OK(sedge_device_create(&run.device, "host", 0, run.size));
    if (run.device == NULL) sedge_comm_abort(run.comm, 1);
    prepare(&run);
    test_compiled_once(&run);
    test_different_programs(&run);
    test_failure_is_shared(&run);
    test_edit_is_noticed(&run);
    test_entry_that_does_not_load(&run);
    test_debug_goes_past_the_cache(&run);
    sedge_device_free(run.device);
    sedge_comm_free(run.comm);
    sedge_device_stop_helper();
    return CHECK_END();
}
