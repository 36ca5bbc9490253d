// The Runge-Kutta stage of curved elements whose state is covariant: components e = G^T E of each
// vector, G = dx/dr (src/dg/cubature.h has the method). Types of dg_layout.h, parameters of
// dg_curved_parts.h, parts of dg_covariant_parts.h.
//
//   e' = P (-G^T G / J) (V' C B e + L g),    g = M (A e_behind - e_own.t)
//
// C are the curls of the reference element: differences of neighbouring Bernstein coefficients, of
// order N - 1; B makes the coefficients, unless these are the state. V' evaluates the curls at the
// quadrature points, L lifts to the points, P projects, both in the state's basis. On a face g are
// two numbers for each vector at each node or coefficient: M does not change along the face
// (find_face_matrix), and neither does A, which takes what is behind the face to components along
// its two tangents t:
//
//   a curved neighbour, a boundary or the element itself: covariant components of the element
//       behind, which the code of the link names, and A is a matrix of integers
//   a straight neighbour (SEDGE_STRAIGHT_BEHIND): E, and A are the tangents
//
// Trace slots of boundary faces have outer traces in components of the own element, by
// sedge_boundary and sedge_two_sided: there is no boundary function here. A straight element finds
// in a slot what sedge_seams makes of a curved neighbour's components (dg_seams.h).
//
//   operators places of the points, nodes and face nodes by orbits [orbits][4][3]; unless products
//             are code V' and L in one, P and, where the state is nodal, B, as in dg_covariant.h.
//             Then, for energies, V [nodes][points], places [points][3] and weights [points]; from
//             the next whole four on A of each code [24][8]: along, component, and two zeros
//
// V', L, P and B by orbits, as in dg_covariant.h. The block's memory, of each of SEDGE_CURVED_BLOCK
// values:
//
//   s_u  coefficients [node][field] in SEDGE_OWN_STRIDE words: the state, or what is made of it
//        where it is nodal
//   s_x  the map, then of each face M, A and two spare words, SEDGE_RECORD_STRIDE words
//   s_e  columns [z][row][field] in SEDGE_COLUMN_STRIDE words; one has a sign pattern and a field.
//        Its rows: curls, then what is behind the faces and after that g; in the end the rates.
//        Behind them are those of a nodal state, from SEDGE_STATE_ROW on, and of sums over chunks,
//        from SEDGE_RESULT_ROW on
//   s_t  the same of what products make, SEDGE_TARGET_STRIDE words; where they are in place, s_e
//
// What is behind the faces is on its way while the faces' matrices and the curls are made.
//
// Where products are code, a thread takes a column through a product; else an item has
// SEDGE_CURVED_ROWS rows of SEDGE_CURVED_TILE values and one sign pattern. On a GPU products write
// where they read (SEDGE_CURVED_IN_PLACE), unless the memory has no room for all points: then rows
// come in chunks, and what each chunk of points adds to the result is summed up in memory.
#pragma once

#define SEDGE_ACROSS_AT    ((SEDGE_CURVED_WEIGHTS + SEDGE_CURVED_POINTS + 3) / 4 * 4)
#define SEDGE_MATRIX_WORDS (SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS)
// Of a value: its map, then M, A and two spare words of each face.
#define SEDGE_FACE_RECORD   (SEDGE_MATRIX_WORDS + 8)
#define SEDGE_RECORDS_AT    32
#define SEDGE_RECORD_STRIDE (SEDGE_RECORDS_AT + 4 * SEDGE_FACE_RECORD + 4)
#if SEDGE_TARGET_HOST
#define SEDGE_OWN_STRIDE SEDGE_WORDS
#else
#define SEDGE_OWN_STRIDE ((SEDGE_WORDS / SEDGE_PACK | 1) * SEDGE_PACK)
#endif
// A row of the columns z of a value, of s_e and of s_t.
#define SEDGE_COLUMN(z, row)   (((z)*SEDGE_COLUMN_ROWS + (row)) * SEDGE_FIELDS)
#define SEDGE_T_COLUMN(z, row) (((z)*SEDGE_TARGET_ROWS + (row)) * SEDGE_FIELDS)
// The first rows of what the last product leaves, and of the nodes' rates, which are elsewhere.
#if SEDGE_CURVED_CHUNK < SEDGE_POINT_ORBITS
#define SEDGE_RESULT_ROW SEDGE_CURVED_SUMMED
#define SEDGE_RATE_ROW   0
#define SEDGE_RATE_ROWS  SEDGE_CURVED_SUMMED
#else
#define SEDGE_RESULT_ROW 0
#define SEDGE_RATE_ROW   SEDGE_NODE_ORBITS
#define SEDGE_RATE_ROWS  (SEDGE_COLUMN_ROWS - SEDGE_NODE_ORBITS)
#endif
// Where word w of a value's rates, [node][field], stands.
#define SEDGE_RATE_AT(w)                                                 \
    ((w) + SEDGE_RATE_ROW * SEDGE_FIELDS +                               \
     (int)((unsigned)(w) / (unsigned)(SEDGE_RATE_ROWS * SEDGE_FIELDS)) * \
         ((SEDGE_COLUMN_ROWS - SEDGE_RATE_ROWS) * SEDGE_FIELDS))
// The first row of what a nodal state's coefficients are made of, and where the own state is: it
// has coefficients or stays in device memory. Beyond the last value it is the last one's.
#define SEDGE_STATE_ROW SEDGE_CURVED_SUMMED
#if SEDGE_CURVED_COEFFICIENTS
#define SEDGE_LOAD_OWN(row, e, n) \
    SEDGE_LOAD_TWOS(row, s_u + (e)*SEDGE_OWN_STRIDE + (n)*SEDGE_FIELDS)
#else
#define SEDGE_LOAD_OWN(row, e, n) \
    SEDGE_EACH (f, SEDGE_FIELDS)  \
        (row)[f] = find_state(u, start + ((e) < here ? (e) : here - 1), n)->f[f];
#endif

// The block's memory, and what copies the values' coefficients there until SEDGE_COPY_WAIT, or
// SEDGE_COPY_WAIT_FIRST.
#define SEDGE_STATE_MEMORY                                                                   \
    SEDGE_SCRATCH(sedge_value, s_u, SEDGE_CURVED_BLOCK *SEDGE_CURVED_SCRATCH);               \
    SEDGE_BLOCKWIDE sedge_value *const s_x = s_u + SEDGE_CURVED_BLOCK * SEDGE_OWN_STRIDE;    \
    SEDGE_BLOCKWIDE sedge_value *const s_e = s_x + SEDGE_CURVED_BLOCK * SEDGE_RECORD_STRIDE; \
    SEDGE_BLOCKWIDE sedge_value *const s_t =                                                 \
        s_e + (SEDGE_CURVED_IN_PLACE ? 0 : SEDGE_CURVED_BLOCK * SEDGE_COLUMN_STRIDE)
#define SEDGE_COPY_COEFFICIENTS                                                                  \
    SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_CURVED_THREADS) {     \
        if (e < here)                                                                            \
            SEDGE_COPY_PACK(s_u + e * SEDGE_OWN_STRIDE + p * SEDGE_PACK,                         \
                            (const SEDGE_GLOBAL sedge_value *)(u + start * SEDGE_NODES_PADDED) + \
                                e * SEDGE_WORDS + p * SEDGE_PACK);                               \
    }

// An orbit's four points from a row of the columns, of `rows` rows each, and back.
SEDGE_FUNCTION void load_columns(sedge_value *v, const SEDGE_BLOCKWIDE sedge_value *from, int rows)
{
    SEDGE_EACH (z, 4) {
        sedge_value *const row = v + z * SEDGE_FIELDS;
        SEDGE_LOAD_TWOS(row, from + z * rows * SEDGE_FIELDS)
    }
    mix(v);
}

SEDGE_FUNCTION void store_columns(SEDGE_BLOCKWIDE sedge_value *to, sedge_value *v, int rows)
{
    mix(v);
    SEDGE_EACH (z, 4) SEDGE_STORE_TWOS(to + z * rows * SEDGE_FIELDS, v + z * SEDGE_FIELDS)
}

// A row of the columns to the coefficients of an orbit.
SEDGE_FUNCTION void put_coefficients(SEDGE_BLOCKWIDE sedge_value *own,
                                     const SEDGE_BLOCKWIDE sedge_value *from, int rows,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);
    sedge_value v[SEDGE_ORBIT_WORDS];

    load_columns(v, from, rows);
    SEDGE_EACH (j, 4) SEDGE_STORE_TWOS(own + nodes.at[j] * SEDGE_FIELDS, v + j * SEDGE_FIELDS)
}

// find_lower_curls from the coefficients of a value, of which four have the numbers `around`.
SEDGE_FUNCTION void find_own_curls(sedge_value *w, const SEDGE_BLOCKWIDE sedge_value *own,
                                   sedge_four around, const sedge_value *m)
{
    sedge_value corner[4][SEDGE_FIELDS];

    SEDGE_EACH (k, 4) SEDGE_LOAD_TWOS(corner[k], own + around.at[k] * SEDGE_FIELDS)
    find_corner_curls(w, corner, m);
}

// M and A of a face.
SEDGE_FUNCTION void find_face_record(SEDGE_BLOCKWIDE sedge_value *record, const sedge_value *c,
                                     int face, sedge_int64 value,
                                     const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                     const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                                     sedge_int64 slots)
{
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
    sedge_value across[6];
    sedge_plane plane;

    get_material(m, material, materials, value);
    get_neighbour_material(mv, value, face, links, material, materials, slots);
    find_plane(&plane, c, face);
    find_face_matrix(record, &plane, m, mv);
    SEDGE_LANES_LOOP (l) {
        const int code = links[(value * SEDGE_LANES + l) * 4 + face].code;
        const SEDGE_GLOBAL sedge_real *const row =
            operators + SEDGE_ACROSS_AT + 8 * (code % SEDGE_STRAIGHT_BEHIND);
        SEDGE_EACH (i, 6)
            SEDGE_LANE(across[i], l) =
                code >= SEDGE_STRAIGHT_BEHIND ? SEDGE_LANE(plane.tangent[i / 3][i % 3], l) : row[i];
    }
    SEDGE_EACH (i, 6) record[SEDGE_MATRIX_WORDS + i] = across[i];
    record[SEDGE_MATRIX_WORDS + 6] = record[SEDGE_MATRIX_WORDS + 7] = SEDGE_SPLAT(0.0);
}

// g at a coefficient of a face.
SEDGE_FUNCTION void find_state_jump(sedge_value *jump, const sedge_value *own,
                                    const sedge_value *behind,
                                    const SEDGE_BLOCKWIDE sedge_value *record, int face)
{
    sedge_value r[SEDGE_FACE_RECORD];
    sedge_value difference[SEDGE_JUMP_WORDS];

    SEDGE_LOAD_ROW(r, record, SEDGE_FACE_RECORD)
    SEDGE_EACH (i, SEDGE_VECTORS) {
        const sedge_value *const v = behind + 3 * i;
        sedge_value along[2];
        take_along(along, own + 3 * i, face);
        SEDGE_EACH (a, 2) {
            const sedge_value *const row = r + SEDGE_MATRIX_WORDS + 3 * a;
            difference[2 * i + a] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] - along[a];
        }
    }
    multiply_jump(jump, r, difference, face);
}

// Weigh the density at the points of an orbit.
SEDGE_FUNCTION void weigh_columns(SEDGE_BLOCKWIDE sedge_value *at,
                                  const SEDGE_BLOCKWIDE sedge_value *map,
                                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                                  int orbit)
{
    sedge_value v[SEDGE_ORBIT_WORDS];
    sedge_value c[32];

    load_map(c, map);
    load_columns(v, at, SEDGE_TARGET_ROWS);
    weigh_points(v, c, operators, orbit);
    store_columns(at, v, SEDGE_TARGET_ROWS);
}

// A product of all values, in place, from `first` on.
#if SEDGE_CURVED_CODED
#define SEDGE_COLUMN_PRODUCT(NAME, first, rows, columns, matrix)        \
    SEDGE_EACH_COLUMN(e, z, f)                                          \
    {                                                                   \
        SEDGE_BLOCKWIDE sedge_value *const at =                         \
            s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(z, first) + f; \
        covariant_##NAME(at, at, z);                                    \
    }
#else
SEDGE_FUNCTION void store_tile(SEDGE_BLOCKWIDE sedge_value *to, int apart, const sedge_sums *sum,
                               int rows)
{
    SEDGE_EACH (r, SEDGE_CURVED_ROWS)
        if (r < rows)
            SEDGE_EACH (t, SEDGE_CURVED_TILE) {
                const sedge_value *const row = sum->row[r] + t * SEDGE_FIELDS;
                SEDGE_STORE_TWOS(to + t * apart + r * SEDGE_FIELDS, row)
            }
}

// Some rows of a product, of the values of a tile and one sign pattern; values are `to_apart` and
// `from_apart` words apart. `adds`: to what is there.
SEDGE_FUNCTION void multiply_columns(SEDGE_BLOCKWIDE sedge_value *to, int to_apart,
                                     const SEDGE_BLOCKWIDE sedge_value *from, int from_apart,
                                     const SEDGE_GLOBAL sedge_weights *SEDGE_RESTRICT weights,
                                     int step, int columns, int rows, int adds)
{
    sedge_sums sum;

    clear_sums(&sum);
    if (adds)
        SEDGE_EACH (r, SEDGE_CURVED_ROWS)
            if (r < rows) SEDGE_LOAD_TILE(sum.row[r], to + r * SEDGE_FIELDS, to_apart)
    multiply(&sum, from, from_apart, weights, step, columns);
    store_tile(to, to_apart, &sum, rows);
}

// Each thread has at most one item, and all are found before the first is stored.
#define SEDGE_COLUMN_PRODUCT(NAME, first, rows, columns, matrix)                                \
    {                                                                                           \
        const int tiles = SEDGE_ROW_TILES(rows);                                                \
        const int e = SEDGE_THREAD % SEDGE_CURVED_TILES;                                        \
        const int tile = SEDGE_THREAD / SEDGE_CURVED_TILES % tiles;                             \
        const int z = SEDGE_THREAD / SEDGE_CURVED_TILES / tiles;                                \
        SEDGE_BLOCKWIDE sedge_value *const at =                                                 \
            s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(z, first);                             \
        sedge_sums sum;                                                                         \
        clear_sums(&sum);                                                                       \
        if (z < 4)                                                                              \
            multiply(&sum, at, SEDGE_COLUMNS_APART,                                             \
                     find_weights(operators + (matrix), 0, 4, z, tiles, tile), 4 * tiles,       \
                     columns);                                                                  \
        SEDGE_BARRIER();                                                                        \
        if (z < 4)                                                                              \
            store_tile(at + tile * SEDGE_CURVED_ROWS * SEDGE_FIELDS, SEDGE_COLUMNS_APART, &sum, \
                       (rows)-tile * SEDGE_CURVED_ROWS);                                        \
    }

// How far apart the values of an item are in s_e and s_t.
#define SEDGE_COLUMNS_APART (SEDGE_CURVED_TILES * SEDGE_COLUMN_STRIDE)
#define SEDGE_TARGETS_APART (SEDGE_CURVED_TILES * SEDGE_TARGET_STRIDE)

// Items of a product: values fastest, then tiles of rows, then sign patterns. An item has the
// values e, e + SEDGE_CURVED_TILES and so on.
#define SEDGE_EACH_TILE(i, tiles, e, z, tile)                                         \
    SEDGE_ITEMS_1D (i, 4 * (tiles)*SEDGE_CURVED_TILES, SEDGE_CURVED_THREADS)          \
        for (int e = i % SEDGE_CURVED_TILES, tile = i / SEDGE_CURVED_TILES % (tiles), \
                 z = i / SEDGE_CURVED_TILES / (tiles), sedge_1 = 0;                   \
             sedge_1 == 0; sedge_1 = 1)

// The rows [first, first + some) of a product of s_e, from its row `from_row` on, to the rows of
// s_t from 0 on; `first` is one of a tile.
#define SEDGE_ROWS_TO_TARGET(first, some, most, from_row, rows, columns, matrix)                \
    SEDGE_EACH_TILE(i, SEDGE_ROW_TILES(most), e, z, tile)                                       \
    {                                                                                           \
        const int row = tile * SEDGE_CURVED_ROWS;                                               \
        if (row < (some))                                                                       \
            multiply_columns(                                                                   \
                s_t + e * SEDGE_TARGET_STRIDE + SEDGE_T_COLUMN(z, row), SEDGE_TARGETS_APART,    \
                s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(z, from_row), SEDGE_COLUMNS_APART, \
                find_weights(operators + (matrix), 0, 4, z, SEDGE_ROW_TILES(rows),              \
                             (first) / SEDGE_CURVED_ROWS + tile),                               \
                4 * SEDGE_ROW_TILES(rows), columns, (some)-row, 0);                             \
    }
#endif

// The product NAME takes the columns to the points; from there BACK, of the matrix `back`, takes
// what was weighed. A barrier is at the end of it.
#if SEDGE_CURVED_IN_PLACE
#define SEDGE_WEIGH_COLUMNS(NAME, columns, matrix, BACK, back)                 \
    SEDGE_COLUMN_PRODUCT(NAME, 0, SEDGE_POINT_ORBITS, columns, matrix)         \
    SEDGE_BARRIER();                                                           \
    SEDGE_EACH_ITEM(q, SEDGE_POINT_ORBITS, e)                                  \
    weigh_columns(s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, q),          \
                  s_x + e * SEDGE_RECORD_STRIDE, operators, q);                \
    SEDGE_BARRIER();                                                           \
    SEDGE_COLUMN_PRODUCT(BACK, 0, SEDGE_NODE_ORBITS, SEDGE_POINT_ORBITS, back) \
    SEDGE_BARRIER();
#else
#define SEDGE_WEIGH_COLUMNS(NAME, columns, matrix, BACK, back)                                  \
    for (int from = 0; from < SEDGE_POINT_ORBITS; from += SEDGE_CURVED_CHUNK) {                 \
        const int rest = SEDGE_POINT_ORBITS - from;                                             \
        const int orbits = rest < SEDGE_CURVED_CHUNK ? rest : SEDGE_CURVED_CHUNK;               \
        const int node_tiles = SEDGE_ROW_TILES(SEDGE_NODE_ORBITS);                              \
        SEDGE_ROWS_TO_TARGET(from, orbits, SEDGE_CURVED_CHUNK, 0, SEDGE_POINT_ORBITS, columns,  \
                             matrix)                                                            \
        SEDGE_BARRIER();                                                                        \
        SEDGE_EACH_ITEM(q, SEDGE_CURVED_CHUNK, e)                                               \
        {                                                                                       \
            if (q < orbits)                                                                     \
                weigh_columns(s_t + e * SEDGE_TARGET_STRIDE + SEDGE_T_COLUMN(0, q),             \
                              s_x + e * SEDGE_RECORD_STRIDE, operators, from + q);              \
        }                                                                                       \
        SEDGE_BARRIER();                                                                        \
        SEDGE_EACH_TILE(i, node_tiles, e, z, tile)                                              \
        {                                                                                       \
            const int row = tile * SEDGE_CURVED_ROWS;                                           \
            multiply_columns(                                                                   \
                s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(z, SEDGE_RESULT_ROW + row),        \
                SEDGE_COLUMNS_APART, s_t + e * SEDGE_TARGET_STRIDE + SEDGE_T_COLUMN(z, 0),      \
                SEDGE_TARGETS_APART,                                                            \
                find_weights(operators + (back), from, 4, z, node_tiles, tile), 4 * node_tiles, \
                orbits, SEDGE_NODE_ORBITS - row, from > 0);                                     \
        }                                                                                       \
        SEDGE_BARRIER();                                                                        \
    }
#endif

// The stage's end at two words.
SEDGE_FUNCTION void update_two(SEDGE_GLOBAL sedge_two *next, SEDGE_GLOBAL sedge_two *residual,
                               sedge_two own, sedge_two before, sedge_two rate,
                               const sedge_substep rk)
{
    sedge_two after;

    SEDGE_EACH (k, 2) {
        before.v[k] = carry(rk, own.v[k], before.v[k]) + rk.dt * rate.v[k];
        after.v[k] = own.v[k] + rk.b * before.v[k];
    }
    if (rk.keep != 0) *residual = before;
    if (rk.b != SEDGE_R(0.0)) *next = after;
}

#if SEDGE_TARGET_HOST
#define SEDGE_TWOS_THREADS 1
#define SEDGE_TWOS_ROUNDS  1
#define SEDGE_OWN_TWO      0
#define SEDGE_EACH_COLUMN(e, z, f)               \
    for (int e = 0; e < SEDGE_CURVED_BLOCK; e++) \
        for (int z = 0; z < 4; z++)              \
            for (int f = 0; f < SEDGE_FIELDS; f++)
#else
#define SEDGE_TWOS_THREADS SEDGE_CURVED_THREADS
#define SEDGE_TWOS_ROUNDS  SEDGE_CURVED_TWOS
#define SEDGE_OWN_TWO      SEDGE_THREAD
// All threads of a warp have the same sign pattern.
#define SEDGE_COLUMN_WARPS ((SEDGE_CURVED_BLOCK * SEDGE_FIELDS + 31) / 32)
#define SEDGE_EACH_COLUMN(e, z, f)                                                        \
    SEDGE_ROLLED for (int sedge_w = SEDGE_THREAD / 32; sedge_w < 4 * SEDGE_COLUMN_WARPS;  \
                      sedge_w += SEDGE_CURVED_THREADS /                                   \
                                 32) for (int z = sedge_w % 4,                            \
                                          sedge_p = sedge_w / 4 * 32 + SEDGE_THREAD % 32, \
                                          e = (int)((unsigned)sedge_p / SEDGE_FIELDS),    \
                                          f = (int)((unsigned)sedge_p % SEDGE_FIELDS),    \
                                          sedge_1 = 0;                                    \
                                          sedge_1 == 0 && e < SEDGE_CURVED_BLOCK; sedge_1 = 1)

// The neighbours' traces into the columns, on their way until SEDGE_COPY_WAIT.
SEDGE_FUNCTION void copy_columns_behind(SEDGE_BLOCKWIDE sedge_value *columns,
                                        const sedge_link *link, int *place,
                                        const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                        const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                        const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_EACH (i, SEDGE_TRACE_ROUNDS) place[i] = find_node_behind(link[i % 4], place[i], tables);
    SEDGE_EACH (round, SEDGE_FACE_ROUNDS) {
        SEDGE_BLOCKWIDE sedge_value *const to =
            columns + SEDGE_FACE_VALUE * SEDGE_COLUMN_STRIDE +
            SEDGE_COLUMN(0, SEDGE_LOWER_ORBITS + find_face_item(round));
        if (SEDGE_HAS_FACE_PLACE &&
            SEDGE_FACE_PLACE + round * SEDGE_VALUE_THREADS < SEDGE_FACE_NODES)
            SEDGE_EACH (j, 4) {
                const SEDGE_GLOBAL sedge_value *const from =
                    find_trace(link[j], place[4 * round + j], u, trace);
                SEDGE_EACH (i, SEDGE_FIELDS / SEDGE_PIECE_WORDS)
                    copy_piece(to + SEDGE_COLUMN(j, 0) + i * SEDGE_PIECE_WORDS,
                               from + i * SEDGE_PIECE_WORDS);
            }
    }
}
#endif

// At the stage's end an item is a pair of words of a value. SEDGE_TWOS_APART values are worked on
// at once, and a thread has the same pair of each of its values, so that its places differ by
// constants. Threads that are fewer than pairs take SEDGE_TWOS_PARTS turns.
#define SEDGE_TWOS       (SEDGE_WORDS / 2)
#define SEDGE_TWOS_APART (SEDGE_TWOS_THREADS > SEDGE_TWOS ? SEDGE_TWOS_THREADS / SEDGE_TWOS : 1)
#define SEDGE_TWOS_PARTS ((SEDGE_TWOS + SEDGE_TWOS_THREADS - 1) / SEDGE_TWOS_THREADS)

// What the stage carries on, or zeros, of a thread's pair of its next SEDGE_TWOS_ROUNDS values;
// `carried` is the first one's, and behind it the block has `left - 1` values.
SEDGE_FUNCTION void load_before(sedge_two *before, const SEDGE_GLOBAL sedge_two *carried, int left,
                                const sedge_substep rk)
{
    SEDGE_EACH (i, SEDGE_TWOS_ROUNDS) {
        before[i].v[0] = before[i].v[1] = SEDGE_SPLAT(0.0);
        if (i * SEDGE_TWOS_APART < left && rk.a != SEDGE_R(0.0))
            before[i] = carried[i * SEDGE_TWOS_APART * SEDGE_TWOS];
    }
}

// ---- the stage ---------------------------------------------------------------------------------

SEDGE_KERNEL_RESIDENT(sedge_curved, SEDGE_CURVED_THREADS, SEDGE_CURVED_RESIDENT, SEDGE_CURVED_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        SEDGE_VALUES_HERE(b);
        SEDGE_STATE_MEMORY;

        // States, maps, and what is behind the faces. Beyond the last value these are of the last
        // one, or nothing: whatever that makes is not written.
#if SEDGE_TARGET_HOST
#if SEDGE_CURVED_COEFFICIENTS
        for (int i = 0; i < SEDGE_WORDS; i++) s_u[i] = u[start * SEDGE_NODES_PADDED].f[i];
#endif
        for (int i = 0; i < SEDGE_CURVE_WORDS; i++) s_x[i] = curves[curve].c[i];
        for (int i = 0; i < SEDGE_FACE_POINTS; i++) {
            const int j = i / SEDGE_FACE_NODES;
            const int k = i % SEDGE_FACE_NODES;
            get_trace_behind(s_e + SEDGE_COLUMN(j, SEDGE_LOWER_ORBITS + k), start,
                             find_face_node(tables, k, j), u, trace, links, tables);
        }
#else
        sedge_link link[4];
        int place[SEDGE_TRACE_ROUNDS];
#if SEDGE_BULK && SEDGE_CURVED_COEFFICIENTS
        SEDGE_SHARED(sedge_uint64, arrived, 1);
        const unsigned bytes = SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state);
        if (SEDGE_THREAD == 0) expect_bulk(arrived, (unsigned)here * bytes);
        SEDGE_BARRIER();
        if (SEDGE_THREAD < here)
            copy_bulk(s_u + SEDGE_THREAD * SEDGE_OWN_STRIDE,
                      u + (start + SEDGE_THREAD) * SEDGE_NODES_PADDED, bytes, arrived);
        if (SEDGE_THREAD == 0 && rk.a != SEDGE_R(0.0))
            ask((rk.c != SEDGE_R(0.0) ? next : residual) + start * SEDGE_NODES_PADDED,
                (unsigned)here * bytes);
#elif SEDGE_CURVED_COEFFICIENTS
        SEDGE_COPY_COEFFICIENTS
#endif
        find_links(link, place, links + start * 4, tables, here);
        copy_maps(s_x, SEDGE_RECORD_STRIDE, curves + curve, here);
        SEDGE_COPY_NEXT();
        copy_columns_behind(s_e, link, place, u, trace, tables);
#if SEDGE_BULK && SEDGE_CURVED_COEFFICIENTS
        wait_for_bulk(arrived);
#endif
        SEDGE_COPY_WAIT_FIRST();
#endif

#if SEDGE_CURVED_COEFFICIENTS
        SEDGE_BARRIER();
#else
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, o);
            sedge_value v[SEDGE_ORBIT_WORDS];
            SEDGE_EACH (j, 4) {
                sedge_value *const at = v + j * SEDGE_FIELDS;
                SEDGE_LOAD_OWN(at, e, nodes.at[j])
            }
            store_columns(s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_STATE_ROW + o), v,
                          SEDGE_COLUMN_ROWS);
        }
        SEDGE_BARRIER();
#if SEDGE_CURVED_IN_PLACE
        SEDGE_COLUMN_PRODUCT(coefficients, SEDGE_STATE_ROW, SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS,
                             SEDGE_STATE_COEFFICIENTS)
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        put_coefficients(s_u + e * SEDGE_OWN_STRIDE,
                         s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_STATE_ROW + o),
                         SEDGE_COLUMN_ROWS, tables, o);
        SEDGE_BARRIER();
#else
        for (int from = 0; from < SEDGE_NODE_ORBITS; from += SEDGE_TARGET_ROWS) {
            const int rest = SEDGE_NODE_ORBITS - from;
            const int orbits = rest < SEDGE_TARGET_ROWS ? rest : SEDGE_TARGET_ROWS;
            SEDGE_ROWS_TO_TARGET(from, orbits, SEDGE_TARGET_ROWS, SEDGE_STATE_ROW,
                                 SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, SEDGE_STATE_COEFFICIENTS)
            SEDGE_BARRIER();
            SEDGE_EACH_ITEM(o, SEDGE_TARGET_ROWS, e)
            {
                if (o < orbits)
                    put_coefficients(s_u + e * SEDGE_OWN_STRIDE,
                                     s_t + e * SEDGE_TARGET_STRIDE + SEDGE_T_COLUMN(0, o),
                                     SEDGE_TARGET_ROWS, tables, from + o);
            }
            SEDGE_BARRIER();
        }
#endif
#endif

        // The faces' matrices; curls.
        SEDGE_EACH_MATRIX(e, face)
        {
            SEDGE_BLOCKWIDE sedge_value *const map = s_x + e * SEDGE_RECORD_STRIDE;
            sedge_value c[32];
            load_map(c, map);
            find_face_record(map + SEDGE_RECORDS_AT + face * SEDGE_FACE_RECORD, c, face,
                             start + (e < here ? e : here - 1), links, material, materials,
                             operators, slots);
        }
        SEDGE_EACH_ITEM(o, SEDGE_LOWER_ORBITS, e)
        {
            sedge_value v[SEDGE_ORBIT_WORDS];
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            get_material(m, material, materials, start + (e < here ? e : here - 1));
            SEDGE_EACH (j, 4)
                find_own_curls(v + j * SEDGE_FIELDS, s_u + e * SEDGE_OWN_STRIDE,
                               get_four(tables, SEDGE_AROUND_AT, 4 * o + j), m);
            store_columns(s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, o), v, SEDGE_COLUMN_ROWS);
        }
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();

        // Jumps.
        SEDGE_EACH_FACE_ITEM(k, e)
        {
            SEDGE_BLOCKWIDE sedge_value *const at =
                s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_LOWER_ORBITS + k);
            const sedge_four nodes = get_four(tables, SEDGE_FACES_AT, k);
            sedge_value v[SEDGE_ORBIT_WORDS];
            SEDGE_EACH (j, 4) {
                const int face = find_orbit_face(j);
                const int node = tables[face * SEDGE_FACE_NODES + nodes.at[j]];
                sedge_value own[SEDGE_FIELDS];
                sedge_value behind[SEDGE_FIELDS];
                SEDGE_LOAD_OWN(own, e, node)
                SEDGE_LOAD_TWOS(behind, at + SEDGE_COLUMN(j, 0))
                find_state_jump(v + j * SEDGE_FIELDS, own, behind,
                                s_x + e * SEDGE_RECORD_STRIDE + SEDGE_RECORDS_AT +
                                    face * SEDGE_FACE_RECORD,
                                face);
            }
            store_columns(at, v, SEDGE_COLUMN_ROWS);
        }
        SEDGE_BARRIER();

        SEDGE_WEIGH_COLUMNS(sum, SEDGE_CURVED_SUMMED, SEDGE_STATE_SUM, project, SEDGE_STATE_PROJECT)

        // The stage's end reads its first rounds while rates go to the nodes.
        const int pair = (int)((unsigned)SEDGE_OWN_TWO % (unsigned)SEDGE_TWOS);
        const int value = (int)((unsigned)SEDGE_OWN_TWO / (unsigned)SEDGE_TWOS);
        const int mine = value < SEDGE_TWOS_APART ? here - value : 0;
        const SEDGE_GLOBAL sedge_state *const from = rk.c != SEDGE_R(0.0) ? next : residual;
        const SEDGE_GLOBAL sedge_two *const carried =
            (const SEDGE_GLOBAL sedge_two *)from[start * SEDGE_NODES_PADDED].f;
        sedge_two before[SEDGE_TWOS_ROUNDS];
        load_before(before, carried + SEDGE_OWN_TWO, mine, rk);
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            SEDGE_BLOCKWIDE sedge_value *const at = s_e + e * SEDGE_COLUMN_STRIDE;
            const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, o);
            sedge_value v[SEDGE_ORBIT_WORDS];
            load_columns(v, at + SEDGE_COLUMN(0, SEDGE_RESULT_ROW + o), SEDGE_COLUMN_ROWS);
            SEDGE_EACH (j, 4)
                SEDGE_STORE_TWOS(at + SEDGE_RATE_AT(nodes.at[j] * SEDGE_FIELDS),
                                 v + j * SEDGE_FIELDS)
        }
        SEDGE_BARRIER();
#ifdef SEDGE_EACH_TERM
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            if (e < here) {
                SEDGE_BLOCKWIDE sedge_value *const at =
                    s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_RATE_AT(n * SEDGE_FIELDS);
                sedge_value own[SEDGE_FIELDS];
                sedge_value rate[SEDGE_FIELDS];
                SEDGE_LOAD_OWN(own, e, n)
                SEDGE_LOAD_TWOS(rate, at)
                add_terms(rate, own, start + e, n, material, materials, rk,
                          clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
                SEDGE_STORE_TWOS(at, rate)
            }
        }
        SEDGE_BARRIER();
#endif

        SEDGE_GLOBAL sedge_two *const next_twos =
            (SEDGE_GLOBAL sedge_two *)next[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_two *const residual_twos =
            (SEDGE_GLOBAL sedge_two *)residual[start * SEDGE_NODES_PADDED].f;
        // The stage's end; all loads of some rounds before their first store.
        for (int part = 0; part < SEDGE_TWOS_PARTS; part++) {
            const int w = pair + part * SEDGE_TWOS_THREADS;
            const int values = w < SEDGE_TWOS ? mine : 0;
            for (int first = 0; first < SEDGE_CURVED_BLOCK;
                 first += SEDGE_TWOS_ROUNDS * SEDGE_TWOS_APART) {
                const int at = (value + first) * SEDGE_TWOS + w;
                if (part > 0 || first > 0) load_before(before, carried + at, values - first, rk);
                SEDGE_EACH (i, SEDGE_TWOS_ROUNDS) {
                    if (first + i * SEDGE_TWOS_APART < values) {
                        const int e = value + first + i * SEDGE_TWOS_APART;
                        const int p = at + i * SEDGE_TWOS_APART * SEDGE_TWOS;
                        sedge_two rate;
                        rate.v[0] = rate.v[1] = SEDGE_SPLAT(0.0); // of the padding
                        if (w < SEDGE_NODES * SEDGE_FIELDS / 2)
                            rate =
                                *(const SEDGE_BLOCKWIDE sedge_two *)(s_e + e * SEDGE_COLUMN_STRIDE +
                                                                     SEDGE_RATE_AT(2 * w));
#if SEDGE_CURVED_COEFFICIENTS
                        const sedge_two state = *(
                            const SEDGE_BLOCKWIDE sedge_two *)(s_u + e * SEDGE_OWN_STRIDE + 2 * w);
#else
                        const sedge_two state =
                            ((const SEDGE_GLOBAL sedge_two *)u[start * SEDGE_NODES_PADDED].f)[p];
#endif
                        update_two(next_twos + p, residual_twos + p, state, before[i], rate, rk);
                    }
                }
            }
        }
    }
    (void)shapes, (void)group, (void)parameters, (void)kinds, (void)halo_faces;
    (void)boundary_end, (void)clock, (void)delay, (void)duration;
}
