// What tests of the elliptic solver need: a box, Poisson's equation on it, a device.
//
// The device is the one that SEDGE_TEST_DEVICE names, "host" without it.
#pragma once

#include "array/context.h"
#include "dg/element.h"
#include "elliptic/elliptic.h"
#include "par/comm.h"

// Of the process.
typedef struct elliptic_world {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    sedge_context *context;
} elliptic_world;

// Collective. On failure comm is NULL: the test has failed and has nothing more to do.
SEDGE_MUST_USE
sedge_status elliptic_open(elliptic_world *world);
void elliptic_close(elliptic_world *world);

typedef struct elliptic_options {
    int order;
    sedge_precision precision;
    int cells[3]; // of the unit box
    bool periodic;
    double distort;        // moves inner vertices by about this much, smoothly
    double epsilon;        // of the upper half; 0: one group with epsilon 1
    const char *sides[6];  // kinds of xmin, xmax, ymin, ymax, zmin, zmax
    double side_values[2]; // of all sides: the kind's parameters
    const char *known;     // NULL: zero
    double known_parameters[4];
    // Moves the box's vertices and edge nodes, which makes curved elements; `distort` is not used.
    void (*map)(const double x[3], double moved[3]);
    const char *file; // in meshes/ instead of the box; all surfaces are sides[0]
} elliptic_options;

// Order, 2 cells an axis, fp64, a distorted mesh, all sides dirichlet 0.
elliptic_options elliptic_defaults(int order);

typedef struct elliptic_case {
    const elliptic_world *world;
    sedge_element *element;
    sedge_mesh *mesh;
    sedge_problem problem;
    int64_t values; // elements * nodes
} elliptic_case;

// Collective. Clear it in any case.
SEDGE_MUST_USE
sedge_status elliptic_case_create(elliptic_case *out, const elliptic_world *world,
                                  const elliptic_options *options);
void elliptic_case_clear(elliptic_case *c);

// Independent values in (-1, 1) that depend on the element's global number and `seed` only.
void elliptic_random(const elliptic_case *c, uint64_t seed, double *u);

// The known solution at the nodes.
void elliptic_known(const elliptic_case *c, double *u);

// r = A u from the formula, in fp64, one element at a time: what the kernels are compared with.
// Both [elements][nodes]. Collective.
SEDGE_MUST_USE
sedge_status elliptic_reference(double *r, const elliptic_case *c, const double *u);

// sum_i a_i b_i over all ranks, the largest |a_i - b_i| (b NULL: |a_i|), sqrt(sum J (a-b)^T M
// (a-b)). Collective.
double elliptic_dot(const elliptic_case *c, const double *a, const double *b);
double elliptic_largest(const elliptic_case *c, const double *a, const double *b);
double elliptic_norm(const elliptic_case *c, const double *a, const double *b);
