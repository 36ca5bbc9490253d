// Is a mesh conforming: do its elements overlap nowhere, and are they neighbours where they touch?
//
// If not, outer faces lie on or cross other outer faces, or a closed part of the outer surface lies
// inside other elements. So it is enough to look at the outer surface, which is small.
#include "global.h"
#include "outer.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOLD = 4,       // pairs of groups in the message
    TRIES = 8,      // places on a closed surface that are looked at
    MOST = 1 << 20, // pairs of faces; with more the mesh is refused at once
    MESSAGE = 3072
};

typedef enum fault { FAULT_TOUCH, FAULT_OVERLAP } fault;

// Two outer faces that meet, or face a inside an element.
typedef struct finding {
    int64_t a, b;    // b < 0: none
    int32_t element; // of face b, or in which a lies
    sedge_meeting meeting;
} finding;

typedef struct search {
    sedge_global *mesh;
    sedge_outer outer;
    finding *found; // [count]
    int64_t count, room;
} search;

static sedge_status fail(const search *s);

static sedge_status add(search *s, finding what)
{
    if (s->count == MOST) return fail(s);
    if (s->count == s->room) {
        finding *wider = NULL;
        const int64_t room = 2 * s->room + 64;
        SEDGE_TRY(sedge_allocate(&wider, room, sizeof *wider));
        if (s->count > 0) memcpy(wider, s->found, (size_t)s->count * sizeof *wider);
        sedge_release(s->found);
        s->found = wider;
        s->room = room;
    }
    s->found[s->count++] = what;
    return SEDGE_OK;
}

static sedge_status compare_faces(void *context, int64_t a, int64_t b)
{
    search *const s = context;
    const sedge_outer_face *const face = s->outer.face;
    const sedge_meeting meeting = sedge_outer_meet(&face[a], &face[b], s->outer.rounding);

    if (meeting == SEDGE_MEETING_NONE) return SEDGE_OK;
    return add(s, (finding){a, b, face[b].element, meeting});
}

// ---- surfaces inside elements ------------------------------------------------------------------

// The element, other than `own`, that contains the place x most deeply; -1: none does.
static int32_t find_holder(const sedge_global *mesh, const double x[3], int32_t own)
{
    int32_t best = -1;
    double deepest = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        double corners[4][3];
        double least = DBL_MAX;
        for (int v = 0; v < 4; v++)
            memcpy(corners[v], mesh->points[mesh->cells[e][v]], sizeof corners[v]);
        const double whole = sedge_tet_volume(corners);
        for (int v = 0; v < 4; v++) {
            double replaced[4][3];
            memcpy(replaced, corners, sizeof replaced);
            memcpy(replaced[v], x, sizeof replaced[v]);
            least = fmin(least, sedge_tet_volume(replaced) / whole);
        }
        if (e == own || !(least > deepest)) continue;
        best = e;
        deepest = least;
    }
    return best;
}

static void find_centre(const sedge_outer_face *face, double x[3])
{
    for (int d = 0; d < 3; d++) x[d] = (face->x[0][d] + face->x[1][d] + face->x[2][d]) / 3.0;
}

// A closed surface that crosses no other one lies inside elements either completely or not at all.
// So one place on each is enough.
static sedge_status find_covered(search *s)
{
    const sedge_outer *const outer = &s->outer;
    int32_t *parent = NULL; // of each vertex; those of one surface have one root
    signed char *tries = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&parent, s->mesh->vertices, sizeof *parent));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tries, s->mesh->vertices, sizeof *tries));
    for (int32_t v = 0; v < s->mesh->vertices; v++) parent[v] = v;
    for (int64_t i = 0; i < outer->count; i++) {
        const int32_t *const v = outer->face[i].vertex;
        for (int k = 1; k < 3; k++)
            parent[sedge_find_root(parent, v[k])] = sedge_find_root(parent, v[0]);
    }
    for (int64_t i = 0; i < outer->count; i++) {
        const int32_t root = sedge_find_root(parent, outer->face[i].vertex[0]);
        int volumes = 0;
        if (tries[root] == TRIES) continue;
        tries[root]++;
        if (!sedge_outer_cover(outer, i, &volumes)) continue;
        tries[root] = TRIES;
        if (volumes == 0) continue;
        double x[3];
        find_centre(&outer->face[i], x);
        const int32_t own = outer->face[i].element;
        const int32_t holder = find_holder(s->mesh, x, own);
        SEDGE_TRY_GOTO(
            status, add(s, (finding){i, -1, holder >= 0 ? holder : own, SEDGE_MEETING_COVERING}));
    }
done:
    sedge_release(parent);
    sedge_release(tries);
    return status;
}

// ---- cracks ------------------------------------------------------------------------------------

// Remove intended cracks from the list. A crack is intended if both sides have the same triangles
// (Gmsh's plugin Crack makes such surfaces), if their surface groups contain nothing else, so that
// the deck gives them conditions of their own, and if the mesh continues around the crack. A crack
// that separates two volumes completely is more likely a mistake; a two-sided surface of the deck
// serves the same purpose.
static sedge_status drop_cracks(search *s)
{
    const sedge_mesh_groups *const groups = &s->mesh->groups;
    int64_t *equal = NULL; // faces of each surface group that lie on another
    int32_t *part = NULL;
    int32_t parts;
    int64_t kept = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&equal, groups->surfaces + 1LL, sizeof *equal));
    SEDGE_TRY_GOTO(status, sedge_allocate(&part, s->mesh->elements, sizeof *part));
    SEDGE_TRY_GOTO(status, sedge_global_part(part, &parts, s->mesh));
    for (int64_t i = 0; i < s->count; i++) {
        const finding *const f = &s->found[i];
        if (f->meeting != SEDGE_MEETING_EQUAL) continue;
        equal[s->outer.face[f->a].group]++;
        equal[s->outer.face[f->b].group]++;
    }
    for (int64_t i = 0; i < s->count; i++) {
        const finding f = s->found[i];
        bool meant = f.meeting == SEDGE_MEETING_EQUAL;
        for (int side = 0; side < 2 && meant; side++) {
            const int group = s->outer.face[side == 0 ? f.a : f.b].group;
            meant = group < groups->surfaces && equal[group] == groups->surface_faces[group];
        }
        if (meant) meant = part[s->outer.face[f.a].element] == part[s->outer.face[f.b].element];
        if (meant) {
            s->mesh->shape.crack_faces++;
        } else {
            s->found[kept++] = f;
        }
    }
    s->count = kept;
done:
    sedge_release(equal);
    sedge_release(part);
    return status;
}

// ---- the message -------------------------------------------------------------------------------

// All findings of one kind between two volume groups, for the message.
typedef struct told {
    fault kind;
    int groups[2]; // of volumes; the lesser first
    int64_t faces;
    const finding *first;
} told;

__attribute__((format(printf, 2, 3))) static void print(char text[MESSAGE], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + used, MESSAGE - used, format, arguments);
    va_end(arguments);
}

static void note(told *list, int *count, const search *s, const finding *f)
{
    const bool touches = f->meeting == SEDGE_MEETING_EQUAL || f->meeting == SEDGE_MEETING_TOUCHING;
    const int a = s->mesh->group[s->outer.face[f->a].element];
    const int b = s->mesh->group[f->element];
    const told own = {touches ? FAULT_TOUCH : FAULT_OVERLAP, {a < b ? a : b, a < b ? b : a}, 1, f};

    for (int i = 0; i < *count && i < TOLD; i++) {
        told *const known = &list[i];
        if (known->kind != own.kind || memcmp(known->groups, own.groups, sizeof own.groups) != 0)
            continue;
        known->faces++;
        return;
    }
    if (*count < TOLD) list[*count] = own;
    ++*count; // those beyond TOLD are counted more than once, and told as "others"
}

// Print the surface group of a face, or that it has none.
static void print_group(char text[MESSAGE], const search *s, int64_t face)
{
    const int group = s->outer.face[face].group;

    if (group < s->mesh->groups.surfaces) {
        print(text, "of surface group '%s'", s->mesh->groups.surface_names[group]);
    } else {
        print(text, "of no surface group");
    }
}

static void describe(char text[MESSAGE], const search *s, const told *what)
{
    char(*const names)[64] = s->mesh->groups.volume_names;
    const finding *const f = what->first;
    const sedge_outer_face *const face = &s->outer.face[f->a];
    double x[3];

    find_centre(face, x);
    if (what->groups[0] == what->groups[1]) {
        print(text, "parts of the volume group '%s' ", names[what->groups[0]]);
    } else {
        print(text, "the volume groups '%s' and '%s' ", names[what->groups[0]],
              names[what->groups[1]]);
    }
    print(text, what->kind == FAULT_TOUCH ? "touch, but share no faces" : "overlap");
    if (f->b >= 0) print(text, " (%lld pairs of outer faces)", (long long)what->faces);
    print(text, ", first at (%.6g, %.6g, %.6g): there a face ", x[0], x[1], x[2]);
    print_group(text, s, f->a);
    if (f->b < 0) {
        print(text, " lies inside '%s'", names[s->mesh->group[f->element]]);
        return;
    }
    print(text, f->meeting == SEDGE_MEETING_CROSSING ? " crosses one " : " lies on one ");
    print_group(text, s, f->b);
}

static sedge_status fail(const search *s)
{
    char text[MESSAGE] = "";
    told list[TOLD];
    int count = 0;
    bool kinds[2] = {false, false};

    for (int64_t i = 0; i < s->count; i++) note(list, &count, s, &s->found[i]);
    for (int i = 0; i < count && i < TOLD; i++) {
        if (i > 0) print(text, "; ");
        describe(text, s, &list[i]);
        kinds[list[i].kind] = true;
    }
    if (count > TOLD) print(text, "; and others");
    print(text, ". Remedies in Gmsh: with the OpenCASCADE kernel, write "
                "'BooleanFragments{ Volume{:}; Delete; }{ }' before the physical groups, which "
                "then need the new numbers");
    if (kinds[FAULT_TOUCH]) {
        print(text, "; if both sides have the same triangles, write 'Coherence Mesh;' after "
                    "meshing. "
                    "A conductor without thickness needs no gap: name the shared surface in the "
                    "deck's boundaries");
    }
    if (kinds[FAULT_OVERLAP]) {
        print(text,
              "%s 'BooleanDifference' if one volume is a hole in the other; or refine the mesh "
              "where curved surfaces come near each other",
              kinds[FAULT_TOUCH] ? ". Or use" : "; or use");
    }
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: the mesh is not conforming: %s", s->mesh->name, text);
}

sedge_status sedge_global_conform(sedge_global *mesh)
{
    search s = {.mesh = mesh};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_outer_init(&s.outer, mesh));
    SEDGE_TRY_GOTO(status, sedge_outer_visit_pairs(&s.outer, compare_faces, &s));
    SEDGE_TRY_GOTO(status, find_covered(&s));
    if (s.count > 0) SEDGE_TRY_GOTO(status, drop_cracks(&s));
    if (s.count > 0) status = fail(&s);
done:
    sedge_outer_clear(&s.outer);
    sedge_release(s.found);
    return status;
}
