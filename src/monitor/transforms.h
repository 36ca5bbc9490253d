// The running Fourier transforms of one monitor: what the monitors of spectra, flux, absorption and
// far fields have in common. Each entry of the monitor has points in rows, and at them a transform
// (monitor/spectrum.h) where it has frequencies.
//
// A monitor's own struct begins with a sedge_transforms, so that the functions below which take a
// `void *monitor` can stand in its table (dg/monitor_kind.h).
#pragma once

#include "monitor/face_points.h"
#include "monitor/settling.h"
#include "monitor/spectrum.h"

struct json_t;

// An entry: all is borrowed, and lives as long as the transforms.
typedef struct sedge_transform_entry {
    const char *name; // of the deck, as `line`
    int line;
    uint64_t place;                            // a number for the points: others have another one
    const sedge_deck_frequencies *frequencies; // of count 0: no transform
    const bool *requested;                     // output groups
    bool normalise;                            // by the signal of all sources, where there is one
    int64_t limit;                             // ids are below it
    int64_t rows;                              // of this rank
    int row_points;                            // of one part of the fields (sedge_output_parts)
    const int64_t *ids;                        // [rows]
    const int32_t *elements;                   // [rows][row_points]
    const double *weights; // [rows][row_points][nodes]; NULL: the points of a row are the nodes
                           // of its element, elements [rows]
} sedge_transform_entry;

typedef struct sedge_transforms {
    const sedge_output_context *context;
    sedge_sampling sampling;
    bool restored; // some entry goes on with the sums of a checkpoint
    int count;
    sedge_transform_entry *entry; // [count]
    sedge_spectrum *spectrum;     // [count]; all 0 without frequencies
    sedge_settling *settling;     // [count]; all 0 without frequencies or time.stop.spectra
    int array_count;
    sedge_monitor_array *arrays; // [array_count] of entries with frequencies: the sums, and those
                                 // to compare with
    int points;
    sedge_monitor_point *point; // [points] of all entries, one after the other
} sedge_transforms;

// Plan the sampling, and make room for `entries` entries, all of which are to be added. Keeps
// `context`. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_transforms_create(sedge_transforms *out, const sedge_output_context *context,
                                     int entries);
void sedge_transforms_clear(sedge_transforms *transforms);

// Add an entry. Where `memory` has sums of its name they go on. Collective.
SEDGE_MUST_USE
sedge_status sedge_transforms_add(sedge_transforms *transforms, const sedge_transform_entry *entry,
                                  const struct json_t *memory);

// The same of all fields on the sides `faces`: `entry` has its name, line, place and frequencies.
SEDGE_MUST_USE
sedge_status sedge_transforms_add_faces(sedge_transforms *transforms, sedge_transform_entry entry,
                                        const sedge_face_points *faces,
                                        const struct json_t *memory);

// Compare the sampling with that of sums that go on, and list the points. Not collective.
SEDGE_MUST_USE
sedge_status sedge_transforms_complete(sedge_transforms *transforms, const struct json_t *memory);

// Bring all sums to the host. Not collective.
SEDGE_MUST_USE
sedge_status sedge_transforms_fetch(const sedge_transforms *transforms);

// Once the sums are on the host, join the parts of the fields in all of them (sedge_spectrum_join).
void sedge_transforms_join(const sedge_transforms *transforms);

// Write the output file `name`, whole or not at all, of about `bytes` bytes: what all output files
// tell with `text` as their content, then what `write` writes, which gets the monitor and, on the
// root, the file. Collective, as `write`.
SEDGE_MUST_USE
sedge_status sedge_transforms_write(const sedge_transforms *transforms, const char *name,
                                    const char *text, double bytes,
                                    sedge_status (*write)(const void *monitor, sedge_h5 *file));

// ---- for the monitor's table -------------------------------------------------------------------

const sedge_monitor_point *sedge_transforms_points(const void *monitor, int *count);
const sedge_monitor_array *sedge_transforms_arrays(const void *monitor, int *count);
bool sedge_transforms_due(const void *monitor, int64_t step);
SEDGE_MUST_USE
sedge_status sedge_transforms_connect(void *monitor, sedge_point_recorder *recorder);
SEDGE_MUST_USE
sedge_status sedge_transforms_transform(void *monitor, int samples, const double *times);
SEDGE_MUST_USE
sedge_status sedge_transforms_compare(void *monitor, int64_t window, bool measure, double *remains);
SEDGE_MUST_USE
sedge_status sedge_transforms_save(const void *monitor, struct json_t *memory);

// What all monitors with transforms have in that table.
#define SEDGE_TRANSFORMS_IN_TABLE                                                                  \
    .sums = true, .checked = true, .arrays = sedge_transforms_arrays, .due = sedge_transforms_due, \
    .points = sedge_transforms_points, .connect = sedge_transforms_connect,                        \
    .transform = sedge_transforms_transform, .compare = sedge_transforms_compare
