// The operator with coefficients of the Bernstein-Bezier basis for its state: it gives what the
// slow reference gives, at its boundaries, sources, probes and energies, too, and what it refuses
// it says.
//
// Bound. As match.h, relative to the largest coefficient, of which nodal values are means: 1 to 12
// units are measured at orders 1 to 10, fp64 and fp32. Fields begin as random coefficients of order
// one; those of random nodal values would be larger than these by up to the norm of T^-1.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "dg/random.h"
#include "evolve/probes.h"
#include "evolve/snapshot.h"
#include "evolve/state_copy.h"
#include "forms/bernstein_products.h"
#include "forms/candidates.h"
#include "forms/form.h"
#include "forms/target.h"
#include "match.h"
#include "monitor/sample.h"
#include "operator/parts.h"
#include "operator/sample.h"
#include "operator/tune.h"
#include "sampled.h"

#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static const sedge_operator_options by_variant = {.variant = "bernstein"};

// Fields of random coefficients, the same for an element on whatever rank.
static void make_fields(kit *k, const sedge_bernstein *basis)
{
    const int64_t size = (int64_t)k->base.problem.equation->fields * basis->nodes;
    double *const c = k->base.rhs;

    for (int32_t e = 0; e < k->base.mesh->elements; e++) {
        uint64_t seed = (uint64_t)k->base.mesh->global_ids[e];
        for (int64_t i = 0; i < size; i++) c[e * size + i] = random_value(&seed);
    }
    sedge_bernstein_convert(basis, SEDGE_NODAL, k->base.u, c, k->base.values / basis->nodes);
}

// The largest coefficient of the fields in base.exact, of all ranks, over the largest nodal value.
static double find_largest(kit *k, const sedge_bernstein *basis)
{
    double largest[2] = {0.0};

    sedge_bernstein_convert(basis, SEDGE_BERNSTEIN, k->base.rhs, k->base.exact,
                            k->base.values / basis->nodes);
    for (int64_t i = 0; i < k->base.values; i++) {
        largest[0] = fmax(largest[0], fabs(k->base.rhs[i]));
        largest[1] = fmax(largest[1], fabs(k->base.exact[i]));
    }
    sedge_comm_max(k->world->comm, largest, 2);
    return largest[0] / largest[1];
}

typedef struct bernstein_case {
    kit k;
    sedge_bernstein *basis;
    double t, dt;
    int steps;
    double ratio; // find_largest
} bernstein_case;

// Fields before in base.u, after `steps` steps of the reference in base.exact; false: it failed.
static bool make_case(bernstein_case *c, const kit_world *world, const kit_options *options,
                      double t, int steps)
{
    kit *const k = &c->k;

    memset(c, 0, sizeof *c);
    CHECK_OK(kit_create(k, world, options));
    if (k->base.element != NULL) CHECK_OK(sedge_bernstein_create(&c->basis, k->base.element));
    if (check_failures > 0) return false;
    make_fields(k, c->basis);
    c->t = t;
    c->dt = match_reference(k, t, steps);
    c->steps = steps;
    c->ratio = find_largest(k, c->basis);
    return true;
}

static void clear_case(bernstein_case *c)
{
    sedge_bernstein_free(c->basis);
    kit_clear(&c->k);
}

// How far the fields come out from base.exact, and memory from the reference's, in units of
// rounding of the largest coefficient.
static double find_units(bernstein_case *c, sedge_precision precision,
                         const sedge_operator_options *config)
{
    kit *const k = &c->k;

    CHECK_OK(kit_load(k, precision, config));
    CHECK(k->op != NULL && sedge_evolution_basis(k->evolution) == SEDGE_BERNSTEIN);
    CHECK_OK(kit_advance(k, k->base.u, c->t, c->dt, c->steps));
    const double fields = kit_difference(k, k->result, k->base.exact);
    const double memory = kit_memory_difference(k);
    const double worst = !isfinite(fields) || fields >= memory ? fields : memory;
    return worst / kit_rounding(precision) / c->ratio;
}

// In the precisions [first, last] of match_precisions.
static void match(const kit_world *world, const kit_options *options, double t, int steps,
                  int first, int last)
{
    bernstein_case c;

    if (make_case(&c, world, options, t, steps)) {
        for (int p = first; p <= last; p++)
            CHECK_BOUND(find_units(&c, match_precisions[p], &by_variant), MATCH_UNITS);
    }
    clear_case(&c);
}

// ---- all that a state meets --------------------------------------------------------------------

static kit_options walls_options(int order)
{
    kit_options options = kit_everything(order, 2, (order + 1) % 3);

    options.cells[order % 3] = 3;
    return options;
}

static void test_walls(const kit_world *world, int order, int first, int last)
{
    const kit_options options = walls_options(order);

    match(world, &options, 0.2, order <= 5 ? 3 : 1, first, last);
}

// An incident wave on a conductor; boundary functions see places, times and the wave, and want
// nodal values.
static kit_options incident_options(int order)
{
    static const kit_wall obstacle[] = {
        {"xmin", "pec", 0.0}, {"zmax", "impedance", 0.7}, {"ymin", "pmc", 0.0}, {NULL, NULL, 0.0}};
    kit_options options = kit_defaults(order, 2);

    options.file = "cube.msh";
    options.flux_keys = &kit_upwind[2];
    options.walls = obstacle;
    options.wall = "absorbing";
    options.incident = kit_pulse;
    return options;
}

static void test_incident(const kit_world *world, int order)
{
    const kit_options options = incident_options(order);

    match(world, &options, 0.35, 3, 0, 1);
}

// One field, with parameters and times at the walls.
static void test_advection(const kit_world *world)
{
    static const double keys[4] = {0.7, 0.8, -0.3, 0.5};
    kit_options options = kit_defaults(3, 2);

    options.equation = sedge_equation_find("advection");
    options.flux_keys = keys;
    options.wall = "outflow";
    match(world, &options, 0.0, 2, 0, 0);
}

// Coefficients go in and out as they are, and are rounded in fp32; nodal values come back but for
// that; in a nodal operator it is the other way round.
static void test_set_get(const kit_world *world)
{
    const kit_options options = walls_options(3);
    bernstein_case c;
    int64_t wrong = 0;

    if (!make_case(&c, world, &options, 0.2, 0)) return;
    dg_case *const base = &c.k.base;
    make_fields(&c.k, c.basis); // coefficients in base.rhs
    for (int p = 0; p < 2; p++) {
        CHECK_OK(kit_load(&c.k, match_precisions[p], &by_variant));
        CHECK_OK(sedge_evolution_set_block(c.k.evolution, 0, SEDGE_BERNSTEIN, base->rhs));
        CHECK_OK(sedge_evolution_get_block(c.k.evolution, 0, SEDGE_BERNSTEIN, c.k.result));
        for (int64_t i = 0; i < base->values; i++) {
            const double rounded = p == 0 ? base->rhs[i] : (double)(float)base->rhs[i];
            wrong += c.k.result[i] != rounded;
        }
        CHECK_OK(sedge_evolution_get(c.k.evolution, c.k.result));
        CHECK_BOUND(kit_difference(&c.k, c.k.result, base->u), 2.0 * kit_rounding(SEDGE_FP32));
        CHECK_OK(sedge_evolution_set(c.k.evolution, base->u));
        CHECK_OK(sedge_evolution_get(c.k.evolution, c.k.result));
        CHECK_BOUND(kit_difference(&c.k, c.k.result, base->u),
                    MATCH_UNITS * kit_rounding(match_precisions[p]));
    }
    CHECK(wrong == 0);
    CHECK_OK(kit_load(&c.k, SEDGE_FP64, &(sedge_operator_options){.variant = "fused"}));
    CHECK(sedge_evolution_basis(c.k.evolution) == SEDGE_NODAL);
    CHECK_OK(sedge_evolution_set_block(c.k.evolution, 0, SEDGE_BERNSTEIN, base->rhs));
    CHECK_OK(sedge_evolution_get(c.k.evolution, c.k.result));
    CHECK_BOUND(kit_difference(&c.k, c.k.result, base->u), 0.0);
    CHECK_OK(sedge_evolution_get_block(c.k.evolution, 0, SEDGE_BERNSTEIN, c.k.result));
    CHECK_BOUND(kit_difference(&c.k, c.k.result, base->rhs),
                c.basis->norm * kit_rounding(SEDGE_FP64));
    clear_case(&c);
}

// Each element's energy, to rounding times the condition number of the mass matrix, C(2N + 3, N) =
// 84 at order 3; a field that is not a number shows in its element and no other.
static void test_energy(const kit_world *world)
{
    const kit_options options = walls_options(3);
    sedge_energy_sum sum = {0};
    bernstein_case c;
    int64_t finite = 0;

    if (!make_case(&c, world, &options, 0.2, 0)) return;
    dg_case *const base = &c.k.base;
    const int32_t elements = base->mesh->elements;
    sedge_reference_energy(base->reference, base->u, base->rhs);
    for (int p = 0; p < 2; p++) {
        double worst = 0.0;
        CHECK_OK(kit_load(&c.k, match_precisions[p], &by_variant));
        CHECK_OK(sedge_evolution_set(c.k.evolution, base->u));
        CHECK_OK(sedge_evolution_energy(c.k.evolution, c.k.energy));
        for (int32_t e = 0; e < elements; e++)
            worst = fmax(worst, fabs(c.k.energy[e] / base->rhs[e] - 1.0));
        CHECK_BOUND(worst / kit_rounding(match_precisions[p]), 4.0 * 84.0);
        // The sum of what was measured before a step that is queued behind; what was kept stays.
        const double here = sedge_sample_sum(world->comm, elements, c.k.energy);
        CHECK_OK(sedge_evolution_begin_energy(c.k.evolution));
        CHECK_OK(sedge_evolution_step(c.k.evolution, 0.2, 1e-3));
        CHECK_OK(sedge_evolution_end_energy(c.k.evolution, &sum));
        CHECK_BOUND(fabs(sedge_comm_sum_exact(world->comm, sum.high, sum.low) - here), 0.0);
        CHECK(sum.wrong == 0);
        sedge_evolution_keep_energies(c.k.evolution);
        CHECK_OK(sedge_evolution_energy(c.k.evolution, base->exact));
        CHECK_OK(sedge_evolution_get_energies(c.k.evolution, true, base->rhs + elements));
        CHECK(memcmp(base->rhs + elements, c.k.energy, (size_t)elements * sizeof(double)) == 0);
        CHECK(memcmp(base->exact, c.k.energy, (size_t)elements * sizeof(double)) != 0);
    }
    const int32_t bad = elements / 2;
    base->u[(int64_t)bad * 6 * base->element->nodes + 1] = (double)NAN;
    CHECK_OK(sedge_evolution_set(c.k.evolution, base->u));
    CHECK_OK(sedge_evolution_energy(c.k.evolution, c.k.energy));
    for (int32_t e = 0; e < elements; e++) finite += isfinite(c.k.energy[e]) != 0;
    CHECK(finite == elements - 1 && !isfinite(c.k.energy[bad]));
    CHECK_OK(sedge_evolution_begin_energy(c.k.evolution));
    CHECK_OK(sedge_evolution_end_energy(c.k.evolution, &sum));
    CHECK(sum.wrong == 1);
    clear_case(&c);
}

// A probe sees the nodal field there.
static void test_probe(const kit_world *world)
{
    const kit_options options = walls_options(3);
    double values[2 * 6];
    double *weights = NULL;
    sedge_probes *probes = NULL;
    int samples = 0;
    bernstein_case c;

    if (!make_case(&c, world, &options, 0.2, 1)) return;
    const int n = c.k.base.element->nodes;
    const int32_t elements[2] = {0, c.k.base.mesh->elements - 1};
    CHECK_OK(sedge_allocate(&weights, 2 * (int64_t)n, sizeof *weights));
    CHECK_OK(sedge_element_interpolate(c.k.base.element, -0.5, -0.6, -0.7, weights));
    CHECK_OK(sedge_element_interpolate(c.k.base.element, -0.2, -0.3, -0.9, weights + n));
    CHECK_OK(kit_load(&c.k, SEDGE_FP64, &by_variant));
    const sedge_probe_points points = {
        .count = 2, .elements = elements, .row_count = 2, .weights = weights};
    CHECK_OK(sedge_probes_create(&probes, c.k.evolution, &points, 1));
    CHECK_OK(kit_advance(&c.k, c.k.base.u, 0.2, c.dt, 1));
    CHECK_OK(sedge_probes_record(probes));
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == 1);
    for (int at = 0; at < 12; at++) {
        const double *const u = c.k.result + ((int64_t)elements[at / 6] * 6 + at % 6) * n;
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += weights[at / 6 * n + i] * u[i];
        CHECK_BOUND(fabs(values[at] - sum), 1e-13);
    }
    sedge_probes_free(probes);
    sedge_release(weights);
    clear_case(&c);
}

// ---- fields as a file holds them ---------------------------------------------------------------

// Every other element from the last on, nodes of the file's own, all fields but the third: pairs
// first, then the rest backwards with a gap.
typedef struct snapshot_case {
    int64_t first[6], stride[6];
    double factor[6];
    int32_t *elements;
    double *weights; // [nodes][nodes + 1]
    sedge_field_layout layout;
} snapshot_case;

static void make_layout(snapshot_case *s, const dg_case *base)
{
    const int nodes = base->element->nodes;
    sedge_field_layout *const layout = &s->layout;

    memset(s, 0, sizeof *s);
    CHECK_OK(sedge_allocate(&s->elements, base->mesh->elements, sizeof *s->elements));
    CHECK_OK(sedge_allocate(&s->weights, (int64_t)nodes * (nodes + 1), sizeof *s->weights));
    for (int32_t e = base->mesh->elements - 1; e >= 0; e -= 2) s->elements[layout->count++] = e;
    for (int n = 0; n < nodes; n++) {
        for (int m = 0; m < nodes; m++)
            s->weights[n * (nodes + 1) + m] = sin(1.0 + n + 7.0 * m); // of size one, no symmetry
    }
    const int64_t points = (int64_t)layout->count * nodes;
    for (int f = 0; f < 6; f++) {
        s->first[f] = f < 2 ? f : f == 2 ? -1 : 2 * points + (5 - f) * (points + 3);
        s->stride[f] = f < 2 ? 2 : 1;
        s->factor[f] = 1.0 + 0.5 * f;
    }
    layout->values = 5 * points + 9;
    layout->elements = s->elements;
    layout->padded = nodes + 1;
    layout->weights = s->weights;
    layout->first = s->first;
    layout->stride = s->stride;
    layout->factor = s->factor;
}

// The largest difference from the sums over u, relative to the sums of absolute values.
static double compare_layout(const snapshot_case *s, const dg_case *base, const double *u,
                             const float *values)
{
    const int nodes = base->element->nodes;
    double worst = 0.0;

    for (int32_t i = 0; i < s->layout.count; i++) {
        for (int at = 0; at < 6 * nodes; at++) {
            const int f = at / nodes;
            const int m = at % nodes;
            const double *const own = u + ((int64_t)s->elements[i] * 6 + f) * nodes;
            double sum = 0.0;
            double size = 0.0;

            if (s->first[f] < 0) continue;
            for (int n = 0; n < nodes; n++) {
                const double part = s->factor[f] * s->weights[n * (nodes + 1) + m] * own[n];
                sum += part;
                size += fabs(part);
            }
            const double value =
                (double)values[s->first[f] + ((int64_t)i * nodes + m) * s->stride[f]];
            worst = fmax(worst, fabs(value - sum) / size);
            if (isnan(value)) worst = value;
        }
    }
    return worst;
}

// Two snapshots with a step between them, of which the first is read last. They are sums in fp64 of
// the state as it is, rounded to fp32: half a unit. Of coefficients other numbers are summed, whose
// sizes are up to the condition of the basis, below 84 at order 3, times those of nodal values.
static void test_snapshot(const kit_world *world)
{
    const kit_options options = walls_options(3);
    snapshot_case s;
    bernstein_case c;

    if (!make_case(&c, world, &options, 0.2, 1)) return;
    make_layout(&s, &c.k.base);
    double *first = NULL;
    CHECK_OK(sedge_allocate(&first, c.k.base.values, sizeof *first));
    for (int i = 0; i < 4; i++) {
        const sedge_operator_options fused = {.variant = "fused"};
        sedge_snapshot *snapshot = NULL;

        CHECK_OK(kit_load(&c.k, match_precisions[i % 2], i < 2 ? &by_variant : &fused));
        CHECK_OK(sedge_snapshot_create(&snapshot, c.k.evolution, &s.layout, 2));
        if (snapshot == NULL) continue;
        CHECK_OK(kit_advance(&c.k, c.k.base.u, 0.2, c.dt, 1));
        memcpy(first, c.k.result, (size_t)c.k.base.values * sizeof *first);
        CHECK_OK(sedge_snapshot_take(snapshot, 1));
        CHECK_OK(sedge_evolution_step(c.k.evolution, 0.2 + c.dt, c.dt));
        CHECK_OK(sedge_snapshot_take(snapshot, 0));
        CHECK_OK(sedge_evolution_step(c.k.evolution, 0.2 + 2.0 * c.dt, c.dt));
        CHECK_OK(sedge_snapshot_wait(snapshot, 0));
        CHECK_OK(sedge_snapshot_wait(snapshot, 1));
        const float *const before = sedge_snapshot_values(snapshot, 1);
        CHECK_BOUND(compare_layout(&s, &c.k.base, first, before), 2.0 * kit_rounding(SEDGE_FP32));
        CHECK_OK(kit_advance(&c.k, c.k.base.u, 0.2, c.dt, 2));
        CHECK_BOUND(compare_layout(&s, &c.k.base, c.k.result, sedge_snapshot_values(snapshot, 0)),
                    2.0 * kit_rounding(SEDGE_FP32));
        sedge_snapshot_free(snapshot);
    }
    sedge_release(first);
    sedge_release(s.elements);
    sedge_release(s.weights);
    clear_case(&c);
}

typedef struct copy_case {
    sedge_evolution *evolution;
    sedge_state_copy *copy;
    double *all, *rows; // of a block
    int64_t wrong;
    sedge_status status;
} copy_case;

static sedge_status get_block(const copy_case *c, int i, double *values)
{
    return sedge_evolution_get_block(c->evolution, i, sedge_evolution_basis(c->evolution), values);
}

// All blocks of the copy in rows of seven: they differ from `all`, block after block, nowhere.
static void *read_copy(void *of)
{
    copy_case *const c = of;
    const double *wanted = c->all;

    for (int i = 0; i < sedge_evolution_blocks(c->evolution); i++) {
        const sedge_block *const block = sedge_evolution_block(c->evolution, i);
        const int64_t row = (int64_t)block->components * block->nodes;

        for (int32_t e = 0; e < block->elements && c->status == SEDGE_OK; e += 7) {
            const int64_t count = block->elements - e < 7 ? block->elements - e : 7;
            c->status = sedge_state_copy_get(c->copy, i, e, count, c->rows);
            for (int64_t k = 0; k < count * row; k++) c->wrong += c->rows[k] != wanted[k];
            wanted += count * row;
        }
    }
    return NULL;
}

// No device has a pebibyte. A copy that nobody reads gives its memory back, one that is read not.
static void check_given_back(sedge_state_copy *copy, sedge_device *device)
{
    sedge_buffer *large = NULL;

    CHECK(sedge_buffer_create(&large, device, INT64_C(1) << 50) != SEDGE_OK);
    CHECK(sedge_state_copy_is_beside(copy));
    sedge_state_copy_done(copy);
    CHECK(sedge_buffer_create(&large, device, INT64_C(1) << 50) != SEDGE_OK);
    CHECK(!sedge_state_copy_is_beside(copy));
    sedge_error_clear();
}

// A copy of fields and memory, read by another thread to the last bit: beside steps, and, without
// memory for a copy, before the next step.
static void test_state_copy(const kit_world *world)
{
    const kit_options options = kit_everything(3, 2, 0);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    const double dt = kit_time_step(&k, 0.5);
    for (int i = 0; i < 4; i++) {
        const sedge_operator_options fused = {.variant = "fused"};
        const bool beside = i % 2 == 0;
        int64_t values = 0;
        copy_case c = {.evolution = NULL};
        pthread_t thread;

        CHECK_OK(kit_load(&k, match_precisions[i % 2], i < 2 ? &by_variant : &fused));
        c.evolution = k.evolution;
        for (int b = 0; b < sedge_evolution_blocks(c.evolution); b++) {
            const sedge_block *const block = sedge_evolution_block(c.evolution, b);
            values += (int64_t)block->elements * block->components * block->nodes;
        }
        CHECK(sedge_evolution_blocks(c.evolution) == 2);
        CHECK_OK(sedge_allocate(&c.all, values, sizeof *c.all));
        CHECK_OK(sedge_allocate(&c.rows, k.base.values, sizeof *c.rows));
        CHECK_OK(sedge_state_copy_create(&c.copy, c.evolution, beside));
        CHECK(sedge_state_copy_is_beside(c.copy) == beside);
        CHECK_OK(kit_advance(&k, k.base.u, 0.2, dt, 2));
        double *at = c.all;
        for (int b = 0; b < sedge_evolution_blocks(c.evolution); b++) {
            const sedge_block *const block = sedge_evolution_block(c.evolution, b);
            CHECK_OK(get_block(&c, b, at));
            at += (int64_t)block->elements * block->components * block->nodes;
        }
        CHECK_OK(sedge_state_copy_take(c.copy));
        CHECK(pthread_create(&thread, NULL, read_copy, &c) == 0);
        for (int s = 2; s < 6 && beside; s++)
            CHECK_OK(sedge_evolution_step(c.evolution, 0.2 + dt * s, dt));
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_OK(c.status);
        CHECK(c.wrong == 0);
        if (beside) check_given_back(c.copy, sedge_evolution_operator(c.evolution)->device);
        sedge_state_copy_free(c.copy);
        sedge_release(c.all);
        sedge_release(c.rows);
    }
    kit_clear(&k);
}

// A whole solve, the mode of a cavity: the error is that of the nodal solve. Coefficients of smooth
// fields are about as large as the fields, so that rounding costs no more: in fp32 at order 10 an
// error of 5.7e-8 becomes 1.6e-7, of nodal values 1.2e-6. That is where `limit` comes from.
static void test_solve(const kit_world *world, int order, sedge_precision precision, double limit)
{
    kit_options options = kit_defaults(order, 2);
    double nodal = 0.0;
    double other = 0.0;

    options.precision = precision;
    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(kit_solve(&nodal, world, &options, NULL, 0.5, 0.5));
    CHECK_OK(kit_solve(&other, world, &options, &by_variant, 0.5, 0.5));
    CHECK_BOUND(other / nodal - 1.0, limit);
}

// ---- choosing it -------------------------------------------------------------------------------

// Every candidate of the basis has a name of its own that chooses it; the last one is right.
static void test_named(const kit_world *world)
{
    const kit_options options = walls_options(2);
    operator_choices choices;
    bernstein_case c;
    const sedge_device_info *const info = sedge_device_get_info(world->device);
    const bool is_host = operator_is_host_form(info);
    int last = -1;

    if (!make_case(&c, world, &options, 0.2, 1)) return;
    const operator_target target = {info, &c.k.base.problem, c.k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    CHECK(choices.searched > 0 && choices.searched <= choices.count);
    for (int i = 0; i < choices.count; i++) {
        const operator_candidate *const candidate = &choices.candidate[i];
        const bool other = choices.layout[candidate->layout].basis == SEDGE_BERNSTEIN;
        CHECK(other == (strncmp(candidate->name, "bernstein ", 10) == 0));
        CHECK(other || !is_host || i < choices.searched);
        if (!other) continue;
        CHECK(candidate->config.form == &operator_form_bernstein);
        last = i;
    }
    const sedge_operator_options config = {.config =
                                               last < 0 ? "none" : choices.candidate[last].name};
    sedge_operator_cost cost = {.variant = ""};
    CHECK_BOUND(find_units(&c, SEDGE_FP64, &config), MATCH_UNITS);
    if (c.k.op != NULL) sedge_operator_get_cost(c.k.op, &cost);
    CHECK(strcmp(cost.variant, config.config) == 0);
    operator_choices_clear(&choices);
    clear_case(&c);
}

// A cache of these tests' own: no other test is to find their wisdom.
static void use_own_cache(kit_world *own, const kit_world *world)
{
    char path[4096];

    *own = *world;
    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/bernstein-cache-%d",
                   sedge_comm_size(world->comm));
    CHECK_OK(sedge_cache_create(&own->cache, path));
}

// In a search it is a layout like others; what wins is right.
static void test_searched(const kit_world *world)
{
    const sedge_operator_options all = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 1, .search_all = true};
    const kit_options options = walls_options(2);
    sedge_operator_tuning tuning;
    bernstein_case c;
    char *table = NULL;
    size_t length = 0;

    if (!make_case(&c, world, &options, 0.2, 1)) return;
    CHECK_OK(kit_load(&c.k, SEDGE_FP64, &all));
    CHECK_OK(kit_advance(&c.k, c.k.base.u, 0.2, c.dt, 1));
    CHECK_BOUND(kit_difference(&c.k, c.k.result, c.k.base.exact) / kit_rounding(SEDGE_FP64),
                MATCH_UNITS * c.ratio);
    sedge_operator_get_tuning(c.k.op, &tuning);
    FILE *const file = open_memstream(&table, &length);
    CHECK(tuning.timed >= 2 && file != NULL);
    if (file != NULL) {
        CHECK_OK(sedge_operator_print_tuning(c.k.op, file));
        CHECK(fclose(file) == 0);
        CHECK(strstr(table, "layout bernstein, ") != NULL);
        CHECK(strstr(table, "off the reference") == NULL);
    }
    free(table);
    clear_case(&c);
}

// Change the wisdom of this folder: devices of two threads choose the other basis, those of one do
// not.
static void change_wisdom(const char *path, const operator_choices *choices)
{
    const operator_candidate *other = choices->candidate;
    const operator_candidate *nodal = choices->candidate;
    char *text = NULL;
    size_t length = 0;
    sedge_text *changed = NULL;

    while (choices->layout[other->layout].basis == SEDGE_NODAL) other++;
    while (choices->layout[nodal->layout].basis != SEDGE_NODAL) nodal++;
    CHECK_OK(sedge_text_create(&changed));
    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
    for (char *line = text == NULL ? NULL : strtok(text, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        json_t *const root = json_loads(line, 0, NULL);
        const json_t *const key = json_object_get(root, "key");
        const json_int_t threads = json_integer_value(json_object_get(key, "multiprocessors"));
        const operator_candidate *const wanted = threads == 2 ? other : nodal;
        if (json_object_get(root, "choice") != NULL) {
            (void)json_object_set_new(root, "layout",
                                      json_string(choices->layout[wanted->layout].name));
            (void)json_object_set_new(root, "choice", json_string(wanted->name));
        }
        char *const again = json_dumps(root, JSON_COMPACT);
        CHECK_OK(sedge_text_add(changed, "%s\n", again == NULL ? "" : again));
        free(again);
        json_decref(root);
    }
    CHECK_OK(sedge_file_write(path, sedge_text_get(changed), sedge_text_length(changed)));
    sedge_text_free(changed);
    sedge_release(text);
}

// Ranks whose devices know of different bases run in the nodal one, and say why.
static void test_mixed_ranks(const kit_world *world)
{
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 1, .search_all = true};
    const sedge_operator_options recall = {.most_candidates = 1, .search_all = true};
    const bool odd = sedge_comm_rank(world->comm) % 2 == 1;
    const kit_options options = walls_options(2);
    sedge_operator_tuning tuning;
    operator_choices choices;
    kit_world mixed = *world;
    char path[4096];
    bernstein_case c;

    (void)snprintf(path, sizeof path, "%s/wisdom.jsonl", sedge_cache_folder(world->cache));
    CHECK(setenv("SEDGE_THREADS", odd ? "2" : "1", 1) == 0);
    CHECK_OK(sedge_device_create(&mixed.device, "host", sedge_comm_node_rank(world->comm),
                                 sedge_comm_node_size(world->comm)));
    if (!make_case(&c, &mixed, &options, 0.2, 1)) return;
    const operator_target target = {sedge_device_get_info(mixed.device), &c.k.base.problem,
                                    c.k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    CHECK_OK(kit_load(&c.k, SEDGE_FP64, &measure));
    sedge_comm_barrier(world->comm);
    if (sedge_comm_is_root(world->comm)) change_wisdom(path, &choices);
    sedge_comm_barrier(world->comm);
    CHECK_OK(kit_load(&c.k, SEDGE_FP64, &recall));
    CHECK_OK(kit_advance(&c.k, c.k.base.u, 0.2, c.dt, 1));
    CHECK_BOUND(kit_difference(&c.k, c.k.result, c.k.base.exact) / kit_rounding(SEDGE_FP64),
                MATCH_UNITS);
    sedge_operator_get_tuning(c.k.op, &tuning);
    CHECK(sedge_evolution_basis(c.k.evolution) == SEDGE_NODAL);
    CHECK(strcmp(tuning.how, odd ? "rule, for the other ranks' basis" : "wisdom") == 0);
    sedge_comm_barrier(world->comm);
    if (sedge_comm_is_root(world->comm)) CHECK(remove(path) == 0);
    operator_choices_clear(&choices);
    clear_case(&c);
    sedge_device_free(mixed.device);
    CHECK(setenv("SEDGE_THREADS", "1", 1) == 0);
}

// What verifies candidates passes what is right and says what is not, in its own basis.
static void test_sample(const kit_world *world, int order, sedge_precision precision)
{
    const kit_options options = walls_options(order);
    const double zero[SEDGE_GEOMETRY_WORDS * 64] = {0.0};
    operator_sample *sample = NULL;
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, precision, &by_variant));
    if (k.op != NULL) CHECK_OK(operator_sample_create(&sample, k.op, false));
    if (sample != NULL) {
        CHECK(operator_sample_fits(sample, k.op));
        CHECK_OK(operator_sample_fill(sample, k.op, sedge_evolution_fields(k.evolution)));
        CHECK_OK(operator_sample_verify(sample, k.op, sedge_evolution_fields(k.evolution)));
        CHECK_OK(sedge_buffer_upload(
            k.op->data.geometry, 0, zero,
            (int64_t)SEDGE_GEOMETRY_WORDS * k.op->layout.lanes * k.op->layout.real_bytes, NULL));
        CHECK_FAILS(operator_sample_verify(sample, k.op, sedge_evolution_fields(k.evolution)),
                    SEDGE_ERR_COMPUTE, "off the reference");
    }
    operator_sample_free(sample);
    kit_clear(&k);
}

static void test_refusals(const kit_world *world)
{
    const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    const sedge_operator_options named = {.config = "bernstein fused b1"};
    const sedge_operator_options typo = {.variant = "bernstine"};
    const kit_term terms[] = {{&kit_saturation, "domain", {1.0, 1.0}}, {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(1, 2);
    kit k;

    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &named), SEDGE_ERR_USAGE,
                "maxwell of order 1 has no kernel configuration 'bernstein fused b1' here");
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &typo), SEDGE_ERR_USAGE,
                "'bernstine' is not known; known are: " SEDGE_OPERATOR_VARIANTS);
    kit_clear(&k);
    options.terms = terms;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &by_variant), SEDGE_ERR_USAGE,
                "kernels.variant 'bernstein' needs linear terms of materials; here are maxwell in");
    kit_clear(&k);
    options.terms = NULL;
    options.equation = sedge_equation_find("burgers");
    options.flux_keys = keys;
    options.wall = "fixed";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &by_variant), SEDGE_ERR_USAGE,
                "kernels.variant 'bernstein' needs a linear equation; here are burgers in fp64");
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &named), SEDGE_ERR_USAGE, "needs a linear equation");
    kit_clear(&k);
}

// ---- slices ------------------------------------------------------------------------------------

// Coefficients of order N with first <= alpha_3 < end.
static int count_between(int order, int first, int end)
{
    int count = 0;

    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) count += k >= first && k < end;
        }
    }
    return count;
}

// The least maximum that the layers from `first` on can have in `slices` slices.
static int find_least(int order, int first, int slices)
{
    int least = INT_MAX;

    if (slices == 1) return count_between(order, first, order + 1);
    for (int end = first + 1; end <= order - slices + 2; end++) {
        const int own = count_between(order, first, end);
        const int rest = find_least(order, end, slices - 1);
        const int most = own > rest ? own : rest;
        if (most < least) least = most;
    }
    return least;
}

// Slices have all layers of coefficients, each at least one, and the largest is as small as can be.
static void test_cut(void)
{
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
        for (int slices = 1; slices <= order + 1; slices++) {
            int end[SEDGE_ORDER_MAX + 1];
            const int most = operator_bernstein_cut(end, order, slices);
            int largest = 0;
            for (int p = 0; p < slices; p++) {
                const int count = count_between(order, p > 0 ? end[p - 1] : 0, end[p]);
                CHECK(count > 0);
                if (count > largest) largest = count;
            }
            CHECK(end[slices - 1] == order + 1);
            CHECK(most == largest && most == find_least(order, 0, slices));
        }
    }
}

// For a device whose compiler is slow.
static void test_few(const kit_world *world)
{
    test_incident(world, 2);
    test_refusals(world);
}

// What one rank shows.
static void test_alone(const kit_world *world)
{
    kit_world own;

    if (!test_is_small()) {
        test_walls(world, 10, 0, 0);
        test_solve(world, 8, SEDGE_FP32, 0.01);
    }
    test_cut();
    test_advection(world);
    test_set_get(world);
    test_energy(world);
    test_named(world);
    test_sample(world, 3, SEDGE_FP32);
    if (!test_is_small()) test_sample(world, 10, SEDGE_FP64);
    test_refusals(world);
    use_own_cache(&own, world);
    test_searched(&own);
    sedge_cache_free(own.cache);
}

static void test_all(const kit_world *world)
{
    const int ranks = sedge_comm_size(world->comm);
    kit_world own;

    if (ranks == 1) test_alone(world);
    if (ranks == 1 && test_is_small()) return; // two ranks have the rest
    test_walls(world, 1, 1, 1);
    test_walls(world, 3, 0, 1);
    if (!test_is_small()) test_walls(world, 7, 1, 1);
    test_incident(world, 2);
    test_probe(world);
    test_snapshot(world);
    test_state_copy(world);
    if (ranks != 2 || sedge_device_get_info(world->device)->kind != SEDGE_DEVICE_HOST) return;
    use_own_cache(&own, world);
    test_mixed_ranks(&own);
    sedge_cache_free(own.cache);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_OPENCL) {
        test_few(&world);
    } else {
        test_all(&world);
    }
    kit_close(&world);
    return CHECK_END();
}
