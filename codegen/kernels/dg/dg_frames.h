// At the nodes of boundary faces, between the numbers of a curved element's covariant state and the
// fields that conditions get. Before dg_trace.h; in programs without such states
// (SEDGE_COVARIANT_STATE) nothing is done. Types of dg_layout.h.
//
//   frame_rows [boundary faces] of this launch: rows of `frames`; -1: the element is straight, or
//              the condition leaves vectors whole
//   frames     [rows][face nodes][SEDGE_FRAME_WORDS]: tangents dx_d/dr_j at 3 j + d, unit normal
#pragma once

#define SEDGE_FRAME_WORDS 12

#if SEDGE_COVARIANT_STATE
#define SEDGE_FRAME_LIST(X)                               \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, frame_rows) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, frames)

// The frame at point `at` of the launch's faces, or nothing: then the result is 0.
SEDGE_FUNCTION int get_frame(sedge_real *frame, sedge_int64 at,
                             const SEDGE_GLOBAL int *SEDGE_RESTRICT frame_rows,
                             const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT frames)
{
    const int row = frame_rows[at / SEDGE_FACE_NODES];

    for (int i = 0; i < SEDGE_FRAME_WORDS && row >= 0; i++)
        frame[i] = frames[((sedge_int64)row * SEDGE_FACE_NODES + at % SEDGE_FACE_NODES) *
                              SEDGE_FRAME_WORDS +
                          i];
    return row >= 0;
}

// Fields of covariant components, and back.
SEDGE_FUNCTION void take_fields(sedge_point *u, const sedge_real *x)
{
    sedge_real g[9];

    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++)
            g[3 * j + d] = x[(j + 1) % 3 * 3 + (d + 1) % 3] * x[(j + 2) % 3 * 3 + (d + 2) % 3] -
                           x[(j + 1) % 3 * 3 + (d + 2) % 3] * x[(j + 2) % 3 * 3 + (d + 1) % 3];
    const sedge_real inverse = SEDGE_R(1.0) / (x[0] * g[0] + x[1] * g[1] + x[2] * g[2]);
    for (int f = 0; f < SEDGE_FIELDS; f += 3) {
        const sedge_real e[3] = {u->f[f], u->f[f + 1], u->f[f + 2]};
        for (int d = 0; d < 3; d++)
            u->f[f + d] = inverse * (g[d] * e[0] + g[3 + d] * e[1] + g[6 + d] * e[2]);
    }
}

SEDGE_FUNCTION void take_components(sedge_point *u, const sedge_real *x)
{
    for (int f = 0; f < SEDGE_FIELDS; f += 3) {
        const sedge_real v[3] = {u->f[f], u->f[f + 1], u->f[f + 2]};
        for (int j = 0; j < 3; j++)
            u->f[f + j] = x[3 * j] * v[0] + x[3 * j + 1] * v[1] + x[3 * j + 2] * v[2];
    }
}

// A matrix [3][3] times each vector of what is behind a face.
SEDGE_FUNCTION void take_behind(sedge_point *u, const SEDGE_GLOBAL sedge_real *matrix)
{
    for (int f = 0; f < SEDGE_FIELDS; f += 3) {
        const sedge_real v[3] = {u->f[f], u->f[f + 1], u->f[f + 2]};
        for (int d = 0; d < 3; d++)
            u->f[f + d] =
                matrix[3 * d] * v[0] + matrix[3 * d + 1] * v[1] + matrix[3 * d + 2] * v[2];
    }
}

// In front of a condition at point `at`: own state to fields, n the normal there.
#define SEDGE_ENTER_FRAME(at)                                       \
    sedge_real frame[SEDGE_FRAME_WORDS];                            \
    const int has_frame = get_frame(frame, at, frame_rows, frames); \
    if (has_frame)                                                  \
        for (int j = 0; j < 3; j++) n[j] = frame[9 + j];
#define SEDGE_TO_FIELDS(u) \
    if (has_frame) take_fields(u, frame);
#define SEDGE_FROM_FIELDS(u) \
    if (has_frame) take_components(u, frame);
// Whether a face's numbers must become nodal values, and back: conditions that commute with that
// get coefficients, unless they need fields.
#define SEDGE_NODAL_FACE(face) (!SEDGE_LINEAR_FACES || frame_rows[face] >= 0)
#else
#define SEDGE_FRAME_LIST(X)
#define SEDGE_ENTER_FRAME(at)
#define SEDGE_TO_FIELDS(u)
#define SEDGE_FROM_FIELDS(u)
#define SEDGE_NODAL_FACE(face) 1
#endif
