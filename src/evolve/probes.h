// Probes: the fields at points of this rank. Each record appends one sample to a ring on the
// device, without waiting; the samples stay there until they are forgotten. They can be copied to
// the host, and added to transforms (evolve/transform.h). A solver may have several sets of probes,
// each recorded at times of its own. Functions are not collective.
#pragma once

#include "evolve/evolution.h"

typedef struct sedge_probes sedge_probes;

// Points in `elements` [count], with nodal weights [row_count][nodes] as sedge_element_interpolate
// gives them: point i has the row rows[i], which others may share. `rows` NULL: each has its own.
typedef struct sedge_probe_points {
    int count;
    const int32_t *elements;
    const int32_t *rows;
    int row_count;
    const double *weights;
} sedge_probe_points;

// Probes at `points`, not kept; at most `capacity` samples. Keeps the evolution, which must outlive
// them. The caller frees them.
SEDGE_MUST_USE
sedge_status sedge_probes_create(sedge_probes **out, sedge_evolution *evolution,
                                 const sedge_probe_points *points, int capacity);
void sedge_probes_free(sedge_probes *probes);

// Record all fields at all probes at the end of the queue: at most `capacity` times before they are
// forgotten, else SEDGE_ERR_INTERNAL.
SEDGE_MUST_USE
sedge_status sedge_probes_record(sedge_probes *probes);

// Wait, and copy what is recorded, values [samples][probes][fields] in fp64.
SEDGE_MUST_USE
sedge_status sedge_probes_fetch(sedge_probes *probes, double *values, int *samples);

// Forget what is recorded. Does not wait: work that was queued before still sees it.
void sedge_probes_forget(sedge_probes *probes);

// What is on the device, for kernels that read it. Borrowed.
typedef struct sedge_probe_ring {
    sedge_evolution *evolution;
    int count;                   // probes
    int capacity, recorded;      // samples
    const sedge_buffer *samples; // [capacity][count][fields]; NULL: no probes
} sedge_probe_ring;
sedge_probe_ring sedge_probes_ring(const sedge_probes *probes);
