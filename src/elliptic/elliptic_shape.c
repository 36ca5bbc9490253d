#include "elliptic_shape.h"

// The metric of a straight element, and sJ / J of its faces; returns J.
static double describe_straight(double shape[6], double scale[SEDGE_FACES], double corners[4][3])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    sedge_geometry geometry;

    sedge_geometry_compute(&geometry, corners);
    for (int k = 0; k < 6; k++) {
        const double *const a = geometry.metric[pairs[k][0]];
        const double *const b = geometry.metric[pairs[k][1]];
        shape[k] = geometry.jacobian * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    for (int f = 0; f < SEDGE_FACES; f++) scale[f] = geometry.face_scale[f];
    return geometry.jacobian;
}

void elliptic_shape(double shape[ELLIPTIC_SHAPE_WORDS], const sedge_mesh *mesh,
                    const sedge_problem *problem, const elliptic_curved *curved,
                    const sedge_elliptic_face *faces, int32_t e)
{
    const sedge_elliptic_face *const face = faces + (int64_t)e * SEDGE_FACES;
    double scale[SEDGE_FACES];
    double jacobian = 1.0;

    if (sedge_mesh_curve(mesh, e) >= 0) {
        double map[SEDGE_CURVE_TERMS][3];
        sedge_mesh_expand(mesh, e, map);
        elliptic_curved_means(shape, scale, curved, map);
        for (int f = 0; f < SEDGE_FACES; f++) // elsewhere tau is tau sJ already
            if (face[f].g != 0.0) scale[f] = 1.0;
    } else {
        jacobian = describe_straight(shape, scale, mesh->corners[e]);
    }
    shape[6] = problem->equation->elliptic->coefficient(problem->materials[mesh->group[e]]);
    shape[7] = 0.0;
    for (int f = 0; f < SEDGE_FACES; f++) {
        shape[8 + 2 * f] = face[f].g;
        shape[9 + 2 * f] = face[f].tau * scale[f] * jacobian;
    }
}
