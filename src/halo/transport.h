// Transports: the ways in which the blocks of a halo exchange travel between ranks. Each is one
// file NAME_transport.c with one row in transport.c. The program asks here whether SEDGE_TRANSPORT
// is right; all else is for src/halo and its tests.
#pragma once

#include "device/peer.h"
#include "par/comm.h"

// What is exchanged between which places: the halo's plan, with copies of its lists. With one rank
// in all, or no peers, there is nothing.
typedef struct sedge_transfer {
    const sedge_comm *comm;
    sedge_device *device;
    const sedge_peer *peer; // how devices write into each other's memory; NULL: `no_peer` says why
    const char *no_peer;

    int peers;
    int *ranks;               // [peers]
    int64_t *send_offsets;    // [peers + 1]
    int64_t *receive_offsets; // [peers + 1]
    sedge_buffer *packed, *target;
} sedge_transfer;

// A way to exchange. Its state is made for one transfer, which outlives it.
typedef struct sedge_transport {
    const char *name;
    bool waits; // the host waits in start or finish

    // SEDGE_ERR_USAGE says why this rank cannot. Not collective.
    sedge_status (*possible)(const sedge_transfer *transfer);

    // Whether it is taken on request only, as another one is always better. NULL: no.
    bool (*on_request)(const sedge_transfer *transfer);

    // Whether it is right wherever it is possible, so that it needs no trial. NULL: no.
    bool (*certain)(const sedge_transfer *transfer);

    // Collective, with one status on all ranks. `free` is collective and takes NULL, too.
    sedge_status (*create)(void **out, const sedge_transfer *transfer);
    void (*free)(void *state);

    sedge_status (*start)(void *state, sedge_stream *stream);
    void (*progress)(void *state); // NULL: there is nothing to move
    sedge_status (*finish)(void *state, sedge_stream *stream);

    // Wait, in a trial, until all work of the stream is done; SEDGE_ERR_DEVICE where it does not
    // come to an end. Not collective.
    sedge_status (*settle)(void *state, sedge_stream *stream);

    int (*turn)(const void *state);               // NULL: always 0
    void (*skip)(void *state, int64_t exchanges); // NULL: never
} sedge_transport;

enum { SEDGE_TRANSPORTS = 3 };
extern const sedge_transport *const sedge_transports[SEDGE_TRANSPORTS];

// "auto, staged, direct or peer": what SEDGE_TRANSPORT may be. `size` bytes at most.
void sedge_transport_names(char *out, size_t size);

// The transport that the environment requests; NULL without SEDGE_TRANSPORT or with "auto".
// SEDGE_ERR_USAGE for an unknown name. Not collective.
SEDGE_MUST_USE
sedge_status sedge_transport_requested(const sedge_transport **out);
