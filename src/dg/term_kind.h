// A kind of term: a local law that adds to du/dt at each node of some volume groups, with or
// without memory of its own. Memory is further unknowns w at the node with an equation of their
// own, such as the polarisation of a dispersive medium:
//
//   du/dt = -div F(u) + S(u) + s(u, w, t),    dw/dt = q(u, w, t)
//
// s and q depend on the values at the same node only, not on derivatives or neighbours. Memory is
// zero at the start of a run, takes part in each stage of the integrator, and is in checkpoints.
//
// A kind's file is NAME_term.c (src/kinds/README.md). In the deck it is an entry of a volume group,
// materials.GROUP.NAME: {parameters}, at most one of each kind in a group. A kind with poles takes
// a list of such mappings, too: each is a pole, with parameters and memory of its own, and what
// they add to du/dt is summed.
#pragma once

#include "dg/equation.h"

#include <stdbool.h>

#define SEDGE_MAX_MEMORY 64  // components of the memory of one pole at a node
#define SEDGE_MAX_POLES  100 // poles of a kind in a volume group
#define SEDGE_TERM_NAME  64  // bytes of a term's name with the 0 at its end

// Entries are required unless their comment says "optional". sedge_equation_check names a missing
// one.
typedef struct sedge_term_kind {
    const char *name;     // in the deck, and of the memory in checkpoints: "debye"
    const char *equation; // its name; an equation with time
    const char *text;     // what it is, for input/keys.md
    const sedge_parameter
        *parameters; // may be an empty list; no signals, whose functions take fp64
    int parameter_count;
    // Optional: how many poles a group may have, at most SEDGE_MAX_POLES; 0: the deck's entry is
    // one mapping.
    int poles;
    int memory; // components of w of one pole: 0..SEDGE_MAX_MEMORY

    // The function in the header, "debye_local", in the words of dg/physics.h:
    //   void <function>(const sedge_value *u, const sedge_value *w, const sedge_value *m,
    //                   const sedge_value *p, const double *c, double t, sedge_value *du,
    //                   sedge_value *dw)
    // It is called for each pole, with that pole's w and p.
    // Sets du [fields], what the term adds to du/dt, and dw [memory], which is dw/dt, at one node
    // and the time t. m are the group's material values, p the term's parameters there in code
    // units, c the equation's constants. On the host the lanes of a SIMD batch are elements, which
    // may lie in groups with different m and p, or empty: then u and w begin at 0.
    const char *function;
    const char *header;      // the header's name: "debye_term.h"
    const char *header_text; // its text: sedge_text_debye_term_h
    void (*local)(const double *u, const double *w, const double *m, const double *p,
                  const double *c, double t, double *du, double *dw); // the same, for the reference

    // Optional, of a term that is a matrix, in place of `function` and `local`, which are NULL
    // then, as is `rate`: the time derivatives at a node are multiplied by a constant matrix, as in
    // an anisotropic medium. It acts on all that the equation, point sources and the terms without
    // `drive` add to du/dt. With W, the energy's weights, W^(1/2) M W^(-1/2) is symmetric and its
    // eigenvalues lie in (0, 1]: then the equation's time step is stable, and the energy density is
    // 1/2 u W M^-1 u. The term has no memory and is linear. In the header:
    //   void <multiply>(const sedge_value *p, sedge_value *du)
    const char *multiply;
    void (*multiply_local)(const double *p, double *du); // the same, for the reference

    // Optional, of a term that decks do not name: the law of the material's key of this name where
    // the deck gives it a symmetric tensor t = xx, yy, zz, yz, zx, xy in place of one number
    // (sedge_parameter.tensor). Sets the parameters p, and the number that the equation gets.
    const char *tensor;
    void (*from_tensor)(const double t[6], double *p, double *number);

    // Optional, of a term that decks do not name: it is in the elements of a perfectly matched
    // layer along this many axes, 1 to 3, or in a radial one, 4 (sedge_layer_kind). Its parameters
    // are five numbers: sigma, alpha, and a unit vector: of a layer along one axis this axis, along
    // two axes the third one, else zero. A term of radial layers has the frame of the layer at the
    // node (sedge_mesh_layer_frame) as the last SEDGE_LAYER_FRAME components of w: they are no
    // unknowns, and the function leaves them out of dw.
    int layer;

    // Optional, of a term with `layer` along axes: it is for layers in which no other term and no
    // source of the equation acts, and needs less memory there than the one without this flag.
    bool lossless;

    // Optional, of a term that changes what the fields at the node mean to the other laws there, as
    // an absorbing layer does: what the equation's source and all terms without such a function get
    // in place of u. In the header, "pml_face_drive":
    //   void <drive>(const sedge_value *w, const sedge_value *p, sedge_value *u)
    // Adds to u [fields], at first the fields at the node. A group has one such term at most.
    const char *drive;
    void (*drive_local)(const double *w, const double *p, double *u); // the same, for the reference

    // The largest rate of decay (1/time) that one pole adds, for the time step; >= 0. Those of a
    // group's poles and terms are summed.
    double (*rate)(const double *m, const double *p);
    // Optional: the largest angular frequency at which one pole swings with the fields; >= 0. The
    // squares of those of a group are summed: poles that drive the same field without loss swing at
    // most as fast as the root of that. The part in a rate is the integrator's `oscillation`.
    double (*oscillation)(const double *m, const double *p);
    // Optional: the term is passive. It adds no energy to that of the fields and its memory
    // together; the energy density of one pole's memory is 1/2 sum_k weights_k w_k^2. Sets weights
    // [memory], each >= 0.
    void (*energy)(const double *m, const double *p, double *weights);
    // Optional, of a linear term: 1 + f where the law couples component i of the three fields f, f
    // + 1, f + 2 with w[i], w[3 + i], .. of each pole alone, alike for all three. Where such poles
    // are stiff, the run may solve them by an exponential update (dg/exponential.h). Predictions of
    // ADER's steps have fewer operations where all terms are of such kinds.
    int field_triple;
    // Optional, of a linear term: it adds relaxations, which leave a medium's response at all
    // frequencies a real part above 0. Then edges and corners of perfectly matched layers need no
    // more than sides do.
    bool relaxes;
    // Optional: du and dw are linear in (u, w) together, of w only the unknowns, and do not depend
    // explicitly on t. Then coefficients of any basis may be used in place of nodal values, unless
    // w ends with a frame.
    bool linear;
} sedge_term_kind;

// All kinds that the program has; ends with NULL. Made by sedge_kinds (solvers/CMakeLists.txt).
extern const sedge_term_kind *const sedge_term_kinds[];

// List the term kinds of an equation, in the order of sedge_term_kinds: those that decks name, or
// with `all` those of layers and of tensors, too. Returns their number, which may exceed
// SEDGE_MAX_KINDS; `kinds` gets the first SEDGE_MAX_KINDS.
int sedge_term_kinds_of(const sedge_term_kind *kinds[SEDGE_MAX_KINDS],
                        const sedge_equation *equation, bool all);
