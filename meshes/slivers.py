#!/usr/bin/env python3
"""Writes slivers.msh: the unit cube of 6 x 6 x 6 cells of six tetrahedra, `below` and `above` z = 1/2, with
slivers. Inner vertices are moved at random by up to 0.15 of a cell, those of the plane between both volumes
within it. Then three vertices move towards the face across one of their tetrahedra until its height is 0.02 of
what it was: one in each volume, one of them beside the cube's outer surface.

    ./slivers.py slivers.msh

Needs nothing but Python.
"""

import itertools
import random
import sys

CELLS = 6
MOVED = 0.15
PART = 0.02  # of the height, what remains
SLIVERS = [(1, 2, 1), (4, 2, 2), (2, 4, 5)]  # vertices


def number(vertex):
    return vertex[0] + (CELLS + 1) * (vertex[1] + (CELLS + 1) * vertex[2])


def place(vertex, generator):
    x = [i / CELLS for i in vertex]
    for axis, i in enumerate(vertex):
        move = generator.uniform(-MOVED, MOVED) / CELLS
        if all(0 < j < CELLS for j in vertex) and not (axis == 2 and 2 * i == CELLS):
            x[axis] += move
    return x


def list_tets():
    """Corners, and whether the tetrahedron lies above."""
    for cell in itertools.product(range(CELLS), repeat=3):
        for order in itertools.permutations(range(3)):
            corner = list(cell)
            tet = [number(corner)]
            for axis in order:
                corner[axis] += 1
                tet.append(number(corner))
            odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
            yield [tet[i] for i in ((1, 0, 2, 3) if odd else (0, 1, 2, 3))], 2 * cell[2] >= CELLS


def list_sides(tets):
    """Triangles on the cube's surface, and the numbers of their groups: xmin, xmax, ymin, .."""
    for tet, _ in tets:
        for face in itertools.combinations(tet, 3):
            vertices = [(n % (CELLS + 1), n // (CELLS + 1) % (CELLS + 1), n // (CELLS + 1) ** 2) for n in face]
            for axis, end in itertools.product(range(3), (0, 1)):
                if all(v[axis] == end * CELLS for v in vertices):
                    yield list(face), 1 + 2 * axis + end


def flatten(points, tets, vertex):
    n = number(vertex)
    tet = next(tet for tet, _ in tets if n in tet)
    face = [points[i] for i in tet if i != n]
    points[n] = [PART * x + (1 - PART) * sum(p[d] for p in face) / 3 for d, x in enumerate(points[n])]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    generator = random.Random(5)
    vertices = [(i, j, k) for k, j, i in itertools.product(range(CELLS + 1), repeat=3)]
    points = [place(vertex, generator) for vertex in vertices]
    tets = list(list_tets())
    for vertex in SLIVERS:
        flatten(points, tets, vertex)
    elements = [(2, group, face) for face, group in list_sides(tets)]
    elements += [(4, 2 if above else 1, tet) for tet, above in tets]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n8\n")
        for i, name in enumerate(("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")):
            file.write(f'2 {i + 1} "{name}"\n')
        file.write(f'3 1 "below"\n3 2 "above"\n$EndPhysicalNames\n$Nodes\n{len(points)}\n')
        for i, point in enumerate(points):
            file.write(f"{i + 1} " + " ".join(f"{x:.16g}" for x in point) + "\n")
        file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
        for i, (kind, group, corners) in enumerate(elements):
            file.write(f"{i + 1} {kind} 2 {group} {group} " + " ".join(str(n + 1) for n in corners) + "\n")
        file.write("$EndElements\n")


main()
