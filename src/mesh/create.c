#include "mesh.h"

#include "enclose.h"
#include "extrude.h"
#include "global.h"
#include "layer_groups.h"
#include "local.h"

#include "base/memory.h"
#include "petsc/petsc_library.h"

#include <math.h>
#include <stdio.h>

const int sedge_face_vertices[SEDGE_FACES][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};

const int sedge_face_permutations[6][3] = {
    {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0},
};

sedge_mesh_options sedge_mesh_defaults(void)
{
    const sedge_mesh_options options = {
        .scale = 1.0,
        .box_max = {1.0, 1.0, 1.0},
        .box_cells = {4, 4, 4},
        .box_split_axis = -1,
        .box_names = {"domain", NULL},
    };

    return options;
}

static sedge_status connect(sedge_global *mesh, const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_global_mark_enclosures(mesh, options));
    sedge_stopwatch_begin(options->watch, "mesh: match faces");
    return sedge_global_connect(mesh, options);
}

static sedge_status make_periodic(sedge_global *mesh, const sedge_mesh_options *options)
{
    static const char *const walls[3][2] = {{"xmin", "xmax"}, {"ymin", "ymax"}, {"zmin", "zmax"}};
    const int pairs = options->file == NULL ? 3 : options->periodic_pairs;

    SEDGE_TRY(sedge_allocate(&mesh->period, pairs, sizeof *mesh->period));
    for (int i = 0; i < pairs; i++) {
        const bool is_box = options->file == NULL;
        if (is_box && !options->box_periodic[i]) continue;
        SEDGE_TRY(sedge_global_pair(mesh, is_box ? walls[i][0] : options->periodic[i].first,
                                    is_box ? walls[i][1] : options->periodic[i].second,
                                    mesh->period[mesh->periods]));
        mesh->periods++;
    }
    return SEDGE_OK;
}

static sedge_status add_layers(sedge_global *mesh, const sedge_mesh_options *options)
{
    if (options->extrude.surfaces == 0 || options->extrude.volumes > 0) return SEDGE_OK;
    SEDGE_TRY(sedge_global_extrude(mesh, options));
    SEDGE_TRY(connect(mesh, options));
    return make_periodic(mesh, options);
}

// Of a file; a box conforms by the way it is made.
static sedge_status check_file(sedge_global *mesh, const sedge_mesh_options *options)
{
    if (options->file == NULL) return SEDGE_OK;
    const sedge_status status = sedge_global_conform(mesh);
    if (status != SEDGE_ERR_DATA || !options->keep_faults) return status;
    (void)snprintf(mesh->shape.fault, sizeof mesh->shape.fault, "%s", sedge_error_message());
    sedge_error_clear();
    return SEDGE_OK;
}

static void tell(const sedge_mesh_options *options, const char *what, int64_t elements)
{
    if (options->tell != NULL) options->tell(what, elements);
}

// Everything that rank 0 does alone.
static sedge_status build_global(sedge_global *mesh, int32_t **part, int parts,
                                 const sedge_mesh_options *options)
{
    if (!(options->scale > 0.0) || !isfinite(options->scale)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the mesh scale %.9g is not a positive number",
                          options->scale);
    }
    sedge_stopwatch_begin(options->watch, "mesh: read");
    SEDGE_TRY(options->file == NULL ? sedge_box_make(mesh, options)
                                    : sedge_gmsh_read(mesh, options));
    tell(options, "matching faces", mesh->elements);
    sedge_stopwatch_begin(options->watch, "mesh: check");
    SEDGE_TRY(sedge_global_orient(mesh));
    SEDGE_TRY(sedge_global_bend(mesh));
    SEDGE_TRY(sedge_global_add_enclosures(mesh, options));
    SEDGE_TRY(sedge_global_find_layers(mesh, &options->extrude));
    SEDGE_TRY(connect(mesh, options));
    sedge_stopwatch_begin(options->watch, "mesh: check");
    SEDGE_TRY(check_file(mesh, options));
    SEDGE_TRY(make_periodic(mesh, options));
    SEDGE_TRY(add_layers(mesh, options));
    sedge_global_sort_sides(mesh);
    SEDGE_TRY(sedge_global_close_enclosures(mesh, options));
    if (options->file != NULL) SEDGE_TRY(sedge_global_list_parts(mesh));
    sedge_stopwatch_begin(options->watch, "mesh: partition");
    if (parts > 1) tell(options, "cutting the mesh into parts", mesh->elements);
    SEDGE_TRY(sedge_allocate(part, mesh->elements, sizeof **part));
    SEDGE_TRY(sedge_global_partition(*part, mesh, parts, options->partitioner));
    return SEDGE_OK;
}

sedge_status sedge_mesh_create(sedge_mesh **out, const sedge_comm *comm,
                               const sedge_mesh_options *options)
{
    const int ranks = sedge_comm_size(comm);
    const sedge_petsc *petsc;
    sedge_global global;
    sedge_mesh *mesh = NULL;
    sedge_record *records = NULL;
    double(*middles)[SEDGE_EDGES][3] = NULL;
    int32_t *part = NULL;
    int32_t count = 0;
    sedge_status status = SEDGE_OK;

    *out = NULL;
    sedge_global_start(&global, options->file != NULL ? options->file : "the box");
    global.threads = options->threads;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&mesh, 1, sizeof *mesh)));
    if (ranks > 1) SEDGE_TRY_GOTO(status, sedge_petsc_enter(&petsc, comm));
    if (sedge_comm_is_root(comm)) status = build_global(&global, &part, ranks, options);
    if (ranks > 1) sedge_petsc_leave();
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (sedge_comm_is_root(comm)) tell(options, "numbering elements", global.elements);
    sedge_stopwatch_begin(options->watch, "mesh: distribute");
    SEDGE_TRY_GOTO(status,
                   sedge_local_distribute(mesh, &records, &middles, &count, &global, part, comm));
    if (options->keep_whole && ranks > 1 && sedge_comm_is_root(comm))
        status = sedge_mesh_keep(mesh, &global);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_global_release(&global);
    sedge_stopwatch_begin(options->watch, "mesh: number");
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_local_number(mesh, records, middles, count,
                                                             sedge_comm_rank(comm), options)));
    *out = mesh;
    mesh = NULL; // now the caller's
done:
    sedge_mesh_free(mesh);
    sedge_global_release(&global);
    sedge_release(records);
    sedge_release(middles);
    sedge_release(part);
    return status;
}

void sedge_mesh_free(sedge_mesh *mesh)
{
    if (mesh == NULL) return;
    sedge_groups_release(&mesh->groups);
    sedge_release(mesh->enclosed);
    sedge_release(mesh->enclosed_beside);
    sedge_release(mesh->period);
    sedge_release(mesh->ranges);
    sedge_release(mesh->corners);
    sedge_release(mesh->middles);
    sedge_release(mesh->planes);
    sedge_release(mesh->global_ids);
    sedge_release(mesh->group);
    sedge_release(mesh->faces);
    sedge_release(mesh->trace_faces);
    sedge_release(mesh->set_offsets);
    sedge_release(mesh->set_faces);
    sedge_release(mesh->peer_ranks);
    sedge_release(mesh->peer_offsets);
    sedge_release(mesh->halo_level);
    sedge_mesh_release_whole(mesh);
    sedge_release(mesh);
}
