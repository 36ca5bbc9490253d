"""Media by images: volume groups by labels."""

import unittest

import h5py
import numpy

from kit import DEVICE, Case, line_of, sides
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

    def test_messages(self):
        write_image(self.folder / "head.h5", "plane", numpy.zeros((2, 2)))
        write_image(self.folder / "head.h5", "bare", numpy.zeros((2, 2, 2)))
        write_image(self.folder / "head.h5", "holes", numpy.array([[[1, numpy.nan]]]), spacing=[1, 1, 1])
        write_image(self.folder / "head.h5", "thin", numpy.zeros((2, 2, 2)), spacing=[1, 0, 1])
        for setting, code, message in (
                ("file=none.h5", 2, "cannot read '{folder}/none.h5': No such file or directory"),
                ("file=deck.yaml", 2, "cannot read '{folder}/deck.yaml': it is no HDF5 file"),
                ("dataset=none", 2, "cannot read '{folder}/head.h5': object 'none' doesn't exist"),
                ("dataset=plane", 2, "plane is of another type or shape (an image has three dimensions"),
                ("dataset=bare", 2, "has no attribute 'spacing'"),
                ("dataset=holes", 2, "has the value nan at [0, 0, 1]"),
                ("dataset=thin", 2, "the spacing along y is 0; it must be a number greater than 0"),
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


if __name__ == "__main__":
    unittest.main()
