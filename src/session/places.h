// Checks that the points that a deck names (probes, spectra, sources) lie where they are allowed.
#pragma once

#include "deck/deck.h"
#include "dg/point.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// Every probe, every point of a spectrum and every point source must lie in the mesh, and in none
// of its layers. SEDGE_ERR_USAGE. Collective.
SEDGE_MUST_USE
sedge_status sedge_places_check(const sedge_comm *comm, const sedge_deck *deck,
                                const sedge_mesh *mesh);

// No ball over which a point source is spread may reach a layer. SEDGE_ERR_USAGE, the same on all
// ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_places_check_balls(const sedge_comm *comm, const sedge_points *points,
                                      const sedge_deck *deck, const sedge_mesh *mesh);

// The part, 0 to 1, of a point source's squared currents which its image in a plane with this unit
// normal adds to; the image cancels the rest. An electric current must be across an electric plane
// and in a magnetic one, a magnetic current the other way round. What the source adds to the first
// two groups, E and H, of an equation with `poynting` is along its currents in any medium without
// tensors.
double sedge_places_kept(const sedge_problem *problem, const sedge_source_kind *kind,
                         const double *parameters, sedge_mirror mirror, const double normal[3]);

// A point source that lies on a perfect conductor, or on a magnetic wall, whose image cancels it:
// sets *source and *surface, the wall's group; *source is -1: there is none. Collective, the same
// on all ranks.
void sedge_places_find_cancelled(int *source, int *surface, const sedge_comm *comm,
                                 const sedge_problem *problem, const sedge_mesh *mesh);

// A point source whose ball reaches a surface of a far field, or one around the sources that it
// accepts power through.
typedef struct sedge_places_cut {
    int source;      // -1: there is none; of several the one that is nearest in radii of its ball
    int far_field;   // of the deck
    bool input;      // its `input`, else its surface
    double distance; // of the source from the surface's flat triangles
} sedge_places_cut;

// Part of such a ball is not inside of the surface, and the far field lacks it. Collective, the
// same on all ranks.
SEDGE_MUST_USE
sedge_status sedge_places_find_cut(sedge_places_cut *out, const sedge_comm *comm,
                                   const sedge_points *points, const sedge_deck *deck,
                                   const sedge_problem *problem, const sedge_mesh *mesh);

// A point source whose ball reaches a periodic side.
typedef struct sedge_places_beside {
    int source;      // -1: there is none; of several the one that is nearest in radii of its ball
    int surface;     // the side's surface group
    double distance; // of the source from the side's flat triangles
} sedge_places_beside;

// The side cuts such a ball (dg/point.h): the total moment is right, the field near the source less
// accurate. Collective, the same on all ranks.
SEDGE_MUST_USE
sedge_status sedge_places_find_beside(sedge_places_beside *out, const sedge_comm *comm,
                                      const sedge_points *points, const sedge_deck *deck,
                                      const sedge_problem *problem, const sedge_mesh *mesh);
