// What reads and writes the state sees the equation's vectors in curved elements, whatever the
// device has of them (operator/basis.h): fields and terms' memory there and back, in all
// bases; energies; probes, snapshots and point sources. No step is taken.
#include "kit.h"

#include "check.h"

#include "base/memory.h"
#include "dg/bernstein.h"
#include "dg/random.h"
#include "evolve/point_sources.h"
#include "evolve/probes.h"
#include "evolve/snapshot.h"
#include "operator/basis.h"
#include "operator/fields.h"

#include "curved_maps.h"
#include "sampled.h"

#include <string.h>

extern const sedge_term_kind sedge_term_debye, sedge_term_magnetic_lorentz;

#define FIELDS 6
#define UNITS  5.0

static const double dipole[12] = {0.8, 0.78, 0.83, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0,
                                  1.0, -2.0, 0.5};

typedef struct view_case {
    kit k;
    int nodes;
    double bound; // of relative errors
} view_case;

// The vectors' covariant components at the nodes of a curved element, found here from the map.
static void to_covariant(const view_case *c, int32_t e, double *values, int components)
{
    const sedge_element *const element = c->k.base.element;
    double map[SEDGE_CURVE_TERMS][3];

    if (sedge_mesh_curve(c->k.base.mesh, e) < 0) return;
    sedge_mesh_expand(c->k.base.mesh, e, map);
    for (int n = 0; n < c->nodes; n++) {
        const double rst[3] = {element->r[n], element->s[n], element->t[n]};
        double dx[3][3];
        sedge_curve_tangents(map, rst, dx);
        for (int f = 0; f < components; f += 3) {
            double *const at = values + f * c->nodes + n;
            double old[3];
            for (int d = 0; d < 3; d++) old[d] = at[d * c->nodes];
            for (int j = 0; j < 3; j++) {
                at[j * c->nodes] = 0.0;
                for (int d = 0; d < 3; d++) at[j * c->nodes] += dx[j][d] * old[d];
            }
        }
    }
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double worst = 0.0;
    double size = 0.0;

    for (int64_t i = 0; i < count; i++) {
        worst = isnan(a[i]) ? a[i] : fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return worst / size;
}

// ---- there and back ----------------------------------------------------------------------------

static void check_block(view_case *c, int i)
{
    static const sedge_basis bases[] = {SEDGE_NODAL, SEDGE_BERNSTEIN, SEDGE_NODAL_COVARIANT,
                                        SEDGE_BERNSTEIN_COVARIANT};
    sedge_evolution *const evolution = c->k.evolution;
    const sedge_block *const block = sedge_evolution_block(evolution, i);
    const int64_t row = (int64_t)block->components * block->nodes;
    const int64_t count = block->elements * row;
    const sedge_basis own = sedge_evolution_basis(evolution);
    uint64_t seed = 7 + (uint64_t)i;
    double *u = NULL;
    double *got = NULL;
    double *again = NULL;

    CHECK_OK(sedge_allocate(&u, count, sizeof *u));
    CHECK_OK(sedge_allocate(&got, count, sizeof *got));
    CHECK_OK(sedge_allocate(&again, count, sizeof *again));
    for (int64_t k = 0; k < count; k++) u[k] = random_value(&seed);
    CHECK_OK(sedge_evolution_set_block(evolution, i, SEDGE_NODAL, u));
    CHECK_OK(sedge_evolution_get_block(evolution, i, SEDGE_NODAL, got));
    CHECK_BOUND(largest_difference(got, u, count), c->bound);
    for (int b = 0; b < 4; b++) { // through each basis
        CHECK_OK(sedge_evolution_get_block(evolution, i, bases[b], got));
        CHECK_OK(sedge_evolution_set_block(evolution, i, bases[b], got));
        CHECK_OK(sedge_evolution_get_block(evolution, i, own, again));
        CHECK_OK(sedge_evolution_get_block(evolution, i, bases[b], again));
        CHECK_BOUND(largest_difference(again, got, count), c->bound);
        if (bases[b] == own) CHECK(memcmp(again, got, (size_t)count * sizeof *got) == 0);
    }
    CHECK_OK(sedge_evolution_get_block(evolution, i, SEDGE_NODAL, got));
    CHECK_BOUND(largest_difference(got, u, count), 10.0 * c->bound);
    CHECK_OK(sedge_evolution_set_block(evolution, i, SEDGE_NODAL, u));
    CHECK_OK(sedge_evolution_get_block(evolution, i, SEDGE_NODAL_COVARIANT, got));
    for (int32_t e = 0; e < block->elements; e++)
        to_covariant(c, sedge_block_element(block, e), u + e * row, block->components);
    CHECK_BOUND(largest_difference(got, u, count), c->bound);
    sedge_release(u);
    sedge_release(got);
    sedge_release(again);
}

// ---- energy ------------------------------------------------------------------------------------

// Of random fields and memory that of the reference; of constant vectors in an element that of its
// volume, from order 2 on, for which the quadrature is exact.
static void check_energy(view_case *c, sedge_precision precision)
{
    dg_case *const base = &c->k.base;
    double *wanted = NULL;

    CHECK_OK(sedge_allocate(&wanted, base->mesh->elements, sizeof *wanted));
    dg_case_random(base, base->u);
    CHECK_OK(kit_advance(&c->k, base->u, 0.0, 0.0, 0));
    kit_start_memory(&c->k);
    CHECK_OK(sedge_evolution_energy(c->k.evolution, c->k.energy));
    sedge_reference_energy(base->reference, base->u, wanted);
    CHECK_BOUND(largest_difference(c->k.energy, wanted, base->mesh->elements), c->bound);
    if (base->element->order >= 2) {
        for (int64_t i = 0; i < base->values; i++)
            base->u[i] = 1.0 + (double)(i / c->nodes % FIELDS) - 2.5 * (double)(i / c->nodes % 2);
        CHECK_OK(sedge_evolution_set(c->k.evolution, base->u));
        for (int i = 1; i < sedge_evolution_blocks(c->k.evolution); i++) {
            const sedge_block *const block = sedge_evolution_block(c->k.evolution, i);
            double *zero = NULL;
            CHECK_OK(sedge_allocate(
                &zero, (int64_t)block->elements * block->components * block->nodes, sizeof *zero));
            CHECK_OK(sedge_evolution_set_block(c->k.evolution, i, SEDGE_NODAL, zero));
            sedge_release(zero);
        }
        CHECK_OK(sedge_evolution_energy(c->k.evolution, c->k.energy));
        for (int32_t e = 0; e < base->mesh->elements; e++) {
            double weights[FIELDS];
            double density = 0.0;
            base->problem.equation->energy(base->problem.materials[base->mesh->group[e]], weights);
            for (int f = 0; f < FIELDS; f++) {
                const double value = base->u[((int64_t)e * FIELDS + f) * c->nodes];
                density += 0.5 * weights[f] * value * value;
            }
            wanted[e] = density * sedge_mesh_volume(base->mesh, e);
        }
        CHECK_BOUND(largest_difference(c->k.energy, wanted, base->mesh->elements),
                    precision == SEDGE_FP64 ? 1e-13 : c->bound);
    }
    sedge_release(wanted);
}

// ---- values at points --------------------------------------------------------------------------

// A constant vector at some place of each element; random fields at a node of each. So it is
// whatever polynomials the fields are taken for between the nodes.
static void check_probes(view_case *c)
{
    dg_case *const base = &c->k.base;
    const int32_t elements = base->mesh->elements;
    const int count = 2 * elements;
    sedge_probes *probes = NULL;
    double *weights = NULL;
    double *values = NULL;
    int32_t *where = NULL;
    int samples;
    uint64_t seed = 3;

    CHECK_OK(sedge_allocate(&weights, (int64_t)count * c->nodes, sizeof *weights));
    CHECK_OK(sedge_allocate(&values, 2LL * count * FIELDS, sizeof *values));
    CHECK_OK(sedge_allocate(&where, count, sizeof *where));
    for (int i = 0; i < count; i++) {
        double r[4];
        double sum = 0.0;
        where[i] = i / 2;
        for (int d = 0; d < 4; d++) sum += r[d] = 1.1 + random_value(&seed);
        if (i % 2 == 0) {
            CHECK_OK(sedge_element_interpolate(base->element, 2.0 * r[0] / sum - 1.0,
                                               2.0 * r[1] / sum - 1.0, 2.0 * r[2] / sum - 1.0,
                                               weights + (int64_t)i * c->nodes));
        } else {
            weights[(int64_t)i * c->nodes + i / 2 % c->nodes] = 1.0;
        }
    }
    const sedge_probe_points points = {
        .count = count, .elements = where, .row_count = count, .weights = weights};
    CHECK_OK(sedge_probes_create(&probes, c->k.evolution, &points, 2));
    for (int64_t i = 0; i < base->values; i++)
        base->u[i] = 0.5 + (double)(i / c->nodes % FIELDS) - 3.0 * (double)(i / c->nodes % 2);
    CHECK_OK(sedge_evolution_set(c->k.evolution, base->u));
    CHECK_OK(sedge_probes_record(probes));
    dg_case_random(base, base->exact);
    CHECK_OK(sedge_evolution_set(c->k.evolution, base->exact));
    CHECK_OK(sedge_probes_record(probes));
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == 2);
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < count * FIELDS; i++) {
        const int32_t e = i / FIELDS / 2;
        const int64_t row = ((int64_t)e * FIELDS + i % FIELDS) * c->nodes;
        worst[0] = fmax(worst[0], fabs(values[i] - base->u[row]));
        if (i / FIELDS % 2 == 0) continue;
        worst[1] =
            fmax(worst[1], fabs(values[count * FIELDS + i] - base->exact[row + e % c->nodes]));
    }
    CHECK_BOUND(worst[0], c->bound);
    CHECK_BOUND(worst[1], c->bound);
    sedge_probes_free(probes);
    sedge_release(weights);
    sedge_release(values);
    sedge_release(where);
}

// Nodes of the file: the element's own, backwards.
static void check_snapshot(view_case *c)
{
    dg_case *const base = &c->k.base;
    const int32_t count = base->mesh->elements;
    int64_t first[FIELDS], stride[FIELDS];
    double factor[FIELDS];
    sedge_snapshot *snapshot = NULL;
    int32_t *elements = NULL;
    double *weights = NULL;
    double worst = 0.0;

    CHECK_OK(sedge_allocate(&elements, count, sizeof *elements));
    CHECK_OK(sedge_allocate(&weights, (int64_t)c->nodes * (c->nodes + 1), sizeof *weights));
    for (int32_t i = 0; i < count; i++) elements[i] = count - 1 - i;
    for (int n = 0; n < c->nodes; n++)
        weights[(int64_t)n * (c->nodes + 1) + c->nodes - 1 - n] = 1.0;
    for (int f = 0; f < FIELDS; f++) {
        first[f] = f;
        stride[f] = FIELDS;
        factor[f] = f + 1.0;
    }
    const sedge_field_layout layout = {.count = count,
                                       .elements = elements,
                                       .padded = c->nodes + 1,
                                       .weights = weights,
                                       .first = first,
                                       .stride = stride,
                                       .factor = factor,
                                       .values = base->values};
    CHECK_OK(sedge_snapshot_create(&snapshot, c->k.evolution, &layout, 1));
    dg_case_random(base, base->u);
    CHECK_OK(sedge_evolution_set(c->k.evolution, base->u));
    CHECK_OK(sedge_snapshot_take(snapshot, 0));
    CHECK_OK(sedge_snapshot_wait(snapshot, 0));
    for (int64_t i = 0; i < base->values; i++) {
        const int64_t e = i / FIELDS / c->nodes;
        const int f = (int)(i / c->nodes % FIELDS);
        const int64_t at = ((count - 1 - e) * c->nodes + c->nodes - 1 - i % c->nodes) * FIELDS + f;
        const double value = (double)sedge_snapshot_values(snapshot, 0)[at];
        worst = fmax(worst, fabs(value - factor[f] * base->u[i]));
    }
    CHECK_BOUND(worst, FIELDS * (c->bound + 2.0 * kit_rounding(SEDGE_FP32)));
    sedge_snapshot_free(snapshot);
    sedge_release(elements);
    sedge_release(weights);
}

// ---- point sources -----------------------------------------------------------------------------

// What a source adds to a state of zeros is dt b times the reference's right-hand side. The
// reference exchanges traces, but there are no fields to exchange, and walls make none.
static void check_source(view_case *c)
{
    dg_case *const base = &c->k.base;
    operator_fields fields = *sedge_evolution_fields(c->k.evolution);
    const sedge_stage stage = {.b = 0.25, .dt = 0.5, .delay = 0.4};
    evolve_point_sources *sources = NULL;

    memset(base->u, 0, (size_t)base->values * sizeof *base->u);
    CHECK_OK(sedge_evolution_set(c->k.evolution, base->u));
    CHECK_OK(evolve_point_sources_create(&sources, c->k.op));
    operator_fields_swap(&fields); // into the current state
    CHECK_OK(evolve_point_sources_add(sources, &fields, &stage));
    CHECK_OK(sedge_evolution_wait(c->k.evolution));
    CHECK_OK(sedge_evolution_get(c->k.evolution, c->k.result));
    CHECK_OK(sedge_reference_rhs(base->reference, base->u, 0.4, base->rhs));
    for (int64_t i = 0; i < base->values; i++) base->rhs[i] *= stage.b * stage.dt;
    CHECK_BOUND(kit_difference(&c->k, c->k.result, base->rhs), c->bound);
    evolve_point_sources_free(sources);
}

// ------------------------------------------------------------------------------------------------

// The largest ratio of lengths of vectors and their components that rounding grows by.
static double find_distortion(const sedge_mesh *mesh)
{
    double worst = 1.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double size = sedge_longest_edge(mesh->corners[e]);
        worst = fmax(worst, size / sedge_mesh_inradius(mesh, e));
    }
    return worst;
}

static void test_views(const kit_world *world, int order, const sedge_operator_options *config,
                       sedge_precision precision)
{
    static const kit_term terms[] = {{&sedge_term_debye, "above", {1.0, 0.15}},
                                     {&sedge_term_debye, "above", {0.5, 0.4}},
                                     {&sedge_term_magnetic_lorentz, "above", {1.5, 2.0, 0.3}},
                                     {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(order, 3);
    sedge_bernstein *basis = NULL;
    view_case c = {0};

    options.box_map = curved_corner;
    options.split_axis = order % 3;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.terms = terms;
    options.wall = "pec";
    options.dipole = dipole;
    CHECK_OK(kit_create(&c.k, world, &options));
    CHECK(c.k.base.mesh->global_curved > 0);
    CHECK(c.k.base.mesh->global_curved < c.k.base.mesh->global_elements);
    CHECK_OK(sedge_bernstein_create(&basis, c.k.base.element));
    c.nodes = c.k.base.element->nodes;
    c.bound = UNITS * kit_rounding(precision) * basis->norm * find_distortion(c.k.base.mesh);
    sedge_bernstein_free(basis);
    CHECK_OK(kit_load(&c.k, precision, config));
    if (c.k.evolution != NULL) {
        check_source(&c); // while the reference's memory is zero
        for (int i = 0; i < sedge_evolution_blocks(c.k.evolution); i++) check_block(&c, i);
        check_energy(&c, precision);
        check_probes(&c);
        check_snapshot(&c);
    }
    kit_clear(&c.k);
}

int main(void)
{
    static const sedge_operator_options fused = {.variant = "fused"};
    static const sedge_operator_options bernstein = {.variant = "bernstein"};
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= 3; order++) {
        if (test_is_sampled() && order != 2) continue; // each basis and each precision once
        test_views(&world, order, order % 2 == 0 ? &fused : &bernstein, SEDGE_FP64);
        test_views(&world, order, order % 2 == 1 ? &fused : &bernstein, SEDGE_FP32);
    }
    kit_close(&world);
    return CHECK_END();
}
