// The conductors of a line, which the deck calls by the names of their surfaces, and their
// voltages.
#include "maxwell/sections/port_modes.h"

#include "port_fit.h"
#include "port_whole.h"

#include "base/memory.h"

#include <math.h>

#define MOST  1e6  // of a voltage, as a part of the port's
#define LEAST 1e-6 // of the greatest difference of two of them

// A port's cross-section, in which numbers of walls are those of port_section, and what the deck
// gives: pairs of surfaces and voltages.
typedef struct conductors {
    const port_section *section;
    const sedge_problem *problem;
    const sedge_mesh *mesh;
    const double *given; // [count][surface group from 1, voltage]
    int count;
    bool closed; // the outline is one of conductors
    const char *where;
    double *touches; // [count][walls][SIGNS]: whether the surface reaches the wall, as below
} conductors;

// Behind a plane of symmetry of type pec the potential has the opposite sign.
enum { ALIKE, OPPOSITE, SIGNS };
enum { BY_IMAGE = 1, BY_ITSELF };

static const char *name_of(const conductors *of, int k)
{
    return of->mesh->groups.surface_names[(int)of->given[2L * k] - 1];
}

static double *touch_of(const conductors *of, int k, int wall)
{
    return of->touches + (ptrdiff_t)SIGNS * (k * of->section->walls + wall);
}

// How far a place is from the plane of the port.
static double find_distance(const port_section *section, const double x[3])
{
    const double(*const axes)[3] = section->axes;
    double off = 0.0;

    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        off += (axes[0][e] * axes[1][f] - axes[0][f] * axes[1][e]) *
               (x[d] - section->field->corners[0][d]);
    }
    return fabs(off);
}

// The place x on surface `k`, and its images in planes of symmetry.
static void mark_touches(const conductors *of, int k, const double x[3])
{
    const port_section *const section = of->section;
    const int mask = port_whole_mask(of->problem);

    if (find_distance(section, x) > 1e-6 * section->size) return;
    for (int image = 0; image < 8; image++) {
        int sign = ALIKE;
        double place[3];

        if ((image & mask) != image) continue;
        for (int d = 0; d < 3; d++) {
            if ((image >> d & 1) != 0 && of->problem->mirrors[d].kind == SEDGE_MIRROR_ELECTRIC)
                sign = sign == ALIKE ? OPPOSITE : ALIKE;
        }
        port_whole_mirror(place, x, of->problem, image, section->size);
        const int wall = port_section_wall(section, place);
        if (wall < 0) continue;
        double *const touch = &touch_of(of, k, wall)[sign];
        *touch = fmax(*touch, image == 0 ? BY_ITSELF : BY_IMAGE);
    }
}

// Collective.
static void find_touches(const conductors *of, const sedge_comm *comm)
{
    for (int k = 0; k < of->count; k++) {
        const int s = (int)of->given[2L * k] - 1;

        for (int32_t i = 3 * of->mesh->set_offsets[s]; i < 3 * of->mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &of->mesh->set_faces[i / 3];
            mark_touches(of, k,
                         of->mesh->corners[side->element][sedge_face_vertices[side->face][i % 3]]);
        }
    }
    sedge_comm_max(comm, of->touches, SIGNS * of->count * of->section->walls);
}

// Each surface is that of one conductor that bounds the port.
static sedge_status check_surfaces(const conductors *of)
{
    for (int k = 0; k < of->count; k++) {
        const int surface = (int)of->given[2L * k] - 1;
        const bool conducts = port_conducts(of->problem->boundaries[surface].kind);
        int found = 0;

        for (int w = 0; w < of->section->walls; w++)
            found += touch_of(of, k, w)[ALIKE] >= BY_ITSELF;
        if (found == 1 && conducts) continue;
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            found == 0 ? "%s.voltages: the surface '%s' does not reach the port; name the "
                         "surfaces of the conductors that bound it"
            : conducts ? "%s.voltages: the surface '%s' has several of the conductors that "
                         "bound the port; let each have a surface of its own"
                       : "%s.voltages: the surface '%s' is no conductor, which is of type "
                         "pec, conductor, impedance or rational",
            of->where, name_of(of, k));
    }
    return SEDGE_OK;
}

// Of one wall; `*found` is the number of a surface that it has, -1: of none.
static sedge_status set_voltage(double *out, int *found, const conductors *of, int wall)
{
    *found = -1;
    for (int i = 0; i < SIGNS * of->count; i++) {
        const int k = i / SIGNS;
        const double given = of->given[2L * k + 1];
        const double voltage = i % SIGNS == OPPOSITE ? -given : given;

        if (!(touch_of(of, k, wall)[i % SIGNS] > 0.0)) continue;
        if (*found == k && (voltage < *out || voltage > *out)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s.voltages: '%s' has %.6g, and meets its mirror image in a plane "
                              "of symmetry of type pec, which has %.6g: give 0, or take pmc there",
                              of->where, name_of(of, k), given, -given);
        }
        if (*found >= 0 && (voltage < *out || voltage > *out)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s.voltages: '%s' and '%s' are one conductor, which has one "
                              "voltage",
                              of->where, name_of(of, *found), name_of(of, k));
        }
        *out = voltage;
        *found = k;
    }
    return SEDGE_OK;
}

static sedge_status set_voltages(double *voltages, const conductors *of)
{
    double most = 0.0, difference = 0.0;

    for (int w = 0; w < of->section->walls; w++) {
        int found = -1;

        SEDGE_TRY(set_voltage(&voltages[w], &found, of, w));
        if (found < 0 && w > 0 && of->closed) {
            const double *const x = port_section_corner(of->section, w);
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s.voltages: the conductor at (%.6g, %.6g, %.6g) has none; name its "
                              "surface, and give 0 for the potential of the outer conductor",
                              of->where, x[0], x[1], x[2]);
        }
        most = fmax(most, fabs(voltages[w]));
        difference = fmax(difference, fabs(voltages[w] - voltages[0]));
    }
    if (most > MOST) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s.voltages: %.3g is more than %g; give parts of the port's voltage, "
                          "such as 1 or -0.5",
                          of->where, most, MOST);
    }
    if (difference >= LEAST) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s.voltages: all conductors have the same one, to %g, and there is no field "
                      "between them",
                      of->where, LEAST);
}

sedge_status port_conductors_find(double *voltages, const port_section *section,
                                  const sedge_problem *problem, const sedge_comm *comm,
                                  const sedge_mesh *mesh, const double *given, bool closed,
                                  const char *where)
{
    conductors of = {section, problem, mesh, given, .closed = closed, .where = where};
    sedge_status status;

    while (of.count < SEDGE_MAX_WEIGHTS && given[2L * of.count] > 0.0) of.count++;
    if (of.count == 0 && section->walls == 2 && closed) {
        voltages[1] = 1.0;
        return SEDGE_OK;
    }
    if (!closed && section->walls < 2) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: a line has two conductors at least, surfaces of type pec, conductor, "
            "impedance or rational that do not touch each other in the port's plane, "
            "and here are %d",
            where, section->walls);
    }
    if (!closed && of.count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s.voltages names no surface; give the voltage of at least one "
                          "conductor, such as {strip: 1}",
                          where);
    }
    if (of.count == 0 || section->walls < 2) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the port must be all that lies between two conductors, one around "
                          "the other, and its outline consists of %d closed lines%s",
                          where, section->walls,
                          section->walls > 2 ? "; with several conductors give `voltages`" : "");
    }
    const int64_t numbers = (int64_t)SIGNS * of.count * section->walls;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&of.touches, numbers, sizeof *of.touches)));
    find_touches(&of, comm);
    status = check_surfaces(&of);
    if (status == SEDGE_OK) status = set_voltages(voltages, &of);
    sedge_release(of.touches);
    return status;
}
