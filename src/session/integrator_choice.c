#include "integrator_choice.h"

#include "device/cpu.h"
#include "dg/predictor.h"
#include "monitor/sampling.h"

#include <math.h>
#include <string.h>

double sedge_integrator_frequency(const sedge_deck *deck, const sedge_problem *problem)
{
    double highest = sedge_problem_frequency(problem);

    for (int i = 0; i < sedge_sampling_entries(deck); i++) {
        const sedge_deck_frequencies *const list = sedge_sampling_frequencies(deck, i);
        for (int k = 0; k < list->count; k++) highest = fmax(highest, list->value[k]);
    }
    return highest;
}

bool sedge_integrator_is_upwind(const sedge_deck *deck)
{
    const sedge_equation *const equation = deck->equation;

    for (int i = 0; i < equation->flux_key_count; i++) {
        if (strcmp(equation->flux_keys[i].name, "upwind") == 0) return deck->flux[i] >= 1.0;
    }
    return false;
}

// Stages from the start to the end; HUGE_VAL if the integrator's error is too large. Collective.
static double count_stages(const sedge_comm *comm, const sedge_deck *deck,
                           const sedge_problem *problem, const sedge_mesh *mesh, double frequency)
{
    const double pi = 3.14159265358979323846;
    const double every = deck->frequency_every > 0 ? deck->frequency_every : 1.0;
    int32_t element;
    double dt = sedge_problem_time_step(problem, mesh, deck->cfl,
                                        sedge_cpu_share(sedge_comm_node_size(comm)), &element);

    sedge_comm_min(comm, &dt, 1);
    if (!(dt > 0.0) || !isfinite(dt)) return HUGE_VAL; // refused elsewhere
    const double steps = ceil(deck->end_time / dt);
    dt = deck->end_time / steps;
    const double error =
        steps * sedge_integrator_error(problem->integrator, 2.0 * pi * frequency * dt);
    if (!(error <= SEDGE_TIME_ERROR) || every * dt * frequency * SEDGE_SAMPLES_A_PERIOD > 1.0)
        return HUGE_VAL;
    return steps * problem->integrator->stages;
}

const sedge_integrator *sedge_integrator_choose(const sedge_comm *comm, const sedge_deck *deck,
                                                const sedge_problem *problem,
                                                const sedge_mesh *mesh)
{
    const sedge_integrator *best = problem->integrator;
    const double frequency = sedge_integrator_frequency(deck, problem);
    const bool upwind = sedge_integrator_is_upwind(deck);

    if (deck->steps > 0 || !(frequency > 0.0) || !deck->equation->linear) return best;
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].exponential) return best;
    double fewest = HUGE_VAL;
    for (int i = 0; sedge_integrators[i] != NULL; i++) {
        sedge_problem trial = *problem;
        trial.integrator = sedge_integrators[i];
        if (trial.integrator->upwind && !upwind) continue;
        if (trial.integrator->predictor) continue; // local_steps_choice.h
        const double stages = count_stages(comm, deck, &trial, mesh, frequency);
        if (stages < fewest) {
            fewest = stages;
            best = trial.integrator;
        }
    }
    return best;
}

sedge_status sedge_integrator_check(const sedge_deck *deck, const sedge_problem *problem)
{
    if (problem->integrator->predictor && !sedge_integrator_is_upwind(deck)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: time.integrator '%s' needs upwind fluxes: with others it is "
                          "unstable; set flux.upwind to 1 or choose another integrator",
                          deck->path, problem->integrator->name);
    }
    return sedge_predictor_check(problem);
}
