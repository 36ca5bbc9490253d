"""Ports and S-parameters beside the exact ones of port_lines.py.

The bounds are the errors of the meshes, three cells of order 3 in the shortest wavelength, which are at most 2/3 of the bounds here;
in guides those of the layers, which reflect up to 5e-3 of a wave.
"""

import collections
import itertools
import math
import re
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, TETRAHEDRON, TRIANGLE, Case, Cube, read_json
from port_lines import coaxial_impedance, coupled, iris, layered, line, mode, scattering, shunt, side_window, slab

# Plates 0.25 apart and 0.5 wide between magnetic walls: a line of the impedance 0.5 and the length 2.
PLATES = """\
equation: maxwell
order: 3
precision: fp64
mesh: {box: {max: [0.5, 0.25, 2], cells: [1, 1, 6]}}
time: {end: 20, integrator: ndblsrk144}
materials: {domain: {}}
boundaries:
  xmin: {type: pmc}
  xmax: {type: pmc}
  ymin: {type: pec}
  ymax: {type: pec}
  zmin: {type: lumped-port, resistance: 0.3, direction: [0, 1, 0]}
  zmax: {type: lumped-port, resistance: 1.2, direction: [0, 1, 0]}
sources: [{type: port, surface: zmin, signal: {type: gaussian, width: 0.4, frequency: 0.5}}]
monitors: {ports: {from: 0.2, to: 0.9, count: 15}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

# A guide 1 wide, whose TE10 travels above the frequency 0.5, with layers at both ends.
GUIDE = """\
equation: maxwell
order: 3
precision: fp64
mesh:
  box: {max: [1, 0.5, 2], cells: [3, 1, 6]}
  surfaces:
    in: {plane: {normal: z, at: 0.35}}
    out: {plane: {normal: z, at: 1.65}}
time: {end: 24, integrator: ndblsrk144}
materials: {domain: {}}
boundaries:
  xmin: {type: pec}
  xmax: {type: pec}
  ymin: {type: pec}
  ymax: {type: pec}
  zmin: {type: pml}
  zmax: {type: pml}
  in: {type: te-port, m: 1, n: 0, direction: [0, 0, 1]}
  out: {type: te-port, m: 1, n: 0, direction: [0, 0, -1]}
sources: [{type: port, surface: in, signal: {type: gaussian, width: 2.5, frequency: 0.78, delay: 8}}]
monitors: {ports: {from: 0.66, to: 0.94, count: 8}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

COAX = """\
equation: maxwell
order: 2
precision: fp32
units: si
mesh: {{file: {mesh}, scale: 0.001}}
time: {{end: 2.6e-10}}
materials: {{line: {{}}}}
boundaries:
  conductors: {{type: pec}}
  near: {{type: coaxial-port, resistance: 50}}
  far: {{type: coaxial-port, resistance: 100}}
sources: [{{type: port, surface: near, signal: {{type: gaussian, width: 3e-11, frequency: 10e9, delay: 1.1e-10}}}}]
monitors: {{ports: {{from: 2e9, to: 18e9, count: 9}}}}
output: {{snapshots: 0}}
kernels: {{tune: "off"}}
"""

# A line of two plates between magnetic walls that goes on behind its ends.
LINE = """\
boundaries:
  xmin: {type: pmc}
  xmax: {type: pmc}
  ymin: {type: pec}
  ymax: {type: pec}
  zmin: {type: pml}
  zmax: {type: pml}
"""

# Plates 1 apart and 0.5 wide, with a medium on one of them.
LAYERED = """\
equation: maxwell
order: 2
precision: fp64
mesh:
  box: {max: [0.5, 1, 6], cells: [1, 2, 6], split: {axis: y, at: 0.5, names: [below, above]}}
  surfaces:
    in: {plane: {normal: z, at: 1}}
    out: {plane: {normal: z, at: 5}}
time: {end: 56, integrator: ndblsrk144}
materials: {below: {epsilon: 4}, above: {}}
""" + LINE + """\
  in: {type: line-port, direction: [0, 0, 1], voltages: {ymax: 1}}
  out: {type: line-port, direction: [0, 0, -1], shift: 0.5, voltages: {ymin: 1}}
sources: [{type: port, surface: in, signal: {type: gaussian, width: 6, frequency: 0.045, delay: 19}}]
monitors: {ports: {from: 0.03, to: 0.06, count: 4}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

# The same line, half as wide as its longer wave at the frequency of its mode, which is no static one there.
MODES = """\
equation: maxwell
order: 3
precision: fp64
mesh:
  box: {max: [0.5, 1, 2], cells: [1, 2, 4], split: {axis: y, at: 0.5, names: [below, above]}}
  surfaces:
    in: {plane: {normal: z, at: 0.5}}
    out: {plane: {normal: z, at: 1.5}}
time: {end: 28, integrator: ndblsrk144}
materials: {below: {epsilon: 4}, above: {}}
""" + LINE + """\
  in: {type: mode-port, frequency: 0.25, direction: [0, 0, 1]}
  out: {type: mode-port, frequency: 0.25, direction: [0, 0, -1], shift: 0.25}
sources: [{type: port, surface: in, signal: {type: gaussian, width: 4, frequency: 0.25, delay: 13}}]
monitors: {ports: {from: 0.2, to: 0.3, count: 5}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""


def inside(deck):
    """With the ports inside the mesh, the line goes on behind them into layers."""
    port = "{{type: lumped-port, resistance: {}, direction: [0, {}, 0]}}"
    deck = deck[:deck.index("  zmin:")] + f"""\
  zmin: {{type: pml}}
  zmax: {{type: pml}}
  in: {port.format(0.3, 1)}
  out: {port.format(1.2, -1)}
""" + deck[deck.index("sources:"):]
    return deck.replace("6]}}", "6]}, surfaces: {in: {plane: {normal: z, at: 0.35}}, out: {plane: {normal: z, at: 1.65}}}}"
                        ).replace("surface: zmin", "surface: in")


class Formulas(unittest.TestCase):
    """The exact answers give numbers that were found otherwise, in dB and degrees."""

    def compare(self, found, decibels, degrees):
        numpy.testing.assert_allclose(20 * numpy.log10(abs(found)), decibels, atol=2e-3)
        numpy.testing.assert_allclose(numpy.degrees(numpy.angle(found)), degrees, atol=2e-2)

    def test_iris(self):
        through, back = iris(math.pi * numpy.array([1.25, 1.5, 1.75]), 1, 0.6, 0.1)[::-1]
        self.compare(back, [-2.1307, -4.2882, -6.5442], [130.61, 111.35, 97.10])
        self.compare(through, [-4.1146, -2.0242, -1.0880], [40.61, 21.35, 7.10])

    def test_slab(self):
        back, _, through, _ = slab(math.pi * numpy.array([1.3, 1.9]), math.pi, 0.3, 4)
        self.compare(back, [-3.1000, -11.3265], [152.92, -113.72])
        self.compare(through, [-2.9224, -0.3324], [-117.08, 156.28])

    def test_line(self):
        """Plates 1 mm apart, 7.5 mm wide and 15 mm long, with a load of all three elements at their end."""
        ohms = 376.730313668
        self.assertAlmostEqual(ohms * coaxial_impedance(1, 2.3), 49.94, delta=5e-3)
        f = numpy.array([6e9, 8e9, 12e9])
        w = 2 * math.pi * f
        load = 7.5 * (1 / 376.73 + 1 / (1j * w * 5.99585e-9) + 1j * w * 4.22464e-14)
        chain = line(w / 299792458, ohms / 7.5, 0.015) @ shunt(load)
        self.compare(scattering(chain, 50, 1e12)[0], [-6.5517, -13.2576, -14.9858], [-97.74, 174.42, -172.59])


class Ports(Case):
    def compute(self, deck, name, *settings, **options):
        """The S-parameters of one run."""
        words = (word for setting in settings for word in ("--set", setting))
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--output", name, *words, **options)
        return self.read(name)

    def read(self, name):
        """The S-parameters in the folder of a run: the frequencies, and by name a complex array for each port."""
        found = read_json(self.folder / name / "report.json")["monitors"]["ports"]

        def numbers(values):
            return numpy.array([math.nan if value is None else value for value in values])

        self.frequency = numbers(found["frequency"])
        return {port["name"]: numbers(port["real"]) + 1j * numbers(port["imaginary"]) for port in found["ports"]}

    def matrix(self, deck, *settings, ports=("in", "out")):
        """All four S-parameters, by a run for each port."""
        columns = [self.compute(deck, name, f"sources.0.surface={name}", *settings) for name in ports]
        return tuple(columns[j][ports[i]] for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)))

    def compare(self, found, exact, bound):
        for i, (one, other) in enumerate(zip(found, exact)):
            self.assertLess(abs(one - other).max(), bound, f"number {i}: {one} {other}")  # also fails for not-a-number

    # ---- lines that go on behind their ports ----

    def test_layered(self):
        """A line of two media, whose static fields and capacitances are known."""
        deck = self.write("layered.yaml", LAYERED)
        z, index = 1 / math.sqrt(0.5 * 0.5 / (0.5 / 4 + 0.5 / 1)), math.sqrt(1 / (0.5 / 4 + 0.5 / 1))
        half = ("mesh.box.max=[0.25, 1, 6]", "boundaries.xmax.symmetry=true")
        for settings in ((), ("order=5",), half):
            words = (word for setting in settings for word in ("--set", setting))
            self.assertIn(f"{z:.6g}, index {index:.6g}", self.succeed("check", deck, *words).out)
        for name, settings, ranks in (("layered", (), 0), ("half", half, 2)):
            found = self.compute(deck, name, *settings, ranks=ranks)
            k = layered(2 * math.pi * self.frequency, 4, 0.5, 1, 1)
            # The conductors have each other's voltages. The errors are those of static fields and fall with the square of the frequency.
            self.compare([found["in"] / self.frequency**2], [0], 1)
            self.compare([(found["out"] + numpy.exp(-3.5j * k)) / self.frequency**2], [0], 2)
            ports = read_json(self.folder / name / "report.json")["monitors"]["ports"]["ports"]
            self.assertAlmostEqual(ports[0]["reference"] / z, 1, delta=1e-12)
            with h5py.File(self.folder / name / "ports.h5") as file:
                t = file["time"][()] - 19
                sent = numpy.exp(-((t / 6) ** 2)) * numpy.sin(2 * math.pi * 0.045 * t)
                self.assertLess(abs(abs(file["in/voltage"][()]) - abs(sent)).max(), 0.01 * sent.max())
        # With a loss tangent in a band the port has the epsilon of the middle of the sources' band, and the wave that of each frequency.
        lossy = "materials.below={epsilon: 4, loss_tangent: {value: 0.2, frequency: 0.045, lowest: 0.02, highest: 0.09}}"
        out = self.succeed("check", deck, "--set", lossy).out
        poles = numpy.array(re.findall(r"strength: (\S+)\s+relaxation_time: (\S+)", out), float)
        rest = float(re.search(r"below:\s+epsilon: (\S+)", out)[1])
        media = lambda f: rest + (poles[:, 0] / (1 + 2j * math.pi * numpy.reshape(f, (-1, 1)) * poles[:, 1])).sum(axis=1)
        middle = float(re.findall(r"at (\S+): n", out)[-1]) / 2  # of 0 and the highest
        self.assertAlmostEqual(float(re.search(r"line-port.*, index (\S+)", out)[1]) ** 2 * (0.5 / media(middle)[0].real + 0.5), 1, delta=1e-3)
        found, omega = self.compute(deck, "lossy", lossy), 2 * math.pi * self.frequency
        k = layered(omega, 4, 0.5, 1, 1) + omega * (numpy.sqrt(1 / (0.5 / media(self.frequency) + 0.5)) - index)
        self.compare([found["in"], found["out"] + numpy.exp(-3.5j * k)], [0, 0], 0.015)  # the index of the port is off by 1.5 % at most
        self.assertLess(abs(numpy.exp(-3.5j * k[-1])), 0.97)  # of which the loss is the most
        for words, setting in (
                (["boundaries.in.voltages: all conductors have the same one"], "boundaries.in.voltages={ymin: 1, ymax: 1}"),
                (["boundaries.in needs the key 'voltages'"], "boundaries.in={type: line-port, direction: [0, 0, 1]}"),
                (["boundaries.in.voltages: the surface 'xmin' is no conductor"], "boundaries.in.voltages={xmin: 1}"),
                (["boundaries.in.voltages names no surface", "such as {strip: 1}"], "boundaries.in.voltages={}"),
                (["boundaries.in: a line has two conductors at least", "and here are 1"], "boundaries.ymin.type=pmc"),
                (["boundaries.in: beside the port are media with different mu, 2 and 1"], "materials.below.mu=2"),
                (["boundaries.in: beside the port is a medium with 'magnetic_debye'"],
                 "materials.above.magnetic_debye={strength: 1, relaxation_time: 1}"),
                (["boundaries.in: beside the port is a medium with 'lorentz'", "and debye poles"],
                 "materials.above.lorentz={strength: 1, frequency: 1, damping: 0}"),
                (["a face of the port lies between media with epsilon 4 and 1"], "mesh.box.split={axis: z, at: 1, names: [below, above]}"),
                (["boundaries.in: the surface 'fin' crosses the port", "since it is no conductor"],
                 "boundaries.fin={type: sheet, resistance: 1}"),
                (["`direction` points to the open end of the guide"], "boundaries.in.direction=[0, 0, -1]")):
            fin = ["mesh.surfaces.fin={plane: {normal: y, at: 0.5}}", "boundaries.zmin.type=absorbing", "boundaries.zmax.type=absorbing"]
            settings = [setting, *(fin if "fin" in setting else ())]
            self.refuse(1, words, "check", deck, *(word for one in settings for word in ("--set", one)), ranks=(2,))

    def test_modes(self):
        """A mode of two media. A line-port, whose wave is static, reflects 6e-2 here."""
        deck = self.write("modes.yaml", MODES)
        half = ("mesh.box.max=[0.25, 1, 2]", "boundaries.xmax.symmetry=true")
        low, k, high = layered(2 * math.pi * numpy.array([0.2499, 0.25, 0.2501]), 4, 0.5, 1, 1)
        for settings in ((), half):
            words = [word for setting in settings for word in ("--set", setting)]
            said = self.succeed("check", deck, *words).out
            found = re.search(r"out .* mode-port, on .* mode 1: index ([\d.]+), group index ([\d.]+), ([\d.]+) % of the power", said)
            self.assertAlmostEqual(float(found[1]) / (k / 2 / math.pi / 0.25), 1, delta=5e-5)
            self.assertAlmostEqual(float(found[2]) / ((high - low) / 2 / math.pi / 0.0002), 1, delta=5e-4)
        series = {}
        tensor = "materials.below.epsilon=[9, 4, 2.5]"
        for name, settings, ranks in (("one", (), 0), ("two", (), 2), ("half", (*half, "precision=fp32"), 2), ("tensor", (tensor,), 0)):
            found = self.compute(deck, name, *settings, ranks=ranks)
            k = layered(2 * math.pi * self.frequency, 4, 0.5, 1, 1, 2.5 if name == "tensor" else None)
            # The fields of the ports are those of one frequency: errors at others grow with the square of the distance.
            bound = 1e-3 + (self.frequency / 0.25 - 1) ** 2
            self.compare([found["in"] / bound, (found["out"] - numpy.exp(-0.75j * k)) / bound], [0, 0], 1)
            with h5py.File(self.folder / name / "ports.h5") as file:
                series[name] = file["out/voltage"][()]
                t = file["time"][()] - 13
                sent = numpy.exp(-((t / 4) ** 2)) * numpy.sin(2 * math.pi * 0.25 * t)
                self.assertLess(abs(file["in/voltage"][()] - sent).max(), 0.1)
        numpy.testing.assert_array_equal(series["one"], series["two"])
        # Both modes that are guided at twice the frequency, on each of the surfaces.
        ports = {name + last: f"{{type: mode-port, mode: {mode}, frequency: 0.5, direction: [0, 0, {into}]{more}}}"
                 for name, into in (("in", 1), ("out", -1)) for mode, last, more in ((1, "", ""), (2, "2", f", surface: {name}"))}
        found = self.compute(deck, "both", "sources.0={type: port, surface: in2, signal: {type: gaussian, width: 4, frequency: 0.5, delay: 13}}",
                             "monitors.ports={from: 0.5, to: 0.5, count: 1}", *(f"boundaries.{name}={port}" for name, port in ports.items()))
        said = self.succeed("run", deck, "--device", DEVICE, "--set", "time.end=1", *(
            word for name, port in ports.items() if name in ("in", "out") for word in ("--set", f"boundaries.{name}={port}"))).out
        self.assertIn("'in': 2 modes or more are guided, and 1 has a port; the others' waves are absorbed\n", said)
        # At this frequency the second one has the wave number 0.948095 w: it solves the equation that `layered` does.
        self.compare((found["in"], found["in2"], found["out"], found["out2"]), (0, 0, 0, numpy.exp(-0.948095j * math.pi)), 2e-3)
        said = self.succeed("run", deck, "--device", DEVICE, "--set", "time.end=1", "--set", "boundaries.in.frequency=0.2").out
        self.assertIn("warning: the port 'in' has the mode of 0.2, and at 0.3, the end of the band, S-parameters may be wrong by 0.25", said)
        self.assertNotIn("the port 'out'", said)
        # All of one medium it is a waveguide, whose mode TE10 has the index 0.6 at 1 / 0.8 of its cut-off.
        guide = [word for setting in ("boundaries.xmin.type=pec", "boundaries.xmax.type=pec", "materials.below.epsilon=1", "mesh.box.cells=[2, 4, 4]",
                                      "boundaries.in.frequency=0.625", "boundaries.out.frequency=0.625", "monitors={}") for word in ("--set", setting)]
        self.assertIn("mode 1: index 0.599999, group index 1.6667, 100 % of the power", self.succeed("check", deck, *guide).out)
        # A tube that is nearly square, of which the half has a plane of symmetry: the mesh tells its first two modes apart, and `axis` chooses.
        square = [*guide, "--set", "mesh.box.max=[0.5, 1.0001, 2]", "--set", "boundaries.xmax={type: pec, symmetry: true}"]
        self.succeed("check", deck, *square, "--set", "boundaries.in.axis=[1, 0, 0]", "--set", "boundaries.out.axis=[1, 0, 0]")
        self.refuse(1, ["boundaries.in: the field of the port is not its own mirror image"], "check", deck, *square, "--set",
                    "boundaries.in.axis=[0, 1, 0]", ranks=(0,))
        for words, setting in (
                (["boundaries.in needs the key 'frequency'"], "boundaries.in={type: mode-port, direction: [0, 0, 1]}"),
                (["mode 2 is not guided at 0.25: 1 mode is"], "boundaries.in.mode=2"),
                (["boundaries.in: beside the port is a medium with the loss tangent 0.159"], "materials.below.conductivity=1"),
                (["a medium with epsilon -3 and mu 1", "in place of a metal"], "materials.below={drude: {plasma_frequency: 0.5, damping: 0}}"),
                (["beside the port is a medium in a static magnetic field, one with a tensor of mu"], "materials.below.mu=[1, 2, 1]"),
                (["a face of the port lies between media with epsilon 4 and 1"], "mesh.box.split={axis: z, at: 0.5, names: [below, above]}"),
                (["an edge of the port's faces is as long as"], "boundaries.in.frequency=2"),
                (["so short that rounding hides the mode"], "boundaries.in.frequency=1e-9"),
                (["at the port's outline", "the mode's E is", "0.1 at most"], "boundaries.ymax.type=absorbing"),
                (["`direction` points to the open end of the guide"], "boundaries.in.direction=[0, 0, -1]")):
            settings = [setting, *(["boundaries.zmin.type=absorbing", "boundaries.zmax.type=absorbing"] if "direction=" in setting else ())]
            self.refuse(1, words, "check", deck, *(word for one in settings for word in ("--set", one)), ranks=(2,))

    def columns(self, deck, ports, images, *settings):
        """The matrix of `ports`, each entry [frequencies], from runs that drive those in `images`, which has for each the places of the ports
        in its mirror images: where the structure's image is itself, so is the matrix. Waves that enter others are taken out."""
        leave, enter = (numpy.full((len(ports), len(ports)), None) for _ in range(2))
        for driven, orders in images.items():
            found = self.compute(deck, driven, f"sources.0.surface={driven}", *settings)
            told = {one["name"]: one for one in read_json(self.folder / driven / "report.json")["monitors"]["ports"]["ports"]}
            for order in orders:
                column = ports.index(driven)
                for i, port in enumerate(ports):
                    incident = told[port].get("incident")
                    leave[order[i], order[column]] = found[port]
                    enter[order[i], order[column]] = (numpy.array(incident["real"]) + 1j * numpy.array(incident["imaginary"]) if incident
                                                      else numpy.ones(found[port].shape))
        leave, enter = (numpy.stack([numpy.stack(list(row)) for row in one]).transpose(2, 0, 1) for one in (leave, enter))
        return leave @ numpy.linalg.inv(enter), [one["reference"] for one in told.values()]

    def test_conductors(self):
        """Ports of one conductor each: a plane between two plates, with another medium on either side, which are two lines."""
        further = "  {0}2: {{type: line-port, direction: [0, 0, {1}], voltages: {{ymax: 1}}, surface: {0}}}\n"
        text = re.sub("mode-port, frequency: 0.25", "line-port, voltages: {strip: 1}", MODES).replace(", shift: 0.25", "").replace(
            "\n  in:", "\n  strip: {type: pec}\n" + further.format("in", 1) + further.format("out", -1) + "  in:").replace(
            "  surfaces:", "  surfaces:\n    strip: {plane: {normal: y, at: 0.5}}")
        deck = self.write("conductors.yaml", text)
        band = ("monitors.ports={from: 0.2, to: 0.29, count: 4}", "time.end=26")
        found, references = self.columns(deck, ["in2", "out2", "in", "out"], {port: ([0, 1, 2, 3], [1, 0, 3, 2]) for port in ("in", "in2")}, *band)
        numpy.testing.assert_allclose(references, (1, 1, math.sqrt(0.1), math.sqrt(0.1)), rtol=1e-6)
        exact = coupled(2 * math.pi * self.frequency, ((2, 0.5), (1, 1)), 1, [[1, 0], [-1, 1]], (math.sqrt(0.1), 1))
        order = [1, 3, 0, 2]  # `exact` begins with the port `in`
        self.assertLess(abs(found - exact[:, order][:, :, order]).max(), 4e-3)
        words = ("run", deck, "--device", DEVICE, *(word for setting in (*band[:1], "time.end=1") for word in ("--set", setting)), "--set")
        self.assertIn("a sweep over all ports finds", self.succeed(*words, "order=3").out)
        self.refuse(1, ["boundaries.in2: it has the same mode as 'in' on the same surface"], *words, "boundaries.in2.voltages={strip: -2}", ranks=(2,))
        self.refuse(1, ["ports with 'voltages' of which some are sums of others"], *words,
                    "boundaries.in3={type: line-port, direction: [0, 0, 1], voltages: {strip: 1, ymax: 1}, surface: in}", ranks=(2,))

    def test_strip(self):
        """A strip without thickness in the middle of a tube. Its static fields are the same for any two media above and below, and the walls
        at its sides are far away: between plates its impedance is K'/4K of the modulus tanh(pi/2)."""
        self.write_strip("strip")
        deck = self.write("strip.yaml", re.sub(r"mesh:.*?time:", "mesh: {file: strip.msh}\ntime:", LAYERED, flags=re.S).replace(
            "pmc", "pec").replace("ymax: 1", "strip: 1").replace("ymin: 1", "strip: 1").replace("boundaries:", "boundaries:\n  strip: {type: pec}"))
        found = re.search(r"out .* line-port, on .* ([\d.]+), index ([\d.]+)", self.succeed("check", deck, "--set", "order=6").out)
        self.assertAlmostEqual(float(found[1]) * math.sqrt(2.5) / 0.173476, 1, delta=0.015)  # fields are infinite at the edges
        self.assertAlmostEqual(float(found[2]) / math.sqrt(2.5), 1, delta=1e-5)
        self.refuse(1, ["boundaries.in.voltages: the surface 'zmin' does not reach the port"], "check", deck, "--set",
                    "boundaries.in.voltages={zmin: 1}", ranks=(0,))

    # ---- lumped ports ----

    def test_plates(self):
        """Ports at the ends of a line; and inside it, where the line goes on behind each port."""
        deck = self.write("plates.yaml", PLATES)
        found = self.matrix(deck, ports=("zmin", "zmax"))
        w = 2 * math.pi * self.frequency
        self.compare(found, scattering(line(w, 0.5, 2), 0.3, 1.2), 5e-4)
        found = self.compute(deck, "matched", "boundaries.zmin.resistance=0.5", "boundaries.zmax.resistance=0.5")
        self.compare((found["zmin"], found["zmax"]), (0, numpy.exp(-2j * w)), 5e-4)
        deck = self.write("inside.yaml", inside(PLATES))
        s11, s12, s21, s22 = scattering(shunt(2) @ line(w, 0.5, 4 / 3) @ shunt(2), 0.3, 1.2)
        self.compare(self.matrix(deck), (s11, -s12, -s21, s22), 5e-4)  # the ports' directions are opposite

    def test_symmetry(self):
        """A quarter of the plates, with two planes of symmetry that cut both ports: the S-parameters and powers of the whole."""
        deck = self.write("plates.yaml", PLATES.replace("cells: [1, 1, 6]", "cells: [2, 2, 6]"))
        whole = self.compute(deck, "whole")
        power = read_json(self.folder / "whole/report.json")["monitors"]["ports"]["incident_power"]
        part = self.compute(deck, "part", "mesh.box={max: [0.25, 0.125, 2], cells: [1, 1, 6]}", "boundaries.xmax.symmetry=true",
                            "boundaries.ymax.symmetry=true")
        self.compare(part.values(), whole.values(), 1e-5)  # the parts' diagonals are not mirror images
        numpy.testing.assert_allclose(read_json(self.folder / "part/report.json")["monitors"]["ports"]["incident_power"], power, rtol=1e-5)

    def test_two_sources(self):
        """Without S-parameters, voltages and currents: they are the sums of those that each source makes alone."""
        deck = self.write("plates.yaml", PLATES)
        voltages = []
        for parts in ((0, 1), (0,), (1,)):
            text = ", ".join("{{type: port, surface: {}, signal: {{type: gaussian, width: 0.4, frequency: 0.5}}}}".format(
                ("zmin", "zmax")[part]) for part in parts)
            self.succeed("run", deck, "--quiet", "--device", DEVICE, "--output", "both", "--set", f"sources=[{text}]")
            with h5py.File(self.folder / "both/ports.h5") as file:
                voltages.append((file["zmin/voltage"][()], file["zmax/voltage"][()], file["zmin/current"][()]))
            ports = read_json(self.folder / "both/report.json")["monitors"]["ports"]
            if len(parts) == 2:
                self.assertIsNone(ports["driven"])
                together = numpy.array(ports["ports"][0]["voltage"]["real"]) + 1j * numpy.array(ports["ports"][0]["voltage"]["imaginary"])
                frequency = numpy.array(ports["frequency"])
        for both, one, other in zip(*voltages):
            numpy.testing.assert_allclose(both, one + other, atol=1e-12 * abs(both).max())
        with h5py.File(self.folder / "both/ports.h5") as file:
            time = file["time"][()]
        phase = numpy.exp(-2j * math.pi * numpy.outer(frequency, time))
        numpy.testing.assert_allclose(together, phase @ voltages[0][0] * (time[1] - time[0]), atol=1e-9)

    def test_components(self):
        """A component across the line, with the impedance of its parts in series or side by side."""
        deck = self.write("plates.yaml", PLATES)
        parts = "resistance: 0.2, inductance: 0.05, capacitance: 0.3, direction: [0, 1, 0]"
        for kind, admittance in (("series", lambda s: 1 / (0.2 + 0.05 * s + 1 / (0.3 * s))),
                                 ("parallel", lambda s: 1 / 0.2 + 1 / (0.05 * s) + 0.3 * s)):
            with self.subTest(kind=kind):
                found = self.compute(deck, kind, "mesh.surfaces={middle: {plane: {normal: z, at: 1}}}",
                                     f"boundaries.middle={{type: {kind}-sheet, {parts}}}")
                w = 2 * math.pi * self.frequency
                half = line(w, 0.5, 1)
                s = scattering(half @ shunt(admittance(1j * w)) @ half, 0.3, 1.2)
                self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 5e-4)
                # A quarter of all, with planes of symmetry that cut the ports and the component, of which the deck has the whole.
                found = self.compute(deck, kind, "mesh.surfaces={middle: {plane: {normal: z, at: 1}}}",
                                     f"boundaries.middle={{type: {kind}-sheet, {parts}}}", "boundaries.xmax.symmetry=true",
                                     "boundaries.ymax.symmetry=true", "mesh.box={max: [0.25, 0.125, 2], cells: [1, 1, 6]}")
                self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 5e-4)

    def test_integrators(self):
        deck = self.write("plates.yaml", PLATES)
        for integrator, precision in (("lsrk45", "fp64"), ("ader", "fp64"), ("ader", "fp32")):
            with self.subTest(integrator=integrator, precision=precision):
                found = self.compute(deck, integrator, f"time.integrator={integrator}", f"precision={precision}")
                s = scattering(line(2 * math.pi * self.frequency, 0.5, 2), 0.3, 1.2)
                self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 2e-3)

    def test_coaxial_line(self):
        """Curved elements; ohms; a port of either kind at either end; and the same S-parameters by a deck in code units, the wave
        impedance of free space being 1."""
        ohms, light = 376.730313668, 299792458
        text = COAX.format(mesh=SOURCE / "meshes/coax.msh")
        deck = self.write("coax.yaml", text)
        found = self.compute(deck, "coax", "boundaries.far.type=tem-port")
        s = scattering(line(2 * math.pi * self.frequency / light, ohms * coaxial_impedance(1, 2.3), 8e-3), 50, 100)
        self.compare((found["near"], found["far"]), (s[0], s[2]), 2e-3)
        found = self.compute(deck, "si", "order=1", "boundaries.near.type=tem-port")
        self.compare((found["near"], found["far"]), (s[0], s[2]), 2e-2)  # of order 1
        for si, factor in (("2.6e-10", 1e3 * light), ("3e-11", 1e3 * light), ("1.1e-10}", 1e3 * light), ("10e9", 1e-3 / light), ("2e9", 1e-3 / light),
                           ("18e9", 1e-3 / light), (" 50}", 1 / ohms), (" 100}", 1 / ohms)):
            text = text.replace(si, f" {float(si.rstrip('}')) * factor!r}" + ("}" if "}" in si else ""))
        deck = self.write("code.yaml", text.replace("units: si\n", "").replace(", scale: 0.001", ""))
        other = self.compute(deck, "code", "order=1", "boundaries.near.type=tem-port")
        self.compare((found["near"], found["far"]), (other["near"], other["far"]), 1e-5)  # of fp32

    def test_antenna(self):
        """What the port gives to the fields beside it is what it accepts by its voltage and current; the antenna radiates it but for
        what upwind fluxes take at order 1."""
        self.succeed("run", SOURCE / "input/half-wave-dipole.yaml", "--quiet", "--device", DEVICE, "--output", "antenna",
                     *(word for setting in ("order=1", "time.end=1.8e-8", "monitors.slices={}", "output.snapshots=0", "kernels.tune=off",
                                            "monitors.ports={from: 250e6, to: 350e6, count: 3}", "monitors.frequencies={from: 250e6, "
                                            "to: 350e6, count: 3}", "monitors.far-field.antenna={surface: around, theta: {step: 45}, "
                                            "phi: {step: 90}, input: feed}") for word in ("--set", setting)))
        report = read_json(self.folder / "antenna/report.json")["monitors"]
        accepted, incident = (numpy.array(report["ports"][f"{name}_power"]) for name in ("accepted", "incident"))
        with h5py.File(self.folder / "antenna/far-field.h5") as file:
            found = {name: item[()] for name, item in file["antenna"].items()}
        numpy.testing.assert_allclose(found["input"], accepted, rtol=1e-2)
        numpy.testing.assert_allclose(found["efficiency"], 1, atol=0.15)
        numpy.testing.assert_allclose(found["incident_power"], incident, rtol=1e-4)
        numpy.testing.assert_allclose(found["total_efficiency"] * incident, found["power"], rtol=1e-4)
        numpy.testing.assert_allclose(found["realised_gain"] / found["gain"], (accepted / incident)[:, None, None] * numpy.ones((5, 4)),
                                      rtol=1e-2)
        numpy.testing.assert_allclose(report["far-field"]["antenna"]["realised_gain"], found["realised_gain"].max(axis=(1, 2)), rtol=1e-9)

    def test_shapes(self):
        """A run warns where a fin is so near to a port between plates that the port absorbs much in other shapes of fields."""
        for layer, warns in ((1, True), (3, False)):
            cube = Cube(4)
            faces = {tuple(sorted(face)) for corners in cube.tetrahedra for face in itertools.combinations(corners, 3)}
            fin = [(TRIANGLE, 8, face) for face in sorted(faces) if all(round(4 * cube.nodes[node][2]) == layer and
                                                                        cube.nodes[node][1] <= 0.5 for node in face)]
            self.write("fin.msh", cube.text(extra=fin).replace("Names\n7\n", 'Names\n8\n2 8 "fin"\n'))
            deck = self.write("fin.yaml", """\
equation: maxwell
order: 2
mesh: {file: fin.msh}
time: {end: 20}
materials: {domain: {}}
boundaries:
  xmin: {type: pmc}
  xmax: {type: pmc}
  ymin: {type: pec}
  ymax: {type: pec}
  fin: {type: pec}
  zmin: {type: lumped-port, resistance: 1, direction: [0, 1, 0]}
  zmax: {type: absorbing}
sources: [{type: port, surface: zmin, signal: {type: gaussian, width: 2, frequency: 0.3}}]
monitors: {ports: {from: 0.2, to: 0.4, count: 3}}
output: {snapshots: 0}
kernels: {tune: "off"}
""")
            told = self.succeed("run", deck, "--device", DEVICE, "--output", "fin", ranks=2 if warns else 0).out
            self.assertEqual("of the power that 'zmin' accepts stays in it" in told, warns, told)

    def test_open_guide(self):
        """A quarter of an open guide that radiates, through a surface that crosses the guide behind its port: what the port sends backwards
        counts neither as radiated nor as accepted."""
        cube = Cube(6)
        faces = {tuple(sorted(face)) for corners in cube.tetrahedra for face in itertools.combinations(corners, 3)}

        def where(face, axis):
            places = {round(6 * cube.nodes[node][axis]) for node in face}
            return min(places), max(places)

        extra = []
        for face in sorted(faces):
            x, y, z = (where(face, axis) for axis in range(3))
            if z[1] <= 3 and ((x == (3, 3) and y[1] <= 2) or (y == (2, 2) and x[1] <= 3)):
                extra.append((TRIANGLE, 8, face))
            if z == (2, 2) and x[1] <= 3 and y[1] <= 2:
                extra.append((TRIANGLE, 9, face))
        cube.nodes = [tuple(2 * place for place in node) for node in cube.nodes]
        self.write("guide.msh", cube.text(extra=extra).replace("Names\n7\n", 'Names\n9\n2 8 "tube"\n2 9 "feed"\n'))
        deck = self.write("open.yaml", """\
equation: maxwell
order: 1
mesh: {file: guide.msh, surfaces: {around: {box: {min: [-9, -9, 0.3], max: [1.7, 1.7, 1.7]}}}}
time: {end: 25}
materials: {domain: {}}
boundaries:
  xmin: {type: pmc, symmetry: true}
  ymin: {type: pec, symmetry: true}
  xmax: {type: pml}
  ymax: {type: pml}
  zmin: {type: pml}
  zmax: {type: pml}
  tube: {type: pec}
  feed: {type: te-port, m: 1, n: 0, direction: [0, 0, 1]}
sources: [{type: port, surface: feed, signal: {type: gaussian, width: 3, frequency: 0.4}}]
monitors:
  frequencies: {list: [0.35, 0.4, 0.45]}
  ports: {from: 0.35, to: 0.45, count: 3}
  far-field: {open: {surface: around, input: feed, theta: {step: 10}, phi: {step: 30}}}
output: {snapshots: 0}
kernels: {tune: "off"}
""")
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--output", "open", ranks=2)
        with h5py.File(self.folder / "open/far-field.h5") as file:
            found = {name: file["open"][name][()] for name in ("power", "flux", "input", "efficiency", "incident_power")}
        ports = read_json(self.folder / "open/report.json")["monitors"]["ports"]
        accepted = ports["accepted_power"]
        numpy.testing.assert_allclose(found["incident_power"], ports["incident_power"], rtol=2e-2)  # with what the layer behind returns
        numpy.testing.assert_allclose(found["input"], accepted, rtol=2e-2)
        numpy.testing.assert_allclose(found["flux"], accepted, rtol=8e-2)  # less, by what upwind fluxes take; order 2: 3e-3
        numpy.testing.assert_allclose(found["power"] / found["flux"], 1, atol=3e-2)

    # ---- modes of a guide ----

    def test_guide(self):
        """Empty, and with a resistive sheet across it."""
        deck = self.write("guide.yaml", GUIDE)
        found = self.compute(deck, "empty")
        w = 2 * math.pi * self.frequency
        k, z = mode(w, math.pi)
        self.compare((found["in"], found["out"]), (0, numpy.exp(-4j / 3 * k)), 7e-3)
        half = line(k, z, 2 / 3)
        found = self.compute(deck, "card", "sources.0.surface=out", "mesh.surfaces.card={plane: {normal: z, at: 1}}",
                             "boundaries.card={type: sheet, resistance: 0.8}")
        self.compare((found["in"], found["out"]), scattering(half @ shunt(1 / 0.8) @ half, z, z)[1::2], 7e-3)

    def test_guide_symmetry(self):
        """A quarter and a half of a guide with a resistive sheet across it, cut by planes of symmetry: S-parameters and powers of the
        whole. A mode that is no mirror image is refused."""
        deck = self.write("guide.yaml", GUIDE.replace("cells: [3, 1, 6]", "cells: [4, 2, 6]"))
        card = ("mesh.surfaces.card={plane: {normal: z, at: 1}}", "boundaries.card={type: sheet, resistance: 0.8}", "order=2", "time.end=15")
        whole = self.compute(deck, "whole", *card)
        power = read_json(self.folder / "whole/report.json")["monitors"]["ports"]["incident_power"]
        quarter = ("mesh.box={max: [0.5, 0.25, 2], cells: [2, 1, 6]}", "boundaries.xmax={type: pmc, symmetry: true}",
                   "boundaries.ymax.symmetry=true")
        right = ("mesh.box={min: [0.5, 0, 0], max: [1, 0.5, 2], cells: [2, 2, 6]}", "boundaries.xmin={type: pmc, symmetry: true}")
        for name, settings, modes in (("quarter", quarter, ("m: 1, n: 0", "mode: 1")), ("right", right, ("mode: 1", "m: 1, n: 0"))):
            with self.subTest(name=name):
                ports = [f"boundaries.{port}={{type: te-port, {which}, axis: [1, 0, 0], direction: [0, 0, {into}]}}"
                         for port, which, into in zip(("in", "out"), modes, (1, -1))]
                part = self.compute(deck, "part", *card, *settings, *ports)
                self.compare(part.values(), whole.values(), 1e-3)  # the parts' diagonals are not mirror images
                found = read_json(self.folder / "part/report.json")["monitors"]["ports"]["incident_power"]
                numpy.testing.assert_allclose(found, power, rtol=1e-3)
        words = [word for setting in quarter for word in ("--set", setting)]
        for m in ("m: 2, n: 0", "mode: 2"):  # TE20 and TE01 have the same cut-off: axis chooses TE01
            self.refuse(1, ["boundaries.in: the field of the port is not its own mirror image", "plane of symmetry x = 0.5 of type pmc",
                            "take pec there"], "check", deck, *words, "--set",
                        f"boundaries.in={{type: te-port, {m}, axis: [1, 0, 0], direction: [0, 0, 1]}}")

    def test_two_media(self):
        """A guide with glass from the middle on: the ports' impedances differ, and S refers to each mode's own."""
        deck = self.write("guide.yaml", GUIDE.replace("cells: [3, 1, 6]", "cells: [3, 1, 6], split: {axis: z, at: 1, names: "
                                                      "[air, glass]}").replace("domain: {}", "air: {}, glass: {epsilon: 2}"))
        found = self.matrix(deck)
        w = 2 * math.pi * self.frequency
        air, glass = mode(w, math.pi), mode(w, math.pi, epsilon=2)
        exact = scattering(line(*air, 2 / 3) @ line(*glass, 2 / 3), air[1], glass[1])
        self.compare(found, exact, 7e-3)
        self.assertLess(abs(abs(found[0]) ** 2 + abs(found[2]) ** 2 - 1).max(), 7e-3)  # no loss
        self.assertLess(abs(found[1] - found[2]).max(), 7e-3)  # reciprocal

    def test_trapped(self):
        """Glass at the end of a guide keeps a field below the cut-off of the air behind it, which reaches the layer without travelling.
        The layer must not feed it: with a much smaller alpha the run ends, as energy grows that no source feeds."""
        deck = self.write("trapped.yaml", GUIDE.replace("[1, 0.5, 2], cells: [3, 1, 6]", "[1, 0.5, 1.5], cells: [3, 1, 5], split: "
                                                        "{axis: z, at: 0.6, names: [glass, air]}")
                          .replace("    in: {plane: {normal: z, at: 0.35}}\n", "").replace("at: 1.65", "at: 0.9")
                          .replace("domain: {}", "glass: {epsilon: 2.5}, air: {}").replace("zmin: {type: pml}", "zmin: {type: pec}")
                          .replace("zmax: {type: pml}", "zmax: {type: pml, layers: 1, thickness: 0.2}")
                          .replace("  in: {type: te-port, m: 1, n: 0, direction: [0, 0, 1]}\n", "")
                          .replace("{type: port, surface: in,", "{type: dipole, position: [0.45, 0.2, 0.2], direction: [0, 1, 0],")
                          .replace("width: 2.5, frequency: 0.78", "width: 1, frequency: 0.6")
                          .replace("{ports: {from: 0.66, to: 0.94, count: 8}}", "{energy: {every: 100}}"))
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--output", "trapped", "--set", "order=2", "--set", "time.end=80")
        with h5py.File(self.folder / "trapped/energy.h5") as file:
            late = file["energy"][()][file["time"][()] > 40]
        self.assertGreater(late[-1], 0.1)  # it is trapped
        self.assertLess(late[-1], late[0])

    def test_two_kinds(self):
        """A guide that ends at a resistor spread over all of its end. The mode's field sin(pi x) has the part 8 / pi^2 of
        its power in the resistor's uniform one; the rest is lost in the resistor, whose voltage is the mean field's."""
        deck = self.write("guide.yaml", GUIDE.replace("zmax: {type: pml}", "zmax: {type: lumped-port, resistance: 0.7, "
                                                      "direction: [0, 1, 0]}").replace(
            "  out: {type: te-port, m: 1, n: 0, direction: [0, 0, -1]}\n", ""))
        found = self.matrix(deck, ports=("in", "zmax"))
        k, z = mode(2 * math.pi * self.frequency, math.pi)
        square = 0.7 * 2  # ohms of a square: twice as wide as long
        back, way = (square - z) / (square + z), numpy.exp(-5j / 3 * k)
        through = math.sqrt(8) / math.pi * numpy.sqrt(z / square) * (1 + back) * way
        self.compare(found[:3], (back * way**2, through, through), 7e-3)

    def test_two_modes(self):
        """Ports for TE10 and TE20 on each of two surfaces, and between them a window at one side of the guide, where the modes become each
        other and no power is lost."""
        further = "  {0}2: {{type: te-port, m: 2, n: 0, direction: [0, 0, {1}], surface: {0}}}\n"
        text = GUIDE.replace("[1, 0.5, 2]", "[1, 0.3333, 2]").replace("sources:", further.format("in", 1) + further.format("out", -1) + "sources:")
        deck = self.write("two.yaml", text)
        band = ("sources.0.signal={type: gaussian, width: 4, frequency: 1.25, delay: 9}", "monitors.ports={from: 1.15, to: 1.35, count: 5}",
                "time.end=22")
        band += ("mesh.surfaces.block={box: {min: [0.65, -1, 0.95], max: [1.1, 1, 1.38]}}", "boundaries.block={type: pec}")
        w = 2 * math.pi * numpy.linspace(1.15, 1.35, 5)
        back, through = side_window(w, 1, 2 / 3, 1 / 3, 2)
        k = [mode(w, number * math.pi)[0] for number in (1, 2)]
        for j, port in enumerate(("in", "in2")):
            found = self.compute(deck, port, *band, f"sources.0.surface={port}", ranks=2 * j)
            exact = [s[:, i, j] * numpy.exp(-1j * (k[i] * way + k[j] * 2 / 3)) for s, way in ((back, 2 / 3), (through, 1 / 3)) for i in (0, 1)]
            self.compare((found["in"], found["in2"], found["out"], found["out2"]), exact, 2e-2)  # fields are infinite at the edges
            self.compare([sum(abs(wave) ** 2 for wave in found.values())], [1], 3e-2)
        self.assertRegex(self.succeed("check", deck, *(word for setting in band for word in ("--set", setting))).out, r"in2 +the same surface: te-port, TE20, cut-off in vacuum 1\n")
        said = self.succeed("run", deck, "--device", DEVICE, "--output", "told", *(word for setting in (
            *band[:1], "monitors.ports={from: 1.15, to: 1.55, count: 2}", "time.end=1", "boundaries.out={type: te-port, mode: 1, direction: [0, 0, -1]}",
            "boundaries.out2={type: te-port, mode: 3, direction: [0, 0, -1], surface: out}") for word in ("--set", setting))).out
        self.assertIn("'in': modes without a port, which are absorbed: TE30 above 1.5, TE01 above 1.50015\n", said)
        self.assertRegex(said, "'out': only 2 of the first 4 modes TE have a port")
        half = ("mesh.box.max=[0.5, 0.3333, 2]", "boundaries.xmax={type: pmc, symmetry: true}", "boundaries.zmin={type: absorbing}",
                "boundaries.zmax={type: absorbing}")
        for parts, *settings in (
                (["boundaries.in2: it has the same mode as 'in' on the same surface"], "boundaries.in2.m=1"),
                (["boundaries.in2: `direction` points to the open end"], "boundaries.in2.direction=[0, 0, -1]"),
                (["boundaries.in2: its direction is opposite to that of 'in'"], "boundaries.in2.direction=[0, 0, -1]", "boundaries.zmin={type: pec}",
                 "boundaries.zmax={type: pec}"),
                (["boundaries.in2: the field of the port is not its own mirror image", "model the whole structure"], *half),
                (["boundaries.in2.surface: 'inn' is no entry of `boundaries`"], "boundaries.in2.surface=inn"),
                (["boundaries.out.surface: the mesh has a surface 'out', which is not 'in'"], "boundaries.out.surface=in",
                 "boundaries.out2.surface=in"),
                (["boundaries.in2.surface: 'out2' has no surface of its own; name 'out'"], "boundaries.in2.surface=out2"),
                (["boundaries.in2.surface: 'in2' is of type 'te-port' and 'xmin' of type 'pec'"], "boundaries.in2.surface=xmin"),
                (["boundaries.in2.surface: 'lumped-port' is no type of which several can be on one surface"],
                 "boundaries.in2={type: lumped-port, resistance: 1, direction: [1, 0, 0], surface: in}")):
            self.refuse(1, parts, "check", deck, *(word for setting in settings for word in ("--set", setting)), ranks=(0,))

    def test_transverse_magnetic_mode(self):
        """TM11 in a square guide, with a resistive sheet across it; S refers to planes 0.1 further on than the ports."""
        ports = "{{type: tm-port, m: 1, n: 1, axis: [1, 0, 0], shift: 0.1, direction: [0, 0, {}]}}"
        deck = self.write("guide.yaml", GUIDE.replace("[1, 0.5, 2], cells: [3, 1, 6]", "[1, 1, 2], cells: [3, 3, 6]"))
        found = self.compute(deck, "card", "boundaries.in=" + ports.format(1), "boundaries.out=" + ports.format(-1),
                             "mesh.surfaces.card={plane: {normal: z, at: 1}}", "boundaries.card={type: sheet, resistance: 0.8}",
                             "sources.0.signal={type: gaussian, width: 2.5, frequency: 1, delay: 8}",
                             "monitors.ports={from: 0.9, to: 1.1, count: 5}")
        k, z = mode(2 * math.pi * self.frequency, math.pi * math.sqrt(2), "tm")
        half = line(k, z, 2 / 3 - 0.1)
        s = scattering(half @ shunt(1 / 0.8) @ half, z, z)
        self.compare((found["in"], found["out"]), (s[0], s[2]), 7e-3)

    # ---- cross-sections of any shape ----

    def write_part(self, name, cells, keep, text, wall=lambda x, y: "xmin", move=lambda x, y: (x, y)):
        """A deck `text` of the part of the unit cube, twice as long and moved in the plane, in which keep(x, y); what bounds it in the
        plane is in wall(x, y), and the surfaces in and out are in its plane at a quarter of its length from the ends."""
        cube = Cube(cells)

        def centre(corners):
            return [sum(cube.nodes[node][axis] for node in corners) / len(corners) for axis in range(3)]

        cube.tetrahedra = [corners for corners in cube.tetrahedra if keep(*centre(corners)[:2])]
        faces = collections.Counter(tuple(sorted(face)) for corners in cube.tetrahedra for face in itertools.combinations(corners, 3))
        cube.triangles = [(f"z{'min' if centre(face)[2] == 0 else 'max'}" if centre(face)[2] in (0, 1) else wall(*centre(face)[:2]), face)
                          for face, count in faces.items() if count == 1]
        ports = [(TRIANGLE, 8 + (z > 0.5), face) for face in faces for z in (0.25, 0.75) if all(cube.nodes[node][2] == z for node in face)]
        cube.nodes = [(*move(x, y), 2 * z) for x, y, z in cube.nodes]
        self.write(name + ".msh", cube.text(extra=ports).replace("Names\n7\n", 'Names\n9\n2 8 "in"\n2 9 "out"\n'))
        text = text[:text.index("mesh:")] + f"mesh: {{file: {name}.msh}}\n" + text[text.index("time:"):]
        gone = {f"  {side}" for side in ("xmax", "ymin", "ymax")} - {f"  {group}" for group, _ in cube.triangles}
        return self.write(name + ".yaml", "".join(line for line in text.splitlines(True) if line.split(":")[0] not in gone))

    def test_triangle(self):
        """Half of a square guide, whose lowest TE mode is the sum of TE10 and TE01: at the same cut-off."""
        deck = self.write_part("triangle", 4, lambda x, y: x > y, GUIDE.replace("m: 1, n: 0", "mode: 1"))
        found = self.compute(deck, "triangle", "order=2")
        k, _ = mode(2 * math.pi * self.frequency, math.pi)
        self.compare((found["in"], found["out"] / abs(found["out"])), (0, numpy.exp(-1j * k)), 9e-3)
        self.compare([abs(found["out"])], [1], 3e-2)  # less, by what upwind fluxes take
        self.refuse(1, ["conducting walls around it", "only 0 of its rim of 3.414 is on walls"], "check", deck, "--set",
                    "boundaries.xmin={type: pmc}", ranks=(0,))
        self.refuse(1, ["boundaries.in: `direction` points to the open end of the guide"], "check", deck, "--set",
                    "boundaries.in.direction=[0, 0, -1]", ranks=(0,))
        self.refuse(1, ["boundaries.in: the mode is given by 'm' and 'n' and by 'mode'"], "check", deck, "--set",
                    "boundaries.in.m=1", ranks=(0,))

    def test_square_line(self):
        """A square conductor in a square tube of twice its size: 1 / 10.2341 of the wave impedance (tests/equation/test_port_shapes.c)."""
        text = PLATES.replace("lumped-port, resistance: 0.3, direction: [0, 1, 0]", "tem-port, resistance: 0.2").replace(
            "lumped-port, resistance: 1.2, direction: [0, 1, 0]", "tem-port").replace("{type: pmc}", "{type: pec}")
        deck = self.write_part("square", 4, lambda x, y: max(abs(x - 0.5), abs(y - 0.5)) > 0.25, text)
        result = self.succeed("check", deck)
        self.assertRegex(result.out, r"zmax .* tem-port, 0\.097\d*, the line in vacuum 0\.097")
        self.refuse(1, ["boundaries.zmin: the surface 'fin' crosses the port"], "check", deck, "--set",
                    "mesh.surfaces.fin={plane: {normal: x, at: 0.5}}", "--set", "boundaries.fin={type: pec}", ranks=(0, 2))
        self.refuse(1, ["boundaries.zmin.voltages: the surface 'xmin' has several of the conductors"], "check", deck, "--set",
                    "boundaries.zmin.voltages={xmin: 1}", ranks=(0, 2))
        found = self.compute(deck, "square", "time.end=12", "monitors.ports={from: 0.05, to: 0.4, count: 8}")
        w, z = 2 * math.pi * self.frequency, 1 / 10.2341
        s = scattering(line(w, z, 2), 0.2, z)
        self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 2.5e-2)  # waves are 0.4 % too slow: of the edges
        self.compare([abs(found[port]) for port in ("zmin", "zmax")], (abs(s[0]), abs(s[2])), 6e-3)
        # A quarter, which the deck speaks of as the whole.
        quarter = self.write_part("quarter", 2, lambda x, y: max(x, y) > 0.5, text.replace("{type: pec}", "{type: pmc, symmetry: true}").replace(
            "xmin: {type: pmc, symmetry: true}", "xmin: {type: pec}"), lambda x, y: "xmax" if x == 0 else "ymax" if y == 0 else "xmin",
            lambda x, y: (0.5 * x, 0.5 * y))
        self.assertRegex(self.succeed("check", quarter).out, r"zmax .* tem-port, 0\.097\d*, the line in vacuum 0\.097")
        found = self.compute(quarter, "quarter", "time.end=12", "monitors.ports={from: 0.05, to: 0.4, count: 8}")
        self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 2.5e-2)

    def test_pair(self):
        """Two square conductors, each in its half of a tube of 2 by 1. With opposite voltages each half is the line of test_square_line,
        since the middle is as a conductor; with equal ones it is as a magnetic wall, and finite differences give the impedance."""
        pair = "voltages: {ymin: 0.5, ymax: -0.5}"
        text = PLATES.replace("lumped-port, resistance: 0.3, direction: [0, 1, 0]", f"tem-port, resistance: 0.3, {pair}").replace(
            "lumped-port, resistance: 1.2, direction: [0, 1, 0]", f"tem-port, {pair}").replace("{type: pmc}", "{type: pec}")

        def move(x, y):
            return [0, 0.25, 0.75, 1, 1.25, 1.75, 2][round(6 * x)], [0, 0.125, 0.25, 0.5, 0.75, 0.875, 1][round(6 * y)]

        def wall(x, y):
            if x in (0, 1) or y in (0, 1):
                return "xmin"
            return "ymin" if x < 0.5 else "ymax" if y < 0.5 else "xmax"

        deck = self.write_part("pair", 6, lambda x, y: int(6 * x) not in (1, 4) or int(6 * y) not in (2, 3), text, wall, move)
        for voltages, z in (("{ymin: 0.5, ymax: -0.5}", 2 / 10.2341), ("{ymin: 1, ymax: 1}", 0.05858)):
            result = self.succeed("check", deck, "--set", f"boundaries.zmax.voltages={voltages}")
            self.assertAlmostEqual(float(re.search(r"zmax .* tem-port, ([\d.]+), the line", result.out)[1]) / z, 1, delta=6e-3)
        # A half, behind whose plane of symmetry of type pec the other conductor has the opposite voltage, of type pmc the same.
        half = self.write_part("half", 6, lambda x, y: x < 0.5 and (int(6 * x) != 1 or int(6 * y) not in (2, 3)), text.replace(
            pair, "voltages: {ymin: 0.5}"), lambda x, y: "xmax" if x == 0.5 else wall(x, y), move)
        for kind, voltage, z in (("pec", 0.5, 2 / 10.2341), ("pmc", 1, 0.05858)):
            words = ("--set", f"boundaries.xmax={{type: {kind}, symmetry: true}}", "--set", f"boundaries.zmax.voltages.ymin={voltage}")
            result = self.succeed("check", half, *words)
            self.assertAlmostEqual(float(re.search(r"zmax .* tem-port, ([\d.]+), the line", result.out)[1]) / z, 1, delta=6e-3)
        self.refuse(1, ["boundaries.zmax.voltages: 'xmin' has 1, and meets its mirror image", "give 0, or take pmc there"], "check", half,
                    "--set", "boundaries.xmax.symmetry=true", "--set", "boundaries.zmax.voltages.xmin=1", ranks=(0, 2))
        short = ("order=2", "time.end=12", "monitors.ports={from: 0.05, to: 0.4, count: 8}", "output.checkpoint.steps=100000")
        found = self.compute(deck, "pair", *short, ranks=2)
        words = ("run", deck, "--quiet", "--device", DEVICE, "--output", "pair", "--restart", "auto",
                 *(word for setting in short for word in ("--set", setting)))
        self.refuse(1, ["S-parameters need the whole run"], *words, "--set", "boundaries.zmax.voltages={ymin: -0.5, ymax: 0.5}", ranks=(0,))
        common = "boundaries.{0}2={{type: tem-port, surface: {0}, voltages: {{ymin: 1, ymax: 1}}}}"
        self.refuse(1, ["S-parameters need the whole run"], *words, "--set", common.format("zmax"), ranks=(0,))
        self.succeed(*words, "--set", "boundaries.zmax.voltages={ymax: -0.5, xmin: 0, ymin: 0.5}")
        z = 2 / 10.2341
        s = scattering(line(2 * math.pi * self.frequency, z, 2), 0.3, z)
        self.compare([abs(found["zmin"])], [abs(s[0])], 8e-3)
        self.compare([abs(found["zmax"])], [abs(s[2])], 2e-2)  # upwind fluxes take it, at the edges
        # Both modes are absorbed, and none becomes the other.
        found = self.compute(deck, "common", *short, "boundaries.zmin.resistance=0", *(common.format(port) for port in ("zmin", "zmax")),
                             "sources.0.surface=zmin2")
        self.compare((found["zmin"], found["zmin2"], found["zmax"]), (0, 0, 0), 1e-2)
        self.compare([found["zmax2"]], [numpy.exp(-4j * math.pi * self.frequency)], 6e-2)  # slower and less: at the edges
        self.refuse(1, ["boundaries.zmin2: its resistance and that of 'zmin', on the same surface, end the line differently"], "check", deck,
                    "--set", common.format("zmin"), ranks=(2,))
        # A port for each conductor at either end.
        each = [f"boundaries.{name}={{type: tem-port, voltages: {{{one}: 1, {other}: 0}}{more}}}" for end in ("zmin", "zmax")
                for name, one, other, more in ((end, "ymin", "ymax", ""), (end + "2", "ymax", "ymin", f", surface: {end}"))]
        images = ([0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0])
        found, references = self.columns(deck, ["zmin", "zmin2", "zmax", "zmax2"], {"zmin": images}, *short, *each)
        exact = coupled(2 * math.pi * self.frequency, ((1, 0.05858), (1, z)), 2, [[0.5, 0.5], [1, -1]], references[:2])
        self.assertLess(abs(found - exact).max(), 6e-2)  # as above
        self.assertLess(abs(found - exact)[:, 0, :2].max(), 1e-2)  # 0.086 of it from one conductor to the other
        for parts, setting in (
                (["the port must be all that lies between two conductors", "3 closed lines; with several conductors give `voltages`"], "{}"),
                (["boundaries.zmin.voltages: the conductor at (", "has none; name its surface"], "{ymin: 1}"),
                (["boundaries.zmin.voltages: the surface 'zmax' does not reach the port"], "{ymin: 1, zmax: 1}"),
                (["boundaries.zmin.voltages: 'ymax' and 'xmax' are one conductor"], "{ymin: 1, ymax: 1, xmax: 2}"),
                (["boundaries.zmin.voltages: all conductors have the same one"], "{ymin: 1, ymax: 1, xmin: 1}"),
                (["boundaries.zmin.voltages: all conductors have the same one"], "{ymin: 1e-200, ymax: 0}"),
                (["boundaries.zmin.voltages: 1e+200 is more than 1e+06"], "{ymin: 1e200, ymax: 0}"),
                (["boundaries.zmin.voltages: 'left' is no entry of `boundaries`"], "{left: 1, ymax: 1}"),
                (["boundaries.zmin.voltages.ymin must be a number"], "{ymin: high, ymax: 1}"),
                (["boundaries.zmin.voltages names 5 surfaces, and at most 4 are possible"], "{a: 1, b: 1, c: 1, d: 1, e: 1}")):
            self.refuse(1, parts, "check", deck, "--set", f"boundaries.zmin.voltages={setting}", ranks=(0, 2) if "zmax" in setting else (0,))
        self.refuse(1, ["boundaries.zmin.voltages: no face of the mesh has the entry 'default'"], "check", deck, "--set",
                    "boundaries.default.type=pec", "--set", "boundaries.zmin.voltages={default: 0.5, ymin: 1, ymax: 2}", ranks=(0, 2))

    # ---- the same answers ----

    def write_strip(self, name):
        """A strip 1 wide in the middle of a tube of 3 by 1, 4 long, between the media below and above, and the surfaces in and out across
        it, 1 from the ends."""
        cube = Cube(4)
        names = '12\n2 8 "in"\n2 9 "out"\n2 10 "strip"\n3 11 "below"\n3 12 "above"\n'
        faces = {tuple(sorted(face)) for corners in cube.tetrahedra for face in itertools.combinations(corners, 3)}

        def group(face):
            x, y, z = ({cube.nodes[node][axis] for node in face} for axis in range(3))
            if z == {0.25} or z == {0.75}:
                return 8 + (z == {0.75})
            return 10 if y == {0.5} and x <= {0.25, 0.5, 0.75} else None

        extra = [(TRIANGLE, group(face), face) for face in sorted(faces) if group(face)]
        extra += [(TETRAHEDRON, 11 + (sum(cube.nodes[node][1] for node in corners) > 2), corners) for corners in cube.tetrahedra]
        cube.nodes = [([0, 1, 1.5, 2, 3][round(4 * x)], y, 4 * z) for x, y, z in cube.nodes]
        self.write(name + ".msh", cube.text(tetrahedra=False, extra=extra).replace("\n7\n", f"\n{names}", 1))

    def write_guide(self, name, move):
        """A mesh file of GUIDE, whose nodes are moved; absorbing ends."""
        cube = Cube(4)
        ports = {(group, face) for corners in cube.tetrahedra for face in itertools.combinations(sorted(corners), 3)
                 for group, z in ((8, 0.25), (9, 0.75)) if all(cube.nodes[node][2] == z for node in face)}
        cube.nodes = [move(x, 0.5 * y, 2 * z) for x, y, z in cube.nodes]
        text = cube.text(extra=[(TRIANGLE, *port) for port in sorted(ports)]).replace("Names\n7\n", 'Names\n9\n2 8 "in"\n2 9 "out"\n')
        self.write(name + ".msh", text)
        box = GUIDE[GUIDE.index("  box:"):GUIDE.index("time:")]
        return self.write(name + ".yaml", GUIDE.replace(box, f"  file: {name}.msh\n").replace("pml", "absorbing"))

    def test_turned_guide(self):
        """Where the longer side lies along no axis, `axis` says which one it is."""
        short = ("order=2", "time.end=8")
        straight = self.compute(self.write_guide("straight", lambda x, y, z: (x, y, z)), "straight", *short)
        deck = self.write_guide("turned", lambda x, y, z: (0.6 * x + 0.8 * z, y, 0.6 * z - 0.8 * x))
        short += ("boundaries.in.direction=[0.8, 0, 0.6]", "boundaries.out.direction=[-0.8, 0, -0.6]")
        self.refuse(1, ["boundaries.in: 'axis' is needed", "its longer side does not lie along x, y or z"], "check", deck,
                    *(word for setting in short for word in ("--set", setting)), ranks=(0,))
        turned = self.compute(deck, "turned", *short, *(f"boundaries.{port}.axis=[0.6, 0, -0.8]" for port in ("in", "out")))
        for port, found in turned.items():
            self.assertLess(abs(found - straight[port]).max(), 1e-12)

    def test_ranks_and_restarts(self):
        deck = self.write("guide.yaml", GUIDE)
        short = ("order=2", "time.steps=120")
        known = self.compute(deck, "known", *short)
        deck = self.write("guide.yaml", GUIDE.replace("m: 1, n: 0", "mode: 1"))
        self.compare(self.compute(deck, "alone", *short).values(), known.values(), 3e-3)
        with h5py.File(self.folder / "known/ports.h5") as one, h5py.File(self.folder / "alone/ports.h5") as other:
            for port in ("in", "out"):
                voltage = one[port]["voltage"][()]
                numpy.testing.assert_allclose(other[port]["voltage"], voltage, atol=3e-3 * abs(voltage).max())
        alone = (self.folder / "alone/ports.csv").read_bytes()
        self.compute(deck, "ranks", *short, ranks=2)
        self.assertEqual((self.folder / "ranks/ports.csv").read_bytes(), alone)
        self.compute(deck, "parts", "order=2", "time.steps=60", "output.checkpoint.steps=60")
        words = ("run", deck, "--quiet", "--device", DEVICE, "--output", "parts", "--restart", "auto")
        spelled = ("boundaries.in.axis=[2, 0, 0]", "boundaries.in.shift=0", "boundaries.in.direction=[0, 0, 3]")  # the same port
        other = ("boundaries.in.axis=[-1, 0, 0]", *spelled[1:])  # the voltage has another sign
        self.refuse(1, ["S-parameters need the whole run"], *words, *(word for setting in (*short, *other) for word in ("--set", setting)),
                    ranks=(0,))
        self.succeed(*words, *(word for setting in (*short, *spelled) for word in ("--set", setting)))
        self.assertEqual((self.folder / "parts/ports.csv").read_bytes(), alone)

    def test_settled(self):
        """A run ends by itself when S-parameters have settled, on all ranks at the same step, and goes on from before that as if it had
        not been interrupted. Frequencies at which no port carries power do not count."""
        deck = self.write("guide.yaml", GUIDE)
        settings = ("order=2", "time={end: 400, integrator: ndblsrk144, stop: {spectra: 1e-2}}", "monitors.ports={from: 0.3, to: 0.9, count: 3}",
                    "mesh.box.cells=[2, 1, 4]", "mesh.surfaces.in.plane.at=0.5", "mesh.surfaces.out.plane.at=1.5",
                    "output.checkpoint={steps: 120, keep: 9}")
        end = "time={end: 120, integrator: ndblsrk144}"
        exact = self.compute(deck, "exact", *(end if setting.startswith("time") else setting for setting in settings))
        found = self.compute(deck, "one", *settings)
        one = read_json(self.folder / "one/report.json")
        self.assertEqual(one["ended_by"], "time.stop.spectra")
        self.assertLess(one["spectra_remain"], 1e-2)
        self.assertLess(one["time"], 100)
        for port, values in found.items():
            self.assertTrue(numpy.isnan(values[self.frequency < 0.505]).all())
            self.assertLess(numpy.nanmax(abs(values - exact[port])), 1e-2)
        self.compute(deck, "two", *settings, ranks=2)
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--output", "parts", "--restart", self.folder / "one/checkpoint-240.h5",
                     *(word for setting in settings for word in ("--set", setting)))
        for name in ("two", "parts"):
            report = read_json(self.folder / name / "report.json")
            self.assertEqual((report["ended_by"], report["steps"]), (one["ended_by"], one["steps"]))
            self.assertEqual((self.folder / name / "ports.csv").read_bytes(), (self.folder / "one/ports.csv").read_bytes())

    def test_longer(self):
        """A run that goes on until nothing is left warns no longer; one that would drive another port, or take other steps, is
        refused."""
        deck = self.write("plates.yaml", PLATES)
        command = ("run", deck, "--device", DEVICE, "--output", "parts", "--restart", "auto", "--set")
        result = self.succeed(*command, "time.end=4", "--set", "output.checkpoint.steps=100000")
        self.assertIn("  warning: at the end of the run a port's voltage was still", result.out)
        for parts, setting in ((["S-parameters need the whole run", "drove another port"], "sources.0.surface=zmax"),
                               (["S-parameters need the whole run"], "boundaries.zmax.resistance=1"),
                               (["S-parameters need the same time step", "and is"], "time.cfl=0.5")):
            self.refuse(1, parts, *command, "time.end=24", "--set", setting, ranks=(0,))
        self.assertIn("sources: 'port: surface zmin, signal",
                      self.sedge(*command, "time.end=24", "--set", "sources.0.surface=zmax").out)
        result = self.succeed(*command, "time.end=24")
        self.assertNotIn("warning", result.out)
        found = self.read("parts")
        least = abs(found["zmin"]).argmin()
        self.assertIn(f"    least comes back to 'zmin' at {self.frequency[least]:.6g}: "
                      f"{20 * math.log10(abs(found['zmin'][least])):.3f} dB\n", result.out)
        s = scattering(line(2 * math.pi * self.frequency, 0.5, 2), 0.3, 1.2)
        self.compare((found["zmin"], found["zmax"]), (s[0], s[2]), 5e-4)

    def test_no_layer(self):
        """Waves that come back from behind a port, and more power than was sent, are told."""
        deck = self.write("guide.yaml", GUIDE)
        result = self.succeed("run", deck, "--device", DEVICE, "--output", "closed", "--set", "order=2", "--set", "time.end=16",
                              "--set", "boundaries.zmax={type: pec}")
        self.assertIn("warning: what leaves through 'out' comes back from behind", result.out)
        self.assertIn("times the power that 'in' sends in", result.out)

    # ---- what is refused ----

    def test_places(self):
        """A port in the wrong place is refused with S-parameters and without, once on all ranks together."""
        guide, plates = self.write("guide.yaml", GUIDE), self.write("plates.yaml", PLATES)
        for deck, parts, *settings in (
                (guide, ["boundaries.in: the mesh is one of 2 parts", "the port 'in' has 1 of its own"],
                 "boundaries.zmax={type: pec, symmetry: true}"),
                (guide, ["conducting walls around it", "only 2 of its rim of 3"], "boundaries.xmax={type: pmc}", "boundaries.xmin={type: pmc}"),
                (guide, ["boundaries.in: the surface 'septum' crosses the port"], "mesh.box.cells=[4, 1, 6]",
                 "mesh.surfaces.septum={plane: {normal: x, at: 0.5}}", "boundaries.septum={type: pec}"),
                (guide, ["boundaries.in: `direction` points to the open end of the guide", "reverse it"],
                 "boundaries.in.direction=[0, 0, -1]"),
                (plates, ["boundaries.zmin: along `direction` a lumped port goes from one conductor to another",
                          "at both of its ends"], "boundaries.zmin.direction=[1, 0, 0]"),
        ):
            for command, ranks, monitors in (("check", 0, ()), ("check", 2, ("monitors={}",)), ("run", 0, ("monitors={}",))):
                words = [word for setting in (*settings, *monitors) for word in ("--set", setting)]
                self.refuse(1, parts, command, deck, *words, ranks=(ranks,))

    def test_refusals(self):
        guide, plates = self.write("guide.yaml", GUIDE), self.write("plates.yaml", PLATES)
        coax = self.write("coax.yaml", COAX.format(mesh=SOURCE / "meshes/coax.msh"))
        for deck, parts, *settings in (
                (plates, ["the direction (0, 0.7071, 0.7071) does not lie in the plane of the surface"],
                 "boundaries.zmin.direction=[0, 1, 1]"),
                (plates, ["a whole rectangle with two sides along (0.7071, 0.7071, 0)"], "boundaries.zmin.direction=[1, 1, 0]"),
                (plates, ["the plane of symmetry x = 0.5, of type pmc, cuts the surface", "must be in the plane"], "boundaries.xmax.symmetry=true",
                 "boundaries.zmin.direction=[1, 0, 0]"),
                (plates, ["the surface must be a ring between two circles"], "boundaries.zmin={type: coaxial-port}"),
                (plates, ["boundaries.zmin.resistance 0 must be greater than 0"], "boundaries.zmin.resistance=0"),
                (plates, ["sources.0.surface: 'xmin' has a type in `boundaries` that no source drives"],
                 "sources.0.surface=xmin"),
                (plates, ["sources.0.surface: 'left' is no entry of `boundaries`"], "sources.0.surface=left"),
                (plates, ["sources.1.surface: 'zmin' has a source already, on line"],
                 "sources=[{type: port, surface: zmin, signal: {type: ricker, frequency: 1}}, "
                 "{type: port, surface: zmin, signal: {type: ricker, frequency: 1}}]"),
                (plates, ["the fields are the scattered ones"],
                 "sources=[{type: plane-wave, direction: [0, 0, 1], polarisation: [0, 1, 0], signal: {type: ricker, frequency: 1}}]"),
                (plates, ["monitors.ports", "'from', 2, must not be above 'to', 1"], "monitors.ports={from: 2, to: 1}"),
                (coax, ["the surface must be a whole rectangle"],
                 "boundaries.far={type: lumped-port, resistance: 50, direction: [1, 0, 0]}"),
                (coax, ["the surface must be flat"],
                 "boundaries.conductors={type: lumped-port, resistance: 50, direction: [0, 0, 1]}"),
                (guide, ["boundaries.in: the surface must be flat", "let the mesh have the plane"],
                 "mesh.surfaces.in.plane.at=0.1"),
                (guide, ["the surface 'in' (te-port) reaches the layer of boundaries.zmin"],
                 "mesh.surfaces.in.plane.at=-0.001"),
                (guide, ["'te-port' is for surfaces inside the mesh"],
                 "boundaries.zmin={type: te-port, m: 1, n: 0, direction: [0, 0, 1]}"),
                (guide, ["there is no mode TE00"], "boundaries.in.m=0"),
                (guide, ["the direction (1, 0, 0) is not across the port"], "boundaries.in.direction=[1, 0, 0]"),
                (guide, ["'axis' is needed", "its sides are equal"], "mesh.box.max=[0.5, 0.5, 2]"),
                (guide, ["all frequencies up to 0.5", "cut-off 0.5 of the mode of the port 'in'"],
                 "monitors.ports={from: 0.2, to: 0.5}"),
                (guide, ["boundaries.in: shift 35 moves the port's plane out of the mesh", "are the units right?"],
                 "boundaries.in.shift=35"),
                (plates, ["the spectrum of the source's signal is at most", "let sources.0.signal cover"],
                 "sources.0.signal={type: gaussian, width: 10, frequency: 0.1}"),
                (plates, ["the spectrum of the source's signal is at most 0 of its peak"],
                 "sources.0.signal={type: gaussian, width: 1e9, frequency: 1e-9}"),
                (plates, ["S-parameters need a signal that ends"], "sources.0.signal={type: cw, frequency: 0.5}"),
                (plates, ["monitors.ports", "the run begins with fields (initial, of type 'plane-wave')"],
                 "initial={type: plane-wave, direction: [0, 0, 1], polarisation: [0, 1, 0], signal: {type: ricker, frequency: 1}}"),
                (plates, ["ports.h5 has a group for each port", "give the surface 'time' another name"],
                 "mesh.surfaces.time={plane: {normal: z, at: 1}}",
                 "boundaries.time={type: lumped-port, resistance: 1, direction: [0, 1, 0]}"),
                (guide, ["monitors.ports: no surface in `boundaries` is a port"],
                 "sources=[]", "boundaries.in={type: pec}", "boundaries.out={type: pec}"),
        ):
            words = [word for setting in settings for word in ("--set", setting)]
            self.refuse(1, parts, "check", deck, *words, ranks=(0,))


if __name__ == "__main__":
    unittest.main()
