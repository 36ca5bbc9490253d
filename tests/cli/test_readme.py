"""The commands of the pages work as they stand: every block marked `sh test` is run, in order."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

from kit import PROGRAM, SOURCE, TIMEOUT, Case

README = (SOURCE / "README.md").read_text()
# The pages in the order in which they are run: later ones use what the first one makes.
PAGES = ["README.md", "src/run/README.md", "src/cli/README.md", "src/linear/README.md", "src/README.md"]


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
        blocks = []
        for page in PAGES:
            found = re.findall(r"^```sh test([^\n]*)\n(.*?)^```$", (SOURCE / page).read_text(),
                               re.MULTILINE | re.DOTALL)
            self.assertGreaterEqual(len(found), 1, page)
            blocks += found
        self.assertGreaterEqual(len(blocks), 12)
        for packages, block in blocks:
            if any(importlib.util.find_spec(name) is None for name in packages.split()):
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=self.folder,
                                  env=environment, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, block + done.stdout.decode())
        self.assertTrue((self.folder / "first-results/fields.hdf.series").is_file())

    def test_links_exist(self):
        pages = [*SOURCE.glob("*.md"), *SOURCE.glob("[a-z]*/*.md"), *SOURCE.glob("src/*/*.md"),
                 *SOURCE.glob("codegen/*/*.md"), *SOURCE.glob("input/*/*.md")]
        pages = [page for page in pages if "build" not in page.parts[len(SOURCE.parts)]]
        self.assertGreaterEqual(len(pages), 12)
        for page in pages:
            for name, place in re.findall(r"\]\((?!http)([^)#]*)(?:#([^)]*))?\)", page.read_text()):
                target = page.parent / name if name else page
                self.assertTrue(target.exists(), f"{page}: {name}")
                if place:
                    heads = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
                    anchors = [re.sub(r"[^a-z0-9 _-]", "", head.lower()).replace(" ", "-")
                               for head in heads]
                    self.assertIn(place, anchors, f"{page}: {name}#{place}")

    def test_names_exist(self):
        page = (SOURCE / "src/README.md").read_text()
        tree = page[page.index("## The folders"): page.index("## Changing it")]
        folders = re.findall(r"^    (\S+) ", tree, re.MULTILINE)
        self.assertGreaterEqual(len(folders), 14)
        for name in folders:
            self.assertTrue((SOURCE / name).exists(), name)
        for name in re.findall(r"`((?:src|codegen|solvers|tests)/[\w./]+\w)`", page):
            self.assertTrue((SOURCE / name).exists(), name)

    def test_says_what_the_program_says(self):
        text = subprocess.run([PROGRAM, "--help"], stdout=subprocess.PIPE).stdout.decode()
        page = (SOURCE / "src/cli/README.md").read_text()
        for variable in re.findall(r"^  (SEDGE_\w+)", text, re.MULTILINE):
            self.assertIn(f"`{variable}", page)
        for command in re.findall(r"^  ([a-z]+) ", text[: text.index("Options")], re.MULTILINE):
            self.assertIn(f"`sedge {command}", page)

    def test_the_tutorial_is_as_short_as_it_says(self):
        lines = sum(len(path.read_text().splitlines())
                    for path in (SOURCE / "solvers/advection").iterdir())
        self.assertIn(f"{lines} lines", (SOURCE / "src/README.md").read_text())


if __name__ == "__main__":
    unittest.main()
