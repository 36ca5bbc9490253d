#include "field_copy.h"

#include "base/memory.h"
#include "monitor/output_describe.h"

// Values go into files as they lie in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "field files are little endian");

struct sedge_field_copy {
    const sedge_vtk *vtk;
    int parts; // of the fields
    const sedge_sample_source *source;
    int rooms;
    int64_t first[SEDGE_MAX_FIELDS], stride[SEDGE_MAX_FIELDS]; // as in sedge_field_layout
    double factor[SEDGE_MAX_FIELDS];
    int64_t values;
    void *by_solver; // the source's
    float **room;    // [rooms][values], if the source makes no copies
};

// ---- making ------------------------------------------------------------------------------------

// Where the groups' values lie.
static void place_groups(sedge_field_copy *copy)
{
    const sedge_output_context *const context = copy->vtk->context;
    const sedge_equation *const equation = context->problem->equation;
    const int64_t points = copy->parts * copy->vtk->own * copy->vtk->lattice->nodes;

    for (int f = 0; f < equation->fields; f++) copy->first[f] = -1;
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        for (int c = 0; c < group->count; c++) {
            copy->first[group->first + c] = copy->values + c;
            copy->stride[group->first + c] = group->count;
            copy->factor[group->first + c] = sedge_output_group_factor(context, group);
        }
        copy->values += points * group->count;
    }
}

static sedge_status make_rooms(sedge_field_copy *copy, const sedge_sample *sample)
{
    const sedge_vtk *const vtk = copy->vtk;
    const sedge_field_layout layout = {.count = copy->parts * (int32_t)vtk->own,
                                       .elements = vtk->element,
                                       .padded = vtk->lattice->padded,
                                       .weights = vtk->lattice->weights,
                                       .first = copy->first,
                                       .stride = copy->stride,
                                       .factor = copy->factor,
                                       .values = copy->values};

    copy->source = sedge_sample_get_source(sample);
    if (copy->source->create_snapshot != NULL) {
        return copy->source->create_snapshot(&copy->by_solver, copy->source->solver, &layout,
                                             copy->rooms);
    }
    SEDGE_TRY(sedge_allocate(&copy->room, copy->rooms, sizeof *copy->room));
    for (int i = 0; i < copy->rooms; i++)
        SEDGE_TRY(sedge_allocate(&copy->room[i], copy->values, sizeof **copy->room));
    return SEDGE_OK;
}

sedge_status sedge_field_copy_create(sedge_field_copy **out, const sedge_vtk *vtk,
                                     const sedge_sample *sample, int rooms)
{
    sedge_field_copy *copy = NULL;
    sedge_status status = sedge_allocate(&copy, 1, sizeof *copy);

    *out = NULL;
    if (status == SEDGE_OK) {
        copy->vtk = vtk;
        copy->parts = sedge_output_parts(vtk->context);
        copy->rooms = rooms;
        place_groups(copy);
        status = make_rooms(copy, sample);
    }
    status = sedge_comm_agree(vtk->context->comm, status);
    if (status == SEDGE_OK) {
        *out = copy;
    } else {
        sedge_field_copy_free(copy);
    }
    return status;
}

void sedge_field_copy_free(sedge_field_copy *copy)
{
    if (copy == NULL) return;
    if (copy->by_solver != NULL) copy->source->free_snapshot(copy->by_solver);
    for (int i = 0; i < copy->rooms && copy->room != NULL; i++) sedge_release(copy->room[i]);
    sedge_release(copy->room);
    sedge_release(copy);
}

// ---- a copy ------------------------------------------------------------------------------------

// On the host: nodal values u of the whole mesh.
static void convert(const sedge_field_copy *copy, const double *u, float *values)
{
    const sedge_vtk *const vtk = copy->vtk;
    const int fields = vtk->context->problem->equation->fields;
    const int64_t nodes = vtk->lattice->nodes;

    for (int64_t e = 0; e < copy->parts * vtk->own; e++) {
        for (int f = 0; f < fields; f++) {
            if (copy->first[f] < 0) continue;
            sedge_lattice_apply(
                vtk->lattice, u + (vtk->element[e] * (int64_t)fields + f) * nodes, copy->factor[f],
                values + copy->first[f] + e * nodes * copy->stride[f], (int)copy->stride[f]);
        }
    }
}

sedge_status sedge_field_copy_take(sedge_field_copy *copy, sedge_sample *sample, int room)
{
    const double *u;

    if (copy->by_solver != NULL) {
        return sedge_comm_agree(copy->vtk->context->comm,
                                copy->source->take_snapshot(copy->by_solver, room));
    }
    SEDGE_TRY(sedge_sample_fields(sample, &u));
    convert(copy, u, copy->room[room]);
    return SEDGE_OK;
}

sedge_status sedge_field_copy_wait(const sedge_field_copy *copy, int room)
{
    return copy->by_solver != NULL ? copy->source->wait_snapshot(copy->by_solver, room) : SEDGE_OK;
}

const float *sedge_field_copy_values(const sedge_field_copy *copy, int room, int group, int part,
                                     int64_t *count)
{
    const sedge_vtk *const vtk = copy->vtk;
    const sedge_output_group *const which = &vtk->context->problem->equation->groups[group];
    const float *const all = copy->by_solver != NULL
                                 ? copy->source->get_snapshot(copy->by_solver, room)
                                 : copy->room[room];

    *count = vtk->own * vtk->lattice->nodes * which->count;
    return all + copy->first[which->first] + part * *count;
}
