#include "lattice.h"

#include "base/memory.h"

#include <string.h>

#define LANES 8

// Where the next node goes.
typedef struct node_walk {
    int (*place)[3];
    int count;
} node_walk;

// Add the nodes strictly between two corners that are `order` steps apart.
static void add_edge(node_walk *walk, const int from[3], const int to[3], int order)
{
    for (int i = 1; i < order; i++, walk->count++) {
        for (int d = 0; d < 3; d++)
            walk->place[walk->count][d] = from[d] + i * (to[d] - from[d]) / order;
    }
}

static void add_corner(node_walk *walk, const int corner[3])
{
    memcpy(walk->place[walk->count++], corner, sizeof(int[3]));
}

// The corners of the lattice inside a simplex of `count` corners: one step away from every side.
static void shrink(int inner[][3], int (*corners)[3], int count, int order)
{
    for (int a = 0; a < count; a++) {
        for (int d = 0; d < 3; d++) {
            inner[a][d] = corners[a][d];
            for (int b = 0; b < count; b++) inner[a][d] += (corners[b][d] - corners[a][d]) / order;
        }
    }
}

// VTK's Lagrange triangle: corners, edges, and the same again inside.
static void add_triangle(node_walk *walk, int corners[3][3], int order)
{
    int inner[3][3];

    if (order == 0) {
        add_corner(walk, corners[0]);
        return;
    }
    for (int a = 0; a < 3; a++) add_corner(walk, corners[a]);
    for (int a = 0; a < 3; a++) add_edge(walk, corners[a], corners[(a + 1) % 3], order);
    if (order < 3) return;
    shrink(inner, corners, 3, order);
    add_triangle(walk, inner, order - 3);
}

// VTK's Lagrange tetrahedron: corners, edges, the faces' insides, and the same again inside.
static void add_tetrahedron(node_walk *walk, int corners[4][3], int order)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int faces[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
    int inner[4][3];

    if (order == 0) {
        add_corner(walk, corners[0]);
        return;
    }
    for (int a = 0; a < 4; a++) add_corner(walk, corners[a]);
    for (int e = 0; e < 6; e++) add_edge(walk, corners[edges[e][0]], corners[edges[e][1]], order);
    for (int f = 0; f < 4 && order >= 3; f++) {
        int face[3][3];

        for (int a = 0; a < 3; a++) memcpy(face[a], corners[faces[f][a]], sizeof(int[3]));
        shrink(inner, face, 3, order);
        add_triangle(walk, inner, order - 3);
    }
    if (order < 4) return;
    shrink(inner, corners, 4, order);
    add_tetrahedron(walk, inner, order - 4);
}

static sedge_status fill_weights(sedge_lattice *lattice, const sedge_element *element)
{
    sedge_status status;
    double *row = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&row, lattice->nodes, sizeof *row));
    for (int m = 0; m < lattice->nodes; m++) {
        double rst[3];

        for (int d = 0; d < 3; d++) rst[d] = -1.0 + 2.0 * lattice->place[m][d] / lattice->order;
        SEDGE_TRY_GOTO(status, sedge_element_interpolate(element, rst[0], rst[1], rst[2], row));
        for (int n = 0; n < lattice->nodes; n++) lattice->weights[n * lattice->padded + m] = row[n];
    }
done:
    sedge_release(row);
    return status;
}

sedge_status sedge_lattice_create(sedge_lattice **out, const sedge_element *element)
{
    const int p = element->order;
    int corners[4][3] = {{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}};
    sedge_status status;
    sedge_lattice *lattice = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&lattice, 1, sizeof *lattice));
    lattice->order = p;
    lattice->nodes = element->nodes;
    lattice->padded = (element->nodes + LANES - 1) / LANES * LANES;
    SEDGE_TRY_GOTO(status, sedge_allocate(&lattice->place, lattice->nodes, sizeof(int[3])));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&lattice->weights, (int64_t)lattice->nodes * lattice->padded,
                                  sizeof *lattice->weights));
    node_walk walk = {lattice->place, 0};
    add_tetrahedron(&walk, corners, p);
    SEDGE_TRY_GOTO(status, fill_weights(lattice, element));
    *out = lattice;
    lattice = NULL;
done:
    sedge_lattice_free(lattice);
    return status;
}

void sedge_lattice_free(sedge_lattice *lattice)
{
    if (lattice == NULL) return;
    sedge_release(lattice->place);
    sedge_release(lattice->weights);
    sedge_release(lattice);
}

void sedge_lattice_apply(const sedge_lattice *lattice, const double *u, double scale, float *values,
                         int stride)
{
    for (int first = 0; first < lattice->nodes; first += LANES) {
        const int lanes = lattice->nodes - first < LANES ? lattice->nodes - first : LANES;
        double sums[LANES] = {0.0};

        for (int n = 0; n < lattice->nodes; n++) {
            const double *const weights = lattice->weights + (int64_t)n * lattice->padded + first;
            for (int k = 0; k < LANES; k++) sums[k] += weights[k] * u[n];
        }
        for (int k = 0; k < lanes; k++)
            values[(int64_t)(first + k) * stride] = (float)(scale * sums[k]);
    }
}
