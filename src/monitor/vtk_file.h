// Files for ParaView: VTKHDF 1.0, unstructured grids of Lagrange tetrahedra, one piece a rank. A DG
// grid shares no points: element e of a piece has the points [e nodes, (e+1) nodes), in VTK's
// numbering of the equispaced lattice. Elements in absorbing layers are left out,
// unless the deck asks for them.
//
// A file is made by the root with room for all values, which all ranks fill in. Functions are
// collective and agree on their status unless they say that they are the root's.
#pragma once

#include "io/h5.h"
#include "monitor/lattice.h"
#include "monitor/output_context.h"

#define SEDGE_VTK_PATH 128 // of a dataset in its file

typedef struct sedge_vtk {
    const sedge_output_context *context;
    sedge_lattice *lattice; // NULL: not prepared
    int64_t elements;       // of all ranks
    int64_t first;          // elements of lower ranks
    int64_t own;            // elements of this rank
    int64_t most;           // elements of the largest rank
    int32_t *element;       // [own] the number of each in the mesh; behind them their twins, if the
                            // mesh has some, whose values are the imaginary part of those in front
    int32_t *material;    // [volume groups] their numbers in files, where parts of a group are one
    int materials;        // how many numbers
    void *block;          // for some elements' values of a dataset, at least one's, 8 bytes each
    int64_t block_values; // its size
} sedge_vtk;

// Clear it in any case. Keeps `context`.
SEDGE_MUST_USE
sedge_status sedge_vtk_prepare(sedge_vtk *vtk, const sedge_output_context *context);
void sedge_vtk_clear(sedge_vtk *vtk);

// ---- a dataset with the same number of rows for each element -----------------------------------

// Fill a block: `values` gets what this rank's elements vtk->element[first] and so on, `count` of
// them, have for a dataset, as [elements][width][components].
typedef void sedge_vtk_filler(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                              void *values);

typedef struct sedge_vtk_column {
    const char *path;
    sedge_h5_type type;
    int width;      // rows an element
    int components; // values a row
    sedge_vtk_filler *filler;
} sedge_vtk_column;

// Root: make the dataset, empty.
SEDGE_MUST_USE
sedge_status sedge_vtk_make_column(const sedge_vtk *vtk, sedge_h5 *file,
                                   const sedge_vtk_column *column);

// Write its values, block by block; as many rounds as the largest rank needs.
SEDGE_MUST_USE
sedge_status sedge_vtk_fill_column(const sedge_vtk *vtk, sedge_h5 *file,
                                   const sedge_vtk_column *column, const void *from);

// ---- a file ------------------------------------------------------------------------------------

// Root: what VTK wants to see first, and our own attributes.
SEDGE_MUST_USE
sedge_status sedge_vtk_write_head(const sedge_vtk *vtk, sedge_h5 *file, const char *content);

typedef sedge_status sedge_vtk_writer(const sedge_vtk *vtk, sedge_h5 *file, const void *what);

// Write the file `name`, complete or absent: the root makes all but the values of datasets by
// `frame`, all ranks fill these in by `values`, under a temporary name; then it is renamed.
SEDGE_MUST_USE
sedge_status sedge_vtk_write(const sedge_vtk *vtk, const char *name, sedge_vtk_writer *frame,
                             sedge_vtk_writer *values, const void *what);

// The same for values that are written without HDF5: make the file NAME.tmp by `frame`, and tell on
// all ranks where in it the values of the datasets `paths` [count] begin (sedge_h5_place). No space
// is reserved.
SEDGE_MUST_USE
sedge_status sedge_vtk_begin(const sedge_vtk *vtk, const char *name, sedge_vtk_writer *frame,
                             const void *what, char (*paths)[SEDGE_VTK_PATH], int count,
                             int64_t *places);

// Path of the file that sedge_vtk_begin made. Rename it when all ranks have filled it in: not
// collective, the root's.
void sedge_vtk_temporary(char path[SEDGE_OUTPUT_PATH + 8], const sedge_vtk *vtk, const char *name);
SEDGE_MUST_USE
sedge_status sedge_vtk_publish(const sedge_vtk *vtk, const char *name);
