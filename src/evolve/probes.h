// Probes: the fields at points of this rank. Each record appends one sample to a buffer on the
// device, without waiting; a fetch copies all samples to the host and empties the buffer. A solver
// may have several sets of probes, each recorded at times of its own. Functions are not collective.
#pragma once

#include "evolve/evolution.h"

typedef struct sedge_probes sedge_probes;

// Probes in `elements` [count] with the nodal `weights` [count][nodes], not kept. Keeps the
// evolution, which must outlive them. The caller frees them.
SEDGE_MUST_USE
sedge_status sedge_probes_create(sedge_probes **out, sedge_evolution *evolution, int count,
                                 const int32_t *elements, const double *weights, int capacity);
void sedge_probes_free(sedge_probes *probes);

// Record all fields at all probes at the end of the queue: at most `capacity` times before a fetch,
// else SEDGE_ERR_INTERNAL.
SEDGE_MUST_USE
sedge_status sedge_probes_record(sedge_probes *probes);

// Wait, copy what was recorded, values [samples][probes][fields] in fp64, and forget it.
SEDGE_MUST_USE
sedge_status sedge_probes_fetch(sedge_probes *probes, double *values, int *samples);
