#define _DEFAULT_SOURCE // pthread_sigmask
#include "watch.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct sedge_watch {
    char *path;
    int64_t milliseconds;
    pthread_t thread;
    pthread_mutex_t lock; // guards `ended`
    pthread_cond_t told;
    bool ended;
};

// A period has passed and the file is not there: not merely out of reach for a while.
static bool is_gone(const char *path)
{
    struct stat about;

    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

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
    sedge_watch *const watch = argument;

    (void)pthread_mutex_lock(&watch->lock);
    while (!watch->ended) {
        const struct timespec end = next_look(watch);
        int problem = 0;
        while (!watch->ended && problem == 0)
            problem = pthread_cond_timedwait(&watch->told, &watch->lock, &end);
        if (watch->ended || !is_gone(watch->path)) continue;
        (void)fprintf(stderr,
                      "sedge: cannot open '%s': No such file or directory: it vanished "
                      "while the ranks opened it\n",
                      watch->path);
        _exit(
            sedge_status_exit_code(SEDGE_ERR_USAGE)); // what runs at an exit may wait for the call
    }
    (void)pthread_mutex_unlock(&watch->lock);
    return NULL;
}

// Signals stay with the thread that calls. The result is an error number.
static int start(sedge_watch *watch)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int problem = pthread_create(&watch->thread, NULL, look, watch);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

static void release(sedge_watch *watch)
{
    (void)pthread_cond_destroy(&watch->told);
    (void)pthread_mutex_destroy(&watch->lock);
    sedge_release(watch->path);
    sedge_release(watch);
}

sedge_status sedge_watch_start(sedge_watch **out, const char *path, int64_t milliseconds)
{
    sedge_watch *watch = NULL;
    pthread_condattr_t steady;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&watch, 1, sizeof *watch));
    const sedge_status status = sedge_allocate(&watch->path, (int64_t)strlen(path) + 1, 1);
    if (status != SEDGE_OK) {
        sedge_release(watch);
        return status;
    }
    memcpy(watch->path, path, strlen(path) + 1);
    watch->milliseconds = milliseconds;
    (void)pthread_mutex_init(&watch->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC); // whoever sets the date
    (void)pthread_cond_init(&watch->told, &steady);
    (void)pthread_condattr_destroy(&steady);
    const int problem = start(watch);
    if (problem == 0) {
        *out = watch;
        return SEDGE_OK;
    }
    release(watch);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot start a thread to open '%s': %s", path,
                      strerror(problem));
}

void sedge_watch_end(sedge_watch *watch)
{
    if (watch == NULL) return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->ended = true;
    (void)pthread_cond_signal(&watch->told);
    (void)pthread_mutex_unlock(&watch->lock);
    (void)pthread_join(watch->thread, NULL);
    release(watch);
}
