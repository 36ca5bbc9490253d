#define _GNU_SOURCE // syscall
// For LD_PRELOAD: ranks that wait for a message sleep. Open MPI asks for messages again and again
// and calls sched_yield between (mpi_yield_when_idle); where several tests share the cores, that
// takes time, and waiting ranks get turns that others need. Half of a thread's calls sleep, which
// MPI sees as a slow network: 50 microseconds, or as many as SEDGE_TEST_PAUSE says, by which a test
// gets a run that takes long and computes little.
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 8 };

int sched_yield(void)
{
    static _Thread_local unsigned calls;
    const char *const given = getenv("SEDGE_TEST_PAUSE");
    const long microseconds = given != NULL ? strtol(given, NULL, 10) : 50;
    const struct timespec pause = {.tv_nsec = 1000 * microseconds};

    if (calls++ / TURNS % 2 == 0) return (int)syscall(SYS_sched_yield);
    (void)nanosleep(&pause, NULL); // an interrupted one will do
    return 0;
}
