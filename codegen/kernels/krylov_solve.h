// Conjugate gradients in one kernel, for small matrices: of one block, or of KRYLOV_SOLVE_CLUSTER
// blocks that run side by side. Behind krylov_cluster.h.
#pragma once

// `steps` iterations of the standard form for a matrix by rows, after krylov_residual and the first
// krylov_direct. Blocks leave their sums in `parts` [3][KRYLOV_SOLVE_CLUSTER]; each adds up all and
// comes to the same scalars.
#define KRYLOV_SOLVE_LIST(X)                                   \
    X(SEDGE_GLOBAL double *, state)                            \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, history)            \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)         \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, values)  \
    X(SEDGE_GLOBAL krylov_real *, x)                           \
    X(SEDGE_GLOBAL krylov_real *, r)                           \
    X(SEDGE_GLOBAL krylov_real *, d)                           \
    X(SEDGE_GLOBAL krylov_real *, q)                           \
    X(const SEDGE_GLOBAL krylov_real *, m)                     \
    X(SEDGE_GLOBAL double *, parts)                            \
    X(int, rows)                                               \
    X(int, steps)

#define KRYLOV_SOLVE_ROWS(row)                                                 \
    for (int row = k + krylov_one + (int)b * KRYLOV_SOLVE_THREADS; row < rows; \
         row += KRYLOV_SOLVE_BLOCKS * KRYLOV_SOLVE_THREADS)

// sum = all blocks' tree [KRYLOV_SOLVE_THREADS], by the numbers at `at`.
#define KRYLOV_SOLVE_SUM(sum, tree, at)                                                         \
    double sum = 0.0;                                                                           \
    KRYLOV_TREE(tree, KRYLOV_SOLVE_THREADS, 16);                                                \
    if (KRYLOV_SOLVE_BLOCKS > 1) {                                                              \
        SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_SOLVE_THREADS) (at)[b] = tree[k + krylov_one]; \
        SEDGE_CLUSTER_BARRIER();                                                                \
        SEDGE_EACH (u, KRYLOV_SOLVE_BLOCKS) sum += (at)[u];                                     \
    } else {                                                                                    \
        sum = tree[0];                                                                          \
    }

// Row `row` of the matrix times d, KRYLOV_SOLVE_BATCH loads on their way at once.
SEDGE_FUNCTION krylov_real krylov_row(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT offsets,
                                      const SEDGE_GLOBAL int *SEDGE_RESTRICT columns,
                                      const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT values,
                                      const SEDGE_GLOBAL krylov_real *d, int row)
{
    const sedge_int64 end = offsets[row + 1];
    krylov_real product = 0;

    for (sedge_int64 j = offsets[row]; j < end; j += KRYLOV_SOLVE_BATCH) {
        int c[KRYLOV_SOLVE_BATCH];
        krylov_real v[KRYLOV_SOLVE_BATCH];
        SEDGE_EACH (u, KRYLOV_SOLVE_BATCH) {
            c[u] = j + u < end ? columns[j + u] : -1;
            v[u] = j + u < end ? values[j + u] : 0;
        }
        SEDGE_EACH (u, KRYLOV_SOLVE_BATCH)
            if (c[u] >= 0) product += v[u] * d[c[u]];
    }
    return product;
}

SEDGE_KERNEL_CLUSTER(krylov_solve, KRYLOV_SOLVE_THREADS, KRYLOV_SOLVE_CLUSTER, KRYLOV_SOLVE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_SOLVE_THREADS);
        SEDGE_SHARED(double, other, KRYLOV_SOLVE_THREADS);
        SEDGE_SHARED(double, now, KRYLOV_STATE);

        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_SOLVE_THREADS)
            now[k] = state[k + krylov_one];
        SEDGE_BARRIER();
        for (int i = 0; i < steps && now[KRYLOV_REASON] == 0.0; i++) {
            KRYLOV_SOLVE_ITEMS(k)
            {
                double sum = 0.0;
                KRYLOV_SOLVE_ROWS(row)
                {
                    const krylov_real product = krylov_row(offsets, columns, values, d, row);
                    q[row] = product;
                    sum += (double)product * (double)d[row];
                }
                tree[k] = sum;
            }
            KRYLOV_SOLVE_SUM(pq, tree, parts)
            const double rz_before = now[KRYLOV_RZ];
            const double broken = krylov_curvature(pq, rz_before);
            const double alpha = broken == 0.0 ? rz_before / pq : 0.0;
            const krylov_real step = (krylov_real)alpha;
            SEDGE_BARRIER();
            if (broken == 0.0) {
                KRYLOV_SOLVE_ITEMS(k)
                {
                    double square = 0.0;
                    double weighted = 0.0;
                    KRYLOV_SOLVE_ROWS(row)
                    {
                        const krylov_real value = r[row] - step * q[row];
                        r[row] = value;
                        square += (double)value * (double)value;
                        KRYLOV_DIAGONAL_ONLY(weighted +=
                                             (double)m[row] * (double)value * (double)value;)
                    }
                    tree[k] = square;
                    other[k] = weighted;
                }
            }
            KRYLOV_SOLVE_SUM(square_sum, tree, parts + KRYLOV_SOLVE_CLUSTER)
            KRYLOV_DIAGONAL_ONLY(
                KRYLOV_SOLVE_SUM(weighted_sum, other, parts + 2 * KRYLOV_SOLVE_CLUSTER))
            const double iteration = now[KRYLOV_ITERATION] + (broken == 0.0 ? 1.0 : 0.0);
            const double rr = broken == 0.0 ? square_sum : now[KRYLOV_RR];
#if KRYLOV_M_DIAGONAL
            const double rz = broken == 0.0 ? weighted_sum : rz_before;
#else
            const double rz = broken == 0.0 ? rr : rz_before;
#endif
            const double best_at = rr < now[KRYLOV_BEST] ? iteration : now[KRYLOV_BEST_AT];
            const double reason =
                broken != 0.0 ? broken
                              : krylov_reason(rr, rz, now[KRYLOV_TARGET], iteration,
                                              now[KRYLOV_LIMIT], now[KRYLOV_WINDOW], best_at);
            const krylov_real beta = (krylov_real)(rz / rz_before);
            if (broken == 0.0 && reason != KRYLOV_NOT_A_NUMBER) {
                KRYLOV_SOLVE_ITEMS(k)
                {
                    KRYLOV_SOLVE_ROWS(row)
                    {
                        const krylov_real old = d[row];
                        krylov_real next = r[row];
                        KRYLOV_DIAGONAL_ONLY(next *= m[row];)
                        x[row] += step * old;
                        d[row] = next + beta * old;
                    }
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_SOLVE_THREADS) {
                if (rr < now[KRYLOV_BEST]) now[KRYLOV_BEST] = rr;
                now[KRYLOV_BEST_AT + krylov_one + k] = best_at;
                now[KRYLOV_REASON] = reason;
                now[KRYLOV_ITERATION] = iteration;
                now[KRYLOV_RR] = rr;
                now[KRYLOV_RZ] = rz;
                now[KRYLOV_ALPHA] = alpha;
                now[KRYLOV_KNOWN] = iteration + 1.0;
                if (b == 0)
                    krylov_note(history, (sedge_int64)now[KRYLOV_RING], iteration, rr, rz, alpha);
            }
            SEDGE_CLUSTER_BARRIER(); // d is there for all
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_SOLVE_THREADS)
            if (b == 0) state[k + krylov_one] = now[k];
        (void)m;
        (void)parts;
    }
}
