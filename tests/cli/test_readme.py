"""The README's commands work as they stand: every block marked `sh test` is run, in order."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

from kit import PROGRAM, SOURCE, TIMEOUT, Case

README = (SOURCE / "README.md").read_text()


class Readme(Case):
    def test_commands(self):
        for name in ("input", "meshes", "codegen"):
            (self.folder / name).symlink_to(SOURCE / name)
        # As the page says it is set, for this build and this source.
        said = re.findall(r"`export PATH=([^`]*):\$PATH`", README)
        self.assertEqual(len(said), 1)
        told = said[0].replace("$PWD/build/src", os.path.dirname(PROGRAM)).replace("$PWD", str(SOURCE))
        environment = {**os.environ,
                       "PATH": ":".join([told, os.path.dirname(sys.executable), os.environ["PATH"]])}
        blocks = re.findall(r"^```sh test([^\n]*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 6)
        for packages, block in blocks:
            if any(importlib.util.find_spec(name) is None for name in packages.split()):
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=self.folder,
                                  env=environment, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, block + done.stdout.decode())
        self.assertTrue((self.folder / "first-results/fields.hdf.series").is_file())

    def test_names_exist(self):
        for name in re.findall(r"\]\(([^)#]+)\)", README):
            self.assertTrue((SOURCE / name).exists(), name)
        tree = README[README.index("## The folders"): README.index("## Changing it")]
        folders = re.findall(r"^    (\S+)  ", tree, re.MULTILINE)
        self.assertGreaterEqual(len(folders), 14)
        for name in [*folders, "src/dg/equation.h", "src/operator/operator_shape.c", "solvers/advection"]:
            self.assertTrue((SOURCE / name).exists(), name)
            self.assertIn(name, README)

    def test_says_what_the_program_says(self):
        text = subprocess.run([PROGRAM, "--help"], stdout=subprocess.PIPE).stdout.decode()
        for variable in re.findall(r"^  (SEDGE_\w+)", text, re.MULTILINE):
            self.assertIn(f"`{variable}", README)
        for command in re.findall(r"^  ([a-z]+) ", text[: text.index("Options")], re.MULTILINE):
            self.assertIn(f"`sedge {command}", README)

    def test_the_tutorial_is_as_short_as_it_says(self):
        lines = sum(len(path.read_text().splitlines())
                    for path in (SOURCE / "solvers/advection").iterdir())
        self.assertIn(f"{lines} lines", README)


if __name__ == "__main__":
    unittest.main()
