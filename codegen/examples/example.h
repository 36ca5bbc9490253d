// What the examples share: opening the device that the command line names, and the exit code.
//
//     NAME [DEVICE [SIZE]]      DEVICE: auto (the default), cuda, opencl, host
#pragma once

#include "array/context.h"

#include <stdio.h>
#include <stdlib.h>

// Run an example; `size` is its default problem size. A wrong result is the example's failure.
static int example_main(int argc, char **argv, sedge_status (*run)(sedge_context *, int64_t),
                        int64_t size)
{
    sedge_context *context = NULL;
    sedge_status status = sedge_context_open(&context, argc > 1 ? argv[1] : "auto");

    if (argc > 2) size = strtoll(argv[2], NULL, 10);
    if (status == SEDGE_OK && size < 1)
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "the size '%s' is not a positive number", argv[2]);
    if (status == SEDGE_OK) {
        const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
        printf("%s: %s\n", info->kind_name, info->name);
        status = run(context, size);
    }
    sedge_context_free(context);
    if (status != SEDGE_OK) (void)fprintf(stderr, "%s: %s\n", argv[0], sedge_error_message());
    return sedge_status_exit_code(status);
}
