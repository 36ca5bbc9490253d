#include "program/combine.h"

#include "base/file.h"
#include "base/memory.h"
#include "cache/store.h"
#include "program/batch.h"
#include "program/combine_log.h"
#include "program/compile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- text --------------------------------------------------------------------------------------

// Where a program's prelude and its own sources begin; NULL if the code is not in the dialect.
typedef struct combine_sections {
    const char *prelude, *own;
} combine_sections;

static combine_sections find_sections(const char *text)
{
    combine_sections sections = {
        .prelude = strstr(text, "#line 1 \"codegen/kernels/program/prelude_cuda.h\"\n")};

    if (sections.prelude != NULL)
        sections.own = strstr(sections.prelude, "\n#line 1 \"constants of ");
    if (sections.own == NULL) return (combine_sections){NULL, NULL};
    sections.own++;
    return sections;
}

bool sedge_combine_fits(const char *text, const char *other)
{
    const combine_sections a = find_sections(text);
    const combine_sections b = find_sections(other);

    return a.own != NULL && b.own != NULL && a.own - a.prelude == b.own - b.prelude &&
           memcmp(a.prelude, b.prelude, (size_t)(a.own - a.prelude)) == 0;
}

// The macro that this line defines; its length is 0 for any other line.
static const char *find_macro(const char *line, size_t *length)
{
    *length = 0;
    line += strspn(line, " \t");
    if (*line != '#') return line;
    line++;
    line += strspn(line, " \t");
    if (strncmp(line, "define", 6) != 0) return line;
    line += 6;
    line += strspn(line, " \t");
    while (isalnum((unsigned char)line[*length]) || line[*length] == '_') (*length)++;
    return line;
}

// Undefine the macros of one program, so that the next program does not see them.
static sedge_status add_undefs(sedge_text *out, const char *own)
{
    for (const char *line = own; *line != '\0';) {
        size_t length;
        const char *const name = find_macro(line, &length);
        if (length > 0) SEDGE_TRY(sedge_text_add(out, "#undef %.*s\n", (int)length, name));
        line += strcspn(line, "\n");
        if (*line == '\n') line++;
    }
    return SEDGE_OK;
}

// Write the combined code. Each of the programs fits the first (sedge_combine_fits).
static sedge_status write_group(sedge_text *out, const char *const *texts, int count)
{
    const combine_sections first = find_sections(texts[0]);

    SEDGE_TRY(sedge_text_add(out, "// %d programs for cuda, compiled as one.\n", count));
    SEDGE_TRY(sedge_text_add_bytes(out, first.prelude, (size_t)(first.own - first.prelude)));
    for (int i = 0; i < count; i++) {
        const char *const own = find_sections(texts[i]).own;
        if (own == NULL) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "part %d is not in the dialect", i);
        SEDGE_TRY(sedge_text_add(out,
                                 "#undef SEDGE_PRELUDE_NAMED\n"
                                 "#define SEDGE_PRELUDE_NAMED(name) " SEDGE_COMBINE_NAME "##name\n"
                                 "namespace sedge_part_%d {\n%s\n}\n",
                                 i, i, own));
        SEDGE_TRY(add_undefs(out, own));
    }
    return SEDGE_OK;
}

// ---- programs ----------------------------------------------------------------------------------

// Neighbours in the list of missing programs that are compiled in one call.
typedef struct combine_group {
    sedge_text *text;
    int first, count;
} combine_group;

// Programs that are made together.
typedef struct combine_batch {
    sedge_program **out;
    sedge_device *device;
    sedge_cache *cache;
    int compilers; // at once
    const sedge_program_text *texts;
    int *missing; // indices of the sources that were not found
    int missing_count;
    combine_group *groups; // [group_count], as many jobs
    sedge_compile_job *jobs;
    int group_count;
    int *alone; // indices of the sources that are compiled alone
    int alone_count;
    sedge_status status; // SEDGE_ERR_MEMORY after a failure to allocate
} combine_batch;

static sedge_status allocate_batch(combine_batch *batch, int count)
{
    SEDGE_TRY(sedge_allocate(&batch->missing, count, sizeof *batch->missing));
    SEDGE_TRY(sedge_allocate(&batch->groups, count, sizeof *batch->groups));
    SEDGE_TRY(sedge_allocate(&batch->jobs, count, sizeof *batch->jobs));
    return sedge_allocate(&batch->alone, count, sizeof *batch->alone);
}

static void clear_batch(combine_batch *batch)
{
    for (int i = 0; i < batch->group_count; i++) {
        sedge_text_free(batch->groups[i].text);
        sedge_text_free(batch->jobs[i].log);
        sedge_release(batch->jobs[i].binary);
        sedge_release(batch->jobs[i].message);
    }
    sedge_release(batch->missing);
    sedge_release(batch->groups);
    sedge_release(batch->jobs);
    sedge_release(batch->alone);
}

// Put up to `together` neighbours that fit into each group. A program that fits no neighbour is
// compiled alone.
static sedge_status make_groups(combine_batch *batch, int together)
{
    const char *parts[SEDGE_COMBINE_MOST];

    for (int i = 0; i < batch->missing_count;) {
        combine_group *const group = &batch->groups[batch->group_count];
        sedge_compile_job *const job = &batch->jobs[batch->group_count];
        int count = 0;
        while (count < together && i + count < batch->missing_count) {
            parts[count] = batch->texts[batch->missing[i + count]].text;
            if (!sedge_combine_fits(parts[count], parts[0])) break;
            count++;
        }
        if (count < 2) {
            batch->alone[batch->alone_count++] = batch->missing[i++];
            continue;
        }
        *group = (combine_group){.first = i, .count = count};
        job->number = batch->group_count++;
        SEDGE_TRY(sedge_text_create(&group->text));
        SEDGE_TRY(sedge_text_create(&job->log));
        SEDGE_TRY(write_group(group->text, parts, count));
        job->name = batch->texts[batch->missing[i]].name;
        job->text = sedge_text_get(group->text);
        i += count;
    }
    return SEDGE_OK;
}

static sedge_status settle_part(combine_batch *batch, const sedge_compile_job *job, int part)
{
    const int i = batch->missing[batch->groups[job->number].first + part];
    const sedge_cache_key key = sedge_cache_key_make(batch->device, batch->texts[i].text);
    sedge_text *log = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&log));
    SEDGE_TRY_GOTO(status, sedge_combine_log(log, sedge_text_get(job->log), part));
    SEDGE_TRY_GOTO(status, sedge_program_load(&batch->out[i], NULL, batch->device, job->binary,
                                              job->length, sedge_text_get(log)));
    if (!sedge_program_debugging()) {
        sedge_cache_store(batch->cache, &key, batch->texts[i].name, job->binary, job->length,
                          sedge_text_get(log));
    }
done:
    sedge_text_free(log);
    return status;
}

// Store the programs of a group that was compiled. If it did not compile, or a program cannot be
// loaded, these programs are compiled alone later.
static void settle(void *context, sedge_compile_job *job)
{
    combine_batch *const batch = context;
    const combine_group *const group = &batch->groups[job->number];

    for (int k = 0; k < group->count; k++) {
        const sedge_status status =
            job->status == SEDGE_OK ? settle_part(batch, job, k) : job->status;
        if (status == SEDGE_ERR_MEMORY) batch->status = status;
        if (status != SEDGE_OK)
            batch->alone[batch->alone_count++] = batch->missing[group->first + k];
        if (status != SEDGE_OK && status != SEDGE_ERR_MEMORY) sedge_error_clear();
    }
}

static sedge_status compile_groups(combine_batch *batch)
{
    const double began = sedge_clock();

    if (batch->group_count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_compile_jobs(batch->jobs, batch->group_count, batch->device, batch->compilers,
                                 settle, batch));
    sedge_cache_count_misses(batch->cache, batch->group_count, sedge_clock() - began);
    return batch->status;
}

static sedge_status compile_alone(combine_batch *batch, char **messages)
{
    sedge_program_text *texts = NULL;
    sedge_program **programs = NULL;
    char **own = NULL;
    sedge_status status;

    if (batch->alone_count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&texts, batch->alone_count, sizeof *texts));
    SEDGE_TRY_GOTO(status, sedge_allocate(&programs, batch->alone_count, sizeof(sedge_program *)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&own, batch->alone_count, sizeof *own));
    for (int k = 0; k < batch->alone_count; k++) texts[k] = batch->texts[batch->alone[k]];
    SEDGE_TRY_GOTO(status, sedge_programs_create_here(programs, own, batch->device, batch->cache,
                                                      texts, batch->alone_count, batch->compilers));
    for (int k = 0; k < batch->alone_count; k++) {
        batch->out[batch->alone[k]] = programs[k];
        messages[batch->alone[k]] = own[k];
    }
done:
    sedge_release(own);
    sedge_release(programs);
    sedge_release(texts);
    return status;
}

sedge_status sedge_programs_combine(sedge_program **out, char **messages, sedge_device *device,
                                    sedge_cache *cache, const sedge_program_text *texts, int count,
                                    int together, int compilers)
{
    combine_batch batch = {
        .out = out, .device = device, .cache = cache, .compilers = compilers, .texts = texts};
    sedge_status status;

    if (!sedge_device_get_traits(device)->joint_compile || together < 2)
        return sedge_programs_create_here(out, messages, device, cache, texts, count, compilers);
    if (together > SEDGE_COMBINE_MOST) together = SEDGE_COMBINE_MOST;
    for (int i = 0; i < count; i++) messages[i] = NULL;
    SEDGE_TRY(sedge_programs_find(out, device, cache, texts, count));
    SEDGE_TRY_GOTO(status, allocate_batch(&batch, count));
    for (int i = 0; i < count; i++)
        if (out[i] == NULL) batch.missing[batch.missing_count++] = i;
    SEDGE_TRY_GOTO(status, make_groups(&batch, together));
    SEDGE_TRY_GOTO(status, compile_groups(&batch));
    SEDGE_TRY_GOTO(status, compile_alone(&batch, messages));
done:
    for (int i = 0; i < count && status != SEDGE_OK; i++) {
        sedge_program_free(out[i]);
        sedge_release(messages[i]);
        out[i] = NULL;
        messages[i] = NULL;
    }
    clear_batch(&batch);
    return status;
}
