#include "dg/signal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define DECLARE_KIND(NUMBER, name) extern const sedge_signal_kind sedge_signal_##name;
SEDGE_SIGNAL_ROWS(DECLARE_KIND)

#define LIST_KIND(NUMBER, name) &sedge_signal_##name,
const sedge_signal_kind *const sedge_signal_kinds[SEDGE_SIGNAL_KINDS] = {
    SEDGE_SIGNAL_ROWS(LIST_KIND)};

const sedge_signal_kind *sedge_signal_kind_of(const double *signal)
{
    const int kind = (int)signal[0];

    assert(kind >= 0 && kind < SEDGE_SIGNAL_KINDS);
    return sedge_signal_kinds[kind];
}

double sedge_signal(const double *signal, double t)
{
    return sedge_signal_kind_of(signal)->value(signal, t);
}

void sedge_signal_names(char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < SEDGE_SIGNAL_KINDS && length < size; i++) {
        (void)snprintf(text + length, size - length, i > 0 ? " %s" : "%s",
                       sedge_signal_kinds[i]->name);
        length = strlen(text);
    }
}
