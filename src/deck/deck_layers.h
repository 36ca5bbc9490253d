// Perfectly matched layers: what boundaries of a kind with `layers` ask of the mesh, and the terms
// of the problem that they become.
#pragma once

#include "deck.h"
#include "deck_check.h"

// Set the extrusion of `deck->mesh`. Called when the boundaries are read.
SEDGE_MUST_USE
sedge_status deck_read_layers(const deck_reader *reader, sedge_deck *deck);

// Fail where the layer would be in the way: a boundary inside the mesh, a medium with gain, a wall
// in the layer that an incident wave drives. The problem has all but its terms.
SEDGE_MUST_USE
sedge_status deck_check_layers(const sedge_problem *problem, const sedge_deck *deck,
                               const sedge_mesh *mesh);

// Fail where the material changes along an axis of a layer that is part of the mesh file. The
// problem has all its terms.
SEDGE_MUST_USE
sedge_status deck_check_layer_media(const sedge_problem *problem, const sedge_deck *deck,
                                    const sedge_mesh *mesh);

// Add the terms of one kind, whose `layer` is not 0, to the layers' volume groups.
SEDGE_MUST_USE
sedge_status deck_add_layers(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh,
                             const sedge_term_kind *kind);
