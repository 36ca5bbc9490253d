"""A Debye medium (polar_term.c, polar.yaml) in whole runs, against exact solutions.

A box or a ball with conducting walls keeps the shape of its modes, whatever the medium that fills it: all
fields of a mode of wave number k are E = e(t) E(0), P = p(t) E(0), H ~ g(t), and

    epsilon e' + p' = -(k^2 / mu) g,   p' = (eps_delta e - p) / tau,   g' = e.

Solutions exp(lambda t) have eps(omega) omega^2 = k^2 / mu with lambda = -i omega and the permittivity
eps(omega) = epsilon + eps_delta / (1 - i omega tau): three roots.
"""

import math
import os
import pathlib
import sys
import unittest

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from kit import Case  # noqa: E402

HERE = pathlib.Path(__file__).parent
DEVICE = os.environ.get("SEDGE_TEST_DEVICE", "host")


def solve(times, k2, epsilon, mu, eps_delta, tau):
    """e(t) of what starts with e = 1, p = 0, g = 0, from the roots."""
    roots = numpy.roots([mu * epsilon * tau, mu * (epsilon + eps_delta), k2 * tau, k2])
    of = numpy.array([numpy.ones(3), eps_delta / (1 + roots * tau), 1 / roots])
    weights = numpy.linalg.solve(of, [1, 0, 0])
    return (weights * numpy.exp(numpy.outer(times, roots))).sum(axis=1).real


class Debye(Case):
    def probe(self, folder, *settings, ranks=0, words=()):
        """Times, and E at the probe p."""
        set_words = [word for setting in settings for word in ("--set", setting)]
        self.succeed("run", HERE / "polar.yaml", "--quiet", "--device", DEVICE, "--tune=off",
                     *set_words, *words, "--output", folder, ranks=ranks)
        with h5py.File(self.folder / folder / "probes.h5") as file:
            return file["time"][()], file["probes/p/E"][()]

    def test_filled(self):
        """Two cells of order 4 resolve the mode to 0.15 %; runs differ by rounding alone."""
        runs = [("fp64", 0, "auto"), ("fp64", 2, "fused"), ("fp64", 4, "bernstein"),
                ("fp32", 0, "bernstein"), ("fp32", 2, "fused")]
        if DEVICE == "opencl":
            runs = runs[-1:]  # compiling takes seconds
        whole = None
        for precision, ranks, variant in runs:
            with self.subTest(precision=precision, ranks=ranks, variant=variant):
                times, field = self.probe(f"{precision}-{ranks}-{variant}",
                                          f"precision={precision}", f"kernels.variant={variant}",
                                          ranks=ranks)
                exact = solve(times, 3 * math.pi ** 2, 2.0, 1.5, 3.0, 0.15)
                self.assertLess(abs(field - numpy.outer(exact, field[0])).max(),
                                0.003 * abs(field[0]).max())
                whole = field if whole is None else whole
                self.assertLess(abs(field - whole).max(), {"fp64": 1e-12, "fp32": 2e-5}[precision])

    @unittest.skipIf(DEVICE == "opencl", "compiling takes seconds")
    def test_curved(self):
        """A ball of curved elements; in its centre E of the lowest mode is along z."""
        times, field = self.probe("ball", f"mesh={{file: {HERE.parents[1]}/meshes/ball.msh}}",
                                  "order=3", "time.end=2", "boundaries={wall: {type: pec}}",
                                  "materials={inside: {polar: {eps_delta: 1.5, tau: 0.4}}}",
                                  "initial={type: ball-mode, compare: false}",
                                  "monitors.probes.points={p: [0, 0, 0]}", ranks=2)
        exact = solve(times, 2.743707269992265 ** 2, 1.0, 1.0, 1.5, 0.4)
        self.assertLess(abs(field[:, 2] - exact).max(), 0.005)

    @unittest.skipIf(DEVICE == "opencl", "compiling takes seconds")
    def test_energy_returns(self):
        """The polarisation has six sevenths of the energy when E is largest. It gives them back
        after the source has ended, and the run must not take that for a blow-up."""
        source = ("sources=[{type: dipole, position: [0.5, 0.45, 0.55], direction: [0, 0, 1], "
                  "signal: {type: ricker, frequency: 0.8}}]")
        self.probe("returns", source, "initial={type: zero}", "order=2", "time.end=5",
                   "materials.domain={polar: {eps_delta: 6, tau: 0.005}}", "monitors.energy.every=1")
        with h5py.File(self.folder / "returns" / "energy.h5") as file:
            energy = file["energy"][()][file["time"][()] > 4.51]  # the signal is 1e-15 then
        self.assertGreater(energy.max(), 1.2 * energy[0])

    def test_check(self):
        """2 x 3 values of 8 bytes at 35 nodes of 24 elements."""
        half = ("mesh.box.split={axis: x, at: 0.5, names: [water, air]}",
                "materials={water: {polar: {eps_delta: 3, tau: 0.15}}, air: {}}")
        words = [word for setting in half for word in ("--set", setting)]
        done = self.succeed("check", HERE / "polar.yaml", "--device", "host", *words)
        self.assertIn("24 elements: given, polar (memory: 0.04 MiB on the device)", done.out)
        self.assertRegex(done.out, "air +24 elements: given\n")

    def test_refused(self):
        wave = ("sources=[{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                "signal: {type: gaussian, amplitude: 1, width: 0.3}}]")
        for settings, message in (
                (("initial.compare=true",), "exact solution only without terms"),
                (("materials.domain.polar.tau=0",), "polar.tau 0 must be greater than 0"),
                (("materials.domain.polar.eps_delta=1e308",),
                 "the term 'polar' of volume group 'domain' gives the rate inf,"),
                (("materials.domain.pola={}",), "did you mean 'polar'?"),
                ((wave, "initial={}"), "a plane-wave source goes with no term of a material")):
            with self.subTest(settings=settings):
                words = [word for setting in settings for word in ("--set", setting)]
                done = self.sedge("check", HERE / "polar.yaml", *words, "--set", "order=1")
                self.assertEqual(done.code, 1)
                self.assertIn(message, done.messages[0])


@unittest.skipIf(DEVICE != "host", "files are the same from all devices")
class Checkpoints(Case):
    """The memory of the term is in checkpoints, on the elements of one half of a box."""

    SETTINGS = ("order=2", "output={snapshots: 0, checkpoint: {steps: 6, keep: 3}}",
                "mesh.box.split={axis: x, at: 0.5, names: [water, air]}",
                "materials={water: {polar: {eps_delta: 3, tau: 0.15}}, air: {}}")

    def go(self, folder, steps, *words, variant="bernstein", settings=(), ranks=0):
        set_words = [word for setting in (*self.SETTINGS, f"kernels.variant={variant}",
                                          f"time={{steps: {steps}}}", *settings)
                     for word in ("--set", setting)]
        return self.sedge("run", HERE / "polar.yaml", "--quiet", "--device", "host", "--tune=off",
                          *set_words, *words, "--output", folder, ranks=ranks)

    def succeeds(self, *words, **more):
        done = self.go(*words, **more)
        self.assertEqual(done.code, 0, done)

    def state(self, folder, step):
        """Fields and memory by element, of a checkpoint."""
        with h5py.File(self.folder / folder / f"checkpoint-{step}.h5") as file:
            whole = file["fields"][()][file["elements"][()].argsort()]
            memory = file["blocks/polar"]
            order = memory["elements"][()].argsort()
            self.assertEqual(len(order), 24)
            return whole, memory["values"][()][order], memory["elements"][()][order]

    def check_same(self, left, right, tolerance):
        for a, b in zip(self.state(left, 18), self.state(right, 18)):
            self.assertEqual(a.shape, b.shape)
            if tolerance == 0:
                self.assertEqual(a.tobytes(), b.tobytes())
            self.assertLessEqual(abs(a - b).max(), tolerance)

    def test_continued(self):
        """1e-13: what 12 steps make of the last bit of fields of size one."""
        self.succeeds("whole", 18)
        fields, memory, _ = self.state("whole", 6)
        self.assertEqual((memory.shape, memory.dtype), ((24, 3, 10), numpy.float64))
        self.assertGreater(abs(memory).max(), 0.1 * abs(fields).max())  # leaving it out shows
        start = self.folder / "whole/checkpoint-6.h5"
        self.succeeds("again", 18, "--restart", start)
        self.check_same("whole", "again", 0)
        self.succeeds("two", 18, ranks=2)
        self.succeeds("two-again", 18, "--restart", self.folder / "two/checkpoint-6.h5", ranks=2)
        self.check_same("two", "two-again", 0)
        self.succeeds("parts", 6)
        self.succeeds("parts", 12, "--restart", "auto", ranks=2)
        self.succeeds("parts", 18, "--restart", "auto", ranks=4)
        self.check_same("whole", "parts", 1e-13)
        self.succeeds("nodal", 18, variant="fused")
        self.succeeds("converted", 18, "--restart", start, variant="fused")
        self.check_same("nodal", "converted", 1e-13)
        self.succeeds("narrow", 18, "--restart", start, settings=("precision=fp32",))
        self.assertEqual(self.state("narrow", 18)[1].dtype, numpy.float32)
        self.check_same("whole", "narrow", 1e-5)

    def test_refused(self):
        self.succeeds("whole", 6)
        path = self.folder / "whole/checkpoint-6.h5"
        other = ("materials={water: {polar: {eps_delta: 2, tau: 0.15}}, air: {}}",)
        done = self.go("other", 12, "--restart", path, settings=other)
        self.assertEqual(done.code, 1)
        self.assertIn("does not fit the deck: materials is", done.messages[0])
        with h5py.File(path) as file:
            place = file["blocks/polar/values"].id.get_offset() + 100
        data = bytearray(path.read_bytes())
        data[place] ^= 16
        path.write_bytes(data)
        for ranks in (0, 2):
            done = self.go("damaged", 12, "--restart", path, ranks=ranks)
            self.assertEqual(done.code, 2)
            self.assertRegex(done.messages[0], "is damaged: element [0-9]+ does not have its checksum")


if __name__ == "__main__":
    unittest.main()
