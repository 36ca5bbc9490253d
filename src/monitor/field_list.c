#define _DEFAULT_SOURCE
#include "field_list.h"

#include "base/file.h"
#include "io/h5.h"
#include "monitor/output_folder.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD_TIME "/VTKHDF/FieldData/TimeValue" // in a field file

void sedge_field_list_name(char name[32], int index)
{
    (void)snprintf(name, 32, "fields_%06d.hdf", index);
}

sedge_status sedge_field_list_write(const sedge_output_context *context, int count,
                                    const double *times)
{
    char path[SEDGE_OUTPUT_PATH];
    json_t *const files = json_array();
    json_t *const series = json_pack("{s:s, s:O}", "file-series-version", "1.0", "files", files);
    int failed = files == NULL || series == NULL;

    for (int i = 0; i < count && !failed; i++) {
        char name[32];

        sedge_field_list_name(name, i);
        failed =
            json_array_append_new(files, json_pack("{s:s, s:f}", "name", name, "time", times[i]));
    }
    char *const text = failed ? NULL : json_dumps(series, JSON_INDENT(2));
    json_decref(files);
    json_decref(series);
    if (text == NULL)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the list of %d field files", count);
    sedge_output_path(path, context, "fields.hdf.series");
    const sedge_status status = sedge_file_write(path, text, strlen(text));
    free(text);
    return status;
}

void sedge_field_list_remove(const sedge_output_context *context)
{
    char path[SEDGE_OUTPUT_PATH];

    sedge_output_path(path, context, "fields.hdf.series");
    (void)unlink(path);
}

// As the list at `path` has them.
static sedge_status read_list(const char *path, int64_t count, double *times)
{
    sedge_status status = SEDGE_OK;
    json_error_t error;
    json_t *const series = json_load_file(path, 0, &error);

    if (series == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' cannot be read: line %d: %s", path, error.line,
                          error.text);
    }
    const json_t *const files = json_object_get(series, "files");
    if ((int64_t)json_array_size(files) < count) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA,
                            "'%s' lists %lld field files, but the checkpoint was written after "
                            "%lld",
                            path, (long long)json_array_size(files), (long long)count);
    }
    for (int64_t i = 0; i < count && status == SEDGE_OK; i++) {
        const json_t *const time = json_object_get(json_array_get(files, (size_t)i), "time");
        times[i] = json_number_value(time);
        if (!json_is_number(time))
            status = SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': file %lld has no time", path, (long long)i);
    }
    json_decref(series);
    return status;
}

// As the field files themselves have them.
static sedge_status read_files(const sedge_output_context *context, int64_t count, double *times)
{
    for (int64_t i = 0; i < count; i++) {
        char path[SEDGE_OUTPUT_PATH];
        char name[48];
        int64_t samples = 0;
        sedge_h5 *file = NULL;

        (void)snprintf(name, sizeof name, "fields_%06lld.hdf", (long long)i);
        sedge_output_path(path, context, name);
        SEDGE_TRY(sedge_h5_open_read(&file, path));
        sedge_status status = sedge_h5_shape(file, FIELD_TIME, SEDGE_H5_F64, 1, &samples);
        if (status == SEDGE_OK) {
            status = samples == 1 ? sedge_h5_read(file, FIELD_TIME, SEDGE_H5_F64, 0, 1, &times[i])
                                  : SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld times", path,
                                               (long long)samples);
        }
        SEDGE_TRY(sedge_h5_close(file, status));
        if (!isfinite(times[i]))
            return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has the time %g", path, times[i]);
    }
    return SEDGE_OK;
}

sedge_status sedge_field_list_read(const sedge_output_context *context, int64_t count,
                                   double *times)
{
    char path[SEDGE_OUTPUT_PATH];
    char reason[1024];

    if (count == 0) return SEDGE_OK;
    sedge_output_path(path, context, "fields.hdf.series");
    const sedge_status listed = read_list(path, count, times);
    if (listed != SEDGE_ERR_DATA) return listed;
    (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
    if (read_files(context, count, times) == SEDGE_OK) {
        (void)fprintf(stderr, "sedge: warning: %s; the list is rebuilt from the field files\n",
                      reason);
        (void)fflush(stderr);
        sedge_error_clear();
        return SEDGE_OK;
    }
    char files[1024];
    (void)snprintf(files, sizeof files, "%s", sedge_error_message());
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s; and it cannot be rebuilt from the field files: %s; to begin a new "
                      "list, restart into another --output",
                      reason, files);
}

// The number in "fields_000012.hdf" and in "fields_000012.hdf.tmp"; -1: another name.
static int64_t field_number(const char *name)
{
    char *end = NULL;

    if (strncmp(name, "fields_", 7) != 0 || strspn(name + 7, "0123456789") < 6) return -1;
    const long long number = strtoll(name + 7, &end, 10);
    return strcmp(end, ".hdf") == 0 || strcmp(end, ".hdf.tmp") == 0 ? number : -1;
}

// Of field file number `*what` or a later one?
static bool is_later_field(const char *name, const void *what)
{
    const int64_t number = field_number(name);

    return number >= 0 && number >= *(const int64_t *)what;
}

sedge_status sedge_field_list_cut(const sedge_output_context *context, int64_t count)
{
    return sedge_output_remove(context->deck->output, is_later_field, &count);
}
