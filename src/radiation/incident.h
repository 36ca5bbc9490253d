// The incident plane wave of a deck, the media at a frequency, and the known solution for a sphere
// or for plane layers (`exact`): what far fields and spectra are compared with.
#pragma once

#include "monitor/output_context.h"
#include "monitor/spectrum.h"
#include "scattering/far_field.h"
#include "scattering/mie.h"
#include "scattering/slab.h"

// The sources of the deck as one plane wave at a wavenumber; signal [sources] are the transforms of
// their signals, NULL: 1 each. False: they are others, or waves of several directions.
bool sedge_incident_find(sedge_incident_wave *wave, const sedge_output_context *context,
                         double wavenumber, const double complex *signal);

// Epsilon and mu of the medium that a wave of this direction comes from: that of the volume group
// that it meets first, outside of absorbing layers. False: the medium conducts or has terms. The
// same on all ranks. Collective.
bool sedge_incident_medium(double *epsilon, double *mu, const sedge_output_context *context,
                           const double direction[3]);

// The transforms of the sources' signals at frequency k: signal [spectrum->signals].
void sedge_incident_signals(double complex signal[SEDGE_MAX_INCIDENTS],
                            const sedge_spectrum *spectrum, int k);

// The intensity of the sources as one plane wave at each frequency, of their transforms: intensity
// [frequencies], code units; not-a-number where the field is below the deck's floor. False: they
// are others, or the medium that they come from conducts or has terms. Collective.
bool sedge_incident_intensity(double *intensity, const sedge_output_context *context,
                              const sedge_spectrum *spectrum);

// Does volume group `group` have terms, so that epsilon and mu depend on the frequency?
bool sedge_medium_is_dispersive(const sedge_output_context *context, int group);

// Epsilon and mu of a volume group, relative to vacuum, at an angular frequency (code units), with
// the response of its conductivity and terms under exp(+j w t). SEDGE_ERR_USAGE, after `where`: the
// material has no such numbers, for a term is not linear or acts on directions differently.
SEDGE_MUST_USE
sedge_status sedge_medium_find(double complex *epsilon, double complex *mu,
                               const sedge_output_context *context, int group, double frequency,
                               const char *where);

// Check that the deck's `exact` can be compared with: the sources are plane waves of one
// direction, the groups exist and, of layers, lie where the deck says, and all other groups are one
// lossless medium. Nothing where the deck has none. SEDGE_ERR_USAGE. Collective.
SEDGE_MUST_USE
sedge_status sedge_exact_check(const sedge_output_context *context);

// The Mie series of the deck's `exact` at an angular frequency, for the wave of sedge_incident_find
// with these signals. The caller frees it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_exact_create(sedge_mie **out, const sedge_output_context *context,
                                double frequency, const double complex *signal);

// The same of layers, where the deck's `exact` is a slab; all signals are 1.
SEDGE_MUST_USE
sedge_status sedge_exact_slab(sedge_slab_fields *out, const sedge_output_context *context,
                              double frequency);

// The root-mean-square difference in decibels of `values` and `exact` [count], of those whose exact
// value is within 20 dB of the greatest one. Not-a-number without any.
double sedge_exact_difference(int64_t count, const double *values, const double *exact);
