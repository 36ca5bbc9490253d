// The prediction of an ADER step (src/dg/predictor.h) in elements with terms or a source, in
// coefficients of the Bernstein-Bezier basis. Types of dg_layout.h.
#pragma once

#ifdef SEDGE_EACH_TERM
// With L also on the terms' memory w,
//
//   mean = u + f_1 dt L v + Q dt D v,   v = u + f_2 dt L (u + f_3 dt L u),
//
// where L = D + S: derivatives D, and what terms make of fields and memory at a coefficient, S, the
// same in all of an element. So a bracket, u + f dt L (the one before), is the sum of two parts.
// One is of full degree N and comes from S alone: x = u + f dt S x at each coefficient. The other,
// y, of degree N - 1, holds all that was derived once at least,
//
//   y = f dt (D x + S y + E D y),
//
// with the x and y before, and E, which raises D y from order N - 2 to N - 1. D x of all brackets
// comes from the differences of neighbouring coefficients of u and w, of which S makes those of x.
// What is left is to damp the derivatives' part of the last y, to raise it, and to add the last x.
// What terms do over the step follows from the means at the node alone. So it is done here, u += dt
// s(mean) and w += dt q(mean), and the stage has no terms to add but matrices to multiply by.
//
// An item has a coefficient of one element of the block, of order N - 1 or N - 2, and at last of
// order N. Neighbouring items have neighbouring elements, then neighbouring coefficients, and
// strides are such that they meet different banks.
//
// D x is a sum of D u, D S u, .. Where all terms act on the three components of a vector alike
// (field_triple of src/dg/term_kind.h), curls of memory have a meaning, and S of curls is the curls
// of S: SEDGE_PREDICT_ALIKE. Then S acts once on curls of fields and memory in place of three times
// on differences.

#define SEDGE_PREDICT_ITEMS (SEDGE_NODES * SEDGE_PREDICT_BLOCK)
#define SEDGE_LOWER_ITEMS   (SEDGE_LOWER_NODES * SEDGE_PREDICT_BLOCK)
#define SEDGE_LEAST_ITEMS   (SEDGE_LEAST_NODES * SEDGE_PREDICT_BLOCK)
#define SEDGE_PREDICT_ALL   (SEDGE_FIELDS + SEDGE_PREDICT_WORDS) // fields, then the terms' memory
#define SEDGE_HOLD_ITEMS    (SEDGE_TARGET_HOST ? SEDGE_PREDICT_BLOCK : SEDGE_PREDICT_THREADS)
#define SEDGE_PAD_WORDS     ((SEDGE_NODES_PADDED - SEDGE_NODES) * SEDGE_FIELDS)
#define SEDGE_NODE_PIECES   (SEDGE_FIELDS / SEDGE_PIECE_WORDS)
#define SEDGE_METRIC_PACKS  (SEDGE_METRIC_WORDS / SEDGE_PACK)

// u, mean  the state, and the mean of the solution of u' = L u over a step of dt
// materials  those of predictions, and `full` those by which terms act over the step: the same but
//          with SEDGE_SLOWS (sedge_exponential_materials of src/dg/exponential.h). Elements whose
//          terms differ from node to node have no stiff terms: for them both are the same
// updates  whether u and the terms' memory become what terms make of them
// damping  1 + Q / f_1 for coefficients of order N - 1, [from][to], rows filled up to a multiple of
//          SEDGE_DAMP_ROWS; read only with SEDGE_PREDICT_DENSE
#define SEDGE_PREDICT_LIST(X)                                      \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)                 \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)              \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, full)         \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, damping)      \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(int, updates)                                                \
    X(sedge_real, dt)                                              \
    SEDGE_TERMS_LIST(X)

// Metric terms of one element in registers.
typedef struct sedge_metric {
    sedge_value g[SEDGE_METRIC_WORDS];
} sedge_metric;

SEDGE_FUNCTION void read_metric(sedge_metric *metric, const SEDGE_BLOCKWIDE sedge_value *from)
{
    SEDGE_EACH (k, SEDGE_METRIC_WORDS / SEDGE_PACK) {
        const sedge_pack pack = *(const SEDGE_BLOCKWIDE sedge_pack *)(from + k * SEDGE_PACK);
        SEDGE_EACH (j, SEDGE_PACK) metric->g[k * SEDGE_PACK + j] = pack.v[j];
    }
}

// Add the part of a derivative in the element's direction k (0 to 2): `side` is the difference of
// `words` words along it, g the metric terms of the direction. The sum is of curls, of three words
// each, or div F itself, of fields alone.
SEDGE_FUNCTION void add_direction(sedge_value *sum, const sedge_value *side, const sedge_value *g,
                                  const sedge_value *m, const int words)
{
#ifdef SEDGE_FROM_CURLS
    SEDGE_EACH (f, words) {
        const int y = (f + 1) % 3;
        const int z = (f + 2) % 3;
        const int v = f / 3 * 3;
        sum[f] = sum[f] + g[y] * side[v + z] - g[z] * side[v + y];
    }
    (void)m;
#else
    (void)words;
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value flux[3][SEDGE_FIELDS];

    SEDGE_FLUX(side, m, constants, flux[0], flux[1], flux[2]);
    SEDGE_EACH (x, 3)
        SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = sum[f] + g[x] * flux[x][f];
#endif
}

// slope = factor div F, from the sum over directions.
SEDGE_FUNCTION void finish_slope(sedge_value *slope, const sedge_value *sum, sedge_real factor,
                                 const sedge_value *m)
{
#ifdef SEDGE_FROM_CURLS
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};

    SEDGE_FROM_CURLS(sum, m, constants, slope);
#else
    SEDGE_EACH (f, SEDGE_FIELDS) slope[f] = sum[f];
    (void)m;
#endif
    SEDGE_EACH (f, SEDGE_FIELDS) slope[f] = factor * slope[f];
}

// factor div F of fields of order N - 1 at coefficient i of order N - 2, without the factor
// (N - 1)/2 of derivatives.
SEDGE_FUNCTION void find_slope(sedge_value *slope, const SEDGE_BLOCKWIDE sedge_value *states, int i,
                               const SEDGE_BLOCKWIDE sedge_value *metric, const sedge_value *m,
                               sedge_real factor, const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_LEAST_AT) + i);
    const sedge_state corner =
        *(const SEDGE_BLOCKWIDE sedge_state *)(states + at->node[0] * SEDGE_FIELDS);
    sedge_value sum[SEDGE_FIELDS];
    sedge_metric own;

    read_metric(&own, metric);
    SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = SEDGE_SPLAT(SEDGE_R(0.0));
    SEDGE_EACH (k, 3) {
        sedge_state side =
            *(const SEDGE_BLOCKWIDE sedge_state *)(states + at->node[k + 1] * SEDGE_FIELDS);
        SEDGE_EACH (f, SEDGE_FIELDS) side.f[f] = side.f[f] - corner.f[f];
        add_direction(sum, side.f, own.g + 3 * k, m, SEDGE_FIELDS);
    }
    finish_slope(slope, sum, factor, m);
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

// Derivatives of an element, damped: to += (1 + Q / f_1) from, the fields of a piece at
// SEDGE_DAMP_ROWS coefficients. `to` is at the first of these, `from` at the element's first.
SEDGE_FUNCTION void damp_slopes(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT to,
                                const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT from,
                                const SEDGE_GLOBAL sedge_damping *SEDGE_RESTRICT damping, int rows)
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
        if (i < rows) {
            sedge_words words = *(SEDGE_BLOCKWIDE sedge_words *)(to + i * SEDGE_PREDICT_SUM_WORDS);
            SEDGE_EACH (k, SEDGE_PIECE_WORDS) words.value[k] = words.value[k] + sum[i][k];
            *(SEDGE_BLOCKWIDE sedge_words *)(to + i * SEDGE_PREDICT_SUM_WORDS) = words;
        }
    }
}
#endif

// Behind the simplices: of each coefficient of order N those of order N - 1 around it, one to four
// and zeros behind them, and likewise N times what each weighs (operator_bernstein_raised). The
// same of order N - 1 is at SEDGE_LOWER_RAISED_AT.
#define SEDGE_RAISED_AT (SEDGE_SIMPLEX_AT + 4 * SEDGE_LOWER_NODES)

// What an item reads at a coefficient of order N - 1 of the sums that are raised at last.
#if SEDGE_TARGET_HOST
typedef struct sedge_predict_sums {
    sedge_value v[SEDGE_PREDICT_SUM_WORDS];
} sedge_predict_sums;
#else
typedef struct SEDGE_ALIGN(SEDGE_PREDICT_SUM_ALIGN) sedge_predict_sums {
    sedge_value v[SEDGE_PREDICT_SUM_WORDS];
} sedge_predict_sums;
#endif

// Whether the k-th coefficient, of this weight, is read. A GPU always reads two, which almost all
// have: where the weight is 0, the first coefficient of the element.
#define SEDGE_RAISES(k, weight) ((!SEDGE_TARGET_HOST && (k) < 2) || (weight) != 0)

// Add fields of order N - 2, raised, at coefficient i of order N - 1; `slopes` are 1/(N - 1) of
// them. At order 1 there are none.
SEDGE_FUNCTION void raise_slopes(sedge_value *to, const SEDGE_BLOCKWIDE sedge_value *slopes, int i,
                                 const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    const SEDGE_GLOBAL sedge_simplex *const row =
        (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_LOWER_RAISED_AT) + 2 * i;
    SEDGE_LOCAL_COPY(sedge_simplex, at, row);
    SEDGE_LOCAL_COPY(sedge_simplex, weight, row + 1);

    SEDGE_EACH (k, 4) {
        if (SEDGE_LEAST_NODES > 0 && SEDGE_RAISES(k, weight->node[k])) {
            const sedge_state slope =
                *(const SEDGE_BLOCKWIDE sedge_state *)(slopes + at->node[k] * SEDGE_FIELDS);
            SEDGE_EACH (f, SEDGE_FIELDS) to[f] = to[f] + (sedge_real)weight->node[k] * slope.f[f];
        }
    }
}

// The same of all words, of order N - 1, at coefficient n of order N; `sums` are 1/N of them.
SEDGE_FUNCTION void raise_sums(sedge_value *to, const SEDGE_BLOCKWIDE sedge_value *sums, int n,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    const SEDGE_GLOBAL sedge_simplex *const row =
        (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_RAISED_AT) + 2 * n;
    SEDGE_LOCAL_COPY(sedge_simplex, at, row);
    SEDGE_LOCAL_COPY(sedge_simplex, weight, row + 1);

    SEDGE_EACH (k, 4) {
        if (SEDGE_RAISES(k, weight->node[k])) {
            const sedge_predict_sums sum =
                *(const SEDGE_BLOCKWIDE sedge_predict_sums *)(sums + at->node[k] *
                                                                         SEDGE_PREDICT_SUM_WORDS);
            SEDGE_EACH (f, SEDGE_PREDICT_ALL)
                to[f] = to[f] + (sedge_real)weight->node[k] * sum.v[f];
        }
    }
}

// Packs of an element, which fill up warps.
#define SEDGE_PREDICT_PACKS (SEDGE_WORDS / SEDGE_PACK)
#define SEDGE_PREDICT_LANES \
    (SEDGE_TARGET_HOST ? SEDGE_PREDICT_PACKS : (SEDGE_PREDICT_PACKS + 31) / 32 * 32)

// Are packs of a batch's memory of term i packs of the block's memory, too? Bulk copies move those.
#define SEDGE_MEMORY_IS_PACKED(i)                                   \
    (SEDGE_TERM_WORDS_##i * SEDGE_NODES_PADDED % SEDGE_PACK == 0 && \
     SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED % SEDGE_PACK == 0)
#define SEDGE_MEMORY_WORDS(i)   (SEDGE_MEMORY_IS_PACKED(i) ? SEDGE_PACK : 1) // copied at once
#define SEDGE_MEMORY_COPIES(i)  (SEDGE_TERM_WORDS_##i * SEDGE_NODES_PADDED / SEDGE_MEMORY_WORDS(i))
#define SEDGE_MEMORY_IS_BULK(i) (SEDGE_BULK && SEDGE_MEMORY_IS_PACKED(i))

SEDGE_FUNCTION void load_words(SEDGE_BLOCKWIDE sedge_value *to,
                               const SEDGE_GLOBAL sedge_value *from, const int words)
{
    if (words == SEDGE_PACK)
        SEDGE_COPY_PACK((SEDGE_BLOCKWIDE sedge_pack *)to, (const SEDGE_GLOBAL sedge_pack *)from);
    else
        copy_word(to, from);
}

SEDGE_FUNCTION void store_words(SEDGE_GLOBAL sedge_value *to,
                                const SEDGE_BLOCKWIDE sedge_value *from, const int words)
{
    if (words == SEDGE_PACK)
        *(SEDGE_GLOBAL sedge_pack *)to = *(const SEDGE_BLOCKWIDE sedge_pack *)from;
    else
        *to = *from;
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

// A coefficient's fields and terms' memory; words that no term of the element has are 0.
SEDGE_FUNCTION void read_memory(sedge_value *w, const SEDGE_BLOCKWIDE sedge_value *own_w, int has,
                                const int words)
{
    if (has)
        SEDGE_EACH (k, words) w[k] = own_w[k * SEDGE_NODES_PADDED];
}

// The memory after the step.
SEDGE_FUNCTION void keep_memory(SEDGE_BLOCKWIDE sedge_value *own_w, const sedge_value *w, int has,
                                const int words)
{
    if (has)
        SEDGE_EACH (k, words) own_w[k * SEDGE_NODES_PADDED] = w[k];
}

// Has an item's element term i?
#define SEDGE_PREDICT_HAS(i) (SEDGE_TERMS_ALONE || held->place_##i >= 0)

// Term i's memory in global memory, of which the block's batch e has place `place`; and in the
// block's memory.
#define SEDGE_MEMORY_OF(i, place) \
    (term_memory_##i + (sedge_int64)(place) * (SEDGE_TERM_WORDS_##i * SEDGE_NODES_PADDED))
#define SEDGE_MEMORY_IN(i, e) \
    (s_m + (e)*SEDGE_PREDICT_MEMORY_STRIDE + SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED)

// The memory of term i of the block's batches, by items, where bulk copies do not move it; and
// back.
#define SEDGE_PREDICT_MOVE(i, to, from, move)                                                    \
    SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_MEMORY_COPIES(i), SEDGE_PREDICT_THREADS) { \
        const int copies = SEDGE_MEMORY_COPIES(i) > 0 ? SEDGE_MEMORY_COPIES(i) : 1;              \
        const int e = item / copies;                                                             \
        const int at = item % copies * SEDGE_MEMORY_WORDS(i);                                    \
        const int place = e < here ? (term_places_##i + start)[e] : -1;                          \
        if (place >= 0) {                                                                        \
            SEDGE_GLOBAL sedge_value *const w = SEDGE_MEMORY_OF(i, place) + at;                  \
            SEDGE_BLOCKWIDE sedge_value *const own_w = SEDGE_MEMORY_IN(i, e) + at;               \
            move(to, from, SEDGE_MEMORY_WORDS(i));                                               \
        }                                                                                        \
    }
#define SEDGE_PREDICT_LOAD(i)                       \
    if (!SEDGE_MEMORY_IS_BULK(i)) {                 \
        SEDGE_PREDICT_MOVE(i, own_w, w, load_words) \
    }
#define SEDGE_PREDICT_STORE(i)                       \
    if (!SEDGE_MEMORY_IS_BULK(i)) {                  \
        SEDGE_PREDICT_MOVE(i, w, own_w, store_words) \
    }

#if SEDGE_BULK
// By one thread, of batch e: `bytes` of term i's memory that bulk copies move; and these copies.
#define SEDGE_MEMORY_BYTES(i) \
    (SEDGE_TERM_WORDS_##i * SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_value))
#define SEDGE_MEMORY_GOES(i)                                \
    (SEDGE_MEMORY_IS_BULK(i) && SEDGE_TERM_WORDS_##i > 0 && \
     (SEDGE_TERMS_ALONE || (term_places_##i + start)[e] >= 0))
#define SEDGE_PREDICT_COUNT(i) \
    if (SEDGE_MEMORY_GOES(i)) bytes += SEDGE_MEMORY_BYTES(i);
#define SEDGE_PREDICT_FETCH(i)                                                             \
    if (SEDGE_MEMORY_GOES(i))                                                              \
        copy_bulk(SEDGE_MEMORY_IN(i, e), SEDGE_MEMORY_OF(i, (term_places_##i + start)[e]), \
                  SEDGE_MEMORY_BYTES(i), arrived);
#define SEDGE_PREDICT_RETURN(i)                                                             \
    if (SEDGE_MEMORY_GOES(i))                                                               \
        store_bulk(SEDGE_MEMORY_OF(i, (term_places_##i + start)[e]), SEDGE_MEMORY_IN(i, e), \
                   SEDGE_MEMORY_BYTES(i));
#endif

#define SEDGE_PREDICT_HOLD(i)                                                                   \
    SEDGE_MINE(holds, e)->place_##i = (term_places_##i + start)[e];                             \
    hold_numbers(SEDGE_MINE(holds, e)->numbers_##i, SEDGE_MINE(holds, e)->place_##i, start + e, \
                 material, term_parameters_##i, SEDGE_TERM_NUMBERS_##i);
#define SEDGE_PREDICT_READ(i)                                                         \
    read_memory(x + SEDGE_FIELDS + SEDGE_TERM_AT_##i,                                 \
                words + SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED, SEDGE_PREDICT_HAS(i), \
                SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_KEEP(i)                                   \
    keep_memory(words + SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED, \
                x + SEDGE_FIELDS + SEDGE_TERM_AT_##i, SEDGE_PREDICT_HAS(i), SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_APPLY(i, fields)                                                   \
    if (SEDGE_PREDICT_HAS(i))                                                            \
        predict_term_##i(rate, fields, rate + SEDGE_FIELDS + SEDGE_TERM_AT_##i, held->m, \
                         held->numbers_##i);
#define SEDGE_PREDICT_BEFORE(i) SEDGE_PREDICT_APPLY(i, x)
#define SEDGE_PREDICT_SEEN(i)   SEDGE_PREDICT_APPLY(i, seen)
#define SEDGE_PREDICT_DRIVE(i) \
    if (SEDGE_PREDICT_HAS(i))  \
        predict_drive_##i(seen, x + SEDGE_FIELDS + SEDGE_TERM_AT_##i, held->numbers_##i);

// x = fields and memory at coefficient n of an element, whose first are at `fields` and `words`.
SEDGE_FUNCTION void read_all(sedge_value *x, const SEDGE_BLOCKWIDE sedge_value *fields,
                             const SEDGE_BLOCKWIDE sedge_value *memory, int n,
                             const sedge_held *held)
{
    const sedge_state state = *(const SEDGE_BLOCKWIDE sedge_state *)(fields + n * SEDGE_FIELDS);
    const SEDGE_BLOCKWIDE sedge_value *const words = memory + n;

    SEDGE_EACH (f, SEDGE_FIELDS) x[f] = state.f[f];
    SEDGE_EACH (k, SEDGE_PREDICT_WORDS) x[SEDGE_FIELDS + k] = SEDGE_SPLAT(SEDGE_R(0.0));
    SEDGE_EACH_TERM(SEDGE_PREDICT_READ)
    (void)words, (void)held;
}

SEDGE_FUNCTION void keep_all(SEDGE_BLOCKWIDE sedge_value *fields,
                             SEDGE_BLOCKWIDE sedge_value *memory, int n, const sedge_value *x,
                             const sedge_held *held)
{
    SEDGE_BLOCKWIDE sedge_value *const words = memory + n;
    sedge_state state;

    SEDGE_EACH (f, SEDGE_FIELDS) state.f[f] = x[f];
    *(SEDGE_BLOCKWIDE sedge_state *)(fields + n * SEDGE_FIELDS) = state;
    SEDGE_EACH_TERM(SEDGE_PREDICT_KEEP)
    (void)words, (void)held;
}

#ifdef SEDGE_EACH_MULTIPLY
#define SEDGE_PREDICT_MULTIPLY(rate) \
    multiply_rate(rate, batch, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#else
#define SEDGE_PREDICT_MULTIPLY(rate)
#endif

// rate = S x, fields and memory. The order is that of add_terms (dg_terms.h).
SEDGE_FUNCTION void
apply_terms(sedge_value *rate, const sedge_value *x, const sedge_held *held, sedge_int64 batch,
            const SEDGE_GLOBAL int *SEDGE_RESTRICT material SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = SEDGE_SPLAT(SEDGE_R(0.0));
    SEDGE_EACH (k, SEDGE_PREDICT_WORDS) rate[SEDGE_FIELDS + k] = x[SEDGE_FIELDS + k];
#ifdef SEDGE_EACH_DRIVE
    sedge_value seen[SEDGE_FIELDS];
    SEDGE_EACH (f, SEDGE_FIELDS) seen[f] = x[f];
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_DRIVE)
    SEDGE_EACH_DRIVEN(SEDGE_PREDICT_SEEN)
    SEDGE_PREDICT_MULTIPLY(rate)
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_BEFORE)
#else
    SEDGE_EACH_TERM(SEDGE_PREDICT_BEFORE)
    SEDGE_PREDICT_MULTIPLY(rate)
#endif
    (void)batch, (void)material;
}
#define SEDGE_APPLY_TERMS(rate, x)                        \
    apply_terms(rate, x, SEDGE_MINE(holds, e), start + e, \
                material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME))

#if SEDGE_SLOWS
// The same with the materials `full`.
#define SEDGE_APPLY_FULL(rate, x)                                                            \
    {                                                                                        \
        sedge_held with = *SEDGE_MINE(holds, e);                                             \
        get_material(with.m, material, full, start + e);                                     \
        apply_terms(rate, x, &with, start + e, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME)); \
    }
#else
#define SEDGE_APPLY_FULL(rate, x) SEDGE_APPLY_TERMS(rate, x)
#endif

// f_k dt
#define SEDGE_PREDICT_FACTOR(k)                \
    (dt * ((k) == 1   ? SEDGE_PREDICT_FACTOR_1 \
           : (k) == 2 ? SEDGE_PREDICT_FACTOR_2 \
                      : SEDGE_PREDICT_FACTOR_3))

#if SEDGE_PREDICTS_TERMS
SEDGE_KERNEL_RESIDENT(sedge_predict_terms, SEDGE_PREDICT_THREADS, SEDGE_PREDICT_RESIDENT,
                      SEDGE_PREDICT_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_PREDICT_BLOCK;
        const sedge_int64 left = first + count - start;
        const int here = (int)(left < SEDGE_PREDICT_BLOCK ? left : SEDGE_PREDICT_BLOCK);
        SEDGE_GLOBAL sedge_value *const words = u[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_value *const means = mean[start * SEDGE_NODES_PADDED].f;
        // Sums to be raised at last; u; the terms' memory; y or its derivatives, of order N - 1,
        // derivatives of order N - 2 and metric terms, and over these three the mean.
        SEDGE_SCRATCH(sedge_value, s_s, SEDGE_PREDICT_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_u =
            s_s + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_SUM_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_m = s_u + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_l =
            s_m + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_MEMORY_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_q =
            s_l + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LOWER_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_g =
            s_q + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LEAST_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_n = s_l;
        // Of an item of order N - 1: y, and D x of the brackets to come.
        SEDGE_PRIVATE(sedge_value, sum, SEDGE_LOWER_ITEMS, SEDGE_PREDICT_ALL);
        SEDGE_PRIVATE(sedge_value, slopes, SEDGE_LOWER_ITEMS, SEDGE_PREDICT_POWERS * SEDGE_FIELDS);
        SEDGE_PRIVATE(sedge_held, holds, SEDGE_PREDICT_BLOCK, 1);

#if SEDGE_BULK
        const unsigned state_bytes = SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state);
        sedge_uint64 *const arrived = (sedge_uint64 *)(s_s + SEDGE_PREDICT_SCRATCH) - 1;
        if (SEDGE_THREAD == 0) {
            unsigned bytes = (unsigned)here * state_bytes;
            for (int e = 0; e < here; e++) {
                SEDGE_EACH_TERM(SEDGE_PREDICT_COUNT)
            }
            expect_bulk(arrived, bytes);
            for (int e = 0; e < here; e++) {
                copy_bulk(s_u + e * SEDGE_PREDICT_STRIDE, words + e * SEDGE_WORDS, state_bytes,
                          arrived);
                SEDGE_EACH_TERM(SEDGE_PREDICT_FETCH)
            }
        }
#else
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LANES, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_PREDICT_LANES;
            const int p = item % SEDGE_PREDICT_LANES;
            if (e < here && p < SEDGE_PREDICT_PACKS)
                load_words(s_u + e * SEDGE_PREDICT_STRIDE + p * SEDGE_PACK,
                           words + e * SEDGE_WORDS + p * SEDGE_PACK, SEDGE_PACK);
        }
#endif
        SEDGE_EACH_TERM(SEDGE_PREDICT_LOAD)
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_METRIC_PACKS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_METRIC_PACKS;
            const int p = item % SEDGE_METRIC_PACKS;
            if (e < here)
                SEDGE_COPY_PACK(s_g + e * SEDGE_METRIC_WORDS + p * SEDGE_PACK,
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
        // An item keeps its element: threads are a multiple of the block's elements.
        SEDGE_ITEMS_1D (item, SEDGE_HOLD_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item % SEDGE_PREDICT_BLOCK;
            if (e < here) {
                get_material(SEDGE_MINE(holds, e)->m, material, materials, start + e);
                SEDGE_EACH_TERM(SEDGE_PREDICT_HOLD)
            }
        }
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
#if SEDGE_BULK
        wait_for_bulk(arrived);
#endif
        SEDGE_ITEMS_1D (item, SEDGE_LOWER_ITEMS, SEDGE_PREDICT_THREADS) {
            const int i = item / SEDGE_PREDICT_BLOCK;
            const int e = item % SEDGE_PREDICT_BLOCK;
            if (e < here) {
                const sedge_int64 batch = start + e;
                const SEDGE_BLOCKWIDE sedge_value *const own_u = s_u + e * SEDGE_PREDICT_STRIDE;
                const SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE;
                SEDGE_LOCAL_COPY(sedge_simplex, at,
                                 (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_SIMPLEX_AT) +
                                     i);
                sedge_value corner[SEDGE_PREDICT_ALL];
                sedge_value of[SEDGE_PREDICT_POWERS][SEDGE_PREDICT_ALL]; // D, D S, D S^2 ..
                SEDGE_EACH (p, SEDGE_PREDICT_POWERS)
                    SEDGE_EACH (f, SEDGE_PREDICT_ALL) of[p][f] = SEDGE_SPLAT(SEDGE_R(0.0));
                read_all(corner, own_u, own_m, at->node[0], SEDGE_MINE(holds, e));
                SEDGE_EACH (k, 3) {
                    sedge_value side[SEDGE_PREDICT_ALL];
                    sedge_value g[3];
                    read_all(side, own_u, own_m, at->node[k + 1], SEDGE_MINE(holds, e));
                    SEDGE_EACH (f, SEDGE_PREDICT_ALL) side[f] = side[f] - corner[f];
                    SEDGE_EACH (d, 3) g[d] = s_g[e * SEDGE_METRIC_WORDS + 3 * k + d];
                    add_direction(of[0], side, g, SEDGE_MINE(holds, e)->m,
                                  SEDGE_PREDICT_ALIKE ? SEDGE_PREDICT_ALL : SEDGE_FIELDS);
                    if (!SEDGE_PREDICT_ALIKE) {
                        SEDGE_UNROLL
                        for (int p = 1; p < SEDGE_PREDICT_POWERS; p++) {
                            sedge_value rate[SEDGE_PREDICT_ALL];
                            SEDGE_APPLY_TERMS(rate, side);
                            SEDGE_EACH (f, SEDGE_PREDICT_ALL) side[f] = rate[f];
                            add_direction(of[p], side, g, SEDGE_MINE(holds, e)->m, SEDGE_FIELDS);
                        }
                    }
                    SEDGE_KEEP_ORDER();
                }
                if (SEDGE_PREDICT_ALIKE) {
                    SEDGE_UNROLL
                    for (int p = 1; p < SEDGE_PREDICT_POWERS; p++)
                        SEDGE_APPLY_TERMS(of[p], of[p - 1]);
                }
                SEDGE_UNROLL
                for (int power = SEDGE_PREDICT_POWERS; power > 0; power--) {
                    sedge_value *const slope =
                        SEDGE_MINE(slopes, item) + (power - 1) * SEDGE_FIELDS;
                    sedge_value x[SEDGE_FIELDS];
                    SEDGE_EACH (f, SEDGE_FIELDS) x[f] = of[SEDGE_PREDICT_POWERS - power][f];
                    SEDGE_UNROLL
                    for (int p = SEDGE_PREDICT_POWERS; p > power; p--)
                        SEDGE_EACH (f, SEDGE_FIELDS)
                            x[f] = of[p - 1 - power][f] + SEDGE_PREDICT_FACTOR(p) * x[f];
                    finish_slope(slope, x,
                                 SEDGE_R(-0.5 * SEDGE_ORDER) * SEDGE_PREDICT_FACTOR(power),
                                 SEDGE_MINE(holds, e)->m);
                    SEDGE_PREDICT_MULTIPLY(slope)
                }
                sedge_state next;
                SEDGE_EACH (k, SEDGE_PREDICT_WORDS)
                    SEDGE_MINE(sum, item)[SEDGE_FIELDS + k] = SEDGE_SPLAT(SEDGE_R(0.0));
                SEDGE_EACH (f, SEDGE_FIELDS)
                    next.f[f] = SEDGE_MINE(sum, item)[f] =
                        SEDGE_MINE(slopes, item)[(SEDGE_PREDICT_POWERS - 1) * SEDGE_FIELDS + f];
                *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_PREDICT_LOWER_STRIDE +
                                                 i * SEDGE_FIELDS) = next;
            }
        }
        SEDGE_BARRIER();
        SEDGE_UNROLL
        for (int power = SEDGE_PREDICT_POWERS - 1; power > 0; power--) {
            const sedge_real factor = SEDGE_PREDICT_FACTOR(power);
            SEDGE_ITEMS_1D (item, SEDGE_LEAST_ITEMS, SEDGE_PREDICT_THREADS) {
                const int i = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                if (e < here) {
                    const sedge_int64 batch = start + e;
                    sedge_state slope;
                    find_slope(slope.f, s_l + e * SEDGE_PREDICT_LOWER_STRIDE, i,
                               s_g + e * SEDGE_METRIC_WORDS, SEDGE_MINE(holds, e)->m,
                               SEDGE_R(-0.5) * factor, tables);
                    SEDGE_PREDICT_MULTIPLY(slope.f)
                    *(SEDGE_BLOCKWIDE sedge_state *)(s_q + e * SEDGE_PREDICT_LEAST_STRIDE +
                                                     i * SEDGE_FIELDS) = slope;
                    (void)batch;
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (item, SEDGE_LOWER_ITEMS, SEDGE_PREDICT_THREADS) {
                const int i = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                if (e < here) {
                    sedge_value *const slope =
                        SEDGE_MINE(slopes, item) + (power - 1) * SEDGE_FIELDS;
                    sedge_value *const y = SEDGE_MINE(sum, item);
                    sedge_value rate[SEDGE_PREDICT_ALL];
                    sedge_state next;
                    SEDGE_APPLY_TERMS(rate, y);
                    raise_slopes(slope, s_q + e * SEDGE_PREDICT_LEAST_STRIDE, i, tables);
                    if (power > 1) {
                        SEDGE_EACH (f, SEDGE_PREDICT_ALL) y[f] = factor * rate[f];
                        SEDGE_EACH (f, SEDGE_FIELDS) next.f[f] = y[f] = y[f] + slope[f];
                        *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_PREDICT_LOWER_STRIDE +
                                                         i * SEDGE_FIELDS) = next;
                    } else {
                        const sedge_real part = SEDGE_R(1.0 / SEDGE_ORDER);
                        sedge_predict_sums sums;
                        SEDGE_EACH (f, SEDGE_PREDICT_SUM_WORDS)
                            sums.v[f] = SEDGE_SPLAT(SEDGE_R(0.0));
                        SEDGE_EACH (f, SEDGE_PREDICT_ALL) sums.v[f] = part * factor * rate[f];
                        SEDGE_EACH (f, SEDGE_FIELDS) {
                            next.f[f] = part * slope[f];
                            if (!SEDGE_PREDICT_DAMPED) sums.v[f] = sums.v[f] + next.f[f];
                        }
                        *(SEDGE_BLOCKWIDE sedge_predict_sums *)(s_s + e * SEDGE_PREDICT_SUM_STRIDE +
                                                                i * SEDGE_PREDICT_SUM_WORDS) = sums;
                        if (SEDGE_PREDICT_DAMPED)
                            *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_PREDICT_LOWER_STRIDE +
                                                             i * SEDGE_FIELDS) = next;
                    }
                }
            }
            SEDGE_BARRIER();
        }
#if SEDGE_PREDICT_DENSE
        SEDGE_ITEMS_1D (item, SEDGE_DAMP_GROUPS * SEDGE_NODE_PIECES * SEDGE_PREDICT_BLOCK,
                        SEDGE_PREDICT_THREADS) {
            const int e = item % SEDGE_PREDICT_BLOCK;
            const int p = item / SEDGE_PREDICT_BLOCK % SEDGE_NODE_PIECES;
            const int i = item / (SEDGE_PREDICT_BLOCK * SEDGE_NODE_PIECES);
            if (e < here)
                damp_slopes(s_s + e * SEDGE_PREDICT_SUM_STRIDE + p * SEDGE_PIECE_WORDS +
                                i * SEDGE_DAMP_ROWS * SEDGE_PREDICT_SUM_WORDS,
                            s_l + e * SEDGE_PREDICT_LOWER_STRIDE + p * SEDGE_PIECE_WORDS,
                            (const SEDGE_GLOBAL sedge_damping *)damping + i,
                            SEDGE_LOWER_NODES - i * SEDGE_DAMP_ROWS);
        }
#elif SEDGE_PREDICT_DAMPED
        SEDGE_ITEMS_1D (item, SEDGE_FIELDS * SEDGE_PREDICT_BLOCK, SEDGE_PREDICT_THREADS) {
            const int e = item % SEDGE_PREDICT_BLOCK;
            const int f = item / SEDGE_PREDICT_BLOCK;
            if (e < here)
                predict_damped(s_s + e * SEDGE_PREDICT_SUM_STRIDE + f,
                               s_l + e * SEDGE_PREDICT_LOWER_STRIDE + f);
        }
#endif
#if SEDGE_PREDICT_DAMPED
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int n = item / SEDGE_PREDICT_BLOCK;
            const int e = item % SEDGE_PREDICT_BLOCK;
            if (e < here) {
                SEDGE_BLOCKWIDE sedge_value *const own_u = s_u + e * SEDGE_PREDICT_STRIDE;
                SEDGE_BLOCKWIDE sedge_value *const own_m = s_m + e * SEDGE_PREDICT_MEMORY_STRIDE;
                sedge_value own[SEDGE_PREDICT_ALL];
                sedge_value x[SEDGE_PREDICT_ALL];
                sedge_value rate[SEDGE_PREDICT_ALL];
                sedge_state result;
                read_all(own, own_u, own_m, n, SEDGE_MINE(holds, e));
                SEDGE_EACH (f, SEDGE_PREDICT_ALL) x[f] = own[f];
                SEDGE_UNROLL
                for (int power = SEDGE_PREDICT_POWERS; power > 0; power--) {
                    SEDGE_APPLY_TERMS(rate, x);
                    SEDGE_EACH (f, SEDGE_PREDICT_ALL)
                        x[f] = own[f] + SEDGE_PREDICT_FACTOR(power) * rate[f];
                }
                raise_sums(x, s_s + e * SEDGE_PREDICT_SUM_STRIDE, n, tables);
                SEDGE_EACH (f, SEDGE_FIELDS) result.f[f] = x[f];
                *(SEDGE_BLOCKWIDE sedge_state *)(s_n + e * SEDGE_PREDICT_STRIDE +
                                                 n * SEDGE_FIELDS) = result;
                if (updates != 0) {
                    SEDGE_APPLY_FULL(rate, x);
                    SEDGE_EACH (f, SEDGE_PREDICT_ALL) x[f] = own[f] + dt * rate[f];
                    keep_all(own_u, own_m, n, x, SEDGE_MINE(holds, e));
                }
            }
        }
        SEDGE_ITEMS_1D (item, SEDGE_PAD_WORDS * SEDGE_PREDICT_BLOCK, SEDGE_PREDICT_THREADS)
            s_n[item % SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE + SEDGE_NODES * SEDGE_FIELDS +
                item / SEDGE_PREDICT_BLOCK] = SEDGE_SPLAT(SEDGE_R(0.0));
#if SEDGE_BULK
        publish_bulk();
#endif
        SEDGE_BARRIER();
#if SEDGE_BULK
        if (SEDGE_THREAD == 0) {
            for (int e = 0; e < here; e++) {
                store_bulk(means + e * SEDGE_WORDS, s_n + e * SEDGE_PREDICT_STRIDE, state_bytes);
                if (updates != 0) {
                    store_bulk(words + e * SEDGE_WORDS, s_u + e * SEDGE_PREDICT_STRIDE,
                               state_bytes);
                    SEDGE_EACH_TERM(SEDGE_PREDICT_RETURN)
                }
            }
            wait_for_stores();
        }
#else
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LANES, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_PREDICT_LANES;
            const int p = item % SEDGE_PREDICT_LANES;
            if (e < here && p < SEDGE_PREDICT_PACKS) {
                store_words(means + e * SEDGE_WORDS + p * SEDGE_PACK,
                            s_n + e * SEDGE_PREDICT_STRIDE + p * SEDGE_PACK, SEDGE_PACK);
                if (updates != 0)
                    store_words(words + e * SEDGE_WORDS + p * SEDGE_PACK,
                                s_u + e * SEDGE_PREDICT_STRIDE + p * SEDGE_PACK, SEDGE_PACK);
            }
        }
#endif
        if (updates != 0) {
            SEDGE_EACH_TERM(SEDGE_PREDICT_STORE)
        }
    }
}
#endif
#endif
