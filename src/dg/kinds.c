// Which kinds of boundaries, sources and terms an equation has.
#include "dg/equation.h"
#include "dg/term_kind.h"

#include <string.h>

int sedge_boundary_kinds(const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS],
                         const sedge_equation *equation)
{
    int count = 0;

    for (; count < equation->boundary_count && count < SEDGE_MAX_KINDS; count++)
        kinds[count] = &equation->boundaries[count];
    for (int i = 0; sedge_face_kinds[i] != NULL; i++) {
        if (strcmp(sedge_face_kinds[i]->equation, equation->name) != 0) continue;
        if (sedge_face_kinds[i]->kind.turns) continue;
        if (count < SEDGE_MAX_KINDS) kinds[count] = &sedge_face_kinds[i]->kind;
        count++;
    }
    return count;
}

const sedge_boundary_kind *sedge_turning_kind(const sedge_equation *equation)
{
    for (int i = 0; sedge_face_kinds[i] != NULL; i++) {
        const sedge_face_kind *const face = sedge_face_kinds[i];
        if (face->kind.turns && strcmp(face->equation, equation->name) == 0) return &face->kind;
    }
    return NULL;
}

int sedge_source_kinds_of(const sedge_source_kind *kinds[SEDGE_MAX_KINDS],
                          const sedge_equation *equation)
{
    int count = 0;

    for (; count < equation->source_count && count < SEDGE_MAX_KINDS; count++)
        kinds[count] = &equation->sources[count];
    for (int i = 0; sedge_source_kinds[i] != NULL; i++) {
        if (strcmp(sedge_source_kinds[i]->equation, equation->name) != 0) continue;
        if (count < SEDGE_MAX_KINDS) kinds[count] = sedge_source_kinds[i];
        count++;
    }
    return count;
}

int sedge_term_kinds_of(const sedge_term_kind *kinds[SEDGE_MAX_KINDS],
                        const sedge_equation *equation, bool all)
{
    int count = 0;

    for (int i = 0; sedge_term_kinds[i] != NULL; i++) {
        if (strcmp(sedge_term_kinds[i]->equation, equation->name) != 0) continue;
        const bool named = sedge_term_kinds[i]->layer == 0 && sedge_term_kinds[i]->tensor == NULL;
        if (!named && !all) continue;
        if (count < SEDGE_MAX_KINDS) kinds[count] = sedge_term_kinds[i];
        count++;
    }
    return count;
}
