// Voltages of ports of lines on one surface, whose fields need not be orthogonal.
//
// Conductors with the voltages sum_k V_k v_k have the field E = sum_k V_k e_k, and a meter reads
// int E.f_j / F_j = sum_k W_jk V_k with W_jk = int f_k.f_j / F_j, also where media lie side by
// side: both int e_k.f_j and int f_k.f_j are v_k C v_j (port_together.c). So V is W^-1 times what
// is read. A current int (H x n).f_j is that of the conductors, each times its part in v_j, so that
// the power is sum_j V_j I_j.
#include "ports.h"

#include "base/memory.h"
#include "monitor/output_context.h"
#include "network/network.h"

#include <math.h>

#define SHARES 2e-3 // of a meter's voltage: what counts as a part of another port's

static bool is_of_line(const port *one)
{
    const int profile = (int)one->boundary->parameters[PORT_PROFILE];

    return profile == PORT_FOUND_TEM || profile == PORT_FOUND_LINE;
}

sedge_status ports_separation_create(ports_monitor *monitor)
{
    const int n = monitor->count;
    const int64_t numbers = (int64_t)n * n;
    double complex *overlaps = NULL;
    bool finite = true;
    sedge_status status = sedge_allocate(&monitor->pairs, 2LL * n, sizeof *monitor->pairs);

    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->separation, numbers, sizeof *monitor->separation);
    if (status == SEDGE_OK) status = sedge_allocate(&overlaps, numbers, sizeof *overlaps);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(monitor->context->comm, status));
    for (int64_t i = 0; i < numbers; i++) {
        const port *const one = &monitor->ports[i / n], *const other = &monitor->ports[i % n];
        const bool own = one == other;

        overlaps[i] = monitor->separation[i] = own ? 1.0 : 0.0;
        if (own || !is_of_line(one) || one->boundary->surface != other->boundary->surface) continue;
        const double overlap = port_meter_overlap(one->meter, other->boundary);
        monitor->separates |= fabs(overlap) > SHARES;
        overlaps[i] = overlap;
    }
    sedge_network_divide(monitor->separation, overlaps, n);
    for (int64_t i = 0; i < numbers; i++) finite &= fabs(creal(monitor->separation[i])) < 1e6;
    if (!finite) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: monitors.ports: on one surface are ports with 'voltages' of which "
                            "some are sums of others: there are as many at most as conductors "
                            "without the one that has 0",
                            monitor->context->deck->path);
    }
done:
    sedge_release(overlaps);
    return status;
}

void ports_separate(const ports_monitor *monitor)
{
    const int n = monitor->count;
    double(*const pairs)[PORT_SERIES] = monitor->pairs;
    double(*const read)[PORT_SERIES] = pairs + n;

    if (!monitor->separates) return;
    for (int i = 0; i < n; i++) read[i][PORT_VOLTAGE] = pairs[i][PORT_VOLTAGE];
    for (int i = 0; i < n; i++) {
        double voltage = 0.0;

        for (int k = 0; k < n; k++)
            voltage += creal(monitor->separation[i * n + k]) * read[k][PORT_VOLTAGE];
        pairs[i][PORT_VOLTAGE] = voltage;
    }
}
