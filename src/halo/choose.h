// Which transport a halo uses: each that is possible on all ranks is tried with known bytes, and of
// those that bring the right ones the fastest is taken. For src/halo only.
#pragma once

#include "halo/transport.h"

// `*transport` and its `*state` for this transfer: the requested transport, or with NULL the one
// that is chosen. Collective; `requested` is the same on all ranks.
SEDGE_MUST_USE
sedge_status sedge_transport_choose(const sedge_transport **transport, void **state,
                                    const sedge_transfer *transfer,
                                    const sedge_transport *requested);
