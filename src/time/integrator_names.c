// Apart from integrator.c: only programs with a registry of kinds can link what needs its table.
#include "integrator.h"

#include <stdio.h>
#include <string.h>

const sedge_integrator *sedge_integrator_find(const char *name)
{
    for (int i = 0; sedge_integrators[i] != NULL; i++)
        if (strcmp(sedge_integrators[i]->name, name) == 0) return sedge_integrators[i];
    return NULL;
}

void sedge_integrator_names(char *text, size_t size)
{
    size_t used = 0;

    for (int i = 0; sedge_integrators[i] != NULL && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                                 sedge_integrators[i]->name);
    }
}
