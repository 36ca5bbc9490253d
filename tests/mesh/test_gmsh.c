// Meshes from files: the ready ones under meshes/, the four formats, curved and periodic files.
#include "mesh_check.h"

#define MESHES SEDGE_SOURCE_DIR "/meshes/"
#define DATA   SEDGE_SOURCE_DIR "/tests/mesh/data/"

static const double none[3] = {0.0, 0.0, 0.0};

static sedge_mesh *load(const sedge_comm *comm, const char *path, double scale)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;

    options.file = path;
    options.scale = scale;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    return mesh;
}

static void test_cube(const sedge_comm *comm)
{
    static const char *const walls[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    sedge_mesh *const mesh = load(comm, MESHES "cube.msh", 1.0);

    if (mesh == NULL) return;
    check_mesh(comm, mesh, 1.0, none);
    CHECK(volume_count(mesh, "domain") == mesh->global_elements && mesh->groups.volumes == 1);
    CHECK(mesh->groups.surfaces == 6);
    double area[6] = {0.0};
    int bad = 0;
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const sedge_trace_face *const at = &mesh->trace_faces[i];
        double corners[3][3];
        double vector[3];
        int wall = 0;
        while (wall < 5 && strcmp(walls[wall], mesh->groups.surface_names[at->group]) != 0) wall++;
        CHECK(mesh->groups.surface_tags[at->group] == wall + 1);
        face_corners(mesh, at->element, at->face, corners);
        for (int v = 0; v < 3; v++) bad += fabs(corners[v][wall / 2] - wall % 2) > 1e-15;
        area_vector(mesh, at->element, at->face, vector);
        area[wall] += vector[wall / 2];
    }
    CHECK(bad == 0);
    sedge_comm_sum(comm, area, 6);
    for (int w = 0; w < 6; w++) CHECK_BOUND(fabs(area[w] - (w % 2 ? 1.0 : -1.0)), 1e-13);
    sedge_mesh_free(mesh);
}

static void test_two_block(const sedge_comm *comm)
{
    sedge_mesh *const mesh = load(comm, MESHES "two-block.msh", 1.0);
    int bad = 0;

    if (mesh == NULL) return;
    check_mesh(comm, mesh, 1.0, none);
    CHECK(mesh->groups.volumes == 2 && mesh->groups.surfaces == 7);
    CHECK(outer_count(mesh, "interface") == 0 && inner_count(mesh, "interface") > 0);
    CHECK(inner_count(mesh, "xmin") == 0 && outer_count(mesh, "xmin") > 0);
    const int right = find_group(mesh->groups.volumes, mesh->groups.volume_names, "right");
    int64_t crossings = 0; // faces between the two groups, seen from the right
    for (int32_t e = 0; e < mesh->elements; e++) {
        double z = 0.0;
        for (int v = 0; v < 4; v++) z += 0.25 * mesh->corners[e][v][2];
        bad += (z > 0.0) != (mesh->group[e] == right);
        for (int f = 0; f < SEDGE_FACES && mesh->group[e] == right; f++) {
            const int32_t n = mesh->faces[e][f].neighbour;
            if (n >= 0) crossings += mesh->group[n] != right;
            if (n < 0 && -1 - n < mesh->halo_faces)
                crossings += mesh->trace_faces[-1 - n].group != right;
        }
    }
    CHECK(bad == 0);
    sedge_comm_sum_int(comm, &crossings, 1);
    CHECK(crossings == inner_count(mesh, "interface"));
    sedge_mesh_free(mesh);
}

// The interface between the blocks, z = 0: 0.5 by 0.5, the left block on its first side. Each side
// of a linked two-sided surface finds the other side's trace, and no other surface's traces are
// exchanged.
static void check_two_sides(const sedge_comm *comm, const sedge_mesh *mesh, int surface,
                            bool is_linked)
{
    sedge_surface_measures measures;
    int64_t volumes[4];
    int64_t apart = 0; // sides whose other side another rank has
    int bad = 0;

    CHECK(mesh->groups.volumes == 2);
    sedge_mesh_measure_surface(&measures, volumes, comm, mesh, surface);
    CHECK(measures.outside == 0 && measures.inside > 0);
    CHECK_BOUND(fabs(measures.area - 0.25), 1e-13); // rounding of some ten faces
    CHECK(volumes[0] == measures.inside && volumes[1] == 0);
    CHECK(volumes[2] == 0 && volumes[3] == measures.inside);
    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        bad +=
            side->slot < mesh->halo_faces || (side->second ? 1 : 0) != mesh->group[side->element];
        bad += (side->other_slot >= 0) != (side->other < 0 && is_linked);
        apart += side->other < 0;
    }
    CHECK(bad == 0);
    sedge_comm_sum_int(comm, &apart, 1);
    CHECK(apart % 2 == 0 && (apart > 0) == (sedge_comm_size(comm) > 1));
}

// A two-sided surface inside the mesh: its faces are on the boundary, on both sides.
static void test_two_sided(const sedge_comm *comm, bool is_linked)
{
    const char *const surfaces[] = {"nowhere", "interface"};
    sedge_mesh *const whole = load(comm, MESHES "two-block.msh", 1.0);
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    int bad = 0;

    options.file = MESHES "two-block.msh";
    options.two_sided_surface = surfaces;
    options.two_sided_surfaces = 2;
    options.linked_surface = surfaces;
    options.linked_surfaces = is_linked ? 2 : 0;
    options.partitioner = "simple"; // cuts through the surface
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL || whole == NULL) return;
    check_mesh(comm, mesh, 1.0, none);
    const int g = find_group(mesh->groups.surfaces, mesh->groups.surface_names, "interface");
    CHECK(inner_count(mesh, "interface") == 0);
    CHECK(mesh->groups.surface_two_sided_faces[g] == inner_count(whole, "interface"));
    CHECK(outer_count(mesh, "interface") == 2 * inner_count(whole, "interface"));
    CHECK(outer_count(mesh, "xmin") == outer_count(whole, "xmin"));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t n = mesh->faces[e][f].neighbour;
            bad += n >= 0 && mesh->group[n] != mesh->group[e];
            bad += n < 0 && -1 - n < mesh->halo_faces &&
                   mesh->trace_faces[-1 - n].group != mesh->group[e];
        }
    }
    CHECK(bad == 0);
    check_two_sides(comm, mesh, g, is_linked);
    sedge_mesh_free(whole);
    sedge_mesh_free(mesh);
}

static void test_sphere(const sedge_comm *comm)
{
    sedge_mesh *const mesh = load(comm, MESHES "sphere.msh", 1.0);
    sedge_mesh_quality quality;
    int bad = 0;

    if (mesh == NULL) return;
    check_mesh(comm, mesh, 0.0, none);
    CHECK(volume_count(mesh, "air") == mesh->global_elements);
    CHECK(mesh->global_elements >= 6000 && mesh->global_elements <= 9000);
    CHECK_OK(sedge_mesh_measure(&quality, comm, mesh));
    const double exact = 4.0 / 3.0 * 3.14159265358979 * (27.0 - 1.0);
    CHECK_BOUND(fabs(quality.volume - exact), 0.03 * exact); // flat faces
    CHECK(quality.quality_min > 0.1);
    const int sphere = find_group(mesh->groups.surfaces, mesh->groups.surface_names, "sphere");
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const sedge_trace_face *const at = &mesh->trace_faces[i];
        double c[3][3];
        face_corners(mesh, at->element, at->face, c);
        for (int v = 0; v < 3; v++) {
            const double r = sqrt(c[v][0] * c[v][0] + c[v][1] * c[v][1] + c[v][2] * c[v][2]);
            bad += fabs(r - (at->group == sphere ? 1.0 : 3.0)) > 1e-9;
        }
    }
    CHECK(bad == 0);
    sedge_mesh_free(mesh);
}

// Read the tetrahedra of a 2.2 ASCII file with scanf: corners in the order of the file.
static int64_t read_plainly(const char *path, double (**corners)[4][3])
{
    FILE *const file = fopen(path, "r");
    char word[128];
    double(*points)[3] = NULL;
    long count = 0;
    int64_t tets = 0;

    CHECK(file != NULL);
    if (file == NULL) return 0;
    while (fscanf(file, "%127s", word) == 1 && strcmp(word, "$Nodes") != 0) {
    }
    CHECK(fscanf(file, "%ld", &count) == 1);
    CHECK_OK(sedge_allocate(&points, count + 1, sizeof *points));
    for (long n = 0; n < count; n++) {
        long number;
        double x[3];
        CHECK(fscanf(file, "%ld %lf %lf %lf", &number, &x[0], &x[1], &x[2]) == 4);
        memcpy(points[number], x, sizeof x); // numbered 1..count
    }
    CHECK(fscanf(file, "%127s %127s %ld", word, word, &count) == 3);
    CHECK_OK(sedge_allocate(corners, count, sizeof **corners));
    for (long e = 0; e < count; e++) {
        static const int nodes[16] = {0, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
        int number, type, tags, tag, node;
        CHECK(fscanf(file, "%d %d %d", &number, &type, &tags) == 3);
        for (int t = 0; t < tags; t++) CHECK(fscanf(file, "%d", &tag) == 1);
        for (int n = 0; n < nodes[type & 15]; n++) {
            CHECK(fscanf(file, "%d", &node) == 1);
            if (type == 4) memcpy((*corners)[tets][n], points[node], sizeof points[node]);
        }
        tets += type == 4;
    }
    (void)fclose(file);
    sedge_release(points);
    return tets;
}

// Element by element, corner by corner, what the file says: ids, order and orientation.
static void test_waveguide_is_the_file(const sedge_comm *comm)
{
    sedge_mesh *const mesh = load(comm, MESHES "waveguide.msh", 1.0);
    double(*corners)[4][3] = NULL;
    int bad = 0;

    if (mesh == NULL) return;
    check_mesh(comm, mesh, 0.02286 * 0.01016 * 0.1, none);
    CHECK(outer_count(mesh, "port1") > 0 && outer_count(mesh, "port2") > 0);
    CHECK(outer_count(mesh, "walls") > 0 && volume_count(mesh, "guide") == mesh->global_elements);
    CHECK(read_plainly(MESHES "waveguide.msh", &corners) == mesh->global_elements);
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int v = 0; v < 4; v++) {
            for (int d = 0; d < 3; d++)
                bad += corners[mesh->global_ids[e]][v][d] != mesh->corners[e][v][d];
        }
    }
    CHECK(bad == 0);
    sedge_release(corners);
    sedge_mesh_free(mesh);
}

static void gather(const sedge_comm *comm, const sedge_mesh *mesh, double *values)
{
    memset(values, 0, (size_t)mesh->global_elements * 13 * sizeof *values);
    for (int32_t e = 0; e < mesh->elements; e++) {
        double *const to = values + 13 * mesh->global_ids[e];
        memcpy(to, mesh->corners[e], 12 * sizeof *to);
        to[12] = mesh->group[e];
    }
    sedge_comm_sum(comm, values, (int)(13 * mesh->global_elements));
}

static int compare_elements(const void *left, const void *right)
{
    const double *const a = left, *const b = right;

    for (int i = 0; i < 13; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

// Elements, groups and their order are the same in all formats; a partitioned mesh, last, has
// another order.
static void test_formats_agree(const sedge_comm *comm)
{
    static const char *const files[] = {
        DATA "tiny-22-ascii.msh",        DATA "tiny-22-binary.msh",
        DATA "tiny-41-ascii.msh",        DATA "tiny-41-binary.msh",
        DATA "tiny-40-ascii.msh",        DATA "tiny-22-parametric-ascii.msh",
        DATA "tiny-41-short-binary.msh", DATA "tiny-41-parametric-binary.msh",
        DATA "tiny-41-parts-ascii.msh",  DATA "tiny-41-parts-binary.msh",
    };
    double *first = NULL;
    double *other = NULL;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sedge_mesh *const mesh = load(comm, files[i], 1.0);
        if (mesh == NULL) return;
        check_mesh(comm, mesh, 1.1 * 1.2, none);
        CHECK(mesh->groups.volumes == 2 && mesh->groups.surfaces == 4);
        CHECK(volume_count(mesh, "lower part") + volume_count(mesh, "upper part") ==
              mesh->global_elements);
        CHECK(volume_count(mesh, "lower part") > 0 && volume_count(mesh, "upper part") > 0);
        CHECK(outer_count(mesh, "between") == 0 && inner_count(mesh, "between") > 0);
        CHECK(outer_count(mesh, "bottom") > 0 && outer_count(mesh, "top") > 0);
        CHECK(mesh->groups.volume_tags[0] == 11 && mesh->groups.surface_tags[2] == 7);
        if (i == 0) {
            CHECK_OK(sedge_allocate(&first, 13 * mesh->global_elements, sizeof *first));
            CHECK_OK(sedge_allocate(&other, 13 * mesh->global_elements, sizeof *other));
        }
        CHECK(outer_count(mesh, "sides") == 64 && inner_count(mesh, "between") == 14);
        CHECK(mesh->global_elements == 135 && mesh->groups.groupless_elements == 0);
        gather(comm, mesh, i == 0 ? first : other);
        if (strstr(files[i], "parts") != NULL) {
            qsort(first, 135, 13 * sizeof *first, compare_elements);
            qsort(other, 135, 13 * sizeof *other, compare_elements);
        }
        double difference = 0.0;
        for (int64_t v = 0; i > 0 && v < 13 * mesh->global_elements; v++)
            difference = fmax(difference, fabs(first[v] - other[v]));
        CHECK_BOUND(difference, 2e-15); // 16 digits of the ASCII files
        sedge_mesh_free(mesh);
    }
    sedge_release(first);
    sedge_release(other);
}

// A point of a face's edge, halfway, from an element's map.
static void edge_middle(const sedge_mesh *mesh, int32_t e, int face, int edge, double x[3])
{
    static const double vertex[4][3] = {
        {-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
    const double *const a = vertex[sedge_face_vertices[face][edge]];
    const double *const b = vertex[sedge_face_vertices[face][(edge + 1) % 3]];
    const double rst[3] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};

    sedge_mesh_place(mesh, e, rst, x);
}

// How many of a face's edges do not have their middle on the unit sphere.
static int check_outer_edges(const sedge_mesh *mesh, const sedge_trace_face *face)
{
    int bad = 0;

    for (int i = 0; i < 3; i++) {
        double x[3];
        edge_middle(mesh, face->element, face->face, i, x);
        bad += fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1.0) > 1e-9;
    }
    return bad;
}

// Middles of edges are the same seen from both sides of a face, and the element's map finds its own
// points again.
static void check_shared_edges(const sedge_comm *comm, const sedge_mesh *mesh)
{
    double worst = 0.0;
    double lost = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double rst[3] = {-0.6, -0.2, -0.7};
        double x[3], found[3];
        sedge_mesh_place(mesh, e, rst, x);
        CHECK(sedge_mesh_coordinates(mesh, e, x, found) > 0.0);
        CHECK(sedge_mesh_locate(mesh, x, found) == e);
        for (int d = 0; d < 3; d++) lost = fmax(lost, fabs(found[d] - rst[d]));
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            const int *const to = sedge_face_permutations[face->orientation];
            for (int i = 0; i < 3 && face->neighbour >= 0; i++) {
                const int j = to[(i + 1) % 3] == (to[i] + 1) % 3 ? to[i] : to[(i + 1) % 3];
                double y[3];
                edge_middle(mesh, e, f, i, x);
                edge_middle(mesh, face->neighbour, face->face, j, y);
                for (int d = 0; d < 3; d++) worst = fmax(worst, fabs(x[d] - y[d]));
            }
        }
    }
    sedge_comm_max(comm, &worst, 1);
    CHECK_BOUND(worst, 1e-15);
    CHECK_BOUND(lost, 1e-12);
}

// Corners and the nodes of outer edges of a second-order mesh lie on the sphere, nodes of edges
// that two elements share agree, and its volume is nearly the ball's; groups without names are
// called by their tags.
static void test_curved_and_unnamed(const sedge_comm *comm)
{
    sedge_mesh *const mesh = load(comm, DATA "curved.msh", 1.0);
    int bad = 0;

    if (mesh == NULL) return;
    check_mesh(comm, mesh, 0.0, none);
    CHECK(!mesh->straightened);
    CHECK(mesh->global_curved > 0 && mesh->global_curved <= mesh->global_elements);
    int64_t curved = sedge_mesh_curved(mesh);
    sedge_comm_sum_int(comm, &curved, 1);
    CHECK(curved == mesh->global_curved);
    CHECK(volume_count(mesh, "tag5") == mesh->global_elements);
    CHECK(outer_count(mesh, "tag6") > 0);
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        double c[3][3];
        face_corners(mesh, mesh->trace_faces[i].element, mesh->trace_faces[i].face, c);
        for (int v = 0; v < 3; v++)
            bad += fabs(c[v][0] * c[v][0] + c[v][1] * c[v][1] + c[v][2] * c[v][2] - 1.0) > 1e-9;
        bad += check_outer_edges(mesh, &mesh->trace_faces[i]);
    }
    CHECK(bad == 0);
    double volume = 0.0;
    double straight = 0.0;
    for (int32_t e = 0; e < mesh->elements; e++) {
        volume += sedge_mesh_volume(mesh, e);
        straight += sedge_tet_volume(mesh->corners[e]);
        const double inradius = sedge_mesh_inradius(mesh, e);
        const double height = sedge_mesh_height(mesh, e);
        CHECK(inradius > 0.0);
        CHECK(inradius < height && height < 4.0 * inradius * (1.0 + 1e-14));
    }
    sedge_comm_sum(comm, &volume, 1);
    sedge_comm_sum(comm, &straight, 1);
    const double ball = 4.18879020478639;
    CHECK_BOUND(fabs(volume / ball - 1.0), 0.02); // edges of 1: h^4 of some hundredths
    CHECK_BOUND(0.1, fabs(straight / ball - 1.0));
    check_shared_edges(comm, mesh);
    sedge_mesh_free(mesh);
}

static void test_periodic_file(const sedge_comm *comm)
{
    const sedge_periodic_pair pairs[] = {{"west", "east"}, {"north", "south"}};
    const double scales[2] = {1.0, 1e-6};

    for (int i = 0; i < 2; i++) {
        const double period[3] = {scales[i], scales[i], 0.0};
        sedge_mesh_options options = sedge_mesh_defaults();
        sedge_mesh *mesh = NULL;
        options.file = DATA "periodic.msh";
        options.scale = scales[i];
        options.periodic = pairs;
        options.periodic_pairs = 2;
        CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
        if (mesh == NULL) return;
        check_mesh(comm, mesh, scales[i] * scales[i] * scales[i], period);
        CHECK(outer_count(mesh, "west") == 0 && outer_count(mesh, "south") == 0);
        CHECK(inner_count(mesh, "west") == inner_count(mesh, "east"));
        CHECK(inner_count(mesh, "north") > 0 && outer_count(mesh, "roof") > 0);
        sedge_mesh_free(mesh);
    }
}

// Micrometres: the same neighbours, whatever the unit.
static void test_scale(const sedge_comm *comm)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *one = NULL;
    sedge_mesh *tiny = NULL;

    options.file = DATA "tiny-41-binary.msh";
    options.partitioner = "simple";
    CHECK_OK(sedge_mesh_create(&one, comm, &options));
    options.scale = 1e-6;
    CHECK_OK(sedge_mesh_create(&tiny, comm, &options));
    if (one != NULL && tiny != NULL) {
        check_mesh(comm, tiny, 1.32e-18, none);
        CHECK(one->elements == tiny->elements && one->halo_faces == tiny->halo_faces);
        // The order along the curve may change with the rounding of the scaled coordinates.
        CHECK(sedge_mesh_interior(one) == sedge_mesh_interior(tiny));
        CHECK(one->boundary_faces == tiny->boundary_faces);
        CHECK_BOUND(fabs(tiny->bounds[1][1] - 1.1e-6), 1e-21);
    }
    sedge_mesh_free(one);
    sedge_mesh_free(tiny);
}

int main(void)
{
    sedge_comm *comm;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_cube(comm);
    test_two_block(comm);
    test_two_sided(comm, false);
    test_two_sided(comm, true);
    test_sphere(comm);
    test_waveguide_is_the_file(comm);
    test_formats_agree(comm);
    test_curved_and_unnamed(comm);
    test_periodic_file(comm);
    test_scale(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
