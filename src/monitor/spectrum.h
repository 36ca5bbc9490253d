// A running Fourier transform of fields at points: for each point, component and frequency the sum
// of x(t_n) exp(-j 2 pi f t_n) m dt over the samples (monitor/sampling.h). Phases and sums are
// fp64; samples are added one by one, so that sums do not depend on how they are batched.
//
// The sums are made on the device, from the samples that a recorder keeps there, and come to the
// host when somebody asks for them: for a checkpoint, and at the end of the run.
//
// Points lie in rows: a row is on one rank, and has an id that does not depend on the ranks.
#pragma once

#include "dg/monitor_kind.h"
#include "io/h5.h"
#include "monitor/output_context.h"
#include "monitor/point_recorder.h"
#include "monitor/sampling.h"
#include "par/gather.h"

typedef struct sedge_spectrum {
    const sedge_deck_frequencies *frequencies; // borrowed
    bool normalised;                           // by the one signal of all sources
    int signals;                               // that are transformed, too; sedge_sampling.each
    const double *signal[SEDGE_MAX_INCIDENTS]; // [signals] borrowed
    int64_t rows;                              // of this rank
    int parts;                                 // of the fields (sedge_output_parts)
    int row_points;                            // points of a row, of one part
    int components;
    int component[SEDGE_MAX_FIELDS]; // [components] fields that are transformed
    double *sums;        // [rows][parts][row_points][components][frequencies][2], code units: those
                         // of a checkpoint until samples are added, then those of the last fetch
    double *incident;    // [1 or signals][frequencies][2]: the same of the signals
    double *phases;      // [SEDGE_POINT_BATCH][frequencies][2]
    sedge_gather gather; // of the rows' ids
    int64_t begin;       // step after which the sums begin; spectrum_memory.h
    bool restored;       // the sums go on with those of a checkpoint

    const sedge_sample_source *source; // of the device's sums
    void *on_device;                   // the source's; NULL: not connected
    bool begun;                        // the device has the sums
} sedge_spectrum;

// Sums of zero for the output groups that are `requested`, and for the signals of `sampling` (NULL:
// none). `row_points`: of one part of the fields. Keeps `frequencies` and the signals, and nothing
// else. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_create(sedge_spectrum *out, const sedge_output_context *context,
                                   const sedge_deck_frequencies *frequencies, const bool *requested,
                                   const sedge_sampling *sampling, int64_t rows, int row_points,
                                   const int64_t *ids);
void sedge_spectrum_clear(sedge_spectrum *spectrum);

// Numbers of a row in `sums`, of all parts, and those in `incident`.
int64_t sedge_spectrum_width(const sedge_spectrum *spectrum);
int sedge_spectrum_incident_numbers(const sedge_spectrum *spectrum);

// Make the sums on the device, of the recorder's points from number `first` on, which are those of
// the rows: of each row its points in one part after the other. Keeps the recorder's source.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_connect(sedge_spectrum *spectrum, const sedge_output_context *context,
                                    const sedge_point_recorder *recorder, int first);

// Add what the recorder has recorded: `samples` samples, each of which stands for a time `weight`.
// Queued; does not wait for the samples. Not collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_add(sedge_spectrum *spectrum, int samples, const double *times,
                                double weight);

// Bring the sums to the host. Waits; not collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_fetch(const sedge_spectrum *spectrum);

// Of fields u + i v with a real and an imaginary part: once the sums are on the host, replace those
// of the parts, U and V, by U + i V, [rows][row_points][components][frequencies][2], until the next
// fetch. Nothing where the fields have one part. Not collective.
void sedge_spectrum_join(const sedge_spectrum *spectrum);

// Root: write the frequencies and the transform of the signal, where it is one, into the group
// `folder`, with the attributes begin_step and every.
SEDGE_MUST_USE
sedge_status sedge_spectrum_describe(const sedge_spectrum *spectrum,
                                     const sedge_output_context *context,
                                     const sedge_sampling *sampling, sedge_h5 *file,
                                     const char *folder);

// Where the rows' points go in a file: output point target[k * row_points + p] gets `share` times
// the values of point p of the k-th gathered row; several rows may go to one point. Root.
typedef struct sedge_spectrum_places {
    int rank; // dimensions of the points, 1 or 2
    int64_t shape[2];
    const int64_t *target; // [gathered rows][row_points]; NULL: the rows' ids, for single points
    const double *share;   // [gathered rows]; NULL: 1
} sedge_spectrum_places;

// Describe the spectrum, whose parts are joined, and write into the group `folder` of each output
// group of `requested` a complex dataset [frequencies][points] or [frequencies][points][3]; with a
// signal also the normalised fields. A point without a row is not-a-number. `file` is the root's.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_write(const sedge_spectrum *spectrum,
                                  const sedge_output_context *context,
                                  const sedge_sampling *sampling, const bool *requested,
                                  const sedge_spectrum_places *places, sedge_h5 *file,
                                  const char *folder);
