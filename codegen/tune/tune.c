#define _DEFAULT_SOURCE // gethostname
#include "tune/tune.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "device/range.h"
#include "program/combine.h"
#include "tune/group.h"
#include "tune/tune_internal.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYOUT_GAIN 0.03 // that another layout than the first needs

// ---- levels ------------------------------------------------------------------------------------

static const sedge_tune_rigor rigors[] = {
    [SEDGE_TUNE_OFF] = {"off", 0.0, 0.0, 0},
    [SEDGE_TUNE_FAST] = {"fast", 0.3, 3.0, 24},
    [SEDGE_TUNE_PATIENT] = {"patient", 60.0, 60.0, 0},
    [SEDGE_TUNE_EXHAUSTIVE] = {"exhaustive", HUGE_VAL, HUGE_VAL, 0},
};
enum { LEVELS = sizeof rigors / sizeof *rigors };

const sedge_tune_rigor *sedge_tune_rigor_of(sedge_tune_level level)
{
    return &rigors[level];
}

sedge_status sedge_tune_level_parse(sedge_tune_level *out, const char *name)
{
    for (int i = 0; i < LEVELS; i++) {
        if (strcmp(rigors[i].name, name) == 0) {
            *out = (sedge_tune_level)i;
            return SEDGE_OK;
        }
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "'%s' is no tuning level: off, fast, patient and exhaustive are", name);
}

const char *sedge_tune_level_name(sedge_tune_level level)
{
    return rigors[level].name;
}

sedge_status sedge_tune_level_default(sedge_tune_level *out, sedge_tune_level otherwise)
{
    const char *const name = getenv("SEDGE_TUNE");

    *out = otherwise;
    if (name == NULL || name[0] == '\0') return SEDGE_OK;
    if (sedge_tune_level_parse(out, name) == SEDGE_OK) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "SEDGE_TUNE='%s' is no tuning level: off, fast, patient and exhaustive are",
                      name);
}

// ---- results -----------------------------------------------------------------------------------

static int count_candidates(const sedge_tune_task *task)
{
    int count = 0;

    for (int o = 0; o < task->operations; o++) count += task->operation[o].count;
    return count;
}

sedge_status sedge_tune_table(void *out, const sedge_tune_task *task, size_t size)
{
    const size_t heads = ((size_t)task->operations * sizeof(void *) + SEDGE_ALIGNMENT - 1) /
                         SEDGE_ALIGNMENT * SEDGE_ALIGNMENT;
    char **table = NULL;

    SEDGE_TRY(sedge_allocate(&table, (int64_t)(heads + (size_t)count_candidates(task) * size), 1));
    char *row = (char *)table + heads;
    for (int o = 0; o < task->operations; o++) {
        table[o] = row;
        row += (size_t)task->operation[o].count * size;
    }
    memcpy(out, &table, sizeof table);
    return SEDGE_OK;
}

// What is cut or comes from a compiler may be no UTF-8, which wisdom could not hold: ASCII only.
void sedge_tune_reason(sedge_tune_record *record, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(record->reason, sizeof record->reason, format, arguments);
    va_end(arguments);
    for (char *at = record->reason; *at != '\0'; at++)
        if ((unsigned char)*at > 0x7e) *at = '?';
}

int sedge_tune_rule(const sedge_tune_operation *operation, int layout)
{
    for (int c = 0; c < operation->count; c++)
        if (operation->candidates[c].layout == layout) return c;
    return -1;
}

static void clear_records(sedge_tune_result *result, const sedge_tune_task *task)
{
    for (int o = 0; o < task->operations; o++) {
        for (int c = 0; c < task->operation[o].count; c++)
            result->records[o][c] = (sedge_tune_record){.registers = -1, .spilled = -1};
    }
}

static sedge_status create_result(sedge_tune_result **out, const sedge_tune_task *task)
{
    sedge_status status;
    sedge_tune_result *result = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&result, 1, sizeof *result));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&result->choice, task->operations, sizeof *result->choice));
    SEDGE_TRY_GOTO(status, sedge_allocate(&result->scores, task->layouts, sizeof *result->scores));
    SEDGE_TRY_GOTO(status, sedge_tune_table(&result->records, task, sizeof **result->records));
    clear_records(result, task);
    for (int o = 0; o < task->operations; o++)
        result->choice[o] = sedge_tune_rule(&task->operation[o], 0);
    *out = result;
    result = NULL;
done:
    sedge_tune_result_free(result);
    return status;
}

void sedge_tune_result_free(sedge_tune_result *result)
{
    if (result == NULL) return;
    sedge_release(result->choice);
    sedge_release(result->scores);
    sedge_release(result->records);
    sedge_release(result);
}

// ---- layouts -----------------------------------------------------------------------------------

// One layout's part of the search.
typedef struct layout_search {
    int layout;
    int *choice; // [operations]
    double score;
    bool complete; // all operations have a choice that was timed
} layout_search;

// Seconds that the operations from `first` on take in a layout at least, by weight.
static double bound_rest(const sedge_tune_run *run, int layout, int first)
{
    double sum = 0.0;

    for (int o = first; o < run->task->operations; o++) {
        const sedge_tune_operation *const operation = &run->task->operation[o];
        double least = HUGE_VAL;
        for (int c = 0; c < operation->count; c++) {
            if (operation->candidates[c].layout != layout) continue;
            least =
                fmin(least, sedge_tune_bound(run->options, operation, &operation->candidates[c]));
        }
        if (least < HUGE_VAL) sum += operation->weight * least;
    }
    return sum;
}

// Tell the candidates of the operations from `first` on why they were not tried.
static void explain_rest(const sedge_tune_run *run, int layout, int first, const char *reason)
{
    for (int o = first; o < run->task->operations; o++) {
        const sedge_tune_operation *const operation = &run->task->operation[o];
        for (int c = 0; c < operation->count; c++) {
            sedge_tune_record *const record = &run->result->records[o][c];
            if (operation->candidates[c].layout == layout && record->reason[0] == '\0')
                sedge_tune_reason(record, "%s", reason);
        }
    }
}

double sedge_tune_share(const sedge_tune_run *run, int left)
{
    const double now = sedge_clock();

    return run->deadline < HUGE_VAL ? now + (run->deadline - now) / left : HUGE_VAL;
}

// Tune one operation; *seconds 0: no choice, or one that was not timed.
static sedge_status search_operation(sedge_tune_run *run, layout_search *search, int o,
                                     double *seconds)
{
    const sedge_tune_operation *const operation = &run->task->operation[o];
    const int left = (run->task->layouts - search->layout) * run->task->operations - o;
    sedge_status status;
    int *order = NULL;
    int count = 0;
    int winner = -1;

    *seconds = 0.0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&order, operation->count, sizeof *order));
    SEDGE_TRY_GOTO(status, sedge_tune_select(run, o, search->layout, order, &count));
    SEDGE_TRY_GOTO(status,
                   sedge_tune_race(run, o, search->layout, order, count, left, &winner, seconds));
    if (winner >= 0) search->choice[o] = winner;
done:
    sedge_release(order);
    return status;
}

static sedge_status enter_layout(sedge_tune_run *run, const layout_search *search, bool *entered)
{
    const sedge_tune_task *const task = run->task;

    *entered = true;
    if (task->use_layout == NULL) return SEDGE_OK;
    const double began = sedge_clock();
    const sedge_status status = task->use_layout(task->context, search->layout);
    run->layout_seconds = sedge_clock() - began;
    if (status == SEDGE_OK) return SEDGE_OK;
    if (status == SEDGE_ERR_MEMORY || search->layout == 0) return status;
    *entered = false;
    char reason[96];
    (void)snprintf(reason, sizeof reason, "no such layout: %.70s", sedge_error_message());
    sedge_error_clear();
    explain_rest(run, search->layout, 0, reason);
    return SEDGE_OK;
}

// Tune all operations in one layout, as long as it may win against the score `best`.
static sedge_status search_layout(sedge_tune_run *run, layout_search *search, double best)
{
    const bool everything = run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    bool entered;

    search->score = 0.0;
    search->complete = false;
    if (search->layout > 0 && sedge_clock() + run->layout_seconds >= run->deadline) {
        explain_rest(run, search->layout, 0, "not tried: the time was spent");
        run->cut = true;
        return SEDGE_OK;
    }
    SEDGE_TRY(enter_layout(run, search, &entered));
    if (!entered) return SEDGE_OK;
    bool complete = true;
    for (int o = 0; o < run->task->operations; o++) {
        const sedge_tune_operation *const operation = &run->task->operation[o];
        double seconds;
        if (!everything && search->score + bound_rest(run, search->layout, o) > best) {
            explain_rest(run, search->layout, o, "its layout has lost already");
            return SEDGE_OK;
        }
        SEDGE_TRY(search_operation(run, search, o, &seconds));
        complete = complete && seconds > 0.0;
        if (!complete && search->layout > 0) {
            explain_rest(run, search->layout, o, "its layout has no choice for another operation");
            return SEDGE_OK;
        }
        search->score += operation->weight * seconds;
    }
    search->complete = complete;
    return SEDGE_OK;
}

// Candidates that won in a layout that lost.
static void explain_layouts(const sedge_tune_run *run, double best)
{
    const sedge_tune_result *const result = run->result;

    for (int o = 0; o < run->task->operations; o++) {
        const sedge_tune_operation *const operation = &run->task->operation[o];
        for (int c = 0; c < operation->count; c++) {
            sedge_tune_record *const record = &result->records[o][c];
            const int layout = operation->candidates[c].layout;
            if (layout == result->layout || strncmp(record->reason, "winner", 6) != 0) continue;
            if (result->scores[layout] >= best) {
                sedge_tune_reason(record, "best of its layout, which is %.2fx slower",
                                  result->scores[layout] / best);
            } else if (result->scores[layout] > 0.0) {
                sedge_tune_reason(record, "best of its layout, %.1f %% faster, which is too little",
                                  100.0 * (1.0 - result->scores[layout] / best));
            } else {
                sedge_tune_reason(record, "best of its layout, which has lost");
            }
        }
    }
}

// A choice that no race made.
static void explain_rule(const sedge_tune_run *run)
{
    const sedge_tune_result *const result = run->result;

    for (int o = 0; o < run->task->operations; o++) {
        sedge_tune_record *const record = &result->records[o][result->choice[o]];
        if (strncmp(record->reason, "winner", 6) != 0)
            sedge_tune_reason(record, "winner, by rule: the time was spent");
    }
}

// The fastest of the layouts that seem to be faster than the first and were not compared with it;
// 0: there is none.
static int find_challenger(const sedge_tune_run *run, const bool *compared)
{
    const double *const scores = run->result->scores;
    int best = 0;

    for (int l = 1; l < run->task->layouts; l++) {
        if (compared[l] || !(scores[l] > 0.0)) continue;
        if (scores[0] > 0.0 && scores[l] >= (1.0 - LAYOUT_GAIN) * scores[0]) continue;
        if (best == 0 || scores[l] < scores[best]) best = l;
    }
    return best;
}

// Time of a layout over that of the first, by turns; 0 where the first was not timed. One that does
// not run any more has lost.
static sedge_status compare_layouts(sedge_tune_run *run, const int *choices, int layout,
                                    double *ratio)
{
    sedge_tune_result *const result = run->result;
    const int *const other = choices + (size_t)layout * (size_t)run->task->operations;

    *ratio = 0.0;
    if (!(result->scores[0] > 0.0)) return SEDGE_OK;
    const sedge_status status = sedge_tune_compare_layouts(run, choices, layout, other, ratio);
    if (status == SEDGE_ERR_MEMORY) return status;
    if (status != SEDGE_OK) {
        sedge_error_clear();
        result->scores[layout] = 0.0;
        *ratio = HUGE_VAL;
        return SEDGE_OK;
    }
    result->scores[layout] = *ratio * result->scores[0];
    return SEDGE_OK;
}

// Another layout than the first wins only if it is faster by turns, too, which its score says then.
// `choices` [layouts][operations].
static sedge_status decide_layouts(sedge_tune_run *run, const int *choices)
{
    sedge_tune_result *const result = run->result;
    const int operations = run->task->operations;
    bool *compared = NULL;
    sedge_status status = SEDGE_OK;
    int layout;

    result->layout = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&compared, run->task->layouts, sizeof *compared));
    while ((layout = find_challenger(run, compared)) > 0) {
        double ratio;
        SEDGE_TRY_GOTO(status, compare_layouts(run, choices, layout, &ratio));
        compared[layout] = true;
        if (ratio >= 1.0 - LAYOUT_GAIN) continue;
        result->layout = layout;
        break;
    }
    memcpy(result->choice, choices + (size_t)result->layout * (size_t)operations,
           (size_t)operations * sizeof *choices);
done:
    sedge_release(compared);
    return status;
}

static sedge_status search_layouts(sedge_tune_run *run)
{
    const sedge_tune_task *const task = run->task;
    sedge_tune_result *const result = run->result;
    double best = HUGE_VAL;
    int *choices = NULL; // [layouts][operations]
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&choices, (int64_t)task->layouts * task->operations,
                                          sizeof *choices));
    for (int l = 0; l < task->layouts; l++) {
        layout_search search = {.layout = l,
                                .choice = choices + (size_t)l * (size_t)task->operations};
        for (int o = 0; o < task->operations; o++)
            search.choice[o] = sedge_tune_rule(&task->operation[o], l);
        SEDGE_TRY_GOTO(status, search_layout(run, &search, best));
        if (!search.complete) continue;
        result->scores[l] = search.score;
        if (l > 0) run->measured = true; // two rules' choices were compared
        best = fmin(best, l == 0 ? (1.0 - LAYOUT_GAIN) * search.score : search.score);
    }
    SEDGE_TRY_GOTO(status, decide_layouts(run, choices));
    explain_layouts(run, result->scores[result->layout]);
    explain_rule(run);
done:
    sedge_release(choices);
    return status;
}

// ---- one rank ----------------------------------------------------------------------------------

// The rule's choice, which must be able to run.
static sedge_status check_rule(const sedge_tune_task *task, const sedge_device_info *info)
{
    for (int o = 0; o < task->operations; o++) {
        const sedge_tune_operation *const operation = &task->operation[o];
        const int rule = sedge_tune_rule(operation, 0);
        sedge_tune_record record;
        assert(rule >= 0);
        if (sedge_tune_is_refused(info, &operation->candidates[rule], &record)) {
            return SEDGE_FAIL(SEDGE_ERR_DEVICE, "'%s' of %s, the rule's choice, cannot run: %s",
                              operation->candidates[rule].name, operation->name, record.reason);
        }
    }
    return SEDGE_OK;
}

static double choose_deadline(const sedge_tune_task *task, const sedge_tune_options *options)
{
    const sedge_tune_rigor *const rigor = sedge_tune_rigor_of(options->level);
    const double seconds = fmin(rigor->operation_seconds * task->operations, rigor->task_seconds);

    return sedge_clock() + (options->budget > 0.0 ? options->budget : seconds);
}

// Programs that the compiler makes at once, and its seconds for them where nothing is known yet.
// Many threads of NVRTC slow each other down: half of them, and several programs in each.
static void guess_compiler(sedge_tune_run *run)
{
    const bool is_host = run->info->kind == SEDGE_DEVICE_HOST;
    const bool is_cuda = run->info->kind == SEDGE_DEVICE_CUDA;

    run->parallel = sedge_device_compilers(1);
    if (is_cuda && run->parallel > 2) run->parallel = (run->parallel + 1) / 2;
    run->together = 1;
    run->together_most = is_cuda ? SEDGE_COMBINE_MOST : 1;
    run->compile_seconds = run->advice->compile_seconds;
    run->compiler_unknown = !(run->compile_seconds > 0.0);
    if (run->compiler_unknown) run->compile_seconds = is_host ? 0.25 : 0.1;
}

static sedge_status search(sedge_tune_run *run)
{
    sedge_status status;

    run->info = sedge_device_get_info(run->device);
    run->deadline = choose_deadline(run->task, run->options);
    guess_compiler(run);
    SEDGE_TRY_GOTO(status, sedge_stream_create(&run->stream, run->device, false));
    SEDGE_TRY_GOTO(status, sedge_event_create(&run->before, run->device));
    SEDGE_TRY_GOTO(status, sedge_event_create(&run->after, run->device));
    SEDGE_TRY_GOTO(status, search_layouts(run));
    run->result->source = run->measured ? SEDGE_TUNE_BY_MEASUREMENT : SEDGE_TUNE_BY_RULE;
done:
    sedge_event_free(run->before);
    sedge_event_free(run->after);
    sedge_stream_free(run->stream);
    return status;
}

// Search, and keep what was found.
static sedge_status measure(sedge_tune_result *result, sedge_device *device, sedge_cache *cache,
                            const sedge_tune_task *task, const sedge_tune_options *options,
                            const json_t *lines, json_t *key, uint64_t seed)
{
    sedge_tune_advice advice;
    sedge_tune_run run = {.device = device,
                          .cache = cache,
                          .task = task,
                          .options = options,
                          .advice = &advice,
                          .result = result,
                          .seed = seed};
    sedge_status status;

    SEDGE_TRY(sedge_tune_advise(&advice, task, lines, key, options));
    SEDGE_TRY_GOTO(status, search(&run));
    if (run.measured || !run.cut) {
        const sedge_tune_level rigor = advice.retime > 0 && options->level != SEDGE_TUNE_EXHAUSTIVE
                                           ? (sedge_tune_level)advice.retime
                                           : options->level;
        SEDGE_TRY_GOTO(status, sedge_tune_keep(&run, key, rigor));
    }
done:
    sedge_tune_advice_free(&advice);
    return status;
}

static sedge_status tune_here(sedge_tune_result *result, sedge_device *device, sedge_cache *cache,
                              const sedge_tune_task *task, const sedge_tune_options *options,
                              json_t *key, const sedge_hash *hash)
{
    const double began = sedge_clock();
    json_t *lines = NULL;
    bool found = false;
    uint64_t seed;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(check_rule(task, sedge_device_get_info(device)));
    SEDGE_TRY(sedge_wisdom_read(&lines, cache, task->name));
    if (!options->forget || options->level == SEDGE_TUNE_OFF)
        SEDGE_TRY_GOTO(status, sedge_tune_recall(result, &found, task, lines, key, options->level));
    memcpy(&seed, hash->bytes, sizeof seed);
    if (!found && options->level != SEDGE_TUNE_OFF) {
        sedge_range_begin("tune");
        status = measure(result, device, cache, task, options, lines, key, seed);
        sedge_range_end();
        if (status != SEDGE_OK) goto done;
    }
    result->seconds = sedge_clock() - began;
done:
    json_decref(lines);
    return status;
}

// ---- ranks -------------------------------------------------------------------------------------

// Where a rank's device is: two owners at one place would disturb each other's timing.
typedef struct tune_place {
    uint64_t where;
    uint64_t is_owner;
} tune_place;

static tune_place find_place(const sedge_device *device, bool is_owner)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    char name[320] = "";
    tune_place place = {.is_owner = is_owner};

    if (gethostname(name, 256) != 0) name[0] = '\0';
    name[256] = '\0';
    (void)snprintf(name + strlen(name), 64, ":%s:%d", info->kind_name, info->ordinal);
    const sedge_hash hash = sedge_hash_bytes(name, strlen(name));
    memcpy(&place.where, hash.bytes, sizeof place.where);
    return place;
}

// When this rank tunes: after the owners of lower rank at its place. `*turns` is the number of
// turns anywhere. Collective.
static sedge_status find_turn(const sedge_group *group, const sedge_device *device, int *turn,
                              int *turns)
{
    const sedge_comm *const comm = group->comm;
    const tune_place mine = find_place(device, group->is_owner);
    sedge_status status;
    tune_place *places = NULL;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&places, sedge_comm_size(comm),
                                                                 sizeof *places)));
    sedge_comm_all_gather(comm, &mine, places, sizeof mine);
    *turn = 0;
    for (int r = 0; r < sedge_comm_rank(comm); r++)
        if (places[r].is_owner && places[r].where == mine.where) (*turn)++;
    int64_t most = group->is_owner ? *turn : 0;
    sedge_comm_max_int(comm, &most, 1);
    *turns = (int)most + 1;
done:
    sedge_release(places);
    return status;
}

// The owner's result to the other ranks of its group. Collective.
static void share_result(const sedge_group *group, const sedge_tune_task *task,
                         sedge_tune_result *result)
{
    double numbers[4] = {(double)result->source, (double)result->layout, result->seconds,
                         (double)result->compiled};

    sedge_group_give(group, numbers, sizeof numbers);
    result->source = (sedge_tune_source)numbers[0];
    result->layout = (int)numbers[1];
    result->seconds = numbers[2];
    result->compiled = (int)numbers[3];
    sedge_group_give(group, result->choice, (size_t)task->operations * sizeof *result->choice);
    sedge_group_give(group, result->scores, (size_t)task->layouts * sizeof *result->scores);
    sedge_group_give(group, result->records[0],
                     (size_t)count_candidates(task) * sizeof **result->records);
}

// The key's hash, with the candidates' names: ranks of a group share indices.
static sedge_status hash_task(sedge_hash *hash, const sedge_tune_task *task, const json_t *key)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY(sedge_wisdom_hash(hash, key));
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add_bytes(text, (const char *)hash->bytes, sizeof hash->bytes));
    for (int o = 0; o < task->operations; o++) {
        const sedge_tune_operation *const operation = &task->operation[o];
        SEDGE_TRY_GOTO(status, sedge_text_add(text, "\n%s:%d", operation->name, operation->count));
        for (int c = 0; c < operation->count; c++)
            SEDGE_TRY_GOTO(status, sedge_text_add(text, "\n%s", operation->candidates[c].name));
    }
    *hash = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status prepare(sedge_tune_result **result, json_t **key, sedge_hash *hash,
                            const sedge_tune_task *task, const sedge_device *device)
{
    assert(task->layouts > 0 && task->operations > 0);
    SEDGE_TRY(create_result(result, task));
    SEDGE_TRY(sedge_tune_key(key, task, device));
    return hash_task(hash, task, *key);
}

sedge_status sedge_tune(sedge_tune_result **out, const sedge_comm *comm, sedge_device *device,
                        sedge_cache *cache, const sedge_tune_task *task,
                        const sedge_tune_options *options)
{
    sedge_tune_result *result = NULL;
    sedge_group group = {.hashes = NULL};
    sedge_hash hash = {{0}};
    json_t *key = NULL;
    sedge_status status;
    int turn, turns;

    *out = NULL;
    status = prepare(&result, &key, &hash, task, device);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_group_init(&group, comm, &hash));
    SEDGE_TRY_GOTO(status, find_turn(&group, device, &turn, &turns));
    for (int t = 0; t < turns; t++) {
        if (group.is_owner && t == turn)
            status = tune_here(result, device, cache, task, options, key, &hash);
        if (t + 1 < turns) sedge_comm_barrier(comm);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    share_result(&group, task, result);
    if (result->source == SEDGE_TUNE_BY_RULE && options->level == SEDGE_TUNE_OFF) {
        sedge_release(result->records);
        result->records = NULL;
    }
    *out = result;
    result = NULL;
done:
    sedge_group_free(&group);
    json_decref(key);
    sedge_tune_result_free(result);
    return status;
}
