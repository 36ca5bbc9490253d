// The tuner's view of one elementwise job. The arrays it writes are replaced by others, for it is
// run many times: x = x + y must not be.
#include "array/array_tune.h"
#include "array/strided.h"
#include "base/memory.h"
#include "elementwise/elementwise.h"

#include <stdio.h>

typedef struct trial {
    sedge_tuned_call tuned;
    sedge_job job; // writes the scratch arrays
    sedge_array scratch[SEDGE_OPERANDS];
} trial;

// ---- the family --------------------------------------------------------------------------------

static sedge_elementwise_tuning tuning_of(const trial *t, int candidate)
{
    const int *const number = t->tuned.candidate[candidate].number;

    return (sedge_elementwise_tuning){.threads = number[0], .packs = number[1]};
}

static sedge_status write_program(const void *owner, int candidate, sedge_text *out)
{
    const trial *const t = owner;
    const sedge_elementwise_tuning tuning =
        candidate < 0 ? (sedge_elementwise_tuning){0, 0} : tuning_of(t, candidate);
    const sedge_device *const device = sedge_context_device(t->job.context);
    sedge_source sources[3];
    const sedge_program_options options = {
        .name = t->job.title, .constants = "", .sources = sources, .count = 3};
    sedge_status status;
    sedge_text *own = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&own));
    SEDGE_TRY_GOTO(status, sedge_elementwise_write(own, &t->job, &tuning));
    sedge_job_sources(sources, sedge_text_get(own));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, sedge_device_get_info(device)->kind, &options));
done:
    sedge_text_free(own);
    return status;
}

static sedge_status launch(const void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const trial *const t = owner;
    const sedge_elementwise_tuning tuning = tuning_of(t, candidate);
    sedge_cached_kernel cached = {.tuned = 0};

    SEDGE_TRY(sedge_job_kernel(&cached, &t->job, &tuning, program));
    return sedge_job_launch(&t->job, &cached, stream);
}

static const sedge_tuned_family family = {
    .operation = "elements", .letters = "tp", .write = write_program, .launch = launch};

// ---- one call ----------------------------------------------------------------------------------

// On the host a vector's functions may differ from a single number's in the last places, and how
// many numbers of a line are left over for those depends on the block.
static int rounding(const sedge_job *job, sedge_type type)
{
    const sedge_device *const device = sedge_context_device(job->context);

    if (!sedge_device_get_traits(device)->in_call || type < SEDGE_FLOAT32) return 0;
    return type == SEDGE_FLOAT32 || type == SEDGE_COMPLEX64 ? 4 : 8;
}

// An array that lies in memory as the written one does. Too spread out, or no memory for a second
// one: then nothing is measured.
static sedge_status make_scratch(trial *t, int k)
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
    if (elements > 2 * t->job.iteration.count) t->tuned.impossible = true;
    SEDGE_TRY(sedge_tuned_add_output(&t->tuned, elements * size, rounding(&t->job, member->type),
                                     &buffer));
    if (buffer == NULL) return SEDGE_OK;
    t->scratch[k] = *member->array;
    t->scratch[k].buffer = buffer;
    t->scratch[k].offset = below * size;
    member->array = &t->scratch[k];
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

sedge_status sedge_job_tune(int *choice, const sedge_job *job,
                            const sedge_elementwise_tuning *tunings, int count)
{
    const bool measures = sedge_context_tuning(job->context) != SEDGE_TUNE_OFF;
    sedge_status status;
    trial *t = NULL;

    *choice = 0;
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    t->job = *job;
    t->tuned = (sedge_tuned_call){.family = &family,
                                  .context = job->context,
                                  .title = job->title,
                                  .elements = job->iteration.count,
                                  .bytes = count_bytes(job),
                                  .count = count,
                                  .owner = t};
    for (int c = 0; c < count; c++) {
        t->tuned.candidate[c] = (sedge_tuned_candidate){
            .number = {tunings[c].threads, tunings[c].packs}, .threads = tunings[c].threads};
    }
    for (int k = 0; measures && k < job->count; k++)
        if (job->member[k].written) SEDGE_TRY_GOTO(status, make_scratch(t, k));
    SEDGE_TRY_GOTO(status, sedge_tuned_choose(choice, &t->tuned));
done:
    sedge_tuned_clear(&t->tuned);
    sedge_release(t);
    return status;
}
