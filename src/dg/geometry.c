#include "element.h"

#include <math.h>

void sedge_geometry_compute(sedge_geometry *out, double corners[4][3])
{
    double dx[3][3]; // dx[j][d] = d x_d / d r_j = (vertex j+1 - vertex 0) / 2

    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++) dx[j][d] = 0.5 * (corners[j + 1][d] - corners[0][d]);

    // The rows of the inverse are the cross products of the others, over J.
    for (int j = 0; j < 3; j++) {
        const double *a = dx[(j + 1) % 3];
        const double *b = dx[(j + 2) % 3];
        for (int d = 0; d < 3; d++)
            out->metric[j][d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    }
    out->jacobian = 0.0;
    for (int d = 0; d < 3; d++) out->jacobian += dx[0][d] * out->metric[0][d];
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++) out->metric[j][d] /= out->jacobian;

    // Faces t = -1, s = -1, r + s + t = -1, r = -1; sJ / J is the length of the gradient.
    for (int d = 0; d < 3; d++) {
        out->normal[0][d] = -out->metric[2][d];
        out->normal[1][d] = -out->metric[1][d];
        out->normal[2][d] = out->metric[0][d] + out->metric[1][d] + out->metric[2][d];
        out->normal[3][d] = -out->metric[0][d];
    }
    for (int f = 0; f < 4; f++) {
        double *n = out->normal[f];
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3; d++) n[d] /= length;
        out->face_scale[f] = length;
    }
}

void sedge_geometry_map(double corners[4][3], double r, double s, double t, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.5 * (-(1.0 + r + s + t) * corners[0][d] + (1.0 + r) * corners[1][d] +
                      (1.0 + s) * corners[2][d] + (1.0 + t) * corners[3][d]);
    }
}
