// The layouts that fields may have on a device.
#pragma once

#include "forms/layout.h"
#include "forms/target.h"

#define SEDGE_LAYOUTS 5 // at most

// List the layouts of the bases that some form can have there; the basis of the default form comes
// first. Where this rank's elements lie is left open.
void operator_layouts_list(operator_layout layouts[SEDGE_LAYOUTS], int *count,
                           const operator_target *target);
