// sedge tune: choose the kernels of a deck, remember the choice, show how it came about.
#include "driver.h"

#include "device/device.h"
#include "operator/operator.h"
#include "program/program.h"

#include <stdio.h>

typedef struct tune_state {
    sedge_session session;
    sedge_device *device;
    sedge_cache *cache;
    sedge_operator *op;
} tune_state;

static sedge_status print(const tune_state *tune)
{
    const sedge_device_info *const info = sedge_device_get_info(tune->device);
    const sedge_cache_counts counts = sedge_cache_get_counts(tune->cache);

    printf("%s on %s: %s (%s)\n", tune->session.deck->path, info->kind_name, info->name,
           info->arch);
    SEDGE_TRY(sedge_operator_print_tuning(tune->op, stdout));
    printf("%lld programs compiled, %lld found; %s\n", (long long)counts.misses,
           (long long)counts.hits,
           sedge_cache_problem(tune->cache) != NULL ? sedge_cache_problem(tune->cache)
                                                    : sedge_cache_folder(tune->cache));
    return SEDGE_OK;
}

sedge_status sedge_tune_deck(sedge_comm *comm, const sedge_run_options *options)
{
    tune_state tune = {.device = NULL};
    sedge_session *const session = &tune.session;
    sedge_operator_options request;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_session_open(session, comm, options, false, NULL, NULL));
    if (session->problem.equation->elliptic != NULL) {
        status = SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: the kernels of the equation '%s' are configured by rule; there is nothing "
            "to tune",
            session->deck->path, session->problem.equation->name);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_session_kernels(&request, session)));
    request.forget = options->forget;
    SEDGE_TRY_GOTO(status, sedge_session_open_device(&tune.device, &tune.cache, session));
    SEDGE_TRY_GOTO(status,
                   sedge_operator_create(&tune.op, comm, tune.device, tune.cache, session->element,
                                         session->mesh, &session->problem, &request));
    if (sedge_comm_is_root(comm) && !options->quiet) status = print(&tune);
    status = sedge_comm_agree(comm, status);
done:
    sedge_operator_free(tune.op);
    sedge_cache_free(tune.cache);
    sedge_device_free(tune.device);
    sedge_session_close(session);
    return status;
}
