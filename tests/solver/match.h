// Operator and reference side by side.
//
// Bound. A stage adds dt times a sum of some 4 Np + 4 Nfp products to the fields, and dt |D| is of
// order one by stability; products of random sign add up like their root. Largest differences
// measured, relative to the largest value, are 1 to 6 units of rounding in fp64 and fp32 alike, at
// all orders; 50 are allowed: 5.6e-15 and 3e-6.
#pragma once

#include "kit.h"

#include "check.h"
#include "dg/bernstein.h"
#include "dg/cubature.h"

#include <stdlib.h>

#define MATCH_UNITS 50.0

static const sedge_precision match_precisions[] = {SEDGE_FP64, SEDGE_FP32};

// Units of rounding that are allowed. Covariant components of curved elements pass through
// Bernstein coefficients, which are larger than nodal values by up to the norm of T^-1.
static inline double match_units(const kit *k)
{
    sedge_bernstein *basis = NULL;
    double units = MATCH_UNITS;

    if (k->base.mesh->global_curved == 0 || !sedge_cubature_is_covariant(&k->base.problem))
        return units;
    CHECK_OK(sedge_bernstein_create(&basis, k->base.element));
    if (basis != NULL) units *= basis->norm;
    sedge_bernstein_free(basis);
    return units;
}

// One kernel configuration of the operator against the fields in base.exact, from those in base.u.
static inline void match_one(kit *k, double t, double dt, int steps, sedge_precision precision,
                             const sedge_operator_options *config)
{
    CHECK_OK(kit_load(k, precision, config));
    CHECK_OK(kit_advance(k, k->base.u, t, dt, steps));
    const double units = kit_difference(k, k->result, k->base.exact) / kit_rounding(precision);
    const double most = match_units(k);
    if (!(units <= most) && k->op != NULL) {
        sedge_operator_cost cost;
        sedge_operator_get_cost(k->op, &cost);
        (void)fprintf(stderr, "%s, order %d, %s, %s:\n", k->base.problem.equation->name,
                      k->base.element->order, precision == SEDGE_FP64 ? "fp64" : "fp32",
                      cost.variant);
    }
    CHECK_BOUND(units, most);
    CHECK_BOUND(kit_memory_difference(k) / kit_rounding(precision), MATCH_UNITS);
}

// Two steps on the device with coefficients as state, against the reference's.
static inline void match_coefficients(kit *k, double dt, sedge_precision precision)
{
    const sedge_operator_options config = {.variant = "bernstein"};
    sedge_bernstein *basis = NULL;

    CHECK_OK(sedge_bernstein_create(&basis, k->base.element));
    if (basis == NULL) return;
    const double bound = MATCH_UNITS * basis->norm * kit_rounding(precision);
    sedge_bernstein_free(basis); // the bound is that of test_operator_curved.c
    CHECK_OK(kit_load(k, precision, &config));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 2));
    CHECK_BOUND(kit_difference(k, k->result, k->base.exact), bound);
    CHECK_BOUND(kit_memory_difference(k), bound);
}

// `steps` steps of the reference from t and the fields in base.u, into base.exact; how long each
// is, half of the longest stable one.
static inline double match_reference(kit *k, double t, int steps)
{
    dg_case *const base = &k->base;
    const double dt = kit_time_step(k, 0.5);

    for (int64_t i = 0; i < base->values; i++) base->exact[i] = base->u[i];
    kit_start_memory(k);
    for (int i = 0; i < steps; i++)
        CHECK_OK(sedge_reference_step(base->reference, base->exact, t + i * dt, dt));
    return dt;
}

// Whether everything is asked for, not a selection.
static inline bool match_everything(void)
{
    return getenv("SEDGE_TEST_ALL") != NULL;
}

// Whether this order is tried on this number of ranks: all are on one; the kernels of high orders
// do not depend on what the ranks exchange. With SEDGE_TEST_ALL: all.
static inline bool match_order(const kit_world *world, int order)
{
    return order <= 4 || sedge_comm_size(world->comm) == 1 || match_everything();
}

// `steps` steps of the reference from the fields in base.u, then of the plain form, which runs on
// all devices. The precision changes from order to order, `turn` 0 or 1 says which begins: both
// have the same kernels, and a compiler takes about a second a program. With SEDGE_TEST_ALL: in
// both.
static inline void match_all(kit *k, double t, int steps, int turn)
{
    const dg_case *const base = &k->base;
    const double dt = match_reference(k, t, steps);
    const int order = base->element->order;

    for (int p = 0; p < 2; p++) {
        if (!match_everything() && (order + turn) % 2 != p) continue;
        match_one(k, t, dt, steps, match_precisions[p],
                  &(sedge_operator_options){.variant = "fused"});
    }
}

// As kit_defaults, with two plane waves that enter through a surface around the middle. For
// programs with the equation's kinds of faces.
extern const sedge_face_kind sedge_face_total_field;

static inline kit_options match_total_field(int order)
{
    static const double medium[3] = {2.0, 1.5, 0.0};
    static const sedge_mesh_enclosure middle = {.name = "middle",
                                                .shape = SEDGE_ENCLOSURE_BOX,
                                                .low = {0.25, 0.25, 0.25},
                                                .high = {0.75, 0.75, 0.75}};
    // As kit_pulse, each from the corner that it reaches first.
    static const double waves[2][15] = {{1.0, 2.0, -0.5, 2.0, -1.0, 0.0, 0.2, 0.2, 0.8,
                                         SEDGE_SIGNAL_RICKER, 1.5, 0.9, 0.0, 0.4, 0.0},
                                        {0.0, 0.0, -1.0, 0.3, 1.0, 0.0, 0.0, 0.0, 0.8,
                                         SEDGE_SIGNAL_GAUSSIAN, 0.7, 0.8, 0.5, 0.3, 0.0}};
    static const kit_wall walls[] = {{"xmin", "pec", 0.0}, {NULL, NULL, 0.0}};
    kit_options options = kit_defaults(order, 4);

    options.distort = 0.05;
    options.materials[0] = medium;
    options.enclosure = &middle;
    options.enclosure_kind = &sedge_face_total_field.kind;
    options.walls = walls;
    options.wall = "absorbing";
    options.incident = waves[0];
    options.incidents = 2;
    return options;
}
