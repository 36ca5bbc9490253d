"""Far fields of closed surfaces: against the integrals over the same points of spectra.h5, made here, and
against the Mie series."""

import csv
import math
import re
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, TETRAHEDRON, Case, Cube, read_json, sides

DIPOLE = """\
equation: maxwell
order: 2
precision: fp64
mesh: {box: {cells: [4, 4, 4]}, surfaces: {around: {box: {min: [0.2, 0.2, 0.2], max: [0.8, 0.8, 0.8]}}}}
time: {steps: 300}
materials: {domain: {epsilon: 1}}
""" + sides("absorbing") + """\
sources:
  - {type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], signal: {type: ricker, frequency: 1}}
monitors:
  frequencies: {list: [0.5, 1.0]}
  spectra: {around: {surface: around}}
  far-field:
    around: {surface: around, centre: [0.5, 0.4, 0.3], theta: {step: 30}, phi: {to: 300, step: 60}, ffd: true}
    ground:
      surface: around
      centre: [0.5, 0.5, -0.1]
      theta: {step: 30}
      phi: {to: 300, step: 60}
      images: {z: {type: pec, at: -0.1, ground: true}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

OPEN = """\
equation: maxwell
order: 2
precision: fp32
mesh: {box: {min: [-1.2, -1.2, LOW], max: [1.2, 1.2, HIGH], cells: [6, 6, CELLS]},
       surfaces: {around: {box: {min: [-0.9, -0.9, -0.9], max: [0.9, 0.9, TOP]}}}}
time: {end: 11, integrator: ndblsrk144}
materials: {domain: {}}
""" + sides("pml") + """\
sources: [SOURCES]
monitors:
  frequencies: {list: [0.5, 0.625]}
  far-field: {ff: {surface: around, theta: {step: 15}, phi: {to: 330, step: 30}IMAGES}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

SPHERE = """\
equation: maxwell
order: 1
precision: fp32
mesh: {{file: {mesh}}}
time: {{end: 14, integrator: ndblsrk144}}
materials: {{air: {{epsilon: 1}}}}
boundaries: {{sphere: {{type: pec}}, outer: {{type: absorbing}}}}
sources:
  - type: plane-wave
    direction: [0, 0, 2]
    polarisation: [2, 0, 0]
    origin: [0, 0, -1]
    signal: {{type: ricker, frequency: 0.3}}
monitors:
  frequencies: {{list: [0.15915494309189535, 0.3183098861837907]}}
  far-field: {{ball: {{surface: sphere, theta: {{step: 10}}}}, hull: {{surface: outer, theta: {{step: 10}}}}}}
exact: {{type: mie, radius: 1}}
output: {{snapshots: 0}}
kernels: {{tune: "off"}}
"""

# A conducting box with elements on both sides, in a total-field surface, in another surface.
NESTED = """\
equation: maxwell
order: 2
precision: fp32
mesh:
  box: {min: [-4, -4, -4], max: [4, 4, 4], cells: [8, 8, 8]}
  surfaces:
    body: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}
    entry: {box: {min: [-2, -2, -2], max: [2, 2, 2]}}
    outer: {box: {min: [-3, -3, -3], max: [3, 3, 3]}}
time: {end: 40, integrator: ndblsrk144}
materials: {domain: {epsilon: 1}}
""" + sides("absorbing") + """\
  body: {type: pec}
  entry: {type: total-field}
sources:
  - type: plane-wave
    direction: [0, 0, 1]
    polarisation: [1, 0, 0]
    origin: [0, 0, -2]
    signal: {type: ricker, frequency: 0.1}
monitors:
  frequencies: {list: [0.1]}
  far-field:
    body: {surface: body, theta: {step: 30}}
    entry: {surface: entry, theta: {step: 30}}
    outer: {surface: outer, theta: {step: 30}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

# A ball of a dispersive medium, in a coarse mesh.
BALL = """\
equation: maxwell
order: 1
precision: fp64
mesh: {{file: {mesh}}}
time: {{end: 13, integrator: ndblsrk144}}
materials:
  air: {{}}
  ball: {{epsilon: 1.5, lorentz: {{strength: 1, frequency: 0.5, damping: 0.3}}}}
boundaries: {{outer: {{type: pml, layers: 1}}, around: {{type: total-field}}}}
sources:
  - type: plane-wave
    direction: [0, 0, 1]
    polarisation: [2, 0, 0]
    origin: [0, 0, -1.5]
    signal: {{type: ricker, frequency: 0.25, delay: 3.5}}
monitors:
  frequencies: {{list: [0.15915494309189535, 0.25]}}
  far-field: {{ball: {{surface: around, theta: {{step: 10}}}}}}
  spectra:
    near: {{points: {{inside: [0.4, 0.2, 0.3], beside: [0.2, 1.3, 0.1], scattered: [0.1, 0.1, 1.8]}}}}
exact: {{type: mie, radius: 1, material: ball}}
output: {{snapshots: 0}}
kernels: {{tune: "off"}}
"""


def mie_extinction(epsilon, x):
    """Of a sphere of radius 1 and size parameter x: Bohren and Huffman, chapter 4, whose time goes as exp(-i w t)."""
    m = numpy.sqrt(numpy.conj(epsilon))
    most = int(x + 4 * x ** (1 / 3) + 10)
    slope = numpy.zeros(most + 40, complex)  # d log psi_n(m x), downwards
    for n in range(most + 39, 0, -1):
        slope[n - 1] = n / (m * x) - 1 / (slope[n] + n / (m * x))
    before, psi = math.cos(x), math.sin(x)
    chi_before, chi = -math.sin(x), math.cos(x)
    total = 0.0
    for n in range(1, most + 1):
        before, psi = psi, (2 * n - 1) / x * psi - before
        chi_before, chi = chi, (2 * n - 1) / x * chi - chi_before
        xi, xi_before = psi - 1j * chi, before - 1j * chi_before
        for factor in (slope[n] / m, slope[n] * m):
            total += (2 * n + 1) * (((factor + n / x) * psi - before) / ((factor + n / x) * xi - xi_before)).real
    return 2 * math.pi / x**2 * total


def unit_vectors(theta, phi):
    st, ct, sp, cp = numpy.sin(theta), numpy.cos(theta), numpy.sin(phi), numpy.cos(phi)
    return ((st * cp, st * sp, ct + 0 * phi), (ct * cp, ct * sp, -st + 0 * phi), (-sp + 0 * theta, cp + 0 * theta,
                                                                                0 * theta + 0 * phi))


# A dipole in a box below a conducting plate.
LOSSY = """\
equation: maxwell
order: 2
precision: fp32
mesh:
  file: cube.msh
  surfaces:
    inner: {box: {min: [0.37, 0.37, 0.24], max: [0.63, 0.63, 0.51]}}
    outer: {box: {min: [0.12, 0.12, 0.12], max: [0.88, 0.88, 0.88]}}
    block: {groups: [tag8]}
time: {end: 8, integrator: ndblsrk144, stop: {spectra: 1e-3}}
materials: {domain: {epsilon: 1}, tag8: {conductivity: 16}}
""" + sides("absorbing") + """\
sources:
  - {type: dipole, position: [0.5, 0.5, 0.375], direction: [1, 0, 0], signal: {type: ricker, frequency: 1}}
monitors:
  frequencies: {list: [0.8, 1.2]}
  flux: {block: {surface: block, out_of: tag8}}
  far-field: {outer: {surface: outer, input: inner, theta: {step: 30}, phi: {step: 90}}}
output: {snapshots: 0, checkpoint: {steps: 70, keep: 99}}
kernels: {tune: "off"}
"""


class FarField(Case):
    def compute(self, deck, name, *words, device=DEVICE, **options):
        self.succeed("run", deck, "--device", device, "--quiet", "--output", name, *words, **options)
        with h5py.File(self.folder / name / "far-field.h5") as file:
            found = {}
            file.visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found

    def run_and_read(self, deck, name, *words):
        """Also what the run prints, by lines."""
        lines = self.succeed("run", deck, "--device", DEVICE, "--output", name, *words).out.splitlines()
        with h5py.File(self.folder / name / "far-field.h5") as file:
            found = {}
            file.visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found, lines

    def find_rows(self, lines, title, count):
        """The numbers of a printed table's head and of its rows."""
        first = next(i for i, line in enumerate(lines) if title in line) + 1
        return [[float(word) for word in line.split() if re.fullmatch(r"[-+.0-9e]+", word)]
                for line in lines[first:first + 1 + count]]

    def check_csv(self, found, name, path):
        with open(path) as file:
            rows = list(csv.DictReader(file))
        for column in rows[0]:
            if column in ("frequency", "theta", "phi", "axial_ratio"):  # of a linear field that one is noise
                continue
            values = found[f"{name}/{column.removesuffix('_re').removesuffix('_im').replace('exact_', 'exact/')}"]
            values = values.imag if column.endswith("_im") else values.real
            numpy.testing.assert_allclose([float(row[column]) for row in rows], values.ravel(), atol=1e-8 * abs(values).max(),
                                          err_msg=column)

    def check_ffd(self, found, name, path):
        """Read the file as antenna tools do (Frequency lines between blocks of theta x phi rows, phi fastest), and
        compare with the fields over the transform of the signal."""
        lines = path.read_text().splitlines()
        axes = [numpy.linspace(float(first), float(last), int(count))
                for first, last, count in (line.split() for line in lines[:2])]
        numpy.testing.assert_allclose(axes[0], found[f"{name}/theta"], atol=1e-9)
        numpy.testing.assert_allclose(axes[1], found[f"{name}/phi"], atol=1e-9)
        self.assertEqual(lines[2], f"Frequencies {len(found[f'{name}/frequency'])}")
        size = len(axes[0]) * len(axes[1])
        for f, frequency in enumerate(found[f"{name}/frequency"]):
            block = lines[3 + f * (size + 1):3 + (f + 1) * (size + 1)]
            self.assertEqual(block[0].split()[0], "Frequency")
            self.assertAlmostEqual(float(block[0].split()[1]), frequency, delta=1e-9 * frequency)
            rows = numpy.array([[float(number) for number in row.split()] for row in block[1:]])
            rows = rows.reshape(len(axes[0]), len(axes[1]), 4)
            for c, part in ((0, "E_theta"), (2, "E_phi")):
                fields = (rows[..., c] + 1j * rows[..., c + 1]) * found[f"{name}/incident"][f]
                numpy.testing.assert_allclose(fields, found[f"{name}/{part}"][f],
                                              atol=1e-8 * abs(found[f"{name}/E_theta"][f]).max())
        self.assertEqual(len(lines), 3 + len(found[f"{name}/frequency"]) * (size + 1))

    def test_dipole(self):
        """The integrals are those of the points in spectra.h5, to rounding. The dipole's directivity is 1.5 at
        theta = 90 degrees, but for what the near absorbing boundary reflects. Over a ground at the distance h its field
        is 2 cos(k h cos(theta)) times as large, and 0 below. Sums go on from a checkpoint on other ranks."""
        deck = self.write("dipole.yaml", DIPOLE)
        found = self.compute(deck, "whole", ranks=2)
        with h5py.File(self.folder / "whole/spectra.h5") as file:
            near = {name: file["spectra/around"][name][()] for name in file["spectra/around"]}
        theta = numpy.radians(found["around/theta"])[:, None]
        phi = numpy.radians(found["around/phi"])[None, :]
        r, along_theta, along_phi = (numpy.stack(numpy.broadcast_arrays(*v), axis=-1) for v in unit_vectors(theta, phi))
        normal, weight = near["normals"], near["weights"]
        place = near["positions"] - [0.5, 0.4, 0.3]
        for f, frequency in enumerate(found["around/frequency"]):
            k = 2 * math.pi * frequency
            phase = numpy.exp(1j * k * r @ place.T) * weight
            N = phase @ numpy.cross(normal, near["H"][f])
            L = phase @ -numpy.cross(normal, near["E"][f])
            N_theta, N_phi = (N * along_theta).sum(-1), (N * along_phi).sum(-1)
            L_theta, L_phi = (L * along_theta).sum(-1), (L * along_phi).sum(-1)
            factor = 1j * k / (4 * math.pi)
            for name, exact in (("E_theta", -factor * (L_phi + N_theta)), ("E_phi", factor * (L_theta - N_phi))):
                numpy.testing.assert_allclose(found[f"around/{name}"][f], exact,
                                              atol=1e-10 * abs(found["around/E_theta"]).max())
        directivity = found["around/directivity"]
        numpy.testing.assert_allclose(directivity[:, 3], 1.5, rtol=0.12)
        numpy.testing.assert_allclose(directivity[:, 3].mean(axis=1), 1.5, rtol=0.02)
        for f, frequency in enumerate(found["around/frequency"]):
            above = slice(0, 4)
            factor = 2 * abs(numpy.cos(2 * math.pi * frequency * 0.6 * numpy.cos(theta[above])))
            single = abs(found["around/E_theta"][f])
            numpy.testing.assert_allclose(abs(found["ground/E_theta"][f, above]), factor * single[above],
                                          atol=0.1 * single.max())
            self.assertEqual(abs(found["ground/E_theta"][f, 4:]).max(), 0)
        numpy.testing.assert_allclose(found["around/power"][1], found["around/flux"][1], rtol=0.02)
        with open(self.folder / "whole/far-field_around.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), directivity.size)
        numpy.testing.assert_allclose([float(row["directivity"]) for row in rows], directivity.ravel(), rtol=1e-8)

        self.check_ffd(found, "around", self.folder / "whole/far-field_around.ffd")
        self.assertFalse((self.folder / "whole/far-field_ground.ffd").exists())

        self.compute(deck, "parts", "--set", "time.steps=140", "--set", "output.checkpoint={steps: 140}", "--set",
                     "monitors.frequencies.floor=0.9")  # the pulse has half as much of the other frequency
        self.assertEqual((self.folder / "parts/far-field_around.ffd").read_text().splitlines()[2:4],
                         ["Frequencies 1", "Frequency 1"])
        again = self.compute(deck, "parts", "--restart", "auto", ranks=2)
        for name in found:
            scale = abs(found[name]).max()
            if "axial" not in name:  # of a linear field it is noise
                numpy.testing.assert_allclose(again[name], found[name], atol=1e-12 * scale, err_msg=name)

    def open_deck(self, name, **words):
        text = OPEN
        for word, value in words.items():
            text = text.replace(word, value)
        return self.write(name, text)

    def test_circular(self):
        """Crossed dipoles, the second a quarter of a period late: circular along z, right-handed upwards (E_phi = -j
        E_theta there), with the axial ratio 1 / |cos(theta)| and the directivity 3/4 (1 + cos(theta)^2)."""
        dipole = "{type: dipole, position: [0, 0, 0], direction: %s, signal: {type: gaussian, frequency: 0.6, width: 1.2, delay: 4%s}}"
        deck = self.open_deck("crossed.yaml", LOW="-1.2", HIGH="1.2", CELLS="6", TOP="0.9", IMAGES="", SOURCES=", ".join(
            (dipole % ("[1, 0, 0]", ""), dipole % ("[0, 1, 0]", ", phase: -90"))))
        found = self.compute(deck, "crossed", "--set", "time.end=9", ranks=2)
        cosine = numpy.cos(numpy.radians(found["ff/theta"]))[:, None]
        for f in range(2):
            numpy.testing.assert_allclose(found["ff/directivity"][f], 0.75 * (1 + cosine**2) * numpy.ones((1, 12)), rtol=0.02)
            ratio = numpy.delete(found["ff/axial_ratio"][f] * abs(cosine), 6, axis=0)  # not at 90 degrees
            self.assertLess(abs(ratio - 1).max(), 0.03)
            for theta, turn in ((0, -1j), (12, 1j)):
                self.assertLess(abs(found["ff/E_phi"][f, theta, 0] / found["ff/E_theta"][f, theta, 0] - turn), 0.03)

    def test_ground(self):
        """A dipole a quarter of a wave above a conducting plane on which the surface ends: 4.60136 along the plane,
        and nothing below. The image has the plane's type."""
        deck = self.open_deck("ground.yaml", LOW="0", HIGH="1.6", CELLS="4", TOP="1.3", IMAGES=", images: {z: {type: pec, "
                              "ground: true}}", SOURCES="{type: dipole, position: [0, 0, 0.4], direction: [0, 0, 1], signal: "
                              "{type: ricker, frequency: 0.5}}")
        found = self.compute(deck, "ground", "--set", "boundaries.zmin.type=pec", "--set", "time.end=8")
        numpy.testing.assert_array_equal(found["ff/theta"] % 1, 0)  # degrees as the deck has them: 45, not 44.99999999999999
        numpy.testing.assert_allclose(found["ff/directivity"][1, 6], 4.60136, rtol=0.02)  # measured: 1.4 %
        self.assertEqual(abs(found["ff/directivity"][:, 7:]).max(), 0)
        numpy.testing.assert_allclose(found["ff/power"], found["ff/flux"], rtol=0.01)
        for setting, parts in (("boundaries.zmin.type=pmc", ["images.z: the plane is 'pec', and the surface 'zmin'", "is 'pmc'"]),
                               ("monitors.far-field.ff.images={}", ["'around'", "is not closed", "boundaries.zmin.symmetry: true",
                                                                "images: {z: {type: pec, at: 0, ground: true}}"])):
            self.refuse(1, parts, "check", deck, "--device", "host", "--set", "boundaries.zmin.type=pec", "--set", setting,
                        ranks=(0, 2))

    def test_time(self):
        """The far field over time of a dipole is the derivative of its current: (1 / 4 pi) sin(theta) d/dt, to what mesh
        and layer err; with an image in a ground, which comes later, twice. Its transform is the far field at a frequency,
        to the error of cubics and of the derivative, 2e-4 with 30 samples a period. Sums go on on other ranks."""
        dipole = "{type: dipole, position: [0, 0, 0.4], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.5}}"
        deck = self.open_deck("time.yaml", LOW="0", HIGH="1.6", CELLS="4", TOP="1.3", SOURCES=dipole,
                              IMAGES=", time: true, images: {z: {type: pec, ground: true}}")
        words = ("--set", "boundaries.zmin.type=pec", "--set", "time.end=9", "--set", "time.integrator=lsrk45", "--set",
                 "precision=fp64", "--set", "monitors.far-field.ff.theta.step=30", "--set",
                 "monitors.far-field.ff.phi={to: 270, step: 90}")
        found = self.compute(deck, "whole", *words, "--set", "output.checkpoint={steps: 109, keep: 99}", ranks=2)
        with h5py.File(self.folder / "whole/far-field-time.h5") as file:
            time, whole = file["ff/time"][()], file["ff/E_theta"][()]
            for angle in ("theta", "phi"):
                numpy.testing.assert_array_equal(file[f"ff/{angle}"][()], found[f"ff/{angle}"])
        slope = numpy.pi**2 * 0.25

        def current(t):  # of the ricker pulse
            a = slope * (t - 3.2) ** 2
            return (1 - 2 * a) * numpy.exp(-a)

        for row, angle in enumerate(numpy.radians(found["ff/theta"])):
            if row > 3:  # below the ground
                self.assertEqual(abs(whole[row]).max(), 0)
                continue
            near = sum(current(time + shift + 1e-4) - current(time + shift - 1e-4) for shift in (
                0.4 * math.cos(angle), -0.4 * math.cos(angle)))
            exact = math.sin(angle) / (4 * math.pi) * near / 2e-4
            self.assertLess(abs(whole[row, 3] - exact).max(), 0.025, angle)  # of 0.42 at the most
            for f, frequency in enumerate(found["ff/frequency"]):
                sums = (whole[row] * numpy.exp(-2j * math.pi * frequency * time)).sum(axis=1) * (time[1] - time[0])
                self.assertLess(abs(sums - found["ff/E_theta"][f, row]).max(), 1e-3 * abs(found["ff/E_theta"][f]).max())
        middle = ("--restart", self.folder / "whole/checkpoint-109.h5")
        self.compute(deck, "parts", *words, *middle, "--set", f"time.end={9 * 164 / 218}", "--set",
                     "output.checkpoint={steps: 1000}")
        self.compute(deck, "parts", *words, "--restart", "auto", ranks=2)  # in the same folder
        with h5py.File(self.folder / "parts/far-field-time.h5") as file:
            self.assertLess(abs(file["ff/E_theta"][()] - whole).max(), 1e-9)
        self.refuse(1, ["the checkpoint has sums of spectra with a sample every 8 steps of 0.04", "keep the time step"], "run",
                    deck, "--device", DEVICE, "--quiet", "--output", "parts", *words, *middle, "--set", "time.end=12",
                    "--set", "time.cfl=0.5", ranks=(0,))

    def test_time_memory(self):
        """`sedge check` counts the series of far fields over time: two of 91 x 36 directions, of fp64 numbers."""
        deck = SOURCE / "input/half-wave-dipole.yaml"

        def find(time):
            out = self.succeed("check", deck, "--set", f"monitors.far-field.antenna.time={time}").out
            return float(re.search(r"device, ([0-9.]+) MiB on the host", out)[1]), out

        without, out = find("false")
        steps, step = int(re.search(r"(\d+) steps of dt", out)[1]), float(re.search(r"steps of dt = (\S+)", out)[1])
        highest = 300e6 * 2.5  # the ricker pulse ends at about two and a half times its peak
        samples = steps * step * highest * 30
        self.assertAlmostEqual((find("true")[0] - without) / (2 * 91 * 36 * samples * 8 / 2**20), 1, delta=0.3)

    def test_antenna(self):
        """The deck half-wave-dipole.yaml in short and coarse: at order 3 with its layer the directivity of half a wave
        is 2.19 dBi at 300 MHz, that of a thin dipole 2.15. What the port accepts is radiated, but for 2 %."""
        found = self.compute(SOURCE / "input/half-wave-dipole.yaml", "antenna", *(
            word for setting in ("order=1", "boundaries.outer.type=absorbing", "time.stop.energy=1e-5",
                                 "output.snapshots=0", "monitors.slices={}",
                                 "monitors.frequencies={list: [300.0e+6]}",
                                 "monitors.ports={from: 300.0e+6, to: 300.0e+6, count: 1}",
                                 "monitors.far-field.antenna.ffd=true", "monitors.far-field.antenna.time=true",
                                 "monitors.far-field.antenna.theta.step=30",
                                 "monitors.far-field.antenna.phi={to: 180, step: 180}") for word in ("--set", setting)))
        self.check_ffd(found, "antenna", self.folder / "antenna/far-field_antenna.ffd")  # in SI units, too
        with h5py.File(self.folder / "antenna/far-field-time.h5") as file:
            time, field = file["antenna/time"][()], file["antenna/E_theta"][()]
        sums = (field * numpy.exp(-2j * math.pi * 300e6 * time)).sum(axis=2) * (time[1] - time[0])
        numpy.testing.assert_allclose(sums, found["antenna/E_theta"][0], atol=1e-3 * abs(sums).max())
        theta = numpy.radians(found["antenna/theta"])[1:-1]
        exact = 1.641 * (numpy.cos(math.pi / 2 * numpy.cos(theta)) / numpy.sin(theta)) ** 2
        pattern = found["antenna/directivity"][0].mean(axis=1)
        self.assertLess(abs(pattern[1:-1] - exact).max(), 0.1)
        self.assertLess(max(pattern[0], pattern[-1]), 0.01)
        accepted = read_json(self.folder / "antenna/report.json")["monitors"]["ports"]["accepted_power"][0]
        self.assertAlmostEqual(found["antenna/power"][0] / accepted, 1, delta=0.04)

    def test_gain(self):
        """What a dipole gives is what leaves the outer surface and what a conducting plate above it takes. At the
        distance of 1.2 radii of the dipole's ball the power in its near field is right to 3 %."""
        cube = Cube(8)
        plate = [all(0.6 < cube.nodes[n][2] < 0.8 and max(abs(cube.nodes[n][i] - 0.5) for i in (0, 1)) < 0.3
                     for n in corners) for corners in cube.tetrahedra]
        elements = [(TETRAHEDRON, 8 if lossy else 7, corners) for corners, lossy in zip(cube.tetrahedra, plate)]
        self.write("cube.msh", cube.text(False, elements))
        deck = self.write("lossy.yaml", LOSSY)
        sums, host = [], []  # what is told of memory: without `input` less, without `stop` once instead of twice
        for setting in ("time.end=8", "time={end: 8}",
                        "monitors.far-field.outer={surface: outer, theta: {step: 30}, phi: {step: 90}}"):
            told = self.succeed("check", deck, "--set", setting, "--set", "monitors.frequencies.list=[0.8, 0.9, 1, 1.2]").out
            sums.append(float(re.search(r"([\d.]+) MiB of sums", told).group(1)))
            host.append(float(re.search(r"([\d.]+) MiB on the host", told).group(1)))
        self.assertAlmostEqual(host[0] - host[1], sums[0], delta=0.11)
        self.assertGreater(sums[0], sums[2] + 0.2)
        found = self.compute(deck, "whole")
        with h5py.File(self.folder / "whole/flux_spectra.h5") as file:
            taken = -file["flux/block/power"][()]
        inside = found["outer/input"]
        numpy.testing.assert_allclose(inside, taken + found["outer/flux"], rtol=0.04)
        self.assertGreater(min(taken / inside), 0.1)
        numpy.testing.assert_allclose(found["outer/efficiency"] * inside, found["outer/power"], rtol=1e-12)
        numpy.testing.assert_allclose(found["outer/gain"],
                                      found["outer/directivity"] * found["outer/efficiency"][:, None, None], rtol=1e-12)
        report = read_json(self.folder / "whole/report.json")["monitors"]["far-field"]["outer"]
        numpy.testing.assert_allclose(report["efficiency"], found["outer/efficiency"], rtol=1e-12)
        with open(self.folder / "whole/far-field_outer.csv") as file:
            rows = [float(row["gain"]) for row in csv.DictReader(file)]
        numpy.testing.assert_allclose(rows, found["outer/gain"].ravel(), rtol=1e-8)
        again = self.compute(deck, "again", "--restart", self.folder / "whole/checkpoint-70.h5", ranks=2)
        numpy.testing.assert_allclose(again["outer/gain"], found["outer/gain"], rtol=1e-5)
        self.refuse(1, ["monitors.far-field.outer.input: the source 'dipole' at (0.2, 0.5, 0.5) is outside of the surface "
                        "'inner'"], "run", deck, "--device", "host", "--set", "sources.0.position=[0.2, 0.5, 0.5]", ranks=(0,))

    def test_sphere(self):
        """0.3 dB are what flat faces cost; so is 8 % of the scattered power at k a = 1."""
        deck = self.write("sphere.yaml", SPHERE.format(mesh=SOURCE / "meshes/sphere.msh"))
        found, lines = self.run_and_read(deck, "whole")
        self.check_csv(found, "ball", self.folder / "whole/far-field_ball.csv")
        report = read_json(self.folder / "whole/report.json")["monitors"]["far-field"]["ball"]
        self.assertLess(max(report["rms_decibel"]), 0.35)
        for name in ("monostatic", "scattering", "extinction"):
            numpy.testing.assert_allclose(report[name], report[f"exact_{name}"], rtol=0.09)
            numpy.testing.assert_allclose(found[f"ball/{name}"], report[name], rtol=1e-12)
        numpy.testing.assert_allclose(report["exact_monostatic"], [3.637567 * math.pi, 1.008143 * math.pi], rtol=1e-6)
        total = found["ball/rcs_theta"] + found["ball/rcs_phi"]
        numpy.testing.assert_allclose(total[:, -1, 0], found["ball/monostatic"], rtol=1e-9)
        exact = found["ball/exact/rcs_theta"] + found["ball/exact/rcs_phi"]
        for f in range(2):  # of what is no more than 20 dB below the peak
            error = 10 * numpy.log10(total[f] / exact[f])[exact[f] > exact[f].max() / 100]
            self.assertAlmostEqual(report["rms_decibel"][f], math.sqrt((error**2).mean()), delta=1e-6)
        angles, *rows = self.find_rows(lines, "ball                   bistatic", 2)
        places = [abs(found["ball/theta"] - angle).argmin() for angle in angles]
        self.assertEqual((places[0], places[-1]), (0, 18))
        for f, row in enumerate(rows):
            wanted = 10 * numpy.log10(numpy.stack([total[f, places, 0], exact[f, places, 0]], axis=1)).ravel()
            numpy.testing.assert_allclose(row[1:], [*wanted, report["rms_decibel"][f]], atol=6e-3)
        for f, row in enumerate(self.find_rows(lines, "ball                   cross-sections", 2)[1:]):
            wanted = [report[key][f] for key in ("frequency", "scattering", "exact_scattering", "extinction", "exact_extinction")]
            numpy.testing.assert_allclose(row, wanted, rtol=1e-4)
        # With one theta the table is by phi.
        around, lines = self.run_and_read(deck, "around", "--set", "time={steps: 200}", "--set", "exact={}", "--set",
                                          "monitors.far-field={ball: {surface: sphere, theta: {from: 90, to: 90}, "
                                          "phi: {to: 360, step: 45}}}")
        angles, row = self.find_rows(lines, "bistatic cross-section in dB at theta = 90 degrees, by phi", 1)
        self.assertEqual((angles[0], angles[-1]), (0, 360))
        places = [abs(around["ball/phi"] - angle).argmin() for angle in angles]
        total = around["ball/rcs_theta"][0, 0] + around["ball/rcs_phi"][0, 0]
        numpy.testing.assert_allclose(row[1:], 10 * numpy.log10(total[places]), atol=6e-3)
        for name in ("scattering", "extinction"):  # where the mesh ends its medium is that outside
            numpy.testing.assert_allclose(found[f"hull/{name}"], report[name], rtol=0.12)

    def test_elliptic(self):
        """Two waves of one direction are one elliptic wave: with the second one later by a time that is no quarter of a
        period the cross-sections at phi = 45 and 135 degrees differ, by 3 dB, as the series has them. The sums of both
        signals go on from a checkpoint. Waves of two directions have powers alone."""
        deck = self.write("elliptic.yaml", BALL.format(mesh=SOURCE / "meshes/solid-sphere.msh"))
        first = "{type: plane-wave, direction: [0, 0, 1], polarisation: [2, 0, 0], origin: [0, 0, -1.5], " \
                "signal: {type: ricker, frequency: 0.25, delay: 3.5}}"
        second = "{type: plane-wave, direction: [0, 0, 0.5], polarisation: [0, 1.5, 0], origin: [0, 0, -1.7], " \
                 "signal: {type: ricker, frequency: 0.25, delay: 4}}"
        beside = second.replace("0, 0, 0.5", "1, 0, 0").replace("0, 0, -1.7", "-1.7, 0, 0")
        waves = ("--set", f"sources=[{first}, {second}]", "--set", "monitors.spectra={}", "--set", "time.end=14", "--set",
                 "monitors.far-field.ball.phi={from: 45, to: 135, step: 90}")
        found = self.compute(deck, "whole", *waves, "--set", "output.checkpoint={steps: 110, keep: 99}")
        report = read_json(self.folder / "whole/report.json")["monitors"]["far-field"]["ball"]
        self.assertLess(max(report["rms_decibel"]), 0.6)
        numpy.testing.assert_allclose(report["extinction"], report["exact_extinction"], rtol=0.07)
        total = found["ball/exact/rcs_theta"] + found["ball/exact/rcs_phi"]
        self.assertGreater(abs(10 * numpy.log10(total[:, :, 0] / total[:, :, 1])).max(), 3)
        again = self.compute(deck, "again", *waves, "--restart", self.folder / "whole/checkpoint-110.h5", ranks=2)
        numpy.testing.assert_allclose(again["ball/rcs_phi"], found["ball/rcs_phi"], rtol=1e-4)
        across = self.compute(deck, "across", "--set", f"sources=[{first}, {beside}]",
                              "--set", "time={steps: 30}", "--set", "exact={}", "--set", "monitors.spectra={}", "--set",
                              "monitors.far-field.ball={surface: around, theta: {from: 10, to: 90, step: 20}, phi: {from: 90, to: 180, step: 90}}")
        field = abs(across["ball/E_theta"]) ** 2 + abs(across["ball/E_phi"]) ** 2
        numpy.testing.assert_allclose(across["ball/intensity"], field / 2, rtol=1e-12)
        greatest = read_json(self.folder / "across/report.json")["monitors"]["far-field"]["ball"]["intensity"]
        numpy.testing.assert_allclose(greatest, field[:, 0, 0] / 2, rtol=1e-12)  # the first direction has it
        numpy.testing.assert_allclose(greatest, field.max(axis=(1, 2)) / 2, rtol=1e-12)
        self.assertFalse({"ball/directivity", "ball/rcs_theta"} & set(across))
        with open(self.folder / "across/far-field_ball.csv") as file:
            rows = [float(row["intensity"]) for row in csv.DictReader(file)]
        numpy.testing.assert_allclose(rows, across["ball/intensity"].ravel(), rtol=1e-8)
        self.refuse(1, ["monitors.spectra.near are compared in units of the sources' signal"], "run", deck, "--device",
                    "host", "--set", f"sources=[{first}, {second}]", ranks=(0,))
        for other in (beside, second.replace("0, 0, 0.5", "1, 0, 1").replace("0, 0, -1.7", "-2, 0, -2"),
                      second.replace("0, 0, 0.5", "0, 0, -0.5").replace("0, 0, -1.7", "0, 0, 1.7")):
            self.refuse(1, ["exact needs plane waves of one direction as the only sources, and the deck has others"], "check",
                        deck, "--device", "host", "--set", f"sources=[{first}, {other}]", ranks=(0,))

    def test_ball(self):
        """A dispersive ball: the series has the medium's epsilon(f), also of a core with a coating of the same, and the
        fields are close to it, total ones inside of the total-field surface and scattered ones outside."""
        deck = self.write("ball.yaml", BALL.format(mesh=SOURCE / "meshes/solid-sphere.msh"))
        found = self.compute(deck, "whole", ranks=2)
        report = read_json(self.folder / "whole/report.json")["monitors"]
        frequency = found["ball/frequency"]
        epsilon = 1.5 + 0.25 / (0.25 - frequency**2 + 0.3j * frequency)
        exact = [mie_extinction(e, 2 * math.pi * f) for e, f in zip(epsilon, frequency)]
        numpy.testing.assert_allclose(found["ball/exact/extinction"], exact, rtol=1e-9)
        numpy.testing.assert_allclose(found["ball/extinction"], exact, rtol=0.05)
        self.assertLess(max(report["far-field"]["ball"]["rms_decibel"]), 0.6)  # order 1, with 5 elements a wave
        with h5py.File(self.folder / "whole/spectra.h5") as file:
            near = {name: file["spectra/near"][name][()] for name in ("E_normalised", "H_normalised")}
            known = {name: file["spectra/near/exact"][name][()] for name in (*near, "error")}
        difference, size = (numpy.sqrt(sum((abs(part) ** 2).sum(axis=-1) for part in parts)) for parts in (
            [near[name] - known[name] for name in near], [known[name] for name in near]))
        numpy.testing.assert_allclose(known["error"], difference / size, rtol=1e-9)
        errors = report["spectra"]["near"]["error"]
        self.assertEqual(list(errors), ["inside", "beside", "scattered"])
        for i, name in enumerate(errors):
            numpy.testing.assert_allclose(errors[name], known["error"][:, i], rtol=1e-9)
            self.assertLess(max(errors[name]), 0.1, name)
        coated = self.compute(deck, "coated", "--set", "time={steps: 1}", "--set", "exact.radius=0.4", "--set",
                              "exact.coating={radius: 1, material: ball}")
        numpy.testing.assert_allclose(coated["ball/exact/extinction"], exact, rtol=1e-9)

    def test_devices(self):
        """Layers, a total-field surface, a pole, transforms and far fields on one rank and four, and on other devices than
        the host in both precisions (for the host and OpenCL test_devices.py has the same on one rank and two): 1e-11 and
        1e-5 of the largest field, what some hundred steps' rounding is."""
        deck = self.write("ball.yaml", BALL.format(mesh=SOURCE / "meshes/solid-sphere.msh"))
        runs = [("fp64", 0, DEVICE), ("fp64", 4, DEVICE)]
        if DEVICE != "host":
            runs.append(("fp32", 2, DEVICE))
        exact = {}
        for precision, ranks, device in runs:
            # In fp32 the far field of ndblsrk144's stages has 2e-5 of rounding.
            found = self.compute(deck, f"{precision}-{ranks}-{device}", "--set", "time={end: 4, integrator: lsrk45}", "--set",
                                 f"precision={precision}", "--set", "exact={}", ranks=ranks, device=device)
            with h5py.File(self.folder / f"{precision}-{ranks}-{device}/spectra.h5") as file:
                found = {name: found[f"ball/{name}"] for name in ("E_theta", "E_phi")} | {
                    name: file["spectra/near"][name][()] for name in ("E", "H")}
            for name, values in found.items():
                scale = abs(exact.setdefault(name, values)).max()
                self.assertGreater(scale, 1e-2)
                with self.subTest(precision=precision, ranks=ranks, device=device, field=name):
                    self.assertLess(abs(values - exact[name]).max(), (1e-11 if precision == "fp64" else 1e-5) * scale)

    def test_units(self):
        """The same run in SI units: every number of every file is that of code units times the unit that the file says. A
        current moment of 1 is 1 / Z0 A m there, a frequency of 1 is c Hz."""
        c, impedance = 299792458.0, 376.730313412
        units = {"s": 1 / c, "Hz": c, "m": 1, "m2": 1, "degrees": 1, "V": 1, "V/m": 1, "A/m": 1 / impedance,
                 "W": 1 / impedance, "J": 1 / (impedance * c), "V s": 1 / c, "V/m s": 1 / c, "A/m s": 1 / (impedance * c),
                 "W s2": 1 / (impedance * c**2)}
        names = {"incident": 1 / (impedance * c), "E_normalised": impedance, "power_normalised": impedance}
        deck = self.write("dipole.yaml", DIPOLE)
        words = [word for setting in (
            "time.steps=60", "output.snapshots=1", "monitors.far-field.around.time=true",
            "monitors.probes={points: {a: [0.3, 0.4, 0.6]}}", "monitors.slices={cut: {normal: y, at: 0.4, resolution: 8}}",
            "monitors.flux={out: {surface: around, away_from: [0.5, 0.5, 0.5]}}") for word in ("--set", setting)]
        found, lines = self.run_and_read(deck, "code", *words)
        for name in ("around", "ground"):
            self.check_csv(found, name, self.folder / f"code/far-field_{name}.csv")
            for f, row in enumerate(self.find_rows(lines, f"  {name}   ", 2)[1:]):
                most = found[f"{name}/directivity"][f]
                place = [abs(found[f"{name}/{angle}"] - value).argmin() for angle, value in zip(("theta", "phi"), row[2:])]
                wanted = [found[f"{name}/frequency"][f], 10 * math.log10(most.max()), found[f"{name}/theta"][place[0]],
                          found[f"{name}/phi"][place[1]], found[f"{name}/power"][f] / found[f"{name}/flux"][f]]
                numpy.testing.assert_allclose(row, wanted, atol=1e-3)
                self.assertAlmostEqual(most[tuple(place)] / most.max(), 1, delta=1e-9)
        self.compute(deck, "si", *words, *(word for setting in (
            "units=si", f"monitors.frequencies.list=[{c / 2}, {c}]", f"sources.0.signal.frequency={c}",
            f"sources.0.signal.amplitude={1 / impedance}") for word in ("--set", setting)))
        seen = set()

        def compare(path, item, file):
            if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fc" or "axial" in path:  # noise
                return
            unit = item.attrs.get("units", "")
            seen.add(unit)
            factor = units[unit] if unit else names.get(path.split("/")[-1], 1)
            with h5py.File(self.folder / "code" / file) as other:
                wanted = factor * other[path][()]
            tolerance = 1e-6 if item.dtype.itemsize == 4 else 1e-8
            numpy.testing.assert_allclose(item[()], wanted, atol=tolerance * abs(wanted).max(), rtol=0, err_msg=f"{file}: {path}")

        files = [file.name for file in (self.folder / "si").iterdir() if file.suffix in (".h5", ".hdf")]
        self.assertEqual(len(files), 11, files)
        for file in files:
            with h5py.File(self.folder / "si" / file) as opened:
                opened.visititems(lambda path, item, file=file: compare(path, item, file))
        self.assertEqual(seen - {""}, set(units))
        code, si = (read_json(self.folder / name / "report.json") for name in ("code", "si"))
        for key in ("dt", "time"):
            self.assertAlmostEqual(si[key] * c / code[key], 1, delta=1e-8)
        for key in ("final", "peak"):
            self.assertAlmostEqual(si["energy"][key] * impedance * c / code["energy"][key], 1, delta=1e-8)

    def test_gold(self):
        """The series of the gold deck: SI units, and the library's permittivity, here from the fit's own numbers."""
        found = self.compute(SOURCE / "input/gold-sphere.yaml", "gold", "--set", "order=1", "--set", "time={steps: 1}",
                             "--set", "monitors.slices={}", "--set", "output.snapshots=0", "--set", "mesh.numbering=none")
        electronvolt = found["sphere/frequency"] / 2.41799e14
        epsilon = 1 - 0.760 * 9.03**2 / (electronvolt**2 - 0.053j * electronvolt)
        for strength, damping, place in ((0.024, 0.241, 0.415), (0.010, 0.345, 0.830), (0.071, 0.870, 2.969),
                                         (0.601, 2.494, 4.304), (4.384, 2.214, 13.32)):
            epsilon += strength * 9.03**2 / (place**2 - electronvolt**2 + 1j * damping * electronvolt)
        size = 2 * math.pi * found["sphere/frequency"] * 75e-9 / 299792458.0
        exact = [75e-9**2 * mie_extinction(e, x) for e, x in zip(epsilon, size)]
        numpy.testing.assert_allclose(found["sphere/exact/extinction"], exact, rtol=1e-4)
        with h5py.File(self.folder / "gold/absorption.h5") as file:
            numpy.testing.assert_allclose(file["heat/exact"][()], found["sphere/exact/extinction"] - found["sphere/exact/scattering"],
                                          rtol=1e-9)

    def test_nested(self):
        """The same far field from the outer sides of a conductor with elements on both sides, from a total-field
        surface and from a surface beyond it. Both sides together would give half of it, 6 dB less."""
        found = self.compute(self.write("nested.yaml", NESTED), "whole", ranks=2)
        outer = found["outer/E_theta"]
        for name in ("body", "entry"):
            self.assertLess(abs(found[f"{name}/E_theta"] - outer).max(), 0.02 * abs(outer).max(), name)
            numpy.testing.assert_allclose(found[f"{name}/extinction"], found["outer/extinction"], rtol=0.02)
        numpy.testing.assert_allclose(found["entry/scattering"], found["outer/scattering"], rtol=0.02)
        self.assertTrue(numpy.isnan(found["body/scattering"]).all())  # the fields on it are total ones
        report = read_json(self.folder / "whole/report.json")["monitors"]["far-field"]
        self.assertIsNone(report["body"]["scattering"][0])
        waves = ("[{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], origin: [0, 0, -2], "
                 "signal: {type: ricker, frequency: 0.1}}, {type: dipole, position: [0, 0, 1.5], direction: [0, 0, 1], "
                 "signal: {type: ricker, frequency: 0.1}}]")
        found = self.compute("nested.yaml", "both", "--set", f"sources={waves}", "--set", "time={steps: 5}",
                             "--set", "monitors.far-field={entry: {surface: entry}}")
        self.assertIn("entry/E_theta", found)
        self.assertFalse({"entry/directivity", "entry/rcs_theta"} & set(found))

    def test_refused(self):
        deck = self.write("sphere.yaml", SPHERE.format(mesh=SOURCE / "meshes/sphere.msh"))
        ball = "monitors.far-field.ball"
        for setting, parts in [
                (f"{ball}.surface=balls", [f"{ball}.surface: the mesh has no surface group 'balls'"]),
                (f"{ball}.input=balls", [f"{ball}.input: the mesh has no surface group 'balls'"]),
                (f"{ball}.theta.step=80", ["from 0 to 180 is not a whole number of steps of 80"]),
                (f"{ball}.theta.to=200", [f"{ball}.theta.to 200 is outside 0..180"]),
                ("monitors.far-field={}", ["exact: far fields, absorption and normalised spectra", "the deck has none"]),
                (f"{ball}.frequencies={{list: [9]}}", ["spectra at up to 9", "points a wavelength"]),
                ("exact.coating={radius: 0.9, material: air}", ["coating.radius 0.9 must be above exact.radius 1"]),
        ]:
            with self.subTest(setting=setting):
                self.refuse(1, parts, "check", deck, "--set", setting, ranks=(0,))
        for setting, parts in [
                (f"{ball}.images={{z: {{type: pec}}}}", ["the surface 'sphere'", "crosses the image plane z = 0"]),
                ("exact.material=glass", ["exact: the mesh has no volume group 'glass'"]),
                ("sources=[]", ["exact needs plane waves of one direction as the only sources, and the deck has none"]),
        ]:
            with self.subTest(setting=setting):
                self.refuse(1, parts, "check", deck, "--device", "host", "--set", setting, ranks=(0,))
        line = SPHERE.split("\n").index("  - type: plane-wave") + 1
        self.write("along.yaml", deck.read_text().replace("[2, 0, 0]", "[2, 0, 1]"))
        self.refuse(1, [f"along.yaml:{line}: the plane-wave source's polarisation is not perpendicular"], "check",
                    "along.yaml", ranks=(0,))
        self.refuse(1, [f"sphere.yaml:{line}: a plane-wave source acts on surfaces that scatter (pec", "sheets)"], "check", deck,
                    "--set", "boundaries.sphere.type=absorbing", ranks=(0,))
        open_deck = self.write("open.yaml", DIPOLE)
        self.refuse(1, ["far-field.around: outside of the surface 'around' must be one", "and 'domain' has losses"], "run",
                    open_deck, "--device", "host", "--set", "materials.domain.conductivity=1", ranks=(0,))
        self.refuse(1, ["outside of the surface must be one material without terms, and 'domain' has some"], "run",
                    open_deck, "--device", "host", "--set",
                    "materials.domain.debye={strength: 1, relaxation_time: 1}", ranks=(0,))
        self.refuse(1, ["the source 'dipole' at (0.1, 0.5, 0.5) is outside of the surface 'around'"], "run", open_deck,
                    "--device", "host", "--set", "sources.0.position=[0.1, 0.5, 0.5]", ranks=(0,))
        far = ["--set", "mesh.box.split={axis: x, at: 0.9, names: [near, far]}", "--set", "mesh.box.cells=[10, 5, 5]"]
        self.refuse(1, ["outside of the surface 'around' must be one material", "there are 'near' and 'far', with epsilon 1 to 2",
                        "a lumped-port between the conductors"], "run", open_deck, "--device", "host",
                    *far, "--set", "materials={near: {}, far: {epsilon: 2}}",
                    ranks=(2,))
        self.refuse(1, ["the surface 'xmin': the near-field surface is not closed"], "run", open_deck, "--device",
                    "host", "--set", "monitors.far-field.around.surface=xmin", ranks=(0, 2))
        self.refuse(1, ["is not closed", "or (2, 0.5, 0.5), 'away_from', does not see the inner side of all faces"], "check",
                    open_deck, "--set", "monitors.far-field.around.away_from=[2, 0.5, 0.5]", ranks=(0, 2))


if __name__ == "__main__":
    unittest.main()
