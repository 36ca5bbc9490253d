// A spectrum on a plane, at points or on a surface as a file for ParaView, spectrum_NAME.xmf: XDMF
// 2, a grid for each frequency, which is its time, with the real and imaginary parts of fields as
// E_re and E_im, with a signal also E_normalised_re and E_normalised_im. A plane is an image,
// points are vertices.
//
// The file has no values. Readers of XDMF do not know HDF5's complex numbers, but binary files: so
// it says at which bytes of spectra.h5 they are.
#pragma once

#include "io/h5.h"
#include "monitor/output_context.h"
#include "monitor/plane.h"
#include "monitor/spectrum.h"

typedef struct sedge_spectrum_xdmf {
    const char *name; // the spectrum's
    const sedge_deck_frequencies *frequencies;
    const bool *requested;              // of the output groups
    const sedge_plane *plane;           // NULL: points
    int64_t points;                     // of all ranks
    bool normals;                       // the points have normals and weights
    bool normalised;                    // the fields are there in both forms
    int64_t place[SEDGE_MAX_FIELDS][2]; // byte at which the values of a group begin, plain and
                                        // normalised
} sedge_spectrum_xdmf;

// Find the places in `file`, which is open, of the datasets that sedge_spectrum_write has made in
// the group `folder`. Root.
SEDGE_MUST_USE
sedge_status sedge_spectrum_xdmf_find(sedge_spectrum_xdmf *xdmf,
                                      const sedge_output_context *context, sedge_h5 *file,
                                      const char *folder);

// Write spectrum_NAME.xmf into the output folder, where spectra.h5 is complete. Root.
SEDGE_MUST_USE
sedge_status sedge_spectrum_xdmf_write(const sedge_spectrum_xdmf *xdmf,
                                       const sedge_output_context *context);

// Whether a file in an output folder has the name of such a file.
bool sedge_spectrum_owns_xdmf(const char *name);
