#include "array/pattern_program.h"

#include "text/template.h"

// `out` NULL: get `program` from the context; else write the text.
static sedge_status make(sedge_text *out, sedge_device_kind kind, const sedge_program **program,
                         sedge_context *context, const sedge_pattern_program *made)
{
    sedge_status status;
    sedge_text *types = NULL;
    sedge_source sources[3];
    sedge_program_options options = {.name = made->name, .constants = "", .sources = sources};

    SEDGE_TRY_GOTO(status, sedge_text_create(&types));
    SEDGE_TRY_GOTO(status, sedge_template_write(types, &made->types));
    if (made->before != NULL) sources[options.count++] = (sedge_source){made->before, NULL};
    sources[options.count++] = (sedge_source){"types", sedge_text_get(types)};
    sources[options.count++] = (sedge_source){made->kernels, NULL};
    SEDGE_TRY_GOTO(status, out != NULL ? sedge_program_write(out, kind, &options)
                                       : sedge_context_program(context, program, &options));
done:
    sedge_text_free(types);
    return status;
}

sedge_status sedge_pattern_program_write(sedge_text *out, sedge_device_kind kind,
                                         const sedge_pattern_program *program)
{
    return make(out, kind, NULL, NULL, program);
}

sedge_status sedge_pattern_program_get(const sedge_program **out, sedge_context *context,
                                       const sedge_pattern_program *program)
{
    return make(NULL, SEDGE_DEVICE_HOST, out, context, program);
}
