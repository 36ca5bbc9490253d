// A program that has MPI, OpenMP, an environment and signal handlers of its own: after the calls of
// sedge all of it is as before, and sedge's ranks are those of the communicator that it was given.
#include <sedge/solver.h>

#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { SIGNALS = 31, TEXTS = 65536 };

typedef struct surroundings {
    int threads, dynamic, levels;
    char texts[TEXTS];
    void (*handlers[SIGNALS])(int);
} surroundings;

static surroundings before, after;

static void handle(int number)
{
    (void)number;
}

// Also what nobody must leave in the environment, whatever the order of its variables.
static void look(surroundings *out)
{
    size_t length = 0;

    memset(out, 0, sizeof *out);
    out->threads = omp_get_max_threads();
    out->dynamic = omp_get_dynamic();
    out->levels = omp_get_max_active_levels();
    for (char **at = environ; *at != NULL && length < TEXTS; at++)
        length += (size_t)snprintf(out->texts + length, TEXTS - length, "%s\n", *at);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(i + 1, NULL, &action) == 0) out->handlers[i] = action.sa_handler;
    }
}

static int check(const char *what)
{
    look(&after);
    if (memcmp(&before, &after, sizeof before) == 0) return 0;
    fprintf(stderr,
            "%s changed what is not its own: threads %d, %d; dynamic %d, %d; environment\n%s\n%s\n",
            what, before.threads, after.threads, before.dynamic, after.dynamic, before.texts,
            after.texts);
    for (int i = 0; i < SIGNALS; i++)
        if (before.handlers[i] != after.handlers[i])
            fprintf(stderr, "the handler of signal %d is another\n", i + 1);
    return 1;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, sedge_error_message());
    return 1;
}

// Compile and run a kernel on a device.
static int compute(const char *device)
{
    sedge_context *context = NULL;
    sedge_array *x = NULL;
    int failures = 0;

    if (sedge_context_open(&context, device) != SEDGE_OK) return fail(device);
    failures += check("sedge_context_open");
    if (sedge_array_vector(&x, context, SEDGE_FLOAT64, 100000) != SEDGE_OK ||
        sedge_array_range(x, 0.0, 1.0) != SEDGE_OK)
        failures += fail("array");
    failures += check("sedge_array_range");
    sedge_array_free(x);
    sedge_context_free(context);
    return failures + check("sedge_context_free");
}

// Make a mesh on `size` ranks. With two, the default partitioner cuts it, then one that only PETSc
// has.
static int divide(const char *what, const void *mpi_comm, int size)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_comm *comm = NULL;
    sedge_mesh *mesh = NULL;
    int failures = 0;

    if (sedge_comm_create(&comm, mpi_comm) != SEDGE_OK) return fail(what);
    if (sedge_comm_size(comm) != size) {
        fprintf(stderr, "%s: %d ranks, not %d\n", what, sedge_comm_size(comm), size);
        failures++;
    }
    failures += check("sedge_comm_create");
    options.box_cells[0] = options.box_cells[1] = options.box_cells[2] = 3;
    for (int i = 0; i < 2; i++) {
        if (sedge_mesh_create(&mesh, comm, &options) != SEDGE_OK) failures += fail("mesh");
        failures += check("sedge_mesh_create");
        sedge_mesh_free(mesh);
        mesh = NULL;
        options.partitioner = "simple";
    }
    sedge_comm_free(comm);
    return failures + check("sedge_comm_free");
}

// PETSc, which sedge loads for its partitioners, is left as the program has it:
// not started, or started on all ranks. `name` is its file.
static int divide_beside_petsc(const char *name, int size)
{
    void *const petsc = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    int is_started = 1, alike = MPI_UNEQUAL, failures = 0;
    int (*ask)(int *), (*start)(void), (*finish)(void);

    if (petsc == NULL) {
        fprintf(stderr, "no PETSc '%s': %s\n", name, dlerror());
        return 1;
    }
    *(void **)&ask = dlsym(petsc, "PetscInitialized");
    *(void **)&start = dlsym(petsc, "PetscInitializeNoArguments");
    *(void **)&finish = dlsym(petsc, "PetscFinalize");
    ask(&is_started);
    if (is_started || start() != 0) failures += fail("PETSc was left started");
    look(&before); // PETSc's own handlers
    failures += divide("beside PETSc", NULL, size);
    ask(&is_started);
    MPI_Comm_compare(*(MPI_Comm *)dlsym(petsc, "PETSC_COMM_WORLD"), MPI_COMM_WORLD, &alike);
    if (!is_started || alike != MPI_IDENT) failures += fail("the program's PETSc was changed");
    finish();
    return failures;
}

int main(int argc, char **argv)
{
    int rank, size, provided, is_over = 0, failures = 0;
    sedge_comm *comm = NULL;
    MPI_Comm alone, null = MPI_COMM_NULL;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    omp_set_num_threads(3);
    for (int i = 0; i < SIGNALS; i++)
        if (i + 1 == SIGTERM || i + 1 == SIGUSR1 || i + 1 == SIGSEGV || i + 1 == SIGFPE)
            signal(i + 1, handle);
    look(&before);

    failures += divide("one rank", &alone, 1);
    for (int i = 2; i < argc; i++) failures += compute(argv[i]);
    failures += divide("all ranks", NULL, size);
    failures += divide_beside_petsc(argc > 1 ? argv[1] : "", size);
    if (sedge_comm_create(&comm, &null) != SEDGE_ERR_USAGE ||
        strstr(sedge_error_message(), "MPI_COMM_NULL") == NULL)
        failures += fail("MPI_COMM_NULL");
    MPI_Finalized(&is_over);
    if (is_over != 0) fprintf(stderr, "sedge finalised MPI, which it had not initialised\n");
    failures += is_over;
    MPI_Comm_free(&alone);
    MPI_Finalize();
    if (sedge_comm_create(&comm, NULL) != SEDGE_ERR_DEVICE ||
        strstr(sedge_error_message(), "finalised") == NULL)
        failures += fail("after MPI_Finalize");
    return failures != 0;
}
