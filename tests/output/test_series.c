// energy.h5, probes.h5, slices.h5: lengths, units, values of polynomials, not-a-number outside.
#include "output_case.h"
#include "read_back.h"
#include "sampled.h"

#include <unistd.h>

static void check_times(hid_t file, int count, double first, double step)
{
    read_array times = read_dataset(file, "/time");

    CHECK(times.size == count);
    for (int i = 0; i < (int)times.size; i++)
        CHECK_BOUND(fabs(times.values[i] - (first + step * i)), 1e-14 * fabs(first + step * i));
    read_free(&times);
}

// More samples than are kept, flushed twice, deck in SI.
static void test_energy(const sedge_comm *comm)
{
    output_case c;
    const int samples = 700;

    case_make(&c, comm, 1, "energy", 0.0);
    c.deck.si = true;
    c.deck.snapshots = 0;
    case_open(&c);
    for (int i = 0; i < samples && c.monitors != NULL; i++) {
        c.energy = 3.0 + i;
        CHECK_OK(case_sample(&c, 0.5 * i, 20 * i));
        if (i == 100) CHECK_OK(sedge_monitors_flush(c.monitors));
    }
    CHECK_OK(sedge_monitors_flush(c.monitors));
    CHECK_OK(sedge_monitors_flush(c.monitors)); // nothing to write
    if (sedge_comm_is_root(comm)) {             // while the run goes on
        const hid_t file = read_open(case_path(&c, "energy.h5"));
        read_array energy = read_dataset(file, "/energy");
        read_array step = read_dataset(file, "/step");

        check_times(file, samples, 0.0, 0.5 * sedge_deck_time_unit(&c.deck));
        CHECK(energy.size == samples && step.size == samples);
        for (int i = 0; i < samples && energy.size == samples && step.size == samples; i++)
            CHECK(energy.values[i] == 8.0 * (3.0 + i) && step.values[i] == 20.0 * i);
        CHECK_TEXT(file, "/time", "units", "s");
        CHECK_TEXT(file, "/energy", "units", "J");
        CHECK_TEXT(file, "/", "units", "si");
        CHECK_TEXT(file, "/", "title", "A case of polynomials");
        read_free(&energy);
        read_free(&step);
        H5Fclose(file);
    }
    case_free(&c);
}

// ---- probes ------------------------------------------------------------------------------------

#define PROBES 6

// Points inside, on a vertex that many elements and ranks share, on the boundary, on an edge
// within, in a corner; more than are looked for one by one.
static sedge_deck_probe probes[PROBES] = {
    {.name = "inside", .line = 7, .position = {0.3, 0.2, 0.1}},
    {.name = "shared", .position = {0.5, 0.5, 0.0}},
    {.name = "edge of it", .position = {1.0, 0.25, -0.5}},
    {.name = "within", .position = {0.5, 0.25, 0.0}},
    {.name = "corner", .position = {0.0, 0.0, -0.5}},
    {.name = "high", .position = {0.81, 0.43, 0.44}}};

static void check_probes(output_case *c, int samples)
{
    const hid_t file = read_open(case_path(c, "probes.h5"));

    CHECK(file >= 0);
    check_times(file, samples, 0.0, 0.25 * sedge_deck_time_unit(&c->deck));
    for (int p = 0; p < PROBES; p++) {
        char e_path[128], p_path[128], group[100];
        double at[3];

        (void)snprintf(group, sizeof group, "/probes/%.63s", probes[p].name);
        (void)snprintf(e_path, sizeof e_path, "%s/E", group);
        (void)snprintf(p_path, sizeof p_path, "%s/p", group);
        read_array e = read_dataset(file, e_path);
        read_array scalar = read_dataset(file, p_path);
        CHECK(e.rank == 2 && e.size == 3 * samples && e.shape[1] == 3 && e.bytes == 8);
        CHECK(scalar.rank == 1 && scalar.size == samples);
        read_numbers(file, group, "position", at, 3);
        for (int d = 0; d < 3; d++) CHECK(at[d] == probes[p].position[d]);
        for (int s = 0; s < samples && e.size == 3 * samples && scalar.size == samples; s++) {
            for (int f = 0; f < CASE_FIELDS; f++) {
                const double wanted =
                    (1.0 + 0.25 * s) * case_value(c->element->order, f, probes[p].position);
                const double got =
                    f == 3 ? scalar.values[s] / CASE_P_SI : e.values[3 * s + f] / CASE_E_SI;

                CHECK_BOUND(fabs(got - wanted), 1e-12 * (1.0 + 0.25 * s)); // fp64 all the way
            }
        }
        CHECK_TEXT(file, e_path, "units", "V/m");
        read_free(&e);
        read_free(&scalar);
    }
    H5Fclose(file);
}

static void test_probes(const sedge_comm *comm)
{
    const int samples = 300; // more than wait for the file at once
    output_case c;

    case_make(&c, comm, 4, "probes", 0.0);
    c.deck.si = true;
    c.deck.snapshots = 0;
    c.deck.probes = probes;
    c.deck.probe_count = PROBES;
    c.deck.probe_every = 3;
    case_open(&c);
    for (int step = 0; step < 3 * samples && c.monitors != NULL; step++) {
        if (step % 3 == 0) case_fill(&c, 1.0 + 0.25 * step / 3.0);
        CHECK_OK(case_sample(&c, 0.25 * step / 3.0, step));
    }
    CHECK_OK(sedge_monitors_flush(c.monitors));
    if (sedge_comm_is_root(comm)) check_probes(&c, samples);
    CHECK_OK(sedge_monitors_flush(c.monitors)); // nothing to write
    case_free(&c);
}

static void test_wrong_probes(const sedge_comm *comm)
{
    output_case c;
    sedge_deck_probe wrong = {.name = "far", .line = 12, .position = {0.3, 0.7, 0.1}};

    case_make(&c, comm, 1, "probes-wrong", 0.0);
    c.deck.probes = &wrong;
    c.deck.probe_count = 1;
    CHECK_FAILS(case_try(&c, NULL), SEDGE_ERR_INTERNAL, "probe 'far' has no element");
    CHECK(c.monitors == NULL);
    case_free(&c);
}

// ---- slices ------------------------------------------------------------------------------------

// Through elements' insides, through a face that two layers share, on the mesh's boundary.
static sedge_deck_slice slices[3] = {
    {.name = "x", .axis = 0, .position = 0.37, .resolution = 20},
    {.name = "middle", .axis = 2, .position = 0.0, .resolution = 24},
    {.name = "lid", .axis = 1, .position = 0.5, .resolution = 10}};
static const int slice_axes[3][2] = {{1, 2}, {0, 1}, {0, 2}}; // of columns, of rows
static const int slice_shape[3][2] = {{20, 10}, {12, 24}, {10, 10}};

// All pictures of slice i: picture k is (1 + k) times the polynomial, everywhere.
static void check_pictures(output_case *c, hid_t file, int i, int pictures)
{
    static const char axis_name[3] = {'x', 'y', 'z'};
    const int rows = slice_shape[i][0];
    const int columns = slice_shape[i][1];
    char path[100];
    double point[3];

    (void)snprintf(path, sizeof path, "/slices/%.63s/%c", slices[i].name,
                   axis_name[slice_axes[i][0]]);
    read_array across = read_dataset(file, path);
    (void)snprintf(path, sizeof path, "/slices/%.63s/%c", slices[i].name,
                   axis_name[slice_axes[i][1]]);
    read_array along = read_dataset(file, path);
    (void)snprintf(path, sizeof path, "/slices/%.63s/E", slices[i].name);
    read_array e = read_dataset(file, path);
    (void)snprintf(path, sizeof path, "/slices/%.63s/p", slices[i].name);
    read_array p = read_dataset(file, path);
    CHECK(across.size == columns && along.size == rows);
    for (int k = 0; k < 2 && across.size == columns && along.size == rows; k++) {
        const int axis = slice_axes[i][k];
        const int count = k == 0 ? columns : rows;
        const double *const centres = k == 0 ? across.values : along.values;
        const double low = c->mesh->bounds[0][axis];
        const double length = c->mesh->bounds[1][axis] - low;

        for (int j = 0; j < count; j++)
            CHECK_BOUND(fabs(centres[j] - (low + (j + 0.5) * length / count)), 1e-14);
    }
    CHECK(e.rank == 4 && (int)e.shape[0] == pictures && (int)e.shape[1] == rows &&
          (int)e.shape[2] == columns && e.shape[3] == 3);
    CHECK(p.rank == 3 && p.size * 3 == e.size && e.size == 3 * pictures * rows * columns);
    point[slices[i].axis] = slices[i].position;
    double worst = 0.0;
    for (int k = 0; k < pictures * rows * columns && check_failures == 0; k++) {
        const int picture = k / (rows * columns);
        const double scale = 1.0 + picture;

        point[slice_axes[i][0]] = across.values[k % columns];
        point[slice_axes[i][1]] = along.values[k / columns % rows];
        for (int f = 0; f < CASE_FIELDS; f++) {
            const double wanted = scale * case_value(c->element->order, f, point);
            const double got = f == 3 ? p.values[k] / CASE_P_SI : e.values[3 * k + f] / CASE_E_SI;

            worst = fabs(got - wanted) <= worst ? worst : fabs(got - wanted); // keeps NaN
        }
    }
    CHECK_BOUND(worst, 1e-6); // fp32 of values up to 5
    read_free(&across);
    read_free(&along);
    read_free(&e);
    read_free(&p);
}

static void test_slices(const sedge_comm *comm, int order)
{
    output_case c;
    char name[32];

    (void)snprintf(name, sizeof name, "slices-order%d", order);
    case_make(&c, comm, order, name, 0.0);
    c.deck.si = true;
    c.deck.slices = slices;
    c.deck.slice_count = 3;
    case_open(&c);
    for (int k = 0; k < 2 && c.monitors != NULL; k++) {
        case_fill(&c, k + 1.0);
        CHECK_OK(case_sample(&c, 2.0 * k, k * CASE_STEPS / 2)); // two snapshots a run
    }
    CHECK(c.fetched == 2); // for snapshots; slices are points
    if (sedge_comm_is_root(comm)) {
        const hid_t other = read_open(case_path(&c, "energy.h5"));
        read_array energy = read_dataset(other, "/energy");
        CHECK(energy.size == 2); // a snapshot flushes all
        read_free(&energy);
        H5Fclose(other);
        const hid_t file = read_open(case_path(&c, "slices.h5"));

        CHECK(file >= 0);
        check_times(file, 2, 0.0, 2.0 * sedge_deck_time_unit(&c.deck));
        for (int i = 0; i < 3; i++) check_pictures(&c, file, i, 2);
        CHECK_TEXT(file, "/slices/x", "normal", "x");
        CHECK_TEXT(file, "/slices/x/E", "units", "V/m");
        CHECK_TEXT(file, "/slices/x/y", "units", "m");
        H5Fclose(file);
    }
    case_free(&c);
}

// An element taken out of the mesh leaves a hole: its pixels, and only those, are not-a-number.
static void test_hole(const sedge_comm *comm)
{
    static sedge_deck_slice cut = {.name = "cut", .axis = 2, .position = 0.1, .resolution = 40};
    output_case c;
    double out[4][3];
    int holes = 0;

    case_make(&c, comm, 1, "slices-hole", 0.0);
    if (sedge_comm_rank(comm) == sedge_comm_size(comm) - 1) c.mesh->elements--;
    memcpy(out, c.mesh->corners[0], sizeof out);
    if (sedge_comm_rank(comm) == sedge_comm_size(comm) - 1)
        memcpy(out, c.mesh->corners[c.mesh->elements], sizeof out);
    // All ranks look at the same element: the last rank's last.
    sedge_comm_broadcast(comm, out, sizeof out, sedge_comm_size(comm) - 1);
    cut.position = 0.25 * (out[0][2] + out[1][2] + out[2][2] + out[3][2]);
    c.deck.slices = &cut;
    c.deck.slice_count = 1;
    case_fill(&c, 1.0);
    case_open(&c);
    CHECK_OK(case_sample(&c, 0.0, 0));
    if (sedge_comm_is_root(comm)) {
        const hid_t file = read_open(case_path(&c, "slices.h5"));
        read_array x = read_dataset(file, "/slices/cut/x");
        read_array y = read_dataset(file, "/slices/cut/y");
        read_array e = read_dataset(file, "/slices/cut/E");
        sedge_geometry map;

        sedge_geometry_compute(&map, out);
        const bool complete = x.size == 40 && y.size == 20 && e.size == 3 * 800;
        CHECK(complete);
        for (int i = 0; i < 800 && complete; i++) {
            const double point[3] = {x.values[i % 40], y.values[i / 40], cut.position};
            double rst[3], least, rest = 1.0;

            for (int j = 0; j < 3; j++) {
                rst[j] = 0.0;
                for (int d = 0; d < 3; d++) rst[j] += map.metric[j][d] * (point[d] - out[0][d]);
                rest -= 0.5 * rst[j];
            }
            least = fmin(fmin(rst[0], rst[1]), fmin(rst[2], 2.0 * rest));
            if (fabs(least) < 1e-6) continue; // on the hole's edge
            CHECK(isnan(e.values[3 * i]) == (least > 0.0));
            holes += least > 0.0;
        }
        CHECK(holes > 10);
        read_free(&x);
        read_free(&y);
        read_free(&e);
        H5Fclose(file);
    }
    case_free(&c);
}

static void test_wrong_slice(const sedge_comm *comm)
{
    output_case c;
    sedge_deck_slice wrong = {.name = "s", .line = 9, .axis = 1, .position = 0.6, .resolution = 9};

    case_make(&c, comm, 1, "slices-wrong", 0.0);
    c.deck.slices = &wrong;
    c.deck.slice_count = 1;
    CHECK_FAILS(case_try(&c, NULL), SEDGE_ERR_USAGE,
                "made/up.yaml:9: plane 's' at y = 0.6 lies outside the mesh, which spans 0 to 0.5");
    case_free(&c);
}

// ---- the last state ----------------------------------------------------------------------------

static void check_steps(output_case *c, const char *name, int samples)
{
    const hid_t file = read_open(case_path(c, name));
    read_array steps = read_dataset(file, "/step");

    CHECK(steps.size == samples);
    CHECK(samples < 2 || steps.values[samples - 1] == 3.0);
    read_free(&steps);
    H5Fclose(file);
}

static void check_samples(output_case *c, int samples)
{
    char name[32];

    if (sedge_comm_is_root(c->comm)) {
        check_steps(c, "energy.h5", 1); // a run gives its energies itself
        check_steps(c, "slices.h5", samples);
        (void)snprintf(name, sizeof name, "fields_%06d.hdf", samples - 1);
        CHECK(access(case_path(c, name), F_OK) == 0);
        (void)snprintf(name, sizeof name, "fields_%06d.hdf", samples);
        CHECK(access(case_path(c, name), F_OK) != 0);
    }
    sedge_comm_barrier(c->comm);
}

// The state in which a run fails is recorded, but no step twice.
static void test_last(const sedge_comm *comm)
{
    output_case c;

    case_make(&c, comm, 1, "last", 0.0);
    c.deck.slices = slices;
    c.deck.slice_count = 1;
    case_open(&c);
    CHECK_OK(case_sample(&c, 0.0, 0)); // all are due
    CHECK_OK(sedge_monitors_last(c.monitors, c.sample));
    check_samples(&c, 1);
    sedge_sample_begin(c.sample, 0.25, 3); // none is
    for (int i = 0; i < 2; i++) {
        CHECK_OK(sedge_monitors_last(c.monitors, c.sample));
        check_samples(&c, 2);
    }
    case_free(&c);
}

// ---- memory ------------------------------------------------------------------------------------

// What monitors remember that the deck has no more goes on from checkpoint to checkpoint.
static void test_memory(const sedge_comm *comm)
{
    json_t *const before =
        json_pack("{s:{s:i}, s:{s:i}}", "probes", "samples", 4, "energy", "samples", 2);
    json_t *const damaged = json_pack("{s:{s:i}}", "energy", "samples", -1);
    json_t *after = NULL;
    output_case c;

    case_make(&c, comm, 1, "memory", 0.0);
    c.deck.snapshots = 0;
    case_open(&c);
    CHECK_OK(case_sample(&c, 0.0, 0));
    CHECK_OK(case_sample(&c, 0.5, 20));
    CHECK_OK(sedge_monitors_flush(c.monitors));
    case_close(&c);
    CHECK_OK(case_try(&c, before)); // after step 1
    if (c.monitors != NULL) {
        CHECK_OK(case_sample(&c, 1.0, 40));
        CHECK_OK(sedge_monitors_save(c.monitors, &after));
    }
    case_close(&c);
    CHECK(json_object_size(after) == 3);
    CHECK(json_equal(json_object_get(after, "probes"), json_object_get(before, "probes")));
    const json_t *const energy = json_object_get(after, "energy");
    CHECK(json_integer_value(json_object_get(energy, "samples")) == 3);
    CHECK_FAILS(case_try(&c, damaged), SEDGE_ERR_DATA,
                "does not tell how many samples the monitor 'energy' had");
    json_decref(before);
    json_decref(damaged);
    json_decref(after);
    case_free(&c);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    test_energy(comm);
    test_probes(comm);
    test_wrong_probes(comm);
    const bool some = test_is_small() || sedge_comm_size(comm) > 1; // each rank makes all elements
    const int most = some ? 4 : 10;
    for (int order = 1; order <= most; order += order < 4 ? 1 : 3) test_slices(comm, order);
    test_hole(comm);
    test_wrong_slice(comm);
    test_last(comm);
    test_memory(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
