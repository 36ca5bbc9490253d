#include "codegen/tune_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "codegen/cache.h"
#include "codegen/combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_SECONDS  200e-6 // of a batch of launches between two events
#define SAMPLE_SHORT    5e-3   // a bad sample below this is taken again before it counts
#define HOST_SHORT      0.1    // the same where another process may take the processor meanwhile
#define SAMPLE_AGAIN    2
#define FIRST_SLOWER    4.0 // than the rule's: out after one call
#define ROUND_1_SLOWER  1.5
#define ROUND_3_SLOWER  1.1
#define GAIN            0.03 // that a challenger needs
#define GAIN_FEW        0.1  // the same with few samples, whose spread says little
#define SPREADS         3.0
#define WARM_SECONDS    0.05 // for the clocks of a GPU, at the start
#define WARM_AGAIN      0.01 // after a pause
#define WARM_PAUSE      0.05
#define CONFIDENT_COUNT 5
#define LATE_PART       0.3 // of its time that an operation may have more when the compiler was slow

enum {
    ROUNDS_EARLY = 3,
    ROUNDS_FINAL = 15,
    CHALLENGERS_FINAL = 2, // beside the rule's choice
    SAMPLES_MAX = 64,
    BATCH_MAX = 1 << 20,
};

// A candidate in the race.
typedef struct race_entry {
    int candidate;
    sedge_program *program;
    bool out; // it failed or was dropped: it never wins
    bool verified;
    int batch; // calls a sample
    int count; // of samples
    double least;
    double samples[SAMPLES_MAX];
} race_entry;

typedef struct tune_race {
    sedge_tune_run *run;
    int operation, layout;
    const sedge_tune_operation *task; // of the operation
    sedge_tune_record *records;
    double end;           // by sedge_clock
    double allowed;       // seconds, at first
    double batch_seconds; // of the last batch: little where its programs were in the cache
    int batch_together;   // and as how many it was compiled
    int left;             // races that are still to be run, this one included
    bool late;            // the compiler took longer than there was time: no more of it
    race_entry *entries;
    int count, compiled; // entries before `compiled` have had their turn at the compiler
    race_entry *rule;    // NULL: it cannot run here, or failed
} tune_race;

static const char *name_of(const tune_race *race, const race_entry *entry)
{
    return race->task->candidates[entry->candidate].name;
}

static sedge_tune_record *record_of(const tune_race *race, const race_entry *entry)
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

// A candidate's failure is its own: `what` and this thread's message become its reason. That of the
// rule's choice of layout 0 is returned, and so is want of memory.
static sedge_status give_up(tune_race *race, race_entry *entry, sedge_status status,
                            const char *what)
{
    int length;
    const char *const cause = find_cause(sedge_error_message(), &length);

    if (status == SEDGE_ERR_MEMORY) return status;
    if (entry == race->rule && race->layout == 0) {
        char message[2048];
        (void)snprintf(message, sizeof message, "%s", sedge_error_message());
        return SEDGE_FAIL(status, "'%s' of %s, the rule's choice, %s: %s", name_of(race, entry),
                          race->task->name, what, message);
    }
    entry->out = true;
    entry->count = 0; // a time that means nothing
    sedge_tune_reason(record_of(race, entry), "%s: %.*s", what, length, cause);
    sedge_error_clear();
    if (entry == race->rule) race->rule = NULL;
    sedge_program_free(entry->program);
    entry->program = NULL;
    return SEDGE_OK;
}

static void drop(const tune_race *race, race_entry *entry, double slower, const char *when)
{
    const sedge_tune_record *const record = record_of(race, entry);
    char spills[32] = "";

    if (record->spilled > 0)
        (void)snprintf(spills, sizeof spills, ", spills %d bytes", record->spilled);
    entry->out = true;
    sedge_tune_reason(record_of(race, entry), "%.2fx slower %s%s", slower, when, spills);
    sedge_program_free(entry->program);
    entry->program = NULL;
}

// ---- time --------------------------------------------------------------------------------------

// Seconds of one call in a batch of `batch`.
static sedge_status time_batch(const tune_race *race, const race_entry *entry, int batch,
                               double *seconds)
{
    sedge_tune_run *const run = race->run;
    const sedge_tune_task *const task = run->task;

    SEDGE_TRY(sedge_event_record(run->before, run->stream));
    for (int i = 0; i < batch; i++) {
        SEDGE_TRY(task->launch(task->context, race->operation, entry->candidate, entry->program,
                               run->stream));
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

// One sample more. A batch that turns out too short is made longer, and timed again.
static sedge_status take_sample(const tune_race *race, race_entry *entry)
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

// The first call, which may load code and touch pages, does not count. A GPU's clocks rise under
// load only: after a pause there are more such calls.
static sedge_status warm_up(const tune_race *race, const race_entry *entry)
{
    const sedge_tune_run *const run = race->run;
    const double began = sedge_clock();
    const double wanted = run->launched > 0.0 ? WARM_AGAIN : WARM_SECONDS;
    const bool paused = run->info->kind != SEDGE_DEVICE_HOST && began - run->launched > WARM_PAUSE;
    double seconds;

    SEDGE_TRY(time_batch(race, entry, 1, &seconds));
    const int batch = choose_batch(seconds);
    while (paused && sedge_clock() - began < wanted)
        SEDGE_TRY(time_batch(race, entry, batch, &seconds));
    return SEDGE_OK;
}

// Is a sample of these seconds taken again, before a candidate is dropped for it?
static bool is_short(const tune_race *race, double seconds)
{
    const bool is_host = race->run->info->kind == SEDGE_DEVICE_HOST;

    return seconds < (is_host ? HOST_SHORT : SAMPLE_SHORT);
}

// Whether one call, or the best of three if they are short, takes so long that there is no need
// for a sample.
static sedge_status find_slow(const tune_race *race, const race_entry *entry, double *seconds,
                              bool *slow)
{
    const race_entry *const rule = race->rule;
    double again;

    *slow = false;
    if (rule == NULL || rule == entry || rule->count == 0) return SEDGE_OK;
    if (race->run->options->level == SEDGE_TUNE_EXHAUSTIVE) return SEDGE_OK;
    const double limit = FIRST_SLOWER * rule->least;
    for (int i = 0; i < SAMPLE_AGAIN; i++) {
        if (*seconds <= limit || !is_short(race, *seconds)) break;
        SEDGE_TRY(time_batch(race, entry, entry->batch, &again));
        *seconds = fmin(*seconds, again);
    }
    *slow = *seconds > limit;
    return SEDGE_OK;
}

static sedge_status start_timing(const tune_race *race, race_entry *entry)
{
    double seconds;
    bool slow;

    SEDGE_TRY(warm_up(race, entry));
    SEDGE_TRY(time_batch(race, entry, 1, &seconds));
    entry->batch = choose_batch(seconds);
    if (entry != race->rule) race->run->measured = true;
    SEDGE_TRY(find_slow(race, entry, &seconds, &slow));
    if (slow) {
        record_of(race, entry)->seconds = seconds;
        drop(race, entry, seconds / race->rule->least, "than the rule's in its first sample");
        return SEDGE_OK;
    }
    return take_sample(race, entry);
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
        sedge_tune_reason(record_of(race, entry), "not verified: the time was spent");
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
    return give_up(race, entry, status, "is wrong");
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
            if (!is_short(race, entry->batch * entry->least)) break;
            const sedge_status status = take_sample(race, entry);
            if (status != SEDGE_OK) SEDGE_TRY(give_up(race, entry, status, "does not run"));
            if (entry->out) break;
        }
        if (!entry->out && entry->least > limit * leader->least)
            drop(race, entry, entry->least / leader->least, when);
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
        const sedge_status status = take_sample(race, entries[i]);
        if (status != SEDGE_OK) SEDGE_TRY(give_up(race, entries[i], status, "does not run"));
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
    sedge_tune_record *const record = record_of(race, entry);
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
    const sedge_tune_record *const mine = record_of(race, challenger);
    const sedge_tune_record *const rules = record_of(race, race->rule);
    const bool few = mine->rounds < CONFIDENT_COUNT || rules->rounds < CONFIDENT_COUNT;

    return fmax((few ? GAIN_FEW : GAIN) * rules->seconds,
                SPREADS * fmax(mine->spread, rules->spread));
}

static void explain_loser(const tune_race *race, const race_entry *entry, const race_entry *winner)
{
    sedge_tune_record *const record = record_of(race, entry);

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
    sedge_tune_reason(record_of(race, *winner),
                      *winner == race->rule ? "winner, by rule" : "winner");
    return SEDGE_OK;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status write_text(const tune_race *race, const race_entry *entry, sedge_text **text,
                               sedge_text *name)
{
    const sedge_tune_task *const task = race->run->task;

    SEDGE_TRY(sedge_text_create(text));
    SEDGE_TRY(sedge_text_add(name, "%s/%s/%s", task->name, race->task->name, name_of(race, entry)));
    return task->text(task->context, race->operation, entry->candidate, *text);
}

static void note_resources(const tune_race *race, const race_entry *entry)
{
    sedge_tune_record *const record = record_of(race, entry);
    const sedge_program_resources resources =
        sedge_cache_resources(sedge_program_log(entry->program));

    record->registers = resources.registers > 0 ? resources.registers : 0;
    record->spilled = resources.spilled > 0 ? resources.spilled : 0;
}

// A batch on its way through the compiler.
typedef struct race_batch {
    race_entry **entries;
    sedge_text **texts;
    sedge_text **names;
    sedge_program_text *sources;
    sedge_program **programs;
    char **messages;
    int count;
} race_batch;

static sedge_status allocate_batch(race_batch *batch, int count)
{
    SEDGE_TRY(sedge_allocate(&batch->entries, count, sizeof(race_entry *)));
    SEDGE_TRY(sedge_allocate(&batch->texts, count, sizeof(sedge_text *)));
    SEDGE_TRY(sedge_allocate(&batch->names, count, sizeof(sedge_text *)));
    SEDGE_TRY(sedge_allocate(&batch->sources, count, sizeof *batch->sources));
    SEDGE_TRY(sedge_allocate(&batch->programs, count, sizeof(sedge_program *)));
    return sedge_allocate(&batch->messages, count, sizeof *batch->messages);
}

static void free_batch(race_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        sedge_text_free(batch->texts[i]);
        sedge_text_free(batch->names[i]);
        sedge_program_free(batch->programs[i]);
        sedge_release(batch->messages[i]);
    }
    sedge_release(batch->entries);
    sedge_release(batch->texts);
    sedge_release(batch->names);
    sedge_release(batch->sources);
    sedge_release(batch->programs);
    sedge_release(batch->messages);
}

// The entry's text into the batch; if it has none, it is out.
static sedge_status add_source(tune_race *race, race_batch *batch, race_entry *entry)
{
    const int i = batch->count;

    SEDGE_TRY(sedge_text_create(&batch->names[i]));
    batch->count++;
    const sedge_status status = write_text(race, entry, &batch->texts[i], batch->names[i]);
    if (status != SEDGE_OK) {
        sedge_text_free(batch->texts[i]);
        sedge_text_free(batch->names[i]);
        batch->texts[i] = NULL;
        batch->names[i] = NULL;
        batch->count--;
        return give_up(race, entry, status, "has no text");
    }
    batch->entries[i] = entry;
    batch->sources[i] = (sedge_program_text){.name = sedge_text_get(batch->names[i]),
                                             .text = sedge_text_get(batch->texts[i])};
    return SEDGE_OK;
}

// Compile entries [from, to).
static sedge_status compile(tune_race *race, int from, int to)
{
    sedge_tune_run *const run = race->run;
    const int64_t misses = sedge_cache_get_counts(run->cache).misses;
    const double began = sedge_clock();
    race_batch batch = {.count = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, allocate_batch(&batch, to - from));
    for (int i = from; i < to; i++)
        SEDGE_TRY_GOTO(status, add_source(race, &batch, &race->entries[i]));
    SEDGE_TRY_GOTO(status,
                   sedge_programs_combine(batch.programs, batch.messages, run->device, run->cache,
                                          batch.sources, batch.count, run->together));
    for (int i = 0; i < batch.count; i++) {
        race_entry *const entry = batch.entries[i];
        entry->program = batch.programs[i];
        batch.programs[i] = NULL;
        if (entry->program != NULL) {
            note_resources(race, entry);
            continue;
        }
        sedge_error_set(batch.messages[i]);
        SEDGE_TRY_GOTO(status, give_up(race, entry, SEDGE_ERR_DEVICE, "does not compile"));
    }
    const int missed = (int)(sedge_cache_get_counts(run->cache).misses - misses);
    run->result->compiled += missed;
    race->batch_seconds = sedge_clock() - began;
    race->batch_together = run->together;
    if (missed > 0) run->compile_seconds = race->batch_seconds / run->together;
done:
    free_batch(&batch);
    return status;
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
    sedge_tune_reason(record_of(race, entry), "not %s: the time was spent",
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
    SEDGE_TRY(compile(race, from, race->compiled));
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
        const sedge_status status = start_timing(race, entry);
        if (status != SEDGE_OK) SEDGE_TRY(give_up(race, entry, status, "does not run"));
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
