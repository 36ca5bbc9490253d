// The command line: `sedge COMMAND ...`. The only place that prints errors and ends the program.
#define _DEFAULT_SOURCE
#include "codegen/program.h"
#include "device/device.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "run/deck.h"
#include "run/driver.h"
#include "run/solve.h"
#include "run/stop.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct arguments {
    int count; // of what is no option
    char **words;
    sedge_run_options run;
    sedge_solve_options solve;
    sedge_text *composed[SEDGE_MAX_SETTINGS]; // settings made of --device and --output; else NULL
} arguments;

// Which commands take an option.
enum { FOR_ALL = 1, FOR_DECK = 2, FOR_RUN = 4, FOR_BUILD = 8, FOR_TUNE = 16, FOR_SOLVE = 32 };

typedef struct command {
    const char *name;
    const char *usage;
    const char *text;
    sedge_status (*function)(sedge_comm *comm, const arguments *given);
    int words_min, words_max;
    int takes; // options, beside those for all commands
} command;

enum {
    OPTION_DEVICE = 256,
    OPTION_SET,
    OPTION_OUTPUT,
    OPTION_REPORT,
    OPTION_RESTART,
    OPTION_ARCH,
    OPTION_TUNE,
    OPTION_FORGET,
    OPTION_RHS,
    OPTION_PRECONDITIONER,
    OPTION_BLOCK,
    OPTION_TOLERANCE,
    OPTION_ABSOLUTE,
    OPTION_ITERATIONS,
    OPTION_PRECISION,
    OPTION_FORM,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_VERBOSE = 'v'
};

// The parser and all help texts are made from this table.
static const struct option_row {
    const char *name;
    int code;          // below 256: the short form's letter
    const char *value; // NULL: takes none
    int takers;
    const char *text;
} options[] = {
    {"device", OPTION_DEVICE, "KIND", FOR_DECK | FOR_SOLVE,
     "auto (cuda if there is one, else host), cuda, opencl or host"},
    {"set", OPTION_SET, "KEY=VALUE", FOR_DECK,
     "set any key of the deck: --set order=6 --set time.end=3; repeatable"},
    {"output", OPTION_OUTPUT, "PATH", FOR_DECK | FOR_SOLVE,
     "where the results go: a folder (key output.folder); solve: an HDF5 file"},
    {"report", OPTION_REPORT, "FILE", FOR_RUN | FOR_SOLVE, "write report.json there too"},
    {"restart", OPTION_RESTART, "FILE", FOR_RUN,
     "go on from a checkpoint; auto: from the newest in the output folder"},
    {"arch", OPTION_ARCH, "LIST", FOR_BUILD,
     "GPUs to compile for, here or not: sm_80,sm_90 (default: the device's own)"},
    {"tune", OPTION_TUNE, "LEVEL", FOR_DECK | FOR_SOLVE,
     "off, fast or patient; the same as --set kernels.tune=LEVEL"},
    {"forget", OPTION_FORGET, NULL, FOR_TUNE, "tune even if the choice is known"},
    {"rhs", OPTION_RHS, "FILE", FOR_SOLVE, "right-hand side (default: ones)"},
    {"preconditioner", OPTION_PRECONDITIONER, "NAME", FOR_SOLVE,
     "none, jacobi (default), block-jacobi, chebyshev or amg"},
    {"block", OPTION_BLOCK, "ROWS", FOR_SOLVE,
     "rows of a diagonal block, 1 to 64 (default: those that the matrix shows)"},
    {"tolerance", OPTION_TOLERANCE, "T", FOR_SOLVE,
     "reach |b - A x| <= T |b|, 2-norms (default: 1e-8)"},
    {"absolute", OPTION_ABSOLUTE, "T", FOR_SOLVE, "or |b - A x| <= T (default: 0)"},
    {"iterations", OPTION_ITERATIONS, "N", FOR_SOLVE, "at most so many (default: 10000)"},
    {"precision", OPTION_PRECISION, "NAME", FOR_SOLVE, "fp64 (default) or fp32"},
    {"form", OPTION_FORM, "NAME", FOR_SOLVE,
     "auto, standard, single-reduction, pipelined or persistent"},
    {"quiet", OPTION_QUIET, NULL, FOR_DECK | FOR_SOLVE, "print errors only"},
    {"verbose", OPTION_VERBOSE, NULL, FOR_ALL, "say where in the source an error arose"},
    {"help", OPTION_HELP, NULL, FOR_ALL, "this text"},
};
#define OPTIONS ((int)(sizeof options / sizeof options[0]))

// ---- commands ----------------------------------------------------------------------------------

static sedge_status command_run(sedge_comm *comm, const arguments *given)
{
    return sedge_run(comm, &given->run);
}

static sedge_status command_check(sedge_comm *comm, const arguments *given)
{
    return sedge_check(comm, &given->run);
}

static sedge_status command_build(sedge_comm *comm, const arguments *given)
{
    return sedge_build(comm, &given->run);
}

static sedge_status command_tune(sedge_comm *comm, const arguments *given)
{
    return sedge_tune_deck(comm, &given->run);
}

static sedge_status command_mesh(sedge_comm *comm, const arguments *given)
{
    sedge_mesh_options wanted = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    sedge_status status;

    if (strcmp(given->words[0], "import") == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "'sedge mesh import' is not in this version; 'sedge run' "
                          "reads Gmsh files directly");
    }
    if (strcmp(given->words[0], "info") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown word '%s' after 'sedge mesh'; info is known",
                          given->words[0]);
    }
    if (given->count != 2)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge mesh info' needs one mesh file");
    wanted.file = given->words[1];
    wanted.tell = sedge_mesh_say;
    SEDGE_TRY_GOTO(status, sedge_mesh_create(&mesh, comm, &wanted));
    SEDGE_TRY_GOTO(status, sedge_mesh_print(comm, mesh));
done:
    sedge_mesh_free(mesh);
    return status;
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

static sedge_status command_devices(sedge_comm *comm, const arguments *given)
{
    sedge_device *host = NULL;
    const char *why = NULL;
    int count = sedge_device_count_cuda(&why);

    (void)given;
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

static sedge_status command_cache(sedge_comm *comm, const arguments *given)
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

static sedge_status command_help(sedge_comm *comm, const arguments *given);

static sedge_status command_solve(sedge_comm *comm, const arguments *given)
{
    sedge_solve_options wanted = given->solve;

    wanted.matrix = given->words[0];
    wanted.quiet = given->run.quiet;
    wanted.terminal = given->run.terminal;
    wanted.report = given->run.report;
    return sedge_solve(comm, &wanted);
}

static const command commands[] = {
    {"run", "sedge run DECK [options]", "Run the deck: mesh, kernels, time loop, results.",
     command_run, 1, 1, FOR_DECK | FOR_RUN},
    {"check", "sedge check DECK [options]",
     "Compute and write nothing: say what 'sedge run' would do.\n"
     "Prints the time step, memory, work, wavelengths, worst elements, groups of the mesh and "
     "what\n"
     "the deck says about them, and the deck with all defaults. Fails where 'sedge run' would "
     "refuse\n"
     "the deck, the mesh or the output folder.",
     command_check, 1, 1, FOR_DECK},
    {"build", "sedge build DECK [options]",
     "Compile all kernels of a deck into the cache.\n"
     "A later 'sedge run' of the deck with the same device finds them there and compiles nothing,\n"
     "unless it is so long that it tunes first (--tune off), or tuning has chosen other kernels.\n"
     "With --device cuda --arch sm_90 no GPU is needed, NVRTC is enough: a login node can fill "
     "the\n"
     "cache of a cluster. SEDGE_CACHE_DIR names the folder; see SEDGE_CACHE_SITE for a shared one.",
     command_build, 1, 1, FOR_DECK | FOR_BUILD},
    {"tune", "sedge tune DECK [options]",
     "Find the fastest kernels for a deck here, and remember them.\n"
     "Compares ways to cut the kernels on this device with this mesh, checks what wins against "
     "the\n"
     "reference, and prints all of them with their times. Later runs of the kind use the choice.\n"
     "--tune patient compares for a minute instead of three seconds; off shows what is known.",
     command_tune, 1, 1, FOR_DECK | FOR_TUNE},
    {"mesh", "sedge mesh info FILE", "Print counts, groups, quality and extents of a Gmsh mesh.",
     command_mesh, 1, 3, 0},
    {"devices", "sedge devices", "List the devices that this program can use here.",
     command_devices, 0, 0, 0},
    {"cache", "sedge cache path|list|clear",
     "Compiled kernels: name their folder, list them, remove them.", command_cache, 1, 1, 0},
    {"help", "sedge help [deck|COMMAND]", "Print every key of the deck, or explain a command.",
     command_help, 0, 1, 0},
    {"solve", "sedge solve MATRIX [options]",
     "Solve A x = b, A symmetric positive definite, by conjugate gradients.\n"
     "MATRIX is a Matrix Market file (also compressed, .gz) or PETSc's binary form. Ends with "
     "exit\n"
     "code 4 and the reason where it does not converge; the true residual is computed at the end.",
     command_solve, 1, 1, FOR_SOLVE},
};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

static const command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

// ---- help --------------------------------------------------------------------------------------

static void print_option(const struct option_row *row)
{
    char form[64];

    (void)snprintf(form, sizeof form, "--%s%s%s", row->name, row->value != NULL ? " " : "",
                   row->value != NULL ? row->value : "");
    if (row->code < 256) {
        printf("  -%c, %-19s%s\n", row->code, form, row->text);
    } else {
        printf("  %-23s%s\n", form, row->text);
    }
}

static void print_help(void)
{
    printf(
        "sedge " SEDGE_VERSION ": discontinuous Galerkin solvers whose kernels are written at run "
        "time\n\nUsage: sedge COMMAND [arguments], under mpirun for several ranks\n\nCommands\n");
    for (int i = 0; i < COMMANDS; i++) {
        printf("  %-28s%.*s\n", commands[i].usage + strlen("sedge "),
               (int)strcspn(commands[i].text, "\n"), commands[i].text);
    }
    printf("  %-28sThe version.\n  %-28sThis text; after a command, its own.\n\nOptions\n",
           "--version", "--help");
    for (int i = 0; i < OPTIONS; i++) print_option(&options[i]);
    printf("\nExit codes\n  0 done; 1 wrong use, deck or output folder; 2 bad mesh or data file; "
           "3 device or\n  compiler trouble, or out of memory; 4 the computation failed; 5 stopped "
           "early with a\n  checkpoint, by a signal or a limit of time; 70 a bug in sedge\n\n"
           "Environment\n"
           "  SEDGE_CACHE_DIR        folder of compiled kernels (default: ~/.cache/sedge)\n"
           "  SEDGE_CACHE_MAX        its largest size in MiB (default: 256)\n"
           "  SEDGE_CACHE_SITE       a shared folder of them, read only, looked into first\n"
           "  SEDGE_CC               the C compiler of the host device (default: cc, gcc, clang)\n"
           "  SEDGE_CC_SECONDS       what a compiler may take for a program (default: 600)\n"
           "  SEDGE_NVRTC            path of libnvrtc (default: the loader's, CUDA_HOME)\n"
           "  SEDGE_OPENCL           part of the name of the OpenCL devices to use\n"
           "  SEDGE_THREADS          threads a rank of the host device\n"
           "  SEDGE_TUNE             off, fast or patient, where neither deck nor --tune says it\n"
           "  SEDGE_KERNELS          folder whose files replace the embedded kernel sources\n"
           "  SEDGE_KEEP             folder that gets every program that is compiled, as text\n"
           "  SEDGE_DEBUG=1          line information in kernels, no cache\n"
           "  SEDGE_TRACE=1          print driver calls\n");
}

static void print_command_help(const command *given)
{
    printf("Usage: %s\n\n%s\n\nOptions\n", given->usage, given->text);
    for (int i = 0; i < OPTIONS; i++)
        if ((options[i].takers & (given->takes | FOR_ALL)) != 0) print_option(&options[i]);
}

static sedge_status print_deck_keys(void)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_document(text));
    printf("%s", sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status command_help(sedge_comm *comm, const arguments *given)
{
    const char *const word = given->count > 0 ? given->words[0] : "";
    const command *const about = find_command(word);
    const bool root = sedge_comm_is_root(comm);
    sedge_status status = SEDGE_OK;

    if (strcmp(word, "deck") == 0) {
        if (root) status = print_deck_keys();
        return sedge_comm_agree(comm, status);
    }
    if (about == NULL && given->count > 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "unknown word '%s' after 'sedge help'; deck and the commands are known",
                          word);
    }
    if (root && about != NULL) print_command_help(about);
    if (root && about == NULL) print_help();
    return SEDGE_OK;
}

// ---- parsing -----------------------------------------------------------------------------------

static sedge_status add_setting(arguments *given, const char *setting)
{
    if (given->run.setting_count == SEDGE_MAX_SETTINGS)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "more than %d settings", SEDGE_MAX_SETTINGS);
    given->run.settings[given->run.setting_count++] = setting;
    return SEDGE_OK;
}

// Add the setting KEY='VALUE': YAML takes the value as it is, but for line ends.
static sedge_status add_quoted(arguments *given, const char *option, const char *key,
                               const char *value)
{
    sedge_text **const text = &given->composed[given->run.setting_count % SEDGE_MAX_SETTINGS];

    if (value[0] == '\0') return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s needs a value", option);
    for (const char *at = value; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 127)
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s: the value has a control character", option);
    }
    if (*text != NULL) return add_setting(given, ""); // full: says so
    SEDGE_TRY(sedge_text_create(text));
    SEDGE_TRY(sedge_text_add(*text, "%s='", key));
    for (const char *at = value; *at != '\0'; at++)
        SEDGE_TRY(sedge_text_add(*text, *at == '\'' ? "''" : "%c", *at));
    SEDGE_TRY(sedge_text_add(*text, "'"));
    return add_setting(given, sedge_text_get(*text));
}

// Options of sedge solve, which knows no deck; false: it is another one.
static bool take_solve_option(sedge_solve_options *solve, int option)
{
    const struct {
        int option;
        const char **value;
    } places[] = {
        {OPTION_DEVICE, &solve->device},
        {OPTION_TUNE, &solve->tune},
        {OPTION_OUTPUT, &solve->output},
        {OPTION_RHS, &solve->right},
        {OPTION_PRECONDITIONER, &solve->preconditioner},
        {OPTION_BLOCK, &solve->block},
        {OPTION_TOLERANCE, &solve->tolerance},
        {OPTION_ABSOLUTE, &solve->absolute},
        {OPTION_ITERATIONS, &solve->iterations},
        {OPTION_PRECISION, &solve->precision},
        {OPTION_FORM, &solve->form},
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].option != option) continue;
        *places[i].value = optarg;
        return true;
    }
    return false;
}

static sedge_status take_option(arguments *given, const command *which, int option, bool *help)
{
    for (int i = 0; i < OPTIONS; i++) {
        if (options[i].code == option && (options[i].takers & (which->takes | FOR_ALL)) == 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge %s' does not take --%s; see sedge %s --help",
                              which->name, options[i].name, which->name);
        }
    }
    if ((which->takes & FOR_SOLVE) != 0 && take_solve_option(&given->solve, option))
        return SEDGE_OK;
    switch (option) {
    case OPTION_DEVICE:
        return add_quoted(given, "device", "device", optarg);
    case OPTION_TUNE:
        return add_quoted(given, "tune", "kernels.tune", optarg);
    case OPTION_FORGET:
        given->run.forget = true;
        return SEDGE_OK;
    case OPTION_SET:
        return add_setting(given, optarg);
    case OPTION_OUTPUT:
        return add_quoted(given, "output", "output.folder", optarg);
    case OPTION_REPORT:
        given->run.report = optarg;
        return SEDGE_OK;
    case OPTION_RESTART:
        if (optarg[0] == '\0') return SEDGE_FAIL(SEDGE_ERR_USAGE, "--restart needs a value");
        given->run.restart = optarg;
        return SEDGE_OK;
    case OPTION_ARCH:
        if (optarg[0] == '\0') return SEDGE_FAIL(SEDGE_ERR_USAGE, "--arch needs a value");
        given->run.arch = optarg;
        return SEDGE_OK;
    case OPTION_QUIET:
        given->run.quiet = true;
        return SEDGE_OK;
    case OPTION_VERBOSE:
        given->run.verbose = true;
        return SEDGE_OK;
    default:
        *help = true;
        return SEDGE_OK;
    }
}

// What getopt_long stumbled over, which it has just passed.
static sedge_status fail_option(const command *which, char **argv, bool needs_value)
{
    const char *word = argv[optind - 1];
    const char letter[] = {'-', (char)optopt, '\0'};

    if (word[0] != '-' || word[1] != '-') word = letter;
    if (needs_value) return SEDGE_FAIL(SEDGE_ERR_USAGE, "option '%s' needs a value", word);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown option '%s'; see sedge %s --help", word,
                      which->name);
}

static sedge_status parse(arguments *given, int argc, char **argv, const command *which, bool *help)
{
    struct option long_options[OPTIONS + 1];

    memset(long_options, 0, sizeof long_options);
    for (int i = 0; i < OPTIONS; i++) {
        long_options[i] = (struct option){
            .name = options[i].name,
            .has_arg = options[i].value != NULL ? required_argument : no_argument,
            .val = options[i].code,
        };
    }
    opterr = 0;
    optind = 1;
    for (;;) {
        const int option = getopt_long(argc, argv, ":v", long_options, NULL);
        if (option == -1) break;
        if (option == '?' || option == ':') return fail_option(which, argv, option == ':');
        SEDGE_TRY(take_option(given, which, option, help));
    }
    given->count = argc - optind;
    given->words = argv + optind;
    if (*help) return SEDGE_OK;
    if (given->count < which->words_min || given->count > which->words_max) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s arguments; usage: %s",
                          given->count < which->words_min ? "missing" : "too many", which->usage);
    }
    if (given->count > 0) given->run.deck = given->words[0];
    return SEDGE_OK;
}

static void print_version(void)
{
    printf("sedge " SEDGE_VERSION "\n");
}

// Find out what is to be done. `*print` is what the root prints instead; else `*which` is the
// command, whose help is wanted if `*help`.
static sedge_status read_words(const command **which, void (**print)(void), bool *help,
                               arguments *given, int argc, char **argv)
{
    if (argc < 2) return SEDGE_FAIL(SEDGE_ERR_USAGE, "no command; see sedge --help");
    if (strcmp(argv[1], "--version") == 0) *print = print_version;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) *print = print_help;
    if (*print != NULL) return SEDGE_OK;
    *which = find_command(argv[1]);
    if (*which == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown command '%s'; see sedge --help", argv[1]);
    return parse(given, argc - 1, argv + 1, *which, help);
}

static sedge_status act(sedge_comm *comm, int argc, char **argv, arguments *given)
{
    const bool root = sedge_comm_is_root(comm);
    const command *which = NULL;
    void (*print)(void) = NULL;
    bool help = false;

    // Ranks may have been started with different words.
    SEDGE_TRY(sedge_comm_agree(comm, read_words(&which, &print, &help, given, argc, argv)));
    if (which != NULL && !help) return which->function(comm, given);
    if (root && print != NULL) print();
    if (root && which != NULL) print_command_help(which);
    return SEDGE_OK;
}

// ---- main --------------------------------------------------------------------------------------

// GNU's OpenMP lets waiting threads spin for milliseconds, which on a busy machine takes the
// processor from those that work. It reads its setting when it is loaded, before main: so set it
// and start again. 1000 is what it takes itself where it knows of more threads than processors.
static void calm_threads(int argc, char **argv)
{
    if (argc < 2 || (strcmp(argv[1], "run") != 0 && strcmp(argv[1], "tune") != 0)) return;
    if (getenv("GOMP_SPINCOUNT") != NULL || getenv("OMP_WAIT_POLICY") != NULL) return;
    if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0) (void)execv("/proc/self/exe", argv);
}

// mpirun gives its programs a terminal even where its own output goes into a file. To be asked
// before MPI starts: it sets these variables for a single process, too.
static bool is_terminal(void)
{
    static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i]) != NULL) return false;
    return isatty(STDOUT_FILENO) == 1;
}

int main(int argc, char **argv)
{
    static arguments given;
    sedge_comm *comm = NULL;

    calm_threads(argc, argv);
    if (argc > 1 && strcmp(argv[1], "run") == 0) sedge_stop_listen();
    (void)signal(SIGXFSZ, SIG_IGN); // a file that becomes too large is an error with a message
    given.run.terminal = is_terminal();
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks
    if (status == SEDGE_OK) status = sedge_comm_create(&comm, &argc, &argv);
    if (status != SEDGE_OK) {
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        return sedge_status_exit_code(status);
    }
    status = act(comm, argc, argv, &given);
    if (fflush(stdout) != 0 && status == SEDGE_OK) {
        status =
            SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write to standard output: %s", strerror(errno));
    }
    if (status != SEDGE_OK && sedge_comm_is_root(comm)) {
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        if (given.run.verbose) (void)fprintf(stderr, "  at %s\n", sedge_error_trace());
    }
    for (int i = 0; i < SEDGE_MAX_SETTINGS; i++) sedge_text_free(given.composed[i]);
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    if (sedge_device_is_left_busy()) {
        (void)fflush(NULL);
        _exit(sedge_status_exit_code(status));
    }
    return sedge_status_exit_code(status);
}
