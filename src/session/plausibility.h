// Plausibility: settings of a deck that are allowed but probably a mistake. `run` and `check` print
// them as warnings before anything is computed.
#pragma once

#include "session/session.h"

// Print a line to stdout for each such setting: a wave far longer than the mesh, a run of a single
// step or of a billion, a run that ends before a source's peak, a point source that begins with a
// jump, frequencies that the sources do not have, a flux that is no power, charges that keep a run
// from the end that it asks for, an absorbing layer that is near what radiates, a time step that is
// limited by a conductivity. Nothing is printed for an equation without time. Root prints. Not
// collective.
void sedge_plausibility_print(const sedge_session *session);

// The energy that charges have when the signals of all dipoles have ended, by the greatest before,
// about: of the dipole that leaves the most. The charge at a dipole's ends is the integral of its
// current, and the energy near it goes by its square. 0 without electric charges. Not collective.
double sedge_plausibility_remains(const sedge_session *session);
