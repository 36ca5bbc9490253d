// A closed surface around all sources and scatterers, as quadrature points that the ranks share
// out, with planes of symmetry or ground planes that may cut it open.
//
// Outside the surface the medium is homogeneous and lossless. A plane x[axis] = position stands for
// the mirror images of the surface's currents. The surface lies on one side of each plane, and no
// part of it lies in the plane: there it is open, and its images close it.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#define SEDGE_IMAGE_PLANES 3

typedef struct sedge_image_plane {
    int axis; // 0..2; each at most once
    double position;
    bool magnetic; // a perfect magnetic conductor (H tangential is 0), else an electric one
    bool ground;   // nothing is behind it; else the other half is there, as a mirror image
} sedge_image_plane;

typedef struct sedge_near_surface {
    const sedge_comm *comm;    // NULL: this process alone. Borrowed
    int threads;               // of this process, that may work at once; 0 is 1
    int64_t points;            // of this rank; may be 0
    const double (*place)[3];  // [points]. Borrowed, as are the next two
    const double (*normal)[3]; // [points], of unit length, outward
    const double *weight;      // [points], areas
    int planes;
    sedge_image_plane plane[SEDGE_IMAGE_PLANES];

    // Set by sedge_near_surface_check; the same on all ranks.
    double area;                     // of the surface itself, without images
    double side[SEDGE_IMAGE_PLANES]; // +1 or -1: where the surface lies, seen from the plane
    double middle[3], radius;        // of a sphere around the surface and its images
} sedge_near_surface;

// Test that the surface with its images is closed and has outward normals, and set what is derived.
// For a closed surface of volume V, int n dS = 0 and int x_i n_j dS = V delta_ij; both hold to 1e-6
// of area and area^(3/2), which leaves room for curved faces, whose quadrature is not exact. The
// second one finds holes that face each other. SEDGE_ERR_USAGE, on all ranks, with what is wrong.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_near_surface_check(sedge_near_surface *surface);

// Mean power out of the surface, 1/2 Re int n . (E x H*) dS, for phasors E, H [points][3] (peak
// values), with that of mirror images, without what is behind grounds. Only tangential parts
// matter. The surface is checked. Collective; the same on all ranks.
double sedge_near_surface_power(const sedge_near_surface *surface, const double complex (*E)[3],
                                const double complex (*H)[3]);
