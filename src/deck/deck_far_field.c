// The section monitors.far-field, and `exact`: the sphere that far fields and spectra are compared
// with, or the layers that spectra are.
#include "deck_sections.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180.0)

#define MOST_ANGLES 100000

static sedge_status read_angles(const deck_reader *reader, deck_node *node, const char *entry,
                                const char *section, sedge_deck_angles *out)
{
    char where[DECK_PATH_MAX];

    deck_path(where, entry, node->key);
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find(section), NULL, 0));
    const deck_node *const last = deck_child(node, "to");
    const double from = deck_real(reader, deck_child(node, "from"), SEDGE_DIMENSIONLESS);
    const double to = deck_real(reader, last, SEDGE_DIMENSIONLESS);
    const double step = deck_real(reader, deck_child(node, "step"), SEDGE_DIMENSIONLESS);
    const double steps = round((to - from) / step);
    if (to < from) {
        return deck_fail(reader->path, last, "%s.to = %s is below 'from' = %s", where, last->text,
                         deck_child(node, "from")->text);
    }
    if (fabs(from + steps * step - to) > 1e-6 * step) {
        return deck_fail(reader->path, last,
                         "%s: from %g to %g is not a whole number of steps of %g", where, from, to,
                         step);
    }
    if (steps >= MOST_ANGLES) {
        return deck_fail(reader->path, last, "%s has %.0f angles; at most %d are allowed", where,
                         steps + 1.0, MOST_ANGLES);
    }
    *out = (sedge_deck_angles){1 + (int)steps, from * DEGREE, step * DEGREE};
    return SEDGE_OK;
}

static sedge_status read_images(const deck_reader *reader, deck_node *node, const char *entry,
                                sedge_deck_far_field *out)
{
    static const char *const axes[] = {"x", "y", "z"};
    char where[DECK_PATH_MAX];

    deck_path(where, entry, node->key);
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("monitors.far-field.NAME.images"),
                         NULL, 0));
    for (int i = 0; i < 3; i++) {
        deck_node *const plane = deck_child(node, axes[i]);
        char path[DECK_PATH_MAX];

        if (plane == NULL) continue;
        deck_path(path, where, axes[i]);
        SEDGE_TRY(deck_check(reader, plane, path,
                             deck_section_find("monitors.far-field.NAME.images.AXIS"), NULL, 0));
        out->images[out->image_count++] =
            (sedge_deck_image){i, deck_real(reader, deck_child(plane, "at"), SEDGE_LENGTH),
                               strcmp(deck_child(plane, "type")->text, "pmc") == 0,
                               deck_boolean(deck_child(plane, "ground"))};
    }
    return SEDGE_OK;
}

static sedge_status read_far_field(const deck_reader *reader, const sedge_deck *deck,
                                   deck_node *node, sedge_deck_far_field *out)
{
    char where[DECK_PATH_MAX];

    deck_path(where, "monitors.far-field", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, true));
    deck_copy_name(out->name, node->key);
    out->line = node->line;
    SEDGE_TRY(
        deck_check(reader, node, where, deck_section_find("monitors.far-field.NAME"), NULL, 0));
    if (!reader->equation->poynting) {
        return deck_fail(reader->path, node, "%s: the equation '%s' has no far field", where,
                         reader->equation->name);
    }
    SEDGE_TRY(deck_read_surface(reader, node, where, &out->surface));
    deck_vector(out->centre, reader, deck_child(node, "centre"), SEDGE_LENGTH);
    SEDGE_TRY(read_angles(reader, deck_child(node, "theta"), where, "monitors.far-field.NAME.theta",
                          &out->theta));
    SEDGE_TRY(read_angles(reader, deck_child(node, "phi"), where, "monitors.far-field.NAME.phi",
                          &out->phi));
    SEDGE_TRY(read_images(reader, deck_child(node, "images"), where, out));
    const deck_node *const input = deck_child(node, "input");
    if (input != NULL) {
        deck_copy_name(out->input.name, input->text);
        out->input.away = out->surface.away;
        memcpy(out->input.away_from, out->surface.away_from, sizeof out->input.away_from);
    }
    out->time = deck_boolean(deck_child(node, "time"));
    out->ffd = deck_boolean(deck_child(node, "ffd"));
    SEDGE_TRY(deck_read_frequencies(reader, deck, node, where, &out->frequencies));
    if (out->frequencies.count > 0) return SEDGE_OK;
    return deck_fail(reader->path, node,
                     "%s needs 'frequencies', of its own or in monitors.frequencies", where);
}

sedge_status deck_read_far_fields(const deck_reader *reader, sedge_deck *deck,
                                  const deck_node *monitors)
{
    const deck_node *const entries = deck_child(monitors, "far-field");

    SEDGE_TRY(sedge_allocate(&deck->far_fields, entries->count, sizeof *deck->far_fields));
    for (deck_node *node = entries->first; node != NULL; node = node->next)
        SEDGE_TRY(read_far_field(reader, deck, node, &deck->far_fields[deck->far_field_count++]));
    return SEDGE_OK;
}

// ---- exact --------------------------------------------------------------------------------------

static sedge_status check_compared(const deck_reader *reader, const deck_node *node,
                                   const sedge_deck *deck, bool slab)
{
    bool compared = (deck->far_field_count > 0 || deck->absorption_count > 0) && !slab;

    for (int i = 0; i < deck->spectrum_count; i++) {
        const sedge_deck_spectrum *const spectrum = &deck->spectra[i];
        compared =
            compared || (spectrum->place == SEDGE_SPECTRUM_POINTS && spectrum->normalise != 0);
    }
    if (compared) return SEDGE_OK;
    return deck_fail(reader->path, node,
                     "exact: %snormalised spectra at points are compared with it, "
                     "and the deck has none; add %smonitors.spectra with points, or set exact to "
                     "{}",
                     slab ? "" : "far fields, absorption and ",
                     slab ? "" : "monitors.far-field, monitors.absorption or ");
}

static sedge_status read_sphere(const deck_reader *reader, deck_node *node,
                                sedge_deck_sphere *sphere)
{
    const deck_node *const material = deck_child(node, "material");
    deck_node *const coating = deck_child(node, "coating");

    sphere->line = node->line;
    sphere->layers = 1;
    sphere->radius[0] = deck_real(reader, deck_child(node, "radius"), SEDGE_LENGTH);
    deck_vector(sphere->centre, reader, deck_child(node, "centre"), SEDGE_LENGTH);
    if (material != NULL) deck_copy_name(sphere->material[0], material->text);
    if (coating == NULL) return SEDGE_OK;
    SEDGE_TRY(
        deck_check(reader, coating, "exact.coating", deck_section_find("exact.coating"), NULL, 0));
    const deck_node *const radius = deck_child(coating, "radius");
    sphere->layers = 2;
    sphere->radius[1] = deck_real(reader, radius, SEDGE_LENGTH);
    deck_copy_name(sphere->material[1], deck_child(coating, "material")->text);
    if (sphere->radius[1] > sphere->radius[0]) return SEDGE_OK;
    return deck_fail(reader->path, radius, "exact.coating.radius %s must be above exact.radius %s",
                     radius->text, deck_child(node, "radius")->text);
}

static sedge_status read_slab(const deck_reader *reader, deck_node *node, sedge_deck_slab *slab)
{
    const deck_node *const list = deck_child(node, "layers");

    slab->line = node->line;
    slab->at = deck_real(reader, deck_child(node, "at"), SEDGE_LENGTH);
    if (list->count < 1 || list->count > SEDGE_DECK_SLAB_LAYERS) {
        return deck_fail(reader->path, list,
                         "exact.layers has %d entries; from 1 to %d are allowed", list->count,
                         SEDGE_DECK_SLAB_LAYERS);
    }
    for (deck_node *layer = list->first; layer != NULL; layer = layer->next) {
        char where[DECK_PATH_MAX];
        char number[16];

        (void)snprintf(number, sizeof number, "%d", slab->layers);
        deck_path(where, "exact.layers", number);
        SEDGE_TRY(deck_check(reader, layer, where, deck_section_find("exact.layers"), NULL, 0));
        slab->thickness[slab->layers] =
            deck_real(reader, deck_child(layer, "thickness"), SEDGE_LENGTH);
        deck_copy_name(slab->material[slab->layers++], deck_child(layer, "material")->text);
    }
    return SEDGE_OK;
}

sedge_status deck_read_exact(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "exact");

    if (node == NULL || node->count == 0) return SEDGE_OK;
    const deck_node *const type = deck_child(node, "type");
    const bool slab = type != NULL && type->text != NULL && strcmp(type->text, "slab") == 0;
    SEDGE_TRY(deck_check(reader, node, "exact",
                         deck_section_find(slab ? "exact (type: slab)" : "exact"), NULL, 0));
    if (!reader->equation->poynting) {
        return deck_fail(reader->path, node, "exact: the equation '%s' has no plane waves",
                         reader->equation->name);
    }
    SEDGE_TRY(check_compared(reader, node, deck, slab));
    return slab ? read_slab(reader, node, &deck->slab) : read_sphere(reader, node, &deck->exact);
}
