// Is an equation's table whole? What is required is named where it is missing.
#include "equation.h"

#include "dg/term_kind.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// An entry that must be there, or must hold.
typedef struct requirement {
    bool met;
    const char *entry;
    const char *reason; // what is required
} requirement;

// `place`: where the entries lie in the table; "" for the table itself.
static sedge_status require(const sedge_equation *equation, const char *place,
                            const requirement *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].met) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the table of the equation '%s': %s%s: %s (dg/equation.h)",
                          equation->name, place, rows[i].entry, rows[i].reason);
    }
    return SEDGE_OK;
}

#define REQUIRE(equation, place, rows) \
    SEDGE_TRY(require(equation, place, rows, sizeof(rows) / sizeof *(rows)))

static const char missing[] = "it is required and missing";

static bool is_text(const char *text)
{
    return text != NULL && text[0] != '\0';
}

// Is names[index] an earlier name, too?
static bool is_taken(const char *const *names, int index)
{
    for (int i = 0; i < index && is_text(names[index]); i++)
        if (strcmp(names[i], names[index]) == 0) return true;
    return false;
}

// A list of at most `limit` rows; none is fine.
static sedge_status check_list(const sedge_equation *equation, const char *list, const void *rows,
                               int count, int limit)
{
    char reason[96];

    (void)snprintf(reason, sizeof reason, "its count %d is outside 0..%d", count, limit);
    const requirement required[] = {
        {count >= 0 && count <= limit, list, reason},
        {count <= 0 || rows != NULL, list, "its count is not 0, but the list is missing"},
    };
    REQUIRE(equation, "", required);
    return SEDGE_OK;
}

// Has an earlier parameter the name of parameters[index], too?
static bool is_key_taken(const sedge_parameter *parameters, int index)
{
    for (int i = 0; i < index && is_text(parameters[index].name); i++)
        if (strcmp(parameters[i].name, parameters[index].name) == 0) return true;
    return false;
}

// Keys of the deck whose numbers lie in an array of `limit`.
static sedge_status check_parameters(const sedge_equation *equation, const char *list,
                                     const sedge_parameter *parameters, int count, int limit)
{
    char place[96];
    char reason[96];

    SEDGE_TRY(check_list(equation, list, parameters, count, limit));
    for (int i = 0; i < count; i++) {
        const sedge_parameter *const p = &parameters[i];
        const requirement required[] = {
            {is_text(p->name), "name", missing},
            {is_text(p->text), "text", missing},
            {!is_key_taken(parameters, i), "name", "another parameter has it already"},
            {p->type >= SEDGE_PARAMETER_REAL && p->type <= SEDGE_PARAMETER_SURFACE, "type",
             "it is not one of the types of parameters"},
            {p->dimension >= SEDGE_DIMENSIONLESS && p->dimension < SEDGE_DIMENSIONS, "dimension",
             "it is not one of the dimensions"},
        };
        (void)snprintf(place, sizeof place, "%s[%d].", list, i);
        REQUIRE(equation, place, required);
    }
    const int size = sedge_parameters_size(parameters, count);
    (void)snprintf(reason, sizeof reason, "it takes %d numbers, more than %d", size, limit);
    const requirement required[] = {{size <= limit, list, reason}};
    REQUIRE(equation, "", required);
    return SEDGE_OK;
}

// ---- kinds in files of their own ----------------------------------------------------------------

// Such a kind names its equation; without that no equation has it.
static sedge_status check_file(const sedge_equation *equation, const char *part, const char *name,
                               const char *of)
{
    char place[128];
    const requirement required[] = {{is_text(of), "equation", missing}};

    (void)snprintf(place, sizeof place, "kind of %s '%.64s' in a file of its own: ", part,
                   name != NULL ? name : "");
    REQUIRE(equation, place, required);
    return SEDGE_OK;
}

static sedge_status check_files(const sedge_equation *equation)
{
    for (int i = 0; sedge_term_kinds[i] != NULL; i++) {
        SEDGE_TRY(
            check_file(equation, "term", sedge_term_kinds[i]->name, sedge_term_kinds[i]->equation));
    }
    for (int i = 0; sedge_face_kinds[i] != NULL; i++) {
        SEDGE_TRY(check_file(equation, "face", sedge_face_kinds[i]->kind.name,
                             sedge_face_kinds[i]->equation));
    }
    for (int i = 0; sedge_source_kinds[i] != NULL; i++) {
        SEDGE_TRY(check_file(equation, "source", sedge_source_kinds[i]->name,
                             sedge_source_kinds[i]->equation));
    }
    return SEDGE_OK;
}

// ---- kinds -------------------------------------------------------------------------------------

// A perfectly matched layer needs a term for sides, one for edges, one for corners and one for
// radial layers, and another three for lossless media in layers along axes.
static bool has_layers(const sedge_equation *equation)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, true);
    int found[2][1 + SEDGE_LAYER_KINDS] = {{0}};
    bool all = true;

    for (int i = 0; i < count && i < SEDGE_MAX_KINDS; i++) {
        if (kinds[i]->layer >= 0 && kinds[i]->layer <= SEDGE_LAYER_KINDS)
            found[kinds[i]->lossless][kinds[i]->layer]++;
    }
    for (int k = 1; k <= SEDGE_LAYER_KINDS; k++)
        all = all && found[0][k] == 1 && found[1][k] == (k < SEDGE_LAYER_KINDS);
    return all;
}

static int count_functions(const sedge_boundary_kind *kind)
{
    return (kind->apply != NULL) + (kind->apply_two_sided != NULL) + (kind->apply_memory != NULL) +
           (kind->apply_two_sided_memory != NULL);
}

static sedge_status check_boundaries(const sedge_equation *equation)
{
    const bool elliptic = equation->elliptic != NULL;
    const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS];
    const char *names[SEDGE_MAX_KINDS];
    char place[64];

    SEDGE_TRY(check_list(equation, "boundaries", equation->boundaries, equation->boundary_count,
                         SEDGE_MAX_KINDS));
    const int count = sedge_boundary_kinds(kinds, equation);
    if (count > SEDGE_MAX_KINDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "equation '%s' has %d kinds of boundaries; at most %d",
                          equation->name, count, SEDGE_MAX_KINDS);
    }
    for (int i = 0; i < count; i++) {
        const sedge_boundary_kind *const kind = kinds[i];
        names[i] = kind->name;
        const requirement required[] = {
            {is_text(kind->name), "name", missing},
            {is_text(kind->text), "text", missing},
            {!is_taken(names, i), "name", "another kind of boundary has it already"},
            {elliptic || is_text(kind->function), "function", missing},
            {elliptic || count_functions(kind) > 0, "apply", missing},
            {count_functions(kind) <= 1, sedge_is_two_sided(kind) ? "apply_two_sided" : "apply",
             "is there together with another function of this kind; a kind has one of them"},
            {!elliptic || !sedge_is_two_sided(kind), "apply_two_sided",
             "is for an equation with time"},
            {!kind->whole_vectors || (kind->linear && kind->apply != NULL), "whole_vectors",
             "it is for one-sided linear kinds"},
            {(kind->memory > 0) ==
                 (kind->apply_memory != NULL || kind->apply_two_sided_memory != NULL),
             "memory", "goes with apply_memory or apply_two_sided_memory, and only with them"},
            {kind->memory >= 0 && kind->memory <= SEDGE_MAX_FACE_MEMORY, "memory",
             "must be 0 to 48"},
            {kind->memory == 0 || kind->rate != NULL, "rate", missing},
            {kind->memory > 0 || kind->energy == NULL, "energy", "is for a kind with memory"},
            {kind->memory == 0 || !kind->linear, "linear", "is not for a kind with memory"},
            {kind->feed == NULL || kind->apply_two_sided != NULL, "feed",
             "is for a two-sided kind"},
            {kind->loss == NULL || !sedge_is_two_sided(kind), "loss", "is for a one-sided kind"},
            {kind->loss_two_sided == NULL || sedge_is_two_sided(kind), "loss_two_sided",
             "is for a two-sided kind"},
            {kind->find_field == NULL || kind->fit != NULL, "find_field", "goes with fit"},
            {(kind->find_field != NULL) == (kind->drive != NULL), "drive", "goes with find_field"},
            {kind->header == NULL || is_text(kind->header_text), "header_text", missing},
            {kind->driven == 0 ||
                 (kind->driven >= sedge_parameters_size(kind->parameters, kind->parameter_count) &&
                  kind->driven + SEDGE_SIGNAL_VALUES <= SEDGE_MAX_VALUES),
             "driven", "the signal lies behind the kind's parameters, within 36 numbers"},
            {kind->incident == NULL || kind->driven > 0, "incident", "goes with driven"},
            {kind->outside == NULL ||
                 (sedge_is_two_sided(kind) && !sedge_is_two_sided(kind->outside) &&
                  kind->outside->driven == kind->driven),
             "outside", "it is a one-sided kind beside a two-sided one, alike but for that"},
            {!kind->layers || has_layers(equation), "layers",
             "the equation lacks terms of layers along one, two and three axes, with and without "
             "loss"},
            {!kind->layers || sedge_parameters_size(kind->parameters, kind->parameter_count) == 4,
             "layers", "its parameters are layers, thickness, reflection and frequency"},
        };
        (void)snprintf(place, sizeof place, "boundaries[%d].", i);
        REQUIRE(equation, place, required);
        (void)snprintf(place, sizeof place, "boundaries[%d].parameters", i);
        SEDGE_TRY(check_parameters(equation, place, kind->parameters, kind->parameter_count,
                                   SEDGE_MAX_VALUES - (kind->feed != NULL)));
    }
    return SEDGE_OK;
}

static sedge_status check_initials(const sedge_equation *equation)
{
    const requirement some[] = {
        {equation->initial_count > 0, "initials", "one kind at least is required"}};
    const char *names[SEDGE_MAX_KINDS];
    char place[64];

    SEDGE_TRY(check_list(equation, "initials", equation->initials, equation->initial_count,
                         SEDGE_MAX_KINDS));
    REQUIRE(equation, "", some);
    for (int i = 0; i < equation->initial_count; i++) {
        const sedge_initial_kind *const kind = &equation->initials[i];
        names[i] = kind->name;
        const requirement required[] = {
            {is_text(kind->name), "name", missing},
            {is_text(kind->text), "text", missing},
            {!is_taken(names, i), "name", "another kind of initial fields has it already"},
            {kind->apply != NULL, "apply", missing},
        };
        (void)snprintf(place, sizeof place, "initials[%d].", i);
        REQUIRE(equation, place, required);
        (void)snprintf(place, sizeof place, "initials[%d].parameters", i);
        SEDGE_TRY(check_parameters(equation, place, kind->parameters, kind->parameter_count,
                                   SEDGE_MAX_VALUES));
    }
    return SEDGE_OK;
}

// Does the list begin with parameters of these types?
static bool begins(const sedge_source_kind *kind, int count, const sedge_parameter_type *types)
{
    for (int i = 0; i < count; i++)
        if (i >= kind->parameter_count || kind->parameters[i].type != types[i]) return false;
    return true;
}

static sedge_status check_source_type(const sedge_equation *equation, const char *place,
                                      const sedge_source_kind *kind, bool listed)
{
    static const sedge_parameter_type point[] = {SEDGE_PARAMETER_VECTOR, SEDGE_PARAMETER_SIGNAL};
    static const sedge_parameter_type ball[] = {SEDGE_PARAMETER_VECTOR, SEDGE_PARAMETER_REAL,
                                                SEDGE_PARAMETER_REAL};
    static const sedge_parameter_type surface[] = {SEDGE_PARAMETER_SURFACE, SEDGE_PARAMETER_SIGNAL};
    const bool is_point = kind->type == SEDGE_SOURCE_POINT;
    const bool is_incident = kind->type == SEDGE_SOURCE_INCIDENT;
    const bool is_ball = kind->type == SEDGE_SOURCE_BALL;
    const bool is_surface = kind->type == SEDGE_SOURCE_SURFACE;
    const requirement required[] = {
        {is_point || is_incident || is_ball || is_surface, "type",
         "it is not one of the types of sources"},
        {is_ball == (equation->elliptic != NULL), "type",
         "a ball, and nothing else, is a source of an equation without time"},
        {!is_point || kind->point != NULL, "point",
         "a point source requires it, and it is missing"},
        {!is_point || begins(kind, 2, point), "parameters",
         "those of a point source must begin with a vector (position) and a signal"},
        {!is_ball || begins(kind, 3, ball), "parameters",
         "those of a ball must begin with a vector (position) and two numbers (amount, radius)"},
        {!is_surface || (kind->parameter_count == 2 && begins(kind, 2, surface)), "parameters",
         "those of a surface's source are a surface and a signal"},
        {!is_incident || listed, "type",
         "an incident source stands in the equation's table, not in a file of its own"},
        {!is_incident || equation->constants != NULL, "type",
         "an incident source acts through the equation's `constants`, which is missing"},
    };

    REQUIRE(equation, place, required);
    return SEDGE_OK;
}

static sedge_status check_sources(const sedge_equation *equation)
{
    const sedge_source_kind *kinds[SEDGE_MAX_KINDS];
    const char *names[SEDGE_MAX_KINDS];
    char place[64];

    SEDGE_TRY(check_list(equation, "sources", equation->sources, equation->source_count,
                         SEDGE_MAX_KINDS));
    const int count = sedge_source_kinds_of(kinds, equation);
    if (count > SEDGE_MAX_KINDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "equation '%s' has %d kinds of sources; at most %d",
                          equation->name, count, SEDGE_MAX_KINDS);
    }
    for (int i = 0; i < count; i++) {
        const sedge_source_kind *const kind = kinds[i];
        names[i] = kind->name;
        const requirement required[] = {
            {is_text(kind->name), "name", missing},
            {is_text(kind->text), "text", missing},
            {!is_taken(names, i), "name", "another kind of source has it already"},
        };
        (void)snprintf(place, sizeof place, "sources[%d].", i);
        REQUIRE(equation, place, required);
        (void)snprintf(place, sizeof place, "sources[%d].parameters", i);
        SEDGE_TRY(check_parameters(equation, place, kind->parameters, kind->parameter_count,
                                   SEDGE_MAX_VALUES));
        (void)snprintf(place, sizeof place, "sources[%d].", i);
        SEDGE_TRY(check_source_type(equation, place, kind, i < equation->source_count));
    }
    return SEDGE_OK;
}

static bool is_material(const sedge_equation *equation, const char *name)
{
    for (int i = 0; i < equation->material_count; i++)
        if (strcmp(equation->materials[i].name, name) == 0) return true;
    return false;
}

// A term's name is a key of decks, and its memory is a block of the state (dg/state_blocks.h),
// which has a group of this name in checkpoints, beside the fields.
static bool can_name_block(const char *name)
{
    const size_t length = strlen(name);

    return length < SEDGE_TERM_NAME && strcmp(name, "fields") != 0 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static bool is_tensor(const sedge_equation *equation, const sedge_term_kind *kind)
{
    bool known = false;

    for (int i = 0; i < equation->material_count; i++) {
        const sedge_parameter *const key = &equation->materials[i];
        known |= key->tensor && strcmp(key->name, kind->tensor) == 0;
    }
    return known && kind->from_tensor != NULL &&
           sedge_parameters_size(kind->parameters, kind->parameter_count) == 6;
}

static sedge_status check_terms(const sedge_equation *equation)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, true);
    const char *names[SEDGE_MAX_KINDS];
    char place[96];
    char range[64];
    char poles_range[64];

    (void)snprintf(poles_range, sizeof poles_range, "it must be 0..%d", SEDGE_MAX_POLES);
    if (count > SEDGE_MAX_KINDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "equation '%s' has %d kinds of terms; at most %d",
                          equation->name, count, SEDGE_MAX_KINDS);
    }
    for (int i = 0; i < count; i++) {
        const sedge_term_kind *const kind = kinds[i];
        names[i] = kind->name;
        const requirement named[] = {{is_text(kind->name), "name", missing}};
        (void)snprintf(place, sizeof place, "term kind %d: ", i);
        REQUIRE(equation, place, named);
        const bool matrix = kind->multiply != NULL;
        (void)snprintf(range, sizeof range, "%d is outside 0..%d", kind->memory, SEDGE_MAX_MEMORY);
        const requirement required[] = {
            {is_text(kind->text), "text", missing},
            {equation->elliptic == NULL, "equation", "a term is for an equation with time"},
            {kind->poles >= 0 && kind->poles <= SEDGE_MAX_POLES, "poles", poles_range},
            {kind->memory >= 0 && kind->memory <= SEDGE_MAX_MEMORY, "memory", range},
            {kind->drive == NULL || kind->poles == 0, "poles", "a term with 'drive' has none"},
            {matrix != is_text(kind->function), "function", missing},
            {is_text(kind->header), "header", missing},
            {is_text(kind->header_text), "header_text", missing},
            {matrix != (kind->local != NULL), "local", missing},
            {matrix != (kind->rate != NULL), "rate", missing},
            {kind->energy == NULL || !(matrix || kind->layer > 0), "energy",
             "a term that multiplies and one of layers have none"},
            {kind->field_triple == 0 ||
                 (kind->linear && kind->memory > 0 && kind->memory % 3 == 0 &&
                  kind->field_triple > 0 && kind->field_triple + 2 <= equation->fields),
             "field_triple", "a linear term with memory of three fields alike has it"},
            {kind->oscillation == NULL || kind->rate != NULL, "oscillation",
             "a term with oscillations has a rate"},
            {matrix == (kind->multiply_local != NULL), "multiply",
             "multiply and multiply_local come together"},
            {!matrix || (kind->memory == 0 && kind->poles == 0 && kind->linear), "multiply",
             "such a term is linear and has neither memory nor poles"},
            {kind->tensor == NULL || is_tensor(equation, kind), "tensor",
             "it must be a material's key with 'tensor', beside from_tensor and six parameters"},
            {kind->layer >= 0 && kind->layer <= SEDGE_LAYER_KINDS, "layer", "it is outside 0..4"},
            {kind->layer < SEDGE_LAYER_KINDS ||
                 (kind->memory >= SEDGE_LAYER_FRAME && kind->poles == 0),
             "memory", "that of a radial layer ends with its frame"},
            {kind->layer == 0 ||
                 sedge_parameters_size(kind->parameters, kind->parameter_count) == 5,
             "parameters", "those of a layer are five numbers"},
            {(kind->drive != NULL) == (kind->drive_local != NULL), "drive",
             "drive and drive_local come together"},
            {!is_material(equation, kind->name) && !is_taken(names, i), "name",
             "a key of materials or another term has it already"},
            {can_name_block(kind->name), "name",
             "it must have 1 to 63 characters a-z, 0-9, _ or -, and differ from 'fields'"},
        };
        (void)snprintf(place, sizeof place, "term '%.64s': ", kind->name);
        REQUIRE(equation, place, required);
        (void)snprintf(place, sizeof place, "term '%.64s': parameters", kind->name);
        SEDGE_TRY(check_parameters(equation, place, kind->parameters, kind->parameter_count,
                                   SEDGE_MAX_VALUES));
        for (int k = 0; k < kind->parameter_count; k++) {
            const requirement number[] = {{kind->parameters[k].type != SEDGE_PARAMETER_SIGNAL, "",
                                           "a signal is no parameter of a term"}};
            REQUIRE(equation, place, number);
        }
    }
    return SEDGE_OK;
}

// ---- the table ---------------------------------------------------------------------------------

static sedge_status check_fields(const sedge_equation *equation)
{
    char place[64];
    char range[64];

    (void)snprintf(range, sizeof range, "%d is outside 1..%d", equation->fields, SEDGE_MAX_FIELDS);
    const requirement required[] = {
        {is_text(equation->text), "text", missing},
        {is_text(equation->header), "header", missing},
        {is_text(equation->header_text), "header_text", missing},
        {equation->fields >= 1 && equation->fields <= SEDGE_MAX_FIELDS, "fields", range},
        {!equation->curls || equation->fields % 3 == 0, "curls",
         "it is set, but the fields are not vectors of three"},
        {equation->field_names != NULL, "field_names", missing},
        {equation->group_count > 0, "groups", "one group at least is required"},
    };
    REQUIRE(equation, "", required);
    for (int i = 0; i < equation->fields; i++) {
        const requirement named[] = {{is_text(equation->field_names[i]), "", missing}};
        (void)snprintf(place, sizeof place, "field_names[%d]", i);
        REQUIRE(equation, place, named);
    }
    SEDGE_TRY(
        check_list(equation, "groups", equation->groups, equation->group_count, SEDGE_MAX_FIELDS));
    for (int i = 0; i < equation->group_count; i++) {
        const sedge_output_group *const group = &equation->groups[i];
        const requirement whole[] = {
            {is_text(group->name), "name", missing},
            {group->count == 1 || group->count == 3, "count", "it must be 1 or 3"},
            {group->first >= 0 && group->first <= equation->fields - group->count, "first",
             "the group's fields are not all fields of the equation"},
            {isfinite(group->si) && group->si > 0.0, "si", "it must be greater than 0"},
        };
        (void)snprintf(place, sizeof place, "groups[%d].", i);
        REQUIRE(equation, place, whole);
    }
    const requirement vectors[] = {
        {!equation->poynting || (equation->group_count > 1 && equation->groups[0].count == 3 &&
                                 equation->groups[1].count == 3),
         "poynting", "the first two groups must be vectors"},
    };
    REQUIRE(equation, "", vectors);
    return SEDGE_OK;
}

static sedge_status check_numbers(const sedge_equation *equation)
{
    const int values = equation->material_values;
    const int constants = equation->constant_count;
    char ranges[2][64];

    (void)snprintf(ranges[0], sizeof ranges[0], "%d is outside 0..%d", values, SEDGE_MAX_MATERIALS);
    (void)snprintf(ranges[1], sizeof ranges[1], "%d is outside 0..%d", constants, SEDGE_MAX_VALUES);
    const requirement required[] = {
        {values >= 0 && values <= SEDGE_MAX_MATERIALS, "material_values", ranges[0]},
        {equation->derive != NULL || (values == 0 && equation->material_count == 0), "derive",
         "it is missing, though there are material values or keys"},
        {constants >= 0 && constants <= SEDGE_MAX_VALUES, "constant_count", ranges[1]},
        {equation->incident_constants >= 0 && equation->incident_constants <= constants,
         "incident_constants", "there must be 0 to constant_count of them"},
        {equation->constants != NULL || (constants == 0 && equation->flux_key_count == 0),
         "constants", "it is missing, though there are constants or keys of flux"},
    };

    SEDGE_TRY(check_parameters(equation, "materials", equation->materials, equation->material_count,
                               SEDGE_MAX_MATERIALS));
    SEDGE_TRY(check_parameters(equation, "flux_keys", equation->flux_keys, equation->flux_key_count,
                               SEDGE_MAX_VALUES));
    REQUIRE(equation, "", required);
    for (int i = 0; i < SEDGE_DIMENSIONS && equation->si != NULL; i++) {
        const requirement unit[] = {
            {isfinite(equation->si[i]) && equation->si[i] > 0.0, "si",
             "each of its factors must be greater than 0"},
            {isfinite(equation->energy_si) && equation->energy_si > 0.0, "energy_si",
             "with `si` it is required, and must be greater than 0"},
        };
        REQUIRE(equation, "", unit);
    }
    return SEDGE_OK;
}

static sedge_status check_functions(const sedge_equation *equation)
{
    const sedge_elliptic_equation *const elliptic = equation->elliptic;

    if (elliptic != NULL) {
        const requirement required[] = {
            {elliptic->coefficient != NULL, "coefficient", missing},
            {elliptic->source != NULL, "source", missing},
            {elliptic->condition != NULL, "condition", missing},
        };
        const requirement fields[] = {
            {equation->fields == 4, "fields", "an equation without time has 4"}};
        REQUIRE(equation, "elliptic->", required);
        REQUIRE(equation, "", fields);
        return SEDGE_OK;
    }
    const requirement required[] = {
        {equation->flux != NULL, "flux", missing},
        {equation->surface != NULL, "surface", missing},
        {equation->speed != NULL, "speed", missing},
        {equation->energy != NULL, "energy", missing},
    };
    REQUIRE(equation, "", required);
    return SEDGE_OK;
}

sedge_status sedge_equation_check(const sedge_equation *equation)
{
    if (!is_text(equation->name)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the table of an equation: name: %s (dg/equation.h)",
                          missing);
    }
    SEDGE_TRY(check_fields(equation));
    SEDGE_TRY(check_numbers(equation));
    SEDGE_TRY(check_functions(equation));
    SEDGE_TRY(check_files(equation));
    SEDGE_TRY(check_boundaries(equation));
    SEDGE_TRY(check_initials(equation));
    SEDGE_TRY(check_sources(equation));
    return check_terms(equation);
}
