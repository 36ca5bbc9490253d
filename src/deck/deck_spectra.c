// The parts of `monitors` that concern frequencies: frequencies, spectra, flux and absorption.
#include "deck_sections.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- frequencies --------------------------------------------------------------------------------

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

// The numbers of a checked section; `where` is its path.
static sedge_status fill_frequencies(const deck_reader *reader, const deck_node *node,
                                     const char *where, sedge_deck_frequencies *out)
{
    const deck_node *const list = deck_child(node, "list");
    const deck_node *const to = deck_child(node, "to");

    out->count = list != NULL ? list->count : (int)deck_integer(deck_child(node, "count"));
    SEDGE_TRY(sedge_allocate(&out->value, out->count, sizeof *out->value));
    if (list != NULL) {
        int i = 0;
        for (const deck_node *child = list->first; child != NULL; child = child->next)
            out->value[i++] = deck_real(reader, child, SEDGE_FREQUENCY);
        qsort(out->value, (size_t)out->count, sizeof *out->value, ascending);
        for (i = 1; i < out->count; i++) {
            if (out->value[i] > out->value[i - 1]) continue;
            return deck_fail(reader->path, list, "%s.list has a frequency twice", where);
        }
        return SEDGE_OK;
    }
    const double low = deck_real(reader, deck_child(node, "from"), SEDGE_FREQUENCY);
    const double high = deck_real(reader, to, SEDGE_FREQUENCY);
    if (out->count == 1 ? high < low : high <= low) {
        return deck_fail(reader->path, to, "%s.to = %s must be above 'from' = %s", where, to->text,
                         deck_child(node, "from")->text);
    }
    for (int i = 0; i < out->count; i++)
        out->value[i] = low + (high - low) * i / (out->count > 1 ? out->count - 1 : 1);
    return SEDGE_OK;
}

static sedge_status read_default(const deck_reader *reader, sedge_deck *deck, deck_node *node)
{
    static const char where[] = "monitors.frequencies";

    deck->frequency_floor = 1e-3; // as the schema has it
    if (node == NULL) return SEDGE_OK;
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find(where), NULL, 0));
    const deck_node *const every = deck_child(node, "every");
    deck->frequency_every = every != NULL ? (int)deck_integer(every) : 0;
    deck->frequency_floor = deck_real(reader, deck_child(node, "floor"), SEDGE_DIMENSIONLESS);
    return fill_frequencies(reader, node, where, &deck->frequencies);
}

sedge_status deck_read_frequencies(const deck_reader *reader, const sedge_deck *deck,
                                   const deck_node *node, const char *where,
                                   sedge_deck_frequencies *out)
{
    deck_node *const own = deck_child(node, "frequencies");
    char path[DECK_PATH_MAX];

    if (own != NULL) {
        deck_path(path, where, "frequencies");
        SEDGE_TRY(deck_check(reader, own, path,
                             deck_section_find("monitors.spectra.NAME.frequencies"), NULL, 0));
        return fill_frequencies(reader, own, path, out);
    }
    if (deck->frequencies.count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&out->value, deck->frequencies.count, sizeof *out->value));
    out->count = deck->frequencies.count;
    memcpy(out->value, deck->frequencies.value, (size_t)out->count * sizeof *out->value);
    return SEDGE_OK;
}

// Those of an entry that is nothing without them.
static sedge_status need_frequencies(const deck_reader *reader, const sedge_deck *deck,
                                     const deck_node *node, const char *where,
                                     sedge_deck_frequencies *out)
{
    SEDGE_TRY(deck_read_frequencies(reader, deck, node, where, out));
    if (out->count > 0) return SEDGE_OK;
    return deck_fail(reader->path, node,
                     "%s needs 'frequencies', of its own or in monitors.frequencies", where);
}

// ---- spectra ------------------------------------------------------------------------------------

static const char *const places[SEDGE_SPECTRUM_PLACES] = {"points", "plane", "surface", "groups"};

static sedge_status read_groups(const deck_node *list, char (**groups)[64], int *count)
{
    SEDGE_TRY(sedge_allocate(groups, list->count, sizeof **groups));
    for (const deck_node *child = list->first; child != NULL; child = child->next)
        deck_copy_name((*groups)[(*count)++], child->text);
    return SEDGE_OK;
}

// Which of the equation's groups of fields are asked for.
static sedge_status read_fields(const deck_reader *reader, const deck_node *list, const char *where,
                                bool *requested)
{
    const sedge_equation *const equation = reader->equation;
    const char *names[SEDGE_MAX_FIELDS];
    char path[DECK_PATH_MAX];

    for (int g = 0; g < equation->group_count; g++) {
        names[g] = equation->groups[g].name;
        requested[g] = list == NULL;
    }
    deck_path(path, where, "fields");
    for (const deck_node *child = list != NULL ? list->first : NULL; child != NULL;
         child = child->next) {
        int index = 0;

        SEDGE_TRY(deck_choose(&index, reader, child, path, names, equation->group_count));
        requested[index] = true;
    }
    return SEDGE_OK;
}

sedge_status deck_read_surface(const deck_reader *reader, const deck_node *node, const char *where,
                               sedge_deck_surface *surface)
{
    const deck_node *const volume = deck_child(node, "out_of");
    const deck_node *const point = deck_child(node, "away_from");

    deck_copy_name(surface->name, deck_child(node, "surface")->text);
    if (volume != NULL && point != NULL) {
        return deck_fail(reader->path, point, "%s takes one of 'out_of' and 'away_from', not both",
                         where);
    }
    if (volume != NULL) deck_copy_name(surface->out_of, volume->text);
    surface->away = point != NULL;
    if (point != NULL) deck_vector(surface->away_from, reader, point, SEDGE_LENGTH);
    return SEDGE_OK;
}

static sedge_status read_place(const deck_reader *reader, const deck_node *node, const char *where,
                               sedge_deck_spectrum *spectrum)
{
    deck_node *const given = deck_child(node, places[spectrum->place]);
    char path[DECK_PATH_MAX];

    deck_path(path, where, given->key);
    switch (spectrum->place) {
    case SEDGE_SPECTRUM_POINTS:
        if (given->count == 0) return deck_fail(reader->path, given, "%s has no point", path);
        return deck_read_points(reader, given, path, &spectrum->points, &spectrum->point_count);
    case SEDGE_SPECTRUM_PLANE:
        return deck_read_plane(reader, given, path, "monitors.spectra.NAME.plane", node->key,
                               &spectrum->plane);
    case SEDGE_SPECTRUM_SURFACE:
        return deck_read_surface(reader, node, where, &spectrum->surface);
    case SEDGE_SPECTRUM_GROUPS:
        return read_groups(given, &spectrum->groups, &spectrum->group_count);
    case SEDGE_SPECTRUM_PLACES:
        break;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a spectrum has the place %d", (int)spectrum->place);
}

static sedge_status read_spectrum(const deck_reader *reader, const sedge_deck *deck,
                                  deck_node *node, sedge_deck_spectrum *spectrum)
{
    char where[DECK_PATH_MAX];
    int place = 0;

    deck_path(where, "monitors.spectra", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, true));
    deck_copy_name(spectrum->name, node->key);
    spectrum->line = node->line;
    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("monitors.spectra.NAME"), NULL, 0));
    SEDGE_TRY(deck_settle_one(reader, node, where, places, SEDGE_SPECTRUM_PLACES, &place));
    spectrum->place = (sedge_spectrum_place)place;
    SEDGE_TRY(read_place(reader, node, where, spectrum));
    SEDGE_TRY(read_fields(reader, deck_child(node, "fields"), where, spectrum->requested));
    const deck_node *const normalise = deck_child(node, "normalise");
    spectrum->normalise = normalise == NULL ? -1 : strcmp(normalise->text, "source") == 0;
    return need_frequencies(reader, deck, node, where, &spectrum->frequencies);
}

// ---- flux ---------------------------------------------------------------------------------------

static sedge_status read_flux(const deck_reader *reader, const sedge_deck *deck, deck_node *node,
                              sedge_deck_flux *flux)
{
    char where[DECK_PATH_MAX];

    deck_path(where, "monitors.flux", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, true));
    deck_copy_name(flux->name, node->key);
    flux->line = node->line;
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("monitors.flux.NAME"), NULL, 0));
    SEDGE_TRY(deck_read_surface(reader, node, where, &flux->surface));
    if (reader->equation->poynting)
        return deck_read_frequencies(reader, deck, node, where, &flux->frequencies);
    return deck_fail(reader->path, node, "%s: the equation '%s' has no flux of energy", where,
                     reader->equation->name);
}

// ---- absorption ---------------------------------------------------------------------------------

// `mass_density`: numbers by volume group.
static sedge_status read_masses(const deck_reader *reader, const deck_node *list, const char *where,
                                sedge_deck_absorption *absorption)
{
    static const deck_key number = {"mass_density", DECK_REAL, .positive = true};
    char path[DECK_PATH_MAX];

    deck_path(path, where, list->key);
    if (!reader->si) {
        return deck_fail(reader->path, list,
                         "%s: a mass needs units: give the deck the key 'units: si'", path);
    }
    if (list->count == 0)
        return deck_fail(reader->path, list, "%s is empty: name a volume group", path);
    SEDGE_TRY(sedge_allocate(&absorption->masses, list->count, sizeof *absorption->masses));
    for (deck_node *node = list->first; node != NULL; node = node->next) {
        sedge_deck_mass *const mass = &absorption->masses[absorption->mass_count++];
        char entry[DECK_PATH_MAX];

        deck_path(entry, path, node->key);
        SEDGE_TRY(deck_check_name(reader, node, node->key, false));
        SEDGE_TRY(deck_value_check(reader, node, entry, &number));
        deck_copy_name(mass->group, node->key);
        mass->density = deck_real(reader, node, SEDGE_DIMENSIONLESS);
    }
    return SEDGE_OK;
}

static sedge_status read_absorption(const deck_reader *reader, const sedge_deck *deck,
                                    deck_node *node, sedge_deck_absorption *absorption)
{
    const deck_node *groups;
    char where[DECK_PATH_MAX];

    deck_path(where, "monitors.absorption", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, true));
    deck_copy_name(absorption->name, node->key);
    absorption->line = node->line;
    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    SEDGE_TRY(
        deck_check(reader, node, where, deck_section_find("monitors.absorption.NAME"), NULL, 0));
    if (!reader->equation->poynting) {
        return deck_fail(reader->path, node, "%s: the equation '%s' has no flux of energy", where,
                         reader->equation->name);
    }
    groups = deck_child(node, "groups");
    if (groups != NULL)
        SEDGE_TRY(read_groups(groups, &absorption->groups, &absorption->group_count));
    groups = deck_child(node, "surfaces");
    if (groups != NULL)
        SEDGE_TRY(read_groups(groups, &absorption->surfaces, &absorption->surface_count));
    if (deck_child(node, "mass_density") != NULL)
        SEDGE_TRY(read_masses(reader, deck_child(node, "mass_density"), where, absorption));
    if (deck_child(node, "grid") != NULL)
        absorption->grid = deck_real(reader, deck_child(node, "grid"), SEDGE_LENGTH);
    return need_frequencies(reader, deck, node, where, &absorption->frequencies);
}

// ---- the whole ----------------------------------------------------------------------------------

sedge_status deck_read_spectra(const deck_reader *reader, sedge_deck *deck,
                               const deck_node *monitors)
{
    const deck_node *const spectra = deck_child(monitors, "spectra");
    const deck_node *const fluxes = deck_child(monitors, "flux");
    const deck_node *const absorptions = deck_child(monitors, "absorption");

    SEDGE_TRY(read_default(reader, deck, deck_child(monitors, "frequencies")));
    if (deck->equation->elliptic != NULL && spectra->count > 0) {
        return deck_fail(reader->path, spectra,
                         "the equation '%s' has no time; remove 'monitors.%s'",
                         deck->equation->name, spectra->key);
    }
    SEDGE_TRY(sedge_allocate(&deck->spectra, spectra->count, sizeof *deck->spectra));
    for (deck_node *node = spectra->first; node != NULL; node = node->next)
        SEDGE_TRY(read_spectrum(reader, deck, node, &deck->spectra[deck->spectrum_count++]));
    SEDGE_TRY(sedge_allocate(&deck->fluxes, fluxes->count, sizeof *deck->fluxes));
    for (deck_node *node = fluxes->first; node != NULL; node = node->next)
        SEDGE_TRY(read_flux(reader, deck, node, &deck->fluxes[deck->flux_count++]));
    SEDGE_TRY(sedge_allocate(&deck->absorptions, absorptions->count, sizeof *deck->absorptions));
    for (deck_node *node = absorptions->first; node != NULL; node = node->next) {
        SEDGE_TRY(
            read_absorption(reader, deck, node, &deck->absorptions[deck->absorption_count++]));
    }
    return SEDGE_OK;
}

void deck_free_spectra(sedge_deck *deck)
{
    for (int i = 0; i < deck->spectrum_count; i++) {
        sedge_release(deck->spectra[i].points);
        sedge_release(deck->spectra[i].groups);
        sedge_release(deck->spectra[i].frequencies.value);
    }
    for (int i = 0; i < deck->flux_count; i++) sedge_release(deck->fluxes[i].frequencies.value);
    for (int i = 0; i < deck->absorption_count; i++) {
        sedge_release(deck->absorptions[i].groups);
        sedge_release(deck->absorptions[i].surfaces);
        sedge_release(deck->absorptions[i].masses);
        sedge_release(deck->absorptions[i].frequencies.value);
    }
    for (int i = 0; i < deck->far_field_count; i++)
        sedge_release(deck->far_fields[i].frequencies.value);
    sedge_release(deck->spectra);
    sedge_release(deck->fluxes);
    sedge_release(deck->absorptions);
    sedge_release(deck->far_fields);
    sedge_release(deck->frequencies.value);
}
