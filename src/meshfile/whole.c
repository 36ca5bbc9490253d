#include "whole.h"

#include <stdbool.h>

sedge_status mesh_whole_fail(const char *path, const char *what)
{
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s is damaged: %s; make it again with 'sedge mesh import'",
                      path, what);
}

sedge_status mesh_whole_read(sedge_h5 *file, const char *path, const char *name, sedge_h5_type type,
                             int rank, const int64_t *expected, void *data)
{
    int64_t shape[SEDGE_H5_DIMENSIONS];
    bool empty = false;

    SEDGE_TRY(sedge_h5_shape(file, name, type, rank, shape));
    for (int d = 0; d < rank; d++) {
        if (shape[d] != expected[d])
            return mesh_whole_fail(path, "a dataset has another size than expected");
        empty = empty || shape[d] == 0;
    }
    return empty ? SEDGE_OK : sedge_h5_read(file, name, type, 0, expected[0], data);
}
