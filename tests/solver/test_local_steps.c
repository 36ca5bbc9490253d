// Steps of the integrator ader on a device, of one length and by levels, give what the slow
// reference gives: conductors, media with memory and tensors, absorbing layers, walls, incident
// waves, total fields, dipoles, periodic sides, on any number of ranks. Levels change an exact
// solution's error little, and random fields only lose energy.
//
//   test_local_steps [random | long]
// long: whole solves.
#include "match.h"

#include "curved_maps.h"
#include "sampled.h"

#include "dg/point.h"
#include "dg/predictor.h"
#include "operator/predictor_kernels.h"

#include <string.h>

extern const sedge_integrator sedge_integrator_ader;
extern const sedge_term_kind sedge_term_anisotropic_epsilon, sedge_term_anisotropic_mu,
    sedge_term_debye, sedge_term_drude, sedge_term_lorentz, sedge_term_magnetic_debye,
    sedge_term_magnetic_lorentz, sedge_term_pml_side, sedge_term_pml_edge, sedge_term_pml_corner,
    sedge_term_pml_radial;

static kit_options start(kit_options options, const char *levels)
{
    options.integrator = &sedge_integrator_ader;
    options.flux_keys = NULL; // upwind
    options.levels = levels;
    return options;
}

// Two steps from random fields in one precision, or in both.
static void match_steps(const kit_world *world, const kit_options *options, double t)
{
    const sedge_operator_options config = {.variant = "bernstein"};
    sedge_bernstein *basis = NULL;
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(sedge_bernstein_create(&basis, k.base.element));
    CHECK((k.base.mesh->levels > 1) == (options->levels != NULL));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, t, 2);
    for (int p = 0; p < 2 && basis != NULL; p++) {
        const double bound = MATCH_UNITS * basis->norm * kit_rounding(match_precisions[p]);
        if (!match_everything() && options->order % 2 != p) continue;
        CHECK_OK(kit_load(&k, match_precisions[p], &config));
        CHECK_OK(kit_advance(&k, k.base.u, t, dt, 2));
        CHECK_BOUND(kit_difference(&k, k.result, k.base.exact), bound);
        CHECK_BOUND(kit_memory_difference(&k), bound);
    }
    sedge_bernstein_free(basis);
    kit_clear(&k);
}

// Stiff poles by the exponential update (dg/exponential.h), of one and of two poles, of both
// fields, beside a conductivity and a pole that predictions have, or alone in their medium; of
// levels whose steps are some ten relaxation times. The dipole's medium has a pole that stays in
// predictions.
static void test_stiff(const kit_world *world, int order, bool curved, bool alone)
{
    static const double dipole[12] = {
        0.8, 0.78, 0.2, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    static const kit_term terms[] = {{&sedge_term_debye, "above", {30.0, 1e-3}},
                                     {&sedge_term_drude, "below", {15.0, 300.0}},
                                     {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
                                     {&sedge_term_magnetic_debye, "above", {3.0, 2e-3}},
                                     {NULL, NULL, {0.0}}};
    static const kit_term pairs[] = {{&sedge_term_debye, "above", {30.0, 1e-3}},
                                     {&sedge_term_debye, "above", {3.0, 0.1}},
                                     {&sedge_term_magnetic_debye, "below", {3.0, 2e-3}},
                                     {NULL, NULL, {0.0}}};
    kit_options options = start(kit_defaults(order, 3), "012");

    options.split_axis = 2;
    options.materials[1] = alone ? kit_resin : kit_conductor;
    options.walls = kit_all_walls;
    options.terms = alone ? pairs : terms;
    options.exponential = 0.5;
    if (!alone) options.dipole = dipole;
    if (curved) options.box_map = curved_corner;
    match_steps(world, &options, 0.2);
}

// Two media, of which one conducts and the other has a term with memory, walls of all kinds, and a
// dipole on two levels. From order 4 on the last bracket's derivatives are damped, by generated
// code or a matrix: operator_predictor_choose says which.
static void test_everything(const kit_world *world, int order, const char *levels)
{
    static const double dipole[12] = {
        0.3, 0.64, 0.3, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    const int cells = order <= 3 ? 4 : order == 4 ? 3 : 2;
    kit_options options = start(kit_everything(order, cells, 2), levels);

    options.dipole = dipole;
    match_steps(world, &options, 0.2);
}

// Of two media one conducts, and nothing has terms: elements of the other one are plain.
static void test_conducting(const kit_world *world)
{
    kit_options options = start(kit_everything(4, 3, 2), "012");

    options.terms = NULL;
    options.dipole = NULL;
    match_steps(world, &options, 0.2);
}

// Two media without losses, whose elements predict by powers of falling degree (dg_series.h).
static void test_lossless(const kit_world *world, int order, const char *levels)
{
    static const double glass[3] = {2.2, 1.3, 0.0};
    static const kit_wall walls[] = {{"xmin", "pmc", 0.0}, {NULL, NULL, 0.0}};
    kit_options options = start(kit_defaults(order, order <= 4 ? 4 : 2), levels);

    options.cells[1] = options.cells[2] = 2;
    options.distort = 0.05;
    options.split_axis = 1;
    options.materials[1] = glass;
    options.walls = walls;
    options.wall = "absorbing";
    match_steps(world, &options, 0.0);
}

// A wave that conductors scatter.
static void test_incident(const kit_world *world, int order, const char *levels)
{
    static const kit_wall walls[] = {
        {"xmin", "pec", 0.0}, {"ymin", "pmc", 0.0}, {"ymax", "impedance", 0.6}, {NULL, NULL, 0.0}};
    kit_options options = start(kit_defaults(order, 3), levels);

    options.distort = 0.08;
    options.walls = walls;
    options.wall = "absorbing";
    options.incident = kit_pulse;
    match_steps(world, &options, 0.35);
}

static void test_total_field(const kit_world *world, int order)
{
    // Both sides of the surface have the same level.
    const kit_options options = start(match_total_field(order), order == 2 ? NULL : "0011");

    match_steps(world, &options, 0.35);
}

static void test_periodic(const kit_world *world)
{
    kit_options options = start(kit_defaults(2, 4), "0121");

    options.cells[1] = options.cells[2] = 2;
    options.periodic = true;
    options.distort = 0.05;
    match_steps(world, &options, 0.0);
}

// Layers on three sides, driven by what fills them, with a dipole in one.
static void test_layers(const kit_world *world)
{
    static const char *const sides[] = {"xmax", "ymax"};
    static const kit_term terms[] = {
        {&sedge_term_debye, "above", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-x", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-y", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-xy", {3.0, 0.15}},
        {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
        {&sedge_term_lorentz, "above", {2.0, 1.7, 0.1}},
        {&sedge_term_pml_edge, "above-layer-xy", {9.0, 1.5, 0.0, 0.0, 1.0}},
        {&sedge_term_pml_edge, "below-layer-xy", {9.0, 1.5, 0.0, 0.0, 1.0}},
        {&sedge_term_pml_side, "above-layer-x", {9.0, 1.5, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_side, "below-layer-x", {9.0, 1.5, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_side, "above-layer-y", {9.0, 1.5, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_side, "below-layer-y", {9.0, 1.5, 0.0, 1.0, 0.0}},
        {NULL, NULL, {0.0}}};
    static const double dipole[12] = {
        1.1, 0.4, 0.7, SEDGE_SIGNAL_GAUSSIAN, 0.1, 0.0, 0.15, 0.45, 0.0, 1.0, -2.0, 0.5};
    kit_options options = start(kit_defaults(2, 3), "012");

    options.dipole = dipole;
    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 2, .surface = sides, .layers = 1};
    match_steps(world, &options, 0.4);
}

// A layer along rays around a ball, whose law differs from node to node: of vacuum (kind 0), of a
// conductor with poles, beside which the ball has poles alone (1), and with a tensor (2).
static void test_radial(const kit_world *world, int order, const char *levels, int kind)
{
    static const char *const wall[] = {"wall"};
    static const kit_term terms[] = {
        {&sedge_term_anisotropic_epsilon, "inside-layer-r", {0.7, 0.8, 0.6, 0.1, -0.12, 0.08}},
        {&sedge_term_debye, "inside", {2.0, 0.2}},
        {&sedge_term_debye, "inside-layer-r", {3.0, 0.15}},
        {&sedge_term_lorentz, "inside-layer-r", {1.0, 0.7, 0.2}},
        {&sedge_term_lorentz, "inside-layer-r", {2.0, 1.7, 0.1}},
        {&sedge_term_pml_radial, "inside-layer-r", {3.0, 1.5}},
        {NULL, NULL, {0.0}}};
    static const int first[] = {5, 1, 0};
    kit_options options = start(kit_defaults(order, 1), levels);

    options.file = "ball.msh";
    options.wall = "absorbing";
    options.terms = terms + first[kind];
    if (kind > 0) options.materials[0] = kit_conductor;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = wall, .layers = 1};
    match_steps(world, &options, 0.0);
}

static void test_tensors(const kit_world *world)
{
    static const kit_term terms[] = {
        {&sedge_term_anisotropic_epsilon, "above", {0.7, 0.8, 0.6, 0.1, -0.12, 0.08}},
        {&sedge_term_anisotropic_mu, "above", {0.75, 0.65, 0.85, -0.05, 0.1, 0.07}},
        {&sedge_term_debye, "above", {3.0, 0.15}},
        {NULL, NULL, {0.0}}};
    static const double dipole[12] = {
        0.3, 0.3, 0.3, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    kit_options options =
        start(kit_defaults(test_is_small() || test_is_sampled() ? 2 : 3, 3), "210");

    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    options.dipole = dipole;
    match_steps(world, &options, 0.0);
}

// Media with long lists of poles, of other lengths: 144 numbers of memory at a node in one of them.
static void test_many_poles(const kit_world *world)
{
    kit_term terms[80] = {{NULL, NULL, {0.0}}};
    kit_options options = start(kit_defaults(2, 3), "012");
    int count = 0;

    for (int i = 0; i < 24; i++)
        terms[count++] = (kit_term){&sedge_term_debye, "above", {0.1, 0.5 + 0.1 * i}};
    for (int i = 0; i < 12; i++)
        terms[count++] = (kit_term){&sedge_term_lorentz, "above", {0.1, 0.2 + 0.05 * i, 0.02 * i}};
    for (int i = 0; i < 11; i++)
        terms[count++] = (kit_term){&sedge_term_lorentz, "below", {0.2, 0.3 + 0.05 * i, 0.0}};
    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    match_steps(world, &options, 0.0);
}

// Nothing but terms that act on the three components of vectors alike, of E and of H: curls of
// memory take part (dg_predict.h).
static void test_alike(const kit_world *world, int order, const char *levels)
{
    static const kit_term terms[] = {{&sedge_term_debye, "above", {3.0, 0.15}},
                                     {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
                                     {&sedge_term_magnetic_lorentz, "above", {0.6, 1.1, 0.1}},
                                     {&sedge_term_magnetic_lorentz, "below", {1.4, 0.5, 0.0}},
                                     {NULL, NULL, {0.0}}};
    kit_options options = start(kit_defaults(order, 3), levels);

    options.split_axis = 2;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    match_steps(world, &options, 0.0);
}

// Curved elements of several levels, beside a medium with memory, walls and a wave.
static void test_curved(const kit_world *world, int order, const char *levels)
{
    static const kit_term terms[] = {{&sedge_term_debye, "below", {3.0, 0.15}},
                                     {NULL, NULL, {0.0}}};
    static const kit_wall walls[] = {{"xmax", "pec", 0.0},
                                     {"ymax", "impedance", 0.6},
                                     {"zmax", "absorbing", 0.0},
                                     {NULL, NULL, 0.0}};
    kit_options options = start(kit_defaults(order, 3), levels);

    options.box_map = curved_corner;
    options.walls = walls;
    options.wall = "pec";
    if (order == 2) { // or a wave, for which there is one medium
        options.split_axis = 2;
        options.materials[1] = kit_resin;
        options.terms = terms;
    } else {
        options.incident = kit_pulse;
    }
    match_steps(world, &options, 0.35);
}

// A medium with poles of two kinds, a tensor and a conductivity, beside one with a pole.
static kit_options make_poles(int order, const char *levels)
{
    static const double conductor[3] = {1.5, 1.2, 0.7};
    static const kit_term terms[] = {
        {&sedge_term_anisotropic_epsilon, "above", {0.7, 0.8, 0.6, 0.1, -0.12, 0.08}},
        {&sedge_term_debye, "above", {3.0, 0.15}},
        {&sedge_term_debye, "below", {2.0, 0.2}},
        {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
        {&sedge_term_lorentz, "above", {2.0, 1.7, 0.1}},
        {NULL, NULL, {0.0}}};
    static const kit_wall walls[] = {{"xmax", "pec", 0.0}, {NULL, NULL, 0.0}};
    kit_options options = start(kit_defaults(order, 3), levels);

    options.split_axis = 2;
    options.materials[1] = conductor;
    options.terms = terms;
    options.walls = walls;
    options.wall = "absorbing";
    return options;
}

// In a curved element next to the first cubes along x, whose level may be finer.
static const double curved_dipole[12] = {
    0.69, 0.8, 0.83, SEDGE_SIGNAL_GAUSSIAN, 1.0, 0.0, 0.15, 0.45, 0.0, 1.0, -2.0, 0.5};

// Its elements are straight and curved, with a dipole in a curved one. Without the tensor the state
// of curved ones is covariant.
static void test_curved_memory(const kit_world *world, int order, const char *levels, bool tensor)
{
    kit_options options = make_poles(order, levels);

    options.box_map = curved_corner;
    if (!tensor) options.terms++;
    if (order % 2 == 0) options.dipole = curved_dipole;
    match_steps(world, &options, 0.4);
}

// Straight elements, with a dipole where levels and media meet: on the edges of several elements.
static void test_source_memory(const kit_world *world, int order, const char *levels)
{
    static const double dipole[12] = {
        1.0 / 3.0, 0.4, 0.5, SEDGE_SIGNAL_GAUSSIAN, 0.1, 0.0, 0.15, 0.45, 0.0, 1.0, -2.0, 0.5};
    kit_options options = make_poles(order, levels);

    options.dipole = dipole;
    options.cells[2] = 2;
    match_steps(world, &options, 0.4);
}

// Curved elements that conduct, and the straight ones beside them, with a dipole in the former.
static kit_options make_curved_source(int order, const char *levels)
{
    static const double conductor[3] = {1.5, 1.2, 0.7};
    kit_options options = start(kit_defaults(order, 3), levels);

    options.box_map = curved_corner;
    options.split_axis = 2;
    options.materials[1] = conductor;
    options.wall = "absorbing";
    options.dipole = curved_dipole;
    return options;
}

// Without `conducts` curved elements predict by a kernel of their own (dg_covariant_predict.h).
static void test_curved_source(const kit_world *world, int order, const char *levels, bool conducts)
{
    static const double glass[3] = {1.5, 1.2, 0.0};
    kit_options options = make_curved_source(order, levels);

    if (!conducts) options.materials[1] = glass;
    match_steps(world, &options, 0.4);
}

// What the curved elements of these tests are beside: finer and coarser neighbours, curved and
// straight ones; and the dipole is in one with finer neighbours.
static void test_curved_neighbours(const kit_world *world)
{
    static const char *const levels[] = {"012", "210"};
    int64_t count[2][2] = {{0}}; // [coarser][curved]
    bool found = false;

    for (int i = 0; i < 2; i++) {
        const kit_options options = make_curved_source(2, levels[i]);
        kit k;
        CHECK_OK(kit_create(&k, world, &options));
        const sedge_mesh *const mesh = k.base.mesh;
        for (int32_t e = 0; e < mesh->elements; e++) {
            if (sedge_mesh_curve(mesh, e) < 0) continue;
            for (int f = 0; f < SEDGE_FACES; f++) {
                const int32_t other = mesh->faces[e][f].neighbour;
                if (other < 0) continue;
                const int more = sedge_mesh_level(mesh, other) - sedge_mesh_level(mesh, e);
                if (more != 0) count[more > 0][sedge_mesh_curve(mesh, other) >= 0]++;
            }
        }
        sedge_points points;
        CHECK_OK(sedge_points_create(&points, world->comm, k.base.element, mesh, &k.base.problem));
        for (int p = 0; p < points.count; p++) {
            const sedge_range *const range = sedge_mesh_range(mesh, points.share[p].element);
            found |= range->curved && range->finer;
        }
        sedge_points_clear(&points);
        kit_clear(&k);
    }
    for (int i = 0; i < 4; i++) CHECK(count[i / 2][i % 2] > 0);
    CHECK(found);
}

// What fills a box, in straight or in curved elements.
typedef struct filling {
    const kit_term *terms;
    void (*box_map)(const double x[3], double moved[3]);
} filling;

// From rest to the end of the source's signal, in steps of `cfl` times the stable one.
static void run_source(kit *k, const kit_world *world, const filling *with,
                       const sedge_integrator *integrator, int order, double cfl)
{
    kit_options options = make_curved_source(order, NULL);
    const double end = 0.9;

    options.integrator = integrator;
    options.terms = with->terms;
    options.box_map = with->box_map;
    CHECK_OK(kit_create(k, world, &options));
    CHECK_OK(kit_load(k, SEDGE_FP64, NULL));
    const int steps = (int)ceil(end / kit_time_step(k, cfl));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, end / steps, steps));
}

// The root mean square of the difference of two results at the elements' corners, which are nodes
// of any order, away from the dipole: there its field is not resolved.
static double compare_corners(const kit *one, const kit *other)
{
    const kit *const both[2] = {one, other};
    double sum = 0.0;
    int64_t count = 0;

    for (int64_t at = 0; at < (int64_t)one->base.mesh->elements * 24; at++) {
        const double *const x = one->base.mesh->corners[at / 24][at % 4];
        double distance = 0.0, value[2];
        for (int d = 0; d < 3; d++)
            distance += pow(x[d] - make_curved_source(4, NULL).dipole[d], 2.0);
        if (distance < 0.4 * 0.4) continue;
        for (int i = 0; i < 2; i++) {
            const sedge_element *const element = both[i]->base.element;
            const int node[4] = {0, element->order, element->face_nodes - 1, element->nodes - 1};
            value[i] = both[i]->result[at / 4 * element->nodes + node[at % 4]];
        }
        sum += (value[0] - value[1]) * (value[0] - value[1]);
        count++;
    }
    return sqrt(sum / (double)count);
}

// What the dipole has radiated, beside lsrk45 in the same elements: the difference is no larger
// than the elements' error, which order 3 shows, and falls with the step, for the coupling of
// ADER's elements adds jumps times the step. Both are the same at orders 2 to 4: 0.003 to 0.014,
// where 0.015 and more is allowed, and a fall by 2.
static void test_answers(const kit_world *world, const filling *with)
{
    kit better, other, coarse, fine;

    run_source(&better, world, with, NULL, 3, 0.8);
    run_source(&other, world, with, NULL, 2, 0.4);
    run_source(&coarse, world, with, &sedge_integrator_ader, 2, 0.8);
    run_source(&fine, world, with, &sedge_integrator_ader, 2, 0.4);
    const double error = compare_corners(&other, &better);
    const double most = compare_corners(&coarse, &other);
    CHECK_BOUND(most, 0.2 * error);
    CHECK_BOUND(1.7, most / compare_corners(&fine, &other));
    kit_clear(&better);
    kit_clear(&other);
    kit_clear(&coarse);
    kit_clear(&fine);
}

// Curved elements that conduct; poles there, and in straight ones, where the dipole is, too.
static void test_all_answers(const kit_world *world)
{
    static const kit_term poles[] = {{&sedge_term_debye, "above", {3.0, 0.15}},
                                     {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
                                     {NULL, NULL, {0.0}}};
    static const filling cases[] = {{NULL, curved_corner}, {poles, curved_corner}, {poles, NULL}};

    for (int i = 0; i < 3; i++) test_answers(world, &cases[i]);
}

// The cavity's mode after a time in which it crosses the box; errors fall with order N + 1, with
// levels and without.
static double find_error(const kit_world *world, int order, int cells, const char *levels,
                         bool curved)
{
    kit_options options = start(kit_defaults(order, cells), levels);
    double error = (double)NAN;

    if (curved) options.box_map = curved_bulge;
    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(kit_solve(&error, world, &options, NULL, 1.0, 0.8));
    return error;
}

static void test_order(const kit_world *world, int order, bool curved)
{
    const bool high = order >= 4; // whose large elements resolve as much
    const int cells = high ? 4 : 6;
    const double coarse = find_error(world, order, cells / 2, high ? "01" : "011", curved);
    const double fine = find_error(world, order, cells, high ? "0011" : "000111", curved);
    const double plain = find_error(world, order, cells, NULL, curved);

    // 2^(N+1) less a part for meshes that are not in the limit yet (order 4: 25 of 32).
    CHECK_BOUND(pow(2.0, order + 1) * (order < 4 ? 0.7 : 0.5), coarse / fine);
    CHECK_BOUND(fine, 1.3 * plain);
}

// Vacuum, or a medium without losses, whose waves are polaritons.
static const kit_term lossless[] = {{&sedge_term_lorentz, "domain", {0.7, 0.8, 0.0}},
                                    {NULL, NULL, {0.0}}};
static const filling fillings[] = {
    {NULL, NULL}, {lossless, NULL}, {NULL, curved_bulge}, {lossless, curved_bulge}};
enum { FILLINGS = (int)(sizeof fillings / sizeof fillings[0]) };

// A mode of the cavity with the medium `lossless` at time t, from that of vacuum with the frequency
// w, E0 cos wt and H0 sin wt: E = e E0, H = h H0 and P = p E0 with
//   e' = -w h - p',  h' = w e,  p'' = W^2 (strength e - p).
static void find_polariton(dg_case *base, double t, double *u)
{
    const double pi = 3.14159265358979323846, w = sqrt(3.0) * pi;
    const double *const pole = lossless[0].parameters;
    const double square = 4.0 * pi * pi * pole[1] * pole[1];
    const int64_t steps = 4000;
    double e = 1.0, h = 0.0, p = 0.0, j = 0.0;

    // Each half of the unknowns by turns: second order in t / steps.
    for (int64_t i = 0; i < steps; i++) {
        const double dt = t / (double)steps;
        h += 0.5 * dt * w * e;
        j += 0.5 * dt * square * (pole[0] * e - p);
        e -= dt * (w * h + j);
        p += dt * j;
        h += 0.5 * dt * w * e;
        j += 0.5 * dt * square * (pole[0] * e - p);
    }
    dg_case_start(base, 0.0);
    for (int64_t i = 0; i < base->values; i++) u[i] = e * base->u[i];
    dg_case_start(base, 0.5 * pi / w);
    for (int64_t i = 0; i < base->values; i++) u[i] += h * base->u[i];
}

// The error after a time in which the mode swings about once.
static double find_polariton_error(const kit_world *world, int order, int cells)
{
    kit_options options = start(kit_defaults(order, cells), NULL);
    kit k;

    options.terms = lossless;
    options.box_map = curved_bulge;
    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    dg_case_start(&k.base, 0.0);
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    const int steps = (int)ceil(1.0 / kit_time_step(&k, 0.8));
    for (int i = 0; i < steps; i++)
        CHECK_OK(sedge_evolution_step(k.evolution, (double)i / steps, 1.0 / steps));
    CHECK_OK(sedge_evolution_get(k.evolution, k.result));
    find_polariton(&k.base, 1.0, k.base.exact);
    const double error =
        dg_case_norm(&k.base, k.result, k.base.exact) / dg_case_norm(&k.base, k.base.exact, NULL);
    kit_clear(&k);
    return error;
}

// With half as large curved elements and half as long steps it falls by 2^(N+1), less a part for
// meshes that are not in the limit yet.
static void test_polaritons(const kit_world *world, int order)
{
    const double coarse = find_polariton_error(world, order, order < 3 ? 3 : 2);
    const double fine = find_polariton_error(world, order, order < 3 ? 6 : 4);

    CHECK_BOUND(pow(2.0, order + 1) * 0.6, coarse / fine); // 7.0, 13.4, 22.8 at orders 2 to 4
}

// The energy falls in steps from random fields.
static void check_falls(kit *k, double dt, int steps)
{
    double last = HUGE_VAL;

    CHECK_OK(kit_load(k, SEDGE_FP64, NULL));
    dg_case_random(&k->base, k->base.u);
    CHECK_OK(sedge_evolution_set(k->evolution, k->base.u));
    for (int i = 0; i < steps; i++) {
        CHECK_OK(sedge_evolution_step(k->evolution, i * dt, dt));
        if (i % 10 != 9) continue;
        const double energy = kit_energy(k);
        CHECK(energy <= last * (1.0 + 1e-9));
        last = energy;
    }
}

// Random fields lose energy at the steps that levels take: in one half of the box waves are half as
// fast, so that its steps may be twice as long.
static void test_growth(const kit_world *world, int order)
{
    static const double slow[3] = {4.0, 1.0, 0.0};
    kit_options options = start(kit_defaults(order, 4), "0011");
    kit k;

    options.split_axis = 0;
    options.materials[1] = slow;
    options.distort = 0.05;
    options.cells[1] = options.cells[2] = 2;
    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    check_falls(&k, 2.0 * kit_time_step(&k, 0.8), 300); // level 0 has the mesh's step
    kit_clear(&k);
}

static void flatten(double x[3])
{
    x[2] *= 0.1;
}

// Nor do they gain any in plates of 10:1 at the limit of the step, which much negative damping
// makes unstable (-0.3 of degree 3 at order 4).
static void test_plates(const kit_world *world, int order, const kit_term *terms)
{
    kit_options options = start(kit_defaults(order, 2), NULL);
    kit k;

    options.terms = terms;
    options.move = flatten;
    options.cells[2] = 4;
    options.periodic = true;
    CHECK_OK(kit_create(&k, world, &options));
    check_falls(&k, kit_time_step(&k, 1.0), 1000);
    kit_clear(&k);
}

// Waves of a length at which the prediction's error feeds them: 3.5, 2.3 and 1.4 cells at orders 4,
// 5 and 6. Without damping they gain 1e-7 to 1e-6 of their energy a step, when what the mesh does
// not resolve has gone.
static void test_waves(const kit_world *world, int order, const filling *with)
{
    const double flat = order < 6 ? 1.0 : 0.0;
    const double mode[12] = {1.0, 1.0, flat, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 1.0 - flat};
    kit_options options = start(kit_defaults(order, 7 - order), NULL);
    double early = (double)NAN;
    kit k;

    options.terms = with->terms;
    options.box_map = with->box_map;
    options.wall = "pec";
    options.initial = "cavity-mode";
    options.initial_parameters = mode;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    dg_case_start(&k.base, 0.0);
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    const double dt = kit_time_step(&k, SEDGE_CFL_STABLE);
    for (int i = 0; i < 1200; i++) {
        CHECK_OK(sedge_evolution_step(k.evolution, i * dt, dt));
        if (i == 600) early = kit_energy(&k);
    }
    CHECK(kit_energy(&k) < early);
    kit_clear(&k);
}

// The part of a mode's energy that is lost in a time of 1, when what the mesh does not resolve has
// gone.
static double find_loss(const kit_world *world, const filling *with, int order, int cells)
{
    kit_options options = start(kit_defaults(order, cells), NULL);
    double early = (double)NAN;
    kit k;

    options.terms = with->terms;
    options.box_map = with->box_map;
    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    dg_case_start(&k.base, 0.0);
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    const double dt = kit_time_step(&k, 0.8);
    for (int i = 0; i < 400; i++) {
        CHECK_OK(sedge_evolution_step(k.evolution, i * dt, dt));
        if (i == 199) early = kit_energy(&k);
    }
    const double loss = (1.0 - kit_energy(&k) / early) / (200 * dt);
    kit_clear(&k);
    return loss;
}

// Damping is of higher order: with half as large elements and steps a wave of 4 cells loses 2^5
// times less a wavelength, were all damping of degree 2, and 2^3 were it of degree 1, of which
// there is some. Damping of first order in the step (a lean) would make it 2.
static void test_loss(const kit_world *world, const filling *with)
{
    const double coarse = find_loss(world, with, 4, 2), fine = find_loss(world, with, 4, 4);

    CHECK(fine > 0.0);
    CHECK_BOUND(24.0, coarse / fine); // 40.7, 26.4 with a Lorentz pole, 42.4 in curved elements
}

// What a predictor's steps cannot do is refused.
static void test_refused(const kit_world *world)
{
    static const kit_term saturates[] = {{&kit_saturation, "domain", {0.1, 0.1}},
                                         {NULL, NULL, {0.0}}};
    kit_options options = start(kit_defaults(2, 2), NULL);
    kit k;

    options.wall = "pec";
    options.terms = saturates;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, NULL), SEDGE_ERR_USAGE, "'ader' cannot do");
    kit_clear(&k);
}

// Has a block's memory on an H100 or H200 room for an element, in fp64?
static bool has_room(const sedge_problem *problem)
{
    const int nodes = (problem->order + 1) * (problem->order + 2) * (problem->order + 3) / 6;
    const sedge_device_info info = {.kind = SEDGE_DEVICE_CUDA, .shared_bytes_block = 232448};
    const sedge_element element = {.order = problem->order, .nodes = nodes};
    const operator_target target = {&info, problem, &element};
    const operator_layout layout = {
        .real_bytes = 8, .lanes = 1, .pack = 2, .nodes_padded = nodes, .state_align = 16};
    operator_predictor_config config;

    operator_predictor_choose(&config, &layout, &target);
    return config.scratch_words * layout.real_bytes <= info.shared_bytes_block;
}

// So much memory of terms that a block's memory has no room for an element's. Terms of groups that
// have none in common share their room.
static void test_room(void)
{
    const double lorentz[3 * SEDGE_MAX_POLES] = {0.0};

    for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
        static const int most[SEDGE_ORDER_MAX + 1] = {0, 99, 99, 99, 85, 50, 32, 21, 15, 10, 7};
        const int poles = most[order];
        for (int more = 0; more < (order > 3 ? 2 : 1); more++) {
            int at[SEDGE_MAX_KINDS];
            sedge_problem problem;
            CHECK_OK(sedge_problem_init(&problem, sedge_equation_find("maxwell"), 2, 0, 0));
            problem.order = order;
            problem.integrator = &sedge_integrator_ader;
            CHECK_OK(
                sedge_problem_add_term(&problem, &sedge_term_lorentz, poles + more, 0, lorentz));
            CHECK_OK(sedge_problem_add_term(&problem, &sedge_term_lorentz, poles - 1, 1, lorentz));
            CHECK(sedge_predictor_words(at, &problem) == 6 * (poles + more));
            CHECK(at[0] == 0 && at[1] == 0);
            if (more > 0) {
                CHECK_FAILS(sedge_predictor_check(&problem), SEDGE_ERR_USAGE,
                            "'ader' cannot do so many poles at this order; choose");
            } else {
                CHECK_OK(sedge_predictor_check(&problem));
                CHECK(has_room(&problem));
            }
            sedge_problem_clear(&problem);
        }
    }
}

// Sums are folded only where the block's memory has room for what is lowered.
static void test_little_memory(void)
{
    const sedge_element element = {.order = 8, .nodes = 165};
    const operator_layout layout = {
        .real_bytes = 8, .lanes = 1, .pack = 2, .nodes_padded = 165, .state_align = 16};
    sedge_problem problem;

    CHECK_OK(sedge_problem_init(&problem, sedge_equation_find("maxwell"), 1, 0, 0));
    problem.order = 8;
    problem.integrator = &sedge_integrator_ader;
    for (int kib = 24; kib <= 48; kib += 24) {
        const sedge_device_info info = {.kind = SEDGE_DEVICE_OPENCL,
                                        .shared_bytes_block = 1024 * kib};
        const operator_target target = {&info, &problem, &element};
        operator_series_config config;
        operator_series_choose(&config, &layout, &target);
        CHECK(config.folds == (kib == 48) && config.lowers == (kib == 48));
        CHECK(config.scratch_words * layout.real_bytes <= info.shared_bytes_block);
    }
    sedge_problem_clear(&problem);
}

// Degrees are damped, the lowest ones not at all, and the steps to lower orders and back do it.
static void test_damping(int order)
{
    double weight[SEDGE_PREDICTOR_LOWERINGS + 1];
    const int count = sedge_predictor_lowerings(order, weight);
    const int top = order - 1;

    CHECK(order < 4 || order > 8 ? count == 0 : count >= 3 && count < order);
    for (int d = 0; d < order; d++) {
        const double damping = sedge_predictor_damping(order, d);
        double sum = 0.0, factor = 1.0;
        for (int k = 0; k <= count; k++) {
            const int m = top - k; // m (m + 3) - d (d + 3) = (m - d) (m + d + 3)
            sum += weight[k] * factor;
            if (m > 0) factor *= (double)((m - d) * (m + d + 3)) / (m * (m + 3));
        }
        CHECK(d == 0 || count == 0 ? damping == 0.0 : damping >= 0.0 || d == top);
        CHECK_BOUND(fabs(damping), 0.4); // of the first power, which has the factor 1/2
        CHECK_BOUND(fabs(sum - damping), 1e-14);
    }
}

// Gauss points are exact for what a step's data need, and the series is that of the mean.
static void test_tables(void)
{
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
        double at[SEDGE_PREDICTOR_TIMES], weight[SEDGE_PREDICTOR_TIMES];
        const int times = sedge_predictor_times(order, at, weight);
        CHECK(times <= SEDGE_PREDICTOR_TIMES);
        for (int degree = 0; degree <= order + 1; degree++) {
            double sum = 0.0;
            for (int q = 0; q < times; q++) sum += weight[q] * pow(at[q], degree);
            CHECK_BOUND(fabs(sum - 1.0 / (degree + 1)), 1e-14);
        }
        const double lean = sedge_predictor_factor(order, 1) - 0.5;
        CHECK(order <= 8 ? lean == 0.0 : lean > 0.0); // that of the mean, but for some damping
        CHECK_BOUND(lean, 2e-3);
        for (int k = order > 8 ? 2 : 1; k <= 3; k++)
            CHECK_BOUND(fabs(sedge_predictor_factor(order, k) * (k + 1) - 1.0), 1e-15);
        test_damping(order);
    }
}

// What random order is to find in the kernels: a missing barrier.
static void test_in_random_order(const kit_world *world)
{
    test_everything(world, 1, NULL); // has no coefficients of order N - 2
    test_alike(world, 1, NULL);
    test_everything(world, 2, "0121");
    test_everything(world, 5, NULL);
    test_lossless(world, 2, "0121");
    test_lossless(world, 5, "01");
    test_radial(world, 1, "10", 1);
    test_curved_source(world, 4, "210", false); // products are code, with damping
    test_curved_source(world, 6, NULL, false);  // in fp64 they are tables
}

// Each kind of kernel once, for a compiler that takes two seconds a program. (Terms of layers are
// in test_operator_layers; of their kernels here other terms have the same.)
static void test_some(const kit_world *world)
{
    test_everything(world, 2, "0121");
    test_lossless(world, 3, NULL);
    test_total_field(world, 3);
    test_tensors(world);
    test_radial(world, 2, "10", 1);
    test_curved_source(world, 4, "210", false);
    test_refused(world);
}

static void test_all(const kit_world *world)
{
    static const char *const levels[7] = {[2] = "0121", [4] = "012"};
    // What depends on the order alone does not depend on the number of ranks.
    const bool alone = sedge_comm_size(world->comm) == 1 || match_everything();
    const int most = test_is_small() ? 2 : 4;

    for (int order = 1; order <= (alone ? 7 : most); order++)
        test_everything(world, order, levels[order]);
    for (int order = 1; order <= (match_everything() ? SEDGE_ORDER_MAX : alone ? 8 : most); order++)
        test_lossless(world, order, order > 4 ? "01" : order % 2 == 0 ? "0121" : NULL);
    if (!test_is_small()) test_conducting(world); // it needs order 4
    test_incident(world, test_is_small() ? 2 : 3, "012");
    for (int order = 2; order <= (test_is_small() ? 2 : 3); order++) test_total_field(world, order);
    test_periodic(world);
    test_layers(world);
    for (int kind = 0; kind < 3; kind++) test_radial(world, 2, NULL, kind);
    for (int order = 1; order <= (match_everything() ? 6 : alone ? 4 : 1); order++)
        test_radial(world, order, order % 2 == 0 ? "10" : "012", order % 3);
    test_many_poles(world);
    for (int order = 1; order <= (alone ? 5 : 2); order++) test_alike(world, order, levels[order]);
    test_room();
    test_little_memory();
    test_tensors(world);
    test_stiff(world, 2, false, false);
    if (alone) test_stiff(world, 2, true, false);
    if (match_everything()) test_stiff(world, 4, false, true);
    if (match_everything()) test_stiff(world, 2, true, true);
    test_tables();
    test_refused(world);
    test_curved(world, 2, "012");
    test_curved(world, 2, "210");
    if (!test_is_small()) test_curved(world, 3, "121");
    for (int order = test_is_small() ? 2 : 3; order <= most; order++)
        test_curved_source(world, order, order % 2 == 0 ? "012" : "210", true);
    for (int order = 1; order <= (match_everything() ? SEDGE_ORDER_MAX : alone ? 6 : most); order++)
        test_curved_source(world, order, order % 2 == 0 ? "210" : "012", false);
    if (sedge_comm_size(world->comm) == 1) {
        test_curved_neighbours(world);
        test_all_answers(world);
    }
    if (alone) test_curved_source(world, 5, NULL, true);
    for (int order = test_is_small() ? 2 : 1; order <= (alone ? 5 : most); order++) {
        for (int tensor = 0; tensor < 2; tensor++) { // by turns, with a dipole and without
            const bool has_turn = (tensor == 1) == (order == 1 || order == 4);
            if (has_turn || test_is_small() || match_everything())
                test_curved_memory(world, order, order == 5 ? NULL : "012", tensor == 1);
        }
    }
    for (int order = 2; order <= (alone ? 5 : most); order++)
        test_source_memory(world, order, order == 5 ? NULL : "100");
}

static void test_long(const kit_world *world)
{
    for (int order = 1; order <= 4; order++) test_order(world, order, false);
    for (int order = 2; order <= 4; order++) test_order(world, order, true);
    for (int order = 2; order <= 4; order += 2) test_growth(world, order);
    for (int order = 4; order <= 5; order++) {
        test_plates(world, order, NULL);
        test_plates(world, order, lossless);
    }
    for (int order = 5; order <= 6; order++) test_waves(world, order, &fillings[0]);
    for (int i = 0; i < FILLINGS; i++) {
        test_waves(world, 4, &fillings[i]);
        // Where two waves beat in curved elements, the energy by quadrature swings by more than is
        // lost: it is not the one that the operators keep (dg/cubature.h).
        if (fillings[i].terms == NULL || fillings[i].box_map == NULL)
            test_loss(world, &fillings[i]);
    }
    for (int order = 2; order <= 4; order++) test_polaritons(world, order);
}

int main(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (strcmp(word, "random") == 0) {
        test_in_random_order(&world);
    } else if (strcmp(word, "long") == 0) {
        test_long(&world);
    } else if (test_is_sampled()) {
        test_some(&world);
    } else {
        test_all(&world);
        if (match_everything() && sedge_comm_size(world.comm) == 1) test_long(&world);
    }
    kit_close(&world);
    return CHECK_END();
}
