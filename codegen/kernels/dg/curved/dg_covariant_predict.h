// The mean that curved elements without terms and sources predict over a step (src/dg/predictor.h),
// where the state is the coefficients of covariant components. Behind dg_covariant_state.h, whose
// method, memory of the block and shapes these are.
//
//   b_{K+1} = u,  b_k = u + f_k dt L_k b_{k+1},  mean = u + (1 + D) (b_1 - u)
//
// with D = Q / f_1. What L ends with, P of the stage, has the factor 1 + D here. A face has the own
// trace behind it, so that there are no jumps: L_1 = L has the curls alone. In L_2 and L_3 the
// metric W = -G^T G / J is linear between the vertices, where it is W_0 to W_3. Its product with w
// of order N - 1 has the coefficients
//
//   d_alpha = sum_k alpha_k / N W_k w_{alpha - e_k}
//
// s_u has b, in the end (1 + D) L b_2; s_e the columns of curls, then of rates. For L_2 and L_3 it
// has w and behind it u, [coefficient][field] both, and s_x has W_0 to W_3 where the stage has M
// and A.
//
// The last `halves` of the `count` values also get the mean over the first half of the step, from
// blocks behind the others.
//
//   operators  behind P: V', then (1 + D) P
//   tables     of each alpha at SEDGE_BELOW_AT: numbers of alpha - e_k, then alpha_k
//   steps      f_1 dt, f_2 dt, f_3 dt, of which `powers` are used
#pragma once

#if SEDGE_CURVED_PREDICTS
#define SEDGE_VERTEX_WORDS 8 // of W_k: xx, yy, zz, xy, xz, yz, all halved, and two spare ones
#define SEDGE_CURVED_PREDICT_LIST(X)                            \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)           \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves)   \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)         \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    X(sedge_int64, first)                                       \
    X(sedge_int64, first_curve)                                 \
    X(sedge_int64, count)                                       \
    X(sedge_int64, halves)                                      \
    X(sedge_real, step_1)                                       \
    X(sedge_real, step_2)                                       \
    X(sedge_real, step_3)                                       \
    X(int, powers)

// W_k, halved, of the map with the coefficients c: find_own_curls leaves out the factor N / 2, and
// take_linear takes alpha_k / N as alpha_k.
SEDGE_FUNCTION void find_vertex_metric(SEDGE_BLOCKWIDE sedge_value *metric, const sedge_value *c,
                                       int k)
{
    sedge_value x[9];
    sedge_value g[9];
    sedge_value w[SEDGE_VERTEX_WORDS];

    find_map_tangents(x, c, k == 1 ? SEDGE_R(1.0) : SEDGE_R(-1.0),
                      k == 2 ? SEDGE_R(1.0) : SEDGE_R(-1.0), k == 3 ? SEDGE_R(1.0) : SEDGE_R(-1.0));
    const sedge_value half = SEDGE_R(-0.5) * sedge_inverse(turn_tangents(g, x));
    SEDGE_EACH (i, 3) {
        const sedge_value *const a = x + 3 * (i == 2);
        const sedge_value *const b = x + 3 * (i == 0 ? 1 : 2);
        w[i] = half *
               (x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
        w[3 + i] = half * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    w[6] = w[7] = SEDGE_SPLAT(0.0);
    SEDGE_STORE_ROW(metric, w, SEDGE_VERTEX_WORDS)
}

// b = u + step times d at coefficient n, from w.
SEDGE_FUNCTION void
take_linear(SEDGE_BLOCKWIDE sedge_value *b, const SEDGE_BLOCKWIDE sedge_value *u,
            const SEDGE_BLOCKWIDE sedge_value *w, const SEDGE_BLOCKWIDE sedge_value *metrics,
            const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int n, sedge_real step)
{
    const sedge_four below = get_four(tables, SEDGE_BELOW_AT, 2 * n);
    const sedge_four alpha = get_four(tables, SEDGE_BELOW_AT, 2 * n + 1);
    sedge_value sum[SEDGE_FIELDS];
    sedge_value own[SEDGE_FIELDS];

    SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (k, 4) {
        if (alpha.at[k] != 0) {
            sedge_value m[SEDGE_VERTEX_WORDS];
            sedge_value row[SEDGE_FIELDS];
            SEDGE_LOAD_ROW(m, metrics + k * SEDGE_VERTEX_WORDS, SEDGE_VERTEX_WORDS)
            SEDGE_LOAD_TWOS(row, w + below.at[k] * SEDGE_FIELDS)
            SEDGE_EACH (f, SEDGE_FIELDS) row[f] = (sedge_real)alpha.at[k] * row[f];
            SEDGE_EACH (i, SEDGE_VECTORS) {
                const sedge_value *const at = row + 3 * i;
                sedge_value *const d = sum + 3 * i;
                d[0] = d[0] + (m[0] * at[0] + m[3] * at[1] + m[4] * at[2]);
                d[1] = d[1] + (m[3] * at[0] + m[1] * at[1] + m[5] * at[2]);
                d[2] = d[2] + (m[4] * at[0] + m[5] * at[1] + m[2] * at[2]);
            }
        }
    }
    SEDGE_LOAD_TWOS(own, u)
    SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = own[f] + step * sum[f];
    SEDGE_STORE_TWOS(b, sum)
}

SEDGE_KERNEL_RESIDENT(sedge_curved_predict, SEDGE_CURVED_THREADS, SEDGE_CURVED_RESIDENT,
                      SEDGE_CURVED_PREDICT_LIST)
{
    const sedge_int64 wholes = (count + SEDGE_CURVED_BLOCK - 1) / SEDGE_CURVED_BLOCK;

    SEDGE_OUTER (b) {
        const int is_half = b >= wholes;
        const sedge_int64 at =
            is_half ? count - halves + (b - wholes) * SEDGE_CURVED_BLOCK : b * SEDGE_CURVED_BLOCK;
        const sedge_int64 start = first + at;
        const sedge_int64 curve = first_curve + at;
        const int here = (int)(count - at < SEDGE_CURVED_BLOCK ? count - at : SEDGE_CURVED_BLOCK);
        const sedge_real part = is_half ? SEDGE_R(0.5) : SEDGE_R(1.0);
        SEDGE_STATE_MEMORY;
        sedge_value m[SEDGE_MATERIAL_VALUES + 1]; // of the value whose items a thread has

        get_material(m, material, materials,
                     start + (SEDGE_OWN_VALUE < here ? SEDGE_OWN_VALUE : here - 1));
#if SEDGE_TARGET_HOST
        for (int i = 0; i < SEDGE_WORDS; i++) s_u[i] = u[start * SEDGE_NODES_PADDED].f[i];
        for (int i = 0; i < SEDGE_CURVE_WORDS; i++) s_x[i] = curves[curve].c[i];
#else
        SEDGE_COPY_COEFFICIENTS
        copy_maps(s_x, SEDGE_RECORD_STRIDE, curves + curve, here);
        SEDGE_COPY_WAIT();
#endif
        SEDGE_BARRIER();
        SEDGE_EACH_MATRIX(e, vertex)
        {
            SEDGE_BLOCKWIDE sedge_value *const map = s_x + e * SEDGE_RECORD_STRIDE;
            sedge_value c[32];
            load_map(c, map);
            find_vertex_metric(map + SEDGE_RECORDS_AT + vertex * SEDGE_VERTEX_WORDS, c, vertex);
        }
        for (int k = powers; k > 1; k--) {
            const sedge_real step = part * (k == 2 ? step_2 : step_3);
            SEDGE_EACH_ITEM(i, SEDGE_LOWER_NODES, e)
            {
                sedge_value w[SEDGE_FIELDS];
                find_own_curls(w, s_u + e * SEDGE_OWN_STRIDE, get_four(tables, SEDGE_SIMPLEX_AT, i),
                               m);
                SEDGE_STORE_TWOS(s_e + e * SEDGE_COLUMN_STRIDE + i * SEDGE_FIELDS, w)
            }
            SEDGE_BARRIER();
            SEDGE_EACH_ITEM(n, SEDGE_NODES, e)
            {
                SEDGE_BLOCKWIDE sedge_value *const b =
                    s_u + e * SEDGE_OWN_STRIDE + n * SEDGE_FIELDS;
                SEDGE_BLOCKWIDE sedge_value *const kept =
                    s_e + e * SEDGE_COLUMN_STRIDE + (SEDGE_LOWER_NODES + n) * SEDGE_FIELDS;
                if (k == powers) {
                    sedge_value own[SEDGE_FIELDS];
                    SEDGE_LOAD_TWOS(own, b)
                    SEDGE_STORE_TWOS(kept, own)
                }
                take_linear(b, kept, s_e + e * SEDGE_COLUMN_STRIDE,
                            s_x + e * SEDGE_RECORD_STRIDE + SEDGE_RECORDS_AT, tables, n, step);
            }
            SEDGE_BARRIER();
        }
        SEDGE_EACH_ITEM(o, SEDGE_LOWER_ORBITS, e)
        {
            sedge_value v[SEDGE_ORBIT_WORDS];
            SEDGE_EACH (j, 4)
                find_own_curls(v + j * SEDGE_FIELDS, s_u + e * SEDGE_OWN_STRIDE,
                               get_four(tables, SEDGE_AROUND_AT, 4 * o + j), m);
            store_columns(s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, o), v, SEDGE_COLUMN_ROWS);
        }
        SEDGE_BARRIER();
        SEDGE_WEIGH_COLUMNS(lower, SEDGE_LOWER_ORBITS, SEDGE_STATE_LOWER, mean, SEDGE_STATE_MEAN)
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        put_coefficients(s_u + e * SEDGE_OWN_STRIDE,
                         s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_RESULT_ROW + o),
                         SEDGE_COLUMN_ROWS, tables, o);
        SEDGE_BARRIER();
        {
            const SEDGE_GLOBAL sedge_two *const from =
                (const SEDGE_GLOBAL sedge_two *)u[start * SEDGE_NODES_PADDED].f;
            SEDGE_GLOBAL sedge_two *const to =
                (SEDGE_GLOBAL sedge_two *)(is_half ? half : mean)[start * SEDGE_NODES_PADDED].f;
            for (int p = SEDGE_OWN_TWO; p < here * (SEDGE_WORDS / 2); p += SEDGE_TWOS_THREADS) {
                const int e = (int)((unsigned)p / (unsigned)(SEDGE_WORDS / 2));
                const int w = (int)((unsigned)p % (unsigned)(SEDGE_WORDS / 2));
                const sedge_two rate =
                    *(const SEDGE_BLOCKWIDE sedge_two *)(s_u + e * SEDGE_OWN_STRIDE + 2 * w);
                sedge_two state = from[p];
                SEDGE_EACH (k, 2) state.v[k] = state.v[k] + part * step_1 * rate.v[k];
                to[p] = state;
            }
        }
    }
    (void)step_2, (void)step_3;
}
#endif
