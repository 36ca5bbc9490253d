// The helper's side. Plain libc only: it runs beside the solver and shares nothing with it.
#define _GNU_SOURCE
#include "device/helper_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 256, FILE_BYTES_MAX = 256 << 20 };

static const char log_name[] = "compiler.log";

typedef struct helper_request {
    char *words[WORDS_MAX + 1];
    int64_t seconds;
    char *input_name;
    char *input;
    char *output_name;
} helper_request;

bool sedge_wire_send(int socket, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        const ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool sedge_wire_send_text(int socket, const char *text)
{
    const uint64_t length = strlen(text);

    return sedge_wire_send(socket, &length, sizeof length) && sedge_wire_send(socket, text, length);
}

bool sedge_wire_receive(int socket, void *bytes, size_t length)
{
    char *at = bytes;

    while (length > 0) {
        const ssize_t got = recv(socket, at, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

// One byte that carries the socket.
typedef struct wire_message {
    struct msghdr header;
    struct iovec part;
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))]; // one descriptor
} wire_message;

static void prepare_message(wire_message *message)
{
    memset(message, 0, sizeof *message);
    message->part.iov_base = &message->byte;
    message->part.iov_len = 1;
    message->header.msg_iov = &message->part;
    message->header.msg_iovlen = 1;
    message->header.msg_control = message->control;
    message->header.msg_controllen = sizeof message->control;
}

bool sedge_wire_send_socket(int control, int socket)
{
    wire_message message;
    ssize_t sent;

    prepare_message(&message);
    struct cmsghdr *const part = CMSG_FIRSTHDR(&message.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof socket);
    memcpy(CMSG_DATA(part), &socket, sizeof socket);
    do {
        sent = sendmsg(control, &message.header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == 1;
}

// False when the other end is gone. Without a descriptor to spare the system hands over the message
// without its socket, and closes that: `*socket` is -1, and who waits at its other end hears so.
static bool receive_socket(int control, int *socket)
{
    wire_message message;
    ssize_t got;

    *socket = -1;
    do {
        prepare_message(&message);
        got = recvmsg(control, &message.header, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got != 1) return false;
    const struct cmsghdr *const part = CMSG_FIRSTHDR(&message.header);
    if (part != NULL && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
        part->cmsg_len == CMSG_LEN(sizeof *socket))
        memcpy(socket, CMSG_DATA(part), sizeof *socket);
    return true;
}

static bool receive_text(int socket, char **out)
{
    uint64_t length;

    if (!sedge_wire_receive(socket, &length, sizeof length) || length >= SIZE_MAX) return false;
    *out = malloc((size_t)length + 1);
    if (*out == NULL) return false;
    (*out)[length] = '\0';
    return sedge_wire_receive(socket, *out, (size_t)length);
}

static bool receive_request(int socket, helper_request *request)
{
    uint64_t words;

    if (!sedge_wire_receive(socket, &words, sizeof words) || words > WORDS_MAX ||
        !sedge_wire_receive(socket, &request->seconds, sizeof request->seconds))
        return false;
    for (uint64_t i = 0; i < words; i++)
        if (!receive_text(socket, &request->words[i])) return false;
    return receive_text(socket, &request->input_name) && receive_text(socket, &request->input) &&
           receive_text(socket, &request->output_name);
}

static void free_request(helper_request *request)
{
    for (int i = 0; i < WORDS_MAX; i++) free(request->words[i]);
    free(request->input_name);
    free(request->input);
    free(request->output_name);
    memset(request, 0, sizeof *request);
}

static bool write_file(int folder, const char *name, const char *text)
{
    size_t left = strlen(text);
    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0) return false;
    while (left > 0) {
        const ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        text += written;
        left -= (size_t)written;
    }
    return close(file) == 0 && left == 0;
}

// The whole file, or NULL.
static char *read_file(int folder, const char *name, size_t *length)
{
    struct stat about;
    char *bytes = NULL;
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);

    *length = 0;
    if (file < 0) return NULL;
    if (fstat(file, &about) == 0 && about.st_size >= 0) bytes = malloc((size_t)about.st_size + 1);
    while (bytes != NULL && *length < (size_t)about.st_size) {
        const ssize_t got = read(file, bytes + *length, (size_t)about.st_size - *length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *length += (size_t)got;
    }
    (void)close(file);
    return bytes;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)place;
    (void)(kind == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

// With all that the command left in it. Links are not followed.
static void remove_folder(const char *path)
{
    enum { DESCRIPTORS = 8 };

    (void)nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static _Noreturn void become_command(char *const *words, const char *path, int folder, int report)
{
    const struct rlimit file_size = {.rlim_cur = FILE_BYTES_MAX, .rlim_max = FILE_BYTES_MAX};
    static const int restored[] = {SIGQUIT, SIGPIPE, SIGXFSZ};
    const int log = openat(folder, log_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    // SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 stay ignored: the parent decides what they mean.
    // A batch system, or a terminal that closes, sends them to all processes of a job, and the
    // compiler must not fail because of it.
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        (void)signal(restored[i], SIG_DFL);
    // A group of its own, so that all that it starts can be killed.
    (void)setpgid(0, 0);
    (void)setrlimit(RLIMIT_FSIZE, &file_size);
    if (log >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0 && fchdir(folder) == 0 &&
        setenv("LC_ALL", "C", 1) == 0 && setenv("TMPDIR", path, 1) == 0)
        (void)execv(words[0], words);
    const int reason = errno;
    (void)!write(report, &reason, sizeof reason);
    _exit(127);
}

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Wait until the child has ended. Kill it if its time is over, if the other end of the socket
// `asker` is closed, or if the process of the pidfd `parent` has ended. `*state` is waitpid's.
// Returns 0, ETIMEDOUT, ECANCELED or another error number.
static int wait_for(pid_t child, int asker, int parent, int64_t seconds, int *state)
{
    const double end = now() + (double)seconds;
    // Without such a descriptor (before Linux 5.3) it is looked for in short intervals.
    const int ended = (int)syscall(SYS_pidfd_open, child, 0);
    int problem = 0;

    while (problem == 0) {
        struct pollfd about[3] = {{.fd = asker, .events = POLLRDHUP},
                                  {.fd = parent, .events = POLLIN},
                                  {.fd = ended, .events = POLLIN}};
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            problem = errno;
        if (info.si_pid == child) break;
        const double left = end - now();
        if (left <= 0.0) problem = ETIMEDOUT;
        const int interval = ended < 0 ? 10 : left < 60.0 ? (int)(1e3 * left) + 1 : 60000;
        if (problem == 0 && poll(about, 3, interval) > 0 &&
            (about[0].revents != 0 || about[1].revents != 0))
            problem = ECANCELED;
    }
    // Also what it left behind; its number is its own until it is fetched.
    (void)kill(-child, SIGKILL);
    if (problem != 0) (void)kill(child, SIGKILL);
    while (waitpid(child, state, 0) < 0 && errno == EINTR) continue;
    if (ended >= 0) (void)close(ended);
    return problem;
}

// Run the request's words; 0 and `*exit_status`, or the error that kept them from running or
// ending.
static int run_words(const helper_request *request, int asker, int parent, const char *path,
                     int folder, int *exit_status)
{
    int ends[2];
    int reason = 0;
    int state = 0;

    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    const pid_t child = fork();
    if (child == 0) become_command(request->words, path, folder, ends[1]);
    if (child < 0) reason = errno;
    (void)close(ends[1]); // exec closes the other copy: nothing to read then
    while (child > 0 && read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR) continue;
    (void)close(ends[0]);
    if (child < 0) return reason;
    const int problem = wait_for(child, asker, parent, request->seconds, &state);
    if (problem != 0) return problem;
    *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return reason;
}

typedef struct helper_outcome {
    int problem;      // errno, or 0
    const char *step; // in which it came
    int exit_status;
    char *log;
    size_t log_length;
    char *output;
    size_t output_length;
} helper_outcome;

static helper_outcome run_request(const helper_request *request, int asker, int parent)
{
    helper_outcome outcome = {.step = "temporary folder"};
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];

    if (base == NULL || base[0] != '/') base = "/tmp";
    const int length = snprintf(path, sizeof path, "%s/sedge-XXXXXX", base);
    if (length >= (int)sizeof path) outcome.problem = ENAMETOOLONG;
    if (outcome.problem == 0 && mkdtemp(path) == NULL) outcome.problem = errno;
    if (outcome.problem != 0) return outcome;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        outcome.problem = errno;
    } else if (request->input_name[0] != '\0' &&
               !write_file(folder, request->input_name, request->input)) {
        outcome.step = "temporary file";
        outcome.problem = errno;
    } else {
        outcome.step = request->words[0];
        outcome.problem = run_words(request, asker, parent, path, folder, &outcome.exit_status);
    }
    if (outcome.problem == 0) {
        outcome.log = read_file(folder, log_name, &outcome.log_length);
        if (outcome.exit_status == 0 && request->output_name[0] != '\0') {
            outcome.output = read_file(folder, request->output_name, &outcome.output_length);
            outcome.step = request->output_name;
            if (outcome.output == NULL) outcome.problem = ENOENT;
        }
    }
    if (folder >= 0) (void)close(folder);
    remove_folder(path);
    return outcome;
}

static bool send_outcome(int socket, const helper_outcome *outcome, int64_t seconds)
{
    char why[PATH_MAX + 128] = "";
    sedge_helper_reply reply = {.ran = outcome->problem == 0,
                                .exit_status = outcome->exit_status,
                                .log_length = outcome->log != NULL ? outcome->log_length : 0,
                                .output_length = outcome->output_length};

    if (outcome->problem == 0) {
        return sedge_wire_send(socket, &reply, sizeof reply) &&
               sedge_wire_send(socket, outcome->log, reply.log_length) &&
               sedge_wire_send(socket, outcome->output, reply.output_length);
    }
    if (outcome->problem == ETIMEDOUT) {
        (void)snprintf(why, sizeof why, "it did not end within %lld s", (long long)seconds);
    } else {
        (void)snprintf(why, sizeof why, "%s: %s", outcome->step, strerror(outcome->problem));
    }
    reply.log_length = strlen(why);
    reply.output_length = 0;
    return sedge_wire_send(socket, &reply, sizeof reply) &&
           sedge_wire_send(socket, why, reply.log_length);
}

static void serve_one(int socket, int parent)
{
    helper_request request = {.words = {NULL}};

    if (receive_request(socket, &request)) {
        helper_outcome outcome = run_request(&request, socket, parent);
        (void)send_outcome(socket, &outcome, request.seconds);
        free(outcome.log);
        free(outcome.output);
    }
    free_request(&request);
    (void)close(socket);
}

// Wait for a request. False: the parent process has ended. Without a pidfd this is noticed when the
// control socket is closed.
static bool wait_request(int control, int parent)
{
    struct pollfd about[2] = {{.fd = control, .events = POLLIN}, {.fd = parent, .events = POLLIN}};

    while (poll(about, 2, -1) < 0 && errno == EINTR) continue;
    return about[1].revents == 0;
}

void sedge_helper_serve(int control, int parent)
{
    int socket;

    while (wait_request(control, parent) && receive_socket(control, &socket)) {
        if (socket < 0) continue; // lost for want of descriptors
        const pid_t worker = fork();
        if (worker == 0) {
            (void)close(control);
            serve_one(socket, parent);
            _exit(0);
        }
        if (worker < 0) {
            serve_one(socket,
                      parent); // most likely it cannot start the command either, and says so
        } else {
            (void)close(socket);
        }
        while (waitpid(-1, NULL, WNOHANG) > 0) continue; // workers that are done
    }
}
