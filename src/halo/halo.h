// The halo exchange of all solvers: each rank sends blocks of a buffer on its device to its peers,
// the ranks that it shares faces with, and receives their blocks in another buffer. How the blocks
// travel, the transport, is chosen when the halo is created.
//
//   staged  through pinned memory of the host and MPI; always possible
//   direct  MPI gets the device's addresses: on the host device always, on cuda where this MPI
//           says that it takes them, on opencl never
//   peer    the device writes into the other rank's memory, and streams wait for flags in it: on
//           cuda, with all ranks on one node. The host never waits, so a time step can be recorded
//           as a graph
//
// Where several transports are possible each is tried with known bytes. Of those that brought the
// right bytes all ranks take the one whose slowest rank is fastest. A transport that brings wrong
// bytes, or hangs, is not used, and the root prints a warning.
//
// Environment: SEDGE_TRANSPORT requests one (transport.h); rank 0's value counts.
//
// One exchange: the caller packs in a stream, calls start, does other work, calls finish. Work that
// is put into the stream after finish sees what was received. All ranks with peers make the same
// number of exchanges of their halos, in the same order.
#pragma once

#include "halo/transport.h"

typedef struct sedge_halo sedge_halo;

// Who exchanges what. Of each pair of ranks both name each other or none does; a pair may be
// one-sided, with no bytes in one direction.
typedef struct sedge_halo_plan {
    int peers;
    const int *ranks;               // [peers], all different, not this rank
    const int64_t *send_offsets;    // [peers + 1] bytes in `packed`: what is for peer i
    const int64_t *receive_offsets; // [peers + 1] bytes in `target`: where what peer i sends goes
    sedge_buffer *packed, *target;  // may be NULL without peers
} sedge_halo_plan;

// `ranks` and offsets are copied; comm, device and buffers are kept and must outlive the halo. What
// the ranges of the two buffers hold is lost. With one rank there is nothing to exchange.
// SEDGE_ERR_USAGE if the requested transport is not possible, with the reason, and for a bad
// SEDGE_TRANSPORT; SEDGE_ERR_COMPUTE if the requested transport brings wrong bytes;
// SEDGE_ERR_INTERNAL if the two ranks of a pair expect different sizes, or a range is outside its
// buffer. Collective. Freeing is collective, too, and follows when all work in streams is done.
SEDGE_MUST_USE
sedge_status sedge_halo_create(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                               const sedge_halo_plan *plan);
void sedge_halo_free(sedge_halo *halo);

// The same with a requested transport (NULL: none) and a way between devices of the caller's, not
// the environment's and the device's; `peer` NULL: there is none, for the reason `no_peer`.
SEDGE_MUST_USE
sedge_status sedge_halo_create_with(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                                    const sedge_halo_plan *plan, const sedge_transport *requested,
                                    const sedge_peer *peer, const char *no_peer);

// "staged", "direct", "peer", the same on all ranks; "none" with one rank, and of NULL.
const char *sedge_halo_transport(const sedge_halo *halo);

// Whether this rank has peers; false of NULL. Without, nothing below is called.
bool sedge_halo_has_peers(const sedge_halo *halo);

// Whether the host waits in an exchange: then it cannot be recorded in a graph. False without
// peers.
bool sedge_halo_waits(const sedge_halo *halo);

// Behind the packing in `stream`, which follows all work with what the last exchange brought. From
// here to the next work after finish the two ranges are the halo's. Not collective.
SEDGE_MUST_USE
sedge_status sedge_halo_start(sedge_halo *halo, sedge_stream *stream);

// While the host works between start and finish: lets messages move.
void sedge_halo_progress(sedge_halo *halo);

// In the same stream. Returns when the work is queued, and with staged and direct when messages
// have come. A peer that has failed is waited for: the caller ends the job.
SEDGE_MUST_USE
sedge_status sedge_halo_finish(sedge_halo *halo, sedge_stream *stream);

// Exchanges of the peer transport go by turns through two places, 0 and 1: that of the next one;
// 0 with the others. What is recorded in a graph keeps the places that it had, so a graph may only
// be launched where the place is that of its first exchange.
int sedge_halo_turn(const sedge_halo *halo);

// A graph with so many exchanges was launched. Of the peer transport only.
void sedge_halo_skip(sedge_halo *halo, int64_t exchanges);
