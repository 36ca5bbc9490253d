"""src/run/SECURITY.md, line by line: whose code is run, what names can do, where files go.

    test_security.py [all]
"""

import os
import re
import sys
import unittest

from fault_kit import JOB, SOURCE, Case, record

from kit import Cube, others_come

USAGE, DATA = 1, 2
ALL = False  # every odd name in every place, every rank

# The only places that may start a program, and how.
STARTS = {"src/device/helper_serve.c": "execv"}
START = re.compile(r"\b(system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve|wordexp)\s*\(")


class Audit(unittest.TestCase):
    def test_no_shell(self):
        """No shell, no search for programs by name anywhere in the sources."""
        found = {}
        for folder in ("src", "codegen", "solvers"):
            for path in (SOURCE / folder).rglob("*.[ch]"):
                text = re.sub(r"//.*|\"(\\.|[^\"\\])*\"", "", path.read_text())
                for match in START.finditer(text):
                    found.setdefault(str(path.relative_to(SOURCE)), set()).add(match.group(1))
        self.assertEqual(found, {name: {how} for name, how in STARTS.items()})


class Trust(Case):
    def setUp(self):
        super().setUp()
        if not others_come(self.folder):
            self.skipTest(f"others cannot come to {self.folder}")
        self.deck = self.write("deck.yaml", JOB.replace("steps: 60", "steps: 2"))
        self.open = self.folder / "open"
        self.open.mkdir()
        self.open.chmod(0o777)

    def run_with(self, **environment):
        return self.sedge("run", self.deck, "--device", "host", environment=environment)

    def test_cache(self):
        result = self.run_with(SEDGE_CACHE_DIR=str(self.open / "cache"))
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, "no kernel cache: .*open': others may write to it")
        record("a cache below a folder that others may write to", "not used, with a warning")
        site = self.open / "site"
        site.mkdir(mode=0o755)
        result = self.run_with(SEDGE_CACHE_SITE=str(site))
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, "no site cache: .*open': others may write to it")
        record("a site cache below a folder that others may write to", "not used, with a warning")

    def refuse(self, fault, parts, **environment):
        super().refuse(USAGE, parts, "run", self.deck, "--device", "host",
                       ranks=(0, 2) if ALL else (2,),
                       environment={"SEDGE_CACHE_DIR": str(self.folder / "cache"), **environment})
        record(fault, f"refused, code {USAGE}")

    def test_kernels(self):
        kernels = self.open / "kernels"
        kernels.mkdir(mode=0o755)
        text = (SOURCE / "codegen/kernels/dg/dg_stage.h").read_text()
        (kernels / "dg_stage.h").write_text(text)
        self.refuse("SEDGE_KERNELS below a folder that others may write to", ["SEDGE_KERNELS", "others may write"],
                    SEDGE_KERNELS=str(kernels))
        self.open.chmod(0o755)
        (kernels / "dg_stage.h").chmod(0o666)
        self.refuse("a kernel source that others may write to",
                    ["SEDGE_KERNELS", "dg_stage.h", "others may write"],
                    SEDGE_KERNELS=str(kernels))
        (kernels / "dg_stage.h").chmod(0o644)
        self.assertEqual(self.run_with(SEDGE_KERNELS=str(kernels)).code, 0)

    def test_compiler_and_temporary_folder(self):
        compiler = self.open / "cc"
        compiler.write_text("#!/bin/sh\nexec cc \"$@\"\n")
        compiler.chmod(0o755)
        self.refuse("a compiler in a folder that everybody may write to", ["open", "others may"],
                    SEDGE_CC=str(compiler))
        # Open MPI has its own folder, for it would stand in this one, too.
        self.refuse("a temporary folder that others may write to and that is not sticky",
                    ["TMPDIR", "not sticky"], TMPDIR=str(self.open),
                    OMPI_MCA_orte_tmpdir_base="/tmp")

    def test_search_of_parts(self):
        """gcc looks for `as` in PATH. Others could have put this one there."""
        fake = self.open / "as"
        fake.write_text(f"#!/bin/sh\necho ran >> {self.folder}/ran\nexec /usr/bin/as \"$@\"\n")
        fake.chmod(0o755)
        for mode, ran in ((0o755, True), (0o777, False), (0o1777, False)):
            self.open.chmod(mode)
            (self.folder / "ran").unlink(missing_ok=True)
            result = self.run_with(SEDGE_CACHE_DIR=str(self.folder / f"cache-{mode:o}"),
                                   PATH=f"{self.open}:{os.environ['PATH']}")
            self.assertEqual(result.code, 0, result)
            self.assertEqual((self.folder / "ran").exists(), ran, f"{mode:o}")
        record("a folder of PATH in which everybody may make files", "not searched by the compiler")

    def test_linked_entries(self):
        """A link in the place of an entry is none."""
        cache = {"SEDGE_CACHE_DIR": str(self.folder / "cache")}
        self.assertEqual(self.run_with(**cache).code, 0)
        for entry in (self.folder / "cache").glob("*.sedge"):
            moved = self.open / entry.name
            entry.rename(moved)
            entry.symlink_to(moved)
        result = self.run_with(**cache)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"programs +3 compiled, 0 found")
        record("links in the place of cache entries", "not followed, compiled anew")


NAMES = ["..", "../out", "a/b", "/etc/x", "$(touch x)", "`touch x`", ";touch x", "| cat", "-rf",
         "a" * 63, "a" * 64, "a" * 5000, " ", "*", "\\e[31m", "\\0", "\\u202ename", "\\x9b1m", "%n%s"]


SOME = ["..", "/etc/x", "$(touch x)", "a" * 64, "\\e[31m", "\\u202ename"]


class Names(Case):
    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def try_deck(self, text):
        """It runs or is refused with one message; nothing comes to lie outside of the results."""
        deck = self.write("deck.yaml", text)
        before = self.files()
        result = self.sedge("run", deck, "--device", "host", environment={
            "SEDGE_KEEP": str(self.folder / "kept"), "SEDGE_DEBUG": None})
        self.assertIn(result.code, (0, USAGE), result)
        self.assertEqual(len(result.messages), 1 if result.code else 0, result)
        self.assertNotRegex(result.out + result.err, r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f\x9b]")
        new = [name for name in self.files() if name not in before]
        for name in new:
            self.assertRegex(name, r"^(deck-results|kept)(/[^/]+)?$")
        return result.code

    def test_names_of_decks(self):
        deck = JOB.replace("steps: 60", "steps: 1")
        for i, name in enumerate(NAMES if ALL else SOME):
            places = [("inside:", f'"{name}":'), ("cut:", f'"{name}":'),
                      ("equation:", f'title: "{name}"\nequation:'),
                      ("domain: {", f'"{name}": {{'), ("xmin:", f'"{name}":')]
            # The last two are groups of the mesh, which has none of these names.
            for old, new in places if ALL else [places[i % 3]]:
                with self.subTest(name=name[:80], old=old):
                    code = self.try_deck(deck.replace(old, new, 1))
                    record("odd names in decks", "refused, code 1" if code else
                           "taken; nothing outside of the results")

    def test_names_of_meshes(self):
        for name, code in (("a b", 0), ("$(touch x)", 0), ("\x1b]0;x\x07", DATA), ("\x7f", DATA),
                           ("\u202ename", DATA), ("\u009b31m", DATA), ("../up", 0)):
            with self.subTest(name=name):
                path = self.write("odd.msh", Cube(1).text().replace('"xmin"', f'"{name}"'))
                before = self.files()
                result = self.sedge("mesh", "info", path)
                self.assertEqual(result.code, code, result)
                self.assertNotRegex(result.out + result.err, r"[\x00-\x08\x0b-\x1f\x7f\x9b\u202e]")
                self.assertEqual(self.files(), before)
                record("odd names in meshes", "refused, code 2" if code else "shown as they are")
        path = self.write("odd.msh", Cube(1).text().encode().replace(b'"xmin"', b'"\x9b31m"'))
        self.refuse(DATA, ["\\x9b31m"], "mesh", "info", path, ranks=[0])

    def test_links_in_the_results(self):
        """What an earlier user of the folder left there is not written through."""
        self.write("precious", "mine\n")
        deck = self.write("deck.yaml", JOB.replace("steps: 60", "steps: 8"))
        results = self.folder / "deck-results"
        results.mkdir()
        names = ["mesh.hdf", "mesh.hdf.tmp", "fields_000000.hdf", "fields_000000.hdf.tmp",
                 "energy.h5", "probes.h5", "slices.h5", "report.json", "deck.yaml",
                 "fields.hdf.series", "checkpoint-4.h5", "checkpoint-4.h5.tmp", "energy.h5.trial"]
        for name in names:
            (results / name).symlink_to(self.folder / "precious")
        result = self.sedge("run", deck, "--device", "host")
        self.assertEqual((self.folder / "precious").read_text(), "mine\n", result)
        self.assertEqual(result.code, 0, result)
        record("links in the place of results", "replaced, not followed")


if __name__ == "__main__":
    os.environ.setdefault("SEDGE_THREADS", "1")
    ALL = sys.argv[1:] == ["all"]
    unittest.main(argv=sys.argv[:1])
