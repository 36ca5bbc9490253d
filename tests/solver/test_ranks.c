// However many ranks, whatever device: the same fields to rounding, and of the same fields the same
// energy to the last bit. And on one kind of device the same fields to the last bit where some
// elements are curved.
//
// The run with one rank on the host writes its fields, by global element number; the others read
// them (CTest's fixtures keep that order). 40 steps, two media of which one has a term with memory,
// walls of three kinds, a dipole.
#include "match.h"

#include "base/file.h"
#include "base/memory.h"
#include "curved_maps.h"

#include <stdio.h>
#include <stdlib.h>

// What 40 steps may do to a rounding error: 400 units, 4.4e-14 in fp64 and 2.4e-5 in fp32 of the
// largest value. Sums of an element have the same order on any number of ranks.
#define UNITS_OF_RUN (8.0 * MATCH_UNITS)

static const double glass[3] = {2.25, 1.5, 0.3};
static const kit_term terms[] = {{&kit_relaxation, "right", {0.8, 0.3}}, {NULL, NULL, {0.0}}};
static const kit_wall walls[] = {
    {"xmin", "pec", 0.0}, {"ymax", "pmc", 0.0}, {"zmax", "impedance", 0.5}, {NULL, NULL, 0.0}};
static const double dipole[12] = {0.2, 0.22, -0.7, SEDGE_SIGNAL_RICKER, 0.5, 1.0, 0.0, 1.0, 0.0,
                                  1.0, -2.0, 0.5};

static const double curved_dipole[12] = {
    0.8, 0.78, 0.83, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
extern const sedge_term_kind sedge_term_debye;
extern const sedge_integrator sedge_integrator_ader;

static void get_path(char *path, size_t size, const char *what, int order)
{
    (void)snprintf(path, size, "%s/ranks-%s-n%d", SEDGE_TEST_DIR, what, order);
}

static bool is_writer(const kit_world *world)
{
    return sedge_comm_size(world->comm) == 1 &&
           sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_HOST;
}

// Fields of this run against those of one rank on the host in fp64.
static void compare_fields(kit *k, int order)
{
    char path[4096];

    get_path(path, sizeof path, "fields", order);
    const double dt = kit_time_step(k, 0.8);
    CHECK_OK(kit_load(k, SEDGE_FP64, NULL));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 40));
    if (is_writer(k->world)) CHECK_OK(kit_write(k, k->result, path));
    const sedge_status status = sedge_comm_agree(k->world->comm, kit_read(k, k->base.exact, path));
    CHECK_OK(status);
    if (status != SEDGE_OK) return;
    CHECK_BOUND(kit_difference(k, k->result, k->base.exact),
                UNITS_OF_RUN * kit_rounding(SEDGE_FP64));
    CHECK_OK(kit_load(k, SEDGE_FP32, NULL));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 40));
    CHECK_BOUND(kit_difference(k, k->result, k->base.exact),
                UNITS_OF_RUN * kit_rounding(SEDGE_FP32));
}

// The energy of the same fields, as text that shows every bit; devices may differ in the last ones.
static void compare_energy(kit *k, int order)
{
    char path[4096], mine[64], what[32];
    char *theirs = NULL;
    size_t length;

    (void)snprintf(what, sizeof what, "energy-%s",
                   sedge_device_get_info(k->world->device)->kind_name);
    get_path(path, sizeof path, what, order);
    CHECK_OK(kit_load(k, SEDGE_FP64, NULL));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, 0.0, 0));
    (void)snprintf(mine, sizeof mine, "%a", kit_energy(k));
    if (sedge_comm_size(k->world->comm) == 1) CHECK_OK(sedge_file_write(path, mine, strlen(mine)));
    CHECK_OK(sedge_file_read(&theirs, &length, path, SEDGE_ERR_DATA));
    CHECK(theirs != NULL && strcmp(mine, theirs) == 0);
    sedge_release(theirs);
}

// The fields must be those of one rank on the same device to the last bit, in a mesh of straight
// and curved elements, whose state is covariant: by a Runge-Kutta method, or with local time steps.
static void test_curved(const kit_world *world, int order, const char *levels)
{
    static const kit_term alike[] = {{&sedge_term_debye, "above", {0.8, 0.5}}, {NULL, NULL, {0.0}}};
    const sedge_device_info *const info = sedge_device_get_info(world->device);
    kit_options options = kit_defaults(order, 3);
    char path[4096], what[32];
    kit k;

    options.box_map = curved_corner;
    options.split_axis = 0;
    options.materials[1] = glass;
    options.terms = alike;
    options.walls = kit_all_walls;
    options.dipole = curved_dipole;
    options.levels = levels;
    if (levels != NULL) options.integrator = &sedge_integrator_ader;
    (void)snprintf(what, sizeof what, "%s-%s", levels != NULL ? "levels" : "curved",
                   info->kind_name);
    get_path(path, sizeof path, what, order);
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(sedge_cubature_state_is_covariant(&k.base.problem));
    CHECK(k.base.mesh->global_curved > 0);
    CHECK(k.base.mesh->global_curved < k.base.mesh->global_elements);
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(kit_load(&k, order % 2 == 0 ? SEDGE_FP32 : SEDGE_FP64, NULL));
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, kit_time_step(&k, 0.8), 10));
    if (sedge_comm_size(world->comm) == 1) CHECK_OK(kit_write(&k, k.result, path));
    const sedge_status status = sedge_comm_agree(world->comm, kit_read(&k, k.base.exact, path));
    CHECK_OK(status);
    if (status == SEDGE_OK) CHECK(kit_difference(&k, k.result, k.base.exact) == 0.0);
    kit_clear(&k);
}

static void test_order(const kit_world *world, int order)
{
    kit_options options = kit_defaults(order, 1);
    kit k;

    options.file = "two-block.msh";
    options.materials[1] = glass;
    options.walls = walls;
    options.terms = terms;
    options.wall = "absorbing";
    options.dipole = dipole;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    compare_fields(&k, order);
    compare_energy(&k, order);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_order(&world, 2);
    test_order(&world, 4);
    for (int order = 2; order <= 3; order++) {
        test_curved(&world, order, NULL);
        test_curved(&world, order, "012");
    }
    kit_close(&world);
    return CHECK_END();
}
