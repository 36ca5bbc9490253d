#include "whole.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

sedge_status mesh_whole_fail(const char *path, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s is damaged: %s; make it again with 'sedge mesh import'",
                      path, what);
}

sedge_status mesh_whole_check(sedge_h5 *file, const char *path, const char *name,
                              sedge_h5_type type, int rank, const int64_t *expected)
{
    int64_t shape[SEDGE_H5_DIMENSIONS];

    SEDGE_TRY(sedge_h5_shape(file, name, type, rank, shape));
    for (int d = 0; d < rank; d++) {
        if (shape[d] == expected[d]) continue;
        return mesh_whole_fail(path, "%s has %lld entries in dimension %d, and %lld are expected",
                               name, (long long)shape[d], d + 1, (long long)expected[d]);
    }
    return SEDGE_OK;
}

sedge_status mesh_whole_read(sedge_h5 *file, const char *path, const char *name, sedge_h5_type type,
                             int rank, const int64_t *expected, void *data)
{
    bool empty = false;

    SEDGE_TRY(mesh_whole_check(file, path, name, type, rank, expected));
    for (int d = 0; d < rank; d++) empty = empty || expected[d] == 0;
    return empty ? SEDGE_OK : sedge_h5_read(file, name, type, 0, expected[0], data);
}
