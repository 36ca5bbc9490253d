#include "h5_file.h"

#include <assert.h>
#include <string.h>

// The compound {r, i} of two numbers of a type. Made once a process, as HDF5's own types are.
static hid_t complex_type(hid_t *made, hid_t part)
{
    const size_t size = H5Tget_size(part);

    if (*made > 0) return *made;
    *made = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (*made >= 0 && (H5Tinsert(*made, "r", 0, part) < 0 || H5Tinsert(*made, "i", size, part) < 0))
        *made = H5I_INVALID_HID;
    return *made;
}

hid_t h5_stored_type(sedge_h5_type type)
{
    static hid_t complex = 0;

    switch (type) {
    case SEDGE_H5_F32:
        return H5T_IEEE_F32LE;
    case SEDGE_H5_F64:
        return H5T_IEEE_F64LE;
    case SEDGE_H5_I32:
        return H5T_STD_I32LE;
    case SEDGE_H5_I64:
        return H5T_STD_I64LE;
    case SEDGE_H5_U8:
        return H5T_STD_U8LE;
    case SEDGE_H5_COMPLEX:
        return complex_type(&complex, H5T_IEEE_F64LE);
    case SEDGE_H5_NUMBERS:
        break;
    }
    return H5I_INVALID_HID;
}

hid_t h5_memory_type(sedge_h5_type type)
{
    static hid_t complex = 0;

    switch (type) {
    case SEDGE_H5_F32:
    case SEDGE_H5_NUMBERS:
        return H5T_NATIVE_FLOAT;
    case SEDGE_H5_F64:
        return H5T_NATIVE_DOUBLE;
    case SEDGE_H5_I32:
        return H5T_NATIVE_INT32;
    case SEDGE_H5_I64:
        return H5T_NATIVE_INT64;
    case SEDGE_H5_U8:
        return H5T_NATIVE_UINT8;
    case SEDGE_H5_COMPLEX:
        return complex_type(&complex, H5T_NATIVE_DOUBLE);
    }
    return H5I_INVALID_HID;
}

// ---- groups, links, attributes -----------------------------------------------------------------

sedge_status sedge_h5_group(sedge_h5 *file, const char *path)
{
    const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    if (group < 0 || H5Gclose(group) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

sedge_status sedge_h5_link(sedge_h5 *file, const char *path, const char *target_file,
                           const char *target_path)
{
    if (H5Lcreate_external(target_file, target_path, file->id, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return h5_failure("write", file->path);
    return SEDGE_OK;
}

// Write an attribute of `stored` type: a scalar for count < 0. Closes `stored` if `owned`.
static sedge_status attribute(sedge_h5 *file, const char *object, const char *name, hid_t stored,
                              hid_t memory, int count, const void *data)
{
    const hsize_t length = (hsize_t)(count < 0 ? 1 : count);
    const hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, NULL);
    hid_t id = H5I_INVALID_HID;

    if (space >= 0) {
        id = H5Acreate_by_name(file->id, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
    }
    bool good = id >= 0 && H5Awrite(id, memory, data) >= 0;
    if (id >= 0) good = H5Aclose(id) >= 0 && good;
    if (space >= 0) (void)H5Sclose(space);
    return good ? SEDGE_OK : h5_failure("write", file->path);
}

static sedge_status text_attribute(sedge_h5 *file, const char *object, const char *name, int count,
                                   const char *const *texts)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)
        return h5_failure("write", file->path);
    const sedge_status status = attribute(file, object, name, type, type, count, texts);
    (void)H5Tclose(type);
    return status;
}

sedge_status sedge_h5_text(sedge_h5 *file, const char *object, const char *name, const char *text)
{
    return text_attribute(file, object, name, -1, &text);
}

sedge_status sedge_h5_texts(sedge_h5 *file, const char *object, const char *name,
                            const char *const *texts, int count)
{
    return text_attribute(file, object, name, count, texts);
}

sedge_status sedge_h5_ascii(sedge_h5 *file, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (type < 0 || H5Tset_size(type, strlen(text)) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
        return h5_failure("write", file->path);
    const sedge_status status = attribute(file, object, name, type, type, -1, text);
    (void)H5Tclose(type);
    return status;
}

sedge_status sedge_h5_real(sedge_h5 *file, const char *object, const char *name, double value)
{
    return attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, &value);
}

sedge_status sedge_h5_reals(sedge_h5 *file, const char *object, const char *name,
                            const double *values, int count)
{
    return attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

sedge_status sedge_h5_integer(sedge_h5 *file, const char *object, const char *name, int64_t value)
{
    return attribute(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, -1, &value);
}

sedge_status sedge_h5_integers(sedge_h5 *file, const char *object, const char *name,
                               const int64_t *values, int count)
{
    return attribute(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

// ---- datasets ----------------------------------------------------------------------------------

sedge_status sedge_h5_dataset(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                              const int64_t *shape)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS];
    hid_t id = H5I_INVALID_HID;

    assert(rank >= 1 && rank <= SEDGE_H5_DIMENSIONS);
    for (int d = 0; d < rank; d++) extent[d] = (hsize_t)shape[d];
    const hid_t space = H5Screate_simple(rank, extent, NULL);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    // All of it is written later: filling it first would double the traffic.
    if (space >= 0 && create >= 0 && H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY) >= 0) {
        id = H5Dcreate2(file->id, path, h5_stored_type(type), space, H5P_DEFAULT, create,
                        H5P_DEFAULT);
    }
    if (create >= 0) (void)H5Pclose(create);
    if (space >= 0) (void)H5Sclose(space);
    if (id < 0 || H5Dclose(id) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

hid_t h5_select_rows(hid_t space, int rank, hsize_t *count, int64_t first, int64_t rows)
{
    hsize_t start[SEDGE_H5_DIMENSIONS] = {(hsize_t)first};

    count[0] = (hsize_t)rows;
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    bool good = memory >= 0;
    if (rows > 0) {
        good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    } else {
        good = good && H5Sselect_none(space) >= 0 && H5Sselect_none(memory) >= 0;
    }
    if (good) return memory;
    if (memory >= 0) (void)H5Sclose(memory);
    return H5I_INVALID_HID;
}

// Write rows [first, first + rows) of the open dataset `id`.
static bool write_rows(const sedge_h5 *file, hid_t id, sedge_h5_type type, int64_t first,
                       int64_t rows, const void *data)
{
    hsize_t count[SEDGE_H5_DIMENSIONS] = {0};
    const hid_t space = H5Dget_space(id);

    if (space < 0) return false;
    const int rank = H5Sget_simple_extent_dims(space, count, NULL);
    assert(rank >= 1 && rank <= SEDGE_H5_DIMENSIONS);
    const hid_t memory = h5_select_rows(space, rank, count, first, rows);
    const bool good =
        memory >= 0 && H5Dwrite(id, h5_memory_type(type), memory, space, file->transfer, data) >= 0;
    if (memory >= 0) (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return good;
}

sedge_status sedge_h5_write(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t first,
                            int64_t rows, const void *data)
{
    static const char nothing[8] = {0}; // HDF5 wants a buffer even for an empty selection
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    if (id < 0) return h5_failure("write", file->path);
    const bool written = write_rows(file, id, type, first, rows, rows > 0 ? data : nothing);
    const sedge_status status = written ? SEDGE_OK : h5_failure("write", file->path);
    if (H5Dclose(id) < 0 && written) return h5_failure("write", file->path);
    return status;
}

sedge_status sedge_h5_put(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                          const int64_t *shape, const void *data)
{
    SEDGE_TRY(sedge_h5_dataset(file, path, type, rank, shape));
    return sedge_h5_write(file, path, type, 0, shape[0], data);
}

sedge_status sedge_h5_series(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                             const int64_t *shape, int64_t chunk_rows)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS] = {0};
    hsize_t limit[SEDGE_H5_DIMENSIONS] = {H5S_UNLIMITED};
    hsize_t chunk[SEDGE_H5_DIMENSIONS] = {(hsize_t)chunk_rows};
    hid_t id = H5I_INVALID_HID;

    assert(rank >= 0 && rank < SEDGE_H5_DIMENSIONS);
    for (int d = 0; d < rank; d++) {
        extent[d + 1] = (hsize_t)shape[d];
        limit[d + 1] = extent[d + 1];
        chunk[d + 1] = extent[d + 1];
    }
    const hid_t space = H5Screate_simple(rank + 1, extent, limit);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && create >= 0 && H5Pset_chunk(create, rank + 1, chunk) >= 0) {
        id = H5Dcreate2(file->id, path, h5_stored_type(type), space, H5P_DEFAULT, create,
                        H5P_DEFAULT);
    }
    if (create >= 0) (void)H5Pclose(create);
    if (space >= 0) (void)H5Sclose(space);
    if (id < 0 || H5Dclose(id) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

sedge_status sedge_h5_extend(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t rows,
                             const void *data)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS];
    sedge_status status = SEDGE_OK;
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    if (id < 0) return h5_failure("write", file->path);
    const hid_t space = H5Dget_space(id);
    bool good = space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) >= 1;
    if (space >= 0) (void)H5Sclose(space);
    if (good && rows > 0) {
        const int64_t first = (int64_t)extent[0];

        extent[0] += (hsize_t)rows;
        good = H5Dset_extent(id, extent) >= 0 && write_rows(file, id, type, first, rows, data);
    }
    if (!good) status = h5_failure("write", file->path);
    if (H5Dclose(id) < 0 && good) status = h5_failure("write", file->path);
    return status;
}
