// Map the elements of an expression and combine them, in one pass: over everything, or over one
// axis of several rows. For reduce/reduce_call.c and reduce_plan.c, which write before it
//
//   formula_state                   what is combined; formula_neutral() is an empty set's
//   reduce_map(leaves, i, numbers) an element's state, i its index along the axis
//   formula_combine(a, b)
//   formula_finish(state)           formula_result: an element of the result
//   REDUCE_ARRAYS(X)               X(k) for each array k, of reduce_type<k>; reduce_pack<k> is
//                                  REDUCE_PACK of them, loaded at once
//   REDUCE_POINTERS(X), REDUCE_NUMBERS(X), REDUCE_WALK(X)   X(type, name): parameters array<k>;
//                                  further ones of reduce_map; those of reduce_row and _element
//   reduce_place                   members at<k>: offsets into the arrays, in elements
//   reduce_row(row), reduce_element(i)           places; the second where REDUCE_ELEMENTS
//   REDUCE_STEP<k>, REDUCE_SIDE<k> how far the next element, the next column is
//   REDUCE_SAME<k>                 1: all elements of a row are one
//   REDUCE_STREAMED                1: the arrays are too large for caches
//   REDUCE_STRIPED                 1: the blocks of a row take its tiles by turns; 0: a piece each
//   REDUCE_TILES                   tiles whose loads stand together
//   REDUCE_PIECES                  cuts of groups of rows that a block takes, one after the other
//   REDUCE_LAST                    1: one row, and the last block finishes it (cuda)
//   REDUCE_FINISH_THREADS, REDUCE_FINISH_MANY   of the second kernel, see there
//
// A block has REDUCE_ROWS rows of REDUCE_LANES items each, both powers of two. Which item takes
// which elements, and the tree in which they are combined, follow from these numbers, the length
// and its cuts alone. An item adds REDUCE_RUN tiles to one sum and such sums to another, so that
// long chains of rounding errors do not arise.
//
//   REDUCE_ONE      one row a block
//   REDUCE_COLUMNS  rows are side by side in memory, at least REDUCE_ROWS of them
//   REDUCE_MANY     any rows
//
// Neighbouring items are neighbours along the axis, or, with REDUCE_ROWS_FAST, in different rows.
#pragma once

#define REDUCE_ONE     0
#define REDUCE_COLUMNS 1
#define REDUCE_MANY    2

#define REDUCE_THREADS (REDUCE_ROWS * REDUCE_LANES)
#define REDUCE_JUMP    (REDUCE_LANES * REDUCE_PACK)  // from one pack of an item to its next
#define REDUCE_TILE    (REDUCE_UNROLL * REDUCE_JUMP) // elements of a row at once
#define REDUCE_VALUES  (REDUCE_UNROLL * REDUCE_PACK) // of these, an item's: at most 32

// Items (g, k) of a block; neighbours have neighbouring k.
#if REDUCE_ROWS_FAST
#define REDUCE_GROUPS        REDUCE_LANES
#define REDUCE_WIDTH         REDUCE_ROWS
#define REDUCE_ROW_OF(g, k)  (k)
#define REDUCE_LANE_OF(g, k) (g)
#define REDUCE_LANE_STEP     REDUCE_WIDTH
#else
#define REDUCE_GROUPS        REDUCE_ROWS
#define REDUCE_WIDTH         REDUCE_LANES
#define REDUCE_ROW_OF(g, k)  (g)
#define REDUCE_LANE_OF(g, k) (k)
#define REDUCE_LANE_STEP     1
#endif
#define REDUCE_ITEMS(g, k)      SEDGE_ITEMS (g, REDUCE_GROUPS, k, REDUCE_WIDTH, REDUCE_THREADS)
#define REDUCE_MINE(name, g, k) SEDGE_MINE(name, (g)*REDUCE_WIDTH + (k))[0]

#define REDUCE_FORMAL(type, name) , type name
#define REDUCE_ACTUAL(type, name) , name

// The place of element i of a row in array k.
#if REDUCE_ELEMENTS
#define REDUCE_AT(k, i) (reduce_element((i)REDUCE_WALK(REDUCE_ACTUAL)).at##k)
#else
#define REDUCE_AT(k, i) (place.at##k + (i) * (REDUCE_STEP##k))
#endif

#define REDUCE_DECLARE(k) reduce_pack##k pack##k[REDUCE_UNROLL];
#define REDUCE_LOAD_PACK(k)                                                       \
    if (REDUCE_SAME##k) {                                                         \
        SEDGE_EACH (p, REDUCE_PACK) pack##k[u].w[p] = array##k[REDUCE_AT(k, at)]; \
    } else {                                                                      \
        REDUCE_FETCH(k, array##k + REDUCE_AT(k, at))                              \
    }
#if REDUCE_STREAMED && SEDGE_TARGET_CUDA // nobody else reads it soon: caches need not keep it
#define REDUCE_FETCH(k, from)                            \
    if (sizeof(reduce_pack##k) == sizeof(int4)) {        \
        const int4 words = __ldcs((const int4 *)(from)); \
        memcpy(&pack##k[u], &words, sizeof words);       \
    } else {                                             \
        pack##k[u] = *(const reduce_pack##k *)(from);    \
    }
#else
#define REDUCE_FETCH(k, from) pack##k[u] = *(const SEDGE_GLOBAL reduce_pack##k *)(from);
#endif
#define REDUCE_LOAD_ONE(k)  pack##k[u].w[p] = array##k[REDUCE_AT(k, at + p)];
#define REDUCE_PICK(k)      const reduce_type##k leaf##k = pack##k[u].w[p];
#define REDUCE_LOAD_LEAF(k) const reduce_type##k leaf##k = array##k[REDUCE_AT(k, first)];
#define REDUCE_LEAF_NAME(k) leaf##k,
#define REDUCE_MOVE(k)      own.at##k += column * (REDUCE_SIDE##k);

// The elements of one item in a tile, the first at `first`, combined. All lie before `end` if
// `whole`. The loads stand together, so that all are on their way before the first is waited for.
SEDGE_FUNCTION formula_state reduce_tile(const reduce_place place, sedge_int64 first,
                                         sedge_int64 end,
                                         const int whole REDUCE_POINTERS(REDUCE_FORMAL)
                                             REDUCE_NUMBERS(REDUCE_FORMAL)
                                                 REDUCE_WALK(REDUCE_FORMAL))
{
#if REDUCE_VALUES == \
    1 // the host's compiler wants no loops here, to make the caller's one of vectors
    if (!whole && first >= end) return formula_neutral();
    REDUCE_ARRAYS(REDUCE_LOAD_LEAF)
    (void)place;
    return reduce_map(REDUCE_ARRAYS(REDUCE_LEAF_NAME) first REDUCE_NUMBERS(REDUCE_ACTUAL));
#else
    formula_state value[REDUCE_VALUES];
    REDUCE_ARRAYS(REDUCE_DECLARE)

    SEDGE_EACH (u, REDUCE_UNROLL) {
        const sedge_int64 at = first + (sedge_int64)u * REDUCE_JUMP;
        if (whole || at + REDUCE_PACK <= end) {
            REDUCE_ARRAYS(REDUCE_LOAD_PACK)
        } else {
            SEDGE_EACH (p, REDUCE_PACK)
                if (at + p < end) {
                    REDUCE_ARRAYS(REDUCE_LOAD_ONE)
                }
        }
    }
    SEDGE_EACH (u, REDUCE_UNROLL)
        SEDGE_EACH (p, REDUCE_PACK) {
            const sedge_int64 at = first + (sedge_int64)u * REDUCE_JUMP + p;
            value[u * REDUCE_PACK + p] = formula_neutral();
            if (whole || at < end) {
                REDUCE_ARRAYS(REDUCE_PICK)
                value[u * REDUCE_PACK + p] =
                    reduce_map(REDUCE_ARRAYS(REDUCE_LEAF_NAME) at REDUCE_NUMBERS(REDUCE_ACTUAL));
            }
        }
    // Within a pack by pairs, then pack by pack: that wants few registers.
    SEDGE_EACH (level, 4)
        SEDGE_EACH (j, REDUCE_VALUES) {
            const int half = REDUCE_PACK >> (level + 1);
            if (j % REDUCE_PACK < half) value[j] = formula_combine(value[j], value[j + half]);
        }
    SEDGE_EACH (u, REDUCE_UNROLL - 1)
        value[0] = formula_combine(value[0], value[(u + 1) * REDUCE_PACK]);
    (void)place;
    return value[0];
#endif
}

// With one row on a GPU of NVIDIA's there is no second kernel, and `parts` is read where it is
// written: by another block, behind a fence.
#if REDUCE_LAST
#define REDUCE_PARTS SEDGE_GLOBAL formula_state *
#else
#define REDUCE_PARTS SEDGE_GLOBAL formula_state *SEDGE_RESTRICT
#endif

// Below 32 items a warp is left, where all are neighbours.
#if SEDGE_TARGET_CUDA && REDUCE_FORM == REDUCE_ONE
#define REDUCE_TREE_BARRIER(half) \
    if ((half) >= 32)             \
        SEDGE_BARRIER();          \
    else                          \
        __syncwarp();
#else
#define REDUCE_TREE_BARRIER(half) SEDGE_BARRIER()
#endif

// parts [cuts][rows], to [rows]. `ended`: with REDUCE_LAST the device block counter, which the last
// block resets. A row of `length` elements is cut every `chunk`, and with one cut the result is
// written at once. `columns`: rows side by side, of REDUCE_COLUMNS. `pieces`: cuts of all groups of
// rows.
#define REDUCE_LIST(X)                                 \
    X(REDUCE_PARTS, parts)                             \
    X(SEDGE_GLOBAL formula_result *SEDGE_RESTRICT, to) \
    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, ended)         \
    X(sedge_int64, rows)                               \
    X(sedge_int64, columns)                            \
    X(sedge_int64, length)                             \
    X(sedge_int64, chunk)                              \
    X(sedge_int64, cuts)                               \
    X(sedge_int64, pieces)                             \
    REDUCE_POINTERS(X)                                 \
    REDUCE_NUMBERS(X)                                  \
    REDUCE_WALK(X)

#define REDUCE_REST \
    REDUCE_POINTERS(REDUCE_ACTUAL) REDUCE_NUMBERS(REDUCE_ACTUAL) REDUCE_WALK(REDUCE_ACTUAL)

#if REDUCE_FORM == REDUCE_COLUMNS
#define REDUCE_OWN_PLACE(g, k)                                     \
    reduce_place own = place;                                      \
    const sedge_int64 column = first_column + REDUCE_ROW_OF(g, k); \
    REDUCE_ARRAYS(REDUCE_MOVE)
#elif REDUCE_FORM == REDUCE_MANY
#define REDUCE_OWN_PLACE(g, k) const reduce_place own = REDUCE_MINE(places, g, k);
#else
#define REDUCE_OWN_PLACE(g, k) const reduce_place own = place;
#endif

// The pieces of block b.
#if REDUCE_PIECES > 1
#define REDUCE_EACH_PIECE(piece, b)                                        \
    const sedge_int64 far_piece = ((b) + 1) * REDUCE_PIECES;               \
    const sedge_int64 end_piece = far_piece < pieces ? far_piece : pieces; \
    for (sedge_int64 piece = (b)*REDUCE_PIECES; piece < end_piece; piece++)
#else
#define REDUCE_EACH_PIECE(piece, b) for (sedge_int64 piece = (b); piece == (b); piece++)
#endif

SEDGE_KERNEL_RESIDENT(sedge_reduce, REDUCE_THREADS, REDUCE_RESIDENT, REDUCE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(formula_state, tree, REDUCE_THREADS);
        SEDGE_PRIVATE(formula_state, total, REDUCE_THREADS, 1);
        SEDGE_PRIVATE(formula_state, run, REDUCE_THREADS, 1);
#if REDUCE_FORM == REDUCE_MANY
        SEDGE_PRIVATE(reduce_place, places, REDUCE_THREADS, 1);
#endif
        REDUCE_EACH_PIECE(piece, b)
        {
            const sedge_int64 group = piece / cuts;
            const sedge_int64 cut = piece - group * cuts;
#if REDUCE_STRIPED
            const sedge_int64 step = cuts * REDUCE_TILE; // from one tile to the block's next
            const sedge_int64 end = length;
            sedge_int64 first = cut * REDUCE_TILE;
#else
            const sedge_int64 step = REDUCE_TILE;
            const sedge_int64 end = (cut + 1) * chunk < length ? (cut + 1) * chunk : length;
            sedge_int64 first = cut * chunk;
#endif

#if REDUCE_FORM == REDUCE_COLUMNS
            // The last group of columns overlaps the one before it, so that all are full.
            const sedge_int64 groups = (columns + REDUCE_ROWS - 1) / REDUCE_ROWS;
            const sedge_int64 wanted_column = group % groups * REDUCE_ROWS;
            const sedge_int64 last_column = columns - REDUCE_ROWS;
            const sedge_int64 first_column =
                wanted_column < last_column ? wanted_column : last_column;
            const sedge_int64 first_row = group / groups * columns + first_column;
            const sedge_int64 own_rows = group / groups * columns + wanted_column;
            const reduce_place place = reduce_row(group / groups REDUCE_WALK(REDUCE_ACTUAL));
#else
            const sedge_int64 first_row = group * REDUCE_ROWS;
            const sedge_int64 own_rows = first_row;
#if REDUCE_FORM == REDUCE_ONE
            const reduce_place place = reduce_row(group REDUCE_WALK(REDUCE_ACTUAL));
#else
            REDUCE_ITEMS(g, k)
            {
                const sedge_int64 row = first_row + REDUCE_ROW_OF(g, k);
                REDUCE_MINE(places, g, k) =
                    reduce_row((row < rows ? row : rows - 1) REDUCE_WALK(REDUCE_ACTUAL));
            }
#endif
#endif
            REDUCE_ITEMS(g, k)
            {
                REDUCE_MINE(total, g, k) = formula_neutral();
                REDUCE_MINE(run, g, k) = formula_neutral();
            }
            while (first < end) {
                const sedge_int64 far = first + (sedge_int64)REDUCE_RUN * step;
                const sedge_int64 stop = far < end ? far : end;
#if REDUCE_TILES > 1
                const sedge_int64 several = (REDUCE_TILES - 1) * step + REDUCE_TILE;
                for (; first + several <= stop; first += REDUCE_TILES * step) REDUCE_ITEMS(g, k)
                    {
                        REDUCE_OWN_PLACE(g, k)
                        SEDGE_EACH (h, REDUCE_TILES)
                            REDUCE_MINE(run, g, k) = formula_combine(
                                REDUCE_MINE(run, g, k),
                                reduce_tile(own,
                                            first + h * step + REDUCE_LANE_OF(g, k) * REDUCE_PACK,
                                            stop, 1 REDUCE_REST));
                    }
#endif
                for (; first + REDUCE_TILE <= stop; first += step) REDUCE_ITEMS(g, k)
                    {
                        REDUCE_OWN_PLACE(g, k)
                        REDUCE_MINE(run, g, k) = formula_combine(
                            REDUCE_MINE(run, g, k),
                            reduce_tile(own, first + REDUCE_LANE_OF(g, k) * REDUCE_PACK, stop,
                                        1 REDUCE_REST));
                    }
                if (first < stop) {
                    REDUCE_ITEMS(g, k)
                    {
                        REDUCE_OWN_PLACE(g, k)
                        REDUCE_MINE(run, g, k) = formula_combine(
                            REDUCE_MINE(run, g, k),
                            reduce_tile(own, first + REDUCE_LANE_OF(g, k) * REDUCE_PACK, stop,
                                        0 REDUCE_REST));
                    }
                    first = stop;
                }
                REDUCE_ITEMS(g, k)
                {
                    REDUCE_MINE(total, g, k) =
                        formula_combine(REDUCE_MINE(total, g, k), REDUCE_MINE(run, g, k));
                    REDUCE_MINE(run, g, k) = formula_neutral();
                }
            }

            REDUCE_ITEMS(g, k) tree[g * REDUCE_WIDTH + k] = REDUCE_MINE(total, g, k);
            for (int half = REDUCE_LANES / 2; half > 0; half /= 2) {
                REDUCE_TREE_BARRIER(half);
                REDUCE_ITEMS(g, k)
                if (REDUCE_LANE_OF(g, k) < half) {
                    const int t = g * REDUCE_WIDTH + k;
                    tree[t] = formula_combine(tree[t], tree[t + half * REDUCE_LANE_STEP]);
                }
            }
            // Lane 0 of a row has made its last step itself: no barrier is needed here.
            REDUCE_ITEMS(g, k)
            {
                const sedge_int64 row = first_row + REDUCE_ROW_OF(g, k);
                if (REDUCE_LANE_OF(g, k) == 0 && row >= own_rows && row < rows) {
                    const formula_state state = tree[g * REDUCE_WIDTH + k];
                    if (cuts == 1)
                        to[row] = formula_finish(state);
                    else
                        parts[cut * rows + row] = state;
                }
            }
#if REDUCE_PIECES > 1
            SEDGE_BARRIER(); // the next piece has the same tree
#endif
        }
#if REDUCE_LAST
        // The block that ends last adds the parts up, as sedge_reduce_finish would.
        __shared__ int is_last;
        if (SEDGE_THREAD == 0) {
            __threadfence();
            is_last = atomicAdd(ended, 1) == (int)((pieces - 1) / REDUCE_PIECES);
        }
        __syncthreads();
        if (is_last) {
            formula_state sum = formula_neutral();
            __threadfence();
            for (int part = SEDGE_THREAD; part < (int)cuts; part += REDUCE_THREADS)
                sum = formula_combine(sum, parts[part]);
            tree[SEDGE_THREAD] = sum;
            for (int half = REDUCE_THREADS / 2; half > 0; half /= 2) {
                REDUCE_TREE_BARRIER(half);
                if (SEDGE_THREAD < half)
                    tree[SEDGE_THREAD] =
                        formula_combine(tree[SEDGE_THREAD], tree[SEDGE_THREAD + half]);
            }
            if (SEDGE_THREAD == 0) {
                to[0] = formula_finish(tree[0]);
                *ended = 0; // for the next launch
            }
        }
#endif
    }
}

// The parts of each row: one row an item where there are many rows, else one a block.
#define REDUCE_FINISH_LIST(X)                                  \
    X(const SEDGE_GLOBAL formula_state *SEDGE_RESTRICT, parts) \
    X(SEDGE_GLOBAL formula_result *SEDGE_RESTRICT, to)         \
    X(sedge_int64, rows)                                       \
    X(sedge_int64, cuts)

SEDGE_KERNEL_RESIDENT(sedge_reduce_finish, REDUCE_FINISH_THREADS, 4 * REDUCE_FINISH_THREADS,
                      REDUCE_FINISH_LIST)
{
    SEDGE_OUTER (b) {
#if REDUCE_FINISH_MANY
        SEDGE_ITEMS_1D (k, REDUCE_FINISH_THREADS, REDUCE_FINISH_THREADS) {
            const sedge_int64 row = b * REDUCE_FINISH_THREADS + k;
            if (row < rows) {
                formula_state sum = formula_neutral();
                for (sedge_int64 first = 0; first < cuts; first += 16) {
                    formula_state run = formula_neutral();
                    for (sedge_int64 cut = first; cut < first + 16 && cut < cuts; cut++)
                        run = formula_combine(run, parts[cut * rows + row]);
                    sum = formula_combine(sum, run);
                }
                to[row] = formula_finish(sum);
            }
        }
#else
        SEDGE_SHARED(formula_state, tree, REDUCE_FINISH_THREADS);
        SEDGE_ITEMS_1D (k, REDUCE_FINISH_THREADS, REDUCE_FINISH_THREADS) {
            formula_state sum = formula_neutral();
            for (sedge_int64 cut = k; cut < cuts; cut += REDUCE_FINISH_THREADS)
                sum = formula_combine(sum, parts[cut * rows + b]);
            tree[k] = sum;
        }
        for (int half = REDUCE_FINISH_THREADS / 2; half > 0; half /= 2) {
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (k, half, REDUCE_FINISH_THREADS)
                tree[k] = formula_combine(tree[k], tree[k + half]);
        }
        SEDGE_ITEMS_1D (k, 1, REDUCE_FINISH_THREADS) to[b] = formula_finish(tree[k]);
#endif
    }
}
