#include "halo_case.h"

#include "check.h"

#include <stdlib.h>

uint32_t halo_random(uint32_t a, uint32_t b)
{
    uint32_t x = a * 0x9e3779b1u + b * 0x85ebca77u + 0x165667b1u;

    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return x ^ x >> 15;
}

bool halo_world_open(sedge_comm **comm, sedge_device **device)
{
    const char *const name = getenv("SEDGE_TEST_DEVICE");

    sedge_device_prepare_environment();
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(comm, NULL));
    CHECK_OK(sedge_comm_agree(*comm, sedge_device_create(device, name != NULL ? name : "host",
                                                         sedge_comm_node_rank(*comm),
                                                         sedge_comm_node_size(*comm))));
    CHECK(sedge_comm_size(*comm) <= CASE_RANKS);
    if (check_failures == 0) return true;
    halo_world_close(*comm, *device);
    return false;
}

void halo_world_close(sedge_comm *comm, sedge_device *device)
{
    sedge_device_free(device);
    sedge_device_stop_helper();
    sedge_comm_free(comm);
}

// Bytes from one rank to another; -1: they do not know each other.
static int64_t block(uint32_t seed, int from, int to, int64_t largest)
{
    const uint32_t low = (uint32_t)(from < to ? from : to);
    const uint32_t high = (uint32_t)(from < to ? to : from);
    const uint32_t pair = halo_random(halo_random(seed, low), high);
    const uint32_t mine = halo_random(halo_random(pair, (uint32_t)from), 7);

    if (pair % 5 == 0 && seed > 0) return -1;
    if (mine % 3 == 0 && seed > 0) return 0;
    return 1 + (int64_t)(mine / 3 % (uint32_t)largest);
}

void halo_case_create(halo_case *c, const sedge_comm *comm, sedge_device *device, uint32_t seed,
                      int64_t largest)
{
    const int me = sedge_comm_rank(comm);
    const int size = sedge_comm_size(comm);

    *c = (halo_case){.comm = comm, .device = device, .seed = seed};
    c->send_offsets[0] = halo_random(seed, 1) % 40;
    c->receive_offsets[0] = halo_random(seed, 2) % 40;
    for (int i = 0; i < size; i++) {
        const int rank = seed % 2 == 1 ? size - 1 - i : i;
        const int64_t bytes = block(seed, me, rank, largest);
        if (rank == me || bytes < 0) continue;
        c->ranks[c->peers] = rank;
        c->send_offsets[c->peers + 1] = c->send_offsets[c->peers] + bytes;
        c->receive_offsets[c->peers + 1] =
            c->receive_offsets[c->peers] + block(seed, rank, me, largest);
        c->peers++;
    }
    // Both ranks of a pair find the same.
    for (int k = 0; k < CASE_PARTS * c->peers; k++) {
        const int i = k % c->peers;
        const int64_t sent = c->send_offsets[i + 1] - c->send_offsets[i];
        const int64_t received = c->receive_offsets[i + 1] - c->receive_offsets[i];
        const int64_t least = sent < received ? sent : received;
        c->lengths[k] = least * (k / c->peers + (me + c->ranks[i]) % 2) / CASE_PARTS;
    }
    c->sent = c->send_offsets[c->peers] + 5;
    c->received = c->receive_offsets[c->peers] + 9;
    CHECK_OK(sedge_buffer_create(&c->packed, device, c->sent));
    CHECK_OK(sedge_buffer_create(&c->target, device, c->received));
}

void halo_case_clear(halo_case *c)
{
    sedge_buffer_free(c->packed);
    sedge_buffer_free(c->target);
}

sedge_halo_plan halo_case_plan(const halo_case *c)
{
    return (sedge_halo_plan){.peers = c->peers,
                             .ranks = c->ranks,
                             .send_offsets = c->send_offsets,
                             .receive_offsets = c->receive_offsets,
                             .packed = c->packed,
                             .target = c->target,
                             .parts = CASE_PARTS,
                             .lengths = c->lengths};
}

static void fill(unsigned char *out, int64_t bytes, uint32_t seed, uint32_t round, int from, int to)
{
    const uint32_t start = halo_random(halo_random(seed, round), (uint32_t)(from * 64 + to));

    for (int64_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(halo_random(start, (uint32_t)i) % 255 + 1);
}

void halo_case_send(const halo_case *c, unsigned char *out, uint32_t round)
{
    memset(out, 0xee, (size_t)c->sent);
    for (int i = 0; i < c->peers; i++) {
        fill(out + c->send_offsets[i], c->send_offsets[i + 1] - c->send_offsets[i], c->seed, round,
             sedge_comm_rank(c->comm), c->ranks[i]);
    }
}

void halo_case_expect(const halo_case *c, unsigned char *out, uint32_t round, int part)
{
    for (int i = 0; i < c->peers; i++) {
        const int64_t all = c->receive_offsets[i + 1] - c->receive_offsets[i];
        fill(out + c->receive_offsets[i], part < CASE_PARTS ? c->lengths[part * c->peers + i] : all,
             c->seed, round, c->ranks[i], sedge_comm_rank(c->comm));
    }
}
