// The tuner's programs: a batch of candidates through the compiler.
#include "codegen/tune_race.h"

#include "base/file.h"
#include "base/memory.h"
#include "codegen/cache.h"
#include "codegen/combine.h"

static sedge_status write_text(const tune_race *race, const race_entry *entry, sedge_text **text,
                               sedge_text *name)
{
    const sedge_tune_task *const task = race->run->task;

    SEDGE_TRY(sedge_text_create(text));
    SEDGE_TRY(sedge_text_add(name, "%s/%s/%s", task->name, race->task->name,
                             sedge_race_name(race, entry)));
    return task->text(task->context, race->operation, entry->candidate, *text);
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
        return sedge_race_give_up(race, entry, status, "has no text");
    }
    batch->entries[i] = entry;
    batch->sources[i] = (sedge_program_text){.name = sedge_text_get(batch->names[i]),
                                             .text = sedge_text_get(batch->texts[i])};
    return SEDGE_OK;
}

sedge_status sedge_race_compile(tune_race *race, int from, int to)
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
        SEDGE_TRY_GOTO(status,
                       sedge_race_give_up(race, entry, SEDGE_ERR_DEVICE, "does not compile"));
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
