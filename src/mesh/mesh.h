// The mesh of one rank: tetrahedra with named groups, neighbours and a halo plan.
//
// An element is straight or curved. A curved element is of second order, with a node in the middle
// of each edge. In a file of second order, only elements with an edge that is not a straight line
// count as curved.
//
// The global mesh exists on rank 0 only, while it is built: read from a file or generated as a box,
// faces matched by topology, partitioned by Scotch or PETSc, scattered, then numbered inside
// each rank so that neighbours are near each other. From a file of `sedge mesh import` no rank
// builds it (meshfile/mesh_file.h). What remains on every rank is this struct.
//
// Reference tetrahedron: vertices v0 (-1,-1,-1), v1 (1,-1,-1), v2 (-1,1,-1), v3 (-1,-1,1). Every
// element is stored with positive volume. Face f has the vertices sedge_face_vertices[f]:
//   face 0 (t = -1): v0 v1 v2    face 1 (s = -1): v0 v1 v3
//   face 2 (r+s+t = -1): v1 v2 v3    face 3 (r = -1): v0 v2 v3
// Face f and the neighbour's face g meet with an orientation o: vertex i of f is vertex
// sedge_face_permutations[o][i] of g.
//
// Local order: the elements of a rank lie in ranges with equal properties (sedge_range). A face
// without a local neighbour owns a trace slot: halo faces first, grouped by peer and in the same
// order on both sides, then boundary faces. A side of a linked two-sided surface (linked_surfaces
// in sedge_mesh_options) whose other side is on another rank owns two slots, one of each kind: it
// is a boundary face, and the other side's trace arrives in its halo slot.
#pragma once

#include "base/error.h"
#include "base/stopwatch.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_FACES       4
#define SEDGE_EDGES       6
#define SEDGE_CURVE_TERMS 10 // of a polynomial of degree two

extern const int sedge_face_vertices[SEDGE_FACES][3];
extern const int sedge_face_permutations[6][3];
extern const int sedge_edge_vertices[SEDGE_EDGES][2];

// What lies behind face f of element e.
typedef struct sedge_face {
    int32_t neighbour;  // >= 0: local element; < 0: trace slot -1 - neighbour
    int8_t face;        // the neighbour's face; of a boundary face: f itself
    int8_t orientation; // 0..5; of a boundary face: the identity, 0
} sedge_face;

// A face that owns a trace slot.
typedef struct sedge_trace_face {
    int32_t element;
    int32_t face;
    int32_t group; // halo: volume group of the neighbour; boundary: surface group
} sedge_trace_face;

// The group of elements and outer faces that are in no physical group of the file, if the options
// accept them. Its tag is 0. If the file has a group of this name, they join that group.
#define SEDGE_DEFAULT_GROUP "default"

// A side of a face that lies in a named surface. A face inside the mesh has two sides, and both are
// in the list of its surface: on one rank or on two. The first side is that of the lesser volume
// group, then of the lesser global element number; on a closed surface (sedge_mesh_enclosed) it is
// that of the enclosed element. Of two periodic surfaces, each has the sides of
// its own elements, which are all first.
typedef struct sedge_set_face {
    int32_t element, face;
    int32_t group; // surface group
    int32_t slot;  // trace slot of this side, of a boundary or halo face; -1: neither
    // The other side. Vertex i of `face` is vertex sedge_face_permutations[orientation][i] of
    // `other_face`.
    int32_t other;       // element; -1: there is none, or another rank has it
    int32_t other_group; // its volume group; -1: the face is on the outside of the mesh
    int32_t other_slot;  // halo slot in which the other side's trace arrives; -1: none
    int8_t other_face, orientation;
    bool second;
} sedge_set_face;

// Names of the physical groups, the same on every rank. Volume group v has volume_names[v], surface
// group s surface_names[s]; tags are the numbers in the mesh file, or labels of an image.
//
// Elements in absorbing layers (sedge_mesh_extrusion) are in volume groups of their own: those that
// continue the group "glass" along x and y are in the group "glass-layer-xy", with the tag of
// "glass". These groups come last. Where a group of the mesh is the layer, it is left without
// elements.
//
// A volume group with graded numbers (image/image.h), and each of its layers, is divided into
// groups of equal values. They have the name and the tag of the whole, and lie behind each other.
#define SEDGE_VOLUME_VALUES 4
typedef struct sedge_mesh_groups {
    int volumes;
    int surfaces;
    char (*volume_names)[64];
    char (*surface_names)[64];
    int *volume_tags;
    int *volume_owner; // the group that a layer's group continues; of any other group, itself
    int *volume_axes;  // bit d: it is in a layer along axis d; SEDGE_LAYER_RADIAL: in one around a
                       // sphere; 0: in no layer
    // The graded numbers, in the order of the options' grids for the group; 0 behind the last.
    double (*volume_values)[SEDGE_VOLUME_VALUES];
    int *surface_tags;
    int64_t *volume_elements; // elements of the whole mesh in each volume group
    int64_t *surface_faces;   // boundary faces (one-sided) of the whole mesh in each surface group
    // Faces between two elements that carry the tag: those across which the elements are neighbours
    // (periodic ones count on each side), and those of two-sided surfaces, both sides of which are
    // among surface_faces.
    int64_t *surface_interior_faces;
    int64_t *surface_two_sided_faces;
    // What is in no group of the file, and therefore in the group SEDGE_DEFAULT_GROUP here:
    int64_t groupless_elements;
    int64_t groupless_faces;   // outer faces
    double groupless_place[3]; // the centre of one of these faces
} sedge_mesh_groups;

// A connected part of the mesh: elements connected by common vertices or periodic faces.
#define SEDGE_PART_GROUPS 4
typedef struct sedge_mesh_part {
    int64_t elements;
    int groups; // number of its volume groups; SEDGE_PART_GROUPS + 1: more than the list holds
    int group[SEDGE_PART_GROUPS];
    double bounds[2][3];
} sedge_mesh_part;

// How the elements of a file are connected, the same on every rank. For a box all is zero.
#define SEDGE_PARTS 8
typedef struct sedge_mesh_shape {
    int32_t parts;                     // number of connected parts
    sedge_mesh_part part[SEDGE_PARTS]; // the first of them; not filled if there is only one
    int64_t crack_faces;               // pairs of outer faces that form a crack, see README.md
    char fault[4096];                  // why the mesh is not conforming; "": it is
} sedge_mesh_shape;

// The absorbing layers of a mesh; all is zero without any.
typedef struct sedge_mesh_extruded {
    int layers;         // extruded ones; 0: volume groups of the mesh are the layers
    double thickness;   // of all of them together, on the side where they are thinnest
    double inner[2][3]; // the box around the mesh without layers
    double centre[3];   // from which the layers grow, along the rays from there
    double radius; // greatest distance of a corner of the surface with layers from the centre, the
                   // radius of a sphere; 0: the layers lie around a box
    bool sphere;   // the surface is a sphere or a part of one
    double steepest; // cosine of the greatest angle between a ray and the normal of a triangle that
                     // it passes, at its corners
} sedge_mesh_extruded;

#define SEDGE_LAYER_RADIAL 8 // among the bits of axes: the layer grows along rays from a centre
#define SEDGE_LAYER_KINDS  4 // layers along one, two and three axes, and radial ones

// 1 to 3: the number of axes of a layer with these bits; 4: it is radial; 0: none.
int sedge_layer_kind(int axes);

// The frame of a radial layer at a place with the distance r from the centre: the unit vector e
// along the ray, and a vector v across the triangle at which the layer begins, such that the
// displacement D = (r - R) e, where R is the length of the ray up to that triangle, has the
// gradient dD_i/dx_j = (1 - R / r) delta_ij + e_i v_j. On the triangle D = 0.
#define SEDGE_LAYER_FRAME 6

// An outer or periodic surface group on which a closed surface ends.
typedef struct sedge_mesh_wall {
    int surface;
    bool periodic;
    double normals[2][3]; // least and greatest components of the unit normals, out of the mesh, of
                          // the group's faces outside of the closed surface and at its rim
    double place[3];      // on the rim
} sedge_mesh_wall;
#define SEDGE_ENCLOSED_WALLS 6

// Elements of a volume group that have a face on a closed surface, inside or outside: least and
// greatest coordinates; least above greatest: there is none.
typedef struct sedge_mesh_beside {
    double bounds[2][3];
    double group[2][3]; // of all elements of the group
} sedge_mesh_beside;

// What a closed surface encloses, the same on every rank: one of the options
// (sedge_mesh_enclosure), or another surface group that is closed and has a face with the same
// volume group on both sides.
typedef struct sedge_mesh_enclosed {
    int surface; // its surface group; -1: the mesh has no group of this name
    int64_t faces;
    int64_t elements;
    uint32_t overlaps;   // bit i: enclosure i encloses some of the same elements
    double bounds[2][3]; // of the enclosed elements: least and greatest coordinates
    int walls;
    sedge_mesh_wall wall[SEDGE_ENCLOSED_WALLS];
} sedge_mesh_enclosed;

#define SEDGE_LEVELS_MAX 16 // of the time step (sedge_mesh_set_levels)

// Elements [first, first + count) of a rank with the same properties.
typedef struct sedge_range {
    int32_t first, count;
    bool halo; // they need traces of another rank's elements: they are halo elements
    bool curved;
    int level;     // of their time step: 2^level steps of the finest level (sedge_mesh_set_levels)
    bool finer;    // each has a neighbour, here or on another rank, whose level is one less
    bool boundary; // straight, without halo, with a boundary face: only where the options ask for
                   // ranges of such elements
    int layer;     // sedge_layer_kind of the absorbing layers that they are in; 0: in none
    int class;     // of their volume group, or of that which their layer continues: 0, or 1 + its
                   // place in the options' class_volume
} sedge_range;

typedef struct sedge_mesh {
    int64_t global_elements;
    int64_t global_vertices; // corners of elements; both of a periodic pair
    int64_t global_curved;   // elements of the whole mesh that are curved
    double bounds[2][3];     // of the whole mesh: least and greatest coordinate
    sedge_mesh_groups groups;
    bool straightened; // the file has elements of third or higher order; their corners are used
    sedge_mesh_shape shape;
    sedge_mesh_extruded extruded;
    int enclosures;
    sedge_mesh_enclosed *enclosed;      // [enclosures] in the order of the options, then others
    sedge_mesh_beside *enclosed_beside; // [enclosures][volume groups]
    // [volume groups + surface groups] boxes around the corners of volume groups' elements, then
    // around surface groups' faces, of the whole mesh: minus the least coordinates, then the
    // greatest; -HUGE_VAL: there are none. The same on every rank. NULL: the mesh has no absorbing
    // layers.
    double (*boxes)[6];
    int periods;         // pairs of periodic surface groups
    double (*period)[3]; // [periods] the translation between the two groups

    int32_t elements;        // of this rank
    int range_count;         // none of the ranges is empty, each has other properties
    sedge_range *ranges;     // [range_count] in ascending order of halo, curved, level, finer,
                             // boundary, layer, class
    double (*corners)[4][3]; // [elements][vertex][x,y,z], length units of the file times scale
    double (*middles)[SEDGE_EDGES][3]; // [curved elements] in their order: the node of each edge,
                                       // sedge_edge_vertices
    // [elements] of an element in a radial layer, the plane a.y = 1 of the triangle at which the
    // layer begins, y from extruded.centre; else zero. NULL: there are no such layers.
    double (*planes)[3];
    int64_t *global_ids;              // [elements] number of the element in the file or box, from 0
    int32_t *group;                   // [elements] volume group
    sedge_face (*faces)[SEDGE_FACES]; // [elements][face]

    int32_t halo_faces;            // trace slots [0, halo_faces)
    int32_t boundary_faces;        // trace slots [halo_faces, halo_faces + boundary_faces)
    sedge_trace_face *trace_faces; // [halo_faces + boundary_faces] by slot
    int peers;                     // ranks that share a face with this one
    int *peer_ranks;               // [peers]
    int32_t *peer_offsets;         // [peers + 1] windows of halo slots; same order on both sides,
                                   // with levels by the lower one of both sides

    int levels;          // levels of the time step over all ranks; 1 before sedge_mesh_set_levels
    uint8_t *halo_level; // [halo_faces] of the element whose trace arrives in the slot; NULL before

    // Each element twice (sedge_mesh_add_twins): 2 i is in the first copy, its twin 2 i + 1 in the
    // second. Twins are on one rank. Counts in `groups` and of `enclosed` stay those of one copy.
    bool twins;
    bool *cut_surface; // [surface groups] a periodic one that the options cut (cut_periodic)

    int32_t *set_offsets;      // [surface groups + 1] windows of set_faces
    sedge_set_face *set_faces; // this rank's sides of named faces; of a surface by element and face

    struct sedge_global *whole; // the whole mesh on rank 0, kept for sedge_mesh_balance; else NULL
} sedge_mesh;

// How elements are numbered inside a rank, in each of its ranges.
typedef enum sedge_numbering {
    SEDGE_NUMBERING_CLUSTERS, // in clusters of ten, seeded along the curve
    SEDGE_NUMBERING_CURVE,    // along a Hilbert curve through their centres
    SEDGE_NUMBERING_NONE      // as in the file or box
} sedge_numbering;

// "clusters", "curve", "none"; NULL behind the last.
extern const char *const sedge_numbering_names[];

// Sets `*out` to the numbering of this name; false if there is none.
SEDGE_MUST_USE
bool sedge_numbering_find(sedge_numbering *out, const char *name);

// Two surface groups that are one and the same under a translation.
typedef struct sedge_periodic_pair {
    const char *first;
    const char *second;
} sedge_periodic_pair;

// A request for layers of elements outside of a mesh, for a perfectly matched layer. Volume groups
// that the mesh has become the layers if `volume` names some. Then no elements are added: those of
// the groups must lie outside of the box around all others, and in no element may a plane of this
// box's sides lie. Otherwise the layers are extruded. The named
// surface groups form sides of a box with edges along the axes, all six or some of them; together
// they are all outer faces of these sides, each of which gets the same layers. Faces, edges and
// corners of the box are filled. A layer continues the triangles of the side, and each new element
// its neighbour's volume group (see sedge_mesh_groups). New outer faces are in the surface group
// that they came from. Where a wall of another group reaches a side, it continues along the layers,
// and so does a named surface inside the mesh. In place of sides of a box the surface groups may
// form a sphere, an ellipsoid, a rounded box or the like, or a part of one that ends on walls
// through its centre; layers grow along rays from the centre then.
typedef struct sedge_mesh_extrusion {
    int volumes; // number of the groups that are layers; 0: they are extruded
    const char *const *volume;
    int surfaces; // number of the groups; 0: nothing is extruded
    const char *const *surface;
    int layers;       // 1..8, e.g. sedge_mesh_default_layers
    double thickness; // of all layers together, after scaling; 0: each layer is as thick as the
                      // edges on these sides are long, in the mean, so that the stable time step
                      // hardly changes
} sedge_mesh_extrusion;

// A closed surface inside the mesh. It is a surface group that the mesh has, or a new one of the
// faces between the elements that a shape encloses and all others. An element is in a box or a ball
// if its centroid is: the surface consists of faces of the mesh. A surface may have several parts.
// That of a shape may end on outer and periodic surfaces. A plane cuts the whole mesh in two,
// layers included, which other shapes leave out.
#define SEDGE_ENCLOSURES_MAX 16
typedef enum sedge_enclosure_shape {
    SEDGE_ENCLOSURE_NAMED,  // a surface group of the mesh; its inside is the bounded one
    SEDGE_ENCLOSURE_GROUPS, // the elements of volume groups
    SEDGE_ENCLOSURE_BOX,
    SEDGE_ENCLOSURE_SPHERE,
    SEDGE_ENCLOSURE_PLANE
} sedge_enclosure_shape;

typedef struct sedge_mesh_enclosure {
    const char *name;  // of the surface group
    const char *where; // with which messages about it begin; NULL: the file or "the box"
    sedge_enclosure_shape shape;
    int volumes; // of GROUPS: the volume groups
    const char *const *volume;
    double low[3], high[3]; // of BOX, and of PLANE, where all of them but one are infinite
    double centre[3];       // of SPHERE
    double radius;
} sedge_mesh_enclosure;

typedef struct sedge_mesh_options {
    const char *file; // Gmsh 2 to 2.2 or 4.1, ASCII or binary, or 4.0, ASCII; NULL: a box
    double scale;     // multiplies the coordinates of the file; 1 by default
    // Accept what is in no physical group of a file, in the group SEDGE_DEFAULT_GROUP. The default,
    // false, refuses it.
    bool default_volume;  // elements in no volume group
    bool default_surface; // outer faces in no surface group

    double box_min[3];
    double box_max[3];
    int box_cells[3]; // cubes an axis, six tets each (Kuhn)
    bool box_periodic[3];
    // Volume groups of the box: cells whose centre has its coordinate `box_split_axis` below
    // `box_split` are named box_names[0], the others box_names[1]; axis < 0: all box_names[0].
    int box_split_axis;
    double box_split;
    const char *box_names[2];
    // Moves every node of the box, those of the edges, too: curved elements. NULL: none.
    void (*box_map)(const double x[3], double moved[3]);

    int periodic_pairs; // of a file: surface groups paired by translation
    const sedge_periodic_pair *periodic;
    // The elements on two periodic sides are not neighbours: each has a boundary face, and its side
    // in set_faces knows the other one, as on a linked surface. For fields that differ by a factor
    // from one side to the other. SEDGE_ERR_USAGE for a file of `sedge mesh import`.
    bool cut_periodic;
    // Two-sided surfaces: surface groups that separate the elements on their two sides, such as a
    // thin conductor. If a face of such a group has an element on either side, the two elements are
    // not neighbours, and each has a boundary face. Names that the mesh does not have are ignored.
    int two_sided_surfaces;
    const char *const *two_sided_surface;
    // The two-sided surfaces on which each side needs the trace of the other side; the traces are
    // exchanged between ranks.
    int linked_surfaces;
    const char *const *linked_surface;

    // By images (image/image.h): volume groups, NULL: none; numbers of materials that vary in
    // space.
    const struct sedge_image_labels *labels;
    int grids;
    const struct sedge_image_grid *grid; // [grids]

    sedge_mesh_extrusion extrude;

    int enclosures; // at most SEDGE_ENCLOSURES_MAX
    const sedge_mesh_enclosure *enclosure;

    const char *partitioner; // PETSc partitioner type; NULL: the default (ptscotch)
    sedge_numbering numbering;
    bool boundary_last; // ranges of elements with boundary faces, see sedge_range
    // Volume groups whose elements lie in ranges of their own. Names that the mesh does not have do
    // nothing.
    int classes;
    const char *const *class_volume;
    bool keep_whole; // rank 0 keeps the whole mesh for sedge_mesh_balance
    // For looking at a file: accept one that is not conforming, sedge_mesh_shape.fault says why,
    // and one of `sedge mesh import` that was made for other options.
    bool keep_faults;

    // Called on rank 0 when a phase begins, with its name and the number of elements, e.g.
    // sedge_mesh_say; may be NULL.
    void (*tell)(const char *what, int64_t elements);
    sedge_stopwatch *watch; // the parts of sedge_mesh_create; may be NULL
    int threads;            // of this rank for the work; the mesh does not depend on it
} sedge_mesh_options;

// Defaults: a unit box of 4x4x4 cells, one volume group "domain", surface groups "xmin", "xmax",
// "ymin", "ymax", "zmin", "zmax", nothing periodic.
sedge_mesh_options sedge_mesh_defaults(void);

// Pair `i` of periodic surface groups that the options ask for, of a box or of a file, in the order
// of sedge_mesh.period; false behind the last. The names are borrowed.
SEDGE_MUST_USE
bool sedge_mesh_find_pair(sedge_periodic_pair *out, const sedge_mesh_options *options, int i);

// Read or make, check, partition, number and scatter. Collective. Fails with SEDGE_ERR_DATA and a
// message with file, element and place for: a missing, truncated or unreadable file, cells that are
// not tetrahedra, zero-volume elements, inverted elements (a mesh whose elements have both signs),
// curved elements that fold over, elements without a volume group and one-sided faces without a
// surface group (unless the options accept them), a face shared by three elements, periodic groups
// that do not match, outer faces that lie on or cross other outer faces, elements that overlap,
// layers on a surface that is no side of a box or has curved edges, volume groups for layers that
// are no shell of a box. SEDGE_ERR_USAGE for more ranks
// than elements, unusable box options, an unknown partitioner or periodic group, an enclosure that
// is not closed, encloses nothing or has the name of a group, and layers that are too many, too
// thin, too thick, or on an unknown, inner or periodic surface or on a part of a side. The
// partition of the first mesh of a process is the same in each run; that of further ones may differ
// (Scotch's random numbers). Nothing of the options is kept. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_mesh_create(sedge_mesh **out, const sedge_comm *comm,
                               const sedge_mesh_options *options);
void sedge_mesh_free(sedge_mesh *mesh);

// The number of layers with which a perfectly matched layer absorbs as well as the discretisation
// of this order permits: 2 at order 1 and 2, else 1.
int sedge_mesh_default_layers(int order);

// The following functions are not collective, except those that measure or print the whole mesh.

// Signed volume of a tetrahedron, corners [vertex][x,y,z], the radius of its inscribed sphere,
// 3 V / (sum of face areas), and its least height, 3 V / (largest face area).
double sedge_tet_volume(double corners[4][3]);
double sedge_tet_inradius(double corners[4][3]);
double sedge_tet_height(double corners[4][3]);

// 3 r_in / R_circumscribed: 1 for the regular tetrahedron, 0 for a degenerate one.
double sedge_tet_quality(double corners[4][3]);

// ---- ranges ------------------------------------------------------------------------------------

// The range of an element.
const sedge_range *sedge_mesh_range(const sedge_mesh *mesh, int32_t element);

// How many elements the ranges with these two properties have. These ranges lie behind each other.
int32_t sedge_mesh_count(const sedge_mesh *mesh, bool halo, bool curved);

// Divide the ranges by levels of the time step, and number the elements anew: in the order of
// ranges that sedge_mesh describes, and within a range as before. `level` [elements], which is not
// kept, is that of each element in the present numbering; 0 is the finest. Everything in the mesh
// that holds element numbers or slots of boundary faces follows; those of halo faces stay. Numbers
// that others have kept (a sedge_locator, sedge_points) are no longer valid. Elements with
// boundary faces lie in several ranges then, which are no longer the last of the straight interior
// (boundary_last in sedge_mesh_options). May be called again, with other levels. SEDGE_ERR_INTERNAL
// on all ranks if the levels of two neighbours, here or on two ranks, differ by more than one,
// SEDGE_ERR_MEMORY; the mesh is as before then. Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_set_levels(sedge_mesh *mesh, const sedge_comm *comm, const uint8_t *level);

#define SEDGE_MESH_WORK 1023 // so that sums of 32 bits hold what the coarsest parts of a mesh have

// Deal the elements to the ranks anew if the ranks would wait for each other: a step takes as long
// as on the rank with most work, and with local time steps so does each tick. Each rank has about
// its share of the work of each level then. `*level` [elements] is as in sedge_mesh_set_levels, 0
// everywhere without local time steps; it is replaced by that of the new elements of this rank (to
// be released with sedge_release), and everything in the mesh that holds elements, slots and ranks
// is new, in one level. work [elements]: of a step of each element, 1 to SEDGE_MESH_WORK in any
// unit. Nothing changes on one rank, where the present parts lose less than a twentieth by waiting,
// and where the new ones would hardly lose less or leave a rank without elements. The options are
// those that the mesh was created with, and nothing is done without keep_whole, nor if the mesh is
// from a file of `sedge mesh import`. The whole mesh on rank 0 is released in any case.
// SEDGE_ERR_MEMORY on all ranks; the mesh is as before then. Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_balance(sedge_mesh *mesh, uint8_t **level, const uint16_t *work,
                                const sedge_comm *comm, const sedge_mesh_options *options);

// How much longer the ticks of a macro step take than if each rank had the same work in each: that
// of the fullest rank of each tick, summed over the ticks, over the same of the mean rank. At least
// 1. `level` and `work` as in sedge_mesh_balance. SEDGE_ERR_MEMORY on all ranks.
// Collective; the same result on every rank.
SEDGE_MUST_USE
sedge_status sedge_mesh_measure_path(double *path, const sedge_mesh *mesh, const sedge_comm *comm,
                                     const uint8_t *level, const uint16_t *work);

// Release the whole mesh that rank 0 keeps, if it does. Not collective.
void sedge_mesh_release_whole(sedge_mesh *mesh);

// Send what this rank has for each halo slot to the other rank of the face: `mine` [halo_faces] of
// `bytes` bytes. The caller releases `*theirs` (a pointer to any object pointer) [halo_faces], what
// the other ranks have for the slots, with sedge_release. SEDGE_ERR_MEMORY on all ranks.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_exchange(void *theirs, const sedge_mesh *mesh, const sedge_comm *comm,
                                 const void *mine, size_t bytes);

// Give each element a twin with the same corners, group, level and faces, for fields with a real
// and an imaginary part: element i becomes 2 i, and 2 i + 1 is its twin. Inside a copy elements
// have the neighbours that they had; halo slot s becomes 2 s and 2 s + 1 on both ranks of a face.
// global_ids of twins are higher by the number of elements that the mesh had; global_elements,
// global_vertices and global_curved are doubled. On cut surfaces the twins' sides are second ones.
// Numbers that others have kept are no longer valid. After sedge_mesh_balance and
// sedge_mesh_set_levels; once. SEDGE_ERR_MEMORY, SEDGE_ERR_USAGE for too many elements; the mesh is
// as before then. Not collective, but all ranks must do it.
SEDGE_MUST_USE
sedge_status sedge_mesh_add_twins(sedge_mesh *mesh);

// How many copies there are, 2 with twins and else 1; the copy that an element is in, from 0 on;
// the element's twin.
int sedge_mesh_copies(const sedge_mesh *mesh);
int sedge_mesh_copy(const sedge_mesh *mesh, int32_t element);
int32_t sedge_mesh_twin(int32_t element);

// The level of an element's range.
int sedge_mesh_level(const sedge_mesh *mesh, int32_t element);

// The lower level of both sides of a halo face, by its slot. After sedge_mesh_set_levels.
int sedge_mesh_slot_level(const sedge_mesh *mesh, int32_t slot);

// How many elements have no halo, straight and curved ones: they are the first of the mesh.
int32_t sedge_mesh_interior(const sedge_mesh *mesh);

// How many elements are curved.
int32_t sedge_mesh_curved(const sedge_mesh *mesh);

// ---- groups ------------------------------------------------------------------------------------

// Are two volume groups one and the same, or parts of one with graded numbers? -1 is no group.
bool sedge_mesh_same_group(const sedge_mesh_groups *groups, int v, int w);

// How many volume groups, from v on, are parts of the same one: 1 without graded numbers.
int sedge_mesh_group_parts(const sedge_mesh_groups *groups, int v);

// ---- absorbing layers --------------------------------------------------------------------------

// Is the element in an absorbing layer? What is recorded of a run leaves these elements out.
bool sedge_mesh_in_layer(const sedge_mesh *mesh, int32_t element);

// The frame of the radial layer that an element is in at the place x: e[0..2], v[0..2].
void sedge_mesh_layer_frame(const sedge_mesh *mesh, int32_t element, const double x[3],
                            double frame[SEDGE_LAYER_FRAME]);

// The box [low, high] around the mesh without layers.
const double (*sedge_mesh_inner_bounds(const sedge_mesh *mesh))[3];

// ---- curved elements ---------------------------------------------------------------------------

// The place x at rst of the map with the coefficients c: x_d(r,s,t) = sum_k c[k][d] m_k with the
// monomials m_k 1, r, s, t, r^2, s^2, t^2, rs, rt, st.
void sedge_curve_place(double c[SEDGE_CURVE_TERMS][3], const double rst[3], double x[3]);

// dx[j][d] = dx_d / dr_j there.
void sedge_curve_tangents(double c[SEDGE_CURVE_TERMS][3], const double rst[3], double dx[3][3]);

// cofactor[j][d] = J dr_j / dx_d; returns J.
double sedge_curve_cofactors(double dx[3][3], double cofactor[3][3]);

// inverse[d][j] = dr_j / dx_d: a vector with the covariant components e_j = dx[j].E is
// E_d = sum_j inverse[d][j] e_j.
void sedge_curve_inverse(double dx[3][3], double inverse[3][3]);

// The outward normal of a face. Its length is the surface element relative to two reference
// coordinates that parametrise the face.
void sedge_curve_normal(double cofactor[3][3], int face, double normal[3]);

// The entry of set_faces for this face in the surface group `surface`.
const sedge_set_face *sedge_mesh_find_side(const sedge_mesh *mesh, int32_t element, int32_t face,
                                           int32_t surface);

// What the surface group `surface` encloses; NULL if it is not known to be closed.
const sedge_mesh_enclosed *sedge_mesh_enclosed_by(const sedge_mesh *mesh, int surface);

// Number of a curved element in `middles`; -1: straight.
int32_t sedge_mesh_curve(const sedge_mesh *mesh, int32_t element);

// Of any element, straight or curved: the coefficients of its map, as sedge_curve_place takes them,
// the place x of reference coordinates, the outward unit normal of a face there (returns the
// surface Jacobian: area over that of the reference triangle, which is 2), volume, inscribed radius
// and least height. For a curved element radius and height are small enough for the time step, from
// what the map does at 35 points: where J and the surface elements vary little they are lower
// bounds of what a straight element would have (tests/stability.md, "The limit of the time step").
void sedge_mesh_expand(const sedge_mesh *mesh, int32_t element, double c[SEDGE_CURVE_TERMS][3]);
void sedge_mesh_place(const sedge_mesh *mesh, int32_t element, const double rst[3], double x[3]);
double sedge_mesh_normal(const sedge_mesh *mesh, int32_t element, int face, const double rst[3],
                         double normal[3]);
double sedge_mesh_volume(const sedge_mesh *mesh, int32_t element);
double sedge_mesh_inradius(const sedge_mesh *mesh, int32_t element);
double sedge_mesh_height(const sedge_mesh *mesh, int32_t element);

// The largest Jacobian of an element's map over the least one, at the 35 points above; 1 for a
// straight one.
double sedge_mesh_bending(const sedge_mesh *mesh, int32_t element);

// The longest edge of a straight tetrahedron with these corners.
double sedge_longest_edge(double corners[4][3]);

// Reference coordinates of a place in or near an element. Returns the least of the barycentric
// coordinates, negative outside; -DBL_MAX far outside of a curved element, where there are none.
double sedge_mesh_coordinates(const sedge_mesh *mesh, int32_t element, const double point[3],
                              double rst[3]);

// Extend the box (minus the least coordinates, then the greatest) by a face: its corners and the
// middles of its edges, which tell a bent one.
void sedge_mesh_extend_box(double box[6], const sedge_mesh *mesh, int32_t element, int face);

// Set mesh->boxes. Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_find_boxes(sedge_mesh *mesh, const sedge_comm *comm);

// Has surface group `surface`, of the whole mesh, a face on the outside of the mesh in the plane
// x[axis] = place, to `slack`? Collective; the same on every rank.
bool sedge_mesh_lies_in(const sedge_mesh *mesh, const sedge_comm *comm, int surface, int axis,
                        double place, double slack);

// A box that holds the element.
void sedge_mesh_box(const sedge_mesh *mesh, int32_t element, double low[3], double high[3]);

// One of the worst elements of the whole mesh.
typedef struct sedge_bad_element {
    int64_t global_id;
    double quality;
    double inradius;
    double centroid[3];
    int group;
} sedge_bad_element;

typedef struct sedge_mesh_quality {
    double volume; // of the whole mesh
    double inradius_min, inradius_max;
    double edge_min, edge_max;
    double quality_min, quality_mean;
    int64_t quality_histogram[10]; // elements with quality in [i/10, (i+1)/10)
    int worst_count;
    sedge_bad_element worst[8]; // least quality first
    int64_t worst_alike;        // elements of the whole mesh that have the least quality, to 1e-9
} sedge_mesh_quality;

// Of one copy of the elements, as what follows. Collective; the same result on every rank.
SEDGE_MUST_USE
sedge_status sedge_mesh_measure(sedge_mesh_quality *out, const sedge_comm *comm,
                                const sedge_mesh *mesh);

// The volume of each volume group of the whole mesh: volumes [volume groups]. Collective; the same
// result on every rank.
SEDGE_MUST_USE
sedge_status sedge_mesh_measure_groups(double *volumes, const sedge_comm *comm,
                                       const sedge_mesh *mesh);

// One named surface of the whole mesh.
typedef struct sedge_surface_measures {
    int64_t outside; // faces on the outside of the mesh
    int64_t inside;  // faces between two elements; a periodic one is in both of its surfaces
    double area;     // of all these faces
} sedge_surface_measures;

// Measure surface group `surface`. volumes [2][volume groups]: number of faces with an element of
// the group on their first side, on their second. Collective; the same result on every rank.
void sedge_mesh_measure_surface(sedge_surface_measures *out, int64_t *volumes,
                                const sedge_comm *comm, const sedge_mesh *mesh, int surface);

// Print counts, tags, quality and extents as `sedge mesh info` does, to stdout. Root prints.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_print(const sedge_comm *comm, const sedge_mesh *mesh);

// Cracks and parts that are not connected, if there are any, to stdout; each line begins with
// `begin`. Not collective.
void sedge_mesh_print_shape(const sedge_mesh *mesh, const char *begin);

// For sedge_mesh_options.tell: print a line to stdout if the mesh has 200 000 elements or
// more; smaller meshes take only a second or two.
void sedge_mesh_say(const char *what, int64_t elements);

// The element of this rank that contains `point` (barycentric coordinates >= -tolerance, relative),
// or -1. Sets the reference coordinates r, s, t. Where ranks share the point, the caller decides.
// Of several elements that hold the point, the one in which it lies deepest, then the least global
// number. Looks at every element; for many points there is sedge_locator.
int32_t sedge_mesh_locate(const sedge_mesh *mesh, const double point[3], double rst[3]);

// The search of sedge_mesh_locate by a tree of boxes: about a microsecond a point.
typedef struct sedge_locator sedge_locator;

// Keeps `mesh`, which must outlive the locator. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_locator_create(sedge_locator **out, const sedge_mesh *mesh);
void sedge_locator_free(sedge_locator *locator);

// As sedge_mesh_locate, with the same answer.
int32_t sedge_locator_find(const sedge_locator *locator, const double point[3], double rst[3]);

// For each of `count` points, the element of all ranks' that contains it, chosen as by
// sedge_mesh_locate: the same one on any number of ranks. owners [count]: the rank that has it; -1:
// none does. elements [count] is -1 on the other ranks; rst [count] is set where this rank is the
// owner. Many points are found by a tree. Collective; the same points on all ranks.
SEDGE_MUST_USE
sedge_status sedge_mesh_claim(int *owners, int32_t *elements, double (*rst)[3],
                              const sedge_comm *comm, const sedge_mesh *mesh,
                              const double (*points)[3], int count);
