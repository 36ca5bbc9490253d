"""Spheres in open space against the Mie series, at k a from 0.5 to 4: long, so it runs only when asked for.

Radar cross-sections at all angles within 20 dB of the peak, and the fields at points in and beside the sphere, of
bodies of all kinds; then the same bits of physics on other ranks, in fp64 and on OpenCL. Needs Gmsh for finer meshes.
"""

import shutil
import subprocess
import unittest

import h5py
import numpy

from kit import DEVICE, SOURCE, Case, read_json

RANKS = 1 if DEVICE == "cuda" else 2
POINTS = "before: [0, 0, -1.2], focus: [0, 0, 1.2], beside: [0.1, 1.25, 0.2], along: [1.3, 0.1, 0.1]"
INSIDE = "inside: [0.3, 0.2, 0.1], edge: [0.1, 0.7, -0.2]"

# Deck, Gmsh's numbers for the mesh, settings.
BODIES = {
    "conductor": ("sphere", None, []),
    "glass": ("dielectric-sphere", {}, ["materials.ball.epsilon=2.25"]),
    "dense": ("dielectric-sphere", {"near": 0.26}, ["materials.ball.epsilon=4", "time.end=150"]),
    "coated": ("dielectric-sphere", {"core": 0.6, "near": 0.27},
               ["materials.core={epsilon: 4}", "materials.ball.epsilon=2", "exact.radius=0.6",
                "exact.material=core", "exact.coating={radius: 1, material: ball}", "time.end=100"]),
    "drude": ("dielectric-sphere", {},
              ["materials.ball={epsilon: 1, drude: {plasma_frequency: 0.5, damping: 0.05}}", "time.end=80"]),
}


class Mie(Case):
    def mesh(self, numbers):
        if not numbers:
            return SOURCE / "meshes/solid-sphere.msh"
        if shutil.which("gmsh") is None:
            self.skipTest("there is no Gmsh to make the mesh")
        path = self.folder / "ball.msh"
        words = [word for name, value in numbers.items() for word in ("-setnumber", name, str(value))]
        subprocess.run(["gmsh", "-3", "-nt", "1", "-order", "2", "-format", "msh41", "-bin", *words,
                        SOURCE / "meshes/solid-sphere.geo", "-o", path], check=True, capture_output=True)
        return path

    def compute(self, body, name, *settings, ranks=RANKS, device=DEVICE):
        deck, numbers, more = BODIES[body]
        points = POINTS if numbers is None else POINTS + ", " + INSIDE
        settings = [f"monitors.spectra={{near: {{points: {{{points}}}}}}}", "monitors.slices={}", "output.snapshots=0",
                    "time.stop.energy=1e-8", *more, *settings]
        if numbers is not None:
            settings.append(f"mesh.file={self.mesh(numbers)}")
        self.succeed("run", SOURCE / "input" / f"{deck}.yaml", "--device", device, "--quiet", "--output", name,
                     *(word for setting in settings for word in ("--set", setting)), ranks=ranks)
        return read_json(self.folder / name / "report.json")["monitors"]

    def check(self, body, order, *settings):
        report = self.compute(body, "run", f"order={order}", *settings)
        decibel = report["far-field"]["sphere"]["rms_decibel"]
        with h5py.File(self.folder / "run/spectra.h5") as file:
            exact = file["spectra/near/exact"]
            size = numpy.sqrt(sum((abs(exact[name][()]) ** 2).sum(axis=-1) for name in ("E_normalised", "H_normalised")))
            # Of the exact field, or of the incident one where that is larger: behind a metal it is dark.
            near = (exact["error"][()] * size / numpy.maximum(size, 2**0.5)).max(axis=1)
            size = 2 * numpy.pi * file["spectra/near/frequency"][()]  # k a
        low, high = size < 0.8, size > 3
        print(f"{body:10} order {order}: rms dB at most {max(decibel):.3f}; near fields at most {100 * max(near[low]):.2f} % "
              f"at k a < 0.8, {100 * max(near[~low & ~high]):.2f} %, {100 * max(near[high]):.2f} % above 3", flush=True)
        self.assertEqual(len(decibel), 29)
        self.assertLess(max(decibel), 0.1)
        self.assertLess(max(near), 0.01)

    def same(self, body):
        """Far fields on 1, 2 and 4 ranks, in both precisions, and on OpenCL where the host runs the rest."""
        found = {}
        for name, precision, ranks, device in [
                ("fp64", "fp64", 1, DEVICE), ("fp64-2", "fp64", 2, DEVICE), ("fp64-4", "fp64", 4, DEVICE),
                ("fp32", "fp32", 1, DEVICE), ("fp32-4", "fp32", 4, DEVICE)] + (
                    [("opencl", "fp32", 1, "opencl")] if DEVICE == "host" else []):
            order = 2 if body == "conductor" else 1  # its mesh is too coarse at order 1
            self.compute(body, name, f"order={order}", "time.end=7", f"precision={precision}",
                         ranks=ranks, device=device)
            with h5py.File(self.folder / name / "far-field.h5") as file:
                found[name] = file["sphere/E_theta"][()], file["sphere/E_phi"][()]
        scale = abs(found["fp64"][0]).max()
        for name, fields in found.items():
            print(body, name, *(abs(a - b).max() / scale for a, b in zip(fields, found["fp64"])), flush=True)
            for field, reference in zip(fields, found["fp64"]):
                error = abs(field - reference).max() / scale
                # fp32 rounds to 6e-8; the parts of the surface cancel to a hundredth and less (glass: 1.9e-5).
                self.assertLess(error, 1e-11 if name in ("fp64-2", "fp64-4") else 5e-5, name)


for _body in BODIES:
    def _same(self, body=_body):
        self.same(body)
    setattr(Mie, f"test_same_{_body}", _same)
    for _order in (3, 4):
        def _test(self, body=_body, order=_order):
            self.check(body, order)
        setattr(Mie, f"test_{_body}_{_order}", _test)
        if _body in ("conductor", "glass"):  # with local time steps
            def _test(self, body=_body, order=_order):
                self.check(body, order, "time.integrator=ader", "time.levels=4")
            setattr(Mie, f"test_{_body}_{_order}_ader", _test)


if __name__ == "__main__":
    unittest.main()
