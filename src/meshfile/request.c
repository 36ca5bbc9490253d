#include "request.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/image.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 16384 // of an option's text, with its NUL

static const char none[] = "none";

// ---- texts -------------------------------------------------------------------------------------

static sedge_status add_names(sedge_text *out, const char *what, const char *const *names,
                              int count)
{
    for (int i = 0; i < count; i++) {
        SEDGE_TRY(
            sedge_text_add(out, "%s%s'%s'", i == 0 ? what : "", i == 0 ? " " : ", ", names[i]));
    }
    return SEDGE_OK;
}

static sedge_status describe_scale(sedge_text *out, const sedge_mesh_options *options)
{
    return sedge_text_add(out, "%.17g", options->scale);
}

static sedge_status describe_layers(sedge_text *out, const sedge_mesh_options *options)
{
    const sedge_mesh_extrusion *const extrude = &options->extrude;

    if (extrude->surfaces == 0 && extrude->volumes == 0) return sedge_text_add(out, none);
    SEDGE_TRY(add_names(out, "on", extrude->surface, extrude->surfaces));
    SEDGE_TRY(add_names(out, " in", extrude->volume, extrude->volumes));
    if (extrude->volumes > 0) return SEDGE_OK;
    return sedge_text_add(out, ": layers %d, thickness %.17g", extrude->layers, extrude->thickness);
}

static sedge_status describe_periodic(sedge_text *out, const sedge_mesh_options *options)
{
    if (options->periodic_pairs == 0) return sedge_text_add(out, none);
    for (int i = 0; i < options->periodic_pairs; i++) {
        SEDGE_TRY(sedge_text_add(out, "%s'%s' and '%s'", i == 0 ? "" : ", ",
                                 options->periodic[i].first, options->periodic[i].second));
    }
    return SEDGE_OK;
}

static sedge_status describe_surface(sedge_text *out, const sedge_mesh_enclosure *one)
{
    const double *const low = one->low, *const high = one->high, *const centre = one->centre;

    SEDGE_TRY(sedge_text_add(out, "'%s'", one->name));
    switch (one->shape) {
    case SEDGE_ENCLOSURE_NAMED:
        return SEDGE_OK;
    case SEDGE_ENCLOSURE_GROUPS:
        return add_names(out, " around", one->volume, one->volumes);
    case SEDGE_ENCLOSURE_BOX:
    case SEDGE_ENCLOSURE_PLANE:
        return sedge_text_add(out, " around (%.17g, %.17g, %.17g) to (%.17g, %.17g, %.17g)", low[0],
                              low[1], low[2], high[0], high[1], high[2]);
    case SEDGE_ENCLOSURE_SPHERE:
        return sedge_text_add(out, " around (%.17g, %.17g, %.17g), radius %.17g", centre[0],
                              centre[1], centre[2], one->radius);
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a closed surface has the shape %d", (int)one->shape);
}

static sedge_status describe_surfaces(sedge_text *out, const sedge_mesh_options *options)
{
    if (options->enclosures == 0) return sedge_text_add(out, none);
    for (int i = 0; i < options->enclosures; i++) {
        SEDGE_TRY(sedge_text_add(out, "%s", i == 0 ? "" : ", "));
        SEDGE_TRY(describe_surface(out, &options->enclosure[i]));
    }
    return SEDGE_OK;
}

static int compare_names(const void *left, const void *right)
{
    const char *const *const a = left;
    const char *const *const b = right;

    return strcmp(*a, *b);
}

// By name: their order in the deck does not matter.
static sedge_status describe_two_sided(sedge_text *out, const sedge_mesh_options *options)
{
    const int count = options->two_sided_surfaces;
    const char **names;

    if (count == 0) return sedge_text_add(out, none);
    SEDGE_TRY(sedge_allocate(&names, count, sizeof *names));
    for (int i = 0; i < count; i++) names[i] = options->two_sided_surface[i];
    qsort(names, (size_t)count, sizeof *names, compare_names);
    const sedge_status status = add_names(out, "on", names, count);
    sedge_release(names);
    return status;
}

// With a checksum, so that the file goes with no other image.
static sedge_status describe_image(sedge_text *out, const sedge_image_source *source)
{
    sedge_image image;

    SEDGE_TRY(sedge_image_read(&image, source));
    const unsigned long long sum = sedge_image_checksum(&image);
    sedge_image_clear(&image);
    return sedge_text_add(out, "an image with the checksum %016llx", sum);
}

static sedge_status describe_grids(sedge_text *out, const sedge_mesh_options *options)
{
    if (options->grids == 0) return sedge_text_add(out, none);
    for (int i = 0; i < options->grids; i++) {
        const sedge_image_grid *const grid = &options->grid[i];
        SEDGE_TRY(sedge_text_add(out, "%sin '%s' ", i == 0 ? "" : ", ", grid->volume));
        SEDGE_TRY(describe_image(out, &grid->image));
        SEDGE_TRY(sedge_text_add(out, " times %.17g as number %d", grid->unit, grid->key));
    }
    return SEDGE_OK;
}

static sedge_status describe_labels(sedge_text *out, const sedge_mesh_options *options)
{
    const sedge_image_labels *const labels = options->labels;

    if (labels == NULL) return sedge_text_add(out, none);
    SEDGE_TRY(describe_image(out, &labels->image));
    for (int i = 0; i < labels->count; i++)
        SEDGE_TRY(sedge_text_add(out, " %d '%s'", labels->label[i], labels->name[i]));
    return SEDGE_OK;
}

static const struct {
    const char *name; // of the attribute
    const char *what; // for messages
    bool shapes;      // other than "none": the file is made for one deck
    sedge_status (*describe)(sedge_text *out, const sedge_mesh_options *options);
} requests[] = {
    {"layers", "the absorbing layers", true, describe_layers},
    {"periodic", "the periodic surfaces", true, describe_periodic},
    {"surfaces", "the closed surfaces", true, describe_surfaces},
    {"labels", "the labels", true, describe_labels},
    {"grids", "the graded numbers of materials", true, describe_grids},
    {"scale", "mesh.scale, in units of the run,", false, describe_scale},
    {"two_sided", "the surfaces with conditions", false, describe_two_sided},
};
#define REQUESTS ((int)(sizeof requests / sizeof requests[0]))

// ---- import and run ----------------------------------------------------------------------------

sedge_mesh_options mesh_request_choose(const sedge_mesh_options *options)
{
    const bool shapes = options->extrude.surfaces > 0 || options->extrude.volumes > 0 ||
                        options->periodic_pairs > 0 || options->enclosures > 0 ||
                        options->labels != NULL || options->grids > 0;
    sedge_mesh_options chosen = shapes ? *options : sedge_mesh_defaults();

    chosen.file = options->file;
    chosen.default_volume = options->default_volume;
    chosen.default_surface = options->default_surface;
    chosen.tell = options->tell;
    chosen.watch = options->watch;
    chosen.threads = options->threads;
    return chosen;
}

static sedge_status write_request(sedge_h5 *file, const sedge_mesh_options *options, int r)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, requests[r].describe(text, options));
    if (strlen(sedge_text_get(text)) >= TEXT_BYTES) {
        status =
            SEDGE_FAIL(SEDGE_ERR_USAGE, "%s have too many names for a mesh file", requests[r].what);
        goto done;
    }
    status = sedge_h5_text(file, "/", requests[r].name, sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

sedge_status mesh_request_write(sedge_h5 *file, const sedge_mesh_options *options)
{
    for (int r = 0; r < REQUESTS; r++) SEDGE_TRY(write_request(file, options, r));
    return SEDGE_OK;
}

static sedge_status compare_request(const char *stored, const sedge_mesh_options *options, int r)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, requests[r].describe(text, options));
    if (strcmp(stored, sedge_text_get(text)) != 0) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s was imported for other options: %s there: %s; here: %s. Make it "
                            "again with 'sedge mesh import IN OUT --deck DECK', or name the Gmsh "
                            "file as mesh.file",
                            options->file, requests[r].what, stored, sedge_text_get(text));
    }
done:
    sedge_text_free(text);
    return status;
}

sedge_status mesh_request_compare(double *factor, sedge_h5 *file, const sedge_mesh_options *options)
{
    static _Thread_local char stored[TEXT_BYTES];
    bool is_shaped = false;

    for (int r = 0; r < REQUESTS; r++) {
        SEDGE_TRY(sedge_h5_read_text(file, "/", requests[r].name, stored, sizeof stored));
        if (requests[r].shapes) is_shaped = is_shaped || strcmp(stored, none) != 0;
        if ((requests[r].shapes || is_shaped) && !options->keep_faults)
            SEDGE_TRY(compare_request(stored, options, r));
    }
    *factor = is_shaped ? 1.0 : options->scale;
    return SEDGE_OK;
}
