#include "petsc/scotch.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <string.h>

// Scotch's functions, with objects that it allocates itself. Its integers are PETSc's: is_there
// compares their sizes.
typedef struct scotch {
    int (*SCOTCH_numSizeof)(void);
    void *(*SCOTCH_graphAlloc)(void);
    void *(*SCOTCH_archAlloc)(void);
    void *(*SCOTCH_stratAlloc)(void);
    void (*SCOTCH_memFree)(void *);
    int (*SCOTCH_graphInit)(void *);
    int (*SCOTCH_archInit)(void *);
    int (*SCOTCH_stratInit)(void *);
    void (*SCOTCH_graphExit)(void *);
    void (*SCOTCH_archExit)(void *);
    void (*SCOTCH_stratExit)(void *);
    int (*SCOTCH_graphBuild)(void *graph, PetscInt base, PetscInt vertices, const PetscInt *begin,
                             const PetscInt *end, const PetscInt *loads, const PetscInt *labels,
                             PetscInt edges, const PetscInt *neighbours, const PetscInt *weights);
    int (*SCOTCH_stratGraphMapBuild)(void *strategy, PetscInt flags, PetscInt parts,
                                     double imbalance);
    int (*SCOTCH_archCmplt)(void *target, PetscInt parts);
    int (*SCOTCH_graphMap)(void *graph, const void *target, void *strategy, PetscInt *part);
} scotch;

// Of this process, used by one thread.
static struct {
    scotch call;
    bool is_known; // load() has run: is_there is valid
    bool is_there;
} library;

static bool load(scotch *call)
{
    void *const handle =
        SEDGE_SCOTCH_SONAME[0] != '\0' ? dlopen(SEDGE_SCOTCH_SONAME, RTLD_LAZY) : NULL;

    if (handle == NULL) return false;
#define FIND(name)                                   \
    {                                                \
        void *const symbol = dlsym(handle, #name);   \
        if (symbol == NULL) return false;            \
        memcpy(&call->name, &symbol, sizeof symbol); \
    }
    FIND(SCOTCH_numSizeof)
    FIND(SCOTCH_graphAlloc)
    FIND(SCOTCH_archAlloc)
    FIND(SCOTCH_stratAlloc)
    FIND(SCOTCH_memFree)
    FIND(SCOTCH_graphInit)
    FIND(SCOTCH_archInit)
    FIND(SCOTCH_stratInit)
    FIND(SCOTCH_graphExit)
    FIND(SCOTCH_archExit)
    FIND(SCOTCH_stratExit)
    FIND(SCOTCH_graphBuild)
    FIND(SCOTCH_stratGraphMapBuild)
    FIND(SCOTCH_archCmplt)
    FIND(SCOTCH_graphMap)
#undef FIND
    return call->SCOTCH_numSizeof() == (int)sizeof(PetscInt);
}

bool sedge_scotch_is_there(void)
{
    if (!library.is_known) {
        library.is_there = load(&library.call);
        library.is_known = true;
    }
    return library.is_there;
}

// An object of Scotch, ready for use; NULL: it fails.
static void *make(void *(*allocate)(void), int (*start)(void *))
{
    void *const object = allocate();

    if (object == NULL || start(object) == 0) return object;
    library.call.SCOTCH_memFree(object);
    return NULL;
}

static void end(void *object, void (*finish)(void *))
{
    if (object == NULL) return;
    finish(object);
    library.call.SCOTCH_memFree(object);
}

// With the strategy and the imbalance that PETSc chooses.
static sedge_status map(PetscInt *part, int64_t vertices, const PetscInt *offsets,
                        const PetscInt *neighbours, int parts)
{
    static const double imbalance = 0.01;
    const scotch *const call = &library.call;
    void *const graph = make(call->SCOTCH_graphAlloc, call->SCOTCH_graphInit);
    void *const target = make(call->SCOTCH_archAlloc, call->SCOTCH_archInit);
    void *const strategy = make(call->SCOTCH_stratAlloc, call->SCOTCH_stratInit);
    const bool done =
        graph != NULL && target != NULL && strategy != NULL &&
        call->SCOTCH_graphBuild(graph, 0, (PetscInt)vertices, offsets, offsets + 1, NULL, NULL,
                                offsets[vertices], neighbours, NULL) == 0 &&
        call->SCOTCH_stratGraphMapBuild(strategy, 0, parts, imbalance) == 0 &&
        call->SCOTCH_archCmplt(target, parts) == 0 &&
        call->SCOTCH_graphMap(graph, target, strategy, part) == 0;

    end(strategy, call->SCOTCH_stratExit);
    end(target, call->SCOTCH_archExit);
    end(graph, call->SCOTCH_graphExit);
    if (done) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "partitioner 'ptscotch': the graph cannot be partitioned");
}

sedge_status sedge_scotch_partition(int32_t *part, int64_t vertices, const PetscInt *offsets,
                                    const PetscInt *neighbours, int parts)
{
    PetscInt *found;

    SEDGE_TRY(sedge_allocate(&found, vertices, sizeof *found));
    const sedge_status status = map(found, vertices, offsets, neighbours, parts);
    for (int64_t v = 0; v < vertices && status == SEDGE_OK; v++) part[v] = (int32_t)found[v];
    sedge_release(found);
    return status;
}
