// The halo exchange of all solvers: each rank sends blocks of a buffer on its device to its peers,
// and gets blocks of theirs into another one. How they travel is chosen when the halo is made.
//
//   staged  through pinned memory of the host and MPI; always possible
//   direct  MPI takes the device's addresses: on the host device always, on cuda where this MPI
//           says that it can, on opencl never
//   peer    the device writes into the other rank's memory, and streams wait for flags in it; cuda,
//           all ranks on one node. The host waits for nothing: a step can be recorded as a graph
//
// Where several are possible each is tried with known bytes; of those that brought the right ones
// all ranks take the one whose slowest rank is fastest. One that was tried and is wrong, or does
// not come to an end, is not used, and the root says so on stderr.
//
// Environment: SEDGE_TRANSPORT, one of SEDGE_TRANSPORTS; rank 0's counts.
//
// One exchange: the caller packs in a stream, start, other work, finish. Work put into the stream
// after finish sees what came. All ranks with peers make their exchanges in the same order and
// number.
#pragma once

#include "device/device.h"
#include "par/comm.h"

typedef struct sedge_halo sedge_halo;

#define SEDGE_TRANSPORTS "auto, staged, direct or peer"

typedef enum sedge_transport {
    SEDGE_TRANSPORT_AUTO,
    SEDGE_TRANSPORT_STAGED,
    SEDGE_TRANSPORT_DIRECT,
    SEDGE_TRANSPORT_PEER
} sedge_transport;

// What SEDGE_TRANSPORT wants; auto without it. SEDGE_ERR_USAGE for another value. Not collective.
SEDGE_MUST_USE
sedge_status sedge_transport_wanted(sedge_transport *out);

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
// the ranges of the two buffers hold is lost. With one rank, or NULL, there is nothing to exchange.
// SEDGE_ERR_USAGE for a transport that is wanted and not possible, with the reason, and for a bad
// SEDGE_TRANSPORT; SEDGE_ERR_COMPUTE for one that is wanted and wrong; SEDGE_ERR_INTERNAL where two
// ranks do not mean the same sizes, or a range is outside its buffer. Collective, and so is
// freeing, before which all work that this rank has put into streams is done.
SEDGE_MUST_USE
sedge_status sedge_halo_create(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                               const sedge_halo_plan *plan);
void sedge_halo_free(sedge_halo *halo);

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
