// Conjugate gradients in one kernel of one block, for small matrices. Behind krylov.h.
#pragma once

// `steps` iterations of the standard form for a matrix by rows, after krylov_residual and the first
// krylov_direct. Vectors stay in the caches of one multiprocessor.
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
    X(int, rows)                                               \
    X(int, steps)

#define KRYLOV_SOLVE_ITEMS(k) \
    SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_SOLVE_THREADS, KRYLOV_SOLVE_THREADS)
#define KRYLOV_SOLVE_ROWS(row) \
    for (int row = k + krylov_one; row < rows; row += KRYLOV_SOLVE_THREADS)

SEDGE_KERNEL(krylov_solve, KRYLOV_SOLVE_THREADS, KRYLOV_SOLVE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_SOLVE_THREADS);
        SEDGE_SHARED(double, other, KRYLOV_SOLVE_THREADS);
        SEDGE_SHARED(double, now, KRYLOV_STATE);

        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_SOLVE_THREADS)
            now[k] = state[b * KRYLOV_STATE + k + krylov_one];
        SEDGE_BARRIER();
        for (int i = 0; i < steps && now[KRYLOV_REASON] == 0.0; i++) {
            KRYLOV_SOLVE_ITEMS(k)
            {
                double sum = 0.0;
                KRYLOV_SOLVE_ROWS(row)
                {
                    krylov_real product = 0;
                    for (sedge_int64 j = offsets[row]; j < offsets[row + 1]; j++)
                        product += values[j] * d[columns[j]];
                    q[row] = product;
                    sum += (double)product * (double)d[row];
                }
                tree[k] = sum;
            }
            KRYLOV_TREE(tree, KRYLOV_SOLVE_THREADS, 16);
            const double pq = tree[0];
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
                KRYLOV_TREE(tree, KRYLOV_SOLVE_THREADS, 16);
                KRYLOV_DIAGONAL_ONLY(KRYLOV_TREE(other, KRYLOV_SOLVE_THREADS, 16);)
            }
            const double iteration = now[KRYLOV_ITERATION] + (broken == 0.0 ? 1.0 : 0.0);
            const double rr = broken == 0.0 ? tree[0] : now[KRYLOV_RR];
#if KRYLOV_M_DIAGONAL
            const double rz = broken == 0.0 ? other[0] : rz_before;
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
                krylov_note(history, (sedge_int64)now[KRYLOV_RING], iteration, rr, rz, alpha);
            }
            SEDGE_BARRIER();
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_STATE, KRYLOV_SOLVE_THREADS)
            state[b * KRYLOV_STATE + k + krylov_one] = now[k];
        (void)m;
    }
}
