#include "operator/launch.h"

#include <string.h>

sedge_status operator_launcher_init(operator_launcher *launcher, sedge_device *device)
{
    memset(launcher, 0, sizeof *launcher);
    for (int i = 0; i < SEDGE_SAMPLES; i++) {
        SEDGE_TRY(sedge_event_create(&launcher->sample[i].from, device));
        SEDGE_TRY(sedge_event_create(&launcher->sample[i].to, device));
    }
    return SEDGE_OK;
}

void operator_launcher_clear(operator_launcher *launcher)
{
    for (int i = 0; i < SEDGE_SAMPLES; i++) {
        sedge_event_free(launcher->sample[i].from);
        sedge_event_free(launcher->sample[i].to);
    }
    memset(launcher, 0, sizeof *launcher);
}

// The next timing, begun; NULL where this launch is not timed.
static sedge_status begin_timing(operator_timing **timing, operator_launcher *launcher,
                                 operator_kernel kernel, sedge_stream *stream)
{
    *timing = NULL;
    if (!launcher->sampling || launcher->samples == SEDGE_SAMPLES) return SEDGE_OK;
    *timing = &launcher->sample[launcher->samples++];
    (*timing)->kernel = kernel;
    return sedge_event_record((*timing)->from, stream);
}

sedge_status operator_launch(operator_launcher *launcher, operator_kernel kernel,
                             sedge_stream *stream, int64_t blocks, int threads,
                             void *const *arguments, int count)
{
    operator_timing *timing;

    if (blocks == 0) return SEDGE_OK;
    SEDGE_TRY(begin_timing(&timing, launcher, kernel, stream));
    SEDGE_TRY(
        sedge_kernel_launch(launcher->kernel[kernel], stream, blocks, threads, arguments, count));
    launcher->launches[kernel]++;
    return timing == NULL ? SEDGE_OK : sedge_event_record(timing->to, stream);
}

sedge_status operator_begin_sampling(operator_launcher *launcher)
{
    launcher->sampling = true;
    return operator_read_samples(launcher);
}

void operator_end_sampling(operator_launcher *launcher)
{
    launcher->sampling = false;
}

sedge_status operator_read_samples(operator_launcher *launcher)
{
    for (int i = 0; i < launcher->samples; i++) {
        const operator_timing *const sample = &launcher->sample[i];
        double seconds;
        SEDGE_TRY(sedge_event_wait(sample->to));
        SEDGE_TRY(sedge_event_seconds(&seconds, sample->from, sample->to));
        launcher->sampled_seconds[sample->kernel] += seconds;
        launcher->sampled_launches[sample->kernel]++;
    }
    launcher->samples = 0;
    return SEDGE_OK;
}
