#include "session/refraction.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define PI 3.14159265358979323846

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

// Add to change[f] what the pole adds to du_f/dt of a swinging field f alone, by
// i omega w = A w + B u and du = C w + D u. False: it adds to other fields, too.
static bool add_pole(double complex *change, const pole *of, int field)
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
    for (int f = 0; f < SEDGE_MAX_FIELDS; f++)
        if (f != field && cabs(sum[f]) > 1e-9 * cabs(sum[field])) return false;
    change[field] += sum[field];
    return true;
}

// Does volume group `volume` have the term as part of its medium, and not of an absorbing layer?
static bool has_term(const sedge_term *term, int volume)
{
    return term->present[volume] && term->kind->layer == 0;
}

static bool add_terms(double complex *change, const sedge_problem *problem, int volume,
                      double omega)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        const int size = sedge_term_parameters(term) / term->poles;
        if (!has_term(term, volume)) continue;
        if (!term->kind->linear) return false;
        for (int k = 0; k < term->poles * problem->equation->fields; k++) {
            const pole of = {problem, term->kind, problem->materials[volume],
                             term->parameters[volume] + (ptrdiff_t)(k % term->poles) * size, omega};
            if (!add_pole(change, &of, k / term->poles)) return false;
        }
    }
    return true;
}

double complex sedge_refraction(const sedge_problem *problem, int volume, double frequency)
{
    const sedge_equation *const equation = problem->equation;
    const double omega = 2.0 * PI * frequency;
    double complex slowing[SEDGE_MAX_FIELDS] = {0.0};

    if (equation->index == NULL || !(omega > 0.0)) return (double complex)NAN;
    if (!add_terms(slowing, problem, volume, omega)) return (double complex)NAN;
    for (int f = 0; f < equation->fields && equation->source != NULL; f++) {
        double u[SEDGE_MAX_FIELDS] = {0.0};
        double s[SEDGE_MAX_FIELDS] = {0.0};
        u[f] = 1.0;
        equation->source(u, problem->materials[volume], problem->constants, s);
        slowing[f] += s[f];
    }
    for (int f = 0; f < equation->fields; f++)
        slowing[f] = 1.0 - slowing[f] / (omega * (double complex)I);
    return equation->index(problem->materials[volume], slowing);
}

static void print_group(const sedge_session *session, int volume, double highest)
{
    const sedge_deck *const deck = session->deck;
    const sedge_problem *const problem = &session->problem;
    const double second = sedge_deck_time_unit(deck);
    const double step = deck->cfl * sedge_problem_decay_step(problem, volume);

    printf(
        "    %-16s conductivity and terms alone allow a time step of %.4g%s, %.3g times this one\n",
        session->mesh->groups.volume_names[volume], step * second,
        sedge_deck_unit(deck, SEDGE_TIME), step / session->dt);
    for (int i = 1; i <= SEDGE_FREQUENCIES && highest > 0.0; i++) {
        const double frequency = highest * i / SEDGE_FREQUENCIES;
        const double complex index = sedge_refraction(problem, volume, frequency);
        if (isnan(creal(index))) return;
        printf("    %-16s at %.4g%s: n %.4g, k %.4g\n", "", frequency / second,
               sedge_deck_unit(deck, SEDGE_FREQUENCY), creal(index), -cimag(index));
    }
}

void sedge_refraction_print(const sedge_session *session)
{
    const double highest = sedge_problem_frequency(&session->problem);
    bool first = true;

    if (!sedge_comm_is_root(session->comm)) return;
    for (int v = 0; v < session->problem.volumes; v++) {
        bool some = false;
        bool layer = false; // its medium is that of the group that it continues
        for (int i = 0; i < session->problem.term_count; i++) {
            const sedge_term *const term = &session->problem.terms[i];
            some = some || has_term(term, v);
            layer = layer || (term->present[v] && term->kind->layer > 0);
        }
        if (!some || layer) continue;
        if (first) {
            printf(
                "  dispersion         refractive index n - i k; fields fall by exp(-2 pi f k x / "
                "c)\n");
        }
        first = false;
        print_group(session, v, highest);
    }
}
