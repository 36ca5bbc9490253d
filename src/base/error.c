#include "error.h"

#include "shown.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[4096];
static _Thread_local char last_trace[2048];

int sedge_status_exit_code(sedge_status status)
{
    static const int codes[] = {
#define CODE(name, code, text) code,
        SEDGE_STATUS_LIST(CODE)
#undef CODE
    };
    return codes[status];
}

const char *sedge_status_text(sedge_status status)
{
    static const char *const texts[] = {
#define TEXT(name, code, text) text,
        SEDGE_STATUS_LIST(TEXT)
#undef TEXT
    };
    return texts[status];
}

const char *sedge_error_message(void)
{
    return last_message;
}

const char *sedge_error_trace(void)
{
    return last_trace;
}

void sedge_error_set(const char *message)
{
    char copy[sizeof last_message]; // it may be the message itself

    (void)snprintf(copy, sizeof copy, "%s", message);
    sedge_shown(last_message, sizeof last_message, copy);
    last_trace[0] = '\0';
}

void sedge_error_clear(void)
{
    last_message[0] = '\0';
    last_trace[0] = '\0';
}

void sedge_failure_keep(sedge_failure *first, sedge_status status)
{
    if (status == SEDGE_OK || first->status != SEDGE_OK) return;
    first->status = status;
    (void)snprintf(first->message, sizeof first->message, "%s", last_message);
}

sedge_status sedge_failure_get(const sedge_failure *first)
{
    if (first->status != SEDGE_OK && strcmp(first->message, last_message) != 0)
        sedge_error_set(first->message);
    return first->status;
}

sedge_status sedge_error_raise(sedge_status status, const char *file, int line, const char *format,
                               ...)
{
    char message[sizeof last_message];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sedge_shown(last_message, sizeof last_message, message);
    last_trace[0] = '\0';
    return sedge_error_pass(status, file, line);
}

sedge_status sedge_error_pass(sedge_status status, const char *file, int line)
{
    const char *const slash = strrchr(file, '/');
    const size_t used = strlen(last_trace);

    (void)snprintf(last_trace + used, sizeof last_trace - used, "%s%s:%d", used > 0 ? " < " : "",
                   slash != NULL ? slash + 1 : file, line);
    return status;
}
