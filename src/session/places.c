#include "session/places.h"

#include "base/memory.h"
#include "deck/deck_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYER_TEXT = 96 };

#define ON_WALL   1e-6 // of a triangle's size: a source nearer than this lies on it
#define CANCELLED 0.1  // less than this part of a source on a wall remains

// A probe or a point source: what the deck calls it, and where it is.
typedef struct deck_point {
    const deck_node *node;
    const char *what;
    const char *name; // NULL: none
    double place[3];
} deck_point;

// Probes, then point sources; returns how many.
static int list_points(const sedge_deck *deck, deck_point *points)
{
    const deck_node *const monitors = deck_child(deck->tree, "monitors");
    const deck_node *const probes = deck_child(deck_child(monitors, "probes"), "points");
    const deck_node *const spectra = deck_child(monitors, "spectra");
    const deck_node *source = deck_child(deck->tree, "sources")->first;
    int count = 0;

    for (int i = 0; i < deck->probe_count; i++) {
        const double *const x = deck->probes[i].position;
        points[count++] = (deck_point){deck_child(probes, deck->probes[i].name),
                                       "probe",
                                       deck->probes[i].name,
                                       {x[0], x[1], x[2]}};
    }
    for (int i = 0; i < deck->spectrum_count; i++) {
        const sedge_deck_spectrum *const spectrum = &deck->spectra[i];
        const deck_node *const places = deck_child(deck_child(spectra, spectrum->name), "points");
        for (int k = 0; k < spectrum->point_count; k++) {
            const double *const x = spectrum->points[k].position;
            points[count++] = (deck_point){deck_child(places, spectrum->points[k].name),
                                           "the point of a spectrum",
                                           spectrum->points[k].name,
                                           {x[0], x[1], x[2]}};
        }
    }
    for (int i = 0; i < deck->source_count; i++, source = source->next) {
        const double *const x = deck->sources[i].parameters; // of a point, its place comes first
        if (!sedge_has_place(deck->sources[i].kind)) continue;
        points[count++] =
            (deck_point){source, deck->sources[i].kind->name, NULL, {x[0], x[1], x[2]}};
    }
    return count;
}

enum { IN_LAYER = 2 };

// Which points lie in an element of this rank: 1, or IN_LAYER in a radial layer. To make a
// locator takes as long as to look at every element for half a dozen points.
static sedge_status find_points(const sedge_mesh *mesh, const deck_point *points, int count,
                                int64_t *found)
{
    sedge_locator *locator = NULL;
    double rst[3];

    if (count > 4) SEDGE_TRY(sedge_locator_create(&locator, mesh));
    for (int i = 0; i < count; i++) {
        const int32_t element = locator != NULL ? sedge_locator_find(locator, points[i].place, rst)
                                                : sedge_mesh_locate(mesh, points[i].place, rst);
        found[i] = element >= 0;
        if (element >= 0 && mesh->extruded.radius > 0.0 && sedge_mesh_in_layer(mesh, element))
            found[i] = IN_LAYER;
    }
    sedge_locator_free(locator);
    return SEDGE_OK;
}

// How far a place inside is at least from this rank's triangles at which radial layers begin: from
// their planes.
static double find_ray_distance(const sedge_mesh *mesh, const double x[3])
{
    double nearest = HUGE_VAL;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double *const a = mesh->planes[e];
        double level = 1.0;
        double square = 0.0;
        if (!sedge_mesh_in_layer(mesh, e)) continue;
        for (int d = 0; d < 3; d++) {
            level -= a[d] * (x[d] - mesh->extruded.centre[d]);
            square += a[d] * a[d];
        }
        nearest = fmin(nearest, level / sqrt(square));
    }
    return nearest;
}

// The side of the box, 2 axis + end, whose layer a place is nearest to, and its distance from
// there, below 0 in the layer.
static int find_side(const sedge_mesh *mesh, const double x[3], double *distance)
{
    const double(*const box)[3] = sedge_mesh_inner_bounds(mesh);
    int side = 0;

    *distance = HUGE_VAL;
    for (int s = 0; s < 6; s++) {
        const double inner = box[s % 2][s / 2];
        const double away = s % 2 == 0 ? x[s / 2] - inner : inner - x[s / 2];
        if (!(fabs(mesh->bounds[s % 2][s / 2] - inner) > 0.0) || away >= *distance) continue;
        *distance = away;
        side = s;
    }
    return side;
}

// How far a place is from the layer, below 0 in it: from a side of the box that has one, or from
// this rank's part of a radial layer.
static double find_distance(const sedge_mesh *mesh, const double x[3])
{
    double distance;

    if (mesh->extruded.radius > 0.0) return find_ray_distance(mesh, x);
    (void)find_side(mesh, x, &distance);
    return distance;
}

// Which part of the layer is nearest to a place: all sides of a box may be one surface group.
static void describe_layer(char text[LAYER_TEXT], const sedge_deck *deck, const sedge_mesh *mesh,
                           const double x[3])
{
    double distance;

    if (mesh->extruded.radius > 0.0) {
        (void)snprintf(text, LAYER_TEXT, "boundaries.%s", deck->layer->name);
        return;
    }
    const int side = find_side(mesh, x, &distance);
    (void)snprintf(text, LAYER_TEXT, "the side %c = %g", "xyz"[side / 2],
                   sedge_mesh_inner_bounds(mesh)[side % 2][side / 2]);
}

// A point must not lie in a layer, whose fields are not those of the medium.
static sedge_status fail_in_layer(const sedge_deck *deck, const sedge_mesh *mesh,
                                  const deck_point *point)
{
    const double(*const box)[3] = sedge_mesh_inner_bounds(mesh);
    const double *const x = point->place;
    char layer[LAYER_TEXT];

    describe_layer(layer, deck, mesh, x);
    return deck_fail(deck->path, point->node,
                     "%s%s%s%s at (%g, %g, %g) lies in the layer (type pml) of %s, outside of the "
                     "mesh, which spans (%g, %g, %g) to (%g, %g, %g)",
                     point->what, point->name != NULL ? " '" : "",
                     point->name != NULL ? point->name : "", point->name != NULL ? "'" : "", x[0],
                     x[1], x[2], layer, box[0][0], box[0][1], box[0][2], box[1][0], box[1][1],
                     box[1][2]);
}

sedge_status sedge_places_check(const sedge_comm *comm, const sedge_deck *deck,
                                const sedge_mesh *mesh)
{
    const double(*const bounds)[3] = sedge_mesh_inner_bounds(mesh);
    int most = deck->probe_count + deck->source_count;
    sedge_status status;
    deck_point *points = NULL;
    int64_t *found = NULL;
    int count = 0;

    for (int i = 0; i < deck->spectrum_count; i++) most += deck->spectra[i].point_count;
    if (most == 0) return SEDGE_OK;
    status = sedge_allocate(&points, most, sizeof *points);
    if (status == SEDGE_OK) status = sedge_allocate(&found, most, sizeof *found);
    if (status == SEDGE_OK) count = list_points(deck, points);
    if (count > 0) status = find_points(mesh, points, count, found);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_comm_max_int(comm, found, count);
    for (int i = 0; i < count; i++) {
        const double *const x = points[i].place;
        if (found[i] == IN_LAYER || (found[i] != 0 && find_distance(mesh, x) < 0.0)) {
            status = fail_in_layer(deck, mesh, &points[i]);
            goto done;
        }
        if (found[i] != 0) continue;
        status =
            deck_fail(deck->path, points[i].node,
                      "%s%s%s%s at (%g, %g, %g) lies outside the mesh, which spans (%g, %g, %g) to "
                      "(%g, %g, %g)",
                      points[i].what, points[i].name != NULL ? " '" : "",
                      points[i].name != NULL ? points[i].name : "",
                      points[i].name != NULL ? "'" : "", x[0], x[1], x[2], bounds[0][0],
                      bounds[0][1], bounds[0][2], bounds[1][0], bounds[1][1], bounds[1][2]);
        goto done;
    }
done:
    sedge_release(points);
    sedge_release(found);
    return status;
}

sedge_status sedge_places_check_balls(const sedge_comm *comm, const sedge_points *points,
                                      const sedge_deck *deck, const sedge_mesh *mesh)
{
    const deck_node *node = deck_child(deck->tree, "sources")->first;
    int ball = 0;

    for (int i = 0; i < deck->source_count; i++, node = node->next) {
        const double *const x = deck->sources[i].parameters;
        if (!sedge_has_place(deck->sources[i].kind)) continue;
        const double radius = points->radius[ball++];
        double distance = find_distance(mesh, x);
        sedge_comm_min(comm, &distance, 1);
        if (distance >= radius) continue;
        char layer[LAYER_TEXT];
        describe_layer(layer, deck, mesh, x);
        return deck_fail(deck->path, node,
                         "the %s at (%g, %g, %g) is %.3g away from the layer (type pml) of %s, and "
                         "spread over a ball of radius %.3g, which must not reach it: move the "
                         "source, or refine the mesh there",
                         deck->sources[i].kind->name, x[0], x[1], x[2], distance, layer, radius);
    }
    return SEDGE_OK;
}

// ---- sources on walls ---------------------------------------------------------------------------

static void subtract(double out[3], const double a[3], const double b[3])
{
    for (int d = 0; d < 3; d++) out[d] = a[d] - b[d];
}

static void multiply(double out[3], const double a[3], const double b[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The unit normal of a face that a place lies on, or on its edge; false: it lies on neither.
static bool find_normal(double normal[3], const sedge_mesh *mesh, const sedge_set_face *side,
                        const double x[3])
{
    const int *const vertices = sedge_face_vertices[side->face];
    const double(*const corners)[3] = (const double(*)[3])mesh->corners[side->element];
    double u[3], v[3], across[3];

    subtract(u, corners[vertices[1]], corners[vertices[0]]);
    subtract(v, corners[vertices[2]], corners[vertices[0]]);
    multiply(normal, u, v);
    const double area = sqrt(dot(normal, normal)); // twice that of the triangle
    for (int d = 0; d < 3; d++) normal[d] /= area;
    for (int k = 0; k < 3; k++) {
        double edge[3], to[3];
        subtract(edge, corners[vertices[(k + 1) % 3]], corners[vertices[k]]);
        subtract(to, x, corners[vertices[k]]);
        multiply(across, edge, to);
        if (fabs(dot(to, normal)) > ON_WALL * sqrt(area)) return false;
        if (dot(across, normal) < -ON_WALL * area) return false;
    }
    return true;
}

double sedge_places_kept(const sedge_problem *problem, const sedge_source_kind *kind,
                         const double *parameters, sedge_mirror mirror, const double normal[3])
{
    double weights[SEDGE_MAX_FIELDS] = {0.0};
    double all = 0.0;
    double kept = 0.0;

    kind->point(parameters, problem->materials[0], weights);
    for (int g = 0; g < 2; g++) {
        const double *const current = weights + problem->equation->groups[g].first;
        const double square = dot(current, current);
        const double across = dot(current, normal) * dot(current, normal);
        all += square;
        kept += (g == 0) == (mirror == SEDGE_MIRROR_ELECTRIC) ? across : square - across;
    }
    return all > 0.0 ? kept / all : 1.0;
}

void sedge_places_find_cancelled(int *source, int *surface, const sedge_comm *comm,
                                 const sedge_problem *problem, const sedge_mesh *mesh)
{
    int64_t found = 0; // 1 + source * surfaces + surface

    for (int s = 0; problem->equation->poynting && s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        if (kind == NULL || kind->mirror == SEDGE_MIRROR_NONE) continue;
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            for (int k = 0; k < problem->point_source_count; k++) {
                const sedge_point_source *const one = &problem->point_sources[k];
                double normal[3];
                if (find_normal(normal, mesh, &mesh->set_faces[i], one->position) &&
                    sedge_places_kept(problem, one->kind, one->parameters, kind->mirror, normal) <
                        CANCELLED * CANCELLED)
                    found = 1 + (int64_t)k * problem->surfaces + s;
            }
        }
    }
    sedge_comm_max_int(comm, &found, 1);
    *source = found > 0 ? (int)((found - 1) / problem->surfaces) : -1;
    *surface = found > 0 ? (int)((found - 1) % problem->surfaces) : -1;
}

// ---- sources beside surfaces of far fields ------------------------------------------------------

// The distance of a place from a face's triangle.
static double find_face_distance(const sedge_mesh *mesh, const sedge_set_face *side,
                                 const double x[3])
{
    const int *const vertices = sedge_face_vertices[side->face];
    const double(*const corners)[3] = (const double(*)[3])mesh->corners[side->element];
    double u[3], v[3], to[3], normal[3], across[3];
    double nearest = HUGE_VAL;
    bool above = true; // the place is above the triangle: no edge is nearer than the plane

    subtract(u, corners[vertices[1]], corners[vertices[0]]);
    subtract(v, corners[vertices[2]], corners[vertices[0]]);
    multiply(normal, u, v);
    for (int k = 0; k < 3; k++) {
        double edge[3], rest[3];
        subtract(edge, corners[vertices[(k + 1) % 3]], corners[vertices[k]]);
        subtract(to, x, corners[vertices[k]]);
        multiply(across, edge, to);
        above = above && dot(across, normal) >= 0.0;
        const double part = fmin(1.0, fmax(0.0, dot(edge, to) / dot(edge, edge)));
        for (int d = 0; d < 3; d++) rest[d] = to[d] - part * edge[d];
        nearest = fmin(nearest, sqrt(dot(rest, rest)));
    }
    return above ? fabs(dot(to, normal)) / sqrt(dot(normal, normal)) : nearest;
}

// The distances of all point sources from a surface group, whose faces may be on several ranks.
static void find_distances(double *distances, const sedge_comm *comm, const sedge_problem *problem,
                           const sedge_mesh *mesh, int surface)
{
    for (int k = 0; k < problem->point_source_count; k++) distances[k] = HUGE_VAL;
    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        for (int k = 0; k < problem->point_source_count; k++) {
            distances[k] =
                fmin(distances[k], find_face_distance(mesh, &mesh->set_faces[i],
                                                      problem->point_sources[k].position));
        }
    }
    sedge_comm_min(comm, distances, problem->point_source_count);
}

// The point source whose ball reaches a surface group and that is nearer to it, in radii of its
// ball, than *least, which becomes that; -1: none. `distances`: room for one of each source.
static int find_nearer(double *least, double *distances, const sedge_comm *comm,
                       const sedge_points *points, const sedge_problem *problem,
                       const sedge_mesh *mesh, int surface)
{
    int nearest = -1;

    find_distances(distances, comm, problem, mesh, surface);
    for (int k = 0; k < problem->point_source_count; k++) {
        if (!(distances[k] < *least * points->radius[k])) continue;
        *least = distances[k] / points->radius[k];
        nearest = k;
    }
    return nearest;
}

// A surface group without a condition by its name, or -1: one with a condition cuts the ball
// itself, and the rest has the moments of all of it (dg/point.h).
static int find_bare(const sedge_problem *problem, const sedge_mesh *mesh, const char *name)
{
    for (int s = 0; s < problem->surfaces; s++) {
        if (problem->boundaries[s].kind == NULL && strcmp(mesh->groups.surface_names[s], name) == 0)
            return s;
    }
    return -1;
}

sedge_status sedge_places_find_cut(sedge_places_cut *out, const sedge_comm *comm,
                                   const sedge_points *points, const sedge_deck *deck,
                                   const sedge_problem *problem, const sedge_mesh *mesh)
{
    double *distances = NULL;
    double least = 1.0 - ON_WALL;

    *out = (sedge_places_cut){.source = -1};
    if (deck->far_field_count == 0 || problem->point_source_count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&distances, problem->point_source_count, sizeof *distances)));
    for (int i = 0; i < 2 * deck->far_field_count; i++) {
        const sedge_deck_far_field *const one = &deck->far_fields[i / 2];
        const bool input = i % 2 != 0;
        if (input && one->input.name[0] == '\0') continue;
        const int s = find_bare(problem, mesh, input ? one->input.name : one->surface.name);
        if (s < 0) continue;
        const int k = find_nearer(&least, distances, comm, points, problem, mesh, s);
        if (k >= 0) *out = (sedge_places_cut){k, i / 2, input, distances[k]};
    }
    sedge_release(distances);
    return SEDGE_OK;
}

// ---- sources beside periodic sides --------------------------------------------------------------

static bool is_periodic(const sedge_mesh_options *options, const char *surface)
{
    sedge_periodic_pair pair;

    for (int i = 0; sedge_mesh_find_pair(&pair, options, i); i++)
        if (strcmp(pair.first, surface) == 0 || strcmp(pair.second, surface) == 0) return true;
    return false;
}

sedge_status sedge_places_find_beside(sedge_places_beside *out, const sedge_comm *comm,
                                      const sedge_points *points, const sedge_deck *deck,
                                      const sedge_problem *problem, const sedge_mesh *mesh)
{
    double *distances = NULL;
    double least = 1.0 - ON_WALL;

    *out = (sedge_places_beside){.source = -1};
    if (mesh->periods == 0 || problem->point_source_count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&distances, problem->point_source_count, sizeof *distances)));
    for (int s = 0; s < problem->surfaces; s++) {
        if (!is_periodic(&deck->mesh, mesh->groups.surface_names[s])) continue;
        const int k = find_nearer(&least, distances, comm, points, problem, mesh, s);
        if (k >= 0) *out = (sedge_places_beside){k, s, distances[k]};
    }
    sedge_release(distances);
    return SEDGE_OK;
}
