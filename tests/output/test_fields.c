// mesh.hdf, fields_*.hdf and their list, written by all ranks, read back by one.
#include "base/file.h"
#include "output_case.h"
#include "read_back.h"
#include "sampled.h"

#include <jansson.h>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

// fp32 of numbers up to about 1.3^10: half a unit in the last place, and rounding in fp64.
static const double tolerance = 1e-6;

static bool is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

// Values at the points that the file itself gives: polynomials of the right degree, deck's units.
static void check_values(output_case *c, hid_t file, double scale)
{
    const int order = c->element->order;
    const int64_t points = c->mesh->global_elements * c->element->nodes;
    read_array x = read_dataset(file, "/VTKHDF/Points");
    read_array e = read_dataset(file, "/VTKHDF/PointData/E");
    read_array p = read_dataset(file, "/VTKHDF/PointData/p");
    double worst = 0.0;

    CHECK(x.size == 3 * points && x.rank == 2 && x.shape[1] == 3 && x.bytes == 4);
    CHECK(e.size == 3 * points && e.rank == 2 && e.shape[1] == 3 && e.bytes == 4);
    CHECK(p.size == points && p.rank == 1 && p.bytes == 4);
    for (int64_t i = 0; i < points && x.size > 0 && e.size > 0 && p.size > 0; i++) {
        for (int f = 0; f < 3; f++) {
            worst = fmax(worst, fabs(e.values[3 * i + f] / (scale * CASE_E_SI) -
                                     case_value(order, f, x.values + 3 * i)));
        }
        worst = fmax(worst, fabs(p.values[i] / (scale * CASE_P_SI) -
                                 case_value(order, 3, x.values + 3 * i)));
    }
    CHECK_BOUND(worst, 20.0 * order * tolerance); // x is rounded too
    read_free(&x);
    read_free(&e);
    read_free(&p);
}

// Pieces, their counts, connectivity and types: what VTK needs to build the grid.
static void check_grid(output_case *c, hid_t file)
{
    const int64_t nodes = c->element->nodes;
    const int64_t elements = c->mesh->global_elements;
    const int pieces = sedge_comm_size(c->comm);
    read_array cells = read_dataset(file, "/VTKHDF/NumberOfCells");
    read_array points = read_dataset(file, "/VTKHDF/NumberOfPoints");
    read_array ids = read_dataset(file, "/VTKHDF/NumberOfConnectivityIds");
    read_array connectivity = read_dataset(file, "/VTKHDF/Connectivity");
    read_array offsets = read_dataset(file, "/VTKHDF/Offsets");
    read_array types = read_dataset(file, "/VTKHDF/Types");
    read_array rank = read_dataset(file, "/VTKHDF/CellData/rank");
    int64_t cell = 0;

    CHECK(cells.size == pieces && points.size == pieces && ids.size == pieces);
    CHECK(connectivity.size == elements * nodes && offsets.size == elements + pieces);
    CHECK(types.size == elements && types.bytes == 1 && rank.size == elements);
    for (int k = 0; k < pieces && cells.size == pieces && points.size == pieces; k++) {
        CHECK(points.values[k] == cells.values[k] * (double)nodes);
        CHECK(ids.values[k] == points.values[k]);
        for (int64_t i = 0; i <= (int64_t)cells.values[k]; i++)
            CHECK(offsets.values[cell + k + i] == (double)(i * nodes));
        for (int64_t i = 0; i < (int64_t)cells.values[k] * nodes; i++)
            CHECK(connectivity.values[cell * nodes + i] == (double)i);
        for (int64_t i = 0; i < (int64_t)cells.values[k]; i++, cell++) {
            CHECK(types.values[cell] == 71.0);
            CHECK(rank.values[cell] == k);
        }
    }
    CHECK(cell == elements);
    read_free(&cells);
    read_free(&points);
    read_free(&ids);
    read_free(&connectivity);
    read_free(&offsets);
    read_free(&types);
    read_free(&rank);
}

// The first points of each element are its corners, then the nodes of its edges in VTK's order.
static void check_corners_and_edges(output_case *c, hid_t file)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const int order = c->element->order;
    read_array x = read_dataset(file, "/VTKHDF/Points");

    // The root's piece comes first, in the mesh's order.
    for (int32_t e = 0; e < c->mesh->elements && x.size > 0; e++) {
        const double *const own = x.values + (int64_t)e * c->element->nodes * 3;
        double(*const v)[3] = c->mesh->corners[e];

        for (int d = 0; d < 3; d++) {
            for (int a = 0; a < 4; a++) CHECK_BOUND(fabs(own[3 * a + d] - v[a][d]), 1e-7);
            for (int k = 0; k < 6; k++) {
                for (int i = 1; i < order; i++) {
                    const double from = v[edges[k][0]][d];
                    const double to = v[edges[k][1]][d];
                    const int node = 4 + k * (order - 1) + i - 1;

                    CHECK_BOUND(fabs(own[3 * node + d] - (from + i * (to - from) / order)), 1e-7);
                }
            }
        }
    }
    read_free(&x);
}

// Inside the faces VTK goes around by a rule of its own: the nodes of order 4 as it lists them,
// in quarters of the edges from v0 to v1, v2, v3.
static void check_faces(output_case *c, hid_t file)
{
    static const int places[13][3] = {{1, 0, 1}, {2, 0, 1}, {1, 0, 2}, {1, 2, 1}, {1, 1, 2},
                                      {2, 1, 1}, {0, 1, 1}, {0, 1, 2}, {0, 2, 1}, {1, 1, 0},
                                      {1, 2, 0}, {2, 1, 0}, {1, 1, 1}};
    double(*const v)[3] = c->mesh->corners[0];
    read_array x = read_dataset(file, "/VTKHDF/Points");

    for (int m = 0; m < 13 && x.size > 0; m++) {
        for (int d = 0; d < 3; d++) {
            double wanted = v[0][d];

            for (int a = 0; a < 3; a++) wanted += 0.25 * places[m][a] * (v[a + 1][d] - v[0][d]);
            CHECK_BOUND(fabs(x.values[3 * (22 + m) + d] - wanted), 1e-7);
        }
    }
    read_free(&x);
}

static void check_attributes(hid_t file, int order, double time, int64_t step)
{
    double numbers[2];
    char type[32] = "";
    const hid_t id = H5Aopen_by_name(file, "/VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t text = H5Aget_type(id);

    CHECK(H5Tis_variable_str(text) == 0 && H5Tget_cset(text) == H5T_CSET_ASCII);
    CHECK(H5Tget_size(text) == strlen("UnstructuredGrid") && H5Aread(id, text, type) >= 0);
    CHECK(strcmp(type, "UnstructuredGrid") == 0);
    H5Tclose(text);
    H5Aclose(id);
    read_numbers(file, "/VTKHDF", "Version", numbers, 2);
    CHECK(numbers[0] == 1.0 && numbers[1] == 0.0);
    CHECK_TEXT(file, "/", "title", "A case of polynomials");
    CHECK_TEXT(file, "/", "deck", "made/up.yaml");
    CHECK_TEXT(file, "/", "equation", "made-up");
    CHECK_TEXT(file, "/", "units", "si");
    CHECK_TEXT(file, "/", "time_units", "s");
    CHECK_TEXT(file, "/VTKHDF/PointData/E", "units", "V/m");
    CHECK_TEXT(file, "/VTKHDF/PointData/p", "units", "Pa");
    CHECK_TEXT(file, "/VTKHDF/Points", "units", "m");
    char version[256];
    read_text(file, "/", "version", version);
    CHECK(strncmp(version, "sedge ", 6) == 0);
    read_numbers(file, "/", "order", numbers, 1);
    CHECK(numbers[0] == order);
    read_numbers(file, "/", "time", numbers, 1);
    CHECK_BOUND(fabs(numbers[0] - time), 1e-15 * fabs(time));
    read_numbers(file, "/", "step", numbers, 1);
    CHECK(numbers[0] == (double)step);
    read_array value = read_dataset(file, "/VTKHDF/FieldData/TimeValue");
    CHECK(value.size == 1);
    if (value.size == 1) CHECK_BOUND(fabs(value.values[0] - time), 1e-15 * fabs(time));
    read_free(&value);
}

static void check_series(output_case *c, const double *times, int count)
{
    json_t *const series = json_load_file(case_path(c, "fields.hdf.series"), 0, NULL);
    json_t *const files = json_object_get(series, "files");

    CHECK(strcmp(json_string_value(json_object_get(series, "file-series-version")), "1.0") == 0);
    CHECK((int)json_array_size(files) == count);
    for (int i = 0; i < (int)json_array_size(files); i++) {
        char name[32];
        json_t *const one = json_array_get(files, (size_t)i);

        (void)snprintf(name, sizeof name, "fields_%06d.hdf", i);
        CHECK(strcmp(json_string_value(json_object_get(one, "name")), name) == 0);
        CHECK_BOUND(fabs(json_number_value(json_object_get(one, "time")) - times[i]),
                    1e-15 * fabs(times[i]));
        CHECK(is_there(case_path(c, name)));
    }
    json_decref(series);
}

static void test_polynomials(const sedge_comm *comm, int order)
{
    output_case c;
    char name[64];
    const double times[2] = {0.0, 0.75};
    double shown[2] = {0.0, 0.0};

    (void)snprintf(name, sizeof name, "fields-order%d", order);
    case_make(&c, comm, order, name, 0.0);
    c.deck.si = true;
    case_open(&c);
    for (int k = 0; k < 2 && c.monitors != NULL; k++) {
        shown[k] = times[k] * sedge_deck_time_unit(&c.deck);
        case_fill(&c, k + 1.0);
        CHECK_OK(case_sample(&c, times[k], k * CASE_STEPS / 2));
    }
    case_close(&c);
    if (sedge_comm_is_root(comm)) {
        for (int k = 0; k < 2; k++) {
            (void)snprintf(name, sizeof name, "fields_%06d.hdf", k);
            const hid_t file = read_open(case_path(&c, name));
            CHECK(file >= 0);
            if (file < 0) continue;
            check_values(&c, file, k + 1.0);
            check_grid(&c, file);
            check_corners_and_edges(&c, file);
            if (order == 4) check_faces(&c, file);
            check_attributes(file, order, shown[k], k * CASE_STEPS / 2);
            H5Fclose(file);
        }
        check_series(&c, shown, 2);
        CHECK(!is_there(case_path(&c, "fields_000000.hdf.tmp")));
    }
    case_free(&c);
}

// A second run in the same folder: nothing of the first one's later snapshots stays.
static void test_second_run_replaces(const sedge_comm *comm)
{
    output_case c;
    const double zero = 0.0;

    case_make(&c, comm, 2, "fields-again", 0.0);
    case_open(&c);
    for (int step = 0; step <= CASE_STEPS && c.monitors != NULL; step++)
        CHECK_OK(case_sample(&c, 0.5 * step, step));
    if (sedge_comm_is_root(comm)) { // at the start, in the middle, at the end
        CHECK(is_there(case_path(&c, "fields_000002.hdf")));
        CHECK(!is_there(case_path(&c, "fields_000003.hdf")));
    }
    case_close(&c);
    sedge_comm_barrier(comm);
    case_open(&c);
    if (sedge_comm_is_root(comm)) CHECK(!is_there(case_path(&c, "fields.hdf.series")));
    CHECK_OK(case_sample(&c, 0.0, 0));
    case_close(&c);
    if (sedge_comm_is_root(comm)) {
        check_series(&c, &zero, 1);
        CHECK(!is_there(case_path(&c, "fields_000001.hdf")));
        CHECK(is_there(case_path(&c, "deck.yaml")));
    }
    case_free(&c);
}

// Go on after two field files whose list has become `text` (NULL: it is missing).
static sedge_status go_on(output_case *c, const char *text)
{
    if (sedge_comm_is_root(c->comm)) {
        (void)remove(case_path(c, "fields.hdf.series"));
        if (text != NULL)
            CHECK_OK(sedge_file_write(case_path(c, "fields.hdf.series"), text, strlen(text)));
    }
    sedge_comm_barrier(c->comm);
    json_t *const memory = json_pack("{s:{s:i}}", "snapshots", "samples", 2);
    const sedge_status status = case_try(c, memory);
    json_decref(memory);
    return status;
}

// A list of field files that is missing or damaged is made anew from the files.
static void test_damaged_list(const sedge_comm *comm)
{
    static const char *const damages[] = {
        NULL,
        "",
        "{\"file-series-version\": \"1.0\", \"files\": [{\"name\": \"fields_000000.hdf\", \"ti",
        "{\"file-series-version\": \"1.0\"}",
        "{\"files\": [{\"name\": \"fields_000000.hdf\", \"time\": 0.0}]}",
        "{\"files\": [{\"time\": 0.0}, {\"time\": \"soon\"}]}",
    };
    const double times[3] = {0.25, 0.5, 0.75};
    output_case c;

    case_make(&c, comm, 2, "fields-damaged", 0.0);
    case_open(&c);
    for (int k = 0; k < 2 && c.monitors != NULL; k++)
        CHECK_OK(case_sample(&c, times[k], k * CASE_STEPS / 2));
    case_close(&c);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        CHECK_OK(go_on(&c, damages[i]));
        if (c.monitors == NULL) break;
        if (sedge_comm_is_root(comm)) check_series(&c, times, 2);
        CHECK_OK(case_sample(&c, times[2], CASE_STEPS));
        case_close(&c);
        if (sedge_comm_is_root(comm)) check_series(&c, times, 3);
    }
    sedge_comm_barrier(comm);
    if (sedge_comm_is_root(comm)) CHECK(remove(case_path(&c, "fields_000001.hdf")) == 0);
    CHECK_FAILS(go_on(&c, "{"), SEDGE_ERR_DATA, "fields.hdf.series' cannot be read: line 1: ");
    CHECK(strstr(sedge_error_message(), "fields_000001.hdf") != NULL);
    CHECK(strstr(sedge_error_message(), "restart into another --output") != NULL);
    CHECK(c.monitors == NULL);
    case_free(&c);
}

// Far from the origin fp32 points would coincide: they are stored in fp64.
static void test_points_far_away(const sedge_comm *comm)
{
    output_case c;

    case_make(&c, comm, 3, "fields-far", 3e5);
    case_open(&c);
    CHECK(!is_there(case_path(&c, "mesh.hdf"))); // it is being written
    CHECK_OK(sedge_monitors_settle(c.monitors, SEDGE_SETTLE_ALL));
    case_close(&c);
    if (sedge_comm_is_root(comm)) {
        const hid_t file = read_open(case_path(&c, "mesh.hdf"));
        read_array x = read_dataset(file, "/VTKHDF/Points");

        CHECK(x.bytes == 8);
        check_corners_and_edges(&c, file);
        read_free(&x);
        H5Fclose(file);
    }
    case_free(&c);
}

// No snapshots requested: no mesh, no field files, but those of the last state of a failed run.
static void test_no_snapshots(const sedge_comm *comm)
{
    output_case c;

    case_make(&c, comm, 1, "fields-none", 0.0);
    c.deck.snapshots = 0;
    case_open(&c);
    CHECK_OK(case_sample(&c, 0.0, 0));
    if (sedge_comm_is_root(comm)) {
        CHECK(!is_there(case_path(&c, "mesh.hdf")));
        CHECK(!is_there(case_path(&c, "fields_000000.hdf")));
    }
    sedge_comm_barrier(comm);
    c.energy = 7.0;
    sedge_sample_begin(c.sample, 0.25, 3); // no monitor is due
    CHECK_OK(sedge_monitors_last(c.monitors, c.sample));
    case_close(&c);
    if (sedge_comm_is_root(comm)) {
        const double time = 0.25;
        const hid_t file = read_open(case_path(&c, "energy.h5"));
        read_array energy = read_dataset(file, "/energy");

        check_series(&c, &time, 1);
        CHECK(energy.size == 1); // a run gives its energies itself
        read_free(&energy);
        H5Fclose(file);
    }
    case_free(&c);
}

// ---- while the run goes on ---------------------------------------------------------------------

// A solver whose copies come late: the test says when.
typedef struct late_copies {
    pthread_mutex_t lock;
    pthread_cond_t told;
    bool come;
    int taken;
    float *values;
} late_copies;

static late_copies late = {.lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER};

static sedge_status create_late(void **snapshot, void *solver, const sedge_field_layout *layout,
                                int rooms)
{
    (void)solver;
    CHECK(rooms == 2);
    *snapshot = &late;
    return sedge_allocate(&late.values, layout->values, sizeof *late.values);
}

static void free_late(void *snapshot)
{
    CHECK(snapshot == &late);
    sedge_release(late.values);
}

static sedge_status take_late(void *snapshot, int room)
{
    (void)snapshot;
    CHECK(room == late.taken++ % 2);
    return SEDGE_OK;
}

static sedge_status wait_late(void *snapshot, int room)
{
    (void)snapshot;
    (void)room;
    (void)pthread_mutex_lock(&late.lock);
    while (!late.come) (void)pthread_cond_wait(&late.told, &late.lock);
    (void)pthread_mutex_unlock(&late.lock);
    return SEDGE_OK;
}

static const float *get_late(void *snapshot, int room)
{
    (void)snapshot;
    (void)room;
    return late.values;
}

// Two snapshots are taken and other monitors sample while neither is on the host, let alone on the
// disk: nothing is listed then. All is there when they have come; the third waited for the first.
static void test_late(const sedge_comm *comm)
{
    const double times[3] = {0.0, 0.5, 1.0};
    output_case c;

    case_make(&c, comm, 2, "fields-late", 0.0);
    case_open(&c);
    c.source.create_snapshot = create_late;
    c.source.free_snapshot = free_late;
    c.source.take_snapshot = take_late;
    c.source.wait_snapshot = wait_late;
    c.source.get_snapshot = get_late;
    for (int k = 0; k < 3 && c.monitors != NULL; k++) {
        sedge_sample_begin(c.sample, times[k], k * CASE_STEPS / 2);
        if (k == 2) {
            (void)pthread_mutex_lock(&late.lock);
            late.come = true;
            (void)pthread_cond_broadcast(&late.told);
            (void)pthread_mutex_unlock(&late.lock);
        }
        CHECK_OK(sedge_monitors_sample(c.monitors, c.sample));
        CHECK(late.taken == k + 1);
        if (k == 2) continue;
        CHECK_OK(sedge_monitors_settle(c.monitors, SEDGE_SETTLE_WRITTEN));
        if (sedge_comm_is_root(comm)) CHECK(!is_there(case_path(&c, "fields.hdf.series")));
    }
    if (sedge_comm_is_root(comm)) CHECK(is_there(case_path(&c, "fields_000000.hdf")));
    CHECK_OK(sedge_monitors_settle(c.monitors, SEDGE_SETTLE_ALL));
    if (sedge_comm_is_root(comm)) {
        check_series(&c, times, 3);
        CHECK(!is_there(case_path(&c, "fields_000002.hdf.tmp")));
    }
    case_free(&c);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    const bool some = test_is_small() || sedge_comm_size(comm) > 1; // each rank makes all elements
    const int most = some ? 7 : 10;
    for (int order = 1; order <= most; order += some ? 3 : 1) test_polynomials(comm, order);
    test_second_run_replaces(comm);
    test_damaged_list(comm);
    test_points_far_away(comm);
    test_no_snapshots(comm);
    test_late(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
