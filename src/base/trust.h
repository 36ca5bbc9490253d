// Trust: checks that no other user could replace a file whose content will be executed.
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

// Open the folder that contains `path`; the caller closes it. `name` gets the last component of the
// path, which may be missing or a link. SEDGE_ERR_USAGE, with folder and reason, if a folder on the
// way is missing or not trusted.
#define SEDGE_TRUST_NAME 256
SEDGE_MUST_USE
sedge_status sedge_trust_parent(int *folder, char name[SEDGE_TRUST_NAME], const char *path);

// Open a regular file for reading. All folders on the way must be trusted, the file must have a
// trusted owner, and nobody else may write to it. If there is no file, `*file` is -1 and the status
// is SEDGE_OK.
SEDGE_MUST_USE
sedge_status sedge_trust_open(int *file, const char *path);

// The folder for temporary files: TMPDIR if that is an absolute path, else /tmp. Temporary files
// may contain code that will be executed, so the folder must be trusted; SEDGE_ERR_USAGE with the
// reason otherwise.
SEDGE_MUST_USE
sedge_status sedge_trust_temporary(const char **folder);

// Check a program or library that the environment names. Any owner is accepted, as for programs in
// PATH, but neither the file nor a folder on the way may be writable for everybody; SEDGE_ERR_USAGE
// otherwise. A missing file passes.
SEDGE_MUST_USE
sedge_status sedge_trust_program(const char *path);

// Filter `list`, folders separated by colons as in PATH. Left out are folders in which everybody
// may create files, relative and missing folders, and folders that do not fit into `out`. The order
// is kept; the result may be "".
void sedge_trust_search(char *out, size_t size, const char *list);
