#include "tune/tune_run.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// ---- tables and reasons ------------------------------------------------------------------------

int sedge_tune_count(const sedge_tune_task *task)
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

    SEDGE_TRY(sedge_allocate(&table, (int64_t)(heads + (size_t)sedge_tune_count(task) * size), 1));
    char *row = (char *)table + heads;
    for (int o = 0; o < task->operations; o++) {
        table[o] = row;
        row += (size_t)task->operation[o].count * size;
    }
    memcpy(out, &table, sizeof table);
    return SEDGE_OK;
}

// Write ASCII only: a text that is shortened, or comes from a compiler, may not be UTF-8, which
// wisdom requires.
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

double sedge_tune_share(const sedge_tune_run *run, int left)
{
    const double now = sedge_clock();

    return run->deadline < HUGE_VAL ? now + (run->deadline - now) / left : HUGE_VAL;
}
