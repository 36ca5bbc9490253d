// Closed surfaces of a run, and those that a source drives: faces with normals and quadrature
// weights, and the phasors on them.
#pragma once

#include "monitor/face_points.h"
#include "monitor/spectrum.h"
#include "scattering/near_surface.h"

// Make the surface `name` whose faces are `faces`, with the images of `deck`; turns the normals
// outward, and sets `*weight` [points], which the caller releases in any case. SEDGE_ERR_USAGE: it
// is open; `where` begins the message. Faces that cross a waveguide behind its port have the
// weight 0: what is in there does not radiate. Borrows all other arguments. Collective.
SEDGE_MUST_USE
sedge_status sedge_closed_surface_create(sedge_near_surface *out, double **weight,
                                         const sedge_output_context *context,
                                         const sedge_deck_far_field *deck, const char *name,
                                         sedge_face_points *faces, const char *where);

// The same of a surface that a source drives, such as a port: it need not be closed. Power out of
// it is what it gives to the elements on all its sides, of a waveguide's port to those of the
// structure alone, with what its mirror images in planes of symmetry give. The normals of `faces`
// are those of each side's own element. Collective.
SEDGE_MUST_USE
sedge_status sedge_driven_surface_create(sedge_near_surface *out, double **weight,
                                         const sedge_output_context *context, const char *name,
                                         const sedge_face_points *faces);

// Does the side's element lie outside? Normals point outward.
bool sedge_closed_surface_is_outside(const sedge_output_context *context,
                                     const sedge_face_points *faces, int32_t side);

// The phasors E, H [points] at frequency f: the sums of a transform of all fields on the faces.
void sedge_closed_surface_fields(const sedge_near_surface *surface, const sedge_spectrum *spectrum,
                                 int f, double complex (*E)[3], double complex (*H)[3]);
