// Conjugate gradients in one kernel that keeps all in block memory: of one block, or of
// KRYLOV_CLUSTER blocks that run side by side, for matrices that fit. Behind krylov.h.
#pragma once

// `steps` iterations of the form with one sum (Chronopoulos and Gear 1989), after krylov_residual.
// A block has the rows b chunk .. (b + 1) chunk - 1, their part of the matrix, of at most `room`
// entries, and of r, x, d, s, w = A u and, with a diagonal M, of M and u = M r. Blocks read u in
// each other's memory, and leave their sums there: two meetings of all blocks an iteration.
// KRYLOV_KEEP: bytes of a block's memory, where they are not given by the launch.
#define KRYLOV_KEEP_LIST(X)                                    \
    X(SEDGE_GLOBAL double *, state)                            \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, history)            \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)         \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, values)  \
    X(SEDGE_GLOBAL krylov_real *, x)                           \
    X(SEDGE_GLOBAL krylov_real *, r)                           \
    X(SEDGE_GLOBAL krylov_real *, d)                           \
    X(SEDGE_GLOBAL krylov_real *, s)                           \
    X(const SEDGE_GLOBAL krylov_real *, m)                     \
    X(int, rows)                                               \
    X(int, chunk)                                              \
    X(int, room)                                               \
    X(int, steps)

#define KRYLOV_KEEP_ITEMS(k) \
    SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_KEEP_THREADS, KRYLOV_KEEP_THREADS)
#define KRYLOV_KEEP_BLOCKS SEDGE_CLUSTER_OF(KRYLOV_CLUSTER)

// Loads of an item that are on their way at once.
#define KRYLOV_KEEP_BATCH 8

#define KRYLOV_KEEP_ROWS(row) for (int row = k + krylov_one; row < mine; row += KRYLOV_KEEP_THREADS)

// Where u of a column is: the block, and the row there.
#define KRYLOV_KEEP_CODE(column) ((column) / chunk << 20 | (column) % chunk)

// The sums of three trees [KRYLOV_KEEP_THREADS] over all blocks, for all items; `third` where M is
// a diagonal only. The blocks meet once.
#define KRYLOV_KEEP_SUMS(first_tree, second_tree, third_tree)                         \
    KRYLOV_TREES(first_tree, second_tree, KRYLOV_KEEP_THREADS, 16);                   \
    KRYLOV_DIAGONAL_ONLY(KRYLOV_TREE(third_tree, KRYLOV_KEEP_THREADS, 16);)           \
    double rr = first_tree[0];                                                        \
    double delta = second_tree[0];                                                    \
    KRYLOV_DIAGONAL_ONLY(double gamma_sum = third_tree[0];)                           \
    if (KRYLOV_KEEP_BLOCKS > 1) {                                                     \
        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_KEEP_BLOCKS, KRYLOV_KEEP_THREADS) {     \
            const int place = (int)b + krylov_one;                                    \
            SEDGE_CLUSTER_PUT(parts + place, rr, k);                                  \
            SEDGE_CLUSTER_PUT(parts + place + KRYLOV_CLUSTER, delta, k);              \
            KRYLOV_DIAGONAL_ONLY(                                                     \
                SEDGE_CLUSTER_PUT(parts + place + 2 * KRYLOV_CLUSTER, gamma_sum, k);) \
        }                                                                             \
        SEDGE_CLUSTER_BARRIER();                                                      \
        rr = 0.0;                                                                     \
        delta = 0.0;                                                                  \
        KRYLOV_DIAGONAL_ONLY(gamma_sum = 0.0;)                                        \
        SEDGE_EACH (i, KRYLOV_KEEP_BLOCKS) {                                          \
            rr += parts[i];                                                           \
            delta += parts[i + KRYLOV_CLUSTER];                                       \
            KRYLOV_DIAGONAL_ONLY(gamma_sum += parts[i + 2 * KRYLOV_CLUSTER];)         \
        }                                                                             \
    }

#if KRYLOV_M_DIAGONAL
#define KRYLOV_KEEP_GAMMA         gamma_sum
#define KRYLOV_KEEP_U(row, value) (own_m[row] * (value))
#else
#define KRYLOV_KEEP_GAMMA         rr
#define KRYLOV_KEEP_U(row, value) (value)
#endif

// Row of the block's own matrix times u, KRYLOV_KEEP_BATCH loads on their way at once.
SEDGE_FUNCTION krylov_real krylov_kept_row(const SEDGE_BLOCKWIDE int *own_columns,
                                           const SEDGE_BLOCKWIDE krylov_real *own_values,
                                           const SEDGE_BLOCKWIDE krylov_real *own_u, int first,
                                           int end)
{
    krylov_real product = 0;

    for (int j = first; j < end; j += KRYLOV_KEEP_BATCH) {
        int code[KRYLOV_KEEP_BATCH];
        krylov_real from[KRYLOV_KEEP_BATCH];
        SEDGE_EACH (i, KRYLOV_KEEP_BATCH) code[i] = own_columns[j + i < end ? j + i : j];
        SEDGE_EACH (i, KRYLOV_KEEP_BATCH)
            from[i] = SEDGE_CLUSTER_GET(own_u + (code[i] & 0xfffff), code[i] >> 20);
        SEDGE_EACH (i, KRYLOV_KEEP_BATCH)
            if (j + i < end) product += own_values[j + i] * from[i];
    }
    return product;
}

SEDGE_KERNEL_CLUSTER(krylov_keep, KRYLOV_KEEP_THREADS, KRYLOV_CLUSTER, KRYLOV_KEEP_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(double, memory, KRYLOV_KEEP / 8);
        SEDGE_SHARED(double, tree, KRYLOV_KEEP_THREADS);
        SEDGE_SHARED(double, second, KRYLOV_KEEP_THREADS);
        KRYLOV_DIAGONAL_ONLY(SEDGE_SHARED(double, third, KRYLOV_KEEP_THREADS);)
        SEDGE_SHARED(double, now, KRYLOV_STATE);
        SEDGE_SHARED(double, parts, 3 * KRYLOV_CLUSTER);
        SEDGE_BLOCKWIDE double *const notes = memory; // [steps][3]: r.r, r.z, the step there
        SEDGE_BLOCKWIDE krylov_real *const own_values =
            (SEDGE_BLOCKWIDE krylov_real *)(notes + 3 * steps);
        SEDGE_BLOCKWIDE krylov_real *const own_r = own_values + room;
        SEDGE_BLOCKWIDE krylov_real *const own_x = own_r + chunk;
        SEDGE_BLOCKWIDE krylov_real *const own_d = own_x + chunk;
        SEDGE_BLOCKWIDE krylov_real *const own_s = own_d + chunk;
        SEDGE_BLOCKWIDE krylov_real *const own_w = own_s + chunk;
        SEDGE_BLOCKWIDE krylov_real *const own_m = own_w + chunk;
        SEDGE_BLOCKWIDE krylov_real *const own_u = KRYLOV_M_DIAGONAL ? own_m + chunk : own_r;
        SEDGE_BLOCKWIDE int *const own_columns =
            (SEDGE_BLOCKWIDE int *)(own_m + 2 * KRYLOV_M_DIAGONAL * chunk);
        SEDGE_BLOCKWIDE int *const own_offsets = own_columns + room;
        const int begin = (int)b * chunk < rows ? (int)b * chunk : rows;
        const int mine = rows - begin < chunk ? rows - begin : chunk;
        const sedge_int64 start = offsets[begin];
        const int entries = (int)(offsets[begin + mine] - start);
        const int is_fresh = state[KRYLOV_FRESH] != 0.0;

        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_KEEP_THREADS)
            now[k] = state[k + krylov_one];
        KRYLOV_KEEP_ITEMS(k)
        {
            for (int j = k + krylov_one; j < entries; j += KRYLOV_KEEP_THREADS) {
                own_columns[j] = KRYLOV_KEEP_CODE(columns[start + j]);
                own_values[j] = values[start + j];
            }
            for (int row = k; row <= mine; row += KRYLOV_KEEP_THREADS)
                own_offsets[row] = (int)(offsets[begin + row] - start);
            KRYLOV_KEEP_ROWS(row)
            {
                const krylov_real value = r[begin + row];
                KRYLOV_DIAGONAL_ONLY(own_m[row] = m[begin + row];)
                own_r[row] = value;
                own_x[row] = x[begin + row];
                own_d[row] = is_fresh ? 0 : d[begin + row];
                own_s[row] = is_fresh ? 0 : s[begin + row];
                KRYLOV_DIAGONAL_ONLY(own_u[row] = KRYLOV_KEEP_U(row, value);)
            }
        }
        SEDGE_CLUSTER_BARRIER();
        const double before = now[KRYLOV_ITERATION];
        int done = 0;
        for (; done < steps && now[KRYLOV_REASON] == 0.0; done++) {
            KRYLOV_KEEP_ITEMS(k)
            {
                double square = 0.0;
                double inner = 0.0;
                KRYLOV_DIAGONAL_ONLY(double weighted = 0.0;)
                KRYLOV_KEEP_ROWS(row)
                {
                    const krylov_real product = krylov_kept_row(
                        own_columns, own_values, own_u, own_offsets[row], own_offsets[row + 1]);
                    const double value = (double)own_r[row];
                    const double with = (double)KRYLOV_KEEP_U(row, own_r[row]);
                    own_w[row] = product;
                    square += value * value;
                    inner += (double)product * with;
                    KRYLOV_DIAGONAL_ONLY(weighted += value * with;)
                }
                tree[k] = square;
                second[k] = inner;
                KRYLOV_DIAGONAL_ONLY(third[k] = weighted;)
            }
            KRYLOV_KEEP_SUMS(tree, second, third)
            const double iteration = now[KRYLOV_ITERATION];
            const double last = now[KRYLOV_ALPHA];
            const int fresh = now[KRYLOV_FRESH] != 0.0;
            const int is_best = rr < now[KRYLOV_BEST] || fresh;
            const double best_at = is_best ? iteration : now[KRYLOV_BEST_AT];
            double reason =
                krylov_reason(rr, KRYLOV_KEEP_GAMMA, now[KRYLOV_TARGET], iteration,
                              now[KRYLOV_LIMIT], now[KRYLOV_WINDOW], best_at, now[KRYLOV_BEST]);
            double alpha = 0.0;
            double beta = 0.0;
            if (reason == 0.0) {
                beta = fresh ? 0.0 : KRYLOV_KEEP_GAMMA / now[KRYLOV_RZ];
                const double curvature = fresh ? delta : delta - beta * KRYLOV_KEEP_GAMMA / last;
                reason = krylov_curvature(curvature, KRYLOV_KEEP_GAMMA);
                if (reason == 0.0) alpha = KRYLOV_KEEP_GAMMA / curvature;
            }
            SEDGE_BARRIER(); // all have read the state
            SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_KEEP_THREADS) {
                if (is_best) now[KRYLOV_BEST] = rr;
                now[KRYLOV_BEST_AT + krylov_one + k] = best_at;
                now[KRYLOV_REASON] = reason;
                now[KRYLOV_ITERATION] = iteration + (reason == 0.0 ? 1.0 : 0.0);
                now[KRYLOV_RR] = rr;
                now[KRYLOV_RZ] = KRYLOV_KEEP_GAMMA;
                now[KRYLOV_ALPHA] = alpha;
                now[KRYLOV_FRESH] = 0.0;
                now[KRYLOV_KNOWN] = iteration + 1.0;
                notes[3 * done] = rr;
                notes[3 * done + 1] = KRYLOV_KEEP_GAMMA;
                notes[3 * done + 2] = last;
            }
            if (reason == 0.0) {
                const krylov_real step = (krylov_real)alpha;
                const krylov_real mix = (krylov_real)beta;
                KRYLOV_KEEP_ITEMS(k)
                {
                    KRYLOV_KEEP_ROWS(row)
                    {
                        const krylov_real direction =
                            KRYLOV_KEEP_U(row, own_r[row]) + mix * own_d[row];
                        const krylov_real along = own_w[row] + mix * own_s[row];
                        const krylov_real value = own_r[row] - step * along;
                        own_d[row] = direction;
                        own_s[row] = along;
                        own_x[row] += step * direction;
                        own_r[row] = value;
                        KRYLOV_DIAGONAL_ONLY(own_u[row] = KRYLOV_KEEP_U(row, value);)
                    }
                }
            }
            SEDGE_CLUSTER_BARRIER(); // u is there for all
        }
        SEDGE_BARRIER();
        KRYLOV_KEEP_ITEMS(k)
        {
            KRYLOV_KEEP_ROWS(row)
            {
                r[begin + row] = own_r[row];
                x[begin + row] = own_x[row];
                d[begin + row] = own_d[row];
                s[begin + row] = own_s[row];
            }
        }
        if (b == 0) {
            const sedge_int64 ring = (sedge_int64)now[KRYLOV_RING];
            SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_KEEP_THREADS)
                state[k + krylov_one] = now[k];
            KRYLOV_KEEP_ITEMS(k)
            {
                for (int n = k + krylov_one; n < done; n += KRYLOV_KEEP_THREADS)
                    krylov_note(history, ring, before + n, notes[3 * n], notes[3 * n + 1],
                                notes[3 * n + 2]);
            }
        }
        (void)m;
        (void)own_m;
        (void)parts;
    }
}
