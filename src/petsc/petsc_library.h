// PETSc, loaded when it is first needed. It brings some sixty shared libraries, which take more
// time to load than the rest of a process's start, and most processes never call it.
//
// Each use lies between an enter and a leave. Enter starts PETSc unless the program has done so,
// and the last leave ends it again: before and after, PETSc is as the program left it. PETSc prints
// nothing here, and its errors become messages. It is used on the thread that initialised MPI.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <petscksp.h>
#include <petscpartitioner.h>

// The functions that are used, by PETSc's names and types.
#define SEDGE_PETSC_FUNCTIONS(FIND) \
    FIND(ISDestroy)                 \
    FIND(ISGetIndices)              \
    FIND(ISRestoreIndices)          \
    FIND(MatCreateMPIAIJWithArrays) \
    FIND(MatDestroy)                \
    FIND(MatMult)                   \
    FIND(MatSetOption)              \
    FIND(PCApply)                   \
    FIND(PCCreate)                  \
    FIND(PCDestroy)                 \
    FIND(PCMGGetGridComplexity)     \
    FIND(PCMGGetLevels)             \
    FIND(PCSetErrorIfFailure)       \
    FIND(PCSetOperators)            \
    FIND(PCSetType)                 \
    FIND(PCSetUp)                   \
    FIND(PetscFinalize)             \
    FIND(PetscInitialize)           \
    FIND(PetscInitialized)          \
    FIND(PetscOptionsSetValue)      \
    FIND(PetscPartitionerCreate)    \
    FIND(PetscPartitionerDestroy)   \
    FIND(PetscPartitionerPartition) \
    FIND(PetscPartitionerSetType)   \
    FIND(PetscPopErrorHandler)      \
    FIND(PetscPushErrorHandler)     \
    FIND(PetscSectionCreate)        \
    FIND(PetscSectionDestroy)       \
    FIND(PetscSectionGetDof)        \
    FIND(PetscSectionSetChart)      \
    FIND(PetscSectionSetUp)         \
    FIND(VecCreateMPIWithArray)     \
    FIND(VecDestroy)                \
    FIND(VecPlaceArray)             \
    FIND(VecResetArray)

typedef struct sedge_petsc {
#define SEDGE_PETSC_MEMBER(name) __typeof__(&name) name;
    SEDGE_PETSC_FUNCTIONS(SEDGE_PETSC_MEMBER)
#undef SEDGE_PETSC_MEMBER
} sedge_petsc;

// Load PETSc and start it on the ranks of `comm` (NULL: this process alone), without its signal
// handlers and rc files; within another enter, or if the program uses PETSc, as it is already. (All
// ranks of `comm` do, also if one of them calls PETSc alone: its later starts are collective, and
// hang if ranks differ in what they did before.)
// Collective over `comm`. Each successful enter needs a leave, which is collective, too.
// SEDGE_ERR_DEVICE: the library cannot be loaded, or does not start.
SEDGE_MUST_USE
sedge_status sedge_petsc_enter(const sedge_petsc **out, const sedge_comm *comm);
void sedge_petsc_leave(void);

// The status of a PETSc call that returned `code`: on failure SEDGE_ERR_DATA with "what: PETSc's
// message" (SEDGE_ERR_MEMORY where memory is short).
SEDGE_MUST_USE
sedge_status sedge_petsc_check(int code, const char *what);
