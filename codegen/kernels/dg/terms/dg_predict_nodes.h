// The prediction of an ADER step (src/dg/predictor.h) in straight elements that have a term whose
// law differs from node to node, such as an absorbing layer along rays. Types of dg_layout.h, terms
// and parameters of dg_predict.h.
#pragma once

#if SEDGE_PREDICTS_NODES
// What terms make of fields and memory, S, is found at the nodes; derivatives, D, are of
// coefficients. So the fields of a bracket are there twice, as coefficients x_c and at the nodes,
// x_n. With V, which takes coefficients to the nodes, C = 1/V, E, which raises D y from order N - 1
// to N, and the bracket before, y,
//
//   x_c = u_c + f dt (E D y_c + C S y_n),   x_n = u_n + f dt (V E D y_c + S y_n).
//
// The last bracket is the mean: E (1 + Q / f_1) stands in place of E. The memory of such a term is
// nodal, that of other terms has coefficients (sedge_term_varies, src/dg/problem.h).
//
// `damping` are V, C, N E, N V E, and the last two once more for the mean, each
// [from][SEDGE_NODES].
//
// An item has a node of one element of the block, or a coefficient. Neighbouring items have
// neighbouring elements.
#define SEDGE_NODES_ITEMS (SEDGE_NODES * SEDGE_NODES_BLOCK)
#define SEDGE_NODES_LOWER (SEDGE_LOWER_NODES * SEDGE_NODES_BLOCK)
#define SEDGE_NODES_HOLDS (SEDGE_TARGET_HOST ? SEDGE_NODES_BLOCK : SEDGE_NODES_THREADS)
#define SEDGE_NODES_BACK  (SEDGE_NODES * SEDGE_NODES)
#define SEDGE_NODES_RAISE (2 * SEDGE_NODES * SEDGE_NODES)
#define SEDGE_NODES_UP    (SEDGE_LOWER_NODES * SEDGE_NODES) // of N E, and of N V E

// sum = a row of a matrix, whose first entry is at `weights`, times the fields of `columns` nodes.
SEDGE_FUNCTION void multiply_nodes(sedge_value *sum, const SEDGE_GLOBAL sedge_real *weights,
                                   const SEDGE_BLOCKWIDE sedge_value *from, int columns)
{
    SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = SEDGE_SPLAT(SEDGE_R(0.0));
    for (int j = 0; j < columns; j++) {
        SEDGE_LOCAL_COPY(sedge_state, state,
                         (const SEDGE_BLOCKWIDE sedge_state *)(from + j * SEDGE_FIELDS));
        SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = sum[f] + weights[j * SEDGE_NODES] * state->f[f];
    }
}

// The same of E and of V E, which stand behind each other, by the coefficients of order N - 1.
SEDGE_FUNCTION void raise_nodes(sedge_value *coefficient, sedge_value *nodal,
                                const SEDGE_GLOBAL sedge_real *weights,
                                const SEDGE_BLOCKWIDE sedge_value *from)
{
    SEDGE_EACH (f, SEDGE_FIELDS) coefficient[f] = nodal[f] = SEDGE_SPLAT(SEDGE_R(0.0));
    for (int j = 0; j < SEDGE_LOWER_NODES; j++) {
        SEDGE_LOCAL_COPY(sedge_state, state,
                         (const SEDGE_BLOCKWIDE sedge_state *)(from + j * SEDGE_FIELDS));
        const sedge_real raise = weights[j * SEDGE_NODES];
        const sedge_real value = weights[SEDGE_NODES_UP + j * SEDGE_NODES];
        SEDGE_EACH (f, SEDGE_FIELDS) {
            coefficient[f] = coefficient[f] + raise * state->f[f];
            nodal[f] = nodal[f] + value * state->f[f];
        }
    }
}

// A term's memory at node n: `words` components w, which are nodal, or of coefficients that
// `weights`, a row of V, takes to the node.
SEDGE_FUNCTION void read_nodes(sedge_value *x, const SEDGE_GLOBAL sedge_value *w, int n, int nodal,
                               const SEDGE_GLOBAL sedge_real *weights, const int words)
{
    SEDGE_EACH (k, words) {
        const SEDGE_GLOBAL sedge_value *const from = w + k * SEDGE_NODES_PADDED;
        x[k] = SEDGE_SPLAT(SEDGE_R(0.0));
        if (nodal) {
            x[k] = from[n];
        } else {
            for (int j = 0; j < SEDGE_NODES; j++) x[k] = x[k] + weights[j * SEDGE_NODES] * from[j];
        }
    }
}
#define SEDGE_NODES_READ(i)                                                                        \
    if (SEDGE_PREDICT_HAS(i))                                                                      \
        read_nodes(own + SEDGE_FIELDS + SEDGE_TERM_AT_##i, SEDGE_MEMORY_OF(i, held->place_##i), n, \
                   SEDGE_TERM_VARIES_##i, damping + n, SEDGE_TERM_WORDS_##i);

// Nodal memory after the step.
#define SEDGE_NODES_KEEP(i)                                                       \
    if (SEDGE_TERM_VARIES_##i && SEDGE_PREDICT_HAS(i))                            \
        SEDGE_EACH (k, SEDGE_TERM_UNKNOWNS_##i)                                   \
            *(SEDGE_MEMORY_OF(i, held->place_##i) + k * SEDGE_NODES_PADDED + n) = \
                own[SEDGE_FIELDS + SEDGE_TERM_AT_##i + k] +                       \
                dt * rate[SEDGE_FIELDS + SEDGE_TERM_AT_##i + k];

// Other memory after the step: its rates, as many words at once as there are fields, go through the
// block's memory and C.
#define SEDGE_NODES_RETURN(i)                                                                     \
    for (int at = 0; !SEDGE_TERM_VARIES_##i && at < SEDGE_TERM_WORDS_##i; at += SEDGE_FIELDS) {   \
        SEDGE_BARRIER();                                                                          \
        SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {                           \
            SEDGE_BLOCKWIDE sedge_value *const to =                                               \
                s_s + item % SEDGE_NODES_BLOCK * SEDGE_NODES_STRIDE +                             \
                item / SEDGE_NODES_BLOCK * SEDGE_FIELDS;                                          \
            for (int f = 0; f < SEDGE_FIELDS && at + f < SEDGE_TERM_WORDS_##i; f++)               \
                to[f] = SEDGE_MINE(rates, item)[SEDGE_FIELDS + SEDGE_TERM_AT_##i + at + f];       \
        }                                                                                         \
        SEDGE_BARRIER();                                                                          \
        SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {                           \
            const int n = item / SEDGE_NODES_BLOCK;                                               \
            const int e = item % SEDGE_NODES_BLOCK;                                               \
            const int place = e < here ? (term_places_##i + start)[e] : -1;                       \
            if (place >= 0) {                                                                     \
                sedge_value sum[SEDGE_FIELDS];                                                    \
                multiply_nodes(sum, damping + SEDGE_NODES_BACK + n, s_s + e * SEDGE_NODES_STRIDE, \
                               SEDGE_NODES);                                                      \
                for (int f = 0; f < SEDGE_FIELDS && at + f < SEDGE_TERM_WORDS_##i; f++) {         \
                    SEDGE_GLOBAL sedge_value *const w =                                           \
                        SEDGE_MEMORY_OF(i, place) + (at + f) * SEDGE_NODES_PADDED + n;            \
                    *w = *w + dt * sum[f];                                                        \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

// D of fields at the coefficients of order N - 1, over N: from `states` to s_l.
#define SEDGE_NODES_SLOPES(states)                                                                 \
    SEDGE_ITEMS_1D (item, SEDGE_NODES_LOWER, SEDGE_NODES_THREADS) {                                \
        const int i = item / SEDGE_NODES_BLOCK;                                                    \
        const int e = item % SEDGE_NODES_BLOCK;                                                    \
        if (e < here) {                                                                            \
            const sedge_int64 batch = start + e;                                                   \
            SEDGE_LOCAL_COPY(sedge_simplex, at,                                                    \
                             (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_SIMPLEX_AT) + i); \
            sedge_state slope;                                                                     \
            sedge_value g[9];                                                                      \
            SEDGE_EACH (k, 9) g[k] = geometry[batch].metric[k];                                    \
            combine_slopes(slope.f, (states) + e * SEDGE_NODES_STRIDE, at, g,                      \
                           SEDGE_MINE(holds, e)->m);                                               \
            SEDGE_EACH (f, SEDGE_FIELDS) slope.f[f] = SEDGE_R(-0.5) * slope.f[f];                  \
            SEDGE_PREDICT_MULTIPLY(slope.f)                                                        \
            *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_NODES_LOWER_STRIDE +                  \
                                             i * SEDGE_FIELDS) = slope;                            \
            (void)batch;                                                                           \
        }                                                                                          \
    }

SEDGE_KERNEL(sedge_predict_nodes, SEDGE_NODES_THREADS, SEDGE_PREDICT_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_NODES_BLOCK;
        const sedge_int64 left = first + count - start;
        const int here = (int)(left < SEDGE_NODES_BLOCK ? left : SEDGE_NODES_BLOCK);
        SEDGE_GLOBAL sedge_value *const words = u[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_value *const means = mean[start * SEDGE_NODES_PADDED].f;
        // u_c, x_c, S y of the fields, D y_c.
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_NODES_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_x = s_u + SEDGE_NODES_BLOCK * SEDGE_NODES_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_s = s_x + SEDGE_NODES_BLOCK * SEDGE_NODES_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_l = s_s + SEDGE_NODES_BLOCK * SEDGE_NODES_STRIDE;
        // Of an item: u_n and the memory before the step, and S y_n.
        SEDGE_PRIVATE(sedge_value, owns, SEDGE_NODES_ITEMS, SEDGE_PREDICT_ALL);
        SEDGE_PRIVATE(sedge_value, rates, SEDGE_NODES_ITEMS, SEDGE_PREDICT_ALL);
        SEDGE_PRIVATE(sedge_held, holds, SEDGE_NODES_BLOCK, 1);

        SEDGE_ITEMS (e, SEDGE_NODES_BLOCK, p, SEDGE_PREDICT_PACKS, SEDGE_NODES_THREADS) {
            if (e < here)
                load_words(s_u + e * SEDGE_NODES_STRIDE + p * SEDGE_PACK,
                           words + e * SEDGE_WORDS + p * SEDGE_PACK, SEDGE_PACK);
        }
        SEDGE_ITEMS_1D (item, SEDGE_PAD_WORDS * SEDGE_NODES_BLOCK, SEDGE_NODES_THREADS)
            s_x[item % SEDGE_NODES_BLOCK * SEDGE_NODES_STRIDE + SEDGE_NODES * SEDGE_FIELDS +
                item / SEDGE_NODES_BLOCK] = SEDGE_SPLAT(SEDGE_R(0.0));
        SEDGE_ITEMS_1D (item, SEDGE_NODES_HOLDS, SEDGE_NODES_THREADS) {
            const int e = item % SEDGE_NODES_BLOCK;
            if (e < here) {
                get_material(SEDGE_MINE(holds, e)->m, material, materials, start + e);
                SEDGE_EACH_TERM(SEDGE_PREDICT_HOLD)
            }
        }
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {
            const int n = item / SEDGE_NODES_BLOCK;
            const int e = item % SEDGE_NODES_BLOCK;
            if (e < here) {
                const sedge_held *const held = SEDGE_MINE(holds, e);
                sedge_value *const own = SEDGE_MINE(owns, item);
                sedge_state rate;
                SEDGE_EACH (k, SEDGE_PREDICT_WORDS)
                    own[SEDGE_FIELDS + k] = SEDGE_SPLAT(SEDGE_R(0.0));
                multiply_nodes(own, damping + n, s_u + e * SEDGE_NODES_STRIDE, SEDGE_NODES);
                SEDGE_EACH_TERM(SEDGE_NODES_READ)
                SEDGE_APPLY_TERMS(SEDGE_MINE(rates, item), own);
                SEDGE_EACH (f, SEDGE_FIELDS) rate.f[f] = SEDGE_MINE(rates, item)[f];
                *(SEDGE_BLOCKWIDE sedge_state *)(s_s + e * SEDGE_NODES_STRIDE + n * SEDGE_FIELDS) =
                    rate;
                (void)held;
            }
        }
        SEDGE_NODES_SLOPES(s_u)
        SEDGE_BARRIER();
        for (int power = SEDGE_PREDICT_POWERS; power > 0; power--) {
            const sedge_real factor = SEDGE_PREDICT_FACTOR(power);
            const SEDGE_GLOBAL sedge_real *const raise =
                damping + SEDGE_NODES_RAISE + (power > 1 ? 0 : 2 * SEDGE_NODES_UP);
            SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {
                const int n = item / SEDGE_NODES_BLOCK;
                const int e = item % SEDGE_NODES_BLOCK;
                if (e < here) {
                    const SEDGE_BLOCKWIDE sedge_value *const slopes =
                        s_l + e * SEDGE_NODES_LOWER_STRIDE;
                    const SEDGE_BLOCKWIDE sedge_state *const from =
                        (const SEDGE_BLOCKWIDE sedge_state *)(s_u + e * SEDGE_NODES_STRIDE +
                                                              n * SEDGE_FIELDS);
                    const sedge_value *const own = SEDGE_MINE(owns, item);
                    sedge_value *const rate = SEDGE_MINE(rates, item);
                    sedge_value by_terms[SEDGE_FIELDS];
                    sedge_value raised[SEDGE_FIELDS];
                    sedge_value x[SEDGE_PREDICT_ALL];
                    sedge_state next = *from;
                    multiply_nodes(by_terms, damping + SEDGE_NODES_BACK + n,
                                   s_s + e * SEDGE_NODES_STRIDE, SEDGE_NODES);
                    raise_nodes(raised, x, raise + n, slopes);
                    SEDGE_EACH (f, SEDGE_FIELDS) {
                        next.f[f] = next.f[f] + factor * (raised[f] + by_terms[f]);
                        x[f] = own[f] + factor * (x[f] + rate[f]);
                    }
                    SEDGE_EACH (k, SEDGE_PREDICT_WORDS)
                        x[SEDGE_FIELDS + k] =
                            own[SEDGE_FIELDS + k] + factor * rate[SEDGE_FIELDS + k];
                    *(SEDGE_BLOCKWIDE sedge_state *)(s_x + e * SEDGE_NODES_STRIDE +
                                                     n * SEDGE_FIELDS) = next;
                    SEDGE_APPLY_TERMS(rate, x);
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {
                const int n = item / SEDGE_NODES_BLOCK;
                const int e = item % SEDGE_NODES_BLOCK;
                sedge_state rate;
                if (e < here) {
                    SEDGE_EACH (f, SEDGE_FIELDS) rate.f[f] = SEDGE_MINE(rates, item)[f];
                    *(SEDGE_BLOCKWIDE sedge_state *)(s_s + e * SEDGE_NODES_STRIDE +
                                                     n * SEDGE_FIELDS) = rate;
                }
            }
            if (power > 1) {
                SEDGE_NODES_SLOPES(s_x)
            }
            SEDGE_BARRIER();
        }
        SEDGE_ITEMS (e, SEDGE_NODES_BLOCK, p, SEDGE_PREDICT_PACKS, SEDGE_NODES_THREADS) {
            if (e < here)
                store_words(means + e * SEDGE_WORDS + p * SEDGE_PACK,
                            s_x + e * SEDGE_NODES_STRIDE + p * SEDGE_PACK, SEDGE_PACK);
        }
        if (updates != 0) {
            SEDGE_ITEMS_1D (item, SEDGE_NODES_ITEMS, SEDGE_NODES_THREADS) {
                const int n = item / SEDGE_NODES_BLOCK;
                const int e = item % SEDGE_NODES_BLOCK;
                if (e < here) {
                    const sedge_held *const held = SEDGE_MINE(holds, e);
                    const sedge_value *const own = SEDGE_MINE(owns, item);
                    const sedge_value *const rate = SEDGE_MINE(rates, item);
                    SEDGE_GLOBAL sedge_state *const to = u + (start + e) * SEDGE_NODES_PADDED + n;
                    sedge_value sum[SEDGE_FIELDS];
                    sedge_state next =
                        *(const SEDGE_BLOCKWIDE sedge_state *)(s_u + e * SEDGE_NODES_STRIDE +
                                                               n * SEDGE_FIELDS);
                    multiply_nodes(sum, damping + SEDGE_NODES_BACK + n,
                                   s_s + e * SEDGE_NODES_STRIDE, SEDGE_NODES);
                    SEDGE_EACH (f, SEDGE_FIELDS) next.f[f] = next.f[f] + dt * sum[f];
                    *to = next;
                    SEDGE_EACH_TERM(SEDGE_NODES_KEEP)
                    (void)held, (void)own, (void)rate;
                }
            }
            SEDGE_EACH_TERM(SEDGE_NODES_RETURN)
        }
    }
}
#endif
