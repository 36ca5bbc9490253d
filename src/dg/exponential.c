#include "dg/exponential.h"

#include "dg/point.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST      SEDGE_EXPONENTIAL_SIZE
#define SLOW      0.5 // |lambda| dt of a slow mode is below
#define APART     2.2 // and that of a fast one not below: in between waves without loss grow
#define SWEEPS    60  // of Jacobi's method; it converges in fewer than ten
#define SYMMETRIC 1e-12

// The least gain of the time step. On an H200 the update takes up to 1.9 stages, and beside a
// predictor 1.2 steps (benchmarks/MEASUREMENTS.md).
#define WORTH 4.0

// y' = A y: eigenvalues and projectors.
typedef struct spectrum {
    int n;
    double value[MOST];
    double projector[MOST][MOST][MOST]; // of each eigenvalue
} spectrum;

int sedge_exponential_size(const sedge_term *term)
{
    return 1 + sedge_term_memory(term) / 3;
}

// ---- the matrix --------------------------------------------------------------------------------

// Column k of the first component's matrix, by the law itself. The component k > 0 of y is w[3 (k -
// 1)] of all poles one after the other.
static void find_column(double column[MOST], const sedge_problem *problem, const sedge_term *term,
                        int volume, int k)
{
    const sedge_term_kind *const kind = term->kind;
    const int first = kind->field_triple - 1;
    const int each = kind->memory / 3;

    memset(column, 0, MOST * sizeof *column);
    for (int pole = 0; pole < term->poles; pole++) {
        double u[SEDGE_MAX_FIELDS] = {0.0}, du[SEDGE_MAX_FIELDS] = {0.0};
        double w[SEDGE_MAX_MEMORY] = {0.0}, dw[SEDGE_MAX_MEMORY] = {0.0};
        if (k == 0) {
            u[first] = 1.0;
        } else if ((k - 1) / each == pole) {
            w[(ptrdiff_t)3 * ((k - 1) % each)] = 1.0;
        }
        kind->local(u, w, problem->materials[volume], sedge_term_pole(term, volume, pole),
                    problem->constants, 0.0, du, dw);
        column[0] += du[first];
        for (int c = 0; c < each; c++) column[1 + pole * each + c] = dw[(ptrdiff_t)3 * c];
    }
}

// ---- its eigenvalues ---------------------------------------------------------------------------

// Of a 2 x 2 matrix with two real eigenvalues; false: it has not.
static bool split_pair(spectrum *out, double a[MOST][MOST])
{
    const double half = 0.5 * (a[0][0] + a[1][1]);
    double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];

    // Rounding must not make a mode that stays grow.
    if (fabs(determinant) <= 4.0 * DBL_EPSILON * fabs(a[0][0] * a[1][1])) determinant = 0.0;
    const double square = half * half - determinant;
    if (!(half < 0.0 && determinant >= 0.0 && square > 1e-6 * half * half)) return false;
    out->value[1] = half - sqrt(square);
    out->value[0] = determinant / out->value[1];
    const double gap = out->value[0] - out->value[1];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            const double one = i == k;
            out->projector[0][i][k] = (a[i][k] - out->value[1] * one) / gap;
            out->projector[1][i][k] = (out->value[0] * one - a[i][k]) / gap;
        }
    }
    return true;
}

// One rotation of Jacobi's method: s[p][q] becomes 0; the columns of v are the eigenvectors at
// last.
static void rotate(double s[MOST][MOST], double v[MOST][MOST], int n, int p, int q)
{
    if (!(fabs(s[p][q]) > 0.0)) return;
    const double angle = 0.5 * atan2(2.0 * s[p][q], s[p][p] - s[q][q]);
    const double cosine = cos(angle);
    const double sine = sin(angle);

    for (int k = 0; k < n; k++) {
        const double left = s[k][p];
        s[k][p] = cosine * left + sine * s[k][q];
        s[k][q] = cosine * s[k][q] - sine * left;
    }
    for (int k = 0; k < n; k++) {
        const double upper = s[p][k];
        const double of = v[k][p];
        s[p][k] = cosine * upper + sine * s[q][k];
        s[q][k] = cosine * s[q][k] - sine * upper;
        v[k][p] = cosine * of + sine * v[k][q];
        v[k][q] = cosine * v[k][q] - sine * of;
    }
}

// Of a matrix that the roots `g` of the energy's weights make symmetric, g_i a_ik / g_k; false: it
// is not.
static bool split_symmetric(spectrum *out, double a[MOST][MOST], const double g[MOST])
{
    const int n = out->n;
    double s[MOST][MOST] = {{0.0}};
    double v[MOST][MOST] = {{0.0}};
    double largest = 0.0;

    for (int i = 0; i < n; i++) {
        v[i][i] = 1.0;
        for (int k = 0; k < n; k++) s[i][k] = g[i] * a[i][k] / g[k];
    }
    for (int i = 0; i < n * n; i++) {
        const double one = s[i / n][i % n];
        if (!(fabs(one - s[i % n][i / n]) <= SYMMETRIC * fabs(one))) return false;
    }
    for (int i = 0; i < SWEEPS * n; i++)
        for (int q = i % n + 1; q < n; q++) rotate(s, v, n, i % n, q);
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(s[j][j]));
    for (int j = 0; j < n; j++) {
        const bool stays = fabs(s[j][j]) <= 8.0 * DBL_EPSILON * largest;
        out->value[j] = stays ? 0.0 : s[j][j];
        if (!(out->value[j] <= 0.0)) return false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) out->projector[j][i][k] = v[i][j] * v[k][j] * g[k] / g[i];
    }
    return true;
}

// Of a term in a volume group that has it; false: an eigenvalue is not a real number of at most 0.
static bool find_spectrum(spectrum *out, const sedge_problem *problem, const sedge_term *term,
                          int volume)
{
    const sedge_term_kind *const kind = term->kind;
    double a[MOST][MOST];
    double column[MOST];
    double g[MOST];
    double fields[SEDGE_MAX_FIELDS];

    out->n = sedge_exponential_size(term);
    for (int k = 0; k < out->n; k++) {
        find_column(column, problem, term, volume, k);
        for (int i = 0; i < out->n; i++) a[i][k] = column[i];
    }
    if (out->n == 2) return split_pair(out, a);
    if (!sedge_term_stores_energy(term)) return false;
    problem->equation->energy(problem->materials[volume], fields);
    g[0] = sqrt(fields[kind->field_triple - 1]);
    const int each = kind->memory / 3;
    for (int k = 1; k < out->n; k++) {
        double weights[SEDGE_MAX_MEMORY];
        sedge_term_energy(weights, problem, term, volume, (k - 1) / each);
        g[k] = sqrt(weights[(ptrdiff_t)3 * ((k - 1) % each)]);
    }
    return split_symmetric(out, a, g);
}

// ---- the choice --------------------------------------------------------------------------------

// Has the group another term that stands in the way of `term`, or that is exponential itself?
static bool is_hindered(const sedge_problem *problem, const sedge_term *term, int volume)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const other = &problem->terms[i];
        if (other == term || !other->present[volume]) continue;
        if (other->kind->drive != NULL || other->kind->multiply != NULL) return true;
        if (other->exponential && other->kind->field_triple == term->kind->field_triple)
            return true;
    }
    return false;
}

static bool is_possible(const sedge_problem *problem, const sedge_term *term)
{
    spectrum any;

    if (!problem->integrator->exponential || term->kind->field_triple == 0 ||
        sedge_exponential_size(term) > MOST)
        return false;
    if (problem->integrator->predictor && problem->equation->slow == NULL) return false;
    for (int v = 0; v < problem->volumes; v++) {
        if (!term->present[v]) continue;
        if (is_hindered(problem, term, v) || !find_spectrum(&any, problem, term, v)) return false;
    }
    return true;
}

static double find_step(const sedge_problem *problem, const sedge_mesh *mesh, int threads,
                        const sedge_comm *comm)
{
    int32_t element;
    double least = sedge_problem_time_step(problem, mesh, 1.0, threads, &element);

    sedge_comm_min(comm, &least, 1);
    return least;
}

// Does a point source lie in an element that has the term? Predictions have a source's effect on
// the field at its full rate. Collective.
static bool is_sourced(const sedge_problem *problem, const sedge_mesh *mesh, const sedge_term *term,
                       const sedge_comm *comm)
{
    int64_t found = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int i = 0; i < problem->point_source_count && term->present[mesh->group[e]]; i++)
            found += sedge_point_is_in(mesh, e, problem->point_sources[i].position);
    }
    sedge_comm_sum_int(comm, &found, 1);
    return found > 0;
}

// With steps of dt each mode of the term is slow or fast enough.
static bool is_apart(const sedge_problem *problem, const sedge_term *term, double dt)
{
    spectrum of;

    for (int v = 0; v < problem->volumes; v++) {
        if (!term->present[v] || !find_spectrum(&of, problem, term, v)) continue;
        for (int j = 0; j < of.n; j++)
            if (-of.value[j] * dt >= SLOW && -of.value[j] * dt < APART) return false;
    }
    return true;
}

// Drop one exponential term that does not pay, or that the integrator does not bear; false: all
// stay.
static bool drop_one(sedge_problem *problem, const sedge_mesh *mesh, double cfl, int threads,
                     const sedge_comm *comm)
{
    const double longest = find_step(problem, mesh, threads, comm);

    for (int i = 0; i < problem->term_count; i++) {
        sedge_term *const term = &problem->terms[i];
        if (!term->exponential) continue;
        term->exponential = false;
        if (longest < WORTH * find_step(problem, mesh, threads, comm)) return true;
        if (problem->integrator->predictor) {
            if (is_sourced(problem, mesh, term, comm)) return true;
        } else if (!is_apart(problem, term, cfl * longest)) {
            return true;
        }
        term->exponential = true;
    }
    return false;
}

void sedge_exponential_choose(sedge_problem *problem, const sedge_mesh *mesh, double cfl,
                              int threads, const sedge_comm *comm)
{
    bool any = false;

    for (int i = 0; i < problem->term_count; i++) problem->terms[i].exponential = false;
    for (int i = 0; i < problem->term_count; i++) {
        sedge_term *const term = &problem->terms[i];
        term->exponential = is_possible(problem, term);
        any = any || term->exponential;
    }
    while (any) any = drop_one(problem, mesh, cfl, threads, comm);
}

// (exp(x) - 1) / x
static double find_phi(double x)
{
    return x < 0.0 ? expm1(x) / x : 1.0;
}

// ---- a stage -----------------------------------------------------------------------------------

void sedge_exponential_stage(double *numbers, const sedge_problem *problem, const sedge_term *term,
                             int volume, int stage, double dt)
{
    const sedge_integrator *const scheme = problem->integrator;
    const double end = stage + 1 < scheme->stages ? scheme->c[stage + 1] : 1.0;
    const double part = end - scheme->c[stage];
    spectrum of;

    memset(&of, 0, sizeof of);
    (void)find_spectrum(&of, problem, term, volume);
    const int n = of.n;
    for (int i = 0; i < n; i++) {
        double *const row = numbers + (ptrdiff_t)i * (n + 2);
        memset(row, 0, (size_t)(n + 2) * sizeof *row);
        for (int j = 0; j < n; j++) {
            const double x = of.value[j] * part * dt;
            const double phi = find_phi(x);
            const bool fast = -of.value[j] * dt >= SLOW;
            for (int k = 0; k < n; k++) row[k] += of.projector[j][i][k] * exp(x);
            row[n + fast] += of.projector[j][i][0] * phi * (fast ? part : scheme->b[stage]);
        }
    }
}

// ---- a step with a prediction ------------------------------------------------------------------

// (exp(x) - 1 - x) / x^2
static double find_second_phi(double x)
{
    if (x < -0.5) return (expm1(x) - x) / (x * x);
    double term = 0.5, sum = 0.0;
    for (int k = 3; k < 20; k++) { // the series' rest is below rounding
        sum += term;
        term *= x / k;
    }
    return sum;
}

// What a mode of eigenvalue lambda is multiplied by over a step.
static double grow(double x)
{
    return exp(x);
}

// sum_j f(lambda_j dt) P_j, [n][n].
static void find_function(double out[MOST][MOST], const spectrum *of, double (*f)(double x),
                          double dt)
{
    memset(out, 0, MOST * sizeof *out);
    for (int j = 0; j < of->n; j++) {
        const double value = f(of->value[j] * dt);
        for (int i = 0; i < of->n; i++)
            for (int k = 0; k < of->n; k++) out[i][k] += value * of->projector[j][i][k];
    }
}

void sedge_exponential_step(double *numbers, const sedge_problem *problem, const sedge_term *term,
                            int volume, double dt)
{
    double flow[MOST][MOST], mean[MOST][MOST];
    spectrum of;

    memset(&of, 0, sizeof of);
    (void)find_spectrum(&of, problem, term, volume);
    find_function(flow, &of, grow, dt);
    find_function(mean, &of, find_phi, dt);
    const int n = of.n;
    double *const rest = numbers + (ptrdiff_t)n * n;
    for (int k = 0; k < n; k++) {
        const double whole = flow[0][k] / mean[0][0]; // of F' and the rest together
        numbers[k] = mean[0][k];
        rest[k] = whole - mean[0][k];
        rest[n + k] = mean[k][0];
        for (int i = 1; i < n; i++) numbers[i * n + k] = flow[i][k] - mean[i][0] * whole;
    }
}

void sedge_exponential_materials(double *m, const sedge_problem *problem, int volume, double dt)
{
    memcpy(m, problem->materials[volume], sizeof problem->materials[volume]);
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        double factor[MOST][MOST];
        spectrum of;
        if (!term->exponential || !term->present[volume]) continue;
        memset(&of, 0, sizeof of);
        (void)find_spectrum(&of, problem, term, volume);
        find_function(factor, &of, find_second_phi, dt);
        problem->equation->slow(m, term->kind->field_triple - 1, 2.0 * factor[0][0]);
    }
}
