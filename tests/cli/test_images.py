"""Media by images: volume groups by labels, and numbers that vary in space."""

import os
import re
import shutil
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, Case, line_of, sides
from slabs import write_bar

# Two media that meet inside a bar, also in its layers: one with poles, one that conducts.
LABELS = """\
equation: maxwell
order: 2
precision: fp64
mesh:
  file: bar.msh
  labels: {file: head.h5, dataset: body/tissue, names: {7: left, 9: right}}
time: {steps: 12}
materials:
  left: {epsilon: 2, conductivity: 0.5}
  right: {epsilon: 1.5, debye: {strength: 1, relaxation_time: 0.5}}
""" + sides("pec").replace("ymin: {type: pec}", "ymin: {type: pml}") + """\
sources:
  - {type: dipole, position: [0.3, 0.7, 0.9], direction: [0, 0, 1], signal: {type: gaussian, frequency: 1, width: 0.2, delay: 0.1}}
monitors: {probes: {points: {p: [0.7, 0.2, 1.3]}}, energy: {every: 4}}
output: {snapshots: 0}
"""

# A slab from z = 0 to 1 across a duct that guides plane waves along z.
SLAB = """\
equation: maxwell
order: 2
precision: fp64
mesh:
  box: {min: [0, 0, -1], max: [SIZE, SIZE, 2], cells: [1, 1, CELLS], name: air}
  labels: {file: slab.h5, dataset: where, names: {1: slab}}
  surfaces: {entry: {plane: {normal: z, at: -0.5}}}
time: {end: 20}
materials: {air: {}, slab: {}}
boundaries:
  xmin: {type: pec}
  xmax: {type: pec}
  ymin: {type: pmc}
  ymax: {type: pmc}
  zmin: {type: pml, reflection: 1e-6}
  zmax: {type: pml, reflection: 1e-6}
  entry: {type: total-field}
sources:
  - {type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], origin: [0, 0, -3], signal: {type: ricker, frequency: 0.3}}
monitors: {frequencies: {list: [0.2, 0.3, 0.4]}, spectra: {points: {points: {before: [0.1, 0.1, -0.75], behind: [0.1, 0.1, 1.25]}}}}
output: {snapshots: 0}
"""

# A soil, also in layers around it: permittivity and conductivity vary in space, and one part is dry.
SOIL = LABELS.replace("  labels: {file: head.h5, dataset: body/tissue, names: {7: left, 9: right}}\n", "")
SOIL = SOIL[:SOIL.index("  left:")] + """\
  block:
    epsilon: {file: soil.h5, dataset: epsilon}
    conductivity: {file: soil.h5, dataset: conductivity, spacing: [0.5, 0.5, 0.25]}
    debye: {strength: 1, relaxation_time: 0.5}
""" + SOIL[SOIL.index("boundaries:"):]


def reflect(epsilon, conductivity, w, sheets=2000):
    """What a slab from 0 to 1 reflects and lets through at its faces, by many thin homogeneous sheets."""
    z, found = (numpy.arange(sheets) + 0.5) / sheets, []
    for k in w:
        n = numpy.sqrt(epsilon(z) - 1j * conductivity(z) / k)
        whole = numpy.eye(2)
        for m, turn in zip(n, k * n / sheets):
            whole = whole @ numpy.array([[numpy.cos(turn), 1j * numpy.sin(turn) / m], [1j * m * numpy.sin(turn), numpy.cos(turn)]])
        b, c = whole @ numpy.ones(2)
        found.append(((b - c) / (b + c), 2 / (b + c)))
    return numpy.array(found).T


def write_image(path, name, values, **attributes):
    with h5py.File(path, "a") as file:
        dataset = file.create_dataset(name, data=values, compression="gzip")
        dataset.attrs.update(attributes)


class Labels(Case):
    def setUp(self):
        super().setUp()
        self.counts, self.size = (2, 2, 4), (1, 1, 2)
        self.label = {place: 9 if place[0] + place[2] > 2 else 7 for place in numpy.ndindex(self.counts)}
        tissue = numpy.array([[[self.label[i, j, k] for k in range(4)] for j in range(2)] for i in range(2)], "u2")
        write_image(self.folder / "head.h5", "body/tissue", tissue, origin=[0.25, 0.25, 0.25], spacing=[0.5, 0.5, 0.5])
        write_bar(self.folder / "bar.msh", self.counts, self.size, dict.fromkeys(self.label, "block"))
        self.deck = self.write("deck.yaml", LABELS)

    def run_deck(self, deck, name, *words, ranks=0):
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--tune=off", "--output", name, *words, ranks=ranks)
        with h5py.File(self.folder / name / "probes.h5") as file, h5py.File(self.folder / name / "energy.h5") as energy:
            return file["probes/p/E"][()], energy["energy"][()]

    def test_groups(self):
        """As with the groups in the mesh, to the bit, also from an imported file; the numbers of groups differ in neither.
        Two ranks: rounding."""
        found = self.run_deck(self.deck, "labels")
        write_bar(self.folder / "grouped.msh", self.counts, self.size,
                  {place: {7: "left", 9: "right"}[label] for place, label in self.label.items()})
        plain = self.write("plain.yaml", "\n".join(line for line in LABELS.splitlines() if "labels" not in line)
                           .replace("bar.msh", "grouped.msh"))
        for field, expected in zip(found, self.run_deck(plain, "plain")):
            numpy.testing.assert_array_equal(field, expected)
        self.succeed("mesh", "import", "bar.msh", "bar.h5", "--deck", self.deck)
        imported = "mesh.file=bar.h5"
        for field, expected in zip(found, self.run_deck(self.deck, "imported", "--set", imported)):
            numpy.testing.assert_array_equal(field, expected)
        for field, expected in zip(found, self.run_deck(self.deck, "two", ranks=2)):
            numpy.testing.assert_allclose(field, expected, atol=1e-13)
        self.assertIn("right", self.succeed("mesh", "info", "bar.h5").out)
        with h5py.File(self.folder / "head.h5", "a") as file:
            file["body/tissue"][0, 0, 0] = 9
        result = self.sedge("check", self.deck, "--set", imported)
        self.assertEqual(result.code, 1, result)
        self.assertIn("was imported for other options: the labels there: an image with the checksum", result.messages[0])

    def test_some(self):
        """Elements outside of the image, or without a named label, stay in their group; an axis with one voxel is the same
        everywhere; the deck's place counts, not the attributes."""
        write_image(self.folder / "head.h5", "flat", numpy.array([[[3, 4, 5]]], "f4"), spacing=[0, 0, 0])
        out = self.succeed("check", self.deck, "--set", "mesh.labels={file: head.h5, dataset: flat, names: {4: left, 5: right}, "
                           "origin: [0, 0, 0.25], spacing: [9, 9, 0.5]}", "--set", "materials.block={}").out
        for line in ("block            48 elements", "left             24 elements", "right            24 elements"):
            self.assertIn(line, out)
        write_image(self.folder / "head.h5", "mask", numpy.array([[[False, True]]]), spacing=[1, 1, 1])
        out = self.succeed("check", self.deck, "--set", "mesh.labels={file: head.h5, dataset: mask, names: {0: left, 1: right}, "
                           "origin: [0, 0, 0.5]}").out
        for line in ("left             48 elements", "right            48 elements"):
            self.assertIn(line, out)

    def test_messages(self):
        write_image(self.folder / "head.h5", "plane", numpy.zeros((2, 2)))
        write_image(self.folder / "head.h5", "bare", numpy.zeros((2, 2, 2)))
        write_image(self.folder / "head.h5", "holes", numpy.array([[[1, numpy.nan]]]), spacing=[1, 1, 1])
        write_image(self.folder / "head.h5", "thin", numpy.zeros((2, 2, 2)), spacing=[1, 0, 1])
        with h5py.File(self.folder / "head.h5", "a") as file:
            file.create_dataset("none-there", (3, 0, 3))
            file.create_dataset("huge", [2**22] * 3, chunks=(8, 8, 8))
        for setting, code, message in (
                ("file=none.h5", 2, "cannot read '{folder}/none.h5': No such file or directory"),
                ("file=deck.yaml", 2, "cannot read '{folder}/deck.yaml': it is no HDF5 file"),
                ("dataset=none", 2, "cannot read '{folder}/head.h5': object 'none' doesn't exist"),
                ("dataset=plane", 2, "plane is of another type or shape (an image has three dimensions"),
                ("dataset=bare", 2, "has no attribute 'spacing'"),
                ("dataset=holes", 2, "has the value nan at [0, 0, 1]"),
                ("dataset=thin", 2, "the spacing along y is 0; it must be a number greater than 0"),
                ("dataset=none-there", 2, "has 3 x 0 x 3 values; it must have at least one"),
                ("dataset=huge", 2, "has 4194304 x 4194304 x 4194304 values; it must have less than 1e12"),
                ("names={7: left, 9: right, 11: bone}", 2, "in a voxel with the label 11, which is to be 'bone': the image "
                 "reaches from (0, 0, 0) to (1, 1, 2)"),
                ("names={7: left, 9.5: right}", 1, "mesh.labels.names.9.5: a label is a whole number from 0 to 16777216"),
                ("names={7: left, 07: right}", 1, "mesh.labels.names.07: the label 7 has a name already"),
                ("names={}", 1, "mesh.labels.names is empty")):
            with self.subTest(setting=setting):
                result = self.sedge("check", self.deck, "--set", f"mesh.labels.{setting}")
                self.assertEqual(result.code, code, result)
                self.assertEqual(len(result.messages), 1, result)
                self.assertIn(message.format(folder=self.folder), result.messages[0])
                if code == 2:
                    self.assertIn(f"deck.yaml:{line_of(LABELS, 'labels:')}: ", result.messages[0])


class Grades(Case):
    def write_soil(self, change=0.0):
        """The conductivity is 0 in half of the bar."""
        numbers = numpy.random.default_rng(7)
        (self.folder / "soil.h5").unlink(missing_ok=True)
        write_image(self.folder / "soil.h5", "epsilon", 2 + numbers.random((3, 3, 9)) + change, spacing=[0.5, 0.5, 0.25])
        write_image(self.folder / "soil.h5", "conductivity",
                    numpy.maximum(0, numbers.random((3, 3, 9))) * (numpy.arange(9) > 4), spacing=[1, 1, 1])

    def setUp(self):
        super().setUp()
        write_bar(self.folder / "bar.msh", (2, 2, 4), (1, 1, 2), ["block"] * 4)
        self.deck = self.write("deck.yaml", SOIL)

    def run_deck(self, deck, name, *settings, words=(), ranks=0):
        settings = [word for setting in settings for word in ("--set", setting)]
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--tune=off", "--output", name, *settings, *words, ranks=ranks)

    def probe(self, name):
        with h5py.File(self.folder / name / "probes.h5") as file:
            return file["probes/p/E"][()]

    def test_slab(self):
        """A profile that rises exponentially, also with losses, against sheets. Half the cells leave a quarter of the error."""
        z = numpy.linspace(0, 1, 101)
        write_image(self.folder / "slab.h5", "where", numpy.array([[[0, 1, 0]]]), origin=[0, 0, -0.5], spacing=[1, 1, 1])
        write_image(self.folder / "slab.h5", "epsilon", 4 ** z[None, None], spacing=[1, 1, 0.01])
        write_image(self.folder / "slab.h5", "conductivity", z[None, None] ** 2, spacing=[1, 1, 0.01])
        w = 2 * numpy.pi * numpy.array([0.2, 0.3, 0.4])
        one, two = "epsilon: {file: slab.h5, dataset: epsilon}", "conductivity: {file: slab.h5, dataset: conductivity}"
        errors = []
        for cells, medium, conductivity in ((6, one, 0), (12, one, 0), (12, f"{one}, {two}", 1)):
            deck = self.write("slab.yaml", SLAB.replace("CELLS", str(cells)).replace("SIZE", str(3 / cells)))
            self.run_deck(deck, "slab", f"materials.slab={{{medium}}}")
            with h5py.File(self.folder / "slab/spectra.h5") as file:
                found = file["spectra/points/E_normalised"][:, :, 0].T
            errors.append(abs(abs(found) - abs(reflect(lambda z: 4**z, lambda z: conductivity * z**2, w))).max())
        print("errors of the slab:", *(f"{error:.1e}" for error in errors))
        self.assertLess(errors[0], 1.6e-2)
        self.assertLess(errors[1], 0.35 * errors[0])
        self.assertLess(errors[2], 5e-3)

    def test_ranks(self):
        """With a pole and losses, in layers, by both kinds of steps, on two ranks: as on one, to the bit. A checkpoint goes on with the same image alone, and an import serves it alone."""
        self.write_soil()
        store = "output.checkpoint={steps: 6}"
        self.run_deck(self.deck, "one", store, "time.integrator=lsrk45")
        self.run_deck(self.deck, "two", "time.integrator=lsrk45", ranks=2)
        numpy.testing.assert_array_equal(self.probe("one"), self.probe("two"))
        for ranks in (0, 2):
            self.run_deck(self.deck, f"ader-{ranks}", "time={end: 0.8, integrator: ader}", "precision=fp32", ranks=ranks)
        numpy.testing.assert_array_equal(self.probe("ader-0"), self.probe("ader-2"))
        self.succeed("mesh", "import", "bar.msh", "bar.h5", "--deck", self.deck)
        words = ("--restart", self.folder / "one/checkpoint-6.h5")
        self.run_deck(self.deck, "again", "mesh.file=bar.h5", "time.integrator=lsrk45", words=words)
        numpy.testing.assert_array_equal(self.probe("one")[-1], self.probe("again")[-1])
        self.assertRegex(self.succeed("mesh", "info", "bar.h5").out, r"(?m)^  block +\d+ +96 ")
        self.write_soil(change=0.01)
        result = self.sedge("run", self.deck, "--quiet", "--tune=off", "--set", "time.integrator=lsrk45", *words)
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.messages[0], "materials is 'block: .*graded [0-9a-f]{16}.*' there, 'block: .*graded ")
        result = self.sedge("check", self.deck, "--set", "mesh.file=bar.h5")
        self.assertIn("the graded numbers of materials there: in 'block' an image with the checksum", result.messages[0])

    def test_constant(self):
        """An image of one value is that number, to the bit. Field files have it."""
        write_image(self.folder / "soil.h5", "epsilon", numpy.full((1, 1, 1), 2.5), spacing=[1, 1, 1])
        write_image(self.folder / "soil.h5", "conductivity", numpy.full((1, 1, 1), 0.25), spacing=[1, 1, 1])
        self.run_deck(self.deck, "image", "output.snapshots=1")
        with h5py.File(self.folder / "image/fields_000001.hdf") as file:
            graded = file["VTKHDF/CellData/graded"]
            self.assertEqual(list(graded.attrs["names"]), ["epsilon", "conductivity"])
            numpy.testing.assert_array_equal(graded[()], numpy.full((96, 2), [2.5, 0.25], "f4"))
            self.assertEqual(set(file["VTKHDF/CellData/material"][()]), {0})
        self.run_deck(self.deck, "tensor", "output.snapshots=1", "monitors={}", "boundaries.ymin.type=pec", "mesh={box: {cells: "
                      "[2, 2, 2], split: {axis: z, at: 0.5, names: [block, top]}}}", "materials.top={conductivity: [1, 2, 3]}")
        with h5py.File(self.folder / "tensor/fields_000001.hdf") as file:
            found = numpy.nan_to_num(file["VTKHDF/CellData/graded"][()], nan=-1)
            self.assertEqual(numpy.unique(found, axis=0).tolist(), [[1, -1], [2.5, 0.25]])
        self.run_deck(self.deck, "number", "materials.block={epsilon: 2.5, conductivity: 0.25, debye: {strength: 1, "
                      "relaxation_time: 0.5}}")
        numpy.testing.assert_array_equal(self.probe("image"), self.probe("number"))

    def test_check(self):
        """What `sedge check` says: values within the image's, of a group as a whole; also of curved elements, by the mean of
        their coordinate z; and no more grades than there may be."""
        self.write_soil()
        out = self.succeed("check", self.deck).out
        found = re.search(r"block +96 elements: given, epsilon ([\d.]+) to ([\d.]+), conductivity 0 to ([\d.]+) in (\d+) "
                          r"grades, debye \(memory", out)
        self.assertTrue(2 < float(found[1]) < float(found[2]) < 3 and 0 < float(found[3]) < 1 and 80 < int(found[4]) <= 96, out)
        self.assertEqual(len(re.findall("(?m)^ +block +shortest wave", out)), 1, out)
        write_image(self.folder / "soil.h5", "z", 2 + numpy.array([[[-1, 1]]]), origin=[0, 0, -1], spacing=[1, 1, 2])
        ball = ("mesh={file: %s}" % (SOURCE / "meshes/ball.msh"), "boundaries={wall: {type: pec}}",
                "sources.0.position=[0, 0, 0]", "monitors={}", "materials={inside: {epsilon: {file: soil.h5, dataset: z}}}")
        found = re.search(r"inside .*epsilon ([\d.]+) to ([\d.]+) in", self.succeed(
            "check", self.deck, *(word for setting in ball for word in ("--set", setting))).out)
        self.assertTrue(1 < float(found[1]) < 1.25 and 2.75 < float(found[2]) < 3, found[0])
        write_image(self.folder / "soil.h5", "gain", numpy.array([[[0.2, -0.2]]]), spacing=[1, 1, 2])
        self.assertIn("warning            material 'block' has gain", self.succeed(
            "check", self.deck, "--set", "materials.block.conductivity={file: soil.h5, dataset: gain}", "--set",
            "boundaries.ymin.type=pec").out)
        write_image(self.folder / "soil.h5", "wide", numpy.geomspace(1, 1e4, 12**3).reshape(12, 12, 12), spacing=[0.1] * 3)
        out = self.succeed("check", self.write("box.yaml", SOIL), "--set", "mesh={box: {cells: [10, 10, 10], name: block}}",
                           "--set", "materials={block: {epsilon: {file: soil.h5, dataset: wide}}}", "--set", "monitors={}",
                           "--set", "sources.0.position=[0.5, 0.6, 0.5]").out
        self.assertTrue(2000 < int(re.search(r"in (\d+) grades", out)[1]) <= 4096, out)

    def test_changed(self):
        """A sweep makes runs anew whose image has changed, of either kind. Neither is a report's place, nor a result's."""
        self.write_soil()
        write_image(self.folder / "head.h5", "tissue", numpy.ones((1, 1, 1)), spacing=[1, 1, 1])
        deck = self.write("sweep.yaml", SOIL + "sweep: {sources.0.position: [[0.3, 0.7, 0.9], [0.3, 0.7, 1]]}\n")
        words = ("--set", "mesh.labels={file: head.h5, dataset: tissue, names: {1: block}}", "--set", "time.steps=2")
        begin = ("run", deck, "--device", DEVICE, "--tune=off", "--output", "out", *words)
        self.succeed(*begin)
        self.assertIn("2 of them done before", self.succeed(*begin).out)
        for image in ("soil.h5", "head.h5"):
            begun = (self.folder / "out/002/deck.yaml").stat().st_mtime
            os.utime(self.folder / image, (begun + 2, begun + 2))
            self.assertIn("made anew: the folder has a run of another deck, mesh or image", self.succeed(*begin).out)
            os.utime(self.folder / image, (begun - 9, begun - 9))
            for one in (deck, self.deck):
                result = self.sedge("run", one, "--tune=off", "--report", image, *words)
                self.assertEqual(result.code, 1, result)
                self.assertIn(f"--report '{image}' is the image itself", result.messages[0])
        (self.folder / "own").mkdir()
        shutil.copy(self.folder / "soil.h5", self.folder / "own/probes.h5")
        result = self.sedge("run", self.deck, "--tune=off", "--output", "own", "--set",
                            "materials.block.epsilon.file=own/probes.h5")
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.messages[0], "the image '.*own/probes.h5' would be overwritten")

    def test_messages(self):
        self.write_soil()
        write_image(self.folder / "soil.h5", "short", numpy.ones((2, 2, 4)), spacing=[1, 1, 0.25])
        write_image(self.folder / "soil.h5", "zero", numpy.zeros((1, 1, 1)), spacing=[1, 1, 1])
        far = "{box: {min: [0.4, 0.4, 0.4], max: [0.9, 0.9, 1.6]}}"
        line = f"deck.yaml:{line_of(SOIL, 'epsilon:')}: materials.block.epsilon: "
        for settings, code, message in (
                (["materials.block.epsilon.dataset=short"], 2, line + "the volume group 'block' has the point ("),
                (["materials.block.epsilon.dataset=short"], 2, "and the image reaches from (-0.5, -0.5, -0.125) to (1.5, 1.5, "
                 "0.875): it must cover the whole group"),
                (["materials.block.epsilon.dataset=zero"], 2, "is 0; it must be greater than 0"),
                (["materials.block.epsilon.file=no.h5"], 2, line + "cannot read '{folder}/no.h5': No such file"),
                (["materials.block.epsilon={file: soil.h5}"], 1, "materials.block.epsilon needs the key 'dataset'"),
                (["materials.block.debye.strength={file: a, dataset: b}"], 1, "must be a single value, not a mapping"),
                (["boundaries.in={type: total-field}", f"mesh.surfaces={{in: {far}}}", "materials.block={epsilon: {file: "
                  "soil.h5, dataset: epsilon}}", "sources.0={type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                  "signal: {type: ricker, frequency: 0.5}}"], 1, "surface 'in' has elements of a third material beside it"),
                (["boundaries.ymin.type=pec", f"mesh.surfaces={{f: {far}}}", "monitors={flux: {f: {surface: f, out_of: block}}}"],
                 1, "the surface 'f' has a face with the volume group 'block' on both sides"),
                (["boundaries.ymin.type=pec", "mesh={box: {max: [1, 1, 2], cells: [4, 4, 8], name: block}, surfaces: {f: {box: {min: "
                  "[0.2, 0.2, 0.4], max: [0.8, 0.8, 1.6]}}}}", "materials.block={epsilon: {file: soil.h5, "
                  "dataset: epsilon}}", "monitors.far-field={f: {surface: f, frequencies: {list: [0.5]}}}"], 1,
                 "outside of the surface 'f' must be one material")):
            with self.subTest(settings=settings, message=message):
                result = self.sedge("check", self.deck, *(word for setting in settings for word in ("--set", setting)))
                self.assertEqual(result.code, code, result)
                self.assertEqual(len(result.messages), 1, result)
                self.assertIn(message.format(folder=self.folder), result.messages[0])


if __name__ == "__main__":
    unittest.main()
