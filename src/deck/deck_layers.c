#include "deck_layers.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// Parameters of a boundary kind with `layers`.
enum { LAYERS, THICKNESS, REFLECTION, FREQUENCY, PARAMETERS };
static const char *const parameter_names[PARAMETERS] = {"layers", "thickness", "reflection",
                                                        "frequency"};

// alpha by the lowest angular frequency: a wave there is absorbed by a factor R^0.92 in place of R.
#define ALPHA_FACTOR 0.3

// The reflection by rule behind ports of waveguides. Fields below a guide's cut-off reach the layer
// without travelling. A smaller alpha than the angular frequency of the lowest cut-off turns their
// phase there, so that the layer may give power to what is trapped in the mesh (tests/cli/
// test_ports.py, test_trapped).
#define REFLECTION_GUIDE 1e-4

// The same in lossless media: a wave at 60 degrees is reflected by -68 dB at the lowest frequency,
// and a field at rest grows up to sigma / alpha times.
#define ALPHA_LOSSLESS 0.0005

// Where epsilon may be negative, edges and corners of a layer are stable if s^2 has a positive real
// part at all frequencies: with s = 1 + sigma / (alpha + i omega) if alpha >= (sqrt(2) - 1) / 2
// sigma.
#define ALPHA_TERMS 0.2072

// A vertex lies on a side of the box around the mesh if it is nearer than this part of its size.
#define HULL_TOLERANCE 1e-8

// A face is parallel to an axis up to this sine of the angle.
#define PARALLEL 1e-6
// A surface lies in a plane, by the size of the mesh.
#define FLAT 1e-6

// Closer than this part of a wavelength reactive near fields reach the layer, and the reflection by
// the order absorbs too much: 0.08 away spheres scatter 2 to 20 % too little at orders 2 to 4.
#define NEAR_WAVES 0.1
// The same of radial layers: 0.12 away a ball scatters 8 and 16 % too much at orders 2 and 3.
#define NEAR_WAVES_RADIAL 0.25
// Closer than these even a weak layer is wrong by more than 1 %.
#define TOO_NEAR        0.07
#define TOO_NEAR_RADIAL 0.17

// Nearer than this part of the mesh's size: it touches the layer.
#define NEAREST 1e-6

// The lowest frequency is at least this part of the highest one.
#define BAND_FLOOR 0.05

// ---- the mesh -----------------------------------------------------------------------------------

static const deck_node *find_node(const sedge_deck *deck, const sedge_deck_boundary *boundary)
{
    return deck_child(deck_child(deck->tree, "boundaries"), boundary->name);
}

// All sides have one layer: edges and corners belong to several.
static sedge_status check_alike(const deck_reader *reader, const sedge_deck *deck,
                                const sedge_deck_boundary *boundary)
{
    const sedge_deck_boundary *const first = deck->layer;

    for (int i = 0; i < PARAMETERS; i++) {
        const double given = boundary->parameters[i];
        const double known = first->parameters[i];
        if (!(given < known) && !(given > known)) continue;
        return deck_fail(reader->path, find_node(deck, boundary),
                         "boundaries.%s and boundaries.%s differ in '%s': all sides with the type "
                         "'%s' have one layer together, so give all of them the same value",
                         first->name, boundary->name, parameter_names[i], boundary->kind->name);
    }
    return SEDGE_OK;
}

// Volume groups of the mesh that are the layer.
static sedge_status read_volumes(const deck_reader *reader, sedge_deck *deck)
{
    const deck_node *const node = deck_child(deck_child(deck->tree, "mesh"), "layers");
    sedge_mesh_extrusion *const extrude = &deck->mesh.extrude;

    if (node == NULL) return SEDGE_OK;
    if (deck->layer == NULL) {
        return deck_fail(reader->path, node,
                         "mesh.layers names volume groups that are a perfectly matched layer, and "
                         "no boundary has the type 'pml': give it to the surface behind them");
    }
    for (int i = LAYERS; i <= THICKNESS; i++) {
        if (!(deck->layer->parameters[i] > 0.0)) continue;
        return deck_fail(reader->path, find_node(deck, deck->layer),
                         "boundaries.%s.%s is for layers that the program adds: mesh.layers names "
                         "volume groups that are the layer, which is as thick as they are; leave "
                         "out one of the two",
                         deck->layer->name, parameter_names[i]);
    }
    SEDGE_TRY(sedge_allocate(&deck->layer_volumes, node->count, sizeof(char *)));
    for (const deck_node *child = node->first; child != NULL; child = child->next)
        deck->layer_volumes[extrude->volumes++] = child->text;
    extrude->volume = deck->layer_volumes;
    return SEDGE_OK;
}

sedge_status deck_read_layers(const deck_reader *reader, sedge_deck *deck)
{
    sedge_mesh_extrusion *const extrude = &deck->mesh.extrude;

    SEDGE_TRY(sedge_allocate(&deck->layer_surfaces, deck->boundary_count, sizeof(char *)));
    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];
        if (boundary->kind == NULL || !boundary->kind->layers) continue;
        if (deck->layer == NULL) deck->layer = boundary;
        SEDGE_TRY(check_alike(reader, deck, boundary));
        deck->layer_surfaces[extrude->surfaces++] = boundary->name;
    }
    SEDGE_TRY(read_volumes(reader, deck));
    if (deck->layer == NULL) return SEDGE_OK;
    extrude->surface = deck->layer_surfaces;
    extrude->layers = (int)deck->layer->parameters[LAYERS];
    if (extrude->layers == 0) extrude->layers = sedge_mesh_default_layers(deck->order);
    extrude->thickness = deck->layer->parameters[THICKNESS];
    return SEDGE_OK;
}

// ---- the problem --------------------------------------------------------------------------------

// The fastest wave in the layer.
static double find_speed(const sedge_mesh *mesh, const sedge_problem *problem)
{
    double fastest = 0.0;

    for (int v = 0; v < problem->volumes; v++) {
        if (mesh->groups.volume_axes[v] == 0) continue;
        fastest =
            fmax(fastest, problem->equation->speed(problem->materials[v], problem->constants));
    }
    return fastest;
}

// The lowest frequency that it must absorb. Where no signal is known, that of a wave twice as long
// as the box.
static double find_frequency(const sedge_deck *deck, const sedge_mesh *mesh,
                             const sedge_problem *problem)
{
    const double(*const box)[3] = sedge_mesh_inner_bounds(mesh);
    const double requested = deck->layer->parameters[FREQUENCY];
    double band[2];
    double longest = 0.0;

    if (requested > 0.0) return requested;
    sedge_problem_band(band, problem);
    if (band[1] > 0.0) return fmax(band[0], BAND_FLOOR * band[1]);
    for (int d = 0; d < 3; d++) longest = fmax(longest, box[1][d] - box[0][d]);
    return find_speed(mesh, problem) / (2.0 * longest);
}

// ---- what is near ------------------------------------------------------------------------------

static void extend_band(double band[2], const sedge_deck_frequencies *frequencies)
{
    for (int i = 0; i < frequencies->count; i++) {
        band[0] = fmin(band[0], frequencies->value[i]);
        band[1] = fmax(band[1], frequencies->value[i]);
    }
}

void sedge_deck_find_band(double band[2], const sedge_deck *deck)
{
    band[0] = HUGE_VAL;
    band[1] = 0.0;
    for (int i = 0; i < deck->spectrum_count; i++) extend_band(band, &deck->spectra[i].frequencies);
    for (int i = 0; i < deck->flux_count; i++) extend_band(band, &deck->fluxes[i].frequencies);
    for (int i = 0; i < deck->absorption_count; i++)
        extend_band(band, &deck->absorptions[i].frequencies);
    for (int i = 0; i < deck->far_field_count; i++)
        extend_band(band, &deck->far_fields[i].frequencies);
}

// The least distance from a sphere's centre that something reaches if it touches all sides of a
// box.
static double find_reach(const double centre[3], const double box[6])
{
    double reach = 0.0;

    for (int i = 0; i < 6; i++) {
        double square = 0.0;
        for (int d = 0; d < 3; d++) {
            const double low = -box[d] - centre[d];
            const double high = box[3 + d] - centre[d];
            const double inside = fmax(0.0, fmax(low, -high)); // of the nearest place
            const double x = d == i % 3 ? (i < 3 ? low : high) : inside;
            square += x * x;
        }
        reach = fmax(reach, sqrt(square));
    }
    return reach;
}

// The distance of a box (minus the least coordinates, then the greatest) from the nearest side of
// the mesh with a layer, or from a sphere with one. HUGE_VAL: it reaches one, as walls and media do
// that go on in the layer.
static double find_distance(const sedge_mesh *mesh, const double box[6])
{
    const double(*const inner)[3] = sedge_mesh_inner_bounds(mesh);
    double distance = HUGE_VAL;
    double size = 0.0;

    for (int i = 0; i < 6; i++) {
        const int d = i % 3;
        const double to = i < 3 ? -inner[0][d] - box[i] : inner[1][d] - box[i];
        const double layer =
            i < 3 ? inner[0][d] - mesh->bounds[0][d] : mesh->bounds[1][d] - inner[1][d];
        size = fmax(size, inner[1][d] - inner[0][d]);
        if (layer > 0.5 * mesh->extruded.thickness) distance = fmin(distance, to);
    }
    if (!(distance > NEAREST * size)) return HUGE_VAL;
    if (!mesh->extruded.sphere) return distance;
    const double gap = mesh->extruded.radius - find_reach(mesh->extruded.centre, box);
    return gap > NEAREST * size ? fmin(distance, gap) : HUGE_VAL;
}

// Has a volume group terms of the deck, or with `swinging` some that are no relaxations?
static bool find_terms(const sedge_deck *deck, const sedge_mesh_groups *groups, int volume,
                       bool swinging)
{
    const char *const owner = groups->volume_names[groups->volume_owner[volume]];

    for (int i = 0; i < deck->term_count; i++) {
        if (strcmp(deck->materials[deck->terms[i].material].name, owner) == 0 &&
            !(swinging && deck->terms[i].kind->relaxes))
            return true;
    }
    return false;
}

static bool has_terms(const sedge_deck *deck, const sedge_mesh_groups *groups, int volume)
{
    return find_terms(deck, groups, volume, false);
}

// Is a volume group a body: of another medium than all layers?
static bool is_body(const sedge_deck *deck, const sedge_mesh *mesh, const sedge_problem *problem,
                    int volume)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    if (groups->volume_axes[volume] != 0) return false;
    for (int v = 0; v < groups->volumes; v++) {
        bool same = groups->volume_axes[v] != 0 && !has_terms(deck, groups, v) &&
                    !has_terms(deck, groups, volume);
        for (int i = 0; i < problem->equation->material_values; i++) {
            const double x = problem->materials[v][i];
            const double y = problem->materials[volume][i];
            same = same && !(x < y) && !(x > y);
        }
        if (same || (groups->volume_axes[v] != 0 &&
                     sedge_mesh_same_group(groups, groups->volume_owner[v], volume)))
            return false;
    }
    return true;
}

// Fields are stored around conductors, sheets, bodies and sources: what is nearest to the layers.
static double find_nearest(const char **name, const sedge_deck *deck, const sedge_mesh *mesh,
                           const sedge_problem *problem)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    double nearest = HUGE_VAL;

    if (mesh->boxes == NULL) return nearest;
    for (int i = 0; i < groups->volumes + groups->surfaces; i++) {
        const int s = i - groups->volumes;
        const sedge_boundary_kind *const kind = s < 0 ? NULL : problem->boundaries[s].kind;
        const bool is_wall = kind != NULL && !kind->layers && !kind->absorbs && kind->feed == NULL;
        if (s < 0 ? !is_body(deck, mesh, problem, i) : !is_wall) continue;
        const double distance = find_distance(mesh, mesh->boxes[i]);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *name = s < 0 ? groups->volume_names[i] : groups->surface_names[s];
    }
    for (int i = 0; i < problem->point_source_count; i++) {
        const sedge_point_source *const source = &problem->point_sources[i];
        double box[6];
        for (int k = 0; k < 6; k++) box[k] = (k < 3 ? -1.0 : 1.0) * source->position[k % 3];
        const double distance = find_distance(mesh, box);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *name = source->kind->name;
    }
    return nearest;
}

// Is the surface a plane of symmetry? A wave that has the symmetry does not drive it.
static bool is_mirror(const sedge_deck *deck, const char *surface)
{
    const sedge_deck_boundary *const boundary = sedge_deck_find_boundary(deck, surface);

    return boundary != NULL && boundary->symmetry;
}

// The width along an axis of a surface and of its image in a plane of symmetry on which it ends.
static double find_width(const sedge_deck *deck, const sedge_mesh *mesh, const double *box, int d)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const double width = box[d] + box[3 + d];

    for (int s = 0; s < groups->surfaces; s++) {
        const double *const plane = mesh->boxes[groups->volumes + s];
        const double slack = FLAT * (mesh->bounds[1][d] - mesh->bounds[0][d]);

        if (!is_mirror(deck, groups->surface_names[s])) continue;
        if (fabs(plane[d] + plane[3 + d]) > slack) continue;
        if (fabs(plane[d] - box[d]) <= slack || fabs(plane[3 + d] - box[3 + d]) <= slack)
            return 2.0 * width;
    }
    return width;
}

// The greatest width of a waveguide's port, along an axis; 0: there are no such ports.
static double find_guide(const sedge_deck *deck, const sedge_problem *problem,
                         const sedge_mesh *mesh)
{
    double width = 0.0;

    for (int s = 0; s < problem->surfaces && mesh->boxes != NULL; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        const double *const box = mesh->boxes[mesh->groups.volumes + s];

        for (int d = 0; d < 3 && kind != NULL && kind->guided; d++)
            width = fmax(width, find_width(deck, mesh, box, d));
    }
    return width;
}

// Where the discretisation reflects about as much. What absorbs more falls too fast for the one or
// two elements of the layer, and fields stored around a body, where they reach it, see it as a
// wrong medium: for these it is weaker.
static void find_reflection(sedge_deck_layer *out, const sedge_deck *deck, const sedge_mesh *mesh,
                            const sedge_problem *problem)
{
    const double requested = deck->layer->parameters[REFLECTION];
    const bool radial = mesh->extruded.radius > 0.0;
    const double weak = deck->order < (radial ? 5 : 3) ? 3e-2 : deck->order < 5 ? 1e-2 : 1e-3;
    const char *near = NULL;
    double band[2];

    const bool by_rule = !(requested > 0.0);
    out->near = NULL;
    out->waves = HUGE_VAL;
    out->too_near = false;
    out->reflection = by_rule ? pow(10.0, -fmin(fmax(deck->order, 3.0), 6.0)) : requested;
    if (by_rule && find_guide(deck, problem, mesh) > 0.0) {
        out->reflection = REFLECTION_GUIDE;
        return;
    }
    sedge_deck_find_band(band, deck);
    if (!by_rule || !(band[1] > 0.0)) return;
    const double waves = find_nearest(&near, deck, mesh, problem) * band[0] / out->speed;
    if (!(waves < (radial ? NEAR_WAVES_RADIAL : NEAR_WAVES))) return;
    out->reflection = weak;
    out->near = near;
    out->waves = waves;
    out->too_near = waves < (radial ? TOO_NEAR_RADIAL : TOO_NEAR);
}

// ---- the layer ---------------------------------------------------------------------------------

// Does a medium with a term of the deck reach into a layer?
static bool has_medium(const sedge_deck *deck, const sedge_mesh_groups *groups)
{
    for (int v = 0; v < groups->volumes; v++)
        if (groups->volume_axes[v] != 0 && has_terms(deck, groups, v)) return true;
    return false;
}

// Does a medium whose epsilon or mu may be negative reach into edges or corners of a layer?
static bool has_swinging_edges(const sedge_deck *deck, const sedge_mesh_groups *groups)
{
    for (int v = 0; v < groups->volumes; v++) {
        const int kind = sedge_layer_kind(groups->volume_axes[v]);
        if ((kind == 2 || kind == 3) && find_terms(deck, groups, v, true)) return true;
    }
    return false;
}

// Does the equation's source act in a layer?
static bool has_source(const sedge_problem *problem, const sedge_mesh_groups *groups)
{
    for (int v = 0; v < groups->volumes; v++)
        if (groups->volume_axes[v] != 0 && sedge_problem_has_source(problem, v)) return true;
    return false;
}

// Have the signals, or fields at the start, a part at frequencies that the layer does not absorb?
// Fields that stay at rest are better kept with alpha in all factors.
static bool has_rest(const sedge_problem *problem)
{
    double band[2];

    sedge_problem_band(band, problem);
    bool resting = strcmp(problem->initial->name, "zero") != 0;
    for (int i = 0; i < problem->initial->parameter_count; i++) {
        if (problem->initial->parameters[i].type == SEDGE_PARAMETER_SIGNAL)
            resting = false; // the band has it
    }
    return resting || !(band[1] > 0.0) || band[0] < BAND_FLOOR * band[1];
}

// A wave crosses the layer twice: exp(-2 sigma thickness / speed).
void sedge_deck_find_layer(sedge_deck_layer *out, const sedge_deck *deck, const sedge_mesh *mesh,
                           const sedge_problem *problem)
{
    const double pi = 3.14159265358979323846;

    out->speed = find_speed(mesh, problem);
    find_reflection(out, deck, mesh, problem);
    out->sigma = -log(out->reflection) * out->speed / (2.0 * mesh->extruded.thickness);
    const double omega = 2.0 * pi * find_frequency(deck, mesh, problem);
    const double guide = find_guide(deck, problem, mesh);
    out->lossless = !(guide > 0.0) && !(mesh->extruded.radius > 0.0) &&
                    !has_medium(deck, &mesh->groups) && !has_source(problem, &mesh->groups) &&
                    !has_rest(problem);
    out->alpha = (out->lossless ? ALPHA_LOSSLESS : ALPHA_FACTOR) * omega;
    if (guide > 0.0) out->alpha = pi * out->speed / guide; // as a rectangle's this wide
    // In layers along one axis alone and in radial ones fields did not grow.
    if (has_swinging_edges(deck, &mesh->groups))
        out->alpha = fmax(out->alpha, ALPHA_TERMS * out->sigma);
    out->reflection_lowest = out->reflection;
    if (out->lossless) return;
    out->reflection_lowest =
        pow(out->reflection, 1.0 / (1.0 + out->alpha * out->alpha / (omega * omega)));
}

sedge_status deck_add_layers(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh,
                             const sedge_term_kind *kind)
{
    sedge_deck_layer layer;

    if (deck->layer == NULL) return SEDGE_OK;
    sedge_deck_find_layer(&layer, deck, mesh, problem);
    for (int v = 0; v < problem->volumes; v++) {
        const int axes = mesh->groups.volume_axes[v];
        double parameters[SEDGE_MAX_VALUES] = {layer.sigma, layer.alpha};
        if (sedge_layer_kind(axes) != kind->layer || layer.lossless != kind->lossless) continue;
        for (int d = 0; d < 3; d++) {
            const bool across = (axes >> d & 1) != 0;
            parameters[2 + d] = kind->layer < 3 && across == (kind->layer == 1) ? 1.0 : 0.0;
        }
        SEDGE_TRY(sedge_problem_add_term(problem, kind, 1, v, parameters));
    }
    return SEDGE_OK;
}

// ---- what is in its way -------------------------------------------------------------------------

static sedge_status check_surfaces(const sedge_problem *problem, const sedge_deck *deck,
                                   const sedge_mesh_groups *groups)
{
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        if (kind == NULL || !kind->layers || groups->surface_two_sided_faces[s] == 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: boundaries.%s: %lld faces of the surface group lie inside the mesh; "
                          "'%s' is for the outside, so put the faces inside into another group",
                          deck->path, groups->surface_names[s],
                          (long long)groups->surface_two_sided_faces[s], kind->name);
    }
    return SEDGE_OK;
}

static sedge_status check_gain(const sedge_problem *problem, const sedge_deck *deck,
                               const sedge_mesh_groups *groups)
{
    for (int v = 0; v < problem->volumes && problem->equation->decay != NULL; v++) {
        const char *const owner = groups->volume_names[groups->volume_owner[v]];
        const double decay = problem->equation->decay(problem->materials[v]);
        if (groups->volume_axes[v] == 0 || decay >= 0.0) continue;
        return deck_fail(deck->path, deck_child(deck_child(deck->tree, "materials"), owner),
                         "materials.%s has gain and reaches into the layer of boundaries.%s, "
                         "where fields would grow without end; let another medium reach the "
                         "surface, or give it another condition, such as absorbing",
                         owner, deck->layer->name);
    }
    return SEDGE_OK;
}

static bool lies_on_hull(const sedge_mesh *mesh, const sedge_trace_face *face)
{
    double longest = 0.0;

    for (int d = 0; d < 3; d++) longest = fmax(longest, mesh->bounds[1][d] - mesh->bounds[0][d]);
    for (int s = 0; s < 6; s++) {
        bool lies = true;
        for (int k = 0; k < 3 && lies; k++) {
            const int v = sedge_face_vertices[face->face][k];
            const double x = mesh->corners[face->element][v][s / 2];
            lies = fabs(x - mesh->bounds[s % 2][s / 2]) <= HULL_TOLERANCE * longest;
        }
        if (lies) return true;
    }
    return false;
}

static void find_centre(const sedge_mesh *mesh, int32_t element, int face, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int k = 0; k < 3; k++)
            x[d] += mesh->corners[element][sedge_face_vertices[face][k]][d] / 3.0;
    }
}

// The surfaces with the layer end it, on the sides of the box around the mesh.
static sedge_status check_ends(const sedge_problem *problem, const sedge_deck *deck,
                               const sedge_mesh *mesh)
{
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        const sedge_boundary_kind *const kind = problem->boundaries[face->group].kind;
        double x[3];
        if (kind == NULL || !kind->layers) continue;
        const bool in_layer = sedge_mesh_in_layer(mesh, face->element);
        if (in_layer && (mesh->extruded.radius > 0.0 || lies_on_hull(mesh, face))) continue;
        find_centre(mesh, face->element, face->face, x);
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: boundaries.%s: the face of the surface group with centre (%.6g, "
                          "%.6g, %.6g) %s; with mesh.layers the type '%s' is for the surface "
                          "behind the layers, the box around the mesh",
                          deck->path, mesh->groups.surface_names[face->group], x[0], x[1], x[2],
                          in_layer ? "lies on no side of the box around the mesh"
                                   : "is a face of no layer",
                          kind->name);
    }
    return SEDGE_OK;
}

// Do two volume groups have one medium? Layers' own terms are none of a medium.
static bool is_same_medium(const sedge_problem *problem, int a, int b)
{
    for (int i = 0; i < problem->equation->material_values; i++) {
        const double x = problem->materials[a][i];
        const double y = problem->materials[b][i];
        if (x < y || x > y) return false;
    }
    for (int t = 0; t < problem->term_count; t++) {
        const sedge_term *const term = &problem->terms[t];
        if (term->kind->layer != 0) continue;
        if (term->present[a] != term->present[b]) return false;
        for (int i = 0; i < sedge_term_parameters(term) && term->present[a]; i++) {
            const double x = sedge_term_pole(term, a, 0)[i];
            const double y = sedge_term_pole(term, b, 0)[i];
            if (x < y || x > y) return false;
        }
    }
    return true;
}

// Does a layer along an axis begin at the face, or go on behind it? Only along these axes must the
// medium stay the same.
static bool is_across(const sedge_mesh *mesh, int32_t element, int face, int axes)
{
    double x[3][3], normal[3];
    double length = 0.0;

    for (int k = 0; k < 3; k++)
        memcpy(x[k], mesh->corners[element][sedge_face_vertices[face][k]], sizeof x[k]);
    for (int d = 0; d < 3; d++) {
        const int i = (d + 1) % 3, j = (d + 2) % 3;
        normal[d] =
            (x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) - (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]);
        length += normal[d] * normal[d];
    }
    for (int d = 0; d < 3; d++) {
        const bool is_parallel = normal[d] * normal[d] <= PARALLEL * PARALLEL * length;
        if ((axes >> d & 1) != 0 && !is_parallel) return true;
    }
    return false;
}

sedge_status deck_check_layer_media(const sedge_problem *problem, const sedge_deck *deck,
                                    const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    for (int32_t e = 0; e < mesh->elements && deck->mesh.extrude.volumes > 0; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t beside = mesh->faces[e][f].neighbour;
            double x[3];
            if (beside < 0 && -1 - beside >= mesh->halo_faces) continue; // outer
            const int own = mesh->group[e];
            const int other =
                beside >= 0 ? mesh->group[beside] : mesh->trace_faces[-1 - beside].group;
            const int axes = groups->volume_axes[own] | groups->volume_axes[other];
            if (axes == 0 || !is_across(mesh, e, f, axes)) continue;
            if (is_same_medium(problem, own, other)) continue;
            find_centre(mesh, e, f, x);
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: at (%.6g, %.6g, %.6g) the volume groups '%s' and '%s' have "
                              "different materials, and the absorbing layer would reflect there: "
                              "layers go on with the material that reaches them; give both groups "
                              "the same one, or draw the surface between materials at right angles "
                              "to the layer",
                              deck->path, x[0], x[1], x[2],
                              groups->volume_names[groups->volume_owner[own]],
                              groups->volume_names[groups->volume_owner[other]]);
        }
    }
    return SEDGE_OK;
}

// Walls are driven by an incident wave as it is outside of layers, unless it enters through a
// surface.
static sedge_status check_walls(const sedge_problem *problem, const sedge_deck *deck,
                                const sedge_mesh *mesh)
{
    const bool is_driven = problem->incident_count > 0 && sedge_problem_feeds(problem) == NULL;

    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        const sedge_boundary_kind *const kind = problem->boundaries[face->group].kind;
        if (kind == NULL || kind->layers || !sedge_mesh_in_layer(mesh, face->element)) continue;
        if (kind->parameter_count > 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: the surface '%s' (%s) reaches the layer of boundaries.%s, whose "
                              "fields are stretched: a condition with parameters would be another "
                              "one there, and reflect; end the surface inside the box",
                              deck->path, mesh->groups.surface_names[face->group], kind->name,
                              deck->layer->name);
        }
        const char *const name = mesh->groups.surface_names[face->group];
        if (kind->apply == deck->layer->kind->apply || !is_driven || is_mirror(deck, name))
            continue; // absorbing, or at rest
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the surface '%s' (%s) reaches the layer of boundaries.%s, which "
                          "continues it, and the source '%s' would drive it there, where it must "
                          "not: end the surface inside the box; or give a plane of symmetry the "
                          "key 'symmetry'",
                          deck->path, mesh->groups.surface_names[face->group], kind->name,
                          deck->layer->name, problem->incidents[0].kind->name);
    }
    return SEDGE_OK;
}

sedge_status deck_check_layers(const sedge_problem *problem, const sedge_deck *deck,
                               const sedge_mesh *mesh)
{
    if (deck->layer == NULL) return SEDGE_OK;
    SEDGE_TRY(check_surfaces(problem, deck, &mesh->groups));
    SEDGE_TRY(check_gain(problem, deck, &mesh->groups));
    SEDGE_TRY(check_ends(problem, deck, mesh));
    return check_walls(problem, deck, mesh);
}
