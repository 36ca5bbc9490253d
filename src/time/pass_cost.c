#include "pass_cost.h"

#include <math.h>

// fp32, NVIDIA H200, orders 1 to 8, by a plain element's stage; benchmarks/MEASUREMENTS.md:
// A plain element's prediction over the stage of the same run, "Other predictions by the tuner".
// All other parts here are of a stage that reads residuals. One that finds them takes 2 to 5 %
// less, which ADER's does not: the sums of a step, over that, are these within 1 %.
static const double predictions[] = {0.57, 0.57, 0.53, 0.53, 0.49, 0.48, 0.53, 0.63};

// A curved element's stage, "Products in place", the mean of both meshes; orders 5, 7 and 8 by
// "Products by orbits"; over a plain one's since then, "What the L2 cache is asked for"; order 1 by
// "Covariant components as the state". All of such a state by "Even and odd parts": the mean of a
// mesh with straight elements and one without.
static const double curved_stages[] = {6.1, 4.5, 4.6, 4.6, 5.5, 4.9, 4.6, 5.3};
static const double covariant_stages[] = {5.6, 2.6, 2.3, 2.3, 2.7, 3.2, 2.9, 3.1};

// The prediction of such an element without terms, over its stage: orders 2, 3, 4 and 6 by the
// table of 04798762 in "A linear metric", the seconds of each over how often an element is
// predicted and staged in a step of the coarsest level, 57 974 and 50 365 times. Others as the
// nearest.
static const double covariant_predictions[] = {0.60, 0.60, 0.71, 0.74, 0.74, 0.72, 0.72, 0.72};

// Others predict by passes of the stage's kernel, each with a copy of the state: a stage; and where
// Q is, by a product. "Predictions of curved elements", order 4.
#define DAMPING 1.4

// A stage of an element of a layer, "What the L2 cache is asked for". With a predictor it is that
// of a plain element, for what terms do belongs to the prediction. Predictions, over a plain stage:
// "More stages find residuals in double precision".
#define TERMS_STAGE 1.3
static const double terms_predictions[] = {1.09, 1.13, 1.20, 1.24, 1.30, 1.40, 1.75, 2.10};

// Where terms differ from node to node: Runge-Kutta methods have the nodal form, "NVIDIA H200" over
// "The stage in the Bernstein-Bezier basis", in boxes; with such terms over that, and predictions,
// "Layers around spheres"; those of orders 1, 7 and 8 continue the others.
static const double nodal_stages[] = {1.71, 1.91, 1.97, 2.46, 2.76, 3.26, 3.45, 4.90};
static const double nodes_predictions[] = {4.0, 6.7, 7.7, 9.9, 15.7, 20.3, 27.0, 35.0};
#define NODES_STAGE 1.9

// What each word of the terms' memory at a node adds: a box of 48 000 tetrahedra with 10, 24 and 48
// Lorentz poles of six words, order 3, in units of a plain element's stage in a box of 355 914
// (src/kinds/README.md, "How to write a term"). A stage reads and writes them as it does fields.
// Predictions hold them in registers, which 24 poles fill: what follows is spilled.
#define STAGE_WORD      0.18
#define PREDICTION_WORD 0.22
#define SPILLED_WORD    1.28
enum {
    LAYER_WORDS = 6,   // of a layer, in the costs above
    RADIAL_WORDS = 14, // of one around a sphere
    HELD_WORDS = 144
};

// The traces of a face between levels over a plain stage, "Faces between levels"; orders 1, 5 and 6
// with another kernel there, times 0.84 by which this one is faster at order 4; 7 and 8: of order
// 6, by the nodes of a face over the stage's time there ("Items that keep their place").
// LEVEL_HALVES: elements for each such face that also predict the mean over half of their step.
static const double level_faces[] = {1.79, 1.85, 1.70, 1.54, 1.32, 1.16, 0.96, 0.84};
#define LEVEL_HALVES 0.85

enum { ORDERS = (int)(sizeof curved_stages / sizeof *curved_stages) };

// The row of an order; higher ones have the last.
static int row_of(int order)
{
    return order > ORDERS ? ORDERS - 1 : order - 1;
}

double sedge_pass_cost(const sedge_integrator *integrator, int order, sedge_pass_kind kind,
                       int words)
{
    const int row = row_of(order);
    const double more = fmax(words - LAYER_WORDS, 0.0);
    const double spilled = fmax(words - HELD_WORDS, 0.0);
    const double radial = fmax(words - RADIAL_WORDS, 0.0);
    const double nodal = nodal_stages[row] * NODES_STAGE + STAGE_WORD * radial;
    const double stage = integrator->predictor ? 1.0 : TERMS_STAGE + STAGE_WORD * more;
    const double spills = (SPILLED_WORD - PREDICTION_WORD) * spilled;
    const double curved = curved_stages[row] + STAGE_WORD * words;
    const double covariant = covariant_stages[row] + STAGE_WORD * words;
    const double passes = (order <= 2 ? 2.0 : 3.0) + (order >= 4 && order <= 8 ? DAMPING : 0.0);
    const double costs[SEDGE_PASS_KINDS][2] = {
        [SEDGE_PASS_PLAIN] = {1.0, predictions[row]},
        [SEDGE_PASS_TERMS] = {stage, terms_predictions[row] + PREDICTION_WORD * more + spills},
        [SEDGE_PASS_NODAL] = {integrator->predictor ? 1.0 : nodal_stages[row], predictions[row]},
        [SEDGE_PASS_NODES] = {integrator->predictor ? 1.0 : nodal,
                              nodes_predictions[row] + PREDICTION_WORD * radial + spills},
        [SEDGE_PASS_COVARIANT] = {covariant, covariant_predictions[row] * covariant},
        [SEDGE_PASS_COVARIANT_TERMS] = {covariant, passes * covariant},
        [SEDGE_PASS_CURVED] = {curved, passes * curved},
    };

    return costs[kind][0] + (integrator->predictor ? costs[kind][1] : 0.0);
}

double sedge_pass_face(int order)
{
    const int row = row_of(order);

    return level_faces[row] + LEVEL_HALVES * predictions[row];
}

double sedge_pass_launches(const sedge_integrator *integrator, bool curved)
{
    // "What `auto` takes": a stage with its traces takes 15 us beside its elements on an H200, 23
    // where some are curved; a tick, a chain of two or three times as many kernels, 9 to 25, and 70
    // where some are curved.
    if (curved) return integrator->predictor ? 14.0 : 4.8;
    return integrator->predictor ? 4.0 : 3.2;
}

// By eigenvalues: `benchmarks/schemes.py lengths`; benchmarks/MEASUREMENTS.md, "After 10 and 100
// wavelengths".
#define COLUMNS 5
static const double wavelengths_of[COLUMNS] = {1.0, 10.0, 30.0, 100.0, 300.0};
// Orders 1 to 8.
static const double penalties[ORDERS][COLUMNS] = {
    {0.91, 1.67, 2.81, 5.69, 11.4}, {1.56, 3.46, 5.62, 10.0, 17.4}, {1.36, 1.86, 2.29, 2.95, 3.90},
    {1.13, 1.50, 1.78, 2.08, 3.25}, {1.25, 1.45, 1.57, 1.92, 2.29}, {1.22, 1.33, 1.39, 1.62, 2.58},
    {1.00, 0.99, 0.98, 1.62, 2.24}, {0.99, 1.05, 1.05, 1.56, 1.97},
};

double sedge_predictor_penalty(int order, double wavelengths)
{
    const double *const row = penalties[row_of(order)];
    int i = 0;

    if (!(wavelengths > wavelengths_of[0])) return row[0];
    while (i < COLUMNS - 2 && wavelengths > wavelengths_of[i + 1]) i++;
    const double part =
        log(wavelengths / wavelengths_of[i]) / log(wavelengths_of[i + 1] / wavelengths_of[i]);
    return row[i] * pow(row[i + 1] / row[i], part);
}
