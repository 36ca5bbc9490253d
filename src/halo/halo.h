// The halo exchange of all solvers: each rank sends blocks of a buffer on its device to its peers,
// the ranks that it shares faces with, and receives their blocks in another buffer. How the blocks
// travel, the transport, is chosen when the halo is created.
//
//   staged  through pinned memory of the host and MPI; always possible
//   direct  MPI gets device addresses: always possible on the host device, on cuda if this MPI
//           reports that it accepts them, never on opencl
//   peer    the device writes into the other rank's memory, and streams wait for flags in it: on
//           cuda, with all ranks on one node. The host never waits, so a time step can be recorded
//           as a graph. The caller's kernels may do it themselves (sedge_halo_stores)
//
// If several transports are possible, each is tested with known bytes. All ranks use the same one:
// among those that delivered the right bytes, the transport with the shortest time on its slowest
// rank. A transport that delivers wrong bytes or hangs is not used, and the root prints a warning.
//
// Environment: SEDGE_TRANSPORT requests one (transport.h); rank 0's value counts.
//
// One exchange: the caller packs in a stream, calls start, does other work, calls finish. Work that
// is queued in the stream after finish sees the received data. All ranks with peers make the same
// number of exchanges of their halos, in the same order, and of the same parts.
#pragma once

#include "halo/transport.h"

typedef struct sedge_halo sedge_halo;

// Who exchanges what. If one rank lists another as a peer, the other must list it, too. A pair may
// send in one direction only.
typedef struct sedge_halo_plan {
    int peers;
    const int *ranks;               // [peers], all different, not this rank
    const int64_t *send_offsets;    // [peers + 1] bytes in `packed`: what is for peer i
    const int64_t *receive_offsets; // [peers + 1] bytes in `target`: where what peer i sends goes
    sedge_buffer *packed, *target;  // may be NULL without peers
    int parts; // prefixes of the blocks that an exchange can be of, beside all; 0 if there are none
    const int64_t *lengths; // [parts][peers] bytes of each block, sent and received
    bool stores; // kernels can store into other ranks' memory (sedge_halo_stores); all ranks agree
} sedge_halo_plan;

// `ranks`, offsets and lengths are copied; comm, device and buffers are kept and must outlive the
// halo. The contents of the two buffers' ranges are overwritten. With one rank there is nothing to
// exchange. SEDGE_ERR_USAGE if the requested transport is not possible, with the reason, and for a
// bad SEDGE_TRANSPORT; SEDGE_ERR_COMPUTE if the requested transport brings wrong bytes;
// SEDGE_ERR_INTERNAL if the two ranks of a pair expect different sizes, a range is outside its
// buffer, or a length is more than its blocks have. Collective. Freeing is collective, too; all
// work in streams must be done before.
SEDGE_MUST_USE
sedge_status sedge_halo_create(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                               const sedge_halo_plan *plan);
void sedge_halo_free(sedge_halo *halo);

// Create a halo with the transport `requested` (NULL: choose one) instead of the environment's, and
// with the peer operations `peer` instead of the device's. If `peer` is NULL, `no_peer` is the
// reason why there are none.
SEDGE_MUST_USE
sedge_status sedge_halo_create_with(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                                    const sedge_halo_plan *plan, const sedge_transport *requested,
                                    const sedge_peer *peer, const char *no_peer);

// "staged", "direct" or "peer", the same on all ranks; "none" with one rank or if `halo` is NULL.
const char *sedge_halo_transport(const sedge_halo *halo);

// Whether this rank has peers; false if `halo` is NULL. Without peers the functions below are not
// called.
bool sedge_halo_has_peers(const sedge_halo *halo);

// Whether the host waits during an exchange; such an exchange cannot be recorded in a graph. False
// without peers.
bool sedge_halo_waits(const sedge_halo *halo);

// Start an exchange. In `stream` the call follows the packing; the packing follows all work that
// reads the data of the last exchange. Between start and finish the caller must not touch the two
// buffers' ranges. Not collective.
SEDGE_MUST_USE
sedge_status sedge_halo_start(sedge_halo *halo, sedge_stream *stream);

// The same for a part of the plan: the first bytes of each block, by its lengths. The rest of what
// was received before stays as it is.
SEDGE_MUST_USE
sedge_status sedge_halo_start_part(sedge_halo *halo, int part, sedge_stream *stream);

// Let MPI make progress. Call this while the host works between start and finish.
void sedge_halo_progress(sedge_halo *halo);

// Finish the exchange, in the same stream. The peer transport returns when the work is queued;
// staged and direct return when the messages have arrived. If a peer has failed, this waits for
// ever, so the caller of that peer must end the job.
SEDGE_MUST_USE
sedge_status sedge_halo_finish(sedge_halo *halo, sedge_stream *stream);

// ---- without copies ----------------------------------------------------------------------------
//
// With the peer transport the kernel that packs can store straight into the memory of the other
// ranks, and later kernels read what came where it came. Instead of start and finish, then, and in
// the same places: tell, behind the kernel that stores, and await. `packed` and `target` are not
// touched. What comes has two places, used by turns; each is as large as `target`, and what a rank
// receives is where it would be in `target`; the rest of a place is the caller's, zero at first.

// Whether these may be called: the plan says that the caller can, and the transport is able to. The
// same on all ranks with peers.
bool sedge_halo_stores(const sedge_halo *halo);

// The device's address where what is for peer `i` goes in an exchange at `turn` (sedge_halo_turn).
uint64_t sedge_halo_outlet(const sedge_halo *halo, int i, int turn);

// The address of the flag, 4 bytes, that the kernel sets to 1 at peer `i` in an exchange at `turn`
// when all that it stored is there; 0: sedge_halo_tell does it.
uint64_t sedge_halo_flag(const sedge_halo *halo, int i, int turn);

// The address of the place of the exchange that was started last. It is the caller's until it
// starts the next exchange.
uint64_t sedge_halo_inlet(const sedge_halo *halo);

// In `stream` the call follows the kernel that stored; nobody waits. Not collective.
SEDGE_MUST_USE
sedge_status sedge_halo_tell(sedge_halo *halo, sedge_stream *stream);

// Work that is queued in the stream later sees what the peers stored. Not collective.
SEDGE_MUST_USE
sedge_status sedge_halo_await(sedge_halo *halo, sedge_stream *stream);

// ---- graphs ------------------------------------------------------------------------------------

// The peer transport uses two buffers in turn, 0 and 1. Returns the buffer of the next exchange; 0
// for other transports. A graph always uses the buffers of its recording, so it may only be
// launched when this function returns the same number as before the recording.
int sedge_halo_turn(const sedge_halo *halo);

// Tell the halo that a graph with `exchanges` exchanges was launched. For the peer transport only.
void sedge_halo_skip(sedge_halo *halo, int64_t exchanges);
