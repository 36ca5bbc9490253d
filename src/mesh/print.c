#include "mesh.h"

#include "base/memory.h"

#include <stdio.h>

// What each rank tells the root.
typedef struct rank_counts {
    int64_t elements, interior, halo_faces, boundary_faces, peers;
} rank_counts;

#define SPOKEN 200000 // elements

void sedge_mesh_say(const char *what, int64_t elements)
{
    if (elements < SPOKEN) return;
    (void)printf("  set-up             %s: %lld tetrahedra\n", what, (long long)elements);
    (void)fflush(stdout);
}

// Collective; root prints.
static sedge_status print_volume_groups(const sedge_comm *comm, const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    double *volumes = NULL;

    sedge_status status = sedge_allocate(&volumes, groups->volumes, sizeof *volumes);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_mesh_measure_groups(volumes, comm, mesh));
    if (!sedge_comm_is_root(comm)) goto done;
    (void)printf("volume groups\n");
    (void)printf("  %-24s %8s %12s %14s\n", "name", "tag", "elements", "volume");
    for (int g = 0, end; g < groups->volumes; g = end) {
        int64_t elements = 0;
        double volume = 0.0;
        end = g + sedge_mesh_group_parts(groups, g);
        for (int v = g; v < end; v++) {
            elements += groups->volume_elements[v];
            volume += volumes[v];
        }
        (void)printf("  %-24s %8d %12lld %14.8g\n", groups->volume_names[g], groups->volume_tags[g],
                     (long long)elements, volume);
    }
done:
    sedge_release(volumes);
    return status;
}

// The groups with faces, of which `counts` has the number.
static void print_volumes(const sedge_mesh_groups *groups, const int64_t *counts)
{
    for (int v = 0, last = -1; v < groups->volumes; v++) {
        if (counts[v] == 0 || sedge_mesh_same_group(groups, v, last)) continue;
        (void)printf(last >= 0 ? ", %s" : " %s", groups->volume_names[v]);
        last = v;
    }
}

// Collective; root prints.
static sedge_status print_surfaces(const sedge_comm *comm, const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const bool is_root = sedge_comm_is_root(comm);
    int64_t *volumes = NULL; // [2][volume groups] faces on the first side, on the second

    const sedge_status status = sedge_allocate(&volumes, 2LL * groups->volumes, sizeof *volumes);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    if (is_root) {
        (void)printf("surface groups\n");
        (void)printf("  %-24s %8s %12s %12s %14s  %s\n", "name", "tag", "outer faces",
                     "inner faces", "area", "volumes on one side | on the other");
    }
    for (int g = 0; g < groups->surfaces; g++) {
        sedge_surface_measures surface;
        sedge_mesh_measure_surface(&surface, volumes, comm, mesh, g);
        if (!is_root) continue;
        (void)printf("  %-24s %8d %12lld %12lld %14.8g ", groups->surface_names[g],
                     groups->surface_tags[g], (long long)surface.outside, (long long)surface.inside,
                     surface.area);
        print_volumes(groups, volumes);
        if (surface.inside > 0) {
            (void)printf(" |");
            print_volumes(groups, volumes + groups->volumes);
        }
        (void)printf("\n");
    }
    sedge_release(volumes);
    return SEDGE_OK;
}

// What the file has no group for, and what to do.
static void print_groupless(const sedge_mesh_groups *groups)
{
    const double *const x = groups->groupless_place;

    if (groups->groupless_elements > 0) {
        (void)printf(
            "%lld tetrahedra are in no volume group of the file and get the group '%s'; put their "
            "volumes into a Physical Volume, or give them a material by the deck's key "
            "materials.%s\n",
            (long long)groups->groupless_elements, SEDGE_DEFAULT_GROUP, SEDGE_DEFAULT_GROUP);
    }
    if (groups->groupless_faces > 0) {
        (void)printf("%lld outer faces are in no surface group of the file, one of them at (%.6g, "
                     "%.6g, %.6g), and get the group '%s'; put their surfaces into a Physical "
                     "Surface, or give them a condition by the deck's key boundaries.%s; if no "
                     "surface is meant to be there, the mesh has a crack\n",
                     (long long)groups->groupless_faces, x[0], x[1], x[2], SEDGE_DEFAULT_GROUP,
                     SEDGE_DEFAULT_GROUP);
    }
}

void sedge_mesh_print_shape(const sedge_mesh *mesh, const char *begin)
{
    const sedge_mesh_shape *const shape = &mesh->shape;

    if (shape->crack_faces > 0) {
        (void)printf("%sthe mesh has a crack: %lld pairs of outer faces lie on each other\n", begin,
                     (long long)shape->crack_faces);
    }
    if (shape->parts < 2) return;
    (void)printf("%sthe mesh has %d parts that are not connected\n", begin, shape->parts);
    for (int p = 0; p < shape->parts && p < SEDGE_PARTS; p++) {
        const sedge_mesh_part *const part = &shape->part[p];
        (void)printf("%s  %lld tetrahedra from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) of", begin,
                     (long long)part->elements, part->bounds[0][0], part->bounds[0][1],
                     part->bounds[0][2], part->bounds[1][0], part->bounds[1][1],
                     part->bounds[1][2]);
        for (int g = 0; g < part->groups && g < SEDGE_PART_GROUPS; g++) {
            (void)printf("%s '%s'", g > 0 ? "," : "", mesh->groups.volume_names[part->group[g]]);
        }
        (void)printf("%s\n", part->groups > SEDGE_PART_GROUPS ? " and more" : "");
    }
    if (shape->parts > SEDGE_PARTS) (void)printf("%s  and more\n", begin);
}

static void print_quality(const sedge_mesh_quality *q, const sedge_mesh *mesh)
{
    int64_t most = 1;

    for (int i = 0; i < 10; i++)
        if (q->quality_histogram[i] > most) most = q->quality_histogram[i];
    (void)printf("quality (1: regular, 0: flat)   least %.4f, mean %.4f\n", q->quality_min,
                 q->quality_mean);
    for (int i = 0; i < 10; i++) {
        const int64_t count = q->quality_histogram[i];
        int width = (int)(40 * count / most);
        if (count > 0 && width == 0) width = 1;
        (void)printf("  %.1f-%.1f %12lld %.*s\n", 0.1 * i, 0.1 * (i + 1), (long long)count, width,
                     "########################################");
    }
    if (q->worst_alike == mesh->global_elements && q->worst_alike > q->worst_count) {
        (void)printf("worst elements: none, all have the same quality\n");
        return;
    }
    (void)printf("worst elements");
    if (q->worst_alike > q->worst_count)
        (void)printf(", some of %lld that have the least quality", (long long)q->worst_alike);
    (void)printf("\n");
    (void)printf("  %10s %9s %12s  %-16s %s\n", "element", "quality", "inradius", "group",
                 "centre");
    for (int i = 0; i < q->worst_count; i++) {
        const sedge_bad_element *const bad = &q->worst[i];
        (void)printf("  %10lld %9.4f %12.4e  %-16s (%.6g, %.6g, %.6g)\n", (long long)bad->global_id,
                     bad->quality, bad->inradius, mesh->groups.volume_names[bad->group],
                     bad->centroid[0], bad->centroid[1], bad->centroid[2]);
    }
}

static void print_ranks(const rank_counts *counts, int ranks)
{
    (void)printf("%6s %12s %12s %12s %12s %6s\n", "rank", "elements", "interior", "halo faces",
                 "outer faces", "peers");
    for (int r = 0; r < ranks; r++) {
        (void)printf("%6d %12lld %12lld %12lld %12lld %6lld\n", r, (long long)counts[r].elements,
                     (long long)counts[r].interior, (long long)counts[r].halo_faces,
                     (long long)counts[r].boundary_faces, (long long)counts[r].peers);
    }
}

sedge_status sedge_mesh_print(const sedge_comm *comm, const sedge_mesh *mesh)
{
    const rank_counts mine = {mesh->elements, sedge_mesh_interior(mesh), mesh->halo_faces,
                              mesh->boundary_faces, mesh->peers};
    sedge_mesh_quality quality;
    rank_counts *all;

    SEDGE_TRY(sedge_mesh_measure(&quality, comm, mesh));
    sedge_status status = sedge_allocate(&all, sedge_comm_size(comm), sizeof *all);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_all_gather(comm, &mine, all, sizeof mine);
    if (sedge_comm_is_root(comm)) {
        (void)printf("%lld tetrahedra, %lld vertices", (long long)mesh->global_elements,
                     (long long)mesh->global_vertices);
        if (mesh->global_curved > 0)
            (void)printf(", %lld tetrahedra are curved", (long long)mesh->global_curved);
        (void)printf("%s\n", mesh->straightened
                                 ? "; elements of third or higher order are straightened"
                                 : "");
        for (int d = 0; d < 3; d++) {
            (void)printf("  %c from %.9g to %.9g\n", "xyz"[d], mesh -> bounds[0][d],
                         mesh -> bounds[1][d]);
        }
        (void)printf("volume %.9g, edges %.4g to %.4g, inradius %.4g to %.4g\n", quality.volume,
                     quality.edge_min, quality.edge_max, quality.inradius_min,
                     quality.inradius_max);
        sedge_mesh_print_shape(mesh, "");
    }
    SEDGE_TRY_GOTO(status, print_volume_groups(comm, mesh));
    SEDGE_TRY_GOTO(status, print_surfaces(comm, mesh));
    if (sedge_comm_is_root(comm)) {
        print_groupless(&mesh->groups);
        print_quality(&quality, mesh);
        print_ranks(all, sedge_comm_size(comm));
        (void)fflush(stdout);
    }
done:
    sedge_release(all);
    return status;
}
