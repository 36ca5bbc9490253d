// The tuner's batches: how many programs the compiler is given next.
#include "tune/tune_race.h"

#include "base/file.h"

#include <math.h>

// What each further thread adds to the time of all: NVRTC's threads wait for each other. Of batches
// on an H200 machine, 16 cores (benchmarks/README.md).
#define CROWD  0.2
#define LONGER 1.2 // than the last batch the next may take: programs differ

bool sedge_race_has_time(const tune_race *race, double seconds)
{
    return sedge_clock() + seconds <= race->end;
}

// A call that compiles several programs takes at most the sum of their times, with one start. A
// text twice as long takes twice the time (on an H200 machine 0.45 s for 95 KB, 1.5 s for 245). As
// long as the compiler's time is not measured, fewer compilers are not expected to be faster,
// except in the first batch, which the rule's choice needs.
double sedge_race_predict_batch(const tune_race *race, int jobs, int together)
{
    const double crowd = race->run->together_most > 1 ? CROWD : 0.0;
    const int before = race->run->compiler_unknown && race->compiled > 0 ? 1 : race->batch_jobs;
    const double seconds =
        race->batch_seconds * (1.0 + crowd * (jobs - 1)) / (1.0 + crowd * (before - 1)) *
        (race->next_bytes > 0 ? (double)race->next_bytes / (double)race->batch_bytes : 1.0);

    if (together > race->batch_together) return seconds * together / race->batch_together;
    return seconds * (1 + together) / (1 + race->batch_together);
}

double sedge_race_predict_finals(const tune_race *race, const race_entry *leader)
{
    const double sample = fmax(SAMPLE_SECONDS, leader->least);

    return (ROUNDS_FINAL + ROUNDS_EARLY) * (CHALLENGERS_FINAL + 1) * sample +
           race->run->verify_seconds;
}

// Is there time till `end` for so many seconds, to time so many once, and for the finals? Of a
// first batch, nothing is known but that a GPU's clocks must rise.
static bool fits(const tune_race *race, const race_entry *leader, double end, double seconds,
                 int size)
{
    if (leader != NULL) {
        seconds += 3.0 * size * fmax(SAMPLE_SECONDS, 2.0 * leader->least) +
                   sedge_race_predict_finals(race, leader);
    } else if (!sedge_traits_of(race->run->info->kind)->in_call) {
        seconds += WARM_SECONDS;
    }
    return sedge_clock() + seconds <= end;
}

int sedge_race_choose_found(const tune_race *race, const race_entry *leader)
{
    int size = race->found;

    while (size > 0 && !fits(race, leader, race->end, 0.0, size)) size--;
    return size;
}

int sedge_race_choose_size(const tune_race *race, const race_entry *leader)
{
    sedge_tune_run *const run = race->run;
    const int left = race->count - race->compiled;
    int most =
        race->batch_together < run->together_most ? 2 * race->batch_together : race->batch_together;
    int best = 0;

    if (race->late) return 0;
    if (race->compiled == 0 || run->compiler_unknown) most = 1;
    for (int together = 1; together <= most; together++) {
        for (int jobs = 1; jobs <= run->parallel; jobs++) {
            const int size = jobs * together < left ? jobs * together : left;
            if (size <= best) continue;
            const double seconds = LONGER * sedge_race_predict_batch(race, jobs, together);
            if (!fits(race, leader, race->compile_end, seconds, size)) continue;
            best = size;
            run->together = together;
        }
    }
    const bool is_first = race->compiled == 0 && race->layout == 0;
    if (is_first || run->compiler_unknown) best = (best + 1) / 2;
    if (race->compiled > 0 || best > 0 || race->layout > 0) return best;
    run->together = 1; // the rule's choice, at least
    return sedge_race_has_time(race, 0.0) ? 1 : 0;
}
