#include "sweep.h"

#include "base/file.h"
#include "base/memory.h"
#include "deck/deck_tree.h"
#include "io/folder_lock.h"
#include "monitor/output_folder.h"
#include "run/progress.h"
#include "run/stop.h"
#include "run/sweep_ports.h"
#include "run/sweep_table.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// A sweep, and the run of it that is at hand.
typedef struct sweep_state {
    sedge_comm *comm;
    const sedge_run_options *given;
    bool tells; // this rank prints
    char *text; // of the deck
    size_t length;
    sedge_sweep sweep;
    char path[SEDGE_PATH_BYTES];         // sweep.json
    sedge_text *made[SEDGE_SWEEP_EXTRA]; // settings of the run beside the given ones
    char name[32];                       // of the run's folder
    sedge_run_options options;           // of the run
    sedge_folder_lock *lock;
    json_t *rows; // of the runs that are done; root
    int before;   // runs that were done before
    int left;     // runs that are not done; root
    int whole;    // runs that this process has made from their beginning
    double spent; // seconds in them
} sweep_state;

// ---- one run -----------------------------------------------------------------------------------

static sedge_status add_setting(sweep_state *state, sedge_text *text)
{
    state->options.settings[state->options.setting_count++] = sedge_text_get(text);
    return SEDGE_OK;
}

static void forget_run(sweep_state *state)
{
    for (int i = 0; i < SEDGE_SWEEP_EXTRA; i++) {
        sedge_text_free(state->made[i]);
        state->made[i] = NULL;
    }
}

// The options of run `i`: the given ones, with the run's values and its folder.
static sedge_status prepare_run(sweep_state *state, int i)
{
    const sedge_sweep *const sweep = &state->sweep;
    char folder[SEDGE_PATH_BYTES];

    forget_run(state);
    state->options = *state->given;
    state->options.text = state->text;
    state->options.text_length = state->length;
    state->options.restart = state->options.report = NULL;
    state->options.begun = sedge_clock();
    sedge_sweep_name(state->name, i);
    for (int k = 0; k < sweep->keys + 2; k++) SEDGE_TRY(sedge_text_create(&state->made[k]));
    SEDGE_TRY(sedge_text_add(state->made[0], "sweep={}"));
    (void)snprintf(folder, sizeof folder, "%.4000s/%s", sweep->output, state->name);
    SEDGE_TRY(sedge_text_add(state->made[1], "output.folder="));
    SEDGE_TRY(deck_write_quoted(state->made[1], folder));
    for (int k = 0; k < sweep->keys; k++) {
        SEDGE_TRY(sedge_text_add(state->made[k + 2], "%s=%s", sweep->key[k],
                                 sweep->value[i * sweep->keys + k]));
    }
    for (int k = 0; k < sweep->keys + 2; k++) SEDGE_TRY(add_setting(state, state->made[k]));
    return SEDGE_OK;
}

// The run's values in words: "sources.0.direction=[0, 0, 1], order=3".
static void describe_run(char *text, size_t size, const sweep_state *state)
{
    size_t used = 0;

    text[0] = '\0';
    for (int k = 0; k < state->sweep.keys && used < size; k++) {
        used += (size_t)snprintf(text + used, size - used, "%s%.200s", k > 0 ? ", " : "",
                                 sedge_text_get(state->made[k + 2]));
    }
}

// Let the message of a failure tell of run `i`. One about a swept value gives the value's place in
// the deck.
static sedge_status name_fault(const sweep_state *state, int i, sedge_status status)
{
    static const char option[] = "--set ";
    const sedge_sweep *const sweep = &state->sweep;
    const char *const message = sedge_error_message();
    char values[1024];
    char whole[4096];

    if (status == SEDGE_OK) return status;
    describe_run(values, sizeof values, state);
    (void)snprintf(whole, sizeof whole, "run %d of %d of the sweep (%s): %.2900s", i + 1,
                   sweep->runs, values, message);
    for (int k = 0; k < sweep->keys; k++) {
        const char *const setting = sedge_text_get(state->made[k + 2]);
        const size_t length = strlen(setting);

        if (strncmp(message, option, strlen(option)) != 0 ||
            strncmp(message + strlen(option), setting, length) != 0)
            continue;
        (void)snprintf(whole, sizeof whole, "%.500s: run %d of %d of the sweep, %.2900s",
                       sweep->origin[i * sweep->keys + k], i + 1, sweep->runs,
                       message + strlen(option));
    }
    sedge_error_set(whole);
    return status;
}

// ---- is it done? -------------------------------------------------------------------------------

// RUN_CHANGED: made anew, in place of what a run of another deck, mesh or image left.
typedef enum run_progress { RUN_ANEW, RUN_CHANGED, RUN_BEGUN, RUN_DONE } run_progress;

// The resolved deck without what does not change results: how long the run may take, where its
// kernels run, and how these are chosen.
static sedge_status resolve(sedge_text **out, bool *timeless, sedge_deck **deck,
                            const sedge_run_options *options, const char *path, const char *text,
                            size_t length)
{
    const char *settings[SEDGE_MAX_SETTINGS + SEDGE_SWEEP_EXTRA + 3];
    int count = options != NULL ? options->setting_count : 0;

    for (int i = 0; i < count; i++) settings[i] = options->settings[i];
    if (options != NULL) {
        SEDGE_TRY(sedge_deck_create(deck, path, text, length, settings, count));
        *timeless = (*deck)->equation->elliptic != NULL;
        sedge_deck_free(*deck);
        *deck = NULL;
    }
    settings[count++] = "device=auto";
    settings[count++] = "kernels={}";
    if (!*timeless) settings[count++] = "time.wall=0";
    SEDGE_TRY(sedge_deck_create(deck, path, text, length, settings, count));
    SEDGE_TRY(sedge_text_create(out));
    return sedge_deck_write(*out, *deck);
}

// Is the file at `path` there, and not older than the mesh and the images that the deck names?
static bool is_after_inputs(const char *path, const sedge_deck *deck)
{
    const char *input = deck->mesh.file;
    struct stat file;
    struct stat other;

    if (stat(path, &file) != 0) return false;
    for (int i = 0; i == 0 || input != NULL; i++) {
        if (input != NULL && (stat(input, &other) != 0 || other.st_mtime > file.st_mtime))
            return false;
        input = sedge_deck_image_file(deck, i);
    }
    return true;
}

// What the folder of the run at hand holds. Root.
static run_progress find_progress(const sweep_state *state)
{
    char path[2][SEDGE_PATH_BYTES];
    sedge_deck *deck[2] = {NULL, NULL};
    sedge_text *text[2] = {NULL, NULL};
    char *found = NULL;
    size_t length = 0;
    bool timeless = false;
    bool same = false;
    bool before = false;
    run_progress progress = RUN_ANEW;

    (void)snprintf(path[0], sizeof path[0], "%.4000s/%s/deck.yaml", state->sweep.output,
                   state->name);
    (void)snprintf(path[1], sizeof path[1], "%.4000s/%s/report.json", state->sweep.output,
                   state->name);
    before = sedge_file_read(&found, &length, path[0], SEDGE_ERR_USAGE) == SEDGE_OK;
    if (before &&
        resolve(&text[0], &timeless, &deck[0], &state->options, state->given->deck, state->text,
                state->length) == SEDGE_OK &&
        resolve(&text[1], &timeless, &deck[1], NULL, path[0], found, length) == SEDGE_OK)
        same = strcmp(sedge_text_get(text[0]), sedge_text_get(text[1])) == 0;
    sedge_error_clear(); // without a deck that can be read it is none of this sweep
    // The run wrote deck.yaml when it had read the mesh; by its report the inputs may have changed.
    if (same && is_after_inputs(path[0], deck[0])) {
        progress = timeless ? RUN_ANEW : RUN_BEGUN;
        if (sedge_sweep_is_done(path[1])) progress = RUN_DONE;
    } else if (before) {
        progress = RUN_CHANGED;
    }
    for (int i = 0; i < 2; i++) {
        sedge_text_free(text[i]);
        sedge_deck_free(deck[i]);
    }
    sedge_release(found);
    return progress;
}

// ---- open and close ----------------------------------------------------------------------------

static sedge_status read_sweep(sweep_state *state, sedge_comm *comm,
                               const sedge_run_options *options)
{
    memset(state, 0, sizeof *state);
    state->comm = comm;
    state->given = options;
    state->tells = sedge_comm_is_root(comm) && !options->quiet;
    SEDGE_TRY(sedge_session_read_text(&state->text, &state->length, comm, options->deck));
    return sedge_comm_agree(comm, sedge_sweep_read(&state->sweep, options->deck, state->text,
                                                   state->length, options->settings,
                                                   options->setting_count));
}

// Root: would the copy of sweep.json overwrite what a run reads, or its results?
static sedge_status check_report(const sweep_state *state, const sedge_deck *deck)
{
    const char *const report = state->given->report;
    char own[SEDGE_PATH_BYTES];

    if (report == NULL || !sedge_comm_is_root(state->comm)) return SEDGE_OK;
    (void)snprintf(own, sizeof own, "%.4000s/report.json", deck->output);
    const bool mesh = deck->mesh.file != NULL && sedge_file_is_same(report, deck->mesh.file);
    const char *what = mesh ? "the mesh" : NULL;
    for (int i = 0; sedge_deck_image_file(deck, i) != NULL; i++)
        if (sedge_file_is_same(report, sedge_deck_image_file(deck, i))) what = "the image";
    if (sedge_file_is_same(report, own)) what = "the run's own report";
    if (what == NULL) return sedge_output_check_report(deck->output, report);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--report '%s' is %s itself; choose another name", report,
                      what);
}

// Refuse what is wrong in any of the runs' decks before the first one begins.
static sedge_status check_decks(sweep_state *state)
{
    for (int i = 0; i < state->sweep.runs; i++) {
        sedge_deck *deck = NULL;

        SEDGE_TRY(prepare_run(state, i));
        sedge_status status =
            sedge_deck_create(&deck, state->given->deck, state->text, state->length,
                              state->options.settings, state->options.setting_count);
        if (status == SEDGE_OK) status = check_report(state, deck);
        sedge_deck_free(deck);
        if (status != SEDGE_OK) return name_fault(state, i, status);
    }
    return SEDGE_OK;
}

static void close_sweep(sweep_state *state)
{
    forget_run(state);
    sedge_output_folder_unlock(state->lock);
    json_decref(state->rows);
    sedge_sweep_clear(&state->sweep);
    sedge_release(state->text);
}

// ---- the commands ------------------------------------------------------------------------------

// Would a file of the sweep take the place of the one at `path`?
static bool is_overwritten(const sweep_state *state, const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    char own[SEDGE_PATH_BYTES];

    (void)snprintf(own, sizeof own, "%.3800s/%.200s", state->sweep.output, name);
    return sedge_file_is_same(state->path, path) ||
           (sedge_output_is_of_sweep(name, NULL) && sedge_file_is_same(own, path));
}

// Root: may the sweep's own files be written?
static sedge_status check_files(sweep_state *state)
{
    const sedge_run_options *const given = state->given;

    if (strlen(state->sweep.output) > 4000) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the output folder's path is too long: '%.100s...'",
                          state->sweep.output);
    }
    (void)snprintf(state->path, sizeof state->path, "%s/sweep.json", state->sweep.output);
    SEDGE_TRY(sedge_output_folder_check(state->sweep.output));
    if (is_overwritten(state, given->deck)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "the deck '%s' would be overwritten: a sweep writes sweep.json, ports.csv "
            "and ports.sNp into its output folder; give it another folder (--output)",
            given->deck);
    }
    if (given->report == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_file_try(given->report));
    if (!sedge_file_is_same(given->report, given->deck)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--report '%s' is the deck itself; choose another name",
                      given->report);
}

// After a run, or a failure whose message is `outcome`.
static sedge_status write_files(const sweep_state *state, const char *outcome)
{
    const char *const paths[2] = {state->path, state->given->report};
    sedge_status status = SEDGE_OK;

    for (int p = 0; p < 2 && sedge_comm_is_root(state->comm) && status == SEDGE_OK; p++) {
        if (paths[p] == NULL) continue;
        status =
            sedge_sweep_write(state->rows, &state->sweep, state->given->deck, outcome, paths[p]);
    }
    return sedge_comm_agree(state->comm, status);
}

// Remove what an earlier sweep says of all runs, and count the runs that are not done. Root.
static sedge_status begin_runs(sweep_state *state)
{
    SEDGE_TRY(sedge_output_remove(state->sweep.output, sedge_output_is_of_sweep, NULL));
    for (int i = 0; i < state->sweep.runs; i++) {
        SEDGE_TRY(prepare_run(state, i));
        state->left += find_progress(state) != RUN_DONE;
    }
    return SEDGE_OK;
}

// How long the runs that are not done will take if each takes as long as those that were made from
// their beginning: ", about 3.2 min left". Nothing before the first of these.
static void describe_left(char text[64], const sweep_state *state)
{
    char left[32];

    text[0] = '\0';
    if (state->whole == 0) return;
    sedge_progress_duration(left, state->spent / state->whole * state->left);
    (void)snprintf(text, 64, ", about %s left", left);
}

static sedge_status make_run(sweep_state *state, int i)
{
    const bool root = sedge_comm_is_root(state->comm);
    char values[1024];
    char left[64];

    SEDGE_TRY(sedge_comm_agree(state->comm, prepare_run(state, i)));
    int progress = root ? (int)find_progress(state) : 0;
    sedge_comm_broadcast(state->comm, &progress, sizeof progress, 0);
    describe_run(values, sizeof values, state);
    describe_left(left, state);
    if (state->tells) {
        printf("%srun %d of %d of the sweep%s: %s\n", i > 0 && progress != RUN_DONE ? "\n" : "",
               i + 1, state->sweep.runs, progress == RUN_DONE ? ", done before" : left, values);
        if (progress == RUN_CHANGED) {
            printf("  sweep              made anew: the folder has a run of another deck, mesh or "
                   "image\n");
        }
    }
    state->before += progress == RUN_DONE;
    if (progress == RUN_BEGUN) state->options.restart = "auto";
    if (progress != RUN_DONE) {
        const double begun = sedge_clock();
        SEDGE_TRY(name_fault(state, i, sedge_run(state->comm, &state->options)));
        if (progress <= RUN_CHANGED) state->spent += sedge_clock() - begun;
        state->whole += progress <= RUN_CHANGED;
        state->left--;
    }
    return sedge_comm_agree(state->comm,
                            root ? sedge_sweep_add_row(state->rows, &state->sweep, i) : SEDGE_OK);
}

static sedge_status make_runs(sweep_state *state)
{
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_comm_agree(state->comm,
                               sedge_comm_is_root(state->comm) ? begin_runs(state) : SEDGE_OK));
    SEDGE_TRY(write_files(state, "not complete"));
    for (int i = 0; i < state->sweep.runs; i++) {
        status = make_run(state, i);
        if (status != SEDGE_OK) break;
        SEDGE_TRY(write_files(state, i + 1 < state->sweep.runs ? "not complete" : "done"));
    }
    if (status == SEDGE_OK) return SEDGE_OK;
    // That run's failure is what the user must hear of.
    char message[4096];
    (void)snprintf(message, sizeof message, "%s", sedge_error_message());
    if (write_files(state, message) != SEDGE_OK) sedge_error_clear();
    sedge_error_set(message);
    return status;
}

// When all runs are done: the files of the sweep, and its table for the user. Root.
static sedge_status end_sweep(const sweep_state *state)
{
    sedge_text *ports = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&ports));
    SEDGE_TRY_GOTO(status, sedge_sweep_ports_write(ports, state->rows, &state->sweep));
    if (state->tells) {
        printf("\n  %-22s %d runs, %d of them done before; %s\n", "sweep", state->sweep.runs,
               state->before, state->path);
        sedge_sweep_print(state->rows, &state->sweep);
        printf("%s", sedge_text_get(ports));
    }
done:
    sedge_text_free(ports);
    return status;
}

static sedge_status run_sweep(sweep_state *state)
{
    const char *const restart = state->given->restart;

    if (restart != NULL && strcmp(restart, "auto") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--restart '%.200s': the deck has a sweep, which goes on by itself with "
                          "the run that is not done; leave --restart out",
                          restart);
    }
    SEDGE_TRY(sedge_comm_agree(state->comm, check_decks(state)));
    SEDGE_TRY(sedge_comm_agree(state->comm,
                               sedge_comm_is_root(state->comm) ? check_files(state) : SEDGE_OK));
    sedge_stop_listen();
    SEDGE_TRY(sedge_output_folder_lock(&state->lock, state->comm, state->sweep.output));
    state->rows = json_array();
    SEDGE_TRY(make_runs(state));
    return sedge_comm_agree(state->comm,
                            sedge_comm_is_root(state->comm) ? end_sweep(state) : SEDGE_OK);
}

sedge_status sedge_sweep_run(sedge_comm *comm, const sedge_run_options *options)
{
    sweep_state state;
    sedge_status status;

    SEDGE_TRY_GOTO(status, read_sweep(&state, comm, options));
    if (state.sweep.runs > 0) {
        status = run_sweep(&state);
    } else {
        sedge_run_options alone = *options;
        alone.text = state.text;
        alone.text_length = state.length;
        status = sedge_run(comm, &alone);
    }
done:
    close_sweep(&state);
    return status;
}

// `command` for each run; without a sweep once, with the given options.
static sedge_status do_each(sweep_state *state, sedge_sweep_command *command)
{
    if (state->sweep.runs == 0) return command(state->comm, state->given);
    SEDGE_TRY(sedge_comm_agree(state->comm, check_decks(state)));
    for (int i = 0; i < state->sweep.runs; i++) {
        SEDGE_TRY(sedge_comm_agree(state->comm, prepare_run(state, i)));
        SEDGE_TRY(name_fault(state, i, command(state->comm, &state->options)));
    }
    return SEDGE_OK;
}

sedge_status sedge_sweep_each(sedge_comm *comm, const sedge_run_options *options,
                              sedge_sweep_command *command)
{
    sweep_state state;
    sedge_status status = read_sweep(&state, comm, options);

    if (status == SEDGE_OK) status = do_each(&state, command);
    close_sweep(&state);
    return status;
}

static sedge_status check_runs(sweep_state *state)
{
    sedge_check_work work = {0};

    if (state->sweep.runs == 0) return sedge_check(state->comm, state->given, &work);
    SEDGE_TRY(sedge_comm_agree(state->comm, check_decks(state)));
    SEDGE_TRY(sedge_comm_agree(state->comm,
                               sedge_comm_is_root(state->comm) ? check_files(state) : SEDGE_OK));
    for (int i = 0; i < state->sweep.runs; i++) {
        SEDGE_TRY(sedge_comm_agree(state->comm, prepare_run(state, i)));
        state->options.quiet = state->options.quiet || i > 0;
        SEDGE_TRY(name_fault(state, i, sedge_check(state->comm, &state->options, &work)));
    }
    if (!state->tells) return SEDGE_OK;
    printf("\nsweep\n");
    for (int i = 0; i < state->sweep.runs; i++) {
        char values[1024];

        SEDGE_TRY(prepare_run(state, i));
        describe_run(values, sizeof values, state);
        printf("  %-18s %s\n", state->name, values);
    }
    printf("  together           %d runs into folders of '%s', the deck above is that of the first",
           state->sweep.runs, state->sweep.output);
    if (work.steps > 0) {
        printf("; %lld steps, about %.3g Gflop and %.3g GB of memory traffic",
               (long long)work.steps, 1e-9 * work.flops, 1e-9 * work.bytes);
    }
    printf("\n");
    return SEDGE_OK;
}

sedge_status sedge_sweep_check(sedge_comm *comm, const sedge_run_options *options)
{
    sweep_state state;
    sedge_status status = read_sweep(&state, comm, options);

    if (status == SEDGE_OK) status = check_runs(&state);
    close_sweep(&state);
    return status;
}
