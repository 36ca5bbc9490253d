#include "local.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "petsc/petsc_partition.h"

#include <stdbool.h>
#include <string.h>

enum { GRAIN = 8192 }; // elements for one thread

// ---- the parts ---------------------------------------------------------------------------------

typedef struct graph {
    PetscInt *offsets;    // [elements + 1]
    PetscInt *neighbours; // without the element itself and without repetitions
} graph;

static sedge_status make_graph(graph *g, const sedge_global *mesh)
{
    PetscInt edges = 0;

    SEDGE_TRY(sedge_allocate(&g->offsets, mesh->elements + 1LL, sizeof(PetscInt)));
    SEDGE_TRY(sedge_allocate(&g->neighbours, 4LL * mesh->elements, sizeof(PetscInt)));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t n = mesh->faces[e][f].neighbour;
            int known = n < 0 || n == e;
            for (PetscInt i = g->offsets[e]; i < edges; i++) known |= g->neighbours[i] == n;
            if (!known) g->neighbours[edges++] = n;
        }
        g->offsets[e + 1] = edges;
    }
    return SEDGE_OK;
}

static sedge_status cut_graph(int32_t *part, const sedge_global *mesh, int parts, const char *type)
{
    graph g = {NULL, NULL};
    sedge_status status = make_graph(&g, mesh);

    if (status == SEDGE_OK)
        status = sedge_petsc_partition(part, mesh->elements, g.offsets, g.neighbours, parts, type);
    sedge_release(g.offsets);
    sedge_release(g.neighbours);
    return status;
}

static sedge_status count_empty(const int32_t *part, int32_t elements, int parts, int *empty)
{
    char *filled;

    SEDGE_TRY(sedge_allocate(&filled, parts, 1));
    *empty = parts;
    for (int32_t e = 0; e < elements; e++) {
        *empty -= !filled[part[e]];
        filled[part[e]] = 1;
    }
    sedge_release(filled);
    return SEDGE_OK;
}

sedge_status sedge_global_order(sedge_hilbert_place *order, const sedge_global *mesh)
{
    double bounds[2][3];

    for (int d = 0; d < 3; d++) {
        bounds[0][d] = bounds[1][d] = mesh->points[0][d];
        for (int64_t v = 0; v < mesh->vertices; v++) {
            const double x = mesh->points[v][d];
            if (x < bounds[0][d]) bounds[0][d] = x;
            if (x > bounds[1][d]) bounds[1][d] = x;
        }
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->points[mesh->cells[e][v]][d];
        order[e] = (sedge_hilbert_place){sedge_hilbert_key(x, bounds), e};
    }
    return sedge_hilbert_sort(order, mesh->elements);
}

// Equal pieces of the curve.
static sedge_status cut_curve(int32_t *part, const sedge_global *mesh, int parts)
{
    sedge_hilbert_place *order;

    SEDGE_TRY(sedge_allocate(&order, mesh->elements, sizeof *order));
    const sedge_status status = sedge_global_order(order, mesh);
    for (int64_t i = 0; i < mesh->elements; i++)
        part[order[i].element] = (int32_t)(i * parts / mesh->elements);
    sedge_release(order);
    return status;
}

sedge_status sedge_global_partition(int32_t *part, const sedge_global *mesh, int parts,
                                    const char *partitioner)
{
    int empty;

    if (mesh->elements < parts) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%d ranks are too many for %d elements: each rank needs one at least",
                          parts, mesh->elements);
    }
    if (parts == 1) {
        memset(part, 0, (size_t)mesh->elements * sizeof *part);
        return SEDGE_OK;
    }
    SEDGE_TRY(cut_graph(part, mesh, parts, partitioner));
    SEDGE_TRY(count_empty(part, mesh->elements, parts, &empty));
    if (empty == 0) return SEDGE_OK;
    if (partitioner != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "partitioner '%s' leaves %d of %d ranks without elements (of %d)",
                          partitioner, empty, parts, mesh->elements);
    }
    return cut_curve(part, mesh, parts);
}

// ---- what each rank gets -----------------------------------------------------------------------

// Elements by part on rank 0; empty (NULL) on the others.
typedef struct deal {
    int64_t *offsets;  // [parts + 1]
    int32_t *elements; // by part, ascending
    int32_t *position; // [elements] within the part
} deal;

static sedge_status make_deal(deal *d, const sedge_global *global, const int32_t *part, int parts)
{
    int64_t *next = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&d->offsets, parts + 1LL, sizeof *d->offsets));
    SEDGE_TRY(sedge_allocate(&d->elements, global->elements, sizeof *d->elements));
    SEDGE_TRY(sedge_allocate(&d->position, global->elements, sizeof *d->position));
    SEDGE_TRY_GOTO(status, sedge_allocate(&next, parts, sizeof *next));
    for (int32_t e = 0; e < global->elements; e++) d->offsets[part[e] + 1]++;
    for (int p = 0; p < parts; p++) {
        d->offsets[p + 1] += d->offsets[p];
        next[p] = d->offsets[p];
    }
    for (int32_t e = 0; e < global->elements; e++) {
        const int p = part[e];
        d->position[e] = (int32_t)(next[p] - d->offsets[p]);
        d->elements[next[p]++] = e;
    }
done:
    sedge_release(next);
    return status;
}

static void release_deal(deal *d)
{
    sedge_release(d->offsets);
    sedge_release(d->elements);
    sedge_release(d->position);
}

// What lies behind a side of a named surface. That of a two-sided one stays on the boundary.
static void fill_side(sedge_record_face *out, const sedge_global *global, const int32_t *part,
                      const deal *d, const sedge_global_side *side)
{
    const int32_t n = side->other;

    *out = (sedge_record_face){.neighbour = n,
                               .rank = part[n],
                               .position = d->position[n],
                               .group = global->group[n],
                               .surface = side->group,
                               .face = side->other_face,
                               .orientation = side->orientation,
                               .boundary = out->boundary,
                               .second = side->second};
}

// `*side` is the first side of this element or a later one, and becomes the first of a later one.
static void fill_record(sedge_record *out, const sedge_global *global, const int32_t *part,
                        const deal *d, int32_t e, int64_t *side)
{
    out->id = e;
    out->group = global->group[e];
    out->curve = -1;
    for (int v = 0; v < 4; v++)
        memcpy(out->corners[v], global->points[global->cells[e][v]], sizeof out->corners[v]);
    if (global->planes != NULL) memcpy(out->plane, global->planes[e], sizeof out->plane);
    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_face *const face = &global->faces[e][f];
        const int32_t n = face->neighbour;
        if (n < 0) {
            out->faces[f] = (sedge_record_face){.neighbour = -1,
                                                .rank = -1,
                                                .position = -1,
                                                .group = -1,
                                                .surface = -1 - n,
                                                .face = (int8_t)f,
                                                .boundary = true};
            continue;
        }
        out->faces[f] = (sedge_record_face){.neighbour = n,
                                            .rank = part[n],
                                            .position = d->position[n],
                                            .group = global->group[n],
                                            .surface = -1,
                                            .face = face->face,
                                            .orientation = face->orientation};
    }
    while (*side < global->sides && global->side[*side].element < e) ++*side;
    for (; *side < global->sides && global->side[*side].element == e; ++*side)
        fill_side(&out->faces[global->side[*side].face], global, part, d, &global->side[*side]);
}

typedef struct record_job {
    sedge_record *records; // of a part
    const sedge_global *global;
    const int32_t *part, *elements; // [all elements], [those of the part]
    const deal *d;
} record_job;

static void fill_records(void *context, int64_t first, int64_t end)
{
    const record_job *const job = context;
    int64_t side = sedge_global_first_side(job->global, job->elements[first]);

    for (int64_t i = first; i < end; i++) {
        fill_record(&job->records[i], job->global, job->part, job->d, job->elements[i], &side);
    }
}

// The records of one part, and the nodes of its curved elements; there is room for them. Returns
// how many are curved.
static int32_t fill_part(sedge_record *records, double (*middles)[SEDGE_EDGES][3],
                         const sedge_global *global, const int32_t *part, const deal *d, int p)
{
    const int64_t count = d->offsets[p + 1] - d->offsets[p];
    record_job job = {records, global, part, d->elements + d->offsets[p], d};
    int32_t curved = 0;

    sedge_parallel(global->threads, count, GRAIN, fill_records, &job);
    for (int64_t i = 0; i < count && global->global_curved > 0; i++) {
        if (!global->curved[job.elements[i]]) continue;
        memcpy(middles[curved], global->middles[job.elements[i]], sizeof *middles);
        records[i].curve = curved++;
    }
    return curved;
}

sedge_status sedge_global_summarise(sedge_mesh *mesh, const sedge_global *global)
{
    char *used = NULL;

    SEDGE_TRY(sedge_allocate(&used, global->vertices, 1));
    for (int d = 0; d < 3; d++)
        mesh->bounds[0][d] = mesh->bounds[1][d] = global->points[global->cells[0][0]][d];
    for (int32_t e = 0; e < global->elements; e++) {
        for (int v = 0; v < 4; v++) {
            const int32_t vertex = global->cells[e][v];
            mesh->global_vertices += !used[vertex];
            used[vertex] = 1;
            for (int d = 0; d < 3; d++) {
                const double x = global->points[vertex][d];
                if (x < mesh->bounds[0][d]) mesh->bounds[0][d] = x;
                if (x > mesh->bounds[1][d]) mesh->bounds[1][d] = x;
            }
        }
    }
    mesh->global_elements = global->elements;
    mesh->straightened = global->straightened;
    mesh->global_curved = global->global_curved;
    mesh->shape = global->shape;
    mesh->extruded = global->extruded;
    mesh->enclosures = global->enclosures;
    mesh->periods = global->periods;
    sedge_release(used);
    return SEDGE_OK;
}

static sedge_status share_groups(sedge_mesh_groups *groups, const sedge_mesh_groups *source,
                                 const sedge_comm *comm)
{
    int counts[2] = {0, 0};

    if (sedge_comm_is_root(comm)) {
        counts[0] = source->volumes;
        counts[1] = source->surfaces;
    }
    sedge_comm_broadcast(comm, counts, sizeof counts, 0);
    const sedge_status status = sedge_groups_allocate(groups, counts[0], counts[1]);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } arrays[] = {
        {groups->volume_names, source->volume_names, sizeof *groups->volume_names},
        {groups->volume_tags, source->volume_tags, sizeof *groups->volume_tags},
        {groups->volume_owner, source->volume_owner, sizeof *groups->volume_owner},
        {groups->volume_axes, source->volume_axes, sizeof *groups->volume_axes},
        {groups->volume_values, source->volume_values, sizeof *groups->volume_values},
        {groups->volume_elements, source->volume_elements, sizeof *groups->volume_elements},
        {groups->surface_names, source->surface_names, sizeof *groups->surface_names},
        {groups->surface_tags, source->surface_tags, sizeof *groups->surface_tags},
        {groups->surface_faces, source->surface_faces, sizeof *groups->surface_faces},
        {groups->surface_interior_faces, source->surface_interior_faces,
         sizeof *groups->surface_interior_faces},
        {groups->surface_two_sided_faces, source->surface_two_sided_faces,
         sizeof *groups->surface_two_sided_faces},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const size_t bytes = arrays[i].bytes * (size_t)counts[i >= 6];
        if (sedge_comm_is_root(comm) && bytes > 0) memcpy(arrays[i].to, arrays[i].from, bytes);
        sedge_comm_broadcast(comm, arrays[i].to, bytes, 0);
    }
    return SEDGE_OK;
}

// What is in no group of the file.
static void share_groupless(sedge_mesh_groups *groups, const sedge_mesh_groups *source,
                            const sedge_comm *comm)
{
    int64_t counts[2] = {source->groupless_elements, source->groupless_faces};

    memcpy(groups->groupless_place, source->groupless_place, sizeof groups->groupless_place);
    sedge_comm_broadcast(comm, counts, sizeof counts, 0);
    sedge_comm_broadcast(comm, groups->groupless_place, sizeof groups->groupless_place, 0);
    groups->groupless_elements = counts[0];
    groups->groupless_faces = counts[1];
}

static sedge_status share_numbers(sedge_mesh *mesh, const sedge_global *global,
                                  const sedge_comm *comm)
{
    int64_t counts[5] = {mesh->global_elements, mesh->global_vertices, mesh->straightened,
                         mesh->global_curved, mesh->periods};

    sedge_comm_broadcast(comm, counts, sizeof counts, 0);
    sedge_comm_broadcast(comm, mesh->bounds, sizeof mesh->bounds, 0);
    sedge_comm_broadcast(comm, &mesh->shape, sizeof mesh->shape, 0);
    sedge_comm_broadcast(comm, &mesh->extruded, sizeof mesh->extruded, 0);
    mesh->global_elements = counts[0];
    mesh->global_vertices = counts[1];
    mesh->straightened = counts[2] != 0;
    mesh->global_curved = counts[3];
    mesh->periods = (int)counts[4];
    const size_t bytes = (size_t)mesh->periods * sizeof *mesh->period;
    const sedge_status status = sedge_allocate(&mesh->period, mesh->periods, sizeof *mesh->period);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    if (sedge_comm_is_root(comm) && bytes > 0) memcpy(mesh->period, global->period, bytes);
    sedge_comm_broadcast(comm, mesh->period, bytes, 0);
    return SEDGE_OK;
}

// What closed surfaces enclose; after share_groups.
static sedge_status share_enclosures(sedge_mesh *mesh, const sedge_global *global,
                                     const sedge_comm *comm)
{
    sedge_comm_broadcast(comm, &mesh->enclosures, sizeof mesh->enclosures, 0);
    const size_t boxes = (size_t)mesh->enclosures * (size_t)mesh->groups.volumes;
    const size_t beside = boxes * sizeof *mesh->enclosed_beside;
    const size_t bytes = (size_t)mesh->enclosures * sizeof *mesh->enclosed;
    sedge_status status = sedge_allocate(&mesh->enclosed, mesh->enclosures, sizeof *mesh->enclosed);
    if (status == SEDGE_OK) {
        status =
            sedge_allocate(&mesh->enclosed_beside, (int64_t)boxes, sizeof *mesh->enclosed_beside);
    }
    SEDGE_TRY(sedge_comm_agree(comm, status));
    if (mesh->enclosures == 0) return SEDGE_OK;
    if (sedge_comm_is_root(comm)) {
        memcpy(mesh->enclosed, global->enclosed, bytes);
        memcpy(mesh->enclosed_beside, global->enclosed_beside, beside);
    }
    sedge_comm_broadcast(comm, mesh->enclosed, bytes, 0);
    sedge_comm_broadcast(comm, mesh->enclosed_beside, beside, 0);
    return SEDGE_OK;
}

// A part's records and the nodes of its curved elements, of which there are at most as many.
typedef struct share {
    sedge_record *records;
    double (*middles)[SEDGE_EDGES][3];
} share;

static sedge_status allocate_share(share *out, int64_t count, bool curved)
{
    SEDGE_TRY(sedge_allocate(&out->records, count, sizeof *out->records));
    return curved ? sedge_allocate(&out->middles, count, sizeof *out->middles) : SEDGE_OK;
}

static void release_share(share *all)
{
    sedge_release(all->records);
    sedge_release(all->middles);
}

// What send_parts sends, on the other ranks.
static void receive_part(share *mine, int32_t count, const sedge_comm *comm)
{
    size_t curved = 0;

    sedge_comm_receive(comm, mine->records, (size_t)count * sizeof *mine->records, 0);
    for (int32_t i = 0; i < count; i++) curved += mine->records[i].curve >= 0;
    if (curved > 0) sedge_comm_receive(comm, mine->middles, curved * sizeof *mine->middles, 0);
}

// Rank 0 fills and sends one part after the other, its own last; `buffer` holds the largest of the
// others.
static void send_parts(share *mine, share *buffer, const sedge_global *global, const int32_t *part,
                       const deal *d, const sedge_comm *comm)
{
    for (int p = sedge_comm_size(comm) - 1; p > 0; p--) {
        const size_t count = (size_t)(d->offsets[p + 1] - d->offsets[p]);
        const int32_t curved = fill_part(buffer->records, buffer->middles, global, part, d, p);
        sedge_comm_send(comm, buffer->records, count * sizeof *buffer->records, p);
        if (curved > 0)
            sedge_comm_send(comm, buffer->middles, (size_t)curved * sizeof *buffer->middles, p);
    }
    (void)fill_part(mine->records, mine->middles, global, part, d, 0);
}

// Each rank learns its count.
static sedge_status share_counts(int32_t *count, const deal *d, const sedge_comm *comm)
{
    const int size = sedge_comm_size(comm);
    int64_t *offsets = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&offsets, size + 1LL, sizeof *offsets)));
    if (d->offsets != NULL) memcpy(offsets, d->offsets, (size_t)(size + 1) * sizeof *offsets);
    sedge_comm_broadcast(comm, offsets, (size_t)(size + 1) * sizeof *offsets, 0);
    const int rank = sedge_comm_rank(comm);
    *count = (int32_t)(offsets[rank + 1] - offsets[rank]);
    sedge_release(offsets);
    return SEDGE_OK;
}

static sedge_status prepare(sedge_mesh *mesh, deal *d, const sedge_global *global,
                            const int32_t *part, const sedge_comm *comm)
{
    if (!sedge_comm_is_root(comm)) return SEDGE_OK;
    SEDGE_TRY(sedge_global_summarise(mesh, global));
    return make_deal(d, global, part, sedge_comm_size(comm));
}

static sedge_status allocate_shares(share *mine, share *buffer, int32_t count, bool curved,
                                    const deal *d, const sedge_comm *comm)
{
    int64_t largest = 0;

    SEDGE_TRY(allocate_share(mine, count, curved));
    if (d->offsets == NULL) return SEDGE_OK;
    for (int p = 1; p < sedge_comm_size(comm); p++) {
        if (d->offsets[p + 1] - d->offsets[p] > largest)
            largest = d->offsets[p + 1] - d->offsets[p];
    }
    return allocate_share(buffer, largest, curved);
}

sedge_status sedge_local_distribute(sedge_mesh *mesh, sedge_record **records,
                                    double (**middles)[SEDGE_EDGES][3], int32_t *count,
                                    const sedge_global *global, const int32_t *part,
                                    const sedge_comm *comm)
{
    deal d = {0};
    share mine = {NULL, NULL};
    share buffer = {NULL, NULL};
    sedge_status status;

    *records = NULL;
    *middles = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare(mesh, &d, global, part, comm)));
    SEDGE_TRY_GOTO(status, share_numbers(mesh, global, comm));
    SEDGE_TRY_GOTO(status, share_groups(&mesh->groups, &global->groups, comm));
    share_groupless(&mesh->groups, &global->groups, comm);
    SEDGE_TRY_GOTO(status, share_enclosures(mesh, global, comm));
    SEDGE_TRY_GOTO(status, share_counts(count, &d, comm));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, allocate_shares(&mine, &buffer, *count,
                                                          mesh->global_curved > 0, &d, comm)));
    if (d.offsets != NULL) {
        send_parts(&mine, &buffer, global, part, &d, comm);
    } else {
        receive_part(&mine, *count, comm);
    }
    *records = mine.records; // now the caller's
    *middles = mine.middles;
    mine = (share){NULL, NULL};
done:
    release_deal(&d);
    release_share(&buffer);
    release_share(&mine);
    return status;
}
