#define _DEFAULT_SOURCE // PATH_MAX, getrandom
#include "cache/folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_START "tmp-"

enum {
    TEMPORARY_SECONDS = 3600,  // older ones were left by processes that died
    ENTRY_BYTES_MAX = 1 << 30, // anything larger is none of ours
};

// ---- opening -----------------------------------------------------------------------------------

static sedge_status make_folder(const char *path)
{
    char parent[PATH_MAX];

    if (snprintf(parent, sizeof parent, "%s", path) >= (int)sizeof parent)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the cache folder's path is too long");
    char *const slash = strrchr(parent, '/');
    if (slash != NULL && slash > parent) {
        *slash = '\0';
        SEDGE_TRY(sedge_folder_make(parent));
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot make the cache folder '%s': %s", path,
                          strerror(errno));
    }
    return SEDGE_OK;
}

// Code that will be run comes from this user, or from root where that is allowed, and from nobody
// else.
static bool is_trusted(const struct stat *about, bool of_root)
{
    return (about->st_uid == geteuid() || (of_root && about->st_uid == 0)) &&
           (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// `what` names the folder in messages: "cache folder".
static sedge_status open_folder(int *directory, const char *path, const char *what, bool of_root)
{
    struct stat about;
    const char *why = NULL;
    char name[SEDGE_TRUST_NAME];
    int parent;

    if (sedge_trust_parent(&parent, name, path) != SEDGE_OK) {
        char reason[1024];
        (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the %s '%s' is not used: %s", what, path, reason);
    }
    const int opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int reason_number = errno;
    (void)close(parent);
    errno = reason_number;
    if (opened < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the %s '%s' is not used: %s", what, path,
                          errno == ELOOP || errno == ENOTDIR ? "it is not a folder, or a link"
                                                             : strerror(errno));
    }
    if (fstat(opened, &about) != 0) {
        why = strerror(errno);
    } else if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        why = "others may write to it (chmod go-w makes it usable)";
    } else if (!is_trusted(&about, of_root)) {
        why =
            of_root ? "it belongs neither to root nor to this user" : "it belongs to another user";
    }
    if (why != NULL) {
        (void)close(opened);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the %s '%s' is not used: %s", what, path, why);
    }
    *directory = opened;
    return SEDGE_OK;
}

sedge_status sedge_cache_folder_open(int *directory, const char *path)
{
    struct stat about;

    *directory = -1;
    if (lstat(path, &about) != 0) SEDGE_TRY(make_folder(path));
    return open_folder(directory, path, "cache folder", false);
}

sedge_status sedge_cache_folder_open_site(int *directory, const char *path)
{
    *directory = -1;
    return open_folder(directory, path, "site cache folder", true);
}

// ---- one file ----------------------------------------------------------------------------------

static sedge_status read_file(int directory, const char *name, bool of_root, char **out,
                              size_t *length)
{
    sedge_status status = SEDGE_OK;
    struct stat about;
    char *bytes = NULL;
    size_t got = 0;

    *out = NULL;
    *length = 0;
    const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return SEDGE_OK;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !is_trusted(&about, of_root) ||
        about.st_size > ENTRY_BYTES_MAX)
        goto done;
    SEDGE_TRY_GOTO(status, sedge_allocate(&bytes, (int64_t)about.st_size + 1, 1));
    while (got < (size_t)about.st_size) {
        const ssize_t part = read(file, bytes + got, (size_t)about.st_size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        got += (size_t)part;
    }
    *out = bytes; // a short read is found by the entry's own check
    *length = got;
    bytes = NULL;
done:
    sedge_release(bytes);
    (void)close(file);
    return status;
}

sedge_status sedge_cache_folder_read(int directory, const char *name, char **out, size_t *length)
{
    return read_file(directory, name, false, out, length);
}

sedge_status sedge_cache_folder_read_site(int directory, const char *name, char **out,
                                          size_t *length)
{
    return read_file(directory, name, true, out, length);
}

sedge_status sedge_cache_folder_write(int directory, const char *folder, const char *name,
                                      const void *bytes, size_t length)
{
    uint64_t random = 0;
    char temporary[64];

    (void)!getrandom(&random, sizeof random, 0); // a clash is found by O_EXCL
    (void)snprintf(temporary, sizeof temporary, TEMPORARY_START "%ld-%016llx", (long)getpid(),
                   (unsigned long long)random);
    const int file =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write to the cache folder '%s': %s", folder,
                          strerror(errno));
    }
    bool good = sedge_file_write_all(file, bytes, length) && fsync(file) == 0;
    int reason = errno;
    if (close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && renameat(directory, temporary, directory, name) != 0) {
        good = false;
        reason = errno;
    }
    if (good) return SEDGE_OK;
    (void)unlinkat(directory, temporary, 0);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write to the cache folder '%s': %s", folder,
                      strerror(reason));
}

int sedge_cache_folder_open_locks(int directory)
{
    struct stat about;
    const int file =
        openat(directory, ".locks", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    if (file < 0) return -1;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) return file;
    (void)close(file);
    return -1;
}

void sedge_cache_folder_touch(int directory, const char *name)
{
    (void)utimensat(directory, name, NULL, AT_SYMLINK_NOFOLLOW);
}

void sedge_cache_folder_remove(int directory, const char *name)
{
    (void)unlinkat(directory, name, 0);
}

// ---- all files ---------------------------------------------------------------------------------

static bool is_entry(const char *name)
{
    const size_t length = strlen(name);
    const size_t ending = strlen(SEDGE_ENTRY_ENDING);

    return length > ending && length < SEDGE_ENTRY_NAME_MAX &&
           strcmp(name + length - ending, SEDGE_ENTRY_ENDING) == 0;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, TEMPORARY_START, strlen(TEMPORARY_START)) == 0;
}

// The folder's own position is shared by all readers of the descriptor: read through a new one.
static DIR *open_list(int directory)
{
    const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const list = again >= 0 ? fdopendir(again) : NULL;

    if (list == NULL && again >= 0) (void)close(again);
    return list;
}

static int compare_age(const void *left, const void *right)
{
    const sedge_cache_file *const a = left;
    const sedge_cache_file *const b = right;

    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    if (a->nanoseconds != b->nanoseconds) return a->nanoseconds < b->nanoseconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

static sedge_status append_file(sedge_cache_file **files, int *count, int *room, const char *name,
                                const struct stat *about)
{
    if (*count == *room) {
        sedge_cache_file *grown = NULL;
        const int more = *room > 0 ? 2 * *room : 64;
        SEDGE_TRY(sedge_allocate(&grown, more, sizeof *grown));
        if (*count > 0) memcpy(grown, *files, (size_t)*count * sizeof *grown);
        sedge_release(*files);
        *files = grown;
        *room = more;
    }
    sedge_cache_file *const file = &(*files)[(*count)++];
    memcpy(file->name, name, strlen(name) + 1); // is_entry: it fits
    file->bytes = about->st_size;
    file->seconds = about->st_mtim.tv_sec;
    file->nanoseconds = about->st_mtim.tv_nsec;
    return SEDGE_OK;
}

sedge_status sedge_cache_folder_scan(int directory, sedge_cache_file **files, int *count)
{
    sedge_status status = SEDGE_OK;
    DIR *const list = open_list(directory);
    int room = 0;

    *files = NULL;
    *count = 0;
    if (list == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot list the cache folder: %s", strerror(errno));
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat about;
        if (!is_entry(entry->d_name) ||
            fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        SEDGE_TRY_GOTO(status, append_file(files, count, &room, entry->d_name, &about));
    }
    if (*count > 0) qsort(*files, (size_t)*count, sizeof **files, compare_age);
done:
    (void)closedir(list);
    if (status != SEDGE_OK) {
        sedge_release(*files);
        *files = NULL;
        *count = 0;
    }
    return status;
}

static void remove_temporaries(int directory, int64_t older_than)
{
    DIR *const list = open_list(directory);

    if (list == NULL) return;
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat about;
        if (is_temporary(entry->d_name) &&
            fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            about.st_mtim.tv_sec <= older_than)
            (void)unlinkat(directory, entry->d_name, 0);
    }
    (void)closedir(list);
}

void sedge_cache_folder_shrink(int directory, int64_t bytes_max, const char *keep)
{
    sedge_cache_file *files = NULL;
    int count = 0;
    int64_t bytes = 0;

    remove_temporaries(directory, time(NULL) - TEMPORARY_SECONDS);
    if (sedge_cache_folder_scan(directory, &files, &count) != SEDGE_OK) {
        sedge_error_clear();
        return;
    }
    for (int i = 0; i < count; i++) bytes += files[i].bytes;
    for (int i = 0; i < count && bytes > bytes_max; i++) {
        if (strcmp(files[i].name, keep) == 0) continue;
        (void)unlinkat(directory, files[i].name, 0);
        bytes -= files[i].bytes;
    }
    sedge_release(files);
}

sedge_status sedge_cache_folder_clear(int directory, const char *folder, int64_t *removed)
{
    sedge_status status;
    sedge_cache_file *files = NULL;
    int count = 0;

    *removed = 0;
    SEDGE_TRY_GOTO(status, sedge_cache_folder_scan(directory, &files, &count));
    for (int i = 0; i < count; i++) {
        if (unlinkat(directory, files[i].name, 0) == 0) {
            (*removed)++;
        } else if (errno != ENOENT) { // another process may have been faster
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot remove '%s/%s': %s", folder, files[i].name,
                                strerror(errno));
            goto done;
        }
    }
    remove_temporaries(directory, INT64_MAX);
done:
    sedge_release(files);
    return status;
}
