// A file that vanishes under a call that never returns ends the process; a file that stays, or a
// call that returns, does not.
#define _POSIX_C_SOURCE 200809L
#include "run/watch.h"

#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD = 50 }; // ms

static const char path[] = "test_watch.file";

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
_Noreturn static void hang(int output)
{
    sedge_watch *watch = NULL;

    (void)dup2(output, STDERR_FILENO);
    if (sedge_watch_start(&watch, path, PERIOD) != SEDGE_OK) _exit(99);
    wait_ms(3 * PERIOD); // several looks at a file that is there
    if (remove(path) != 0) _exit(98);
    for (;;) (void)pause();
}

static void test_vanishes(void)
{
    int ends[2];
    int left = -1;
    char said[512] = "";

    make_file();
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) hang(ends[1]);
    (void)close(ends[1]);
    CHECK(waitpid(child, &left, 0) == child);
    CHECK(WIFEXITED(left) && WEXITSTATUS(left) == sedge_status_exit_code(SEDGE_ERR_USAGE));
    CHECK(read(ends[0], said, sizeof said - 1) > 0);
    (void)close(ends[0]);
    CHECK(strstr(said, "sedge: cannot open 'test_watch.file': No such file or directory") == said);
}

static void test_ended(void)
{
    sedge_watch *watch = NULL;

    make_file();
    CHECK_OK(sedge_watch_start(&watch, path, PERIOD));
    sedge_watch_end(watch);
    CHECK(remove(path) == 0);
    wait_ms(3 * PERIOD); // nobody looks any more
    sedge_watch_end(NULL);
}

int main(void)
{
    test_vanishes();
    test_ended();
    return CHECK_END();
}
