// The Runge-Kutta stage of curved elements by covariant components, for equations of curls
// (src/dg/cubature.h has the method). Types of dg_layout.h, parameters of
// dg_curved_parts.h.
//
//   rhs = T^-1 G_n^-T P (-G^T G / J) (from_curls(C e) + L g) + S,  e = G_n^T T u
//
// T takes coefficients of the layout's basis to nodal values and is left out where these are the
// state; G = dx/dr, J = det G, and W = G^T G / J come from the 30 coefficients of the element's map
// at each node and point. C are the curls of the reference element at the quadrature points, L its
// lift there, P projects back to nodes; g are two numbers for each vector at each face node.
// Boundary functions are called here, at the faces' nodes with the normals there, and so are
// two-sided conditions, for which trace slots and their materials are those of the other side.
//
//   curves    [curved values][30] of sedge_value: monomial * 3 + coordinate, mesh/mesh.h
//   shapes    [curved slots][30], fp64, for the places of boundary points
//   operators one after the other, the points or nodes that items take last: D [nodes][3][points]
//             derivatives at the points, L [4 face nodes][points], P [points][nodes], T and T^-1
//             [nodes][nodes], T of a face [face nodes][face nodes], places of the points
//             [points][3] and of the nodes [nodes][3]; for energies V [nodes][points] and weights
//             [points]. Where the state is nodal T, T^-1 and T of a face are missing.
//
// A block works on SEDGE_CURVED_BLOCK values, in tiles of SEDGE_CURVED_TILE. An item takes a node
// or point of all values of a tile: it reads an operator's entry once for all of them, and their
// rows lie together in the block's memory, [tile][row][value of the tile][word].
#pragma once

#define SEDGE_TILE_WORDS   (SEDGE_CURVED_TILE * SEDGE_FIELDS)
#define SEDGE_CURVED_TILES (SEDGE_CURVED_BLOCK / SEDGE_CURVED_TILE)
#define SEDGE_VECTORS      (SEDGE_FIELDS / 3)
#define SEDGE_JUMP_WORDS   (2 * SEDGE_VECTORS)
#define SEDGE_MAP_STRIDE   32

#define SEDGE_COVARIANT_DERIVATIVE 0
#define SEDGE_COVARIANT_LIFT       (3 * SEDGE_NODES * SEDGE_CURVED_POINTS)
#define SEDGE_COVARIANT_PROJECT    (SEDGE_COVARIANT_LIFT + SEDGE_FACE_POINTS * SEDGE_CURVED_POINTS)
#define SEDGE_COVARIANT_TO_NODAL   (SEDGE_COVARIANT_PROJECT + SEDGE_NODES * SEDGE_CURVED_POINTS)
#if SEDGE_CURVED_COEFFICIENTS
#define SEDGE_COVARIANT_FROM_NODAL (SEDGE_COVARIANT_TO_NODAL + SEDGE_NODES * SEDGE_NODES)
#define SEDGE_COVARIANT_FACE       (SEDGE_COVARIANT_FROM_NODAL + SEDGE_NODES * SEDGE_NODES)
#define SEDGE_CURVED_PLACES        (SEDGE_COVARIANT_FACE + SEDGE_FACE_NODES * SEDGE_FACE_NODES)
#else
#define SEDGE_CURVED_PLACES SEDGE_COVARIANT_TO_NODAL
#endif
#define SEDGE_COVARIANT_NODE_PLACES (SEDGE_CURVED_PLACES + 3 * SEDGE_CURVED_POINTS)
#define SEDGE_CURVED_VALUES         (SEDGE_COVARIANT_NODE_PLACES + 3 * SEDGE_NODES)
#define SEDGE_CURVED_WEIGHTS        (SEDGE_CURVED_VALUES + SEDGE_NODES * SEDGE_CURVED_POINTS)

// Words of a value in the four parts of the block's memory: states, then jumps, then rates; traces
// behind the faces, then what is at a chunk of points; covariant components, then rates at nodes;
// the map. The first two are as large as the larger of what they hold.
#define SEDGE_COVARIANT_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SEDGE_COVARIANT_A \
    SEDGE_COVARIANT_LARGER(SEDGE_NODES *SEDGE_FIELDS, SEDGE_FACE_POINTS *SEDGE_JUMP_WORDS)
#define SEDGE_COVARIANT_B \
    (SEDGE_COVARIANT_LARGER(SEDGE_FACE_POINTS, SEDGE_CURVED_CHUNK) * SEDGE_FIELDS)
#define SEDGE_COVARIANT_C (SEDGE_NODES * SEDGE_FIELDS)

// Value e of a row of a part with `rows` rows of `words` words a value.
#define SEDGE_TILED(e, rows, row, words)                                                          \
    ((((e) / SEDGE_CURVED_TILE * (rows) + (row)) * SEDGE_CURVED_TILE + (e) % SEDGE_CURVED_TILE) * \
     (words))

// ---- geometry ----------------------------------------------------------------------------------

// x[3 j + d] = dx_d/dr_j at r, s, t of the map with the coefficients c.
SEDGE_FUNCTION void find_map_tangents(sedge_value *x, const SEDGE_BLOCKWIDE sedge_value *c,
                                      sedge_real r, sedge_real s, sedge_real t)
{
    SEDGE_EACH (d, 3) {
        x[d] = c[3 + d] + (SEDGE_R(2.0) * r) * c[12 + d] + s * c[21 + d] + t * c[24 + d];
        x[3 + d] = c[6 + d] + (SEDGE_R(2.0) * s) * c[15 + d] + r * c[21 + d] + t * c[27 + d];
        x[6 + d] = c[9 + d] + (SEDGE_R(2.0) * t) * c[18 + d] + r * c[24 + d] + s * c[27 + d];
    }
}

SEDGE_FUNCTION void find_tangents(sedge_value *x, const SEDGE_BLOCKWIDE sedge_value *c,
                                  const SEDGE_GLOBAL sedge_real *rst)
{
    find_map_tangents(x, c, rst[0], rst[1], rst[2]);
}

// g[3 j + d] = J dr_j/dx_d where the tangents are x; returns J.
SEDGE_FUNCTION sedge_value turn_tangents(sedge_value *g, const sedge_value *x)
{
    SEDGE_EACH (j, 3)
        SEDGE_EACH (d, 3)
            g[3 * j + d] = x[(j + 1) % 3 * 3 + (d + 1) % 3] * x[(j + 2) % 3 * 3 + (d + 2) % 3] -
                           x[(j + 1) % 3 * 3 + (d + 2) % 3] * x[(j + 2) % 3 * 3 + (d + 1) % 3];
    return x[0] * g[0] + x[1] * g[1] + x[2] * g[2];
}

// Covariant components of all vectors of u.
SEDGE_FUNCTION void take_covariant(sedge_value *e, const sedge_value *x, const sedge_value *u)
{
    SEDGE_EACH (v, SEDGE_VECTORS)
        SEDGE_EACH (j, 3)
            e[3 * v + j] =
                x[3 * j] * u[3 * v] + x[3 * j + 1] * u[3 * v + 1] + x[3 * j + 2] * u[3 * v + 2];
}

// And back.
SEDGE_FUNCTION void take_cartesian(sedge_value *u, const sedge_value *x, const sedge_value *e)
{
    sedge_value g[9];
    const sedge_value inverse = SEDGE_SPLAT(1.0) / turn_tangents(g, x);

    SEDGE_EACH (v, SEDGE_VECTORS)
        SEDGE_EACH (d, 3)
            u[3 * v + d] =
                inverse * (g[d] * e[3 * v] + g[3 + d] * e[3 * v + 1] + g[6 + d] * e[3 * v + 2]);
}

// d = -G^T G / J d, all vectors, where the tangents are x.
SEDGE_FUNCTION void weigh_density(sedge_value *d, const sedge_value *x)
{
    sedge_value g[9];
    const sedge_value inverse = SEDGE_SPLAT(-1.0) / turn_tangents(g, x);

    SEDGE_EACH (v, SEDGE_VECTORS) {
        sedge_value at[3];
        SEDGE_EACH (i, 3)
            at[i] = inverse * (x[i] * d[3 * v] + x[3 + i] * d[3 * v + 1] + x[6 + i] * d[3 * v + 2]);
        SEDGE_EACH (j, 3)
            d[3 * v + j] = x[3 * j] * at[0] + x[3 * j + 1] * at[1] + x[3 * j + 2] * at[2];
    }
}

// ---- faces -------------------------------------------------------------------------------------

// The components of a covector along the face's two tangents.
SEDGE_FUNCTION void take_along(sedge_value *along, const sedge_value *e, int face)
{
    if (face == 0) {
        along[0] = e[0];
        along[1] = e[1];
    } else if (face == 1) {
        along[0] = e[0];
        along[1] = e[2];
    } else if (face == 2) {
        along[0] = e[1] - e[0];
        along[1] = e[2] - e[0];
    } else {
        along[0] = e[1];
        along[1] = e[2];
    }
}

// The plane that stands for a face: its outward unit normal, surface element and dual tangents.
typedef struct sedge_plane {
    sedge_value n[3];
    sedge_value scale;
    sedge_value dual[2][3];
} sedge_plane;

SEDGE_FUNCTION void find_plane(sedge_plane *plane, const SEDGE_BLOCKWIDE sedge_value *c, int face)
{
    const sedge_real third = SEDGE_R(-1.0) / SEDGE_R(3.0);
    sedge_value x[9];
    sedge_value g[9];
    sedge_value t[2][3];

    find_map_tangents(x, c, face == 3 ? SEDGE_R(-1.0) : third, face == 1 ? SEDGE_R(-1.0) : third,
                      face == 0 ? SEDGE_R(-1.0) : third);
    (void)turn_tangents(g, x);
    find_normal(plane->n, g, face);
    SEDGE_EACH (d, 3) {
        const sedge_value along[3] = {x[d], x[3 + d], x[6 + d]};
        sedge_value both[2];
        take_along(both, along, face);
        t[0][d] = both[0];
        t[1][d] = both[1];
    }
    const sedge_value square =
        plane->n[0] * plane->n[0] + plane->n[1] * plane->n[1] + plane->n[2] * plane->n[2];
    const sedge_value first = (t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]) / square;
    const sedge_value second = (t[1][0] * t[1][0] + t[1][1] * t[1][1] + t[1][2] * t[1][2]) / square;
    const sedge_value cross = (t[0][0] * t[1][0] + t[0][1] * t[1][1] + t[0][2] * t[1][2]) / square;
    plane->scale = sedge_sqrt(square);
    SEDGE_EACH (d, 3) {
        plane->n[d] = plane->n[d] / plane->scale;
        plane->dual[0][d] = second * t[0][d] - cross * t[1][d];
        plane->dual[1][d] = first * t[1][d] - cross * t[0][d];
    }
}

// Covariant components of all vectors to vectors in the face's plane.
SEDGE_FUNCTION void flatten(sedge_value *flat, const sedge_plane *plane, const sedge_value *e,
                            int face)
{
    SEDGE_EACH (v, SEDGE_VECTORS) {
        sedge_value along[2];
        take_along(along, e + 3 * v, face);
        SEDGE_EACH (d, 3)
            flat[3 * v + d] = along[0] * plane->dual[0][d] + along[1] * plane->dual[1][d];
    }
}

// g at face node k of a value: e are the covariant components at all nodes, of which the value's
// lie SEDGE_TILE_WORDS apart, v are the fields behind the face, with SEDGE_CURVED_COEFFICIENTS the
// coefficients at all nodes of the face.
SEDGE_FUNCTION void
find_covariant_jump(SEDGE_BLOCKWIDE sedge_value *s_g, const SEDGE_BLOCKWIDE sedge_value *e,
                    const SEDGE_BLOCKWIDE sedge_value *behind, const SEDGE_BLOCKWIDE sedge_value *c,
                    int k, sedge_int64 value, sedge_int64 curve_value,
                    const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                    const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                    sedge_int64 slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_PARAMETER))
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const int face = k / SEDGE_FACE_NODES;
    const int node = tables[k];
    const SEDGE_GLOBAL sedge_real *const rst = operators + SEDGE_COVARIANT_NODE_PLACES + 3 * node;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
    sedge_value own[SEDGE_FIELDS];
    sedge_value v[SEDGE_FIELDS];
    sedge_value inside[SEDGE_FIELDS];
    sedge_value outside[SEDGE_FIELDS];
    sedge_value x[9];
    sedge_plane plane;

    SEDGE_EACH (f, SEDGE_FIELDS) own[f] = e[node * SEDGE_TILE_WORDS + f];
#if SEDGE_CURVED_COEFFICIENTS
    SEDGE_EACH (f, SEDGE_FIELDS) v[f] = SEDGE_SPLAT(0.0);
    for (int i = 0; i < SEDGE_FACE_NODES; i++) {
        const sedge_real weight =
            operators[SEDGE_COVARIANT_FACE + i * SEDGE_FACE_NODES + k % SEDGE_FACE_NODES];
        SEDGE_EACH (f, SEDGE_FIELDS)
            v[f] += weight * behind[(face * SEDGE_FACE_NODES + i) * SEDGE_TILE_WORDS + f];
    }
#else
    SEDGE_EACH (f, SEDGE_FIELDS) v[f] = behind[k * SEDGE_TILE_WORDS + f];
#endif
    find_tangents(x, c, rst);
    get_material(m, material, materials, value);
    get_neighbour_material(mv, value, face, links, material, materials, slots);
    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces) {
            sedge_value u[SEDGE_FIELDS];
            sedge_value g[9];
            sedge_value n[3];
            take_cartesian(u, x, own);
            (void)turn_tangents(g, x);
            find_normal(n, g, face);
            const sedge_value size = sedge_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            SEDGE_EACH (d, 3) n[d] = n[d] / size;
            apply_boundary(v, u, m, mv, n, l, slot, curve_value * SEDGE_LANES + l,
                           rst SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
        }
    }
    find_plane(&plane, c, face);
    flatten(inside, &plane, own, face);
    take_covariant(own, x, v);
    flatten(outside, &plane, own, face);
    SEDGE_SURFACE(inside, outside, m, mv, plane.n, constants, v);
    SEDGE_EACH (i, SEDGE_VECTORS)
        SEDGE_EACH (a, 2)
            s_g[2 * i + a] =
                plane.scale * (plane.dual[a][0] * v[3 * i] + plane.dual[a][1] * v[3 * i + 1] +
                               plane.dual[a][2] * v[3 * i + 2]);
}

// ---- products ----------------------------------------------------------------------------------

// `words` words of a row, in packs of 16 bytes on a GPU.
#define SEDGE_LOAD_ROW(row, from, words)                                            \
    SEDGE_EACH (load, (words) / SEDGE_PACK) {                                       \
        const sedge_pack pack = ((const SEDGE_BLOCKWIDE sedge_pack *)(from))[load]; \
        SEDGE_EACH (word, SEDGE_PACK) row[load * SEDGE_PACK + word] = pack.v[word]; \
    }

#define SEDGE_STORE_ROW(to, row, words)                                              \
    SEDGE_EACH (store, (words) / SEDGE_PACK) {                                       \
        sedge_pack pack;                                                             \
        SEDGE_EACH (word, SEDGE_PACK) pack.v[word] = row[store * SEDGE_PACK + word]; \
        ((SEDGE_BLOCKWIDE sedge_pack *)(to))[store] = pack;                          \
    }

// sum += the rows of a tile, times the weights of a column whose next is `step` further.
SEDGE_FUNCTION void add_rows(sedge_value *sum, const SEDGE_BLOCKWIDE sedge_value *rows, int count,
                             const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT column, int step)
{
    for (int k = 0; k < count; k++) {
        const sedge_real weight = column[k * step];
        sedge_value row[SEDGE_TILE_WORDS];

        SEDGE_LOAD_ROW(row, rows + k * SEDGE_TILE_WORDS, SEDGE_TILE_WORDS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum[i] += weight * row[i];
    }
}

// sum = the curls of all vectors at point q, in reference coordinates.
SEDGE_FUNCTION void find_curls(sedge_value *sum, const SEDGE_BLOCKWIDE sedge_value *rows, int q,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    const SEDGE_GLOBAL sedge_real *const column = operators + SEDGE_COVARIANT_DERIVATIVE + q;

    SEDGE_EACH (i, SEDGE_TILE_WORDS) sum[i] = SEDGE_SPLAT(0.0);
    for (int n = 0; n < SEDGE_NODES; n++) {
        const sedge_real r = column[(3 * n) * SEDGE_CURVED_POINTS];
        const sedge_real s = column[(3 * n + 1) * SEDGE_CURVED_POINTS];
        const sedge_real t = column[(3 * n + 2) * SEDGE_CURVED_POINTS];
        sedge_value e[SEDGE_TILE_WORDS];

        SEDGE_LOAD_ROW(e, rows + n * SEDGE_TILE_WORDS, SEDGE_TILE_WORDS)
        SEDGE_EACH (v, SEDGE_CURVED_TILE * SEDGE_VECTORS) {
            sum[3 * v] += s * e[3 * v + 2];
            sum[3 * v] -= t * e[3 * v + 1];
            sum[3 * v + 1] += t * e[3 * v];
            sum[3 * v + 1] -= r * e[3 * v + 2];
            sum[3 * v + 2] += r * e[3 * v + 1];
            sum[3 * v + 2] -= s * e[3 * v];
        }
    }
}

// sum += the lift of the jumps at point q.
SEDGE_FUNCTION void add_lift(sedge_value *sum, const SEDGE_BLOCKWIDE sedge_value *jumps, int q,
                             const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    const SEDGE_GLOBAL sedge_real *const column = operators + SEDGE_COVARIANT_LIFT + q;

    SEDGE_EACH (face, 4) {
        // The components that the face's tangents have; face 2 has all, r with the other sign.
        const int first = face == 0 || face == 1 ? 0 : 1;
        const int second = face == 0 ? 1 : 2;

        for (int i = 0; i < SEDGE_FACE_NODES; i++) {
            const int k = face * SEDGE_FACE_NODES + i;
            const sedge_real weight = column[k * SEDGE_CURVED_POINTS];
            sedge_value g[SEDGE_CURVED_TILE * SEDGE_JUMP_WORDS];

            SEDGE_LOAD_ROW(g, jumps + k * (SEDGE_CURVED_TILE * SEDGE_JUMP_WORDS),
                           SEDGE_CURVED_TILE * SEDGE_JUMP_WORDS)
            SEDGE_EACH (v, SEDGE_CURVED_TILE * SEDGE_VECTORS) {
                sum[3 * v + first] += weight * g[2 * v];
                sum[3 * v + second] += weight * g[2 * v + 1];
                if (face == 2) sum[3 * v] -= weight * (g[2 * v] + g[2 * v + 1]);
            }
        }
    }
}

// ---- the stage ---------------------------------------------------------------------------------

SEDGE_KERNEL(sedge_curved, SEDGE_CURVED_THREADS, SEDGE_CURVED_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 curve = first_curve + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 left = count - b * SEDGE_CURVED_BLOCK;
        SEDGE_SCRATCH(sedge_value, s_a, SEDGE_CURVED_BLOCK * SEDGE_CURVED_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_b = s_a + SEDGE_CURVED_BLOCK * SEDGE_COVARIANT_A;
        SEDGE_BLOCKWIDE sedge_value *const s_c = s_b + SEDGE_CURVED_BLOCK * SEDGE_COVARIANT_B;
        SEDGE_BLOCKWIDE sedge_value *const s_x = s_c + SEDGE_CURVED_BLOCK * SEDGE_COVARIANT_C;
        SEDGE_PRIVATE(sedge_value, sums, SEDGE_CURVED_TILES * SEDGE_NODES, SEDGE_TILE_WORDS);

        // States, maps, and what is behind the faces. Beyond the last value the last one again.
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            const sedge_int64 from = start + (e < left ? e : left - 1);
            SEDGE_EACH (f, SEDGE_FIELDS)
                s_a[SEDGE_TILED(e, SEDGE_NODES, n, SEDGE_FIELDS) + f] =
                    u[from * SEDGE_NODES_PADDED + n].f[f];
        }
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, i, SEDGE_CURVE_WORDS, SEDGE_CURVED_THREADS) {
            s_x[e * SEDGE_MAP_STRIDE + i] = curves[curve + (e < left ? e : left - 1)].c[i];
        }
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_CURVED_THREADS) {
            sedge_value v[SEDGE_FIELDS];
            get_trace_behind(v, start + (e < left ? e : left - 1), k, u, trace, links, tables);
            SEDGE_EACH (f, SEDGE_FIELDS)
                s_b[SEDGE_TILED(e, SEDGE_FACE_POINTS, k, SEDGE_FIELDS) + f] = v[f];
        }
        SEDGE_BARRIER();

        // Covariant components at the nodes, jumps at the faces' nodes.
        SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            const SEDGE_BLOCKWIDE sedge_value *const rows =
                s_a + tile * SEDGE_NODES * SEDGE_TILE_WORDS;
            sedge_value at[SEDGE_TILE_WORDS];
            sedge_value e[SEDGE_TILE_WORDS];
#if SEDGE_CURVED_COEFFICIENTS
            SEDGE_EACH (i, SEDGE_TILE_WORDS) at[i] = SEDGE_SPLAT(0.0);
            add_rows(at, rows, SEDGE_NODES, operators + SEDGE_COVARIANT_TO_NODAL + n, SEDGE_NODES);
#else
            SEDGE_LOAD_ROW(at, rows + n * SEDGE_TILE_WORDS, SEDGE_TILE_WORDS)
#endif
            SEDGE_EACH (i, SEDGE_CURVED_TILE) {
                sedge_value x[9];
                find_tangents(x, s_x + (tile * SEDGE_CURVED_TILE + i) * SEDGE_MAP_STRIDE,
                              operators + SEDGE_COVARIANT_NODE_PLACES + 3 * n);
                take_covariant(e + i * SEDGE_FIELDS, x, at + i * SEDGE_FIELDS);
            }
            SEDGE_STORE_ROW(s_c + (tile * SEDGE_NODES + n) * SEDGE_TILE_WORDS, e, SEDGE_TILE_WORDS)
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_CURVED_THREADS) {
            const sedge_int64 from = e < left ? e : left - 1;
            find_covariant_jump(s_a + SEDGE_TILED(e, SEDGE_FACE_POINTS, k, SEDGE_JUMP_WORDS),
                                s_c + SEDGE_TILED(e, SEDGE_NODES, 0, SEDGE_FIELDS),
                                s_b + SEDGE_TILED(e, SEDGE_FACE_POINTS, 0, SEDGE_FIELDS),
                                s_x + e * SEDGE_MAP_STRIDE, k, start + from, curve + from, links,
                                material, materials, tables, operators,
                                slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
        }
        SEDGE_BARRIER();

        // Curls and lift at the points, weighed, and back to the nodes: some points after the
        // other.
        SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            sedge_value *const sum = SEDGE_MINE(sums, tile * SEDGE_NODES + n);
            SEDGE_EACH (i, SEDGE_TILE_WORDS) sum[i] = SEDGE_SPLAT(0.0);
        }
        for (int part = 0; part < SEDGE_CURVED_POINTS; part += SEDGE_CURVED_CHUNK) {
            SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, q, SEDGE_CURVED_CHUNK, SEDGE_CURVED_THREADS) {
                if (part + q < SEDGE_CURVED_POINTS) {
                    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
                    sedge_value at[SEDGE_TILE_WORDS];
                    sedge_value density[SEDGE_TILE_WORDS];

                    find_curls(at, s_c + tile * SEDGE_NODES * SEDGE_TILE_WORDS, part + q,
                               operators);
                    SEDGE_EACH (i, SEDGE_CURVED_TILE) {
                        const sedge_int64 e = tile * SEDGE_CURVED_TILE + i;
                        sedge_value m[SEDGE_MATERIAL_VALUES + 1];
                        get_material(m, material, materials, start + (e < left ? e : left - 1));
                        SEDGE_FROM_CURLS(at + i * SEDGE_FIELDS, m, constants,
                                         density + i * SEDGE_FIELDS);
                    }
                    add_lift(density,
                             s_a + tile * SEDGE_FACE_POINTS * SEDGE_CURVED_TILE * SEDGE_JUMP_WORDS,
                             part + q, operators);
                    SEDGE_EACH (i, SEDGE_CURVED_TILE) {
                        sedge_value x[9];
                        find_tangents(x, s_x + (tile * SEDGE_CURVED_TILE + i) * SEDGE_MAP_STRIDE,
                                      operators + SEDGE_CURVED_PLACES + 3 * (part + q));
                        weigh_density(density + i * SEDGE_FIELDS, x);
                    }
                    SEDGE_STORE_ROW(s_b + (tile * SEDGE_CURVED_CHUNK + q) * SEDGE_TILE_WORDS,
                                    density, SEDGE_TILE_WORDS)
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
                const int rest = SEDGE_CURVED_POINTS - part;
                add_rows(SEDGE_MINE(sums, tile * SEDGE_NODES + n),
                         s_b + tile * SEDGE_CURVED_CHUNK * SEDGE_TILE_WORDS,
                         rest < SEDGE_CURVED_CHUNK ? rest : SEDGE_CURVED_CHUNK,
                         operators + SEDGE_COVARIANT_PROJECT + part * SEDGE_NODES + n, SEDGE_NODES);
            }
            SEDGE_BARRIER();
        }

        // Rates of the fields at the nodes, then in the layout's basis.
        SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            const sedge_value *const sum = SEDGE_MINE(sums, tile * SEDGE_NODES + n);
            sedge_value rate[SEDGE_TILE_WORDS];
            SEDGE_EACH (i, SEDGE_CURVED_TILE) {
                sedge_value x[9];
                find_tangents(x, s_x + (tile * SEDGE_CURVED_TILE + i) * SEDGE_MAP_STRIDE,
                              operators + SEDGE_COVARIANT_NODE_PLACES + 3 * n);
                take_cartesian(rate + i * SEDGE_FIELDS, x, sum + i * SEDGE_FIELDS);
            }
            SEDGE_STORE_ROW(s_c + (tile * SEDGE_NODES + n) * SEDGE_TILE_WORDS, rate,
                            SEDGE_TILE_WORDS)
        }
        SEDGE_BARRIER();
#if SEDGE_CURVED_COEFFICIENTS
        SEDGE_BLOCKWIDE sedge_value *const s_r = s_a;
        SEDGE_ITEMS (tile, SEDGE_CURVED_TILES, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            sedge_value rate[SEDGE_TILE_WORDS];
            SEDGE_EACH (i, SEDGE_TILE_WORDS) rate[i] = SEDGE_SPLAT(0.0);
            add_rows(rate, s_c + tile * SEDGE_NODES * SEDGE_TILE_WORDS, SEDGE_NODES,
                     operators + SEDGE_COVARIANT_FROM_NODAL + n, SEDGE_NODES);
            SEDGE_STORE_ROW(s_r + (tile * SEDGE_NODES + n) * SEDGE_TILE_WORDS, rate,
                            SEDGE_TILE_WORDS)
        }
        SEDGE_BARRIER();
#else
        SEDGE_BLOCKWIDE sedge_value *const s_r = s_c;
#endif
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            if (e < left) {
                const sedge_int64 at = (start + e) * SEDGE_NODES_PADDED + n;
                sedge_value rate[SEDGE_FIELDS];
                sedge_value own[SEDGE_FIELDS];
                SEDGE_EACH (f, SEDGE_FIELDS) {
                    rate[f] = s_r[SEDGE_TILED(e, SEDGE_NODES, n, SEDGE_FIELDS) + f];
                    own[f] = u[at].f[f];
                }
#ifdef SEDGE_EACH_TERM
                add_terms(rate, own, start + e, n, material, materials, rk_a, rk_b, dt,
                          clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
                update_node(&next[at], &residual[at], own, rate, rk_a, rk_b, dt);
            }
        }
    }
}
