// The energy of a term's memory (src/dg/term_kind.h, energy), which is added to that of the fields
// (dg_monitor.h). Types of dg_layout.h. The code does not depend on the term: a kernel is launched
// for each term whose memory has energy.
#pragma once

// energy [SIMD batches][SEDGE_LANES] += 1/2 J sum_k weights_k w_k^T M w_k in fp64.
//
//   w               [places][components][SEDGE_NODES_PADDED]
//   mass            [nodes][nodes]
//   half_jacobian   [slots] J / 2, 0 in curved elements
//   material        [slots] volume groups
//   places          [SIMD batches] the batch's place in w, or -1 where it does not have the term
//   memory_weights  [volume groups][components]
#define SEDGE_MEMORY_ENERGY_LIST(X)                              \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)         \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, energy)               \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, mass)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, half_jacobian)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)          \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)            \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, memory_weights) \
    X(sedge_int64, components)                                   \
    X(sedge_int64, values)

// w_n (M w)_n of each component, weighted and summed over the nodes of one item, of the batch at
// `place`: a lane each. As add_node_energy of dg_monitor.h.
SEDGE_FUNCTION void add_memory_energy(double *sum, const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w,
                                      sedge_int64 batch, sedge_int64 place, int first,
                                      const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT mass,
                                      const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                      const SEDGE_GLOBAL double *SEDGE_RESTRICT memory_weights,
                                      sedge_int64 components)
{
    for (sedge_int64 c = 0; c < components; c++) {
        const SEDGE_GLOBAL sedge_value *const of =
            w + (place * components + c) * SEDGE_NODES_PADDED;
        sedge_value row[SEDGE_ENERGY_TILE];
        SEDGE_EACH (k, SEDGE_ENERGY_TILE) row[k] = SEDGE_SPLAT(0.0);
        for (int m = 0; m < SEDGE_NODES; m++)
            SEDGE_EACH (k, SEDGE_ENERGY_TILE)
                row[k] += mass[m * SEDGE_NODES + SEDGE_ENERGY_NODE(first, k)] * of[m];
        SEDGE_LANES_LOOP (l) {
            const double weight =
                memory_weights[material[batch * SEDGE_LANES + l] * components + c];
            SEDGE_EACH (k, SEDGE_ENERGY_TILE) {
                const int n = first + k * SEDGE_ENERGY_ROWS;
                if (n < SEDGE_NODES)
                    sum[l] += weight * (double)SEDGE_LANE(of[n], l) * (double)SEDGE_LANE(row[k], l);
            }
        }
    }
}

SEDGE_KERNEL(sedge_memory_energy, SEDGE_MONITOR_THREADS, SEDGE_MEMORY_ENERGY_LIST)
{
    SEDGE_OUTER (b) {
#if !SEDGE_TARGET_HOST
        SEDGE_SHARED(double, parts, SEDGE_MONITOR_THREADS);
        SEDGE_ITEMS_1D (item, SEDGE_ENERGY_EACH * SEDGE_ENERGY_ROWS, SEDGE_MONITOR_THREADS) {
            const sedge_int64 value = b * SEDGE_ENERGY_EACH + item / SEDGE_ENERGY_ROWS;
            double mine = 0.0;
            if (value < values && places[value] >= 0)
                add_memory_energy(&mine, w, value, places[value], item % SEDGE_ENERGY_ROWS, mass,
                                  material, memory_weights, components);
            parts[item] = mine;
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (e, SEDGE_ENERGY_EACH, SEDGE_MONITOR_THREADS) {
            const sedge_int64 value = b * SEDGE_ENERGY_EACH + e;
            double total = 0.0;
            for (int k = 0; k < SEDGE_ENERGY_ROWS; k++) total += parts[e * SEDGE_ENERGY_ROWS + k];
            if (value < values && places[value] >= 0) energy[value] += half_jacobian[value] * total;
        }
#else
        const sedge_int64 place = places[b];
        double total[SEDGE_LANES] = {0.0};
        for (int n = 0; n < SEDGE_NODES && place >= 0; n++)
            add_memory_energy(total, w, b, place, n, mass, material, memory_weights, components);
        SEDGE_LANES_LOOP (l)
            energy[b * SEDGE_LANES + l] += half_jacobian[b * SEDGE_LANES + l] * total[l];
        (void)values;
#endif
    }
}

#ifdef SEDGE_CURVED_POINTS
// The same in curved elements, by the points of quadrature: 1/2 sum_k weights_k int J w_k^2. Of a
// covariant state w has the covariant components of vectors (dg_curved_energy.h).
#ifdef SEDGE_COVARIANT_STATE
#define SEDGE_MEMORY_TOGETHER 3
#else
#define SEDGE_MEMORY_TOGETHER 1
#endif

#define SEDGE_CURVED_MEMORY_ENERGY_LIST(X)                       \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)         \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, energy)               \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves)    \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)          \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)            \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, memory_weights) \
    X(sedge_int64, components)                                   \
    X(sedge_int64, first)                                        \
    X(sedge_int64, first_curve)                                  \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_curved_memory_energy, SEDGE_TRACE_THREADS, SEDGE_CURVED_MEMORY_ENERGY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + i + one;
            const sedge_int64 place = at < count ? places[first + at] : -1;
            double total[SEDGE_LANES] = {0.0};
            for (int q = 0; q < SEDGE_CURVED_POINTS && place >= 0; q++) {
                const double weight = (double)operators[SEDGE_CURVED_WEIGHTS + q];
                sedge_value g[9];
                const sedge_value jacobian = find_cofactors(
                    g, &curves[first_curve + at], operators + SEDGE_CURVED_PLACES + 3 * q);
                for (sedge_int64 k = 0; k < components; k += SEDGE_MEMORY_TOGETHER) {
                    sedge_value value[SEDGE_MEMORY_TOGETHER];
                    SEDGE_EACH (j, SEDGE_MEMORY_TOGETHER) {
                        value[j] = SEDGE_SPLAT(0.0);
                        for (int n = 0; n < SEDGE_NODES; n++)
                            value[j] +=
                                operators[SEDGE_CURVED_VALUES + n * SEDGE_CURVED_POINTS + q] *
                                w[(place * components + k + j) * SEDGE_NODES_PADDED + n];
                    }
#ifdef SEDGE_COVARIANT_STATE
                    from_covariant(value, g, jacobian);
#endif
                    SEDGE_LANES_LOOP (l) {
                        const SEDGE_GLOBAL double *const of =
                            memory_weights + material[(first + at) * SEDGE_LANES + l] * components +
                            k;
                        const double size = 0.5 * weight * (double)SEDGE_LANE(jacobian, l);
                        SEDGE_EACH (j, SEDGE_MEMORY_TOGETHER)
                            total[l] += size * of[j] * (double)SEDGE_LANE(value[j], l) *
                                        (double)SEDGE_LANE(value[j], l);
                    }
                }
            }
            SEDGE_LANES_LOOP (l) {
                if (place >= 0) energy[(first + at) * SEDGE_LANES + l] += total[l];
            }
        }
    }
}
#endif
