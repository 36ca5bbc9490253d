// The specific absorption rate (SAR) of bodies: absorbed power over mass, by volume group, in the
// elements, and the largest averages over 1 g and 10 g of tissue (sar_cubes.h).
//
// Tissue is what has a mass density in the deck. For the averages power and mass are sampled at the
// middles of cubic cells. Where tissue ends at a plane of symmetry its mirror image counts, too.
// Averages are the same on any number of ranks, but for rounding in the elements.
#pragma once

#include "absorption.h"
#include "sar_cubes.h"

#define SEDGE_SAR_MASSES 2
extern const double sedge_sar_mass[SEDGE_SAR_MASSES];       // kg
extern const char *const sedge_sar_names[SEDGE_SAR_MASSES]; // "1g", "10g"

// The largest rate at each frequency, and where: in code units of absorbed power over kg.
typedef struct sedge_sar_largest {
    double *value;      // [frequencies] not-a-number: there is none
    double (*place)[3]; // [frequencies]
} sedge_sar_largest;

typedef struct sedge_sar {
    const sedge_absorption *absorption;
    double mass;    // kg, of all tissue in the mesh
    double *mean;   // [groups + 1][frequencies]; not-a-number for a group that is no tissue
    double spacing; // of the cells
    int64_t count[3];
    double origin[3];  // the low corner of the first cell
    bool mirrored[3];  // the grid has the image across a plane, too
    bool image_low[3]; // which lies on the low side
    sedge_sar_largest element;
    sedge_sar_largest average[SEDGE_SAR_MASSES];
    double uncovered[SEDGE_SAR_MASSES]; // the part of the tissue that no valid cube encloses
} sedge_sar;

// Of an entry with mass densities, which it keeps: plan the grid. SEDGE_ERR_USAGE: it has too many
// cells, or there is no tissue. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_sar_create(sedge_sar *out, const sedge_absorption *absorption);

// After sedge_absorption_find: find the rates. Collective.
SEDGE_MUST_USE
sedge_status sedge_sar_find(sedge_sar *sar, const sedge_spectrum *spectrum);
void sedge_sar_clear(const sedge_sar *sar);

// Write the rates into the group `folder` of a file, except those of the elements. Root.
SEDGE_MUST_USE
sedge_status sedge_sar_write(const sedge_sar *sar, const sedge_spectrum *spectrum,
                             double signal_unit, sedge_h5 *file, const char *folder);

// Add a table for the user to `text`, and the numbers to the entry's object `json`. Root.
SEDGE_MUST_USE
sedge_status sedge_sar_report(const sedge_sar *sar, const sedge_spectrum *spectrum,
                              double signal_unit, struct sedge_text *text, struct json_t *json);
