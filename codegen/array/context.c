#include "array/context.h"

#include "array/shared.h"
#include "base/hash.h"
#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct known_program {
    sedge_hash hash; // of the options
    sedge_program *program;
    struct known_program *next;
} known_program;

struct sedge_context {
    sedge_device *device;
    sedge_cache *cache;
    sedge_device *own_device; // NULL: the caller's
    sedge_cache *own_cache;
    sedge_stream *own_stream;
    sedge_stream *stream; // of all work
    sedge_tune_level level;
    char choice[SEDGE_TUNE_NAME]; // of sedge_context_choice
    sedge_pool *pool;
    sedge_reserve reserve; // offers the pool's unused blocks when device memory runs out
    sedge_kernel_table kernels;
    known_program *programs;
    sedge_buffer *flags;   // of sedge_context_flags, and
    int epoch;             // the last launch that was given them
    sedge_buffer *counter; // of sedge_context_counter
};

// ---- opening -----------------------------------------------------------------------------------

// The give_back function of the device's reserve. If it fails the pool keeps what it has.
static void give_back_memory(void *context)
{
    if (sedge_context_trim(context) != SEDGE_OK) sedge_error_clear();
}

sedge_status sedge_context_create(sedge_context **out, sedge_device *device, sedge_cache *cache)
{
    sedge_status status;
    sedge_context *context = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&context, 1, sizeof *context));
    context->device = device;
    context->cache = cache;
    SEDGE_TRY_GOTO(status, sedge_pool_create(&context->pool, device));
    SEDGE_TRY_GOTO(status, sedge_tune_level_default(&context->level, SEDGE_TUNE_OFF));
    SEDGE_TRY_GOTO(status, sedge_stream_create(&context->own_stream, device, false));
    context->stream = context->own_stream;
    context->reserve = (sedge_reserve){.give_back = give_back_memory, .owner = context};
    sedge_device_add_reserve(device, &context->reserve);
    *out = context;
    context = NULL;
done:
    sedge_context_free(context);
    return status;
}

sedge_status sedge_context_open(sedge_context **out, const char *device)
{
    sedge_status status;
    sedge_device *opened = NULL;
    sedge_cache *cache = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_device_start_helper());
    SEDGE_TRY_GOTO(status, sedge_device_create(&opened, device, 0, 1));
    SEDGE_TRY_GOTO(status, sedge_cache_create(&cache, NULL));
    SEDGE_TRY_GOTO(status, sedge_context_create(out, opened, cache));
    (*out)->own_device = opened;
    (*out)->own_cache = cache;
    opened = NULL;
    cache = NULL;
done:
    sedge_cache_free(cache);
    sedge_device_free(opened);
    return status;
}

sedge_status sedge_context_flags(sedge_context *context, int64_t bytes, sedge_buffer **out,
                                 int *epoch)
{
    const int64_t have = context->flags != NULL ? sedge_buffer_bytes(context->flags) : 0;

    *out = NULL;
    if (have < bytes || context->epoch == INT_MAX) {
        sedge_buffer *fresh;
        SEDGE_TRY(sedge_stream_wait(context->stream)); // work on the old flags
        SEDGE_TRY(
            sedge_buffer_create(&fresh, context->device, bytes > 2 * have ? bytes : 2 * have));
        sedge_buffer_free(context->flags);
        context->flags = fresh;
        context->epoch = 0;
    }
    *out = context->flags;
    *epoch = ++context->epoch;
    return SEDGE_OK;
}

sedge_status sedge_context_counter(sedge_context *context, sedge_buffer **out)
{
    *out = NULL;
    if (context->counter == NULL)
        SEDGE_TRY(sedge_buffer_create(&context->counter, context->device, (int64_t)sizeof(int)));
    *out = context->counter;
    return SEDGE_OK;
}

void sedge_context_free(sedge_context *context)
{
    if (context == NULL) return;
    sedge_device_remove_reserve(context->device, &context->reserve);
    // Queued work still uses kernels and blocks. A stream of the caller's may be gone by now: its
    // work the driver's release waits for.
    if (context->own_stream != NULL && sedge_stream_wait(context->own_stream) != SEDGE_OK)
        sedge_error_clear();
    sedge_kernel_table_free(&context->kernels);
    while (context->programs != NULL) {
        known_program *const known = context->programs;
        context->programs = known->next;
        sedge_program_free(known->program);
        sedge_release(known);
    }
    sedge_buffer_free(context->flags);
    sedge_buffer_free(context->counter);
    sedge_pool_free(context->pool);
    sedge_stream_free(context->own_stream);
    sedge_cache_free(context->own_cache);
    sedge_device_free(context->own_device);
    sedge_release(context);
}

// ---- what is in it -----------------------------------------------------------------------------

sedge_device *sedge_context_device(const sedge_context *context)
{
    return context->device;
}

sedge_pool *sedge_context_memory(sedge_context *context)
{
    return context->pool;
}

sedge_kernel_table *sedge_context_kernels(sedge_context *context)
{
    return &context->kernels;
}

sedge_pool_statistics sedge_context_pool(const sedge_context *context)
{
    return sedge_pool_get_statistics(context->pool);
}

sedge_status sedge_context_trim(sedge_context *context)
{
    if (sedge_context_pool(context).held_bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_context_wait(context));
    sedge_pool_release(context->pool);
    return SEDGE_OK;
}

sedge_cache *sedge_context_cache(const sedge_context *context)
{
    return context->cache;
}

sedge_stream *sedge_context_stream(const sedge_context *context)
{
    return context->stream;
}

// Later work in `to` comes after the work queued in `from`.
static sedge_status order_streams(sedge_context *context, sedge_stream *from, sedge_stream *to)
{
    sedge_status status;
    sedge_event *event = NULL;

    SEDGE_TRY(sedge_event_create(&event, context->device));
    SEDGE_TRY_GOTO(status, sedge_event_record(event, from));
    SEDGE_TRY_GOTO(status, sedge_stream_wait_event(to, event));
done:
    sedge_event_free(event);
    return status;
}

// The pool gives blocks out again while work on them is queued, so the streams are put in order.
// Where that fails the device is lost, and the next operation says so.
void sedge_context_set_stream(sedge_context *context, sedge_stream *stream)
{
    sedge_stream *const next = stream != NULL ? stream : context->own_stream;

    if (next == context->stream) return;
    // Where no event is to be had, this host waits instead.
    if (order_streams(context, context->stream, next) != SEDGE_OK) {
        sedge_error_clear();
        if (sedge_stream_wait(context->stream) != SEDGE_OK) sedge_error_clear();
    }
    context->stream = next;
}

sedge_status sedge_context_wait(sedge_context *context)
{
    return sedge_stream_wait(context->stream);
}

void sedge_context_set_tuning(sedge_context *context, sedge_tune_level level)
{
    context->level = level;
    context->choice[0] = '\0';
}

void sedge_context_set_choice(sedge_context *context, const char *name)
{
    (void)snprintf(context->choice, sizeof context->choice, "%s", name);
}

const char *sedge_context_choice(const sedge_context *context)
{
    return context->choice;
}

sedge_tune_level sedge_context_tuning(const sedge_context *context)
{
    return context->level;
}

// ---- programs ----------------------------------------------------------------------------------

enum { SOURCES_MAX = 32 };

// The hash of everything that goes into the program's code. A source whose text is NULL is an
// embedded one; an empty text is not.
static sedge_status hash_options(sedge_hash *hash, const sedge_program_options *options)
{
    const void *fields[3 + 3 * SOURCES_MAX];
    size_t lengths[3 + 3 * SOURCES_MAX];
    char shared[16];
    int count = 0;

    if (options->count > SOURCES_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "program '%s' has %d sources; at most %d are allowed",
                          options->name, options->count, SOURCES_MAX);
    }
    (void)snprintf(shared, sizeof shared, "%d", options->shared_bytes);
    fields[count++] = options->name;
    fields[count++] = options->constants != NULL ? options->constants : "";
    fields[count++] = shared;
    for (int i = 0; i < options->count; i++) {
        const char *const text = options->sources[i].text;
        fields[count++] = options->sources[i].name;
        fields[count++] = text != NULL ? "text" : "file";
        fields[count++] = text != NULL ? text : "";
    }
    for (int i = 0; i < count; i++) lengths[i] = strlen(fields[i]);
    *hash = sedge_hash_fields(fields, lengths, count);
    return SEDGE_OK;
}

sedge_status sedge_context_program(sedge_context *context, const sedge_program **out,
                                   const sedge_program_options *options)
{
    sedge_status status;
    known_program *known = NULL;
    sedge_hash hash;

    *out = NULL;
    SEDGE_TRY(hash_options(&hash, options));
    for (const known_program *at = context->programs; at != NULL; at = at->next) {
        if (memcmp(&at->hash, &hash, sizeof hash) != 0) continue;
        *out = at->program;
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_allocate(&known, 1, sizeof *known));
    known->hash = hash;
    SEDGE_TRY_GOTO(status, sedge_program_create(&known->program, NULL, context->device,
                                                context->cache, options));
    known->next = context->programs;
    context->programs = known;
    *out = known->program;
    known = NULL;
done:
    sedge_release(known);
    return status;
}

sedge_status sedge_context_kernel(sedge_context *context, const sedge_kernel **out,
                                  const char *name, const char *file, const char *text)
{
    const sedge_source source = {.name = file, .text = text};
    const sedge_program_options options = {
        .name = name, .constants = "", .sources = &source, .count = 1};
    const sedge_program *program;

    *out = NULL;
    SEDGE_TRY(sedge_context_program(context, &program, &options));
    return sedge_program_get(out, program, name);
}
