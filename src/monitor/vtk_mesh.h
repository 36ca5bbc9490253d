// mesh.hdf: the mesh of the field files, to which they link.
#pragma once

#include "base/hash.h"
#include "monitor/vtk_file.h"

typedef struct sedge_vtk_mesh {
    bool wide;     // fp32 points would lose the geometry
    char name[48]; // of the file
    char partition[SEDGE_HASH_TEXT];
} sedge_vtk_mesh;

// Find the file that holds the mesh as it lies on the ranks now, or write it. Earlier field files
// link to mesh.hdf: it is replaced only where there are none, that is not `in_use`.
SEDGE_MUST_USE
sedge_status sedge_vtk_mesh_prepare(sedge_vtk_mesh *mesh, const sedge_vtk *vtk, bool in_use);

// Root: the mesh of another file, by links.
SEDGE_MUST_USE
sedge_status sedge_vtk_mesh_link(const sedge_vtk_mesh *mesh, const sedge_vtk *vtk, sedge_h5 *file);
