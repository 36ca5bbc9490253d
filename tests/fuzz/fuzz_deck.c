// Any bytes as a deck, with settings behind a line "%set". One that is read is written and read
// again, and goes on to a mesh and a problem where its box is small.
#include "fuzz.h"

#include "deck/deck.h"
#include "mesh/mesh.h"

#include <string.h>

enum { SETTINGS = 8, BYTES_MAX = 16384, CELLS_MAX = 64 };

// Cut the settings off `text`; their count.
static int cut_settings(const char *settings[SETTINGS], char *text)
{
    char *at = strstr(text, "\n%set\n");
    int count = 0;

    if (at == NULL) return 0;
    *at = '\0';
    at += 6;
    while (*at != '\0' && count < SETTINGS) {
        const size_t length = strcspn(at, "\n");
        settings[count++] = at;
        if (at[length] == '\0') break;
        at[length] = '\0';
        at += length + 1;
    }
    return count;
}

static void write_and_read(const sedge_deck *deck)
{
    sedge_deck *again = NULL;
    sedge_text *text = NULL;

    FUZZ_CHECK(sedge_text_create(&text) == SEDGE_OK);
    FUZZ_CHECK(sedge_deck_write(text, deck) == SEDGE_OK);
    FUZZ_CHECK(sedge_deck_create(&again, "deck.yaml", sedge_text_get(text), sedge_text_length(text),
                                 NULL, 0) == SEDGE_OK);
    sedge_deck_free(again);
    sedge_text_free(text);
}

static bool is_small(const sedge_mesh_options *mesh)
{
    if (mesh->file != NULL) return false;
    for (int d = 0; d < 3; d++)
        if (mesh->box_cells[d] > CELLS_MAX) return false;
    return mesh->box_cells[0] * mesh->box_cells[1] * mesh->box_cells[2] <= CELLS_MAX;
}

static void set_problem(const sedge_deck *deck)
{
    sedge_mesh *mesh = NULL;
    sedge_problem problem;

    if (!is_small(&deck->mesh)) return;
    if (sedge_mesh_create(&mesh, NULL, &deck->mesh) != SEDGE_OK) {
        FUZZ_CHECK(mesh == NULL);
        fuzz_check_message();
        return;
    }
    if (sedge_deck_problem(&problem, deck, mesh) == SEDGE_OK) {
        int32_t element = 0;
        (void)sedge_problem_time_step(&problem, mesh, deck->cfl, 1, &element);
        FUZZ_CHECK(element >= 0 && element < mesh->elements);
        sedge_problem_clear(&problem);
    } else {
        fuzz_check_message();
    }
    sedge_mesh_free(mesh);
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    const char *settings[SETTINGS];
    sedge_deck *deck = NULL;

    if (size > BYTES_MAX) return 0;
    char *const text = fuzz_text(data, size);
    const int count = cut_settings(settings, text);
    // A text without settings keeps its NUL bytes.
    const size_t length = count > 0 ? strlen(text) : size;
    const sedge_status status =
        sedge_deck_create(&deck, "deck.yaml", text, length, settings, count);
    if (status == SEDGE_OK) {
        write_and_read(deck);
        set_problem(deck);
    } else {
        FUZZ_CHECK(deck == NULL && status == SEDGE_ERR_USAGE);
        fuzz_check_message();
    }
    sedge_deck_free(deck);
    free(text);
    return 0;
}
