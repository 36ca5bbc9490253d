// Seams: what a straight element finds behind a face where a curved element with a covariant state
// is. The kernel makes it before the stage, in trace slots behind all others. Only in programs with
// such states. Types of dg_layout.h.
#pragma once

// A face: the link to what is behind it, the slot that is filled, the number of its matrix.
typedef struct SEDGE_ALIGN(8) sedge_seam {
    sedge_link from;
    int slot;
    int matrix;
} sedge_seam;

// trace     all trace slots: those of other ranks are read, those of seams are written
// seams     [faces]
// matrices  [3][3] of each: covariant components behind the face to the vector along it that has
//           them
#define SEDGE_SEAMS_LIST(X)                                    \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)       \
    X(SEDGE_GLOBAL sedge_point *, trace)                       \
    X(const SEDGE_GLOBAL sedge_seam *SEDGE_RESTRICT, seams)    \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, matrices) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)        \
    X(sedge_int64, points)

SEDGE_KERNEL(sedge_seams, SEDGE_TRACE_THREADS, SEDGE_SEAMS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k + one;
            if (at < points) {
                const sedge_seam seam = seams[at / SEDGE_FACE_NODES];
                const int i = (int)(at % SEDGE_FACE_NODES);
                sedge_point behind = get_linked(u, trace, seam.from, i, tables);
                take_behind(&behind, matrices + 9 * (sedge_int64)seam.matrix);
                trace[(sedge_int64)seam.slot * SEDGE_FACE_NODES + i] = behind;
            }
        }
    }
}
