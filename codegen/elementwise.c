// Expressions and snippets as kernels: one program for each operation, types and way of addressing.
#include "codegen/elementwise.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the job -----------------------------------------------------------------------------------

static void set_access(sedge_job *job)
{
    const sedge_walk *const walk = &job->walk;

    job->strided = 0;
    for (int k = 0; k < job->count; k++) {
        sedge_member *const member = &job->member[k];
        bool single = walk->dimensions > 0;
        for (int d = 0; d < walk->dimensions; d++)
            if (walk->stride[k][d] != 0) single = false;
        member->slot = 0;
        if (member->array == NULL) {
            member->access = SEDGE_ACCESS_NUMBER;
        } else if (single) {
            member->access = SEDGE_ACCESS_CONSTANT;
        } else if (walk->contiguous) {
            member->access = SEDGE_ACCESS_CONTIGUOUS;
        } else {
            const int64_t last = walk->stride[k][walk->dimensions - 1];
            member->slot = job->strided++;
            member->access = last == 1   ? SEDGE_ACCESS_ROWS
                             : last == 0 ? SEDGE_ACCESS_REPEATED
                                         : SEDGE_ACCESS_STRIDED;
        }
    }
}

static bool is_moved(const sedge_member *member)
{
    return member->access >= SEDGE_ACCESS_CONTIGUOUS;
}

// Elements a pack: 16 bytes of the smallest type, at most 64 of the largest.
static void choose_pack(sedge_job *job)
{
    int least = 16;
    int most = 1;

    job->pack = 1;
    job->aligned = false;
    if (!job->gpu || !job->walk.contiguous) return;
    for (int k = 0; k < job->count; k++) {
        const int size = sedge_type_bytes(job->member[k].type);
        if (!is_moved(&job->member[k])) continue;
        if (size < least) least = size;
        if (size > most) most = size;
    }
    job->pack = 16 / least < 64 / most ? 16 / least : 64 / most;
    job->aligned = true;
    for (int k = 0; k < job->count; k++) {
        const int bytes = job->pack * sedge_type_bytes(job->member[k].type);
        const uint64_t piece = (uint64_t)(bytes < 16 ? bytes : 16);
        if (is_moved(&job->member[k]) && sedge_array_address(job->member[k].array) % piece != 0)
            job->aligned = false;
    }
}

// On the host indices always have 64 bits; on a GPU where they need it, a block's more included.
static bool needs_wide(const sedge_job *job)
{
    const int64_t most = INT32_MAX - ((int64_t)1 << 20);
    const sedge_walk *const walk = &job->walk;

    if (!job->gpu || walk->count > most) return true;
    for (int k = 0; k < job->count; k++) {
        int64_t reach = 0;
        for (int d = 0; d < walk->dimensions; d++) {
            const int64_t stride = walk->stride[k][d];
            reach += (walk->shape[d] - 1) * (stride < 0 ? -stride : stride);
        }
        if (reach > most) return true;
    }
    return false;
}

// How the elements of a shape are visited; members are set. `sort`: in any order.
static void plan_job(sedge_job *job, int dimensions, const int64_t *shape, bool sort)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(job->context));
    const sedge_array *arrays[SEDGE_OPERANDS];

    for (int k = 0; k < job->count; k++) arrays[k] = job->member[k].array;
    sedge_walk_make(&job->walk, dimensions, shape, job->count, arrays);
    if (sort) sedge_walk_sort(&job->walk, job->count);
    job->gpu = info->kind != SEDGE_DEVICE_HOST || info->random_order;
    set_access(job);
    choose_pack(job);
    job->wide = needs_wide(job);
}

// ---- making the kernel -------------------------------------------------------------------------

int sedge_elementwise_tunings(sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS],
                              const sedge_job *job)
{
    static const int threads[] = {256, 128, 512, 1024};
    int arrays = 0;
    int count = 0;

    if (!job->gpu) { // `packs` elements a block, in one vectorised loop
        for (int items = 8192; items <= 65536; items *= 2)
            tunings[count++] = (sedge_elementwise_tuning){1, items};
        return count;
    }
    for (int k = 0; k < job->count; k++)
        if (is_moved(&job->member[k]) && !(job->member[k].written && job->blind)) arrays++;
    // Enough bytes on their way: two packs where only one array is read.
    const int packs = job->walk.contiguous ? (arrays < 2 ? 2 : 1) : 4;
    for (int more = 0; more < 3; more++) {
        for (int t = 0; t < 4; t++) {
            tunings[count++] =
                (sedge_elementwise_tuning){threads[t], more == 0   ? packs
                                                       : more == 1 ? 2 * packs
                                                                   : (packs > 1 ? packs / 2 : 4)};
        }
    }
    return count;
}

// `title` for messages, kept files and the key of the cache.
static sedge_status make_kernel(sedge_recipe *recipe, const sedge_job *job, const char *title)
{
    sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS];
    sedge_source sources[] = {{"codegen/kernels/numbers.h", NULL},
                              {"elementwise", NULL},
                              {"codegen/kernels/elementwise.h", NULL}};
    const sedge_program_options options = {
        .name = title, .constants = "", .sources = sources, .count = 3};
    const sedge_program *program;
    sedge_status status;
    sedge_text *text = NULL;

    (void)sedge_elementwise_tunings(tunings, job);
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_elementwise_write(text, job, &tunings[0]));
    sources[1].text = sedge_text_get(text);
    SEDGE_TRY_GOTO(status, sedge_context_program(job->context, &program, &options));
    SEDGE_TRY_GOTO(status, sedge_program_get(&recipe->kernel[0], program, "sedge_elements"));
    recipe->threads = tunings[0].threads;
    recipe->items = (int64_t)tunings[0].threads * tunings[0].packs * job->pack;
done:
    sedge_text_free(text);
    return status;
}

// ---- launching ---------------------------------------------------------------------------------

// Space for the largest sedge_layout_of_operands.
typedef union layout_bytes {
    int64_t wide[1 + SEDGE_ARRAY_DIMENSIONS * (1 + SEDGE_OPERANDS)];
    unsigned char bytes[1];
} layout_bytes;

static void put_index(layout_bytes *layout, size_t *used, bool wide, int64_t index)
{
    const int32_t narrow = (int32_t)index;

    memcpy(layout->bytes + *used, wide ? (const void *)&index : &narrow, wide ? 8 : 4);
    *used += wide ? 8 : 4;
}

static void fill_layout(layout_bytes *layout, const sedge_job *job)
{
    const sedge_walk *const walk = &job->walk;
    size_t used = sizeof walk->count;

    memcpy(layout->bytes, &walk->count, sizeof walk->count);
    for (int d = 0; d < walk->dimensions; d++) put_index(layout, &used, job->wide, walk->shape[d]);
    for (int k = 0; k < job->count; k++) {
        if (job->member[k].access < SEDGE_ACCESS_ROWS) continue;
        for (int d = 0; d < walk->dimensions; d++)
            put_index(layout, &used, job->wide, walk->stride[k][d]);
    }
}

static sedge_status launch_job(const sedge_job *job, const sedge_recipe *recipe)
{
    uint64_t addresses[SEDGE_OPERANDS];
    const void *numbers[SEDGE_OPERANDS];
    void *arguments[SEDGE_OPERANDS + 1];
    layout_bytes layout;
    int64_t count = job->walk.count;

    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        numbers[k] = member->number;
        if (member->array != NULL) {
            addresses[k] = sedge_array_address(member->array);
            arguments[k] = &addresses[k];
        } else {
            memcpy(&arguments[k], &numbers[k], sizeof arguments[k]);
        }
    }
    if (!job->walk.contiguous) fill_layout(&layout, job);
    arguments[job->count] = job->walk.contiguous ? (void *)&count : &layout;
    return sedge_kernel_launch(recipe->kernel[0], sedge_context_stream(job->context),
                               (count + recipe->items - 1) / recipe->items, recipe->threads,
                               arguments, job->count + 1);
}

// ---- from key to launch ------------------------------------------------------------------------

// A key: what the addressing decides, and what the caller knows of the body.
enum { KEY_ADDRESSING = 4 + 2 * SEDGE_OPERANDS };

static int write_key(unsigned char *key, const sedge_job *job, char tag)
{
    int bytes = 0;

    key[bytes++] = (unsigned char)tag;
    key[bytes++] = (unsigned char)(job->walk.contiguous ? 0 : job->walk.dimensions);
    key[bytes++] = (unsigned char)((job->wide ? 1 : 0) | (job->aligned ? 2 : 0));
    key[bytes++] = (unsigned char)job->count;
    for (int k = 0; k < job->count; k++) {
        key[bytes++] = (unsigned char)job->member[k].access;
        key[bytes++] = (unsigned char)job->member[k].type;
    }
    return bytes;
}

// "expression-0123456789abcdef": a name that the same key always has.
static void write_title(char title[48], const char *what, const unsigned char *key, int bytes)
{
    uint64_t hash = 0xcbf29ce484222325u; // Fowler, Noll and Vo

    for (int i = 0; i < bytes; i++) hash = (hash ^ key[i]) * 0x100000001b3u;
    (void)snprintf(title, 48, "%s-%016llx", what, (unsigned long long)hash);
}

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

// A plain number for an array's type, which an integer type has to hold.
static sedge_status convert_number(unsigned char bytes[16], sedge_type type, double value)
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

// ---- expressions -------------------------------------------------------------------------------

static const char *const leaf_names[SEDGE_LEAVES] = {
    "leaf0",  "leaf1",  "leaf2",  "leaf3",  "leaf4",  "leaf5",  "leaf6",  "leaf7",
    "leaf8",  "leaf9",  "leaf10", "leaf11", "leaf12", "leaf13", "leaf14", "leaf15",
    "leaf16", "leaf17", "leaf18", "leaf19", "leaf20", "leaf21", "leaf22", "leaf23",
};

static void start_job(sedge_job *job, sedge_context *context, sedge_array *result)
{
    job->context = context;
    job->preamble = "";
    job->blind = true;
    job->count = 1;
    job->member[0].name = "result";
    job->member[0].type = result->type;
    job->member[0].array = result;
    job->member[0].written = true;
}

static sedge_status make_expression(sedge_recipe *recipe, sedge_job *job, sedge_analysis *analysis,
                                    const char *title)
{
    sedge_status status;
    sedge_text *body = NULL;

    SEDGE_TRY(sedge_analysis_write(analysis));
    SEDGE_TRY(sedge_text_create(&body));
    SEDGE_TRY_GOTO(status, sedge_text_add(body, "result = "));
    SEDGE_TRY_GOTO(status, sedge_conversion_write(body, sedge_text_get(analysis->text),
                                                  analysis->type, job->member[0].type));
    SEDGE_TRY_GOTO(status, sedge_text_add(body, ";"));
    job->body = sedge_text_get(body);
    job->name = title;
    SEDGE_TRY_GOTO(status, make_kernel(recipe, job, title));
done:
    sedge_text_free(body);
    return status;
}

// Run the job of an analysed expression into an array of its shape.
static sedge_status run_expression(sedge_array *array, sedge_analysis *analysis)
{
    unsigned char key[KEY_ADDRESSING + SEDGE_EXPRESSION_KEY];
    sedge_job job;

    if (sedge_array_size(array) == 0) return SEDGE_OK;
    start_job(&job, analysis->context, array);
    for (int k = 0; k < analysis->leaves; k++) {
        const sedge_leaf *const leaf = &analysis->leaf[k];
        sedge_member *const member = &job.member[job.count++];
        member->name = leaf_names[k];
        member->type = leaf->type;
        member->array = leaf->array;
        member->written = false;
        if (leaf->array == NULL) set_number(member->number, leaf->type, leaf->value, leaf->integer);
    }
    plan_job(&job, array->dimensions, array->shape, true);
    const int addressing = write_key(key, &job, 'E');
    const int bytes = addressing + analysis->key_bytes;
    memcpy(key + addressing, analysis->key, (size_t)analysis->key_bytes);
    const sedge_recipe *found = sedge_recipe_find(analysis->context, key, bytes);
    if (found == NULL) {
        sedge_recipe made = {.blocks = 0};
        char title[48];
        write_title(title, "expression", key, bytes);
        SEDGE_TRY(make_expression(&made, &job, analysis, title));
        SEDGE_TRY(sedge_recipe_keep(analysis->context, key, bytes, &made));
        found = sedge_recipe_find(analysis->context, key, bytes);
    }
    return launch_job(&job, found);
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

// Whether elements of `shape` can be written to all of `array`.
static sedge_status check_target(const sedge_array *array, int dimensions, const int64_t *shape)
{
    bool fits = dimensions <= array->dimensions;
    char own[SEDGE_SHAPE_TEXT];
    char other[SEDGE_SHAPE_TEXT];

    for (int d = 0; fits && d < dimensions; d++) {
        const int64_t size = array->shape[d + array->dimensions - dimensions];
        if (shape[d] != size && shape[d] != 1) fits = false;
    }
    sedge_shape_print(own, array->dimensions, array->shape);
    if (!fits) {
        sedge_shape_print(other, dimensions, shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "shape %s does not broadcast to the array's %s", other,
                          own);
    }
    if (sedge_array_repeats(array)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "a broadcast view of shape %s cannot be written: elements share memory",
                          own);
    }
    return SEDGE_OK;
}

static sedge_status check_overlap(const sedge_array *to, const sedge_array *from)
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
    SEDGE_TRY_GOTO(status, check_target(array, analysis.dimensions, analysis.shape));
    for (int k = 0; k < analysis.leaves; k++) {
        if (analysis.leaf[k].array != NULL)
            SEDGE_TRY_GOTO(status, check_overlap(array, analysis.leaf[k].array));
    }
    SEDGE_TRY_GOTO(status, run_expression(array, &analysis));
done:
    sedge_analysis_free(&analysis);
    return status;
}

// ---- own elementwise kernels -------------------------------------------------------------------

static sedge_status check_word(const char *name)
{
    bool fine = isalpha((unsigned char)name[0]) || name[0] == '_';

    for (const char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') fine = false;
    if (strcmp(name, "i") == 0 || strncmp(name, "sedge_", 6) == 0) fine = false;
    if (fine) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "operand '%s': a name is a word of C, not i and not sedge_...", name);
}

static sedge_status add_operand(sedge_job *job, const sedge_operand *operand)
{
    sedge_member *const member = &job->member[job->count];

    SEDGE_TRY(check_word(operand->name));
    for (int k = 0; k < job->count; k++) {
        if (strcmp(job->member[k].name, operand->name) != 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has two operands '%s'", job->name,
                          operand->name);
    }
    member->name = operand->name;
    member->array = operand->array;
    member->written = operand->written;
    job->count++;
    if (operand->array == NULL) {
        if (operand->written) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s': operand '%s' is written, but no array",
                              job->name, operand->name);
        }
        member->type = operand->type;
        return convert_number(member->number, operand->type, operand->value);
    }
    member->type = operand->array->type;
    if (operand->array->context == job->context) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s': operand '%s' is of another context", job->name,
                      operand->name);
}

// All written arrays have one shape, to which the others are broadcast. `*shaped` is one of them.
static sedge_status check_operands(const sedge_array **shaped, const sedge_job *job)
{
    *shaped = NULL;
    for (int k = 0; k < job->count && *shaped == NULL; k++)
        if (job->member[k].written) *shaped = job->member[k].array;
    if (*shaped == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' writes no array", job->name);
    for (int k = 0; k < job->count; k++) {
        const sedge_array *const array = job->member[k].array;
        if (array == NULL) continue;
        if (job->member[k].written)
            SEDGE_TRY(check_target(array, (*shaped)->dimensions, (*shaped)->shape));
        SEDGE_TRY(check_target(*shaped, array->dimensions, array->shape));
        for (int other = 0; other < job->count; other++) {
            const sedge_member *const member = &job->member[other];
            if (other == k || !member->written) continue;
            SEDGE_TRY(check_overlap(member->array, array));
            if (!job->member[k].written || sedge_array_size(array) == 0 ||
                sedge_array_address(array) != sedge_array_address(member->array))
                continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' writes one array as '%s' and as '%s'",
                              job->name, job->member[k].name, member->name);
        }
    }
    return SEDGE_OK;
}

// The key with all texts behind it, each with its end; the caller releases it.
static sedge_status write_snippet_key(unsigned char **key, int *bytes, const sedge_job *job)
{
    const char *texts[3 + SEDGE_OPERANDS] = {job->name, job->preamble, job->body};
    int64_t room = KEY_ADDRESSING + SEDGE_OPERANDS;

    for (int k = 0; k < job->count; k++) texts[3 + k] = job->member[k].name;
    for (int t = 0; t < 3 + job->count; t++) room += (int64_t)strlen(texts[t]) + 1;
    if (room > INT32_MAX)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has a text of %lld bytes", job->name,
                          (long long)room);
    SEDGE_TRY(sedge_allocate(key, room, 1));
    *bytes = write_key(*key, job, 'S');
    for (int k = 0; k < job->count; k++) (*key)[(*bytes)++] = job->member[k].written;
    for (int t = 0; t < 3 + job->count; t++) {
        const int length = (int)strlen(texts[t]) + 1;
        memcpy(*key + *bytes, texts[t], (size_t)length);
        *bytes += length;
    }
    return SEDGE_OK;
}

static sedge_status run_snippet(sedge_job *job)
{
    sedge_status status = SEDGE_OK;
    unsigned char *key = NULL;
    int bytes;

    SEDGE_TRY(write_snippet_key(&key, &bytes, job));
    const sedge_recipe *found = sedge_recipe_find(job->context, key, bytes);
    if (found == NULL) {
        sedge_recipe made = {.blocks = 0};
        SEDGE_TRY_GOTO(status, make_kernel(&made, job, job->name));
        SEDGE_TRY_GOTO(status, sedge_recipe_keep(job->context, key, bytes, &made));
        found = sedge_recipe_find(job->context, key, bytes);
    }
    status = launch_job(job, found);
done:
    sedge_release(key);
    return status;
}

sedge_status sedge_elementwise(sedge_context *context, const char *name, const char *preamble,
                               const char *body, int count, const sedge_operand *operands)
{
    const sedge_array *shaped;
    sedge_job job;

    if (count < 1 || count > SEDGE_OPERANDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has %d operands; 1..%d are allowed", name,
                          count, SEDGE_OPERANDS);
    }
    job.context = context;
    job.name = name;
    job.preamble = preamble != NULL ? preamble : "";
    job.body = body;
    job.blind = false;
    job.count = 0;
    for (int k = 0; k < count; k++) SEDGE_TRY(add_operand(&job, &operands[k]));
    SEDGE_TRY(check_operands(&shaped, &job));
    if (sedge_array_size(shaped) == 0) return SEDGE_OK;
    plan_job(&job, shaped->dimensions, shaped->shape, false);
    return run_snippet(&job);
}

// ---- filling -----------------------------------------------------------------------------------

static sedge_status run_own(sedge_job *job, const char *name, const char *body)
{
    const sedge_array *const result = job->member[0].array;

    SEDGE_TRY(check_target(result, result->dimensions, result->shape));
    if (sedge_array_size(result) == 0) return SEDGE_OK;
    job->name = name;
    job->body = body;
    plan_job(job, result->dimensions, result->shape, strcmp(name, "fill") == 0);
    return run_snippet(job);
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

    start_job(&job, array->context, array);
    add_number(&job, "value", array->type);
    SEDGE_TRY(convert_number(job.member[1].number, array->type, value));
    return run_own(&job, "fill", "result = value;");
}

sedge_status sedge_array_range(sedge_array *array, double start, double step)
{
    sedge_status status;
    sedge_job job;
    sedge_text *body = NULL;

    start_job(&job, array->context, array);
    add_number(&job, "start", SEDGE_FLOAT64);
    add_number(&job, "step", SEDGE_FLOAT64);
    SEDGE_TRY(convert_number(job.member[1].number, SEDGE_FLOAT64, start));
    SEDGE_TRY(convert_number(job.member[2].number, SEDGE_FLOAT64, step));
    SEDGE_TRY_GOTO(status, sedge_text_create(&body));
    SEDGE_TRY_GOTO(status, sedge_text_add(body, "const double value = start + step * (double)i;\n"
                                                "result = "));
    SEDGE_TRY_GOTO(status, sedge_conversion_write(body, "value", SEDGE_FLOAT64, array->type));
    SEDGE_TRY_GOTO(status, sedge_text_add(body, ";\n"));
    SEDGE_TRY_GOTO(status, run_own(&job, "range", sedge_text_get(body)));
done:
    sedge_text_free(body);
    return status;
}
