// A Debye medium (debye_term.c) on a device gives what the slow reference gives: fields and memory,
// where one group has the term and where two have it with different parameters, on straight and on
// curved elements, with nodal values and with coefficients as state.
#include "check.h"
#include "solver/match.h"

#include "base/memory.h"
#include "dg/bernstein.h"
#include "dg/random.h"
#include "solver/curved_maps.h"

extern const sedge_term_kind sedge_term_debye;

static const double water[2] = {3.0, 0.15};
static const double ice[2] = {1.2, 0.4};

// The memory on the device and in the reference, after some steps.
typedef struct memories {
    int64_t values;
    double *start, *exact, *result;
} memories;

static void make_memories(memories *m, const kit *k)
{
    const sedge_mesh *const mesh = k->base.mesh;
    const sedge_term *const term = &k->base.problem.terms[0];
    const int64_t values = 3 * (int64_t)k->base.element->nodes;
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++) count += term->present[mesh->group[e]];
    *m = (memories){.values = count * values};
    CHECK_OK(sedge_allocate(&m->start, m->values, sizeof(double)));
    CHECK_OK(sedge_allocate(&m->exact, m->values, sizeof(double)));
    CHECK_OK(sedge_allocate(&m->result, m->values, sizeof(double)));
    double *next = m->start;
    for (int32_t e = 0; e < mesh->elements; e++) { // the same on any number of ranks
        uint64_t seed = 77 + (uint64_t)mesh->global_ids[e];
        if (!term->present[mesh->group[e]]) continue;
        for (int64_t i = 0; i < values; i++) *next++ = random_value(&seed);
    }
}

static void free_memories(memories *m)
{
    sedge_release(m->start);
    sedge_release(m->exact);
    sedge_release(m->result);
}

// The largest difference, relative to the largest value.
static double compare(const memories *m)
{
    double worst[2] = {0.0, 0.0};

    for (int64_t i = 0; i < m->values; i++) {
        worst[0] = fmax(worst[0], fabs(m->result[i] - m->exact[i]));
        worst[1] = fmax(worst[1], fabs(m->exact[i]));
    }
    return worst[0] / fmax(worst[1], 1e-300);
}

// Two steps on the device, in one precision and form, against the reference's.
static void match_form(kit *k, memories *m, double dt, sedge_precision precision,
                       const char *variant)
{
    const sedge_operator_options config = {.variant = variant};
    double bound = MATCH_UNITS * kit_rounding(precision);
    sedge_bernstein *basis = NULL;

    if (strcmp(variant, "bernstein") == 0) { // as in test_operator_curved.c
        CHECK_OK(sedge_bernstein_create(&basis, k->base.element));
        if (basis != NULL) bound *= basis->norm;
        sedge_bernstein_free(basis);
    }
    CHECK_OK(kit_load(k, precision, &config));
    if (k->evolution == NULL) return;
    CHECK(sedge_evolution_blocks(k->evolution) == 2);
    const sedge_block *const block = sedge_evolution_block(k->evolution, 1);
    CHECK(strcmp(block->name, "debye") == 0 && block->components == 3);
    CHECK((int64_t)block->elements * 3 * k->base.element->nodes == m->values);
    CHECK_OK(sedge_evolution_set_block(k->evolution, 1, SEDGE_NODAL, m->start));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 2));
    CHECK_BOUND(kit_difference(k, k->result, k->base.exact), bound);
    CHECK_OK(sedge_evolution_get_block(k->evolution, 1, SEDGE_NODAL, m->result));
    CHECK_BOUND(compare(m), bound);
}

static void test_medium(const kit_world *world, bool curved, const double *below)
{
    kit_options options = kit_defaults(2, curved ? 3 : 2);
    memories m;
    kit k;

    options.split_axis = curved ? 2 : 0;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.term = &sedge_term_debye;
    options.term_parameters[0] = below;
    options.term_parameters[1] = water;
    if (curved) {
        options.box_map = curved_corner;
    } else {
        options.distort = 0.05;
    }
    CHECK_OK(kit_create(&k, world, &options));
    make_memories(&m, &k);
    dg_case_random(&k.base, k.base.u);
    memcpy(sedge_reference_memory(k.base.reference, 0), m.start,
           (size_t)m.values * sizeof *m.start);
    const double dt = match_reference(&k, 0.0, 2);
    memcpy(m.exact, sedge_reference_memory(k.base.reference, 0),
           (size_t)m.values * sizeof *m.exact);
    match_form(&k, &m, dt, curved ? SEDGE_FP32 : SEDGE_FP64, "fused");
    match_form(&k, &m, dt, curved ? SEDGE_FP64 : SEDGE_FP32, "bernstein");
    free_memories(&m);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_medium(&world, false, NULL);
    test_medium(&world, false, ice); // the same programs
    if (sedge_device_get_info(world.device)->kind != SEDGE_DEVICE_OPENCL)
        test_medium(&world, true, NULL); // PoCL takes seconds for a program
    kit_close(&world);
    return CHECK_END();
}
