#include "grades.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define DIGITS 12 // binary ones

static int compare(const void *left, const void *right)
{
    const sedge_grade *const a = left, *const b = right;

    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    for (int k = 0; k < SEDGE_GRADED_NUMBERS; k++) {
        if (a->value[k] < b->value[k]) return -1;
        if (a->value[k] > b->value[k]) return 1;
    }
    return 0;
}

static double round_digits(double value, int digits)
{
    int exponent = 0;
    const double part = frexp(value, &exponent);

    return ldexp(round(ldexp(part, digits)), exponent - digits);
}

// The different ones among the rounded values, sorted, at the front of `sorted` [count]: how many.
static int64_t sort_rounded(sedge_grade *sorted, const sedge_grade *list, int64_t count, int digits)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < count; i++) {
        sorted[i].group = list[i].group;
        for (int k = 0; k < SEDGE_GRADED_NUMBERS; k++)
            sorted[i].value[k] = round_digits(list[i].value[k], digits);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || compare(&sorted[kept - 1], &sorted[i]) != 0) sorted[kept++] = sorted[i];
    return kept;
}

sedge_status sedge_grades_find(sedge_grade **grades, int *number, int32_t *grade,
                               const sedge_grade *list, int64_t count)
{
    int64_t kept = INT64_MAX;
    int digits = DIGITS + 1;

    SEDGE_TRY(sedge_allocate(grades, count, sizeof **grades));
    while (kept > SEDGE_GRADES_MAX && digits > 1)
        kept = sort_rounded(*grades, list, count, --digits);
    *number = (int)kept;
    for (int64_t i = 0; i < count; i++) {
        sedge_grade key = {.group = list[i].group};
        for (int k = 0; k < SEDGE_GRADED_NUMBERS; k++)
            key.value[k] = round_digits(list[i].value[k], digits);
        const sedge_grade *const found = bsearch(&key, *grades, (size_t)kept, sizeof key, compare);
        grade[i] = (int32_t)(found - *grades);
    }
    return SEDGE_OK;
}
