"""Runs the real program and shows what its user sees: exit code, output, messages, files.

Only Python's standard library. CTest sets SEDGE_PROGRAM, SEDGE_SOURCE_DIR, SEDGE_TEST_DIR and
SEDGE_MPIEXEC; everything is written below SEDGE_TEST_DIR, or below SEDGE_TEST_SCRATCH where it is set (sedge.sh).
"""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["SEDGE_PROGRAM"]
SOURCE = pathlib.Path(os.environ["SEDGE_SOURCE_DIR"])
FOLDER = pathlib.Path(os.environ["SEDGE_TEST_DIR"])
if "SEDGE_TEST_SCRATCH" in os.environ:
    FOLDER = pathlib.Path(os.environ["SEDGE_TEST_SCRATCH"], *FOLDER.parts[-2:])
    FOLDER.mkdir(parents=True, exist_ok=True)
MPIEXEC = os.environ["SEDGE_MPIEXEC"]
DEVICE = os.environ.get("SEDGE_TEST_DEVICE", "host")
TIMEOUT = 900  # seconds, for a program that hangs; on a machine with other work, too

def sides(kind):
    """The section `boundaries` of a box, the same condition on all sides."""
    names = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
    return "boundaries:\n" + "".join(f"  {name}: {{type: {kind}}}\n" for name in names)


# A box that all ranks of these tests can share: 48 elements, a known solution.
DECK = """\
equation: maxwell
order: 2
precision: fp64
mesh:
  box: {cells: [2, 2, 2]}
time:
  steps: 20
materials:
  domain: {epsilon: 1}
""" + sides("pec") + """\
initial: {type: cavity-mode}
monitors:
  energy: {every: 10}
  probes: {every: 3, points: {inside: [0.3, 0.4, 0.2]}}
output: {snapshots: 2}
"""

# An equation without time, on as many elements.
PLATES = """\
equation: poisson
order: 1
precision: fp64
mesh: {box: {cells: [2, 2, 2]}}
materials: {domain: {epsilon: 2}}
boundaries:
  xmin: {type: dirichlet, value: 0}
  xmax: {type: dirichlet, value: 1}
  ymin: {type: neumann}
  ymax: {type: neumann}
  zmin: {type: neumann}
  zmax: {type: neumann}
"""


def others_come(path):
    """Not where a folder on the way lets this user alone through: there nothing is refused for
    others' sake."""
    for folder in (path, *path.parents):
        about = folder.stat()
        if about.st_uid == os.geteuid() and about.st_mode & 0o033 == 0:
            return False
    return True


class Result:
    """What one run left: `messages` are the lines on stderr that are not mpirun's own."""

    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err
        self.messages = []
        inside = False
        for line in err.splitlines():
            if line.startswith("-" * 40):  # mpirun puts its notices between such lines
                inside = not inside
            elif not inside and line.strip():
                self.messages.append(line)

    def __str__(self):
        return f"{' '.join(self.words)}\nexit {self.code}\n{self.out}\n{self.err}"


def run(*words, ranks=0, environment=None, folder=None):
    """`sedge WORDS...`, under mpirun if `ranks` > 0, started in `folder`."""
    command = [PROGRAM, *map(str, words)]
    # Open MPI starts a daemon beside a process without mpirun, which takes a fifth of a short run's
    # time. Those without one use the same names of files: each in a folder of its own.
    with tempfile.TemporaryDirectory(prefix="sedge-mpi-") as session:
        alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": session}
        if ranks > 0:
            command = [MPIEXEC, "-n", str(ranks), "--oversubscribe", *command]
            alone = {}
        settings = {**os.environ, **alone, **(environment or {})}
        settings = {name: value for name, value in settings.items() if value is not None}
        done = subprocess.run(command, cwd=folder or FOLDER, env=settings, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    return Result(command, done.returncode, done.stdout.decode(errors="replace"),
                  done.stderr.decode(errors="replace"))


def line_of(text, part):
    """The number, from 1, of the line in which `part` begins."""
    return text[: text.index(part)].count("\n") + 1


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


class Case(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        script = pathlib.Path(sys.argv[0]).stem
        self.folder = FOLDER / "-".join([script, *self.id().split(".")[-2:]])
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def sedge(self, *words, **options):
        return run(*words, folder=self.folder, **options)

    def succeed(self, *words, **options):
        result = self.sedge(*words, **options)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.messages, [], result)
        return result

    def refuse(self, code, parts, *words, ranks=(0, 2), **options):
        """Exactly one message, with all `parts` in it, and this exit code."""
        for count in ranks:
            with self.subTest(words=words[:3], ranks=count):
                result = self.sedge(*words, ranks=count, **options)
                self.assertEqual(result.code, code, result)
                self.assertEqual(len(result.messages), 1, result)
                self.assertTrue(result.messages[0].startswith("sedge: "), result)
                for part in parts:
                    self.assertIn(part, result.messages[0])


# ---- meshes as Gmsh writes them ------------------------------------------------------------------

TRIANGLE, TETRAHEDRON, HEXAHEDRON = 2, 4, 5
SECOND_ORDER = {TRIANGLE: 9, TETRAHEDRON: 11}
EDGES = {TRIANGLE: ((0, 1), (1, 2), (0, 2)),
         TETRAHEDRON: ((0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3))}


class Cube:
    """The unit cube, each of cells^3 cubes cut into six tetrahedra along its diagonal."""

    def __init__(self, cells):
        self.nodes = [[i / cells, j / cells, k / cells]
                      for k in range(cells + 1) for j in range(cells + 1) for i in range(cells + 1)]
        self.tetrahedra = []
        strides = (1, cells + 1, (cells + 1) ** 2)
        for i, j, k in itertools.product(range(cells), repeat=3):
            first = i * strides[0] + j * strides[1] + k * strides[2]
            for a, b, c in itertools.permutations(strides):
                corners = [first, first + a, first + a + b, first + a + b + c]
                odd = (a, b, c) not in ((strides[0], strides[1], strides[2]),
                                        (strides[1], strides[2], strides[0]),
                                        (strides[2], strides[0], strides[1]))
                if odd:  # keep all volumes positive
                    corners[2], corners[3] = corners[3], corners[2]
                self.tetrahedra.append(corners)
        self.triangles = [(group, face) for group, face in self.sides()]

    def sides(self):
        names = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
        for corners in self.tetrahedra:
            for face in itertools.combinations(corners, 3):
                for axis, end in itertools.product(range(3), (0, 1)):
                    if all(self.nodes[n][axis] == end for n in face):
                        yield names[2 * axis + end], face

    def bend(self, elements, move):
        """The elements with nodes on their edges, after which all nodes are moved."""
        middles = {}
        bent = []
        for kind, group, corners in elements:
            edges = [tuple(sorted((corners[a], corners[b]))) for a, b in EDGES[kind]]
            for a, b in edges:
                if (a, b) not in middles:
                    middles[a, b] = len(self.nodes)
                    self.nodes.append([(p + q) / 2 for p, q in zip(self.nodes[a], self.nodes[b])])
            bent.append((SECOND_ORDER[kind], group, (*corners, *(middles[edge] for edge in edges))))
        self.nodes = [move(*node) for node in self.nodes]
        return bent

    def text(self, tetrahedra=True, extra=(), move=None):
        """The cube in format 2.2; `extra` are further elements (type, group tag, corners). With
        `move`, of second order, their nodes moved by it."""
        names = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
        elements = [(TRIANGLE, names.index(group) + 1, face) for group, face in self.triangles]
        if tetrahedra:
            elements += [(TETRAHEDRON, 7, corners) for corners in self.tetrahedra]
        elements += extra
        if move is not None:
            elements = self.bend(elements, move)
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "7"]
        lines += [f'2 {i + 1} "{name}"' for i, name in enumerate(names)] + ['3 7 "domain"']
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.nodes))]
        lines += [f"{i + 1} {x:.17g} {y:.17g} {z:.17g}" for i, (x, y, z) in enumerate(self.nodes)]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        for i, (kind, group, corners) in enumerate(elements):
            lines.append(" ".join(map(str, [i + 1, kind, 2, group, group,
                                            *(n + 1 for n in corners)])))
        return "\n".join(lines + ["$EndElements", ""])
