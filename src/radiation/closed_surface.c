#include "closed_surface.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLAT 1e-6 // of the mesh's size: what a plane may be off, by the digits of mesh files

enum { GRAIN = 1 << 12 }; // points that take as long as a thread's start

bool sedge_closed_surface_is_outside(const sedge_output_context *context,
                                     const sedge_face_points *faces, int32_t side)
{
    const int64_t at = (int64_t)side * faces->side_points;
    double(*const corners)[3] = context->mesh->corners[faces->elements[at]];
    double along = 0.0;

    for (int i = 0; i < 3; i++) {
        const double middle =
            0.25 * (corners[0][i] + corners[1][i] + corners[2][i] + corners[3][i]);
        along += (middle - faces->place[at][i]) * faces->normal[at][i];
    }
    return along > 0.0;
}

// Turn all normals if they point inward: the volume that they enclose is negative then.
static void turn_outward(const sedge_near_surface *surface, const sedge_comm *comm,
                         const double centre[3], const sedge_face_points *faces)
{
    double origin[3];
    double volume = 0.0;

    memcpy(origin, centre, sizeof origin);
    for (int p = 0; p < surface->planes; p++)
        origin[surface->plane[p].axis] = surface->plane[p].position;
    for (int64_t k = 0; k < surface->points; k++) {
        for (int i = 0; i < 3; i++) {
            volume += faces->share[k / faces->side_points] * faces->area[k] * faces->normal[k][i] *
                      (faces->place[k][i] - origin[i]);
        }
    }
    sedge_comm_sum(comm, &volume, 1);
    for (int64_t k = 0; k < surface->points && volume < 0.0; k++)
        for (int i = 0; i < 3; i++) faces->normal[k][i] = -faces->normal[k][i];
}

// The quadrature weights. Where fields jump, at a surface with a condition on both sides, the outer
// sides are the closed surface: what is inside does not radiate.
static void set_weights(double *weight, const char *name, const sedge_output_context *context,
                        const sedge_face_points *faces)
{
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    bool jumps = false;

    for (int s = 0; s < groups->surfaces; s++) {
        if (strcmp(groups->surface_names[s], name) == 0)
            jumps = groups->surface_two_sided_faces[s] > 0;
    }
    for (int32_t s = 0; s < faces->sides; s++) {
        double share = faces->share[s];

        if (jumps && share < 1.0)
            share = sedge_closed_surface_is_outside(context, faces, s) ? 1.0 : 0.0;
        for (int64_t k = 0; k < faces->side_points; k++) {
            const int64_t at = s * (int64_t)faces->side_points + k;
            weight[at] = share * faces->area[at];
        }
    }
}

// The plane that may close an open surface: one of a pec or pmc group on the outside of the mesh,
// on which the surface ends and in which it has no image. Into text[size]; "": none. Collective.
static void suggest_symmetry(char *text, size_t size, const sedge_output_context *context,
                             const sedge_near_surface *surface, const sedge_face_points *faces)
{
    const sedge_mesh *const mesh = context->mesh;
    double bounds[6];

    text[0] = '\0';
    for (int i = 0; i < 6; i++) bounds[i] = -HUGE_VAL;
    for (int32_t s = 0; s < faces->sides; s++) {
        for (int i = 0; i < 9; i++) {
            bounds[i % 3] = fmax(bounds[i % 3], -faces->corners[s][i]);
            bounds[3 + i % 3] = fmax(bounds[3 + i % 3], faces->corners[s][i]);
        }
    }
    sedge_comm_max(context->comm, bounds, 6);
    for (int k = 0; k < context->problem->surfaces * 6; k++) {
        const int s = k / 6;
        const int axis = k % 3;
        const double end = k % 6 < 3 ? -bounds[k % 6] : bounds[k % 6];
        const double slack = FLAT * (mesh->bounds[1][axis] - mesh->bounds[0][axis]);
        const sedge_boundary_kind *const kind = context->problem->boundaries[s].kind;
        bool given = kind == NULL || kind->mirror == SEDGE_MIRROR_NONE ||
                     fabs(end - mesh->bounds[k % 6 / 3][axis]) > slack;

        for (int p = 0; p < surface->planes; p++) given = given || surface->plane[p].axis == axis;
        if (given || !sedge_mesh_lies_in(mesh, context->comm, s, axis, end, slack)) continue;
        (void)snprintf(text, size,
                       "; it ends on '%s' in the plane %c = %g: if that is a plane of symmetry, "
                       "set boundaries.%s.symmetry: true; if it is a ground, with nothing behind, "
                       "set images: {%c: {type: %s, at: %g, ground: true}}",
                       mesh->groups.surface_names[s], 'x' + axis, end,
                       mesh->groups.surface_names[s], 'x' + axis,
                       kind->mirror == SEDGE_MIRROR_ELECTRIC ? "pec" : "pmc", end);
        return;
    }
}

// Of a waveguide's port the vector into the structure; NULL: the surface is none.
static const double *into_of(const sedge_output_context *context, int surface)
{
    const sedge_boundary *const boundary = &context->problem->boundaries[surface];
    const bool guided = boundary->kind != NULL && boundary->kind->into > 0;

    return guided ? boundary->parameters + boundary->kind->into : NULL;
}

// Does the line from x along `into` go through the triangle, in front of x?
static bool is_behind(const double x[3], const double triangle[9], const double into[3])
{
    double ahead = 0.0;
    bool left = false, right = false; // it passes an edge on that side

    for (int k = 0; k < 3; k++) {
        const double *const a = triangle + (ptrdiff_t)3 * k;
        const double *const b = triangle + (ptrdiff_t)3 * ((k + 1) % 3);
        double turn = 0.0;

        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3;
            const int l = (i + 2) % 3;
            turn += into[i] * ((a[j] - x[j]) * (b[l] - x[l]) - (a[l] - x[l]) * (b[j] - x[j]));
            ahead += into[i] * (a[i] - x[i]);
        }
        left = left || turn > 0.0;
        right = right || turn < 0.0;
    }
    return ahead > 0.0 && !(left && right);
}

// Faces that cross the guide behind a waveguide's port count no more. Collective.
static sedge_status leave_out_guide(double *weight, const sedge_output_context *context,
                                    const sedge_face_points *faces, int port)
{
    double(*triangles)[9] = NULL;
    int64_t count = 0;

    SEDGE_TRY(sedge_surface_triangles(&triangles, &count, context->comm, context->mesh, port));
    for (int32_t s = 0; s < faces->sides; s++) {
        const double *const c = faces->corners[s];
        double middle[3];
        bool inside = false;

        for (int i = 0; i < 3; i++) middle[i] = (c[i] + c[3 + i] + c[6 + i]) / 3.0;
        for (int64_t t = 0; t < count && !inside; t++)
            inside = is_behind(middle, triangles[t], into_of(context, port));
        for (int k = 0; k < faces->side_points && inside; k++)
            weight[(int64_t)s * faces->side_points + k] = 0.0;
    }
    sedge_release(triangles);
    return SEDGE_OK;
}

sedge_status sedge_closed_surface_create(sedge_near_surface *out, double **weight,
                                         const sedge_output_context *context,
                                         const sedge_deck_far_field *deck, const char *name,
                                         sedge_face_points *faces, const char *where)
{
    *out = (sedge_near_surface){.comm = context->comm,
                                .threads = context->threads,
                                .points = (int64_t)faces->sides * faces->side_points,
                                .place = (const double(*)[3])faces->place,
                                .normal = (const double(*)[3])faces->normal,
                                .planes = deck->image_count};
    for (int i = 0; i < deck->image_count; i++) {
        const sedge_deck_image *const image = &deck->images[i];
        out->plane[i] =
            (sedge_image_plane){image->axis, image->position, image->magnetic, image->ground};
    }
    SEDGE_TRY(
        sedge_comm_agree(context->comm, sedge_allocate(weight, out->points, sizeof **weight)));
    turn_outward(out, context->comm, deck->centre, faces);
    set_weights(*weight, name, context, faces);
    out->weight = *weight;
    if (sedge_near_surface_check(out) != SEDGE_OK) {
        char reason[1024];
        char remedy[512];

        (void)snprintf(reason, sizeof reason, "%.1000s", sedge_error_message());
        suggest_symmetry(remedy, sizeof remedy, context, out, faces);
        const sedge_deck_surface *const asked =
            strcmp(name, deck->surface.name) == 0 ? &deck->surface : &deck->input;
        if (remedy[0] == '\0' && asked->away) {
            (void)snprintf(remedy, sizeof remedy,
                           "; or (%g, %g, %g), 'away_from', does not see the inner side of all "
                           "faces",
                           asked->away_from[0], asked->away_from[1], asked->away_from[2]);
        }
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the surface '%s': %s%s", where, name, reason,
                          remedy);
    }
    for (int s = 0; s < context->problem->surfaces; s++)
        if (into_of(context, s) != NULL) SEDGE_TRY(leave_out_guide(*weight, context, faces, s));
    return SEDGE_OK;
}

sedge_status sedge_driven_surface_create(sedge_near_surface *out, double **weight,
                                         const sedge_output_context *context, const char *name,
                                         const sedge_face_points *faces)
{
    const double *into = NULL;

    for (int s = 0; s < context->problem->surfaces; s++)
        if (strcmp(context->mesh->groups.surface_names[s], name) == 0) into = into_of(context, s);
    *out = (sedge_near_surface){.comm = context->comm,
                                .threads = context->threads,
                                .points = (int64_t)faces->sides * faces->side_points,
                                .place = (const double(*)[3])faces->place,
                                .normal = (const double(*)[3])faces->normal};
    SEDGE_TRY(
        sedge_comm_agree(context->comm, sedge_allocate(weight, out->points, sizeof **weight)));
    for (int64_t k = 0; k < out->points; k++) { // normals point out of the elements
        double along = into != NULL ? 0.0 : -1.0;
        for (int i = 0; i < 3 && into != NULL; i++) along += into[i] * faces->normal[k][i];
        (*weight)[k] = along < 0.0 ? -faces->area[k] * context->deck->copies : 0.0;
    }
    out->weight = *weight;
    return SEDGE_OK;
}

typedef struct phasors {
    const sedge_spectrum *spectrum;
    int f;
    double complex (*E)[3], (*H)[3];
} phasors;

static void take_phasors(void *context, int64_t first, int64_t end)
{
    const phasors *const to = context;
    const int frequencies = to->spectrum->frequencies->count;

    for (int64_t k = first; k < end; k++) {
        for (int c = 0; c < 6; c++) {
            const double *const sum = to->spectrum->sums + 2 * ((6 * k + c) * frequencies + to->f);
            const double complex value = sum[0] + (double complex)_Complex_I * sum[1];

            if (c < 3) {
                to->E[k][c] = value;
            } else {
                to->H[k][c - 3] = value;
            }
        }
    }
}

void sedge_closed_surface_fields(const sedge_near_surface *surface, const sedge_spectrum *spectrum,
                                 int f, double complex (*E)[3], double complex (*H)[3])
{
    phasors to = {.spectrum = spectrum, .f = f, .E = E, .H = H};

    sedge_parallel(surface->threads, surface->points, GRAIN, take_phasors, &to);
}
