"""Slabs of dispersive media against transfer matrices: long, so it runs only when asked for.

A duct between conducting and magnetic walls, narrower than half a wave, guides plane waves. A dipole
sends them onto a slab that a conductor backs; the other end absorbs. The reflection is the spectrum
behind that of the duct without slab, less 1.
"""

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
        alone = self.spectrum("alone", f)
        for name, medium, epsilon, mu in (
                ("drude", "drude: {plasma_frequency: 1.2, damping: 0.15}",
                 1 - 1.44 / (f * f - 0.15j * f), 1),
                ("lorentz", "epsilon: 2, lorentz: [{strength: 1.5, frequency: 0.9, damping: 0.3}, "
                 "{strength: 0.5, frequency: 0.4, damping: 0.3}]",
                 2 + 1.215 / (0.81 - f * f + 0.3j * f) + 0.08 / (0.16 - f * f + 0.3j * f), 1),
                ("debye", "epsilon: 2, debye: {strength: 3, relaxation_time: 0.2}, "
                 "magnetic_lorentz: {strength: 0.6, frequency: 0.7, damping: 0.2}",
                 2 + 3 / (1 + 0.2j * w), 1 + 0.294 / (0.49 - f * f + 0.2j * f)),
                # By the exponential update, in steps of 5 and of 200 relaxation times. The mesh
                # gives 1.5e-4 in a medium of their static permittivity, too.
                ("relaxing", "epsilon: 2, debye: {strength: 3, relaxation_time: 0.002}",
                 2 + 3 / (1 + 0.002j * w), 1),
                ("stiff", "epsilon: 2, debye: {strength: 3, relaxation_time: 5e-5}",
                 2 + 3 / (1 + 5e-5j * w), 1)):
            with self.subTest(medium=name):
                behind = self.spectrum(name, f, "boundaries.zmax.type=pec",
                                       f"materials.slab={{{medium}}}")
                root = numpy.sqrt(epsilon + 0j), numpy.sqrt(mu + 0j)
                load = 1j * root[1] / root[0] * numpy.tan(root[0] * root[1] * w * THICKNESS)
                # From the slab's face back to the probe and forth.
                exact = (load - 1) / (load + 1) * numpy.exp(-2j * w * 0.4)
                error = abs(behind / alone - 1 - exact).max()
                print(f"{name}: least |R| {abs(exact).min():.3f}, largest error {error:.2e}")
                self.assertLess(error, {"relaxing": 7e-4, "stiff": 2e-4}.get(name, 1e-4))


if __name__ == "__main__":
    unittest.main()
