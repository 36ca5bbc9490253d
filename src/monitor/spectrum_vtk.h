// A running Fourier transform on all nodes of some elements, as files for ParaView: one for each
// frequency, spectrum_NAME_000000.hdf and so on, VTKHDF as the field files (vtk_file.h), with the
// real and imaginary parts of fields as E_re and E_im; in elements that the transform does not have
// they are not-a-number. ParaView interpolates with the run's own polynomials, in fp32.
#pragma once

#include "monitor/spectrum.h"

// Write the files of the spectrum `name`, whose rows are elements, `row_of` [elements] of this
// rank: the row of an element, or -1. With a signal also the normalised fields. Collective.
SEDGE_MUST_USE
sedge_status sedge_spectrum_write_vtk(const sedge_spectrum *spectrum,
                                      const sedge_output_context *context,
                                      const sedge_sampling *sampling, const bool *requested,
                                      const char *name, const int32_t *row_of);

// Whether a file in an output folder has the name of such a file.
bool sedge_spectrum_owns_vtk(const char *name);
