// Any bytes as a Gmsh mesh: through the reader and everything that makes a mesh of it. What is
// refused is tried again with elements and faces in no group taken; what is read is read again with
// its first two surfaces as a periodic pair.
#define _GNU_SOURCE // memfd_create
#include "fuzz_file.h"

#include "mesh/mesh.h"

enum { BYTES_MAX = 65536 };

static void check_mesh(const sedge_mesh *mesh)
{
    FUZZ_CHECK(mesh->elements > 0 && mesh->elements == mesh->global_elements);
    for (int32_t e = 0; e < mesh->elements; e++) {
        FUZZ_CHECK(mesh->group[e] >= 0 && mesh->group[e] < mesh->groups.volumes);
        FUZZ_CHECK(sedge_tet_volume(mesh->corners[e]) > 0.0);
    }
}

static void read_pair(const sedge_mesh *mesh, sedge_mesh_options options)
{
    char names[2][64];
    sedge_mesh *paired = NULL;

    if (mesh->groups.surfaces < 2) return;
    for (int i = 0; i < 2; i++)
        (void)snprintf(names[i], sizeof names[i], "%s", mesh->groups.surface_names[i]);
    const sedge_periodic_pair pair = {.first = names[0], .second = names[1]};
    options.periodic = &pair;
    options.periodic_pairs = 1;
    if (sedge_mesh_create(&paired, NULL, &options) == SEDGE_OK) {
        check_mesh(paired);
    } else {
        fuzz_check_message();
    }
    sedge_mesh_free(paired);
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    char path[64];

    if (size > BYTES_MAX) return 0;
    (void)fuzz_start_mpi();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fuzz_open(data, size));
    options.file = path;
    sedge_status status = sedge_mesh_create(&mesh, NULL, &options);
    if (status != SEDGE_OK) {
        FUZZ_CHECK(mesh == NULL && status == SEDGE_ERR_DATA);
        fuzz_check_message();
        options.default_volume = options.default_surface = true;
        status = sedge_mesh_create(&mesh, NULL, &options);
    }
    if (status == SEDGE_OK) {
        check_mesh(mesh);
        read_pair(mesh, options);
    } else {
        FUZZ_CHECK(mesh == NULL && status == SEDGE_ERR_DATA);
        fuzz_check_message();
    }
    sedge_mesh_free(mesh);
    return 0;
}
