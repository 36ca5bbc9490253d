// Coefficients of the Mie series for a sphere of layers, and its radial functions.
//
// With R = k r (k of the medium around) the field is a sum over n = 1..terms of a magnetic radial
// function v_n(R) (TE, no radial E) and an electric one u_n(R) (TM, no radial H). At each interface
// u, u'/epsilon, v and v'/mu are continuous (derivatives by R). In a layer of index m a function is
//
//   amplitude (psi_n(m R) + c zeta_n(m R)),  outside  psi_n(R) - a_n zeta_n(R)   (b_n of v).
//
// From inside out, the pair (u, u'/epsilon) at a layer's inner surface gives its c, and hence the
// pair at its outer surface, up to a factor; outside in, continuity gives the amplitudes. Nothing
// is divided by psi, so its zeros do no harm (the logarithmic derivatives of Wu & Wang, Radio Sci.
// 26 (1991) 1393, and Yang, Appl. Opt. 42 (2003) 1710, are the quotients of these pairs).
#pragma once

#include "base/error.h"

#include "riccati.h"
#include "sphere.h"

enum { SEDGE_MIE_TM, SEDGE_MIE_TE, SEDGE_MIE_KINDS };

// amplitude psi_n + mixture zeta_n; the factors are value exp(scale).
typedef struct sedge_mie_layer_term {
    double complex psi, zeta;
    double psi_scale, zeta_scale;
} sedge_mie_layer_term;

// A radial function and its derivative by R.
typedef struct sedge_radial {
    double complex value, slope;
} sedge_radial;

typedef struct sedge_mie_series {
    int layers;
    int terms;
    bool conducting;
    double size[SEDGE_SPHERE_LAYERS]; // k times the layers' outer radii
    double complex epsilon[SEDGE_SPHERE_LAYERS], mu[SEDGE_SPHERE_LAYERS]; // relative to outside
    double complex index[SEDGE_SPHERE_LAYERS];                            // Im <= 0
    double complex *outside[SEDGE_MIE_KINDS];                             // [terms + 1] a_n, b_n
    sedge_mie_layer_term *inside[SEDGE_MIE_KINDS]; // [layers][terms + 1]; of a conductor 0
} sedge_mie_series;

// `sphere` is valid, and `wavenumber` is that of the medium around it. SEDGE_ERR_MEMORY. The caller
// clears the series, also after a failure. Not collective.
SEDGE_MUST_USE
sedge_status sedge_mie_series_create(sedge_mie_series *out, const sedge_sphere *sphere,
                                     double wavenumber);
void sedge_mie_series_clear(sedge_mie_series *series);

// The index of a medium relative to the one outside: sqrt(epsilon mu), with Im <= 0; it is negative
// where epsilon and mu both are, the limit of small losses.
double complex sedge_mie_index(double complex epsilon, double complex mu);

// The function of term n in `layer`, from `functions` at index R; outside (layer == layers) only
// the scattered part, -a_n zeta_n.
sedge_radial sedge_mie_radial(const sedge_mie_series *series, int kind, int layer, int n,
                              const sedge_riccati *functions);
