"""sedge mesh import: runs from its files are those from Gmsh files; damaged files are refused."""

import shutil
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, Case

GMSH = SOURCE / "meshes" / "sphere.msh"
DECK = """\
equation: maxwell
order: 1
precision: fp64
mesh: {file: MESH}
time: {steps: 20}
materials: {air: {epsilon: 1}}
boundaries: {sphere: {type: pec}, outer: {type: absorbing}}
sources: [{type: dipole, position: [1.3, 0.2, 0.1], direction: [0.3, 1, 0.5], signal: {type: ricker, frequency: 0.5}}]
monitors:
  probes: {every: 1, points: {near: [1.2, 0.1, 0.2], far: [0.1, 1.6, 0.3]}}
output: {checkpoint: {steps: 10}}
"""


class MeshFile(Case):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "mesh.h5"
        self.succeed("mesh", "import", GMSH, self.file)

    def probes(self, mesh, ranks, *words, text=DECK):
        deck = self.write("deck.yaml", text.replace("MESH", str(mesh)))
        self.succeed("run", deck, "--device", DEVICE, "--quiet", "--output", self.folder / "output", *words, ranks=ranks)
        with h5py.File(self.folder / "output" / "probes.h5") as file:
            found = {}
            file.visititems(lambda name, item: found.update(
                {name: item[()]} if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else {}))
        return found

    def test_run(self):
        expected = self.probes(GMSH, 0)
        alone = self.probes(self.file, 0)
        for name in expected:
            self.assertTrue(numpy.array_equal(alone[name], expected[name]), name)
        # A checkpoint of the one continues with the other, and on other ranks.
        steps = sorted((self.folder / "output").glob("checkpoint-*.h5"))
        shutil.copy(steps[0], self.folder / "half.h5")
        for mesh, ranks in ((GMSH, 0), (self.file, 3)):
            found = self.probes(mesh, ranks, "--restart", self.folder / "half.h5")
            for name in expected:
                rest = expected[name][-len(found[name]):]
                self.assertLess(abs(found[name] - rest).max(), 1e-12, name)

    def test_info(self):
        gmsh = self.succeed("mesh", "info", GMSH).out
        self.assertEqual(self.succeed("mesh", "info", self.file).out, gmsh)
        deck = self.write("deck.yaml", DECK.replace("MESH", str(self.file)))
        self.succeed("check", deck, "--device", DEVICE, ranks=2)

    def test_words(self):
        self.refuse(1, ["needs a Gmsh file"], "mesh", "import", GMSH, ranks=[0])
        self.refuse(1, ["info and import are known"], "mesh", "export", GMSH, ranks=[0])
        self.refuse(1, ["choose another name"], "mesh", "import", self.file, self.file)
        self.refuse(1, ["nowhere"], "mesh", "import", GMSH, self.folder / "nowhere" / "mesh.h5")
        self.refuse(2, ["missing.msh"], "mesh", "import", "missing.msh", self.folder / "new.h5")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mesh.h5"])

    def test_layers(self):
        layers = DECK.replace("{type: absorbing}", "{type: pml}")
        expected = self.probes(GMSH, 0, text=layers)
        deck = self.write("deck.yaml", layers.replace("MESH", str(self.file)))
        self.refuse(1, ["absorbing layers", "none", "--deck DECK"], "check", deck, "--device", DEVICE)
        self.succeed("mesh", "import", GMSH, self.file, "--deck", deck)
        for ranks in (0, 3):
            found = self.probes(self.file, ranks, text=layers)
            for name in expected:
                self.assertLessEqual(abs(found[name] - expected[name]).max(),
                                     1e-12 if ranks else 0, name)
        self.succeed("mesh", "info", self.file)
        other = self.write("other.yaml", layers.replace("MESH", str(self.file)).replace(
            "{sphere: {type: pec}, outer: {type: pml}}", "{outer: {type: pml}, sphere: {type: absorbing}}"))
        self.assertNotEqual(other.read_text(), deck.read_text())
        self.succeed("check", other, "--device", DEVICE)
        self.refuse(1, ["is the deck"], "mesh", "import", GMSH, deck, "--deck", deck)
        self.refuse(1, ["layers 2", "layers 1"], "check", deck, "--device", DEVICE,
                    "--set", "order=3", ranks=[0])
        self.succeed("mesh", "import", GMSH, self.file, "--deck", deck, "--set", "order=3")
        self.succeed("check", deck, "--device", DEVICE, "--set", "order=3")
        self.refuse(1, ["--set needs --deck"], "mesh", "import", GMSH, self.file, "--set", "order=3",
                    ranks=[0])
        self.refuse(1, ["takes no --deck"], "mesh", "info", self.file, "--deck", deck, ranks=[0])

    def test_damaged_periodic(self):
        """An inner face that lies in a surface for one of its elements alone."""
        walls = ", ".join(f"{a}: {{type: periodic, partner: {b}}}" for a, b in (
            ("west", "east"), ("east", "west"), ("north", "south"), ("south", "north")))
        deck = self.write("deck.yaml", DECK[:DECK.index("time:")].replace("MESH", str(self.file)) + f"""\
time: {{steps: 2}}
materials: {{crystal: {{epsilon: 1}}}}
boundaries: {{{walls}, roof: {{type: pec}}, floor: {{type: pec}}}}
""")
        self.succeed("mesh", "import", SOURCE / "tests/mesh/data/periodic.msh", self.file, "--deck", deck)

        def change(file):
            names = [bytes(name).split(b"\0")[0] for name in file["surfaces/name"]]
            neighbour = file["elements/neighbour"][()]
            surface = file["elements/surface"][()]
            later = neighbour > numpy.arange(len(neighbour))[:, None]
            surface[later & (surface < 0)] = names.index(b"roof")
            file["elements/surface"][()] = surface

        self.refuse(2, ["do not agree"], "mesh", "info", self.damage(change))

    def damage(self, change):
        path = self.folder / "damaged.h5"
        shutil.copy(self.file, path)
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def test_damaged(self):
        def put(name, place, value):
            def change(file):
                file[name][place] = value
            return change

        def cut(file):
            numbers = file["elements/number"][:-1]
            del file["elements/number"]
            file["elements/number"] = numbers

        def drop(file):
            del file["elements/group"]

        def swap(file):
            numbers = file["elements/number"]
            numbers[0] = numbers[1]

        with h5py.File(self.file) as file:
            inner = int(numpy.flatnonzero((file["elements/neighbour"][()] >= 0).all(axis=1))[0])
            other = (file["elements/neighbour"][inner, 0] + 1) % len(file["elements/group"])
            turned = (file["elements/behind"][inner, 0, 1] + 1) % 6
        for parts, change in (
                (["format 'sedge mesh 99'"], lambda file: file.attrs.modify("format", "sedge mesh 99")),
                (["not one of 'sedge mesh import'"], lambda file: file.attrs.pop("format")),
                (["negative"], put("whole/counts", 1, -1)),
                (["/whole/bounds has", "damaged"], lambda file: (file.__delitem__("whole/bounds"),
                                                 file.create_dataset("whole/bounds", (1, 3), "<f8"))),
                (["/elements/number has"], cut),
                (["cannot read"], drop),
                (["groups' elements"], put("volumes/elements", 0, 3)),
                (["a group has no name"], put("volumes/name", 0, 65)),
                (["continues an unknown group"], put("volumes/owner", 0, 5)),
                (["absorbing layers have no size"], put("whole/layer_lengths", 0, -1.0)),
                (["two elements have the number"], swap),
                (["number of an element is out of range"], put("elements/number", -1, 10**9)),
                (["a volume group is out of range"], put("elements/group", 7, 9)),
                (["a surface group is out of range"], put("elements/surface", (7, 0), 99)),
                (["a neighbour is out of range"], put("elements/neighbour", (7, 0), 10**12)),
                (["do not agree"], put("elements/neighbour", (inner, 0), other)),
                (["do not agree"], put("elements/behind", (inner, 0, 1), turned)),
                (["face is out of range"], put("elements/behind", (inner, 0, 0), 4)),
                (["row of middles is out of range"], put("elements/curve", -1, 0)),
                (["not a number"], put("elements/corners", (5, 0, 0), numpy.nan)),
                (["no positive volume"], put("elements/corners", (-5, 0), 0.0))):
            with self.subTest(parts=parts):
                some = parts[0] in ("do not agree", "two elements have the number", "not a number", "negative")
                self.refuse(2, parts, "mesh", "info", self.damage(change), ranks=[2] if some else [0])

    def test_cut_off(self):
        whole = self.file.read_bytes()
        for length in (8, 2000, len(whole) // 2, len(whole) - 1):
            self.refuse(2, ["cannot read"], "mesh", "info", self.write("cut.h5", whole[:length]),
                        ranks=[2 if length > 2000 else 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
