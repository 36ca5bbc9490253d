// Perfectly matched layers. A boundary of a kind with `layers` makes the mesh grow layers of
// elements, and in these the problem gets terms that absorb waves.
#pragma once

#include "deck.h"
#include "deck_check.h"

// Set the extrusion of `deck->mesh` (sedge_mesh_extrusion). Called after the boundaries are read.
SEDGE_MUST_USE
sedge_status deck_read_layers(const deck_reader *reader, sedge_deck *deck);

// Refuse what the layer cannot absorb or would spoil: a boundary inside the mesh, a medium with
// gain, a wall in the layer that an incident wave drives. The problem has all but its terms.
SEDGE_MUST_USE
sedge_status deck_check_layers(const sedge_problem *problem, const sedge_deck *deck,
                               const sedge_mesh *mesh);

// Refuse a layer of the mesh file along whose axis the material changes. The
// problem has all its terms.
SEDGE_MUST_USE
sedge_status deck_check_layer_media(const sedge_problem *problem, const sedge_deck *deck,
                                    const sedge_mesh *mesh);

// Add the terms of one kind, whose `layer` is not 0, to the layers' volume groups.
SEDGE_MUST_USE
sedge_status deck_add_layers(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh,
                             const sedge_term_kind *kind);
