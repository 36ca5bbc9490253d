// Field files and the list of them.
#include "output_parts.h"

#include "base/memory.h"
#include "monitor/field_list.h"
#include "monitor/output_describe.h"
#include "monitor/vtk_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_IN_FILE 128

struct sedge_fields {
    const sedge_output_context *context;
    sedge_vtk vtk;
    sedge_vtk_mesh mesh;
    int count;     // field files written
    int capacity;  // of `times`
    double *times; // [count], deck's units; root only
};

// ---- a snapshot --------------------------------------------------------------------------------

typedef struct field_snapshot {
    double time; // deck's units
    int64_t step;
    const double *u;
    const sedge_vtk_mesh *mesh;
    const sedge_output_group *group; // the one being written
} field_snapshot;

static void fill_values(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const field_snapshot *const snapshot = from;
    const sedge_output_group *const group = snapshot->group;
    const int fields_of_u = vtk->context->problem->equation->fields;
    const int nodes = vtk->lattice->nodes;
    const double factor = sedge_output_group_factor(vtk->context, group);
    float *const block = values;

    for (int64_t e = 0; e < count; e++) {
        for (int c = 0; c < group->count; c++) {
            sedge_lattice_apply(
                vtk->lattice, snapshot->u + ((first + e) * fields_of_u + group->first + c) * nodes,
                factor, block + e * nodes * group->count + c, group->count);
        }
    }
}

// The dataset of one group; `path` is the room for its name.
static sedge_vtk_column group_column(const sedge_vtk *vtk, const sedge_output_group *group,
                                     char path[PATH_IN_FILE])
{
    (void)snprintf(path, PATH_IN_FILE, "/VTKHDF/PointData/%s", group->name);
    return (sedge_vtk_column){path, SEDGE_H5_F32, vtk->lattice->nodes, group->count, fill_values};
}

// Root: everything of a field file but the fields' values: the mesh by links, and the time.
static sedge_status frame_snapshot(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    static const int64_t one = 1;
    const sedge_output_context *const context = vtk->context;
    const sedge_equation *const equation = context->problem->equation;
    const field_snapshot *const snapshot = what;
    char path[PATH_IN_FILE];

    SEDGE_TRY(sedge_vtk_write_head(vtk, file, "fields"));
    SEDGE_TRY(sedge_h5_real(file, "/", "time", snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/", "time_units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_integer(file, "/", "step", snapshot->step));
    SEDGE_TRY(sedge_vtk_mesh_link(snapshot->mesh, vtk, file));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF/FieldData"));
    SEDGE_TRY(
        sedge_h5_put(file, "/VTKHDF/FieldData/TimeValue", SEDGE_H5_F64, 1, &one, &snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/VTKHDF/FieldData/TimeValue", "units",
                            sedge_output_unit(context, "s")));
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_vtk_column column = group_column(vtk, &equation->groups[g], path);

        SEDGE_TRY(sedge_vtk_make_column(vtk, file, &column));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, &equation->groups[g]));
    }
    return SEDGE_OK;
}

// All ranks: the fields' values.
static sedge_status fill_snapshot(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const sedge_equation *const equation = vtk->context->problem->equation;
    field_snapshot snapshot = *(const field_snapshot *)what;
    char path[PATH_IN_FILE];

    for (int g = 0; g < equation->group_count; g++) {
        const sedge_vtk_column column = group_column(vtk, &equation->groups[g], path);

        snapshot.group = &equation->groups[g];
        SEDGE_TRY(sedge_vtk_fill_column(vtk, file, &column, &snapshot));
    }
    return SEDGE_OK;
}

static sedge_status note_time(sedge_fields *fields, double time)
{
    if (fields->count == fields->capacity) {
        double *more = NULL;

        SEDGE_TRY(sedge_allocate(&more, 2 * (int64_t)fields->capacity + 64, sizeof *more));
        if (fields->count > 0) memcpy(more, fields->times, (size_t)fields->count * sizeof *more);
        sedge_release(fields->times);
        fields->times = more;
        fields->capacity = 2 * fields->capacity + 64;
    }
    fields->times[fields->count] = time;
    return SEDGE_OK;
}

sedge_status sedge_fields_write(sedge_fields *fields, double time, int64_t step, const double *u)
{
    const sedge_comm *const comm = fields->context->comm;
    const field_snapshot snapshot = {.time = time * sedge_deck_time_unit(fields->context->deck),
                                     .step = step,
                                     .u = u,
                                     .mesh = &fields->mesh};
    char name[32];

    if (!isfinite(time))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a snapshot at time %g cannot be listed", time);
    SEDGE_TRY(sedge_comm_agree(comm, note_time(fields, snapshot.time)));
    sedge_field_list_name(name, fields->count);
    SEDGE_TRY(sedge_vtk_write(&fields->vtk, name, frame_snapshot, fill_snapshot, &snapshot));
    fields->count++;
    return sedge_comm_agree(
        comm, sedge_comm_is_root(comm)
                  ? sedge_field_list_write(fields->context, fields->count, fields->times)
                  : SEDGE_OK);
}

// ---- set-up ------------------------------------------------------------------------------------

// The list of the field files before the restart; those behind it are removed when the list does
// not name them any more. The root has the files; all ranks count.
static sedge_status continue_series(sedge_fields *fields)
{
    const sedge_output_context *const context = fields->context;
    const int64_t count = context->from->fields;

    SEDGE_TRY(sedge_allocate(&fields->times, count + 64, sizeof *fields->times));
    fields->capacity = (int)count + 64;
    fields->count = (int)count;
    if (!sedge_comm_is_root(context->comm)) return SEDGE_OK;
    if (count > 0) {
        SEDGE_TRY(sedge_field_list_read(context, count, fields->times));
        SEDGE_TRY(sedge_field_list_write(fields->context, fields->count, fields->times));
    } else {
        sedge_field_list_remove(context); // of files that are no more
    }
    return sedge_field_list_cut(context, count);
}

sedge_status sedge_fields_prepare(sedge_fields *fields)
{
    if (fields->vtk.lattice != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_vtk_prepare(&fields->vtk, fields->context));
    return sedge_vtk_mesh_prepare(&fields->mesh, &fields->vtk);
}

sedge_status sedge_fields_create(sedge_fields **out, const sedge_output_context *context)
{
    const sedge_comm *const comm = context->comm;
    sedge_status status;
    sedge_fields *fields = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&fields, 1, sizeof *fields)));
    fields->context = context;
    if (context->from != NULL) status = continue_series(fields);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (context->deck->snapshots > 0) SEDGE_TRY_GOTO(status, sedge_fields_prepare(fields));
    *out = fields;
    fields = NULL;
done:
    sedge_fields_free(fields);
    return status;
}

int64_t sedge_fields_count(const sedge_fields *fields)
{
    return fields->count;
}

void sedge_fields_free(sedge_fields *fields)
{
    if (fields == NULL) return;
    sedge_vtk_clear(&fields->vtk);
    sedge_release(fields->times);
    sedge_release(fields);
}
