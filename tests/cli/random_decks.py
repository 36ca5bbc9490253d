"""Decks of random meshes, materials, conditions, layers, sources and monitors: what does not depend
on how a deck is run must not change.

    random_decks.py [--seeds 0:20 | 3,7] [--devices host,cuda]

Each deck runs on the first device by lsrk45, by ndblsrk144 with half the step, and by ADER with the
step and half of it, in fp64. Then

- lsrk45 and ndblsrk144 agree to the errors of two methods of order 4,
- ADER's difference to lsrk45, which is its step times the jumps between elements, is halved or
  better,
- two ranks with lsrk45, and three with ADER, give the bits of one,
- a run that goes on from a checkpoint on two ranks gives the bits of one that was not interrupted,
- other devices give the same but for rounding;

the same holds of fields, flux and absorbed power at frequencies, where the deck asks for them, but for the first two.

A deck that the program refuses is to have one message; it says nothing then, nor does one whose
probes are behind a conductor. Needs the environment of kit.py, and h5py. Seeds give the same decks
everywhere. Fails where something is not as above, or where most decks say nothing.
"""

import argparse
import json
import random
import shutil
import sys

import h5py
import numpy

from kit import FOLDER, SOURCE, run

FOLDER = FOLDER / "random-decks"
SIDES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
# Mesh file or None: a box; highest frequency; where probes and sources are; volume groups, with the
# surface inside the mesh if there is one; outer surfaces.
MESHES = {
    "box": (None, 1.5, ([0.12] * 3, [0.88] * 3), ["domain"], None, SIDES),
    "split": (None, 1.5, ([0.12] * 3, [0.88] * 3), ["below", "above"], None, SIDES),
    "cube": ("cube", 1.5, ([0.12] * 3, [0.88] * 3), ["domain"], None, SIDES),
    "slivers": ("slivers", 1.5, ([0.12] * 3, [0.88] * 3), ["below", "above"], None, SIDES),
    "two": ("two-block", 1.5, ([0.1, 0.1, -1.2], [0.4, 0.4, 1.2]), ["left", "right"], "interface", SIDES),
    "solid": ("solid-sphere", 0.4, ([-0.5] * 3, [0.5] * 3), ["ball", "air"], "around", ["outer"]),
    "inbox": ("sphere-in-box", 0.4, ([-1.8, -1.8, 1.2], [1.8] * 3), ["air"], None, ["sphere", "outer"]),
    "ball": ("ball", 0.8, ([-0.5] * 3, [0.5] * 3), ["inside"], None, ["wall"]),
}
LARGE = ("solid", "inbox", "slivers", "two")
ROUNDING = 1e-12  # of 18 numbers over some hundred steps, by the largest of them; 5e-15 was seen


class Draw:
    """A deck by its seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        name = self.random.choice(list(MESHES) + ["two", "solid"])
        file, self.frequency, self.room, groups, inside, outer = MESHES[name]
        order = self.random.choice([1, 2, 3, 3, 4, 4, 5, 6])
        mesh = {"file": str(SOURCE / f"meshes/{file}.msh")} if file else {"box": self.box(name, groups)}
        periodic = mesh.get("box", {}).get("periodic", [])
        conditions = {side: self.wall() for side in outer if side[0] not in periodic}
        if self.chance(0.35):
            layer = {"type": "pml", "layers": self.random.choice([1, 1, 2])}
            sides = [side for side in conditions if side != "sphere"]
            for side in self.random.sample(sides, self.random.choice([len(sides), (len(sides) + 1) // 2])):
                conditions[side] = layer
        self.stiff = False  # does a pole relax within much less than a step?
        materials = {group: {} if self.chance(0.3) else self.material() for group in groups}
        sources = [self.dipole() for _ in range(self.random.choice([1, 1, 2]))]
        if inside and self.chance(0.7):
            conditions[inside] = self.sheet()
            if inside == "around" and self.chance(0.4):
                conditions[inside] = {"type": "total-field"}
                materials["air"] = {}
                sources = [self.wave()]
        if not file:
            self.add_ports(mesh, conditions, materials, sources)
        monitors = {"energy": {"every": 3},
                    "probes": {"points": {f"p{i}": self.place() for i in range(3)}}}
        if self.chance(0.5):
            self.add_spectra(monitors, [inside] if inside in conditions else [side for side in conditions if conditions[side]["type"] not in ("pml", "periodic")])
            if any("conductivity" in material for material in materials.values()):
                monitors["absorption"] = {"there": {}}
        self.deck = {
            "equation": "maxwell", "order": min(order, 3) if name in LARGE else order, "precision": "fp64",
            "mesh": mesh, "time": {"end": round(0.9 / self.frequency, 4)}, "materials": materials,
            "boundaries": conditions, "sources": sources, "kernels": {"tune": "off"},
            "monitors": monitors,
            "output": {"snapshots": 0},
        }
        if all(source["type"] == "dipole" for source in sources):
            self.add_phases(mesh.get("box", {}).get("periodic", []), monitors)
        for material in materials.values():
            if not isinstance(material.get("epsilon", 0), list) and not material.keys() - {"epsilon", "mu"} and self.chance(0.3):
                material["loss_tangent"] = self.loss_tangent()

    def chance(self, part):
        return self.random.random() < part

    def number(self, least, most):
        return round(self.random.uniform(least, most), 4)

    def near(self, least, most):
        """A number between these, by the highest frequency."""
        return round(self.random.uniform(least, most) * self.frequency, 4)

    def long(self, least, most):
        """A time between these, by its period."""
        return round(self.random.uniform(least, most) / self.frequency, 5)

    def place(self):
        return [self.number(*ends) for ends in zip(*self.room)]

    def box(self, name, groups):
        box = {"cells": [self.random.randint(2, 3) for _ in range(3)]}
        periodic = [axis for axis in "xyz" if self.chance(0.15)]
        if periodic:
            box["periodic"] = periodic
        if name == "split":
            axis = self.random.choice([axis for axis in "xyz" if axis not in periodic] or ["x"])
            box["split"] = {"axis": axis, "at": 0.5, "names": groups}
        return box

    def tensor(self, least, most):
        """A number, three, or a symmetric matrix whose eigenvalues are above 0."""
        middle = self.number(least, most)
        if self.chance(0.7):
            return middle
        diagonal = [round(middle * self.random.uniform(0.7, 1.4), 4) for _ in range(3)]
        if self.chance(0.4):
            return diagonal
        yz, zx, xy = (round(middle * self.random.uniform(-0.2, 0.2), 4) for _ in range(3))
        return [[diagonal[0], xy, zx], [xy, diagonal[1], yz], [zx, yz, diagonal[2]]]

    def pole(self, kind):
        if kind.endswith("debye"):
            strength, time = self.number(0.3, 3), self.long(0.1, 1)
            stiff = round(1e4 * time) % 4 == 0  # without another draw
            self.stiff |= stiff
            return {"strength": strength, "relaxation_time": 3e-3 * time if stiff else time}
        if kind.endswith("drude"):
            return {"plasma_frequency": self.near(0.3, 1.5), "damping": self.near(0, 0.5)}
        return {"strength": self.number(0.3, 2), "frequency": self.near(0.5, 1.5), "damping": self.near(0, 0.3)}

    def material(self):
        out = {}
        for key, part, least, most in (("epsilon", 0.7, 1, 4), ("mu", 0.4, 1, 2), ("conductivity", 0.4, 0.05, 0.8)):
            if self.chance(part):
                out[key] = self.tensor(least, most)
        for law in ("debye", "drude", "lorentz"):
            for kind, part in ((law, 0.3), (f"magnetic_{law}", 0.15)):
                if self.chance(part):
                    out[kind] = [self.pole(kind) for _ in range(self.random.choice([1, 1, 2]))]
        if self.chance(0.15):
            out.update(self.gyrotropic())
        return out

    def gyrotropic(self):
        """Charges or spins in a static magnetic field."""
        field = [self.near(-1, 1) for _ in range(3)]
        if self.chance(0.5):
            return {"magnetised_plasma": [{"plasma_frequency": self.near(0.3, 1.5), "damping": self.near(0, 0.5),
                                           "cyclotron_frequency": field}]}
        return {"ferrite": {"magnetisation_frequency": self.near(0.3, 1.5), "damping": self.number(0, 0.3),
                            "precession_frequency": field}}

    def add_spectra(self, monitors, surfaces):
        """Fields at the probes and the flux through a surface, at two frequencies."""
        monitors["frequencies"] = {"list": [self.near(0.2, 0.4), self.near(0.4, 0.6)]}
        monitors["spectra"] = {"there": {"points": monitors["probes"]["points"]}}
        if surfaces:
            monitors["flux"] = {"through": {"surface": self.random.choice(surfaces)}}

    def add_phases(self, periodic, monitors):
        """A phase from each periodic side to the other one. Absorbed power is refused then."""
        if not periodic or self.chance(0.3):
            return
        self.deck["bloch"] = {"wave_vector": [self.number(-4, 4) if axis in periodic else 0.0 for axis in "xyz"]}
        monitors.pop("absorption", None)

    def loss_tangent(self):
        """At one frequency, or over a band."""
        value = self.number(0.01, 0.3)
        if self.chance(0.5):
            return {"value": value, "frequency": self.near(0.5, 1)}
        return {"value": value, "frequency": self.near(0.8, 0.8), "lowest": self.near(0.2, 0.3), "highest": self.near(1, 2)}

    def metal(self):
        return {"type": "conductor", "conductivity": self.number(1e3, 1e5),
                "lowest": self.near(0.03, 0.03), "highest": self.near(2, 2)}

    def wall(self):
        return self.random.choice([
            {"type": "pec"}, {"type": "pec"}, {"type": "pmc"}, {"type": "absorbing"}, {"type": "absorbing"},
            {"type": "impedance", "impedance": self.number(0.1, 3)}, self.metal(),
            {"type": "rational", "resistance": self.number(0, 1), "resistances": [self.number(0.1, 1), 0, 0],
             "frequencies": [self.near(0.3, 2), 0, 0], "resonance-resistances": [0.5, 0, 0],
             "resonance-frequencies": [self.near(1, 1), 0, 0], "resonance-widths": [self.near(0.4, 0.4), 0, 0]},
        ])

    def sheet(self):
        resistance = self.number(0.2, 3)
        return self.random.choice([
            {"type": "sheet", "resistance": resistance}, {"type": "magnetic-sheet", "resistance": resistance},
            {"type": "series-sheet", "resistance": resistance, "inductance": self.long(0.1, 1), "capacitance": self.long(0.1, 1)},
            {"type": "parallel-sheet", "resistance": resistance, "inductance": self.long(0.1, 1), "capacitance": self.long(0.05, 0.3)},
            {"type": "drude-sheet", "resistance": resistance, "relaxation-time": self.long(0.1, 1)},
            {**self.metal(), "type": "film", "thickness": self.long(0.005, 0.05)}, self.metal(),
            {"type": "impedance", "impedance": resistance}, {"type": "pec"},
        ])

    def add_ports(self, mesh, conditions, materials, sources):
        """Of a box: a port of a waveguide inside and lumped ports on sides, all between conductors; sources may drive them."""
        ports, walls = [], set()

        def conduct(axes):
            for side in (axis + end for axis in axes for end in ("min", "max")):
                walls.add(side)
                if conditions[side]["type"] not in ("pec", "impedance", "conductor", "rational"):
                    conditions[side] = {"type": "pec"}

        box = mesh["box"]
        if self.chance(0.5) and "split" not in box and not box.get("periodic"):
            axis = self.random.choice("xyz")
            across = [other for other in "xyz" if other != axis]
            cells = box["cells"]["xyz".index(axis)]
            ways = [way for way, end in ((-1, "min"), (1, "max"))
                    if conditions[axis + end]["type"] not in ("pml", "absorbing")] or [-1, 1]
            mesh["surfaces"] = {"cut": {"plane": {"normal": axis, "at": 1 / cells}}}
            materials["domain"] = {"epsilon": self.number(1, 4)}
            conduct(across)
            conditions["cut"] = {
                "type": self.random.choice(["te-port", "tm-port"]), "m": 1, "n": 1,
                "direction": [float(other == axis) * self.random.choice(ways) for other in "xyz"],
                "axis": [float(other == across[0]) for other in "xyz"]}
            ports.append("cut")
        for side in [side for side in SIDES if side in conditions]:
            axes = [axis for axis in "xyz" if axis != side[0] and axis + "min" in conditions and
                    not {axis + "min", axis + "max"} & set(ports)]
            if side in walls or not axes or conditions[side]["type"] == "pml" or not self.chance(0.2):
                continue
            along = self.random.choice(axes)
            conduct(along)
            conditions[side] = {"type": "lumped-port", "resistance": self.number(0.2, 3),
                                "direction": [float(axis == along) for axis in "xyz"]}
            ports.append(side)
        sources.extend({"type": "port", "surface": port, "signal": self.signal()} for port in ports if self.chance(0.7))

    def signal(self):
        return self.random.choice([
            {"type": "ricker", "frequency": self.frequency, "delay": self.long(0.8, 0.8)},
            {"type": "gaussian", "width": self.long(0.3, 0.3), "frequency": self.frequency, "delay": self.long(0.6, 0.6)},
            {"type": "cw", "frequency": self.frequency, "ramp": self.long(0.5, 0.5)},
        ])

    def dipole(self):
        return {"type": "dipole", "position": self.place(), "direction": [self.number(0.1, 1) for _ in range(3)],
                "signal": self.signal()}

    def wave(self):
        return {"type": "plane-wave", "direction": [0, 0, 1], "polarisation": [1, 0, 0], "origin": [0, 0, -1.9],
                "signal": {"type": "gaussian", "frequency": self.frequency, "width": self.long(0.3, 0.3),
                           "delay": self.long(0.9, 0.9)}}


class SaysNothing(Exception):
    pass


class Runs:
    """The runs of one deck."""

    def __init__(self, seed, device):
        self.folder = FOLDER / str(seed)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.device = device
        draw = Draw(seed)
        self.stiff = draw.stiff
        (self.folder / "deck.yaml").write_text(json.dumps(draw.deck, indent=1))

    def run(self, name, integrator, cfl, *words, ranks=0, device=None):
        """What the probes saw, [samples][numbers]; and all numbers at frequencies, by file and name."""
        result = run("run", self.folder / "deck.yaml", "--quiet", "--device", device or self.device,
                     "--output", self.folder / name, "--set", f"time.integrator={integrator}",
                     "--set", f"time.cfl={cfl}", *words, ranks=ranks, folder=self.folder)
        if result.code == 1 and len(result.messages) == 1 and name == "first":
            raise SaysNothing(f"refused: {result.messages[0]}")
        if result.code != 0 or result.messages:
            raise AssertionError(str(result))
        probes = self.numbers(self.folder / name / "probes.h5")
        spectra = {}
        for file in ("spectra.h5", "flux.h5", "flux_spectra.h5", "absorption.h5"):
            if (self.folder / name / file).exists():
                spectra.update(self.numbers(self.folder / name / file))
        values = [value for value in probes.values() if value.ndim > 1]
        return numpy.concatenate([value.reshape(len(value), -1) for value in values], 1), spectra

    @staticmethod
    def numbers(path):
        """The real and complex numbers of an HDF5 file, by file and name."""
        values = {}

        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.dtype.kind in "fc":
                values[f"{path.name}:{name}"] = item[()]

        with h5py.File(path) as file:
            file.visititems(visit)
        return values

    @staticmethod
    def end(result):
        """Of what is recorded over time the last, which a run that goes on has, too."""
        probes, spectra = result
        return probes[-1:], {name: value[-1:] if name.startswith("flux.h5") else value for name, value in spectra.items()}

    @staticmethod
    def far(one, other):
        """The largest difference of two runs, each dataset by its largest number, and where it is; infinite where they have other
        datasets or shapes."""
        one, other = ({"probes": probes, **spectra} for probes, spectra in (one, other))
        if one.keys() != other.keys():
            return numpy.inf, "datasets"
        worst = 0.0, ""
        for name, value in one.items():
            if value.shape != other[name].shape or (numpy.isnan(value) != numpy.isnan(other[name])).any():
                return numpy.inf, name
            if value.size:
                least = numpy.nanmax(abs(value), initial=0.0) or 1.0
                worst = max(worst, (float(numpy.nanmax(abs(value - other[name]), initial=0.0) / least), name))
        return worst

    def compare(self, devices):
        """Lines of what is wrong; and a line about all."""
        wrong = []
        first = self.run("first", "lsrk45", 0.5)
        base = first[0]
        scale = abs(base).max()
        if scale == 0.0:
            raise SaysNothing("no field at the probes")
        if not numpy.isfinite(base).all():
            return ["not a number"], ""

        def off(other):
            return abs(other[0][-1] - base[-1]).max() / scale

        # Beside stiff poles ndblsrk144 would take tiny steps, and lsrk45 errs by some 1e-3 itself.
        fine = None if self.stiff else off(self.run("ndblsrk144", "ndblsrk144", 0.25))
        ader = self.run("ader", "ader", 0.5, "--set", "output.checkpoint={steps: 5, keep: 1000}")
        whole, half = off(ader), off(self.run("ader-half", "ader", 0.25))
        if fine is not None and not fine <= 1e-3:
            wrong.append(f"ndblsrk144 is {fine:.1e} from lsrk45")
        if not half <= max(0.6 * whole, 3e-3 if self.stiff else 1e-6):
            wrong.append(f"ADER is {whole:.1e} from lsrk45, {half:.1e} with half the step")

        def compare(what, one, other, most=0.0):
            apart, where = self.far(one, other)
            if not apart <= most:
                wrong.append(f"{what} {apart:.1e} off in {where}")

        compare("two ranks, lsrk45:", first, self.run("two", "lsrk45", 0.5, ranks=2))
        compare("three ranks, ADER:", ader, self.run("three", "ader", 0.5, ranks=3))
        again = self.run("again", "ader", 0.5, "--restart", self.folder / "ader/checkpoint-5.h5", ranks=2)
        compare("a restart, ADER:", self.end(ader), self.end(again))
        for device in devices:
            compare(f"{device}, lsrk45:", first, self.run(device, "lsrk45", 0.5, device=device), ROUNDING)
            one = self.run("one", "ader", 0.5, "--set", "time.levels=2")
            other = self.run(f"{device}-ader", "ader", 0.5, "--set", "time.levels=2", device=device)
            compare(f"{device}, ADER:", one, other, ROUNDING)
        return wrong, f"ndblsrk144 {'not run' if fine is None else f'{fine:.1e}'}, ADER {whole:.1e}, {half:.1e}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0:20")
    parser.add_argument("--devices", default="host")
    given = parser.parse_args()
    first, colon, end = given.seeds.partition(":")
    seeds = range(int(first), int(end)) if colon else [int(seed) for seed in given.seeds.split(",")]
    device, *devices = given.devices.split(",")
    failed = silent = 0
    for seed in seeds:
        runs = Runs(seed, device)
        try:
            wrong, about = runs.compare(devices)
        except SaysNothing as message:
            silent += 1
            print(f"{seed}: {message}", flush=True)
            continue
        except AssertionError as error:
            failed += 1
            print(f"{seed}: {error}", flush=True)
            continue
        print(f"{seed}: {'; '.join(wrong) or 'right'}: {about}", flush=True)
        failed += bool(wrong)
        if not wrong:
            shutil.rmtree(runs.folder)
    print(f"{len(seeds)} decks: {silent} say nothing, {failed} are wrong")
    sys.exit(failed > 0 or 2 * silent > len(seeds))


if __name__ == "__main__":
    main()
