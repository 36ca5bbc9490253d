// The peer transport's protocol without a GPU: places used by turns, flags, pairs of which one side
// has nothing to send, graphs that are launched again and again. Ranks' queues run ahead of the
// callers and of each other, with random pauses; no flag may be lost, no byte overwritten too soon.
#include "check.h"
#include "fake_peer.h"
#include "halo_case.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ROUNDS = 400, STEPS = 60, STAGES = 5, SEEDS = 6 };

// What the queue packs and looks at, round by round.
typedef struct player {
    const halo_case *c;
    uint32_t packed_rounds, seen_rounds;
    unsigned char *expected;
    int wrong;
} player;

static void pack(void *argument)
{
    player *const p = argument;
    unsigned char *const packed = (unsigned char *)(uintptr_t)sedge_buffer_address(p->c->packed);

    halo_case_send(p->c, packed, p->packed_rounds++);
}

static void look(void *argument)
{
    player *const p = argument;
    const void *const target = (const void *)(uintptr_t)sedge_buffer_address(p->c->target);

    halo_case_expect(p->c, p->expected, p->seen_rounds++);
    p->wrong += memcmp(target, p->expected, (size_t)p->c->received) != 0;
}

static void begin(player *p, sedge_halo **halo, halo_case *c, const sedge_comm *comm,
                  sedge_device *device, uint32_t seed)
{
    halo_case_create(c, comm, device, seed, 500);
    const sedge_halo_plan plan = halo_case_plan(c);
    CHECK_OK(
        sedge_halo_create_with(halo, comm, device, &plan, &sedge_transport_peer, &fake_peer, NULL));
    *p = (player){.c = c};
    CHECK_OK(sedge_allocate(&p->expected, c->received, 1));
    // A trial came before.
    CHECK_OK(sedge_buffer_upload(c->target, 0, p->expected, c->received, NULL));
}

static void end(player *p, sedge_halo *halo, halo_case *c)
{
    fake_wait();
    CHECK(p->wrong == 0);
    CHECK(fake_lost() == 0);
    sedge_halo_free(halo);
    sedge_release(p->expected);
    halo_case_clear(c);
}

static void exchange(player *p, sedge_halo *halo, sedge_stream *stream)
{
    fake_call(pack, p);
    CHECK_OK(sedge_halo_start(halo, stream));
    CHECK_OK(sedge_halo_finish(halo, stream));
    fake_call(look, p);
}

static void test_rounds(const sedge_comm *comm, sedge_device *device, sedge_stream *stream,
                        uint32_t seed)
{
    sedge_halo *halo = NULL;
    halo_case c;
    player p;

    begin(&p, &halo, &c, comm, device, seed);
    if (halo == NULL) return;
    CHECK(strcmp(sedge_halo_transport(halo), "peer") == 0 && !sedge_halo_waits(halo));
    const int first = sedge_halo_turn(halo);
    int turns = 0;
    for (int i = 0; i < ROUNDS && c.peers > 0; i++) {
        turns += sedge_halo_turn(halo) == (first + i) % 2;
        exchange(&p, halo, stream);
    }
    CHECK(turns == (c.peers > 0 ? ROUNDS : 0));
    end(&p, halo, &c);
    CHECK(p.seen_rounds == (c.peers > 0 ? ROUNDS : 0));
}

// As the operator does with its steps: an odd number of exchanges each, recorded once for either
// turn, and then launched; some run singly in between.
static void test_graphs(const sedge_comm *comm, sedge_device *device, sedge_stream *stream,
                        uint32_t seed)
{
    fake_graph *graphs[2] = {NULL};
    sedge_halo *halo = NULL;
    halo_case c;
    player p;

    begin(&p, &halo, &c, comm, device, seed);
    if (halo == NULL) return;
    const int first = sedge_halo_turn(halo);
    int turns = 0;
    for (int step = 0; step < STEPS && c.peers > 0; step++) {
        const int turn = sedge_halo_turn(halo);
        turns += turn == (first + step) % 2;
        if (step % 7 == 6) {
            for (int i = 0; i < STAGES; i++) exchange(&p, halo, stream);
            continue;
        }
        if (graphs[turn] != NULL) {
            sedge_halo_skip(halo, STAGES);
        } else {
            fake_record_begin();
            for (int i = 0; i < STAGES; i++) exchange(&p, halo, stream);
            graphs[turn] = fake_record_end();
        }
        fake_launch(graphs[turn]);
    }
    CHECK(turns == (c.peers > 0 ? STEPS : 0));
    end(&p, halo, &c);
    CHECK(p.seen_rounds == (c.peers > 0 ? STEPS * STAGES : 0));
    for (int i = 0; i < 2; i++) fake_graph_free(graphs[i]);
}

int main(void)
{
    sedge_comm *comm = NULL;
    sedge_device *device = NULL;
    sedge_stream *stream = NULL;

    if (!halo_world_open(&comm, &device)) return CHECK_END();
    fake_start((uint32_t)sedge_comm_rank(comm));
    CHECK_OK(sedge_stream_create(&stream, device, false));
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        test_rounds(comm, device, stream, seed);
        test_graphs(comm, device, stream, seed);
    }
    sedge_stream_free(stream);
    fake_stop();
    halo_world_close(comm, device);
    return CHECK_END();
}
