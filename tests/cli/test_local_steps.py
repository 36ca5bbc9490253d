"""Local time steps as the user sees them: the answer of a Runge-Kutta method, restarts without a
seam on other ranks, what is refused."""

import json
import os
import re
import subprocess
import unittest

from kit import SOURCE, Case, read_json, sides

USAGE = 1
# Waves are a quarter as fast in one half of the box: two levels between the steps, three in all.
DECK = """\
equation: maxwell
order: 3
precision: fp64
mesh: {box: {cells: [4, 2, 2], split: {axis: x, at: 0.5, names: [air, glass]}}}
time:
  end: 3.0
  integrator: ader
  levels: 3
materials: {air: {epsilon: 1}, glass: {epsilon: 16}}
""" + sides("pec") + """\
sources:
  - type: dipole
    position: [0.23, 0.5, 0.4]
    direction: [1, 2, 1]
    signal: {type: gaussian, delay: 1.0, width: 0.3}
monitors:
  energy: {every: 1}
  probes: {points: {air: [0.4, 0.3, 0.6], glass: [0.7, 0.6, 0.3]}}
output: {snapshots: 0}
"""
# A ball with poles and a curved surface, with dipoles in it.
BALL = f"""\
equation: maxwell
order: 1
precision: fp32
mesh: {{file: {SOURCE}/meshes/solid-sphere.msh}}
time: {{steps: 12, integrator: ader, levels: 2}}
materials:
  ball: {{epsilon: 1.5, lorentz: [{{strength: 1, frequency: 0.5, damping: 0.05}}, {{strength: 2, frequency: 1.1, damping: 0.1}}]}}
  air: {{}}
boundaries: {{outer: {{type: absorbing}}}}
initial: {{type: cavity-mode, compare: false, size: [4, 4, 4], origin: [-2, -2, -2]}}
sources:
  - {{type: dipole, position: [0.93, 0.05, 0.08], direction: [1, 2, 1], signal: {{type: gaussian, delay: 0, width: 0.1}}}}
  - {{type: dipole, position: [0.1, 0.2, 0.1], direction: [1, 2, 1], signal: {{type: gaussian, delay: 0, width: 0.1}}}}
output: {{snapshots: 0, checkpoint: {{steps: 6}}}}
"""


class LocalSteps(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)

    def go(self, folder, *words, ranks=0):
        self.succeed("run", self.deck, "--device", "host", "--quiet", "--output", folder, *words, ranks=ranks)
        return read_json(self.folder / folder / "report.json")

    def compare(self, a, b, part):
        self.assertGreater(b["energy"]["final"], 1e-4)
        self.assertLess(abs(a["energy"]["final"] / b["energy"]["final"] - 1), part)

    def test_answer(self):
        """The energy at the end is that of lsrk45 within 1e-3, which is what the mesh resolves."""
        levels = self.go("levels")
        self.assertEqual(len(levels["levels"]), 3)
        self.assertEqual(sum(row["elements"] for row in levels["levels"]), levels["elements"])
        self.assertGreater(levels["levels_gain"], 1.3)
        plain = self.go("plain", "--set", "time.integrator=lsrk45", "--set", "time.levels=1")
        self.assertEqual(len(plain["levels"]), 1)
        self.compare(levels, plain, 1e-3)
        self.compare(self.go("several", ranks=2), levels, 1e-11)

    def test_restart(self):
        """A run that goes on from its middle, on other ranks, ends as one without a break."""
        self.deck = self.write("deck.yaml", DECK.replace("end: 3.0", "steps: 24"))
        whole = self.go("whole")
        self.go("parts", "--set", "time.steps=12", "--set", "output.checkpoint.steps=12")
        rest = self.go("parts", "--restart", "auto", ranks=2)
        self.assertEqual(rest["steps_before"], 12)
        self.compare(rest, whole, 1e-11)

    def test_curved_memory(self):
        """The same bits after a restart in the middle, and on two ranks, where curved elements have memory."""
        self.deck = self.write("ball.yaml", BALL)
        self.assertEqual(len(self.go("ball")["levels"]), 2)
        self.go("rest", "--restart", self.folder / "ball/checkpoint-6.h5")
        self.go("several", ranks=2)
        for other in ("rest", "several"):
            done = subprocess.run([os.environ["SEDGE_COMPARE"], *(self.folder / folder / "checkpoint-12.h5" for folder in ("ball", other))],
                                  stdout=subprocess.PIPE, check=True)
            found = json.loads(done.stdout)
            self.assertTrue(found["equal"], found)
            self.assertGreater(found["largest"], 0.1)

    def found(self, *settings):
        """What `sedge check` says of time and local time steps. Waves are a hundred times as fast in one layer of
        cells as in the others."""
        words = [word for setting in ("mesh.box={cells: [16, 4, 4], split: {axis: x, at: 0.06, names: [air, glass]}}",
                                      "materials.glass={epsilon: 10000}", "time={end: 3}",
                                      "sources.0.position=[0.6, 0.5, 0.4]", *settings)
                 for word in ("--set", setting)]
        out = self.succeed("check", self.deck, "--device", "host", *words).out
        return [line for line in out.splitlines() if re.match("  time  |  levels  |    level |  local", line)]

    def test_auto(self):
        """A deck that gives no integrator takes local time steps where they pay; else `sedge check` says what they
        would gain, and why they are not taken."""
        taken = self.found()
        self.assertRegex(taken[0], r"\(cfl 0.8, ader\)$")
        self.assertRegex(taken[1], "levels +[3-9]; work of one step for all elements: [0-9.]+ times")
        self.assertEqual(sum("elements, " in line for line in taken), int(taken[1].split()[1].rstrip(";")))
        self.assertRegex(taken[-1], r"local time steps   are [2-9][0-9.]* times as fast as \w+, and errors of waves over "
                                    r"[0-9.]+ wavelengths cost [0-9.]+ times the work$")
        cases = (
            (("materials.glass={epsilon: 1}",), r"would be (at most )?[01]\.[0-9]+ times as fast as \w+: not taken$"),
            (("time.end=1e5",), r"would be [2-9][0-9.]* times as fast as lsrk45, and errors of waves over [0-9.e+]+ "
                                r"wavelengths cost [0-9.]+ times the work: not taken$"),
            (("flux.upwind=0.5",), r"would be [2-9][0-9.]* times as fast as \w+, but they need upwind fluxes: not taken$"),
        )
        for settings, pattern in cases:
            lines = self.found(*settings)
            self.assertRegex(lines[0], "lsrk")
            self.assertEqual(len(lines), 2)
            self.assertRegex(lines[1], "local time steps   " + pattern)
        for settings in (("time.integrator=lsrk45",), ("time.levels=1",)):
            self.assertEqual(len(self.found(*settings)), 1)

    def test_auto_restart(self):
        """A run that goes on keeps the integrator of its checkpoint, also where the deck as it is now would have another:
        by steps it would be lsrk45."""
        graded = DECK.replace("[4, 2, 2]", "[16, 2, 2]").replace("at: 0.5", "at: 0.06").replace("epsilon: 16", "epsilon: 1e4")
        self.deck = self.write("deck.yaml", graded.replace("  integrator: ader\n  levels: 3\n", "")
                               .replace("position: [0.23", "position: [0.63"))
        whole = self.go("whole", "--set", "output.checkpoint.steps=10")
        self.assertEqual(whole["integrator"], "ader")
        self.assertGreater(len(whole["levels"]), 2)
        steps = f"time={{steps: {whole['steps']}}}"
        self.assertEqual(self.go("plain", "--set", steps)["integrator"], "lsrk45")
        checkpoint = min((self.folder / "whole").glob("checkpoint-*.h5"))
        rest = self.go("rest", "--set", "output.checkpoint.steps=10", "--restart", checkpoint, ranks=2)
        self.assertEqual((rest["integrator"], rest["steps"]), ("ader", whole["steps"]))
        self.compare(rest, whole, 1e-11)
        rest = self.go("whole", "--set", steps, "--restart", "auto")
        self.assertEqual(rest["integrator"], "ader")

    def test_refused(self):
        cases = (
            (("flux.upwind=0.5",), ("needs upwind fluxes",)),
            (("time.integrator=lsrk45",), ("time.levels is 3", "lsrk45")),
        )
        for settings, parts in cases:
            words = [word for setting in settings for word in ("--set", setting)]
            self.refuse(USAGE, parts, "run", self.deck, "--device", "host", "--output", "refused", *words,
                        ranks=(0, 2))


if __name__ == "__main__":
    unittest.main(verbosity=1)
