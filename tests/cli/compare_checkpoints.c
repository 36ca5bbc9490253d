// compare_checkpoints A B: how far the fields of two checkpoints lie apart, element by element, as
// JSON on stdout. Reads by HDF5's own interface, nothing of src/run. Coefficients of another basis
// become nodal values where the two files differ in it.
#include "dg/bernstein.h"

#include <hdf5.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    int64_t elements, values; // values of an element
    int64_t order;
    char basis[32]; // as sedge_basis_name
    int64_t *ids;   // [elements]
    double *fields; // [elements][values]
} state;

static bool read_all(hid_t file, const char *path, hid_t type, size_t bytes, void *out,
                     int64_t *first, int64_t *all)
{
    hsize_t extent[8] = {0};
    const hid_t id = H5Dopen2(file, path, H5P_DEFAULT);

    if (id < 0) return false;
    const hid_t space = H5Dget_space(id);
    H5Sget_simple_extent_dims(space, extent, NULL);
    *first = (int64_t)extent[0];
    *all = (int64_t)H5Sget_simple_extent_npoints(space);
    void *const values = malloc((size_t)*all * bytes + 1);
    const bool good =
        values != NULL && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    memcpy(out, &values, sizeof values);
    H5Sclose(space);
    H5Dclose(id);
    return good;
}

// Root's attribute "order" and the basis at /fields, of variable or of fixed length.
static bool read_form(state *out, hid_t file)
{
    const hid_t order = H5Aopen(file, "order", H5P_DEFAULT);
    const hid_t basis = H5Aopen_by_name(file, "/fields", "basis", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = basis < 0 ? -1 : H5Aget_type(basis);
    bool good = order >= 0 && type >= 0 && H5Aread(order, H5T_NATIVE_INT64, &out->order) >= 0;

    if (good && H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        good = H5Aread(basis, type, (void *)&text) >= 0;
        if (good) (void)snprintf(out->basis, sizeof out->basis, "%s", text);
        H5free_memory(text);
    } else if (good) {
        good = H5Tget_size(type) < sizeof out->basis && H5Aread(basis, type, out->basis) >= 0;
    }
    if (type >= 0) H5Tclose(type);
    if (basis >= 0) H5Aclose(basis);
    if (order >= 0) H5Aclose(order);
    return good;
}

static bool make_nodal(state *s)
{
    const int nodes = (int)((s->order + 1) * (s->order + 2) * (s->order + 3) / 6);
    double *const nodal = malloc((size_t)(s->elements * s->values) * sizeof *nodal);
    sedge_element *element = NULL;
    sedge_bernstein *basis = NULL;
    bool good = nodal != NULL && s->values % nodes == 0 &&
                sedge_element_create(&element, (int)s->order) == SEDGE_OK &&
                sedge_bernstein_create(&basis, element) == SEDGE_OK;

    if (good) {
        sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, s->fields,
                                s->elements * s->values / nodes);
        free(s->fields);
        s->fields = nodal;
    } else {
        free(nodal);
    }
    sedge_bernstein_free(basis);
    sedge_element_free(element);
    return good;
}

// Covariant components and vectors of curved elements cannot be compared without the mesh.
static bool make_alike(state *a, state *b)
{
    sedge_basis of_a, of_b;

    if (!sedge_basis_parse(&of_a, a->basis) || !sedge_basis_parse(&of_b, b->basis)) return false;
    if (of_a == of_b) return true;
    if (sedge_basis_is_covariant(of_a) != sedge_basis_is_covariant(of_b)) return false;
    return make_nodal(sedge_basis_of_row(of_a) == SEDGE_NODAL ? b : a);
}

static bool read_state(state *out, const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int64_t ids = 0;
    int64_t values = 0;
    int64_t rows = 0;

    if (file < 0) return false;
    const bool good =
        read_all(file, "/elements", H5T_NATIVE_INT64, 8, &out->ids, &out->elements, &ids) &&
        read_all(file, "/fields", H5T_NATIVE_DOUBLE, 8, &out->fields, &rows, &values) &&
        read_form(out, file);
    H5Fclose(file);
    if (!good || rows != out->elements || rows == 0) return false;
    out->values = values / rows;
    return true;
}

// Where in `s` each element is: [elements]; -1: nowhere.
static int64_t *find_elements(const state *s)
{
    int64_t *const at = malloc((size_t)s->elements * sizeof *at);

    for (int64_t i = 0; at != NULL && i < s->elements; i++) at[i] = -1;
    for (int64_t i = 0; at != NULL && i < s->elements; i++)
        if (s->ids[i] >= 0 && s->ids[i] < s->elements) at[s->ids[i]] = i;
    return at;
}

// Prints the answer; false if an element of `a` is missing in `b`, whose elements are `at`.
static bool print_difference(const state *a, const state *b, const int64_t *at)
{
    double difference = 0.0;
    double largest = 0.0;
    bool equal = true;

    for (int64_t e = 0; e < a->elements; e++) {
        const double *const u = a->fields + e * a->values;

        if (a->ids[e] < 0 || a->ids[e] >= a->elements || at[a->ids[e]] < 0) return false;
        const double *const v = b->fields + at[a->ids[e]] * b->values;
        for (int64_t i = 0; i < a->values; i++) {
            difference = fmax(difference, fabs(u[i] - v[i]));
            largest = fmax(largest, fabs(u[i]));
            equal = equal && memcmp(&u[i], &v[i], sizeof *u) == 0;
        }
    }
    printf("{\"elements\": %lld, \"difference\": %.3g, \"largest\": %.6g, \"equal\": %s}\n",
           (long long)a->elements, difference, largest, equal ? "true" : "false");
    return true;
}

int main(int argc, char **argv)
{
    state a = {0};
    state b = {0};
    bool good = argc == 3 && read_state(&a, argv[1]) && read_state(&b, argv[2]) &&
                a.elements == b.elements && a.values == b.values && make_alike(&a, &b);
    int64_t *const at = good ? find_elements(&b) : NULL;

    good = at != NULL && print_difference(&a, &b, at);
    if (!good)
        (void)fprintf(stderr, "compare_checkpoints A B: cannot read them, or no common shape\n");
    free(at);
    free(a.ids);
    free(a.fields);
    free(b.ids);
    free(b.fields);
    return good ? 0 : 1;
}
