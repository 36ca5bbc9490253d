// Memory of boundary faces (sedge_boundary_kind.memory): further unknowns at each node of a face,
// which the kernels that make its outer traces advance by a stage. Only in programs of problems
// with such faces; before dg_trace.h. Types of dg_layout.h.
//
//   SEDGE_FACE_MEMORY  components of a face node, the most that a condition of the problem has
//   SEDGE_MEMORY_NORMALS defined where elements may be curved: normals at the faces' nodes. Curved
//                      elements interpolate the outer traces of these faces (dg_curved.h).
//
// With the traces and the memory w before the stage:
//
//   w_residual = a w_residual + dt rate;  w += b w_residual
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

// Cases of find_outer and find_between for conditions with memory.
#define SEDGE_BOUNDARY_MEMORY_CASE(number, function, components)                                \
    case number: {                                                                              \
        const sedge_int64 first = find_face_memory(at, memory_places);                          \
        sedge_face_memory w;                                                                    \
        load_face_memory(&w, components, first, memory);                                        \
        SEDGE_TAKE_MEMORY_NORMAL                                                                \
        function(own.f, m, n, place, time, values, constants, w.now, outer.f, w.rate);          \
        advance_face_memory(&w, components, first, memory, memory_residual, rk_a, rk_b, rk_dt); \
    } break;

#define SEDGE_TWO_SIDED_MEMORY_CASE(number, function, components)                               \
    case number: {                                                                              \
        const sedge_int64 first = find_face_memory(at, memory_places);                          \
        sedge_face_memory w;                                                                    \
        load_face_memory(&w, components, first, memory);                                        \
        SEDGE_TAKE_MEMORY_NORMAL                                                                \
        function(own.f, other.f, m, behind, n, place, time, values, constants, w.now, outer.f,  \
                 w.rate);                                                                       \
        advance_face_memory(&w, components, first, memory, memory_residual, rk_a, rk_b, rk_dt); \
    } break;
