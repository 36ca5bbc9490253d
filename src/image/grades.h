// Grades: elements whose graded values are nearly the same share a grade, and with it a row of the
// kernels' table of materials.
//
// Values are rounded to twelve binary digits, a relative 1e-4: waves see less of this than of the
// steps from element to element. Where that makes more than SEDGE_GRADES_MAX grades, fewer digits
// are kept, until there are no more.
#pragma once

#include "base/error.h"

#include <stdint.h>

#define SEDGE_GRADES_MAX     4096
#define SEDGE_GRADED_NUMBERS 4 // of a volume group at most

// What an element has, or a grade.
typedef struct sedge_grade {
    int group; // volume group
    double value[SEDGE_GRADED_NUMBERS];
} sedge_grade;

// Round the values of `list` [count] and number the different ones: grade [count]. The caller
// releases `*grades` [number], in ascending order of groups, then of values.
SEDGE_MUST_USE
sedge_status sedge_grades_find(sedge_grade **grades, int *number, int32_t *grade,
                               const sedge_grade *list, int64_t count);
