// Kernel sources by name: embedded in the program, or in the folder that SEDGE_KERNELS names.
#define _DEFAULT_SOURCE // PATH_MAX
#include "text/source.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"
#include "text/embedded.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *name)
{
    const char *const slash = strrchr(name, '/');

    return slash != NULL ? slash + 1 : name;
}

static sedge_status copy_text(char **out, const char *text)
{
    const size_t length = strlen(text);

    SEDGE_TRY(sedge_allocate(out, (int64_t)length + 1, 1));
    memcpy(*out, text, length);
    return SEDGE_OK;
}

// What others could write is not compiled and run.
static sedge_status open_override(int *file, const char *path)
{
    char reason[1024];

    if (sedge_trust_open(file, path) == SEDGE_OK) return SEDGE_OK;
    (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_KERNELS: %s", reason);
}

sedge_status sedge_source_get(char **text, const char *name)
{
    const char *const folder = getenv("SEDGE_KERNELS");
    char path[PATH_MAX];
    size_t length;
    int file;

    *text = NULL;
    if (folder != NULL && folder[0] != '\0') {
        if (snprintf(path, sizeof path, "%s/%s", folder, base_name(name)) >= (int)sizeof path)
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_KERNELS: path too long: '%s'", folder);
        if (access(folder, R_OK | X_OK) != 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_KERNELS='%s' is not a readable folder",
                              folder);
        }
        SEDGE_TRY(open_override(&file, path));
        if (file >= 0) {
            SEDGE_TRY(sedge_file_take(text, &length, file, path, SEDGE_ERR_USAGE));
            if (strlen(*text) == length) return SEDGE_OK;
            sedge_release(*text);
            *text = NULL;
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' is not a text: it holds a NUL byte", path);
        }
    }
    for (const sedge_embedded *row = sedge_embedded_kernels; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0) return copy_text(text, row->text);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "there is no kernel source '%s': neither in this program nor in the folder "
                      "SEDGE_KERNELS",
                      name);
}
