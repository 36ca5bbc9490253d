// Any bytes as the text of a pattern, by substitution and as a template, and as the source of a
// program. The first byte chooses.
#include "fuzz.h"

#include "program/program.h"
#include "text/substitute.h"
#include "text/template.h"

#include <string.h>

enum { BYTES_MAX = 4096 };

static const int64_t integers[] = {1, -2, 3};
static const double reals[] = {0.5, -1e300, 0.0};
static const char *const texts[] = {"a", "", "$b$"};

static void write_pattern(sedge_text *out, const char *text, bool is_template)
{
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("n", -7),
        SEDGE_BIND_FLOAT("x", 0.1F),
        SEDGE_BIND_DOUBLE("y", -0.1),
        SEDGE_BIND_TEXT("t", "two\nlines"),
        SEDGE_BIND_INTEGERS("ns", integers, 3),
        SEDGE_BIND_DOUBLES("ys", reals, 3),
        SEDGE_BIND_TEXTS("ts", texts, 3),
    };
    sedge_binding used[7];
    int count = 0;

    // A value that is not used is refused: give those whose names stand in the text.
    for (int i = 0; i < (is_template ? 7 : 4); i++)
        if (strstr(text, values[i].name) != NULL) used[count++] = values[i];
    const sedge_pattern pattern = {
        .name = "fuzz.c", .text = text, .bindings = used, .count = count};
    if ((is_template ? sedge_template_write(out, &pattern) : sedge_substitute(out, &pattern)) ==
        SEDGE_OK)
        return;
    FUZZ_CHECK(sedge_text_length(out) == 0); // nothing half-written
    fuzz_check_message();
}

static void write_program(sedge_text *out, const char *text)
{
    const sedge_source source = {.name = "fuzz.c", .text = text};
    const sedge_program_options options = {.name = "fuzz", .sources = &source, .count = 1};

    if (sedge_program_write(out, SEDGE_DEVICE_OPENCL, &options) != SEDGE_OK) fuzz_check_message();
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    sedge_text *out = NULL;

    if (size < 1 || size > BYTES_MAX) return 0;
    char *const text = fuzz_text(data + 1, size - 1);
    FUZZ_CHECK(sedge_text_create(&out) == SEDGE_OK);
    if (data[0] % 4 == 0) {
        write_program(out, text);
    } else {
        write_pattern(out, text, data[0] % 4 != 1);
    }
    sedge_text_free(out);
    free(text);
    return 0;
}
