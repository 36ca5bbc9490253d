// A CUDA driver for tests on machines without one: one device, whose work is never done.
#pragma once

#include <stdbool.h>

// Is the device's primary context this thread's?
bool fake_is_entered(void);

// What the kernels of a program are: `waiting` is of the dialect, others are not. The program has
// sedge_waits. Launches count, those that may begin early in the second number, too.
typedef struct fake_launches {
    int all, early;
} fake_launches;
extern fake_launches fake_counts;
