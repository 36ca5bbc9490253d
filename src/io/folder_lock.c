#define _DEFAULT_SOURCE // flock
#include "io/folder_lock.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Only its owner can open the file, and therefore lock it. A folder could be locked by everybody
// who may read it.
#define LOCK_NAME ".sedge-run"

struct sedge_folder_lock {
    int folder; // where the lock file lies; -1: nothing is held
    int file;   // has the lock
};

// ---- may it be written -------------------------------------------------------------------------

sedge_status sedge_output_folder_check(const char *folder)
{
    char path[4096 - 256]; // names of files follow
    struct stat about;
    int reason = 0;

    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the output folder's path is too long: '%.100s...'",
                          folder);
    }
    while (stat(path, &about) != 0) {
        char *const slash = strrchr(path, '/');

        reason = errno;
        if (reason != ENOENT || strcmp(path, "/") == 0) break;
        reason = 0;
        if (slash == path) slash[1] = '\0'; // the root folder itself
        if (slash != NULL && slash != path) *slash = '\0';
        if (slash == NULL) (void)snprintf(path, sizeof path, ".");
    }
    if (reason == 0 && !S_ISDIR(about.st_mode)) reason = ENOTDIR;
    if (reason == 0 && access(path, W_OK | X_OK) != 0) reason = errno;
    if (reason == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write into output folder '%s': '%s': %s", folder,
                      path, strerror(reason));
}

// Root.
static sedge_status make_folder(const char *folder)
{
    char trial[4096];

    SEDGE_TRY(sedge_output_folder_check(folder));
    if (sedge_folder_make(folder) != SEDGE_OK) {
        char reason[1024];

        (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write into output folder '%s': %s", folder,
                          reason);
    }
    (void)snprintf(trial, sizeof trial, "%s/.trial.XXXXXX", folder);
    const int file = mkstemp(trial);
    const bool good = file >= 0 && write(file, "x", 1) == 1;
    const int reason = errno;
    if (file >= 0) {
        (void)close(file);
        (void)unlink(trial);
    }
    if (good) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write into output folder '%s': %s", folder,
                      strerror(reason));
}

// The other ranks must see what the root made: they write into the same files.
static sedge_status see_folder(const sedge_comm *comm, const char *folder)
{
    struct stat about;

    if (stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "rank %d does not see output folder '%s', which rank 0 made: it must lie on "
                      "a file system that all nodes share",
                      sedge_comm_rank(comm), folder);
}

sedge_status sedge_output_folder_make(const sedge_comm *comm, const char *folder)
{
    const bool root = sedge_comm_is_root(comm);

    SEDGE_TRY(sedge_comm_agree(comm, root ? make_folder(folder) : SEDGE_OK));
    return sedge_comm_agree(comm, see_folder(comm, folder));
}

// ---- one run at a time -------------------------------------------------------------------------

// Is the open file still the one at its path? A run that ends removes the file.
static bool is_in_place(int folder, int file)
{
    struct stat about;
    struct stat there;

    return fstat(file, &about) == 0 &&
           fstatat(folder, LOCK_NAME, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           about.st_dev == there.st_dev && about.st_ino == there.st_ino;
}

// Root. A file that a killed run left is reused, unless another user owns it.
static sedge_status take(sedge_folder_lock *lock, const char *folder)
{
    enum { TRIES = 100 };
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

    lock->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < TRIES && lock->folder >= 0; i++) {
        const int file = openat(lock->folder, LOCK_NAME, flags, 0600);
        if (file < 0 && (errno == EACCES || errno == EPERM || errno == ELOOP)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "cannot open '%s/" LOCK_NAME
                              "', which belongs to a run of another user (%s); if that run has "
                              "ended, remove the file, or give this run a folder of its own "
                              "(--output)",
                              folder, strerror(errno));
        }
        if (file < 0) break;
        const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
        const bool is_held = !locked && errno == EWOULDBLOCK;
        if (locked && is_in_place(lock->folder, file)) {
            lock->file = file;
            return SEDGE_OK;
        }
        (void)close(file);
        if (is_held) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "another run writes into output folder '%s'; wait for its end, or "
                              "give this one a folder of its own (--output)",
                              folder);
        }
        if (!locked) break;
    }
    return SEDGE_OK; // a file system without locks
}

sedge_status sedge_output_folder_lock(sedge_folder_lock **out, const sedge_comm *comm,
                                      const char *folder)
{
    sedge_status status;
    sedge_folder_lock *lock = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_output_folder_make(comm, folder));
    status = sedge_allocate(&lock, 1, sizeof *lock);
    if (status == SEDGE_OK) {
        lock->folder = -1;
        lock->file = -1;
        if (sedge_comm_is_root(comm)) status = take(lock, folder);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = lock;
    lock = NULL;
done:
    sedge_output_folder_unlock(lock);
    return status;
}

void sedge_output_folder_unlock(sedge_folder_lock *lock)
{
    if (lock == NULL) return;
    if (lock->file >= 0) { // removed while it is locked, so that no other run has locked it
        if (is_in_place(lock->folder, lock->file)) (void)unlinkat(lock->folder, LOCK_NAME, 0);
        (void)close(lock->file);
    }
    if (lock->folder >= 0) (void)close(lock->folder);
    sedge_release(lock);
}
