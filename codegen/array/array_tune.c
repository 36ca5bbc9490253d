// The tuner asked about one call of an array operation: its task, samples of what it writes.
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
static sedge_status move_samples(const sedge_trial *t, unsigned char *samples, bool write)
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

static int64_t sample_bytes(const sedge_trial *t)
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

static bool is_same(const sedge_trial *t)
{
    const int64_t length = (int64_t)SAMPLES * SAMPLE;
    const unsigned char *wanted = t->wanted, *got = t->got;

    for (int k = 0; k < t->outputs; k++, wanted += length, got += length) {
        const int real = t->output[k].real;
        if (memcmp(wanted, got, (size_t)length) != 0 &&
            !(real > 0 && agree(wanted, got, length, real)))
            return false;
    }
    return true;
}

// ---- callbacks of the tuner --------------------------------------------------------------------

static sedge_status write_text(void *context, int operation, int candidate, sedge_text *text)
{
    const sedge_trial *const t = context;

    (void)operation;
    return t->write(t->owner, candidate, text);
}

static sedge_status launch(void *context, int operation, int candidate,
                           const sedge_program *program, sedge_stream *stream)
{
    const sedge_trial *const t = context;

    (void)operation;
    return t->launch(t->owner, candidate, program, stream);
}

static sedge_status verify(void *context, int operation, int candidate,
                           const sedge_program *program)
{
    sedge_trial *const t = context;

    if (t->wanted == NULL) {
        SEDGE_TRY(sedge_allocate(&t->got, sample_bytes(t), 1));
        SEDGE_TRY(sedge_allocate(&t->wanted, sample_bytes(t), 1));
        SEDGE_TRY(move_samples(t, t->wanted, true));
        SEDGE_TRY(t->run_rule(t->owner));
        SEDGE_TRY(move_samples(t, t->wanted, false));
    }
    SEDGE_TRY(move_samples(t, t->got, true));
    SEDGE_TRY(launch(t, operation, candidate, program, NULL));
    SEDGE_TRY(move_samples(t, t->got, false));
    if (is_same(t)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "'%s': other numbers than with '%s'", t->name[candidate],
                      t->name[0]);
}

// ---- the task ----------------------------------------------------------------------------------

static sedge_status hash_source(char hash[SEDGE_HASH_TEXT], const sedge_trial *t)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, t->write(t->owner, -1, text));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&all, hash);
done:
    sedge_text_free(text);
    return status;
}

static sedge_status choose(int *choice, sedge_trial *t, const char *size, const char *hash)
{
    static const char *const layouts[] = {"as given"};
    const sedge_tune_operation operation = {.name = t->operation,
                                            .weight = 1.0,
                                            .bytes = t->bytes,
                                            .count = t->count,
                                            .candidates = t->candidate};
    const sedge_tune_task task = {.name = t->title,
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = layouts,
                                  .operations = 1,
                                  .operation = &operation,
                                  .context = t,
                                  .text = write_text,
                                  .launch = launch,
                                  .verify = verify};
    const sedge_tune_options options = {.level = sedge_context_tuning(t->context)};
    sedge_tune_result *result = NULL;

    SEDGE_TRY(sedge_context_wait(t->context)); // the tuner has a stream of its own
    SEDGE_TRY(sedge_tune(&result, NULL, sedge_context_device(t->context),
                         sedge_context_cache(t->context), &task, &options));
    *choice = result->choice[0];
    sedge_context_set_choice(t->context, t->name[*choice]);
    sedge_tune_result_free(result);
    return SEDGE_OK;
}

sedge_status sedge_trial_choose(int *choice, sedge_trial *trial)
{
    char size[32];
    char hash[SEDGE_HASH_TEXT];
    sedge_status status;
    int bucket = 0;

    *choice = 0;
    if (trial->count < 2) return SEDGE_OK;
    while (trial->elements >> (bucket + 1) != 0) bucket++;
    (void)snprintf(size, sizeof size, "2^%d elements", bucket);
    for (int c = 0; c < trial->count; c++) trial->candidate[c].name = trial->name[c];
    SEDGE_TRY_GOTO(status, hash_source(hash, trial));
    SEDGE_TRY_GOTO(status, choose(choice, trial, size, hash));
done:
    sedge_release(trial->wanted);
    sedge_release(trial->got);
    trial->wanted = trial->got = NULL;
    return status;
}

sedge_status sedge_trial_take(sedge_context *context, int64_t bytes, void **block,
                              sedge_buffer **buffer, bool *possible)
{
    if (!*possible) return SEDGE_OK;
    const sedge_status status =
        sedge_pool_take(sedge_context_memory(context), bytes, block, buffer);
    if (status == SEDGE_ERR_MEMORY) {
        sedge_error_clear();
        *possible = false;
        return SEDGE_OK;
    }
    return status;
}
