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

// Open the folder, make it (mode 0700) and its parents if need be. Refused: a link, a folder of
// another user, one that group or others may write to, one by a way that is not trusted
// (base/trust.h). SEDGE_ERR_USAGE with the reason.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_open(int *directory, const char *path);

// Open a site folder, which is only read: it must be there, may belong to root or to this user, and
// group and others may not write to it. No link either; the way to it must be trusted.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_open_site(int *directory, const char *path);

// Read a file, with a NUL added at its end; release it with sedge_release. NULL when there is none,
// or it is no regular file of this user (in a site folder: or of root) that only its owner may
// write. Fails only if memory runs out.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_read(int directory, const char *name, char **out, size_t *length);
SEDGE_MUST_USE
sedge_status sedge_cache_folder_read_site(int directory, const char *name, char **out,
                                          size_t *length);

// Write to a private temporary file, flush, rename to `name`. `folder` is for the message.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_write(int directory, const char *folder, const char *name,
                                      const void *bytes, size_t length);

// Best effort, silent: renew a file's time / remove it / remove the longest unused entries until
// all together have at most `bytes_max` bytes (`keep` is not removed), and temporary files older
// than an hour.
void sedge_cache_folder_touch(int directory, const char *name);
void sedge_cache_folder_remove(int directory, const char *name);
void sedge_cache_folder_shrink(int directory, int64_t bytes_max, const char *keep);

// All entries, longest unused first; release `*files` with sedge_release.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_scan(int directory, sedge_cache_file **files, int *count);

// Remove all entries (counted) and temporary files.
SEDGE_MUST_USE
sedge_status sedge_cache_folder_clear(int directory, const char *folder, int64_t *removed);
