#include "gmsh_type.h"

#include <stdio.h>

static const sedge_gmsh_type types[] = {
    {15, 0, 1, 1, "point"},          {1, 1, 1, 2, "line"},           {8, 1, 2, 3, "line"},
    {26, 1, 3, 4, "line"},           {27, 1, 4, 5, "line"},          {28, 1, 5, 6, "line"},
    {62, 1, 6, 7, "line"},           {63, 1, 7, 8, "line"},          {64, 1, 8, 9, "line"},
    {65, 1, 9, 10, "line"},          {66, 1, 10, 11, "line"},        {2, 2, 1, 3, "triangle"},
    {9, 2, 2, 6, "triangle"},        {21, 2, 3, 10, "triangle"},     {23, 2, 4, 15, "triangle"},
    {25, 2, 5, 21, "triangle"},      {42, 2, 6, 28, "triangle"},     {43, 2, 7, 36, "triangle"},
    {44, 2, 8, 45, "triangle"},      {45, 2, 9, 55, "triangle"},     {46, 2, 10, 66, "triangle"},
    {4, 3, 1, 4, "tetrahedron"},     {11, 3, 2, 10, "tetrahedron"},  {29, 3, 3, 20, "tetrahedron"},
    {30, 3, 4, 35, "tetrahedron"},   {31, 3, 5, 56, "tetrahedron"},  {71, 3, 6, 84, "tetrahedron"},
    {72, 3, 7, 120, "tetrahedron"},  {73, 3, 8, 165, "tetrahedron"}, {74, 3, 9, 220, "tetrahedron"},
    {75, 3, 10, 286, "tetrahedron"}, {3, 2, 0, 4, "quadrangle"},     {10, 2, 0, 9, "quadrangle"},
    {16, 2, 0, 8, "quadrangle"},     {5, 3, 0, 8, "hexahedron"},     {12, 3, 0, 27, "hexahedron"},
    {17, 3, 0, 20, "hexahedron"},    {6, 3, 0, 6, "prism"},          {13, 3, 0, 18, "prism"},
    {18, 3, 0, 15, "prism"},         {7, 3, 0, 5, "pyramid"},        {14, 3, 0, 14, "pyramid"},
    {19, 3, 0, 13, "pyramid"},
};

sedge_status sedge_gmsh_type_find(const sedge_gmsh_type **out, const sedge_cursor *cursor,
                                  int64_t type, int64_t number)
{
    char what[160];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != type) continue;
        *out = &types[i];
        if (types[i].order > 0) return SEDGE_OK;
        (void)snprintf(what, sizeof what, "element %lld is a %s; only tetrahedra can be used",
                       (long long)number, types[i].name);
        return sedge_cursor_fail(cursor, what);
    }
    (void)snprintf(what, sizeof what, "element %lld has the unknown type %lld", (long long)number,
                   (long long)type);
    return sedge_cursor_fail(cursor, what);
}
