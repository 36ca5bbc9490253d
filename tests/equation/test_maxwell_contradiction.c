// Contradictions between a deck's sections are found and named; sound problems pass.
#include "dg/problem.h"

#include "check.h"

#include "dg/case.h"

static const sedge_equation *maxwell;

// Vacuum twice, a conductor, an absorbing surface and nothing else.
static void make_problem(sedge_problem *problem)
{
    const double vacuum[3] = {1.0, 1.0, 0.0};

    CHECK_OK(sedge_problem_init(problem, maxwell, 2, 2, 1));
    problem->point_source_count = 0;
    maxwell->derive(vacuum, problem->materials[0]);
    maxwell->derive(vacuum, problem->materials[1]);
    problem->boundaries[0].kind = dg_find_boundary(maxwell, "pec");
    problem->boundaries[1].kind = dg_find_boundary(maxwell, "absorbing");
    problem->initial = dg_find_initial(maxwell, "zero");
}

static void set_incident(sedge_problem *problem)
{
    static const double wave[15] = {0, 0, 2, 1, 0, 0, 0, 0, 0, SEDGE_SIGNAL_RICKER, 1, 1, 0, 2, 0};

    problem->incident_count = 1;
    problem->incidents[0].kind = dg_find_source(maxwell, "plane-wave");
    memcpy(problem->incidents[0].parameters, wave, sizeof wave);
}

static void set_initial(sedge_problem *problem, const char *name)
{
    problem->initial = dg_find_initial(maxwell, name);
    dg_fill_defaults(problem->initial->parameters, problem->initial->parameter_count,
                     problem->initial_parameters);
}

// The problem is refused with `text`; NULL: it is fine. Releases it.
static void check_verdict(sedge_problem *problem, const char *text)
{
    const char *const found = maxwell->contradiction(problem).text;
    const bool right = text == NULL ? found == NULL : found != NULL && strstr(found, text) != NULL;

    CHECK(right);
    if (!right) {
        (void)fprintf(stderr, "  wanted: %s\n  found: %s\n", text != NULL ? text : "nothing",
                      found != NULL ? found : "nothing");
    }
    sedge_problem_clear(problem);
}

static void test_sound(void)
{
    sedge_problem problem;

    make_problem(&problem);
    check_verdict(&problem, NULL);
    make_problem(&problem);
    set_incident(&problem);
    check_verdict(&problem, NULL);
    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.compare = true;
    check_verdict(&problem, NULL);
}

static void test_incident(void)
{
    const double glass[3] = {2.25, 1.0, 0.0};
    const double lossy[3] = {1.0, 1.0, 0.1};
    sedge_problem problem;

    make_problem(&problem);
    set_incident(&problem);
    problem.boundaries[0].kind = problem.boundaries[1].kind;
    check_verdict(&problem, "acts on surfaces that scatter (pec, pmc, impedance, walls");

    make_problem(&problem);
    set_incident(&problem);
    maxwell->derive(glass, problem.materials[1]);
    check_verdict(&problem, "needs the same material in every volume group");

    make_problem(&problem);
    set_incident(&problem);
    maxwell->derive(lossy, problem.materials[0]);
    maxwell->derive(lossy, problem.materials[1]);
    check_verdict(&problem, "needs conductivity 0");

    make_problem(&problem);
    set_incident(&problem);
    problem.incidents[0].parameters[5] = 0.1;
    check_verdict(&problem, "polarisation is not perpendicular to its direction");

    make_problem(&problem);
    set_incident(&problem);
    problem.incidents[0].parameters[3] = 0.0;
    check_verdict(&problem, "direction or polarisation is too short");

    make_problem(&problem);
    set_incident(&problem);
    problem.incidents[0].parameters[2] = 0.0;
    check_verdict(&problem, "direction or polarisation is too short");

    make_problem(&problem);
    set_incident(&problem);
    set_initial(&problem, "cavity-mode");
    check_verdict(&problem, "needs the initial state zero");
}

static void test_initial(void)
{
    sedge_problem problem;

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.initial_parameters[0] = problem.initial_parameters[1] = 0.0;
    check_verdict(&problem, "at most one 0");

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    for (int i = 0; i < 3; i++) problem.initial_parameters[9 + i] = 2.0; // along k
    check_verdict(&problem, "amplitude has no part that its `mode` allows");

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.initial_parameters[9] = 1e200;
    check_verdict(&problem, "amplitude is too large");

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.initial_parameters[2] = 0.0; // mode 1 1 0 has Ez only
    problem.initial_parameters[11] = 0.0;
    check_verdict(&problem, "amplitude has no part that its `mode` allows");

    make_problem(&problem);
    set_initial(&problem, "plane-wave");
    check_verdict(&problem, "initial plane-wave has a zero direction");

    make_problem(&problem);
    set_initial(&problem, "plane-wave");
    problem.initial_parameters[0] = problem.initial_parameters[3] = 1.0;
    check_verdict(&problem, "initial plane-wave's polarisation is not perpendicular");

    make_problem(&problem);
    set_initial(&problem, "periodic-wave");
    for (int i = 0; i < 3; i++) problem.initial_parameters[i] = 0.0;
    check_verdict(&problem, "`waves` are all 0");

    make_problem(&problem);
    set_initial(&problem, "periodic-wave");
    problem.initial_parameters[6] = 1.0;
    check_verdict(&problem, "periodic-wave's polarisation is not perpendicular");
}

static void test_sources(void)
{
    sedge_problem problem;

    make_problem(&problem);
    problem.point_source_count = 1;
    problem.point_sources[0].kind = dg_find_source(maxwell, "dipole");
    check_verdict(&problem, "a point source gives no current");

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.compare = true;
    problem.point_source_count = 1;
    problem.point_sources[0].kind = dg_find_source(maxwell, "dipole");
    problem.point_sources[0].parameters[9] = 1.0;
    check_verdict(&problem, "no exact solution beside a point source");
}

static void test_comparison(void)
{
    const double glass[3] = {4.0, 1.0, 0.0};
    const double lossy[3] = {1.0, 1.0, 0.1};
    sedge_problem problem;

    make_problem(&problem);
    set_initial(&problem, "cavity-mode");
    problem.compare = true;
    maxwell->derive(glass, problem.materials[0]);
    check_verdict(&problem, "only with the same material in every volume group");

    make_problem(&problem);
    set_initial(&problem, "periodic-wave");
    problem.initial_parameters[6] = 1.0;
    problem.initial_parameters[7] = -1.0;
    problem.compare = true;
    maxwell->derive(lossy, problem.materials[0]);
    maxwell->derive(lossy, problem.materials[1]);
    check_verdict(&problem, "only without conductivity");

    make_problem(&problem);
    set_initial(&problem, "layered-mode");
    problem.compare = true;
    maxwell->derive(glass, problem.materials[1]);
    check_verdict(&problem, NULL);

    make_problem(&problem);
    set_initial(&problem, "layered-mode");
    problem.compare = true;
    maxwell->derive(lossy, problem.materials[1]);
    check_verdict(&problem, "each volume group has one of its two epsilons");
}

int main(void)
{
    maxwell = sedge_equation_find("maxwell");
    test_sound();
    test_incident();
    test_initial();
    test_sources();
    test_comparison();
    return CHECK_END();
}
