// Doubts: what a deck says that is allowed, and is hardly meant. `run` and `check` print them as
// warnings before anything is computed.
#pragma once

#include "run/session.h"

// A line to stdout for each doubt about the whole deck: a wave far longer than the mesh, a run of a
// single step, a run that ends before a source's peak, a time step that a conductivity limits.
// Nothing for an equation without time. Root prints. Not collective.
void sedge_doubt_print(const sedge_session *session);
