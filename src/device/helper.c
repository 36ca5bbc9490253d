#define _GNU_SOURCE // SOCK_CLOEXEC, syscall
#include "device/helper.h"

#include "base/memory.h"
#include "base/trust.h"
#include "device/device.h"
#include "device/helper_wire.h"
#include "device/limit.h"
#include "device/opencl_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_USUAL = 60 };

// One helper a process, by nature: the one piece of global state here. `owner` tells a forked
// child, which inherits the socket but must not talk over it. The mutex `guard` protects all of it.
// A thread with a command for the helper locks it only while it
// sends a socket.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int socket;
    pid_t child;
    pid_t owner;
} helper = {-1, -1, -1};

static bool is_running(void)
{
    return helper.socket >= 0 && helper.owner == getpid();
}

// Remove from PATH, in the helper, the folders in which everybody may create files, because a
// compiler searches PATH for its components.
static sedge_status limit_search(void)
{
    const char *const given = getenv("PATH");
    sedge_status status = SEDGE_OK;
    char *folders = NULL;

    if (given == NULL) return SEDGE_OK; // a system's own list
    const size_t size = strlen(given) + 2;
    SEDGE_TRY(sedge_allocate(&folders, (int64_t)size, 1));
    sedge_trust_search(folders, size, given);
    const char *const left = folders[0] != '\0' ? folders : "/usr/bin:/bin";
    if (strcmp(left, given) != 0 && setenv("PATH", left, 1) != 0)
        status = SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for PATH");
    sedge_release(folders);
    return status;
}

// ---- start and stop ----------------------------------------------------------------------------

// Close all files above `last`: inherited files would stay open, locked or connected in the helper
// after its parent has closed them.
static void close_files(int last)
{
    const unsigned first = (unsigned)last + 1;

    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    const long most = sysconf(_SC_OPEN_MAX); // before Linux 5.9
    for (long file = first; file < most; file++) (void)close((int)file);
}

// `parent` is a file that tells when this process's parent is gone, or -1.
static _Noreturn void become_helper(int socket, int parent)
{
    enum { SOCKET = 3, PARENT = 4, WAIT_MILLISECONDS = 200 };
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE};
    const int nothing = open("/dev/null", O_RDWR);

    // Signals are the parent's business; this process ends when the socket or the parent does.
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    for (int file = 0; file <= 2 && nothing >= 0; file++) (void)dup2(nothing, file);
    // Above the places that they get.
    const int control = fcntl(socket, F_DUPFD_CLOEXEC, PARENT + 1);
    const int watched = parent >= 0 ? fcntl(parent, F_DUPFD_CLOEXEC, PARENT + 1) : -1;
    if (control < 0 || dup3(control, SOCKET, O_CLOEXEC) < 0) _exit(1);
    if (watched >= 0 && dup3(watched, PARENT, O_CLOEXEC) < 0) _exit(1);
    close_files(watched >= 0 ? PARENT : SOCKET);
    struct pollfd end = {.fd = watched >= 0 ? PARENT : -1, .events = POLLIN};
    if (limit_search() == SEDGE_OK) sedge_helper_serve(SOCKET, end.fd); // else it is found gone
    // A parent that is dying has closed the socket, and may not have let go of its folder yet.
    if (!sedge_opencl_folder_remove()) {
        (void)poll(&end, 1, WAIT_MILLISECONDS);
        (void)sedge_opencl_folder_remove();
    }
    _exit(0);
}

static sedge_status fail_start(int reason)
{
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot start the compiler helper: %s", strerror(reason));
}

static sedge_status start_helper(void)
{
    int ends[2];

    if (is_running() && waitpid(helper.child, NULL, WNOHANG) == 0) return SEDGE_OK;
    sedge_opencl_choose_folder();
    if (helper.socket >= 0) (void)close(helper.socket); // a parent's, or of one that died
    helper.socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return fail_start(errno);
    // Opened here, it cannot mean another process that got this one's number.
    const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    const pid_t child = fork();
    const int reason = errno;
    if (child == 0) become_helper(ends[1], self);
    (void)close(ends[1]);
    if (self >= 0) (void)close(self);
    if (child < 0) {
        (void)close(ends[0]);
        return fail_start(reason);
    }
    helper.socket = ends[0];
    helper.child = child;
    helper.owner = getpid();
    return SEDGE_OK;
}

sedge_status sedge_device_start_helper(void)
{
    (void)pthread_mutex_lock(&guard);
    const sedge_status status = start_helper();
    (void)pthread_mutex_unlock(&guard);
    return status;
}

void sedge_device_stop_helper(void)
{
    (void)pthread_mutex_lock(&guard);
    const bool mine = is_running();

    if (helper.socket >= 0) (void)close(helper.socket);
    helper.socket = -1;
    while (mine && waitpid(helper.child, NULL, 0) < 0 && errno == EINTR) continue;
    (void)pthread_mutex_unlock(&guard);
}

// ---- commands ----------------------------------------------------------------------------------

static bool send_request(int socket, const sedge_helper_command *command)
{
    const char *const texts[] = {command->input_name, command->input, command->output_name};
    const int64_t seconds = command->seconds > 0 ? command->seconds : SECONDS_USUAL;
    uint64_t words = 0;

    while (command->argv[words] != NULL) words++;
    if (!sedge_wire_send(socket, &words, sizeof words) ||
        !sedge_wire_send(socket, &seconds, sizeof seconds))
        return false;
    for (uint64_t i = 0; i < words; i++)
        if (!sedge_wire_send_text(socket, command->argv[i])) return false;
    for (int i = 0; i < 3; i++)
        if (!sedge_wire_send_text(socket, texts[i] != NULL ? texts[i] : "")) return false;
    return true;
}

// Hand `end` over to the helper.
static sedge_status send_end(int end)
{
    sedge_status status = SEDGE_OK;

    (void)pthread_mutex_lock(&guard);
    if (!is_running()) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE,
                            "the compiler helper is not running: the program must call "
                            "sedge_device_start_helper before MPI starts");
    } else if (!sedge_wire_send_socket(helper.socket, end)) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "the compiler helper ended unexpectedly");
    }
    (void)pthread_mutex_unlock(&guard);
    return status;
}

// A socket of this command's own, whose other end a child of the helper has.
static sedge_status connect_worker(int *socket)
{
    int ends[2];

    *socket = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot reach the compiler helper: %s",
                          strerror(errno));
    }
    const sedge_status status = send_end(ends[1]);
    (void)close(ends[1]);
    if (status != SEDGE_OK) {
        (void)close(ends[0]);
        return status;
    }
    *socket = ends[0];
    return SEDGE_OK;
}

static sedge_status receive_part(int socket, void **out, uint64_t length)
{
    sedge_status status;
    char *part = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&part, (int64_t)length + 1, 1));
    if (!sedge_wire_receive(socket, part, length)) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "the compiler helper ended unexpectedly");
        goto done;
    }
    *out = part;
    part = NULL;
done:
    sedge_release(part);
    return status;
}

// Wait for the reply. False if the wait was given up; closing the socket then ends the command.
static bool wait_reply(int socket, const sedge_patience *patience)
{
    struct pollfd reply = {.fd = socket, .events = POLLIN};

    while (!sedge_patience_is_over(patience)) {
        const int ready = poll(&reply, 1, SEDGE_LIMIT_LOOK);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    }
    return false;
}

sedge_status sedge_helper_run(const sedge_helper_command *command, int *exit_status,
                              sedge_text *log, void **out, size_t *length)
{
    sedge_status status = SEDGE_OK;
    sedge_helper_reply reply;
    int socket = -1;
    void *printed = NULL;
    void *file = NULL;

    *out = NULL;
    *length = 0;
    *exit_status = -1;
    SEDGE_TRY(connect_worker(&socket));
    const sedge_patience patience = sedge_patience_begin(command->output_name != NULL);
    const bool sent = send_request(socket, command);
    if (sent && !wait_reply(socket, &patience)) {
        status = sedge_limit_stopped(command->argv[0]);
        goto done;
    }
    if (!sent || !sedge_wire_receive(socket, &reply, sizeof reply)) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE,
                            "the compiler helper ended unexpectedly, or has no file descriptor "
                            "left (ulimit -n)");
        goto done;
    }
    SEDGE_TRY_GOTO(status, receive_part(socket, &printed, reply.log_length));
    SEDGE_TRY_GOTO(status, receive_part(socket, &file, reply.output_length));
    if (!reply.ran) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot run '%s': %s", command->argv[0],
                            (const char *)printed);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(log, printed, reply.log_length));
    *exit_status = reply.exit_status;
    if (reply.exit_status == 0 && command->output_name != NULL) {
        *out = file;
        *length = reply.output_length;
        file = NULL;
    }
done:
    sedge_release(printed);
    sedge_release(file);
    (void)close(socket);
    return status;
}
