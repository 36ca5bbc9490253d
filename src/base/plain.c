#define _POSIX_C_SOURCE 200809L // uselocale
#include "plain.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// To be left by uselocale of what this returns. All categories of "C" are there without memory: it
// cannot fail.
static locale_t enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

int sedge_plain_print_list(char *out, size_t size, const char *format, va_list list)
{
    const locale_t before = enter();
    const int length = vsnprintf(out, size, format, list);

    (void)uselocale(before);
    return length;
}

int sedge_plain_print(char *out, size_t size, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    const int length = sedge_plain_print_list(out, size, format, list);
    va_end(list);
    return length;
}

double sedge_plain_read(const char *text, char **end)
{
    const locale_t before = enter();
    const double value = strtod(text, end);

    (void)uselocale(before);
    return value;
}
