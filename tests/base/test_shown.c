// What is shown cannot steer a terminal, and stays readable.
#include "base/shown.h"
#include "check.h"

static void check_shown(const char *text, const char *wanted)
{
    char out[256];

    sedge_shown(out, sizeof out, text);
    if (strcmp(out, wanted) != 0) (void)fprintf(stderr, "'%s'\n", out);
    CHECK(strcmp(out, wanted) == 0);
    CHECK(sedge_is_shown(out, true));
    CHECK(sedge_is_shown(text, true) == (strcmp(text, wanted) == 0));
}

static void test_characters(void)
{
    check_shown("", "");
    check_shown("plain: 'text' \\ 1/2\n\tsecond line", "plain: 'text' \\ 1/2\n\tsecond line");
    check_shown("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x80",
                "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x80");
    check_shown("\x1b]0;title\x07\x1b[2J", "\\x1b]0;title\\x07\\x1b[2J");
    check_shown("a\rb\bc\x7f", "a\\x0db\\x08c\\x7f");
    check_shown("\xc2\x9b"
                "31m",
                "\\xc2\\x9b31m"); // CSI as one character
    check_shown("\xe2\x80\xae"
                "gpj.exe",
                "\\xe2\\x80\\xaegpj.exe"); // right to left
    check_shown("\xe2\x81\xa6x\xe2\x80\xa8", "\\xe2\\x81\\xa6x\\xe2\\x80\\xa8");
}

static void test_not_utf8(void)
{
    check_shown("\x9b"
                "31m \xff",
                "\\x9b31m \\xff");  // CSI as one byte
    check_shown("\xc3(", "\\xc3("); // begun, not ended
    check_shown("\xe2\x82", "\\xe2\\x82");
    check_shown("\xc1\x9b", "\\xc1\\x9b"); // too long a form of a control character
    check_shown("\xe0\x80\x9b", "\\xe0\\x80\\x9b");
    check_shown("\xed\xa0\x80", "\\xed\\xa0\\x80"); // a surrogate
    check_shown("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

// Cut behind whole characters, never in an escape.
static void test_cut(void)
{
    char out[8];

    sedge_shown(out, 8, "123456\xc3\xbc");
    CHECK(strcmp(out, "123456") == 0);
    sedge_shown(out, 8, "12345\xc3\xbc");
    CHECK(strcmp(out, "12345\xc3\xbc") == 0);
    sedge_shown(out, 8, "1234\x1b");
    CHECK(strcmp(out, "1234") == 0);
    sedge_shown(out, 8, "123\x1b");
    CHECK(strcmp(out, "123\\x1b") == 0);
    sedge_shown(out, 1, "1");
    CHECK(out[0] == '\0');
}

static void test_names(void)
{
    CHECK(sedge_is_shown("air gap", false) && sedge_is_shown("", false));
    CHECK(!sedge_is_shown("two\nlines", false) && sedge_is_shown("two\nlines", true));
    CHECK(!sedge_is_shown("\x1b[1m", true));
}

// All messages go this way, also those of other ranks.
static void test_messages(void)
{
    CHECK(SEDGE_FAIL(SEDGE_ERR_DATA, "the group '%s' is bad", "\x1b[31mred") == SEDGE_ERR_DATA);
    CHECK(strcmp(sedge_error_message(), "the group '\\x1b[31mred' is bad") == 0);
    sedge_error_set(sedge_error_message());
    CHECK(strcmp(sedge_error_message(), "the group '\\x1b[31mred' is bad") == 0);
    sedge_error_set("\x07");
    CHECK(strcmp(sedge_error_message(), "\\x07") == 0);
}

int main(void)
{
    test_characters();
    test_not_utf8();
    test_cut();
    test_names();
    test_messages();
    return CHECK_END();
}
