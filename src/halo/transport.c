#include "halo/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const sedge_transport sedge_transport_staged, sedge_transport_direct, sedge_transport_peer;

const sedge_transport *const sedge_transports[SEDGE_TRANSPORTS] = {
    &sedge_transport_staged, &sedge_transport_direct, &sedge_transport_peer};

void sedge_transport_names(char *out, size_t size)
{
    size_t length = 0;

    (void)snprintf(out, size, "auto");
    for (int i = 0; i < SEDGE_TRANSPORTS; i++) {
        length = strlen(out);
        (void)snprintf(out + length, size - length, "%s%s",
                       i + 1 < SEDGE_TRANSPORTS ? ", " : " or ", sedge_transports[i]->name);
    }
}

sedge_status sedge_transport_requested(const sedge_transport **out)
{
    const char *const name = getenv("SEDGE_TRANSPORT");
    char names[128];

    *out = NULL;
    if (name == NULL || name[0] == '\0' || strcmp(name, "auto") == 0) return SEDGE_OK;
    for (int i = 0; i < SEDGE_TRANSPORTS && *out == NULL; i++)
        if (strcmp(name, sedge_transports[i]->name) == 0) *out = sedge_transports[i];
    if (*out != NULL) return SEDGE_OK;
    sedge_transport_names(names, sizeof names);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_TRANSPORT='%s' is no transport: %s", name, names);
}
