// What the kinds of device share: kept sources, compiler messages, the trace.
#define _DEFAULT_SOURCE // PATH_MAX
#include "device/backend.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool switched_on(const char *variable)
{
    const char *const value = getenv(variable);

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

bool sedge_trace_requested(void)
{
    return switched_on("SEDGE_TRACE");
}

bool sedge_nvtx_requested(void)
{
    return switched_on("SEDGE_NVTX");
}

bool sedge_debug_requested(void)
{
    return switched_on("SEDGE_DEBUG");
}

sedge_status sedge_order_requested(bool *random, uint64_t *seed)
{
    const char *const wish = getenv("SEDGE_ORDER");
    char *end = NULL;

    *random = false;
    *seed = 0;
    if (wish == NULL || wish[0] == '\0' || strcmp(wish, "fixed") == 0) return SEDGE_OK;
    *random = true;
    if (strcmp(wish, "random") == 0) return SEDGE_OK;
    if (strncmp(wish, "random:", 7) == 0 && wish[7] >= '0' && wish[7] <= '9') {
        errno = 0;
        *seed = strtoull(wish + 7, &end, 10);
        if (*end == '\0' && errno == 0 && *seed > 0) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "SEDGE_ORDER='%s' is not fixed, random or random:SEED with SEED in 1..2^64-1",
                      wish);
}

void sedge_trace(const char *call, double began, const char *format, ...)
{
    const double microseconds = 1e6 * (sedge_clock() - began);
    char details[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(details, sizeof details, format, args);
    va_end(args);
    (void)fprintf(stderr, "sedge trace: %s(%s) %.1f us\n", call, details, microseconds);
}

sedge_status sedge_keep_source(const char *source, const char *name, const char *extension)
{
    const char *folder = getenv("SEDGE_KEEP");
    char path[PATH_MAX];

    if ((folder == NULL || folder[0] == '\0') && sedge_debug_requested()) folder = "sedge-kept";
    if (folder == NULL || folder[0] == '\0' || name == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_folder_make(folder));
    const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
    if (length < 0 || length >= (int)sizeof path)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_KEEP: path too long: '%s'", folder);
    for (char *at = path + strlen(folder) + 1; *at != '\0'; at++)
        if (*at == '/') *at = '_';
    return sedge_file_write(path, source, strlen(source));
}

sedge_status sedge_compile_failure(const char *what, const char *name, const char *log)
{
    enum { LONGEST = 2400 }; // what fits beside the rest of a message
    const char *first = strstr(log, "error");

    if (first == NULL) first = log;
    while (first > log && first[-1] != '\n') first--;
    size_t length = strlen(first);
    if (length > LONGEST) {
        length = LONGEST;
        while (length > 0 && first[length - 1] != '\n') length--;
        if (length == 0) length = LONGEST;
    }
    while (length > 0 && first[length - 1] == '\n') length--;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s cannot compile '%s':\n%.*s", what,
                      name != NULL ? name : "source", (int)length, first);
}
