// Conjugate gradients: vector updates fused with the sums that follow them, for src/linear.
//
// A sum over all rows is left as `parts`, one a block; the kernel that needs it adds them up in
// each of its blocks, in the same order, so that no kernel waits for another and none is started
// for a handful of numbers. Over several ranks the host puts the sum of all in their place, one
// part. What a solve has come to is in a state of KRYLOV_STATE doubles, of which a kernel reads one
// copy and writes the other: block 0 writes while others may still read. Once there is a reason to
// end, the kernels change nothing but carry the state on.
//
// Constants: KRYLOV_REAL (float, double), KRYLOV_BYTES of it, KRYLOV_THREADS, KRYLOV_PACK numbers
// loaded at once, KRYLOV_UNROLL packs an item; KRYLOV_M_NONE, KRYLOV_M_DIAGONAL, KRYLOV_M_VECTOR:
// one is 1, z is r, diagonal r, or there. KRYLOV_KEEP_THREADS, of the kernel that does all.
#pragma once

typedef KRYLOV_REAL krylov_real;
typedef struct SEDGE_ALIGN(KRYLOV_PACK *KRYLOV_BYTES) krylov_pack {
    krylov_real w[KRYLOV_PACK];
} krylov_pack;

#define KRYLOV_STEP (KRYLOV_THREADS * KRYLOV_PACK)
#define KRYLOV_TILE (KRYLOV_STEP * KRYLOV_UNROLL)

// Places in the state. Residuals are squared norms; counts are whole numbers.
#define KRYLOV_REASON    0 // 0: goes on; else one more than a sedge_krylov_reason
#define KRYLOV_ITERATION 1
#define KRYLOV_RR        2 // r.r
#define KRYLOV_RZ        3 // r.z
#define KRYLOV_ALPHA     4 // the last step's length
#define KRYLOV_BEST      5 // least r.r so far, and
#define KRYLOV_BEST_AT   6 // its iteration
#define KRYLOV_TARGET    7 // r.r to reach
#define KRYLOV_LIMIT     8
#define KRYLOV_WINDOW    9  // iterations without a new least r.r; 0: any number, and no divergence
#define KRYLOV_FRESH     10 // 1: no direction yet
#define KRYLOV_RING      11 // entries of the history
#define KRYLOV_KNOWN     12 // residuals that are known: 0 to KRYLOV_KNOWN - 1
#define KRYLOV_STATE     16

#define KRYLOV_CONVERGED      1
#define KRYLOV_AT_LIMIT       2
#define KRYLOV_NOT_A_NUMBER   3
#define KRYLOV_CURVATURE      4
#define KRYLOV_PRECONDITIONER 5
#define KRYLOV_STAGNATION     6
#define KRYLOV_DIVERGED       8 // 7 is the host's

// ---- sums of a block ---------------------------------------------------------------------------

#define KRYLOV_ITEMS(k) SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_THREADS, KRYLOV_THREADS)

#define KRYLOV_MINE(name, k) SEDGE_MINE(name, krylov_one *KRYLOV_THREADS + (k))[0]

// Add up tree [threads], of which item k has written tree[k]; threads are a multiple of 32 and of
// `width`, and at most 1024. The sum is tree[0] for all items. KRYLOV_TREES: of two at once.
#if SEDGE_TARGET_CUDA
SEDGE_FUNCTION double krylov_warp(double sum)
{
    SEDGE_UNROLL for (int far = 16; far > 0; far /= 2) sum +=
        __shfl_down_sync(0xffffffffu, sum, far);
    return sum;
}
#define KRYLOV_TREE_WARPS(tree)                                      \
    {                                                                \
        const double krylov_sum = krylov_warp(tree[SEDGE_THREAD]);   \
        if (SEDGE_THREAD % 32 == 0) tree[SEDGE_THREAD] = krylov_sum; \
    }
#define KRYLOV_TREE_ALL(tree, threads)                                                  \
    if (SEDGE_THREAD < 32) {                                                            \
        const double krylov_sum =                                                       \
            krylov_warp(SEDGE_THREAD < (threads) / 32 ? tree[32 * SEDGE_THREAD] : 0.0); \
        if (SEDGE_THREAD == 0) tree[0] = krylov_sum;                                    \
    }
#define KRYLOV_TREE(tree, threads, width) \
    KRYLOV_TREE_WARPS(tree)               \
    SEDGE_BARRIER();                      \
    KRYLOV_TREE_ALL(tree, threads)        \
    SEDGE_BARRIER()
#define KRYLOV_TREES(tree, other, threads, width)                                           \
    KRYLOV_TREE_WARPS(tree)                                                                 \
    KRYLOV_TREE_WARPS(other)                                                                \
    SEDGE_BARRIER();                                                                        \
    if (SEDGE_THREAD < 64) { /* a warp each */                                              \
        double *const krylov_own = SEDGE_THREAD < 32 ? tree : other;                        \
        const int krylov_lane = SEDGE_THREAD % 32;                                          \
        const double krylov_sum =                                                           \
            krylov_warp(krylov_lane < (threads) / 32 ? krylov_own[32 * krylov_lane] : 0.0); \
        if (krylov_lane == 0) krylov_own[0] = krylov_sum;                                   \
    }                                                                                       \
    SEDGE_BARRIER()
#else
// Two steps: compilers of opencl take long over loops of barriers.
#define KRYLOV_TREE(tree, threads, width)                                                  \
    SEDGE_BARRIER();                                                                       \
    SEDGE_ITEMS (krylov_one, 1, k, width, threads) {                                       \
        double krylov_sum = tree[k + krylov_one];                                          \
        for (int i = 1; i < (threads) / (width); i++) krylov_sum += tree[k + i * (width)]; \
        tree[k] = krylov_sum;                                                              \
    }                                                                                      \
    SEDGE_BARRIER();                                                                       \
    SEDGE_ITEMS (krylov_one, 1, k, 1, threads) {                                           \
        double krylov_sum = tree[k + krylov_one];                                          \
        for (int i = 1; i < (width); i++) krylov_sum += tree[i];                           \
        tree[k] = krylov_sum;                                                              \
    }                                                                                      \
    SEDGE_BARRIER()
#define KRYLOV_TREES(tree, other, threads, width) \
    KRYLOV_TREE(tree, threads, width);            \
    KRYLOV_TREE(other, threads, width)
#endif

// tree[k]: what item k has of `count` parts.
#define KRYLOV_GATHER(tree, parts, count)                                                        \
    KRYLOV_ITEMS(k)                                                                              \
    {                                                                                            \
        double krylov_sum = 0.0;                                                                 \
        for (int i = k + krylov_one; i < (count); i += KRYLOV_THREADS) krylov_sum += (parts)[i]; \
        tree[k] = krylov_sum;                                                                    \
    }

// The sums of the items, total [threads][1], as part b.
#define KRYLOV_LEAVE(tree, total, parts)                          \
    SEDGE_BARRIER();                                              \
    KRYLOV_ITEMS(k) tree[k + krylov_one] = KRYLOV_MINE(total, k); \
    KRYLOV_TREE(tree, KRYLOV_THREADS, 16);                        \
    SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_THREADS) (parts)[b] = tree[k + krylov_one]

// This block's rows [first, end), and what it does with them: STEP(at, whole) for the packs at
// `at`, jumping KRYLOV_STEP; `whole`: all rows are there.
#define KRYLOV_ROWS                \
    sedge_int64 first = b * chunk; \
    const sedge_int64 end = first + chunk < rows ? first + chunk : rows
#define KRYLOV_SWEEP(STEP)                                                   \
    for (; first + KRYLOV_TILE <= end; first += KRYLOV_TILE) KRYLOV_ITEMS(k) \
        {                                                                    \
            STEP(first + (k + krylov_one) * KRYLOV_PACK, 1)                  \
        }                                                                    \
    if (first < end) KRYLOV_ITEMS(k)                                         \
        {                                                                    \
            STEP(first + (k + krylov_one) * KRYLOV_PACK, 0)                  \
        }

// UNROLL packs of a vector: name[u].w[p].
#define KRYLOV_LOAD(name, from, at, whole)                                                   \
    krylov_pack name[KRYLOV_UNROLL];                                                         \
    SEDGE_EACH (u, KRYLOV_UNROLL) {                                                          \
        const sedge_int64 krylov_at = (at) + (sedge_int64)u * KRYLOV_STEP;                   \
        if ((whole) || krylov_at + KRYLOV_PACK <= end) {                                     \
            name[u] = *(const SEDGE_GLOBAL krylov_pack *)((from) + krylov_at);               \
        } else {                                                                             \
            SEDGE_EACH (p, KRYLOV_PACK)                                                      \
                name[u].w[p] = krylov_at + p < end ? (from)[krylov_at + p] : (krylov_real)0; \
        }                                                                                    \
    }
#define KRYLOV_STORE(name, to, at, whole)                                    \
    SEDGE_EACH (u, KRYLOV_UNROLL) {                                          \
        const sedge_int64 krylov_at = (at) + (sedge_int64)u * KRYLOV_STEP;   \
        if ((whole) || krylov_at + KRYLOV_PACK <= end) {                     \
            *(SEDGE_GLOBAL krylov_pack *)((to) + krylov_at) = name[u];       \
        } else {                                                             \
            SEDGE_EACH (p, KRYLOV_PACK)                                      \
                if (krylov_at + p < end) (to)[krylov_at + p] = name[u].w[p]; \
        }                                                                    \
    }
#define KRYLOV_EACH(statement)        \
    SEDGE_EACH (u, KRYLOV_UNROLL)     \
        SEDGE_EACH (p, KRYLOV_PACK) { \
            statement                 \
        }

SEDGE_FUNCTION int krylov_is_finite(double a)
{
    return a - a == 0.0;
}

// ---- the state ---------------------------------------------------------------------------------

// Below this squares of a residual are no numbers to judge by: products with it vanish. The
// residual is then zero by this recursion, and b - A x shows what it is.
#define KRYLOV_LEAST 1e-280

// Since errors fall in the norm of A, residuals rise to at most the root of A's condition times the
// least before. Where r.r has risen by 1 / epsilon, A is singular to all that this precision knows.
#define KRYLOV_GROWTH (KRYLOV_BYTES == 8 ? 1e16 : 1e7)
#define KRYLOV_PART   0.1 // of the window, so long after the least

// What a residual and its r.z mean for the solve; `best`: the least r.r before it.
SEDGE_FUNCTION double krylov_reason(double rr, double rz, double target, double iteration,
                                    double limit, double window, double best_at, double best)
{
    if (!krylov_is_finite(rr)) return KRYLOV_NOT_A_NUMBER;
    if (rr <= target) return KRYLOV_CONVERGED;
    if (!krylov_is_finite(rz)) return KRYLOV_NOT_A_NUMBER;
    if (!(rz > 0.0)) return rr < KRYLOV_LEAST ? KRYLOV_CONVERGED : KRYLOV_PRECONDITIONER;
    if (iteration >= limit) return KRYLOV_AT_LIMIT;
    if (window > 0.0 && iteration - best_at >= window) return KRYLOV_STAGNATION;
    if (window > 0.0 && iteration - best_at >= KRYLOV_PART * window && rr > KRYLOV_GROWTH * best)
        return KRYLOV_DIVERGED;
    return 0.0;
}

// History: r.r, r.z and the step that led there, for each of the last `ring` iterations.
SEDGE_FUNCTION void krylov_note(SEDGE_GLOBAL double *history, sedge_int64 ring, double iteration,
                                double rr, double rz, double alpha)
{
    const sedge_int64 place = 3 * ((sedge_int64)iteration % ring);

    history[place] = rr;
    history[place + 1] = rz;
    history[place + 2] = alpha;
}

// state = from with what the residual after `iteration` steps says; its history. Of one item.
SEDGE_FUNCTION void krylov_look(SEDGE_GLOBAL double *state, const SEDGE_GLOBAL double *from,
                                SEDGE_GLOBAL double *history, double iteration, double rr,
                                double rz, double reason)
{
    const int is_best = rr < from[KRYLOV_BEST] || from[KRYLOV_FRESH] != 0.0;
    const sedge_int64 ring = (sedge_int64)from[KRYLOV_RING];

    for (int i = 0; i < KRYLOV_STATE; i++) state[i] = from[i];
    state[KRYLOV_REASON] = reason;
    state[KRYLOV_ITERATION] = iteration;
    state[KRYLOV_RR] = rr;
    state[KRYLOV_RZ] = rz;
    state[KRYLOV_BEST] = is_best ? rr : from[KRYLOV_BEST];
    state[KRYLOV_BEST_AT] = is_best ? iteration : from[KRYLOV_BEST_AT];
    state[KRYLOV_KNOWN] = iteration + 1.0;
    krylov_note(history, ring, iteration, rr, rz, from[KRYLOV_ALPHA]);
}

// Why p.Ap ends the solve; 0: it does not.
SEDGE_FUNCTION double krylov_curvature(double pq, double rz)
{
    if (pq == 0.0 && rz < KRYLOV_LEAST) return KRYLOV_CONVERGED;
    if (!krylov_is_finite(pq) || !krylov_is_finite(rz / pq))
        return pq == 0.0 ? KRYLOV_CURVATURE : KRYLOV_NOT_A_NUMBER;
    return pq > 0.0 ? 0.0 : KRYLOV_CURVATURE;
}

// ---- sums, residuals ---------------------------------------------------------------------------

// x.y
#define KRYLOV_DOT_LIST(X)                        \
    X(const SEDGE_GLOBAL krylov_real *, x)        \
    X(const SEDGE_GLOBAL krylov_real *, y)        \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, parts) \
    X(sedge_int64, rows)                          \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_dot, KRYLOV_THREADS, KRYLOV_DOT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, total, KRYLOV_THREADS, 1);
        KRYLOV_ROWS;
        KRYLOV_ITEMS(k) KRYLOV_MINE(total, k) = 0.0;
#define KRYLOV_DOT_STEP(at, whole) \
    KRYLOV_LOAD(one, x, at, whole) \
    KRYLOV_LOAD(two, y, at, whole) \
    KRYLOV_EACH(KRYLOV_MINE(total, k) += (double)one[u].w[p] * (double)two[u].w[p];)
        KRYLOV_SWEEP(KRYLOV_DOT_STEP)
        KRYLOV_LEAVE(tree, total, parts);
    }
}

// sizes: the parts of the sum of |b|; squares: of b.b
#define KRYLOV_NORM_LIST(X)                              \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, v) \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, squares)      \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, sizes)        \
    X(sedge_int64, rows)                                 \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_norm, KRYLOV_THREADS, KRYLOV_NORM_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, square, KRYLOV_THREADS, 1);
        SEDGE_PRIVATE(double, size, KRYLOV_THREADS, 1);
        KRYLOV_ROWS;
        KRYLOV_ITEMS(k)
        {
            KRYLOV_MINE(square, k) = 0.0;
            KRYLOV_MINE(size, k) = 0.0;
        }
#define KRYLOV_NORM_STEP(at, whole)                                                                \
    KRYLOV_LOAD(one, v, at, whole)                                                                 \
    KRYLOV_EACH(const double value = (double)one[u].w[p]; KRYLOV_MINE(square, k) += value * value; \
                KRYLOV_MINE(size, k) += fabs(value);)
        KRYLOV_SWEEP(KRYLOV_NORM_STEP)
        KRYLOV_LEAVE(tree, square, squares);
        KRYLOV_LEAVE(tree, size, sizes);
    }
}

// r = b - q, its r.r, and r.z where M is a diagonal
#define KRYLOV_RESIDUAL_LIST(X)                      \
    X(const SEDGE_GLOBAL krylov_real *, right)       \
    X(const SEDGE_GLOBAL krylov_real *, q)           \
    X(SEDGE_GLOBAL krylov_real *, r)                 \
    X(const SEDGE_GLOBAL krylov_real *, m)           \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_parts) \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rz_parts) \
    X(sedge_int64, rows)                             \
    X(sedge_int64, chunk)

#if KRYLOV_M_DIAGONAL
#define KRYLOV_DIAGONAL_ONLY(x) x
#else
#define KRYLOV_DIAGONAL_ONLY(x)
#endif

SEDGE_KERNEL(krylov_residual, KRYLOV_THREADS, KRYLOV_RESIDUAL_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, rr, KRYLOV_THREADS, 1);
        KRYLOV_DIAGONAL_ONLY(SEDGE_PRIVATE(double, rz, KRYLOV_THREADS, 1);)
        KRYLOV_ROWS;
        KRYLOV_ITEMS(k)
        {
            KRYLOV_MINE(rr, k) = 0.0;
            KRYLOV_DIAGONAL_ONLY(KRYLOV_MINE(rz, k) = 0.0;)
        }
#define KRYLOV_RESIDUAL_STEP(at, whole)                                                   \
    KRYLOV_LOAD(mine, right, at, whole)                                                   \
    KRYLOV_LOAD(other, q, at, whole)                                                      \
    KRYLOV_DIAGONAL_ONLY(KRYLOV_LOAD(scale, m, at, whole))                                \
    KRYLOV_EACH(mine[u].w[p] -= other[u].w[p]; const double value = (double)mine[u].w[p]; \
                KRYLOV_MINE(rr, k) += value * value; KRYLOV_DIAGONAL_ONLY(                \
                    KRYLOV_MINE(rz, k) += (double)scale[u].w[p] * value * value;))        \
    KRYLOV_STORE(mine, r, at, whole)
        KRYLOV_SWEEP(KRYLOV_RESIDUAL_STEP)
        KRYLOV_LEAVE(tree, rr, rr_parts);
        KRYLOV_DIAGONAL_ONLY(KRYLOV_LEAVE(tree, rz, rz_parts);)
        (void)m;
        (void)rz_parts;
    }
}

// sums[j] = the sum of `count`j parts at parts<j>, j < groups; one block
#define KRYLOV_FOLD_LIST(X)                      \
    X(const SEDGE_GLOBAL double *, parts0)       \
    X(const SEDGE_GLOBAL double *, parts1)       \
    X(const SEDGE_GLOBAL double *, parts2)       \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, sums) \
    X(int, groups)                               \
    X(int, count0)                               \
    X(int, count1)                               \
    X(int, count2)

SEDGE_KERNEL(krylov_fold, KRYLOV_THREADS, KRYLOV_FOLD_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        for (int j = 0; j < groups; j++) {
            const SEDGE_GLOBAL double *const parts = j == 0 ? parts0 : j == 1 ? parts1 : parts2;
            const int count = j == 0 ? count0 : j == 1 ? count1 : count2;
            SEDGE_BARRIER();
            KRYLOV_GATHER(tree, parts, count)
            KRYLOV_TREE(tree, KRYLOV_THREADS, 16);
            SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_THREADS) sums[b + j] = tree[k + krylov_one];
        }
    }
}

// z = diagonal r
#define KRYLOV_SCALE_LIST(X)               \
    X(const SEDGE_GLOBAL krylov_real *, m) \
    X(const SEDGE_GLOBAL krylov_real *, r) \
    X(SEDGE_GLOBAL krylov_real *, z)       \
    X(sedge_int64, rows)                   \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_scale, KRYLOV_THREADS, KRYLOV_SCALE_LIST)
{
    SEDGE_OUTER (b) {
        KRYLOV_ROWS;
#define KRYLOV_SCALE_STEP(at, whole)            \
    KRYLOV_LOAD(scale, m, at, whole)            \
    KRYLOV_LOAD(mine, r, at, whole)             \
    KRYLOV_EACH(mine[u].w[p] *= scale[u].w[p];) \
    KRYLOV_STORE(mine, z, at, whole)
        KRYLOV_SWEEP(KRYLOV_SCALE_STEP)
    }
}

// ---- the standard form -------------------------------------------------------------------------

// r -= alpha q, with alpha = r.z / p.q, and the new r.r; r.z, too, where M is a diagonal.
#define KRYLOV_UPDATE_LIST(X)                              \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, from)     \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, state)          \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, pq_parts) \
    X(int, pq_count)                                       \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, q)   \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, r)         \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, m)   \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_parts)       \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rz_parts)       \
    X(sedge_int64, rows)                                   \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_update, KRYLOV_THREADS, KRYLOV_UPDATE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, rr, KRYLOV_THREADS, 1);
        KRYLOV_DIAGONAL_ONLY(SEDGE_PRIVATE(double, rz, KRYLOV_THREADS, 1);)
        KRYLOV_ROWS;
        double reason = from[KRYLOV_REASON];
        double alpha = 0.0;

        KRYLOV_GATHER(tree, pq_parts, pq_count)
        KRYLOV_TREE(tree, KRYLOV_THREADS, 16);
        if (reason == 0.0) {
            reason = krylov_curvature(tree[0], from[KRYLOV_RZ]);
            if (reason == 0.0) alpha = from[KRYLOV_RZ] / tree[0];
        }
        if (b == 0)
            SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_THREADS) {
                for (int i = k + krylov_one; i < KRYLOV_STATE; i++) state[i] = from[i];
                state[KRYLOV_ALPHA] = alpha;
                state[KRYLOV_REASON] = reason;
            }
        if (reason == 0.0) {
            const krylov_real step = (krylov_real)alpha;
            KRYLOV_ITEMS(k)
            {
                KRYLOV_MINE(rr, k) = 0.0;
                KRYLOV_DIAGONAL_ONLY(KRYLOV_MINE(rz, k) = 0.0;)
            }
#define KRYLOV_UPDATE_STEP(at, whole)                                                            \
    KRYLOV_LOAD(mine, r, at, whole)                                                              \
    KRYLOV_LOAD(other, q, at, whole)                                                             \
    KRYLOV_DIAGONAL_ONLY(KRYLOV_LOAD(scale, m, at, whole))                                       \
    KRYLOV_EACH(mine[u].w[p] -= step * other[u].w[p]; const double value = (double)mine[u].w[p]; \
                KRYLOV_MINE(rr, k) += value * value; KRYLOV_DIAGONAL_ONLY(                       \
                    KRYLOV_MINE(rz, k) += (double)scale[u].w[p] * value * value;))               \
    KRYLOV_STORE(mine, r, at, whole)
            KRYLOV_SWEEP(KRYLOV_UPDATE_STEP)
            KRYLOV_LEAVE(tree, rr, rr_parts);
            KRYLOV_DIAGONAL_ONLY(KRYLOV_LEAVE(tree, rz, rz_parts);)
        }
        (void)m;
        (void)rz_parts;
    }
}

// x += alpha p and the next direction p = z + beta p, with beta = r.z / the last r.z. `first`: x is
// as it is, p = z.
#define KRYLOV_DIRECT_LIST(X)                              \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, from)     \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, state)          \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, history)        \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_parts) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, rz_parts) \
    X(int, count)                                          \
    X(int, rz_count)                                       \
    X(int, first_time)                                     \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, x)         \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, direction) \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, z)   \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, m)   \
    X(sedge_int64, rows)                                   \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_direct, KRYLOV_THREADS, KRYLOV_DIRECT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        KRYLOV_ROWS;
        const double before = from[KRYLOV_REASON];
        const double iteration = from[KRYLOV_ITERATION] + (first_time ? 0.0 : 1.0);

        KRYLOV_GATHER(tree, rr_parts, count)
        KRYLOV_TREE(tree, KRYLOV_THREADS, 16);
        const double rr = tree[0];
#if KRYLOV_M_NONE
        const double rz = rr;
#else
        SEDGE_BARRIER();
        KRYLOV_GATHER(tree, rz_parts, rz_count)
        KRYLOV_TREE(tree, KRYLOV_THREADS, 16);
        const double rz = tree[0];
#endif
        const int better = rr < from[KRYLOV_BEST] || first_time;
        const double reason =
            before != 0.0
                ? before
                : krylov_reason(rr, rz, from[KRYLOV_TARGET], iteration, from[KRYLOV_LIMIT],
                                from[KRYLOV_WINDOW], better ? iteration : from[KRYLOV_BEST_AT],
                                from[KRYLOV_BEST]);

        if (b == 0)
            SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_THREADS) {
                if (before == 0.0) {
                    krylov_look(state, from, history, iteration, rr, rz, reason);
                    state[KRYLOV_FRESH] = 0.0;
                } else {
                    for (int i = k + krylov_one; i < KRYLOV_STATE; i++) state[i] = from[i];
                }
            }
        if (before == 0.0 && reason != KRYLOV_NOT_A_NUMBER) {
            const krylov_real alpha = (krylov_real)from[KRYLOV_ALPHA];
            const krylov_real beta = (krylov_real)(first_time ? 0.0 : rz / from[KRYLOV_RZ]);
#define KRYLOV_Z_STEP(at, whole)                          \
    KRYLOV_LOAD(next, z, at, whole)                       \
    KRYLOV_DIAGONAL_ONLY(KRYLOV_LOAD(scale, m, at, whole) \
                             KRYLOV_EACH(next[u].w[p] *= scale[u].w[p];))
#define KRYLOV_FIRST_STEP(at, whole) \
    KRYLOV_Z_STEP(at, whole)         \
    KRYLOV_STORE(next, direction, at, whole)
#define KRYLOV_DIRECT_STEP(at, whole)                                                     \
    KRYLOV_LOAD(old, direction, at, whole)                                                \
    KRYLOV_LOAD(mine, x, at, whole)                                                       \
    KRYLOV_Z_STEP(at, whole)                                                              \
    KRYLOV_EACH(mine[u].w[p] += alpha * old[u].w[p]; next[u].w[p] += beta * old[u].w[p];) \
    KRYLOV_STORE(mine, x, at, whole)                                                      \
    KRYLOV_STORE(next, direction, at, whole)
            if (first_time) {
                KRYLOV_SWEEP(KRYLOV_FIRST_STEP)
            } else {
                KRYLOV_SWEEP(KRYLOV_DIRECT_STEP)
            }
        }
        (void)m;
        (void)rz_parts;
        (void)rz_count;
    }
}
