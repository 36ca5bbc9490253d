// The helper process: needed, restarted, not shared with children, gone with its parent.
#define _GNU_SOURCE // setenv, kill, prlimit
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "device/device.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Seconds to wait for what takes much less than one on an idle machine.
#define PATIENCE 60.0

static const char temporary[] = SEDGE_TEST_DIR "/helper-tmp";

static sedge_status compile_something(sedge_device *device)
{
    void *binary = NULL;
    size_t length;
    const sedge_status status =
        sedge_device_compile(device, "int x;\n", NULL, NULL, &binary, &length, NULL);

    sedge_release(binary);
    return status;
}

static void test_helper_is_needed(void)
{
    sedge_device *device = NULL;

    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_DEVICE,
                "must call sedge_device_start_helper before MPI starts");
}

static void test_start_and_stop(void)
{
    sedge_device *device = NULL;

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(compile_something(device));
    sedge_device_stop_helper();
    sedge_device_stop_helper();
    CHECK_FAILS(compile_something(device), SEDGE_ERR_DEVICE, "helper is not running");
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

// A forked child must not talk over its parent's socket, and may start its own.
static void test_child_has_none(void)
{
    int state = -1;
    const pid_t child = fork();

    if (child == 0) {
        sedge_device *device = NULL;
        const sedge_status refused = sedge_device_create(&device, "host", 0, 1);
        const sedge_status started = sedge_device_start_helper();
        const sedge_status created = sedge_device_create(&device, "host", 0, 1);
        _exit(refused == SEDGE_ERR_DEVICE && started == SEDGE_OK && created == SEDGE_OK ? 0 : 1);
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static int count_files(const char *path)
{
    DIR *const folder = opendir(path);
    int count = 0;

    if (folder == NULL) return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (entry->d_name[0] != '.') count++;
    (void)closedir(folder);
    return count;
}

static void remove_files(const char *path)
{
    DIR *const folder = opendir(path);

    if (folder == NULL) return;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (entry->d_name[0] != '.') (void)unlinkat(dirfd(folder), entry->d_name, 0);
    (void)closedir(folder);
}

// A helper that died is noticed, named, and replaced by the next start.
static void test_dead_helper(void)
{
    sedge_device *device = NULL;
    sedge_status status = SEDGE_OK;
    char path[64];
    long child = 0;

    sedge_device_stop_helper();
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *const children = fopen(path, "r");
    CHECK(children != NULL && fscanf(children, "%ld", &child) == 1); // its only one
    if (children != NULL) (void)fclose(children);
    CHECK(child > 0 && kill((pid_t)child, SIGKILL) == 0);
    for (int i = 0; i < 100 && status == SEDGE_OK; i++) {
        usleep(10000);
        status = compile_something(device);
    }
    CHECK(status == SEDGE_ERR_DEVICE && strstr(sedge_error_message(), "ended unexpectedly"));
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

static void test_nothing_left_behind(void)
{
    sedge_device *device = NULL;
    void *binary = NULL;
    size_t length;

    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(compile_something(device));
    CHECK_FAILS(sedge_device_compile(device, "wrong", NULL, NULL, &binary, &length, NULL),
                SEDGE_ERR_DEVICE, "error");
    CHECK(count_files(temporary) == 0);
    sedge_device_free(device);
}

// Nor of a compiler that makes folders and hidden files of its own; what its links point at stays.
static void test_folders_of_the_compiler(void)
{
    static const char path[] = SEDGE_TEST_DIR "/littering-cc";
    static const char script[] = "#!/bin/sh\nmkdir -p a/b .c\ntouch a/b/d .e\n"
                                 "ln -s " SEDGE_TEST_DIR "/linked f\nexec cc \"$@\"\n";
    sedge_device *device = NULL;

    CHECK_OK(sedge_file_write(path, script, strlen(script)));
    CHECK_OK(sedge_folder_make(SEDGE_TEST_DIR "/linked/inside"));
    CHECK(chmod(path, 0755) == 0 && setenv("SEDGE_CC", path, 1) == 0);
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(compile_something(device));
    CHECK(count_files(temporary) == 0);
    CHECK(count_files(SEDGE_TEST_DIR "/linked") == 1);
    CHECK(unsetenv("SEDGE_CC") == 0);
    sedge_device_free(device);
}

typedef struct test_thread {
    sedge_device *device;
    int number;
    sedge_status good, bad;
    char message[512];
    bool is_elf;
} test_thread;

static void *compile_both(void *argument)
{
    test_thread *const mine = argument;
    char wrong[64];
    void *binary = NULL;
    size_t length;

    mine->good = sedge_device_compile(mine->device, "int x;\n", NULL, NULL, &binary, &length, NULL);
    mine->is_elf = binary != NULL && memcmp(binary, "\177ELF", 4) == 0;
    sedge_release(binary);
    (void)snprintf(wrong, sizeof wrong, "int x = wrong_%d;\n", mine->number);
    mine->bad = sedge_device_compile(mine->device, wrong, NULL, NULL, &binary, &length, NULL);
    (void)snprintf(mine->message, sizeof mine->message, "%s", sedge_error_message());
    return NULL;
}

// Compilers of several threads run at the same time, and each thread hears of its own. This one
// waits until four of them are there, and gives up after minutes; one after the other it would
// never come to an end otherwise.
static void test_several_at_once(void)
{
    enum { THREADS = 4 };
    static const char meeting[] = SEDGE_TEST_DIR "/meeting-compiler";
    static const char place[] = SEDGE_TEST_DIR "/meeting";
    static const char text[] =
        "#!/bin/sh\n"
        "case \"$*\" in *kernel.c*)\n"
        "  : > " SEDGE_TEST_DIR "/meeting/$$\n"
        "  for i in $(seq 1500); do\n"
        "    [ $(ls " SEDGE_TEST_DIR "/meeting | wc -l) -ge 4 ] && exec cc \"$@\"\n"
        "    sleep 0.1\n"
        "  done\n"
        "  exit 9;; esac\n"
        "exec cc \"$@\"\n";
    sedge_device *device = NULL;
    test_thread own[THREADS];
    pthread_t threads[THREADS];

    CHECK_OK(sedge_file_write(meeting, text, strlen(text)));
    CHECK(chmod(meeting, 0700) == 0);
    CHECK_OK(sedge_folder_make(place));
    remove_files(place);
    CHECK(setenv("SEDGE_CC", meeting, 1) == 0);
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK(unsetenv("SEDGE_CC") == 0);
    if (device == NULL) return;
    for (int t = 0; t < THREADS; t++) {
        own[t] = (test_thread){.device = device, .number = t};
        CHECK(pthread_create(&threads[t], NULL, compile_both, &own[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        char wanted[32];
        CHECK(pthread_join(threads[t], NULL) == 0);
        CHECK(own[t].good == SEDGE_OK && own[t].is_elf);
        (void)snprintf(wanted, sizeof wanted, "wrong_%d", t);
        CHECK(own[t].bad == SEDGE_ERR_DEVICE && strstr(own[t].message, wanted) != NULL);
    }
    CHECK(count_files(place) == 2 * THREADS); // each of them was run
    CHECK(count_files(temporary) == 0);
    sedge_device_free(device);
}

// The processes that any thread of `process` has started and not fetched yet; one of them in
// `last`.
static int count_children(pid_t process, pid_t *last)
{
    char path[320];
    long child;
    int count = 0;

    (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *const tasks = opendir(path);
    if (tasks == NULL) return -1;
    for (const struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)process,
                       entry->d_name);
        FILE *const file = fopen(path, "r");
        if (file == NULL) continue;
        for (; fscanf(file, "%ld", &child) == 1; count++) // NOLINT(cert-err34-c)
            *last = (pid_t)child;
        (void)fclose(file);
    }
    (void)closedir(tasks);
    return count;
}

// What a helper has open: three times nothing, its socket, and what tells its parent's end.
static void check_files(pid_t process)
{
    char path[320];
    char target[256];
    int count = 0;

    (void)snprintf(path, sizeof path, "/proc/%ld/fd", (long)process);
    DIR *const files = opendir(path);
    CHECK(files != NULL);
    if (files == NULL) return;
    for (const struct dirent *entry = readdir(files); entry != NULL; entry = readdir(files)) {
        if (entry->d_name[0] == '.') continue;
        const ssize_t length = readlinkat(dirfd(files), entry->d_name, target, sizeof target - 1);
        CHECK(length > 0);
        target[length > 0 ? length : 0] = '\0';
        const long number = strtol(entry->d_name, NULL, 10);
        if (number <= 2) CHECK(strcmp(target, "/dev/null") == 0);
        if (number == 3) CHECK(strncmp(target, "socket:", 7) == 0);
        if (number == 4) CHECK(strstr(target, "pidfd") != NULL);
        CHECK(number <= 4);
        count++;
    }
    (void)closedir(files);
    CHECK(count == 4 || count == 5);
}

typedef struct opener {
    pthread_barrier_t *together;
    bool compiles;
    sedge_status status;
} opener;

static void *open_device(void *argument)
{
    opener *const mine = argument;
    sedge_device *device = NULL;

    (void)pthread_barrier_wait(mine->together);
    mine->status = sedge_device_start_helper();
    if (mine->status != SEDGE_OK || !mine->compiles) return NULL;
    mine->status = sedge_device_create(&device, "host", 0, 1);
    if (mine->status == SEDGE_OK) mine->status = compile_something(device);
    sedge_device_free(device);
    return NULL;
}

// Threads that open devices at once start one helper together, which has nothing of this process
// open, and ends when it is stopped.
static void test_threads_start_one(void)
{
    enum { THREADS = 8, ROUNDS = 200, COMPILING = 2 };
    const int inherited = open("/dev/zero", O_RDONLY); // not close-on-exec
    pthread_barrier_t together;
    pthread_t threads[THREADS];
    opener own[THREADS];

    CHECK(inherited >= 0 && pthread_barrier_init(&together, NULL, THREADS) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t helper = 0;
        sedge_device_stop_helper();
        for (int t = 0; t < THREADS; t++) {
            own[t] = (opener){.together = &together, .compiles = round < COMPILING};
            CHECK(pthread_create(&threads[t], NULL, open_device, &own[t]) == 0);
        }
        for (int t = 0; t < THREADS; t++) {
            CHECK(pthread_join(threads[t], NULL) == 0);
            CHECK(own[t].status == SEDGE_OK);
        }
        CHECK(count_children(getpid(), &helper) == 1);
        if (round < COMPILING) check_files(helper); // it has closed the others long ago
    }
    sedge_device_stop_helper();
    pid_t none = 0;
    CHECK(count_children(getpid(), &none) == 0);
    CHECK(pthread_barrier_destroy(&together) == 0 && close(inherited) == 0);
    CHECK_OK(sedge_device_start_helper());
}

// A helper without a descriptor to spare loses a request, says so, and serves the next one.
static void test_no_descriptors(void)
{
    sedge_device *device = NULL;
    char path[64];
    struct rlimit limit;
    int child = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", getpid(), getpid());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    FILE *const file = fopen(path, "r");
    CHECK(file != NULL && fscanf(file, "%d", &child) == 1);
    if (file != NULL) (void)fclose(file);
    CHECK(child > 0 && prlimit(child, RLIMIT_NOFILE, NULL, &limit) == 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    CHECK(prlimit(child, RLIMIT_NOFILE, &none, NULL) == 0);
    CHECK_FAILS(compile_something(device), SEDGE_ERR_DEVICE, "has no file descriptor left");
    CHECK(prlimit(child, RLIMIT_NOFILE, &limit, NULL) == 0);
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

// When the parent is killed while a compiler runs, the helper cleans up and goes too.
static void test_killed_parent(void)
{
    static const char slow[] = SEDGE_TEST_DIR "/slow-compiler";
    static const char text[] = "#!/bin/sh\n"
                               "case \"$*\" in *kernel.c*) sleep 1;; *) echo version 1;; esac\n";
    int state;

    CHECK_OK(sedge_file_write(slow, text, strlen(text)));
    CHECK(chmod(slow, 0700) == 0);
    const pid_t child = fork();
    if (child == 0) {
        sedge_device *device = NULL;
        (void)setenv("SEDGE_CC", slow, 1);
        if (sedge_device_start_helper() != SEDGE_OK) _exit(1);
        if (sedge_device_create(&device, "host", 0, 1) != SEDGE_OK) _exit(2);
        (void)!compile_something(device);
        _exit(3);
    }
    for (int i = 0; i < 100 && count_files(temporary) == 0; i++) usleep(20000);
    usleep(200000); // most likely in the slow part now; right either way
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, &state, 0) == child && WIFSIGNALED(state));
    const double limit = sedge_clock() + PATIENCE;
    int left = count_files(temporary);
    while (left > 0 && sedge_clock() < limit) {
        usleep(20000);
        left = count_files(temporary);
    }
    CHECK(left == 0);
}

static void test_interrupt_is_the_parents(void)
{
    sedge_device *device = NULL;

    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK(signal(SIGINT, SIG_IGN) != SIG_ERR && signal(SIGTERM, SIG_IGN) != SIG_ERR);
    CHECK(kill(0, SIGINT) == 0 && kill(0, SIGTERM) == 0); // the whole group, as ^C does
    usleep(50000);
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

// A compiler that says its version and then never ends.
static void write_sleeper(char path[600])
{
    static const char text[] = "#!/bin/sh\ncase \"$*\" in -###*) exit 0;; esac\n"
                               "sleep 500 &\necho $! >" SEDGE_TEST_DIR "/sleeper\nwait\n";

    (void)snprintf(path, 600, "%s/sleeping-cc", SEDGE_TEST_DIR);
    CHECK_OK(sedge_file_write(path, text, sizeof text - 1));
    CHECK(chmod(path, 0755) == 0);
}

// The process that the sleeper started, or -1 while it has not.
static pid_t read_sleeper(void)
{
    FILE *const file = fopen(SEDGE_TEST_DIR "/sleeper", "r");
    long process = -1;

    if (file == NULL) return -1;
    if (fscanf(file, "%ld", &process) != 1) process = -1; // NOLINT(cert-err34-c)
    (void)fclose(file);
    return (pid_t)process;
}

// Gone, or dead and not yet fetched by whoever is its parent now.
static bool is_gone(pid_t process)
{
    char path[64];
    char state[8] = "";

    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *const file = fopen(path, "r");
    if (file == NULL) return true;
    const bool read = fscanf(file, "%*d %*s %7s", state) == 1;
    (void)fclose(file);
    return !read || state[0] == 'Z' || state[0] == 'X';
}

static void check_ended(pid_t process)
{
    const double limit = sedge_clock() + PATIENCE;

    CHECK(process > 0);
    while (process > 0 && !is_gone(process) && sedge_clock() < limit) (void)usleep(10000);
    CHECK(process > 0 && is_gone(process));
}

static void test_compiler_that_hangs(void)
{
    sedge_device *device = NULL;
    char path[600];

    write_sleeper(path);
    (void)unlink(SEDGE_TEST_DIR "/sleeper");
    // It says its version and starts its sleeper in a hundredth of this.
    CHECK(setenv("SEDGE_CC", path, 1) == 0 && setenv("SEDGE_CC_SECONDS", "3", 1) == 0);
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    const double start = sedge_clock();
    CHECK_FAILS(compile_something(device), SEDGE_ERR_DEVICE, "it did not end within 3 s");
    CHECK(strstr(sedge_error_message(), "sleeping-cc") != NULL);
    CHECK_BOUND(sedge_clock() - start, PATIENCE);
    check_ended(read_sleeper()); // what it started, too
    sedge_device_free(device);
    CHECK(setenv("SEDGE_CC_SECONDS", "0", 1) == 0);
    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_USAGE,
                "SEDGE_CC_SECONDS='0' is not a number of seconds in 1..86400");
    CHECK(unsetenv("SEDGE_CC") == 0 && unsetenv("SEDGE_CC_SECONDS") == 0);
}

// A program that is killed while it waits for a compiler leaves none behind.
static void test_asker_that_dies(void)
{
    char path[600];
    int state;

    write_sleeper(path);
    (void)unlink(SEDGE_TEST_DIR "/sleeper");
    CHECK(setenv("SEDGE_CC", path, 1) == 0);
    const pid_t child = fork();
    if (child == 0) {
        sedge_device *device = NULL;
        if (sedge_device_start_helper() == SEDGE_OK &&
            sedge_device_create(&device, "host", 0, 1) == SEDGE_OK)
            (void)compile_something(device);
        _exit(1);
    }
    const double limit = sedge_clock() + PATIENCE;
    while (read_sleeper() < 0 && sedge_clock() < limit) (void)usleep(10000);
    const pid_t sleeper = read_sleeper();
    CHECK(sleeper > 0 && !is_gone(sleeper));
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &state, 0) == child);
    check_ended(sleeper);
    CHECK(unsetenv("SEDGE_CC") == 0);
}

// The helper ends with its parent, also where a child of the parent lives on, which inherited the
// parent's end of the socket.
static void test_parent_with_a_child(void)
{
    int ends[2];
    pid_t family[2] = {0, 0}; // the helper, the child
    int state;

    CHECK(pipe(ends) == 0);
    const pid_t parent = fork();
    if (parent == 0) {
        if (sedge_device_start_helper() != SEDGE_OK) _exit(1);
        if (count_children(getpid(), &family[0]) != 1) _exit(2);
        family[1] = fork();
        if (family[1] != 0) (void)!write(ends[1], family, sizeof family);
        (void)pause();
        _exit(3);
    }
    CHECK(read(ends[0], family, sizeof family) == (ssize_t)sizeof family);
    CHECK(kill(parent, SIGKILL) == 0 && waitpid(parent, &state, 0) == parent);
    check_ended(family[0]);
    CHECK(!is_gone(family[1]) && kill(family[1], SIGKILL) == 0);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

int main(void)
{
    if (setpgid(0, 0) != 0 && getpgrp() != getpid()) return 1; // a group of our own to signal
    CHECK_OK(sedge_folder_make(temporary));
    CHECK(setenv("TMPDIR", temporary, 1) == 0);
    test_helper_is_needed();
    test_start_and_stop();
    test_child_has_none();
    test_dead_helper();
    test_nothing_left_behind();
    test_folders_of_the_compiler();
    test_several_at_once();
    test_threads_start_one();
    test_no_descriptors();
    test_killed_parent();
    test_interrupt_is_the_parents();
    sedge_device_stop_helper();
    test_compiler_that_hangs();
    test_asker_that_dies();
    test_parent_with_a_child();
    return CHECK_END();
}
