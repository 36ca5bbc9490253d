// Random plans: pairs of ranks that exchange nothing, one way, or both, in blocks of any size, and
// the bytes that must come in each round.
#pragma once

#include "halo/halo.h"

extern const sedge_transport sedge_transport_peer;

enum { CASE_RANKS = 8, CASE_PARTS = 2 };

typedef struct halo_case {
    const sedge_comm *comm;
    sedge_device *device;
    uint32_t seed;
    int peers;
    int ranks[CASE_RANKS];
    int64_t send_offsets[CASE_RANKS + 1]; // behind and before the blocks, too, there are bytes
    int64_t receive_offsets[CASE_RANKS + 1];
    int64_t lengths[CASE_PARTS * CASE_RANKS]; // of parts, [CASE_PARTS][peers]
    int64_t sent, received;                   // bytes of the buffers
    sedge_buffer *packed, *target;
} halo_case;

// The helper process, MPI and the device that SEDGE_TEST_DEVICE names ("host" without it).
// Collective. False: the test has failed.
bool halo_world_open(sedge_comm **comm, sedge_device **device);
void halo_world_close(sedge_comm *comm, sedge_device *device);

// A plan of all ranks that follows from the seed. `largest`: bytes of a block at most.
void halo_case_create(halo_case *c, const sedge_comm *comm, sedge_device *device, uint32_t seed,
                      int64_t largest);
void halo_case_clear(halo_case *c);
sedge_halo_plan halo_case_plan(const halo_case *c);

// What `packed` holds in a round, [sent]. `out` [received], zero before the first round, becomes
// what `target` must hold after an exchange of `part` (CASE_PARTS: all).
void halo_case_send(const halo_case *c, unsigned char *out, uint32_t round);
void halo_case_expect(const halo_case *c, unsigned char *out, uint32_t round, int part);

// A number that follows from two others.
uint32_t halo_random(uint32_t a, uint32_t b);
