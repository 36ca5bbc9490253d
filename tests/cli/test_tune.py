"""`sedge tune`: the table, what is remembered of it, and what runs make of that."""

import re
import unittest

from kit import DECK, Case, read_json

FORM = "(?:fused|split|three|curl|bernstein sparse)"  # what may win on the host
SMALL = ["--device", "host", "--set", "order=1", "--set", "precision=fp32"]


class Tune(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)
        self.cache = self.folder / "cache"
        self.environment = {"SEDGE_CACHE_DIR": str(self.cache), "SEDGE_TUNE": None}

    def ask(self, command, *words, **options):
        environment = {**self.environment, **options.pop("environment", {})}
        return self.succeed(command, self.deck, *SMALL, *words, environment=environment,
                            **options).out

    def report(self):
        return read_json(self.folder / "deck-results/report.json")

    def test_table_and_wisdom(self):
        text = self.ask("tune")
        self.assertRegex(text, r"maxwell-n1-fp32 .*chosen by (measurement|rule), .* s, \d+ programs? compiled")
        for word in ("candidate", "why", "stage", "winner", "16 lanes|8 lanes|4 lanes"):
            self.assertRegex(text, word)
        self.assertRegex(text, rf"(?m)^ *\* {FORM} [nl]\d")
        self.assertNotRegex(text, r"\b0 programs compiled, ")
        if "chosen by rule" in text:  # a busy machine: there was no time to measure a second one
            return
        wisdom = (self.cache / "wisdom.jsonl").read_text()
        self.assertIn("maxwell-n1-fp32", wisdom)

        again = self.ask("tune")
        self.assertRegex(again, r"chosen by wisdom, .* 0 programs compiled")
        self.assertRegex(again, r"(?m)^0 programs compiled, 3 found")
        self.assertEqual((self.cache / "wisdom.jsonl").read_text(), wisdom)
        winner = re.search(rf"(?m)^ *\* ({FORM} [^-]*?)  ", again).group(1)

        run = self.ask("run")
        self.assertIn(f"kernels from wisdom: {winner}", run)
        self.assertIn("programs               0 compiled, 3 found", run)
        self.assertEqual(self.report()["tuning"]["by"], "wisdom")
        self.assertEqual(self.report()["kernels"][0]["variant"], winner)

    def test_off_measures_nothing(self):
        for words, environment in (["--tune", "off"], {}), ([], {"SEDGE_TUNE": "off"}), \
                (["--set", "kernels.tune=off"], {"SEDGE_TUNE": "patient"}):
            text = self.ask("tune", *words, environment=environment)
            self.assertRegex(text, r"chosen by rule, .*0 programs compiled")
            run = self.ask("run", *words, environment=environment)
            self.assertIn("kernels from rule: ", run)
            self.assertEqual(self.report()["tuning"], {"by": "rule", "timed": 0, "gain": None})
        self.assertNotIn("stage", (self.cache / "wisdom.jsonl").read_text()
                         if (self.cache / "wisdom.jsonl").exists() else "")

    def test_short_runs_do_not_tune(self):
        run = self.ask("run")
        self.assertIn("kernels from rule: ", run)
        self.assertEqual(self.report()["tuning"]["timed"], 0)

    def test_a_request_is_not_tuned(self):
        request = ["--set", "kernels.variant=fused", "--tune", "patient"]
        self.assertIn("as requested", self.ask("tune", *request))
        self.assertIn("kernels from request: fused", self.ask("run", *request))

    def test_wrong_levels(self):
        deck = self.deck
        self.refuse(1, ["kernels.tune", "'quick'", "off, fast, patient"], "run", deck, "--tune",
                    "quick", ranks=[0])
        self.refuse(1, ["SEDGE_TUNE='quick'"], "run", deck, environment={"SEDGE_TUNE": "quick"})
        self.refuse(1, ["does not take --forget"], "run", deck, "--forget", ranks=[0])

    def test_ranks_choose_once(self):
        result = self.sedge("tune", self.deck, *SMALL, ranks=2, environment=self.environment)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out.count("chosen by"), 1)


if __name__ == "__main__":
    unittest.main()
