// Numbers are written as decimal text with 17 digits, from which the same bits are read.
#include "checkpoint_header.h"

#include "base/hash.h"
#include "base/text.h"
#include "image/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Formats of the file. 2: the header names the basis of the fields, which are nodal values in 1
// where it does not. 3: it has the memory of all monitors, where "position" has that of four of
// them in earlier ones. 4: the state has further blocks than the fields; only files with such
// blocks have this format. 5: the state has covariant components of curved elements; only such
// files have this format.
#define FORMAT_FIELDS 3
#define FORMAT_BLOCKS 4
#define FORMAT        5 // a higher one is not read

// ---- what the problem is -----------------------------------------------------------------------

// What is compared. Where `must` is false, the user may restart with another value, and a note says
// so.
static const struct {
    const char *name;
    bool must;
} fact_rows[] = {{"equation", true},    {"order", true},      {"units", true},
                 {"mesh", true},        {"materials", true},  {"symmetry", true},
                 {"wave vector", true}, {"precision", false}, {"flux", false},
                 {"boundaries", false}, {"sources", false},   {"integrator", false}};
#define FACTS ((int)(sizeof fact_rows / sizeof *fact_rows))

// The whole mesh as a text: how many elements, and the sum of their checksums, which does not
// depend on how they are spread over ranks. The order of an element's vertices, which is that of
// its nodes, is in it, and so are the nodes of a curved one's edges. Of a mesh with twins it is the
// first copy. Collective.
static void mesh_fact(char text[64], const sedge_session *session)
{
    const sedge_mesh *const mesh = session->mesh;
    const int copies = sedge_mesh_copies(mesh);
    int64_t halves[2] = {0, 0};

    for (int32_t e = 0; e < mesh->elements; e += copies) {
        uint64_t sum = sedge_hash_quick(0, &mesh->global_ids[e], sizeof *mesh->global_ids);
        sum = sedge_hash_quick(sum, &mesh->group[e], sizeof *mesh->group);
        sum = sedge_hash_quick(sum, mesh->corners[e], sizeof *mesh->corners);
        const int32_t curve = sedge_mesh_curve(mesh, e);
        if (curve >= 0) sum = sedge_hash_quick(sum, mesh->middles[curve], sizeof *mesh->middles);
        halves[0] += (int64_t)(sum >> 32);
        halves[1] += (int64_t)(sum & 0xffffffffU);
    }
    sedge_comm_sum_int(session->comm, halves, 2);
    (void)snprintf(text, 64, "%lld elements, checksum %08llx%08llx",
                   (long long)mesh->global_elements / copies, (long long)halves[0] & 0xffffffffLL,
                   (long long)halves[1] & 0xffffffffLL);
}

// "epsilon 2, mu 1" in the deck's units; a signal's numbers in code units.
static sedge_status add_values(sedge_text *out, const sedge_session *session,
                               const sedge_parameter *parameters, int count, const double *values)
{
    const sedge_equation *const equation = session->deck->equation;

    for (int i = 0; i < count; i++) {
        const int size = sedge_parameter_size(&parameters[i]);
        const bool scaled = session->deck->si && parameters[i].type != SEDGE_PARAMETER_SIGNAL &&
                            parameters[i].type != SEDGE_PARAMETER_INTEGER;
        const double factor = scaled ? equation->si[parameters[i].dimension] : 1.0;

        SEDGE_TRY(sedge_text_add(out, "%s%s", i > 0 ? ", " : " ", parameters[i].name));
        if (parameters[i].type == SEDGE_PARAMETER_SURFACE) { // a number, which the deck may change
            const int surface = (int)*values++;
            SEDGE_TRY(sedge_text_add(out, " %s", session->deck->boundaries[surface].name));
            continue;
        }
        if (parameters[i].type == SEDGE_PARAMETER_WEIGHTS) {
            for (int k = 0; k < size && values[k] > 0.0; k += 2) {
                SEDGE_TRY(sedge_text_add(out, " %s %.15g",
                                         session->deck->boundaries[(int)values[k] - 1].name,
                                         values[k + 1]));
            }
            values += size;
            continue;
        }
        for (int k = 0; k < size; k++) SEDGE_TRY(sedge_text_add(out, " %.15g", *values++ / factor));
    }
    return SEDGE_OK;
}

// ", debye eps_delta 2, tau 1" of the terms that volume group v has, once for each pole.
static sedge_status add_terms(sedge_text *out, const sedge_session *session, int v)
{
    const sedge_problem *const problem = &session->problem;

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        for (int k = 0; term->present[v] && k < term->poles; k++) {
            SEDGE_TRY(sedge_text_add(out, ", %s", term->kind->name));
            SEDGE_TRY(add_values(out, session, term->kind->parameters, term->kind->parameter_count,
                                 sedge_term_pole(term, v, k)));
        }
    }
    return SEDGE_OK;
}

// ", graded 0123..." of volume group v if numbers of its material vary in space: a checksum of all.
static sedge_status add_grades(sedge_text *out, const sedge_session *session, int v)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const size_t parts = (size_t)sedge_mesh_group_parts(groups, v);
    const uint64_t sum =
        sedge_hash_quick(0, groups->volume_values[v], parts * sizeof *groups->volume_values);
    bool is_graded = false;

    for (int i = 0; i < session->deck->mesh.grids; i++)
        is_graded |= strcmp(session->deck->grids[i].volume, groups->volume_names[v]) == 0;
    return is_graded ? sedge_text_add(out, ", graded %016llx", (unsigned long long)sum) : SEDGE_OK;
}

static sedge_status add_materials(sedge_text *out, const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    for (int v = 0; v < groups->volumes; v += sedge_mesh_group_parts(groups, v)) {
        const char *const name = groups->volume_names[v];

        SEDGE_TRY(sedge_text_add(out, "%s%s:", v > 0 ? "; " : "", name));
        for (int i = 0; i < deck->material_count; i++) {
            if (strcmp(deck->materials[i].name, name) != 0) continue;
            SEDGE_TRY(add_values(out, session, deck->equation->materials,
                                 deck->equation->material_count, deck->materials[i].values));
        }
        SEDGE_TRY(add_grades(out, session, v));
        SEDGE_TRY(add_terms(out, session, v));
    }
    return SEDGE_OK;
}

// By the deck's numbers, in whose place the problem's boundaries may have derived ones.
static sedge_status add_boundaries(sedge_text *out, const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const char *separator = "";

    for (int s = 0; s < groups->surfaces; s++) { // in the mesh's order: the deck's may change
        const sedge_deck_boundary *const boundary =
            sedge_deck_find_boundary(session->deck, groups->surface_names[s]);
        const long long two_sided = groups->surface_two_sided_faces[s];

        if (boundary == NULL || boundary->kind == NULL) continue;
        SEDGE_TRY(sedge_text_add(out, "%s%s: %s", separator, groups->surface_names[s],
                                 boundary->kind->name));
        if (two_sided > 0) SEDGE_TRY(sedge_text_add(out, " (%lld faces inside)", two_sided));
        SEDGE_TRY(add_values(out, session, boundary->kind->parameters,
                             boundary->kind->parameter_count, boundary->parameters));
        separator = "; ";
    }
    for (int i = 0; i < session->deck->boundary_count; i++) {
        const sedge_deck_boundary *const boundary = &session->deck->boundaries[i];

        if (boundary->surface[0] == '\0') continue;
        SEDGE_TRY(sedge_text_add(out, "; %s on %s: %s", boundary->name, boundary->surface,
                                 boundary->kind->name));
        SEDGE_TRY(add_values(out, session, boundary->kind->parameters,
                             boundary->kind->parameter_count, boundary->parameters));
    }
    return SEDGE_OK;
}

// Planes of symmetry: with them energies, fluxes and far fields are those of the whole, so that
// series and sums cannot go on without them.
static sedge_status add_symmetry(sedge_text *out, const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    for (int s = 0; s < groups->surfaces; s++) {
        const char *const name = groups->surface_names[s];
        const sedge_deck_boundary *const boundary = sedge_deck_find_boundary(session->deck, name);

        if (boundary == NULL || !boundary->symmetry) continue;
        SEDGE_TRY(sedge_text_add(out, "%s%s", sedge_text_length(out) > 0 ? ", " : "", name));
    }
    return sedge_text_length(out) > 0 ? SEDGE_OK : sedge_text_add(out, "none");
}

// Fields that differ by a phase from period to period: those of another wave vector do not go on.
static sedge_status add_wave_vector(sedge_text *out, const sedge_session *session)
{
    const double *const k = session->problem.wave_vector;

    if (!session->deck->turns) return sedge_text_add(out, "none");
    return sedge_text_add(out, "(%.17g, %.17g, %.17g)", k[0], k[1], k[2]);
}

static sedge_status add_sources(sedge_text *out, const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;

    for (int i = 0; i < deck->source_count; i++) {
        const sedge_source_kind *const kind = deck->sources[i].kind;

        SEDGE_TRY(sedge_text_add(out, "%s%s:", i > 0 ? "; " : "", kind->name));
        SEDGE_TRY(add_values(out, session, kind->parameters, kind->parameter_count,
                             deck->sources[i].parameters));
    }
    return SEDGE_OK;
}

static sedge_status add_flux(sedge_text *out, const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;

    return add_values(out, session, deck->equation->flux_keys, deck->equation->flux_key_count,
                      deck->flux);
}

typedef sedge_status fact_writer(sedge_text *out, const sedge_session *session);

static sedge_status set_fact(json_t *facts, const char *name, const char *text)
{
    if (json_object_set_new(facts, name, json_string(text)) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for a checkpoint's header");
}

static sedge_status set_written(json_t *facts, const char *name, fact_writer *writer,
                                const sedge_session *session)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, writer(text, session));
    SEDGE_TRY_GOTO(status, set_fact(facts, name, sedge_text_get(text)));
done:
    sedge_text_free(text);
    return status;
}

sedge_status checkpoint_facts(json_t **out, const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    json_t *const facts = json_object();
    char mesh[64];
    char order[16];
    sedge_status status;

    *out = NULL;
    mesh_fact(mesh, session);
    (void)snprintf(order, sizeof order, "%d", deck->order);
    status = set_fact(facts, "equation", deck->equation->name);
    if (status == SEDGE_OK) status = set_fact(facts, "order", order);
    if (status == SEDGE_OK) status = set_fact(facts, "units", deck->si ? "si" : "normalised");
    if (status == SEDGE_OK) status = set_fact(facts, "mesh", mesh);
    if (status == SEDGE_OK)
        status = set_fact(facts, "precision", deck->precision == SEDGE_FP64 ? "fp64" : "fp32");
    if (status == SEDGE_OK)
        status = set_fact(facts, "integrator", session->problem.integrator->name);
    if (status == SEDGE_OK) status = set_written(facts, "materials", add_materials, session);
    if (status == SEDGE_OK) status = set_written(facts, "symmetry", add_symmetry, session);
    if (status == SEDGE_OK) status = set_written(facts, "wave vector", add_wave_vector, session);
    if (status == SEDGE_OK) status = set_written(facts, "flux", add_flux, session);
    if (status == SEDGE_OK) status = set_written(facts, "boundaries", add_boundaries, session);
    if (status == SEDGE_OK) status = set_written(facts, "sources", add_sources, session);
    status = sedge_comm_agree(session->comm, status);
    if (status == SEDGE_OK) {
        *out = facts;
    } else {
        json_decref(facts);
    }
    return status;
}

static const char *fact_of(const json_t *facts, const char *name)
{
    const char *const text = json_string_value(json_object_get(facts, name));

    return text != NULL ? text : "unknown";
}

static sedge_status add_difference(sedge_text *out, const char *what, const char *old,
                                   int old_length, const char *now, int now_length)
{
    enum { SHOWN = 300 };

    return sedge_text_add(out, "%s%s is '%.*s' there, '%.*s' in the deck",
                          sedge_text_length(out) > 0 ? "; " : "", what,
                          old_length < SHOWN ? old_length : SHOWN, old,
                          now_length < SHOWN ? now_length : SHOWN, now);
}

// The length of the first volume group in a text that add_materials has made.
static int group_length(const char *text)
{
    const char *const end = strstr(text, "; ");

    return (int)(end != NULL ? (size_t)(end - text) : strlen(text));
}

// The difference of a layer, "air-layer-x:, TERMS": a layer that Sedge adds has no material.
static sedge_status add_layer_difference(sedge_text *out, const char *old, int old_length,
                                         const char *now, int now_length)
{
    const char *const named = now_length > 0 ? now : old;
    const int name = (int)strcspn(named, ":");
    const int start = name + (int)strspn(named + name, ":, ");
    const int old_start = start < old_length ? start : old_length;
    const int now_start = start < now_length ? start : now_length;
    char what[128];

    (void)snprintf(what, sizeof what, "the absorbing layer '%.*s'", name < 64 ? name : 64, named);
    SEDGE_TRY(add_difference(out, what, old + old_start, old_length - old_start, now + now_start,
                             now_length - now_start));
    return sedge_text_add(out,
                          " (it follows from the medium, the layer's thickness and 'reflection' "
                          "of the boundaries)");
}

// The volume groups whose materials differ. Of layers only the first, and only if nothing else
// differs: they follow the rest.
static sedge_status add_materials_difference(sedge_text *out, const sedge_mesh_groups *groups,
                                             const char *old, const char *now)
{
    for (int v = 0; *old != '\0' || *now != '\0'; v++) {
        const int old_length = group_length(old);
        const int now_length = group_length(now);
        const bool same = old_length == now_length && memcmp(old, now, (size_t)old_length) == 0;

        if (!same && v < groups->volumes && groups->volume_axes[v] != 0) {
            return sedge_text_length(out) > 0
                       ? SEDGE_OK
                       : add_layer_difference(out, old, old_length, now, now_length);
        }
        if (!same) SEDGE_TRY(add_difference(out, "materials", old, old_length, now, now_length));
        if (v < groups->volumes) v += sedge_mesh_group_parts(groups, v) - 1;
        old += old_length + (old[old_length] != '\0' ? 2 : 0);
        now += now_length + (now[now_length] != '\0' ? 2 : 0);
    }
    return SEDGE_OK;
}

sedge_status checkpoint_compare(const sedge_session *session, const json_t *there,
                                const json_t *here, const char *path)
{
    const bool tell = sedge_comm_is_root(session->comm) && !session->options->quiet;
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    for (int i = 0; i < FACTS; i++) {
        const char *const name = fact_rows[i].name;
        const char *const old = fact_of(there, name);
        const char *const now = fact_of(here, name);

        if (strcmp(old, now) == 0 || !fact_rows[i].must) continue;
        if (json_object_get(there, name) == NULL &&
            (strcmp(name, "symmetry") == 0 || strcmp(now, "none") == 0))
            continue; // earlier versions did not write it, nor the wave vector
        SEDGE_TRY_GOTO(
            status, strcmp(name, "materials") == 0
                        ? add_materials_difference(text, &session->mesh->groups, old, now)
                        : add_difference(text, name, old, (int)strlen(old), now, (int)strlen(now)));
    }
    if (sedge_text_length(text) > 0) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "checkpoint '%s' does not fit the deck: %s; give the deck the values "
                            "of the earlier run, or leave out --restart to start again",
                            path, sedge_text_get(text));
        goto done;
    }
    for (int i = 0; i < FACTS && tell; i++) {
        const char *const name = fact_rows[i].name;
        const char *const old = fact_of(there, name);
        const char *const now = fact_of(here, name);

        if (fact_rows[i].must || strcmp(old, now) == 0) continue;
        if (json_object_get(there, name) == NULL) continue; // earlier versions did not write it
        printf("  note               %s: '%s' before, '%s' from here on%s\n", name, old, now,
               strcmp(name, "precision") == 0 && strcmp(now, "fp32") == 0 ? ": the state is rounded"
                                                                          : "");
    }
done:
    sedge_text_free(text);
    return status;
}

// ---- text --------------------------------------------------------------------------------------

static json_t *print_history(const sedge_checkpoint *checkpoint)
{
    json_t *const list = json_array();

    for (int i = 0; i < checkpoint->samples; i++)
        (void)json_array_append_new(list, json_real(checkpoint->history[i]));
    return list;
}

// The energies of the header. JSON has no infinite numbers: of a run without a limit there is none.
static json_t *print_energies(const sedge_checkpoint *checkpoint)
{
    json_t *const energies =
        json_pack("{s:f, s:f, s:f, s:o}", "initial", checkpoint->energy_initial, "last",
                  checkpoint->energy_last, "peak", checkpoint->energy_peak, "history",
                  print_history(checkpoint));

    if (isfinite(checkpoint->energy_limit))
        (void)json_object_set_new(energies, "limit", json_real(checkpoint->energy_limit));
    if (isfinite(checkpoint->energy_bound))
        (void)json_object_set_new(energies, "bound", json_real(checkpoint->energy_bound));
    return energies;
}

// The list of blocks, without the fields.
static json_t *print_blocks(const sedge_checkpoint_state *state)
{
    json_t *const list = json_array();

    for (int i = 1; i < state->count; i++) {
        const sedge_block *const block = &state->block[i];
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:i, s:i, s:I}", "name", block->name,
                                              "components", block->components, "nodes",
                                              block->nodes, "elements", (json_int_t)block->all));
    }
    return list;
}

static int choose_format(const sedge_checkpoint *checkpoint, const sedge_checkpoint_state *state)
{
    if (sedge_basis_is_covariant(checkpoint->basis)) return FORMAT;
    return state->count > 1 ? FORMAT_BLOCKS : FORMAT_FIELDS;
}

sedge_status checkpoint_print(char **text, const sedge_session *session,
                              const sedge_checkpoint *checkpoint,
                              const sedge_checkpoint_state *state, const json_t *facts)
{
    const sedge_equation *const equation = session->problem.equation;
    json_t *const root = json_pack(
        "{s:s, s:i, s:I, s:f, s:f, s:f, s:I, s:o, s:f,"
        " s:{s:I, s:i, s:i, s:i, s:b, s:s}, s:O}",
        "sedge", SEDGE_VERSION, "format", choose_format(checkpoint, state), "step",
        (json_int_t)checkpoint->step, "time", checkpoint->time, "dt", checkpoint->dt, "origin_time",
        checkpoint->origin_time, "origin_step", (json_int_t)checkpoint->origin_step, "energy",
        print_energies(checkpoint), "wall_seconds", checkpoint->wall_seconds, "form", "elements",
        (json_int_t)session->mesh->global_elements, "fields", equation->fields, "nodes",
        session->element->nodes, "ranks", sedge_comm_size(session->comm), "wide",
        session->problem.precision == SEDGE_FP64, "basis", sedge_basis_name(checkpoint->basis),
        "problem", facts);

    if (state->count > 1)
        (void)json_object_set_new(json_object_get(root, "form"), "blocks", print_blocks(state));
    if (checkpoint->monitors != NULL) (void)json_object_set(root, "monitors", checkpoint->monitors);
    *text = root != NULL ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    if (*text == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                          "a checkpoint's header cannot be written: an energy or a time is not a "
                          "number (or out of memory)");
    }
    return SEDGE_OK;
}

// False if there are more energies than a header has, or one is no number.
static bool parse_history(sedge_checkpoint *out, const json_t *list)
{
    const size_t count = json_array_size(list);

    if (count < 1 || count > SEDGE_HISTORY) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *const value = json_array_get(list, i);
        if (!json_is_number(value)) return false;
        out->history[i] = json_number_value(value);
    }
    out->samples = (int)count;
    return true;
}

// The memory of the monitors, borrowed from `root`. In the header of an earlier format it is made
// of "position". False if it is damaged: without it the series would be cut to nothing.
static bool find_monitors(json_t **out, json_t *root)
{
    static const char *const names[][2] = {{"energies", "energy"},
                                           {"probes", "probes"},
                                           {"slices", "slices"},
                                           {"fields", "snapshots"}};
    const json_t *const position = json_object_get(root, "position");

    *out = json_object_get(root, "monitors");
    if (position == NULL) return json_is_object(*out);
    if (*out == NULL && json_object_set_new(root, "monitors", json_object()) != 0) return false;
    *out = json_object_get(root, "monitors");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *const samples = json_object_get(position, names[i][0]);

        if (json_object_set_new(*out, names[i][1], json_pack("{s:O}", "samples", samples)) != 0)
            return false;
    }
    return true;
}

// Read the list of blocks. False if it is not a list of blocks; NULL: there are only the fields.
static bool parse_blocks(checkpoint_form *form, const json_t *list)
{
    const size_t count = json_array_size(list);

    if (list != NULL && (!json_is_array(list) || count > SEDGE_MAX_KINDS + 1)) return false;
    for (size_t i = 0; i < count; i++) {
        checkpoint_block_form *const block = &form->block[form->blocks++];
        const char *name;
        json_int_t elements;
        block->nodes = form->nodes; // earlier versions wrote none
        if (json_unpack(json_array_get(list, i), "{s:s, s:i, s?i, s:I}", "name", &name,
                        "components", &block->components, "nodes", &block->nodes, "elements",
                        &elements) != 0 ||
            block->components < 1 || block->nodes < 1 || elements < 0 ||
            strlen(name) >= sizeof block->name)
            return false;
        (void)snprintf(block->name, sizeof block->name, "%s", name);
        block->elements = elements;
    }
    return true;
}

// The numbers of a header; `*facts` and `*history` are borrowed from `root`.
static bool unpack(json_t *root, sedge_checkpoint *out, checkpoint_form *form, json_t **facts,
                   json_t **history)
{
    json_int_t step, origin_step, elements;
    const char *basis = sedge_basis_name(SEDGE_NODAL);
    checkpoint_block_form *const fields = &form->block[0];
    json_t *blocks = NULL;
    int wide = 0;

    out->energy_limit = out->energy_bound = (double)INFINITY; // earlier versions wrote none
    if (json_unpack(root,
                    "{s:I, s:F, s:F, s:F, s:I, s:{s:F, s:F, s:F, s?F, s?F, s:o}, s:F,"
                    " s:{s:I, s:i, s:i, s:b, s?s, s?o}, s:o}",
                    "step", &step, "time", &out->time, "dt", &out->dt, "origin_time",
                    &out->origin_time, "origin_step", &origin_step, "energy", "initial",
                    &out->energy_initial, "last", &out->energy_last, "peak", &out->energy_peak,
                    "limit", &out->energy_limit, "bound", &out->energy_bound, "history", history,
                    "wall_seconds", &out->wall_seconds, "form", "elements", &elements, "fields",
                    &fields->components, "nodes", &form->nodes, "wide", &wide, "basis", &basis,
                    "blocks", &blocks, "problem", facts) != 0)
        return false;
    if (!sedge_basis_parse(&out->basis, basis)) return false;
    out->step = step;
    out->origin_step = origin_step;
    (void)snprintf(fields->name, sizeof fields->name, "fields");
    fields->elements = elements;
    fields->nodes = form->nodes;
    form->blocks = 1;
    if (!parse_blocks(form, blocks)) return false;
    form->precision = wide ? SEDGE_FP64 : SEDGE_FP32;
    return step >= 0 && origin_step >= 0 && origin_step <= step && out->dt > 0.0 && elements > 0;
}

sedge_status checkpoint_parse(json_t **root, const json_t **facts, sedge_checkpoint *out,
                              checkpoint_form *form, const char *text, size_t length,
                              const char *path)
{
    json_error_t error;
    json_t *history = NULL;
    json_t *problem = NULL;

    *root = json_loadb(text, length, 0, &error);
    const json_int_t format = json_integer_value(json_object_get(*root, "format"));
    if (format > FORMAT) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "checkpoint '%s' has the format %lld of a later version; this one reads "
                          "%d",
                          path, (long long)format, FORMAT);
    }
    if (*root == NULL || format < 1 || !unpack(*root, out, form, &problem, &history) ||
        !parse_history(out, history) || !find_monitors(&out->monitors, *root)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "checkpoint '%s' is damaged: its header is none", path);
    }
    *facts = problem;
    return SEDGE_OK;
}
