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

// The same, and hold it against other runs, of this or, where the file system carries locks to
// them, other machines; without locks nothing is held. The lock is on a hidden file in the folder
// that only this user can open: others, who may be able to read the folder, cannot hold it. A
// process that ends, however, holds nothing any more; a killed one leaves the file, which means
// nothing. Collective. SEDGE_ERR_USAGE, also where another run holds it.
SEDGE_MUST_USE
sedge_status sedge_hold_create(sedge_hold **out, const sedge_comm *comm, const char *folder);
void sedge_hold_free(sedge_hold *hold);
