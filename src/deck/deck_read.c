#define _DEFAULT_SOURCE
#include "deck.h"

#include "deck_bloch.h"
#include "deck_sections.h"
#include "deck_yaml.h"

#include "base/memory.h"
#include "dg/levels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void deck_copy_name(char out[64], const char *name)
{
    (void)snprintf(out, 64, "%s", name);
}

// The part of `path` before the last slash; "." if there is none.
static sedge_status copy_folder(char **out, const char *path)
{
    const char *const slash = strrchr(path, '/');

    if (slash == NULL) return deck_copy_string(out, ".");
    SEDGE_TRY(deck_copy_string(out, path));
    (*out)[slash == path ? 1 : slash - path] = '\0';
    return SEDGE_OK;
}

// ---- top level ----------------------------------------------------------------------------------

static sedge_status read_equation(deck_reader *reader, const deck_node *node)
{
    const char *names[64];
    int count = 0;
    int index = 0;

    while (count < 64 && sedge_equations[count] != NULL) {
        names[count] = sedge_equations[count]->name;
        count++;
    }
    SEDGE_TRY(deck_choose(&index, reader, node, "equation", names, count));
    reader->equation = sedge_equations[index];
    return SEDGE_OK;
}

// An equation has time or a solver.
static sedge_status settle_time(const deck_reader *reader, deck_node *root)
{
    const bool elliptic = reader->equation->elliptic != NULL;
    const deck_node *const wrong = deck_child(root, elliptic ? "time" : "solver");
    deck_node *made = NULL;

    if (wrong != NULL) {
        return deck_fail(reader->path, wrong, "the equation '%s' has %s; remove '%s'",
                         reader->equation->name, elliptic ? "no time" : "time, nothing to solve",
                         wrong->key);
    }
    if (!elliptic && deck_child(root, "time") == NULL)
        return deck_fail(reader->path, root, "the deck needs the key 'time'");
    if (!elliptic || deck_child(root, "solver") != NULL) return SEDGE_OK;
    return deck_tree_add(&made, root, "solver", "{}");
}

static sedge_status read_top(deck_reader *reader, sedge_deck *deck)
{
    deck_node *const root = deck->tree;

    SEDGE_TRY(deck_check_tables());
    SEDGE_TRY(deck_check(reader, root, "", deck_section_find(""), NULL, 0));
    SEDGE_TRY(read_equation(reader, deck_child(root, "equation")));
    deck->equation = reader->equation;
    deck->title = deck_child(root, "title")->text;
    deck->order = (int)deck_integer(deck_child(root, "order"));
    deck->precision =
        strcmp(deck_child(root, "precision")->text, "fp64") == 0 ? SEDGE_FP64 : SEDGE_FP32;
    SEDGE_TRY(settle_time(reader, root));
    if (deck->equation->elliptic != NULL && deck->order > SEDGE_ELLIPTIC_ORDER_MAX) {
        return deck_fail(reader->path, deck_child(root, "order"),
                         "order %d: the equation '%s' is solved at orders 1 to %d", deck->order,
                         deck->equation->name, SEDGE_ELLIPTIC_ORDER_MAX);
    }
    const deck_node *const units = deck_child(root, "units");
    deck->si = strcmp(units->text, "si") == 0;
    if (deck->si && deck->equation->si == NULL) {
        return deck_fail(reader->path, units,
                         "units si: the equation '%s' has no SI units; take normalised",
                         deck->equation->name);
    }
    reader->si = deck->si;
    (void)snprintf(deck->device, sizeof deck->device, "%s", deck_child(root, "device")->text);

    deck_node *const flux = deck_child(root, "flux");
    SEDGE_TRY(deck_check(reader, flux, "flux", NULL, deck->equation->flux_keys,
                         deck->equation->flux_key_count));
    deck_values(deck->flux, reader, flux, deck->equation->flux_keys,
                deck->equation->flux_key_count);
    return SEDGE_OK;
}

// ---- mesh ---------------------------------------------------------------------------------------

sedge_status deck_resolve_file(char **out, const sedge_deck *deck, deck_node *node)
{
    char folder[PATH_MAX];
    sedge_text *text = NULL;
    char *real = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_text_create(&text));
    if (node->text[0] != '/' && strcmp(deck->folder, ".") != 0)
        SEDGE_TRY_GOTO(status, sedge_text_add(text, "%s/", deck->folder));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "%s", node->text));
    SEDGE_TRY_GOTO(status, deck_copy_string(out, sedge_text_get(text)));

    real = realpath(*out, NULL);
    if (real != NULL) {
        SEDGE_TRY_GOTO(status, deck_node_text(node, real, false));
    } else if (**out != '/' && getcwd(folder, sizeof folder) != NULL) {
        sedge_text_free(text);
        SEDGE_TRY_GOTO(status, sedge_text_create(&text));
        SEDGE_TRY_GOTO(status, sedge_text_add(text, "%s/%s", folder, *out));
        SEDGE_TRY_GOTO(status, deck_node_text(node, sedge_text_get(text), false));
    }
done:
    free(real);
    sedge_text_free(text);
    return status;
}

static int axis_of(const char *name)
{
    return name[0] - 'x';
}

static sedge_status read_split(const deck_reader *reader, sedge_deck *deck, deck_node *node)
{
    sedge_mesh_options *const mesh = &deck->mesh;

    SEDGE_TRY(
        deck_check(reader, node, "mesh.box.split", deck_section_find("mesh.box.split"), NULL, 0));
    const deck_node *const at = deck_child(node, "at");
    const deck_node *const names = deck_child(node, "names");
    mesh->box_split_axis = axis_of(deck_child(node, "axis")->text);
    mesh->box_split = deck_real(reader, at, SEDGE_LENGTH);
    mesh->box_names[0] = names->first->text;
    mesh->box_names[1] = names->last->text;
    const int axis = mesh->box_split_axis;
    if (!(mesh->box_split > mesh->box_min[axis] && mesh->box_split < mesh->box_max[axis]))
        return deck_fail(reader->path, at, "mesh.box.split.at %s is not inside the box", at->text);
    return SEDGE_OK;
}

static sedge_status read_box(const deck_reader *reader, sedge_deck *deck, deck_node *box)
{
    sedge_mesh_options *const mesh = &deck->mesh;
    double cells[3];

    SEDGE_TRY(deck_check(reader, box, "mesh.box", deck_section_find("mesh.box"), NULL, 0));
    const deck_node *const max = deck_child(box, "max");
    deck_vector(mesh->box_min, reader, deck_child(box, "min"), SEDGE_LENGTH);
    deck_vector(mesh->box_max, reader, max, SEDGE_LENGTH);
    deck_vector(cells, reader, deck_child(box, "cells"), SEDGE_DIMENSIONLESS);
    for (int i = 0; i < 3; i++) {
        if (!(mesh->box_max[i] > mesh->box_min[i])) {
            return deck_fail(reader->path, max, "mesh.box.max must exceed min on the %c axis",
                             'x' + i);
        }
        mesh->box_cells[i] = (int)cells[i];
        mesh->box_periodic[i] = false;
    }
    for (const deck_node *axis = deck_child(box, "periodic")->first; axis != NULL;
         axis = axis->next)
        mesh->box_periodic[axis_of(axis->text)] = true;

    deck_node *const split = deck_child(box, "split");
    if (split != NULL) {
        deck_child_to_end(box, split);
        return read_split(reader, deck, split);
    }
    mesh->box_split_axis = -1;
    mesh->box_names[0] = deck_child(box, "name")->text;
    return SEDGE_OK;
}

static sedge_status read_mesh(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "mesh");

    SEDGE_TRY(deck_check(reader, node, "mesh", deck_section_find("mesh"), NULL, 0));
    deck->mesh = sedge_mesh_defaults();
    const char *const partitioner = deck_child(node, "partitioner")->text;
    deck->mesh.partitioner = strcmp(partitioner, "auto") == 0 ? NULL : partitioner;
    if (!sedge_numbering_find(&deck->mesh.numbering, deck_child(node, "numbering")->text))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a numbering that the deck allows is not known");
    deck->mesh.boundary_last = strcmp(deck_child(node, "boundary_elements")->text, "last") == 0;
    deck_node *const box = deck_child(node, "box");
    if (box != NULL) {
        deck->mesh.file = NULL;
        return read_box(reader, deck, box);
    }
    // A length, so that coordinates come out in code units.
    deck->mesh.scale = deck_real(reader, deck_child(node, "scale"), SEDGE_LENGTH);
    SEDGE_TRY(deck_resolve_file(&deck->mesh_file, deck, deck_child(node, "file")));
    deck->mesh.file = deck->mesh_file;
    return SEDGE_OK;
}

// ---- time, output -------------------------------------------------------------------------------

static sedge_status read_solver(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "solver");
    deck_node *made = NULL;

    if (deck_child(node, "tolerance") == NULL) {
        SEDGE_TRY(deck_tree_add(&made, node, "tolerance",
                                deck->precision == SEDGE_FP64 ? "1e-8" : "1e-5"));
    }
    SEDGE_TRY(deck_check(reader, node, "solver", deck_section_find("solver"), NULL, 0));
    deck->tolerance = deck_real(reader, deck_child(node, "tolerance"), SEDGE_DIMENSIONLESS);
    deck->iterations = deck_integer(deck_child(node, "iterations"));
    deck->multigrid = strcmp(deck_child(node, "preconditioner")->text, "multigrid") == 0;
    return SEDGE_OK;
}

static sedge_status read_stop(const deck_reader *reader, const deck_node *stop, sedge_deck *deck)
{
    const deck_node *const energy = deck_child(stop, "energy");
    const deck_node *const spectra = deck_child(stop, "spectra");

    if (energy == NULL && spectra == NULL) {
        return deck_fail(reader->path, stop, "time.stop needs 'energy' or 'spectra'");
    }
    if (energy != NULL) deck->stop_energy = deck_real(reader, energy, SEDGE_DIMENSIONLESS);
    if (spectra != NULL) deck->stop_spectra = deck_real(reader, spectra, SEDGE_DIMENSIONLESS);
    return SEDGE_OK;
}

// The largest number of levels. A number is refused if the integrator has none; auto is not.
static sedge_status read_levels(const deck_reader *reader, deck_node *node, sedge_deck *deck)
{
    const bool by_rule = strcmp(node->text, "auto") == 0;
    const sedge_integrator *const integrator = deck->integrator;

    node->plain = !by_rule; // a number
    deck->levels = by_rule ? SEDGE_LEVELS_MAX : (int)deck_integer(node);
    if (by_rule || deck->levels == 1 || integrator == NULL || integrator->predictor)
        return SEDGE_OK;
    return deck_fail(reader->path, node,
                     "time.levels is %d, but with the integrator '%s' all elements take the same "
                     "step: 1 or auto",
                     deck->levels, integrator->name);
}

static sedge_status read_time(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "time");

    if (deck->equation->elliptic != NULL) return read_solver(reader, deck);
    SEDGE_TRY(deck_check(reader, node, "time", deck_section_find("time"), NULL, 0));
    const deck_node *const end = deck_child(node, "end");
    const deck_node *const steps = deck_child(node, "steps");
    deck->end_time = end != NULL ? deck_real(reader, end, SEDGE_TIME) : 0.0;
    deck->steps = steps != NULL ? deck_integer(steps) : 0;
    deck->cfl = deck_real(reader, deck_child(node, "cfl"), SEDGE_DIMENSIONLESS);
    deck->integrator = sedge_integrator_find(deck_child(node, "integrator")->text); // auto: none
    SEDGE_TRY(read_levels(reader, deck_child(node, "levels"), deck));
    deck_node *const stop = deck_child(node, "stop");
    if (stop != NULL) {
        SEDGE_TRY(deck_check(reader, stop, "time.stop", deck_section_find("time.stop"), NULL, 0));
        SEDGE_TRY(read_stop(reader, stop, deck));
    }
    const deck_node *const wall = deck_child(node, "wall");
    deck->wall = wall != NULL ? deck_real(reader, wall, SEDGE_DIMENSIONLESS) : -1.0;
    return SEDGE_OK;
}

void deck_default_folder(char name[DECK_FOLDER_MAX], const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const stem = slash != NULL ? slash + 1 : path;
    const char *const dot = strrchr(stem, '.');
    const int length = dot != NULL && dot > stem ? (int)(dot - stem) : (int)strlen(stem);

    (void)snprintf(name, DECK_FOLDER_MAX, "%.*s-results", length > 200 ? 200 : length, stem);
}

static sedge_status default_folder(const char *path, deck_node *node)
{
    deck_node *folder = NULL;
    char name[DECK_FOLDER_MAX];

    deck_default_folder(name, path);
    SEDGE_TRY(deck_tree_add(&folder, node, "folder", "default"));
    return deck_node_text(folder, name, false);
}

static sedge_status read_checkpoint(const deck_reader *reader, sedge_deck *deck, deck_node *output)
{
    static const char *const names[] = {"steps", "time", "wall"};
    deck_node *const node = deck_child(output, "checkpoint");
    int given = 0;

    deck->checkpoint_keep = 2;
    if (node == NULL) return SEDGE_OK;
    SEDGE_TRY(deck_expect(reader, node, "output.checkpoint", DECK_MAPPING));
    SEDGE_TRY(deck_check(reader, node, "output.checkpoint", deck_section_find("output.checkpoint"),
                         NULL, 0));
    SEDGE_TRY(deck_settle_one(reader, node, "output.checkpoint", names, 3, &given));
    const deck_node *const steps = deck_child(node, "steps");
    const deck_node *const time = deck_child(node, "time");
    const deck_node *const wall = deck_child(node, "wall");
    if (steps != NULL) deck->checkpoint_steps = deck_integer(steps);
    if (time != NULL) deck->checkpoint_time = deck_real(reader, time, SEDGE_TIME);
    if (wall != NULL) deck->checkpoint_wall = deck_real(reader, wall, SEDGE_DIMENSIONLESS);
    deck->checkpoint_keep = (int)deck_integer(deck_child(node, "keep"));
    return SEDGE_OK;
}

// An equation without time has no checkpoints, and its kernels have configurations by rule: a
// request that would do nothing is refused. Defaults stay, which stand in a resolved deck.
static sedge_status refuse_idle(const deck_reader *reader, const deck_node *checkpoint,
                                const deck_node *kernels)
{
    const deck_section *const section = deck_section_find("kernels");
    const char *const name = reader->equation->name;

    if (reader->equation->elliptic == NULL) return SEDGE_OK;
    if (checkpoint != NULL) {
        return deck_fail(reader->path, checkpoint,
                         "the equation '%s' has no time; remove 'output.checkpoint'", name);
    }
    for (int i = 0; i < section->count; i++) {
        const deck_key *const key = &section->keys[i];
        const deck_node *const node = deck_child(kernels, key->name);
        if (node == NULL || key->fallback == NULL || strcmp(node->text, key->fallback) == 0)
            continue;
        return deck_fail(
            reader->path, node,
            "the kernels of the equation '%s' are configured by rule; remove 'kernels.%s'", name,
            key->name);
    }
    return SEDGE_OK;
}

static sedge_status read_output(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "output");
    deck_node *const kernels = deck_child(deck->tree, "kernels");

    if (deck_child(node, "folder") == NULL) SEDGE_TRY(default_folder(deck->path, node));
    SEDGE_TRY(deck_check(reader, node, "output", deck_section_find("output"), NULL, 0));
    const deck_node *const folder = deck_child(node, "folder");
    if (folder->text[0] == '\0') return deck_fail(reader->path, folder, "output.folder is empty");
    deck->output = folder->text;
    deck->snapshots = (int)deck_integer(deck_child(node, "snapshots"));
    deck->layers_in_files = deck_boolean(deck_child(node, "layers"));
    SEDGE_TRY(read_checkpoint(reader, deck, node));

    SEDGE_TRY(deck_check(reader, kernels, "kernels", deck_section_find("kernels"), NULL, 0));
    SEDGE_TRY(refuse_idle(reader, deck_child(node, "checkpoint"), kernels));
    (void)snprintf(deck->variant, sizeof deck->variant, "%s", deck_child(kernels, "variant")->text);
    deck->kernel_numbers[0] = (int)deck_integer(deck_child(kernels, "block_elements"));
    deck->kernel_numbers[1] = (int)deck_integer(deck_child(kernels, "item_nodes"));
    deck->kernel_numbers[2] = (int)deck_integer(deck_child(kernels, "lift_nodes"));
    deck->kernel_numbers[3] = (int)deck_integer(deck_child(kernels, "item_fields"));
    const deck_node *const tune = deck_child(kernels, "tune");
    if (tune != NULL) (void)snprintf(deck->tune, sizeof deck->tune, "%s", tune->text);
    return SEDGE_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

// The keys of one run have nothing to do with it: of a run of a sweep it is empty, and removed.
static sedge_status settle_sweep(const deck_reader *reader, deck_node *root)
{
    deck_node *const sweep = deck_child(root, "sweep");

    if (sweep == NULL) return SEDGE_OK;
    SEDGE_TRY(deck_check_sweep(reader->path, sweep));
    if (sweep->count == 0) deck_child_remove(root, sweep);
    return SEDGE_OK;
}

static sedge_status read_sections(deck_reader *reader, sedge_deck *deck)
{
    SEDGE_TRY(read_top(reader, deck));
    SEDGE_TRY(settle_sweep(reader, deck->tree));
    SEDGE_TRY(read_mesh(reader, deck));
    SEDGE_TRY(deck_read_labels(reader, deck));
    SEDGE_TRY(deck_read_surfaces(reader, deck));
    SEDGE_TRY(read_time(reader, deck));
    SEDGE_TRY(deck_read_materials(reader, deck));
    SEDGE_TRY(deck_read_boundaries(reader, deck));
    SEDGE_TRY(deck_read_initial(reader, deck));
    SEDGE_TRY(deck_read_sources(reader, deck));
    SEDGE_TRY(deck_read_monitors(reader, deck));
    SEDGE_TRY(deck_read_exact(reader, deck));
    SEDGE_TRY(deck_read_bloch(reader, deck));
    return read_output(reader, deck);
}

sedge_status sedge_deck_create(sedge_deck **out, const char *path, const char *text, size_t length,
                               const char *const *settings, int count)
{
    deck_reader reader = {.path = path};
    sedge_deck *deck = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&deck, 1, sizeof *deck));
    deck->copies = 1;
    SEDGE_TRY_GOTO(status, deck_copy_string(&deck->path, path));
    SEDGE_TRY_GOTO(status, copy_folder(&deck->folder, path));
    SEDGE_TRY_GOTO(status, deck_tree_create(&deck->tree, path, text, length));
    for (int i = 0; i < count; i++)
        SEDGE_TRY_GOTO(status, deck_tree_set(deck->tree, path, settings[i]));
    SEDGE_TRY_GOTO(status, read_sections(&reader, deck));
    *out = deck;
    deck = NULL;
done:
    sedge_deck_free(deck);
    return status;
}

void sedge_deck_free(sedge_deck *deck)
{
    if (deck == NULL) return;
    sedge_release(deck->path);
    sedge_release(deck->folder);
    sedge_release(deck->mesh_file);
    deck_free_images(deck);
    sedge_release(deck->pairs);
    sedge_release(deck->two_sided_names);
    sedge_release(deck->enclosures);
    sedge_release(deck->enclosed_volumes);
    sedge_release(deck->enclosure_origins);
    sedge_release(deck->layer_surfaces);
    sedge_release(deck->layer_volumes);
    sedge_release(deck->materials);
    for (int i = 0; i < deck->term_count; i++) sedge_release(deck->terms[i].parameters);
    sedge_release(deck->terms);
    sedge_release(deck->term_volumes);
    sedge_release(deck->boundaries);
    sedge_release(deck->sources);
    sedge_release(deck->probes);
    sedge_release(deck->slices);
    deck_free_spectra(deck);
    sedge_release(deck->monitors);
    deck_node_free(deck->tree);
    sedge_release(deck);
}

sedge_status sedge_deck_write(sedge_text *out, const sedge_deck *deck)
{
    return deck_tree_write(out, deck->tree);
}

double sedge_deck_time_unit(const sedge_deck *deck)
{
    return deck->si ? 1.0 / deck->equation->si[SEDGE_TIME] : 1.0;
}

double sedge_deck_frequency(const sedge_deck *deck, double frequency)
{
    char text[32];

    if (!deck->si) return frequency;
    (void)snprintf(text, sizeof text, "%.15g", frequency / deck->equation->si[SEDGE_FREQUENCY]);
    return strtod(text, NULL);
}

double sedge_deck_energy_unit(const sedge_deck *deck)
{
    return (deck->si ? deck->equation->energy_si : 1.0) * deck->copies;
}

const char *sedge_deck_unit(const sedge_deck *deck, sedge_dimension dimension)
{
    return deck->si ? sedge_dimension_suffix(dimension) : "";
}

const char *sedge_deck_energy_suffix(const sedge_deck *deck)
{
    return deck->si ? " J" : "";
}

void sedge_deck_origin(char out[SEDGE_DECK_ORIGIN], const sedge_deck *deck, const char *section,
                       const char *name)
{
    const deck_node *node = deck->tree;
    char key[64];

    for (const char *at = section; node != NULL && *at != '\0'; at += at[0] == '.') {
        const size_t length = strcspn(at, ".");
        (void)snprintf(key, sizeof key, "%.*s", (int)length, at);
        node = deck_child(node, key);
        at += length;
    }
    if (node != NULL) node = deck_child(node, name);
    if (node != NULL) {
        deck_origin(out, deck->path, node);
    } else {
        (void)snprintf(out, SEDGE_DECK_ORIGIN, "%s", deck->path);
    }
}

const char *sedge_deck_question(const sedge_deck *deck)
{
    return deck->si ? "are the units right? (SI: metres, seconds, hertz; mesh.scale: 0.001 for a "
                      "mesh in millimetres)"
                    : "are the units right? (normalised: times in lengths / c, frequencies in c / "
                      "length)";
}
