// The choice of a halo's transport. Each transport that is possible on all ranks is tested with
// known bytes; the fastest of those that deliver the right bytes is used. For src/halo only.
#pragma once

#include "halo/transport.h"

// Give `*transport` and its `*state` for this transfer. `requested` is the transport to use (NULL:
// choose one), the same on all ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_transport_choose(const sedge_transport **transport, void **state,
                                    const sedge_transfer *transfer,
                                    const sedge_transport *requested);
