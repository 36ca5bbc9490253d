#include "operator/energy.h"

#include "operator/parts.h"

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
