#define _POSIX_C_SOURCE 200809L
#include "stop.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/device.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What a rank votes for: the larger one wins. A signal's number follows.
enum { REASON_NONE, REASON_WALL, REASON_SLURM, REASON_SIGNAL = 100 };

struct sedge_stop {
    const sedge_comm *comm;
    sedge_vote *vote;              // NULL: one rank, which needs none
    bool voting;                   // one is on its way
    double deadline;               // on sedge_clock; infinity: none, or not the root
    int limit;                     // the reason that the deadline is: REASON_WALL, REASON_SLURM
    double budget;                 // seconds from the run's start to the deadline
    double longest;                // write so far
    double pace;                   // seconds a step
    int64_t interval;              // steps from vote to vote,
    int64_t next;                  // and the step of the next
    int64_t first_step, last_step; // that were asked about,
    double first_time, last_time;  // and when; 0: none yet
    char reason[96];
};

// ---- signals -----------------------------------------------------------------------------------

// What a signal leaves behind; the one thing that a handler can reach.
static volatile sig_atomic_t raised = 0;

// True between the run's start and its first step: nothing has been computed yet, so a signal need
// not wait for a compiler.
static volatile sig_atomic_t in_set_up = 0;

static void raise_flag(int number)
{
    raised = number;
    if (in_set_up != 0) sedge_device_stop_compilers(true);
}

static const struct {
    int number;
    const char *name;
} heard[] = {{SIGTERM, "SIGTERM"},
             {SIGUSR1, "SIGUSR1"},
             {SIGUSR2, "SIGUSR2"},
             {SIGHUP, "SIGHUP"},
             {SIGINT, "SIGINT"}};
#define HEARD (sizeof heard / sizeof *heard)

// Was the signal ignored when this process first asked? Then it stays ignored, as nohup requires,
// even if a library has changed that since.
static bool is_ignored(int number)
{
    static bool asked[HEARD], ignored[HEARD];
    struct sigaction before;

    for (size_t i = 0; i < HEARD; i++) {
        if (heard[i].number != number) continue;
        if (!asked[i]) {
            ignored[i] = sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        }
        asked[i] = true;
        return ignored[i];
    }
    return false;
}

// Is a signal waiting that is blocked (sedge_stop_hold), and would raise the flag?
static bool is_waiting(void)
{
    sigset_t pending;

    if (sigpending(&pending) != 0) return false;
    for (size_t i = 0; i < HEARD; i++) {
        if (sigismember(&pending, heard[i].number) == 1 && !is_ignored(heard[i].number))
            return true;
    }
    return false;
}

void sedge_stop_set_up(bool begins)
{
    in_set_up = begins ? 1 : 0;
    sedge_device_stop_compilers(begins && raised != 0);
    sedge_device_stop_when(begins ? is_waiting : NULL);
}

static void set_blocked(int how, bool interrupts)
{
    sigset_t signals;

    (void)sigemptyset(&signals);
    for (size_t i = 0; i < HEARD; i++)
        if (interrupts || heard[i].number != SIGINT) (void)sigaddset(&signals, heard[i].number);
    (void)pthread_sigmask(how, &signals, NULL);
}

void sedge_stop_hold(bool interrupts)
{
    set_blocked(SIG_BLOCK, interrupts);
}

void sedge_stop_listen(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = raise_flag;
    (void)sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigaction(SIGUSR2, &action, NULL);
    if (is_ignored(SIGHUP)) {
        (void)signal(SIGHUP, SIG_IGN);
    } else {
        (void)sigaction(SIGHUP, &action, NULL);
    }
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND; // the second one ends the process
    if (raised != SIGINT && !is_ignored(SIGINT)) (void)sigaction(SIGINT, &action, NULL);
    set_blocked(SIG_UNBLOCK, true);
}

void sedge_stop_ignore(void)
{
    struct sigaction now;

    for (size_t i = 0; i < HEARD; i++) {
        if (sigaction(heard[i].number, NULL, &now) == 0 && now.sa_handler == raise_flag)
            (void)signal(heard[i].number, SIG_DFL);
    }
    if (raised != 0) (void)raise((int)raised);
}

// ---- the limit ---------------------------------------------------------------------------------

// Slurm tells a job without a limit nothing, or a time that is far away.
static sedge_status read_slurm(sedge_stop *stop, double start)
{
    const char *const text = getenv("SLURM_JOB_END_TIME");
    char *end = NULL;

    if (text == NULL || text[0] == '\0') return SEDGE_OK;
    errno = 0;
    const long long when = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || when < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "SLURM_JOB_END_TIME is '%.40s', not seconds since 1970; unset it, or set "
                          "time.wall in the deck",
                          text);
    }
    if (when == 0) return SEDGE_OK;
    stop->deadline = sedge_clock() + difftime((time_t)when, time(NULL));
    stop->budget = fmax(0.0, stop->deadline - start);
    stop->limit = REASON_SLURM;
    return SEDGE_OK;
}

static sedge_status set_deadline(sedge_stop *stop, double start, double wall)
{
    if (wall < 0.0) return read_slurm(stop, start);
    if (wall == 0.0) return SEDGE_OK;
    stop->deadline = start + wall;
    stop->budget = wall;
    stop->limit = REASON_WALL;
    return SEDGE_OK;
}

static double margin(const sedge_stop *stop)
{
    const double vote = fmax(SEDGE_STOP_INTERVAL, stop->pace);

    return fmin(10.0, 0.1 * stop->budget) + 2.0 * vote + 2.0 * stop->longest;
}

static int my_reason(const sedge_stop *stop)
{
    const int number = (int)raised;

    if (number != 0) return REASON_SIGNAL + number;
    return sedge_clock() > stop->deadline - margin(stop) ? stop->limit : REASON_NONE;
}

// The root knows the limit, so its words count.
static void describe(sedge_stop *stop, int reason)
{
    const char *const job = getenv("SLURM_JOB_ID");

    if (reason == REASON_WALL) {
        (void)snprintf(stop->reason, sizeof stop->reason, "the limit of %g s (time.wall)",
                       stop->budget);
    } else if (reason == REASON_SLURM) {
        (void)snprintf(stop->reason, sizeof stop->reason, "the limit of Slurm's job %.20s",
                       job != NULL ? job : "");
    } else {
        for (size_t i = 0; i < HEARD; i++) {
            if (heard[i].number == reason - REASON_SIGNAL)
                (void)snprintf(stop->reason, sizeof stop->reason, "%s", heard[i].name);
        }
    }
    sedge_comm_broadcast(stop->comm, stop->reason, sizeof stop->reason, 0);
}

// ---- the answer --------------------------------------------------------------------------------

sedge_status sedge_stop_create(sedge_stop **out, const sedge_comm *comm, double start, double wall)
{
    sedge_stop *stop = NULL;
    sedge_status status = sedge_allocate(&stop, 1, sizeof *stop);

    *out = NULL;
    if (status == SEDGE_OK) {
        stop->comm = comm;
        stop->deadline = (double)INFINITY;
        stop->interval = 1;
        if (sedge_comm_is_root(comm)) status = set_deadline(stop, start, wall);
    }
    if (status == SEDGE_OK && sedge_comm_size(comm) > 1)
        status = sedge_vote_create(&stop->vote, comm);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = stop;
    stop = NULL;
done:
    sedge_stop_free(stop);
    return status;
}

void sedge_stop_free(sedge_stop *stop)
{
    if (stop == NULL) return;
    sedge_vote_free(stop->vote);
    sedge_release(stop);
}

// Measure the seconds a step: since the last question or over all steps, whichever is more. The
// host may be ahead of the device by some steps, which makes a few short ones among long ones.
static void measure(sedge_stop *stop, int64_t step)
{
    const double now = sedge_clock();

    if (stop->first_time == 0.0) {
        stop->first_step = step;
        stop->first_time = now;
    } else if (step > stop->last_step) {
        const double last = (now - stop->last_time) / (double)(step - stop->last_step);
        const double all = (now - stop->first_time) / (double)(step - stop->first_step);
        stop->pace = fmax(last, all);
    }
    stop->last_step = step;
    stop->last_time = now;
}

// Steps to the next vote by the slowest rank's seconds a step; not many more than before, however
// short a step seems.
static int64_t steps_between(const sedge_stop *stop, double slowest)
{
    if (!(slowest > 0.0)) return 1;
    return (int64_t)fmax(1.0, fmin(SEDGE_STOP_INTERVAL / slowest, 2.0 * (double)stop->interval));
}

static void start_vote(sedge_stop *stop)
{
    const double mine[2] = {(double)my_reason(stop), stop->pace};

    sedge_vote_start(stop->vote, mine, 2);
    stop->voting = true;
}

static int ask_others(sedge_stop *stop, int64_t step)
{
    double worst[2];

    if (!stop->voting) start_vote(stop); // the first: what came during set-up counts at once
    sedge_vote_finish(stop->vote, worst);
    stop->voting = false;
    if (worst[0] > 0.0) return (int)worst[0];
    stop->interval = steps_between(stop, worst[1]);
    stop->next = step + stop->interval;
    start_vote(stop);
    return REASON_NONE;
}

bool sedge_stop_due(sedge_stop *stop, int64_t step)
{
    if (step < stop->next) return false;
    measure(stop, step);
    const int reason = stop->vote != NULL ? ask_others(stop, step) : my_reason(stop);
    if (reason != REASON_NONE) describe(stop, reason);
    return reason != REASON_NONE;
}

void sedge_stop_spent(sedge_stop *stop, double seconds)
{
    stop->longest = fmax(stop->longest, seconds);
}

bool sedge_stop_pending(const sedge_stop *stop)
{
    return my_reason(stop) != REASON_NONE;
}

const char *sedge_stop_reason(const sedge_stop *stop)
{
    return stop->reason;
}

double sedge_stop_left(const sedge_stop *stop)
{
    return stop->deadline - sedge_clock();
}
