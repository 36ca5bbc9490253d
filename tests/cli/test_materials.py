"""Dispersive and anisotropic media: several poles and tensors in whole runs, and what is refused."""

import cmath
import math
import re
import unittest

import h5py
import numpy

from kit import DECK, DEVICE, SOURCE, Case, read_json
from slabs import write_bar

MEDIA = ("materials={left: {epsilon: 2, lorentz: [{strength: 0.8, frequency: 0.9, damping: 0.1}, "
         "{strength: 0.4, frequency: 1.5, damping: 0}], drude: {plasma_frequency: 0.6, damping: 0.2}, "
         "magnetic_debye: {strength: 2, relaxation_time: 1e-5}}, "
         "right: {epsilon: [[2, 0.3, 0], [0.3, 1.5, -0.2], [0, -0.2, 1.2]], mu: [1.1, 1, 1.4], "
         "conductivity: [0, 0.1, 0.2], debye: {strength: 1.2, relaxation_time: 0.3}, "
         "magnetic_lorentz: {strength: 0.5, frequency: 1.1, damping: 0.3}}}")


# A plate of a crystal, 0.6 thick, between periodic sides, in the total field of a wave along its normal.
PLATE = """\
equation: maxwell
order: 3
precision: fp64
mesh: {file: bar.msh, surfaces: {entry: {box: {min: [-1, -1, 0.2], max: [1, 1, 2.2]}}}}
time: {end: 16, integrator: ndblsrk144}
materials:
  air: {}
  plate: {epsilon: [[2.65, 0.60621778, 0], [0.60621778, 1.95, 0], [0, 0, 2]]}  # 3 and 1.6, turned by 30 degrees
boundaries:
  xmin: {type: periodic, partner: xmax}
  ymin: {type: periodic, partner: ymax}
  zmin: {type: pml}
  zmax: {type: pml}
  entry: {type: total-field}
sources:
  - type: plane-wave
    direction: [0, 0, 1]
    polarisation: [1, 0, 0]
    origin: [0, 0, 0.2]
    signal: {type: ricker, frequency: 0.5}
monitors:
  frequencies: {from: 0.2, to: 1, count: 9}
  spectra: {points: {points: {before: [0.1, 0.1, 0.1], behind: [0.1, 0.1, 2.3]}}}
output: {snapshots: 0}
"""


class Materials(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.folder / "deck.yaml"
        self.deck.write_text(DECK)

    def run_media(self, folder, steps, *words, settings=(), ranks=0):
        set_words = [word for setting in (
            MEDIA, "mesh.box.split={axis: x, at: 0.5, names: [left, right]}", f"time={{steps: {steps}}}",
            "initial.compare=false", "monitors={energy: {every: 3}}",
            "output={snapshots: 0, checkpoint: {steps: 3, keep: 3}}", *settings)
            for word in ("--set", setting)]
        self.succeed("run", self.deck, "--quiet", "--device", DEVICE, "--tune=off", *set_words, *words,
                     "--output", folder, ranks=ranks)

    def state(self, folder, step):
        """By name: the memory of each term by element, and the fields."""
        with h5py.File(self.folder / folder / f"checkpoint-{step}.h5") as file:
            state = {"fields": file["fields"][()][file["elements"][()].argsort()]}
            for name, block in file["blocks"].items():
                state[name] = block["values"][()][block["elements"][()].argsort()]
            return state

    def test_poles(self):
        """1e-13: what some steps make of the last bit of fields of size one. One pole is stiff."""
        for integrator in ("lsrk45", "ader"):
            settings = (f"time.integrator={integrator}",)
            self.run_media(integrator, 6, settings=settings)
            whole = self.state(integrator, 6)
            self.assertEqual({name: values.shape[1] for name, values in whole.items()},
                             {"fields": 6, "lorentz-2": 12, "drude": 3, "debye": 3, "magnetic_debye": 3,
                              "magnetic_lorentz": 6})
            self.assertTrue(all(abs(values).max() > 1e-3 for values in whole.values()))
            for folder, words, more, tolerance in (
                    ("again", ("--restart", self.folder / integrator / "checkpoint-3.h5"), {"ranks": 2}, 1e-13),
                    ("narrow", (), {"settings": ("precision=fp32",)}, 1e-5)):
                self.run_media(folder, 6, *words, **{**more, "settings": settings + more.get("settings", ())})
                for name, values in self.state(folder, 6).items():
                    with self.subTest(integrator=integrator, run=folder, block=name):
                        largest = max(1.0, abs(whole[name]).max())
                        self.assertLess(abs(values - whole[name]).max(), tolerance * largest)

    def test_many_poles(self):
        """Long lists, of other lengths in each group: a run that goes on from its middle has the bits of one that did not
        stop, on any number of ranks; in fp32 it goes on from the numbers in fp64."""
        lorentz = ", ".join(f"{{strength: 0.1, frequency: {0.4 + 0.1 * i:g}, damping: {0.02 * i:g}}}" for i in range(12))
        debye = ", ".join(f"{{strength: 0.05, relaxation_time: {0.1 * 1.1 ** i:g}}}" for i in range(40))
        media = f"materials={{left: {{lorentz: [{lorentz}], debye: [{debye}]}}, right: {{mu: 2, debye: [{debye}], "
        media += f"magnetic_lorentz: [{lorentz}, {{strength: 0.1, frequency: 2, damping: 0}}]}}}}"
        for integrator in ("lsrk45", "ader"):
            settings = (media, f"time.integrator={integrator}")
            self.run_media(integrator, 6, settings=settings)
            whole = self.state(integrator, 6)
            self.assertEqual({name: values.shape[1] for name, values in whole.items()},
                             {"fields": 6, "lorentz-12": 72, "debye-40": 120, "magnetic_lorentz-13": 78})
            self.assertTrue(all(abs(values[:, -1]).max() > 1e-6 for values in whole.values()))
            for folder, words, more, tolerance in (
                    ("same", ("--restart", self.folder / integrator / "checkpoint-3.h5"), {}, 0),
                    ("ranks", ("--restart", self.folder / integrator / "checkpoint-3.h5"), {"ranks": 2}, 0),
                    ("narrow", ("--restart", self.folder / integrator / "checkpoint-3.h5"), {"narrow": True}, 1e-5)):
                narrow = ("precision=fp32",) if more.pop("narrow", False) else ()
                self.run_media(f"{integrator}-{folder}", 6, *words, settings=settings + narrow, **more)
                for name, values in self.state(f"{integrator}-{folder}", 6).items():
                    with self.subTest(integrator=integrator, run=folder, block=name):
                        self.assertLessEqual(abs(values - whole[name]).max(), tolerance * max(1.0, abs(whole[name]).max()))

    def run_slab(self, medium, ranks=0, **settings):
        """Runs slab.yaml at order 3; how far power and fields are at most from `exact: slab`."""
        settings = {"order": 3, "precision": "fp64", "time.integrator": "ndblsrk144", "materials.slab": medium, **settings}
        words = [word for key, value in settings.items() if value for word in ("--set", f"{key}={value}")]
        self.succeed("run", SOURCE / "input/slab.yaml", "--quiet", "--device", DEVICE, "--tune=off", *words, "--output",
                     self.folder / "slab", ranks=ranks)
        with h5py.File(self.folder / "slab/spectra.h5") as file:
            exact = {name: values[()] for name, values in file["spectra/points/exact"].items()}
            f = file["spectra/points/frequency"][()]
        powers = abs(exact["power"][:, [0, 2]] - numpy.array([exact["reflectance"], exact["transmittance"]]).T)
        return powers.max(), exact["error"].max(), exact, f

    def test_slab(self):
        """`exact: slab` is what transfer matrices give; powers and fields of slab.yaml, at order 3, are near. 2e-4 at 5
        cells a wavelength in air, 3 in the slab."""
        power, error, exact, f = self.run_slab("")
        with h5py.File(self.folder / "slab/flux_spectra.h5") as file:
            front, behind = (file[f"flux/{plane}/power_normalised"][()] / 0.02 for plane in ("front", "behind"))
        epsilon = 2 + 1.215 / (0.81 - f * f + 0.3j * f) + 0.08 / (0.16 - f * f + 0.3j * f)
        index, wave = numpy.sqrt(epsilon), 2 * math.pi * f
        face = (1 - index) / (1 + index)
        once = numpy.exp(-1j * index * wave * 0.4)
        reflected = face * (1 - once ** 2) / (1 - (face * once) ** 2)
        passed = (1 - face ** 2) * once / (1 - (face * once) ** 2)
        here = exact["E_normalised"][:, 2, 0] / numpy.exp(-0.6j * wave)  # from the origin, less the slab
        self.assertLess(abs(here - passed).max(), 1e-9)
        self.assertLess(abs(exact["reflectance"] - abs(reflected) ** 2).max(), 1e-9)
        self.assertLess(abs(exact["transmittance"] - abs(passed) ** 2).max(), 1e-9)
        self.assertLess(abs(behind - abs(passed) ** 2).max(), 5e-5)
        self.assertLess(abs(1 - front - abs(reflected) ** 2).max(), 8e-4)
        self.assertLess(abs(passed).min(), 0.05)
        self.assertLess(power, 3e-4)
        self.assertLess(error, 5e-3)
        report = read_json(self.folder / "slab/report.json")["monitors"]["spectra"]["points"]
        for name in ("reflectance", "transmittance"):
            numpy.testing.assert_allclose(report[name], exact[name], rtol=1e-12)
        for name in ("power", "error"):
            numpy.testing.assert_allclose(numpy.array(list(report[name].values()), float).T, exact[name], rtol=1e-12)

    def test_slab_media(self):
        """Against `exact: slab`, on several ranks. Measured: 4e-4, 1e-4 and 3e-5."""
        for medium, ranks, precision, most in (
                ("{epsilon: 4}", 2, "fp32", 1e-3),
                ("{drude: {plasma_frequency: 1.2, damping: 0.15}}", 2, "fp64", 3e-4),
                ("{epsilon: 2, conductivity: 0.2, debye: {strength: 3, relaxation_time: 0.2}, "
                 "magnetic_lorentz: {strength: 0.6, frequency: 0.7, damping: 0.2}}", 4, "fp32", 1e-4)):
            with self.subTest(medium=medium):
                self.assertLess(self.run_slab(medium, ranks, precision=precision)[0], most)

    def test_slab_refused(self):
        """`exact: slab` that is not what the deck computes."""
        deck = SOURCE / "input/slab.yaml"
        for settings, parts in (
                (("exact.at=0.9",), ("exact: at z = ", "the layers have there")),
                (("exact.layers=[{material: slab, thickness: 0.6}]",), ("'air'", "have there 'slab'")),
                (("exact.layers=[{material: glass, thickness: 0.4}]",), ("no volume group 'glass'",)),
                (("exact.layers=[{material: slab}]",), ("exact.layers.0", "thickness")),
                (("exact.layers=[]",), ("0 entries", "1 to 32")),
                (("exact.layers=[" + 33 * "{material: slab, thickness: 0.1}, " + "]",), ("33 entries", "1 to 32")),
                (("sources.0.direction=[0, 0.1, 1]",), ("'pmc'", "does not satisfy")),
                (("materials.slab={epsilon: [2, 1, 1]}",), ("'slab' has no single epsilon and mu: it has tensors",)),
                (("monitors.spectra={}",), ("spectra", "exact"))):
            words = [word for setting in settings for word in ("--set", setting)]
            for command in ("run", "check"):
                self.refuse(1, parts, command, deck, "--quiet", "--device", "host", *words, "--output",
                            self.folder / "refused", ranks=(0,))

    def test_crystal(self):
        """A full tensor: along each of its axes the plate is a slab of its own, so it turns the polarisation. Outside of
        the total-field surface are the scattered fields: behind the plate what it lets through less the wave. Measured:
        7e-4 at order 3, 3e-5 at order 4; with the other sign of epsilon_xy 0.2 to 1.3."""
        write_bar(self.folder / "bar.msh", (1, 1, 12), (0.2, 0.2, 2.4), ["air"] * 5 + ["plate"] * 3 + ["air"] * 4)
        self.succeed("run", self.write("plate.yaml", PLATE), "--quiet", "--device", DEVICE, "--tune=off", "--output", "plate")
        with h5py.File(self.folder / "plate/spectra.h5") as file:
            spectrum = file["spectra/points"]
            wave, fields = 2 * math.pi * spectrum["frequency"][()], spectrum["E_normalised"][()]
        exact = numpy.zeros((len(wave), 2, 3), complex)
        for epsilon, axis in ((3, (math.sqrt(0.75), 0.5, 0)), (1.6, (-0.5, math.sqrt(0.75), 0))):
            face = (1 - math.sqrt(epsilon)) / (1 + math.sqrt(epsilon))
            once = numpy.exp(-0.6j * math.sqrt(epsilon) * wave)
            reflected = face * (1 - once**2) / (1 - (face * once) ** 2) * numpy.exp(-1.7j * wave)
            passed = (1 - face**2) * once / (1 - (face * once) ** 2) * numpy.exp(-1.5j * wave) - numpy.exp(-2.1j * wave)
            exact += axis[0] * numpy.array([reflected, passed]).T[..., None] * numpy.array(axis)
        self.assertLess(abs(fields - exact).max(), 1e-3)

    def test_gyrotropic(self):
        """A plate in a static magnetic field, along or against which the wave travels: what it reflects and lets through
        has both polarisations, by the exact indices of the two circular ones. 1e-3: 5 cells a wavelength in air at
        the highest frequency, 3 in the medium."""
        w = 2 * numpy.pi * numpy.linspace(0.2, 1, 9)
        f = w / (2 * numpy.pi)
        for medium, field, media, integrator in (
                ("epsilon: 2, magnetised_plasma: {plasma_frequency: 0.5, damping: 0.05, cyclotron_frequency: [0, 0, FIELD]}",
                 0.3, lambda s: (2 - 0.25 / (f * (f - s * 0.3 - 0.05j)), 1), "ndblsrk144"),
                ("epsilon: 2, mu: 1.1, ferrite: {magnetisation_frequency: 0.4, damping: 0.1, precession_frequency: [0, 0, FIELD]}",
                 -0.5, lambda s: (2, 1.1 + 0.4 / (0.5 + s * f + 0.1j * f)), "ader")):
            with self.subTest(medium=medium):
                write_bar(self.folder / "bar.msh", (1, 1, 12), (0.2, 0.2, 2.4), ["air"] * 5 + ["plate"] * 3 + ["air"] * 4)
                self.succeed("run", self.write("plate.yaml", PLATE), "--quiet", "--device", DEVICE, "--tune=off",
                             "--set", f"materials.plate={{{medium.replace('FIELD', str(field))}}}",
                             "--set", f"time.integrator={integrator}", "--set", "time.end=32", "--output", "gyrotropic")
                with h5py.File(self.folder / "gyrotropic/spectra.h5") as file:
                    fields = file["spectra/points/E_normalised"][()][..., :2]
                exact = numpy.zeros(fields.shape, complex)
                for s in (1, -1):  # the wave is half of each E (1, -+ j): of a field along z the first one resonates
                    epsilon, mu = media(s)
                    index, z = numpy.sqrt(epsilon * mu + 0j), numpy.sqrt(mu / epsilon + 0j)
                    face, once = (z - 1) / (z + 1), numpy.exp(-1j * w * index * 0.6)
                    rest = 1 - (face * once) ** 2
                    reflected = face * (1 - once**2) / rest * numpy.exp(-1.7j * w)
                    passed = (1 - face**2) * once / rest * numpy.exp(-1.5j * w) - numpy.exp(-2.1j * w)
                    exact += 0.5 * numpy.array([reflected, passed]).T[..., None] * numpy.array([1, -1j * s])
                self.assertGreater(abs(exact[..., 1]).max(), 0.1)
                self.assertLess(abs(fields - exact).max(), 1e-3)

    def test_index(self):
        """n and k that `sedge check` prints, to its four digits; a metamaterial has n below 0."""
        source = ("sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                  "signal: {type: cw, frequency: 2}}]")
        for medium, at in (
                ("epsilon: 2, mu: 1.5, conductivity: 0.7, debye: {strength: 3, relaxation_time: 0.2}, "
                 "lorentz: [{strength: 0.5, frequency: 3, damping: 0.4}, "
                 "{strength: 0.2, frequency: 1, damping: 0.1}]",
                 lambda f, w: (2 + 3 / (1 + 0.2j * w) + 0.5 * 9 / (9 - f * f + 0.4j * f)
                               + 0.2 / (1 - f * f + 0.1j * f) + 0.7 / (1j * w), 1.5)),
                ("lorentz: [" + ", ".join(f"{{strength: 0.1, frequency: {i}, damping: 0.4}}" for i in range(1, 25)) + "]",
                 lambda f, w: (1 + sum(0.1 * i * i / (i * i - f * f + 0.4j * f) for i in range(1, 25)), 1)),
                ("drude: {plasma_frequency: 3, damping: 0.1}, "
                 "magnetic_drude: {plasma_frequency: 3, damping: 0.2}",
                 lambda f, w: (1 - 9 / (f * f - 0.1j * f), 1 - 9 / (f * f - 0.2j * f)))):
            done = self.succeed("check", self.deck, "--set", f"materials.domain={{{medium}}}", "--set",
                                source, "--set", "initial={type: zero}")
            rows = re.findall(r"at (\S+): n (\S+), k (\S+)\n", done.out)
            self.assertEqual(len(rows), 5)
            waves = []
            for f, n, k in (map(float, row) for row in rows):
                epsilon, mu = at(f, 2 * math.pi * f)
                index = cmath.sqrt(epsilon) * cmath.sqrt(mu)
                self.assertLess(abs(n - 1j * k - index), 1e-3 * abs(index))
                waves.append(1 / (f * abs(index)))
            shortest = float(re.search("domain +shortest wave ([^,]+),", done.out)[1])
            self.assertLess(abs(shortest - min(waves)), 1e-3 * shortest)

    def test_index_of_conductor(self):
        """A conductor without poles has n and k, too."""
        source = ("sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                  "signal: {type: cw, frequency: 2}}]")
        done = self.succeed("check", self.deck, "--set", "materials.domain={epsilon: 3, conductivity: 0.7}", "--set", source,
                            "--set", "initial={type: zero}")
        rows = re.findall(r"at (\S+): n (\S+), k (\S+)\n", done.out)
        self.assertEqual(len(rows), 5)
        for f, n, k in (map(float, row) for row in rows):
            self.assertLess(abs(n - 1j * k - cmath.sqrt(3 + 0.7 / (2j * math.pi * f))), 1e-3)

    def test_loss_tangent(self):
        """By n and k, which have four digits: at one frequency it is exact and then falls as 1 / f, in a band it is the same to the
        2 % that the fit allows. Epsilon is that of the deck at `frequency`. Frequencies are those of the deck's units."""
        for words, unit in ((), 1), (("units=si", "mesh.box.max=[0.01, 0.01, 0.01]"), 1e10):
            source = ("sources=[{type: dipole, position: [0.005, 0.005, 0.005], direction: [0, 0, 1], signal: {type: cw, "
                      f"frequency: {2 * unit}}}}}]")
            for value, band in ((0.02, ""), (0.02, f", lowest: {0.3 * unit}, highest: {3 * unit}"),
                                (0.2, f", lowest: {0.01 * unit}, highest: {100 * unit}")):
                tangent = f"loss_tangent: {{value: {value}, frequency: {1.6 * unit}{band}}}"
                done = self.succeed("check", self.deck, "--set", f"materials.domain={{epsilon: 4, {tangent}}}", "--set", source,
                                    "--set", "initial={type: zero}", "--set", "monitors={}",
                                    *(word for setting in words for word in ("--set", setting)))
                rows = [tuple(map(float, row)) for row in re.findall(r"at (\S+)(?: Hz)?: n (\S+), k (\S+)\n", done.out)]
                self.assertEqual(len(rows), 5)
                for f, n, k in rows:
                    epsilon = (n - 1j * k) ** 2
                    known = value if band else value * 1.6 * unit / f
                    with self.subTest(words=words, band=band, frequency=f):
                        self.assertLess(abs(-epsilon.imag / epsilon.real / known - 1), 0.021 if band else 1e-3)
                    if f == 1.6 * unit or not band:
                        self.assertLess(abs(epsilon.real - 4), 4e-3)
                self.assertEqual(done.out.count("relaxation_time"), {"": 0, "0.02": 3, "0.2": 7}[band and str(value)])
                self.assertNotIn("loss_tangent:", done.out)

    def test_index_of_tensors(self):
        """Two waves along each axis: n^2 k x (mu^-1 (k x E)) = -epsilon E, by numpy's eigenvalues; without loss one line."""
        source = ("sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                  "signal: {type: cw, frequency: 2}}]")
        tensors = {"epsilon": [[2, 0.3, 0], [0.3, 1.5, -0.2], [0, -0.2, 1.2]], "mu": [[1.1, 0, 0.1], [0, 1, 0], [0.1, 0, 1.4]],
                   "conductivity": [[0.5, 0, 0], [0, 0.1, 0.2], [0, 0.2, 0.6]]}
        plain = "epsilon: {epsilon}, mu: {mu}"
        matrix = "[[1, -0.1, 0.1], [-0.1, 1.3, 0.4], [0.1, 0.4, 3]]"  # with equal tensors both waves have the same index
        done = self.succeed("check", self.deck, "--set", f"materials.domain={{epsilon: {matrix}, mu: {matrix}}}", "--set", source,
                            "--set", "initial={type: zero}")
        found = [float(n) for n in re.findall(r"n (\S+), k 0", done.out)]
        exact = [math.sqrt(3.689 / value) for value in (1, 1.3, 3)]  # n^2 = det M / M_dd
        self.assertEqual(len(found), 6, done.out)
        for k, n in enumerate(found):
            self.assertLess(abs(n - exact[k // 2]), 1e-3)
        for medium, lossy in ((plain, False), (plain + ", conductivity: {conductivity}, debye: {{strength: 1.2, relaxation_time: "
                                               "0.3}}, magnetic_lorentz: {{strength: 0.5, frequency: 1.1, damping: 0.3}}", True)):
            done = self.succeed("check", self.deck, "--set", "materials.domain={" + medium.format(**tensors) + "}", "--set", source,
                                "--set", "initial={type: zero}")
            lines = re.findall(r"at ([^ :]+): along x (.*); along y (.*); along z (.*)\n", done.out)
            self.assertEqual(len(lines), 5 if lossy else 1)
            for frequency, *axes in lines:
                f = float(frequency)
                epsilon, mu = (numpy.array(tensors[name], complex) for name in ("epsilon", "mu"))
                if lossy:
                    epsilon += numpy.eye(3) * 1.2 / (1 + 0.6j * math.pi * f) + numpy.array(tensors["conductivity"]) / (2j * math.pi * f)
                    mu += numpy.eye(3) * 0.5 * 1.21 / (1.21 - f * f + 0.3j * f)
                for axis, text in enumerate(axes):
                    k = numpy.cross(numpy.eye(3), numpy.eye(3)[axis]).T
                    values = numpy.linalg.eigvals(-numpy.linalg.inv(epsilon) @ k @ numpy.linalg.inv(mu) @ k)
                    exact = sorted((cmath.sqrt(1 / value) for value in sorted(values, key=abs)[1:]), key=abs, reverse=True)
                    found = [float(n) - 1j * float(loss) for n, loss in re.findall(r"n (\S+), k ([^ ,;]+)", text)]
                    self.assertEqual(len(found), 2)
                    for one, other in zip(found, exact):
                        self.assertLess(abs(one - other), 1e-3 * abs(other), (medium, f, axis))

    def test_index_of_gyrotropic(self):
        """The two waves along each axis of media in a static magnetic field of any direction, by numpy's eigenvalues and the
        laws' equations at one frequency. No layer takes such media, nor does a plane of symmetry along the field."""
        source = ("sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                  "signal: {type: cw, frequency: 2}}]")
        plasma = "magnetised_plasma: [{plasma_frequency: 1.5, damping: 0.2, cyclotron_frequency: [0.3, -0.6, 0.8]}]"
        ferrite = "ferrite: {magnetisation_frequency: 0.9, damping: 0.15, precession_frequency: [0.5, 0.3, -0.4]}"
        cross = lambda vector: numpy.cross(numpy.eye(3), vector).T  # the matrix of vector x ...
        size = math.sqrt(0.5)
        b = cross(numpy.array([0.5, 0.3, -0.4]) / size)
        done = self.succeed("check", self.deck, "--set", f"materials.domain={{epsilon: 3, mu: 1.2, {plasma}, {ferrite}}}", "--set",
                            source, "--set", "initial={type: zero}")
        lines = re.findall(r"at ([^ :]+): along x (.*); along y (.*); along z (.*)\n", done.out)
        self.assertEqual(len(lines), 5)
        for frequency, *axes in lines:
            f = float(frequency)
            epsilon = 3 * numpy.eye(3) + 2.25 / 1j / f * numpy.linalg.inv((1j * f + 0.2) * numpy.eye(3) - cross([0.3, -0.6, 0.8]))
            mu = 1.2 * numpy.eye(3) - 0.9 * numpy.linalg.inv(1j * f * numpy.eye(3) - (size + 0.15j * f) * b) @ b
            for axis, text in enumerate(axes):
                k = cross(numpy.eye(3)[axis])
                values = numpy.linalg.eigvals(-numpy.linalg.inv(epsilon) @ k @ numpy.linalg.inv(mu) @ k)
                exact = [cmath.sqrt(1 / value) for value in sorted(values, key=abs)[1:]]
                found = [float(n) - 1j * float(loss) for n, loss in re.findall(r"n (\S+), k ([^ ,;]+)", text)]
                self.assertEqual(len(found), 2)
                for one in found:
                    self.assertLess(min(abs(one * one - other * other) for other in exact), 2e-3 * abs(one) ** 2, (f, axis))
                self.assertLess(abs(found[0] ** 2 + found[1] ** 2 - exact[0] ** 2 - exact[1] ** 2), 4e-3 * abs(found[0]) ** 2)
        for medium, settings, parts in (
                (plasma, ("boundaries.xmin.type=pml",), ["materials.domain={", "in a static magnetic field", "type pml"]),
                (ferrite, ("boundaries.xmin={type: pec, symmetry: true}",),
                 ["boundaries.xmin.symmetry: the material of 'domain' is not its own mirror image in the plane x = 0"]),
                ("epsilon: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]", ("boundaries.xmin={type: pec, symmetry: true}",),
                 ["is not its own mirror image"]),
                ("epsilon: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]], drude: {plasma_frequency: 1e6, damping: 0}",
                 ("boundaries.xmin={type: pec, symmetry: true}",), ["is not its own mirror image"]),
                (ferrite.replace("[0.5, 0.3, -0.4]", "[0, 0, 0]"), (), ["ferrite", "precession_frequency"]),
                (ferrite.replace("[0.5, 0.3, -0.4]", "[1e-25, 0, 0]"), (), ["the term 'ferrite' of volume group 'domain'", "mend its parameters"]),
                (plasma.replace("damping: 0.2", "damping: -1"), (), ["magnetised_plasma", "damping"])):
            words = [word for setting in (f"materials.domain={{{medium}}}", "initial={type: zero}", *settings)
                     for word in ("--set", setting)]
            self.refuse(1, parts, "check", self.deck, "--quiet", *words, ranks=(0,))
        # A field along x, but for the digits of its numbers, is across the plane.
        for medium in (ferrite.replace("[0.5, 0.3, -0.4]", "[2, 0, 0]"),
                       "magnetised_plasma: {plasma_frequency: 7e6, damping: 3e3, cyclotron_frequency: [3e4, 2e-12, 0]}"):
            self.succeed("check", self.deck, "--quiet", "--set", "initial={type: zero}", "--set",
                         "boundaries.xmin={type: pec, symmetry: true}", "--set", "materials.domain={%s}" % medium)

    def test_sign_of_index(self):
        """The two waves along an axis of a uniaxial epsilon have n and k of media without tensors, in the sign, too: waves that
        run backwards, with loss and without, fields that carry no energy, and a medium with gain."""
        source = ("sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                  "signal: {type: cw, frequency: 2}}]")
        for medium, backward in (("drude: {plasma_frequency: 2.5, damping: 0}, magnetic_drude: {plasma_frequency: 2.5, damping: 0}", True),
                                 ("drude: {plasma_frequency: 3, damping: 0.1}, magnetic_drude: {plasma_frequency: 2, damping: 0.2}", True),
                                 ("drude: {plasma_frequency: 3, damping: 0}", False), ("conductivity: -0.3", False)):
            found = []
            for epsilon in ("2", "2.5", "[2, 2, 2.5]"):
                done = self.succeed("check", self.deck, "--set", f"materials.domain={{epsilon: {epsilon}, {medium}}}", "--set",
                                    source, "--set", "initial={type: zero}")
                found.append([[float(n) - 1j * float(k) for n, k in re.findall(r"n (\S+), k ([^ ,;\n]+)", line)]
                              for line in re.findall(r" at \S+: .*", done.out)])
            self.assertEqual([len(line) for lines in found for line in lines], 10 * [1] + 5 * [6])
            self.assertEqual(any(n.real < 0 for n, in found[0]), backward, found[0])
            for (ordinary,), (other,), waves in zip(*found):
                both = sorted((ordinary, other), key=abs, reverse=True)
                for one, exact in zip(waves, 2 * both + 2 * [ordinary]):
                    self.assertLess(abs(one - exact), 1e-3 * abs(exact), (medium, waves, both))

    def test_step(self):
        """A pole that decays in 1e-4 takes 4.6e-4 / 2 of time at cfl 1, but for the exponential update."""
        pole = "debye: {strength: 1, relaxation_time: 1e-4}"
        words = ("check", self.deck, "--set", "initial.compare=false", "--set")
        done = self.succeed(*words, f"materials.domain={{{pole}}}")
        self.assertIn("debye: stiff, by the exponential update", done.out)
        done = self.succeed(*words, f"materials.domain={{{pole}}}", "--set", "time.integrator=ader")
        self.assertIn("debye: stiff, by the exponential update", done.out)
        many = ", ".join(["{strength: 1, relaxation_time: 1e-6}"] * 11)  # too many for a prediction of this order
        done = self.succeed(*words, f"materials.domain={{debye: [{many}], magnetic_debye: [{many}]}}", "--set",
                            "time.integrator=ader", "--set", "order=10")
        self.assertEqual(done.out.count("stiff, by the exponential update"), 2)
        done = self.succeed(*words, f"materials.domain={{{pole}}}", "--set", "time.integrator=ader", "--set", "initial={type: zero}",
                            "--set", "sources=[{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], "
                            "signal: {type: ricker, frequency: 1}}]")
        self.assertRegex(done.out, "terms of 'domain' cause 100 % of the limit of the time step")
        done = self.succeed(*words, f"materials.domain={{epsilon: [1, 1, 2], {pole}}}")  # a tensor's medium has none
        self.assertIn("terms alone allow a time step of 0.000184, 1 times", done.out)
        self.assertRegex(done.out, "terms of 'domain' cause 100 % of the limit of the time step")

    def test_dipole_beside_a_stiff_medium(self):
        """Stiff poles alone tell the media apart, and the dipole acts in its own. The integrators differ by 5 to 6 % of the
        field, by the error of ader on this mesh."""
        media = "materials={{left: {{epsilon: 1{}}}, right: {{epsilon: 1, debye: {{strength: 20, relaxation_time: 1e-4}}}}}}"
        for more in ("", ", lorentz: {strength: 0.5, frequency: 1, damping: 0.2}"):
            found = []
            for integrator in ("lsrk45", "ader"):
                settings = (media.format(more), "mesh.box={cells: [4, 3, 3], split: {axis: x, at: 0.5, names: [left, right]}}",
                            f"time={{end: 0.8, integrator: {integrator}}}", "initial={type: zero}",
                            "sources=[{type: dipole, position: [0.45, 0.5, 0.5], direction: [0, 1, 0], "
                            "signal: {type: ricker, frequency: 1.5}}]",
                            "monitors={probes: {points: {here: [0.2, 0.5, 0.6], there: [0.7, 0.5, 0.5]}}}",
                            "output={snapshots: 0}")
                self.succeed("run", self.deck, "--quiet", "--device", DEVICE, "--tune=off",
                             *(word for setting in settings for word in ("--set", setting)), "--output", integrator)
                with h5py.File(self.folder / integrator / "probes.h5") as file:
                    found.append([numpy.interp(numpy.linspace(0, 0.8, 81), file["time"][()], file[f"probes/{name}/E"][()][:, 1])
                                  for name in ("here", "there")])
            for one, other in zip(*found):
                self.assertLess(abs(one - other).max(), 0.1 * abs(one).max(), more)

    def test_library(self):
        """What a name stands for is in the resolved deck, which says the same without the name."""
        words = ("check", self.deck, "--set", "units=si", "--set", "initial={type: zero}", "--set",
                 "mesh.box.max=[1e-6, 1e-6, 1e-6]", "--set", "monitors={}", "--set",
                 "sources=[{type: dipole, position: [5e-7, 5e-7, 5e-7], direction: [0, 0, 1], "
                 "signal: {type: ricker, frequency: 2e14}}]", "--set")
        named = self.succeed(*words, "materials.domain={library: copper, mu: 2}")
        self.assertIn("lorentz with 4 poles", named.out)
        resolved = self.folder / "resolved.yaml"
        resolved.write_text(named.out[named.out.index("# resolved deck"):])
        self.assertIn("plasma_frequency: 19857142", resolved.read_text())
        self.assertNotIn("library", resolved.read_text())
        again = self.succeed("check", resolved)
        rows = [re.findall("at .*n .*k .*", done.out) for done in (named, again)]
        self.assertEqual(len(rows[0]), 5)
        self.assertEqual(*rows)
        self.assertNotIn("a fit for", named.out)
        for name, frequency, warned in (("copper", "2e14", False), ("copper", "1e13", True), ("water", "1e11", False),
                                        ("water", "1.1e11", True)):
            done = self.succeed(*words, f"materials.domain={{library: {name}}}", "--set", "monitors={spectra: {p: {points: "
                                f"{{a: [5e-7, 5e-7, 1e-7]}}, frequencies: {{list: [{frequency}]}}}}}}}}")
            self.assertEqual(f"'domain' is {name} of the library, a fit for 0" in done.out, warned, (name, frequency))
        done = self.succeed(*words, "materials.domain={library: copper}", "--set", "sources.0.signal.frequency=1e12")
        self.assertIn("(2.498e+13 to 1.428e+15 Hz): it says nothing of", done.out)
        done = self.sedge(*words, "materials.domain={library: copper, drude: {}}")
        self.assertEqual(done.code, 1)
        self.assertIn("has 'drude' and the library's 'copper', which has it, too", done.messages[0])

    def test_tensors(self):
        """Principal values; equal ones are a number; the step is that of the least."""
        def check(medium, *words):
            return self.sedge("check", self.deck, "--set", f"materials.domain={{{medium}}}", "--set",
                              "initial.compare=false", *words)

        steps = [int(re.search(r"time +(\d+) steps", check(medium).out)[1]) for medium in (
            "epsilon: 1, mu: 0.5", "mu: 0.5, epsilon: [[1.5, -0.5, 0], [-0.5, 1.5, 0], [0, 0, 3]]")]
        self.assertEqual(*steps)
        done = check("epsilon: [[1.5, -0.5, 0], [-0.5, 1.5, 0], [0, 0, 3]], mu: [2, 2, 2]")
        self.assertIn("domain           epsilon 1, 2, 3\n", done.out)
        self.assertIn("given, anisotropic_epsilon\n", done.out)
        self.assertEqual(check("conductivity: [0, 0.1, 0]", "--set", "boundaries.xmin={type: pml}").code, 0)
        done = check("mu: [[2, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]", "--set", "boundaries.xmin={type: pml}")
        self.assertEqual(done.code, 1)
        self.assertIn("a medium whose epsilon, mu or conductivity is a tensor reaches a surface with "
                      "the type pml", done.messages[0])

    def test_refused(self):
        for medium, message in (
                ("drude: {plasma_frequency: 1, damping: -0.1}", "drude.damping -0.1 must be at least 0"),
                ("lorentz: [{strength: 1, frequency: 1, damping: 0}, "
                 "{strength: -0.1, frequency: 2, damping: 0}]",
                 "lorentz.1.strength -0.1 must be greater than 0"),
                ("epsilon: [4, 4]", "epsilon must be a number, the diagonal [xx, yy, zz] of a tensor"),
                ("epsilon: [4, [1, 2, 3], 4]", "epsilon: a tensor has three numbers or three rows of"),
                ("epsilon: [4, x, 2]", "epsilon must be a number, not 'x'"),
                ("mu: [[1, 2, 0], [1, 3, 0], [0, 0, 1]]", "mu is a tensor that is not symmetric"),
                ("mu: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]",
                 "principal values -1, 1 and 3: they must be greater than 0"),
                ("conductivity: [1, -2, 0]", "principal values -2, 0 and 1: they must be at least 0"),
                ("lorentz: []", "lorentz has 0 poles; it must have 1 to 100"),
                (f"debye: [{', '.join(['{strength: 1, relaxation_time: 1}'] * 101)}]",
                 "debye has 101 poles; it must have 1 to 100"),
                ("debye: [1]", "debye.0 must be a mapping"),
                ("debye: 1", "debye must be a mapping"),
                ("conductivity: 1, loss_tangent: {value: 0.1, frequency: 1}", "materials.domain has both 'loss_tangent' and 'conductivity'"),
                ("drude: {plasma_frequency: 1, damping: 0}, loss_tangent: {value: 0.1, frequency: 1}", "both 'loss_tangent' and 'drude'"),
                ("library: silicon, loss_tangent: {value: 0.1, frequency: 1}", "both 'loss_tangent' and 'library'"),
                ("epsilon: [2, 2, 3], loss_tangent: {value: 0.1, frequency: 1}", "epsilon must be one number beside 'loss_tangent'"),
                ("loss_tangent: {value: 0.1}", "loss_tangent needs the key 'frequency'"),
                ("loss_tangent: {value: -0.1, frequency: 1}", "loss_tangent.value -0.1 must be at least 0"),
                ("loss_tangent: {value: 0.1, frequency: 1, lowest: 0.5}", "a band needs both 'lowest' and 'highest'"),
                ("loss_tangent: {value: 0.1, frequency: 3, lowest: 0.5, highest: 2}", "and 'frequency' from the one to the other"),
                ("loss_tangent: {value: 0.5, frequency: 1, lowest: 0.1, highest: 9}", "no sum of up to 11 relaxations has the loss tangent 0.5"),
                ("los_tangent: {}", "did you mean 'loss_tangent'?"),
                ("library: golf", "did you mean 'gold'?"),
                ("library: gold", "'gold' has frequencies in Hz: it needs a deck with 'units: si'")):
            with self.subTest(medium=medium):
                done = self.sedge("check", self.deck, "--set", f"materials.domain={{{medium}}}", "--set",
                                  "initial.compare=false")
                self.assertEqual(done.code, 1)
                self.assertIn(message, done.messages[0])


if __name__ == "__main__":
    unittest.main()
