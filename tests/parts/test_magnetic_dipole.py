"""A kind of point source in a file of its own (magnetic_dipole_source.c, magnetic_dipole.yaml).

Maxwell's equations are the same when E, H, J, epsilon and the electric walls change places with H, -E, M, mu and the
magnetic walls. So a magnetic dipole has the fields of the electric dipole in the dual problem, to rounding.
"""

import os
import pathlib
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from kit import Case  # noqa: E402

HERE = pathlib.Path(__file__).parent
DEVICE = os.environ.get("SEDGE_TEST_DEVICE", "host")
DECK = HERE / "magnetic_dipole.yaml"
SIGNAL = "signal: {type: gaussian, amplitude: 1, width: 0.25}"
DUAL = ("materials.domain={epsilon: 2, mu: 3}",
        *(f"boundaries.{side}={{type: pec}}" for side in ("xmin", "xmax", "ymax", "zmin", "zmax")),
        f"sources=[{{type: dipole, position: [0.3, 0.35, 0.4], direction: [1, -2, 0.5], {SIGNAL}}}]")


class MagneticDipole(Case):
    def fields(self, folder, *settings, ranks=0):
        """E and H at the two probes, over time."""
        words = [word for setting in settings for word in ("--set", setting)]
        self.succeed("run", DECK, "--quiet", "--device", DEVICE, "--tune=off", *words, "--output", folder, ranks=ranks)
        with h5py.File(self.folder / folder / "probes.h5") as file:
            return [file[f"probes/{name}/{field}"][()] for name in ("near", "far") for field in ("E", "H")]

    def test_duality(self):
        for integrator, ranks in (("lsrk45", 0), ("lsrk45", 2), ("ader", 2))[:1 if DEVICE == "opencl" else 3]:
            with self.subTest(integrator=integrator, ranks=ranks):
                method = f"time.integrator={integrator}"
                magnetic = self.fields("magnetic", method, ranks=ranks)
                electric = self.fields("electric", method, *DUAL, ranks=ranks)
                for k in (0, 2):
                    size = abs(electric[k]).max()
                    self.assertGreater(size, 0.03)
                    self.assertLess(abs(magnetic[k + 1] - electric[k]).max(), 1e-11 * size)
                    self.assertLess(abs(magnetic[k] + electric[k + 1]).max(), 1e-11 * size)

    @unittest.skipIf(DEVICE != "host", "what a deck is told does not depend on the device")
    def test_plane(self):
        """In a magnetic plane of symmetry it is across the plane, in an electric one it is in it."""
        def source(axis):
            return f"sources=[{{type: magnetic-dipole, position: [0.3, 0.35, 0], axis: {axis}, {SIGNAL}}}]"

        for wall, right, wrong in (("pmc", "[0, 0, 1]", "[1, 0, 0]"), ("pec", "[1, 2, 0]", "[0, 0, 1]")):
            plane = f"boundaries.zmin={{type: {wall}, symmetry: true}}"
            self.succeed("check", DECK, "--quiet", "--device", "host", "--set", plane, "--set", source(right))
            self.refuse(1, ["sources.0: the source lies in the plane z = 0 of boundaries.zmin",
                            "a magnetic one across it" if wall == "pmc" else "a magnetic one in it"],
                        "check", DECK, "--quiet", "--device", "host", "--set", plane, "--set", source(wrong))


if __name__ == "__main__":
    unittest.main()
