// The decks under input/ are right, and input/keys.md says what the program does.
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "deck/deck.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdlib.h>

#define C      299792458.0 // m/s
#define README SEDGE_SOURCE_DIR "/input/keys.md"

static const char *const decks[] = {"sphere",    "cavity",           "waveguide",   "dielectric",
                                    "advection", "poisson",          "dipole-open", "total-field",
                                    "slab",      "half-wave-dipole", "patch"};

// Each deck reads, fits its mesh, and its resolved form is the same deck.
static void test_input_deck(const sedge_comm *comm, const char *name)
{
    char path[512];
    char *bytes = NULL;
    size_t length = 0;
    sedge_deck *deck = NULL;
    sedge_deck *again = NULL;
    sedge_text *first = NULL;
    sedge_text *second = NULL;
    sedge_mesh *mesh = NULL;
    sedge_problem problem;

    (void)snprintf(path, sizeof path, "%s/input/%s.yaml", SEDGE_SOURCE_DIR, name);
    CHECK_OK(sedge_text_create(&first));
    CHECK_OK(sedge_text_create(&second));
    CHECK_OK(sedge_file_read(&bytes, &length, path, SEDGE_ERR_USAGE));
    if (bytes != NULL) CHECK_OK(sedge_deck_create(&deck, path, bytes, length, NULL, 0));
    if (deck != NULL) {
        CHECK_OK(sedge_deck_write(first, deck));
        CHECK_OK(sedge_deck_create(&again, "deck.yaml", sedge_text_get(first),
                                   sedge_text_length(first), NULL, 0));
        CHECK_OK(sedge_mesh_create(&mesh, comm, &deck->mesh));
    }
    if (again != NULL) {
        CHECK_OK(sedge_deck_write(second, again));
        CHECK(strcmp(sedge_text_get(first), sedge_text_get(second)) == 0);
    }
    if (mesh != NULL) {
        CHECK_OK(sedge_deck_problem(&problem, deck, mesh));
        sedge_problem_clear(&problem);
    }
    sedge_mesh_free(mesh);
    sedge_deck_free(deck);
    sedge_deck_free(again);
    sedge_text_free(first);
    sedge_text_free(second);
    sedge_release(bytes);
}

// The page's printed part is what the program prints; SEDGE_UPDATE_GOLDEN=1 makes it so.
static void test_readme(void)
{
    static const char begin_mark[] = "<!-- begin: printed by the program -->\n";
    static const char end_mark[] = "<!-- end -->\n";
    const char *const update = getenv("SEDGE_UPDATE_GOLDEN");
    char *page = NULL;
    size_t length = 0;
    sedge_text *wanted = NULL;

    CHECK_OK(sedge_text_create(&wanted));
    CHECK_OK(sedge_file_read(&page, &length, README, SEDGE_ERR_USAGE));
    const char *const begin = page != NULL ? strstr(page, begin_mark) : NULL;
    const char *const end = begin != NULL ? strstr(begin, end_mark) : NULL;
    CHECK(end != NULL);
    if (end != NULL) {
        CHECK_OK(sedge_text_add_bytes(wanted, page, (size_t)(begin - page) + strlen(begin_mark)));
        CHECK_OK(sedge_text_add(wanted, "\n"));
        CHECK_OK(sedge_deck_document(wanted));
        CHECK_OK(sedge_text_add(wanted, "\n%s", end));
        const bool same = strcmp(page, sedge_text_get(wanted)) == 0;
        if (!same && update != NULL && strcmp(update, "1") == 0) {
            CHECK_OK(sedge_file_write(README, sedge_text_get(wanted), sedge_text_length(wanted)));
        } else if (!same) {
            check_failures++;
            (void)fprintf(stderr,
                          "%s is not what the program prints; run this test with "
                          "SEDGE_UPDATE_GOLDEN=1\n",
                          README);
        }
    }
    sedge_text_free(wanted);
    sedge_release(page);
}

// Every key of every equation has a text, and no name that YAML or a setting would take apart.
static void test_equation_tables(void)
{
    sedge_text *page = NULL;

    CHECK_OK(sedge_text_create(&page));
    CHECK_OK(sedge_deck_document(page));
    CHECK(strstr(sedge_text_get(page), "(null)") == NULL);
    CHECK(sedge_equations[0] != NULL);
    for (int i = 0; sedge_equations[i] != NULL; i++) {
        const sedge_equation *const equation = sedge_equations[i];
        for (int k = 0; k < equation->material_count; k++) {
            CHECK(equation->materials[k].text != NULL);
            CHECK(strpbrk(equation->materials[k].name, ".= :") == NULL);
        }
        for (int k = 0; k < equation->flux_key_count; k++) {
            CHECK(equation->flux_keys[k].text != NULL);
            CHECK(strpbrk(equation->flux_keys[k].name, ".= :") == NULL);
        }
    }
    sedge_text_free(page);
}

// A relative error of a few roundings.
static bool close_to(double value, double wanted)
{
    return fabs(value - wanted) <= 4e-16 * fabs(wanted);
}

static sedge_status read_si(sedge_deck **deck, const char *text, const char *setting)
{
    return sedge_deck_create(deck, "deck.yaml", text, strlen(text), &setting, setting != NULL);
}

// Frequencies in code units and ascending, an entry's own and those of all; angles in radians.
static void test_frequencies(void)
{
    static const char text[] =
        "equation: maxwell\norder: 2\nunits: si\nmesh: {box: {}}\ntime: {steps: 5}\n"
        "materials: {domain: {}}\n"
        "monitors:\n"
        "  frequencies: {from: 1e9, to: 2e9, count: 5, every: 4, floor: 1e-2}\n"
        "  spectra: {near: {points: {p: [0.5, 0.5, 0.5]}, frequencies: {list: [3e9, 1e9, 2e9]}}}\n"
        "  flux: {out: {surface: zmax, away_from: [0.1, 0.2, 0.3]},\n"
        "         in: {surface: zmin, out_of: "
        "air}}\n"
        "  far-field:\n"
        "    ff: {surface: zmax, centre: [1, 2, 3], theta: {from: 30, to: 90, step: 20},\n"
        "         phi: {from: -90, to: 0, step: 45}, ffd: true, input: zmin,\n"
        "         images: {y: {type: pmc, at: -0.5}, z: {type: pec, at: 0.25, ground: true}}}\n";
    const double degree = 3.14159265358979323846 / 180.0;
    sedge_deck *deck = NULL;

    CHECK_OK(read_si(&deck, text, NULL));
    if (deck == NULL) return;
    CHECK(deck->frequency_every == 4 && deck->frequency_floor == 1e-2);
    const sedge_deck_frequencies *const own = &deck->spectra[0].frequencies;
    CHECK(deck->spectrum_count == 1 && own->count == 3 && deck->spectra[0].point_count == 1);
    for (int i = 0; i < own->count; i++) CHECK(close_to(own->value[i], (1.0 + i) * 1e9 / C));

    CHECK(deck->flux_count == 2 && deck->fluxes[0].surface.away && !deck->fluxes[1].surface.away);
    CHECK(deck->fluxes[0].surface.away_from[2] == 0.3);
    CHECK(strcmp(deck->fluxes[1].surface.out_of, "air") == 0);
    const sedge_deck_far_field *const far = &deck->far_fields[0];
    CHECK(deck->far_field_count == 1 && far->frequencies.count == 5);
    for (int i = 0; i < 5; i++) {
        CHECK(close_to(far->frequencies.value[i], (1.0 + 0.25 * i) * 1e9 / C));
        CHECK(sedge_deck_frequency(deck, far->frequencies.value[i]) == (1.0 + 0.25 * i) * 1e9);
        CHECK(deck->fluxes[0].frequencies.value[i] == far->frequencies.value[i]);
    }
    CHECK(far->centre[1] == 2.0 && far->ffd && !far->time);
    CHECK(strcmp(far->surface.name, "zmax") == 0 && strcmp(far->input.name, "zmin") == 0);
    CHECK(far->theta.count == 4 && close_to(far->theta.from, 30.0 * degree));
    CHECK(far->phi.count == 3 && close_to(far->phi.from, -90.0 * degree));
    CHECK(close_to(far->theta.step, 20.0 * degree) && close_to(far->phi.step, 45.0 * degree));
    CHECK(far->image_count == 2 && far->images[0].axis == 1 && far->images[1].axis == 2);
    CHECK(far->images[0].magnetic && !far->images[0].ground && far->images[0].position == -0.5);
    CHECK(!far->images[1].magnetic && far->images[1].ground && far->images[1].position == 0.25);
    sedge_deck_free(deck);

    CHECK_OK(read_si(&deck, text, "monitors.frequencies={from: 1e9, to: 1e9, count: 1}"));
    if (deck == NULL) return;
    CHECK(deck->fluxes[1].frequencies.count == 1);
    CHECK(close_to(deck->fluxes[1].frequencies.value[0], 1e9 / C));
    for (int i = 1; i < 1000; i++) { // what a deck says comes back to the last bit
        const double code = i * 7e6 * deck->equation->si[SEDGE_FREQUENCY];
        CHECK(sedge_deck_frequency(deck, code) == i * 7e6);
    }
    sedge_deck_free(deck);
    CHECK_FAILS(read_si(&deck, text, "monitors.frequencies={from: 1e9, to: 5e8, count: 1}"),
                SEDGE_ERR_USAGE, "monitors.frequencies.to = 5e8 must be above 'from' = 1e9");
    CHECK_FAILS(read_si(&deck, text, "monitors.spectra.a/b={points: {p: [0, 0, 0]}}"),
                SEDGE_ERR_USAGE, "the name 'a/b' may have letters, digits, '_' and '-' only");
}

int main(void)
{
    sedge_comm *comm = NULL;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) test_input_deck(comm, decks[i]);
    test_readme();
    test_equation_tables();
    test_frequencies();
    sedge_comm_free(comm);
    return CHECK_END();
}
