// Layers outside of meshes that are boxes or balls.
#include "mesh_check.h"

#include "base/file.h"

#define MESHES SEDGE_SOURCE_DIR "/meshes/"

static const sedge_comm *comm;
static const double none[3] = {0.0, 0.0, 0.0};
static const char *const walls[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
static char path[512]; // of the file that a test writes

// Layers on the first `surfaces` of these groups.
static sedge_mesh_options request(const char *file, const char *const *surface, int surfaces,
                                  int layers, double thickness)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.extrude = (sedge_mesh_extrusion){
        .surfaces = surfaces, .surface = surface, .layers = layers, .thickness = thickness};
    return options;
}

// ---- measures ----------------------------------------------------------------------------------

static int axes_of(const sedge_mesh *mesh, int32_t e)
{
    return mesh->groups.volume_axes[mesh->group[e]];
}

// Elements of all ranks in layers along exactly these axes.
static int64_t count_axes(const sedge_mesh *mesh, int axes)
{
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++) count += axes_of(mesh, e) == axes;
    sedge_comm_sum_int(comm, &count, 1);
    return count;
}

static double area_of(const sedge_mesh *mesh, const char *name)
{
    const int g = find_group(mesh->groups.surfaces, mesh->groups.surface_names, name);
    sedge_surface_measures surface;
    int64_t *volumes;

    CHECK_OK(sedge_allocate(&volumes, 2LL * mesh->groups.volumes, sizeof *volumes));
    sedge_mesh_measure_surface(&surface, volumes, comm, mesh, g);
    sedge_release(volumes);
    return surface.area;
}

// The volume in layers along any of these axes; without axes that of the whole mesh.
static double volume_of(const sedge_mesh *mesh, int axes)
{
    sedge_mesh_quality quality;
    double *volumes;
    double all = 0.0;
    double some = 0.0;

    CHECK_OK(sedge_mesh_measure(&quality, comm, mesh));
    CHECK_OK(sedge_allocate(&volumes, mesh->groups.volumes, sizeof *volumes));
    CHECK_OK(sedge_mesh_measure_groups(volumes, comm, mesh));
    for (int g = 0; g < mesh->groups.volumes; g++) {
        all += volumes[g];
        if ((mesh->groups.volume_axes[g] & axes) != 0) some += volumes[g];
    }
    CHECK_BOUND(fabs(all - quality.volume), 1e-14 * all);
    sedge_release(volumes);
    return axes == 0 ? all : some;
}

// Faces of the walls of a box, those along each axis; edges on the edges of the box along each
// axis. Of a mesh without layers, on one rank.
static void count_hull(const sedge_mesh *mesh, int64_t faces[3], int64_t edges[3])
{
    for (int d = 0; d < 3; d++) faces[d] = edges[d] = 0;
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        double c[3][3];
        face_corners(mesh, mesh->trace_faces[i].element, mesh->trace_faces[i].face, c);
        for (int s = 0; s < 6; s++) {
            bool on[3];
            for (int v = 0; v < 3; v++) on[v] = c[v][s / 2] == mesh->bounds[s % 2][s / 2];
            faces[s / 2] += on[0] && on[1] && on[2];
            for (int t = 0; t < s / 2 * 2; t++) {
                int both = 0;
                for (int v = 0; v < 3; v++)
                    both += on[v] && c[v][t / 2] == mesh->bounds[t % 2][t / 2];
                edges[3 - s / 2 - t / 2] += both == 2;
            }
        }
    }
    for (int d = 0; d < 3; d++) edges[d] /= 2; // each is of two faces
}

// The numbers of elements by axes: 3 n for a triangle in n layers; each edge of the mesh on an edge
// of the box has a rim of 2 n triangles with 3 n elements each, each corner of the box 2 n^2.
static void check_axes(const sedge_mesh *mesh, const sedge_mesh *before)
{
    const int64_t n = mesh->extruded.layers;
    int64_t faces[3], edges[3];

    count_hull(before, faces, edges);
    CHECK(count_axes(mesh, 0) == before->global_elements);
    for (int d = 0; d < 3; d++) {
        CHECK(faces[d] > 0 && edges[d] > 0);
        CHECK(count_axes(mesh, 1 << d) == 3 * n * faces[d]);
        CHECK(count_axes(mesh, 7 - (1 << d)) == 6 * n * n * edges[d]);
    }
    CHECK(count_axes(mesh, 7) == 8 * 6 * n * n * n);
}

// Least radius of an inscribed sphere in the layers, relative to that inside.
static double compare_inradius(const sedge_mesh *mesh)
{
    double least[2] = {HUGE_VAL, HUGE_VAL};

    for (int32_t e = 0; e < mesh->elements; e++) {
        const int in = axes_of(mesh, e) != 0;
        least[in] = fmin(least[in], sedge_mesh_inradius(mesh, e));
    }
    sedge_comm_min(comm, least, 2);
    return least[1] / least[0];
}

// A sum over all elements and outer faces that depends on where they are and in which groups, and
// not on their order; every bit of a coordinate counts.
static int64_t digest(const sedge_mesh *mesh, const sedge_comm *of)
{
    int64_t sum = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        uint64_t hash = 1469598103934665603u + (uint64_t)mesh->group[e];
        for (int i = 0; i < 4 + SEDGE_FACES; i++) {
            const int32_t slot = i < 4 ? -1 : -1 - mesh->faces[e][i - 4].neighbour;
            uint64_t words[3] = {0, 0, 0};
            if (i < 4) memcpy(words, mesh->corners[e][i], sizeof words);
            if (slot >= mesh->halo_faces) words[0] = 1 + (uint64_t)mesh->trace_faces[slot].group;
            for (int k = 0; k < 3; k++) {
                hash = (hash ^ words[k]) * 1099511628211u;
                hash ^= hash >> 29;
            }
        }
        sum += (int64_t)((hash ^ (uint64_t)mesh->global_ids[e]) >> 20);
    }
    sedge_comm_sum_int(of, &sum, 1);
    return sum;
}

// The mesh, checked: conforming, and the same as on one rank.
static sedge_mesh *make(const sedge_mesh_options *options, double volume, const double period[3])
{
    sedge_mesh *mesh = NULL;
    sedge_mesh *alone = NULL;

    CHECK_OK(sedge_mesh_create(&mesh, comm, options));
    if (mesh == NULL) return NULL;
    check_mesh(comm, mesh, volume, period);
    const int64_t found = digest(mesh, comm);
    if (sedge_comm_is_root(comm)) {
        CHECK_OK(sedge_mesh_create(&alone, NULL, options));
        if (alone != NULL) CHECK(found == digest(alone, NULL));
        sedge_mesh_free(alone);
    }
    return mesh;
}

// ---- boxes on all sides ------------------------------------------------------------------------

// `low`..`high`: the least radius of the layers' elements relative to those inside.
static void check_box(sedge_mesh_options options, double low, double high)
{
    const int layers = options.extrude.layers;
    sedge_mesh *before = NULL;
    double size[3];

    const sedge_mesh_extrusion extrude = options.extrude;
    options.extrude.surfaces = 0;
    CHECK_OK(sedge_mesh_create(&before, NULL, &options));
    options.extrude = extrude;
    sedge_mesh *const mesh = make(&options, 0.0, none);
    if (mesh == NULL || before == NULL) return;
    const double thickness = mesh->extruded.thickness;
    CHECK(mesh->extruded.layers == layers && thickness > 0.0);
    CHECK(memcmp(mesh->extruded.inner, before->bounds, sizeof before->bounds) == 0);
    for (int d = 0; d < 3; d++) {
        size[d] = before->bounds[1][d] - before->bounds[0][d] + 2.0 * thickness;
        CHECK(mesh->bounds[0][d] == before->bounds[0][d] - thickness);
        CHECK(mesh->bounds[1][d] == before->bounds[1][d] + thickness);
    }
    const double volume = size[0] * size[1] * size[2]; // rounding of a few thousand terms
    CHECK_BOUND(fabs(volume_of(mesh, 0) - volume), 1e-13 * volume);
    for (int d = 0; d < 3; d++) {
        const double layers_volume = volume / size[d] * 2.0 * thickness;
        CHECK_BOUND(fabs(volume_of(mesh, 1 << d) - layers_volume), 1e-13 * volume);
    }
    for (int s = 0; s < 6; s++) {
        const double area = volume / size[s / 2];
        CHECK_BOUND(fabs(area_of(mesh, walls[s]) - area), 1e-13 * area);
        CHECK(inner_count(mesh, walls[s]) == 0);
    }
    check_axes(mesh, before);
    const double ratio = compare_inradius(mesh);
    CHECK(ratio > low && ratio < high);
    sedge_mesh_free(before);
    sedge_mesh_free(mesh);
}

static void test_boxes(void)
{
    for (int layers = 1; layers <= 3; layers++) {
        sedge_mesh_options box = request(NULL, walls, 6, layers, 0.2 * layers);
        box.box_max[0] = 1.5;
        box.box_min[2] = -0.3;
        for (int d = 0; d < 3; d++) box.box_cells[d] = 4 - d;
        check_box(box, 0.5, 1.7);
    }
    // Layers as thick as the edges are long, in the mean 0.188, and two thirds of that.
    for (int layers = 1; layers <= 3; layers++)
        check_box(request(MESHES "cube.msh", walls, 6, layers, 0.0), 1.0, 1.7);
    check_box(request(MESHES "cube.msh", walls, 6, 1, 0.125), 0.94, 1.6);
    sedge_mesh_options small = request(MESHES "cube.msh", walls, 6, 1, 0.0);
    small.scale = 1e-6;
    check_box(small, 1.0, 1.7);
    CHECK(sedge_mesh_default_layers(2) == 2 && sedge_mesh_default_layers(3) == 1);
}

// ---- materials ---------------------------------------------------------------------------------

// Each element of a layer continues the block that it lies at, and so does the interface. The left
// block is a class.
static void check_blocks(const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const int left = find_group(groups->volumes, groups->volume_names, "left");
    int bad = 0;

    CHECK(groups->volumes == 16);
    CHECK(volume_count(mesh, "left-layer-xyz") == 4 * 6 && volume_count(mesh, "left-layer-yz") > 0);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int g = mesh->group[e];
        double x[3] = {0.0, 0.0, 0.0};
        int axes = 0;
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->corners[e][v][d];
        for (int d = 0; d < 3; d++) {
            if (x[d] < mesh->extruded.inner[0][d] || x[d] > mesh->extruded.inner[1][d])
                axes |= 1 << d;
        }
        bad += groups->volume_axes[g] != axes || (groups->volume_owner[g] == left) != (x[2] < 0.0);
        bad += groups->volume_tags[g] != groups->volume_tags[groups->volume_owner[g]];
        bad += (axes == 0) != (groups->volume_owner[g] == g);
        const sedge_range *const range = sedge_mesh_range(mesh, e);
        bad += range->layer != (axes & 1) + (axes >> 1 & 1) + (axes >> 2) ||
               range->class != (groups->volume_owner[g] == left);
    }
    CHECK(bad == 0);
}

static void test_materials(void)
{
    static const char *const surface[1] = {"interface"};
    static const char *const left[1] = {"left"};

    for (int split = 0; split < 2; split++) {
        sedge_mesh_options options = request(MESHES "two-block.msh", walls, 6, 1, 0.1);
        options.two_sided_surfaces = split;
        options.two_sided_surface = surface;
        options.classes = 1;
        options.class_volume = left;
        sedge_mesh *const mesh = make(&options, 0.7 * 0.7 * 4.2, none);
        if (mesh == NULL) return;
        check_blocks(mesh);
        CHECK_BOUND(fabs(area_of(mesh, "interface") - 0.49), 1e-13);
        CHECK((inner_count(mesh, "interface") == 0) == (split == 1));
        sedge_mesh_free(mesh);
    }
}

// ---- some sides --------------------------------------------------------------------------------

// The two ends of a waveguide, and one of them: its walls continue.
static void test_ends(void)
{
    static const char *const ports[2] = {"port1", "port2"};
    const double a = 0.02286, b = 0.01016, length = 0.1;

    for (int ends = 1; ends <= 2; ends++) {
        const sedge_mesh_options options = request(MESHES "waveguide.msh", ports, ends, 2, 0.01);
        const double z = length + 0.01 * ends;
        sedge_mesh *const mesh = make(&options, a * b * z, none);
        if (mesh == NULL) return;
        CHECK(count_axes(mesh, 0) + count_axes(mesh, 4) == mesh->global_elements);
        CHECK(count_axes(mesh, 4) ==
              6 * (outer_count(mesh, "port1") + (ends > 1 ? outer_count(mesh, "port2") : 0)));
        CHECK_BOUND(fabs(area_of(mesh, "port1") - a * b), 1e-13 * a * b);
        CHECK_BOUND(fabs(area_of(mesh, "walls") - 2.0 * (a + b) * z), 1e-12 * a * z);
        CHECK(mesh->bounds[0][2] == -0.01);
        sedge_mesh_free(mesh);
    }
}

// Layers on five sides of a box, whose sixth is a plane of symmetry.
static void test_half_space(void)
{
    const sedge_mesh_options options = request(MESHES "cube.msh", walls, 5, 1, 0.25);
    sedge_mesh *const mesh = make(&options, 1.5 * 1.5 * 1.25, none);

    if (mesh == NULL) return;
    CHECK_BOUND(fabs(area_of(mesh, "zmax") - 2.25), 2.25e-13);
    CHECK_BOUND(fabs(area_of(mesh, "zmin") - 2.25), 2.25e-13);
    CHECK_BOUND(fabs(area_of(mesh, "xmin") - 1.5 * 1.25), 2e-13);
    CHECK(mesh->bounds[1][2] == 1.0);
    sedge_mesh_free(mesh);
}

// ---- walls -------------------------------------------------------------------------------------

typedef struct text_file {
    char text[65536];
    size_t used;
    int elements;
} text_file;

static void add_line(text_file *file, const char *line)
{
    const size_t length = strlen(line);

    CHECK(file->used + length < sizeof file->text);
    memcpy(file->text + file->used, line, length + 1);
    file->used += length;
}

// A tetrahedron of group 1, or a triangle of a surface group; nodes from 1.
static void add_cell(text_file *file, int group, int nodes, const int *node)
{
    char line[128];
    int used = snprintf(line, sizeof line, "%d %d 2 %d %d", ++file->elements, nodes == 4 ? 4 : 2,
                        group, group);

    for (int i = 0; i < nodes; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %d", node[i]);
    add_line(file, line);
    add_line(file, "\n");
}

// The cells 0..2 x 0..2 x 0..1 of unit cubes without the column in the middle, whose walls are in
// the group "hole", number 2. If `patch`, one face on z = 0 is in the group "patch", number 3. If
// `sides`, the other walls along z are in groups, numbers 4 to 7. All other outer faces are in no
// group. Nodes are numbered in no order.
static void write_ring(bool patch, bool sides)
{
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    static text_file file;
    char line[128];

    file.used = 0;
    file.elements = 0;
    add_line(&file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n7\n2 2 \"hole\"\n2 3 "
                    "\"patch\"\n2 4 \"west\"\n2 5 \"east\"\n2 6 \"south\"\n2 7 \"north\"\n3 1 "
                    "\"air\"\n$EndPhysicalNames\n$Nodes\n48\n");
    for (int v = 0; v < 48; v++) {
        const int n = v * 29 % 48;
        (void)snprintf(line, sizeof line, "%d %d %d %d\n", v + 1, n % 4, n / 4 % 4, n / 16);
        add_line(&file, line);
    }
    add_line(&file, "$EndNodes\n$Elements\n");
    const size_t head = file.used;
    file.used += 8; // for their number
    memset(file.text + head, ' ', 8);
    file.text[head + 7] = '\n';
    for (int c = 0; c < 18; c++) {
        const int at[3] = {c % 3, c / 3 % 3, c / 9};
        if (at[0] == 1 && at[1] == 1) continue;
        for (int p = 0; p < 6; p++) {
            static const int stride[3] = {1, 4, 16};
            int place = at[0] + 4 * at[1] + 16 * at[2];
            int v[4] = {1 + place * 5 % 48}; // 5 x 29 = 1 (mod 48)
            for (int i = 0; i < 3; i++) {
                place += stride[paths[p][i]];
                v[i + 1] = 1 + place * 5 % 48;
            }
            add_cell(&file, 1, 4, (int[4]){v[0], v[p < 3 ? 1 : 2], v[p < 3 ? 2 : 1], v[3]});
            const int first = paths[p][0], last = paths[p][2];
            if (first < 2 && at[first] == 0 && at[1 - first] == 1) add_cell(&file, 2, 3, v + 1);
            if (last < 2 && at[last] == 2 && at[1 - last] == 1) add_cell(&file, 2, 3, v);
            if (sides && last < 2 && at[last] == 0) add_cell(&file, 4 + 2 * last, 3, v);
            if (sides && first < 2 && at[first] == 2) add_cell(&file, 5 + 2 * first, 3, v + 1);
            if (patch && c == 0 && p == 0) add_cell(&file, 3, 3, v);
        }
    }
    add_line(&file, "$EndElements\n");
    file.text[head + (size_t)snprintf(file.text + head, 8, "%d", file.elements)] = ' ';
    if (sedge_comm_is_root(comm)) CHECK_OK(sedge_file_write(path, file.text, file.used));
    sedge_comm_barrier(comm);
}

// 3 x 4 x 5 unit cubes: those in the middle are in group 1, "air", or where `in` says so, all
// others in group 8, "shell".
static void write_shell(bool (*in)(int i, int j, int k))
{
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    static const int stride[3] = {1, 4, 20};
    static text_file file;
    char line[128];

    file.used = 0;
    file.elements = 0;
    add_line(&file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"air\"\n3 8 "
                    "\"shell\"\n$EndPhysicalNames\n$Nodes\n120\n");
    for (int v = 0; v < 120; v++) {
        (void)snprintf(line, sizeof line, "%d %d %d %d\n", v + 1, v % 4, v / 4 % 5, v / 20);
        add_line(&file, line);
    }
    add_line(&file, "$EndNodes\n$Elements\n360\n");
    for (int c = 0; c < 60; c++) {
        const int at[3] = {c % 3, c / 3 % 4, c / 12};
        for (int p = 0; p < 6; p++) {
            int v[4] = {1 + at[0] + 4 * at[1] + 20 * at[2]};
            for (int i = 0; i < 3; i++) v[i + 1] = v[i] + stride[paths[p][i]];
            add_cell(&file, in(at[0], at[1], at[2]) ? 1 : 8, 4,
                     (int[4]){v[0], v[p < 3 ? 1 : 2], v[p < 3 ? 2 : 1], v[3]});
        }
    }
    add_line(&file, "$EndElements\n");
    if (sedge_comm_is_root(comm)) CHECK_OK(sedge_file_write(path, file.text, file.used));
    sedge_comm_barrier(comm);
}

// A hole through the mesh goes on through the layers, which are asked for on what has no group.
static void test_hole(void)
{
    static const char *const outer[1] = {SEDGE_DEFAULT_GROUP};
    sedge_mesh_options options = request(path, outer, 1, 2, 0.5);
    sedge_mesh *mesh = NULL;

    write_ring(false, false);
    options.default_surface = true;
    mesh = make(&options, (16.0 - 1.0) * 3.0, none);
    if (mesh != NULL) {
        CHECK_BOUND(fabs(area_of(mesh, "hole") - 4.0 * 3.0), 1e-12);
        CHECK_BOUND(fabs(area_of(mesh, SEDGE_DEFAULT_GROUP) - (4.0 * 4.0 * 3.0 + 2.0 * 15.0)),
                    1e-12);
        CHECK(mesh->groups.groupless_faces == 2 * 2 * (9 - 1) + 4 * 2 * 6);
    }
    sedge_mesh_free(mesh);
    mesh = NULL;
    write_ring(true, false);
    CHECK_FAILS(sedge_mesh_create(&mesh, comm, &options), SEDGE_ERR_USAGE,
                "'default' covers only a part of the side z = 0 of the box: the face there with");
    CHECK(strstr(sedge_error_message(), "(0.666667, 0.333333, 0) is of the group 'patch'") != NULL);
}

// Sides beside the layers may be periodic. Their layers have the same diagonals although vertices
// are numbered differently.
static void test_periodic(void)
{
    static const sedge_periodic_pair pairs[] = {{"west", "east"}, {"south", "north"}};
    static const char *const ends[4] = {SEDGE_DEFAULT_GROUP, "south", "north", "east"};
    sedge_mesh_options options = request(path, ends, 1, 2, 1.0);
    sedge_mesh *mesh;

    write_ring(false, true);
    options.default_surface = true;
    options.periodic = pairs;
    options.periodic_pairs = 2;
    mesh = make(&options, 8.0 * 4.0, (const double[3]){3.0, 3.0, 0.0});
    if (mesh != NULL) CHECK(mesh->periods == 2 && mesh->period[0][0] == 3.0);
    sedge_mesh_free(mesh);
    options.periodic_pairs = 1; // layers along y and z
    options.extrude.surfaces = 3;
    mesh = make(&options, 3.0 * 5.0 * 4.0 - 4.0, (const double[3]){3.0, 0.0, 0.0});
    if (mesh != NULL) CHECK(count_axes(mesh, 6) > 0 && count_axes(mesh, 1) == 0);
    sedge_mesh_free(mesh);
    mesh = NULL;
    options.extrude.surfaces = 1;
    options.extrude.surface = ends + 3;
    CHECK_FAILS(sedge_mesh_create(&mesh, comm, &options), SEDGE_ERR_USAGE,
                "'east' is periodic, so nothing lies outside of it");
    options = request(NULL, walls + 4, 2, 1, 0.3);
    options.box_periodic[0] = options.box_periodic[1] = true;
    sedge_mesh_free(make(&options, 1.6, (const double[3]){1.0, 1.0, 0.0}));
}

// ---- curved elements ---------------------------------------------------------------------------

// Moves only what is inside.
static void bulge(const double x[3], double moved[3])
{
    const double lift = 8.0 * x[0] * (1.0 - x[0]) * x[1] * (1.0 - x[1]) * x[2] * (1.0 - x[2]);

    for (int d = 0; d < 3; d++) moved[d] = x[d] + 0.1 * lift * (d + 1);
}

// Keeps the sides of the box flat, but moves their nodes.
static void slide(const double x[3], double moved[3])
{
    for (int d = 0; d < 3; d++) moved[d] = x[d] + 0.2 * x[d] * (1.0 - x[d]) * x[(d + 1) % 3];
}

static void test_curved(void)
{
    sedge_mesh_options options = request(NULL, walls, 6, 1, 0.25);
    sedge_mesh *mesh = NULL;

    for (int d = 0; d < 3; d++) options.box_cells[d] = 3;
    options.box_map = bulge;
    mesh = make(&options, 0.0, none);
    if (mesh != NULL) {
        int bad = 0;
        for (int32_t e = 0; e < mesh->elements; e++)
            bad += axes_of(mesh, e) != 0 && sedge_mesh_curve(mesh, e) >= 0;
        CHECK(bad == 0 && mesh->global_curved > 0);
        CHECK_BOUND(fabs(volume_of(mesh, 0) - 3.375), 3.375e-13);
    }
    sedge_mesh_free(mesh);
    mesh = NULL;
    options.box_map = slide;
    CHECK_FAILS(sedge_mesh_create(&mesh, comm, &options), SEDGE_ERR_DATA,
                "has a curved edge; layers are straight");
}

// ---- balls -------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// D = (1 - R / r) x of the frame, and R / r = e.v.
static void find_displacement(const sedge_mesh *mesh, int32_t e, const double x[3], double out[3])
{
    double frame[SEDGE_LAYER_FRAME];

    sedge_mesh_layer_frame(mesh, e, x, frame);
    for (int d = 0; d < 3; d++) out[d] = (1.0 - dot(frame, frame + 3)) * x[d];
}

// At the corners D is the depth along the radius, so it is 0 on the ball and the same in all
// elements around a vertex; the frame has its gradient. Central differences have an error of
// 1e-11 from 1e-5 squared and from rounding.
static void check_frame(const sedge_mesh *mesh, int32_t e)
{
    const double step = 1e-5;
    double frame[SEDGE_LAYER_FRAME], middle[3] = {0.0, 0.0, 0.0}, off = 0.0;

    for (int v = 0; v < 4; v++) {
        const double *const x = mesh->corners[e][v];
        double displacement[3];
        find_displacement(mesh, e, x, displacement);
        const double depth = sqrt(dot(x, x)) - mesh->extruded.radius;
        off = fmax(off, fabs(dot(displacement, x) / sqrt(dot(x, x)) - depth));
        for (int d = 0; d < 3; d++) middle[d] += 0.25 * x[d];
    }
    CHECK_BOUND(off, 1e-13);
    sedge_mesh_layer_frame(mesh, e, middle, frame);
    CHECK_BOUND(fabs(dot(frame, frame) - 1.0), 1e-14);
    off = 0.0;
    for (int j = 0; j < 3; j++) {
        double ahead[3], behind[3], x[3];
        memcpy(x, middle, sizeof x);
        x[j] = middle[j] + step;
        find_displacement(mesh, e, x, ahead);
        x[j] = middle[j] - step;
        find_displacement(mesh, e, x, behind);
        for (int i = 0; i < 3; i++) {
            const double gradient =
                (i == j ? 1.0 - dot(frame, frame + 3) : 0.0) + frame[i] * frame[3 + j];
            off = fmax(off, fabs((ahead[i] - behind[i]) / (2.0 * step) - gradient));
        }
    }
    CHECK_BOUND(off, 1e-9);
}

// The corners on the sphere lie on one of a larger radius afterwards: the polyhedron is enlarged.
// The ball's elements are curved; those on the outside become straight.
static void test_ball(void)
{
    static const char *const wall[1] = {"wall"};
    sedge_mesh_options options = request(MESHES "ball.msh", wall, 1, 2, 0.4);
    sedge_mesh *const mesh = make(&options, 0.0, none);

    if (mesh == NULL) return;
    const sedge_mesh_extruded *const extruded = &mesh->extruded;
    CHECK_BOUND(fabs(extruded->radius - 1.0) + sqrt(dot(extruded->centre, extruded->centre)),
                1e-12);
    CHECK(mesh->global_curved == 0);
    const double layers = volume_of(mesh, SEDGE_LAYER_RADIAL);
    const double inside = volume_of(mesh, 0) - layers;
    CHECK_BOUND(fabs(layers - (1.4 * 1.4 * 1.4 - 1.0) * inside), 1e-12 * inside);
    const int g = find_group(mesh->groups.surfaces, mesh->groups.surface_names, "wall");
    CHECK(count_axes(mesh, SEDGE_LAYER_RADIAL) == 6 * mesh->groups.surface_faces[g]);
    for (int32_t e = 0; e < mesh->elements; e++)
        if (axes_of(mesh, e) == SEDGE_LAYER_RADIAL) check_frame(mesh, e);
    sedge_mesh_free(mesh);
}

// ---- other surfaces ----------------------------------------------------------------------------

// The box 0..1 becomes a parallelepiped with edges of length 1.005, around (0.55, 0.55, 0.55).
static void lean(const double x[3], double moved[3])
{
    for (int d = 0; d < 3; d++) moved[d] = x[d] + 0.1 * x[(d + 1) % 3];
}

// The length of the ray through x up to the surface of that body, whose edges are the columns of A
// = 1 + 0.1 P with (P x)_d = x_(d+1): A^-1 = (1 - 0.1 P + 0.01 P^2) / 1.001.
static double find_ray(const double x[3])
{
    double most = 0.0;

    for (int d = 0; d < 3; d++) {
        const double place = (x[d] - 0.1 * x[(d + 1) % 3] + 0.01 * x[(d + 2) % 3]) / 1.001;
        most = fmax(most, 2.0 * fabs(place));
    }
    return sqrt(dot(x, x)) / most;
}

// What check_frame says of balls, with the surface's own ray; above no triangle the layer is
// thinner than asked for: at an outer corner the depth along the ray, over that to a parallel
// plane, is R / r |a| with the frame's v = R / r (R a).
static void check_rays(const sedge_mesh *mesh, int32_t e)
{
    double frame[SEDGE_LAYER_FRAME], off = 0.0;

    for (int v = 0; v < 4; v++) {
        double x[3];
        for (int d = 0; d < 3; d++) x[d] = mesh->corners[e][v][d] - mesh->extruded.centre[d];
        const double r = sqrt(dot(x, x));
        const double ray = find_ray(x);
        sedge_mesh_layer_frame(mesh, e, mesh->corners[e][v], frame);
        off = fmax(off, fabs(dot(frame, frame + 3) - ray / r)); // R / r
        const double cosine = ray / (r * sqrt(dot(frame + 3, frame + 3)));
        if (r > ray + 1e-9) CHECK((r - ray) * cosine >= 0.25 * (1.0 - 1e-12));
        CHECK(cosine >= mesh->extruded.steepest * (1.0 - 1e-12));
    }
    CHECK_BOUND(off, 1e-13);
}

static void test_rays(void)
{
    sedge_mesh_options options = request(NULL, walls, 6, 1, 0.25);
    sedge_mesh *mesh = NULL;

    for (int d = 0; d < 3; d++) options.box_cells[d] = 2;
    options.box_map = lean;
    mesh = make(&options, 0.0, none);
    if (mesh == NULL) return;
    const sedge_mesh_extruded *const extruded = &mesh->extruded;
    for (int d = 0; d < 3; d++) CHECK_BOUND(fabs(extruded->centre[d] - 0.55), 1e-15);
    CHECK(!extruded->sphere && extruded->thickness == 0.25);
    CHECK_BOUND(fabs(extruded->radius - 1.1 * sqrt(0.75)), 1e-15);
    CHECK(count_axes(mesh, SEDGE_LAYER_RADIAL) == 3 * 6 * 2 * 4);
    for (int32_t e = 0; e < mesh->elements; e++)
        if (axes_of(mesh, e) == SEDGE_LAYER_RADIAL) check_rays(mesh, e);
    sedge_mesh_free(mesh);
}

// ---- refusals ----------------------------------------------------------------------------------

static void check_refusal(sedge_mesh_options options, sedge_status status, const char *words)
{
    sedge_mesh *mesh = NULL;

    CHECK_FAILS(sedge_mesh_create(&mesh, comm, &options), status, words);
    CHECK(mesh == NULL);
}

static bool in_middle(int i, int j, int k)
{
    return i == 1 && j > 0 && j < 3 && k > 0 && k < 4;
}

static bool in_bulge(int i, int j, int k)
{
    return in_middle(i, j, k) || (i == 2 && j == 1 && k == 1);
}

static bool on_two_sides(int i, int j, int k)
{
    (void)k;
    return i < 2 && j < 3;
}

// A mesh with a shell around a box has the axes that an extrusion would have made.
static void test_shell(void)
{
    static const int inner[3] = {1, 2, 3};
    static const char *const shell[2] = {"shell", "lid"};
    sedge_mesh_options options = request(path, NULL, 0, 0, 0.0);
    sedge_mesh *mesh = NULL;

    options.default_surface = true;
    options.extrude.volumes = 1;
    options.extrude.volume = shell;
    write_shell(in_middle);
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    for (int axes = 0; axes < 8 && mesh != NULL; axes++) {
        int64_t cubes = 1;
        for (int d = 0; d < 3; d++) cubes *= (axes >> d & 1) != 0 ? 2 : inner[d];
        CHECK(count_axes(mesh, axes) == 6 * cubes);
    }
    if (mesh != NULL) {
        CHECK(mesh->extruded.layers == 0 && mesh->extruded.thickness == 1.0);
        CHECK(mesh->extruded.inner[0][2] == 1.0 && mesh->extruded.inner[1][2] == 4.0);
        CHECK(mesh->groups.volume_elements[1] == 0 && mesh->groups.volumes == 2 + 7);
    }
    sedge_mesh_free(mesh);
    mesh = NULL;
    write_shell(on_two_sides);
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh != NULL) {
        CHECK(count_axes(mesh, 1) == 6 * 3 * 5 && count_axes(mesh, 2) == 6 * 2 * 5 &&
              count_axes(mesh, 3) == 6 * 5 && count_axes(mesh, 4) == 0);
        CHECK(mesh->extruded.inner[0][0] == 0.0 && mesh->extruded.inner[1][2] == 5.0);
    }
    sedge_mesh_free(mesh);
    write_shell(in_bulge);
    check_refusal(options, SEDGE_ERR_DATA, "are no shell of a box: tetrahedron");
    CHECK(strstr(sedge_error_message(), "lies inside the box (1, 1, 1) to (3, 3, 4)") != NULL);
    options.extrude.volume = shell + 1;
    check_refusal(options, SEDGE_ERR_USAGE, "has no volume group 'lid'");
    options = request(NULL, NULL, 0, 0, 0.0);
    options.extrude.volumes = 1;
    options.extrude.volume = shell;
    options.box_names[0] = options.box_names[1] = "shell";
    check_refusal(options, SEDGE_ERR_USAGE, "all of the mesh is to be an absorbing layer");
    options.box_names[0] = "air";
    options.box_split_axis = 0;
    options.box_split = 0.5;
    options.box_map = bulge;
    check_refusal(options, SEDGE_ERR_DATA, "reaches across the plane x = ");
}

// A box becomes a parallelepiped.
static void stretch(const double x[3], double moved[3])
{
    for (int d = 0; d < 3; d++) moved[d] = x[d] + 0.3 * x[(d + 1) % 3];
}

// Two tetrahedra below z = 0 that share the edge from (0,0,0) to (0,1,0); one has a face on z = 0,
// and walls of two groups reach the edge.
static void test_two_walls(void)
{
    static const char text[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 \"top\"\n2 2 \"one\"\n2 3 "
        "\"two\"\n3 1 \"air\"\n$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 0 1 0\n3 1 0.5 0\n4 0.5 "
        "0.5 -1\n5 -0.3 0.5 -1\n6 -1 0.5 -0.5\n$EndNodes\n$Elements\n10\n"
        "1 4 2 1 1 1 3 2 4\n2 4 2 1 1 1 2 6 5\n3 2 2 1 1 1 2 3\n4 2 2 2 2 1 2 4\n5 2 2 2 2 1 3 4\n"
        "6 2 2 2 2 2 3 4\n7 2 2 3 3 1 2 5\n8 2 2 3 3 1 2 6\n9 2 2 3 3 1 5 6\n10 2 2 3 3 2 5 6\n"
        "$EndElements\n";
    static const char *const top[1] = {"top"};

    if (sedge_comm_size(comm) > 2) return; // more ranks than elements
    if (sedge_comm_is_root(comm)) CHECK_OK(sedge_file_write(path, text, sizeof text - 1));
    sedge_comm_barrier(comm);
    check_refusal(request(path, top, 1, 1, 0.0), SEDGE_ERR_DATA,
                  "walls of the surface groups 'one' and 'two' reach the same edge of the side z");
}

static void test_refusals(void)
{
    static const char *const names[4] = {"outer", "lid", "interface", "xmin"};
    static const double bad[4] = {-0.1, 1e-4, 1e3, (double)NAN};
    static const char *const sphere[1] = {"sphere"};
    sedge_mesh_options options = request(NULL, walls, 6, 1, 0.0);

    options.box_map = stretch;
    check_refusal(options, SEDGE_ERR_DATA,
                  "the ray from there meets it at 64 degrees to its outward");
    CHECK(strstr(sedge_error_message(), "enclose the mesh by a box") != NULL);
    options.extrude.surfaces = 1;
    check_refusal(options, SEDGE_ERR_DATA, "lie in a plane that is no side of the box");
    check_refusal(request(MESHES "sphere-in-box.msh", sphere, 1, 1, 0.0), SEDGE_ERR_DATA,
                  "the mesh lies outside of the sphere of radius 1 that");
    options = request(NULL, names + 1, 1, 1, 0.0);
    check_refusal(options, SEDGE_ERR_USAGE, "no surface group 'lid'; known: xmin, xmax, ymin");
    options = request(MESHES "two-block.msh", names + 2, 1, 1, 0.0);
    check_refusal(options, SEDGE_ERR_USAGE, "'interface' has no face on the outside of the mesh");
    options.two_sided_surfaces = 1;
    options.two_sided_surface = names + 2;
    check_refusal(options, SEDGE_ERR_USAGE, "'interface' has no face on the outside of the mesh");
    for (int i = 0; i < 4; i++)
        check_refusal(request(NULL, walls, 6, 1, bad[i]), SEDGE_ERR_USAGE, "of 1 layer is outside");
    check_refusal(request(NULL, walls, 6, 0, 0.0), SEDGE_ERR_USAGE, "0 layers are outside 1..8");
    check_refusal(request(NULL, walls, 6, 9, 0.0), SEDGE_ERR_USAGE, "9 layers are outside 1..8");
    options = request(NULL, walls, 6, 1, 0.0);
    options.box_split_axis = 0;
    options.box_split = 0.5;
    options.box_names[1] = "domain-layer-x";
    check_refusal(options, SEDGE_ERR_USAGE, "the mesh has a volume group 'domain-layer-x'");
    options.box_names[1] = "a-name-of-sixty-characters-which-is-the-longest-for-a-group-";
    check_refusal(options, SEDGE_ERR_USAGE, "has more than 63 characters");
}

int main(void)
{
    sedge_comm *world;

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/extrude-%d.msh", sedge_comm_size(comm));
    test_boxes();
    test_materials();
    test_ends();
    test_half_space();
    test_hole();
    test_periodic();
    test_curved();
    test_ball();
    test_rays();
    test_two_walls();
    test_shell();
    test_refusals();
    sedge_comm_free(world);
    return CHECK_END();
}
