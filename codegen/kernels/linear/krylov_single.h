// Conjugate gradients with one sum over the ranks an iteration: the forms of Chronopoulos and Gear
// and of Ghysels and Vanroose. Behind krylov.h.
#pragma once

// Shared by the two forms: sums -> a look at the residual, alpha, beta, and the state after the
// step. rr, gamma = r.u and delta = w.u come from parts.
#define KRYLOV_SUMS(X)                                        \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, from)        \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, state)             \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, history)           \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_parts)    \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, gamma_parts) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, delta_parts) \
    X(int, count)                                             \
    X(int, gamma_count)                                       \
    X(int, delta_count)

#if KRYLOV_M_NONE
#define KRYLOV_GAMMA const double gamma_sum = rr
#else
#define KRYLOV_GAMMA                              \
    SEDGE_BARRIER();                              \
    KRYLOV_GATHER(tree, gamma_parts, gamma_count) \
    KRYLOV_TREE(tree, KRYLOV_THREADS, 16);        \
    const double gamma_sum = tree[0]
#endif

#define KRYLOV_DECIDE                                                                              \
    const int fresh = from[KRYLOV_FRESH] != 0.0;                                                   \
    const double iteration = from[KRYLOV_ITERATION];                                               \
    const double before = from[KRYLOV_REASON];                                                     \
    double reason = before;                                                                        \
    double alpha = 0.0;                                                                            \
    double beta = 0.0;                                                                             \
    KRYLOV_GATHER(tree, rr_parts, count)                                                           \
    KRYLOV_GATHER(second, delta_parts, delta_count)                                                \
    KRYLOV_TREES(tree, second, KRYLOV_THREADS, 16);                                                \
    const double rr = tree[0];                                                                     \
    const double delta = second[0];                                                                \
    KRYLOV_GAMMA;                                                                                  \
    if (reason == 0.0)                                                                             \
        reason = krylov_reason(rr, gamma_sum, from[KRYLOV_TARGET], iteration, from[KRYLOV_LIMIT],  \
                               from[KRYLOV_WINDOW],                                                \
                               rr < from[KRYLOV_BEST] || fresh ? iteration : from[KRYLOV_BEST_AT], \
                               from[KRYLOV_BEST]);                                                 \
    if (reason == 0.0) {                                                                           \
        beta = fresh ? 0.0 : gamma_sum / from[KRYLOV_RZ];                                          \
        const double curvature = fresh ? delta : delta - beta * gamma_sum / from[KRYLOV_ALPHA];    \
        reason = krylov_curvature(curvature, gamma_sum);                                           \
        if (reason == 0.0) alpha = gamma_sum / curvature;                                          \
    }                                                                                              \
    if (b == 0)                                                                                    \
        SEDGE_ITEMS (krylov_one, 1, k, 1, KRYLOV_THREADS) {                                        \
            if (before == 0.0) {                                                                   \
                krylov_look(state, from, history, iteration, rr, gamma_sum, reason);               \
                state[KRYLOV_ALPHA] = alpha;                                                       \
                state[KRYLOV_ITERATION] = iteration + (reason == 0.0 ? 1.0 : 0.0);                 \
                state[KRYLOV_FRESH] = 0.0;                                                         \
            } else {                                                                               \
                for (int i = k + krylov_one; i < KRYLOV_STATE; i++) state[i] = from[i];            \
            }                                                                                      \
        }                                                                                          \
    (void)gamma_parts;                                                                             \
    (void)gamma_count

// A vector v = with + beta v, of which nothing is read when it is fresh.
#define KRYLOV_MIX(v, with, at, whole)                                                        \
    KRYLOV_LOAD(v##_pack, v, at, whole)                                                       \
    KRYLOV_EACH(v##_pack[u].w[p] =                                                            \
                    with##_pack[u].w[p] + (fresh ? (krylov_real)0 : mix * v##_pack[u].w[p]);) \
    KRYLOV_STORE(v##_pack, v, at, whole)
#define KRYLOV_ADD(v, sign, with, at, whole)                          \
    KRYLOV_LOAD(v##_pack, v, at, whole)                               \
    KRYLOV_EACH(v##_pack[u].w[p] += sign step * with##_pack[u].w[p];) \
    KRYLOV_STORE(v##_pack, v, at, whole)

// p = u + beta p, s = w + beta s, x += alpha p, r -= alpha s, and r.r. z is M r, r itself without
// M.
#define KRYLOV_SINGLE_LIST(X)                            \
    KRYLOV_SUMS(X)                                       \
    X(const SEDGE_GLOBAL krylov_real *, z)               \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, w) \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, d)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, s)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, x)       \
    X(SEDGE_GLOBAL krylov_real *, r)                     \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_next)      \
    X(sedge_int64, rows)                                 \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_single, KRYLOV_THREADS, KRYLOV_SINGLE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_SHARED(double, second, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, square, KRYLOV_THREADS, 1);
        KRYLOV_ROWS;
        KRYLOV_DECIDE;
        if (reason == 0.0) {
            const krylov_real step = (krylov_real)alpha;
            const krylov_real mix = (krylov_real)beta;
            KRYLOV_ITEMS(k) KRYLOV_MINE(square, k) = 0.0;
#define KRYLOV_SINGLE_STEP(at, whole)                        \
    KRYLOV_LOAD(z_pack, z, at, whole)                        \
    KRYLOV_LOAD(w_pack, w, at, whole)                        \
    KRYLOV_MIX(d, z, at, whole)                              \
    KRYLOV_MIX(s, w, at, whole)                              \
    KRYLOV_ADD(x, +, d, at, whole)                           \
    KRYLOV_ADD(r, -, s, at, whole)                           \
    KRYLOV_EACH(const double value = (double)r_pack[u].w[p]; \
                KRYLOV_MINE(square, k) += value * value;)
            KRYLOV_SWEEP(KRYLOV_SINGLE_STEP)
            KRYLOV_LEAVE(tree, square, rr_next);
        }
    }
}

// The same with n = A M w computed before the sums are known: also u, w and their companions. Sums
// for the next step: rr, gamma = r.u, delta = w.u. Without M, u is r and q is s.
#if KRYLOV_M_NONE
#define KRYLOV_WITH_M(x)
#else
#define KRYLOV_WITH_M(x) x
#endif

#define KRYLOV_PIPELINED_LIST(X)                         \
    KRYLOV_SUMS(X)                                       \
    X(const SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, n) \
    X(const SEDGE_GLOBAL krylov_real *, m)               \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, x)       \
    X(SEDGE_GLOBAL krylov_real *, r)                     \
    X(SEDGE_GLOBAL krylov_real *, z)                     \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, w)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, d)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, s)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, q)       \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, t)       \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, rr_next)      \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, gamma_next)   \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, delta_next)   \
    X(sedge_int64, rows)                                 \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_pipelined, KRYLOV_THREADS, KRYLOV_PIPELINED_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, tree, KRYLOV_THREADS);
        SEDGE_SHARED(double, second, KRYLOV_THREADS);
        SEDGE_PRIVATE(double, square, KRYLOV_THREADS, 1);
        SEDGE_PRIVATE(double, inner, KRYLOV_THREADS, 1);
        KRYLOV_WITH_M(SEDGE_PRIVATE(double, weighted, KRYLOV_THREADS, 1);)
        KRYLOV_ROWS;
        KRYLOV_DECIDE;
        if (reason == 0.0) {
            const krylov_real step = (krylov_real)alpha;
            const krylov_real mix = (krylov_real)beta;
            KRYLOV_ITEMS(k)
            {
                KRYLOV_MINE(square, k) = 0.0;
                KRYLOV_MINE(inner, k) = 0.0;
                KRYLOV_WITH_M(KRYLOV_MINE(weighted, k) = 0.0;)
            }
#if KRYLOV_M_NONE
#define KRYLOV_PIPELINED_STEP(at, whole)                     \
    KRYLOV_LOAD(n_pack, n, at, whole)                        \
    KRYLOV_LOAD(z_pack, r, at, whole)                        \
    KRYLOV_LOAD(m_pack, w, at, whole)                        \
    KRYLOV_MIX(t, n, at, whole)                              \
    KRYLOV_MIX(s, m, at, whole)                              \
    KRYLOV_MIX(d, z, at, whole)                              \
    KRYLOV_ADD(x, +, d, at, whole)                           \
    KRYLOV_ADD(r, -, s, at, whole)                           \
    KRYLOV_ADD(w, -, t, at, whole)                           \
    KRYLOV_EACH(const double value = (double)r_pack[u].w[p]; \
                KRYLOV_MINE(square, k) += value * value;     \
                KRYLOV_MINE(inner, k) += value * (double)w_pack[u].w[p];)
#else
#define KRYLOV_PIPELINED_STEP(at, whole)                                                          \
    KRYLOV_LOAD(n_pack, n, at, whole)                                                             \
    KRYLOV_LOAD(m_pack, m, at, whole)                                                             \
    KRYLOV_LOAD(old_pack, w, at, whole)                                                           \
    KRYLOV_LOAD(u_pack, z, at, whole)                                                             \
    KRYLOV_MIX(t, n, at, whole)                                                                   \
    KRYLOV_MIX(q, m, at, whole)                                                                   \
    KRYLOV_MIX(s, old, at, whole)                                                                 \
    KRYLOV_MIX(d, u, at, whole)                                                                   \
    KRYLOV_ADD(x, +, d, at, whole)                                                                \
    KRYLOV_ADD(r, -, s, at, whole)                                                                \
    KRYLOV_ADD(z, -, q, at, whole)                                                                \
    KRYLOV_ADD(w, -, t, at, whole)                                                                \
    KRYLOV_EACH(                                                                                  \
        const double value = (double)r_pack[u].w[p]; const double other = (double)z_pack[u].w[p]; \
        KRYLOV_MINE(square, k) += value * value; KRYLOV_MINE(weighted, k) += value * other;       \
        KRYLOV_MINE(inner, k) += other * (double)w_pack[u].w[p];)
#endif
            KRYLOV_SWEEP(KRYLOV_PIPELINED_STEP)
            KRYLOV_LEAVE(tree, square, rr_next);
            KRYLOV_WITH_M(KRYLOV_LEAVE(tree, weighted, gamma_next);)
            KRYLOV_LEAVE(tree, inner, delta_next);
        }
        (void)m;
        (void)q;
        (void)z;
        (void)gamma_next;
    }
}
