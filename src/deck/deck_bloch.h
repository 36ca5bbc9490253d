// A wave vector: fields that differ by a phase from one period of a structure to the next. The
// program doubles the mesh then (sedge_mesh_add_twins), and periodic sides get the equation's kind
// that turns (sedge_boundary_kind).
#pragma once

#include "deck.h"
#include "deck_check.h"

// The section `bloch`, once the others are read: refuses what does not go with a wave vector.
SEDGE_MUST_USE
sedge_status deck_read_bloch(const deck_reader *reader, sedge_deck *deck);

// Give the periodic sides their condition with the phase k.a. Nothing without a wave vector.
// SEDGE_ERR_USAGE for phases above 1e6, and where a part of k is along no translation.
SEDGE_MUST_USE
sedge_status deck_turn_periodic(sedge_problem *problem, const sedge_deck *deck,
                                const sedge_mesh *mesh);

// Give the initial fields the wave vector. Nothing without one.
void deck_turn_initial(sedge_problem *problem, const sedge_deck *deck);
