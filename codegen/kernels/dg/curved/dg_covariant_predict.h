// The mean that curved elements without terms and sources predict over a step (src/dg/predictor.h),
// where the state is the coefficients of covariant components. Behind dg_covariant_state.h, whose
// method, memory of the block and shapes these are.
//
//   b_{K+1} = u,  b_k = u + f_k dt L_k b_{k+1},  mean = b_1 + D (b_1 - u)
//
// with D = Q / f_1. A face has the own trace behind it, so that there are no jumps: L_1 = L has the
// curls alone. In L_2 and L_3 the metric W = -G^T G / J is linear between the vertices, where it is
// W_0 to W_3. Its product with w of order N - 1 has the coefficients
//
//   d_alpha = sum_k alpha_k / N W_k w_{alpha - e_k}
//
// s_u has b; s_e the columns of curls, then of rates, in the end of what D takes and makes. Of L_2
// and L_3 it has w, [place 4 orbit + j][field], and s_x has W_0 to W_3 where the stage has M and A.
//
// The last `halves` of the `count` values also get the mean over the first half of the step, from
// blocks behind the others.
//
//   operators  behind P: V', then D where the order is damped
//   tables     of each orbit alpha at SEDGE_BELOW_AT: places of alpha - e_k, [k][j], then alpha_k
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

// s_u at the nodes of an orbit = u there + step times an orbit's rates.
SEDGE_FUNCTION void take_bracket(SEDGE_BLOCKWIDE sedge_value *own,
                                 const SEDGE_BLOCKWIDE sedge_value *rates,
                                 const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                 sedge_int64 value, const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                                 int orbit, sedge_real step)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);
    sedge_value v[SEDGE_ORBIT_WORDS];

    load_columns(v, rates, SEDGE_COLUMN_ROWS);
    SEDGE_EACH (j, 4) {
        const SEDGE_GLOBAL sedge_state *const before = find_state(u, value, nodes.at[j]);
        sedge_value *const now = v + j * SEDGE_FIELDS;
        SEDGE_EACH (f, SEDGE_FIELDS) now[f] = before->f[f] + step * now[f];
        SEDGE_STORE_TWOS(own + nodes.at[j] * SEDGE_FIELDS, now)
    }
}

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

// s_u at the nodes of an orbit, some of which may be the same, = u there + step times d, from w. In
// the first pass, `is_u`, s_u is u.
SEDGE_FUNCTION void take_linear(SEDGE_BLOCKWIDE sedge_value *own,
                                const SEDGE_BLOCKWIDE sedge_value *w,
                                const SEDGE_BLOCKWIDE sedge_value *metrics,
                                const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u, sedge_int64 value,
                                const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit,
                                sedge_real step, int is_u)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);
    sedge_value v[SEDGE_ORBIT_WORDS];

    SEDGE_EACH (i, SEDGE_ORBIT_WORDS) v[i] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (k, 4) {
        const sedge_four below = get_four(tables, SEDGE_BELOW_AT, 8 * orbit + k);
        const sedge_four alpha = get_four(tables, SEDGE_BELOW_AT, 8 * orbit + 4 + k);
        sedge_value m[SEDGE_VERTEX_WORDS];
        SEDGE_LOAD_ROW(m, metrics + k * SEDGE_VERTEX_WORDS, SEDGE_VERTEX_WORDS)
        SEDGE_EACH (j, 4) {
            sedge_value row[SEDGE_FIELDS];
            SEDGE_LOAD_TWOS(row, w + below.at[j] * SEDGE_FIELDS)
            SEDGE_EACH (f, SEDGE_FIELDS) row[f] = (sedge_real)alpha.at[j] * row[f];
            SEDGE_EACH (i, SEDGE_VECTORS) {
                const sedge_value *const at = row + 3 * i;
                sedge_value *const d = v + j * SEDGE_FIELDS + 3 * i;
                d[0] = d[0] + (m[0] * at[0] + m[3] * at[1] + m[4] * at[2]);
                d[1] = d[1] + (m[3] * at[0] + m[1] * at[1] + m[5] * at[2]);
                d[2] = d[2] + (m[4] * at[0] + m[5] * at[1] + m[2] * at[2]);
            }
        }
    }
    if (is_u) {
        sedge_value before[SEDGE_ORBIT_WORDS];
        SEDGE_EACH (j, 4) {
            sedge_value *const row = before + j * SEDGE_FIELDS;
            SEDGE_LOAD_TWOS(row, own + nodes.at[j] * SEDGE_FIELDS)
        }
        SEDGE_EACH (i, SEDGE_ORBIT_WORDS) v[i] = before[i] + step * v[i];
    } else {
        SEDGE_EACH (j, 4) {
            const SEDGE_GLOBAL sedge_state *const before = find_state(u, value, nodes.at[j]);
            sedge_value *const now = v + j * SEDGE_FIELDS;
            SEDGE_EACH (f, SEDGE_FIELDS) now[f] = before->f[f] + step * now[f];
        }
    }
    SEDGE_EACH (j, 4) SEDGE_STORE_TWOS(own + nodes.at[j] * SEDGE_FIELDS, v + j * SEDGE_FIELDS)
}

#if SEDGE_CURVED_DAMPS
// What D takes: s_u - u at the nodes of an orbit.
SEDGE_FUNCTION void put_difference(SEDGE_BLOCKWIDE sedge_value *to,
                                   const SEDGE_BLOCKWIDE sedge_value *own,
                                   const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                   sedge_int64 value,
                                   const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);
    sedge_value v[SEDGE_ORBIT_WORDS];

    SEDGE_EACH (j, 4) {
        const SEDGE_GLOBAL sedge_state *const before = find_state(u, value, nodes.at[j]);
        sedge_value *const now = v + j * SEDGE_FIELDS;
        SEDGE_LOAD_TWOS(now, own + nodes.at[j] * SEDGE_FIELDS)
        SEDGE_EACH (f, SEDGE_FIELDS) now[f] = now[f] - before->f[f];
    }
    store_columns(to, v, SEDGE_COLUMN_ROWS);
}

// s_u += what D makes, at the nodes of an orbit, some of which may be the same: all are read before
// the first is written.
SEDGE_FUNCTION void add_damping(SEDGE_BLOCKWIDE sedge_value *own,
                                const SEDGE_BLOCKWIDE sedge_value *from, int rows,
                                const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, int orbit)
{
    const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, orbit);
    sedge_value v[SEDGE_ORBIT_WORDS];
    sedge_value before[SEDGE_ORBIT_WORDS];

    load_columns(v, from, rows);
    SEDGE_EACH (j, 4) {
        sedge_value *const row = before + j * SEDGE_FIELDS;
        SEDGE_LOAD_TWOS(row, own + nodes.at[j] * SEDGE_FIELDS)
    }
    SEDGE_EACH (i, SEDGE_ORBIT_WORDS) v[i] = before[i] + v[i];
    SEDGE_EACH (j, 4) SEDGE_STORE_TWOS(own + nodes.at[j] * SEDGE_FIELDS, v + j * SEDGE_FIELDS)
}
#endif

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
        for (int k = powers; k > 0; k--) {
            const sedge_real step = part * (k == 2 ? step_2 : step_3);
            SEDGE_EACH_ITEM(o, SEDGE_LOWER_ORBITS, e)
            {
                SEDGE_BLOCKWIDE sedge_value *const to = s_e + e * SEDGE_COLUMN_STRIDE;
                sedge_value v[SEDGE_ORBIT_WORDS];
                sedge_value m[SEDGE_MATERIAL_VALUES + 1];
                get_material(m, material, materials, start + (e < here ? e : here - 1));
                SEDGE_EACH (j, 4)
                    find_own_curls(v + j * SEDGE_FIELDS, s_u + e * SEDGE_OWN_STRIDE, tables, o, j,
                                   m);
                if (k > 1) {
                    SEDGE_EACH (j, 4)
                        SEDGE_STORE_TWOS(to + (4 * o + j) * SEDGE_FIELDS, v + j * SEDGE_FIELDS)
                } else {
                    store_columns(to + SEDGE_COLUMN(0, o), v, SEDGE_COLUMN_ROWS);
                }
            }
            SEDGE_BARRIER();
            if (k > 1) {
                SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
                take_linear(s_u + e * SEDGE_OWN_STRIDE, s_e + e * SEDGE_COLUMN_STRIDE,
                            s_x + e * SEDGE_RECORD_STRIDE + SEDGE_RECORDS_AT, u,
                            start + (e < here ? e : here - 1), tables, o, step, k == powers);
                SEDGE_BARRIER();
            }
        }
        SEDGE_WEIGH_COLUMNS(lower, SEDGE_LOWER_ORBITS, SEDGE_STATE_LOWER)
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        take_bracket(s_u + e * SEDGE_OWN_STRIDE,
                     s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_RESULT_ROW + o), u,
                     start + (e < here ? e : here - 1), tables, o, part * step_1);
        SEDGE_BARRIER();
#if SEDGE_CURVED_DAMPS
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        put_difference(s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, o),
                       s_u + e * SEDGE_OWN_STRIDE, u, start + (e < here ? e : here - 1), tables, o);
        SEDGE_BARRIER();
#if SEDGE_CURVED_IN_PLACE
        SEDGE_COLUMN_PRODUCT(damp, 0, SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, SEDGE_STATE_DAMP)
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        add_damping(s_u + e * SEDGE_OWN_STRIDE, s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, o),
                    SEDGE_COLUMN_ROWS, tables, o);
        SEDGE_BARRIER();
#else
        for (int from = 0; from < SEDGE_NODE_ORBITS; from += SEDGE_TARGET_ROWS) {
            const int rest = SEDGE_NODE_ORBITS - from;
            const int orbits = rest < SEDGE_TARGET_ROWS ? rest : SEDGE_TARGET_ROWS;
            SEDGE_ROWS_TO_TARGET(from, orbits, SEDGE_TARGET_ROWS, 0, SEDGE_NODE_ORBITS,
                                 SEDGE_NODE_ORBITS, SEDGE_STATE_DAMP)
            SEDGE_BARRIER();
            SEDGE_EACH_ITEM(o, SEDGE_TARGET_ROWS, e)
            {
                if (o < orbits)
                    add_damping(s_u + e * SEDGE_OWN_STRIDE,
                                s_t + e * SEDGE_TARGET_STRIDE + SEDGE_T_COLUMN(0, o),
                                SEDGE_TARGET_ROWS, tables, from + o);
            }
            SEDGE_BARRIER();
        }
#endif
#endif
        {
            SEDGE_GLOBAL sedge_two *const to =
                (SEDGE_GLOBAL sedge_two *)(is_half ? half : mean)[start * SEDGE_NODES_PADDED].f;
            for (int p = SEDGE_OWN_TWO; p < here * (SEDGE_WORDS / 2); p += SEDGE_TWOS_THREADS) {
                const int e = (int)((unsigned)p / (unsigned)(SEDGE_WORDS / 2));
                const int w = (int)((unsigned)p % (unsigned)(SEDGE_WORDS / 2));
                to[p] = *(const SEDGE_BLOCKWIDE sedge_two *)(s_u + e * SEDGE_OWN_STRIDE + 2 * w);
            }
        }
    }
    (void)step_2, (void)step_3;
}
#endif
