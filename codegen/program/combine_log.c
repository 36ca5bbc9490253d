#include "program/combine_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PART_LINE "part: names begin with "

void sedge_combine_prefix(char prefix[SEDGE_COMBINE_PREFIX], const char *log)
{
    const size_t start = strlen(PART_LINE);

    prefix[0] = '\0';
    if (log == NULL || strncmp(log, PART_LINE, start) != 0) return;
    const size_t length = strcspn(log + start, "\n");
    if (length >= SEDGE_COMBINE_PREFIX) return;
    memcpy(prefix, log + start, length);
    prefix[length] = '\0';
}

// A line with the prefix taken out.
static sedge_status add_line(sedge_text *out, const char *line, size_t length, const char *prefix)
{
    const char *const end = line + length;

    for (const char *at = line; at < end;) {
        const char *found = strstr(at, prefix);
        if (found == NULL || found >= end) found = end;
        SEDGE_TRY(sedge_text_add_bytes(out, at, (size_t)(found - at)));
        at = found < end ? found + strlen(prefix) : end;
    }
    return sedge_text_add(out, "\n");
}

// ptxas begins what it says of a kernel with a line that names it in quotes.
sedge_status sedge_combine_log(sedge_text *out, const char *log, int part)
{
    static const char heading[] = "Compiling entry function '";
    char prefix[SEDGE_COMBINE_PREFIX];
    bool mine = false;

    (void)snprintf(prefix, sizeof prefix, SEDGE_COMBINE_NAME, part);
    SEDGE_TRY(sedge_text_add(out, PART_LINE "%s\n", prefix));
    for (const char *line = log; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *const name = strstr(line, heading);
        if (name != NULL && name < line + length)
            mine = strncmp(name + strlen(heading), prefix, strlen(prefix)) == 0;
        if (mine) SEDGE_TRY(add_line(out, line, length, prefix));
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return SEDGE_OK;
}
