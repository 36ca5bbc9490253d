#include "operator/shapes.h"

#include "operator/parts.h"

int operator_sent_threads(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->gpu_rules ? 1024 : SEDGE_TRACE_THREADS;
}

int operator_sent_turns(const sedge_operator *op, int64_t blocks)
{
    const int64_t most = (sedge_device_get_info(op->device)->multiprocessors + 1) / 2;

    if (!sedge_halo_stores(op->exchange.halo) || blocks <= most) return 1;
    return (int)((blocks + most - 1) / most);
}

#define TILE 4 // nodes of an item: each word of the state serves them all

operator_energy_shape operator_energy_choose(const operator_target *target)
{
    const int nodes = target->element->nodes;
    const int least = (nodes + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS;
    const int tile = least > TILE ? least : TILE;
    const int rows = (nodes + tile - 1) / tile;

    if (operator_is_host_form(target->info)) return (operator_energy_shape){1, nodes, 1};
    return (operator_energy_shape){tile, rows, SEDGE_MONITOR_THREADS / rows};
}
