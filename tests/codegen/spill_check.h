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

// What was compiled; `chip` is one of cuda_chips.
typedef struct cuda_compiled {
    char *program;
    const char *chip;
    sedge_text *log;
} cuda_compiled;

// What the compiler says of a program for a chip; kept to the end. A source that comes again is not
// compiled again.
static inline const char *cuda_log(const char *program, const char *chip)
{
    static cuda_compiled *all;
    static int count;
    void *binary = NULL;
    size_t length = 0;

    for (int i = 0; i < count; i++) {
        if (all[i].chip == chip && strcmp(all[i].program, program) == 0)
            return sedge_text_get(all[i].log);
    }
    cuda_compiled *const grown = realloc(all, (size_t)(count + 1) * sizeof *all);
    char *const copy = malloc(strlen(program) + 1);
    if (grown == NULL || copy == NULL) abort();
    strcpy(copy, program);
    all = grown;
    all[count] = (cuda_compiled){.program = copy, .chip = chip};
    CHECK_OK(sedge_text_create(&all[count].log));
    CHECK_OK(sedge_nvrtc_compile(program, chip, &binary, &length, all[count].log));
    sedge_release(binary);
    return sedge_text_get(all[count++].log);
}

// Compile for one chip by turns, with SEDGE_TEST_ALL for each: of the 191 programs of the tests
// none differed between chips in what it has outside registers. Of what it keeps, a thread may have
// at most so many bytes there.
static inline void check_cuda_stack(const char *name, const sedge_text *program, long most)
{
    static int turn;
    const char *chips[CUDA_CHIPS];
    const int count = cuda_chips(chips);
    const int selected = turn++ % count;

    for (int c = 0; c < count; c++) {
        if (c != selected && getenv("SEDGE_TEST_ALL") == NULL) continue;
        const char *const log = cuda_log(sedge_text_get(program), chips[c]);
        cuda_note(chips[c], name, log);
        const char *at = log;
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
    }
}

// The same where nothing may be outside registers.
static inline void check_cuda(const char *name, const sedge_text *program)
{
    check_cuda_stack(name, program, 0);
}
