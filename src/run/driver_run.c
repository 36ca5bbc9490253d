#include "driver_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/range.h"
#include "run/doubt.h"
#include "run/driver_elliptic.h"
#include "run/monitor.h"
#include "run/resolution.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- set-up ------------------------------------------------------------------------------------

static sedge_status open_device(driver_run *run, const sedge_comm *comm)
{
    const sedge_deck *const deck = run->session.deck;
    sedge_status status = sedge_device_create(
        &run->device, deck->device, sedge_comm_node_rank(comm), sedge_comm_node_size(comm));

    if (status == SEDGE_OK) status = sedge_device_make_current(run->device);
    if (status == SEDGE_OK) status = sedge_cache_create(&run->cache, NULL);
    return sedge_comm_agree(comm, status);
}

static void print_devices(const driver_run *run, const sedge_comm *comm)
{
    const sedge_device_info *const info = sedge_device_get_info(run->device);

    if (!sedge_comm_is_root(comm)) return;
    printf("  device             %s: %s (%s)", info->kind_name, info->name, info->arch);
    if (sedge_traits_of(info->kind)->in_call) {
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

// Where the kernels' configuration comes from, and how traces travel.
static void print_choices(const driver_run *run, const sedge_comm *comm)
{
    sedge_operator_tuning tuning;
    sedge_operator_cost cost;

    if (!sedge_comm_is_root(comm)) return;
    sedge_operator_get_tuning(sedge_evolution_operator(run->evolution), &tuning);
    sedge_operator_get_cost(sedge_evolution_operator(run->evolution), &cost);
    if (strcmp(tuning.how, "measurement") == 0) {
        printf("  kernels            tuned %d kernels in %.1f s: %s", tuning.timed, tuning.seconds,
               cost.variant);
    } else {
        printf("  kernels            kernels from %s: %s", tuning.how, cost.variant);
    }
    if (tuning.gain > 0.0) printf(", %.2fx the rule", tuning.gain);
    printf("\n");
    if (sedge_comm_size(comm) > 1)
        printf("  exchange           %s\n",
               sedge_operator_transport(sedge_evolution_operator(run->evolution)));
}

static sedge_status set_probes(driver_run *run)
{
    const int nodes = run->session.element->nodes;
    const int fields = run->session.problem.equation->fields;
    sedge_status status;
    int32_t *elements = NULL;
    double *weights = NULL;

    run->probes = sedge_output_probes(run->output, &run->probe_count);
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
    SEDGE_TRY_GOTO(status, sedge_evolution_set_probes(run->evolution, run->probe_count, elements,
                                                      weights, PROBE_BATCH));
done:
    sedge_release(elements);
    sedge_release(weights);
    return status;
}

static sedge_status allocate_state(driver_run *run)
{
    SEDGE_TRY(sedge_allocate(&run->u, driver_state_size(run), sizeof(double)));
    SEDGE_TRY(sedge_allocate(&run->energy, run->session.mesh->elements, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&run->energy_before, run->session.mesh->elements, sizeof(double)));
    return SEDGE_OK;
}

// What begins now and may take a while, for the mesh is large.
static void say(const driver_run *run, const char *what)
{
    const sedge_session *const session = &run->session;

    if (!session->options->quiet && sedge_comm_is_root(session->comm))
        sedge_mesh_say(what, session->mesh->global_elements);
}

static sedge_status set_up(driver_run *run, const sedge_comm *comm,
                           const sedge_run_options *options)
{
    sedge_session *const session = &run->session;
    sedge_checkpoint from = {.step = 0};
    bool found = false;

    if (!options->quiet) {
        sedge_session_print(session);
        SEDGE_TRY(sedge_resolution_print(session));
        sedge_doubt_print(session);
        sedge_session_print_sheets(session);
    }
    SEDGE_TRY(driver_listen(run));
    sedge_stop_hold(false); // devices' libraries bring handlers of their own
    const sedge_status status = open_device(run, comm);
    sedge_stop_listen();
    SEDGE_TRY(status);
    if (!options->quiet) print_devices(run, comm);
    SEDGE_TRY(sedge_comm_agree(comm, allocate_state(run)));
    run->quiet = sedge_monitor_quiet(session);
    run->energy_limit = run->energy_bound = (double)INFINITY;
    sedge_growth_create(&run->growth, session);
    SEDGE_TRY(driver_restart(run, &from, &found));
    sedge_operator_options config;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_session_kernels(&config, session)));
    SEDGE_TRY(sedge_hold_create(&run->hold, comm, session->deck->output));
    config.expected_stages = (session->steps - run->step) * session->problem.integrator->stages;
    if (driver_is_pressed(run)) config.tune = SEDGE_TUNE_OFF;
    say(run, "choosing kernels");
    SEDGE_TRY(sedge_evolution_create(&run->evolution, comm, run->device, run->cache,
                                     session->element, session->mesh, &session->problem, &config));
    if (!options->quiet) print_choices(run, comm);
    SEDGE_TRY(
        sedge_comm_agree(comm, sedge_reference_create_alone(&run->reference, session->element,
                                                            session->mesh, &session->problem)));
    // First the checkpoints that belong to what is cut off now: none may outlive its series.
    SEDGE_TRY(sedge_checkpoint_set_aside(session, session->deck->output,
                                         found && from.same_folder ? from.step : -1));
    const sedge_status made =
        sedge_output_continue(&run->output, comm, session->deck, session->mesh, session->element,
                              &session->problem, found && from.same_folder ? &from.position : NULL);
    json_decref(from.position.monitors);
    SEDGE_TRY(made);
    SEDGE_TRY(sedge_comm_agree(comm, set_probes(run)));
    run->series_go_on = found && from.same_folder;
    run->last_checkpoint = run->series_go_on ? from.step : -1;
    if (found) (void)snprintf(run->restarted_from, sizeof run->restarted_from, "%s", from.path);
    say(run, found ? "state of the checkpoint" : "initial state");
    if (!found) sedge_reference_initial(run->reference, 0.0, run->u);
    return driver_set_fields(run, found ? &from : NULL);
}

static void tear_down(driver_run *run)
{
    sedge_stop_free(run->stop);
    sedge_output_free(run->output);
    sedge_hold_free(run->hold);
    sedge_reference_free(run->reference);
    sedge_evolution_free(run->evolution);
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
    if (status != SEDGE_OK) sedge_comm_end_alone(comm, status);
}

sedge_status driver_write_probes(driver_run *run)
{
    int samples;

    if (run->probe_pending == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(
        run->session.comm,
        sedge_evolution_fetch_probes(run->evolution, run->probe_values, &samples)));
    run->probe_pending = 0;
    return sedge_output_append_probes(run->output, samples, run->probe_times, run->probe_values);
}

static sedge_status record_probes(driver_run *run, sedge_comm *comm, int64_t step)
{
    if (run->session.deck->probe_count == 0 || step % run->session.deck->probe_every != 0)
        return SEDGE_OK;
    end_alone(comm, sedge_evolution_record_probes(run->evolution));
    run->probe_times[run->probe_pending++] = sedge_session_time(&run->session, step);
    return run->probe_pending == PROBE_BATCH ? driver_write_probes(run) : SEDGE_OK;
}

// What monitors of further kinds record at `step`, the last one done.
static sedge_status sample_monitors(driver_run *run, int64_t step)
{
    if (!sedge_output_due(run->output, step)) return SEDGE_OK;
    const sedge_phase phase = sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);
    SEDGE_TRY(sedge_comm_agree(run->session.comm, sedge_evolution_get(run->evolution, run->u)));
    SEDGE_TRY(
        sedge_output_sample(run->output, sedge_session_time(&run->session, step), step, run->u));
    (void)sedge_stopwatch_enter(&run->watch, phase);
    return SEDGE_OK;
}

// Snapshot k of n is due at the first step at or after k/n of the run.
static bool snapshot_due(const driver_run *run, int64_t step)
{
    const int64_t snapshots = run->session.deck->snapshots;

    if (snapshots == 0) return false;
    return step * snapshots >= run->snapshot * run->session.steps;
}

static sedge_status put_snapshot(driver_run *run, int64_t step)
{
    const double start = sedge_clock();
    const sedge_phase phase = sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);

    SEDGE_TRY(sedge_comm_agree(run->session.comm, sedge_evolution_get(run->evolution, run->u)));
    SEDGE_TRY(driver_write_probes(run));
    SEDGE_TRY(
        sedge_output_snapshot(run->output, sedge_session_time(&run->session, step), step, run->u));
    SEDGE_TRY(sedge_output_flush(run->output));
    while (snapshot_due(run, step)) run->snapshot++;
    sedge_stop_spent(run->stop, sedge_clock() - start);
    (void)sedge_stopwatch_enter(&run->watch, phase);
    return SEDGE_OK;
}

static sedge_status write_snapshot(driver_run *run, int64_t step)
{
    sedge_range_begin("output");
    const sedge_status status = put_snapshot(run, step);
    sedge_range_end();
    return status;
}

// ---- the time loop -----------------------------------------------------------------------------

// A rank that waits for no other is ahead of its device by what the driver's queue holds: minutes,
// where steps are long. It waits every DRIVER_POLL_SECONDS or step, so that clocks and signals mean
// what is done. Ranks that wait for others' traces do so in each stage; the host device does all at
// once.
static void stay_close(driver_run *run, sedge_comm *comm, int64_t step)
{
    const double since = (double)(step - run->waited_step);

    if (step < run->wait_step || sedge_operator_waits(sedge_evolution_operator(run->evolution)) ||
        sedge_device_get_traits(run->device)->in_call)
        return;
    end_alone(comm, sedge_evolution_wait(run->evolution));
    const double now = sedge_clock();
    const double steps = since * DRIVER_POLL_SECONDS / fmax(now - run->wait_clock, 1e-9);
    run->wait_step = step + (int64_t)fmax(1.0, fmin(steps, 2.0 * since));
    run->waited_step = step;
    run->wait_clock = now;
}

static sedge_status take_step(driver_run *run, sedge_comm *comm, sedge_progress *progress)
{
    const sedge_session *const session = &run->session;
    const int64_t step = run->step + 1;
    const double time = sedge_session_time(session, step);

    sedge_range_begin("step");
    end_alone(comm, sedge_evolution_step(run->evolution, time - session->dt, session->dt));
    sedge_range_end();
    stay_close(run, comm, step);
    run->step = step;
    SEDGE_TRY(record_probes(run, comm, step));
    if (step % session->deck->energy_every == 0 || step == session->steps)
        SEDGE_TRY(driver_sample_energy(run, step));
    SEDGE_TRY(sample_monitors(run, step));
    if (sedge_progress_due(progress, step, session->steps)) {
        end_alone(comm, sedge_evolution_wait(run->evolution));
        sedge_progress_show(
            progress, step, session->steps, time * sedge_deck_time_unit(session->deck),
            sedge_deck_unit(session->deck, SEDGE_TIME), run->history[run->samples - 1],
            sedge_deck_energy_suffix(session->deck));
    }
    if (snapshot_due(run, step)) SEDGE_TRY(write_snapshot(run, step));
    return driver_checkpoint_due(run, step) ? driver_write_checkpoint(run, step) : SEDGE_OK;
}

// The first samples, at step 0 or, in a folder of its own, where a restart goes on.
static sedge_status begin_series(driver_run *run, sedge_comm *comm)
{
    SEDGE_TRY(driver_sample_energy(run, run->step));
    SEDGE_TRY(record_probes(run, comm, run->step));
    SEDGE_TRY(sample_monitors(run, run->step));
    if (run->step == 0 && !snapshot_due(run, 0)) return SEDGE_OK;
    say(run, "first output");
    return write_snapshot(run, run->step);
}

static sedge_status run_loop(driver_run *run, sedge_comm *comm)
{
    const bool show = sedge_comm_is_root(comm) && !run->session.options->quiet;
    sedge_status status = SEDGE_OK;

    sedge_stop_listen();
    sedge_stop_set_up(false);
    SEDGE_TRY(run->series_go_on ? driver_check_energy(run, run->step) : begin_series(run, comm));
    sedge_progress progress =
        sedge_progress_start(show, run->session.options->terminal, run->step, run->session.steps);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_LOOP);
    const double start = sedge_clock();
    run->checkpoint_clock = start;
    run->poll_clock = start;
    run->polled_step = run->step;
    run->wait_clock = start;
    run->waited_step = run->step;
    while (status == SEDGE_OK && run->step < run->session.steps) {
        status = sedge_stop_due(run->stop, run->step) ? driver_stop(run)
                                                      : take_step(run, comm, &progress);
    }
    sedge_progress_end(&progress);
    if (status == SEDGE_OK) end_alone(comm, sedge_evolution_wait(run->evolution));
    SEDGE_TRY(status);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);
    SEDGE_TRY(driver_write_probes(run));
    return sedge_output_flush(run->output);
}

sedge_status sedge_run(sedge_comm *comm, const sedge_run_options *options)
{
    sedge_status status;
    driver_run *run = NULL;
    const double start = sedge_clock();

    sedge_stop_listen();
    sedge_stop_set_up(true);
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&run, 1, sizeof *run)));
    run->start = options->start > 0.0 ? options->start : start;
    run->watch = sedge_stopwatch_start(SEDGE_PHASE_START, run->start);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_SETUP);
    SEDGE_TRY_GOTO(status, sedge_session_open(&run->session, comm, options, true));
    if (run->session.problem.equation->elliptic != NULL) {
        sedge_stop_ignore(); // it writes no checkpoints
        status = sedge_elliptic_run(&run->session, run->watch);
        goto done;
    }
    SEDGE_TRY_GOTO(status, set_up(run, comm, options));
    SEDGE_TRY_GOTO(status, driver_finish(run, options, run_loop(run, comm)));
done:
    sedge_stop_set_up(false);
    tear_down(run);
    sedge_release(run);
    return status;
}
