// One run at a time in an output folder: two would write into each other's files.
#pragma once

#include "base/error.h"
#include "par/comm.h"

typedef struct sedge_hold sedge_hold;

// Make the folder where it is missing and hold it against other runs, of this or, where the file
// system carries locks to them, other machines; without locks nothing is held. A process that ends,
// however, holds nothing any more, and no file stays behind. Collective. SEDGE_ERR_USAGE: the
// folder cannot be made, or another run holds it.
SEDGE_MUST_USE
sedge_status sedge_hold_create(sedge_hold **out, const sedge_comm *comm, const char *folder);
void sedge_hold_free(sedge_hold *hold);
