// Damaged decks are refused with a message or read, never more: mutations of a good deck with a
// fixed seed. An argument sets the number of mutations, a second one the seed (for long runs under
// a sanitizer).
#include "fake.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const seeds[] = {
    "title: \"quoted \\u00e9\"\nequation: maxwell\norder: 4\nunits: si\n"
    "mesh: {file: ../none.msh, scale: 1e-3}\nflux: {upwind: 0.5}\ntime: {end: 2e-9}\n"
    "materials:\n  air: {mu: 1}\n  lossy: {epsilon: 2.25, mu: 1, sigma: 0.1}\n"
    "boundaries:\n  wall: {type: pec}\n  coat: {type: impedance, impedance: 50}\n"
    "  left: {type: periodic, partner: right}\n  right: {type: periodic, partner: left}\n"
    "initial: {type: mode, mode: [1, 2, 3], size: [0.1, 0.2, 0.3], compare: no}\n"
    "sources:\n  - {type: plane-wave, direction: [0, 0, 1], signal: {type: ricker, frequency: 1}}\n"
    "  - type: dipole\n    position: [0, 0.5, 1]\n    signal: {type: gaussian, width: 1e-10}\n"
    "monitors:\n  energy: {every: 7}\n  probes: {every: 2, points: {near: [0, 0, 0.1]}}\n"
    "  slices: {cut: {normal: y, at: 0.25, resolution: 50}}\noutput: {folder: here}\n",
    "equation: maxwell\norder: 2\nmesh:\n  box:\n    cells: [1, 2, 3]\n    periodic: [x, y]\n"
    "    split: {axis: z, at: 0.5, names: [lower, upper]}\ntime: {steps: 5}\n"
    "materials: {lower: {mu: 1}, upper: {mu: 2}}\nkernels: {variant: fused, item_nodes: 4}\n",
};

static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "&a ",
    "*a",
    "!!int ",
    "'",
    "\"",
    "# ",
    "~",
    "| ",
    "> ",
    "? ",
    "1e999",
    "-1",
    "\\u2028",
    "\xc3",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "<<: ",
    "nan",
    "type",
    "x: {}",
    "\t",
    "00000",
    "\xef\xbb\xbf",
    ",",
    "e",
    "\xf0\x9f\x8c\x80",
    "\r",
};

static const char *const settings[] = {
    "order=3",         "mesh.box={}",  "sources.0.signal=[1, {a: b}]",
    "materials.air=~", "time.steps=3", "x.y.z=1"};

static uint64_t state = 1;

static size_t pick(size_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(state >> 33) % below;
}

// Change `text` (`capacity` bytes, `length` used) in one place; the new length.
static size_t mutate(char *text, size_t length, size_t capacity)
{
    const size_t at = pick(length + 1);
    const size_t span = length - at < 1 ? 0 : pick(length - at < 40 ? length - at + 1 : 40);

    if (pick(8) == 0 && length > 0) { // a random byte
        text[pick(length)] = (char)pick(256);
        return length;
    }
    if (pick(2) == 0 && at < length) { // another letter or digit for one: YAML stays YAML
        static const char words[] = "0123456789abcdexyz-.";
        if (isalnum((unsigned char)text[at])) text[at] = words[pick(sizeof words - 1)];
        return length;
    }
    if (pick(3) == 0) { // cut
        memmove(text + at, text + at + span, length - at - span);
        return length - span;
    }
    const char *piece = pieces[pick(COUNT(pieces))];
    size_t size = strlen(piece);
    char copy[64];
    if (pick(3) == 0) { // repeat a part elsewhere
        const size_t from = pick(length + 1);
        size = length - from < sizeof copy ? length - from : sizeof copy;
        memcpy(copy, text + from, size);
        piece = copy;
    }
    if (length + size > capacity) return length;
    memmove(text + at + size, text + at, length - at);
    for (size_t i = 0; i < size; i++) text[at + i] = piece[i];
    return length + size;
}

// A deck that is read must be written, and read again.
static void check_mutant(const char *text, size_t length, const char *setting, int *read)
{
    sedge_deck *deck = NULL;
    sedge_deck *again = NULL;
    sedge_text *out = NULL;

    const sedge_status status =
        sedge_deck_create(&deck, "deck.yaml", text, length, &setting, setting != NULL);
    if (status != SEDGE_OK) {
        CHECK(deck == NULL && status == SEDGE_ERR_USAGE);
        CHECK(strncmp(sedge_error_message(), "deck.yaml", 9) == 0 ||
              strncmp(sedge_error_message(), "--set ", 6) == 0);
        return;
    }
    ++*read;
    CHECK_OK(sedge_text_create(&out));
    CHECK_OK(sedge_deck_write(out, deck));
    CHECK_OK(sedge_deck_create(&again, "deck.yaml", sedge_text_get(out), sedge_text_length(out),
                               NULL, 0));
    if (again == NULL) (void)fprintf(stderr, "%s", sedge_text_get(out));
    sedge_text_free(out);
    sedge_deck_free(deck);
    sedge_deck_free(again);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 4000;
    int read = 0;

    for (int i = 0; i < COUNT(seeds); i++) {
        sedge_deck *deck = NULL;
        CHECK_OK(read_deck(&deck, seeds[i], NULL));
        sedge_deck_free(deck);
    }
    if (argc > 2) state = strtoull(argv[2], NULL, 10);
    for (int i = 0; i < count; i++) {
        const char *const seed = seeds[pick(COUNT(seeds))];
        char text[4096];
        size_t length = strlen(seed);

        (void)snprintf(text, sizeof text, "%s", seed);
        for (size_t m = 1 + pick(3); m > 0; m--) length = mutate(text, length, sizeof text);
        // A block of exactly this size: a sanitizer sees a read behind its end.
        char *const exact = malloc(length > 0 ? length : 1);
        if (exact == NULL) return 1;
        memcpy(exact, text, length);
        check_mutant(exact, length, pick(4) == 0 ? settings[pick(COUNT(settings))] : NULL, &read);
        free(exact);
    }
    CHECK(read > count / 50); // not everything is refused
    return CHECK_END();
}
