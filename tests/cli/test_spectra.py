"""Spectra: Fourier transforms that run beside the steps, against sums over the probes' records.

A sum over whole periods of a mode of frequency f has an exact value. With n samples a whole number of
periods P apart in all, t = i T / n, sum cos(w t) exp(-j w t) T / n = T / 2 exactly, unless n divides 2 P,
and a mode at another multiple of 1 / T has no part in it: the rectangle rule has no aliases below
n / T - f. The run samples both ends, so the sum has one more term, T / n.
"""

import itertools
import math
import re
import unittest
from xml.etree import ElementTree

import h5py
import numpy

from kit import DEVICE, TRIANGLE, Case, Cube, read_json, sides

CAVITY = """\
equation: maxwell
order: 4
precision: fp64
mesh: {box: {cells: [2, 2, 2]}}
time: {end: 2.309401076758503}  # two periods of the mode (1, 1, 1)
materials: {domain: {epsilon: 1}}
""" + sides("pec") + """\
initial: {type: cavity-mode}
monitors:
  probes: {points: {a: [0.3, 0.4, 0.2]}}
  frequencies: {list: [0.8660254037844386, 0.43301270189221935], every: 1}
  spectra:
    points: {points: {a: [0.3, 0.4, 0.2], b: [0.6, 0.5, 0.7]}}
    plane: {plane: {normal: z, at: 0.2, resolution: 5}, fields: [E]}
    all: {groups: [domain], fields: [E]}
output: {snapshots: 0}
kernels: {tune: "off"}
"""

DIPOLE = """\
equation: maxwell
order: 2
precision: fp64
mesh: {box: {cells: [3, 3, 3]}}
time: {steps: 60}
materials: {domain: {epsilon: 1}}
""" + sides("absorbing") + """\
sources:
  - {type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.5}}
monitors:
  probes: {points: {a: [0.3, 0.4, 0.2]}}
  frequencies: {from: 0.25, to: 1.25, count: 3}
  spectra:
    points: {points: {a: [0.3, 0.4, 0.2]}}
    plane: {plane: {normal: x, at: 0.3, resolution: 4}, frequencies: {list: [0.5]}, normalise: none}
    all: {groups: [domain], fields: [E], frequencies: {list: [0.5, 0.75]}}
output: {snapshots: 0, checkpoint: {steps: 24}}
kernels: {tune: "off"}
"""


WAVE = """\
equation: maxwell
order: 4
precision: fp64
mesh: {file: mesh.msh}
time: {steps: 30}
materials: {domain: {epsilon: 1}}
boundaries:
  xmin: {type: absorbing}
  xmax: {type: absorbing}
  ymin: {type: pec}
  ymax: {type: pec}
  zmin: {type: pmc}
  zmax: {type: pmc}
initial:
  type: plane-wave
  direction: [1, 0, 0]
  polarisation: [0, 1, 0]
  signal: {type: gaussian, width: 2, delay: 1}
  compare: false
monitors:
  frequencies: {list: [0.1, 0.2], every: 2}
  spectra:
    points: {points: {a: [0.3, 0.4, 0.2]}}
    plate: {surface: plate, away_from: [2, 0.5, 0.5]}
    xmax: {surface: xmax}
  flux:
    plate: {surface: plate, away_from: [2, 0.5, 0.5]}
    xmax: {surface: xmax, out_of: domain}
    xmin: {surface: xmin}
    ymin: {surface: ymin}
output: {snapshots: 0}
kernels: {tune: "off"}
"""


def transform(times, values, frequency):
    """The sum of values [times][3] by the rectangle rule."""
    phases = numpy.exp(-2j * math.pi * frequency * times) * (times[1] - times[0])
    return (phases[:, None] * values).sum(axis=0)


def mode(at):
    """E of the mode (1, 1, 1) at time 0, of the default amplitude."""
    x, y, z = math.pi * at.T
    size = numpy.array([1.0, -0.4, -0.6])
    return size * numpy.stack([numpy.cos(x) * numpy.sin(y) * numpy.sin(z),
                               numpy.sin(x) * numpy.cos(y) * numpy.sin(z),
                               numpy.sin(x) * numpy.sin(y) * numpy.cos(z)], axis=1)


def sort_rows(at, values):
    """Rows of numbers in an order that does not depend on the ranks."""
    rows = numpy.concatenate([at, values.real, values.imag], axis=1)
    return rows[numpy.lexsort(rows.T)]


def find_errors(folder, time):
    """Of the fields at the end, of order 2, against the mode (1, 1, 1): the L2 norm of each field's error and of the field,
    and the greatest error of the nodes."""
    with h5py.File(folder / "fields_000001.hdf") as file:
        cells = file["VTKHDF/Points"][()].astype(float).reshape(-1, 10, 3)
        values = numpy.concatenate([file[f"VTKHDF/PointData/{name}"][()] for name in "EH"], axis=1).reshape(-1, 10, 6)

    def exact(at):
        angle = math.sqrt(3) * math.pi * time
        sines, cosines = numpy.sin(math.pi * at.T), numpy.cos(math.pi * at.T)
        curl = [(b - a) * sines[i] * cosines[i - 1] * cosines[i - 2] for i, (a, b) in enumerate(((-0.4, -0.6), (-0.6, 1), (1, -0.4)))]
        return numpy.hstack([mode(at) * math.cos(angle), -numpy.stack(curl, axis=1) * math.sin(angle) / math.sqrt(3)])

    at, weight = numpy.polynomial.legendre.leggauss(7)
    u, v, w = (part.ravel() for part in numpy.meshgrid(*3 * [(at + 1) / 2], indexing="ij"))
    weights = (weight[:, None, None] * weight[:, None] * weight).ravel() / 8 * (1 - u) ** 2 * (1 - v)
    corner = numpy.stack([(1 - u) * (1 - v) * (1 - w), u, (1 - u) * v, (1 - u) * (1 - v) * w])
    edges = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))  # in VTK's order
    shapes = numpy.stack([*(l * (2 * l - 1) for l in corner), *(4 * corner[a] * corner[b] for a, b in edges)])
    error, size = numpy.zeros(6), numpy.zeros(6)
    for cell, nodal in zip(cells, values):
        true = exact(corner.T @ cell[:4])
        volume = weights * abs(numpy.linalg.det(cell[1:4] - cell[0]))
        error += volume @ (shapes.T @ nodal - true) ** 2
        size += volume @ true**2
    return error**0.5, size**0.5, abs(values.reshape(-1, 6) - exact(cells.reshape(-1, 3))).max(axis=0)

# A dipole within the surface "box" of a cube that is one group.
CLOSED = """\
equation: maxwell
order: 2
precision: fp64
mesh: {file: mesh.msh}
time: {steps: 40}
materials: {domain: {}}
""" + sides("absorbing") + """\
sources: [{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.8}}]
monitors:
  frequencies: {list: [0.5, 0.8]}
  spectra:
    points: {points: {a: [0.3, 0.4, 0.2]}}
    free: {surface: box}
    given: {surface: box, away_from: [0.5, 0.5, 0.5]}
  flux: {free: {surface: box}, given: {surface: box, away_from: [0.5, 0.5, 0.5]}}
  far-field: {free: {surface: box}, given: {surface: box, away_from: [0.5, 0.5, 0.5]}}
output: {snapshots: 0}
kernels: {tune: "off"}
"""


class Spectra(Case):
    def compute(self, deck, folder, *words, ranks=0):
        self.succeed("run", deck, "--quiet", "--device", DEVICE, *words, "--output", folder, ranks=ranks)
        return self.read(folder)

    def read(self, folder):
        """All datasets of spectra.h5 by their names, and the interval of the samples."""
        found = {}
        with h5py.File(self.folder / folder / "spectra.h5") as file:
            file.visititems(lambda name, item: found.update({name[8:]: item[()]})
                            if isinstance(item, h5py.Dataset) else None)
            self.every = int(file["spectra/points"].attrs["every"])
        return found

    def read_volume(self, folder):
        """Places and complex E of the files of each frequency."""
        found = []
        for k in range(2):
            with h5py.File(self.folder / folder / f"spectrum_all_{k:06}.hdf") as file:
                data = file["VTKHDF/PointData"]
                found.append((file["VTKHDF/Points"][()], data["E_re"][()] + 1j * data["E_im"][()]))
        return found

    def read_item(self, folder, item):
        """The numbers of a DataItem, by XDMF's definition: a hyperslab has the first numbers, steps and counts of an array."""
        shape = [int(size) for size in item.get("Dimensions").split()]
        if item.get("ItemType") == "HyperSlab":
            select, source = item.findall("DataItem")
            first, step, count = self.read_item(folder, select).astype(int)
            cut = tuple(slice(f, f + s * c, s) for f, s, c in zip(first, step, count))
            return self.read_item(folder, source)[cut].reshape(shape)
        if item.get("Format") == "XML":
            return numpy.array([float(number) for number in item.text.split()]).reshape(shape)
        self.assertEqual([item.get("NumberType"), item.get("Precision")], ["Float", "8"])
        if item.get("Format") == "HDF":
            file, path = item.text.split(":")
            with h5py.File(self.folder / folder / file) as opened:
                return opened[path][()].reshape(shape)
        self.assertEqual([item.get("Format"), item.get("Endian")], ["Binary", "Little"])
        return numpy.fromfile(self.folder / folder / item.text, "<f8", math.prod(shape),
                              offset=int(item.get("Seek"))).reshape(shape)

    def check_xdmf(self, folder, name, found):
        """The file for ParaView has, by frequency, what spectra.h5 has, to the last bit, at the same points."""
        grids = ElementTree.parse(self.folder / folder / f"spectrum_{name}.xmf").findall("Domain/Grid/Grid")
        self.assertEqual([float(grid.find("Time").get("Value")) for grid in grids], found[f"{name}/frequency"].tolist())
        fields = [part for part in ("E", "H", "E_normalised", "H_normalised") if f"{name}/{part}" in found]
        faces = [part for part in ("normals", "weights") if f"{name}/{part}" in found]
        for k, grid in enumerate(grids):
            items = {part.get("Name"): part.find("DataItem") for part in grid.findall("Attribute")}
            self.assertEqual(sorted(items), sorted([field + end for field in fields for end in ("_re", "_im")] + faces))
            for label, item in items.items():
                field = label if label in faces else label[:-3]
                exact = found[f"{name}/{field}"] if label in faces else found[f"{name}/{field}"][k]
                exact = exact.imag if label.endswith("_im") else exact.real
                numpy.testing.assert_array_equal(self.read_item(folder, item).reshape(exact.shape), exact, label)
            topology, place = grid.find("Topology"), [self.read_item(folder, item) for item in grid.findall("Geometry/DataItem")]
            if topology.get("TopologyType") == "Polyvertex":
                self.assertEqual(int(topology.get("NumberOfElements")), found[f"{name}/{fields[0]}"].shape[1])
                numpy.testing.assert_array_equal(place[0], found[f"{name}/positions"])
                continue
            self.assertEqual(topology.get("TopologyType"), "3DCoRectMesh")
            size = [int(number) for number in topology.get("Dimensions").split()]
            for axis, first, step, count in zip("zyx", *place, size):
                if f"{name}/{axis}" not in found:  # across the plane
                    with h5py.File(self.folder / folder / "spectra.h5") as file:
                        self.assertEqual([count, first], [1, file[f"spectra/{name}"].attrs["position"]])
                    continue
                numpy.testing.assert_allclose(first + step * numpy.arange(count), found[f"{name}/{axis}"], atol=1e-14)

    def probe(self, folder):
        with h5py.File(self.folder / folder / "probes.h5") as file:
            return file["time"][()], file["probes/a/E"][()]

    def assert_equal(self, one, other):
        """To the last bit: samples are added one by one, and each rank's points are its own."""
        self.assertEqual(one.keys(), other.keys())
        for name, values in one.items():
            numpy.testing.assert_array_equal(values, other[name], name)

    def test_mode(self):
        """Frequencies come ascending. Half the mode's frequency is half a multiple of 1 / T: its sum is
        that of the end. The mode's own error: 0.3 % at this mesh and order."""
        deck = self.write("cavity.yaml", CAVITY)
        whole = self.compute(deck, "whole")
        times, field = self.probe("whole")
        end, step = times[-1], times[1]
        low, high = whole["points/E"][:, 0]
        self.assertEqual(whole["points/frequency"].tolist(), [0.43301270189221935, 0.8660254037844386])
        size = abs(field[0]).max()
        numpy.testing.assert_allclose(high, (end / 2 + step) * field[0], atol=3e-3 * end * size)
        numpy.testing.assert_allclose(low, step * field[0], atol=3e-3 * end * size)
        for k, frequency in enumerate(whole["points/frequency"]):
            numpy.testing.assert_allclose(whole["points/E"][k, 0], transform(times, field, frequency),
                                          atol=1e-13)
        self.assertEqual(whole["plane/E"].shape, (2, 5, 5, 3))
        self.assertFalse(numpy.isnan(whole["plane/E"]).any())
        for name in ("points", "plane"):
            self.check_xdmf("whole", name, whole)
        self.assertFalse((self.folder / "whole/spectrum_all.xmf").exists())
        self.assertNotIn("plane/H", whole)
        self.assertNotIn("points/incident", whole)
        volume = self.read_volume("whole")
        at, values = volume[1]
        exact = (end / 2 + step) * mode(at)
        self.assertLess(numpy.linalg.norm(values - exact), 0.02 * numpy.linalg.norm(exact))
        single = self.compute(deck, "single", "--set", "precision=fp32", ranks=2)
        numpy.testing.assert_allclose(single["plane/E"], whole["plane/E"], atol=1e-5 * size)

    def test_error(self):
        """What the report says of a mode's error, from the fields in the files, which have fp32. The program's integrals are
        exact up to degree 6, which at this order leaves 0.15 % of the error's."""
        deck = self.write("cavity.yaml", CAVITY)
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--set", "order=2", "--set", "time={steps: 9}", "--set",
                     "output.snapshots=1", "--set", "monitors={}", "--output", "error", ranks=2)
        report = read_json(self.folder / "error/report.json")
        error, size, greatest = find_errors(self.folder / "error", report["time"])
        fields = ("Ex", "Ey", "Ez", "Hx", "Hy", "Hz")
        numpy.testing.assert_allclose([report["l2_error"][name] for name in fields], error, rtol=3e-3)
        numpy.testing.assert_allclose([report["linf_error"][name] for name in fields], greatest, rtol=1e-5)
        for key, part in (("E", slice(0, 3)), ("H", slice(3, 6))):
            relative = numpy.linalg.norm(error[part]) / numpy.linalg.norm(size[part])
            self.assertAlmostEqual(report["l2_error_relative_groups"][key] / relative, 1, delta=3e-3)
        relative = numpy.linalg.norm(error) / numpy.linalg.norm(size)
        self.assertAlmostEqual(report["l2_error_relative"] / relative, 1, delta=3e-3)
        self.assertLess(relative, 0.12)

    def test_pulse(self):
        """Sampled by the rule; linear; normalised; the same in parts, on other ranks, elsewhere."""
        deck = self.write("dipole.yaml", DIPOLE)
        whole = self.compute(deck, "whole", ranks=4)
        times, field = self.probe("whole")
        self.assertEqual(self.every, int(1 / (times[1] * (1.25 + 1.75 * 2.5 * 0.5))))
        self.assertEqual(self.every, 8)  # a sample at the checkpoint, which counts once
        sampled = times[::self.every]
        for k, frequency in enumerate(whole["points/frequency"]):
            direct = transform(sampled, field[::self.every], frequency)
            numpy.testing.assert_allclose(whole["points/E"][k, 0], direct, atol=1e-14)
        peak = abs(whole["points/incident"]).max()
        self.assertGreater(peak, 0.0)
        numpy.testing.assert_allclose(
            whole["points/E_normalised"] * whole["points/incident"][:, None, None], whole["points/E"],
            rtol=1e-12)
        self.assertNotIn("plane/incident", whole)
        for name in ("points", "plane"):
            self.check_xdmf("whole", name, whole)

        begun = self.compute(deck, "parts", "--set", "time.steps=35")  # ends between two samples
        self.assertGreater(abs(begun["points/E"] - whole["points/E"]).max(), 0.0)
        elsewhere = self.compute(deck, "elsewhere", "--restart",
                                 self.folder / "parts/checkpoint-24.h5", ranks=2)
        self.assert_equal(elsewhere, whole)
        self.assert_equal(self.compute(deck, "parts", "--restart", "auto", ranks=2), whole)
        for one, other in zip(self.read_volume("parts"), self.read_volume("whole")):
            numpy.testing.assert_array_equal(sort_rows(*one), sort_rows(*other))
        for name, key, ranks in (("points", "fields=[E]", (0, 2)), ("points", "points.a=[0.3, 0.4, 0.21]", (0,)),
                                 ("plane", "plane.normal=y", (0,)), ("plane", "plane.at=0.31", (0,)),
                                 ("plane", "plane.resolution=5", (0,)), ("all", "frequencies={list: [0.5, 0.76]}", (0,))):
            self.refuse(1, [f"the checkpoint has sums of the spectrum '{name}' for other places"], "run", deck, "--device", "host",
                        "--output", "elsewhere", "--restart", "auto", "--set", f"monitors.spectra.{name}.{key}", ranks=ranks)

        with h5py.File(self.folder / "parts/checkpoint-60.h5", "r+") as file:
            file["monitors/spectra/points/values"][0, 0] += 1e-3
        self.refuse(2, ["is damaged: /monitors/spectra/points has a row without its checksum"], "run",
                    deck, "--device", "host", "--output", "parts", "--quiet", "--restart",
                    self.folder / "parts/checkpoint-60.h5", ranks=(2,))

        twice = self.compute(deck, "twice", "--set", "sources.0.signal.amplitude=2",
                             "--set", "monitors.frequencies.floor=0.9")
        numpy.testing.assert_allclose(twice["points/E"], 2 * whole["points/E"], rtol=1e-12)
        small = abs(whole["points/incident"]) < 0.9 * peak
        self.assertTrue(small.any() and not small.all())
        numpy.testing.assert_allclose(twice["points/E_normalised"][~small],
                                      whole["points/E_normalised"][~small], rtol=1e-12)
        self.assertTrue(numpy.isnan(twice["points/E_normalised"][small]).all())

    def test_surfaces(self):
        """A plane wave along x at time 0: fields s(-x) and n.(E x H) = s^2 on a plane inside the mesh, from
        E and H that are interpolated. On the outside the flux at frequencies is the sum over the points
        that spectra.h5 has."""
        cube = Cube(2)
        inside = sorted({tuple(sorted(n for n in t if cube.nodes[n][0] == 0.5)) for t in cube.tetrahedra})
        text = cube.text(extra=[(TRIANGLE, 8, face) for face in inside if len(face) == 3])
        self.write("mesh.msh", text.replace("$PhysicalNames\n7\n", '$PhysicalNames\n8\n2 8 "plate"\n'))
        deck = self.write("wave.yaml", WAVE)
        whole = self.compute(deck, "whole", ranks=2)
        area, normals, places = (whole[f"plate/{name}"] for name in ("weights", "normals", "positions"))
        self.assertAlmostEqual(area.sum(), 1.0, delta=1e-13)
        numpy.testing.assert_allclose(normals, numpy.full_like(normals, [-1, 0, 0]), atol=1e-13)
        numpy.testing.assert_allclose(places[:, 0], 0.5, atol=1e-13)
        numpy.testing.assert_allclose((places * area[:, None]).sum(axis=0), 0.5, atol=1e-13)
        self.assertEqual(len(numpy.unique(places.round(9), axis=0)), len(places))  # each face once
        for name in ("plate", "xmax"):
            self.check_xdmf("whole", name, whole)
        with h5py.File(self.folder / "whole/flux.h5") as file:
            flux = {name: file["flux"][name][()] for name in file["flux"]}
        for name, x, sign in (("plate", 0.5, -1.0), ("xmax", 1.0, 1.0), ("xmin", 0.0, -1.0)):
            self.assertAlmostEqual(flux[name][0], sign * math.exp(-2 * ((-x - 1) / 2) ** 2), delta=2e-5)
        self.assertLess(abs(flux["ymin"]).max(), 1e-2 * abs(flux["xmax"]).max())
        with h5py.File(self.folder / "whole/flux_spectra.h5") as file:
            power = {name: file[f"flux/{name}/power"][()] for name in file["flux"]}
        self.assertEqual(sorted(power), sorted(flux))
        for name, delta in (("xmax", 1e-13), ("plate", 1e-4)):  # inside: mean of fluxes, flux of means
            across = numpy.cross(whole[f"{name}/E"], whole[f"{name}/H"].conj()).real
            found = 0.5 * (across * whole[f"{name}/normals"] * whole[f"{name}/weights"][:, None]).sum((1, 2))
            numpy.testing.assert_allclose(power[name], found, rtol=delta)
            self.assertTrue((abs(found) > 1e-4).all())

        self.compute(deck, "parts", "--set", "time.steps=13", "--set", "output.checkpoint={steps: 13}")
        self.assert_equal(self.compute(deck, "parts", "--restart", "auto", ranks=4), whole)
        for name in ("flux.h5", "flux_spectra.h5"):
            with h5py.File(self.folder / "parts" / name) as one, h5py.File(self.folder / "whole" / name) as other:
                one.visititems(lambda path, item: numpy.testing.assert_allclose(
                    item[()], other[path][()], rtol=1e-12, err_msg=path)
                    if isinstance(item, h5py.Dataset) else None)
        for monitor in ("spectra", "flux"):  # sums of other points with the same normal direction
            self.refuse(1, ["the checkpoint has sums of the spectrum 'xmax' for other places"], "run", deck, "--device", "host", "--output",
                        "parts", "--restart", "auto", "--set", f"monitors.{monitor}.xmax={{surface: ymax}}", ranks=(0,))
        for setting, parts in [
                ("monitors.flux.plate={surface: plat}", ["monitors.flux.plate.surface", "'plat'; did you mean 'plate'"]),
                ("monitors.flux.plate={surface: plate, out_of: air}", ["the mesh has no volume group 'air'"]),
        ]:
            self.refuse(1, parts, "check", deck, "--set", setting, ranks=(0,))
        for command in ("run", "check"):
            self.refuse(1, ["--set monitors.flux.plate={surface: plate}: monitors.flux.plate: ", "'domain' on both sides: its normal has no direction; say which by 'away_from'"], command,
                        deck, "--device", "host", "--output", "none", "--set", "monitors.flux.plate={surface: plate}",
                        ranks=(0,))
            self.assertFalse((self.folder / "none").exists())  # before kernels are compiled and results begin
        self.succeed("check", deck, "--output", "checked")
        self.assertFalse((self.folder / "checked").exists())

    def test_closed(self):
        """Normals of a closed surface within one group point out of it, as with `away_from`, also in an imported mesh."""
        cube = Cube(4)
        inside = [all(0.25 < sum(cube.nodes[n][d] for n in t) / 4 < 0.75 for d in range(3)) for t in cube.tetrahedra]
        owners = {}
        for t, owner in zip(cube.tetrahedra, inside):
            for face in itertools.combinations(sorted(t), 3):
                owners.setdefault(face, []).append(owner)
        skin = [face for face, found in owners.items() if sorted(found) == [False, True]]
        self.assertEqual(len(skin), 48)
        text = cube.text(extra=[(TRIANGLE, 8, face) for face in skin])
        self.write("mesh.msh", text.replace("$PhysicalNames\n7\n", '$PhysicalNames\n8\n2 8 "box"\n'))
        deck = self.write("closed.yaml", CLOSED)
        self.succeed("mesh", "import", "mesh.msh", "mesh.h5")
        for name, ranks, words in (("one", 0, ()), ("two", 2, ()), ("imported", 2, ("--set", "mesh.file=mesh.h5"))):
            found = self.compute(deck, name, *words, ranks=ranks)
            place, normal, area = (found[f"free/{key}"] for key in ("positions", "normals", "weights"))
            self.assertAlmostEqual((place * normal * area[:, None]).sum() / 3, 0.125, delta=1e-13)
            for file in ("spectra", "flux", "flux_spectra", "far-field"):
                with h5py.File(self.folder / name / f"{file}.h5") as data:
                    top = data if "free" in data else data[file.removesuffix("_spectra")]
                    if not isinstance(top["free"], h5py.Dataset):
                        self.assertEqual(sorted(top["free"]), sorted(top["given"]))
                    pairs = [(top["free"], top["given"])] if isinstance(top["free"], h5py.Dataset) else [
                        (top["free"][key], top["given"][key]) for key in top["free"]]
                    for one, other in pairs:
                        numpy.testing.assert_array_equal(one[()], other[()], f"{file} {one.name}")
        missing = self.write("open.yaml", CLOSED.replace("mesh.msh", "open.msh"))
        text = cube.text(extra=[(TRIANGLE, 8, face) for face in skin[1:]])
        self.write("open.msh", text.replace("$PhysicalNames\n7\n", '$PhysicalNames\n8\n2 8 "box"\n'))
        self.refuse(1, ["'domain' on both sides: its normal has no direction"], "check", missing)

    def test_refused(self):
        deck = self.write("dipole.yaml", DIPOLE)
        check = self.succeed("check", deck).out
        # Sums for which no machine has the memory are counted, and not asked for.
        vast = self.succeed("check", deck, "--set", "monitors.frequencies={from: 0.5, to: 1.5, count: 100000}", "--set",
                            "time.stop.spectra=1e-3", "--set", "mesh.box.cells=[12, 12, 12]", "--set",
                            "monitors.spectra={all: {groups: [domain]}}").out
        self.assertGreater(float(re.search(r"([0-9.]+) MiB of sums", vast).group(1)), 5e5)
        long = self.succeed("check", deck, "--set", "time={end: 1e11}", "--set", "monitors.far-field.all="
                            "{surface: around, theta: {from: 0, to: 180, step: 1}, time: true}", "--set",
                            "mesh.surfaces={around: {box: {min: [0.2, 0.2, 0.2], max: [0.8, 0.8, 0.8]}}}").out
        self.assertIn("steps", long)
        self.assertRegex(check, r"spectra +3, 0 of flux, 0 of absorption, 0 of far fields, a sample every \d+ steps \([0-9.]+\), "
                         r"0.[0-9] MiB of sums and [0-9.]+ MiB of samples on the device")
        points = "monitors.spectra.points"
        for setting, parts in [
                ("monitors.frequencies.to=1000", ["points a wavelength", "are the units right?"]),
                ("sources.0.signal.frequency=6.5", ["spectra at up to 1.25, and the time step"]),
                ("sources.0.signal.frequency=1000", ["resolves 28.7, less than 4375, to which the spectra of the sources"]),
                ("monitors.frequencies.to=6", ["points a wavelength", "which it has below"]),
                ("monitors.frequencies.every=50", ["need a sample every", "not 50"]),
                (f"{points}.points.far=[0, 0, 3]", ["the point of a spectrum 'far'", "outside"]),
                (f"{points}.fields=[B]", [f"{points}.fields", "known: E, H"]),
                ("monitors.spectra.all={groups: [air]}", ["monitors.spectra.all.groups", "no volume group 'air'"]),
                ("monitors.spectra.plane.plane.at=2", ["monitors.spectra.plane: the plane x = 2 misses"]),
                ("monitors.spectra.plane.normalise=source", None),
        ]:
            with self.subTest(setting=setting):
                if parts is None:
                    self.succeed("check", deck, "--quiet", "--set", setting)
                else:
                    self.refuse(1, parts, "check", deck, "--set", setting, ranks=(0,))
        self.refuse(1, ["'source' needs sources that all have the same signal", "no source"], "check",
                    deck, "--set", "sources=[]", "--set", f"{points}.normalise=source", ranks=(0,))


if __name__ == "__main__":
    unittest.main()
