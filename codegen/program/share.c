#include "program/share.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// One rank's request.
typedef struct share_request {
    sedge_hash hash;
    int rank;
} share_request;

// ---- who requests what
// ----------------------------------------------------------------------------

static int compare_requests(const void *left, const void *right)
{
    const share_request *const a = left;
    const share_request *const b = right;
    const int order = memcmp(&a->hash, &b->hash, sizeof a->hash);

    return order != 0 ? order : a->rank - b->rank;
}

// Gather the requests of all ranks at once. Shorter lists are filled up with requests of rank -1,
// which are dropped afterwards. Collective. The caller releases `*requests`.
static sedge_status gather_requests(const sedge_share *share, const sedge_hash *hashes, int count,
                                    share_request **requests, int64_t *total)
{
    int64_t most = count;
    share_request *all = NULL;
    share_request *own = NULL;

    *requests = NULL;
    sedge_comm_max_int(share->comm, &most, 1);
    sedge_status status = sedge_allocate(&all, share->ranks * most, sizeof *all);
    if (status == SEDGE_OK) status = sedge_allocate(&own, most, sizeof *own);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(share->comm, status));
    for (int i = 0; i < most; i++) {
        own[i].rank = i < count ? share->rank : -1;
        if (i < count) own[i].hash = hashes[i];
    }
    sedge_comm_all_gather(share->comm, own, all, (size_t)most * sizeof *own);
    *total = 0;
    for (int64_t i = 0; i < share->ranks * most; i++)
        if (all[i].rank >= 0) all[(*total)++] = all[i];
    qsort(all, (size_t)*total, sizeof *all, compare_requests);
    *requests = all;
    all = NULL;
done:
    sedge_release(all);
    sedge_release(own);
    return status;
}

static bool is_new(const share_request *requests, int64_t i)
{
    return i == 0 || memcmp(&requests[i].hash, &requests[i - 1].hash, sizeof requests[i].hash) != 0;
}

static sedge_status allocate_lists(sedge_share *share, int count)
{
    SEDGE_TRY(sedge_allocate(&share->owner, share->programs, sizeof *share->owner));
    SEDGE_TRY(sedge_allocate(&share->requesters, share->programs, sizeof *share->requesters));
    SEDGE_TRY(sedge_allocate(&share->requested, (int64_t)share->programs * share->ranks,
                             sizeof *share->requested));
    return sedge_allocate(&share->mine, count, sizeof *share->mine);
}

static void fill_lists(sedge_share *share, const share_request *requests, int64_t total,
                       const sedge_hash *hashes, int count)
{
    int p = -1;

    for (int64_t i = 0; i < total; i++) {
        if (is_new(requests, i)) p++;
        bool *const requested = &share->requested[(int64_t)p * share->ranks + requests[i].rank];
        if (!*requested) share->requesters[p]++;
        *requested = true;
        for (int k = 0; k < count && requests[i].rank == share->rank; k++)
            if (memcmp(&hashes[k], &requests[i].hash, sizeof *hashes) == 0) share->mine[k] = p;
    }
}

// Programs with few requesters get their owner first: the requester that owns the fewest programs
// so far. `load` [ranks] starts as zeros.
static void choose_owners(sedge_share *share, int *load)
{
    for (int requesters = 1; requesters <= share->ranks; requesters++) {
        for (int p = 0; p < share->programs; p++) {
            int best = -1;
            if (share->requesters[p] != requesters) continue;
            for (int r = 0; r < share->ranks; r++) {
                if (share->requested[(int64_t)p * share->ranks + r] &&
                    (best < 0 || load[r] < load[best]))
                    best = r;
            }
            share->owner[p] = best;
            load[best]++;
        }
    }
}

sedge_status sedge_share_create(sedge_share *share, const sedge_comm *comm,
                                const sedge_hash *hashes, int count)
{
    sedge_status status;
    share_request *requests = NULL;
    int *load = NULL;
    int64_t total = 0;

    memset(share, 0, sizeof *share);
    share->comm = comm;
    share->rank = sedge_comm_rank(comm);
    share->ranks = sedge_comm_size(comm);
    SEDGE_TRY(gather_requests(share, hashes, count, &requests, &total));
    for (int64_t i = 0; i < total; i++) share->programs += is_new(requests, i);
    status = allocate_lists(share, count);
    if (status == SEDGE_OK) status = sedge_allocate(&load, share->ranks, sizeof *load);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(share->comm, status));
    fill_lists(share, requests, total, hashes, count);
    choose_owners(share, load);
done:
    sedge_release(load);
    sedge_release(requests);
    return status;
}

void sedge_share_clear(sedge_share *share)
{
    sedge_release(share->owner);
    sedge_release(share->requesters);
    sedge_release(share->requested);
    sedge_release(share->mine);
    memset(share, 0, sizeof *share);
}

bool sedge_share_requests(const sedge_share *share, int p)
{
    return share->requested[(int64_t)p * share->ranks + share->rank];
}

// ---- sending -----------------------------------------------------------------------------------

enum { HEAD_STATUS, HEAD_FOUND, HEAD_NANOSECONDS, HEAD_LENGTHS, HEAD = 3 + SEDGE_SHARE_PARTS };

// Every owner fills in its rows; the sum is the whole table. Collective.
static void send_heads(const sedge_share *share, sedge_share_item *items, int64_t *heads)
{
    for (int p = 0; p < share->programs; p++) {
        int64_t *const head = heads + (int64_t)p * HEAD;
        if (share->owner[p] != share->rank) continue;
        head[HEAD_STATUS] = items[p].status;
        head[HEAD_FOUND] = items[p].found;
        head[HEAD_NANOSECONDS] = (int64_t)(1e9 * items[p].seconds);
        for (int k = 0; k < SEDGE_SHARE_PARTS; k++)
            head[HEAD_LENGTHS + k] = (int64_t)items[p].length[k];
    }
    sedge_comm_sum_int(share->comm, heads, share->programs * HEAD);
    for (int p = 0; p < share->programs; p++) {
        const int64_t *const head = heads + (int64_t)p * HEAD;
        items[p].status = (sedge_status)head[HEAD_STATUS];
        items[p].found = head[HEAD_FOUND] != 0;
        items[p].seconds = 1e-9 * (double)head[HEAD_NANOSECONDS];
    }
}

// Room for what will come, with a NUL behind each part.
static sedge_status make_room(const sedge_share *share, sedge_share_item *items,
                              const int64_t *heads)
{
    for (int p = 0; p < share->programs; p++) {
        if (share->owner[p] == share->rank || !sedge_share_requests(share, p)) continue;
        for (int k = 0; k < SEDGE_SHARE_PARTS; k++) {
            const int64_t length = heads[(int64_t)p * HEAD + HEAD_LENGTHS + k];
            SEDGE_TRY(sedge_allocate(&items[p].part[k], length + 1, 1));
            items[p].length[k] = (size_t)length;
        }
    }
    return SEDGE_OK;
}

// All ranks go through the programs in the same order, and an owner sends to its receivers in the
// order of ranks. So both sides of the next message always reach it, and there is no deadlock.
static void send_part(const sedge_share *share, int p, char *bytes, size_t length)
{
    const bool *const requested = share->requested + (int64_t)p * share->ranks;
    const int owner = share->owner[p];

    if (share->requesters[p] == share->ranks) {
        sedge_comm_broadcast(share->comm, bytes, length, owner);
    } else if (share->rank != owner) {
        sedge_comm_receive(share->comm, bytes, length, owner);
    } else {
        for (int r = 0; r < share->ranks; r++)
            if (requested[r] && r != owner) sedge_comm_send(share->comm, bytes, length, r);
    }
}

sedge_status sedge_share_send(const sedge_share *share, sedge_share_item *items)
{
    sedge_status status;
    int64_t *heads = NULL;

    if (share->ranks == 1) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(share->comm,
                                            sedge_allocate(&heads, (int64_t)share->programs * HEAD,
                                                           sizeof *heads)));
    send_heads(share, items, heads);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(share->comm, make_room(share, items, heads)));
    for (int p = 0; p < share->programs; p++) {
        if (!sedge_share_requests(share, p) || share->requesters[p] == 1) continue;
        for (int k = 0; k < SEDGE_SHARE_PARTS; k++)
            send_part(share, p, items[p].part[k], items[p].length[k]);
    }
done:
    sedge_release(heads);
    return status;
}

void sedge_share_release(sedge_share_item *items, int programs)
{
    for (int p = 0; p < programs && items != NULL; p++)
        for (int k = 0; k < SEDGE_SHARE_PARTS; k++) sedge_release(items[p].part[k]);
    sedge_release(items);
}
