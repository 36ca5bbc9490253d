// The peer transport's protocol without a GPU: places used by turns, flags, pairs of which one side
// has nothing to send, graphs that are launched again and again, by copies and by stores of the
// caller. Ranks' queues run ahead of the
// callers and of each other, with random pauses; no flag may be lost, no byte overwritten too soon.
#include "check.h"
#include "fake_peer.h"
#include "halo_case.h"
#include "sampled.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ROUNDS = 200, STEPS = 30, STAGES = 5, SEEDS = 6 };

// What the queue packs and looks at, round by round.
typedef struct player {
    const halo_case *c;
    const sedge_halo *halo;
    int first; // its turn in round 0
    uint32_t packed_rounds, seen_rounds;
    unsigned char *packed, *expected; // for the round
    uint64_t inlet[2];                // by turn, where ranks store into each other's memory
    int wrong;
    bool by_parts; // rounds are of parts by turns, else of all
} player;

// The queue's own turn: it is behind the callers'.
static int turn_of(const player *p, uint32_t round)
{
    return (p->first + (int)(round % 2)) % 2;
}

static int part_of(const player *p, uint32_t round)
{
    return p->by_parts ? (int)(round % STAGES % (CASE_PARTS + 1)) : CASE_PARTS;
}

static void pack(void *argument)
{
    player *const p = argument;
    const halo_case *const c = p->c;
    unsigned char *const packed = (unsigned char *)(uintptr_t)sedge_buffer_address(c->packed);
    const int turn = turn_of(p, p->packed_rounds);

    if (!sedge_halo_stores(p->halo)) {
        halo_case_send(c, packed, p->packed_rounds++);
        return;
    }
    halo_case_send(c, p->packed, p->packed_rounds++);
    for (int i = 0; i < c->peers; i++) {
        memcpy((void *)(uintptr_t)sedge_halo_outlet(p->halo, i, turn),
               p->packed + c->send_offsets[i],
               (size_t)(c->send_offsets[i + 1] - c->send_offsets[i]));
    }
}

static void look(void *argument)
{
    player *const p = argument;
    const uint64_t seen = sedge_halo_stores(p->halo) ? p->inlet[turn_of(p, p->seen_rounds)]
                                                     : sedge_buffer_address(p->c->target);

    halo_case_expect(p->c, p->expected, p->seen_rounds, part_of(p, p->seen_rounds));
    p->seen_rounds++;
    p->wrong += memcmp((const void *)(uintptr_t)seen, p->expected, (size_t)p->c->received) != 0;
}

static void begin(player *p, sedge_halo **halo, halo_case *c, const sedge_comm *comm,
                  sedge_device *device, uint32_t seed, bool stores)
{
    halo_case_create(c, comm, device, seed, 500);
    sedge_halo_plan plan = halo_case_plan(c);
    plan.stores = stores;
    CHECK_OK(
        sedge_halo_create_with(halo, comm, device, &plan, &sedge_transport_peer, &fake_peer, NULL));
    *p = (player){.c = c, .halo = *halo};
    if (*halo == NULL) return;
    CHECK(sedge_halo_stores(*halo) == (stores && c->peers > 0));
    p->first = sedge_halo_turn(*halo);
    CHECK_OK(sedge_allocate(&p->packed, c->sent, 1));
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
    sedge_release(p->packed);
    sedge_release(p->expected);
    halo_case_clear(c);
}

static void exchange(player *p, sedge_halo *halo, sedge_stream *stream, uint32_t round)
{
    const int turn = sedge_halo_turn(halo);

    fake_call(pack, p);
    if (sedge_halo_stores(halo)) {
        CHECK_OK(sedge_halo_tell(halo, stream));
        p->inlet[turn] = sedge_halo_inlet(halo);
        CHECK_OK(sedge_halo_await(halo, stream));
    } else {
        CHECK_OK(sedge_halo_start_part(halo, part_of(p, round), stream));
        CHECK_OK(sedge_halo_finish(halo, stream));
    }
    fake_call(look, p);
}

static void test_rounds(const sedge_comm *comm, sedge_device *device, sedge_stream *stream,
                        uint32_t seed, bool stores)
{
    sedge_halo *halo = NULL;
    halo_case c;
    player p;

    begin(&p, &halo, &c, comm, device, seed, stores);
    if (halo == NULL) return;
    CHECK(strcmp(sedge_halo_transport(halo), "peer") == 0 && !sedge_halo_waits(halo));
    const int first = sedge_halo_turn(halo);
    p.by_parts = !stores;
    int turns = 0;
    for (int i = 0; i < ROUNDS && c.peers > 0; i++) {
        turns += sedge_halo_turn(halo) == (first + i) % 2;
        exchange(&p, halo, stream, (uint32_t)i);
    }
    CHECK(turns == (c.peers > 0 ? ROUNDS : 0));
    end(&p, halo, &c);
    CHECK(p.seen_rounds == (c.peers > 0 ? ROUNDS : 0));
}

// As the operator does with its steps: an odd number of exchanges each, recorded once for either
// turn, and then launched; some run singly in between.
static void test_graphs(const sedge_comm *comm, sedge_device *device, sedge_stream *stream,
                        uint32_t seed, bool stores)
{
    fake_graph *graphs[2] = {NULL};
    sedge_halo *halo = NULL;
    halo_case c;
    player p;

    begin(&p, &halo, &c, comm, device, seed, stores);
    if (halo == NULL) return;
    const int first = sedge_halo_turn(halo);
    p.by_parts = !stores;
    int turns = 0;
    for (int step = 0; step < STEPS && c.peers > 0; step++) {
        const int turn = sedge_halo_turn(halo);
        turns += turn == (first + step) % 2;
        if (step % 7 == 6) {
            for (int i = 0; i < STAGES; i++) exchange(&p, halo, stream, (uint32_t)i);
            continue;
        }
        if (graphs[turn] != NULL) {
            sedge_halo_skip(halo, STAGES);
        } else {
            fake_record_begin();
            for (int i = 0; i < STAGES; i++) exchange(&p, halo, stream, (uint32_t)i);
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
    for (uint32_t seed = 0; seed < (test_is_small() ? 2 : SEEDS); seed++) {
        for (int stores = 0; stores < 2; stores++) {
            test_rounds(comm, device, stream, seed, stores == 1);
            test_graphs(comm, device, stream, seed, stores == 1);
        }
    }
    sedge_stream_free(stream);
    fake_stop();
    halo_world_close(comm, device);
    return CHECK_END();
}
