// Closed surfaces inside the mesh: which faces and elements they have, which side is first, and
// which surfaces are refused.
#include "mesh_check.h"

#include "base/file.h"
#include "base/text.h"

static const sedge_comm *comm;
static char path[512]; // of the file that a test writes

enum { NODES = 4, CELLS = NODES - 1, TETS = CELLS * CELLS * CELLS * 6 };

// ---- a file ------------------------------------------------------------------------------------

// Cubes of six tetrahedra; the one in the middle is the volume group "core", the others "air".
static void list_tets(int tets[TETS][4])
{
    static const int path_of[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                      {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int stride[3] = {1, NODES, NODES * NODES};

    for (int t = 0; t < TETS; t++) {
        const int cell = t / 6;
        int node =
            cell % CELLS + NODES * (cell / CELLS % CELLS) + NODES * NODES * (cell / CELLS / CELLS);
        tets[t][0] = node;
        for (int i = 0; i < 3; i++) tets[t][i + 1] = node += stride[path_of[t % 6][i]];
        if (path_of[t % 6][1] == (path_of[t % 6][0] + 1) % 3) continue;
        node = tets[t][1]; // an odd permutation: the volume would be negative
        tets[t][1] = tets[t][2];
        tets[t][2] = node;
    }
}

static bool is_core(int tet)
{
    return tet / 6 == CELLS * CELLS * CELLS / 2;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sorted_face(int tets[TETS][4], int t, int f, int v[3])
{
    for (int i = 0; i < 3; i++) v[i] = tets[t][sedge_face_vertices[f][i]];
    qsort(v, 3, sizeof *v, compare);
}

// The tetrahedron on the other side of a face, -1: none.
static int find_other(int tets[TETS][4], int t, int f)
{
    int v[3], w[3];

    sorted_face(tets, t, f, v);
    for (int k = 0; k < 4 * TETS; k++) {
        sorted_face(tets, k / 4, k % 4, w);
        if (k / 4 != t && memcmp(v, w, sizeof v) == 0) return k / 4;
    }
    return -1;
}

// The surface groups are "outer" and "skin" around the core, which lacks its first `missing` faces.
// The first tetrahedron is that of number `begin`.
static void write_file(int missing, int begin)
{
    int tets[TETS][4];
    sedge_text *rows = NULL;
    sedge_text *text = NULL;
    int count = 0;

    CHECK_OK(sedge_text_create(&rows));
    CHECK_OK(sedge_text_create(&text));
    list_tets(tets);
    for (int k = 0; k < 4 * TETS; k++) {
        const int t = k / 4;
        const int other = find_other(tets, t, k % 4);
        int v[3];
        if (other >= 0 && (!is_core(t) || is_core(other))) continue;
        if (other >= 0 && missing-- > 0) continue;
        sorted_face(tets, t, k % 4, v);
        CHECK_OK(sedge_text_add(rows, "%d 2 2 %d 1 %d %d %d\n", ++count, other < 0 ? 1 : 2,
                                v[0] + 1, v[1] + 1, v[2] + 1));
    }
    for (int k = 0; k < TETS; k++) {
        const int t = (begin + k) % TETS;
        CHECK_OK(sedge_text_add(rows, "%d 4 2 %d 1 %d %d %d %d\n", ++count, is_core(t) ? 4 : 3,
                                tets[t][0] + 1, tets[t][1] + 1, tets[t][2] + 1, tets[t][3] + 1));
    }
    CHECK_OK(sedge_text_add(text,
                            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 "
                            "\"outer\"\n2 2 \"skin\"\n3 3 \"air\"\n3 4 \"core\"\n"
                            "$EndPhysicalNames\n$Nodes\n%d\n",
                            NODES * NODES * NODES));
    for (int i = 0; i < NODES * NODES * NODES; i++) {
        CHECK_OK(sedge_text_add(text, "%d %d %d %d\n", i + 1, i % NODES, i / NODES % NODES,
                                i / NODES / NODES));
    }
    CHECK_OK(sedge_text_add(text, "$EndNodes\n$Elements\n%d\n%s$EndElements\n", count,
                            sedge_text_get(rows)));
    if (sedge_comm_is_root(comm)) {
        FILE *const file = fopen(path, "w");
        CHECK(file != NULL);
        if (file != NULL) CHECK(fputs(sedge_text_get(text), file) >= 0 && fclose(file) == 0);
    }
    sedge_comm_barrier(comm);
    sedge_text_free(rows);
    sedge_text_free(text);
}

// ---- checks ------------------------------------------------------------------------------------

static sedge_mesh_options request(const char *file, const sedge_mesh_enclosure *enclosure)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.enclosures = 1;
    options.enclosure = enclosure;
    for (int d = 0; d < 3; d++) options.box_cells[d] = 6;
    return options;
}

// The mesh with a closed surface of so many faces around so many elements and this volume. First
// sides belong to enclosed elements: by the theorem of Gauss their normals give the volume.
static void check_closed(const sedge_mesh_options *options, int64_t faces, int64_t elements,
                         double volume, double low, double high)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    sedge_mesh *mesh = NULL;
    double sum = 0.0;
    int64_t firsts = 0;

    CHECK_OK(sedge_mesh_create(&mesh, comm, options));
    if (mesh == NULL) return;
    check_sets(comm, mesh, none);
    CHECK(mesh->enclosures == 1);
    const sedge_mesh_enclosed *const enclosed = &mesh->enclosed[0];
    CHECK(strcmp(mesh->groups.surface_names[enclosed->surface], options->enclosure[0].name) == 0);
    CHECK(enclosed->faces == faces && enclosed->elements == elements);
    for (int d = 0; d < 3; d++) {
        CHECK_BOUND(fabs(enclosed->bounds[0][d] - low), 1e-14);
        CHECK_BOUND(fabs(enclosed->bounds[1][d] - high), 1e-14);
    }
    for (int32_t i = mesh->set_offsets[enclosed->surface];
         i < mesh->set_offsets[enclosed->surface + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        double area[3];
        if (side->second) continue;
        area_vector(mesh, side->element, side->face, area);
        for (int d = 0; d < 3; d++) sum += area[d] * mesh->corners[side->element][0][d];
        // The first corner is on the face, or opposite to it.
        if (side->face == 2) {
            for (int d = 0; d < 3; d++) {
                sum += area[d] *
                       (mesh->corners[side->element][1][d] - mesh->corners[side->element][0][d]);
            }
        }
        firsts++;
    }
    sedge_comm_sum(comm, &sum, 1);
    sedge_comm_sum_int(comm, &firsts, 1);
    CHECK(firsts == faces);
    CHECK_BOUND(fabs(sum / 3.0 - volume), 1e-12 * volume);
    sedge_mesh_free(mesh);
}

static void check_refused(const sedge_mesh_options *options, const char *words)
{
    sedge_mesh *mesh = NULL;

    CHECK(sedge_mesh_create(&mesh, comm, options) == SEDGE_ERR_USAGE && mesh == NULL);
    if (strstr(sedge_error_message(), words) == NULL) {
        (void)fprintf(stderr, "'%s' is not in: %s\n", words, sedge_error_message());
        CHECK(false);
    }
    sedge_error_clear();
}

// ---- tests -------------------------------------------------------------------------------------

static const sedge_mesh_enclosure third = {.name = "third",
                                           .shape = SEDGE_ENCLOSURE_BOX,
                                           .low = {0.33, 0.33, 0.33},
                                           .high = {0.67, 0.67, 0.67}};

// Two of six cubes along each axis. The surface may separate the elements on its sides, and layers
// may be outside of it.
static void test_box(void)
{
    static const char *const walls[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    sedge_mesh_options options = request(NULL, &third);

    check_closed(&options, 48, 48, 1.0 / 27.0, 1.0 / 3.0, 2.0 / 3.0);
    options.two_sided_surface = options.linked_surface = &third.name;
    options.two_sided_surfaces = options.linked_surfaces = 1;
    check_closed(&options, 48, 48, 1.0 / 27.0, 1.0 / 3.0, 2.0 / 3.0);
    options.extrude = (sedge_mesh_extrusion){.surfaces = 6, .surface = walls, .layers = 1};
    check_closed(&options, 48, 48, 1.0 / 27.0, 1.0 / 3.0, 2.0 / 3.0);
}

// The ball of radius 0.3 around the middle of a cube: the centroids of its six tetrahedra are in
// it, others are not.
static void test_sphere(void)
{
    const sedge_mesh_enclosure ball = {
        .name = "ball", .shape = SEDGE_ENCLOSURE_SPHERE, .centre = {0.5, 0.5, 0.5}, .radius = 0.15};
    sedge_mesh_options options = request(NULL, &ball);

    for (int d = 0; d < 3; d++) options.box_cells[d] = 3;
    check_closed(&options, 12, 6, 1.0 / 27.0, 1.0 / 3.0, 2.0 / 3.0);
}

// By volume groups, and the same surface by its name, with either numbering of the groups.
static void test_file(void)
{
    static const char *const core = "core";
    const sedge_mesh_enclosure around = {
        .name = "around", .shape = SEDGE_ENCLOSURE_GROUPS, .volumes = 1, .volume = &core};
    const sedge_mesh_enclosure skin = {.name = "skin"};
    const sedge_mesh_enclosure outer = {.name = "outer"};
    const sedge_mesh_enclosure taken = {
        .name = "skin", .shape = SEDGE_ENCLOSURE_GROUPS, .volumes = 1, .volume = &core};
    sedge_mesh_options options;

    write_file(12, 0);
    options = request(path, &around);
    check_closed(&options, 12, 6, 1.0, 1.0, 2.0);
    write_file(0, 0);
    options = request(path, &skin);
    check_closed(&options, 12, 6, 1.0, 1.0, 2.0);
    options.two_sided_surface = &skin.name;
    options.two_sided_surfaces = 1;
    check_closed(&options, 12, 6, 1.0, 1.0, 2.0);
    write_file(0, TETS / 2); // in the core
    check_closed(&options, 12, 6, 1.0, 1.0, 2.0);
    options = request(path, &outer);
    check_refused(&options, "the surface 'outer' has 108 faces on the outside of the mesh");
    options = request(path, &taken);
    check_refused(&options, "has a surface group 'skin' already");
    write_file(1, 0);
    options = request(path, &skin);
    check_refused(&options, "the surface 'skin' is not closed: it has a rim at (");
}

static void test_refusals(void)
{
    static const char *const glass = "glass";
    sedge_mesh_enclosure enclosure = third;
    sedge_mesh_options options = request(NULL, &enclosure);

    enclosure.low[0] = 0.34;
    enclosure.high[0] = 0.34;
    check_refused(&options, "has no face inside the mesh: its shape holds no element");
    enclosure = (sedge_mesh_enclosure){
        .name = "g", .shape = SEDGE_ENCLOSURE_GROUPS, .volumes = 1, .volume = &glass};
    check_refused(&options, "has no volume group 'glass', which the closed surface 'g' is to");
    options.enclosures = SEDGE_ENCLOSURES_MAX + 1;
    check_refused(&options, "17 closed surfaces are more than 16");
}

// Two boxes with a face in common.
static void test_two(void)
{
    sedge_mesh_enclosure both[2] = {third, third};
    sedge_mesh_options options = request(NULL, both);
    sedge_mesh *mesh = NULL;

    options.enclosures = 2;
    both[1].name = "inner";
    both[1].high[0] = 0.5;
    CHECK(sedge_mesh_create(&mesh, comm, &options) == SEDGE_ERR_DATA && mesh == NULL);
    CHECK(strstr(sedge_error_message(), "is in two surface groups, 'third' and 'inner'") != NULL);
    sedge_error_clear();
    for (int d = 0; d < 3; d++) { // one within the other
        both[1].low[d] = 0.15;
        both[1].high[d] = 0.85;
    }
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    CHECK(mesh->enclosed[0].elements == 48 && mesh->enclosed[1].elements == 384);
    CHECK(mesh->enclosed[0].overlaps == 3 && mesh->enclosed[1].overlaps == 3);
    sedge_mesh_free(mesh);
}

// The surface of a shape ends on walls, of which the normals outside of it are known; on periodic
// ones it must go on.
static void test_walls(void)
{
    sedge_mesh_enclosure column = third;
    sedge_mesh_options options = request(NULL, &column);
    sedge_mesh *mesh = NULL;

    column.low[2] = -1.0;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    const sedge_mesh_enclosed *const enclosed = &mesh->enclosed[0];
    CHECK(enclosed->elements == 96 && enclosed->faces == 72 && enclosed->walls == 1);
    CHECK(strcmp(mesh->groups.surface_names[enclosed->wall[0].surface], "zmin") == 0);
    CHECK(!enclosed->wall[0].periodic && fabs(enclosed->wall[0].place[2]) < 1e-14);
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < 2; i++)
            CHECK_BOUND(fabs(enclosed->wall[0].normals[i][d] + (d == 2)), 1e-14);
    }
    CHECK_BOUND(fabs(mesh->enclosed_beside[0].bounds[1][2] - 5.0 / 6.0), 1e-14);
    sedge_mesh_free(mesh);
    options.box_periodic[2] = true;
    check_refused(&options, "ends on the periodic surface 'zmin' at (");
    column.high[2] = 2.0;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    CHECK(mesh->enclosed[0].walls == 2 && mesh->enclosed[0].wall[1].periodic);
    sedge_mesh_free(mesh);
}

int main(void)
{
    sedge_comm *world;

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/enclose-%d.msh", sedge_comm_size(comm));
    test_box();
    test_sphere();
    test_file();
    test_refusals();
    test_two();
    test_walls();
    sedge_comm_free(world);
    return CHECK_END();
}
