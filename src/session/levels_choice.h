// Local time steps of a run: the deck's time.levels.
#pragma once

#include "session/session.h"

// Set `levels` of a session whose `stable_dt` is that of one step for all elements. Where the deck
// and the integrator allow more levels, choose them, number the elements of the mesh anew by level,
// and make `stable_dt` the macro step. SEDGE_ERR_MEMORY. Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_apply(sedge_session *session);

// Print the table of the levels, if the deck and the integrator allow more than one, to stdout. Not
// collective; the caller is the root.
void sedge_levels_print(const sedge_session *session);
