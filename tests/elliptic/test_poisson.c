// Poisson's table: the known solutions fit together, conditions say what the deck says; charges,
// energy and fluxes of solutions that are known by hand.
#include "kit.h"

#include "base/memory.h"
#include "elliptic/solve.h"

#include "check.h"

static elliptic_world world;

// u of a known solution.
static double known_at(const sedge_problem *problem, const double *m, const double *x)
{
    double fields[4];

    problem->initial->apply(x, 0.0, m, problem->initial_parameters, problem->constants, fields);
    return fields[0];
}

// E = -grad u, and f = -epsilon div grad u, by central differences of u.
static void check_known(const sedge_problem *problem, const double *m, const double *x)
{
    const double step = 1e-3; // its square times third derivatives, about 100: 1e-4
    double fields[4];
    double second = 0.0;

    problem->initial->apply(x, 0.0, m, problem->initial_parameters, problem->constants, fields);
    for (int d = 0; d < 3; d++) {
        double low[3] = {x[0], x[1], x[2]};
        double high[3] = {x[0], x[1], x[2]};
        low[d] -= step;
        high[d] += step;
        const double a = known_at(problem, m, low);
        const double b = known_at(problem, m, high);
        CHECK_BOUND(fabs(fields[1 + d] + (b - a) / (2.0 * step)), 1e-4);
        second += (a + b - 2.0 * fields[0]) / (step * step);
    }
    const double f = problem->equation->elliptic->source(problem, m, x);
    CHECK_BOUND(fabs(f - m[1] + m[0] * second), 1e-3 * (1.0 + fabs(f)));
}

static void test_known_solutions(void)
{
    const sedge_equation *const equation = sedge_equation_find("poisson");
    static const double parameters[][4] = {
        {0.0}, {1.0, 2.0, 1.5}, {1.0, 2.0, 1.5}, {4.0, 0.5, -0.3, 0.7}, {1.0, 0.5}};
    const double x[3] = {0.31, 0.62, 0.23};
    const double deck[2] = {2.5, 0.4};
    double m[SEDGE_MAX_MATERIALS];
    sedge_problem problem;

    CHECK_OK(sedge_problem_init(&problem, equation, 1, 1, 0));
    equation->derive(deck, m);
    CHECK(equation->initial_count == 5);
    for (int i = 0; i < 5; i++) {
        problem.initial = &equation->initials[i];
        memcpy(problem.initial_parameters, parameters[i], sizeof parameters[i]);
        check_known(&problem, m, x);
        problem.boundaries[0].kind = &equation->boundaries[3]; // known
        CHECK((equation->contradiction(&problem).text == NULL) == (i > 0));
    }
    sedge_problem_clear(&problem);
}

typedef struct solution {
    elliptic_case c;
    sedge_elliptic_result result;
    double *u, *field;
    double flux[8];
    double energy;
} solution;

static void solve(solution *s, const elliptic_options *options, const sedge_point_source *source)
{
    sedge_elliptic_solve_options requested = sedge_elliptic_solve_defaults(options->precision);
    sedge_point_source copy;

    memset(s, 0, sizeof *s);
    requested.tolerance = 1e-11;
    CHECK_OK(elliptic_case_create(&s->c, &world, options));
    if (source != NULL) {
        copy = *source;
        s->c.problem.point_source_count = 1;
        sedge_release(s->c.problem.point_sources);
        CHECK_OK(sedge_allocate(&s->c.problem.point_sources, 1, sizeof copy));
        s->c.problem.point_sources[0] = copy;
    }
    CHECK_OK(sedge_allocate(&s->u, s->c.values, sizeof(double)));
    CHECK_OK(sedge_allocate(&s->field, 3 * s->c.values, sizeof(double)));
    CHECK_OK(sedge_elliptic_solve(s->u, &s->result, world.comm, world.context, s->c.element,
                                  s->c.mesh, &s->c.problem, &requested));
    sedge_elliptic_field(s->field, s->c.element, s->c.mesh, s->u);
    double *parts = NULL;
    double sum = 0.0;
    CHECK_OK(sedge_allocate(&parts, s->c.mesh->elements, sizeof *parts));
    CHECK_OK(sedge_elliptic_energy(&s->energy, parts, world.comm, s->c.element, s->c.mesh,
                                   &s->c.problem, s->u, s->field));
    for (int32_t e = 0; e < s->c.mesh->elements; e++) sum += parts[e];
    sedge_comm_sum(world.comm, &sum, 1);
    // Of sums of positive numbers, one of which is rounded at each addition.
    CHECK_BOUND(fabs(sum - s->energy), 1e-16 * (double)s->c.mesh->global_elements * s->energy);
    sedge_release(parts);
    CHECK_OK(sedge_elliptic_surface_flux(s->flux, world.comm, s->c.element, s->c.mesh,
                                         &s->c.problem, s->u, s->field));
}

static void clear(solution *s)
{
    sedge_release(s->u);
    sedge_release(s->field);
    elliptic_case_clear(&s->c);
}

static double flux_of(const solution *s, const char *name)
{
    for (int i = 0; i < s->c.problem.surfaces; i++)
        if (strcmp(s->c.mesh->groups.surface_names[i], name) == 0) return s->flux[i];
    return (double)NAN;
}

// A plate capacitor with two layers: the potential is linear in each, C = 1 / (d1/e1 + d2/e2).
static void test_capacitor(void)
{
    elliptic_options options = elliptic_defaults(1);
    solution s;

    options.distort = 0.0;
    options.epsilon = 4.0;
    // The upper plate has potential 1 through a robin condition of layer 1/10: C = 1/(.5+.125+.1).
    options.sides[5] = "robin";
    options.side_values[0] = 10.0;
    options.side_values[1] = 10.0;
    for (int i = 0; i < 4; i++) options.sides[i] = "known-flux"; // of "zero": none
    options.sides[4] = "known";                                  // of "zero": grounded
    solve(&s, &options, NULL);
    const double capacitance = 1.0 / (0.5 + 0.5 / 4.0 + 0.1);
    CHECK(s.result.krylov.reason == SEDGE_KRYLOV_CONVERGED && !s.result.singular);
    CHECK_BOUND(fabs(flux_of(&s, "zmax") - capacitance), 1e-9);
    CHECK_BOUND(fabs(flux_of(&s, "zmin") + capacitance), 1e-9);
    // The energy inside: Q^2 / 2 times the two layers'.
    CHECK_BOUND(fabs(s.energy - 0.5 * capacitance * capacitance * (0.5 + 0.125)), 1e-9);
    clear(&s);
}

// A quadratic solution is exact at order 2, and its flux through a side is that at the side's
// centre, whether the side has the solution's values or its flux, which differ from place to place.
static void test_known_fluxes(void)
{
    static const char *const names[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    const double slope[3] = {0.7, -0.4, 0.3};
    elliptic_options options = elliptic_defaults(2);
    solution s;

    options.known = "power";
    options.known_parameters[0] = 2.0;
    for (int d = 0; d < 3; d++) options.known_parameters[1 + d] = slope[d];
    for (int i = 0; i < 6; i++) options.sides[i] = i % 3 == 1 ? "known-flux" : "known";
    solve(&s, &options, NULL);
    for (int i = 0; i < 6; i++) {
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        const double base =
            0.5 + 0.5 * (slope[0] + slope[1] + slope[2]) + sign * 0.5 * slope[i / 2];
        CHECK_BOUND(fabs(flux_of(&s, names[i]) - sign * 2.0 * slope[i / 2] * base), 1e-9);
    }
    clear(&s);
}

// A charge's amount, centre and second moments, by polynomials that order 2 has exactly. Of a ball
// the cells are summed whose centres lie in it, which makes errors of up to 7e-4.
static void check_moments(const elliptic_case *c, const sedge_point_source *source)
{
    const sedge_element *const element = c->element;
    const double bound = source->parameters[4] > 0.0 ? 1e-3 : 1e-12;
    const double fifth = source->parameters[4] * source->parameters[4] / 5.0;
    double found[7] = {0.0};
    double *b = NULL;

    CHECK_OK(sedge_allocate(&b, c->values, sizeof *b));
    CHECK_OK(sedge_elliptic_right_hand_side(b, world.comm, element, c->mesh, &c->problem));
    for (int64_t i = 0; i < c->values; i++) {
        const int n = (int)(i % element->nodes);
        const double rst[3] = {element->r[n], element->s[n], element->t[n]};
        double x[3];
        sedge_mesh_place(c->mesh, (int32_t)(i / element->nodes), rst, x);
        found[6] += b[i];
        for (int d = 0; d < 3; d++) found[d] += b[i] * x[d];
        for (int d = 0; d < 3; d++) found[3 + d] += b[i] * x[d] * x[d];
    }
    sedge_comm_sum(world.comm, found, 7);
    CHECK_BOUND(fabs(found[6] / source->parameters[3] - 1.0), 1e-12);
    for (int d = 0; d < 3; d++) {
        const double x = source->position[d];
        CHECK_BOUND(fabs(found[d] / source->parameters[3] - x), bound);
        CHECK_BOUND(fabs(found[3 + d] / source->parameters[3] - x * x - fifth), bound);
    }
    sedge_release(b);
}

// All of a charge leaves through the walls, whether it is a point or a ball: fluxes are conserved.
static void test_charges(void)
{
    elliptic_options options = elliptic_defaults(2);
    sedge_point_source source = {.position = {0.4, 0.55, 0.3}};

    for (int ball = 0; ball < 2; ball++) {
        solution s;
        double sum = 0.0;
        source.parameters[0] = source.position[0];
        source.parameters[1] = source.position[1];
        source.parameters[2] = source.position[2];
        source.parameters[3] = 2.5;
        source.parameters[4] = 0.2 * ball;
        source.kind = &sedge_equation_find("poisson")->sources[0];
        solve(&s, &options, &source);
        for (int i = 0; i < s.c.problem.surfaces; i++) sum += s.flux[i];
        CHECK_BOUND(fabs(sum + 2.5), 1e-8);
        check_moments(&s.c, &source);
        s.c.problem.point_sources[0].position[2] = -1.0;
        CHECK_FAILS(
            sedge_elliptic_right_hand_side(s.u, world.comm, s.c.element, s.c.mesh, &s.c.problem),
            SEDGE_ERR_USAGE, ball == 0 ? "lies outside the mesh" : "radius 0.2");
        clear(&s);
    }
}

// Nothing fixes u: its mean is zero, and what does not add up is taken away and said.
static void test_singular(void)
{
    elliptic_options options = elliptic_defaults(2);
    solution s;
    double *exact = NULL;

    options.cells[0] = 3;
    options.distort = 0.0;
    options.known = "layers"; // its mean over the cube is zero, and so is its source's
    options.known_parameters[0] = 1.0;
    options.known_parameters[1] = 0.5;
    options.epsilon = 3.0;
    for (int i = 0; i < 6; i++) options.sides[i] = "known-flux";
    solve(&s, &options, NULL);
    CHECK(s.result.singular && s.result.krylov.reason == SEDGE_KRYLOV_CONVERGED);
    CHECK_BOUND(s.result.imbalance, 1e-3); // of interpolated sources and fluxes
    CHECK_OK(sedge_allocate(&exact, s.c.values, sizeof *exact));
    elliptic_known(&s.c, exact);
    CHECK_BOUND(elliptic_norm(&s.c, s.u, exact) / elliptic_norm(&s.c, exact, NULL), 0.15);
    for (int64_t i = 0; i < s.c.values; i++) exact[i] = 1.0;
    double mean = 0.0;
    for (int32_t e = 0; e < s.c.mesh->elements; e++) {
        const int nodes = s.c.element->nodes;
        for (int k = 0; k < nodes * nodes; k++) {
            mean += 0.75 * sedge_tet_volume(s.c.mesh->corners[e]) * s.c.element->mass[k] *
                    s.u[(int64_t)e * nodes + k % nodes];
        }
    }
    sedge_comm_sum(world.comm, &mean, 1);
    CHECK_BOUND(fabs(mean), 1e-12);
    sedge_release(exact);
    clear(&s);

    options.known = NULL; // a flux of 1 into every side, and nothing that takes it
    for (int i = 0; i < 6; i++) options.sides[i] = "neumann";
    options.side_values[0] = 1.0;
    solve(&s, &options, NULL);
    CHECK(s.result.singular && s.result.krylov.reason == SEDGE_KRYLOV_CONVERGED);
    CHECK_BOUND(fabs(s.result.imbalance - 1.0), 0.1);
    clear(&s);
    for (int i = 0; i < 6; i++) options.sides[i] = "known-flux"; // of "zero": none
    solve(&s, &options, NULL);                                   // nothing at all
    CHECK(s.result.krylov.reason == SEDGE_KRYLOV_CONVERGED &&
          elliptic_largest(&s.c, s.u, NULL) == 0.0);
    clear(&s);
}

int main(void)
{
    CHECK_OK(elliptic_open(&world));
    if (world.comm != NULL) {
        test_known_solutions();
        test_capacitor();
        test_known_fluxes();
        test_charges();
        test_singular();
        elliptic_close(&world);
    }
    return CHECK_END();
}
