// The value of a time signal: of its kind's function. SEDGE_SIGNAL_LIST(X), a constant, has
// X(number, function) for each kind of signal (src/dg/signal.h); their headers are before this one.
#pragma once

SEDGE_FUNCTION double sedge_signal(const double *signal, double t)
{
#define SEDGE_SIGNAL_CASE(number, function) \
    if (signal[0] == number) return function(signal, t);
    SEDGE_SIGNAL_LIST(SEDGE_SIGNAL_CASE)
#undef SEDGE_SIGNAL_CASE
    return 0.0;
}
