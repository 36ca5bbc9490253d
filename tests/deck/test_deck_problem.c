// Deck and mesh become a problem; what does not fit together is named.
#include "fake.h"

static char volume_names[3][64] = {"air", "glass", "glass-layer-x"};
static int volume_owner[3] = {0, 1, 1};
static char surface_names[5][64] = {"wall", "outer", "interface", "left", "right"};
static int64_t volume_elements[3] = {10, 20, 5};
static int64_t surface_faces[5] = {4, 6, 0, 0, 0};
static int64_t interior_faces[5] = {0, 0, 3, 2, 2};
static double period[1][3] = {{2, 0, 0}}; // of left and right

// Groups are all that the deck asks of a mesh.
static sedge_mesh fake_mesh(void)
{
    return (sedge_mesh){
        .bounds = {{-1, -1, -1}, {1, 1, 1}},
        .periods = 1,
        .period = period,
        .groups = {.volumes = 3,
                   .surfaces = 5,
                   .volume_names = volume_names,
                   .surface_names = surface_names,
                   .volume_owner = volume_owner,
                   .volume_elements = volume_elements,
                   .surface_faces = surface_faces,
                   .surface_interior_faces = interior_faces},
    };
}

static const char deck_text[] =
    "equation: maxwell\n"
    "order: 3\n"
    "precision: fp64\n"
    "mesh: {file: a.msh}\n"
    "time: {end: 1}\n"
    "flux: {upwind: 0.25}\n"
    "materials:\n"
    "  glass: {epsilon: 3, mu: 2, sigma: 5, relaxing: {strength: 7}}\n"
    "  air: {mu: 1}\n"
    "boundaries:\n"
    "  outer: {type: impedance, impedance: 8}\n"
    "  wall: {type: pec}\n"
    "  right: {type: periodic, partner: left}\n"
    "initial: {type: mode, mode: [3, 2, 1], compare: false}\n"
    "sources:\n"
    "  - {type: dipole, position: [1, 2, 3], signal: {type: cw, frequency: 4}}\n"
    "  - {type: plane-wave, direction: [0, 0, 9], signal: {type: cw, frequency: 1}}\n"
    "  - {type: dipole, position: [4, 5, 6], signal: {type: cw, frequency: 2}, turns: 8}\n"
    "monitors: {slices: {mid: {normal: z, at: 1}}}\n";

static void test_problem(void)
{
    const sedge_mesh mesh = fake_mesh();
    sedge_problem problem;
    sedge_deck *deck = NULL;

    memset(&problem, 0, sizeof problem);
    CHECK_OK(read_deck(&deck, deck_text, NULL));
    if (deck == NULL) return;
    CHECK_OK(sedge_deck_problem(&problem, deck, &mesh));
    CHECK(problem.equation == &fake_maxwell && problem.order == 3);
    CHECK(problem.precision == SEDGE_FP64 && problem.volumes == 3 && problem.surfaces == 5);
    CHECK(problem.materials[0][0] == 1.0 && problem.materials[0][1] == 0.0);
    for (int v = 1; v < 3; v++) // the layer continues the glass
        CHECK(problem.materials[v][0] == 6.0 && problem.materials[v][1] == 5.0);
    CHECK(problem.boundaries[0].kind == &fake_boundaries[0]);
    CHECK(problem.boundaries[1].kind == &fake_boundaries[2]);
    CHECK(problem.boundaries[1].parameters[0] == 8.0);
    for (int s = 2; s < 5; s++) CHECK(problem.boundaries[s].kind == NULL);
    CHECK(problem.constants[0] == 0.25 && problem.constants[1] == 9.0);
    CHECK(problem.constants[2] == 0.0 && problem.constants[SEDGE_MAX_VALUES - 1] == 0.0);
    CHECK(problem.incidents[0].kind == &fake_sources[0] &&
          problem.incidents[0].parameters[2] == 9.0);
    CHECK(problem.initial == &fake_initials[1] && !problem.compare);
    CHECK(problem.term_count == 1 && problem.terms[0].kind == &fake_relaxing);
    CHECK(!problem.terms[0].present[0] && problem.terms[0].present[1]);
    CHECK(problem.terms[0].present[2] && sedge_term_pole(&problem.terms[0], 2, 0)[0] == 7.0);
    CHECK(sedge_term_pole(&problem.terms[0], 0, 0)[0] == 0.0 &&
          sedge_term_pole(&problem.terms[0], 1, 0)[0] == 7.0);
    CHECK(sedge_term_pole(&problem.terms[0], 1, 0)[1] == 3e8);
    CHECK(problem.initial_parameters[0] == 3.0 && problem.initial_parameters[2] == 1.0);
    CHECK(problem.point_source_count == 2);
    const sedge_point_source *const last = &problem.point_sources[1];
    CHECK(last->kind == &fake_sources[1] && last->position[2] == 6.0);
    CHECK(last->signal[0] == SEDGE_SIGNAL_CW && last->signal[2] == 2.0 && last->signal[5] == 1.5);
    CHECK(last->parameters[0] == 4.0 && last->parameters[9] == 8.0);
    sedge_problem_clear(&problem);
    sedge_deck_free(deck);
}

static void check_refused(const char *find, const char *replace, const char *message)
{
    const sedge_mesh mesh = fake_mesh();
    const char *const at = strstr(deck_text, find);
    sedge_problem problem;
    sedge_deck *deck = NULL;
    char text[2048];

    CHECK(at != NULL);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - deck_text), deck_text, replace,
                   at + strlen(find));
    CHECK_OK(read_deck(&deck, text, NULL));
    if (deck == NULL) return;
    CHECK_FAILS(sedge_deck_problem(&problem, deck, &mesh), SEDGE_ERR_USAGE, message);
    CHECK(problem.materials == NULL && problem.boundaries == NULL);
    sedge_deck_free(deck);
}

static void test_refusals(void)
{
    check_refused("  air: {mu: 1}\n", "",
                  "deck.yaml:7: materials has nothing for the volume group 'air' of the mesh; "
                  "known: glass");
    check_refused(", compare: false", "",
                  "deck.yaml:14: initial: 'mode' is an exact solution only without terms, and a "
                  "material has the term 'relaxing': set initial.compare to false");
    check_refused("  air:", "  ari:",
                  "deck.yaml:9: materials.ari: the mesh has no volume group 'ari'; did you mean "
                  "'air'?");
    check_refused("  air: {mu: 1}\n", "  air: {mu: 1}\n  plasma: {mu: 1}\n",
                  "the mesh has no volume group 'plasma'; known: air, glass");
    check_refused("  air: {mu: 1}\n", "  air: {mu: 1}\n  glass-layer-x: {mu: 1}\n",
                  "the mesh has no volume group 'glass-layer-x'; known: air, glass");
    check_refused("  wall: {type: pec}\n", "",
                  "deck.yaml:10: boundaries has no condition for the surface group 'wall' of the "
                  "mesh (4 faces); known: outer, right");
    check_refused("boundaries:\n  outer: {type: impedance, impedance: 8}\n  wall: {type: pec}\n"
                  "  right: {type: periodic, partner: left}\n",
                  "boundaries: {}\n",
                  "deck.yaml:10: boundaries has no condition for the surface group 'wall' of the "
                  "mesh (4 faces); the section is empty");
    check_refused("  wall:", "  walls:",
                  "deck.yaml:12: boundaries.walls: the mesh has no surface group 'walls'; did you "
                  "mean 'wall'?");
    check_refused("  wall: {type: pec}\n", "  wall: {type: pec}\n  interface: {type: pec}\n",
                  "deck.yaml:13: boundaries.interface: the surface group is periodic, so it takes "
                  "no condition; remove it");
    check_refused("at: 1}", "at: 1.5}",
                  "deck.yaml:19: monitors.slices.mid: the plane z = 1.5 misses the mesh");
    // `default` does not stand for the groups that have no entry.
    check_refused("  air: {mu: 1}\n", "  default: {mu: 1}\n",
                  "materials has nothing for the volume group 'air' of the mesh; 'default' is for "
                  "what is in no group; known: glass, default");
    check_refused("  wall: {type: pec}\n", "  default: {type: pec}\n",
                  "boundaries has no condition for the surface group 'wall' of the mesh (4 faces); "
                  "'default' is for what is in no group; known: outer, default, right");
    check_refused("{mu: 1}", "{mu: 6, epsilon: 111}", "deck.yaml:9: the number of the beast");
}

// The entries `default` let a mesh have elements and faces without a group, and need none.
static void test_default(void)
{
    static const char text[] = "equation: maxwell\norder: 1\nmesh: {file: a}\ntime: {steps: 1}\n"
                               "materials: {air: {mu: 1}, glass: {mu: 1}%s}\nboundaries: "
                               "{%s}\ninitial: {type: mode, mode: [1, 1, 1]}\n";
    static const struct {
        const char *material, *boundary;
        bool volume, surface;
    } cases[] = {{"", "", false, false},
                 {", default: {mu: 1}", "", true, false},
                 {"", "default: {type: pec}", false, true},
                 {"", "left: {type: periodic, partner: default}", false, true}};
    sedge_mesh mesh = fake_mesh();

    mesh.groups.surfaces = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char deck_of[512];
        sedge_problem problem;
        sedge_deck *deck = NULL;
        (void)snprintf(deck_of, sizeof deck_of, text, cases[i].material, cases[i].boundary);
        CHECK_OK(read_deck(&deck, deck_of, NULL));
        if (deck == NULL) return;
        CHECK(deck->mesh.default_volume == cases[i].volume);
        CHECK(deck->mesh.default_surface == cases[i].surface);
        if (strstr(cases[i].boundary, "periodic") == NULL) {
            memset(&problem, 0, sizeof problem);
            CHECK_OK(sedge_deck_problem(&problem, deck, &mesh));
            sedge_problem_clear(&problem);
        }
        sedge_deck_free(deck);
    }
}

// Plane waves must be the same on both of two periodic sides. The state has 3, 2, 1 turns a length,
// the source goes along z.
static void test_periodic_waves(void)
{
    check_refused(
        "direction: [0, 0, 9]", "direction: [3, 0, 4]",
        "deck.yaml:17: sources.1: the plane-wave with direction (3, 0, 4) is not the same "
        "on two periodic sides, whose shift is (2, 0, 0)");
    check_refused("direction: [0, 0, 9]", "direction: [1e-4, 0, 9]", "must be perpendicular");
    period[0][0] = 2.5;
    check_refused("{type: mode,", "{type: mode, size: [1, 1, 1],",
                  "deck.yaml:14: initial: 7.5 waves of the mode fit into the period (2.5, 0, 0) of "
                  "the mesh's periodic sides; it must be a whole number");
    period[0][0] = 2.0001;
    check_refused("turns: 8", "turns: 7", "initial: 6.0003 waves of the mode");
    period[0][0] = 2.0 + 1e-9; // the digits of a deck
    test_problem();
    period[0][0] = 0.5; // one and a half waves along x, half of one along z
    period[0][2] = 0.5;
    check_refused("direction: [0, 0, 9]", "direction: [1, 0, 0]", "sources.1");
    check_refused("direction: [0, 0, 9]", "direction: [2, 7, 2]", "sources.1");
    period[0][2] = -0.5; // 1.5 - 0.5: they fit, and the source has a part along it
    check_refused("turns: 8", "turns: 7", "deck.yaml:17: sources.1: the plane-wave with direction");
    period[0][0] = 2.0;
    period[0][2] = 0.0;
}

// An equation with nothing optional: no materials, no sources, no contradictions.
static void test_bare_equation(void)
{
    static const char text[] = "equation: advection\norder: 1\nmesh: {file: a}\ntime: {steps: 1}\n"
                               "materials: {air: {}, glass: {}}\ninitial: {type: mode}\n";
    sedge_mesh mesh = fake_mesh();
    sedge_problem problem;
    sedge_deck *deck = NULL;

    memset(&problem, 0, sizeof problem);
    mesh.groups.surfaces = 0;
    CHECK_OK(read_deck(&deck, text, NULL));
    if (deck == NULL) return;
    CHECK_OK(sedge_deck_problem(&problem, deck, &mesh));
    CHECK(problem.volumes == 3 && problem.incident_count == 0 && problem.constants[1] == -1.0);
    sedge_problem_clear(&problem);
    sedge_deck_free(deck);
}

// A table whose functions set more numbers than it says: kernels would read or write behind their
// own.
static void test_counts(void)
{
    static const char *const wanted[] = {
        "constant_count: it is 1, but `constants` sets number 2",
        "material_values: it is 1, but `derive` sets number 2",
        "'maxwell': term 'relaxing': memory: it is 0, but `local` sets number 1",
    };
    const sedge_mesh mesh = fake_mesh();

    for (int k = 0; k < 3; k++) {
        const sedge_term_kind whole = fake_relaxing;
        sedge_equation wrong = fake_maxwell;
        sedge_problem problem;
        sedge_deck *deck = NULL;

        memset(&problem, 0, sizeof problem);
        CHECK_OK(read_deck(&deck, deck_text, NULL));
        if (deck == NULL) return;
        if (k == 0) wrong.constant_count = 1;
        if (k == 1) wrong.material_values = 1;
        if (k == 2) fake_relaxing.memory = 0;
        deck->equation = &wrong;
        CHECK_FAILS(sedge_deck_problem(&problem, deck, &mesh), SEDGE_ERR_USAGE, wanted[k]);
        fake_relaxing = whole;
        sedge_deck_free(deck);
    }
}

int main(void)
{
    test_counts();
    test_bare_equation();
    test_default();
    test_problem();
    test_refusals();
    test_periodic_waves();
    return CHECK_END();
}
