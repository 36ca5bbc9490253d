// How much is tuned: names of the levels, and what the environment says.
#include "codegen/tune.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"off", "fast", "patient", "exhaustive"};

sedge_status sedge_tune_level_parse(sedge_tune_level *out, const char *name)
{
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (sedge_tune_level)i;
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "unknown tuning level '%s'; allowed are off, fast, patient and exhaustive",
                      name);
}

const char *sedge_tune_level_name(sedge_tune_level level)
{
    return names[level];
}

sedge_status sedge_tune_level_default(sedge_tune_level *out, sedge_tune_level otherwise)
{
    const char *const value = getenv("SEDGE_TUNE");

    *out = otherwise;
    if (value == NULL || value[0] == '\0') return SEDGE_OK;
    return sedge_tune_level_parse(out, value);
}
