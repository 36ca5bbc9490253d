// The whole mesh while it is built on rank 0. It is filled by gmsh_mesh.c (a file) or box.c,
// checked and connected by shape.c, connect.c and periodic.c, extended by extrude.c, grouped anew
// by regroup.c, divided among the ranks and sent to them by distribute.c.
#pragma once

#include "mesh.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// PETSc and Scotch count with 32 bits; four neighbours an element must stay below 2^31.
#define SEDGE_GLOBAL_LIMIT ((int64_t)1 << 29)

// One side of a face that lies in a named surface and has an element on either side. The surface
// lies inside the mesh, and then both sides are listed; or it is one of two periodic surfaces.
typedef struct sedge_global_side {
    int32_t element;
    int32_t other; // the element on the other side
    int32_t group; // surface group
    int8_t face, other_face;
    int8_t orientation; // from this side's face to the other's
    bool second;        // of two sides in the surface, not the first, see sedge_set_face
} sedge_global_side;

typedef struct sedge_global {
    const char *name; // for messages: the file or "the box"; borrowed
    int threads;      // for the work on all elements
    int64_t vertices;
    double (*points)[3]; // [vertices][x,y,z], scaled
    int32_t elements;
    int32_t (*cells)[4]; // [elements][vertex]; positive volume once sedge_global_orient is through
    int32_t *group;      // [elements] volume group
    double (*middles)[SEDGE_EDGES][3]; // [elements] nodes of the edges; NULL: all are straight
    signed char *curved;               // [elements] 1: an edge is bent; NULL without middles
    int64_t global_curved;             // elements that are
    int32_t *grade;             // [elements] in `grades`; -1: its group has none; NULL: nothing is
    int grade_count;            // graded
    struct sedge_grade *grades; // [grade_count] image/grades.h
    int64_t *numbers; // [elements] the element numbers that Gmsh shows, 0 in layers; NULL for a box
    int32_t *volumes; // [elements] Gmsh's geometric volume; NULL for a box
    double (*planes)[3]; // see sedge_mesh

    int32_t tagged;               // surface triangles with a group
    int32_t (*tagged_faces)[3];   // [tagged][vertex]
    int32_t *tagged_group;        // [tagged] surface group
    sedge_mesh_groups groups;     // names, tags and volume_elements; connecting fills the rest
    bool straightened;            // see sedge_mesh
    sedge_mesh_shape shape;       // see sedge_mesh
    sedge_mesh_extruded extruded; // see sedge_mesh
    int enclosures;               // these three: see sedge_mesh
    sedge_mesh_enclosed *enclosed;
    const sedge_mesh_enclosure *enclosures_asked; // [enclosures] the options'; borrowed
    sedge_mesh_beside *enclosed_beside;
    uint32_t *inside; // [elements] bit i: enclosure i encloses it; NULL: there is none
    int periods;      // see sedge_mesh
    double (*period)[3];
    sedge_face (*faces)[SEDGE_FACES]; // [elements][face]; neighbour < 0: surface group
                                      // -1 - neighbour
    int64_t sides;                    // of two-sided faces in named surfaces
    sedge_global_side *side; // [sides] by element and face, once sedge_global_sort_sides is through
} sedge_global;

// Read or make the mesh of the options, check, connect and extend it: all but the parts. `mesh` is
// started; the caller releases it. Of one rank; errors as of sedge_mesh_create.
SEDGE_MUST_USE
sedge_status sedge_global_build(sedge_global *mesh, const sedge_mesh_options *options);

// Refuse a scale that is not a positive number: SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_mesh_check_scale(double scale);

// Empty, for sedge_global_release; `name` is borrowed.
void sedge_global_start(sedge_global *mesh, const char *name);
void sedge_global_release(sedge_global *mesh);

// "tetrahedron 12 (number 40 in Gmsh), group 'air', centre (x, y, z)" into `text`.
#define SEDGE_PLACE_TEXT 320
void sedge_global_describe(const sedge_global *mesh, int32_t element, char text[SEDGE_PLACE_TEXT]);

// Refuse a triangle, with corners at these places, of a surface group that is not a face of the
// tetrahedra: SEDGE_ERR_DATA, always.
SEDGE_MUST_USE
sedge_status sedge_global_fail_loose(const sedge_global *mesh, const double *const corners[3],
                                     int group);

// Centroid of face f of element e.
void sedge_global_face_centre(const sedge_global *mesh, int32_t element, int face, double x[3]);

// The smallest o with faces' vertices a[i] == b[sedge_face_permutations[o][i]]; -1 if none.
int sedge_orientation_find(const int32_t a[3], const int32_t b[3]);

// Reorder the vertices of elements so that every volume is positive. A mesh whose elements all have
// negative volume is mirrored; both signs, or a volume that is zero to rounding, are errors that
// name the element.
SEDGE_MUST_USE
sedge_status sedge_global_orient(sedge_global *mesh);

// Find the elements with bent edges, make the nodes of the others' edges exact, and refuse elements
// that fold over. After sedge_global_orient.
SEDGE_MUST_USE
sedge_status sedge_global_bend(sedge_global *mesh);

// Match faces by their vertices: fills `faces`, `side` and the counts of faces in `groups`. Uses
// the options two_sided_surfaces and default_surface. Fails for a face of
// three elements, two elements with the same corners, a one-sided face without a group (unless
// default_surface is set), a triangle that is not a face of an element, and a face in two groups.
SEDGE_MUST_USE
sedge_status sedge_global_connect(sedge_global *mesh, const sedge_mesh_options *options);

// Room for `more` sides behind those that there are.
SEDGE_MUST_USE
sedge_status sedge_global_reserve_sides(sedge_global *mesh, int64_t more);
void sedge_global_sort_sides(sedge_global *mesh);

// The first side of this element or of a later one. After sedge_global_sort_sides.
int64_t sedge_global_first_side(const sedge_global *mesh, int32_t element);

// Counts, extents and shape of the whole mesh, into `mesh`.
SEDGE_MUST_USE
sedge_status sedge_global_summarise(sedge_mesh *mesh, const sedge_global *global);

// Refuse a mesh that is not conforming: an outer face lies on another outer face or crosses it, or
// two elements cover the same place. This happens when several volumes were not joined before
// meshing. These are allowed: faces that touch only in corners and edges, gaps wider than
// SEDGE_OUTER_TOLERANCE (outer.h) times the size of a face, two-sided surfaces, and cracks, which
// are counted in `shape`. Curved faces are compared by their corners and edge nodes alone. Call
// after sedge_global_connect and before sedge_global_pair.
SEDGE_MUST_USE
sedge_status sedge_global_conform(sedge_global *mesh);

// The root of v in a forest, `parent` [nodes], with parent[root] == root. Shortens the way to it.
int32_t sedge_find_root(int32_t *parent, int32_t v);

// Number the face-connected components of the mesh from 0: `part` [elements] gets the number of
// each element's component, `parts` how many there are.
SEDGE_MUST_USE
sedge_status sedge_global_part(int32_t *part, int32_t *parts, const sedge_global *mesh);

// Fill the list of parts in `shape`. Call after sedge_global_pair.
SEDGE_MUST_USE
sedge_status sedge_global_list_parts(sedge_global *mesh);

// Make the boundary faces of the two surface groups neighbours of each other, under the translation
// between the centroids of the groups, which is returned in `shift`. Corners and nodes of edges
// must agree to 1e-6 of the face's longest edge. The faces count as interior faces of their groups
// from then on, and are in `side`.
SEDGE_MUST_USE
sedge_status sedge_global_pair(sedge_global *mesh, const char *first, const char *second,
                               double shift[3]);

// Make faces of periodic sides boundary faces again where the options cut them (cut_periodic). They
// stay in `side`, and in the counts of `groups` what they were. After sedge_global_build.
void sedge_global_cut_periodic(sedge_global *mesh, const sedge_mesh_options *options);

// Do the options cut this surface group, which is periodic?
bool sedge_options_cut(const sedge_mesh_options *options, const char *surface);

// Partition the mesh: part [elements] gets the part of every element, 0 <= part < parts; no part is
// empty. `partitioner` is a PETSc type, or NULL for ptscotch (if that leaves a part empty, equal
// pieces of a Hilbert curve are used).
SEDGE_MUST_USE
sedge_status sedge_global_partition(int32_t *part, const sedge_global *mesh, int parts,
                                    const char *partitioner);

// Generate a box from the box_... members of the options, without periodicity.
SEDGE_MUST_USE
sedge_status sedge_box_make(sedge_global *mesh, const sedge_mesh_options *options);

// Read a Gmsh file: vertices, tetrahedra, their groups, and the triangles of surface groups. Uses
// the options file, scale and default_volume.
SEDGE_MUST_USE
sedge_status sedge_gmsh_read(sedge_global *mesh, const sedge_mesh_options *options);

// Zeroed groups of these counts, with room for one more volume group and one more surface group.
SEDGE_MUST_USE
sedge_status sedge_groups_allocate(sedge_mesh_groups *groups, int volumes, int surfaces);

// A copy of groups of a mesh without layers whose faces are not counted yet, with so many volume
// and surface groups more, which are zero.
SEDGE_MUST_USE
sedge_status sedge_groups_copy(sedge_mesh_groups *out, const sedge_mesh_groups *from, int volumes,
                               int surfaces);
void sedge_groups_release(sedge_mesh_groups *groups);

// The index of the group SEDGE_DEFAULT_GROUP among `*count` volume or surface groups. If there is
// none, it is appended; sedge_groups_allocate has left room for it.
int sedge_groups_default(int *count, char (*names)[64]);

// Key along a Hilbert curve through the cube around `bounds`, 21 bits an axis.
uint64_t sedge_hilbert_key(const double x[3], double bounds[2][3]);

// An element by its place along the curve.
typedef struct sedge_hilbert_place {
    uint64_t key;
    int32_t element;
} sedge_hilbert_place;

// Sort by keys; those with equal keys stay in their order.
SEDGE_MUST_USE
sedge_status sedge_hilbert_sort(sedge_hilbert_place *list, int64_t count);

// The elements along a Hilbert curve through their centres: order [elements].
SEDGE_MUST_USE
sedge_status sedge_global_order(sedge_hilbert_place *order, const sedge_global *mesh);
