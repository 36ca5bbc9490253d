// What a compiled kernel uses.
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

// The number right before `words` between `from` and `end`; -1: there is none.
static int64_t number_before(const char *from, const char *end, const char *words)
{
    const char *const at = strstr(from, words);
    const char *digit = at;

    if (at == NULL || at > end) return -1;
    while (digit > from && digit[-1] >= '0' && digit[-1] <= '9') digit--;
    return digit < at ? strtoll(digit, NULL, 10) : -1;
}

// ptxas writes a line for each kernel, and below it "16 bytes spill stores, 24 bytes spill loads".
static void find_spills(sedge_kernel_info *info, const char *log, const char *name)
{
    static const char heading[] = "Function properties for ";
    const size_t length = strlen(name);

    for (const char *at = strstr(log, heading); at != NULL; at = strstr(at, heading)) {
        at += strlen(heading);
        if (strncmp(at, name, length) != 0 || at[length] != '\n') continue;
        const char *const next = strstr(at, heading);
        const char *const end = next != NULL ? next : at + strlen(at);
        info->spill_store_bytes = number_before(at, end, " bytes spill stores");
        info->spill_load_bytes = number_before(at, end, " bytes spill loads");
        return;
    }
}

sedge_status sedge_program_inspect(sedge_kernel_info *out, const sedge_program *program,
                                   const char *name, int threads)
{
    const sedge_kernel *kernel = NULL;

    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_program_get(&kernel, program, name));
    const int written = sedge_kernel_signature(kernel)->threads;
    if (threads <= 0 && written <= 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernel '%s' does not tell the threads of its block: name them", name);
    }
    SEDGE_TRY(sedge_kernel_inspect(out, kernel, threads > 0 ? threads : written));
    find_spills(out, sedge_program_log(program), name);
    return SEDGE_OK;
}
