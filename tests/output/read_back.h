// Reading HDF5 files in tests, by one rank, with HDF5's own C interface: nothing of src/io/h5.h.
#pragma once

#include "check.h"

#include <hdf5.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct read_array {
    int rank;
    hsize_t shape[8];
    int64_t size; // product of the shape
    int bytes;    // of one stored number
    double *values;
} read_array;

// The whole dataset `path` as doubles; size -1 if there is none.
__attribute__((unused)) static read_array read_dataset(hid_t file, const char *path)
{
    read_array array = {0};
    const hid_t id = H5Dopen2(file, path, H5P_DEFAULT);

    array.size = -1;
    if (id < 0) return array;
    const hid_t space = H5Dget_space(id);
    const hid_t type = H5Dget_type(id);
    array.rank = H5Sget_simple_extent_dims(space, array.shape, NULL);
    array.bytes = (int)H5Tget_size(type);
    array.size = (int64_t)H5Sget_simple_extent_npoints(space);
    array.values = calloc((size_t)array.size + 1, sizeof *array.values);
    if (array.values == NULL ||
        H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values) < 0)
        array.size = -1;
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(id);
    return array;
}

__attribute__((unused)) static void read_free(read_array *array)
{
    free(array->values);
    array->values = NULL;
}

// A text attribute of variable length into `text`; "" if it is missing.
__attribute__((unused)) static void read_text(hid_t file, const char *object, const char *name,
                                              char text[256])
{
    char *value = NULL;

    text[0] = '\0';
    const hid_t at = H5Oopen(file, object, H5P_DEFAULT); // H5Aexists_by_name follows no links
    if (at < 0) return;
    const hid_t id = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    if (id >= 0) {
        const hid_t type = H5Aget_type(id);

        if (H5Tis_variable_str(type) > 0 && H5Aread(id, type, &value) >= 0 && value != NULL) {
            (void)strncat(text, value, 255);
            (void)H5free_memory(value);
        }
        H5Tclose(type);
        H5Aclose(id);
    }
    H5Oclose(at);
}

#define CHECK_TEXT(file, object, name, wanted)           \
    do {                                                 \
        char check_text[256];                            \
        read_text((file), (object), (name), check_text); \
        CHECK(strcmp(check_text, (wanted)) == 0);        \
    } while (0)

// `count` numbers of an attribute into `values`.
__attribute__((unused)) static void read_numbers(hid_t file, const char *object, const char *name,
                                                 double *values, int count)
{
    const hid_t id = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);

    for (int i = 0; i < count; i++) values[i] = (double)NAN;
    CHECK(id >= 0);
    if (id < 0) return;
    const hid_t space = H5Aget_space(id);
    CHECK(H5Sget_simple_extent_npoints(space) == count);
    if (H5Sget_simple_extent_npoints(space) == count)
        CHECK(H5Aread(id, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Sclose(space);
    H5Aclose(id);
}

__attribute__((unused)) static hid_t read_open(const char *path)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}
