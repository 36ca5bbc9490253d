// Are the tables of integrators whole? What is missing, or cannot be, is named.
#include "integrator.h"

#include <math.h>
#include <string.h>

static bool is_positive(double number)
{
    return isfinite(number) && number > 0.0;
}

static bool is_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static bool is_taken(const sedge_integrator *const table[], int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(table[i]->name, table[index]->name) == 0) return true;
    return false;
}

static sedge_status check(const sedge_integrator *const table[], int index)
{
    static const char missing[] = "it is required and missing";
    static const char positive[] = "it must be finite and greater than 0";
    const sedge_integrator *const row = table[index];
    const char *const name = row->name != NULL ? row->name : "";
    const int stages = row->stages;
    const bool whole = stages >= 1 && row->a != NULL && row->b != NULL && row->c != NULL;
    const struct {
        bool met;
        const char *entry;
        const char *reason;
    } required[] = {
        {name[0] != '\0', "name", missing},
        {row->text != NULL, "text", missing},
        {stages >= 1, "stages", "it must be 1 or more"},
        {!row->predictor || stages == 1, "stages", "with `predictor` it must be 1"},
        {row->a != NULL, "a", missing},
        {row->b != NULL, "b", missing},
        {row->c != NULL, "c", missing},
        {!whole || is_finite(row->a, stages), "a", "its numbers must be finite"},
        {!whole || is_finite(row->b, stages), "b", "its numbers must be finite"},
        {!whole || is_finite(row->c, stages), "c", "its numbers must be finite"},
        {!whole || row->predictor || row->a[0] == 0.0, "a", "its first number must be 0"},
        {is_positive(row->stability), "stability", positive},
        {is_positive(row->oscillation), "oscillation", positive},
        {is_positive(row->radius), "radius", positive},
        {is_positive(row->height), "height", positive},
        {name[0] == '\0' || !is_taken(table, index), "name", "another integrator has it already"},
    };

    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (required[i].met) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the table of the integrator '%s': %s: %s (time/integrator.h)", name,
                          required[i].entry, required[i].reason);
    }
    return SEDGE_OK;
}

sedge_status sedge_integrators_check(const sedge_integrator *const table[])
{
    for (int i = 0; table[i] != NULL; i++) SEDGE_TRY(check(table, i));
    return SEDGE_OK;
}
