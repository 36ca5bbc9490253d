#define _DEFAULT_SOURCE
#include "file.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// NULL: a regular file.
static const char *odd_kind(mode_t mode)
{
    if (S_ISREG(mode)) return NULL;
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

static sedge_status check_kind(const struct stat *about, const char *path, sedge_status failure)
{
    const char *const kind = odd_kind(about->st_mode);

    if (kind == NULL) return SEDGE_OK;
    return SEDGE_FAIL(failure, "'%s' is %s, not a regular file%s", path, kind,
                      S_ISDIR(about->st_mode) ? ""
                                              : ": as it may be read more than once, write what it "
                                                "gives into one first");
}

sedge_status sedge_file_check(const char *path, sedge_status failure)
{
    struct stat about;

    return stat(path, &about) == 0 ? check_kind(&about, path, failure) : SEDGE_OK;
}

sedge_status sedge_file_read(char **out, size_t *length, const char *path, sedge_status failure)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not keep us

    *out = NULL;
    *length = 0;
    if (file < 0) return SEDGE_FAIL(failure, "cannot open '%s': %s", path, strerror(errno));
    return sedge_file_take(out, length, file, path, failure);
}

sedge_status sedge_file_take(char **out, size_t *length, int file, const char *path,
                             sedge_status failure)
{
    sedge_status status = SEDGE_OK;
    char *bytes = NULL;
    struct stat about;
    size_t got = 0;

    *out = NULL;
    *length = 0;
    if (fstat(file, &about) != 0) {
        status = SEDGE_FAIL(failure, "cannot read '%s': %s", path, strerror(errno));
        goto done;
    }
    SEDGE_TRY_GOTO(status, check_kind(&about, path, failure));
    SEDGE_TRY_GOTO(status, sedge_allocate(&bytes, (int64_t)about.st_size + 1, 1));
    while (got < (size_t)about.st_size) {
        const ssize_t part = read(file, bytes + got, (size_t)about.st_size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) {
            status = SEDGE_FAIL(failure, "cannot read '%s': %s", path,
                                part < 0 ? strerror(errno) : "it became shorter");
            goto done;
        }
        got += (size_t)part;
    }
    *out = bytes;
    *length = got;
    bytes = NULL;
done:
    sedge_release(bytes);
    (void)close(file);
    return status;
}

bool sedge_file_write_all(int file, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        const ssize_t written = write(file, at, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        length -= (size_t)written;
    }
    return true;
}

sedge_status sedge_file_temporary(char temporary[SEDGE_PATH_BYTES], const char *path)
{
    uint64_t random = 0;

    (void)!getrandom(&random, sizeof random, 0); // a clash is found by O_EXCL
    if (snprintf(temporary, SEDGE_PATH_BYTES, "%s.tmp.%016llx", path, (unsigned long long)random) <
        SEDGE_PATH_BYTES)
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "path too long: '%s'", path);
}

sedge_status sedge_file_write(const char *path, const void *bytes, size_t length)
{
    char temporary[SEDGE_PATH_BYTES];

    SEDGE_TRY(sedge_file_temporary(temporary, path));
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    const bool written = sedge_file_write_all(file, bytes, length) && fsync(file) == 0;
    const int reason = errno;
    const bool closed = close(file) == 0;

    if (written && closed && rename(temporary, path) == 0) return SEDGE_OK;
    (void)unlink(temporary);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path,
                      strerror(written ? errno : reason));
}

// The folder that `path` lies in, as text for the system's calls.
static sedge_status find_folder(char folder[PATH_MAX], const char *path)
{
    if (snprintf(folder, PATH_MAX, "%s", path) >= PATH_MAX)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "path too long: '%s'", path);
    char *const slash = strrchr(folder, '/');
    if (slash != NULL) slash[slash == folder ? 1 : 0] = '\0';
    if (slash == NULL) (void)snprintf(folder, PATH_MAX, ".");
    return SEDGE_OK;
}

sedge_status sedge_file_try(const char *path)
{
    char folder[PATH_MAX];
    struct stat about;

    SEDGE_TRY(find_folder(folder, path));
    if (path[0] == '\0') return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '': it is no name");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path,
                          S_ISDIR(about.st_mode) ? strerror(EISDIR) : "not a regular file");
    }
    if (access(folder, W_OK | X_OK) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
}

bool sedge_file_is_same(const char *path, const char *other)
{
    char folders[2][PATH_MAX];
    const char *const slash = strrchr(path, '/');
    const char *const other_slash = strrchr(other, '/');
    struct stat about[2];

    if (stat(path, &about[0]) != 0 || stat(other, &about[1]) != 0) { // the same name to be?
        if (strcmp(slash != NULL ? slash + 1 : path,
                   other_slash != NULL ? other_slash + 1 : other) != 0 ||
            find_folder(folders[0], path) != SEDGE_OK ||
            find_folder(folders[1], other) != SEDGE_OK || stat(folders[0], &about[0]) != 0 ||
            stat(folders[1], &about[1]) != 0)
            return false;
    }
    return about[0].st_dev == about[1].st_dev && about[0].st_ino == about[1].st_ino;
}

sedge_status sedge_file_sync(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool good = file >= 0 && fsync(file) == 0;
    const int reason = errno;

    if (file >= 0) (void)close(file);
    if (good) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(reason));
}

sedge_status sedge_file_publish(const char *temporary, const char *path)
{
    char folder[PATH_MAX];

    SEDGE_TRY(find_folder(folder, path));
    SEDGE_TRY(sedge_file_sync(temporary));
    if (rename(temporary, path) != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    return sedge_file_sync(folder);
}

sedge_status sedge_folder_make(const char *path)
{
    char part[PATH_MAX];

    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "path too long: '%s'", path);
    for (char *at = part + 1; *at != '\0'; at++) {
        if (*at != '/') continue;
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot make folder '%s': %s", part,
                              strerror(errno));
        }
        *at = '/';
    }
    struct stat about;
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot make folder '%s': %s", part, strerror(errno));
    if (stat(part, &about) != 0 || !S_ISDIR(about.st_mode))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' is not a folder", part);
    return SEDGE_OK;
}

double sedge_clock(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Field 22 of /proc/self/stat: the start, in ticks since the machine's. The second field, a name in
// brackets, may hold anything. False: none.
static bool read_start(double *seconds)
{
    char text[1024];
    FILE *const file = fopen("/proc/self/stat", "re");

    if (file == NULL) return false;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
    const long ticks = sysconf(_SC_CLK_TCK);
    if (at == NULL || ticks <= 0) return false;
    *seconds = strtod(at, NULL) / (double)ticks;
    return *seconds > 0.0;
}

double sedge_clock_of_start(void)
{
    struct timespec now;
    double start;

    if (!read_start(&start) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return sedge_clock();
    const double age = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - start;
    return sedge_clock() - (age > 0.0 ? age : 0.0);
}
