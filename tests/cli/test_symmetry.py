"""Planes of symmetry: a quarter of a sphere scatters what the whole sphere does, an eighth of a ball with a dipole in its
middle radiates what the whole ball does.

The whole mesh consists of mirror images of its part, so the scheme itself is symmetric: answers are the same to the
rounding of sums.
"""

import itertools
import unittest

import h5py
import numpy

from kit import DECK, DEVICE, Case, Cube, read_json

BOUND = 1e-11  # of the largest value: two hundred steps in fp64 and sums in another order

SPHERE = """\
equation: maxwell
order: 2
precision: fp64
mesh: {file: part.msh}
time: {end: 9, integrator: lsrk45}
materials: {air: {}}
boundaries:
  inner: {type: pec}
  outer: {type: pml, layers: 1, thickness: 0.4}
SIDES
sources:
  - {type: plane-wave, direction: [0, 0, 1], polarisation: [2, 0, 0], origin: [0, 0, -1], signal: {type: ricker, frequency: 0.3}}
monitors:
  frequencies: {list: [0.2, 0.3]}
  flux: {inner: {surface: inner}}
  far-field: {inner: {surface: inner, theta: {step: 15}, phi: {to: 330, step: 30}}}
exact: {type: mie, radius: 1}
output: {snapshots: 0}
"""

DIPOLE = """\
equation: maxwell
order: 2
precision: fp64
mesh: {file: part.msh, surfaces: {around: {sphere: {radius: 0.6}}}}
time: {end: 5, integrator: lsrk45}
materials: {air: {}}
boundaries:
  outer: {type: pml, layers: 1, thickness: 0.4}
SIDES
sources: [{type: dipole, position: [0, 0, 0], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.6}}]
monitors:
  frequencies: {list: [0.4, 0.6]}
  flux: {around: {surface: around}}
  far-field: {around: {surface: around, theta: {step: 15}, phi: {to: 330, step: 30}}}
output: {snapshots: 0}
"""

BOX = DECK.replace("xmin: {type: pec}", "xmin: {type: pec, symmetry: true}").replace(
    "xmax: {type: pec}", "xmax: {type: pmc, symmetry: true}")
TYPES = {"xmin": "pec", "ymin": "pmc", "zmin": "pec"}


def sides(names, types=TYPES):
    return "\n".join(f"  {name}: {{type: {types[name]}, symmetry: true}}" for name in names)


def write_shells(path, radii, halves, middle=False, off=0.0):
    """Shells between spheres of these radii, of triangles of an octahedron that are divided once; with `middle` also the
    ball inside. `halves` are the axes whose negative half is cut away. Each octant is a mirror image of the others. Vertices
    in the planes of symmetry are `off` these."""
    corners, middles = [tuple(sign * (k == d) for k in range(3)) for d in range(3) for sign in (1, -1)], {}
    place = {corner: number for number, corner in enumerate(corners)}
    faces = []
    for signs in itertools.product((1, -1), repeat=3):
        if any(signs[axis] < 0 for axis in halves):
            continue
        face = [place[tuple(sign * (k == d) for k in range(3))] for d, sign in enumerate(signs)]
        inner = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            edge = tuple(sorted((face[a], face[b])))
            if edge not in middles:
                x = numpy.add(corners[face[a]], corners[face[b]])
                middles[edge] = len(corners)
                corners.append(tuple(x / numpy.linalg.norm(x)))
            inner.append(middles[edge])
        a, b, c = inner
        faces += [(face[0], a, c), (face[1], b, a), (face[2], c, b), (a, b, c)]
    count = len(corners)
    places = [(0.0, 0.0, 0.0)] + [tuple(radius * numpy.array(x)) for radius in radii for x in corners]
    tets = []
    for face in faces:
        v = sorted(face, key=lambda k: tuple(abs(x) for x in corners[k]))  # the same in all octants
        if middle:
            tets.append((0, *(1 + k for k in v)))
        for shell in range(len(radii) - 1):
            b = [1 + shell * count + k for k in v]
            t = [k + count for k in b]
            tets += [(*b, t[2]), (b[0], b[1], t[1], t[2]), (b[0], *t)]
    places = numpy.array(places)
    cells, seen = [], {}
    for tet in tets:
        if numpy.linalg.det(places[list(tet[1:])] - places[tet[0]]) < 0:
            tet = (tet[1], tet[0], *tet[2:])
        cells.append((4, 6, tet))
        for face in itertools.combinations(sorted(tet), 3):
            seen[face] = seen.get(face, 0) + 1
    groups = {"xmin": 1, "ymin": 2, "zmin": 3, "inner": 4, "outer": 5, "air": 6}
    for face in sorted(face for face, times in seen.items() if times == 1):
        at = [axis for axis in halves if abs(places[list(face)][:, axis]).max() < 1e-12]
        tag = at[0] + 1 if at else 5 if min(face) > (len(radii) - 1) * count else 4
        cells.append((2, tag, face))
    for axis in halves:
        places[abs(places[:, axis]) < 1e-12, axis] = off
    used = sorted({v for _, _, cell in cells for v in cell}, key=lambda v: tuple(abs(places[v])))  # layers follow it
    number = {v: k for k, v in enumerate(used, 1)}
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "6"]
    lines += [f'{3 if name == "air" else 2} {tag} "{name}"' for name, tag in groups.items()]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(used))]
    lines += [f"{number[v]} " + " ".join(repr(x) for x in places[v].tolist()) for v in used]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{k} {kind} 2 {tag} {tag} " + " ".join(str(number[v]) for v in cell)
              for k, (kind, tag, cell) in enumerate(cells, 1)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))


class Symmetry(Case):
    def compute(self, deck, name, *settings, ranks=0):
        self.succeed("run", deck, "--quiet", "--device", DEVICE, "--tune=off", "--output", name,
                     *(word for setting in settings for word in ("--set", setting)), ranks=ranks)
        found = {}
        for file in ("far-field", "flux", "flux_spectra", "energy"):
            with h5py.File(self.folder / name / f"{file}.h5") as opened:
                opened.visititems(lambda path, item: found.update({f"{file}/{path}": item[()]})
                                  if isinstance(item, h5py.Dataset) else None)
        report = read_json(self.folder / name / "report.json")
        return found | {"report/" + key: numpy.array(value) for key, value in report["energy"].items()}

    def sphere(self, halves):
        write_shells(self.folder / "part.msh", (1, 1.35, 1.8, 2.3), halves)
        return self.write("sphere.yaml", SPHERE.replace("SIDES", sides([("xmin", "ymin")[axis] for axis in halves])))

    def compare(self, found, whole):
        self.assertEqual(set(found), set(whole))
        for name, values in whole.items():
            if name.endswith("axial_ratio") or numpy.isnan(values).all():  # of a linear field it is noise
                continue
            with self.subTest(values=name):
                self.assertLess(abs(found[name] - values).max(), BOUND * max(abs(values).max(), 1e-300))

    def test_sphere(self):
        whole = self.compute(self.sphere(()), "whole", ranks=2)
        self.assertGreater(whole["far-field/inner/scattering"].min(), 1)
        # The mesh is coarse, its triangles flat; without the images it would be 3 and 6 dB.
        numpy.testing.assert_allclose(whole["far-field/inner/monostatic"], whole["far-field/inner/exact/monostatic"], rtol=0.4)
        for name, halves, ranks in (("half", (1,), 0), ("quarter", (0, 1), 2)):
            self.compare(self.compute(self.sphere(halves), name, ranks=ranks), whole)

    def test_total_field(self):
        """The wave enters through a quarter of a surface, which ends on both planes."""
        more = ("mesh.surfaces.entry={sphere: {radius: 1.3}}", "boundaries.entry.type=total-field", "sources.0.origin=[0, 0, -2]",
                "monitors.far-field.entry={surface: entry, theta: {step: 30}, phi: {step: 90}}")
        whole = self.compute(self.sphere(()), "whole", *more)
        part = self.compute(self.sphere((0, 1)), "part", *more)
        self.compare(part, whole)
        numpy.testing.assert_allclose(part["far-field/entry/extinction"][0], part["far-field/inner/extinction"][0], rtol=0.1)

    def test_refused(self):
        deck = self.sphere((0, 1))
        self.assertIn("symmetry           the mesh is one of 4 parts", self.succeed("check", deck).out)
        for setting, parts in (
                ("sources.0.polarisation=[0, 1, 0]", ["sources.0: the wave is not symmetric about the plane x = 0 of "
                                                      "boundaries.xmin, which is 'pec'", "electric field across it"]),
                ("boundaries.xmin.type=pmc", ["of boundaries.xmin, which is 'pmc'", "electric field in it"]),
                ("sources.0.direction=[0, 1, 1]", ["plane y = 0 of boundaries.ymin", "must go along the plane"]),
                ("boundaries.inner.symmetry=true", ["boundaries.inner.symmetry: the surface must lie in one plane"]),
                ("boundaries.outer.symmetry=true", ["of the type 'pml' is no plane of symmetry"]),
                ("boundaries.xmin.symmetry=maybe", ["boundaries.xmin.symmetry"]),
                ("exact.centre=[0, 0.1, 0]", ["exact: the sphere's centre is not in the plane y = 0"]),
                ("monitors.far-field.inner.images={x: {type: pec}}", ["images.x: boundaries.xmin is a plane of symmetry"])):
            with self.subTest(setting=setting):
                self.refuse(1, parts, "check", deck, "--device", "host", "--set", setting, ranks=(0, 2))
        write_shells(self.folder / "part.msh", (0.3, 0.6, 0.9), (2,), middle=True)
        deck = self.write("dipole.yaml", DIPOLE.replace("SIDES", sides(["zmin"])))
        for direction in ("[1, 0, 0]", "[1, 0, 1]"):
            self.refuse(1, ["sources.0: the source lies in the plane z = 0 of boundaries.zmin, which is 'pec'", "across the plane"],
                        "check", deck, "--device", "host", "--set", f"sources.0.direction={direction}", ranks=(0,))
        self.succeed("check", deck, "--set", "sources.0.direction=[1, 0, 0]", "--set", "sources.0.position=[0, 0, 0.1]")
        # A part of the plane is in a group of its own.
        cube = Cube(2)
        face = next(k for k, (group, _) in enumerate(cube.triangles) if group == "xmin")
        cube.triangles[face] = ("ymax", cube.triangles[face][1])
        self.write("cube.msh", cube.text())
        plain = DECK.replace("xmin: {type: pec}", "xmin: {type: pec, symmetry: true}").replace(
            "box: {cells: [2, 2, 2]}", "file: cube.msh").replace("compare: true", "compare: false")
        cut = self.write("cut.yaml", plain)
        self.refuse(1, ["boundaries.xmin.symmetry: 'ymax', which is 'absorbing', has faces in the same plane x = 0",
                        "must be conductors"], "check", cut, "--set", "boundaries.ymax.type=absorbing", ranks=(0, 2))
        for kind in ("pec", "pmc"):  # a thin conductor
            self.succeed("check", cut, "--quiet", "--set", f"boundaries.ymax.type={kind}")
        box = self.write("box.yaml", BOX)
        self.refuse(1, ["boundaries.xmax.symmetry: the plane is parallel to that of 'xmin'"], "check", box, ranks=(0, 2))

    def test_toggled(self):
        """Energies and sums of the whole do not go on as those of a part; far fields name the key that closes them."""
        deck = self.write("box.yaml", DECK.replace("xmin: {type: pec}", "xmin: {type: pec, symmetry: true}"))
        self.succeed("run", deck, "--quiet", "--set", "output.checkpoint={steps: 10}")
        self.refuse(1, ["does not fit the deck: symmetry is 'xmin' there, 'none' in the deck"], "run", deck, "--quiet",
                    "--restart", "auto", "--set", "boundaries.xmin.symmetry=false", ranks=(0, 2))
        self.succeed("run", deck, "--quiet", "--restart", "auto")
        sphere = self.sphere((1,))
        self.refuse(1, ["the surface 'inner': the near-field surface is not closed", "it ends on 'ymin' in the plane y = 0",
                        "set boundaries.ymin.symmetry: true"], "check", sphere, "--device", "host", "--quiet", "--set",
                    "boundaries.ymin.symmetry=false", "--set", "boundaries.outer={type: absorbing}", ranks=(0, 2))

    def test_dipole(self):
        """Each eighth has its part of the source's ball. Its planes are off by rounding, as in many mesh files: the source
        counts as inside of the surface around it."""
        found = {}
        types = {"xmin": "pmc", "ymin": "pmc", "zmin": "pec"}
        for name, halves in (("whole", ()), ("half", (2,)), ("eighth", (0, 1, 2))):
            write_shells(self.folder / "part.msh", (0.3, 0.6, 0.9), halves, middle=True, off=1e-15 * (name == "eighth"))
            deck = self.write("dipole.yaml", DIPOLE.replace("SIDES", sides(
                [("xmin", "ymin", "zmin")[axis] for axis in halves], types=types)))
            found[name] = self.compute(deck, name)
        numpy.testing.assert_allclose(found["whole"]["far-field/around/directivity"][:, 6], 1.5, rtol=0.05)
        for name in ("half", "eighth"):
            self.compare(found[name], found["whole"])


if __name__ == "__main__":
    unittest.main()
