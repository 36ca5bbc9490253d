#define _DEFAULT_SOURCE // pthread_sigmask
#include "device/limit.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/device.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STACK_BYTES = 16 << 20 }; // compilers recurse; a thread's default may be small

// How many threads were left behind: of the process, by nature.
static atomic_int left_behind;

// Set by a signal handler, so they are global to the process.
static atomic_bool is_stopped;
static _Atomic(bool (*)(void)) is_pending; // asked where no handler runs; NULL: nobody
static atomic_bool is_given_up;            // one was not waited for: nobody waits for others, then

// One call under way. It stays for ever where its thread is left behind.
typedef struct limited_call {
    void (*work)(void *call);
    void *call;
    pthread_mutex_t lock; // guards `ended`
    pthread_cond_t told;
    bool ended;
} limited_call;

sedge_status sedge_compiler_seconds(int64_t *seconds)
{
    enum { USUAL = 600, MOST = 86400 };
    const char *const wish = getenv("SEDGE_CC_SECONDS");
    char *end = NULL;

    *seconds = USUAL;
    if (wish == NULL || wish[0] == '\0') return SEDGE_OK;
    *seconds = strtol(wish, &end, 10);
    if (*end == '\0' && *seconds >= 1 && *seconds <= MOST) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_CC_SECONDS='%s' is not a number of seconds in 1..%d",
                      wish, MOST);
}

bool sedge_device_is_left_busy(void)
{
    return atomic_load(&left_behind) > 0;
}

void sedge_device_stop_compilers(bool stop)
{
    atomic_store(&is_stopped, stop);
    if (!stop) atomic_store(&is_given_up, false);
}

void sedge_device_stop_when(bool (*pending)(void))
{
    atomic_store(&is_pending, pending);
}

static bool is_asked_to_stop(void)
{
    bool (*const pending)(void) = atomic_load(&is_pending);

    return atomic_load(&is_stopped) || (pending != NULL && pending());
}

sedge_patience sedge_patience_begin(bool compiles)
{
    return (sedge_patience){
        .was_stopped = is_asked_to_stop(), .compiles = compiles, .start = sedge_clock()};
}

bool sedge_patience_is_over(const sedge_patience *patience)
{
    if (!is_asked_to_stop()) return false;
    if (atomic_load(&is_given_up) || (patience->compiles && !patience->was_stopped)) return true;
    return sedge_clock() - patience->start > SEDGE_LIMIT_GRACE;
}

sedge_status sedge_limit_stopped(const char *who)
{
    atomic_store(&is_given_up, true);
    return SEDGE_FAIL(SEDGE_ERR_STOPPED,
                      "stopped by a signal while %s was at work, before the first step: nothing "
                      "was computed that could be lost; run the same command with --restart auto",
                      who);
}

// The call may give its thread another stack for signal handlers, as LLVM does: the thread ends
// with the one that it had.
static void *run_call(void *argument)
{
    limited_call *const mine = argument;
    stack_t before;

    const bool known = sigaltstack(NULL, &before) == 0;
    mine->work(mine->call);
    if (known) (void)sigaltstack(&before, NULL);
    (void)pthread_mutex_lock(&mine->lock);
    mine->ended = true;
    (void)pthread_cond_signal(&mine->told);
    (void)pthread_mutex_unlock(&mine->lock);
    return NULL;
}

static void prepare(limited_call *mine)
{
    pthread_condattr_t steady;

    (void)pthread_mutex_init(&mine->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC); // whoever sets the date
    (void)pthread_cond_init(&mine->told, &steady);
    (void)pthread_condattr_destroy(&steady);
}

// Signals stay with the thread that calls. The result is an error number.
static int start(pthread_t *thread, limited_call *mine)
{
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;

    int problem = pthread_attr_init(&attributes);
    if (problem != 0) return problem;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    problem = pthread_create(thread, &attributes, run_call, mine);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return problem;
}

static bool wait_for(limited_call *mine, int64_t seconds, const sedge_patience *patience)
{
    const double end = sedge_clock() + (double)seconds;

    (void)pthread_mutex_lock(&mine->lock);
    while (!mine->ended && !sedge_patience_is_over(patience) && sedge_clock() < end) {
        struct timespec look;
        (void)clock_gettime(CLOCK_MONOTONIC, &look);
        look.tv_nsec += SEDGE_LIMIT_LOOK * 1000000L;
        look.tv_sec += look.tv_nsec / 1000000000L;
        look.tv_nsec %= 1000000000L;
        (void)pthread_cond_timedwait(&mine->told, &mine->lock, &look);
    }
    const bool ended = mine->ended;
    (void)pthread_mutex_unlock(&mine->lock);
    return ended;
}

sedge_status sedge_limit_run(const char *who, void (*work)(void *call), void *call)
{
    limited_call *mine = NULL;
    int64_t seconds;
    pthread_t thread;

    SEDGE_TRY(sedge_compiler_seconds(&seconds));
    SEDGE_TRY(sedge_allocate(&mine, 1, sizeof *mine));
    mine->work = work;
    mine->call = call;
    prepare(mine);
    const sedge_patience patience = sedge_patience_begin(true);
    const int problem = start(&thread, mine);
    if (problem == 0 && !wait_for(mine, seconds, &patience)) {
        (void)pthread_detach(thread);
        (void)atomic_fetch_add(&left_behind, 1);
        if (sedge_patience_is_over(&patience)) return sedge_limit_stopped(who);
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s did not end within %lld s (SEDGE_CC_SECONDS)", who,
                          (long long)seconds);
    }
    if (problem == 0) (void)pthread_join(thread, NULL);
    (void)pthread_cond_destroy(&mine->told);
    (void)pthread_mutex_destroy(&mine->lock);
    sedge_release(mine);
    if (problem == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot start a thread for %s: %s", who, strerror(problem));
}
