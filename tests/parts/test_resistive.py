"""A resistive sheet inside the mesh (resistive_face.c, resistive.yaml) against the exact answer.

A plane pulse meets it at normal incidence. With the admittances Y1 and Y2 of the media before and
behind it, the field is reflected by (Y1 - Y2 - 1/R) / S and passes by 2 Y1 / S, S = Y1 + Y2 + 1/R:
with equal media -1 / (1 + 2 R / Z) and 1 / (1 + Z / (2 R)).

The bound: at order 2 the mesh resolves the pulse to 0.8 %, and the shorter waves in the denser medium
to as much at order 3.
"""

import math
import os
import pathlib
import sys
import unittest

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from kit import Case  # noqa: E402

HERE = pathlib.Path(__file__).parent
DEVICE = os.environ.get("SEDGE_TEST_DEVICE", "host")
RESISTANCE = 0.75
BOUND = 0.015


class Resistive(Case):
    def fields(self, folder, *settings, ranks=0):
        """Times, and Ex at the probes before and behind the sheet."""
        words = [word for setting in settings for word in ("--set", setting)]
        self.succeed("run", HERE / "resistive.yaml", "--quiet", "--device", DEVICE, "--tune=off",
                     *words, "--output", folder, ranks=ranks)
        with h5py.File(self.folder / folder / "probes.h5") as file:
            return (file["time"][()], file["probes/left/E"][()][:, 0],
                    file["probes/right/E"][()][:, 0])

    def check(self, times, left, right, epsilon):
        """The pulse has its peak at z = -1 at time 0; the probes are at z = -0.5 and 0.5."""
        before, behind, sheet = 1.0, math.sqrt(epsilon), 1.0 / RESISTANCE
        total = before + behind + sheet

        def pulse(since):
            return numpy.exp(-(since / 0.22) ** 2)

        exact = pulse(times - 0.5) + (before - behind - sheet) / total * pulse(times - 1.5)
        self.assertLess(abs(left - exact).max(), BOUND)
        exact = 2 * before / total * pulse(times - 1.0 - 0.5 * math.sqrt(epsilon))
        self.assertLess(abs(right - exact).max(), BOUND)

    def test_equal_media(self):
        some = DEVICE == "opencl"  # PoCL takes four times the host's time for the same kernels
        whole = None
        for precision, rounding, counts in (("fp64", 1e-12, (2,) if some else (1, 4)),
                                            ("fp32", 2e-5, () if some else (2,))):
            for ranks in counts:
                with self.subTest(precision=precision, ranks=ranks):
                    times, left, right = self.fields(f"{precision}-{ranks}",
                                                     f"precision={precision}", ranks=ranks)
                    self.check(times, left, right, 1.0)
                    whole = (left, right) if whole is None else whole
                    # Some thousand stages in another order of sums.
                    self.assertLess(abs(left - whole[0]).max(), rounding)
                    self.assertLess(abs(right - whole[1]).max(), rounding)

    @unittest.skipIf(DEVICE == "opencl", "the law itself, on the host and on cuda")
    def test_two_media(self):
        times, left, right = self.fields("media", "materials.right.epsilon=2.25", "order=3",
                                         "time.end=2.5")
        self.check(times, left, right, 2.25)

    def test_incident(self):
        """With the pulse as an incident wave, what the sheet scatters to either side is alike. An
        incident wave is not linear in the trace: with coefficients as state the kernel converts."""
        wave = ("sources=[{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                "origin: [0, 0, -1], signal: {type: gaussian, amplitude: 1, width: 0.22, delay: 0}}]")
        factor = -1 / (1 + 2 * RESISTANCE)
        for variant, ranks in (("auto", 2), ("fused", 2))[:1 if DEVICE == "opencl" else 2]:
            with self.subTest(variant=variant, ranks=ranks):
                times, left, right = self.fields(variant, wave, "initial={type: zero}",
                                                 f"kernels.variant={variant}", ranks=ranks)
                exact = factor * numpy.exp(-((times - 1.5) / 0.22) ** 2)
                self.assertLess(abs(left - exact).max(), BOUND)
                self.assertLess(abs(right - exact).max(), BOUND)

    def test_outside(self):
        done = self.sedge("check", HERE / "resistive.yaml", "--set",
                         "boundaries.zmax={type: resistive, resistance: 1}")
        self.assertIn("on the outside", done.messages[0])


if __name__ == "__main__":
    unittest.main()
