"""What a periodic structure reflects and lets through, by diffraction order, beside the exact solution of a grating."""

import itertools
import unittest

import h5py
import numpy

from kit import DEVICE, Case, read_json
from slabs import write_bar

# A cell, 1.6 wide, of bars of lossy glass, 0.8 wide and 0.4 thick, in air; at these frequencies two orders beside the
# first travel, and none of them along the plane, which would take long to leave.
CELLS = (8, 1, 10)
SIZE = (1.6, 0.2, 2.0)
GRATING = """\
equation: maxwell
order: 3
precision: fp64
mesh:
  file: grating.msh
  surfaces:
    wave: {box: {min: [-1, -1, 0.4], max: [3, 1, 1.6]}}
    before: {plane: {normal: z, at: 0.2}}
    behind: {plane: {normal: z, at: 1.4}}
time: {end: 26}
materials: {air: {}, glass: {epsilon: 2.25, conductivity: 0.6}}
boundaries:
  xmin: {type: periodic, partner: xmax}
  ymin: {type: periodic, partner: ymax}
  zmin: {type: pml}
  zmax: {type: pml}
  wave: {type: total-field}
sources:
  - type: plane-wave
    direction: [0, 0, 1]
    polarisation: [0, 2, 0]
    origin: [0, 0, 0.4]
    signal: {type: gaussian, frequency: 0.87, width: 2.5}
monitors:
  frequencies: {list: [0.2, 0.78, 0.86, 0.94]}
  flux:
    reflected: {surface: before, away_from: [0, 0, 1]}
    transmitted: {surface: behind, away_from: [0, 0, 1]}
    side: {surface: xmin}
output: {snapshots: 0}
"""


def solve_grating(frequency, epsilon, period, bar, thickness, orders=40):
    """Powers that bars reflect and let through of a wave along z with E along the bars, by diffraction order from -orders
    on: E is a sum of exp(-j K x), and in the bars d2E/dz2 = (K^2 - w^2 epsilon) E is a matrix of these terms, which is
    diagonal in its eigenvectors. Exact but for the number of terms: 1e-4 with 20 to 80 of them here."""
    m = numpy.arange(-orders, orders + 1)
    k, w = 2 * numpy.pi * m / period, 2 * numpy.pi * frequency
    outside = numpy.sqrt(w * w - k * k + 0j)
    outside = numpy.where(outside.imag > 0, -outside, outside)  # exp(-j kz z)
    between = m[:, None] - m[None, :]
    width = (bar[1] - bar[0]) / period
    series = (epsilon - 1) * width * numpy.sinc(between * width) * numpy.exp(1j * numpy.pi * between * sum(bar) / period)
    squares, vectors = numpy.linalg.eig(numpy.diag(k * k) - w * w * (series + numpy.eye(len(m))))
    decay = numpy.sqrt(squares + 0j)
    decay = numpy.where(decay.real < 0, -decay, decay)
    slope, across, one = vectors * decay, numpy.exp(-decay * thickness), numpy.eye(len(m))
    incident = (m == 0) * 1.0
    # E and its slope at both faces: inside vectors (exp(-decay z) a + exp(decay (z - thickness)) b).
    left = numpy.block([[vectors, vectors * across, -one, 0 * one],
                        [-slope, slope * across, -numpy.diag(1j * outside), 0 * one],
                        [vectors * across, vectors, 0 * one, -one],
                        [-slope * across, slope, 0 * one, numpy.diag(1j * outside)]])
    right = numpy.concatenate([incident, -1j * outside * incident, 0 * incident, 0 * incident])
    fields = numpy.linalg.solve(left, right)[2 * len(m):].reshape(2, -1)
    return m, (outside / w).real * abs(fields) ** 2, fields


class Periodic(Case):
    def run_grating(self, folder, *words, ranks=0):
        """What it prints, and by surface what flux_spectra.h5 has."""
        cubes = itertools.product(*map(range, CELLS))
        media = {(i, j, k): "glass" if 2 <= i < 6 and 4 <= k < 6 else "air" for i, j, k in cubes}
        write_bar(self.folder / "grating.msh", CELLS, SIZE, media)
        output = self.succeed("run", self.write("deck.yaml", GRATING), "--device", DEVICE, "--tune=off", *words,
                              "--output", folder, ranks=ranks).out
        with h5py.File(self.folder / folder / "flux_spectra.h5") as file:
            return output, {name: {key: item[()] for key, item in group.items()} for name, group in file["flux"].items()}

    def test_grating(self):
        """1e-3: the run had 6e-4 at most, the reference 1e-4 with half of its terms. At 0.2 the signal has nothing."""
        output, flux = self.run_grating("grating", ranks=2)
        self.assertNotIn("part", flux["side"])
        frequency = flux["reflected"]["frequency"]
        for name in ("reflected", "transmitted"):
            part, order = flux[name]["part"], flux[name]["order"].tolist()
            self.assertEqual(order, [[0, 0], [1, 0], [-1, 0]])
            self.assertLess(abs(flux[name]["order_k"] - [[0, 0, 0], [numpy.pi / 0.8, 0, 0], [-numpy.pi / 0.8, 0, 0]]).max(), 1e-12)
            self.assertTrue(numpy.isnan(part[0]) and numpy.isnan(flux[name]["order_E"][:, 0]).all())
            self.assertLess(abs(flux[name]["order_part"].sum(axis=0) - part)[1:].max(), 1e-5)  # no other order travels
            self.assertEqual(read_json(self.folder / "grating/report.json")["monitors"]["flux"][name]["part"][1:],
                             part[1:].tolist())
        for k in range(1, len(frequency)):
            w = 2 * numpy.pi * frequency[k]
            m, powers, fields = solve_grating(frequency[k], 2.25 - 0.6j / w, 1.6, (0.4, 1.2), 0.4)
            self.assertIn(f"{frequency[k]:g}", output)
            for name, power, field, path in zip(("reflected", "transmitted"), powers, fields, (0.6, 0.2)):
                for i, order in enumerate((0, 1, -1)):
                    with self.subTest(frequency=frequency[k], surface=name, order=order):
                        at = list(m).index(order)
                        self.assertLess(abs(flux[name]["order_part"][i, k] - power[at]), 1e-3)
                        # The bars' front is 0.4 behind the signal's place; each order goes on from a face to the surface.
                        kz = numpy.sqrt(w * w - (2 * numpy.pi * order / 1.6) ** 2)
                        E = 2 * field[at] * numpy.exp(-1j * (0.4 * w + path * kz))
                        self.assertLess(abs(flux[name]["order_E"][i, k] - [0, E, 0]).max(), 1e-2)
        self.assertIn("parts of the incident power through the cell", output)

    def test_several_sources(self):
        """Waves with parallel fields and different origins have a power that depends on the frequency, and there are no parts
        of it; across each other they have."""
        for polarisation, parts in (("[0, 1, 0]", False), ("[1, 0, 0]", True)):
            sources = "sources=[" + ", ".join(
                f"{{type: plane-wave, direction: [0, 0, 1], polarisation: {vector}, origin: [0, 0, {origin}], "
                "signal: {type: gaussian, frequency: 0.87, width: 2.5, delay: 8}}"
                for vector, origin in (("[0, 2, 0]", 0.4), (polarisation, 0.2))) + "]"
            output, flux = self.run_grating("several", "--set", "order=1", "--set", "time={steps: 2}", "--set", sources)
            self.assertEqual("part" in flux["reflected"], parts)
            self.assertIn("power_normalised", flux["reflected"])


if __name__ == "__main__":
    unittest.main()
