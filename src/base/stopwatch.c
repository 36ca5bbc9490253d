#include "stopwatch.h"

#include "base/file.h"

#include <stddef.h>
#include <string.h>

sedge_stopwatch sedge_stopwatch_start(sedge_phase phase, double since)
{
    return (sedge_stopwatch){
        .start = since, .phase = phase, .since = since, .parts = 1, .part = {{"begin", 0.0}}};
}

static void count(sedge_stopwatch *watch)
{
    const double now = sedge_clock();

    watch->seconds[watch->phase] += now - watch->since;
    if (watch->phase == SEDGE_PHASE_SETUP)
        watch->part[watch->current].seconds += now - watch->since;
    watch->since = now;
}

sedge_phase sedge_stopwatch_enter(sedge_stopwatch *watch, sedge_phase phase)
{
    const sedge_phase before = watch->phase;

    count(watch);
    watch->phase = phase;
    return before;
}

void sedge_stopwatch_begin(sedge_stopwatch *watch, const char *name)
{
    int i = 0;

    if (watch == NULL) return;
    count(watch);
    while (i < watch->parts && strcmp(watch->part[i].name, name) != 0) i++;
    if (i == SEDGE_STOPWATCH_PARTS) return;
    if (i == watch->parts) watch->part[watch->parts++].name = name;
    watch->current = i;
}

void sedge_stopwatch_move(sedge_stopwatch *watch, sedge_phase from, sedge_phase to, double seconds)
{
    watch->seconds[from] -= seconds;
    watch->seconds[to] += seconds;
    if (from == SEDGE_PHASE_SETUP) watch->part[watch->current].seconds -= seconds;
    if (to == SEDGE_PHASE_SETUP) watch->part[watch->current].seconds += seconds;
}

double sedge_stopwatch_elapsed(const sedge_stopwatch *watch)
{
    return sedge_clock() - watch->start;
}

double sedge_stopwatch_total(const sedge_stopwatch *watch)
{
    double total = sedge_clock() - watch->since;

    for (int p = 0; p < SEDGE_PHASES; p++) total += watch->seconds[p];
    return total;
}
