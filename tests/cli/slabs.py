"""Slabs of dispersive media against transfer matrices: long, so it runs only when asked for.

A duct between conducting and magnetic walls, narrower than half a wave, guides plane waves. A dipole
sends them onto a slab that a conductor backs; the other end absorbs. The reflection is the spectrum
behind that of the duct without slab, less 1.

Oblique waves in a wider duct: its lowest mode is two plane waves that meet a slab at the angle t from the normal with
sin t = 0.5 / frequency, with the electric field across the plane of incidence between conducting walls, in it
between magnetic ones.
"""

import itertools
import unittest

import h5py
import numpy

from kit import DEVICE, Case

THICKNESS = 0.4
DECK = """\
equation: maxwell
order: 4
precision: fp64
mesh: {box: {max: [0.2, 0.2, 2], cells: [1, 1, 10], split: {axis: z, at: 1.6, names: [air, slab]}}}
time: {end: 24}
materials: {air: {}, slab: {}}
boundaries:
  xmin: {type: pec}
  xmax: {type: pec}
  ymin: {type: pmc}
  ymax: {type: pmc}
  zmin: {type: absorbing}
  zmax: {type: absorbing}
sources:
  - {type: dipole, position: [0.1, 0.1, 0.5], direction: [1, 0, 0], signal: {type: ricker, frequency: 0.5}}
monitors: {probes: {every: 4, points: {p: [0.1, 0.1, 1.2]}}}
output: {snapshots: 0}
"""

DUCT = """\
equation: maxwell
order: 4
precision: fp64
mesh: {file: duct.msh}
time: {end: 50}
materials: {air: {}, slab: {}}
boundaries:
  xmin: {type: WALL}
  xmax: {type: WALL}
  ymin: {type: WALL}
  ymax: {type: WALL}
  zmin: {type: pml, layers: 2, reflection: 1e-7}
  zmax: {type: pml, layers: 2, reflection: 1e-7}
sources: [{type: dipole, position: [0.5, 0.15, 0.3], direction: [1, 0, 0], signal: {SIGNAL}}]
monitors: {probes: {points: {before: [0.5, 0.15, 0.95], behind: [0.5, 0.15, 1.75]}}}
output: {snapshots: 0}
"""


def write_bar(path, counts, size, media):
    """A bar of cubes, cut into six tetrahedra each, in Gmsh's format: `media` has a volume group for each layer along z,
    or for each cube by its place (i, j, k)."""
    if not isinstance(media, dict):
        media = {cube: media[cube[2]] for cube in itertools.product(*map(range, counts))}
    groups = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax", *sorted(set(media.values()))]
    nodes = list(itertools.product(*(range(count + 1) for count in counts)))
    number = {place: k for k, place in enumerate(nodes, 1)}
    elements, faces = [], set()
    for cube, order in itertools.product(itertools.product(*map(range, counts)), itertools.permutations(range(3))):
        corners = [cube]
        for axis in order:
            corners.append(tuple(x + (d == axis) for d, x in enumerate(corners[-1])))
        if (order[1] - order[0]) % 3 == 2:  # an odd permutation
            corners[1:3] = corners[2:0:-1]
        elements.append((4, 1 + groups.index(media[cube]), corners))
        faces.update(itertools.combinations(sorted(corners), 3))
    for side in range(6):
        axis, end = side // 2, counts[side // 2] * (side % 2)
        elements += [(2, side + 1, face) for face in sorted(faces) if all(place[axis] == end for place in face)]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    lines += [f'{2 if k <= 6 else 3} {k} "{name}"' for k, name in enumerate(groups, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += [" ".join(map(str, (number[place], *(x * length / count for x, length, count in zip(place, size, counts)))))
              for place in nodes]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [" ".join(map(str, (k, kind, 2, tag, tag, *(number[place] for place in corners))))
              for k, (kind, tag, corners) in enumerate(elements, 1)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))


def slab(electric, w, epsilon, mu):
    """What a slab of thickness 0.3 reflects and lets through of a mode, of its electric field along the faces (across the
    plane of incidence if `electric`), each at its face; and the wave number along the duct before it."""
    outside, inside = numpy.sqrt(w * w - numpy.pi**2), numpy.sqrt(w * w * epsilon * mu - numpy.pi**2 + 0j)
    z = mu * outside / inside if electric else inside / (epsilon * outside)
    face, once = (z - 1) / (z + 1), numpy.exp(-0.3j * inside)
    rest = 1 - (face * once) ** 2
    return face * (1 - once**2) / rest, (1 - face**2) * once / rest, outside


class Slabs(Case):
    def spectrum(self, name, frequencies, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        self.succeed("run", self.write("deck.yaml", DECK), "--quiet", "--device", DEVICE, "--tune=off",
                     *words, "--output", name)
        with h5py.File(self.folder / name / "probes.h5") as file:
            time, field = file["time"][()], file["probes/p/E"][()][:, 0]
        return numpy.exp(-2j * numpy.pi * numpy.outer(frequencies, time)) @ field * (time[1] - time[0])

    def test_reflection(self):
        """Five cells a wavelength in air at the highest frequency: 5e-5 at order 4."""
        f = numpy.linspace(0.2, 1.0, 9)
        w = 2 * numpy.pi * f
        alone = {integrator: self.spectrum("alone", f, f"time.integrator={integrator}") for integrator in ("lsrk45", "ader")}
        for name, medium, epsilon, mu in (
                ("drude", "drude: {plasma_frequency: 1.2, damping: 0.15}",
                 1 - 1.44 / (f * f - 0.15j * f), 1),
                ("lorentz", "epsilon: 2, lorentz: [{strength: 1.5, frequency: 0.9, damping: 0.3}, "
                 "{strength: 0.5, frequency: 0.4, damping: 0.3}]",
                 2 + 1.215 / (0.81 - f * f + 0.3j * f) + 0.08 / (0.16 - f * f + 0.3j * f), 1),
                ("debye", "epsilon: 2, debye: {strength: 3, relaxation_time: 0.2}, "
                 "magnetic_lorentz: {strength: 0.6, frequency: 0.7, damping: 0.2}",
                 2 + 3 / (1 + 0.2j * w), 1 + 0.294 / (0.49 - f * f + 0.2j * f)),
                # By the exponential update, with lsrk45 in steps of 5 and of 200 relaxation times. The mesh gives 1.5e-4 in a
                # medium of their static permittivity, too, with ader 2.4e-4.
                ("relaxing", "epsilon: 2, debye: {strength: 3, relaxation_time: 0.002}",
                 2 + 3 / (1 + 0.002j * w), 1),
                ("relaxing, ader", "epsilon: 2, debye: {strength: 3, relaxation_time: 0.002}",
                 2 + 3 / (1 + 0.002j * w), 1),
                ("static", "epsilon: 5", 5 + 0 * w, 1),
                ("static, ader", "epsilon: 5", 5 + 0 * w, 1),
                ("stiff", "epsilon: 2, debye: {strength: 3, relaxation_time: 5e-5}",
                 2 + 3 / (1 + 5e-5j * w), 1),
                ("stiff, ader", "epsilon: 2, debye: {strength: 3, relaxation_time: 5e-5}",
                 2 + 3 / (1 + 5e-5j * w), 1),
                ("lossy, ader", "epsilon: 2, conductivity: 1, debye: [{strength: 2, relaxation_time: 5e-4}, "
                 "{strength: 1, relaxation_time: 0.05}]",
                 2 + 2 / (1 + 5e-4j * w) + 1 / (1 + 0.05j * w) + 1 / (1j * w), 1)):
            with self.subTest(medium=name):
                integrator = "ader" if "ader" in name else "lsrk45"
                behind = self.spectrum(name, f, "boundaries.zmax.type=pec", f"time.integrator={integrator}",
                                       f"materials.slab={{{medium}}}")
                root = numpy.sqrt(epsilon + 0j), numpy.sqrt(mu + 0j)
                load = 1j * root[1] / root[0] * numpy.tan(root[0] * root[1] * w * THICKNESS)
                # From the slab's face back to the probe and forth.
                exact = (load - 1) / (load + 1) * numpy.exp(-2j * w * 0.4)
                error = abs(behind / alone[integrator] - 1 - exact).max()
                print(f"{name}: least |R| {abs(exact).min():.3f}, largest error {error:.2e}")
                self.assertLess(error, {"relaxing": 7e-4, "stiff": 2e-4, "static": 2e-4}.get(name, 3e-4 if integrator == "ader" else 1e-4))

    def test_oblique(self):
        """30, 45 and 60 degrees, both polarisations, a dielectric and a dispersive slab with loss and mu. The duct's far
        ends send some 1e-3 back, as `reflection` and mesh have it. Measured: 5e-3 at most at 30 degrees, where the next
        mode begins, else 2.5e-3; a field of the other polarisation would be off by 0.1 to 0.7."""
        write_bar(self.folder / "duct.msh", (3, 1, 8), (1, 0.3, 2.4), ["air"] * 4 + ["slab"] + ["air"] * 3)
        for angles, signal, end in (([30, 45], "frequency: 0.9, width: 2.2, delay: 10", 36),
                                    ([60], "frequency: 0.65, width: 4, delay: 18", 90)):
            w = numpy.pi / numpy.sin(numpy.radians(angles))
            f = w / (2 * numpy.pi)
            media = {"{epsilon: 4}": (4, 1),
                     "{epsilon: 2, lorentz: {strength: 0.8, frequency: 0.9, damping: 0.3}, magnetic_debye: "
                     "{strength: 0.5, relaxation_time: 0.2}}":
                     (2 + 0.648 / (0.81 - f * f + 0.3j * f), 1 + 0.5 / (1 + 0.2j * w))}
            for electric, wall in ((1, "pec"), (0, "pmc")):
                deck = self.write("duct.yaml", DUCT.replace("WALL", wall).replace("SIGNAL", "type: gaussian, " + signal))
                found = []
                for medium in ("{}", *media):
                    self.succeed("run", deck, "--quiet", "--device", DEVICE, "--tune=off", "--set", f"time.end={end}",
                                 "--set", f"materials.slab={medium}", "--set",
                                 f"sources.0.direction=[{1 - electric}, {electric}, 0]", "--output", "duct")
                    with h5py.File(self.folder / "duct/probes.h5") as file:
                        turn = numpy.exp(-1j * numpy.outer(w, file["time"][()]))
                        found.append([turn @ file[f"probes/{name}/E"][()][:, electric] for name in ("before", "behind")])
                for medium, one in zip(media, found[1:]):
                    reflected, passed, along = slab(electric, w, *media[medium])
                    errors = abs(numpy.array([(one[0] / found[0][0] - 1) * numpy.exp(0.5j * along) - reflected,
                                              one[1] / found[0][1] * numpy.exp(-0.3j * along) - passed]))
                    print(f"{angles} degrees, {wall}, {medium[:12]}: {errors.max():.1e}", flush=True)
                    self.assertLess(errors.max(), 7e-3 if 30 in angles else 4e-3)


if __name__ == "__main__":
    unittest.main()
