// The command line: `sedge COMMAND ...`. The only place that prints errors and ends the program.
#define _DEFAULT_SOURCE
#include "codegen/program.h"
#include "device/device.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "run/deck.h"
#include "run/driver.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    int count; // of what is no option
    char **words;
    sedge_run_options run;
    char settings[SEDGE_MAX_SETTINGS][512]; // room for --device and --output as settings
} arguments;

typedef struct command {
    const char *name;
    const char *usage;
    const char *text;
    sedge_status (*function)(sedge_comm *comm, const arguments *given);
    int words_min, words_max;
    bool deck_options; // --set, --device, --output, --report
} command;

static const char run_options_text[] =
    "Options\n"
    "  --device KIND       auto (cuda if there is one, else host), cuda or host\n"
    "  --set KEY=VALUE     set any key of the deck: --set order=6 --set time.end=3; repeatable\n"
    "  --output FOLDER     where the results go; the same as --set output.folder=FOLDER\n"
    "  --report FILE       write report.json there instead of into the output folder\n"
    "  --quiet             print errors only\n"
    "  -v, --verbose       say more: where in the source an error arose\n"
    "  --help              this text\n";

// ---- commands ----------------------------------------------------------------------------------

static sedge_status command_run(sedge_comm *comm, const arguments *given)
{
    return sedge_run(comm, &given->run);
}

static sedge_status command_check(sedge_comm *comm, const arguments *given)
{
    return sedge_check(comm, &given->run);
}

static sedge_status command_mesh(sedge_comm *comm, const arguments *given)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    sedge_status status;

    if (strcmp(given->words[0], "import") == 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "'sedge mesh import' is not in this version; 'sedge run' "
                          "reads Gmsh files directly");
    if (strcmp(given->words[0], "info") != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown word '%s' after 'sedge mesh'; info is known",
                          given->words[0]);
    if (given->count < 2) return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge mesh info' needs a mesh file");
    options.file = given->words[1];
    SEDGE_TRY_GOTO(status, sedge_mesh_create(&mesh, comm, &options));
    SEDGE_TRY_GOTO(status, sedge_mesh_print(comm, mesh));
done:
    sedge_mesh_free(mesh);
    return status;
}

static sedge_status command_devices(sedge_comm *comm, const arguments *given)
{
    sedge_device *host = NULL;
    const char *why = NULL;
    const int count = sedge_device_count_cuda(&why);

    (void)given;
    for (int i = 0; i < count; i++) {
        sedge_device *device = NULL;
        SEDGE_TRY(sedge_device_create(&device, "cuda", i, 1));
        const sedge_device_info *const info = sedge_device_get_info(device);
        if (sedge_comm_is_root(comm))
            printf("cuda %d  %s, %s, %.0f GiB, %d multiprocessors, %s\n", i, info->name, info->arch,
                   (double)info->memory_bytes / 1073741824.0, info->multiprocessors,
                   info->compiler);
        sedge_device_free(device);
    }
    if (count == 0 && sedge_comm_is_root(comm))
        printf("cuda    none: %s\n", why != NULL ? why : "no device found");
    SEDGE_TRY(
        sedge_device_create(&host, "host", sedge_comm_node_rank(comm), sedge_comm_node_size(comm)));
    if (sedge_comm_is_root(comm)) {
        const sedge_device_info *const info = sedge_device_get_info(host);
        printf("host    %s, %d threads, vectors of %d bits\n", info->name, info->multiprocessors,
               8 * info->vector_bytes);
    }
    sedge_device_free(host);
    return SEDGE_OK;
}

static sedge_status print_cache(sedge_cache *cache, const char *word)
{
    int64_t removed = 0;

    if (strcmp(word, "path") == 0) {
        printf("%s\n", sedge_cache_folder(cache));
        return SEDGE_OK;
    }
    if (strcmp(word, "list") == 0) return sedge_cache_list(cache);
    if (strcmp(word, "clear") == 0) {
        SEDGE_TRY(sedge_cache_clear(cache, &removed));
        printf("%lld entries removed from %s\n", (long long)removed, sedge_cache_folder(cache));
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "unknown word '%s' after 'sedge cache'; path, list and clear "
                      "are known",
                      word);
}

static sedge_status command_cache(sedge_comm *comm, const arguments *given)
{
    sedge_cache *cache = NULL;
    sedge_status status = SEDGE_OK;

    if (sedge_comm_is_root(comm)) {
        status = sedge_cache_create(&cache, NULL);
        if (status == SEDGE_OK && sedge_cache_problem(cache) != NULL)
            (void)fprintf(stderr, "sedge: warning: %s\n", sedge_cache_problem(cache));
        if (status == SEDGE_OK) status = print_cache(cache, given->words[0]);
        sedge_cache_free(cache);
    }
    return sedge_comm_agree(comm, status);
}

// `sedge help deck` prints the generated part of input/README.md.
static sedge_status command_help(sedge_comm *comm, const arguments *given);

static sedge_status command_later(sedge_comm *comm, const arguments *given)
{
    (void)comm, (void)given;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "this command is not in version " SEDGE_VERSION);
}

static const command commands[] = {
    {"run", "sedge run DECK [options]",
     "Run the deck: mesh, kernels, time loop, results in the output folder.", command_run, 1, 1,
     true},
    {"check", "sedge check DECK [options]",
     "Compute nothing: print the resolved deck, memory, time step, wavelengths, worst elements,\n"
     "boundaries.",
     command_check, 1, 1, true},
    {"mesh", "sedge mesh info FILE", "Print counts, groups, quality and extents of a Gmsh mesh.",
     command_mesh, 1, 2, false},
    {"devices", "sedge devices", "List the devices that this program can use here.",
     command_devices, 0, 0, false},
    {"cache", "sedge cache path|list|clear", "The folder of compiled kernels.", command_cache, 1, 1,
     false},
    {"help", "sedge help deck", "Print every key of the deck, as in input/README.md.", command_help,
     1, 1, false},
    {"tune", "sedge tune DECK", "Not in this version.", command_later, 0, 99, true},
    {"build", "sedge build DECK", "Not in this version.", command_later, 0, 99, true},
    {"solve", "sedge solve MATRIX.mtx", "Not in this version.", command_later, 0, 99, true},
};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

static sedge_status command_help(sedge_comm *comm, const arguments *given)
{
    sedge_status status = SEDGE_OK;
    sedge_text *text = NULL;

    if (strcmp(given->words[0], "deck") != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "unknown word '%s' after 'sedge help'; deck is known. "
                          "'sedge COMMAND --help' explains a command",
                          given->words[0]);
    if (!sedge_comm_is_root(comm)) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_document(text));
    printf("%s", sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

// ---- help --------------------------------------------------------------------------------------

static void print_help(void)
{
    printf(
        "sedge " SEDGE_VERSION ": discontinuous Galerkin solvers whose kernels are written at run "
        "time\n\nUsage: sedge COMMAND [arguments], under mpirun for several ranks\n\nCommands\n");
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].function != command_later)
            printf("  %-30s%s\n", commands[i].usage + strlen("sedge "), commands[i].text);
    printf("  %-30sThe version.\n  %-30sThis text; after a command, its own.\n\n", "--version",
           "--help");
    printf(
        "Exit codes\n  0 done; 1 wrong use or deck; 2 bad mesh or data file; 3 device or compiler "
        "trouble;\n  4 the computation failed; 5 stopped early with a checkpoint; others are "
        "bugs\n\n"
        "Environment\n"
        "  SEDGE_CACHE_DIR     folder of compiled kernels (default: the user's cache folder)\n"
        "  SEDGE_CC            the C compiler of the host device (default: cc, gcc)\n"
        "  SEDGE_THREADS       threads a rank of the host device\n"
        "  SEDGE_KERNELS       folder whose files replace the embedded kernel sources\n"
        "  SEDGE_KEEP          folder that gets every generated program as text\n"
        "  SEDGE_DEBUG=1       line information in kernels;  SEDGE_TRACE=1  print driver calls\n");
}

static void print_command_help(const command *given)
{
    printf("Usage: %s\n\n%s\n", given->usage, given->text);
    if (given->deck_options) printf("\n%s", run_options_text);
}

// ---- parsing -----------------------------------------------------------------------------------

enum {
    OPTION_DEVICE = 256,
    OPTION_SET,
    OPTION_OUTPUT,
    OPTION_REPORT,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_RESTART
};

static const struct option long_options[] = {
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"set", required_argument, NULL, OPTION_SET},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"restart", required_argument, NULL, OPTION_RESTART},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static sedge_status add_setting(arguments *given, const char *key, const char *value)
{
    const int at = given->run.setting_count;

    if (at == SEDGE_MAX_SETTINGS)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "more than %d settings", SEDGE_MAX_SETTINGS);
    if (snprintf(given->settings[at], sizeof given->settings[at], "%s%s", key, value) >=
        (int)sizeof given->settings[at])
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the setting '%.40s...' is too long", value);
    given->run.settings[at] = given->settings[at];
    given->run.setting_count++;
    return SEDGE_OK;
}

static sedge_status take_option(arguments *given, int option, bool *help, const char *word)
{
    switch (option) {
    case OPTION_DEVICE:
        return add_setting(given, "device=", optarg);
    case OPTION_SET:
        return add_setting(given, "", optarg);
    case OPTION_OUTPUT:
        return add_setting(given, "output.folder=", optarg);
    case OPTION_REPORT:
        given->run.report = optarg;
        return SEDGE_OK;
    case OPTION_RESTART:
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--restart is not in this version: it writes no checkpoints");
    case OPTION_QUIET:
        given->run.quiet = true;
        return SEDGE_OK;
    case 'v':
        given->run.verbose = true;
        return SEDGE_OK;
    case OPTION_HELP:
        *help = true;
        return SEDGE_OK;
    case ':':
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "option '%s' needs a value", word);
    default:
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown option '%s'; see --help", word);
    }
}

static sedge_status parse(arguments *given, int argc, char **argv, const command *which, bool *help)
{
    int option;

    opterr = 0;
    optind = 1;
    for (;;) {
        const char *const word = optind < argc ? argv[optind] : "";
        option = getopt_long(argc, argv, ":v", long_options, NULL);
        if (option == -1) break;
        SEDGE_TRY(take_option(given, option, help, word));
    }
    given->count = argc - optind;
    given->words = argv + optind;
    if (*help) return SEDGE_OK;
    if (given->count < which->words_min || given->count > which->words_max)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s arguments; usage: %s",
                          given->count < which->words_min ? "missing" : "too many", which->usage);
    if (given->count > 0) given->run.deck = given->words[0];
    return SEDGE_OK;
}

static sedge_status dispatch(sedge_comm *comm, int argc, char **argv, arguments *given)
{
    bool help = false;

    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        SEDGE_TRY(parse(given, argc - 1, argv + 1, &commands[i], &help));
        if (!help) return commands[i].function(comm, given);
        if (sedge_comm_is_root(comm)) print_command_help(&commands[i]);
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown command '%s'; see sedge --help", argv[1]);
}

static sedge_status act(sedge_comm *comm, int argc, char **argv, arguments *given)
{
    const bool root = sedge_comm_is_root(comm);

    if (argc < 2) return SEDGE_FAIL(SEDGE_ERR_USAGE, "no command; see sedge --help");
    if (strcmp(argv[1], "--version") == 0) {
        if (root) printf("sedge " SEDGE_VERSION "\n");
        return SEDGE_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (root) print_help();
        return SEDGE_OK;
    }
    return dispatch(comm, argc, argv, given);
}

int main(int argc, char **argv)
{
    static arguments given;
    sedge_comm *comm = NULL;
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks

    if (status == SEDGE_OK) status = sedge_comm_create(&comm, &argc, &argv);
    if (status != SEDGE_OK) {
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        return sedge_status_exit_code(status);
    }
    status = act(comm, argc, argv, &given);
    if (status != SEDGE_OK && sedge_comm_is_root(comm)) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        if (given.run.verbose) (void)fprintf(stderr, "  at %s\n", sedge_error_trace());
    }
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    return sedge_status_exit_code(status);
}
