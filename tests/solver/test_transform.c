// Transforms of recorded samples on the device against sums made here, one by one, of what the
// probes recorded: nodes and places between them, some fields of some points, one frequency to
// fifty. To the bit the same in batches of any size, and when sums are taken away and set again.
#include "kit.h"

#include "check.h"
#include "sampled.h"

#include "base/memory.h"
#include "evolve/probes.h"
#include "evolve/transform.h"

#include <float.h>
#include <string.h>

enum { STEPS = 7, BATCH = 3, FIRST = 2, FIELDS = 6, FREQUENCIES = 50 };

static const int component[] = {1, 5, 3};
enum { COMPONENTS = sizeof component / sizeof *component };

// All nodes of the last element, by rows that they share with nobody, then two places that lie
// between nodes in other elements and have one row together.
typedef struct transform_case {
    kit k;
    int points;
    int32_t *elements, *rows;
    double *weights;
    double *phases;  // [STEPS][2 * FREQUENCIES]
    double *samples; // [STEPS][points][FIELDS]
    double dt;
} transform_case;

static void fill_case(transform_case *c)
{
    const sedge_element *const element = c->k.base.element;
    const int nodes = element->nodes;
    const int32_t last = c->k.base.mesh->elements - 1;

    c->points = nodes + 2;
    CHECK_OK(sedge_allocate(&c->elements, c->points, sizeof *c->elements));
    CHECK_OK(sedge_allocate(&c->rows, c->points, sizeof *c->rows));
    CHECK_OK(sedge_allocate(&c->weights, ((int64_t)nodes + 1) * nodes, sizeof *c->weights));
    CHECK_OK(sedge_allocate(&c->phases, 2LL * STEPS * FREQUENCIES, sizeof *c->phases));
    CHECK_OK(sedge_allocate(&c->samples, (int64_t)STEPS * c->points * FIELDS, sizeof(double)));
    for (int n = 0; n < nodes; n++) {
        c->elements[n] = last;
        c->rows[n] = n;
        c->weights[(int64_t)n * nodes + n] = 1.0;
    }
    CHECK_OK(
        sedge_element_interpolate(element, -0.5, -0.6, -0.7, c->weights + (int64_t)nodes * nodes));
    for (int i = 0; i < 2; i++) {
        c->elements[nodes + i] = i * (last / 2);
        c->rows[nodes + i] = nodes;
    }
    for (int i = 0; i < STEPS * FREQUENCIES; i++) {
        c->phases[2 * i] = cos(0.1 + 0.37 * i);
        c->phases[2 * i + 1] = -sin(0.1 + 0.37 * i);
    }
}

static sedge_probes *make_probes(const transform_case *c, int capacity)
{
    const sedge_probe_points points = {c->points, c->elements, c->rows,
                                       c->k.base.element->nodes + 1, c->weights};
    sedge_probes *probes = NULL;

    CHECK_OK(sedge_probes_create(&probes, c->k.evolution, &points, capacity));
    return probes;
}

static sedge_transform *make_transform(const transform_case *c, const sedge_probes *probes,
                                       int frequencies)
{
    const sedge_transform_part part = {FIRST, c->points - FIRST, COMPONENTS, component,
                                       2 * frequencies};
    sedge_transform *transform = NULL;

    CHECK_OK(sedge_transform_create(&transform, probes, &part));
    return transform;
}

// Run from the start, with what is recorded added in batches of at most `batch`; before the second
// batch the sums go to another transform. What was recorded is kept in c->samples.
static void run(transform_case *c, int frequencies, int batch, double *sums)
{
    const int numbers = 2 * frequencies;
    sedge_probes *const probes = make_probes(c, batch);
    sedge_transform *transform = make_transform(c, probes, frequencies);
    int added = 0;
    int samples = 0;

    CHECK_OK(sedge_evolution_set(c->k.evolution, c->k.base.u));
    for (int s = 0; s < STEPS; s++) {
        CHECK_OK(sedge_probes_record(probes));
        CHECK_OK(sedge_evolution_step(c->k.evolution, s * c->dt, c->dt));
        if (s + 1 - added < batch && s + 1 < STEPS) continue;
        if (added == batch) {
            CHECK_OK(sedge_transform_get(transform, sums));
            sedge_transform_free(transform);
            transform = make_transform(c, probes, frequencies);
            CHECK_OK(sedge_transform_set(transform, sums));
        }
        CHECK_OK(sedge_transform_add(transform, c->phases + (int64_t)added * numbers));
        CHECK_OK(
            sedge_probes_fetch(probes, c->samples + (int64_t)added * c->points * FIELDS, &samples));
        CHECK(samples == s + 1 - added);
        sedge_probes_forget(probes);
        added += samples;
    }
    CHECK(added == STEPS);
    CHECK_OK(sedge_transform_get(transform, sums));
    sedge_transform_free(transform);
    sedge_probes_free(probes);
}

// Each sum has STEPS terms, each of which is rounded once or twice.
static void compare(const transform_case *c, int frequencies, const double *sums)
{
    const int numbers = 2 * frequencies;
    double largest = 0.0;
    double worst = 0.0;

    for (int64_t at = 0; at < (int64_t)(c->points - FIRST) * COMPONENTS * numbers; at++) {
        const int64_t value = at / numbers;
        const int64_t place = (FIRST + value / COMPONENTS) * FIELDS + component[value % COMPONENTS];
        double sum = 0.0;
        double size = DBL_MIN;

        for (int s = 0; s < STEPS; s++) {
            const double term = c->phases[s * numbers + at % numbers] *
                                c->samples[(int64_t)s * c->points * FIELDS + place];
            sum += term;
            size += fabs(term);
        }
        worst = fmax(worst, fabs(sums[at] - sum) / size);
        largest = fmax(largest, fabs(sum));
    }
    CHECK(largest > 0.01);
    CHECK_BOUND(worst / DBL_EPSILON, 2.0 * STEPS);
}

static void test_transforms(const kit_world *world, const char *variant)
{
    static const int frequencies[] = {1, 3, FREQUENCIES};
    const sedge_operator_options options = {.variant = variant};
    kit_options start = kit_defaults(2, 2);
    transform_case c = {0};

    start.wall = "pec";
    CHECK_OK(kit_create(&c.k, world, &start));
    dg_case_random(&c.k.base, c.k.base.u);
    fill_case(&c);
    c.dt = kit_time_step(&c.k, 0.5);
    CHECK_OK(kit_load(&c.k, SEDGE_FP32, &options));
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        const int64_t count = 2LL * (c.points - FIRST) * COMPONENTS * frequencies[i];
        double *parts = NULL;
        double *whole = NULL;

        CHECK_OK(sedge_allocate(&parts, count, sizeof *parts));
        CHECK_OK(sedge_allocate(&whole, count, sizeof *whole));
        run(&c, frequencies[i], BATCH, parts);
        compare(&c, frequencies[i], parts);
        run(&c, frequencies[i], STEPS, whole);
        CHECK(memcmp(parts, whole, (size_t)count * sizeof *parts) == 0);
        sedge_release(parts);
        sedge_release(whole);
    }
    sedge_release(c.elements);
    sedge_release(c.rows);
    sedge_release(c.weights);
    sedge_release(c.phases);
    sedge_release(c.samples);
    kit_clear(&c.k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_transforms(&world, "fused");
    if (!test_is_sampled()) test_transforms(&world, "bernstein"); // the transform's own is the same
    kit_close(&world);
    return CHECK_END();
}
