// mesh.hdf: the mesh of the field files, to which they link. The context's writer fills it in while
// the run goes on.
#pragma once

#include "base/hash.h"
#include "io/writer.h"
#include "monitor/vtk_file.h"

#define SEDGE_VTK_MESH_SETS 11 // datasets of mesh.hdf at most

typedef struct sedge_vtk_mesh {
    bool wide;     // fp32 points would lose the geometry
    char name[48]; // of the file
    char partition[SEDGE_HASH_TEXT];
    const sedge_vtk *vtk;
    int64_t places[SEDGE_VTK_MESH_SETS]; // of the datasets in the file
    bool waiting;                        // the file is being written
    sedge_write to;                      // this rank's part of it
} sedge_vtk_mesh;

// Find the file that holds the mesh as it lies on the ranks now, or begin to write it. Earlier
// field files link to mesh.hdf: it is replaced only where there are none, that is not `in_use`.
// Keeps `vtk`, whose block is the thread's until the file is complete. Collective.
SEDGE_MUST_USE
sedge_status sedge_vtk_mesh_prepare(sedge_vtk_mesh *mesh, const sedge_vtk *vtk, bool in_use);

// Give the file its name: if all ranks have written it, or, with `wait`, when they have. Nothing
// where it has one. A failure removes it. Collective.
SEDGE_MUST_USE
sedge_status sedge_vtk_mesh_complete(sedge_vtk_mesh *mesh, bool wait);

// Remove a file that has no name yet. The thread must not write any more (sedge_writer_free).
void sedge_vtk_mesh_discard(sedge_vtk_mesh *mesh);

// Root: the mesh of another file, by links.
SEDGE_MUST_USE
sedge_status sedge_vtk_mesh_link(const sedge_vtk_mesh *mesh, const sedge_vtk *vtk, sedge_h5 *file);
