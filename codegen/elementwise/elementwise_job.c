// One elementwise call: how its elements are visited, its kernel, its launch.
#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/analysis.h"
#include "elementwise/elementwise.h"
#include "elementwise/expression_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool sedge_job_needs_gpu_form(const sedge_context *context)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));

    return !sedge_traits_of(info->kind)->in_call || info->random_order;
}

// ---- the job -----------------------------------------------------------------------------------

static void set_access(sedge_job *job)
{
    const sedge_iteration *const iteration = &job->iteration;

    job->strided = 0;
    for (int k = 0; k < job->count; k++) {
        sedge_member *const member = &job->member[k];
        bool single = iteration->dimensions > 0;
        for (int d = 0; d < iteration->dimensions; d++)
            if (iteration->stride[k][d] != 0) single = false;
        member->slot = 0;
        if (member->array == NULL) {
            member->access = SEDGE_ACCESS_NUMBER;
        } else if (single) {
            member->access = SEDGE_ACCESS_CONSTANT;
        } else if (iteration->contiguous) {
            member->access = SEDGE_ACCESS_CONTIGUOUS;
        } else {
            const int64_t last = iteration->stride[k][iteration->dimensions - 1];
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
    if (!job->gpu || !job->iteration.contiguous) return;
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
    const sedge_iteration *const iteration = &job->iteration;

    if (!job->gpu || iteration->count > most) return true;
    for (int k = 0; k < job->count; k++) {
        int64_t reach = 0;
        for (int d = 0; d < iteration->dimensions; d++) {
            const int64_t stride = iteration->stride[k][d];
            reach += (iteration->shape[d] - 1) * (stride < 0 ? -stride : stride);
        }
        if (reach > most) return true;
    }
    return false;
}

void sedge_job_plan(sedge_job *job, int dimensions, const int64_t *shape, bool sort)
{
    const sedge_array *arrays[SEDGE_OPERANDS];

    for (int k = 0; k < job->count; k++) arrays[k] = job->member[k].array;
    sedge_iteration_make(&job->iteration, dimensions, shape, job->count, arrays);
    if (sort) sedge_iteration_sort(&job->iteration, job->count);
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
        if (is_moved(&job->member[k]) && !(job->member[k].written && job->write_only)) arrays++;
    // Enough bytes on their way: two packs where only one array is read.
    const int packs = job->iteration.contiguous ? (arrays < 2 ? 2 : 1) : 4;
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

void sedge_job_sources(sedge_source sources[3], const char *text)
{
    sources[0] = (sedge_source){"codegen/kernels/array/numbers.h", NULL};
    sources[1] = (sedge_source){"elementwise", text};
    sources[2] = (sedge_source){"codegen/kernels/elementwise/elementwise.h", NULL};
}

sedge_status sedge_job_kernel(sedge_cached_kernel *cached, const sedge_job *job,
                              const sedge_elementwise_tuning *tuning, const sedge_program *program)
{
    sedge_source sources[3];
    const sedge_program_options options = {
        .name = job->title, .constants = "", .sources = sources, .count = 3};
    sedge_status status;
    sedge_text *text = NULL;

    if (program == NULL) {
        SEDGE_TRY_GOTO(status, sedge_text_create(&text));
        SEDGE_TRY_GOTO(status, sedge_elementwise_write(text, job, tuning));
        sedge_job_sources(sources, sedge_text_get(text));
        SEDGE_TRY_GOTO(status, sedge_context_program(job->context, &program, &options));
    }
    SEDGE_TRY_GOTO(status, sedge_program_get(&cached->kernel[0], program, "sedge_elements"));
    cached->threads = tuning->threads;
    cached->items = (int64_t)tuning->threads * tuning->packs * job->pack;
done:
    sedge_text_free(text);
    return status;
}

// ---- launching ---------------------------------------------------------------------------------

// Space for the largest sedge_layout_of_operands.
typedef union layout_bytes {
    int64_t wide[1 + SEDGE_ARRAY_DIMENSIONS * (2 + SEDGE_OPERANDS)];
    unsigned char bytes[1];
} layout_bytes;

static void put_index(layout_bytes *layout, size_t *used, bool wide, int64_t index)
{
    const uint32_t narrow = (uint32_t)index;

    memcpy(layout->bytes + *used, wide ? (const void *)&index : &narrow, wide ? 8 : 4);
    *used += wide ? 8 : 4;
}

// The smallest s with 2^s >= size.
static int find_shift(int64_t size)
{
    int shift = 0;

    while ((int64_t)1 << shift < size) shift++;
    return shift;
}

// For n, size < 2^31: n / size = (high half of n multiplier + n) >> shift.
static int64_t find_multiplier(int64_t size)
{
    const uint64_t rest = ((uint64_t)1 << find_shift(size)) - (uint64_t)size;

    return (int64_t)((rest << 32) / (uint64_t)size + 1);
}

static void fill_layout(layout_bytes *layout, const sedge_job *job)
{
    const sedge_iteration *const iteration = &job->iteration;
    size_t used = sizeof iteration->count;

    memcpy(layout->bytes, &iteration->count, sizeof iteration->count);
    for (int d = 0; d < iteration->dimensions; d++)
        put_index(layout, &used, job->wide, iteration->shape[d]);
    for (int k = 0; k < job->count; k++) {
        if (job->member[k].access < SEDGE_ACCESS_ROWS) continue;
        for (int d = 0; d < iteration->dimensions; d++)
            put_index(layout, &used, job->wide, iteration->stride[k][d]);
    }
    for (int d = 0; d < iteration->dimensions && !job->wide; d++)
        put_index(layout, &used, false, find_multiplier(iteration->shape[d]));
    for (int d = 0; d < iteration->dimensions && !job->wide; d++)
        put_index(layout, &used, false, find_shift(iteration->shape[d]));
}

sedge_status sedge_job_launch(const sedge_job *job, const sedge_cached_kernel *cached,
                              sedge_stream *stream)
{
    uint64_t addresses[SEDGE_OPERANDS];
    const void *numbers[SEDGE_OPERANDS];
    void *arguments[SEDGE_OPERANDS + 1];
    layout_bytes layout;
    int64_t count = job->iteration.count;

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
    if (!job->iteration.contiguous) fill_layout(&layout, job);
    arguments[job->count] = job->iteration.contiguous ? (void *)&count : &layout;
    return sedge_kernel_launch(cached->kernel[0], stream,
                               (count + cached->items - 1) / cached->items, cached->threads,
                               arguments, job->count + 1);
}

// ---- from key to launch ------------------------------------------------------------------------

int sedge_job_key(unsigned char *key, const sedge_job *job, char tag)
{
    int bytes = 0;

    key[bytes++] = (unsigned char)tag;
    key[bytes++] = (unsigned char)(job->iteration.contiguous ? 0 : job->iteration.dimensions);
    key[bytes++] = (unsigned char)((job->wide ? 1 : 0) | (job->aligned ? 2 : 0));
    key[bytes++] = (unsigned char)job->count;
    for (int k = 0; k < job->count; k++) {
        key[bytes++] = (unsigned char)job->member[k].access;
        key[bytes++] = (unsigned char)job->member[k].type;
    }
    return bytes;
}

// Write the body of an expression. The caller frees `text`.
static sedge_status write_expression(sedge_text **text, sedge_job *job)
{
    sedge_analysis *const analysis = job->analysis;

    SEDGE_TRY(sedge_analysis_write(analysis));
    SEDGE_TRY(sedge_text_create(text));
    SEDGE_TRY(sedge_text_add(*text, "        %s = ", job->member[0].name));
    SEDGE_TRY(sedge_conversion_write(*text, sedge_text_get(analysis->text), analysis->type,
                                     job->member[0].type));
    SEDGE_TRY(sedge_text_add(*text, ";"));
    job->body = sedge_text_get(*text);
    return SEDGE_OK;
}

// Large arrays are worth asking the tuner; small ones take what there is.
static bool is_large(const sedge_job *job)
{
    return job->iteration.count >= SEDGE_TUNED_ELEMENTS;
}

// The kernel of a job that is new, or large for the first time.
static sedge_status make_kernel(const sedge_cached_kernel **out, sedge_job *job, const void *key,
                                int bytes)
{
    sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS];
    sedge_cached_kernel cached = {.tuned = 0};
    char title[SEDGE_KERNEL_TITLE];
    int choice = 0;
    sedge_status status;
    sedge_text *body = NULL;

    if (job->title == NULL) {
        sedge_cached_kernel_title(title, "expression", key, bytes);
        job->title = title;
    }
    if (job->body == NULL) SEDGE_TRY_GOTO(status, write_expression(&body, job));
    const int count = sedge_elementwise_tunings(tunings, job);
    if (is_large(job)) {
        SEDGE_TRY_GOTO(status, sedge_job_tune(&choice, job, tunings, count));
        cached.tuned = 1 + choice;
    }
    SEDGE_TRY_GOTO(status, sedge_job_kernel(&cached, job, &tunings[choice], NULL));
    SEDGE_TRY_GOTO(status, sedge_cached_kernel_keep(out, sedge_context_kernels(job->context), key,
                                                    bytes, &cached));
done:
    if (job->title == title) job->title = NULL;
    if (body != NULL) job->body = NULL;
    sedge_text_free(body);
    return status;
}

sedge_status sedge_job_run(sedge_job *job, const void *key, int bytes)
{
    const sedge_cached_kernel *cached =
        sedge_cached_kernel_find(sedge_context_kernels(job->context), key, bytes);

    if (cached == NULL || (cached->tuned == 0 && is_large(job)))
        SEDGE_TRY(make_kernel(&cached, job, key, bytes));
    return sedge_job_launch(job, cached, sedge_context_stream(job->context));
}

sedge_status sedge_elementwise_preview(sedge_text *out, sedge_device_kind kind, sedge_array *array,
                                       sedge_expression *expression, int choice)
{
    sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS];
    sedge_source sources[3];
    const sedge_program_options options = {
        .name = "preview", .constants = "", .sources = sources, .count = 3};
    sedge_analysis analysis;
    sedge_job job;
    sedge_status status;
    sedge_text *body = NULL;
    sedge_text *text = NULL;

    SEDGE_TRY(sedge_expression_prepare(&analysis, expression));
    SEDGE_TRY_GOTO(status, sedge_target_check(array, analysis.dimensions, analysis.shape));
    sedge_job_start(&job, array->context, array);
    sedge_job_add_leaves(&job, &analysis);
    job.title = options.name;
    job.gpu = !sedge_traits_of(kind)->in_call;
    sedge_job_plan(&job, array->dimensions, array->shape, true);
    SEDGE_TRY_GOTO(status, write_expression(&body, &job));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    const int count = sedge_elementwise_tunings(tunings, &job);
    assert(choice >= 0 && choice < count);
    (void)count;
    SEDGE_TRY_GOTO(status, sedge_elementwise_write(text, &job, &tunings[choice]));
    sedge_job_sources(sources, sedge_text_get(text));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &options));
done:
    sedge_text_free(body);
    sedge_text_free(text);
    sedge_analysis_free(&analysis);
    return status;
}
