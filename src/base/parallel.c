#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS_MOST = 16 };

typedef struct worker {
    pthread_t thread;
    void (*part)(void *context, int64_t first, int64_t end);
    void *context;
    int64_t first, end;
} worker;

static void *work(void *argument)
{
    const worker *const w = argument;

    w->part(w->context, w->first, w->end);
    return NULL;
}

void sedge_parallel(int threads, int64_t count, int64_t grain,
                    void (*part)(void *context, int64_t first, int64_t end), void *context)
{
    worker workers[THREADS_MOST];
    bool started[THREADS_MOST] = {false};
    int64_t used = threads < THREADS_MOST ? threads : THREADS_MOST;

    if (count <= 0) return;
    if (used > count / grain) used = count / grain;
    if (used < 1) used = 1;
    for (int t = 0; t < used; t++) {
        workers[t] = (worker){.part = part,
                              .context = context,
                              .first = count * t / used,
                              .end = count * (t + 1) / used};
        if (t > 0) started[t] = pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0;
    }
    for (int t = 0; t < used; t++) {
        if (!started[t]) (void)work(&workers[t]);
    }
    for (int t = 1; t < used; t++)
        if (started[t]) (void)pthread_join(workers[t].thread, NULL);
}
