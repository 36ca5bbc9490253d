// Reductions, scans, selection and random numbers compiled for CUDA chips, without one: nothing
// spills.
#include "reduce_kit.h"
#include "spill_check.h"

#include "reduce/random_kernel.h"
#include "reduce/reduce_call.h"
#include "reduce/scan.h"
#include "reduce/select.h"

typedef struct reduce_case {
    sedge_reduction reduction;
    sedge_type type;
    int64_t shape[2];
    int axis;
} reduce_case;

static void test_reductions(sedge_context *context)
{
    static const reduce_case cases[] = {
        {SEDGE_SUM, SEDGE_FLOAT32, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_SUM, SEDGE_FLOAT64, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_SUM, SEDGE_INT8, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_PRODUCT, SEDGE_COMPLEX128, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_ARGMIN, SEDGE_FLOAT32, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_ARGMAX, SEDGE_COMPLEX128, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_NORM_2, SEDGE_COMPLEX64, {1, 1 << 20}, SEDGE_ALL_AXES},
        {SEDGE_SUM, SEDGE_FLOAT32, {4096, 4096}, 1},
        {SEDGE_SUM, SEDGE_FLOAT32, {4096, 4096}, 0},
        {SEDGE_ARGMAX, SEDGE_FLOAT64, {100000, 5}, 1},
        {SEDGE_MAX, SEDGE_INT16, {100000, 5}, 0}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const reduce_case *const c = &cases[k];
        char name[64];
        sedge_array *array = NULL;
        sedge_text *text = NULL;

        (void)snprintf(name, sizeof name, "%s of %s, axis %d", sedge_reduction_name(c->reduction),
                       sedge_type_name(c->type), c->axis);
        CHECK_OK(sedge_array_create(&array, context, c->type, 2, c->shape));
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_reduce_program_write(text, SEDGE_DEVICE_CUDA, c->reduction, sedge_use(array),
                                            c->axis, NULL));
        check_cuda(name, text);
        sedge_text_free(text);
        sedge_array_free(array);
    }
}

// All that the tuner may try, too, of sums over columns.
static void test_reduce_candidates(sedge_context *context)
{
    static const struct {
        sedge_type type;
        int64_t shape[2];
        int axis;
    } cases[] = {{SEDGE_FLOAT32, {1 << 12, 1 << 10}, 0}, {SEDGE_FLOAT64, {1 << 12, 1 << 10}, 0}};
    const sedge_device_info one = {.kind = SEDGE_DEVICE_CUDA, .multiprocessors = 1};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS];
        sedge_analysis analysis;
        sedge_formula formula;
        sedge_reduce_plan plan;
        sedge_array *array = NULL;

        CHECK_OK(sedge_array_create(&array, context, cases[k].type, 2, cases[k].shape));
        CHECK_OK(sedge_expression_prepare(&analysis, sedge_use(array)));
        sedge_formula_make(&formula, SEDGE_SUM, analysis.type);
        sedge_reduce_plan_make(&plan, &analysis, sedge_reduce_rule(SEDGE_DEVICE_CUDA), &one,
                               cases[k].axis, formula.state_bytes);
        const sedge_reduce_call call = {&analysis, &formula, cases[k].axis};
        const int count = sedge_reduce_tunings(tunings, SEDGE_DEVICE_CUDA, &plan, &call);
        CHECK(count > 3);
        for (int c = 1; c < count; c++) {
            char name[96];
            (void)snprintf(name, sizeof name, "sum of %s, axis %d: candidate %d",
                           sedge_type_name(cases[k].type), cases[k].axis, c);
            sedge_text *text = NULL;
            CHECK_OK(sedge_text_create(&text));
            CHECK_OK(sedge_reduce_program_write(text, SEDGE_DEVICE_CUDA, SEDGE_SUM,
                                                sedge_use(array), cases[k].axis, &tunings[c]));
            check_cuda(name, text);
            sedge_text_free(text);
        }
        sedge_analysis_free(&analysis);
        sedge_array_free(array);
    }
}

typedef struct scan_case {
    sedge_reduction reduction;
    sedge_type type;
    bool exclusive, segmented, aligned;
} scan_case;

static void test_scans(void)
{
    static const scan_case cases[] = {{SEDGE_SUM, SEDGE_FLOAT32, false, false, true},
                                      {SEDGE_SUM, SEDGE_FLOAT32, true, true, true},
                                      {SEDGE_SUM, SEDGE_FLOAT32, false, false, false},
                                      {SEDGE_SUM, SEDGE_FLOAT64, false, false, true},
                                      {SEDGE_SUM, SEDGE_FLOAT64, true, false, true},
                                      {SEDGE_MAX, SEDGE_FLOAT32, true, false, true},
                                      {SEDGE_SUM, SEDGE_INT8, false, true, true},
                                      {SEDGE_MIN, SEDGE_INT8, false, false, true},
                                      {SEDGE_MAX, SEDGE_INT16, true, true, false},
                                      {SEDGE_PRODUCT, SEDGE_COMPLEX128, false, true, true},
                                      {SEDGE_MAX, SEDGE_COMPLEX64, true, false, true}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const scan_case *const c = &cases[k];
        char name[96];
        sedge_formula formula;
        sedge_scan_shape shape;
        sedge_text *text = NULL;

        (void)snprintf(name, sizeof name, "scan: %s of %s%s%s%s",
                       sedge_reduction_name(c->reduction), sedge_type_name(c->type),
                       c->exclusive ? ", exclusive" : "", c->segmented ? ", segmented" : "",
                       c->aligned ? "" : ", not aligned");
        sedge_formula_make(&formula, c->reduction, c->type);
        sedge_scan_shape_make(&shape, SEDGE_DEVICE_CUDA, &formula, c->exclusive, SEDGE_UINT8,
                              c->segmented, c->aligned, 99 << 10);
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_scan_program_write(text, SEDGE_DEVICE_CUDA, &shape, &formula));
        check_cuda(name, text);
        sedge_text_free(text);
    }
}

static void test_selection(void)
{
    static const sedge_select_shape shapes[] = {
        {SEDGE_SELECT_COMPRESS, SEDGE_FLOAT32, SEDGE_UINT8, 0},
        {SEDGE_SELECT_TAKE, SEDGE_COMPLEX128, SEDGE_INT32, 8},
        {SEDGE_SELECT_PUT, SEDGE_INT8, SEDGE_UINT64, 0}};

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        sedge_text *text = NULL;
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_select_program_write(text, SEDGE_DEVICE_CUDA, &shapes[k]));
        check_cuda("selection", text);
        sedge_text_free(text);
    }
}

static void test_random(void)
{
    static const sedge_random_shape shapes[] = {{SEDGE_INT8, SEDGE_RANDOM_BITS, 0},
                                                {SEDGE_FLOAT32, SEDGE_RANDOM_NORMAL, 0},
                                                {SEDGE_FLOAT64, SEDGE_RANDOM_NORMAL, 8},
                                                {SEDGE_COMPLEX64, SEDGE_RANDOM_UNIFORM, 2}};

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        sedge_text *text = NULL;
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_random_program_write(text, SEDGE_DEVICE_CUDA, &shapes[k]));
        check_cuda("random numbers", text);
        sedge_text_free(text);
    }
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_reductions(context);
    test_reduce_candidates(context);
    test_scans();
    test_selection();
    test_random();
    sedge_context_free(context);
    return CHECK_END();
}
