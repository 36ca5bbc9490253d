// The energy of the memory of boundary faces (src/dg/equation.h, sedge_boundary_kind.energy), which
// is added to that of the fields (dg_monitor.h). Behind dg_face_memory.h.
#pragma once

// energy [slots] += 1/2 sum_k weights_k w_k^T R M R w_k in fp64, over an element's faces with
// memory. M is the face's mass matrix, R has the square roots of the surface Jacobian at the nodes.
//
//   memory          [rows][SEDGE_FACE_MEMORY][SEDGE_FACE_NODES]
//   face_mass       [SEDGE_FACE_NODES][SEDGE_FACE_NODES]
//   roots           [rows][SEDGE_FACE_NODES] the diagonals of R
//   owners          [elements][3] the element's slot; its first face in `faces`, and the one behind
//                   its last
//   faces           [rows][2] the face's row; its surface
//   face_weights    [surfaces][SEDGE_FACE_MEMORY]
//   elements        that have faces with memory
#define SEDGE_FACE_ENERGY_LIST(X)                              \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, memory)   \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, energy)             \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, face_mass)    \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, roots)        \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, owners)          \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, faces)           \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, face_weights) \
    X(sedge_int64, elements)

// Of one face: w R M R w of each component, weighted and summed.
SEDGE_FUNCTION double find_face_energy(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT w,
                                       const SEDGE_GLOBAL double *SEDGE_RESTRICT root,
                                       const SEDGE_GLOBAL double *SEDGE_RESTRICT face_mass,
                                       const SEDGE_GLOBAL double *SEDGE_RESTRICT weight)
{
    double sum = 0.0;

    for (int k = 0; k < SEDGE_FACE_MEMORY; k++) {
        if (weight[k] <= 0.0) continue; // behind the kind's own components
        for (int i = 0; i < SEDGE_FACE_NODES; i++) {
            double row = 0.0;
            for (int j = 0; j < SEDGE_FACE_NODES; j++)
                row += face_mass[i * SEDGE_FACE_NODES + j] * root[j] *
                       (double)w[k * SEDGE_FACE_NODES + j];
            sum += weight[k] * root[i] * (double)w[k * SEDGE_FACE_NODES + i] * row;
        }
    }
    return sum;
}

SEDGE_KERNEL(sedge_face_energy, SEDGE_TRACE_THREADS, SEDGE_FACE_ENERGY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + i + one;
            const int end = at < elements ? owners[3 * at + 2] : 0;
            double total = 0.0;
            for (int f = at < elements ? owners[3 * at + 1] : 0; f < end; f++) {
                const sedge_int64 row = faces[2 * f];
                const int surface = faces[2 * f + 1];
                total += find_face_energy(memory + row * SEDGE_FACE_MEMORY * SEDGE_FACE_NODES,
                                          roots + row * SEDGE_FACE_NODES, face_mass,
                                          face_weights + surface * SEDGE_FACE_MEMORY);
            }
            if (at < elements) energy[owners[3 * at]] += 0.5 * total;
        }
    }
}
