#define _DEFAULT_SOURCE // pthread_sigmask
#include "program/compile.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/range.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

enum {
    THREADS_MAX = 8,           // NVRTC takes a few hundred MB each
    STACK_BYTES = 16 * 1 << 20 // compilers recurse; a thread's default may be small
};

// Jobs are taken in order and put on the list of those done; `lock` guards all below it.
typedef struct compile_pool {
    sedge_compile_job *jobs;
    int count;
    sedge_device *device;
    pthread_mutex_t lock;
    pthread_cond_t any_done;
    int taken;
    int done_count;
    int *done; // [count]: indices of jobs
} compile_pool;

void sedge_compile_fail(sedge_compile_job *job, sedge_status status)
{
    const char *const message = sedge_error_message();
    const size_t bytes = strlen(message) + 1;
    char *copy = NULL;

    job->status = status;
    if (sedge_allocate(&copy, (int64_t)bytes, 1) == SEDGE_OK) memcpy(copy, message, bytes);
    sedge_release(job->message);
    job->message = copy;
    sedge_error_clear();
}

static void run_job(sedge_compile_job *job, sedge_device *device)
{
    const double began = sedge_clock();

    sedge_range_begin("compile");
    const sedge_status status = sedge_device_compile(device, job->text, NULL, job->name,
                                                     &job->binary, &job->length, job->log);
    sedge_range_end();

    job->seconds = sedge_clock() - began;
    if (status != SEDGE_OK) sedge_compile_fail(job, status);
}

static void *run_thread(void *argument)
{
    compile_pool *const pool = argument;

    (void)pthread_mutex_lock(&pool->lock);
    while (pool->taken < pool->count) {
        const int mine = pool->taken++;
        (void)pthread_mutex_unlock(&pool->lock);
        run_job(&pool->jobs[mine], pool->device);
        (void)pthread_mutex_lock(&pool->lock);
        pool->done[pool->done_count++] = mine;
        (void)pthread_cond_signal(&pool->any_done);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// As many threads as can be had; signals stay with the thread that calls.
static int start_threads(compile_pool *pool, pthread_t *threads, int requested)
{
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    int started = 0;

    if (pthread_attr_init(&attributes) != 0) return 0;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < requested &&
           pthread_create(&threads[started], &attributes, run_thread, pool) == 0)
        started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return started;
}

static int wait_for(compile_pool *pool, int position)
{
    (void)pthread_mutex_lock(&pool->lock);
    while (pool->done_count <= position) (void)pthread_cond_wait(&pool->any_done, &pool->lock);
    const int job = pool->done[position];
    (void)pthread_mutex_unlock(&pool->lock);
    return job;
}

sedge_status sedge_compile_jobs(sedge_compile_job *jobs, int count, sedge_device *device,
                                int threads, void (*settle)(void *context, sedge_compile_job *job),
                                void *context)
{
    compile_pool pool = {.jobs = jobs, .count = count, .device = device};
    pthread_t started[THREADS_MAX];
    int running = 0;

    if (threads > THREADS_MAX) threads = THREADS_MAX;
    if (threads > count) threads = count;
    SEDGE_TRY(sedge_allocate(&pool.done, count, sizeof *pool.done));
    (void)pthread_mutex_init(&pool.lock, NULL);
    (void)pthread_cond_init(&pool.any_done, NULL);
    if (threads > 1) running = start_threads(&pool, started, threads);
    for (int i = 0; i < count; i++) {
        if (running == 0) run_job(&jobs[i], device);
        settle(context, &jobs[running > 0 ? wait_for(&pool, i) : i]);
    }
    for (int t = 0; t < running; t++) (void)pthread_join(started[t], NULL);
    (void)pthread_cond_destroy(&pool.any_done);
    (void)pthread_mutex_destroy(&pool.lock);
    sedge_release(pool.done);
    return SEDGE_OK;
}
