#include "petsc.h"

#include <petscsys.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char petsc_message[1024]; // of the innermost failure since the last check

// PETSc calls this at every level of its stack; the first call carries the message.
static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType type, const char *message,
                                   void *context)
{
    (void)comm, (void)line, (void)function, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL && message != NULL) {
        (void)snprintf(petsc_message, sizeof petsc_message, "%s", message);
        petsc_message[strcspn(petsc_message, "\n")] = '\0';
    }
    return code;
}

sedge_status sedge_petsc_start(void)
{
    // PETSc keeps the pointers.
    static char name[] = "sedge", no_signals[] = "-no_signal_handler", no_rc[] = "-skip_petscrc";
    static char *words[] = {name, no_signals, no_rc, NULL};
    static bool started = false;
    char **argv = words;
    int argc = 3;
    PetscBool others = PETSC_FALSE;

    if (started) return SEDGE_OK;
    (void)PetscInitialized(&others);
    if (!others && PetscInitialize(&argc, &argv, NULL, NULL) != 0)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "PETSc does not start");
    started = true;
    SEDGE_TRY(sedge_petsc_check((int)PetscPushErrorHandler(keep_message, NULL), "PETSc"));
    return SEDGE_OK;
}

sedge_status sedge_petsc_check(int code, const char *what)
{
    if (code == 0) return SEDGE_OK;
    const sedge_status status = code == PETSC_ERR_MEM ? SEDGE_ERR_MEMORY : SEDGE_ERR_DATA;
    (void)SEDGE_FAIL(status, "%s: PETSc says: %s (error %d)", what,
                     petsc_message[0] != '\0' ? petsc_message : "no reason", code);
    petsc_message[0] = '\0';
    return status;
}
