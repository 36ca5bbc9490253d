// Scans in one pass, on cuda: read, scan, write; behind scan.h.
//
// A tile publishes its sum; the last tile of each group of SCAN_THREADS tiles publishes the
// group's. What comes before a tile is the sums of the groups before its own and of the tiles
// before it in the group, both by a tree over their places: whoever is late makes others wait, but
// never changes how numbers are grouped, as looking back to whatever is ready would; and no group
// waits for the one before it to pass something on.
//
// Block b works on tile b. Blocks start in the order of their numbers on every GPU so far, so all
// tiles before one have begun and the waiting ends; should some GPU not, the kernel fails after a
// minute or more. While a tile waits, the memory works for others: the more bytes blocks hold, the
// better, so that tiles lie in registers and in the block's memory.
//
//   ready  a record a tile, then a record a group: a flag, which is `epoch` once it is written, and
//          `epoch` is another number each time, so that nothing need be cleared. Where an item has
//          at most two words, the item and its flag, read and written as one, so that nothing else
//          need be waited for.
//   sums   [tiles + groups] of other items; written before their flag
//
//   SCAN_RESIDENT                        blocks of a multiprocessor
//   SCAN_PACK, SCAN_PACKS                elements that a thread loads at once, such loads a thread
//                                        into registers, and
//   SCAN_STAGED                          into the block's memory, packs of 16 bytes each
//   SCAN_COMMUTES                        1: formula_combine(a, b) is formula_combine(b, a)
//   SCAN_JOINT_ITEMS                     1 where an item has at most 8 bytes
#pragma once

#define SCAN_CHAINED_LIST(X)          \
    SCAN_LIST(X)                      \
    X(SEDGE_GLOBAL int *, ready)      \
    X(SEDGE_GLOBAL scan_item *, sums) \
    X(sedge_int64, tiles)             \
    X(int, epoch)

#define SCAN_WARPS  (SCAN_THREADS / 32)
#define SCAN_CHUNK  (SCAN_STAGED % 3 == 0 ? 3 : 4) // rows at once
#define SCAN_CHUNKS ((SCAN_PACKS + SCAN_CHUNK - 1) / SCAN_CHUNK)
#define SCAN_ROWS   (SCAN_PACKS + SCAN_STAGED)
#define SCAN_TILE   (SCAN_THREADS * SCAN_ROWS * SCAN_PACK)
#define SCAN_WORDS  ((int)((sizeof(scan_item) + 3) / 4))

typedef struct SEDGE_ALIGN(SCAN_PACK * sizeof(formula_value)) scan_pack {
    formula_value w[SCAN_PACK];
} scan_pack;

typedef struct SEDGE_ALIGN(SCAN_PACK * sizeof(formula_result)) scan_result_pack {
    formula_result w[SCAN_PACK];
} scan_result_pack;

// Nobody reads an element twice: caches need not keep it.
SEDGE_FUNCTION scan_pack scan_pack_load(const formula_value *from)
{
    union {
        scan_pack pack;
        int4 words;
    } w;
    if (sizeof(scan_pack) == sizeof(int4))
        w.words = __ldcs((const int4 *)from);
    else
        w.pack = *(const scan_pack *)from;
    return w.pack;
}

SEDGE_FUNCTION void scan_pack_store(formula_result *to, const scan_result_pack pack)
{
    union {
        scan_result_pack pack;
        int4 words;
    } w;
    w.pack = pack;
    if (sizeof(scan_result_pack) == sizeof(int4))
        __stcs((int4 *)to, w.words);
    else
        *(scan_result_pack *)to = pack;
}

// Rows of a thread's q-th chunk in registers: the last one may have fewer.
SEDGE_FUNCTION int scan_rows(const int q)
{
    return SCAN_PACKS - q * SCAN_CHUNK < SCAN_CHUNK ? SCAN_PACKS - q * SCAN_CHUNK : SCAN_CHUNK;
}

typedef union scan_words {
    scan_item item;
    int word[SCAN_WORDS];
} scan_words;

// The item of the lane `distance` below, of the lane above, of one lane.
SEDGE_FUNCTION scan_item scan_below(const scan_item item, int distance)
{
    scan_words w;
    w.item = item;
    SEDGE_EACH (k, SCAN_WORDS) w.word[k] = __shfl_up_sync(0xFFFFFFFFu, w.word[k], distance);
    return w.item;
}

SEDGE_FUNCTION scan_item scan_above(const scan_item item, int distance)
{
    scan_words w;
    w.item = item;
    SEDGE_EACH (k, SCAN_WORDS) w.word[k] = __shfl_down_sync(0xFFFFFFFFu, w.word[k], distance);
    return w.item;
}

SEDGE_FUNCTION scan_item scan_of_lane(const scan_item item, int lane)
{
    scan_words w;
    w.item = item;
    SEDGE_EACH (k, SCAN_WORDS) w.word[k] = __shfl_sync(0xFFFFFFFFu, w.word[k], lane);
    return w.item;
}

// What is not there yet is asked for again, but not at once, and not for ever.
SEDGE_FUNCTION void scan_pause(int turn)
{
    __nanosleep(100);
    if (turn == 1 << 27) __trap();
}

// Items of at most two words travel with their flag in 16 bytes.
#define SCAN_JOINT (SCAN_JOINT_ITEMS && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203)

#if SCAN_JOINT
typedef union scan_record {
    scan_item item;
    unsigned long long word;
} scan_record;

SEDGE_FUNCTION void scan_publish(int *ready, scan_item *sums, int epoch, sedge_int64 place,
                                 const scan_item item)
{
    scan_record record;
    record.word = 0;
    record.item = item;
    asm volatile(
        "{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.global.b128 [%0], v; }" ::"l"(
            ready + 4 * place),
        "l"(record.word), "l"((unsigned long long)epoch)
        : "memory");
    (void)sums;
}

SEDGE_FUNCTION scan_item scan_fetch(const int *ready, const scan_item *sums, int epoch,
                                    sedge_int64 place)
{
    scan_record record;
    for (int turn = 0;; turn++) {
        unsigned long long flag;
        asm volatile("{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                     : "=l"(record.word), "=l"(flag)
                     : "l"(ready + 4 * place)
                     : "memory");
        if (flag == (unsigned long long)epoch) break;
        scan_pause(turn);
    }
    (void)sums;
    return record.item;
}
#else
// What is written before the flag is seen after it.
SEDGE_FUNCTION void scan_publish(int *ready, scan_item *sums, int epoch, sedge_int64 place,
                                 const scan_item item)
{
    sums[place] = item;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(ready + 4 * place), "r"(epoch)
                 : "memory");
}

SEDGE_FUNCTION scan_item scan_fetch(const int *ready, const scan_item *sums, int epoch,
                                    sedge_int64 place)
{
    for (int turn = 0;; turn++) {
        int flag;
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                     : "=r"(flag)
                     : "l"(ready + 4 * place)
                     : "memory");
        if (flag == epoch) break;
        scan_pause(turn);
    }
    return sums[place];
}
#endif

// The thread's elements in registers, `first` the first of them; `left` ones are there, the others
// neutral. `whole`: all are there, in all threads of the block.
SEDGE_FUNCTION void scan_load(scan_item v[SCAN_PACKS][SCAN_PACK], sedge_int64 first, int left,
                              const int whole,
                              const formula_value *SEDGE_RESTRICT from SCAN_STARTS(SCAN_FORMAL))
{
    scan_pack pack[SCAN_PACKS];

    from += first;
    SEDGE_EACH (u, SCAN_PACKS) {
        const int at = u * (32 * SCAN_PACK);
        if (whole || at + SCAN_PACK <= left) {
            pack[u] = scan_pack_load(from + at);
        } else {
            SEDGE_EACH (p, SCAN_PACK)
                if (at + p < left) pack[u].w[p] = from[at + p];
        }
    }
    SEDGE_EACH (u, SCAN_PACKS)
        SEDGE_EACH (p, SCAN_PACK) {
            const int at = u * (32 * SCAN_PACK) + p;
            v[u][p] = scan_nothing();
            if (whole || at < left)
                v[u][p] = scan_take(pack[u].w[p], first + at SCAN_STARTS(SCAN_ACTUAL));
        }
}

// Scan `rows` rows of a warp, which are one behind the other, from `carry` on; returns where that
// leads.
SEDGE_FUNCTION scan_item scan_warp(scan_item (*v)[SCAN_PACK], const int rows, scan_item carry,
                                   int lane)
{
    scan_item sum[SCAN_PACKS > SCAN_CHUNK ? SCAN_PACKS : SCAN_CHUNK];

    SEDGE_EACH (u, rows) {
        SEDGE_EACH (p, SCAN_PACK - 1) v[u][p + 1] = scan_join(v[u][p], v[u][p + 1]);
        sum[u] = v[u][SCAN_PACK - 1];
    }
    SEDGE_EACH (s, 5)
        SEDGE_EACH (u, rows) {
            const scan_item other = scan_below(sum[u], 1 << s);
            if (lane >= 1 << s) sum[u] = scan_join(other, sum[u]);
        }
    SEDGE_EACH (u, rows) {
        scan_item before = scan_below(sum[u], 1);
        if (lane == 0) before = scan_nothing();
        before = scan_join(carry, before);
        carry = scan_join(carry, scan_of_lane(sum[u], 31));
#if SCAN_EXCLUSIVE
        SEDGE_EACH (q, SCAN_PACK - 1) {
            const int p = SCAN_PACK - 1 - q;
            v[u][p] = scan_join(before, v[u][p - 1]);
        }
        v[u][0] = before;
#else
        SEDGE_EACH (p, SCAN_PACK) v[u][p] = scan_join(before, v[u][p]);
#endif
    }
    return carry;
}

#if SCAN_STAGED

// Bring the staged elements of the thread's warp on their way: `from` is the thread's first of
// them, `stage` its place, `left` counts from there. To be waited for by scan_arrived.
SEDGE_FUNCTION void scan_stage_load(scan_pack *stage, unsigned barrier, int left, const int whole,
                                    int lane, const formula_value *SEDGE_RESTRICT from)
{
    if (!whole) { // all on their way at once, too
        SEDGE_EACH (u, SCAN_STAGED) {
            const int at = u * (32 * SCAN_PACK);
            if (at + SCAN_PACK <= left) {
                SEDGE_COPY_PACK(stage + 32 * u, from + at);
            } else {
                SEDGE_EACH (p, SCAN_PACK)
                    if (at + p < left) stage[32 * u].w[p] = from[at + p];
            }
        }
        return;
    }
#if __CUDA_ARCH__ >= 900
    // One copy for the whole warp, whose elements stand together.
    if (lane == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp(); // all lanes wait at the barrier: it is there for each of them
    if (lane == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(SCAN_STAGED * 512)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
            "%2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(stage)),
            "l"(from), "r"(SCAN_STAGED * 512), "r"(barrier)
            : "memory");
    }
#else
    SEDGE_EACH (u, SCAN_STAGED) SEDGE_COPY_PACK(stage + 32 * u, from + u * (32 * SCAN_PACK));
    (void)barrier;
    (void)lane;
#endif
}

SEDGE_FUNCTION void scan_arrived(unsigned barrier, const int whole)
{
    if (!whole) {
        SEDGE_COPY_WAIT();
        return;
    }
#if __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    }
#else
    SEDGE_COPY_WAIT();
    (void)barrier;
#endif
}

// Staged rows, from row `row` on; `first` is the thread's first staged element.
SEDGE_FUNCTION void scan_stage_read(scan_item (*v)[SCAN_PACK], const scan_pack *stage, int row,
                                    sedge_int64 first, int left, const int whole)
{
    SEDGE_EACH (c, SCAN_CHUNK) {
        const scan_pack pack = stage[32 * (row + c)];
        SEDGE_EACH (p, SCAN_PACK) {
            const int at = (row + c) * (32 * SCAN_PACK) + p;
            v[c][p] = scan_nothing();
            if (whole || at < left) v[c][p] = scan_map(pack.w[p], first + at);
        }
    }
}

// What `sum` becomes with `rows` rows more: of each thread's elements, where their order does not
// count; else of the warp's, in lane 0.
SEDGE_FUNCTION scan_item scan_fold(scan_item sum, scan_item (*v)[SCAN_PACK], const int rows)
{
    scan_item row[SCAN_CHUNK];

    SEDGE_EACH (u, rows) {
        row[u] = v[u][0];
        SEDGE_EACH (p, SCAN_PACK - 1) row[u] = scan_join(row[u], v[u][p + 1]);
    }
#if !SCAN_COMMUTES
    SEDGE_EACH (s, 5)
        SEDGE_EACH (u, rows) row[u] = scan_join(row[u], scan_above(row[u], 1 << s));
#endif
    SEDGE_EACH (u, rows) sum = scan_join(sum, row[u]);
    return sum;
}

#endif

// Write a pack of results, whose first element is number `first`; `left` ones are there.
SEDGE_FUNCTION void scan_store(const scan_item v[SCAN_PACK], sedge_int64 first, int left,
                               const int whole,
                               formula_result *SEDGE_RESTRICT to SCAN_STARTS(SCAN_FORMAL))
{
    scan_result_pack pack;

    SEDGE_EACH (p, SCAN_PACK)
        if (whole || p < left) pack.w[p] = scan_give(v[p], first + p SCAN_STARTS(SCAN_ACTUAL));
    if (whole || left >= SCAN_PACK) {
        scan_pack_store(to + first, pack);
    } else {
        SEDGE_EACH (p, SCAN_PACK)
            if (p < left) to[first + p] = pack.w[p];
    }
}

// The threads' items, combined in their order into `parts`, one a warp.
SEDGE_FUNCTION void scan_gather(scan_item item, scan_words *parts)
{
    SEDGE_EACH (s, 5) item = scan_join(item, scan_above(item, 1 << s));
    if (SEDGE_THREAD % 32 == 0) parts[SEDGE_THREAD / 32].item = item;
}

SEDGE_FUNCTION scan_item scan_sum(const scan_words *parts)
{
    scan_item sum = parts[0].item;
    SEDGE_EACH (w, SCAN_WARPS - 1) sum = scan_join(sum, parts[w + 1].item);
    return sum;
}

// All of a tile, which is whole or the last.
SEDGE_FUNCTION void scan_tile(const int whole SCAN_CHAINED_LIST(SCAN_FORMAL))
{
    __shared__ scan_words totals[SCAN_WARPS], parts[SCAN_WARPS], groups[SCAN_WARPS];
    const int tile = (int)blockIdx.x;
    const int warp = SEDGE_THREAD / 32;
    const int lane = SEDGE_THREAD % 32;
    const sedge_int64 first =
        (sedge_int64)tile * SCAN_TILE + (warp * SCAN_ROWS * 32 + lane) * (sedge_int64)SCAN_PACK;
    const int left =
        count > first ? (int)(count - first < SCAN_TILE ? count - first : SCAN_TILE) : 0;
    scan_item v[SCAN_PACKS][SCAN_PACK];

#if SCAN_STAGED
    __shared__ __align__(8) unsigned long long barriers[SCAN_WARPS];
    SEDGE_SCRATCH(scan_pack, stages, SCAN_THREADS * SCAN_STAGED);
    scan_pack *const stage = stages + warp * (SCAN_STAGED * 32) + lane;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&barriers[warp]);
    const int behind = SCAN_PACKS * (32 * SCAN_PACK);
    scan_stage_load(stage, barrier, left - behind, whole, lane, from + first + behind);
#endif
    scan_load(v, first, left, whole, from SCAN_STARTS(SCAN_ACTUAL));
#if SCAN_STAGED // the sum first: the sooner the others know it, the less they wait
    scan_item w[SCAN_CHUNK][SCAN_PACK];
    scan_item total = scan_nothing();
    SEDGE_EACH (q, SCAN_CHUNKS) total = scan_fold(total, v + q * SCAN_CHUNK, scan_rows(q));
    scan_arrived(barrier, whole);
#pragma unroll 1
    for (int u = 0; u < SCAN_STAGED; u += SCAN_CHUNK) {
        scan_stage_read(w, stage, u, first + behind, left - behind, whole);
        total = scan_fold(total, w, SCAN_CHUNK);
    }
#if SCAN_COMMUTES
    SEDGE_EACH (s, 5) total = scan_join(total, scan_above(total, 1 << s));
#endif
#else
    scan_item total = scan_warp(v, SCAN_PACKS, scan_nothing(), lane);
#endif
    if (lane == 0) totals[warp].item = total;
    SEDGE_BARRIER();
    scan_item before = scan_nothing(), sum = scan_nothing();
    SEDGE_EACH (w, SCAN_WARPS) {
        if (w == warp) before = sum;
        sum = scan_join(sum, totals[w].item);
    }
    if (SEDGE_THREAD == 0) scan_publish(ready, sums, epoch, tile, sum);

    const int place = tile % SCAN_THREADS;
    const int group = tile / SCAN_THREADS;
    scan_item other = scan_nothing();
    if (SEDGE_THREAD < place) other = scan_fetch(ready, sums, epoch, tile - place + SEDGE_THREAD);
    scan_gather(other, parts);
    if (place == SCAN_THREADS - 1) {
        SEDGE_BARRIER();
        if (SEDGE_THREAD == 0)
            scan_publish(ready, sums, epoch, tiles + group, scan_join(scan_sum(parts), sum));
    }
    if (group > 0) {
        // Each thread has so many groups, one behind the other.
        const int share = ((int)tiles - 1) / SCAN_THREADS / SCAN_THREADS + 1;
        const int own = SEDGE_THREAD * share;
        other = scan_nothing();
        for (int g = own; g < own + share && g < group; g++)
            other = scan_join(other, scan_fetch(ready, sums, epoch, tiles + g));
        scan_gather(other, groups);
    }
    SEDGE_BARRIER();
    scan_item prefix = scan_sum(parts);
    if (group > 0) prefix = scan_join(scan_sum(groups), prefix);
    before = scan_join(prefix, before);
    SEDGE_EACH (q, SCAN_CHUNKS) {
#if SCAN_STAGED
        before = scan_warp(v + q * SCAN_CHUNK, scan_rows(q), before, lane);
#else
        SEDGE_EACH (c, scan_rows(q))
            SEDGE_EACH (p, SCAN_PACK)
                v[q * SCAN_CHUNK + c][p] = scan_join(before, v[q * SCAN_CHUNK + c][p]);
#endif
        SEDGE_EACH (c, scan_rows(q)) {
            const int at = (q * SCAN_CHUNK + c) * (32 * SCAN_PACK);
            scan_store(v[q * SCAN_CHUNK + c], first + at, left - at, whole,
                       to SCAN_STARTS(SCAN_ACTUAL));
        }
    }
#if SCAN_STAGED
#pragma unroll 1
    for (int u = 0; u < SCAN_STAGED; u += SCAN_CHUNK) {
        scan_stage_read(w, stage, u, first + behind, left - behind, whole);
        before = scan_warp(w, SCAN_CHUNK, before, lane);
        SEDGE_EACH (c, SCAN_CHUNK) {
            const int at = behind + (u + c) * (32 * SCAN_PACK);
            scan_store(w[c], first + at, left - at, whole, to SCAN_STARTS(SCAN_ACTUAL));
        }
    }
#endif
}

// A function of its own, so that its registers and its length cost the others nothing.
static __device__ __noinline__ void scan_last(int whole SCAN_CHAINED_LIST(SCAN_FORMAL))
{
    (void)whole;
    scan_tile(0 SCAN_CHAINED_LIST(SCAN_ACTUAL));
}

SEDGE_KERNEL_RESIDENT(sedge_scan, SCAN_THREADS, SCAN_RESIDENT, SCAN_CHAINED_LIST)
{
    SEDGE_OUTER (b) {
        if ((b + 1) * SCAN_TILE <= count)
            scan_tile(1 SCAN_CHAINED_LIST(SCAN_ACTUAL));
        else
            scan_last(0 SCAN_CHAINED_LIST(SCAN_ACTUAL));
    }
}
