// The command line: `sedge COMMAND ...`. The only place that prints errors and ends the program.
#define _POSIX_C_SOURCE 200809L // setenv, isatty
#include "base/file.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/option.h"
#include "device/device.h"
#include "halo/transport.h"
#include "io/h5.h"
#include "par/comm.h"
#include "run/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_version(void)
{
    printf("sedge " SEDGE_VERSION "\n");
}

static sedge_status fail_unknown(const char *word)
{
    const char *const near = sedge_command_near(word);

    if (near == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown command '%s'; see sedge --help", word);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "unknown command '%s'; did you mean '%s'?", word, near);
}

// Find out what is to be done. `*print` is what the root prints instead; else `*which` is the
// command, whose help is wanted if `*help`.
static sedge_status read_words(const sedge_command **which, void (**print)(void), bool *help,
                               sedge_arguments *given, int argc, char **argv)
{
    if (argc < 2) return SEDGE_FAIL(SEDGE_ERR_USAGE, "no command; see sedge --help");
    if (strcmp(argv[1], "--version") == 0) *print = print_version;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) *print = sedge_help_print;
    if (*print != NULL) return SEDGE_OK;
    *which = sedge_command_find(argv[1]);
    if (*which == NULL) return fail_unknown(argv[1]);
    return sedge_options_read(given, help, *which, argc - 1, argv + 1);
}

static sedge_status act(sedge_comm *comm, int argc, char **argv, sedge_arguments *given)
{
    const bool root = sedge_comm_is_root(comm);
    const sedge_command *which = NULL;
    void (*print)(void) = NULL;
    const sedge_transport *transport;
    bool help = false;

    // Ranks may have been started with different words.
    SEDGE_TRY(sedge_comm_agree(comm, read_words(&which, &print, &help, given, argc, argv)));
    if (which != NULL && !help) {
        // Whatever the command: long before ranks exchange anything.
        SEDGE_TRY(sedge_comm_agree(comm, sedge_transport_requested(&transport)));
        return which->function(comm, given);
    }
    if (root && print != NULL) print();
    if (root && which != NULL) sedge_help_print_command(which);
    return SEDGE_OK;
}

// ---- main --------------------------------------------------------------------------------------

// MPI looks for devices through hwloc, which would load the drivers of OpenCL and OpenGL for it.
// They take more time than the rest of a start, and nothing here asks MPI about devices.
static void keep_drivers_out(void)
{
    (void)setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0);
}

// The next file that is opened would get the number of a standard stream that is closed, and what
// is printed would go into it: into the helper's socket. Now printing fails.
static void fill_streams(void)
{
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
}

// mpirun gives its programs a terminal even where its own output goes into a file. To be asked
// before MPI starts: it sets these variables for a single process, too.
static bool is_terminal(void)
{
    static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i]) != NULL) return false;
    return isatty(STDOUT_FILENO) == 1;
}

// Does the command work for more than what it prints? Such work does not end with its reader.
static bool is_work(int argc, char **argv)
{
    const sedge_command *const command = argc > 1 ? sedge_command_find(argv[1]) : NULL;

    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) return false;
    return command != NULL && (command->takes & SEDGE_FOR_WORK) != 0;
}

// The last of what was printed. Whose purpose that was fails with it.
static sedge_status end_output(bool works, sedge_status status)
{
    if (works) sedge_print_flush();
    const char *const failure = sedge_print_failure();
    if (works || failure == NULL || status != SEDGE_OK) return status;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write to standard output: %s", failure);
}

int main(int argc, char **argv)
{
    static sedge_arguments given;
    const bool runs = argc > 1 && strcmp(argv[1], "run") == 0;
    sedge_comm *comm = NULL;

    if (runs) sedge_stop_hold(true);
    const bool works = is_work(argc, argv);
    fill_streams();
    if (runs) sedge_stop_listen();
    if (works) (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); // a file that becomes too large is an error with a message
    given.run.start = sedge_clock_of_start();
    given.run.terminal = is_terminal();
    keep_drivers_out();
    sedge_device_prepare_environment();
    sedge_status status = sedge_device_start_helper(); // before MPI_Init: it forks
    if (runs) sedge_stop_hold(false);                  // until the command listens
    if (status == SEDGE_OK) status = sedge_comm_create(&comm, NULL);
    if (status != SEDGE_OK) {
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        return sedge_status_exit_code(status);
    }
    status = act(comm, argc, argv, &given);
    status = end_output(works, status);
    if (status != SEDGE_OK && sedge_comm_is_root(comm)) {
        (void)fprintf(stderr, "sedge: %s\n", sedge_error_message());
        if (given.run.verbose) (void)fprintf(stderr, "  at %s\n", sedge_error_trace());
    }
    const int code = sedge_status_exit_code(status);
    const bool unfinished = status != SEDGE_OK && sedge_h5_is_left_open();
    sedge_options_clear(&given);
    sedge_device_stop_helper();
    if (unfinished && sedge_comm_size(comm) > 1) sedge_comm_abort(comm, code);
    if (!unfinished) sedge_comm_free(comm);
    if (unfinished || sedge_device_is_left_busy()) {
        (void)fflush(NULL);
        _exit(code);
    }
    return code;
}
