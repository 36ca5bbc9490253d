// The output folder: may files be written there, and one run at a time in it: two would write into
// each other's files.
#pragma once

#include "base/error.h"
#include "par/comm.h"

typedef struct sedge_hold sedge_hold;

// Could a run write into `folder`? Makes nothing: looks at the nearest folder above it that exists.
// SEDGE_ERR_USAGE names the place and the reason. Not collective.
SEDGE_MUST_USE
sedge_status sedge_hold_try(const char *folder);

// Make `folder` where it is missing, write a byte into it that is taken away again, and let all
// ranks look whether they see it. Collective. SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_hold_reach(const sedge_comm *comm, const char *folder);

// The same, and lock the folder against other runs on this machine, and on other machines if the
// file system shares locks between them. On a file system without locks nothing is locked. The lock
// is on a hidden file in the folder. Only this user can open that file: other users, who may be
// able to read the folder, cannot lock it. The lock ends with the process, however it ends; a file
// that a killed process leaves has no effect. Collective. SEDGE_ERR_USAGE, also if another run has
// locked the folder.
SEDGE_MUST_USE
sedge_status sedge_hold_create(sedge_hold **out, const sedge_comm *comm, const char *folder);
void sedge_hold_free(sedge_hold *hold);
