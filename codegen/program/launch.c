#include "program/launch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 320, VALUE_BYTES = (int)sizeof((sedge_argument *)NULL)->value };

// ---- arguments ---------------------------------------------------------------------------------

sedge_argument sedge_buffer_argument(const sedge_buffer *buffer)
{
    return sedge_address_argument(buffer != NULL ? sedge_buffer_address(buffer) : 0);
}

sedge_argument sedge_address_argument(uint64_t address)
{
    return (sedge_argument){.type = "pointer",
                            .kind = SEDGE_KIND_POINTER,
                            .bytes = sizeof address,
                            .value.address = address};
}

sedge_argument sedge_int32_argument(int32_t value)
{
    return (sedge_argument){
        .type = "int32", .kind = SEDGE_KIND_INTEGER, .bytes = sizeof value, .value.int32 = value};
}

sedge_argument sedge_int64_argument(int64_t value)
{
    return (sedge_argument){
        .type = "int64", .kind = SEDGE_KIND_INTEGER, .bytes = sizeof value, .value.int64 = value};
}

sedge_argument sedge_float_argument(float value)
{
    return (sedge_argument){.type = "float32",
                            .kind = SEDGE_KIND_FLOATING,
                            .bytes = sizeof value,
                            .value.float32 = value};
}

sedge_argument sedge_double_argument(double value)
{
    return (sedge_argument){.type = "float64",
                            .kind = SEDGE_KIND_FLOATING,
                            .bytes = sizeof value,
                            .value.float64 = value};
}

sedge_argument sedge_bytes_argument(const void *value, int bytes)
{
    sedge_argument argument = {.type = "bytes", .kind = SEDGE_KIND_UNKNOWN, .bytes = bytes};

    if (bytes >= 1 && bytes <= VALUE_BYTES) memcpy(argument.value.bytes, value, (size_t)bytes);
    return argument; // of another size: the launch refuses it
}

// ---- launching ---------------------------------------------------------------------------------

static bool fits(const sedge_kernel_parameter *parameter, const sedge_argument *argument)
{
    if (parameter->bytes >= 0 && parameter->bytes != argument->bytes) return false;
    return parameter->kind == argument->kind || parameter->kind == SEDGE_KIND_UNKNOWN ||
           argument->kind == SEDGE_KIND_UNKNOWN;
}

static sedge_status check_argument(const sedge_kernel *kernel, int k,
                                   const sedge_argument *argument)
{
    const sedge_kernel_parameter *const parameter = &sedge_kernel_signature(kernel)->parameters[k];

    if (argument->bytes < 1 || argument->bytes > VALUE_BYTES) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "kernel '%s': argument %d, '%s', was given %d bytes: 1 to %d are possible",
            sedge_kernel_name(kernel), k + 1, parameter->name, argument->bytes, VALUE_BYTES);
    }
    if (fits(parameter, argument)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernel '%s': argument %d, '%s', is '%s' of %d bytes and was given %s of %d "
                      "bytes",
                      sedge_kernel_name(kernel), k + 1, parameter->name, parameter->type,
                      parameter->bytes, argument->type, argument->bytes);
}

// "a float, b float *": the kernel's list for a message, cut where `size` ends.
static void write_list(char *list, size_t size, const sedge_signature *signature)
{
    size_t used = 0;

    list[0] = '\0';
    for (int i = 0; i < signature->count && used < size; i++) {
        const int length = snprintf(list + used, size - used, "%s%s %s", i > 0 ? ", " : "",
                                    signature->parameters[i].type, signature->parameters[i].name);
        used += length > 0 ? (size_t)length : 0;
    }
}

static sedge_status check_call(const sedge_kernel *kernel, const sedge_argument *arguments,
                               int count)
{
    const sedge_signature *const signature = sedge_kernel_signature(kernel);
    char list[512];

    if (signature->count < 0 || signature->threads < 1) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernel '%s' does not tell its parameters and threads: write it with "
                          "SEDGE_KERNEL, or launch it with sedge_kernel_launch",
                          sedge_kernel_name(kernel));
    }
    if (count != signature->count) {
        write_list(list, sizeof list, signature);
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernel '%s' takes %d arguments and was given %d; it takes (%s)",
                          sedge_kernel_name(kernel), signature->count, count, list);
    }
    for (int k = 0; k < count; k++) SEDGE_TRY(check_argument(kernel, k, &arguments[k]));
    return SEDGE_OK;
}

sedge_status sedge_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                          const sedge_argument *arguments, int count)
{
    void *pointers[ARGUMENTS_MAX];

    SEDGE_TRY(check_call(kernel, arguments, count));
    if (blocks < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernel '%s' was given %lld blocks: 0 or more are possible",
                          sedge_kernel_name(kernel), (long long)blocks);
    }
    assert(count <= ARGUMENTS_MAX); // no signature is longer
    for (int k = 0; k < count; k++) pointers[k] = (void *)(uintptr_t)&arguments[k].value;
    return sedge_kernel_launch(kernel, stream, blocks, sedge_kernel_signature(kernel)->threads,
                               pointers, count);
}

// ---- timing ------------------------------------------------------------------------------------

typedef struct time_run {
    sedge_stream *stream;
    sedge_event *first, *last;
    sedge_status (*launch)(void *context, sedge_stream *stream);
    void *context;
} time_run;

static sedge_status time_batch(const time_run *run, double *seconds, int calls)
{
    SEDGE_TRY(sedge_event_record(run->first, run->stream));
    for (int i = 0; i < calls; i++) SEDGE_TRY(run->launch(run->context, run->stream));
    SEDGE_TRY(sedge_event_record(run->last, run->stream));
    SEDGE_TRY(sedge_event_wait(run->last));
    return sedge_event_seconds(seconds, run->first, run->last);
}

// Calls that take about 200 us: more until they do, never so many that the queue of a device fills.
static sedge_status choose_calls(const time_run *run, int *calls)
{
    enum { CALLS_MAX = 512 };
    const double target = 200e-6;
    double seconds = 0.0;

    *calls = 1;
    SEDGE_TRY(time_batch(run, &seconds, 1)); // the first call is not counted
    SEDGE_TRY(time_batch(run, &seconds, 1));
    while (seconds < 0.75 * target && *calls < CALLS_MAX) {
        const double factor = seconds > 0.1 * target ? target / seconds : 10.0;
        const int more = (int)(factor * *calls + 0.5);
        *calls = more > CALLS_MAX ? CALLS_MAX : more > *calls ? more : *calls + 1;
        SEDGE_TRY(time_batch(run, &seconds, *calls));
    }
    return SEDGE_OK;
}

static sedge_status time_rounds(const time_run *run, double *seconds, int rounds)
{
    int calls;

    SEDGE_TRY(choose_calls(run, &calls));
    for (int r = 0; r < rounds; r++) {
        double batch = 0.0;
        SEDGE_TRY(time_batch(run, &batch, calls));
        if (r == 0 || batch / calls < *seconds) *seconds = batch / calls;
    }
    return SEDGE_OK;
}

sedge_status sedge_time(double *seconds, sedge_device *device, int rounds,
                        sedge_status (*launch)(void *context, sedge_stream *stream), void *context)
{
    sedge_status status;
    time_run run = {.launch = launch, .context = context};

    *seconds = 0.0;
    if (rounds < 1)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "a time of %d rounds: at least 1 is needed", rounds);
    SEDGE_TRY_GOTO(status, sedge_stream_create(&run.stream, device, false));
    SEDGE_TRY_GOTO(status, sedge_event_create(&run.first, device));
    SEDGE_TRY_GOTO(status, sedge_event_create(&run.last, device));
    SEDGE_TRY_GOTO(status, time_rounds(&run, seconds, rounds));
done:
    sedge_event_free(run.last);
    sedge_event_free(run.first);
    sedge_stream_free(run.stream);
    return status;
}
