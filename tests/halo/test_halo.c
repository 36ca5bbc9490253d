// Each transport that is possible here brings the right bytes, all or parts, in many rounds that
// are queued without the host waiting in between; those that are not say why.
#define _DEFAULT_SOURCE // setenv
#include "check.h"
#include "halo_case.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ROUNDS = 13, SEEDS = 6 };

typedef struct rounds {
    unsigned char *sent, *received; // pinned, [ROUNDS][bytes of the buffer]
    unsigned char *expected;        // [bytes of the buffer]
} rounds;

static void make_rounds(rounds *r, const halo_case *c)
{
    CHECK_OK(sedge_pinned_allocate(&r->sent, c->device, ROUNDS * c->sent));
    CHECK_OK(sedge_pinned_allocate(&r->received, c->device, ROUNDS * c->received));
    CHECK_OK(sedge_allocate(&r->expected, c->received, 1));
    for (int i = 0; i < ROUNDS; i++) halo_case_send(c, r->sent + i * c->sent, (uint32_t)i);
}

static void free_rounds(rounds *r, const halo_case *c)
{
    sedge_pinned_release(c->device, r->sent);
    sedge_pinned_release(c->device, r->received);
    sedge_release(r->expected);
}

// The buffer that receives is cleared first: a trial has written there.
static void run_rounds(const halo_case *c, sedge_halo *halo)
{
    sedge_stream *stream = NULL;
    rounds r;

    make_rounds(&r, c);
    CHECK_OK(sedge_stream_create(&stream, c->device, false));
    CHECK_OK(sedge_buffer_upload(c->target, 0, r.received, c->received, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(sedge_buffer_upload(c->packed, 0, r.sent + i * c->sent, c->sent, stream));
        if (sedge_halo_has_peers(halo)) {
            CHECK_OK(i % 3 == CASE_PARTS ? sedge_halo_start(halo, stream)
                                         : sedge_halo_start_part(halo, i % 3, stream));
            sedge_halo_progress(halo);
            CHECK_OK(sedge_halo_finish(halo, stream));
        }
        CHECK_OK(
            sedge_buffer_download(c->target, 0, r.received + i * c->received, c->received, stream));
    }
    CHECK_OK(sedge_stream_wait(stream));
    for (int i = 0; i < ROUNDS; i++) {
        halo_case_expect(c, r.expected, (uint32_t)i, i % 3);
        CHECK(memcmp(r.received + i * c->received, r.expected, (size_t)c->received) == 0);
    }
    free_rounds(&r, c);
    sedge_stream_free(stream);
}

// Why a transport is not possible on this kind of device; NULL: it is.
static const char *refusal(const sedge_device *device, const char *transport)
{
    const sedge_device_kind kind = sedge_device_get_info(device)->kind;

    if (strcmp(transport, "direct") == 0 && kind == SEDGE_DEVICE_OPENCL)
        return "no MPI takes memory of device 'opencl'";
    if (strcmp(transport, "direct") == 0 && kind == SEDGE_DEVICE_CUDA &&
        !sedge_comm_takes_device_memory())
        return "this MPI does not take addresses of a GPU's memory";
    if (strcmp(transport, "peer") == 0 && kind != SEDGE_DEVICE_CUDA)
        return "no other process can open this device's memory";
    return NULL;
}

static void test_transport(const sedge_comm *comm, sedge_device *device, const char *transport,
                           uint32_t seed, int64_t largest)
{
    const char *const why = refusal(device, transport);
    sedge_halo *halo = NULL;
    halo_case c;

    halo_case_create(&c, comm, device, seed, largest);
    const sedge_halo_plan plan = halo_case_plan(&c);
    CHECK(setenv("SEDGE_TRANSPORT", transport, 1) == 0);
    if (why != NULL && sedge_comm_size(comm) > 1) {
        CHECK_FAILS(sedge_halo_create(&halo, comm, device, &plan), SEDGE_ERR_USAGE, why);
        CHECK(halo == NULL && strstr(sedge_error_message(), transport) != NULL);
    } else {
        CHECK_OK(sedge_halo_create(&halo, comm, device, &plan));
        if (halo != NULL && strcmp(transport, "auto") != 0 && sedge_comm_size(comm) > 1)
            CHECK(strcmp(sedge_halo_transport(halo), transport) == 0);
        CHECK(sedge_halo_has_peers(halo) == (c.peers > 0));
        CHECK(sedge_halo_waits(halo) ==
              (c.peers > 0 && strcmp(sedge_halo_transport(halo), "peer") != 0));
        if (halo != NULL) run_rounds(&c, halo);
    }
    sedge_halo_free(halo);
    halo_case_clear(&c);
}

static void test_auto(const sedge_comm *comm, sedge_device *device)
{
    const sedge_halo_plan nothing = {.peers = 0};
    sedge_halo *halo = NULL;

    CHECK(unsetenv("SEDGE_TRANSPORT") == 0);
    CHECK_OK(sedge_halo_create(&halo, comm, device, &nothing));
    const char *const name = sedge_halo_transport(halo);
    if (sedge_comm_size(comm) == 1) CHECK(strcmp(name, "none") == 0);
    if (sedge_comm_size(comm) > 1 && sedge_device_get_info(device)->kind == SEDGE_DEVICE_HOST)
        CHECK(strcmp(name, "direct") == 0);
    CHECK(!sedge_halo_has_peers(halo) && !sedge_halo_waits(halo) && sedge_halo_turn(halo) == 0);
    sedge_halo_free(halo);
    CHECK(strcmp(sedge_halo_transport(NULL), "none") == 0 && !sedge_halo_has_peers(NULL));
}

static void test_unknown(const sedge_comm *comm, sedge_device *device)
{
    const sedge_halo_plan nothing = {.peers = 0};
    sedge_halo *halo = NULL;

    CHECK(setenv("SEDGE_TRANSPORT", "pigeon", 1) == 0);
    CHECK_FAILS(sedge_halo_create(&halo, comm, device, &nothing), SEDGE_ERR_USAGE,
                "SEDGE_TRANSPORT='pigeon' is no transport: auto, staged, direct or peer");
    CHECK(halo == NULL);
}

// Both sides of a pair must mean the same, and blocks lie in their buffers.
static void test_plans(const sedge_comm *comm, sedge_device *device)
{
    const int last = sedge_comm_size(comm) - 1;
    sedge_halo *halo = NULL;
    halo_case c;

    CHECK(setenv("SEDGE_TRANSPORT", "staged", 1) == 0);
    halo_case_create(&c, comm, device, 0, 100);
    const sedge_halo_plan plan = halo_case_plan(&c);
    c.send_offsets[c.peers] += sedge_comm_rank(comm) == last ? 3 : 0;
    CHECK_FAILS(sedge_halo_create(&halo, comm, device, &plan), SEDGE_ERR_INTERNAL,
                "which expects ");
    c.send_offsets[c.peers] += sedge_comm_rank(comm) == last ? 100 : 0;
    CHECK_FAILS(sedge_halo_create(&halo, comm, device, &plan), SEDGE_ERR_INTERNAL, "that are sent");
    c.send_offsets[c.peers] -= sedge_comm_rank(comm) == last ? 103 : 0;
    c.lengths[0] += sedge_comm_rank(comm) == last ? 10000 : 0;
    CHECK_FAILS(sedge_halo_create(&halo, comm, device, &plan), SEDGE_ERR_INTERNAL, "a part of ");
    c.lengths[0] -= sedge_comm_rank(comm) == last ? 10000 : 0;
    c.peers -= sedge_comm_rank(comm) == last ? 1 : 0;
    sedge_halo_plan less = halo_case_plan(&c);
    less.parts = 0;
    CHECK_FAILS(sedge_halo_create(&halo, comm, device, &less), SEDGE_ERR_INTERNAL, "(-1: none)");
    CHECK(halo == NULL);
    halo_case_clear(&c);
}

int main(void)
{
    sedge_comm *comm = NULL;
    sedge_device *device = NULL;

    if (!halo_world_open(&comm, &device)) return CHECK_END();
    for (int t = -1; t < SEDGE_TRANSPORTS; t++) {
        const char *const name = t < 0 ? "auto" : sedge_transports[t]->name;
        for (uint32_t seed = 0; seed < SEEDS; seed++)
            test_transport(comm, device, name, seed, seed == 3 ? 200000 : 300);
    }
    test_auto(comm, device);
    test_unknown(comm, device);
    if (sedge_comm_size(comm) > 1) test_plans(comm, device);
    halo_world_close(comm, device);
    return CHECK_END();
}
