// A sphere and its media at one frequency, under exp(+j w t): losses are negative imaginary parts.
#pragma once

#include <complex.h>
#include <stdbool.h>

#define SEDGE_SPHERE_LAYERS 2 // core and coating

typedef struct sedge_sphere {
    int layers;      // 1 homogeneous, 2 coated
    bool conducting; // the core is a perfect conductor; epsilon[0] and mu[0] are not read
    double centre[3];
    double radius[SEDGE_SPHERE_LAYERS];          // outer radii, of the core first
    double complex epsilon[SEDGE_SPHERE_LAYERS]; // relative to vacuum, at this frequency
    double complex mu[SEDGE_SPHERE_LAYERS];
    double background_epsilon, background_mu; // of the lossless medium around it, > 0
} sedge_sphere;
