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

#define README SEDGE_SOURCE_DIR "/input/keys.md"

static const char *const decks[] = {"sphere",    "cavity",          "waveguide",   "dielectric",
                                    "advection", "poisson",         "dipole-open", "total-field",
                                    "slab",      "half-wave-dipole"};

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

int main(void)
{
    sedge_comm *comm = NULL;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) test_input_deck(comm, decks[i]);
    test_readme();
    test_equation_tables();
    sedge_comm_free(comm);
    return CHECK_END();
}
