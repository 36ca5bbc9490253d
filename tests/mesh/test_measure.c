// Measures of a whole mesh, the printed summary, and finding elements by place.
#define _DEFAULT_SOURCE // dup, dup2
#include "mesh_check.h"

#include "base/file.h"

#include <time.h>
#include <unistd.h>

static double random_number(uint64_t *state) // in [0, 1): xorshift64
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static sedge_mesh *make_box(const sedge_comm *comm, int cells)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;

    for (int d = 0; d < 3; d++) options.box_cells[d] = cells;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    return mesh;
}

// Kuhn tetrahedra of edge h: edges h .. sqrt(3) h, S = h^2 (1 + sqrt 2), r = h / (2 (1 + sqrt 2)),
// R = sqrt(3)/2 h.
static void test_measure(const sedge_comm *comm)
{
    sedge_mesh *const mesh = make_box(comm, 5);
    const double h = 0.2;
    const double r = h / (2.0 * (1.0 + sqrt(2.0)));
    const double q = 6.0 * r / (sqrt(3.0) * h);
    sedge_mesh_quality m;

    CHECK_OK(sedge_mesh_measure(&m, comm, mesh));
    CHECK_BOUND(fabs(m.volume - 1.0), 1e-15);
    CHECK_BOUND(fabs(m.edge_min - h), 1e-15);
    CHECK_BOUND(fabs(m.edge_max - sqrt(3.0) * h), 1e-15);
    CHECK_BOUND(fabs(m.inradius_min - r), 1e-15);
    CHECK_BOUND(fabs(m.inradius_max - r), 1e-15);
    CHECK_BOUND(fabs(m.quality_min - q), 1e-14);
    CHECK_BOUND(fabs(m.quality_mean - q), 1e-14);
    for (int i = 0; i < 10; i++)
        CHECK(m.quality_histogram[i] == (i == (int)(10.0 * q) ? mesh->global_elements : 0));
    CHECK(m.worst_count == 8);
    for (int i = 1; i < 8; i++) CHECK(m.worst[i - 1].quality <= m.worst[i].quality);
    CHECK(m.worst_alike == mesh->global_elements);
    for (int i = 0; i < 8; i++) CHECK_BOUND(fabs(m.worst[i].inradius - r), 1e-15);
    sedge_mesh_free(mesh);
}

// The printed summary of the root, read back from a file.
static void test_print(const sedge_comm *comm)
{
    char path[600];
    sedge_mesh *const mesh = make_box(comm, 2);

    (void)snprintf(path, sizeof path, SEDGE_TEST_DIR "/printed-%d.txt", sedge_comm_size(comm));
    (void)fflush(stdout);
    const int saved = dup(1);
    if (sedge_comm_is_root(comm)) CHECK(freopen(path, "w", stdout) != NULL);
    CHECK_OK(sedge_mesh_print(comm, mesh));
    (void)fflush(stdout);
    CHECK(dup2(saved, 1) == 1);
    (void)close(saved);
    if (sedge_comm_is_root(comm)) {
        static const char *const words[] = {"48 tetrahedra, 27 vertices",
                                            "x from 0 to 1",
                                            "volume 1,",
                                            "domain",
                                            "zmax",
                                            "quality",
                                            "worst",
                                            "halo faces"};
        char *text;
        size_t length;
        CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            CHECK(text != NULL && strstr(text, words[i]) != NULL);
        sedge_release(text);
    }
    sedge_mesh_free(mesh);
}

static void map_point(double corners[4][3], const double rst[3], double x[3])
{
    const double weights[4] = {-0.5 * (1.0 + rst[0] + rst[1] + rst[2]), 0.5 * (1.0 + rst[0]),
                               0.5 * (1.0 + rst[1]), 0.5 * (1.0 + rst[2])};

    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int v = 0; v < 4; v++) x[d] += weights[v] * corners[v][d];
    }
}

static int claim_one(int32_t *element, double rst[3], const sedge_comm *comm,
                     const sedge_mesh *mesh, const double x[3])
{
    const double points[1][3] = {{x[0], x[1], x[2]}};
    double places[1][3] = {{0.0, 0.0, 0.0}};
    int owner = -2;

    CHECK_OK(sedge_mesh_claim(&owner, element, places, comm, mesh, points, 1));
    memcpy(rst, places[0], sizeof places[0]);
    return owner;
}

// One rank has the point, and no rank has an element that holds it better: so the choice does not
// depend on how elements are spread.
static int count_bad_claims(const sedge_comm *comm, const sedge_mesh *mesh, const double x[3])
{
    double rst[3] = {0.0, 0.0, 0.0};
    double own[3];
    int32_t element;
    int bad = 0;

    const int owner = claim_one(&element, rst, comm, mesh, x);
    if (owner < 0) return 1;
    struct {
        double least;
        int64_t id;
    } best = {0.0, 0};
    bad += (element >= 0) != (owner == sedge_comm_rank(comm));
    if (element >= 0) {
        best.least = sedge_mesh_coordinates(mesh, element, x, own);
        best.id = mesh->global_ids[element];
        for (int d = 0; d < 3; d++) bad += own[d] != rst[d];
    }
    sedge_comm_broadcast(comm, &best, sizeof best, owner);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const double least = sedge_mesh_coordinates(mesh, e, x, own);
        bad += least > best.least || (least == best.least && mesh->global_ids[e] < best.id);
    }
    return bad;
}

// Random points and points on vertices, edges and faces: someone has them, the coordinates map
// back, the tree and the plain search agree; points outside belong to nobody.
static void check_points(const sedge_comm *comm, const sedge_mesh *mesh, int points, bool grid)
{
    sedge_locator *locator = NULL;
    uint64_t state = 88172645463325252u;
    int bad = 0;

    CHECK_OK(sedge_locator_create(&locator, mesh));
    for (int i = 0; i < points; i++) {
        double x[3];
        double rst[3] = {0.0, 0.0, 0.0};
        double other[3] = {0.0, 0.0, 0.0};
        double back[3];
        for (int d = 0; d < 3; d++) {
            const double u = random_number(&state);
            const double low = mesh->bounds[0][d], high = mesh->bounds[1][d];
            x[d] = low + (high - low) * (grid ? round(6.0 * u) / 6.0 : u);
        }
        const int32_t e = sedge_locator_find(locator, x, rst);
        int64_t owners = e >= 0;
        if (i < 200) {
            bad += sedge_mesh_locate(mesh, x, other) != e;
            for (int d = 0; d < 3; d++) bad += rst[d] != other[d];
        }
        if (e >= 0) {
            map_point(mesh->corners[e], rst, back);
            for (int d = 0; d < 3; d++) bad += fabs(back[d] - x[d]) > 1e-8 * largest_extent(mesh);
        }
        if (i < 50) bad += count_bad_claims(comm, mesh, x);
        for (int d = 0; d < 3; d++) // off the faces, but nearer than the tolerance
            x[d] += 1e-11 * (0.3 * mesh->bounds[0][d] + 0.7 * mesh->bounds[1][d] - x[d]);
        if (i < 50) bad += count_bad_claims(comm, mesh, x);
        if (i < 500) {
            sedge_comm_sum_int(comm, &owners, 1);
            bad += owners == 0;
        }
    }
    CHECK(bad == 0);
    double outside[3] = {mesh->bounds[1][0], mesh->bounds[1][1], mesh->bounds[1][2]};
    double rst[3];
    outside[1] += 1e-6 * largest_extent(mesh);
    CHECK(sedge_locator_find(locator, outside, rst) == -1);
    CHECK(sedge_mesh_locate(mesh, outside, rst) == -1);
    int32_t none = 0;
    CHECK(claim_one(&none, rst, comm, mesh, outside) == -1);
    CHECK(none == -1);
    sedge_locator_free(locator);
}

// A thousand points at once: owner, element and coordinates of each as if it were asked for alone,
// to the last bit. Every third lies on a grid of vertices, edges and faces, every tenth is
// nobody's.
static void test_claims_at_once(const sedge_comm *comm, int count)
{
    sedge_mesh *const mesh = make_box(comm, 3);
    uint64_t state = 20261122;
    int bad = 0, outside = 0;
    double(*const points)[3] = calloc((size_t)count, sizeof *points);
    double(*const rst)[3] = calloc((size_t)count, sizeof *rst);
    int32_t *const elements = calloc((size_t)count, sizeof *elements);
    int *const owners = calloc((size_t)count, sizeof *owners);

    for (int i = 0; i < count; i++) {
        for (int d = 0; d < 3; d++) {
            const double u = random_number(&state);
            points[i][d] = i % 3 == 0 ? round(6.0 * u) / 6.0 : u;
        }
        if (i % 10 == 9) points[i][i % 3] += 1.5;
    }
    CHECK_OK(
        sedge_mesh_claim(owners, elements, rst, comm, mesh, (const double(*)[3])points, count));
    for (int i = 0; i < count; i++) {
        double alone[3];
        int32_t element;

        bad += claim_one(&element, alone, comm, mesh, points[i]) != owners[i];
        bad += element != elements[i];
        for (int d = 0; d < 3 && element >= 0; d++) bad += alone[d] != rst[i][d];
        outside += owners[i] == -1;
    }
    CHECK(bad == 0);
    CHECK(outside == count / 10);
    free(points);
    free(rst);
    free(elements);
    free(owners);
    sedge_mesh_free(mesh);
}

static void test_locate(const sedge_comm *comm)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = make_box(comm, 6);

    check_points(comm, mesh, 2000, false);
    check_points(comm, mesh, 500, true);
    sedge_mesh_free(mesh);
    options.file = SEDGE_SOURCE_DIR "/meshes/cube.msh";
    options.scale = 1e-6;
    mesh = NULL;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    if (mesh != NULL) check_points(comm, mesh, 2000, false);
    sedge_mesh_free(mesh);
}

// 10^5 points among 10^5 tetrahedra: a second of the processor by the tree, an hour without.
// Whatever the elements' numbers: in layers across the box a tree of runs would be of no use.
static void test_locate_is_fast(const sedge_comm *comm)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    sedge_locator *locator = NULL;
    uint64_t state = 1234567;
    int64_t found = 0;

    options.numbering = SEDGE_NUMBERING_NONE;
    for (int d = 0; d < 3; d++) options.box_cells[d] = 26;
    CHECK_OK(sedge_mesh_create(&mesh, comm, &options));
    const clock_t start = clock();
    CHECK_OK(sedge_locator_create(&locator, mesh));
    for (int i = 0; i < 100000; i++) {
        double x[3];
        double rst[3];
        for (int d = 0; d < 3; d++) x[d] = random_number(&state);
        found += sedge_locator_find(locator, x, rst) >= 0;
    }
    sedge_comm_sum_int(comm, &found, 1);
    CHECK(found >= 100000);
    CHECK_BOUND((double)(clock() - start) / CLOCKS_PER_SEC, 60.0);
    sedge_locator_free(locator);
    sedge_mesh_free(mesh);
}

int main(void)
{
    sedge_comm *comm;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_measure(comm);
    test_print(comm);
    test_locate(comm);
    test_claims_at_once(comm, 1000);
    test_claims_at_once(comm, 3);
    test_claims_at_once(comm, 0);
    test_locate_is_fast(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
