// Inside the halo: its transports. For src/halo/*.c and the halo's tests only.
#pragma once

#include "halo/halo.h"

#include "device/peer.h"

// Seconds that a trial gives the peers' flags to come: what takes longer does not work here.
#define HALO_PATIENCE 5.0

// One way to exchange. State is made for a halo, which outlives it.
typedef struct halo_transport {
    const char *name;
    bool waits; // of the host, in start or finish

    // SEDGE_ERR_USAGE says why this rank cannot. Not collective.
    sedge_status (*possible)(const sedge_halo *halo);

    // Collective, and agreed on; so is free, of NULL as well.
    sedge_status (*create)(void **out, const sedge_halo *halo);
    void (*free)(void *state);

    sedge_status (*start)(void *state, sedge_stream *stream);
    void (*progress)(void *state); // NULL: there is nothing to move
    sedge_status (*finish)(void *state, sedge_stream *stream);

    // Until all work of the stream is done, in a trial; SEDGE_ERR_DEVICE where it does not come to
    // an end. Not collective.
    sedge_status (*settle)(void *state, sedge_stream *stream);

    int (*turn)(const void *state);               // NULL: always 0
    void (*skip)(void *state, int64_t exchanges); // NULL: never
} halo_transport;

extern const halo_transport halo_staged, halo_direct, halo_by_peer;

struct sedge_halo {
    const sedge_comm *comm;
    sedge_device *device;
    const sedge_peer *peer; // NULL: `no_peer` says why
    const char *no_peer;

    int peers;
    int *ranks;               // [peers]
    int64_t *send_offsets;    // [peers + 1]
    int64_t *receive_offsets; // [peers + 1]
    sedge_buffer *packed, *target;

    const halo_transport *transport; // NULL: not chosen yet, or one rank
    void *state;
    bool is_under_way; // between start and finish
};

// As sedge_halo_create, with `wanted` and `peer` instead of the environment's and the device's;
// `peer` NULL: there is none, because of `no_peer`.
SEDGE_MUST_USE
sedge_status halo_create(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                         const sedge_halo_plan *plan, sedge_transport wanted,
                         const sedge_peer *peer, const char *no_peer);

// ---- halo_choose.c -----------------------------------------------------------------------------

// Make halo->transport and halo->state, as is wanted. Collective; wanted is the same on all ranks.
SEDGE_MUST_USE
sedge_status halo_choose(sedge_halo *halo, sedge_transport wanted);
