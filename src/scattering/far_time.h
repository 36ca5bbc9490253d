// The far field over time: what scattering/far_field.h has at frequencies. With the currents J = n
// x H and M = -n x E on a closed surface, the direction r, n = sqrt(epsilon mu), eta = sqrt(mu /
// epsilon) and places relative to `centre`,
//
//   N(t) = int J(t + n r.x) dS,  L(t) = int M(t + n r.x) dS,
//   R E_theta = -(n / 4 pi) d/dt (L_phi + eta N_theta),  R E_phi = (n / 4 pi) d/dt (L_theta - eta
//   N_phi)
//
// at the time t after the wave's way n R from the centre. The currents come at equidistant times
// and are put between these by cubics, the derivative is one of fourth order: with 30 samples a
// period both err by some 1e-4. Images as there.
#pragma once

#include "far_field.h"

typedef struct sedge_far_time {
    const sedge_near_surface *surface; // checked; borrowed
    sedge_far_medium medium;
    double centre[3];
    double start, interval; // times of samples: start + k interval
    int64_t before;         // places before that of the first sample
    int64_t places;         // times of the far field: start + (k - before) interval
    int64_t samples;        // added until now
    int64_t directions;
    const double (*direction)[2]; // [directions] theta, phi, radians; borrowed
    double *sums;                 // [directions][2][places] of this rank
    double *currents;             // [points][6] J and M times the weight
} sedge_far_time;

// Room for `samples` samples. Clear it in any case. SEDGE_ERR_MEMORY. Collective.
SEDGE_MUST_USE
sedge_status sedge_far_time_create(sedge_far_time *out, const sedge_near_surface *surface,
                                   const sedge_far_medium *medium, const double centre[3],
                                   double start, double interval, int64_t samples,
                                   int64_t directions, const double (*direction)[2]);
void sedge_far_time_clear(sedge_far_time *far);

// Add the fields at a sample's time: E at values + at[0], H at values + at[1] of each point, whose
// numbers are `stride` apart. Not collective. Time: points x directions x 45 ns / threads, twice
// for each image.
void sedge_far_time_add(sedge_far_time *far, double time, const double *values, int64_t stride,
                        const int at[2]);

// Bring all ranks' sums to the first rank; the others' are 0 then. Collective.
void sedge_far_time_gather(sedge_far_time *far, const sedge_comm *comm);

// First rank, after that: R E_theta (part 0) or R E_phi (1) in a direction: field [places].
void sedge_far_time_find(const sedge_far_time *far, int64_t direction, int part, double *field);
