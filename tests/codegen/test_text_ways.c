// One kernel in the three ways of generating code: an unrolled linear combination of four vectors.
// All three compile and give the same numbers; their texts are golden files.
#include "program/program.h"
#include "text/substitute.h"
#include "text/template.h"
#include "text/tree.h"
#include "text_kit.h"

#include <float.h>

#define VECTORS 4
#define THREADS 128

static const double weights[VECTORS] = {0.5, -1.25, 0.1, 3.0};

// ---- the three ways ----------------------------------------------------------------------------

// Substitution: what repeats is put together by the caller.
static sedge_status by_substitution(sedge_text *out)
{
    static const char text[] = "#define COMBINE_PARAMETERS(X) \\\n"
                               "    $parameters$\n"
                               "    X(SEDGE_GLOBAL float *, z) \\\n"
                               "    X(int, count)\n"
                               "SEDGE_KERNEL(combine, $threads$, COMBINE_PARAMETERS)\n"
                               "{\n"
                               "    SEDGE_OUTER (b) {\n"
                               "        SEDGE_ITEMS (g, 1, n, $threads$, $threads$) {\n"
                               "            const sedge_int64 i = b * $threads$ + n;\n"
                               "            if (i < count) z[i] = $sum$;\n"
                               "        }\n"
                               "    }\n"
                               "}\n";
    sedge_status status;
    sedge_text *parameters = NULL, *sum = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&parameters));
    SEDGE_TRY_GOTO(status, sedge_text_create(&sum));
    for (int k = 0; k < VECTORS; k++) {
        SEDGE_TRY_GOTO(status, sedge_text_add(parameters, "X(const SEDGE_GLOBAL float *, x%d) %s",
                                              k, k < VECTORS - 1 ? "" : "\\"));
        SEDGE_TRY_GOTO(status, sedge_text_add(sum, k > 0 ? " + " : ""));
        SEDGE_TRY_GOTO(status, sedge_constant_write(sum, SEDGE_BINDING_FLOAT, weights[k]));
        SEDGE_TRY_GOTO(status, sedge_text_add(sum, " * x%d[i]", k));
    }
    const sedge_binding values[] = {SEDGE_BIND_TEXT("parameters", sedge_text_get(parameters)),
                                    SEDGE_BIND_TEXT("sum", sedge_text_get(sum)),
                                    SEDGE_BIND_INTEGER("threads", THREADS)};
    const sedge_pattern pattern = {
        .name = "combine.c", .text = text, .bindings = values, .count = 3};
    SEDGE_TRY_GOTO(status, sedge_substitute(out, &pattern));
done:
    sedge_text_free(parameters);
    sedge_text_free(sum);
    return status;
}

static sedge_status by_template(sedge_text *out)
{
    static const char text[] = "#define COMBINE_PARAMETERS(X) \\\n"
                               "$for k in 0..len(weights)$\n"
                               "    X(const SEDGE_GLOBAL float *, x$k$) \\\n"
                               "$end$\n"
                               "    X(SEDGE_GLOBAL float *, z) \\\n"
                               "    X(int, count)\n"
                               "SEDGE_KERNEL(combine, $threads$, COMBINE_PARAMETERS)\n"
                               "{\n"
                               "    SEDGE_OUTER (b) {\n"
                               "        SEDGE_ITEMS (g, 1, n, $threads$, $threads$) {\n"
                               "            const sedge_int64 i = b * $threads$ + n;\n"
                               "            if (i < count) {\n"
                               "                float sum = $weights[0]$ * x0[i];\n"
                               "$for k in 1..len(weights)$\n"
                               "                sum = sum + $weights[k]$ * x$k$[i];\n"
                               "$end$\n"
                               "                z[i] = sum;\n"
                               "            }\n"
                               "        }\n"
                               "    }\n"
                               "}\n";
    const sedge_binding values[] = {SEDGE_BIND_FLOATS("weights", weights, VECTORS),
                                    SEDGE_BIND_INTEGER("threads", THREADS)};
    const sedge_pattern pattern = {
        .name = "combine.c", .text = text, .bindings = values, .count = 2};

    return sedge_template_write(out, &pattern);
}

static void grow_kernel(sedge_tree *tree)
{
    sedge_tree_parameter list[VECTORS + 2];

    for (int k = 0; k < VECTORS; k++) {
        list[k].type = "const SEDGE_GLOBAL float *";
        list[k].name = sedge_tree_text(tree, "x%d", k);
    }
    list[VECTORS] = (sedge_tree_parameter){"SEDGE_GLOBAL float *", "z"};
    list[VECTORS + 1] = (sedge_tree_parameter){"int", "count"};
    sedge_node *const kernel =
        sedge_tree_kernel(sedge_tree_module(tree), "combine", THREADS, list, VECTORS + 2);
    sedge_node *const outer = sedge_tree_block(kernel, "SEDGE_OUTER (b)");
    sedge_node *const items =
        sedge_tree_block(outer, "SEDGE_ITEMS (g, 1, n, %d, %d)", THREADS, THREADS);
    sedge_tree_define(items, "const sedge_int64", "i", "b * %d + n", THREADS);
    sedge_node *const inside = sedge_tree_if(items, "i < count");
    sedge_tree_define(inside, "float", "sum", "%s * x0[i]",
                      sedge_tree_float(tree, (float)weights[0]));
    for (int k = 1; k < VECTORS; k++) {
        sedge_tree_assign(inside, "sum", "=", "sum + %s * x%d[i]",
                          sedge_tree_float(tree, (float)weights[k]), k);
    }
    sedge_tree_assign(inside, "z[i]", "=", "sum");
}

static sedge_status by_tree(sedge_text *out)
{
    sedge_status status;
    sedge_tree *tree = NULL;

    SEDGE_TRY(sedge_tree_create(&tree, "combine of 4 vectors"));
    grow_kernel(tree);
    status = sedge_tree_write(out, tree);
    sedge_tree_free(tree);
    return status;
}

static const struct {
    const char *name, *golden;
    sedge_status (*make)(sedge_text *out);
} ways[] = {{"substitution", "combine_substitution.txt", by_substitution},
            {"template", "combine_template.txt", by_template},
            {"tree", "combine_tree.txt", by_tree}};

#define WAYS (int)(sizeof ways / sizeof ways[0])

// ---- running -----------------------------------------------------------------------------------

enum { COUNT = 1000 }; // no multiple of THREADS

static float vectors[VECTORS][COUNT];
static float results[WAYS][COUNT];

static sedge_status launch(sedge_device *device, const sedge_kernel *kernel, float *result)
{
    sedge_buffer *buffers[VECTORS + 1] = {NULL};
    uint64_t addresses[VECTORS + 1];
    void *arguments[VECTORS + 2];
    int count = COUNT;
    sedge_status status;

    for (int k = 0; k <= VECTORS; k++) {
        SEDGE_TRY_GOTO(status, sedge_buffer_create(&buffers[k], device, sizeof vectors[0]));
        addresses[k] = sedge_buffer_address(buffers[k]);
        arguments[k] = &addresses[k];
        if (k == VECTORS) continue;
        SEDGE_TRY_GOTO(status,
                       sedge_buffer_upload(buffers[k], 0, vectors[k], sizeof vectors[0], NULL));
    }
    arguments[VECTORS + 1] = &count;
    SEDGE_TRY_GOTO(status, sedge_kernel_launch(kernel, NULL, (COUNT + THREADS - 1) / THREADS,
                                               THREADS, arguments, VECTORS + 2));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_download(buffers[VECTORS], 0, result, sizeof vectors[0], NULL));
done:
    for (int k = 0; k <= VECTORS; k++) sedge_buffer_free(buffers[k]);
    return status;
}

static void run_way(sedge_device *device, sedge_cache *cache, int way)
{
    sedge_text *text = NULL;
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(ways[way].make(text));
    const sedge_source source = {"combine.c", sedge_text_get(text)};
    const sedge_program_options options = {
        .name = ways[way].name, .constants = "", .sources = &source, .count = 1};
    CHECK_OK(sedge_program_create(&program, NULL, device, cache, &options));
    if (program != NULL) {
        CHECK_OK(sedge_program_get(&kernel, program, "combine"));
        CHECK_OK(launch(device, kernel, results[way]));
    }
    sedge_program_free(program);
    sedge_text_free(text);
}

// The same operations in the same order: the same numbers. Against the sum in double, each of the
// at most 2 VECTORS roundings is off by half an epsilon of the sum of the absolute values.
static void test_results(sedge_device *device)
{
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_cache_create(&cache, NULL));
    for (int k = 0; k < VECTORS; k++)
        for (int i = 0; i < COUNT; i++) vectors[k][i] = (float)((i * 37 + k * 11) % 101) / 7.0f - 6;
    for (int way = 0; way < WAYS; way++) run_way(device, cache, way);
    for (int i = 0; i < COUNT; i++) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k < VECTORS; k++) {
            const double term = (double)(float)weights[k] * (double)vectors[k][i];
            sum += term;
            size += fabs(term);
        }
        CHECK_BOUND(fabs((double)results[0][i] - sum), VECTORS * (double)FLT_EPSILON * size);
    }
    for (int way = 1; way < WAYS; way++)
        CHECK(memcmp(results[way], results[0], sizeof results[0]) == 0);
    sedge_cache_free(cache);
}

static void test_golden(void)
{
    for (int way = 0; way < WAYS; way++) {
        sedge_text *text = NULL;
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(ways[way].make(text));
        check_golden(ways[way].golden, sedge_text_get(text));
        sedge_text_free(text);
    }
}

#ifdef SEDGE_TEST_NVRTC
static void test_nvrtc(void)
{
    static const char *const archs[] = {"sm_80", "sm_90"};

    for (int i = 0; i < 2 * WAYS; i++) {
        sedge_text *made = NULL, *text = NULL, *log = NULL;
        void *binary = NULL;
        size_t length = 0;
        CHECK_OK(sedge_text_create(&made));
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_text_create(&log));
        CHECK_OK(ways[i / 2].make(made));
        const sedge_source source = {"combine.c", sedge_text_get(made)};
        const sedge_program_options options = {
            .name = ways[i / 2].name, .constants = "", .sources = &source, .count = 1};
        CHECK_OK(sedge_program_write(text, SEDGE_DEVICE_CUDA, &options));
        CHECK_OK(sedge_nvrtc_compile(sedge_text_get(text), archs[i % 2], &binary, &length, log));
        CHECK(length > 0);
        sedge_release(binary);
        sedge_text_free(made);
        sedge_text_free(text);
        sedge_text_free(log);
    }
}
#endif

int main(void)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");
    sedge_device *device = NULL;

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, kind != NULL ? kind : "host", 0, 1));
    if (device != NULL) test_results(device);
    test_golden();
#ifdef SEDGE_TEST_NVRTC
    test_nvrtc();
#endif
    sedge_device_free(device);
    sedge_device_stop_helper();
    return CHECK_END();
}
