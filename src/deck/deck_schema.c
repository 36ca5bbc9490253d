#include "deck_schema.h"

#include "dg/levels.h"
#include "dg/monitor_kind.h"
#include "dg/problem.h"
#include "operator/operator.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ROWS(table)   (table), (int)(sizeof(table) / sizeof((table)[0]))
#define RANGE(lo, hi) .minimum = (lo), .maximum = (hi)
#define NO_LIMIT      1e300

static const deck_key top_keys[] = {
    {"title", DECK_TEXT, .fallback = "\"\"", .text = "a line of text for reports and output files"},
    {"equation", DECK_NAME, .required = true,
     .text = "what is solved: one of the sections *Equation* below"},
    {"order", DECK_INTEGER, .required = true, RANGE(SEDGE_ORDER_MIN, SEDGE_ORDER_MAX),
     .text = "polynomial order of the elements"},
    {"precision", DECK_CHOICE, .fallback = "fp32", .choices = "fp32 fp64",
     .text = "precision of the fields on the device; set-up and reports are always fp64"},
    {"units", DECK_CHOICE, .fallback = "normalised", .choices = "normalised si",
     .text = "units of all numbers in the deck and in the output"},
    {"device", DECK_CHOICE, .fallback = "auto", .choices = "auto cuda host opencl",
     .text = "where the kernels run; auto: cuda if there is one, else host"},
    {"mesh", DECK_SECTION, .required = true, .text = "the geometry"},
    {"flux", DECK_SECTION, .fallback = "{}",
     .text = "how elements exchange waves: the numerical flux; keys by equation"},
    {"time", DECK_SECTION, .computed = "required by an equation with time",
     .text = "duration and time step; not with an equation without time"},
    {"solver", DECK_SECTION, .computed = "`{}` with an equation without time",
     .text = "how a system of equations is solved; not with an equation with time"},
    {"materials", DECK_SECTION, .required = true,
     .text = "by volume group: every one in the mesh must be here; `default`: elements in no "
             "group; keys by equation"},
    {"boundaries", DECK_SECTION, .fallback = "{}",
     .text = "by surface group: every one on the outside of the mesh must be here; `default`: "
             "outer faces in no group"},
    {"bloch", DECK_SECTION,
     .text = "a phase between the fields of two periodic sides; needs such sides"},
    {"initial", DECK_SECTION, .fallback = "{}",
     .text = "the fields at time 0; of an equation without time a known solution"},
    {"sources", DECK_LIST, .fallback = "[]", .text = "what drives the fields"},
    {"monitors", DECK_SECTION, .fallback = "{}", .text = "what is recorded while it runs"},
    {"exact", DECK_SECTION,
     .text =
         "a problem whose solution is known, which far fields, absorption and normalised spectra "
         "at points are compared with; needs one of these monitors; {}: none"},
    {"output", DECK_SECTION, .fallback = "{}", .text = "where the results go"},
    {"sweep", DECK_SECTION,
     .text =
         "several runs of this deck: by key, in one word such as `time.end`, a list of values, one "
         "for each run (input/runs.md)"},
    {"kernels", DECK_SECTION, .fallback = "{}",
     .text = "how the kernels are tuned; for developers: their configuration"},
};

static const deck_key mesh_keys[] = {
    {"file", DECK_TEXT, .either = "box",
     .text = "Gmsh file (2 to 2.2 or 4.1, ASCII or binary; 4.0, ASCII), or a file that `sedge mesh "
             "import` has made of one; relative to the deck's folder"},
    {"scale", DECK_REAL, .fallback = "1", .positive = true, .with = "file",
     .text = "multiplies the file's coordinates: 0.001 for a mesh drawn in millimetres"},
    {"box", DECK_SECTION, .either = "file",
     .text = "a box made of cubes with six tetrahedra each, instead of a file"},
    {"labels", DECK_SECTION, .text = "volume groups by an image, such as one of a human body"},
    {"surfaces", DECK_SECTION,
     .text = "by name: closed surfaces inside the mesh, for conditions and monitors"},
    {"layers", DECK_LISTED,
     .text =
         "volume groups of the mesh that are the perfectly matched layer of boundaries with the "
         "type pml; without them the program adds layers of its own"},
    {"partitioner", DECK_CHOICE, .fallback = "auto", .choices = "auto ptscotch parmetis simple",
     .text = "how elements are spread over ranks: by Scotch (ptscotch) or another partitioner of "
             "PETSc (simple is for "
             "tests); auto: ptscotch, but each rank has its share of the work, and with local "
             "time steps its share of every level's (not with a mesh by sedge mesh import)"},
    {"numbering", DECK_CHOICE, .fallback = "clusters", .choices = "clusters curve none",
     .text = "order of a rank's elements in memory: clusters of ten along a Hilbert curve, along "
             "that curve, or as in the file; answers do not depend on it, speed does"},
    {"boundary_elements", DECK_CHOICE, .fallback = "mixed", .choices = "mixed last",
     .text = "where elements with boundary faces are in that order; last: their kernels run beside "
             "the others' (0.3 to 1.4 % slower on an H200)"},
};

static const deck_key box_keys[] = {
    {"min", DECK_VECTOR, .fallback = "[0, 0, 0]", .dimension = SEDGE_LENGTH,
     .text = "the corner with the least coordinates"},
    {"max", DECK_VECTOR, .fallback = "[1, 1, 1]", .dimension = SEDGE_LENGTH,
     .text = "the corner with the greatest coordinates"},
    {"cells", DECK_INTEGERS, .fallback = "[4, 4, 4]", RANGE(1, 10000),
     .text = "cubes along x, y, z"},
    {"periodic", DECK_AXES, .fallback = "[]",
     .text = "axes whose two sides are one; they have no surface groups then"},
    {"split", DECK_SECTION, .text = "cut the box into two volume groups"},
    {"name", DECK_NAME, .fallback = "domain", .without = "split", .text = "of the volume group"},
};

static const deck_key split_keys[] = {
    {"axis", DECK_CHOICE, .required = true, .choices = "x y z", .text = "the normal of the cut"},
    {"at", DECK_REAL, .required = true, .dimension = SEDGE_LENGTH,
     .text = "coordinate of the cut on that axis; cubes with their centre below it are first"},
    {"names", DECK_NAMES, .required = true,
     .text = "of the two volume groups: below the cut, above it"},
};

static const deck_key label_keys[] = {
    {"file", DECK_TEXT, .required = true, .text = "HDF5 file; relative to the deck's folder"},
    {"dataset", DECK_TEXT, .required = true,
     .text = "of whole numbers with three dimensions: [i, j, k] is the label of the voxel with the "
             "centre origin + (i, j, k) spacing, with x first"},
    {"names", DECK_SECTION, .required = true,
     .text = "by label: the volume group of the elements whose centre lies in its voxels; "
             "elements elsewhere stay in their group"},
    {"origin", DECK_VECTOR, .computed = "the dataset's attribute `origin`, else the zero vector",
     .dimension = SEDGE_LENGTH, .text = "centre of the first voxel"},
    {"spacing", DECK_VECTOR, .computed = "the dataset's attribute `spacing`",
     .dimension = SEDGE_LENGTH, .text = "of the voxels along x, y and z"},
};

static const deck_key grid_keys[] = {
    {"file", DECK_TEXT, .required = true, .text = "HDF5 file; relative to the deck's folder"},
    {"dataset", DECK_TEXT, .required = true,
     .text = "of numbers with three dimensions: [i, j, k] is the value at origin + (i, j, k) "
             "spacing, with x first; linear in between; in the deck's units"},
    {"origin", DECK_VECTOR, .computed = "the dataset's attribute `origin`, else the zero vector",
     .dimension = SEDGE_LENGTH, .text = "place of the first value"},
    {"spacing", DECK_VECTOR, .computed = "the dataset's attribute `spacing`",
     .dimension = SEDGE_LENGTH, .text = "of the values along x, y and z"},
};

static const deck_key surface_keys[] = {
    {"groups", DECK_LISTED, .text = "volume groups of the mesh: the surface is around them"},
    {"box", DECK_SECTION, .text = "around the elements whose centroid is in a box"},
    {"sphere", DECK_SECTION, .text = "around the elements whose centroid is in a ball"},
    {"plane", DECK_SECTION,
     .text = "a cut through the whole mesh: between the elements whose "
             "centroid is below a plane and the others"},
};

static const deck_key surface_box_keys[] = {
    {"min", DECK_VECTOR, .required = true, .dimension = SEDGE_LENGTH,
     .text = "the corner with the least coordinates"},
    {"max", DECK_VECTOR, .required = true, .dimension = SEDGE_LENGTH,
     .text = "the corner with the greatest coordinates"},
};

static const deck_key surface_sphere_keys[] = {
    {"centre", DECK_VECTOR, .fallback = "[0, 0, 0]", .dimension = SEDGE_LENGTH,
     .text = "of the ball"},
    {"radius", DECK_REAL, .required = true, .positive = true, .dimension = SEDGE_LENGTH,
     .text = "of the ball"},
};

static const deck_key surface_plane_keys[] = {
    {"normal", DECK_CHOICE, .required = true, .choices = "x y z", .text = "axis across the plane"},
    {"at", DECK_REAL, .required = true, .dimension = SEDGE_LENGTH,
     .text = "coordinate of the plane on that axis"},
};

static void list_integrators(char *text, size_t size)
{
    const int used = snprintf(text, size, "auto ");

    sedge_integrator_names(text + used, size - (size_t)used);
}

static void list_levels(char *text, size_t size)
{
    int used = snprintf(text, size, "auto");

    for (int n = 1; n < SEDGE_LEVELS_MAX; n++)
        used += snprintf(text + used, size - (size_t)used, " %d", n);
}

static const deck_key time_keys[] = {
    {"end", DECK_REAL, .positive = true, .dimension = SEDGE_TIME, .either = "steps",
     .text = "simulated time; the last step ends on it"},
    {"steps", DECK_INTEGER, .either = "end", RANGE(1, 1e15), .text = "number of time steps"},
    {"cfl", DECK_REAL, .fallback = "0.8", .positive = true, RANGE(0, 2),
     .text = "time step as a fraction of the stability limit; all orders are stable up to 0.85, "
             "some to 1, and above 0.85 a warning says so"},
    {"integrator", DECK_CHOICE, .fallback = "auto", .names = list_integrators,
     .text = "how a step is made; see *Integrators* below"},
    {"levels", DECK_CHOICE, .fallback = "auto", .names = list_levels,
     .text = "the largest number of levels of local time steps, for an integrator that has them: "
             "elements of a level take steps twice as long as those of the level below. 1: all "
             "elements take the same step; auto: as many levels as pay on the device"},
    {"stop", DECK_SECTION,
     .text = "end the run earlier, when the fields have gone; `end` or `steps` remains the latest "
             "end"},
    {"wall", DECK_DURATION, .computed = "Slurm's limit of the job, else 0", RANGE(0, NO_LIMIT),
     .text = "time of the wall clock that the run may take, from the start of its process: "
             "seconds, or such as `55 min` (s, min, h, d); before it is over the run stops with a "
             "checkpoint; 0: no limit"},
};

static const deck_key bloch_keys[] = {
    {"wave_vector", DECK_VECTOR, .required = true,
     .text = "k, in radians per unit of length: a period a further on the fields are "
             "exp(-i k.a) times those here. They have a real and an imaginary part then, and each "
             "element stands for two. [0, 0, 0]: the same fields, without a second part"},
};

static const deck_key stop_keys[] = {
    {"energy", DECK_REAL, .positive = true, RANGE(0, 1),
     .text = "the energy of the fields is below this part of its greatest value"},
    {"spectra", DECK_REAL, .positive = true, RANGE(0, 1),
     .text =
         "what the fields at the frequencies of all monitors can still change is below this part "
         "of their greatest value"},
};

static const deck_key solver_keys[] = {
    {"tolerance", DECK_REAL, .computed = "1e-8, in fp32 1e-5", .positive = true, RANGE(0, 0.1),
     .text = "where the solve ends: norm of the residual, by that of the right-hand side"},
    {"iterations", DECK_INTEGER, .fallback = "1000", RANGE(1, 1e9),
     .text = "the most that a solve may take; one that needs more has failed"},
    {"preconditioner", DECK_CHOICE, .fallback = "multigrid", .choices = "multigrid none",
     .text = "preconditioner of the conjugate gradients; multigrid: over the orders, algebraic at "
             "the bottom; none: for comparison"},
};

static const deck_key boundary_keys[] = {
    {"type", DECK_NAME, .required = true,
     .text = "a boundary kind of the equation, or periodic; the kind's parameters beside it. Faces "
             "inside the mesh have the condition on both sides"},
    {"symmetry", DECK_BOOLEAN, .computed = "false",
     .text = "of pec and pmc: the surface is a plane of symmetry; energies, fluxes and far fields "
             "are those of the mesh and its mirror images together"},
    {"surface", DECK_NAME, .computed = "NAME",
     .text =
         "of a further mode of a port: the entry with the first mode, whose surface the port is "
         "on. NAME is then the name of the mode's port, and of no surface"},
};

static const deck_key periodic_keys[] = {
    {"type", DECK_CHOICE, .required = true, .choices = "periodic",
     .text = "this surface and its partner are one; for mesh files (a box has mesh.box.periodic)"},
    {"partner", DECK_NAME, .required = true,
     .text = "the surface group on the other side, equal up to a translation"},
};

static const deck_key initial_keys[] = {
    {"type", DECK_NAME, .computed = "zero, if the equation has it",
     .text = "an initial kind of the equation; the kind's parameters beside it"},
    {"compare", DECK_BOOLEAN, .computed = "true if the kind is an exact solution",
     .text = "report the errors against the exact solution; false where the boundaries do not "
             "fit it"},
};

static const deck_key source_keys[] = {
    {"type", DECK_NAME, .required = true,
     .text = "a source kind of the equation; the kind's parameters beside it"},
};

static const deck_key monitor_keys[] = {
    {"energy", DECK_SECTION, .fallback = "{}",
     .text = "energy of the fields, of media's poles and of currents in surfaces over time"},
    {"probes", DECK_SECTION, .fallback = "{}", .text = "fields at points over time"},
    {"slices", DECK_SECTION, .fallback = "{}",
     .text = "by name: fields on planes, with every snapshot"},
    {"frequencies", DECK_SECTION,
     .text = "frequencies of spectra, flux, absorption and far fields; an entry there may have its "
             "own"},
    {"spectra", DECK_SECTION, .fallback = "{}",
     .text = "by name: fields at frequencies, by a Fourier transform that runs beside the steps"},
    {"flux", DECK_SECTION, .fallback = "{}",
     .text = "by name: energy flux through a surface, over time and at frequencies"},
    {"absorption", DECK_SECTION, .fallback = "{}",
     .text = "by name: the power that media absorb at frequencies, by volume group and element"},
    {"far-field", DECK_SECTION, .fallback = "{}",
     .text = "by name: what a closed surface radiates, and radar cross-sections"},
};

// The first rows are those of an entry's own frequencies.
static const deck_key frequency_keys[] = {
    {"list", DECK_NUMBERS, .either = "from", .positive = true, .dimension = SEDGE_FREQUENCY,
     .text = "the frequencies"},
    {"from", DECK_REAL, .either = "list", .positive = true, .dimension = SEDGE_FREQUENCY,
     .text = "the lowest of equally spaced frequencies"},
    {"to", DECK_REAL, .with = "from", .required = true, .positive = true,
     .dimension = SEDGE_FREQUENCY, .text = "the highest of them"},
    {"count", DECK_INTEGER, .with = "from", .required = true, RANGE(1, 100000),
     .text = "how many there are"},
    {"every", DECK_INTEGER, .computed = "by rule", RANGE(1, 1000000),
     .text = "steps between samples; by rule: the greatest number m with m dt (f + s) <= 1, f the "
             "highest frequency of the deck's spectra and s the one above which the sources' "
             "spectra are below 1e-6 of their peaks"},
    {"floor", DECK_REAL, .fallback = "0.001", .positive = true, RANGE(0, 1),
     .text = "where the incident spectrum is below this part of its peak at the frequencies, "
             "normalised fields are not-a-number"},
};
#define FREQUENCY_ROWS 4

static const deck_key spectrum_keys[] = {
    {"points", DECK_SECTION, .text = "by name: points [x, y, z] inside the mesh"},
    {"plane", DECK_SECTION, .text = "points on a plane, in rows and columns"},
    {"surface", DECK_NAME,
     .text = "a surface group of the mesh: the quadrature points of its faces, with normals and "
             "weights; inside the mesh the mean of both sides"},
    {"out_of", DECK_NAME, .with = "surface",
     .computed = "out of the mesh, of a surface of mesh.surfaces or one that is closed within a "
                 "group, or of the group that is first in the mesh",
     .text = "the volume group that the normals point out of"},
    {"away_from", DECK_VECTOR, .with = "surface", .dimension = SEDGE_LENGTH,
     .text = "a point that the normals point away from, such as the centre of a closed surface"},
    {"groups", DECK_LISTED, .text = "volume groups of the mesh: all nodes of their elements"},
    {"fields", DECK_LISTED, .computed = "all",
     .text = "groups of the equation's fields, such as E"},
    {"frequencies", DECK_SECTION, .computed = "monitors.frequencies",
     .text = "frequencies of this entry"},
    {"normalise", DECK_CHOICE, .computed = "source, if the sources have one signal",
     .choices = "source none",
     .text = "source: also fields divided by the transform of the sources' signal at the same "
             "times"},
};

static const deck_key energy_keys[] = {
    {"every", DECK_INTEGER, .fallback = "20", RANGE(1, 100),
     .text = "steps between samples; the fields are checked for blow-up as often"},
};

static const deck_key probe_keys[] = {
    {"every", DECK_INTEGER, .fallback = "1", RANGE(1, 1000000), .text = "steps between samples"},
    {"points", DECK_SECTION, .fallback = "{}",
     .text = "by name: a point [x, y, z] inside the mesh"},
};

static const deck_key slice_keys[] = {
    {"normal", DECK_CHOICE, .required = true, .choices = "x y z", .text = "axis across the plane"},
    {"at", DECK_REAL, .required = true, .dimension = SEDGE_LENGTH,
     .text = "coordinate of the plane on that axis"},
    {"resolution", DECK_INTEGER, .fallback = "200", RANGE(2, 10000),
     .text = "samples along the longer side"},
};

static const deck_key output_keys[] = {
    {"folder", DECK_TEXT, .computed = "the deck's name with -results",
     .text = "where the results go; relative to the working directory"},
    {"snapshots", DECK_INTEGER, .fallback = "10", RANGE(0, 1000000),
     .text = "whole fields written over the run, beside the initial ones; 0: none at all; of an "
             "equation without time any other number stands for one"},
    {"layers", DECK_BOOLEAN, .fallback = "false",
     .text = "write the fields in perfectly matched layers into the field files, too; they are not "
             "those of the medium"},
    {"checkpoint", DECK_SECTION,
     .text = "write checkpoints, from which --restart goes on; without it there are none"},
};

static const deck_key checkpoint_keys[] = {
    {"steps", DECK_INTEGER, RANGE(1, 1e15), .text = "steps between checkpoints"},
    {"time", DECK_REAL, .positive = true, .dimension = SEDGE_TIME,
     .text = "simulated time between checkpoints"},
    {"wall", DECK_DURATION, .positive = true,
     .text = "time of the wall clock between checkpoints: seconds, or such as `10 min` (s, min, h, "
             "d)"},
    {"keep", DECK_INTEGER, .fallback = "2", RANGE(1, 1000),
     .text = "how many of the newest stay in the folder"},
};

static const deck_key kernel_keys[] = {
    {"tune", DECK_CHOICE, .computed = "SEDGE_TUNE, else fast", .choices = "off fast patient",
     .text = "how long kernel configurations are compared before the run, where none was chosen "
             "before; fast: 5 % of the run and 3 s at most; patient: 60 s"},
    {"variant", DECK_CHOICE, .fallback = "auto", .choices = SEDGE_OPERATOR_VARIANTS,
     .text = "auto: by rule" SEDGE_OPERATOR_VARIANT_TEXTS},
    {"block_elements", DECK_INTEGER, .fallback = "0", RANGE(0, 4096),
     .text = "elements per block (cuda); 0: by rule"},
    {"item_nodes", DECK_INTEGER, .fallback = "0", RANGE(0, 64),
     .text = "nodes per work item in the volume integral; 0: by rule"},
    {"lift_nodes", DECK_INTEGER, .fallback = "0", RANGE(0, 64),
     .text = "nodes per work item in the lift of face integrals; 0: by rule"},
    {"item_fields", DECK_INTEGER, .fallback = "0", RANGE(0, 64),
     .text = "fields that an item differentiates together (host); 0: by rule"},
};

static const deck_key flux_keys[] = {
    {"surface", DECK_NAME, .required = true,
     .text = "a surface group of the mesh; inside the mesh the mean of both sides"},
    {"out_of", DECK_NAME,
     .computed = "out of the mesh, of a surface of mesh.surfaces or one that is closed within a "
                 "group, or of the group that is first in the mesh",
     .text = "the volume group out of which the flux is positive"},
    {"away_from", DECK_VECTOR, .dimension = SEDGE_LENGTH,
     .text = "a point away from which the flux is positive"},
    {"frequencies", DECK_SECTION, .computed = "monitors.frequencies",
     .text = "frequencies of this entry; without any the flux is recorded over time alone"},
};

static const deck_key absorption_keys[] = {
    {"groups", DECK_LISTED, .computed = "all that have losses",
     .text = "volume groups of the mesh whose materials have losses"},
    {"surfaces", DECK_LISTED, .computed = "none",
     .text = "surface groups that are walls or sheets with losses, which are found, too"},
    {"mass_density", DECK_SECTION, .computed = "none: no SAR",
     .text = "by volume group: kg per cubic metre, in a deck with SI units; for specific "
             "absorption rates (SAR), of these groups together"},
    {"grid", DECK_REAL, .with = "mass_density", .positive = true, .dimension = SEDGE_LENGTH,
     .computed = "an eighth of a 1 g cube's side, or larger: 4 million points",
     .text = "spacing of the points that averages over 1 g and 10 g use"},
    {"frequencies", DECK_SECTION, .computed = "monitors.frequencies",
     .text = "frequencies of this entry"},
};

static const deck_key far_field_keys[] = {
    {"surface", DECK_NAME, .required = true,
     .text = "a surface group of the mesh that encloses all that radiates and lies in one lossless "
             "material; or the surface of a conductor"},
    {"out_of", DECK_NAME, .computed = "found, where all faces have one group on the same side",
     .text = "the volume group that is inside"},
    {"away_from", DECK_VECTOR, .dimension = SEDGE_LENGTH,
     .text = "a point inside the surface that sees the inner side of all faces"},
    {"centre", DECK_VECTOR, .fallback = "[0, 0, 0]", .dimension = SEDGE_LENGTH,
     .text = "the point that phases refer to"},
    {"theta", DECK_SECTION, .fallback = "{}", .text = "angles from the z axis"},
    {"phi", DECK_SECTION, .fallback = "{}", .text = "angles around it, from the x axis"},
    {"images", DECK_SECTION, .fallback = "{}",
     .text = "planes of symmetry and grounds, that close a surface which is open there"},
    {"input", DECK_NAME, .computed = "none: no gain",
     .text =
         "the port that feeds the antenna, or a closed surface around the sources alone, through "
         "which all the power goes that the antenna accepts; for gain and efficiency"},
    {"time", DECK_BOOLEAN, .fallback = "false",
     .text =
         "also the far field over time, in far-field-time.h5; its cost grows with the number of "
         "directions"},
    {"ffd", DECK_BOOLEAN, .fallback = "false",
     .text = "also write far-field_NAME.ffd, the text format of HFSS, which antenna tools read"},
    {"frequencies", DECK_SECTION, .computed = "monitors.frequencies",
     .text = "frequencies of this entry"},
};

static const deck_key theta_keys[] = {
    {"from", DECK_REAL, .fallback = "0", RANGE(0, 180), .text = "the first angle, degrees"},
    {"to", DECK_REAL, .fallback = "180", RANGE(0, 180), .text = "the last one"},
    {"step", DECK_REAL, .fallback = "2", .positive = true, RANGE(0, 180),
     .text = "between angles; the last one is a whole number of steps away"},
};

static const deck_key phi_keys[] = {
    {"from", DECK_REAL, .fallback = "0", RANGE(-360, 360), .text = "the first angle, degrees"},
    {"to", DECK_REAL, .fallback = "270", RANGE(-360, 360), .text = "the last one"},
    {"step", DECK_REAL, .fallback = "90", .positive = true, RANGE(0, 360),
     .text = "between angles; the last one is a whole number of steps away"},
};

static const deck_key images_keys[] = {
    {"x", DECK_SECTION, .text = "a plane normal to x"},
    {"y", DECK_SECTION, .text = "a plane normal to y"},
    {"z", DECK_SECTION, .text = "a plane normal to z"},
};

static const deck_key image_keys[] = {
    {"type", DECK_CHOICE, .required = true, .choices = "pec pmc",
     .text = "a perfect electric or magnetic conductor"},
    {"at", DECK_REAL, .fallback = "0", .dimension = SEDGE_LENGTH,
     .text = "coordinate of the plane on that axis"},
    {"ground", DECK_BOOLEAN, .fallback = "false",
     .text = "nothing is behind the plane; false: the other half is there, mirrored"},
};

static const deck_key exact_keys[] = {
    {"type", DECK_CHOICE, .required = true, .choices = "mie slab",
     .text = "mie: a sphere, by the Mie series; slab: plane layers, whose keys have a table of "
             "their own"},
    {"radius", DECK_REAL, .required = true, .positive = true, .dimension = SEDGE_LENGTH,
     .text = "of the sphere, or of its core"},
    {"centre", DECK_VECTOR, .fallback = "[0, 0, 0]", .dimension = SEDGE_LENGTH,
     .text = "of the sphere"},
    {"material", DECK_NAME, .computed = "none: a perfect conductor",
     .text = "the volume group that the sphere, or its core, consists of"},
    {"coating", DECK_SECTION, .text = "a layer around it"},
};

static const deck_key coating_keys[] = {
    {"radius", DECK_REAL, .required = true, .positive = true, .dimension = SEDGE_LENGTH,
     .text = "of its outside"},
    {"material", DECK_NAME, .required = true, .text = "the volume group that it consists of"},
};

static const deck_key slab_keys[] = {
    {"type", DECK_CHOICE, .required = true, .choices = "mie slab",
     .text = "slab: a plane wave that meets plane layers at a right angle"},
    {"at", DECK_REAL, .required = true, .dimension = SEDGE_LENGTH,
     .text = "coordinate where the first layer begins, on the axis along which the wave travels"},
    {"layers", DECK_LIST, .required = true, .text = "the layers, in the order of the coordinate"},
};

static const deck_key layer_keys[] = {
    {"material", DECK_NAME, .required = true, .text = "the volume group that it consists of"},
    {"thickness", DECK_REAL, .required = true, .positive = true, .dimension = SEDGE_LENGTH,
     .text = "of the layer"},
};

const deck_section deck_sections[] = {
    {"", "The sections and the keys above them.", ROWS(top_keys)},
    {"mesh", "Exactly one of `file` and `box`.", ROWS(mesh_keys)},
    {"mesh.box", "The sides are the surface groups xmin, xmax, ymin, ymax, zmin and zmax.",
     ROWS(box_keys)},
    {"mesh.box.split", "Two materials in one box.", ROWS(split_keys)},
    {"mesh.labels",
     "Volume groups by an image. An axis with one voxel has its label everywhere. Attributes are "
     "in "
     "the deck's unit of length.",
     ROWS(label_keys)},
    {"mesh.surfaces.NAME",
     "A closed surface inside the mesh, made of faces of its elements, by the name NAME, which no "
     "surface group of the mesh has. Exactly one of `groups`, `box` and `sphere`. Its normals "
     "point out of it. Where its shape reaches beyond the mesh, the outside of the mesh closes it. "
     "It must not have a face in common with another surface.",
     ROWS(surface_keys)},
    {"mesh.surfaces.NAME.box", "A box along the axes.", ROWS(surface_box_keys)},
    {"mesh.surfaces.NAME.sphere", "A ball.", ROWS(surface_sphere_keys)},
    {"mesh.surfaces.NAME.plane", "A plane across an axis.", ROWS(surface_plane_keys)},
    {"time", "Exactly one of `end` and `steps`.", ROWS(time_keys)},
    {"time.stop",
     "The run ends when one of these holds, after the sources have ended and a wave has crossed "
     "the mesh once more. `energy` is looked at when the energy is checked "
     "(monitors.energy.every). `spectra` must hold at the ends of two windows; a window is ten "
     "periods of the highest frequency, or two crossings of the mesh where that is longer.",
     ROWS(stop_keys)},
    {"solver", "For an equation without time.", ROWS(solver_keys)},
    {"materials.NAME.KEY",
     "In place of a number that may be a tensor: one that varies in space (input/materials.md). "
     "Each "
     "element has the mean over it. An axis with one value has it everywhere. Attributes are in "
     "the "
     "deck's unit of length.",
     ROWS(grid_keys)},
    {"boundaries.NAME",
     "NAME is a surface group of the mesh. The entry `default` applies to outer faces of a Gmsh "
     "mesh that are in no surface group; without it they are refused. It does not apply to faces "
     "in a group, unless the group itself is called `default`.",
     ROWS(boundary_keys)},
    {"boundaries.NAME (type: periodic)", "It is enough to name one side of a pair.",
     ROWS(periodic_keys)},
    {"bloch", "Waves in a periodic structure (input/bloch.md).", ROWS(bloch_keys)},
    {"initial",
     "How the run begins; of an equation without time, what its solution is known to be.",
     ROWS(initial_keys)},
    {"sources", "A list; each entry is a mapping.", ROWS(source_keys)},
    {"monitors", "What is recorded.", ROWS(monitor_keys)},
    {"monitors.energy", "Written to energy.h5.", ROWS(energy_keys)},
    {"monitors.probes", "Written to probes.h5.", ROWS(probe_keys)},
    {"monitors.slices.NAME", "Written to slices.h5.", ROWS(slice_keys)},
    {"monitors.frequencies", "Exactly one of `list` and `from`.", ROWS(frequency_keys)},
    {"monitors.spectra.NAME",
     "Written to spectra.h5, with spectrum_NAME.xmf for ParaView; of volume groups to "
     "spectrum_NAME_000000.hdf and so on. Exactly one of `points`, `plane`, `surface` and "
     "`groups`.",
     ROWS(spectrum_keys)},
    {"monitors.spectra.NAME.plane", "Points on a plane, as of a slice.", ROWS(slice_keys)},
    {"monitors.flux.NAME", "Written to flux.h5 and, at frequencies, to flux_spectra.h5.",
     ROWS(flux_keys)},
    {"monitors.absorption.NAME",
     "Written to absorption.h5 and, for ParaView, to absorption_NAME_000000.hdf and so on.",
     ROWS(absorption_keys)},
    {"monitors.far-field.NAME", "Written to far-field.h5 and far-field_NAME.csv.",
     ROWS(far_field_keys)},
    {"monitors.far-field.NAME.theta", "Angles from the z axis, in degrees.", ROWS(theta_keys)},
    {"monitors.far-field.NAME.phi", "Angles around the z axis, from the x axis, in degrees.",
     ROWS(phi_keys)},
    {"monitors.far-field.NAME.images", "At most one plane for each axis.", ROWS(images_keys)},
    {"monitors.far-field.NAME.images.AXIS", "The surface lies on one side of each plane.",
     ROWS(image_keys)},
    {"monitors.spectra.NAME.frequencies", "Exactly one of `list` and `from`.", frequency_keys,
     FREQUENCY_ROWS},
    {"exact", "The source is one plane wave.", ROWS(exact_keys)},
    {"exact.coating", "Outside of the core.", ROWS(coating_keys)},
    {"exact (type: slab)", "All other volume groups are one medium without loss.", ROWS(slab_keys)},
    {"exact.layers", "A list; each entry is a mapping.", ROWS(layer_keys)},
    {"output", "The results.", ROWS(output_keys)},
    {"output.checkpoint",
     "Exactly one of `steps`, `time` and `wall`. One more is written at the end of the run.",
     ROWS(checkpoint_keys)},
    {"kernels",
     "The defaults are right for every normal run. A key beside `tune` requests a kernel "
     "configuration: then nothing is tuned.",
     ROWS(kernel_keys)},
};
const int deck_section_count = (int)(sizeof deck_sections / sizeof deck_sections[0]);

const deck_section *deck_section_find(const char *path)
{
    int i = 0;

    while (i < deck_section_count && strcmp(deck_sections[i].path, path) != 0) i++;
    assert(i < deck_section_count);
    return &deck_sections[i];
}

void deck_choices(const deck_key *key, char *text, size_t size)
{
    if (key->names != NULL) {
        key->names(text, size);
    } else {
        (void)snprintf(text, size, "%s", key->choices);
    }
}

deck_section deck_signal_section(deck_signal_rows *rows, const sedge_signal_kind *kind)
{
    int count = 2;

    assert(kind->parameter_count + count <= SEDGE_SIGNAL_VALUES);
    rows->keys[0] = (deck_key){.name = "type",
                               .type = DECK_CHOICE,
                               .required = true,
                               .names = sedge_signal_names,
                               .text = "the signal's form"};
    rows->keys[1] =
        (deck_key){.name = "amplitude", .type = DECK_REAL, .fallback = "1", .text = "the factor a"};
    for (int i = 0; i < kind->parameter_count; i++, count++) {
        const sedge_signal_parameter *const p = &kind->parameters[i];
        char *const text = rows->defaults[count];
        deck_key *const key = &rows->keys[count];

        *key = deck_key_of(&p->parameter);
        if (p->from != NULL) {
            (void)snprintf(text, sizeof rows->defaults[0], p->inverse ? "%g / %s" : "%g %s",
                           p->factor, p->from);
            key->computed = text;
        } else if (!key->required) {
            (void)snprintf(text, sizeof rows->defaults[0], "%g", p->parameter.fallback[0]);
            key->fallback = text;
        }
    }
    return (deck_section){kind->name, kind->text, rows->keys, count};
}

#define WALL_TIME "the key for it is time.wall: seconds, or such as 55 min"

const deck_reserved deck_reserved_keys[] = {
    {"output.wall_time", WALL_TIME},
    {"time.wall_time", WALL_TIME},
    {"restart", "a restart is asked for on the command line: --restart auto or --restart FILE"},
};
const int deck_reserved_count = (int)(sizeof deck_reserved_keys / sizeof deck_reserved_keys[0]);

deck_key deck_key_of(const sedge_parameter *parameter)
{
    static const deck_type types[] = {
        [SEDGE_PARAMETER_REAL] = DECK_REAL,       [SEDGE_PARAMETER_INTEGER] = DECK_INTEGER,
        [SEDGE_PARAMETER_VECTOR] = DECK_VECTOR,   [SEDGE_PARAMETER_INTEGERS] = DECK_INTEGERS,
        [SEDGE_PARAMETER_WEIGHTS] = DECK_WEIGHTS, [SEDGE_PARAMETER_SIGNAL] = DECK_SIGNAL,
        [SEDGE_PARAMETER_SURFACE] = DECK_NAME,
    };

    return (deck_key){
        .name = parameter->name,
        .type = parameter->tensor ? DECK_TENSOR : types[parameter->type],
        .required = parameter->required || parameter->type >= SEDGE_PARAMETER_SIGNAL,
        .minimum = parameter->minimum,
        .maximum = parameter->maximum,
        .positive = parameter->positive,
        .nonzero = parameter->nonzero,
        .dimension = parameter->dimension,
        .text = parameter->text,
    };
}

const char *deck_unit(const sedge_equation *equation, sedge_dimension dimension)
{
    const char *const suffix = sedge_dimension_suffix(dimension);

    if (dimension == SEDGE_FIELD && equation != NULL && equation->group_count > 0 &&
        equation->groups[0].unit_si != NULL)
        return equation->groups[0].unit_si;
    return suffix[0] != '\0' ? suffix + 1 : suffix;
}

sedge_status deck_check_tables(void)
{
    SEDGE_TRY(sedge_integrators_check(sedge_integrators));
    SEDGE_TRY(sedge_monitor_kinds_check(sedge_monitor_kinds));
    for (int i = 0; sedge_equations[i] != NULL; i++)
        SEDGE_TRY(sedge_equation_check(sedge_equations[i]));
    return SEDGE_OK;
}
