"""crystal.msh: a period of a square lattice of rods, with elements of second order at the rod.

A square of edge 1 with a rod of radius 0.2 in its middle, 0.25 high. The plane is cut into quadrangles: a square in the
rod, a ring around it to the rod's surface, and a ring to the sides. Two triangles each are prisms over the height, three
tetrahedra each. Diagonals go by the order of the corners' coordinates, so that opposite sides match.
"""

import itertools
import math
import pathlib

RADIUS, CORE, HEIGHT = 0.2, 0.1, 0.25
AROUND = 12  # points on each ring
NAMES = {"rod": 1, "air": 2, "xmin": 3, "xmax": 4, "ymin": 5, "ymax": 6, "zmin": 7, "zmax": 8}
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3))  # in Gmsh's order
TRIANGLE_EDGES = ((0, 1), (1, 2), (0, 2))


def square(half):
    """The points on a square, from its lower left corner on, against the clock."""
    side = AROUND // 4
    at = [half * (2 * i / side - 1) for i in range(side)]
    return ([(x, -half) for x in at] + [(half, y) for y in at] + [(-x, half) for x in at] + [(-half, -y) for y in at])


def plane():
    """Quadrangles by their four corners, each with its group."""
    side = AROUND // 4
    inner, outer = square(CORE), square(0.5)
    circle = [(RADIUS * math.cos(t), RADIUS * math.sin(t)) for t in (math.pi * (2 * i / AROUND - 0.75) for i in range(AROUND))]
    grid = [[(CORE * (2 * i / side - 1), CORE * (2 * j / side - 1)) for j in range(side + 1)] for i in range(side + 1)]
    for i, j in itertools.product(range(side), repeat=2):
        yield "rod", (grid[i][j], grid[i + 1][j], grid[i + 1][j + 1], grid[i][j + 1])
    for group, near, far in (("rod", inner, circle), ("air", circle, outer)):
        for i in range(AROUND):
            k = (i + 1) % AROUND
            yield group, (near[i], far[i], far[k], near[k])


def is_round(point):
    return abs(math.hypot(*point[:2]) - RADIUS) < 1e-9


def middle(a, b):
    x = [(p + q) / 2 for p, q in zip(a, b)]
    scale = RADIUS / math.hypot(x[0], x[1]) if is_round(a) and is_round(b) else 1
    return (x[0] * scale, x[1] * scale, x[2])


def cells():
    """Tetrahedra by their corners, each with its group."""
    for group, quadrangle in plane():
        a, b, c, d = (tuple(round(x, 12) + 0.0 for x in point) for point in quadrangle)
        for triangle in ((a, b, c), (a, c, d)):
            low = [(*point, 0.0) for point in sorted(triangle)]
            high = [(*point, HEIGHT) for point in sorted(triangle)]
            for k in range(3):
                yield group, (*low[:k + 1], *high[k:])


def volume(corners):
    a, b, c = [[p - q for p, q in zip(corner, corners[0])] for corner in corners[1:]]
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def main():
    number, elements = {}, []
    for group, corners in cells():
        if volume(corners) < 0:
            corners = (corners[0], corners[2], corners[1], corners[3])
        elements.append((11, NAMES[group], corners, TETRAHEDRON_EDGES))
        for face in itertools.combinations(corners, 3):
            for axis, low, high in ((0, -0.5, 0.5), (1, -0.5, 0.5), (2, 0.0, HEIGHT)):
                for end, place in (("min", low), ("max", high)):
                    if all(abs(point[axis] - place) < 1e-9 for point in face):
                        elements.append((9, NAMES["xyz"[axis] + end], face, TRIANGLE_EDGES))
    elements.sort(key=lambda element: element[0])
    rows = []
    for kind, group, corners, edges in elements:
        points = [*corners, *(middle(corners[a], corners[b]) for a, b in edges)]
        nodes = [number.setdefault(tuple(round(x, 12) + 0.0 for x in point), len(number) + 1) for point in points]
        rows.append(f"{len(rows) + 1} {kind} 2 {group} {group} " + " ".join(map(str, nodes)))
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(NAMES))]
    lines += [f'{3 if k <= 2 else 2} {k} "{name}"' for name, k in NAMES.items()]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(number))]
    lines += [f"{k} " + " ".join(f"{x:.12g}" for x in point) for point, k in number.items()]
    lines += ["$EndNodes", "$Elements", str(len(rows)), *rows, "$EndElements", ""]
    pathlib.Path(__file__).with_name("crystal.msh").write_text("\n".join(lines))


main()
