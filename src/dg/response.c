#include "dg/response.h"

#include "dg/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A pole at one angular frequency: memory values follow from the fields.
typedef struct pole {
    const sedge_problem *problem;
    const sedge_term_kind *kind;
    const double *m, *p;
    double omega;
} pole;

// What one pole makes of unit values of the fields or of its memory.
static void apply(const pole *of, const double *u, const double *w, double *du, double *dw)
{
    for (int k = 0; k < SEDGE_MAX_FIELDS; k++) du[k] = 0.0;
    for (int k = 0; k < of->kind->memory; k++) dw[k] = 0.0;
    of->kind->local(u, w, of->m, of->p, of->problem->constants, 0.0, du, dw);
}

// Solve a x = b in place, [n][n] and [n], with the largest pivot of each column.
static void solve(double complex (*a)[SEDGE_MAX_MEMORY], double complex *b, int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            if (cabs(a[r][c]) > cabs(a[pivot][c])) pivot = r;
        for (int k = 0; k < n; k++) {
            const double complex swap = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = swap;
        }
        const double complex swap = b[c];
        b[c] = b[pivot];
        b[pivot] = swap;
        for (int r = c + 1; r < n; r++) {
            const double complex factor = a[r][c] / a[c][c];
            for (int k = c; k < n; k++) a[r][k] -= factor * a[c][k];
            b[r] -= factor * b[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        for (int k = c + 1; k < n; k++) b[c] -= a[c][k] * b[k];
        b[c] /= a[c][c];
    }
}

// change[f][g]: what the medium adds to du_f/dt for a swinging field u_g = 1.
typedef double complex changes[SEDGE_MAX_FIELDS][SEDGE_MAX_FIELDS];

// Add what the pole adds for one field, by i omega w = A w + B u and du = C w + D u.
static void add_pole(changes change, const pole *of, int field)
{
    const double none[SEDGE_MAX_MEMORY] = {0.0};
    const int memory = of->kind->memory;
    double complex a[SEDGE_MAX_MEMORY][SEDGE_MAX_MEMORY];
    double complex w[SEDGE_MAX_MEMORY];
    double complex sum[SEDGE_MAX_FIELDS] = {0.0};
    double du[SEDGE_MAX_FIELDS], dw[SEDGE_MAX_MEMORY];
    double u[SEDGE_MAX_FIELDS] = {0.0};

    u[field] = 1.0;
    apply(of, u, none, du, dw);
    for (int k = 0; k < memory; k++) w[k] = dw[k];
    for (int f = 0; f < SEDGE_MAX_FIELDS; f++) sum[f] = du[f];
    u[field] = 0.0;
    for (int k = 0; k < memory; k++) {
        double unit[SEDGE_MAX_MEMORY] = {0.0};
        unit[k] = 1.0;
        apply(of, u, unit, du, dw);
        for (int r = 0; r < memory; r++)
            a[r][k] = (r == k ? of->omega * (double complex)I : 0.0) - dw[r];
    }
    solve(a, w, memory);
    for (int k = 0; k < memory; k++) {
        double unit[SEDGE_MAX_MEMORY] = {0.0};
        unit[k] = 1.0;
        apply(of, u, unit, du, dw);
        for (int f = 0; f < SEDGE_MAX_FIELDS; f++) sum[f] += du[f] * w[k];
    }
    for (int f = 0; f < SEDGE_MAX_FIELDS; f++) change[f][field] += sum[f];
}

// Does volume group `volume` have the term as part of its medium, and not of an absorbing layer?
static bool has_term(const sedge_term *term, int volume)
{
    return term->present[volume] && term->kind->layer == 0;
}

// Terms and source of a medium. False: a term is not linear.
static bool find_changes(changes change, const sedge_problem *problem, int volume, double omega)
{
    const sedge_equation *const equation = problem->equation;

    memset(change, 0, sizeof(changes));
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (!has_term(term, volume)) continue;
        if (!term->kind->linear) return false;
        for (int k = 0; k < term->poles * equation->fields && term->kind->local != NULL; k++) {
            const pole of = {problem, term->kind, problem->materials[volume],
                             sedge_term_pole(term, volume, k % term->poles), omega};
            add_pole(change, &of, k / term->poles);
        }
    }
    for (int g = 0; g < equation->fields && equation->source != NULL; g++) {
        double u[SEDGE_MAX_FIELDS] = {0.0};
        double s[SEDGE_MAX_FIELDS] = {0.0};
        u[g] = 1.0;
        equation->source(u, problem->materials[volume], problem->constants, s);
        for (int f = 0; f < equation->fields; f++) change[f][g] += s[f];
    }
    return true;
}

static bool has_tensor(const sedge_problem *problem, int volume)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (has_term(term, volume) && (term->kind->tensor != NULL || term->kind->multiply != NULL))
            return true;
    }
    return false;
}

bool sedge_response_find(double complex factors[SEDGE_MAX_FIELDS], const sedge_problem *problem,
                         int volume, double omega)
{
    const int n = problem->equation->fields;
    changes change;

    if (has_tensor(problem, volume) || !find_changes(change, problem, volume, omega)) return false;
    for (int g = 0; g < n; g++) {
        for (int f = 0; f < n; f++)
            if (f != g && cabs(change[f][g]) > 1e-9 * cabs(change[g][g])) return false;
        factors[g] = 1.0 - change[g][g] / (omega * (double complex)I);
    }
    return true;
}

// ---- matrices ----------------------------------------------------------------------------------

bool sedge_response_multiplies(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].kind->multiply_local != NULL) return true;
    return false;
}

void sedge_response_multiply(const sedge_problem *problem, int volume, double *du)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (term->kind->multiply_local != NULL && term->present[volume])
            term->kind->multiply_local(sedge_term_pole(term, volume, 0), du);
    }
}

// a [n][n] becomes its inverse, without pivots: it is similar to a positive definite matrix by a
// diagonal one, so that all pivots are positive.
static void invert(double *a, int n)
{
    for (int p = 0; p < n; p++) {
        const double pivot = a[p * n + p];
        a[p * n + p] = 1.0;
        for (int k = 0; k < n; k++) a[p * n + k] /= pivot;
        for (int r = 0; r < n; r++) {
            const double factor = a[r * n + p];
            if (r == p) continue;
            a[r * n + p] = 0.0;
            for (int k = 0; k < n; k++) a[r * n + k] -= factor * a[p * n + k];
        }
    }
}

// The inverse of what sedge_response_multiply does, [fields][fields].
static void find_inverse(double *inverse, const sedge_problem *problem, int volume)
{
    const int n = problem->equation->fields;

    for (int f = 0; f < n; f++) {
        double column[SEDGE_MAX_FIELDS] = {0.0};
        column[f] = 1.0;
        sedge_response_multiply(problem, volume, column);
        for (int g = 0; g < n; g++) inverse[g * n + f] = column[g];
    }
    invert(inverse, n);
}

bool sedge_response_matrix(double complex *matrix, const sedge_problem *problem, int volume,
                           double omega)
{
    const int n = problem->equation->fields;
    double inverse[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];
    changes change;

    if (!find_changes(change, problem, volume, omega)) return false;
    find_inverse(inverse, problem, volume);
    for (int f = 0; f < n; f++) {
        for (int g = 0; g < n; g++)
            matrix[f * n + g] = inverse[f * n + g] - change[f][g] / (omega * (double complex)I);
    }
    return true;
}

#define ROUNDING 1e-13 // of a loss, as a part of what the medium stores

bool sedge_response_losses(double complex *matrix, const sedge_problem *problem, int volume,
                           double omega)
{
    const int n = problem->equation->fields;
    double complex stored[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS]; // epsilon and mu, as tensors
    double weights[SEDGE_MAX_FIELDS];
    double size[SEDGE_MAX_FIELDS] = {0.0}; // of what a field stores

    if (!sedge_response_matrix(stored, problem, volume, omega)) return false;
    problem->equation->energy(problem->materials[volume], weights);
    for (int f = 0; f < n; f++) {
        for (int g = 0; g < n; g++) {
            stored[f * n + g] *= weights[f];
            size[f] = fmax(size[f], cabs(stored[f * n + g]));
        }
    }
    for (int f = 0; f < n; f++) {
        for (int g = 0; g < n; g++) {
            const double complex part = stored[f * n + g] - conj(stored[g * n + f]);
            const bool is_loss = cabs(part) > ROUNDING * sqrt(size[f] * size[g]);
            matrix[f * n + g] = is_loss ? 0.5 * omega * (double complex)I * part : 0.0;
        }
    }
    return true;
}

void sedge_response_energy(double *weights, const sedge_problem *problem, int volume)
{
    const sedge_equation *const equation = problem->equation;
    const int n = equation->fields;
    double diagonal[SEDGE_MAX_FIELDS];

    equation->energy(problem->materials[volume], diagonal);
    find_inverse(weights, problem, volume);
    for (int f = 0; f < n; f++)
        for (int g = 0; g < n; g++) weights[f * n + g] *= diagonal[f];
}

double sedge_response_slowest(const sedge_problem *problem, int volume)
{
    double speed = problem->equation->speed(problem->materials[volume], problem->constants);

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        double values[3];
        if (term->kind->multiply == NULL || term->kind->tensor == NULL || !term->present[volume])
            continue;
        sedge_symmetric_values(values, sedge_term_pole(term, volume, 0));
        speed *= sqrt(values[0]);
    }
    return speed;
}
