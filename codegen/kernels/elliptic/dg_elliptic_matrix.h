// The kernels of dg_elliptic.h in double precision on NVIDIA's matrix units, which multiply twice
// as fast as the others do and, what counts more, read an operator's entry once a warp.
//
// A product there has rows of 16 elements, columns of 8 nodes and 4 terms. A warp works on
// SEDGE_ROW_TILES times 16 elements of its block and SEDGE_NODE_TILES times 8 nodes, or
// SEDGE_WEAK_NODE_TILES where it integrates. Lane l has the entries: of a left factor, elements
// l / 4 and l / 4 + 8, term l % 4; of a right factor, node l / 4, term l % 4; of a product, the
// same elements, nodes 2 (l % 4) and the one behind it.
//
//   deriv    [node tiles][SEDGE_TERMS][r, s, t][32 lanes]
//   lift     [node tiles][4 faces][SEDGE_FACE_TERMS][32], all but face 2's with the sign changed
//   weak     [weak node tiles][SEDGE_WEAK_TERMS][32], the terms node by node, in each r, s, t
//   mass     [weak node tiles][face nodes][32]
//
// Terms are filled up with zeros; what the block's memory has there is finite.
#pragma once

#define SEDGE_ROW_GROUPS  (SEDGE_BLOCK / (16 * SEDGE_ROW_TILES))
#define SEDGE_NODE_GROUPS ((SEDGE_NODES + 8 * SEDGE_NODE_TILES - 1) / (8 * SEDGE_NODE_TILES))
#define SEDGE_WEAK_GROUPS \
    ((SEDGE_NODES + 8 * SEDGE_WEAK_NODE_TILES - 1) / (8 * SEDGE_WEAK_NODE_TILES))
#define SEDGE_TERMS      ((SEDGE_NODES + 3) / 4)
#define SEDGE_FACE_TERMS ((SEDGE_FACE_NODES + 3) / 4)
#define SEDGE_WEAK_TERMS ((3 * SEDGE_NODES + 3) / 4)

// A lane's part of a warp's work.
typedef struct sedge_part {
    int row;        // the first of its elements in the block
    int column;     // its node in a tile, the first of two
    int group;      // of node tiles
    int lane, term; // its place in tables, its term
} sedge_part;

SEDGE_FUNCTION sedge_part find_part(int thread)
{
    const int lane = thread % 32;
    const int warp = thread / 32;
    sedge_part part;

    part.row = warp % SEDGE_ROW_GROUPS * 16 * SEDGE_ROW_TILES + lane / 4;
    part.column = lane % 4 * 2;
    part.group = warp / SEDGE_ROW_GROUPS;
    part.lane = lane;
    part.term = lane % 4;
    return part;
}

// c += a b.
SEDGE_FUNCTION void multiply(sedge_real c[4], const sedge_real a[2], sedge_real b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(b));
#else
    SEDGE_EACH (i, 2) {
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[2 * i]), "+d"(c[2 * i + 1])
            : "d"(a[i]), "d"(b));
    }
#endif
}

// A left factor: from the words of a lane's first element, at its term.
SEDGE_FUNCTION void get_rows(sedge_real a[SEDGE_ROW_TILES][2], const sedge_real *words, int stride)
{
    SEDGE_EACH (i, 2 * SEDGE_ROW_TILES) a[i / 2][i % 2] = words[i * 8 * stride];
}

// c [row tile][node tile] = 0.
SEDGE_FUNCTION void clear(sedge_real *c, int count)
{
    SEDGE_EACH (i, count) c[i] = 0.0;
}

// d [row tile][node tile][j] = D_j u, u the words of the lane's part.
SEDGE_FUNCTION void differentiate_rows(sedge_real d[SEDGE_ROW_TILES][SEDGE_NODE_TILES][3][4],
                                       const sedge_real *u, int stride, const sedge_part *part,
                                       const sedge_real *SEDGE_RESTRICT deriv)
{
    const sedge_real *const table =
        deriv + part->group * SEDGE_NODE_TILES * SEDGE_TERMS * 96 + part->lane;

    clear(d[0][0][0], SEDGE_ROW_TILES * SEDGE_NODE_TILES * 12);
    for (int m = 0; m < SEDGE_TERMS; m++) {
        sedge_real a[SEDGE_ROW_TILES][2];

        get_rows(a, u + 4 * m, stride);
        SEDGE_EACH (n, SEDGE_NODE_TILES)
            SEDGE_EACH (j, 3) {
                const sedge_real b = table[((n * SEDGE_TERMS + m) * 3 + j) * 32];
                SEDGE_EACH (r, SEDGE_ROW_TILES) multiply(d[r][n][j], a[r], b);
            }
    }
}

// c [row tile][node tile] += the product of `terms` columns of `words` and of a table whose tiles
// are `step` apart.
SEDGE_FUNCTION void add_product(sedge_real *c, int tiles, int apart, const sedge_real *words,
                                int terms, const sedge_real *SEDGE_RESTRICT table, int step)
{
    for (int m = 0; m < terms; m++) {
        sedge_real a[SEDGE_ROW_TILES][2];

        get_rows(a, words + 4 * m, SEDGE_APPLY_STRIDE);
        SEDGE_EACH (n, tiles) {
            const sedge_real b = table[n * step + m * 32];
            SEDGE_EACH (r, SEDGE_ROW_TILES) multiply(c + (r * tiles + n) * apart, a[r], b);
        }
    }
}

// d += the lifts Y_j of the face points' d at `points`.
SEDGE_FUNCTION void lift_rows(sedge_real d[SEDGE_ROW_TILES][SEDGE_NODE_TILES][3][4],
                              const sedge_real *points, const sedge_part *part,
                              const sedge_real *SEDGE_RESTRICT lift)
{
    const int step = 4 * SEDGE_FACE_TERMS * 32;
    const sedge_real *const table = lift + part->group * SEDGE_NODE_TILES * step + part->lane;
    sedge_real all[SEDGE_ROW_TILES][SEDGE_NODE_TILES][4];

    clear(all[0][0], SEDGE_ROW_TILES * SEDGE_NODE_TILES * 4);
    add_product(all[0][0], SEDGE_NODE_TILES, 4, points + 2 * SEDGE_FACE_NODES, SEDGE_FACE_TERMS,
                table + 2 * SEDGE_FACE_TERMS * 32, step);
    SEDGE_EACH (r, SEDGE_ROW_TILES)
        SEDGE_EACH (n, SEDGE_NODE_TILES)
            SEDGE_EACH (j, 3)
                SEDGE_EACH (i, 4) d[r][n][j][i] += all[r][n][i];
    SEDGE_EACH (j, 3) {
        const int face = j == 0 ? 3 : 2 - j;
        add_product(d[0][0][j], SEDGE_NODE_TILES, 12, points + face * SEDGE_FACE_NODES,
                    SEDGE_FACE_TERMS, table + face * SEDGE_FACE_TERMS * 32, step);
    }
}

// The contracted gradient of one element at one node: entry i of a product.
SEDGE_FUNCTION void contract_entry(sedge_real p[3], const sedge_real d[3][4], int i,
                                   const sedge_real shape[6])
{
    const sedge_real v[3] = {d[0][i], d[1][i], d[2][i]};

    contract(p, v, 1, shape);
}

// Zeros in each element's words [from, to), fewer than four, from `begin` on.
SEDGE_FUNCTION void clear_fill(sedge_real *s_all, int stride, int from, int begin, int to)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, n, 4, SEDGE_THREADS) {
        if (from + n >= begin && from + n < to) s_all[e * stride + from + n] = 0;
    }
}

#define SEDGE_MATRIX_FLUX_LIST(X)                 \
    X(const sedge_real *SEDGE_RESTRICT, u)        \
    X(sedge_real *SEDGE_RESTRICT, flux)           \
    X(const sedge_real *SEDGE_RESTRICT, geometry) \
    X(const sedge_real *SEDGE_RESTRICT, deriv)    \
    X(const short *SEDGE_RESTRICT, tables)        \
    X(sedge_int64, first)                         \
    X(sedge_int64, count)

SEDGE_KERNEL_RESIDENT(sedge_elliptic_flux, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_MATRIX_FLUX_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_real, s_all, SEDGE_BLOCK * SEDGE_FLUX_STRIDE);
        sedge_real *const s_flux = s_all + 4 * SEDGE_TERMS;
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;
        const sedge_part part = find_part(SEDGE_THREAD);

        load_words(s_all, SEDGE_FLUX_STRIDE, u, base, filled);
        clear_fill(s_all, SEDGE_FLUX_STRIDE, SEDGE_NODES, SEDGE_NODES, 4 * SEDGE_TERMS);
        SEDGE_BARRIER();
        if (part.group < SEDGE_NODE_GROUPS) {
            sedge_real d[SEDGE_ROW_TILES][SEDGE_NODE_TILES][3][4];

            differentiate_rows(d, s_all + part.row * SEDGE_FLUX_STRIDE + part.term,
                               SEDGE_FLUX_STRIDE, &part, deriv);
            SEDGE_EACH (r, 2 * SEDGE_ROW_TILES) {
                const int e = part.row + 8 * r;
                sedge_real shape[6];

                get_metric(shape, geometry, base, e, filled);
                SEDGE_EACH (i, 2 * SEDGE_NODE_TILES) {
                    const int n = (part.group * SEDGE_NODE_TILES + i / 2) * 8 + part.column + i % 2;
                    sedge_real p[3];

                    contract_entry(p, d[r / 2][i / 2], r % 2 * 2 + i % 2, shape);
                    if (n < SEDGE_NODES) put_fluxes(s_flux + e * SEDGE_FLUX_STRIDE, p, n, tables);
                }
            }
        }
        SEDGE_BARRIER();
        store_fluxes(flux, s_flux, base, filled);
    }
}

#define SEDGE_MATRIX_APPLY_LIST(X)                \
    X(const sedge_real *SEDGE_RESTRICT, u)        \
    X(const sedge_real *SEDGE_RESTRICT, flux)     \
    X(const sedge_trace *SEDGE_RESTRICT, halo)    \
    X(const sedge_real *, rhs)                    \
    X(sedge_real *, out)                          \
    X(const sedge_link *SEDGE_RESTRICT, links)    \
    X(const sedge_real *SEDGE_RESTRICT, geometry) \
    X(const sedge_real *SEDGE_RESTRICT, deriv)    \
    X(const sedge_real *SEDGE_RESTRICT, lift)     \
    X(const sedge_real *SEDGE_RESTRICT, weak)     \
    X(const sedge_real *SEDGE_RESTRICT, mass)     \
    X(const short *SEDGE_RESTRICT, tables)        \
    X(sedge_int64, first)                         \
    X(sedge_int64, count)                         \
    X(sedge_int64, halo_faces)                    \
    X(sedge_real, base_factor)                    \
    X(sedge_real, factor)

// Contracted gradients of a lane's part to the block's memory.
SEDGE_FUNCTION void put_gradients(sedge_real *s_rest,
                                  const sedge_real d[SEDGE_ROW_TILES][SEDGE_NODE_TILES][3][4],
                                  const sedge_part *part, const sedge_real *SEDGE_RESTRICT geometry,
                                  sedge_int64 base, int filled)
{
    SEDGE_EACH (r, 2 * SEDGE_ROW_TILES) {
        const int e = part->row + 8 * r;
        sedge_real shape[6];

        get_metric(shape, geometry, base, e, filled);
        SEDGE_EACH (i, 2 * SEDGE_NODE_TILES) {
            const int n = (part->group * SEDGE_NODE_TILES + i / 2) * 8 + part->column + i % 2;
            sedge_real p[3];

            contract_entry(p, d[r / 2][i / 2], r % 2 * 2 + i % 2, shape);
            if (n < SEDGE_NODES)
                SEDGE_EACH (j, 3) s_rest[e * SEDGE_APPLY_STRIDE + 3 * n + j] = p[j];
        }
    }
}

// r [row tile][node tile] of a lane's part, from s and the contracted gradients.
SEDGE_FUNCTION void integrate_rows(sedge_real r[SEDGE_ROW_TILES][SEDGE_WEAK_NODE_TILES][4],
                                   const sedge_real *words, const sedge_part *part,
                                   const sedge_real *SEDGE_RESTRICT weak,
                                   const sedge_real *SEDGE_RESTRICT mass)
{
    const int tile = part->group * SEDGE_WEAK_NODE_TILES;

    clear(r[0][0], SEDGE_ROW_TILES * SEDGE_WEAK_NODE_TILES * 4);
    add_product(r[0][0], SEDGE_WEAK_NODE_TILES, 4, words, SEDGE_FACE_NODES,
                mass + tile * SEDGE_FACE_NODES * 32 + part->lane, SEDGE_FACE_NODES * 32);
    add_product(r[0][0], SEDGE_WEAK_NODE_TILES, 4, words + SEDGE_FACE_POINTS, SEDGE_WEAK_TERMS,
                weak + tile * SEDGE_WEAK_TERMS * 32 + part->lane, SEDGE_WEAK_TERMS * 32);
}

SEDGE_KERNEL_RESIDENT(sedge_elliptic_apply, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_MATRIX_APPLY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_real, s_all, SEDGE_BLOCK * SEDGE_APPLY_STRIDE);
        sedge_real *const s_rest = s_all + SEDGE_FACE_POINTS;
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;
        const sedge_part part = find_part(SEDGE_THREAD);
        const sedge_real *const words = s_all + part.row * SEDGE_APPLY_STRIDE + part.term;
        const int begin = 2 * SEDGE_FACE_POINTS + SEDGE_NODES; // nothing is loaded there
        sedge_real d[SEDGE_ROW_TILES][SEDGE_NODE_TILES][3][4];
        sedge_real sums[SEDGE_ROW_TILES][SEDGE_WEAK_NODE_TILES][4];

        load_words(s_rest + SEDGE_FACE_POINTS, SEDGE_APPLY_STRIDE, u, base, filled);
        clear_fill(s_all, SEDGE_APPLY_STRIDE, begin, begin, begin + 4 * SEDGE_TERMS - SEDGE_NODES);
        clear_fill(s_all, SEDGE_APPLY_STRIDE, SEDGE_FACE_POINTS + 3 * SEDGE_NODES, begin,
                   SEDGE_FACE_POINTS + 4 * SEDGE_WEAK_TERMS);
        find_jumps(s_all, base, filled, u, flux, halo, links, geometry, tables, halo_faces);
        SEDGE_BARRIER();
        if (part.group < SEDGE_NODE_GROUPS) {
            differentiate_rows(d, words + 2 * SEDGE_FACE_POINTS, SEDGE_APPLY_STRIDE, &part, deriv);
            SEDGE_EACH (r, 2 * SEDGE_ROW_TILES) {
                const int e = part.row + 8 * r;
                const sedge_real k = get_shape(geometry, base + (e < filled ? e : filled - 1), 6);
                SEDGE_EACH (i, 6 * SEDGE_NODE_TILES)
                    d[r / 2][i / 6][i / 2 % 3][r % 2 * 2 + i % 2] *= k;
            }
            lift_rows(d, words + SEDGE_FACE_POINTS, &part, lift);
        }
        SEDGE_BARRIER();
        if (part.group < SEDGE_NODE_GROUPS) put_gradients(s_rest, d, &part, geometry, base, filled);
        SEDGE_BARRIER();
        if (part.group < SEDGE_WEAK_GROUPS) integrate_rows(sums, words, &part, weak, mass);
        SEDGE_BARRIER();
        if (part.group < SEDGE_WEAK_GROUPS) {
            SEDGE_EACH (r, 2 * SEDGE_ROW_TILES)
                SEDGE_EACH (i, 2 * SEDGE_WEAK_NODE_TILES) {
                    const int n =
                        (part.group * SEDGE_WEAK_NODE_TILES + i / 2) * 8 + part.column + i % 2;
                    if (n < SEDGE_NODES)
                        s_rest[(part.row + 8 * r) * SEDGE_APPLY_STRIDE + n] =
                            sums[r / 2][i / 2][r % 2 * 2 + i % 2];
                }
        }
        SEDGE_BARRIER();
        store_result(out, rhs, s_rest, base, filled, base_factor, factor);
    }
}
