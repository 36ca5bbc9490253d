// What a right deck becomes: values, defaults, units, settings, and the resolved deck.
#include "fake.h"

#include "dg/levels.h"

static const char full_deck[] =
    "title: 'a \"full\" deck: \u00e9'\n"
    "equation: maxwell\n"
    "order: 4\n"
    "precision: fp64\n"
    "units: si\n"
    "mesh: {file: ../meshes/none.msh, scale: 1e-3}\n"
    "flux: {upwind: 0.5}\n"
    "time: {end: 2e-9, cfl: 0.5}\n"
    "materials:\n"
    "  air: {mu: 1}\n"
    "  lossy: {drag: {}, relaxing: {tau: 2e-9, strength: 4}, epsilon: 2.25, mu: 1, sigma: 0.1}\n"
    "boundaries:\n"
    "  wall: {type: pec}\n"
    "  coat: {type: impedance, impedance: 50}\n"
    "  left: {type: periodic, partner: right}\n"
    "initial: {type: mode, mode: [1, 2, 3], size: [0.1, 0.2, 0.3], compare: no}\n"
    "sources:\n"
    "  - {type: plane-wave, direction: [0, 0, 1], signal: {type: ricker, frequency: 1e9}}\n"
    "  - type: dipole\n"
    "    position: [0, 0.5, 1]\n"
    "    signal: {type: gaussian, amplitude: 2, width: 1e-10}\n"
    "  - {type: dipole, position: [1, 1, 1], turns: 7, signal: {type: cw, frequency: 2e9}}\n"
    "monitors:\n"
    "  energy: {every: 7}\n"
    "  probes: {every: 2, points: {near: [0, 0, 0.1], far: [0, 0, 2]}}\n"
    "  slices: {cut: {normal: y, at: 0.25, resolution: 50}}\n"
    "output: {folder: out/here, snapshots: 3}\n"
    "kernels: {variant: fused, block_elements: 8, item_nodes: 2}\n";

static const char least_deck[] = "equation: maxwell\n"
                                 "order: 2\n"
                                 "mesh: {box: {}}\n"
                                 "time: {steps: 5}\n"
                                 "materials: {domain: {mu: 1}}\n";

// A relative error of a few roundings.
static bool close_to(double value, double wanted)
{
    return fabs(value - wanted) <= 4e-16 * fabs(wanted);
}

static void test_full_deck(void)
{
    sedge_deck *deck = NULL;

    CHECK_OK(read_deck(&deck, full_deck, NULL));
    if (deck == NULL) return;
    CHECK(strcmp(deck->title, "a \"full\" deck: \u00e9") == 0);
    CHECK(deck->equation == &fake_maxwell && deck->order == 4 && deck->si);
    CHECK(deck->precision == SEDGE_FP64 && strcmp(deck->device, "auto") == 0);
    CHECK(strcmp(deck->folder, ".") == 0 && strcmp(deck->path, "deck.yaml") == 0);
    CHECK(strcmp(deck->mesh.file, "../meshes/none.msh") == 0 && deck->mesh.scale == 1e-3);
    CHECK(deck->mesh.partitioner == NULL);
    CHECK(deck->flux[0] == 0.5 && deck->cfl == 0.5 && deck->steps == 0);
    CHECK(deck->end_time == 2e-9 * 3e8);

    CHECK(deck->material_count == 2 && strcmp(deck->materials[1].name, "lossy") == 0);
    CHECK(deck->materials[1].line == 11);
    CHECK(deck->materials[0].values[0] == 1.0 && deck->materials[0].values[2] == 0.0);
    CHECK(deck->materials[1].values[0] == 2.25);
    CHECK(deck->materials[1].values[2] == 0.1 * 376.7);

    CHECK(deck->term_count == 2 && deck->terms[0].kind == &fake_drag);
    CHECK(deck->terms[0].material == 1 && deck->terms[1].material == 1);
    CHECK(deck->mesh.classes == 1);
    CHECK(strcmp(deck->mesh.class_volume[0], deck->materials[1].name) == 0);
    CHECK(deck->terms[1].kind == &fake_relaxing && deck->terms[1].parameters[0] == 4.0);
    CHECK(deck->terms[1].parameters[1] == 2e-9 * 3e8);

    CHECK(deck->boundary_count == 3 && deck->boundaries[0].kind == &fake_boundaries[0]);
    CHECK(deck->boundaries[1].parameters[0] == 50 * 0.125);
    CHECK(deck->boundaries[2].kind == NULL && strcmp(deck->boundaries[2].partner, "right") == 0);
    CHECK(deck->mesh.periodic_pairs == 1);
    CHECK(strcmp(deck->mesh.periodic[0].first, "left") == 0);
    CHECK(strcmp(deck->mesh.periodic[0].second, "right") == 0);
    CHECK(deck->initial == &fake_initials[1] && !deck->compare);
    CHECK(deck->initial_parameters[2] == 3.0 && deck->initial_parameters[4] == 0.2);
    sedge_deck_free(deck);
}

static void test_sources_and_monitors(void)
{
    sedge_deck *deck = NULL;

    CHECK_OK(read_deck(&deck, full_deck, NULL));
    if (deck == NULL) return;
    CHECK(deck->source_count == 3 && deck->sources[0].kind->type == SEDGE_SOURCE_INCIDENT);
    const double *p = deck->sources[0].parameters; // direction, signal
    CHECK(p[2] == 1.0 && p[3] == SEDGE_SIGNAL_RICKER && p[4] == 1.0);
    CHECK(close_to(p[5], 1e9 / 3e8) && close_to(p[7], 1.6e-9 * 3e8));
    p = deck->sources[1].parameters; // position, signal, turns
    CHECK(p[1] == 0.5 && p[3] == SEDGE_SIGNAL_GAUSSIAN && p[4] == 2.0 * 377 && p[5] == 0.0);
    CHECK(close_to(p[6], 1e-10 * 3e8) && close_to(p[7], 5e-10 * 3e8) && p[9] == 3.0);
    p = deck->sources[2].parameters;
    CHECK(p[3] == SEDGE_SIGNAL_CW && p[9] == 7.0 && close_to(p[8], 1.5e-9 * 3e8));

    CHECK(deck->energy_every == 7 && deck->probe_every == 2 && deck->probe_count == 2);
    CHECK(strcmp(deck->probes[1].name, "far") == 0 && deck->probes[1].position[2] == 2.0);
    CHECK(deck->slice_count == 1 && deck->slices[0].axis == 1);
    CHECK(deck->slices[0].position == 0.25 && deck->slices[0].resolution == 50);
    CHECK(strcmp(deck->output, "out/here") == 0 && deck->snapshots == 3);
    CHECK(strcmp(deck->variant, "fused") == 0);
    CHECK(deck->kernel_numbers[0] == 8 && deck->kernel_numbers[1] == 2 &&
          deck->kernel_numbers[2] == 0);
    CHECK(sedge_deck_time_unit(deck) == 1.0 / 3e8 && sedge_deck_energy_unit(deck) == 2.5);
    sedge_deck_free(deck);
}

// Times that a clock measures are in seconds, or have one of these units.
static void test_durations(void)
{
    static const struct {
        const char *setting;
        double seconds;
    } rows[] = {{"output.checkpoint.wall=90", 90.0},
                {"output.checkpoint.wall=90 s", 90.0},
                {"output.checkpoint.wall=1.5min", 90.0},
                {"output.checkpoint.wall=2 h", 7200.0},
                {"output.checkpoint.wall=1 d", 86400.0}};

    for (int i = 0; i < COUNT(rows); i++) {
        sedge_deck *deck = NULL;

        CHECK_OK(read_deck(&deck, least_deck, rows[i].setting));
        if (deck != NULL) CHECK(deck->checkpoint_wall == rows[i].seconds);
        sedge_deck_free(deck);
    }
}

static void test_defaults(void)
{
    sedge_deck *deck = NULL;

    CHECK_OK(
        sedge_deck_create(&deck, "some/where/mine.yaml", least_deck, strlen(least_deck), NULL, 0));
    if (deck == NULL) return;
    CHECK(strcmp(deck->folder, "some/where") == 0 && strcmp(deck->title, "") == 0);
    CHECK(strcmp(deck->output, "mine-results") == 0 && deck->snapshots == 10);
    CHECK(deck->precision == SEDGE_FP32 && !deck->si && deck->flux[0] == 1.0);
    CHECK(deck->end_time == 0.0 && deck->steps == 5 && deck->cfl == 0.8);
    CHECK(deck->mesh.file == NULL && deck->mesh.box_cells[2] == 4 && deck->mesh.box_max[1] == 1.0);
    CHECK(deck->mesh.box_split_axis < 0 && strcmp(deck->mesh.box_names[0], "domain") == 0);
    CHECK(!deck->mesh.box_periodic[0] && deck->mesh.scale == 1.0);
    CHECK(deck->initial == &fake_initials[0] && !deck->compare && deck->source_count == 0);
    CHECK(deck->energy_every == 20 && deck->probe_every == 1 && deck->probe_count == 0);
    CHECK(deck->frequency_every == 0 && deck->frequency_floor == 1e-3);
    CHECK(strcmp(deck->variant, "auto") == 0 && deck->kernel_numbers[0] == 0);
    CHECK(sedge_deck_time_unit(deck) == 1.0 && sedge_deck_energy_unit(deck) == 1.0);
    sedge_deck_free(deck);
}

// As editors of Windows write it: a byte order mark, and two characters at each line's end.
static void test_byte_order_mark(void)
{
    static const char text[] = "\xef\xbb\xbf"
                               "equation: maxwell\r\norder: 2\r\nmesh: {box: {}}\r\n"
                               "time: {steps: 5}\r\nmaterials:\r\n  domain: {mu: 1}\r\n";
    sedge_deck *deck = NULL;

    CHECK_OK(read_deck(&deck, text, NULL));
    if (deck != NULL) CHECK(deck->order == 2);
    sedge_deck_free(deck);
}

static void test_box(void)
{
    sedge_deck *deck = NULL;

    CHECK_OK(read_deck(&deck, least_deck,
                       "mesh.box={min: [-1, 0, 0], max: [1, 2, 3], cells: [1, 2, 3], periodic: [z, "
                       "x], split: {axis: y, at: 0.5, names: [low, high]}}"));
    if (deck == NULL) return;
    CHECK(deck->mesh.box_min[0] == -1.0 && deck->mesh.box_max[2] == 3.0);
    CHECK(deck->mesh.box_cells[0] == 1 && deck->mesh.box_cells[2] == 3);
    CHECK(deck->mesh.box_periodic[0] && !deck->mesh.box_periodic[1] && deck->mesh.box_periodic[2]);
    CHECK(deck->mesh.box_split_axis == 1 && deck->mesh.box_split == 0.5);
    CHECK(strcmp(deck->mesh.box_names[1], "high") == 0);
    sedge_deck_free(deck);
}

static void test_surfaces(void)
{
    static const char *const settings[] = {
        "mesh.surfaces={a: {box: {min: [0, 0, 0], max: [1, 2, 3]}}, b: {sphere: {radius: 2}}, "
        "c: {groups: [domain, air]}}",
        "mesh.surfaces.b.sphere.centre=[1, 0, 0]",
    };
    sedge_deck *deck = NULL;

    CHECK_OK(sedge_deck_create(&deck, "deck.yaml", least_deck, strlen(least_deck), settings, 2));
    if (deck == NULL) return;
    const sedge_mesh_enclosure *const all = deck->mesh.enclosure;
    CHECK(deck->mesh.enclosures == 3 && strcmp(all[0].name, "a") == 0);
    CHECK(all[0].shape == SEDGE_ENCLOSURE_BOX);
    CHECK(all[0].low[2] == 0.0 && all[0].high[2] == 3.0);
    CHECK(all[1].shape == SEDGE_ENCLOSURE_SPHERE && all[1].radius == 2.0);
    CHECK(all[1].centre[0] == 1.0 && all[1].centre[2] == 0.0);
    CHECK(all[2].volumes == 2 && strcmp(all[2].volume[1], "air") == 0);
    sedge_deck_free(deck);
}

// Settings win over the file, later ones over earlier ones.
static void test_settings(void)
{
    const char *const settings[] = {
        "order=3",
        "order=6",
        "time.end=2.5",
        "sources.1.position=[0, 0, 0]",
        "output.folder=a b",
        "materials.new={mu: 2}",
        "materials.newer.mu=3",
        "mesh.box.cells=[2, 2, 2]",
        "units=normalised",
        "boundaries.left={type: pec}",
        "title='no: 1'",
    };
    const int count = COUNT(settings);
    sedge_deck *deck = NULL;

    CHECK_OK(sedge_deck_create(&deck, "deck.yaml", full_deck, strlen(full_deck), settings, count));
    if (deck == NULL) return;
    CHECK(deck->order == 6 && deck->end_time == 2.5);
    CHECK(deck->sources[1].parameters[1] == 0.0 && strcmp(deck->output, "a b") == 0);
    CHECK(deck->material_count == 4 && deck->materials[2].values[1] == 2.0);
    CHECK(deck->materials[3].values[1] == 3.0);
    CHECK(deck->mesh.file == NULL && deck->mesh.box_cells[0] == 2); // box wins over the file's file
    CHECK(deck->boundaries[2].kind == &fake_boundaries[0] && deck->mesh.periodic_pairs == 0);
    CHECK(strcmp(deck->title, "no: 1") == 0);
    sedge_deck_free(deck);

    // Of `end` and `steps` the one that is set.
    const char *const steps = "time.steps=12";
    CHECK_OK(sedge_deck_create(&deck, "deck.yaml", full_deck, strlen(full_deck), &steps, 1));
    if (deck != NULL) CHECK(deck->steps == 12 && deck->end_time == 0.0);
    sedge_deck_free(deck);
}

// A pair may be named from one side or from both; it is one pair.
// Levels of local time steps: a number, or auto, which every integrator accepts.
static void test_levels(void)
{
    static const struct {
        const char *time;
        int levels;
    } cases[] = {{"time={steps: 5}", SEDGE_LEVELS_MAX},
                 {"time={steps: 5, levels: auto}", SEDGE_LEVELS_MAX},
                 {"time={steps: 5, integrator: lsrk45, levels: auto}", SEDGE_LEVELS_MAX},
                 {"time={steps: 5, integrator: auto, levels: 7}", 7},
                 {"time={steps: 5, levels: 1}", 1},
                 {"time={steps: 5, integrator: local, levels: 7}", 7}};

    for (int i = 0; i < COUNT(cases); i++) {
        sedge_deck *deck = NULL;
        CHECK_OK(read_deck(&deck, least_deck, cases[i].time));
        CHECK(deck != NULL && deck->levels == cases[i].levels);
        sedge_deck_free(deck);
    }
}

static void test_pairs(void)
{
    sedge_deck *deck = NULL;

    CHECK_OK(read_deck(&deck, full_deck, "boundaries.right={type: periodic, partner: left}"));
    if (deck != NULL) CHECK(deck->boundary_count == 4 && deck->mesh.periodic_pairs == 1);
    sedge_deck_free(deck);
    CHECK_FAILS(read_deck(&deck, full_deck, "boundaries.right={type: periodic, partner: other}"),
                SEDGE_ERR_USAGE, "boundaries.left is periodic with 'right', which has another");
}

// The resolved deck reads back to itself, with the same values to the last bit.
static void check_round_trip(const char *text)
{
    sedge_deck *one = NULL;
    sedge_deck *two = NULL;
    sedge_text *first = NULL;
    sedge_text *second = NULL;

    CHECK_OK(sedge_text_create(&first));
    CHECK_OK(sedge_text_create(&second));
    CHECK_OK(read_deck(&one, text, NULL));
    if (one != NULL) CHECK_OK(sedge_deck_write(first, one));
    CHECK_OK(sedge_deck_create(&two, "another/deck.yml", sedge_text_get(first),
                               sedge_text_length(first), NULL, 0));
    if (one != NULL && two != NULL) {
        CHECK_OK(sedge_deck_write(second, two));
        CHECK(strcmp(sedge_text_get(first), sedge_text_get(second)) == 0);
        CHECK(one->end_time == two->end_time && one->source_count == two->source_count);
        CHECK(strcmp(one->title, two->title) == 0 && strcmp(one->output, two->output) == 0);
        for (int i = 0; i < one->source_count; i++) {
            for (int p = 0; p < SEDGE_MAX_VALUES; p++)
                CHECK(one->sources[i].parameters[p] == two->sources[i].parameters[p]);
        }
        for (int i = 0; i < one->material_count; i++) {
            for (int p = 0; p < SEDGE_MAX_MATERIALS; p++)
                CHECK(one->materials[i].values[p] == two->materials[i].values[p]);
        }
    }
    sedge_deck_free(one);
    sedge_deck_free(two);
    sedge_text_free(first);
    sedge_text_free(second);
}

static void test_round_trip(void)
{
    check_round_trip(full_deck);
    check_round_trip(least_deck);
    check_round_trip("equation: maxwell\n"
                     "title: \"tab \\t line \\n bom \\ufeff \\\"q\\\" "
                     "\\\\ \\U0001F300\"\n"
                     "order: +10\n"
                     "units: si\n"
                     "mesh:\n"
                     "  box:\n"
                     "    max: [0.1, 1e-300, 12345678901234567890]\n"
                     "    split: {axis: z, at: 0.3333333333333333333, names: [\"yes\", \"1\"]}\n"
                     "time: {end: 1.0000000000000002e-9}\n"
                     "materials:\n"
                     "  \"true\": {mu: 1.1}\n"
                     "  'a: b # c': {mu: 2., sigma: .1}\n"
                     "  \"1\": {mu: 3}\n"
                     "  \u6c34: {mu: 7e-1}\n"
                     "output: {folder: '~'}\n");
}

// What is written is what a person would want to read.
static void test_resolved_text(void)
{
    static const char wanted[] = "title: \"\"\n"
                                 "equation: maxwell\n"
                                 "order: 2\n"
                                 "precision: fp32\n"
                                 "units: normalised\n"
                                 "device: auto\n"
                                 "mesh:\n"
                                 "  box:\n"
                                 "    min: [0, 0, 0]\n"
                                 "    max: [1, 1, 1]\n"
                                 "    cells: [4, 4, 4]\n"
                                 "    periodic: []\n"
                                 "    name: domain\n"
                                 "  partitioner: auto\n"
                                 "  numbering: clusters\n"
                                 "  boundary_elements: mixed\n"
                                 "flux:\n"
                                 "  upwind: 1\n"
                                 "time:\n"
                                 "  steps: 5\n"
                                 "  cfl: 0.8\n"
                                 "  integrator: auto\n"
                                 "  levels: auto\n"
                                 "materials:\n"
                                 "  domain:\n"
                                 "    epsilon: 1\n"
                                 "    mu: 1\n"
                                 "    sigma: 0\n"
                                 "boundaries: {}\n"
                                 "initial:\n"
                                 "  type: zero\n"
                                 "  compare: false\n"
                                 "sources:\n"
                                 "  - type: dipole\n";
    sedge_deck *deck = NULL;
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(read_deck(&deck, least_deck,
                       "sources=[{position: [1, 2, 3], signal: {frequency: 1, "
                       "type: cw}, type: dipole}]"));
    if (deck != NULL) CHECK_OK(sedge_deck_write(text, deck));
    CHECK(strncmp(sedge_text_get(text), wanted, strlen(wanted) - strlen("  - type: dipole\n")) ==
          0);
    CHECK(strstr(sedge_text_get(text), "      frequency: 1\n      phase: 0\n      ramp: 3\n") !=
          NULL);
    sedge_deck_free(deck);
    sedge_text_free(text);
}

// Signals begin and are zero-mean as the documentation says: |f(0)| < 1e-8 by default.
static void test_default_delays(void)
{
    static const char *const signals[] = {
        "{type: ricker, frequency: 0.7}", "{type: gaussian, width: 0.3}",
        "{type: gaussian, width: 0.3, frequency: 2}", "{type: cw, frequency: 3}"};

    for (int i = 0; i < COUNT(signals); i++) {
        char setting[256];
        sedge_deck *deck = NULL;

        (void)snprintf(setting, sizeof setting,
                       "sources=[{type: dipole, position: [0, 0, 0], signal: %s}]", signals[i]);
        CHECK_OK(read_deck(&deck, least_deck, setting));
        if (deck == NULL) continue;
        const double *const signal = deck->sources[0].parameters + 3;
        CHECK_BOUND(fabs(sedge_signal(signal, 0.0)), 1e-8);
        double peak = 0.0;
        for (int s = 0; s < 5000; s++) peak = fmax(peak, fabs(sedge_signal(signal, 1e-3 * s)));
        CHECK_BOUND(0.7, peak);
        CHECK_BOUND(peak, 1.0);
        sedge_deck_free(deck);
    }
}

// The page of keys has the terms of each equation, with their keys.
static void test_terms_page(void)
{
    sedge_text *page = NULL;

    CHECK_OK(sedge_text_create(&page));
    CHECK_OK(sedge_deck_document(page));
    const char *const text = sedge_text_get(page);
    const char *const own = strstr(text, "### maxwell: terms of a material");
    CHECK(own != NULL && strstr(own, "`drag: {...}` - what slows down; without memory. No "
                                     "parameters.\n") != NULL);
    CHECK(
        strstr(text, "`relaxing: {...}` - what comes later; memory: 2 numbers a node.\n\n| key") !=
        NULL);
    CHECK(strstr(text, "| `tau` | number | `3e8` | at least 0 | s | when |") != NULL);
    CHECK(strstr(text, "### advection: terms of a material") != NULL);
    sedge_text_free(page);
}

int main(void)
{
    test_full_deck();
    test_sources_and_monitors();
    test_durations();
    test_defaults();
    test_byte_order_mark();
    test_box();
    test_surfaces();
    test_settings();
    test_levels();
    test_pairs();
    test_round_trip();
    test_resolved_text();
    test_terms_page();
    test_default_delays();
    return CHECK_END();
}
