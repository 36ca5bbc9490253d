// What the stage of curved elements by covariant components consists of (dg_covariant.h, which has
// the method and how everything lies in memory): geometry, faces, products by orbits, the update.
#pragma once

#define SEDGE_VECTORS      (SEDGE_FIELDS / 3)
#define SEDGE_ROW_WORDS    (SEDGE_CURVED_BLOCK * SEDGE_FIELDS)
#define SEDGE_TILE_WORDS   (SEDGE_CURVED_TILE * SEDGE_FIELDS)
#define SEDGE_CURVED_TILES (SEDGE_CURVED_BLOCK / SEDGE_CURVED_TILE)
#define SEDGE_ORBIT_WORDS  (4 * SEDGE_FIELDS)
// Rows behind V' and L.
#define SEDGE_CURVED_SUMMED (SEDGE_LOWER_ORBITS + SEDGE_FACE_NODES)
#define SEDGE_JUMP_WORDS    (2 * SEDGE_VECTORS)
// Of a value: the map, then a matrix for each face; an odd number of packs.
#define SEDGE_FACE_MATRIX 32
#define SEDGE_MAP_STRIDE  (SEDGE_FACE_MATRIX + 4 * SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS + 4)

#define SEDGE_ROW_TILES(rows) (((rows) + SEDGE_CURVED_ROWS - 1) / SEDGE_CURVED_ROWS)
#define SEDGE_OPERATOR(rows, columns) \
    (4 * SEDGE_ROW_TILES(rows) * (columns)*SEDGE_CURVED_ROWS) // words
#define SEDGE_POINT_PLACES           0
#define SEDGE_NODE_PLACES            (SEDGE_POINT_PLACES + 12 * SEDGE_POINT_ORBITS)
#define SEDGE_FACE_PLACES            (SEDGE_NODE_PLACES + 12 * SEDGE_NODE_ORBITS)
#define SEDGE_COVARIANT_COEFFICIENTS (SEDGE_FACE_PLACES + 12 * SEDGE_FACE_NODES)
#define SEDGE_COVARIANT_SUM \
    (SEDGE_COVARIANT_COEFFICIENTS + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS))
#define SEDGE_COVARIANT_PROJECT \
    (SEDGE_COVARIANT_SUM + SEDGE_OPERATOR(SEDGE_POINT_ORBITS, SEDGE_CURVED_SUMMED))
#define SEDGE_COVARIANT_NODAL \
    (SEDGE_COVARIANT_PROJECT + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_POINT_ORBITS))
#if SEDGE_CURVED_COEFFICIENTS
#define SEDGE_COVARIANT_FACE \
    (SEDGE_COVARIANT_NODAL + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS))
#define SEDGE_CURVED_VALUES \
    (SEDGE_COVARIANT_FACE + SEDGE_OPERATOR(SEDGE_FACE_NODES, SEDGE_FACE_NODES) / 4)
#else
#define SEDGE_CURVED_VALUES SEDGE_COVARIANT_NODAL
#endif
#define SEDGE_CURVED_PLACES  (SEDGE_CURVED_VALUES + SEDGE_NODES * SEDGE_CURVED_POINTS)
#define SEDGE_CURVED_WEIGHTS (SEDGE_CURVED_PLACES + 3 * SEDGE_CURVED_POINTS)

#define SEDGE_NODES_AT                                                                \
    (52 * SEDGE_FACE_NODES + 4 * (SEDGE_NODES - SEDGE_FACE_NODES) + 8 * SEDGE_NODES + \
     SEDGE_SERIES_ENTRIES)
#define SEDGE_AROUND_AT (SEDGE_NODES_AT + 4 * SEDGE_NODE_ORBITS)
#define SEDGE_FACES_AT  (SEDGE_AROUND_AT + 16 * SEDGE_LOWER_ORBITS)

// The block's memory, in rows: what products read and write in turn. From SEDGE_B_AT on there is
// room for a chunk of points.
#define SEDGE_B_AT    (4 * SEDGE_NODE_ORBITS)
#define SEDGE_C_AT    (2 * SEDGE_B_AT)
#define SEDGE_D_AT    (SEDGE_C_AT + SEDGE_NODES_PADDED)
#define SEDGE_E_AT    (SEDGE_D_AT + SEDGE_FACE_POINTS)
#define SEDGE_MAPS_AT (SEDGE_E_AT + 4 * SEDGE_CURVED_SUMMED)

// ---- geometry ----------------------------------------------------------------------------------

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

// The map of a value.
SEDGE_FUNCTION void load_map(sedge_value *c,
                             const SEDGE_BLOCKWIDE sedge_value *map){SEDGE_LOAD_ROW(c, map, 32)}

// x[3 j + d] = dx_d/dr_j at r, s, t of the map with the coefficients c.
SEDGE_FUNCTION void find_map_tangents(sedge_value *x, const sedge_value *c, sedge_real r,
                                      sedge_real s, sedge_real t)
{
    SEDGE_EACH (d, 3) {
        x[d] = c[3 + d] + (SEDGE_R(2.0) * r) * c[12 + d] + s * c[21 + d] + t * c[24 + d];
        x[3 + d] = c[6 + d] + (SEDGE_R(2.0) * s) * c[15 + d] + r * c[21 + d] + t * c[27 + d];
        x[6 + d] = c[9 + d] + (SEDGE_R(2.0) * t) * c[18 + d] + r * c[24 + d] + s * c[27 + d];
    }
}

// The places of an orbit's four points.
typedef struct SEDGE_ALIGN(16) sedge_places {
    sedge_real r[12];
} sedge_places;

SEDGE_FUNCTION sedge_places get_places(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                                       int orbit)
{
    return ((const SEDGE_GLOBAL sedge_places *)operators)[orbit];
}

SEDGE_FUNCTION void find_tangents(sedge_value *x, const sedge_value *c, const sedge_places *at,
                                  int j)
{
    find_map_tangents(x, c, at->r[3 * j], at->r[3 * j + 1], at->r[3 * j + 2]);
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

// The covector with the components g along the face's two tangents: what take_along is adjoint to.
SEDGE_FUNCTION void put_along(sedge_value *g, const sedge_value *along, int face)
{
    const sedge_value none = SEDGE_SPLAT(0.0);

    g[0] = face == 2 ? -along[0] - along[1] : face == 3 ? none : along[0];
    g[1] = face == 0 ? along[1] : face == 1 ? none : along[0];
    g[2] = face == 0 ? none : along[1];
}

// The plane that stands for a face: its outward unit normal, surface element and dual tangents.
typedef struct sedge_plane {
    sedge_value n[3];
    sedge_value scale;
    sedge_value dual[2][3];
} sedge_plane;

SEDGE_FUNCTION void find_plane(sedge_plane *plane, const sedge_value *c, int face)
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

// The face, and the face node, at place j of an orbit of face nodes.
SEDGE_FUNCTION int find_orbit_face(int j)
{
    return j ^ (j >> 1);
}

SEDGE_FUNCTION int find_face_node(const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit, int j)
{
    return find_orbit_face(j) * SEDGE_FACE_NODES + tables[SEDGE_FACES_AT + 4 * orbit + j];
}

SEDGE_FUNCTION int has_boundary(sedge_int64 value, int face,
                                const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                sedge_int64 halo_faces, sedge_int64 boundary_end)
{
    int has = 0;

    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        has |= slot >= halo_faces && slot < boundary_end;
    }
    return has;
}

// The fields behind the face at place j of an orbit, for the lanes of a value that have a boundary
// there, by the boundary functions. e are the covariant components at all nodes.
SEDGE_FUNCTION void
find_outer_fields(SEDGE_BLOCKWIDE sedge_value *behind, const SEDGE_BLOCKWIDE sedge_value *e,
                  const SEDGE_BLOCKWIDE sedge_value *map, int orbit, int j, sedge_int64 value,
                  sedge_int64 curve_value, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                  const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                  const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                  sedge_int64 slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_PARAMETER))
{
    const int face = find_orbit_face(j);

    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces && slot < boundary_end) {
            const SEDGE_GLOBAL sedge_real *const rst =
                operators + SEDGE_FACE_PLACES + 12 * orbit + 3 * j;
            const int k = find_face_node(tables, orbit, j);
            const int node = tables[k];
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
            sedge_value v[SEDGE_FIELDS];
            sedge_value u[SEDGE_FIELDS];
            sedge_value own[SEDGE_FIELDS];
            sedge_value c[32];
            sedge_value x[9];
            sedge_value g[9];
            sedge_value n[3];

            load_map(c, map);
            find_map_tangents(x, c, rst[0], rst[1], rst[2]);
            SEDGE_EACH (f, SEDGE_FIELDS) {
                v[f] = behind[k * SEDGE_ROW_WORDS + f];
                own[f] = e[node * SEDGE_ROW_WORDS + f];
            }
            take_cartesian(u, x, own);
            (void)turn_tangents(g, x);
            find_normal(n, g, face);
            const sedge_value size = sedge_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            SEDGE_EACH (d, 3) n[d] = n[d] / size;
            get_material(m, material, materials, value);
            get_neighbour_material(mv, value, face, links, material, materials, slots);
            apply_boundary(v, u, m, mv, n, l, slot, curve_value * SEDGE_LANES + l,
                           rst SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
            SEDGE_EACH (f, SEDGE_FIELDS)
                SEDGE_LANE(behind[k * SEDGE_ROW_WORDS + f], l) = SEDGE_LANE(v[f], l);
        }
    }
}

// The material behind a face, as the numerical flux gets it: the own one where the boundary
// functions had the one behind.
SEDGE_FUNCTION void get_flux_material(sedge_value *mv, const sedge_value *m, sedge_int64 value,
                                      int face, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                      const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                      const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                      sedge_int64 slots, sedge_int64 halo_faces,
                                      sedge_int64 boundary_end)
{
    get_neighbour_material(mv, value, face, links, material, materials, slots);
#ifdef SEDGE_TWO_SIDED_CASES
    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces && slot < boundary_end)
            SEDGE_EACH (i, SEDGE_MATERIAL_VALUES) SEDGE_LANE(mv[i], l) = SEDGE_LANE(m[i], l);
    }
#endif
    (void)m, (void)halo_faces, (void)boundary_end;
}

// The matrix of a face, [component of g][component of the difference]: g at a node is this matrix
// times the difference of what is along the face's tangents, outside minus inside. The numerical
// flux is linear and depends on nothing else.
SEDGE_FUNCTION void find_face_matrix(SEDGE_BLOCKWIDE sedge_value *matrix, const sedge_plane *plane,
                                     const sedge_value *m, const sedge_value *mv)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};

    SEDGE_EACH (column, SEDGE_JUMP_WORDS) {
        sedge_value inside[SEDGE_FIELDS];
        sedge_value outside[SEDGE_FIELDS];
        sedge_value jump[SEDGE_FIELDS];

        SEDGE_EACH (f, SEDGE_FIELDS) inside[f] = outside[f] = SEDGE_SPLAT(0.0);
        SEDGE_EACH (d, 3) outside[column / 2 * 3 + d] = plane->dual[column % 2][d];
        SEDGE_SURFACE(inside, outside, m, mv, plane->n, constants, jump);
        SEDGE_EACH (row, SEDGE_JUMP_WORDS) {
            const sedge_value *const dual = plane->dual[row % 2];
            const sedge_value *const vector = jump + row / 2 * 3;
            matrix[row * SEDGE_JUMP_WORDS + column] =
                plane->scale * (dual[0] * vector[0] + dual[1] * vector[1] + dual[2] * vector[2]);
        }
    }
}

// The components of g at a node of a face: own are the covariant components there, v the fields
// behind the face.
SEDGE_FUNCTION void find_covariant_jump(sedge_value *jump, const sedge_value *own,
                                        const sedge_value *v, const sedge_value *matrix,
                                        const sedge_value *x, int face)
{
    sedge_value other[SEDGE_FIELDS];
    sedge_value difference[SEDGE_JUMP_WORDS];

    take_covariant(other, x, v);
    SEDGE_EACH (f, SEDGE_FIELDS) other[f] = other[f] - own[f];
    SEDGE_EACH (i, SEDGE_VECTORS) take_along(difference + 2 * i, other + 3 * i, face);
    SEDGE_EACH (i, SEDGE_VECTORS) {
        sedge_value along[2];
        SEDGE_EACH (a, 2) {
            const sedge_value *const row = matrix + (2 * i + a) * SEDGE_JUMP_WORDS;
            along[a] = row[0] * difference[0];
            SEDGE_EACH (k, SEDGE_JUMP_WORDS - 1) along[a] += row[k + 1] * difference[k + 1];
        }
        put_along(jump + 3 * i, along, face);
    }
}

// ---- orbits and products -----------------------------------------------------------------------

// Between an orbit's four points and the four sign patterns, all fields.
SEDGE_FUNCTION void mix(sedge_value *v)
{
    SEDGE_EACH (f, SEDGE_FIELDS) {
        const sedge_value a = v[f] + v[SEDGE_FIELDS + f];
        const sedge_value b = v[f] - v[SEDGE_FIELDS + f];
        const sedge_value c = v[2 * SEDGE_FIELDS + f] + v[3 * SEDGE_FIELDS + f];
        const sedge_value d = v[2 * SEDGE_FIELDS + f] - v[3 * SEDGE_FIELDS + f];
        v[f] = a + c;
        v[SEDGE_FIELDS + f] = b + d;
        v[2 * SEDGE_FIELDS + f] = a - c;
        v[3 * SEDGE_FIELDS + f] = b - d;
    }
}

// An orbit of points from a row of each sign pattern, the next of which is `rows` rows further on.
SEDGE_FUNCTION void load_orbit(sedge_value *v, const SEDGE_BLOCKWIDE sedge_value *from, int rows)
{
    SEDGE_EACH (z, 4)
        SEDGE_EACH (f, SEDGE_FIELDS) v[z * SEDGE_FIELDS + f] = from[z * rows * SEDGE_ROW_WORDS + f];
    mix(v);
}

SEDGE_FUNCTION void store_orbit(SEDGE_BLOCKWIDE sedge_value *to, sedge_value *v, int rows)
{
    mix(v);
    SEDGE_EACH (z, 4)
        SEDGE_EACH (f, SEDGE_FIELDS) to[z * rows * SEDGE_ROW_WORDS + f] = v[z * SEDGE_FIELDS + f];
}

// The node at place j of an orbit.
SEDGE_FUNCTION int find_orbit_node(const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit,
                                   int j)
{
    return tables[SEDGE_NODES_AT + 4 * orbit + j];
}

// A tile's rows of an operator, one column.
typedef struct SEDGE_ALIGN(16) sedge_weights {
    sedge_real w[SEDGE_CURVED_ROWS];
} sedge_weights;

// A loop that stays one.
#if SEDGE_TARGET_CUDA
#define SEDGE_ROLLED _Pragma("unroll 1")
#else
#define SEDGE_ROLLED
#endif

// sum += one column of an operator's rows times a row.
SEDGE_FUNCTION void add_column(sedge_value (*sum)[SEDGE_TILE_WORDS], const sedge_weights *weights,
                               const SEDGE_BLOCKWIDE sedge_value *from)
{
    sedge_value row[SEDGE_TILE_WORDS];

    SEDGE_LOAD_ROW(row, from, SEDGE_TILE_WORDS)
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum[r][i] += weights->w[r] * row[i];
}

// to = (or, with `add`, to +=) the operator's rows of one tile times `count` rows of `from`; only
// the first `rows` of the tile are there. A GPU reads the operator four columns ahead, beyond the
// last ones, too: from a higher cache, it would wait for each.
SEDGE_FUNCTION void multiply(SEDGE_BLOCKWIDE sedge_value *to, int rows,
                             const SEDGE_BLOCKWIDE sedge_value *from,
                             const SEDGE_GLOBAL sedge_weights *SEDGE_RESTRICT weights, int step,
                             int count, int add)
{
    sedge_value sum[SEDGE_CURVED_ROWS][SEDGE_TILE_WORDS];

    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum[r][i] = SEDGE_SPLAT(0.0);
    if (add) {
        SEDGE_EACH (r, SEDGE_CURVED_ROWS)
            if (r < rows) SEDGE_LOAD_ROW(sum[r], to + r * SEDGE_ROW_WORDS, SEDGE_TILE_WORDS)
    }
#if SEDGE_TARGET_HOST
    for (int k = 0; k < count; k++) add_column(sum, weights + k * step, from + k * SEDGE_ROW_WORDS);
#else
    sedge_weights ahead[4];
    SEDGE_EACH (i, 4) ahead[i] = weights[i * step];
    int k = 0;
    SEDGE_ROLLED for (; k + 4 <= count; k += 4)
    {
        sedge_weights now[4];
        SEDGE_EACH (i, 4) {
            now[i] = ahead[i];
            ahead[i] = weights[(k + 4 + i) * step];
        }
        SEDGE_EACH (i, 4) add_column(sum, &now[i], from + (k + i) * SEDGE_ROW_WORDS);
    }
    SEDGE_EACH (i, 3)
        if (k + i < count) add_column(sum, &ahead[i], from + (k + i) * SEDGE_ROW_WORDS);
#endif
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        if (r < rows) SEDGE_STORE_ROW(to + r * SEDGE_ROW_WORDS, sum[r], SEDGE_TILE_WORDS)
}

// Items of a product with `rows` rows; in whole warps, so that items of something else may follow.
#define SEDGE_PRODUCT_ITEMS(rows) (4 * SEDGE_ROW_TILES(rows) * SEDGE_CURVED_TILES)
#define SEDGE_WHOLE_WARPS(items)  (((items) + 31) / 32 * 32)

// The column `column` of an operator's rows of tile `tile`, that of sign pattern z; `signs` is 1
// where the operator is the same for all.
SEDGE_FUNCTION const SEDGE_GLOBAL sedge_weights *
find_weights(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix, int column, int signs, int z,
             int tiles, int tile)
{
    return (const SEDGE_GLOBAL sedge_weights *)matrix + (column * signs + z % signs) * tiles + tile;
}

// Item i of a product [rows][columns].
SEDGE_FUNCTION void multiply_item(int i, SEDGE_BLOCKWIDE sedge_value *to,
                                  const SEDGE_BLOCKWIDE sedge_value *from,
                                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix, int signs,
                                  int rows, int columns)
{
    const int tiles = SEDGE_ROW_TILES(rows);
    const int at = i % SEDGE_CURVED_TILES * SEDGE_TILE_WORDS;
    const int tile = i / SEDGE_CURVED_TILES % tiles;
    const int z = i / SEDGE_CURVED_TILES / tiles;

    if (z < 4)
        multiply(to + (z * rows + tile * SEDGE_CURVED_ROWS) * SEDGE_ROW_WORDS + at,
                 rows - tile * SEDGE_CURVED_ROWS, from + z * columns * SEDGE_ROW_WORDS + at,
                 find_weights(matrix, 0, signs, z, tiles, tile), signs * tiles, columns, 0);
}

// w = from_curls of the reference element's curls, without the factor N/2, from the coefficients
// corner[k] at beta + e_k.
SEDGE_FUNCTION void find_lower_curls(sedge_value *w,
                                     const SEDGE_BLOCKWIDE sedge_value *coefficients,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT around,
                                     const sedge_value *m)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value corner[4][SEDGE_FIELDS];
    sedge_value curls[SEDGE_FIELDS];

    SEDGE_EACH (k, 4)
        SEDGE_EACH (f, SEDGE_FIELDS) corner[k][f] = coefficients[around[k] * SEDGE_ROW_WORDS + f];
    SEDGE_EACH (k, 3)
        SEDGE_EACH (f, SEDGE_FIELDS) corner[k + 1][f] = corner[k + 1][f] - corner[0][f];
    SEDGE_EACH (v, SEDGE_VECTORS) {
        curls[3 * v] = corner[2][3 * v + 2] - corner[3][3 * v + 1];
        curls[3 * v + 1] = corner[3][3 * v] - corner[1][3 * v + 2];
        curls[3 * v + 2] = corner[1][3 * v + 1] - corner[2][3 * v];
    }
    SEDGE_FROM_CURLS(curls, m, constants, w);
}

#define SEDGE_STATE_PACKS ((SEDGE_NODES * SEDGE_FIELDS + SEDGE_PACK - 1) / SEDGE_PACK)

// residual = a residual + dt rate, next = u + b residual, a pack of which the first `words` words
// are not padding.
SEDGE_FUNCTION void update_pack(SEDGE_GLOBAL sedge_pack *next, SEDGE_GLOBAL sedge_pack *residual,
                                const sedge_pack *own, const sedge_pack *before,
                                const SEDGE_BLOCKWIDE sedge_value *rate, int words, sedge_real rk_a,
                                sedge_real rk_b, sedge_real dt)
{
    sedge_pack change;
    sedge_pack after;

    SEDGE_EACH (i, SEDGE_PACK) {
        const sedge_value now = i < words ? rate[i] : SEDGE_SPLAT(0.0);
        change.v[i] = rk_a * before->v[i] + dt * now;
        after.v[i] = own->v[i] + rk_b * change.v[i];
    }
    *residual = change;
    if (rk_b != SEDGE_R(0.0)) *next = after;
}

#if SEDGE_TARGET_HOST
#define SEDGE_UPDATE_ROUNDS             1
#define SEDGE_UPDATE_LOOP(first)        for (int first = 0; first < SEDGE_STATE_PACKS; first++)
#define SEDGE_UPDATE_ITEM(first, round) (first)
#define SEDGE_EACH_FACE(e, j)           for (int e = 0, j = 0; j < 4; j++)
#define SEDGE_EACH_FACE_NODE(k)         for (int k = 0; k < SEDGE_FACE_NODES; k++)
#else
// Rounds of the block's items over its face points; and rounds at once over packs of its states.
#define SEDGE_TRACE_ROUNDS \
    ((SEDGE_CURVED_BLOCK * SEDGE_FACE_POINTS + SEDGE_CURVED_THREADS - 1) / SEDGE_CURVED_THREADS)
#define SEDGE_UPDATE_ROUNDS 4
#define SEDGE_UPDATE_LOOP(first)                                        \
    for (int first = 0; first < SEDGE_CURVED_BLOCK * SEDGE_STATE_PACKS; \
         first += SEDGE_UPDATE_ROUNDS * SEDGE_CURVED_THREADS)
#define SEDGE_UPDATE_ITEM(first, round) ((first) + SEDGE_THREAD + (round)*SEDGE_CURVED_THREADS)
// A warp takes a face, the last warps first: products have the first items.
#define SEDGE_EACH_FACE(e, j)                                                           \
    for (int sedge_f = (SEDGE_CURVED_THREADS - 1 - SEDGE_THREAD) / 32, e = sedge_f / 4, \
             j = sedge_f % 4;                                                           \
         sedge_f < 4 * SEDGE_CURVED_BLOCK;                                              \
         sedge_f += SEDGE_CURVED_THREADS / 32, e = sedge_f / 4, j = sedge_f % 4)
#define SEDGE_EACH_FACE_NODE(k) for (int k = SEDGE_THREAD % 32; k < SEDGE_FACE_NODES; k += 32)

// A neighbour's trace at one point into the block's memory, on its way until SEDGE_COPY_WAIT.
SEDGE_FUNCTION void copy_trace(SEDGE_BLOCKWIDE sedge_value *to, const SEDGE_GLOBAL sedge_real *from)
{
    SEDGE_EACH (i, SEDGE_FIELDS / SEDGE_PIECE_WORDS)
        copy_piece(to + i * SEDGE_PIECE_WORDS, from + i * SEDGE_PIECE_WORDS);
}
#endif

#define SEDGE_CHUNK_TILES  (SEDGE_CURVED_CHUNK / SEDGE_CURVED_ROWS)
#define SEDGE_SQUARE_ITEMS SEDGE_WHOLE_WARPS(SEDGE_PRODUCT_ITEMS(SEDGE_NODE_ORBITS))
#if SEDGE_CURVED_COEFFICIENTS
#define SEDGE_NODAL_ITEMS \
    (SEDGE_SQUARE_ITEMS + SEDGE_WHOLE_WARPS(SEDGE_PRODUCT_ITEMS(SEDGE_FACE_NODES)))
#else
#define SEDGE_NODAL_ITEMS 0
#endif
