#define _DEFAULT_SOURCE // getopt_long
#include "cli/option.h"

#include <getopt.h>
#include <string.h>

enum {
    OPTION_DEVICE = 256,
    OPTION_SET,
    OPTION_DECK,
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

static const sedge_option options[] = {
    {"device", OPTION_DEVICE, "KIND", SEDGE_FOR_DECK | SEDGE_FOR_SOLVE,
     "auto (cuda if there is one, else host), cuda, opencl or host"},
    {"deck", OPTION_DECK, "DECK", SEDGE_FOR_MESH,
     "import: with the layers, periodic and closed surfaces of this deck"},
    {"set", OPTION_SET, "KEY=VALUE", SEDGE_FOR_DECK | SEDGE_FOR_MESH,
     "set any key of the deck: --set order=6 --set time.end=3; repeatable"},
    {"output", OPTION_OUTPUT, "PATH", SEDGE_FOR_DECK | SEDGE_FOR_SOLVE,
     "where the results go: a folder (key output.folder); solve: an HDF5 file"},
    {"report", OPTION_REPORT, "FILE", SEDGE_FOR_RUN | SEDGE_FOR_SOLVE,
     "write report.json there too"},
    {"restart", OPTION_RESTART, "FILE", SEDGE_FOR_RUN,
     "go on from a checkpoint; auto: from the newest in the output folder"},
    {"arch", OPTION_ARCH, "LIST", SEDGE_FOR_BUILD,
     "GPUs to compile for, here or not: sm_80,sm_90 (default: the device's own)"},
    {"tune", OPTION_TUNE, "LEVEL", SEDGE_FOR_DECK | SEDGE_FOR_SOLVE,
     "off, fast or patient; goes before SEDGE_TUNE and a deck's kernels.tune"},
    {"forget", OPTION_FORGET, NULL, SEDGE_FOR_TUNE, "tune even if the choice is known"},
    {"rhs", OPTION_RHS, "FILE", SEDGE_FOR_SOLVE, "right-hand side (default: ones)"},
    {"preconditioner", OPTION_PRECONDITIONER, "NAME", SEDGE_FOR_SOLVE,
     "none, jacobi (default), block-jacobi, chebyshev or amg"},
    {"block", OPTION_BLOCK, "ROWS", SEDGE_FOR_SOLVE,
     "rows of a diagonal block, 1 to 64 (default: as the matrix shows, else 1)"},
    {"tolerance", OPTION_TOLERANCE, "T", SEDGE_FOR_SOLVE,
     "reach |b - A x| <= T |b|, 2-norms (default: 1e-8)"},
    {"absolute", OPTION_ABSOLUTE, "T", SEDGE_FOR_SOLVE, "or |b - A x| <= T (default: 0)"},
    {"iterations", OPTION_ITERATIONS, "N", SEDGE_FOR_SOLVE, "at most so many (default: 10000)"},
    {"precision", OPTION_PRECISION, "NAME", SEDGE_FOR_SOLVE, "fp64 (default) or fp32"},
    {"form", OPTION_FORM, "NAME", SEDGE_FOR_SOLVE,
     "auto, standard, single-reduction, pipelined or persistent; see the README"},
    {"quiet", OPTION_QUIET, NULL, SEDGE_FOR_DECK | SEDGE_FOR_SOLVE, "print errors only"},
    {"verbose", OPTION_VERBOSE, NULL, SEDGE_FOR_ALL, "say where in the source an error arose"},
    {"help", OPTION_HELP, NULL, SEDGE_FOR_ALL, "this text"},
};
#define OPTIONS ((int)(sizeof options / sizeof options[0]))

const sedge_option *sedge_options(int *count)
{
    *count = OPTIONS;
    return options;
}

static sedge_status add_setting(sedge_arguments *given, const char *setting)
{
    if (given->run.setting_count == SEDGE_MAX_SETTINGS)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "more than %d settings", SEDGE_MAX_SETTINGS);
    given->run.settings[given->run.setting_count++] = setting;
    return SEDGE_OK;
}

// Add the setting KEY='VALUE': YAML takes the value as it is, but for line ends.
static sedge_status add_quoted(sedge_arguments *given, const char *option, const char *key,
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

static sedge_status take_option(sedge_arguments *given, const sedge_command *which, int option,
                                bool *help)
{
    for (int i = 0; i < OPTIONS; i++) {
        if (options[i].code == option &&
            (options[i].takers & (which->takes | SEDGE_FOR_ALL)) == 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "'sedge %s' does not take --%s; see sedge %s --help",
                              which->name, options[i].name, which->name);
        }
    }
    if ((which->takes & SEDGE_FOR_SOLVE) != 0 && take_solve_option(&given->solve, option))
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
    case OPTION_DECK:
        given->deck = optarg;
        return SEDGE_OK;
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
static sedge_status fail_option(const sedge_command *which, char **argv, bool needs_value)
{
    const char *word = argv[optind - 1];
    const char letter[] = {'-', (char)optopt, '\0'};

    if (word[0] != '-' || word[1] != '-') word = letter;
    if (needs_value) return SEDGE_FAIL(SEDGE_ERR_USAGE, "option '%s' needs a value", word);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown option '%s'; see sedge %s --help", word,
                      which->name);
}

sedge_status sedge_options_read(sedge_arguments *given, bool *help, const sedge_command *which,
                                int argc, char **argv)
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

void sedge_options_clear(sedge_arguments *given)
{
    for (int i = 0; i < SEDGE_MAX_SETTINGS; i++) sedge_text_free(given->composed[i]);
}
