// Touchstone files and tables as they are in golden/, and read back.
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "network/table.h"
#include "network/touchstone.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define J           ((double complex)_Complex_I)
#define MOST        5
#define FREQUENCIES 3

static const double frequency[FREQUENCIES] = {8e9, 8.01e9, 12.5e9};
static const sedge_network_port equal[MOST] = {
    {"feed", 50.0}, {"probe", 50.0}, {"load", 50.0}, {"fourth", 50.0}, {"fifth", 50.0}};
static double complex s[FREQUENCIES * MOST * MOST];

// Entries that tell of their place and print alike everywhere.
static sedge_network make(int n, const sedge_network_port *port)
{
    for (int k = 0; k < FREQUENCIES * n * n; k++) {
        const int f = k / n / n, place = 10 * (k / n % n) + k % n;

        s[k] = (place + 11) / 128.0 - (place + f + 1) / 1024.0 * J;
    }
    return (sedge_network){true, n, FREQUENCIES, port, frequency, s};
}

static void name_file(char path[512], const char *folder, const char *name)
{
    (void)snprintf(path, 512, "%s/%s", folder, name);
}

// The file at `path` is golden/NAME, byte by byte; SEDGE_UPDATE_GOLDEN=1 makes it so.
static void check_golden(const char *path, const char *name)
{
    const char *const update = getenv("SEDGE_UPDATE_GOLDEN");
    char golden[512];
    char *wanted = NULL, *found = NULL;
    size_t wanted_length = 0, length = 0;

    name_file(golden, SEDGE_SOURCE_DIR "/tests/network/golden", name);
    CHECK_OK(sedge_file_read(&found, &length, path, SEDGE_ERR_DATA));
    if (update != NULL && strcmp(update, "1") == 0)
        CHECK_OK(sedge_file_write(golden, found, length));
    CHECK_OK(sedge_file_read(&wanted, &wanted_length, golden, SEDGE_ERR_DATA));
    if (wanted == NULL || found == NULL || strcmp(wanted, found) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s is not what is made now:\n%s", golden, found);
    }
    sedge_release(wanted);
    sedge_release(found);
}

// Numbers of a Touchstone file behind its line of options, without comments. Returns their count.
static int read_numbers(double *numbers, int most, double *reference, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    int count = 0;
    bool options = false;

    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
    for (char *line = text; line != NULL && *line != '\0';) {
        char *const end = line + strcspn(line, "\n");
        if (*line == '#') {
            CHECK(!options && sscanf(line, "# Hz S RI R %lf", reference) == 1);
            options = true;
        } else if (*line != '!') {
            char *at = line;
            int pairs = 0;
            CHECK(options && *end == '\n');
            while (at < end) {
                char *next = NULL;
                CHECK(count < most);
                numbers[count++] = strtod(at, &next);
                pairs++;
                CHECK(next > at);
                for (at = next; at < end && isspace((unsigned char)*at);) at++;
            }
            CHECK(pairs <= 9);
        }
        line = *end == '\n' ? end + 1 : end;
    }
    CHECK(options);
    sedge_release(text);
    return count;
}

// One, two, three and five ports, as they are read.
static void test_formats(void)
{
    static const int ports[] = {1, 2, 3, 5};

    for (int k = 0; k < 4; k++) {
        const int n = ports[k];
        const sedge_network network = make(n, equal);
        double numbers[FREQUENCIES * (1 + 2 * MOST * MOST)];
        double reference = 0.0;
        char name[32], path[512];
        int left_out = -1;

        (void)snprintf(name, sizeof name, "ports.s%dp", n);
        name_file(path, SEDGE_TEST_DIR, name);
        CHECK_OK(sedge_touchstone_write(&left_out, path, &network, n == 3 ? "one\ntwo" : NULL));
        CHECK(left_out == 0);
        check_golden(path, name);
        const int row = 1 + 2 * n * n;
        CHECK(read_numbers(numbers, FREQUENCIES * row, &reference, path) == FREQUENCIES * row);
        CHECK(reference == 50.0);
        for (int f = 0; f < FREQUENCIES; f++) {
            CHECK(numbers[f * row] == frequency[f]);
            for (int e = 0; e < n * n; e++) {
                const double *const pair = numbers + f * row + 1 + 2 * e;
                const int at = n == 2 ? e % 2 * 2 + e / 2 : e; // S11 S21 S12 S22
                CHECK_BOUND(cabs(pair[0] + pair[1] * J - s[f * n * n + at]), 5e-9);
            }
        }
        (void)unlink(path);
    }
}

// References that differ: those that are resistances become the first one, a mode's own stays.
static void test_references(void)
{
    static const sedge_network_port port[3] = {{"guide", 0.0}, {"cable\nline", 75.0}, {"p", 50.0}};
    static const char head[] = "! S-parameters by Sedge, phases of exp(+j omega t)\n"
                               "! frequencies and references are in the code's units\n"
                               "! Port[1] = guide\n! Port[2] = cable line\n! Port[3] = p\n"
                               "! port 1 is normalised to its mode's own impedance\n"
                               "! port 3 is renormalised from 50 to 75\n"
                               "# Hz S RI R 75\n8000000000 ";
    static const double before[3] = {0.0, 75.0, 50.0}, after[3] = {0.0, 75.0, 75.0};
    sedge_network network = make(3, port);
    double numbers[FREQUENCIES * 19];
    double reference = 0.0;
    char *text = NULL;
    size_t length = 0;
    int left_out = -1;

    network.si = false;
    CHECK_OK(sedge_touchstone_write(&left_out, SEDGE_TEST_DIR "/mixed.s3p", &network, NULL));
    CHECK_OK(sedge_file_read(&text, &length, SEDGE_TEST_DIR "/mixed.s3p", SEDGE_ERR_DATA));
    CHECK(text != NULL && strncmp(text, head, strlen(head)) == 0);
    sedge_release(text);
    CHECK(read_numbers(numbers, FREQUENCIES * 19, &reference, SEDGE_TEST_DIR "/mixed.s3p") == 57);
    CHECK(reference == 75.0);
    CHECK_OK(sedge_network_renormalise(s, 3, before, after));
    for (int e = 0; e < 9; e++)
        CHECK_BOUND(cabs(numbers[1 + 2 * e] + numbers[2 + 2 * e] * J - s[e]), 5e-9 * cabs(s[e]));
    (void)unlink(SEDGE_TEST_DIR "/mixed.s3p");
}

// A frequency with an entry that is not valid is left out. If none is left there is no file, and no
// old one either.
static void test_invalid(void)
{
    static const char path[] = SEDGE_TEST_DIR "/invalid.s2p";
    const sedge_network network = make(2, equal);
    double numbers[FREQUENCIES * 9];
    double reference = 0.0;
    int left_out = -1;

    s[4 + 2] = (double)NAN;
    CHECK_OK(sedge_touchstone_write(&left_out, path, &network, NULL));
    CHECK(left_out == 1);
    CHECK(read_numbers(numbers, FREQUENCIES * 9, &reference, path) == 18);
    CHECK(numbers[0] == frequency[0] && numbers[9] == frequency[2]);
    s[0] = (double)INFINITY;
    s[11] = (double)NAN * J;
    CHECK_OK(sedge_touchstone_write(&left_out, path, &network, NULL));
    CHECK(left_out == 3 && access(path, F_OK) != 0);
    CHECK_FAILS(sedge_touchstone_write(&left_out, SEDGE_TEST_DIR "/absent/a.s1p",
                                       &(sedge_network){true, 1, 1, equal, frequency, s + 4}, NULL),
                SEDGE_ERR_USAGE, "absent");
}

// Lines of the table, with further columns; a column of S without a valid entry has none.
static void test_table(void)
{
    static const sedge_network_port port[2] = {{"a,\"b\"", 50.0}, {"out", 50.0}};
    const sedge_network network = make(2, port);
    sedge_text *text = NULL;

    for (int f = 0; f < FREQUENCIES; f++) s[f * 4 + 1] = s[f * 4 + 3] = (double)NAN;
    s[0] = 0.5 * J;
    s[4] = (double)NAN;
    s[8] = 0.0;
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_network_table_begin(text, ",order"));
    CHECK_OK(sedge_network_table_add(text, &network, ",2"));
    CHECK_OK(sedge_file_write(SEDGE_TEST_DIR "/table.csv", sedge_text_get(text),
                              sedge_text_length(text)));
    check_golden(SEDGE_TEST_DIR "/table.csv", "table.csv");
    (void)unlink(SEDGE_TEST_DIR "/table.csv");
    sedge_text_free(text);
}

int main(void)
{
    test_formats();
    test_references();
    test_invalid();
    test_table();
    return CHECK_END();
}
