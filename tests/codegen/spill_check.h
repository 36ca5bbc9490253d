// Compiling a program for CUDA chips that are not here, and reading what the compiler says of it.
#pragma once

#include "check.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdlib.h>

#define CUDA_CHIPS 3
// On the newest chip, for which nothing here was made, so many bytes more may lie outside.
#define CUDA_STACK_NEWEST 32

// sm_80, sm_90, and the newest that this NVRTC compiles for: how many there are.
static inline int cuda_chips(const char *chips[CUDA_CHIPS])
{
    static const char *const newest[] = {"sm_121", "sm_120", "sm_110", "sm_103", "sm_100"};

    static const char *found;

    chips[0] = "sm_80";
    chips[1] = "sm_90";
    chips[2] = found;
    if (found != NULL) return 3;
    for (size_t i = 0; i < sizeof newest / sizeof newest[0]; i++) {
        void *binary = NULL;
        size_t length = 0;
        const sedge_status status = sedge_nvrtc_compile(
            "extern \"C\" __global__ void nothing() {}\n", newest[i], &binary, &length, NULL);
        sedge_release(binary);
        if (status == SEDGE_OK) {
            chips[2] = found = newest[i];
            return 3;
        }
        sedge_error_clear();
    }
    return 2;
}

// A line a kernel in variants-TEST.txt of the build folder: chip, program, what ptxas says it
// takes.
static inline void cuda_note(const char *chip, const char *name, const char *log)
{
    static FILE *table;
    char path[sizeof SEDGE_TEST_DIR + 128];
    const char *const base = strrchr(__BASE_FILE__, '/');
    const char *spills = "";

    if (table == NULL) {
        (void)snprintf(path, sizeof path, "%s/variants-%.90s.txt", SEDGE_TEST_DIR,
                       base != NULL ? base + 1 : __BASE_FILE__);
        table = fopen(path, "w");
    }
    CHECK(table != NULL);
    for (const char *line = log; table != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *const used = strstr(line, "Used ");
        if (strstr(line, "bytes stack frame") != NULL &&
            strstr(line, "bytes stack frame") < line + length)
            spills = line + strspn(line, " \t");
        if (used != NULL && used < line + length) {
            (void)fprintf(table, "%-8s %-48s %.*s; %.*s\n", chip, name, (int)strcspn(used, "\n"),
                          used, (int)strcspn(spills, "\n"), spills);
        }
        line += length + (line[length] == '\n');
    }
    if (table != NULL) (void)fflush(table);
}

// Compile for each of them. Of what it keeps, a thread may have at most so many bytes outside
// registers.
static inline void check_cuda_stack(const char *name, const sedge_text *program, long most)
{
    const char *chips[CUDA_CHIPS];
    const int count = cuda_chips(chips);

    for (int c = 0; c < count; c++) {
        sedge_text *log = NULL;
        void *binary = NULL;
        size_t length = 0;

        CHECK_OK(sedge_text_create(&log));
        CHECK_OK(sedge_nvrtc_compile(sedge_text_get(program), chips[c], &binary, &length, log));
        cuda_note(chips[c], name, sedge_text_get(log));
        const char *at = sedge_text_get(log);
        while ((at = strstr(at, "bytes stack frame")) != NULL) {
            while (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')) at--;
            const bool small = strtol(at, NULL, 10) <= most + (c < 2 ? 0 : CUDA_STACK_NEWEST);
            CHECK(small);
            if (!small) {
                (void)fprintf(stderr, "  %s for %s: %.*s\n", name, chips[c], (int)strcspn(at, "\n"),
                              at);
            }
            at += strcspn(at, "\n");
        }
        sedge_release(binary);
        sedge_text_free(log);
    }
}

// The same where nothing may be outside registers.
static inline void check_cuda(const char *name, const sedge_text *program)
{
    check_cuda_stack(name, program, 0);
}
