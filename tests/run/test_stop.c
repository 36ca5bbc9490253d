// Stopping early: signals to one rank, the wall-clock limit, Slurm's limit; all ranks end at the
// same step, within the time that stop.h states.
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "par/comm.h"
#include "run/stop.h"

#include "check.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(double seconds)
{
    const struct timespec nap = {(time_t)seconds,
                                 (long)(1e9 * (seconds - (double)(time_t)seconds))};

    (void)nanosleep(&nap, NULL);
}

// Steps of `seconds`, until the run shall end or `most` are done. Rank `victim` is sent `number`
// after step `when`; `*late` is how many seconds the steps after it should have taken: a busy
// machine makes fewer of them in the same time, never more.
static int64_t steps_until(sedge_stop *stop, const sedge_comm *comm, double seconds, int64_t most,
                           int victim, int number, int64_t when, double *late)
{
    int64_t step = 0;

    if (when == 0 && sedge_comm_rank(comm) == victim) (void)raise(number);
    while (!sedge_stop_due(stop, step) && step < most) {
        work(seconds);
        step++;
        if (step == when && sedge_comm_rank(comm) == victim) (void)raise(number);
    }
    *late = (double)(step - (when > 0 ? when : 0)) * seconds;
    return step;
}

static void check_same(const sedge_comm *comm, int64_t step)
{
    int64_t ends[2] = {step, -step};

    sedge_comm_max_int(comm, ends, 2);
    CHECK(ends[0] == step && ends[1] == -step);
}

// A flag once raised stays: each signal is tried in processes of its own, by test_stop NUMBER.
static void test_signal(const sedge_comm *comm, int number, int64_t when)
{
    const int victim = sedge_comm_size(comm) - 1;
    sedge_stop *stop = NULL;
    double late;

    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), -1.0));
    CHECK(strcmp(sedge_stop_reason(stop), "") == 0);
    const int64_t step = steps_until(stop, comm, 0.004, 5000, victim, number, when, &late);
    check_same(comm, step);
    CHECK(step < 5000);
    CHECK_BOUND(late, 2.0 * SEDGE_STOP_INTERVAL + 0.008); // and the steps at both ends
    if (when == 0) CHECK(step == 0); // what came during set-up counts before the first step
    CHECK(strcmp(sedge_stop_reason(stop), number == SIGTERM   ? "SIGTERM"
                                          : number == SIGUSR1 ? "SIGUSR1"
                                          : number == SIGUSR2 ? "SIGUSR2"
                                          : number == SIGHUP  ? "SIGHUP"
                                                              : "SIGINT") == 0);
    CHECK(sedge_stop_pending(stop) == (sedge_comm_rank(comm) == victim));
    sedge_stop_free(stop);
}

// The limit is kept with the margin that stop.h states, and not more than needed.
static void test_wall(const sedge_comm *comm)
{
    const double wall = 2.0;
    const double start = sedge_clock();
    sedge_stop *stop = NULL;
    double late;

    CHECK_OK(sedge_stop_create(&stop, comm, start, wall));
    sedge_stop_spent(stop, 0.1);
    sedge_stop_spent(stop, 0.05); // the longest counts
    const int64_t step = steps_until(stop, comm, 0.01, 100000, 0, 0, -1, &late);
    const double end = sedge_clock() - start;
    check_same(comm, step);
    CHECK(strcmp(sedge_stop_reason(stop), "the limit of 2 s (time.wall)") == 0);
    // 2 s less a tenth, two votes and twice 0.1 s: 1.1 s; two votes later all know.
    CHECK_BOUND(1.1, end);
    CHECK_BOUND(late, 1.1 + 2.0 * SEDGE_STOP_INTERVAL + 0.02);
    if (sedge_comm_is_root(comm)) CHECK_BOUND(sedge_stop_left(stop), wall - end);
    sedge_stop_free(stop);
}

// 1000 s of which 100 are left: enough for 10 s, two votes, and twice the longest write, or not.
static void test_margin(void)
{
    sedge_stop *stop = NULL;

    CHECK_OK(sedge_stop_create(&stop, NULL, sedge_clock() - 900.0, 1000.0));
    CHECK(!sedge_stop_pending(stop));
    sedge_stop_spent(stop, 40.0); // 90.5 s
    sedge_stop_spent(stop, 20.0);
    CHECK(!sedge_stop_pending(stop));
    sedge_stop_spent(stop, 46.0); // 102.5 s
    CHECK(sedge_stop_pending(stop));
    CHECK(sedge_stop_due(stop, 0));
    sedge_stop_free(stop);
    CHECK_OK(sedge_stop_create(&stop, NULL, sedge_clock() - 991.0, 1000.0)); // less than 10 s left
    CHECK(sedge_stop_pending(stop));
    sedge_stop_free(stop);
}

// Long steps: the run must not begin one that would end after the limit.
static void test_long_steps(const sedge_comm *comm)
{
    sedge_stop *stop = NULL;
    double late;

    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), 3.0));
    (void)steps_until(stop, comm, 0.6, 100, 0, 0, -1, &late);
    CHECK_BOUND(late, 3.0 - 0.3 + 0.01);
    sedge_stop_free(stop);
}

static void set_end(const char *text)
{
    if (text != NULL) {
        (void)setenv("SLURM_JOB_END_TIME", text, 1);
    } else {
        (void)unsetenv("SLURM_JOB_END_TIME");
    }
}

static void test_slurm(const sedge_comm *comm)
{
    sedge_stop *stop = NULL;
    char text[32];
    double late;

    (void)setenv("SLURM_JOB_ID", "17", 1);
    (void)snprintf(text, sizeof text, "%lld", (long long)time(NULL) + 3);
    set_end(text);
    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), -1.0));
    check_same(comm, steps_until(stop, comm, 0.01, 100000, 0, 0, -1, &late));
    CHECK(strcmp(sedge_stop_reason(stop), "the limit of Slurm's job 17") == 0);
    CHECK_BOUND(late, 3.0);
    sedge_stop_free(stop);

    // What the deck says wins, also that there is no limit.
    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), 0.0));
    CHECK(steps_until(stop, comm, 0.0, 100, 0, 0, -1, &late) == 100);
    CHECK(sedge_stop_left(stop) > 1e300);
    sedge_stop_free(stop);

    set_end("1000"); // long ago
    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), -1.0));
    CHECK(steps_until(stop, comm, 0.0, 100, 0, 0, -1, &late) == 0);
    sedge_stop_free(stop);

    set_end("tomorrow");
    CHECK_FAILS(sedge_stop_create(&stop, comm, 0.0, -1.0), SEDGE_ERR_USAGE,
                "SLURM_JOB_END_TIME is 'tomorrow'");
    CHECK(stop == NULL);
    set_end("12x");
    CHECK_FAILS(sedge_stop_create(&stop, comm, 0.0, -1.0), SEDGE_ERR_USAGE, "'12x'");
    set_end(NULL);
}

// Votes are rare: many short steps cost little more than none.
static void test_cost(const sedge_comm *comm)
{
    const int64_t steps = 200000;
    sedge_stop *stop = NULL;
    struct rusage before;
    struct rusage after;

    CHECK_OK(sedge_stop_create(&stop, comm, sedge_clock(), 0.0));
    (void)getrusage(RUSAGE_SELF, &before);
    for (int64_t step = 0; step < steps; step++) CHECK(!sedge_stop_due(stop, step));
    (void)getrusage(RUSAGE_SELF, &after);
    // 2 us a step; one rank, which looks at the clock each time, takes a tenth of it.
    CHECK_BOUND((double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                    1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec),
                2e-6 * (double)steps);
    sedge_stop_free(stop);
}

// The first SIGINT asks, the second ends. One process: the others would wait for a dead one.
static void test_interrupts(void)
{
    int state = 0;
    const pid_t child = fork();

    if (child == 0) {
        sedge_stop *stop = NULL;
        (void)signal(SIGINT, SIG_DFL);
        sedge_stop_listen();
        if (sedge_stop_create(&stop, NULL, sedge_clock(), -1.0) != SEDGE_OK) _exit(1);
        if (sedge_stop_due(stop, 0)) _exit(2);
        (void)raise(SIGINT);
        if (!sedge_stop_due(stop, 1)) _exit(3);
        if (strcmp(sedge_stop_reason(stop), "SIGINT") != 0) _exit(4);
        (void)raise(SIGINT);
        _exit(5);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFSIGNALED(state) && WTERMSIG(state) == SIGINT);
}

// What the process was started to ignore stays ignored, as under nohup.
static void test_ignored(void)
{
    int state = 0;
    const pid_t child = fork();

    if (child == 0) {
        const char *const words[] = {"/proc/self/exe", "ignored", NULL};
        (void)signal(SIGHUP, SIG_IGN);
        (void)signal(SIGINT, SIG_IGN);
        (void)execv(words[0], (char *const *)(uintptr_t)words);
        _exit(10);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static void drop_signal(int number);

static int run_ignored(void)
{
    sedge_stop *stop = NULL;

    sedge_stop_listen();
    if (sedge_stop_create(&stop, NULL, sedge_clock(), -1.0) != SEDGE_OK) return 1;
    (void)raise(SIGHUP);
    (void)raise(SIGINT);
    if (sedge_stop_due(stop, 0)) return 2;
    (void)signal(SIGHUP, drop_signal); // a library's
    sedge_stop_listen();
    (void)raise(SIGHUP);
    if (sedge_stop_due(stop, 1)) return 3;
    (void)raise(SIGTERM);
    return sedge_stop_due(stop, 2) ? 0 : 4;
}

static void drop_signal(int number)
{
    (void)number;
}

// A library that starts brings a handler that drops the signal: what came meanwhile is heard of.
static void test_hold(void)
{
    int state = 0;
    const pid_t child = fork();

    if (child == 0) {
        sedge_stop *stop = NULL;
        sedge_stop_listen();
        sedge_stop_hold(true);
        (void)signal(SIGUSR1, drop_signal);
        (void)raise(SIGUSR1);
        if (sedge_stop_create(&stop, NULL, sedge_clock(), -1.0) != SEDGE_OK) _exit(1);
        if (sedge_stop_pending(stop)) _exit(2);
        sedge_stop_listen();
        if (!sedge_stop_due(stop, 0)) _exit(3);
        if (strcmp(sedge_stop_reason(stop), "SIGUSR1") != 0) _exit(4);
        (void)raise(SIGHUP);
        if (!sedge_stop_due(stop, 1)) _exit(9);
        (void)raise(SIGTERM); // is not held any more
        if (!sedge_stop_due(stop, 1)) _exit(5);
        if (strcmp(sedge_stop_reason(stop), "SIGTERM") != 0) _exit(6);
        sedge_stop_hold(false);
        (void)raise(SIGINT); // nor is this one ever but in the first moments
        if (!sedge_stop_due(stop, 2)) _exit(7);
        _exit(strcmp(sedge_stop_reason(stop), "SIGINT") == 0 ? 0 : 8);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

int main(int argc, char **argv)
{
    sedge_comm *comm = NULL;

    (void)unsetenv("SLURM_JOB_END_TIME");
    if (argc == 2) return run_ignored();
    if (argc == 1) { // before MPI: they fork
        test_ignored();
        test_interrupts();
        test_hold();
    }
    sedge_stop_listen();
    CHECK_OK(sedge_comm_create(&comm, NULL));
    sedge_stop_listen(); // MPI without mpirun brings handlers of its own
    if (argc == 3) {
        test_signal(comm, (int)strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10));
    } else {
        test_margin();
        test_wall(comm);
        test_long_steps(comm);
        test_slurm(comm);
        test_cost(comm);
    }
    sedge_comm_free(comm);
    return CHECK_END();
}
