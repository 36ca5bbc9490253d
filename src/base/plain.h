// Numbers as text with a decimal point in every locale. A program that uses this library may have
// set a locale in which printf writes, and strtod expects, a decimal comma.
#pragma once

#include <stdarg.h>
#include <stddef.h>

// As snprintf, vsnprintf and strtod in the C locale. The locale of the calling thread is restored.
__attribute__((format(printf, 3, 4))) int sedge_plain_print(char *out, size_t size,
                                                            const char *format, ...);
__attribute__((format(printf, 3, 0))) int sedge_plain_print_list(char *out, size_t size,
                                                                 const char *format, va_list list);
double sedge_plain_read(const char *text, char **end);
