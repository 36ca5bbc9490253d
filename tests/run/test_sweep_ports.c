// The S-matrix of a sweep, from reports that are made up: which runs belong together, what is
// written, and what is said of what is missing.
#include "run/sweep_ports.h"

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "run/sweep_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define FOLDER SEDGE_TEST_DIR "/sweep-ports"
#define MOST   4 // runs

// A sweep of up to two keys; its values as the deck's reader gives them.
typedef struct given {
    int runs, keys;
    const char *key[2];
    const char *value[2 * MOST];
    const char *ports[MOST]; // the report of each run; NULL: no ports
} given;

static sedge_text *told;
static json_t *rows;

static sedge_sweep make_sweep(const given *all, char *output)
{
    // A sweep owns its texts, so they are not const.
    return (sedge_sweep){.runs = all->runs,
                         .keys = all->keys,
                         .key = (char **)(uintptr_t)all->key,
                         .value = (char **)(uintptr_t)all->value,
                         .output = output};
}

static void make_rows(const given *all, const sedge_sweep *sweep)
{
    for (int i = 0; i < all->runs; i++) {
        char path[512], report[4096];

        (void)snprintf(path, sizeof path, FOLDER "/%03d", i + 1);
        CHECK_OK(sedge_folder_make(path));
        (void)snprintf(path, sizeof path, FOLDER "/%03d/report.json", i + 1);
        (void)snprintf(report, sizeof report, "{\"units\": \"si\", \"monitors\": {%s%s}}",
                       all->ports[i] != NULL ? "\"ports\": " : "",
                       all->ports[i] != NULL ? all->ports[i] : "");
        CHECK_OK(sedge_file_write(path, report, strlen(report)));
        CHECK_OK(sedge_sweep_add_row(rows, sweep, i));
    }
}

static sedge_status write_ports(const given *all)
{
    static char output[] = FOLDER;
    const sedge_sweep sweep = make_sweep(all, output);

    sedge_text_free(told);
    json_decref(rows);
    rows = json_array();
    CHECK_OK(sedge_text_create(&told));
    make_rows(all, &sweep);
    return sedge_sweep_ports_write(told, rows, &sweep);
}

static bool is_there(const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof path, FOLDER "/%s", name);
    return access(path, F_OK) == 0;
}

// The file of this name is exactly `wanted`, and is removed.
static void check_file(const char *name, const char *wanted, int line)
{
    char path[512];
    char *text = NULL;
    size_t length = 0;

    (void)snprintf(path, sizeof path, FOLDER "/%s", name);
    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
    if (text == NULL || strcmp(text, wanted) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: %s is\n%s\n", __FILE__, line, path, text);
    }
    sedge_release(text);
    (void)unlink(path);
}

static void check_told(const char *wanted, int line)
{
    if (strstr(sedge_text_get(told), wanted) != NULL) return;
    check_failures++;
    (void)fprintf(stderr, "%s:%d: told:\n%s\n", __FILE__, line, sedge_text_get(told));
}

#define IN(real, imaginary)                                                          \
    "{\"name\": \"in\", \"type\": \"te-port\", \"reference\": null, \"real\": " real \
    ", \"imaginary\": " imaginary "}"
#define OUT(reference, real, imaginary)                                                            \
    "{\"name\": \"out\", \"type\": \"lumped-port\", \"reference\": " reference ", \"real\": " real \
    ", \"imaginary\": " imaginary "}"
#define REPORT(driven, frequency, ports) \
    "{\"driven\": " driven ", \"frequency\": " frequency ", \"ports\": [" ports "]}"

// S11 = 0.5, S21 = 0.25j, S12 = 0.125, S22 = -0.75 + 0.5j; at the second frequency twice the half.
#define FROM_IN                      \
    REPORT("\"in\"", "[8e9, 8.5e9]", \
           IN("[0.5, 0.25]", "[0, 0]") ", " OUT("50.0", "[0, 0.5]", "[0.25, 0]"))
#define FROM_OUT                      \
    REPORT("\"out\"", "[8e9, 8.5e9]", \
           IN("[0.125, 0.5]", "[0, 0]") ", " OUT("50.0", "[-0.75, -0.25]", "[0.5, 0]"))

#define HEAD                                               \
    "! S-parameters by Sedge, phases of exp(+j omega t)\n" \
    "! Port[1] = in\n! Port[2] = out\n"                    \
    "! port 1 is normalised to its mode's own impedance\n"
#define FIRST                                                                                   \
    "8000000000           5.00000000e-01   0.00000000e+00   0.00000000e+00   2.50000000e-01   " \
    "1.25000000e-01   0.00000000e+00  -7.50000000e-01   5.00000000e-01\n"
#define SECOND                                                                                  \
    "8500000000           2.50000000e-01   0.00000000e+00   5.00000000e-01   0.00000000e+00   " \
    "5.00000000e-01   0.00000000e+00  -2.50000000e-01   0.00000000e+00\n"
#define OPTIONS "# Hz S RI R 50\n! frequency S11 S21 S12 S22\n"

// What comes back to a port from behind counts as entering: with b = [[0.5, 0.25], [0.25j, 0.5]]
// and a = [[1, 0.5], [0, 1]] the matrix is S = b a^-1 = [[0.5, 0], [0.25j, 0.5 - 0.125j]].
static void test_incident(void)
{
    static const given runs = {
        2,
        1,
        {"sources.0.surface"},
        {"\"in\"", "\"out\""},
        {REPORT("\"in\"", "[8e9]", IN("[0.5]", "[0]") ", " OUT("50.0", "[0]", "[0.25]")),
         REPORT("\"out\"", "[8e9]",
                "{\"name\": \"in\", \"reference\": null, \"real\": [0.25], \"imaginary\": [0], "
                "\"incident\": {\"real\": [0.5], \"imaginary\": [0]}}, " OUT("50.0", "[0.5]",
                                                                             "[0]"))}};

    CHECK_OK(write_ports(&runs));
    check_file(
        "ports.s2p",
        HEAD OPTIONS
        "8000000000           5.00000000e-01   0.00000000e+00   0.00000000e+00   "
        "2.50000000e-01   0.00000000e+00   0.00000000e+00   5.00000000e-01  -1.25000000e-01\n",
        __LINE__);
}

// Two runs, two columns, whichever comes first.
static void test_matrix(void)
{
    static const given orders[2] = {
        {2, 1, {"sources.0.surface"}, {"\"in\"", "\"out\""}, {FROM_IN, FROM_OUT}},
        {2, 1, {"sources.0.surface"}, {"\"out\"", "\"in\""}, {FROM_OUT, FROM_IN}}};

    for (int k = 0; k < 2; k++) {
        CHECK_OK(write_ports(&orders[k]));
        check_file("ports.s2p", HEAD OPTIONS FIRST SECOND, __LINE__);
        check_file("ports.csv",
                   "frequency,port,driven,S_re,S_im,dB,degrees\n"
                   "8000000000,in,in,0.5,0,-6.0206,0\n"
                   "8000000000,in,out,0.125,0,-18.0618,0\n"
                   "8000000000,out,in,0,0.25,-12.0412,90\n"
                   "8000000000,out,out,-0.75,0.5,-0.901766,146.31\n"
                   "8500000000,in,in,0.25,0,-12.0412,0\n"
                   "8500000000,in,out,0.5,0,-6.0206,0\n"
                   "8500000000,out,in,0.5,0,-6.0206,0\n"
                   "8500000000,out,out,-0.25,0,-12.0412,180\n",
                   __LINE__);
        check_told("  S-parameters in dB, by frequency\n"
                   "                                     8e+09     8.5e+09\n"
                   "    S_11 in from in                -6.0206     -12.041\n"
                   "    S_21 out from in               -12.041     -6.0206\n"
                   "    sum |S|^2 from in               0.3125      0.3125\n"
                   "    S_12 in from out               -18.062     -6.0206\n"
                   "    S_22 out from out             -0.90177     -12.041\n"
                   "    sum |S|^2 from out             0.82812      0.3125\n"
                   "    largest |S_ij - S_ji|          0.27951           0\n"
                   "    " FOLDER "/ports.s2p\n",
                   __LINE__);
    }
}

// Another swept value: a matrix for each of its values. Sources that are given whole differ in more
// than their surface, or do not.
static void test_groups(void)
{
    static const given both = {4,
                               2,
                               {"sources.0.surface", "order"},
                               {"\"in\"", "2", "\"in\"", "3", "\"out\"", "2", "\"out\"", "3"},
                               {FROM_IN, FROM_IN, FROM_OUT, FROM_OUT}};
    static const given whole = {4,
                                1,
                                {"sources"},
                                {"[{\"type\": \"port\", \"surface\": \"in\", \"delay\": 0.1}]",
                                 "[{\"type\": \"port\", \"surface\": \"in\", \"delay\": 2}]",
                                 "[{\"type\": \"port\", \"surface\": \"out\", \"delay\": 0.1}]",
                                 "[{\"type\": \"port\", \"surface\": \"out\", \"delay\": 2}]"},
                                {FROM_IN, FROM_IN, FROM_OUT, FROM_OUT}};
    static const given source = {
        2,
        1,
        {"sources.0"},
        {"{\"type\": \"port\", \"surface\": \"in\"}", "{\"type\": \"port\", \"surface\": \"out\"}"},
        {FROM_IN, FROM_OUT}};

    CHECK_OK(write_ports(&both));
    check_file("ports_001.s2p", HEAD "! order = 2\n" OPTIONS FIRST SECOND, __LINE__);
    check_file("ports_002.s2p", HEAD "! order = 3\n" OPTIONS FIRST SECOND, __LINE__);
    CHECK(!is_there("ports.s2p") && !is_there("ports_003.s2p"));
    check_told("by frequency: order = 3\n", __LINE__);
    CHECK_OK(write_ports(&whole));
    check_file("ports_001.s2p",
               HEAD "! sources = [{\"type\": \"port\", \"delay\": 0.1}]\n" OPTIONS FIRST SECOND,
               __LINE__);
    CHECK(is_there("ports_002.s2p") && !is_there("ports_003.s2p"));
    CHECK_OK(write_ports(&source));
    check_file("ports.s2p", HEAD OPTIONS FIRST SECOND, __LINE__);
}

// The table has a column for each other value, as one field.
static void test_values(void)
{
    static const given all = {
        2,
        2,
        {"sources.0.surface", "mesh.box.cells"},
        {"\"in\"", "[2, 2]", "\"in\"", "[3, 3]"},
        {REPORT("\"in\"", "[1]", IN("[1]", "[0]")), REPORT("\"in\"", "[1]", IN("[0]", "[1]"))}};

    CHECK_OK(write_ports(&all));
    check_file("ports.csv",
               "frequency,port,driven,S_re,S_im,dB,degrees,mesh.box.cells\n"
               "1,in,in,1,0,0,0,\"[2, 2]\"\n"
               "1,in,in,0,1,0,90,\"[3, 3]\"\n",
               __LINE__);
    check_file("ports_002.s1p",
               "! S-parameters by Sedge, phases of exp(+j omega t)\n! Port[1] = in\n"
               "! port 1 is normalised to its mode's own impedance\n! mesh.box.cells = [3, 3]\n"
               "# Hz S RI R 50\n"
               "1                    0.00000000e+00   1.00000000e+00\n",
               __LINE__);
    CHECK(strstr(sedge_text_get(told), "S_ji") == NULL);
}

// A matrix without a column has no file, not even an older one, and the ports are named. Runs
// without ports do not count.
static void test_missing(void)
{
    static const given all = {2, 1, {"sources.0.surface"}, {"\"in\"", "\"aux\""}, {FROM_IN, NULL}};
    static const given none = {
        2, 1, {"order"}, {"1", "2"}, {REPORT("null", "[1]", IN("[null]", "[null]")), NULL}};

    CHECK_OK(sedge_file_write(FOLDER "/ports.s2p", "old\n", 4));
    CHECK_OK(write_ports(&all));
    CHECK(!is_there("ports.s2p"));
    check_told("no Touchstone file: no run drives out\n", __LINE__);
    check_told("S_21 out from in               -12.041     -6.0206\n", __LINE__);
    check_file("ports.csv",
               "frequency,port,driven,S_re,S_im,dB,degrees\n"
               "8000000000,in,in,0.5,0,-6.0206,0\n"
               "8000000000,out,in,0,0.25,-12.0412,90\n"
               "8500000000,in,in,0.25,0,-12.0412,0\n"
               "8500000000,out,in,0.5,0,-6.0206,0\n",
               __LINE__);
    CHECK_OK(write_ports(&none));
    CHECK(!is_there("ports.csv") && sedge_text_length(told) == 0);
}

// Runs that do not fit together.
static void test_others(void)
{
    static const given frequencies = {
        2,
        1,
        {"sources.0.surface"},
        {"\"in\"", "\"out\""},
        {FROM_IN, REPORT("\"out\"", "[8e9, 8.6e9]",
                         IN("[0, 0]", "[0, 0]") ", " OUT("50.0", "[0, 0]", "[0, 0]"))}};
    static const given ports = {
        2,
        1,
        {"sources.0.surface"},
        {"\"in\"", "\"out\""},
        {FROM_IN, REPORT("\"out\"", "[8e9, 8.5e9]", OUT("50.0", "[0, 0]", "[0, 0]"))}};
    static const given references = {
        2,
        1,
        {"sources.0.surface"},
        {"\"in\"", "\"out\""},
        {FROM_IN, REPORT("\"out\"", "[8e9, 8.5e9]",
                         IN("[0, 0]", "[0, 0]") ", " OUT("51.0", "[0, 0]", "[0, 0]"))}};

    CHECK_OK(write_ports(&frequencies));
    check_told("run 002 has other frequencies than run 001, and is left out\n", __LINE__);
    check_told("no run drives out\n", __LINE__);
    CHECK_OK(write_ports(&ports));
    check_told("run 002 has other ports than run 001, and is left out\n", __LINE__);
    CHECK_OK(write_ports(&references));
    check_told("run 002 has other reference resistances than run 001, and is left out\n", __LINE__);
}

// Entries that are not valid: null in a report. A report that lies does no harm.
static void test_invalid(void)
{
    static const given some = {2,
                               1,
                               {"sources.0.surface"},
                               {"\"in\"", "\"out\""},
                               {FROM_IN, REPORT("\"out\"", "[8e9, 8.5e9]",
                                                IN("[null, 0.5]", "[null, 0]") ", " OUT(
                                                    "50.0", "[-0.75, -0.25]", "[0.5, 0]"))}};
    static const given broken = {3,
                                 1,
                                 {"sources.0.surface"},
                                 {"\"in\"", "\"out\"", "1"},
                                 {REPORT("\"in\"", "[8e9, null]", IN("[1]", "[2, 3, 4]") ", 7"),
                                  REPORT("\"out\"", "[8e9, null]", IN("true", "{}") ", 7"),
                                  "{\"driven\": \"in\", \"frequency\": 3, \"ports\": {}}"}};

    CHECK_OK(write_ports(&some));
    check_file("ports.s2p", HEAD OPTIONS SECOND, __LINE__);
    check_told("ports.s2p, without 1 of 2 frequencies, where an entry is not valid\n", __LINE__);
    check_told("S_12 in from out                     -     -6.0206\n", __LINE__);
    check_told("largest |S_ij - S_ji|                -           0\n", __LINE__);
    CHECK_OK(write_ports(&broken));
    CHECK(!is_there("ports.s2p"));
}

// The folder cannot be written to.
static void test_folder(void)
{
    static const given all = {
        2, 1, {"sources.0.surface"}, {"\"in\"", "\"out\""}, {FROM_IN, FROM_OUT}};
    static char absent[] = FOLDER "/absent";
    const sedge_sweep sweep = make_sweep(&all, absent);

    CHECK_OK(write_ports(&all));
    CHECK_FAILS(sedge_sweep_ports_write(told, rows, &sweep), SEDGE_ERR_USAGE, "absent/ports");
}

int main(void)
{
    CHECK_OK(sedge_folder_make(FOLDER));
    test_matrix();
    test_incident();
    test_groups();
    test_values();
    test_missing();
    test_others();
    test_invalid();
    test_folder();
    sedge_text_free(told);
    json_decref(rows);
    return CHECK_END();
}
