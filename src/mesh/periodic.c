// Pairs of surface groups that are one and the same, pairs that are cut, and twins of elements for
// fields that differ by a phase from one side to the other.
#include "global.h"
#include "local.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A boundary face of one of the two groups.
typedef struct side {
    double position; // of the centre along `direction`
    double centre[3];
    double size; // longest edge
    int32_t element;
    int face;
} side;

typedef struct sides {
    side *side; // sorted by position
    int64_t count;
    double centroid[3]; // of the group, weighted by area
    double extent;      // largest coordinate, for rounding
} sides;

// No two faces of a regular grid have the same position along this direction.
static const double direction[3] = {0.5773502691896258, 0.7310585786300049, 0.3612003246853151};

static int compare_sides(const void *left, const void *right)
{
    const side *const a = left, *const b = right;

    if (a->position != b->position) return a->position < b->position ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static const double *corner(const sedge_global *mesh, const side *s, int i)
{
    return mesh->points[mesh->cells[s->element][sedge_face_vertices[s->face][i]]];
}

// Size and area of a face.
static double measure_side(const sedge_global *mesh, side *s)
{
    double squares[3];

    for (int i = 0; i < 3; i++) {
        const double *const a = corner(mesh, s, i), *const b = corner(mesh, s, (i + 1) % 3);
        squares[i] = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                     (a[2] - b[2]) * (a[2] - b[2]);
    }
    s->size = sqrt(fmax(squares[0], fmax(squares[1], squares[2])));
    const double sum = squares[0] + squares[1] + squares[2]; // Heron
    const double fourth =
        squares[0] * squares[0] + squares[1] * squares[1] + squares[2] * squares[2];
    return 0.25 * sqrt(fmax(0.0, sum * sum - 2.0 * fourth));
}

static sedge_status collect_sides(sides *out, const sedge_global *mesh, int group)
{
    double area = 0.0;

    SEDGE_TRY(sedge_allocate(&out->side, mesh->groups.surface_faces[group], sizeof *out->side));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (mesh->faces[e][f].neighbour != -1 - group) continue;
            side *const s = &out->side[out->count++];
            s->element = e;
            s->face = f;
            sedge_global_face_centre(mesh, e, f, s->centre);
            const double weight = measure_side(mesh, s);
            area += weight;
            for (int d = 0; d < 3; d++) {
                out->centroid[d] += weight * s->centre[d];
                out->extent = fmax(out->extent, fabs(s->centre[d]) + s->size);
            }
        }
    }
    for (int d = 0; d < 3; d++) out->centroid[d] /= area;
    return SEDGE_OK;
}

static void sort_sides(sides *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        side *const s = &all->side[i];
        s->position = 0.0;
        for (int d = 0; d < 3; d++) s->position += direction[d] * (s->centre[d] - all->centroid[d]);
    }
    qsort(all->side, (size_t)all->count, sizeof *all->side, compare_sides);
}

static int is_shifted(const double a[3], const double b[3], const double shift[3], double tolerance)
{
    double square = 0.0;

    for (int d = 0; d < 3; d++) square += (a[d] + shift[d] - b[d]) * (a[d] + shift[d] - b[d]);
    return square <= tolerance * tolerance;
}

// Orientation from face a, shifted, to face b; -1 where the corners do not agree.
static int match_corners(const sedge_global *mesh, const side *a, const side *b,
                         const double shift[3], double tolerance)
{
    for (int o = 0; o < 6; o++) {
        int agree = 0;
        for (int i = 0; i < 3; i++) {
            agree += is_shifted(corner(mesh, a, i), corner(mesh, b, sedge_face_permutations[o][i]),
                                shift, tolerance);
        }
        if (agree == 3) return o;
    }
    return -1;
}

// The node of the edge between corners i and j of a face.
static const double *middle(const sedge_global *mesh, const side *s, int i, int j)
{
    const int v = sedge_face_vertices[s->face][i];
    const int w = sedge_face_vertices[s->face][j];
    int e = 0;

    while (sedge_edge_vertices[e][0] + sedge_edge_vertices[e][1] != v + w ||
           (sedge_edge_vertices[e][0] != v && sedge_edge_vertices[e][0] != w))
        e++;
    return mesh->middles[s->element][e];
}

// Whether the edges of faces whose corners agree are bent alike.
static bool match_edges(const sedge_global *mesh, const side *a, const side *b,
                        const double shift[3], double tolerance, int orientation)
{
    const int *const to = sedge_face_permutations[orientation];

    for (int i = 0; i < 3 && mesh->middles != NULL; i++) {
        const int j = (i + 1) % 3;
        if (!is_shifted(middle(mesh, a, i, j), middle(mesh, b, to[i], to[j]), shift, tolerance))
            return false;
    }
    return true;
}

// The one face of `others` that is `a` shifted, or NULL.
static const side *find_partner(const sedge_global *mesh, const side *a, const sides *others,
                                const double shift[3], double tolerance, int *orientation)
{
    int64_t low = 0;
    int64_t high = others->count;

    while (low < high) { // first with position >= a's - 2 tolerance
        const int64_t middle = (low + high) / 2;
        if (others->side[middle].position < a->position - 2.0 * tolerance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < others->count; low++) {
        const side *const b = &others->side[low];
        if (b->position > a->position + 2.0 * tolerance) return NULL;
        *orientation = match_corners(mesh, a, b, shift, tolerance);
        if (*orientation >= 0 && match_edges(mesh, a, b, shift, tolerance, *orientation)) return b;
    }
    return NULL;
}

static int invert(int orientation)
{
    const int identity[3] = {0, 1, 2};

    for (int o = 0; o < 6; o++) {
        int turned[3];
        for (int i = 0; i < 3; i++)
            turned[i] = sedge_face_permutations[o][sedge_face_permutations[orientation][i]];
        if (memcmp(turned, identity, sizeof turned) == 0) return o;
    }
    return 0;
}

// Make a and b neighbours, each in the surface group that it was a boundary face of.
static void join_sides(sedge_global *mesh, const side *a, const side *b, int orientation)
{
    sedge_face *const left = &mesh->faces[a->element][a->face];
    sedge_face *const right = &mesh->faces[b->element][b->face];
    const int back = invert(orientation);

    mesh->side[mesh->sides++] = (sedge_global_side){
        a->element,          b->element, -1 - left->neighbour, (int8_t)a->face, (int8_t)b->face,
        (int8_t)orientation, false};
    mesh->side[mesh->sides++] = (sedge_global_side){
        b->element,   a->element, -1 - right->neighbour, (int8_t)b->face, (int8_t)a->face,
        (int8_t)back, false};
    *left = (sedge_face){b->element, (int8_t)b->face, (int8_t)orientation};
    *right = (sedge_face){a->element, (int8_t)a->face, (int8_t)back};
}

static sedge_status match_sides(sedge_global *mesh, const char *first, const char *second,
                                const sides *left, const sides *right, double shift[3])
{
    SEDGE_TRY(sedge_global_reserve_sides(mesh, 2 * left->count));
    for (int d = 0; d < 3; d++) shift[d] = right->centroid[d] - left->centroid[d];
    const double rounding = 64.0 * DBL_EPSILON * fmax(left->extent, right->extent);
    for (int64_t i = 0; i < left->count; i++) {
        const side *const a = &left->side[i];
        int o = -1;
        const side *const b = find_partner(mesh, a, right, shift, 1e-6 * a->size + rounding, &o);
        if (b == NULL || mesh->faces[b->element][b->face].neighbour >= 0) {
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "%s: the periodic surface groups '%s' and '%s' do not match: the "
                              "face of '%s' with centre (%.6g, %.6g, %.6g) has no partner after "
                              "the shift (%.6g, %.6g, %.6g)",
                              mesh->name, first, second, first, a->centre[0], a->centre[1],
                              a->centre[2], shift[0], shift[1], shift[2]);
        }
        join_sides(mesh, a, b, o);
    }
    return SEDGE_OK;
}

bool sedge_mesh_find_pair(sedge_periodic_pair *out, const sedge_mesh_options *options, int i)
{
    static const sedge_periodic_pair walls[3] = {
        {"xmin", "xmax"}, {"ymin", "ymax"}, {"zmin", "zmax"}};

    if (options->file != NULL) {
        if (i >= options->periodic_pairs) return false;
        *out = options->periodic[i];
        return true;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!options->box_periodic[axis] || i-- > 0) continue;
        *out = walls[axis];
        return true;
    }
    return false;
}

bool sedge_options_cut(const sedge_mesh_options *options, const char *surface)
{
    sedge_periodic_pair pair;

    for (int i = 0; options->cut_periodic && sedge_mesh_find_pair(&pair, options, i); i++)
        if (strcmp(pair.first, surface) == 0 || strcmp(pair.second, surface) == 0) return true;
    return false;
}

void sedge_global_cut_periodic(sedge_global *mesh, const sedge_mesh_options *options)
{
    for (int64_t i = 0; options->cut_periodic && i < mesh->sides; i++) {
        const sedge_global_side *const at = &mesh->side[i];
        if (!sedge_options_cut(options, mesh->groups.surface_names[at->group])) continue;
        mesh->faces[at->element][at->face] = (sedge_face){-1 - at->group, at->face, 0};
    }
}

static sedge_status find_surface_group(const sedge_global *mesh, const char *name, int *group)
{
    for (*group = 0; *group < mesh->groups.surfaces; ++*group)
        if (strcmp(mesh->groups.surface_names[*group], name) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s has no surface group '%s' to make periodic", mesh->name,
                      name);
}

sedge_status sedge_global_pair(sedge_global *mesh, const char *first, const char *second,
                               double shift[3])
{
    sides left = {0};
    sides right = {0};
    int a;
    int b;
    sedge_status status;

    SEDGE_TRY(find_surface_group(mesh, first, &a));
    SEDGE_TRY(find_surface_group(mesh, second, &b));
    if (a == b) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "surface group '%s' cannot be periodic with itself",
                          first);
    }
    int64_t *const faces = mesh->groups.surface_faces;
    if (faces[a] != faces[b] || faces[a] == 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the periodic surface groups '%s' and '%s' do not match: they have "
                          "%lld and %lld outer faces",
                          mesh->name, first, second, (long long)faces[a], (long long)faces[b]);
    }
    SEDGE_TRY_GOTO(status, collect_sides(&left, mesh, a));
    SEDGE_TRY_GOTO(status, collect_sides(&right, mesh, b));
    sort_sides(&left);
    sort_sides(&right);
    SEDGE_TRY_GOTO(status, match_sides(mesh, first, second, &left, &right, shift));
    const int groups[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        mesh->groups.surface_interior_faces[groups[i]] += faces[groups[i]];
        faces[groups[i]] = 0;
    }
done:
    sedge_release(left.side);
    sedge_release(right.side);
    return status;
}

// ---- twins -------------------------------------------------------------------------------------

int sedge_mesh_copies(const sedge_mesh *mesh)
{
    return mesh->twins ? 2 : 1;
}

int sedge_mesh_copy(const sedge_mesh *mesh, int32_t element)
{
    return mesh->twins ? element & 1 : 0;
}

int32_t sedge_mesh_twin(int32_t element)
{
    return element ^ 1;
}

// Set `*out` to each of `rows` [count] of `bytes` bytes twice; NULL stays NULL.
static sedge_status repeat(void *out, const void *rows, int64_t count, size_t bytes)
{
    char *copy = NULL;

    if (rows != NULL) {
        SEDGE_TRY(sedge_allocate(&copy, 2 * count, bytes));
        for (int64_t i = 0; i < 2 * count; i++)
            memcpy(copy + (size_t)i * bytes, (const char *)rows + (size_t)(i / 2) * bytes, bytes);
    }
    memcpy(out, &copy, sizeof(void *));
    return SEDGE_OK;
}

// Neighbours, and the boundary faces, which take their slots in the order of the elements.
static void connect_twins(sedge_mesh *fresh, const sedge_mesh *mesh)
{
    int32_t slot = fresh->halo_faces;

    for (int32_t i = 0; i < fresh->halo_faces; i++)
        fresh->trace_faces[i].element = 2 * fresh->trace_faces[i].element + i % 2;
    for (int32_t e = 0; e < fresh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            sedge_face *const face = &fresh->faces[e][f];
            const int32_t behind = -1 - face->neighbour;
            if (behind < 0) {
                face->neighbour = 2 * face->neighbour + e % 2;
            } else if (behind < mesh->halo_faces) {
                face->neighbour = -1 - (2 * behind + e % 2);
            } else {
                fresh->trace_faces[slot] = mesh->trace_faces[behind];
                fresh->trace_faces[slot].element = e;
                face->neighbour = -1 - slot++;
            }
        }
    }
}

// The side of a named surface that a side becomes in one of the copies.
static sedge_set_face copy_side(const sedge_mesh *fresh, const sedge_mesh *mesh,
                                const sedge_set_face *from, int copy)
{
    sedge_set_face out = *from;

    out.element = 2 * from->element + copy;
    if (from->slot >= 0) out.slot = -1 - fresh->faces[out.element][from->face].neighbour;
    if (from->other >= 0) out.other = 2 * from->other + copy;
    if (from->other_slot >= 0) out.other_slot = 2 * from->other_slot + copy;
    out.second = from->second || (copy == 1 && mesh->cut_surface[from->group]);
    return out;
}

// Sides are by element and face: those of an element, then those of its twin.
static void fill_sides(sedge_mesh *fresh, const sedge_mesh *mesh)
{
    const int surfaces = mesh->groups.surfaces;
    int32_t at = 0;

    for (int s = 0; s < surfaces; s++) {
        const int32_t end = mesh->set_offsets[s + 1];
        for (int32_t first = mesh->set_offsets[s], last; first < end; first = last) {
            const int32_t e = mesh->set_faces[first].element;
            for (last = first; last < end && mesh->set_faces[last].element == e;) last++;
            for (int copy = 0; copy < 2; copy++) {
                for (int32_t i = first; i < last; i++)
                    fresh->set_faces[at++] = copy_side(fresh, mesh, &mesh->set_faces[i], copy);
            }
        }
    }
    for (int s = 0; s <= surfaces; s++) fresh->set_offsets[s] = 2 * mesh->set_offsets[s];
}

static sedge_status fill(sedge_mesh *fresh, const sedge_mesh *mesh)
{
    const int32_t slots = mesh->halo_faces + mesh->boundary_faces;
    const int64_t rows = mesh->set_offsets[mesh->groups.surfaces];

    SEDGE_TRY(repeat(&fresh->corners, mesh->corners, mesh->elements, sizeof *mesh->corners));
    SEDGE_TRY(
        repeat(&fresh->middles, mesh->middles, sedge_mesh_curved(mesh), sizeof *mesh->middles));
    SEDGE_TRY(repeat(&fresh->planes, mesh->planes, mesh->elements, sizeof *mesh->planes));
    SEDGE_TRY(
        repeat(&fresh->global_ids, mesh->global_ids, mesh->elements, sizeof *mesh->global_ids));
    SEDGE_TRY(repeat(&fresh->group, mesh->group, mesh->elements, sizeof *mesh->group));
    SEDGE_TRY(repeat(&fresh->faces, mesh->faces, mesh->elements, sizeof *mesh->faces));
    SEDGE_TRY(repeat(&fresh->trace_faces, mesh->trace_faces, slots, sizeof *mesh->trace_faces));
    SEDGE_TRY(
        repeat(&fresh->halo_level, mesh->halo_level, mesh->halo_faces, sizeof *mesh->halo_level));
    SEDGE_TRY(sedge_allocate(&fresh->set_faces, 2 * rows, sizeof *fresh->set_faces));
    for (int32_t e = 1; e < fresh->elements; e += 2) fresh->global_ids[e] += mesh->global_elements;
    connect_twins(fresh, mesh);
    fill_sides(fresh, mesh);
    return SEDGE_OK;
}

sedge_status sedge_mesh_add_twins(sedge_mesh *mesh)
{
    sedge_mesh fresh = *mesh;
    int32_t *offsets = NULL;
    sedge_status status;

    sedge_mesh_forget_numbered(&fresh);
    fresh.elements *= 2;
    fresh.halo_faces *= 2;
    fresh.boundary_faces *= 2;
    if (mesh->elements > INT32_MAX / 8) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%lld elements on a rank are too many with fields of two parts, which "
                          "need each element twice: use more ranks",
                          (long long)mesh->elements);
    }
    SEDGE_TRY(sedge_allocate(&offsets, mesh->groups.surfaces + 1LL, sizeof *offsets));
    fresh.set_offsets = offsets;
    SEDGE_TRY_GOTO(status, fill(&fresh, mesh));
    sedge_mesh_release_numbered(mesh);
    sedge_release(mesh->set_offsets);
    *mesh = fresh;
    sedge_mesh_forget_numbered(&fresh); // now the mesh's
    offsets = NULL;
    mesh->twins = true;
    mesh->global_elements *= 2;
    mesh->global_vertices *= 2;
    mesh->global_curved *= 2;
    for (int i = 0; i <= mesh->peers; i++) mesh->peer_offsets[i] *= 2;
    for (int r = 0; r < mesh->range_count; r++) {
        mesh->ranges[r].first *= 2;
        mesh->ranges[r].count *= 2;
    }
done:
    sedge_mesh_release_numbered(&fresh);
    sedge_release(offsets);
    return status;
}
