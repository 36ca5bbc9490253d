#include "resolution.h"

#include "base/memory.h"
#include "dg/response.h"
#include "session/refraction.h"

#include <math.h>
#include <stdio.h>

// ---- errors ------------------------------------------------------------------------------------

// Beyond it nothing is resolved at any order, and powers stay in range.
#define LARGEST_PHASE 1e6

double sedge_resolution_error(int order, double edge, double wave, double waves)
{
    const double pi = 3.14159265358979323846;
    const double phase = fmin(2.0 * pi * edge / wave, LARGEST_PHASE);
    double left = 0.6; // 0.6 (phase / 4)^(N+1) / (N+1)!
    double root = 1.0; // N! / (2N+1)! (0.48 phase)^(N+1/2)

    for (int i = 1; i <= order + 1; i++) left *= 0.25 * phase / i;
    for (int i = order + 1; i <= 2 * order + 1; i++) root /= i;
    root *= pow(0.48 * phase, order + 0.5);
    return left + waves * pi * root * root;
}

// The error that a normal run aims at, and the errors above and below which the mesh is called
// coarse, or much finer than the wave needs.
#define ERROR_WANTED 1e-3
#define ERROR_COARSE 5e-2
#define ERROR_FINE   1e-5

// Of one volume group; `errors` by order, squared and weighted with the volume.
typedef struct resolution {
    double wave; // the shortest
    bool plain;  // without terms, which have no refractive index
    double edge; // the longest
    double volume;
    double errors[SEDGE_ORDER_MAX + 1];
} resolution;

// A mesh in millimetres that is taken for metres, nanoseconds for seconds: edges of many waves, or
// a wave of many thousand elements.
static bool has_odd_unit(double points)
{
    return points < 0.5 || points > 1e4;
}

static double group_error(const resolution *group, int order)
{
    return group->volume > 0.0 ? sqrt(group->errors[order] / group->volume) : 0.0;
}

// The largest size of the refractive index along x, y and z; not a number where it has none.
static double find_index(const sedge_problem *problem, int g, double frequency)
{
    double complex along[3][2];
    double largest = cabs(sedge_refraction(problem, g, frequency));

    if (!isnan(largest)) return largest;
    sedge_refraction_along(along, problem, g, frequency);
    for (int d = 0; d < 3; d++) largest = fmax(largest, cabs(along[d][0]));
    return largest;
}

// The shortest wave of a group up to the highest frequency. Where terms make the refractive index
// depend on the frequency its size counts: 1 over it is a wave, or the depth to which one enters.
// In a medium with a tensor the slowest wave may travel along none of the axes.
static void find_wave(resolution *group, const sedge_session *session, int g, double highest)
{
    const sedge_problem *const problem = &session->problem;
    double shortest = HUGE_VAL;

    group->wave = sedge_response_slowest(problem, g) / highest;
    if (!sedge_problem_has_term(problem, g)) return;
    group->plain = isnan(find_index(problem, g, highest));
    if (group->plain) return;
    for (int i = 1; i <= SEDGE_FREQUENCIES; i++) {
        const double frequency = highest * i / SEDGE_FREQUENCIES;
        shortest = fmin(shortest, 1.0 / (find_index(problem, g, frequency) * frequency));
    }
    const bool tensor = isnan(creal(sedge_refraction(problem, g, highest)));
    group->wave = tensor ? fmin(group->wave, shortest) : shortest;
}

// Add this rank's elements. A wave crosses many elements, so its error is their mean error: a few
// long edges have little effect.
static void add_elements(resolution *groups, const sedge_session *session, double frequency)
{
    const sedge_mesh *const mesh = session->mesh;
    const sedge_problem *const problem = &session->problem;
    const double waves = frequency * sedge_session_time(session, session->steps);

    for (int32_t e = 0; e < mesh->elements; e++) {
        resolution *const group = &groups[mesh->group[e]];
        const double volume = fabs(sedge_mesh_volume(mesh, e));
        const double edge = sedge_longest_edge(mesh->corners[e]);
        group->edge = fmax(group->edge, edge);
        group->volume += volume;
        for (int order = SEDGE_ORDER_MIN; order <= problem->order; order++) {
            const double error = sedge_resolution_error(order, edge, group->wave, waves);
            group->errors[order] += volume * error * error;
        }
    }
}

// Only a warning: frequencies that the deck asks for are refused where the mesh does not resolve
// them (monitor/sampling.h), and those of a pulse beyond them may be wrong without harm.
static void print_coarse(const sedge_session *session, double error)
{
    const sedge_deck *const deck = session->deck;
    const double unit = deck->si ? 1.0 / deck->equation->si[SEDGE_FREQUENCY] : 1.0;
    const double frequency = sedge_problem_frequency(&session->problem) * unit;
    const double factor = pow(ERROR_COARSE / error, 1.0 / (deck->order + 1.0));

    printf("  (coarse for signals up to %.3g%s: the error is below %g %% up to %.2g%s, or with "
           "edges %.2g "
           "times as long; or raise the order)",
           frequency, sedge_deck_unit(deck, SEDGE_FREQUENCY), 100.0 * ERROR_COARSE,
           factor * frequency, sedge_deck_unit(deck, SEDGE_FREQUENCY), factor);
}

static void print_judgement(const resolution *group, const sedge_session *session)
{
    const int order = session->deck->order;
    const double error = group_error(group, order);
    int enough = order;

    if (error > 1.0) {
        printf(", error above 100 %%");
    } else {
        printf(", error about %.2g %%", 100.0 * error);
    }
    if (error > ERROR_COARSE) print_coarse(session, error);
    if (error >= ERROR_FINE) return;
    while (enough > SEDGE_ORDER_MIN && group_error(group, enough - 1) < ERROR_WANTED) enough--;
    printf("  (much finer than the wave needs: ");
    if (enough < order) printf("order %d, or ", enough);
    printf("edges %.2g times as long, would have an error of %g %%)",
           pow(ERROR_WANTED / error, 1.0 / (order + 1.0)), 100.0 * ERROR_WANTED);
}

static void print_group(const resolution *group, const sedge_session *session, int g)
{
    const double points = group->wave / group->edge * session->deck->order;
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);

    printf("  %-18s shortest wave %.4g%s%s, longest edge %.4g%s: %.3g points a wavelength",
           session->mesh->groups.volume_names[g], group->wave, metre,
           group->plain ? " without terms" : "", group->edge, metre, points);
    if (has_odd_unit(points)) {
        printf("%s  %s", points < 1.0 ? ", which do not resolve it" : "",
               sedge_deck_question(session->deck));
    } else {
        print_judgement(group, session);
    }
    printf("\n");
}

// A group with graded numbers has the shortest wave of its parts.
static void join_parts(resolution *groups, int count)
{
    for (int i = 1; i < count; i++) {
        groups->wave = fmin(groups->wave, groups[i].wave);
        groups->plain |= groups[i].plain;
        groups->edge = fmax(groups->edge, groups[i].edge);
        groups->volume += groups[i].volume;
        for (int order = 0; order <= SEDGE_ORDER_MAX; order++)
            groups->errors[order] += groups[i].errors[order];
    }
}

sedge_status sedge_resolution_print(const sedge_session *session)
{
    const double frequency = sedge_problem_frequency(&session->problem);
    const sedge_mesh_groups *const mesh_groups = &session->mesh->groups;
    const int count = mesh_groups->volumes;
    resolution *groups = NULL;

    if (!(frequency > 0.0)) return SEDGE_OK;
    const sedge_status status = sedge_allocate(&groups, count, sizeof *groups);
    SEDGE_TRY(sedge_comm_agree(session->comm, status));
    for (int g = 0; g < count; g++) find_wave(&groups[g], session, g, frequency);
    add_elements(groups, session, frequency);
    for (int g = 0; g < count; g += sedge_mesh_group_parts(mesh_groups, g)) {
        join_parts(&groups[g], sedge_mesh_group_parts(mesh_groups, g));
        sedge_comm_max(session->comm, &groups[g].edge, 1);
        sedge_comm_sum(session->comm, &groups[g].volume, 1);
        sedge_comm_sum(session->comm, groups[g].errors, SEDGE_ORDER_MAX + 1);
        if (mesh_groups->volume_axes[g] != 0) continue; // its elements are like others
        if (!(groups[g].volume > 0.0)) continue;        // all of them are in a layer
        if (sedge_comm_is_root(session->comm)) print_group(&groups[g], session, g);
    }
    sedge_release(groups);
    return SEDGE_OK;
}
