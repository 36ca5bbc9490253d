// Numbers as text with a decimal point, whatever locale the program has set that uses this library:
// in some of them printf writes a comma, and strtod wants one.
#pragma once

#include <stdarg.h>
#include <stddef.h>

// As snprintf, vsnprintf and strtod in the C locale; the calling thread's own is as before.
__attribute__((format(printf, 3, 4))) int sedge_plain_print(char *out, size_t size,
                                                            const char *format, ...);
__attribute__((format(printf, 3, 0))) int sedge_plain_print_list(char *out, size_t size,
                                                                 const char *format, va_list list);
double sedge_plain_read(const char *text, char **end);
