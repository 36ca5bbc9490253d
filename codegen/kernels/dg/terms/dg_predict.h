// The prediction of an ADER step (src/dg/predictor.h) in elements with terms or a source, in
// coefficients of the Bernstein-Bezier basis. Types of dg_layout.h.
#pragma once

#ifdef SEDGE_EACH_TERM
// With L also on the terms' memory w,
//
//   mean = u + f_1 dt L v + Q dt D v,   v = u + f_2 dt L (u + f_3 dt L u),
//
// where D is the derivatives' part of L, from the innermost bracket, of full degree each: the
// bracket's fields are in the block's memory, its w in registers. A bracket is what the terms make
// of the one before at a coefficient, plus its derivatives, of order N - 1, raised by code that
// src/forms/series_products.c generates. With SEDGE_PREDICT_GATHERS each item keeps its
// coefficient's bracket in registers and raises the derivatives itself, from a table; generated
// code then only damps. What terms do over the step follows from the means at the
// node alone. So it is done here, u += dt s(mean) and w += dt q(mean), and the stage has no terms
// to add but matrices to multiply by.
//
// An item has a coefficient of one element of the block; in generated code, a field. Neighbouring
// items have neighbouring elements, then neighbouring coefficients or fields, and strides are such
// that they meet different banks.

#define SEDGE_PREDICT_ITEMS (SEDGE_NODES * SEDGE_PREDICT_BLOCK)
#define SEDGE_NODE_PIECES   (SEDGE_FIELDS / SEDGE_PIECE_WORDS)
#define SEDGE_METRIC_PACKS  (SEDGE_METRIC_STRIDE / SEDGE_PACK)
#define SEDGE_METRIC_STRIDE 12 // words of an element's metric terms

// u, mean  the state, and the mean of the solution of u' = L u over a step of dt
// updates  whether u and the terms' memory become what terms make of them
// damping  1 + Q / f_1 for coefficients of order N - 1, [from][to], rows filled up to a multiple of
//          SEDGE_DAMP_ROWS; read only with SEDGE_PREDICT_DENSE
#define SEDGE_PREDICT_LIST(X)                                      \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)                 \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)              \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, damping)      \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(int, updates)                                                \
    X(sedge_real, dt)                                              \
    SEDGE_TERMS_LIST(X)

#ifdef SEDGE_FROM_CURLS
// The curls of the vectors of u at a coefficient of order N - 1, without the factor N/2: as
// combine_slopes, with fewer operations. Items that gather have few registers left.
SEDGE_FUNCTION void find_curls(sedge_value *curl, const SEDGE_BLOCKWIDE sedge_value *words,
                               const sedge_simplex *at, const sedge_value *g)
{
    const sedge_state corner =
        *(const SEDGE_BLOCKWIDE sedge_state *)(words + at->node[0] * SEDGE_FIELDS);

    SEDGE_EACH (f, SEDGE_FIELDS) curl[f] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (k, 3) {
        sedge_state side =
            *(const SEDGE_BLOCKWIDE sedge_state *)(words + at->node[k + 1] * SEDGE_FIELDS);
        SEDGE_EACH (f, SEDGE_FIELDS) side.f[f] = side.f[f] - corner.f[f];
        SEDGE_EACH (f, SEDGE_FIELDS) {
            const int y = (f + 1) % 3;
            const int z = (f + 2) % 3;
            const int v = f / 3 * 3;
            if (k == 0)
                curl[f] = g[y] * side.f[v + z] - g[z] * side.f[v + y];
            else
                curl[f] = curl[f] + g[3 * k + y] * side.f[v + z] - g[3 * k + z] * side.f[v + y];
        }
        if (SEDGE_PREDICT_GATHERS) SEDGE_KEEP_ORDER();
    }
}
#endif

// factor div F at coefficient i of order N - 1 of an element, without the factor N/2 of
// derivatives.
SEDGE_FUNCTION void find_slope(sedge_value *slope, const SEDGE_BLOCKWIDE sedge_value *states, int i,
                               const SEDGE_BLOCKWIDE sedge_value *metric, const sedge_value *m,
                               sedge_real factor, const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_SIMPLEX_AT) + i);
    sedge_value g[SEDGE_METRIC_STRIDE];

    SEDGE_EACH (k, SEDGE_METRIC_STRIDE / SEDGE_PACK) {
        const sedge_pack pack = *(const SEDGE_BLOCKWIDE sedge_pack *)(metric + k * SEDGE_PACK);
        SEDGE_EACH (j, SEDGE_PACK) g[k * SEDGE_PACK + j] = pack.v[j];
    }
#ifdef SEDGE_FROM_CURLS
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value curl[SEDGE_FIELDS];
    find_curls(curl, states, at, g);
    SEDGE_FROM_CURLS(curl, m, constants, slope);
#else
    combine_slopes(slope, states, at, g, m);
#endif
    SEDGE_EACH (f, SEDGE_FIELDS) slope[f] = factor * slope[f];
}

#if SEDGE_PREDICT_DENSE
#define SEDGE_DAMP_GROUPS ((SEDGE_LOWER_NODES + SEDGE_DAMP_ROWS - 1) / SEDGE_DAMP_ROWS)

// Part of a row of `damping`.
typedef struct SEDGE_ALIGN(16) sedge_damping {
    sedge_real weight[SEDGE_DAMP_ROWS];
} sedge_damping;

// A piece's words.
#if SEDGE_TARGET_HOST
typedef struct sedge_words {
    sedge_value value[SEDGE_PIECE_WORDS];
} sedge_words;
#else
typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_words {
    sedge_value value[SEDGE_PIECE_WORDS];
} sedge_words;
#endif

// Derivatives of an element, damped: to = (1 + Q / f_1) from, the fields of a piece at
// SEDGE_DAMP_ROWS coefficients. `to` is at the first of these, `from` at the element's first.
SEDGE_FUNCTION void damp_slopes(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT to,
                                const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT from,
                                const SEDGE_GLOBAL sedge_damping *SEDGE_RESTRICT damping)
{
    sedge_value sum[SEDGE_DAMP_ROWS][SEDGE_PIECE_WORDS];

    SEDGE_EACH (i, SEDGE_DAMP_ROWS)
        SEDGE_EACH (k, SEDGE_PIECE_WORDS) sum[i][k] = SEDGE_SPLAT(SEDGE_R(0.0));
    for (int j = 0; j < SEDGE_LOWER_NODES; j++) {
        SEDGE_LOCAL_COPY(sedge_damping, row, damping + j * SEDGE_DAMP_GROUPS);
        sedge_words words = *(const SEDGE_BLOCKWIDE sedge_words *)(from + j * SEDGE_FIELDS);
        SEDGE_EACH (i, SEDGE_DAMP_ROWS)
            SEDGE_EACH (k, SEDGE_PIECE_WORDS)
                sum[i][k] = sum[i][k] + row->weight[i] * words.value[k];
    }
    SEDGE_EACH (i, SEDGE_DAMP_ROWS) {
        sedge_words words;
        SEDGE_EACH (k, SEDGE_PIECE_WORDS) words.value[k] = sum[i][k];
        *(SEDGE_BLOCKWIDE sedge_words *)(to + i * SEDGE_FIELDS) = words;
    }
}
#endif

#if SEDGE_PREDICT_GATHERS
// Behind the simplices: of each coefficient of order N the four of order N - 1 around it, and its
// exponents, which are N times what those weigh.
#define SEDGE_RAISED_AT (SEDGE_SIMPLEX_AT + 4 * SEDGE_LOWER_NODES)

// The same, a byte each: at order 10 there are 220 coefficients of order N - 1.
typedef struct sedge_around {
    unsigned at;
    unsigned weight;
} sedge_around;

SEDGE_FUNCTION void find_around(sedge_around *around, int n,
                                const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_RAISED_AT) + 2 * n);
    SEDGE_LOCAL_COPY(sedge_simplex, weight,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_RAISED_AT) + 2 * n + 1);

    around->at = around->weight = 0;
    SEDGE_EACH (k, 4) {
        around->at |= (unsigned)at->node[k] << (8 * k);
        around->weight |= (unsigned)weight->node[k] << (8 * k);
    }
}

// Add the derivatives of an element, raised, to a bracket at a coefficient; `slopes` are 1/N of
// them.
SEDGE_FUNCTION void gather_slopes(sedge_value *bracket, const sedge_around *around,
                                  const SEDGE_BLOCKWIDE sedge_value *slopes)
{
    SEDGE_EACH (k, 4) {
        const unsigned weight = around->weight >> (8 * k) & 255;
        if (weight != 0) {
            const int at = (int)(around->at >> (8 * k) & 255) * SEDGE_FIELDS;
            const sedge_state slope = *(const SEDGE_BLOCKWIDE sedge_state *)(slopes + at);
            SEDGE_EACH (f, SEDGE_FIELDS) bracket[f] = bracket[f] + (sedge_real)weight * slope.f[f];
        }
    }
}

#else
// Add derivatives to what terms make of a bracket: the outermost are damped.
SEDGE_FUNCTION void raise_slopes(int power, int part, SEDGE_BLOCKWIDE sedge_value *bracket,
                                 const SEDGE_BLOCKWIDE sedge_value *slopes)
{
#if SEDGE_PREDICT_DAMPED && !SEDGE_PREDICT_DENSE
    if (power == 1) {
        predict_last(part, bracket, bracket, slopes);
        return;
    }
#endif
    (void)power;
    predict_sum(part, bracket, slopes);
}
#endif

// The pieces of an element's fields that an item copies into the block's memory; and back. `to` and
// `from` are at the first of them.
SEDGE_FUNCTION void load_fields(SEDGE_BLOCKWIDE sedge_value *to,
                                const SEDGE_GLOBAL sedge_value *from)
{
    SEDGE_EACH (j, SEDGE_NODE_PIECES)
        copy_piece(to + j * SEDGE_NODES * SEDGE_PIECE_WORDS,
                   from + j * SEDGE_NODES * SEDGE_PIECE_WORDS);
}

SEDGE_FUNCTION void store_fields(SEDGE_GLOBAL sedge_value *to,
                                 const SEDGE_BLOCKWIDE sedge_value *from)
{
    SEDGE_EACH (j, SEDGE_NODE_PIECES)
        *(SEDGE_GLOBAL sedge_piece *)(to + j * SEDGE_NODES * SEDGE_PIECE_WORDS) =
            *(const SEDGE_BLOCKWIDE sedge_piece *)(from + j * SEDGE_NODES * SEDGE_PIECE_WORDS);
}

// The same of a term's memory, at coefficient n of an element.
SEDGE_FUNCTION void load_memory(SEDGE_BLOCKWIDE sedge_value *own_m,
                                const SEDGE_GLOBAL sedge_value *w, int place, int n,
                                const int words)
{
    if (place >= 0) {
        const sedge_int64 first = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;
        SEDGE_EACH (k, words)
            copy_word(own_m + k * SEDGE_NODES_PADDED, w + first + k * SEDGE_NODES_PADDED);
    }
}

SEDGE_FUNCTION void store_memory(SEDGE_GLOBAL sedge_value *w,
                                 const SEDGE_BLOCKWIDE sedge_value *own_m, int place, int n,
                                 const int words)
{
    if (place >= 0) {
        const sedge_int64 first = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;
        SEDGE_EACH (k, words) w[first + k * SEDGE_NODES_PADDED] = own_m[k * SEDGE_NODES_PADDED];
    }
}

// What terms need of an item's element, read once: its material; of each term where the element has
// its memory (negative: it does not have the term), and the term's numbers.
#define SEDGE_PREDICT_HELD(i) \
    int place_##i;            \
    sedge_value numbers_##i[SEDGE_TERM_NUMBERS_##i + 1];
typedef struct sedge_held {
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    SEDGE_EACH_TERM(SEDGE_PREDICT_HELD)
} sedge_held;

SEDGE_FUNCTION void hold_numbers(sedge_value *numbers, int place, sedge_int64 batch,
                                 const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                 const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT parameters,
                                 const int count)
{
    if (place >= 0)
        SEDGE_LANES_LOOP (l) {
            const int row = material[batch * SEDGE_LANES + l] * count;
            SEDGE_EACH (k, count) SEDGE_LANE(numbers[k], l) = parameters[row + k];
            (void)row;
        }
}

// A bracket's memory at a coefficient: w at first, then w + factor times what it holds.
SEDGE_FUNCTION void start_bracket(sedge_value *bracket, const SEDGE_BLOCKWIDE sedge_value *own_w,
                                  int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) bracket[k] = own_w[k * SEDGE_NODES_PADDED];
}

SEDGE_FUNCTION void end_bracket(sedge_value *bracket, const SEDGE_BLOCKWIDE sedge_value *own_w,
                                sedge_real factor, int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) bracket[k] = own_w[k * SEDGE_NODES_PADDED] + factor * bracket[k];
}

// The memory after the step.
SEDGE_FUNCTION void keep_bracket(SEDGE_BLOCKWIDE sedge_value *own_w, const sedge_value *bracket,
                                 int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) own_w[k * SEDGE_NODES_PADDED] = bracket[k];
}

// Of term i: where its memory at the item's coefficient lies in the block's, and in the item's;
// what the item has read.
#define SEDGE_PREDICT_OWN(i)     (own_m + SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED)
#define SEDGE_PREDICT_W(i)       (SEDGE_MINE(bracket, item) + SEDGE_TERM_AT_##i)
#define SEDGE_PREDICT_PLACE(i)   (SEDGE_MINE(held, e)->place_##i)
#define SEDGE_PREDICT_NUMBERS(i) (SEDGE_MINE(held, e)->numbers_##i)

#define SEDGE_PREDICT_LOAD(i)                                                           \
    load_memory(SEDGE_PREDICT_OWN(i), term_memory_##i, (term_places_##i + start)[e], n, \
                SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_STORE(i)                                                           \
    store_memory(term_memory_##i, SEDGE_PREDICT_OWN(i), (term_places_##i + start)[e], n, \
                 SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_HOLD(i)                                                           \
    SEDGE_PREDICT_PLACE(i) = (term_places_##i + start)[e];                              \
    hold_numbers(SEDGE_PREDICT_NUMBERS(i), SEDGE_PREDICT_PLACE(i), start + e, material, \
                 term_parameters_##i, SEDGE_TERM_NUMBERS_##i);
#define SEDGE_PREDICT_START(i)                                                      \
    start_bracket(SEDGE_PREDICT_W(i), SEDGE_PREDICT_OWN(i), SEDGE_PREDICT_PLACE(i), \
                  SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_KEEP(i)                                                      \
    keep_bracket(SEDGE_PREDICT_OWN(i), SEDGE_PREDICT_W(i), SEDGE_PREDICT_PLACE(i), \
                 SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_APPLY(i, fields)                                                    \
    if (SEDGE_PREDICT_PLACE(i) >= 0)                                                      \
        predict_term_##i(rate, fields, SEDGE_PREDICT_W(i), SEDGE_MINE(held, e)->m,        \
                         SEDGE_PREDICT_NUMBERS(i));                                       \
    end_bracket(SEDGE_PREDICT_W(i), SEDGE_PREDICT_OWN(i), factor, SEDGE_PREDICT_PLACE(i), \
                SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_BEFORE(i) SEDGE_PREDICT_APPLY(i, before.f)
#ifdef SEDGE_EACH_MULTIPLY
#define SEDGE_PREDICT_MULTIPLY(rate) \
    multiply_rate(rate, start + e, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#else
#define SEDGE_PREDICT_MULTIPLY(rate)
#endif
// The order is that of add_terms (dg_terms.h).
#ifdef SEDGE_EACH_DRIVE
#define SEDGE_PREDICT_SEEN(i) SEDGE_PREDICT_APPLY(i, seen)
#define SEDGE_PREDICT_DRIVE(i)       \
    if (SEDGE_PREDICT_PLACE(i) >= 0) \
        predict_drive_##i(seen, SEDGE_PREDICT_W(i), SEDGE_PREDICT_NUMBERS(i));
#define SEDGE_PREDICT_TERMS                             \
    sedge_value seen[SEDGE_FIELDS];                     \
    SEDGE_EACH (f, SEDGE_FIELDS) seen[f] = before.f[f]; \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_DRIVE)               \
    SEDGE_EACH_DRIVEN(SEDGE_PREDICT_SEEN)               \
    SEDGE_PREDICT_MULTIPLY(rate)                        \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_BEFORE)
#else
#define SEDGE_PREDICT_TERMS               \
    SEDGE_EACH_TERM(SEDGE_PREDICT_BEFORE) \
    SEDGE_PREDICT_MULTIPLY(rate)
#endif

SEDGE_KERNEL_RESIDENT(sedge_predict_terms, SEDGE_PREDICT_THREADS, SEDGE_PREDICT_RESIDENT,
                      SEDGE_PREDICT_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_PREDICT_BLOCK;
        const sedge_int64 left = first + count - start;
        const int here = (int)(left < SEDGE_PREDICT_BLOCK ? left : SEDGE_PREDICT_BLOCK);
        SEDGE_GLOBAL sedge_value *const words = u[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_value *const means = mean[start * SEDGE_NODES_PADDED].f;
        // Metric terms; the bracket; the next one, and at last u; derivatives; the terms' memory.
        SEDGE_SCRATCH(sedge_value, s_g, SEDGE_PREDICT_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *s_v = s_g + SEDGE_PREDICT_BLOCK * SEDGE_METRIC_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *s_t = s_v + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_l = s_t + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_m =
            s_l + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LOWER_STRIDE;
        SEDGE_PRIVATE(sedge_value, state, SEDGE_PREDICT_ITEMS, SEDGE_FIELDS);
        SEDGE_PRIVATE(sedge_value, bracket, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_WORDS + 1);
        SEDGE_PRIVATE(sedge_held, held, SEDGE_PREDICT_BLOCK, 1);
#if SEDGE_PREDICT_GATHERS
        SEDGE_PRIVATE(sedge_value, now, SEDGE_PREDICT_ITEMS, SEDGE_FIELDS);
        SEDGE_PRIVATE(sedge_around, around, SEDGE_PREDICT_ITEMS, 1);
#endif

        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_NODES;
            const int n = item % SEDGE_NODES;
            if (e < here) {
                SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                load_fields(s_v + e * SEDGE_PREDICT_STRIDE + n * SEDGE_PIECE_WORDS,
                            words + e * SEDGE_WORDS + n * SEDGE_PIECE_WORDS);
                SEDGE_EACH_TERM(SEDGE_PREDICT_LOAD)
                (void)own_m;
            }
        }
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_METRIC_PACKS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_METRIC_PACKS;
            const int p = item % SEDGE_METRIC_PACKS;
            if (e < here)
                SEDGE_COPY_PACK(s_g + e * SEDGE_METRIC_STRIDE + p * SEDGE_PACK,
                                geometry[start + e].metric + p * SEDGE_PACK);
        }
#if SEDGE_BULK && SEDGE_PREDICT_AHEAD > 0
        if (SEDGE_THREAD < SEDGE_PREDICT_BLOCK &&
            left >= (SEDGE_PREDICT_AHEAD + 1) * (sedge_int64)SEDGE_PREDICT_BLOCK) {
            const sedge_int64 later = start + SEDGE_PREDICT_AHEAD * SEDGE_PREDICT_BLOCK;
            if (SEDGE_THREAD == 0) ask_states(u, geometry, later, SEDGE_PREDICT_BLOCK);
            ask_terms(later + SEDGE_THREAD, 0 SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
        }
#endif
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item % SEDGE_PREDICT_BLOCK;
#if SEDGE_PREDICT_GATHERS
            find_around(SEDGE_MINE(around, item), item / SEDGE_PREDICT_BLOCK, tables);
#endif
            if (e < here) {
                get_material(SEDGE_MINE(held, e)->m, material, materials, start + e);
                SEDGE_EACH_TERM(SEDGE_PREDICT_HOLD)
            }
        }
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int n = item / SEDGE_PREDICT_BLOCK;
            const int e = item % SEDGE_PREDICT_BLOCK;
            if (e < here) {
                const SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                const sedge_state own =
                    *(const SEDGE_BLOCKWIDE sedge_state *)(s_v + e * SEDGE_PREDICT_STRIDE +
                                                           n * SEDGE_FIELDS);
                SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_MINE(state, item)[f] = own.f[f];
#if SEDGE_PREDICT_GATHERS
                SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_MINE(now, item)[f] = own.f[f];
#endif
                SEDGE_EACH_TERM(SEDGE_PREDICT_START)
                (void)own_m;
            }
        }
        // Behind the last power of L: what the terms do over the step.
        SEDGE_UNROLL
        for (int power = SEDGE_PREDICT_POWERS; power >= 0; power--) {
            if (power == 0 && updates == 0) break;
            const sedge_real factor = dt * (power == 0   ? SEDGE_R(1.0)
                                            : power == 1 ? SEDGE_PREDICT_FACTOR_1
                                            : power == 2 ? SEDGE_PREDICT_FACTOR_2
                                                         : SEDGE_PREDICT_FACTOR_3);
            if (power > 0) {
                SEDGE_ITEMS_1D (item, SEDGE_LOWER_NODES * SEDGE_PREDICT_BLOCK,
                                SEDGE_PREDICT_THREADS) {
                    const int i = item / SEDGE_PREDICT_BLOCK;
                    const int e = item % SEDGE_PREDICT_BLOCK;
                    if (e < here) {
                        sedge_state slope;
                        find_slope(
                            slope.f, s_v + e * SEDGE_PREDICT_STRIDE, i,
                            s_g + e * SEDGE_METRIC_STRIDE, SEDGE_MINE(held, e)->m,
                            (SEDGE_PREDICT_GATHERS ? SEDGE_R(-0.5) : SEDGE_R(-0.5 * SEDGE_ORDER)) *
                                factor,
                            tables);
                        SEDGE_PREDICT_MULTIPLY(slope.f)
                        *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_PREDICT_LOWER_STRIDE +
                                                         i * SEDGE_FIELDS) = slope;
                    }
                }
            }
            SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
                const int n = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                if (e < here) {
                    const int at = e * SEDGE_PREDICT_STRIDE + n * SEDGE_FIELDS;
                    SEDGE_BLOCKWIDE sedge_value *const own_m =
                        s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
#if SEDGE_PREDICT_GATHERS
                    sedge_state before;
                    SEDGE_EACH (f, SEDGE_FIELDS) before.f[f] = SEDGE_MINE(now, item)[f];
#else
                    const sedge_state before = *(const SEDGE_BLOCKWIDE sedge_state *)(s_v + at);
#endif
                    const sedge_value *const own = SEDGE_MINE(state, item);
                    sedge_value rate[SEDGE_FIELDS];
                    sedge_state next;
                    SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = SEDGE_SPLAT(0.0);
                    SEDGE_PREDICT_TERMS
                    SEDGE_EACH (f, SEDGE_FIELDS) next.f[f] = own[f] + factor * rate[f];
#if SEDGE_PREDICT_GATHERS
                    SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_MINE(now, item)[f] = next.f[f];
#endif
                    if (!SEDGE_PREDICT_GATHERS || power == 0)
                        *(SEDGE_BLOCKWIDE sedge_state *)(s_t + at) = next;
                    if (power == 0) {
                        SEDGE_EACH_TERM(SEDGE_PREDICT_KEEP)
                    }
                    (void)own_m;
                }
            }
            SEDGE_BARRIER();
            if (power == 0) break;
#if SEDGE_PREDICT_DENSE || (SEDGE_PREDICT_GATHERS && SEDGE_PREDICT_DAMPED)
            if (power == 1) {
#if SEDGE_PREDICT_DENSE
                SEDGE_ITEMS_1D (item, SEDGE_DAMP_GROUPS * SEDGE_NODE_PIECES * SEDGE_PREDICT_BLOCK,
                                SEDGE_PREDICT_THREADS) {
                    const int e = item % SEDGE_PREDICT_BLOCK;
                    const int p = item / SEDGE_PREDICT_BLOCK % SEDGE_NODE_PIECES;
                    const int i = item / (SEDGE_PREDICT_BLOCK * SEDGE_NODE_PIECES);
                    if (e < here)
                        damp_slopes(s_v + e * SEDGE_PREDICT_STRIDE + p * SEDGE_PIECE_WORDS +
                                        i * SEDGE_DAMP_ROWS * SEDGE_FIELDS,
                                    s_l + e * SEDGE_PREDICT_LOWER_STRIDE + p * SEDGE_PIECE_WORDS,
                                    (const SEDGE_GLOBAL sedge_damping *)damping + i);
                }
#else
                // By the last items: the first have just computed derivatives.
                SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
                    const int e = (SEDGE_PREDICT_ITEMS - 1 - item) % SEDGE_PREDICT_BLOCK;
                    const int f = (SEDGE_PREDICT_ITEMS - 1 - item) / SEDGE_PREDICT_BLOCK;
                    if (e < here && f < SEDGE_FIELDS)
                        predict_damped(s_l + e * SEDGE_PREDICT_LOWER_STRIDE + f);
                }
#endif
                SEDGE_BARRIER();
            }
#endif
#if SEDGE_PREDICT_GATHERS
            SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
                const int n = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                if (e < here) {
                    sedge_state next;
                    gather_slopes(SEDGE_MINE(now, item), SEDGE_MINE(around, item),
                                  SEDGE_PREDICT_DENSE && power == 1
                                      ? s_v + e * SEDGE_PREDICT_STRIDE
                                      : s_l + e * SEDGE_PREDICT_LOWER_STRIDE);
                    SEDGE_EACH (f, SEDGE_FIELDS) next.f[f] = SEDGE_MINE(now, item)[f];
                    *(SEDGE_BLOCKWIDE sedge_state *)(s_t + e * SEDGE_PREDICT_STRIDE +
                                                     n * SEDGE_FIELDS) = next;
                }
            }
#else
            SEDGE_ITEMS_1D (item, SEDGE_PREDICT_PARTS * SEDGE_PREDICT_COLUMNS * SEDGE_PREDICT_BLOCK,
                            SEDGE_PREDICT_THREADS) {
                const int c = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                const int f = c % SEDGE_PREDICT_COLUMNS;
                if (e < here && f < SEDGE_FIELDS) {
                    SEDGE_BLOCKWIDE sedge_value *const next = s_t + e * SEDGE_PREDICT_STRIDE + f;
                    const SEDGE_BLOCKWIDE sedge_value *const slopes =
                        SEDGE_PREDICT_DENSE && power == 1
                            ? s_v + e * SEDGE_PREDICT_STRIDE + f
                            : s_l + e * SEDGE_PREDICT_LOWER_STRIDE + f;
                    raise_slopes(power, c / SEDGE_PREDICT_COLUMNS, next, slopes);
                }
            }
#endif
            SEDGE_BARRIER();
            // Swap: what was made is read next, and the memory of what was read is written.
            SEDGE_BLOCKWIDE sedge_value *const done = s_v;
            s_v = s_t;
            s_t = done;
        }
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_NODES;
            const int n = item % SEDGE_NODES;
            if (e < here) {
                const SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                const int at = e * SEDGE_PREDICT_STRIDE + n * SEDGE_PIECE_WORDS;
                const int to = e * SEDGE_WORDS + n * SEDGE_PIECE_WORDS;
                store_fields(means + to, s_v + at);
                if (updates != 0) {
                    store_fields(words + to, s_t + at);
                    SEDGE_EACH_TERM(SEDGE_PREDICT_STORE)
                }
                (void)own_m;
            }
        }
    }
}
#endif
