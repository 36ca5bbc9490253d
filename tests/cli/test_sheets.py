"""Surfaces inside the mesh that have a condition: a conductor without thickness."""

import math
import unittest

from kit import DECK, PLATES, TRIANGLE, Case, Cube, read_json

try:
    import h5py
except ImportError:
    h5py = None

PLATE = 8  # tag of the sheet; Cube has 1 to 7
# Its ball reaches through the plate, which hides what is behind.
DIPOLE = DECK.replace("initial: {type: cavity-mode}\n", """\
sources:
  - {type: dipole, position: [0.45, 0.4, 0.6], direction: [1, 2, 3], signal: {type: ricker, frequency: 1}}
""").replace("steps: 20", "steps: 60").replace("box: {cells: [2, 2, 2]}", "file: mesh.msh") + "device: host\n"
BEHIND = "monitors.probes.points={inside: [0.3, 0.4, 0.2], behind: [0.6, 0.5, 0.5]}"
SIDES = "{}, on both sides of 32 faces inside the mesh"
WALL = "boundaries.plate={type: pec}"


def dent(x, y, z):
    """Bends the lower half of the plate, and what touches it, towards x = 0."""
    depth = 0.04 * math.sin(math.pi * y) * max(0.0, math.sin(2.0 * math.pi * z))
    return x - depth * max(0.0, 1.0 - 4.0 * abs(x - 0.5)), y, z


class Sheets(Case):
    def mesh(self, half=False, upper=1.0, move=None):
        """The cube with the surface group 'plate' at x = 0.5, y < `upper`, or its half x < 0.5."""
        cube = Cube(4)
        at = [node[0] for node in cube.nodes]
        if half:
            cube.tetrahedra = [t for t in cube.tetrahedra if all(at[n] <= 0.5 for n in t)]
            cube.triangles = [t for t in cube.triangles if all(at[n] <= 0.5 for n in t[1])]
        found = set()
        for corners in cube.tetrahedra:
            face = tuple(sorted(n for n in corners if at[n] == 0.5))
            if len(face) == 3 and all(cube.nodes[n][1] <= upper for n in face):
                found.add(face)
        text = cube.text(extra=[(TRIANGLE, PLATE, face) for face in sorted(found)], move=move)
        text = text.replace('$PhysicalNames\n7\n', f'$PhysicalNames\n8\n2 {PLATE} "plate"\n')
        self.write("mesh.msh", text)
        return len(found)

    def probes(self, output, *words, ranks=0):
        self.succeed("run", self.deck, "--quiet", "--output", output, *words, ranks=ranks)
        with h5py.File(self.folder / output / "probes.h5") as file:
            return {name: probe["E"][()] for name, probe in file["probes"].items()}

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_a_wall_of_no_thickness(self):
        """On its side the field is that of half the mesh, to rounding; behind it nothing is."""
        self.deck = self.write("deck.yaml", DIPOLE)
        faces = self.mesh()
        self.assertEqual(faces, 32)
        text = self.succeed("check", self.deck, "--set", WALL).out
        self.assertIn("32 faces: pec, on both sides of 32 inside the mesh", text)
        parted = [self.probes(f"parted-{ranks}", "--set", WALL, "--set", BEHIND, ranks=ranks)
                  for ranks in (0, 2, 3)]
        free = self.probes("free", "--set", BEHIND)
        self.mesh(upper=0.5)
        iris = self.probes("iris", "--set", WALL, "--set", BEHIND)
        self.mesh(half=True)
        self.write("deck.yaml", DIPOLE.replace("  xmax: {type: pec}\n", ""))
        half = self.probes("half", "--set", WALL)["inside"]
        largest = abs(half).max()
        self.assertGreater(largest, 0.0)
        for fields in parted:  # 60 steps of fp64, sums in another order
            self.assertLess(abs(fields["inside"] - half).max(), 1e-12 * largest)
            self.assertEqual(abs(fields["behind"]).max(), 0.0)
        self.assertGreater(abs(free["inside"] - half).max(), 1e-3 * largest)
        for fields in (iris, free):  # the field comes through, and around the edge otherwise
            self.assertGreater(abs(fields["behind"]).max(), 1e-3 * largest)
        self.assertGreater(abs(iris["behind"] - free["behind"]).max(), 1e-3 * largest)

    def compare(self, parted, half):
        """On one side the field of half the mesh, after 20 steps of fp64 to rounding; behind, nothing."""
        largest = abs(half["inside"]).max()
        self.assertGreater(largest, 0.0)
        self.assertLess(abs(parted["inside"] - half["inside"]).max(), 1e-12 * largest)
        self.assertEqual(abs(parted["behind"]).max(), 0.0)

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_a_bent_wall_on_two_devices(self):
        """A plate in part curved, in part straight."""
        short = DIPOLE.replace("steps: 60", "steps: 20")
        self.deck = self.write("deck.yaml", short)
        self.mesh(move=dent)
        self.assertRegex(self.succeed("check", self.deck, "--set", WALL).out, r"curved +\d+ tetra")
        parted = [self.probes("host", "--set", WALL, "--set", BEHIND)]
        if "opencl    none" not in self.succeed("devices").out:
            parted += [self.probes("opencl", "--set", WALL, "--set", BEHIND, "--device", "opencl")]
        self.mesh(half=True, move=dent)
        self.write("deck.yaml", short.replace("  xmax: {type: pec}\n", ""))
        half = self.probes("half", "--set", WALL)
        for fields in parted:
            self.compare(fields, half)

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_a_wall_that_goes_on_through_a_periodic_side(self):
        periodic = DIPOLE.replace("steps: 60", "steps: 20").replace(
            "  ymin: {type: pec}\n  ymax: {type: pec}\n", "  ymin: {type: periodic, partner: ymax}\n")
        self.deck = self.write("deck.yaml", periodic)
        self.mesh()
        parted = self.probes("parted", "--set", WALL, "--set", BEHIND, ranks=2)
        self.mesh(half=True)
        self.write("deck.yaml", periodic.replace("  xmax: {type: pec}\n", ""))
        self.compare(parted, self.probes("half", "--set", WALL))

    def test_restart(self):
        """A condition inside the mesh may be taken away for the rest of a run, which is said."""
        self.mesh()
        deck = self.write("deck.yaml", DIPOLE.replace("steps: 60", "steps: 4"))
        run = ("run", deck, "--device", "host")
        text = self.succeed(*run, "--set", WALL, "--set", "output.checkpoint.steps=4").out
        self.assertEqual(text.count("plate              " + SIDES.format("pec")), 1, text)
        text = self.succeed(*run, "--restart", "auto", "--set", "time.steps=6").out
        self.assertNotIn("on both sides", text)
        self.assertRegex(text, r"note +boundaries: '.*plate: pec \(32 faces inside\)' before, ")

    def test_a_plate_between_two(self):
        """Held at 1 V between 0 V at 0.5 m on either side: linear, so exact. The charge is that of
        two condensers, epsilon / 0.5 each."""
        self.mesh()
        deck = PLATES.replace("{box: {cells: [2, 2, 2]}}", "{file: mesh.msh}").replace(
            "xmax: {type: dirichlet, value: 1}",
            "xmax: {type: dirichlet, value: 0}\n  plate: {type: dirichlet, value: 1}")
        deck = self.write("deck.yaml", deck)
        for ranks in (0, 2):
            text = self.succeed("run", deck, "--device", "host", "--output", f"o{ranks}",
                                ranks=ranks).out
            self.assertEqual(text.count(SIDES.format("dirichlet")), 1, text)
            report = read_json(self.folder / f"o{ranks}/report.json")
            self.assertAlmostEqual(report["energy"]["final"], 4.0, delta=1e-6)
            self.assertAlmostEqual(report["surface_flux"]["plate"], 8.0, delta=1e-5)

    def test_a_part_that_nothing_fixes(self):
        """Cut off by an insulating plate, x > 0.5 needs a potential of its own; around the edge of
        a half plate, or with nothing fixed in a cube of one part, it does not."""
        self.mesh()
        deck = PLATES.replace("{box: {cells: [2, 2, 2]}}", "{file: mesh.msh}").replace(
            "xmax: {type: dirichlet, value: 1}", "xmax: {type: neumann}\n  plate: {type: neumann}")
        deck = self.write("deck.yaml", deck)
        words = (deck, "--device", "host", "--quiet", "--output", "output")
        held = ("--set", "boundaries.xmax={type: dirichlet, value: 1}")
        loose = ("--set", "boundaries.xmin={type: neumann}")
        # Cube numbers its cells layer by layer along x, from the corner at 0; the centre of a
        # cell's first tetrahedron is 3/4, 2/4, 1/4 of a cell off the cell's corner.
        message = ["no condition fixes the solution in a part of the mesh, around "
                   "(0.6875, 0.125, 0.0625)"]
        self.refuse(1, message, "run", *words, ranks=(0, 2, 3))
        self.refuse(1, message, "check", deck, ranks=(0,))
        self.refuse(1, ["around (0.1875, 0.125, 0.0625)"], "run", *words, *held, *loose, ranks=(2,))
        self.refuse(1, ["around (0.1875, 0.125, 0.0625)"], "run", *words, *loose, ranks=(2,))
        for ranks in (0, 3):
            self.succeed("run", *words, *held, ranks=ranks)
            report = read_json(self.folder / "output/report.json")
            # 0 V and 1 V, each all over its part: the energy is the error squared, of 1e-8.
            self.assertAlmostEqual(report["energy"]["final"], 0.0, delta=1e-12)
        self.mesh(upper=0.5)
        # Three ranks in a row, by the elements' numbers: the third has xmin's news by the second.
        self.succeed("run", *words, "--set", "mesh.partitioner=simple", ranks=3)
        self.succeed("run", *words, *loose, ranks=2)


if __name__ == "__main__":
    unittest.main()
