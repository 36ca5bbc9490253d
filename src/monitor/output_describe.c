#include "output_describe.h"

#include <string.h>

sedge_status sedge_output_describe(sedge_h5 *file, const sedge_output_context *context,
                                   const char *content)
{
    const sedge_deck *const deck = context->deck;

    SEDGE_TRY(sedge_h5_text(file, "/", "content", content));
    SEDGE_TRY(sedge_h5_text(file, "/", "title", deck->title != NULL ? deck->title : ""));
    SEDGE_TRY(sedge_h5_text(file, "/", "deck", deck->path));
    SEDGE_TRY(sedge_h5_text(file, "/", "equation", context->problem->equation->name));
    SEDGE_TRY(sedge_h5_integer(file, "/", "order", context->element->order));
    SEDGE_TRY(sedge_h5_text(file, "/", "units", deck->si ? "si" : "normalised"));
    return sedge_h5_text(file, "/", "version", "sedge " SEDGE_VERSION);
}

const char *sedge_output_unit(const sedge_output_context *context, const char *si)
{
    return context->deck->si ? si : "1";
}

int sedge_output_parts(const sedge_output_context *context)
{
    return sedge_mesh_copies(context->mesh);
}

const char *sedge_output_part(int part)
{
    return part == 0 ? "" : "_imag";
}

double sedge_output_group_factor(const sedge_output_context *context,
                                 const sedge_output_group *group)
{
    return context->deck->si ? group->si : 1.0;
}

sedge_status sedge_output_describe_group(sedge_h5 *file, const sedge_output_context *context,
                                         const char *path, const sedge_output_group *group)
{
    const char *const si = group->unit_si != NULL ? group->unit_si : "1";

    SEDGE_TRY(sedge_h5_text(file, path, "units", sedge_output_unit(context, si)));
    return sedge_h5_texts(file, path, "fields",
                          context->problem->equation->field_names + group->first, group->count);
}
