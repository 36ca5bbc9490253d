// What all programs of the DG operator know: how fields, faces and geometry lie in memory.
//
// Slots: the rank's elements, each range of the mesh (mesh/mesh.h) filled up to a multiple of
// SEDGE_LANES. A "value" below is SEDGE_LANES neighbouring slots.
//
//   u, next, residual  [values][SEDGE_NODES_PADDED][fields] of sedge_value; padding is zero
//   trace    [trace slots][face nodes] of sedge_point: halo faces, then boundary faces, as the
//            neighbour orders its nodes (halo) or as the own face does (boundary)
//   links    [slots][4]: neighbour slot, or -1 - trace slot; neighbour's face * 6 + orientation, in
//            curved elements with covariant states SEDGE_STRAIGHT_BEHIND more where the neighbour
//            is straight (dg_covariant_state.h)
//   geometry [values] of sedge_geometry
//   tables   own volume node [4 face nodes], then neighbour's volume node [24][face nodes], then
//            neighbour's face node [24][face nodes]; at SEDGE_SIMPLEX_AT the coefficients beta +
//            e_0, .., beta + e_3 of each beta of order N - 1
#pragma once

#define SEDGE_FACE_POINTS (4 * SEDGE_FACE_NODES)
#define SEDGE_SIMPLEX_AT  (52 * SEDGE_FACE_NODES)
#define SEDGE_WORDS       (SEDGE_NODES_PADDED * SEDGE_FIELDS)
// Jumps of an element.
#define SEDGE_FACE_WORDS (SEDGE_FACE_POINTS * SEDGE_FIELDS)
// Words of an element's metric terms.
#define SEDGE_METRIC_WORDS 12

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_state {
    sedge_value f[SEDGE_FIELDS];
} sedge_state;

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_point {
    sedge_real f[SEDGE_FIELDS];
} sedge_point;

typedef struct SEDGE_ALIGN(16) sedge_face_geometry {
    sedge_value n[3]; // outward unit normal
    sedge_value scale;
} sedge_face_geometry;

// In fp32 an odd number of packs, as all that neighbouring items read.
typedef struct SEDGE_ALIGN(16) sedge_geometry {
    sedge_face_geometry face[4];
    sedge_value metric[SEDGE_METRIC_WORDS]; // d r_j / d x_d at 3 j + d; the rest is padding
} sedge_geometry;
#define SEDGE_GEOMETRY_WORDS 28

typedef struct SEDGE_ALIGN(8) sedge_link {
    int neighbour;
    int code;
} sedge_link;

// 16 bytes of neighbouring words on a GPU, one word on the host.
typedef struct SEDGE_ALIGN(16) sedge_pack {
    sedge_value v[SEDGE_PACK];
} sedge_pack;

// A kernel's parameters beyond a function's own, in its list and where it is called.
#define SEDGE_COMMA_PARAMETER(type, name) , type name
#define SEDGE_COMMA_NAME(type, name)      , name

// Where a program has terms (dg_term.h), SEDGE_EACH_TERM is defined, and each of them adds these to
// a stage's parameters: SEDGE_TERMS_LIST has one SEDGE_TERM_LIST for each.
#ifdef SEDGE_EACH_TERM
// A component of the memory of terms at neighbouring nodes, as many as an item takes: 1, or as the
// form says, which divides SEDGE_NODES_PADDED; 1 where a term has SEDGE_TERM_DRIVE.
#ifdef SEDGE_TERM_NODES
typedef struct SEDGE_ALIGN(SEDGE_TERM_BYTES) sedge_memory {
#else
#define SEDGE_TERM_NODES 1
typedef struct sedge_memory {
#endif
    sedge_value v[SEDGE_TERM_NODES];
} sedge_memory;
#define SEDGE_TERM_LIST(X, i)                                      \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, term_places_##i)     \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, term_memory_##i)   \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, term_next_##i)     \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, term_residual_##i) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, term_parameters_##i)
#define SEDGE_STAGE_TERMS_LIST(X)                       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock) \
    X(double, delay)                                    \
    SEDGE_TERMS_LIST(X)
#else
#define SEDGE_TERMS_LIST(X)
#define SEDGE_STAGE_TERMS_LIST(X)
#endif
