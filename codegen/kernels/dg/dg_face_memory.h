// Memory of boundary faces (sedge_boundary_kind.memory): further unknowns at each node of a face,
// which the kernels that make its outer traces advance by a stage. Only in programs of problems
// with such faces; before dg_trace.h. Types of dg_layout.h.
//
//   SEDGE_FACE_MEMORY  components of a face node, the most that a condition of the problem has
//   SEDGE_MEMORY_NORMALS defined where elements may be curved: normals at the faces' nodes. Curved
//                      elements interpolate the outer traces of these faces (dg_curved.h), or have
//                      them as coefficients (dg_covariant_state.h, where dg_frames.h has the same
//                      normals).
//
// With the traces and the memory w before the stage:
//
//   w_residual = a w_residual + dt rate;  w += b w_residual
//
// Where the fields are means over a step (dg_predictor.h), SEDGE_MEMORY_SERIES is the number of
// terms of a power series: the solution of dw/dt = rate over the step, from w on and with the
// traces' means as if they were constant, is the memory after the step, and its mean makes the
// outer trace. The error is of second order in the step.
#pragma once

// memory_places    [boundary faces] the face's row, or -1: it has no memory
// memory, memory_residual [rows][SEDGE_FACE_MEMORY][face nodes]; the residual is not read if a = 0
// memory_normals   [rows][face nodes][3]
#ifdef SEDGE_MEMORY_NORMALS
#define SEDGE_MEMORY_NORMALS_LIST(X) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, memory_normals)
#define SEDGE_TAKE_MEMORY_NORMAL                                                                   \
    for (int d = 0; d < 3; d++)                                                                    \
        n[d] =                                                                                     \
            memory_normals[((sedge_int64)memory_places[at / SEDGE_FACE_NODES] * SEDGE_FACE_NODES + \
                            at % SEDGE_FACE_NODES) *                                               \
                               3 +                                                                 \
                           d];
#else
#define SEDGE_MEMORY_NORMALS_LIST(X)
#define SEDGE_TAKE_MEMORY_NORMAL
#endif
#define SEDGE_FACE_MEMORY_LIST(X)                               \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, memory_places)    \
    X(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, memory)          \
    X(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, memory_residual) \
    X(sedge_real, rk_a)                                         \
    X(sedge_real, rk_b)                                         \
    X(sedge_real, rk_dt)                                        \
    SEDGE_MEMORY_NORMALS_LIST(X)

// Memory of a face node, and what its condition finds.
typedef struct sedge_face_memory {
    sedge_real now[SEDGE_FACE_MEMORY];
    sedge_real rate[SEDGE_FACE_MEMORY];
} sedge_face_memory;

// Where the memory of boundary point `at` begins; its components are SEDGE_FACE_NODES apart.
SEDGE_FUNCTION sedge_int64 find_face_memory(sedge_int64 at,
                                            const SEDGE_GLOBAL int *SEDGE_RESTRICT memory_places)
{
    return (sedge_int64)memory_places[at / SEDGE_FACE_NODES] *
               (SEDGE_FACE_MEMORY * SEDGE_FACE_NODES) +
           at % SEDGE_FACE_NODES;
}

SEDGE_FUNCTION void load_face_memory(sedge_face_memory *w, int components, sedge_int64 first,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT memory)
{
    for (int k = 0; k < components; k++) w->now[k] = memory[first + k * SEDGE_FACE_NODES];
}

SEDGE_FUNCTION void advance_face_memory(const sedge_face_memory *w, int components,
                                        sedge_int64 first,
                                        SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT memory,
                                        SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT memory_residual,
                                        sedge_real rk_a, sedge_real rk_b, sedge_real rk_dt)
{
    for (int k = 0; k < components; k++) {
        const sedge_int64 word = first + k * SEDGE_FACE_NODES;
        sedge_real change = rk_dt * w->rate[k];
        if (rk_a != SEDGE_R(0.0)) change = change + rk_a * memory_residual[word];
        memory_residual[word] = change;
        memory[word] = w->now[k] + rk_b * change;
    }
}

// Calls of a condition: of the two traces one-sided ones get the first.
#define SEDGE_CALL_BOUNDARY(function, u, w, memory, v, rate) \
    function(u, m, n, place, time, values, constants, memory, v, rate);
#define SEDGE_CALL_TWO_SIDED(function, u, w, memory, v, rate) \
    function(u, w, m, behind, n, place, time, values, constants, memory, v, rate);

#ifndef SEDGE_MEMORY_SERIES
#define SEDGE_TAKE_STEP(CALL, function, behind, components) \
    CALL(function, own.f, behind.f, w.now, outer.f, w.rate) \
    advance_face_memory(&w, components, first, memory, memory_residual, rk_a, rk_b, rk_dt);
#else
// The series: its last term, its sum at the end of the step, and its mean.
typedef struct sedge_memory_series {
    sedge_real term[SEDGE_FACE_MEMORY];
    sedge_real mean[SEDGE_FACE_MEMORY];
} sedge_memory_series;

// Add the k-th term, dt / k times the rate that the one before causes; 1 / (k + 1) of it is in the
// mean. The sum is in w.
SEDGE_FUNCTION void add_memory_term(sedge_memory_series *series, sedge_face_memory *w,
                                    int components, int k, sedge_real dt)
{
    for (int i = 0; i < components; i++) {
        series->term[i] = dt / (sedge_real)k * w->rate[i];
        if (k == 1) series->mean[i] = w->now[i];
        series->mean[i] += series->term[i] / (sedge_real)(k + 1);
        w->now[i] += series->term[i];
    }
}

#define SEDGE_TAKE_STEP(CALL, function, behind, components)                               \
    const sedge_point none = {{SEDGE_R(0.0)}};                                            \
    sedge_memory_series series;                                                           \
    CALL(function, own.f, behind.f, w.now, outer.f, w.rate)                               \
    add_memory_term(&series, &w, components, 1, rk_dt);                                   \
    for (int k = 2; k <= SEDGE_MEMORY_SERIES; k++) {                                      \
        CALL(function, none.f, none.f, series.term, outer.f, w.rate)                      \
        add_memory_term(&series, &w, components, k, rk_dt);                               \
    }                                                                                     \
    CALL(function, own.f, behind.f, series.mean, outer.f, w.rate)                         \
    for (int k = 0; k < components; k++) memory[first + k * SEDGE_FACE_NODES] = w.now[k]; \
    (void)memory_residual, (void)rk_a, (void)rk_b;
#endif

// Cases of find_outer and find_between for conditions with memory. They do not depend on the time,
// so what they make at the first point of the step is `held` for the others.
#define SEDGE_MEMORY_CASE(number, CALL, function, behind, components)      \
    case number:                                                           \
        if (q == 0) {                                                      \
            const sedge_int64 first = find_face_memory(at, memory_places); \
            sedge_face_memory w;                                           \
            load_face_memory(&w, components, first, memory);               \
            SEDGE_TAKE_MEMORY_NORMAL                                       \
            SEDGE_TAKE_STEP(CALL, function, behind, components)            \
            held = outer;                                                  \
        }                                                                  \
        outer = held;                                                      \
        break;

#define SEDGE_BOUNDARY_MEMORY_CASE(number, function, components) \
    SEDGE_MEMORY_CASE(number, SEDGE_CALL_BOUNDARY, function, own, components)
#define SEDGE_TWO_SIDED_MEMORY_CASE(number, function, components) \
    SEDGE_MEMORY_CASE(number, SEDGE_CALL_TWO_SIDED, function, other, components)
