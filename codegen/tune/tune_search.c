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

// Seconds that a call takes in a layout at least.
static double find_bound(const sedge_tune_run *run, int layout)
{
    const sedge_tune_task *const task = run->task;
    double least = HUGE_VAL;

    for (int c = 0; c < task->count; c++) {
        if (task->candidates[c].layout == layout)
            least = fmin(least, sedge_tune_bound(run->options, task, &task->candidates[c]));
    }
    return least;
}

// Tell the candidates of a layout why they were not tried.
static void explain_rest(const sedge_tune_run *run, int layout, const char *reason)
{
    for (int c = 0; c < run->task->count; c++) {
        sedge_tune_record *const record = &run->result->records[c];
        if (run->task->candidates[c].layout == layout && record->reason[0] == '\0')
            sedge_tune_reason(record, "%s", reason);
    }
}

static sedge_status enter_layout(sedge_tune_run *run, int layout, bool *entered)
{
    const sedge_tune_task *const task = run->task;

    *entered = true;
    if (task->use_layout == NULL) return SEDGE_OK;
    const double began = sedge_clock();
    const sedge_status status = task->use_layout(task->context, layout);
    run->layout_seconds = sedge_clock() - began;
    if (status == SEDGE_OK) return SEDGE_OK;
    if (status == SEDGE_ERR_MEMORY || layout == 0) return status;
    *entered = false;
    char reason[96];
    (void)snprintf(reason, sizeof reason, "no such layout: %.70s", sedge_error_message());
    sedge_error_clear();
    explain_rest(run, layout, reason);
    return SEDGE_OK;
}

// Tune one layout, if it may win against `best` seconds. The result's score is 0 if there is no
// choice, or one that was not timed.
static sedge_status search_layout(sedge_tune_run *run, int layout, int *choice, double best)
{
    const bool everything = run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    sedge_status status;
    int *order = NULL;
    int count = 0, winner = -1;
    bool entered;

    if (layout > 0 && sedge_clock() + run->layout_seconds >= run->deadline) {
        explain_rest(run, layout, "not tried: the time was spent");
        run->incomplete = true;
        return SEDGE_OK;
    }
    SEDGE_TRY(enter_layout(run, layout, &entered));
    if (!entered) return SEDGE_OK;
    const double bound = find_bound(run, layout);
    if (!everything && bound < HUGE_VAL && bound > best) {
        explain_rest(run, layout, "its layout has lost already");
        return SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&order, run->task->count, sizeof *order));
    SEDGE_TRY_GOTO(status, sedge_tune_select(run, layout, order, &count));
    SEDGE_TRY_GOTO(status, sedge_tune_race(run, layout, order, count, run->task->layouts - layout,
                                           &winner, &run->result->scores[layout]));
    if (winner >= 0) *choice = winner;
done:
    sedge_release(order);
    return status;
}

// Candidates that won in a layout that lost.
static void explain_layouts(const sedge_tune_run *run, double best)
{
    const sedge_tune_result *const result = run->result;

    for (int c = 0; c < run->task->count; c++) {
        sedge_tune_record *const record = &result->records[c];
        const int layout = run->task->candidates[c].layout;
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

// A choice that no race made.
static void explain_rule(const sedge_tune_run *run)
{
    sedge_tune_record *const record = &run->result->records[run->result->choice];

    if (strncmp(record->reason, "winner", 6) != 0)
        sedge_tune_reason(record, "winner, by rule: the time was spent");
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

    *ratio = 0.0;
    if (!(result->scores[0] > 0.0)) return SEDGE_OK;
    const sedge_status status =
        sedge_tune_compare_layouts(run, choices[0], layout, choices[layout], ratio);
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
// `choices` [layouts].
static sedge_status decide_layouts(sedge_tune_run *run, const int *choices)
{
    sedge_tune_result *const result = run->result;
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
    result->choice = choices[result->layout];
done:
    sedge_release(compared);
    return status;
}

static sedge_status search_layouts(sedge_tune_run *run)
{
    const sedge_tune_task *const task = run->task;
    sedge_tune_result *const result = run->result;
    double best = HUGE_VAL;
    int *choices = NULL; // [layouts]
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&choices, task->layouts, sizeof *choices));
    for (int l = 0; l < task->layouts; l++) {
        choices[l] = sedge_tune_rule(task, l);
        SEDGE_TRY_GOTO(status, search_layout(run, l, &choices[l], best));
        const double score = result->scores[l];
        if (!(score > 0.0)) continue;
        if (l > 0) run->measured = true; // two rules' choices were compared
        best = fmin(best, l == 0 ? (1.0 - LAYOUT_GAIN) * score : score);
    }
    SEDGE_TRY_GOTO(status, decide_layouts(run, choices));
    explain_layouts(run, result->scores[result->layout]);
    explain_rule(run);
done:
    sedge_release(choices);
    return status;
}

// ---- one search --------------------------------------------------------------------------------

static double choose_deadline(const sedge_tune_options *options)
{
    const double seconds = sedge_tune_rigor_of(options->level)->seconds;

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
    run->deadline = choose_deadline(run->options);
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
