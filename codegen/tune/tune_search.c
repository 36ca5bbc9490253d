#include "tune/tune_search.h"

#include "base/file.h"
#include "base/memory.h"
#include "program/combine.h"
#include "tune/tune_layouts.h"
#include "tune/tune_race.h"
#include "tune/tune_select.h"

#include <math.h>
#include <string.h>

#define LAYOUT_GAIN 0.03 // that another layout than the first needs

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
        run->incomplete = true;
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

// ---- one search --------------------------------------------------------------------------------

static double choose_deadline(const sedge_tune_task *task, const sedge_tune_options *options)
{
    const sedge_tune_rigor *const rigor = sedge_tune_rigor_of(options->level);
    const double seconds = fmin(rigor->operation_seconds * task->operations, rigor->task_seconds);

    return sedge_clock() + (options->budget > 0.0 ? options->budget : seconds);
}

// Choose how many programs are compiled at once. Threads of NVRTC slow each other down: use half as
// many, and compile several programs in each call.
static void choose_compilers(sedge_tune_run *run)
{
    const bool is_joint = sedge_traits_of(run->info->kind)->joint_compile;

    run->parallel = is_joint ? (run->compilers + 1) / 2 : run->compilers;
    run->together_most = is_joint ? SEDGE_COMBINE_MOST : 1;
    run->compile_rate = run->advice->compile_rate;
}

sedge_status sedge_tune_search(sedge_tune_run *run)
{
    sedge_status status;

    run->info = sedge_device_get_info(run->device);
    run->deadline = choose_deadline(run->task, run->options);
    choose_compilers(run);
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
