#include "device/opencl/opencl_log.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WHOLE "<kernel>:"

typedef struct place {
    const char *file; // not ended by a NUL; NULL before the first #line that names one
    int length;
    long line;
} place;

// What a #line directive says of the line after it; false of any other line.
static bool read_directive(place *next, const char *line)
{
    static const char word[] = "#line ";
    char *end;

    if (strncmp(line, word, sizeof word - 1) != 0) return false;
    next->line = strtol(line + sizeof word - 1, &end, 10);
    if (end[0] != ' ' || end[1] != '"') return true;
    next->file = end + 2;
    next->length = (int)strcspn(next->file, "\"\n");
    return true;
}

// Where line `wanted` of the whole text comes from; false past its end and before any file's name.
static bool find_place(place *found, const char *source, long wanted)
{
    place now = {.line = 1};
    const char *line = source;

    for (long number = 1; number < wanted; number++) {
        if (!read_directive(&now, line)) now.line++;
        line = strchr(line, '\n');
        if (line == NULL) return false;
        line++;
    }
    *found = now;
    return now.file != NULL;
}

sedge_status sedge_opencl_log_place(sedge_text *out, const char *source, const char *log)
{
    const char *from = log;
    const char *at;

    while ((at = strstr(from, WHOLE)) != NULL) {
        char *end;
        place found;
        const long line = strtol(at + sizeof WHOLE - 1, &end, 10);
        SEDGE_TRY(sedge_text_add_bytes(out, from, (size_t)(at - from)));
        if (line > 0 && find_place(&found, source, line)) {
            SEDGE_TRY(sedge_text_add_bytes(out, found.file, (size_t)found.length));
            SEDGE_TRY(sedge_text_add(out, ":%ld", found.line));
        } else {
            SEDGE_TRY(sedge_text_add_bytes(out, at, (size_t)(end - at)));
        }
        from = end;
    }
    return sedge_text_add(out, "%s", from);
}

static sedge_status read_bytes(char *bytes, size_t size, const sedge_opencl_state *state,
                               opencl_program *program)
{
    SEDGE_CL(clGetProgramBuildInfo,
             (program, state->device, CL_PROGRAM_BUILD_LOG, size, bytes, NULL), "log");
    return SEDGE_OK;
}

sedge_status sedge_opencl_log_read(sedge_text *out, const sedge_opencl_state *state,
                                   opencl_program *program, const char *source)
{
    sedge_status status;
    char *printed = NULL;
    size_t size = 0;

    SEDGE_CL(clGetProgramBuildInfo, (program, state->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
             "log");
    SEDGE_TRY(sedge_allocate(&printed, (int64_t)size + 1, 1));
    SEDGE_TRY_GOTO(status, read_bytes(printed, size, state, program));
    SEDGE_TRY_GOTO(status, sedge_opencl_log_place(out, source, printed));
done:
    sedge_release(printed);
    return status;
}
