// How good the tuner's quick choice is: for each kernel, the winner of the 0.3 s budget against the
// best of all candidates measured to the end.
//
//     sedge-bench-tuner [DEVICE [REPEATS [tables|six|six,tables]]]
//
// tables: with those of the first search; six: without the stages of order 4, which take longest.
// Some kernels are templates (tuner_templates.c); those of the DG operator are the solver's
// (tuner_own.c).
#include "tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sedge_status run(const sedge_comm *comm, sedge_context *context, int repeats,
                        const char *what)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    const bench_tuning bench = {.device = sedge_context_device(context),
                                .cache = sedge_context_cache(context),
                                .repeats = repeats,
                                .tables = strstr(what, "tables") != NULL,
                                .six = strstr(what, "six") != NULL,
                                .large = sedge_traits_of(info->kind)->gpu_rules};

    printf("%s: %s\n", info->kind_name, info->name);
    bench_tuning_print_head();
    SEDGE_TRY(bench_tuning_run_templates(context, &bench));
    return bench_tuning_run_own(comm, &bench);
}

int main(int argc, char **argv)
{
    const int repeats = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3;
    const char *const what = argc > 3 ? argv[3] : "";
    sedge_context *context = NULL;
    sedge_comm *comm = NULL;
    sedge_status status = sedge_device_start_helper();

    if (status == SEDGE_OK) status = sedge_comm_create(&comm, NULL);
    if (status == SEDGE_OK && (repeats < 1 || sedge_comm_size(comm) > 1))
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "one rank and at least one repeat are wanted");
    if (status == SEDGE_OK) status = sedge_context_open(&context, argc > 1 ? argv[1] : "auto");
    if (status == SEDGE_OK) status = sedge_device_make_current(sedge_context_device(context));
    if (status == SEDGE_OK) status = run(comm, context, repeats, what);
    sedge_context_free(context);
    if (status != SEDGE_OK) (void)fprintf(stderr, "%s: %s\n", argv[0], sedge_error_message());
    sedge_comm_free(comm);
    return sedge_status_exit_code(status);
}
