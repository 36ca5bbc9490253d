// Constants of a program: lines of #define.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

typedef struct operator_constant {
    const char *name; // SEDGE_<name>
    int value;
} operator_constant;

SEDGE_MUST_USE
sedge_status operator_constants_write(sedge_text *text, const operator_constant *rows,
                                      size_t count);
