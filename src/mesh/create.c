// The whole mesh on rank 0, its parts, and the ranks' meshes made of them; parts balanced by the
// work of each level.
#include "mesh.h"

#include "enclose.h"
#include "extrude.h"
#include "global.h"
#include "local.h"
#include "regroup.h"

#include "base/memory.h"
#include "partition/parts.h"
#include "petsc/petsc_library.h"
#include "petsc/petsc_partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)SEDGE_GRAPH_LEVELS == SEDGE_LEVELS_MAX, "levels of graphs and meshes");

// Parts that lose less than this by waiting stay as they are: they have the shortest halo.
#define WORTH 0.05

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
    const int most = options->file == NULL ? 3 : options->periodic_pairs;
    sedge_periodic_pair pair;

    SEDGE_TRY(sedge_allocate(&mesh->period, most, sizeof *mesh->period));
    for (int i = 0; sedge_mesh_find_pair(&pair, options, i); i++) {
        SEDGE_TRY(sedge_global_pair(mesh, pair.first, pair.second, mesh->period[mesh->periods]));
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

sedge_status sedge_mesh_check_scale(double scale)
{
    if (scale > 0.0 && isfinite(scale)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "the mesh scale %.9g is not a positive number", scale);
}

sedge_status sedge_global_build(sedge_global *mesh, const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_mesh_check_scale(options->scale));
    sedge_stopwatch_begin(options->watch, "mesh: read");
    SEDGE_TRY(options->file == NULL ? sedge_box_make(mesh, options)
                                    : sedge_gmsh_read(mesh, options));
    tell(options, "matching faces", mesh->elements);
    sedge_stopwatch_begin(options->watch, "mesh: check");
    SEDGE_TRY(sedge_global_orient(mesh));
    SEDGE_TRY(sedge_global_bend(mesh));
    SEDGE_TRY(sedge_global_label(mesh, options->labels));
    SEDGE_TRY(sedge_global_grade(mesh, options));
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
    return sedge_global_divide(mesh);
}

// Everything that rank 0 does alone.
static sedge_status build_parts(sedge_global *mesh, int32_t **part, int parts,
                                const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_global_build(mesh, options));
    sedge_global_cut_periodic(mesh, options);
    sedge_stopwatch_begin(options->watch, "mesh: partition");
    if (parts > 1) tell(options, "cutting the mesh into parts", mesh->elements);
    SEDGE_TRY(sedge_allocate(part, mesh->elements, sizeof **part));
    SEDGE_TRY(sedge_global_partition(*part, mesh, parts, options->partitioner));
    return SEDGE_OK;
}

// Move the whole mesh into `mesh`, which keeps it for sedge_mesh_balance; `global` is empty then.
static sedge_status keep_whole(sedge_mesh *mesh, sedge_global *global)
{
    SEDGE_TRY(sedge_allocate(&mesh->whole, 1, sizeof *mesh->whole));
    *mesh->whole = *global;
    mesh->whole->name = "";
    mesh->whole->enclosures_asked = NULL;
    sedge_global_start(global, "");
    return SEDGE_OK;
}

sedge_status sedge_mesh_create(sedge_mesh **out, const sedge_comm *comm,
                               const sedge_mesh_options *options)
{
    const int ranks = sedge_comm_size(comm);
    bool has_petsc = false;
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
    if (ranks > 1) {
        SEDGE_TRY_GOTO(status, sedge_petsc_partition_enter(&has_petsc, comm, options->partitioner));
    }
    if (sedge_comm_is_root(comm)) status = build_parts(&global, &part, ranks, options);
    if (has_petsc) sedge_petsc_leave();
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (sedge_comm_is_root(comm)) tell(options, "numbering elements", global.elements);
    sedge_stopwatch_begin(options->watch, "mesh: distribute");
    SEDGE_TRY_GOTO(status,
                   sedge_local_distribute(mesh, &records, &middles, &count, &global, part, comm));
    if (options->keep_whole && ranks > 1 && sedge_comm_is_root(comm))
        status = keep_whole(mesh, &global);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_global_release(&global);
    sedge_stopwatch_begin(options->watch, "mesh: number");
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_local_number(mesh, records, middles, count,
                                                             sedge_comm_rank(comm), options)));
    if (options->extrude.surfaces > 0) SEDGE_TRY_GOTO(status, sedge_mesh_find_boxes(mesh, comm));
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

void sedge_mesh_forget_numbered(sedge_mesh *mesh)
{
    mesh->corners = NULL;
    mesh->middles = NULL;
    mesh->planes = NULL;
    mesh->global_ids = NULL;
    mesh->group = NULL;
    mesh->faces = NULL;
    mesh->trace_faces = NULL;
    mesh->set_faces = NULL;
    mesh->halo_level = NULL;
}

void sedge_mesh_release_numbered(const sedge_mesh *mesh)
{
    sedge_release(mesh->corners);
    sedge_release(mesh->middles);
    sedge_release(mesh->planes);
    sedge_release(mesh->global_ids);
    sedge_release(mesh->group);
    sedge_release(mesh->faces);
    sedge_release(mesh->trace_faces);
    sedge_release(mesh->set_faces);
    sedge_release(mesh->halo_level);
}

void sedge_mesh_free(sedge_mesh *mesh)
{
    if (mesh == NULL) return;
    sedge_groups_release(&mesh->groups);
    sedge_release(mesh->enclosed);
    sedge_release(mesh->enclosed_beside);
    sedge_release(mesh->boxes);
    sedge_release(mesh->period);
    sedge_release(mesh->ranges);
    sedge_mesh_release_numbered(mesh);
    sedge_release(mesh->cut_surface);
    sedge_release(mesh->set_offsets);
    sedge_release(mesh->peer_ranks);
    sedge_release(mesh->peer_offsets);
    sedge_mesh_release_whole(mesh);
    sedge_release(mesh);
}

void sedge_mesh_release_whole(sedge_mesh *mesh)
{
    if (mesh->whole == NULL) return;
    sedge_global_release(mesh->whole);
    sedge_release(mesh->whole);
    mesh->whole = NULL;
}

// ---- balanced work: what rank 0 learns ---------------------------------------------------------

typedef struct element_work {
    int32_t id; // in the whole mesh
    uint8_t level;
    uint16_t work;
} element_work;

typedef struct balance_job {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    int ranks;
    uint8_t *whole_level; // [elements of the whole mesh] on rank 0; NULL on the others
    uint16_t *whole_work; // the same
    int32_t *part;        // the same
    double path;          // critical path of the present parts
} balance_job;

sedge_status sedge_mesh_measure_path(double *path, const sedge_mesh *mesh, const sedge_comm *comm,
                                     const uint8_t *level, const uint16_t *work)
{
    const int ranks = sedge_comm_size(comm);
    int64_t mine[SEDGE_GRAPH_LEVELS] = {0};
    int64_t(*all)[SEDGE_GRAPH_LEVELS] = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&all, ranks, sizeof *all)));
    for (int32_t e = 0; e < mesh->elements; e++) mine[level[e]] += work[e];
    sedge_comm_all_gather(comm, mine, all, sizeof mine);
    *path = sedge_parts_path((const int64_t(*)[SEDGE_GRAPH_LEVELS])all, ranks);
    sedge_release(all);
    return SEDGE_OK;
}

// Each rank's levels and work to rank 0, by number in the whole mesh.
static sedge_status gather_work(balance_job *job, const uint8_t *level, const uint16_t *work)
{
    const int32_t elements = job->mesh->elements;
    const int64_t all = job->mesh->global_elements;
    element_work *mine = NULL;
    element_work *theirs = NULL;
    int64_t *counts = NULL; // rows for each rank, then rows from each
    sedge_status status;

    status = sedge_allocate(&mine, elements, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(&counts, 2LL * job->ranks, sizeof *counts);
    if (status == SEDGE_OK && sedge_comm_is_root(job->comm)) {
        status = sedge_allocate(&job->whole_level, all, sizeof *job->whole_level);
        if (status == SEDGE_OK)
            status = sedge_allocate(&job->whole_work, all, sizeof *job->whole_work);
        if (status == SEDGE_OK) status = sedge_allocate(&job->part, all, sizeof *job->part);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(job->comm, status));
    for (int32_t e = 0; e < elements; e++)
        mine[e] = (element_work){(int32_t)job->mesh->global_ids[e], level[e], work[e]};
    counts[0] = elements;
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(job->comm, mine, counts, sizeof *mine, &theirs,
                                                 counts + job->ranks));
    for (int64_t i = 0; i < all && job->part != NULL; i++) {
        job->whole_level[theirs[i].id] = theirs[i].level;
        job->whole_work[theirs[i].id] = theirs[i].work;
    }
done:
    sedge_release(mine);
    sedge_release(theirs);
    sedge_release(counts);
    return status;
}

// ---- parts -------------------------------------------------------------------------------------

static sedge_status make_graph(sedge_level_graph *g, const balance_job *job)
{
    const sedge_global *const whole = job->mesh->whole;
    int32_t edges = 0;

    SEDGE_TRY(sedge_level_graph_start(g, whole->elements, 4LL * whole->elements));
    for (int32_t e = 0; e < whole->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t n = whole->faces[e][f].neighbour;
            int32_t known = n < 0 || n == e ? -1 : g->offsets[e];
            while (known >= 0 && known < edges && g->neighbours[known] != n) known++;
            if (known < 0) continue;
            if (known == edges) g->neighbours[edges++] = n;
            g->faces[known]++;
        }
        g->offsets[e + 1] = edges;
        g->work[e] = job->whole_work[e];
        g->level[e] = job->whole_level[e];
    }
    return SEDGE_OK;
}

// Are parts better than the present ones, and has each an element?
static sedge_status compare(bool *better, const balance_job *job)
{
    const int64_t elements = job->mesh->global_elements;
    int64_t(*work)[SEDGE_GRAPH_LEVELS] = NULL;

    SEDGE_TRY(sedge_allocate(&work, job->ranks, sizeof *work));
    for (int64_t e = 0; e < elements; e++)
        work[job->part[e]][job->whole_level[e]] += job->whole_work[e];
    *better = sedge_parts_path((const int64_t(*)[SEDGE_GRAPH_LEVELS])work, job->ranks) <
              job->path - 0.5 * WORTH;
    for (int p = 0; p < job->ranks; p++) {
        int64_t sum = 0;
        for (int l = 0; l < SEDGE_GRAPH_LEVELS; l++) sum += work[p][l];
        *better = *better && sum > 0;
    }
    sedge_release(work);
    return SEDGE_OK;
}

// On rank 0: find parts, if they are better than the present ones.
static sedge_status find_parts(bool *better, balance_job *job)
{
    sedge_level_graph graph = {.vertices = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_graph(&graph, job));
    SEDGE_TRY_GOTO(status,
                   sedge_parts_by_levels(job->part, &graph, job->ranks, job->mesh->whole->threads));
    status = compare(better, job);
done:
    sedge_level_graph_clear(&graph);
    return status;
}

// ---- the mesh of the new parts -----------------------------------------------------------------

// Levels in the order of parts and, within a part, of numbers in the whole mesh: `by_part`
// [elements of the whole mesh], counts [ranks].
static sedge_status sort_levels(uint8_t **by_part, int64_t *counts, const balance_job *job)
{
    const int64_t all = job->part != NULL ? job->mesh->global_elements : 0;
    int64_t *next = NULL;

    SEDGE_TRY(sedge_allocate(by_part, all, sizeof **by_part));
    SEDGE_TRY(sedge_allocate(&next, job->ranks + 1LL, sizeof *next));
    for (int64_t e = 0; e < all; e++) counts[job->part[e]]++;
    for (int p = 0; p < job->ranks; p++) next[p + 1] = next[p] + counts[p];
    for (int64_t e = 0; e < all; e++) (*by_part)[next[job->part[e]]++] = job->whole_level[e];
    sedge_release(next);
    return SEDGE_OK;
}

// Rank 0 sends each rank the levels of its elements, `*level` in the order of the records.
static sedge_status scatter_levels(uint8_t **level, const balance_job *job)
{
    uint8_t *by_part = NULL;
    int64_t *counts = NULL; // rows for each rank, then rows from each
    sedge_status status;

    status = sedge_allocate(&counts, 2LL * job->ranks, sizeof *counts);
    if (status == SEDGE_OK) status = sort_levels(&by_part, counts, job);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(job->comm, status));
    status = sedge_comm_all_to_all(job->comm, by_part, counts, sizeof *by_part, level,
                                   counts + job->ranks);
done:
    sedge_release(by_part);
    sedge_release(counts);
    return status;
}

static int compare_ids(const void *key, const void *record)
{
    const int64_t id = *(const int64_t *)key;
    const sedge_record *const at = record;

    return (id > at->id) - (id < at->id);
}

// The elements' levels in the order of a mesh made of `records`.
static sedge_status order_levels(uint8_t **out, const sedge_mesh *mesh, const sedge_record *records,
                                 const uint8_t *by_record)
{
    SEDGE_TRY(sedge_allocate(out, mesh->elements, sizeof **out));
    for (int32_t e = 0; e < mesh->elements; e++) {
        const sedge_record *const at = bsearch(
            &mesh->global_ids[e], records, (size_t)mesh->elements, sizeof *records, compare_ids);
        (*out)[e] = by_record[at - records];
    }
    return SEDGE_OK;
}

static sedge_status number(uint8_t **level, sedge_mesh *mesh, const sedge_record *records,
                           double (*middles)[SEDGE_EDGES][3], int32_t count,
                           const uint8_t *by_record, int rank, const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_local_number(mesh, records, middles, count, rank, options));
    return order_levels(level, mesh, records, by_record);
}

// `*mesh` and `*level` become those of the new parts.
static sedge_status deal(sedge_mesh *mesh, uint8_t **level, const balance_job *job,
                         const sedge_mesh_options *options)
{
    const sedge_comm *const comm = job->comm;
    sedge_global none; // on other ranks than 0
    sedge_mesh *fresh = NULL;
    sedge_record *records = NULL;
    double(*middles)[SEDGE_EDGES][3] = NULL;
    uint8_t *by_record = NULL;
    uint8_t *fresh_level = NULL;
    int32_t count = 0;
    sedge_status status;

    sedge_global_start(&none, "");
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&fresh, 1, sizeof *fresh)));
    SEDGE_TRY_GOTO(status, scatter_levels(&by_record, job));
    SEDGE_TRY_GOTO(status, sedge_local_distribute(fresh, &records, &middles, &count,
                                                  mesh->whole != NULL ? mesh->whole : &none,
                                                  job->part, comm));
    sedge_mesh_release_whole(mesh);
    status = number(&fresh_level, fresh, records, middles, count, by_record, sedge_comm_rank(comm),
                    options);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    const sedge_mesh old = *mesh;
    *mesh = *fresh;
    *fresh = old;
    mesh->boxes = old.boxes; // those of the whole mesh
    fresh->boxes = NULL;
    sedge_release(*level);
    *level = fresh_level;
    fresh_level = NULL;
done:
    sedge_mesh_free(fresh);
    sedge_release(records);
    sedge_release(middles);
    sedge_release(by_record);
    sedge_release(fresh_level);
    return status;
}

sedge_status sedge_mesh_balance(sedge_mesh *mesh, uint8_t **level, const uint16_t *work,
                                const sedge_comm *comm, const sedge_mesh_options *options)
{
    balance_job job = {.comm = comm, .mesh = mesh, .ranks = sedge_comm_size(comm)};
    bool has_whole = mesh->whole != NULL;
    bool better = false;
    sedge_status status = SEDGE_OK;

    if (!options->keep_whole || job.ranks == 1) return SEDGE_OK;
    sedge_comm_broadcast(comm, &has_whole, sizeof has_whole, 0);
    if (!has_whole) return SEDGE_OK;
    sedge_stopwatch_begin(options->watch, "mesh: balance work");
    SEDGE_TRY_GOTO(status, sedge_mesh_measure_path(&job.path, mesh, comm, *level, work));
    if (job.path <= 1.0 + WORTH) goto done;
    SEDGE_TRY_GOTO(status, gather_work(&job, *level, work));
    if (job.part != NULL) status = find_parts(&better, &job);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_comm_broadcast(comm, &better, sizeof better, 0);
    if (better) status = deal(mesh, level, &job, options);
done:
    sedge_mesh_release_whole(mesh);
    sedge_release(job.whole_level);
    sedge_release(job.whole_work);
    sedge_release(job.part);
    return status;
}
