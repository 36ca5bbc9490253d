// What a wrong deck is told: file, line, value, and what is allowed.
#include "fake.h"

typedef struct bad_deck {
    const char *find;    // in the good deck below
    const char *replace; // by this
    const char *message;
} bad_deck;

static const char good_deck[] = "equation: maxwell\n"                        // 1
                                "order: 4\n"                                 // 2
                                "precision: fp32\n"                          // 3
                                "units: normalised\n"                        // 4
                                "mesh:\n"                                    // 5
                                "  file: a.msh\n"                            // 6
                                "time: {end: 10}\n"                          // 7
                                "materials:\n"                               // 8
                                "  air: {mu: 1}\n"                           // 9
                                "  glass:\n"                                 // 10
                                "    epsilon: 4\n"                           // 11
                                "    mu: 1\n"                                // 12
                                "    sigma: 0.1\n"                           // 13
                                "boundaries:\n"                              // 14
                                "  wall: {type: pec}\n"                      // 15
                                "  left: {type: periodic, partner: right}\n" // 16
                                "initial: {type: zero}\n"                    // 17
                                "sources:\n"                                 // 18
                                "  - type: dipole\n"                         // 19
                                "    position: [0, 0, 0]\n"                  // 20
                                "    signal: {type: cw, frequency: 1}\n"     // 21
                                "monitors:\n"                                // 22
                                "  energy: {every: 20}\n"                    // 23
                                "  probes: {points: {p: [0, 0, 1]}}\n"       // 24
                                "  slices: {s: {normal: y, at: 0}}\n"        // 25
                                "output: {snapshots: 2}\n";                  // 26

static const bad_deck bad_decks[] = {
    // What would steer a terminal: as it may be shown, in values and in keys.
    {"order: 4\n", "order: 4\ntitle: \"a\\e[2J\"\n",
     "deck.yaml:3: the text has a control character, or a mark that turns its direction: "
     "a\\x1b[2J"},
    {"air: {mu: 1}", "\"air\\u202e\": {mu: 1}", "turns its direction: air\\xe2\\x80\\xae"},
    // Keys.
    {"    sigma: 0.1", "    sgima: 0.1",
     "deck.yaml:13: unknown key 'sgima' in materials.glass; did you mean 'sigma'?"},
    {"order: 4", "ordre: 4", "deck.yaml:2: unknown key 'ordre'; did you mean 'order'?"},
    {"{every: 20}", "{whatever: 20}",
     "deck.yaml:23: unknown key 'whatever' in monitors.energy; known: every"},
    {"    mu: 1\n    sigma: 0.1", "    mu: 1\n    epsilon: 1",
     "deck.yaml:13: duplicate key 'epsilon'; it is already on line 11"},
    {"order: 4\n", "", "deck.yaml:1: the deck needs the key 'order'"},
    {"air: {mu: 1}", "air: {}", "deck.yaml:9: materials.air needs the key 'mu'"},
    {"  file: a.msh\n", "  {}\n", "deck.yaml:5: mesh needs 'file' or 'box'"},
    {"  file: a.msh\n", "  file: a.msh\n  box: {}\n",
     "deck.yaml:6: mesh takes one of 'file' and 'box' (line 7), not both"},
    {"{end: 10}", "{end: 10, integrator: lsrk54}",
     "deck.yaml:7: time.integrator 'lsrk54' is not known; did you mean 'lsrk45'?"},
    {"{end: 10}", "{end: 10, integrator: LSRK45}",
     "deck.yaml:7: time.integrator 'LSRK45' is not known; did you mean 'lsrk45'?"},
    {"units: normalised", "units: SI", "deck.yaml:4: units 'SI' is not known; did you mean 'si'?"},
    {"{end: 10}", "{end: 10, integrator: lsrk45, levels: 4}",
     "deck.yaml:7: time.levels is 4, but with the integrator 'lsrk45' all elements take the same "
     "step: 1 or auto"},
    {"{end: 10}", "{end: 10, levels: 0}", "deck.yaml:7: time.levels '0' is not known"},
    {"{end: 10}", "{end: 10, integrator: local, levels: 17}",
     "deck.yaml:7: time.levels '17' is not known"},
    {"{end: 10}", "{cfl: 1}", "deck.yaml:7: time needs 'end' or 'steps'"},
    {"{end: 10}", "{end: 10, steps: 3}", "deck.yaml:7: time takes one of 'end' and 'steps'"},
    {"  file: a.msh\n", "  box: {}\n  scale: 2\n",
     "deck.yaml:7: 'scale' in mesh goes only with 'file'"},
    {"  file: a.msh\n", "  box: {name: a, split: {axis: x, at: 0.5, names: [b, c]}}\n",
     "deck.yaml:6: 'name' in mesh.box does not go with 'split'"},
    // Names become groups of HDF5 files.
    {"{p: [0, 0, 1]}", "{p: [0, 0, 1], p: [0, 0, 2]}", "deck.yaml:24: duplicate key 'p'"},
    {"{p: [0, 0, 1]}", "{p/q: [0, 0, 1]}",
     "deck.yaml:24: the name 'p/q' may have letters, digits, '_' and '-' only"},
    {"slices: {s:", "slices: {.:", "deck.yaml:25: the name '.' may have letters"},
    // Spectra.
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  frequencies: {list: []}\n",
     "deck.yaml:24: monitors.frequencies.list is an empty list"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  frequencies: {list: [1, 1]}\n",
     "deck.yaml:24: monitors.frequencies.list has a frequency twice"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  frequencies: {from: 2, to: 1, count: 3}\n",
     "deck.yaml:24: monitors.frequencies.to = 1 must be above 'from' = 2"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  spectra: {s: {points: {p: [0, 0, 1]}}}\n",
     "deck.yaml:24: monitors.spectra.s needs 'frequencies', of its own or in monitors.frequencies"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  spectra: {s: {}}\n",
     "deck.yaml:24: monitors.spectra.s needs one of 'points', 'plane', 'surface' and 'groups'"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  spectra: {s: {points: {}}}\n",
     "deck.yaml:24: monitors.spectra.s.points has no point"},
    {"  probes: {points: {p: [0, 0, 1]}}\n", "  spectra: {s: {groups: []}}\n",
     "deck.yaml:24: monitors.spectra.s.groups is an empty list"},
    {"  probes: {points: {p: [0, 0, 1]}}\n",
     "  spectra: {s: {surface: a, points: {p: [0, 0, 1]}}}\n",
     "deck.yaml:24: monitors.spectra.s takes one of 'points' and 'surface', not both"},
    {"  probes: {points: {p: [0, 0, 1]}}\n",
     "  spectra: {s: {surface: a, out_of: air, away_from: [0, 0, 0]}}\n",
     "deck.yaml:24: monitors.spectra.s takes one of 'out_of' and 'away_from', not both"},
    {"  probes: {points: {p: [0, 0, 1]}}\n",
     "  spectra: {s: {points: {p: [0, 0, 1]}, out_of: air}}\n",
     "deck.yaml:24: 'out_of' in monitors.spectra.s goes only with 'surface'"},
    {"{snapshots: 2}", "{checkpoint: 5}",
     "deck.yaml:26: output.checkpoint must be a mapping of keys to values"},
    {"{snapshots: 2}", "{checkpoint: {}}",
     "deck.yaml:26: output.checkpoint needs one of 'steps', 'time' and 'wall'"},
    {"{snapshots: 2}", "{checkpoint: {keep: 3}}",
     "deck.yaml:26: output.checkpoint needs one of 'steps', 'time' and 'wall'"},
    {"{snapshots: 2}", "{checkpoint: {steps: 3, wall: 60}}",
     "deck.yaml:26: output.checkpoint takes one of 'steps' and 'wall', not both"},
    {"{snapshots: 2}", "{checkpoint: {step: 3}}",
     "deck.yaml:26: unknown key 'step' in output.checkpoint; did you mean 'steps'?"},
    {"{snapshots: 2}", "{checkpoint: {steps: 0}}",
     "deck.yaml:26: output.checkpoint.steps 0 is outside 1..1e15"},
    {"{snapshots: 2}", "{checkpoint: {steps: 5, keep: 0}}",
     "deck.yaml:26: output.checkpoint.keep 0 is outside 1..1000"},
    {"{snapshots: 2}", "{checkpoint: {time: -1}}",
     "deck.yaml:26: output.checkpoint.time -1 must be greater than 0"},
    {"{snapshots: 2}", "{checkpoint: {wall: 10 parsecs}}",
     "deck.yaml:26: output.checkpoint.wall must be a time such as 90, 90 s, 10 min, 2 h or 1 d, "
     "not '10 parsecs'"},
    {"{snapshots: 2}", "{checkpoint: {wall: 0 min}}",
     "deck.yaml:26: output.checkpoint.wall 0 min must be greater than 0"},
    {"{snapshots: 2}", "{checkpoint: {wall: 1.2.3 s}}",
     "deck.yaml:26: output.checkpoint.wall must be a time such as"},
    {"{snapshots: 2}", "{checkpoints: {steps: 3}}",
     "deck.yaml:26: unknown key 'checkpoints' in output; did you mean 'checkpoint'?"},
    {"order: 4", "? [a, b]\n: 4", "deck.yaml:2: a key must be a word"},
    {"order: 4", "'': 4", "deck.yaml:2: a key is empty"},

    // Types.
    {"order: 4", "order: 4.7", "deck.yaml:2: order must be a whole number, not '4.7'"},
    {"order: 4", "order: 4.0", "deck.yaml:2: order must be a whole number, not '4.0'"},
    {"order: 4", "order: 0x4", "deck.yaml:2: order must be a whole number, not '0x4'"},
    {"order: 4", "order: '4'", "deck.yaml:2: order must be a whole number, not the text '4'"},
    {"order: 4", "order:", "deck.yaml:2: order has no value"},
    {"order: 4", "order: ~", "deck.yaml:2: order has no value"},
    {"order: 4", "order: [4]", "deck.yaml:2: order must be a single value, not a list"},
    {"order: 4", "order: 99999999999999999999", "is too large for a whole number"},
    {"{end: 10}", "{end: 1e-9 ns}", "deck.yaml:7: time.end must be a number, not '1e-9 ns'"},
    {"{end: 10}", "{end: inf}", "deck.yaml:7: time.end must be a number, not 'inf'"},
    {"{end: 10}", "{end: .nan}", "deck.yaml:7: time.end must be a number, not '.nan'"},
    {"{end: 10}", "{end: 0x10}", "deck.yaml:7: time.end must be a number, not '0x10'"},
    {"{end: 10}", "{end: 1e999}", "deck.yaml:7: time.end 1e999 is too large"},
    {"{end: 10}", "{end: 1e-999}", "deck.yaml:7: time.end 1e-999 is too small"},
    {"{end: 10}", "{end: '10'}", "deck.yaml:7: time.end must be a number, not the text '10'"},
    {"{end: 10}", "{end: -}", "deck.yaml:7: "},
    {"{end: 10}", "{end: 1_0}", "deck.yaml:7: time.end must be a number, not '1_0'"},
    {"[0, 0, 0]", "[0, 0]", "deck.yaml:20: sources.0.position must be three numbers [x, y, z]"},
    {"[0, 0, 0]", "[0, [1], 0]", "deck.yaml:20: sources.0.position must be a single value"},
    {"[0, 0, 0]", "5", "deck.yaml:20: sources.0.position must be a list"},
    {"mesh:\n  file: a.msh\n", "mesh: a.msh\n", "deck.yaml:5: mesh must be a mapping"},
    {"{type: zero}", "{type: zero, compare: maybe}",
     "deck.yaml:17: initial.compare must be true or false, not 'maybe'"},
    {"{type: zero}", "{type: zero, compare: 'yes'}", "initial.compare must be true or false"},
    {"order: 4", "order: &a 4", "deck.yaml:2: decks take no YAML anchors; remove &a"},
    {"order: 4", "order: !!int 4", "deck.yaml:2: decks take no YAML tags"},
    {"order: 4", "order: *a", "deck.yaml:2: decks take no YAML aliases"},

    // Ranges and choices.
    {"order: 4", "order: 12", "deck.yaml:2: order 12 is outside 1..10"},
    {"order: 4", "order: 0", "deck.yaml:2: order 0 is outside 1..10"},
    {"{end: 10}", "{end: 0}", "deck.yaml:7: time.end 0 must be greater than 0"},
    {"{end: 10}", "{end: -3}", "deck.yaml:7: time.end -3 must be greater than 0"},
    {"{end: 10}", "{steps: 0}", "deck.yaml:7: time.steps 0 is outside 1.."},
    {"{end: 10}", "{end: 1, cfl: 2.5}", "deck.yaml:7: time.cfl 2.5 is outside 0..2"},
    {"air: {mu: 1}", "air: {mu: 0.25}", "deck.yaml:9: materials.air.mu 0.25 is outside 0.5..20"},
    {"    epsilon: 4", "    epsilon: 0", "materials.glass.epsilon 0 must be greater than 0"},
    {"    sigma: 0.1", "    sigma: -1", "materials.glass.sigma -1 must be at least 0"},
    {"{every: 20}", "{every: 101}", "monitors.energy.every 101 is outside 1..100"},
    {"fp32", "fp23", "deck.yaml:3: precision 'fp23' is not known; did you mean 'fp32'?"},
    {"normalised", "imperial", "deck.yaml:4: units 'imperial' is not known; known: normalised, si"},
    {"maxwell", "maxwel", "deck.yaml:1: equation 'maxwel' is not known; did you mean 'maxwell'?"},
    {"{type: pec}", "{type: pce}",
     "deck.yaml:15: boundaries.wall.type 'pce' is not known; did you mean 'pec'?"},
    {"{type: pec}", "{type: pml}",
     "deck.yaml:15: boundaries.wall.type 'pml' is not known; known: pec"},
    {"{mu: 1}", "{epsilon: [4, 4, 2]}",
     "deck.yaml:9: materials.air.epsilon must be a single value, not a list"},
    {"{type: pec}", "{}", "deck.yaml:15: boundaries.wall needs the key 'type'; known: pec, "},
    {"{type: pec}", "{type: impedance}", "boundaries.wall needs the key 'impedance'"},
    {"type: dipole", "type: dipol", "deck.yaml:19: sources.0.type 'dipol' is not known; did you"},
    {"{type: zero}", "{type: gaussian}", "initial.type 'gaussian' is not known; known: zero, mode"},
    {"normal: y", "normal: w", "monitors.slices.s.normal 'w' is not known"},
    {"{type: zero}", "{type: zero, compare: true}",
     "deck.yaml:17: initial.compare: 'zero' is no exact solution to compare with"},

    // Terms.
    {"{mu: 1}", "{mu: 1, relaxin: {strength: 1}}",
     "deck.yaml:9: unknown key 'relaxin' in materials.air; did you mean 'relaxing'?"},
    {"{mu: 1}", "{mu: 1, relaxing: {}}", "materials.air.relaxing needs the key 'strength'"},
    {"{mu: 1}", "{mu: 1, relaxing: 3}", "deck.yaml:9: materials.air.relaxing must be a mapping"},
    {"{mu: 1}", "{mu: 1, relaxing: {strenght: 1}}",
     "deck.yaml:9: unknown key 'strenght' in materials.air.relaxing; did you mean 'strength'?"},
    {"{mu: 1}", "{mu: 1, relaxing: {strength: 0}}",
     "deck.yaml:9: materials.air.relaxing.strength 0 must be greater than 0"},
    {"    mu: 1\n    sigma: 0.1", "    mu: 1\n    drag: {}\n    drag: {}",
     "deck.yaml:14: duplicate key 'drag'; it is already on line 13"},
    {"{mu: 1}", "{mu: 1, leak: {}}",
     "deck.yaml:9: materials.air.leak is a term of the equation 'advection'; this deck has the "
     "equation 'maxwell'"},

    // Signals.
    {"{type: cw, frequency: 1}", "{frequency: 1}", "sources.0.signal needs 'type'"},
    {"{type: cw, frequency: 1}", "{type: cw}", "sources.0.signal needs the key 'frequency'"},
    {"{type: cw, frequency: 1}", "{type: cw, frequency: 0}",
     "deck.yaml:21: sources.0.signal.frequency 0 must be greater than 0"},
    {"{type: cw, frequency: 1}", "{type: ricker, frequency: 1, width: 2}",
     "unknown key 'width' in sources.0.signal"},
    {"{type: cw, frequency: 1}", "{type: gaussian, frequency: 1}",
     "sources.0.signal needs the key 'width'"},
    {"{type: cw, frequency: 1}", "{type: chirp}", "sources.0.signal.type 'chirp' is not known"},
    {"{type: cw, frequency: 1}", "sine", "sources.0.signal must be a mapping"},

    // Names, pairs, boxes.
    {"air: {mu: 1}", "\"a\\nb\": {mu: 1}", "deck.yaml:9: a name has a control character (0x0a)"},
    {"{p: [0, 0, 1]}", "{a/b: [0, 0, 1]}", "deck.yaml:24: the name 'a/b' may have letters"},
    {"air: {mu: 1}", "0123456789012345678901234567890123456789012345678901234567890123: {mu: 1}",
     "must have 1 to 63 bytes"},
    {"partner: right", "partner: left", "boundaries.left cannot be its own partner"},
    {"partner: right", "partner: wall",
     "boundaries.left is periodic with 'wall', which has another condition on line 15"},
    {"partner: right}\n", "partner: right}\n  back: {type: periodic, partner: right}\n",
     "deck.yaml:17: 'right' is the partner of both 'left' and 'back'"},
    {"  file: a.msh\n", "  box: {max: [1, 0, 1]}\n",
     "deck.yaml:6: mesh.box.max must exceed min on the y axis"},
    {"  file: a.msh\n", "  box: {cells: [1, 0, 1]}\n", "mesh.box.cells 0 is outside 1..10000"},
    {"  file: a.msh\n", "  box: {periodic: [x, x]}\n", "mesh.box.periodic has 'x' twice"},
    {"  file: a.msh\n", "  box: {split: {axis: x, at: 1, names: [b, c]}}\n",
     "mesh.box.split.at 1 is not inside the box"},
    {"  file: a.msh\n", "  box: {split: {axis: x, at: 0.5, names: [b, b]}}\n",
     "mesh.box.split.names has 'b' twice"},
    {"  file: a.msh\n", "  box: {}\n", "a box is made periodic by mesh.box.periodic"},
    {"  file: a.msh\n", "  file: a.msh\n  surfaces: {s: {}}\n",
     "deck.yaml:7: mesh.surfaces.s needs one of 'groups', 'box', 'sphere' and 'plane'"},
    {"  file: a.msh\n", "  file: a.msh\n  surfaces: {s: {groups: [a], sphere: {radius: 1}}}\n",
     "deck.yaml:7: mesh.surfaces.s takes one of 'groups' and 'sphere', not both"},
    {"  file: a.msh\n", "  file: a.msh\n  surfaces: {s: {sphere: {radius: 0}}}\n",
     "mesh.surfaces.s.sphere.radius 0 must be greater than 0"},
    {"  file: a.msh\n", "  file: a.msh\n  surfaces: {s: {box: {min: [0, 0, 0], max: [1, 0, 1]}}}\n",
     "mesh.surfaces.s.box.max must exceed min on the y axis"},
    {"  file: a.msh\n", "  file: a.msh\n  surfaces: {default: {groups: [air]}}\n",
     "mesh.surfaces.default: 'default' is for faces in no surface group"},
    {"sources:\n",
     "sources:\n  - {type: plane-wave, direction: [0, 0, -0.0], signal: {type: cw, frequency: "
     "1}}\n",
     "deck.yaml:19: sources.0.direction must not be the zero vector"},
    {"sources:\n",
     "sources:\n  - {type: plane-wave, direction: [0, 0, 1], signal: {type: cw, frequency: 1}}\n"
     "  - {type: plane-wave, direction: [0, 1, 0], signal: {type: cw, frequency: 1}}\n",
     "deck.yaml:20: two incident sources (plane-wave here, plane-wave on line 19)"},

    // Equations.
    {"maxwell", "advection", "deck.yaml:9: unknown key 'mu' in materials.air"},

    // YAML.
    {"mesh:\n", "mesh: {\n", "deck.yaml:"},
    {"  file: a.msh\n", "\tfile: a.msh\n",
     "deck.yaml:6: not YAML: a tab; lines are indented by spaces"},
    {"order: 4", "order: \"4", "not YAML: "},
    {"order: 4", "order: 4: 4", "deck.yaml:2: not YAML: a key where none may stand: "},
    {"order: 4", "  order: 4", "deck.yaml:2: not YAML: a key where none may stand: "},
    {"order: 4", "order:4", "deck.yaml:2: not YAML: a key without a colon and a space after it"},
    {"order: 4", "order: {a:4}", "deck.yaml:2: a space is missing after the colon of a:4"},
    {"order: 4", "---\norder: 4", "deck.yaml:2: a deck is one YAML document"},
    {"order: 4", "order: \xff", "deck.yaml:2: byte 0xff is not UTF-8"},
    {"order: 4", "title: \"a\\0b\"\norder: 4", "deck.yaml:2: the text has a NUL character"},
    {"order: 4", "order: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[4]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
     "deck.yaml:2: the deck is nested more than 32 levels deep"},
};

static void test_bad_decks(void)
{
    for (int i = 0; i < COUNT(bad_decks); i++) {
        const bad_deck *const bad = &bad_decks[i];
        const char *const at = strstr(good_deck, bad->find);
        sedge_deck *deck = NULL;
        char text[4096];

        CHECK(at != NULL);
        if (at == NULL) continue;
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good_deck), good_deck,
                       bad->replace, at + strlen(bad->find));
        const sedge_status status = read_deck(&deck, text, NULL);
        CHECK(deck == NULL);
        if (status == SEDGE_ERR_USAGE && strstr(sedge_error_message(), bad->message) != NULL)
            continue;
        check_failures++;
        (void)fprintf(stderr, "'%s' for '%s' gave: %s\n  wanted: %s\n", bad->replace, bad->find,
                      status == SEDGE_OK ? "success" : sedge_error_message(), bad->message);
        sedge_deck_free(deck);
    }
}

static void test_no_deck(void)
{
    sedge_deck *deck = NULL;
    char nul[] = "order: 4\norder: \0";

    CHECK_OK(read_deck(&deck, good_deck, NULL));
    sedge_deck_free(deck);
    CHECK_FAILS(read_deck(&deck, "", NULL), SEDGE_ERR_USAGE, "deck.yaml: the deck is empty");
    CHECK_FAILS(read_deck(&deck, "# nothing\n\n", NULL), SEDGE_ERR_USAGE, "the deck is empty");
    CHECK_FAILS(read_deck(&deck, "---\n", NULL), SEDGE_ERR_USAGE, "a deck is a mapping");
    CHECK_FAILS(read_deck(&deck, "\njust words\n", NULL), SEDGE_ERR_USAGE,
                "deck.yaml:2: a deck is a mapping");
    CHECK_FAILS(read_deck(&deck, "[1, 2]\n", NULL), SEDGE_ERR_USAGE, "a deck is a mapping");
    CHECK_FAILS(sedge_deck_create(&deck, "deck.yaml", nul, sizeof nul, NULL, 0), SEDGE_ERR_USAGE,
                "deck.yaml:2: a deck is text: it has a NUL byte");
    CHECK_FAILS(read_deck(&deck,
                          "\xff\xfe"
                          "o",
                          NULL),
                SEDGE_ERR_USAGE, "deck.yaml:1: byte 0xff is not UTF-8");
    CHECK_FAILS(read_deck(&deck,
                          "equation: advection\norder: 1\ntime: {steps: 1}\n"
                          "mesh: {file: a}\nmaterials: {}\nunits: si\n",
                          NULL),
                SEDGE_ERR_USAGE, "deck.yaml:6: units si: the equation 'advection' has no SI units");
    CHECK_FAILS(read_deck(&deck,
                          "equation: advection\norder: 1\ntime: {steps: 1}\n"
                          "mesh: {file: a}\nmaterials: {}\n",
                          NULL),
                SEDGE_ERR_USAGE, "initial needs the key 'type'; known: mode");
    CHECK_FAILS(read_deck(&deck,
                          "equation: advection\norder: 1\ntime: {steps: 1}\nsources: [{}]\n"
                          "mesh: {file: a}\nmaterials: {}\ninitial: {type: mode}\n",
                          NULL),
                SEDGE_ERR_USAGE, "deck.yaml:4: the equation 'advection' takes no sources");
}

static void test_bad_settings(void)
{
    static const struct {
        const char *setting;
        const char *message;
    } bad[] = {
        {"order=99", "--set order=99: order 99 is outside 1..10"},
        {"order=4.7", "--set order=4.7: order must be a whole number, not '4.7'"},
        {"ordre=4", "--set ordre=4: unknown key 'ordre'; did you mean 'order'?"},
        {"order", "--set order: a setting has the form key.sub=value"},
        {"=4", "--set =4: a setting has the form key.sub=value"},
        {"order=", "--set order=: there is no value after '='"},
        {"order.sub=1", "--set order.sub=1: 'order' is a single value and has no 'sub'"},
        {"time..end=1", "--set time..end=1: a part of the key is empty"},
        {"time.=1", "--set time.=1: a part of the key is empty"},
        {"sources.1.type=dipole", "--set sources.1.type=dipole: 'sources' is a list of 1"},
        {"sources.x=1", "'sources' is a list of 1"},
        {"sources.0.position.3=1", "'position' is a list of 3"},
        {"sources.0.position.1.a=1", "'an element' is a single value and has no 'a'"},
        {"time.end=[1", "--set time.end=[1: not YAML: "},
        {"time.end=1 # s", NULL},
        {"time={end: 1, end: 2}", "duplicate key 'end'"},
        {"materials.air.sgima=1",
         "--set materials.air.sgima=1: unknown key 'sgima' in materials.air"},
        {"output.checkpoint=3", "--set output.checkpoint=3: output.checkpoint must be a mapping"},
        {"output.checkpoint.wall=2 h", NULL},
        {"time.end=1\n---\n2", "a deck is one YAML document"},
        {"time.steps=7", NULL},
    };

    for (int i = 0; i < COUNT(bad); i++) {
        sedge_deck *deck = NULL;

        if (bad[i].message == NULL) {
            CHECK_OK(read_deck(&deck, good_deck, bad[i].setting));
        } else {
            CHECK_FAILS(read_deck(&deck, good_deck, bad[i].setting), SEDGE_ERR_USAGE,
                        bad[i].message);
        }
        sedge_deck_free(deck);
    }
}

// In SI the message speaks SI: the limits of the table are in code units.
static void test_range_in_si(void)
{
    static const char text[] = "equation: maxwell\norder: 1\nunits: si\nmesh: {box: {}}\n"
                               "time: {end: 1}\nmaterials: {domain: {mu: 1, sigma: -2}}\n";
    sedge_deck *deck = NULL;

    CHECK_FAILS(read_deck(&deck, text, NULL), SEDGE_ERR_USAGE,
                "deck.yaml:6: materials.domain.sigma -2 must be at least 0");
    CHECK_FAILS(read_deck(&deck, text, "materials.domain.sigma=1e307"), SEDGE_ERR_USAGE,
                "sigma 1e307 is too large");
}

// The table of a term without one of its entries, or with a wrong one.
static void test_terms_table(void)
{
    const sedge_term_kind whole = fake_relaxing;
    const sedge_term_kind none = {.name = NULL};
    sedge_deck *deck = NULL;

#define WITH(entry, value, message)                                                   \
    {                                                                                 \
        fake_relaxing = whole;                                                        \
        fake_relaxing.entry = value;                                                  \
        CHECK_FAILS(read_deck(&deck, good_deck, NULL), SEDGE_ERR_USAGE,               \
                    "the table of the equation 'maxwell': " message " (dg/equation"); \
    }
#define MISSING "it is required and missing"
#define NAMES   "it must have 1 to 63 characters a-z, 0-9, _ or -, and differ from 'fields'"
#define LONG    "of_63_characters_-_which_is_as_much_as_the_name_of_a_term_holds"
    WITH(name, none.name, "term kind 1: name: " MISSING)
    WITH(text, none.text, "term 'relaxing': text: " MISSING)
    WITH(function, none.function, "term 'relaxing': function: " MISSING)
    WITH(header, none.header, "term 'relaxing': header: " MISSING)
    WITH(header_text, none.header_text, "term 'relaxing': header_text: " MISSING)
    WITH(local, none.local, "term 'relaxing': local: " MISSING)
    WITH(rate, none.rate, "term 'relaxing': rate: " MISSING)
    WITH(parameters, none.parameters,
         "term 'relaxing': parameters: its count is not 0, but the list is missing")
    WITH(parameters, fake_dipole, "term 'relaxing': parameters: a signal is no parameter of a term")
    WITH(memory, -1, "term 'relaxing': memory: -1 is outside 0..64")
    WITH(poles, 101, "term 'relaxing': poles: it must be 0..100")
    WITH(name, "drag", "term 'drag': name: a key of materials or another term has it already")
    WITH(name, "mu", "term 'mu': name: a key of materials or another term has it already")
    WITH(name, "fields", "term 'fields': name: " NAMES)
    WITH(name, "a/b", "term 'a/b': name: " NAMES)
    WITH(name, LONG "x", "term '" LONG "x': name: " NAMES)
#undef WITH
#undef MISSING
    fake_relaxing = whole;
    fake_relaxing.name = LONG;
    CHECK_OK(read_deck(&deck, good_deck, NULL));
    sedge_deck_free(deck);
    fake_relaxing = whole;
}

static sedge_status fake_create(void **out, const struct sedge_output_context *context,
                                const double *parameters, const struct json_t *memory)
{
    *out = NULL;
    (void)context, (void)parameters, (void)memory;
    return SEDGE_OK;
}

static bool fake_due(const void *monitor, int64_t step)
{
    (void)monitor, (void)step;
    return false;
}

static sedge_status fake_record(void *monitor, struct sedge_sample *sample)
{
    (void)monitor, (void)sample;
    return SEDGE_OK;
}

static const sedge_monitor_point *fake_points(const void *monitor, int *count)
{
    (void)monitor;
    *count = 0;
    return NULL;
}

static sedge_status fake_save(const void *monitor, struct json_t *memory)
{
    (void)monitor, (void)memory;
    return SEDGE_OK;
}

static void fake_free(void *monitor)
{
    (void)monitor;
}

// The table of a monitor without one of its entries: a run would find out at its first checkpoint.
static void test_monitors_table(void)
{
    const sedge_monitor_kind whole = {.name = "mean",
                                      .text = "what is in the middle",
                                      .create = fake_create,
                                      .due = fake_due,
                                      .sample = fake_record,
                                      .save = fake_save,
                                      .free = fake_free};
    const sedge_monitor_kind none = {.name = NULL};
    sedge_monitor_kind kind = whole;
    const sedge_monitor_kind *const one[] = {&kind, NULL};
    const sedge_monitor_kind *const two[] = {&whole, &kind, NULL};

    CHECK_OK(sedge_monitor_kinds_check(one));
    CHECK_FAILS(sedge_monitor_kinds_check(two), SEDGE_ERR_USAGE,
                "the table of the monitor 'mean': name: another monitor has it already");
    kind.name = "median";
    CHECK_OK(sedge_monitor_kinds_check(two));
#define WITHOUT(missing, entry, message)                                                    \
    {                                                                                       \
        kind = whole;                                                                       \
        kind.entry = none.entry;                                                            \
        CHECK_FAILS(sedge_monitor_kinds_check(one), SEDGE_ERR_USAGE,                        \
                    "the table of the monitor '" missing "': " message ": it is required"); \
    }
    WITHOUT("", name, "name")
    WITHOUT("mean", text, "text")
    WITHOUT("mean", create, "create")
    WITHOUT("mean", due, "due")
    WITHOUT("mean", sample, "sample, energy or points")
    WITHOUT("mean", save, "save")
    WITHOUT("mean", free, "free")
#undef WITHOUT
    kind = whole;
    kind.points = fake_points;
    CHECK_FAILS(sedge_monitor_kinds_check(one), SEDGE_ERR_USAGE,
                "transform or receive: it is required");
    kind = whole;
    kind.parameter_count = 1;
    CHECK_FAILS(sedge_monitor_kinds_check(one), SEDGE_ERR_USAGE, "parameters: it is required");
}

// An integrator that is not whole: no deck is read, and there is no page of keys.
static void test_integrators_table(void)
{
    const sedge_integrator whole = fake_by_levels;
    sedge_deck *deck = NULL;
    sedge_text *page = NULL;

    CHECK_OK(sedge_text_create(&page));
    fake_by_levels.stages = 0;
    CHECK_FAILS(read_deck(&deck, good_deck, NULL), SEDGE_ERR_USAGE,
                "the table of the integrator 'local': stages: it must be 1 or more");
    CHECK_FAILS(sedge_deck_document(page), SEDGE_ERR_USAGE,
                "the table of the integrator 'local': stages: it must be 1 or more");
    fake_by_levels = whole;
    CHECK_OK(read_deck(&deck, good_deck, NULL));
    sedge_deck_free(deck);
    sedge_text_free(page);
}

int main(void)
{
    test_bad_decks();
    test_no_deck();
    test_bad_settings();
    test_range_in_si();
    test_terms_table();
    test_monitors_table();
    test_integrators_table();
    return CHECK_END();
}
