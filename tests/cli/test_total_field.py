"""Plane waves that enter a mesh through a closed surface: total fields inside, scattered fields outside.

In an empty box nothing scatters: inside the field is the wave, outside it is zero, both as well as the
mesh resolves the wave. At order 3 and six cells a wavelength of the carrier the error at the point inside
is 1.1e-2 of the peak, outside 8e-4; at order 5 it is 2.5e-4 and 3.5e-6. The bounds are a fourth above.
"""

import math
import pathlib
import re
import sys
import unittest

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from kit import DEVICE, SOURCE, Case, sides  # noqa: E402

DECK = """\
equation: maxwell
order: 3
precision: fp64
mesh:
  box: {min: [-1, -1, -1], max: [1, 1, 1], cells: [6, 6, 6]}
  surfaces:
    around: {box: {min: [-0.7, -0.7, -0.7], max: [0.7, 0.7, 0.7]}}
time: {steps: 56, integrator: ndblsrk144}
materials: {domain: {}}
""" + sides("absorbing") + """\
  around: {type: total-field}
sources:
  - type: plane-wave
    direction: [1, 2, 2]
    polarisation: [0, 1, -1]
    origin: [-0.7, -0.7, -0.7]
    signal: {type: gaussian, frequency: 0.5, width: 0.6, delay: 2}
monitors:
  probes:
    points: {inside: [0.11, 0.12, 0.13], front: [-0.85, 0.1, 0.2], back: [0.1, 0.2, 0.86]}
output: {snapshots: 0}
"""


def signal(since, frequency=0.5, width=0.6, delay=2.0, phase=0.0):
    since = since - delay
    return numpy.exp(-(since / width) ** 2) * numpy.sin(
        2 * math.pi * frequency * since + math.radians(phase))


class TotalField(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.folder / "deck.yaml"
        self.deck.write_text(DECK)

    def words(self, settings):
        return [word for setting in settings for word in ("--set", setting)]

    def fields(self, folder, *settings, ranks=0, words=()):
        self.succeed("run", self.deck, "--quiet", "--device", DEVICE, "--tune=off",
                     *self.words(settings), *words, "--output", self.folder / folder, ranks=ranks)
        with h5py.File(self.folder / folder / "probes.h5") as file:
            return (file["time"][()], {name: numpy.hstack((probe["E"][()], probe["H"][()]))
                                       for name, probe in file["probes"].items()})

    def check_empty(self, fields, exact, inside, outside):
        peak = abs(exact).max()
        self.assertLess(abs(fields["inside"] - exact).max(), inside * peak)
        for name in ("front", "back"):
            self.assertLess(abs(fields[name]).max(), outside * peak)

    def wave(self, times, direction, polarisation, origin=(-0.7, -0.7, -0.7), phase=0.0):
        k = numpy.array(direction) / numpy.linalg.norm(direction)
        delay = k @ (numpy.array([0.11, 0.12, 0.13]) - origin)
        both = numpy.hstack((polarisation, numpy.cross(k, polarisation)))
        return signal(times - delay, phase=phase)[:, None] * both

    def test_oblique(self):
        """The same bits on any number of ranks."""
        times, whole = self.fields("one")
        self.check_empty(whole, self.wave(times, (1, 2, 2), (0, 1, -1)), 1.4e-2, 1e-3)
        _, parts = self.fields("four", ranks=4)
        for name, values in whole.items():
            self.assertEqual(values.tobytes(), parts[name].tobytes())

    def test_circular(self):
        """Two waves with perpendicular polarisations, a quarter of a period apart under one envelope."""
        wave = ("{type: plane-wave, direction: [0, 0, 1], polarisation: %s, origin: [0, 0, -0.7], "
                "signal: {type: gaussian, frequency: 0.5, width: 0.6, delay: 2, phase: %d}}")
        times, fields = self.fields("circular", "sources=[%s, %s]" % (
            wave % ("[1, 0, 0]", 0), wave % ("[0, 1, 0]", -90)))
        origin = (0, 0, -0.7)
        first = self.wave(times, (0, 0, 1), (1, 0, 0), origin)
        second = self.wave(times, (0, 0, 1), (0, 1, 0), origin, phase=-90)
        self.check_empty(fields, first + second, 1.4e-2, 1e-3)
        turn = fields["inside"][:, 0] * numpy.gradient(fields["inside"][:, 1])
        turn -= fields["inside"][:, 1] * numpy.gradient(fields["inside"][:, 0])
        self.assertGreater(turn.min(), -1e-3 * turn.max())  # from the first to the second, always

    def test_several(self):
        """Waves from three directions, each with its own signal."""
        wave = ("{type: plane-wave, direction: [%g, %g, %g], polarisation: [%g, %g, %g], origin: [%g, %g, %g], "
                "signal: {type: gaussian, frequency: 0.5, width: 0.6, delay: %g, phase: %g}}")
        waves = (((0, 0, 1), (1, 0, 0), (0, 0, -0.7), 2, 0), ((-1, 0, 0), (0, 1, 1), (0.7, 0, 0), 2.5, 40),
                 ((0, 3, 4), (0, -0.8, 0.6), (0, -0.7, -0.7), 1.8, 90))
        times, fields = self.fields("several", "sources=[%s]" % ", ".join(
            wave % (*k, *e, *origin, delay, phase) for k, e, origin, delay, phase in waves), "time={end: 5.5}")
        exact = {}
        for k, e, origin, delay, phase in waves:
            k = numpy.array(k) / numpy.linalg.norm(k)
            both = numpy.hstack((e, numpy.cross(k, e)))
            late = k @ (numpy.array([0.11, 0.12, 0.13]) - origin)
            exact[delay] = signal(times - late, delay=delay, phase=phase)[:, None] * both
        self.check_empty(fields, sum(exact.values()), 1.4e-2, 1e-3)

    def test_signals(self):
        """A Ricker pulse, and a continuous wave after its ramp of three periods."""
        direction = numpy.array([1, 2, 2]) / 3
        for text, exact, start in (
                ("type: ricker, frequency: 0.5, delay: 3.2",
                 lambda t: (1 - 2 * (math.pi * 0.5 * (t - 3.2)) ** 2) * numpy.exp(-(math.pi * 0.5 * (t - 3.2)) ** 2), 0),
                ("type: cw, frequency: 0.5, phase: 30", lambda t: numpy.sin(math.pi * t + math.pi / 6), 6)):
            times, fields = self.fields("signal", f"sources.0.signal={{{text}}}", "time={end: 9}")
            late = times - direction @ (numpy.array([0.11, 0.12, 0.13]) + 0.7)
            wave = exact(late)[:, None] * numpy.hstack(((0, 1, -1), numpy.cross(direction, (0, 1, -1))))
            known = late > start
            self.check_empty({**fields, "inside": fields["inside"][known]}, wave[known], 1.4e-2, 1e-3)

    def test_restart(self):
        """From a checkpoint while the wave is on its way through the surface, on other ranks."""
        keep = "output.checkpoint={steps: 25}"
        settings = ("order=2", "precision=fp32", keep)
        _, whole = self.fields("whole", *settings, "time={steps: 50, integrator: ndblsrk144}", ranks=2)
        self.fields("parts", *settings, "time={steps: 25, integrator: ndblsrk144}")
        _, parts = self.fields("parts", *settings, "time={steps: 50, integrator: ndblsrk144}",
                               words=("--restart", "auto"), ranks=2)
        for name, values in whole.items():
            self.assertEqual(values.tobytes(), parts[name].tobytes())
        self.assertGreater(abs(whole["inside"]).max(), 0.5)

    def test_half_space(self):
        """Below is glass: above it the wave and what Fresnel's coefficients reflect of both polarisations, in
        it what goes through. The scattered field is as small as without the glass.
        """
        times, fields = self.fields(
            "half", "order=3", "mesh.box.split={axis: z, at: 0, names: [glass, air]}",
            "materials={glass: {epsilon: 2.25}, air: {}}", "time={end: 6}", "sources.0.direction=[1, 2, -2]",
            "sources.0.polarisation=[0, 1, 1]", "sources.0.origin=[-0.7, -0.7, 0.7]",
            "sources.0.signal={type: gaussian, frequency: 0.4, width: 0.7, delay: 2.3}",
            "monitors.probes.points={air: [0.11, 0.12, 0.23], glass: [0.1, 0.05, -0.31], side: [-0.85, 0.1, -0.2], "
            "above: [0.1, 0.2, 0.86], below: [0.1, 0.2, -0.86]}")
        k = numpy.array([1, 2, -2]) / 3
        across = numpy.array([2, -1, 0]) / math.sqrt(5)
        origin = numpy.array([-0.7, -0.7, 0.7])
        cosines = 2 / 3, math.sqrt(1 - 5 / 9 / 2.25)
        down = numpy.array([k[0], k[1], -1.5 * cosines[1]])  # times the index of glass
        up = k * (1, 1, -1)
        e = numpy.array([0, 1, 1])
        s = e @ across
        p = numpy.cross(k, e) @ across
        rs = (cosines[0] - 1.5 * cosines[1]) / (cosines[0] + 1.5 * cosines[1])
        rp = (1.5 * cosines[0] - cosines[1]) / (1.5 * cosines[0] + cosines[1])
        crossing = origin * (1, 1, 0)  # on the plane, where the wave comes later by 0.7 * 2 / 3
        late = 0.7 * 2 / 3

        def wave(place, slowness, s, p, index, start, later=0.0):
            electric = s * across - p * numpy.cross(slowness, across) / index**2
            both = numpy.hstack((electric, numpy.cross(slowness, electric)))
            since = times - later - slowness @ (numpy.array(place) - start)
            return signal(since, 0.4, 0.7, 2.3)[:, None] * both

        air = wave([0.11, 0.12, 0.23], k, s, p, 1, origin)
        air += wave([0.11, 0.12, 0.23], up, rs * s, rp * p, 1, crossing, late)
        glass = wave([0.1, 0.05, -0.31], down, (1 + rs) * s, (1 + rp) * p, 1.5, crossing, late)
        peak = abs(glass).max()
        self.assertLess(abs(fields["air"] - air).max(), 5e-3 * peak)
        self.assertLess(abs(fields["glass"] - glass).max(), 5e-3 * peak)
        for name in ("side", "above", "below"):
            self.assertLess(abs(fields[name]).max(), 6e-4 * peak)

    def test_periodic_half_space(self):
        """Two planes on either side of glass, which they do not touch, between periodic sides."""
        times, fields = self.fields(
            "slab", "mesh.box.split={axis: z, at: 0, names: [glass, air]}", "mesh.box.periodic=[x, y]",
            "materials={glass: {epsilon: 2.25}, air: {}}", "mesh.box.cells=[2, 2, 6]", "mesh.box.min=[0, 0, -1]",
            "mesh.surfaces.around.box={min: [-1, -1, -0.7], max: [2, 2, 0.7]}", "time={steps: 84, integrator: ndblsrk144}",
            "boundaries={zmin: {type: absorbing}, zmax: {type: absorbing}, around: {type: total-field}}",
            "sources.0.direction=[0, 0, -1]", "sources.0.polarisation=[1, 0, 0]", "sources.0.origin=[0, 0, 0.7]",
            "monitors.probes.points={glass: [0.3, 0.2, -0.3], above: [0.3, 0.2, 0.9], below: [0.3, 0.2, -0.9]}")
        exact = 0.8 * signal(times - 0.7 - 1.5 * 0.3)
        self.assertLess(abs(fields["glass"][:, 0] - exact).max(), 2e-2)
        for name in ("above", "below"):
            self.assertLess(abs(fields[name]).max(), 2.5e-3)

    def test_walls(self):
        """The surface ends on a plane of either symmetry and on two periodic sides."""
        wave = ("sources.0.direction=[0, 0, 1]", "sources.0.polarisation=[0, 1, 0]", "time={steps: 73, integrator: ndblsrk144}",
                "sources.0.origin=[0, 0, -0.7]", "mesh.box.min=[0, 0, -1]", "mesh.box.cells=[3, 3, 6]")
        shape = "mesh.surfaces.around.box={min: [-1, -1, -0.7], max: [%s, 0.7, 0.7]}"
        points = "monitors.probes.points={inside: [0.11, 0.12, 0.13], front: [0.1, 0.2, -0.85], back: [%s]}"
        symmetric = (shape % "0.7", points % "0.86, 0.1, 0.2", "boundaries.xmin.type=pmc")
        periodic = (shape % "2", points % "0.1, 0.86, 0.2", "mesh.box.periodic=[x]",
                    "boundaries={ymax: {type: absorbing}, zmin: {type: absorbing}, zmax: {type: absorbing}, "
                    "around: {type: total-field}}")
        for name, walls in (("symmetric", symmetric), ("periodic", periodic)):
            with self.subTest(name):
                times, fields = self.fields(name, *wave, *walls, "boundaries.ymin.type=pec")
                exact = self.wave(times, (0, 0, 1), (0, 1, 0), (0, 0, -0.7))
                self.check_empty(fields, exact, 1.4e-2, 1e-3)

    def test_refused(self):
        surface = "mesh.surfaces.around.box"
        for settings, message in (
                (("sources=[]",), "the deck has no source of such a field"),
                ((f"{surface}.max=[0.7, 0.7, 2]",),
                 "does not satisfy the condition 'absorbing' of the surface 'zmax'"),
                ((f"{surface}.max=[0.7, 0.7, 2]", "boundaries.zmax.type=pec"),
                 "does not satisfy the condition 'pec' of the surface 'zmax'"),
                (("mesh.surfaces.middle={box: {min: [-0.4, -0.4, -0.4], max: [0.4, 0.4, 0.4]}}",
                  "boundaries.middle={type: total-field}"),
                 "where the incident fields would enter twice"),
                ((f"{surface}.max=[-0.69, 0.7, 0.7]",), "its shape holds no element"),
                (("sources.0.origin=[0, 0, 0]",),
                 "deck.yaml:17: the plane wave 0 has reached the total-field surface before the run starts"),
                (("units=si", "sources.0.origin=[0, 0, 0]",
                  "sources.0.signal={type: gaussian, frequency: 3e8, width: 1e-9, delay: 0}"),
                 "begin it later by at least 3.70627e-09 s, by its delay"),
                ((f"mesh={{file: {SOURCE / 'meshes/sphere.msh'}}}", "materials={air: {}}",
                  "boundaries={sphere: {type: pec}, outer: {type: absorbing}, default: {type: total-field}}"),
                 "boundaries.default: no face of the mesh has this condition"),
                ((f"{surface}.max=[0.7, 0.7, 1]", "boundaries.zmax.type=pml", "boundaries.zmin.type=pml"),
                 "deck.yaml:7: the surface 'around' is not closed: it ends on an absorbing layer at ("),
                ((f"mesh={{file: {SOURCE / 'meshes/slab.msh'}}}", "materials={air: {}, slab: {}}",
                  "boundaries={xmin: {type: pec}, xmax: {type: pec}, ymin: {type: pmc}, ymax: {type: pmc}, "
                  "zmin: {type: absorbing}, zmax: {type: absorbing}, front: {type: total-field}}"),
                 "where it ends on planes of symmetry or periodic sides, let the deck make it"),
                (("materials.domain.conductivity=0.1",), "'domain', which conducts, is dispersive or has a tensor"),
                (("materials.domain.epsilon=[1, 1, 2]",), "'domain', which conducts, is dispersive or has a tensor"),
                (("mesh.box.split={axis: x, at: 0, names: [a, b]}",
                  "materials={a: {epsilon: 2}, b: {}}"),
                 "at 70.53 degrees from its normal, where all of it is reflected"),
                (("mesh.box.split={axis: x, at: 0, names: [a, b]}",
                  "materials={a: {}, b: {epsilon: 2, conductivity: 0.1}}"),
                 "volume group 'b', which conducts, is dispersive"),
                (("boundaries.zmin={type: total-field}",),
                 "the surface 'zmin' has 72 faces on the outside of the mesh"),
                (("initial={type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                  "signal: {type: gaussian, width: 1}}", "initial.compare=false"),
                 "needs the initial state zero")):
            with self.subTest(message=message):
                done = self.sedge("check", self.deck, "--device", "host", *self.words(settings))
                self.assertEqual(done.code, 1, done)
                self.assertIn(message, done.messages[0])

    def test_curved(self):
        """Elements on both sides of the surface are curved. Outside it remain 9.7e-3 of the peak at order 2,
        9.9e-4 at order 3, 2.4e-4 at order 4.
        """
        _, fields = self.fields(
            "curved", f"mesh={{file: {SOURCE / 'meshes/ball.msh'}, surfaces: "
            "{around: {sphere: {radius: 0.75}}}}", "materials={inside: {}}",
            "boundaries={wall: {type: absorbing}, around: {type: total-field}}",
            "sources.0.origin=[-1, -1, -1]", "time={end: 5.5}", "order=2",
            "monitors.probes.points={inside: [0.11, 0.12, 0.13], outside: [-0.87, 0.1, 0.2]}")
        peak = abs(fields["inside"]).max()
        self.assertGreater(peak, 0.8)
        self.assertLess(abs(fields["outside"]).max(), 1.2e-2 * peak)

    def test_check(self):
        done = self.succeed("check", self.deck, "--device", "host")
        self.assertRegex(done.out, "around +192 faces: total-field, on both sides of 192 inside the "
                                   "mesh, around 384 elements, incident waves: 1")
        out = self.succeed("check", self.deck, "--set", "mesh.surfaces.outside={box: {min: [-0.9, -0.9, -0.9], max: [0.9, 0.9, 0.9]}}",
                           "--set", "mesh.surfaces.around.box={min: [-0.4, -0.4, -0.4], max: [0.4, 0.4, 0.4]}",
                           "--set", "monitors.flux={here: {surface: around}, there: {surface: outside}}").out
        self.assertEqual(re.findall(r"monitors.flux.(\w+) is the mean of total and scattered fields on both sides of 'around'", out),
                         ["here"])


if __name__ == "__main__":
    unittest.main()
