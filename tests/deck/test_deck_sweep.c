// The runs of a deck with the key `sweep`: their names, and what each run sets, as text that is
// YAML and JSON.
#include "check.h"
#include "deck/deck_sweep.h"
#include "run/sweep_table.h"

static const char deck_text[] = "order: 2\n"
                                "output: {folder: \"it's here\"}\n"
                                "sweep:\n"
                                "  order: [.5, +1, 010]\n"
                                "  time.levels: [auto, \"2\", ~]\n"
                                "  initial.compare:\n"
                                "    - yes\n"
                                "    - no\n"
                                "    - true\n"
                                "  sources.0: [{type: a b, at: [-1e3, 2.5E+4, 7.]}, [], {}]\n";

static void read(sedge_sweep *sweep, const char *text, const char *const *settings, int count)
{
    CHECK_OK(sedge_sweep_read(sweep, "some/deck.yaml", text, strlen(text), settings, count));
}

// Numbers that JSON writes otherwise are rewritten, words are quoted, and quoted numbers stay
// texts; nothing stays nothing.
static void test_values(void)
{
    static const char *const wanted[] = {
        "0.5", "\"auto\"", "true",  "{\"type\": \"a b\", \"at\": [-1e3, 2.5E+4, 7]}",
        "1",   "\"2\"",    "false", "[]",
        "10",  "null",     "true",  "{}",
    };
    sedge_sweep sweep;

    read(&sweep, deck_text, NULL, 0);
    CHECK(sweep.runs == 3 && sweep.keys == 4);
    if (sweep.runs == 3 && sweep.keys == 4) {
        CHECK(strcmp(sweep.key[0], "order") == 0 && strcmp(sweep.key[3], "sources.0") == 0);
        for (int i = 0; i < 12; i++) CHECK(strcmp(sweep.value[i], wanted[i]) == 0);
        CHECK(strcmp(sweep.origin[0], "some/deck.yaml:4") == 0);
        CHECK(strcmp(sweep.origin[6], "some/deck.yaml:8") == 0); // the second of initial.compare
        CHECK(strcmp(sweep.output, "it's here") == 0);
    }
    sedge_sweep_clear(&sweep);
}

// Settings win over the deck, and may make or remove a sweep.
static void test_settings(void)
{
    static const char *const none[] = {"sweep={}"};
    static const char *const other[] = {"sweep={order: [1, 2]}", "output={}"};
    static const char *const both[] = {"order=3"};
    static const char *const part[] = {"initial.compare.more=1"};
    sedge_sweep sweep;

    read(&sweep, deck_text, none, 1);
    CHECK(sweep.runs == 0 && sweep.keys == 0);
    sedge_sweep_clear(&sweep);
    read(&sweep, deck_text, other, 2);
    CHECK(sweep.runs == 2 && sweep.keys == 1);
    if (sweep.runs == 2) {
        CHECK(strcmp(sweep.origin[0], "--set sweep={order: [1, 2]}") == 0);
        CHECK(strcmp(sweep.output, "deck-results") == 0);
    }
    sedge_sweep_clear(&sweep);
    read(&sweep, "order: 2\n", NULL, 0);
    CHECK(sweep.runs == 0);
    sedge_sweep_clear(&sweep);
    CHECK_FAILS(sedge_sweep_read(&sweep, "deck.yaml", deck_text, strlen(deck_text), both, 1),
                SEDGE_ERR_USAGE, "the deck sweeps 'order'");
    sedge_sweep_clear(&sweep);
    CHECK_FAILS(
        sedge_sweep_read(&sweep, "deck.yaml", "sweep: {initial.compare: [yes]}", 31, part, 1),
        SEDGE_ERR_USAGE, "the deck sweeps 'initial.compare'");
    sedge_sweep_clear(&sweep);
}

static void test_faults(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"sweep: 3", "sweep must be a mapping"},
        {"sweep: {order: {a: 1}}", "deck.yaml:1: sweep.order must be a list"},
        {"sweep: {order: []}", "sweep.order is empty"},
        {"sweep: {a: [1], b: [1, 2]}", "sweep.b has 2 values, but sweep.a has 1"},
        {"sweep: {a.b.c: [1], a.b: [2]}", "'a.b.c' is a part of 'a.b'"},
        {"sweep: {a.b: [1], a.b.c: [2]}", "'a.b.c' is a part of 'a.b'"},
        {"sweep: {sweep.x: [1]}", "'sweep.x' is no key"},
        {"sweep: {\"a=b\": [1]}", "'a=b' is no key"},
        {"sweep: {output: [1]}", "'output' cannot be swept"},
        {"sweep: {a: [1], a: [2]}", "duplicate key 'a'"},
        {"sweep: {a: [1], b: [1], c: [1], d: [1], e: [1], f: [1], g: [1], h: [1], i: [1], j: [1], "
         "k: [1], l: [1], m: [1], n: [1], o: [1], p: [1], q: [1]}",
         "sweep has 17 keys; at most 16"},
    };
    sedge_sweep sweep;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_FAILS(
            sedge_sweep_read(&sweep, "deck.yaml", rows[i].text, strlen(rows[i].text), NULL, 0),
            SEDGE_ERR_USAGE, rows[i].message);
        sedge_sweep_clear(&sweep);
    }
    // Neighbours in the alphabet are no parts of each other.
    read(&sweep, "sweep: {a.b: [1], a.bc: [2]}", NULL, 0);
    CHECK(sweep.keys == 2);
    sedge_sweep_clear(&sweep);
}

// Three digits, more from the thousandth run on: a number of its own for each run, the same however
// many runs there are, and in the order of the runs.
static void test_names(void)
{
    static const struct {
        int run;
        const char *name;
    } rows[] = {{0, "001"}, {8, "009"}, {99, "100"}, {998, "999"}, {999, "1000"}, {9999, "10000"}};
    char before[32] = "";

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[32];
        sedge_sweep_name(name, rows[i].run);
        CHECK(strcmp(name, rows[i].name) == 0);
    }
    for (int i = 0; i < 1200; i++) {
        char name[32];
        sedge_sweep_name(name, i);
        CHECK(strlen(name) > strlen(before) || strcmp(name, before) > 0);
        memcpy(before, name, sizeof before);
    }
}

int main(void)
{
    test_values();
    test_names();
    test_settings();
    test_faults();
    return CHECK_END();
}
