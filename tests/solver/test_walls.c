// Faces with memory: walls and a film of a good conductor (solvers/maxwell/sheets) on devices
// against the slow reference, and in the reference the energy of fields and memory together.
#include "check.h"
#include "solver/kit.h"

#include "base/memory.h"
#include "maxwell/maxwell.h"
#include "maxwell/sheets/sheet_face.h"

#include "monitor/sample.h"

#include "curved_maps.h"
#include "sampled.h"

#include <string.h>

extern const sedge_integrator sedge_integrator_ader;
extern const sedge_face_kind sedge_face_conductor;
extern const sedge_face_kind sedge_face_film;

#define STEPS 4

static const double wall[4] = {200.0, 1.5, 0.3, 1.2};
static const double film[5] = {300.0, 1.0, 0.2, 1.0, 0.02};
static const sedge_mesh_enclosure core = {
    .name = "core", .shape = SEDGE_ENCLOSURE_BOX, .low = {0.3, 0.3, 0.3}, .high = {0.7, 0.7, 0.7}};

// The film is around the box's inmost cube.
static kit_options walls_options(int order)
{
    kit_options options = kit_defaults(order, 3);

    options.distort = 0.03;
    options.flux_keys = &kit_upwind[order % 3];
    options.wall_kind = &sedge_face_conductor.kind;
    options.wall_parameters = wall;
    options.enclosure = &core;
    options.enclosure_kind = &sedge_face_film.kind;
    options.enclosure_parameters = film;
    return options;
}

static const sedge_mesh_enclosure half = {
    .name = "core", .shape = SEDGE_ENCLOSURE_BOX, .low = {0.0, 0.3, 0.3}, .high = {0.5, 0.7, 0.7}};

// The same with a film that has other media on both of its sides, in part on two ranks.
static kit_options media_options(void)
{
    kit_options options = walls_options(2);

    options.cells[0] = 4;
    options.enclosure = &half;
    options.split_axis = 0;
    options.materials[1] = kit_resin;
    return options;
}

// The same by ADER with local time steps. Both sides of the film have one level, walls have all.
static kit_options levels_options(int order)
{
    kit_options options = walls_options(order);

    options.cells[0] = 4;
    options.enclosure = &half;
    options.flux_keys = NULL; // upwind
    options.integrator = &sedge_integrator_ader;
    options.levels = "0112";
    return options;
}

// Of fields and memory, the device's beside the reference's.
static void check_energy(kit *k, sedge_precision precision)
{
    double *own = NULL;

    CHECK_OK(sedge_allocate(&own, k->base.mesh->elements, sizeof *own));
    sedge_reference_energy(k->base.reference, k->base.exact, own);
    const double exact = sedge_sample_sum(k->world->comm, k->base.mesh->elements, own);
    CHECK_BOUND(fabs(kit_energy(k) / exact - 1.0), 2000.0 * kit_rounding(precision));
    sedge_release(own);
}

// Some steps from the same random fields. fp64 with rounding of sums in another order; fp32 with
// that of each stage.
static void test_device(const kit_world *world, const kit_options *options, const char *variant,
                        bool narrow, bool wide)
{
    const sedge_operator_options config = {.variant = variant};
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK((k.base.mesh->global_curved > 0) == (options->box_map != NULL));
    CHECK((k.base.mesh->levels > 1) == (options->levels != NULL));
    dg_case_random(&k.base, k.base.u);
    const double dt = kit_time_step(&k, 0.5);
    memcpy(k.base.exact, k.base.u, (size_t)k.base.values * sizeof *k.base.u);
    for (int i = 0; i < STEPS; i++)
        CHECK_OK(sedge_reference_step(k.base.reference, k.base.exact, i * dt, dt));
    for (int p = 0; p < 2; p++) {
        const sedge_precision precision = p == 1 ? SEDGE_FP64 : SEDGE_FP32;
        if (!(p == 1 ? wide : narrow)) continue;
        CHECK_OK(kit_load(&k, precision, &config));
        CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, STEPS));
        CHECK_BOUND(kit_difference(&k, k.result, k.base.exact), 2000.0 * kit_rounding(precision));
        CHECK_BOUND(kit_memory_difference(&k), 2000.0 * kit_rounding(precision));
        check_energy(&k, precision);
    }
    kit_clear(&k);
}

// ---- energy ------------------------------------------------------------------------------------

// 1/2 sum_k (c_k q_k^2 + c'_k q'_k^2) / p_k at a face node and component i, of a wall the first
// only.
static double find_density(const double *p, bool is_film, const double *q, int64_t stride, int i,
                           int other)
{
    double sum = 0.0;

    for (int k = 0; k < (int)p[WALL_POLES]; k++) {
        const double *const row = p + WALL_POLE + 3 * k;
        for (int which = 0; which <= is_film; which++) {
            const double *const own = q + ((int64_t)k * (is_film ? 6 : 3) + 3 * which) * stride;
            sum += 0.5 * row[1 + which] / row[0] * own[i] * own[other];
        }
    }
    return sum;
}

// That of all memory of this rank.
static double find_memory_energy(dg_case *c)
{
    const int nf = c->element->face_nodes;
    const int64_t size = (int64_t)sedge_problem_face_memory(&c->problem) * nf;
    const double *const memory = sedge_reference_face_memory(c->reference);
    double sum = 0.0;

    for (int32_t s = 0; s < c->mesh->boundary_faces; s++) {
        const sedge_trace_face *const face = &c->mesh->trace_faces[c->mesh->halo_faces + s];
        const sedge_boundary *const boundary = &c->problem.boundaries[face->group];
        const bool is_film = boundary->kind == &sedge_face_film.kind;
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, c->mesh->corners[face->element]);
        const double area = geometry.face_scale[face->face] * geometry.jacobian;
        for (int d = 0; d < 3; d++) {
            const double *const q = memory + s * size + (int64_t)d * nf;
            for (int i = 0; i < nf; i++) {
                for (int j = 0; j < nf; j++) {
                    sum += area * c->element->face_mass[i * nf + j] *
                           find_density(boundary->parameters, is_film, q, nf, i, j);
                }
            }
        }
    }
    return sum;
}

// That of fields and memory; without fields it is that of the memory.
static double find_energy(dg_case *c, double *own)
{
    double sum[3] = {0.0, 0.0, find_memory_energy(c)};
    double *none = NULL;

    CHECK_OK(sedge_allocate(&none, c->values, sizeof *none));
    for (int i = 0; i < 2; i++) {
        sedge_reference_energy(c->reference, i == 0 ? c->u : none, own);
        for (int32_t e = 0; e < c->mesh->elements; e++) sum[i] += own[e];
    }
    sedge_release(none);
    sedge_comm_sum(c->comm, sum, 3);
    CHECK_BOUND(fabs(sum[1] - sum[2]), 1e-12 * sum[2]);
    return sum[0];
}

// With residues of at least 0 it falls in each step, from random fields. The walls' memory holds
// some of it.
static void test_energy(const kit_world *world, const kit_options *options)
{
    double *own = NULL;
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(sedge_allocate(&own, k.base.mesh->elements, sizeof *own));
    dg_case_random(&k.base, k.base.u);
    const double dt = kit_time_step(&k, 0.5);
    double before = find_energy(&k.base, own);
    double most = 0.0;
    for (int i = 0; i < (test_is_small() ? 8 : 30); i++) {
        CHECK_OK(sedge_reference_step(k.base.reference, k.base.u, i * dt, dt));
        const double after = find_energy(&k.base, own);
        CHECK(after < before);
        before = after;
        double share = find_memory_energy(&k.base);
        sedge_comm_sum(world->comm, &share, 1);
        most = fmax(most, share / after);
    }
    CHECK(most > 1e-3);
    sedge_release(own);
    kit_clear(&k);
}

// One precision of two where the programs are large.
static void test_kernels(const kit_world *world)
{
    const bool in_call = sedge_device_get_traits(world->device)->in_call;
    const bool few = test_is_sampled(); // each in one precision
    kit_options options = media_options();

    test_device(world, &options, "auto", !few, true);
    options = walls_options(2);
    options.box_map = curved_corner; // some elements
    options.distort = 0.0; // it moves corners alone: no valid mesh, both sides' faces differ
    test_device(world, &options, "auto", true, !few);
    options = media_options();
    options.box_map = curved_wave; // all
    options.distort = 0.0;
    if (in_call && !test_is_small()) test_device(world, &options, "fused", true, true);
    options = walls_options(3);
    if (!few && !test_is_small()) test_device(world, &options, "fused", true, true);
    options = levels_options(2);
    test_device(world, &options, "auto", !in_call, in_call);
    options.box_map = curved_corner;
    options.distort = 0.0;
    if (in_call) test_device(world, &options, "auto", true, false);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm != NULL) {
        test_kernels(&world);
        if (sedge_device_get_traits(world.device)->in_call) {
            kit_options options = walls_options(2);
            const double central = 0.0; // no loss of their own
            options.flux_keys = &central;
            if (!test_is_small()) test_energy(&world, &options);
            options = levels_options(2);
            test_energy(&world, &options);
        }
        kit_close(&world);
    }
    return CHECK_END();
}
