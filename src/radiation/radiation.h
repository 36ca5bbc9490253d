// What a closed surface radiates: far fields, radar cross-sections and directivity at the
// frequencies of a running Fourier transform on it (scattering/far_field.h).
#pragma once

#include "base/text.h"
#include "incident.h"
#include "io/h5.h"
#include "monitor/face_points.h"
#include "monitor/spectrum.h"

#include <jansson.h>

// All angles in radians, all other numbers in code units. The same on all ranks.
typedef struct sedge_radiation {
    const sedge_deck_far_field *deck; // borrowed
    sedge_near_surface surface;       // borrows the face points
    double *weight;                   // [points]
    sedge_far_medium medium;          // outside of the surface
    bool incident;                    // plane waves of one direction alone: cross-sections
    bool antenna;                     // no incident wave: directivity
    bool total;     // the fields on the surface are total ones, incident and scattered
    double wave[3]; // direction of the incident waves, of length 1
    int frequencies;
    int64_t directions;       // of the deck: [theta][phi]
    double (*direction)[2];   // [directions + 2]: then back to the source, then forward
    double complex (*far)[2]; // [frequencies][directions + 2], sums over time
    double *flux;             // [frequencies] through the surface
    double *power;            // [frequencies] over the sphere; without cross-sections
    double *input;            // [frequencies] accepted by the antenna, where it is `fed`
    bool fed;
    const sedge_boundary *port;  // that feeds it; NULL: another surface, or none
    double *incoming;            // [frequencies] power that comes to the port, where it is `fed`
    double complex (*field)[3];  // [frequencies] transform of the incident E at the centre
    double *square;              // [frequencies] |field|^2; not-a-number: too small
    double (*exact)[2];          // [frequencies][directions + 2] exact cross-sections; NULL: none
    sedge_mie_sections *section; // [frequencies] exact ones, with `exact`
} sedge_radiation;

// Plan the far field of a surface whose faces are `faces`; turns their normals outward.
// SEDGE_ERR_USAGE: the surface is open or lies in absorbing layers; other materials, a dispersive
// one or a point source are outside. Borrows all arguments. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_radiation_create(sedge_radiation *out, const sedge_output_context *context,
                                    const sedge_deck_far_field *deck, sedge_face_points *faces);
void sedge_radiation_clear(const sedge_radiation *radiation);

// Find all from the sums of a transform on the faces, which are on the host. Collective.
SEDGE_MUST_USE
sedge_status sedge_radiation_find(sedge_radiation *radiation, const sedge_output_context *context,
                                  const sedge_spectrum *spectrum);

// Check that the surface `input` of the deck, whose faces are `faces`, is around the sources of an
// antenna. SEDGE_ERR_USAGE. Collective.
SEDGE_MUST_USE
sedge_status sedge_radiation_check_input(const sedge_radiation *radiation,
                                         const sedge_output_context *context,
                                         const sedge_face_points *faces, const char *where);

// Find the accepted power: that through the surface `input`; and with a port the incident one.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_radiation_find_input(sedge_radiation *radiation,
                                        const sedge_output_context *context,
                                        const sedge_spectrum *spectrum,
                                        const sedge_near_surface *surface);

// Cross-section of direction d at frequency f, theta and phi part; not-a-number where nothing is
// incident.
void sedge_radiation_rcs(const sedge_radiation *radiation, int f, int64_t d, double rcs[2]);
// Power a solid angle.
double sedge_radiation_intensity(const sedge_radiation *radiation, int f, int64_t d);
double sedge_radiation_directivity(const sedge_radiation *radiation, int f, int64_t d);
// Where the antenna is `fed`: the part of the accepted power that is radiated, and that part times
// the directivity.
double sedge_radiation_efficiency(const sedge_radiation *radiation, int f);
double sedge_radiation_gain(const sedge_radiation *radiation, int f, int64_t d);
// The same with the incident power in place of the accepted one, where the antenna is `fed` by a
// port; not-a-number where next to nothing is incident.
double sedge_radiation_total_efficiency(const sedge_radiation *radiation, int f);
double sedge_radiation_realised_gain(const sedge_radiation *radiation, int f, int64_t d);

// Of the plane waves, by the power that leaves the surface (not-a-number: with total fields that is
// not the scattered one) and by the forward field.
double sedge_radiation_scattering(const sedge_radiation *radiation, int f);
double sedge_radiation_extinction(const sedge_radiation *radiation, int f);

// Difference from the exact cross-sections over the deck's directions (sedge_exact_difference).
// SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_radiation_difference(const sedge_radiation *radiation, int f, double *decibel);

// ---- output; root
// --------------------------------------------------------------------------------

// A length in the deck's units is one of the code times this.
double sedge_radiation_length_unit(const sedge_output_context *context);

// Write a far field's angles, in degrees, as FOLDER/NAME. First rank.
SEDGE_MUST_USE
sedge_status sedge_radiation_put_angles(sedge_h5 *file, const char *folder, const char *name,
                                        const sedge_deck_angles *angles);

// Of R E: deck's value = code value * unit; volts times seconds.
double sedge_radiation_field_unit(const sedge_output_context *context);

// Write the group `folder`.
SEDGE_MUST_USE
sedge_status sedge_radiation_write(const sedge_radiation *radiation,
                                   const sedge_output_context *context, sedge_h5 *file,
                                   const char *folder);

// Write a table, a line for each frequency and direction, to `path`.
SEDGE_MUST_USE
sedge_status sedge_radiation_write_table(const sedge_radiation *radiation,
                                         const sedge_output_context *context, const char *path);

// Add some lines for the user to `text`, and the same numbers at all frequencies to `json`.
SEDGE_MUST_USE
sedge_status sedge_radiation_report(const sedge_radiation *radiation,
                                    const sedge_output_context *context, sedge_text *text,
                                    json_t *json);
