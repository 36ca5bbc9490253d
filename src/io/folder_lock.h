// The output folder: whether files can be written there, and a lock on it, so that two runs at once
// do not write into each other's files.
#pragma once

#include "base/error.h"
#include "par/comm.h"

typedef struct sedge_folder_lock sedge_folder_lock;

// Check that a run could write into `folder`, without creating anything: if the folder does not
// exist, the nearest existing folder above it is checked. SEDGE_ERR_USAGE names the place and the
// reason. Not collective.
SEDGE_MUST_USE
sedge_status sedge_output_folder_check(const char *folder);

// Create `folder` if it is missing, write a test file into it, check that all ranks see that file,
// and remove it. Collective. SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_output_folder_make(const sedge_comm *comm, const char *folder);

// The same, and lock the folder against other runs on this machine, and on other machines if the
// file system shares locks between them. On a file system without locks nothing is locked. The lock
// is on a hidden file in the folder. Only this user can open that file: other users, who may be
// able to read the folder, cannot lock it. The lock ends with the process, however it ends; a file
// that a killed process leaves has no effect. Collective. SEDGE_ERR_USAGE, also if another run has
// locked the folder.
SEDGE_MUST_USE
sedge_status sedge_output_folder_lock(sedge_folder_lock **out, const sedge_comm *comm,
                                      const char *folder);
void sedge_output_folder_unlock(sedge_folder_lock *lock);
