// The tuner's batches: which candidates are compiled next, and how many.
#include "tune/tune_race.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

// What each further thread adds to the time of all: NVRTC's threads wait for each other. Of batches
// on an H200 machine, 16 cores (benchmarks/README.md).
#define CROWD           0.2
#define LONGER          1.2 // than predicted a batch may take: programs differ
#define UNKNOWN_SECONDS 0.1 // of the first batch of all

enum { SAMPLES_LATER = 60 }; // that a race takes after the last batch, about

// How many numbers of two candidates differ, and a little more the further they are apart.
static double distance_of(const tune_race *race, const race_entry *a, const race_entry *b)
{
    const int *const left = race->task->candidates[a->candidate].number;
    const int *const right = race->task->candidates[b->candidate].number;
    double distance = 0.0;

    for (int k = 0; k < SEDGE_TUNE_NUMBERS; k++) {
        if (left[k] == right[k]) continue;
        distance += 1.0 + 0.1 * fabs(log2((1.0 + left[k]) / (1.0 + right[k])));
    }
    return distance;
}

static bool needs_compiler(const race_entry *entry)
{
    return !entry->out && entry->program == NULL;
}

void sedge_race_reorder(tune_race *race, const race_entry *best)
{
    for (int i = race->compiled + 1; i < race->count; i++) { // insertion
        const race_entry entry = race->entries[i];
        const double distance = distance_of(race, &entry, best);
        int at = i;
        if (!needs_compiler(&entry)) continue; // it stands in front
        for (; at > race->compiled; at--) {
            const race_entry *const before = &race->entries[at - 1];
            if (!needs_compiler(before) || distance_of(race, before, best) <= distance) break;
            race->entries[at] = *before;
        }
        race->entries[at] = entry;
    }
}

// Seconds of a batch, in units of its slowest call with one program: a call that compiles several
// programs takes at most the sum of their times, with one start.
static double load_of(const sedge_tune_run *run, int size)
{
    const int together = (size + run->parallel - 1) / run->parallel;
    const int jobs = size < run->parallel ? size : run->parallel;
    const double crowd = run->together_most > 1 ? CROWD : 0.0;

    return 0.5 * (1 + together) * (1.0 + crowd * (jobs - 1));
}

void sedge_race_note_compiler(sedge_tune_run *run, double seconds, int size, int64_t bytes)
{
    run->compile_rate = seconds / (load_of(run, size) * (double)bytes);
}

// Seconds until the next `size` entries are compiled and timed once, and the race is over: the
// longest source decides about the compiler's time.
static double predict(const tune_race *race, const race_entry *best, int size)
{
    const double sample = best != NULL ? fmax(SAMPLE_SECONDS, best->least) : SAMPLE_SECONDS;
    const sedge_tune_run *const run = race->run;
    size_t longest = 0;

    for (int i = race->compiled; i < race->compiled + size; i++) {
        const sedge_text *const text = race->entries[i].text;
        if (text != NULL && sedge_text_length(text) > longest) longest = sedge_text_length(text);
    }
    const double compiler = run->compile_rate > 0.0
                                ? LONGER * run->compile_rate * (double)longest * load_of(run, size)
                                : UNKNOWN_SECONDS;
    return compiler + fmin((4 * size + SAMPLES_LATER) * sample, LATE_PART * race->budget);
}

int sedge_race_choose_size(const tune_race *race, const race_entry *best)
{
    sedge_tune_run *const run = race->run;
    const int left = race->count - race->compiled;
    const bool is_first = race->compiled == 0;
    const double now = sedge_clock();
    int found = 0;

    while (found < left && !needs_compiler(&race->entries[race->compiled + found])) found++;
    if (is_first && found > 1) found = 1; // the rule's choice, with which the others are compared
    if (found > 0) return now <= race->end ? found : 0;
    const int most = run->together == 0 ? 1 : 2 * run->together;
    int size = run->parallel * (most < run->together_most ? most : run->together_most);
    if (size > left) size = left;
    if (!(run->compile_rate > 0.0)) size = (size + 1) / 2; // to learn it
    while (size > 0 && now + predict(race, best, size) > race->compile_end) size--;
    if (is_first && size == 0 && race->layout == 0 && now <= race->end) size = 1; // the rule's
    run->together = (size + run->parallel - 1) / run->parallel;
    return size;
}
