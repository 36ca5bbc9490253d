// The time step and the problem's arrays.
#include "dg/problem.h"

#include "case.h"
#include "check.h"
#include "dg/signal.h"

static double unit_speed(const double *m, const double *c)
{
    (void)c;
    return m[0];
}

static double unit_decay(const double *m)
{
    return m[1];
}

static const sedge_equation equation = {.name = "test", .fields = 1, .speed = unit_speed};
static const sedge_equation decaying = {
    .name = "test", .fields = 1, .speed = unit_speed, .decay = unit_decay};

// A mesh of two elements: a Kuhn cell's tet, and the regular tet of edge 2 sqrt(2).
static double corners[2][4][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
                                  {{-1, -1, -1}, {1, 1, -1}, {-1, 1, 1}, {1, -1, 1}}};

static void test_known_step(void)
{
    int32_t group[2] = {0, 1};
    sedge_mesh mesh = {.elements = 2, .corners = corners, .group = group};
    sedge_problem problem;
    int32_t element = -1;
    // Inscribed radii 3 V / (sum of areas): the Kuhn tet has V = 1/6 and two faces of area 1/2, two
    // of sqrt(2)/2; the regular one edge / (2 sqrt(6)).
    const double kuhn = 0.5 / (1.0 + sqrt(2.0));
    const double regular = 2.0 * sqrt(2.0) / (2.0 * sqrt(6.0));

    CHECK_OK(sedge_problem_init(&problem, &equation, 2, 0, 0));
    problem.materials[0][0] = 1.0;
    problem.materials[1][0] = 2.0;
    for (int order = 1; order <= 10; order++) {
        problem.order = order;
        const double number = sedge_stable_number(order);
        const double dt = sedge_problem_time_step(&problem, &mesh, 0.5, 1, &element);
        CHECK(element == 0);
        CHECK_BOUND(fabs(dt / (0.5 * number * kuhn) - 1.0), 1e-14);
    }
    // A faster wave makes the other element the limiting one.
    problem.order = 3;
    problem.materials[1][0] = 8.0;
    const double dt = sedge_problem_time_step(&problem, &mesh, 1.0, 1, &element);
    CHECK(element == 1);
    CHECK_BOUND(fabs(dt / (0.462 * regular / 8.0) - 1.0), 1e-14);
    sedge_problem_clear(&problem);
}

// A flat cell's tet, ten times as wide as high: its largest face has the area sqrt(1.01) / 2.
static void test_flat_step(void)
{
    double flat[1][4][3] = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0.1}}};
    int32_t group[1] = {0};
    sedge_mesh mesh = {.elements = 1, .corners = flat, .group = group};
    sedge_problem problem;
    int32_t element = -1;
    const double height = 0.1 / sqrt(1.01);

    CHECK_OK(sedge_problem_init(&problem, &equation, 1, 0, 0));
    problem.materials[0][0] = 1.0;
    problem.order = 4;
    const double dt = sedge_problem_time_step(&problem, &mesh, 1.0, 1, &element);
    CHECK_BOUND(fabs(dt / (0.323 * 0.36 * height) - 1.0), 1e-14);
    CHECK(0.36 * height < 0.82 * sedge_tet_inradius(flat[0]));
    sedge_problem_clear(&problem);
}

static void test_decay_shrinks_step(void)
{
    int32_t group[2] = {0, 1};
    sedge_mesh mesh = {.elements = 2, .corners = corners, .group = group};
    sedge_problem problem;
    int32_t element = -1;

    CHECK_OK(sedge_problem_init(&problem, &decaying, 2, 0, 0));
    problem.order = 2;
    problem.materials[0][0] = problem.materials[1][0] = 1.0;
    const double free_step = sedge_problem_time_step(&problem, &mesh, 1.0, 1, &element);
    problem.materials[1][1] = 46.0;
    const double step = sedge_problem_time_step(&problem, &mesh, 1.0, 1, &element);
    CHECK(element == 1);
    CHECK(step < free_step);
    CHECK_BOUND(fabs(1.0 / step - 1.0 / (0.631 / sqrt(3.0)) - 10.0), 1e-12);
    sedge_problem_clear(&problem);
}

static double first_parameter(const double *m, const double *p)
{
    (void)m;
    return p[0];
}

// The rates of a group's terms add to its decay; other groups do not have them.
static void test_terms_shrink_step(void)
{
    static const sedge_parameter rate[] = {{.name = "rate"}};
    static const sedge_term_kind kinds[2] = {
        {.name = "one", .parameters = rate, .parameter_count = 1, .rate = first_parameter},
        {.name = "two", .parameters = rate, .parameter_count = 1, .rate = first_parameter}};
    int32_t group[2] = {0, 1};
    sedge_mesh mesh = {.elements = 2, .corners = corners, .group = group};
    sedge_problem problem;

    CHECK_OK(sedge_problem_init(&problem, &decaying, 2, 0, 0));
    problem.order = 2;
    problem.materials[0][0] = problem.materials[1][0] = 1.0;
    const double before[2] = {sedge_problem_rate(&problem, &mesh, 0),
                              sedge_problem_rate(&problem, &mesh, 1)};
    CHECK_OK(sedge_problem_add_term(&problem, &kinds[0], 1, 1, &(double){23.0}));
    CHECK_OK(sedge_problem_add_term(&problem, &kinds[1], 1, 0, &(double){4.6}));
    CHECK_OK(sedge_problem_add_term(&problem, &kinds[1], 1, 1, &(double){9.2}));
    CHECK(problem.term_count == 2 && !problem.terms[0].present[0] && problem.terms[1].present[0]);
    CHECK(sedge_term_pole(&problem.terms[0], 0, 0)[0] == 0.0 &&
          sedge_term_pole(&problem.terms[1], 1, 0)[0] == 9.2);
    CHECK(sedge_problem_has_term(&problem, 0) && sedge_problem_has_term(&problem, 1));
    problem.materials[1][1] = -13.8; // growth counts as decay
    const double after[2] = {sedge_problem_rate(&problem, &mesh, 0),
                             sedge_problem_rate(&problem, &mesh, 1)};
    CHECK_BOUND(fabs(after[0] - before[0] - 1.0), 1e-12);
    CHECK_BOUND(fabs(after[1] - before[1] - 10.0), 1e-12);
    CHECK_BOUND(fabs(sedge_problem_decay_part(&problem, &mesh, 1) - 10.0 / after[1]), 1e-14);
    sedge_problem_clear(&problem);
}

// What a kind gives as its rate is a finite number of at least 0 in each group that has it.
static void test_wrong_rates(void)
{
    static const sedge_parameter own = {.name = "rate"};
    static const sedge_term_kind kind = {
        .name = "one", .parameters = &own, .parameter_count = 1, .rate = first_parameter};
    static const double wrong[3] = {-0.5, (double)NAN, (double)INFINITY};
    char names[2][64] = {"air", "glass"};
    sedge_mesh mesh = {.groups = {.volumes = 2, .volume_names = names}};
    sedge_problem problem;

    CHECK_OK(sedge_problem_init(&problem, &decaying, 2, 0, 0));
    CHECK_OK(sedge_problem_add_term(&problem, &kind, 1, 1, &(double){0.0}));
    CHECK_OK(sedge_problem_check_rates(&problem, &mesh));
    for (int i = 0; i < 3; i++) {
        char text[64];

        problem.terms[0].parameters[1] = wrong[i];
        (void)snprintf(text, sizeof text, "'one' of volume group 'glass' gives the rate %g,",
                       wrong[i]);
        CHECK_FAILS(sedge_problem_check_rates(&problem, &mesh), SEDGE_ERR_USAGE, text);
    }
    problem.terms[0].present[1] = false; // no group has it
    CHECK_OK(sedge_problem_check_rates(&problem, &mesh));
    sedge_problem_clear(&problem);
}

static void test_still_medium(void)
{
    int32_t group[2] = {0, 0};
    sedge_mesh mesh = {.elements = 2, .corners = corners, .group = group};
    sedge_problem problem;
    int32_t element = 5;

    CHECK_OK(sedge_problem_init(&problem, &equation, 1, 0, 0));
    problem.order = 2;
    CHECK(isinf(sedge_problem_time_step(&problem, &mesh, 1.0, 1, &element)));
    CHECK(element == -1);
    sedge_problem_clear(&problem);
}

// C_N falls with the order, without a jump where the formula takes over from the table.
static void test_stable_numbers(void)
{
    for (int order = 2; order <= 10; order++) {
        const double ratio = sedge_stable_number(order) / sedge_stable_number(order - 1);
        CHECK(ratio < 0.85);
        CHECK(ratio > 0.55);
    }
    CHECK_BOUND(fabs(sedge_stable_number(1) - 1.055), 1e-15);
    CHECK_BOUND(fabs(sedge_stable_number(8) - 0.130), 1e-15);
    CHECK_BOUND(fabs(sedge_stable_number(9) - 12.6 / 120.0), 1e-15);
}

static void test_arrays(void)
{
    sedge_problem problem;

    CHECK_OK(sedge_problem_init(&problem, &equation, 3, 2, 1));
    CHECK(problem.equation == &equation);
    CHECK(problem.volumes == 3 && problem.surfaces == 2 && problem.point_source_count == 1);
    for (int v = 0; v < 3; v++) CHECK(problem.materials[v][SEDGE_MAX_MATERIALS - 1] == 0.0);
    for (int s = 0; s < 2; s++) CHECK(problem.boundaries[s].kind == NULL);
    sedge_problem_clear(&problem);
    CHECK(problem.materials == NULL);
    sedge_problem_clear(&problem);
}

// The spectrum of a signal that has ended at t = 20, at one frequency.
static double find_spectrum(const double *signal, double frequency)
{
    enum { SAMPLES = 4000 };
    double sums[2] = {0.0, 0.0};

    for (int i = 0; i < SAMPLES; i++) {
        const double t = 20.0 * i / SAMPLES;
        sums[0] += sedge_signal(signal, t) * cos(2.0 * acos(-1.0) * frequency * t);
        sums[1] += sedge_signal(signal, t) * sin(2.0 * acos(-1.0) * frequency * t);
    }
    return hypot(sums[0], sums[1]);
}

// What kinds of pulses say of their signals: peak, end and the ends of the spectrum.
static void test_pulses(void)
{
    static const struct {
        double signal[SEDGE_SIGNAL_VALUES];
        double highest; // of the spectrum, where its peak is
        double least;   // the spectrum at `frequency`, of its peak
    } pulses[] = {{{SEDGE_SIGNAL_GAUSSIAN, 3.0, 2.0, 0.7, 8.0, 90.0}, 2.0, 0.01},
                  {{SEDGE_SIGNAL_GAUSSIAN, 3.0, 0.0, 0.7, 8.0, 0.0}, 0.0, 0.01},
                  {{SEDGE_SIGNAL_RICKER, 3.0, 0.6, 0.0, 8.0, 0.0}, 0.6, 0.033}};

    for (size_t i = 0; i < sizeof pulses / sizeof pulses[0]; i++) {
        const double *const signal = pulses[i].signal;
        const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
        const double peak = kind->peak(signal);
        const double end = kind->end(signal);
        const double most = find_spectrum(signal, pulses[i].highest);
        CHECK_BOUND(fabs(sedge_signal(signal, peak) - 3.0), 1e-14);
        CHECK_BOUND(fabs(sedge_signal(signal, end)), 3e-15);
        CHECK(fabs(sedge_signal(signal, peak + 0.9 * (end - peak))) > 3e-15);
        CHECK_BOUND(fabs(find_spectrum(signal, kind->frequency(signal)) / most - pulses[i].least),
                    1e-3);
        if (pulses[i].highest == 0.0) {
            CHECK(kind->lowest(signal) == 0.0);
        } else {
            CHECK_BOUND(fabs(find_spectrum(signal, kind->lowest(signal)) / most - 0.1), 1e-3);
        }
    }
}

int main(void)
{
    test_known_step();
    test_flat_step();
    test_decay_shrinks_step();
    test_terms_shrink_step();
    test_wrong_rates();
    test_still_medium();
    test_stable_numbers();
    test_arrays();
    test_pulses();
    return CHECK_END();
}
