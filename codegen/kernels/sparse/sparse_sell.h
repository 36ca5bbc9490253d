// A x of slices (SELL-C-sigma, Kreutzer et al. 2014): SPARSE_HEIGHT rows side by side, an item a
// row, on the host a SIMD register. Entry k of row r of a slice is at start + k SPARSE_HEIGHT + r.
// Behind sparse_common.h.
//
//   starts [slices + 1]   in values; not used with SPARSE_WIDTH > 0: all slices have this width
//   columns               SPARSE_PACKED 0: one a value, -1 is padding
//   places [slices]       SPARSE_PACKED 1: 4 (start in columns) + mode of the slice's indices
//
// Modes, by how few bytes a slice's columns can be told in (bit m of SPARSE_MODES: mode m occurs):
//   0  int a value, -1 is padding
//   1  an int for each k, then an unsigned short a value to add; 65535 is padding
//   2  an int for each k, then an unsigned char a value to add; 255 is padding
//   3  for each k how far the column is from the row's place in the order, slice SPARSE_HEIGHT + r,
//      and a word whose bit r says that row r has it: the entries lie on diagonals, and no index is
//      read at all. Slices with the same diagonals share these numbers
#pragma once

#define SPARSE_SLICES (SPARSE_THREADS / SPARSE_HEIGHT)

#define SPARSE_SELL_LIST(X)                                    \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, starts)  \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, places)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)         \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values) \
    X(sedge_int64, rows)                                       \
    SPARSE_VECTORS(X)

typedef const SEDGE_GLOBAL int *sparse_codes;
typedef const SEDGE_GLOBAL unsigned short *sparse_shorts;
typedef const SEDGE_GLOBAL unsigned char *sparse_chars;
typedef struct SEDGE_ALIGN(8) sparse_diagonal {
    int offset;
    unsigned mask;
} sparse_diagonal;
typedef const SEDGE_GLOBAL sparse_diagonal *sparse_diagonals;

// The column of entry k in row r, -1 where it is padding.
#define SPARSE_COLUMN_0(k, r) SPARSE_READ(code + (k)*SPARSE_HEIGHT + (r))
SEDGE_FUNCTION int sparse_column_1(sparse_codes code, int width, int k, int r)
{
    const int more = SPARSE_READ((sparse_shorts)(code + width) + k * SPARSE_HEIGHT + r);
    return more == 65535 ? -1 : code[k] + more;
}
SEDGE_FUNCTION int sparse_column_2(sparse_codes code, int width, int k, int r)
{
    const int more = SPARSE_READ((sparse_chars)(code + width) + k * SPARSE_HEIGHT + r);
    return more == 255 ? -1 : code[k] + more;
}
SEDGE_FUNCTION int sparse_column_3(sparse_codes code, int k, int r, int place)
{
    const sparse_diagonal diagonal = ((sparse_diagonals)code)[k];
    return (diagonal.mask >> r & 1u) != 0 ? diagonal.offset + place : -1;
}
#define SPARSE_COLUMN_1(k, r) sparse_column_1(code, width, k, r)
#define SPARSE_COLUMN_2(k, r) sparse_column_2(code, width, k, r)
#define SPARSE_COLUMN_3(k, r) sparse_column_3(code, k, r, (int)slice *SPARSE_HEIGHT + (r))

#if SEDGE_TARGET_HOST
// A slice's sums. The x of padding is x[0], and its product is dropped.
#define SPARSE_SUM(COLUMN)                                                                         \
    for (int k = 0; k < width; k++) {                                                              \
        for (int r = 0; r < SPARSE_HEIGHT; r++) {                                                  \
            const int c = COLUMN(k, r);                                                            \
            const sparse_real more = (sparse_real)value[k * SPARSE_HEIGHT + r] * x[c < 0 ? 0 : c]; \
            sum[r] += c < 0 ? (sparse_real)0 : more;                                               \
        }                                                                                          \
    }
// On diagonals x is read side by side, where all of a slice's lies inside.
#define SPARSE_SUM_3                                                                         \
    for (int k = 0; k < width; k++) {                                                        \
        const sparse_diagonal diagonal = ((sparse_diagonals)code)[k];                        \
        const SEDGE_GLOBAL sparse_value *const own = value + k * SPARSE_HEIGHT;              \
        const sparse_real *const from = x + (first_row + diagonal.offset);                   \
        if (diagonal.mask == SPARSE_FULL) {                                                  \
            for (int r = 0; r < SPARSE_HEIGHT; r++) sum[r] += (sparse_real)own[r] * from[r]; \
        } else {                                                                             \
            for (int r = 0; r < SPARSE_HEIGHT; r++)                                          \
                if ((diagonal.mask >> r & 1u) != 0) sum[r] += (sparse_real)own[r] * from[r]; \
        }                                                                                    \
    }
#define SPARSE_FULL (0xffffffffu >> (32 - SPARSE_HEIGHT))
#else
// An item's sum, SPARSE_UNROLL loads on their way at once, the last time fewer. Values and x of
// places that are not there are 0.
#define SPARSE_SUM_STEP(COLUMN, IS_THERE)                                           \
    {                                                                               \
        sparse_value v[SPARSE_UNROLL];                                              \
        sparse_real from[SPARSE_UNROLL];                                            \
        int c[SPARSE_UNROLL];                                                       \
        SEDGE_EACH (u, SPARSE_UNROLL)                                               \
            v[u] = IS_THERE ? SPARSE_READ(value + (k + u) * SPARSE_HEIGHT + r) : 0; \
        SEDGE_EACH (u, SPARSE_UNROLL) c[u] = IS_THERE ? COLUMN(k + u, r) : -1;      \
        SEDGE_EACH (u, SPARSE_UNROLL) from[u] = c[u] >= 0 ? x[c[u]] : 0;            \
        SEDGE_EACH (u, SPARSE_UNROLL) sum += (sparse_real)v[u] * from[u];           \
    }
#define SPARSE_SUM(COLUMN)                                                            \
    int k = 0;                                                                        \
    for (; k + SPARSE_UNROLL <= width; k += SPARSE_UNROLL) SPARSE_SUM_STEP(COLUMN, 1) \
    if (k < width) SPARSE_SUM_STEP(COLUMN, (k + u < width))
#define SPARSE_SUM_3 SPARSE_SUM(SPARSE_COLUMN_3)
#endif

// By the slice's mode, of those that occur.
#if !SPARSE_PACKED
#define SPARSE_SUM_ANY SPARSE_SUM(SPARSE_COLUMN_0)
#elif SPARSE_MODES == 1
#define SPARSE_SUM_ANY SPARSE_SUM(SPARSE_COLUMN_0)
#elif SPARSE_MODES == 2
#define SPARSE_SUM_ANY SPARSE_SUM(SPARSE_COLUMN_1)
#elif SPARSE_MODES == 4
#define SPARSE_SUM_ANY SPARSE_SUM(SPARSE_COLUMN_2)
#elif SPARSE_MODES == 8
#define SPARSE_SUM_ANY SPARSE_SUM_3
#else
#define SPARSE_SUM_ANY                                 \
    if ((SPARSE_MODES & 8) != 0 && mode == 3) {        \
        SPARSE_SUM_3                                   \
    } else if ((SPARSE_MODES & 4) != 0 && mode == 2) { \
        SPARSE_SUM(SPARSE_COLUMN_2)                    \
    } else if ((SPARSE_MODES & 2) != 0 && mode == 1) { \
        SPARSE_SUM(SPARSE_COLUMN_1)                    \
    } else {                                           \
        SPARSE_SUM(SPARSE_COLUMN_0)                    \
    }
#endif

// value, code, width, mode of `slice`.
#if SPARSE_WIDTH > 0
#define SPARSE_SLICE_SIZE                                             \
    const sedge_int64 start = slice * (SPARSE_WIDTH * SPARSE_HEIGHT); \
    const int width = SPARSE_WIDTH;
#else
#define SPARSE_SLICE_SIZE                    \
    const sedge_int64 start = starts[slice]; \
    const int width = (int)((starts[slice + 1] - start) / SPARSE_HEIGHT);
#endif
#if SPARSE_PACKED
#define SPARSE_SLICE                                               \
    SPARSE_SLICE_SIZE                                              \
    const int mode = (int)(places[slice] & 3);                     \
    const sparse_codes code = columns + (places[slice] >> 2);      \
    const SEDGE_GLOBAL sparse_value *const value = values + start; \
    (void)mode;
#else
#define SPARSE_SLICE                           \
    SPARSE_SLICE_SIZE                          \
    const sparse_codes code = columns + start; \
    const SEDGE_GLOBAL sparse_value *const value = values + start;
#endif

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_SELL_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_DOT_BEGIN
#if SEDGE_TARGET_HOST
        for (int s = 0; s < SPARSE_SLICES; s++) {
            const sedge_int64 slice = b * SPARSE_SLICES + s;
            const sedge_int64 first_row = slice * SPARSE_HEIGHT;
            const sedge_int64 left = rows - first_row;
            const int here = left < SPARSE_HEIGHT ? (int)left : SPARSE_HEIGHT;
            sparse_real sum[SPARSE_HEIGHT] = {0};
            if (here <= 0) break;
            SPARSE_SLICE
            SPARSE_SUM_ANY
            for (int r = 0; r < here; r++) SPARSE_PUT(first_row + r, sum[r], s * SPARSE_HEIGHT + r)
        }
#else
        SEDGE_ITEMS (s, SPARSE_SLICES, r, SPARSE_HEIGHT, SPARSE_THREADS) {
            const sedge_int64 slice = b * SPARSE_SLICES + s;
            const sedge_int64 row = slice * SPARSE_HEIGHT + r;
            if (row < rows) {
                sparse_real sum = 0;
                SPARSE_SLICE
                SPARSE_SUM_ANY
                SPARSE_PUT(row, sum, s * SPARSE_HEIGHT + r)
            }
        }
#endif
        SPARSE_DOT_END(b)
        (void)listed;
        (void)starts;
        (void)places;
    }
}
