// Checkpoints of a run: when they are due, what goes into them, how a run goes on from one.
#include "driver_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/cpu.h"
#include "device/range.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- writing -----------------------------------------------------------------------------------

static bool is_on_its_way(const driver_run *run)
{
    return run->checkpoint_writer != NULL && sedge_checkpoint_is_begun(run->checkpoint_writer);
}

// The writer's thread.
static sedge_status get_rows(void *of, int block, int64_t first, int64_t count, double *values)
{
    const driver_run *const run = of;

    return sedge_state_copy_get(run->copy, block, first, count, values);
}

static sedge_status sync_files(void *of)
{
    const driver_run *const run = of;

    return sedge_monitors_sync(run->monitors);
}

// A copy on the host must not drive the job out of memory: the system promises more than it has.
static bool has_host_room(const driver_run *run)
{
    const sedge_session *const session = &run->session;
    const sedge_mesh *const mesh = session->mesh;
    const int64_t bytes = sedge_checkpoint_bytes(session) / mesh->global_elements * mesh->elements;

    return !sedge_device_get_traits(run->device)->in_call ||
           bytes * sedge_comm_node_size(session->comm) <= sedge_cpu_memory_free() / 2;
}

// Steps go on while a checkpoint is written where all ranks have memory for a copy of the state.
// `before`: all had it before, or it was asked for.
static void find_beside(driver_run *run, bool before)
{
    const sedge_session *const session = &run->session;
    int64_t missing = !sedge_state_copy_is_beside(run->copy);

    sedge_comm_max_int(session->comm, &missing, 1);
    run->checkpoint_beside = missing == 0;
    if (before && missing != 0 && sedge_comm_is_root(session->comm) && !session->options->quiet) {
        printf("  note               checkpoints stop the run while they are written: the device "
               "has no room for a copy of the state\n");
    }
}

static sedge_status prepare(driver_run *run, bool beside)
{
    const sedge_session *const session = &run->session;
    const sedge_comm *const comm = session->comm;
    const sedge_checkpoint_source source = {.of = run, .rows = get_rows, .sync = sync_files};

    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_state_copy_create(&run->copy, run->evolution, beside && has_host_room(run))));
    find_beside(run, beside);
    SEDGE_TRY(sedge_comm_agree(comm, sedge_writer_create(&run->checkpoint_thread)));
    return sedge_checkpoint_writer_create(&run->checkpoint_writer, session, run->checkpoint_thread,
                                          session->deck->output, session->deck->checkpoint_keep,
                                          &run->state, &source);
}

sedge_status driver_prepare_checkpoints(driver_run *run)
{
    return sedge_checkpoint_is_requested(run->session.deck) ? prepare(run, true) : SEDGE_OK;
}

// The header and the files that it tells of. The state is on its way to the copy. Collective.
static sedge_status begin(driver_run *run, int64_t step)
{
    const sedge_session *const session = &run->session;

    SEDGE_TRY(driver_check_energy(run)); // what has blown up pushes no good one out
    SEDGE_TRY(driver_fetch_energy_before(run));
    sedge_checkpoint checkpoint = {.step = step,
                                   .time = sedge_session_time(session, step),
                                   .origin_time = session->origin_time,
                                   .dt = session->dt,
                                   .origin_step = session->origin_step,
                                   .energy_initial = run->energy_initial,
                                   .energy_last = run->energy_last,
                                   .energy_peak = run->energy_peak,
                                   .energy_limit = run->energy_limit,
                                   .energy_bound = driver_energy_bound(run, step),
                                   .samples = run->samples,
                                   .wall_seconds =
                                       run->wall_before + sedge_stopwatch_total(&run->watch),
                                   .basis = sedge_evolution_basis(run->evolution)};

    memcpy(checkpoint.history, run->history, sizeof checkpoint.history);
    sedge_status status = sedge_monitors_save(run->monitors, &checkpoint.monitors);
    sedge_named_array *arrays = NULL;
    if (status == SEDGE_OK) {
        status = sedge_comm_agree(
            session->comm, sedge_monitors_arrays(run->monitors, &arrays, &checkpoint.array_count));
    }
    checkpoint.arrays = arrays;
    if (status == SEDGE_OK)
        status = sedge_checkpoint_begin(run->checkpoint_writer, &checkpoint, run->energy_before);
    json_decref(checkpoint.monitors);
    sedge_release(arrays);
    return status;
}

sedge_status driver_write_checkpoint(driver_run *run, int64_t step)
{
    SEDGE_TRY(driver_complete_checkpoint(run, true));
    const double start = sedge_clock();
    const sedge_phase phase = sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_CHECKPOINT);

    sedge_range_begin("output");
    sedge_status status = SEDGE_OK;
    if (run->checkpoint_writer == NULL) {
        status = prepare(run, false);
    } else {
        find_beside(run, run->checkpoint_beside); // others may have needed the memory
    }
    if (status == SEDGE_OK)
        status = sedge_comm_agree(run->session.comm, sedge_state_copy_take(run->copy));
    if (status == SEDGE_OK) status = begin(run, step);
    sedge_range_end();
    (void)sedge_stopwatch_enter(&run->watch, phase);
    SEDGE_TRY(status);
    run->last_checkpoint = step;
    run->checkpoint_waited = sedge_clock() - start;
    return run->checkpoint_beside ? SEDGE_OK : driver_complete_checkpoint(run, true);
}

// All ranks have written their parts, and what monitors had before has been written, too.
static sedge_status publish(driver_run *run)
{
    double seconds = 0.0;

    const sedge_status written = sedge_checkpoint_wait(run->checkpoint_writer, &seconds);
    sedge_state_copy_done(run->copy);
    SEDGE_TRY(written);
    SEDGE_TRY(sedge_monitors_settle(run->monitors, run->last_checkpoint));
    SEDGE_TRY(sedge_checkpoint_publish(run->checkpoint_writer));
    run->checkpoint_seconds += seconds;
    run->checkpoint_clock = sedge_clock();
    run->checkpoints++;
    sedge_stop_spent(run->stop, run->checkpoint_waited + seconds);
    return SEDGE_OK;
}

sedge_status driver_complete_checkpoint(driver_run *run, bool wait)
{
    if (!is_on_its_way(run)) return SEDGE_OK;
    int64_t busy = !wait && !sedge_checkpoint_is_written(run->checkpoint_writer);
    if (!wait) sedge_comm_max_int(run->session.comm, &busy, 1);
    if (busy != 0) return SEDGE_OK;
    const sedge_phase phase = sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_CHECKPOINT);
    const sedge_status status = publish(run);
    (void)sedge_stopwatch_enter(&run->watch, phase);
    return status;
}

// ---- when --------------------------------------------------------------------------------------

// How many whole intervals have passed at the end of `step`; a rounded last bit counts as passed.
static double count_intervals(const driver_run *run, int64_t step)
{
    const double count =
        sedge_session_time(&run->session, step) / run->session.deck->checkpoint_time;

    return floor(count * (1.0 + 1e-12));
}

// The root's clock decides for all. It is asked at steps that all know beforehand, about
// DRIVER_POLL_SECONDS apart.
static bool wall_due(driver_run *run, int64_t step)
{
    struct {
        int64_t next; // step at which to ask again
        int64_t due;
    } answer = {0, 0};

    if (step < run->poll_step) return false;
    if (sedge_comm_is_root(run->session.comm)) {
        const double now = sedge_clock();
        const double spent = now - run->poll_clock;
        const double since = (double)(step - run->polled_step);
        const double steps = since * DRIVER_POLL_SECONDS / fmax(spent, 1e-9);

        // Not many more than before: of the first ones the device may have done none yet.
        answer.next = step + (int64_t)fmax(1.0, fmin(steps, 2.0 * since));
        answer.due = !is_on_its_way(run) &&
                     now - run->checkpoint_clock >= run->session.deck->checkpoint_wall;
        run->poll_clock = now;
    }
    sedge_comm_broadcast(run->session.comm, &answer, sizeof answer, 0);
    run->polled_step = step;
    run->poll_step = answer.next;
    return answer.due != 0;
}

bool driver_checkpoint_due(driver_run *run, int64_t step)
{
    const sedge_deck *const deck = run->session.deck;
    bool due = sedge_checkpoint_is_requested(deck) && step == run->session.steps;

    if (deck->checkpoint_steps > 0) due = due || step % deck->checkpoint_steps == 0;
    if (deck->checkpoint_time > 0.0)
        due = due || count_intervals(run, step) > count_intervals(run, step - 1);
    if (deck->checkpoint_wall > 0.0) due = wall_due(run, step) || due;
    return due;
}

// ---- going on ----------------------------------------------------------------------------------

// What the header says becomes the run's.
static void take_over(driver_run *run, const sedge_checkpoint *from)
{
    run->step = from->step;
    run->steps_before = from->step;
    run->wall_before = from->wall_seconds;
    run->energy_initial = from->energy_initial;
    run->energy_last = from->energy_last;
    run->energy_peak = from->energy_peak;
    run->energy_bound = from->energy_bound;
    // Sources that the deck has now may give energy that those of before could not.
    if (from->time >= run->quiet) run->energy_limit = from->energy_limit;
    run->samples = from->samples;
    memcpy(run->history, from->history, sizeof run->history);
}

static void print_restart(const driver_run *run, const sedge_checkpoint *from)
{
    const sedge_session *const session = &run->session;
    const double unit = sedge_deck_time_unit(session->deck);

    printf("  restart            from '%s': step %lld of %lld, t = %.6g%s, dt = %.6g%s%s\n",
           from->path, (long long)from->step, (long long)session->steps, from->time * unit,
           session->deck->si ? " s" : "", session->dt * unit, session->deck->si ? " s" : "",
           session->dt != from->dt ? " (changed)" : "");
    if (!from->same_folder) {
        printf(
            "  note               the checkpoint is not in '%s': its series begin at step %lld\n",
            session->deck->output, (long long)from->step);
    }
}

static sedge_status set_blocks(driver_run *run, sedge_basis basis)
{
    for (int i = 0; i < run->state.count; i++) {
        SEDGE_TRY(sedge_evolution_set_block(run->evolution, i, basis, run->state.values[i]));
    }
    return SEDGE_OK;
}

sedge_status driver_set_state(driver_run *run, const sedge_checkpoint *from)
{
    const sedge_session *const session = &run->session;
    const sedge_basis before = from != NULL ? from->basis : SEDGE_NODAL;
    const sedge_basis now = sedge_evolution_basis(run->evolution);

    if (from != NULL && before != now && sedge_comm_is_root(session->comm) &&
        !session->options->quiet) {
        printf("  note               basis: '%s' before, '%s' from here on: the state is "
               "rounded\n",
               sedge_basis_name(before), sedge_basis_name(now));
    }
    return sedge_comm_agree(session->comm, set_blocks(run, before));
}

sedge_status driver_restart_monitors(const driver_run *run, const sedge_checkpoint *from)
{
    const sedge_session *const session = &run->session;
    sedge_named_array *arrays = NULL;
    int count = 0;
    sedge_status status =
        sedge_comm_agree(session->comm, sedge_monitors_arrays(run->monitors, &arrays, &count));

    if (status == SEDGE_OK)
        status = sedge_checkpoint_read_arrays(session, from->path, arrays, count);
    sedge_release(arrays);
    return status;
}

sedge_status driver_restart(driver_run *run, sedge_checkpoint *from, bool *found)
{
    sedge_session *const session = &run->session;
    const char *const requested = session->options->restart;
    const bool tell = sedge_comm_is_root(session->comm) && !session->options->quiet;

    *found = false;
    if (requested == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_checkpoint_read(session, session->deck->output, requested, from, found,
                                    &run->state, run->energy_before));
    if (!*found) {
        if (tell) {
            printf("  restart            no checkpoint in '%s': from the beginning\n",
                   session->deck->output);
        }
        memset(run->energy_before, 0, (size_t)session->mesh->elements * sizeof *run->energy_before);
        return SEDGE_OK;
    }
    take_over(run, from);
    SEDGE_TRY(sedge_session_continue(session, from->origin_time, from->origin_step, from->dt,
                                     from->step, from->path));
    if (tell) print_restart(run, from);
    return SEDGE_OK;
}
