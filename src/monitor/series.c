// Files of series: new ones, and those that a run goes on with, cut to where its checkpoint was
// written. A file is made under another name and takes its own when it is whole: a killed run
// leaves none that is only begun. HDF5 cannot cut a file that such a run left open for writing, and
// a run which ends meanwhile finds the old one.
#define _DEFAULT_SOURCE
#include "series.h"

#include "base/file.h"
#include "monitor/output_folder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// `path` NULL: there is no old one.
static sedge_status fill_series(const char *temporary, const char *path, int64_t bytes,
                                int64_t rows, sedge_series_maker *maker, const void *what,
                                int *left)
{
    sedge_h5 *file = NULL;
    sedge_h5 *old = NULL;

    SEDGE_TRY(sedge_h5_create_series(&file, temporary, bytes));
    sedge_status status = maker(what, file);
    if (status == SEDGE_OK && path != NULL) {
        status = sedge_h5_open_read(&old, path);
        if (status == SEDGE_OK) status = sedge_h5_copy_series(file, old, rows, left);
    }
    status = sedge_h5_close(old, status);
    return sedge_h5_close(file, status);
}

// Series that have no place in the new file stay in the old one, under another name.
static sedge_status keep_old(const sedge_output_context *context, const char *path)
{
    char kept[SEDGE_OUTPUT_PATH + 32];

    (void)snprintf(kept, sizeof kept, "%s.before-%lld", path, (long long)context->first_step);
    if (link(path, kept) == 0 || errno == EEXIST) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", kept, strerror(errno));
}

sedge_status sedge_series_make(const sedge_output_context *context, const char *name, int64_t bytes,
                               int64_t rows, sedge_series_maker *maker, const void *what)
{
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];
    struct stat about = {0};
    int left = 0;

    sedge_output_path(path, context, name);
    const bool there = context->continues && stat(path, &about) == 0;
    if (!there && rows > 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' is missing, of which the checkpoint knows %lld samples: to begin "
                          "new series, restart into another --output",
                          path, (long long)rows);
    }
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    sedge_status status = fill_series(temporary, there ? path : NULL,
                                      bytes + (int64_t)about.st_size, rows, maker, what, &left);
    if (status == SEDGE_OK && left > 0) status = keep_old(context, path);
    if (status == SEDGE_OK) return sedge_file_publish(temporary, path);
    (void)unlink(temporary);
    return status;
}

sedge_status sedge_series_load(int64_t *samples, const json_t *memory, const char *name)
{
    const json_t *const value = json_object_get(memory, "samples");

    *samples = json_integer_value(value);
    if (memory == NULL || (json_is_integer(value) && *samples >= 0)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "the checkpoint is damaged: it does not tell how many samples the monitor "
                      "'%s' had",
                      name);
}

sedge_status sedge_series_save(int64_t samples, json_t *memory, const char *name)
{
    if (json_object_set_new(memory, "samples", json_integer(samples)) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the monitor '%s'", name);
}
