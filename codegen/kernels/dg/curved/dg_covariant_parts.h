// What the stages of curved elements by covariant components consist of (dg_covariant.h, which has
// the method and how everything lies in memory, and dg_covariant_state.h): geometry, faces,
// products by orbits, the update.
#pragma once

#define SEDGE_VECTORS      (SEDGE_FIELDS / 3)
#define SEDGE_ROW_WORDS    (SEDGE_CURVED_BLOCK * SEDGE_FIELDS)
#define SEDGE_TILE_WORDS   (SEDGE_CURVED_TILE * SEDGE_FIELDS)
#define SEDGE_CURVED_TILES (SEDGE_CURVED_BLOCK / SEDGE_CURVED_TILE)
#define SEDGE_ORBIT_WORDS  (4 * SEDGE_FIELDS)
// Rows behind V' and L.
#define SEDGE_CURVED_SUMMED (SEDGE_LOWER_ORBITS + SEDGE_FACE_NODES)
#define SEDGE_JUMP_WORDS    (2 * SEDGE_VECTORS)
// Of a value: the map, a matrix for each face, and for each face whether a lane has a boundary
// there.
#define SEDGE_FACE_MATRIX  32
#define SEDGE_HAS_BOUNDARY (SEDGE_FACE_MATRIX + 4 * SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS)
#define SEDGE_MAP_STRIDE   (SEDGE_HAS_BOUNDARY + 4)

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
#if SEDGE_COVARIANT_STATE // dg_covariant_state.h
#define SEDGE_STATE_SUM (SEDGE_FACE_PLACES + 12 * SEDGE_FACE_NODES)
#define SEDGE_STATE_PROJECT \
    (SEDGE_STATE_SUM + SEDGE_OPERATOR(SEDGE_POINT_ORBITS, SEDGE_CURVED_SUMMED))
#define SEDGE_STATE_COEFFICIENTS \
    (SEDGE_STATE_PROJECT + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_POINT_ORBITS))
#define SEDGE_STATE_LOWER SEDGE_STATE_COEFFICIENTS // of predictions, which have no nodal states
#define SEDGE_STATE_MEAN \
    (SEDGE_STATE_LOWER + SEDGE_OPERATOR(SEDGE_POINT_ORBITS, SEDGE_LOWER_ORBITS))
#if SEDGE_CURVED_CODED
#define SEDGE_CURVED_VALUES SEDGE_STATE_SUM
#elif SEDGE_CURVED_PREDICTS
#define SEDGE_CURVED_VALUES \
    (SEDGE_STATE_MEAN + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_POINT_ORBITS))
#elif SEDGE_CURVED_COEFFICIENTS
#define SEDGE_CURVED_VALUES SEDGE_STATE_COEFFICIENTS
#else
#define SEDGE_CURVED_VALUES \
    (SEDGE_STATE_COEFFICIENTS + SEDGE_OPERATOR(SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS))
#endif
#elif SEDGE_CURVED_COEFFICIENTS
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
#define SEDGE_BELOW_AT  (SEDGE_FACES_AT + 4 * SEDGE_FACE_NODES)

// The block's memory, in rows:
//   s_p  orbits of nodes
//   s_q  as s_p, then s_c, the values of nodes or coefficients one by one; or a chunk of the
//        points' orbits
//   s_e  orbits of lower coefficients and of face nodes, which are summed
//   s_v  what is behind the faces, where s_e has its orbits of face nodes
//   s_x  maps
//   s_r  rates, orbits of nodes: s_p, or s_e where products are code
// On a GPU s_p is s_q and s_v is s_e: products write where they read (SEDGE_PRODUCT).
#define SEDGE_POINT_ROWS (4 * SEDGE_CURVED_CHUNK)
#define SEDGE_AND_NODES  (4 * SEDGE_NODE_ORBITS + SEDGE_NODES_PADDED)
#if SEDGE_TARGET_HOST
#define SEDGE_Q_AT (4 * SEDGE_NODE_ORBITS)
#else
#define SEDGE_Q_AT 0
#endif
#define SEDGE_C_AT (SEDGE_Q_AT + 4 * SEDGE_NODE_ORBITS)
#define SEDGE_E_AT \
    (SEDGE_Q_AT + (SEDGE_AND_NODES > SEDGE_POINT_ROWS ? SEDGE_AND_NODES : SEDGE_POINT_ROWS))
#if SEDGE_TARGET_HOST && SEDGE_CURVED_COEFFICIENTS
#define SEDGE_V_AT (SEDGE_E_AT + 4 * SEDGE_CURVED_SUMMED)
#else
#define SEDGE_V_AT SEDGE_E_AT
#endif
#define SEDGE_R_AT    (SEDGE_CURVED_CODED ? SEDGE_E_AT : 0)
#define SEDGE_MAPS_AT (SEDGE_V_AT + 4 * SEDGE_CURVED_SUMMED)
// The row of the face node at place j of orbit k.
#define SEDGE_FACE_ROW(j, k) ((j)*SEDGE_CURVED_SUMMED + SEDGE_LOWER_ORBITS + (k))

// The block's values: the first, its map, how many there are.
#define SEDGE_VALUES_HERE(b)                                        \
    const sedge_int64 start = first + b * SEDGE_CURVED_BLOCK;       \
    const sedge_int64 curve = first_curve + b * SEDGE_CURVED_BLOCK; \
    const sedge_int64 left = count - b * SEDGE_CURVED_BLOCK;        \
    const int here = (int)(left < SEDGE_CURVED_BLOCK ? left : SEDGE_CURVED_BLOCK)

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

// Two words at once: values lie apart so that neighbouring ones meet in different banks.
typedef struct SEDGE_ALIGN(2 * sizeof(sedge_value)) sedge_two {
    sedge_value v[2];
} sedge_two;

#define SEDGE_LOAD_TWOS(row, from)                                               \
    SEDGE_EACH (load, SEDGE_FIELDS / 2) {                                        \
        const sedge_two two = ((const SEDGE_BLOCKWIDE sedge_two *)(from))[load]; \
        row[2 * load] = two.v[0];                                                \
        row[2 * load + 1] = two.v[1];                                            \
    }
#define SEDGE_STORE_TWOS(to, row)                         \
    SEDGE_EACH (store, SEDGE_FIELDS / 2) {                \
        sedge_two two;                                    \
        two.v[0] = (row)[2 * store];                      \
        two.v[1] = (row)[2 * store + 1];                  \
        ((SEDGE_BLOCKWIDE sedge_two *)(to))[store] = two; \
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
    const sedge_value inverse = sedge_inverse(turn_tangents(g, x));

    SEDGE_EACH (v, SEDGE_VECTORS)
        SEDGE_EACH (d, 3)
            u[3 * v + d] =
                inverse * (g[d] * e[3 * v] + g[3 + d] * e[3 * v + 1] + g[6 + d] * e[3 * v + 2]);
}

// d = -G^T G / J d, all vectors, where the tangents are x.
SEDGE_FUNCTION void weigh_density(sedge_value *d, const sedge_value *x)
{
    sedge_value g[9];
    const sedge_value inverse = -sedge_inverse(turn_tangents(g, x));

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

// The plane that stands for a face: its outward unit normal, surface element, tangents and dual
// tangents.
typedef struct sedge_plane {
    sedge_value n[3];
    sedge_value scale;
    sedge_value tangent[2][3];
    sedge_value dual[2][3];
} sedge_plane;

SEDGE_FUNCTION void find_plane(sedge_plane *plane, const sedge_value *c, int face)
{
    const sedge_real third = SEDGE_R(-1.0) / SEDGE_R(3.0);
    sedge_value x[9];
    sedge_value g[9];
    sedge_value(*const t)[3] = plane->tangent;

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
    const sedge_value inverse = SEDGE_SPLAT(1.0) / square;
    const sedge_value first = (t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]) * inverse;
    const sedge_value second =
        (t[1][0] * t[1][0] + t[1][1] * t[1][1] + t[1][2] * t[1][2]) * inverse;
    const sedge_value cross = (t[0][0] * t[1][0] + t[0][1] * t[1][1] + t[0][2] * t[1][2]) * inverse;
    plane->scale = sedge_sqrt(square);
    SEDGE_EACH (d, 3) {
        plane->n[d] = plane->n[d] * (plane->scale * inverse);
        plane->dual[0][d] = second * t[0][d] - cross * t[1][d];
        plane->dual[1][d] = first * t[1][d] - cross * t[0][d];
    }
}

// How far apart the columns of a product as code are, and its rows.
#if SEDGE_COVARIANT_STATE
#define SEDGE_PRODUCT_STEP SEDGE_FIELDS
#else
#define SEDGE_PRODUCT_STEP SEDGE_ROW_WORDS
#endif

// Four neighbouring entries of the tables, the nodes of an orbit or suchlike. What lies in front of
// them has whole fours of entries.
typedef struct SEDGE_ALIGN(8) sedge_four {
    short at[4];
} sedge_four;

SEDGE_FUNCTION sedge_four get_four(const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int first,
                                   int orbit)
{
    return ((const SEDGE_GLOBAL sedge_four *)(tables + first))[orbit];
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

// The components of g from the difference of what is along the face's tangents.
SEDGE_FUNCTION void multiply_jump(sedge_value *jump, const sedge_value *matrix,
                                  const sedge_value *difference, int face)
{
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

// The state at a node of a value: what is added to one place for each value has 32 bits.
SEDGE_FUNCTION const SEDGE_GLOBAL sedge_state *
find_state(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u, sedge_int64 value, int node)
{
    const SEDGE_GLOBAL char *const at =
        (const SEDGE_GLOBAL char *)(u + value * SEDGE_NODES_PADDED) +
        (unsigned)node * (unsigned)sizeof(sedge_state);
    return (const SEDGE_GLOBAL sedge_state *)at;
}

// Weigh the density at an orbit's four points, of the map with the coefficients c.
SEDGE_FUNCTION void weigh_points(sedge_value *v, const sedge_value *c,
                                 const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators, int orbit)
{
    const sedge_places places = get_places(operators + SEDGE_POINT_PLACES, orbit);

    SEDGE_EACH (j, 4) {
        sedge_value x[9];
        find_tangents(x, c, &places, j);
        weigh_density(v + j * SEDGE_FIELDS, x);
    }
}

// Weigh the density at the points of an orbit; sign patterns are `rows` rows apart.
SEDGE_FUNCTION void weigh_orbit(SEDGE_BLOCKWIDE sedge_value *at,
                                const SEDGE_BLOCKWIDE sedge_value *map,
                                const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators, int orbit,
                                int rows)
{
    sedge_value v[SEDGE_ORBIT_WORDS];
    sedge_value c[32];

    load_map(c, map);
    load_orbit(v, at, rows);
    weigh_points(v, c, operators, orbit);
    store_orbit(at, v, rows);
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

// What an item of a product adds up: some rows of some values.
typedef struct sedge_sums {
    sedge_value row[SEDGE_CURVED_ROWS][SEDGE_TILE_WORDS];
} sedge_sums;

// A tile's values of a row: of a covariant state they are `apart` words apart, else one after the
// other.
#if SEDGE_COVARIANT_STATE
#define SEDGE_LOAD_TILE(row, from, apart)                                \
    SEDGE_EACH (tile_value, SEDGE_CURVED_TILE) {                         \
        sedge_value *const tile_row = (row) + tile_value * SEDGE_FIELDS; \
        SEDGE_LOAD_TWOS(tile_row, (from) + tile_value * (apart))         \
    }
#else
#define SEDGE_LOAD_TILE(row, from, apart) SEDGE_LOAD_ROW(row, from, SEDGE_TILE_WORDS)
#endif

// sum += one column of an operator's rows times a row.
SEDGE_FUNCTION void add_column(sedge_sums *sum, const sedge_weights *weights,
                               const SEDGE_BLOCKWIDE sedge_value *from, int apart)
{
    sedge_value row[SEDGE_TILE_WORDS];

    SEDGE_LOAD_TILE(row, from, apart)
    (void)apart;
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum->row[r][i] += weights->w[r] * row[i];
}

// sum += the operator's rows of one tile times `count` rows of `from`. A GPU reads the operator
// SEDGE_CURVED_AHEAD columns ahead, beyond the last ones, too: it would wait for each otherwise.
SEDGE_FUNCTION void multiply(sedge_sums *sum, const SEDGE_BLOCKWIDE sedge_value *from, int apart,
                             const SEDGE_GLOBAL sedge_weights *SEDGE_RESTRICT weights, int step,
                             int count)
{
#if SEDGE_TARGET_HOST
    for (int k = 0; k < count; k++)
        add_column(sum, weights + k * step, from + k * SEDGE_PRODUCT_STEP, apart);
#else
    sedge_weights ahead[SEDGE_CURVED_AHEAD];
    SEDGE_EACH (i, SEDGE_CURVED_AHEAD) ahead[i] = weights[i * step];
    int k = 0;
    SEDGE_ROLLED for (; k + SEDGE_CURVED_AHEAD <= count; k += SEDGE_CURVED_AHEAD)
    {
        SEDGE_EACH (i, SEDGE_CURVED_AHEAD) {
            const sedge_weights now = ahead[i];
            ahead[i] = weights[(k + SEDGE_CURVED_AHEAD + i) * step];
            add_column(sum, &now, from + (k + i) * SEDGE_PRODUCT_STEP, apart);
        }
    }
    SEDGE_EACH (i, SEDGE_CURVED_AHEAD - 1)
        if (k + i < count) add_column(sum, &ahead[i], from + (k + i) * SEDGE_PRODUCT_STEP, apart);
#endif
}

// The same from nothing: the first column is not added to zeros.
SEDGE_FUNCTION void begin_product(sedge_sums *sum, const SEDGE_BLOCKWIDE sedge_value *from,
                                  const SEDGE_GLOBAL sedge_weights *SEDGE_RESTRICT weights,
                                  int step, int count)
{
    const sedge_weights first = weights[0];
    sedge_value row[SEDGE_TILE_WORDS];

    SEDGE_LOAD_ROW(row, from, SEDGE_TILE_WORDS)
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum->row[r][i] = first.w[r] * row[i];
    multiply(sum, from + SEDGE_ROW_WORDS, 0, weights + step, step, count - 1);
}

SEDGE_FUNCTION void clear_sums(sedge_sums *sum)
{
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        SEDGE_EACH (i, SEDGE_TILE_WORDS) sum->row[r][i] = SEDGE_SPLAT(0.0);
}

// Store the first `rows` rows of a tile, or all if it has fewer, at `to`.
SEDGE_FUNCTION void store_sums(SEDGE_BLOCKWIDE sedge_value *to, int rows, const sedge_sums *sum)
{
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        if (r < rows) SEDGE_STORE_ROW(to + r * SEDGE_ROW_WORDS, sum->row[r], SEDGE_TILE_WORDS)
}

// The column `column` of an operator's rows of tile `tile`, that of sign pattern z; `signs` is 1
// where the operator is the same for all.
SEDGE_FUNCTION const SEDGE_GLOBAL sedge_weights *
find_weights(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix, int column, int signs, int z,
             int tiles, int tile)
{
    return (const SEDGE_GLOBAL sedge_weights *)matrix + (column * signs + z % signs) * tiles + tile;
}

// Items of a product with `rows` rows: values fastest, then tiles of rows, then sign patterns.
#define SEDGE_PRODUCT_ITEMS(rows) (4 * SEDGE_ROW_TILES(rows) * SEDGE_CURVED_TILES)

// Of item i of a product of `tiles` tiles of rows: where its values are in a row, its tile, its
// sign pattern.
typedef struct sedge_product_item {
    int at, tile, z;
} sedge_product_item;

SEDGE_FUNCTION sedge_product_item find_product_item(int i, int tiles)
{
    const unsigned rest = (unsigned)i / SEDGE_CURVED_TILES;
    sedge_product_item item;

    item.at = (int)((unsigned)i % SEDGE_CURVED_TILES) * SEDGE_TILE_WORDS;
    item.tile = (int)(rest % (unsigned)tiles);
    item.z = (int)(rest / (unsigned)tiles);
    return item;
}

// The sums of item i of a product [rows][columns]; sign patterns are `stride` rows apart.
SEDGE_FUNCTION void find_sums(sedge_sums *sum, int i, const SEDGE_BLOCKWIDE sedge_value *from,
                              int stride, const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix,
                              int signs, int rows, int columns)
{
    const int tiles = SEDGE_ROW_TILES(rows);
    const sedge_product_item item = find_product_item(i, tiles);

    begin_product(sum, from + item.z * stride * SEDGE_ROW_WORDS + item.at,
                  find_weights(matrix, 0, signs, item.z, tiles, item.tile), signs * tiles, columns);
}

// Where the block's memory has no room for all points: curls and lift at the orbits of points from
// `first` on, `orbits` of them; item i.
SEDGE_FUNCTION void put_chunk(SEDGE_BLOCKWIDE sedge_value *to, int i,
                              const SEDGE_BLOCKWIDE sedge_value *from,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix, int first,
                              int orbits)
{
    const int tiles = SEDGE_ROW_TILES(SEDGE_POINT_ORBITS);
    const int here = SEDGE_ROW_TILES(SEDGE_CURVED_CHUNK);
    const sedge_product_item item = find_product_item(i, here);
    sedge_sums sum;

    if (item.tile * SEDGE_CURVED_ROWS >= orbits) return;
    begin_product(&sum, from + item.z * SEDGE_CURVED_SUMMED * SEDGE_ROW_WORDS + item.at,
                  find_weights(matrix, 0, 4, item.z, tiles, first / SEDGE_CURVED_ROWS + item.tile),
                  4 * tiles, SEDGE_CURVED_SUMMED);
    store_sums(to +
                   (item.z * SEDGE_CURVED_CHUNK + item.tile * SEDGE_CURVED_ROWS) * SEDGE_ROW_WORDS +
                   item.at,
               orbits - item.tile * SEDGE_CURVED_ROWS, &sum);
}

// What these orbits of points add to the nodes; item i.
SEDGE_FUNCTION void add_chunk(sedge_sums *sum, int i, const SEDGE_BLOCKWIDE sedge_value *from,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT matrix, int first,
                              int orbits)
{
    const int tiles = SEDGE_ROW_TILES(SEDGE_NODE_ORBITS);
    const sedge_product_item item = find_product_item(i, tiles);

    multiply(sum, from + item.z * SEDGE_CURVED_CHUNK * SEDGE_ROW_WORDS + item.at, 0,
             find_weights(matrix, first, 4, item.z, tiles, item.tile), 4 * tiles, orbits);
}

SEDGE_FUNCTION void put_sums(SEDGE_BLOCKWIDE sedge_value *to, int i, int stride, int rows,
                             const sedge_sums *sum)
{
    const int tiles = SEDGE_ROW_TILES(rows);
    const sedge_product_item item = find_product_item(i, tiles);

    store_sums(to + (item.z * stride + item.tile * SEDGE_CURVED_ROWS) * SEDGE_ROW_WORDS + item.at,
               rows - item.tile * SEDGE_CURVED_ROWS, sum);
}

// All items i of a product: `find` makes `sum`, which `store` puts where it belongs. On a GPU each
// thread has at most one, and all are found before the first is stored: what was read may be
// overwritten.
#if SEDGE_TARGET_HOST
#define SEDGE_PRODUCT(i, items, find, store) \
    for (int i = 0; i < (items); i++) {      \
        sedge_sums sum;                      \
        find;                                \
        store;                               \
    }
#else
#define SEDGE_PRODUCT(i, items, find, store) \
    {                                        \
        const int i = SEDGE_THREAD;          \
        sedge_sums sum;                      \
        if (i < (items)) find;               \
        SEDGE_BARRIER();                     \
        if (i < (items)) store;              \
    }
#endif

// The product NAME, `rows` by `columns`, of all values, whose matrices of `signs` sign patterns
// begin at `matrix` among the operators. Sign patterns are to_rows and from_rows rows apart. On a
// GPU `to` and `from` may be the same, if these are.
//
// Where products are code (src/forms/covariant_products.c), a thread finds all rows of sign
// pattern z at place p of a row, from all columns there, which it reads first and nobody else
// touches. All threads of a warp have the same sign pattern.
#if SEDGE_CURVED_CODED
#define SEDGE_ROW_WARPS ((SEDGE_ROW_WORDS + 31) / 32)
#define SEDGE_COVARIANT_MULTIPLY(NAME, to, to_rows, from, from_rows, signs, rows, columns, matrix) \
    SEDGE_ROLLED for (int w = SEDGE_THREAD / 32; w < 4 * SEDGE_ROW_WARPS;                          \
                      w += SEDGE_CURVED_THREADS / 32)                                              \
    {                                                                                              \
        const int z = w % 4;                                                                       \
        const int p = w / 4 * 32 + SEDGE_THREAD % 32;                                              \
        if (p < SEDGE_ROW_WORDS)                                                                   \
            covariant_##NAME((to) + z * (to_rows)*SEDGE_ROW_WORDS + p,                             \
                             (from) + z * (from_rows)*SEDGE_ROW_WORDS + p, z);                     \
    }
#else
#define SEDGE_COVARIANT_MULTIPLY(NAME, to, to_rows, from, from_rows, signs, rows, columns, matrix) \
    SEDGE_PRODUCT(i, SEDGE_PRODUCT_ITEMS(rows),                                                    \
                  find_sums(&sum, i, from, from_rows, operators + (matrix), signs, rows, columns), \
                  put_sums(to, i, to_rows, rows, &sum))
#endif

// w = from_curls of the reference element's curls, without the factor N/2, from the coefficients
// corner[k] at beta + e_k.
SEDGE_FUNCTION void find_corner_curls(sedge_value *w, sedge_value (*corner)[SEDGE_FIELDS],
                                      const sedge_value *m)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value curls[SEDGE_FIELDS];

    SEDGE_EACH (k, 3)
        SEDGE_EACH (f, SEDGE_FIELDS) corner[k + 1][f] = corner[k + 1][f] - corner[0][f];
    SEDGE_EACH (v, SEDGE_VECTORS) {
        curls[3 * v] = corner[2][3 * v + 2] - corner[3][3 * v + 1];
        curls[3 * v + 1] = corner[3][3 * v] - corner[1][3 * v + 2];
        curls[3 * v + 2] = corner[1][3 * v + 1] - corner[2][3 * v];
    }
    SEDGE_FROM_CURLS(curls, m, constants, w);
}

// The same at place j of an orbit.
SEDGE_FUNCTION void find_lower_curls(sedge_value *w,
                                     const SEDGE_BLOCKWIDE sedge_value *coefficients,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit,
                                     int j, const sedge_value *m)
{
    const sedge_four around = get_four(tables, SEDGE_AROUND_AT, 4 * orbit + j);
    sedge_value corner[4][SEDGE_FIELDS];

    SEDGE_EACH (k, 4)
        SEDGE_EACH (f, SEDGE_FIELDS)
            corner[k][f] = coefficients[around.at[k] * SEDGE_ROW_WORDS + f];
    find_corner_curls(w, corner, m);
}

// An orbit's rates into those of a value, [node][field]; the first orbit clears the padding, too.
SEDGE_FUNCTION void store_rates(SEDGE_BLOCKWIDE sedge_value *rates, const sedge_value *v, int orbit,
                                const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);

    SEDGE_EACH (j, 4) {
        SEDGE_BLOCKWIDE sedge_value *const at = rates + nodes.at[j] * SEDGE_FIELDS;
        SEDGE_EACH (f, SEDGE_FIELDS) at[f] = v[j * SEDGE_FIELDS + f];
    }
    if (orbit == 0)
        for (int i = SEDGE_NODES * SEDGE_FIELDS; i < SEDGE_WORDS; i++) rates[i] = SEDGE_SPLAT(0.0);
}

#define SEDGE_STATE_PACKS (SEDGE_WORDS / SEDGE_PACK)

// The stage's end (sedge_substep).
SEDGE_FUNCTION void update_pack(SEDGE_GLOBAL sedge_pack *next, SEDGE_GLOBAL sedge_pack *residual,
                                const sedge_pack *own, const sedge_pack *before,
                                const SEDGE_BLOCKWIDE sedge_value *rate, const sedge_substep rk)
{
    sedge_pack change;
    sedge_pack after;
    sedge_pack now;

    SEDGE_LOAD_ROW(now.v, rate, SEDGE_PACK)
    SEDGE_EACH (i, SEDGE_PACK) {
        change.v[i] = carry(rk, own->v[i], before->v[i]) + rk.dt * now.v[i];
        after.v[i] = own->v[i] + rk.b * change.v[i];
    }
    if (rk.keep != 0) *residual = change;
    if (rk.b != SEDGE_R(0.0)) *next = after;
}

#if SEDGE_TARGET_HOST
#define SEDGE_UPDATE_ROUNDS             1
#define SEDGE_UPDATE_LOOP(first)        for (int first = 0; first < SEDGE_STATE_PACKS; first++)
#define SEDGE_UPDATE_ITEM(first, round) (first)
#define SEDGE_EACH_MATRIX(e, face)      for (int e = 0, face = 0; face < 4; face++)
#define SEDGE_OWN_VALUE                 0
#define SEDGE_EACH_ITEM(o, orbits, e)   for (int e = 0, o = 0; o < (orbits); o++)
#define SEDGE_EACH_FACE_ITEM(k, e)      SEDGE_EACH_ITEM(k, SEDGE_FACE_NODES, e)
#define SEDGE_EACH_VALUE(e)             for (int e = 0; e < SEDGE_CURVED_BLOCK; e++)
#define SEDGE_EACH_FACE_NODE(k)         for (int k = 0; k < SEDGE_FACE_NODES; k++)
#else
// A thread takes one value, SEDGE_OWN_VALUE, and every SEDGE_VALUE_THREADS-th of what that has of
// something, from SEDGE_OWN_PLACE on: nothing but the place changes from round to round. Threads
// beyond the block's values have none.
#define SEDGE_VALUE_THREADS (SEDGE_CURVED_THREADS / SEDGE_CURVED_BLOCK)
#define SEDGE_OWN_VALUE     ((int)((unsigned)SEDGE_THREAD % SEDGE_CURVED_BLOCK))
#define SEDGE_OWN_PLACE     ((int)((unsigned)SEDGE_THREAD / SEDGE_CURVED_BLOCK))
#define SEDGE_HAS_PLACE \
    (SEDGE_CURVED_THREADS % SEDGE_CURVED_BLOCK == 0 || SEDGE_OWN_PLACE < SEDGE_VALUE_THREADS)
#define SEDGE_EACH_ITEM(o, orbits, e)                                                             \
    for (int e = SEDGE_OWN_VALUE, o = SEDGE_HAS_PLACE ? SEDGE_OWN_PLACE : (orbits); o < (orbits); \
         o += SEDGE_VALUE_THREADS)

// The same for what is at the faces' nodes. With a covariant state neighbouring threads have
// neighbouring places of one value: what they read of its neighbours lies together, and they read
// the same matrices at once.
#if SEDGE_COVARIANT_STATE
#define SEDGE_FACE_VALUE ((int)((unsigned)SEDGE_THREAD / SEDGE_VALUE_THREADS))
#define SEDGE_FACE_PLACE ((int)((unsigned)SEDGE_THREAD % SEDGE_VALUE_THREADS))
#define SEDGE_HAS_FACE_PLACE                           \
    (SEDGE_CURVED_THREADS % SEDGE_CURVED_BLOCK == 0 || \
     SEDGE_THREAD < SEDGE_CURVED_BLOCK * SEDGE_VALUE_THREADS)
#else
#define SEDGE_FACE_VALUE     SEDGE_OWN_VALUE
#define SEDGE_FACE_PLACE     SEDGE_OWN_PLACE
#define SEDGE_HAS_FACE_PLACE SEDGE_HAS_PLACE
#endif
#define SEDGE_EACH_FACE_ITEM(k, e)                                                                 \
    for (int e = SEDGE_FACE_VALUE, k = SEDGE_HAS_FACE_PLACE ? SEDGE_FACE_PLACE : SEDGE_FACE_NODES; \
         k < SEDGE_FACE_NODES; k += SEDGE_VALUE_THREADS)

// Rounds over the nodes of a face; pieces of a map, and how many maps a round copies; rounds at
// once over packs of the block's states.
#define SEDGE_FACE_ROUNDS   ((SEDGE_FACE_NODES + SEDGE_VALUE_THREADS - 1) / SEDGE_VALUE_THREADS)
#define SEDGE_TRACE_ROUNDS  (4 * SEDGE_FACE_ROUNDS)
#define SEDGE_MAP_PIECES    ((SEDGE_CURVE_WORDS + SEDGE_PIECE_WORDS - 1) / SEDGE_PIECE_WORDS)
#define SEDGE_ROUND_MAPS    (SEDGE_CURVED_THREADS / SEDGE_MAP_PIECES)
#define SEDGE_MAP_ROUNDS    ((SEDGE_CURVED_BLOCK + SEDGE_ROUND_MAPS - 1) / SEDGE_ROUND_MAPS)
#define SEDGE_UPDATE_ROUNDS 4
#define SEDGE_UPDATE_LOOP(first)                                        \
    for (int first = 0; first < SEDGE_CURVED_BLOCK * SEDGE_STATE_PACKS; \
         first += SEDGE_UPDATE_ROUNDS * SEDGE_CURVED_THREADS)
#define SEDGE_UPDATE_ITEM(first, round) ((first) + SEDGE_THREAD + (round)*SEDGE_CURVED_THREADS)
// The last threads first: products have the first items.
#define SEDGE_EACH_MATRIX(e, face)                                               \
    for (int sedge_m = SEDGE_CURVED_THREADS - 1 - SEDGE_THREAD, e = sedge_m / 4, \
             face = sedge_m % 4;                                                 \
         sedge_m < 4 * SEDGE_CURVED_BLOCK;                                       \
         sedge_m += SEDGE_CURVED_THREADS, e = sedge_m / 4, face = sedge_m % 4)
// A warp takes a value, the last warps first: products have the first items.
#define SEDGE_EACH_VALUE(e)                                                              \
    for (int e = (SEDGE_CURVED_THREADS - 1 - SEDGE_THREAD) / 32; e < SEDGE_CURVED_BLOCK; \
         e += SEDGE_CURVED_THREADS / 32)
#define SEDGE_EACH_FACE_NODE(k) for (int k = SEDGE_THREAD % 32; k < SEDGE_FACE_NODES; k += 32)

// A thread's face node in a round; beyond the last one the last.
SEDGE_FUNCTION int find_face_item(int round)
{
    const int k = SEDGE_FACE_PLACE + round * SEDGE_VALUE_THREADS;
    return k < SEDGE_FACE_NODES ? k : SEDGE_FACE_NODES - 1;
}

// link[j] is that of the face at place j of orbits, place[4 round + j] the round's face node there.
// `links` are those of the block, which has `here` values.
SEDGE_FUNCTION void find_links(sedge_link *link, int *place,
                               const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int here)
{
    const int value = SEDGE_FACE_VALUE < here ? SEDGE_FACE_VALUE : here - 1;

    SEDGE_EACH (j, 4) {
        link[j] = links[value * 4 + find_orbit_face(j)];
        link[j].code %= SEDGE_STRAIGHT_BEHIND;
    }
    SEDGE_EACH (round, SEDGE_FACE_ROUNDS) {
        const sedge_four nodes = get_four(tables, SEDGE_FACES_AT, find_face_item(round));
        SEDGE_EACH (j, 4) place[4 * round + j] = nodes.at[j];
    }
}

// The neighbours' traces into the block's memory, on their way until SEDGE_COPY_WAIT.
SEDGE_FUNCTION void copy_traces_behind(SEDGE_BLOCKWIDE sedge_value *behind, const sedge_link *link,
                                       int *place, const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                       const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                       const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_EACH (i, SEDGE_TRACE_ROUNDS) place[i] = find_node_behind(link[i % 4], place[i], tables);
    SEDGE_EACH (round, SEDGE_FACE_ROUNDS) {
        SEDGE_BLOCKWIDE sedge_value *const to =
            behind + find_face_item(round) * SEDGE_ROW_WORDS + SEDGE_FACE_VALUE * SEDGE_FIELDS;
        if (SEDGE_HAS_FACE_PLACE &&
            SEDGE_FACE_PLACE + round * SEDGE_VALUE_THREADS < SEDGE_FACE_NODES)
            SEDGE_EACH (j, 4) {
                const SEDGE_GLOBAL sedge_value *const from =
                    find_trace(link[j], place[4 * round + j], u, trace);
                SEDGE_EACH (i, SEDGE_FIELDS / SEDGE_PIECE_WORDS)
                    copy_piece(to + SEDGE_FACE_ROW(j, 0) * SEDGE_ROW_WORDS + i * SEDGE_PIECE_WORDS,
                               from + i * SEDGE_PIECE_WORDS);
            }
    }
}

// The maps of the block's values, `stride` words apart, as above; by words where a map is not made
// of whole pieces.
SEDGE_FUNCTION void copy_maps(SEDGE_BLOCKWIDE sedge_value *maps, int stride,
                              const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT curves, int here)
{
    const int first = (int)((unsigned)SEDGE_THREAD / SEDGE_MAP_PIECES);
    const int i = (int)((unsigned)SEDGE_THREAD % SEDGE_MAP_PIECES) * SEDGE_PIECE_WORDS;

    SEDGE_EACH (round, SEDGE_MAP_ROUNDS) {
        const int e = first + round * SEDGE_ROUND_MAPS;
        if (first < SEDGE_ROUND_MAPS && e < here) {
            if (SEDGE_CURVE_WORDS % SEDGE_PIECE_WORDS == 0)
                copy_piece(maps + e * stride + i, curves[e].c + i);
            else
                for (int word = i; word < i + SEDGE_PIECE_WORDS && word < SEDGE_CURVE_WORDS; word++)
                    copy_word(maps + e * stride + word, curves[e].c + word);
        }
    }
}
#endif

// Items of products. If the block has enough threads, the products for faces and for the element
// run at once, the faces' items first. Otherwise the faces' product runs after the element's.
#define SEDGE_SQUARE_ITEMS SEDGE_PRODUCT_ITEMS(SEDGE_NODE_ORBITS)
#define SEDGE_FACE_ITEMS   ((SEDGE_PRODUCT_ITEMS(SEDGE_FACE_NODES) + 31) / 32 * 32)
#define SEDGE_SUM_ITEMS    SEDGE_PRODUCT_ITEMS(SEDGE_CURVED_CHUNK)
#define SEDGE_BOTH_AT_ONCE \
    (!SEDGE_CURVED_CODED && SEDGE_FACE_ITEMS + SEDGE_SQUARE_ITEMS <= SEDGE_CURVED_THREADS)

#if SEDGE_CURVED_COEFFICIENTS && !SEDGE_COVARIANT_STATE
// Nodal values of the faces, then of the element.
SEDGE_FUNCTION void find_nodal(sedge_sums *sum, int i, const SEDGE_BLOCKWIDE sedge_value *states,
                               const SEDGE_BLOCKWIDE sedge_value *traces,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    if (i >= SEDGE_FACE_ITEMS)
        find_sums(sum, i - SEDGE_FACE_ITEMS, states, SEDGE_NODE_ORBITS,
                  operators + SEDGE_COVARIANT_NODAL, 4, SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS);
    else if (i < SEDGE_PRODUCT_ITEMS(SEDGE_FACE_NODES))
        find_sums(sum, i, traces + SEDGE_FACE_ROW(0, 0) * SEDGE_ROW_WORDS, SEDGE_CURVED_SUMMED,
                  operators + SEDGE_COVARIANT_FACE, 1, SEDGE_FACE_NODES, SEDGE_FACE_NODES);
}

SEDGE_FUNCTION void put_nodal(SEDGE_BLOCKWIDE sedge_value *states,
                              SEDGE_BLOCKWIDE sedge_value *traces, int i, const sedge_sums *sum)
{
    if (i >= SEDGE_FACE_ITEMS)
        put_sums(states, i - SEDGE_FACE_ITEMS, SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, sum);
    else if (i < SEDGE_PRODUCT_ITEMS(SEDGE_FACE_NODES))
        put_sums(traces + SEDGE_FACE_ROW(0, 0) * SEDGE_ROW_WORDS, i, SEDGE_CURVED_SUMMED,
                 SEDGE_FACE_NODES, sum);
}
#endif
