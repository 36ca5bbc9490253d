#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/help.h"
#include "deck/deck.h"
#include "device/cpu.h"
#include "device/device.h"
#include "mesh/mesh.h"
#include "meshfile/mesh_file.h"
#include "program/program.h"
#include "run/sweep.h"

#include <stdio.h>
#include <string.h>

static sedge_status command_run(sedge_comm *comm, const sedge_arguments *given)
{
    return sedge_sweep_run(comm, &given->run);
}

static sedge_status command_check(sedge_comm *comm, const sedge_arguments *given)
{
    return sedge_sweep_check(comm, &given->run);
}

static sedge_status command_build(sedge_comm *comm, const sedge_arguments *given)
{
    return sedge_sweep_each(comm, &given->run, sedge_build);
}

static sedge_status command_tune(sedge_comm *comm, const sedge_arguments *given)
{
    return sedge_sweep_each(comm, &given->run, sedge_tune_deck);
}

// What both words after 'sedge mesh' request of a mesh.
static sedge_mesh_options request_mesh(const sedge_comm *comm, const char *file)
{
    sedge_mesh_options requested = sedge_mesh_defaults();

    requested.file = file;
    requested.default_volume = requested.default_surface = true;
    requested.tell = sedge_mesh_say;
    requested.threads = sedge_cpu_share(sedge_comm_node_size(comm));
    return requested;
}

static sedge_status print_mesh(const sedge_comm *comm, const char *file)
{
    sedge_mesh_options requested = request_mesh(comm, file);
    sedge_mesh *mesh = NULL;
    sedge_status status;

    requested.keep_faults = true;
    SEDGE_TRY_GOTO(status, sedge_mesh_open(&mesh, comm, &requested));
    SEDGE_TRY_GOTO(status, sedge_mesh_print(comm, mesh));
    if (mesh->shape.fault[0] != '\0') status = SEDGE_FAIL(SEDGE_ERR_DATA, "%s", mesh->shape.fault);
done:
    sedge_mesh_free(mesh);
    return status;
}

// The new file must not take the deck's place.
static sedge_status check_place(const sedge_comm *comm, const sedge_arguments *given)
{
    if (!sedge_comm_is_root(comm) || !sedge_file_is_same(given->words[2], given->deck))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "'%s' is the deck; choose another name for the new mesh file",
                      given->words[2]);
}

// Import the mesh as this deck extends it. All ranks read the deck.
static sedge_status import_for_deck(const sedge_comm *comm, const sedge_arguments *given)
{
    const sedge_mesh_options requested = request_mesh(comm, given->words[1]);
    sedge_deck *deck = NULL;
    char *text = NULL;
    size_t length;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_session_read_text(&text, &length, comm, given->deck));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, check_place(comm, given)));
    status = sedge_deck_create(&deck, given->deck, text, length, given->run.settings,
                               given->run.setting_count);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_mesh_options options = deck->mesh;
    options.file = requested.file;
    options.tell = requested.tell;
    options.threads = requested.threads;
    status = sedge_mesh_import(comm, given->words[2], &options);
done:
    sedge_deck_free(deck);
    sedge_release(text);
    return status;
}

static sedge_status import_mesh(const sedge_comm *comm, const sedge_arguments *given)
{
    if (given->count != 3) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge mesh import' needs a Gmsh file and the name of "
                                           "the file to make");
    }
    if (given->deck != NULL) return import_for_deck(comm, given);
    if (given->run.setting_count > 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--set needs --deck with 'sedge mesh import'");
    const sedge_mesh_options requested = request_mesh(comm, given->words[1]);
    return sedge_mesh_import(comm, given->words[2], &requested);
}

static sedge_status command_mesh(sedge_comm *comm, const sedge_arguments *given)
{
    const char *const word = given->words[0];

    if (strcmp(word, "import") == 0) return import_mesh(comm, given);
    if (strcmp(word, "info") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "unknown word '%s' after 'sedge mesh'; info and import are known", word);
    }
    if (given->deck != NULL || given->run.setting_count > 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge mesh info' takes no --deck and no --set");
    if (given->count != 2)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge mesh info' needs one mesh file");
    return print_mesh(comm, given->words[1]);
}

// One line a device of one kind, or why there is none.
static sedge_status print_devices(const sedge_comm *comm, const char *kind, const char *units,
                                  int count, const char *why)
{
    const bool root = sedge_comm_is_root(comm);

    for (int i = 0; i < count; i++) {
        sedge_device *device = NULL;
        SEDGE_TRY(sedge_device_create(&device, kind, i, 1));
        const sedge_device_info *const info = sedge_device_get_info(device);
        if (root) {
            printf("%s %d%*s %s, %s, %.0f GiB, %d %s, %s\n", kind, i, 7 - (int)strlen(kind), "",
                   info->name, info->arch, (double)info->memory_bytes / 1073741824.0,
                   info->multiprocessors, units, info->compiler);
        }
        sedge_device_free(device);
    }
    if (count == 0 && root) printf("%-9s none: %s\n", kind, why != NULL ? why : "no device found");
    return SEDGE_OK;
}

static sedge_status print_all_devices(const sedge_comm *comm)
{
    sedge_device *host = NULL;
    const char *why = NULL;
    int count = sedge_device_count_cuda(&why);

    SEDGE_TRY(print_devices(comm, "cuda", "multiprocessors", count, why));
    count = sedge_device_count_opencl(&why);
    SEDGE_TRY(print_devices(comm, "opencl", "compute units", count, why));
    SEDGE_TRY(
        sedge_device_create(&host, "host", sedge_comm_node_rank(comm), sedge_comm_node_size(comm)));
    if (sedge_comm_is_root(comm)) {
        const sedge_device_info *const info = sedge_device_get_info(host);
        printf("host      %s, %d threads, vectors of %d bits\n", info->name, info->multiprocessors,
               8 * info->vector_bytes);
    }
    sedge_device_free(host);
    return SEDGE_OK;
}

static sedge_status command_devices(sedge_comm *comm, const sedge_arguments *given)
{
    (void)given;
    return sedge_comm_agree(comm, print_all_devices(comm));
}

static sedge_status print_cache(sedge_cache *cache, const char *word)
{
    const char *const site = sedge_cache_site(cache);
    int64_t removed = 0;

    if (strcmp(word, "path") == 0) {
        printf("%s\n", sedge_cache_folder(cache));
        if (site != NULL) printf("%s (site folder, read only)\n", site);
        return SEDGE_OK;
    }
    if (strcmp(word, "list") == 0) return sedge_cache_list(cache);
    if (strcmp(word, "clear") == 0) {
        SEDGE_TRY(sedge_cache_clear(cache, &removed));
        printf("%lld entries removed from %s\n", (long long)removed, sedge_cache_folder(cache));
        if (site != NULL) printf("the site folder %s stays as it is\n", site);
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "unknown word '%s' after 'sedge cache'; path, list and clear "
                      "are known",
                      word);
}

static sedge_status command_cache(sedge_comm *comm, const sedge_arguments *given)
{
    sedge_cache *cache = NULL;
    sedge_status status = SEDGE_OK;

    if (sedge_comm_is_root(comm)) {
        status = sedge_cache_create(&cache, NULL);
        if (status == SEDGE_OK && sedge_cache_problem(cache) != NULL)
            (void)fprintf(stderr, "sedge: warning: %s\n", sedge_cache_problem(cache));
        if (status == SEDGE_OK && sedge_cache_site_problem(cache) != NULL)
            (void)fprintf(stderr, "sedge: warning: %s\n", sedge_cache_site_problem(cache));
        if (status == SEDGE_OK) status = print_cache(cache, given->words[0]);
        sedge_cache_free(cache);
    }
    return sedge_comm_agree(comm, status);
}

static sedge_status command_solve(sedge_comm *comm, const sedge_arguments *given)
{
    sedge_solve_options requested = given->solve;

    requested.matrix = given->words[0];
    requested.quiet = given->run.quiet;
    requested.terminal = given->run.terminal;
    requested.report = given->run.report;
    return sedge_solve(comm, &requested);
}

static sedge_status command_help(sedge_comm *comm, const sedge_arguments *given)
{
    const char *const word = given->count > 0 ? given->words[0] : "";
    const sedge_command *const about = sedge_command_find(word);
    const bool root = sedge_comm_is_root(comm);
    sedge_status status = SEDGE_OK;

    if (strcmp(word, "deck") == 0) {
        if (root) status = sedge_help_print_deck(given->count > 1 ? given->words[1] : NULL);
        return sedge_comm_agree(comm, status);
    }
    if (given->count > 1)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "usage: sedge help [deck [WORD]|COMMAND]");
    if (about == NULL && given->count > 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "unknown word '%s' after 'sedge help'; deck and the commands are known",
                          word);
    }
    if (root && about != NULL) sedge_help_print_command(about);
    if (root && about == NULL) sedge_help_print();
    return SEDGE_OK;
}

static const sedge_command commands[] = {
    {"run", "sedge run DECK [options]", "Run the deck: mesh, kernels, time loop, results.",
     command_run, 1, 1, SEDGE_FOR_DECK | SEDGE_FOR_RUN},
    {"check", "sedge check DECK [options]",
     "Compute and write nothing: say what 'sedge run' would do.\n"
     "Prints the time step, memory, work, wavelengths, worst elements, groups of the mesh and "
     "what\n"
     "the deck says about them, and the deck with all defaults. Fails where 'sedge run' would "
     "refuse\n"
     "the deck, the mesh or the output folder.",
     command_check, 1, 1, SEDGE_FOR_DECK},
    {"build", "sedge build DECK [options]",
     "Compile all kernels of a deck into the cache.\n"
     "A later 'sedge run' of the deck with the same device finds them there and compiles nothing,\n"
     "unless it is so long that it tunes first (--tune off), or tuning has chosen other kernels.\n"
     "With --device cuda --arch sm_90 no GPU is needed, NVRTC is enough: a login node can fill "
     "the\n"
     "cache of a cluster. SEDGE_CACHE_DIR names the folder; see SEDGE_CACHE_SITE for a shared one.",
     command_build, 1, 1, SEDGE_FOR_DECK | SEDGE_FOR_BUILD},
    {"tune", "sedge tune DECK [options]",
     "Find the fastest kernels for a deck here, and remember them.\n"
     "Compares kernel configurations on this device with this mesh, checks what wins against the\n"
     "reference, and prints all of them with their times. Later runs of the kind use the choice.\n"
     "--tune patient compares for a minute instead of three seconds; off shows what is known.",
     command_tune, 1, 1, SEDGE_FOR_DECK | SEDGE_FOR_TUNE},
    {"mesh", "sedge mesh info|import FILE [OUT]",
     "Print counts, groups, quality and extents of a mesh, or import it.\n"
     "info ends with exit code 2 if the mesh is not conforming: volumes touch without common\n"
     "faces, or overlap. import reads and checks a Gmsh file once, and writes OUT, an HDF5 file\n"
     "that many ranks read in parts: name it as mesh.file of a deck. Then no rank holds the\n"
     "whole mesh. If the deck has absorbing layers, periodic surfaces or closed surfaces, the\n"
     "import needs --deck DECK.",
     command_mesh, 1, 3, SEDGE_FOR_MESH},
    {"devices", "sedge devices", "List the devices that this program can use here.",
     command_devices, 0, 0, 0},
    {"cache", "sedge cache path|list|clear",
     "Compiled kernels: name their folder, list them, remove them.", command_cache, 1, 1, 0},
    {"help", "sedge help [deck [WORD]|COMMAND]",
     "Print every key of the deck, or explain a command.\n"
     "With WORD, such as lumped-port or monitors, only the parts that have it.",
     command_help, 0, 2, 0},
    {"solve", "sedge solve MATRIX [options]",
     "Solve A x = b, A symmetric positive definite, by conjugate gradients.\n"
     "MATRIX is a Matrix Market file (also compressed, .gz) or PETSc's binary form. Ends with "
     "exit\n"
     "code 4 and the reason where it does not converge; the true residual is computed at the end.",
     command_solve, 1, 1, SEDGE_FOR_SOLVE},
};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

const sedge_command *sedge_commands(int *count)
{
    *count = COMMANDS;
    return commands;
}

const sedge_command *sedge_command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

const char *sedge_command_near(const char *word)
{
    const char *names[COMMANDS];

    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const int nearest = sedge_near_find(word, names, COMMANDS);
    return nearest >= 0 ? names[nearest] : NULL;
}
