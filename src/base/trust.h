// Trust: who else could put something into the place of a file whose content will be run.
//
// A path is followed one component at a time, links included. A folder on the way is trusted if
// both of these hold:
//   - Its owner is root, this user, or someone who could replace this program itself (an owner of
//     the folders above it).
//   - Nobody else may write to it. Modes and access lists count. Write access for a group is
//     allowed if this user is its only member and it is nobody else's primary group. A sticky
//     folder (/tmp) may be writable for all, because files of other users in it are not trusted.
// Modes do not matter below a folder of this user that others cannot enter. The file that was
// checked is the file that is opened. A relative path begins at the working directory, which the
// process holds open: nobody can replace it.
#pragma once

#include "error.h"

#include <stddef.h>

// The folder in which `path` lies, open, to be closed by the caller; `name` gets the last part of
// the path, which may be missing, or a link. SEDGE_ERR_USAGE, with folder and reason, where a
// folder on the way is missing or not trusted.
#define SEDGE_TRUST_NAME 256
SEDGE_MUST_USE
sedge_status sedge_trust_parent(int *folder, char name[SEDGE_TRUST_NAME], const char *path);

// Open a regular file for reading, by a trusted way; it must itself be of a trusted owner, and no
// others may write to it. `*file` -1 and SEDGE_OK: there is none.
SEDGE_MUST_USE
sedge_status sedge_trust_open(int *file, const char *path);

// The folder for temporary files: TMPDIR where that is an absolute path, else /tmp. As they may
// hold code that will be run, the folder must be trusted; SEDGE_ERR_USAGE with the reason
// otherwise.
SEDGE_MUST_USE
sedge_status sedge_trust_temporary(const char **folder);

// May a program or library that the environment names be run? Its owner is the user's choice, as in
// PATH, but not everybody may be able to write to it or on the way to it. SEDGE_ERR_USAGE
// otherwise; a missing one passes.
SEDGE_MUST_USE
sedge_status sedge_trust_program(const char *path);

// Of `list`, folders between colons as in PATH, those in which not everybody may make files, in
// their order; relative ones, those that are missing, and what does not fit are left out, too. ""
// if none is left.
void sedge_trust_search(char *out, size_t size, const char *list);
