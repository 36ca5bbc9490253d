#include "session/symmetry.h"

#include "deck/deck_tree.h"
#include "dg/response.h"
#include "session/places.h"

#include <math.h>
#include <string.h>

#define EXACT 1e-12 // of a vector's square: to the deck's digits
#define FLAT  1e-6  // of the mesh's size: what a plane may be off, by the digits of mesh files

// A plane of symmetry.
typedef struct plane {
    const sedge_deck_boundary *boundary; // the first that lies in it
    int axis;
    double position;
    bool magnetic;
} plane;

typedef struct planes {
    const sedge_deck *deck;
    int count;
    plane of[3];
} planes;

static double find_size(const sedge_mesh *mesh)
{
    double size = 0.0;

    for (int d = 0; d < 3; d++) size = fmax(size, mesh->bounds[1][d] - mesh->bounds[0][d]);
    return size;
}

static const deck_node *find_node(const sedge_deck *deck, const sedge_deck_boundary *boundary)
{
    return deck_child(deck_child(deck->tree, "boundaries"), boundary->name);
}

// The plane in which surface group s lies. Collective.
static sedge_status find_plane(plane *out, const sedge_comm *comm, const sedge_deck *deck,
                               const sedge_mesh *mesh, int s)
{
    const sedge_deck_boundary *const boundary = out->boundary;
    const double size = find_size(mesh);
    double most[6];

    for (int i = 0; i < 6; i++) most[i] = -HUGE_VAL;
    for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++)
        sedge_mesh_extend_box(most, mesh, mesh->set_faces[i].element, mesh->set_faces[i].face);
    sedge_comm_max(comm, most, 6);
    for (int d = 0; d < 3; d++) {
        const double middle = 0.5 * (most[3 + d] - most[d]);
        const bool at_side = fabs(middle - mesh->bounds[0][d]) <= FLAT * size ||
                             fabs(middle - mesh->bounds[1][d]) <= FLAT * size;

        if (most[d] + most[3 + d] > FLAT * size || !at_side) continue;
        out->axis = d;
        out->position = fabs(middle) <= 1e-12 * size ? 0.0 : middle;
        out->magnetic = boundary->kind->mirror == SEDGE_MIRROR_MAGNETIC;
        return SEDGE_OK;
    }
    return deck_fail(deck->path, find_node(deck, boundary),
                     "boundaries.%s.symmetry: the surface must lie in one plane x, y or z = "
                     "constant, with the whole mesh on one side of it; it reaches from (%.6g, "
                     "%.6g, %.6g) to (%.6g, %.6g, %.6g)%s",
                     boundary->name, -most[0], -most[1], -most[2], most[3], most[4], most[5],
                     sedge_deck_unit(deck, SEDGE_LENGTH));
}

static sedge_status add_plane(planes *all, const plane *one, double size)
{
    for (int i = 0; i < all->count; i++) {
        const plane *const other = &all->of[i];

        if (other->axis != one->axis) continue;
        if (fabs(other->position - one->position) > FLAT * size) {
            return deck_fail(all->deck->path, find_node(all->deck, one->boundary),
                             "boundaries.%s.symmetry: the plane is parallel to that of '%s': two "
                             "such planes have images without end; say symmetry at one of them",
                             one->boundary->name, other->boundary->name);
        }
        if (other->magnetic == one->magnetic) return SEDGE_OK;
        return deck_fail(all->deck->path, find_node(all->deck, one->boundary),
                         "boundaries.%s.symmetry: '%s' lies in the same plane and is '%s': a plane "
                         "of symmetry has one type",
                         one->boundary->name, other->boundary->name, other->boundary->kind->name);
    }
    all->of[all->count++] = *one;
    return SEDGE_OK;
}

static sedge_status find_planes(planes *all, const sedge_comm *comm, const sedge_mesh *mesh)
{
    const sedge_deck *const deck = all->deck;

    for (int i = 0; i < deck->boundary_count; i++) {
        plane one = {.boundary = &deck->boundaries[i]};

        if (!one.boundary->symmetry) continue;
        for (int s = 0; s < mesh->groups.surfaces; s++) {
            if (strcmp(mesh->groups.surface_names[s], one.boundary->name) != 0 ||
                mesh->groups.surface_faces[s] == 0)
                continue;
            SEDGE_TRY(find_plane(&one, comm, deck, mesh, s));
            SEDGE_TRY(add_plane(all, &one, find_size(mesh)));
        }
    }
    return SEDGE_OK;
}

// A conductor may lie in the plane, electric or magnetic: it is thin, with its image behind it.
// What absorbs or has an impedance would stand beside its own image. Collective.
static sedge_status check_others(const plane *one, const sedge_comm *comm, const sedge_deck *deck,
                                 const sedge_mesh *mesh, const sedge_problem *problem)
{
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;

        if (kind == NULL || kind->mirror != SEDGE_MIRROR_NONE ||
            !sedge_mesh_lies_in(mesh, comm, s, one->axis, one->position, FLAT * find_size(mesh)))
            continue;
        return deck_fail(deck->path, find_node(deck, one->boundary),
                         "boundaries.%s.symmetry: '%s', which is '%s', has faces in the same plane "
                         "%c = %.6g%s, behind which are the mirror images: faces in a plane of "
                         "symmetry must be conductors, 'pec' or 'pmc'",
                         one->boundary->name, mesh->groups.surface_names[s], kind->name,
                         'x' + one->axis, one->position, sedge_deck_unit(deck, SEDGE_LENGTH));
    }
    return SEDGE_OK;
}

// How much the medium couples the component of a vector across the plane with those in it, by the
// greatest number of the vector's matrix, at a frequency.
static double find_coupling(const plane *one, const sedge_problem *problem, int volume,
                            double omega)
{
    const sedge_equation *const equation = problem->equation;
    const int n = equation->fields;
    double complex matrix[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];
    double most = 0.0;

    if (!sedge_response_matrix(matrix, problem, volume, omega)) return 0.0;
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        const int end = group->first + group->count;
        const int across = group->first + one->axis;
        double coupling = 0.0, whole = 0.0;

        if (group->count != 3) continue;
        for (int f = group->first; f < end; f++) {
            for (int k = group->first; k < end; k++) {
                const double size = cabs(matrix[f * n + k]);
                whole = fmax(whole, size);
                if ((f == across) != (k == across)) coupling = fmax(coupling, size);
            }
        }
        if (whole > 0.0) most = fmax(most, coupling / whole);
    }
    return most;
}

// A medium is its own mirror image if it does not couple the component of a vector across the plane
// with those in it. A term may be hidden by others at some frequencies, so many are tried.
static sedge_status check_media(const plane *one, const sedge_deck *deck, const sedge_mesh *mesh,
                                const sedge_problem *problem)
{
    for (int v = 0; v < problem->volumes; v++) {
        double coupling = 0.0;

        for (int i = -6; i < 13; i++)
            coupling = fmax(coupling, find_coupling(one, problem, v, pow(10.0, i)));
        if (coupling <= 1e-9) continue;
        return deck_fail(deck->path, find_node(deck, one->boundary),
                         "boundaries.%s.symmetry: the material of '%s' is not its own mirror image "
                         "in the plane %c = %.6g%s: an axis of a tensor must be across the plane, "
                         "and so must a static magnetic field",
                         one->boundary->name, mesh->groups.volume_names[v], 'x' + one->axis,
                         one->position, sedge_deck_unit(deck, SEDGE_LENGTH));
    }
    return SEDGE_OK;
}

// ---- sources -----------------------------------------------------------------------------------

// The numbers of a kind's parameter; NULL: it has none of this name.
static const double *find_vector(const sedge_source_kind *kind, const double *values,
                                 const char *name)
{
    for (int i = 0; i < kind->parameter_count; i++) {
        if (strcmp(kind->parameters[i].name, name) == 0) return values;
        values += sedge_parameter_size(&kind->parameters[i]);
    }
    return NULL;
}

// Is the vector across the plane, or, with `within`, in it? To the deck's digits. The zero vector
// is both.
static bool is_placed(const double *vector, int axis, bool within)
{
    double square = 0.0;
    double along = 0.0;

    for (int d = 0; d < 3; d++) square += vector[d] * vector[d];
    along = vector[axis] * vector[axis];
    return (within ? along : square - along) <= EXACT * square;
}

static bool is_in(const plane *one, const double place[3], double size)
{
    return fabs(place[one->axis] - one->position) <= FLAT * size;
}

// Does the image of a source in the plane add to all of it?
static bool is_symmetric(const plane *one, const sedge_problem *problem,
                         const sedge_deck_source *source)
{
    const double normal[3] = {one->axis == 0, one->axis == 1, one->axis == 2};
    const sedge_mirror mirror = one->magnetic ? SEDGE_MIRROR_MAGNETIC : SEDGE_MIRROR_ELECTRIC;

    return problem->equation->poynting &&
           sedge_places_kept(problem, source->kind, source->parameters, mirror, normal) >=
               1.0 - EXACT;
}

// A plane wave goes along the plane, with E across an electric one and in a magnetic one. A point
// source that is not in the plane has an image.
static sedge_status check_source(const planes *all, const plane *one, int number,
                                 const sedge_problem *problem, double size)
{
    static const char *const types[] = {"pec", "pmc"};
    const sedge_deck *const deck = all->deck;
    const sedge_deck_source *const source = &deck->sources[number];
    const sedge_source_kind *const kind = source->kind;
    const char axis = (char)('x' + one->axis);
    const deck_node *node = deck_child(deck->tree, "sources")->first;

    for (int i = 0; i < number; i++) node = node->next;
    if (kind->type == SEDGE_SOURCE_INCIDENT) {
        const double *const direction = find_vector(kind, source->parameters, "direction");
        const double *const field = find_vector(kind, source->parameters, "polarisation");

        if (direction != NULL && field != NULL && is_placed(direction, one->axis, true) &&
            is_placed(field, one->axis, one->magnetic))
            return SEDGE_OK;
        return deck_fail(deck->path, node,
                         "sources.%d: the wave is not symmetric about the plane %c = %.6g of "
                         "boundaries.%s, which is '%s': it must go along the plane, with its "
                         "electric field %s",
                         number, axis, one->position, one->boundary->name, types[one->magnetic],
                         one->magnetic ? "in it" : "across it");
    }
    if (!sedge_has_place(kind) || !is_in(one, source->parameters, size) ||
        is_symmetric(one, problem, source))
        return SEDGE_OK;
    return deck_fail(deck->path, node,
                     "sources.%d: the source lies in the plane %c = %.6g of boundaries.%s, which "
                     "is '%s' and would cancel it: there an electric current must be %s, a "
                     "magnetic one %s",
                     number, axis, one->position, one->boundary->name, types[one->magnetic],
                     one->magnetic ? "in the plane" : "across the plane",
                     one->magnetic ? "across it" : "in it");
}

static void mark_sources(const plane *one, sedge_problem *problem, double size)
{
    for (int i = 0; i < problem->point_source_count; i++) {
        if (is_in(one, problem->point_sources[i].position, size))
            problem->point_sources[i].mirrored |= 1 << one->axis;
    }
}

// ---- what the monitors need ---------------------------------------------------------------------

static sedge_status add_images(sedge_deck *deck, const plane *one)
{
    const deck_node *const entries = deck_child(deck_child(deck->tree, "monitors"), "far-field");

    for (int i = 0; i < deck->far_field_count; i++) {
        sedge_deck_far_field *const far = &deck->far_fields[i];

        for (int k = 0; k < far->image_count; k++) {
            if (far->images[k].axis != one->axis) continue;
            return deck_fail(deck->path, deck_child(entries, far->name),
                             "monitors.far-field.%s.images.%c: boundaries.%s is a plane of "
                             "symmetry across this axis, which is an image by itself: leave the "
                             "entry out",
                             far->name, 'x' + one->axis, one->boundary->name);
        }
        far->images[far->image_count++] = (sedge_deck_image){
            .axis = one->axis, .position = one->position, .magnetic = one->magnetic};
    }
    return SEDGE_OK;
}

static sedge_status check_sphere(const sedge_deck *deck, const plane *one, double size)
{
    if (deck->exact.layers == 0 || is_in(one, deck->exact.centre, size)) return SEDGE_OK;
    return deck_fail(deck->path, deck_child(deck->tree, "exact"),
                     "exact: the sphere's centre is not in the plane %c = %.6g of boundaries.%s, "
                     "about which it should be symmetric",
                     'x' + one->axis, one->position, one->boundary->name);
}

sedge_status sedge_symmetry_find(const sedge_comm *comm, sedge_deck *deck, const sedge_mesh *mesh,
                                 sedge_problem *problem)
{
    const double size = find_size(mesh);
    planes all = {.deck = deck};

    SEDGE_TRY(find_planes(&all, comm, mesh));
    for (int i = 0; i < all.count; i++) {
        const plane *const one = &all.of[i];

        SEDGE_TRY(check_others(one, comm, deck, mesh, problem));
        SEDGE_TRY(check_media(one, deck, mesh, problem));
        for (int k = 0; k < deck->source_count; k++)
            SEDGE_TRY(check_source(&all, one, k, problem, size));
        SEDGE_TRY(check_sphere(deck, one, size));
        SEDGE_TRY(add_images(deck, one));
        mark_sources(one, problem, size);
        problem->mirrors[one->axis] = (sedge_mirror_plane){
            one->magnetic ? SEDGE_MIRROR_MAGNETIC : SEDGE_MIRROR_ELECTRIC, one->position};
        deck->copies *= 2;
    }
    return SEDGE_OK;
}
