#include "program/program.h"

#include "base/memory.h"
#include "program/combine_log.h"

#include <stdio.h>

struct sedge_program {
    sedge_module *module;
    sedge_text *log;
    char prefix[SEDGE_COMBINE_PREFIX]; // of its kernels' names in the module
};

sedge_status sedge_program_load(sedge_program **out, sedge_module **module, sedge_device *device,
                                const void *binary, size_t length, const char *log)
{
    sedge_status status;
    sedge_program *program = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&program, 1, sizeof *program));
    SEDGE_TRY_GOTO(status, sedge_text_create(&program->log));
    SEDGE_TRY_GOTO(status, sedge_text_add(program->log, "%s", log));
    sedge_combine_prefix(program->prefix, log);
    if (module != NULL) {
        program->module = *module;
        *module = NULL;
    }
    if (program->module == NULL)
        SEDGE_TRY_GOTO(status, sedge_module_load(&program->module, device, binary, length));
    *out = program;
    program = NULL;
done:
    sedge_program_free(program);
    return status;
}

sedge_status sedge_program_create(sedge_program **out, const sedge_comm *comm, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_options *options)
{
    sedge_status status;
    sedge_text *text = NULL;

    *out = NULL;
    status = sedge_text_create(&text);
    if (status == SEDGE_OK)
        status = sedge_program_write(text, sedge_device_get_info(device)->kind, options);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    const sedge_program_text whole = {options->name, sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(out, NULL, comm, device, cache, &whole, 1));
done:
    sedge_text_free(text);
    return status;
}

void sedge_program_free(sedge_program *program)
{
    if (program == NULL) return;
    sedge_module_free(program->module);
    sedge_text_free(program->log);
    sedge_release(program);
}

sedge_status sedge_program_get(const sedge_kernel **out, const sedge_program *program,
                               const char *name)
{
    char whole[256];

    if (program->prefix[0] == '\0') return sedge_module_get(out, program->module, name);
    (void)snprintf(whole, sizeof whole, "%s%s", program->prefix, name);
    return sedge_module_get(out, program->module, whole);
}

const char *sedge_program_log(const sedge_program *program)
{
    return sedge_text_get(program->log);
}
