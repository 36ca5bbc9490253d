#define _DEFAULT_SOURCE // pthread_sigmask, pwrite
#include "writer.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CALL_BYTES ((int64_t)1 << 26) // written by one call at most

struct sedge_writer {
    pthread_t thread;
    pthread_mutex_t lock;  // guards all below, and the state of each sedge_write
    pthread_cond_t change; // something was added, done, or the end has come
    sedge_write *first, *last;
    bool ends;
};

// ---- the thread --------------------------------------------------------------------------------

static sedge_status fail(const sedge_write *what, int why)
{
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", what->path,
                      why != 0 ? strerror(why) : "nothing is written any more");
}

sedge_status sedge_write_put(const sedge_write *what, int64_t place, const void *from,
                             int64_t bytes)
{
    for (int64_t at = 0; at < bytes;) {
        const int64_t left = bytes - at;
        const ssize_t count =
            pwrite(what->file, (const char *)from + at,
                   (size_t)(left < CALL_BYTES ? left : CALL_BYTES), (off_t)(place + at));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return fail(what, count < 0 ? errno : 0);
        at += count;
    }
    return SEDGE_OK;
}

static sedge_status write_open(const sedge_write *what)
{
    for (int i = 0; i < what->count; i++) {
        const sedge_write_part *const part = &what->part[i];
        SEDGE_TRY(sedge_write_put(what, part->place, part->from, part->bytes));
    }
    if (what->fill != NULL) SEDGE_TRY(what->fill(what->of, what));
    return fsync(what->file) == 0 ? SEDGE_OK : fail(what, errno);
}

static sedge_status write_file(sedge_write *what)
{
    if (what->wait != NULL) SEDGE_TRY(what->wait(what->of));
    what->file = open(what->path, O_WRONLY | O_CLOEXEC);
    if (what->file < 0) return fail(what, errno);
    const sedge_status status = write_open(what);
    if (close(what->file) != 0 && status == SEDGE_OK) return fail(what, errno);
    return status;
}

static void *work(void *argument)
{
    sedge_writer *const writer = argument;

    (void)pthread_mutex_lock(&writer->lock);
    while (!writer->ends || writer->first != NULL) {
        sedge_write *const what = writer->first;
        if (what == NULL) {
            (void)pthread_cond_wait(&writer->change, &writer->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&writer->lock);
        const double start = sedge_clock();
        const sedge_status status = write_file(what);
        (void)pthread_mutex_lock(&writer->lock);
        what->status = status;
        what->seconds = sedge_clock() - start;
        if (status != SEDGE_OK)
            (void)snprintf(what->message, sizeof what->message, "%s", sedge_error_message());
        what->done = true;
        writer->first = what->next;
        (void)pthread_cond_broadcast(&writer->change);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return NULL;
}

// ---- the caller --------------------------------------------------------------------------------

// Signals stay with the thread that calls. The result is an error number.
static int start(sedge_writer *writer)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int problem = pthread_create(&writer->thread, NULL, work, writer);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

static void release(sedge_writer *writer)
{
    (void)pthread_cond_destroy(&writer->change);
    (void)pthread_mutex_destroy(&writer->lock);
    sedge_release(writer);
}

sedge_status sedge_writer_create(sedge_writer **out)
{
    sedge_writer *writer = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&writer, 1, sizeof *writer));
    (void)pthread_mutex_init(&writer->lock, NULL);
    (void)pthread_cond_init(&writer->change, NULL);
    const int problem = start(writer);
    if (problem == 0) {
        *out = writer;
        return SEDGE_OK;
    }
    release(writer);
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "cannot start the thread that writes output: %s (ulimit -u limits the threads "
        "of a user)",
        strerror(problem));
}

void sedge_writer_free(sedge_writer *writer)
{
    if (writer == NULL) return;
    (void)pthread_mutex_lock(&writer->lock);
    writer->ends = true;
    (void)pthread_cond_broadcast(&writer->change);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    release(writer);
}

void sedge_writer_add(sedge_writer *writer, sedge_write *what)
{
    what->done = false;
    what->status = SEDGE_OK;
    what->next = NULL;
    (void)pthread_mutex_lock(&writer->lock);
    if (writer->first == NULL) {
        writer->first = what;
    } else {
        writer->last->next = what;
    }
    writer->last = what;
    (void)pthread_cond_broadcast(&writer->change);
    (void)pthread_mutex_unlock(&writer->lock);
}

bool sedge_writer_is_done(sedge_writer *writer, const sedge_write *what)
{
    (void)pthread_mutex_lock(&writer->lock);
    const bool done = what->done;
    (void)pthread_mutex_unlock(&writer->lock);
    return done;
}

sedge_status sedge_writer_finish(sedge_writer *writer, const sedge_write *what)
{
    (void)pthread_mutex_lock(&writer->lock);
    while (!what->done) (void)pthread_cond_wait(&writer->change, &writer->lock);
    (void)pthread_mutex_unlock(&writer->lock);
    if (what->status != SEDGE_OK) sedge_error_set(what->message);
    return what->status;
}
