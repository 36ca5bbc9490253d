#include "ricker_signal.h"

#include "dg/signal.h"

extern const char sedge_text_ricker_signal_h[];

static double frequency(const double *signal)
{
    return 2.5 * signal[2];
}

static double lowest(const double *signal)
{
    return 0.195 * signal[2];
}

static double peak(const double *signal)
{
    return signal[4];
}

static double end(const double *signal)
{
    const double pi = 3.14159265358979323846;

    return signal[4] + 6.3 / (pi * signal[2]);
}

static const sedge_signal_parameter parameters[] = {
    {.parameter = {.name = "frequency",
                   .required = true,
                   .positive = true,
                   .dimension = SEDGE_FREQUENCY,
                   .text = "f: where the spectrum peaks; it reaches to about 2.5 f"},
     .place = 2},
    {.parameter = {.name = "delay",
                   .dimension = SEDGE_TIME,
                   .text = "d: when the pulse peaks; at the default it is 5e-10 at t = 0"},
     .place = 4,
     .from = "frequency",
     .factor = 1.6,
     .inverse = true},
};

const sedge_signal_kind sedge_signal_ricker = {
    .name = "ricker",
    .text = "a (1 - 2 v) exp(-v) with v = (pi f (t - d))^2: one short pulse with zero mean.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .function = "ricker_signal",
    .header = "ricker_signal.h",
    .header_text = sedge_text_ricker_signal_h,
    .value = ricker_signal,
    .frequency = frequency,
    .lowest = lowest,
    .peak = peak,
    .end = end};
