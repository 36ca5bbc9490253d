"""Runs that blow up: what the message names, and what they leave behind."""

import json
import math
import os
import re
import unittest

from kit import DECK, Case, Cube, read_json

try:
    import h5py
except ImportError:
    h5py = None

COMPUTE = 4
PLACE = r"in element (\d+) at \(([^)]*)\), material '(\w+)', inscribed radius [\d.e-]+(?: m)?, least height [\d.e-]+(?: m)?, "


ADVECTION = """\
equation: advection
order: 2
precision: fp64
mesh: {box: {cells: [2, 2, 2]}}
flux: {velocity: [1, 0, 0]}
materials: {domain: {}}
boundaries:
  xmin: {type: inflow}
  xmax: {type: outflow}
  ymin: {type: outflow}
  ymax: {type: outflow}
  zmin: {type: outflow}
  zmax: {type: outflow}
initial: {type: gaussian, centre: [0.5, 0.5, 0.5], width: 0.2}
output: {snapshots: 0}
"""


class BlowUp(Case):
    def blow_up(self, text, *words, ranks=0):
        """Run the deck until it fails; the result and its one message."""
        deck = self.write("deck.yaml", text)
        result = self.sedge("run", deck, "--device", "host", *words, ranks=ranks)
        self.assertEqual(result.code, COMPUTE, result)
        self.assertEqual(len(result.messages), 1, result)
        message = result.messages[0]
        report = read_json(self.folder / "deck-results/report.json")
        self.assertEqual((report["exit_code"], f"sedge: {report['outcome']}"), (COMPUTE, message))
        # The energy of a step is looked at when the next one is queued.
        step = int(re.search(r"at step (\d+), t = ", message).group(1))
        self.assertIn(report["steps"], (step, step + 1))
        return result, message

    def place(self, message):
        """Element, centroid, material of the message."""
        element, place, material = re.search(PLACE, message).groups()
        return int(element), [float(x) for x in place.split(",")], material

    def local_cfl(self, message):
        return float(re.search(r"local CFL number ([\d.e+-]+) of 0.85 allowed", message).group(1))

    def last_snapshot(self):
        """The fields of the last snapshot, which is that of the last step; None without h5py."""
        results = self.folder / "deck-results"
        series = read_json(results / "fields.hdf.series")["files"]
        report = read_json(results / "report.json")
        self.assertAlmostEqual(series[-1]["time"], report["time"])
        self.assertTrue((results / "mesh.hdf").is_file())
        if h5py is None:
            return None
        with h5py.File(results / series[-1]["name"]) as file:
            return file["VTKHDF/PointData/E"][()]

    def check_finite(self, wanted):
        field = self.last_snapshot()
        if field is not None:
            self.assertEqual(all(map(math.isfinite, field.ravel())), wanted)

    def test_step_too_long(self):
        """Nothing feeds the cavity: the growth is seen before it overflows."""
        for ranks, units in ((0, "normalised"), (2, "si")):
            result, message = self.blow_up(DECK, "--set", "time.cfl=2", "--set", "time.steps=5000",
                                           "--set", f"units={units}", ranks=ranks)
            self.assertIn("the energy grows though no source feeds it, above ", message)
            self.assertIn("time.cfl 2 is above 0.85, up to which", result.out)
            element, place, material = self.place(message)
            self.assertTrue(0 <= element < 48 and all(0 < x < 1 for x in place), message)
            self.assertEqual(material, "domain")
            self.assertAlmostEqual(self.local_cfl(message), 2.0)
            energies = [float(x) for x in message.split("last energies: ")[1].split() if x != "J"]
            self.assertGreater(energies[-1], 1.1 * energies[0])
            limit = float(re.search(r"feeds it, above ([\d.e+-]+)", message).group(1))
            self.assertTrue(energies[-2] < limit < 2 * energies[-2], message)
            self.assertTrue(all(map(math.isfinite, energies)))
            # Of an element that has a face on a side the centroid is an eighth away from it, of others a quarter or more.
            near = [axis + end for axis, x in zip("xyz", place) for end, side in (("min", 0), ("max", 1))
                    if abs(x - side) < 0.2]
            self.assertEqual(sorted(re.findall(r"at boundary '(\w+)' \(pec\)", message)), near)
            self.check_finite(True)
            if h5py is not None:
                with h5py.File(self.folder / "deck-results/energy.h5") as file:
                    self.assertEqual(len(file["energy"]), len(energies))
                    self.assertAlmostEqual(file["energy"][-1] / energies[-1], 1.0, 4)
                    time = float(re.search(r", t = ([\d.e+-]+)", message).group(1))
                    self.assertAlmostEqual(file["time"][-1] / time, 1.0, 4)

    def test_checkpoints_of_before_remain(self):
        """The energy is looked at before each checkpoint, by the limit that the first run found."""
        words = ("--set", "time.steps=2000", "--set", "monitors.energy.every=100", "--set",
                 "output.checkpoint.steps=2")
        _, first = self.blow_up(DECK, "--set", "time.cfl=1.2", *words)
        self.assertLess(int(re.search(r"at step (\d+)", first).group(1)), 100)
        limit = re.search(r"feeds it, above (\S+), at step", first).group(1)
        kept = sorted((self.folder / "deck-results").glob("checkpoint-*.h5"))
        self.assertTrue(kept, first)
        _, second = self.blow_up(DECK, "--set", "time.cfl=1.2", *words, "--restart", "auto")
        self.assertIn(f"feeds it, above {limit}, at step", second)
        deck = self.write("deck.yaml", DECK)
        self.succeed("run", deck, "--device", "host", "--restart", "auto", "--set",
                     "time.cfl=0.5", "--set", "time.steps=100")
        report = read_json(self.folder / "deck-results/report.json")
        self.assertIn("checkpoint-", report["restarted_from"])
        self.assertLess(report["energy"]["final"], 1.1 * report["energy"]["initial"])

    def test_checkpoints_while_a_source_acts(self):
        """None is of a run that has blown up, and no restart raises the limit."""
        dipole = ("sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 0, 0], "
                  "signal: {type: cw, frequency: 1}}]")
        deck = DECK.replace("initial: {type: cavity-mode}", dipole)
        words = ("--set", "monitors.energy.every=100", "--set", "output.snapshots=0", "--set",
                 "output.checkpoint.steps=1")
        fast = (*words, "--set", "time.cfl=1.05", "--set")
        above = r"all that can feed it, above (\S+), at step (\d+), .* \S+ (\S+)$"
        _, message = self.blow_up(deck, *fast, "time.steps=1000")
        limit, step, energy = map(float, re.search(above, message).groups())
        self.assertGreater(energy, limit)
        newest = self.folder / f"deck-results/checkpoint-{step - 1:.0f}.h5"
        names = sorted(path.name for path in newest.parent.glob("checkpoint-*.h5"))
        self.assertEqual(names, [f"checkpoint-{step - 2:.0f}.h5", newest.name])
        # The energy that it holds is the first one that a run from it sees.
        self.succeed("run", self.write("deck.yaml", deck), "--device", "host", *words, "--restart",
                     newest, "--set", "output.folder=other", "--set", "time.cfl=0.5", "--set",
                     f"time.steps={step:.0f}")
        held = read_json(self.folder / "other/report.json")["energy"]["peak"]
        if h5py is not None:
            with h5py.File(newest) as file:
                header = json.loads(bytes(file["header"][()]))
            self.assertNotIn("limit", header["energy"])  # the source still acts
            self.assertLessEqual(held, 10 * header["energy"]["bound"])  # slack of growth.c
            with h5py.File(self.folder / "other/energy.h5") as file:
                self.assertEqual(held, file["energy"][0])
        self.assertLess(held, limit)
        self.assertGreater(held, limit / 10)  # or a limit from this one would be no higher
        # As many steps as before, of which the last is again one too many.
        _, message = self.blow_up(deck, *fast, f"time.steps={step:.0f}", "--restart", "auto")
        again = re.search(above, message).groups()
        self.assertEqual([float(number) for number in again[:2]], [limit, step])

    def test_just_above_what_is_stable(self):
        """cfl 1, once measured as the limit, is none of order 3; what a warning does not tell of, is."""
        words = ("--set", "order=3", "--set", "mesh.box.cells=[3,3,3]", "--set", "time.steps=800",
                 "--set", "output.snapshots=0")
        result, message = self.blow_up(DECK, "--set", "time.cfl=1", *words)
        self.assertIn("time.cfl 1 is above 0.85, up to which", result.out)
        self.assertAlmostEqual(self.local_cfl(message), 1.0)
        result = self.succeed("run", self.write("deck.yaml", DECK), "--device", "host", "--set",
                              "time.cfl=0.85", *words)
        self.assertNotIn("time.cfl", result.out)

    def test_boundaries_are_named(self):
        """One cube: every element lies at three of the six sides' triangles or fewer, one at least."""
        _, message = self.blow_up(DECK.replace("[2, 2, 2]", "[1, 1, 1]"), "--set", "time.cfl=2",
                                  "--set", "time.steps=5000")
        self.assertRegex(message, r", at boundary '[xyz](min|max)' \(pec\)")

    def test_while_a_source_acts(self):
        """The work that it can do is the bound. No snapshots were asked for."""
        dipole = ("sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 0, 0], "
                  "signal: {type: cw, frequency: 1}}]")
        wave = ("sources: [{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                "signal: {type: gaussian, width: 0.2, delay: 10}}]")
        for source, ranks in ((dipole, 0), (dipole, 2), (wave, 0)):
            deck = DECK.replace("initial: {type: cavity-mode}", source)
            _, message = self.blow_up(deck, "--set", "time.cfl=2", "--set", "time.steps=100",
                                      "--set", "output.snapshots=0", ranks=ranks)
            self.assertIn("the energy grows beyond all that can feed it, above ", message)
            self.assertAlmostEqual(self.local_cfl(message), 2.0)
            self.check_finite(True)

    def test_layers(self):
        """Of open space the energy in the box is checked, while a source acts and after it."""
        dipole = ("sources: [{type: dipole, position: [0.5, 0.5, 0.5], direction: [1, 0, 0], "
                  "signal: {type: %s}}]")
        for signal, cfl, words in (("cw, frequency: 1", 2, "beyond all that can feed it"),
                                   ("gaussian, width: 0.05, delay: 0.1", 1.1, "though no source feeds it")):
            deck = DECK.replace("initial: {type: cavity-mode}", dipole % signal).replace("zmax: {type: pec}", "zmax: {type: pml}")
            self.assertIn("type: pml", deck)
            _, message = self.blow_up(deck, "--set", f"time.cfl={cfl}", "--set", "time.steps=500", "--set", "output.snapshots=0",
                                      "--set", "monitors.energy.every=1", "--set", "mesh.box.max=[1, 1, 2]", "--set", "mesh.box.cells=[2, 2, 4]")
            self.assertIn(f"the energy grows {words}, above ", message)
            self.check_finite(True)

    def test_other_equations(self):
        """Advection has no sources, but something may come in: far beyond that is too much."""
        deck = re.sub("boundaries:.*initial", "initial", ADVECTION, flags=re.DOTALL)
        deck = deck.replace("[2, 2, 2]", "[2, 2, 2], periodic: [x, y, z]")
        deck = deck.replace("[1, 0, 0]", "[1, -1, 1]") + "time: {steps: 60, cfl: 2}\n"
        _, message = self.blow_up(deck)
        self.assertIn("the energy grows beyond all that can feed it, above ", message)

    def test_right_runs_with_sources(self):
        """A resonance, a late pulse and an inflow a million times the initial state."""
        cw = ("sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 1, 1], "
              "signal: {type: cw, frequency: 0.7071, amplitude: 1e4}}]")
        late = ("sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 1, 1], "
                "signal: {type: gaussian, width: 0.1, delay: 3, amplitude: 1e6}}]")
        for deck in (DECK.replace("initial: {type: cavity-mode}", cw),
                     DECK.replace("initial: {type: cavity-mode}", late),
                     ADVECTION.replace("inflow}", "inflow, value: 1e6}") + "time: {end: 1}\n"):
            words = ("--set", "time.end=5") if "dipole" in deck else ()
            self.succeed("run", self.write("deck.yaml", deck), "--device", "host", *words)
            energy = read_json(self.folder / "deck-results/report.json")["energy"]
            self.assertGreater(energy["peak"], 1e3 * energy["initial"])
            self.assertGreater(energy["peak"], 1.0)

    def test_gain(self):
        """Half of the box amplifies, within its stable step: the material is what is at fault."""
        deck = DECK.replace("box: {cells: [2, 2, 2]}",
                            "box: {cells: [2, 2, 2], split: {axis: z, at: 0.5, names: [air, laser]}}")
        deck = deck.replace("  domain: {epsilon: 1}", "  air: {}\n  laser: {conductivity: -300}")
        deck = deck.replace("{type: cavity-mode}", "{type: cavity-mode, compare: false}")
        for ranks in (0, 2):
            result, message = self.blow_up(deck, "--set", "time.steps=100000", "--set",
                                           "precision=fp32", ranks=ranks)
            self.assertIn("warning            material 'laser' has gain", result.out)
            self.assertIn("not a number any more", message)
            _, place, material = self.place(message)
            self.assertEqual(material, "laser")
            self.assertGreater(place[2], 0.5)
            self.assertIn(", a medium with gain, growth rate 300", message)
            self.assertLess(self.local_cfl(message), 1.0)
            self.check_finite(False)

    def test_gain_that_is_small(self):
        """It is no failure: the cavity's energy grows as the exact solution says."""
        deck = DECK.replace("{epsilon: 1}", "{conductivity: -0.5}").replace("[2, 2, 2]", "[3, 3, 3]")
        self.succeed("run", self.write("deck.yaml", deck), "--set", "order=4")
        report = read_json(self.folder / "deck-results/report.json")
        self.assertGreater(report["energy"]["final"], 1.02 * report["energy"]["initial"])
        self.assertLess(report["l2_error_relative"], 1e-3)

    def test_flat_elements(self):
        """The inner vertices close to a side: a thin layer, its elements far smaller than all others."""
        cube = Cube(2)
        for node in cube.nodes:
            if node[0] == 0.5:
                node[0] = 0.004
        self.write("mesh.msh", cube.text())
        deck = DECK.replace("box: {cells: [2, 2, 2]}", "file: mesh.msh")
        deck = deck.replace("[0.3, 0.4, 0.2]", "[0.7, 0.7, 0.7]")
        for ranks in (0, 2):
            _, message = self.blow_up(deck, "--set", "time.cfl=2", "--set", "time.steps=20000",
                                      ranks=ranks)
            element, place, _ = self.place(message)
            corners = cube.tetrahedra[element]
            self.assertLessEqual(max(cube.nodes[n][0] for n in corners), 0.004, message)
            for axis in range(3):
                self.assertAlmostEqual(place[axis], sum(cube.nodes[n][axis] for n in corners) / 4, 5)
            self.assertLess(float(re.search(r"inscribed radius ([\d.e-]+)", message).group(1)), 0.01)
            self.assertAlmostEqual(float(re.search(r"height ([\d.e-]+)", message).group(1)), 0.004, 5)
            self.assertGreater(self.local_cfl(message), 1.0)
            self.check_finite(True)

    def test_curved_elements(self):
        """A hill, half as high as it is wide, of elements of second order: unstable at the default cfl."""
        self.write("mesh.msh", Cube(1).text(move=lambda x, y, z: [x, y, z * (1 + x * (1 - x) + y * (1 - y))]))
        deck = DECK.replace("box: {cells: [2, 2, 2]}", "file: mesh.msh")
        _, message = self.blow_up(deck, "--set", "order=5", "--set", "time.steps=5000")
        self.assertIn("strongly curved elements can need a smaller time.cfl", message)
        self.assertAlmostEqual(float(re.search(r", curved: its Jacobian changes by a factor of ([\d.]+), ", message).group(1)), 2)
        self.assertAlmostEqual(self.local_cfl(message), 0.8)

    def test_plates_are_stable(self):
        """Flat elements at the default cfl, which blew up while only the inscribed radius was asked."""
        for cells, size in (("[2,2,12]", "[1,1,0.6]"), ("[2,2,4]", "[1,1,0.2]")):
            words = ("--set", "order=1", "--set", f"mesh.box.cells={cells}", "--set",
                     f"mesh.box.max={size}", "--set", "monitors={}", "--set", "time={steps: 1000}",
                     "--set", "initial={type: cavity-mode, mode: [1,1,2]}")
            self.succeed("run", self.write("deck.yaml", DECK), "--device", "host", *words)


if __name__ == "__main__":
    os.environ.setdefault("SEDGE_THREADS", "1")
    unittest.main()
