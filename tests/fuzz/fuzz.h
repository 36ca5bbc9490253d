// A fuzzer is one function that takes any bytes. libFuzzer calls it with bytes of its own making
// (SEDGE_FUZZ, clang); replay.c calls it with the kept files of corpus/, under any compiler.
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The name is libFuzzer's. Returns 0; ends the program where a property does not hold.
int LLVMFuzzerTestOneInput(const uint8_t *data,
                           size_t size); // NOLINT(readability-identifier-naming)

#define FUZZ_ONE LLVMFuzzerTestOneInput

// A property that any input must have.
#define FUZZ_CHECK(condition)                                                             \
    do {                                                                                  \
        if (condition) {                                                                  \
        } else {                                                                          \
            (void)fprintf(stderr, "%s:%d: does not hold: %s\n  %s\n", __FILE__, __LINE__, \
                          #condition, sedge_error_message());                             \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

// The input with a NUL behind it, to release with free.
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);

    FUZZ_CHECK(text != NULL);
    for (size_t i = 0; i < size; i++) text[i] = (char)data[i];
    text[size] = '\0';
    return text;
}

// What the user would see of this thread's last failure must not steer a terminal.
static inline void fuzz_check_message(void)
{
    const unsigned char *at = (const unsigned char *)sedge_error_message();

    FUZZ_CHECK(*at != '\0');
    for (; *at != '\0'; at++) FUZZ_CHECK((*at >= ' ' && *at != 127) || *at == '\n' || *at == '\t');
}
