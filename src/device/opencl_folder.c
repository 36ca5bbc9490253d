#define _GNU_SOURCE // nftw, O_DIRECTORY, getentropy, setenv
#include "device/opencl_folder.h"

#include "base/trust.h"
#include "device/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "sedge-opencl-"

// Of this process, by nature.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char path[PATH_MAX]; // "": the user has chosen another
    pid_t owner;         // a forked child needs its own
    int users;           // open devices
    int lock;            // the open folder, locked, while there are users
} folder = {.lock = -1};

// ---- its name -----------------------------------------------------------------------------------

static bool is_free(const char *variable)
{
    const char *const value = getenv(variable);

    return value == NULL || (folder.path[0] != '\0' && strcmp(value, folder.path) == 0);
}

void sedge_opencl_choose_folder(void)
{
    const char *const temporary = getenv("TMPDIR");
    const char *const parent = temporary != NULL && temporary[0] == '/' ? temporary : "/tmp";
    uint64_t number = 0;

    (void)pthread_mutex_lock(&guard);
    if (folder.owner != getpid()) {
        folder.owner = getpid();
        folder.users = 0;
        if (folder.lock >= 0) (void)close(folder.lock); // a parent's
        folder.lock = -1;
        const bool is_ours = is_free("POCL_CACHE_DIR");
        // Nobody can make a folder of this name first.
        const bool is_random = getentropy(&number, sizeof number) == 0;
        const int length = snprintf(folder.path, sizeof folder.path, "%s/" PREFIX "%016llx", parent,
                                    (unsigned long long)number);
        if (!is_ours || !is_random || length >= (int)sizeof folder.path) folder.path[0] = '\0';
    }
    (void)pthread_mutex_unlock(&guard);
}

const char *sedge_opencl_folder_path(void)
{
    return folder.path;
}

// ---- the folder --------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

// Open and lock the folder at `path`; -1 if that is not possible. It must be a folder of this user
// that nobody else can enter. `*used`: another process has the lock.
static int lock_folder(const char *path, bool *used)
{
    struct stat about;
    struct stat there;
    const int opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    *used = false;
    if (opened < 0) return -1;
    if (fstat(opened, &about) == 0 && about.st_uid == geteuid() &&
        (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) {
        const bool locked = flock(opened, LOCK_EX | LOCK_NB) == 0;
        *used = !locked && errno == EWOULDBLOCK;
        // Another one at this place: it was removed in between, by one who had the lock.
        if (locked && lstat(path, &there) == 0 && there.st_dev == about.st_dev &&
            there.st_ino == about.st_ino)
            return opened;
    }
    (void)close(opened);
    return -1;
}

// Remove a folder that no process holds; false: one does.
static bool remove_unused(const char *path)
{
    enum { FILES = 16 }; // open at once
    bool used;
    const int lock = lock_folder(path, &used);

    if (lock < 0) return !used;
    (void)nftw(path, remove_one, FILES, FTW_DEPTH | FTW_PHYS);
    (void)close(lock);
    return true;
}

// Remove the folders that killed processes left beside this one's folder.
static void sweep(void)
{
    const char *const slash = strrchr(folder.path, '/');
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%.*s", (int)(slash - folder.path), folder.path);
    DIR *const parent = opendir(path);
    if (parent == NULL) return;
    for (const struct dirent *entry = readdir(parent); entry != NULL; entry = readdir(parent)) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0) continue;
        const int length = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - folder.path),
                                    folder.path, entry->d_name);
        if (length < (int)sizeof path && strcmp(path, folder.path) != 0) (void)remove_unused(path);
    }
    (void)closedir(parent);
}

// The folder will hold code that is executed: nobody else may write into it. Until it is locked
// here another process that sweeps may have the lock, for as long as it takes to remove the folder.
static sedge_status make_folder(void)
{
    enum { TRIES = 10000 };
    static const struct timespec pause = {.tv_nsec = 1000000};
    const char *temporary;
    bool used;
    int reason = 0;

    SEDGE_TRY(sedge_trust_temporary(&temporary));
    for (int i = 0; i < TRIES && folder.lock < 0; i++) {
        reason = mkdir(folder.path, 0700) != 0 ? errno : 0;
        if (reason != 0 && reason != EEXIST) break;
        folder.lock = lock_folder(folder.path, &used);
        if (folder.lock < 0) (void)nanosleep(&pause, NULL);
    }
    if (folder.lock >= 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot use the temporary folder '%s': %s", folder.path,
                      strerror(reason != 0 ? reason : EACCES));
}

sedge_status sedge_opencl_folder_enter(void)
{
    sedge_status status = SEDGE_OK;

    sedge_opencl_choose_folder();
    (void)pthread_mutex_lock(&guard);
    if (folder.users == 0 && folder.path[0] != '\0') {
        status = make_folder();
        if (status == SEDGE_OK) sweep();
    }
    if (status == SEDGE_OK) folder.users++;
    (void)pthread_mutex_unlock(&guard);
    return status;
}

void sedge_opencl_folder_leave(void)
{
    (void)pthread_mutex_lock(&guard);
    if (--folder.users == 0 && folder.lock >= 0) {
        (void)close(folder.lock);
        folder.lock = -1;
        (void)remove_unused(folder.path);
    }
    (void)pthread_mutex_unlock(&guard);
}

bool sedge_opencl_folder_remove(void)
{
    return folder.path[0] == '\0' || remove_unused(folder.path);
}
