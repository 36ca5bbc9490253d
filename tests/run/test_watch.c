// A call that never returns ends the process once a look finds it lost, or at the first look where
// none is given; a call that returns in time does not.
#define _POSIX_C_SOURCE 200809L
#include "par/watch.h"

#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD = 50 }; // ms

static const char path[] = "test_watch.file";

static bool is_gone(const void *file)
{
    return access(file, F_OK) != 0;
}

static const sedge_watch of_file = {PERIOD, is_gone, path, SEDGE_ERR_USAGE, "the file vanished"};
static const sedge_watch of_time = {PERIOD, NULL, NULL, SEDGE_ERR_COMPUTE, "it takes too long"};

static void make_file(void)
{
    FILE *const file = fopen(path, "w");

    CHECK(file != NULL && fclose(file) == 0);
}

static void wait_ms(long milliseconds)
{
    const struct timespec nap = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    (void)nanosleep(&nap, NULL);
}

// In a process of its own: the call that never returns.
_Noreturn static void hang(const sedge_watch *watch, int output)
{
    sedge_watch_thread *thread = NULL;

    (void)dup2(output, STDERR_FILENO);
    if (sedge_watch_start(&thread, watch) != SEDGE_OK) _exit(99);
    if (watch->is_lost != NULL) {
        wait_ms(3 * PERIOD); // several looks at a file that is there
        if (remove(path) != 0) _exit(98);
    }
    for (;;) (void)pause();
}

static void test_lost(const sedge_watch *watch, const char *message)
{
    int ends[2];
    int left = -1;
    char said[512] = "";

    make_file();
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) hang(watch, ends[1]);
    (void)close(ends[1]);
    CHECK(waitpid(child, &left, 0) == child);
    CHECK(WIFEXITED(left) && WEXITSTATUS(left) == sedge_status_exit_code(watch->failure));
    CHECK(read(ends[0], said, sizeof said - 1) > 0);
    (void)close(ends[0]);
    CHECK(strcmp(said, message) == 0);
}

static void test_ended(void)
{
    sedge_watch_thread *thread = NULL;

    make_file();
    CHECK_OK(sedge_watch_start(&thread, &of_file));
    sedge_watch_end(thread);
    CHECK(remove(path) == 0);
    wait_ms(3 * PERIOD); // nobody looks any more
    sedge_watch_end(NULL);
}

int main(void)
{
    test_lost(&of_file, "sedge: the file vanished\n");
    test_lost(&of_time, "sedge: it takes too long\n");
    test_ended();
    return CHECK_END();
}
