// The tuner's view of one elementwise job. The arrays it writes are replaced by others, for it is
// run many times: x = x + y must not be.
#include "base/hash.h"
#include "base/memory.h"
#include "codegen/elementwise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is compared of each written array, at its begin, middle and end.
enum { SAMPLE = 1 << 16, SAMPLES = 3 };

typedef struct trial {
    sedge_job job; // writes the scratch arrays
    sedge_array scratch[SEDGE_OPERANDS];
    void *block[SEDGE_OPERANDS];
    int count; // tunings
    sedge_elementwise_tuning tuning[SEDGE_ELEMENTWISE_TUNINGS];
    char name[SEDGE_ELEMENTWISE_TUNINGS][24];
    sedge_tune_candidate candidate[SEDGE_ELEMENTWISE_TUNINGS];
    unsigned char *wanted; // samples as the rule's kernel makes them
    unsigned char *got;
} trial;

// ---- callbacks ---------------------------------------------------------------------------------

// The whole text of the program with one tuning.
static sedge_status write_program(sedge_text *out, const sedge_job *job,
                                  const sedge_elementwise_tuning *tuning)
{
    const sedge_device *const device = sedge_context_device(job->context);
    sedge_source sources[3];
    const sedge_program_options options = {
        .name = job->title, .constants = "", .sources = sources, .count = 3};
    sedge_status status;
    sedge_text *own = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&own));
    SEDGE_TRY_GOTO(status, sedge_elementwise_write(own, job, tuning));
    sedge_job_sources(sources, sedge_text_get(own));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, sedge_device_get_info(device)->kind, &options));
done:
    sedge_text_free(own);
    return status;
}

static sedge_status write_text(void *context, int operation, int candidate, sedge_text *text)
{
    const trial *const t = context;

    (void)operation;
    return write_program(text, &t->job, &t->tuning[candidate]);
}

static sedge_status launch(void *context, int operation, int candidate,
                           const sedge_program *program, sedge_stream *stream)
{
    const trial *const t = context;
    const sedge_elementwise_tuning *const tuning = &t->tuning[candidate];
    sedge_recipe recipe = {.threads = tuning->threads,
                           .items = (int64_t)tuning->threads * tuning->packs * t->job.pack};

    (void)operation;
    SEDGE_TRY(sedge_program_get(&recipe.kernel[0], program, "sedge_elements"));
    return sedge_job_launch(&t->job, &recipe, stream);
}

// Samples of all written arrays, one behind the other; `write` puts zeros into the arrays instead.
static sedge_status move_samples(const trial *t, unsigned char *samples, bool write)
{
    static const unsigned char zeros[SAMPLE] = {0};

    for (int k = 0; k < t->job.count; k++) {
        sedge_buffer *const buffer = t->scratch[k].buffer;
        if (!t->job.member[k].written) continue;
        const int64_t bytes = sedge_buffer_bytes(buffer);
        for (int s = 0; s < SAMPLES; s++, samples += SAMPLE) {
            const int64_t length = bytes < SAMPLE ? bytes : SAMPLE;
            const int64_t offset = (bytes - length) / (SAMPLES - 1) * s / 16 * 16; // whole numbers
            if (write) {
                SEDGE_TRY(sedge_buffer_upload(buffer, offset, zeros, length, NULL));
            } else {
                SEDGE_TRY(sedge_buffer_download(buffer, offset, samples, length, NULL));
            }
        }
    }
    return SEDGE_OK;
}

static int64_t sample_bytes(const trial *t)
{
    int64_t written = 0;

    for (int k = 0; k < t->job.count; k++) written += t->job.member[k].written;
    return written * SAMPLES * SAMPLE;
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

// The same bits as the rule's kernel, which does the same operations; but on the host a vector's
// functions may differ from a single number's in the last places, and how many numbers of a line
// are left over for those depends on the block.
static bool is_same(const trial *t)
{
    const sedge_device *const device = sedge_context_device(t->job.context);
    const unsigned char *wanted = t->wanted, *got = t->got;

    for (int k = 0; k < t->job.count; k++) {
        if (!t->job.member[k].written) continue;
        const sedge_type type = t->job.member[k].type;
        const int64_t length = (int64_t)SAMPLES * SAMPLE;
        const bool rounds =
            sedge_device_get_info(device)->kind == SEDGE_DEVICE_HOST && type >= SEDGE_FLOAT32;
        const int bytes = type == SEDGE_FLOAT32 || type == SEDGE_COMPLEX64 ? 4 : 8;
        if (memcmp(wanted, got, (size_t)length) != 0 &&
            !(rounds && agree(wanted, got, length, bytes)))
            return false;
        wanted += length;
        got += length;
    }
    return true;
}

static sedge_status verify(void *context, int operation, int candidate,
                           const sedge_program *program)
{
    trial *const t = context;
    sedge_recipe rule = {.tuned = 0};

    if (t->wanted == NULL) {
        SEDGE_TRY(sedge_allocate(&t->wanted, sample_bytes(t), 1));
        SEDGE_TRY(sedge_allocate(&t->got, sample_bytes(t), 1));
        SEDGE_TRY(sedge_job_kernel(&rule, &t->job, &t->tuning[0]));
        SEDGE_TRY(move_samples(t, t->wanted, true));
        SEDGE_TRY(sedge_job_launch(&t->job, &rule, NULL));
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

// An array that lies in memory as the written one does. Too spread out, or no memory for a second
// one: then nothing is measured.
static sedge_status make_scratch(trial *t, int k, bool *possible)
{
    sedge_member *const member = &t->job.member[k];
    const int size = sedge_type_bytes(member->type);
    int64_t below = 0;
    int64_t elements = 1;
    sedge_buffer *buffer;

    for (int d = 0; d < member->array->dimensions; d++) {
        const int64_t span = (member->array->shape[d] - 1) * member->array->stride[d];
        if (span < 0) below -= span;
        elements += span < 0 ? -span : span;
    }
    if (elements > 2 * t->job.walk.count) *possible = false;
    if (!*possible) return SEDGE_OK;
    const sedge_status status =
        sedge_pool_take(t->job.context, elements * size, &t->block[k], &buffer);
    if (status == SEDGE_ERR_MEMORY) {
        sedge_error_clear();
        *possible = false;
        return SEDGE_OK;
    }
    SEDGE_TRY(status);
    t->scratch[k] = *member->array;
    t->scratch[k].buffer = buffer;
    t->scratch[k].offset = below * size;
    member->array = &t->scratch[k];
    return SEDGE_OK;
}

static sedge_status prepare(trial *t, const sedge_job *job, bool *possible)
{
    const bool measures = sedge_context_tuning(job->context) != SEDGE_TUNE_OFF;

    *possible = true;
    t->job = *job;
    for (int k = 0; k < job->count; k++)
        if (measures && job->member[k].written) SEDGE_TRY(make_scratch(t, k, possible));
    t->count = sedge_elementwise_tunings(t->tuning, job);
    for (int c = 0; c < t->count; c++) {
        (void)snprintf(t->name[c], sizeof t->name[c], "t%d p%d", t->tuning[c].threads,
                       t->tuning[c].packs);
        t->candidate[c] =
            (sedge_tune_candidate){.name = t->name[c], .threads = t->tuning[c].threads};
    }
    return SEDGE_OK;
}

static double count_bytes(const sedge_job *job)
{
    double bytes = 0.0;

    for (int k = 0; k < job->count; k++) {
        if (job->member[k].access < SEDGE_ACCESS_CONTIGUOUS) continue;
        const double each = sedge_type_bytes(job->member[k].type) * (double)job->walk.count;
        bytes += job->member[k].written && !job->blind ? 2.0 * each : each;
    }
    return bytes;
}

// Of the text without the numbers that are tuned.
static sedge_status hash_source(char hash[SEDGE_HASH_TEXT], const sedge_job *job)
{
    const sedge_elementwise_tuning none = {0, 0};
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_program(text, job, &none));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&all, hash);
done:
    sedge_text_free(text);
    return status;
}

// The choice is made on one rank alone, as everything in a context.
static sedge_status choose(int *choice, trial *t, const char *size, const char *hash)
{
    static const char *const layouts[] = {"as given"};
    const sedge_tune_operation operation = {.name = "elements",
                                            .weight = 1.0,
                                            .bytes = count_bytes(&t->job),
                                            .count = t->count,
                                            .candidates = t->candidate};
    const sedge_tune_task task = {.name = t->job.title,
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
    const sedge_tune_options options = {.level = sedge_context_tuning(t->job.context)};
    sedge_tune_result *result = NULL;

    SEDGE_TRY(sedge_context_wait(t->job.context)); // the tuner has a stream of its own
    SEDGE_TRY(sedge_tune(&result, NULL, sedge_context_device(t->job.context),
                         sedge_context_cache(t->job.context), &task, &options));
    *choice = result->choice[0];
    sedge_tune_result_free(result);
    return SEDGE_OK;
}

sedge_status sedge_job_tune(int *choice, const sedge_job *job)
{
    char size[32];
    char hash[SEDGE_HASH_TEXT];
    sedge_status status;
    trial *t = NULL;
    bool possible;
    int bucket = 0;

    *choice = 0;
    while (job->walk.count >> (bucket + 1) != 0) bucket++;
    (void)snprintf(size, sizeof size, "2^%d elements", bucket);
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    SEDGE_TRY_GOTO(status, prepare(t, job, &possible));
    if (!possible) goto done;
    SEDGE_TRY_GOTO(status, hash_source(hash, job));
    SEDGE_TRY_GOTO(status, choose(choice, t, size, hash));
done:
    for (int k = 0; k < job->count; k++) sedge_pool_give(job->context, t->block[k]);
    sedge_release(t->wanted);
    sedge_release(t->got);
    sedge_release(t);
    return status;
}
