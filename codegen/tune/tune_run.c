#include "tune/tune_run.h"

#include "base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sedge_tune_rigor rigors[] = {
    [SEDGE_TUNE_OFF] = {"off", 0.0, 0},
    [SEDGE_TUNE_FAST] = {"fast", 0.3, 24},
    [SEDGE_TUNE_PATIENT] = {"patient", 60.0, 0},
    [SEDGE_TUNE_EXHAUSTIVE] = {"exhaustive", HUGE_VAL, 0},
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

// ---- reasons -----------------------------------------------------------------------------------

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

int sedge_tune_rule(const sedge_tune_task *task, int layout)
{
    for (int c = 0; c < task->count; c++)
        if (task->candidates[c].layout == layout) return c;
    return -1;
}

double sedge_tune_share(const sedge_tune_run *run, int left)
{
    const double now = sedge_clock();

    return run->deadline < HUGE_VAL ? now + (run->deadline - now) / left : HUGE_VAL;
}
