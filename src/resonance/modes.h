// Decaying oscillations in records of fields: the resonances of what is recorded.
//
// Each record is a sum of the same oscillations, each with amplitude and phase of its own:
//
//   x(t) = Re sum_m A_m exp((j 2 pi f_m - d_m) t).
//
// A low-pass filter keeps those of a band (finite impulse response, a Kaiser window; 120 dB), moved
// to frequency 0, at four samples a band's width. A matrix pencil (Hua & Sarkar, IEEE Trans.
// Acoust. Speech Signal Process. 38 (1990) 814) finds f and d from all records together: rows of
// SAMPLES / 2 + 1 neighbouring samples lie in a space that is spanned by as many vectors as there
// are oscillations, by singular values, and a shift by a sample is a small matrix in that space.
// Its eigenvalues are the oscillations' factors a sample. So frequencies are not bound to the
// length of a record: a few tens of periods give six digits and more where the noise is small.
//
// Some lie too near to each other to be told apart, such as a symmetric body's modes that have one
// frequency. They become one oscillation: the one with which their sum is nearest to itself a
// sample later.
//
// Whether an oscillation is there is judged by a second estimate, without the first and the last
// tenth of the samples. An oscillation that changes by more than a hundredth of 1 / the record's
// time is uncertain, and so is one that grows by more than its change. One that is so small that
// the filter may have left it of other frequencies is dropped.
#pragma once

#include "base/error.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_mode {
    double frequency; // f, cycles a unit of time
    double decay;     // d, of the amplitude, 1 / time; may be negative by less than 2 pi `error`
    double error;     // of f, and of d / (2 pi): the change between the two estimates
} sedge_mode;

typedef struct sedge_modes {
    int count;
    int uncertain;             // others, whose two estimates differ by too much
    sedge_mode *mode;          // [count], frequencies ascending
    double complex *amplitude; // [count][records] A at the first sample
    double used;               // time from the first sample to the last one that counted
    bool whole;                // as long as it may be: longer records are not used
} sedge_modes;

typedef struct sedge_mode_record {
    int64_t samples;
    int records;
    const double *values; // [samples][records]
    double interval;      // time between samples; below 1 / (2 high)
} sedge_mode_record;

// Whether oscillations can be looked for. SEDGE_ERR_DEVICE: LAPACK is missing. Not collective.
SEDGE_MUST_USE
sedge_status sedge_modes_prepare(void);

// Samples that are needed to find anything between the frequencies `low` and `high`.
int64_t sedge_modes_least(double interval, double low, double high);

// Samples that count at most: later ones are not looked at.
int64_t sedge_modes_most(double interval, double low, double high);

// Find the oscillations between the frequencies `low` and `high`, 0 < low < high; none in a record
// that is too short. Of long records the first sedge_modes_most samples count, which take some 150
// / (high - low). SEDGE_ERR_DEVICE: LAPACK is missing; SEDGE_ERR_COMPUTE: it fails, as where values
// are not-a-number. Clear it in any case. Not collective.
SEDGE_MUST_USE
sedge_status sedge_modes_find(sedge_modes *out, const sedge_mode_record *record, double low,
                              double high);
void sedge_modes_clear(const sedge_modes *modes);
