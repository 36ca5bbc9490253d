// Many programs in one process: compiled together, found again, failing each on its own; and eight
// processes that want the same ones at once.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "cache/store.h"
#include "check.h"
#include "program/program.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char folder[] = SEDGE_TEST_DIR "/batch";

enum { BATCH = 16 };

// Programs that write `first`, `first` + 1, ...; the one numbered `broken` does not compile.
typedef struct test_texts {
    char names[BATCH][32];
    char texts[BATCH][128];
    sedge_program_text list[BATCH];
} test_texts;

static void make_texts(test_texts *made, int first, int broken)
{
    for (int i = 0; i < BATCH; i++) {
        (void)snprintf(made->names[i], sizeof made->names[i], "fill-%d", first + i);
        (void)snprintf(made->texts[i], sizeof made->texts[i],
                       "void fill(long blocks, void **a)\n{\n"
                       "    (void)blocks;\n    **(int **)a[0] = %d%s;\n}\n",
                       first + i, i == broken ? " + nonsense" : "");
        made->list[i] = (sedge_program_text){made->names[i], made->texts[i]};
    }
}

static void check_value(const sedge_program *program, int wanted)
{
    const sedge_kernel *kernel = NULL;
    int value = -1;
    int *pointer = &value;
    void *const arguments[] = {&pointer};

    CHECK(program != NULL);
    if (program == NULL) return;
    CHECK_OK(sedge_program_get(&kernel, program, "fill"));
    CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, 1, arguments, 1));
    CHECK(value == wanted);
}

static int count_files(const char *path, const char *start, const char *ending)
{
    DIR *const list = opendir(path);
    int count = 0;

    if (list == NULL) return -1;
    for (const struct dirent *file = readdir(list); file != NULL; file = readdir(list)) {
        const size_t length = strlen(file->d_name);
        if (strncmp(file->d_name, start, strlen(start)) == 0 && length >= strlen(ending) &&
            strcmp(file->d_name + length - strlen(ending), ending) == 0)
            count++;
    }
    (void)closedir(list);
    return count;
}

// One batch of `count` through a fresh cache object; `*hits` and `*misses` are what it counted.
static void run_batch(sedge_device *device, const sedge_program_text *texts, int count, int first,
                      int64_t *hits, int64_t *misses)
{
    sedge_program *programs[BATCH] = {NULL};
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_programs_create(programs, NULL, NULL, device, cache, texts, count));
    for (int i = 0; i < count; i++) {
        check_value(programs[i], first + i);
        sedge_program_free(programs[i]);
    }
    CHECK(sedge_cache_problem(cache) == NULL);
    *hits = sedge_cache_get_counts(cache).hits;
    *misses = sedge_cache_get_counts(cache).misses;
    sedge_cache_free(cache);
}

static void empty_cache(void)
{
    sedge_cache *cache = NULL;
    int64_t removed;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    sedge_cache_free(cache);
}

static void test_sixteen_at_once(sedge_device *device)
{
    test_texts made;
    int64_t hits, misses;

    empty_cache();
    make_texts(&made, 100, -1);
    run_batch(device, made.list, BATCH, 100, &hits, &misses);
    CHECK(hits == 0 && misses == BATCH);
    CHECK(count_files(folder, "", ".sedge") == BATCH && count_files(folder, "tmp-", "") == 0);
    run_batch(device, made.list, BATCH, 100, &hits, &misses);
    CHECK(hits == BATCH && misses == 0);
    made.list[3].name = "other"; // the name is for people only
    make_texts(&made, 104, -1);  // 12 known, 4 new
    run_batch(device, made.list, BATCH, 104, &hits, &misses);
    CHECK(hits == 12 && misses == 4);
    run_batch(device, NULL, 0, 0, &hits, &misses);
    CHECK(hits == 0 && misses == 0);
}

// The same source twice is compiled once, and gives two programs that are freed each on its own.
static void test_the_same_twice(sedge_device *device)
{
    test_texts made;
    sedge_program *programs[3] = {NULL};
    sedge_cache *cache = NULL;

    make_texts(&made, 200, -1);
    const sedge_program_text texts[3] = {made.list[0], made.list[1], made.list[0]};
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_programs_create(programs, NULL, NULL, device, cache, texts, 3));
    CHECK(sedge_cache_get_counts(cache).misses == 2);
    CHECK(programs[0] != programs[2]);
    sedge_program_free(programs[0]);
    check_value(programs[2], 200);
    check_value(programs[1], 201);
    sedge_program_free(programs[1]);
    sedge_program_free(programs[2]);
    sedge_cache_free(cache);
}

// With places for messages a failure is its program's own; without, it is the batch's.
static void test_one_fails(sedge_device *device)
{
    test_texts made;
    sedge_program *programs[BATCH] = {NULL};
    char *messages[BATCH];
    sedge_cache *cache = NULL;

    make_texts(&made, 300, 5);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_programs_create(programs, messages, NULL, device, cache, made.list, BATCH));
    for (int i = 0; i < BATCH; i++) {
        if (i == 5) continue;
        check_value(programs[i], 300 + i);
        CHECK(messages[i] == NULL);
        sedge_program_free(programs[i]);
    }
    CHECK(programs[5] == NULL && messages[5] != NULL);
    if (messages[5] != NULL) {
        CHECK(strstr(messages[5], "'fill-305'") != NULL && strstr(messages[5], "nonsense") != NULL);
    }
    CHECK(sedge_error_message()[0] == '\0'); // nothing failed
    sedge_release(messages[5]);
    CHECK_FAILS(sedge_programs_create(programs, NULL, NULL, device, cache, made.list, BATCH),
                SEDGE_ERR_DEVICE, "nonsense");
    for (int i = 0; i < BATCH; i++) CHECK(programs[i] == NULL);
    // What could be compiled was kept, what could not is tried again: 16, then one.
    CHECK(sedge_cache_get_counts(cache).misses == BATCH + 1);
    sedge_cache_free(cache);
}

// A single failing program is compiled by the calling thread, and still leaves no message there.
// What is no compiler's word on a program, here a folder for kept sources that cannot be made,
// fails the call, whether messages are wanted or not.
static void test_whose_failure(sedge_device *device)
{
    test_texts made;
    sedge_program *program = NULL;
    char *message = NULL;
    sedge_cache *cache = NULL;

    make_texts(&made, 350, 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_programs_create(&program, &message, NULL, device, cache, made.list, 1));
    CHECK(program == NULL && message != NULL && sedge_error_message()[0] == '\0');
    sedge_release(message);
    CHECK(setenv("SEDGE_KEEP", "/proc/kept", 1) == 0);
    CHECK_FAILS(sedge_programs_create(&program, &message, NULL, device, cache, made.list + 1, 1),
                SEDGE_ERR_USAGE, "/proc/kept");
    CHECK(unsetenv("SEDGE_KEEP") == 0);
    CHECK(program == NULL && message == NULL);
    sedge_cache_free(cache);
}

// Filling the cache gives what a run looks for.
static void test_build(sedge_device *device)
{
    test_texts made;
    sedge_program_record records[BATCH];
    sedge_cache *cache = NULL;
    int64_t hits, misses;
    int compiled = -1;

    empty_cache();
    make_texts(&made, 400, -1);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_programs_build(&compiled, records, NULL, device, cache, made.list, BATCH / 2));
    CHECK(compiled == BATCH / 2);
    for (int i = 0; i < BATCH / 2; i++) {
        CHECK(!records[i].found && records[i].seconds > 0.0);
        CHECK(records[i].resources.registers == -1); // the host's compiler does not say
    }
    CHECK_OK(sedge_programs_build(&compiled, records, NULL, device, cache, made.list, BATCH));
    CHECK(compiled == BATCH / 2 && records[0].found && !records[BATCH - 1].found);
    CHECK_OK(sedge_programs_build(&compiled, NULL, NULL, device, cache, made.list, BATCH));
    CHECK(compiled == 0);
    sedge_cache_free(cache);
    run_batch(device, made.list, BATCH, 400, &hits, &misses);
    CHECK(hits == BATCH && misses == 0);
}

// Another compiler, even of the same version, is another program.
static void test_compiler_counts(void)
{
    static const char wrapper[] = SEDGE_TEST_DIR "/wrapped-cc";
    static const char script[] = "#!/bin/sh\nexec cc \"$@\"\n";
    test_texts made;
    sedge_device *device = NULL;
    int64_t hits, misses;

    make_texts(&made, 400, -1);
    CHECK_OK(sedge_file_write(wrapper, script, strlen(script)));
    CHECK(chmod(wrapper, 0700) == 0);
    CHECK(setenv("SEDGE_CC", wrapper, 1) == 0);
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK(unsetenv("SEDGE_CC") == 0);
    if (device == NULL) return;
    run_batch(device, made.list, 1, 400, &hits, &misses);
    CHECK(hits == 0 && misses == 1);
    run_batch(device, made.list, 1, 400, &hits, &misses);
    CHECK(hits == 1 && misses == 0);
    sedge_device_free(device);
}

// ---- memory ------------------------------------------------------------------------------------

// So many allocations succeed; then one fails, or all do. -1: all succeed. The linker puts the
// function in the place of sedge_allocate.
static int64_t allocations = -1;
static bool fails_once;

sedge_status really_allocate(void *out, int64_t count,
                             size_t size) __asm__("__real_sedge_allocate");
sedge_status allocate_some(void *out, int64_t count, size_t size) __asm__("__wrap_sedge_allocate");
sedge_status allocate_some(void *out, int64_t count, size_t size)
{
    const void *const none = NULL;

    if (allocations != 0) {
        if (allocations > 0) allocations--;
        return really_allocate(out, count, size);
    }
    if (fails_once) allocations = -1;
    memcpy(out, &none, sizeof none);
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "the test has no memory left");
}

// Wherever memory ends while programs are found in the cache, that is the failure, nothing is freed
// twice (the C library or a sanitizer says so) and no entry is lost.
static void test_memory_ends(sedge_device *device)
{
    enum { PROGRAMS = 2, MOST = 1000 };
    test_texts made;
    int64_t hits, misses;

    empty_cache();
    make_texts(&made, 700, -1);
    run_batch(device, made.list, PROGRAMS, 700, &hits, &misses);
    CHECK(misses == PROGRAMS);
    for (int once = 0; once < 2; once++) {
        sedge_status status = SEDGE_ERR_MEMORY;
        int failed = 0;
        for (; failed < MOST && status != SEDGE_OK; failed++) {
            sedge_program *programs[PROGRAMS] = {NULL};
            sedge_cache *cache = NULL;
            CHECK_OK(sedge_cache_create(&cache, folder));
            fails_once = once;
            allocations = failed;
            status =
                sedge_programs_create(programs, NULL, NULL, device, cache, made.list, PROGRAMS);
            allocations = -1;
            CHECK(status == SEDGE_OK || status == SEDGE_ERR_MEMORY);
            CHECK(sedge_cache_get_counts(cache).misses == 0);
            for (int i = 0; i < PROGRAMS; i++) {
                CHECK((programs[i] != NULL) == (status == SEDGE_OK));
                sedge_program_free(programs[i]);
            }
            sedge_cache_free(cache);
        }
        CHECK(failed > 10 && failed < MOST);
    }
    run_batch(device, made.list, PROGRAMS, 700, &hits, &misses);
    CHECK(hits == PROGRAMS && misses == 0);
}

// Eight processes begin at the same moment with an empty cache: all are right, and afterwards each
// program is there once.
static void test_eight_processes(void)
{
    enum { PROCESSES = 8, PROGRAMS = 3 };
    test_texts made;
    pid_t children[PROCESSES];
    int64_t all = 0;
    int gate[2], compiled[2];
    int state;

    empty_cache();
    make_texts(&made, 500, -1);
    CHECK(pipe(gate) == 0 && pipe(compiled) == 0);
    (void)fflush(NULL);
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] != 0) continue;
        sedge_device *device = NULL;
        int64_t hits, misses;
        char nothing;
        check_failures = 0;
        CHECK(close(gate[1]) == 0); // before the helper inherits it
        CHECK_OK(sedge_device_start_helper());
        CHECK_OK(sedge_device_create(&device, "host", 0, PROCESSES));
        CHECK(read(gate[0], &nothing, 1) == 0); // until the last writer closes
        if (device != NULL) run_batch(device, made.list, PROGRAMS, 500, &hits, &misses);
        CHECK(write(compiled[1], &misses, sizeof misses) == sizeof misses);
        sedge_device_free(device);
        sedge_device_stop_helper();
        _exit(CHECK_END());
    }
    CHECK(close(gate[1]) == 0 && close(gate[0]) == 0);
    for (int p = 0; p < PROCESSES; p++) {
        int64_t misses = 0;
        CHECK(read(compiled[0], &misses, sizeof misses) == sizeof misses);
        all += misses;
    }
    CHECK(all == PROGRAMS); // each by one process, for which the others wait
    CHECK(close(compiled[0]) == 0 && close(compiled[1]) == 0);
    for (int p = 0; p < PROCESSES; p++) {
        state = -1;
        CHECK(waitpid(children[p], &state, 0) == children[p]);
        CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    }
    CHECK(count_files(folder, "", ".sedge") == PROGRAMS);
    CHECK(count_files(folder, "tmp-", "") == 0);
}

// A process that has claimed a program and ends without it, while this one waits.
static void test_claim_without_program(sedge_device *device)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    sedge_cache *cache = NULL;
    int64_t hits, misses;
    int claimed[2], state = -1;
    char word = 0;
    test_texts made;

    make_texts(&made, 600, -1);
    const sedge_cache_key key = sedge_cache_key_make(device, made.list[0].text);
    CHECK(pipe(claimed) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool given = sedge_cache_create(&cache, folder) == SEDGE_OK &&
                           sedge_cache_claim(cache, &key) && sedge_cache_claim(cache, &key);
        word = given ? 'y' : 'n';
        if (write(claimed[1], &word, 1) != 1) _exit(1);
        (void)nanosleep(&pause, NULL);
        _exit(0);
    }
    CHECK(read(claimed[0], &word, 1) == 1 && word == 'y');
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(!sedge_cache_claim(cache, &key));
    run_batch(device, made.list, 2, 600, &hits, &misses);
    CHECK(hits == 0 && misses == 2);
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    CHECK(sedge_cache_claim(cache, &key));
    sedge_cache_unclaim(cache, &key);
    sedge_cache_free(cache);
    CHECK(close(claimed[0]) == 0 && close(claimed[1]) == 0);
}

int main(void)
{
    sedge_device *device = NULL;

    test_eight_processes(); // before a helper of our own, whose socket the children would inherit
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    if (device == NULL) return 1;
    test_sixteen_at_once(device);
    test_the_same_twice(device);
    test_claim_without_program(device);
    test_one_fails(device);
    test_whose_failure(device);
    test_build(device);
    test_compiler_counts();
    test_memory_ends(device);
    sedge_device_free(device);
    sedge_device_stop_helper();
    return CHECK_END();
}
