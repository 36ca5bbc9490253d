// The tuner's view of one elementwise job. The arrays it writes are replaced by others, for it is
// run many times: x = x + y must not be.
#include "array/array_tune.h"
#include "array/shared.h"
#include "array/strided.h"
#include "base/memory.h"
#include "elementwise/elementwise.h"

#include <stdio.h>

typedef struct trial {
    sedge_trial tuner;
    sedge_job job; // writes the scratch arrays
    sedge_array scratch[SEDGE_OPERANDS];
    void *block[SEDGE_OPERANDS];
    sedge_elementwise_tuning tuning[SEDGE_ELEMENTWISE_TUNINGS];
} trial;

// ---- callbacks ---------------------------------------------------------------------------------

// The whole text of the program with one tuning.
static sedge_status write_program(void *owner, int candidate, sedge_text *out)
{
    const trial *const t = owner;
    const sedge_elementwise_tuning none = {0, 0};
    const sedge_device *const device = sedge_context_device(t->job.context);
    sedge_source sources[3];
    const sedge_program_options options = {
        .name = t->job.title, .constants = "", .sources = sources, .count = 3};
    sedge_status status;
    sedge_text *own = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&own));
    SEDGE_TRY_GOTO(status, sedge_elementwise_write(own, &t->job,
                                                   candidate < 0 ? &none : &t->tuning[candidate]));
    sedge_job_sources(sources, sedge_text_get(own));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, sedge_device_get_info(device)->kind, &options));
done:
    sedge_text_free(own);
    return status;
}

static sedge_status launch(void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const trial *const t = owner;
    const sedge_elementwise_tuning *const tuning = &t->tuning[candidate];
    sedge_cached_kernel cached = {.threads = tuning->threads,
                                  .items = (int64_t)tuning->threads * tuning->packs * t->job.pack};

    SEDGE_TRY(sedge_program_get(&cached.kernel[0], program, "sedge_elements"));
    return sedge_job_launch(&t->job, &cached, stream);
}

static sedge_status run_rule(void *owner)
{
    const trial *const t = owner;
    sedge_cached_kernel rule = {.tuned = 0};

    SEDGE_TRY(sedge_job_kernel(&rule, &t->job, &t->tuning[0]));
    return sedge_job_launch(&t->job, &rule, NULL);
}

// ---- the trial ---------------------------------------------------------------------------------

// On the host a vector's functions may differ from a single number's in the last places, and how
// many numbers of a line are left over for those depends on the block.
static int rounding(const sedge_job *job, sedge_type type)
{
    const sedge_device *const device = sedge_context_device(job->context);

    if (sedge_device_get_info(device)->kind != SEDGE_DEVICE_HOST || type < SEDGE_FLOAT32) return 0;
    return type == SEDGE_FLOAT32 || type == SEDGE_COMPLEX64 ? 4 : 8;
}

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
    if (elements > 2 * t->job.iteration.count) *possible = false;
    SEDGE_TRY(sedge_trial_take(t->job.context, elements * size, &t->block[k], &buffer, possible));
    if (!*possible) return SEDGE_OK;
    t->scratch[k] = *member->array;
    t->scratch[k].buffer = buffer;
    t->scratch[k].offset = below * size;
    member->array = &t->scratch[k];
    t->tuner.output[t->tuner.outputs++] = (sedge_trial_output){
        .buffer = buffer, .bytes = elements * size, .real = rounding(&t->job, member->type)};
    return SEDGE_OK;
}

static sedge_status prepare(trial *t, const sedge_job *job, bool *possible)
{
    const bool measures = sedge_context_tuning(job->context) != SEDGE_TUNE_OFF;

    *possible = true;
    t->job = *job;
    for (int k = 0; k < job->count; k++) {
        if (!measures || !job->member[k].written) continue;
        SEDGE_TRY(make_scratch(t, k, possible));
    }
    t->tuner.count = sedge_elementwise_tunings(t->tuning, job);
    for (int c = 0; c < t->tuner.count; c++) {
        (void)snprintf(t->tuner.name[c], SEDGE_TRIAL_NAME, "t%d p%d", t->tuning[c].threads,
                       t->tuning[c].packs);
        t->tuner.candidate[c].threads = t->tuning[c].threads;
    }
    return SEDGE_OK;
}

static double count_bytes(const sedge_job *job)
{
    double bytes = 0.0;

    for (int k = 0; k < job->count; k++) {
        if (job->member[k].access < SEDGE_ACCESS_CONTIGUOUS) continue;
        const double each = sedge_type_bytes(job->member[k].type) * (double)job->iteration.count;
        bytes += job->member[k].written && !job->write_only ? 2.0 * each : each;
    }
    return bytes;
}

sedge_status sedge_job_tune(int *choice, const sedge_job *job)
{
    sedge_status status;
    trial *t = NULL;
    bool possible;

    *choice = 0;
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    SEDGE_TRY_GOTO(status, prepare(t, job, &possible));
    t->tuner.context = job->context;
    t->tuner.title = job->title;
    t->tuner.operation = "elements";
    t->tuner.elements = job->iteration.count;
    t->tuner.bytes = count_bytes(job);
    t->tuner.owner = t;
    t->tuner.write = write_program;
    t->tuner.launch = launch;
    t->tuner.run_rule = run_rule;
    if (possible) SEDGE_TRY_GOTO(status, sedge_trial_choose(choice, &t->tuner));
done:
    for (int k = 0; k < job->count; k++)
        sedge_pool_give(sedge_context_memory(job->context), t->block[k]);
    sedge_release(t);
    return status;
}
