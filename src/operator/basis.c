#include "operator/basis.h"

#include "operator/parts.h"

#include <string.h>

sedge_status operator_bernstein_need(sedge_operator *op)
{
    return op->bernstein != NULL ? SEDGE_OK : sedge_bernstein_create(&op->bernstein, op->element);
}

void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows)
{
    if (to == from) return;
    memcpy(work, values, (size_t)(rows * op->element->nodes) * sizeof *work);
    sedge_bernstein_convert(op->bernstein, to, values, work, rows);
}

// ---- curved elements ---------------------------------------------------------------------------

bool operator_view_needed(const sedge_operator *op, int32_t element)
{
    return sedge_cubature_state_is_covariant(op->problem) &&
           sedge_mesh_curve(op->mesh, element) >= 0;
}

// The vectors at the nodes of a curved element to covariant components, or back.
static void take_covariant(const sedge_operator *op, int32_t element, double *values,
                           int components, bool back)
{
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(op->mesh, element, c);
    for (int64_t f = 0; f < components; f += 3)
        sedge_cubature_take_covariant(op->element, c, values + f * op->element->nodes, back);
}

void operator_view_from_physical(const sedge_operator *op, int32_t element, double *values,
                                 int components)
{
    if (operator_view_needed(op, element)) take_covariant(op, element, values, components, false);
}

sedge_basis operator_view_basis(const sedge_operator *op)
{
    const sedge_basis row = op->layout.basis;

    return sedge_cubature_state_is_covariant(op->problem) ? sedge_basis_covariant(row) : row;
}

void operator_view_convert(const sedge_operator *op, int32_t element, sedge_basis to,
                           sedge_basis from, double *values, double *work, int components)
{
    sedge_basis row = sedge_basis_of_row(from);

    if (sedge_basis_is_covariant(to) != sedge_basis_is_covariant(from) &&
        sedge_mesh_curve(op->mesh, element) >= 0) {
        operator_convert(op, SEDGE_NODAL, row, values, work, components);
        take_covariant(op, element, values, components, sedge_basis_is_covariant(from));
        row = SEDGE_NODAL;
    }
    operator_convert(op, sedge_basis_of_row(to), row, values, work, components);
}

void operator_view_matrix(double g[3][3], const sedge_operator *op, int32_t element,
                          const double place[3])
{
    double c[SEDGE_CURVE_TERMS][3];
    double dx[3][3];

    if (!operator_view_needed(op, element)) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) g[i][j] = i == j ? 1.0 : 0.0;
        return;
    }
    sedge_mesh_expand(op->mesh, element, c);
    sedge_curve_tangents(c, place, dx);
    sedge_curve_inverse(dx, g);
}
