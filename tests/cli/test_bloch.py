"""Fields that differ by a phase between periodic sides, beside exact solutions and beside meshes of several periods."""

import cmath
import csv
import itertools
import math
import re
import shutil
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, Case

# A wave in an empty cell, with a wave vector along no axis and a reciprocal vector added to it.
WAVE = """\
equation: maxwell
order: 2
precision: fp64
mesh: {box: {cells: [2, 2, 2], periodic: [x, y, z]}}
materials: {domain: {}}
bloch: {wave_vector: [1, 2, -0.5]}
initial: {type: periodic-wave, waves: [0, -1, 0], polarisation: [1, 0, 2]}
time: {end: 0.5, cfl: 0.4, integrator: lsrk45}
monitors: {probes: {every: 2, points: {a: [0.13, 0.31, 0.72], b: [0.93, 0.66, 0.21]}}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""
K = numpy.array([1, 2 - 2 * math.pi, -0.5])

# Two layers, and the frequencies of their waves: two media also meet at the periodic sides.
KX, KZ = 0.6, 1.2
LAYERS = f"""\
equation: maxwell
order: 3
precision: fp64
mesh: {{box: {{cells: [1, 1, 4], max: [0.25, 0.25, 1], periodic: [x, y, z], split: {{axis: z, at: 0.5, names: [low, high]}}}}}}
materials: {{low: {{epsilon: 9}}, high: {{}}}}
bloch: {{wave_vector: [{KX}, 0, {KZ}]}}
sources: [{{type: dipole, position: [0.11, 0.07, 0.3], direction: [1, 1, 1], signal: {{type: gaussian, width: 0.7}}}}]
monitors:
  probes: {{every: 2, points: {{a: [0.13, 0.11, 0.7], b: [0.2, 0.05, 0.22]}}}}
  resonances: {{from: 0.08, to: 0.45}}
time: {{end: 42, integrator: lsrk45}}
output: {{snapshots: 0}}
"""

# A cell whose fields get the factor exp(-i pi / 2) along x, and four of them, in the first and the third of which the
# dipoles have the real parts of this factor's powers. What is at x in the second cell is the imaginary part in the first.
CELL = f"""\
equation: maxwell
order: 2
precision: fp64
mesh: {{box: {{cells: [2, 2, 6], max: [0.5, 0.5, 1.5], periodic: [x, y], split: {{axis: z, at: 0.75, names: [low, high]}}}}}}
materials: {{low: {{epsilon: 9, conductivity: 0.2, drude: {{plasma_frequency: 0.3, damping: 0.05}}}}, high: {{}}}}
boundaries: {{zmin: {{type: absorbing}}, zmax: {{type: rational, resistance: 0.3, resistances: [0.5, 0, 0], frequencies: [0.4, 0, 0]}}}}
bloch: {{wave_vector: [{math.pi}, 0, 0]}}
sources:
  - {{type: dipole, position: [0.25, 0.25, 1.1], direction: [1, 1, 0.5], signal: {{type: gaussian, width: 0.6, delay: 1.2}}}}
monitors: {{probes: {{points: {{a: [0.11, 0.14, 0.52], b: [0.41, 0.07, 1.23]}}}}}}
time: {{end: 2.5, integrator: ader, levels: 2}}
output: {{snapshots: 0}}
kernels: {{tune: "off"}}
"""
SECOND = "  - {type: dipole, position: [1.25, 0.25, 1.1], direction: [-1, -1, -0.5], signal: {type: gaussian, width: 0.6, delay: 1.2}}\n"


# Waves from a sheet of current meet glass at an angle: E is across the plane of incidence and in it.
OBLIQUE = 3.0
SHEET = f"""\
equation: maxwell
order: 3
precision: fp64
mesh:
  box: {{cells: [1, 1, 10], max: [0.2, 0.2, 2], periodic: [x, y], split: {{axis: z, at: 1.2, names: [air, glass]}}}}
  surfaces: {{sheet: {{plane: {{normal: z, at: 0.4}}}}, before: {{plane: {{normal: z, at: 0.8}}}}, behind: {{plane: {{normal: z, at: 1.6}}}}}}
materials: {{air: {{}}, glass: {{epsilon: 2.25}}}}
boundaries: {{zmin: {{type: pml}}, zmax: {{type: pml}}, sheet: {{type: wave-sheet, polarisation: [1, 0.5, 0]}}}}
bloch: {{wave_vector: [{OBLIQUE}, 0, 0]}}
sources: [{{type: wave-sheet, surface: sheet, signal: {{type: gaussian, frequency: 1, width: 0.8, delay: 2}}}}]
monitors:
  frequencies: {{list: [0.8, 0.9, 1]}}
  flux: {{before: {{surface: before, away_from: [0, 0, 0]}}, behind: {{surface: behind, away_from: [0, 0, 0]}}}}
  spectra: {{at: {{points: {{p: [0.13, 0.06, 1.7]}}}}, glass: {{groups: [glass], fields: [E]}}}}
time: {{end: 14, integrator: ndblsrk144}}
output: {{snapshots: 0, checkpoint: {{steps: 130}}}}
kernels: {{tune: "off"}}
"""


def repeat_cell(deck):
    """Four cells without a phase: points a and b, and c and d behind them in the second cell."""
    lines = [line for line in deck.splitlines(True) if not line.startswith("bloch")]
    text = "".join(lines).replace("cells: [2, 2, 6], max: [0.5", "cells: [8, 2, 6], max: [2")
    return text.replace("monitors:", SECOND + "monitors:").replace(
        "points: {a", "points: {c: [0.61, 0.14, 0.52], d: [0.91, 0.07, 1.23], a")


def find_bands(epsilons, thickness, kx, kz, most):
    """Frequencies up to `most` of both polarisations in two layers by turns: with k1 and k2 along z in the layers and
    q = k1 / k2 (E across the plane of incidence) or k1 e2 / (k2 e1),
    cos(kz d) = cos(k1 d1) cos(k2 d2) - (q + 1 / q) sin(k1 d1) sin(k2 d2) / 2 (Yeh, Yariv and Hong 1977)."""
    def miss(w, magnetic):
        k = [cmath.sqrt(e * w * w - kx * kx) for e in epsilons]
        q = k[0] / k[1] * (epsilons[1] / epsilons[0] if magnetic else 1)
        a, b = k[0] * thickness[0], k[1] * thickness[1]
        return (cmath.cos(a) * cmath.cos(b) - (q + 1 / q) * cmath.sin(a) * cmath.sin(b) / 2).real - math.cos(
            kz * sum(thickness))

    found = []
    grid = numpy.linspace(1e-3, 2 * math.pi * most, 4001)
    for magnetic, (low, high) in itertools.product((False, True), zip(grid, grid[1:])):
        if miss(low, magnetic) * miss(high, magnetic) > 0:
            continue
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if miss(low, magnetic) * miss(middle, magnetic) <= 0 else (middle, high)
        found.append(low / (2 * math.pi))
    return sorted(found)


def find_rod_bands(k, count, most=9):
    """The lowest frequencies in the lattice of input/crystal.yaml, E along the rods, by (2 most + 1)^2 plane waves exp(-i (k + G).r), and
    a function of places [..][2] that gives E of these waves, [..][count]:
    |k + G|^2 E_G = w^2 sum over G' of epsilon_(G - G') E_G', where epsilon_G of a rod of radius r is
    (epsilon - 1) pi r^2 2 J1(|G| r) / (|G| r) (Ho, Chan and Soukoulis 1990)."""
    radius, epsilon = 0.2, 8.9
    steps = range(-most, most + 1)
    waves = 2 * math.pi * numpy.array(list(itertools.product(steps, steps)))
    x, which = numpy.unique((radius * numpy.linalg.norm(waves[:, None] - waves, axis=2)).round(9), return_inverse=True)
    angle = (numpy.arange(200) + 0.5) * math.pi / 200
    j1 = numpy.cos(angle - x[:, None] * numpy.sin(angle)).mean(axis=1)  # Bessel's integral; exact to rounding for x up to 100
    rod = (epsilon - 1) * math.pi * radius**2 * numpy.where(x > 0, 2 * j1 / numpy.where(x > 0, x, 1), 1)
    media = rod[which].reshape(len(waves), len(waves)) + numpy.eye(len(waves))
    length = numpy.linalg.norm(waves + k, axis=1)
    squares, amplitudes = numpy.linalg.eigh(length[:, None] * numpy.linalg.inv(media) * length)  # w^2, |k + G| E_G
    amplitudes = amplitudes[:, :count] / length[:, None]
    return numpy.sqrt(squares[:count]) / (2 * math.pi), lambda places: numpy.exp(-1j * (places @ (waves + k).T)) @ amplitudes


class Bloch(Case):
    def compute(self, deck, folder, *words, ranks=0):
        return self.succeed("run", deck, "--device", DEVICE, "--output", folder, *words, ranks=ranks).out

    def read(self, folder, name):
        """E and H of a probe, [samples][6]; complex if they have two parts."""
        with h5py.File(self.folder / folder / "probes.h5") as file:
            probe = file["probes"][name]
            parts = [numpy.concatenate([probe["E" + end][:], probe["H" + end][:]], axis=1)
                     for end in ("", "_imag") if "E" + end in probe]
            return file["time"][:], parts[0] + 1j * parts[1] if len(parts) == 2 else parts[0]

    def read_error(self, text):
        line = next(line for line in text.splitlines() if line.startswith("  error"))
        return float(line.split()[3])

    def test_wave(self):
        """The error falls as h^(order + 1); probes, slices and snapshots have both parts of exp(i (w t - k.r))."""
        deck = self.write("wave.yaml", WAVE)
        files = ["--set", "output.snapshots=1", "--set", "monitors.slices={z: {normal: z, at: 0.3, resolution: 4}}"]
        errors = [self.read_error(self.compute(deck, f"wave-{n}", *files, "--set", f"mesh.box.cells=[{n}, {n}, {n}]"))
                  for n in (2, 4)]
        self.assertGreater(math.log2(errors[0] / errors[1]), 2.8)  # found: 3.4
        self.assertLess(errors[1], 6e-3)  # found: 3.9e-3
        w, polarisation = numpy.linalg.norm(K), numpy.array([1, 0, 2])

        def exact(t, x):
            return numpy.exp(1j * (w * t - x @ K))[..., None] * polarisation

        for name, place in (("a", [0.13, 0.31, 0.72]), ("b", [0.93, 0.66, 0.21])):
            time, values = self.read("wave-4", name)
            # found: 0.012, of fields up to 2
            self.assertLess(abs(values[:, :3] - exact(time, numpy.array(place))).max(), 0.03)
        with h5py.File(self.folder / "wave-4" / "fields_000001.hdf") as file:
            data = file["VTKHDF/PointData"]
            points = file["VTKHDF/Points"][:]
            self.assertEqual(len(points), 6 * 64 * 10)  # each element once
            values = data["E"][:] + 1j * data["E_imag"][:]
            self.assertLess(abs(values - exact(file.attrs["time"], points)).max(), 0.15)  # found: 0.08
        with h5py.File(self.folder / "wave-4" / "slices.h5") as file:
            plane = file["slices/z"]
            values = plane["E"][-1] + 1j * plane["E_imag"][-1]
            x, y = numpy.meshgrid(plane["x"][:], plane["y"][:])
            places = numpy.stack([x, y, numpy.full_like(x, 0.3)], axis=-1)
            self.assertLess(abs(values - exact(file["time"][-1], places)).max(), 0.01)  # found: 0.0028

    def test_spectra(self):
        """Fields at frequencies are the transforms of exp(i (w t - k.r)), of both parts together, at points, on a plane, on a
        surface and in a volume; on two ranks."""
        spectra = "{at: {points: {a: [0.13, 0.31, 0.72], b: [0.93, 0.66, 0.21]}}, on: {plane: {normal: z, at: 0.3, resolution: 4}}, " \
            "around: {surface: around}, in: {groups: [domain]}}"
        words = ("mesh.box.cells=[4, 4, 4]", "mesh.surfaces={around: {box: {min: [0.25, 0.25, 0.25], max: [0.75, 0.75, 0.75]}}}",
                 f"monitors.spectra={spectra}", "monitors.frequencies={list: [0.3, 0.7], every: 2}")
        self.compute(self.write("wave.yaml", WAVE), "wave", *itertools.chain(*(("--set", word) for word in words)), ranks=2)
        times, probe = self.read("wave", "a")
        w = numpy.linalg.norm(K)
        amplitudes = {"E": numpy.array([1, 0, 2]), "H": numpy.cross(K, [1, 0, 2]) / w}
        with h5py.File(self.folder / "wave" / "spectra.h5") as file:
            entries = {name: {key: data[()] for key, data in group.items()} for name, group in file["spectra"].items()}
        x, y = numpy.meshgrid(entries["on"]["x"], entries["on"]["y"])
        entries["on"]["positions"] = numpy.stack([x, y, numpy.full_like(x, 0.3)], axis=-1)
        for (k, frequency), field in itertools.product(enumerate((0.3, 0.7)), "EH"):
            phases = numpy.exp(-2j * math.pi * frequency * times) * times[1]  # probes and sums have each second step
            column = slice(0, 3) if field == "E" else slice(3, 6)
            self.assertLess(abs(entries["at"][field][k, 0] - phases @ probe[:, column]).max(), 1e-12)
            found = [(entries[name]["positions"], entries[name][field][k]) for name in ("at", "on", "around")]
            with h5py.File(self.folder / "wave" / f"spectrum_in_{k:06}.hdf") as file:
                self.assertEqual(file.attrs["frequency"], frequency)
                data = file["VTKHDF/PointData"]
                found.append((file["VTKHDF/Points"][:], data[field + "_re"][:] + 1j * data[field + "_im"][:]))
                self.assertEqual(len(found[-1][0]), 6 * 64 * 10)  # each element once
            # The mesh's error, more beside the faces of elements; found: 0.0025, 0.0017, 0.016, 0.047, of fields up to 1.
            for (places, values), most in zip(found, (0.005, 0.005, 0.03, 0.08)):
                exact = (phases @ numpy.exp(1j * w * times)) * numpy.exp(-1j * (places @ K))[..., None] * amplitudes[field]
                self.assertLess(abs(values - exact).max(), most)

    def test_bands(self):
        """Frequencies of waves in a stack of layers, by their dispersion relation."""
        self.compute(self.write("layers.yaml", LAYERS), "bands")
        with open(self.folder / "bands" / "resonances.csv", encoding="utf-8") as file:
            found = [float(row["frequency"]) for row in csv.DictReader(file)]
        exact = find_bands((9, 1), (0.5, 0.5), KX, KZ, 0.45)
        self.assertEqual(len(found), len(exact))
        for frequency, one in zip(found, exact):
            self.assertLess(abs(frequency / one - 1), 1e-5)  # found: 1e-6

    def test_crystal(self):
        """Frequencies of input/crystal.yaml, a file's mesh with curved rods, and the fields at these, beside plane waves; those that
        input/bloch.md has."""
        quoted, _ = find_rod_bands([math.pi, math.pi], 4)  # the second and the third wave are one by symmetry
        for frequency, one in zip(quoted, (0.32241, 0.54890, 0.54890, 0.69361)):
            self.assertLess(abs(frequency - one), 6e-6)  # digits of the page
        k = [2, 0.7]  # where no wave is like another, and no phase is real
        exact, waves = find_rod_bands(k, 4)
        self.compute(SOURCE / "input" / "crystal.yaml", "crystal", *itertools.chain(*(("--set", word) for word in (
            "order=2", "time.end=40", f"bloch.wave_vector=[{k[0]}, {k[1]}, 0]", f"monitors.frequencies.list={exact.tolist()}",
            "monitors.spectra={mode: {plane: {normal: z, at: 0.1, resolution: 16}, fields: [E]}}"))))
        with open(self.folder / "crystal" / "resonances.csv", encoding="utf-8") as file:
            found = [(float(row["frequency"]), float(row["quality"])) for row in csv.DictReader(file)]
        self.assertEqual(len(found), len(exact))
        for (frequency, quality), one in zip(found, exact):
            # The crystal loses nothing: 1 / Q is the loss by the jumps between elements, and a frequency is wrong by about as much
            # (found: by 7e-5 to 9.6e-4, 0.7 to 1.7 of 1 / Q). Plane waves are wrong by up to 1.3e-4.
            self.assertLess(1 / quality, 2e-3)
            self.assertLess(abs(frequency / one - 1), 2 / quality + 1.3e-4)
        with h5py.File(self.folder / "crystal" / "spectra.h5") as file:
            mode = file["spectra/mode"]
            places = numpy.stack(numpy.meshgrid(mode["x"][:], mode["y"][:]), axis=-1)
            values = mode["E"][..., 2].reshape(len(exact), -1)
        basis = waves(places).reshape(-1, len(exact))
        basis /= numpy.linalg.norm(basis, axis=0)
        for i, one in enumerate(values):
            parts = numpy.linalg.lstsq(basis, one, rcond=None)[0]
            self.assertEqual(abs(parts).argmax(), i)
            # The rest is waves above, the dipole's near field among them; found: 0.014 to 0.055, by waves with -k 0.44 to 0.90.
            self.assertLess(numpy.linalg.norm(basis @ parts - one), 0.1 * numpy.linalg.norm(one))

    def test_cells(self):
        """A cell has what four cells without a phase have, with local time steps on two ranks."""
        self.compute(self.write("cells.yaml", repeat_cell(CELL)), "four")
        self.compute(self.write("cell.yaml", CELL), "one", ranks=2)
        for here, there in (("a", "c"), ("b", "d")):
            exact = self.read("four", here)[1] + 1j * self.read("four", there)[1]
            # equal but for the order of sums; found: 2e-15 of the greatest
            self.assertLess(abs(self.read("one", here)[1] - exact).max(), 1e-12 * abs(exact).max())

    def test_restart(self):
        """A run goes on as without the restart, on other ranks, too, with the memory of media and walls, but not with
        another wave vector."""
        deck = self.write("cell.yaml", CELL)
        words = ["--set", "time={steps: 40, integrator: ader, levels: 2}", "--set", "output.checkpoint={steps: 20}"]
        self.compute(deck, "whole", *words, ranks=2)
        shutil.copytree(self.folder / "whole", self.folder / "again")
        self.compute(deck, "again", *words, "--restart", "again/checkpoint-20.h5")
        for name in "ab":
            self.assertTrue((self.read("whole", name)[1] == self.read("again", name)[1]).all())
        for vector, now in (("[1, 0, 0]", "(1, 0, 0)"), ("[0, 0, 0]", "none")):  # and the mesh is the same
            self.refuse(1, ["does not fit the deck: wave vector is '(3.14159265", f"there, '{now}' in the deck"], "run", deck, *words,
                        "--output", "other", "--restart", "whole/checkpoint-20.h5", "--set", f"bloch.wave_vector={vector}", ranks=(0,))

    def test_zero(self):
        """A wave vector of zero is none: the fields have one part, and those of a phase of 360 degrees are the same."""
        deck = self.write("cell.yaml", CELL)
        words = ["--set", "time.end=0.5"]
        self.compute(deck, "none", *words, "--set", "bloch.wave_vector=[0, 0, 0]")
        self.compute(deck, "turn", *words, "--set", f"bloch.wave_vector=[{4 * math.pi}, 0, 0]")
        plain, turned = self.read("none", "b")[1], self.read("turn", "b")[1]
        self.assertTrue(numpy.isrealobj(plain))
        self.assertLess(abs(turned - plain).max(), 1e-12 * abs(plain).max())

    def test_check(self):
        """`sedge check` tells of the phases, and of the memory for both parts."""
        deck = self.write("cell.yaml", CELL)
        text = self.succeed("check", deck).out
        self.assertIn("144 tetrahedra, each of them twice, 17280 unknowns", text)
        self.assertIn("after (0.5, 0, 0) the phase -90 degrees, (0, 0.5, 0) the phase 0 degrees", text)
        for spectra in ("plane: {normal: x, at: 0.1, resolution: 200}", "groups: [low]"):
            sums = []
            for vector in ("[0, 0, 0]", "[1, 0, 0]"):
                text = self.succeed("check", deck, "--set", f"bloch.wave_vector={vector}", "--set", "monitors.frequencies={from: 0.1, to: 0.3, count: 20}",
                                    "--set", f"monitors.spectra={{s: {{{spectra}}}}}").out
                sums.append(float(re.search(r"([0-9.]+) MiB of sums", text).group(1)))
            self.assertAlmostEqual(sums[1] / sums[0], 2, delta=0.05)  # rounded to 0.1 MiB

    def test_beside(self):
        """A dipole whose ball reaches a periodic side gets a warning, the same on two ranks, and none at other sides."""
        deck = self.write("cell.yaml", CELL)
        for place, ranks, found in (([0.1, 0.25, 1.1], 0, [("0.1", "xmin")]), ([0.1, 0.25, 1.1], 2, [("0.1", "xmin")]),
                                    ([0.25, 0.42, 0.3], 2, [("0.08", "ymax")]), ([0.25, 0.25, 0.05], 0, None)):
            out = self.succeed("check", deck, "--set", f"sources.0.position={place}", ranks=ranks).out
            radius = float(re.search(r"spread over balls of radius (\S+?);", out).group(1))
            if found is None:  # the middle of the cell: half of its width is the distance from all periodic sides
                found = [("0.25", "xmin")] if radius > 0.25 else []
            self.assertEqual(re.findall(r"warning +the dipole at .* is (\S+) away from the periodic side '(\w+)', which cuts", out), found)

    def read_glass(self, folder):
        """The normalised E of SHEET at its point, [frequencies][3], and in the glass: of each frequency places and values, in an
        order that does not depend on the ranks."""
        with h5py.File(self.folder / folder / "spectra.h5") as file:
            place, point = (file["spectra/at"][name][()] for name in ("positions", "E_normalised"))
        volumes = []
        for k in range(len(point)):
            with h5py.File(self.folder / folder / f"spectrum_glass_{k:06}.hdf") as file:
                data = file["VTKHDF/PointData"]
                values = (data["E_normalised_re"][:] + 1j * data["E_normalised_im"][:]).reshape(-1, 20, 3)
                places = file["VTKHDF/Points"][:].reshape(-1, 20, 3)
            order = numpy.lexsort(places.mean(axis=1).round(6).T)
            order = order[numpy.isfinite(values[order]).all(axis=(1, 2))]
            volumes.append((places[order], values[order]))
        return place, point[:, 0], volumes

    def test_oblique(self):
        """Fresnel's coefficients at an angle: powers, and fields with their phases; on two ranks, and after a restart."""
        deck = self.write("sheet.yaml", SHEET)
        text = self.compute(deck, "sheet", ranks=2)
        self.assertIn("parts of the incident power", text)
        with h5py.File(self.folder / "sheet" / "flux_spectra.h5") as file:
            found = {name: {key: file["flux"][name][key][()] for key in ("part", "order", "order_k", "order_part", "order_E")}
                     for name in ("before", "behind")}
        w = 2 * math.pi * numpy.array([0.8, 0.9, 1.0])
        k = [numpy.sqrt(epsilon * w * w - OBLIQUE**2) for epsilon in (1, 2.25)]  # across the surfaces
        cosine = k[0] / w
        passed = [2 * k[1] / 2.25 / (k[0] + k[1] / 2.25), 2 * k[0] / (k[0] + k[1])]  # of Ex and of Ey
        incident = [1 * cosine, 0.5 / cosine]
        phase = numpy.exp(-1j * (0.8 * k[0] + 0.4 * k[1]))
        power = [1 * cosine, 0.25 / cosine]
        part = sum(p * (1 - (1 - t) ** 2) for p, t in zip(power, passed)) / sum(power)
        for name in found:
            self.assertEqual(found[name]["order"].tolist(), [[0, 0]])
            self.assertLess(abs(found[name]["order_k"] - [[OBLIQUE, 0, 0]]).max(), 1e-12)
            self.assertLess(abs(found[name]["part"] - part).max(), 0.006)  # found: 0.0033, mostly the layers'
            self.assertLess(abs(found[name]["order_part"] - part).max(), 0.006)
        for axis in (0, 1):
            exact = incident[axis] * passed[axis] * phase
            self.assertLess(abs(found["behind"]["order_E"][0, :, axis] - exact).max(), 0.005, axis)  # found: 0.0023
        place, point, volumes = self.read_glass("sheet")
        for i, (places, values) in enumerate(volumes):
            x, y = (incident[axis][i] * passed[axis][i] * numpy.exp(-0.8j * k[0][i]) for axis in (0, 1))
            amplitude = [x, y, -OBLIQUE / k[1][i] * x]  # across the wave vector

            def exact(at):
                return numpy.exp(-1j * (at @ [OBLIQUE, 0, k[1][i]] - 1.2 * k[1][i]))[..., None] * amplitude

            self.assertLess(abs(point[i] - exact(place)[0]).max(), 0.005)  # found: 0.0017, of 0.74
            # the mesh's error, which is greatest at corners of elements: found 0.055, and 0.0064 with order 5
            self.assertLess(abs(values - exact(places)).max(), 0.1)
        shutil.copytree(self.folder / "sheet", self.folder / "again")
        self.compute(deck, "again", "--restart", "again/checkpoint-130.h5")
        with h5py.File(self.folder / "again" / "flux_spectra.h5") as file:
            for name in found:  # equal but for the order of sums
                self.assertLess(abs(file["flux"][name]["part"][()] - found[name]["part"]).max(), 1e-12)
        with h5py.File(self.folder / "again" / "checkpoint-130.h5") as file:  # each element once, with both parts
            self.assertEqual(file["monitors/spectra/glass/values"].shape, (24, 2 * 20 * 3 * len(w) * 2))
        _, point_again, volumes_again = self.read_glass("again")
        self.assertLess(abs(point_again - point).max(), 1e-12)
        for (places, values), (places_again, values_again) in zip(volumes, volumes_again):
            self.assertEqual(values.shape, (24, 20, 3))
            self.assertTrue((places == places_again).all())
            self.assertLess(abs(values_again - values).max(), 1e-6)  # numbers of fp32
        self.refuse(1, ["boundaries.sheet: the polarisation (0, 0, 2) is across the sheet"], "check", deck, "--set",
                    "boundaries.sheet.polarisation=[0, 0, 2]")
        self.refuse(1, ["'sheet' has the type 'wave-sheet', which a source of the type 'port' does not drive"], "check", deck,
                    "--set", "sources.0.type=port", ranks=(0,))

    def test_blowup(self):
        """Where the imaginary part is the first that is not a number, its element is named as in the mesh, which has 48."""
        deck = self.write("gain.yaml", WAVE.replace("domain: {}", "domain: {conductivity: -30}").replace("waves: [0, -1, 0]", "compare: false, waves: [0, 0, 0]"))
        words = itertools.chain(*(("--set", word) for word in (
            "bloch.wave_vector=[0, 0, 2]", "initial.polarisation=[1, 0, 0]", "order=1", "time={end: 300}")))
        message = self.sedge("run", deck, "--device", DEVICE, *words).messages[0]
        self.assertIn("not a number any more", message)
        self.assertLess(int(re.search(r"in element (\d+) at", message).group(1)), 48)

    def test_refused(self):
        deck = self.write("cell.yaml", CELL)
        absorption = "monitors.absorption={low: {groups: [low], frequencies: {list: [1]}}}"
        for words, parts in (
                (["mesh.box.periodic=[]"], ["cell.yaml:7:", "needs periodic sides"]),
                (["initial={type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], signal: {type: ricker, frequency: 1}}"],
                 ["initial: fields 'plane-wave' do not go with a wave vector"]),
                (["sources=[{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], signal: {type: ricker, frequency: 1}}]"],
                 ["sources.0: a 'plane-wave' does not go with a wave vector"]),
                ([absorption], ["monitors.absorption does not go with a wave vector", "These do: energy, flux, probes"]),
                (["boundaries.zmin={type: pec, symmetry: true}"], ["boundaries.zmin.symmetry"]),
                (["bloch.wave_vector=[1, 0, 2]"], ["cell.yaml:7:", "its part (0, 0, 2) is along no translation"]),
                (["bloch.wave_vector=[1e9, 0, 0]"], ["cell.yaml:7:", "from 'xmin' to 'xmax' the phase is 5e+08 radians"]),
                (["bloch={}"], ["wave_vector"])):
            self.refuse(1, parts, "check", deck, *itertools.chain(*(("--set", word) for word in words)), ranks=(0,))
        wave = self.write("advection.yaml", "equation: advection\norder: 2\nmesh: {box: {periodic: [x, y, z]}}\n"
                          "materials: {domain: {}}\ntime: {end: 1}\nbloch: {wave_vector: [1, 0, 0]}\nflux: {velocity: [1, 0, 0]}\ninitial: {type: sine, waves: [1, 0, 0]}\n")
        self.refuse(1, ["advection.yaml:6:", "the equation 'advection' has no fields with a phase"], "check", wave, ranks=(0,))


if __name__ == "__main__":
    unittest.main()
