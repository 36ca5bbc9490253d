#include "dg/signal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// For the spectrum of a signal: frequencies at which its peak is looked for, and samples.
#define SCAN             16
#define SAMPLES_A_PERIOD 8.0 // of the highest frequency
#define SAMPLES_MOST     2e5
#define FAR_ABOVE        100.0 // times a signal's highest frequency: nothing is left of its spectrum

#define DECLARE_KIND(NUMBER, name) extern const sedge_signal_kind sedge_signal_##name;
SEDGE_SIGNAL_ROWS(DECLARE_KIND)

#define LIST_KIND(NUMBER, name) &sedge_signal_##name,
const sedge_signal_kind *const sedge_signal_kinds[SEDGE_SIGNAL_KINDS] = {
    SEDGE_SIGNAL_ROWS(LIST_KIND)};

const sedge_signal_kind *sedge_signal_kind_of(const double *signal)
{
    const int kind = (int)signal[0];

    assert(kind >= 0 && kind < SEDGE_SIGNAL_KINDS);
    return sedge_signal_kinds[kind];
}

double sedge_signal(const double *signal, double t)
{
    return sedge_signal_kind_of(signal)->value(signal, t);
}

// |int signal(t) exp(-i 2 pi f t) dt| between two times, by the midpoint rule.
static double find_spectrum(const double *signal, double frequency, const double times[2],
                            int samples)
{
    const double omega = 8.0 * atan(1.0) * frequency;
    const double step = (times[1] - times[0]) / samples;
    double re = 0.0;
    double im = 0.0;

    for (int i = 0; i < samples; i++) {
        const double t = times[0] + (i + 0.5) * step;
        const double value = sedge_signal(signal, t);
        re += step * value * cos(omega * t);
        im += step * value * sin(omega * t);
    }
    return hypot(re, im);
}

double sedge_signal_part(const double *signal, double frequency, double end)
{
    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
    const double last = kind->end != NULL ? kind->end(signal) : HUGE_VAL;
    const double low = kind->lowest(signal);
    const double top = kind->frequency(signal);
    const double times[2] = {kind->peak != NULL ? fmax(0.0, 2.0 * kind->peak(signal) - last) : 0.0,
                             fmin(end, last)};
    const double samples = ceil(SAMPLES_A_PERIOD * fmax(top, frequency) * (times[1] - times[0]));
    double peak = 0.0;

    if (kind->end != NULL && end >= last && frequency > FAR_ABOVE * top) return 0.0;
    if (kind->end == NULL || !(samples >= 1.0 && samples <= SAMPLES_MOST)) return HUGE_VAL;
    for (int i = 0; i <= SCAN; i++) {
        peak = fmax(peak, find_spectrum(signal, low + (top - low) * i / SCAN, times, (int)samples));
    }
    if (!(peak > 0.0)) return HUGE_VAL;
    return find_spectrum(signal, frequency, times, (int)samples) / peak;
}

void sedge_signal_names(char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < SEDGE_SIGNAL_KINDS && length < size; i++) {
        (void)snprintf(text + length, size - length, i > 0 ? " %s" : "%s",
                       sedge_signal_kinds[i]->name);
        length = strlen(text);
    }
}
