// What kernels beside the stage share: the size of their blocks, traces of elements, and the
// nodes and weights of energies. Types of dg_layout.h.
#pragma once

#define SEDGE_TRACE_THREADS   128
#define SEDGE_MONITOR_THREADS 128

// The trace of an element at one of its nodes.
SEDGE_FUNCTION sedge_point get_trace(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u, int slot,
                                     int node)
{
    const SEDGE_GLOBAL sedge_state *const p =
        u + (sedge_int64)(slot / SEDGE_LANES) * SEDGE_NODES_PADDED + node;
    sedge_point trace;

    SEDGE_EACH (f, SEDGE_FIELDS) trace.f[f] = SEDGE_LANE(p->f[f], slot % SEDGE_LANES);
    return trace;
}

// What is behind a link at point i of the own face.
SEDGE_FUNCTION sedge_point get_linked(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                      const SEDGE_GLOBAL sedge_point *trace, const sedge_link link,
                                      int i, const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    if (link.neighbour >= 0)
        return get_trace(u, link.neighbour, tables[(4 + link.code) * SEDGE_FACE_NODES + i]);
    return trace[(sedge_int64)(-1 - link.neighbour) * SEDGE_FACE_NODES +
                 tables[(28 + link.code) * SEDGE_FACE_NODES + i]];
}

// A block has SEDGE_ENERGY_EACH values, each of them SEDGE_ENERGY_ROWS items (operator/shapes.h).
// The k-th node of an item; where it has fewer, any one, which is not counted.
#if SEDGE_ENERGY_TILE > 1
#define SEDGE_ENERGY_NODE(first, k) \
    ((first) + (k)*SEDGE_ENERGY_ROWS < SEDGE_NODES ? (first) + (k)*SEDGE_ENERGY_ROWS : (first))
#else
#define SEDGE_ENERGY_NODE(first, k) (first)
#endif

// Weights of a material's energy: of each field, or of each pair of fields.
#ifdef SEDGE_ENERGY_MATRIX
#define SEDGE_ENERGY_WEIGHTS (SEDGE_FIELDS * SEDGE_FIELDS)
#else
#define SEDGE_ENERGY_WEIGHTS SEDGE_FIELDS
#endif
