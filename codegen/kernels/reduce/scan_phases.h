// Scans in three kernels, on the host and OpenCL's devices; behind scan.h.
//
// Totals of blocks, their exclusive scan, and the scan of each block from there on. A block goes
// over its tiles one after the other; a tile is SCAN_THREADS rows of SCAN_ITEMS elements, of which
// each item scans one.
//
//   SCAN_ITEMS, SCAN_TILES               elements a row, tiles a block
//   SCAN_CHAINS                          rows that the host scans at once; divides SCAN_THREADS
#pragma once

#define SCAN_TILE  (SCAN_THREADS * SCAN_ITEMS)
#define SCAN_BLOCK (SCAN_TILE * SCAN_TILES)

// Make each row of `tile` its scan. sums[0] is what comes before the tile, and sums[k] becomes what
// comes before row k; sums[SCAN_THREADS] is all of it.
SEDGE_FUNCTION void scan_rows(SEDGE_BLOCKWIDE scan_item *tile, SEDGE_BLOCKWIDE scan_item *sums,
                              const int exclusive)
{
    SEDGE_PRIVATE(scan_item, run, SCAN_THREADS, 1);

#if SEDGE_TARGET_HOST // several rows at once: their chains of dependent operations overlap
    for (int k = 0; k < SCAN_THREADS; k += SCAN_CHAINS) {
        scan_item chain[SCAN_CHAINS];
        SEDGE_EACH (r, SCAN_CHAINS) chain[r] = scan_nothing();
        for (int j = 0; j < SCAN_ITEMS; j++)
            SEDGE_EACH (r, SCAN_CHAINS) {
                scan_item *const at = tile + (k + r) * SCAN_ITEMS + j;
                const scan_item sum = scan_join(chain[r], *at);
                *at = exclusive ? chain[r] : sum;
                chain[r] = sum;
            }
        SEDGE_EACH (r, SCAN_CHAINS) run[k + r][0] = chain[r];
    }
#else
    SEDGE_ITEMS_1D (k, SCAN_THREADS, SCAN_THREADS) {
        scan_item chain = scan_nothing();
        for (int j = 0; j < SCAN_ITEMS; j++) {
            const scan_item sum = scan_join(chain, tile[k * SCAN_ITEMS + j]);
            if (exclusive)
                tile[k * SCAN_ITEMS + j] = chain;
            else
                tile[k * SCAN_ITEMS + j] = sum;
            chain = sum;
        }
        SEDGE_MINE(run, k)[0] = chain;
    }
#endif
    SEDGE_ITEMS_1D (k, SCAN_THREADS, SCAN_THREADS) {
        // sums[0] is what the block had before, and belongs to the first row.
        if (k == 0)
            sums[1] = scan_join(sums[0], SEDGE_MINE(run, k)[0]);
        else
            sums[k + 1] = SEDGE_MINE(run, k)[0];
    }
    for (int step = 1; step < SCAN_THREADS; step *= 2) {
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (k, SCAN_THREADS, SCAN_THREADS) {
            scan_item sum = sums[k + 1];
            if (k >= step) sum = scan_join(sums[k + 1 - step], sum);
            SEDGE_MINE(run, k)[0] = sum;
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (k, SCAN_THREADS, SCAN_THREADS) sums[k + 1] = SEDGE_MINE(run, k)[0];
    }
    SEDGE_BARRIER();
}

// The next tile goes on where this one ends. What is written is read by the same item, or behind
// the barriers of the next tile.
SEDGE_FUNCTION void scan_carry(SEDGE_BLOCKWIDE scan_item *sums)
{
    SEDGE_BARRIER();
    SEDGE_ITEMS_1D (k, 1, SCAN_THREADS) sums[k] = sums[SCAN_THREADS];
}

SEDGE_FUNCTION void
scan_load(SEDGE_BLOCKWIDE scan_item *tile, sedge_int64 first, sedge_int64 count,
          const SEDGE_GLOBAL formula_value *SEDGE_RESTRICT from SCAN_STARTS(SCAN_FORMAL))
{
    if (first + SCAN_TILE <= count) {
        SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
            const sedge_int64 at = first + k * SCAN_ITEMS + j;
            tile[k * SCAN_ITEMS + j] = scan_take(from[at], at SCAN_STARTS(SCAN_ACTUAL));
        }
    } else {
        SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
            const sedge_int64 at = first + k * SCAN_ITEMS + j;
            scan_item item = scan_nothing();
            if (at < count) item = scan_take(from[at], at SCAN_STARTS(SCAN_ACTUAL));
            tile[k * SCAN_ITEMS + j] = item;
        }
    }
    SEDGE_BARRIER();
}

SEDGE_FUNCTION void
scan_store(const SEDGE_BLOCKWIDE scan_item *tile, const SEDGE_BLOCKWIDE scan_item *sums,
           sedge_int64 first, sedge_int64 count,
           SEDGE_GLOBAL formula_result *SEDGE_RESTRICT to SCAN_STARTS(SCAN_FORMAL))
{
    if (first + SCAN_TILE <= count) {
        SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
            const sedge_int64 at = first + k * SCAN_ITEMS + j;
            to[at] = scan_give(scan_join(sums[k], tile[k * SCAN_ITEMS + j]),
                               at SCAN_STARTS(SCAN_ACTUAL));
        }
    } else {
        SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
            const sedge_int64 at = first + k * SCAN_ITEMS + j;
            if (at < count)
                to[at] = scan_give(scan_join(sums[k], tile[k * SCAN_ITEMS + j]),
                                   at SCAN_STARTS(SCAN_ACTUAL));
        }
    }
}

#define SCAN_TOTALS_LIST(X) \
    SCAN_LIST(X)            \
    X(SEDGE_GLOBAL scan_item *, totals)

SEDGE_KERNEL(sedge_scan_totals, SCAN_THREADS, SCAN_TOTALS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(scan_item, tile, SCAN_TILE);
        SEDGE_SHARED(scan_item, sums, SCAN_THREADS + 1);

        SEDGE_ITEMS_1D (k, 1, SCAN_THREADS) sums[k] = scan_nothing();
        for (sedge_int64 first = b * SCAN_BLOCK; first < (b + 1) * SCAN_BLOCK && first < count;
             first += SCAN_TILE) {
            scan_load(tile, first, count, from SCAN_STARTS(SCAN_ACTUAL));
            scan_rows(tile, sums, 0);
            scan_carry(sums);
        }
        SEDGE_ITEMS_1D (k, 1, SCAN_THREADS) totals[b] = sums[k];
        (void)to;
    }
}

#define SCAN_OFFSETS_LIST(X)            \
    X(SEDGE_GLOBAL scan_item *, totals) \
    X(sedge_int64, blocks)

// totals[b] becomes what comes before block b. One block.
SEDGE_KERNEL(sedge_scan_offsets, SCAN_THREADS, SCAN_OFFSETS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(scan_item, tile, SCAN_TILE);
        SEDGE_SHARED(scan_item, sums, SCAN_THREADS + 1);

        SEDGE_ITEMS_1D (k, 1, SCAN_THREADS) sums[k] = scan_nothing();
        for (sedge_int64 first = b * SCAN_TILE; first < blocks; first += SCAN_TILE) {
            SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
                const sedge_int64 at = first + k * SCAN_ITEMS + j;
                scan_item item = scan_nothing();
                if (at < blocks) item = totals[at];
                tile[k * SCAN_ITEMS + j] = item;
            }
            SEDGE_BARRIER();
            scan_rows(tile, sums, 1);
            SEDGE_ITEMS (k, SCAN_THREADS, j, SCAN_ITEMS, SCAN_THREADS) {
                const sedge_int64 at = first + k * SCAN_ITEMS + j;
                if (at < blocks) totals[at] = scan_join(sums[k], tile[k * SCAN_ITEMS + j]);
            }
            scan_carry(sums);
        }
    }
}

SEDGE_KERNEL(sedge_scan, SCAN_THREADS, SCAN_TOTALS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(scan_item, tile, SCAN_TILE);
        SEDGE_SHARED(scan_item, sums, SCAN_THREADS + 1);

        SEDGE_ITEMS_1D (k, 1, SCAN_THREADS) sums[k] = totals[b];
        for (sedge_int64 first = b * SCAN_BLOCK; first < (b + 1) * SCAN_BLOCK && first < count;
             first += SCAN_TILE) {
            scan_load(tile, first, count, from SCAN_STARTS(SCAN_ACTUAL));
            scan_rows(tile, sums, SCAN_EXCLUSIVE);
            scan_store(tile, sums, first, count, to SCAN_STARTS(SCAN_ACTUAL));
            scan_carry(sums);
        }
    }
}
