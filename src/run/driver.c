#define _DEFAULT_SOURCE
#include "driver.h"

#include "base/file.h"
#include "base/memory.h"
#include "codegen/ceiling.h"
#include "codegen/program.h"
#include "dg/operator.h"
#include "dg/reference.h"
#include "run/monitor.h"
#include "run/output.h"
#include "run/report.h"
#include "run/steady.h"
#include "time/lsrk.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HISTORY     5   // energies that a failure shows
#define PROBE_BATCH 256 // probe samples kept on the device before they are fetched

// Everything a run owns, beside its session.
typedef struct run_state {
    sedge_session session;
    sedge_device *device;
    sedge_cache *cache;
    sedge_operator *op;
    sedge_reference *reference; // for initial and exact solutions only
    sedge_output *output;
    const sedge_probe *probes;
    int probe_count;
    double *u;             // [elements][fields][nodes]
    double *energy;        // [elements], this sample's
    double *energy_before; // [elements], the sample's before
    double *probe_values;  // [PROBE_BATCH][probes][fields]
    double probe_times[PROBE_BATCH];
    int probe_pending;
    double history[HISTORY]; // the last energies sampled, newest last
    int samples;
    double energy_initial, energy_last, energy_peak;
    double setup_seconds, loop_seconds, output_seconds, start;
    int snapshot; // written
    int64_t step; // done
} run_state;

static int64_t state_size(const run_state *run)
{
    return (int64_t)run->session.mesh->elements * run->session.problem.equation->fields *
           run->session.element->nodes;
}

// ---- set-up ------------------------------------------------------------------------------------

static sedge_status open_device(run_state *run, const sedge_comm *comm)
{
    const sedge_deck *const deck = run->session.deck;
    sedge_status status = sedge_device_create(
        &run->device, deck->device, sedge_comm_node_rank(comm), sedge_comm_node_size(comm));

    if (status == SEDGE_OK) status = sedge_cache_create(&run->cache, NULL);
    return sedge_comm_agree(comm, status);
}

static void print_devices(const run_state *run, const sedge_comm *comm)
{
    const sedge_device_info *const info = sedge_device_get_info(run->device);

    if (!sedge_comm_is_root(comm)) return;
    printf("  device             %s: %s (%s)", info->kind_name, info->name, info->arch);
    if (info->kind == SEDGE_DEVICE_HOST) {
        printf(", %d thread%s a rank\n", info->multiprocessors,
               info->multiprocessors == 1 ? "" : "s");
    } else {
        printf(", %d on this node for %d rank%s\n", info->devices_on_node,
               sedge_comm_node_size(comm), sedge_comm_node_size(comm) == 1 ? "" : "s");
        if (sedge_comm_node_size(comm) > info->devices_on_node)
            printf("  warning            more ranks than devices on this node: they share\n");
    }
    if (sedge_cache_problem(run->cache) != NULL)
        printf("  warning            no kernel cache: %s\n", sedge_cache_problem(run->cache));
    if (sedge_cache_site_problem(run->cache) != NULL)
        printf("  warning            no site cache: %s\n", sedge_cache_site_problem(run->cache));
}

// Where the kernels' cut comes from.
static void print_tuning(const run_state *run, const sedge_comm *comm)
{
    sedge_operator_tuning tuning;
    sedge_operator_cost cost;

    if (!sedge_comm_is_root(comm)) return;
    sedge_operator_get_tuning(run->op, &tuning);
    sedge_operator_get_cost(run->op, &cost);
    if (strcmp(tuning.how, "measurement") == 0) {
        printf("  kernels            tuned %d kernels in %.1f s: %s", tuning.timed, tuning.seconds,
               cost.variant);
    } else {
        printf("  kernels            kernels from %s: %s", tuning.how, cost.variant);
    }
    if (tuning.gain > 0.0) printf(", %.2fx the rule", tuning.gain);
    printf("\n");
}

static sedge_status set_probes(run_state *run)
{
    const int nodes = run->session.element->nodes;
    const int fields = run->session.problem.equation->fields;
    sedge_status status;
    int32_t *elements = NULL;
    double *weights = NULL;

    SEDGE_TRY(sedge_output_probes(run->output, &run->probes, &run->probe_count));
    SEDGE_TRY_GOTO(status, sedge_allocate(&elements, run->probe_count, sizeof *elements));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&weights, (int64_t)run->probe_count * nodes, sizeof *weights));
    SEDGE_TRY_GOTO(status, sedge_allocate(&run->probe_values,
                                          (int64_t)PROBE_BATCH * run->probe_count * fields,
                                          sizeof(double)));
    for (int i = 0; i < run->probe_count; i++) {
        elements[i] = run->probes[i].element;
        memcpy(weights + (size_t)i * (size_t)nodes, run->probes[i].weights,
               (size_t)nodes * sizeof *weights);
    }
    SEDGE_TRY_GOTO(status, sedge_operator_set_probes(run->op, run->probe_count, elements, weights,
                                                     PROBE_BATCH));
done:
    sedge_release(elements);
    sedge_release(weights);
    return status;
}

static sedge_status allocate_state(run_state *run)
{
    SEDGE_TRY(sedge_allocate(&run->u, state_size(run), sizeof(double)));
    SEDGE_TRY(sedge_allocate(&run->energy, run->session.mesh->elements, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&run->energy_before, run->session.mesh->elements, sizeof(double)));
    return SEDGE_OK;
}

static sedge_status set_up(run_state *run, const sedge_comm *comm, const sedge_run_options *options)
{
    sedge_session *const session = &run->session;

    if (!options->quiet) SEDGE_TRY(sedge_session_print(session));
    SEDGE_TRY(open_device(run, comm));
    if (!options->quiet) print_devices(run, comm);
    sedge_operator_options cut;
    SEDGE_TRY(sedge_session_cut(&cut, session));
    cut.expected_stages = session->steps * sedge_lsrk45.stages;
    SEDGE_TRY(sedge_operator_create(&run->op, comm, run->device, run->cache, session->element,
                                    session->mesh, &session->problem, &cut));
    if (!options->quiet) print_tuning(run, comm);
    SEDGE_TRY(sedge_reference_create(&run->reference, comm, session->element, session->mesh,
                                     &session->problem));
    SEDGE_TRY(sedge_comm_agree(comm, allocate_state(run)));
    SEDGE_TRY(sedge_output_create(&run->output, comm, session->deck, session->mesh,
                                  session->element, &session->problem));
    SEDGE_TRY(sedge_comm_agree(comm, set_probes(run)));
    sedge_reference_initial(run->reference, 0.0, run->u);
    return sedge_comm_agree(comm, sedge_operator_set(run->op, run->u));
}

static void tear_down(run_state *run)
{
    sedge_output_free(run->output);
    sedge_reference_free(run->reference);
    sedge_operator_free(run->op);
    sedge_cache_free(run->cache);
    sedge_device_free(run->device);
    sedge_release(run->u);
    sedge_release(run->energy);
    sedge_release(run->energy_before);
    sedge_release(run->probe_values);
    sedge_session_close(&run->session);
}

// ---- monitors ----------------------------------------------------------------------------------

// A failure of one rank alone, where the others go on into an exchange: end the job.
static void end_alone(sedge_comm *comm, sedge_status status)
{
    if (status == SEDGE_OK) return;
    (void)fprintf(stderr, "sedge: rank %d: %s\n", sedge_comm_rank(comm), sedge_error_message());
    sedge_comm_abort(comm, sedge_status_exit_code(status));
}

// Sample the energy, stop if the field is not a number. Collective.
static sedge_status sample_energy(run_state *run, int64_t step)
{
    const double time = run->session.dt * (double)step;

    SEDGE_TRY(sedge_comm_agree(run->session.comm, sedge_operator_energy(run->op, run->energy)));
    SEDGE_TRY(sedge_monitor_check(&run->session, run->energy, run->energy_before, time, step,
                                  run->history, run->samples));
    const double energy = sedge_monitor_sum(&run->session, run->energy);
    double *const older = run->energy_before;
    run->energy_before = run->energy;
    run->energy = older;
    if (step == 0) run->energy_initial = energy;
    if (run->samples == HISTORY) {
        memmove(run->history, run->history + 1, (HISTORY - 1) * sizeof(double));
        run->samples--;
    }
    run->history[run->samples++] = energy * sedge_deck_energy_unit(run->session.deck);
    run->energy_last = energy;
    run->energy_peak = fmax(run->energy_peak, energy);
    return sedge_output_energy(run->output, time, step, energy);
}

static sedge_status write_probes(run_state *run)
{
    int samples;

    if (run->probe_pending == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(run->session.comm,
                               sedge_operator_fetch_probes(run->op, run->probe_values, &samples)));
    run->probe_pending = 0;
    return sedge_output_append_probes(run->output, samples, run->probe_times, run->probe_values);
}

static sedge_status record_probes(run_state *run, sedge_comm *comm, int64_t step)
{
    if (run->session.deck->probe_count == 0 || step % run->session.deck->probe_every != 0)
        return SEDGE_OK;
    end_alone(comm, sedge_operator_record_probes(run->op));
    run->probe_times[run->probe_pending++] = run->session.dt * (double)step;
    return run->probe_pending == PROBE_BATCH ? write_probes(run) : SEDGE_OK;
}

// Snapshot k of n is due at the first step at or after k/n of the run.
static bool snapshot_due(const run_state *run, int64_t step)
{
    const int64_t snapshots = run->session.deck->snapshots;

    if (snapshots == 0) return false;
    return step * snapshots >= run->snapshot * run->session.steps;
}

static sedge_status write_snapshot(run_state *run, int64_t step)
{
    const double start = sedge_clock();

    SEDGE_TRY(sedge_comm_agree(run->session.comm, sedge_operator_get(run->op, run->u)));
    SEDGE_TRY(write_probes(run));
    SEDGE_TRY(sedge_output_snapshot(run->output, run->session.dt * (double)step, step, run->u));
    SEDGE_TRY(sedge_output_flush(run->output));
    while (snapshot_due(run, step)) run->snapshot++;
    run->output_seconds += sedge_clock() - start;
    return SEDGE_OK;
}

// ---- the time loop -----------------------------------------------------------------------------

static sedge_status take_step(run_state *run, sedge_comm *comm, sedge_progress *progress)
{
    const sedge_session *const session = &run->session;
    const int64_t step = run->step + 1;
    const double time = session->dt * (double)step;

    end_alone(comm, sedge_operator_step(run->op, time - session->dt, session->dt));
    run->step = step;
    SEDGE_TRY(record_probes(run, comm, step));
    if (step % session->deck->energy_every == 0 || step == session->steps)
        SEDGE_TRY(sample_energy(run, step));
    if (sedge_progress_due(progress, step, session->steps)) {
        end_alone(comm, sedge_operator_wait(run->op));
        sedge_progress_show(progress, step, session->steps,
                            time * sedge_deck_time_unit(session->deck),
                            session->deck->si ? " s" : "", run->history[run->samples - 1]);
    }
    return snapshot_due(run, step) ? write_snapshot(run, step) : SEDGE_OK;
}

// Leaves loop and output times behind, also of a run that failed.
static sedge_status run_loop(run_state *run, sedge_comm *comm)
{
    const bool show = sedge_comm_is_root(comm) && !run->session.options->quiet;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sample_energy(run, 0));
    SEDGE_TRY(record_probes(run, comm, 0));
    if (snapshot_due(run, 0)) SEDGE_TRY(write_snapshot(run, 0));

    sedge_progress progress = sedge_progress_start(show, run->session.options->terminal);
    const double start = sedge_clock();
    const double output_before = run->output_seconds;
    while (status == SEDGE_OK && run->step < run->session.steps)
        status = take_step(run, comm, &progress);
    sedge_progress_end(&progress);
    if (status == SEDGE_OK) end_alone(comm, sedge_operator_wait(run->op));
    run->loop_seconds = sedge_clock() - start - (run->output_seconds - output_before);
    SEDGE_TRY(status);
    SEDGE_TRY(write_probes(run));
    return sedge_output_flush(run->output);
}

// ---- report ------------------------------------------------------------------------------------

static sedge_status compare_exact(run_state *run, sedge_report *report)
{
    const sedge_session *const session = &run->session;
    sedge_status status;
    sedge_errors errors;
    double *exact = NULL;

    report->l2_error_relative = -1.0;
    if (!session->problem.compare) return SEDGE_OK;
    SEDGE_TRY(
        sedge_comm_agree(session->comm, sedge_allocate(&exact, state_size(run), sizeof(double))));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(session->comm, sedge_operator_get(run->op, run->u)));
    sedge_reference_initial(run->reference, session->dt * (double)session->steps, exact);
    sedge_monitor_errors(session, run->u, exact, &errors);
    report->fields = session->problem.equation->fields;
    report->field_names = session->problem.equation->field_names;
    memcpy(report->l2_error, errors.l2, sizeof report->l2_error);
    memcpy(report->linf_error, errors.linf, sizeof report->linf_error);
    report->l2_error_relative = errors.relative;
done:
    sedge_release(exact);
    return status;
}

static void fill_kernels(sedge_report *report, const sedge_operator_cost *cost,
                         const sedge_ceilings *ceilings)
{
    for (int k = 0; k < cost->kernels && k < SEDGE_REPORT_KERNELS; k++) {
        const double launches = (double)cost->kernel[k].launches;
        report->kernel[k] = (sedge_report_kernel){
            .name = cost->kernel[k].name,
            .variant = cost->variant,
            .seconds = cost->kernel[k].seconds > 0.0 ? cost->kernel[k].seconds : -1.0,
            .launches = cost->kernel[k].launches,
            .bytes = cost->kernel[k].bytes,
            .flops = cost->kernel[k].flops,
            .fraction_of_floor =
                cost->kernel[k].flops > 0.0 && cost->kernel[k].seconds > 0.0
                    ? sedge_ceilings_fraction(ceilings, launches * cost->kernel[k].bytes,
                                              launches * cost->kernel[k].flops,
                                              cost->kernel[k].seconds)
                    : -1.0,
        };
        report->kernels = k + 1;
    }
}

// Sums and maxima over ranks of what each rank measured. Collective.
static void fill_cost(run_state *run, sedge_report *report)
{
    const sedge_comm *const comm = run->session.comm;
    const sedge_cache_counts counts = sedge_cache_get_counts(run->cache);
    sedge_operator_cost cost;
    sedge_ceilings ceilings;

    sedge_operator_get_cost(run->op, &cost);
    double sums[3] = {cost.exchange_seconds, cost.exposed_seconds, cost.exchange_bytes_per_step};
    int64_t cache[2] = {counts.hits, counts.misses};
    int64_t memory[2] = {sedge_memory_peak(), sedge_device_memory_peak(run->device)};
    double compile = counts.compile_seconds;
    // Where they cost little beside the run: 0.3 s on the host.
    const bool measure = sedge_device_get_info(run->device)->kind != SEDGE_DEVICE_HOST ||
                         run->session.options->verbose || run->loop_seconds > 3.0;

    sedge_ceilings_try(&ceilings, comm, run->device, run->cache,
                       run->session.problem.precision == SEDGE_FP64 ? 8 : 4, measure);
    fill_kernels(report, &cost, &ceilings);
    sedge_comm_sum(comm, sums, 3);
    sedge_comm_sum_int(comm, cache, 2);
    sedge_comm_max_int(comm, memory, 2);
    sedge_comm_max(comm, &compile, 1);
    report->exchange_hidden = sums[0] > 0.0 ? fmax(0.0, 1.0 - sums[1] / sums[0]) : -1.0;
    report->exchange_bytes_per_step = sums[2];
    report->cache_hits = cache[0];
    report->cache_misses = cache[1];
    report->memory_host_peak = memory[0];
    report->memory_device_peak = memory[1];
    report->compile_seconds = compile;
}

static void fill_report(run_state *run, sedge_report *report)
{
    const sedge_session *const session = &run->session;
    const sedge_device_info *const info = sedge_device_get_info(run->device);
    const double energy_unit = sedge_deck_energy_unit(session->deck);
    sedge_operator_tuning tuning;

    sedge_operator_get_tuning(run->op, &tuning);
    report->version = SEDGE_VERSION;
    report->deck = session->deck->path;
    report->title = session->deck->title;
    report->equation = session->deck->equation->name;
    report->precision = session->deck->precision == SEDGE_FP64 ? "fp64" : "fp32";
    report->units = session->deck->si ? "si" : "normalised";
    report->order = session->deck->order;
    report->ranks = sedge_comm_size(session->comm);
    report->device_kind = info->kind_name;
    report->device_name = info->name;
    report->threads = info->kind == SEDGE_DEVICE_HOST ? info->multiprocessors : 0;
    report->elements = session->mesh->global_elements;
    report->dofs = report->elements * session->element->nodes * session->problem.equation->fields;
    report->steps = run->step;
    report->stages = sedge_lsrk45.stages;
    report->dt = session->dt * sedge_deck_time_unit(session->deck);
    report->time = report->dt * (double)run->step;
    report->mesh_seconds = session->mesh_seconds;
    report->setup_seconds = run->setup_seconds;
    report->loop_seconds = run->loop_seconds;
    report->output_seconds = run->output_seconds;
    report->tune_seconds = tuning.seconds;
    report->tuned_by = tuning.how;
    report->tuned = tuning.timed;
    report->tuning_gain = tuning.gain > 0.0 ? tuning.gain : -1.0;
    report->energy_initial = run->energy_initial * energy_unit;
    report->energy_final = run->energy_last * energy_unit;
    report->energy_peak = run->energy_peak * energy_unit;
    report->transport = sedge_comm_size(session->comm) == 1 ? "none"
                        : info->kind == SEDGE_DEVICE_HOST   ? "host"
                                                            : "pinned";
}

static void print_summary(const run_state *run, const sedge_report *report)
{
    const double rate = (double)report->dofs * report->stages * (double)report->steps /
                        fmax(report->loop_seconds, 1e-9);

    printf("\n  %-22s %lld steps, t = %.6g, %.2f s in the loop, %.2f s set-up, %.2f s output\n",
           "done", (long long)report->steps, report->time, report->loop_seconds,
           report->setup_seconds, report->output_seconds);
    printf("  %-22s %.3g unknowns a second and stage, kernels %s\n", "speed", rate,
           report->kernels > 0 ? report->kernel[0].variant : "");
    printf("  %-22s %.6g at the start, %.6g at the end, %.6g at most\n", "energy",
           report->energy_initial, report->energy_final, report->energy_peak);
    if (report->fields > 0)
        printf("  %-22s %.4e relative L2 over all fields\n", "error", report->l2_error_relative);
    printf("  %-22s %lld compiled, %lld found in the cache\n", "programs",
           (long long)report->cache_misses, (long long)report->cache_hits);
    if (report->exchange_hidden >= 0.0) {
        printf("  %-22s %s, %.3g KiB a step, %.0f %% hidden behind work\n", "exchange",
               report->transport, report->exchange_bytes_per_step / 1024.0,
               100.0 * report->exchange_hidden);
    }
    printf("  %-22s %.1f MiB host, %.1f MiB device, a rank at most\n", "memory",
           (double)report->memory_host_peak / 1048576.0,
           (double)report->memory_device_peak / 1048576.0);
    printf("  %-22s %s\n", "results", sedge_output_folder(run->output));
}

// A report that could not be written at the end of a run of days must be known before it begins.
static sedge_status check_report(const char *path)
{
    char folder[4096];

    if (path == NULL) return SEDGE_OK;
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash != NULL) slash[slash == folder ? 1 : 0] = '\0';
    if (access(slash != NULL ? folder : ".", W_OK | X_OK) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write report '%s': %s", path, strerror(errno));
}

// What a field that is not a number any more left behind; its fault is what the user must hear of.
static void save_failed(run_state *run, sedge_status outcome)
{
    if (outcome != SEDGE_ERR_COMPUTE) return; // only this one all ranks find together
    if (write_probes(run) != SEDGE_OK || sedge_output_flush(run->output) != SEDGE_OK)
        sedge_error_clear();
}

// Write the report of a finished or failed run; the run's own failure wins. Collective.
static sedge_status finish(run_state *run, const sedge_run_options *options, sedge_status outcome)
{
    const sedge_comm *const comm = run->session.comm;
    sedge_status status = SEDGE_OK;
    sedge_report report;
    char path[4096];
    char message[4096];

    memset(&report, 0, sizeof report);
    report.l2_error_relative = -1.0;
    save_failed(run, outcome);
    if (outcome == SEDGE_OK) outcome = compare_exact(run, &report);
    (void)snprintf(message, sizeof message, "%s",
                   outcome == SEDGE_OK ? "done" : sedge_error_message());
    fill_report(run, &report);
    fill_cost(run, &report);
    report.outcome = message;
    report.exit_code = sedge_status_exit_code(outcome);
    if (sedge_comm_is_root(comm)) {
        (void)snprintf(path, sizeof path, "%s/report.json", sedge_output_folder(run->output));
        status = sedge_report_write(&report, path);
        if (status == SEDGE_OK && options->report != NULL)
            status = sedge_report_write(&report, options->report);
        if (outcome == SEDGE_OK && !options->quiet) print_summary(run, &report);
    }
    status = sedge_comm_agree(comm, status);
    if (outcome == SEDGE_OK) return status;
    sedge_error_set(message);
    return outcome;
}

sedge_status sedge_run(sedge_comm *comm, const sedge_run_options *options)
{
    sedge_status status;
    run_state *run = NULL;
    const double start = sedge_clock();

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&run, 1, sizeof *run)));
    status = sedge_comm_is_root(comm) ? check_report(options->report) : SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_session_open(&run->session, comm, options));
    if (run->session.problem.equation->steady != NULL) {
        status = sedge_steady_run(&run->session, start);
        goto done;
    }
    SEDGE_TRY_GOTO(status, set_up(run, comm, options));
    run->setup_seconds = sedge_clock() - start;
    SEDGE_TRY_GOTO(status, finish(run, options, run_loop(run, comm)));
done:
    tear_down(run);
    sedge_release(run);
    return status;
}
