// What a level of the elliptic multigrid does within elements: their diagonal blocks of the
// operator, inverted; smoothing with them; transfers to the order below and to the mesh's vertices.
// Types and layout of dg_elliptic.h.
#pragma once

#define SEDGE_BLOCK_THREADS 256
#define SEDGE_LEVEL_THREADS 128
#define SEDGE_BLOCK_WEIGHTS 22 // numbers that make an element's block of reference matrices

// Reference matrices' entries at one place of a block: the six of K_jk = D_j^T M D_k (rr, ss, tt,
// rs + sr, rt + tr, st + ts), then for each face and k those of E M_f D_k plus transposed, then the
// four face masses.
typedef struct SEDGE_ALIGN(16) sedge_block_entry {
    sedge_real w[24];
} sedge_block_entry;

// The factor of reference matrix n in the block of one batch. A boundary's jump is 2 u.
SEDGE_FUNCTION sedge_value find_weight(int n, sedge_int64 value,
                                       const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT geometry,
                                       const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                       sedge_int64 halo_faces)
{
    const int metric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

    if (n < 6) return get_shape(geometry, value, n) * get_shape(geometry, value, 6);
    const int f = n < 18 ? (n - 6) / 3 : n - 18;
    const int k = n % 3;
    sedge_value sides = SEDGE_SPLAT(1.0);
    SEDGE_LANES_LOOP (l) {
        if (-1 - links[(value * SEDGE_LANES + l) * 4 + f].neighbour >= halo_faces)
            SEDGE_LANE(sides, l) = 2;
    }
    if (n >= 18) return sides * get_shape(geometry, value, 9 + 2 * f);
    const int row = f == 0 ? 2 : f == 1 ? 1 : 0;
    const sedge_value slope = f == 2 ? get_shape(geometry, value, metric[0][k]) +
                                           get_shape(geometry, value, metric[1][k]) +
                                           get_shape(geometry, value, metric[2][k])
                                     : -get_shape(geometry, value, metric[row][k]);
    return -(sides * get_shape(geometry, value, 8 + 2 * f) * slope);
}

#define SEDGE_BLOCKS_LIST(X)                                         \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, blocks)              \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, geometry)      \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)          \
    X(const SEDGE_GLOBAL sedge_block_entry *SEDGE_RESTRICT, entries) \
    X(sedge_int64, halo_faces)

// blocks [batches][nodes][nodes]: each element's block of A, inverted in place by elimination
// without pivoting, since it is positive definite, and made symmetric.
SEDGE_KERNEL(sedge_elliptic_blocks, SEDGE_BLOCK_THREADS, SEDGE_BLOCKS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sedge_value, s_weights, SEDGE_BLOCK_WEIGHTS);
        SEDGE_SHARED(sedge_value, s_row, SEDGE_NODES);
        SEDGE_SHARED(sedge_value, s_column, SEDGE_NODES);
        SEDGE_SHARED(sedge_value, s_inverse, 1);
        SEDGE_GLOBAL sedge_value *const block = blocks + b * SEDGE_NODES * SEDGE_NODES;

        SEDGE_ITEMS_1D (n, SEDGE_BLOCK_WEIGHTS, SEDGE_BLOCK_THREADS) {
            s_weights[n] = find_weight(n, b, geometry, links, halo_faces);
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (i, SEDGE_NODES, m, SEDGE_NODES, SEDGE_BLOCK_THREADS) {
            sedge_value sum = SEDGE_SPLAT(0.0);
            for (int n = 0; n < SEDGE_BLOCK_WEIGHTS; n++)
                sum += entries[i * SEDGE_NODES + m].w[n] * s_weights[n];
            block[i * SEDGE_NODES + m] = sum;
        }
        SEDGE_BARRIER();
        for (int p = 0; p < SEDGE_NODES; p++) {
            SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_BLOCK_THREADS) {
                s_row[n] = block[p * SEDGE_NODES + n];
                s_column[n] = block[n * SEDGE_NODES + p];
                if (n == p) s_inverse[0] = SEDGE_SPLAT(1.0) / block[p * SEDGE_NODES + p];
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (i, SEDGE_NODES, m, SEDGE_NODES, SEDGE_BLOCK_THREADS) {
                const sedge_value inverse = s_inverse[0];
                const sedge_value old = block[i * SEDGE_NODES + m];
                block[i * SEDGE_NODES + m] = i == p && m == p ? inverse
                                             : i == p         ? s_row[m] * inverse
                                             : m == p         ? -(s_column[i] * inverse)
                                                      : old - s_column[i] * s_row[m] * inverse;
            }
            SEDGE_BARRIER();
        }
        SEDGE_ITEMS (i, SEDGE_NODES, m, SEDGE_NODES, SEDGE_BLOCK_THREADS) {
            if (m < i) {
                const sedge_value half =
                    SEDGE_R(0.5) * (block[i * SEDGE_NODES + m] + block[m * SEDGE_NODES + i]);
                block[i * SEDGE_NODES + m] = half;
                block[m * SEDGE_NODES + i] = half;
            }
        }
    }
}

// change = keep change + step B r, then x = change (fresh) or x + change. Where keep is 0, change
// is not read.
#define SEDGE_SMOOTH_LIST(X)                                  \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, blocks) \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, r)      \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, change)       \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, x)            \
    X(sedge_int64, batches)                                   \
    X(sedge_real, keep)                                       \
    X(sedge_real, step)                                       \
    X(int, fresh)

SEDGE_KERNEL(sedge_elliptic_smooth, SEDGE_LEVEL_THREADS, SEDGE_SMOOTH_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sedge_value, s_r, SEDGE_SMOOTH_BLOCK * SEDGE_NODES);
        const sedge_int64 base = b * SEDGE_SMOOTH_BLOCK;

        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, n, SEDGE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches) s_r[e * SEDGE_NODES + n] = r[(base + e) * SEDGE_NODES + n];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, n, SEDGE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches) {
                const SEDGE_GLOBAL sedge_value *const block =
                    blocks + (base + e) * SEDGE_NODES * SEDGE_NODES + n;
                const sedge_int64 at = (base + e) * SEDGE_NODES + n;
                sedge_value sum = SEDGE_SPLAT(0.0);

                for (int m = 0; m < SEDGE_NODES; m++)
                    sum += block[m * SEDGE_NODES] * s_r[e * SEDGE_NODES + m];
                sum = step * sum;
                if (keep != 0) sum += keep * change[at];
                change[at] = sum;
                if (!fresh) sum += x[at];
                x[at] = sum;
            }
        }
    }
}

#if SEDGE_COARSE_NODES > 0
// transfer [nodes][coarse nodes]: values at this order's nodes of the coarse Lagrange functions.
#define SEDGE_TRANSFER_LIST(X)                                 \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, from)    \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, to)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, transfer) \
    X(sedge_int64, batches)

// to [batches][coarse nodes] = transfer^T from [batches][nodes].
SEDGE_KERNEL(sedge_elliptic_restrict, SEDGE_LEVEL_THREADS, SEDGE_TRANSFER_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sedge_value, s_from, SEDGE_SMOOTH_BLOCK * SEDGE_NODES);
        const sedge_int64 base = b * SEDGE_SMOOTH_BLOCK;

        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, n, SEDGE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches)
                s_from[e * SEDGE_NODES + n] = from[(base + e) * SEDGE_NODES + n];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, c, SEDGE_COARSE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches) {
                sedge_value sum = SEDGE_SPLAT(0.0);
                for (int n = 0; n < SEDGE_NODES; n++)
                    sum += transfer[n * SEDGE_COARSE_NODES + c] * s_from[e * SEDGE_NODES + n];
                to[(base + e) * SEDGE_COARSE_NODES + c] = sum;
            }
        }
    }
}

// to [batches][nodes] += transfer from [batches][coarse nodes].
SEDGE_KERNEL(sedge_elliptic_prolong, SEDGE_LEVEL_THREADS, SEDGE_TRANSFER_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sedge_value, s_from, SEDGE_SMOOTH_BLOCK * SEDGE_COARSE_NODES);
        const sedge_int64 base = b * SEDGE_SMOOTH_BLOCK;

        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, c, SEDGE_COARSE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches)
                s_from[e * SEDGE_COARSE_NODES + c] = from[(base + e) * SEDGE_COARSE_NODES + c];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_SMOOTH_BLOCK, n, SEDGE_NODES, SEDGE_LEVEL_THREADS) {
            if (base + e < batches) {
                sedge_value sum = to[(base + e) * SEDGE_NODES + n];
                for (int c = 0; c < SEDGE_COARSE_NODES; c++)
                    sum +=
                        transfer[n * SEDGE_COARSE_NODES + c] * s_from[e * SEDGE_COARSE_NODES + c];
                to[(base + e) * SEDGE_NODES + n] = sum;
            }
        }
    }
}
#else
// Order 1, whose nodes are the corners: sum [vertices] of r over each vertex' corners, corners
// [offsets[v], offsets[v + 1]) being numbers of entries of r.
#define SEDGE_GATHER_LIST(X)                                   \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, r)        \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, sum)                \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, corners) \
    X(sedge_int64, vertices)

SEDGE_KERNEL(sedge_elliptic_gather, SEDGE_LEVEL_THREADS, SEDGE_GATHER_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, SEDGE_LEVEL_THREADS, SEDGE_LEVEL_THREADS) {
            const sedge_int64 at = b * SEDGE_LEVEL_THREADS + i;
            if (at < vertices) {
                double total = 0.0;
                for (sedge_int64 k = offsets[at]; k < offsets[at + 1]; k++)
                    total += (double)r[corners[k]];
                sum[at] = total;
            }
        }
    }
}

// x += the value of each corner's vertex; vertex [entries] is -1 in empty slots.
#define SEDGE_SCATTER_LIST(X)                            \
    X(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, x)        \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, values) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, vertex)    \
    X(sedge_int64, entries)

SEDGE_KERNEL(sedge_elliptic_scatter, SEDGE_LEVEL_THREADS, SEDGE_SCATTER_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, SEDGE_LEVEL_THREADS, SEDGE_LEVEL_THREADS) {
            const sedge_int64 at = b * SEDGE_LEVEL_THREADS + i;
            if (at < entries && vertex[at] >= 0) x[at] += (sedge_real)values[vertex[at]];
        }
    }
}
#endif
