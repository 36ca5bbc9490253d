#include "array/pattern_program.h"

#include "text/template.h"

// What the options of a program point to.
typedef struct parts {
    sedge_text *types;
    sedge_source sources[3];
    sedge_program_options options;
} parts;

// To be released in any case.
static sedge_status make(parts *out, const sedge_pattern_program *from)
{
    sedge_source *const sources = out->sources;
    int count = 0;

    SEDGE_TRY(sedge_text_create(&out->types));
    SEDGE_TRY(sedge_template_write(out->types, &from->types));
    if (from->before != NULL) sources[count++] = (sedge_source){from->before, NULL};
    sources[count++] = (sedge_source){"types", sedge_text_get(out->types)};
    sources[count++] = (sedge_source){from->kernels, NULL};
    out->options = (sedge_program_options){
        .name = from->name, .constants = "", .sources = sources, .count = count};
    return SEDGE_OK;
}

sedge_status sedge_pattern_program_write(sedge_text *out, sedge_device_kind kind,
                                         const sedge_pattern_program *program)
{
    parts made = {.types = NULL};
    sedge_status status = make(&made, program);

    if (status == SEDGE_OK) status = sedge_program_write(out, kind, &made.options);
    sedge_text_free(made.types);
    return status;
}

sedge_status sedge_pattern_program_get(const sedge_program **out, sedge_context *context,
                                       const sedge_pattern_program *program)
{
    parts made = {.types = NULL};
    sedge_status status = make(&made, program);

    if (status == SEDGE_OK) status = sedge_context_program(context, out, &made.options);
    sedge_text_free(made.types);
    return status;
}
