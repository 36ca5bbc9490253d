#!/usr/bin/env python3
"""Cuts each tetrahedron of a Gmsh mesh into eight, for meshes that are too large to be carried along.

    benchmarks/refine.py IN.msh OUT.msh [TIMES] [--ball GROUP RADIUS]

IN.msh is a binary file of format 4.1 with tetrahedra of first order, as `gmsh -3 -order 1 -format msh41 -bin`
writes it. TIMES is how often (default 1). With --ball the surface group GROUP lies on the sphere of that radius
around the origin, and its new points are moved onto it. Groups of surfaces and volumes are kept with their names;
those of curves and points are empty then, and pairs of periodic surfaces are left out.
"""
import sys

import numpy as np

EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3))
# The pieces by corners 0 to 3 and middles of the edges 4 to 9: four at the corners, and four that share the diagonal from
# the middle of edge 0 1 to that of edge 2 3.
PIECES = ((0, 4, 6, 7), (4, 1, 5, 9), (6, 5, 2, 8), (7, 9, 8, 3), (4, 8, 6, 7), (4, 8, 7, 9), (4, 8, 9, 5), (4, 8, 5, 6))
TRIANGLES = ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5))
SIDES = ((0, 1), (1, 2), (0, 2))
CORNERS = {1: 2, 2: 3, 4: 4, 15: 1}


def section(data, name):
    start = data.index(b"$" + name + b"\n") + len(name) + 2
    return start, data.index(b"\n$End" + name, start)


def read(path):
    """What precedes the nodes, points by row, and the triangles and tetrahedra by entity, points counted from 0."""
    data = open(path, "rb").read()
    at, _ = section(data, b"Nodes")
    head = data[: at - len(b"$Nodes\n")]
    blocks, count, _, largest = np.frombuffer(data, np.uint64, 4, at)
    at += 32
    index, points = np.zeros(int(largest) + 1, np.int64), []
    for _ in range(int(blocks)):
        _, _, parametric = np.frombuffer(data, np.int32, 3, at)
        n = int(np.frombuffer(data, np.uint64, 1, at + 12)[0])
        if parametric:
            sys.exit(f"{path}: nodes have parameters; save the mesh without them")
        at += 20
        tags = np.frombuffer(data, np.uint64, n, at)
        index[tags.astype(np.int64)] = sum(map(len, points)) + np.arange(n)
        points.append(np.frombuffer(data, np.float64, 3 * n, at + 8 * n).reshape(n, 3))
        at += 32 * n
    assert sum(map(len, points)) == count
    at, _ = section(data, b"Elements")
    blocks = int(np.frombuffer(data, np.uint64, 1, at)[0])
    at += 32
    parts = []
    for _ in range(blocks):
        dimension, entity, kind = (int(v) for v in np.frombuffer(data, np.int32, 3, at))
        n = int(np.frombuffer(data, np.uint64, 1, at + 12)[0])
        if kind not in CORNERS:
            sys.exit(f"{path}: elements of Gmsh's type {kind}; made for tetrahedra of first order")
        rows = np.frombuffer(data, np.uint64, n * (1 + CORNERS[kind]), at + 20).reshape(n, -1)
        if dimension >= 2:
            parts.append((dimension, entity, kind, index[rows[:, 1:].astype(np.int64)]))
        at += 20 + rows.nbytes
    return head, np.concatenate(points), parts


def groups(head):
    """The name of each surface entity's group."""
    names = {}
    at, end = section(head, b"PhysicalNames")
    for line in head[at:end].decode().splitlines()[1:]:
        dimension, number, name = line.split(maxsplit=2)
        names[int(dimension), int(number)] = name.strip('"')
    at, _ = section(head, b"Entities")
    counts = [int(v) for v in np.frombuffer(head, np.uint64, 4, at)]
    at += 32
    found = {}
    for dimension, count in enumerate(counts[:3]):
        for _ in range(count):
            entity = int(np.frombuffer(head, np.int32, 1, at)[0])
            at += 4 + (24 if dimension == 0 else 48)
            n = int(np.frombuffer(head, np.uint64, 1, at)[0])
            physical = np.frombuffer(head, np.int32, n, at + 8)
            at += 8 + 4 * n
            if n and dimension == 2:
                found[entity] = names.get((2, int(physical[0])))
            if dimension:
                at += 8 + 4 * int(np.frombuffer(head, np.uint64, 1, at)[0])
    return found


def refine(points, parts, on_ball, radius):
    n = len(points)
    cut = {2: SIDES, 4: EDGES}
    pairs = np.concatenate([np.sort(e[:, cut[kind]].reshape(-1, 2), axis=1) for _, _, kind, e in parts])
    edges, inverse = np.unique(pairs[:, 0] * n + pairs[:, 1], return_inverse=True)
    middles = (points[edges // n] + points[edges % n]) / 2
    at, new = 0, []
    for dimension, entity, kind, e in parts:
        m = inverse[at : at + len(e) * len(cut[kind])].reshape(len(e), -1)
        at += m.size
        if kind == 2 and entity in on_ball:
            on = np.unique(m)
            middles[on] *= radius / np.linalg.norm(middles[on], axis=1)[:, None]
        corners = np.hstack([e, n + m])
        new.append((dimension, entity, kind, corners[:, TRIANGLES if kind == 2 else PIECES].reshape(-1, CORNERS[kind])))
    return np.concatenate([points, middles]), new


def write(path, head, points, parts):
    n = len(points)
    volume = next(entity for dimension, entity, _, _ in parts if dimension == 3)
    with open(path, "wb") as file:
        file.write(head + b"$Nodes\n")
        file.write(np.array([1, n, 1, n], np.uint64).tobytes())
        file.write(np.array([3, volume, 0], np.int32).tobytes() + np.array([n], np.uint64).tobytes())
        file.write(np.arange(1, n + 1, dtype=np.uint64).tobytes() + points.tobytes() + b"\n$EndNodes\n$Elements\n")
        total = sum(len(e) for _, _, _, e in parts)
        file.write(np.array([len(parts), total, 1, total], np.uint64).tobytes())
        tag = 1
        for dimension, entity, kind, e in parts:
            file.write(np.array([dimension, entity, kind], np.int32).tobytes() + np.array([len(e)], np.uint64).tobytes())
            file.write(np.column_stack([np.arange(tag, tag + len(e)), e + 1]).astype(np.uint64).tobytes())
            tag += len(e)
        file.write(b"\n$EndElements\n")


def main(words):
    group, radius = None, None
    if "--ball" in words:
        at = words.index("--ball")
        group, radius = words[at + 1], float(words[at + 2])
        del words[at : at + 3]
    if len(words) not in (2, 3):
        sys.exit(__doc__)
    head, points, parts = read(words[0])
    on_ball = {entity for entity, name in groups(head).items() if name == group} if group else set()
    if group and not on_ball:
        sys.exit(f"{words[0]}: no surface group {group}")
    for _ in range(int(words[2]) if len(words) == 3 else 1):
        points, parts = refine(points, parts, on_ball, radius)
    write(words[1], head, points, parts)
    print(f"{words[1]}: {sum(len(e) for d, _, _, e in parts if d == 3)} tetrahedra")


if __name__ == "__main__":
    main(sys.argv[1:])
