// Trust: who else could put something into the place of a file whose content will be run.
//
// A path is followed one component at a time, links included. A folder on the way is trusted if it
// belongs to root, to this user, or to someone who could replace this program itself (an owner of
// the folders above it), and if nobody else may write to it (a group of this user alone, which is
// nobody else's primary group, is no other; access lists count); a sticky folder (/tmp) may be
// written to by all, because what others own in it is not trusted. Below a folder of this user's
// that others cannot enter all is sheltered: modes do not matter any more. What is opened is what
// was checked. A relative path begins at the working directory, which is held open by its process:
// nobody can replace it.
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
