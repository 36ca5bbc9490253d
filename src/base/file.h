// Files: whole-file reads, writes that are complete or absent, folders.
#pragma once

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

// Fail with `status_on_failure` where a pipe, a folder or the like stands at `path`, without
// opening it, which could wait for ever. Of a file that cannot be seen it says nothing: to open it
// does.
SEDGE_MUST_USE
sedge_status sedge_file_check(const char *path, sedge_status status_on_failure);

// Read a whole file. `*out` gets `*length` bytes and a NUL behind them; release with sedge_release.
// A missing or unreadable file fails with `status_on_failure` and names the path and the reason.
SEDGE_MUST_USE
sedge_status sedge_file_read(char **out, size_t *length, const char *path,
                             sedge_status status_on_failure);

// The same of an open file, which is closed in any case; `path` is for messages.
SEDGE_MUST_USE
sedge_status sedge_file_take(char **out, size_t *length, int file, const char *path,
                             sedge_status status_on_failure);

#define SEDGE_PATH_BYTES 4096 // of a path with its NUL

// Make up a random name for a temporary file in the folder of `path`; nobody can guess it and make
// the file first. No file is made. SEDGE_ERR_USAGE: the path is too long.
SEDGE_MUST_USE
sedge_status sedge_file_temporary(char temporary[SEDGE_PATH_BYTES], const char *path);

// Write `length` bytes to a private temporary file beside `path`, flush it to disk, rename it to
// `path`: a reader sees the old file or the whole new one. Its mode is 0666 less umask.
SEDGE_MUST_USE
sedge_status sedge_file_write(const char *path, const void *bytes, size_t length);

// Write `length` bytes into an open file; false, and errno says why: it has a part of them.
SEDGE_MUST_USE
bool sedge_file_write_all(int file, const void *bytes, size_t length);

// Could a file get the name `path` now: is its folder one that can be written to, and is nothing in
// that place but a regular file? To be asked before the work whose result goes there.
// SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_file_try(const char *path);

// True if both paths name the same file; links are followed. Where one of them does not exist yet:
// true if both have the same name in the same folder.
bool sedge_file_is_same(const char *path, const char *other);

// Bring what was written into the file or folder at `path` to the disk. The failure names the path.
SEDGE_MUST_USE
sedge_status sedge_file_sync(const char *path);

// Give the finished file `temporary` the name `path` in the same folder: flushed before, the folder
// flushed after, so that a machine that stops leaves the old file or the whole new one.
SEDGE_MUST_USE
sedge_status sedge_file_publish(const char *temporary, const char *path);

// Make a folder and its parents (mode 0777 less umask); an existing folder is fine.
SEDGE_MUST_USE
sedge_status sedge_folder_make(const char *path);

// Seconds of a monotonic clock.
double sedge_clock(void);

// When this process started, on the same clock, before its libraries were loaded and also where it
// started another program since; to 0.01 s. Now, if the system does not say.
double sedge_clock_of_start(void);
