// The end of `sedge run`: report.json and the summary.
#include "driver_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/errors.h"
#include "run/finish.h"
#include "run/report.h"
#include "session/plausibility.h"
#include "tune/ceiling.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static sedge_status compare_exact(driver_run *run, sedge_report *report)
{
    const sedge_session *const session = &run->session;

    const double *u = run->u;

    if (session->problem.compare) SEDGE_TRY(sedge_sample_fields(run->sample, &u));
    return sedge_errors_fill(report, session, u, sedge_session_time(session, session->steps));
}

// One kernel on one rank.
typedef struct kernel_row {
    double seconds; // 0: not measured
    int64_t launches;
    double bytes, flops; // a launch
} kernel_row;

// Each kernel on the rank that spends the most time in it, and what the ranks spend on average.
// Collective.
static sedge_status fill_kernels(sedge_report *report, const sedge_comm *comm,
                                 const sedge_operator_cost *cost, const sedge_ceilings *ceilings)
{
    const int ranks = sedge_comm_size(comm);
    kernel_row mine[SEDGE_OPERATOR_KERNELS];
    kernel_row(*all)[SEDGE_OPERATOR_KERNELS] = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&all, ranks, sizeof *all)));
    for (int k = 0; k < SEDGE_OPERATOR_KERNELS; k++) {
        mine[k] = (kernel_row){cost->kernel[k].seconds, cost->kernel[k].launches,
                               cost->kernel[k].bytes, cost->kernel[k].flops};
    }
    sedge_comm_all_gather(comm, mine, all, sizeof mine);
    for (int k = 0; k < SEDGE_OPERATOR_KERNELS; k++) {
        kernel_row slowest = all[0][k];
        double sum = 0.0;
        for (int r = 0; r < ranks; r++) {
            sum += all[r][k].seconds;
            if (all[r][k].seconds > slowest.seconds || slowest.launches == 0) slowest = all[r][k];
        }
        if (slowest.launches == 0) continue;
        const double launches = (double)slowest.launches;
        report->kernel[report->kernels++] = (sedge_report_kernel){
            .name = cost->kernel[k].name,
            .variant = cost->kernel[k].variant,
            .seconds = slowest.seconds > 0.0 ? slowest.seconds : -1.0,
            .seconds_mean = slowest.seconds > 0.0 ? sum / ranks : -1.0,
            .launches = slowest.launches,
            .bytes = slowest.bytes,
            .flops = slowest.flops > 0.0 ? slowest.flops : -1.0,
            .fraction_of_floor =
                slowest.bytes > 0.0 && slowest.seconds > 0.0
                    ? sedge_ceilings_fraction(ceilings, launches * slowest.bytes,
                                              launches * slowest.flops, slowest.seconds)
                    : -1.0,
        };
    }
    sedge_release(all);
    return SEDGE_OK;
}

// Sums and maxima over ranks of what each rank measured. Collective.
static sedge_status fill_cost(driver_run *run, sedge_report *report, sedge_status outcome)
{
    const sedge_comm *const comm = run->session.comm;
    sedge_operator_cost cost;
    sedge_ceilings ceilings;

    sedge_operator_get_cost(sedge_evolution_operator(run->evolution), &cost);
    double sums[3] = {cost.exchange_seconds, cost.exposed_seconds, cost.exchange_bytes_per_step};
    // Where they cost little beside the run: 0.3 s on the host. One that must end has no time.
    const bool measure =
        outcome != SEDGE_ERR_STOPPED &&
        (!sedge_device_get_traits(run->device)->in_call || run->session.options->verbose ||
         run->watch.seconds[SEDGE_PHASE_LOOP] > 3.0);

    // Before ceilings are measured, which compiles and allocates.
    sedge_report_count(report, comm, sedge_cache_get_counts(run->cache),
                       sedge_device_memory_peak(run->device));
    sedge_ceilings_try(&ceilings, comm, run->device, run->cache,
                       sedge_real_bytes(run->session.problem.precision), measure);
    sedge_comm_sum(comm, sums, 3);
    report->exchange_hidden = sums[0] > 0.0 ? fmax(0.0, 1.0 - sums[1] / sums[0]) : -1.0;
    report->exchange_bytes_per_step = sums[2];
    return fill_kernels(report, comm, &cost, &ceilings);
}

static void fill_report(driver_run *run, sedge_report *report)
{
    const sedge_session *const session = &run->session;
    const sedge_device_info *const info = sedge_device_get_info(run->device);
    const double energy_unit = sedge_deck_energy_unit(session->deck);
    sedge_operator_tuning tuning;

    sedge_operator_get_tuning(sedge_evolution_operator(run->evolution), &tuning);
    sedge_report_describe(report, session, info);
    report->transport = sedge_operator_transport(sedge_evolution_operator(run->evolution));
    report->dofs = report->elements * session->element->nodes * session->problem.equation->fields;
    report->steps = run->step;
    report->steps_before = run->steps_before;
    report->restarted_from = run->restarted_from[0] != '\0' ? run->restarted_from : NULL;
    report->checkpoints = run->checkpoints;
    report->checkpoint_seconds = run->checkpoint_seconds;
    report->checkpoint_beside = run->checkpoint_beside;
    report->before_seconds = run->wall_before;
    report->integrator = session->problem.integrator->name;
    report->stages = session->problem.integrator->stages;
    report->levels = session->levels;
    report->dt = session->dt * sedge_deck_time_unit(session->deck);
    report->time = sedge_session_time(session, run->step) * sedge_deck_time_unit(session->deck);
    report->tune_seconds = tuning.seconds;
    report->tuned_by = tuning.how;
    report->tuned = tuning.timed;
    report->tuning_gain = tuning.gain > 0.0 ? tuning.gain : -1.0;
    memcpy(report->family, tuning.family, sizeof report->family);
    report->energy_initial = run->energy_initial * energy_unit;
    report->energy_final = run->energy_last * energy_unit;
    report->energy_peak = run->energy_peak * energy_unit;
    report->ended_by = run->ended_by;
    report->spectra_remain = run->ending.window > 0 ? run->remains : -1.0;
}

// Of the greatest energy: fields with less change a spectrum by a few thousandths.
#define FAINT 1e-5

// Does the run make spectra of pulses, without a rule for its end?
static bool may_be_cut(const driver_run *run)
{
    const sedge_deck *const deck = run->session.deck;
    const sedge_problem *const problem = &run->session.problem;
    int spectra = deck->spectrum_count + deck->absorption_count + deck->far_field_count;

    for (int i = 0; i < deck->flux_count; i++) spectra += deck->fluxes[i].frequencies.count;
    if (spectra == 0 || deck->stop_energy > 0.0 || deck->stop_spectra > 0.0) return false;
    return problem->equation->quiet != NULL &&
           isfinite(problem->equation->quiet(problem, run->session.mesh->bounds));
}

// A bound of what is still to come above the fields themselves says nothing.
static bool is_bound(double remains)
{
    return remains < 1.0;
}

// The run has come to its end, and fields are left: spectra may be cut off.
static void print_unmet(const driver_run *run, const sedge_report *report)
{
    const sedge_deck *const deck = run->session.deck;
    const char *const key = deck->steps > 0 ? "time.steps" : "time.end";

    if (report->exit_code != 0 || run->ended_by != NULL) return;
    if (deck->stop_energy > 0.0 && run->energy_last > deck->stop_energy * run->energy_peak) {
        const double remains = sedge_plausibility_remains(&run->session); // a rough estimate
        const bool stays =
            remains > deck->stop_energy && run->energy_last < 10.0 * remains * run->energy_peak;
        printf("  %-22s time.stop.energy %.3g was not reached: the energy is still %.2g of its "
               "greatest; %s%s\n",
               "warning", deck->stop_energy, run->energy_last / run->energy_peak,
               stays ? "the sources leave charges, whose field stays" : "raise ", stays ? "" : key);
    }
    if (may_be_cut(run) && run->energy_last > FAINT * run->energy_peak &&
        run->energy_last > 10.0 * sedge_plausibility_remains(&run->session) * run->energy_peak) {
        printf(
            "  %-22s fields are left: their energy is still %.2g of its greatest, and spectra are "
            "cut off; raise %s, or let time.stop.spectra end the run\n",
            "warning", run->energy_last / run->energy_peak, key);
    }
    if (deck->stop_spectra > 0.0 && !(run->remains < deck->stop_spectra)) {
        printf("  %-22s time.stop.spectra %.3g was not reached%s: spectra are cut off; raise %s\n",
               "warning", deck->stop_spectra,
               is_bound(run->remains) ? "" : ", and the run is too short to tell what remains",
               key);
    }
}

static void print_summary(const void *of, const sedge_report *report)
{
    const driver_run *const run = of;
    const double *const seconds = report->watch.seconds;
    const char *const joule = sedge_deck_energy_suffix(run->session.deck);
    const double rate = (double)report->dofs * report->stages * sedge_levels_work(&report->levels) *
                        (double)(report->steps - report->steps_before) /
                        fmax(report->watch.seconds[SEDGE_PHASE_LOOP], 1e-9);

    char done[40] = "done";

    if (run->ended_by != NULL) (void)snprintf(done, sizeof done, "done by %s,", run->ended_by);
    printf("\n  %-22s %lld steps, t = %.6g%s, %.2f s in the loop, %.2f s set-up, %.2f s output\n",
           report->exit_code != 0 ? "stopped" : done, (long long)report->steps, report->time,
           sedge_deck_unit(run->session.deck, SEDGE_TIME), seconds[SEDGE_PHASE_LOOP],
           seconds[SEDGE_PHASE_SETUP], seconds[SEDGE_PHASE_OUTPUT]);
    printf("  %-22s %.3g unknowns a second and stage, kernels %s\n", "speed", rate,
           report->kernels > 0 ? report->kernel[0].variant : "");
    printf("  %-22s %.6g%s at the start, %.6g%s at the end, %.6g%s at most\n", "energy",
           report->energy_initial, joule, report->energy_final, joule, report->energy_peak, joule);
    if (run->ending.window > 0 && is_bound(run->remains)) {
        printf("  %-22s what is still to come changes them by %.2g of their greatest at most\n",
               "spectra", run->remains);
    }
    print_unmet(run, report);
    if (report->lines != NULL) printf("%s", report->lines);
}

// The checkpoint that was being written when a field was no number any more: its state was right.
// And the last state, which was not. This fault is what the user must hear of, and after it what
// could not be saved.
static void save_failed(driver_run *run, sedge_status outcome)
{
    char fault[4096];

    // Only these all ranks find together: a fault of the fields, or a file that cannot be written.
    if (outcome != SEDGE_ERR_COMPUTE && outcome != SEDGE_ERR_USAGE) return;
    (void)snprintf(fault, sizeof fault, "%.3000s", sedge_error_message());
    sedge_status status = driver_complete_checkpoint(run, true);
    if (outcome == SEDGE_ERR_USAGE) {
        sedge_error_set(fault);
        return;
    }
    if (status == SEDGE_OK) status = sedge_monitors_last(run->monitors, run->sample);
    if (status != SEDGE_OK) {
        const size_t length = strlen(fault);
        (void)snprintf(fault + length, sizeof fault - length,
                       "; the last state could not be written: %.900s", sedge_error_message());
    }
    sedge_error_set(fault);
}

// What the monitors of a run that has come to its end say. The caller releases text and JSON.
static sedge_status hear_monitors(const driver_run *run, sedge_report *report, sedge_text **text)
{
    const sedge_comm *const comm = run->session.comm;
    sedge_status status = SEDGE_OK;

    if (sedge_comm_is_root(comm)) {
        status = sedge_text_create(text);
        report->monitors = json_object();
        report->output_seconds = sedge_monitors_seconds(run->monitors);
        if (status == SEDGE_OK)
            status = sedge_monitors_report(run->monitors, *text, report->monitors);
        if (status == SEDGE_OK) report->lines = sedge_text_get(*text);
    }
    return sedge_comm_agree(comm, status);
}

sedge_status driver_finish(driver_run *run, sedge_status outcome)
{
    sedge_report report;
    sedge_text *text = NULL;
    char message[4096];

    memset(&report, 0, sizeof report);
    report.l2_error_relative = -1.0;
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);
    save_failed(run, outcome);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_FINISH);
    if (outcome == SEDGE_OK) outcome = compare_exact(run, &report);
    if (outcome == SEDGE_OK) outcome = hear_monitors(run, &report, &text);
    sedge_finish_outcome(&report, message, outcome);
    fill_report(run, &report);
    sedge_status status = fill_cost(run, &report, outcome);
    status = sedge_finish(&report, &run->session, &run->watch, outcome, status, print_summary,
                          driver_release, run);
    sedge_text_free(text);
    json_decref(report.monitors);
    json_decref(report.output_seconds);
    return status;
}
