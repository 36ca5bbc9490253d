// The energy of one rank's elements as a sum whose rounding does not depend on the order of the
// elements, so that the sum over all ranks is the same to the last bit on any number of them.
#pragma once

#include <stdint.h>

typedef struct sedge_energy_sum {
    double high, low; // the sum without elements in layers is high + low, with twice fp64's digits
    int64_t wrong;    // elements, in layers too, whose energy is not finite
} sedge_energy_sum;
