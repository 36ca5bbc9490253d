// The matrix of a time step, from what the evolution makes of unit vectors: fields, and the memory
// of terms and walls. Its eigenvalues say whether anything can grow, however slowly
// (step_matrix.py).
//
//   step_matrix CASE ORDER INTEGRATOR CFL FILE
//
// A row of cubes between conductors with planted slivers: `cavity` of vacuum, `media` with a
// dispersive half that an absorbing layer continues, `walls` of vacuum between walls of a good
// conductor, which have memory; `radial` is a part of a ball, of curved elements,
// with a layer along rays, `radial-medium` the same of a dispersive conductor; `curved` has curved
// elements and no slivers, `curved-medium` the same of a dispersive medium without losses, and
// `bent-levels` and `bent-medium` curved elements that become thinner towards one end. `ader` takes
// the local time steps that a run would take. Writes the matrix column by column, fp64, to FILE and
// prints the number of unknowns, of levels and of steps of the finest level.
#include "kit.h"

#include "base/memory.h"
#include "check.h"
#include "curved_maps.h"
#include "dg/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const sedge_face_kind sedge_face_conductor;
extern const sedge_term_kind sedge_term_debye, sedge_term_lorentz, sedge_term_pml_side,
    sedge_term_pml_radial;

// Cubes in a row. One corner comes so near to the next cube that the tetrahedra there become
// slivers, a tenth as thick.
static void plant(double x[3], double cells)
{
    const bool is_planted =
        fabs(cells * x[0] - floor(cells / 2.0)) < 1e-9 && x[1] < 0.1 && x[2] < 0.1;

    x[0] = cells * x[0] + (is_planted ? 0.9 : 0.0);
}

static void plant_three(double x[3])
{
    plant(x, 3.0);
}

static void plant_two(double x[3])
{
    plant(x, 2.0);
}

static void squeeze(const double x[3], double moved[3])
{
    curved_bulge(x, moved);
    moved[0] *= 0.2 + 0.8 * moved[0];
}

// A part of a ball between planes through its centre, thinner towards it.
static void open_out(const double x[3], double moved[3])
{
    const double ray[3] = {1.0, 0.6 * x[1] - 0.3, 0.6 * (x[1] + x[2]) - 0.6};
    const double length = sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]);

    for (int d = 0; d < 3; d++) moved[d] = (0.3 + 0.7 * x[0]) * ray[d] / length;
}

typedef struct matrix_case {
    const char *name;
    int cells; // cubes
    void (*move)(double x[3]);
    const kit_term *terms;                               // NULL: one medium and no layer
    const double *wall;                                  // NULL: perfect conductors
    void (*box_map)(const double x[3], double moved[3]); // NULL: straight elements
} matrix_case;

static const kit_term media[] = {{&sedge_term_debye, "above", {1.0, 0.15}},
                                 {&sedge_term_debye, "above-layer-x", {1.0, 0.15}},
                                 {&sedge_term_lorentz, "above", {1.0, 0.7, 0.02}},
                                 {&sedge_term_lorentz, "above-layer-x", {1.0, 0.7, 0.02}},
                                 {&sedge_term_pml_side, "above-layer-x", {9.0, 1.5, 1.0, 0.0, 0.0}},
                                 {NULL, NULL, {0.0}}};
static const kit_term lossless[] = {{&sedge_term_lorentz, "domain", {0.7, 0.8, 0.0}},
                                    {NULL, NULL, {0.0}}};
static const kit_term radial[] = {{&sedge_term_pml_radial, "domain-layer-r", {4.0, 0.6}},
                                  {NULL, NULL, {0.0}}};
static const kit_term radial_medium[] = {{&sedge_term_debye, "domain", {1.0, 0.15}},
                                         {&sedge_term_debye, "domain-layer-r", {1.0, 0.15}},
                                         {&sedge_term_pml_radial, "domain-layer-r", {4.0, 0.6}},
                                         {NULL, NULL, {0.0}}};
static const double wall[4] = {200.0, 1.5, 0.3, 1.2};
static const matrix_case cases[] = {{"cavity", 3, plant_three, NULL, NULL, NULL},
                                    {"media", 2, plant_two, media, NULL, NULL},
                                    {"walls", 3, plant_three, NULL, wall, NULL},
                                    {"radial", 1, NULL, radial, NULL, open_out},
                                    {"radial-medium", 1, NULL, radial_medium, NULL, open_out},
                                    {"curved", 2, NULL, NULL, NULL, curved_bulge},
                                    {"curved-medium", 2, NULL, lossless, NULL, curved_bulge},
                                    {"bent-levels", 4, NULL, NULL, NULL, squeeze},
                                    {"bent-medium", 4, NULL, lossless, NULL, squeeze}};

static kit_options case_options(const matrix_case *which, int order,
                                const sedge_integrator *integrator)
{
    static const char *const sides[] = {"xmax"};
    static const kit_wall walls[] = {{"xmax", "absorbing", 0.0}, {NULL, NULL, 0.0}};
    kit_options options = kit_defaults(order, 1);

    options.cells[0] = which->cells;
    options.move = which->move;
    options.box_map = which->box_map;
    options.integrator = integrator;
    options.flux_keys = NULL; // upwind
    options.wall = "pec";
    options.terms = which->terms;
    if (which->terms == radial_medium) options.materials[0] = kit_conductor;
    if (which->wall != NULL) {
        options.wall_kind = &sedge_face_conductor.kind;
        options.wall_parameters = which->wall;
    }
    if (which->terms == media) options.split_axis = 0;
    if (which->box_map == open_out || which->terms == media) {
        options.walls = walls;
        options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = sides, .layers = 1};
    }
    return options;
}

// The same for all elements, whatever they are.
static double cost_one(const sedge_integrator *integrator, int order, sedge_pass_kind kind,
                       int words)
{
    (void)integrator, (void)order, (void)kind, (void)words;
    return 1.0;
}

// The longest step of the case, in the levels that a run has.
static sedge_status choose_step(double *dt, kit *k, double cfl)
{
    const sedge_levels_options options = {.cfl = cfl,
                                          .most = k->base.problem.integrator->predictor ? 4 : 1,
                                          .threads = 1,
                                          .cost = cost_one};
    sedge_levels levels;

    sedge_status status =
        sedge_levels_choose(&levels, k->world->comm, &k->base.problem, k->base.mesh, &options);
    if (status == SEDGE_OK && levels.levels > 1)
        status = sedge_mesh_set_levels(k->base.mesh, k->world->comm, levels.level);
    *dt = ldexp(levels.dt, levels.levels - 1);
    sedge_levels_clear(&levels);
    return status;
}

static int64_t block_size(const kit *k, int i)
{
    const sedge_block *const block = sedge_evolution_block(k->evolution, i);

    return (int64_t)block->elements * block->components * block->nodes;
}

static sedge_status get_state(kit *k, double *state)
{
    for (int i = 0; i < sedge_evolution_blocks(k->evolution); state += block_size(k, i++))
        SEDGE_TRY(sedge_evolution_get_block(k->evolution, i, SEDGE_NODAL, state));
    return SEDGE_OK;
}

// One column: the state after a step from a unit vector. Constants of the memory, which have a
// column too, are as in `start`, where all unknowns are 0; they keep their values.
static sedge_status step_unit(kit *k, double *state, const double *start, int64_t unknowns,
                              int64_t unit, double dt)
{
    memcpy(state, start, (size_t)unknowns * sizeof *state);
    state[unit] += 1.0;
    double *at = state;
    for (int i = 0; i < sedge_evolution_blocks(k->evolution); at += block_size(k, i++))
        SEDGE_TRY(sedge_evolution_set_block(k->evolution, i, SEDGE_NODAL, at));
    SEDGE_TRY(sedge_evolution_step(k->evolution, 0.0, dt));
    SEDGE_TRY(get_state(k, state));
    for (int64_t i = 0; i < unknowns; i++) state[i] -= start[i];
    return SEDGE_OK;
}

static sedge_status write_matrix(kit *k, double dt, FILE *file)
{
    int64_t unknowns = 0;
    double *state = NULL, *start = NULL;
    sedge_status status;

    for (int i = 0; i < sedge_evolution_blocks(k->evolution); i++) unknowns += block_size(k, i);
    SEDGE_TRY_GOTO(status, sedge_allocate(&state, unknowns, sizeof *state));
    SEDGE_TRY_GOTO(status, sedge_allocate(&start, unknowns, sizeof *start));
    SEDGE_TRY_GOTO(status, get_state(k, start));
    for (int64_t i = 0; i < unknowns && status == SEDGE_OK; i++) {
        status = step_unit(k, state, start, unknowns, i, dt);
        if (fwrite(state, sizeof *state, (size_t)unknowns, file) != (size_t)unknowns)
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "the matrix cannot be written");
    }
    const int levels = k->base.mesh->levels;
    printf("%lld %d %d\n", (long long)unknowns, levels, 1 << (levels - 1));
done:
    sedge_release(state);
    sedge_release(start);
    return status;
}

static sedge_status run_case(const kit_world *world, char **words)
{
    const matrix_case *which = NULL;
    const sedge_integrator *const integrator = sedge_integrator_find(words[3]);
    double dt;
    sedge_status status;
    kit k;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(words[1], cases[i].name) == 0) which = &cases[i];
    if (which == NULL || integrator == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "no case '%s', or no integrator '%s'", words[1],
                          words[3]);
    }
    FILE *const file = fopen(words[5], "wb");
    if (file == NULL) return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' cannot be written", words[5]);
    const kit_options options = case_options(which, atoi(words[2]), integrator);
    SEDGE_TRY_GOTO(status, kit_create(&k, world, &options));
    SEDGE_TRY_GOTO(status, choose_step(&dt, &k, atof(words[4])));
    SEDGE_TRY_GOTO(status, kit_load(&k, SEDGE_FP64, NULL));
    SEDGE_TRY_GOTO(status, write_matrix(&k, dt, file));
done:
    kit_clear(&k);
    CHECK(fclose(file) == 0);
    return status;
}

int main(int argc, char **argv)
{
    kit_world world;

    if (argc != 6) {
        (void)fprintf(stderr, "step_matrix CASE ORDER INTEGRATOR CFL FILE\n");
        return 2;
    }
    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    CHECK_OK(run_case(&world, argv));
    kit_close(&world);
    return CHECK_END();
}
