#define _DEFAULT_SOURCE // pthread_sigmask
#include "watch.h"

#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sedge_watch_thread {
    sedge_watch watch;
    pthread_t thread;
    pthread_mutex_t lock; // guards `ended`
    pthread_cond_t told;
    bool ended;
};

static struct timespec next_look(const sedge_watch *watch)
{
    struct timespec end;

    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)(watch->milliseconds / 1000);
    end.tv_nsec += (long)(watch->milliseconds % 1000) * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    return end;
}

static void *look(void *argument)
{
    sedge_watch_thread *const mine = argument;
    const sedge_watch *const watch = &mine->watch;

    (void)pthread_mutex_lock(&mine->lock);
    while (!mine->ended) {
        const struct timespec end = next_look(watch);
        int problem = 0;
        while (!mine->ended && problem == 0)
            problem = pthread_cond_timedwait(&mine->told, &mine->lock, &end);
        if (mine->ended || (watch->is_lost != NULL && !watch->is_lost(watch->context))) continue;
        (void)fprintf(stderr, "sedge: %s\n", watch->message);
        _exit(sedge_status_exit_code(watch->failure)); // what runs at an exit may wait for the call
    }
    (void)pthread_mutex_unlock(&mine->lock);
    return NULL;
}

// Signals stay with the thread that calls. The result is an error number.
static int start(sedge_watch_thread *mine)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int problem = pthread_create(&mine->thread, NULL, look, mine);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

static void release(sedge_watch_thread *mine)
{
    (void)pthread_cond_destroy(&mine->told);
    (void)pthread_mutex_destroy(&mine->lock);
    sedge_release(mine);
}

sedge_status sedge_watch_start(sedge_watch_thread **out, const sedge_watch *watch)
{
    sedge_watch_thread *mine = NULL;
    pthread_condattr_t steady;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&mine, 1, sizeof *mine));
    mine->watch = *watch;
    (void)pthread_mutex_init(&mine->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC); // whoever sets the date
    (void)pthread_cond_init(&mine->told, &steady);
    (void)pthread_condattr_destroy(&steady);
    const int problem = start(mine);
    if (problem == 0) {
        *out = mine;
        return SEDGE_OK;
    }
    release(mine);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot start the thread that watches a collective call: %s",
                      strerror(problem));
}

void sedge_watch_end(sedge_watch_thread *thread)
{
    if (thread == NULL) return;
    (void)pthread_mutex_lock(&thread->lock);
    thread->ended = true;
    (void)pthread_cond_signal(&thread->told);
    (void)pthread_mutex_unlock(&thread->lock);
    (void)pthread_join(thread->thread, NULL);
    release(thread);
}
