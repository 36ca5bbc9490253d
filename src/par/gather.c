#include "gather.h"

#include "base/memory.h"

#include <string.h>

sedge_status sedge_gather_create(sedge_gather *out, const sedge_comm *comm, int64_t count,
                                 const int64_t *ids)
{
    const int ranks = sedge_comm_size(comm);

    *out = (sedge_gather){.own = count};
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&out->offsets, ranks + 1, sizeof(int64_t))));
    sedge_comm_all_gather(comm, &count, out->offsets + 1, sizeof count);
    for (int r = 0; r < ranks; r++) out->offsets[r + 1] += out->offsets[r];
    if (sedge_comm_is_root(comm)) out->all = out->offsets[ranks];
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&out->ids, out->all, sizeof *out->ids)));
    sedge_gather_bring(out, comm, ids, sizeof *ids, out->ids);
    return SEDGE_OK;
}

void sedge_gather_clear(const sedge_gather *gather)
{
    sedge_release(gather->offsets);
    sedge_release(gather->ids);
}

void sedge_gather_bring(const sedge_gather *gather, const sedge_comm *comm, const void *rows,
                        size_t bytes, void *all)
{
    const size_t own = (size_t)gather->own * bytes;

    if (!sedge_comm_is_root(comm)) {
        if (own > 0) sedge_comm_send(comm, rows, own, 0);
        return;
    }
    if (own > 0) memcpy(all, rows, own);
    for (int r = 1; r < sedge_comm_size(comm); r++) {
        const int64_t count = gather->offsets[r + 1] - gather->offsets[r];

        if (count == 0) continue;
        sedge_comm_receive(comm, (char *)all + (size_t)gather->offsets[r] * bytes,
                           (size_t)count * bytes, r);
    }
}
