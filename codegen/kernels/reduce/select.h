// Selection: elements where a mask is not 0, elements at indices, and values put there. For
// reduce/select.c, which writes before it
//
//   select_unit                  a type of an element's size: elements are only copied
//   SELECT_COMPRESS              with select_mask, the mask's type
//   SELECT_TAKE, SELECT_PUT      with select_index, the type of indices; SELECT_DIMENSIONS, of the
//                                array that is taken from or put into (0: contiguous), and
//                                SELECT_WALK(X), its sizes size<d> and strides stride<d>
//   SELECT_THREADS, SELECT_ITEMS threads of a block, elements a thread
#pragma once

#define SELECT_TILE (SELECT_THREADS * SELECT_ITEMS)

#if SELECT_COMPRESS

// counts[b]: how many elements of block b are taken.
#define SELECT_COUNT_LIST(X)                                \
    X(const SEDGE_GLOBAL select_mask *SEDGE_RESTRICT, mask) \
    X(SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, counts)     \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_select_count, SELECT_THREADS, SELECT_COUNT_LIST)
{
    SEDGE_OUTER (b) {
#if SEDGE_TARGET_HOST
        const sedge_int64 end = (b + 1) * SELECT_TILE < count ? (b + 1) * SELECT_TILE : count;
        int sum = 0;
        for (sedge_int64 at = b * SELECT_TILE; at < end; at++) sum += mask[at] != 0;
        counts[b] = sum;
#else
        SEDGE_SHARED(int, sums, SELECT_THREADS);

        SEDGE_ITEMS_1D (k, SELECT_THREADS, SELECT_THREADS) {
            int sum = 0;
            SEDGE_EACH (j, SELECT_ITEMS) {
                const sedge_int64 at = b * SELECT_TILE + j * SELECT_THREADS + k;
                if (at < count) sum += mask[at] != 0;
            }
            sums[k] = sum;
        }
        for (int half = SELECT_THREADS / 2; half > 0; half /= 2) {
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (k, half, SELECT_THREADS) sums[k] += sums[k + half];
        }
        SEDGE_ITEMS_1D (k, 1, SELECT_THREADS) counts[b] = sums[k];
#endif
    }
}

// to[..]: the elements taken; ends[b] is where those of block b end.
#define SELECT_WRITE_LIST(X)                                \
    X(const SEDGE_GLOBAL select_unit *SEDGE_RESTRICT, from) \
    X(const SEDGE_GLOBAL select_mask *SEDGE_RESTRICT, mask) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, ends) \
    X(SEDGE_GLOBAL select_unit *SEDGE_RESTRICT, to)         \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_select_write, SELECT_THREADS, SELECT_WRITE_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = b > 0 ? ends[b - 1] : 0;
#if SEDGE_TARGET_HOST // what is not taken is written over by the next, and nothing behind the end
        sedge_int64 at = b * SELECT_TILE;
        for (sedge_int64 next = start; next < ends[b]; at++) {
            to[next] = from[at];
            next += mask[at] != 0;
        }
        (void)count;
#else
        SEDGE_SHARED(short, place, SELECT_TILE); // of each element among those taken; -1: not taken
        SEDGE_SHARED(int, sums, SELECT_THREADS + 1);
        SEDGE_PRIVATE(int, sum, SELECT_THREADS, 1);

        SEDGE_ITEMS (j, SELECT_ITEMS, k, SELECT_THREADS, SELECT_THREADS) {
            const int e = j * SELECT_THREADS + k;
            const sedge_int64 at = b * SELECT_TILE + e;
            place[e] = at < count && mask[at] != 0 ? 0 : -1;
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (k, SELECT_THREADS, SELECT_THREADS) {
            int own = 0;
            for (int j = 0; j < SELECT_ITEMS; j++) own += place[k * SELECT_ITEMS + j] == 0;
            sums[k + 1] = own;
            if (k == 0) sums[0] = 0;
        }
        for (int step = 1; step < SELECT_THREADS; step *= 2) {
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (k, SELECT_THREADS, SELECT_THREADS)
                SEDGE_MINE(sum, k)[0] = sums[k + 1] + (k >= step ? sums[k + 1 - step] : 0);
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (k, SELECT_THREADS, SELECT_THREADS) sums[k + 1] = SEDGE_MINE(sum, k)[0];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (k, SELECT_THREADS, SELECT_THREADS) {
            int next = sums[k];
            for (int j = 0; j < SELECT_ITEMS; j++) {
                const int e = k * SELECT_ITEMS + j;
                if (place[e] == 0) place[e] = (short)next++;
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (j, SELECT_ITEMS, k, SELECT_THREADS, SELECT_THREADS) {
            const int e = j * SELECT_THREADS + k;
            if (place[e] >= 0) to[start + place[e]] = from[b * SELECT_TILE + e];
        }
#endif
    }
}

#else

#define SELECT_FORMAL(type, name) , type name
#define SELECT_ACTUAL(type, name) , name

#define SELECT_DIGIT(d)                               \
    {                                                 \
        const sedge_int64 next = rest / size##d;      \
        place += (rest - next * size##d) * stride##d; \
        rest = next;                                  \
    }

// Where the element at `index` lies; negative indices count from the end.
SEDGE_FUNCTION sedge_int64 select_place(const select_index index,
                                        sedge_int64 elements SELECT_WALK(SELECT_FORMAL))
{
    sedge_int64 rest = (sedge_int64)index;
    sedge_int64 place = 0;

    if (rest < 0) rest += elements;
#if SELECT_DIMENSIONS == 0
    place = rest;
#endif
#if SELECT_DIMENSIONS > 7
    SELECT_DIGIT(7)
#endif
#if SELECT_DIMENSIONS > 6
    SELECT_DIGIT(6)
#endif
#if SELECT_DIMENSIONS > 5
    SELECT_DIGIT(5)
#endif
#if SELECT_DIMENSIONS > 4
    SELECT_DIGIT(4)
#endif
#if SELECT_DIMENSIONS > 3
    SELECT_DIGIT(3)
#endif
#if SELECT_DIMENSIONS > 2
    SELECT_DIGIT(2)
#endif
#if SELECT_DIMENSIONS > 1
    SELECT_DIGIT(1)
#endif
#if SELECT_DIMENSIONS > 0
    SELECT_DIGIT(0)
#endif
    return place;
}

// take: to[k] = from[indices[k]]; put: to[indices[k]] = from[k]. `elements` of the array that the
// indices are of.
#define SELECT_LIST(X)                                          \
    X(const SEDGE_GLOBAL select_unit *SEDGE_RESTRICT, from)     \
    X(const SEDGE_GLOBAL select_index *SEDGE_RESTRICT, indices) \
    X(SEDGE_GLOBAL select_unit *SEDGE_RESTRICT, to)             \
    X(sedge_int64, count)                                       \
    X(sedge_int64, elements)                                    \
    SELECT_WALK(X)

SEDGE_KERNEL(sedge_select, SELECT_THREADS, SELECT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (j, SELECT_ITEMS, k, SELECT_THREADS, SELECT_THREADS) {
            const sedge_int64 at = b * SELECT_TILE + j * SELECT_THREADS + k;
            if (at < count) {
                const sedge_int64 place =
                    select_place(indices[at], elements SELECT_WALK(SELECT_ACTUAL));
#if SELECT_TAKE
                to[at] = from[place];
#else
                to[place] = from[at];
#endif
            }
        }
    }
}

#endif
