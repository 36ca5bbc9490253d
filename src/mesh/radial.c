#include "radial.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

// A vertex lies on the sphere if it is nearer than this part of the radius, and a wall is along the
// rays if the sine of the angle is smaller.
static const double tolerance = 1e-6;

// The least cosine of the angle between a ray and the normal of a triangle that it meets. A layer
// stretches places along the rays: a wave that goes outwards along the rays and inwards along the
// normal would grow in it, by (1 / cosine - 1) / 2 of the rate at which others decay.
static const double least_cosine = 0.5;

// ---- vectors -----------------------------------------------------------------------------------

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++) out[d] = a[d] - b[d];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static bool has_layer(const sedge_layer_build *build, const sedge_layer_face *face)
{
    return face->element >= 0 && build->is_requested[face->group];
}

// Mark the vertices of the faces with layers: `on` [vertices].
static void mark_vertices(const sedge_layer_build *build, bool *on)
{
    for (int64_t i = 0; i < build->faces; i++) {
        if (!has_layer(build, &build->face[i])) continue;
        for (int k = 0; k < 3; k++) on[build->face[i].vertex[k]] = true;
    }
}

// Solve a symmetric, positive definite system of four equations; false: it is singular.
static bool solve(double a[4][5])
{
    for (int i = 0; i < 4; i++) {
        if (!(a[i][i] > 1e-12)) return false; // of equations of order 1
        for (int k = 0; k < 4; k++) {
            const double factor = k != i ? a[k][i] / a[i][i] : 0.0;
            for (int j = i; j < 5 && k != i; j++) a[k][j] -= factor * a[i][j];
        }
    }
    for (int i = 0; i < 4; i++) a[i][4] /= a[i][i];
    return true;
}

// The sphere |y|^2 = 2 c.y + k through the marked vertices by least squares, with y in units of
// `size` from `middle`; false: they lie in a plane.
static bool fit(const sedge_layer_build *build, const bool *on, const double middle[3], double size,
                double centre[3], double *radius)
{
    double a[4][5] = {{0.0}};
    double count = 0.0;

    for (int64_t v = 0; v < build->mesh->vertices; v++) {
        double row[5];
        if (!on[v]) continue;
        for (int d = 0; d < 3; d++) row[d] = (build->mesh->points[v][d] - middle[d]) / size;
        row[3] = 1.0;
        row[4] = dot(row, row);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 5; j++) a[i][j] += row[i] * row[j];
        count += 1.0;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) a[i][j] /= count;
    if (!solve(a)) return false;
    double square = a[3][4];
    for (int d = 0; d < 3; d++) {
        square += 0.25 * a[d][4] * a[d][4];
        centre[d] = middle[d] + 0.5 * a[d][4] * size;
    }
    *radius = size * sqrt(square);
    return true;
}

// ---- the centre --------------------------------------------------------------------------------

// Do all marked vertices lie on the sphere?
static bool is_sphere(const sedge_layer_build *build, const bool *on, double radius)
{
    double out[3];

    for (int64_t v = 0; v < build->mesh->vertices; v++) {
        if (!on[v]) continue;
        subtract(build->mesh->points[v], build->centre, out);
        if (!(fabs(sqrt(dot(out, out)) - radius) <= tolerance * radius)) return false;
    }
    return true;
}

static void find_normal(const sedge_global *mesh, const sedge_layer_face *face, double normal[3])
{
    double a[3], b[3];

    subtract(mesh->points[face->vertex[1]], mesh->points[face->vertex[0]], a);
    subtract(mesh->points[face->vertex[2]], mesh->points[face->vertex[0]], b);
    cross(a, b, normal);
}

// Whether it is an outer face of another group with an edge on the surface.
static bool is_wall(const sedge_layer_build *build, const sedge_layer_face *face, const bool *on)
{
    int ends = 0;

    if (face->element < 0 || has_layer(build, face)) return false;
    for (int k = 0; k < 3; k++) ends += on[face->vertex[k]];
    return ends >= 2;
}

// Move the centre onto the planes of the walls that reach the surface: of the first three of them
// with normals in different directions.
static void move_to_walls(sedge_layer_build *build, const bool *on)
{
    double fixed[3][3]; // orthonormal directions in which the centre does not move any more
    int count = 0;

    for (int64_t i = 0; i < build->faces && count < 3; i++) {
        const sedge_layer_face *const face = &build->face[i];
        double normal[3], along[3], off[3];
        if (!is_wall(build, face, on)) continue;
        find_normal(build->mesh, face, normal);
        for (int d = 0; d < 3; d++) along[d] = normal[d];
        for (int k = 0; k < count; k++) {
            const double part = dot(along, fixed[k]);
            for (int d = 0; d < 3; d++) along[d] -= part * fixed[k][d];
        }
        const double length = sqrt(dot(along, along));
        if (length <= 1e-3 * sqrt(dot(normal, normal))) continue;
        subtract(build->mesh->points[face->vertex[0]], build->centre, off);
        const double step = dot(off, normal) / dot(along, normal);
        for (int d = 0; d < 3; d++) {
            build->centre[d] += step * along[d];
            fixed[count][d] = along[d] / length;
        }
        count++;
    }
}

// The middle of the box around the marked vertices, on the planes of walls.
static void choose_centre(sedge_layer_build *build, const bool *on)
{
    double box[2][3] = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};

    for (int64_t v = 0; v < build->mesh->vertices; v++) {
        for (int d = 0; d < 3 && on[v]; d++) {
            box[0][d] = fmin(box[0][d], build->mesh->points[v][d]);
            box[1][d] = fmax(box[1][d], build->mesh->points[v][d]);
        }
    }
    for (int d = 0; d < 3; d++) build->centre[d] = 0.5 * (box[0][d] + box[1][d]);
    move_to_walls(build, on);
}

// ---- its faces ---------------------------------------------------------------------------------

// The normal of a face with a layer, out of the mesh.
static void find_outward(const sedge_global *mesh, const sedge_layer_face *face, double normal[3])
{
    const int32_t *const cell = mesh->cells[face->element];
    double inwards[3];
    int apex = 0; // the element's vertex that is not on the face

    while (cell[apex] == face->vertex[0] || cell[apex] == face->vertex[1] ||
           cell[apex] == face->vertex[2])
        apex++;
    find_normal(mesh, face, normal);
    subtract(mesh->points[cell[apex]], mesh->points[face->vertex[0]], inwards);
    if (dot(inwards, normal) < 0.0) return;
    for (int d = 0; d < 3; d++) normal[d] = -normal[d];
}

static sedge_status fail_steep(const sedge_layer_build *build, const sedge_layer_face *face,
                               const double x[3], double cosine)
{
    const sedge_global *const mesh = build->mesh;
    const char *const name = mesh->groups.surface_names[face->group];
    const double degrees = 45.0 / atan(1.0);

    if (build->is_sphere) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the mesh lies outside of the sphere of radius %.6g that the surface "
                          "group '%s' is: layers grow outwards; give the surface another condition",
                          mesh->name, build->radius, name);
    }
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: the surface group '%s' is no part of a box with edges along the axes, "
                      "nor of a sphere, nor of a surface that is seen from the centre (%.6g, %.6g, "
                      "%.6g) at moderate angles: at (%.6g, %.6g, %.6g) the ray from there meets it "
                      "at %.0f degrees to its outward normal, and %.0f are allowed. Layers need "
                      "one of these: enclose the mesh by a box",
                      mesh->name, name, build->centre[0], build->centre[1], build->centre[2], x[0],
                      x[1], x[2], acos(cosine) * degrees, acos(least_cosine) * degrees);
}

// Rays meet the triangles from inside the mesh, at moderate angles. Sets
// `radius` and `steepest`, and `least` [vertices], the least cosine of the angles between the ray
// through a vertex and the normals of the triangles there.
static sedge_status check_faces(sedge_layer_build *build, double *least)
{
    const sedge_global *const mesh = build->mesh;

    build->steepest = 1.0;
    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        double normal[3], out[3];
        if (!has_layer(build, face)) continue;
        find_outward(mesh, face, normal);
        for (int k = 0; k < 3; k++) {
            const double *const x = mesh->points[face->vertex[k]];
            subtract(x, build->centre, out);
            const double distance = sqrt(dot(out, out));
            const double cosine = dot(out, normal) / (distance * sqrt(dot(normal, normal)));
            if (!(cosine >= least_cosine)) return fail_steep(build, face, x, cosine);
            if (!build->is_sphere) build->radius = fmax(build->radius, distance);
            build->steepest = fmin(build->steepest, cosine);
            least[face->vertex[k]] = fmin(least[face->vertex[k]], cosine);
        }
    }
    return SEDGE_OK;
}

// How far the layers reach along the ray through each vertex, as a multiple of their thickness: so
// far that above no triangle they are thinner. On a sphere all rays are equal.
static sedge_status find_depths(sedge_layer_build *build)
{
    const int64_t vertices = build->mesh->vertices;

    SEDGE_TRY(sedge_allocate(&build->depth, vertices, sizeof *build->depth));
    for (int64_t v = 0; v < vertices; v++) build->depth[v] = 1.0;
    SEDGE_TRY(check_faces(build, build->depth));
    for (int64_t v = 0; v < vertices; v++)
        build->depth[v] = build->is_sphere ? 1.0 : 1.0 / build->depth[v];
    return SEDGE_OK;
}

static double mean_edge(const sedge_layer_build *build)
{
    double sum = 0.0, side[3];
    int64_t edges = 0;

    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        for (int k = 0; k < 3 && has_layer(build, face); k++, edges++) {
            subtract(build->mesh->points[face->vertex[(k + 1) % 3]],
                     build->mesh->points[face->vertex[k]], side);
            sum += sqrt(dot(side, side));
        }
    }
    return sum / (double)edges;
}

// ---- what reaches it ---------------------------------------------------------------------------

// Walls that reach the surface go on along the rays.
static sedge_status check_walls(const sedge_layer_build *build, const bool *on)
{
    const sedge_global *const mesh = build->mesh;

    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        double out[3], normal[3];
        if (!is_wall(build, face, on)) continue;
        find_normal(mesh, face, normal);
        for (int k = 0; k < 3; k++) {
            const double *const x = mesh->points[face->vertex[k]];
            subtract(x, build->centre, out);
            const double most = tolerance * sqrt(dot(out, out) * dot(normal, normal));
            if (!on[face->vertex[k]] || fabs(dot(out, normal)) <= most) continue;
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "%s: the surface group '%s' reaches the surface with layers at "
                              "(%.6g, %.6g, %.6g), and not along a ray from its centre, so layers "
                              "there would not continue it: end it on a plane through the centre "
                              "(%.6g, %.6g, %.6g), or enclose the mesh by a box",
                              mesh->name, mesh->groups.surface_names[face->group], x[0], x[1], x[2],
                              build->centre[0], build->centre[1], build->centre[2]);
        }
    }
    return SEDGE_OK;
}

// Make the edges between marked vertices straight.
static sedge_status straighten(sedge_global *mesh, const bool *on)
{
    if (mesh->middles == NULL) return SEDGE_OK;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int k = 0; k < SEDGE_EDGES; k++) {
            const int32_t a = mesh->cells[e][sedge_edge_vertices[k][0]];
            const int32_t b = mesh->cells[e][sedge_edge_vertices[k][1]];
            for (int d = 0; d < 3 && on[a] && on[b]; d++)
                mesh->middles[e][k][d] = 0.5 * (mesh->points[a][d] + mesh->points[b][d]);
        }
    }
    sedge_release(mesh->curved);
    mesh->curved = NULL;
    mesh->global_curved = 0;
    return sedge_global_bend(mesh);
}

sedge_status sedge_layers_find_centre(sedge_layer_build *build, double *edge)
{
    double middle[3], longest = 0.0, radius;
    bool *on = NULL;
    sedge_status status;

    for (int d = 0; d < 3; d++) {
        middle[d] = 0.5 * (build->box[0][d] + build->box[1][d]);
        longest = fmax(longest, build->box[1][d] - build->box[0][d]);
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&on, build->mesh->vertices, sizeof *on));
    mark_vertices(build, on);
    if (!fit(build, on, middle, longest, build->centre, &radius)) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA,
                            "%s: the surface groups with layers lie in a plane that is no side of "
                            "the box around the mesh, with edges along the axes; layers need sides "
                            "of such a box, or a surface around the mesh: enclose it by a box",
                            build->mesh->name);
        goto done;
    }
    build->is_sphere = is_sphere(build, on, radius);
    build->radius = build->is_sphere ? radius : 0.0;
    if (!build->is_sphere) choose_centre(build, on);
    SEDGE_TRY_GOTO(status, find_depths(build));
    SEDGE_TRY_GOTO(status, check_walls(build, on));
    *edge = mean_edge(build);
    status = straighten(build->mesh, on);
done:
    sedge_release(on);
    return status;
}
