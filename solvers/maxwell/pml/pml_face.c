// The condition of an outer surface with a perfectly matched layer: the mesh gets layers of
// elements outside of it, with the terms of pml_term.h, and the layers end with an absorbing
// surface.
#include "dg/equation.h"

#include "maxwell/maxwell_physics.h"

static const sedge_parameter parameters[] = {
    {.name = "layers",
     .type = SEDGE_PARAMETER_INTEGER,
     .minimum = 0.0,
     .maximum = 8.0,
     .text = "layers of elements; 0: 2 at orders 1 and 2, else 1"},
    {.name = "thickness",
     .minimum = 0.0,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_LENGTH,
     .text = "of all layers together; 0: each as thick as the edges on the surface are long, in "
             "the mean"},
    {.name = "reflection",
     .minimum = 0.0,
     .maximum = 0.5,
     .text =
         "reflected part of the amplitude of a wave that meets the layer at a right angle, "
         "before the surface behind it absorbs; 0: 1e-3 to order 3, 1e-4 at order 4, 1e-5 at "
         "order 5, else 1e-6, but 1e-3 to 3e-2 where a conductor, a body or a source is near, and "
         "1e-4 where there are ports of waveguides"},
    {.name = "frequency",
     .minimum = 0.0,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "the lowest frequency that the layer must absorb well; 0: the lowest in the sources' "
             "spectra, or a twentieth of the highest if that is more"},
};

const sedge_face_kind sedge_face_pml = {
    .equation = "maxwell",
    .kind = {.name = "pml",
             .function = "maxwell_absorbing",
             .apply = maxwell_absorbing,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text =
                 "open space: a perfectly matched layer outside of the surface. The surfaces "
                 "with this type form sides of a box with edges along the axes, or a sphere, an "
                 "ellipsoid or the like, or a part of one; layers of elements are added on all "
                 "of them, with the materials that reach them, and an absorbing surface ends "
                 "them. With mesh.layers the mesh has the layers already. Field files have the "
                 "fields in layers only with output.layers",
             .linear = true,
             .layers = true}};
