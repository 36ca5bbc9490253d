// Files: whole-file reads, writes that are complete or absent, folders.
#pragma once

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

// Fail with `status_on_failure` if `path` is a pipe, a folder or another object that is not a
// regular file. The file is not opened, because opening a pipe could wait for ever. If nothing can
// be found at `path`, the check passes; opening the file will report the reason.
SEDGE_MUST_USE
sedge_status sedge_file_check(const char *path, sedge_status status_on_failure);

// Read a whole file. `*out` gets `*length` bytes and a NUL behind them; release with sedge_release.
// A missing or unreadable file fails with `status_on_failure` and names the path and the reason.
SEDGE_MUST_USE
sedge_status sedge_file_read(char **out, size_t *length, const char *path,
                             sedge_status status_on_failure);

// Read a whole file that is already open, and close it in any case. `path` is for messages.
SEDGE_MUST_USE
sedge_status sedge_file_take(char **out, size_t *length, int file, const char *path,
                             sedge_status status_on_failure);

#define SEDGE_PATH_BYTES 4096 // the longest path, with its NUL

// Make up a random name for a temporary file in the folder of `path`; nobody can guess it and make
// the file first. No file is made. SEDGE_ERR_USAGE: the path is too long.
SEDGE_MUST_USE
sedge_status sedge_file_temporary(char temporary[SEDGE_PATH_BYTES], const char *path);

// Write `length` bytes to a private temporary file beside `path`, flush it to disk, rename it to
// `path`: a reader sees the old file or the whole new one. Its mode is 0666 less umask.
SEDGE_MUST_USE
sedge_status sedge_file_write(const char *path, const void *bytes, size_t length);

// Write `length` bytes into an open file. False: only a part was written, and errno says why.
SEDGE_MUST_USE
bool sedge_file_write_all(int file, const void *bytes, size_t length);

// Check that a file could be written at `path`: its folder is writable, and nothing but a regular
// file exists there. Call this before the work whose result will be written there. SEDGE_ERR_USAGE
// otherwise.
SEDGE_MUST_USE
sedge_status sedge_file_try(const char *path);

// True if both paths name the same file; links are followed. If one of the files does not exist
// yet: true if both paths have the same name in the same folder.
bool sedge_file_is_same(const char *path, const char *other);

// Flush the file or folder at `path` to disk (fsync). The message of a failure names the path.
SEDGE_MUST_USE
sedge_status sedge_file_sync(const char *path);

// Rename the finished file `temporary` to `path` in the same folder. The file is flushed before and
// the folder after, so that a crash of the machine leaves either the old file or the whole new one.
SEDGE_MUST_USE
sedge_status sedge_file_publish(const char *temporary, const char *path);

// Make a folder and its parents (mode 0777 less umask); an existing folder is fine.
SEDGE_MUST_USE
sedge_status sedge_folder_make(const char *path);

// Seconds of a monotonic clock.
double sedge_clock(void);

// The time at which this process started, on the clock of sedge_clock, to 0.01 s. Loading libraries
// and a later exec of another program do not change it. If the system does not tell, the present
// time.
double sedge_clock_of_start(void);
