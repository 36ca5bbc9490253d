#include "deck_sections.h"

#include "deck_layers.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// ---- kinds --------------------------------------------------------------------------------------

// The kind that `type` of `map` names, among `count` structs of `size` bytes that begin with their
// name, or `more` (may be NULL), which has the number `count`.
static sedge_status find_kind(int *index, const deck_reader *reader, const deck_node *map,
                              const char *where, const void *kinds, size_t size, int count,
                              const char *more)
{
    const char *names[SEDGE_MAX_KINDS + 1];
    char path[DECK_PATH_MAX];

    SEDGE_TRY(deck_expect(reader, map, where, DECK_MAPPING));
    for (int i = 0; i < count; i++)
        memcpy(&names[i], (const char *)kinds + (size_t)i * size, sizeof names[i]);
    names[count] = more;
    const int known = count + (more != NULL);
    const deck_node *const type = deck_child(map, "type");
    if (type == NULL) {
        char list[512] = "";
        deck_suggest(list, sizeof list, NULL, names, known);
        return deck_fail(reader->path, map, "%s needs the key 'type'%s", where, list);
    }
    deck_path(path, where, "type");
    return deck_choose(index, reader, type, path, names, known);
}

// ---- materials and boundaries -------------------------------------------------------------------

sedge_status deck_read_materials(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_equation *const equation = deck->equation;
    deck_node *const section = deck_child(deck->tree, "materials");

    SEDGE_TRY(sedge_allocate(&deck->materials, section->count, sizeof *deck->materials));
    for (deck_node *node = section->first; node != NULL; node = node->next) {
        sedge_deck_material *const material = &deck->materials[deck->material_count++];
        char where[DECK_PATH_MAX];

        deck_path(where, "materials", node->key);
        SEDGE_TRY(deck_check_name(reader, node, node->key, false));
        SEDGE_TRY(deck_expand_shorthands(reader, node, where));
        SEDGE_TRY(deck_expand_library(&material->library, reader, node, where));
        SEDGE_TRY(deck_check_material(reader, node, where));
        deck_copy_name(material->name, node->key);
        material->line = node->line;
        deck_values(material->values, reader, node, equation->materials, equation->material_count);
        if (strcmp(node->key, SEDGE_DEFAULT_GROUP) == 0) deck->mesh.default_volume = true;
    }
    SEDGE_TRY(deck_read_grids(reader, deck));
    return deck_read_terms(reader, deck);
}

static sedge_status read_periodic(const deck_reader *reader, sedge_deck *deck, deck_node *node,
                                  const char *where, sedge_deck_boundary *boundary)
{
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("boundaries.NAME (type: periodic)"),
                         NULL, 0));
    if (deck->mesh.file == NULL) {
        return deck_fail(reader->path, node,
                         "%s: a box is made periodic by mesh.box.periodic, not by a boundary",
                         where);
    }
    const deck_node *const partner = deck_child(node, "partner");
    if (strcmp(partner->text, node->key) == 0)
        return deck_fail(reader->path, partner, "%s cannot be its own partner", where);
    deck_copy_name(boundary->partner, partner->text);
    return SEDGE_OK;
}

static sedge_status read_boundary(const deck_reader *reader, sedge_deck *deck, deck_node *node,
                                  sedge_deck_boundary *boundary)
{
    const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS];
    const char *names[SEDGE_MAX_KINDS];
    const int count = sedge_boundary_kinds(kinds, deck->equation);
    char where[DECK_PATH_MAX];
    int index = 0;

    for (int i = 0; i < count; i++) names[i] = kinds[i]->name;
    deck_path(where, "boundaries", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, false));
    SEDGE_TRY(find_kind(&index, reader, node, where, names, sizeof *names, count, "periodic"));
    deck_copy_name(boundary->name, node->key);
    boundary->line = node->line;
    if (index == count) return read_periodic(reader, deck, node, where, boundary);
    boundary->kind = kinds[index];
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("boundaries.NAME"),
                         boundary->kind->parameters, boundary->kind->parameter_count));
    deck_values(boundary->parameters, reader, node, boundary->kind->parameters,
                boundary->kind->parameter_count);
    const deck_node *const symmetry = deck_child(node, "symmetry");
    const deck_node *const surface = deck_child(node, "surface");
    if (surface != NULL && strcmp(surface->text, node->key) != 0)
        deck_copy_name(boundary->surface, surface->text);
    boundary->symmetry = symmetry != NULL && deck_boolean(symmetry);
    if (!boundary->symmetry || boundary->kind->mirror != SEDGE_MIRROR_NONE) return SEDGE_OK;
    return deck_fail(reader->path, symmetry,
                     "%s.symmetry: a surface of the type '%s' is no plane of symmetry", where,
                     boundary->kind->name);
}

const sedge_deck_boundary *sedge_deck_find_boundary(const sedge_deck *deck, const char *name)
{
    for (int i = 0; i < deck->boundary_count; i++)
        if (strcmp(deck->boundaries[i].name, name) == 0) return &deck->boundaries[i];
    return NULL;
}

// Make mesh.periodic of the periodic boundaries; each pair once, each group in one pair.
static sedge_status read_pairs(const deck_reader *reader, sedge_deck *deck)
{
    const deck_node *const section = deck_child(deck->tree, "boundaries");
    int pairs = 0;

    SEDGE_TRY(sedge_allocate(&deck->pairs, deck->boundary_count, sizeof *deck->pairs));
    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const one = &deck->boundaries[i];
        if (one->kind != NULL) continue;
        const deck_node *const node = deck_child(section, one->name);
        const sedge_deck_boundary *const other = sedge_deck_find_boundary(deck, one->partner);
        bool known = false;

        if (other != NULL && (other->kind != NULL || strcmp(other->partner, one->name) != 0)) {
            return deck_fail(reader->path, node,
                             "boundaries.%s is periodic with '%s', which has another condition on "
                             "line %d",
                             one->name, one->partner, other->line);
        }
        for (int p = 0; p < pairs && !known; p++) {
            known = strcmp(deck->pairs[p].first, one->partner) == 0 && other != NULL;
            if (!known && strcmp(deck->pairs[p].second, one->partner) == 0) {
                return deck_fail(reader->path, node, "'%s' is the partner of both '%s' and '%s'",
                                 one->partner, deck->pairs[p].first, one->name);
            }
        }
        if (!known) {
            deck->pairs[pairs++] =
                (sedge_periodic_pair){.first = one->name, .second = one->partner};
        }
    }
    deck->mesh.periodic = deck->pairs;
    deck->mesh.periodic_pairs = pairs;
    return SEDGE_OK;
}

// A surface that has a condition has it on each side that an element is on.
static sedge_status list_two_sided(const deck_reader *reader, sedge_deck *deck)
{
    int count = 0;

    SEDGE_TRY(sedge_allocate(&deck->two_sided_names, deck->boundary_count,
                             sizeof *deck->two_sided_names));
    int linked = 0;
    for (int pass = 0; pass < 2; pass++) { // linked surfaces come first
        for (int i = 0; i < deck->boundary_count; i++) {
            const sedge_boundary_kind *const kind = deck->boundaries[i].kind;
            if (kind == NULL || sedge_is_two_sided(kind) == (pass == 1) ||
                deck->boundaries[i].surface[0] != '\0')
                continue;
            deck->two_sided_names[count++] = deck->boundaries[i].name;
        }
        if (pass == 0) linked = count;
    }
    deck->mesh.two_sided_surface = deck->mesh.linked_surface = deck->two_sided_names;
    deck->mesh.two_sided_surfaces = count;
    deck->mesh.linked_surfaces = linked;
    for (int i = 0; i < deck->boundary_count; i++) { // surfaces of the mesh that must be closed
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];
        bool known = boundary->kind == NULL || boundary->kind->feed == NULL;
        for (int k = 0; k < deck->mesh.enclosures && !known; k++)
            known = strcmp(deck->enclosures[k].name, boundary->name) == 0;
        if (known) continue;
        char *const origin = deck->enclosure_origins[deck->mesh.enclosures];
        deck_origin(origin, reader->path,
                    deck_child(deck_child(deck->tree, "boundaries"), boundary->name));
        deck->enclosures[deck->mesh.enclosures++] = (sedge_mesh_enclosure){
            .name = boundary->name, .where = origin, .shape = SEDGE_ENCLOSURE_NAMED};
    }
    return SEDGE_OK;
}

// The numbers that the deck gives by names of surfaces: the names become places in `boundaries`.
static sedge_status read_weights(const deck_reader *reader, const sedge_deck *deck,
                                 const deck_node *map, const char *where, double *values)
{
    for (const deck_node *node = map->first; node != NULL; node = node->next) {
        const char *known[SEDGE_MAX_KINDS];
        char message[640];
        int found = -1, count = 0;

        for (int i = 0; i < deck->boundary_count; i++) {
            if (strcmp(deck->boundaries[i].name, node->key) == 0) found = i;
            if (count < SEDGE_MAX_KINDS) known[count++] = deck->boundaries[i].name;
        }
        if (found < 0) {
            (void)snprintf(message, sizeof message, "%.200s: '%.64s' is no entry of `boundaries`",
                           where, node->key);
            deck_suggest(message, sizeof message, node->key, known, count);
            return deck_fail(reader->path, node, "%s", message);
        }
        *values++ = found + 1;
        *values++ = deck_real(reader, node, SEDGE_DIMENSIONLESS);
    }
    return SEDGE_OK;
}

static sedge_status read_all_weights(const deck_reader *reader, sedge_deck *deck)
{
    const deck_node *const section = deck_child(deck->tree, "boundaries");

    for (int i = 0; i < deck->boundary_count; i++) {
        sedge_deck_boundary *const boundary = &deck->boundaries[i];
        const deck_node *const node = deck_child(section, boundary->name);
        double *values = boundary->parameters;

        for (int k = 0; boundary->kind != NULL && k < boundary->kind->parameter_count; k++) {
            const sedge_parameter *const p = &boundary->kind->parameters[k];
            char where[DECK_PATH_MAX], path[DECK_PATH_MAX];

            deck_path(where, "boundaries", boundary->name);
            deck_path(path, where, p->name);
            if (p->type == SEDGE_PARAMETER_WEIGHTS)
                SEDGE_TRY(read_weights(reader, deck, deck_child(node, p->name), path, values));
            values += sedge_parameter_size(p);
        }
    }
    return SEDGE_OK;
}

// Entries on the surface of another one, which must be their port's first mode.
static sedge_status check_shared(const deck_reader *reader, const sedge_deck *deck)
{
    const deck_node *const section = deck_child(deck->tree, "boundaries");

    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const one = &deck->boundaries[i];
        const deck_node *const node = deck_child(deck_child(section, one->name), "surface");
        const sedge_deck_boundary *const first = sedge_deck_find_boundary(deck, one->surface);

        if (one->surface[0] == '\0') continue;
        if (!one->kind->shares) {
            return deck_fail(reader->path, node,
                             "boundaries.%s.surface: '%s' is no type of which several can be on "
                             "one surface",
                             one->name, one->kind->name);
        }
        if (first == NULL) {
            return deck_fail(reader->path, node,
                             "boundaries.%s.surface: '%s' is no entry of `boundaries`", one->name,
                             one->surface);
        }
        if (first->surface[0] != '\0') {
            return deck_fail(reader->path, node,
                             "boundaries.%s.surface: '%s' has no surface of its own; name '%s'",
                             one->name, first->name, first->surface);
        }
        if (first->kind != NULL && first->kind->parameters == one->kind->parameters) continue;
        return deck_fail(reader->path, node,
                         "boundaries.%s.surface: '%s' is of type '%s' and '%s' of type '%s': "
                         "ports on one surface are modes of one guide or line, with one type; only "
                         "te-port and tm-port go together",
                         one->name, one->name, one->kind->name, first->name,
                         first->kind != NULL ? first->kind->name : "periodic");
    }
    return SEDGE_OK;
}

sedge_status deck_read_boundaries(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const section = deck_child(deck->tree, "boundaries");

    SEDGE_TRY(sedge_allocate(&deck->boundaries, section->count, sizeof *deck->boundaries));
    for (deck_node *node = section->first; node != NULL; node = node->next) {
        sedge_deck_boundary *const boundary = &deck->boundaries[deck->boundary_count];
        SEDGE_TRY(read_boundary(reader, deck, node, boundary));
        deck->boundary_count++;
        if (strcmp(boundary->name, SEDGE_DEFAULT_GROUP) == 0 ||
            strcmp(boundary->partner, SEDGE_DEFAULT_GROUP) == 0)
            deck->mesh.default_surface = true;
    }
    SEDGE_TRY(check_shared(reader, deck));
    SEDGE_TRY(read_all_weights(reader, deck));
    SEDGE_TRY(list_two_sided(reader, deck));
    SEDGE_TRY(deck_read_layers(reader, deck));
    return read_pairs(reader, deck);
}

// ---- initial fields and sources -----------------------------------------------------------------

sedge_status deck_read_initial(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_equation *const equation = deck->equation;
    deck_node *const node = deck_child(deck->tree, "initial");
    deck_node *made = NULL;
    int index = 0;

    for (int i = 0; i < equation->initial_count; i++) {
        if (strcmp(equation->initials[i].name, "zero") == 0 && deck_child(node, "type") == NULL)
            SEDGE_TRY(deck_tree_add(&made, node, "type", "zero"));
    }
    SEDGE_TRY(find_kind(&index, reader, node, "initial", equation->initials,
                        sizeof *equation->initials, equation->initial_count, NULL));
    deck->initial = &equation->initials[index];
    if (deck_child(node, "compare") == NULL)
        SEDGE_TRY(deck_tree_add(&made, node, "compare", deck->initial->exact ? "true" : "false"));
    SEDGE_TRY(deck_check(reader, node, "initial", deck_section_find("initial"),
                         deck->initial->parameters, deck->initial->parameter_count));
    const deck_node *const compare = deck_child(node, "compare");
    deck->compare = deck_boolean(compare);
    if (deck->compare && !deck->initial->exact) {
        return deck_fail(reader->path, compare,
                         "initial.compare: '%s' is no exact solution to compare with",
                         deck->initial->name);
    }
    deck_values(deck->initial_parameters, reader, node, deck->initial->parameters,
                deck->initial->parameter_count);
    return SEDGE_OK;
}

static bool has_feed(const sedge_deck *deck)
{
    for (int i = 0; i < deck->boundary_count; i++)
        if (deck->boundaries[i].kind != NULL && deck->boundaries[i].kind->feed != NULL) return true;
    return false;
}

// The scattered-field form has one incident field; through a surface several may enter.
static sedge_status check_incident(const deck_reader *reader, const deck_node *node,
                                   const sedge_deck *deck)
{
    const sedge_deck_source *const last = &deck->sources[deck->source_count - 1];

    int before = 0;

    if (last->kind->type != SEDGE_SOURCE_INCIDENT) return SEDGE_OK;
    for (int i = 0; i < deck->source_count - 1; i++)
        before += deck->sources[i].kind->type == SEDGE_SOURCE_INCIDENT;
    if (before == SEDGE_MAX_INCIDENTS) {
        return deck_fail(reader->path, node, "more than %d incident sources", SEDGE_MAX_INCIDENTS);
    }
    if (has_feed(deck)) return SEDGE_OK;
    for (int i = 0; i < deck->source_count - 1; i++) {
        if (deck->sources[i].kind->type == SEDGE_SOURCE_INCIDENT) {
            return deck_fail(
                reader->path, node,
                "two incident sources (%s here, %s on line %d): the scattered-field "
                "form takes one, and a surface of a type through which incident fields "
                "enter takes several",
                last->kind->name, deck->sources[i].kind->name, deck->sources[i].line);
        }
    }
    return SEDGE_OK;
}

// The surface that a source drives, and the source's number: its place in the deck's boundaries.
static sedge_status find_driven(sedge_deck *deck, const deck_reader *reader, const deck_node *node,
                                const char *where)
{
    sedge_deck_source *const source = &deck->sources[deck->source_count];
    const deck_node *const surface = deck_child(node, "surface");
    const char *known[SEDGE_MAX_KINDS];
    char message[640];
    int found = -1;
    int count = 0;

    if (source->kind->type != SEDGE_SOURCE_SURFACE) return SEDGE_OK;
    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];

        if (strcmp(boundary->name, surface->text) == 0) found = i;
        if (boundary->kind != NULL && boundary->kind->driven > 0 && count < SEDGE_MAX_KINDS)
            known[count++] = boundary->name;
    }
    const sedge_boundary_kind *const kind = found >= 0 ? deck->boundaries[found].kind : NULL;
    if (kind == NULL || kind->driven == 0) {
        (void)snprintf(message, sizeof message, "%.200s.surface: '%.64s' %s", where, surface->text,
                       found >= 0 ? "has a type in `boundaries` that no source drives"
                                  : "is no entry of `boundaries`");
        deck_suggest(message, sizeof message, NULL, known, count);
        return deck_fail(reader->path, surface, "%s", message);
    }
    if (kind->phased != (strcmp(source->kind->name, kind->name) == 0)) {
        return deck_fail(reader->path, surface,
                         "%s.surface: '%s' has the type '%s', which a source of the type '%s' does "
                         "not drive",
                         where, surface->text, kind->name, source->kind->name);
    }
    for (int i = 0; i < deck->source_count; i++) {
        if (deck->sources[i].kind->type == SEDGE_SOURCE_SURFACE &&
            deck->sources[i].parameters[0] == found) {
            return deck_fail(reader->path, surface,
                             "%s.surface: '%s' has a source already, on line %d", where,
                             surface->text, deck->sources[i].line);
        }
    }
    source->parameters[0] = found;
    return SEDGE_OK;
}

sedge_status deck_read_sources(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_equation *const equation = deck->equation;
    deck_node *const list = deck_child(deck->tree, "sources");
    const sedge_source_kind *kinds[SEDGE_MAX_KINDS];
    const char *names[SEDGE_MAX_KINDS];
    const int count = sedge_source_kinds_of(kinds, equation);

    for (int i = 0; i < count; i++) names[i] = kinds[i]->name;
    SEDGE_TRY(sedge_allocate(&deck->sources, list->count, sizeof *deck->sources));
    for (deck_node *node = list->first; node != NULL; node = node->next) {
        sedge_deck_source *const source = &deck->sources[deck->source_count];
        char where[DECK_PATH_MAX];
        char number[16];
        int index = 0;

        (void)snprintf(number, sizeof number, "%d", deck->source_count);
        deck_path(where, "sources", number);
        if (count == 0) {
            return deck_fail(reader->path, node, "the equation '%s' takes no sources",
                             equation->name);
        }
        SEDGE_TRY(find_kind(&index, reader, node, where, names, sizeof *names, count, NULL));
        source->kind = kinds[index];
        source->line = node->line;
        SEDGE_TRY(deck_check(reader, node, where, deck_section_find("sources"),
                             source->kind->parameters, source->kind->parameter_count));
        deck_values(source->parameters, reader, node, source->kind->parameters,
                    source->kind->parameter_count);
        SEDGE_TRY(find_driven(deck, reader, node, where));
        deck->source_count++;
        SEDGE_TRY(check_incident(reader, node, deck));
    }
    return SEDGE_OK;
}

// ---- monitors -----------------------------------------------------------------------------------

sedge_status deck_read_points(const deck_reader *reader, const deck_node *points, const char *path,
                              sedge_deck_probe **out, int *count)
{
    static const deck_key point = {.type = DECK_VECTOR, .dimension = SEDGE_LENGTH};

    SEDGE_TRY(sedge_allocate(out, points->count, sizeof **out));
    for (deck_node *node = points->first; node != NULL; node = node->next) {
        sedge_deck_probe *const probe = &(*out)[(*count)++];
        char where[DECK_PATH_MAX];

        deck_path(where, path, node->key);
        SEDGE_TRY(deck_check_name(reader, node, node->key, true));
        SEDGE_TRY(deck_check_value(reader, node, where, &point));
        deck_copy_name(probe->name, node->key);
        probe->line = node->line;
        deck_vector(probe->position, reader, node, SEDGE_LENGTH);
    }
    return SEDGE_OK;
}

sedge_status deck_read_plane(const deck_reader *reader, deck_node *node, const char *where,
                             const char *section, const char *name, sedge_deck_slice *slice)
{
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find(section), NULL, 0));
    deck_copy_name(slice->name, name);
    slice->line = node->line;
    slice->axis = deck_child(node, "normal")->text[0] - 'x';
    slice->position = deck_real(reader, deck_child(node, "at"), SEDGE_LENGTH);
    slice->resolution = (int)deck_integer(deck_child(node, "resolution"));
    return SEDGE_OK;
}

static sedge_status read_probes(const deck_reader *reader, sedge_deck *deck, deck_node *section)
{
    SEDGE_TRY(deck_check(reader, section, "monitors.probes", deck_section_find("monitors.probes"),
                         NULL, 0));
    deck->probe_every = (int)deck_integer(deck_child(section, "every"));
    return deck_read_points(reader, deck_child(section, "points"), "monitors.probes.points",
                            &deck->probes, &deck->probe_count);
}

static sedge_status read_slices(const deck_reader *reader, sedge_deck *deck, deck_node *section)
{
    SEDGE_TRY(sedge_allocate(&deck->slices, section->count, sizeof *deck->slices));
    for (deck_node *node = section->first; node != NULL; node = node->next) {
        char where[DECK_PATH_MAX];

        deck_path(where, "monitors.slices", node->key);
        SEDGE_TRY(deck_check_name(reader, node, node->key, true));
        SEDGE_TRY(deck_read_plane(reader, node, where, "monitors.slices.NAME", node->key,
                                  &deck->slices[deck->slice_count++]));
    }
    return SEDGE_OK;
}

static int count_kinds(void)
{
    int kinds = 0;

    while (sedge_monitor_kinds[kinds] != NULL) kinds++;
    return kinds;
}

// The keys of `monitors`: those of the schema, and a section for each kind with parameters.
static sedge_status check_monitors(const deck_reader *reader, deck_node *node)
{
    deck_section section = *deck_section_find("monitors");
    const int kinds = count_kinds();
    deck_key *keys = NULL;

    SEDGE_TRY(sedge_allocate(&keys, section.count + kinds, sizeof *keys));
    memcpy(keys, section.keys, (size_t)section.count * sizeof *keys);
    for (int k = 0; k < kinds; k++) {
        if (sedge_monitor_kinds[k]->requested != NULL) continue; // its keys are the schema's
        keys[section.count++] = (deck_key){.name = sedge_monitor_kinds[k]->name,
                                           .type = DECK_SECTION,
                                           .text = sedge_monitor_kinds[k]->text};
    }
    section.keys = keys;
    const sedge_status status = deck_check(reader, node, "monitors", &section, NULL, 0);
    sedge_release(keys);
    return status;
}

// The monitors of the kinds that the deck has a section of.
static sedge_status read_kinds(const deck_reader *reader, sedge_deck *deck, const deck_node *node)
{
    static const deck_section none = {.path = "monitors.NAME"};

    SEDGE_TRY(sedge_allocate(&deck->monitors, count_kinds(), sizeof *deck->monitors));
    for (int k = 0; sedge_monitor_kinds[k] != NULL; k++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[k];
        deck_node *const section = deck_child(node, kind->name);
        char where[DECK_PATH_MAX];

        if (section == NULL || kind->requested != NULL) continue;
        deck_path(where, "monitors", kind->name);
        SEDGE_TRY(
            deck_check(reader, section, where, &none, kind->parameters, kind->parameter_count));
        sedge_deck_monitor *const monitor = &deck->monitors[deck->monitor_count++];
        monitor->kind = kind;
        deck_values(monitor->parameters, reader, section, kind->parameters, kind->parameter_count);
    }
    return SEDGE_OK;
}

sedge_status deck_read_monitors(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "monitors");

    SEDGE_TRY(check_monitors(reader, node));
    deck_node *const energy = deck_child(node, "energy");
    SEDGE_TRY(deck_check(reader, energy, "monitors.energy", deck_section_find("monitors.energy"),
                         NULL, 0));
    deck->energy_every = (int)deck_integer(deck_child(energy, "every"));
    SEDGE_TRY(read_probes(reader, deck, deck_child(node, "probes")));
    SEDGE_TRY(read_slices(reader, deck, deck_child(node, "slices")));
    SEDGE_TRY(deck_read_spectra(reader, deck, node));
    SEDGE_TRY(deck_read_far_fields(reader, deck, node));
    return read_kinds(reader, deck, node);
}
