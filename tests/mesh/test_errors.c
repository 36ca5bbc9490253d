// Bad files give one clear message on every rank, and no crash.
#include "mesh_check.h"

#include "base/file.h"

#define DATA SEDGE_SOURCE_DIR "/tests/mesh/data/"

static const sedge_comm *comm;
static char path[512]; // of the file that a test writes

static void write_file(const char *bytes, size_t length)
{
    if (sedge_comm_is_root(comm)) {
        FILE *const file = fopen(path, "wb"); // without the fsync of sedge_file_write
        CHECK(file != NULL && fwrite(bytes, 1, length, file) == length);
        CHECK(file != NULL && fclose(file) == 0);
    }
    sedge_comm_barrier(comm);
}

static bool takes_groupless; // what the mesh has no group for

static sedge_status try_file(const char *file, sedge_mesh **mesh)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.default_volume = options.default_surface = takes_groupless;
    *mesh = NULL;
    const sedge_status status = sedge_mesh_create(mesh, comm, &options);
    CHECK((status == SEDGE_OK) == (*mesh != NULL));
    return status;
}

// Write `text`, read it as a mesh; it must fail with bad data and a message that holds `words` and
// the file's name.
static void check_text(const char *text, const char *words)
{
    sedge_mesh *mesh;

    write_file(text, strlen(text));
    CHECK_FAILS(try_file(path, &mesh), SEDGE_ERR_DATA, words);
    CHECK(strstr(sedge_error_message(), path) != NULL);
    sedge_mesh_free(mesh);
}

// A 2.2 file of these sections' bodies; `names` may be "".
static void check_msh(const char *names, const char *nodes, const char *elements, const char *words)
{
    char text[4096];

    (void)snprintf(text, sizeof text,
                   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n%s$Nodes\n%s\n$EndNodes\n$Elements\n%s\n"
                   "$EndElements\n",
                   names, nodes, elements);
    check_text(text, words);
}

// Two tetrahedra on either side of the triangle 1 2 3, and all six outer faces in group 2.
#define TWO_NODES "5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1"
#define SIX_WALLS                                                                       \
    "11 2 2 2 1 1 2 4\n12 2 2 2 1 2 3 4\n13 2 2 2 1 1 3 4\n14 2 2 2 1 1 2 5\n15 2 2 2 " \
    "1 2 3 5\n16 2 2 2 1 1 3 5"
#define NAMES "$PhysicalNames\n2\n2 2 \"wall\"\n3 1 \"air\"\n$EndPhysicalNames\n"

static void test_not_a_mesh(void)
{
    sedge_mesh *mesh;

    CHECK_FAILS(try_file(SEDGE_TEST_DIR "/absent.msh", &mesh), SEDGE_ERR_DATA, "absent.msh");
    CHECK_FAILS(try_file(SEDGE_TEST_DIR, &mesh), SEDGE_ERR_DATA, SEDGE_TEST_DIR);
    check_text("", "is empty");
    check_text("solid ascii stl\n",
               "is not a Gmsh mesh: it has no section $MeshFormat; Gmsh converts");
    check_text("$Comments\nno end\n$MeshFormat\n", "is not a Gmsh mesh");
    check_text("$NOD\n1\n", "has version 1 of the Gmsh format; write it again (gmsh FILE -save");
    check_text("\x7f"
               "ELF\x02\x01\x01",
               "is not a Gmsh mesh");
    check_text("\x1f\x8b\x08", "it is compressed; unpack it (gunzip)");
    check_text("$MeshFormat\n", "expected version");
    check_text("$MeshFormat\n3 0 8\n$EndMeshFormat\n", "has version 3 of the Gmsh format; 2, 2.1,");
    check_text("$MeshFormat\n20 0 8\n$EndMeshFormat\n", "has version 20 of the Gmsh format");
    check_text("$MeshFormat\n2.3 0 8\n$EndMeshFormat\n", "has version 2.3 of the Gmsh format");
    check_text("$MeshFormat\n4.0 1 8\n$EndMeshFormat\n", "binary file of version 4.0, which");
    check_text("$MeshFormat\n4.1 0 3\n$EndMeshFormat\n", "the data size must be 8, or 4 in");
    check_text("$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "the data size must be 8, or 4 in");
    check_text("$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", "the file type is neither 0 nor 1");
    check_text("$MeshFormat\n2.2 1 8\n\1\1\1\1\n$EndMeshFormat\n", "byte order");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n", "is truncated");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Periodic\n", "it ends inside $Periodic");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\nnodes\n", "a section, found 'nodes'");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n", "$Nodes must come before");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 zero\n$EndNodes\n",
               ":6: in $Nodes: expected a number, found 'zero'");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 nan\n$EndNodes\n",
               "not a finite number");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n-5\n$EndNodes\n", "negative");
    check_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4000000000\n1 0 0 0", "truncated");
}

static void test_names(void)
{
    check_msh("$PhysicalNames\n1\n3 1 \"\"\n$EndPhysicalNames\n", TWO_NODES, "0", "needs a name");
    check_msh("$PhysicalNames\n1\n3 1 air\n$EndPhysicalNames\n", TWO_NODES, "0", "double quotes");
    check_msh("$PhysicalNames\n2\n3 1 \"a\"\n3 2 \"a\"\n$EndPhysicalNames\n", TWO_NODES, "0",
              "two physical groups are called 'a'");
    check_msh("$PhysicalNames\n1\n3 1 "
              "\"a234567890123456789012345678901234567890123456789012345678901234\"\n"
              "$EndPhysicalNames\n",
              TWO_NODES, "0", "longer than 63");
}

static void test_elements(void)
{
    check_msh("", "1\n1 0 0 0", "1\n7 15 2 0 1 1", "has no tetrahedra");
    check_msh("", TWO_NODES, "1\n11 2 2 2 1 1 2 4", "has no tetrahedra");
    check_msh("", "8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1",
              "1\n31 5 2 1 1 1 2 3 4 5 6 7 8",
              "element 31 is a 'Hexahedron 8' (type 5); a mesh may");
    check_msh("", TWO_NODES, "1\n3 6 2 1 1 1 2 3 4 5 5", "element 3 is a 'Prism 6'");
    check_msh("", TWO_NODES, "1\n3 3 2 1 1 1 2 3 4", "element 3 is a 'Quadrilateral 4'");
    check_msh("", TWO_NODES, "1\n3 36 2 1 1 1 2 3 4",
              "element 3 is a 'Quadrilateral 16' (type 36)");
    check_msh("", TWO_NODES, "1\n3 777 2 1 1 1 2 3 4", "element 3 has the unknown type 777");
    check_msh("", TWO_NODES, "1\n3 4 2 1 1 1 2 3 9", "element 3 has node 9, which is not in");
    check_msh("", TWO_NODES, "1\n3 4 2 1 1 1 2 3 3", "element 3 has node 3 twice");
    check_msh("", TWO_NODES, "2\n11 2 2 2 1 1 2 2\n20 4 2 1 1 1 2 3 4",
              "element 11 has node 2 twice");
    check_msh("", TWO_NODES, "2\n20 4 2 1 1 1 2 3 4\n21 11 2 1 1 1 3 2 5 4 4 4 4 4 4",
              "tetrahedra of different orders are mixed");
    check_msh("", "2\n1 0 0 0\n1 1 0 0", "0", "node 1 exists twice");
    check_msh("", "2\n1 0 0 0\n0 1 0 0", "0", "outside 1..");
    check_msh("", "2\n1 0 0 0\n2147000000 1 0 0", "0", "too sparse");
    check_msh("", TWO_NODES, "2\n3 4 2 1 1 1 2 3 4", "expected an integer, found '$EndElements'");
    check_msh("", TWO_NODES, "1\n3 4 -2 1 1 1 2 3 4", "count of tags");
    check_msh("", TWO_NODES, "1\n3 2 2 -2147483648 1 1 2 3",
              "the tag of a physical group is out of range");
}

// A 4.1 file with four nodes.
static void check_blocks(const char *nodes, const char *elements, const char *words)
{
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n%s\n1\n2\n3\n4\n0 0 0\n1 0 0\n"
                   "0 1 0\n0 0 1\n$EndNodes\n$Elements\n%s\n$EndElements\n",
                   nodes, elements);
    check_text(text, words);
}

static void test_blocks(void)
{
    static const char nodes[] = "1 4 1 4\n3 1 0 4";

    check_blocks("1 3 1 4\n3 1 0 4", "", "the blocks hold more nodes than the section announces");
    check_blocks("1 5 1 4\n3 1 0 4", "", "the blocks hold fewer nodes than the section announces");
    check_blocks(nodes, "2 2 1 3\n3 1 4 1\n1 1 2 3 4\n3 1 4 2\n2 1 2 3 4\n3 1 2 3 4",
                 "the blocks hold more elements than are announced");
    check_blocks(nodes, "1 2 1 3\n3 1 4 1\n1 1 2 3 4",
                 "the blocks hold fewer elements than the section announces");
    check_blocks(nodes, "1 1 1 1\n2 1 4 1\n1 1 2 3 4",
                 "the element type does not fit the entity's dimension");
}

// Numbers of nodes with gaps are read.
static void test_gaps(void)
{
    static const char text[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n7 0 0 0\n900 1 0 0\n20 0 1 0\n"
        "4000000 0 0 1\n5 0 0 -1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 7 900 20 4000000\n"
        "2 4 2 1 1 7 20 900 5\n$EndElements\n";
    sedge_mesh *mesh;

    write_file(text, strlen(text));
    takes_groupless = true;
    CHECK_OK(try_file(path, &mesh));
    takes_groupless = false;
    CHECK(mesh != NULL && mesh->global_elements == 2 && mesh->global_vertices == 5);
    sedge_mesh_free(mesh);
}

static void test_shapes(void)
{
    // The second tetrahedron is inverted: 5 lies below, so 1 3 2 5 would be right.
    check_msh(NAMES, TWO_NODES, "8\n" SIX_WALLS "\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 2 3 5",
              "1 of 2 elements are inverted, the first is tetrahedron 1 (number 21 in Gmsh) of "
              "group 'air' at (0.25, 0.25, -0.25)");
    check_msh(NAMES, "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0", "1\n20 4 2 1 1 1 2 3 4",
              "tetrahedron 0 (number 20 in Gmsh) of group 'air' at (0.5, 0.5, 0) has no volume");
    // Flat to rounding although the coordinates are large.
    check_msh(NAMES, "4\n1 1e6 0 0.1\n2 1000001 0 0.1\n3 1e6 1 0.1\n4 1000001 1 0.10000000001",
              "1\n20 4 2 1 1 1 2 3 4", "has no volume");
}

static void test_topology(void)
{
    check_msh(NAMES, TWO_NODES, "7\n" SIX_WALLS "\n20 4 2 1 1 1 2 3 4",
              "the triangle with centre (0.333333, 0, -0.333333) of surface group 'wall' is not a "
              "face of any tetrahedron: the surface is not joined to the volumes. In Gmsh, with");
    check_msh(NAMES, TWO_NODES,
              "9\n" SIX_WALLS "\n17 2 2 2 1 1 4 5\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5",
              "the triangle with centre (0, 0, 0) of surface group 'wall' is not a face of any "
              "tetrahedron");
    check_msh(NAMES, TWO_NODES,
              "4\n11 2 2 2 1 1 2 4\n12 2 2 2 1 2 3 4\n20 4 2 1 1 1 2 3 4\n"
              "21 4 2 1 1 1 3 2 5",
              "4 outer faces are in no surface group, the first with centre (0, 0.333333, "
              "0.333333)");
    check_msh(NAMES, "6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 1 1 1",
              "3\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5\n22 4 2 1 1 1 2 3 6",
              "belongs to more than two tetrahedra");
    check_msh(NAMES, TWO_NODES,
              "9\n" SIX_WALLS "\n17 2 2 9 1 4 2 1\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5",
              "is in two surface groups, 'wall' and 'tag9'");
    // The last two tags: one partition, which is number 9.
    check_msh(NAMES, TWO_NODES, "8\n" SIX_WALLS "\n20 4 2 1 1 1 2 3 4\n21 4 4 0 1 1 9 1 3 2 5",
              "1 of 2 tetrahedra are in no volume group, the first is tetrahedron 1 (number 21 in "
              "Gmsh) at (0.25, 0.25, -0.25), of volume 1; put every volume into a Physical Volume, "
              "or give tetrahedra without a group a material by the deck's key materials.default");
    check_msh(NAMES, TWO_NODES, "2\n20 4 2 0 1 1 2 3 4\n21 4 2 0 1 1 3 2 5",
              "2 of 2 tetrahedra are in no volume group, the first is tetrahedron 0 (number 20 in "
              "Gmsh) at (0.25, 0.25, 0.25), of volume 1; put every volume into a Physical Volume, "
              "or give tetrahedra without a group a material by the deck's key materials.default; "
              "the file has names of groups, but Gmsh leaves the groups themselves out of files of "
              "version 2 if its option Mesh.SaveAll (-save_all) is 1: set it to 0, or save");
    // Version 2 has the elements of a volume in two groups twice.
    check_msh(NAMES, TWO_NODES,
              "10\n" SIX_WALLS "\n20 4 2 1 7 1 2 3 4\n21 4 2 1 7 1 3 2 5\n22 4 2 4 7 1 2 3 4\n"
              "23 4 2 4 7 1 3 2 5",
              "volume 7 is in two physical groups, 'air' and 'tag4'; a volume can be in one only: "
              "tetrahedron 0 (number 20 in Gmsh) of group 'air' at (0.25, 0.25, 0.25) exists again "
              "as number 22");
    check_msh(NAMES, TWO_NODES, "2\n20 4 2 1 7 1 2 3 4\n22 4 2 1 7 2 3 1 4",
              "exists twice: tetrahedron 1 has the same corners");
}

// A file of version 4.1 with one tetrahedron, volume 8, whose surface is entity 5.
static void check_msh4(const char *entities, const char *words)
{
    char text[1024];

    (void)snprintf(
        text, sizeof text,
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" NAMES "%s$Nodes\n1 4 1 4\n3 8 0 4\n"
        "1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 5 1 5\n2 5 2 4\n"
        "1 1 2 3\n2 1 2 4\n3 2 3 4\n4 1 3 4\n3 8 4 1\n5 1 2 3 4\n$EndElements\n",
        entities);
    check_text(text, words);
}

static void test_entities(void)
{
    check_msh4("$Entities\n0 0 1 1\n5 0 0 0 1 1 1 1 2 0\n8 0 0 0 1 1 1 2 1 4 1 5\n$EndEntities\n",
               "volume 8 is in two physical groups, 'air' and 4; a volume can be in one only");
    check_msh4("$Entities\n0 0 1 1\n5 0 0 0 1 1 1 2 9 -2 0\n8 0 0 0 1 1 1 1 1 1 5\n$EndEntities\n",
               "surface 5 is in two physical groups, 9 and 'wall'; a surface can be in one only");
    check_msh4("$Entities\n0 0 1 0\n5 0 0 0 1 1 1 1 2 0\n$EndEntities\n",
               "a block refers to the entity 8 of dimension 3, which is not in $Entities");
    check_msh4("$Entities\n0 0 0 0\n$EndEntities\n$PartitionedEntities\n2 1\n5 2\n0 0 0 0\n"
               "$EndPartitionedEntities\n",
               "not in $Entities; of a partitioned mesh all parts must be in one file");
    check_msh4("$Entities\n0 0 0 1\n2 0 0 0 1 1 1 1 1 0\n$EndEntities\n$PartitionedEntities\n2 0\n"
               "0 0 1 2\n5 2 1 1 1 0 0 0 1 1 1 0 0\n8 3 2 1 1 0 0 0 1 1 1 0 0\n"
               "9 3 2 1 2 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n",
               "has no elements of 9, a part of a volume: of a partitioned mesh all parts must be");
    check_msh4("$Entities\n0 0 0 0\n$EndEntities\n$Entities\n", "there are two such sections");
    check_msh4("$PartitionedEntities\n1 1\n", "expected an integer, found");
    check_msh4("", "1 of 1 tetrahedra are in no volume group");
}

// What is in no group, and what the options make of it.
static void check_groupless(const char *names, const char *elements, int64_t volume,
                            int64_t surface, int64_t groupless_elements, int64_t groupless_faces)
{
    const double none[3] = {0.0, 0.0, 0.0};
    char text[2048];
    sedge_mesh *mesh;

    (void)snprintf(text, sizeof text,
                   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n%s$Nodes\n" TWO_NODES
                   "\n$EndNodes\n$Elements\n%s\n$EndElements\n",
                   names, elements);
    check_text(text, groupless_elements > 0
                         ? "are in no volume group"
                         : "a Physical Surface, or give faces without a group a condition by the "
                           "deck's key boundaries.default");
    takes_groupless = true;
    CHECK_OK(try_file(path, &mesh));
    takes_groupless = false;
    if (mesh == NULL) return;
    check_mesh(comm, mesh, 1.0 / 3.0, none);
    CHECK(volume_count(mesh, "default") == volume && outer_count(mesh, "default") == surface);
    CHECK(mesh->groups.groupless_elements == groupless_elements);
    CHECK(mesh->groups.groupless_faces == groupless_faces);
    // The least of these faces is the first of element 1: nodes 1 2 5 lie at y = 0, as 1 2 4.
    CHECK(groupless_faces == 0 || mesh->groups.groupless_place[2] != 0.0);
    sedge_mesh_free(mesh);
}

static void test_groupless(void)
{
    static const char three[] = "5\n11 2 2 2 1 1 2 4\n12 2 2 2 1 2 3 4\n13 2 2 2 1 1 3 4"
                                "\n20 4 2 1 1 1 2 3 4\n21 4 2 0 1 1 3 2 5";
    static const char named[] = "$PhysicalNames\n2\n2 2 \"default\"\n3 1 \"default\"\n"
                                "$EndPhysicalNames\n";

    check_groupless("", "2\n20 4 2 0 1 1 2 3 4\n21 4 0 1 3 2 5", 2, 6, 2, 6);
    check_groupless(NAMES, three, 1, 3, 1, 3);
    check_groupless(named, three, 2, 6, 1, 3); // joins the group of that name
    check_groupless(NAMES, "8\n" SIX_WALLS "\n20 4 2 0 1 1 2 3 4\n21 4 2 1 1 1 3 2 5", 1, -1, 1, 0);
    check_groupless(NAMES, "2\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5", -1, 6, 0, 6);
}

// Two tetrahedra in a file of which everything but the nodes and elements may differ.
static void check_read(const char *before, const char *version, const char *sections)
{
    const double none[3] = {0.0, 0.0, 0.0};
    char text[2048];
    sedge_mesh *mesh;

    (void)snprintf(text, sizeof text,
                   "%s$MeshFormat\n%s 0 8\n$EndMeshFormat\n%s$Nodes\n" TWO_NODES
                   "\n$EndNodes\n$Elements\n8\n" SIX_WALLS
                   "\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5\n$EndElements\n",
                   before, version, sections);
    write_file(text, strlen(text));
    CHECK_OK(try_file(path, &mesh));
    if (mesh == NULL) return;
    check_mesh(comm, mesh, 1.0 / 3.0, none);
    CHECK(volume_count(mesh, "air") == 2 && outer_count(mesh, "wall") == 6);
    sedge_mesh_free(mesh);
}

static void test_other_writers(void)
{
    static const char *const versions[] = {"2", "2.0", "2.1", "2.2", "2.20", "2.200000"};

    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        check_read("", versions[i], NAMES);
    // Version 2.0 does not say of what dimension a group is.
    check_read("", "2", "$PhysicalNames\n2\n2 \"wall\"\n1 \"air\"\n$EndPhysicalNames\n");
    check_read("\n$Comments\n$MeshFormat is here\n$EndComments\n// more\n", "2.2", NAMES);
    check_read("", "2.2",
               "$Comments\n$End $EndComment\n$EndComments\n" NAMES
               "$MyTool\n1 2 3\n$EndMyTool\n\n");
}

// Nodes of entities of each dimension with their parameters, of which nodes in a volume have none
// in version 2; parts of a volume and a surface, in groups of their own and in those of the whole.
static void test_parameters_and_parts(void)
{
    static const char *const texts[] = {
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" NAMES "$ParametricNodes\n5\n1 0 0 0 0 1\n"
        "2 1 0 0 1 1 7\n3 0 1 0 2 1 7 7\n4 0 0 1 3 1\n5 0 0 -1 2 1 7 7\n$EndParametricNodes\n"
        "$Elements\n8\n" SIX_WALLS "\n20 4 2 1 1 1 2 3 4\n21 4 2 1 1 1 3 2 5\n$EndElements\n",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" NAMES
        "$Entities\n0 0 1 1\n1 0 0 0 1 1 1 1 2 0\n1 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
        "$PartitionedEntities\n2 0\n0 0 2 2\n1 3 1 2 1 2 0 0 0 1 1 1 1 1 0\n"
        "2 2 1 2 1 2 0 0 0 1 1 1 2 31 2 0\n2 3 1 1 1 0 0 0 1 1 1 2 33 1 0\n"
        "3 3 1 1 2 0 0 0 1 1 1 1 34 0\n$EndPartitionedEntities\n"
        "$Nodes\n1 5 1 5\n3 2 1 5\n1\n2\n3\n4\n5\n0 0 0 7 7 7\n1 0 0 7 7 7\n0 1 0 7 7 7\n"
        "0 0 1 7 7 7\n0 0 -1 7 7 7\n$EndNodes\n$Elements\n4 9 1 9\n2 1 2 1\n1 1 2 3\n2 2 2 6\n"
        "2 1 2 4\n3 2 3 4\n4 1 3 4\n5 1 2 5\n6 2 3 5\n7 1 3 5\n3 2 4 1\n8 1 2 3 4\n"
        "3 3 4 1\n9 1 3 2 5\n$EndElements\n"};
    const double none[3] = {0.0, 0.0, 0.0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sedge_mesh *mesh;
        write_file(texts[i], strlen(texts[i]));
        CHECK_OK(try_file(path, &mesh));
        if (mesh == NULL) continue;
        check_mesh(comm, mesh, 1.0 / 3.0, none);
        CHECK(mesh->groups.volumes == 1 && volume_count(mesh, "air") == 2);
        CHECK(mesh->groups.surfaces == 1 && outer_count(mesh, "wall") == 6);
        sedge_mesh_free(mesh);
    }
}

// Every type of tetrahedron is read, with as many nodes as Gmsh says that it has.
static void test_types(void)
{
    static const int types[][2] = {
        {4, 4},   {29, 20},  {137, 16}, {30, 35},  {32, 22}, {31, 56},
        {33, 28}, {71, 84},  {79, 34},  {72, 120}, {80, 40}, {73, 165},
        {81, 46}, {74, 220}, {82, 52},  {75, 286}, {83, 58},
    };
    static const int triangles[][2] = {
        {2, 3},   {9, 6},   {20, 9},  {21, 10}, {22, 12}, {23, 15}, {24, 15}, {25, 21}, {52, 18},
        {42, 28}, {53, 21}, {43, 36}, {54, 24}, {44, 45}, {55, 27}, {45, 55}, {56, 30}, {46, 66},
    };
    char text[16384];

    if (sedge_comm_size(comm) > 1) return; // one element
    for (size_t i = 0; i < 35; i++) {
        const bool is_tet = i < 17;
        const int *const type = is_tet ? types[i] : triangles[i - 17];
        size_t used =
            (size_t)snprintf(text, sizeof text,
                             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n290\n1 0 0 0\n"
                             "2 1 0 0\n3 0 1 0\n4 0 0 1\n");
        for (int n = 5; n <= 290; n++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d 9 9 9\n", n);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "$EndNodes\n$Elements\n%d\n1 %d 2 2 1", is_tet ? 1 : 2, type[0]);
        for (int n = 1; n <= type[1]; n++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %d", n);
        (void)snprintf(text + used, sizeof text - used, "%s\n$EndElements\n",
                       is_tet ? "" : "\n2 4 2 1 1 1 2 3 4");
        write_file(text, strlen(text));
        sedge_mesh *mesh;
        takes_groupless = true;
        CHECK_OK(try_file(path, &mesh));
        takes_groupless = false;
        if (mesh == NULL) continue;
        CHECK(mesh->global_elements == 1 && mesh->global_vertices == 4);
        CHECK(mesh->straightened == (is_tet && type[0] != 4));
        CHECK(is_tet || outer_count(mesh, "tag2") == 1);
        sedge_mesh_free(mesh);
    }
}

// A mesh of mirrored tetrahedra only is turned, and small ones are as good as large ones.
static void test_mirrored_and_tiny_are_fine(void)
{
    const double none[3] = {0.0, 0.0, 0.0};
    const char *const text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" NAMES "$Nodes\n5\n1 0 0 0\n2 1e-6 0 0\n"
        "3 0 1e-6 0\n4 0 0 1e-6\n5 0 0 -1e-6\n$EndNodes\n$Elements\n8\n" SIX_WALLS
        "\n20 4 2 1 1 2 1 3 4\n21 4 2 1 1 1 2 3 5\n$EndElements\n";
    sedge_mesh *mesh;

    write_file(text, strlen(text));
    CHECK_OK(try_file(path, &mesh));
    if (mesh != NULL) check_mesh(comm, mesh, 1e-18 / 3.0, none);
    sedge_mesh_free(mesh);
}

static void check_pair(const char *first, const char *second, sedge_status status,
                       const char *words)
{
    const sedge_periodic_pair pair = {first, second};
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;

    options.file = DATA "periodic.msh";
    options.periodic = &pair;
    options.periodic_pairs = 1;
    CHECK_FAILS(sedge_mesh_create(&mesh, comm, &options), status, words);
    CHECK(mesh == NULL);
}

static void test_periodic(void)
{
    check_pair("west", "nowhere", SEDGE_ERR_USAGE, "no surface group 'nowhere'");
    check_pair("west", "west", SEDGE_ERR_USAGE, "periodic with itself");
    check_pair("floor", "north", SEDGE_ERR_DATA, "'floor' and 'north' do not match");
}

static void test_too_many_ranks(void)
{
    const char *const text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
        "$EndNodes\n$Elements\n5\n1 2 2 2 1 1 2 3\n2 2 2 2 1 1 2 4\n3 2 2 2 1 2 3 4\n"
        "4 2 2 2 1 1 3 4\n5 4 2 1 1 1 2 3 4\n$EndElements\n";
    sedge_mesh *mesh;

    write_file(text, strlen(text));
    if (sedge_comm_size(comm) > 1) {
        CHECK_FAILS(try_file(path, &mesh), SEDGE_ERR_USAGE, "ranks are too many for 1 elements");
    } else {
        CHECK_OK(try_file(path, &mesh));
    }
    sedge_mesh_free(mesh);
}

static const char *const files[] = {DATA "tiny-22-ascii.msh", DATA "tiny-22-binary.msh",
                                    DATA "tiny-41-ascii.msh", DATA "tiny-41-binary.msh",
                                    DATA "tiny-41-parts-binary.msh"};

// Cut anywhere before the end of $Elements, each format is called bad.
static void test_truncated(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *bytes;
        size_t length;
        CHECK_OK(sedge_file_read(&bytes, &length, files[i], SEDGE_ERR_DATA));
        const int cuts = sedge_comm_size(comm) > 1 ? 7 : 59;
        for (int cut = 0; cut <= cuts; cut++) {
            sedge_mesh *mesh;
            write_file(bytes, (length - sizeof "$EndElements") * (size_t)cut / (size_t)cuts);
            CHECK_FAILS(try_file(path, &mesh), SEDGE_ERR_DATA, path);
            sedge_mesh_free(mesh);
        }
        sedge_release(bytes);
    }
}

// A few bytes changed at random: a mesh or a message, never a crash.
static void test_damaged(void)
{
    uint64_t state = 2463534242u;
    const int rounds = sedge_comm_size(comm) > 1 ? 15 : 150;
    int refused = 0;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *bytes;
        size_t length;
        for (int round = 0; round < rounds; round++) {
            sedge_mesh *mesh;
            CHECK_OK(sedge_file_read(&bytes, &length, files[i], SEDGE_ERR_DATA));
            for (int change = 0; change < 1 + round % 4; change++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                bytes[(state >> 20) % length] = (char)(state >> 8);
            }
            write_file(bytes, length);
            const sedge_status status = try_file(path, &mesh);
            CHECK(status == SEDGE_OK || status == SEDGE_ERR_DATA);
            CHECK(status == SEDGE_OK || strstr(sedge_error_message(), path) != NULL);
            refused += status != SEDGE_OK;
            sedge_mesh_free(mesh);
            sedge_release(bytes);
        }
    }
    CHECK(refused > rounds / 2);
}

int main(void)
{
    sedge_comm *world;

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    (void)snprintf(path, sizeof path, "%s/bad-%d.msh", SEDGE_TEST_DIR, sedge_comm_size(comm));
    test_not_a_mesh();
    test_names();
    test_elements();
    test_blocks();
    test_gaps();
    test_shapes();
    test_topology();
    test_entities();
    test_groupless();
    test_other_writers();
    test_parameters_and_parts();
    test_types();
    test_mirrored_and_tiny_are_fine();
    test_periodic();
    test_too_many_ranks();
    test_truncated();
    test_damaged();
    sedge_comm_free(world);
    return CHECK_END();
}
