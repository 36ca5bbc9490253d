// The cache's folder and the files in it. The folder is checked and opened once; files are read,
// written and removed relative to the open folder. So nobody can put another folder in its place
// between the check and the use.
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define SEDGE_ENTRY_ENDING   ".sedge"
#define SEDGE_ENTRY_NAME_MAX 96

typedef struct sedge_cache_file {
    char name[SEDGE_ENTRY_NAME_MAX];
    int64_t bytes;
    int64_t seconds; // of the last use, since 1970
    int64_t nanoseconds;
} sedge_cache_file;

// Open the folder; create it (mode 0700) and its parents if they are missing. Fails with
// SEDGE_ERR_USAGE and the reason if the folder is a symbolic link, belongs to another user, is
// writable by group or others, or has a path that is not trusted (base/trust.h).
SEDGE_MUST_USE
sedge_status sedge_cache_folder_open(int *directory, const char *path);

// Open a site folder, which is only read. It must exist, belong to root or to this user, and not be
// writable by group or others. It must not be a symbolic link, and its path must be trusted.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_open_site(int *directory, const char *path);

// Read a file into `*out`, with a NUL added at its end, to be released with sedge_release. `*out`
// is NULL if there is no such file, or if it is not a regular file that belongs to this user (in a
// site folder: to this user or root) and that only its owner may write. Fails only if memory runs
// out.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_read(int directory, const char *name, char **out, size_t *length);
SEDGE_MUST_USE
sedge_status sedge_cache_folder_read_site(int directory, const char *name, char **out,
                                          size_t *length);

// Write a private temporary file, flush it, and rename it to `name`. `folder` is only used in
// messages.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_write(int directory, const char *folder, const char *name,
                                      const void *bytes, size_t length);

// A file for locks, which is created if it is missing. -1: not possible. The caller closes it.
int sedge_cache_folder_open_locks(int directory);

// These three report no failure. `touch` sets the time of a file's last use to now. `remove`
// removes a file. `shrink` removes the least recently used entries, except `keep`, until all
// entries together have at most `bytes_max` bytes; it also removes temporary files older than an
// hour.
void sedge_cache_folder_touch(int directory, const char *name);
void sedge_cache_folder_remove(int directory, const char *name);
void sedge_cache_folder_shrink(int directory, int64_t bytes_max, const char *keep);

// List all entries, least recently used first; release `*files` with sedge_release.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_scan(int directory, sedge_cache_file **files, int *count);

// Remove all entries (counted) and temporary files.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_clear(int directory, const char *folder, int64_t *removed);
