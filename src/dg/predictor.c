#include "predictor.h"

#include "dg/cubature.h"

#include <math.h>

int sedge_predictor_terms(int order, bool terms)
{
    const int most = order <= 2 ? 2 : 3;

    return terms || order > most ? most : order;
}

bool sedge_predictor_is_plain(const sedge_problem *problem, int volume)
{
    return !sedge_problem_has_source(problem, volume) &&
           !sedge_problem_has_staged_term(problem, volume);
}

bool sedge_predictor_has_linear_metric(const sedge_problem *problem, int volume)
{
    return sedge_predictor_is_plain(problem, volume) && sedge_cubature_state_is_covariant(problem);
}

static int count_lowerings(int order)
{
    return order < 4 || order > 8 ? 0 : order == 5 ? 4 : 3;
}

double sedge_predictor_factor(int order, int k)
{
    // By eigenvalues 5e-5 is enough at order 10.
    static const double lean[SEDGE_ORDER_MAX + 1] = {[9] = 5e-4, [10] = 5e-4};

    return k == 1 && count_lowerings(order) == 0 ? 0.5 + lean[order] : 1.0 / (k + 1);
}

static double degree_value(int d)
{
    return d * (d + 3.0);
}

double sedge_predictor_damping(int order, int d)
{
    // q_1 to q_D; q is a polynomial of degree D in d (d + 3) with q_0 = 0.
    static const double given[SEDGE_ORDER_MAX + 1][SEDGE_PREDICTOR_LOWERINGS] = {
        [4] = {2e-4, 0.03, -0.2},
        [5] = {0.0, 7e-4, 0.065, -0.1},
        [6] = {0.0, 0.0, 7e-3},
        [7] = {0.0, 0.0, 6e-4},
        [8] = {0.0, 0.0, 1e-4}};
    const int count = count_lowerings(order);
    double sum = 0.0;

    for (int i = 1; i <= count && d < order; i++) {
        double term = given[order][i - 1];
        for (int j = 0; j <= count; j++) {
            if (j == i) continue;
            term *= (degree_value(d) - degree_value(j)) / (degree_value(i) - degree_value(j));
        }
        sum += term;
    }
    return sum;
}

int sedge_predictor_lowerings(int order, double weights[SEDGE_PREDICTOR_LOWERINGS + 1])
{
    const int count = count_lowerings(order);
    const int top = order - 1;

    // E^k T^k has no part of degrees above n - k.
    for (int k = 0; k <= count; k++) {
        const int d = top - k;
        double rest = count > 0 ? sedge_predictor_damping(order, d) : 0.0;
        double factor = 1.0;
        for (int i = 0; i < k; i++) {
            rest -= weights[i] * factor;
            factor *= 1.0 - degree_value(d) / degree_value(top - i);
        }
        weights[k] = rest / factor;
    }
    return count;
}

// The Legendre polynomial of degree n at x, and its derivative.
static double find_legendre(int n, double x, double *slope)
{
    double before = 1.0, now = x;

    for (int k = 2; k <= n; k++) {
        const double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    *slope = n * (before - x * now) / (1.0 - x * x);
    return now;
}

int sedge_predictor_times(int order, double points[SEDGE_PREDICTOR_TIMES],
                          double weights[SEDGE_PREDICTOR_TIMES])
{
    const double pi = 3.14159265358979323846;
    const int count = (order + 3) / 2;

    for (int i = 0; i < count; i++) {
        double x = -cos(pi * (i + 0.75) / (count + 0.5));
        double slope = 0.0;
        for (int turn = 0; turn < 20; turn++) x -= find_legendre(count, x, &slope) / slope;
        (void)find_legendre(count, x, &slope);
        points[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return count;
}

// Does the equation's source vanish with the fields in all volume groups?
static bool is_homogeneous(const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;
    const double zero[SEDGE_MAX_FIELDS] = {0.0};

    for (int v = 0; v < problem->volumes && equation->source != NULL; v++) {
        double rate[SEDGE_MAX_FIELDS] = {0.0};
        equation->source(zero, problem->materials[v], problem->constants, rate);
        for (int f = 0; f < equation->fields; f++)
            if (rate[f] != 0.0) return false;
    }
    return true;
}

// Has any element both terms?
static bool do_meet(const sedge_problem *problem, const sedge_term *one, const sedge_term *other)
{
    bool meet = false;

    for (int v = 0; v < problem->volumes; v++) meet |= one->present[v] && other->present[v];
    return meet;
}

int sedge_predictor_words(int at[SEDGE_MAX_KINDS], const sedge_problem *problem)
{
    int most = 0;

    for (int i = 0; i < problem->term_count; i++) {
        at[i] = 0;
        if (problem->terms[i].exponential) continue;
        for (int k = 0; k < i; k++) {
            const int end = at[k] + sedge_term_memory(&problem->terms[k]);
            if (problem->terms[k].exponential) continue;
            if (end > at[i] && do_meet(problem, &problem->terms[i], &problem->terms[k]))
                at[i] = end;
        }
        const int end = at[i] + sedge_term_memory(&problem->terms[i]);
        if (end > most) most = end;
    }
    return most;
}

static int64_t count_nodes(int order)
{
    return (order + 1) * (order + 2) * (order + 3) / 6;
}

int64_t sedge_predictor_room(const sedge_problem *problem)
{
    int at[SEDGE_MAX_KINDS];
    const int fields = problem->equation->fields;
    const int all = fields + sedge_predictor_words(at, problem);
    const int64_t nodes = count_nodes(problem->order);
    const int64_t lower = count_nodes(problem->order - 1);
    const int64_t slopes = lower + count_nodes(problem->order - 2);

    return (all + all % 2) * (nodes + lower) + fields * (nodes > slopes ? nodes : slopes);
}

const char *sedge_predictor_obstacle(const sedge_problem *problem)
{
    if (!problem->equation->linear) return "a nonlinear equation";
    if (!is_homogeneous(problem)) return "a source that does not vanish with the fields";
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        if (kind != NULL && !kind->linear && kind->memory == 0 && kind->feed == NULL)
            return "conditions on surfaces that are not known to be linear";
    }
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term_kind *const kind = problem->terms[i].kind;
        if (!kind->linear) return "terms that are not linear";
    }
    if (sedge_predictor_room(problem) > SEDGE_PREDICTOR_ROOM) return "so many poles at this order";
    return NULL;
}

sedge_status sedge_predictor_check(const sedge_problem *problem)
{
    if (!problem->integrator->predictor) return SEDGE_OK;
    const char *const obstacle = sedge_predictor_obstacle(problem);
    if (obstacle == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the integrator '%s' cannot do %s; choose time.integrator: lsrk45 or auto",
                      problem->integrator->name, obstacle);
}
