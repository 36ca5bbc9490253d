// Warp & blend nodes of the reference tetrahedron (Warburton, J. Eng. Math. 56 (2006) 247).
//
// The nodes of a face are the two-dimensional warp & blend nodes of that triangle; the nodes of an
// edge are the Legendre-Gauss-Lobatto points. The set is symmetric under all 24 permutations of the
// vertices.
#pragma once

// The (order+1)(order+2)(order+3)/6 nodes, order 1..10. Nodes are numbered as in the equispaced
// set: node (i,j,k) with i along r fastest and k along t slowest. r, s, t get the warped
// coordinates.
void sedge_nodes_compute(int order, double *r, double *s, double *t);
