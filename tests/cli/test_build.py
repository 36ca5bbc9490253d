"""sedge build: the cache is filled without a run, and the run then compiles nothing."""

import json
import os
import re
import stat
import unittest

from kit import DECK, Case, others_come, read_json

USAGE, DEVICE = 1, 3

ELLIPTIC = """\
equation: poisson
order: 2
precision: fp64
mesh: {box: {cells: [2, 2, 2]}}
materials: {domain: {epsilon: 2}}
initial: {type: wave}
boundaries: {%s}
""" % ", ".join(f"{side}: {{type: known}}" for side in ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax"))


class Build(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)
        self.cache = self.folder / "cache"
        self.environment = {"SEDGE_CACHE_DIR": str(self.cache), "SEDGE_CACHE_SITE": None}

    def build(self, *words, **options):
        return self.succeed("build", self.deck, *words, environment=self.environment, **options).out

    def entries(self, folder=None):
        return sorted(path.name for path in (folder or self.cache).glob("*.sedge"))

    def run_deck(self, *words, ranks=0, **environment):
        """Run the deck; what report.json says of the cache."""
        self.succeed("run", self.deck, "--device", "host", "-v", *words, ranks=ranks,
                     environment={**self.environment, **environment})
        return read_json(self.folder / "deck-results/report.json")["cache"]

    def test_then_nothing_is_compiled(self):
        text = self.build("--device", "host")
        self.assertRegex(text, r"(?m)^  maxwell-n2-fp64-bernstein +host +- +- +[0-9.]+  native: ")
        self.assertRegex(text, r"(?m)^  maxwell-n2-fp64-others +host ")
        self.assertRegex(text, r"(?m)^  maxwell-n2-fp64-common +host ")
        self.assertRegex(text, r"(?m)^  ceiling-fp64 +host ")
        self.assertRegex(text, r"(?m)^4 compiled, 0 found, .*" + str(self.cache))
        self.assertFalse((self.folder / "deck-results").exists(), "build writes no results")
        before = self.entries()
        self.assertEqual(len(before), 4)
        self.assertEqual(self.run_deck()["misses"], 0)
        self.assertEqual(self.run_deck(ranks=2)["misses"], 0)
        self.assertEqual(self.entries(), before, "the run compiled something more")
        self.assertRegex(self.build("--device", "host"), r"(?m)^0 compiled, 4 found")
        spectra = ("--set", "monitors.spectra={a: {points: {p: [0.2, 0.3, 0.4]}, frequencies: {list: [0.1]}}}")
        text = self.build("--device", "host", *spectra)
        self.assertRegex(text, r"(?m)^  transform-8x1x2 +host ")
        self.assertRegex(text, r"(?m)^1 compiled, 4 found")
        self.assertEqual(self.run_deck(*spectra)["misses"], 0)

    def test_an_equation_without_time(self):
        self.deck = self.write("deck.yaml", ELLIPTIC)
        for words, count in ((), 3), (("--set", "solver.preconditioner=none"), 2):
            text = self.build("--device", "host", *words)
            self.assertRegex(text, r"(?m)^  elliptic-n2-fp64 +host ")
            self.assertRegex(text, r"(?m)^  krylov-fp64 +host ")
            self.assertRegex(text, rf"(?m)^{count} compiled, ")
            before = self.entries()
            self.assertEqual(self.run_deck(*words)["misses"], 0)
            self.assertEqual(self.entries(), before, "the run compiled something more")

    def test_what_tuning_has_chosen(self):
        text = self.succeed("tune", self.deck, "--device", "host", "--tune", "fast",
                            environment=self.environment).out
        if "chosen by rule" in text:  # a busy machine: there was no time to measure a second one
            return
        lines = [json.loads(line) for line in (self.cache / "wisdom.jsonl").read_text().splitlines()]
        line = next(line for line in lines if line["key"]["what"] == "tune")
        rule = line["candidates"][0]["name"]  # of a layout the first one is the rule's
        nodal = [known for known in line["candidates"] if not known["name"].startswith("bernstein")]
        line["layout"] = nodal[0]["layout"]
        mine, far = [known["name"] for known in nodal if known["layout"] == line["layout"]][:2]
        line["choice"] = mine  # as if another had been the fastest, and at another size yet another
        other = json.loads(json.dumps(line))
        other["key"].update(size="2^40 elements, 1 material", device="another", multiprocessors=7)
        other["choice"] = far
        stale = json.loads(json.dumps(line))
        stale["key"]["source"] = "of another program"
        stale["choice"] = rule
        self.cache = self.folder / "second-cache"
        self.cache.mkdir(mode=0o700)
        self.environment["SEDGE_CACHE_DIR"] = str(self.cache)
        (self.cache / "wisdom.jsonl").write_text(
            "".join(json.dumps(one) + "\n" for one in (stale, other, line)))
        text = self.build("--device", "host")
        stages, others, common = (len(re.findall(rf"(?m)^  maxwell-n2-fp64-({names}) ", text))
                                  for names in ("bernstein|fused", "others", "common"))
        self.assertEqual(stages, 3)
        self.assertIn(others, (2, 3))  # so many layouts are meant
        self.assertIn(common, range(1, others + 1))  # two bases may share one
        self.assertRegex(text, rf"(?m)^{stages + others + common + 1} compiled, 0 found")
        self.assertEqual(self.run_deck()["misses"], 0)
        words = ("--device", "host", "--set", "kernels.variant=bernstein")
        self.assertRegex(self.build(*words), r"(?m)^0 compiled, 4 found")  # a wish: nothing else

    def test_on_ranks_once(self):
        text = self.build("--device", "host", ranks=3)
        self.assertEqual(text.count("maxwell-n2-fp64-bernstein"), 1)
        self.assertIn("4 compiled, 0 found", text)
        self.assertEqual(len(self.entries()), 4)
        self.assertEqual(self.run_deck()["misses"], 0)

    def test_settings_count(self):
        self.build("--device", "host")
        self.assertIn("4 compiled", self.build("--device", "host", "--set", "precision=fp32"))
        self.assertIn("3 compiled, 1 found", self.build("--device", "host", "--set", "order=3"))
        self.assertIn("2 compiled, 2 found",  # another material
                      self.build("--device", "host", "--set", "materials.domain.epsilon=2"))
        self.assertIn("2 compiled, 2 found",  # another basis: other traces
                      self.build("--device", "host", "--set", "kernels.variant=fused"))
        self.assertEqual(self.build("--device", "host", "--quiet"), "")

    def test_for_gpus_that_are_not_here(self):
        words = ("--device", "cuda", "--arch", "sm_80,sm_90")
        result = self.sedge("build", self.deck, *words, environment=self.environment)
        if result.code == DEVICE:  # no NVRTC, or a program without CUDA: said in words
            self.assertRegex(result.messages[0], "NVRTC|CUDA")
            return
        self.assertEqual(result.code, 0, result)
        for arch in ("sm_80", "sm_90"):
            self.assertRegex(result.out,
                             rf"(?m)^  maxwell-n2-fp64-bernstein +cuda +\d+ +\d+ +[0-9.]+  {arch}$")
        self.assertIn("8 compiled, 0 found", result.out)
        self.assertEqual(len(self.entries()), 8)
        self.assertIn("4 compiled, 4 found", self.build("--arch", "sm_90,sm_75,sm_90"))
        self.assertIn("(registers ", self.succeed("cache", "list",
                                                  environment=self.environment).out)

    def test_wrong_wishes(self):
        words = {"environment": self.environment, "ranks": [0]}
        self.refuse(USAGE, ["'sm_90'", "cuda only", "'host'"], "build", self.deck, "--device",
                    "host", "--arch", "sm_90", environment=self.environment, ranks=(0, 2))
        self.refuse(USAGE, ["--arch", "run"], "run", self.deck, "--arch", "sm_90", **words)
        self.refuse(USAGE, ["--arch", "needs a value"], "build", self.deck, "--arch=", **words)
        self.refuse(DEVICE, ["'cuda'"], "build", self.deck, "--device", "cuda",
                    **{**words, "environment": {**self.environment, "CUDA_VISIBLE_DEVICES": ""}})
        self.refuse(USAGE, ["SEDGE_DEBUG"], "build", self.deck, "--device", "host",
                    **{**words, "environment": {**self.environment, "SEDGE_DEBUG": "1"}})
        self.assertEqual(self.entries(), [])

    def test_unknown_arch(self):
        """Found before anything is compiled."""
        result = self.sedge("build", self.deck, "--arch", "sm_90,", environment=self.environment)
        self.assertIn(result.code, (USAGE, DEVICE), result)  # DEVICE: no CUDA at all
        self.assertEqual(len(result.messages), 1, result)
        self.assertEqual((result.out, self.entries()), ("", []))

    def test_cache_that_cannot_be_used(self):
        unusable = {**self.environment, "SEDGE_CACHE_DIR": str(self.write("file", "") / "cache")}
        self.refuse(USAGE, ["cache"], "build", self.deck, "--device", "host", environment=unusable,
                    ranks=(0, 2))

    def test_site_folder(self):
        self.build("--device", "host")
        site = self.folder / "site"
        self.cache.rename(site)
        for path in (site, *site.iterdir()):
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
        before = self.entries(site)
        shared = {"SEDGE_CACHE_SITE": str(site)}
        cache = self.run_deck(**shared)
        self.assertEqual(cache["misses"], 0)
        self.assertGreaterEqual(cache["hits"], 1)
        self.assertEqual(self.entries(), [])
        self.assertEqual(self.entries(site), before)
        self.assertEqual(self.run_deck("--set", "order=3", **shared)["misses"], 3)
        self.assertEqual(len(self.entries()), 3)
        self.assertEqual(self.entries(site), before)

        def ask(word):
            return self.succeed("cache", word, environment={**self.environment, **shared}).out

        self.assertEqual(ask("path").splitlines(),
                         [str(self.cache), f"{site} (site folder, read only)"])
        listed = ask("list")
        self.assertIn(f"site folder {site}", listed)
        self.assertEqual(listed.count("host  "), 7)
        self.assertIn("stays as it is", ask("clear"))
        self.assertEqual(self.entries(site), before)

    def test_damaged_site_entries(self):
        self.build("--device", "host")
        site = self.folder / "site"
        self.cache.rename(site)
        for path in site.glob("*.sedge"):
            path.write_bytes(path.read_bytes()[:-1] + b"?")
        self.assertGreaterEqual(self.run_deck(SEDGE_CACHE_SITE=str(site))["misses"], 1)
        self.assertEqual(self.run_deck(SEDGE_CACHE_SITE=str(site))["misses"], 0)

    def test_unusable_site_is_no_failure(self):
        if not others_come(self.folder):
            self.skipTest(f"others cannot come to {self.folder}")
        site = self.folder / "open"
        site.mkdir()
        site.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
        shared = {**self.environment, "SEDGE_CACHE_SITE": str(site)}
        result = self.sedge("run", self.deck, "--device", "host", environment=shared)
        self.assertEqual(result.code, 0, result)
        self.assertIn("no site cache", result.out)
        self.assertIn("others may write", result.out)
        result = self.sedge("cache", "path", environment=shared)
        self.assertIn("others may write", result.err)


if __name__ == "__main__":
    os.environ.setdefault("SEDGE_THREADS", "1")
    unittest.main()
