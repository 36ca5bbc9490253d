// The key tables of input/keys.md, printed from the schema and the equations' own tables.
#include "deck.h"

#include "deck_schema.h"
#include "deck_tree.h"

#include <stdio.h>

static const char table_head[] = "| key | type | default | range | SI unit | meaning |\n"
                                 "| --- | --- | --- | --- | --- | --- |\n";

// Text in a table's cell.
static sedge_status add_cell(sedge_text *out, const char *text)
{
    SEDGE_TRY(sedge_text_add(out, " "));
    for (const char *c = text; *c != '\0'; c++)
        SEDGE_TRY(sedge_text_add(out, *c == '|' ? "\\%c" : "%c", *c));
    return sedge_text_add(out, " |");
}

static const char *type_text(const deck_key *key)
{
    static const char *const texts[] = {
        [DECK_TEXT] = "text",
        [DECK_NAME] = "name",
        [DECK_CHOICE] = "",
        [DECK_BOOLEAN] = "true, false",
        [DECK_INTEGER] = "whole number",
        [DECK_REAL] = "number",
        [DECK_DURATION] = "wall time",
        [DECK_VECTOR] = "[x, y, z]",
        [DECK_TENSOR] = "number, tensor or image",
        [DECK_INTEGERS] = "[i, j, k], whole numbers",
        [DECK_AXES] = "list of x, y, z",
        [DECK_NAMES] = "[name, name]",
        [DECK_LISTED] = "list of names",
        [DECK_NUMBERS] = "list of numbers",
        [DECK_WEIGHTS] = "{name: number}",
        [DECK_SIGNAL] = "signal",
        [DECK_SECTION] = "section",
        [DECK_LIST] = "list of sections",
    };

    return texts[key->type];
}

static sedge_status add_type(sedge_text *out, const deck_key *key)
{
    char words[256];
    char text[256] = "";
    size_t used = 0;

    if (key->type != DECK_CHOICE) return add_cell(out, type_text(key));
    deck_choices(key, words, sizeof words);
    for (const char *c = words; *c != '\0' && used + 3 < sizeof text; c++) {
        if (*c == ' ') text[used++] = ',';
        text[used++] = *c;
    }
    return add_cell(out, text);
}

static sedge_status add_default(sedge_text *out, const deck_key *key)
{
    char text[256];

    if (key->either != NULL) {
        (void)snprintf(text, sizeof text, "this or `%s`", key->either);
    } else if (key->required) {
        (void)snprintf(text, sizeof text, "required");
    } else if (key->computed != NULL) {
        (void)snprintf(text, sizeof text, "%s", key->computed);
    } else if (key->fallback == NULL) {
        (void)snprintf(text, sizeof text, "none");
    } else {
        (void)snprintf(text, sizeof text, "`%s`", key->fallback);
    }
    return add_cell(out, text);
}

static sedge_status add_range(sedge_text *out, const deck_key *key)
{
    char low[32];
    char high[32];
    char text[96] = "";

    deck_print_number(low, key->minimum);
    deck_print_number(high, key->maximum);
    if (key->minimum < key->maximum) {
        if (key->maximum >= 1e100) {
            (void)snprintf(text, sizeof text, "at least %s", low);
        } else if (key->minimum <= -1e100) {
            (void)snprintf(text, sizeof text, "at most %s", high);
        } else if (key->positive) {
            (void)snprintf(text, sizeof text, "above %s, to %s", low, high);
        } else {
            (void)snprintf(text, sizeof text, "%s to %s", low, high);
        }
    } else if (key->positive) {
        (void)snprintf(text, sizeof text, "above 0");
    }
    return add_cell(out, text);
}

static sedge_status add_row(sedge_text *out, const deck_key *key, const sedge_equation *equation)
{
    const char *const unit =
        equation != NULL && equation->si == NULL ? "" : deck_unit(equation, key->dimension);
    char name[80];
    char text[512];

    (void)snprintf(name, sizeof name, "`%s`", key->name);
    SEDGE_TRY(sedge_text_add(out, "|"));
    SEDGE_TRY(add_cell(out, name));
    SEDGE_TRY(add_type(out, key));
    SEDGE_TRY(add_default(out, key));
    SEDGE_TRY(add_range(out, key));
    SEDGE_TRY(add_cell(out, unit));
    if (key->with != NULL) {
        (void)snprintf(text, sizeof text, "%s; only with `%s`", key->text, key->with);
    } else if (key->without != NULL) {
        (void)snprintf(text, sizeof text, "%s; not with `%s`", key->text, key->without);
    } else {
        (void)snprintf(text, sizeof text, "%s", key->text);
    }
    SEDGE_TRY(add_cell(out, text));
    return sedge_text_add(out, "\n");
}

static sedge_status add_section(sedge_text *out, const char *title, const deck_section *section)
{
    SEDGE_TRY(sedge_text_add(out, "\n### %s\n\n%s\n\n%s", title, section->text, table_head));
    for (int i = 0; i < section->count; i++) SEDGE_TRY(add_row(out, &section->keys[i], NULL));
    return SEDGE_OK;
}

// ---- equations ----------------------------------------------------------------------------------

static sedge_status add_parameters(sedge_text *out, const sedge_equation *equation,
                                   const sedge_parameter *parameters, int count)
{
    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(out, "\n%s", table_head));
    for (int i = 0; i < count; i++) {
        const sedge_parameter *const p = &parameters[i];
        deck_key key = deck_key_of(p);
        char numbers[3][32];
        char fallback[128];

        for (int n = 0; n < 3; n++) deck_print_number(numbers[n], p->fallback[n]);
        (void)snprintf(fallback, sizeof fallback,
                       sedge_parameter_size(p) == 3 ? "[%s, %s, %s]" : "%s", numbers[0], numbers[1],
                       numbers[2]);
        key.fallback = key.type == DECK_WEIGHTS ? "{}" : fallback;
        SEDGE_TRY(add_row(out, &key, equation));
    }
    return SEDGE_OK;
}

static sedge_status add_kind(sedge_text *out, const sedge_equation *equation, const char *name,
                             const char *text, const sedge_parameter *parameters, int count)
{
    SEDGE_TRY(sedge_text_add(out, "\n`type: %s` - %s.%s\n", name, text,
                             count == 0 ? " No parameters." : ""));
    return add_parameters(out, equation, parameters, count);
}

// The kinds of terms of an equation.
static sedge_status add_terms(sedge_text *out, const sedge_equation *equation)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, false);

    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(out,
                             "\n### %s: terms of a material\n\nEntries of materials.NAME that add "
                             "to the equation there, each at most once.\n",
                             equation->name));
    for (int i = 0; i < count; i++) {
        SEDGE_TRY(sedge_text_add(out, "\n`%s: {...}` - %s; ", kinds[i]->name, kinds[i]->text));
        if (kinds[i]->poles > 0) {
            SEDGE_TRY(
                sedge_text_add(out, "or a list of up to %d such mappings; ", kinds[i]->poles));
        }
        SEDGE_TRY(kinds[i]->memory > 0
                      ? sedge_text_add(out, "memory: %d numbers a node%s.", kinds[i]->memory,
                                       kinds[i]->poles > 0 ? " for each mapping" : "")
                      : sedge_text_add(out, "without memory."));
        SEDGE_TRY(
            sedge_text_add(out, "%s\n", kinds[i]->parameter_count == 0 ? " No parameters." : ""));
        SEDGE_TRY(add_parameters(out, equation, kinds[i]->parameters, kinds[i]->parameter_count));
    }
    return SEDGE_OK;
}

// The shorthands of an equation.
static sedge_status add_shorthands(sedge_text *out, const sedge_equation *equation)
{
    const sedge_shorthand *const first = equation->shorthands;

    if (first == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(out,
                             "\n### %s: what stands for other keys\n\nEntries of materials.NAME; "
                             "the resolved deck has the keys and terms that they stand for.\n",
                             equation->name));
    for (const sedge_shorthand *s = first; s->name != NULL; s++) {
        SEDGE_TRY(sedge_text_add(out, "\n`%s: {...}` - %s.\n", s->name, s->text));
        SEDGE_TRY(add_parameters(out, equation, s->parameters, s->parameter_count));
    }
    return SEDGE_OK;
}

// The named materials of an equation.
static sedge_status add_library(sedge_text *out, const sedge_equation *equation)
{
    if (equation->library == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(out,
                             "\n### %s: the library of materials\n\n`materials: {NAME: {library: "
                             "MATERIAL}}` in a deck with SI units.\n\n| material | range | source "
                             "|\n| --- | --- | --- |\n",
                             equation->name));
    for (const sedge_library_material *m = equation->library; m->name != NULL; m++)
        SEDGE_TRY(sedge_text_add(out, "| `%s` | %s | %s |\n", m->name, m->range, m->text));
    return SEDGE_OK;
}

static sedge_status add_equation(sedge_text *out, const sedge_equation *equation)
{
    SEDGE_TRY(
        sedge_text_add(out, "\n## Equation `%s`\n\n%s. Fields:", equation->name, equation->text));
    for (int i = 0; i < equation->fields; i++)
        SEDGE_TRY(sedge_text_add(out, "%s %s", i == 0 ? "" : ",", equation->field_names[i]));
    SEDGE_TRY(sedge_text_add(out, ". Units: %s.\n",
                             equation->si != NULL ? "normalised or SI" : "normalised only"));
    SEDGE_TRY(sedge_text_add(
        out,
        "\n### %s: materials.NAME\n\nNAME is a volume group of the mesh, or `default`, for the "
        "elements of a Gmsh mesh that are in no volume group.%s\n",
        equation->name, equation->material_count == 0 ? " There are no keys: `{}`." : ""));
    SEDGE_TRY(add_parameters(out, equation, equation->materials, equation->material_count));
    SEDGE_TRY(add_terms(out, equation));
    SEDGE_TRY(add_shorthands(out, equation));
    SEDGE_TRY(add_library(out, equation));
    if (equation->flux_key_count > 0)
        SEDGE_TRY(sedge_text_add(out, "\n### %s: flux\n", equation->name));
    SEDGE_TRY(add_parameters(out, equation, equation->flux_keys, equation->flux_key_count));

    SEDGE_TRY(sedge_text_add(out, "\n### %s: boundaries.NAME\n", equation->name));
    const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS];
    const int kind_count = sedge_boundary_kinds(kinds, equation);
    for (int i = 0; i < kind_count; i++) {
        const sedge_boundary_kind *const kind = kinds[i];
        SEDGE_TRY(add_kind(out, equation, kind->name, kind->text, kind->parameters,
                           kind->parameter_count));
    }
    SEDGE_TRY(sedge_text_add(out, "\n### %s: initial\n", equation->name));
    for (int i = 0; i < equation->initial_count; i++) {
        const sedge_initial_kind *const kind = &equation->initials[i];
        SEDGE_TRY(add_kind(out, equation, kind->name, kind->text, kind->parameters,
                           kind->parameter_count));
        if (kind->exact)
            SEDGE_TRY(sedge_text_add(out, "\nAn exact solution: errors are reported.\n"));
    }
    const sedge_source_kind *source[SEDGE_MAX_KINDS];
    const int sources = sedge_source_kinds_of(source, equation);
    if (sources > 0) SEDGE_TRY(sedge_text_add(out, "\n### %s: sources\n", equation->name));
    for (int i = 0; i < sources; i++) {
        const sedge_source_kind *const kind = source[i];
        SEDGE_TRY(add_kind(out, equation, kind->name, kind->text, kind->parameters,
                           kind->parameter_count));
    }
    return SEDGE_OK;
}

// What time.integrator may be.
static sedge_status add_integrators(sedge_text *out)
{
    SEDGE_TRY(sedge_text_add(
        out, "\n## Integrators\n\nWhat `time.integrator` may be.\n\n"
             "- `auto`: the Runge-Kutta method that takes the fewest stages up to `end` with at "
             "least ten steps in a period of the highest frequency of signals and spectra, and an "
             "error of at most 1e-3 at the end in a wave of this frequency. `lsrk45` for a run of "
             "`steps`, without such a frequency, and with other than upwind fluxes. `ader` with "
             "local time steps instead where it is more than 1.2 times as fast at equal errors of "
             "waves. A model of the costs on the device says so, and a table of errors by order "
             "and by the wavelengths that waves travel: until `end` or, where surfaces let them "
             "out, about once through the mesh, and farther if little of its surface is open. "
             "`sedge check` prints what was found. A restart keeps the integrator of its "
             "checkpoint.\n"));
    for (int i = 0; sedge_integrators[i] != NULL; i++) {
        SEDGE_TRY(sedge_text_add(out, "- `%s`: %s.\n", sedge_integrators[i]->name,
                                 sedge_integrators[i]->text));
    }
    return SEDGE_OK;
}

sedge_status sedge_deck_document(sedge_text *out)
{
    char title[128];

    SEDGE_TRY(deck_check_tables());
    SEDGE_TRY(sedge_text_add(out, "## Sections and keys\n"));
    for (int i = 0; i < deck_section_count; i++) {
        const bool top = deck_sections[i].path[0] == '\0';
        (void)snprintf(title, sizeof title, top ? "Top level" : "`%s`", deck_sections[i].path);
        SEDGE_TRY(add_section(out, title, &deck_sections[i]));
    }
    for (int i = 0; sedge_monitor_kinds[i] != NULL; i++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[i];
        if (kind->requested != NULL) continue; // its keys are above
        SEDGE_TRY(sedge_text_add(out, "\n### `monitors.%s`\n\nGoes to %s.h5: %s.\n", kind->name,
                                 kind->name, kind->text));
        SEDGE_TRY(add_parameters(out, NULL, kind->parameters, kind->parameter_count));
    }
    SEDGE_TRY(add_integrators(out));
    SEDGE_TRY(sedge_text_add(out, "\n## Signals\n\nFunctions of time that sources and initial "
                                  "fields take, such as `{type: ricker, frequency: 0.5}`.\n"));
    for (int i = 0; i < SEDGE_SIGNAL_KINDS; i++) {
        deck_signal_rows rows;
        const deck_section section = deck_signal_section(&rows, sedge_signal_kinds[i]);
        (void)snprintf(title, sizeof title, "signal `%s`", section.path);
        SEDGE_TRY(add_section(out, title, &section));
    }
    for (int i = 0; sedge_equations[i] != NULL; i++)
        SEDGE_TRY(add_equation(out, sedge_equations[i]));
    return SEDGE_OK;
}
