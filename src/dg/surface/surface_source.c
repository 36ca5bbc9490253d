#include "dg/surface_source.h"

#include "base/memory.h"
#include "dg/reference.h"

const double *sedge_surface_signal(const sedge_problem *problem, int source)
{
    const sedge_boundary *const boundary = problem->surface_sources[source].boundary;

    return boundary->parameters + boundary->kind->driven;
}

// This rank's sides of the surface of a source; none if the function of the surface's kind knows
// the source.
static int find_sides(int32_t *first, const sedge_mesh *mesh, const sedge_problem *problem,
                      int source)
{
    const sedge_boundary *const boundary = problem->surface_sources[source].boundary;
    const int s = boundary->surface;
    const bool known = boundary->field == NULL && boundary == &problem->boundaries[s];

    *first = mesh->set_offsets[s];
    return known ? 0 : mesh->set_offsets[s + 1] - *first;
}

// Fields and traces that are 0 stand in `zero`.
static sedge_status fill(sedge_surface_shares *out, const sedge_element *element,
                         const sedge_mesh *mesh, const sedge_problem *problem, const double *zero)
{
    const int64_t numbers = (int64_t)problem->equation->fields * element->nodes;
    sedge_reference *reference = NULL;

    SEDGE_TRY(sedge_reference_create_alone(&reference, element, mesh, problem));
    for (int source = 0; source < problem->surface_source_count; source++) {
        int32_t first = 0;
        const int sides = find_sides(&first, mesh, problem, source);

        for (int i = 0; i < sides; i++) {
            const sedge_set_face *const side = &mesh->set_faces[first + i];

            out->share[out->count] = (sedge_point_share){source, side->element};
            sedge_reference_driven_of(reference, side->element,
                                      problem->surface_sources[source].boundary, zero, zero,
                                      out->rates + numbers * out->count++);
        }
    }
    sedge_reference_free(reference);
    return SEDGE_OK;
}

sedge_status sedge_surface_shares_create(sedge_surface_shares *out, const sedge_element *element,
                                         const sedge_mesh *mesh, const sedge_problem *problem)
{
    const int64_t fields = problem->equation->fields;
    const int64_t own = mesh->elements * fields * element->nodes;
    const int64_t halo = mesh->halo_faces * fields * element->face_nodes;
    const int64_t zeros = own > halo ? own : halo;
    int64_t count = 0;
    double *zero = NULL;
    sedge_status status;

    *out = (sedge_surface_shares){0};
    for (int source = 0; source < problem->surface_source_count; source++) {
        int32_t first = 0;
        count += find_sides(&first, mesh, problem, source);
    }
    if (count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->share, count, sizeof *out->share));
    SEDGE_TRY_GOTO(
        status, sedge_allocate(&out->rates, count * fields * element->nodes, sizeof *out->rates));
    SEDGE_TRY_GOTO(status, sedge_allocate_thin(&zero, zeros, sizeof *zero));
    status = fill(out, element, mesh, problem, zero);
done:
    sedge_release_thin(zero, zeros, sizeof *zero);
    return status;
}

void sedge_surface_shares_clear(const sedge_surface_shares *shares)
{
    sedge_release(shares->share);
    sedge_release(shares->rates);
}
