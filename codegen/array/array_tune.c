#include "array/array_tune.h"

#include "array/shared.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is compared of each output, at its begin, middle and end.
enum { SAMPLE = 1 << 16, SAMPLES = 3 };

// ---- samples -----------------------------------------------------------------------------------

// Samples of all outputs, one behind the other; `write` puts zeros into the outputs instead.
static sedge_status move_samples(const sedge_tuned_call *t, unsigned char *samples, bool write)
{
    static const unsigned char zeros[SAMPLE] = {0};

    for (int k = 0; k < t->outputs; k++) {
        sedge_buffer *const buffer = t->output[k].buffer;
        const int64_t bytes = t->output[k].bytes;
        const int64_t length = bytes < SAMPLE ? bytes : SAMPLE;
        const int64_t offsets[SAMPLES] = {0, (bytes - length) / 2 / 16 * 16, bytes - length};
        for (int s = 0; s < SAMPLES; s++, samples += SAMPLE) { // offsets of whole numbers
            const int64_t offset = offsets[s];
            if (write) {
                SEDGE_TRY(sedge_buffer_upload(buffer, offset, zeros, length, NULL));
            } else {
                SEDGE_TRY(sedge_buffer_download(buffer, offset, samples, length, NULL));
            }
        }
    }
    return SEDGE_OK;
}

static int64_t sample_bytes(const sedge_tuned_call *t)
{
    return (int64_t)t->outputs * SAMPLES * SAMPLE;
}

static double number_at(const unsigned char *from, int bytes)
{
    double number;
    float less;

    if (bytes == (int)sizeof less) {
        memcpy(&less, from, sizeof less);
        return (double)less;
    }
    memcpy(&number, from, sizeof number);
    return number;
}

// Whether numbers of `bytes` bytes, one behind the other, agree to half their digits, measured by
// the largest of them: a wrong element is far outside.
static bool agree(const unsigned char *a, const unsigned char *b, int64_t length, int bytes)
{
    double largest = 0.0, error = 0.0;

    for (int64_t at = 0; at < length; at += bytes) {
        const double x = number_at(a + at, bytes), y = number_at(b + at, bytes);
        if (isfinite(x)) largest = fmax(largest, fabs(x));
        if (x == y || (isnan(x) && isnan(y))) continue;
        if (!isfinite(x) || !isfinite(y)) return false;
        error = fmax(error, fabs(x - y));
    }
    return error <= (bytes == (int)sizeof(float) ? 1e-4 : 1e-8) * largest;
}

static bool is_same(const sedge_tuned_call *t)
{
    const int64_t length = (int64_t)SAMPLES * SAMPLE;
    const unsigned char *expected = t->expected, *got = t->got;

    for (int k = 0; k < t->outputs; k++, expected += length, got += length) {
        const int real = t->output[k].real;
        if (memcmp(expected, got, (size_t)length) != 0 &&
            !(real > 0 && agree(expected, got, length, real)))
            return false;
    }
    return true;
}

// ---- callbacks of the tuner --------------------------------------------------------------------

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    const sedge_tuned_call *const t = context;

    return t->family->write(t->owner, candidate, text);
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const sedge_tuned_call *const t = context;

    return t->family->launch(t->owner, candidate, program, stream);
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    sedge_tuned_call *const t = context;
    char name[SEDGE_TUNED_NAME], rule[SEDGE_TUNED_NAME];

    if (t->expected == NULL) {
        SEDGE_TRY(sedge_allocate(&t->got, sample_bytes(t), 1));
        SEDGE_TRY(sedge_allocate(&t->expected, sample_bytes(t), 1));
        SEDGE_TRY(move_samples(t, t->expected, true));
        SEDGE_TRY(launch(t, 0, NULL, NULL));
        SEDGE_TRY(move_samples(t, t->expected, false));
    }
    SEDGE_TRY(move_samples(t, t->got, true));
    SEDGE_TRY(launch(t, candidate, program, NULL));
    SEDGE_TRY(move_samples(t, t->got, false));
    if (is_same(t)) return SEDGE_OK;
    sedge_tuned_name(name, t, candidate);
    sedge_tuned_name(rule, t, 0);
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "'%s': other numbers than with '%s'", name, rule);
}

// ---- the choice --------------------------------------------------------------------------------

void sedge_tuned_name(char name[SEDGE_TUNED_NAME], const sedge_tuned_call *call, int c)
{
    const char *const letters = call->family->letters;
    int used = 0;

    for (int k = 0; letters[k] != '\0'; k++) {
        used += snprintf(name + used, (size_t)(SEDGE_TUNED_NAME - used), "%s%c%d", k > 0 ? " " : "",
                         letters[k], call->candidate[c].number[k]);
    }
}

static sedge_status hash_source(char hash[SEDGE_HASH_TEXT], const sedge_tuned_call *t)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, t->family->write(t->owner, -1, text));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&all, hash);
done:
    sedge_text_free(text);
    return status;
}

static sedge_status choose(int *choice, sedge_tuned_call *t, const char *size, const char *hash)
{
    static const char *const layouts[] = {"as given"};
    char names[SEDGE_TUNED_CANDIDATES][SEDGE_TUNED_NAME];
    sedge_tune_candidate candidates[SEDGE_TUNED_CANDIDATES] = {{.name = NULL}};
    const sedge_tune_task task = {.name = t->title,
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = layouts,
                                  .operation = t->family->operation,
                                  .bytes = t->bytes,
                                  .count = t->count,
                                  .candidates = candidates,
                                  .context = t,
                                  .text = write_text,
                                  .launch = launch,
                                  .verify = verify};
    const sedge_tune_options options = {.level = sedge_context_tuning(t->context)};
    sedge_tune_result *result = NULL;

    for (int c = 0; c < t->count; c++) {
        sedge_tuned_name(names[c], t, c);
        candidates[c].name = names[c];
        candidates[c].threads = t->candidate[c].threads;
        memcpy(candidates[c].number, t->candidate[c].number, sizeof t->candidate[c].number);
    }
    SEDGE_TRY(sedge_context_wait(t->context)); // the tuner has a stream of its own
    SEDGE_TRY(sedge_tune(&result, NULL, sedge_context_device(t->context),
                         sedge_context_cache(t->context), &task, &options));
    *choice = result->choice;
    sedge_context_set_choice(t->context, names[*choice]);
    sedge_tune_result_free(result);
    return SEDGE_OK;
}

sedge_status sedge_tuned_choose(int *choice, sedge_tuned_call *call)
{
    char size[32];
    char hash[SEDGE_HASH_TEXT];
    int bucket = 0;

    *choice = 0;
    if (call->count < 2 || call->impossible) return SEDGE_OK;
    while (call->elements >> (bucket + 1) != 0) bucket++;
    (void)snprintf(size, sizeof size, "2^%d elements", bucket);
    SEDGE_TRY(hash_source(hash, call));
    return choose(choice, call, size, hash);
}

// ---- memory ------------------------------------------------------------------------------------

sedge_status sedge_tuned_add(sedge_tuned_call *call, int64_t bytes, sedge_buffer **out)
{
    *out = NULL;
    if (call->impossible || sedge_context_tuning(call->context) == SEDGE_TUNE_OFF) return SEDGE_OK;
    const sedge_status status = sedge_pool_take(sedge_context_memory(call->context), bytes,
                                                &call->block[call->blocks], out);
    if (status == SEDGE_OK) call->blocks++;
    if (status != SEDGE_ERR_MEMORY) return status;
    sedge_error_clear();
    call->impossible = true;
    return SEDGE_OK;
}

sedge_status sedge_tuned_add_output(sedge_tuned_call *call, int64_t bytes, int real,
                                    sedge_buffer **out)
{
    SEDGE_TRY(sedge_tuned_add(call, bytes, out));
    if (*out != NULL) {
        call->output[call->outputs++] =
            (sedge_tuned_output){.buffer = *out, .bytes = bytes, .real = real};
    }
    return SEDGE_OK;
}

void sedge_tuned_clear(sedge_tuned_call *call)
{
    for (int k = 0; k < call->blocks; k++)
        sedge_pool_give(sedge_context_memory(call->context), call->block[k]);
    sedge_release(call->expected);
    sedge_release(call->got);
    call->blocks = call->outputs = 0;
    call->expected = call->got = NULL;
}
