#include "options.h"

#include "problem.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_ORDERS = 256,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_MESH,
    OPTION_ELEMENTS,
    OPTION_NUMBERING,
    OPTION_BOUNDARY,
    OPTION_STEPS,
    OPTION_REPEATS,
    OPTION_INTEGRATOR,
    OPTION_TERM,
    OPTION_VARIANT,
    OPTION_BLOCK_ELEMENTS,
    OPTION_ITEM_NODES,
    OPTION_LIFT_NODES,
    OPTION_ITEM_FIELDS,
    OPTION_CONFIG,
    OPTION_TUNE,
    OPTION_FORGET,
    OPTION_SINGLY,
    OPTION_OUTPUT,
    OPTION_QUICK,
    OPTION_SETUP,
    OPTION_BESIDE,
    OPTION_HELP
};

static const struct option long_options[] = {
    {"orders", required_argument, NULL, OPTION_ORDERS},
    {"precision", required_argument, NULL, OPTION_PRECISION},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"mesh", required_argument, NULL, OPTION_MESH},
    {"elements", required_argument, NULL, OPTION_ELEMENTS},
    {"numbering", required_argument, NULL, OPTION_NUMBERING},
    {"boundary", required_argument, NULL, OPTION_BOUNDARY},
    {"steps", required_argument, NULL, OPTION_STEPS},
    {"repeats", required_argument, NULL, OPTION_REPEATS},
    {"integrator", required_argument, NULL, OPTION_INTEGRATOR},
    {"term", required_argument, NULL, OPTION_TERM},
    {"variant", required_argument, NULL, OPTION_VARIANT},
    {"block-elements", required_argument, NULL, OPTION_BLOCK_ELEMENTS},
    {"item-nodes", required_argument, NULL, OPTION_ITEM_NODES},
    {"lift-nodes", required_argument, NULL, OPTION_LIFT_NODES},
    {"item-fields", required_argument, NULL, OPTION_ITEM_FIELDS},
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"tune", required_argument, NULL, OPTION_TUNE},
    {"forget", no_argument, NULL, OPTION_FORGET},
    {"singly", no_argument, NULL, OPTION_SINGLY},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"quick", no_argument, NULL, OPTION_QUICK},
    {"setup", no_argument, NULL, OPTION_SETUP},
    {"beside", required_argument, NULL, OPTION_BESIDE},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

// Names with spaces between them, in lines of the help's second column.
static void print_names(const char *names)
{
    enum { COLUMN = 25, WIDTH = 79 };
    int at = WIDTH;

    while (*names != '\0') {
        const int length = (int)strcspn(names, " ");
        const bool fits = at + 1 + length <= WIDTH;
        at = (fits ? at + 1 : COLUMN) + length;
        printf("%s%*s%.*s", fits ? "" : "\n", fits ? 1 : COLUMN, "", length, names);
        names += length + (names[length] != '\0');
    }
    printf("\n");
}

void bench_options_print_help(void)
{
    printf("Usage: sedge-bench [options], under mpirun for several ranks\n\n"
           "Times one Runge-Kutta stage of Maxwell's equations, order by order.\n\n"
           "  --orders LIST          1-8, or 2,4,6 (default 1-8; 10 at most)\n"
           "  --precision LIST       fp32, fp64 or fp32,fp64 (default both)\n"
           "  --device KIND          auto, cuda, opencl or host (default auto)\n"
           "  --mesh box|FILE        generated boxes, or a Gmsh file for all orders\n"
           "  --elements LIST        tets of the box: one number, or one for each order\n"
           "  --numbering NAME       of the elements: clusters (default), curve, none\n"
           "  --boundary WHERE       mixed (default), or last: elements with boundary\n"
           "                         faces, whose kernels then run beside the others'\n"
           "  --integrator NAME      its stages (default lsrk45); ader: the one stage of its\n"
           "                         step, with the prediction before it\n"
           "  --term NAME            in all elements: layer (perfectly matched), debye, drude,\n"
           "                         lorentz\n"
           "  --steps N              time steps a repeat (default 20; on the host 4)\n"
           "  --repeats N            how often they are timed (default 5)\n"
           "  --variant NAME         the operator's kernels:");
    print_names(SEDGE_OPERATOR_VARIANTS);
    printf(
        "  --block-elements N     elements a block\n"
        "  --item-nodes N         nodes a work item in the volume\n"
        "  --lift-nodes N         nodes a work item in the lift\n"
        "  --item-fields N        fields a work item takes together\n"
        "  --config NAME          all of it, as the tuner's table names it\n"
        "  --tune LEVEL           off: wisdom, else the rule (default); fast, patient, "
        "exhaustive:\n"
        "                         tune first, and print the table\n"
        "  --forget               tune even if there is wisdom\n"
        "  --singly               launch each kernel, never a step as a graph\n"
        "  --output FILE          write all numbers as JSON\n"
        "  --quick                small meshes, few steps: does it work?\n"
        "  --setup                time mesh and operator set-up instead, with memory\n"
        "  --beside LIST          opencl, libxsmm (kernels around it), loop (written by hand, "
        "orders\n"
        "                         2, 4, 6) or opencl and one of the others: time the host beside\n"
        "                         them instead\n");
}

int bench_options_cells(const bench_options *options, int index, bool is_gpu)
{
    static const int sizes[] = {0, 56, 52, 44, 40, 36, 32, 28, 26, 24, 22};
    const int cells = sizes[options->orders[index]];

    if (options->element_count > 0)
        return bench_cells(options->elements[options->element_count > 1 ? index : 0]);
    if (options->quick) return cells / 8;
    return is_gpu ? cells : cells / 2;
}

// A number in [least, most] up to the end of `text` or to one of `ends`; moves `*text` there.
static sedge_status take_number(int64_t *out, const char **text, const char *ends, int64_t least,
                                int64_t most, const char *option)
{
    char *end = NULL;
    const long long value = strtoll(*text, &end, 10);

    if (end == *text || (*end != '\0' && strchr(ends, *end) == NULL) || value < least ||
        value > most) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: '%s' is not a number in %lld..%lld", option, *text,
                          (long long)least, (long long)most);
    }
    *out = value;
    *text = end;
    return SEDGE_OK;
}

static sedge_status take_int(int *out, const char *text, int least, int most, const char *option)
{
    int64_t value;

    SEDGE_TRY(take_number(&value, &text, "", least, most, option));
    *out = (int)value;
    return SEDGE_OK;
}

// "1-3,5"
static sedge_status take_orders(bench_options *out, const char *text)
{
    out->order_count = 0;
    for (;;) {
        int64_t first;
        SEDGE_TRY(take_number(&first, &text, "-,", SEDGE_ORDER_MIN, SEDGE_ORDER_MAX, "--orders"));
        int64_t last = first;
        if (*text == '-') {
            text++;
            SEDGE_TRY(take_number(&last, &text, ",", first, SEDGE_ORDER_MAX, "--orders"));
        }
        for (int64_t order = first; order <= last; order++) {
            if (out->order_count == SEDGE_ORDER_MAX) {
                return SEDGE_FAIL(SEDGE_ERR_USAGE, "--orders: more than %d orders",
                                  SEDGE_ORDER_MAX);
            }
            out->orders[out->order_count++] = (int)order;
        }
        if (*text == '\0') return SEDGE_OK;
        text++;
    }
}

static sedge_status take_elements(bench_options *out, const char *text)
{
    out->element_count = 0;
    for (;;) {
        if (out->element_count == SEDGE_ORDER_MAX)
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "--elements: more than %d numbers", SEDGE_ORDER_MAX);
        SEDGE_TRY(take_number(&out->elements[out->element_count++], &text, ",", 6, 1000000000,
                              "--elements"));
        if (*text == '\0') return SEDGE_OK;
        text++;
    }
}

static sedge_status take_precision(bench_options *out, const char *text)
{
    static const struct {
        const char *name;
        int count;
        sedge_precision list[2];
    } rows[] = {{"fp32", 1, {SEDGE_FP32, SEDGE_FP32}},
                {"fp64", 1, {SEDGE_FP64, SEDGE_FP64}},
                {"fp32,fp64", 2, {SEDGE_FP32, SEDGE_FP64}},
                {"fp64,fp32", 2, {SEDGE_FP64, SEDGE_FP32}}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(text, rows[i].name) != 0) continue;
        out->precision_count = rows[i].count;
        memcpy(out->precisions, rows[i].list, sizeof out->precisions);
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--precision: '%s' is not fp32, fp64 or fp32,fp64", text);
}

// In any order; the device is the host then, unless another one is named.
static sedge_status take_beside(bench_options *out, const char *text)
{
    static const char *const names[] = {"opencl", "libxsmm", "loop", "opencl,libxsmm",
                                        "opencl,loop"};

    for (int i = 0; i < 5; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        out->beside_opencl = i == 0 || i > 2;
        out->beside_stage = i == 0 ? NULL : names[(i - 1) % 2 + 1];
        if (strcmp(out->device, "auto") == 0) out->device = "host";
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "--beside: '%s' is not opencl, libxsmm, loop, opencl,libxsmm or opencl,loop",
                      text);
}

static sedge_status take_option(bench_options *out, int option, const char *word)
{
    switch (option) {
    case OPTION_ORDERS:
        return take_orders(out, optarg);
    case OPTION_PRECISION:
        return take_precision(out, optarg);
    case OPTION_DEVICE:
        out->device = optarg;
        return SEDGE_OK;
    case OPTION_MESH:
        out->mesh = strcmp(optarg, "box") == 0 ? NULL : optarg;
        return SEDGE_OK;
    case OPTION_ELEMENTS:
        return take_elements(out, optarg);
    case OPTION_NUMBERING:
        if (sedge_numbering_find(&out->numbering, optarg)) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--numbering: '%s' is not clusters, curve or none",
                          optarg);
    case OPTION_BOUNDARY:
        out->boundary_last = strcmp(optarg, "last") == 0;
        if (out->boundary_last || strcmp(optarg, "mixed") == 0) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--boundary: '%s' is not mixed or last", optarg);
    case OPTION_STEPS:
        return take_int(&out->steps, optarg, 1, 1000000, "--steps");
    case OPTION_REPEATS:
        return take_int(&out->repeats, optarg, 1, BENCH_MAX_REPEATS, "--repeats");
    case OPTION_INTEGRATOR:
        out->integrator = sedge_integrator_find(optarg);
        if (out->integrator != NULL) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--integrator: there is no '%s'", optarg);
    case OPTION_TERM:
        out->term = optarg;
        return SEDGE_OK;
    case OPTION_VARIANT:
        out->kernels.variant = optarg;
        return SEDGE_OK;
    case OPTION_BLOCK_ELEMENTS:
        return take_int(&out->kernels.block_elements, optarg, 1, 1024, "--block-elements");
    case OPTION_ITEM_NODES:
        return take_int(&out->kernels.item_nodes, optarg, 1, 1024, "--item-nodes");
    case OPTION_LIFT_NODES:
        return take_int(&out->kernels.lift_nodes, optarg, 1, 1024, "--lift-nodes");
    case OPTION_ITEM_FIELDS:
        return take_int(&out->kernels.item_fields, optarg, 1, 16, "--item-fields");
    case OPTION_CONFIG:
        out->kernels.config = optarg;
        return SEDGE_OK;
    case OPTION_TUNE:
        return sedge_tune_level_parse(&out->kernels.tune, optarg);
    case OPTION_FORGET:
        out->kernels.forget = true;
        return SEDGE_OK;
    case OPTION_SINGLY:
        out->kernels.launch_singly = true;
        return SEDGE_OK;
    case OPTION_OUTPUT:
        out->output = optarg;
        return SEDGE_OK;
    case OPTION_QUICK:
        out->quick = true;
        return SEDGE_OK;
    case OPTION_SETUP:
        out->setup = true;
        return SEDGE_OK;
    case OPTION_BESIDE:
        return take_beside(out, optarg);
    case OPTION_HELP:
        out->help = true;
        return SEDGE_OK;
    case ':':
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "option '%s' needs a value", word);
    default:
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown option '%s'; see --help", word);
    }
}

sedge_status bench_options_parse(bench_options *out, int argc, char **argv)
{
    memset(out, 0, sizeof *out);
    out->device = "auto";
    out->integrator = &sedge_integrator_lsrk45;
    SEDGE_TRY(take_orders(out, "1-8"));
    SEDGE_TRY(take_precision(out, "fp32,fp64"));
    opterr = 0;
    for (;;) {
        const char *const word = optind < argc ? argv[optind] : "";
        const int option = getopt_long(argc, argv, ":", long_options, NULL);
        if (option == -1) break;
        SEDGE_TRY(take_option(out, option, word));
    }
    if (optind < argc)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown word '%s'; see --help", argv[optind]);
    if (out->element_count > 1 && out->element_count != out->order_count) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--elements: %d numbers for %d orders; give one or %d",
                          out->element_count, out->order_count, out->order_count);
    }
    if (out->mesh != NULL && out->element_count > 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--elements is for boxes, not for a mesh file");
    if (out->output != NULL && (out->setup || out->beside_opencl || out->beside_stage != NULL))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--output is not for --setup or --beside, which print");
    if (out->repeats == 0) out->repeats = out->quick ? 2 : 5;
    return SEDGE_OK;
}
