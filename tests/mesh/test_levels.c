// Ranges by levels of the time step: the mesh is the same one in another order, and the ranges say
// the truth about their elements.
#include "mesh_check.h"

#include <stdlib.h>

#define MESHES SEDGE_SOURCE_DIR "/meshes/"

static const sedge_comm *comm;

// ---- levels whose neighbours differ by at most one ---------------------------------------------

static void find_centroid(const sedge_mesh *mesh, int32_t e, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int v = 0; v < 4; v++) x[d] += 0.25 * mesh->corners[e][v][d];
    }
}

// How far the centroids of neighbours are apart at most: 3/4 of an edge of two elements each,
// rounded up.
static double find_reach(const sedge_mesh *mesh)
{
    double longest = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++)
        longest = fmax(longest, sedge_longest_edge(mesh->corners[e]));
    sedge_comm_max(comm, &longest, 1);
    return 1.5 * longest;
}

// By the distance from the corner of the mesh with the least coordinates, periodic along the axes
// that have a period: it changes by less than a unit from an element to its neighbour.
static uint8_t *choose_levels(const sedge_mesh *mesh, const double period[3])
{
    const double reach = find_reach(mesh);
    uint8_t *level;

    CHECK_OK(sedge_allocate(&level, mesh->elements, sizeof *level));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x[3];
        double square = 0.0;
        find_centroid(mesh, e, x);
        for (int d = 0; d < 3; d++) {
            double apart = x[d] - mesh->bounds[0][d];
            if (period[d] > 0.0) apart = fmin(apart, period[d] - apart);
            square += apart * apart;
        }
        level[e] = (uint8_t)floor(sqrt(square) / reach);
    }
    return level;
}

// ---- what must not change ----------------------------------------------------------------------

// An element without local numbers.
typedef struct element_view {
    int64_t id;
    int64_t behind[SEDGE_FACES];   // id of the neighbour, here or on another rank; -1: boundary
    int32_t boundary[SEDGE_FACES]; // its surface group; -1: none
    double c[SEDGE_CURVE_TERMS][3], plane[3];
    sedge_range range; // its own properties, without place and level
    int32_t group, curved;
    int8_t face[SEDGE_FACES], orientation[SEDGE_FACES];
} element_view;

typedef struct side_view {
    int64_t id, other; // other, too: -1: none here
    int64_t halo[2];   // the ids whose traces come to the halo slots of both sides; -1: none
    int32_t face, group, other_group, boundary, other_face, orientation;
    int64_t second; // of 8 bytes: the struct has no padding
} side_view;

typedef struct mesh_view {
    int32_t elements, sides;
    element_view *element; // by id
    side_view *side;       // by surface, id and face
} mesh_view;

static int compare_elements(const void *left, const void *right)
{
    const element_view *const a = left, *const b = right;

    return (a->id > b->id) - (a->id < b->id);
}

static int compare_sides(const void *left, const void *right)
{
    const side_view *const a = left, *const b = right;

    if (a->group != b->group) return a->group - b->group;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->face - b->face;
}

// The ids of the elements whose traces arrive in the halo slots.
static int64_t *find_ids_behind(const sedge_mesh *mesh)
{
    int64_t *own, *behind;

    CHECK_OK(sedge_allocate(&own, mesh->halo_faces, sizeof *own));
    CHECK_OK(sedge_allocate(&behind, mesh->halo_faces, sizeof *behind));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        own[i] = mesh->global_ids[mesh->trace_faces[i].element];
    if (mesh->halo_faces > 0) exchange_halo(comm, mesh, own, behind, sizeof *own);
    sedge_release(own);
    return behind;
}

static void view_element(element_view *out, const sedge_mesh *mesh, int32_t e,
                         const int64_t *ids_behind)
{
    out->id = mesh->global_ids[e];
    out->group = mesh->group[e];
    out->curved = sedge_mesh_curve(mesh, e) >= 0;
    sedge_mesh_expand(mesh, e, out->c);
    if (mesh->planes != NULL) memcpy(out->plane, mesh->planes[e], sizeof out->plane);
    const sedge_range *const range = sedge_mesh_range(mesh, e);
    out->range.halo = range->halo;
    out->range.curved = range->curved;
    out->range.boundary = range->boundary;
    out->range.layer = range->layer;
    out->range.class = range->class;
    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_face *const face = &mesh->faces[e][f];
        const int32_t slot = -1 - face->neighbour;
        out->face[f] = face->face;
        out->orientation[f] = face->orientation;
        out->boundary[f] = slot >= mesh->halo_faces ? mesh->trace_faces[slot].group : -1;
        out->behind[f] = -1;
        if (slot < 0) {
            out->behind[f] = mesh->global_ids[face->neighbour];
        } else if (slot < mesh->halo_faces) {
            out->behind[f] = ids_behind[slot];
        }
    }
}

static void view_side(side_view *out, const sedge_mesh *mesh, const sedge_set_face *side,
                      const int64_t *ids_behind)
{
    const bool is_boundary = side->slot >= mesh->halo_faces;
    const int32_t slot = is_boundary ? -1 : side->slot;

    *out = (side_view){.id = mesh->global_ids[side->element],
                       .other = side->other >= 0 ? mesh->global_ids[side->other] : -1,
                       .halo = {slot >= 0 ? ids_behind[slot] : -1,
                                side->other_slot >= 0 ? ids_behind[side->other_slot] : -1},
                       .face = side->face,
                       .group = side->group,
                       .other_group = side->other_group,
                       .boundary = is_boundary,
                       .other_face = side->other_face,
                       .orientation = side->orientation,
                       .second = side->second};
}

static mesh_view make_view(const sedge_mesh *mesh)
{
    mesh_view view = {.elements = mesh->elements,
                      .sides = mesh->set_offsets[mesh->groups.surfaces]};
    int64_t *const ids = find_ids_behind(mesh);

    CHECK_OK(sedge_allocate(&view.element, view.elements, sizeof *view.element));
    CHECK_OK(sedge_allocate(&view.side, view.sides, sizeof *view.side));
    for (int32_t e = 0; e < view.elements; e++) view_element(&view.element[e], mesh, e, ids);
    for (int32_t i = 0; i < view.sides; i++)
        view_side(&view.side[i], mesh, &mesh->set_faces[i], ids);
    sedge_release(ids);
    qsort(view.element, (size_t)view.elements, sizeof *view.element, compare_elements);
    qsort(view.side, (size_t)view.sides, sizeof *view.side, compare_sides);
    return view;
}

static void clear_view(mesh_view *view)
{
    sedge_release(view->element);
    sedge_release(view->side);
}

static bool is_same(const mesh_view *a, const mesh_view *b)
{
    return a->elements == b->elements && a->sides == b->sides &&
           memcmp(a->element, b->element, (size_t)a->elements * sizeof *a->element) == 0 &&
           memcmp(a->side, b->side, (size_t)a->sides * sizeof *a->side) == 0;
}

// ---- what the ranges say -----------------------------------------------------------------------

static int compare_ranges(const sedge_range *a, const sedge_range *b)
{
    const int order[7][2] = {
        {a->halo, b->halo},   {a->curved, b->curved},     {a->level, b->level},
        {a->finer, b->finer}, {a->boundary, b->boundary}, {a->layer, b->layer},
        {a->class, b->class},
    };

    for (int i = 0; i < 7; i++)
        if (order[i][0] != order[i][1]) return order[i][0] - order[i][1];
    return 0;
}

// The levels behind halo faces, by what the other ranks' ranges say, and the order of the slots.
static void check_halo_levels(const sedge_mesh *mesh)
{
    uint8_t *out, *in;
    int bad = 0;

    CHECK_OK(sedge_allocate(&out, mesh->halo_faces, 1));
    CHECK_OK(sedge_allocate(&in, mesh->halo_faces, 1));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        out[i] = (uint8_t)sedge_mesh_level(mesh, mesh->trace_faces[i].element);
    if (mesh->halo_faces > 0) exchange_halo(comm, mesh, out, in, 1);
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        bad += in[i] != mesh->halo_level[i];
        bad += sedge_mesh_slot_level(mesh, i) != (in[i] < out[i] ? in[i] : out[i]);
    }
    for (int p = 0; p < mesh->peers; p++) {
        for (int32_t i = mesh->peer_offsets[p] + 1; i < mesh->peer_offsets[p + 1]; i++)
            bad += sedge_mesh_slot_level(mesh, i) < sedge_mesh_slot_level(mesh, i - 1);
    }
    CHECK(bad == 0);
    sedge_release(out);
    sedge_release(in);
}

// The ranges lie behind each other in the order of their properties and hold all elements, with the
// level that each was given (by_id, indexed by global id). Boundary slots are in the order of
// elements, and so are the sides of a surface, which are found by element and face.
static void check_ranges(const sedge_mesh *mesh, const uint8_t *by_id)
{
    int32_t next = 0;
    int32_t slot = mesh->halo_faces;
    int bad = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        CHECK(range->first == next && range->count > 0);
        CHECK(r == 0 || compare_ranges(&mesh->ranges[r - 1], range) < 0);
        next += range->count;
    }
    CHECK(next == mesh->elements);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int level = sedge_mesh_level(mesh, e);
        bool finer = false;
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            const int32_t at = -1 - neighbour;
            if (neighbour >= 0) {
                finer |= sedge_mesh_level(mesh, neighbour) == level - 1;
            } else if (at >= mesh->halo_faces) {
                bad += at != slot++;
            }
        }
        for (int32_t i = 0; i < mesh->halo_faces; i++)
            if (mesh->trace_faces[i].element == e) finer |= mesh->halo_level[i] == level - 1;
        bad += finer != sedge_mesh_range(mesh, e)->finer;
        bad += level != by_id[mesh->global_ids[e]];
    }
    CHECK(bad == 0 && slot == mesh->halo_faces + mesh->boundary_faces);
    for (int32_t i = 0; i < mesh->set_offsets[mesh->groups.surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        bad += sedge_mesh_find_side(mesh, side->element, side->face, side->group) != side;
    }
    CHECK(bad == 0);
    check_halo_levels(mesh);
}

// Within a range the elements are in the order that they had: `before` [global elements] is the
// old number of each id.
static void check_stable(const sedge_mesh *mesh, const int32_t *before)
{
    int bad = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        for (int32_t e = range->first + 1; e < range->first + range->count; e++)
            bad += before[mesh->global_ids[e]] <= before[mesh->global_ids[e - 1]];
    }
    CHECK(bad == 0);
}

// ---- the whole check ---------------------------------------------------------------------------

static void set_and_check(sedge_mesh *mesh, const uint8_t *level)
{
    mesh_view before = make_view(mesh);
    uint8_t *by_id;
    int32_t *number;
    double highest = 0.0;

    CHECK_OK(sedge_allocate(&by_id, mesh->global_elements, sizeof *by_id));
    CHECK_OK(sedge_allocate(&number, mesh->global_elements, sizeof *number));
    for (int32_t e = 0; e < mesh->elements; e++) {
        by_id[mesh->global_ids[e]] = level[e];
        number[mesh->global_ids[e]] = e;
        highest = fmax(highest, level[e]);
    }
    sedge_comm_max(comm, &highest, 1);
    CHECK_OK(sedge_mesh_set_levels(mesh, comm, level));
    mesh_view after = make_view(mesh);
    CHECK(is_same(&before, &after));
    check_ranges(mesh, by_id);
    check_stable(mesh, number);
    CHECK(mesh->levels == 1 + (int)highest);
    clear_view(&before);
    clear_view(&after);
    sedge_release(by_id);
    sedge_release(number);
}

// With levels, with other ones, and with one level only, which has the ranges of the beginning.
static void try_mesh(const sedge_mesh_options *options, const double period[3], int least)
{
    sedge_mesh *mesh = NULL;
    uint8_t *level;

    CHECK_OK(sedge_mesh_create(&mesh, comm, options));
    if (mesh == NULL) return;
    const int range_count = mesh->range_count;
    sedge_range *ranges;
    CHECK_OK(sedge_allocate(&ranges, range_count, sizeof *ranges));
    memcpy(ranges, mesh->ranges, (size_t)range_count * sizeof *ranges);
    CHECK(mesh->levels == 1 && mesh->halo_level == NULL);

    level = choose_levels(mesh, period);
    set_and_check(mesh, level);
    CHECK(mesh->levels >= least);
    check_mesh(comm, mesh, 0.0, period);
    sedge_release(level);
    level = choose_levels(mesh, period);
    for (int32_t e = 0; e < mesh->elements; e++) level[e] = (uint8_t)(mesh->levels - 1 - level[e]);
    set_and_check(mesh, level);
    check_mesh(comm, mesh, 0.0, period);
    memset(level, 0, (size_t)mesh->elements);
    set_and_check(mesh, level);
    CHECK(mesh->range_count == range_count);
    for (int r = 0; r < range_count && r < mesh->range_count; r++) {
        CHECK(compare_ranges(&mesh->ranges[r], &ranges[r]) == 0 &&
              mesh->ranges[r].count == ranges[r].count);
    }
    sedge_release(level);
    sedge_release(ranges);
    sedge_mesh_free(mesh);
}

// ---- meshes ------------------------------------------------------------------------------------

static const double none[3] = {0.0, 0.0, 0.0};

// Straight where x > 1/2, and everywhere the same along y; the walls stay plane.
static void bend(const double x[3], double moved[3])
{
    const double wave = sin(2.0 * 3.14159265358979323846 * x[0]);

    for (int d = 0; d < 3; d++) moved[d] = x[d];
    if (x[0] < 0.5) moved[2] += 0.2 * x[2] * (1.0 - x[2]) * wave;
}

static sedge_mesh_options request_box(int cells)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    for (int d = 0; d < 3; d++) options.box_cells[d] = cells;
    options.box_split_axis = 2;
    options.box_split = 0.5;
    options.box_names[0] = "low";
    options.box_names[1] = "high";
    return options;
}

// Curved elements, a periodic axis, ranges of boundary elements and of a volume group.
static void test_curved(void)
{
    static const double period[3] = {0.0, 1.0, 0.0};
    static const char *const groups[] = {"high"};

    for (int i = 0; i < 2; i++) {
        sedge_mesh_options options = request_box(7);
        options.box_map = bend;
        options.box_periodic[1] = true;
        options.boundary_last = i == 1;
        options.classes = i;
        options.class_volume = groups;
        try_mesh(&options, period, 4);
    }
}

// A box inside the mesh with a named surface, whose two sides are neighbours, are not, and are not
// but see each other's traces.
static void test_surface(void)
{
    const sedge_mesh_enclosure skin = {.name = "skin",
                                       .shape = SEDGE_ENCLOSURE_BOX,
                                       .low = {0.2, 0.2, 0.2},
                                       .high = {0.8, 0.8, 0.8}};

    for (int i = 0; i < 3; i++) {
        sedge_mesh_options options = request_box(6);
        options.enclosures = 1;
        options.enclosure = &skin;
        options.two_sided_surfaces = i >= 1;
        options.two_sided_surface = &skin.name;
        options.linked_surfaces = i == 2;
        options.linked_surface = &skin.name;
        try_mesh(&options, none, 4);
    }
}

// Layers around a box, and radial ones around a curved ball, whose elements have planes.
static void test_layers(void)
{
    static const char *const walls[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    static const char *const wall[1] = {"wall"};
    sedge_mesh_options box = request_box(4);
    sedge_mesh_options ball = sedge_mesh_defaults();

    box.extrude = (sedge_mesh_extrusion){.surfaces = 6, .surface = walls, .layers = 2};
    try_mesh(&box, none, 4);
    ball.file = MESHES "ball.msh";
    ball.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = wall, .layers = 2};
    try_mesh(&ball, none, 2);
}

// Neighbours with levels 0 and 2 are refused on all ranks, and the mesh stays as it is.
static void test_refusal(void)
{
    const sedge_mesh_options options = request_box(3);
    sedge_mesh *mesh = NULL;
    uint8_t *level;

    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    mesh_view before = make_view(mesh);
    CHECK_OK(sedge_allocate(&level, mesh->elements, sizeof *level));
    for (int32_t e = 0; e < mesh->elements; e++) level[e] = mesh->global_ids[e] == 81 ? 2 : 0;
    CHECK_FAILS(sedge_mesh_set_levels(mesh, comm, level), SEDGE_ERR_INTERNAL,
                "they differ by more than one");
    mesh_view after = make_view(mesh);
    CHECK(is_same(&before, &after) && mesh->levels == 1 && mesh->halo_level == NULL);
    clear_view(&before);
    clear_view(&after);
    sedge_release(level);
    sedge_mesh_free(mesh);
}

int main(void)
{
    sedge_comm *world;

    CHECK_OK(sedge_comm_create(&world, NULL));
    comm = world;
    test_curved();
    test_surface();
    test_layers();
    test_refusal();
    sedge_comm_free(world);
    return CHECK_END();
}
