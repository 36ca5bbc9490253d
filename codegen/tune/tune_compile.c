// The tuner's programs: a batch of candidates through the compiler.
#include "tune/tune_race.h"

#include "base/file.h"
#include "base/memory.h"
#include "cache/store.h"
#include "program/batch.h"
#include "program/combine.h"

#include <string.h>

// The entry keeps its source until it has a program.
static sedge_status write_text(const tune_race *race, race_entry *entry)
{
    const sedge_tune_task *const task = race->run->task;
    sedge_text *text = NULL;

    if (entry->text != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_text_create(&text));
    const sedge_status status = task->text(task->context, entry->candidate, text);
    if (status != SEDGE_OK) {
        sedge_text_free(text);
        return status;
    }
    entry->text = text;
    return SEDGE_OK;
}

static void note_resources(const tune_race *race, const race_entry *entry)
{
    sedge_tune_record *const record = sedge_race_record(race, entry);
    const sedge_program_resources resources =
        sedge_cache_resources(sedge_program_log(entry->program));

    record->registers = resources.registers > 0 ? resources.registers : 0;
    record->spilled = resources.spilled > 0 ? resources.spilled : 0;
}

// A batch on its way through the compiler.
typedef struct race_batch {
    race_entry **entries;
    sedge_text **names;
    sedge_program_text *sources;
    sedge_program **programs;
    char **messages;
    int count;
} race_batch;

static sedge_status allocate_batch(race_batch *batch, int count)
{
    SEDGE_TRY(sedge_allocate(&batch->entries, count, sizeof(race_entry *)));
    SEDGE_TRY(sedge_allocate(&batch->names, count, sizeof(sedge_text *)));
    SEDGE_TRY(sedge_allocate(&batch->sources, count, sizeof *batch->sources));
    SEDGE_TRY(sedge_allocate(&batch->programs, count, sizeof(sedge_program *)));
    return sedge_allocate(&batch->messages, count, sizeof *batch->messages);
}

static void free_batch(race_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        sedge_text_free(batch->names[i]);
        sedge_program_free(batch->programs[i]);
        sedge_release(batch->messages[i]);
    }
    sedge_release(batch->entries);
    sedge_release(batch->names);
    sedge_release(batch->sources);
    sedge_release(batch->programs);
    sedge_release(batch->messages);
}

// The entry's source into the batch; if it has none, it is out.
static sedge_status add_source(tune_race *race, race_batch *batch, race_entry *entry)
{
    const int i = batch->count;

    SEDGE_TRY(sedge_text_create(&batch->names[i]));
    batch->count++;
    SEDGE_TRY(sedge_text_add(batch->names[i], "%s/%s/%s", race->task->name, race->task->operation,
                             sedge_race_name(race, entry)));
    const sedge_status status = write_text(race, entry);
    if (status != SEDGE_OK) {
        sedge_text_free(batch->names[i]);
        batch->names[i] = NULL;
        batch->count--;
        return sedge_race_give_up(race, entry, status, "has no source");
    }
    batch->entries[i] = entry;
    batch->sources[i] = (sedge_program_text){.name = sedge_text_get(batch->names[i]),
                                             .text = sedge_text_get(entry->text)};
    return SEDGE_OK;
}

// Those of entries [from, to) that have no program yet.
static sedge_status add_sources(tune_race *race, race_batch *batch, int from, int to)
{
    SEDGE_TRY(allocate_batch(batch, to - from));
    for (int i = from; i < to; i++) {
        if (race->entries[i].out || race->entries[i].program != NULL) continue;
        SEDGE_TRY(add_source(race, batch, &race->entries[i]));
    }
    return SEDGE_OK;
}

static void take_program(const tune_race *race, race_batch *batch, int i)
{
    race_entry *const entry = batch->entries[i];

    entry->program = batch->programs[i];
    batch->programs[i] = NULL;
    note_resources(race, entry);
    sedge_text_free(entry->text);
    entry->text = NULL;
}

static int64_t find_longest(const race_batch *batch)
{
    int64_t longest = 0;

    for (int i = 0; i < batch->count; i++) {
        const int64_t bytes = (int64_t)strlen(batch->sources[i].text);
        if (bytes > longest) longest = bytes;
    }
    return longest;
}

sedge_status sedge_race_compile(tune_race *race, int from, int to)
{
    sedge_tune_run *const run = race->run;
    const int64_t misses = sedge_cache_get_counts(run->cache).misses;
    const double began = sedge_clock();
    race_batch batch = {.count = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, add_sources(race, &batch, from, to));
    const int64_t longest = find_longest(&batch);
    SEDGE_TRY_GOTO(status, sedge_programs_combine(batch.programs, batch.messages, run->device,
                                                  run->cache, batch.sources, batch.count,
                                                  run->together, run->compilers));
    for (int i = 0; i < batch.count; i++) {
        if (batch.programs[i] != NULL) {
            take_program(race, &batch, i);
            continue;
        }
        sedge_error_set(batch.messages[i]);
        SEDGE_TRY_GOTO(status, sedge_race_give_up(race, batch.entries[i], SEDGE_ERR_DEVICE,
                                                  "does not compile"));
    }
    const int missed = (int)(sedge_cache_get_counts(run->cache).misses - misses);
    run->result->compiled += missed;
    if (missed > 0) // what was in the cache says nothing of the compiler
        sedge_race_note_compiler(run, sedge_clock() - began, batch.count, longest);
done:
    free_batch(&batch);
    return status;
}

// Those that need no compiler before the others, in their order; the first entry stays.
static void put_first(tune_race *race, race_entry *sorted)
{
    int at = 0;

    sorted[at++] = race->entries[0];
    for (int needed = 0; needed <= 1; needed++) {
        for (int i = 1; i < race->count; i++) {
            const race_entry *const entry = &race->entries[i];
            if ((!entry->out && entry->program == NULL) == (needed == 1)) sorted[at++] = *entry;
        }
    }
    memcpy(race->entries, sorted, (size_t)at * sizeof *sorted);
}

sedge_status sedge_race_find(tune_race *race)
{
    sedge_tune_run *const run = race->run;
    race_batch batch = {.count = 0};
    race_entry *sorted = NULL;
    sedge_status status;

    if (race->count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&sorted, race->count, sizeof *sorted));
    SEDGE_TRY_GOTO(status, add_sources(race, &batch, 0, race->count));
    SEDGE_TRY_GOTO(status, sedge_programs_find(batch.programs, run->device, run->cache,
                                               batch.sources, batch.count));
    for (int i = 0; i < batch.count; i++)
        if (batch.programs[i] != NULL) take_program(race, &batch, i);
    put_first(race, sorted);
done:
    free_batch(&batch);
    sedge_release(sorted);
    return status;
}
