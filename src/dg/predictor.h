// The prediction of an ADER step (Dumbser, Kaeser & Toro, Geophys. J. Int. 171 (2007) 695).
//
// Let L be the part of a linear right-hand side that is local to an element: derivatives, source
// and terms, as if the neighbours' traces were its own. The mean of the solution of u' = L u over a
// step of length dt is
//
//   mean = sum_{k=0}^{K} f_1 .. f_k (dt L)^k u,    f_k = 1 / (k + 1),
//
// and u + dt f(mean) is the state after the step, with the whole right-hand side f. Terms beyond K
// = 3 are far below the error of the coupling: an element predicts without its neighbours' jumps.
//
// From order 4 on that error lets waves grow: on regular cells by up to 2.4e-4 in amplitude a
// wavelength at the limit of the step, by eigenvalues. The growth of a wave of angular frequency w
// is g (w dt)^2 a step, where g falls with the wave's resolution as the square of what degree N - 2
// has of L u (order 4: 0.027 times it, order 5: 0.056). So the mean has another term,
//
//   Q dt L u,   Q = q_d on the polynomials of degree d that are orthogonal to all lower degrees,
//
// which takes (w dt)^2 sum_d q_d |u_d|^2 / |u|^2 a step, u_d being the part of degree d of L u. It
// has no part of degree 0 and next to none of other degrees below N - 2, or below 3 from order 6
// on: a wave's loss a wavelength falls with 2 N - 3 powers of the elements' size at orders 4 and 5,
// with 7 above. There is a negative part of degree N - 1 at orders 4 and 5, since the growth of
// waves that are hardly resolved is less than that square has it. Two errors come from Q. What it
// adds is not in the powers above the first, which shifts phases. And where the mean is a smooth
// wave, the state's part of degree d is late by q_d dt: an error of the state that does not grow
// with time, of about q_d w dt |u_d| / |u|, so with N - 1 powers of the elements' size.
//
// In coefficients of the Bernstein-Bezier basis Q is a sum of steps to lower orders and back: with
// p of order n = N - 1,
//
//   Q p = sum_{k=0}^{D} a_k E^k T^k p,   (T p)_beta = sum_j (beta_j + 1) / (m + 3) p_{beta + e_j}
//
// where E raises to the next order and T, from order m to m - 1, is its adjoint but for a factor.
// E^k T^k multiplies the part of degree d by the product of 1 - x(d) / x(n - i) over i = 0 to k -
// 1, with x(d) = d (d + 3).
//
// In elements with terms or a source the mean has Q dt D v instead, with the derivatives' part D of
// L and v = u + f_2 dt L (u + f_3 dt L u): D v is there when the mean is summed, and D u is not.
// This takes of a wave of the frequency w and the wave number k what is proportional to w k, and so
// is what it gains without: L u is w times the fields, while their jumps, as D u, are by k. The
// memory has no such term.
//
// In curved elements with neither terms nor a source, where a device keeps covariant components as
// their state (dg/cubature.h), only the last use of L has the metric G^T G / J as it is. Before it,
// in L_lin, it is exact at the element's vertices and linear between them:
//
//   mean = u + f_1 dt L (u + f_2 dt L_lin (u + f_3 dt L_lin u))
//
// L_lin v is a polynomial of degree N without a projection, and L_lin is sparse in the
// Bernstein-Bezier basis. In elements of size h, L_lin v - L v is of the order h^2, and the mean
// has it times dt^2: as small as the first power beyond K = 3.
//
// In curved elements the mean has Q dt L v, with polynomials of the reference element. What terms
// do there over the step the stage adds, by the means of fields and memory. Above order 8 there is
// no Q, but f_1 is 1/2 + lean, which takes lean (w dt)^2 of every wave: first order in the step.
//
// q_d and lean were measured in cubes, plates, needles and bricks (benchmarks/MEASUREMENTS.md,
// "Local time steps"), with a margin for others.
//
// Exponential terms (dg/exponential.h) are not in L. Where there are some, the prediction begins
// with the mean of the field as it relaxes, and L has less of the field's rates.
//
// Data that depend on time enter by their mean over the step, which is a sum over Gauss points in
// time. Memory of boundary faces w, dw/dt = A w + B u, is solved over the step with the mean of the
// traces u in place of u, which is right to second order in the step; the outer traces are those of
// the mean of w.
//
// With local time steps (sedge_mesh.levels) an element of level l takes steps of 2^l times the
// shortest one. Neighbours differ by one level at most. Over its step an element sees of a coarser
// neighbour the mean over that half of the neighbour's step, of a finer one the mean of its two
// means: both sides of a face use the same integrals of traces. The mean over the first half is
//   half = sum_k 2^-k f_1 .. f_k (dt L)^k u,    and that over the second half 2 mean - half.
#pragma once

#include "dg/problem.h"

#define SEDGE_PREDICTOR_TIMES     6 // Gauss points in a step, at most
#define SEDGE_PREDICTOR_LOWERINGS 4 // D, at most
#define SEDGE_PREDICTOR_POWERS    3 // K, at most

// Terms of the series by which memory of faces takes a step. As a part of exp it is stable for
// decays of up to 2.78 a step; the time step's are below that of Runge-Kutta methods.
#define SEDGE_PREDICTOR_FACE_TERMS 4

// K. A step of a material's terms is the Taylor series of exp to degree K + 1. At degrees 3 and 4
// it is stable for lossless oscillations. With neither a source nor terms (`terms`) L^(N+1) = 0.
int sedge_predictor_terms(int order, bool terms);

// Are elements of a volume group plain? They have neither terms nor a source.
bool sedge_predictor_is_plain(const sedge_problem *problem, int volume);

// Do curved elements of a volume group predict with L_lin?
bool sedge_predictor_has_linear_metric(const sedge_problem *problem, int volume);

// f_k, k = 1 to K.
double sedge_predictor_factor(int order, int k);

// q_d, d = 0 to N - 1; 0 at all other d, and at orders above 8, which have the lean.
double sedge_predictor_damping(int order, int d);

// D, and a_0 to a_D; D is 0 and so is a_0 where nothing is damped.
int sedge_predictor_lowerings(int order, double weights[SEDGE_PREDICTOR_LOWERINGS + 1]);

// Gauss points in (0, 1) and their weights, whose sum is 1. Returns their number, which is exact
// for polynomials of degree order + 1.
int sedge_predictor_times(int order, double points[SEDGE_PREDICTOR_TIMES],
                          double weights[SEDGE_PREDICTOR_TIMES]);

// Where the memory of each of the problem's terms begins among the numbers that the prediction has
// of all terms at a node: behind that of earlier terms that some element has together with it.
// Returns how many numbers these are.
int sedge_predictor_words(int at[SEDGE_MAX_KINDS], const sedge_problem *problem);

// Numbers that the prediction has of an element with terms at once: fields and terms' memory at its
// nodes, both again at its coefficients of order N - 1, fields at its nodes, or at coefficients of
// orders N - 1 and N - 2 where these are more. And how many it may have. A block of the kernel has
// those of one element at least in shared memory, 226 KiB in fp64 with what fills them up; on a
// host they are on a thread's stack, in SIMD batches.
int64_t sedge_predictor_room(const sedge_problem *problem);
#define SEDGE_PREDICTOR_ROOM 28700

// What keeps a problem from being solved by an integrator with `predictor`, as the end of a
// sentence; NULL: nothing. The same on all ranks; not collective.
const char *sedge_predictor_obstacle(const sedge_problem *problem);

// Check that a problem can be solved by an integrator with `predictor`: SEDGE_ERR_USAGE names what
// it cannot do. Nothing to check for other integrators. The same on all ranks; not collective.
SEDGE_MUST_USE
sedge_status sedge_predictor_check(const sedge_problem *problem);
