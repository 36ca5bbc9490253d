// When a process started: before its first line, also where it began as another program.
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK 0.02 // /proc counts in hundredths of a second, the kernel in others

// The process that `before` (a clock) preceded, which then waited 0.1 s or more.
static void check_late(double before)
{
    CHECK_BOUND(before - sedge_clock_of_start(), TICK);
    CHECK(sedge_clock() - sedge_clock_of_start() > 0.1 - TICK);
}

// A child waits, and becomes another program in the same process.
static void test_start_is_kept(void)
{
    const struct timespec wait = {.tv_nsec = 100000000};
    const double before = sedge_clock();
    char text[32];
    int state = -1;

    (void)snprintf(text, sizeof text, "%a", before);
    const pid_t child = fork();
    if (child == 0) {
        (void)nanosleep(&wait, NULL);
        (void)execl("/proc/self/exe", "test_clock", text, (char *)NULL);
        _exit(2);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child && state == 0);
    CHECK(sedge_clock_of_start() <= before);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        check_late(strtod(argv[1], NULL));
    } else {
        test_start_is_kept();
    }
    return CHECK_END();
}
