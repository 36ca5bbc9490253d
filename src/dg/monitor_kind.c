#include "dg/monitor_kind.h"

#include <stddef.h>
#include <string.h>

static sedge_status check(const sedge_monitor_kind *kind)
{
    const char *const name = kind->name != NULL ? kind->name : "";
    const bool has_points = kind->points != NULL;
    const struct {
        bool met;
        const char *entry;
    } required[] = {
        {name[0] != '\0', "name"},
        {kind->text != NULL, "text"},
        {kind->parameters != NULL || kind->parameter_count == 0, "parameters"},
        {kind->create != NULL, "create"},
        {kind->due != NULL, "due"},
        {kind->sample != NULL || kind->energy != NULL || has_points, "sample, energy or points"},
        {kind->transform != NULL || kind->receive != NULL || !has_points, "transform or receive"},
        {(kind->connect != NULL) == (kind->transform != NULL), "connect, or transform"},
        {kind->save != NULL, "save"},
        {kind->free != NULL, "free"},
    };

    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (required[i].met) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the table of the monitor '%s': %s: it is required and missing "
                          "(dg/monitor_kind.h)",
                          name, required[i].entry);
    }
    return SEDGE_OK;
}

sedge_status sedge_monitor_kinds_check(const sedge_monitor_kind *const table[])
{
    for (int k = 0; table[k] != NULL; k++) {
        SEDGE_TRY(check(table[k]));
        for (int i = 0; i < k; i++) {
            if (strcmp(table[i]->name, table[k]->name) != 0) continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "the table of the monitor '%s': name: another monitor has it already "
                              "(dg/monitor_kind.h)",
                              table[k]->name);
        }
    }
    return SEDGE_OK;
}
