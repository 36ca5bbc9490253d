// Warp & blend nodes of the reference tetrahedron (Warburton, J. Eng. Math. 56 (2006) 247).
//
// The nodes of a face are the two-dimensional warp & blend nodes of that triangle, those of an edge
// the Legendre-Gauss-Lobatto points; the set is symmetric under all 24 permutations of the
// vertices.
#pragma once

// The (order+1)(order+2)(order+3)/6 nodes, order 1..10. Node (i,j,k) of the equispaced set, i along
// r fastest, k along t slowest, keeps its number; r, s, t get its warped place.
void sedge_nodes_compute(int order, double *r, double *s, double *t);
