// Transports: the ways in which the blocks of a halo exchange travel between ranks. Each is one
// file NAME_transport.c with one row in transport.c. Other code uses only sedge_transport_requested
// and sedge_transport_names, to check and to explain SEDGE_TRANSPORT; everything else is for
// src/halo and its tests.
#pragma once

#include "device/peer.h"
#include "par/comm.h"

// The data of an exchange: the halo's plan, with copies of its lists.
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
    int parts;        // as in the plan, and one more that has all
    int64_t *lengths; // [parts - 1][peers]
    bool stores;      // as in the plan
} sedge_transfer;

// The lengths of a part, as sedge_exchange_create takes them; NULL: all.
const int64_t *sedge_transfer_lengths(const sedge_transfer *transfer, int part);

// Consecutive bytes of a buffer.
typedef struct sedge_piece {
    int64_t first, bytes;
} sedge_piece;

// How many pieces a part has, and piece `i` by the offsets of what is sent or received: all blocks
// together, or a length of each, some of them 0.
int sedge_transfer_pieces(const sedge_transfer *transfer, int part);
sedge_piece sedge_transfer_piece(const sedge_transfer *transfer, int part, const int64_t *offsets,
                                 int i);

// One transport. Its state is made for one transfer, which must outlive the state.
typedef struct sedge_transport {
    const char *name;
    bool waits; // the host waits in start or finish

    // SEDGE_ERR_USAGE with the reason if this rank cannot use the transport. Not collective.
    sedge_status (*possible)(const sedge_transfer *transfer);

    // Whether it is used on request only, because another one is always better. NULL: no.
    bool (*on_request)(const sedge_transfer *transfer);

    // Whether it needs no test, because it always works where it is possible. NULL: no.
    bool (*certain)(const sedge_transfer *transfer);

    // Collective, with one status on all ranks. `free` is collective and takes NULL, too.
    sedge_status (*create)(void **out, const sedge_transfer *transfer);
    void (*free)(void *state);

    sedge_status (*start)(void *state, int part, sedge_stream *stream);
    void (*progress)(void *state, int part); // NULL: there is nothing to move
    sedge_status (*finish)(void *state, int part, sedge_stream *stream);

    // In a test of the transport: wait until all work of the stream is done; SEDGE_ERR_DEVICE if it
    // does not end in time. Not collective.
    sedge_status (*settle)(void *state, sedge_stream *stream);

    // As sedge_halo_outlet, _inlet, _flag, _tell and _await; all NULL: kernels cannot store into
    // the memory of other ranks.
    uint64_t (*outlet)(const void *state, int i, int turn);
    uint64_t (*inlet)(const void *state);
    uint64_t (*flag)(const void *state, int i, int turn);
    sedge_status (*tell)(void *state, sedge_stream *stream);
    sedge_status (*await)(void *state, sedge_stream *stream);

    int (*turn)(const void *state);               // NULL: always 0
    void (*skip)(void *state, int64_t exchanges); // NULL: never
} sedge_transport;

enum { SEDGE_TRANSPORTS = 3 };
extern const sedge_transport *const sedge_transports[SEDGE_TRANSPORTS];

// "auto, staged, direct or peer": what SEDGE_TRANSPORT may be. `size` bytes at most.
void sedge_transport_names(char *out, size_t size);

// The transport that SEDGE_TRANSPORT requests; NULL if that is not set or "auto". SEDGE_ERR_USAGE
// for an unknown name. Not collective.
SEDGE_MUST_USE
sedge_status sedge_transport_requested(const sedge_transport **out);
