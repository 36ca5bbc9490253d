// The power that media absorb at frequencies, by volume group and element, from the transforms of
// the fields at the nodes of their elements.
//
// A medium takes the mean power density p = 1/2 sum_fg conj(u_f) L_fg u_g out of fields
// u exp(i omega t) (sedge_response_losses): with scalar epsilon and mu it is
// omega/2 (epsilon'' |E|^2 + mu'' |H|^2), and conductivity, poles and tensors count in the same
// way. Integrals over elements are exact for fields of the elements' order. Sums over elements are
// the same to the last bit on any number of ranks, but for rounding in the elements themselves.
#pragma once

#include "absorption_surfaces.h"
#include "monitor/output_context.h"
#include "monitor/spectrum.h"

#include <complex.h>

typedef struct sedge_absorption {
    const sedge_deck_absorption *deck;
    const sedge_output_context *context;
    bool requested[SEDGE_MAX_FIELDS];  // output groups that have losses
    int groups;                        // volume groups; the parts of a graded one are one group
    int *volume;                       // [groups] their numbers, of parts the first one's
    int *group_of;                     // [volume groups of the mesh] number of the group; -1: none
    int surfaces;                      // whose losses count, too
    sedge_absorption_surface *surface; // [surfaces]
    int64_t rows;                      // elements of this rank
    int64_t *ids;                      // [rows] numbers in the mesh file
    int32_t *elements;                 // [rows]
    int32_t *row_of;                   // [elements of this rank] the row of each, or -1
    double *volumes;                   // [rows]
    double *mass_density;              // [groups] kg/m3, 0: not given; NULL: the deck gives none
    double *volume_of_group;           // [groups + 1], the last: of all
    double *powers;                    // [rows][frequencies] absorbed in an element
    double *power;                     // [groups + surfaces + 1][frequencies] the last: the sum
    double *intensity;                 // [frequencies] of the incident wave; NULL: there is none
    double *exact; // [frequencies] the sphere's absorption cross-section by its series; NULL: the
                   // deck has no such sphere, or the entry not all of it
    double cell_power; // incident on a cell of a periodic structure for a signal of 1; 0: none
} sedge_absorption;

// Find groups and elements. SEDGE_ERR_USAGE: a group has no losses, or its material has no response
// to one frequency; there are neither groups nor surfaces; the loss of a surface is not known;
// sedge_exact_check. Keeps `deck` and `context`. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_create(sedge_absorption *out, const sedge_output_context *context,
                                     const sedge_deck_absorption *deck);
void sedge_absorption_clear(const sedge_absorption *absorption);

// Find powers from the spectrum of the elements' nodes, which is on the host: rows as above, the
// components those of `requested`; and from those of all fields on the surfaces [surfaces]. Code
// units: those of the transforms. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_find(sedge_absorption *absorption, const sedge_spectrum *spectrum,
                                   const sedge_spectrum *surfaces);

// Find `exact`, where the deck's `exact` is a sphere. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_find_exact(sedge_absorption *absorption,
                                         const sedge_spectrum *spectrum);

// L at frequency k in a row's element: losses [fields][fields].
void sedge_absorption_losses(const sedge_absorption *absorption, int64_t row, int k,
                             double complex *losses);

// The density of the absorbed power of row `row` at frequency k at some places, from `losses`
// there: density [places], code units, where matrix [places][nodes] has their weights of nodal
// values. `work` has room for two numbers of each component.
void sedge_absorption_density(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                              int64_t row, int k, const double complex *losses,
                              const double *matrix, int places, double *work, double *density);
int64_t sedge_absorption_work(const sedge_spectrum *spectrum);

// ---- what is shown -----------------------------------------------------------------------------

// Powers by what they are relative to.
typedef enum sedge_absorption_kind {
    SEDGE_ABSORBED_POWER,      // of the transforms
    SEDGE_ABSORBED_NORMALISED, // for sources of amplitude 1, which have one signal
    SEDGE_ABSORBED_AREA,       // over the intensity of the incident wave
    SEDGE_ABSORBED_PART,       // of the incident power on a cell of a periodic structure
    SEDGE_ABSORBED_KINDS
} sedge_absorption_kind;

// Names in files: "power", "power_normalised", "cross_section", "part".
extern const char *const sedge_absorption_names[SEDGE_ABSORBED_KINDS];

// In the deck's units by `signal_unit` of the sampling: the factor of a code value of `power` at
// frequency k; 0: there is none of this kind. Not-a-number where the source is too weak.
double sedge_absorption_factor(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                               sedge_absorption_kind kind, double signal_unit, int k);

// Write what is known into the group `folder` of a file. `file` is the root's. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_write(const sedge_absorption *absorption,
                                    const sedge_spectrum *spectrum, double signal_unit,
                                    sedge_h5 *file, const char *folder);

// Files for ParaView, a file for each frequency, absorption_NAME_000000.hdf and so on: the density
// of the absorbed power at points, and its mean in each element; not-a-number in other elements.
// None for an entry of surfaces alone. Collective.
SEDGE_MUST_USE
sedge_status sedge_absorption_write_vtk(const sedge_absorption *absorption,
                                        const sedge_spectrum *spectrum, double signal_unit);

// Whether a file in an output folder has the name of such a file.
bool sedge_absorption_owns_vtk(const char *name);

// Add a table for the user to `text`, and the numbers to the object `json`. Root.
struct sedge_text;
struct json_t;
SEDGE_MUST_USE
sedge_status sedge_absorption_report(const sedge_absorption *absorption,
                                     const sedge_spectrum *spectrum, double signal_unit,
                                     struct sedge_text *text, struct json_t *json);
