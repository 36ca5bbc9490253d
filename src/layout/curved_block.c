#include "curved_block.h"

#define BLOCK_NODES  128
#define SHARED_BYTES 49152

sedge_status sedge_curved_block_choose(sedge_curved_block *out, const sedge_device_info *info,
                                       const sedge_element *element, int64_t batch_bytes)
{
    const bool host = sedge_traits_of(info->kind)->in_call && !info->random_order;
    const int64_t available = info->shared_bytes_block;
    const int64_t most = available < SHARED_BYTES ? available : SHARED_BYTES;
    const int nodes = element->nodes;
    int batches = 1;

    if (!host && batch_bytes > available) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "curved elements of order %d need %lld bytes of shared memory a block; "
                          "%s has %lld; take a lower order or precision",
                          element->order, (long long)batch_bytes, info->name, (long long)available);
    }
    while (!host && batches * nodes < BLOCK_NODES && (batches + 1) * batch_bytes <= most) batches++;
    *out = (sedge_curved_block){.batches = batches,
                                .threads = (batches * nodes + 31) / 32 * 32,
                                .bytes = batches * batch_bytes};
    return SEDGE_OK;
}
