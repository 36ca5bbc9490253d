// Assertions of the tests: CHECK counts and prints failures, CHECK_END is what main returns.
#pragma once

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_failures = 0;

// The else branch makes CHECK(a = b) an error under -Wparentheses.
#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (condition) {                                                                  \
        } else {                                                                          \
            check_failures++;                                                             \
            (void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                                 \
    } while (0)

// The call must give SEDGE_OK; prints the message otherwise.
#define CHECK_OK(call)                                                                         \
    do {                                                                                       \
        if ((call) == SEDGE_OK) {                                                              \
        } else {                                                                               \
            check_failures++;                                                                  \
            (void)fprintf(stderr, "%s:%d: failed: %s\n  %s (%s)\n", __FILE__, __LINE__, #call, \
                          sedge_error_message(), sedge_error_trace());                         \
        }                                                                                      \
    } while (0)

// The call must fail with `wanted` and a message that contains `text`.
#define CHECK_FAILS(call, wanted, text)                                                   \
    do {                                                                                  \
        const sedge_status check_status = (call);                                         \
        if (check_status == (wanted) && strstr(sedge_error_message(), (text)) != NULL) {  \
        } else {                                                                          \
            check_failures++;                                                             \
            (void)fprintf(stderr, "%s:%d: %s gave '%s': %s\n", __FILE__, __LINE__, #call, \
                          sedge_status_text(check_status), sedge_error_message());        \
        }                                                                                 \
    } while (0)

// `value` must be at most `bound`; not-a-number fails.
#define CHECK_BOUND(value, bound)                                                                  \
    do {                                                                                           \
        const double check_value = (value), check_bound = (bound);                                 \
        if (check_value <= check_bound) {                                                          \
        } else {                                                                                   \
            check_failures++;                                                                      \
            (void)fprintf(stderr, "%s:%d: %s = %.6g is not <= %.6g\n", __FILE__, __LINE__, #value, \
                          check_value, check_bound);                                               \
        }                                                                                          \
    } while (0)

#define CHECK_END() (check_failures == 0 ? 0 : 1)
