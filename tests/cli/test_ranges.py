"""SEDGE_NVTX: the ranges that a profiler is told, by a library as a profiler brings it."""

import collections
import os
import unittest

from kit import DECK, Case

SMALL = ("--device", "host", "--set", "order=1", "--set", "precision=fp32")
RECORDER = os.environ.get("SEDGE_RECORD_RANGES")
STAGES = 5  # of the time integrator


class Ranges(Case):
    def ranges(self, *words, ranks=0, wanted="1"):
        """How often each range was, with those around it. None is left open, of no thread."""
        path = self.folder / "ranges"
        path.unlink(missing_ok=True)
        self.succeed(*words, self.write("deck.yaml", DECK), *SMALL, ranks=ranks, environment={
            "SEDGE_NVTX": wanted, "SEDGE_TEST_RANGES": str(path), "NVTX_INJECTION64_PATH": RECORDER,
            "SEDGE_TUNE": None, "SEDGE_CACHE_DIR": str(self.folder / "cache")})
        found = collections.Counter()
        opened = collections.defaultdict(list)
        for line in path.read_text().splitlines() if path.exists() else []:
            process, thread, what, *name = line.split()
            if what == "begin":
                opened[process, thread] += name
                found[">".join(opened[process, thread])] += 1
            else:
                opened[process, thread].pop()
        self.assertFalse(any(opened.values()), opened)
        return found

    @unittest.skipUnless(RECORDER, "built without NVTX")
    def test_names(self):
        tuned = self.ranges("tune")
        self.assertEqual(tuned["tune"], 1, tuned)
        self.assertTrue(any(name.endswith("compile") for name in tuned), tuned)
        run = self.ranges("run", ranks=2)
        self.assertGreater(run["step"], 1, run)
        self.assertEqual(run["step>exchange"], STAGES * run["step"], run)
        self.assertGreater(run["output"], 1, run)
        self.assertEqual(self.ranges("run", wanted="0"), {})

    @unittest.skipIf(RECORDER, "built with NVTX")
    def test_is_refused(self):
        self.refuse(1, ["SEDGE_NVTX is set", "nvToolsExt.h"], "run", self.write("deck.yaml", DECK),
                    *SMALL, environment={"SEDGE_NVTX": "1"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
