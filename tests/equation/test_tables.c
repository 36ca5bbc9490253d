// The equations' tables say what is true: sizes, names, functions that exist in the header.
#include "dg/problem.h"

#include "base/text.h"

#include "check.h"

#include "dg/random.h"

// Kinds in files of their own, which the tests fill in.
static sedge_face_kind face_in_file;
static sedge_source_kind in_file;
static sedge_term_kind term_in_file;
const sedge_face_kind *const sedge_face_kinds[] = {&face_in_file, NULL};
const sedge_source_kind *const sedge_source_kinds[] = {&in_file, NULL};
const sedge_term_kind *const sedge_term_kinds[] = {&term_in_file, NULL};

static void check_parameters(const sedge_parameter *parameters, int count)
{
    int size = 0;

    for (int i = 0; i < count; i++) {
        const sedge_parameter *p = &parameters[i];
        CHECK(p->name != NULL && p->name[0] != '\0');
        CHECK(p->text != NULL && p->text[0] != '\0');
        CHECK(p->minimum <= p->maximum);
        CHECK(p->dimension >= 0 && p->dimension < SEDGE_DIMENSIONS);
        if (p->type == SEDGE_PARAMETER_SIGNAL) CHECK(p->required);
        for (int k = 0; k < i; k++) CHECK(strcmp(p->name, parameters[k].name) != 0);
        const bool one = p->type == SEDGE_PARAMETER_REAL || p->type == SEDGE_PARAMETER_INTEGER;
        for (int k = 0; k < (one ? 1 : 3) && !p->required; k++) {
            if (p->minimum < p->maximum)
                CHECK(p->fallback[k] >= p->minimum && p->fallback[k] <= p->maximum);
            if (p->positive) CHECK(p->fallback[k] > 0.0);
        }
        size += sedge_parameter_size(p);
    }
    CHECK(size == sedge_parameters_size(parameters, count));
    CHECK(size <= SEDGE_MAX_VALUES);
}

// The header's text defines a function of this name.
static void check_function(const sedge_equation *equation, const char *name)
{
    sedge_text *pattern = NULL;

    CHECK_OK(sedge_text_create(&pattern));
    CHECK_OK(sedge_text_add(pattern, "SEDGE_FUNCTION void %s(", name));
    CHECK(strstr(equation->header_text, sedge_text_get(pattern)) != NULL);
    sedge_text_free(pattern);
}

static void check_kernel_functions(const sedge_equation *equation)
{
    static const char *const suffixes[] = {"flux", "surface", "source"};
    const int count = equation->source != NULL ? 3 : 2;

    for (int i = 0; i < count; i++) {
        sedge_text *name = NULL;
        CHECK_OK(sedge_text_create(&name));
        CHECK_OK(sedge_text_add(name, "%s_%s", equation->name, suffixes[i]));
        check_function(equation, sedge_text_get(name));
        sedge_text_free(name);
    }
}

static void test_kinds(const sedge_equation *equation)
{
    for (int i = 0; i < equation->boundary_count; i++) {
        const sedge_boundary_kind *kind = &equation->boundaries[i];
        CHECK((kind->apply != NULL || equation->elliptic != NULL) && kind->text != NULL);
        if (equation->elliptic == NULL) check_function(equation, kind->function);
        check_parameters(kind->parameters, kind->parameter_count);
        for (int k = 0; k < i; k++) CHECK(strcmp(kind->name, equation->boundaries[k].name) != 0);
    }
    CHECK(equation->initial_count > 0);
    for (int i = 0; i < equation->initial_count; i++) {
        const sedge_initial_kind *kind = &equation->initials[i];
        CHECK(kind->apply != NULL && kind->text != NULL);
        check_parameters(kind->parameters, kind->parameter_count);
        for (int k = 0; k < i; k++) CHECK(strcmp(kind->name, equation->initials[k].name) != 0);
    }
    for (int i = 0; i < equation->source_count; i++) {
        const sedge_source_kind *kind = &equation->sources[i];
        CHECK(kind->text != NULL);
        check_parameters(kind->parameters, kind->parameter_count);
        if (kind->type == SEDGE_SOURCE_BALL) {
            CHECK(equation->elliptic != NULL && kind->parameter_count == 3);
            CHECK(kind->parameters[0].type == SEDGE_PARAMETER_VECTOR);
        }
        if (kind->type != SEDGE_SOURCE_POINT) continue;
        CHECK(kind->point != NULL && kind->parameter_count >= 2);
        CHECK(kind->parameters[0].type == SEDGE_PARAMETER_VECTOR);
        CHECK(kind->parameters[1].type == SEDGE_PARAMETER_SIGNAL);
    }
}

static void test_sizes(const sedge_equation *equation)
{
    int covered = 0;

    CHECK(equation->fields >= 1 && equation->fields <= SEDGE_MAX_FIELDS);
    CHECK(equation->material_values <= SEDGE_MAX_MATERIALS);
    CHECK(equation->constant_count <= SEDGE_MAX_VALUES);
    for (int i = 0; i < equation->fields; i++) {
        for (int k = 0; k < i; k++)
            CHECK(strcmp(equation->field_names[i], equation->field_names[k]) != 0);
    }
    for (int i = 0; i < equation->group_count; i++) {
        const sedge_output_group *group = &equation->groups[i];
        CHECK(group->count == 1 || group->count == 3);
        CHECK(group->first == covered);
        CHECK(group->si > 0.0 && group->unit_si != NULL);
        covered += group->count;
    }
    CHECK(covered == equation->fields);
    check_parameters(equation->materials, equation->material_count);
    check_parameters(equation->flux_keys, equation->flux_key_count);
    if (equation->si != NULL)
        for (int i = 0; i < SEDGE_DIMENSIONS; i++) CHECK(equation->si[i] > 0.0);
}

// surface() of equal traces and equal media is zero, and conserves: what one side loses the other
// gets, n.F*(u,v,n) = -(-n).F*(v,u,-n).
static void test_flux_consistent(const sedge_equation *equation)
{
    uint64_t seed = 11;

    for (int trial = 0; trial < 20; trial++) {
        double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS], jump[SEDGE_MAX_FIELDS];
        double back[SEDGE_MAX_FIELDS], F[3][SEDGE_MAX_FIELDS], G[3][SEDGE_MAX_FIELDS];
        double keys[SEDGE_MAX_VALUES], c[SEDGE_MAX_VALUES] = {0.0};
        double deck[SEDGE_MAX_MATERIALS] = {0.0}, m[SEDGE_MAX_MATERIALS] = {0.0};
        double n[3], opposite[3];
        double length = 0.0;

        for (int i = 0; i < SEDGE_MAX_VALUES; i++) keys[i] = fabs(random_value(&seed));
        equation->constants(keys, NULL, c);
        for (int i = 0; i < equation->material_count; i++)
            deck[i] = 1.0 + 0.5 * random_value(&seed);
        if (equation->derive != NULL) equation->derive(deck, m);
        for (int d = 0; d < 3; d++) {
            n[d] = random_value(&seed);
            length += n[d] * n[d];
        }
        for (int d = 0; d < 3; d++) {
            n[d] /= sqrt(length);
            opposite[d] = -n[d];
        }
        for (int k = 0; k < equation->fields; k++) {
            u[k] = random_value(&seed);
            v[k] = random_value(&seed);
        }
        equation->surface(u, u, m, m, n, c, jump);
        for (int k = 0; k < equation->fields; k++) CHECK_BOUND(fabs(jump[k]), 1e-16);
        equation->surface(u, v, m, m, n, c, jump);
        equation->surface(v, u, m, m, opposite, c, back);
        equation->flux(u, m, c, F[0], F[1], F[2]);
        equation->flux(v, m, c, G[0], G[1], G[2]);
        for (int k = 0; k < equation->fields; k++) {
            double ours = jump[k], theirs = back[k];
            for (int d = 0; d < 3; d++) {
                ours += n[d] * F[d][k];
                theirs += opposite[d] * G[d][k];
            }
            CHECK_BOUND(fabs(ours + theirs), 1e-14);
        }
    }
}

// An equation without time: a potential and its gradient; conditions and coefficients.
static void test_elliptic(const sedge_equation *equation)
{
    const sedge_elliptic_equation *const elliptic = equation->elliptic;

    CHECK(equation->fields == 4 && equation->constant_count >= 1);
    CHECK(equation->flux == NULL && equation->surface == NULL && equation->speed == NULL);
    CHECK(elliptic->coefficient != NULL && elliptic->source != NULL && elliptic->condition != NULL);
}

static void test_find(void)
{
    CHECK(sedge_equation_find("poisson") != NULL);
    CHECK(sedge_equation_find("maxwell") != NULL);
    CHECK(sedge_equation_find("advection") != NULL);
    CHECK(sedge_equation_find("burgers") != NULL); // lies beside this test
    CHECK(sedge_equation_find("max") == NULL);
    CHECK(sedge_equation_find("") == NULL);
}

// Constants, material and normal of a check; positive where a deck's values must be.
typedef struct surroundings {
    double c[SEDGE_MAX_VALUES], m[SEDGE_MAX_MATERIALS], p[SEDGE_MAX_VALUES];
    double n[3];
} surroundings;

static void make_surroundings(surroundings *s, const sedge_equation *equation, uint64_t *seed)
{
    double keys[SEDGE_MAX_VALUES], deck[SEDGE_MAX_MATERIALS] = {0.0};

    memset(s, 0, sizeof *s);
    for (int i = 0; i < SEDGE_MAX_VALUES; i++) {
        keys[i] = fabs(random_value(seed));
        s->p[i] = fabs(random_value(seed));
    }
    equation->constants(keys, NULL, s->c);
    for (int i = 0; i < equation->material_count; i++) deck[i] = 1.0 + 0.5 * random_value(seed);
    if (equation->derive != NULL) equation->derive(deck, s->m);
    s->n[1] = 0.6;
    s->n[2] = -0.8;
}

// u, v, u + v and zero: of what is linear but for a constant, f(u) + f(v) - f(u + v) = f(0).
enum { TERMS = 4 };

static void make_terms(double (*u)[SEDGE_MAX_FIELDS], uint64_t *seed)
{
    for (int f = 0; f < SEDGE_MAX_FIELDS; f++) {
        u[0][f] = random_value(seed);
        u[1][f] = random_value(seed);
        u[2][f] = u[0][f] + u[1][f];
        u[3][f] = 0.0;
    }
}

static double add_terms(double (*f)[SEDGE_MAX_FIELDS], int fields)
{
    double worst = 0.0;

    for (int i = 0; i < fields; i++)
        worst = fmax(worst, fabs(f[0][i] + f[1][i] - f[2][i] - f[3][i]));
    return worst;
}

// What the table calls linear is, to rounding of numbers of order ten, and boundary functions that
// are do not look where and when they are.
static void test_linear(const sedge_equation *equation)
{
    double u[TERMS][SEDGE_MAX_FIELDS], v[TERMS][SEDGE_MAX_FIELDS], none[3][SEDGE_MAX_FIELDS];
    double jump[TERMS][SEDGE_MAX_FIELDS], flux[TERMS][SEDGE_MAX_FIELDS];
    double source[TERMS][SEDGE_MAX_FIELDS] = {{0.0}};
    uint64_t seed = 23;
    surroundings s;

    make_surroundings(&s, equation, &seed);
    make_terms(u, &seed);
    make_terms(v, &seed);
    for (int k = 0; k < TERMS && equation->linear; k++) {
        equation->flux(u[k], s.m, s.c, flux[k], none[1], none[2]);
        equation->surface(u[k], v[k], s.m, s.m, s.n, s.c, jump[k]);
        if (equation->source != NULL) equation->source(u[k], s.m, s.c, source[k]);
    }
    if (equation->linear) {
        CHECK_BOUND(add_terms(flux, equation->fields), 1e-14);
        CHECK_BOUND(add_terms(jump, equation->fields), 1e-14);
        CHECK_BOUND(add_terms(source, equation->fields), 1e-14);
    }
    for (int i = 0; i < equation->boundary_count; i++) {
        if (!equation->boundaries[i].linear) continue;
        for (int k = 0; k < TERMS; k++) {
            const double x[3] = {random_value(&seed), random_value(&seed), random_value(&seed)};
            equation->boundaries[i].apply(u[k], s.m, s.n, x, random_value(&seed), s.p, s.c, v[k]);
        }
        CHECK_BOUND(add_terms(v, equation->fields), 1e-14);
    }
}

// Boundary functions that the table says to leave vectors whole do: anywhere, in any direction, at
// any time, in any medium.
static void test_whole_vectors(const sedge_equation *equation)
{
    uint64_t seed = 29;

    for (int i = 0; i < equation->boundary_count; i++) {
        const sedge_boundary_kind *const kind = &equation->boundaries[i];
        if (!kind->whole_vectors) continue;
        CHECK(kind->linear && equation->curls);
        for (int k = 0; k < 8; k++) {
            double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS];
            surroundings s;
            make_surroundings(&s, equation, &seed);
            const double x[3] = {random_value(&seed), random_value(&seed), random_value(&seed)};
            for (int f = 0; f < equation->fields; f++) u[f] = random_value(&seed);
            kind->apply(u, s.m, s.n, x, random_value(&seed), s.p, s.c, v);
            for (int f = 0; f < equation->fields; f++) {
                const int first = f / 3 * 3;
                const double sign = u[first] * v[first] > 0.0 ? 1.0 : -1.0;
                CHECK_BOUND(fabs(v[f] - sign * u[f]), 1e-15);
            }
        }
    }
}

static void check_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++) CHECK(isfinite(values[i]));
}

// Only boundary functions read the constants of the incident field, so that all others give numbers
// where these are none.
static void test_incident_constants(const sedge_equation *equation)
{
    double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS], flux[3][SEDGE_MAX_FIELDS];
    double jump[SEDGE_MAX_FIELDS], source[SEDGE_MAX_FIELDS] = {0.0}, weights[SEDGE_MAX_FIELDS];
    uint64_t seed = 31;
    surroundings s;

    make_surroundings(&s, equation, &seed);
    for (int i = 1; i <= equation->incident_constants; i++)
        s.c[equation->constant_count - i] = (double)NAN;
    for (int f = 0; f < SEDGE_MAX_FIELDS; f++) {
        u[f] = random_value(&seed);
        v[f] = random_value(&seed);
    }
    equation->flux(u, s.m, s.c, flux[0], flux[1], flux[2]);
    for (int d = 0; d < 3; d++) check_finite(flux[d], equation->fields);
    equation->surface(u, v, s.m, s.m, s.n, s.c, jump);
    check_finite(jump, equation->fields);
    if (equation->source != NULL) equation->source(u, s.m, s.c, source);
    check_finite(source, equation->fields);
    const double speed = equation->speed(s.m, s.c);
    check_finite(&speed, 1);
    equation->energy(s.m, weights);
    check_finite(weights, equation->fields);
}

static void test_parameter_sizes(void)
{
    const sedge_parameter list[] = {{.type = SEDGE_PARAMETER_REAL},
                                    {.type = SEDGE_PARAMETER_INTEGER},
                                    {.type = SEDGE_PARAMETER_VECTOR},
                                    {.type = SEDGE_PARAMETER_INTEGERS},
                                    {.type = SEDGE_PARAMETER_SIGNAL}};

    CHECK(sedge_parameters_size(list, 5) == 1 + 1 + 3 + 3 + SEDGE_SIGNAL_VALUES);
    CHECK(sedge_parameters_size(NULL, 0) == 0);
}

static void set_weights(const double *p, const double *m, double *weights)
{
    (void)p, (void)m, (void)weights;
}

// A kind of source in a file of its own must have an equation, a name that is free in it, and what
// a point source needs.
static void test_source_in_file(void)
{
    static const sedge_parameter parameters[] = {
        {.name = "position", .type = SEDGE_PARAMETER_VECTOR, .text = "its place"},
        {.name = "signal", .type = SEDGE_PARAMETER_SIGNAL, .text = "its signal"}};
    const sedge_equation *const maxwell = sedge_equation_find("maxwell");
    const sedge_source_kind *own[SEDGE_MAX_KINDS];

    in_file = (sedge_source_kind){.name = "plane-wave", .text = "a point source"};
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "kind of source 'plane-wave' in a file of its own: equation: it is required and "
                "missing");
    in_file.equation = "maxwell";
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "sources[1].name: another kind of source has it already");
    in_file.name = "other";
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "sources[1].point: a point source requires it, and it is missing");
    in_file.point = set_weights;
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "sources[1].parameters: those of a point source must begin with a vector");
    in_file.parameters = parameters;
    in_file.parameter_count = 2;
    CHECK_OK(sedge_equation_check(maxwell));
    CHECK(sedge_source_kinds_of(own, maxwell) == maxwell->source_count + 1);
    in_file.name = "plane-wave"; // of another equation
    in_file.equation = "advection";
    CHECK_OK(sedge_equation_check(maxwell));
}

// The same for kinds of faces and terms.
static void test_face_and_term_in_files(void)
{
    const sedge_equation *const maxwell = sedge_equation_find("maxwell");

    in_file.equation = term_in_file.equation = "none";
    face_in_file.kind = maxwell->boundaries[0];
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "kind of face 'pec' in a file of its own: equation: it is required and missing");
    face_in_file.equation = "maxwell";
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "boundaries[4].name: another kind of boundary has it already");
    face_in_file.kind.name = "other";
    CHECK_OK(sedge_equation_check(maxwell));
    term_in_file.equation = NULL;
    CHECK_FAILS(sedge_equation_check(maxwell), SEDGE_ERR_USAGE,
                "kind of term '' in a file of its own: equation: it is required and missing");
    term_in_file.equation = face_in_file.equation = "none";
    CHECK_OK(sedge_equation_check(maxwell));
}

// Two parameters of a kind, or two kinds of initial fields, with one name: nobody could ask for the
// second.
static void test_names_twice(void)
{
    sedge_equation equation = *sedge_equation_find("advection");
    sedge_parameter keys[2] = {equation.flux_keys[0], equation.flux_keys[1]};
    sedge_initial_kind kinds[2] = {equation.initials[0], equation.initials[1]};

    equation.flux_keys = keys;
    equation.initials = kinds;
    CHECK_OK(sedge_equation_check(&equation));
    keys[1].name = keys[0].name;
    CHECK_FAILS(sedge_equation_check(&equation), SEDGE_ERR_USAGE,
                "flux_keys[1].name: another parameter has it already");
    keys[1].name = NULL;
    CHECK_FAILS(sedge_equation_check(&equation), SEDGE_ERR_USAGE,
                "flux_keys[1].name: it is required and missing");
    keys[1].name = "other";
    kinds[1].name = kinds[0].name;
    CHECK_FAILS(sedge_equation_check(&equation), SEDGE_ERR_USAGE,
                "initials[1].name: another kind of initial fields has it already");
}

int main(void)
{
    test_face_and_term_in_files();
    test_source_in_file();
    test_names_twice();
    test_find();
    test_parameter_sizes();
    for (int i = 0; sedge_equations[i] != NULL; i++) {
        const sedge_equation *equation = sedge_equations[i];
        CHECK_OK(sedge_equation_check(equation));
        CHECK(sedge_equation_find(equation->name) == equation);
        test_sizes(equation);
        test_kinds(equation);
        if (equation->elliptic != NULL) {
            test_elliptic(equation);
            continue;
        }
        check_kernel_functions(equation);
        test_flux_consistent(equation);
        test_linear(equation);
        test_whole_vectors(equation);
        test_incident_constants(equation);
    }
    return CHECK_END();
}
