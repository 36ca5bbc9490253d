#include "session/refraction.h"

#include "dg/dense.h"
#include "dg/response.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FAR  1e9    // a medium that allows this many steps in one limits none
#define TINY 1e-200 // a conductivity of 0 in an image is such a number, but not 0
#define PI   3.14159265358979323846

double complex sedge_refraction(const sedge_problem *problem, int volume, double frequency)
{
    const double omega = 2.0 * PI * frequency;
    double complex factors[SEDGE_MAX_FIELDS];

    if (problem->equation->index == NULL || !(omega > 0.0)) return (double complex)NAN;
    if (!sedge_response_find(factors, problem, volume, omega)) return (double complex)NAN;
    return problem->equation->index(problem->materials[volume], factors);
}

void sedge_refraction_along(double complex indices[3][2], const sedge_problem *problem, int volume,
                            double frequency)
{
    const double omega = 2.0 * PI * frequency;
    double complex matrix[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];

    for (int d = 0; d < 3; d++) indices[d][0] = indices[d][1] = (double complex)NAN;
    if (problem->equation->indices == NULL || !(omega > 0.0)) return;
    if (!sedge_response_matrix(matrix, problem, volume, omega)) return;
    for (int d = 0; d < 3; d++)
        problem->equation->indices(problem->materials[volume], matrix, d, indices[d]);
}

// Of a medium with a tensor.
static void print_axes(const char *name, const sedge_session *session, int volume, double frequency)
{
    double complex n[3][2];

    sedge_refraction_along(n, &session->problem, volume, frequency);
    if (isnan(creal(n[0][0]))) return;
    printf("    %-16s at %.4g%s:", name, frequency / sedge_deck_time_unit(session->deck),
           sedge_deck_unit(session->deck, SEDGE_FREQUENCY));
    for (int d = 0; d < 3; d++) {
        printf("%s along %c n %.4g, k %.4g and n %.4g, k %.4g", d > 0 ? ";" : "", "xyz"[d],
               creal(n[d][0]), 0.0 - cimag(n[d][0]), creal(n[d][1]), 0.0 - cimag(n[d][1]));
    }
    printf("\n");
}

// Has the medium loss or memory, which make its index depend on the frequency?
static bool is_dispersive(const sedge_problem *problem, int volume)
{
    bool is = sedge_problem_has_source(problem, volume);

    for (int i = 0; i < problem->term_count; i++)
        is = is || (problem->terms[i].present[volume] && problem->terms[i].kind->rate != NULL);
    return is;
}

static void print_group(const sedge_session *session, int volume, double highest)
{
    const sedge_deck *const deck = session->deck;
    const sedge_problem *const problem = &session->problem;
    const double second = sedge_deck_time_unit(deck);
    const double step = deck->cfl * sedge_problem_decay_step(problem, volume);
    const char *name = session->mesh->groups.volume_names[volume]; // on its first line

    if (step < FAR * session->dt) {
        printf(
            "    %-16s conductivity and terms alone allow a time step of %.4g%s, %.3g times this "
            "one\n",
            name, step * second, sedge_deck_unit(deck, SEDGE_TIME), step / session->dt);
        name = "";
    }
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (!term->exponential || !term->present[volume]) continue;
        printf("    %-16s %s: stiff, by the exponential update; in the stages it would allow %.3g "
               "times this step\n",
               session->mesh->groups.volume_names[volume], term->name,
               deck->cfl * sedge_term_step(problem, term, volume) / session->dt);
    }
    const int first = is_dispersive(problem, volume) ? 1 : SEDGE_FREQUENCIES;
    for (int i = first; i <= SEDGE_FREQUENCIES && highest > 0.0; i++) {
        const double frequency = highest * i / SEDGE_FREQUENCIES;
        const double complex index = sedge_refraction(problem, volume, frequency);
        if (isnan(creal(index))) {
            print_axes(name, session, volume, frequency);
            name = "";
            continue;
        }
        const double k = fabs(cimag(index)) > TINY ? -cimag(index) : 0.0;
        printf("    %-16s at %.4g%s: n %.4g, k %.4g\n", name, frequency / second,
               sedge_deck_unit(deck, SEDGE_FREQUENCY), creal(index), k);
        name = "";
    }
}

// The tensors of the deck's materials.
static void print_tensors(const sedge_deck *deck)
{
    bool first = true;

    for (int i = 0; i < deck->term_count; i++) {
        const sedge_deck_term *const term = &deck->terms[i];
        const sedge_parameter *key = deck->equation->materials;
        double values[3];

        if (term->kind->tensor == NULL) continue;
        if (first) printf("  anisotropy         principal values of tensors\n");
        first = false;
        while (strcmp(key->name, term->kind->tensor) != 0) key++;
        sedge_symmetric_values(values, term->tensor);
        const double unit = deck->si ? deck->equation->si[key->dimension] : 1.0;
        printf("    %-16s %s %.6g, %.6g, %.6g%s\n", deck->materials[term->material].name, key->name,
               values[0] / unit, values[1] / unit, values[2] / unit,
               sedge_deck_unit(deck, key->dimension));
    }
}

void sedge_refraction_print(const sedge_session *session)
{
    const double highest = sedge_problem_frequency(&session->problem);
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    bool first = true;

    if (!sedge_comm_is_root(session->comm)) return;
    print_tensors(session->deck);
    for (int v = 0; v < session->problem.volumes; v += sedge_mesh_group_parts(groups, v)) {
        bool some = sedge_problem_has_source(&session->problem, v);
        bool layer = false; // its medium is that of the group that it continues
        for (int i = 0; i < session->problem.term_count; i++) {
            const sedge_term *const term = &session->problem.terms[i];
            some = some || (term->present[v] && term->kind->layer == 0);
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
        if (sedge_mesh_group_parts(groups, v) > 1)
            printf("    %-16s   where the first of its numbers that vary in space is least\n", "");
    }
}
