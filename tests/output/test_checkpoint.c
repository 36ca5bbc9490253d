// Checkpoints: what is written comes back to the last bit, on another partition too; what is
// damaged is refused; what fails leaves the older ones alone. And the two tools below them.
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "checkpoint/checkpoint_header.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char deck_text[] =
    "equation: maxwell\norder: 2\nprecision: fp64\nmesh: {box: {cells: [3, 2, 2]}}\n"
    "time: {steps: 40}\nmaterials: {domain: {epsilon: 1}}\ninitial: {type: cavity-mode}\n"
    "boundaries: {xmin: {type: pec}, xmax: {type: pec}, ymin: {type: pec}, ymax: {type: pec},\n"
    "  zmin: {type: pec}, zmax: {type: pec}}\n";

typedef struct own_case {
    sedge_run_options options;
    sedge_session session;
    char deck[512], folder[512];
    sedge_checkpoint_state state;
    double *energy;
    int syncs; // calls of the root's thread
} own_case;

// The numbers of an element in a block.
static int64_t values_of(const own_case *c, int block)
{
    return (int64_t)c->state.block[block].components * c->state.block[block].nodes;
}

// A value of its own for each place of the mesh, whatever rank has it; fp32 holds it exactly.
static double wanted_value(int64_t id, int64_t i)
{
    return (double)(id * 64 + i) / 1024.0 - 3.0;
}

// A block as a term with memory has it, on the elements whose number leaves 1 when divided by
// `step`.
static void add_block(own_case *c, const char *name, int components, int64_t step)
{
    const sedge_mesh *const mesh = c->session.mesh;
    sedge_block *const list = c->state.block;
    double **const lists = c->state.values;
    sedge_block *block;

    CHECK_OK(sedge_allocate(&c->state.block, c->state.count + 1LL, sizeof *block));
    memcpy(c->state.block, list, (size_t)c->state.count * sizeof *list);
    sedge_release(list);
    CHECK_OK(sedge_allocate(&c->state.values, c->state.count + 1LL, sizeof *lists));
    memcpy(c->state.values, lists, (size_t)c->state.count * sizeof *lists);
    sedge_release(lists);
    block = &c->state.block[c->state.count++];
    block->name = name;
    block->components = components;
    block->nodes = c->session.element->nodes;
    block->all = (mesh->global_elements + step - 2) / step;
    CHECK_OK(sedge_allocate(&block->element, mesh->elements, sizeof *block->element));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (mesh->global_ids[e] % step == 1) block->element[block->elements++] = e;
    const int last = c->state.count - 1;
    CHECK_OK(sedge_allocate(&c->state.values[last], block->elements * values_of(c, last),
                            sizeof *c->state.values[last]));
}

static void make_case(own_case *c, const sedge_comm *comm, const char *setting,
                      const char *other_setting)
{
    memset(c, 0, sizeof *c);
    (void)snprintf(c->deck, sizeof c->deck, "%s/checkpoint-np%d.yaml", SEDGE_TEST_DIR,
                   sedge_comm_size(comm));
    (void)snprintf(c->folder, sizeof c->folder, "%s/checkpoint-np%d", SEDGE_TEST_DIR,
                   sedge_comm_size(comm));
    if (sedge_comm_is_root(comm)) {
        FILE *const file = fopen(c->deck, "w");
        CHECK(file != NULL && fputs(deck_text, file) >= 0 && fclose(file) == 0);
        CHECK(mkdir(c->folder, 0777) == 0 || errno == EEXIST);
    }
    sedge_comm_barrier(comm);
    c->options.deck = c->deck;
    c->options.quiet = true;
    if (setting != NULL) c->options.settings[c->options.setting_count++] = setting;
    if (other_setting != NULL) c->options.settings[c->options.setting_count++] = other_setting;
    CHECK_OK(sedge_session_open(&c->session, comm, &c->options, true, NULL, NULL));
    CHECK_OK(sedge_checkpoint_state_create(&c->state, &c->session));
    CHECK_OK(sedge_allocate(&c->energy, c->session.mesh->elements, sizeof(double)));
}

static void free_case(own_case *c)
{
    sedge_checkpoint_state_clear(&c->state);
    sedge_release(c->energy);
    sedge_session_close(&c->session);
}

static void fill(own_case *c, double shift)
{
    for (int b = 0; b < c->state.count; b++) {
        const sedge_block *const block = &c->state.block[b];
        const int64_t values = values_of(c, b);
        for (int32_t e = 0; e < block->elements; e++) {
            const int64_t id = sedge_block_number(block, c->session.mesh, e);
            for (int64_t i = 0; i < values; i++) {
                c->state.values[b][e * values + i] =
                    wanted_value(id, i) + shift + 512.0 * block->components;
            }
        }
    }
    for (int32_t e = 0; e < c->session.mesh->elements; e++)
        c->energy[e] = 0.1 * (double)c->session.mesh->global_ids[e];
}

static void check_filled(const own_case *c, double shift)
{
    int64_t wrong = 0;

    for (int b = 0; b < c->state.count; b++) {
        const sedge_block *const block = &c->state.block[b];
        const int64_t values = values_of(c, b);
        for (int32_t e = 0; e < block->elements; e++) {
            const int64_t id = sedge_block_number(block, c->session.mesh, e);
            for (int64_t i = 0; i < values; i++) {
                wrong += c->state.values[b][e * values + i] !=
                         wanted_value(id, i) + shift + 512.0 * block->components;
            }
        }
    }
    for (int32_t e = 0; e < c->session.mesh->elements; e++)
        wrong += c->energy[e] != 0.1 * (double)c->session.mesh->global_ids[e];
    CHECK(wrong == 0);
}

static json_t *monitors; // what those of each checkpoint remember

static sedge_checkpoint header(int64_t step)
{
    return (sedge_checkpoint){.step = step,
                              .time = 0.1 * (double)step,
                              .origin_time = 0.025,
                              .dt = 1.0 / 3.0,
                              .origin_step = 2,
                              .energy_initial = 1.0 / 7.0,
                              .energy_last = 2e-308,
                              .energy_peak = 3e300,
                              .energy_limit = step == 20 ? 1.0 / 9.0 : (double)INFINITY,
                              .energy_bound = step == 20 ? 1e40 / 3.0 : (double)INFINITY,
                              .samples = 2,
                              .history = {0.1, 0.3},
                              .wall_seconds = 1e5 + 0.1,
                              .monitors = monitors,
                              .basis = step == 20 ? SEDGE_BERNSTEIN_COVARIANT : SEDGE_NODAL};
}

static sedge_status get_rows(void *of, int block, int64_t first, int64_t count, double *values)
{
    const own_case *const c = of;
    const int64_t row = values_of(c, block);

    memcpy(values, c->state.values[block] + first * row, (size_t)(count * row) * sizeof *values);
    return SEDGE_OK;
}

static sedge_status count_sync(void *of)
{
    own_case *const c = of;

    c->syncs++;
    return SEDGE_OK;
}

// With `first`, another checkpoint before, by the same writer.
static sedge_status write_steps(own_case *c, int64_t first, int64_t step, int keep)
{
    const sedge_comm *const comm = c->session.comm;
    const sedge_checkpoint_source source = {.of = c, .rows = get_rows, .sync = count_sync};
    sedge_checkpoint_writer *writer = NULL;
    sedge_writer *thread = NULL;
    sedge_status status = sedge_writer_create(&thread);

    CHECK_OK(status);
    c->syncs = 0;
    CHECK_OK(sedge_checkpoint_writer_create(&writer, &c->session, thread, c->folder, keep,
                                            &c->state, &source));
    for (int64_t at = first; at <= step && status == SEDGE_OK; at++) {
        const sedge_checkpoint out = header(at);
        double seconds = -1.0;

        fill(c, (double)at);
        status = sedge_checkpoint_begin(writer, &out, c->energy);
        CHECK(sedge_checkpoint_is_begun(writer) == (status == SEDGE_OK));
        if (status != SEDGE_OK) break;
        if (c->session.mesh->elements > 0) c->energy[0] = -1.0; // it has a copy
        status = sedge_checkpoint_wait(writer, &seconds);
        CHECK(sedge_checkpoint_is_written(writer) && seconds >= 0.0);
        CHECK(c->syncs == (sedge_comm_is_root(comm) ? at - first + 1 : 0));
        if (status == SEDGE_OK) status = sedge_checkpoint_publish(writer);
        CHECK(!sedge_checkpoint_is_begun(writer));
    }
    sedge_writer_free(thread);
    sedge_checkpoint_writer_free(writer);
    return status;
}

static sedge_status write_step(own_case *c, int64_t step, int keep)
{
    return write_steps(c, step, step, keep);
}

static bool exists(const own_case *c, const char *name)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/%s", c->folder, name);
    return access(path, F_OK) == 0;
}

static void clear_folder(const own_case *c)
{
    char command[700];

    sedge_comm_barrier(c->session.comm);
    if (sedge_comm_is_root(c->session.comm)) {
        (void)snprintf(command, sizeof command, "rm -rf '%s'/*", c->folder);
        CHECK(system(command) == 0);
    }
    sedge_comm_barrier(c->session.comm);
}

// What comes back, in this partition and another, in both precisions.
static void test_round_trip(const sedge_comm *comm)
{
    static const char *const settings[][2] = {{NULL, NULL},
                                              {"mesh.partitioner=simple", NULL},
                                              {"precision=fp32", NULL},
                                              {"mesh.partitioner=simple", "precision=fp32"}};

    for (int from = 0; from < 4; from++) {
        own_case c;

        make_case(&c, comm, settings[from][0], settings[from][1]);
        add_block(&c, "many", 3, 3);
        add_block(&c, "one", 1, 72); // on one element: other ranks have none
        clear_folder(&c);
        CHECK_OK(write_step(&c, 20, 2));
        free_case(&c);
        for (int to = 0; to < 4; to++) {
            sedge_checkpoint got;
            bool found = false;

            make_case(&c, comm, settings[to][0], settings[to][1]);
            add_block(&c, "one", 1, 72); // in another order than there
            add_block(&c, "many", 3, 3);
            const sedge_checkpoint put = header(20);
            CHECK_OK(sedge_checkpoint_read(&c.session, c.folder, "auto", &got, &found, &c.state,
                                           c.energy));
            CHECK(found && got.same_folder);
            check_filled(&c, 20.0);
            CHECK(got.basis == SEDGE_BERNSTEIN_COVARIANT);
            CHECK(got.step == 20 && got.time == put.time && got.dt == put.dt);
            CHECK(got.origin_time == put.origin_time && got.origin_step == 2);
            CHECK(got.energy_initial == put.energy_initial && got.energy_last == put.energy_last);
            CHECK(got.energy_limit == put.energy_limit && got.energy_bound == put.energy_bound);
            CHECK(got.energy_peak == put.energy_peak && got.wall_seconds == put.wall_seconds);
            CHECK(got.samples == 2 && got.history[0] == 0.1 && got.history[1] == 0.3);
            CHECK(json_equal(got.monitors, monitors));
            json_decref(got.monitors);
            free_case(&c);
        }
    }
}

// Read what is there into a state with the fields and one more block, or none. Each rank has the
// same message.
static sedge_status read_into(const sedge_comm *comm, const char *name, int components,
                              int64_t step)
{
    sedge_checkpoint got;
    bool found = false;
    char path[600];
    own_case c;

    make_case(&c, comm, NULL, NULL);
    if (name != NULL) add_block(&c, name, components, step);
    (void)snprintf(path, sizeof path, "%s/checkpoint-9.h5", c.folder);
    const sedge_status status =
        sedge_checkpoint_read(&c.session, c.folder, path, &got, &found, &c.state, c.energy);
    if (status == SEDGE_OK) check_filled(&c, 9.0);
    free_case(&c);
    return status;
}

static void write_with(const sedge_comm *comm, const char *name, int components, int64_t step)
{
    own_case c;

    make_case(&c, comm, NULL, NULL);
    clear_folder(&c);
    if (name != NULL) add_block(&c, name, components, step);
    CHECK_OK(write_step(&c, 9, 1));
    free_case(&c);
}

// A block that is missing, one too many, other components, other elements.
static void test_blocks_that_differ(const sedge_comm *comm)
{
    write_with(comm, NULL, 0, 0);
    CHECK_OK(read_into(comm, NULL, 0, 0));
    CHECK_FAILS(read_into(comm, "memory", 3, 3), SEDGE_ERR_USAGE,
                "does not fit the deck: it does not have the memory of 'memory', which this run "
                "has");
    write_with(comm, "memory", 3, 3);
    CHECK_OK(read_into(comm, "memory", 3, 3));
    CHECK_FAILS(read_into(comm, NULL, 0, 0), SEDGE_ERR_USAGE,
                "it has the memory of 'memory', which this run does not have");
    CHECK_FAILS(read_into(comm, "other", 3, 3), SEDGE_ERR_USAGE,
                "it does not have the memory of 'other'");
    CHECK_FAILS(
        read_into(comm, "memory", 2, 3), SEDGE_ERR_USAGE,
        "its block 'memory' has 3 components at 10 nodes, and that of this run has 2 at 10: it was "
        "written by an earlier version of Sedge or for another deck; start again without "
        "--restart");
    CHECK_FAILS(read_into(comm, "memory", 3, 5), SEDGE_ERR_DATA,
                "its block 'memory' has 24 rows, and the mesh has 15 of them");
    write_with(comm, "memory", 3, 70); // on elements 1 and 71
    CHECK_OK(read_into(comm, "memory", 3, 70));
    CHECK_FAILS(read_into(comm, "memory", 3, 60), SEDGE_ERR_DATA, // 1 and 61
                "element 71, which does not have 'memory' here, has it there");
}

// Parse a header of this format whose "form" has the text `basis`, too.
static sedge_status parse_basis(sedge_checkpoint *out, int format, const char *basis)
{
    const json_t *facts = NULL;
    json_t *root = NULL;
    checkpoint_form form;
    char text[1024];

    const int length =
        snprintf(text, sizeof text,
                 "{\"format\": %d, \"step\": 1, \"time\": 1.0, \"dt\": 1.0, \"origin_time\": 0.0, "
                 "\"origin_step\": 0, \"energy\": {\"initial\": 1.0, \"last\": 1.0, \"peak\": 1.0, "
                 "\"history\": [1.0]}, \"wall_seconds\": 1.0, \"position\": {\"energies\": 11, "
                 "\"probes\": 7, \"slices\": 3, \"fields\": 2}, \"form\": {\"elements\": 1, "
                 "\"fields\": 6, \"nodes\": 4, \"wide\": true%s}, \"problem\": {}}",
                 format, basis);
    const sedge_status status =
        checkpoint_parse(&root, &facts, out, &form, text, (size_t)length, "some.h5");
    if (status == SEDGE_OK) { // what "position" says is the memory of four monitors
        json_t *const wanted =
            json_pack("{s:{s:i}, s:{s:i}, s:{s:i}, s:{s:i}}", "energy", "samples", 11, "probes",
                      "samples", 7, "slices", "samples", 3, "snapshots", "samples", 2);
        CHECK(json_equal(out->monitors, wanted));
        json_decref(wanted);
    }
    json_decref(root);
    return status;
}

// Files from before there was another basis are nodal; what names none that is known is damaged.
static void test_basis(void)
{
    static const char bare[] =
        "{\"format\": 3, \"step\": 1, \"time\": 1.0, \"dt\": 1.0, \"origin_time\": 0.0, "
        "\"origin_step\": 0, \"energy\": {\"initial\": 1.0, \"last\": 1.0, \"peak\": 1.0, "
        "\"history\": [1.0]}, \"wall_seconds\": 1.0, \"form\": {\"elements\": 1, \"fields\": 6, "
        "\"nodes\": 4, \"wide\": true}, \"problem\": {}}";
    sedge_checkpoint got = {.basis = SEDGE_BERNSTEIN};
    const json_t *facts = NULL;
    json_t *root = NULL;
    checkpoint_form form;

    CHECK_OK(parse_basis(&got, 1, ""));
    CHECK(got.basis == SEDGE_NODAL);
    CHECK_OK(parse_basis(&got, 2, ", \"basis\": \"bernstein\""));
    CHECK(got.basis == SEDGE_BERNSTEIN);
    CHECK_FAILS(parse_basis(&got, 2, ", \"basis\": \"modal\""), SEDGE_ERR_DATA,
                "checkpoint 'some.h5' is damaged: its header is none");
    CHECK_FAILS(parse_basis(&got, 2, ", \"basis\": 3"), SEDGE_ERR_DATA, "its header is none");
    CHECK_OK(parse_basis(&got, 4, ", \"blocks\": []"));
    CHECK_FAILS(parse_basis(&got, 4, ", \"blocks\": 1"), SEDGE_ERR_DATA, "its header is none");
    CHECK_FAILS(parse_basis(&got, 4, ", \"blocks\": [{\"name\": \"a\"}]"), SEDGE_ERR_DATA,
                "its header is none");
    // Of what the monitors remember nothing is there: their series would be cut to nothing.
    CHECK_FAILS(checkpoint_parse(&root, &facts, &got, &form, bare, strlen(bare), "some.h5"),
                SEDGE_ERR_DATA, "its header is none");
    json_decref(root);
    CHECK_OK(parse_basis(&got, 5, ", \"basis\": \"nodal-covariant\""));
    CHECK(got.basis == SEDGE_NODAL_COVARIANT);
    CHECK_FAILS(parse_basis(&got, 6, ""), SEDGE_ERR_DATA,
                "has the format 6 of a later version; this one reads 5");
}

// A program refuses a file of a later format: so only states that an earlier one cannot read have
// the latest.
static void test_format(const sedge_comm *comm)
{
    static const struct {
        sedge_basis basis;
        bool blocks;
        const char *text;
    } cases[] = {{SEDGE_BERNSTEIN, false, "\"format\": 3,"},
                 {SEDGE_BERNSTEIN, true, "\"format\": 4,"},
                 {SEDGE_BERNSTEIN_COVARIANT, false, "\"format\": 5,"},
                 {SEDGE_NODAL_COVARIANT, true, "\"format\": 5,"}};

    for (int i = 0; i < 4; i++) {
        sedge_checkpoint checkpoint = header(1);
        json_t *const facts = json_object();
        char *text = NULL;
        own_case c;

        make_case(&c, comm, NULL, NULL);
        if (cases[i].blocks) add_block(&c, "one", 1, 72);
        checkpoint.basis = cases[i].basis;
        CHECK_OK(checkpoint_print(&text, &c.session, &checkpoint, &c.state, facts));
        CHECK(text != NULL && strstr(text, cases[i].text) != NULL);
        free(text);
        json_decref(facts);
        free_case(&c);
    }
}

// The newest stay; a write that fails leaves them, and nothing else.
static void test_kept(const sedge_comm *comm)
{
    own_case c;
    char path[600];
    sedge_checkpoint got;
    bool found = false;

    make_case(&c, comm, NULL, NULL);
    clear_folder(&c);
    CHECK_OK(write_steps(&c, 9, 11, 2));
    CHECK_OK(write_step(&c, 12, 2));
    CHECK(!exists(&c, "checkpoint-9.h5") && !exists(&c, "checkpoint-10.h5"));
    CHECK(exists(&c, "checkpoint-11.h5") && exists(&c, "checkpoint-12.h5"));
    (void)snprintf(path, sizeof path, "%s/checkpoint-30.h5.tmp", c.folder);
    if (sedge_comm_is_root(comm)) CHECK(mkdir(path, 0777) == 0);
    sedge_comm_barrier(comm);
    CHECK(write_step(&c, 30, 2) == SEDGE_ERR_USAGE);
    CHECK(strstr(sedge_error_message(), "checkpoint-30.h5.tmp") != NULL);
    sedge_comm_barrier(comm);
    CHECK(exists(&c, "checkpoint-11.h5") && exists(&c, "checkpoint-12.h5"));
    CHECK(!exists(&c, "checkpoint-30.h5"));
    if (sedge_comm_is_root(comm)) CHECK(rmdir(path) == 0);
    CHECK_OK(sedge_checkpoint_read(&c.session, c.folder, "auto", &got, &found, &c.state, c.energy));
    CHECK(found && got.step == 12);
    json_decref(got.monitors);
    // The file says none, as those of before there was one.
    CHECK(isinf(got.energy_limit) && isinf(got.energy_bound));
    check_filled(&c, 12.0);
    CHECK_OK(sedge_checkpoint_set_aside(&c.session, c.folder, 11));
    CHECK(exists(&c, "checkpoint-11.h5") && exists(&c, "checkpoint-12.h5.old"));
    sedge_comm_barrier(comm);
    CHECK_OK(sedge_checkpoint_set_aside(&c.session, c.folder, -1));
    CHECK(exists(&c, "checkpoint-11.h5.old") && !exists(&c, "checkpoint-12.h5.old"));
    free_case(&c);
}

// None in a folder, none in no folder, no file.
static void test_none(const sedge_comm *comm)
{
    own_case c;
    sedge_checkpoint got;
    bool found = true;

    make_case(&c, comm, NULL, NULL);
    clear_folder(&c);
    CHECK_OK(sedge_checkpoint_read(&c.session, c.folder, "auto", &got, &found, &c.state, c.energy));
    CHECK(!found);
    CHECK_OK(sedge_checkpoint_read(&c.session, "/nowhere/at/all", "auto", &got, &found, &c.state,
                                   c.energy));
    CHECK(!found);
    CHECK(sedge_checkpoint_read(&c.session, c.folder, "/nowhere/checkpoint-1.h5", &got, &found,
                                &c.state, c.energy) == SEDGE_ERR_DATA);
    CHECK(strstr(sedge_error_message(), "/nowhere/checkpoint-1.h5") != NULL);
    free_case(&c);
}

// Lifts the middles of edges along x, and no corner, of a box with three cells along x.
static void bend(const double x[3], double moved[3], double height)
{
    const double cells = 3.0 * x[0];

    memcpy(moved, x, 3 * sizeof *moved);
    if (fabs(cells - round(cells)) > 0.25) moved[2] += height;
}

static void bend_little(const double x[3], double moved[3])
{
    bend(x, moved, 0.01);
}

static void bend_more(const double x[3], double moved[3])
{
    bend(x, moved, 0.02);
}

// What the checkpoint of a run on this box knows of the mesh.
static void find_mesh_fact(char fact[64], own_case *c,
                           void (*map)(const double x[3], double moved[3]))
{
    static const int cells[3] = {3, 2, 2};
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *const own = c->session.mesh;
    json_t *facts = NULL;

    memcpy(options.box_cells, cells, sizeof cells);
    options.box_map = map;
    CHECK_OK(sedge_mesh_create(&c->session.mesh, c->session.comm, &options));
    CHECK_OK(checkpoint_facts(&facts, &c->session));
    (void)snprintf(fact, 64, "%s", json_string_value(json_object_get(facts, "mesh")));
    json_decref(facts);
    sedge_mesh_free(c->session.mesh);
    c->session.mesh = own;
}

// Meshes whose corners agree are others where their edges are bent in other ways.
static void test_curved_facts(const sedge_comm *comm)
{
    char straight[64], little[64], more[64], again[64];
    own_case c;

    make_case(&c, comm, NULL, NULL);
    find_mesh_fact(straight, &c, NULL);
    find_mesh_fact(little, &c, bend_little);
    find_mesh_fact(more, &c, bend_more);
    find_mesh_fact(again, &c, bend_little);
    CHECK(strncmp(straight, "72 elements, checksum", 21) == 0);
    CHECK(strcmp(straight, little) != 0);
    CHECK(strcmp(little, more) != 0);
    CHECK(strcmp(little, again) == 0);
    free_case(&c);
}

// A bit anywhere in an element's words, and a byte more or less, change the checksum.
static void test_quick_hash(void)
{
    unsigned char bytes[37];

    for (int i = 0; i < 37; i++) bytes[i] = (unsigned char)(i * 7);
    const uint64_t sum = sedge_hash_quick(1, bytes, sizeof bytes);
    for (int bit = 0; bit < 8 * 37; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(sedge_hash_quick(1, bytes, sizeof bytes) != sum);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(sedge_hash_quick(1, bytes, sizeof bytes) == sum);
    CHECK(sedge_hash_quick(2, bytes, sizeof bytes) != sum);
    CHECK(sedge_hash_quick(1, bytes, 36) != sum);
    memset(bytes, 0, sizeof bytes);
    CHECK(sedge_hash_quick(1, bytes, 8) != sedge_hash_quick(1, bytes, 16));
}

// Rank s sends r + s rows to rank r.
static void test_all_to_all(const sedge_comm *comm)
{
    const int size = sedge_comm_size(comm);
    const int rank = sedge_comm_rank(comm);
    int64_t counts[8];
    int64_t got[8];
    int32_t rows[64][3];
    int32_t(*received)[3] = NULL;
    int at = 0;

    for (int r = 0; r < size; r++) {
        counts[r] = r + rank;
        for (int i = 0; i < r + rank; i++, at++)
            memcpy(rows[at], (int32_t[3]){rank, r, i}, sizeof rows[at]);
    }
    CHECK_OK(sedge_comm_all_to_all(comm, rows, counts, sizeof rows[0], &received, got));
    at = 0;
    for (int s = 0; s < size; s++) {
        CHECK(got[s] == s + rank);
        for (int i = 0; i < got[s]; i++, at++)
            CHECK(received[at][0] == s && received[at][1] == rank && received[at][2] == i);
    }
    sedge_release(received);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    monitors = json_pack("{s:{s:i}, s:{s:i, s:f}}", "probes", "samples", 7, "maximum", "samples", 3,
                         "largest", 0.1);
    test_quick_hash();
    test_all_to_all(comm);
    test_basis();
    test_format(comm);
    test_round_trip(comm);
    test_blocks_that_differ(comm);
    test_kept(comm);
    test_none(comm);
    test_curved_facts(comm);
    json_decref(monitors);
    sedge_comm_free(comm);
    return CHECK_END();
}
