#include "local_steps_choice.h"

#include "base/memory.h"
#include "device/cpu.h"
#include "dg/exponential.h"
#include "dg/predictor.h"
#include "dg/response.h"
#include "session/integrator_choice.h"
#include "session/levels_choice.h"
#include "time/pass_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what keeps a run from local time steps ----------------------------------------------------

// `trial` has the integrator with local time steps. "": nothing.
static void find_obstacle(char text[160], const sedge_deck *deck, const sedge_problem *trial,
                          double frequency)
{
    const char *const cannot = sedge_predictor_obstacle(trial);

    if (deck->steps > 0) {
        (void)snprintf(text, 160, "the deck counts steps: give time.end in place of time.steps");
    } else if (!sedge_integrator_is_upwind(deck)) {
        (void)snprintf(text, 160, "they need upwind fluxes");
    } else if (cannot != NULL) {
        (void)snprintf(text, 160, "'%s' cannot do %s", trial->integrator->name, cannot);
    } else if (!(frequency > 0.0)) {
        (void)snprintf(text, 160, "no signal or spectrum tells how short the waves are");
    }
}

// ---- how far waves travel ----------------------------------------------------------------------

// The volume of the mesh, and the area of the surfaces that let waves out. Collective.
static sedge_status find_openings(double *volume, double *open, const sedge_comm *comm,
                                  const sedge_problem *problem, const sedge_mesh *mesh)
{
    double *volumes = NULL;
    int64_t *counts = NULL; // not needed here
    sedge_status status = sedge_allocate(&volumes, mesh->groups.volumes, sizeof *volumes);

    *volume = *open = 0.0;
    if (status == SEDGE_OK)
        status = sedge_allocate(&counts, 2LL * mesh->groups.volumes, sizeof *counts);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_mesh_measure_groups(volumes, comm, mesh));
    for (int v = 0; v < mesh->groups.volumes; v++) *volume += volumes[v];
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        sedge_surface_measures surface;
        if (kind == NULL || !(kind->absorbs || kind->layers)) continue;
        sedge_mesh_measure_surface(&surface, counts, comm, mesh, s);
        *open += surface.area;
    }
done:
    sedge_release(volumes);
    sedge_release(counts);
    return status;
}

// The diagonal of the mesh's bounding box.
static double find_diameter(const sedge_comm *comm, const sedge_mesh *mesh)
{
    double most[6]; // of x, y, z and of their negatives

    for (int i = 0; i < 6; i++) most[i] = -HUGE_VAL;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int i = 0; i < 12; i++) {
            const double x = mesh->corners[e][i / 3][i % 3];
            most[i % 3] = fmax(most[i % 3], x);
            most[3 + i % 3] = fmax(most[3 + i % 3], -x);
        }
    }
    sedge_comm_max(comm, most, 6);
    return sqrt(pow(most[0] + most[3], 2.0) + pow(most[1] + most[4], 2.0) +
                pow(most[2] + most[5], 2.0));
}

// 1 / speed of the mean element. By numbers of elements, which are the same on any number of ranks.
static double find_slowness(const sedge_problem *problem, const sedge_mesh *mesh)
{
    double sum = 0.0;

    for (int v = 0; v < problem->volumes; v++) {
        const double speed = sedge_response_slowest(problem, v);
        if (speed > 0.0) sum += (double)mesh->groups.volume_elements[v] / speed;
    }
    return sum / (double)mesh->global_elements;
}

// Where waves leave, they travel once through the mesh, and longer where little of its surface is
// open: the energy in a room of volume V with openings of area A falls as exp(-A c t / 4 V) (W. C.
// Sabine's law of reverberation).
static sedge_status count_wavelengths(double *count, const sedge_comm *comm, const sedge_deck *deck,
                                      const sedge_problem *problem, const sedge_mesh *mesh,
                                      double frequency)
{
    double time = deck->end_time;
    double volume, open;

    SEDGE_TRY(find_openings(&volume, &open, comm, problem, mesh));
    if (open > 0.0) {
        const double length = fmax(find_diameter(comm, mesh), 4.0 * volume / open);
        time = fmin(time, length * find_slowness(problem, mesh));
    }
    *count = frequency * time;
    return SEDGE_OK;
}

// ---- costs -------------------------------------------------------------------------------------

// The work of a Runge-Kutta method per code time, in stages of a plain element. Collective.
static double find_work(const sedge_comm *comm, const sedge_deck *deck,
                        const sedge_problem *problem, const sedge_mesh *mesh, double launch)
{
    const sedge_integrator *const integrator = problem->integrator;
    int32_t element;
    double dt = sedge_problem_time_step(problem, mesh, deck->cfl,
                                        sedge_cpu_share(sedge_comm_node_size(comm)), &element);

    sedge_comm_min(comm, &dt, 1);
    return integrator->stages / dt *
           (sedge_pass_launches(integrator, problem->curved) * launch +
            sedge_levels_pass(comm, problem, mesh, sedge_pass_cost));
}

// Set the gain; where it could be worth it, `levels`, too. Collective.
static sedge_status find_gain(sedge_local_steps *out, sedge_levels *levels, const sedge_comm *comm,
                              const sedge_deck *deck, double launch, double work,
                              const sedge_problem *trial, const sedge_mesh *mesh)
{
    const sedge_levels_options options = sedge_levels_plan(comm, deck, trial, launch);
    double least;

    SEDGE_TRY(sedge_levels_least_cost(&least, comm, trial, mesh, &options));
    out->gain = work / least;
    out->bound = true;
    if (!(out->gain > SEDGE_LOCAL_STEPS_WORTH * fmin(1.0, out->penalty))) return SEDGE_OK;
    SEDGE_TRY(sedge_levels_find(levels, comm, deck, trial, mesh, launch));
    out->gain = work / levels->cost;
    out->bound = false;
    return SEDGE_OK;
}

static const sedge_integrator *find_integrator(void)
{
    int i = 0;

    while (sedge_integrators[i] != NULL && !sedge_integrators[i]->predictor) i++;
    return sedge_integrators[i];
}

sedge_status sedge_local_steps_choose(sedge_local_steps *out, sedge_levels *levels,
                                      const sedge_comm *comm, const sedge_deck *deck,
                                      sedge_problem *problem, const sedge_mesh *mesh)
{
    const double frequency = sedge_integrator_frequency(deck, problem);
    sedge_problem trial = *problem;

    memset(out, 0, sizeof *out);
    memset(levels, 0, sizeof *levels);
    trial.integrator = find_integrator();
    if (trial.integrator == NULL || deck->levels == 1 || !deck->equation->linear) return SEDGE_OK;
    const double launch = sedge_levels_launch(comm, deck, problem);
    const double work = find_work(comm, deck, problem, mesh, launch);
    // The terms are those of `problem`: the caller chooses for its integrator again.
    sedge_exponential_choose(&trial, mesh, deck->cfl, sedge_cpu_share(sedge_comm_node_size(comm)),
                             comm);
    out->integrator = trial.integrator;
    out->other = problem->integrator;
    out->penalty = 1.0;
    find_obstacle(out->obstacle, deck, &trial, frequency);
    if (out->obstacle[0] == '\0') {
        SEDGE_TRY(count_wavelengths(&out->wavelengths, comm, deck, problem, mesh, frequency));
        out->penalty = sedge_predictor_penalty(problem->order, out->wavelengths);
    }
    SEDGE_TRY(find_gain(out, levels, comm, deck, launch, work, &trial, mesh));
    out->taken = out->obstacle[0] == '\0' && !out->bound &&
                 out->gain > SEDGE_LOCAL_STEPS_WORTH * out->penalty;
    if (out->taken) {
        problem->integrator = trial.integrator;
    } else {
        sedge_levels_clear(levels);
    }
    return SEDGE_OK;
}

void sedge_local_steps_print(const sedge_local_steps *found)
{
    if (found->integrator == NULL) return;
    printf("  local time steps   %s %s%.3g times as fast as %s", found->taken ? "are" : "would be",
           found->bound ? "at most " : "", found->gain, found->other->name);
    if (found->gain > SEDGE_LOCAL_STEPS_WORTH && found->obstacle[0] != '\0') {
        printf(", but %s", found->obstacle);
    } else if (found->gain > SEDGE_LOCAL_STEPS_WORTH * fmin(1.0, found->penalty)) {
        printf(", and errors of waves over %.3g wavelengths cost %.3g times the work",
               found->wavelengths, found->penalty);
    }
    printf("%s\n", found->taken ? "" : ": not taken");
}
