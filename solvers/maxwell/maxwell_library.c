// Named materials: published fits of measured constants. SI units, frequencies in Hz.
#include "maxwell.h"

#define EV        2.417989242e14 // an energy of 1 eV in Hz
#define PER_MICRO 2.99792458e14  // a wave of 1 um in Hz

// A resonance of a Lorentz-Drude fit: in units of eV, the strength as a share f of plasma^2.
#define RESONANCE(plasma, f, gamma, omega)                                          \
    {                                                                               \
        "lorentz",                                                                  \
        {                                                                           \
            (f) * (plasma) * (plasma) / ((omega) * (omega)), (omega)*EV, (gamma)*EV \
        }                                                                           \
    }
// Its free electrons; `root` is the root of their share.
#define ELECTRONS(plasma, root, gamma)       \
    {                                        \
        "drude",                             \
        {                                    \
            (plasma) * (root)*EV, (gamma)*EV \
        }                                    \
    }
// A term of a Sellmeier formula, strength lambda^2 / (lambda^2 - wave^2), in um.
#define SELLMEIER(strength, wave)               \
    {                                           \
        "lorentz",                              \
        {                                       \
            (strength), PER_MICRO / (wave), 0.0 \
        }                                       \
    }
// The frequencies of waves of these lengths in um.
#define WAVES(shortest, longest) PER_MICRO / (longest), PER_MICRO / (shortest)
#define END     \
    {           \
        NULL,   \
        {       \
            0.0 \
        }       \
    }
#define RAKIC                                                                                     \
    "Lorentz-Drude fit of A. D. Rakic, A. B. Djurisic, J. M. Elazar, M. L. Majewski, Appl. Opt. " \
    "37 (1998) 5271"

// n^2 of glasses and silicon is real in their range: losses are not in the fits.
static const sedge_library_entry gold[] = {ELECTRONS(9.03, 0.871779788708135, 0.053),
                                           RESONANCE(9.03, 0.024, 0.241, 0.415),
                                           RESONANCE(9.03, 0.010, 0.345, 0.830),
                                           RESONANCE(9.03, 0.071, 0.870, 2.969),
                                           RESONANCE(9.03, 0.601, 2.494, 4.304),
                                           RESONANCE(9.03, 4.384, 2.214, 13.32),
                                           END};
static const sedge_library_entry silver[] = {ELECTRONS(9.01, 0.919238815542512, 0.048),
                                             RESONANCE(9.01, 0.065, 3.886, 0.816),
                                             RESONANCE(9.01, 0.124, 0.452, 4.481),
                                             RESONANCE(9.01, 0.011, 0.065, 8.185),
                                             RESONANCE(9.01, 0.840, 0.916, 9.083),
                                             RESONANCE(9.01, 5.646, 2.419, 20.29),
                                             END};
static const sedge_library_entry copper[] = {
    ELECTRONS(10.83, 0.758287544405155, 0.030), RESONANCE(10.83, 0.061, 0.378, 0.291),
    RESONANCE(10.83, 0.104, 1.056, 2.957),      RESONANCE(10.83, 0.723, 3.213, 5.300),
    RESONANCE(10.83, 0.638, 4.305, 11.18),      END};
static const sedge_library_entry aluminium[] = {
    ELECTRONS(14.98, 0.723187389270582, 0.047), RESONANCE(14.98, 0.227, 0.333, 0.162),
    RESONANCE(14.98, 0.050, 0.312, 1.544),      RESONANCE(14.98, 0.166, 1.351, 1.808),
    RESONANCE(14.98, 0.030, 3.382, 3.473),      END};
// The formula's third term, 1.541 with a wave of 1104 um, changes n by less than 3e-5.
static const sedge_library_entry silicon[] = {SELLMEIER(10.6684293, 0.301516485),
                                              SELLMEIER(0.0030434748, 1.13475115), END};
static const sedge_library_entry bk7[] = {SELLMEIER(1.03961212, 0.0774641767),
                                          SELLMEIER(0.231792344, 0.141484679),
                                          SELLMEIER(1.01046945, 10.1764755), END};
static const sedge_library_entry silica[] = {SELLMEIER(0.6961663, 0.0684043),
                                             SELLMEIER(0.4079426, 0.1162414),
                                             SELLMEIER(0.8974794, 9.896161), END};
// At 25 degrees Celsius: theta = 1 - 300 K / T = -0.0062050. Relaxation at 19.373 GHz; in the
// double fit at 19.304 GHz and 39.8 times as much.
static const sedge_library_entry water[] = {
    {"epsilon", {5.1679}}, {"debye", {73.1331, 8.2153e-12}}, END};
static const sedge_library_entry water_double[] = {
    {"epsilon", {3.4733}}, {"debye", {73.0470, 8.2447e-12}}, {"debye", {1.7807, 2.0715e-13}}, END};

const sedge_library_material maxwell_library[] = {
    {"gold", "0.25 to 6.2 um", WAVES(0.25, 6.2),
     RAKIC "; 10 % from Johnson & Christy at 0.6 to 1.1 um", gold},
    {"silver", "0.25 to 12 um", WAVES(0.25, 12),
     RAKIC "; 12 % from Johnson & Christy at 0.6 to 1.1 um", silver},
    {"copper", "0.21 to 12 um", WAVES(0.21, 12),
     RAKIC "; 3 % from Johnson & Christy at 0.7 to 1.1 um", copper},
    {"aluminium", "0.2 to 12 um", WAVES(0.2, 12),
     RAKIC "; 5 % from Rakic, Appl. Opt. 34 (1995) 4755, at 0.4 to 1 um", aluminium},
    {"silicon", "1.36 to 11 um", WAVES(1.36, 11),
     "data of C. D. Salzberg, J. J. Villa, J. Opt. Soc. Am. 47 (1957) 244; fit of B. Tatian, Appl. "
     "Opt. 23 (1984) 4477; without loss",
     silicon},
    {"bk7", "0.31 to 2.3 um", WAVES(0.31, 2.3),
     "borosilicate glass; Sellmeier formula of Schott's N-BK7; without loss", bk7},
    {"fused-silica", "0.21 to 3.7 um", WAVES(0.21, 3.7),
     "I. H. Malitson, J. Opt. Soc. Am. 55 (1965) 1205; without loss", silica},
    {"water", "0 to 100 GHz", 0.0, 100e9,
     "at 25 degrees Celsius; single-Debye fit of H. J. Liebe, G. A. Hufford, T. Manabe, Int. J. "
     "Infrared Millim. Waves 12 (1991) 659",
     water},
    {"water-1thz", "0 to 1 THz", 0.0, 1e12, "the same authors' double-Debye fit", water_double},
    {NULL, NULL, 0.0, 0.0, NULL, NULL},
};
