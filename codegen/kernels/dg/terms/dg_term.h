// A term (src/dg/term_kind.h) at SEDGE_TERM_NODES nodes from n on: what it adds to du/dt there, and
// a stage of its memory w. Types of dg_layout.h. A program has this code once for each term, each
// time behind other constants:
//
//   SEDGE_TERM             the name of the function made here, add_term_0 for the first term
//   SEDGE_TERM_LOCAL       the function that sets du and dw
//   SEDGE_TERM_POLES       poles of the term
//   SEDGE_TERM_MEMORY      components of w of a pole
//   SEDGE_TERM_UNKNOWNS    the first of them, which change; the others are constants at the node
//   SEDGE_TERM_PARAMETERS  numbers p of a pole in a volume group
//   SEDGE_TERM_DRIVE, SEDGE_TERM_DRIVE_LOCAL  optional: the name of a second function made here,
//                          drive_term_0, and the function that adds to what other terms get as u
//   SEDGE_TERM_MULTIPLY, SEDGE_TERM_MULTIPLY_LOCAL  in place of SEDGE_TERM and SEDGE_TERM_LOCAL, of
//                          a term that multiplies du/dt: the name of the function made here,
//                          multiply_term_0, and the function that multiplies
//   SEDGE_TERM_PREDICT, SEDGE_TERM_PREDICT_DRIVE  optional: names of functions for dg_predict.h
//
// With u and w before the stage, for each pole:
//
//   rate += du,  w_residual = a r + dt dw,  w_next = w + b w_residual
//
// with r as in sedge_substep. Where `back` is not 0, w_next is written to w. Constants
// stay as they are in both.
//
// In a program of predictions (SEDGE_TERM_PREDICT) curved elements call this with b = 0: w is a
// bracket of a prediction, or the mean, and stays. Then w_residual = a r + dt dw with r the memory
// before the step, which is in w_next, or without w_next in w_residual.
//
//   places  [SIMD batches] the batch's place in w, or -1 where it does not have the term
//   w, w_next, w_residual  [places][SEDGE_TERM_POLES][SEDGE_TERM_MEMORY][SEDGE_NODES_PADDED]
//   material       [slots] volume groups
//   parameters     [volume groups][SEDGE_TERM_POLES][SEDGE_TERM_PARAMETERS]
#ifdef SEDGE_TERM
SEDGE_FUNCTION void SEDGE_TERM(sedge_value *rate, const sedge_value *own, sedge_int64 batch, int n,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                               const sedge_substep rk, double t,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT places,
                               SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w,
                               SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w_next,
                               SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w_residual,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT parameters)
{
    const int place = places[batch];
#ifdef SEDGE_TERM_PREDICT
    const SEDGE_GLOBAL sedge_value *const carried = w_next != 0 ? w_next : w_residual;
#else
    SEDGE_GLOBAL sedge_value *const to = rk.back != 0 ? w : w_next;
    const SEDGE_GLOBAL sedge_value *const carried = rk.c != SEDGE_R(0.0) ? w_next : w_residual;
#endif

    if (place >= 0) {
        const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
        sedge_value du[SEDGE_FIELDS];
        sedge_value m[SEDGE_MATERIAL_VALUES + 1];
        sedge_value p[SEDGE_TERM_PARAMETERS + 1];

        get_material(m, material, materials, batch);
        SEDGE_EACH (pole, SEDGE_TERM_POLES) {
            const sedge_int64 at = ((sedge_int64)place * SEDGE_TERM_POLES + pole) *
                                       (SEDGE_TERM_MEMORY * SEDGE_NODES_PADDED) +
                                   n;
            sedge_memory memory[SEDGE_TERM_MEMORY + 1];
            sedge_memory change[SEDGE_TERM_MEMORY + 1];
            // All loads before the first store: they are on their way together.
            SEDGE_EACH (k, SEDGE_TERM_MEMORY)
                memory[k] = *(const SEDGE_GLOBAL sedge_memory *)(w + at + k * SEDGE_NODES_PADDED);
            SEDGE_EACH (k, SEDGE_TERM_UNKNOWNS) {
                SEDGE_EACH (i, SEDGE_TERM_NODES) change[k].v[i] = SEDGE_SPLAT(SEDGE_R(0.0));
                if (rk.a != SEDGE_R(0.0))
                    change[k] =
                        *(const SEDGE_GLOBAL sedge_memory *)(carried + at + k * SEDGE_NODES_PADDED);
            }
            SEDGE_LANES_LOOP (l) {
                const int row = material[batch * SEDGE_LANES + l] * SEDGE_TERM_POLES + pole;
                SEDGE_EACH (k, SEDGE_TERM_PARAMETERS)
                    SEDGE_LANE(p[k], l) = parameters[row * SEDGE_TERM_PARAMETERS + k];
                (void)row;
            }
            SEDGE_EACH (i, SEDGE_TERM_NODES) {
                sedge_value w_here[SEDGE_TERM_MEMORY + 1];
                sedge_value dw[SEDGE_TERM_MEMORY + 1];

                SEDGE_EACH (k, SEDGE_TERM_MEMORY) w_here[k] = memory[k].v[i];
                SEDGE_TERM_LOCAL(own + i * SEDGE_FIELDS, w_here, m, p, constants, t, du, dw);
                SEDGE_EACH (f, SEDGE_FIELDS)
                    rate[i * SEDGE_FIELDS + f] = rate[i * SEDGE_FIELDS + f] + du[f];
                SEDGE_EACH (k, SEDGE_TERM_UNKNOWNS)
                    change[k].v[i] = carry(rk, w_here[k], change[k].v[i]) + rk.dt * dw[k];
            }
            SEDGE_EACH (k, SEDGE_TERM_UNKNOWNS) {
                const sedge_int64 word = at + k * SEDGE_NODES_PADDED;
                if (rk.keep != 0) *(SEDGE_GLOBAL sedge_memory *)(w_residual + word) = change[k];
#ifndef SEDGE_TERM_PREDICT
                SEDGE_EACH (i, SEDGE_TERM_NODES)
                    memory[k].v[i] = memory[k].v[i] + rk.b * change[k].v[i];
                *(SEDGE_GLOBAL sedge_memory *)(to + word) = memory[k];
#endif
            }
        }
    }
}
#endif

#ifdef SEDGE_TERM_MULTIPLY
// rate = the term's matrix times rate.
SEDGE_FUNCTION void SEDGE_TERM_MULTIPLY(sedge_value *rate, sedge_int64 batch,
                                        const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                        const SEDGE_GLOBAL int *SEDGE_RESTRICT places,
                                        const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT parameters)
{
    if (places[batch] >= 0) {
        sedge_value p[SEDGE_TERM_PARAMETERS + 1];

        SEDGE_LANES_LOOP (l) {
            const int group = material[batch * SEDGE_LANES + l];
            SEDGE_EACH (k, SEDGE_TERM_PARAMETERS)
                SEDGE_LANE(p[k], l) = parameters[group * SEDGE_TERM_PARAMETERS + k];
            (void)group;
        }
        SEDGE_TERM_MULTIPLY_LOCAL(p, rate);
    }
}
#endif

#ifdef SEDGE_TERM_DRIVE
// u += what the other terms at node n see more than the fields, from the memory before the stage.
SEDGE_FUNCTION void SEDGE_TERM_DRIVE(sedge_value *u, sedge_int64 batch, int n,
                                     const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                     const SEDGE_GLOBAL int *SEDGE_RESTRICT places,
                                     const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT parameters)
{
    const int place = places[batch];

    if (place >= 0) {
        const sedge_int64 at = (sedge_int64)place * SEDGE_TERM_MEMORY * SEDGE_NODES_PADDED + n;
        sedge_value memory[SEDGE_TERM_MEMORY + 1];
        sedge_value p[SEDGE_TERM_PARAMETERS + 1];

        SEDGE_EACH (k, SEDGE_TERM_MEMORY) memory[k] = w[at + k * SEDGE_NODES_PADDED];
        SEDGE_LANES_LOOP (l) {
            const int group = material[batch * SEDGE_LANES + l];
            SEDGE_EACH (k, SEDGE_TERM_PARAMETERS)
                SEDGE_LANE(p[k], l) = parameters[group * SEDGE_TERM_PARAMETERS + k];
            (void)group;
        }
        SEDGE_TERM_DRIVE_LOCAL(memory, p, u);
    }
}
#endif

#ifdef SEDGE_TERM_PREDICT
// The term in L (dg_predict.h): rate += du, or rate = du where the program has no other term, and
// the memory w [poles][components] becomes dw; m has the material's values, p the parameters of all
// poles.
SEDGE_FUNCTION void SEDGE_TERM_PREDICT(sedge_value *rate, const sedge_value *own, sedge_value *w,
                                       const sedge_value *m, const sedge_value *p)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value du[SEDGE_FIELDS];
    sedge_value dw[SEDGE_TERM_MEMORY + 1];

    SEDGE_EACH (pole, SEDGE_TERM_POLES) {
        SEDGE_TERM_LOCAL(own, w + pole * SEDGE_TERM_MEMORY, m, p + pole * SEDGE_TERM_PARAMETERS,
                         constants, 0.0, du, dw);
        SEDGE_EACH (f, SEDGE_FIELDS)
            rate[f] = SEDGE_TERMS_ALONE && pole == 0 ? du[f] : rate[f] + du[f];
        SEDGE_EACH (k, SEDGE_TERM_MEMORY)
            w[pole * SEDGE_TERM_MEMORY + k] =
                k < SEDGE_TERM_UNKNOWNS ? dw[k] : SEDGE_SPLAT(SEDGE_R(0.0));
    }
}
#endif

#ifdef SEDGE_TERM_PREDICT_DRIVE
// As SEDGE_TERM_DRIVE, with the memory w.
SEDGE_FUNCTION void SEDGE_TERM_PREDICT_DRIVE(sedge_value *u, const sedge_value *w,
                                             const sedge_value *p)
{
    SEDGE_TERM_DRIVE_LOCAL(w, p, u);
}
#endif
