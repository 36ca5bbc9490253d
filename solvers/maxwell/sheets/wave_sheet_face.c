// A sheet of current that a source drives: plane waves go away from it on both sides, and it lets
// all waves pass.
//
// The current along the surface is 2 Y E0 per length, with the polarisation and the signal in E0,
// times exp(-i k.x) where fields have a wave vector k (reference_drive): with Z = 1 / Y and a the
// angle to the normal the waves have the tangential field E0 / cos a across the plane of incidence,
// and E0 cos a in it.
#include "maxwell/maxwell.h"

#include "dg/surface_field.h"

#include "../phase_face.h"
#include "sheet_face.h"

#include <math.h>

extern const char sedge_text_phase_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "polarisation",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "of the current; the part across the surface does nothing"},
};
enum { POLARISATION = 0, SIGNAL = 3 };

// The sine of the angle between the polarisation and the normal of a face.
static double find_sine(const double corners[9], const double *polarisation)
{
    double n[3];
    double product = 0.0;
    double size[2] = {0.0, 0.0};

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        n[i] = (corners[3 + j] - corners[j]) * (corners[6 + k] - corners[k]) -
               (corners[3 + k] - corners[k]) * (corners[6 + j] - corners[j]);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const double across = n[j] * polarisation[k] - n[k] * polarisation[j];
        product += across * across;
        size[0] += n[i] * n[i];
        size[1] += polarisation[i] * polarisation[i];
    }
    return sqrt(product / (size[0] * size[1]));
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    double most = 0.0;

    (void)problem;
    for (int64_t i = 0; i < shape->count; i++)
        most = fmax(most, find_sine(shape->triangles[i], p + POLARISATION));
    if (most > 1e-6) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the polarisation (%.6g, %.6g, %.6g) is across the sheet, so "
                      "that no current flows: give one along it",
                      surface, p[POLARISATION], p[POLARISATION + 1], p[POLARISATION + 2]);
}

// The signal acts by `drive` alone, which needs no numbers of a field.
static sedge_status find_field(const sedge_problem *problem, const sedge_comm *comm,
                               const sedge_mesh *mesh, const char *surface,
                               const sedge_surface_shape *shape, double *p,
                               sedge_surface_field **field)
{
    (void)problem, (void)mesh, (void)surface, (void)p;
    return sedge_comm_agree(comm, sedge_surface_field_create(field, 0, shape));
}

// Of no other fields the state at the sheet is E0 along it.
static void drive(const sedge_boundary *boundary, const double corners[9], const double x[3],
                  const double *mu, const double *mw, const double *n, const double *c, double *v)
{
    const double *const e0 = boundary->parameters + POLARISATION;
    const double along = e0[0] * n[0] + e0[1] * n[1] + e0[2] * n[2];
    const double nothing[6] = {0.0};
    const double none[3] = {0.0};
    double state[3];

    (void)corners, (void)x, (void)mw;
    for (int i = 0; i < 3; i++) state[i] = e0[i] - along * n[i];
    sheet_trace(nothing, none, state, mu, n, c, v);
}

const sedge_face_kind sedge_face_wave_sheet = {
    .equation = "maxwell",
    .kind = {.name = "wave-sheet",
             .function = "maxwell_phase",
             .apply_two_sided = maxwell_phase,
             .fit = fit,
             .find_field = find_field,
             .drive = drive,
             .driven = SIGNAL,
             .phased = true,
             .linear = true,
             .header = "phase_face.h",
             .header_text = sedge_text_phase_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text =
                 "sheet of current inside the mesh, from which plane waves go to both sides and "
                 "through which all waves pass; a source of type wave-sheet drives it"}};
