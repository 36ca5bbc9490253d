// Meshes whose volumes are one mesh, and such that touch without sharing faces, or overlap.
#include "mesh_check.h"

#include "base/file.h"

#define DATA SEDGE_SOURCE_DIR "/tests/mesh/data/conform-"

static const sedge_comm *comm;
static char path[512]; // of the file that a test writes

static sedge_status try_mesh(sedge_mesh **mesh, const char *file, const char *surface)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.two_sided_surface = &surface;
    options.two_sided_surfaces = surface != NULL;
    return sedge_mesh_create(mesh, comm, &options);
}

// A mesh of so many parts; returns how many pairs of faces are cracks.
static int64_t check_fine(const char *file, const char *surface, int parts)
{
    sedge_mesh *mesh = NULL;
    int64_t cracks = -1;

    CHECK_OK(try_mesh(&mesh, file, surface));
    if (mesh == NULL) return cracks;
    if (mesh->shape.parts != parts)
        (void)fprintf(stderr, "%s: %d parts instead of %d\n", file, mesh->shape.parts, parts);
    CHECK(mesh->shape.parts == parts && mesh->shape.fault[0] == '\0');
    cracks = mesh->shape.crack_faces;
    sedge_mesh_free(mesh);
    return cracks;
}

// All words, which commas part, are in the message.
static void check_refused(const char *file, const char *words)
{
    sedge_mesh *mesh = NULL;

    CHECK(try_mesh(&mesh, file, NULL) == SEDGE_ERR_DATA && mesh == NULL);
    for (const char *word = words; *word != '\0'; word += strspn(word, ";")) {
        char one[160];
        const size_t length = strcspn(word, ";");
        (void)snprintf(one, sizeof one, "%.*s", (int)length, word);
        if (strstr(sedge_error_message(), one) == NULL) {
            (void)fprintf(stderr, "%s: '%s' is not in: %s\n", file, one, sedge_error_message());
            CHECK(false);
        }
        word += length;
    }
}

// Files that Gmsh has made, see data/conform.geo.
static void test_files(void)
{
    check_fine(DATA "whole.msh", NULL, 1);
    check_fine(DATA "whole.msh", "between", 1);
    check_fine(DATA "gap.msh", NULL, 2);
    check_fine(DATA "shell-gap.msh", NULL, 2);
    check_refused(DATA "touching.msh",
                  "conform-touching.msh;'left' and 'right' touch, but share no faces (16 pairs;"
                  "at (1, ;surface group 'left-walls';lies on one of surface group;"
                  "BooleanFragments;Coherence Mesh;the deck's boundaries");
    check_refused(DATA "double.msh", "'left' and 'right' touch;(4 pairs;of no surface group");
    check_refused(DATA "overlap.msh", "'left' and 'right' overlap;crosses one;BooleanDifference");
    check_refused(DATA "covered.msh",
                  "'air' and 'ball' overlap;of surface group 'skin' lies inside 'air'");
    check_refused(DATA "shell.msh", "'shell' and 'core' touch, but share no faces");
}

// A crack has groups of its own: with the plate's faces in the group of the walls it is a mistake.
static void test_crack(void)
{
    const int64_t one = 1; // an entity has one physical group, with the tag 2 or 3
    const int32_t plate = 2;
    const int32_t walls = 3;
    char *bytes = NULL;
    size_t length = 0;
    int changed = 0;

    CHECK(check_fine(DATA "crack.msh", NULL, 1) == 14);
    CHECK_OK(sedge_file_read(&bytes, &length, DATA "crack.msh", SEDGE_ERR_DATA));
    if (bytes == NULL) return;
    for (size_t i = 0; i + 12 < length && memcmp(bytes + i, "$EndEntities", 12) != 0; i++) {
        if (memcmp(bytes + i, &one, sizeof one) != 0) continue;
        if (memcmp(bytes + i + sizeof one, &plate, sizeof plate) != 0) continue;
        memcpy(bytes + i + sizeof one, &walls, sizeof walls);
        changed++;
    }
    CHECK(changed > 0);
    if (sedge_comm_is_root(comm)) CHECK_OK(sedge_file_write(path, bytes, length));
    sedge_comm_barrier(comm);
    check_refused(path, "parts of the volume group 'air' touch;(14 pairs;Coherence Mesh");
    sedge_comm_barrier(comm);
    sedge_release(bytes);
}

// ---- boxes -------------------------------------------------------------------------------------

// A box of six tetrahedra: where it begins, its edges, and whether its diagonals are mirrored.
typedef struct box {
    double low[3];
    double edge[3];
    bool mirrored;
} box;

static double corner(const box *b, int vertex, int d)
{
    return b->low[d] + ((vertex >> d & 1) != 0 ? b->edge[d] : 0.0);
}

// Each box has nodes, a volume group 'boxN' and a surface group of its own, or two: 'contactN' of
// its faces in the plane x = 1, with `contacts`.
static void write_boxes(const box *boxes, int count, bool contacts)
{
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    FILE *const file = fopen(path, "wb");

    CHECK(file != NULL);
    if (file == NULL) return;
    (void)fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", 3 * count);
    for (int b = 1; b <= count; b++) {
        (void)fprintf(file, "3 %d \"box%d\"\n2 %d \"walls%d\"\n2 %d \"contact%d\"\n", b, b, b, b,
                      count + b, b);
    }
    (void)fprintf(file, "$EndPhysicalNames\n$Nodes\n%d\n", 8 * count);
    for (int n = 0; n < 8 * count; n++) {
        const box *const b = &boxes[n / 8];
        (void)fprintf(file, "%d %.17g %.17g %.17g\n", n + 1, corner(b, n % 8, 0),
                      corner(b, n % 8, 1), corner(b, n % 8, 2));
    }
    (void)fprintf(file, "$EndNodes\n$Elements\n%d\n", 18 * count);
    for (int i = 0; i < 6 * count; i++) { // along three edges from one corner to the opposite one
        const box *const b = &boxes[i / 6];
        const int *const along = paths[i % 6];
        const int first = b->mirrored ? 1 : 0; // x is turned round
        const bool odd = (i % 6 >= 3) != b->mirrored;
        int v[4] = {first};
        for (int k = 0; k < 3; k++) v[k + 1] = v[k] ^ 1 << along[k];
        int tags[2] = {i / 6 + 1, i / 6 + 1}; // of the faces without the last and the first vertex
        for (int f = 0; f < 2 && contacts; f++) {
            bool touches = true;
            for (int k = f; k < f + 3; k++) touches &= corner(b, v[k], 0) == 1.0;
            tags[f] += touches ? count : 0;
        }
        for (int k = 0; k < 4; k++) v[k] += 8 * (i / 6) + 1;
        (void)fprintf(file, "%d 4 2 %d 1 %d %d %d %d\n", 3 * i + 1, i / 6 + 1, v[0], v[odd ? 2 : 1],
                      v[odd ? 1 : 2], v[3]);
        (void)fprintf(file, "%d 2 2 %d 1 %d %d %d\n", 3 * i + 2, tags[0], v[0], v[1], v[2]);
        (void)fprintf(file, "%d 2 2 %d 1 %d %d %d\n", 3 * i + 3, tags[1], v[1], v[2], v[3]);
    }
    (void)fprintf(file, "$EndElements\n");
    CHECK(fclose(file) == 0);
}

static const box unit = {{0, 0, 0}, {1, 1, 1}, false};

// The unit box and another; `words` NULL: a mesh of two parts. Also far from the origin, where
// coordinates have fewer digits, and in small units.
static void check_pair(box second, const char *words)
{
    static const double far[3] = {1000.0, -2000.0, 3000.0};

    for (int variant = 0; variant < 3; variant++) {
        box boxes[2] = {unit, second};
        for (int b = 0; b < 2; b++) {
            for (int d = 0; d < 3; d++) {
                if (variant == 1) boxes[b].low[d] += far[d];
                if (variant == 2) boxes[b].low[d] *= 1e-9;
                if (variant == 2) boxes[b].edge[d] *= 1e-9;
            }
        }
        if (sedge_comm_is_root(comm)) write_boxes(boxes, 2, false);
        sedge_comm_barrier(comm);
        if (words == NULL) {
            check_fine(path, NULL, 2);
        } else {
            check_refused(path, words);
        }
        sedge_comm_barrier(comm);
    }
}

static void test_boxes(void)
{
    // Apart, by however little that is meant; in corners and edges alone.
    check_pair((box){{3, 0, 0}, {1, 1, 1}, false}, NULL);
    check_pair((box){{1.0001, 0, 0}, {1, 1, 1}, false}, NULL);
    check_pair((box){{1.00001, 0.3, 0}, {1, 1, 1}, true}, NULL);
    check_pair((box){{1, 1, 0}, {1, 1, 1}, false}, NULL);
    check_pair((box){{1, 1, 0.25}, {1, 1, 0.5}, true}, NULL);
    check_pair((box){{1, 1, 1}, {1, 1, 1}, false}, NULL);
    // The same triangles; other ones; a part; a small one on a large one; nearly touching.
    check_pair((box){{1, 0, 0}, {1, 1, 1}, true}, "'box1' and 'box2' touch");
    check_pair((box){{1, 0, 0}, {1, 1, 1}, false}, "touch;surface group 'walls2'");
    check_pair((box){{-1, 0.5, 0.25}, {1, 1, 1}, false}, "touch");
    check_pair((box){{0.3, 0.3, 1}, {0.01, 0.01, 0.02}, false}, "touch");
    check_pair((box){{1.0000001, 0, 0}, {1, 1, 1}, false}, "touch");
    // Into each other: corners, a bar through a box, with sides in one plane, a little.
    check_pair((box){{0.5, 0.6, 0.7}, {1, 1, 1}, false}, "'box1' and 'box2' overlap");
    check_pair((box){{0.3, 0.4, -1}, {0.2, 0.2, 3}, false}, "overlap;crosses one");
    check_pair((box){{0.5, 0, 0}, {1, 1, 1}, true}, "overlap");
    check_pair((box){{0.9999, 0.1, 0.1}, {1, 1, 1}, false}, "overlap");
    // Twice in one place; within.
    check_pair((box){{0, 0, 0}, {1, 1, 1}, false}, "'box1' and 'box2' overlap");
    check_pair((box){{0.4, 0.4, 0.4}, {0.1, 0.1, 0.1}, false},
               "overlap;of surface group 'walls2' lies inside 'box1'");
    check_pair((box){{-1, -1, -1}, {3, 3, 3}, true}, "'walls1' lies inside 'box2'");
}

// What lies between two volumes altogether is no crack, even where both sides have the same
// triangles and groups of their own.
static void test_no_crack(void)
{
    const box boxes[2] = {unit, {{1, 0, 0}, {1, 1, 1}, true}};

    if (sedge_comm_is_root(comm)) write_boxes(boxes, 2, true);
    sedge_comm_barrier(comm);
    check_refused(path, "(2 pairs;'contact1';lies on one of surface group 'contact2'");
    sedge_comm_barrier(comm);
}

// More parts than the list holds.
static void test_many_parts(void)
{
    box boxes[12];
    sedge_mesh *mesh = NULL;

    for (int b = 0; b < 12; b++) boxes[b] = (box){{2.0 * b, 0, 0}, {1, 1.0 + b, 1}, false};
    if (sedge_comm_is_root(comm)) write_boxes(boxes, 12, false);
    sedge_comm_barrier(comm);
    CHECK_OK(try_mesh(&mesh, path, NULL));
    if (mesh == NULL) return;
    CHECK(mesh->shape.parts == 12);
    for (int p = 0; p < SEDGE_PARTS; p++) {
        const sedge_mesh_part *const part = &mesh->shape.part[p];
        CHECK(part->elements == 6 && part->groups == 1 && part->group[0] == p);
        CHECK(part->bounds[0][0] == 2.0 * p && part->bounds[1][1] == 1.0 + p);
    }
    sedge_mesh_free(mesh);
}

// More pairs of volume groups touch than the message tells of.
static void test_many_faults(void)
{
    box boxes[12];

    for (int b = 0; b < 12; b++) boxes[b] = (box){{2.0 * b, 0, 0}, {2, 1, 1}, false};
    if (sedge_comm_is_root(comm)) write_boxes(boxes, 12, false);
    sedge_comm_barrier(comm);
    check_refused(path, "'box1' and 'box2' touch; and others. ");
    sedge_comm_barrier(comm);
}

// Boxes that all go through each other are refused as soon as very many pairs are found; to find
// all of them would take long.
static void test_crowd(void)
{
    enum { CROWD = 4000 };
    static box boxes[CROWD];

    for (int b = 0; b < CROWD; b++) {
        const double shift = 1e-4 * b;
        boxes[b] = (box){{shift, -shift, 0.5 * shift}, {1, 1, 1}, false};
    }
    if (sedge_comm_is_root(comm)) write_boxes(boxes, CROWD, false);
    sedge_comm_barrier(comm);
    check_refused(path, "overlap; and others. ");
    sedge_comm_barrier(comm);
}

int main(void)
{
    sedge_comm *world;

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    (void)snprintf(path, sizeof path, "%s/boxes-%d.msh", SEDGE_TEST_DIR, sedge_comm_size(comm));
    test_files();
    test_crack();
    test_boxes();
    test_no_crack();
    test_many_parts();
    test_many_faults();
    test_crowd();
    sedge_comm_free(world);
    return CHECK_END();
}
