#include "h5_file.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COPY_BYTES (1 << 16) // of a series that are moved at once

// ---- datasets and attributes -------------------------------------------------------------------

static bool has_type(hid_t stored, sedge_h5_type type)
{
    if (type != SEDGE_H5_NUMBERS) return H5Tequal(stored, h5_stored_type(type)) > 0;
    const H5T_class_t kind = H5Tget_class(stored);
    return kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM;
}

sedge_status sedge_h5_shape(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                            int64_t *shape)
{
    hsize_t extent[H5S_MAX_RANK];
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    assert(rank >= 1 && rank <= SEDGE_H5_DIMENSIONS);
    if (id < 0) return h5_damage(file->path);
    const hid_t space = H5Dget_space(id);
    const hid_t stored = H5Dget_type(id);
    const int dimensions = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
    const bool same = stored >= 0 && has_type(stored, type);
    if (stored >= 0) (void)H5Tclose(stored);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Dclose(id);
    if (dimensions != rank || !same) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s is of another type or shape",
                          file->path, path);
    }
    for (int d = 0; d < rank; d++) shape[d] = (int64_t)extent[d];
    return SEDGE_OK;
}

sedge_status sedge_h5_place(sedge_h5 *file, const char *path, int64_t *place)
{
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);
    const haddr_t at = id >= 0 ? H5Dget_offset(id) : HADDR_UNDEF;
    const hid_t space = id >= 0 ? H5Dget_space(id) : H5I_INVALID_HID;
    const bool empty = space >= 0 && H5Sget_simple_extent_npoints(space) == 0;

    if (space >= 0) (void)H5Sclose(space);
    if (id >= 0) (void)H5Dclose(id);
    *place = empty ? 0 : (int64_t)at;
    return empty || at != HADDR_UNDEF ? SEDGE_OK : h5_failure("write", file->path);
}

static bool read_rows(const sedge_h5 *file, hid_t id, hid_t type, int64_t first, int64_t rows,
                      void *data)
{
    hsize_t count[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(id);

    if (space < 0) return false;
    if (H5Sget_simple_extent_npoints(space) == 0) { // HDF5 would look for it at no address
        (void)H5Sclose(space);
        return rows == 0;
    }
    const int rank = H5Sget_simple_extent_dims(space, count, NULL);
    const hid_t memory = rank >= 1 && rank <= SEDGE_H5_DIMENSIONS
                             ? h5_select_rows(space, rank, count, first, rows)
                             : H5I_INVALID_HID;
    const bool good = memory >= 0 && H5Dread(id, type, memory, space, file->transfer, data) >= 0;
    if (memory >= 0) (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return good;
}

sedge_status sedge_h5_read(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t first,
                           int64_t rows, void *data)
{
    char nothing[8]; // HDF5 wants a buffer even for an empty selection
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    if (id < 0) return h5_damage(file->path);
    const bool good =
        read_rows(file, id, h5_memory_type(type), first, rows, rows > 0 ? data : nothing);
    const sedge_status status = good ? SEDGE_OK : h5_damage(file->path);
    (void)H5Dclose(id);
    return status;
}

sedge_status sedge_h5_read_text(sedge_h5 *file, const char *object, const char *name, char *text,
                                size_t size)
{
    const hid_t id = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    char *value = NULL;

    text[0] = '\0';
    if (id < 0) return h5_damage(file->path);
    const hid_t type = H5Aget_type(id);
    const bool good = type >= 0 && H5Tis_variable_str(type) > 0 && H5Aread(id, type, &value) >= 0 &&
                      value != NULL && strlen(value) < size;
    if (good) (void)snprintf(text, size, "%s", value);
    if (value != NULL) (void)H5free_memory(value);
    if (type >= 0) (void)H5Tclose(type);
    (void)H5Aclose(id);
    if (good) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "cannot read '%s': attribute %s of %s is no text of this kind", file->path,
                      name, object);
}

sedge_status sedge_h5_read_reals(sedge_h5 *file, const char *object, const char *name,
                                 double *values, int count, bool *found)
{
    const htri_t there = H5Aexists_by_name(file->id, object, name, H5P_DEFAULT);

    *found = there > 0;
    if (there < 0) return h5_damage(file->path);
    if (there == 0) return SEDGE_OK;
    const hid_t id = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Aget_space(id) : H5I_INVALID_HID;
    const hid_t type = id >= 0 ? H5Aget_type(id) : H5I_INVALID_HID;
    const bool good = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == count &&
                      has_type(type, SEDGE_H5_NUMBERS) &&
                      H5Aread(id, H5T_NATIVE_DOUBLE, values) >= 0;
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    if (id >= 0) (void)H5Aclose(id);
    if (good) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': attribute %s of %s is not %d number%s",
                      file->path, name, object, count, count == 1 ? "" : "s");
}

// ---- series ------------------------------------------------------------------------------------

// A dataset that grows: its lengths, and how many bytes a row has in memory.
typedef struct series_shape {
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    int64_t row_bytes;
    bool whole; // numbers
} series_shape;

// False if the dataset does not grow along its first dimension.
static bool look_at_series(hid_t id, series_shape *out)
{
    hsize_t limit[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(id);
    const hid_t type = H5Dget_type(id);

    out->rank = space >= 0 ? H5Sget_simple_extent_dims(space, out->extent, limit) : -1;
    out->row_bytes = type >= 0 ? (int64_t)H5Tget_size(type) : 0;
    out->whole = type >= 0 && H5Tget_class(type) == H5T_INTEGER;
    for (int d = 1; d < out->rank; d++) out->row_bytes *= (int64_t)out->extent[d];
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    return out->rank >= 1 && limit[0] == H5S_UNLIMITED;
}

static bool same_rows(const series_shape *a, const series_shape *b)
{
    if (a->rank != b->rank || a->row_bytes != b->row_bytes || a->whole != b->whole) return false;
    for (int d = 1; d < a->rank; d++)
        if (a->extent[d] != b->extent[d]) return false;
    return true;
}

// One walk over the series of `walked`, with the other file beside it.
typedef struct series_walk {
    sedge_h5 *walked;
    sedge_h5 *other;
    int64_t rows;
    int left;
    sedge_status status;
} series_walk;

// The other file's dataset of this name if its rows are the same; else < 0.
static hid_t find_namesake(const series_walk *walk, const char *name, const series_shape *shape,
                           series_shape *other)
{
    const hid_t id = H5Dopen2(walk->other->id, name, H5P_DEFAULT);

    if (id >= 0 && look_at_series(id, other) && same_rows(shape, other)) return id;
    if (id >= 0) (void)H5Dclose(id);
    return H5I_INVALID_HID;
}

static void fill_nothing(void *data, const series_shape *shape, int64_t rows, int64_t width)
{
    const int64_t bytes = rows * shape->row_bytes;

    if (shape->whole) {
        memset(data, 0xff, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes / width; i++) {
        if (width == 4) ((float *)data)[i] = NAN;
        if (width == 8) ((double *)data)[i] = (double)NAN;
    }
}

static int64_t number_bytes(hid_t id)
{
    const hid_t type = H5Dget_type(id);
    const int64_t bytes = type >= 0 ? (int64_t)H5Tget_size(type) : 1;

    if (type >= 0) (void)H5Tclose(type);
    return bytes;
}

// Rows of `id` from `namesake` (< 0: nothing), some at a time.
static bool copy_rows(const series_walk *walk, hid_t id, hid_t namesake, const series_shape *shape,
                      void *space, int64_t most)
{
    const hid_t stored = H5Dget_type(id);
    const hid_t type = stored >= 0 ? H5Tget_native_type(stored, H5T_DIR_DEFAULT) : stored;
    hsize_t extent[H5S_MAX_RANK];
    bool good = type >= 0;

    memcpy(extent, shape->extent, sizeof extent);
    extent[0] = (hsize_t)walk->rows;
    good = good && H5Dset_extent(id, extent) >= 0;
    for (int64_t row = 0; row < walk->rows && good; row += most) {
        const int64_t count = walk->rows - row < most ? walk->rows - row : most;
        hsize_t lengths[H5S_MAX_RANK];

        if (namesake >= 0) {
            good = read_rows(walk->other, namesake, type, row, count, space);
        } else {
            fill_nothing(space, shape, count, number_bytes(id));
        }
        memcpy(lengths, shape->extent, sizeof lengths);
        const hid_t to = H5Dget_space(id);
        const hid_t from = h5_select_rows(to, shape->rank, lengths, row, count);
        good =
            good && from >= 0 && H5Dwrite(id, type, from, to, walk->walked->transfer, space) >= 0;
        if (from >= 0) (void)H5Sclose(from);
        if (to >= 0) (void)H5Sclose(to);
    }
    if (type >= 0) (void)H5Tclose(type);
    if (stored >= 0) (void)H5Tclose(stored);
    return good;
}

static sedge_status copy_one(const series_walk *walk, const char *name, hid_t id,
                             const series_shape *shape)
{
    const int64_t most = shape->row_bytes < COPY_BYTES ? COPY_BYTES / shape->row_bytes : 1;
    sedge_status status = SEDGE_OK;
    series_shape old = {0};
    void *space = NULL;
    const hid_t namesake = find_namesake(walk, name, shape, &old);

    if (namesake >= 0 && (int64_t)old.extent[0] < walk->rows) {
        status =
            SEDGE_FAIL(SEDGE_ERR_DATA,
                       "'%s' has %lld samples of /%s, but the checkpoint was written after "
                       "%lld: they do not belong together",
                       walk->other->path, (long long)old.extent[0], name, (long long)walk->rows);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&space, most * shape->row_bytes, 1));
    if (!copy_rows(walk, id, namesake, shape, space, most)) status = h5_damage(walk->other->path);
done:
    sedge_release(space);
    if (namesake >= 0) (void)H5Dclose(namesake);
    return status;
}

// Called for each link of the file that is made: fill its series.
static herr_t visit_new(hid_t group, const char *name, const H5L_info_t *info, void *client)
{
    series_walk *const walk = client;
    series_shape shape = {0};

    if (info->type != H5L_TYPE_HARD) return 0;
    const hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    if (id < 0) return 0; // a group
    if (look_at_series(id, &shape)) walk->status = copy_one(walk, name, id, &shape);
    (void)H5Dclose(id);
    return walk->status == SEDGE_OK ? 0 : 1;
}

// Called for each link of the old file: count the series that the new one has no place for.
static herr_t visit_old(hid_t group, const char *name, const H5L_info_t *info, void *client)
{
    series_walk *const walk = client;
    series_shape shape = {0};
    series_shape other = {0};

    if (info->type != H5L_TYPE_HARD) return 0;
    const hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    if (id < 0) return 0;
    if (look_at_series(id, &shape)) {
        const hid_t namesake = find_namesake(walk, name, &shape, &other);

        if (namesake < 0) walk->left++;
        if (namesake >= 0) (void)H5Dclose(namesake);
    }
    (void)H5Dclose(id);
    return 0;
}

sedge_status sedge_h5_copy_series(sedge_h5 *to, sedge_h5 *from, int64_t rows, int *left)
{
    series_walk walk = {to, from, rows, 0, SEDGE_OK};

    *left = 0;
    if (H5Lvisit(to->id, H5_INDEX_NAME, H5_ITER_NATIVE, visit_new, &walk) < 0 &&
        walk.status == SEDGE_OK)
        return h5_failure("write", to->path);
    SEDGE_TRY(walk.status);
    walk.walked = from;
    walk.other = to;
    if (H5Lvisit(from->id, H5_INDEX_NAME, H5_ITER_NATIVE, visit_old, &walk) < 0)
        return h5_damage(from->path);
    *left = walk.left;
    return SEDGE_OK;
}
