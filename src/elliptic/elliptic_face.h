// The coefficients by which faces enter the elliptic operator.
#pragma once

// The coefficients of one face of one element. With u+ the value behind the face, a face adds to A
//   -g n.(grad u- + grad u+) [v] - g n.(grad v) [u] + tau [u] [v].
// On the boundary u+ = -u-, grad u+ = grad u-: [u] = 2 u. g = 0 marks a condition on the normal
// derivative; tau is then half its factor. On all other faces of a curved element `tau` stores
// tau sJ, which is constant on the face (elliptic_curved.h).
typedef struct sedge_elliptic_face {
    double g;
    double tau;
} sedge_elliptic_face;
