// A step of the Chebyshev iteration. Behind krylov.h.
#pragma once

// One step: r_next = r - q (`with_q`), d = old_part d + new_part M r_next, z += d (`first`: z = d).
// With M given as a vector, only r_next = r - q here, and the rest in krylov_chebyshev_add.
#define KRYLOV_CHEBYSHEV_LIST(X)                   \
    X(const SEDGE_GLOBAL krylov_real *, r)         \
    X(const SEDGE_GLOBAL krylov_real *, q)         \
    X(SEDGE_GLOBAL krylov_real *, r_next)          \
    X(const SEDGE_GLOBAL krylov_real *, m)         \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, d) \
    X(SEDGE_GLOBAL krylov_real *SEDGE_RESTRICT, z) \
    X(double, old_part)                            \
    X(double, new_part)                            \
    X(int, with_q)                                 \
    X(int, start)                                  \
    X(sedge_int64, rows)                           \
    X(sedge_int64, chunk)

SEDGE_KERNEL(krylov_chebyshev, KRYLOV_THREADS, KRYLOV_CHEBYSHEV_LIST)
{
    SEDGE_OUTER (b) {
        KRYLOV_ROWS;
        const krylov_real older = (krylov_real)old_part;
        const krylov_real newer = (krylov_real)new_part;
#define KRYLOV_CHEBYSHEV_STEP(at, whole)                                  \
    KRYLOV_LOAD(mine, r, at, whole)                                       \
    if (with_q) {                                                         \
        KRYLOV_LOAD(other, q, at, whole)                                  \
        KRYLOV_EACH(mine[u].w[p] -= other[u].w[p];)                       \
        KRYLOV_STORE(mine, r_next, at, whole)                             \
    }                                                                     \
    KRYLOV_DIAGONAL_ONLY(KRYLOV_LOAD(scale, m, at, whole)                 \
                             KRYLOV_EACH(mine[u].w[p] *= scale[u].w[p];)) \
    KRYLOV_CHEBYSHEV_END(at, whole)
#define KRYLOV_CHEBYSHEV_END(at, whole)                   \
    KRYLOV_EACH(mine[u].w[p] *= newer;)                   \
    if (older != (krylov_real)0) {                        \
        KRYLOV_LOAD(old, d, at, whole)                    \
        KRYLOV_EACH(mine[u].w[p] += older * old[u].w[p];) \
    }                                                     \
    KRYLOV_STORE(mine, d, at, whole)                      \
    if (!start) {                                         \
        KRYLOV_LOAD(sum, z, at, whole)                    \
        KRYLOV_EACH(mine[u].w[p] += sum[u].w[p];)         \
    }                                                     \
    KRYLOV_STORE(mine, z, at, whole)
        KRYLOV_SWEEP(KRYLOV_CHEBYSHEV_STEP)
        (void)m;
        (void)q;
        (void)r_next;
    }
}
