#include "spectrum_xdmf.h"

#include "base/file.h"
#include "base/text.h"
#include "monitor/output_folder.h"

#include <stdio.h>
#include <string.h>

static const char *const endings[2] = {"", "_normalised"};

sedge_status sedge_spectrum_xdmf_find(sedge_spectrum_xdmf *xdmf,
                                      const sedge_output_context *context, sedge_h5 *file,
                                      const char *folder)
{
    const sedge_equation *const equation = context->problem->equation;

    for (int i = 0; i < 2 * equation->group_count; i++) {
        const int g = i / 2;
        char path[256];

        if (!xdmf->requested[g] || (i % 2 == 1 && !xdmf->normalised)) continue;
        (void)snprintf(path, sizeof path, "%s/%s%s", folder, equation->groups[g].name,
                       endings[i % 2]);
        SEDGE_TRY(sedge_h5_place(file, path, &xdmf->place[g][i % 2]));
    }
    return SEDGE_OK;
}

// The lengths of the points' array along z, y, x, the last one fastest; of points their number.
static void print_shape(char text[96], const sedge_spectrum_xdmf *xdmf)
{
    int64_t shape[3] = {1, 1, 1}; // x, y, z

    if (xdmf->plane == NULL) {
        (void)snprintf(text, 96, "%lld", (long long)xdmf->points);
        return;
    }
    shape[xdmf->plane->axes[0]] = xdmf->plane->shape[1];
    shape[xdmf->plane->axes[1]] = xdmf->plane->shape[0];
    (void)snprintf(text, 96, "%lld %lld %lld", (long long)shape[2], (long long)shape[1],
                   (long long)shape[0]);
}

// Where the points are: of a plane the first one and the steps along z, y, x.
static sedge_status add_geometry(sedge_text *out, const sedge_spectrum_xdmf *xdmf,
                                 const sedge_output_context *context, const char *shape)
{
    const sedge_plane *const plane = xdmf->plane;

    if (plane == NULL) {
        SEDGE_TRY(sedge_text_add(out,
                                 "    <Topology TopologyType=\"Polyvertex\" NumberOfElements="
                                 "\"%s\" NodesPerElement=\"1\"/>\n",
                                 shape));
        return sedge_text_add(out,
                              "    <Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"%s 3\" "
                              "NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">spectra.h5:"
                              "/spectra/%s/positions</DataItem></Geometry>\n",
                              shape, xdmf->name);
    }
    double first[3];
    double step[3];
    for (int k = 0; k < 2; k++) {
        const int axis = plane->axes[k];
        step[axis] = plane->step[k];
        first[axis] = sedge_mesh_inner_bounds(context->mesh)[0][axis] + 0.5 * plane->step[k];
    }
    first[plane->entry->axis] = plane->entry->position;
    step[plane->entry->axis] = plane->step[0]; // of one point: any number but 0
    SEDGE_TRY(sedge_text_add(
        out, "    <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%s\"/>\n", shape));
    return sedge_text_add(out,
                          "    <Geometry GeometryType=\"ORIGIN_DXDYDZ\"><DataItem Dimensions=\"3\" "
                          "Format=\"XML\">%.17g %.17g %.17g</DataItem><DataItem Dimensions=\"3\" "
                          "Format=\"XML\">%.17g %.17g %.17g</DataItem></Geometry>\n",
                          first[2], first[1], first[0], step[2], step[1], step[0]);
}

// One part (0: real, 1: imaginary) of the field `name` of `width` components, whose complex values
// begin at byte `place`: every other number of [points][width][2].
static sedge_status add_part(sedge_text *out, const char *name, int part, int width, int64_t place,
                             const char *shape)
{
    char all[128]; // the shape of the values
    int dimensions = 2;

    (void)snprintf(all, sizeof all, width > 1 ? "%s %d" : "%s", shape, width);
    for (const char *at = all; *at != '\0'; at++) dimensions += *at == ' ';
    SEDGE_TRY(sedge_text_add(out,
                             "    <Attribute Name=\"%s_%s\" AttributeType=\"%s\" Center=\"Node\">"
                             "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%s\">\n"
                             "      <DataItem Dimensions=\"3 %d\" Format=\"XML\">",
                             name, part == 0 ? "re" : "im", width > 1 ? "Vector" : "Scalar", all,
                             dimensions));
    for (int d = 0; d < dimensions; d++) // the first numbers, then steps and lengths
        SEDGE_TRY(sedge_text_add(out, "%d ", d + 1 < dimensions ? 0 : part));
    for (int d = 0; d < dimensions; d++) SEDGE_TRY(sedge_text_add(out, "1 "));
    return sedge_text_add(out,
                          "%s 1</DataItem>\n      <DataItem Dimensions=\"%s 2\" NumberType="
                          "\"Float\" Precision=\"8\" Format=\"Binary\" Endian=\"Little\" Seek="
                          "\"%lld\">spectra.h5</DataItem>\n    </DataItem></Attribute>\n",
                          all, all, (long long)place);
}

static sedge_status add_faces(sedge_text *out, const sedge_spectrum_xdmf *xdmf, const char *shape)
{
    SEDGE_TRY(sedge_text_add(out,
                             "    <Attribute Name=\"normals\" AttributeType=\"Vector\" Center="
                             "\"Node\"><DataItem Dimensions=\"%s 3\" NumberType=\"Float\" "
                             "Precision=\"8\" Format=\"HDF\">spectra.h5:/spectra/%s/normals"
                             "</DataItem></Attribute>\n",
                             shape, xdmf->name));
    return sedge_text_add(out,
                          "    <Attribute Name=\"weights\" AttributeType=\"Scalar\" Center="
                          "\"Node\"><DataItem Dimensions=\"%s\" NumberType=\"Float\" "
                          "Precision=\"8\" Format=\"HDF\">spectra.h5:/spectra/%s/weights"
                          "</DataItem></Attribute>\n",
                          shape, xdmf->name);
}

// The grid of frequency k.
static sedge_status add_grid(sedge_text *out, const sedge_spectrum_xdmf *xdmf,
                             const sedge_output_context *context, int k)
{
    const sedge_equation *const equation = context->problem->equation;
    const double frequency = sedge_deck_frequency(context->deck, xdmf->frequencies->value[k]);
    char shape[96];

    print_shape(shape, xdmf);
    SEDGE_TRY(
        sedge_text_add(out,
                       "  <Grid Name=\"%s\" GridType=\"Uniform\">\n    <Time Value=\"%.17g\"/>"
                       "\n",
                       xdmf->name, frequency));
    SEDGE_TRY(add_geometry(out, xdmf, context, shape));
    if (xdmf->normals) SEDGE_TRY(add_faces(out, xdmf, shape));
    for (int i = 0; i < 4 * equation->group_count; i++) {
        const sedge_output_group *const group = &equation->groups[i / 4];
        const int which = i / 2 % 2;
        char name[128];

        if (!xdmf->requested[i / 4] || (which == 1 && !xdmf->normalised)) continue;
        const int64_t bytes = 16 * xdmf->points * group->count;
        (void)snprintf(name, sizeof name, "%s%s", group->name, endings[which]);
        SEDGE_TRY(
            add_part(out, name, i % 2, group->count, xdmf->place[i / 4][which] + k * bytes, shape));
    }
    return sedge_text_add(out, "  </Grid>\n");
}

sedge_status sedge_spectrum_xdmf_write(const sedge_spectrum_xdmf *xdmf,
                                       const sedge_output_context *context)
{
    sedge_text *text = NULL;
    char name[128];
    char path[SEDGE_OUTPUT_PATH];
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(
        status, sedge_text_add(text,
                               "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n<Grid "
                               "Name=\"%s\" GridType=\"Collection\" CollectionType="
                               "\"Temporal\">\n",
                               xdmf->name));
    for (int k = 0; k < xdmf->frequencies->count; k++)
        SEDGE_TRY_GOTO(status, add_grid(text, xdmf, context, k));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "</Grid>\n</Domain>\n</Xdmf>\n"));
    (void)snprintf(name, sizeof name, "spectrum_%s.xmf", xdmf->name);
    sedge_output_path(path, context, name);
    SEDGE_TRY_GOTO(status, sedge_file_write(path, sedge_text_get(text), sedge_text_length(text)));
done:
    sedge_text_free(text);
    return status;
}

bool sedge_spectrum_owns_xdmf(const char *name)
{
    static const char *const ends[] = {".xmf", NULL};
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    return sedge_output_is_numbered(name, "spectrum_", letters, 1, ends);
}
