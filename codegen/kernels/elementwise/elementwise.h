// One operation for each element of arrays. The source before this file is made for one expression
// or snippet, and defines
//
//   sedge_body              the operation, on values of one element
//   SEDGE_PARAMETERS(X)     the kernel's parameters; the last is sedge_count or sedge_layout
//   SEDGE_CONSTANTS         variables for operands of one element, read once
//   SEDGE_ELEMENT(i, n)     the operation on element i; n is its index in the last dimension
//   SEDGE_DIMENSIONS        0: all operands are contiguous, element i is at i
//   SEDGE_STRIDED           operands with strides
//   SEDGE_THREADS, SEDGE_PACKS, SEDGE_PACK
//                           threads of a block, packs a thread, elements a pack
//   SEDGE_PACK_VARIABLES, SEDGE_PACK_LOAD(j, p), SEDGE_PACK_BODY(j, k, i), SEDGE_PACK_STORE(j, p)
//                           packs of all operands; load pack p as the thread's j-th; the operation
//                           on its k-th element, which is element i; store
//   sedge_index             holds every index; SEDGE_WIDE: it has 64 bits
#pragma once

#define SEDGE_BLOCK (SEDGE_THREADS * SEDGE_PACKS * SEDGE_PACK) // elements

// The turns of the loop do not depend on each other: operands are the result itself, or apart.
#ifdef __clang__
#define SEDGE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SEDGE_INDEPENDENT _Pragma("GCC ivdep")
#endif

#if SEDGE_DIMENSIONS == 0

SEDGE_KERNEL(sedge_elements, SEDGE_THREADS, SEDGE_PARAMETERS)
{
    SEDGE_OUTER (b) {
        SEDGE_CONSTANTS
#if SEDGE_TARGET_HOST
        const sedge_int64 first = b * SEDGE_BLOCK;
        const sedge_int64 end = first + SEDGE_BLOCK;
        const sedge_int64 last = end < sedge_count ? end : sedge_count;

        SEDGE_INDEPENDENT
        for (sedge_int64 i = first; i < last; i++) SEDGE_ELEMENT(i, i)
#else
        SEDGE_ITEMS_1D (t, SEDGE_THREADS, SEDGE_THREADS) {
            const sedge_index packs = (sedge_index)(sedge_count / SEDGE_PACK);
            const sedge_index first = (sedge_index)b * (SEDGE_THREADS * SEDGE_PACKS) + t;
            const sedge_index rest = packs * SEDGE_PACK + t;
            SEDGE_PACK_VARIABLES

            SEDGE_EACH (j, SEDGE_PACKS) {
                const sedge_index p = first + j * SEDGE_THREADS;
                if (p < packs) {
                    SEDGE_PACK_LOAD(j, p)
                }
            }
            SEDGE_EACH (j, SEDGE_PACKS) {
                const sedge_index p = first + j * SEDGE_THREADS;
                if (p < packs) {
                    SEDGE_EACH (k, SEDGE_PACK) {
                        SEDGE_PACK_BODY(j, k, p * SEDGE_PACK + k)
                    }
                    SEDGE_PACK_STORE(j, p)
                }
            }
            if (b == 0 && rest < sedge_count) SEDGE_ELEMENT(rest, rest) // less than a pack
        }
#endif
    }
}

#else

// n / shape[d]; in 32 bits by a product (Granlund and Montgomery 1994), for n below 2^31.
SEDGE_FUNCTION sedge_index sedge_divide_index(const sedge_layout_of_operands *layout, sedge_index n,
                                              int d)
{
#if SEDGE_WIDE
    return n / layout->shape[d];
#else
    const unsigned high = (unsigned)(((sedge_uint64)(unsigned)n * layout->multiplier[d]) >> 32);
    return (sedge_index)((high + (unsigned)n) >> layout->shift[d]);
#endif
}

// Indices from the count of the elements in C order: offsets of the strided operands by all but the
// last dimension; the index in the last is returned.
SEDGE_FUNCTION sedge_index sedge_place(const sedge_layout_of_operands *layout, sedge_index i,
                                       sedge_index *offset)
{
    sedge_index rest = sedge_divide_index(layout, i, SEDGE_DIMENSIONS - 1);
    const sedge_index last = i - rest * layout->shape[SEDGE_DIMENSIONS - 1];

    SEDGE_EACH (o, SEDGE_STRIDED) offset[o] = 0;
    SEDGE_EACH (e, SEDGE_DIMENSIONS - 1) {
        const int d = SEDGE_DIMENSIONS - 2 - e;
        const sedge_index next = d > 0 ? sedge_divide_index(layout, rest, d) : 0;
        const sedge_index n = rest - next * layout->shape[d];
        SEDGE_EACH (o, SEDGE_STRIDED) offset[o] += n * layout->stride[o][d];
        rest = next;
    }
    return last;
}

SEDGE_KERNEL(sedge_elements, SEDGE_THREADS, SEDGE_PARAMETERS)
{
    SEDGE_OUTER (b) {
        SEDGE_CONSTANTS
#if SEDGE_TARGET_HOST
        const sedge_int64 end = (b + 1) * SEDGE_BLOCK;
        const sedge_int64 last = end < sedge_layout.count ? end : sedge_layout.count;

        for (sedge_int64 i = b * SEDGE_BLOCK, run = 0; i < last; i += run) {
            sedge_index offset[SEDGE_STRIDED];
            const sedge_index n = sedge_place(&sedge_layout, i, offset);
            run = sedge_layout.shape[SEDGE_DIMENSIONS - 1] - n;
            if (run > last - i) run = last - i;
            SEDGE_INDEPENDENT
            for (sedge_int64 m = 0; m < run; m++) SEDGE_ELEMENT(i + m, n + m)
        }
#else
        SEDGE_ITEMS_1D (t, SEDGE_THREADS, SEDGE_THREADS) {
            const sedge_index first = (sedge_index)b * SEDGE_BLOCK + t;

            SEDGE_EACH (j, SEDGE_PACKS * SEDGE_PACK) {
                const sedge_index i = first + j * SEDGE_THREADS;
                if (i < sedge_layout.count) {
                    sedge_index offset[SEDGE_STRIDED];
                    const sedge_index n = sedge_place(&sedge_layout, i, offset);
                    SEDGE_ELEMENT(i, n)
                }
            }
        }
#endif
    }
}

#endif
