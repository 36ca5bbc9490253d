// However traces travel, the operator gives the same bits: each transport that is possible here,
// and with the peer transport steps that are launched as graphs and kernel by kernel. Some steps
// are timed in between, and some have another length. On the host device the peer transport is that
// of host_peer.h.
#define _DEFAULT_SOURCE // setenv
#include "check.h"
#include "host_peer.h"
#include "kit.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 17, LONGER = 7 };

// With one transport, as graphs where it can; compared with what `exact` holds, or into it.
static void test_transport(kit *k, const char *transport, sedge_operator_options *config,
                           bool first)
{
    const bool by_peer = strcmp(transport, "peer") == 0;
    const bool can = !config->launch_singly && sedge_device_get_info(k->world->device)->graphs;
    sedge_operator_cost cost;
    int turn[2];

    CHECK(setenv("SEDGE_TRANSPORT", transport, 1) == 0);
    CHECK_OK(kit_load(k, k->base.problem.precision, config));
    CHECK(strcmp(sedge_operator_transport(k->op), transport) == 0);
    CHECK(sedge_operator_waits(k->op) == (k->base.mesh->peers > 0 && !by_peer));
    CHECK_OK(kit_advance_unevenly(k, first ? k->base.exact : k->result, STEPS, LONGER));
    const bool records = can && !sedge_operator_waits(k->op);
    CHECK(sedge_evolution_recorded(k->evolution, turn) == (records ? 2 : 0));
    if (by_peer && can && k->base.mesh->peers > 0) CHECK(turn[0] != turn[1]);
    sedge_operator_get_cost(k->op, &cost);
    if (k->base.mesh->peers > 0) {
        CHECK(cost.exchange_seconds > 0.0);
        CHECK(cost.exposed_seconds >= 0.0 && cost.exposed_seconds <= cost.exchange_seconds);
        CHECK(cost.exchange_bytes_per_step > 0.0);
    }
    if (first) return;
    CHECK(memcmp(k->result, k->base.exact, (size_t)k->base.values * sizeof *k->result) == 0);
    CHECK(kit_difference(k, k->result, k->base.u) > 0.1);
}

static void test_same(const kit_world *world, const char *variant, sedge_precision precision,
                      bool boundary_last)
{
    const sedge_device_kind kind = sedge_device_get_info(world->device)->kind;
    const char *why;
    sedge_operator_options config = {.variant = variant};
    kit_options options = kit_defaults(2, 4);
    kit k;

    options.wall = "pec";
    options.dipole = kit_dipole;
    options.precision = precision;
    options.boundary_last = boundary_last;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    test_transport(&k, "staged", &config, true);
    if (kind == SEDGE_DEVICE_HOST ||
        (kind == SEDGE_DEVICE_CUDA && sedge_comm_takes_device_memory()))
        test_transport(&k, "direct", &config, false);
    if (host_peer_get(world->device, &why) != NULL) {
        test_transport(&k, "peer", &config, false);
        config.launch_singly = true;
        test_transport(&k, "peer", &config, false);
    }
    kit_clear(&k);
}

static void test_refused(const kit_world *world)
{
    kit_options options = kit_defaults(1, 2);
    kit k;

    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(setenv("SEDGE_TRANSPORT", "pigeon", 1) == 0);
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, NULL), SEDGE_ERR_USAGE, "SEDGE_TRANSPORT='pigeon'");
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_same(&world, "fused", SEDGE_FP32, false);
    test_same(&world, "fused", SEDGE_FP64, true);
    test_refused(&world);
    kit_close(&world);
    return CHECK_END();
}
