#include "absorption_sheets.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// The sides of all ranks as faces with two sides, on the root.
typedef struct sheet_faces {
    sedge_joined_faces joined;
    int64_t (*sides)[2]; // [faces] gathered rows; the normals of `joined` are those of the first
    int32_t *volumes;    // [gathered rows] number of the material
    double *sums;        // [gathered rows][side_points][fields][2] at one frequency
} sheet_faces;

static void clear_faces(const sheet_faces *faces)
{
    sedge_joined_faces_clear(&faces->joined);
    sedge_release(faces->sides);
    sedge_release(faces->volumes);
    sedge_release(faces->sums);
}

// Root: the two rows of each face, the one with the smaller id first.
static sedge_status pair_sides(const sheet_faces *faces, const sedge_gather *gather,
                               int side_points, const char *name)
{
    for (int64_t f = 0; f < faces->joined.faces; f++) faces->sides[f][0] = faces->sides[f][1] = -1;
    for (int64_t row = 0; row < gather->all; row++) {
        int64_t *const sides = faces->sides[faces->joined.target[row * side_points] / side_points];
        const bool first = sides[0] < 0 || gather->ids[row] < gather->ids[sides[0]];

        sides[1] = first ? sides[0] : row;
        if (first) sides[0] = row;
    }
    for (int64_t f = 0; f < faces->joined.faces; f++) {
        if (faces->sides[f][1] >= 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "the surface '%s', inside the mesh, has a face with one side", name);
    }
    return SEDGE_OK;
}

static sedge_status create_faces(sheet_faces *out, const sedge_face_points *points, int group,
                                 const sedge_output_context *context,
                                 const sedge_spectrum *spectrum)
{
    const sedge_gather *const gather = &spectrum->gather;
    const int64_t fields = 2LL * context->problem->equation->fields;
    int32_t *own = NULL;

    *out = (sheet_faces){.sides = NULL};
    SEDGE_TRY(sedge_face_points_join(&out->joined, points, context->comm, gather));
    sedge_status status = sedge_allocate(&out->sides, out->joined.faces, sizeof *out->sides);
    if (status == SEDGE_OK)
        status = sedge_allocate(&out->volumes, gather->all, sizeof *out->volumes);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&out->sums, gather->all * points->side_points * fields,
                                sizeof *out->sums);
    }
    if (status == SEDGE_OK) status = sedge_allocate(&own, points->sides, sizeof *own);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int32_t s = 0; s < points->sides; s++)
        own[s] = context->mesh->group[points->elements[(int64_t)s * points->side_points]];
    sedge_gather_bring(gather, context->comm, own, sizeof *own, out->volumes);
    status =
        pair_sides(out, gather, points->side_points, context->mesh->groups.surface_names[group]);
    status = sedge_comm_agree(context->comm, status);
done:
    sedge_release(own);
    return status;
}

// What all sides of this rank have at frequency k: own [sides][side_points][2][fields].
static void pick_sums(double *own, const sedge_face_points *points, const sedge_spectrum *spectrum,
                      int fields, int k)
{
    const int64_t count = spectrum->frequencies->count;
    const int64_t all = (int64_t)points->sides * points->side_points;

    memset(own, 0, (size_t)(2 * all * fields) * sizeof *own);
    for (int64_t at = 0; at < all; at++) {
        for (int c = 0; c < spectrum->components; c++) {
            const double *const sums =
                spectrum->sums + 2 * ((spectrum->components * at + c) * count + k);
            for (int part = 0; part < 2; part++)
                own[(2 * at + part) * fields + spectrum->component[c]] = sums[part];
        }
    }
}

// Root: the sum over all faces, in their order, the same on any number of ranks.
static double sum_faces(const sheet_faces *faces, const sedge_problem *problem,
                        const sedge_boundary *boundary, int side_points, double omega)
{
    const int64_t width = 2LL * problem->equation->fields;
    double sum = 0.0;

    for (int64_t f = 0; f < faces->joined.faces; f++) {
        const int64_t *const sides = faces->sides[f];

        for (int p = 0; p < side_points; p++) {
            const int64_t at = f * side_points + p;
            sum += faces->joined.area[at] * boundary->kind->loss_two_sided(
                                                problem->materials[faces->volumes[sides[0]]],
                                                problem->materials[faces->volumes[sides[1]]],
                                                faces->joined.normal[at],
                                                faces->sums + (sides[0] * side_points + p) * width,
                                                faces->sums + (sides[1] * side_points + p) * width,
                                                boundary->parameters, omega);
        }
    }
    return sum;
}

sedge_status sedge_absorption_sheet_powers(const sedge_face_points *points, int group,
                                           const sedge_output_context *context,
                                           const sedge_spectrum *spectrum, double *power)
{
    const sedge_problem *const problem = context->problem;
    const int fields = problem->equation->fields;
    const int count = spectrum->frequencies->count;
    const int64_t row = 2LL * points->side_points * fields;
    double *own = NULL;
    sheet_faces faces = {.sides = NULL};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, sedge_allocate(&own, points->sides * row,
                                                                          sizeof *own)));
    SEDGE_TRY_GOTO(status, create_faces(&faces, points, group, context, spectrum));
    for (int k = 0; k < count; k++) {
        pick_sums(own, points, spectrum, fields, k);
        sedge_gather_bring(&spectrum->gather, context->comm, own, (size_t)row * sizeof *own,
                           faces.sums);
        if (sedge_comm_is_root(context->comm)) {
            power[k] = sum_faces(&faces, problem, &problem->boundaries[group], points->side_points,
                                 2.0 * PI * spectrum->frequencies->value[k]);
        }
    }
    sedge_comm_broadcast(context->comm, power, (size_t)count * sizeof *power, 0);
done:
    clear_faces(&faces);
    sedge_release(own);
    return status;
}
