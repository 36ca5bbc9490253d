// The tuner's samples: how long candidates take.
#include "tune/tune_race.h"

#include "base/file.h"
#include "tune/tune_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARM_SECONDS 0.05 // for the clocks of a GPU, at the start
#define WARM_AGAIN   0.01 // the same after a pause
#define WARM_PAUSE   0.05
#define DISTURBED    1.1 // median / least from which samples say little

enum { BATCH_MAX = 1 << 20 };

// Seconds of one call in a batch of `batch`.
static sedge_status time_batch(const tune_race *race, const race_entry *entry, int batch,
                               double *seconds)
{
    sedge_tune_run *const run = race->run;
    const sedge_tune_task *const task = run->task;

    SEDGE_TRY(sedge_event_record(run->before, run->stream));
    for (int i = 0; i < batch; i++) {
        SEDGE_TRY(task->launch(task->context, entry->candidate, entry->program, run->stream));
    }
    SEDGE_TRY(sedge_event_record(run->after, run->stream));
    SEDGE_TRY(sedge_stream_wait(run->stream));
    SEDGE_TRY(sedge_event_seconds(seconds, run->before, run->after));
    run->launched = sedge_clock();
    *seconds = fmax(*seconds / batch, 1e-9);
    return SEDGE_OK;
}

static int choose_batch(double seconds)
{
    return (int)fmin(fmax(ceil(SAMPLE_SECONDS / seconds), 1.0), BATCH_MAX);
}

sedge_status sedge_race_sample(const tune_race *race, race_entry *entry)
{
    double seconds;

    if (entry->count == SAMPLES_MAX) return SEDGE_OK;
    SEDGE_TRY(time_batch(race, entry, entry->batch, &seconds));
    while (entry->batch < BATCH_MAX && seconds * entry->batch < 0.5 * SAMPLE_SECONDS) {
        entry->batch = choose_batch(seconds);
        entry->count = 0; // earlier ones were too short as well
        SEDGE_TRY(time_batch(race, entry, entry->batch, &seconds));
    }
    entry->least = entry->count > 0 ? fmin(entry->least, seconds) : seconds;
    entry->samples[entry->count++] = seconds;
    return SEDGE_OK;
}

sedge_status sedge_race_warm(const tune_race *race, const race_entry *entry)
{
    const sedge_tune_run *const run = race->run;
    const double began = sedge_clock();
    const double least = run->launched > 0.0 ? WARM_AGAIN : WARM_SECONDS;
    const bool paused =
        !sedge_traits_of(run->info->kind)->in_call && began - run->launched > WARM_PAUSE;
    double seconds;

    SEDGE_TRY(time_batch(race, entry, 1, &seconds));
    const int batch = choose_batch(seconds);
    while (paused && sedge_clock() - began < least)
        SEDGE_TRY(time_batch(race, entry, batch, &seconds));
    return SEDGE_OK;
}

sedge_status sedge_race_start(const tune_race *race, race_entry *entry)
{
    SEDGE_TRY(sedge_race_warm(race, entry));
    entry->batch = 1;
    if (entry != race->rule) race->run->measured = true;
    return sedge_race_sample(race, entry);
}

// ---- what samples say --------------------------------------------------------------------------

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

void sedge_race_write_record(const tune_race *race, const race_entry *entry)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);
    const double bound =
        sedge_tune_floor(race->run->options, race->task, &race->task->candidates[entry->candidate]);
    double values[SAMPLES_MAX];

    if (entry->count == 0) return;
    memcpy(values, entry->samples, (size_t)entry->count * sizeof *values);
    record->seconds = entry->least;
    record->rounds = entry->count;
    record->median = median_of(values, entry->count);
    for (int i = 0; i < entry->count; i++) values[i] = fabs(entry->samples[i] - record->median);
    record->spread = median_of(values, entry->count);
    record->fraction = bound > 0.0 ? bound / entry->least : 0.0;
}

double sedge_race_spread(const race_entry *entry)
{
    const int count = entry->count < CONFIDENT_COUNT ? entry->count : CONFIDENT_COUNT;
    double values[SAMPLES_MAX];

    memcpy(values, entry->samples, (size_t)entry->count * sizeof *values);
    (void)median_of(values, entry->count); // in order
    const double median = median_of(values, count);
    for (int i = 0; i < count; i++) values[i] = fabs(values[i] - median);
    return median_of(values, count);
}

double sedge_race_median(const race_entry *entry)
{
    double values[SAMPLES_MAX];

    memcpy(values, entry->samples, (size_t)entry->count * sizeof *values);
    return median_of(values, entry->count);
}

bool sedge_race_is_disturbed(const race_entry *entry)
{
    return sedge_race_median(entry) > DISTURBED * entry->least;
}
