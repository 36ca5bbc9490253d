#include "network/touchstone.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS_A_LINE 4 // pairs, from three ports on
#define NOMINAL        50.0
#define LINE_BYTES     1024

// A comment, of as many lines as `words` has.
static sedge_status add_comment(sedge_text *text, const char *words)
{
    char line[LINE_BYTES];
    size_t length = 0;

    for (; *words != '\0'; words += length + (words[length] == '\n')) {
        length = strcspn(words, "\n");
        const int kept = length < sizeof line ? (int)length : (int)sizeof line - 1;
        char raw[LINE_BYTES];
        (void)snprintf(raw, sizeof raw, "%.*s", kept, words);
        sedge_shown(line, sizeof line, raw);
        SEDGE_TRY(sedge_text_add(text, "! %s\n", line));
    }
    return SEDGE_OK;
}

// The one reference of the file.
static double find_reference(const sedge_network *network)
{
    for (int i = 0; i < network->ports; i++) {
        if (network->port[i].reference > 0.0) return network->port[i].reference;
    }
    return NOMINAL;
}

// "Port[1] = NAME" is what some readers take the port's name from.
static sedge_status add_name(sedge_text *text, const sedge_network *network, int i)
{
    char name[LINE_BYTES / 2];
    char words[LINE_BYTES];

    (void)snprintf(name, sizeof name, "%.400s", network->port[i].name);
    for (char *end = name; (end = strchr(end, '\n')) != NULL;) *end = ' ';
    (void)snprintf(words, sizeof words, "Port[%d] = %s", i + 1, name);
    return add_comment(text, words);
}

// What the line of options does not say of a port's reference.
static sedge_status add_reference(sedge_text *text, const sedge_network *network, int i,
                                  double reference)
{
    const double own = network->port[i].reference;
    const char *const ohm = network->si ? " ohm" : "";

    if (own == reference) return SEDGE_OK;
    if (own > 0.0) {
        return sedge_text_add(text, "! port %d is renormalised from %.9g%s to %.9g%s\n", i + 1, own,
                              ohm, reference, ohm);
    }
    return sedge_text_add(text, "! port %d is normalised to its mode's own impedance\n", i + 1);
}

static sedge_status add_head(sedge_text *text, const sedge_network *network, const char *comment,
                             double reference)
{
    SEDGE_TRY(add_comment(text, "S-parameters by Sedge, phases of exp(+j omega t)"));
    if (!network->si) {
        SEDGE_TRY(add_comment(text, "frequencies and references are in the code's units"));
    }
    for (int i = 0; i < network->ports; i++) SEDGE_TRY(add_name(text, network, i));
    for (int i = 0; i < network->ports; i++) SEDGE_TRY(add_reference(text, network, i, reference));
    if (comment != NULL) SEDGE_TRY(add_comment(text, comment));
    SEDGE_TRY(sedge_text_add(text, "# Hz S RI R %.9g\n", reference));
    if (network->ports == 2) SEDGE_TRY(add_comment(text, "frequency S11 S21 S12 S22"));
    return SEDGE_OK;
}

static sedge_status add_pair(sedge_text *text, double complex value)
{
    return sedge_text_add(text, " %16.8e %16.8e", creal(value), cimag(value));
}

// The matrix `s` at one frequency. That of two ports is the one that goes column by column.
static sedge_status add_matrix(sedge_text *text, double frequency, const double complex *s, int n)
{
    SEDGE_TRY(sedge_text_add(text, "%-18.15g", frequency));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const bool begins = n > 2 && i + j > 0 && j % NUMBERS_A_LINE == 0;

            if (begins) SEDGE_TRY(sedge_text_add(text, "\n%18s", ""));
            SEDGE_TRY(add_pair(text, n == 2 ? s[j * n + i] : s[i * n + j]));
        }
    }
    return sedge_text_add(text, "\n");
}

// `*left_out` counts the frequencies without all numbers.
static sedge_status add_matrices(sedge_text *text, int *left_out, const sedge_network *network,
                                 double reference)
{
    const int n = network->ports;
    double complex *s = NULL;
    double *references = NULL; // before, then after
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&s, (int64_t)n * n, sizeof *s));
    SEDGE_TRY_GOTO(status, sedge_allocate(&references, 2 * (int64_t)n, sizeof *references));
    for (int i = 0; i < n; i++) {
        references[i] = network->port[i].reference;
        references[n + i] = references[i] > 0.0 ? reference : references[i];
    }
    for (int f = 0; f < network->frequencies; f++) {
        sedge_network one = *network; // at this frequency
        one.frequencies = 1;
        one.s = s;
        memcpy(s, network->s + (ptrdiff_t)f * n * n, (size_t)n * (size_t)n * sizeof *s);
        if (sedge_network_is_valid(&one, 0)) {
            SEDGE_TRY_GOTO(status, sedge_network_renormalise(s, n, references, references + n));
        }
        if (sedge_network_is_valid(&one, 0)) {
            SEDGE_TRY_GOTO(status, add_matrix(text, network->frequency[f], s, n));
        } else {
            ++*left_out;
        }
    }
    status = SEDGE_OK;
done:
    sedge_release(s);
    sedge_release(references);
    return status;
}

sedge_status sedge_touchstone_write(int *left_out, const char *path, const sedge_network *network,
                                    const char *comment)
{
    const double reference = find_reference(network);
    sedge_text *text = NULL;
    sedge_status status;

    *left_out = 0;
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, add_head(text, network, comment, reference));
    SEDGE_TRY_GOTO(status, add_matrices(text, left_out, network, reference));
    if (*left_out < network->frequencies) {
        status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
    } else {
        (void)unlink(path); // an older one, of other numbers
    }
done:
    sedge_text_free(text);
    return status;
}
