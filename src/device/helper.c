#define _GNU_SOURCE // SOCK_CLOEXEC
#include "helper.h"

#include "base/memory.h"
#include "base/trust.h"
#include "device.h"
#include "helper_wire.h"
#include "opencl_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_USUAL = 60 };

// One helper a process, by nature: the one piece of global state here. `owner` tells a forked
// child, which inherits the socket but must not talk over it.
static struct {
    int socket;
    pid_t child;
    pid_t owner;
} helper = {-1, -1, -1};

static bool is_running(void)
{
    return helper.socket >= 0 && helper.owner == getpid();
}

sedge_status sedge_helper_limit_search(void)
{
    const char *const given = getenv("PATH");
    char *folders = NULL;

    if (given == NULL) return SEDGE_OK; // a system's own list
    const size_t size = strlen(given) + 2;
    SEDGE_TRY(sedge_allocate(&folders, (int64_t)size, 1));
    sedge_trust_search(folders, size, given);
    const int failed = setenv("PATH", folders[0] != '\0' ? folders : "/usr/bin:/bin", 1);
    sedge_release(folders);
    return failed == 0 ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for PATH");
}

static _Noreturn void become_helper(int socket)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE};
    const int nothing = open("/dev/null", O_RDWR);

    // Signals are the parent's business; this process ends when the socket does.
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    for (int file = 0; file <= 2 && nothing >= 0; file++) (void)dup2(nothing, file);
    if (sedge_helper_limit_search() == SEDGE_OK)
        sedge_helper_serve(socket); // else its caller finds it gone
    sedge_opencl_folder_remove();
    _exit(0);
}

sedge_status sedge_device_start_helper(void)
{
    int ends[2];

    if (is_running() && waitpid(helper.child, NULL, WNOHANG) == 0) return SEDGE_OK;
    sedge_opencl_prepare();
    if (helper.socket >= 0) (void)close(helper.socket); // a parent's, or of one that died
    helper.socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot start the compiler helper: %s",
                          strerror(errno));
    }
    const pid_t child = fork();
    if (child < 0) {
        const int reason = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot start the compiler helper: %s",
                          strerror(reason));
    }
    if (child == 0) {
        (void)close(ends[0]);
        become_helper(ends[1]);
    }
    (void)close(ends[1]);
    helper.socket = ends[0];
    helper.child = child;
    helper.owner = getpid();
    return SEDGE_OK;
}

void sedge_device_stop_helper(void)
{
    const bool mine = is_running();

    if (helper.socket >= 0) (void)close(helper.socket);
    helper.socket = -1;
    while (mine && waitpid(helper.child, NULL, 0) < 0 && errno == EINTR) continue;
}

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

// A socket of this command's own, whose other end a child of the helper has.
static sedge_status connect_worker(int *socket)
{
    int ends[2];

    *socket = -1;
    if (!is_running()) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "the compiler helper is not running: the program must call "
                          "sedge_device_start_helper before MPI starts");
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot reach the compiler helper: %s",
                          strerror(errno));
    }
    const bool sent = sedge_wire_send_socket(helper.socket, ends[1]);
    (void)close(ends[1]);
    if (!sent) {
        (void)close(ends[0]);
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the compiler helper ended unexpectedly");
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
    if (!send_request(socket, command) || !sedge_wire_receive(socket, &reply, sizeof reply)) {
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
