// Compiling a program for CUDA chips that are not here, and reading what the compiler says of it.
#pragma once

#include "check.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdlib.h>

// Compile for sm_80 and sm_90; of what it keeps, a thread may have at most so many bytes outside
// registers. With SEDGE_TEST_REGISTERS set, prints the registers of each kernel.
static inline void check_cuda_stack(const char *name, const sedge_text *program, long most)
{
    static const char *const chips[] = {"sm_80", "sm_90"};

    for (int c = 0; c < 2; c++) {
        sedge_text *log = NULL;
        void *binary = NULL;
        size_t length = 0;

        CHECK_OK(sedge_text_create(&log));
        CHECK_OK(sedge_nvrtc_compile(sedge_text_get(program), chips[c], &binary, &length, log));
        const char *at = sedge_text_get(log);
        while ((at = strstr(at, "bytes stack frame")) != NULL) {
            while (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')) at--;
            const bool small = strtol(at, NULL, 10) <= most;
            CHECK(small);
            if (!small) {
                (void)fprintf(stderr, "  %s for %s: %.*s\n", name, chips[c], (int)strcspn(at, "\n"),
                              at);
            }
            at += strcspn(at, "\n");
        }
        for (at = sedge_text_get(log);
             getenv("SEDGE_TEST_REGISTERS") != NULL && (at = strstr(at, "Used ")) != NULL; at++)
            (void)printf("%s %s: %.*s\n", chips[c], name, (int)strcspn(at, "\n"), at);
        sedge_release(binary);
        sedge_text_free(log);
    }
}

// The same where nothing may be outside registers.
static inline void check_cuda(const char *name, const sedge_text *program)
{
    check_cuda_stack(name, program, 0);
}
