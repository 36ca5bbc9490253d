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

static int find_width(const sedge_tune_task *task, int layout)
{
    size_t width = strlen("candidate");

    for (int c = 0; c < task->count; c++) {
        const size_t length = strlen(task->candidates[c].name);
        if (task->candidates[c].layout == layout && length > width) width = length;
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
static bool is_shown(const sedge_tune_result *result, int c)
{
    return c == result->choice || result->records[c].seconds > 0.0;
}

// The others, those with the same reason in one line.
static sedge_status add_others(sedge_text *text, const sedge_tune_task *task,
                               const sedge_tune_result *result, int layout)
{
    for (int c = 0; c < task->count; c++) {
        const char *const reason = result->records[c].reason;
        int first = task->count, same = 0;
        for (int other = 0; other < task->count; other++) {
            if (is_shown(result, other) || task->candidates[other].layout != layout ||
                strcmp(result->records[other].reason, reason) != 0)
                continue;
            if (same++ == 0) first = other;
        }
        if (first != c) continue; // not of the others, or told with an earlier one
        SEDGE_TRY(sedge_text_add(text, "    %s", task->candidates[c].name));
        if (same > 1) SEDGE_TRY(sedge_text_add(text, " and %d more", same - 1));
        SEDGE_TRY(sedge_text_add(text, ": %s\n", reason));
    }
    return SEDGE_OK;
}

static sedge_status add_layout(sedge_text *text, const sedge_tune_task *task,
                               const sedge_tune_result *result, int layout)
{
    SEDGE_TRY(sedge_text_add(text, "%c layout %s", layout == result->layout ? '*' : ' ',
                             task->layout_names[layout]));
    if (result->scores[layout] > 0.0)
        SEDGE_TRY(sedge_text_add(text, ": %.2f us", 1e6 * result->scores[layout]));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    const int width = find_width(task, layout);
    SEDGE_TRY(sedge_text_add(text, "  %s\n", task->operation));
    SEDGE_TRY(sedge_text_add(text, "    %-*s  %10s  %10s  %8s  %6s  %9s  %6s  %8s  %s\n", width,
                             "candidate", "least us", "median us", "spread", "rounds", "registers",
                             "spills", "of floor", "why"));
    for (int c = 0; c < task->count; c++) {
        if (!is_shown(result, c) || task->candidates[c].layout != layout) continue;
        SEDGE_TRY(add_candidate(text, task->candidates[c].name, width, &result->records[c],
                                c == result->choice));
    }
    return add_others(text, task, result, layout);
}

static sedge_status add_all(sedge_text *text, const sedge_tune_task *task,
                            const sedge_tune_result *result)
{
    SEDGE_TRY(sedge_text_add(text, "%s (%s): chosen %s, %.3f s, %d programs compiled\n", task->name,
                             task->size, sources[result->source], result->seconds,
                             result->compiled));
    if (result->records == NULL) {
        return sedge_text_add(text, "  %s: %s\n", task->operation,
                              task->candidates[result->choice].name);
    }
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
