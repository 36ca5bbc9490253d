// Mesh files: the mesh is the same as from the Gmsh file, on any number of ranks.
#include "mesh_check.h"

#include "base/file.h"
#include "base/hash.h"
#include "meshfile/mesh_file.h"

#include <unistd.h>

#define MESHES SEDGE_SOURCE_DIR "/meshes/"
#define DATA   SEDGE_SOURCE_DIR "/tests/mesh/data/"

static const double none[3] = {0.0, 0.0, 0.0};

static const sedge_comm *comm;
static char path[64]; // of the mesh file; the same on all ranks

static sedge_mesh_options request(const char *file)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.default_volume = options.default_surface = true;
    return options;
}

static bool same(const void *a, const void *b, int64_t count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

// ---- comparison --------------------------------------------------------------------------------

static void compare_groups(const sedge_mesh_groups *a, const sedge_mesh_groups *b)
{
    CHECK(a->volumes == b->volumes && a->surfaces == b->surfaces);
    if (a->volumes != b->volumes || a->surfaces != b->surfaces) return;
    CHECK(same(a->volume_names, b->volume_names, a->volumes, sizeof *a->volume_names));
    CHECK(same(a->volume_tags, b->volume_tags, a->volumes, sizeof(int)));
    CHECK(same(a->volume_owner, b->volume_owner, a->volumes, sizeof(int)));
    CHECK(same(a->volume_axes, b->volume_axes, a->volumes, sizeof(int)));
    CHECK(same(a->volume_elements, b->volume_elements, a->volumes, sizeof(int64_t)));
    CHECK(same(a->surface_names, b->surface_names, a->surfaces, sizeof *a->surface_names));
    CHECK(same(a->surface_tags, b->surface_tags, a->surfaces, sizeof(int)));
    CHECK(same(a->surface_faces, b->surface_faces, a->surfaces, sizeof(int64_t)));
    CHECK(same(a->surface_interior_faces, b->surface_interior_faces, a->surfaces, sizeof(int64_t)));
    CHECK(
        same(a->surface_two_sided_faces, b->surface_two_sided_faces, a->surfaces, sizeof(int64_t)));
    CHECK(a->groupless_elements == b->groupless_elements);
    CHECK(a->groupless_faces == b->groupless_faces);
    CHECK(same(a->groupless_place, b->groupless_place, 3, sizeof(double)));
}

static void compare_enclosed(const sedge_mesh *a, const sedge_mesh *b)
{
    CHECK(a->enclosures == b->enclosures);
    for (int i = 0; i < a->enclosures && i < b->enclosures; i++) {
        const sedge_mesh_enclosed *const left = &a->enclosed[i], *const right = &b->enclosed[i];
        CHECK(left->surface == right->surface && left->faces == right->faces);
        CHECK(left->elements == right->elements && left->overlaps == right->overlaps);
        CHECK(same(left->bounds, right->bounds, 1, sizeof left->bounds));
        CHECK(left->walls == right->walls);
        for (int w = 0; w < left->walls && w < right->walls; w++) {
            CHECK(left->wall[w].surface == right->wall[w].surface);
            CHECK(left->wall[w].periodic == right->wall[w].periodic);
            CHECK(same(left->wall[w].normals, right->wall[w].normals, 6, sizeof(double)));
            CHECK(same(left->wall[w].place, right->wall[w].place, 3, sizeof(double)));
        }
    }
    CHECK(same(a->enclosed_beside, b->enclosed_beside, (int64_t)a->enclosures * a->groups.volumes,
               sizeof *a->enclosed_beside));
}

static void compare_wholes(const sedge_mesh *a, const sedge_mesh *b)
{
    CHECK(a->global_elements == b->global_elements && a->global_vertices == b->global_vertices);
    CHECK(a->global_curved == b->global_curved && a->straightened == b->straightened);
    CHECK(same(a->bounds, b->bounds, 1, sizeof a->bounds));
    CHECK(a->shape.parts == b->shape.parts && a->shape.crack_faces == b->shape.crack_faces);
    for (int p = 0; p < SEDGE_PARTS && a->shape.parts > 1; p++) {
        const sedge_mesh_part *const left = &a->shape.part[p], *const right = &b->shape.part[p];
        if (p >= a->shape.parts) break;
        CHECK(left->elements == right->elements && left->groups == right->groups);
        CHECK(same(left->bounds, right->bounds, 1, sizeof left->bounds));
    }
    compare_groups(&a->groups, &b->groups);
    CHECK(a->periods == b->periods && same(a->period, b->period, a->periods, sizeof *a->period));
    CHECK(a->extruded.layers == b->extruded.layers && a->extruded.sphere == b->extruded.sphere);
    CHECK(a->extruded.thickness == b->extruded.thickness &&
          a->extruded.radius == b->extruded.radius &&
          a->extruded.steepest == b->extruded.steepest &&
          same(a->extruded.inner, b->extruded.inner, 1, sizeof a->extruded.inner) &&
          same(a->extruded.centre, b->extruded.centre, 1, sizeof a->extruded.centre));
    CHECK((a->boxes == NULL) == (b->boxes == NULL));
    if (a->boxes != NULL && b->boxes != NULL)
        CHECK(same(a->boxes, b->boxes, a->groups.volumes + a->groups.surfaces, sizeof *a->boxes));
    compare_enclosed(a, b);
}

// The sum over all elements of what they have, without the order in which ranks number them.
static void add_up(const sedge_mesh *mesh, int64_t sums[3])
{
    memset(sums, 0, 3 * sizeof *sums);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t curve = sedge_mesh_curve(mesh, e);
        uint64_t sum = sedge_hash_quick(0, &mesh->global_ids[e], sizeof *mesh->global_ids);
        sum = sedge_hash_quick(sum, &mesh->group[e], sizeof *mesh->group);
        sum = sedge_hash_quick(sum, mesh->corners[e], sizeof *mesh->corners);
        if (curve >= 0) sum = sedge_hash_quick(sum, mesh->middles[curve], sizeof *mesh->middles);
        if (mesh->planes != NULL)
            sum = sedge_hash_quick(sum, mesh->planes[e], sizeof *mesh->planes);
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int8_t behind[2] = {mesh->faces[e][f].face, mesh->faces[e][f].orientation};
            sum = sedge_hash_quick(sum, behind, sizeof behind);
        }
        sums[0] += (int64_t)(sum >> 32);
        sums[1] += (int64_t)(sum & 0xffffffffU);
    }
    for (int32_t i = 0; i < mesh->set_offsets[mesh->groups.surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const int64_t what[7] = {mesh->global_ids[side->element],
                                 side->face,
                                 side->group,
                                 side->other_group,
                                 side->other_face,
                                 side->orientation,
                                 side->second};
        sums[2] += (int64_t)(sedge_hash_quick(0, what, sizeof what) & 0xffffffffU);
    }
    sedge_comm_sum_int(comm, sums, 3);
}

// On one rank the numbering is the same, too.
static void compare_order(const sedge_mesh *a, const sedge_mesh *b)
{
    int bad = 0;

    CHECK(same(a->global_ids, b->global_ids, a->elements, sizeof *a->global_ids));
    CHECK(a->boundary_faces == b->boundary_faces);
    for (int32_t e = 0; e < a->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++)
            bad += a->faces[e][f].neighbour != b->faces[e][f].neighbour;
    }
    CHECK(bad == 0);
}

static void compare(const sedge_mesh_options *options, const double period[3])
{
    sedge_mesh_options other = *options;
    sedge_mesh *mesh = NULL;
    sedge_mesh *gmsh = NULL;
    int64_t sums[3];
    int64_t expected[3];

    other.file = path;
    CHECK_OK(sedge_mesh_open(&gmsh, comm, options));
    CHECK_OK(sedge_mesh_open(&mesh, comm, &other));
    if (gmsh != NULL && mesh != NULL) {
        check_mesh(comm, mesh, -1.0, period);
        compare_wholes(mesh, gmsh);
        add_up(mesh, sums);
        add_up(gmsh, expected);
        CHECK(same(sums, expected, 3, sizeof *sums));
        if (sedge_comm_size(comm) == 1) compare_order(mesh, gmsh);
    }
    sedge_mesh_free(mesh);
    sedge_mesh_free(gmsh);
}

static void test_is_the_gmsh_file(const char *file, double scale)
{
    sedge_mesh_options options = request(file);

    CHECK_OK(sedge_mesh_import(comm, path, &options));
    options.scale = scale;
    compare(&options, none);
    options.numbering = SEDGE_NUMBERING_NONE;
    compare(&options, none);
}

static void test_two_sided(void)
{
    const char *const surfaces[] = {"nowhere", "interface"};
    sedge_mesh_options options = request(MESHES "two-block.msh");

    CHECK_OK(sedge_mesh_import(comm, path, &options));
    options.two_sided_surfaces = 2;
    options.two_sided_surface = surfaces;
    compare(&options, none);
    options.linked_surfaces = 2;
    options.linked_surface = surfaces;
    compare(&options, none);
}

// ---- what a deck adds --------------------------------------------------------------------------

static void import_and_compare(const sedge_mesh_options *options, const double period[3])
{
    sedge_mesh_options plain = request(path);
    sedge_mesh *mesh = NULL;

    CHECK_OK(sedge_mesh_import(comm, path, options));
    compare(options, period);
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &plain), SEDGE_ERR_USAGE, "for other options");
    CHECK(mesh == NULL);
    plain.keep_faults = true;
    CHECK_OK(sedge_mesh_open(&mesh, comm, &plain));
    sedge_mesh_free(mesh);
}

static void test_periodic(void)
{
    static const double period[3] = {0.5, 0.5, 0.0};
    static const sedge_periodic_pair pairs[2] = {{"west", "east"}, {"north", "south"}};
    static const char *const walls[] = {"roof"};
    sedge_mesh_options options = request(DATA "periodic.msh");

    options.scale = 0.5;
    options.periodic_pairs = 2;
    options.periodic = pairs;
    import_and_compare(&options, period);
    options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = walls, .layers = 2};
    import_and_compare(&options, period);
}

static void test_layers(void)
{
    static const char *const walls[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    static const char *const outer[] = {"outer"};
    const char *const interface[] = {"interface"};
    const char *const left[] = {"left"};
    const sedge_mesh_enclosure shapes[3] = {
        {.name = "box",
         .shape = SEDGE_ENCLOSURE_BOX,
         .low = {-1.0, -1.0, -0.7},
         .high = {1.0, 1.0, -0.2}},
        {.name = "ball",
         .shape = SEDGE_ENCLOSURE_SPHERE,
         .centre = {0.25, 0.25, 1.0},
         .radius = 0.7},
        {.name = "end", .shape = SEDGE_ENCLOSURE_GROUPS, .volumes = 1, .volume = left},
    };
    sedge_mesh_options options = request(MESHES "two-block.msh");

    options.two_sided_surfaces = 1;
    options.two_sided_surface = interface;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 6, .surface = walls, .layers = 1};
    import_and_compare(&options, none);
    options = request(MESHES "two-block.msh");
    options.enclosures = 2;
    options.enclosure = shapes;
    import_and_compare(&options, none);
    options = request(MESHES "sphere.msh");
    options.scale = 2.0;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = outer, .layers = 2};
    import_and_compare(&options, none);
}

static void test_is_refused(void)
{
    static const sedge_periodic_pair pair = {"xmin", "xmax"};
    static const char *const wall[] = {"xmin"};
    sedge_mesh_options options = request(MESHES "cube.msh");
    sedge_mesh *mesh = NULL;

    CHECK_OK(sedge_mesh_import(comm, path, &options));
    CHECK_FAILS(sedge_mesh_import(comm, options.file, &options), SEDGE_ERR_USAGE,
                "choose another name");
    options.file = path;
    options.periodic_pairs = 1;
    options.periodic = &pair;
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_USAGE,
                "the periodic surfaces there: none; here: 'xmin' and 'xmax'");
    options.periodic_pairs = 0;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = wall, .layers = 1};
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_USAGE,
                "the absorbing layers there: none; here: on 'xmin': layers 1");
    options.extrude.surfaces = 0;
    options.scale = -1.0;
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_USAGE, "scale -1");
    CHECK(mesh == NULL);
}

// One element, whose volume and surfaces are in no group.
static void test_one_element(void)
{
    static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                               "3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n"
                               "$EndElements\n";
    char gmsh[sizeof path + 8];
    sedge_mesh *mesh = NULL;

    (void)snprintf(gmsh, sizeof gmsh, "%s.msh", path);
    sedge_mesh_options options = request(gmsh);
    const bool is_root = sedge_comm_is_root(comm);
    CHECK_OK(
        sedge_comm_agree(comm, is_root ? sedge_file_write(gmsh, text, sizeof text - 1) : SEDGE_OK));
    CHECK_OK(sedge_mesh_import(comm, path, &options));
    if (sedge_comm_size(comm) == 1) compare(&options, none);
    options.file = path;
    if (sedge_comm_size(comm) > 1) {
        CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_USAGE, "too many for 1");
    }
    options.default_surface = false;
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_DATA, "4 outer faces");
    options.default_volume = false;
    CHECK_FAILS(sedge_mesh_open(&mesh, comm, &options), SEDGE_ERR_DATA, "1 of 1 tetrahedra");
    CHECK(mesh == NULL);
    sedge_comm_barrier(comm);
    if (is_root) (void)unlink(gmsh);
}

// The balance of work needs the whole mesh: the parts stay as they are.
static void test_is_not_balanced(void)
{
    sedge_mesh_options options = request(MESHES "cube.msh");
    sedge_mesh *mesh = NULL;
    uint16_t *work = NULL;
    uint8_t *level = NULL;

    CHECK_OK(sedge_mesh_import(comm, path, &options));
    options.file = path;
    options.keep_whole = true;
    CHECK_OK(sedge_mesh_open(&mesh, comm, &options));
    if (mesh == NULL) return;
    const int32_t elements = mesh->elements;
    CHECK_OK(sedge_allocate(&work, elements, sizeof *work));
    CHECK_OK(sedge_allocate(&level, elements, sizeof *level));
    for (int32_t e = 0; e < elements; e++)
        work[e] = sedge_comm_is_root(comm) ? SEDGE_MESH_WORK : 1; // the others wait for rank 0
    CHECK_OK(sedge_mesh_balance(mesh, &level, work, comm, &options));
    CHECK(mesh->elements == elements);
    sedge_release(work);
    sedge_release(level);
    sedge_mesh_free(mesh);
}

int main(void)
{
    sedge_comm *world;
    long id = (long)getpid();

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    sedge_comm_broadcast(world, &id, sizeof id, 0);
    (void)snprintf(path, sizeof path, "mesh-file-%ld.h5", id);
    test_is_the_gmsh_file(MESHES "sphere.msh", 1.0);
    test_is_the_gmsh_file(MESHES "cube.msh", 0.3);
    test_is_the_gmsh_file(DATA "curved.msh", 1.0);
    test_is_the_gmsh_file(DATA "curved.msh", 0.25);
    test_is_the_gmsh_file(DATA "conform-gap.msh", 1.0);
    test_two_sided();
    test_periodic();
    test_layers();
    test_is_refused();
    test_one_element();
    test_is_not_balanced();
    if (sedge_comm_is_root(world)) (void)unlink(path);
    sedge_comm_free(world);
    return CHECK_END();
}
