// Meshes dealt to the ranks anew, so that each has its share of the work of every level of the time
// step.
#include "mesh_check.h"

#include <stdlib.h>

static const sedge_comm *comm;

enum { LEVELS = 5 };

static const double none[3] = {0.0, 0.0, 0.0};

// By the distance from a corner of the mesh: an element and its neighbour differ by one at most,
// since their centroids are apart less than 0.15 with 12 cells a side.
static uint8_t *choose_levels(const sedge_mesh *mesh)
{
    uint8_t *level;

    CHECK_OK(sedge_allocate(&level, mesh->elements, sizeof *level));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double square = 0.0;
        for (int d = 0; d < 3; d++) {
            double x = 0.0;
            for (int v = 0; v < 4; v++) x += 0.25 * mesh->corners[e][v][d];
            square += x * x;
        }
        level[e] = (uint8_t)fmin(floor(sqrt(square) / 0.15), LEVELS - 1);
    }
    return level;
}

// Elements of the upper half cost 9 times as much as others.
static uint16_t *choose_work(const sedge_mesh *mesh)
{
    uint16_t *work;

    CHECK_OK(sedge_allocate(&work, mesh->elements, sizeof *work));
    for (int32_t e = 0; e < mesh->elements; e++) work[e] = mesh->group[e] == 1 ? 9 : 1;
    return work;
}

// The work that a tick waits for, summed over the ticks of a macro step, over the mean of the
// ranks. Elements of level l take a step in each 2^l-th tick.
static double find_path(const sedge_mesh *mesh, const uint8_t *level, const uint16_t *work)
{
    const double ticks[LEVELS] = {8.0, 4.0, 2.0, 1.0, 1.0}; // with elements up to this level
    double most[LEVELS] = {0.0};                            // work of a rank up to this level
    int64_t all[LEVELS];
    double path = 0.0;
    double mean = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++)
        for (int l = level[e]; l < LEVELS; l++) most[l] += work[e];
    for (int l = 0; l < LEVELS; l++) all[l] = (int64_t)most[l];
    sedge_comm_max(comm, most, LEVELS);
    sedge_comm_sum_int(comm, all, LEVELS);
    for (int l = 0; l < LEVELS; l++) {
        path += ticks[l] * most[l];
        mean += ticks[l] * (double)all[l] / sedge_comm_size(comm);
    }
    return path / mean;
}

// Each element of the whole mesh is on one rank.
static void check_whole(const sedge_mesh *mesh)
{
    int64_t *found;

    CHECK_OK(sedge_allocate(&found, mesh->global_elements, sizeof *found));
    for (int32_t e = 0; e < mesh->elements; e++) found[mesh->global_ids[e]]++;
    sedge_comm_sum_int(comm, found, (int)mesh->global_elements);
    int bad = 0;
    for (int64_t i = 0; i < mesh->global_elements; i++) bad += found[i] != 1;
    CHECK(bad == 0);
    sedge_release(found);
}

// Curved elements, a periodic axis, a surface inside and a volume group's ranges go along.
static void bend(const double x[3], double moved[3])
{
    const double wave = sin(2.0 * 3.14159265358979323846 * x[0]);

    for (int d = 0; d < 3; d++) moved[d] = x[d];
    if (x[0] < 0.5) moved[2] += 0.1 * x[2] * (1.0 - x[2]) * wave;
}

static const char *const high[] = {"high"};
static const sedge_mesh_enclosure skin = {
    .name = "skin", .shape = SEDGE_ENCLOSURE_BOX, .low = {0.2, 0.2, 0.2}, .high = {0.8, 0.8, 0.8}};

static sedge_mesh_options request(void)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    for (int d = 0; d < 3; d++) options.box_cells[d] = 12;
    options.box_periodic[1] = true;
    options.box_map = bend;
    options.box_split_axis = 2;
    options.box_split = 0.5;
    options.box_names[0] = "low";
    options.box_names[1] = "high";
    options.classes = 1;
    options.class_volume = high;
    options.enclosures = 1;
    options.enclosure = &skin;
    options.partitioner = "simple"; // slices: the elements around the corner are on few ranks
    options.keep_whole = true;
    return options;
}

// With levels, and without. Two levels along the periodic axis differ by more than one; the mesh is
// not numbered by level.
static void test_balance(bool levels)
{
    const double period[3] = {0.0, 1.0, 0.0};
    const int ranks = sedge_comm_size(comm);
    const sedge_mesh_options options = request();
    sedge_mesh *mesh = NULL;
    sedge_surface_measures before, after;
    int64_t sides[4];

    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    const int surface = mesh->enclosed[0].surface;
    uint8_t *level = choose_levels(mesh);
    if (!levels) memset(level, 0, (size_t)mesh->elements);
    uint16_t *work = choose_work(mesh);
    const double path = find_path(mesh, level, work);
    double measured;
    CHECK_OK(sedge_mesh_measure_path(&measured, mesh, comm, level, work));
    CHECK(fabs(measured - path) <= 1e-14 * path);
    sedge_mesh_measure_surface(&before, sides, comm, mesh, surface);
    CHECK_OK(sedge_mesh_balance(mesh, &level, work, comm, &options));
    CHECK(mesh->whole == NULL);
    sedge_release(work);
    work = choose_work(mesh);

    uint8_t *expected = choose_levels(mesh);
    if (!levels) memset(expected, 0, (size_t)mesh->elements);
    CHECK(memcmp(level, expected, (size_t)mesh->elements) == 0);
    check_mesh(comm, mesh, 0.0, period);
    check_whole(mesh);
    sedge_mesh_measure_surface(&after, sides, comm, mesh, surface);
    CHECK(after.inside == before.inside && fabs(after.area - before.area) <= 1e-12 * before.area);
    // A bisection leaves 2 %, and there are ranks - 1 of them; 0.018 for the last element.
    CHECK(find_path(mesh, level, work) <= pow(1.02, ranks - 1) + 0.018);
    CHECK(ranks == 1 || path > 1.2);
    sedge_release(expected);
    sedge_release(work);
    sedge_release(level);
    sedge_mesh_free(mesh);
}

// The mesh with its balanced parts can be numbered by level.
static void test_levels(void)
{
    sedge_mesh_options options = request();
    sedge_mesh *mesh = NULL;

    options.box_periodic[1] = false;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh == NULL) return;
    uint8_t *level = choose_levels(mesh);
    uint16_t *work = choose_work(mesh);
    CHECK_OK(sedge_mesh_balance(mesh, &level, work, comm, &options));
    sedge_release(work);
    CHECK_OK(sedge_mesh_set_levels(mesh, comm, level));
    check_mesh(comm, mesh, 0.0, none);
    CHECK(mesh->levels == LEVELS);
    sedge_release(level);
    sedge_mesh_free(mesh);
}

// Nothing changes with one level and equal work, nor without the whole mesh.
static void test_unchanged(void)
{
    sedge_mesh_options options = request();

    for (int i = 0; i < 2; i++) {
        sedge_mesh *mesh = NULL;
        options.keep_whole = i == 0;
        CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
        if (mesh == NULL) return;
        uint8_t *level = choose_levels(mesh);
        if (i == 0) memset(level, 0, (size_t)mesh->elements);
        uint16_t *work = choose_work(mesh);
        for (int32_t e = 0; e < mesh->elements && i == 0; e++) work[e] = 7;
        const uint8_t *const same = level;
        const int64_t *const ids = mesh->global_ids;
        CHECK_OK(sedge_mesh_balance(mesh, &level, work, comm, &options));
        sedge_release(work);
        CHECK(level == same && mesh->global_ids == ids && mesh->whole == NULL);
        sedge_release(level);
        sedge_mesh_free(mesh);
    }
}

int main(void)
{
    sedge_comm *world;

    CHECK_OK(sedge_comm_create(&world, NULL));
    comm = world;
    test_balance(true);
    test_balance(false);
    test_levels();
    test_unchanged();
    sedge_comm_free(world);
    return CHECK_END();
}
