#include "sweep_ports.h"

#include "base/file.h"
#include "base/memory.h"
#include "network/table.h"
#include "network/touchstone.h"
#include "run/sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define J              ((double complex)_Complex_I)
#define SHOWN_PORTS    4 // of a matrix in the user's table
#define SHOWN_MATRICES 8

// All matrices of a sweep.
typedef struct matrices {
    const json_t *rows;
    const sedge_sweep *sweep;
    int count;
    int *of_row;    // [rows] number of the run's matrix; -1: the run drives no port
    json_t *values; // [count] the values of the runs, without the driven port
    sedge_text *table;
} matrices;

// One matrix.
typedef struct matrix {
    const json_t *first; // its first run
    sedge_network network;
    sedge_network_port *port;
    double *frequency;
    double complex *s;
    double complex *incident; // as s: the waves that enter, by the one that drives
    bool *driven;             // [ports] a run drives the port
} matrix;

static const json_t *ports_of(const json_t *row)
{
    return json_object_get(json_object_get(row, "monitors"), "ports");
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

// ---- which runs belong together ----------------------------------------------------------------

// Take the driven port out of the values of the swept `key`. True: the key has no other value.
static bool remove_port(const char *key, json_t *value)
{
    static const char section[] = "sources";
    static const char surface[] = ".surface";
    const size_t length = strlen(key);

    if (strncmp(key, section, strlen(section)) != 0) return false;
    if (length > strlen(surface) && strcmp(key + length - strlen(surface), surface) == 0)
        return true;
    (void)json_object_del(value, surface + 1);          // of sources.0
    for (size_t i = 0; i < json_array_size(value); i++) // of sources
        (void)json_object_del(json_array_get(value, i), surface + 1);
    return false;
}

// The values of a run without the driven port. NULL: out of memory.
static json_t *other_values(const json_t *row)
{
    json_t *const values = json_deep_copy(json_object_get(row, "values"));
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;

    json_object_foreach_safe(values, next, key, value)
    {
        if (remove_port(key, value)) (void)json_object_del(values, key);
    }
    return values;
}

static sedge_status sort_rows(matrices *all)
{
    const size_t rows = json_array_size(all->rows);

    SEDGE_TRY(sedge_allocate(&all->of_row, (int64_t)rows, sizeof *all->of_row));
    all->values = json_array();
    for (size_t r = 0; r < rows; r++) {
        const json_t *const row = json_array_get(all->rows, r);
        int g = 0;

        all->of_row[r] = -1;
        if (!json_is_string(json_object_get(ports_of(row), "driven"))) continue;
        json_t *const values = other_values(row);
        while (g < all->count && !json_equal(values, json_array_get(all->values, (size_t)g))) g++;
        all->of_row[r] = g;
        if (g < all->count) {
            json_decref(values);
        } else if (json_array_append_new(all->values, values) == 0) {
            all->count++;
        } else {
            return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the S-parameters of the sweep");
        }
    }
    return SEDGE_OK;
}

// Has the swept key another value in another matrix?
static bool is_varied(const matrices *all, const char *key)
{
    const json_t *const first = json_object_get(json_array_get(all->values, 0), key);

    for (int g = 1; g < all->count; g++) {
        const json_t *const other = json_object_get(json_array_get(all->values, (size_t)g), key);
        if (first != NULL && !json_equal(first, other)) return true;
    }
    return false;
}

// Append the value that matrix `g` has of a key, as one field of a table if `field`.
static sedge_status add_value(sedge_text *text, const matrices *all, int g, const char *key,
                              bool field)
{
    const json_t *const value = json_object_get(json_array_get(all->values, (size_t)g), key);
    const char *const plain = json_string_value(value);
    char *const made = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const char *const shown = plain != NULL ? plain : made != NULL ? made : "";

    const sedge_status status =
        field ? sedge_network_table_field(text, shown) : sedge_text_add(text, "%s", shown);
    free(made);
    return status;
}

// Append the varied values of matrix `g`: ",2,fp64" for the table, or "order = 2, precision =
// fp64".
static sedge_status add_values(sedge_text *text, const matrices *all, int g, bool table)
{
    bool begun = false;

    for (int k = 0; k < all->sweep->keys; k++) {
        const char *const key = all->sweep->key[k];

        if (!is_varied(all, key)) continue;
        if (table) {
            SEDGE_TRY(sedge_text_add(text, ","));
        } else {
            SEDGE_TRY(sedge_text_add(text, "%s%s = ", begun ? ", " : "", key));
        }
        SEDGE_TRY(add_value(text, all, g, key, table));
        begun = true;
    }
    return SEDGE_OK;
}

static sedge_status begin_table(const matrices *all)
{
    sedge_text *keys = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&keys));
    for (int k = 0; k < all->sweep->keys; k++) {
        if (!is_varied(all, all->sweep->key[k])) continue;
        SEDGE_TRY_GOTO(status, sedge_text_add(keys, ","));
        SEDGE_TRY_GOTO(status, sedge_network_table_field(keys, all->sweep->key[k]));
    }
    status = sedge_network_table_begin(all->table, sedge_text_get(keys));
done:
    sedge_text_free(keys);
    return status;
}

// ---- one matrix --------------------------------------------------------------------------------

static void clear_matrix(matrix *one)
{
    sedge_release(one->port);
    sedge_release(one->frequency);
    sedge_release(one->s);
    sedge_release(one->incident);
    sedge_release(one->driven);
}

static double number_at(const json_t *list, int i)
{
    const json_t *const value = json_array_get(list, (size_t)i);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

// Ports and frequencies of its first run; S of nothing.
static sedge_status begin_matrix(matrix *one)
{
    const json_t *const list = json_object_get(ports_of(one->first), "ports");
    const json_t *const frequency = json_object_get(ports_of(one->first), "frequency");
    const int n = (int)json_array_size(list);
    const int frequencies = (int)json_array_size(frequency);
    const int64_t entries = (int64_t)frequencies * n * n;

    SEDGE_TRY(sedge_allocate(&one->port, n, sizeof *one->port));
    SEDGE_TRY(sedge_allocate(&one->driven, n, sizeof *one->driven));
    SEDGE_TRY(sedge_allocate(&one->frequency, frequencies, sizeof *one->frequency));
    SEDGE_TRY(sedge_allocate(&one->s, entries, sizeof *one->s));
    SEDGE_TRY(sedge_allocate(&one->incident, entries, sizeof *one->incident));
    for (int i = 0; i < n; i++) {
        const json_t *const port = json_array_get(list, (size_t)i);

        one->port[i].name = text_of(port, "name");
        one->port[i].reference = json_number_value(json_object_get(port, "reference"));
    }
    for (int f = 0; f < frequencies; f++) one->frequency[f] = number_at(frequency, f);
    for (int64_t k = 0; k < entries; k++) one->s[k] = (double)NAN;
    one->network = (sedge_network){.si = strcmp(text_of(one->first, "units"), "si") == 0,
                                   .ports = n,
                                   .frequencies = frequencies,
                                   .port = one->port,
                                   .frequency = one->frequency,
                                   .s = one->s};
    return SEDGE_OK;
}

// What of a run's ports differs from those of the matrix; NULL: nothing.
static const char *find_difference(const matrix *one, const json_t *row)
{
    const json_t *const list = json_object_get(ports_of(row), "ports");
    const json_t *const wanted = json_object_get(ports_of(one->first), "frequency");

    if ((int)json_array_size(list) != one->network.ports) return "ports";
    for (int i = 0; i < one->network.ports; i++) {
        const json_t *const port = json_array_get(list, (size_t)i);
        const double reference = json_number_value(json_object_get(port, "reference"));

        if (strcmp(text_of(port, "name"), one->port[i].name) != 0) return "ports";
        if (reference != one->port[i].reference) return "reference resistances";
    }
    if (!json_equal(json_object_get(ports_of(row), "frequency"), wanted)) return "frequencies";
    return NULL;
}

// The column of S that a run gives.
static void add_column(matrix *one, const json_t *row)
{
    const json_t *const list = json_object_get(ports_of(row), "ports");
    const char *const driven = text_of(ports_of(row), "driven");
    const int n = one->network.ports;
    int j = 0;

    while (j < n && strcmp(one->port[j].name, driven) != 0) j++;
    if (j == n || one->driven[j]) return; // a run that is there twice
    one->driven[j] = true;
    for (int i = 0; i < n; i++) {
        const json_t *const port = json_array_get(list, (size_t)i);
        const json_t *const real = json_object_get(port, "real");
        const json_t *const imaginary = json_object_get(port, "imaginary");
        const json_t *const incident = json_object_get(port, "incident"); // else 0

        for (int f = 0; f < one->network.frequencies; f++) {
            const ptrdiff_t at = ((ptrdiff_t)f * n + i) * n + j;

            one->s[at] = number_at(real, f) + number_at(imaginary, f) * J;
            one->incident[at] = i == j ? 1.0 : 0.0;
            if (incident == NULL || i == j) continue;
            one->incident[at] = number_at(json_object_get(incident, "real"), f) +
                                number_at(json_object_get(incident, "imaginary"), f) * J;
        }
    }
}

// Where all columns are known, what comes back from the layers behind ports counts as entering.
static void correct_matrix(const matrix *one)
{
    const int n = one->network.ports;

    for (int j = 0; j < n; j++)
        if (!one->driven[j]) return;
    for (int f = 0; f < one->network.frequencies; f++) {
        const ptrdiff_t at = (ptrdiff_t)f * n * n;
        if (sedge_network_is_valid(&one->network, f))
            sedge_network_divide(one->s + at, one->incident + at, n);
    }
}

// All columns of matrix `g`. A run that does not fit is told of, and left out.
static sedge_status make_matrix(matrix *one, sedge_text *text, const matrices *all, int g)
{
    for (size_t r = 0; r < json_array_size(all->rows); r++) {
        const json_t *const row = json_array_get(all->rows, r);

        if (all->of_row[r] != g) continue;
        if (one->first == NULL) {
            one->first = row;
            SEDGE_TRY(begin_matrix(one));
        }
        const char *const difference = find_difference(one, row);
        if (difference == NULL) {
            add_column(one, row);
            continue;
        }
        SEDGE_TRY(sedge_text_add(
            text, "  S-parameters: run %s has other %s than run %s, and is left out\n",
            text_of(row, "folder"), difference, text_of(one->first, "folder")));
    }
    return SEDGE_OK;
}

// ---- what the user is told ---------------------------------------------------------------------

// A line of the table: a number for each shown frequency.
static sedge_status add_line(sedge_text *text, const char *label, const double *values, int columns)
{
    SEDGE_TRY(sedge_text_add(text, "    %-26.80s", label));
    for (int c = 0; c < columns; c++) {
        if (isnan(values[c])) {
            SEDGE_TRY(sedge_text_add(text, " %11s", "-"));
        } else {
            SEDGE_TRY(sedge_text_add(text, " %11.5g", values[c]));
        }
    }
    return sedge_text_add(text, "\n");
}

// The lines of one driven port: |S| in decibels at all ports, and the sum of |S|^2.
static sedge_status add_lines(sedge_text *text, const matrix *one, int j, int columns)
{
    const sedge_network *const network = &one->network;
    const int n = network->ports;
    double values[SEDGE_SWEEP_COLUMNS];
    char label[256];

    for (int i = 0; i < n && i < SHOWN_PORTS; i++) {
        (void)snprintf(label, sizeof label, "S_%d%s%d %.60s from %.60s", i + 1, n > 9 ? "," : "",
                       j + 1, one->port[i].name, one->port[j].name);
        for (int c = 0; c < columns; c++) {
            const int f = sedge_sweep_column(c, columns, network->frequencies);
            values[c] = 20.0 * log10(cabs(network->s[((ptrdiff_t)f * n + i) * n + j]));
        }
        SEDGE_TRY(add_line(text, label, values, columns));
    }
    for (int c = 0; c < columns; c++) {
        const int f = sedge_sweep_column(c, columns, network->frequencies);
        values[c] = sedge_network_power(network, f, j);
    }
    (void)snprintf(label, sizeof label, "sum |S|^2 from %.60s", one->port[j].name);
    return add_line(text, label, values, columns);
}

static sedge_status add_asymmetry(sedge_text *text, const sedge_network *network, int columns)
{
    double values[SEDGE_SWEEP_COLUMNS];

    for (int c = 0; c < columns; c++) {
        const int f = sedge_sweep_column(c, columns, network->frequencies);
        values[c] = sedge_network_asymmetry(network, f);
    }
    return add_line(text, "largest |S_ij - S_ji|", values, columns);
}

// Which ports no run drives; true: there are any.
static sedge_status add_missing(sedge_text *text, const matrix *one, bool *any)
{
    *any = false;
    for (int j = 0; j < one->network.ports; j++) {
        if (one->driven[j]) continue;
        SEDGE_TRY(sedge_text_add(text, "%s%s",
                                 *any ? ", " : "    no Touchstone file: no run drives ",
                                 one->port[j].name));
        *any = true;
    }
    return *any ? sedge_text_add(text, "\n") : SEDGE_OK;
}

static sedge_status tell(sedge_text *text, const matrix *one, const char *path, int left_out)
{
    const sedge_network *const network = &one->network;
    const int count = network->frequencies;
    const int columns = count < SEDGE_SWEEP_COLUMNS ? count : SEDGE_SWEEP_COLUMNS;
    const int n = network->ports;
    int shown = 0;
    bool missing = false;

    for (int j = 0; j < n && shown < SHOWN_PORTS; j++) {
        if (!one->driven[j]) continue;
        SEDGE_TRY(add_lines(text, one, j, columns));
        shown++;
    }
    if (n > SHOWN_PORTS) SEDGE_TRY(sedge_text_add(text, "    further entries are in ports.csv\n"));
    SEDGE_TRY(add_missing(text, one, &missing));
    if (missing) return SEDGE_OK;
    if (n > 1) SEDGE_TRY(add_asymmetry(text, network, columns));
    if (left_out == count) {
        return sedge_text_add(
            text, "    no Touchstone file: no frequency has all entries of the matrix\n");
    }
    SEDGE_TRY(sedge_text_add(text, "    %s", path));
    if (left_out > 0) {
        SEDGE_TRY(sedge_text_add(
            text, ", without %d of %d frequencies, where an entry is not valid", left_out, count));
    }
    return sedge_text_add(text, "\n");
}

// ---- all matrices ------------------------------------------------------------------------------

// The head of a matrix in the user's table: which one it is, and the frequencies.
static sedge_status add_head(sedge_text *text, const matrix *one, const char *values)
{
    const int count = one->network.frequencies;
    const int columns = count < SEDGE_SWEEP_COLUMNS ? count : SEDGE_SWEEP_COLUMNS;
    double shown[SEDGE_SWEEP_COLUMNS];

    SEDGE_TRY(sedge_text_add(text, "  S-parameters in dB, by frequency%s%s\n",
                             *values != '\0' ? ": " : "", values));
    for (int c = 0; c < columns; c++)
        shown[c] = one->frequency[sedge_sweep_column(c, columns, count)];
    return add_line(text, "", shown, columns);
}

// The files of matrix `g`, and its part of the user's table.
static sedge_status write_matrix(sedge_text *text, const matrices *all, int g)
{
    matrix one = {0};
    sedge_text *row = NULL;
    sedge_text *values = NULL;
    char name[64] = "";
    char path[SEDGE_PATH_BYTES];
    sedge_status status;
    int left_out = 0;

    SEDGE_TRY_GOTO(status, sedge_text_create(&row));
    SEDGE_TRY_GOTO(status, sedge_text_create(&values));
    SEDGE_TRY_GOTO(status, make_matrix(&one, text, all, g));
    correct_matrix(&one);
    SEDGE_TRY_GOTO(status, add_values(row, all, g, true));
    SEDGE_TRY_GOTO(status, add_values(values, all, g, false));
    SEDGE_TRY_GOTO(status, sedge_network_table_add(all->table, &one.network, sedge_text_get(row)));
    if (all->count > 1) (void)snprintf(name, sizeof name, "_%.32s", text_of(one.first, "folder"));
    (void)snprintf(path, sizeof path, "%.4000s/ports%s.s%dp", all->sweep->output, name,
                   one.network.ports);
    // Of a matrix that is not complete there is no file afterwards.
    SEDGE_TRY_GOTO(status,
                   sedge_touchstone_write(&left_out, path, &one.network, sedge_text_get(values)));
    if (g < SHOWN_MATRICES) {
        SEDGE_TRY_GOTO(status, add_head(text, &one, sedge_text_get(values)));
        status = tell(text, &one, path, left_out);
    }
done:
    clear_matrix(&one);
    sedge_text_free(row);
    sedge_text_free(values);
    return status;
}

static sedge_status write_all(sedge_text *text, matrices *all)
{
    char path[SEDGE_PATH_BYTES];

    SEDGE_TRY(sort_rows(all));
    if (all->count == 0) return SEDGE_OK;
    SEDGE_TRY(begin_table(all));
    for (int g = 0; g < all->count; g++) SEDGE_TRY(write_matrix(text, all, g));
    if (all->count > SHOWN_MATRICES) {
        SEDGE_TRY(sedge_text_add(text, "  and %d further matrices; all entries are in ports.csv\n",
                                 all->count - SHOWN_MATRICES));
    }
    (void)snprintf(path, sizeof path, "%.4000s/ports.csv", all->sweep->output);
    return sedge_file_write(path, sedge_text_get(all->table), sedge_text_length(all->table));
}

sedge_status sedge_sweep_ports_write(sedge_text *text, const json_t *rows, const sedge_sweep *sweep)
{
    matrices all = {.rows = rows, .sweep = sweep};
    sedge_status status = sedge_text_create(&all.table);

    if (status == SEDGE_OK) status = write_all(text, &all);
    sedge_text_free(all.table);
    sedge_release(all.of_row);
    json_decref(all.values);
    return status;
}
