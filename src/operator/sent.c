#include "operator/sent.h"

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
