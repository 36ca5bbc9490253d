// Numbers are written and read with a point where the program has set a locale with a comma.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/plain.h"
#include "base/text.h"
#include "check.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

// A locale of which only the point is a comma. localedef (libc-bin) complains of all that is
// missing, and writes what there is.
static void set_comma(void)
{
    static const char charmap[] = "<code_set_name> COMMA\n<escape_char> /\n<mb_cur_min> 1\n"
                                  "<mb_cur_max> 1\nCHARMAP\n<U002C> /x2c COMMA\nEND CHARMAP\n";
    static const char definition[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
                                     "grouping -1\nEND LC_NUMERIC\n";
    char text[16];

    CHECK(chdir(SEDGE_TEST_DIR) == 0);
    CHECK_OK(sedge_file_write("comma.map", charmap, strlen(charmap)));
    CHECK_OK(sedge_file_write("comma.def", definition, strlen(definition)));
    (void)system("localedef -c -f ./comma.map -i ./comma.def ./comma >localedef.log 2>&1");
    CHECK(setenv("LOCPATH", SEDGE_TEST_DIR, 1) == 0);
    CHECK(setlocale(LC_NUMERIC, "comma") != NULL);
    (void)snprintf(text, sizeof text, "%g", 1.5);
    CHECK(strcmp(text, "1,5") == 0);
}

static void test_written(void)
{
    sedge_text *text = NULL;
    char number[32];

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_text_add(text, "%a %.2f %s", 1.5, 0.25, "1,5"));
    CHECK(strcmp(sedge_text_get(text), "0x1.8p+0 0.25 1,5") == 0);
    CHECK(sedge_plain_print(number, sizeof number, "%.3g", 0.125) == 5);
    CHECK(strcmp(number, "0.125") == 0);
    sedge_text_free(text);
}

static void test_read(void)
{
    static const char text[] = "-2.5e3,1";
    char *end = NULL;

    CHECK(sedge_plain_read(text, &end) == -2500.0);
    CHECK(end == text + 6);
    CHECK(strtod("1,5", NULL) == 1.5); // the program's own locale is as it was
}

// Of two failures the first is reported; a success between them changes nothing.
static void test_first_failure(void)
{
    sedge_failure first = {0};

    CHECK_OK(sedge_failure_get(&first));
    sedge_failure_keep(&first, SEDGE_FAIL(SEDGE_ERR_USAGE, "the disk is full"));
    sedge_failure_keep(&first, SEDGE_OK);
    sedge_failure_keep(&first, SEDGE_FAIL(SEDGE_ERR_DATA, "a consequence"));
    CHECK(sedge_failure_get(&first) == SEDGE_ERR_USAGE);
    CHECK(strcmp(sedge_error_message(), "the disk is full") == 0);
}

int main(void)
{
    test_first_failure();
    set_comma();
    test_written();
    test_read();
    return CHECK_END();
}
