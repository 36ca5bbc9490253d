#include "gaussian_signal.h"

#include "dg/signal.h"

extern const char sedge_text_gaussian_signal_h[];

static double frequency(const double *signal)
{
    const double pi = 3.14159265358979323846;

    return signal[2] + 2.15 / (pi * signal[3]);
}

static double lowest(const double *signal)
{
    const double pi = 3.14159265358979323846;

    return fmax(0.0, signal[2] - 1.52 / (pi * signal[3]));
}

static double peak(const double *signal)
{
    return signal[4];
}

static double end(const double *signal)
{
    return signal[4] + 6.0 * signal[3];
}

static const sedge_signal_parameter parameters[] = {
    {.parameter = {.name = "width",
                   .required = true,
                   .positive = true,
                   .dimension = SEDGE_TIME,
                   .text = "w: the envelope falls to 1/e at a distance w from its peak"},
     .place = 3},
    {.parameter = {.name = "delay",
                   .dimension = SEDGE_TIME,
                   .text = "d: when the envelope peaks; at the default it is 1.4e-11 at t = 0"},
     .place = 4,
     .from = "width",
     .factor = 5.0},
    {.parameter = {.name = "frequency",
                   .maximum = 1e300,
                   .dimension = SEDGE_FREQUENCY,
                   .text = "f of the carrier, which makes the mean zero; 0: no carrier"},
     .place = 2},
    {.parameter =
         {.name = "phase",
          .minimum = -360.0,
          .maximum = 360.0,
          .text = "q of the carrier, degrees; at 90 the mean is a w sqrt(pi) exp(-(pi f w)^2)"},
     .place = 5},
};

const sedge_signal_kind sedge_signal_gaussian = {
    .name = "gaussian",
    .text =
        "a exp(-((t - d) / w)^2), times sin(2 pi f (t - d) + q) if f > 0. Without a carrier its "
        "mean is not zero: it leaves static charge and fields behind; take a carrier, or a "
        "Ricker pulse, for scattering.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .function = "gaussian_signal",
    .header = "gaussian_signal.h",
    .header_text = sedge_text_gaussian_signal_h,
    .value = gaussian_signal,
    .frequency = frequency,
    .lowest = lowest,
    .peak = peak,
    .end = end};
