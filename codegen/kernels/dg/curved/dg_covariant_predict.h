// The mean that curved elements without terms and sources predict over a step (src/dg/predictor.h),
// where the state is the coefficients of covariant components. Behind dg_covariant_state.h, whose
// method, memory of the block and shapes these are.
//
//   b_{K+1} = u,  b_k = u + f_k dt L b_{k+1},  mean = b_1 + D (b_1 - u)
//
// with D = Q / f_1. A face has the own trace behind it, so that there are no jumps: L has the curls
// alone. s_u has b, the columns curls, then rates; in the end what D takes and makes.
//
//   operators  behind P: V', then D where the order is damped
//   steps      f_1 dt, f_2 dt, f_3 dt, of which `powers` are used
#pragma once

#if SEDGE_CURVED_PREDICTS
#define SEDGE_CURVED_PREDICT_LIST(X)                            \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)           \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves)   \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)         \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    X(sedge_int64, first)                                       \
    X(sedge_int64, first_curve)                                 \
    X(sedge_int64, count)                                       \
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
    SEDGE_OUTER (b) {
        SEDGE_VALUES_HERE(b);
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
        for (int k = powers; k > 0; k--) {
            const sedge_real step = k == 1 ? step_1 : k == 2 ? step_2 : step_3;
            SEDGE_EACH_ITEM(o, SEDGE_LOWER_ORBITS, e)
            {
                SEDGE_BLOCKWIDE sedge_value *const to =
                    s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, o);
                sedge_value v[SEDGE_ORBIT_WORDS];
                sedge_value m[SEDGE_MATERIAL_VALUES + 1];
                get_material(m, material, materials, start + (e < here ? e : here - 1));
                SEDGE_EACH (j, 4)
                    find_own_curls(v + j * SEDGE_FIELDS, s_u + e * SEDGE_OWN_STRIDE, tables, o, j,
                                   m);
                store_columns(to, v, SEDGE_COLUMN_ROWS);
            }
            SEDGE_BARRIER();
            SEDGE_WEIGH_COLUMNS(lower, SEDGE_LOWER_ORBITS, SEDGE_STATE_LOWER)
            SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
            take_bracket(s_u + e * SEDGE_OWN_STRIDE,
                         s_e + e * SEDGE_COLUMN_STRIDE + SEDGE_COLUMN(0, SEDGE_RESULT_ROW + o), u,
                         start + (e < here ? e : here - 1), tables, o, step);
            SEDGE_BARRIER();
        }
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
                (SEDGE_GLOBAL sedge_two *)mean[start * SEDGE_NODES_PADDED].f;
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
