// The tuner on the solver's own kernels: the stage of Maxwell's equations.
#include "problem.h"
#include "tuner.h"

#include "operator/operator.h"

#include <string.h>

static const struct {
    int order;
    sedge_precision precision;
    int cells; // cubes an axis on a GPU; the host has a quarter
} cases[] = {
    {2, SEDGE_FP32, 48},
    {3, SEDGE_FP32, 40},
    {4, SEDGE_FP32, 36},
    {4, SEDGE_FP64, 32},
};

static sedge_status run_operator(const sedge_comm *comm, const bench_tuning *bench,
                                 const sedge_element *element, const sedge_mesh *mesh,
                                 const sedge_problem *problem)
{
    const sedge_operator_options options = {.tune = SEDGE_TUNE_OFF};
    const sedge_tune_task *task = NULL;
    sedge_operator *op = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_operator_create(&op, comm, bench->device, bench->cache, element,
                                                 mesh, problem, &options));
    SEDGE_TRY_GOTO(status, sedge_operator_task(op, &task));
    SEDGE_TRY_GOTO(status, bench_tuning_compare(bench, task));
done:
    sedge_operator_free(op);
    return status;
}

sedge_status bench_tuning_run_own(const sedge_comm *comm, const bench_tuning *bench)
{
    sedge_status status = SEDGE_OK;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == SEDGE_OK; i++) {
        const int cells = bench->large ? cases[i].cells : cases[i].cells / 4;
        sedge_element *element = NULL;
        sedge_mesh *mesh = NULL;
        sedge_problem problem;
        if (bench->six && i > 1) continue;
        memset(&problem, 0, sizeof problem);
        status = bench_mesh_create(&mesh, comm, NULL, cells, SEDGE_NUMBERING_CLUSTERS, false);
        if (status == SEDGE_OK) status = sedge_element_create(&element, cases[i].order);
        if (status == SEDGE_OK)
            status = bench_problem_init(&problem, mesh, cases[i].order, cases[i].precision);
        if (status == SEDGE_OK) status = run_operator(comm, bench, element, mesh, &problem);
        sedge_problem_clear(&problem);
        sedge_element_free(element);
        sedge_mesh_free(mesh);
    }
    return status;
}
