// The exponential update of stiff poles: where a pole relaxes much faster than waves cross an
// element, the explicit stages of the integrator would need tiny steps. Terms with `exponential`
// set (dg/problem.h) take no part in stages and predictions. Instead each Runge-Kutta stage ends
// with a step of its own at each node, along the exact flow of the field and the pole's memory.
//
// With y = (F, w), F one component of the field and w its part of the memory, the law is linear:
// y' = A y + N e_0, where N is what waves, sources and the other terms add to dF/dt. A has real
// eigenvalues lambda_j <= 0 with spectral projectors P_j; e_0 is the unit vector of F. With the
// coefficients a_s, b_s, c_s of the integrator (time/integrator.h) and its residual, over the stage
// from c_s dt to c_(s+1) dt, of length D,
//
//   y <- sum_j P_j (exp(lambda_j D) y + phi(lambda_j D) G_j e_0),   phi(x) = (exp(x) - 1) / x
//
// with G_j = b_s residual where mode j is slow (|lambda_j| dt < 1/2), so that it goes on as the
// integrator has it; and G_j = D N, N of this stage, where the mode is fast. (With the residual,
// which extrapolates, fast modes grow.) In the limit of an infinitely fast Debye pole this is the
// integrator, for a medium of permittivity epsilon + strength. In between, the error is of first
// order: about omega^2 dt / |lambda| of a wave of angular frequency omega. Integrators
// that allow this have `exponential` set.
//
// Integrators with `predictor` (dg/predictor.h) have one stage, which adds D N, with the mean N of
// the step of length D. The update is
//
//   y <- sum_j P_j (exp(x_j) y + phi(x_j) D N e_0),   x_j = lambda_j D
//
// in two parts. Before the prediction F is replaced by F', and what is left of y is kept. The
// prediction starts from F', and the stage adds D N to it; then F' + D N and what was kept give the
// new y. The prediction must know that the field does not follow N at once. Without N, the field's
// mean over the step is
//
//   F' = sum_j phi(x_j) [P_j y]_0
//
// and of N, if it is constant, the mean has
//
//   g D N / 2,   g = sum_j [P_j]_00 2 (exp(x_j) - 1 - x_j) / x_j^2,
//
// so that the prediction takes flux, source and the other terms at g times their rates
// (sedge_exponential_materials). That is right to second order in D, whether a mode is fast or
// slow. For an infinitely fast Debye pole g is epsilon / (epsilon + strength), and this is the
// integrator for the medium that the pole becomes. In regular cells waves do not grow up
// to cfl 0.93 of the step without the poles; for the worst of many tetrahedra a bound is 0.761, and
// sedge_problem_rate has 0.89 of that step, so that cfl 0.85 is below it
// (benchmarks/MEASUREMENTS.md, "ADER beside stiff poles").
#pragma once

#include "dg/problem.h"
#include "par/comm.h"

// Numbers of y at most. Longer lists of poles stay in the stages.
#define SEDGE_EXPONENTIAL_SIZE 12

// Set `exponential` of the terms for which this makes the time step 4 times as long or longer:
// kinds with field_triple whose eigenvalues are real in all groups that have the term, and where no
// term of these groups multiplies du/dt or has `drive`. A triple of fields has one such term at
// most in a group. In stages no eigenvalue may lie between slow and fast, 0.5 to 2.2 over the step
// for `cfl`: there waves without loss would grow. Beside a predictor no point source may lie in an
// element that has the term. By `threads` threads. Collective.
void sedge_exponential_choose(sedge_problem *problem, const sedge_mesh *mesh, double cfl,
                              int threads, const sedge_comm *comm);

// Numbers of y of a term: a component of the field, then its part of the memory of all poles.
int sedge_exponential_size(const sedge_term *term);

// What a stage of length dt does in a volume group that has the term: sets numbers [n][n + 2], n
// the size. With r the residual after the stage, and r' that before it, y_i becomes
//   sum_k numbers_ik y_k + numbers_in r + numbers_i(n+1) (r - a r').
void sedge_exponential_stage(double *numbers, const sedge_problem *problem, const sedge_term *term,
                             int volume, int stage, double dt);

// What a step of length dt with a prediction does in a volume group that has the term: sets numbers
// [n + 2][n]. Before the prediction y_i becomes sum_k numbers_ik y_k, i < n, and the sum of row n
// is kept as `rest`. After the stage, with x = y_0 + rest, y_0 becomes numbers_(n+1)0 x, and
// numbers_(n+1)i x is added to y_i, i > 0.
void sedge_exponential_step(double *numbers, const sedge_problem *problem, const sedge_term *term,
                            int volume, double dt);

// The material values of a volume group in predictions of steps of dt: those of the problem, with
// fields that exponential terms act on slowed by g. Sets m [SEDGE_MAX_MATERIALS].
void sedge_exponential_materials(double *m, const sedge_problem *problem, int volume, double dt);
