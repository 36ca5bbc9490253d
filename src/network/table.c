#include "network/table.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PI 3.14159265358979323846

sedge_status sedge_network_table_begin(sedge_text *text, const char *more)
{
    return sedge_text_add(text, "frequency,port,driven,S_re,S_im,dB,degrees%s\n", more);
}

sedge_status sedge_network_table_field(sedge_text *text, const char *field)
{
    if (strpbrk(field, ",\"\n\r") == NULL) return sedge_text_add(text, "%s", field);
    SEDGE_TRY(sedge_text_add(text, "\""));
    for (; *field != '\0'; field++) {
        SEDGE_TRY(sedge_text_add_bytes(text, field, 1));
        if (*field == '"') SEDGE_TRY(sedge_text_add_bytes(text, field, 1));
    }
    return sedge_text_add(text, "\"");
}

// Has column j of S a valid entry at any frequency?
static bool is_driven(const sedge_network *network, int j)
{
    const int n = network->ports;

    for (int f = 0; f < network->frequencies; f++) {
        for (int i = 0; i < n; i++) {
            const double complex value = network->s[((ptrdiff_t)f * n + i) * n + j];
            if (isfinite(creal(value)) && isfinite(cimag(value))) return true;
        }
    }
    return false;
}

static sedge_status add_row(sedge_text *text, const sedge_network *network, int f, int i, int j)
{
    const int n = network->ports;
    const double complex value = network->s[((ptrdiff_t)f * n + i) * n + j];
    const bool valid = isfinite(creal(value)) && isfinite(cimag(value));

    SEDGE_TRY(sedge_text_add(text, "%.15g,", network->frequency[f]));
    SEDGE_TRY(sedge_network_table_field(text, network->port[i].name));
    SEDGE_TRY(sedge_text_add(text, ","));
    SEDGE_TRY(sedge_network_table_field(text, network->port[j].name));
    if (!valid) return sedge_text_add(text, ",nan,nan,nan,nan");
    return sedge_text_add(text, ",%.9g,%.9g,%.6g,%.6g", creal(value), cimag(value),
                          20.0 * log10(cabs(value)), carg(value) * 180.0 / PI);
}

sedge_status sedge_network_table_add(sedge_text *text, const sedge_network *network,
                                     const char *more)
{
    const int n = network->ports;
    bool *driven = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&driven, n, sizeof *driven));
    for (int j = 0; j < n; j++) driven[j] = is_driven(network, j);
    for (int64_t k = 0; k < (int64_t)network->frequencies * n * n; k++) {
        const int j = (int)(k % n);
        if (!driven[j]) continue;
        SEDGE_TRY_GOTO(status, add_row(text, network, (int)(k / n / n), (int)(k / n % n), j));
        SEDGE_TRY_GOTO(status, sedge_text_add(text, "%s\n", more));
    }
    status = SEDGE_OK;
done:
    sedge_release(driven);
    return status;
}
