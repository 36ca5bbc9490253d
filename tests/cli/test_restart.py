"""Checkpoints and restarts, as the user sees them: files, messages, series without a seam.

Of each interrupted run the answer is that of the same run without an interruption. `interrupted`
makes the folder that a killed run leaves: files of after the checkpoint, samples behind it.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import unittest

from kit import DECK, FOLDER, SOURCE, Case, read_json

try:
    import h5py
except ImportError:
    h5py = None

USAGE, DATA = 1, 2
COMPARE = os.environ["SEDGE_COMPARE"]
# A slice's samples are so large that a restart copies them in several passes.
EVERY = DECK.replace(
    "output: {snapshots: 2}", "output: {snapshots: 4, checkpoint: {steps: 7}}").replace(
    "monitors:", "monitors:\n  slices: {cut: {normal: z, at: 0.5, resolution: 64}}")
ADVECTION = """\
equation: advection
order: 2
precision: fp64
mesh: {box: {cells: [2, 2, 2], periodic: [x, y, z]}}
flux: {velocity: [1, 0.5, 0.25]}
time: {steps: 20}
materials: {domain: {}}
initial: {type: sine, waves: [1, 1, 0]}
output: {snapshots: 0, checkpoint: {steps: 10}}
"""

# Elements at the surface of the ball are curved; the medium's poles have memory there.
CURVED = f"""\
equation: maxwell
order: 2
precision: fp64
mesh: {{file: {SOURCE / "meshes/ball.msh"}}}
time: {{steps: 20}}
materials:
  inside: {{epsilon: 2, debye: {{strength: 1, relaxation_time: 0.2}}}}
boundaries:
  wall: {{type: pec}}
sources:
  - {{type: dipole, position: [0.1, 0.2, 0.85], direction: [1, 0.3, 0.2],
     signal: {{type: ricker, frequency: 2}}}}
output: {{snapshots: 0, checkpoint: {{steps: 10}}}}
"""


def compare(a, b):
    """Of two checkpoints: {"difference", "largest", "equal"} over all elements."""
    done = subprocess.run([COMPARE, str(a), str(b)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def flip_bit(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 16
    path.write_bytes(data)


class Run(Case):
    made = set()  # for which numbers of ranks there is a whole run

    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", EVERY)

    def go(self, folder, *words, ranks=0, warnings=0):
        result = self.sedge("run", self.deck, "--device", "host", "--output", folder, *words,
                            ranks=ranks)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(len(result.messages), warnings, result)
        return result

    def whole(self, name="whole", ranks=0):
        """The results of the deck as it is, in the folder `name`: from one run for all tests."""
        made = FOLDER / f"test_restart-whole-{ranks}"
        if ranks not in Run.made:
            shutil.rmtree(made, ignore_errors=True)
            self.go(made, "--quiet", ranks=ranks)
            Run.made.add(ranks)
        shutil.copytree(made, self.folder / name)

    def steps(self, folder):
        return sorted(int(path.name[11:-3]) for path in (self.folder / folder).glob("checkpoint-*.h5"))

    def interrupted(self, whole, step, name):
        """A copy of the folder `whole` without the checkpoints behind `step`."""
        shutil.copytree(self.folder / whole, self.folder / name)
        for at in self.steps(name):
            if at > step:
                (self.folder / name / f"checkpoint-{at}.h5").unlink()
        (self.folder / name / "report.json").unlink()

    def check_same_end(self, a, b, step, equal=True):
        found = compare(self.folder / a / f"checkpoint-{step}.h5",
                        self.folder / b / f"checkpoint-{step}.h5")
        if equal:
            self.assertTrue(found["equal"], found)
        # What 20 steps make of fp64's last bit; the field is of size one.
        self.assertLess(found["difference"], 1e-13, found)


class Continuation(Run):
    def test_same_layout(self):
        for ranks in (0, 2):
            for settings in ((), ("precision=fp32",), ("kernels.variant=fused",)):
                with self.subTest(ranks=ranks, settings=settings):
                    words = [word for setting in settings for word in ("--set", setting)]
                    for name in ("whole", "parts"):
                        shutil.rmtree(self.folder / name, ignore_errors=True)
                    if words:
                        self.go("whole", *words, "--quiet", ranks=ranks)
                    else:
                        self.whole(ranks=ranks)
                    self.assertEqual(self.steps("whole"), [14, 20])
                    self.interrupted("whole", 14, "parts")
                    result = self.go("parts", *words, "--restart", "auto", ranks=ranks)
                    self.assertIn("restart            from 'parts/checkpoint-14.h5': step 14 of 20",
                                  result.out)
                    self.check_same_end("whole", "parts", 20)

    def test_advection(self):
        self.deck = self.write("advection.yaml", ADVECTION)
        self.go("whole")
        self.interrupted("whole", 10, "parts")
        self.go("parts", "--restart", "auto")
        self.check_same_end("whole", "parts", 20)

    def test_curved(self):
        self.deck = self.write("curved.yaml", CURVED)
        for variant in ("fused", "bernstein"):
            self.go(variant, "--set", f"kernels.variant={variant}", "--quiet")
        for before, after in itertools.product(("fused", "bernstein"), repeat=2):
            with self.subTest(before=before, after=after):
                name = f"{before}-on-{after}"
                self.interrupted(before, 10, name)
                self.go(name, "--set", f"kernels.variant={after}", "--restart", "auto", "--quiet")
                found = compare(self.folder / after / "checkpoint-20.h5",
                                self.folder / name / "checkpoint-20.h5")
                self.assertEqual(found["equal"], before == after, found)
                self.assertLess(found["difference"], 1e-13 * found["largest"], found)
                energies = [read_json(self.folder / run / "report.json")["energy"]["final"]
                            for run in (after, name)]
                self.assertAlmostEqual(energies[0] / energies[1], 1, delta=1e-12)

    def test_curved_levels(self):
        # With local time steps.
        self.deck = self.write("curved.yaml", CURVED)
        words = ("--set", "time.integrator=ader", "--quiet")
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                whole, parts = f"whole-{ranks}", f"parts-{ranks}"
                self.go(whole, *words, ranks=ranks)
                levels = read_json(self.folder / whole / "report.json")["levels"]
                self.assertEqual(len(levels), 2)
                self.interrupted(whole, 10, parts)
                self.go(parts, *words, "--restart", "auto", ranks=ranks)
                self.check_same_end(whole, parts, 20)

    def test_other_ranks(self):
        self.go("three", "--quiet", ranks=3)
        for before, ranks in ((None, 1), (None, 2), ("three-on-1", 2), ("three-on-2", 1)):
            with self.subTest(before=before, ranks=ranks):
                name = f"{before or 'three'}-on-{ranks}"
                self.interrupted(before or "three", 14, name)
                self.go(name, "--restart", "auto", "--quiet", ranks=ranks)
                self.check_same_end("three", name, 20, equal=False)

    def test_numbering(self):
        # Elements do the same sums wherever they lie; their energies are summed by global number.
        box = ("--set", "mesh.box.cells=[3,2,2]", "--quiet")
        self.go("clusters", *box)
        energy = read_json(self.folder / "clusters/report.json")["energy"]
        for name, ranks in (("none", 1), ("curve", 2), ("none", 4)):
            with self.subTest(numbering=name, ranks=ranks):
                words = (*box, "--set", f"mesh.numbering={name}", "--set",
                         f"mesh.boundary_elements={'mixed' if name == 'curve' else 'last'}")
                self.go(f"{name}-{ranks}", *words, ranks=ranks)
                self.check_same_end("clusters", f"{name}-{ranks}", 20, equal=ranks == 1)
                if ranks == 1:
                    self.assertEqual(read_json(self.folder / f"{name}-1/report.json")["energy"], energy)
        for before, after, ranks in (("clusters", "none", 1), ("none-4", "clusters", 2)):
            with self.subTest(before=before, after=after):
                self.interrupted(before, 14, "parts")
                self.go("parts", *box, "--set", f"mesh.numbering={after}", "--restart", "auto",
                        ranks=ranks)
                self.check_same_end("clusters", "parts", 20, equal=ranks == 1)
                shutil.rmtree(self.folder / "parts")

    def test_precision(self):
        # Half an fp32 bit, 20 steps: far below 1e-5, far above fp64's rounding.
        for before, after in (("fp32", "fp64"), ("fp64", "fp32")):
            with self.subTest(before=before):
                name = f"{before}-on-{after}"
                self.go(before, "--set", f"precision={before}", "--quiet")
                self.interrupted(before, 14, name)
                result = self.go(name, "--set", f"precision={after}", "--restart", "auto")
                self.assertIn(f"note               precision: '{before}' before, '{after}' from",
                              result.out)
                found = compare(self.folder / before / "checkpoint-20.h5",
                                self.folder / name / "checkpoint-20.h5")
                self.assertLess(found["difference"], 1e-5)
                self.assertGreater(found["difference"], 0)

    def test_longer(self):
        self.go("short", "--set", "time.steps=12")
        self.assertEqual(self.steps("short"), [7, 12])
        self.go("whole")
        self.go("short", "--restart", "auto")
        self.check_same_end("whole", "short", 20)
        # In time, with a step of its own from there on; the clock goes on where it was.
        end = 2 * read_json(self.folder / "whole/report.json")["time"]
        result = self.go("short", "--restart", "auto", "--set", f"time.end={end!r}")
        self.assertIn("restart            from 'short/checkpoint-20.h5': step 20 of ", result.out)
        report = read_json(self.folder / "short/report.json")
        self.assertAlmostEqual(report["time"], end, delta=1e-14)
        self.assertEqual(report["steps_before"], 20)
        # And the run that went on with another step goes on to the bit.
        self.interrupted("short", report["steps"] - 3, "again")
        self.go("again", "--restart", "auto", "--set", f"time.end={end!r}")
        self.check_same_end("short", "again", report["steps"])

    def test_finished(self):
        self.whole()
        before = compare(self.folder / "whole/checkpoint-20.h5", self.folder / "whole/checkpoint-20.h5")
        result = self.go("whole", "--restart", "auto")
        self.assertIn("step 20 of 20", result.out)
        self.assertTrue(before["equal"])
        self.assertEqual(read_json(self.folder / "whole/report.json")["outcome"], "done")
        self.refuse(USAGE, ["checkpoint-20.h5' is at step 20", "beyond the end of the run",
                            "step 15"], "run", self.deck, "--output", "whole", "--restart", "auto",
                    "--set", "time.steps=15")

    def test_report(self):
        self.whole()
        whole = read_json(self.folder / "whole/report.json")
        self.assertEqual((whole["restarted_from"], whole["steps_before"], whole["checkpoints"]),
                         (None, 0, 3))
        self.interrupted("whole", 14, "parts")
        self.go("parts", "--restart", "auto", "--quiet")
        parts = read_json(self.folder / "parts/report.json")
        self.assertEqual((parts["restarted_from"], parts["steps_before"], parts["steps"]),
                         ("parts/checkpoint-14.h5", 14, 20))
        self.assertEqual(parts["l2_error"], whole["l2_error"])
        self.assertEqual(parts["energy"], whole["energy"])
        seconds = parts["wall_seconds"]
        self.assertGreater(seconds["before"], 0)
        self.assertAlmostEqual(sum(seconds[phase] for phase in (
            "start", "setup", "loop", "output", "checkpoint", "finish", "release", "before")),
            seconds["total"], delta=0.02 * seconds["total"] + 0.05)
        self.assertGreater(seconds["checkpoint"], 0)
        self.assertGreater(parts["checkpoint"]["write_seconds"], 0)
        self.assertTrue(parts["checkpoint"]["beside_steps"])


@unittest.skipIf(h5py is None, "Python has no h5py")
class Series(Run):
    def check_series(self, a, b):
        for name in ("energy.h5", "probes.h5", "slices.h5"):
            with h5py.File(self.folder / a / name) as one, h5py.File(self.folder / b / name) as two:
                paths = []
                one.visititems(lambda path, item: paths.append(path)
                               if isinstance(item, h5py.Dataset) else None)
                self.assertGreaterEqual(len(paths), 3)
                for path in paths:
                    self.assertEqual(one[path].shape, two[path].shape, (name, path))
                    # The bytes, so that not-a-number outside the mesh equals itself.
                    self.assertEqual(one[path][()].tobytes(), two[path][()].tobytes(), (name, path))
                    self.assertEqual(dict(one[path].attrs).keys(), dict(two[path].attrs).keys())
                steps = list(one["step"]) if "step" in one else list(one["time"])
                self.assertEqual(sorted(set(steps)), steps)
        self.assertEqual(read_json(self.folder / a / "fields.hdf.series"),
                         read_json(self.folder / b / "fields.hdf.series"))
        self.assertEqual(self.field_files(a), self.field_files(b))
        for name in self.field_files(a):
            with h5py.File(self.folder / a / name) as one, h5py.File(self.folder / b / name) as two:
                self.assertEqual(one["VTKHDF/PointData/E"][()].tobytes(),
                                 two["VTKHDF/PointData/E"][()].tobytes())
                self.assertEqual(two["VTKHDF/Points"].shape, two["VTKHDF/PointData/E"].shape)

    def field_files(self, folder):
        return sorted(path.name for path in (self.folder / folder).glob("fields_*"))

    def test_no_gap_no_duplicate(self):
        for ranks in (0, 2):
            self.whole(f"whole{ranks}", ranks)
            self.interrupted(f"whole{ranks}", 14, f"parts{ranks}")
            self.go(f"parts{ranks}", "--restart", "auto", "--quiet", ranks=ranks)
            self.check_series(f"whole{ranks}", f"parts{ranks}")

    def test_between_samples(self):
        # Energy every 10, probes every 3, snapshots at 5, 10, ..: none of them at step 7.
        self.go("whole", "--set", "output.checkpoint.keep=9")
        self.assertEqual(self.steps("whole"), [7, 14, 20])
        self.interrupted("whole", 7, "parts")
        late = self.folder / "parts/fields_000099.hdf"  # as if of a step behind the checkpoint
        late.write_bytes(b"")
        self.go("parts", "--restart", "auto")
        self.assertFalse(late.exists())
        self.check_series("whole", "parts")

    def test_left_open(self):
        # As a kill leaves it: marked as open for writing.
        self.whole()
        self.interrupted("whole", 14, "parts")
        file = h5py.File(self.folder / "parts/energy.h5", "r+", libver="latest")
        file.swmr_mode = True
        file.flush()
        marked = (self.folder / "parts/energy.h5").read_bytes()
        file.close()
        (self.folder / "parts/energy.h5").write_bytes(marked)
        with self.assertRaises(OSError):
            h5py.File(self.folder / "parts/energy.h5", "r+").close()
        self.go("parts", "--restart", "auto")
        self.check_series("whole", "parts")

    def test_partition_of_field_files(self):
        self.whole()
        self.interrupted("whole", 14, "parts")
        self.go("parts", "--restart", "auto", ranks=3)
        meshes = sorted(path.name for path in (self.folder / "parts").glob("mesh*"))
        self.assertEqual(len(meshes), 2)
        self.assertRegex(meshes[0], r"mesh-[0-9a-f]{16}\.hdf")
        for i, pieces in ((0, 1), (2, 1), (3, 3), (4, 3)):
            with h5py.File(self.folder / f"parts/fields_{i:06d}.hdf") as file:
                self.assertEqual(len(file["VTKHDF/NumberOfCells"]), pieces)
                self.assertEqual(sum(file["VTKHDF/NumberOfPoints"]),
                                 len(file["VTKHDF/PointData/E"]))

    def test_other_probes(self):
        # New ones have no values before; the old file keeps what has no place any more.
        self.whole()
        self.interrupted("whole", 14, "parts")
        self.go("parts", "--restart", "auto", "--set",
                "monitors.probes.points={other: [0.6, 0.4, 0.2]}")
        with h5py.File(self.folder / "parts/probes.h5") as file:
            values = file["probes/other/E"][:, 0]
            self.assertEqual(len(values), 7)
            self.assertTrue(all(value != value for value in values[:5]))
            self.assertTrue(all(value == value for value in values[5:]))
            self.assertNotIn("inside", file["probes"])
        with h5py.File(self.folder / "parts/probes.h5.before-14") as file:
            self.assertEqual(len(file["probes/inside/E"]), 7)

    def test_no_such_file(self):
        self.refuse(DATA, ["nosuch.h5"], "run", self.deck, "--restart", "nosuch.h5", ranks=(0, 2))
        self.assertFalse((self.folder / "deck-results").exists())  # no trace of a run that was none

    def test_series_that_do_not_fit(self):
        self.whole()
        self.interrupted("whole", 14, "parts")
        (self.folder / "parts/energy.h5").unlink()
        self.refuse(DATA, ["energy.h5' is missing", "2 samples", "--output"], "run", self.deck,
                    "--output", "parts", "--restart", "auto")
        self.go("short", "--set", "time.steps=7")
        shutil.copy(self.folder / "short/energy.h5", self.folder / "parts/energy.h5")
        shutil.copy(self.folder / "short/probes.h5", self.folder / "parts/probes.h5")
        self.refuse(DATA, ["probes.h5' has 3 samples of /", "written after 5"], "run", self.deck,
                    "--output", "parts", "--restart", "auto")

    def test_other_folder(self):
        self.whole()
        result = self.go("other", "--restart", "whole/checkpoint-14.h5")
        self.assertIn("its series begin at step 14", result.out)
        with h5py.File(self.folder / "other/energy.h5") as file:
            self.assertEqual(list(file["step"]), [14, 20])
        self.assertEqual(self.steps("whole"), [14, 20])  # untouched
        self.check_same_end("whole", "other", 20)


class Files(Run):
    def test_intervals_and_kept(self):
        for settings, steps in (({"steps": 4, "keep": 3}, [12, 16, 20]),
                                ({"steps": 50}, [20]), ({"steps": 5, "keep": 1}, [20]),
                                ({"time": 0.2, "keep": 9}, [4, 8, 12, 16, 20]),
                                ({"wall": 0.000001, "keep": 99}, None),
                                ({"wall": "1 h"}, [20])):
            with self.subTest(settings=settings):
                text = ", ".join(f"{key}: {value:f}" if isinstance(value, float)
                                 else f"{key}: {value}" for key, value in settings.items())
                self.deck = self.write("deck.yaml", EVERY.replace("{steps: 7}", "{" + text + "}"))
                shutil.rmtree(self.folder / "results", ignore_errors=True)
                self.go("results", "--quiet")
                # dt is 0.0523: t = 0.2 is passed at step 4, 0.4 at 8, ...
                if steps is None:  # as often as the clock is looked at
                    self.assertEqual(self.steps("results")[-1], 20)
                    self.assertGreater(len(self.steps("results")), 1)
                else:
                    self.assertEqual(self.steps("results"), steps)
                self.assertEqual(list((self.folder / "results").glob("*.tmp")), [])

    def test_none_without_the_key(self):
        self.deck = self.write("deck.yaml", DECK)
        self.go("results")
        self.assertEqual(self.steps("results"), [])
        result = self.go("results", "--restart", "auto")
        self.assertIn("no checkpoint in 'results': from the beginning", result.out)
        self.assertEqual(read_json(self.folder / "results/report.json")["steps_before"], 0)

    def test_fresh_run_sets_aside(self):
        self.go("results")
        self.go("results", "--set", "time.steps=3")
        self.assertEqual(self.steps("results"), [3])
        self.assertTrue((self.folder / "results/checkpoint-20.h5.old").exists())

    def test_check_tells_the_size(self):
        result = self.succeed("check", self.deck, "--output", "results")
        found = re.search(r"checkpoints +every 7 steps, about ([0-9.]+) MiB each, the newest 2 stay",
                          result.out)
        self.assertIsNotNone(found, result)
        self.go("results")
        size = (self.folder / "results/checkpoint-20.h5").stat().st_size / 2**20
        self.assertAlmostEqual(float(found.group(1)), size, delta=0.1)


class Refusals(Run):
    def setUp(self):
        super().setUp()
        self.whole()
        self.last = self.folder / "whole/checkpoint-20.h5"

    def restart(self, code, parts, *words):
        self.refuse(code, parts, "run", self.deck, "--output", "whole", "--restart",
                    "whole/checkpoint-20.h5", *words)

    def test_other_problem(self):
        self.restart(USAGE, ["does not fit the deck", "order is '2' there, '3' in the deck"],
                     "--set", "order=3")
        self.restart(USAGE, ["materials is 'domain: epsilon 1, mu 1, conductivity 0' there, "
                             "'domain: epsilon 2,"], "--set", "materials.domain.epsilon=2")
        self.restart(USAGE, ["mesh is '48 elements, checksum", "'162 elements"],
                     "--set", "mesh.box.cells=[3,3,3]")
        self.restart(USAGE, ["mesh is '48 elements, checksum"], "--set", "mesh.box.max=[1,1,1.5]")

    def test_other_term(self):
        def term(time):
            return ("--set", f"materials.domain={{debye: {{strength: 1, relaxation_time: {time}}}}}", "--set",
                    "initial.compare=false")

        self.go("term", *term(0.5), "--quiet")
        told = "materials is 'domain: epsilon 1, mu 1, conductivity 0, debye strength 1, relaxation_time {}' {}"
        self.refuse(USAGE, [told.format(0.5, "there"), told.format(0.6, "in the deck")[13:]], "run", self.deck, "--output",
                    "term", "--restart", "auto", *term(0.6))

    def test_note_of_other_boundaries(self):
        result = self.go("whole", "--restart", "auto", "--set", "boundaries.xmin.type=pmc",
                         "--set", "initial.compare=false")
        self.assertIn("note               boundaries: 'xmin: pec;", result.out)

    def test_numbers_of_boundaries_are_the_decks(self):
        """Those of a rational wall's law are others."""
        keys = {"resistance": "0.2", "resistances": "0.8 0 0", "frequencies": "0.9 0 0", "resonance-resistances": "0.6 0 0",
                "resonance-offsets": "0.01 0 0", "resonance-frequencies": "1.2 0 0", "resonance-widths": "0.4 0 0"}
        wall = ", ".join(f"{key}: [{value.replace(' ', ', ')}]" if " " in value else f"{key}: {value}"
                         for key, value in keys.items())
        words = ("--set", f"boundaries.xmin={{type: rational, {wall}}}", "--set", "initial.compare=false")
        self.go("wall", *words, "--quiet")
        result = self.go("wall", "--restart", "auto", *words, "--set", "boundaries.xmin.resistance=0.3")
        for resistance, when in (("0.2", "before"), ("0.3", "from here on")):
            told = ", ".join(f"{key} {value}" for key, value in {**keys, "resistance": resistance}.items())
            self.assertIn(f"'xmin: rational {told}; xmax: pec; ymin: pec; ymax: pec; zmin: pec; zmax: pec' {when}", result.out)

    def test_bad_files(self):
        self.refuse(DATA, ["cannot read 'none.h5'", "No such file"], "run", self.deck, "--output",
                    "whole", "--restart", "none.h5")
        self.refuse(DATA, ["cannot read", "deck.yaml': it is no HDF5 file"], "run", self.deck, "--output", "whole",
                    "--restart", self.deck)
        os.mkfifo(self.folder / "pipe")  # that nobody writes into
        self.refuse(DATA, ["'pipe' is a pipe, not a regular file"], "run", self.deck, "--output",
                    "whole", "--restart", "pipe", ranks=(0,))
        self.refuse(DATA, ["'whole/energy.h5' is no checkpoint, or damaged: "], "run", self.deck, "--output", "whole", "--restart",
                    "whole/energy.h5")
        self.refuse(USAGE, ["--restart needs a value"], "run", self.deck, "--restart", "")

    def test_truncated(self):
        data = self.last.read_bytes()
        for length in (0, 100, 5000, len(data) // 2, len(data) - 1):
            self.last.write_bytes(data[:length])
            self.refuse(DATA, ["checkpoint-20.h5"], "run", self.deck, "--output", "whole",
                        "--restart", "whole/checkpoint-20.h5", ranks=(0,))
        self.restart(DATA, ["checkpoint-20.h5'", "truncated file"])
        result = self.go("whole", "--restart", "auto", warnings=1)
        self.assertIn("passed over: cannot read 'whole/checkpoint-20.h5'", result.messages[0])
        self.assertIn("from 'whole/checkpoint-14.h5'", result.out)
        self.assertTrue((self.folder / "whole/checkpoint-20.h5.old").exists())
        self.assertEqual(self.steps("whole"), [14, 20])

    def test_flipped_bits(self):
        # Anywhere in the file: it is refused, or, where the byte is not used, changes nothing.
        data = self.last.read_bytes()
        refused = 0
        places = range(11, len(data), len(data) // 12)
        for place in places:
            flip_bit(self.last, place)
            result = self.sedge("run", self.deck, "--device", "host", "--output", "other",
                                "--restart", self.last, "--quiet")
            self.assertIn(result.code, (0, DATA), (place, result))
            refused += result.code == DATA
            if result.code == DATA:
                self.assertEqual(len(result.messages), 1, result)
                self.assertIn("checkpoint-20.h5", result.messages[0])
            self.last.write_bytes(data)
        self.assertGreater(refused, len(places) // 2)

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_flipped_in_each_array(self):
        data = self.last.read_bytes()
        with h5py.File(self.last) as file:
            places = {name: item.id.get_offset() + 8 * 37 + 1 for name, item in file.items()}
        self.assertEqual(set(places), {"header", "elements", "energy", "checksums", "fields"})
        for name, place in places.items():
            with self.subTest(name=name):
                flip_bit(self.last, place)
                self.refuse(DATA, ["checkpoint-20.h5' is damaged"], "run", self.deck, "--output",
                            "other", "--restart", self.last, ranks=(3,))
                self.last.write_bytes(data)

    def test_all_damaged(self):
        for path in (self.folder / "whole").glob("checkpoint-*.h5"):
            path.write_bytes(path.read_bytes()[:1000])
        result = self.sedge("run", self.deck, "--output", "whole", "--restart", "auto")
        self.assertEqual(result.code, DATA, result)
        self.assertEqual(len(result.messages), 3, result)
        self.assertIn("none of the 2 checkpoints in 'whole' can be used", result.messages[2])
        self.assertTrue((self.folder / "whole/energy.h5").exists())


if __name__ == "__main__":
    unittest.main()
