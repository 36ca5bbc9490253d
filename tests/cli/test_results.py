"""What a run leaves behind: files, report.json, series, the cache; and a run that blows up."""

import re
import unittest

from kit import DECK, SOURCE, Case, Cube, read_json

try:
    import h5py
except ImportError:
    h5py = None

COMPUTE = 4
REPORT_KEYS = {
    "version", "deck", "equation", "order", "precision", "units", "ranks", "device", "elements",
    "dofs", "dt", "steps", "stages", "time", "wall_seconds", "dofs_per_second", "kernels", "tuning", "energy",
    "l2_error", "linf_error", "l2_error_relative", "l2_error_relative_groups", "exchange", "cache",
    "memory", "outcome",
    "exit_code", "restarted_from", "steps_before", "checkpoints", "ended_by", "spectra_remain",
}
PARTS = {
    "device": {"kind", "name", "threads"},
    "wall_seconds": {"start", "setup", "mesh", "tune", "compile", "loop", "output", "checkpoint",
                     "finish", "release", "before", "total"},
    "energy": {"initial", "final", "peak"},
    "exchange": {"transport", "bytes_per_step", "hidden"},
    "cache": {"hits", "misses"},
    "memory": {"host_peak", "device_peak"},
    "tuning": {"by", "timed", "gain"},
}
PHASES = ("start", "setup", "loop", "output", "checkpoint", "finish", "release", "before")
KERNEL = {"name", "variant", "seconds", "seconds_mean", "launches", "bytes", "flops", "fraction_of_floor"}


class Run(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)

    def run_deck(self, *words, ranks=0, **options):
        result = self.sedge("run", self.deck, "--device", "host", *words, ranks=ranks, **options)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.messages, [], result)
        return result


class Files(Run):
    def test_folder_and_report(self):
        self.run_deck()
        results = self.folder / "deck-results"
        self.assertEqual(
            {path.name for path in results.iterdir()},
            {"deck.yaml", "energy.h5", "probes.h5", "report.json", "mesh.hdf", "fields.hdf.series",
             "fields_000000.hdf", "fields_000001.hdf", "fields_000002.hdf"})
        report = read_json(results / "report.json")
        self.assertLessEqual(REPORT_KEYS, report.keys())
        for name, keys in PARTS.items():
            self.assertLessEqual(keys, report[name].keys(), name)
        for kernel in report["kernels"]:
            self.assertLessEqual(KERNEL, kernel.keys())
        seconds = report["wall_seconds"]
        for phase in ("start", "setup", "loop", "output", "finish", "release"):
            self.assertGreater(seconds[phase], 0.0, phase)
        # The total is the clock's: what no phase has is missing in the sum.
        self.assertAlmostEqual(sum(seconds[phase] for phase in PHASES), seconds["total"],
                               delta=0.02 * seconds["total"] + 0.05)
        self.assertAlmostEqual(sum(report["setup_seconds"].values()), seconds["setup"], places=6)
        for part in ("deck", "mesh: read", "mesh: number", "device", "state: initial values"):
            self.assertGreater(report["setup_seconds"][part], 0.0, part)
        self.assertEqual(report["output_seconds"].keys(), {"energy", "probes", "snapshots"})
        self.assertGreater(report["output_seconds"]["snapshots"], 0.0)
        self.assertLessEqual(sum(report["output_seconds"].values()), seconds["output"] + 1e-3)
        self.assertLessEqual(seconds["mesh"] + seconds["tune"], seconds["setup"])
        self.assertEqual((report["elements"], report["steps"], report["ranks"]), (48, 20, 1))
        self.assertEqual(report["dofs"], 48 * 10 * 6)
        self.assertAlmostEqual(report["time"], 20 * report["dt"])
        self.assertEqual(set(report["l2_error"]), {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"})
        self.assertEqual((report["outcome"], report["exit_code"]), ("done", 0))
        series = read_json(results / "fields.hdf.series")["files"]
        self.assertEqual(len(series), 3)
        self.assertAlmostEqual(series[-1]["time"], report["time"])

    def test_kernels_of_all_ranks(self):
        """A dipole's kernel runs on the rank of its element alone, and is told of in any case."""
        for x in (0.1, 0.9):
            self.run_deck("--set", f"sources=[{{type: dipole, position: [{x}, 0.4, 0.3], "
                          "direction: [1, 0, 0], signal: {type: ricker, frequency: 1}}]",
                          "--set", "initial={type: zero}",
                          "--set", "output.snapshots=0", ranks=2)
            report = read_json(self.folder / "deck-results/report.json")
            kernels = {k["name"]: k for k in report["kernels"]}
            self.assertIn("sedge_point_source", kernels)
            self.assertGreater(kernels["sedge_point_source"]["launches"], 0)

    def test_operations_are_the_equation_s(self):
        """A stage of advection, of order 3: 20 nodes, 10 a face, one field. Maxwell's would be 9.6 times it."""
        self.succeed("run", SOURCE / "input/advection.yaml", "--device", "host", "--output", "a",
                     "--set", "mesh.box.cells=[2,2,2]", "--set", "order=3", "--set", "time.steps=4",
                     "--set", "output.snapshots=0", "--set", "kernels.variant=fused", "--quiet")
        stage = next(k for k in read_json(self.folder / "a/report.json")["kernels"]
                     if k["name"] == "sedge_stage")
        element = 20 * (6 * 20 + 20) + 4 * 11 * 10 + 20 * (8 * 10 + 1) + 4 * 20
        self.assertEqual(stage["flops"] * stage["launches"], 48 * element * 4 * 5)

    def test_transport(self):
        path = self.folder / "deck-results/report.json"
        for ranks, wish, name in ((0, "peer", "none"), (3, "", "direct"), (3, "auto", "direct"),
                                  (3, "staged", "staged")):
            text = self.run_deck(ranks=ranks, environment={"SEDGE_TRANSPORT": wish}).out
            exchange = read_json(path)["exchange"]
            self.assertEqual(exchange["transport"], name)
            if ranks == 0:
                self.assertNotIn("exchange", text)
                continue
            self.assertRegex(text, rf"(?m)^  exchange +{name}$")
            self.assertRegex(text, rf"exchange +{name}, [0-9.e+]+ KiB a step, [0-9]+ % hidden")
            self.assertTrue(0.0 <= exchange["hidden"] <= 1.0, exchange)
        self.refuse(1, ["transport 'peer' is not possible", "'host'"], "run", self.deck, "--device",
                    "host", ranks=(2,), environment={"SEDGE_TRANSPORT": "peer"})

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_samples(self):
        # 20 steps: energy at 0, 10, 20; probes at 0, 3, .., 18. The last energy also off the beat.
        self.run_deck()
        results = self.folder / "deck-results"
        with h5py.File(results / "energy.h5") as file:
            self.assertEqual(list(file["step"]), [0, 10, 20])
        with h5py.File(results / "probes.h5") as file:
            self.assertEqual(len(file["time"]), 7)
            self.assertEqual(file["probes/inside/E"].shape, (7, 3))
        self.run_deck("--set", "time.steps=7", "--set", "monitors.probes.every=1", ranks=3)
        with h5py.File(results / "energy.h5") as file:
            self.assertEqual(list(file["step"]), [0, 7])
        with h5py.File(results / "probes.h5") as file:
            self.assertEqual(len(file["time"]), 8)

    def test_resolved_deck_runs_again(self):
        self.run_deck()
        first = read_json(self.folder / "deck-results/report.json")
        again = self.folder / "again"
        self.succeed("run", self.folder / "deck-results/deck.yaml", "--output", again)
        self.assertEqual(read_json(again / "report.json")["l2_error"], first["l2_error"])

    def test_results_are_not_inputs(self):
        """What would overwrite deck or mesh, or a checkpoint, is refused, and they stay."""
        own = self.folder / "own"
        own.mkdir()
        (self.folder / "here").symlink_to(".")
        deck = self.write("own/deck.yaml", self.deck.read_text())
        (self.folder / "far.yaml").symlink_to("own/deck.yaml")
        mesh = self.write("own/mesh.hdf", Cube(1).text())
        good = self.write("own/cube.msh", Cube(1).text())
        text = re.sub(r"(?m)^mesh:.*$\n(^ .*$\n)*", "mesh: {file: own/NAME}\n", self.deck.read_text())
        other = self.write("other.yaml", text.replace("NAME", "mesh.hdf"))
        before = {path: path.read_bytes() for path in (self.deck, deck, mesh, good, other)}
        for words, part in (
                (("run", "own/deck.yaml", "--output", "own"), "the deck 'own/deck.yaml' would be"),
                (("check", "own/deck.yaml", "--output", "own"), "the deck 'own/deck.yaml' would be"),
                (("run", "far.yaml", "--output", "here/own"), "the deck 'far.yaml' would be"),
                (("run", "other.yaml", "--output", "./own/"), "mesh.hdf' would be overwritten"),
                (("run", self.deck, "--restart", "other.yaml", "--report", "here/other.yaml"),
                 "is the checkpoint itself"),
                (("run", self.deck, "--report", self.deck.name), "is the deck itself"),
                (("run", "other.yaml", "--report", "here/own/mesh.hdf"), "is the mesh itself"),
                (("run", self.deck, "--output", "new", "--report", "here/new"), "is the output folder"),
                (("run", self.deck, "--output", "own", "--report", "here/own/energy.h5"),
                 "a name that the run itself gives")):
            self.refuse(1, [part], *words, "--device", "host", ranks=(0,))
        self.refuse(1, ["give it another folder (--output)"], "run", "own/deck.yaml", "--output",
                    "own", "--device", "host", ranks=(2,))
        self.assertFalse((self.folder / "new").exists())
        for path, content in before.items():
            self.assertEqual(path.read_bytes(), content)
        # Beside the run's own files an input may lie.
        other.write_text(text.replace("NAME", "cube.msh"))
        self.succeed("run", "other.yaml", "--device", "host", "--output", "own", "--report",
                     "own/report.json", "--quiet")
        self.assertEqual(good.read_bytes(), before[good])

    def test_report_elsewhere(self):
        self.run_deck("--report", "elsewhere.json")
        self.assertEqual(read_json(self.folder / "elsewhere.json")["steps"], 20)
        self.assertTrue((self.folder / "deck-results/report.json").exists())

    def test_quiet(self):
        self.assertEqual(self.run_deck("--quiet").out, "")
        self.assertEqual(self.run_deck("--quiet", ranks=3).out, "")

    def test_odd_folder_names(self):
        for name in ("it's a: 'folder'", 'say "so": [1, {x', "# no comment", "*star", "5", "null",
                     "Grüße\\", "deep/er/folder:"):
            with self.subTest(name=name):
                self.run_deck("--output", name, "--set", "output.snapshots=0", "--quiet")
                resolved = self.folder / name / "deck.yaml"
                again = self.write("again.yaml", resolved.read_bytes())
                self.succeed("check", again, "--quiet")  # would go into the same folder
                self.assertTrue((self.folder / name / "report.json").is_file())

    def test_second_run_compiles_nothing(self):
        environment = {"SEDGE_CACHE_DIR": str(self.folder / "cache")}
        path = self.folder / "deck-results/report.json"
        for ranks in (0, 3):
            self.run_deck("--set", f"order={1 + ranks}", ranks=ranks, environment=environment)
            self.assertGreaterEqual(read_json(path)["cache"]["misses"], 1)
            self.run_deck("--set", f"order={1 + ranks}", ranks=ranks, environment=environment)
            cache = read_json(path)["cache"]
            self.assertEqual(cache["misses"], 0)
            self.assertGreaterEqual(cache["hits"], 1)

    def test_progress(self):
        # Tenths of 20 steps; the end once; a run of three steps has three lines.
        text = self.run_deck().out
        self.assertEqual(re.findall(r"^ +(\d+) %", text, re.MULTILINE),
                         [str(10 * i) for i in range(1, 11)])
        self.assertNotIn("\r", text)
        text = self.run_deck("--set", "time.steps=3", ranks=2).out
        self.assertEqual(re.findall(r"^ +(\d+) %", text, re.MULTILINE), ["33", "66", "100"])

    def test_large_meshes_say_what_begins(self):
        text = self.run_deck("--set", "mesh.box.cells=[33,33,33]", "--set", "order=1",
                             "--set", "time.steps=1", "--set", "output.snapshots=1").out
        said = re.findall(r"^  set-up             (.*): 215622 tetrahedra$", text, re.MULTILINE)
        self.assertEqual(said, ["matching faces", "numbering elements", "choosing kernels",
                                "initial state", "first output"])
        self.assertLess(text.index("numbering"), text.index("215622 tetrahedra, "))

    def test_same_answer_on_any_number_of_ranks(self):
        # Sums in another order: rounding only. The elements' own arithmetic is the same.
        deck = SOURCE / "input/cavity.yaml"
        errors = []
        for ranks in (1, 2, 4):
            self.succeed("run", deck, "--device", "host", "--output", "o", "--quiet", "--set",
                         "time.steps=40", "--set", "order=3", "--set", "output.snapshots=0",
                         "--set", "mesh.box.cells=[4,4,4]", ranks=ranks)
            report = read_json(self.folder / "o/report.json")
            self.assertEqual(report["ranks"], ranks)
            errors.append([*report["l2_error"].values(), report["l2_error_relative"],
                           report["energy"]["final"]])
        for other in errors[1:]:
            for mine, first in zip(other, errors[0]):
                self.assertLessEqual(abs(mine - first), 1e-12 * abs(first))


class BlowUp(Run):
    def test_message_and_report(self):
        # Twice the limit of stability: growth from rounding, beyond all bounds after some hundred
        # steps, and seen by whichever sample comes first.
        deck = SOURCE / "input/sphere.yaml"
        words = ["run", deck, "--device", "host", "--set", "time.cfl=2", "--set", "time.end=60",
                 "--set", "order=1", "--set", "output.snapshots=0", "--set",
                 "boundaries.outer={type: absorbing}", "--set", "monitors.far-field={}", "--set", "exact={}", "--set",
                 f"mesh.file={SOURCE}/meshes/sphere.msh", "--set",
                 "monitors.energy.every=20", "--output", "o"]
        for ranks in (0, 3):
            result = self.sedge(*words, ranks=ranks)
            self.assertEqual(result.code, COMPUTE, result)
            self.assertEqual(len(result.messages), 1, result)
            message = result.messages[0]
            self.assertRegex(message, r"(not a number any more|grows beyond all that can feed it, above "
                                      r"[\d.e+]+,) at step \d+, t = [\d.]+, in element "
                                      r"\d+ at \(.*\), material 'air', inscribed radius")
            # The element named is one that is too small for the step, not just any.
            self.assertGreater(float(re.search(r"local CFL number ([\d.]+)", message).group(1)), 1)
            self.assertIn("last energies", message)
            report = read_json(self.folder / "o/report.json")
            self.assertEqual(report["exit_code"], COMPUTE)
            self.assertEqual(f"sedge: {report['outcome']}", message)
            step = int(re.search(r"at step (\d+)", message).group(1))
            self.assertEqual(step % 20, 0)
            self.assertIn(report["steps"] - step, (0, 1))  # the next step may be under way
            self.assertGreater(report["wall_seconds"]["loop"], 0)
            self.assertIsNone(report["l2_error"])
            self.assertIn("warning", result.out)

    @unittest.skipIf(h5py is None, "Python has no h5py")
    def test_series_up_to_then(self):
        words = ["--set", "time.cfl=2", "--set", "time.steps=5000", "--quiet", "--set",
                 "monitors.probes.every=1"]
        result = self.sedge("run", self.deck, "--device", "host", *words)
        self.assertEqual(result.code, COMPUTE, result)
        step = int(re.search(r"at step (\d+)", result.err).group(1))
        with h5py.File(self.folder / "deck-results/probes.h5") as file:
            self.assertIn(len(file["time"]) - step, (1, 2))  # the next step may be under way
        with h5py.File(self.folder / "deck-results/energy.h5") as file:
            self.assertEqual(list(file["step"]), list(range(0, step + 1, 10)))


if __name__ == "__main__":
    unittest.main()
