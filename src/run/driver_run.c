#include "driver_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/range.h"
#include "run/blowup.h"
#include "run/driver_elliptic.h"
#include "run/progress.h"
#include "session/plausibility.h"
#include "session/resolution.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- set-up ------------------------------------------------------------------------------------

// Where a configuration comes from: `timed` kernels in `seconds`, `gain` times the rule's speed.
static void print_choice(const char *label, const char *how, const char *variant, int timed,
                         double seconds, double gain)
{
    printf("  %-19s", label);
    if (strcmp(how, "measurement") == 0) {
        printf("tuned %d kernels in %.1f s: %s", timed, seconds, variant);
    } else {
        printf("kernels from %s: %s", how, variant);
    }
    if (gain > 0.0) printf(", %.2fx the rule", gain);
    printf("\n");
}

// Where the kernels' configurations come from, and how traces travel.
static void print_choices(const driver_run *run, const sedge_comm *comm)
{
    static const char *const labels[SEDGE_FAMILIES] = {
        [SEDGE_FAMILY_CURVED] = "curved elements", [SEDGE_FAMILY_PREDICTION] = "predictions"};
    sedge_operator_tuning tuning;
    sedge_operator_cost cost;

    if (!sedge_comm_is_root(comm)) return;
    sedge_operator_get_tuning(sedge_evolution_operator(run->evolution), &tuning);
    sedge_operator_get_cost(sedge_evolution_operator(run->evolution), &cost);
    double seconds = tuning.seconds;
    for (int f = 0; f < SEDGE_FAMILIES; f++) seconds -= tuning.family[f].seconds;
    print_choice("kernels", tuning.how, cost.variant, tuning.timed, seconds, tuning.gain);
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        const sedge_family_tuning *const own = &tuning.family[f];
        if (own->variant != NULL)
            print_choice(labels[f], own->how, own->variant, own->timed, own->seconds, own->gain);
    }
    if (sedge_comm_size(comm) > 1) {
        printf("  exchange           %s\n",
               sedge_operator_transport(sedge_evolution_operator(run->evolution)));
    }
}

static sedge_status allocate_state(driver_run *run)
{
    SEDGE_TRY(sedge_checkpoint_state_create(&run->state, &run->session));
    run->u = run->state.values[0];
    SEDGE_TRY(sedge_allocate(&run->energies, run->session.mesh->elements, sizeof(double)));
    return sedge_allocate(&run->energy_before, run->session.mesh->elements, sizeof(double));
}

// What begins now and may take a while, for the mesh is large.
static void say(const driver_run *run, const char *what)
{
    const sedge_session *const session = &run->session;

    if (!session->options->quiet && sedge_comm_is_root(session->comm))
        sedge_mesh_say(what, session->mesh->global_elements);
}

// `from` becomes the checkpoint that the run goes on from, whose monitors' memory the caller
// releases in any case.
static sedge_status make_parts(driver_run *run, sedge_checkpoint *from, const sedge_comm *comm,
                               const sedge_run_options *options)
{
    sedge_session *const session = &run->session;
    bool found = false;

    sedge_stopwatch_begin(&run->watch, "plausibility");
    if (!options->quiet) {
        sedge_session_print(session);
        SEDGE_TRY(sedge_resolution_print(session));
        sedge_plausibility_print(session);
        sedge_session_print_two_sided(session);
    }
    const sedge_output_context context = sedge_session_output(session, 0, false);
    SEDGE_TRY(sedge_monitors_check(&context)); // before kernels are compiled and compared
    SEDGE_TRY(driver_listen(run));
    sedge_stopwatch_begin(&run->watch, "device");
    sedge_stop_hold(false); // devices' libraries bring handlers of their own
    const sedge_status status = sedge_session_open_device(&run->device, &run->cache, session);
    sedge_stop_listen();
    SEDGE_TRY(status);
    if (!options->quiet) sedge_session_print_device(session, run->device, run->cache);
    sedge_stopwatch_begin(&run->watch, "state: host memory");
    SEDGE_TRY(sedge_comm_agree(comm, allocate_state(run)));
    run->quiet = sedge_blowup_quiet(session);
    run->energy_limit = run->energy_bound = (double)INFINITY;
    run->remains = (double)INFINITY;
    SEDGE_TRY(sedge_ending_find(&run->ending, session));
    sedge_growth_create(&run->growth, session);
    SEDGE_TRY(driver_restart(run, from, &found));
    sedge_operator_options config;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_session_kernels(&config, session)));
    SEDGE_TRY(sedge_output_folder_lock(&run->lock, comm, session->deck->output));
    config.expected_stages =
        (int64_t)((double)(session->steps - run->step) * session->problem.integrator->stages *
                  sedge_levels_work(&session->levels));
    if (driver_is_pressed(run)) config.tune = SEDGE_TUNE_OFF;
    say(run, "choosing kernels");
    SEDGE_TRY(sedge_evolution_create(&run->evolution, comm, run->device, run->cache,
                                     session->element, session->mesh, &session->problem, &config));
    sedge_stopwatch_begin(&run->watch, "reference");
    if (!options->quiet) print_choices(run, comm);
    SEDGE_TRY(
        sedge_comm_agree(comm, sedge_reference_create_alone(&run->reference, session->element,
                                                            session->mesh, &session->problem)));
    // First the checkpoints that belong to what is cut off now: none may outlive its series.
    SEDGE_TRY(sedge_checkpoint_set_aside(session, session->deck->output,
                                         found && from->same_folder ? from->step : -1));
    sedge_stopwatch_begin(&run->watch, "monitors");
    SEDGE_TRY(driver_create_monitors(run, from->monitors, found && from->same_folder));
    if (found) SEDGE_TRY(driver_restart_monitors(run, from));
    run->last_checkpoint = run->output.continues ? from->step : -1;
    if (found) (void)snprintf(run->restarted_from, sizeof run->restarted_from, "%s", from->path);
    sedge_stopwatch_begin(&run->watch, "state: initial values");
    say(run, found ? "state of the checkpoint" : "initial state");
    if (!found && !session->problem.initial->zero)
        sedge_reference_initial(run->reference, 0.0, run->output.threads, run->u);
    if (found || !session->problem.initial->zero)
        SEDGE_TRY(driver_set_state(run, found ? from : NULL));
    sedge_stopwatch_begin(&run->watch, "first output");
    return SEDGE_OK;
}

static sedge_status set_up(driver_run *run, const sedge_comm *comm,
                           const sedge_run_options *options)
{
    sedge_checkpoint from = {.step = 0};
    const sedge_status status = make_parts(run, &from, comm, options);

    json_decref(from.monitors);
    return status;
}

void driver_release(void *of)
{
    driver_run *const run = of;

    sedge_writer_free(run->checkpoint_thread); // it reads what is freed below
    sedge_monitors_free(run->monitors);
    sedge_checkpoint_writer_free(run->checkpoint_writer);
    sedge_state_copy_free(run->copy);
    sedge_sample_free(run->sample);
    sedge_reference_free(run->reference);
    sedge_evolution_free(run->evolution);
    sedge_cache_free(run->cache);
    sedge_device_free(run->device);
    sedge_checkpoint_state_clear(&run->state);
    sedge_release(run->energies);
    sedge_release(run->energy_before);
    run->checkpoint_thread = NULL;
    run->monitors = NULL;
    run->checkpoint_writer = NULL;
    run->copy = NULL;
    run->sample = NULL;
    run->reference = NULL;
    run->evolution = NULL;
    run->cache = NULL;
    run->device = NULL;
    run->energies = run->energy_before = run->u = NULL;
}

static void tear_down(driver_run *run)
{
    driver_release(run);
    sedge_stop_free(run->stop);
    sedge_output_folder_unlock(run->lock);
    sedge_session_close(&run->session);
}

// ---- the time loop -----------------------------------------------------------------------------

// A failure of one rank alone, where the others go on into an exchange: end the job.
static void end_alone(sedge_comm *comm, sedge_status status)
{
    if (status != SEDGE_OK) sedge_comm_end_alone(comm, status);
}

// A rank that waits for no other is ahead of its device by what the driver's queue holds: minutes,
// where steps are long. It waits every DRIVER_POLL_SECONDS or step, so that clocks and signals mean
// what is done. Ranks that wait for others' traces do so in each stage; the host device does all at
// once.
static void stay_close(driver_run *run, sedge_comm *comm, int64_t step)
{
    const double since = (double)(step - run->last_sync_step);

    if (step < run->next_sync_step ||
        sedge_operator_waits(sedge_evolution_operator(run->evolution)) ||
        sedge_device_get_traits(run->device)->in_call)
        return;
    end_alone(comm, sedge_evolution_wait(run->evolution));
    const double now = sedge_clock();
    const double steps = since * DRIVER_POLL_SECONDS / fmax(now - run->sync_clock, 1e-9);
    run->next_sync_step = step + (int64_t)fmax(1.0, fmin(steps, 2.0 * since));
    run->last_sync_step = step;
    run->sync_clock = now;
}

static sedge_status take_step(driver_run *run, sedge_comm *comm, sedge_progress *progress)
{
    sedge_session *const session = &run->session;
    const int64_t step = run->step + 1;
    const double time = sedge_session_time(session, step);

    sedge_range_begin("step");
    end_alone(comm, sedge_evolution_step(run->evolution, time - session->dt, session->dt));
    sedge_range_end();
    stay_close(run, comm, step);
    run->step = step;
    driver_begin_sample(run);
    SEDGE_TRY(driver_end_energy(run));        // of the step before
    SEDGE_TRY(driver_end_settled(run, true)); // the last step's energy is measured, too
    if (step % session->deck->energy_every == 0 || step == session->steps) {
        driver_begin_energy(run);
        if (driver_needs_energy(run)) {
            SEDGE_TRY(driver_end_energy(run));
            driver_end_decayed(run);
        }
    }
    if (sedge_progress_due(progress, step, session->steps)) {
        end_alone(comm, sedge_evolution_wait(run->evolution));
        sedge_progress_show(
            progress, step, session->steps, time * sedge_deck_time_unit(session->deck),
            sedge_deck_unit(session->deck, SEDGE_TIME), run->history[run->samples - 1],
            sedge_deck_energy_suffix(session->deck));
    }
    SEDGE_TRY(driver_sample_monitors(run));
    return driver_checkpoint_due(run, step) ? driver_write_checkpoint(run, step) : SEDGE_OK;
}

// The first samples, at step 0 or, in a folder of its own, where a restart goes on.
static sedge_status begin_series(driver_run *run)
{
    driver_begin_sample(run);
    driver_begin_energy(run);
    SEDGE_TRY(driver_end_energy(run));
    say(run, "first output");
    return driver_sample_monitors(run);
}

// Where the series go on their samples of this step are there.
static sedge_status check_restart(driver_run *run)
{
    sedge_sample_begin(run->sample, sedge_session_time(&run->session, run->step), run->step);
    return driver_check_energy(run);
}

static sedge_status run_loop(driver_run *run, sedge_comm *comm)
{
    const bool show = sedge_comm_is_root(comm) && !run->session.options->quiet;
    sedge_status status = SEDGE_OK;

    sedge_stop_listen();
    sedge_stop_set_up(false);
    SEDGE_TRY(run->output.continues ? check_restart(run) : begin_series(run));
    SEDGE_TRY(driver_prepare_checkpoints(run));
    if (run->steps_before > 0) {
        driver_end_decayed(run);
        SEDGE_TRY(driver_end_settled(run, false));
    }
    sedge_progress progress =
        sedge_progress_start(show, run->session.options->terminal, run->step, run->session.steps);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_LOOP);
    const double start = sedge_clock();
    run->checkpoint_clock = start;
    run->poll_clock = start;
    run->polled_step = run->step;
    run->sync_clock = start;
    run->last_sync_step = run->step;
    while (status == SEDGE_OK && run->step < run->session.steps) {
        status = sedge_stop_due(run->stop, run->step) ? driver_stop(run)
                                                      : take_step(run, comm, &progress);
    }
    sedge_progress_end(&progress);
    if (status == SEDGE_OK) status = driver_end_energy(run);
    if (status == SEDGE_OK) end_alone(comm, sedge_evolution_wait(run->evolution));
    SEDGE_TRY(status);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);
    sedge_failure first = {0};
    sedge_failure_keep(&first, sedge_monitors_finish(run->monitors)); // beside the last checkpoint
    sedge_failure_keep(&first, driver_complete_checkpoint(run, true));
    return sedge_failure_get(&first);
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
    run->watch = sedge_stopwatch_start(SEDGE_PHASE_START,
                                       options->begun > 0.0 ? options->begun : run->start);
    (void)sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_SETUP);
    SEDGE_TRY_GOTO(status, sedge_session_open(&run->session, comm, options, true, &run->watch,
                                              sedge_checkpoint_integrator));
    if (run->session.problem.equation->elliptic != NULL) {
        sedge_stop_ignore(); // it writes no checkpoints
        status = sedge_elliptic_run(&run->session, run->watch);
        goto done;
    }
    SEDGE_TRY_GOTO(status, set_up(run, comm, options));
    SEDGE_TRY_GOTO(status, driver_finish(run, run_loop(run, comm)));
done:
    sedge_stop_set_up(false);
    tear_down(run);
    sedge_release(run);
    return status;
}
