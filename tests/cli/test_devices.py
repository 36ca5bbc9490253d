"""The same answer on every device, in both precisions and on one and two ranks: each kind of medium, condition, source
and monitor of open space once, in three decks that have many of them.

The answer of the host in fp64 on one rank is what the others are compared with. That it is right is asserted elsewhere,
against exact solutions. On the host and in fp64 fields at points are the same bits on any number of ranks, since each
node adds up the same numbers in the same order. Other compilers join multiplications and additions otherwise: 1e-12 of
the largest value, what some hundred steps' rounding (1e-16 each) can be, and for fp32 (6e-8 each) 1e-5. Sums over
surfaces, in fluxes and far fields, are of another order on other ranks.

PoCL, the OpenCL of CI, takes up to ten seconds to compile a deck's programs: there each deck has one precision, by
turns, and both with SEDGE_TEST_ALL. The decks are of order 1, for which compilers take a quarter less time.
"""

import itertools
import os
import unittest

import h5py
import numpy

from kit import DEVICE, Case, sides
from slabs import write_bar

DIPOLE = "{{type: dipole, position: {}, direction: {}, signal: {{type: gaussian, frequency: 1, width: 0.2, delay: 0.3}}}}"

# A body of a crystal in two media that reach the layers, on all sides, edges and corners: a lossy dielectric with poles
# and an ionised gas. Surfaces with memory: a film, a wall of metal, a sheet of slow electrons; and two without.
MEDIA = """\
equation: maxwell
order: 1
mesh:
  file: bar.msh
  surfaces:
    film: {box: {min: [0.1, 0.1, 0.1], max: [0.3, 0.3, 0.3]}}
    metal: {box: {min: [0.1, 0.7, 0.1], max: [0.3, 0.9, 0.3]}}
    slow: {box: {min: [0.7, 0.1, 0.7], max: [0.9, 0.3, 0.9]}}
    card: {box: {min: [0.7, 0.7, 0.1], max: [0.9, 0.9, 0.3]}}
    lossy: {box: {min: [0.1, 0.1, 0.7], max: [0.3, 0.3, 0.9]}}
    grid: {box: {min: [0.7, 0.7, 0.7], max: [0.9, 0.9, 0.9]}}
    patches: {box: {min: [0.1, 0.7, 0.7], max: [0.3, 0.9, 0.9]}}
    load: {box: {min: [0.7, 0.1, 0.1], max: [0.9, 0.3, 0.3]}}
    around: {groups: [crystal]}
time: {end: 0.7, integrator: lsrk45}
materials:
  dielectric:
    epsilon: [2, 1.5, 1.2]
    conductivity: 0.2
    debye: {strength: 1.2, relaxation_time: 0.3}
    lorentz: {strength: 0.8, frequency: 0.9, damping: 0.1}
  gas: {drude: {plasma_frequency: 0.6, damping: 0.2}}
  crystal:
    epsilon: [[2, 0.3, 0], [0.3, 1.5, -0.2], [0, -0.2, 1.2]]
    mu: [[1.5, 0.1, 0], [0.1, 1.2, 0.2], [0, 0.2, 1.3]]
    conductivity: [[0.3, 0.1, 0], [0.1, 0.2, 0.1], [0, 0.1, 0.4]]
    lorentz: [{strength: 0.8, frequency: 0.9, damping: 0.1}, {strength: 0.4, frequency: 1.5, damping: 0}]
    magnetic_lorentz: {strength: 0.5, frequency: 1.1, damping: 0.3}
    magnetic_debye: {strength: 2, relaxation_time: 0.2}
""" + sides("pml, layers: 1") + """\
  film: {type: film, conductivity: 500, thickness: 0.03, lowest: 0.1, highest: 2}
  metal: {type: conductor, conductivity: 300, lowest: 0.1, highest: 2}
  slow: {type: drude-sheet, resistance: 0.75, relaxation-time: 0.4}
  card: {type: sheet, resistance: 0.75}
  lossy: {type: magnetic-sheet, resistance: 0.75}
  grid: {type: series-sheet, resistance: 0.3, inductance: 0.08, capacitance: 0.9}
  patches: {type: parallel-sheet, resistance: 2, inductance: 0.15, capacitance: 0.4}
  load: {type: rational, resistances: [0.8, 0.5, 0], frequencies: [0.9, 0.2, 0], resonance-resistances: [0.6, 0, 0],
    resonance-offsets: [0.1, 0, 0], resonance-frequencies: [0.8, 0, 0], resonance-widths: [0.5, 0, 0]}
sources:
  - SOURCE
monitors:
  frequencies: {list: [0.6, 1.1]}
  probes:
    points: {dielectric: [0.22, 0.3, 0.55], gas: [0.77, 0.35, 0.5], crystal: [0.45, 0.53, 0.56], film: [0.22, 0.27, 0.26],
             slow: [0.77, 0.27, 0.76], card: [0.77, 0.73, 0.26], lossy: [0.22, 0.27, 0.74], metal: [0.22, 0.6, 0.26],
             grid: [0.78, 0.75, 0.77], patches: [0.22, 0.75, 0.77], load: [0.6, 0.27, 0.25]}
  spectra: {points: {points: {crystal: [0.45, 0.53, 0.56], gas: [0.77, 0.35, 0.5]}}, all: {surface: around}}
  flux: {around: {surface: around}}
""".replace("SOURCE", DIPOLE.format("[0.45, 0.5, 0.25]", "[1, 2, 3]"))

# A lossy body with a stiff pole, in the total field of two waves that are one circular one, and what it scatters.
WAVE = """\
equation: maxwell
order: 1
mesh:
  file: bar.msh
  surfaces:
    entry: {box: {min: [0.2, 0.2, 0.2], max: [0.8, 0.8, 0.8]}}
time: {end: 1.2, integrator: lsrk45}
materials:
  dielectric: {}
  gas: {}
  crystal: {epsilon: 2, lorentz: {strength: 1, frequency: 0.8, damping: 0.3}, conductivity: 0.3,
            magnetic_debye: {strength: 2, relaxation_time: 1e-5}}  # stiff
""" + sides("pml, layers: 1") + """\
  entry: {type: total-field}
sources: [WAVES]
monitors:
  frequencies: {list: [0.6, 1.1]}
  probes: {points: {inside: [0.45, 0.53, 0.56], beside: [0.3, 0.35, 0.6], scattered: [0.17, 0.2, 0.6]}}
  spectra: {points: {points: {inside: [0.45, 0.53, 0.56], scattered: [0.17, 0.2, 0.6]}}}
  flux: {entry: {surface: entry}}
  far-field: {entry: {surface: entry, centre: [0.5, 0.5, 0.5], theta: {step: 30}, phi: {to: 300, step: 60}}}
""".replace("WAVES", ", ".join(
    "{type: plane-wave, direction: [0, 0, 1], polarisation: %s, origin: [0, 0, 0.16], signal: {type: gaussian, frequency: 1, "
    "width: 0.2, delay: 0.5, phase: %d}}" % wave for wave in (("[1, 0, 0]", 0), ("[0, 1, 0]", 90))))

# An antenna above a ground, with local time steps.
ANTENNA = """\
equation: maxwell
order: 1
mesh:
  file: bar.msh
  surfaces:
    outer: {box: {min: [0.1, 0.1, -1], max: [0.9, 0.9, 0.9]}}
    inner: {box: {min: [0.2, 0.2, -1], max: [0.8, 0.8, 0.8]}}
time: {end: 0.7, integrator: ader, levels: 2}
materials: {dielectric: {}, gas: {}, crystal: {}}
""" + sides("pml, layers: 1").replace("zmin: {type: pml, layers: 1}", "zmin: {type: pec}") + """\
sources:
  - SOURCE
monitors:
  frequencies: {list: [0.6, 1.1]}
  probes: {points: {near: [0.45, 0.53, 0.56], side: [0.2, 0.35, 0.2]}}
  far-field:
    outer:
      surface: outer
      input: inner
      theta: {step: 30}
      phi: {to: 300, step: 60}
      images: {z: {type: pec, ground: true}}
""".replace("SOURCE", DIPOLE.format("[0.45, 0.5, 0.35]", "[1, 2, 3]"))

EVERYTHING = "SEDGE_TEST_ALL" in os.environ
CELLS = 6
BOUNDS = {"fp64": 1e-13, "fp32": 3e-6}


def body(cube):
    if all(place in (2, 3) for place in cube):
        return "crystal"
    return "dielectric" if cube[0] < 3 else "gas"


class Devices(Case):
    def setUp(self):
        super().setUp()
        write_bar(self.folder / "bar.msh", (CELLS, CELLS, CELLS), (1, 1, 1),
                  {cube: body(cube) for cube in itertools.product(range(CELLS), repeat=3)})
        self.runs = [("host", "fp64", 0), ("host", "fp64", 2), ("host", "fp32", 2)]
        self.others = [] if DEVICE == "host" else [DEVICE]
        if "opencl    none" not in self.succeed("devices").out:
            self.others.append("opencl")

    def compute(self, device, precision, ranks):
        """All that the run wrote of fields, by names: values over time, at frequencies, in directions."""
        name = f"{device}-{precision}-{ranks}"
        self.succeed("run", self.folder / "deck.yaml", "--device", device, "--quiet", "--tune=off", "--set",
                     f"precision={precision}", "--set", "output.snapshots=0", "--output", name, ranks=ranks)
        found = {}
        for path in sorted((self.folder / name).glob("*.h5")):
            with h5py.File(path) as file:
                file.visititems(lambda key, item: found.update({f"{path.stem}/{key}": item[()]})
                                if isinstance(item, h5py.Dataset) else None)
        return {key: value for key, value in found.items() if key.startswith("flux/flux") or key.split("/")[-1] in (
            "E", "H", "energy", "flux", "power", "E_theta", "E_phi", "scattering", "extinction", "directivity", "gain")}

    def compare(self, text, on_opencl, *files):
        """`on_opencl`: the precision and the number of ranks there."""
        for device in dict.fromkeys(self.others):
            both = [("fp64", 0), ("fp32", 2)]
            self.runs += [(device, *each) for each in (both if device != "opencl" or EVERYTHING else [on_opencl])]
        (self.folder / "deck.yaml").write_text(text)
        known = self.compute(*self.runs[0])
        self.assertEqual({name.split("/")[0] for name in known}, {"energy", "probes", *files})
        for name, values in known.items():  # a field has come to each place
            self.assertGreater(abs(values).max(), 1e-3, name)
        for run in self.runs[1:]:
            found = self.compute(*run)
            self.assertEqual(set(found), set(known))
            for name, values in found.items():
                with self.subTest(run=run, values=name):
                    if run == ("host", "fp64", 2) and name.startswith("probes"):
                        self.assertEqual(values.tobytes(), known[name].tobytes())
                    error = abs(values - known[name]).max() / abs(known[name]).max()
                    self.assertLess(error, BOUNDS[run[1]])

    def test_media(self):
        self.compare(MEDIA, ("fp64", 0), "flux", "flux_spectra", "spectra")

    def test_wave(self):
        self.compare(WAVE, ("fp32", 2), "flux", "flux_spectra", "spectra", "far-field")

    def test_antenna(self):
        self.compare(ANTENNA, ("fp64", 2), "far-field")


if __name__ == "__main__":
    unittest.main()
