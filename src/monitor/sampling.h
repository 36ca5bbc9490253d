// When the fields are sampled: for Fourier transforms, and for other looks at their spectra.
//
// The transform X(f) = int x(t) exp(-j 2 pi f t) dt is summed by the rectangle rule, every m steps
// of dt. Of x that begins and ends at 0 the sum differs from X(f) by aliases alone, the values of X
// at f + k / (m dt): with m dt <= 1 / (f + s) they are those of frequencies above s. So m is the
// largest number that this allows, where f is the highest frequency that is asked for and s the one
// above which the spectra of the deck's signals are below 1e-6 of their peaks.
#pragma once

#include "monitor/output_context.h"

typedef struct sedge_sampling {
    int every;            // m: steps between samples
    double highest;       // f, code units; 0: the deck asks for no frequency
    double sources;       // s; 0: the deck has no signal
    const double *signal; // the one signal of all sources, borrowed; NULL: none, or several
    double signal_unit;   // deck's value = code value * signal_unit, of its amplitude
    int signals;          // signals to transform: of each source if all are plane waves, else
                          // `signal` alone or none
    const double *each[SEDGE_MAX_INCIDENTS]; // [signals] borrowed
} sedge_sampling;

// How many entries of the deck's monitors may have frequencies, and those of entry `i`; borrowed.
int sedge_sampling_entries(const sedge_deck *deck);
const sedge_deck_frequencies *sedge_sampling_frequencies(const sedge_deck *deck, int i);

// Plan the sampling for all frequencies of the deck. SEDGE_ERR_USAGE: a frequency is above what the
// time step or the mesh resolves, the deck's own interval is too long, or a spectrum is to be
// normalised by a signal where there is not exactly one. Collective.
SEDGE_MUST_USE
sedge_status sedge_sampling_plan(sedge_sampling *out, const sedge_output_context *context);

// By the same rule the steps between samples of fields at frequencies of up to `highest`. `what` is
// how a message begins: who asks for them. SEDGE_ERR_USAGE, as above. Collective.
SEDGE_MUST_USE
sedge_status sedge_sampling_every(int *every, const sedge_output_context *context, double highest,
                                  const char *what);

// Whether a step has a sample. Sums that go on from a checkpoint (`restored`) have that of the step
// at which the run begins.
bool sedge_sampling_due(const sedge_sampling *sampling, const sedge_output_context *context,
                        bool restored, int64_t step);

// Steps between the samples of far fields over time: 30 a period of the signals' highest frequency.
int64_t sedge_sampling_time_every(const sedge_output_context *context);

// Whether a monitor of absorption has the elements of volume group v: it is in no layer, and the
// deck names it or, without names, it has losses at one of the frequencies. `fields`: then those of
// the equation's groups of fields that lose energy there become true. The same on all ranks, not
// collective.
bool sedge_sampling_absorbs(bool fields[SEDGE_MAX_FIELDS], const sedge_output_context *context,
                            const sedge_deck_absorption *absorption, int v);

// How many bytes a rank needs at most for spectra, flux, absorption and far fields. On its device:
// the sums, and the samples that wait to be added, with the weights of their points. On the host:
// the sums, with time.stop.spectra twice, to compare them (monitor/settling.h), and the far fields
// over time, which the first rank needs once more while it writes them. Of all ranks the largest;
// single points and planes count as if one rank had them all. Collective.
typedef struct sedge_sampling_memory {
    double sums, samples; // on the device
    double host;
} sedge_sampling_memory;
sedge_sampling_memory sedge_sampling_bytes(const sedge_output_context *context);

// How many bytes a rank needs at most on its device for the samples of probes, slices and monitors
// of kinds with parameters, with the weights of their points, and on the host for the latter; as if
// one rank had all probes and slices. Collective.
typedef struct sedge_point_memory {
    double device, host;
} sedge_point_memory;
sedge_point_memory sedge_sampling_point_bytes(const sedge_output_context *context);

// Quadrature points on this rank's sides of the faces of a surface group (monitor/face_points.h).
double sedge_sampling_face_points(const sedge_output_context *context, const char *surface);

// The highest frequency of the transforms of all monitors, code units; 0: there are none.
double sedge_sampling_highest(const sedge_output_context *context);
