#include "codegen/tune_race.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_1_SLOWER  1.5
#define ROUND_3_SLOWER  1.1
#define GAIN            0.03 // that a challenger needs
#define GAIN_FEW        0.1  // the same with few samples, whose spread says little
#define SPREADS         3.0
#define CONFIDENT_COUNT 5
#define LATE_PART       0.3 // of its time that an operation may have more when the compiler was slow

enum {
    ROUNDS_EARLY = 3,
    ROUNDS_FINAL = 15,
    CHALLENGERS_FINAL = 2, // beside the rule's choice
};

const char *sedge_race_name(const tune_race *race, const race_entry *entry)
{
    return race->task->candidates[entry->candidate].name;
}

sedge_tune_record *sedge_race_record(const tune_race *race, const race_entry *entry)
{
    return &race->records[entry->candidate];
}

// The first line of a message that speaks of an error.
static const char *find_cause(const char *message, int *length)
{
    const char *at = strstr(message, "error:");

    if (at == NULL) at = message;
    *length = (int)strcspn(at, "\n");
    return at;
}

sedge_status sedge_race_give_up(tune_race *race, race_entry *entry, sedge_status status,
                                const char *what)
{
    int length;
    const char *const cause = find_cause(sedge_error_message(), &length);

    if (status == SEDGE_ERR_MEMORY) return status;
    if (entry == race->rule && race->layout == 0) {
        char message[2048];
        (void)snprintf(message, sizeof message, "%s", sedge_error_message());
        return SEDGE_FAIL(status, "'%s' of %s, the rule's choice, %s: %s",
                          sedge_race_name(race, entry), race->task->name, what, message);
    }
    entry->out = true;
    entry->count = 0; // a time that means nothing
    sedge_tune_reason(sedge_race_record(race, entry), "%s: %.*s", what, length, cause);
    sedge_error_clear();
    if (entry == race->rule) race->rule = NULL;
    sedge_program_free(entry->program);
    entry->program = NULL;
    return SEDGE_OK;
}

void sedge_race_drop(const tune_race *race, race_entry *entry, double slower, const char *when)
{
    const sedge_tune_record *const record = sedge_race_record(race, entry);
    char spills[32] = "";

    if (record->spilled > 0)
        (void)snprintf(spills, sizeof spills, ", spills %d bytes", record->spilled);
    entry->out = true;
    sedge_tune_reason(sedge_race_record(race, entry), "%.2fx slower %s%s", slower, when, spills);
    sedge_program_free(entry->program);
    entry->program = NULL;
}

// ---- right or wrong ----------------------------------------------------------------------------

// Verify once. `*good` false: it is out.
static sedge_status verify(tune_race *race, race_entry *entry, bool *good)
{
    sedge_tune_run *const run = race->run;
    const sedge_tune_task *const task = run->task;
    const double began = sedge_clock();

    *good = true;
    if (entry->verified) return SEDGE_OK;
    if (entry != race->rule && began + run->verify_seconds > race->end) {
        entry->out = true;
        *good = false;
        run->cut = true;
        sedge_tune_reason(sedge_race_record(race, entry), "not verified: the time was spent");
        return SEDGE_OK;
    }
    const sedge_status status =
        task->verify(task->context, race->operation, entry->candidate, entry->program);
    run->verify_seconds = sedge_clock() - began;
    if (status == SEDGE_OK) {
        entry->verified = true;
        return SEDGE_OK;
    }
    *good = false;
    return sedge_race_give_up(race, entry, status, "is wrong");
}

// The fastest of those in the race that is right: only such a one may drop others. NULL: there is
// none.
static sedge_status find_leader(tune_race *race, race_entry **leader)
{
    for (;;) {
        bool good;
        *leader = NULL;
        for (int i = 0; i < race->compiled; i++) {
            race_entry *const entry = &race->entries[i];
            if (!entry->out && entry->count > 0 &&
                (*leader == NULL || entry->least < (*leader)->least))
                *leader = entry;
        }
        if (*leader == NULL) return SEDGE_OK;
        SEDGE_TRY(verify(race, *leader, &good));
        if (good) return SEDGE_OK;
    }
}

// ---- rounds ------------------------------------------------------------------------------------

static bool has_time(const tune_race *race, double seconds)
{
    return sedge_clock() + seconds <= race->end;
}

// Drop who is slower than `limit` times the leader. A short sample may have been disturbed: it is
// taken again first.
static sedge_status drop_slower(tune_race *race, double limit, const char *when)
{
    race_entry *leader;

    if (race->run->options->level == SEDGE_TUNE_EXHAUSTIVE) return SEDGE_OK;
    SEDGE_TRY(find_leader(race, &leader));
    if (leader == NULL) return SEDGE_OK;
    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out || entry->count == 0 || entry == race->rule || entry == leader) continue;
        for (int k = 0; k < SAMPLE_AGAIN && entry->least > limit * leader->least; k++) {
            if (!sedge_race_is_short(race, entry->batch * entry->least)) break;
            const sedge_status status = sedge_race_sample(race, entry);
            if (status != SEDGE_OK)
                SEDGE_TRY(sedge_race_give_up(race, entry, status, "does not run"));
            if (entry->out) break;
        }
        if (!entry->out && entry->least > limit * leader->least)
            sedge_race_drop(race, entry, entry->least / leader->least, when);
    }
    return SEDGE_OK;
}

// One sample of each that is in the race and has fewer than `rounds`; `*done`: there was none, or
// no time.
static sedge_status run_round(tune_race *race, race_entry *const *entries, int count, int rounds,
                              bool *done)
{
    double predicted = 0.0;

    for (int i = 0; i < count; i++) {
        if (!entries[i]->out && entries[i]->count < rounds)
            predicted += entries[i]->batch * entries[i]->least;
    }
    *done = !(predicted > 0.0) || !has_time(race, predicted);
    if (*done) return SEDGE_OK;
    for (int i = 0; i < count; i++) {
        if (entries[i]->out || entries[i]->count >= rounds) continue;
        const sedge_status status = sedge_race_sample(race, entries[i]);
        if (status != SEDGE_OK)
            SEDGE_TRY(sedge_race_give_up(race, entries[i], status, "does not run"));
    }
    return SEDGE_OK;
}

static int compare_least(const void *left, const void *right)
{
    const race_entry *const a = *(race_entry *const *)left;
    const race_entry *const b = *(race_entry *const *)right;

    if (a->least != b->least) return a->least < b->least ? -1 : 1;
    return a < b ? -1 : 1;
}

// Those in the race, fastest first. `list` has room for all.
static int list_racing(const tune_race *race, race_entry **list)
{
    int count = 0;

    for (int i = 0; i < race->compiled; i++)
        if (!race->entries[i].out && race->entries[i].count > 0) list[count++] = &race->entries[i];
    if (count > 1) qsort(list, (size_t)count, sizeof(race_entry *), compare_least);
    return count;
}

// The early rounds: all take turns.
static sedge_status run_early(tune_race *race, race_entry **list)
{
    bool done = false;

    for (int round = 2; round <= ROUNDS_EARLY && !done; round++)
        SEDGE_TRY(run_round(race, list, list_racing(race, list), round, &done));
    return done ? SEDGE_OK : drop_slower(race, ROUND_3_SLOWER, "after 3 rounds");
}

// The rule's choice and the fastest challengers that are right, in `list`; their number.
static sedge_status choose_finalists(tune_race *race, race_entry **list, int *finalists)
{
    const bool everyone = race->run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    const int racing = list_racing(race, list);
    int chosen = 0;
    int challengers = 0;

    for (int i = 0; i < racing; i++) {
        race_entry *const entry = list[i];
        bool good = true;
        if (!everyone && entry != race->rule && challengers == CHALLENGERS_FINAL) continue;
        if (!everyone) SEDGE_TRY(verify(race, entry, &good));
        if (!good) continue;
        if (entry != race->rule) challengers++;
        list[chosen++] = entry;
    }
    *finalists = chosen;
    return SEDGE_OK;
}

// ---- the end -----------------------------------------------------------------------------------

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

static void write_record(const tune_race *race, const race_entry *entry)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);
    const double bound =
        sedge_tune_bound(race->run->options, race->task, &race->task->candidates[entry->candidate]);
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

// What a challenger must be faster by than the rule's choice, in seconds.
static double needed_gain(const tune_race *race, const race_entry *challenger)
{
    const sedge_tune_record *const mine = sedge_race_record(race, challenger);
    const sedge_tune_record *const rules = sedge_race_record(race, race->rule);
    const bool few = mine->rounds < CONFIDENT_COUNT || rules->rounds < CONFIDENT_COUNT;

    return fmax((few ? GAIN_FEW : GAIN) * rules->seconds,
                SPREADS * fmax(mine->spread, rules->spread));
}

static void explain_loser(const tune_race *race, const race_entry *entry, const race_entry *winner)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);

    if (entry->least >= winner->least) {
        sedge_tune_reason(record, "%.2fx slower at the end", entry->least / winner->least);
    } else {
        sedge_tune_reason(record, "%.1f %% faster than the rule's, which is too little",
                          100.0 * (1.0 - entry->least / winner->least));
    }
}

// The fastest that is right wins, if it is the rule's choice or clearly faster.
static sedge_status decide(tune_race *race, race_entry **list, race_entry **winner)
{
    race_entry *leader;

    for (int i = 0; i < race->compiled; i++) write_record(race, &race->entries[i]);
    SEDGE_TRY(find_leader(race, &leader));
    *winner = leader;
    if (leader == NULL) return SEDGE_OK;
    if (race->rule != NULL && race->rule->count > 0 &&
        race->rule->least - leader->least <= needed_gain(race, leader))
        *winner = race->rule;
    const int racing = list_racing(race, list);
    for (int i = 0; i < racing; i++)
        if (list[i] != *winner) explain_loser(race, list[i], *winner);
    sedge_tune_reason(sedge_race_record(race, *winner),
                      *winner == race->rule ? "winner, by rule" : "winner");
    return SEDGE_OK;
}

// Drop those of entries [from, count) that cannot be faster than the leader even at their bound.
static void drop_hopeless(tune_race *race, const race_entry *leader)
{
    int left = race->compiled;

    for (int i = race->compiled; i < race->count; i++) {
        const int c = race->entries[i].candidate;
        const double bound =
            sedge_tune_bound(race->run->options, race->task, &race->task->candidates[c]);
        if (bound > leader->least && race->run->options->level != SEDGE_TUNE_EXHAUSTIVE) {
            sedge_tune_reason(&race->records[c], "needs %.3g us at least, the best takes %.3g",
                              1e6 * bound, 1e6 * leader->least);
        } else {
            race->entries[left++] = race->entries[i];
        }
    }
    race->count = left;
}

// Seconds that the rest of the race will want for its finals.
static double predict_finals(const tune_race *race, const race_entry *leader)
{
    const double sample = fmax(SAMPLE_SECONDS, leader->least);

    return (ROUNDS_FINAL + ROUNDS_EARLY) * (CHALLENGERS_FINAL + 1) * sample +
           CHALLENGERS_FINAL * race->run->verify_seconds;
}

// How many are compiled next, if so many are compiled as one; 0: there is no time.
static int try_size(const tune_race *race, const race_entry *leader, int together)
{
    const int left = race->count - race->compiled;
    const int most = race->run->parallel * together;
    const int size = left < most ? left : most;
    double needed = race->batch_seconds; // what is compiled as one takes its parts' time at most

    if (together > race->batch_together) needed *= (double)together / race->batch_together;
    if (leader != NULL) {
        needed += 3.0 * size * fmax(SAMPLE_SECONDS, FIRST_SLOWER * leader->least) +
                  predict_finals(race, leader);
    }
    return has_time(race, needed) ? size : 0;
}

// How many are compiled next; 0: there is no time. Twice as many are compiled as one as before, if
// there is time for it.
static int choose_size(const tune_race *race, const race_entry *leader)
{
    sedge_tune_run *const run = race->run;
    int size = 0;

    if (race->late) return 0;
    if (race->compiled == 0) {
        run->together = 1;
        // How long a batch takes is only a guess yet: half of one.
        size = (try_size(race, leader, 1) + 1) / 2;
        return size == 0 && has_time(race, 0.0) ? 1 : size;
    }
    run->together =
        race->batch_together < run->together_most ? 2 * race->batch_together : race->batch_together;
    while (run->together > 0) {
        size = try_size(race, leader, run->together);
        if (size > 0) break;
        run->together /= 2;
    }
    if (size > 0) run->together = (size + run->parallel - 1) / run->parallel;
    return size;
}

static void leave(const tune_race *race, const race_entry *entry)
{
    sedge_tune_reason(sedge_race_record(race, entry), "not %s: the time was spent",
                      entry->program != NULL ? "timed" : "tried");
    race->run->cut = true;
}

// The compiler was slow: what it made is timed nevertheless, on a part of the others' time or a
// little more.
static void extend(tune_race *race)
{
    race->late = true;
    race->end =
        fmax(sedge_tune_share(race->run, race->left), sedge_clock() + LATE_PART * race->allowed);
}

// Compile, start and time the next ones once.
static sedge_status admit(tune_race *race, int size)
{
    const int from = race->compiled;
    bool good;

    race->compiled += size;
    SEDGE_TRY(sedge_race_compile(race, from, race->compiled));
    if (!has_time(race, 0.0)) extend(race);
    for (int i = from; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out) continue;
        if (!has_time(race, 0.0)) {
            leave(race, entry);
            continue;
        }
        if (entry == race->rule) { // the measure of all others
            SEDGE_TRY(verify(race, entry, &good));
            if (!good) continue;
            if (race->late)
                extend(race); // checking takes longest where it makes programs of its own
        }
        const sedge_status status = sedge_race_start(race, entry);
        if (status != SEDGE_OK) SEDGE_TRY(sedge_race_give_up(race, entry, status, "does not run"));
    }
    return drop_slower(race, ROUND_1_SLOWER, "after 1 round");
}

// All that there is time for are compiled and timed once.
static sedge_status admit_all(tune_race *race)
{
    while (race->compiled < race->count) {
        race_entry *leader;
        SEDGE_TRY(find_leader(race, &leader));
        if (leader != NULL) drop_hopeless(race, leader);
        const int size = choose_size(race, leader);
        if (size == 0) break;
        SEDGE_TRY(admit(race, size));
    }
    for (int i = race->compiled; i < race->count; i++) leave(race, &race->entries[i]);
    return SEDGE_OK;
}

static sedge_status run_race(tune_race *race, race_entry **list, race_entry **winner)
{
    int finalists = 0;
    bool done = false;

    SEDGE_TRY(admit_all(race));
    SEDGE_TRY(run_early(race, list));
    SEDGE_TRY(choose_finalists(race, list, &finalists));
    while (!done) SEDGE_TRY(run_round(race, list, finalists, ROUNDS_FINAL, &done));
    return decide(race, list, winner);
}

sedge_status sedge_tune_race(sedge_tune_run *run, int operation, int layout, const int *order,
                             int count, int left, int *winner, double *seconds)
{
    const sedge_tune_operation *const o = &run->task->operation[operation];
    tune_race race = {.run = run,
                      .operation = operation,
                      .layout = layout,
                      .task = o,
                      .records = run->result->records[operation],
                      .end = sedge_tune_share(run, left),
                      .allowed = sedge_tune_share(run, left) - sedge_clock(),
                      .batch_seconds = run->compile_seconds,
                      .batch_together = 1,
                      .left = left,
                      .count = count};
    race_entry **list = NULL;
    race_entry *won = NULL;
    sedge_status status;

    *winner = -1;
    *seconds = 0.0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&race.entries, count, sizeof *race.entries));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, count, sizeof(race_entry *)));
    for (int i = 0; i < count; i++) race.entries[i].candidate = order[i];
    if (count > 0 && order[0] == sedge_tune_rule(o, layout)) race.rule = &race.entries[0];
    SEDGE_TRY_GOTO(status, run_race(&race, list, &won));
    if (won != NULL) {
        *winner = won->candidate;
        *seconds = won->least;
    }
done:
    for (int i = 0; race.entries != NULL && i < count; i++)
        sedge_program_free(race.entries[i].program);
    sedge_release(race.entries);
    sedge_release(list);
    return status;
}
