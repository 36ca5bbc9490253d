#include "tune/tune_race.h"

#include "base/file.h"
#include "base/memory.h"
#include "tune/tune_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR      4.0  // times as slow as the fastest: timed no more
#define GAIN     0.03 // how much faster than the rule's choice a challenger must be
#define GAIN_FEW 0.1  // the same with few samples, whose spread says little
#define SPREADS  3.0

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
                          sedge_race_name(race, entry), race->task->operation, what, message);
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

static bool is_exhaustive(const tune_race *race)
{
    return race->run->options->level == SEDGE_TUNE_EXHAUSTIVE;
}

static bool is_racing(const race_entry *entry)
{
    return !entry->out && entry->count > 0;
}

// Verify once. `*good` false: it is out.
static sedge_status verify(tune_race *race, race_entry *entry, bool *good)
{
    const sedge_tune_task *const task = race->run->task;

    *good = true;
    if (entry->verified) return SEDGE_OK;
    const sedge_status status = task->verify(task->context, entry->candidate, entry->program);
    entry->verified = *good = status == SEDGE_OK;
    return *good ? SEDGE_OK : sedge_race_give_up(race, entry, status, "is wrong");
}

// ---- compiling ---------------------------------------------------------------------------------

static bool has_time(const tune_race *race)
{
    return sedge_clock() <= race->end;
}

// Give what has been compiled LATE_PART of the budget to be timed, if less is left.
static void extend(tune_race *race)
{
    race->end = fmax(race->end, sedge_clock() + LATE_PART * race->budget);
}

static void leave(const tune_race *race, const race_entry *entry)
{
    sedge_tune_reason(sedge_race_record(race, entry), "not %s: the time was spent",
                      entry->program != NULL ? "timed" : "tried");
    race->run->incomplete = true;
}

// The fastest; NULL: nothing was timed.
static race_entry *find_fastest(const tune_race *race)
{
    race_entry *fastest = NULL;

    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (is_racing(entry) && (fastest == NULL || entry->least < fastest->least)) fastest = entry;
    }
    return fastest;
}

static double bound_of(const tune_race *race, const race_entry *entry)
{
    return sedge_tune_bound(race->run->options, race->task,
                            &race->task->candidates[entry->candidate]);
}

// Drop those of entries [compiled, count) that cannot be faster than the rule's choice, which is
// known to be right, even at their bound. If it is faster than its own bound (caches, clocks),
// bounds are too high: those of the others are then compared with its bound, not its time.
static void drop_hopeless(tune_race *race)
{
    const race_entry *const rule = race->rule;
    int left = race->compiled;

    if (rule == NULL || !is_racing(rule) || is_exhaustive(race)) return;
    const double least = fmax(rule->least, bound_of(race, rule));
    for (int i = race->compiled; i < race->count; i++) {
        race_entry *const entry = &race->entries[i];
        const double bound = bound_of(race, entry);
        if (bound > least) {
            sedge_program_free(entry->program);
            sedge_text_free(entry->text);
            sedge_tune_reason(sedge_race_record(race, entry),
                              "needs %.3g us at least, the rule's takes %.3g", 1e6 * bound,
                              1e6 * rule->least);
        } else {
            race->entries[left++] = *entry;
        }
    }
    race->count = left;
}

// Compile the next `size` candidates, and take one sample of each. The rule's choice is verified
// first.
static sedge_status admit(tune_race *race, int size)
{
    const int from = race->compiled;
    bool good = true;

    race->compiled += size;
    SEDGE_TRY(sedge_race_compile(race, from, race->compiled));
    extend(race);
    for (int i = from; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (entry->out) continue;
        if (!has_time(race)) {
            leave(race, entry);
            continue;
        }
        if (entry == race->rule) {
            SEDGE_TRY(verify(race, entry, &good));
            extend(race);
            if (!good) continue;
        }
        const sedge_status status = sedge_race_start(race, entry);
        if (status != SEDGE_OK) SEDGE_TRY(sedge_race_give_up(race, entry, status, "does not run"));
    }
    return SEDGE_OK;
}

// Compile and time once as many candidates as there is time for.
static sedge_status admit_all(tune_race *race)
{
    if (has_time(race)) SEDGE_TRY(sedge_race_find(race));
    while (race->compiled < race->count) {
        const race_entry *const fastest = find_fastest(race);
        drop_hopeless(race);
        if (fastest != NULL && !is_exhaustive(race)) sedge_race_reorder(race, fastest);
        const int size = sedge_race_choose_size(race, fastest);
        if (size == 0) break;
        SEDGE_TRY(admit(race, size));
    }
    for (int i = race->compiled; i < race->count; i++) leave(race, &race->entries[i]);
    return SEDGE_OK;
}

// ---- timing ------------------------------------------------------------------------------------

// Let the first `count` of the list take turns until each has so many samples, or until `end`.
static sedge_status take_turns(tune_race *race, race_entry *const *list, int count, int rounds,
                               double end)
{
    for (;;) {
        double predicted = 0.0;
        for (int i = 0; i < count; i++) {
            if (!list[i]->out && list[i]->count < rounds)
                predicted += list[i]->batch * list[i]->least;
        }
        if (!(predicted > 0.0) || sedge_clock() + predicted > end) return SEDGE_OK;
        for (int i = 0; i < count; i++) {
            if (list[i]->out || list[i]->count >= rounds) continue;
            const sedge_status status = sedge_race_sample(race, list[i]);
            if (status != SEDGE_OK)
                SEDGE_TRY(sedge_race_give_up(race, list[i], status, "does not run"));
        }
    }
}

static int compare_least(const void *left, const void *right)
{
    const race_entry *const a = *(race_entry *const *)left;
    const race_entry *const b = *(race_entry *const *)right;

    if (a->least != b->least) return a->least < b->least ? -1 : 1;
    return a < b ? -1 : 1;
}

// List the candidates in the race that are not too slow: the rule's choice, then the others,
// fastest first. `list` has room for all.
static int list_racing(const tune_race *race, race_entry **list)
{
    const race_entry *const fastest = find_fastest(race);
    int count = 0;
    int ruled = 0;

    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (!is_racing(entry)) continue;
        const bool is_far = entry->least > FAR * fastest->least && !is_exhaustive(race);
        if (is_far && entry != race->rule) continue;
        ruled += entry == race->rule; // it is the first entry
        list[count++] = entry;
    }
    if (count - ruled > 1)
        qsort(list + ruled, (size_t)(count - ruled), sizeof(race_entry *), compare_least);
    return count;
}

// Successive halving: the faster half of the candidates gets twice as many samples, until
// FINALISTS are left. Each step may take half of the time that is left.
static sedge_status halve(tune_race *race, race_entry **list)
{
    int count = list_racing(race, list);

    for (int rounds = 2; count > FINALISTS && !is_exhaustive(race); rounds *= 2) {
        const double now = sedge_clock();
        SEDGE_TRY(take_turns(race, list, count, rounds, now + 0.5 * (race->end - now)));
        const int half = (count + 1) / 2;
        const int racing = list_racing(race, list);
        count = half < racing ? half : racing;
    }
    return SEDGE_OK;
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
    return race->rule != NULL && is_racing(race->rule);
}

// The fastest challenger that is faster than the rule's choice by that much; NULL: there is none.
static race_entry *find_clear(const tune_race *race)
{
    race_entry *clear = NULL;

    for (int i = 0; i < race->compiled; i++) {
        race_entry *const entry = &race->entries[i];
        if (!is_racing(entry) || entry == race->rule) continue;
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
    const race_entry *const fastest = find_fastest(race);

    if (is_exhaustive(race) || !has_rule(race)) return false;
    const race_entry *const clear = find_clear(race);
    const race_entry *const best = clear != NULL ? clear : race->rule;
    return fastest->least < (1.0 - GAIN) * best->least || sedge_race_is_disturbed(best);
}

// The rule's choice and the fastest challengers take turns for ROUNDS_FINAL samples. Another
// program may have disturbed all samples of a candidate: each of the others has one more sample
// then, and the finals go on if that makes it a finalist. They go on, too, while more samples
// could change the choice.
static sedge_status run_finals(tune_race *race, race_entry **list)
{
    for (int turn = 0; turn < 2; turn++) {
        const int racing = list_racing(race, list);
        const int finalists = is_exhaustive(race) || racing < FINALISTS ? racing : FINALISTS;
        SEDGE_TRY(take_turns(race, list, finalists, ROUNDS_FINAL, race->end));
        for (int i = finalists; turn == 0 && i < racing; i++)
            SEDGE_TRY(take_turns(race, &list[i], 1, list[i]->count + 1, race->end));
    }
    for (int rounds = ROUNDS_FINAL + 1; rounds < SAMPLES_MAX && is_undecided(race); rounds++) {
        const int racing = list_racing(race, list);
        const int finalists = racing < FINALISTS ? racing : FINALISTS;
        SEDGE_TRY(take_turns(race, list, finalists, rounds, race->end));
    }
    return SEDGE_OK;
}

// The winner: the fastest candidate that is clearly faster than the rule's choice, else the rule's
// choice. NULL: there is none. It is verified, even if the time is spent. `*good` false: it is
// wrong, and out.
static sedge_status find_winner(tune_race *race, race_entry **winner, bool *good)
{
    *good = true;
    *winner = find_clear(race);
    if (*winner == NULL && has_rule(race)) *winner = race->rule;
    return *winner != NULL ? verify(race, *winner, good) : SEDGE_OK;
}

static void explain_loser(const tune_race *race, const race_entry *entry, const race_entry *winner)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);
    const double gain = 100.0 * (1.0 - entry->least / winner->least);
    char spills[32] = "";

    if (record->spilled > 0)
        (void)snprintf(spills, sizeof spills, ", spills %d bytes", record->spilled);
    if (entry->least >= winner->least) {
        sedge_tune_reason(record, "%.2fx slower after %d round%s%s", entry->least / winner->least,
                          entry->count, entry->count == 1 ? "" : "s", spills);
    } else if (winner != race->rule) {
        sedge_tune_reason(record, "%.1f %% faster than the winner, by too few samples", gain);
    } else {
        sedge_tune_reason(record, "%.1f %% faster than the rule's, which is too little", gain);
    }
}

static void explain(const tune_race *race, const race_entry *winner)
{
    for (int i = 0; i < race->compiled; i++) {
        const race_entry *const entry = &race->entries[i];
        if (!is_racing(entry)) continue;
        sedge_race_write_record(race, entry);
        if (winner != NULL && entry != winner) explain_loser(race, entry, winner);
    }
    if (winner == NULL) return;
    sedge_tune_reason(sedge_race_record(race, winner),
                      winner == race->rule ? "winner, by rule" : "winner");
}

// A candidate that is wrong, which is found when it is about to win, may have taken the samples of
// a right one: the others go on without it.
static sedge_status run_race(tune_race *race, race_entry **list, race_entry **winner)
{
    bool good = false;

    SEDGE_TRY(admit_all(race));
    while (!good) {
        extend(race);
        SEDGE_TRY(halve(race, list));
        SEDGE_TRY(run_finals(race, list));
        SEDGE_TRY(find_winner(race, winner, &good));
    }
    explain(race, *winner);
    return SEDGE_OK;
}

sedge_status sedge_tune_race(sedge_tune_run *run, int layout, const int *order, int count, int left,
                             int *winner, double *seconds)
{
    const double began = sedge_clock();
    tune_race race = {.run = run,
                      .layout = layout,
                      .task = run->task,
                      .records = run->result->records,
                      .end = sedge_tune_share(run, left),
                      .count = count};
    race_entry **list = NULL;
    race_entry *won = NULL;
    sedge_status status;

    *winner = -1;
    *seconds = 0.0;
    race.compile_end = race.end;
    race.budget = race.end - began;
    run->together = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&race.entries, count, sizeof *race.entries));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, count, sizeof(race_entry *)));
    for (int i = 0; i < count; i++) race.entries[i].candidate = order[i];
    if (count > 0 && order[0] == sedge_tune_rule(run->task, layout)) race.rule = &race.entries[0];
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
