#include "progress.h"

#include "base/file.h"
#include "base/print.h"

#include <math.h>
#include <stdio.h>

#define FIRST_LINE    15.0 // seconds
#define LONGEST_PAUSE 600.0

static int count_tenths(int64_t step, int64_t steps)
{
    return (int)(10 * step / steps);
}

sedge_progress sedge_progress_start(bool on, bool terminal, int64_t step, int64_t steps)
{
    const double now = sedge_clock();

    sedge_print_flush(); // what was printed before: output into a file is buffered
    return (sedge_progress){.on = on,
                            .terminal = terminal,
                            .start = now,
                            .last = now,
                            .tenths = count_tenths(step, steps),
                            .first = step};
}

bool sedge_progress_due(const sedge_progress *progress, int64_t step, int64_t steps)
{
    if (!progress->on) return false;
    if (step == steps) return true;
    if (!progress->terminal && count_tenths(step, steps) > progress->tenths) return true;
    const double pause = fmin(fmax(FIRST_LINE, progress->last - progress->start), LONGEST_PAUSE);
    return sedge_clock() - progress->last > (progress->terminal ? 0.5 : pause);
}

void sedge_progress_duration(char text[32], double seconds)
{
    if (seconds < 100.0) {
        (void)snprintf(text, 32, "%.1f s", seconds);
    } else if (seconds < 6000.0) {
        (void)snprintf(text, 32, "%.1f min", seconds / 60.0);
    } else {
        (void)snprintf(text, 32, "%.1f h", seconds / 3600.0);
    }
}

void sedge_progress_show(sedge_progress *progress, int64_t step, int64_t steps, double time,
                         const char *unit, double energy, const char *energy_unit)
{
    const double now = sedge_clock();
    const double spent = now - progress->start;
    char gone[32];
    char left[32];

    progress->last = now;
    progress->tenths = count_tenths(step, steps);
    progress->shown = true;
    sedge_progress_duration(gone, spent);
    sedge_progress_duration(left,
                            spent * (double)(steps - step) / (double)(step - progress->first));
    printf("%s%3d %%  step %lld of %lld  t = %.4g%s  energy %.6g%s  %s, %s left%s",
           progress->terminal ? "\r  " : "  ", (int)(100.0 * (double)step / (double)steps),
           (long long)step, (long long)steps, time, unit, energy, energy_unit, gone, left,
           progress->terminal ? "   " : "\n");
    sedge_print_flush();
}

void sedge_progress_end(sedge_progress *progress)
{
    if (progress->shown && progress->terminal) printf("\n");
    sedge_print_flush();
}
