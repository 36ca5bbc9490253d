"""Sweeps: the runs of one deck, what they give together, going on, and what is refused."""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from kit import DECK, PLATES, SOURCE, Case, line_of, read_json, sides

try:
    import h5py
except ImportError:
    h5py = None

USAGE, DATA, STOPPED = 1, 2, 5

# A conducting cube in waves that travel along two axes. The mesh, of cubes cut along their diagonals, and the second
# wave are those of the first with x, y, z exchanged in a circle.
CUBE = """\
equation: maxwell
order: 1
precision: fp64
mesh:
  box: {min: [-2, -2, -2], max: [2, 2, 2], cells: [8, 8, 8]}
  surfaces:
    body: {box: {min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5]}}
    around: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}
time: {end: 5, integrator: lsrk45}
materials: {domain: {epsilon: 1}}
""" + sides("absorbing") + """\
  body: {type: pec}
sources:
  - type: plane-wave
    direction: [0, 0, 1]
    polarisation: [1, 0, 0]
    origin: [0, 0, 0]
    signal: {type: ricker, frequency: 0.3}
monitors:
  frequencies: {list: [0.2, 0.3]}
  far-field: {ff: {surface: around, theta: {step: 90}}}
output: {snapshots: 0}
kernels: {tune: "off"}
sweep:
  sources.0.direction: [[0, 0, 1], [1, 0, 0]]
  sources.0.polarisation:
    - [1, 0, 0]
    - [0, 1, .0]
"""

# A line between two plates, epsilon 2.25, with a port at each end.
LINE = """\
equation: maxwell
units: si
order: 3
precision: fp64
mesh: {box: {min: [0, 0, 0], max: [0.02, 0.004, 0.001], cells: [6, 1, 1]}}
time: {end: 1.0e-9}
materials: {domain: {epsilon: 2.25}}
boundaries:
  xmin: {type: lumped-port, resistance: 50, direction: [0, 0, 1]}
  xmax: {type: lumped-port, resistance: 75, direction: [0, 0, 1]}
  ymin: {type: pmc}
  ymax: {type: pmc}
  zmin: {type: pec}
  zmax: {type: pec}
sources:
  - {type: port, surface: xmin, signal: {type: gaussian, width: 2.0e-11}}
monitors:
  ports: {from: 1.0e9, to: 8.0e9, count: 8}
output: {snapshots: 0}
"""

SMALL = DECK.replace("output: {snapshots: 2}", "output: {snapshots: 0}")


class Sweep(Case):
    def sweep(self, text, keys):
        return self.write("deck.yaml", text + "sweep: {" + keys + "}\n")

    def read_all(self, name):
        with h5py.File(self.folder / name) as file:
            found = {}
            file.visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found

    @unittest.skipIf(h5py is None, "no h5py")
    def test_directions(self):
        """Each run is that of its values given by --set, to the last bit. The monostatic cross-section is the bistatic
        one in the direction back to the source, and that of both waves is the same, by symmetry, but for rounding: of
        1e-12 in sums of 1e4 terms."""
        deck = self.write("deck.yaml", CUBE)
        result = self.succeed("run", deck, "--device", "host", ranks=2)
        self.assertIn("monostatic cross-section in dB, by frequency", result.out)
        self.assertRegex(result.out, r" 002 +90\.00 +180\.00 +\S+ +\S+  \[1, 0, 0\]  \[0, 1, 0\]\n")
        table = read_json(self.folder / "deck-results/sweep.json")
        self.assertEqual([table["outcome"], table["runs_requested"]], ["done", 2])
        self.assertEqual(table["keys"], ["sources.0.direction", "sources.0.polarisation"])
        sections = []
        for run, (direction, polarisation), row, column in zip(
                table["runs"], (([0, 0, 1], [1, 0, 0]), ([1, 0, 0], [0, 1, 0])), (2, 1), (0, 2)):
            name = run["folder"]
            self.assertEqual(run["values"], {"sources.0.direction": direction, "sources.0.polarisation": polarisation})
            self.succeed("run", deck, "--device", "host", "--quiet", "--output", "alone-" + name, "--set", "sweep={}",
                         "--set", f"sources.0.direction={direction}", "--set", f"sources.0.polarisation={polarisation}",
                         ranks=2)
            found, alone = (self.read_all(place + "/far-field.h5") for place in ("deck-results/" + name, "alone-" + name))
            self.assertEqual(set(found), set(alone))
            for part in found:
                self.assertEqual(found[part].tobytes(), alone[part].tobytes(), part)
            far = run["monitors"]["far-field"]["ff"]
            back = far["backscatter"]
            self.assertAlmostEqual(back["theta"], [180, 90][run is table["runs"][1]], delta=1e-9)
            for f in range(2):
                bistatic = found["ff/rcs_theta"][f, row, column] + found["ff/rcs_phi"][f, row, column]
                self.assertAlmostEqual(far["monostatic"][f], bistatic, delta=1e-9 * bistatic)
            sections.append(far["monostatic"])
        for one, other in zip(*sections):
            self.assertAlmostEqual(one, other, delta=1e-9 * one)
        self.show_picture()

    def compiled(self, folder):
        """By run: how many programs it compiled, how many it had."""
        caches = [read_json(path)["cache"] for path in sorted((self.folder / folder).glob("*/report.json"))]
        return [cache["misses"] for cache in caches], [cache["hits"] + cache["misses"] for cache in caches]

    def test_programs(self):
        """Numbers of plane waves are no part of programs: with others no program is compiled, whether the waves act on
        the scatterer or enter through a surface, with nodal values and with coefficients. The first run has an empty
        cache. The kind of the signal is a part: to see that the counts mean something."""
        text = CUBE.split("sweep:")[0].replace("end: 5", "steps: 2")
        waves = ("sources.0.direction: [[0, 0, 1], [1, 0, 0], [0.6, 0, 0.8], [0.6, 0, 0.8]], "
                 "sources.0.polarisation: [[1, 0, 0], [0, 1, 0], [0, 2, 0], [0.8, 0, -0.6]], "
                 "sources.0.origin: [[0, 0, -3], [-3, 0, 0], [-3, 0, -3], [-4, 0.1, -3]], "
                 "sources.0.signal.amplitude: [1, 2, -3, 0.5], sources.0.signal.frequency: [0.3, 0.31, 0.25, 0.3], "
                 "sources.0.signal.delay: [6, 7, 8, 9]")
        total = text.replace("\nsources:", "\n  around: {type: total-field}\nsources:")
        for name, deck in (("scattered", text), ("total", total)):
            for basis in ("fused", "bernstein"):
                folder = name + "-" + basis
                cache = {"SEDGE_CACHE_DIR": str(self.folder / ("cache-" + folder))}
                options = ("--device", "host", "--quiet", "--output", folder, "--set", "kernels={variant: " + basis + "}")
                self.succeed("run", self.sweep(deck, waves), *options, environment=cache, ranks=2)
                misses, all_programs = self.compiled(folder)
                self.assertGreater(misses[0], 0)
                self.assertEqual(misses[1:], [0, 0, 0])
                self.assertEqual(len(set(all_programs)), 1)
        deck = self.sweep(text, "sources.0.signal: [{type: ricker, frequency: 0.3}, {type: gaussian, width: 2}]")
        self.succeed("run", deck, *options[:-3], "other", environment=cache)
        self.assertGreater(self.compiled("other")[0][1], 0)

    def test_names(self):
        """A run's folder is its number, whatever its values, which may print alike, and however many runs there are:
        with one value more the runs before it are done."""
        deck = self.sweep(SMALL, "time.cfl: [0.5, 0.50, 5e-1]")
        self.succeed("run", deck, "--quiet")
        folders = lambda: sorted(path.parent.name for path in (self.folder / "deck-results").glob("*/report.json"))
        self.assertEqual(folders(), ["001", "002", "003"])
        deck = self.sweep(SMALL, "time.cfl: [0.5, 0.50, 5e-1, 0.6]")
        self.assertIn("4 runs, 3 of them done before", self.succeed("run", deck).out)
        self.assertEqual(folders(), ["001", "002", "003", "004"])
        rows = read_json(self.folder / "deck-results/sweep.json")["runs"]
        self.assertEqual([(row["folder"], row["values"]["time.cfl"]) for row in rows],
                         [("001", 0.5), ("002", 0.5), ("003", 0.5), ("004", 0.6)])

    def test_frequencies(self):
        """A column has the values of its frequency: of a run without it none, wherever it is in the run's list."""
        text = CUBE.split("sweep:")[0].replace("end: 5", "end: 2")
        deck = self.sweep(text, "monitors.frequencies.list: [[0.2, 0.3, 0.4], [0.3, 0.5]]")
        result = self.succeed("run", deck, "--device", "host")
        values = {run["folder"]: run["monitors"]["far-field"]["ff"]["monostatic"]
                  for run in read_json(self.folder / "deck-results/sweep.json")["runs"]}
        lines = [line.split()[:6] for line in result.out.splitlines() if line.startswith("             00")]
        back = ["180.00", "0.00"]
        self.assertEqual(lines, [["001", *back, *("%.3f" % (10 * math.log10(value)) for value in values["001"])],
                                 ["002", *back, "nan", "%.3f" % (10 * math.log10(values["002"][0])), "nan"]])
        self.assertRegex(result.out, r"\nrun 2 of 2 of the sweep, about \S+ (s|min) left: monitors")

    def test_time_left(self):
        """Runs that are done take no time: what is left before the second of two equal runs, the others done before, is
        less than what all takes."""
        deck = self.sweep(SMALL, "time.steps: [600, 600, 1, 1, 1, 1, 1, 1]")
        self.succeed("run", deck, "--quiet")
        for name in ("001", "002"):
            shutil.rmtree(self.folder / "deck-results" / name)
        begun = time.monotonic()
        result = self.succeed("run", deck)
        whole = time.monotonic() - begun
        self.assertIn("8 runs, 6 of them done before", result.out)
        number, unit = re.search(r"\nrun 2 of 8 of the sweep, about (\S+) (s|min) left: time", result.out).groups()
        self.assertLess(float(number) * {"s": 1, "min": 60}[unit], whole)

    def show_picture(self):
        try:
            import matplotlib.image
        except ImportError:
            return
        plot = [sys.executable, SOURCE / "src/run/sedge-plot"]
        done = subprocess.run([*plot, "deck-results"], cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "deck-results/picture.png\n")
        pixels = matplotlib.image.imread(self.folder / "deck-results/picture.png")[:, :, :3]
        self.assertGreater(len({tuple(colour) for colour in pixels.reshape(-1, 3).round(1)}), 10)  # lines, text
        (self.folder / "odd").mkdir()
        self.write("odd/sweep.json", "[]")
        done = subprocess.run([*plot, "odd"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("as the file of a sweep", done.stderr)

    def energies(self, name):
        with h5py.File(self.folder / name / "energy.h5") as file:
            return file["energy"][()].tobytes()

    @unittest.skipIf(h5py is None, "no h5py")
    def test_goes_on(self):
        """A run without a report was killed: it goes on from its checkpoint, with the same bits. Those before are not
        repeated, unless the deck has changed, but for what does not change results."""
        deck = self.sweep(SMALL.replace("snapshots: 0", "snapshots: 0, checkpoint: {steps: 40, keep: 9}"),
                          "time.steps: [60, 100, 50]")
        report = self.folder / "table.json"
        whole = self.succeed("run", deck, "--report", report, "--output", "out")
        self.assertIn("3 runs, 0 of them done before", whole.out)
        self.assertEqual(read_json(report), read_json(self.folder / "out/sweep.json"))
        before = [self.energies(f"out/00{i}") for i in (1, 2, 3)]
        kept = (self.folder / "out/001/report.json").stat().st_mtime_ns
        (self.folder / "out/002/report.json").unlink()
        (self.folder / "out/002/checkpoint-100.h5").unlink()
        shutil.rmtree(self.folder / "out/003")
        again = self.succeed("run", deck, "--output", "out", "--restart", "auto", "--set", "time.wall=9 h", ranks=2)
        self.assertIn("3 runs, 1 of them done before", again.out)
        self.assertIn("step 80 of 100", again.out)
        self.assertIn("\nrun 3 of 3 of the sweep: time", again.out)  # a part of a run does not say how long others take
        self.assertEqual((self.folder / "out/001/report.json").stat().st_mtime_ns, kept)
        self.assertEqual([self.energies(f"out/00{i}") for i in (1, 2, 3)], before)
        self.assertIn("3 of them done before", self.succeed("run", deck, "--output", "out").out)
        changed = self.succeed("run", deck, "--output", "out", "--set", "order=1").out
        self.assertIn("0 of them done before", changed)
        self.assertIn("made anew: the folder has a run of another deck, mesh or image", changed)
        self.assertNotIn("made anew", whole.out)

    def test_changed_mesh(self):
        """A mesh that has changed since a run began, be it before the run's end, is not that of its results. While runs
        are repeated the file of all does not say that they are done."""
        shutil.copy(SOURCE / "meshes/cube.msh", self.folder / "cube.msh")
        deck = self.sweep(SMALL.replace("box: {cells: [2, 2, 2]}", "file: cube.msh"), "time.steps: [2, 3]")
        self.succeed("run", deck, "--quiet", "--output", "out")
        begun = (self.folder / "out/002/deck.yaml").stat().st_mtime
        os.utime(self.folder / "cube.msh", (begun + 2, begun + 2))
        os.utime(self.folder / "out/001/report.json", (begun + 4, begun + 4))
        self.assertIn("0 of them done before", self.succeed("run", deck, "--output", "out").out)
        self.refuse(USAGE, ["--report", "the mesh itself"], "run", deck, "--report", "cube.msh", ranks=(0, 2))
        self.refuse(USAGE, ["--report", "the run's own report"], "run", deck, "--output", "out", "--report",
                    "out/002/report.json", ranks=(0,))
        self.refuse(USAGE, ["--report", "a name that the run itself gives"], "run", deck, "--output", "out", "--report",
                    "out/002/deck.yaml", ranks=(0,))
        (self.folder / "cube.msh").write_text("")
        self.refuse(DATA, ["run 1 of 2", "cube.msh"], "run", deck, "--quiet", "--output", "out", ranks=(0,))
        table = read_json(self.folder / "out/sweep.json")
        self.assertEqual(table["runs"], [])
        self.assertIn("run 1 of 2", table["outcome"])

    def test_early_end(self):
        """The limit of time counts from the start of all runs, and the run at hand stops with a checkpoint."""
        deck = self.sweep(SMALL, "time.steps: [20, 100000000]")
        report = self.folder / "deck-results/002/report.json"
        for wall in (2, 20, 200):  # on a loaded machine the first step may come late
            result = self.sedge("run", deck, "--quiet", "--set", f"time.wall={wall}")
            self.assertEqual(result.code, STOPPED, result)
            steps = read_json(report)["steps"] if report.exists() else 0
            if steps > 0:
                break
        self.assertGreater(steps, 0)
        parts = [f"run 2 of 2 of the sweep (time.steps=100000000): stopped by the limit of {wall} s"]
        self.assertEqual(len(result.messages), 1, result)
        self.assertIn(parts[0], result.messages[0])
        table = read_json(self.folder / "deck-results/sweep.json")
        self.assertEqual(len(table["runs"]), 1)
        self.assertIn("run 2 of 2", table["outcome"])
        self.refuse(STOPPED, parts, "run", deck, "--quiet", "--set", f"time.wall={wall}", ranks=(2,))
        self.assertEqual(read_json(report)["steps_before"], steps)

    def test_failed_run(self):
        """A run that fails ends the sweep; what only its mesh shows is found there."""
        deck = self.sweep(SMALL, "monitors.probes.points.inside: [[0.3, 0.4, 0.2], [3, 0, 0]], order: [2, 1]")
        self.refuse(USAGE, ["run 2 of 2 of the sweep, monitors.probes.points.inside=[3, 0, 0]: probe 'inside' at (3, 0, 0)"],
                    "run", deck, "--quiet")
        self.assertEqual([run["order"] for run in read_json(self.folder / "deck-results/sweep.json")["runs"]], [2])
        self.refuse(USAGE, ["run 2 of 2"], "check", deck, "--quiet")

    def test_without_time(self):
        deck = self.write("deck.yaml", PLATES + "sweep: {boundaries.xmax.value: [1, 2]}\n")
        result = self.succeed("run", deck)
        self.assertIn("boundaries.xmax.value", result.out)
        energy = [run["energy"]["final"] for run in read_json(self.folder / "deck-results/sweep.json")["runs"]]
        self.assertAlmostEqual(energy[1] / energy[0], 4, delta=1e-6)  # of the square of the voltage
        self.succeed("run", deck, "--quiet", "--set", "sweep={}")  # a single run there: the sweep's file would mislead
        self.assertFalse((self.folder / "deck-results/sweep.json").exists())

    def test_check(self):
        """All runs together, and nothing is written."""
        deck = self.sweep(SMALL, "time.steps: [20, 30], order: [2, 1]")
        result = self.succeed("check", deck)
        self.assertIn("  002                time.steps=30, order=1\n", result.out)
        self.assertIn("2 runs into folders of 'deck-results'", result.out)
        self.assertIn("; 50 steps, about", result.out)
        self.assertFalse((self.folder / "deck-results").exists())
        self.succeed("build", deck, "--device", "host")

    def give_ports(self, folder):
        """Put into the reports of the folder's runs what two ports say, of which the first is driven."""
        for k, path in enumerate(sorted((self.folder / folder).glob("*/report.json"))):
            report = read_json(path)
            ports = [{"name": name, "type": "lumped-port", "reference": reference, "real": [0.5 + k, None], "imaginary": [0, None]}
                     for name, reference in (("in", 50.0), ("out", 75.0))]
            report["monitors"]["ports"] = {"driven": "in", "frequency": [1, 2], "ports": ports[:2 - k]}
            path.write_text(json.dumps(report))

    def test_ports(self):
        """What the runs' ports say becomes the sweep's files; those of an earlier sweep go."""
        deck = self.sweep(SMALL, "time.cfl: [0.5, 0.6]")
        self.succeed("run", deck, "--quiet")
        self.assertEqual(list((self.folder / "deck-results").glob("ports*")), [])
        self.give_ports("deck-results")
        for name in ("ports.s2p", "ports_007.s3p", "ports.s2p.bak", "ports.txt"):
            self.write("deck-results/" + name, "old")
        found = self.succeed("run", deck, ranks=2).out
        self.assertIn("S-parameters in dB, by frequency: time.cfl = 0.5\n", found)
        self.assertIn("    no Touchstone file: no run drives out\n", found)
        self.assertIn("/ports_002.s1p, without 1 of 2 frequencies, where an entry is not valid\n", found)
        self.assertEqual(sorted(path.name for path in (self.folder / "deck-results").glob("ports*")),
                         ["ports.csv", "ports.s2p.bak", "ports.txt", "ports_002.s1p"])
        lines = (self.folder / "deck-results/ports.csv").read_text().splitlines()
        self.assertEqual(lines, ["frequency,port,driven,S_re,S_im,dB,degrees,time.cfl", "1,in,in,0.5,0,-6.0206,0,0.5",
                                 "1,out,in,0.5,0,-6.0206,0,0.5", "2,in,in,nan,nan,nan,nan,0.5", "2,out,in,nan,nan,nan,nan,0.5",
                                 "1,in,in,1.5,0,3.52183,0,0.6", "2,in,in,nan,nan,nan,nan,0.6"])
        (self.folder / "own").mkdir()
        own = self.write("own/ports.s4p", deck.read_text())
        self.refuse(USAGE, ["own/ports.s4p' would be overwritten"], "run", own, "--output", "own", ranks=(0,))
        self.succeed("run", deck, "--quiet", "--set", "sweep={}")  # a single run there
        self.assertEqual(sorted(path.name for path in (self.folder / "deck-results").glob("ports*")),
                         ["ports.s2p.bak", "ports.txt"])

    def line(self, frequency, resistances):
        """S_11, S_21, S_12, S_22 of the line between two resistances, from its chain matrix."""
        impedance = 376.730313668 / 1.5 / 4
        angle = 2 * math.pi * frequency * 1.5 / 299792458 * 0.02
        a, b, c = math.cos(angle), 1j * impedance * math.sin(angle), 1j * math.sin(angle) / impedance
        one, two = resistances
        whole = a * two + b + c * one * two + a * one
        across = 2 * math.sqrt(one * two) / whole
        return [(a * two + b - c * one * two - a * one) / whole, across, across, (a * one + b - c * one * two - a * two) / whole]

    def test_line(self):
        """The S-matrix of a line between 50 and 75 ohm (ports.csv), and renormalised to 50 ohm on both sides (ports.s2p), to
        3e-6: three times what was found, with ten cells along the line 2e-7. It is reciprocal and without loss."""
        deck = self.sweep(LINE, "sources.0.surface: [xmax, xmin]")
        found = self.succeed("run", deck, "--device", "host", ranks=2).out
        self.assertRegex(found, r"sum \|S\|\^2 from xmin( +(1|1\.0000\d|0\.9999\d+)){5}\n")
        symmetric = re.search(r"largest \|S_ij - S_ji\|(.*)\n", found)[1].split()
        self.assertEqual(len(symmetric), 5)
        self.assertLess(max(map(float, symmetric)), 1e-12)
        lines = (self.folder / "deck-results/ports.s2p").read_text().splitlines()
        self.assertIn("! port 2 is renormalised from 75 ohm to 50 ohm", lines)
        rows = [list(map(float, line.split())) for line in lines if line[0] not in "!#"]
        self.assertEqual([row[0] for row in rows], [1e9 * k for k in range(1, 9)])
        worst = 0.0
        for row in rows:
            for entry, exact in zip(zip(row[1::2], row[2::2]), self.line(row[0], (50, 50))):
                worst = max(worst, abs(complex(*entry) - exact))
        with open(self.folder / "deck-results/ports.csv") as file:
            names = ("xmin", "xmax")
            for row in csv.DictReader(file):
                place = names.index(row["port"]) + 2 * names.index(row["driven"])
                exact = self.line(float(row["frequency"]), (50, 75))[place]
                worst = max(worst, abs(complex(float(row["S_re"]), float(row["S_im"])) - exact))
        self.assertLess(worst, 3e-6)
        self.show_picture()

    def test_refused(self):
        place = f"deck.yaml:{line_of(SMALL + 'sweep', 'sweep')}"
        for keys, parts in (
                ("order: []", [place, "sweep.order is empty"]),
                ("order: 3", [place, "sweep.order must be a list"]),
                ("time: {cfl: [0.5, 0.8]}", [place, "sweep.time must be a list", "{time.cfl: [...]}"]),
                ("order: [1, 2], time.cfl: [0.5]", [place, "sweep.time.cfl has 1", "sweep.order has 2", "together"]),
                ("ordre: [1, 2]", [place, "run 1 of 2 of the sweep, ordre=1: unknown key 'ordre'", "'order'"]),
                ("order: [1, two]", [place, "run 2 of 2 of the sweep, order=\"two\"", "whole number"]),
                ("order: [1, 99]", [place, "run 2 of 2 of the sweep, order=99", "outside 1..10"]),
                ("mesh.box.cells: [[1, 1, 1]], mesh.box: [{}]",
                 [place, "'mesh.box.cells' is a part of 'mesh.box'"]),
                ("output.folder: [a, b]", [place, "'output.folder' cannot be swept"]),
                ("output: [{folder: a}]", [place, "'output' cannot be swept"]),
                ("sweep: [{}]", [place, "'sweep' is no key"]),
                ("sources.3.type: [a, b]", ["run 1 of 2", "sources"])):
            with self.subTest(keys=keys):
                deck = self.sweep(SMALL, keys)
                self.refuse(USAGE, parts, "run", deck, "--quiet", ranks=(0,))
                self.refuse(USAGE, parts[:1], "check", deck, "--quiet", ranks=(2,))
        self.assertFalse((self.folder / "deck-results").exists())
        deck = self.sweep(SMALL, "order: [1, 2]")
        self.refuse(USAGE, ["--restart 'x.h5'", "goes on by itself"], "run", deck, "--restart", "x.h5")
        self.refuse(USAGE, ["--set order=3", "the deck sweeps 'order'", "--set sweep={}"], "run", deck, "--set", "order=3")
        self.refuse(USAGE, ["--report", "the deck itself"], "run", deck, "--report", deck, ranks=(0,))
        (self.folder / "own").mkdir()
        own = self.write("own/sweep.json", deck.read_text())
        self.refuse(USAGE, ["would be overwritten", "sweep.json"], "run", own, "--output", "own", ranks=(0,))
        self.assertEqual(own.read_text(), deck.read_text())
        list_deck = self.write("deck.yaml", SMALL + "sweep: [1]\n")
        self.refuse(USAGE, [place, "sweep must be a mapping"], "run", list_deck, ranks=(0,))
        alone = self.sweep(SMALL, "")  # {}: none
        self.succeed("run", alone, "--quiet", "--set", "time.steps=1")
        self.assertNotIn("sweep", (self.folder / "deck-results/deck.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
