// A running Fourier transform of what probes record, on the device: for each point, component and
// number of a phase the sum of value times phase over the samples. Sums are fp64, and samples are
// added one by one, so that a sum depends neither on how samples are batched nor on the ranks. What
// the numbers of a phase are is the caller's affair: real and imaginary parts of frequencies.
#pragma once

#include "evolve/probes.h"

typedef struct sedge_transform sedge_transform;

// What is transformed: some of the fields at some of the probes' points.
typedef struct sedge_transform_part {
    int first, points; // of the probes
    int components;    // of the fields
    const int *component;
    int numbers; // of a phase
} sedge_transform_part;

// Sums of zero. Keeps the probes, which must outlive it. Collective: ranks may have different
// points, and the rest alike. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_transform_create(sedge_transform **out, const sedge_probes *probes,
                                    const sedge_transform_part *part);
void sedge_transform_free(sedge_transform *transform);

// Add all samples that the probes have recorded, with phases [samples][numbers], which are copied.
// It is queued; it waits only for the phases of the call before to have reached the device. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_transform_add(sedge_transform *transform, const double *phases);

// Append the whole source of the program that a transform with so many numbers would compile on a
// device of this info, which need not be here. `name` gets its name.
#define SEDGE_TRANSFORM_NAME 64
SEDGE_MUST_USE
sedge_status sedge_transform_text(sedge_text *out, char name[SEDGE_TRANSFORM_NAME],
                                  const sedge_device_info *info, int numbers);

// Replace the sums, or get them: [points][components][numbers]. Wait for what is queued; not
// collective.
SEDGE_MUST_USE
sedge_status sedge_transform_set(sedge_transform *transform, const double *sums);
SEDGE_MUST_USE
sedge_status sedge_transform_get(sedge_transform *transform, double *sums);
