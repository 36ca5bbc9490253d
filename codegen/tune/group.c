#include "tune/group.h"

#include "base/memory.h"

#include <string.h>

static bool is_same(const sedge_hash *a, const sedge_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

sedge_status sedge_group_init(sedge_group *group, const sedge_comm *comm, const sedge_hash *mine,
                              bool able)
{
    const int ranks = sedge_comm_size(comm);
    bool *all_able = NULL;

    *group = (sedge_group){.comm = comm, .mine = *mine, .all_same = true};
    sedge_status status = sedge_allocate(&group->hashes, ranks, sizeof *group->hashes);
    if (status == SEDGE_OK) status = sedge_allocate(&all_able, ranks, sizeof *all_able);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_comm_all_gather(comm, mine, group->hashes, sizeof *mine);
    sedge_comm_all_gather(comm, &able, all_able, sizeof able);
    for (int r = ranks - 1; r >= 0; r--) {
        if (!is_same(&group->hashes[r], mine)) {
            group->all_same = false;
        } else if (all_able[r] || !group->is_able) {
            group->owner = r;
            group->is_able = all_able[r];
        }
    }
    group->is_owner = group->owner == sedge_comm_rank(comm);
done:
    sedge_release(all_able);
    return status;
}

void sedge_group_free(sedge_group *group)
{
    sedge_release(group->hashes);
    group->hashes = NULL;
}

void sedge_group_give(const sedge_group *group, void *data, size_t bytes)
{
    if (group->all_same) {
        sedge_comm_broadcast(group->comm, data, bytes, group->owner);
        return;
    }
    if (!group->is_owner) {
        sedge_comm_receive(group->comm, data, bytes, group->owner);
        return;
    }
    for (int r = 0; r < sedge_comm_size(group->comm); r++) {
        if (r != group->owner && is_same(&group->hashes[r], &group->mine))
            sedge_comm_send(group->comm, data, bytes, r);
    }
}
