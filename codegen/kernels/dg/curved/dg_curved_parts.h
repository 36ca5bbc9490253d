// What the kernels of curved elements share, dg_curved.h, dg_covariant.h and dg_covariant_state.h:
// parameters, boundary functions at a place on a face, the update of a node.
#pragma once

// ---- faces -------------------------------------------------------------------------------------

// What the boundary functions need to know. Trace slots from halo_faces to boundary_end are those
// of boundary faces.
#define SEDGE_CURVED_BOUNDARY_LIST(X)                        \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, shapes)     \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, group)         \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, parameters) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, kinds)         \
    X(sedge_int64, halo_faces)                               \
    X(sedge_int64, boundary_end)                             \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)      \
    X(double, delay)                                         \
    X(double, duration)

// Place of a face's point in fp64.
SEDGE_FUNCTION void find_place(double *x, const SEDGE_GLOBAL double *shape,
                               const SEDGE_GLOBAL sedge_real *rst)
{
    const double r = (double)rst[0];
    const double s = (double)rst[1];
    const double t = (double)rst[2];
    const double terms[10] = {1.0, r, s, t, r * r, s * s, t * t, r * s, r * t, s * t};

    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int k = 0; k < 10; k++) x[d] += terms[k] * shape[3 * k + d];
    }
}

#define SEDGE_CURVED_CASE(number, function)                              \
    case number:                                                         \
        function(own, m, normal, place, time, values, constants, outer); \
        break;

#ifdef SEDGE_TWO_SIDED_CASES
#define SEDGE_CURVED_TWO_SIDED_CASE(number, function)                                        \
    case number:                                                                             \
        function(own, other, m, behind, normal, place, time, values, both_constants, outer); \
        break;
#endif

// Of a condition with memory the slot has the outer trace, made at the nodes of the face.
#define SEDGE_CURVED_MEMORY_CASE(number, function, components)       \
    case number:                                                     \
        SEDGE_EACH (f, SEDGE_FIELDS) outer[f] = SEDGE_LANE(v[f], l); \
        break;

// v behind a face's point, where lane l of the value has a boundary. On entry v is the trace in the
// face's slot and mv the slot's material: of a two-sided condition those of the other side, and
// then mv becomes that of the own side.
SEDGE_FUNCTION void
apply_boundary(sedge_value *v, const sedge_value *u, const sedge_value *mu, sedge_value *mv,
               const sedge_value *n, int l, sedge_int64 slot, sedge_int64 curve_slot,
               const SEDGE_GLOBAL sedge_real *rst SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_BOUNDARY_CONSTANTS(constants, parameters);
#ifdef SEDGE_TWO_SIDED_CASES
    SEDGE_TWO_SIDED_CONSTANTS(both_constants, parameters);
    sedge_real other[SEDGE_FIELDS];
    sedge_real behind[SEDGE_MATERIAL_VALUES + 1];
#endif
    const int which = group[slot - halo_faces];
    const double times[SEDGE_TIMES] = {SEDGE_TIME_POINTS};
    sedge_real own[SEDGE_FIELDS];
    sedge_real outer[SEDGE_FIELDS];
    sedge_point mean;
    sedge_real m[SEDGE_MATERIAL_VALUES + 1];
    sedge_real normal[3];
    double place[3];
    SEDGE_BOUNDARY_PARAMETERS(values, parameters, which);

    SEDGE_EACH (f, SEDGE_FIELDS) own[f] = SEDGE_LANE(u[f], l);
    for (int k = 0; k < SEDGE_MATERIAL_VALUES; k++) m[k] = SEDGE_LANE(mu[k], l);
    for (int d = 0; d < 3; d++) normal[d] = SEDGE_LANE(n[d], l);
    find_place(place, shapes + curve_slot * SEDGE_CURVE_WORDS, rst);
#ifdef SEDGE_TWO_SIDED_CASES
    SEDGE_EACH (f, SEDGE_FIELDS) other[f] = SEDGE_LANE(v[f], l);
    for (int k = 0; k < SEDGE_MATERIAL_VALUES; k++) {
        behind[k] = SEDGE_LANE(mv[k], l);
        SEDGE_LANE(mv[k], l) = m[k];
    }
#endif
    for (int q = 0; q < SEDGE_TIMES; q++) {
        const double time = SEDGE_TIME(q, clock[0] + delay, duration);
        sedge_point now;
        SEDGE_EACH (f, SEDGE_FIELDS) outer[f] = own[f];
        switch (kinds[which]) {
            SEDGE_BOUNDARY_CASES(SEDGE_CURVED_CASE)
#ifdef SEDGE_TWO_SIDED_CASES
            SEDGE_TWO_SIDED_CASES(SEDGE_CURVED_TWO_SIDED_CASE)
#endif
            SEDGE_BOUNDARY_MEMORY_CASES(SEDGE_CURVED_MEMORY_CASE)
            SEDGE_TWO_SIDED_MEMORY_CASES(SEDGE_CURVED_MEMORY_CASE)
        }
        SEDGE_EACH (f, SEDGE_FIELDS) now.f[f] = outer[f];
        add_time(&mean, now, q);
        (void)time;
    }
    SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_LANE(v[f], l) = mean.f[f];
    (void)l, (void)constants, (void)values, (void)m, (void)mv, (void)normal;
#ifdef SEDGE_TWO_SIDED_CASES
    (void)both_constants;
#endif
}

// ---- the stage ---------------------------------------------------------------------------------

#define SEDGE_CURVED_LIST(X)                                    \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual)       \
    X(const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)    \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)     \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves)   \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)         \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    SEDGE_CURVED_BOUNDARY_LIST(X)                               \
    X(sedge_int64, first)                                       \
    X(sedge_int64, first_curve)                                 \
    X(sedge_int64, count)                                       \
    X(sedge_int64, slots)                                       \
    SEDGE_SUBSTEP_LIST(X)                                       \
    SEDGE_TERMS_LIST(X)

// The stage's end at one node; `rhs` is du/dt.
SEDGE_FUNCTION void update_node(SEDGE_GLOBAL sedge_state *next, SEDGE_GLOBAL sedge_state *residual,
                                const sedge_value *own, const sedge_value *rhs,
                                const sedge_substep rk)
{
    SEDGE_EACH (f, SEDGE_FIELDS) {
        sedge_value change = rk.dt * rhs[f];
        if (rk.a != SEDGE_R(0.0))
            change = change + carry(rk, own[f], rk.c != SEDGE_R(0.0) ? next->f[f] : residual->f[f]);
        if (rk.keep != 0) residual->f[f] = change;
        if (rk.b != SEDGE_R(0.0)) next->f[f] = own[f] + rk.b * change;
    }
}
