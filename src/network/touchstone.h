// Touchstone files, by which programs exchange S-parameters.
//
// They are written in version 1: real and imaginary parts of 9 digits, a line of options that says
// so ("# Hz S RI R 50"), comments behind "!". This version has one reference for all ports: that of
// the first port whose reference is a resistance. Other resistances are renormalised to it. Ports
// with their modes' own impedances stay as they are. Comments say what was done. Frequencies at
// which an entry is not valid are left out.
#pragma once

#include "network/network.h"

// Write `network`, whose frequencies ascend, to `path`, which by convention ends in ".sNp" with N
// ports, whole or not at all. `comment`: lines for the file's head, or NULL. `*left_out`:
// frequencies that are not in the file; if that is all of them there is no file at `path`
// afterwards. Not collective.
SEDGE_MUST_USE
sedge_status sedge_touchstone_write(int *left_out, const char *path, const sedge_network *network,
                                    const char *comment);
