// Expressions into arrays, and arrays filled.
#include "elementwise/elementwise.h"

#include "array/overlap.h"
#include "array/strided.h"
#include "elementwise/analysis.h"
#include "elementwise/copy.h"
#include "elementwise/expression_text.h"

#include <math.h>
#include <string.h>

// ---- numbers -----------------------------------------------------------------------------------

// The bytes of a kernel's argument. An integer type takes `integer`.
static void set_number(unsigned char bytes[16], sedge_type type, const double value[2],
                       int64_t integer)
{
    const float narrow[2] = {(float)value[0], (float)value[1]};

    switch (type) {
    case SEDGE_FLOAT32:
        memcpy(bytes, narrow, sizeof narrow[0]);
        return;
    case SEDGE_COMPLEX64:
        memcpy(bytes, narrow, sizeof narrow);
        return;
    case SEDGE_FLOAT64:
        memcpy(bytes, value, sizeof value[0]);
        return;
    case SEDGE_COMPLEX128:
        memcpy(bytes, value, 2 * sizeof value[0]);
        return;
    case SEDGE_INT8:
    case SEDGE_UINT8:
    case SEDGE_INT16:
    case SEDGE_UINT16:
    case SEDGE_INT32:
    case SEDGE_UINT32:
    case SEDGE_INT64:
    case SEDGE_UINT64:
    case SEDGE_TYPES:
        break;
    }
    for (int i = 0; i < sedge_type_bytes(type); i++) // as on every machine here: low bytes first
        bytes[i] = (unsigned char)((uint64_t)integer >> (8 * i));
}

sedge_status sedge_number_convert(unsigned char bytes[16], sedge_type type, double value)
{
    const double parts[2] = {value, 0.0};
    int64_t integer = 0;

    if (sedge_type_is_integer(type)) {
        const bool with_sign = type <= SEDGE_INT64;
        const int bits = 8 * sedge_type_bytes(type) - (with_sign ? 1 : 0);
        const double least = with_sign ? -ldexp(1.0, bits) : 0.0;
        if (!(trunc(value) >= least && trunc(value) < ldexp(1.0, bits))) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "the number %g does not fit into %s", value,
                              sedge_type_name(type));
        }
        integer = value < 0.0 ? (int64_t)value : (int64_t)(uint64_t)value;
    }
    set_number(bytes, type, parts, integer);
    return SEDGE_OK;
}

// ---- checks ------------------------------------------------------------------------------------

sedge_status sedge_target_check(const sedge_array *array, int dimensions, const int64_t *shape)
{
    bool fits = dimensions <= array->dimensions;
    char own[SEDGE_SHAPE_TEXT];
    char other[SEDGE_SHAPE_TEXT];

    for (int d = 0; fits && d < dimensions; d++) {
        const int64_t size = array->shape[d + array->dimensions - dimensions];
        if (shape[d] != size && shape[d] != 1) fits = false;
    }
    if (!fits) {
        sedge_shape_print(own, array->dimensions, array->shape);
        sedge_shape_print(other, dimensions, shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "shape %s does not broadcast to the array's %s", other,
                          own);
    }
    if (sedge_array_repeats(array)) {
        sedge_shape_print(own, array->dimensions, array->shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "a broadcast view of shape %s cannot be written: elements share memory",
                          own);
    }
    return SEDGE_OK;
}

sedge_status sedge_overlap_check(const sedge_array *to, const sedge_array *from)
{
    char own[SEDGE_SHAPE_TEXT];
    char other[SEDGE_SHAPE_TEXT];

    if (!sedge_array_may_spoil(to, from)) return SEDGE_OK;
    sedge_shape_print(own, to->dimensions, to->shape);
    sedge_shape_print(other, from->dimensions, from->shape);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the array written, of shape %s, overlaps one that is read, of shape %s; "
                      "evaluate into a new array",
                      own, other);
}

// ---- expressions -------------------------------------------------------------------------------

static const char *const leaf_names[SEDGE_LEAVES] = {
    "leaf0",  "leaf1",  "leaf2",  "leaf3",  "leaf4",  "leaf5",  "leaf6",  "leaf7",
    "leaf8",  "leaf9",  "leaf10", "leaf11", "leaf12", "leaf13", "leaf14", "leaf15",
    "leaf16", "leaf17", "leaf18", "leaf19", "leaf20", "leaf21", "leaf22", "leaf23",
};

void sedge_job_start(sedge_job *job, sedge_context *context, sedge_array *result)
{
    job->context = context;
    job->title = NULL;
    job->preamble = "";
    job->body = NULL;
    job->analysis = NULL;
    job->gpu = sedge_job_needs_gpu_form(context);
    job->write_only = true;
    job->count = 1;
    job->member[0].name = "result";
    job->member[0].type = result->type;
    job->member[0].array = result;
    job->member[0].written = true;
}

void sedge_job_add_leaves(sedge_job *job, sedge_analysis *analysis)
{
    job->analysis = analysis;
    for (int k = 0; k < analysis->leaves; k++) {
        const sedge_leaf *const leaf = &analysis->leaf[k];
        sedge_member *const member = &job->member[job->count++];
        member->name = leaf_names[k];
        member->type = leaf->type;
        member->array = leaf->array;
        member->written = false;
        if (leaf->array == NULL) set_number(member->number, leaf->type, leaf->value, leaf->integer);
    }
}

// Run the job of an analysed expression into an array of its shape.
static sedge_status run_expression(sedge_array *array, sedge_analysis *analysis)
{
    unsigned char key[SEDGE_JOB_KEY + SEDGE_EXPRESSION_KEY];
    sedge_job job;

    if (sedge_array_size(array) == 0) return SEDGE_OK;
    sedge_job_start(&job, analysis->context, array);
    sedge_job_add_leaves(&job, analysis);
    sedge_job_plan(&job, array->dimensions, array->shape, true);
    const int addressing = sedge_job_key(key, &job, 'E');
    memcpy(key + addressing, analysis->key, (size_t)analysis->key_bytes);
    return sedge_job_run(&job, key, addressing + analysis->key_bytes);
}

sedge_status sedge_array_evaluate(sedge_array **out, sedge_expression *expression)
{
    sedge_status status;
    sedge_analysis analysis;
    sedge_array *array = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_expression_prepare(&analysis, expression));
    SEDGE_TRY_GOTO(status, sedge_array_create(&array, analysis.context, analysis.type,
                                              analysis.dimensions, analysis.shape));
    SEDGE_TRY_GOTO(status, run_expression(array, &analysis));
    *out = array;
    array = NULL;
done:
    sedge_array_free(array);
    sedge_analysis_free(&analysis);
    return status;
}

sedge_status sedge_array_assign(sedge_array *array, sedge_expression *expression)
{
    sedge_status status;
    sedge_analysis analysis;

    SEDGE_TRY(sedge_expression_prepare(&analysis, expression));
    if (analysis.context != array->context) {
        status =
            SEDGE_FAIL(SEDGE_ERR_USAGE,
                       "an expression of one context cannot be assigned to an array of another");
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_target_check(array, analysis.dimensions, analysis.shape));
    for (int k = 0; k < analysis.leaves; k++) {
        if (analysis.leaf[k].array != NULL)
            SEDGE_TRY_GOTO(status, sedge_overlap_check(array, analysis.leaf[k].array));
    }
    SEDGE_TRY_GOTO(status, run_expression(array, &analysis));
done:
    sedge_analysis_free(&analysis);
    return status;
}

// ---- filling -----------------------------------------------------------------------------------

// A job whose body is fixed by `tag` and the types.
static sedge_status run_own(sedge_job *job, const char *title, const char *body, char tag)
{
    const sedge_array *const result = job->member[0].array;
    unsigned char key[SEDGE_JOB_KEY];

    SEDGE_TRY(sedge_target_check(result, result->dimensions, result->shape));
    if (sedge_array_size(result) == 0) return SEDGE_OK;
    job->title = title;
    job->body = body;
    sedge_job_plan(job, result->dimensions, result->shape, tag == 'F');
    return sedge_job_run(job, key, sedge_job_key(key, job, tag));
}

static void add_number(sedge_job *job, const char *name, sedge_type type)
{
    sedge_member *const member = &job->member[job->count++];

    member->name = name;
    member->type = type;
    member->array = NULL;
    member->written = false;
}

sedge_status sedge_array_fill(sedge_array *array, double value)
{
    sedge_job job;

    sedge_job_start(&job, array->context, array);
    add_number(&job, "value", array->type);
    SEDGE_TRY(sedge_number_convert(job.member[1].number, array->type, value));
    return run_own(&job, "fill", "        result = value;", 'F');
}

sedge_status sedge_array_range(sedge_array *array, double start, double step)
{
    sedge_status status;
    sedge_job job;
    sedge_text *body = NULL;

    sedge_job_start(&job, array->context, array);
    add_number(&job, "start", SEDGE_FLOAT64);
    add_number(&job, "step", SEDGE_FLOAT64);
    SEDGE_TRY(sedge_number_convert(job.member[1].number, SEDGE_FLOAT64, start));
    SEDGE_TRY(sedge_number_convert(job.member[2].number, SEDGE_FLOAT64, step));
    SEDGE_TRY_GOTO(status, sedge_text_create(&body));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add(body, "        const double value = start + step * (double)i;\n"
                                        "        result = "));
    SEDGE_TRY_GOTO(status, sedge_conversion_write(body, "value", SEDGE_FLOAT64, array->type));
    SEDGE_TRY_GOTO(status, sedge_text_add(body, ";\n"));
    SEDGE_TRY_GOTO(status, run_own(&job, "range", sedge_text_get(body), 'R'));
done:
    sedge_text_free(body);
    return status;
}
