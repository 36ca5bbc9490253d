// What the steps of an integrator cost: measured numbers, by which a run chooses between
// Runge-Kutta methods and ADER with local time steps (session/integrator_choice.h).
// benchmarks/MEASUREMENTS.md has the measurements.
#pragma once

#include "time/integrator.h"

// What decides how long a stage takes for an element, beside the order.
typedef enum sedge_pass_kind {
    SEDGE_PASS_PLAIN,           // straight, without terms
    SEDGE_PASS_TERMS,           // straight, with terms, such as those of a layer
    SEDGE_PASS_NODAL,           // straight, without terms, of a Runge-Kutta method whose stages are
                                // nodal: where some elements have terms that differ from node to
                                // node
    SEDGE_PASS_NODES,           // straight, with such terms
    SEDGE_PASS_COVARIANT,       // curved, with covariant components as state
    SEDGE_PASS_COVARIANT_TERMS, // the same with terms or a source
    SEDGE_PASS_CURVED,          // curved, with fields as state
    SEDGE_PASS_KINDS
} sedge_pass_kind;

// The time that one stage takes for an element, by that of a plain element's stage at the same
// order. With a predictor: that of a whole step, prediction included. words: components of its
// terms' memory at a node.
double sedge_pass_cost(const sedge_integrator *integrator, int order, sedge_pass_kind kind,
                       int words);

// The time that a face between levels of local time steps takes in a step of the higher level, in
// the same unit: its traces, and its part of the means over half of that step.
double sedge_pass_face(int order);

// The least time of one stage however few its elements are, in times of one small launch. With a
// predictor: that of a tick, the shortest step of any element. `curved`: some elements are curved.
double sedge_pass_launches(const sedge_integrator *integrator, bool curved);

// How many times more work ADER needs than the better Runge-Kutta method, at equal cost of a mesh
// and its simulated time, for waves to have an error of 1e-2 after so many wavelengths: ADER's
// errors fall with fewer powers of the elements' size, so that it needs a finer mesh. Below 1 where
// it needs a coarser one. It grows without bound with the wavelengths.
double sedge_predictor_penalty(int order, double wavelengths);
