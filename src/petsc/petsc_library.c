#define _GNU_SOURCE // RTLD_DEFAULT
#include "petsc/petsc_library.h"

#include "base/openmp.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char petsc_message[1024]; // of the innermost failure since the last check

// Of this process, as PETSc's own state is.
static struct {
    sedge_petsc petsc;
    MPI_Comm *world; // PETSC_COMM_WORLD
    bool is_loaded;
    bool is_ours;    // the first enter has started PETSc
    MPI_Comm before; // PETSC_COMM_WORLD then
    int users;
} library;

// ---- loading -----------------------------------------------------------------------------------

static sedge_status load_library(void)
{
    // The file that CMake found, or, where a program has been moved, one of that name and version.
    static const char *const names[] = {SEDGE_PETSC_LIBRARY, SEDGE_PETSC_SONAME};
    const char *missing = NULL;
    void *handle = NULL;

    if (library.is_loaded) return SEDGE_OK;
    sedge_openmp_load(); // PETSc's libraries load OpenMP
    for (int i = 0; i < 2 && handle == NULL; i++) handle = dlopen(names[i], RTLD_LAZY);
    if (handle == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "PETSc, which partitions meshes and matrices and has AMG, cannot be "
                          "loaded: %s; install it, or use one rank and no AMG",
                          dlerror());
    }
#define FIND(name)                                              \
    {                                                           \
        void *const symbol = dlsym(handle, #name);              \
        memcpy(&library.petsc.name, &symbol, sizeof symbol);    \
        if (symbol == NULL && missing == NULL) missing = #name; \
    }
    SEDGE_PETSC_FUNCTIONS(FIND)
#undef FIND
    // A program that is linked with PETSc may have the variable in its own memory.
    library.world = dlsym(RTLD_DEFAULT, "PETSC_COMM_WORLD");
    if (library.world == NULL) library.world = dlsym(handle, "PETSC_COMM_WORLD");
    if (library.world == NULL) missing = "PETSC_COMM_WORLD";
    if (missing != NULL)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "'%s' has no %s", SEDGE_PETSC_SONAME, missing);
    library.is_loaded = true;
    return SEDGE_OK;
}

// ---- use ---------------------------------------------------------------------------------------

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

static sedge_status start(const sedge_comm *comm)
{
    // PETSc keeps the pointers.
    static char name[] = "sedge", no_signals[] = "-no_signal_handler", no_rc[] = "-skip_petscrc";
    static char *words[] = {name, no_signals, no_rc, NULL};
    char **argv = words;
    int argc = 3;
    PetscBool others = PETSC_FALSE;

    (void)library.petsc.PetscInitialized(&others);
    library.is_ours = !others;
    if (others) return SEDGE_OK;
    library.before = *library.world;
    *library.world = MPI_COMM_SELF;
    if (comm != NULL) sedge_comm_native(comm, library.world);
    if (library.petsc.PetscInitialize(&argc, &argv, NULL, NULL) != 0)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "PETSc does not start");
    return SEDGE_OK;
}

sedge_status sedge_petsc_enter(const sedge_petsc **out, const sedge_comm *comm)
{
    sedge_status status = load_library();

    *out = NULL;
    if (comm != NULL) status = sedge_comm_agree(comm, status);
    SEDGE_TRY(status);
    if (library.users == 0) {
        SEDGE_TRY(start(comm));
        SEDGE_TRY(sedge_petsc_check((int)library.petsc.PetscPushErrorHandler(keep_message, NULL),
                                    "PETSc"));
    }
    library.users++;
    *out = &library.petsc;
    return SEDGE_OK;
}

void sedge_petsc_leave(void)
{
    if (--library.users > 0) return;
    (void)library.petsc.PetscPopErrorHandler();
    if (!library.is_ours) return;
    (void)library.petsc.PetscFinalize();
    *library.world = library.before;
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
