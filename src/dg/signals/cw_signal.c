#include "cw_signal.h"

#include "dg/signal.h"

extern const char sedge_text_cw_signal_h[];

static double frequency(const double *signal)
{
    return signal[2];
}

static const sedge_signal_parameter parameters[] = {
    {.parameter = {.name = "frequency",
                   .required = true,
                   .positive = true,
                   .dimension = SEDGE_FREQUENCY,
                   .text = "f of the sine"},
     .place = 2},
    {.parameter =
         {.name = "phase", .minimum = -360.0, .maximum = 360.0, .text = "q of the sine, degrees"},
     .place = 3},
    {.parameter = {.name = "ramp",
                   .maximum = 1e300,
                   .dimension = SEDGE_TIME,
                   .text = "time over which the sine is switched on smoothly; 0: at once"},
     .place = 5,
     .from = "frequency",
     .factor = 3.0,
     .inverse = true},
};

const sedge_signal_kind sedge_signal_cw = {
    .name = "cw",
    .text = "a sin(2 pi f t + q), switched on over the ramp.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .function = "cw_signal",
    .header = "cw_signal.h",
    .header_text = sedge_text_cw_signal_h,
    .value = cw_signal,
    .frequency = frequency,
    .lowest = frequency};
