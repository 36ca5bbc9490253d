// Errors: a status to return and one message, written where the cause is known.
//
// A function that can fail returns sedge_status. The first failure sets a per-thread message with
// SEDGE_FAIL; callers pass the status on unchanged with SEDGE_TRY, which adds file:line to a short
// trace that `-v` prints. Only main prints the message and ends the program. Messages contain names
// from files, so control characters in them are escaped (shown.h).
#pragma once

#define SEDGE_MUST_USE __attribute__((warn_unused_result))

// Status, documented exit code, meaning.
#define SEDGE_STATUS_LIST(X)                                   \
    X(SEDGE_OK, 0, "done")                                     \
    X(SEDGE_ERR_USAGE, 1, "wrong use, deck or output folder")  \
    X(SEDGE_ERR_DATA, 2, "bad mesh or data file")              \
    X(SEDGE_ERR_DEVICE, 3, "device or compiler trouble")       \
    X(SEDGE_ERR_COMPUTE, 4, "the computation failed")          \
    X(SEDGE_ERR_STOPPED, 5, "stopped early with a checkpoint") \
    X(SEDGE_ERR_MEMORY, 3, "out of memory")                    \
    X(SEDGE_ERR_INTERNAL, 70, "a bug in sedge")

typedef enum sedge_status {
#define SEDGE_STATUS_ENUM(name, code, text) name,
    SEDGE_STATUS_LIST(SEDGE_STATUS_ENUM)
#undef SEDGE_STATUS_ENUM
} sedge_status;

// The exit code that the command line documents for `status`.
int sedge_status_exit_code(sedge_status status);

// What `status` means, as a phrase.
const char *sedge_status_text(sedge_status status);

// The message of this thread's last failure; "" when there was none. Valid until the next failure.
const char *sedge_error_message(void);

// The file:line trail of this thread's last failure, newest last; "" when there was none.
const char *sedge_error_trace(void);

// Replace this thread's message, e.g. by the one that another rank sent. The trace is cleared.
void sedge_error_set(const char *message);

// Forget this thread's message and trace.
void sedge_error_clear(void);

// The first of several failures, where work goes on after one. Starts as {0}.
typedef struct sedge_failure {
    sedge_status status;
    char message[4096];
} sedge_failure;

// Keep `status` with this thread's message if it is a failure, and the first one.
void sedge_failure_keep(sedge_failure *first, sedge_status status);

// The status that was kept. Its message is this thread's message again.
SEDGE_MUST_USE
sedge_status sedge_failure_get(const sedge_failure *first);

// Called by SEDGE_FAIL: format the message, start the trace, return `status`.
__attribute__((format(printf, 4, 5))) sedge_status
sedge_error_raise(sedge_status status, const char *file, int line, const char *format, ...);

// Called by SEDGE_TRY: add a place to the trace, return `status`.
sedge_status sedge_error_pass(sedge_status status, const char *file, int line);

// Both macros use the status itself, not the result of the call that records it, so that static
// analysers know that it is a failure.
#define SEDGE_FAIL(status, ...) \
    ((void)sedge_error_raise((status), __FILE__, __LINE__, __VA_ARGS__), (sedge_status)(status))

// Return from the calling function when `call` fails.
#define SEDGE_TRY(call)                                                   \
    do {                                                                  \
        const sedge_status sedge_try_status = (call);                     \
        if (sedge_try_status != SEDGE_OK) {                               \
            (void)sedge_error_pass(sedge_try_status, __FILE__, __LINE__); \
            return sedge_try_status;                                      \
        }                                                                 \
    } while (0)

// Set `variable` and go to the label `done` when `call` fails. For functions that own something.
#define SEDGE_TRY_GOTO(variable, call)                              \
    do {                                                            \
        (variable) = (call);                                        \
        if ((variable) != SEDGE_OK) {                               \
            (void)sedge_error_pass((variable), __FILE__, __LINE__); \
            goto done;                                              \
        }                                                           \
    } while (0)
