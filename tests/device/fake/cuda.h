// A CUDA driver for tests on machines without one: one device, whose work is never done.
#pragma once

#include <stdbool.h>

// Is the device's primary context this thread's?
bool fake_is_entered(void);
