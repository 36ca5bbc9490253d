// Planes of symmetry: boundaries with `symmetry: true`. The mesh is a half, a quarter or an eighth
// of what the run is about; the other parts are its mirror images.
#pragma once

#include "deck/deck.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// Find the planes and let others know: each far field of the deck gets them as images, deck->copies
// becomes the number of the mesh's copies, itself included, by which energies and fluxes are
// multiplied, and the problem's point sources in a plane learn of it; so do surfaces whose
// conditions see their shapes (sedge_problem.mirrors). SEDGE_ERR_USAGE, the same on
// all ranks: a surface is not flat, not across an axis or not on a side of the mesh; two are
// parallel; the field of a source or the sphere of `exact` is not symmetric; a far field has
// another image across the axis. Collective.
SEDGE_MUST_USE
sedge_status sedge_symmetry_find(const sedge_comm *comm, sedge_deck *deck, const sedge_mesh *mesh,
                                 sedge_problem *problem);
