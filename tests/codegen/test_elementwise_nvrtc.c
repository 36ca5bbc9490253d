// Elementwise kernels as an NVIDIA GPU gets them, compiled without one: every operation of every
// type, every way of addressing; vector loads where they may be, nothing in local memory.
#include "array/strided.h"
#include "array_case.h"
#include "base/memory.h"
#include "elementwise/elementwise.h"
#include "spill_check.h"

typedef struct compiled {
    char *binary; // for compute_NN readable assembly
    sedge_text *log;
} compiled;

static bool compile(compiled *out, sedge_array *array, sedge_expression *expression,
                    const char *arch)
{
    sedge_text *text = NULL;
    void *binary = NULL;
    size_t length;

    *out = (compiled){NULL, NULL};
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_text_create(&out->log));
    CHECK_OK(sedge_elementwise_preview(text, SEDGE_DEVICE_CUDA, array, expression, 0));
    CHECK_OK(sedge_nvrtc_compile(sedge_text_get(text), arch, &binary, &length, out->log));
    out->binary = binary;
    sedge_text_free(text);
    return binary != NULL;
}

static void release(compiled *it)
{
    sedge_release(it->binary);
    sedge_text_free(it->log);
}

// Arrays in registers, not in memory: what the compiler could not keep shows in its log.
static void check_registers(sedge_array *array, sedge_expression *expression)
{
    compiled it;

    if (compile(&it, array, expression, "sm_90")) {
        CHECK(strstr(sedge_text_get(it.log), " 0 bytes stack frame") != NULL);
        CHECK(strstr(sedge_text_get(it.log), " 0 bytes spill stores") != NULL);
    }
    release(&it);
}

static bool has_form(const sedge_array *a, const sedge_array *b, int operation)
{
    sedge_expression *expression = NULL;
    sedge_analysis analysis;
    int k = 0;

#define APPLY_1(name) sedge_##name(sedge_use(a))
#define APPLY_2(name) sedge_##name(sedge_use(a), sedge_use(b))
#define MAKE(name, operands, kind) \
    if (k++ == operation) expression = APPLY_##operands(name);
    SEDGE_OPERATION_LIST(MAKE)
    if (sedge_expression_prepare(&analysis, expression) != SEDGE_OK) return false;
    sedge_analysis_free(&analysis);
    return true;
}

// The sum of all operations that the type has, and of all conversions.
static void test_operations(sedge_context *context, sedge_type type)
{
    sedge_array *const a = CASE_ARRAY(context, type, NULL, (100));
    sedge_array *const b = CASE_ARRAY(context, type, NULL, (100));
    sedge_array *const sum = CASE_ARRAY(context, SEDGE_COMPLEX128, NULL, (100));
    sedge_expression *all = sedge_convert(sedge_use(a), SEDGE_COMPLEX128);
    compiled it;
    int k = 0;

#define ADD(name, operands, kind)                                                             \
    if (has_form(a, b, k)) all = sedge_add(all, sedge_convert(APPLY_##operands(name), type)); \
    k++;
    SEDGE_OPERATION_LIST(ADD)
    CHECK(compile(&it, sum, all, "compute_90"));
    release(&it);
    all = sedge_convert(sedge_use(a), SEDGE_COMPLEX128);
    for (int t = 0; t < SEDGE_TYPES; t++)
        all = sedge_add(all, sedge_convert(sedge_convert(sedge_use(a), (sedge_type)t), type));
    CHECK(compile(&it, sum, all, "sm_80"));
    release(&it);
    sedge_array_free(a);
    sedge_array_free(b);
    sedge_array_free(sum);
}

static sedge_expression *combine(const sedge_array *x, const sedge_array *y)
{
    return sedge_add(sedge_multiply(sedge_number(2.0), sedge_use(x)),
                     sedge_multiply(sedge_number(3.0), sedge_use(y)));
}

static void test_vector_loads(sedge_context *context)
{
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (1001));
    sedge_array *const y = CASE_ARRAY(context, SEDGE_FLOAT64, NULL, (1000));
    sedge_array *const z = CASE_ARRAY(context, SEDGE_FLOAT64, NULL, (1000));
    sedge_array *part[2] = {NULL, NULL};
    compiled it;

    CHECK_OK(sedge_array_slice(&part[0], x, &(sedge_slice){0, 1000, 1}));
    CHECK_OK(sedge_array_slice(&part[1], x, &(sedge_slice){1, 1001, 1}));
    CHECK(compile(&it, z, combine(part[0], y), "compute_90"));
    CHECK(it.binary != NULL && strstr(it.binary, "ld.global.v4.") != NULL); // of float32
    CHECK(it.binary != NULL && strstr(it.binary, "st.global.v2.") != NULL); // of float64
    release(&it);
    CHECK(compile(&it, z, combine(part[1], y), "compute_90"));
    CHECK(it.binary != NULL && strstr(it.binary, "ld.global.v4.") == NULL);
    release(&it);
    check_registers(z, combine(part[0], y));
    check_registers(z, combine(part[1], y));
    sedge_array_free(part[0]);
    sedge_array_free(part[1]);
    sedge_array_free(x);
    sedge_array_free(y);
    sedge_array_free(z);
}

// All that the tuner may choose of a linear combination: packed in both precisions, and with gaps.
static void test_tunings(sedge_context *context)
{
    sedge_array *const x[2] = {CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (1000)),
                               CASE_ARRAY(context, SEDGE_FLOAT64, NULL, (1000))};
    sedge_array *gaps = NULL;

    CHECK_OK(sedge_array_slice(&gaps, x[0], &(sedge_slice){0, 1000, 2}));
    for (int choice = 0; choice < SEDGE_ELEMENTWISE_TUNINGS; choice++) {
        const sedge_array *const from[] = {x[0], x[1], gaps};
        static const char *const names[] = {"float32", "float64", "gaps"};
        for (int k = 0; k < 3; k++) {
            sedge_array *const to = CASE_ARRAY(context, from[k]->type, NULL, (from[k]->shape[0]));
            sedge_text *text = NULL;
            char name[32];
            (void)snprintf(name, sizeof name, "combination %s %d", names[k], choice);
            CHECK_OK(sedge_text_create(&text));
            CHECK_OK(sedge_elementwise_preview(text, SEDGE_DEVICE_CUDA, to,
                                               combine(from[k], from[k]), choice));
            check_cuda(name, text);
            sedge_text_free(text);
            sedge_array_free(to);
        }
    }
    sedge_array_free(gaps);
    for (int k = 0; k < 2; k++) sedge_array_free(x[k]);
}

static void test_addressing(sedge_context *context)
{
    sedge_array *const cube = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (7, 8, 9));
    sedge_array *const back = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (9, 8, 7));
    sedge_array *const row = CASE_ARRAY(context, SEDGE_COMPLEX64, NULL, (9));
    sedge_array *const column = CASE_ARRAY(context, SEDGE_INT16, NULL, (8, 1));
    sedge_array *const target = CASE_ARRAY(context, SEDGE_COMPLEX64, NULL, (7, 8, 9));
    sedge_array *turned = NULL;
    sedge_array large;

    CHECK_OK(sedge_array_transpose(&turned, back, NULL));
    check_registers(target, sedge_add(combine(cube, turned),
                                      sedge_multiply(sedge_use(row), sedge_use(column))));
    // 64 bits an index: only the header is looked at.
    large = *cube;
    large.shape[0] = (int64_t)1 << 30;
    large.stride[0] = 100;
    check_registers(&large, combine(&large, &large));
    large.dimensions = 1;
    large.shape[0] = (int64_t)1 << 40;
    large.stride[0] = 1;
    check_registers(&large, combine(&large, &large));
    sedge_array_free(turned);
    sedge_array_free(cube);
    sedge_array_free(back);
    sedge_array_free(row);
    sedge_array_free(column);
    sedge_array_free(target);
}

int main(void)
{
    // The others have the same texts; numpy_check.py compares their numbers.
    static const sedge_type types[] = {SEDGE_INT8,    SEDGE_UINT64,    SEDGE_FLOAT32,
                                       SEDGE_FLOAT64, SEDGE_COMPLEX64, SEDGE_COMPLEX128};
    sedge_context *const context = case_open();

    for (size_t t = 0; t < sizeof types / sizeof *types; t++) test_operations(context, types[t]);
    test_vector_loads(context);
    test_tunings(context);
    test_addressing(context);
    case_close(context);
    return CHECK_END();
}
