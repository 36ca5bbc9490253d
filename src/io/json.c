#include "io/json.h"

#include "base/file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *sedge_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *sedge_json_text(const char *value)
{
    json_t *const string = value != NULL ? json_string(value) : NULL;

    return string != NULL ? string : json_null();
}

sedge_status sedge_json_write(json_t *const *parts, size_t count, const char *path)
{
    json_t *const whole = json_object();
    bool failed = whole == NULL;

    for (size_t i = 0; i < count; i++) {
        failed = failed || parts[i] == NULL || json_object_update(whole, parts[i]) != 0;
        json_decref(parts[i]);
    }
    char *const bytes = failed ? NULL : json_dumps(whole, JSON_INDENT(2));
    json_decref(whole);
    if (bytes == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for '%s'", path);
    const size_t length = strlen(bytes);
    bytes[length] = '\n'; // in place of the NUL, which is not written
    const sedge_status status = sedge_file_write(path, bytes, length + 1);
    free(bytes);
    return status;
}
