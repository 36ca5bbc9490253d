#include "tune/tune_race.h"

#include "base/file.h"
#include "base/memory.h"
#include "tune/tune_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_1_SLOWER 1.5
#define GAIN           0.03 // how much faster than the rule's choice a challenger must be
#define GAIN_FEW       0.1  // the same with few samples, whose spread says little
#define SPREADS        3.0
#define LATE_PART      0.5 // of its time that an operation may have more when the compiler was slow
#define LATE_SECONDS   0.15 // the same at most, when it was not too slow

enum { ROUNDS_ORDER = 2 }; // of a candidate, before its time decides what is compiled next

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
    entry->least = 0.0;
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

// The fastest in the race, of all or of those verified; NULL: there is none.
static race_entry *find_fastest(const tune_race *race, bool verified)
{
    race_entry *fastest = NULL;

    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out || entry->count == 0 || (verified && !entry->verified)) continue;
        if (fastest == NULL || entry->least < fastest->least) fastest = entry;
    }
    return fastest;
}

// The leader: the candidate that the others' times are compared with. Only a verified candidate may
// drop others, so the fastest is verified first. A verified one that is less than GAIN slower than
// the fastest is taken instead, and so is any verified one when there is no time for a check. NULL:
// there is none.
static sedge_status find_leader(tune_race *race, race_entry **leader)
{
    for (;;) {
        race_entry *const fastest = find_fastest(race, false);
        bool good;
        *leader = find_fastest(race, true);
        if (fastest == *leader) return SEDGE_OK;
        if (*leader != NULL && ((1.0 - GAIN) * (*leader)->least <= fastest->least ||
                                !sedge_race_has_time(race, race->run->verify_seconds)))
            return SEDGE_OK;
        SEDGE_TRY(verify(race, fastest, &good));
        *leader = fastest;
        if (good) return SEDGE_OK;
    }
}

// ---- rounds ------------------------------------------------------------------------------------

// Drop candidates that are slower than `limit` times the leader. A short sample may have been
// disturbed, so it is taken again first.
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

// Take one sample of each candidate in the race that has fewer than `rounds`. `*done`: none had
// fewer, or there was no time for a sample and `reserve` seconds after it.
static sedge_status run_round(tune_race *race, race_entry *const *entries, int count, int rounds,
                              double reserve, bool *done)
{
    double predicted = 0.0;

    for (int i = 0; i < count; i++) {
        if (!entries[i]->out && entries[i]->count < rounds)
            predicted += entries[i]->batch * entries[i]->least;
    }
    *done = !(predicted > 0.0) || !sedge_race_has_time(race, predicted + reserve);
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

// List the candidates in the race, fastest first. `list` has room for all.
static int list_racing(const tune_race *race, race_entry **list)
{
    int count = 0;

    for (int i = 0; i < race->compiled; i++)
        if (!race->entries[i].out && race->entries[i].count > 0) list[count++] = &race->entries[i];
    if (count > 1) qsort(list, (size_t)count, sizeof(race_entry *), compare_least);
    return count;
}

// Let all candidates take turns until each has so many samples, if that leaves time for the finals.
static sedge_status run_early(tune_race *race, race_entry **list, int rounds)
{
    bool done = false;

    for (int round = 2; round <= rounds && !done; round++) {
        const int racing = list_racing(race, list);
        const double reserve = racing > 0 ? sedge_race_predict_finals(race, list[0]) : 0.0;
        SEDGE_TRY(run_round(race, list, racing, round, reserve, &done));
    }
    return SEDGE_OK;
}

// Put the finalists, the rule's choice and the fastest challengers, into `list`; returns their
// number. They are verified when one of them is about to win.
static int choose_finalists(const tune_race *race, race_entry **list)
{
    const bool everyone = race->run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    const int racing = list_racing(race, list);
    int chosen = 0;
    int challengers = 0;

    for (int i = 0; i < racing; i++) {
        if (!everyone && list[i] != race->rule && challengers == CHALLENGERS_FINAL) continue;
        if (list[i] != race->rule) challengers++;
        list[chosen++] = list[i];
    }
    return chosen;
}

// ---- the end -----------------------------------------------------------------------------------

// How many seconds faster than the rule's choice a challenger must be.
static double needed_gain(const tune_race *race, const race_entry *challenger)
{
    const race_entry *const rule = race->rule;
    const int rounds = challenger->count < rule->count ? challenger->count : rule->count;

    return fmax((rounds < CONFIDENT_COUNT ? GAIN_FEW : GAIN) * rule->least,
                SPREADS * fmax(sedge_race_spread(challenger), sedge_race_spread(rule)));
}

static bool has_rule(const tune_race *race)
{
    return race->rule != NULL && race->rule->count > 0;
}

// The fastest challenger that is faster than the rule's choice by that much; NULL: there is none.
static race_entry *find_clear(const tune_race *race)
{
    race_entry *clear = NULL;

    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out || entry->count == 0 || entry == race->rule) continue;
        if (clear != NULL && entry->least >= clear->least) continue;
        if (has_rule(race) && race->rule->least - entry->least <= needed_gain(race, entry))
            continue;
        clear = entry;
    }
    return clear;
}

// Whether more samples could change the choice: a candidate would win but for its spread or its few
// samples, or may be faster than its samples say.
static bool is_undecided(const tune_race *race)
{
    const race_entry *const fastest = find_fastest(race, false);

    if (race->run->options->level == SEDGE_TUNE_EXHAUSTIVE || !has_rule(race)) return false;
    const race_entry *const clear = find_clear(race);
    const race_entry *const best = clear != NULL ? clear : race->rule;
    return fastest->least < (1.0 - GAIN) * best->least || sedge_race_is_disturbed(best);
}

static void explain_loser(const tune_race *race, const race_entry *entry, const race_entry *winner)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);

    if (entry->least >= winner->least) {
        sedge_tune_reason(record, "%.2fx slower at the end", entry->least / winner->least);
    } else if (winner != race->rule) {
        sedge_tune_reason(record, "%.1f %% faster than the winner, by too few samples",
                          100.0 * (1.0 - entry->least / winner->least));
    } else {
        sedge_tune_reason(record, "%.1f %% faster than the rule's, which is too little",
                          100.0 * (1.0 - entry->least / winner->least));
    }
}

// Verify a candidate that is about to win. One such check is allowed when the time is spent, or all
// measurements would have been for nothing.
static sedge_status verify_winner(tune_race *race, race_entry *entry, bool *good)
{
    const bool in_time = sedge_race_has_time(race, race->run->verify_seconds);

    *good = entry->verified;
    if (entry->verified) return SEDGE_OK;
    if (in_time || !race->overtime) {
        race->overtime = race->overtime || !in_time;
        return verify(race, entry, good);
    }
    entry->out = true;
    race->run->incomplete = true;
    sedge_tune_reason(sedge_race_record(race, entry), "not verified: the time was spent");
    return SEDGE_OK;
}

// The winner: the fastest candidate that is verified and clearly faster than the rule's choice,
// else the rule's choice. NULL: there is none.
static sedge_status find_winner(tune_race *race, race_entry **winner)
{
    for (;;) {
        bool good;
        *winner = find_clear(race);
        if (*winner == NULL) {
            *winner = has_rule(race) ? race->rule : NULL;
            return SEDGE_OK;
        }
        SEDGE_TRY(verify_winner(race, *winner, &good));
        if (good) return SEDGE_OK;
    }
}

static sedge_status decide(tune_race *race, race_entry **list, race_entry **winner)
{
    for (int i = 0; i < race->compiled; i++) sedge_race_write_record(race, &race->entries[i]);
    SEDGE_TRY(find_winner(race, winner));
    if (*winner == NULL) return SEDGE_OK;
    const int racing = list_racing(race, list);
    for (int i = 0; i < racing; i++)
        if (list[i] != *winner) explain_loser(race, list[i], *winner);
    sedge_tune_reason(sedge_race_record(race, *winner),
                      *winner == race->rule ? "winner, by rule" : "winner");
    return SEDGE_OK;
}

static double bound_of(const tune_race *race, const race_entry *entry)
{
    return sedge_tune_bound(race->run->options, race->task,
                            &race->task->candidates[entry->candidate]);
}

// Drop those of entries [from, count) that cannot be faster than the leader even at their bound.
// A leader that is faster than its own bound (caches, clocks) shows that bounds are too high: those
// of the others are then compared with the leader's bound, not its time.
static void drop_hopeless(tune_race *race, const race_entry *leader)
{
    const double least = fmax(leader->least, bound_of(race, leader));
    const int found_end = race->compiled + race->found;
    int left = race->compiled;

    for (int i = race->compiled; i < race->count; i++) {
        const int c = race->entries[i].candidate;
        const double bound = bound_of(race, &race->entries[i]);
        if (bound > least && race->run->options->level != SEDGE_TUNE_EXHAUSTIVE) {
            if (i < found_end) race->found--;
            sedge_program_free(race->entries[i].program);
            sedge_text_free(race->entries[i].text);
            sedge_tune_reason(&race->records[c], "needs %.3g us at least, the best takes %.3g",
                              1e6 * bound, 1e6 * leader->least);
        } else {
            race->entries[left++] = race->entries[i];
        }
    }
    race->count = left;
}

static void leave(const tune_race *race, const race_entry *entry)
{
    sedge_tune_reason(sedge_race_record(race, entry), "not %s: the time was spent",
                      entry->program != NULL ? "timed" : "tried");
    race->run->incomplete = true;
}

// The compiler was slow. What it compiled is timed nevertheless: until the end of the operation's
// share of the time that is left, or for LATE_PART of its time from now if that is later.
static void extend(tune_race *race)
{
    race->late = true;
    race->end =
        fmax(sedge_tune_share(race->run, race->left), sedge_clock() + LATE_PART * race->allowed);
    race->last = race->end;
}

// Leave time for candidates that have just been compiled: put the end off by LATE_SECONDS at most,
// or extend the time if it is spent.
static void put_off_end(tune_race *race)
{
    const double more = fmin(LATE_PART * race->allowed, LATE_SECONDS);

    if (race->late || !sedge_race_has_time(race, 0.0)) extend(race);
    race->end = fmax(race->end, fmin(sedge_clock() + more, race->last));
}

// Compile the next candidates, run each for the first time, and take one sample of each.
static sedge_status admit(tune_race *race, int size)
{
    const int from = race->compiled;
    bool good;

    race->compiled += size;
    SEDGE_TRY(sedge_race_compile(race, from, race->compiled));
    put_off_end(race);
    for (int i = from; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out) continue;
        if (!sedge_race_has_time(race, 0.0)) {
            leave(race, entry);
            continue;
        }
        if (entry == race->rule) { // the others are compared with it, and its check does not count
                                   // as their time
            SEDGE_TRY(verify(race, entry, &good));
            if (!good) continue;
            race->last += race->run->verify_seconds;
            put_off_end(race);
        }
        const sedge_status status = sedge_race_start(race, entry);
        if (status != SEDGE_OK) SEDGE_TRY(sedge_race_give_up(race, entry, status, "does not run"));
    }
    return drop_slower(race, ROUND_1_SLOWER, "after 1 round");
}

// Choose how many of the next candidates are compiled. Candidates in the cache cost little and come
// first; of the others, which the compiler makes, the most promising. `*size` 0: there is no time
// for any.
static sedge_status choose_next(tune_race *race, race_entry **list, int *size)
{
    const bool everything = race->run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    race_entry *leader;

    SEDGE_TRY(find_leader(race, &leader));
    if (leader != NULL) drop_hopeless(race, leader);
    *size = 0;
    if (race->compiled > 0 && !race->looked && !everything) {
        race->looked = true;
        // To look, all texts are written. After a slow compiler that time goes to samples instead.
        if (!race->late && sedge_race_has_time(race, 0.0))
            SEDGE_TRY(sedge_race_find(race, &race->found));
    }
    if (race->found > 0) {
        *size = sedge_race_choose_found(race, leader);
        race->found -= *size;
        return SEDGE_OK;
    }
    if (!everything) {
        SEDGE_TRY(run_early(race, list, ROUNDS_ORDER));
        sedge_race_reorder(race);
        sedge_race_look_ahead(race);
    }
    *size = sedge_race_choose_size(race, leader);
    return SEDGE_OK;
}

// Compile and time once as many candidates as there is time for.
static sedge_status admit_all(tune_race *race, race_entry **list)
{
    while (race->compiled < race->count) {
        int size;
        SEDGE_TRY(choose_next(race, list, &size));
        if (size == 0) break;
        SEDGE_TRY(admit(race, size));
    }
    for (int i = race->compiled; i < race->count; i++) leave(race, &race->entries[i]);
    return SEDGE_OK;
}

static int fewest_rounds(race_entry *const *entries, int count)
{
    int fewest = SAMPLES_MAX - 1;

    for (int i = 0; i < count; i++)
        if (!entries[i]->out && entries[i]->count < fewest) fewest = entries[i]->count;
    return fewest;
}

// Seconds of one round of `entries`.
static double predict_round(race_entry *const *entries, int count)
{
    double seconds = 0.0;

    for (int i = 0; i < count; i++)
        if (!entries[i]->out) seconds += entries[i]->batch * entries[i]->least;
    return seconds;
}

// Without a few rounds of the finalists the time of the compiler would be wasted. If first calls
// and checks took the time for them, the end is put off, by LATE_PART of the whole at most.
static void save_finals(tune_race *race, race_entry *const *entries, int count)
{
    const int missing = CONFIDENT_COUNT - fewest_rounds(entries, count);
    const double seconds = 2.0 * missing * predict_round(entries, count); // with repeated samples

    if (count < 2 || missing <= 0) return;
    race->end = fmax(race->end, sedge_clock() + fmin(seconds, LATE_PART * race->allowed));
}

// Choose the finalists into `list`, and let them take turns until each has `rounds` samples.
static sedge_status run_finals(tune_race *race, race_entry **list, int rounds, int *finalists)
{
    bool done = false;

    *finalists = choose_finalists(race, list);
    save_finals(race, list, *finalists);
    while (!done) SEDGE_TRY(run_round(race, list, *finalists, rounds, 0.0, &done));
    return SEDGE_OK;
}

// Another program may disturb all early rounds of a candidate. So each that missed the finals has
// one more sample after them; if that makes it a finalist, the finals are run again with it.
static sedge_status look_again(tune_race *race, race_entry **list, int *finalists)
{
    bool done;

    if (race->run->options->level == SEDGE_TUNE_EXHAUSTIVE) return SEDGE_OK;
    SEDGE_TRY(run_round(race, list, list_racing(race, list), ROUNDS_EARLY + 1, 0.0, &done));
    *finalists = choose_finalists(race, list);
    if (fewest_rounds(list, *finalists) >= ROUNDS_FINAL) return SEDGE_OK;
    return run_finals(race, list, ROUNDS_FINAL + CONFIDENT_COUNT, finalists);
}

static sedge_status run_race(tune_race *race, race_entry **list, race_entry **winner)
{
    int finalists;
    bool done = false;

    SEDGE_TRY(admit_all(race, list));
    SEDGE_TRY(run_early(race, list, ROUNDS_EARLY));
    SEDGE_TRY(run_finals(race, list, ROUNDS_FINAL, &finalists));
    SEDGE_TRY(look_again(race, list, &finalists));
    while (!done && is_undecided(race))
        SEDGE_TRY(run_round(race, list, finalists, fewest_rounds(list, finalists) + 1, 0.0, &done));
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
                      .batch_jobs = run->parallel,
                      .batch_together = 1,
                      .batch_bytes = run->compile_bytes,
                      .left = left,
                      .count = count};
    race_entry **list = NULL;
    race_entry *won = NULL;
    sedge_status status;

    *winner = -1;
    *seconds = 0.0;
    race.compile_end = race.end;
    race.last = race.end + LATE_PART * race.allowed;
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
    for (int i = 0; race.entries != NULL && i < race.count; i++) {
        sedge_program_free(race.entries[i].program);
        sedge_text_free(race.entries[i].text);
    }
    sedge_release(race.entries);
    sedge_release(list);
    return status;
}
