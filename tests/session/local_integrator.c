// An integrator with levels of local time steps, as far as a session looks at it: no run may use
// it, since each of its steps would be one of all elements.
#include "time/integrator.h"

static const double a[] = {0.0};
static const double b[] = {1.0};
static const double c[] = {0.0};

const sedge_integrator sedge_integrator_local = {.name = "local",
                                                 .text = "for tests of sessions",
                                                 .stages = 1,
                                                 .order = 1,
                                                 .a = a,
                                                 .b = b,
                                                 .c = c,
                                                 .stability = 0.1,
                                                 .oscillation = 1.0,
                                                 .radius = 1.0,
                                                 .height = 0.36,
                                                 .predictor = true};
