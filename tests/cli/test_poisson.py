"""Equations without time through the program: the given deck, errors, ranks, refusals."""

import math
import unittest

from kit import SOURCE, Case, read_json

BOX = """\
equation: poisson
order: 2
precision: fp64
mesh: {box: {cells: [3, 3, 3]}}
materials: {domain: {epsilon: 2}}
initial: {type: wave}
boundaries:
  xmin: {type: known}
  xmax: {type: known-flux}
  ymin: {type: known}
  ymax: {type: known}
  zmin: {type: known-flux}
  zmax: {type: known}
monitors:
  probes: {points: {here: [0.3, 0.4, 0.6]}}
"""

CAPACITOR = f"""\
equation: poisson
order: 3
precision: fp64
mesh: {{file: {SOURCE}/meshes/capacitor.msh}}
materials: {{shell: {{epsilon: 1}}}}
boundaries:
  inner: {{type: dirichlet, value: 1}}
  outer: {{type: dirichlet, value: 0}}
solver: {{tolerance: 1e-11}}
output: {{snapshots: 0}}
"""


class Poisson(Case):
    def run_box(self, *words, **options):
        self.write("box.yaml", BOX)
        self.succeed("run", "box.yaml", "--device", "host", *words, **options)
        return read_json(self.folder / "box-results/report.json")

    def test_known_solution(self):
        one = self.run_box()
        self.assertEqual(one["solve"]["reason"], "converged")
        self.assertLessEqual(one["solve"]["iterations"], 25)
        self.assertLessEqual(one["solve"]["residual"], 1.02e-8)
        self.assertEqual(one["dofs"], 27 * 6 * 10)
        self.assertLess(one["l2_error"]["potential"], 5e-3)  # measured 2e-3
        for name in ("fields.hdf.series", "fields_000000.hdf", "probes.h5", "energy.h5"):
            self.assertTrue((self.folder / "box-results" / name).exists(), name)
        three = self.run_box(ranks=3)
        self.assertLessEqual(abs(three["solve"]["iterations"] - one["solve"]["iterations"]), 2)
        for name in ("potential", "Ex", "Ey", "Ez"):  # to where the solve stops
            self.assertAlmostEqual(three["l2_error"][name], one["l2_error"][name], delta=1e-7)
        self.assertAlmostEqual(three["energy"]["final"], one["energy"]["final"], delta=1e-6)

    def test_one_tetrahedron(self):
        """Its block is all of the matrix: the estimate of the largest eigenvalue ends at once, and
        the empty slots beside it do not take part."""
        nodes = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
        faces = ((1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4))
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '2 1 "wall"',
                 '3 2 "air"', "$EndPhysicalNames", "$Nodes", "4"]
        lines += [f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(nodes)]
        lines += ["$EndNodes", "$Elements", "5"]
        lines += [f"{i + 1} 2 2 1 1 {a} {b} {c}" for i, (a, b, c) in enumerate(faces)]
        self.write("one.msh", "\n".join([*lines, "5 4 2 2 1 1 2 3 4", "$EndElements", ""]))
        self.write("one.yaml", "equation: poisson\norder: 2\nmesh: {file: one.msh}\n"
                               "materials: {air: {epsilon: 1, charge: 1}}\n"
                               "boundaries: {wall: {type: dirichlet, value: 0}}\n")
        for precision, scale in (("fp64", 1), ("fp64", 0.5), ("fp64", 1e-6), ("fp32", 2)):
            self.succeed("run", "one.yaml", "--device", "host", "--quiet", "--set",
                         f"mesh.scale={scale}", "--set", f"precision={precision}")
            report = read_json(self.folder / "one-results/report.json")
            self.assertEqual(report["solve"]["reason"], "converged", (precision, scale))

    def test_errors_are_against_the_solution_itself(self):
        """sin(2 pi x) ... is zero at all nodes of this box: the solve finds zero, and all of the
        solution is the error; an interpolant of it would hide that."""
        words = [word for setting in ("order=1", "mesh.box.cells=[2,2,2]", "initial.type=sine",
                                      "initial.waves=[2,2,2]", "boundaries.xmax.type=known",
                                      "boundaries.zmin.type=known")
                 for word in ("--set", setting)]
        report = self.run_box(*words)
        self.assertLess(report["linf_error"]["potential"], 1e-12)  # at the nodes: rounding
        self.assertAlmostEqual(report["l2_error_relative"], 1.0, delta=1e-12)
        groups = report["l2_error_relative_groups"]
        self.assertAlmostEqual(groups["potential"], 1.0, delta=1e-12)
        self.assertAlmostEqual(groups["E"], 1.0, delta=1e-12)
        # sqrt(1/8), by points exact to degree 4 in elements of half a wave: within 10 %
        self.assertAlmostEqual(report["l2_error"]["potential"], 0.3536, delta=0.035)

    def test_potential_and_its_gradient_apart(self):
        report = self.run_box()
        groups = report["l2_error_relative_groups"]
        self.assertEqual(set(groups), {"potential", "E"})
        self.assertEqual(report["l2_error_relative"], groups["potential"])
        self.assertGreater(groups["E"], 3.0 * groups["potential"])  # an order worse; measured 9

    def test_two_spheres(self):
        """The charge is the capacitance, 8.4261 in the exact series; flat triangles take some."""
        self.succeed("run", SOURCE / "input/poisson.yaml", "--device", "host", "--set", "order=2",
                     "--set", "output.snapshots=0", "--output", "o")
        flux = read_json(self.folder / "o/report.json")["surface_flux"]
        self.assertAlmostEqual(flux["upper"], 8.4261, delta=0.02 * 8.4261)
        self.assertAlmostEqual(flux["lower"], -flux["upper"], delta=5e-3)
        self.assertAlmostEqual(sum(flux.values()), 0.0, delta=1e-5)

    def test_spherical_capacitor(self):
        """Curved elements: the charge is 8 pi, on any number of ranks the same. With flat triangles
        it is 6.8 % less on this mesh, at any order."""
        deck = self.write("shell.yaml", CAPACITOR)
        found = []
        for ranks in (0, 4):
            out = self.succeed("run", deck, "--device", "host", ranks=ranks).out
            report = read_json(self.folder / "shell-results/report.json")
            self.assertEqual(report["solve"]["reason"], "converged")
            self.assertLessEqual(report["solve"]["iterations"], 45)  # measured 36
            found.append((report["surface_flux"]["inner"], 2.0 * report["energy"]["final"]))
            self.assertRegex(out, r"curved +\d+ tetrahedra of second order")
        charge, energy = found[0]
        self.assertAlmostEqual(charge, 8.0 * math.pi, delta=0.002 * 8.0 * math.pi)  # 0.10 %
        self.assertAlmostEqual(energy, charge, delta=0.002 * charge)  # of one volt; 0.05 %
        for mine, first in zip(found[1], found[0]):
            self.assertAlmostEqual(mine, first, delta=1e-8)  # the solve's tolerance is 1e-11

    def test_check(self):
        text = self.succeed("check", self.write("box.yaml", BOX), "--device", "host").out
        self.assertIn("1620, and 64 vertices on the continuous level", text)
        self.assertNotIn("steps of dt", text)

    def test_refusals(self):
        deck = self.write("box.yaml", BOX)
        host = ("--device", "host")
        self.refuse(1, ["has no time; remove 'time'"], "run", deck, *host, "--set", "time.end=1")
        self.refuse(1, ["box.yaml:2", "solved at orders 1 to 8"], "check",
                    self.write("box.yaml", BOX.replace("order: 2", "order: 9")), *host)
        deck = self.write("box.yaml", BOX)
        self.refuse(1, ["known solution"], "run", deck, *host, "--set", "initial.type=zero")
        self.refuse(1, ["nothing to tune"], "tune", deck, *host)
        self.refuse(4, ["no solution after 2 iterations", "were not enough"], "run", deck, *host,
                    "--quiet", "--set", "solver.iterations=2", ranks=(0, 2))
        left = read_json(self.folder / "box-results/report.json")
        self.assertEqual((left["exit_code"], left["solve"]["reason"]), (4, "iteration limit"))
        self.assertEqual((left["surface_flux"], left["energy"]["final"]), ({}, None))

    def test_fails_before_it_iterates(self):
        """Such numbers overflow in the estimate of eigenvalues: the report tells of no solution."""
        deck = self.write("box.yaml", BOX.replace("epsilon: 2", "epsilon: 1e200"))
        self.refuse(4, ["largest eigenvalue", "not-a-number"], "run", deck, "--device", "host",
                    "--quiet", ranks=(0,))
        left = read_json(self.folder / "box-results/report.json")
        self.assertEqual((left["exit_code"], left["solve"]["reason"]), (4, None))
        self.assertIsNone(left["solve"]["residual"])
        self.assertIsNone(left["dofs_per_second"])
        self.assertGreater(left["wall_seconds"]["total"], 0.0)

    def test_wishes_that_would_do_nothing(self):
        deck = self.write("box.yaml", BOX)
        for setting, part in (("output.checkpoint.steps=1", "has no time; remove 'output.checkpoint'"),
                              ("monitors.spectra={a: {points: {p: [0, 0, 0]}}}", "has no time; remove 'monitors.spectra'"),
                              ("kernels.variant=fused", "remove 'kernels.variant'"),
                              ("kernels.item_nodes=4", "remove 'kernels.item_nodes'")):
            self.refuse(1, [f"--set {setting}", part], "check", deck, "--set", setting, ranks=(0,))
        self.succeed("check", deck, "--set", "kernels.variant=auto")  # as a resolved deck has it


if __name__ == "__main__":
    unittest.main()
