#include "stopwatch.h"

#include "base/file.h"

sedge_stopwatch sedge_stopwatch_start(sedge_phase phase, double since)
{
    return (sedge_stopwatch){.start = since, .phase = phase, .since = since};
}

sedge_phase sedge_stopwatch_enter(sedge_stopwatch *watch, sedge_phase phase)
{
    const sedge_phase before = watch->phase;
    const double now = sedge_clock();

    watch->seconds[before] += now - watch->since;
    watch->phase = phase;
    watch->since = now;
    return before;
}

void sedge_stopwatch_move(sedge_stopwatch *watch, sedge_phase from, sedge_phase to, double seconds)
{
    watch->seconds[from] -= seconds;
    watch->seconds[to] += seconds;
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
