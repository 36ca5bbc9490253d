// The energy of curved elements, by quadrature of the polynomials through the nodal values of the
// fields, or of their covariant components where these are the state. Behind dg_curved.h,
// dg_covariant.h or dg_covariant_state.h, which say where V, the points and their weights are among
// the operators: SEDGE_CURVED_VALUES, SEDGE_CURVED_PLACES, SEDGE_CURVED_WEIGHTS.
#pragma once

// energy [values][SEDGE_LANES] of the curved values: 1/2 sum_f w_f int J u_f^2, by the points.
#define SEDGE_CURVED_ENERGY_LIST(X)                              \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)         \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, energy)               \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves)    \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)          \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, energy_weights) \
    X(sedge_int64, first)                                        \
    X(sedge_int64, first_curve)                                  \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_curved_energy, SEDGE_TRACE_THREADS, SEDGE_CURVED_ENERGY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 k = b * SEDGE_TRACE_THREADS + i + one;
            if (k < count) {
                double total[SEDGE_LANES] = {0.0};
                for (int q = 0; q < SEDGE_CURVED_POINTS; q++) {
                    const sedge_real weight = operators[SEDGE_CURVED_WEIGHTS + q];
                    sedge_value g[9];
                    const sedge_value jacobian = find_cofactors(
                        g, &curves[first_curve + k], operators + SEDGE_CURVED_PLACES + 3 * q);
                    sedge_value at[SEDGE_FIELDS];
                    SEDGE_EACH (f, SEDGE_FIELDS) at[f] = SEDGE_SPLAT(0.0);
                    for (int n = 0; n < SEDGE_NODES; n++) {
                        const sedge_real v =
                            operators[SEDGE_CURVED_VALUES + n * SEDGE_CURVED_POINTS + q];
                        SEDGE_EACH (f, SEDGE_FIELDS)
                            at[f] += v * u[(first + k) * SEDGE_NODES_PADDED + n].f[f];
                    }
#ifdef SEDGE_COVARIANT_STATE
                    SEDGE_EACH (f, SEDGE_FIELDS / 3) from_covariant(at + 3 * f, g, jacobian);
#endif
                    SEDGE_LANES_LOOP (l) {
#if !SEDGE_ONE_VOLUME
                        const SEDGE_GLOBAL double *const w =
                            energy_weights +
                            material[(first + k) * SEDGE_LANES + l] * SEDGE_ENERGY_WEIGHTS;
#else
                        const SEDGE_GLOBAL double *const w = energy_weights;
#endif
                        const double size = (double)weight * (double)SEDGE_LANE(jacobian, l);
#ifdef SEDGE_ENERGY_MATRIX
                        SEDGE_EACH (f, SEDGE_FIELDS)
                            SEDGE_EACH (h, SEDGE_FIELDS)
                                total[l] += 0.5 * size * w[f * SEDGE_FIELDS + h] *
                                            (double)SEDGE_LANE(at[f], l) *
                                            (double)SEDGE_LANE(at[h], l);
#else
                        SEDGE_EACH (f, SEDGE_FIELDS)
                            total[l] += 0.5 * size * w[f] * (double)SEDGE_LANE(at[f], l) *
                                        (double)SEDGE_LANE(at[f], l);
#endif
                    }
                }
                SEDGE_LANES_LOOP (l) energy[(first + k) * SEDGE_LANES + l] = total[l];
                (void)material;
            }
        }
    }
}
