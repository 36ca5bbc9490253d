#include "absorption.h"

#include "base/memory.h"
#include "dg/response.h"
#include "radiation/incident.h"

#include <string.h>

#define PI 3.14159265358979323846

// Does the medium of volume group `v` take energy out of fields at some frequency of the entry?
static bool is_lossy(const sedge_absorption *absorption, int v)
{
    const sedge_problem *const problem = absorption->context->problem;
    const int numbers = problem->equation->fields * problem->equation->fields;
    double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];

    for (int k = 0; k < absorption->deck->frequencies.count; k++) {
        const double omega = 2.0 * PI * absorption->deck->frequencies.value[k];
        if (!sedge_response_losses(losses, problem, v, omega)) continue;
        for (int i = 0; i < numbers; i++)
            if (cabs(losses[i]) > 0.0) return true;
    }
    return false;
}

// Has the entry all media of the deck's sphere that have losses?
static bool has_sphere(const sedge_absorption *absorption)
{
    const sedge_deck_sphere *const sphere = &absorption->context->deck->exact;
    const sedge_mesh_groups *const groups = &absorption->context->mesh->groups;

    for (int i = 0; i < sphere->layers; i++) {
        for (int v = 0; v < groups->volumes; v++) {
            if (strcmp(groups->volume_names[v], sphere->material[i]) != 0) continue;
            if (absorption->group_of[v] < 0 && is_lossy(absorption, v)) return false;
        }
    }
    return sphere->layers > 0;
}

sedge_status sedge_absorption_find_exact(sedge_absorption *absorption,
                                         const sedge_spectrum *spectrum)
{
    const sedge_output_context *const context = absorption->context;
    const int count = spectrum->frequencies->count;

    if (absorption->intensity == NULL || !spectrum->normalised || !has_sphere(absorption))
        return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(
        context->comm, sedge_allocate(&absorption->exact, count, sizeof *absorption->exact)));
    sedge_status status = SEDGE_OK;
    for (int k = 0; k < count && status == SEDGE_OK; k++) {
        sedge_mie *mie = NULL;

        status =
            sedge_exact_create(&mie, context, 2.0 * PI * spectrum->frequencies->value[k], NULL);
        if (status != SEDGE_OK) break;
        absorption->exact[k] = sedge_mie_find_sections(mie).absorption;
        sedge_mie_free(mie);
    }
    return sedge_comm_agree(context->comm, status);
}
