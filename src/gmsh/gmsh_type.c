#include "gmsh_type.h"

#include <stdio.h>

// Points, lines, and simplices, with and without nodes inside.
static const sedge_gmsh_type types[] = {
    {15, 0, 1, 1},   {1, 1, 1, 2},     {8, 1, 2, 3},    {26, 1, 3, 4},   {27, 1, 4, 5},
    {28, 1, 5, 6},   {62, 1, 6, 7},    {63, 1, 7, 8},   {64, 1, 8, 9},   {65, 1, 9, 10},
    {66, 1, 10, 11}, {2, 2, 1, 3},     {9, 2, 2, 6},    {20, 2, 3, 9},   {21, 2, 3, 10},
    {22, 2, 4, 12},  {23, 2, 4, 15},   {24, 2, 5, 15},  {25, 2, 5, 21},  {52, 2, 6, 18},
    {42, 2, 6, 28},  {53, 2, 7, 21},   {43, 2, 7, 36},  {54, 2, 8, 24},  {44, 2, 8, 45},
    {55, 2, 9, 27},  {45, 2, 9, 55},   {56, 2, 10, 30}, {46, 2, 10, 66}, {4, 3, 1, 4},
    {11, 3, 2, 10},  {137, 3, 3, 16},  {29, 3, 3, 20},  {32, 3, 4, 22},  {30, 3, 4, 35},
    {33, 3, 5, 28},  {31, 3, 5, 56},   {79, 3, 6, 34},  {71, 3, 6, 84},  {80, 3, 7, 40},
    {72, 3, 7, 120}, {81, 3, 8, 46},   {73, 3, 8, 165}, {82, 3, 9, 52},  {74, 3, 9, 220},
    {83, 3, 10, 58}, {75, 3, 10, 286},
};

// What cannot be used, by the names that Gmsh has for it.
static const struct {
    int type;
    const char *name;
} others[] = {
    {3, "Quadrilateral 4"},
    {10, "Quadrilateral 9"},
    {16, "Quadrilateral 8"},
    {36, "Quadrilateral 16"},
    {37, "Quadrilateral 25"},
    {38, "Quadrilateral 36"},
    {39, "Quadrilateral 12"},
    {40, "Quadrilateral 16I"},
    {41, "Quadrilateral 20"},
    {47, "Quadrilateral 49"},
    {48, "Quadrilateral 64"},
    {49, "Quadrilateral 81"},
    {50, "Quadrilateral 100"},
    {51, "Quadrilateral 121"},
    {57, "Quadrilateral 24"},
    {58, "Quadrilateral 28"},
    {59, "Quadrilateral 32"},
    {60, "Quadrilateral 36I"},
    {61, "Quadrilateral 40"},
    {5, "Hexahedron 8"},
    {12, "Hexahedron 27"},
    {17, "Hexahedron 20"},
    {92, "Hexahedron 64"},
    {93, "Hexahedron 125"},
    {94, "Hexahedron 216"},
    {95, "Hexahedron 343"},
    {96, "Hexahedron 512"},
    {97, "Hexahedron 729"},
    {98, "Hexahedron 1000"},
    {99, "Hexahedron 32"},
    {100, "Hexahedron 44"},
    {101, "Hexahedron 56"},
    {102, "Hexahedron 68"},
    {103, "Hexahedron 80"},
    {104, "Hexahedron 92"},
    {105, "Hexahedron 104"},
    {6, "Prism 6"},
    {13, "Prism 18"},
    {18, "Prism 15"},
    {90, "Prism 40"},
    {91, "Prism 75"},
    {106, "Prism 126"},
    {107, "Prism 196"},
    {108, "Prism 288"},
    {109, "Prism 405"},
    {110, "Prism 550"},
    {111, "Prism 24"},
    {112, "Prism 33"},
    {113, "Prism 42"},
    {114, "Prism 51"},
    {115, "Prism 60"},
    {116, "Prism 69"},
    {117, "Prism 78"},
    {7, "Pyramid 5"},
    {14, "Pyramid 14"},
    {19, "Pyramid 13"},
    {118, "Pyramid 30"},
    {119, "Pyramid 55"},
    {120, "Pyramid 91"},
    {121, "Pyramid 140"},
    {122, "Pyramid 204"},
    {123, "Pyramid 285"},
    {124, "Pyramid 385"},
    {125, "Pyramid 21"},
    {126, "Pyramid 29"},
    {127, "Pyramid 37"},
    {128, "Pyramid 45"},
    {129, "Pyramid 53"},
    {130, "Pyramid 61"},
    {131, "Pyramid 69"},
    {34, "Polygon"},
    {35, "Polyhedron"},
    {69, "Polygon Border"},
    {84, "Line 1"},
    {85, "Triangle 1"},
    {86, "Quadrilateral 1"},
    {87, "Tetrahedron 1"},
    {88, "Hexahedron 1"},
    {89, "Prism 1"},
    {132, "Pyramid 1"},
    {133, "Point Xfem"},
    {134, "Line Xfem"},
    {135, "Triangle Xfem"},
    {136, "Tetrahedron Xfem"},
};

sedge_status sedge_gmsh_type_find(const sedge_gmsh_type **out, const sedge_cursor *cursor,
                                  int64_t type, int64_t number)
{
    char what[160];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != type) continue;
        *out = &types[i];
        return SEDGE_OK;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].type != type) continue;
        (void)snprintf(what, sizeof what,
                       "element %lld is a '%s' (type %lld); a mesh may have tetrahedra, and "
                       "triangles as surfaces",
                       (long long)number, others[i].name, (long long)type);
        return sedge_cursor_fail(cursor, what);
    }
    (void)snprintf(what, sizeof what, "element %lld has the unknown type %lld", (long long)number,
                   (long long)type);
    return sedge_cursor_fail(cursor, what);
}
