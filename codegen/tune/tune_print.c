#include "tune/tune.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

static const char *const sources[] = {
    [SEDGE_TUNE_BY_RULE] = "by rule",
    [SEDGE_TUNE_BY_WISDOM] = "by wisdom",
    [SEDGE_TUNE_BY_MEASUREMENT] = "by measurement",
};

enum { NAME_WIDTH_MAX = 48 };

static int find_width(const sedge_tune_operation *operation, int layout)
{
    size_t width = strlen("candidate");

    for (int c = 0; c < operation->count; c++) {
        const size_t length = strlen(operation->candidates[c].name);
        if (operation->candidates[c].layout == layout && length > width) width = length;
    }
    return width < NAME_WIDTH_MAX ? (int)width : NAME_WIDTH_MAX;
}

// A number in a column, or a dash where it is not known.
static sedge_status add_cell(sedge_text *text, bool known, const char *format, double value,
                             int width)
{
    char cell[32];

    // The formats are those below, one floating-point number each.
    (void)snprintf(cell, sizeof cell, "-");
    if (known && strcmp(format, "us") == 0) (void)snprintf(cell, sizeof cell, "%.2f", 1e6 * value);
    if (known && strcmp(format, "%") == 0) (void)snprintf(cell, sizeof cell, "%.0f %%", value);
    if (known && strcmp(format, "n") == 0) (void)snprintf(cell, sizeof cell, "%.0f", value);
    return sedge_text_add(text, "  %*s", width, cell);
}

static sedge_status add_candidate(sedge_text *text, const char *name, int width,
                                  const sedge_tune_record *r, bool chosen)
{
    const bool timed = r->seconds > 0.0;
    const bool sampled = r->rounds > 0;

    SEDGE_TRY(sedge_text_add(text, "  %c %-*s", chosen ? '*' : ' ', width, name));
    SEDGE_TRY(add_cell(text, timed, "us", r->seconds, 10));
    SEDGE_TRY(add_cell(text, sampled, "us", r->median, 10));
    SEDGE_TRY(add_cell(text, sampled, "us", r->spread, 8));
    SEDGE_TRY(add_cell(text, sampled, "n", r->rounds, 6));
    SEDGE_TRY(add_cell(text, r->registers > 0, "n", r->registers, 9));
    SEDGE_TRY(add_cell(text, r->registers > 0, "n", r->spilled, 6));
    SEDGE_TRY(add_cell(text, r->fraction > 0.0, "%", 100.0 * r->fraction, 8));
    return sedge_text_add(text, "  %s\n", r->reason);
}

// A line for each candidate that was timed, and the choice.
static bool is_shown(const sedge_tune_result *result, int o, int c)
{
    return c == result->choice[o] || result->records[o][c].seconds > 0.0;
}

// The others, those with the same reason in one line.
static sedge_status add_others(sedge_text *text, const sedge_tune_operation *operation,
                               const sedge_tune_result *result, int o, int layout)
{
    for (int c = 0; c < operation->count; c++) {
        const char *const reason = result->records[o][c].reason;
        int first = operation->count, same = 0;
        for (int other = 0; other < operation->count; other++) {
            if (is_shown(result, o, other) || operation->candidates[other].layout != layout ||
                strcmp(result->records[o][other].reason, reason) != 0)
                continue;
            if (same++ == 0) first = other;
        }
        if (first != c) continue; // not of the others, or told with an earlier one
        SEDGE_TRY(sedge_text_add(text, "    %s", operation->candidates[c].name));
        if (same > 1) SEDGE_TRY(sedge_text_add(text, " and %d more", same - 1));
        SEDGE_TRY(sedge_text_add(text, ": %s\n", reason));
    }
    return SEDGE_OK;
}

static sedge_status add_operation(sedge_text *text, const sedge_tune_task *task,
                                  const sedge_tune_result *result, int o, int layout)
{
    const sedge_tune_operation *const operation = &task->operation[o];
    const int width = find_width(operation, layout);

    SEDGE_TRY(sedge_text_add(text, "  %s, %g calls\n", operation->name, operation->weight));
    SEDGE_TRY(sedge_text_add(text, "    %-*s  %10s  %10s  %8s  %6s  %9s  %6s  %8s  %s\n", width,
                             "candidate", "least us", "median us", "spread", "rounds", "registers",
                             "spills", "of floor", "why"));
    for (int c = 0; c < operation->count; c++) {
        if (!is_shown(result, o, c) || operation->candidates[c].layout != layout) continue;
        SEDGE_TRY(add_candidate(text, operation->candidates[c].name, width, &result->records[o][c],
                                c == result->choice[o]));
    }
    return add_others(text, operation, result, o, layout);
}

static sedge_status add_layout(sedge_text *text, const sedge_tune_task *task,
                               const sedge_tune_result *result, int layout)
{
    SEDGE_TRY(sedge_text_add(text, "%c layout %s", layout == result->layout ? '*' : ' ',
                             task->layout_names[layout]));
    if (result->scores[layout] > 0.0)
        SEDGE_TRY(sedge_text_add(text, ": %.2f us by weight", 1e6 * result->scores[layout]));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    for (int o = 0; o < task->operations; o++)
        SEDGE_TRY(add_operation(text, task, result, o, layout));
    return SEDGE_OK;
}

static sedge_status add_choice(sedge_text *text, const sedge_tune_task *task,
                               const sedge_tune_result *result)
{
    for (int o = 0; o < task->operations; o++) {
        const sedge_tune_operation *const operation = &task->operation[o];
        SEDGE_TRY(sedge_text_add(text, "  %s: %s\n", operation->name,
                                 operation->candidates[result->choice[o]].name));
    }
    return SEDGE_OK;
}

static sedge_status add_all(sedge_text *text, const sedge_tune_task *task,
                            const sedge_tune_result *result)
{
    SEDGE_TRY(sedge_text_add(text, "%s (%s): chosen %s, %.3f s, %d programs compiled\n", task->name,
                             task->size, sources[result->source], result->seconds,
                             result->compiled));
    if (result->records == NULL) return add_choice(text, task, result);
    for (int l = 0; l < task->layouts; l++) SEDGE_TRY(add_layout(text, task, result, l));
    return SEDGE_OK;
}

sedge_status sedge_tune_print(FILE *file, const sedge_tune_task *task,
                              const sedge_tune_result *result)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, add_all(text, task, result));
    if (fputs(sedge_text_get(text), file) < 0)
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write the table of the tuner");
done:
    sedge_text_free(text);
    return status;
}
