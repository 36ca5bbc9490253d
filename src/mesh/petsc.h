// PETSc for this layer: it is started when first needed, prints nothing, and its errors become
// messages.
#pragma once

#include "base/error.h"

// Initialise PETSc on the MPI world, without its signal handlers and rc files, once. It is not
// finalised: MPI belongs to sedge_comm. Collective.
SEDGE_MUST_USE
sedge_status sedge_petsc_start(void);

// The status of a PETSc call that returned `code`: on failure SEDGE_ERR_DATA with "what: PETSc's
// message" (SEDGE_ERR_MEMORY where memory is short).
SEDGE_MUST_USE
sedge_status sedge_petsc_check(int code, const char *what);
