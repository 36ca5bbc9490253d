#include "tune/tune_wisdom.h"

#include "base/memory.h"

#include <string.h>

// ---- keys --------------------------------------------------------------------------------------

static sedge_status set_text(json_t *object, const char *name, const char *text)
{
    return sedge_wisdom_need(json_object_set_new(object, name, json_string(text)) == 0 ? object
                                                                                       : NULL);
}

sedge_status sedge_tune_key(json_t **key, const sedge_tune_task *task, const sedge_device *device)
{
    SEDGE_TRY(sedge_wisdom_key(key, "tune", device));
    SEDGE_TRY(set_text(*key, "task", task->name));
    SEDGE_TRY(set_text(*key, "source", task->source_hash));
    return set_text(*key, "size", task->size);
}

static bool is_same(const json_t *a, const json_t *b, const char *field)
{
    return json_equal(json_object_get(a, field), json_object_get(b, field)) != 0;
}

static bool is_same_device(const json_t *a, const json_t *b)
{
    return is_same(a, b, "kind") && is_same(a, b, "device") && is_same(a, b, "arch") &&
           is_same(a, b, "multiprocessors");
}

static sedge_tune_distance find_distance(const json_t *other, const json_t *key)
{
    if (!is_same(other, key, "what") || !is_same(other, key, "task") ||
        !is_same(other, key, "kind"))
        return SEDGE_TUNE_UNKNOWN;
    if (json_equal(other, key)) return SEDGE_TUNE_SAME;
    if (!is_same_device(other, key)) return SEDGE_TUNE_OTHER_DEVICE;
    return is_same(other, key, "size") ? SEDGE_TUNE_OTHER_SOURCE : SEDGE_TUNE_OTHER_SIZE;
}

// ---- names -------------------------------------------------------------------------------------

// A text of an object; "" where it has none.
static const char *get_text(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static int find_layout(const sedge_tune_task *task, const char *name)
{
    for (int l = 0; l < task->layouts; l++)
        if (strcmp(task->layout_names[l], name) == 0) return l;
    return -1;
}

static int find_candidate(const sedge_tune_task *task, const char *name)
{
    for (int c = 0; c < task->count; c++)
        if (strcmp(task->candidates[c].name, name) == 0) return c;
    return -1;
}

// ---- reading: a choice -------------------------------------------------------------------------

static double get_number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static int get_int(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

// The choice of a line, by index; false: a name is of no candidate any more, or of one that is
// refused now.
static bool read_choice(const sedge_tune_task *task, const json_t *line, int *layout, int *choice)
{
    *layout = find_layout(task, get_text(line, "layout"));
    if (*layout < 0) return false;
    *choice = find_candidate(task, get_text(line, "choice"));
    return *choice >= 0 && task->candidates[*choice].layout == *layout &&
           task->candidates[*choice].refused == NULL;
}

static void read_record(sedge_tune_record *record, const json_t *said)
{
    record->seconds = get_number(said, "seconds");
    record->median = get_number(said, "median");
    record->spread = get_number(said, "spread");
    record->rounds = get_int(said, "rounds");
    record->registers = get_int(said, "registers");
    record->spilled = get_int(said, "spilled");
    record->fraction = get_number(said, "fraction");
    sedge_tune_reason(record, "%s", get_text(said, "reason"));
}

static void read_records(sedge_tune_result *result, const sedge_tune_task *task, const json_t *line)
{
    const json_t *const all = json_object_get(line, "candidates");

    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *const said = json_array_get(all, i);
        const int c = find_candidate(task, get_text(said, "name"));
        if (c >= 0) read_record(&result->records[c], said);
    }
    for (int l = 0; l < task->layouts; l++)
        result->scores[l] = get_number(json_object_get(line, "scores"), task->layout_names[l]);
}

bool sedge_tune_recall(sedge_tune_result *result, const sedge_tune_task *task, const json_t *lines,
                       const json_t *key, sedge_tune_level level)
{
    int choice;
    int layout;

    for (size_t i = json_array_size(lines); i-- > 0;) {
        const json_t *const line = json_array_get(lines, i);
        if (sedge_wisdom_line_rigor(line) < (int)level ||
            !json_equal(sedge_wisdom_line_key(line), key) ||
            !read_choice(task, line, &layout, &choice))
            continue;
        result->source = SEDGE_TUNE_BY_WISDOM;
        result->layout = layout;
        result->choice = choice;
        read_records(result, task, line);
        return true;
    }
    return false;
}

// Whether a program that was chosen under one key may be chosen under the other: all fields but
// size and device are equal.
static bool is_same_target(const json_t *a, const json_t *b)
{
    static const char *const fields[] = {"what", "kind", "arch", "toolchain", "task", "source"};

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!is_same(a, b, fields[i])) return false;
    return true;
}

static bool has_name(char (*names)[SEDGE_TUNE_NAME], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

sedge_status sedge_tune_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                   const sedge_device *device, const sedge_cache *cache,
                                   const char *task, const char *source_hash)
{
    const sedge_tune_task asked = {.name = task, .size = "", .source_hash = source_hash};
    json_t *lines = NULL;
    json_t *key = NULL;
    sedge_status status;

    *names = NULL;
    *count = 0;
    SEDGE_TRY_GOTO(status, sedge_tune_key(&key, &asked, device));
    SEDGE_TRY_GOTO(status, sedge_wisdom_read(&lines, cache, task));
    const size_t found = json_array_size(lines);
    SEDGE_TRY_GOTO(status, sedge_allocate(names, (int64_t)found, sizeof **names));
    for (size_t i = found; i-- > 0;) {
        const json_t *const line = json_array_get(lines, i);
        const char *const name = get_text(line, "choice");
        const size_t length = strlen(name);
        if (!is_same_target(sedge_wisdom_line_key(line), key) || length == 0 ||
            length >= SEDGE_TUNE_NAME || has_name(*names, *count, name))
            continue;
        memcpy((*names)[(*count)++], name, length + 1);
    }
done:
    json_decref(lines);
    json_decref(key);
    return status;
}

// ---- reading: hints ----------------------------------------------------------------------------

static void take_hints(const sedge_tune_advice *advice, const sedge_tune_task *task,
                       const json_t *line, sedge_tune_distance distance)
{
    const json_t *const all = json_object_get(line, "candidates");

    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *const said = json_array_get(all, i);
        const int c = find_candidate(task, get_text(said, "name"));
        const double seconds = get_number(said, "seconds");
        if (c < 0 || !(seconds > 0.0) || advice->hints[c].distance < distance) continue;
        advice->hints[c] = (sedge_tune_hint){.distance = distance, .seconds = seconds};
    }
}

// The last search of at least `level` to which only source or toolchain is new; NULL: none.
static const json_t *find_retime(const sedge_tune_task *task, const json_t *lines,
                                 const json_t *key, sedge_tune_level level)
{
    int layout, choice;

    for (size_t i = json_array_size(lines); i-- > 0;) {
        const json_t *const line = json_array_get(lines, i);
        if (find_distance(sedge_wisdom_line_key(line), key) == SEDGE_TUNE_OTHER_SOURCE &&
            sedge_wisdom_line_rigor(line) >= (int)level &&
            sedge_wisdom_line_rigor(line) <= SEDGE_TUNE_EXHAUSTIVE &&
            read_choice(task, line, &layout, &choice))
            return line;
    }
    return NULL;
}

static void take_all_hints(sedge_tune_advice *advice, const sedge_tune_task *task,
                           const json_t *lines, const json_t *key)
{
    for (size_t i = 0; i < json_array_size(lines); i++) { // later ones win
        const json_t *const line = json_array_get(lines, i);
        const sedge_tune_distance distance = find_distance(sedge_wisdom_line_key(line), key);
        if (distance != SEDGE_TUNE_UNKNOWN) take_hints(advice, task, line, distance);
    }
}

sedge_status sedge_tune_advise(sedge_tune_advice *advice, const sedge_tune_task *task,
                               const json_t *lines, const json_t *key,
                               const sedge_tune_options *options)
{
    *advice = (sedge_tune_advice){.hints = NULL};
    SEDGE_TRY(sedge_allocate(&advice->hints, task->count, sizeof *advice->hints));
    for (int c = 0; c < task->count; c++)
        advice->hints[c] = (sedge_tune_hint){.distance = SEDGE_TUNE_UNKNOWN};
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *const line = json_array_get(lines, i);
        const double rate = get_number(line, "compile_rate");
        if (rate > 0.0 && is_same_device(sedge_wisdom_line_key(line), key))
            advice->compile_rate = rate;
    }
    const json_t *const retime =
        options->forget ? NULL : find_retime(task, lines, key, options->level);
    if (retime != NULL) {
        advice->retime = sedge_wisdom_line_rigor(retime);
        take_hints(advice, task, retime, SEDGE_TUNE_OTHER_SOURCE);
    } else if (!options->forget) {
        take_all_hints(advice, task, lines, key);
    }
    return SEDGE_OK;
}

void sedge_tune_advice_free(sedge_tune_advice *advice)
{
    sedge_release(advice->hints);
    advice->hints = NULL;
}

// ---- writing -----------------------------------------------------------------------------------

static json_t *write_candidates(const sedge_tune_task *task, const sedge_tune_record *records)
{
    json_t *const list = json_array();

    for (int c = 0; c < task->count && list != NULL; c++) {
        const sedge_tune_record *const r = &records[c];
        json_t *const said = json_pack(
            "{s:s, s:s, s:f, s:f, s:f, s:i, s:i, s:i, s:f, s:s}", "name", task->candidates[c].name,
            "layout", task->layout_names[task->candidates[c].layout], "seconds", r->seconds,
            "median", r->median, "spread", r->spread, "rounds", r->rounds, "registers",
            r->registers, "spilled", r->spilled, "fraction", r->fraction, "reason", r->reason);
        if (json_array_append_new(list, said) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *write_scores(const sedge_tune_task *task, const sedge_tune_result *result)
{
    json_t *const scores = json_object();

    for (int l = 0; l < task->layouts && scores != NULL; l++) {
        if (json_object_set_new(scores, task->layout_names[l], json_real(result->scores[l])) != 0) {
            json_decref(scores);
            return NULL;
        }
    }
    return scores;
}

sedge_status sedge_tune_keep(const sedge_tune_run *run, json_t *key, sedge_tune_level level)
{
    const sedge_tune_task *const task = run->task;
    const sedge_tune_result *const result = run->result;
    json_t *const line = json_pack(
        "{s:O, s:i, s:f, s:s, s:s, s:s, s:o, s:o}", "key", key, "rigor", (int)level, "compile_rate",
        run->compile_rate, "layout", task->layout_names[result->layout], "operation",
        task->operation, "choice", task->candidates[result->choice].name, "scores",
        write_scores(task, result), "candidates", write_candidates(task, result->records));

    SEDGE_TRY(sedge_wisdom_need(line));
    sedge_wisdom_write(run->cache, task->name, line, run->options->forget);
    json_decref(line);
    return SEDGE_OK;
}
