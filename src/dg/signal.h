// Time signals: functions of time that sources and incident waves follow. A kind of signal is one
// pair of files, signals/NAME_signal.[ch], and one row of SEDGE_SIGNAL_ROWS.
//
// A signal is SEDGE_SIGNAL_VALUES numbers (dg/physics.h): the number of its kind, its amplitude a,
// and up to four more of the kind's. Times are in code time units, frequencies in cycles per code
// time unit. sedge_signal evaluates it in fp64 on every
// target, because in fp32 the phase w t would lose its digits after many periods.
#pragma once

#include "dg/equation.h"

#include <stddef.h>

#define SEDGE_SIGNAL_ROWS(X) \
    X(GAUSSIAN, gaussian)    \
    X(RICKER, ricker)        \
    X(CW, cw)

// The number of each kind.
enum {
#define SEDGE_SIGNAL_NUMBER(NUMBER, name) SEDGE_SIGNAL_##NUMBER,
    SEDGE_SIGNAL_ROWS(SEDGE_SIGNAL_NUMBER)
#undef SEDGE_SIGNAL_NUMBER
        SEDGE_SIGNAL_KINDS
};

// A key of a signal in the deck.
typedef struct sedge_signal_parameter {
    sedge_parameter parameter; // real
    int place;                 // which of the signal's numbers it is: 2..SEDGE_SIGNAL_VALUES - 1
    // Optional: another key of the kind, which gives the default: `factor` times its value, or with
    // `inverse` `factor` divided by it.
    const char *from;
    double factor;
    bool inverse;
} sedge_signal_parameter;

typedef struct sedge_signal_kind {
    const char *name; // the deck's `type`
    const char *text; // for input/keys.md: sentences
    const sedge_signal_parameter *parameters;
    int parameter_count;
    const char *function; // in the header: double <function>(const double *signal, double t)
    const char *header, *header_text;
    double (*value)(const double *signal, double t); // the same, for the host
    // The frequency above which the spectrum is below about a hundredth of its peak.
    double (*frequency)(const double *signal);
    // The frequency below which the spectrum is below about a tenth of its peak; 0: there is none.
    double (*lowest)(const double *signal);
    // The time of its peak. NULL: it is periodic.
    double (*peak)(const double *signal);
    // The time after which it is below 1e-15 of its peak. NULL: it does not end.
    double (*end)(const double *signal);
} sedge_signal_kind;

extern const sedge_signal_kind *const sedge_signal_kinds[SEDGE_SIGNAL_KINDS];

// The kind of a signal.
const sedge_signal_kind *sedge_signal_kind_of(const double *signal);

// The part of its greatest value that the spectrum of a signal up to the time `end` has at a
// frequency. Infinity, for not known: of a signal without an end or of very many periods.
double sedge_signal_part(const double *signal, double frequency, double end);

// All names, with spaces between them, into text[size].
void sedge_signal_names(char *text, size_t size);
